/* SPDX-License-Identifier: Apache-2.0 */
/** Copies, fills and hints that the program asks for (teamwork/copy.h, usm.h): the bodies of their commands. */
#ifndef TEAMWORK_RUNTIME_STEP_H
#define TEAMWORK_RUNTIME_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"

/* A side of a copy, or what is filled: a box of a buffer, or memory of the program where rows lie back to back. */
struct tw_step_side {
    struct tw_data *data; /* NULL: the program's memory */
    struct tw_box box;
    void *memory;                     /* the program's */
    struct tw_backend_device *device; /* whose memory that is: of tw_malloc_device(); NULL: the host's */
};

enum tw_step_kind { TW_STEP_COPY, TW_STEP_FILL, TW_STEP_HINT };

/* The argument block of a command of tw_kind_step. It is about a buffer, or about unified shared memory. */
struct tw_step {
    enum tw_step_kind kind;
    bool is_usm;                      /* of unified shared memory: `device` and `request` are set when it is recorded */
    bool is_for_stream;               /* is_usm: a stream of `device` can do it, without the host */
    struct tw_backend_device *device; /* does it; NULL: the host */
    struct tw_step_side to, from; /* of buffers: at least one is one; both have as many elements in each dimension */
    size_t pattern_bytes;         /* of a fill */
    union {
        struct tw_backend_copy copy;
        struct tw_backend_fill fill;
        struct tw_backend_hint hint;
    } request; /* of buffers: set before it is used */
    unsigned char pattern[];
};

static inline struct tw_step *tw_step_of(struct tw_command *command)
{
    return (struct tw_step *)(void *)command->args;
}

#endif
