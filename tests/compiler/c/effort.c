/* SPDX-License-Identifier: Apache-2.0 */
/* The object of a kernel tells the library whether work-items have loops when the compiler is done: `has_loops`. Those of loops_* have. */
// RUN: %kernel_cc -O2 -S -emit-llvm -o - %s | FileCheck %s
// RUN: %kernel_cc -x c++ -std=c++17 -w -O2 -S -emit-llvm -o - %s | FileCheck %s
#include <teamwork/group_functions.h>
#include <teamwork/kernel_definition.h>
#include <teamwork/reduction.h>

struct sums {
    const float *x;
    int n;
    TW_REDUCTION(float, TW_SUM) sum;
};

static inline float some(const struct sums *k, size_t at, int n)
{
    float sum = 0;
    for (int i = 0; i < n; ++i)
        sum += k->x[at * (size_t)n + (size_t)i];
    return sum;
}

#define KERNELS(name, n)                                                                                               \
    static inline void name##_range(tw_item item, const struct sums *k)                                                \
    {                                                                                                                  \
        tw_combine(k->sum, some(k, tw_global_id(item, 0), n));                                                         \
    }                                                                                                                  \
    TW_RANGE_REDUCTION(TW_BLOCK(sums) name##_range, 1, sum);                                                           \
    static inline void name##_plane(tw_item item, const struct sums *k)                                                \
    {                                                                                                                  \
        tw_combine(k->sum, some(k, tw_global_linear_id(item), n));                                                     \
    }                                                                                                                  \
    TW_RANGE_REDUCTION(TW_BLOCK(sums) name##_plane, 2, sum);                                                           \
    static inline void name##_items(tw_nd_item item, const struct sums *k)                                             \
    {                                                                                                                  \
        const float sum = tw_reduce_over_group(item, some(k, tw_global_id(item, 0), n), TW_SUM);                       \
        if (tw_local_id(item, 0) == 0)                                                                                 \
            tw_combine(k->sum, sum);                                                                                   \
    }                                                                                                                  \
    TW_ND_RANGE_REDUCTION(TW_BLOCK(sums) name##_items, (128), sum);                                                    \
    static inline void name##_group(tw_group group, const struct sums *k)                                              \
    {                                                                                                                  \
        tw_parallel_for_work_item(group, item)                                                                         \
            tw_combine(k->sum, some(k, tw_global_id(item, 0), n));                                                     \
    }                                                                                                                  \
    TW_WORK_GROUP_REDUCTION(TW_BLOCK(sums) name##_group, (128), sum);
// CHECK: @loops_range_kernel = {{.*}} { {{(i32 [0-9]+, )+}}i32 1, [3 x ptr]
// CHECK: @loops_plane_kernel = {{.*}} { {{(i32 [0-9]+, )+}}i32 1, [3 x ptr]
// CHECK: @loops_items_kernel = {{.*}} { {{(i32 [0-9]+, )+}}i32 1, [3 x ptr]
// CHECK: @loops_group_kernel = {{.*}} { {{(i32 [0-9]+, )+}}i32 1, [3 x ptr]
KERNELS(loops, k->n)
// CHECK: @few_range_kernel = {{.*}} { {{(i32 [0-9]+, )+}}i32 0, [3 x ptr]
// CHECK: @few_plane_kernel = {{.*}} { {{(i32 [0-9]+, )+}}i32 0, [3 x ptr]
// CHECK: @few_items_kernel = {{.*}} { {{(i32 [0-9]+, )+}}i32 0, [3 x ptr]
// CHECK: @few_group_kernel = {{.*}} { {{(i32 [0-9]+, )+}}i32 0, [3 x ptr]
KERNELS(few, 4)
