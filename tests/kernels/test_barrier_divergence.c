/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams), no-compiler */
/** lower/group/nd_item.h: a barrier that some work-items of a group do not come to is found on CPUs, whichever way they miss
 *  it; the launch fails and says where, and the threads that ran it go on with other launches. */
#include "nd_range_test.h"

/* ---- ways to miss a barrier
   ---------------------------------------------------------------------------------------------

   Every kernel diverges in the groups from `first_group` on, and by its member `at` at the work-item with that linear
   id. */

#define DIVERGING(name)                                                                                                \
    struct name {                                                                                                      \
        int *out;                                                                                                      \
        size_t first_group, at;                                                                                        \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)

static inline bool diverges(tw_nd_item item, size_t first_group)
{
    return tw_group_linear_id(item) >= first_group;
}

/* The work-items from `at` on end at once. */
enum { EARLY_LINE = __LINE__ + 5 };
DIVERGING(end_early)
{
    if (diverges(item, k->first_group) && tw_local_linear_id(item) >= k->at)
        return;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_linear_id(item)] = 1;
}
TW_ND_RANGE_KERNEL(end_early);

/* All but `at` take the branch with the barrier. */
enum { SKIP_LINE = __LINE__ + 4 };
DIVERGING(skip)
{
    if (!diverges(item, k->first_group) || tw_local_linear_id(item) != k->at)
        tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_linear_id(item)] = 1;
}
TW_ND_RANGE_KERNEL(skip);

/* Only `at` takes it. */
enum { ONLY_LINE = __LINE__ + 4 };
DIVERGING(only)
{
    if (!diverges(item, k->first_group) || tw_local_linear_id(item) == k->at)
        tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_linear_id(item)] = 1;
}
TW_ND_RANGE_KERNEL(only, 16);

/* `at` comes to another barrier than the others. */
enum { MOST_LINE = __LINE__ + 5, OTHER_LINE = __LINE__ + 7 };
DIVERGING(another)
{
    tw_barrier(item, TW_LOCAL_SPACE);
    if (!diverges(item, k->first_group) || tw_local_linear_id(item) != k->at) {
        tw_barrier(item, TW_LOCAL_SPACE);
    } else {
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    k->out[tw_global_linear_id(item)] = 1;
}
TW_ND_RANGE_KERNEL(another);

/* `at` ends after some barriers, in a loop. */
enum { LOOP_LINE = __LINE__ + 5 };
DIVERGING(leave_loop)
{
    const bool leaves = diverges(item, k->first_group) && tw_local_linear_id(item) == k->at;
    for (int turn = 0; turn < 6 && !(leaves && turn == 3); ++turn)
        tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_linear_id(item)] = 1;
}
TW_ND_RANGE_KERNEL(leave_loop);

/* And `at` alone goes on. */
enum { LONGER_LINE = __LINE__ + 5 };
DIVERGING(stay_longer)
{
    const bool stays = diverges(item, k->first_group) && tw_local_linear_id(item) == k->at;
    for (int turn = 0; turn < (stays ? 4 : 3); ++turn)
        tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_linear_id(item)] = 1;
}
TW_ND_RANGE_KERNEL(stay_longer);

/* ---- a kernel that is right, and needs the same stacks ----------------------------------------------------------- */

struct reverse {
    int *x;
    tw_local_memory tile;
};
static inline void reverse(tw_nd_item item, const struct reverse *k)
{
    int *tile = tw_local_data(item, k->tile);
    const size_t l = tw_local_id(item, 0), n = tw_local_range(item, 0), g = tw_global_id(item, 0);
    for (int turn = 0; turn < 3; ++turn) {
        tile[l] = k->x[g];
        tw_barrier(item, TW_LOCAL_SPACE);
        k->x[g] = tile[n - 1 - l] + 1;
        tw_barrier(item, TW_GLOBAL_AND_LOCAL);
    }
}
TW_ND_RANGE_KERNEL(reverse);

static void check_reverse(tw_queue *queue, size_t groups, size_t items)
{
    int x[2000];
    tw_buffer *buffer = NULL;
    TW_CHECK(groups * items <= 2000);
    for (int i = 0; i < 2000; ++i)
        x[i] = i;
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(groups * items), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(groups), tw_range_1d(items)), reverse,
                             .x = tw_read_write(cg, buffer), .tile = tw_local(cg, items * sizeof *x));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (size_t i = 0; i < groups * items; ++i)
        TW_EQUAL(x[i], i / items * items + items - 1 - i % items + 3);
}

