/* SPDX-License-Identifier: Apache-2.0 */
/** Where the contents of buffers are, and which copies bring them where a command needs them (spec 2.5.7). Pure, as
    graph.h is. */
#ifndef TEAMWORK_GRAPH_COHERENCE_H
#define TEAMWORK_GRAPH_COHERENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <teamwork/range.h>

#include "graph.h"

/* A buffer's memory in one memory space: host memory (number 0) or that of one device. */
struct tw_allocation {
    struct tw_resource resource;
    _Atomic(void *) address; /* set once; read without the lock */
    bool valid;              /* holds the contents after all commands submitted so far */
    bool was_valid;          /* `valid` before the last host access was submitted */
    const void *driver;      /* copies within one driver, and from or to the host, are direct; NULL: the host */
};

/* The contents of a buffer, and its memory. */
struct tw_data {
    tw_range range; /* of elements */
    size_t element_bytes, bytes;
    struct tw_resource contents; /* as the program sees them: orders the groups */
    size_t space_count;
    struct tw_allocation *allocations;
    void *host_block; /* owned block with the host's memory; or NULL */
};

struct tw_copy_plan {
    struct tw_data *data;
    size_t from, to; /* memory spaces */
};

/* What a group does with one buffer. */
struct tw_use {
    struct tw_data *data;
    bool needs; /* it needs the earlier contents */
    bool writes;
};

/* Stores the copies that bring what `use` needs to a memory space, and returns their number. Changes no state. */
size_t tw_plan_copies(const struct tw_use *use, size_t space, struct tw_copy_plan plan[2]);
/* Returns true if a copy between two memory spaces must go through host memory. */
bool tw_copy_must_stage(const struct tw_data *data, size_t from, size_t to);
/* Returns true if an allocation will hold the contents. One that a failed copy should have filled will not, although it
   is marked valid: the contents are still where they were. */
bool tw_allocation_holds(const struct tw_allocation *space);
/* Records where the contents are after the copies and the command. */
void tw_apply_use(const struct tw_use *use, size_t space);

#endif
