/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coherence: where a buffer's contents are, and which copies bring them where a command needs them (spec 2.5.7).
 *
 * Validity is that of the future: it counts all commands submitted so far as done, since the graph makes later ones
 * wait. Works on flags alone and starts nothing.
 */
#include "coherence.h"

/* Whether copying between two places has to go through host memory. */
bool tw_copy_must_stage(const struct tw_data *data, size_t from, size_t to)
{
    return from && to && data->places[from].driver != data->places[to].driver;
}

/* Whether a place will hold the contents. One that a failed copy should have filled does not, although it was planned
   to: the contents are still where they were. */
bool tw_place_holds(const struct tw_place *place)
{
    return place->valid && (!place->resource.lost || place->resource.writer);
}

/* The best valid place to copy from: the host, then a device that can copy directly, then any; -1 if there is none. */
static long source_place(const struct tw_data *data, size_t to)
{
    long best = -1;
    for (size_t place = 0; place < data->place_count; ++place) {
        if (!tw_place_holds(&data->places[place]))
            continue;
        if (!tw_copy_must_stage(data, place, to))
            return (long)place;
        best = (long)place;
    }
    return best;
}

size_t tw_plan_copies(const struct tw_use *use, size_t place, struct tw_copy_plan plan[2])
{
    const struct tw_data *data = use->data;
    if (!use->needs || tw_place_holds(&data->places[place]))
        return 0;
    const long from = source_place(data, place);
    if (from < 0)
        return 0; /* never written: the contents are undefined wherever they are */
    if (tw_copy_must_stage(data, (size_t)from, place)) {
        plan[0] = (struct tw_copy_plan){use->data, (size_t)from, 0};
        plan[1] = (struct tw_copy_plan){use->data, 0, place};
        return 2;
    }
    plan[0] = (struct tw_copy_plan){use->data, (size_t)from, place};
    return 1;
}

void tw_apply_use(const struct tw_use *use, size_t place)
{
    struct tw_data *data = use->data;
    if (use->writes)
        for (size_t other = 0; other < data->place_count; ++other)
            data->places[other].valid = false;
    data->places[place].valid = true;
}
