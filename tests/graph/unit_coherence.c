/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where contents are, without any device: random accesses in random memory spaces, whose copies are planned and
 * applied, against a model that follows the versions of the contents. Needs the private header coherence.h.
 */
#include "tw_test.h"

#include <stdint.h>
#include <stdlib.h>

#include "graph/coherence.h"

enum { SPACES = 6, STEPS = 400, PROGRAMS = 500 };

/* The host, three memories of one driver and two of another. */
static const char drivers[2];
static const void *const driver_of[SPACES] = {NULL, &drivers[0], &drivers[0], &drivers[0], &drivers[1], &drivers[1]};

struct model {
    struct tw_allocation allocations[SPACES];
    struct tw_data data;
    unsigned current;         /* version of the contents; 0: never written */
    unsigned version[SPACES]; /* that a memory space has; 0: none */
};

static uint64_t state;

static unsigned pick(size_t n)
{
    return tw_test_random(&state, (unsigned)n);
}

static void begin(struct model *model)
{
    *model = (struct model){.current = 0};
    for (size_t space = 0; space < SPACES; ++space)
        model->allocations[space].driver = driver_of[space];
    model->data.space_count = SPACES;
    model->data.allocations = model->allocations;
    model->data.range = tw_range_1d(10);
    model->data.whole = tw_box_of_range(model->data.range);
    for (size_t space = 0; space < SPACES; ++space)
        model->allocations[space].resource.whole = &model->data.whole;
}

/* Plans the copies of a use of the whole buffer: at most two. Returns their number. */
static size_t plan_copies(const struct tw_use *use, size_t space, struct tw_copy_plan plan[2])
{
    struct tw_copy_plans counted = {.room = 0}, copies = {.plans = plan, .room = 2};
    tw_plan_copies(use, space, &counted);
    TW_CHECK(counted.count <= 2);
    tw_plan_copies(use, space, &copies);
    TW_EQUAL(copies.count, counted.count);
    TW_EQUAL(copies.stages, copies.count == 2);
    return copies.count;
}

/* Runs the copies of a plan: each reads what is current, and goes where one copy can go. */
static void run_copies(struct model *model, const struct tw_copy_plan *plan, size_t count, size_t space)
{
    for (size_t i = 0; i < count; ++i) {
        TW_CHECK(plan[i].data == &model->data && plan[i].from != plan[i].to);
        TW_CHECK(!tw_copy_must_stage(&model->data, plan[i].from, plan[i].to));
        TW_EQUAL(model->version[plan[i].from], model->current);
        model->version[plan[i].to] = model->current;
        if (plan[i].to != space)
            TW_EQUAL(plan[i].to, 0); /* on its way, in host memory */
    }
}

/* What the runtime does with an access, without a graph: all that is submitted is done at once. */
static void run_access(struct model *model, size_t space, bool needs, bool writes)
{
    const struct tw_use use = tw_use_all(&model->data, needs, writes);
    struct tw_copy_plan plan[2];
    const bool was_there = model->current && model->version[space] == model->current;
    const size_t count = plan_copies(&use, space, plan);
    if (!needs || was_there)
        TW_EQUAL(count, 0);
    run_copies(model, plan, count, space);
    if (needs && model->current)
        TW_EQUAL(model->version[space], model->current);
    tw_apply_use(&use, space);
    for (size_t i = 0; i < count && !writes; ++i) /* what went through the host is there, too */
        model->allocations[plan[i].to].valid = true;
    if (writes)
        model->version[space] = ++model->current;
    for (size_t i = 0; i < SPACES; ++i)
        if (model->allocations[i].valid && model->current)
            TW_EQUAL(model->version[i], model->current);
    TW_CHECK(model->allocations[space].valid);
}

TW_TEST(each_access_finds_the_current_contents)
{
    static const struct {
        bool needs, writes;
    } modes[] = {{true, false}, {true, true}, {false, true}};
    struct model model;
    size_t staged = 0;
    for (unsigned program = 1; program <= PROGRAMS; ++program) {
        state = program * 0x9e3779b97f4a7c15u;
        begin(&model);
        for (unsigned step = 0; step < STEPS; ++step) {
            const unsigned mode = pick(3);
            const size_t space = pick(SPACES);
            const struct tw_use use = tw_use_all(&model.data, modes[mode].needs, modes[mode].writes);
            struct tw_copy_plan plan[2];
            staged += plan_copies(&use, space, plan) == 2;
            run_access(&model, space, modes[mode].needs, modes[mode].writes);
        }
    }
    TW_CHECK(staged > 0);
}

