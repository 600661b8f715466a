/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (x86_64), values, sanitized-compiler, long */
/*
 * What one work-item does, it does in its own order (docs/kernels.md, "What work-items may do"): turns of a loop over a range that it
 * shares out, points beyond the group, members that lead to the same memory, and counters that wrap around before the first turn. The
 * plugin of the compiler makes one loop of all turns of all work-items. Each kernel against the same text, run for one work-item after
 * the other.
 */
#include "tw_test.h"

enum { ALL = 8192, END = 1000, FEW = 3 };

/* The block of each kernel: `out` has ALL elements, `again` is the same memory. */
#define MEMBERS                                                                                                        \
    int *out;                                                                                                          \
    const int *again, *in;                                                                                             \
    size_t first;                                                                                                      \
    int n, m, at

/* What the work-item `l` of a group does. */
#define EACH_LOOP(X)                                                                                                   \
    X(columns, 64,                                                                                                     \
      for (int i = l; i < k->n; i += 64) for (int j = 0; j < k->m; ++j) k->out[i + j * 64] = i + 1000 * j)             \
    X(columns_again, 64,                                                                                               \
      for (int i = l; i < k->n; i += 64) for (int j = 0; j < k->m; ++j) k->out[i % 64 + 64 * j] += i)                  \
    X(                                                                                                                 \
        single, 256, for (int i = l; i < k->n; i += 256) {                                                             \
            k->out[i] += k->in[i];                                                                                     \
            if (i == k->at)                                                                                            \
                k->out[i + 256] = 77777;                                                                               \
        })                                                                                                             \
    X(chain_4, 4, for (size_t i = (size_t)l; i < (size_t)k->n; i += 4) k->out[i + 4] = k->again[i] + 1)                \
    X(chain_8, 8, for (int i = l; i < k->n; i += 8) k->out[i + 8] = k->again[i] + 1)                                   \
    X(chain_32, 32, for (int i = l; i < k->n; i += 32) k->out[i + 32] = (k->again[i] * 3 + k->in[i]) & 0xffff)         \
    X(chain_64, 64, for (int i = l; i < k->n; i += 64) k->out[i + 64] = (k->out[i] * 3 + k->in[i]) & 0xffff)           \
    X(chain_far, 16, for (int i = l; i < k->n; i += 16) k->out[i + 16 * k->m] = k->again[i] - k->in[i])                \
    X(chain_group, 16, for (int i = 0; i < k->n; i += 16) k->out[i + l + 16] = k->again[i + l] + 1)                    \
    X(below, 64, for (size_t i = (size_t)l - 1; i < (size_t)k->n; i += 64) k->out[i] = 5)                              \
    X(from, 64, for (size_t i = k->first + (size_t)l; i < (size_t)k->n; i += 64) k->out[i] += 3)                       \
    X(from_unsigned, 64,                                                                                               \
      for (unsigned i = (unsigned)k->first + (unsigned)l; i < (unsigned)k->n; i += 64) k->out[i] += 3)                 \
    X(                                                                                                                 \
        from_int, 64, for (int i = (int)k->first + l; i < k->n; i += 64) {                                             \
            if (i >= 0)                                                                                                \
                k->out[i] += 3;                                                                                        \
        })                                                                                                             \
    X(from_two, 32, for (size_t i = k->first + (size_t)l; i < (size_t)k->n; i += 32) k->out[i] += 3;                   \
      for (size_t i = (size_t)l; i < 512; i += 32) k->out[4096 + i] = k->out[4064 + i] + 1)                            \
    X(narrow, 32, for (unsigned char i = (unsigned char)(l - 1); i < 200; i = (unsigned char)(i + 32)) k->out[i] += 7) \
    X(narrow_16, 128,                                                                                                  \
      for (unsigned short i = (unsigned short)(k->first + (unsigned)l); i < k->n; i = (unsigned short)(i + 128))       \
          k->out[i] += 7)                                                                                              \
    X(narrow_steps, 320,                                                                                               \
      for (unsigned char i = (unsigned char)l; i < 190; i = (unsigned char)(i + 64)) k->out[l * 8 + i / 64] += i)

