/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coherence: where a buffer's contents are, and which copies bring them where a command needs them (spec 2.5.7).
 *
 * Validity describes the state after all commands submitted so far, since the graph makes later ones wait. This file
 * works on flags alone: it starts no copy, and knows no device, thread or lock.
 */
#include "coherence.h"

/* Returns true if a copy between two memory spaces must go through host memory. */
bool tw_copy_must_stage(const struct tw_data *data, size_t from, size_t to)
{
    return from && to && data->allocations[from].driver != data->allocations[to].driver;
}

/* Returns true if an allocation will hold the contents. One that a failed copy should have filled will not, although it
   is marked valid: the contents are still where they were. */
bool tw_allocation_holds(const struct tw_allocation *space)
{
    return space->valid && (!space->resource.lost || space->resource.writer);
}

/* Returns the memory space to copy from: the host if it holds the contents, else a device that can copy directly, else
   any; -1 if there is none. */
static long source_space(const struct tw_data *data, size_t to)
{
    long best = -1;
    for (size_t space = 0; space < data->space_count; ++space) {
        if (!tw_allocation_holds(&data->allocations[space]))
            continue;
        if (!tw_copy_must_stage(data, space, to))
            return (long)space;
        best = (long)space;
    }
    return best;
}

size_t tw_plan_copies(const struct tw_use *use, size_t space, struct tw_copy_plan plan[2])
{
    const struct tw_data *data = use->data;
    if (!use->needs || tw_allocation_holds(&data->allocations[space]))
        return 0;
    const long from = source_space(data, space);
    if (from < 0)
        return 0; /* never written: the contents are undefined everywhere */
    if (tw_copy_must_stage(data, (size_t)from, space)) {
        plan[0] = (struct tw_copy_plan){use->data, (size_t)from, 0};
        plan[1] = (struct tw_copy_plan){use->data, 0, space};
        return 2;
    }
    plan[0] = (struct tw_copy_plan){use->data, (size_t)from, space};
    return 1;
}

void tw_apply_use(const struct tw_use *use, size_t space)
{
    struct tw_data *data = use->data;
    if (use->writes)
        for (size_t other = 0; other < data->space_count; ++other)
            data->allocations[other].valid = false;
    data->allocations[space].valid = true;
}