/* ---- the cases --------------------------------------------------------------------------------------------------- */

#define CPU_BEGIN(queue)                                                                                               \
    tw_queue *queue = nd_cpu_queue();                                                                                  \
    if (!queue)                                                                                                        \
    TW_SKIP()

/* Fails the case unless what a buffer holds is lost, and the error says by which kernel; destroys it. */
static void check_lost(tw_buffer **buffer, const char *kernel)
{
    tw_test_expect_lost(*buffer);
    TW_CHECK(strstr(tw_error_detail(), kernel) != NULL);
    TW_PASS(tw_buffer_destroy(buffer)); /* there is nothing to write back to */
}

/* Runs a diverging kernel; the sticky status is left to the caller's wait. */
#define RUN(queue, buffer, range, name, ...)                                                                           \
    do {                                                                                                               \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for_nd_range(cg, range, name, .out = tw_discard_write(cg, buffer), __VA_ARGS__);                   \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
    } while (0)

/* Fails the case unless the queue's next error is a divergence whose message has each of these texts. */
static void check_found(tw_queue *queue, const char *kernel, int line, const char *counts, const char *group)
{
    char barrier[32];
    snprintf(barrier, sizeof barrier, "line %d ", line);
    TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_DIVERGENT_BARRIER);
    const char *detail = tw_error_detail();
    if (!strstr(detail, kernel) || !strstr(detail, barrier) || !strstr(detail, counts) || !strstr(detail, group)) {
        fprintf(stderr, "expected %s, %s, %s, %s in: %s\n", kernel, barrier, counts, group, detail);
        TW_CHECK(!"the message tells where and how");
    }
}

enum { GROUPS = 8, SIZE = 16 };

