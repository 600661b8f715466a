/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands of several devices (placement.h).
 *
 * A draft has the sets of a buffer's allocations without its memory. Changes of many boxes may need more nodes than can
 * be said before, so they are made in a draft, where they may fail.
 */
#include "placement.h"

#include <stdlib.h>

struct tw_use tw_place_use(const struct tw_place *place)
{
    return (struct tw_use){.data = place->data,
                           .box = place->box,
                           .is_part = !tw_box_covers(&place->box, &place->data->whole),
                           .needs = place->needs,
                           .writes = place->holds};
}

/* ---- drafts of a buffer -------------------------------------------------------------------------------------------- */

/* Prepares a draft in which no memory space holds anything. Its resources are its own. */
static bool make_empty(struct tw_data *draft, const struct tw_data *data)
{
    *draft = (struct tw_data){.range = data->range,
                              .whole = data->whole,
                              .element_bytes = data->element_bytes,
                              .bytes = data->bytes,
                              .space_count = data->space_count,
                              .shared_space = data->shared_space,
                              .allocations = calloc(data->space_count, sizeof *draft->allocations)};
    draft->contents.whole = &draft->whole;
    for (size_t space = 0; draft->allocations && space < data->space_count; ++space) {
        draft->allocations[space].driver = data->allocations[space].driver;
        draft->allocations[space].resource.whole = &draft->whole;
    }
    return draft->allocations != NULL;
}

static void end(struct tw_data *draft)
{
    if (draft->allocations)
        tw_coherence_end(draft);
    free(draft->allocations);
    draft->allocations = NULL;
}

/* Returns the boxes of a set, linked by `found`. */
static struct tw_box_node *all_of(const struct tw_box_set *set, const struct tw_box *whole)
{
    const struct tw_box_node wanted = tw_box_node(whole, whole);
    return tw_box_tree_find(set->root, &wanted);
}

static bool reserve(struct tw_data *draft, const struct tw_box_set *set, const struct tw_box *box)
{
    const struct tw_box_node wanted = tw_box_node(box, &draft->whole);
    /* one more, and its pieces: for a memory space that holds all and becomes a set */
    return tw_box_reserve(&draft->reserve, tw_box_set_needed(set, &wanted) + 1 + TW_BOX_PIECES);
}

static bool add(struct tw_data *draft, struct tw_box_set *set, const struct tw_box *box)
{
    if (!reserve(draft, set, box))
        return false;
    tw_box_set_add(set, box, &draft->whole, &draft->reserve);
    return true;
}

static bool hold(struct tw_data *draft, const struct tw_box *box, size_t space)
{
    if (!reserve(draft, &draft->allocations[space].parts, box))
        return false;
    tw_apply_copy(draft, box, space);
    return true;
}

static bool forget(struct tw_data *draft, const struct tw_box *box, size_t space)
{
    if (!reserve(draft, &draft->allocations[space].parts, box))
        return false;
    tw_forget_box(draft, box, space);
    return true;
}

/* ---- while a command is made of others ---------------------------------------------------------------------------- */

bool tw_placement_begin(struct tw_placement *placement, struct tw_data *data)
{
    *placement = (struct tw_placement){.data = data, .needed = calloc(data->space_count, sizeof *placement->needed)};
    return make_empty(&placement->draft, data) && placement->needed;
}

void tw_placement_end(struct tw_placement *placement)
{
    struct tw_data *draft = &placement->draft;
    tw_box_set_clear(&placement->written, &draft->reserve);
    for (size_t space = 0; placement->needed && space < draft->space_count; ++space)
        tw_box_set_clear(&placement->needed[space], &draft->reserve);
    free(placement->needed);
    placement->needed = NULL;
    end(draft);
}

void tw_placement_plan(struct tw_placement *placement, const struct tw_use *use, size_t space,
                       struct tw_copy_plans *copies)
{
    struct tw_use drafted = *use;
    drafted.data = &placement->draft;
    tw_plan_copies(&drafted, space, copies);
}

/* The earlier contents that a use needs in a memory space. */
struct need {
    struct tw_placement *placement;
    size_t space;
    bool exhausted; /* there was no memory */
};

