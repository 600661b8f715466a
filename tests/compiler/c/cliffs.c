/* SPDX-License-Identifier: Apache-2.0 */
/* The library and the user are told of the kernels scalar_* and stacks_*, and why, and of no others: once for all copies of a loop. The
   library finds the text in `slow` of a kernel's object. */
// RUN: %kernel_cc -O2 -gline-tables-only -Rpass-missed='teamwork-(scalar|split)' -Xclang -verify -S -emit-llvm -o %t.ll %s
// RUN: FileCheck %s <%t.ll
// RUN: %kernel_cc -x c++ -std=c++17 -w -O2 -gline-tables-only -Rpass-missed='teamwork-(scalar|split)' -Xclang -verify -S \
// RUN:     -emit-llvm -o %t.ll %s
// RUN: FileCheck %s <%t.ll

// CHECK: @scalar_by_call_kernel = {{.*}}, [3 x ptr] [ptr [[CALL:@tw_slow[.0-9]*]], ptr [[CALL]], ptr [[CALL]]]
// CHECK: @vectors_by_atomic_kernel = {{.*}}, [3 x ptr] zeroinitializer
// CHECK: @scalar_by_rows_kernel = {{.*}}, [3 x ptr] [ptr [[ROWS:@tw_slow[.0-9]*]], ptr [[ROWS]], ptr [[ROWS]]]
// CHECK: @vectors_by_columns_kernel = {{.*}}, [3 x ptr] zeroinitializer
// CHECK: @vectors_of_all_kernel = {{.*}}, [3 x ptr] zeroinitializer
// CHECK: @vectors_of_groups_kernel = {{.*}}, [3 x ptr] zeroinitializer
// CHECK: @stacks_by_array_kernel = {{.*}}, [3 x ptr] [ptr [[ARRAY:@tw_slow[.0-9]*]], ptr null, ptr null]
#include <teamwork/atomic.h>
#include <teamwork/group_functions.h>
#include <teamwork/kernel_definition.h>

struct numbers {
    const float *x;
    float *y;
    int *found;
    int n;
};

float elsewhere(float x);

static inline void scalar_by_call(tw_item item, const struct numbers *k)
{
    const size_t i = tw_global_id(item, 0);
    // CHECK-DAG: [[CALL]] = {{.*}}as vectors: it would not pay; {{.*}} ({{.*}}cliffs.c:[[@LINE+1]], -Rpass-missed=teamwork-scalar)
    k->y[i] = elsewhere(k->x[i]); /* expected-remark {{it would not pay}} */
}
TW_RANGE_KERNEL(TW_BLOCK(numbers) scalar_by_call, 1);

static inline void vectors_by_atomic(tw_nd_item item, const struct numbers *k)
{
    const size_t i = tw_global_id(item, 0);
    float x = k->x[i];
    for (int j = 0; j < 8; ++j)
        x = x * x * 0.5f + 0.25f;
    if (x < 2)
        tw_atomic_store(k->found, (int)i); /* one after the other, and all else by vectors */
}
TW_ND_RANGE_KERNEL(TW_BLOCK(numbers) vectors_by_atomic, 256);

static inline void scalar_by_rows(tw_item item, const struct numbers *k)
{
    const size_t i = tw_global_id(item, 0);
    float sum = 0;
    for (int j = 0; j < k->n; ++j)
        // CHECK-DAG: [[ROWS]] = {{.*}}as vectors: it would not pay; {{.*}} ({{.*}}cliffs.c:[[@LINE+1]], -Rpass-missed=teamwork-scalar)
        sum += k->x[(i * (size_t)k->n + (size_t)j) * 17]; /* expected-remark {{it would not pay}} */
    k->y[i] = sum;
}
TW_RANGE_KERNEL(TW_BLOCK(numbers) scalar_by_rows, 1);

static inline void vectors_by_columns(tw_item item, const struct numbers *k)
{
    const size_t i = tw_global_id(item, 0);
    float sum = 0;
    for (int j = 0; j < k->n; ++j)
        sum += k->x[(size_t)j * (size_t)k->n + i];
    k->y[i] = sum;
}
TW_RANGE_KERNEL(TW_BLOCK(numbers) vectors_by_columns, 1);

static inline void vectors_of_all(tw_nd_item item, const struct numbers *k)
{
    const size_t i = tw_global_linear_id(item);
    k->y[i] = k->x[i] * k->x[i] + 1;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(numbers) vectors_of_all);

static inline void vectors_of_groups(tw_nd_item item, const struct numbers *k)
{
    const size_t i = tw_global_id(item, 0);
    const float sum = tw_reduce_over_group(item, k->x[i], TW_SUM);
    k->y[i] = k->x[i] / sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(numbers) vectors_of_groups, 128);

static inline void stacks_by_array(tw_nd_item item, const struct numbers *k)
{
    const size_t i = tw_global_id(item, 0);
    // CHECK-DAG: [[ARRAY]] = {{.*}}because of an array of variable length; {{.*}} ({{.*}}cliffs.c:[[@LINE+1]], -Rpass-missed=teamwork-split)
    float mine[k->n]; /* expected-remark {{of an array of variable length}} */
    for (int j = 0; j < k->n; ++j)
        mine[j] = k->x[i] * (float)j;
    tw_group_barrier(item);
    k->y[i] = mine[k->n / 2];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(numbers) stacks_by_array, 128);
