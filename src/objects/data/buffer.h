/* SPDX-License-Identifier: Apache-2.0 */
/** The buffer object, and its counted uses. */
#ifndef TEAMWORK_OBJECTS_BUFFER_H
#define TEAMWORK_OBJECTS_BUFFER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/buffer.h>
#include <teamwork/command_group.h>

#include "base/copy.h"
#include "graph/coherence.h"
#include "runtime/reclaim.h"

struct tw_storage_state;
struct tw_command;

/* Functions of storage.c that a buffer with a storage calls. */
struct tw_buffer_storage {
    void (*ready_locked)(struct tw_buffer *buffer);                                      /* a host access may run */
    void (*complete_locked)(struct tw_buffer *buffer, const struct tw_command *command); /* a command is complete */
    void (*free)(struct tw_storage_state *state);
};

/* Where a part of a buffer goes in the end. */
struct tw_final {
    struct tw_final *next;
    struct tw_box box;
    void *memory; /* the program's */
};

struct tw_buffer {
    const char *copy;       /* the first member, for tw_check_copy() */
    size_t handles;         /* the program's references */
    atomic_size_t uses;     /* one for all handles, one for each group, command and accessor; raised without the lock */
    bool over_host;         /* created over the program's memory */
    atomic_bool lent;       /* destroying the last handle gives memory to the program; read without the lock */
    bool read_only;         /* created over const memory */
    struct tw_device *home; /* the device whose memory the program gave, where the contents go in the end; or NULL */
    struct tw_buffer *root; /* of a sub-buffer: the buffer whose data it shows, with a handle for it; else itself */
    struct tw_box box;      /* of the root's elements: those that the buffer stands for */
    tw_range range;         /* of the box */
    void *final;            /* the program's memory where the contents go in the end; or NULL */
    struct tw_final *final_parts;               /* the same for parts of the buffer */
    struct tw_storage_state *storage;           /* or NULL */
    const struct tw_buffer_storage *storage_of; /* the functions for it; or NULL */
    struct tw_unused unused;
    struct tw_data data;
};

static inline struct tw_buffer *tw_buffer_of(const struct tw_data *data)
{
    return (struct tw_buffer *)((char *)(uintptr_t)data - offsetof(struct tw_buffer, data));
}

/* Makes the box of `range` elements from `offset` on in a buffer, in the root's elements. */
tw_status tw_buffer_box(const struct tw_buffer *buffer, tw_id offset, tw_range range, struct tw_box *box);
/* Returns the address of the first element of a box of a buffer's root in a memory space. */
void *tw_buffer_address(const struct tw_buffer *buffer, const struct tw_box *box, size_t space);
/* Returns true if something was written to the buffer, or it began with contents. */
bool tw_buffer_has_contents_locked(const struct tw_buffer *buffer);
/* Return true if a mode is a valid one, if it needs the earlier contents, and if it writes. */
static inline bool tw_access_mode_is_valid(tw_access_mode mode)
{
    return mode >= TW_READ && mode <= TW_ATOMIC;
}

static inline bool tw_access_mode_needs(tw_access_mode mode)
{
    return mode != TW_DISCARD_WRITE && mode != TW_DISCARD_READ_WRITE;
}

static inline bool tw_access_mode_writes(tw_access_mode mode)
{
    return mode != TW_READ;
}

/* Releases a use. After the last one tw_reclaim() frees the buffer. */
void tw_buffer_unuse_locked(struct tw_buffer *buffer);
/* Releases the use of the handles; does not wait for commands. Without the lock. */
void tw_buffer_drop(struct tw_buffer *buffer);
/* Notifies the buffer's storage, if any, that a host access may run. */
void tw_buffer_ready_locked(struct tw_buffer *buffer);
/* Releases the uses of a complete command, and notifies the storages of its buffers. */
void tw_buffers_complete_locked(struct tw_command *command);

#endif
