/* SPDX-License-Identifier: Apache-2.0 */
/** Sizes of work-groups: those that a kernel is compiled for, and those that a launch without a size can have. */
#ifndef TEAMWORK_OBJECTS_GROUP_SIZE_H
#define TEAMWORK_OBJECTS_GROUP_SIZE_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/kernel_object.h>

/* Returns the code of a kernel for groups of a size: that which requires it, else that which takes any. NULL: there is
   none. */
const tw_kernel *tw_kernel_of_size(const tw_kernel *kernel, tw_range local);

/* Writes the sizes that a kernel requires: "16 x 16, 32 x 8 or any". */
void tw_kernel_write_sizes(const tw_kernel *kernel, char *text, size_t bytes);
/* Writes one: "16 x 16". */
void tw_write_size(const size_t size[3], unsigned dims, char *text, size_t bytes);

/* The search for a size. */
struct tw_size_search {
    const tw_kernel *kernel; /* first the kernel; then the code of it that the size is for, NULL at the end */
    tw_range extent;         /* the groups of the launch, or its work-items */
    bool must_divide;        /* they are its work-items */
    bool on_gpu;
    size_t warp;   /* work-items of a GPU's sub-group; 0: not known */
    size_t most;   /* work-items of a group on the device */
    size_t target; /* of code for any size: the work-items of the next group; 0: the next size is the first */
    bool begun;
};

/* Stores the next size to try. The sizes that the kernel requires come first, in the order of its definition; then, for
   code that takes any size, smaller and smaller ones. Returns false at the end. */
bool tw_next_size(struct tw_size_search *search, tw_range *local);

#endif