static void note_need(const struct tw_box *box, void *user)
{
    struct need *need = user;
    need->exhausted = !add(&need->placement->draft, &need->placement->needed[need->space], box) || need->exhausted;
}

/* Notes what no group of the sequence has written before. */
static bool add_need(struct tw_placement *placement, const struct tw_box *box, size_t space)
{
    const struct tw_box *whole = &placement->draft.whole;
    struct need need = {placement, space, false};
    const struct tw_box_node wanted = tw_box_node(box, whole);
    tw_box_visit_rest(box, whole, tw_box_tree_find(placement->written.root, &wanted), 0, note_need, &need);
    return !need.exhausted;
}

bool tw_placement_add(struct tw_placement *placement, const struct tw_use *use, size_t space,
                      const struct tw_copy_plans *copies)
{
    struct tw_data *draft = &placement->draft;
    bool enough = true;
    for (size_t i = 0; i < copies->count; ++i)
        enough = enough && hold(draft, &copies->plans[i].box, copies->plans[i].to);
    if (use->needs)
        enough = enough && add_need(placement, &use->box, space);
    for (size_t other = 0; use->writes && other < draft->space_count; ++other)
        enough = enough && (other == space || forget(draft, &use->box, other));
    if (use->writes)
        enough = enough && hold(draft, &use->box, space) && add(draft, &placement->written, &use->box);
    return enough;
}

/* Whom to tell of places of one kind in a memory space. */
struct visit {
    struct tw_place place; /* but for the box */
    void (*visit)(const struct tw_place *place, void *user);
    void *user;
};

static void visit_box(const struct tw_box *box, void *user)
{
    struct visit *all = user;
    all->place.box = *box;
    all->visit(&all->place, all->user);
}

/* Visits what of a box is in a set, or what is not. */
static void visit_in(struct visit *all, const struct tw_box *box, const struct tw_box_set *set, bool inside)
{
    const struct tw_box *whole = &all->place.data->whole;
    const struct tw_box_node wanted = tw_box_node(box, whole);
    const struct tw_box_node *found = tw_box_tree_find(set->root, &wanted);
    for (const struct tw_box_node *at = inside ? found : NULL; at; at = at->found) {
        const struct tw_box common = tw_box_intersect(box, &at->box);
        visit_box(&common, all);
    }
    if (!inside)
        tw_box_visit_rest(box, whole, found, 0, visit_box, all);
}

/* Visits the places of a box that a memory space holds in the end. */
static void visit_held(struct visit *all, const struct tw_box *box, const struct tw_box_set *needed)
{
    all->place.holds = true;
    all->place.needs = true;
    visit_in(all, box, needed, true);
    all->place.needs = false;
    visit_in(all, box, needed, false);
}

void tw_placement_visit(const struct tw_placement *placement, void (*visit)(const struct tw_place *place, void *user),
                        void *user)
{
    const struct tw_data *draft = &placement->draft;
    for (size_t space = 0; space < draft->space_count; ++space) {
        const struct tw_allocation *held = &draft->allocations[space];
        const struct tw_box_set *needed = &placement->needed[space];
        struct visit all = {{.data = placement->data, .space = space}, visit, user};
        if (held->valid) {
            visit_held(&all, &draft->whole, needed);
            continue;
        }
        for (const struct tw_box_node *at = all_of(&held->parts, &draft->whole); at; at = at->found)
            visit_held(&all, &at->box, needed);
        all.place.holds = false;
        all.place.needs = true;
        for (const struct tw_box_node *at = all_of(needed, &draft->whole); at; at = at->found)
            visit_in(&all, &at->box, &held->parts, false);
    }
}

/* ---- when such a command is submitted ------------------------------------------------------------------------------ */

struct tw_draft {
    struct tw_draft *next;
    struct tw_data *data;
    struct tw_data state; /* its draft */
};

/* Returns how many elements of a box in a memory space the places will hold. */
static size_t count_held(const struct tw_use *use, size_t space, const struct tw_place *places, size_t count)
{
    size_t held = 0;
    for (size_t i = 0; i < count; ++i) {
        if (places[i].data != use->data || places[i].space != space || !places[i].holds
            || !tw_box_overlaps(&places[i].box, &use->box))
            continue;
        const struct tw_box common = tw_box_intersect(&places[i].box, &use->box);
        held += tw_box_count(&common);
    }
    return held;
}

