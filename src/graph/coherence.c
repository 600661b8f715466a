/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coherence: where a buffer's contents are, and which copies bring them where a command needs them (spec 2.5.7).
 *
 * Validity describes the state after all commands submitted so far, since the graph makes later ones wait. This file
 * works on flags and sets of boxes alone: it starts no copy, and knows no device, thread or lock.
 *
 * While all accesses are to the whole buffer, each allocation is valid as a whole, and no set has a box.
 */
#include "coherence.h"

bool tw_copy_must_stage(const struct tw_data *data, size_t from, size_t to)
{
    return from && to && data->allocations[from].driver != data->allocations[to].driver;
}

/* ---- what an allocation holds ------------------------------------------------------------------------------------ */

typedef void visit_function(const struct tw_box *box, void *user);

static bool is_whole(const struct tw_resource *resource)
{
    return !resource->lost && !resource->lost_parts;
}

/* What is done with the parts of a box that an allocation is marked to hold. Those that are lost are not there, unless
   an unfinished command or copy brings them again. */
struct marked {
    const struct tw_resource *resource;
    visit_function *visit;
    void *user;
};

/* Visits the parts of a box that the writers cover. */
static void visit_covered(const struct marked *marked, const struct tw_box *box, const struct tw_box_node *writers)
{
    while (writers && !tw_box_overlaps(box, &writers->box))
        writers = writers->found;
    if (!writers)
        return;
    struct tw_box pieces[TW_BOX_PIECES];
    const struct tw_box common = tw_box_intersect(box, &writers->box);
    marked->visit(&common, marked->user);
    const size_t count = tw_box_subtract(box, &common, pieces);
    for (size_t i = 0; i < count; ++i)
        visit_covered(marked, &pieces[i], writers->found);
}

/* Visits the parts of a lost box that unfinished writers bring again, or the others. */
static void visit_lost(const struct marked *marked, const struct tw_box *lost, bool held)
{
    const struct tw_box_node wanted = tw_box_node(lost, marked->resource->whole);
    const struct tw_box_node *writers = tw_box_tree_find(marked->resource->part_writers, &wanted);
    if (held)
        visit_covered(marked, lost, writers);
    else
        tw_box_visit_rest(lost, marked->resource->whole, writers, 0, marked->visit, marked->user);
}

/* Visits the parts of a box that are there, or those that are not. `lost` are the lost parts that are left to look at. */
static void visit_rest_of_marked(const struct marked *marked, const struct tw_box *box, const struct tw_lost_part *lost,
                                 bool held)
{
    while (lost && !tw_box_overlaps(box, &lost->box))
        lost = lost->next;
    if (!lost) {
        if (held)
            marked->visit(box, marked->user);
        return;
    }
    struct tw_box pieces[TW_BOX_PIECES];
    const struct tw_box common = tw_box_intersect(box, &lost->box);
    visit_lost(marked, &common, held);
    const size_t count = tw_box_subtract(box, &common, pieces);
    for (size_t i = 0; i < count; ++i)
        visit_rest_of_marked(marked, &pieces[i], lost->next, held);
}

/* Visits the parts of a marked box that are there, or those that are not. */
static void visit_marked(const struct marked *marked, const struct tw_box *box, bool held)
{
    const struct tw_resource *resource = marked->resource;
    if (resource->lost && !resource->writer)
        visit_lost(marked, box, held);
    else
        visit_rest_of_marked(marked, box, resource->writer ? NULL : resource->lost_parts, held);
}

/* Visits the parts of a box that an allocation holds, or those that it does not hold. */
static void visit_parts(const struct tw_data *data, size_t space, const struct tw_box *box, bool held,
                        visit_function *visit, void *user)
{
    const struct tw_allocation *allocation = &data->allocations[space];
    const struct marked marked = {&allocation->resource, visit, user};
    if (allocation->valid) {
        visit_marked(&marked, box, held);
        return;
    }
    const struct tw_box_node wanted = tw_box_node(box, &data->whole);
    const struct tw_box_node *found = tw_box_tree_find(allocation->parts.root, &wanted);
    for (const struct tw_box_node *at = held || !is_whole(&allocation->resource) ? found : NULL; at; at = at->found) {
        const struct tw_box common = tw_box_intersect(&at->box, box);
        visit_marked(&marked, &common, held);
    }
    if (!held)
        tw_box_visit_rest(box, &data->whole, found, 0, visit, user);
}

