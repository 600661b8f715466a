/* SPDX-License-Identifier: Apache-2.0 */
/** The platform object: the devices of one type. */
#ifndef TEAMWORK_OBJECTS_PLATFORM_H
#define TEAMWORK_OBJECTS_PLATFORM_H

#include "found.h"

struct tw_platform {
    const char *name;
    tw_device_type type;
    struct tw_device **devices;
    size_t count;
};

/* Makes one platform for each type of device that was found. It lists the visible devices; the host's lists the host in
   any case. tw_platforms_free() is called even if it fails. */
tw_status tw_platforms_make(struct tw_found *found);
void tw_platforms_free(struct tw_found *found);

#endif
