/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting, compaction, search: what is integers and control flow. unseen.h says how programs are written here. */
#include <string.h>

#include <teamwork/atomic.h>
#include <teamwork/group_functions.h>

#include "unseen.h"

/* ---- odd_even_sort: keys and values of a group in local memory, Batcher's odd-even merges ------------------------ */

enum { SORT = 512 };

struct sort {
    const int *keys_in, *values_in;
    int *keys, *values;
};

static inline void compare_and_swap(int *key_a, int *value_a, int *key_b, int *value_b)
{
    if (*key_a > *key_b) {
        const int key = *key_a, value = *value_a;
        *key_a = *key_b;
        *value_a = *value_b;
        *key_b = key;
        *value_b = value;
    }
}

static inline void odd_even_sort(tw_nd_item item, const struct sort *k)
{
    TW_LOCAL(int, keys, [SORT]);
    TW_LOCAL(int, values, [SORT]);
    const int t = (int)tw_local_id(item, 0), base = (int)tw_group_id(item, 0) * SORT;
    keys[t] = k->keys_in[base + t];
    values[t] = k->values_in[base + t];
    keys[t + SORT / 2] = k->keys_in[base + t + SORT / 2];
    values[t + SORT / 2] = k->values_in[base + t + SORT / 2];
    for (int size = 2; size <= SORT; size *= 2) {
        int stride = size / 2;
        const int offset = t & (stride - 1);
        tw_barrier(item, TW_LOCAL_SPACE);
        int at = 2 * t - (t & (stride - 1));
        compare_and_swap(&keys[at], &values[at], &keys[at + stride], &values[at + stride]);
        stride /= 2;
        for (; stride > 0; stride /= 2) {
            tw_barrier(item, TW_LOCAL_SPACE);
            at = 2 * t - (t & (stride - 1));
            if (offset >= stride)
                compare_and_swap(&keys[at - stride], &values[at - stride], &keys[at], &values[at]);
        }
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    k->keys[base + t] = keys[t];
    k->values[base + t] = values[t];
    k->keys[base + t + SORT / 2] = keys[t + SORT / 2];
    k->values[base + t + SORT / 2] = values[t + SORT / 2];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(sort) odd_even_sort, SORT / 2);

static void sort_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0] * SORT / 2, SORT / 2), odd_even_sort, .keys_in = d->in[0],
                             .values_in = d->in[1], .keys = d->out[0], .values = d->out[1]);
    unseen_submit(queue, cg);
}

/* The same network in memory of one thread. */
static void sort_row(int *keys, int *values)
{
    for (int size = 2; size <= SORT; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int first = stride == size / 2 ? 0 : stride;
            for (int block = 0; block < SORT; block += size)
                for (int j = first; j + stride < size; j += 2 * stride)
#pragma omp simd
                    for (int i = 0; i < stride; ++i) {
                        const int a = block + j + i, b = a + stride;
                        const int key_a = keys[a], key_b = keys[b], value_a = values[a], value_b = values[b];
                        const bool swap = key_a > key_b;
                        keys[a] = swap ? key_b : key_a;
                        keys[b] = swap ? key_a : key_b;
                        values[a] = swap ? value_b : value_a;
                        values[b] = swap ? value_a : value_b;
                    }
        }
}

static void sort_openmp(const struct unseen_data *d)
{
    const int *keys_in = d->in[0], *values_in = d->in[1];
    int *keys = d->out[0], *values = d->out[1];
#pragma omp parallel for
    for (int row = 0; row < d->n[0]; ++row) {
        memcpy(keys + row * SORT, keys_in + row * SORT, SORT * sizeof(int));
        memcpy(values + row * SORT, values_in + row * SORT, SORT * sizeof(int));
        sort_row(keys + row * SORT, values + row * SORT);
    }
}

