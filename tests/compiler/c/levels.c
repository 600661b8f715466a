/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in levels, whose distance is doubled: each level becomes vector code of its own. */
// REQUIRES: host-x86_64
// RUN: %kernel_cc -O3 -march=x86-64-v4 %remarks -S -emit-llvm -o %t.ll %s 2>%t.remarks
// RUN: FileCheck %s <%t.ll
// RUN: FileCheck --check-prefix=REMARK --implicit-check-not='kernel norm_items are not lanes' %s <%t.remarks
#include <math.h>
#include <stdint.h>
#include <teamwork/teamwork.h>

enum { GROUP = 128, BLOCK = 2 * GROUP };

/* A level copies nothing of what work-items keep, and keeps nothing in memory of the thread. */
// CHECK-LABEL: define {{.*}}@prefix_items_tw_split_1(
// CHECK-NOT: {{llvm\.memcpy|tw_internal_split_memory}}
// CHECK: {{^}}}
// CHECK-LABEL: define {{.*}}@prefix_group_tw_host(
// CHECK-NOT: {{llvm\.memcpy|tw_internal_split_memory}}
// CHECK: {{^}}}
struct prefix {
    const uint32_t *in;
    uint32_t *out;
};

static inline void prefix_items(tw_nd_item item, const struct prefix *k)
{
    TW_LOCAL(uint32_t, block, [BLOCK]);
    const int t = (int)tw_local_id(item, 0), first = (int)tw_group_id(item, 0) * BLOCK;
    uint32_t even = k->in[first + 2 * t], odd = k->in[first + 2 * t + 1];
    block[2 * t] = even;
    block[2 * t + 1] = odd;
    for (int stride = 1; stride < BLOCK; stride *= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (2 * t >= stride)
            even += block[2 * t - stride];
        if (2 * t + 1 >= stride)
            odd += block[2 * t + 1 - stride];
        tw_barrier(item, TW_LOCAL_SPACE);
        block[2 * t] = even;
        block[2 * t + 1] = odd;
    }
    k->out[first + 2 * t] = even;
    k->out[first + 2 * t + 1] = odd;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(prefix) prefix_items, GROUP);

#define PREFIX_GROUP(type, name)                                                                                       \
    static inline void name(tw_group group, const struct prefix *k)                                                    \
    {                                                                                                                  \
        TW_LOCAL(uint32_t, block, [BLOCK]);                                                                            \
        TW_PRIVATE(group, uint32_t, even);                                                                             \
        TW_PRIVATE(group, uint32_t, odd);                                                                              \
        const type first = (type)tw_group_id(group, 0) * BLOCK;                                                        \
        tw_parallel_for_work_item(group, item) {                                                                       \
            const type t = (type)tw_local_id(item, 0);                                                                 \
            block[2 * t] = tw_private(even, item) = k->in[first + 2 * t];                                              \
            block[2 * t + 1] = tw_private(odd, item) = k->in[first + 2 * t + 1];                                       \
        }                                                                                                              \
        for (type stride = 1; stride < BLOCK; stride *= 2) {                                                           \
            tw_parallel_for_work_item(group, item) {                                                                   \
                const type t = (type)tw_local_id(item, 0);                                                             \
                if (2 * t >= stride)                                                                                   \
                    tw_private(even, item) += block[2 * t - stride];                                                   \
                if (2 * t + 1 >= stride)                                                                               \
                    tw_private(odd, item) += block[2 * t + 1 - stride];                                                \
            }                                                                                                          \
            tw_parallel_for_work_item(group, item) {                                                                   \
                const type t = (type)tw_local_id(item, 0);                                                             \
                block[2 * t] = tw_private(even, item);                                                                 \
                block[2 * t + 1] = tw_private(odd, item);                                                              \
            }                                                                                                          \
        }                                                                                                              \
        tw_parallel_for_work_item(group, item) {                                                                       \
            const type t = (type)tw_local_id(item, 0);                                                                 \
            k->out[first + 2 * t] = tw_private(even, item);                                                            \
            k->out[first + 2 * t + 1] = tw_private(odd, item);                                                         \
        }                                                                                                              \
    }
PREFIX_GROUP(unsigned, prefix_group)
TW_WORK_GROUP_KERNEL(TW_BLOCK(prefix) prefix_group, GROUP);

/* A row of a matrix, summed up by a group, of which all are lanes. */
// CHECK-LABEL: define {{.*}}@row_group_tw_host(
// CHECK-NOT: {{^}}}
// CHECK: fadd <32 x float>
struct row {
    const float *in;
    float *out;
    size_t count;
};

