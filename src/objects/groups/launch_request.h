/* SPDX-License-Identifier: Apache-2.0 */
/** A launch as the program asked for it, to be recorded for other devices. */
#ifndef TEAMWORK_OBJECTS_LAUNCH_REQUEST_H
#define TEAMWORK_OBJECTS_LAUNCH_REQUEST_H

#include <stddef.h>

#include <teamwork/kernel_object.h>

struct tw_command_group;

/* The arguments of a launch function. */
struct tw_launch_request {
    enum tw_internal_form form; /* of the function */
    tw_range range;             /* work-items; of TW_INTERNAL_WORK_GROUP, groups */
    tw_range local;             /* of launches in groups */
    tw_id offset;
    const struct tw_internal_kernel *kernel;
    size_t block_bytes;
};

/* Records the launch in a group. */
void tw_launch_request_record(const struct tw_launch_request *request, struct tw_command_group *group,
                              const void *block);

#endif
