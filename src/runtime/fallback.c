/* SPDX-License-Identifier: Apache-2.0 */
/* What a command falls back on when it fails (spec 2.5.7): the same group, recorded for another queue. */
#include "fallback.h"

#include <stdlib.h>
#include <string.h>

struct tw_standby *tw_standby_create(struct tw_lane *lane, const struct tw_standby_record *record)
{
    const size_t place_count = tw_place_count();
    const size_t bytes = sizeof(struct tw_standby) + record->args_bytes + record->use_count * (place_count + 1);
    struct tw_standby *standby = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!standby)
        return NULL;
    *standby = (struct tw_standby){
        .lane = lane, .kernel = record->kernel, .launch = *record->launch, .bounds = record->bounds};
    standby->place_count = place_count;
    standby->expected = (bool *)(standby->args + record->args_bytes);
    standby->held = standby->expected + record->use_count;
    memset(standby->expected, false, record->use_count);
    memcpy(standby->args, record->args, record->args_bytes);
    standby->launch.args = standby->args;
    standby->launch.words = tw_internal_words_for(record->args_bytes);
    standby->launch.accesses = NULL; /* the group goes */
    standby->launch.access_count = 0;
    tw_lane_retain(lane);
    return standby;
}

void tw_standby_free_locked(struct tw_standby *standby)
{
    if (!standby)
        return;
    free(standby->bounds);
    free(standby->edges);
    if (standby->failure)
        tw_cause_release(&standby->failure->cause);
    tw_lane_release_locked(standby->lane);
    free(standby);
}
