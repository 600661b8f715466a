/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix product and a sum, each split over 1, 2, 4, ... and all devices. The problem stays the same, so the
 * efficiency of n devices is the time of one by n times the time of n. All that is read is where it is needed before the
 * first turn.
 */
#include <stdlib.h>

#include "../../../examples/groups/matmul.h"
#include "../harness/bench_teamwork.h"
#include "multi.h"

enum { MOST_WAYS = 6 };

/* A problem that some devices solve together. */
struct split {
    struct multi *multi;
    bool (*run)(void *problem, size_t devices);
    void *problem;
    size_t devices[MOST_WAYS]; /* of each way */
    size_t ways;
    double samples[MOST_WAYS][MULTI_MOST_ROUNDS];
    bool right;
};

static void take_turn(void *user, size_t way, unsigned round)
{
    struct split *s = user;
    if (!s->right)
        return;
    const double start = bench_now();
    s->right = s->run(s->problem, s->devices[way]);
    s->samples[way][round] = bench_now() - start;
}

/* Measures, and prints a row for each number of devices. */
static bool measure(struct split *s, const char *bench, const char *parameter)
{
    const size_t count = s->multi->count;
    double alone = 0;
    for (size_t n = 1; n <= count; n = n < count && 2 * n > count ? count : 2 * n)
        s->devices[s->ways++] = n;
    s->right = true;
    for (size_t way = 0; way < s->ways && s->right; ++way)
        s->right = s->run(s->problem, s->devices[way]); /* brings the data */
    bench_take_rounds(0, (struct bench_effort){s->multi->rounds, s->multi->rounds, 0}, s->ways, take_turn, s);
    for (size_t way = 0; way < s->ways && s->right; ++way) {
        char variant[40];
        const double median = bench_summarize(s->samples[way], s->multi->rounds).median;
        alone = way == 0 ? median : alone;
        snprintf(variant, sizeof variant, "%zu device%s", s->devices[way], way ? "s" : "");
        multi_row(s->multi, bench, "Teamwork", variant, parameter, median * 1e3, "ms",
                  alone / (median * (double)s->devices[way]));
    }
    return s->right;
}

/* The share of device i of n in `all`, which are whole blocks. */
static void divide(size_t all, size_t block, size_t i, size_t n, size_t *first, size_t *count)
{
    const size_t blocks = all / block;
    *first = blocks * i / n * block;
    *count = blocks * (i + 1) / n * block - *first;
}

/* ---- a matrix product -------------------------------------------------------------------------------------------- */

struct product {
    const struct multi *multi;
    tw_buffer *a, *b, *c;
    size_t n;
};

/* Small integers, so that all sums are exact. */
static float element(unsigned row, unsigned column, unsigned which)
{
    return (float)((row * 2654435761u ^ column * 2246822519u ^ which * 3266489917u) >> 13 & 3u);
}

static bool set(tw_buffer *buffer, size_t n, unsigned which)
{
    tw_host_accessor *accessor = NULL;
    if (!bench_passed(tw_host_access(buffer, TW_DISCARD_WRITE, &accessor)))
        return false;
    float *data = tw_host_accessor_data(accessor);
    for (size_t row = 0; row < n; ++row)
        for (size_t column = 0; column < n; ++column)
            data[row * n + column] = element((unsigned)row, (unsigned)column, which);
    tw_host_accessor_release(&accessor);
    return true;
}

static bool run_product(void *problem, size_t devices)
{
    const struct product *p = problem;
    bool done = true;
    for (size_t i = 0; i < devices; ++i) {
        struct matmul matmul = {.queue = p->multi->queues[i], .a = p->a, .b = p->b, .c = p->c, .n = p->n};
        divide(p->n, MATMUL_MULTIPLE, i, devices, &matmul.first, &matmul.rows);
        done = (matmul.rows == 0 || bench_passed(matmul_submit_blocks(&matmul))) && done;
    }
    return multi_wait(p->multi, devices) && done;
}

/* Some elements of each row in 61. */
static bool product_is_right(const struct product *p)
{
    const unsigned n = (unsigned)p->n;
    float *row = malloc(n * sizeof *row);
    bool right = row != NULL;
    for (unsigned i = 0; i < n && right; i += 61) {
        right = bench_passed(tw_buffer_read_part(p->c, tw_id_1d((size_t)i * n), tw_range_1d(n), row));
        for (unsigned k = i % 97; k < n && right; k += 97) {
            float sum = 0;
            for (unsigned x = 0; x < n; ++x)
                sum += element(i, x, 0) * element(x, k, 1);
            right = row[k] == sum;
            if (!right)
                fprintf(stderr, "element (%u, %u) of the product is %g instead of %g\n", i, k, (double)row[k],
                        (double)sum);
        }
    }
    free(row);
    return right;
}

