/* SPDX-License-Identifier: Apache-2.0 */
/* Hierarchical kernels: what SYCL's first books have of them. unseen.h says how programs are written here. */
#include <math.h>
#include <string.h>

#include <teamwork/group_functions.h>

#include "unseen.h"

/* ---- walsh: fast Walsh transform of 1024 numbers in local memory, butterflies as a loop over half of them -------- */

enum { WALSH = 1024, WALSH_GROUP = 256 };

struct walsh {
    const float *in;
    float *out;
};

static inline void walsh(tw_group group, const struct walsh *k)
{
    TW_LOCAL(float, z, [WALSH]);
    const size_t base = tw_group_id(group, 0) * WALSH;
    tw_parallel_for_work_item_range(group, item, tw_range_1d(WALSH)) {
        z[tw_local_id(item, 0)] = k->in[base + tw_local_id(item, 0)];
    }
    for (int half = 1; half < WALSH; half *= 2)
        tw_parallel_for_work_item_range(group, item, tw_range_1d(WALSH / 2)) {
            const int t = (int)tw_local_id(item, 0), low = t & (half - 1), i = 2 * (t - low) + low;
            const float a = z[i], b = z[i + half];
            z[i] = a + b;
            z[i + half] = a - b;
        }
    tw_parallel_for_work_item_range(group, item, tw_range_1d(WALSH)) {
        k->out[base + tw_local_id(item, 0)] = z[tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(walsh, WALSH_GROUP);

static void walsh_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d((size_t)d->n[0]), tw_range_1d(WALSH_GROUP), walsh, .in = d->in[0],
                               .out = d->out[0]);
    unseen_submit(queue, cg);
}

static void walsh_openmp(const struct unseen_data *d)
{
#pragma omp parallel for
    for (int row = 0; row < d->n[0]; ++row) {
        float *z = (float *)d->out[0] + row * WALSH;
        memcpy(z, (const float *)d->in[0] + row * WALSH, WALSH * sizeof *z);
        for (int half = 1; half < WALSH; half *= 2)
            for (int first = 0; first < WALSH; first += 2 * half)
#pragma omp simd
                for (int i = first; i < first + half; ++i) {
                    const float a = z[i], b = z[i + half];
                    z[i] = a + b;
                    z[i + half] = a - b;
                }
    }
}

static void walsh_prepare(struct unseen_problem *p, bool quick)
{
    const int rows = p->data.n[0] = quick ? 4 : 2000;
    p->data.in[0] = unseen_floats((size_t)rows * WALSH, -1, 1);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)rows * WALSH, 1e-4, NULL);
}

/* ---- erosion: the least of 5 x 5 pixels, a tile with its halo; the size of groups is the launch's ---------------- */

enum { EROSION = 16, EDGE = 2, EROSION_TILE = EROSION + 2 * EDGE };

struct erosion {
    const unsigned char *in;
    unsigned char *out;
    int width, height;
};

static inline int within(int x, int end)
{
    return x < 0 ? 0 : x >= end ? end - 1 : x;
}

static inline void erosion(tw_group group, const struct erosion *k)
{
    TW_LOCAL(unsigned char, tile, [EROSION_TILE][EROSION_TILE]);
    const int y0 = (int)tw_group_id(group, 0) * EROSION, x0 = (int)tw_group_id(group, 1) * EROSION;
    tw_parallel_for_work_item_range(group, item, tw_range_2d(EROSION_TILE, EROSION_TILE)) {
        const int ty = (int)tw_local_id(item, 0), tx = (int)tw_local_id(item, 1);
        tile[ty][tx] = k->in[within(y0 + ty - EDGE, k->height) * k->width + within(x0 + tx - EDGE, k->width)];
    }
    tw_parallel_for_work_item(group, item) {
        const int ty = (int)tw_local_id(item, 0), tx = (int)tw_local_id(item, 1), y = y0 + ty, x = x0 + tx;
        if (y < k->height && x < k->width) {
            unsigned char least = 255;
            for (int j = 0; j <= 2 * EDGE; ++j)
                for (int i = 0; i <= 2 * EDGE; ++i)
                    if (tile[ty + j][tx + i] < least)
                        least = tile[ty + j][tx + i];
            k->out[y * k->width + x] = least;
        }
    }
}
TW_WORK_GROUP_KERNEL(erosion);

