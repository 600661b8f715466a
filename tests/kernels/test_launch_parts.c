/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host stacks x86_64 x86_64-teams gpu-simt (gpu-teams), internal */
/**
 * lower/kernel/launch.h: a launch that is a part of a larger one. Its kernel cannot tell: each work-item sees the ids and
 * ranges of the whole. A launch is divided into boxes, in every dimension, and what the work-items of all parts write down
 * is what those of the whole launch do.
 */
#include "nd_range_test.h"

#include "launch_parts.h"

/* ---- what a work-item writes down -------------------------------------------------------------------------------- */

enum { WORDS = 72 };

struct note {
    size_t part;   /* that it was of: from 1 on; 0 in the whole launch */
    size_t visits; /* work-items that came here */
    size_t words[WORDS];
};

/* Blocks begin with it. `from` and `size` are of the work-items of the whole launch, and are how a work-item finds its
   place, so that those with a wrong id meet at the same one or in the note behind the last one. */
struct page {
    struct note *notes;
    size_t part, from[3], size[3];
};

static inline size_t *begin_note(const struct page *page, tw_id id)
{
    size_t place = 0;
    bool inside = true;
    for (unsigned d = 0; d < 3; ++d) {
        inside = inside && id.at[d] - page->from[d] < page->size[d];
        place = place * page->size[d] + (id.at[d] - page->from[d]);
    }
    struct note *note = &page->notes[inside ? place : page->size[0] * page->size[1] * page->size[2]];
    note->part = page->part;
    ++note->visits;
    return note->words;
}

static inline size_t *put_id(size_t *to, tw_id id)
{
    for (unsigned d = 0; d < 3; ++d)
        *to++ = id.at[d];
    *to++ = id.dims;
    return to;
}

static inline size_t *put_range(size_t *to, tw_range range)
{
    for (unsigned d = 0; d < 3; ++d)
        *to++ = range.size[d];
    *to++ = range.dims;
    return to;
}

static inline size_t *put_nd_range(size_t *to, tw_nd_range range)
{
    to = put_range(to, range.global);
    to = put_range(to, range.local);
    return put_id(to, range.offset);
}

static inline size_t *put_group(size_t *to, tw_group group)
{
    to = put_nd_range(to, tw_get_nd_range(group));
    to = put_id(to, tw_get_group_id(group));
    to = put_range(to, tw_get_group_range(group));
    for (unsigned d = 0; d < 3; ++d) {
        *to++ = tw_group_id(group, d);
        *to++ = tw_group_range(group, d);
        *to++ = tw_global_offset(group, d);
    }
    *to++ = tw_group_linear_id(group);
    *to++ = tw_group_linear_range(group);
    return to;
}

/* What all kinds of items can be asked. */
#define PUT_ITEM(to, item)                                                                                             \
    do {                                                                                                               \
        (to) = put_id(to, tw_get_global_id(item));                                                                     \
        (to) = put_range(to, tw_get_global_range(item));                                                               \
        (to) = put_id(to, tw_get_global_offset(item));                                                                 \
        for (unsigned d = 0; d < 3; ++d) {                                                                             \
            *(to)++ = tw_global_id(item, d);                                                                           \
            *(to)++ = tw_global_range(item, d);                                                                        \
            *(to)++ = tw_global_offset(item, d);                                                                       \
        }                                                                                                              \
        *(to)++ = tw_global_linear_id(item);                                                                           \
    } while (0)

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

#define RANGE_KERNEL(name, ...)                                                                                        \
    struct name {                                                                                                      \
        struct page page;                                                                                              \
    };                                                                                                                 \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        size_t *to = begin_note(&k->page, tw_get_global_id(item));                                                     \
        PUT_ITEM(to, item);                                                                                            \
    }                                                                                                                  \
    TW_RANGE_KERNEL(__VA_ARGS__)
RANGE_KERNEL(range_any, range_any);
RANGE_KERNEL(range_1, range_1, 1);
RANGE_KERNEL(range_2, range_2, 2);
RANGE_KERNEL(range_3, range_3, 3);