/* Groups from the seventh on: which one is found first differs from run to run, if there are several. */
#define CHECK(name, line, at_, counts)                                                                                 \
    do {                                                                                                               \
        tw_buffer *buffer = NULL;                                                                                      \
        TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(GROUPS *SIZE), &buffer));                                    \
        RUN(queue, buffer, range, name, .first_group = GROUPS - 1, .at = (at_));                                       \
        check_found(queue, "kernel " #name, line, counts, "(7, 0, 0)");                                                \
        check_lost(&buffer, #name);                                                                                    \
        check_reverse(queue, GROUPS, SIZE);                                                                            \
    } while (0)

TW_TEST(every_way_to_diverge_is_found)
{
    const tw_nd_range range = nd_groups(tw_range_1d(GROUPS), tw_range_1d(SIZE));
    char other[64];
    CPU_BEGIN(queue);
    CHECK(end_early, EARLY_LINE, 5, "reached by 5 work-items, and 11 ");
    CHECK(end_early, EARLY_LINE, 1, "reached by 1 work-items, and 15 ");
    CHECK(end_early, EARLY_LINE, 15, "reached by 15 work-items, and 1 ");
    /* what comes after the one that is missed is not looked at any more: at least so many */
    CHECK(skip, SKIP_LINE, 0, "reached by 1 work-items, and 1 ");
    CHECK(skip, SKIP_LINE, 7, "reached by 7 work-items, and 1 ");
    CHECK(skip, SKIP_LINE, 15, "reached by 15 work-items, and 1 ");
    CHECK(only, ONLY_LINE, 0, "reached by 1 work-items, and 15 ");
    CHECK(only, ONLY_LINE, 7, "reached by 1 work-items, and 7 ");
    CHECK(only, ONLY_LINE, 15, "reached by 1 work-items, and 15 ");
    snprintf(other, sizeof other, "reached by 7 work-items, and 1 were at the one in line %d;", OTHER_LINE);
    CHECK(another, MOST_LINE, 7, other);
    snprintf(other, sizeof other, "reached by 15 work-items, and 1 were at the one in line %d;", OTHER_LINE);
    CHECK(another, MOST_LINE, 15, other);
    snprintf(other, sizeof other, "reached by 1 work-items, and 1 were at the one in line %d;", MOST_LINE);
    CHECK(another, OTHER_LINE, 0, other);
    CHECK(leave_loop, LOOP_LINE, 0, "reached by 15 work-items, and 1 ");
    CHECK(leave_loop, LOOP_LINE, 7, "reached by 15 work-items, and 1 ");
    CHECK(leave_loop, LOOP_LINE, 15, "reached by 15 work-items, and 1 ");
    CHECK(stay_longer, LONGER_LINE, 0, "reached by 1 work-items, and 15 ");
    CHECK(stay_longer, LONGER_LINE, 7, "reached by 1 work-items, and 15 ");
    CHECK(stay_longer, LONGER_LINE, 15, "reached by 1 work-items, and 15 ");
    TW_PASS(tw_queue_destroy(&queue));
}

/* Without `first_group` the same kernels are right. */
TW_TEST(the_same_barriers_without_divergence)
{
    const tw_nd_range range = nd_groups(tw_range_1d(GROUPS), tw_range_1d(SIZE));
    ND_BEGIN(queue);
#define CHECK_RIGHT(name)                                                                                              \
    do {                                                                                                               \
        int out[GROUPS * SIZE] = {0};                                                                                  \
        tw_buffer *buffer = NULL;                                                                                      \
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(GROUPS *SIZE), &buffer));                          \
        RUN(queue, buffer, range, name, .first_group = GROUPS, .at = 3);                                               \
        TW_PASS(tw_buffer_destroy(&buffer));                                                                           \
        for (int i = 0; i < GROUPS * SIZE; ++i)                                                                        \
            TW_EQUAL(out[i], 1);                                                                                       \
    } while (0)
    CHECK_RIGHT(end_early);
    CHECK_RIGHT(skip);
    CHECK_RIGHT(only);
    CHECK_RIGHT(another);
    CHECK_RIGHT(leave_loop);
    CHECK_RIGHT(stay_longer);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(in_two_and_three_dimensions)
{
    static int out[1024];
    tw_buffer *buffer = NULL;
    CPU_BEGIN(queue);
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(1024), &buffer));
    RUN(queue, buffer, nd_groups(tw_range_2d(3, 2), tw_range_2d(4, 5)), skip, .first_group = 5, .at = 9);
    check_found(queue, "skip", SKIP_LINE, "reached by 9 work-items, and 1 ", "(2, 1, 0)");
    RUN(queue, buffer, nd_groups(tw_range_3d(2, 2, 2), tw_range_3d(2, 3, 4)), leave_loop, .first_group = 7, .at = 11);
    check_found(queue, "leave_loop", LOOP_LINE, "reached by 23 work-items, and 1 ", "(1, 1, 1)");
    check_reverse(queue, 5, 24);
    TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_DATA_LOST);
    TW_CHECK(strstr(tw_error_detail(), "leave_loop") != NULL);
    TW_PASS(tw_queue_destroy(&queue));
}

/* A group of one cannot diverge. */
TW_TEST(a_group_of_one)
{
    int out[20] = {0};
    tw_buffer *buffer = NULL;
    ND_BEGIN(queue);
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(20), &buffer));
    RUN(queue, buffer, nd_groups(tw_range_1d(20), tw_range_1d(1)), leave_loop, .first_group = 0, .at = 0);
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < 20; ++i)
        TW_EQUAL(out[i], 1);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- the error --------------------------------------------------------------------------------------------------- */

struct received {
    int count, line;
    bool is_right;
};

static void receive(const tw_error *errors, size_t count, void *user)
{
    struct received *received = user;
    received->count += (int)count;
    received->line = errors->line;
    received->is_right = count == 1 && errors->status == TW_ERROR_DIVERGENT_BARRIER && errors->kernel
                         && !strcmp(errors->kernel, "skip") && errors->file
                         && strstr(errors->file, "test_barrier_divergence.c") && strstr(errors->message, "skip");
}

TW_TEST(the_handler_gets_one_record)
{
    struct received received = {0, 0, false};
    tw_buffer *buffer = NULL;
    tw_queue *with_handler = NULL;
    CPU_BEGIN(queue);
    TW_PASS(tw_queue_create_on_device(tw_queue_device(queue), receive, &received, &with_handler));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(64), &buffer));
    tw_command_group *cg = tw_queue_begin(with_handler);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(4), tw_range_1d(16)), skip, .out = tw_discard_write(cg, buffer),
                             .at = 3);
    const int line = __LINE__ + 1;
    TW_PASS(tw_queue_submit(with_handler, cg, NULL));
    TW_PASS(tw_queue_wait_and_throw(with_handler));
    TW_CHECK(received.count == 1 && received.is_right && received.line == line);
    check_lost(&buffer, "skip");
    TW_PASS(tw_queue_destroy(&with_handler));
    TW_EQUAL(received.count, 1);
    TW_PASS(tw_queue_destroy(&queue));
}