static void count(const struct tw_box *box, void *user)
{
    *(size_t *)user += tw_box_count(box);
}

size_t tw_allocation_count(const struct tw_use *use, size_t space)
{
    size_t held = 0;
    visit_parts(use->data, space, &use->box, true, count, &held);
    return held;
}

bool tw_allocation_holds(const struct tw_use *use, size_t space)
{
    const struct tw_allocation *allocation = &use->data->allocations[space];
    if (is_whole(&allocation->resource) && (allocation->valid || !allocation->parts.root))
        return allocation->valid;
    return tw_allocation_count(use, space) == tw_box_count(&use->box);
}

/* ---- planning ---------------------------------------------------------------------------------------------------- */

/* Which memory spaces are looked at: those that have the elements now before those that a copy is still to bring them to.
   That copy may fail, and where it copies from they are. */
enum stage { HAS_IT, WILL_HAVE_IT, HAS_IT_BEHIND_A_STAGE, WILL_HAVE_IT_BEHIND_A_STAGE, STAGES };

struct search {
    struct tw_data *data;
    size_t to;
    size_t from; /* the memory space that is looked at */
    enum stage stage;
    uint64_t seen; /* the memory spaces that do not have the elements: a bit each, of the first ones */
    struct tw_copy_plans *copies;
};

#define MOST_SEEN 64u /* memory spaces behind that are taken for those that have their elements now */

/* Returns true if an unfinished node that writes memory of a buffer only moves contents there. One that makes them has them
   nowhere else. */
static bool is_copy(const struct tw_node *writer, const struct tw_data *data)
{
    for (size_t i = 0; i < writer->access_count; ++i)
        if (writer->accesses[i].resource == &data->contents && writer->accesses[i].writes)
            return false;
    return true;
}

/* Returns true if an unfinished copy is to bring elements of a box to a memory space. */
static bool is_being_brought(const struct tw_data *data, size_t space, const struct tw_box *box)
{
    const struct tw_resource *resource = &data->allocations[space].resource;
    if (resource->writer && is_copy(resource->writer, data))
        return true;
    if (!resource->part_writers)
        return false;
    const struct tw_box_node wanted = tw_box_node(box, &data->whole);
    for (const struct tw_box_node *at = tw_box_tree_find(resource->part_writers, &wanted); at; at = at->found)
        if (is_copy(((const struct tw_graph_access *)at->owner)->node, data))
            return true;
    return false;
}

bool tw_allocation_has(const struct tw_use *use, size_t space)
{
    return tw_allocation_holds(use, space) && !is_being_brought(use->data, space, &use->box);
}

uint64_t tw_allocations_that_hold(const struct tw_use *use)
{
    uint64_t holding = 0;
    for (size_t space = 0; space < use->data->space_count && space < MOST_SEEN; ++space)
        holding |= (uint64_t)tw_allocation_holds(use, space) << space;
    return holding;
}

bool tw_allocation_is_settled(const struct tw_data *data, const struct tw_box *box, size_t space)
{
    return is_whole(&data->allocations[space].resource) && !is_being_brought(data, space, box);
}

static void add_plan(struct tw_copy_plans *copies, struct tw_copy_plan plan)
{
    if (copies->count < copies->room)
        copies->plans[copies->count] = plan;
    ++copies->count;
}

/* Makes the last copy larger by a box, if that is possible. */
static bool extend(const struct tw_copy_plans *copies, size_t from, size_t to, const struct tw_box *box)
{
    if (!copies->count || copies->count > copies->room)
        return false;
    struct tw_copy_plan *last = &copies->plans[copies->count - 1];
    return last->from == from && last->to == to && tw_box_merge(&last->box, box);
}

static void add_copies(const struct tw_box *box, void *user)
{
    const struct search *search = user;
    struct tw_copy_plans *copies = search->copies;
    struct tw_data *data = search->data;
    if (search->stage < HAS_IT_BEHIND_A_STAGE) {
        if (!extend(copies, search->from, search->to, box))
            add_plan(copies, (struct tw_copy_plan){data, search->from, search->to, *box});
        return;
    }
    copies->stages = true;
    add_plan(copies, (struct tw_copy_plan){data, search->from, 0, *box});
    add_plan(copies, (struct tw_copy_plan){data, 0, search->to, *box});
}

static void look_in_next(const struct tw_box *box, void *user);