#define DEFINE_LOOP(name, size, ...)                                                                                   \
    struct name {                                                                                                      \
        MEMBERS;                                                                                                       \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        const int l = (int)tw_local_id(item, 0);                                                                       \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        __VA_ARGS__;                                                                                                   \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name, size);                                                                                    \
    static void model_##name(const struct name *k)                                                                     \
    {                                                                                                                  \
        for (int l = 0; l < (size); ++l) {                                                                             \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
    }
EACH_LOOP(DEFINE_LOOP)

/* What a work-item does for the point `i` of a range of so many rows and columns. */
#define EACH_POINT(X)                                                                                                  \
    X(points_4, (1, 4), 1, 4, 1, END, k->out[i + 4] = k->out[i] + 1)                                                   \
    X(points_4_again, (1, 4), 1, 4, 1, END, k->out[i + 4] = k->again[i] + k->in[i])                                    \
    X(points_any_4, (), 1, 4, 1, END, k->out[i + 4] = k->out[i] + 1)                                                   \
    X(points_any_64, (), 1, 64, 1, END, k->out[i + 64] = (k->out[i] * 3 + 1) & 0xffff)                                 \
    X(points_of_rows, (16, 16), 16, 16, 18, 18, k->out[i + 256] = (k->out[i] * 3 + k->in[i]) & 0xffff)                 \
    X(points_of_short_rows, (4, 4), 4, 4, 30, 3, k->out[i + 16] = (k->out[i] * 3 + k->in[i]) & 0xffff)                 \
    X(points_inner, (1, 64), 1, 64, 1, END,                                                                            \
      for (int j = 0; j < k->m; ++j) k->out[i + j * 64] = (k->out[i + j * 64] * 3 + i) & 0xffff)                       \
    X(point, (1, 64), 1, 64, 1, END, k->out[i] = k->out[i] * 5 + 1; if (i == k->at) k->out[i + 64] = 77777)            \
    X(below_group, (1, 64), 1, 64, 1, 64, for (size_t j = (size_t)i - 1; j < (size_t)k->n; j += 64) k->out[j] += 5)    \
    X(from_group, (1, 64), 1, 64, 1, 64,                                                                               \
      for (size_t j = (size_t)i + k->first; j < (size_t)k->n; j += 64) k->out[j] += 5)

#define DIMS(...) DIMS_(__VA_ARGS__)
#define DIMS_(...) __VA_OPT__(, ) __VA_ARGS__
#define DEFINE_POINT(name, of, group_rows, group_columns, rows, columns, ...)                                          \
    struct name {                                                                                                      \
        MEMBERS;                                                                                                       \
    };                                                                                                                 \
    static inline void name(tw_group group, const struct name *k)                                                      \
    {                                                                                                                  \
        tw_parallel_for_work_item_range(group, item, tw_range_2d(rows, columns)) {                                     \
            const int i = (int)(tw_local_id(item, 0) * (columns) + tw_local_id(item, 1));                              \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    TW_WORK_GROUP_KERNEL(name DIMS of);                                                                                \
    static void model_##name(const struct name *k)                                                                     \
    {                                                                                                                  \
        const int size = (group_rows) * (group_columns);                                                               \
        for (int w = 0; w < size; ++w)                                                                                 \
            for (int i = w; i < (rows) * (columns); i += size) {                                                       \
                __VA_ARGS__;                                                                                           \
            }                                                                                                          \
    }
EACH_POINT(DEFINE_POINT)

/* Each work-item collects in a variable of its own, from point to point. */
struct collect {
    MEMBERS;
};
static inline void collect(tw_group group, const struct collect *k)
{
    TW_PRIVATE(group, int, mine);
    tw_parallel_for_work_item(group, item) {
        tw_private(mine, item) = 1;
    }
    tw_parallel_for_work_item_range(group, item, tw_range_1d(END)) {
        tw_private(mine, item) = (tw_private(mine, item) * 3 + k->in[tw_local_id(item, 0)]) & 0xffff;
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_local_id(item, 0)] = tw_private(mine, item);
    }
}
TW_WORK_GROUP_KERNEL(collect, 8);

static void model_collect(const struct collect *k)
{
    for (int w = 0; w < 8; ++w) {
        int mine = 1;
        for (int i = w; i < END; i += 8)
            mine = (mine * 3 + k->in[i]) & 0xffff;
        k->out[w] = mine;
    }
}

/* Only some work-items change a value of their own, in a loop at group scope: the compiler once did not come to an end. */
struct some_change {
    MEMBERS;
};
static inline void some_change(tw_group group, const struct some_change *k)
{
    TW_PRIVATE(group, int, mine);
    tw_parallel_for_work_item(group, item) {
        const int l = (int)tw_local_id(item, 0);
        if (l < k->at)
            tw_private(mine, item) = k->in[l];
    }
    for (int n = 0; n < k->m; n++) {
        tw_parallel_for_work_item(group, item) {
            if ((int)tw_local_id(item, 0) < k->at) {
                int v = tw_private(mine, item);
                for (int j = 0; j < k->n; j++)
                    v = (v * 3 + k->in[j]) & 0xffff;
                tw_private(mine, item) = v;
            }
        }
    }
    tw_parallel_for_work_item(group, item) {
        const int l = (int)tw_local_id(item, 0);
        if (l < k->at)
            k->out[l] = tw_private(mine, item);
    }
}
TW_WORK_GROUP_KERNEL(some_change, 128);

static void model_some_change(const struct some_change *k)
{
    for (int l = 0; l < 128 && l < k->at; ++l) {
        int v = k->in[l];
        for (int n = 0; n < k->m; ++n)
            for (int j = 0; j < k->n; ++j)
                v = (v * 3 + k->in[j]) & 0xffff;
        k->out[l] = v;
    }
}

/* ---- the comparison ---------------------------------------------------------------------------------------------- */

/* What the program keeps for each thread is not the group's local memory: it is there for the next group that the thread runs. */
enum { KEPT = 16 };
struct keep {
    MEMBERS;
};
static inline void keep(tw_group group, const struct keep *k)
{
    static _Thread_local int kept[KEPT];
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_local_id(item, 0);
        k->out[i] = kept[i];
        kept[i] = k->in[i] + k->at;
    }
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_local_id(item, 0);
        if (i < KEPT / 2)
            k->out[KEPT + i] = kept[i] + kept[i + KEPT / 2];
    }
}
TW_WORK_GROUP_KERNEL(keep, KEPT);

