/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice for kernels on CPUs, measured: each line is a kernel written in one way and in another, in turns, and the ratio
 * of their times. Data are in the caches, unless the line is about memory.
 *
 *     advice_cpu [--only NAME[,NAME]...] [--seconds S]
 */
#include <stdlib.h>

#include "../harness/bench_teamwork.h"

#include <teamwork/group_functions.h>

enum {
    COUNT = 1 << 16,
    LARGE = 1 << 24,
    SIDE = 512,
    TILE = 16,
    GROUP = 128,
    TERMS = 24,
    PITCH = 2048,
    MOST_ROUNDS = 101
};

/* ---- kernels: what they read and write, and sizes that are values of the run --------------------------------------- */

struct advice {
    const float *in;
    float *out;
    double *sums;
    size_t count, pitch;
    float a, b, c;
};

/* Four numbers that belong together, by indices of three types. */
#define STRIDED(name, type)                                                                                            \
    static inline void name(tw_item item, const struct advice *k)                                                      \
    {                                                                                                                  \
        const type i = (type)tw_global_id(item, 0);                                                                    \
        k->out[i] = k->in[4 * i] * k->in[4 * i + 1] + k->in[4 * i + 2] * k->in[4 * i + 3];                             \
    }
STRIDED(strided_int, int)
TW_RANGE_KERNEL(TW_BLOCK(advice) strided_int, 1);
STRIDED(strided_unsigned, unsigned)
TW_RANGE_KERNEL(TW_BLOCK(advice) strided_unsigned, 1);
STRIDED(strided_size, size_t)
TW_RANGE_KERNEL(TW_BLOCK(advice) strided_size, 1);

/* A difference that wraps around where the condition does not hold. */
#define BEHIND(name, type)                                                                                             \
    static inline void name(tw_group group, const struct advice *k)                                                    \
    {                                                                                                                  \
        TW_LOCAL(float, block, [2 * GROUP]);                                                                           \
        tw_parallel_for_work_item(group, item) {                                                                       \
            const type t = (type)tw_local_id(item, 0);                                                                 \
            block[2 * t] = k->in[2 * tw_global_id(item, 0)];                                                           \
            block[2 * t + 1] = k->in[2 * tw_global_id(item, 0) + 1];                                                   \
        }                                                                                                              \
        for (type stride = 1; stride < 2 * GROUP; stride *= 2)                                                         \
            tw_parallel_for_work_item(group, item) {                                                                   \
                const type t = (type)tw_local_id(item, 0);                                                             \
                float sum = 0;                                                                                         \
                if (2 * t >= stride)                                                                                   \
                    sum = block[2 * t - stride];                                                                       \
                k->out[tw_global_id(item, 0)] += sum;                                                                  \
            }                                                                                                          \
    }
BEHIND(behind_int, int)
TW_WORK_GROUP_KERNEL(TW_BLOCK(advice) behind_int, GROUP);
BEHIND(behind_unsigned, unsigned)
TW_WORK_GROUP_KERNEL(TW_BLOCK(advice) behind_unsigned, GROUP);
BEHIND(behind_size, size_t)
TW_WORK_GROUP_KERNEL(TW_BLOCK(advice) behind_size, GROUP);

/* The offset of a row in `unsigned`, and the column added to the pointer; or one index. */
static inline void row_pointer(tw_item item, const struct advice *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0), pitch = (unsigned)k->pitch;
    const size_t x = tw_global_id(item, 1);
    const float *in = k->in + (row + 1) * pitch + 1;
    (k->out + row * pitch)[x] = (in - pitch)[x] + (in + pitch)[x] + (in - 1)[x] + (in + 1)[x];
}
TW_RANGE_KERNEL(TW_BLOCK(advice) row_pointer, 2);

#define ROW_INDEX(name, type)                                                                                          \
    static inline void name(tw_item item, const struct advice *k)                                                      \
    {                                                                                                                  \
        const type pitch = (type)k->pitch, y = (type)tw_global_id(item, 0), x = (type)tw_global_id(item, 1);           \
        const type at = (y + 1) * pitch + x + 1;                                                                       \
        k->out[y * pitch + x] = k->in[at - pitch] + k->in[at + pitch] + k->in[at - 1] + k->in[at + 1];                 \
    }
ROW_INDEX(row_int, int)
TW_RANGE_KERNEL(TW_BLOCK(advice) row_int, 2);
ROW_INDEX(row_unsigned, unsigned)
TW_RANGE_KERNEL(TW_BLOCK(advice) row_unsigned, 2);
ROW_INDEX(row_size, size_t)
TW_RANGE_KERNEL(TW_BLOCK(advice) row_size, 2);