/* Returns true if a memory space is not looked at now. The lists that a search of its boxes makes are in use while a search
   of the rest goes on, so no memory space is searched twice for an element. */
static bool is_passed_over(const struct search *at, const struct tw_box *box)
{
    const struct tw_data *data = at->data;
    const struct tw_allocation *allocation = &data->allocations[at->from];
    const bool is_late = at->stage == WILL_HAVE_IT || at->stage == WILL_HAVE_IT_BEHIND_A_STAGE;
    if (at->from == at->to || tw_copy_must_stage(data, at->from, at->to) != (at->stage >= HAS_IT_BEHIND_A_STAGE)
        || (!allocation->valid && !allocation->parts.root))
        return true;
    if (at->from >= MOST_SEEN)
        return is_late;
    return is_late ? at->seen >> at->from & 1 : is_being_brought(data, at->from, box);
}

/* Looks for a box in the memory spaces from search->from on, and plans the copies of what is found. */
static void look_in(const struct tw_box *box, const struct search *search)
{
    struct search at = *search;
    const struct tw_data *data = search->data;
    for (; at.from < data->space_count; ++at.from) {
        const struct tw_allocation *allocation = &data->allocations[at.from];
        if (is_passed_over(&at, box))
            continue;
        if (at.from < MOST_SEEN)
            at.seen |= (uint64_t)1 << at.from;
        if (is_whole(&allocation->resource)) { /* most often it has all, or nothing */
            const struct tw_box_node wanted = tw_box_node(box, &data->whole);
            const struct tw_box_node *found =
                allocation->valid ? &wanted : tw_box_tree_find(allocation->parts.root, &wanted);
            if (!found)
                continue;
            if (tw_box_covers(&found->box, box)) {
                add_copies(box, &at);
                return;
            }
        }
        visit_parts(data, at.from, box, true, add_copies, &at);
        visit_parts(data, at.from, box, false, look_in_next, &at);
        return;
    }
    if (++at.stage < STAGES) {
        at.from = 0;
        look_in(box, &at);
    } /* else it was never written: it is undefined everywhere */
}

static void look_in_all(const struct tw_box *box, void *user)
{
    look_in(box, user);
}

static void look_in_next(const struct tw_box *box, void *user)
{
    struct search next = *(const struct search *)user;
    ++next.from;
    look_in(box, &next);
}

