/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The patterns: a line for each, with the median time of a run in Teamwork and in CUDA, and the median of the rounds'
 * ratios. Results are compared with CUDA's before and after.
 *
 *     patterns_gpu [--quick] [--only NAME[,NAME]...]     NAME* stands for all that begin so
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/bench.h"
#include "patterns.h"

enum { ROUNDS = 15, TURNS = 10, POISON = 0xa5 };

/* What arrays hold. */
enum kind { NOTHING, FLOATS, DOUBLES, INTS, BYTES, BOXES, RESULTS };

struct kind_of_array {
    enum kind kind;
    size_t each, range[3];
};

struct pattern {
    const char *name;
    enum pattern_run run;
    int n[PATTERN_SIZES];
    struct kind_of_array arrays[PATTERN_ARRAYS];
    unsigned result;
};

#define POINTS(count)                                                                                                  \
    {                                                                                                                  \
        {DOUBLES, 16, {count}},                                                                                        \
        {                                                                                                              \
            RESULTS, 16,                                                                                               \
            {                                                                                                          \
                count                                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    }
#define CONV_COUNT (1 << 24)
#define CONV(kind, width)                                                                                              \
    {#kind " of " #width,                                                                                              \
     PATTERN_##kind,                                                                                                   \
     {CONV_COUNT, width},                                                                                              \
     {{FLOATS, 4, {CONV_COUNT}}, {FLOATS, 4, {width}}, {RESULTS, 4, {CONV_COUNT}}},                                    \
     2}
#define CONVS(kind) CONV(kind, 5), CONV(kind, 17), CONV(kind, 63)
enum { SIDE = 16, ALL_BOXES = SIDE * SIDE * SIDE, ROWS = 8192, SCANNED = 1 << 25 };
enum { Z = 258, Y = 258, X = 514 };
#define SCAN(kind)                                                                                                     \
    {#kind,                                                                                                            \
     PATTERN_##kind,                                                                                                   \
     {SCANNED},                                                                                                        \
     {{INTS, 4, {SCANNED}}, {RESULTS, 4, {SCANNED}}, {RESULTS, 4, {SCANNED / SCAN_GROUP}}},                            \
     1}
#define GRID(kind)                                                                                                     \
    {                                                                                                                  \
        kind, 4,                                                                                                       \
        {                                                                                                              \
            Z, Y, X                                                                                                    \
        }                                                                                                              \
    }
#define WAVES(name, result)                                                                                            \
    {#name,                                                                                                            \
     PATTERN_##name,                                                                                                   \
     {Z, Y, X},                                                                                                        \
     {GRID(FLOATS), GRID(FLOATS), GRID(FLOATS), GRID(FLOATS), GRID(FLOATS), GRID(FLOATS), GRID(FLOATS), GRID(FLOATS),  \
      GRID(FLOATS), GRID(FLOATS), GRID(RESULTS), GRID(RESULTS), GRID(RESULTS)},                                        \
     result}

#define BLURRED 4096
#define BLUR(name, kind, each)                                                                                         \
    {#name,                                                                                                            \
     PATTERN_##name,                                                                                                   \
     {BLURRED, BLURRED},                                                                                               \
     {{kind, each, {BLURRED * BLURRED}}, {RESULTS, 4, {BLURRED * BLURRED}}},                                           \
     1}

static const struct pattern patterns[] = {
    {"dft", PATTERN_dft, {1 << 18}, POINTS((1 << 18) * DFT_POINTS), 1},
    {"dft_floats",
     PATTERN_dft_floats,
     {1 << 19},
     {{FLOATS, 8, {(1 << 19) * DFT_POINTS}}, {RESULTS, 8, {(1 << 19) * DFT_POINTS}}},
     1},
    {"structure",
     PATTERN_structure,
     {1 << 21},
     {{DOUBLES, 32, {1 << 21}}, {DOUBLES, 32, {ATOMS}}, {RESULTS, 16, {1 << 21}}},
     2},
    {"quadrature",
     PATTERN_quadrature,
     {1 << 20},
     {{DOUBLES, 8, {1 << 20}}, {DOUBLES, 8, {1 << 20}}, {RESULTS, 8, {1 << 20}}},
     2},
    {"fft", PATTERN_fft, {8192}, POINTS(8192 * FFT_POINTS), 1},
    {"fft_apart", PATTERN_fft_apart, {8192}, POINTS(8192 * FFT_POINTS), 1},
    CONVS(conv_flat),
    CONVS(conv_range),
    CONVS(conv_tiles),
    CONVS(conv_either),
    {"boxes",
     PATTERN_boxes,
     {ALL_BOXES},
     {{BOXES, sizeof(struct pattern_box), {ALL_BOXES}},
      {FLOATS, 16, {ALL_BOXES * BOX}},
      {FLOATS, 4, {ALL_BOXES * BOX}},
      {RESULTS, 16, {ALL_BOXES * BOX}}},
     3},
    {"product",
     PATTERN_product,
     {ROWS},
     {{FLOATS, 4, {(size_t)ROWS * ROWS}}, {FLOATS, 4, {ROWS}}, {RESULTS, 4, {ROWS}}},
     2},
    SCAN(scan_pairs),
    SCAN(scan_steps),
    SCAN(scan_place),
    WAVES(waves, 10),
    WAVES(waves_any, 11),
    WAVES(waves_items, 12),
    WAVES(waves_pointers, 12),
    BLUR(blur_bytes, BYTES, 4),
    BLUR(blur_floats, FLOATS, 16),
    BLUR(blur_nearest, BYTES, 4),
    BLUR(blur_any, BYTES, 4),
    BLUR(blur_code, BYTES, 4),
};

static const struct pattern_side *const sides[] = {&pattern_teamwork, &pattern_cuda};
enum { TEAMWORK, CUDA, SIDES };

/* ---- data --------------------------------------------------------------------------------------------------------- */

static unsigned random_bits(void)
{
    static unsigned state = 1;
    return (state = state * 1664525 + 1013904223) >> 8;
}

/* A box, and those that touch it. */
static struct pattern_box box(int at)
{
    struct pattern_box b = {.first = at * BOX};
    for (int other = 0; other < ALL_BOXES; ++other) {
        const int dx = other % SIDE - at % SIDE, dy = other / SIDE % SIDE - at / SIDE % SIDE,
                  dz = other / SIDE / SIDE - at / SIDE / SIDE;
        if (other != at && dx * dx <= 1 && dy * dy <= 1 && dz * dz <= 1)
            b.near_[b.count++] = other;
    }
    return b;
}

static void fill(void *to, enum kind kind, size_t bytes)
{
    memset(to, POISON, bytes);
    for (size_t i = 0; kind == FLOATS && i < bytes / sizeof(float); ++i)
        ((float *)to)[i] = 0.5f + (float)random_bits() / (1 << 24);
    for (size_t i = 0; kind == DOUBLES && i < bytes / sizeof(double); ++i)
        ((double *)to)[i] = random_bits() / 16777216.0 - 0.5;
    for (size_t i = 0; kind == INTS && i < bytes / sizeof(int); ++i)
        ((int *)to)[i] = (int)(random_bits() % 100);
    for (size_t i = 0; kind == BYTES && i < bytes; ++i)
        ((unsigned char *)to)[i] = (unsigned char)random_bits();
    for (int i = 0; kind == BOXES && i < ALL_BOXES; ++i)
        ((struct pattern_box *)to)[i] = box(i);
}

/* The same contents on both sides. */
static bool allocate(const struct pattern *p, struct pattern_data data[SIDES])
{
    for (unsigned i = 0; i < PATTERN_ARRAYS && p->arrays[i].kind; ++i) {
        struct pattern_array array = {.each = p->arrays[i].each};
        memcpy(array.range, p->arrays[i].range, sizeof array.range);
        void *const initial = malloc(pattern_bytes(&array));
        if (!initial)
            return false;
        fill(initial, p->arrays[i].kind, pattern_bytes(&array));
        array.initial = initial;
        for (int s = 0; s < SIDES; ++s)
            if (!(data[s].at[i] = sides[s]->allocate(&array)))
                return false;
        free(initial);
    }
    for (int s = 0; s < SIDES; ++s)
        memcpy(data[s].n, p->n, sizeof p->n);
    return true;
}

static bool is_poison(const unsigned char *at, size_t bytes)
{
    while (bytes && at[bytes - 1] == POISON)
        --bytes;
    return bytes == 0;
}

/* Differences are below a small part of the largest number, and most numbers were written. */
static bool are_alike(const void *a, const void *b, size_t bytes, enum kind kind, double tolerance)
{
    const size_t each = kind == DOUBLES ? sizeof(double) : sizeof(float), count = bytes / each;
    size_t unwritten = 0;
    double most = 0, apart = 0;
    for (size_t i = 0; i < count; ++i) {
        const double x = kind == DOUBLES ? ((const double *)a)[i]
                         : kind == INTS  ? ((const int *)a)[i]
                                         : (double)((const float *)a)[i];
        const double y = kind == DOUBLES ? ((const double *)b)[i]
                         : kind == INTS  ? ((const int *)b)[i]
                                         : (double)((const float *)b)[i];
        unwritten += is_poison((const unsigned char *)a + i * each, each);
        most = fmax(most, fabs(y));
        apart = isnan(x) || isnan(y) ? INFINITY : fmax(apart, fabs(x - y));
    }
    return unwritten < count / 4 && apart <= most * tolerance;
}

/* The part of the largest number that results may be apart; the weights of the hardware's filter have 8 bits. */
static double tolerance_of(const struct pattern *p)
{
    const bool is_by_code = p->run == PATTERN_blur_code || p->run == PATTERN_blur_floats;
    const enum kind read = p->arrays[0].kind;
    return is_by_code ? 1.0 / 256 : read == DOUBLES ? 1e-12 : read == INTS ? 0 : 1e-5;
}

static bool check(const struct pattern *p, const struct pattern_data data[SIDES])
{
    struct pattern_array array = {.each = p->arrays[p->result].each};
    memcpy(array.range, p->arrays[p->result].range, sizeof array.range);
    const size_t bytes = pattern_bytes(&array);
    void *results[SIDES] = {malloc(bytes), malloc(bytes)};
    bool right = results[TEAMWORK] && results[CUDA];
    for (int s = 0; s < SIDES && right; ++s)
        right = sides[s]->fetch(data[s].at[p->result], results[s], bytes);
    const enum kind read = p->arrays[0].kind, kind = read == BOXES || read == BYTES ? FLOATS : read;
    right = right && are_alike(results[TEAMWORK], results[CUDA], bytes, kind, tolerance_of(p));
    for (int s = 0; s < SIDES; ++s)
        free(results[s]);
    if (!right)
        printf("%-20s WRONG RESULT\n", p->name);
    return right;
}

/* ---- measuring ---------------------------------------------------------------------------------------------------- */

/* The median of some runs, in microseconds; the first one finds the other side's data in the caches. */
static double turn(const struct pattern *p, const struct pattern_data *data, int side, bool *works)
{
    double times[TURNS];
    for (int i = -1; i < TURNS; ++i) {
        const double start = bench_now();
        *works = sides[side]->run[p->run](data) && *works;
        if (i >= 0)
            times[i] = (bench_now() - start) * 1e6;
    }
    return bench_summarize(times, TURNS).median;
}

static bool measure(const struct pattern *p, struct pattern_data data[SIDES], int rounds)
{
    double times[SIDES][ROUNDS], ratios[ROUNDS];
    bool works = true;
    for (int s = 0; s < SIDES; ++s)
        works = sides[s]->run[p->run](&data[s]) && works;
    if (!works || !check(p, data))
        return false;
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < SIDES; ++i) {
            const int s = (i + round) % SIDES;
            times[s][round] = turn(p, &data[s], s, &works);
        }
        ratios[round] = times[TEAMWORK][round] / times[CUDA][round];
    }
    if (!works || !check(p, data))
        return false;
    const struct bench_summary ratio = bench_summarize(ratios, (size_t)rounds);
    printf("%-20s %10.1f %10.1f   %5.3f  [%.3f, %.3f]\n", p->name,
           bench_summarize(times[TEAMWORK], (size_t)rounds).median, bench_summarize(times[CUDA], (size_t)rounds).median,
           ratio.median, ratio.p25, ratio.p75);
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    bool quick = false, right = true;
    const struct bench_option options[] = {{"--quick", NULL, BENCH_FLAG, &quick},
                                           {"--only", "NAME[,NAME]...", BENCH_TEXT, &only},
                                           {NULL, NULL, BENCH_FLAG, NULL}};
    if (!bench_parse(argc, argv, options) || !bench_open("gpu"))
        return 2;
    printf("%-20s %10s %10s   ratio  quartiles\n", "microseconds", "Teamwork", "CUDA");
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; ++i) {
        struct pattern_data data[SIDES] = {0};
        if (!bench_is_listed(only, patterns[i].name))
            continue;
        right = allocate(&patterns[i], data) && measure(&patterns[i], data, quick ? 1 : ROUNDS) && right;
        for (int s = 0; s < SIDES; ++s)
            for (unsigned a = 0; a < PATTERN_ARRAYS; ++a)
                if (data[s].at[a])
                    sides[s]->release(data[s].at[a]);
    }
    return bench_close() && right ? 0 : 1;
}
