/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams gpu-simt (gpu-teams), long */
/**
 * Kernels whose results must be the same, bit for bit, under every lowering: each runs on the device under test and on
 * the host device, whose result must have the checksum that a build without optimization gives. Floating point is kept
 * to what rounds nowhere.
 */
#include "tw_test.h"

/* Every kernel here maps an array of words to another. */
#define BLOCK(name)                                                                                                    \
    struct name {                                                                                                      \
        const unsigned *in;                                                                                            \
        unsigned *out;                                                                                                 \
    };                                                                                                                 \
    static inline void name

#define RECORD_RANGE(name, range)                                                                                      \
    static void record_##name(tw_command_group *cg, const unsigned *in, unsigned *out)                                 \
    {                                                                                                                  \
        tw_parallel_for(cg, range, name, .in = in, .out = out);                                                        \
    }

#define RECORD_GROUPS(name, groups, local)                                                                             \
    static void record_##name(tw_command_group *cg, const unsigned *in, unsigned *out)                                 \
    {                                                                                                                  \
        tw_parallel_for_work_group(cg, groups, local, name, .in = in, .out = out);                                     \
    }

enum { IN = 1 << 14, OUT = 1 << 14 };

static void run_on(tw_queue *queue, void (*record)(tw_command_group *, const unsigned *, unsigned *), unsigned *result)
{
    static unsigned data[IN];
    tw_buffer *in = NULL, *out = NULL;
    for (unsigned i = 0; i < IN; ++i)
        data[i] = i * 2654435761u ^ i >> 3;
    memset(result, 0xee, OUT * sizeof *result);
    TW_PASS(tw_buffer_create_over_const(data, sizeof *data, tw_range_1d(IN), &in));
    TW_PASS(tw_buffer_create_over(result, sizeof *result, tw_range_1d(OUT), &out));
    tw_command_group *cg = tw_queue_begin(queue);
    const unsigned *source = tw_read(cg, in);
    record(cg, source, tw_write(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&in));
}

static unsigned long long checksum(const unsigned *words)
{
    unsigned long long sum = 14695981039346656037u;
    for (unsigned i = 0; i < OUT; ++i)
        sum = (sum ^ words[i]) * 1099511628211u;
    return sum;
}

static void compare(void (*record)(tw_command_group *, const unsigned *, unsigned *), unsigned long long known)
{
    static unsigned expected[OUT], got[OUT];
    tw_queue *queue = tw_test_queue(), *host = NULL;
    TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &host));
    run_on(host, record, expected);
    if (checksum(expected) != known)
        fprintf(stderr, "the checksum on the host is %#llx\n", checksum(expected));
    TW_CHECK(checksum(expected) == known);
    run_on(queue, record, got);
    for (unsigned i = 0; i < OUT; ++i) {
        if (got[i] == expected[i])
            continue;
        fprintf(stderr, "word %u is %#x on %s and %#x on the host\n", i, got[i], tw_device_name(tw_queue_device(queue)),
                expected[i]);
        TW_CHECK(!"the results are the same");
    }
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&host));
}