static void erosion_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const tw_range groups =
        tw_range_2d((size_t)(d->n[1] + EROSION - 1) / EROSION, (size_t)(d->n[0] + EROSION - 1) / EROSION);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, groups, tw_range_2d(EROSION, EROSION), erosion, .in = d->in[0], .out = d->out[0],
                               .width = d->n[0], .height = d->n[1]);
    unseen_submit(queue, cg);
}

static unsigned char eroded(const unsigned char *const rows[2 * EDGE + 1], int x, int width)
{
    unsigned char least = 255;
    for (int j = 0; j <= 2 * EDGE; ++j)
        for (int i = -EDGE; i <= EDGE; ++i) {
            const unsigned char value = rows[j][within(x + i, width)];
            least = value < least ? value : least;
        }
    return least;
}

static void erosion_openmp(const struct unseen_data *d)
{
    const unsigned char *in = d->in[0];
    unsigned char *out = d->out[0];
    const int width = d->n[0], height = d->n[1];
#pragma omp parallel for
    for (int y = 0; y < height; ++y) {
        const unsigned char *rows[2 * EDGE + 1];
        for (int j = 0; j <= 2 * EDGE; ++j)
            rows[j] = in + within(y + j - EDGE, height) * width;
        for (int x = 0; x < EDGE; ++x) {
            out[y * width + x] = eroded(rows, x, width);
            out[y * width + width - 1 - x] = eroded(rows, width - 1 - x, width);
        }
#pragma omp simd
        for (int x = EDGE; x < width - EDGE; ++x) {
            unsigned char least = 255;
            for (int j = 0; j <= 2 * EDGE; ++j)
                for (int i = -EDGE; i <= EDGE; ++i)
                    least = rows[j][x + i] < least ? rows[j][x + i] : least;
            out[y * width + x] = least;
        }
    }
}

static void erosion_prepare(struct unseen_problem *p, bool quick)
{
    const int width = p->data.n[0] = quick ? 101 : 4001, height = p->data.n[1] = quick ? 80 : 3000;
    p->data.in[0] = unseen_bytes((size_t)width * (size_t)height);
    unseen_add_output(p, UNSEEN_BYTES, (size_t)width * (size_t)height, 0, NULL);
}

/* ---- gesummv: y = (a A + b B) x, a row for each group, its sums private ------------------------------------------ */

struct gesummv {
    const double *a, *b, *x;
    double *y;
    int n;
};

static inline void gesummv(tw_group group, const struct gesummv *k)
{
    TW_PRIVATE(group, double, sum_a);
    TW_PRIVATE(group, double, sum_b);
    const double *a = k->a + tw_group_id(group, 0) * (size_t)k->n, *b = k->b + tw_group_id(group, 0) * (size_t)k->n;
    tw_parallel_for_work_item(group, item) {
        tw_private(sum_a, item) = 0;
        tw_private(sum_b, item) = 0;
    }
    tw_parallel_for_work_item_range(group, item, tw_range_1d((size_t)k->n)) {
        const size_t i = tw_local_id(item, 0);
        tw_private(sum_a, item) += a[i] * k->x[i];
        tw_private(sum_b, item) += b[i] * k->x[i];
    }
    const double all_a = tw_reduce_over_group(group, sum_a, TW_SUM), all_b = tw_reduce_over_group(group, sum_b, TW_SUM);
    TW_ONCE(group) {
        k->y[tw_group_id(group, 0)] = 1.5 * all_a + 1.2 * all_b;
    }
}
TW_WORK_GROUP_KERNEL(gesummv, 128);

static void gesummv_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d((size_t)d->n[0]), tw_range_1d(128), gesummv, .a = d->in[0],
                               .b = d->in[1], .x = d->in[2], .y = d->out[0], .n = d->n[0]);
    unseen_submit(queue, cg);
}

static void gesummv_openmp(const struct unseen_data *d)
{
    const double *x = d->in[2];
    double *y = d->out[0];
    const int n = d->n[0];
#pragma omp parallel for
    for (int row = 0; row < n; ++row) {
        const double *a = (const double *)d->in[0] + row * n, *b = (const double *)d->in[1] + row * n;
        double sum_a = 0, sum_b = 0;
#pragma omp simd reduction(+ : sum_a, sum_b)
        for (int i = 0; i < n; ++i) {
            sum_a += a[i] * x[i];
            sum_b += b[i] * x[i];
        }
        y[row] = 1.5 * sum_a + 1.2 * sum_b;
    }
}