bool tw_places_stay(const struct tw_use *uses, size_t use_count, const struct tw_place *places, size_t place_count)
{
    for (size_t i = 0; i < place_count; ++i) {
        const struct tw_use use = tw_place_use(&places[i]);
        if (!tw_allocation_holds(&use, places[i].space))
            return false;
    }
    for (size_t i = 0; i < use_count; ++i)
        for (size_t space = 0; uses[i].writes && space < uses[i].data->space_count; ++space)
            if (tw_allocation_count(&uses[i], space) != count_held(&uses[i], space, places, place_count))
                return false;
    return true;
}

/* Makes a draft with the present state of a buffer. Returns NULL if memory is exhausted. */
static struct tw_draft *make_draft(struct tw_data *data)
{
    struct tw_draft *draft = calloc(1, sizeof *draft);
    if (!draft)
        return NULL;
    draft->data = data;
    bool enough = make_empty(&draft->state, data);
    for (size_t space = 0; enough && space < data->space_count; ++space) {
        draft->state.allocations[space].valid = data->allocations[space].valid;
        for (const struct tw_box_node *at = all_of(&data->allocations[space].parts, &data->whole); at; at = at->found)
            enough = enough && add(&draft->state, &draft->state.allocations[space].parts, &at->box);
    }
    if (enough)
        return draft;
    tw_draft_drop(draft);
    return NULL;
}

/* Returns the draft of a buffer, which it makes if there is none. Returns NULL if memory is exhausted. */
static struct tw_data *draft_of(struct tw_draft **drafts, struct tw_data *data)
{
    struct tw_draft *draft = *drafts;
    while (draft && draft->data != data)
        draft = draft->next;
    if (!draft && (draft = make_draft(data)) != NULL) {
        draft->next = *drafts;
        *drafts = draft;
    }
    return draft ? &draft->state : NULL;
}

/* Lets a memory space of a draft hold what a place needs, or what it holds. */
static bool draft_place(struct tw_draft **drafts, const struct tw_place *place)
{
    struct tw_data *draft = draft_of(drafts, place->data);
    return draft && hold(draft, &place->box, place->space);
}

/* Removes what a command writes from all memory spaces of a draft. */
static bool draft_write(struct tw_draft **drafts, const struct tw_use *use)
{
    struct tw_data *draft = draft_of(drafts, use->data);
    bool enough = draft != NULL;
    for (size_t space = 0; enough && space < draft->space_count; ++space)
        enough = forget(draft, &use->box, space);
    return enough;
}

bool tw_places_draft(const struct tw_use *uses, size_t use_count, const struct tw_place *places, size_t place_count,
                     struct tw_draft **draft)
{
    bool enough = true;
    *draft = NULL;
    for (size_t i = 0; i < place_count; ++i)
        enough = enough && (!places[i].needs || draft_place(draft, &places[i]));
    for (size_t i = 0; i < use_count; ++i)
        enough = enough && (!uses[i].writes || draft_write(draft, &uses[i]));
    for (size_t i = 0; i < place_count; ++i)
        enough = enough && (!places[i].holds || draft_place(draft, &places[i]));
    if (enough)
        return true;
    tw_draft_drop(*draft);
    *draft = NULL;
    return false;
}

void tw_draft_commit(struct tw_draft *draft)
{
    for (struct tw_draft *at = draft; at; at = at->next) {
        at->data->has_parts = at->data->has_parts || at->state.has_parts;
        for (size_t space = 0; space < at->data->space_count; ++space) {
            struct tw_allocation *now = &at->data->allocations[space], *next = &at->state.allocations[space];
            const struct tw_box_set before = now->parts;
            now->parts = next->parts;
            now->valid = next->valid;
            next->parts = before;
        }
    }
    tw_draft_drop(draft);
}

void tw_draft_drop(struct tw_draft *draft)
{
    while (draft) {
        struct tw_draft *next = draft->next;
        end(&draft->state);
        free(draft);
        draft = next;
    }
}