#define LOWERING_CASE(name, known)                                                                                     \
    TW_TEST(lowering_##name)                                                                                           \
    {                                                                                                                  \
        compare(record_##name, known);                                                                                 \
    }

/* ---- range kernels ----------------------------------------------------------------------------------------------- */

/* Divergent trip counts, 64-bit and signed arithmetic, shifts, division. */
BLOCK(collatz)(tw_item item, const struct collatz *k)
{
    const size_t i = tw_global_id(item, 0);
    unsigned long long n = k->in[i] % 100000 + 1;
    unsigned steps = 0;
    while (n != 1 && steps < 1000) {
        n = n & 1 ? 3 * n + 1 : n >> 1;
        ++steps;
    }
    const int s = (int)k->in[i] / 7 % 1000;
    k->out[i] = steps * 1000003u + (unsigned)(s / -3) + (unsigned)(s % 11) + (unsigned)(s >> 2);
}
TW_RANGE_KERNEL(collatz);
RECORD_RANGE(collatz, tw_range_1d(OUT))
LOWERING_CASE(collatz, 0x6a5b7f25303ebf97)

/* Fixed-point Mandelbrot set over two dimensions. */
BLOCK(mandelbrot)(tw_item item, const struct mandelbrot *k)
{
    const long long one = 1 << 24;
    const long long cr = -2 * one + 3 * one * (long long)tw_global_id(item, 1) / (long long)tw_global_range(item, 1);
    const long long ci = -one + 2 * one * (long long)tw_global_id(item, 0) / (long long)tw_global_range(item, 0);
    long long r = 0, i = 0;
    unsigned turns = 0;
    for (; turns < 200; ++turns) {
        const long long rr = r * r / one, ii = i * i / one;
        if (rr + ii > 4 * one)
            break;
        i = 2 * r * i / one + ci;
        r = rr - ii + cr;
    }
    k->out[tw_global_linear_id(item)] = turns + k->in[turns];
}
TW_RANGE_KERNEL(mandelbrot, 2);
RECORD_RANGE(mandelbrot, tw_range_2d(127, 129))
LOWERING_CASE(mandelbrot, 0x52253e2fa34b297f)

/* A 7-point stencil over three dimensions with odd extents. */
BLOCK(stencil)(tw_item item, const struct stencil *k)
{
    const tw_range r = tw_get_global_range(item);
    const tw_id at = tw_get_global_id(item);
    unsigned sum = 6 * k->in[tw_linear_id(at, r)];
    for (unsigned d = 0; d < 3; ++d) {
        tw_id near = at;
        if (at.at[d] > 0) {
            near.at[d] = at.at[d] - 1;
            sum -= k->in[tw_linear_id(near, r)];
        }
        if (at.at[d] + 1 < r.size[d]) {
            near.at[d] = at.at[d] + 1;
            sum -= 3 * k->in[tw_linear_id(near, r)];
        }
    }
    k->out[tw_global_linear_id(item)] = sum;
}
TW_RANGE_KERNEL(stencil);
RECORD_RANGE(stencil, tw_range_3d(19, 23, 37))
LOWERING_CASE(stencil, 0xb067e02336faa925)

/* Private arrays that are indexed with values, bytes and shorts, doubles that hold integers. Vectorizing this as if
   all accesses were parallel is wrong: the iterations of a loop share the memory of a body's array. */
BLOCK(mixed)(tw_item item, const struct mixed *k)
{
    const size_t i = tw_global_id(item, 0);
    unsigned char bytes[16];
    short halves[8];
    double sum = 0;
    for (int j = 0; j < 16; ++j)
        bytes[j] = (unsigned char)(k->in[(i + (size_t)j) % IN] >> j);
    for (int j = 0; j < 8; ++j)
        halves[j] = (short)(bytes[2 * j] * bytes[15 - j] - 1000);
    for (int j = 0; j < 8; ++j)
        sum += halves[j] * 4.0 + bytes[(unsigned)halves[j] % 16u];
    k->out[i] = (unsigned)(long long)(sum * 8.0);
}
TW_RANGE_KERNEL(mixed, 1);
RECORD_RANGE(mixed, tw_range_1d(OUT - 5))
LOWERING_CASE(mixed, 0xbfcdfac3abcb69e3)

/* ---- hierarchical kernels ---------------------------------------------------------------------------------------- */

enum { TILE = 16, BOARD = 112 };

/* Game of Life with a halo in local memory; the board is 112 x 112, dead around it. */
BLOCK(life)(tw_group group, const struct life *k)
{
    TW_LOCAL(unsigned char, tile, [TILE + 2][TILE + 2]);
    const int row = (int)tw_group_id(group, 0) * TILE - 1, column = (int)tw_group_id(group, 1) * TILE - 1;
    tw_parallel_for_work_item_range(group, item, tw_range_2d(TILE + 2, TILE + 2)) {
        const int r = row + (int)tw_local_id(item, 0), c = column + (int)tw_local_id(item, 1);
        tile[tw_local_id(item, 0)][tw_local_id(item, 1)] =
            r >= 0 && r < BOARD && c >= 0 && c < BOARD ? k->in[r * BOARD + c] >> 5 & 1 : 0;
    }
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_local_id(item, 0), j = tw_local_id(item, 1);
        unsigned n = 0;
        for (size_t a = 0; a < 3; ++a)
            for (size_t b = 0; b < 3; ++b)
                n += tile[i + a][j + b];
        const unsigned alive = tile[i + 1][j + 1];
        k->out[tw_global_linear_id(item)] = n == 3 || (n == 4 && alive);
    }
}
TW_WORK_GROUP_KERNEL(life, TILE, TILE);
RECORD_GROUPS(life, tw_range_2d(BOARD / TILE, BOARD / TILE), tw_range_2d(TILE, TILE))
LOWERING_CASE(life, 0x7a591033a531c40e)

/* The private arrays again, in loops over work-items. */
BLOCK(mixed_groups)(tw_group group, const struct mixed_groups *k)
{
    TW_LOCAL(unsigned, words, [64]);
    tw_parallel_for_work_item(group, item) {
        words[tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)];
    }
    tw_parallel_for_work_item(group, item) {
        unsigned char bytes[16];
        unsigned sum = 0;
        for (unsigned j = 0; j < 16; ++j)
            bytes[j] = (unsigned char)(words[(tw_local_id(item, 0) + j) % 64] >> j);
        for (unsigned j = 0; j < 8; ++j)
            sum = sum * 31 + bytes[(unsigned)(bytes[2 * j] * bytes[15 - j] - 1000) % 16];
        k->out[tw_global_id(item, 0)] = sum;
    }
}
TW_WORK_GROUP_KERNEL(mixed_groups, 64);
RECORD_GROUPS(mixed_groups, tw_range_1d(OUT / 64), tw_range_1d(64))
LOWERING_CASE(mixed_groups, 0x22a31aeae77270df)