static void gesummv_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 200 : 1800;
    p->data.in[0] = unseen_doubles((size_t)n * (size_t)n, -1, 1);
    p->data.in[1] = unseen_doubles((size_t)n * (size_t)n, -1, 1);
    p->data.in[2] = unseen_doubles((size_t)n, -1, 1);
    unseen_add_output(p, UNSEEN_DOUBLES, (size_t)n, 1e-9, NULL);
}

/* ---- matching: a pattern at each place of a text, the pattern in local memory ------------------------------------ */

enum { PATTERN = 24, TEXT_GROUP = 256 };

struct matching {
    const unsigned char *text, *pattern;
    int *found; /* for each group the first place, or -1 */
    int length;
};

static inline void matching(tw_group group, const struct matching *k)
{
    TW_LOCAL(unsigned char, pattern, [PATTERN]);
    TW_PRIVATE(group, int, place);
    tw_parallel_for_work_item(group, item) {
        if (tw_local_id(item, 0) < PATTERN)
            pattern[tw_local_id(item, 0)] = k->pattern[tw_local_id(item, 0)];
    }
    tw_parallel_for_work_item(group, item) {
        const int at = (int)tw_global_id(item, 0);
        tw_private(place, item) = k->length;
        if (at <= k->length - PATTERN) {
            int i = 0;
            while (i < PATTERN && (pattern[i] == '?' || k->text[at + i] == pattern[i]))
                ++i;
            if (i == PATTERN)
                tw_private(place, item) = at;
        }
    }
    const int first = tw_reduce_over_group(group, place, TW_MIN);
    TW_ONCE(group) {
        k->found[tw_group_id(group, 0)] = first == k->length ? -1 : first;
    }
}
TW_WORK_GROUP_KERNEL(matching, TEXT_GROUP);

static void matching_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d((size_t)d->n[0] / TEXT_GROUP), tw_range_1d(TEXT_GROUP), matching,
                               .text = d->in[0], .pattern = d->in[1], .found = d->out[0], .length = d->n[0]);
    unseen_submit(queue, cg);
}

static void matching_openmp(const struct unseen_data *d)
{
    const unsigned char *text = d->in[0], *pattern = d->in[1];
    int *found = d->out[0];
    const int length = d->n[0];
#pragma omp parallel for
    for (int block = 0; block < length / TEXT_GROUP; ++block) {
        found[block] = -1;
        for (int at = block * TEXT_GROUP; at < (block + 1) * TEXT_GROUP && at <= length - PATTERN; ++at) {
            int i = 0;
            while (i < PATTERN && (pattern[i] == '?' || text[at + i] == pattern[i]))
                ++i;
            if (i == PATTERN) {
                found[block] = at;
                break;
            }
        }
    }
}

static void matching_prepare(struct unseen_problem *p, bool quick)
{
    const int length = p->data.n[0] = TEXT_GROUP * (quick ? 40 : 8000);
    unsigned char *text = unseen_bytes((size_t)length), *pattern = unseen_bytes(PATTERN);
    for (int i = 0; i < length; ++i)
        text[i] = (unsigned char)('a' + text[i] % 3);
    for (int i = 0; i < PATTERN; ++i)
        pattern[i] = i < 12 ? (unsigned char)('a' + i % 3) : '?';
    p->data.in[0] = text;
    p->data.in[1] = pattern;
    unseen_add_output(p, UNSEEN_INTS, (size_t)length / TEXT_GROUP, 0, NULL);
}

const struct unseen_program unseen_groups[] = {
    {"walsh", "Walsh transform of 1024 numbers, hierarchical", walsh_prepare, walsh_teamwork, walsh_openmp},
    {"erosion", "least of 5 x 5 bytes, hierarchical, groups of any size", erosion_prepare, erosion_teamwork,
     erosion_openmp},
    {"gesummv", "sums of two matrices by a vector, hierarchical", gesummv_prepare, gesummv_teamwork, gesummv_openmp},
    {"matching", "a pattern in a text, hierarchical", matching_prepare, matching_teamwork, matching_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
