/* SPDX-License-Identifier: Apache-2.0 */
/* Work-items that go through an array together are lanes of vectors, though not all of them have a last turn.
 *
 * A remark ends in the number of copies of the loop, for sizes of groups and inputs that the compiler knows, if there are several.
 */
// REQUIRES: host-x86_64
// RUN: %kernel_cc -O2 -march=x86-64-v3 %remarks -S -emit-llvm -o %t.ll %s 2>%t.remarks
// RUN: FileCheck --check-prefix=LANES --implicit-check-not='kernel squares_by_groups are not lanes of vectors{{.*}} a variable' %s \
// RUN:     <%t.remarks
// The same program is the same code each time.
// RUN: %kernel_cc -O2 -march=x86-64-v3 %remarks -S -emit-llvm -o %t.again.ll %s
// RUN: cmp %t.ll %t.again.ll
// LANES: work-items of kernel squares_by_groups are lanes of vectors
#include "squares_by_groups.h"

#include <teamwork/group_functions.h>
#include <teamwork/reduction.h>
#include <teamwork/teamwork.h>

// LANES: work-items of kernel dot_by_groups are lanes of vectors
struct dot_by_groups {
    const float *x, *y;
    float *parts;
    size_t n;
};

static inline void dot_by_groups(tw_nd_item item, const struct dot_by_groups *k)
{
    float sum = 0;
    for (size_t i = tw_global_id(item, 0); i < k->n; i += tw_global_range(item, 0))
        sum += k->x[i] * k->y[i];
    sum = tw_reduce_over_group(item, sum, TW_SUM);
    if (tw_local_id(item, 0) == 0)
        k->parts[tw_group_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(dot_by_groups);

/* The same with narrow indices, of which the unsigned one may wrap around. */
#define DOT(name, type)                                                                                                \
    struct name {                                                                                                      \
        const float *x;                                                                                                \
        float *parts;                                                                                                  \
        type n;                                                                                                        \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        float sum = 0;                                                                                                 \
        for (type i = (type)tw_global_id(item, 0); i < k->n; i += (type)tw_global_range(item, 0))                      \
            sum += k->x[i];                                                                                            \
        k->parts[tw_global_id(item, 0)] = sum;                                                                         \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name, 256)
DOT(dot_by_int, int);
DOT(dot_by_unsigned, unsigned);

// LANES-NOT: dot_by_{{int|unsigned}} are not lanes

/* Several work-items for each row, which the global id tells, and the local one their places in it. */
// LANES: work-items of kernel dot_by_rows are lanes of vectors
struct dot_by_rows {
    const float *x;
    const int *first;
    float *parts;
};

static inline void dot_by_rows(tw_nd_item item, const struct dot_by_rows *k)
{
    const int row = (int)tw_global_id(item, 0) >> 5, lane = (int)tw_local_id(item, 0) & 31;
    float sum = 0;
    for (int i = k->first[row] + lane; i < k->first[row + 1]; i += 32)
        sum += k->x[i] * k->x[i];
    k->parts[tw_global_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(dot_by_rows, 64);

// LANES-NOT: scale_all are not lanes
struct scale_all {
    double *x;
    double by;
    size_t n;
};

static inline void scale_all(tw_nd_item item, const struct scale_all *k)
{
    for (size_t i = tw_global_id(item, 0); i < k->n; i += tw_global_range(item, 0))
        k->x[i] *= k->by;
}
TW_ND_RANGE_KERNEL(scale_all, 128);

/* What all work-items combine is combined by each lane for itself. */
// LANES: work-items of kernel sum_of_series are lanes of vectors
struct sum_of_series {
    const float *x;
    unsigned terms;
    TW_REDUCTION(float, TW_SUM) sum;
};

static inline void sum_of_series(tw_item item, const struct sum_of_series *k)
{
    float term = 1, sum = 0;
    for (unsigned i = 1; i <= k->terms; ++i) {
        term *= k->x[tw_global_id(item, 0)] / (float)i;
        sum += term;
    }
    tw_combine(k->sum, sum);
}
TW_RANGE_REDUCTION(sum_of_series, 1, sum);

/* Arrays of a work-item become arrays of all lanes. */
// LANES: work-items of kernel solve_systems are lanes of vectors
struct solve_systems {
    const float *x;
    float *out;
    size_t count;
    int length;
};

static inline void solve_systems(tw_item item, const struct solve_systems *k)
{
    const size_t i = tw_global_id(item, 0);
    float kept[32], last = 0;
    for (int row = 0; row < k->length; ++row)
        kept[row] = last = 1 / (2 + last * k->x[(size_t)row * k->count + i]);
    for (int row = k->length - 1; row >= 0; --row)
        k->out[(size_t)row * k->count + i] = last = kept[row] - last;
}
TW_RANGE_KERNEL(solve_systems, 1);

/* The loop over work-items of groups is divided at the borders of the array: into parts whose turns are taken together each. */
// LANES: work-items of kernel mask_by_groups are lanes of vectors ({{([3-9]|[1-9][0-9]+)( of [0-9]+)?}} copies)
struct mask_by_groups {
    const float *x, *mask;
    float *out;
    int count, width;
};

static inline void mask_by_groups(tw_group group, const struct mask_by_groups *k)
{
    tw_parallel_for_work_item(group, item) {
        const int i = (int)tw_global_id(item, 0);
        float sum = 0;
        for (int j = 0; j < k->width; ++j)
            if (i + j - k->width / 2 >= 0 && i + j - k->width / 2 < k->count)
                sum += k->x[i + j - k->width / 2] * k->mask[j];
        k->out[i] = sum;
    }
}
TW_WORK_GROUP_KERNEL(mask_by_groups, 256);

/* A struct of each work-item, in a loop that there are several copies of: the first one that has vectors gathers from it. */
// LANES: work-items of kernel forces are lanes of vectors ({{[24]}} copies)
struct force {
    float sum, x, y, z;
};

struct forces {
    const struct force *in;
    struct force *out;
};

static inline struct force add(struct force s, struct force a, struct force b)
{
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, e = x * x + y * y + z * z;
    return (struct force){s.sum + e, s.x + e * x, s.y + e * y, s.z + e * z};
}

static inline void forces(tw_group group, const struct forces *k)
{
    enum { ITEMS = 128, TILES = 64 };
    TW_LOCAL(struct force, tile, [ITEMS]);
    TW_PRIVATE(group, struct force, sum);
    tw_parallel_for_work_item(group, item) {
        tw_private(sum, item) = (struct force){0};
    }
    for (size_t t = 0; t < TILES; ++t) {
        tw_parallel_for_work_item(group, item) {
            tile[tw_local_id(item, 0)] = k->in[t * ITEMS + tw_local_id(item, 0)];
        }
        tw_parallel_for_work_item(group, item) {
            const struct force a = k->in[tw_global_id(item, 0) % (TILES * ITEMS)];
            struct force s = tw_private(sum, item);
            for (size_t j = 0; j < ITEMS; ++j)
                s = add(s, a, tile[j]);
            tw_private(sum, item) = s;
        }
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = tw_private(sum, item);
    }
}
TW_WORK_GROUP_KERNEL(forces, 128);