static int in[ALL], out[ALL], expected[ALL];

static const size_t firsts[] = {
    0, 5, 64, (size_t)0 - 1, (size_t)0 - 3, (size_t)0 - 63, (size_t)0 - 64, (size_t)0 - 200};
enum { FIRSTS = sizeof firsts / sizeof firsts[0] };

static void fill(void)
{
    for (int i = 0; i < ALL; ++i) {
        in[i] = i * 7 % 100;
        out[i] = expected[i] = i * 13 % 1000;
    }
}

static void compare(const char *name, size_t first)
{
    for (int i = 0; i < ALL; ++i)
        if (out[i] != expected[i]) {
            printf("%s, first %zd: out[%d] is %d, not %d\n", name, (ssize_t)first, i, out[i], expected[i]);
            TW_CHECK(out[i] == expected[i]);
            return;
        }
}

/* The values of a launch, given to the model as well. */
#define VALUES .n = END, .m = FEW, .at = 44, .first = firsts[f]
#define LAUNCH(...)                                                                                                    \
    do {                                                                                                               \
        tw_queue *queue = NULL;                                                                                        \
        tw_buffer *of_out = NULL, *of_in = NULL;                                                                       \
        TW_PASS(tw_queue_create(NULL, NULL, NULL, NULL, &queue));                                                      \
        TW_PASS(tw_buffer_create_over(out, sizeof out[0], tw_range_1d(ALL), &of_out));                                 \
        TW_PASS(tw_buffer_create_over_const(in, sizeof in[0], tw_range_1d(ALL), &of_in));                              \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        __VA_ARGS__;                                                                                                   \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_queue_wait(queue));                                                                                 \
        TW_PASS(tw_buffer_destroy(&of_out));                                                                           \
        TW_PASS(tw_buffer_destroy(&of_in));                                                                            \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
    } while (0)