/* Matrix product of 96 x 96 words by 8 x 8 tiles; the sums live in private memory between the loops. */
enum { EDGE = 96, SIDE = 8 };
BLOCK(multiply)(tw_group group, const struct multiply *k)
{
    TW_LOCAL(unsigned, a, [SIDE][SIDE]);
    TW_LOCAL(unsigned, b, [SIDE][SIDE]);
    TW_PRIVATE(group, unsigned, sum);
    tw_parallel_for_work_item(group, item) {
        tw_private(sum, item) = 0;
    }
    for (size_t t = 0; t < EDGE; t += SIDE) {
        tw_parallel_for_work_item(group, item) {
            const size_t i = tw_local_id(item, 0), j = tw_local_id(item, 1);
            a[i][j] = k->in[tw_global_id(item, 0) * EDGE + t + j];
            b[i][j] = k->in[(t + i) * EDGE + tw_global_id(item, 1)] + 1;
        }
        tw_parallel_for_work_item(group, item) {
            for (size_t m = 0; m < SIDE; ++m)
                tw_private(sum, item) += a[tw_local_id(item, 0)][m] * b[m][tw_local_id(item, 1)];
        }
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_linear_id(item)] = tw_private(sum, item);
    }
}
TW_WORK_GROUP_KERNEL(multiply);
RECORD_GROUPS(multiply, tw_range_2d(EDGE / SIDE, EDGE / SIDE), tw_range_2d(SIDE, SIDE))
LOWERING_CASE(multiply, 0x260ae030d2942f25)

/* The same with other options for the host's loops, with rows for several vectors. */
enum { WIDE = 32 };