static void sort_prepare(struct unseen_problem *p, bool quick)
{
    const int rows = p->data.n[0] = quick ? 8 : 1024;
    p->data.in[0] = unseen_ints((size_t)rows * SORT, 0, 1 << 23);
    p->data.in[1] = unseen_ints((size_t)rows * SORT, 0, 1 << 23);
    unseen_add_output(p, UNSEEN_INTS, (size_t)rows * SORT, 0, NULL);
    unseen_add_output(p, UNSEEN_INTS, (size_t)rows * SORT, 1e30,
                      NULL); /* equal keys may have their values in any order */
}

/* ---- compaction: what is above a limit, a scan of the group, a place by an atomic operation ---------------------- */

struct compaction {
    const int *in;
    int *out, *count;
    int n, limit;
};

static inline void compaction(tw_nd_item item, const struct compaction *k)
{
    TW_LOCAL(int, base);
    const int i = (int)tw_global_id(item, 0);
    const int x = i < k->n ? k->in[i] : 0, keeps = i < k->n && x > k->limit;
    const int before = tw_exclusive_scan_over_group(item, keeps, TW_SUM),
              all = tw_reduce_over_group(item, keeps, TW_SUM);
    if (tw_local_id(item, 0) == 0)
        base = tw_atomic_fetch_add(k->count, all);
    tw_barrier(item, TW_LOCAL_SPACE);
    if (keeps)
        k->out[base + before] = x;
}
TW_ND_RANGE_KERNEL(compaction, 256);

static void compaction_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    int *counts = d->out[0];
    counts[0] = counts[1] = 0;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 256), compaction, .in = d->in[0], .out = d->scratch,
                             .count = counts, .n = d->n[0], .limit = d->n[1]);
    unseen_submit(queue, cg);
}

static void compaction_openmp(const struct unseen_data *d)
{
    const int *in = d->in[0];
    int *out = d->scratch, *counts = d->out[0], count = 0;
#pragma omp parallel for schedule(static, 4096)
    for (int block = 0; block < d->n[0]; block += 4096) {
        int kept[4096], n = 0;
        for (int i = block; i < block + 4096 && i < d->n[0]; ++i) {
            kept[n] = in[i];
            n += in[i] > d->n[1];
        }
        int at;
#pragma omp atomic capture
        {
            at = count;
            count += n;
        }
        memcpy(out + at, kept, (size_t)n * sizeof *kept);
    }
    counts[0] = count;
    counts[1] = 0;
}

/* The order of groups is free, so the count is compared. */
static void compaction_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 10000 : 8000000;
    p->data.n[1] = 700;
    p->data.in[0] = unseen_ints((size_t)n, 0, 1000);
    p->data.scratch = unseen_memory((size_t)n * sizeof(int));
    unseen_add_output(p, UNSEEN_INTS, 2, 0, NULL);
}

/* ---- edit_distance: a pair of strings for each work-item, the row of the table private --------------------------- */

enum { LETTERS = 32 };

struct edit_distance {
    const unsigned char *a, *b; /* [pairs][LETTERS] */
    int *distance;
    int pairs;
};

static inline int least_of_3(int a, int b, int c)
{
    const int least = a < b ? a : b;
    return least < c ? least : c;
}

static inline int levenshtein(const unsigned char *a, const unsigned char *b)
{
    int row[LETTERS + 1];
    for (int j = 0; j <= LETTERS; ++j)
        row[j] = j;
    for (int i = 0; i < LETTERS; ++i) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < LETTERS; ++j) {
            const int up = row[j + 1];
            row[j + 1] = least_of_3(up + 1, row[j] + 1, diagonal + (a[i] != b[j]));
            diagonal = up;
        }
    }
    return row[LETTERS];
}

static inline void edit_distance(tw_nd_item item, const struct edit_distance *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i >= k->pairs)
        return;
    k->distance[i] = levenshtein(k->a + i * LETTERS, k->b + i * LETTERS);
}
TW_ND_RANGE_KERNEL(edit_distance);

static void edit_distance_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 64), edit_distance, .a = d->in[0], .b = d->in[1],
                             .distance = d->out[0], .pairs = d->n[0]);
    unseen_submit(queue, cg);
}