/* A choice among members of the block. */
static inline void choice_members(tw_item item, const struct advice *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->in[i] < 16 ? k->a : k->in[i] < 32 ? k->b : k->c;
}
TW_RANGE_KERNEL(TW_BLOCK(advice) choice_members, 1);

static inline void choice_variables(tw_item item, const struct advice *k)
{
    const size_t i = tw_global_id(item, 0);
    const float a = k->a, b = k->b, c = k->c;
    k->out[i] = k->in[i] < 16 ? a : k->in[i] < 32 ? b : c;
}
TW_RANGE_KERNEL(TW_BLOCK(advice) choice_variables, 1);

/* A sum in an inner loop over numbers that lie in a row for each work-item. */
static inline void sum_in_order(tw_item item, const struct advice *k)
{
    const float *in = k->in + tw_global_id(item, 0) * k->pitch;
    float sum = 0;
    for (size_t j = 0; j < k->pitch; ++j)
        sum += in[j];
    k->out[tw_global_id(item, 0)] = sum;
}
TW_RANGE_KERNEL(TW_BLOCK(advice) sum_in_order, 1);

static inline void sum_reassociated(tw_item item, const struct advice *k)
{
#pragma clang fp reassociate(on)
    const float *in = k->in + tw_global_id(item, 0) * k->pitch;
    float sum = 0;
    for (size_t j = 0; j < k->pitch; ++j)
        sum += in[j];
    k->out[tw_global_id(item, 0)] = sum;
}
TW_RANGE_KERNEL(TW_BLOCK(advice) sum_reassociated, 1);

/* Accumulators that are members of a struct. */
static inline void force_struct(tw_item item, const struct advice *k)
{
    const float *in = k->in;
    const size_t i = tw_global_id(item, 0);
    struct {
        float x, y;
    } sum = {0, 0};
    for (size_t j = 0; j < TERMS * k->pitch; ++j) {
        const float dx = in[2 * j] - in[i], dy = in[2 * j + 1] - in[i + 1], near = 1 / (dx * dx + dy * dy + 1);
        sum.x += dx * near;
        sum.y += dy * near;
    }
    k->out[i] = sum.x + sum.y;
}
TW_RANGE_KERNEL(TW_BLOCK(advice) force_struct, 1);

static inline void force_variables(tw_item item, const struct advice *k)
{
    const float *in = k->in;
    const size_t i = tw_global_id(item, 0);
    float x = 0, y = 0;
    for (size_t j = 0; j < TERMS * k->pitch; ++j) {
        const float dx = in[2 * j] - in[i], dy = in[2 * j + 1] - in[i + 1], near = 1 / (dx * dx + dy * dy + 1);
        x += dx * near;
        y += dy * near;
    }
    k->out[i] = x + y;
}
TW_RANGE_KERNEL(TW_BLOCK(advice) force_variables, 1);

/* Structures in an array, of three and of four numbers, or arrays in a structure. */
#define NORM(name, x, y, z)                                                                                            \
    static inline void name(tw_item item, const struct advice *k)                                                      \
    {                                                                                                                  \
        const size_t i = tw_global_id(item, 0);                                                                        \
        const float *in = k->in;                                                                                       \
        k->out[i] = in[x] * in[x] + in[y] * in[y] + in[z] * in[z];                                                     \
    }
NORM(norm_arrays, i, i + COUNT, i + 2 * COUNT)
TW_RANGE_KERNEL(TW_BLOCK(advice) norm_arrays, 1);
NORM(norm_of_3, 3 * i, 3 * i + 1, 3 * i + 2)
TW_RANGE_KERNEL(TW_BLOCK(advice) norm_of_3, 1);
NORM(norm_of_4, 4 * i, 4 * i + 1, 4 * i + 2)
TW_RANGE_KERNEL(TW_BLOCK(advice) norm_of_4, 1);

/* A tile in local memory, in groups of a size that is in the definition, or that is not. */
static inline void tile_body(tw_group group, const struct advice *k)
{
    TW_LOCAL(float, tile, [TILE][TILE]);
    tw_parallel_for_work_item(group, item) {
        tile[tw_local_id(item, 0)][tw_local_id(item, 1)] =
            k->in[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)];
    }
    tw_parallel_for_work_item(group, item) {
        const size_t y = tw_local_id(item, 0), x = tw_local_id(item, 1);
        const size_t above = y == 0 ? y : y - 1, below = y == TILE - 1 ? y : y + 1;
        k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] = tile[above][x] + tile[y][x] + tile[below][x];
    }
}
static inline void tile_sized(tw_group group, const struct advice *k)
{
    tile_body(group, k);
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(advice) tile_sized, TILE, TILE);
static inline void tile_any(tw_group group, const struct advice *k)
{
    tile_body(group, k);
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(advice) tile_any);