struct add {
    const int *in;
    int *out;
};
static inline void add(tw_nd_item item, const struct add *k)
{
    k->out[tw_global_id(item, 0)] = k->in[tw_global_id(item, 0)] + 1;
}
TW_ND_RANGE_KERNEL(add);

/* What it should have written is lost, who needs that is cancelled, and nobody else. */
TW_TEST(dependants_are_cancelled)
{
    enum { COUNT = 48 };
    const tw_nd_range range = nd_groups(tw_range_1d(3), tw_range_1d(16));
    int other[COUNT];
    tw_buffer *lost = NULL, *next = NULL, *in = NULL, *out = NULL;
    CPU_BEGIN(queue);
    for (int i = 0; i < COUNT; ++i)
        other[i] = i;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(COUNT), &lost));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(COUNT), &next));
    TW_PASS(tw_buffer_create_over_const(other, sizeof *other, tw_range_1d(COUNT), &in));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(COUNT), &out));
    RUN(queue, lost, range, end_early, .at = 9);
    RUN(queue, next, range, add, .in = tw_read(cg, lost));
    RUN(queue, out, range, add, .in = tw_read(cg, in));
    check_found(queue, "end_early", EARLY_LINE, "reached by 9 work-items, and 7 ", "group (");
    TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_CANCELLED);
    TW_CHECK(strstr(tw_error_detail(), "end_early") != NULL);
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_test_expect_lost(lost);
    tw_test_fetch(out, other);
    for (int i = 0; i < COUNT; ++i)
        TW_EQUAL(other[i], i + 1);
    /* written anew, the buffer is whole */
    RUN(queue, lost, range, end_early, .first_group = 3);
    tw_test_fetch(lost, other);
    for (int i = 0; i < COUNT; ++i)
        TW_EQUAL(other[i], 1);
    TW_PASS(tw_buffer_destroy(&lost));
    check_lost(&next, "end_early");
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- afterwards -------------------------------------------------------------------------------------------------- */

static void diverge_repeatedly(tw_queue *queue, size_t times)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(4000), &buffer));
    for (size_t i = 0; i < times; ++i) {
        const size_t items = 2 + 37 * i % 199;
        const tw_nd_range range = nd_groups(tw_range_1d(20), tw_range_1d(items));
        if (i % 2)
            RUN(queue, buffer, range, another, .first_group = i % 20, .at = i % items);
        else
            RUN(queue, buffer, range, leave_loop, .first_group = i % 20, .at = i % items);
        TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_DIVERGENT_BARRIER);
        if (i % 3 == 0)
            check_reverse(queue, 7, 1 + 53 * i % 260);
    }
    check_lost(&buffer, times % 2 ? "leave_loop" : "another");
}

TW_TEST(many_divergent_launches_in_a_row)
{
    CPU_BEGIN(queue);
    diverge_repeatedly(queue, 60);
    check_reverse(queue, 10, 200);
    TW_PASS(tw_queue_destroy(&queue));
}

static void *diverge_on_another_thread(void *context)
{
    diverge_repeatedly(context, 20);
    return NULL;
}

TW_TEST(divergent_launches_on_two_threads)
{
    pthread_t threads[2];
    tw_queue *queues[2];
    CPU_BEGIN(queue);
    TW_PASS(tw_queue_destroy(&queue));
    tw_test_queues(queues, 2);
    for (size_t i = 0; i < 2; ++i)
        TW_CHECK(pthread_create(&threads[i], NULL, diverge_on_another_thread, queues[i]) == 0);
    for (size_t i = 0; i < 2; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    check_reverse(queues[0], 3, 100);
    tw_test_destroy_queues(queues, 2);
}

TW_TEST_LIST = {TW_CASE(every_way_to_diverge_is_found),
                TW_CASE(the_same_barriers_without_divergence),
                TW_CASE(in_two_and_three_dimensions),
                TW_CASE(a_group_of_one),
                TW_CASE(the_handler_gets_one_record),
                TW_CASE(dependants_are_cancelled),
                TW_CASE(many_divergent_launches_in_a_row),
                TW_CASE(divergent_launches_on_two_threads),
                TW_CASES_END};