void tw_plan_copies(const struct tw_use *use, size_t space, struct tw_copy_plans *copies)
{
    const struct tw_allocation *allocation = &use->data->allocations[space];
    struct search search = {.data = use->data, .to = space, .copies = copies};
    if (!use->needs || (allocation->valid && is_whole(&allocation->resource)))
        return;
    if (!allocation->valid && !allocation->parts.root)
        look_in(&use->box, &search);
    else
        visit_parts(use->data, space, &use->box, false, look_in_all, &search);
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* A set of boxes, and the uses of a command that are taken out of it: where the command runs all of them are, before the
   set holds them anew; elsewhere those that write. */
struct cuts {
    const struct tw_data *data;
    const struct tw_use *uses;
    size_t count;
    bool elsewhere;
};

static inline bool cuts(const struct cuts *set, size_t at, const struct tw_box *box)
{
    const struct tw_use *use = &set->uses[at];
    return use->data == set->data && (use->writes || !set->elsewhere) && tw_box_overlaps(&use->box, box);
}

/* Returns how many boxes there may be, at any time, while the uses from number `at` on are taken out of a box in turn. */
static size_t count_cuts(const struct cuts *set, size_t at, const struct tw_box *box)
{
    struct tw_box rest = *box, pieces[TW_BOX_PIECES];
    size_t boxes = 1;
    for (; at < set->count; ++at) {
        if (!cuts(set, at, &rest))
            continue;
        const size_t left = tw_box_subtract(&rest, &set->uses[at].box, pieces);
        boxes += left;
        if (left == 0)
            break;
        for (size_t i = 0; i + 1 < left; ++i)
            boxes += count_cuts(set, at + 1, &pieces[i]);
        rest = pieces[left - 1];
    }
    return boxes;
}

/* Returns true if one of the uses before number `at` cuts a box. Where the command runs, it does not if the box covers
   it: nothing changes then. */
static bool was_cut_before(const struct cuts *set, size_t at, const struct tw_box *box)
{
    for (size_t i = 0; i < at; ++i)
        if (cuts(set, i, box) && (set->elsewhere || !tw_box_covers(box, &set->uses[i].box)))
            return true;
    return false;
}

/* Returns the most nodes that number `at` of the uses takes where the command runs. */
static size_t needed_to_hold(const struct cuts *set, size_t at, const struct tw_allocation *allocation)
{
    if (allocation->valid)
        return 0;
    const struct tw_box_node wanted = tw_box_node(&set->uses[at].box, &set->data->whole);
    const struct tw_box_node *n = tw_box_tree_find(allocation->parts.root, &wanted);
    size_t needed = 2 + TW_BOX_PIECES; /* boxes that were merged may be cut in other places than each by itself */
    if (n && tw_box_covers(&n->box, &wanted.box))
        return 0;
    for (; n; n = n->found)
        if (!was_cut_before(set, at, &n->box))
            needed += 2 * count_cuts(set, at, &n->box);
    return needed;
}

/* Returns the most nodes that number `at` of the uses, which writes, takes elsewhere. */
static size_t needed_to_forget(const struct cuts *set, size_t at, const struct tw_allocation *allocation)
{
    const struct tw_box *whole = &set->data->whole;
    size_t needed = 0;
    if (allocation->valid)
        return was_cut_before(set, at, whole) ? 0 : 1 + count_cuts(set, at, whole);
    if (!allocation->parts.root)
        return 0;
    const struct tw_box_node wanted = tw_box_node(&set->uses[at].box, whole);
    for (const struct tw_box_node *n = tw_box_tree_find(allocation->parts.root, &wanted); n; n = n->found)
        if (!was_cut_before(set, at, &n->box))
            needed += count_cuts(set, at, &n->box);
    return needed;
}

size_t tw_reserve_needed(const struct tw_use *uses, size_t count, size_t at, size_t space)
{
    const struct tw_data *data = uses[at].data;
    if (!uses[at].is_part) /* sets only become empty */
        return 0;
    struct cuts set = {.data = data, .uses = uses, .count = count};
    size_t needed = needed_to_hold(&set, at, &data->allocations[space]);
    set.elsewhere = true;
    for (size_t other = 0; uses[at].writes && other < data->space_count; ++other)
        if (other != space)
            needed += needed_to_forget(&set, at, &data->allocations[other]);
    return needed;
}

size_t tw_reserve_needed_to_note(const struct tw_use *use)
{
    const struct tw_box_node wanted = tw_box_node(&use->box, &use->data->whole);
    size_t needed = 0;
    for (size_t space = 0; space < use->data->space_count; ++space)
        for (const struct tw_box_node *n = tw_box_tree_find(use->data->allocations[space].parts.root, &wanted); n;
             n = n->found)
            ++needed;
    return needed;
}

static void hold_all(struct tw_data *data, struct tw_allocation *allocation)
{
    allocation->valid = true;
    if (allocation->parts.root)
        tw_box_set_clear(&allocation->parts, &data->reserve);
}

static void hold(struct tw_data *data, struct tw_allocation *allocation, const struct tw_box *box)
{
    if (allocation->valid)
        return;
    data->has_parts = true;
    tw_box_set_add(&allocation->parts, box, &data->whole, &data->reserve);
    if (allocation->parts.count == 1 && tw_box_covers(&allocation->parts.root->box, &data->whole))
        hold_all(data, allocation);
}

static void forget_all(struct tw_data *data, struct tw_allocation *allocation)
{
    allocation->valid = false;
    if (allocation->parts.root)
        tw_box_set_clear(&allocation->parts, &data->reserve);
}

static void forget(struct tw_data *data, struct tw_allocation *allocation, const struct tw_box *box)
{
    if (tw_box_covers(box, &data->whole)) {
        forget_all(data, allocation);
        return;
    }
    if (allocation->valid) {
        allocation->valid = false;
        data->has_parts = true;
        tw_box_set_add(&allocation->parts, &data->whole, &data->whole, &data->reserve);
    }
    if (allocation->parts.root)
        tw_box_set_subtract(&allocation->parts, box, &data->whole, &data->reserve);
}

bool tw_part_stays(const struct tw_use *use, size_t space)
{
    const struct tw_data *data = use->data;
    bool stays = data->allocations[space].valid;
    for (size_t other = 0; use->writes && other < data->space_count; ++other)
        stays = stays && (other == space || !data->allocations[other].valid);
    return stays;
}

static __attribute__((noinline)) void apply_part(const struct tw_use *use, size_t space)
{
    struct tw_data *data = use->data;
    for (size_t other = 0; use->writes && other < data->space_count; ++other)
        if (other != space)
            forget(data, &data->allocations[other], &use->box);
    hold(data, &data->allocations[space], &use->box);
}

/* Empties the sets that a use of all of a buffer makes useless. */
static __attribute__((noinline)) void drop_parts(const struct tw_use *use, size_t space)
{
    struct tw_data *data = use->data;
    for (size_t other = 0; other < data->space_count; ++other)
        if (other == space || use->writes)
            tw_box_set_clear(&data->allocations[other].parts, &data->reserve);
    data->has_parts = !use->writes;
}

void tw_apply_use(const struct tw_use *use, size_t space)
{
    struct tw_data *data = use->data;
    if (use->is_part) {
        apply_part(use, space);
        return;
    }
    if (data->has_parts)
        drop_parts(use, space);
    for (size_t other = 0; use->writes && other < data->space_count; ++other)
        data->allocations[other].valid = false;
    data->allocations[space].valid = true;
}

void tw_apply_staged_copy(const struct tw_copy_plan *plan)
{
    struct tw_data *data = plan->data;
    const struct tw_box_node wanted = tw_box_node(&plan->box, &data->whole);
    if (data->reserve.count >= tw_box_set_needed(&data->allocations[plan->to].parts, &wanted))
        tw_apply_copy(data, &plan->box, plan->to);
}

void tw_apply_copy(struct tw_data *data, const struct tw_box *box, size_t space)
{
    if (tw_box_covers(box, &data->whole))
        hold_all(data, &data->allocations[space]);
    else
        hold(data, &data->allocations[space], box);
}

void tw_forget_box(struct tw_data *data, const struct tw_box *box, size_t space)
{
    forget(data, &data->allocations[space], box);
}

void tw_note_before(const struct tw_use *use, struct tw_before *before)
{
    struct tw_data *data = use->data;
    const struct tw_box_node wanted = tw_box_node(&use->box, &data->whole);
    for (size_t space = 0; space < data->space_count; ++space) {
        const struct tw_allocation *allocation = &data->allocations[space];
        before[space].valid = allocation->valid;
        for (const struct tw_box_node *at = tw_box_tree_find(allocation->parts.root, &wanted); at; at = at->found) {
            const struct tw_box common = tw_box_intersect(&at->box, &use->box);
            tw_box_set_add(&before[space].parts, &common, &data->whole, &data->reserve);
        }
    }
}

/* Returns the most nodes that undoing a use takes. */
static size_t needed_to_undo(const struct tw_use *use)
{
    const struct tw_box_node wanted = tw_box_node(&use->box, &use->data->whole);
    size_t needed = 0;
    for (size_t space = 0; space < use->data->space_count; ++space)
        needed += tw_box_set_needed(&use->data->allocations[space].parts, &wanted) + TW_BOX_PIECES;
    return needed;
}

bool tw_undo_use(const struct tw_use *use, struct tw_before *before)
{
    struct tw_data *data = use->data;
    if (!tw_box_reserve(&data->reserve, needed_to_undo(use)))
        return false;
    for (size_t space = 0; space < data->space_count; ++space) {
        struct tw_allocation *allocation = &data->allocations[space];
        const struct tw_box_node *at;
        if (before[space].valid) {
            tw_apply_copy(data, &use->box, space);
            continue;
        }
        tw_forget_box(data, &use->box, space);
        while ((at = before[space].parts.root) != NULL) {
            const struct tw_box box = at->box;
            tw_box_set_subtract(&before[space].parts, &box, &data->whole, &data->reserve); /* returns a node */
            hold(data, allocation, &box);
        }
    }
    return true;
}

void tw_drop_before(const struct tw_use *use, struct tw_before *before)
{
    for (size_t space = 0; space < use->data->space_count; ++space)
        if (before[space].parts.root)
            tw_box_set_clear(&before[space].parts, &use->data->reserve);
}

void tw_coherence_end(struct tw_data *data)
{
    for (size_t space = 0; space < data->space_count; ++space)
        tw_box_set_clear(&data->allocations[space].parts, &data->reserve);
    tw_box_reserve_trim(&data->reserve, 0);
}