static void edit_distance_openmp(const struct unseen_data *d)
{
    const unsigned char *a = d->in[0], *b = d->in[1];
    int *distance = d->out[0];
#pragma omp parallel for
    for (int i = 0; i < d->n[0]; ++i)
        distance[i] = levenshtein(a + i * LETTERS, b + i * LETTERS);
}

static void edit_distance_prepare(struct unseen_problem *p, bool quick)
{
    const int pairs = p->data.n[0] = quick ? 1000 : 16384;
    unsigned char *strings[2];
    for (int s = 0; s < 2; ++s) {
        strings[s] = unseen_bytes((size_t)pairs * LETTERS);
        for (int i = 0; i < pairs * LETTERS; ++i)
            strings[s][i] %= 4;
    }
    p->data.in[0] = strings[0];
    p->data.in[1] = strings[1];
    unseen_add_output(p, UNSEEN_INTS, (size_t)pairs, 0, NULL);
}

/* ---- queens: the rest of the board below each beginning, a stack in private arrays ------------------------------- */

enum { MOST_QUEENS = 16 };

struct queens {
    int *solutions; /* one for each beginning: the columns of the first three queens */
    int n;
};

static inline int queens_below(int n, int beginning)
{
    unsigned columns[MOST_QUEENS], left[MOST_QUEENS], right[MOST_QUEENS], choices[MOST_QUEENS];
    const unsigned all = (1u << n) - 1;
    unsigned c = 0, l = 0, r = 0;
    for (int i = 0; i < 3; ++i) {
        const unsigned bit = 1u << (beginning % n);
        beginning /= n;
        if ((c | l | r) & bit)
            return 0;
        c |= bit;
        l = (l | bit) << 1;
        r = (r | bit) >> 1;
    }
    int depth = 0, solutions = 0;
    columns[0] = c;
    left[0] = l;
    right[0] = r;
    choices[0] = all & ~(c | l | r);
    while (depth >= 0) {
        const unsigned bit = choices[depth] & (0 - choices[depth]);
        if (bit == 0) {
            --depth;
            continue;
        }
        choices[depth] ^= bit;
        if (depth + 4 == n) {
            ++solutions;
            continue;
        }
        columns[depth + 1] = columns[depth] | bit;
        left[depth + 1] = (left[depth] | bit) << 1;
        right[depth + 1] = (right[depth] | bit) >> 1;
        ++depth;
        choices[depth] = all & ~(columns[depth] | left[depth] | right[depth]);
    }
    return solutions;
}

static inline void queens(tw_nd_item item, const struct queens *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i < k->n * k->n * k->n)
        k->solutions[i] = queens_below(k->n, i);
}
TW_ND_RANGE_KERNEL(queens);

static void queens_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const int n = d->n[0];
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(n * n * n, 64), queens, .solutions = d->out[0], .n = n);
    unseen_submit(queue, cg);
}

static void queens_openmp(const struct unseen_data *d)
{
    int *solutions = d->out[0];
    const int n = d->n[0];
#pragma omp parallel for schedule(dynamic, 16)
    for (int i = 0; i < n * n * n; ++i)
        solutions[i] = queens_below(n, i);
}

static void queens_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 8 : 13;
    unseen_add_output(p, UNSEEN_INTS, (size_t)(n * n * n), 0, NULL);
}

const struct unseen_program unseen_strings[] = {
    {"odd_even_sort", "Batcher's merge sort of 512 pairs in local memory", sort_prepare, sort_teamwork, sort_openmp},
    {"compaction", "what is above a limit, by scans of groups", compaction_prepare, compaction_teamwork,
     compaction_openmp},
    {"edit_distance", "a pair of strings for each work-item", edit_distance_prepare, edit_distance_teamwork,
     edit_distance_openmp},
    {"queens", "solutions below each beginning", queens_prepare, queens_teamwork, queens_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
