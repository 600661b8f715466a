/* SPDX-License-Identifier: Apache-2.0 */
/** Buffers. */
#ifndef TEAMWORK_OBJECTS_BUFFER_H
#define TEAMWORK_OBJECTS_BUFFER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/buffer.h>
#include <teamwork/command_group.h>

#include "copy.h"
#include "graph/coherence.h"
#include "runtime/reclaim.h"

struct tw_storage_state;
struct tw_command;

/* What a buffer's storage hears of the buffer; see storage.c. */
struct tw_buffer_storage {
    void (*ready_locked)(struct tw_buffer *buffer);                                      /* a host access may go on */
    void (*complete_locked)(struct tw_buffer *buffer, const struct tw_command *command); /* of those that use it */
    void (*free)(struct tw_storage_state *state);
};

struct tw_buffer {
    const char *copy;   /* first: copy.h */
    size_t handles;     /* the program's references */
    atomic_size_t uses; /* one for all handles, one for each command and accessor; raised without the lock */
    bool over_host;     /* over the program's memory */
    bool lent;          /* over that, or with storage: the program has memory back with the last handle */
    bool read_only;     /* over const memory */
    struct tw_storage_state *storage;           /* or NULL */
    const struct tw_buffer_storage *storage_of; /* what that is called for; or NULL */
    struct tw_unused unused;
    struct tw_data data;
};

static inline struct tw_buffer *tw_buffer_of(const struct tw_data *data)
{
    return (struct tw_buffer *)((char *)(uintptr_t)data - offsetof(struct tw_buffer, data));
}

/* Whether the mode is one; what it needs and does. */
bool tw_access_mode_is_valid(tw_access_mode mode);
bool tw_access_mode_needs(tw_access_mode mode);
bool tw_access_mode_writes(tw_access_mode mode);
/* Drops a use; the last one leaves the buffer to tw_reclaim(). */
void tw_buffer_unuse_locked(struct tw_buffer *buffer);
/* Drops a buffer that nobody has used: without waiting. */
void tw_buffer_drop(struct tw_buffer *buffer);
/* A host access to the buffer may go on. */
void tw_buffer_ready_locked(struct tw_buffer *buffer);
/* The command is complete: it gives its uses of buffers back. */
void tw_buffers_complete_locked(struct tw_command *command);

#endif
