/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Commands of several devices, as recorded graphs are: where they need the contents of buffers before they begin, which
 * copies they make in between, and where they leave contents. Pure, as graph.h is.
 */
#ifndef TEAMWORK_GRAPH_PLACEMENT_H
#define TEAMWORK_GRAPH_PLACEMENT_H

#include "coherence.h"

/* What a command does with a box in one memory space. The places of a command in one memory space do not overlap. */
struct tw_place {
    struct tw_data *data;
    struct tw_box box;
    size_t space;
    bool needs; /* the earlier contents must be there before it begins */
    bool holds; /* it writes the box, and the new contents are there when it ends */
};

/* Returns a place as a use. */
struct tw_use tw_place_use(const struct tw_place *place);

/* ---- while a command is made of others ---------------------------------------------------------------------------- */

/* A buffer in a sequence of groups on several devices. */
struct tw_placement {
    struct tw_data *data;
    struct tw_data draft; /* each memory space holds what the sequence has written so far and it has the latest of */
    struct tw_box_set *needed; /* for each memory space: what has to be there before the sequence */
    struct tw_box_set written;
};

/* Begins before the first group. Returns false if memory is exhausted; tw_placement_end() ends it in both cases. */
bool tw_placement_begin(struct tw_placement *placement, struct tw_data *data);
void tw_placement_end(struct tw_placement *placement);
/* Plans the copies from one memory space to another that a group needs in between, of what other groups have written;
   as tw_plan_copies(). The plans name the draft. */
void tw_placement_plan(struct tw_placement *placement, const struct tw_use *use, size_t space,
                       struct tw_copy_plans *copies);
/* Records the copies of a use, and the use. Returns false if memory is exhausted. */
bool tw_placement_add(struct tw_placement *placement, const struct tw_use *use, size_t space,
                      const struct tw_copy_plans *copies);
/* Calls `visit` for each place of the sequence. */
void tw_placement_visit(const struct tw_placement *placement, void (*visit)(const struct tw_place *place, void *user),
                        void *user);

/* ---- when such a command is submitted ------------------------------------------------------------------------------ */

/* A state of the buffers that is to come. */
struct tw_draft;

/* Returns true if a command changes nothing about where contents are, and needs no copy. `uses` are of the whole
   command. */
bool tw_places_stay(const struct tw_use *uses, size_t use_count, const struct tw_place *places, size_t place_count);
/* Stores the state after the command. Returns false if memory is exhausted. Nothing may change until it is
   committed. */
bool tw_places_draft(const struct tw_use *uses, size_t use_count, const struct tw_place *places, size_t place_count,
                     struct tw_draft **draft);
/* Records that the contents are there, and frees the draft; NULL is allowed. */
void tw_draft_commit(struct tw_draft *draft);
/* Frees a draft; NULL is allowed. */
void tw_draft_drop(struct tw_draft *draft);

#endif
