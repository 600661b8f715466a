/* SPDX-License-Identifier: Apache-2.0 */
/* What work-items add up is in registers while the loop runs, and what is one value for all of them is computed once. */
// REQUIRES: host-x86_64
// RUN: %kernel_cc -O3 -march=znver3 -S -emit-llvm -o - %s | FileCheck %s
// RUN: %kernel_cc -O2 -S -emit-llvm -o %t.ll %s
// RUN: FileCheck --check-prefix=ONCE %s <%t.ll
// The same program is the same code each time.
// RUN: %kernel_cc -O2 -S -emit-llvm -o %t.again.ll %s
// RUN: cmp %t.ll %t.again.ll
// RUN: %kernel_cc -O2 -march=haswell -S -emit-llvm -o - %s | FileCheck --check-prefix=ROWS %s
#include "squares_by_groups.h"

#include <teamwork/group_functions.h>
#include <teamwork/teamwork.h>

#include <math.h>

// CHECK-LABEL: define {{.*}}@squares_by_groups_tw_host(
// CHECK-NOT: {{^}}}
// CHECK: [[SUM:%.*]] = phi <{{[0-9]+}} x float> {{.*}}zeroinitializer
// CHECK-NOT: store <
// CHECK: @llvm.fmuladd.v{{[0-9]+}}f32({{.*}} [[SUM]])
// CHECK-NOT: store <
// CHECK: {{br i1|switch}}

/* What all work-items read in one place is the same for all, so is its root. */
// ONCE-LABEL: define {{.*}}@scale_by_norm_tw_split_1(
// ONCE-NOT: {{^}}}
// ONCE-NOT: llvm.sqrt.v
// ONCE: call {{.*}}sqrt{{.*}}(float
// ONCE-NOT: llvm.sqrt.v
// ONCE: {{^}}}
struct scale_by_norm {
    const float *x;
    float *out;
};

static inline void scale_by_norm(tw_nd_item item, const struct scale_by_norm *k)
{
    TW_LOCAL(float, part, [64]);
    const size_t l = tw_local_id(item, 0), at = tw_global_id(item, 0);
    part[l] = k->x[at] * k->x[at];
    for (size_t half = 32; half > 0; half /= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (l < half)
            part[l] += part[l + half];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    const float all = part[0];
    tw_barrier(item, TW_LOCAL_SPACE);
    part[l] = k->x[at];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[at] = part[63 - l] / sqrtf(all);
}
TW_ND_RANGE_KERNEL(scale_by_norm, 64);

/* Also if LLVM takes several vectors of lanes together. */
// CHECK-LABEL: define {{.*}}@mask_by_items_tw_host(
// CHECK-NOT: {{^}}}
// CHECK: [[SUM:%.*]] = phi <{{[0-9]+}} x float> {{.*}}zeroinitializer
// CHECK-NOT: store <
// CHECK: @llvm.fmuladd.v{{[0-9]+}}f32({{.*}} [[SUM]])
// CHECK-NOT: store <
// CHECK: {{br i1|switch}}
struct mask {
    const float *x, *mask;
    float *out;
    int count, width;
};

static inline void mask_by_items(tw_item item, const struct mask *k)
{
    const int i = (int)tw_global_id(item, 0);
    float sum = 0;
    for (int j = 0; j < k->width; ++j) {
        const int at = i + j - k->width / 2;
        if (at >= 0 && at < k->count)
            sum += k->x[at] * k->mask[j];
    }
    k->out[i] = sum;
}
TW_RANGE_KERNEL(TW_BLOCK(mask) mask_by_items, 1);

/* Matrices of 8 x 8, one for each work-item: their rows are vectors. */
// ROWS-LABEL: define {{.*}}@own_products_tw_host(
// ROWS-NOT: {{^}}}
// ROWS: store <8 x float>
struct products {
    const float *a, *b;
    float *c;
};

static inline void own_products(tw_item item, const struct products *k)
{
    const int m = (int)tw_global_id(item, 0);
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
            float s = 0;
            for (int q = 0; q < 8; ++q)
                s += k->a[m * 64 + i * 8 + q] * k->b[m * 64 + q * 8 + j];
            k->c[m * 64 + i * 8 + j] = s;
        }
}
TW_RANGE_KERNEL(TW_BLOCK(products) own_products, 1);