/* The contents of memory that a failed copy should have filled are still where they were; until another copy is
   planned. */
TW_TEST(what_a_failed_copy_should_have_brought_is_copied_again)
{
    struct model model;
    struct tw_cause cause = {.references = 1};
    struct tw_node copy = {.issued = false};
    struct tw_copy_plan plan[2];
    begin(&model);
    run_access(&model, 1, false, true);
    const struct tw_use use = tw_use_all(&model.data, true, false);
    TW_EQUAL(plan_copies(&use, 2, plan), 1);
    tw_apply_use(&use, 2);
    TW_EQUAL(plan_copies(&use, 2, plan), 0); /* it will be there */
    model.allocations[2].resource.lost = &cause;
    TW_CHECK(!tw_allocation_holds(&use, 2));
    TW_EQUAL(plan_copies(&use, 2, plan), 1);
    TW_EQUAL(plan[0].from, 1);
    model.allocations[2].resource.writer = &copy; /* which will make it whole */
    TW_CHECK(tw_allocation_holds(&use, 2));
    TW_EQUAL(plan_copies(&use, 2, plan), 0);
}

/* Of several memory spaces with the contents, one is taken that a copy reaches directly. */
TW_TEST(copies_are_direct_where_they_can_be)
{
    struct model model;
    struct tw_copy_plan plan[2];
    begin(&model);
    run_access(&model, 1, false, true);
    run_access(&model, 5, true, false); /* through the host */
    TW_CHECK(model.allocations[0].valid);
    const struct tw_use use = tw_use_all(&model.data, true, false);
    model.allocations[0].valid = false;
    TW_EQUAL(plan_copies(&use, 4, plan), 1);
    TW_EQUAL(plan[0].from, 5);
    TW_EQUAL(plan_copies(&use, 2, plan), 1);
    TW_EQUAL(plan[0].from, 1);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

enum { MAX_ELEMENTS = 6 * 5 * 4, PART_PROGRAMS = 300, PART_STEPS = 80, USES = 3, MAX_COPIES = 400 };

/* For each element: its version, and the one that each memory space has; 0: none. */
struct elements {
    struct tw_allocation allocations[SPACES];
    struct tw_data data;
    size_t count;
    unsigned current[MAX_ELEMENTS], version[SPACES][MAX_ELEMENTS], last;
};

static void begin_parts(struct elements *all, unsigned dims)
{
    *all = (struct elements){.last = 0};
    all->data.range = dims == 1   ? tw_range_1d(1 + pick(40))
                      : dims == 2 ? tw_range_2d(1 + pick(9), 1 + pick(9))
                                  : tw_range_3d(1 + pick(6), 1 + pick(5), 1 + pick(4));
    all->data.whole = tw_box_of_range(all->data.range);
    all->data.space_count = SPACES;
    all->data.allocations = all->allocations;
    all->count = tw_range_count(all->data.range);
    for (size_t space = 0; space < SPACES; ++space) {
        all->allocations[space].driver = driver_of[space];
        all->allocations[space].resource.whole = &all->data.whole;
    }
}

static bool has(const struct tw_box *box, const struct tw_box *whole, size_t i)
{
    const size_t at[3] = {i / whole->end[2] / whole->end[1], i / whole->end[2] % whole->end[1], i % whole->end[2]};
    for (unsigned d = 0; d < 3; ++d)
        if (at[d] < box->begin[d] || at[d] >= box->end[d])
            return false;
    return true;
}

static struct tw_use random_use(struct tw_data *data)
{
    struct tw_use use = tw_use_all(data, pick(3) != 0, false);
    use.writes = !use.needs || pick(2);
    for (unsigned d = 0; d < 3 && pick(8); ++d) {
        use.box.begin[d] = pick((unsigned)data->whole.end[d]);
        use.box.end[d] = use.box.begin[d] + 1 + pick((unsigned)(data->whole.end[d] - use.box.begin[d]));
    }
    use.is_part = !tw_box_covers(&use.box, &data->whole);
    return use;
}

/* Disjoint uses. */
static size_t random_uses(struct tw_data *data, struct tw_use uses[USES])
{
    size_t count = 0;
    for (unsigned tries = 0; tries < USES; ++tries) {
        uses[count] = random_use(data);
        bool fits = true;
        for (size_t i = 0; i < count; ++i)
            fits = fits && !tw_box_overlaps(&uses[i].box, &uses[count].box);
        count += fits;
    }
    return count;
}

static size_t plan_part(const struct elements *all, const struct tw_use *use, size_t space,
                        struct tw_copy_plan plans[MAX_COPIES])
{
    struct tw_copy_plan few[2];
    struct tw_copy_plans counted = {.room = 0}, some = {.plans = few, .room = 2};
    struct tw_copy_plans copies = {.plans = plans, .room = MAX_COPIES};
    unsigned char brought[MAX_ELEMENTS] = {0};
    tw_plan_copies(use, space, &counted);
    TW_CHECK(counted.count <= MAX_COPIES);
    tw_plan_copies(use, space, &copies);
    TW_CHECK(copies.count <= counted.count);
    tw_plan_copies(use, space, &some);
    TW_CHECK(copies.count <= some.count);
    for (size_t i = 0; i < some.count && some.count <= some.room; ++i)
        TW_CHECK(few[i].from == plans[i].from && few[i].to == plans[i].to && tw_box_equals(&few[i].box, &plans[i].box));
    TW_EQUAL(copies.stages, counted.stages);
    for (size_t i = 0; i < copies.count; ++i) {
        TW_CHECK(plans[i].data == &all->data && plans[i].from != plans[i].to);
        TW_CHECK(!tw_copy_must_stage(&all->data, plans[i].from, plans[i].to));
        TW_CHECK(plans[i].to == space || (plans[i].to == 0 && i + 1 < copies.count && plans[i + 1].from == 0));
        for (size_t e = 0; e < all->count; ++e)
            brought[e] += plans[i].to == space && has(&plans[i].box, &all->data.whole, e);
    }
    for (size_t e = 0; e < all->count; ++e) /* exactly what is missing, and once; what was never written may come */
        if (all->current[e])
            TW_EQUAL(brought[e],
                     use->needs && has(&use->box, &all->data.whole, e) && all->version[space][e] != all->current[e]);
        else
            TW_CHECK(brought[e] <= 1);
    return copies.count;
}

/* Runs copies; from one that fails on, the others are cancelled. Returns whether none has failed. */
static bool run_part_copies(struct elements *all, const struct tw_copy_plan *plans, size_t count, bool fails,
                            struct tw_cause *cause)
{
    const size_t failing = fails && count ? pick((unsigned)count) : count;
    for (size_t i = 0; i < count; ++i) {
        const struct tw_copy_plan *plan = &plans[i];
        for (size_t e = 0; e < all->count; ++e)
            if (has(&plan->box, &all->data.whole, e)) {
                TW_CHECK(i > failing || all->version[plan->from][e] == all->current[e]);
                all->version[plan->to][e] = i < failing ? all->current[e] : 0;
            }
        tw_graph_lose(&all->allocations[plan->to].resource, &plan->box, i < failing ? NULL : cause);
    }
    return failing == count;
}

static bool writes_there(const struct tw_use *uses, size_t count, const struct tw_box *box)
{
    for (size_t i = 0; i < count; ++i)
        if (uses[i].writes && tw_box_overlaps(&uses[i].box, box))
            return true;
    return false;
}

/* What the runtime does with a command, as if all that was submitted were done at once. */
static void run_uses(struct elements *all, const struct tw_use *uses, size_t count, size_t space, bool fails,
                     struct tw_cause *cause)
{
    static struct tw_copy_plan plans[MAX_COPIES];
    size_t copies = 0, needed = 0;
    for (size_t i = 0; i < count; ++i) {
        copies += plan_part(all, &uses[i], space, &plans[copies]);
        needed += tw_reserve_needed(uses, count, i, space);
    }
    TW_CHECK(tw_box_reserve(&all->data.reserve, needed + copies));
    for (size_t i = 0; i < count; ++i)
        tw_apply_use(&uses[i], space);
    for (size_t i = 0; i < copies; ++i)
        if (plans[i].to != space && !writes_there(uses, count, &plans[i].box))
            tw_apply_staged_copy(&plans[i]);
    tw_trim_reserve(&all->data);
    TW_CHECK(all->data.reserve.count <= TW_MOST_RESERVED);
    const bool succeeds = run_part_copies(all, plans, copies, fails, cause);
    for (size_t i = 0; i < count; ++i) {
        for (size_t e = 0; succeeds && uses[i].writes && e < all->count; ++e)
            if (has(&uses[i].box, &all->data.whole, e))
                all->version[space][e] = all->current[e] = ++all->last;
        if (succeeds && uses[i].writes)
            tw_graph_lose(&all->allocations[space].resource, &uses[i].box, NULL);
        TW_CHECK(!succeeds || tw_allocation_holds(&uses[i], space));
    }
}

/* Each element is held where its version is the current one. */
static void check_elements(struct elements *all)
{
    for (size_t e = 0; e < all->count; ++e) {
        const struct tw_box *whole = &all->data.whole;
        struct tw_use use = tw_use_all(&all->data, true, false);
        use.box.begin[0] = e / whole->end[2] / whole->end[1];
        use.box.begin[1] = e / whole->end[2] % whole->end[1];
        use.box.begin[2] = e % whole->end[2];
        for (unsigned d = 0; d < 3; ++d)
            use.box.end[d] = use.box.begin[d] + 1;
        for (size_t space = 0; all->current[e] && space < SPACES; ++space)
            TW_EQUAL(tw_allocation_holds(&use, space), all->version[space][e] == all->current[e]);
    }
}

TW_TEST(copies_bring_exactly_the_parts_that_are_missing)
{
    static struct elements all;
    struct tw_cause cause = {.references = 1};
    for (unsigned program = 1; program <= PART_PROGRAMS; ++program) {
        state = program * 0x9e3779b97f4a7c15u;
        begin_parts(&all, 1 + program % 3);
        for (unsigned step = 0; step < PART_STEPS; ++step) {
            struct tw_use uses[USES];
            const size_t count = random_uses(&all.data, uses);
            bool reads = true; /* where a command that writes has failed, contents are lost: that is the graph's */
            for (size_t i = 0; i < count; ++i)
                reads = reads && !uses[i].writes;
            run_uses(&all, uses, count, pick(SPACES), program % 2 && reads && pick(3) == 0, &cause);
            check_elements(&all);
        }
        for (size_t space = 0; space < SPACES; ++space)
            tw_resource_end(&all.allocations[space].resource);
        tw_coherence_end(&all.data);
    }
    TW_EQUAL(cause.references, 1);
}

TW_TEST(a_use_can_be_undone)
{
    static struct elements all;
    for (unsigned program = 1; program <= PART_PROGRAMS; ++program) {
        state = program * 0x9e3779b97f4a7c15u + 1;
        begin_parts(&all, 1 + program % 3);
        for (unsigned step = 0; step < PART_STEPS; ++step) {
            struct tw_use use = random_use(&all.data), later;
            struct tw_before before[SPACES] = {{.valid = false}};
            run_uses(&all, &use, 1, pick(SPACES), false, NULL);
            use = random_use(&all.data);
            const size_t copies = 3 * all.count;
            TW_CHECK(tw_box_reserve(&all.data.reserve,
                                    tw_reserve_needed(&use, 1, 0, 0) + tw_reserve_needed_to_note(&use) + copies));
            tw_note_before(&use, before);
            tw_apply_use(&use, 0);
            later = random_use(&all.data); /* another command, elsewhere, before it is undone */
            if (!tw_box_overlaps(&later.box, &use.box))
                run_uses(&all, &later, 1, pick(SPACES), false, NULL);
            TW_CHECK(tw_undo_use(&use, before));
            tw_drop_before(&use, before);
            check_elements(&all);
        }
        tw_coherence_end(&all.data);
        TW_CHECK(!all.data.reserve.first && all.data.reserve.count == 0);
    }
}

/* An unfinished command that overwrites a part of an allocation. */
struct writer {
    struct tw_node node;
    struct tw_graph_access access;
    struct tw_box_node part;
    struct tw_edge *edges;
};

static void insert_writer(struct writer *writer, struct tw_resource *resource, const struct tw_box *box)
{
    *writer = (struct writer){.access = {.resource = resource, .writes = true}};
    if (!tw_box_covers(box, resource->whole)) {
        writer->part = tw_box_node(box, resource->whole);
        writer->access.part = &writer->part;
    }
    writer->node.accesses = &writer->access;
    writer->node.access_count = 1;
    writer->edges = malloc((tw_graph_edges_needed(&writer->access, 1) + 1) * sizeof *writer->edges);
    tw_graph_insert(&writer->node, writer->edges);
}

/* Loses random parts of what is in memory space 1, and begins to write others. */
static void lose_and_write(struct elements *all, struct tw_cause *cause, struct writer *writers, size_t writer_count)
{
    struct tw_resource *resource = &all->allocations[1].resource;
    for (unsigned losses = 1 + pick(3); losses; --losses) {
        const struct tw_use use = random_use(&all->data);
        tw_graph_lose(resource, use.is_part ? &use.box : NULL, cause);
        for (size_t e = 0; e < all->count; ++e)
            all->version[1][e] = has(&use.box, &all->data.whole, e) ? 0 : all->version[1][e];
    }
    for (size_t i = 0; i < writer_count; ++i) {
        const struct tw_use use = random_use(&all->data);
        insert_writer(&writers[i], resource, &use.box);
        for (size_t e = 0; e < all->count; ++e)
            all->version[1][e] = has(&use.box, &all->data.whole, e) ? 1 : all->version[1][e];
    }
}

/* What is in memory space 1 is copied from there, and nothing else. */
static void check_copies_from_there(struct elements *all)
{
    static struct tw_copy_plan plans[MAX_COPIES];
    struct tw_copy_plans copies = {.plans = plans, .room = MAX_COPIES};
    unsigned char brought[MAX_ELEMENTS] = {0};
    struct tw_use use = random_use(&all->data);
    use.needs = true;
    tw_plan_copies(&use, 2, &copies);
    for (size_t i = 0; i < copies.count; ++i)
        for (size_t e = 0; e < all->count; ++e)
            brought[e] += has(&plans[i].box, &all->data.whole, e);
    for (size_t e = 0; e < all->count; ++e)
        TW_EQUAL(brought[e], has(&use.box, &all->data.whole, e) && all->version[1][e]);
}

TW_TEST(lost_parts_that_are_being_written_are_held_as_far_as_they_are_written)
{
    enum { WRITERS = 3 };
    static struct elements all;
    struct tw_cause cause = {.references = 1};
    for (unsigned program = 1; program <= PART_PROGRAMS; ++program) {
        state = program * 0x9e3779b97f4a7c15u + 2;
        begin_parts(&all, 1 + program % 3);
        struct writer writers[WRITERS];
        const struct tw_use use = tw_use_all(&all.data, true, true);
        tw_apply_use(&use, 1);
        for (size_t e = 0; e < all.count; ++e)
            all.version[1][e] = all.current[e] = 1;
        lose_and_write(&all, &cause, writers, WRITERS);
        check_elements(&all);
        check_copies_from_there(&all);
        for (unsigned i = 0; i < WRITERS; ++i) {
            tw_graph_finish(&writers[i].node, NULL);
            free(writers[i].edges);
        }
        check_elements(&all);
        tw_resource_end(&all.allocations[1].resource);
        tw_coherence_end(&all.data);
    }
    TW_EQUAL(cause.references, 1);
}

/* With all memory spaces valid or not: a part that stays changes nothing, and needs no nodes; else it changes something. */
TW_TEST(a_part_that_stays_changes_nothing)
{
    const struct tw_box part = tw_box_of_part(tw_id_1d(3), tw_range_1d(4));
    for (unsigned valid = 0; valid < 1u << SPACES; ++valid)
        for (unsigned writes = 0; writes < 2; ++writes) {
            struct model model;
            begin(&model);
            for (size_t space = 0; space < SPACES; ++space)
                model.allocations[space].valid = valid >> space & 1;
            const struct tw_use use = {
                .data = &model.data, .box = part, .is_part = true, .needs = true, .writes = writes != 0};
            const bool stays = tw_part_stays(&use, 1);
            if (stays)
                TW_EQUAL(tw_reserve_needed(&use, 1, 0, 1), 0);
            TW_CHECK(tw_box_reserve(&model.data.reserve, tw_reserve_needed(&use, 1, 0, 1)));
            tw_apply_use(&use, 1);
            TW_EQUAL(model.data.has_parts, !stays);
            for (size_t space = 0; space < SPACES; ++space)
                TW_CHECK(!stays || model.allocations[space].valid == (valid >> space & 1));
            tw_coherence_end(&model.data);
        }
}

TW_TEST_LIST = {TW_CASE(each_access_finds_the_current_contents),
                TW_CASE(what_a_failed_copy_should_have_brought_is_copied_again),
                TW_CASE(copies_are_direct_where_they_can_be),
                TW_CASE(copies_bring_exactly_the_parts_that_are_missing),
                TW_CASE(a_use_can_be_undone),
                TW_CASE(a_part_that_stays_changes_nothing),
                TW_CASE(lost_parts_that_are_being_written_are_held_as_far_as_they_are_written),
                TW_CASES_END};