BLOCK(multiply_hinted)(tw_group group, const struct multiply_hinted *k)
{
    TW_LOCAL(unsigned, a, [SIDE][SIDE]);
    TW_LOCAL(unsigned, b, [SIDE][WIDE]);
    TW_PRIVATE(group, unsigned, sum);
    const size_t row = SIDE * tw_group_id(group, 0), column = WIDE * tw_group_id(group, 1);
    tw_parallel_for_work_item(group, TW_HOST_LOOP(vectorize(assume_safety) interleave_count(2)) item) {
        tw_private(sum, item) = 0;
    }
    for (size_t t = 0; t < EDGE; t += SIDE) {
        tw_parallel_for_work_item_range(group, TW_HOST_LOOP(vectorize(assume_safety) interleave_count(2)) item,
                                        tw_range_2d(SIDE, SIDE)) {
            const size_t i = tw_local_id(item, 0), j = tw_local_id(item, 1);
            a[i][j] = k->in[(row + i) * EDGE + t + j];
        }
        tw_parallel_for_work_item(group, TW_HOST_LOOP(vectorize(assume_safety) interleave_count(2)) item) {
            const size_t i = tw_local_id(item, 0), j = tw_local_id(item, 1);
            b[i][j] = k->in[(t + i) * EDGE + column + j] + 1;
        }
        tw_parallel_for_work_item(group, TW_HOST_LOOP(vectorize(assume_safety) interleave_count(2)) item) {
            unsigned more = 0;
#pragma clang loop unroll(full)
            for (size_t m = 0; m < SIDE; ++m)
                more += a[tw_local_id(item, 0)][m] * b[m][tw_local_id(item, 1)];
            tw_private(sum, item) += more;
        }
    }
    tw_parallel_for_work_item(group, TW_HOST_LOOP(vectorize(assume_safety) interleave_count(2)) item) {
        k->out[tw_global_linear_id(item)] = tw_private(sum, item);
    }
}
TW_WORK_GROUP_KERNEL(multiply_hinted, SIDE, WIDE);
RECORD_GROUPS(multiply_hinted, tw_range_2d(EDGE / SIDE, EDGE / WIDE), tw_range_2d(SIDE, WIDE))
LOWERING_CASE(multiply_hinted, 0x260ae030d2942f25)