#define ACCESSORS .out = tw_read_write(cg, of_out), .again = tw_read(cg, of_out), .in = tw_read(cg, of_in), VALUES
#define COMPARE_WITH_MODEL(name, ...)                                                                                  \
    for (size_t f = 0; f < FIRSTS; ++f) {                                                                              \
        fill();                                                                                                        \
        LAUNCH(__VA_ARGS__);                                                                                           \
        const struct name k = {.out = expected, .again = expected, .in = in, VALUES};                                  \
        model_##name(&k);                                                                                              \
        compare(#name, firsts[f]);                                                                                     \
    }

#define TEST_LOOP(name, size, ...)                                                                                     \
    COMPARE_WITH_MODEL(                                                                                                \
        name, tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(size), tw_range_1d(size)), name, ACCESSORS))
TW_TEST(loops_over_shared_ranges){EACH_LOOP(TEST_LOOP)}

#define TEST_POINT(name, of, group_rows, group_columns, ...)                                                           \
    COMPARE_WITH_MODEL(name, tw_parallel_for_work_group(cg, tw_range_2d(1, 1), tw_range_2d(group_rows, group_columns), \
                                                        name, ACCESSORS))
TW_TEST(points_beyond_the_group){EACH_POINT(TEST_POINT)}

TW_TEST(values_of_work_items){
    COMPARE_WITH_MODEL(collect, tw_parallel_for_work_group(cg, tw_range_1d(1), tw_range_1d(8), collect, ACCESSORS))
        COMPARE_WITH_MODEL(some_change,
                           tw_parallel_for_work_group(cg, tw_range_1d(1), tw_range_1d(128), some_change, ACCESSORS))}

/* Which thread runs a group is not known: it has what an earlier launch left there, or nothing yet. */
TW_TEST(variables_of_threads)
{
    enum { LAUNCHES = 200 };
    int with_nothing = 0;
    fill();
    for (int launch = 1; launch <= LAUNCHES; ++launch) {
        LAUNCH(tw_parallel_for_work_group(cg, tw_range_1d(1), tw_range_1d(KEPT), keep, .out = tw_read_write(cg, of_out),
                                          .again = tw_read(cg, of_out), .in = tw_read(cg, of_in), .at = launch));
        const int before = out[0] - in[0];
        for (int i = 0; i < KEPT / 2; ++i)
            TW_CHECK(out[KEPT + i] == in[i] + in[i + KEPT / 2] + 2 * launch);
        if (out[1] == 0) {
            ++with_nothing;
            continue;
        }
        TW_CHECK(before > 0 && before < launch);
        for (int i = 0; i < KEPT; ++i)
            TW_CHECK(out[i] == in[i] + before);
    }
    TW_CHECK(with_nothing < LAUNCHES / 2);
}

TW_TEST_LIST = {TW_CASE(loops_over_shared_ranges), TW_CASE(points_beyond_the_group), TW_CASE(values_of_work_items),
                TW_CASE(variables_of_threads), TW_CASES_END};
