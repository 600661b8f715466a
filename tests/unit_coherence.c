/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where contents are, without any device: random accesses in random memory spaces, whose copies are planned and
 * applied, against a model that follows the versions of the contents. Needs the private header coherence.h.
 */
#include "tw_test.h"

#include <stdint.h>

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

static unsigned pick(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % n);
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
    struct tw_copy_plans counted = {.plans = NULL}, copies = {.plans = plan};
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

TW_TEST_LIST = {TW_CASE(each_access_finds_the_current_contents),
                TW_CASE(what_a_failed_copy_should_have_brought_is_copied_again),
                TW_CASE(copies_are_direct_where_they_can_be), TW_CASES_END};