/* Columns are read. */
static inline void columns(tw_item item, const struct advice *k)
{
    k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] =
        k->in[tw_global_id(item, 1) * k->pitch + tw_global_id(item, 0)];
}
TW_RANGE_KERNEL(TW_BLOCK(advice) columns, 2);

/* Computed in float, and added up in double. */
static inline void mixed(tw_item item, const struct advice *k)
{
    const size_t i = tw_global_id(item, 0);
    float x = k->in[i];
    for (int j = 0; j < TERMS; ++j)
        x = x * k->a + k->b;
    k->sums[i] += (double)x;
}
static inline void mixed_wide(tw_item item, const struct advice *k)
{
    mixed(item, k);
}
TW_RANGE_KERNEL(TW_BLOCK(advice) mixed, 1);
TW_RANGE_KERNEL(TW_BLOCK(advice) TW_HOST_LOOP(vectorize_width(16)) mixed_wide, 1);

/* Groups that are small. */
static inline void triad(tw_nd_item item, const struct advice *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->in[i] + k->a * k->in[i + COUNT];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(advice) triad);

/* A group reads a part of the memory, or all groups go through it together. */
static inline void sum_of_part(tw_nd_item item, const struct advice *k)
{
    const size_t each = k->count / tw_group_range(item, 0);
    const float *in = k->in + tw_group_id(item, 0) * each;
    float sum = 0;
    for (size_t i = tw_local_id(item, 0); i < each; i += GROUP)
        sum += in[i];
    sum = tw_reduce_over_group(item, sum, TW_SUM);
    if (tw_local_id(item, 0) == 0)
        k->out[tw_group_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(advice) sum_of_part, GROUP);

static inline void sum_together(tw_nd_item item, const struct advice *k)
{
    float sum = 0;
    for (size_t i = tw_global_id(item, 0); i < k->count; i += tw_global_range(item, 0))
        sum += k->in[i];
    sum = tw_reduce_over_group(item, sum, TW_SUM);
    if (tw_local_id(item, 0) == 0)
        k->out[tw_group_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(advice) sum_together, GROUP);

/* Work-items that meet, in an nd_range kernel. */
static inline void meeting(tw_nd_item item, const struct advice *k)
{
    TW_LOCAL(float, block, [GROUP]);
    const size_t t = tw_local_id(item, 0), i = tw_global_id(item, 0);
    block[t] = k->in[i];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[i] = block[t] + block[GROUP - 1 - t];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(advice) meeting, GROUP);
static inline void meeting_in_loops(tw_group group, const struct advice *k)
{
    TW_LOCAL(float, block, [GROUP]);
    tw_parallel_for_work_item(group, item) {
        block[tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)];
    }
    tw_parallel_for_work_item(group, item) {
        const size_t t = tw_local_id(item, 0);
        k->out[tw_global_id(item, 0)] = block[t] + block[GROUP - 1 - t];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(advice) meeting_in_loops, GROUP);

/* Prefix sums of a group's numbers, by one thread in order or by a group function. */
static inline void scan_once(tw_group group, const struct advice *k)
{
    const size_t first = tw_group_id(group, 0) * GROUP;
    TW_ONCE(group) {
        float sum = 0;
        for (size_t i = first; i < first + GROUP; ++i)
            k->out[i] = sum += k->in[i];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(advice) scan_once, GROUP);
static inline void scan_function(tw_group group, const struct advice *k)
{
    TW_PRIVATE(group, float, sum);
    tw_parallel_for_work_item(group, item) {
        tw_private(sum, item) = k->in[tw_global_id(item, 0)];
    }
    tw_inclusive_scan_over_group(group, sum, TW_SUM);
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = tw_private(sum, item);
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(advice) scan_function, GROUP);

/* Values that are read again in a second loop, or kept in TW_PRIVATE. */
static inline void read_again(tw_group group, const struct advice *k)
{
    TW_LOCAL(float, block, [GROUP]);
    tw_parallel_for_work_item(group, item) {
        block[tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)] * k->in[tw_global_id(item, 0) + COUNT];
    }
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_id(item, 0);
        k->out[i] = k->in[i] + k->in[i + COUNT] + block[GROUP - 1 - tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(advice) read_again, GROUP);
static inline void kept_private(tw_group group, const struct advice *k)
{
    TW_LOCAL(float, block, [GROUP]);
    TW_PRIVATE(group, float, a);
    TW_PRIVATE(group, float, b);
    tw_parallel_for_work_item(group, item) {
        tw_private(a, item) = k->in[tw_global_id(item, 0)];
        tw_private(b, item) = k->in[tw_global_id(item, 0) + COUNT];
        block[tw_local_id(item, 0)] = tw_private(a, item) * tw_private(b, item);
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] =
            tw_private(a, item) + tw_private(b, item) + block[GROUP - 1 - tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(advice) kept_private, GROUP);

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

enum form { RANGE, ITEMS, GROUPS };

struct way {
    const char *name;
    const tw_kernel *kernel;
    enum form form;
    size_t rows, columns; /* work-items; rows 0: one dimension */
    size_t local;         /* of a group, in each dimension */
    size_t pitch;
};

/* The ratio is that of the second to the first. */
static const struct line {
    const char *name;
    struct way first, second;
} lines[] = {
#define ONE(name, count, pitch) {#name, TW_KERNEL(name), RANGE, 0, count, 0, pitch}
#define TWO(name, side, pitch) {#name, TW_KERNEL(name), RANGE, side, side, 0, pitch}
    {"strided", ONE(strided_size, COUNT, 0), ONE(strided_int, COUNT, 0)},
    {"strided", ONE(strided_size, COUNT, 0), ONE(strided_unsigned, COUNT, 0)},
    {"behind",
     {"behind_size", TW_KERNEL(behind_size), GROUPS, 0, COUNT, GROUP, 0},
     {"behind_int", TW_KERNEL(behind_int), GROUPS, 0, COUNT, GROUP, 0}},
    {"behind",
     {"behind_size", TW_KERNEL(behind_size), GROUPS, 0, COUNT, GROUP, 0},
     {"behind_unsigned", TW_KERNEL(behind_unsigned), GROUPS, 0, COUNT, GROUP, 0}},
    {"row", TWO(row_pointer, SIDE, SIDE + 16), TWO(row_size, SIDE, SIDE + 16)},
    {"row", TWO(row_pointer, SIDE, SIDE + 16), TWO(row_int, SIDE, SIDE + 16)},
    {"row", TWO(row_pointer, SIDE, SIDE + 16), TWO(row_unsigned, SIDE, SIDE + 16)},
    {"choice", ONE(choice_variables, COUNT, 0), ONE(choice_members, COUNT, 0)},
    {"sum", ONE(sum_reassociated, COUNT / 16, 64), ONE(sum_in_order, COUNT / 16, 64)},
    {"struct", ONE(force_variables, COUNT / 64, 8), ONE(force_struct, COUNT / 64, 8)},
    {"arrays", ONE(norm_arrays, COUNT, 0), ONE(norm_of_3, COUNT, 0)},
    {"arrays", ONE(norm_arrays, COUNT, 0), ONE(norm_of_4, COUNT, 0)},
    {"size",
     {"tile_sized", TW_KERNEL(tile_sized), GROUPS, SIDE, SIDE, TILE, SIDE},
     {"tile_any", TW_KERNEL(tile_any), GROUPS, SIDE, SIDE, TILE, SIDE}},
    {"padding", TWO(columns, PITCH, PITCH + 16), TWO(columns, PITCH, PITCH)},
    {"width", ONE(mixed_wide, COUNT, 0), ONE(mixed, COUNT, 0)},
    {"groups",
     {"triad, 128", TW_KERNEL(triad), ITEMS, 0, COUNT, 128, 0},
     {"triad, 1024", TW_KERNEL(triad), ITEMS, 0, COUNT, 1024, 0}},
    {"groups",
     {"triad, 128", TW_KERNEL(triad), ITEMS, 0, COUNT, 128, 0},
     {"triad, 16", TW_KERNEL(triad), ITEMS, 0, COUNT, 16, 0}},
    {"memory",
     {"sum_of_part", TW_KERNEL(sum_of_part), ITEMS, 0, 512 * (size_t)GROUP, GROUP, 0},
     {"sum_together", TW_KERNEL(sum_together), ITEMS, 0, 512 * (size_t)GROUP, GROUP, 0}},
    {"once",
     {"scan_once", TW_KERNEL(scan_once), GROUPS, 0, COUNT, GROUP, 0},
     {"scan_function", TW_KERNEL(scan_function), GROUPS, 0, COUNT, GROUP, 0}},
    {"private",
     {"read_again", TW_KERNEL(read_again), GROUPS, 0, COUNT, GROUP, 0},
     {"kept_private", TW_KERNEL(kept_private), GROUPS, 0, COUNT, GROUP, 0}},
    {"barriers",
     {"meeting_in_loops", TW_KERNEL(meeting_in_loops), GROUPS, 0, COUNT, GROUP, 0},
     {"meeting", TW_KERNEL(meeting), ITEMS, 0, COUNT, GROUP, 0}},
};

static tw_buffer *in, *out, *sums;

static void launch(tw_command_group *cg, const struct way *w)
{
    const struct advice block = {.in = tw_read(cg, in),
                                 .out = tw_read_write(cg, out),
                                 .sums = tw_read_write(cg, sums),
                                 .count = LARGE,
                                 .pitch = w->pitch,
                                 .a = 0.5f,
                                 .b = 1,
                                 .c = 2};
    const tw_range items = w->rows ? tw_range_2d(w->rows, w->columns) : tw_range_1d(w->columns);
    const tw_range local = w->rows ? tw_range_2d(w->local, w->local) : tw_range_1d(w->local);
    if (w->form == RANGE)
        tw_parallel_for_kernel(cg, items, w->kernel, &block, sizeof block);
    else if (w->form == ITEMS)
        tw_parallel_for_nd_range_kernel(cg, tw_nd_range_make(items, local), w->kernel, &block, sizeof block);
    else
        tw_parallel_for_work_group_kernel(
            cg, w->rows ? tw_range_2d(w->rows / w->local, w->columns / w->local) : tw_range_1d(w->columns / w->local),
            local, w->kernel, &block, sizeof block);
}

static double run(const struct way *w)
{
    enum { CALLS = 11 };
    double times[CALLS];
    for (int call = -1; call < CALLS; ++call) {
        const double start = bench_now();
        tw_command_group *cg = tw_queue_begin(bench_queue());
        launch(cg, w);
        if (!bench_passed(tw_queue_submit(bench_queue(), cg, NULL)) || !bench_passed(tw_queue_wait(bench_queue())))
            exit(1);
        if (call >= 0)
            times[call] = (bench_now() - start) * 1e6;
    }
    return bench_summarize(times, CALLS).median;
}

struct turns {
    const struct line *line;
    double times[2][MOST_ROUNDS];
};

static void take_turn(void *user, size_t version, unsigned round)
{
    struct turns *t = user;
    t->times[version][round] = run(version ? &t->line->second : &t->line->first);
}

static void measure(const struct line *line, double seconds)
{
    static struct turns t;
    double ratios[MOST_ROUNDS];
    t.line = line;
    const unsigned rounds = bench_take_rounds(0, (struct bench_effort){11, MOST_ROUNDS, seconds}, 2, take_turn, &t);
    for (unsigned r = 0; r < rounds; ++r)
        ratios[r] = t.times[1][r] / t.times[0][r];
    const double ratio = bench_summarize(ratios, rounds).median;
    printf("%-10s %-18s %9.1f us   %-18s %9.1f us   %6.2f\n", line->name, line->first.name,
           bench_summarize(t.times[0], rounds).median, line->second.name, bench_summarize(t.times[1], rounds).median,
           ratio);
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    double seconds = 0.5;
    const struct bench_option options[] = {{"--only", "NAME[,NAME]...", BENCH_TEXT, &only},
                                           {"--seconds", "S", BENCH_NUMBER, &seconds},
                                           {NULL, NULL, BENCH_FLAG, NULL}};
    if (!bench_parse(argc, argv, options))
        return 2;
    float *numbers = malloc(LARGE * sizeof *numbers);
    if (!numbers || !bench_open("host"))
        return 1;
    for (size_t i = 0; i < LARGE; ++i)
        numbers[i] = (float)(i * 7919 % 64);
    if (!bench_passed(tw_buffer_create_copy(numbers, sizeof *numbers, tw_range_1d(LARGE), &in))
        || !bench_passed(tw_buffer_create_copy(numbers, sizeof *numbers, tw_range_1d(LARGE), &out))
        || !bench_passed(tw_buffer_create(sizeof(double), tw_range_1d(COUNT), &sums)))
        return 1;
    free(numbers);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i)
        if (bench_is_listed(only, lines[i].name))
            measure(&lines[i], seconds);
    bench_passed(tw_buffer_destroy(&in));
    bench_passed(tw_buffer_destroy(&out));
    bench_passed(tw_buffer_destroy(&sums));
    return bench_close() ? 0 : 1;
}