/* Inclusive prefix sums of 128 words in each group, by doubling. */
BLOCK(scan)(tw_group group, const struct scan *k)
{
    TW_LOCAL(unsigned, sums, [2][128]);
    unsigned now = 0;
    tw_parallel_for_work_item(group, item) {
        sums[0][tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)];
    }
    for (size_t step = 1; step < tw_local_range(group, 0); step *= 2) {
        tw_parallel_for_work_item(group, item) {
            const size_t i = tw_local_id(item, 0);
            sums[1 - now][i] = sums[now][i] + (i >= step ? sums[now][i - step] : 0);
        }
        now = 1 - now;
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = sums[now][tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(scan);
RECORD_GROUPS(scan, tw_range_1d(OUT / 128), tw_range_1d(128))
LOWERING_CASE(scan, 0xcd1c62f238b6e325)

/* Bitonic sort of 64 words in each group by 32 work-items. */
BLOCK(sort)(tw_group group, const struct sort *k)
{
    TW_LOCAL(unsigned, x, [64]);
    const size_t base = 64 * tw_group_id(group, 0);
    tw_parallel_for_work_item_range(group, item, tw_range_1d(64)) {
        x[tw_local_id(item, 0)] = k->in[base + tw_local_id(item, 0)];
    }
    for (size_t size = 2; size <= 64; size *= 2)
        for (size_t stride = size / 2; stride > 0; stride /= 2) {
            tw_parallel_for_work_item(group, item) {
                const size_t t = tw_local_id(item, 0);
                const size_t i = t / stride * stride * 2 + t % stride, j = i + stride;
                const bool up = (i & size) == 0;
                if ((x[i] > x[j]) == up) {
                    const unsigned swap = x[i];
                    x[i] = x[j];
                    x[j] = swap;
                }
            }
        }
    tw_parallel_for_work_item_range(group, item, tw_range_1d(64)) {
        k->out[base + tw_local_id(item, 0)] = x[tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(sort, 32);
RECORD_GROUPS(sort, tw_range_1d(OUT / 64), tw_range_1d(32))
LOWERING_CASE(sort, 0x8b652d730fa3d585)

/* Histogram by group: a private count for each item and bin would be large, so items own bins and read all. */
BLOCK(histogram)(tw_group group, const struct histogram *k)
{
    TW_LOCAL(unsigned, words, [250]);
    TW_LOCAL(unsigned, bins, [10]);
    const size_t base = 250 * tw_group_id(group, 0);
    tw_parallel_for_work_item_range(group, item, tw_range_1d(250)) {
        words[tw_local_id(item, 0)] = k->in[base + tw_local_id(item, 0)];
    }
    tw_parallel_for_work_item_range(group, item, tw_range_1d(10)) {
        unsigned count = 0;
        for (int i = 0; i < 250; ++i)
            count += words[i] % 10 == tw_local_id(item, 0);
        bins[tw_local_id(item, 0)] = count;
    }
    TW_ONCE(group) {
        unsigned most = 0;
        for (unsigned b = 1; b < 10; ++b)
            if (bins[b] > bins[most])
                most = b;
        k->out[10 * tw_group_id(group, 0)] = 1000 * most + bins[most];
    }
    tw_parallel_for_work_item_range(group, item, tw_range_1d(9)) {
        k->out[10 * tw_group_id(group, 0) + 1 + tw_local_id(item, 0)] = bins[tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(histogram);
RECORD_GROUPS(histogram, tw_range_1d(60), tw_range_1d(30))
LOWERING_CASE(histogram, 0xf48aa58e5abce522)

/* Three dimensions, a transposition within each group, groups of 105. */
BLOCK(transpose)(tw_group group, const struct transpose *k)
{
    TW_LOCAL(unsigned, cube, [3][5][7]);
    tw_parallel_for_work_item(group, item) {
        cube[tw_local_id(item, 0)][tw_local_id(item, 1)][tw_local_id(item, 2)] =
            k->in[tw_global_linear_id(item)] + (unsigned)tw_group_linear_id(item);
    }
    tw_parallel_for_work_item_range(group, item, tw_range_3d(7, 3, 5)) {
        k->out[tw_group_linear_id(group) * 105 + tw_local_linear_id(item)] =
            cube[tw_local_id(item, 1)][tw_local_id(item, 2)][tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(transpose, 3, 5, 7);
RECORD_GROUPS(transpose, tw_range_3d(4, 3, 5), tw_range_3d(3, 5, 7))
LOWERING_CASE(transpose, 0xfd0202df073568bd)

/* Very many groups of one work-item, and one group of very many rounds. */
BLOCK(lonely)(tw_group group, const struct lonely *k)
{
    TW_LOCAL(unsigned, x);
    TW_ONCE(group) {
        x = k->in[tw_group_linear_id(group)];
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_linear_id(item)] = x * x + 1;
    }
}
TW_WORK_GROUP_KERNEL(lonely);
RECORD_GROUPS(lonely, tw_range_2d(128, OUT / 128), tw_range_2d(1, 1))
LOWERING_CASE(lonely, 0xc11a1370b644325)

BLOCK(rounds)(tw_group group, const struct rounds *k)
{
    TW_LOCAL(unsigned, ring, [61]);
    TW_LOCAL(unsigned, mean);
    tw_parallel_for_work_item(group, item) {
        ring[tw_local_id(item, 0)] = k->in[tw_local_id(item, 0)] % 4096;
    }
    for (int round = 0; round < 300; ++round) {
        TW_ONCE(group) {
            mean = 0;
            for (int i = 0; i < 61; ++i)
                mean += ring[i];
            mean /= 61;
        }
        if (mean > 5000)
            break; /* uniform, so all of the group leaves together */
        tw_parallel_for_work_item(group, item) {
            unsigned *mine = &ring[tw_local_id(item, 0)];
            *mine = *mine > mean ? *mine - (*mine - mean) / 3 + 8 : *mine + (mean - *mine) / 2 + 8;
        }
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_local_id(item, 0)] = ring[tw_local_id(item, 0)] + mean;
    }
}
TW_WORK_GROUP_KERNEL(rounds);
RECORD_GROUPS(rounds, tw_range_1d(1), tw_range_1d(61))
LOWERING_CASE(rounds, 0x61aa2f857c802998)

TW_TEST_LIST = {TW_CASE(lowering_collatz),
                TW_CASE(lowering_mandelbrot),
                TW_CASE(lowering_stencil),
                TW_CASE(lowering_mixed),
                TW_CASE(lowering_life),
                TW_CASE(lowering_mixed_groups),
                TW_CASE(lowering_multiply),
                TW_CASE(lowering_multiply_hinted),
                TW_CASE(lowering_scan),
                TW_CASE(lowering_sort),
                TW_CASE(lowering_histogram),
                TW_CASE(lowering_transpose),
                TW_CASE(lowering_lonely),
                TW_CASE(lowering_rounds),
                TW_CASES_END};