#define GROUP_KERNEL(name, ...)                                                                                        \
    struct name {                                                                                                      \
        struct page page;                                                                                              \
    };                                                                                                                 \
    static inline void name(tw_group group, const struct name *k)                                                      \
    {                                                                                                                  \
        tw_parallel_for_work_item(group, item) {                                                                       \
            size_t *to = begin_note(&k->page, tw_get_global_id(item));                                                 \
            PUT_ITEM(to, item);                                                                                        \
            for (unsigned d = 0; d < 3; ++d)                                                                           \
                *to++ = tw_group_id(item, d);                                                                          \
            *to++ = tw_group_linear_id(item);                                                                          \
            (void)put_group(to, group);                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    TW_WORK_GROUP_KERNEL(__VA_ARGS__)
GROUP_KERNEL(group_any, group_any);
GROUP_KERNEL(group_1, group_1, 16);
GROUP_KERNEL(group_2, group_2, 4, 8);
GROUP_KERNEL(group_3, group_3, 2, 2, 4);

/* Without a barrier, a group is a loop. */
#define ND_KERNEL(name, ...)                                                                                           \
    struct name {                                                                                                      \
        struct page page;                                                                                              \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        size_t *to = begin_note(&k->page, tw_get_global_id(item));                                                     \
        PUT_ITEM(to, item);                                                                                            \
        *to++ = tw_group_linear_id(item);                                                                              \
        to = put_nd_range(to, tw_get_nd_range(item));                                                                  \
        (void)put_group(to, tw_get_group(item));                                                                       \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(__VA_ARGS__)
ND_KERNEL(nd_any, nd_any);
ND_KERNEL(nd_2, nd_2, 4, 8);

/* With one, each work-item has what another one of its group is, too. */
#define BARRIER_KERNEL(name, ...)                                                                                      \
    struct name {                                                                                                      \
        struct page page;                                                                                              \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        TW_LOCAL(size_t, global, [256]);                                                                               \
        const size_t last = tw_local_linear_range(item) - 1;                                                           \
        global[tw_local_linear_id(item)] = tw_global_linear_id(item);                                                  \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        size_t *to = begin_note(&k->page, tw_get_global_id(item));                                                     \
        PUT_ITEM(to, item);                                                                                            \
        *to++ = global[last - tw_local_linear_id(item)];                                                               \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        (void)put_group(to, tw_get_group(item));                                                                       \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(__VA_ARGS__)
BARRIER_KERNEL(barrier_any, barrier_any);
BARRIER_KERNEL(barrier_2, barrier_2, 4, 8);

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Records the launch of a kernel of the space. */
typedef void record_function(tw_command_group *cg, const struct space *space, struct page page);

#define RECORD_RANGE(name)                                                                                             \
    static void record_##name(tw_command_group *cg, const struct space *space, struct page page)                       \
    {                                                                                                                  \
        tw_parallel_for_offset(cg, range_of(space, space->range), offset_of(space), name, .page = page);               \
    }
RECORD_RANGE(range_any)
RECORD_RANGE(range_1)
RECORD_RANGE(range_2)
RECORD_RANGE(range_3)

#define RECORD_GROUP(name)                                                                                             \
    static void record_##name(tw_command_group *cg, const struct space *space, struct page page)                       \
    {                                                                                                                  \
        tw_parallel_for_work_group_offset(cg, range_of(space, space->range), range_of(space, space->local),            \
                                          offset_of(space), name, .page = page);                                       \
    }
RECORD_GROUP(group_any)
RECORD_GROUP(group_1)
RECORD_GROUP(group_2)
RECORD_GROUP(group_3)

#define RECORD_ND(name)                                                                                                \
    static void record_##name(tw_command_group *cg, const struct space *space, struct page page)                       \
    {                                                                                                                  \
        tw_parallel_for_nd_range(cg, nd_range_of(space), name, .page = page);                                          \
    }
RECORD_ND(nd_any)
RECORD_ND(nd_2)
RECORD_ND(barrier_any)
RECORD_ND(barrier_2)

/* Submits the whole launch, for part 0, or a part of it, from 1 on. Returns false if there is no such part. */
static bool submit_part(tw_queue *queue, tw_buffer *notes, const struct space *space, record_function *record,
                        size_t part)
{
    size_t first[3], count[3];
    if (part && !find_part(space, part - 1, first, count))
        return false;
    tw_command_group *cg = tw_queue_begin(queue);
    struct page page = {(struct note *)tw_read_write(cg, notes), part, {0, 0, 0}, {1, 1, 1}};
    for (unsigned d = 0; d < space->dims; ++d) {
        page.from[d] = space->offset[d];
        page.size[d] = space->range[d] * space->local[d];
    }
    if (part)
        tw_command_group_set_part(cg, first, count);
    record(cg, space, page);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    return true;
}

static tw_buffer *make_notes(const struct space *space)
{
    const size_t count = count_items(space) + 1;
    tw_buffer *notes = NULL;
    void *zeros = calloc(count, sizeof(struct note));
    TW_PASS(tw_buffer_create_copy(zeros, sizeof(struct note), tw_range_1d(count), &notes));
    free(zeros);
    return notes;
}

static struct note *take_notes(tw_buffer *buffer, const struct space *space)
{
    struct note *notes = (struct note *)calloc(count_items(space) + 1, sizeof *notes);
    tw_test_fetch(buffer, notes);
    TW_PASS(tw_buffer_destroy(&buffer));
    return notes;
}

/* Compares what all parts have written down, each `times` times, with what the whole launch has. */
static void compare(const struct space *space, const struct note *whole, const struct note *parts, size_t times)
{
    const size_t count = count_items(space);
    for (size_t i = 0; i < count; ++i) {
        TW_EQUAL(whole[i].part, 0);
        TW_EQUAL(whole[i].visits, 1);
        TW_EQUAL(parts[i].part, part_of(space, i));
        TW_EQUAL(parts[i].visits, times);
        for (size_t w = 0; w < WORDS; ++w)
            TW_EQUAL(parts[i].words[w], whole[i].words[w]);
    }
    TW_EQUAL(whole[count].visits, 0);
    TW_EQUAL(parts[count].visits, 0);
}

static void check_at(tw_queue *queue, const struct space *space, record_function *record)
{
    tw_buffer *whole_notes = make_notes(space), *part_notes = make_notes(space);
    (void)submit_part(queue, whole_notes, space, record, 0);
    for (size_t part = 1; submit_part(queue, part_notes, space, record, part);)
        ++part;
    struct note *whole = take_notes(whole_notes, space), *parts = take_notes(part_notes, space);
    compare(space, whole, parts, 1);
    free(whole);
    free(parts);
}

/* Without an offset and with one. */
static void check(tw_queue *queue, const struct space *space, record_function *record)
{
    static const size_t offsets[3] = {3, 100, 7};
    struct space moved = *space;
    for (unsigned d = 0; d < moved.dims; ++d)
        moved.offset[d] = offsets[d];
    check_at(queue, space, record);
    check_at(queue, &moved, record);
}

TW_TEST(range_kernels)
{
    tw_queue *queue = tw_test_queue();
    check(queue, &items_1, record_range_any);
    check(queue, &items_2, record_range_any);
    check(queue, &items_3, record_range_any);
    check(queue, &items_1, record_range_1);
    check(queue, &items_2, record_range_2);
    check(queue, &items_3, record_range_3);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(hierarchical_kernels)
{
    tw_queue *queue = tw_test_queue();
    check(queue, &groups_1, record_group_any);
    check(queue, &groups_2, record_group_any);
    check(queue, &groups_3, record_group_any);
    check(queue, &groups_1, record_group_1);
    check(queue, &groups_2, record_group_2);
    check(queue, &groups_3, record_group_3);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(groups_of_usual_sizes)
{
    tw_queue *queue = tw_test_queue();
    check(queue, &usual_1, record_group_any);
    check(queue, &usual_2, record_group_any);
    check(queue, &rows_2, record_group_any);
    TW_PASS(tw_queue_destroy(&queue));
}

/* The standard mapping on GPUs runs groups of whole warps alone. */
static void check_nd(tw_queue *queue, const struct space *space, record_function *record)
{
    size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    tw_buffer *notes = make_notes(space);
    tw_command_group *cg = tw_queue_begin(queue);
    const struct page page = {(struct note *)tw_read_write(cg, notes), 0, {0, 0, 0}, {0, 0, 0}};
    tw_command_group_set_part(cg, zero, one);
    record(cg, space, page);
    const bool is_refused = nd_is_refused(queue, cg);
    TW_PASS(tw_buffer_destroy(&notes));
    if (!is_refused)
        check(queue, space, record);
}

TW_TEST(nd_range_kernels)
{
    ND_BEGIN(queue);
    check_nd(queue, &groups_1, record_nd_any);
    check_nd(queue, &groups_2, record_nd_any);
    check_nd(queue, &groups_3, record_nd_any);
    check_nd(queue, &usual_1, record_nd_any);
    check_nd(queue, &groups_2, record_nd_2);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(nd_range_kernels_with_barriers)
{
    ND_BEGIN(queue);
    check_nd(queue, &groups_1, record_barrier_any);
    check_nd(queue, &groups_2, record_barrier_any);
    check_nd(queue, &groups_3, record_barrier_any);
    check_nd(queue, &usual_1, record_barrier_any);
    check_nd(queue, &usual_2, record_barrier_any);
    check_nd(queue, &groups_2, record_barrier_2);
    TW_PASS(tw_queue_destroy(&queue));
}

/* A recorded graph keeps parts. */
TW_TEST(parts_in_graphs)
{
    static record_function *const records[] = {record_range_2, record_group_2};
    static const struct space *const spaces[] = {&items_2, &groups_2};
    tw_queue *queue = tw_test_queue();
    for (unsigned r = 0; r < 2; ++r) {
        const struct space *space = spaces[r];
        tw_buffer *whole_notes = make_notes(space), *part_notes = make_notes(space);
        tw_command_graph *graph = NULL;
        (void)submit_part(queue, whole_notes, space, records[r], 0);
        TW_PASS(tw_queue_begin_recording(queue));
        for (size_t part = 1; submit_part(queue, part_notes, space, records[r], part);)
            ++part;
        TW_PASS(tw_queue_end_recording(queue, &graph));
        for (int again = 0; again < 2; ++again)
            TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        struct note *whole = take_notes(whole_notes, space), *parts = take_notes(part_notes, space);
        tw_command_graph_destroy(&graph);
        compare(space, whole, parts, 2);
        free(whole);
        free(parts);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_part_without_work_items_does_not_run)
{
    static const size_t inner[3] = {11, 40, 0}, few[3] = {3, 2, 1}, none[3] = {0, 2, 1};
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = make_notes(&items_2);
    for (unsigned empty = 0; empty < 2; ++empty) {
        tw_command_group *cg = tw_queue_begin(queue);
        const struct page page = {(struct note *)tw_read_write(cg, buffer), 1 + empty, {0, 0, 0}, {37, 53, 1}};
        tw_command_group_set_part(cg, inner, empty ? none : few);
        record_range_2(cg, &items_2, page);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    struct note *notes = take_notes(buffer, &items_2);
    for (size_t i = 0; i < (size_t)37 * 53; ++i) {
        const bool inside = i / 53 - 11 < 3 && i % 53 - 40 < 2;
        TW_EQUAL(notes[i].visits, inside);
        TW_EQUAL(notes[i].part, inside);
    }
    free(notes);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

struct diverging {
    size_t group;
};
static inline void diverging(tw_nd_item item, const struct diverging *k)
{
    if (tw_group_linear_id(item) != k->group || tw_local_linear_id(item))
        tw_barrier(item, TW_LOCAL_SPACE);
}
TW_ND_RANGE_KERNEL(diverging);

/* Messages name groups as the whole launch numbers them. */
TW_TEST(messages_have_the_ids_of_the_whole)
{
    static const size_t first[3] = {2, 1, 0}, count[3] = {3, 4, 1};
    tw_queue *queue = nd_cpu_queue();
    if (!queue)
        TW_SKIP();
    tw_command_group *cg = tw_queue_begin(queue);
    tw_command_group_set_part(cg, first, count);
    tw_parallel_for_nd_range(cg, nd_range_of(&groups_2), diverging, .group = 3 * 5 + 2);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_DIVERGENT_BARRIER);
    TW_CHECK(strstr(tw_error_detail(), "in group (3, 2, 0) of kernel diverging") != NULL);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(range_kernels),
                TW_CASE(hierarchical_kernels),
                TW_CASE(groups_of_usual_sizes),
                TW_CASE(nd_range_kernels),
                TW_CASE(nd_range_kernels_with_barriers),
                TW_CASE(parts_in_graphs),
                TW_CASE(a_part_without_work_items_does_not_run),
                TW_CASE(messages_have_the_ids_of_the_whole),
                TW_CASES_END};
