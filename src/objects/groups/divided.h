/* SPDX-License-Identifier: Apache-2.0 */
/** Groups of a queue over several devices: recorded once, and submitted as groups of the devices. */
#ifndef TEAMWORK_OBJECTS_DIVIDED_H
#define TEAMWORK_OBJECTS_DIVIDED_H

#include <stddef.h>
#include <stdint.h>

#include <teamwork/range_mapper.h>

#include "command_group.h"
#include "launch_request.h"

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
    uintptr_t placeholder;             /* stands for the first element of the box ... */
    size_t bytes;                      /* ... with so many bytes up to its last one */
    bool is_found;                     /* it was found in the block */
    bool is_sampled;                   /* it is of a sampled image: of */
    struct tw_backend_texture texture; /* without an address; its width is 0 if it can have none */
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
    size_t reductions;     /* number of accesses that the kernel reduces into */
    uintptr_t first, next; /* the placeholders: from the first up to the next one */
    struct tw_placeholder *placeholders;
    size_t placeholder_count, placeholder_capacity;
    struct tw_launch_request request;
    unsigned char *block; /* of the launch, in `kept_block`; NULL: there is none */
    unsigned char *kept_block;
    size_t kept_bytes;
    void *room; /* for its submission */
    size_t room_bytes;
    bool sets_variable;        /* the group's step is a struct tw_variable_step */
    struct tw_queue *fallback; /* runs pieces that fail; or NULL */
};

/* Lets a group that is begun on such a queue record so. Returns false if there is no memory for it. */
bool tw_divided_begin(struct tw_command_group *group);
/* Frees what was recorded, after its uses of buffers have been released. NULL is allowed. */
void tw_divided_free(struct tw_divided *divided);
/* Releases its uses of buffers, and lets the queue keep the memory for another group if it has none yet. */
void tw_divided_drop_locked(struct tw_command_group *group);

#endif
