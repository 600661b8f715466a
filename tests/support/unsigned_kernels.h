/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels of several forms on arrays of unsigned numbers, for tests of the order of kernels. */
#ifndef TW_UNSIGNED_KERNELS_H
#define TW_UNSIGNED_KERNELS_H

#include "tw_test.h"

/* x = a x + b: does not commute, so that a chain shows its order. */
struct affine {
    unsigned *x;
    unsigned a, b;
};
static inline void affine(tw_item item, const struct affine *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = k->a * k->x[i] + k->b;
}
TW_RANGE_KERNEL(affine, 1);

/* z = x + a y */
struct combine {
    const unsigned *x, *y;
    unsigned *z, a;
};
static inline void combine(tw_item item, const struct combine *k)
{
    const size_t i = tw_global_id(item, 0);
    k->z[i] = k->x[i] + k->a * k->y[i];
}
TW_RANGE_KERNEL(combine, 1);

/* x = value, value + 1, ... */
struct count_from {
    unsigned *x, value;
};
static inline void count_from(tw_item item, const struct count_from *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = k->value + (unsigned)i;
}
TW_RANGE_KERNEL(count_from, 1);

/* Reverses the elements of each group. */
enum { REVERSED = 16 };
struct reverse {
    unsigned *x;
};
static inline void reverse(tw_group group, const struct reverse *k)
{
    TW_LOCAL(unsigned, tile, [REVERSED]);
    tw_parallel_for_work_item(group, item) {
        tile[tw_local_id(item, 0)] = k->x[tw_global_id(item, 0)];
    }
    tw_parallel_for_work_item(group, item) {
        k->x[tw_global_id(item, 0)] = tile[REVERSED - 1 - tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(reverse, REVERSED);

/* Where the element comes from that is at `i` then. */
static inline size_t reversed_at(size_t i)
{
    return i / REVERSED * REVERSED + REVERSED - 1 - i % REVERSED;
}

struct total {
    const unsigned *x;
    TW_REDUCTION(unsigned, TW_SUM) sum;
};
static inline void total(tw_item item, const struct total *k)
{
    tw_combine(k->sum, k->x[tw_global_id(item, 0)]);
}
TW_RANGE_REDUCTION(total, 1, sum);

/* A buffer of value, value + 1, ... */
static inline tw_buffer *filled(size_t count, unsigned value)
{
    tw_buffer *buffer = NULL;
    unsigned *data = (unsigned *)malloc(count * sizeof *data);
    TW_CHECK(data != NULL);
    for (size_t i = 0; i < count; ++i)
        data[i] = value + (unsigned)i;
    TW_PASS(tw_buffer_create_copy(data, sizeof *data, tw_range_1d(count), &buffer));
    free(data);
    return buffer;
}

/* Checks all elements of a buffer. */
static inline void expect(tw_buffer *buffer, const unsigned *values)
{
    const size_t count = tw_buffer_count(buffer);
    unsigned *data = (unsigned *)malloc(count * sizeof *data);
    TW_CHECK(data != NULL);
    tw_test_fetch(buffer, data);
    for (size_t i = 0; i < count; ++i)
        TW_EQUAL(data[i], values[i]);
    free(data);
}

#endif
