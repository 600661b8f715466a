/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of memory are loaded as whole vectors: members of structures, rows of groups, and what is inside of a border. */
// REQUIRES: host-x86_64
// RUN: %kernel_cc -O3 -march=x86-64-v4 -Rpass=teamwork-jam -S -emit-llvm -o %t.ll %s 2>%t.remarks
// RUN: FileCheck %s <%t.ll
// RUN: FileCheck --check-prefix=JAM %s <%t.remarks
// RUN: sed -n '/^define.*@turn_rows_tw_split_2(/,/^}/p' %t.ll | grep -c 'load float' | FileCheck --check-prefix=ROWS %s
// RUN: sed -n '/^define.*@mask_of_five_tw_items_2(/,/^}/p' %t.ll | grep -c 'load <' | FileCheck --check-prefix=ONCE %s
#include <teamwork/teamwork.h>

/* Members next to each other are loaded together. */
// CHECK-LABEL: define {{.*}}@lengths_tw_host(
// CHECK-NOT: {{^}}}
// CHECK: load <32 x float>
struct lengths {
    const float *in;
    float *out;
};

static inline void lengths(tw_item item, const struct lengths *k)
{
    const size_t i = tw_global_id(item, 0);
    const float x = k->in[4 * i], y = k->in[4 * i + 1], z = k->in[4 * i + 2];
    k->out[i] = x * x + y * y + z * z;
}
TW_RANGE_KERNEL(lengths, 1);

/* Members under a condition are, too, and what both ways store is stored together. */
// CHECK-LABEL: define {{.*}}@moved_tw_host(
// CHECK-NOT: {{^}}}
// CHECK: llvm.masked.load.v32f32
// CHECK: llvm.masked.store.v32f32
struct moved {
    const float *position, *velocity;
    float *out;
};

static inline void moved(tw_item item, const struct moved *k)
{
    const size_t i = tw_global_id(item, 0);
    const float mass = k->position[4 * i + 3];
    for (size_t c = 0; c < 3; ++c)
        if (mass > 0)
            k->out[4 * i + c] = k->position[4 * i + c] + k->velocity[4 * i + c];
        else
            k->out[4 * i + c] = k->position[4 * i + c];
    k->out[4 * i + 3] = mass;
}
TW_RANGE_KERNEL(moved, 1);

/* Rows of 32 work-items, which LLVM would unroll all the way at -O3: fewer loads than that are of single elements. */
// ROWS: {{^[12]?[0-9]$}}
struct turn_rows {
    const float *in;
    float *out;
    unsigned pitch;
};

static inline void turn_rows(tw_nd_item item, const struct turn_rows *k)
{
    TW_LOCAL(float, tile, [32][32]);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    const unsigned corner = (unsigned)tw_group_id(item, 0) * 32 * k->pitch + (unsigned)tw_global_id(item, 1);
#pragma clang loop unroll(full)
    for (unsigned at = 0; at < 32; at += 8)
        tile[at + i][j] = k->in[(at + i) * k->pitch + corner];
    tw_barrier(item, TW_LOCAL_SPACE);
#pragma clang loop unroll(full)
    for (unsigned at = 0; at < 32; at += 8)
        k->out[(at + i) * k->pitch + corner] = tile[31 - at - i][j] * 2;
}
TW_ND_RANGE_KERNEL(turn_rows, 8, 32);

/* Indices that are clamped to the row, in both ways that they are written. The inside of a row has no clamps. */
// CHECK-LABEL: define {{.*}}@clamp_wide_tw_host(
// CHECK-NOT: {{^}}}
// CHECK: load <{{[0-9]+}} x i8>
// CHECK-LABEL: define {{.*}}@clamp_int_tw_host(
// CHECK-NOT: {{^}}}
// CHECK: load <{{[0-9]+}} x i8>
struct blurs {
    const unsigned char *x;
    float *y;
};
static inline void clamp_wide(tw_item item, const struct blurs *k)
{
    const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1);
    float sum = 0;
    for (int d = -1; d <= 1; d++) {
        ptrdiff_t at = (ptrdiff_t)column + d;
        at = at < 0 ? 0 : at >= 640 ? 639 : at;
        sum += k->x[row * 640 + (size_t)at];
    }
    k->y[row * 640 + column] = sum;
}
TW_RANGE_KERNEL(TW_BLOCK(blurs) clamp_wide, 2);

static inline void clamp_int(tw_item item, const struct blurs *k)
{
    const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1);
    float sum = 0;
    for (int d = -1; d <= 1; d++) {
        int at = (int)column + d;
        at = at > 639 ? 639 : at < 0 ? 0 : at;
        sum += k->x[row * 640 + (size_t)at];
    }
    k->y[row * 640 + column] = sum;
}
TW_RANGE_KERNEL(TW_BLOCK(blurs) clamp_int, 2);

/* Rows of 16 work-items at a border: their inside is a vector with a mask. What rows that are taken together read is loaded once,
   so that fewer than 100 loads are left. */
// CHECK-LABEL: define {{.*}}@mask_of_five_tw_items_2(
// CHECK-NOT: {{^}}}
// CHECK: llvm.masked.load.v{{[0-9]+}}f32
// ONCE: {{^[0-9]?[0-9]$}}
struct mask_of_five {
    const float *in;
    float *out, mask[25];
    int width, height;
};

static inline int clamp_to(int x, int last)
{
    return x < 0 ? 0 : x > last ? last : x;
}

static inline void mask_of_five(tw_nd_item item, const struct mask_of_five *k)
{
    const int row = (int)tw_global_id(item, 0), column = (int)tw_global_id(item, 1);
    float sum = 0;
    for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 5; ++i)
            sum += k->mask[j * 5 + i]
                   * k->in[clamp_to(row + j - 2, k->height - 1) * k->width + clamp_to(column + i - 2, k->width - 1)];
    k->out[row * k->width + column] = sum;
}
TW_ND_RANGE_KERNEL(mask_of_five, 16, 16);

/* Several rows of a group are taken together, so that sums need not wait for each other. At a border they do not go by chunks
   that they would not fill. */
// JAM: several rows of a group of kernel mask_by_rows are taken together
// CHECK-LABEL: define {{.*}}@mask_by_rows_tw_items_2(
// CHECK-NOT: alloca [64 x float]
// CHECK: {{^}}}
struct mask_by_rows {
    const float *x, *mask;
    float *out;
    int width, height, reach;
};

static inline void mask_by_rows(tw_nd_item item, const struct mask_by_rows *k)
{
    const int row = (int)tw_global_id(item, 0), column = (int)tw_global_id(item, 1);
    float sum = 0;
    for (int j = 0; j < k->reach; ++j)
        for (int i = 0; i < k->reach; ++i) {
            const int y = row + j < k->height ? row + j : k->height - 1,
                      x = column + i < k->width ? column + i : k->width - 1;
            sum += k->x[y * k->width + x] * k->mask[j * k->reach + i];
        }
    k->out[row * k->width + column] = sum;
}
TW_ND_RANGE_KERNEL(mask_by_rows);
