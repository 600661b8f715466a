/* SPDX-License-Identifier: Apache-2.0 */
/** Groups of a queue over several devices: recorded once, and submitted as groups of the devices. */
#ifndef TEAMWORK_OBJECTS_DIVIDED_H
#define TEAMWORK_OBJECTS_DIVIDED_H

#include <stddef.h>
#include <stdint.h>

#include <teamwork/range_mapper.h>

#include "command_group.h"
#include "kernel_launch.h"

/* What an access is for. */
enum tw_access_kind {
    TW_ACCESS_KERNEL, /* the kernel uses the pointer */
    TW_ACCESS_VALUE,  /* it reduces into the element */
    TW_ACCESS_ARRAY   /* it reduces into the elements */
};

/* An access of the group's kernel. */
struct tw_mapped_access {
    struct tw_buffer *root; /* counted */
    struct tw_box box;      /* of the root's elements: those that the accessor is for */
    tw_range range;         /* of the box */
    tw_access_mode mode;
    enum tw_access_kind kind;
    tw_range_mapper mapper;
    uintptr_t placeholder; /* stands for the first element of the box ... */
    size_t bytes;          /* ... with so many bytes up to its last one */
};

/* A word of the block that has a placeholder. */
struct tw_placeholder {
    size_t at; /* in the block */
    size_t access;
    uintptr_t beyond; /* bytes from the access's first element */
};

/* The arguments of a group that sets a variable on all devices. */
struct tw_variable_step {
    void *variable;
    size_t bytes;
    unsigned char value[];
};

struct tw_divided {
    struct tw_mapped_access *accesses;
    size_t count, capacity;
    size_t reductions; /* number of accesses that the kernel reduces into */
    uintptr_t first, next; /* the placeholders: from the first up to the next one */
    struct tw_placeholder *placeholders;
    size_t placeholder_count, placeholder_capacity;
    struct tw_launch_request request;
    unsigned char *block; /* of the launch; NULL: there is none */
    bool sets_variable;   /* the group's step is a struct tw_variable_step */
};

/* Makes what a group needs that is begun on such a queue; NULL if there is no memory for it. */
struct tw_divided *tw_divided_new(void);
/* Frees it. Its uses of buffers have been released. NULL is allowed. */
void tw_divided_free(struct tw_divided *divided);
/* Releases its uses of buffers. */
void tw_divided_drop_locked(struct tw_divided *divided);

/* Notes an access to a box of a buffer, which has been checked. Returns what stands for the address of its first element
   until the group is divided; NULL if it is empty, or the group has failed. */
void *tw_divided_access(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box,
                        tw_range range, tw_access_mode mode, const tw_range_mapper *mapper);
/* Notes what the kernel reduces into. Returns as tw_divided_access(). */
void *tw_divided_reduce(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box,
                        tw_range range, bool keep, enum tw_access_kind kind);
/* Notes the launch of the group's kernel. */
void tw_divided_launch(struct tw_command_group *group, const struct tw_launch_request *request, const void *block);
/* Fails for what is no mapper, or none for a buffer of a range. */
tw_status tw_divided_check_mapper(const tw_range_mapper *mapper, tw_range buffer);
/* Fails, as does the group, if it cannot have a step that is divided: it has a kernel. */
tw_status tw_divided_check_step(struct tw_command_group *group, const char *step);
/* Makes it a group of the queue's first device, for a step that is not divided. Fails, as does the group, if it has
   accessors. */
tw_status tw_divided_settle(struct tw_command_group *group, const char *step);
/* Makes the groups of the devices, and submits them as one. The group is left to its owner. */
tw_status tw_divided_submit(struct tw_command_group *group, tw_event **event, const char *file, int line);

#endif
