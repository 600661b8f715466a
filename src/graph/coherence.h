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
    bool valid;              /* holds the contents once the commands submitted so far are done */
    bool was_valid;          /* before the last host access that writes was submitted */
    const void *driver;      /* copies between two of one driver, or with the host, are direct; NULL: the host */
};

/* The contents of a buffer, and its memory. */
struct tw_data {
    tw_range range; /* of elements */
    size_t element_bytes, bytes;
    struct tw_resource contents; /* the program's view: orders the groups */
    size_t space_count;
    struct tw_allocation *allocations;
    void *host_block; /* that the host's has of its own; or NULL */
};

struct tw_copy_plan {
    struct tw_data *data;
    size_t from, to; /* memory spaces */
};

/* What a group needs of one buffer. */
struct tw_use {
    struct tw_data *data;
    bool needs; /* the earlier contents */
    bool writes;
};

/* The copies that bring what `use` needs to a memory space, at most two; returns how many. Changes nothing. */
size_t tw_plan_copies(const struct tw_use *use, size_t space, struct tw_copy_plan plan[2]);
/* Whether copying between two memory spaces has to go through host memory. */
bool tw_copy_must_stage(const struct tw_data *data, size_t from, size_t to);
/* Whether an allocation will hold the contents. One that a failed copy should have filled does not, although it was
   planned to: the contents are still where they were. */
bool tw_allocation_holds(const struct tw_allocation *space);
/* Records where the contents are once the copies and the command are submitted. */
void tw_apply_use(const struct tw_use *use, size_t space);

#endif