static inline void row_group(tw_group group, const struct row *k)
{
    TW_LOCAL(float, part, [GROUP]);
    tw_parallel_for_work_item(group, item) {
        float sum = 0;
        for (size_t i = tw_local_id(item, 0); i < k->count; i += GROUP)
            sum += k->in[tw_group_id(group, 0) * k->count + i];
        part[tw_local_id(item, 0)] = sum;
    }
    for (size_t half = GROUP / 2; half > 0; half /= 2)
        tw_parallel_for_work_item(group, item) {
            if (tw_local_id(item, 0) < half)
                part[tw_local_id(item, 0)] += part[tw_local_id(item, 0) + half];
        }
    TW_ONCE(group) {
        k->out[tw_group_id(group, 0)] = part[0];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(row) row_group, GROUP);

/* What is before a block is added to its numbers: the block is the same for all of a group, or is not. A group
   inside of a block adds the block's sum to whole vectors. */
// CHECK-LABEL: define {{.*}}@add_items_tw_items_1(
// CHECK-NOT: {{^}}}
// CHECK: store <8 x i32>
// CHECK-LABEL: define {{.*}}@add_group_tw_host(
// CHECK-NOT: {{^}}}
// CHECK: store <8 x i32>
struct add {
    const uint32_t *sums;
    uint32_t *out;
    size_t count;
};

static inline void add_items(tw_nd_item item, const struct add *k)
{
    const unsigned i = (unsigned)tw_global_id(item, 0);
    if (i < k->count)
        k->out[i] += k->sums[i / 384];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(add) add_items, GROUP);

static inline void add_group(tw_group group, const struct add *k)
{
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_id(item, 0);
        if (i < k->count)
            k->out[i] += k->sums[i / BLOCK];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(add) add_group, GROUP);

/* Each row of a group has a sum of its own: work-items are lanes of vectors, and levels of the tree run row by row. */
// REMARK: work-items of kernel rows_items divide an index by the width of rows: they run row by row
struct rows {
    const int *begins;
    const float *in;
    float *out;
    int count;
};

static inline void rows_items(tw_nd_item item, const struct rows *k)
{
    TW_LOCAL(float, part, [GROUP]);
    const int l = (int)tw_local_id(item, 0), lane = l % 32, row = (int)tw_group_id(item, 0) * (GROUP / 32) + l / 32;
    float sum = 0;
    if (row < k->count)
        for (int i = k->begins[row] + lane; i < k->begins[row + 1]; i += 32)
            sum += k->in[i];
    part[l] = sum;
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int s = 16; s > 0; s /= 2) {
        // REMARK: :[[@LINE+1]]:{{.*}} work-items of kernel rows_items divide {{.*}} ({{[45]}} copies)
        if (lane < s)
            part[l] += part[l + s];
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    // REMARK: :[[@LINE+2]]:{{.*}} work-items of kernel rows_items divide
    // REMARK: work-items of kernel rows_items are lanes of vectors
    if (lane == 0 && row < k->count)
        k->out[row] = part[l];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(rows) rows_items, GROUP);

/* What a group function returns is the same for all: what follows from it is computed once, and functions of <math.h> are no calls
   that work-items would wait for. */
// CHECK-LABEL: define {{.*}}@norm_items_tw_split_1(
// CHECK-NOT: {{(fdiv|sqrt).*<}}
// CHECK: {{^}}}
struct norm {
    const float *in;
    float *out;
    int count;
};

static inline void norm_items(tw_nd_item item, const struct norm *k)
{
    const int l = (int)tw_local_id(item, 0), m = (int)tw_local_range(item, 0);
    const float *in = k->in + tw_group_id(item, 0) * (size_t)k->count;
    float sum = 0, squares = 0;
    for (int i = l; i < k->count; i += m) {
        sum += in[i];
        squares += in[i] * in[i];
    }
    sum = tw_reduce_over_group(item, sum, TW_SUM) / (float)k->count;
    squares = tw_reduce_over_group(item, squares, TW_SUM) / (float)k->count;
    const float scale = 1 / sqrtf(squares - sum * sum + 1e-5f);
    for (int i = l; i < k->count; i += m)
        k->out[tw_group_id(item, 0) * (size_t)k->count + (size_t)i] = (in[i] - sum) * scale;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(norm) norm_items, GROUP);