bool multi_matmul(struct multi *multi)
{
    struct product p = {.multi = multi, .n = multi->quick ? 512 : 8192};
    const tw_range range = tw_range_1d(p.n * p.n);
    struct split split = {.multi = multi, .run = run_product, .problem = &p};
    char parameter[40];
    snprintf(parameter, sizeof parameter, "n=%zu", p.n);
    const bool right = bench_passed(tw_buffer_create(sizeof(float), range, &p.a))
                       && bench_passed(tw_buffer_create(sizeof(float), range, &p.b))
                       && bench_passed(tw_buffer_create(sizeof(float), range, &p.c)) && set(p.a, p.n, 0)
                       && set(p.b, p.n, 1) && measure(&split, "matmul", parameter) && run_product(&p, multi->count)
                       && product_is_right(&p);
    tw_buffer_destroy(&p.a);
    tw_buffer_destroy(&p.b);
    tw_buffer_destroy(&p.c);
    return right;
}

/* ---- a sum ------------------------------------------------------------------------------------------------------- */

/* A row has 65536 numbers: every 256 in a row are all of 0 to 255, plus the row's number. */
enum { COLUMNS = 65536 };

struct number {
    TW_PART_VIEW(unsigned) out;
    unsigned first_row;
};
static inline void number(tw_item item, const struct number *k)
{
    const unsigned i = (unsigned)tw_global_id(item, 0), column = (unsigned)tw_global_id(item, 1);
    const unsigned row = k->first_row + i;
    tw_at(k->out, i, column) = ((31 * row + column) & 255) + row;
}
TW_RANGE_KERNEL(number, 2);

struct sum {
    TW_PART_VIEW(const unsigned) in;
    TW_REDUCTION(unsigned long long, TW_SUM) sum;
};
static inline void sum(tw_item item, const struct sum *k)
{
    tw_combine(k->sum, (unsigned long long)tw_at(k->in, tw_global_id(item, 0), tw_global_id(item, 1)));
}
TW_RANGE_REDUCTION(sum, 2, sum);

struct summing {
    const struct multi *multi;
    tw_buffer *numbers, *sums[MULTI_MOST_DEVICES];
    size_t rows;
};

static unsigned long long expected_sum(size_t first, size_t rows)
{
    unsigned long long result = 0;
    for (size_t row = first; row < first + rows; ++row)
        result += COLUMNS / 256 * (255ull * 256 / 2) + (unsigned long long)COLUMNS * row;
    return result;
}

static bool submit_sum(const struct summing *s, size_t i, size_t first, size_t rows)
{
    const tw_range part = tw_range_2d(rows, COLUMNS);
    tw_command_group *cg = tw_queue_begin(s->multi->queues[i]);
    tw_parallel_for(cg, part, sum, .in = TW_READ_PART_VIEW(cg, s->numbers, tw_id_2d(first, 0), part),
                    .sum = TW_REDUCE_INIT(cg, s->sums[i]));
    return bench_passed(tw_queue_submit(s->multi->queues[i], cg, NULL));
}

/* The host adds the devices' sums. */
static bool run_sum(void *problem, size_t devices)
{
    const struct summing *s = problem;
    unsigned long long total = 0;
    bool done = true;
    for (size_t i = 0; i < devices; ++i) {
        size_t first, rows;
        divide(s->rows, 1, i, devices, &first, &rows);
        done = submit_sum(s, i, first, rows) && done;
    }
    for (size_t i = 0; i < devices && done; ++i) {
        unsigned long long one = 0;
        done = bench_passed(tw_buffer_read(s->sums[i], &one));
        total += one;
    }
    if (done && total != expected_sum(0, s->rows)) {
        fprintf(stderr, "the sum of %zu devices is %llu instead of %llu\n", devices, total, expected_sum(0, s->rows));
        return false;
    }
    return done;
}

static bool make_numbers(const struct summing *s)
{
    bool done = true;
    for (size_t i = 0; i < s->multi->count; ++i) {
        size_t first, rows;
        divide(s->rows, 1, i, s->multi->count, &first, &rows);
        const tw_range part = tw_range_2d(rows, COLUMNS);
        tw_command_group *cg = tw_queue_begin(s->multi->queues[i]);
        tw_parallel_for(cg, part, number, .out = TW_DISCARD_WRITE_PART_VIEW(cg, s->numbers, tw_id_2d(first, 0), part),
                        .first_row = (unsigned)first);
        done = bench_passed(tw_queue_submit(s->multi->queues[i], cg, NULL))
               && bench_passed(tw_buffer_create(sizeof(unsigned long long), tw_range_1d(1), (tw_buffer **)&s->sums[i]))
               && done;
    }
    return multi_wait(s->multi, s->multi->count) && done;
}

bool multi_sum(struct multi *multi)
{
    /* 4 GiB for each device, so a millisecond of an H200's memory */
    struct summing s = {.multi = multi, .rows = multi->count * (multi->quick ? 5 : 16384)};
    struct split split = {.multi = multi, .run = run_sum, .problem = &s};
    char parameter[40];
    snprintf(parameter, sizeof parameter, "bytes=%zu", s.rows * COLUMNS * sizeof(unsigned));
    const bool right = bench_passed(tw_buffer_create(sizeof(unsigned), tw_range_2d(s.rows, COLUMNS), &s.numbers))
                       && make_numbers(&s) && measure(&split, "sum", parameter);
    tw_buffer_destroy(&s.numbers);
    for (size_t i = 0; i < multi->count; ++i)
        tw_buffer_destroy(&s.sums[i]);
    return right;
}
