/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What kernels become on AMD GPUs, for check.sh: expected.txt has what is found in each. With BROKEN each kernel breaks
 * what it is an example of, which must be noticed.
 */
#include <teamwork/kernel_definition.h>
#include <teamwork/teamwork.h>

enum { SIZE = 256 };

#ifdef BROKEN
#define IF_BROKEN(...) __VA_ARGS__
#else
#define IF_BROKEN(...)
#endif

/* Arguments are read by the scalar unit, data as global memory. Broken: a pointer of unknown origin. */
struct saxpy {
    const float *x;
    float *y;
    float a;
};
static inline void saxpy(tw_item item, const struct saxpy *k)
{
    const size_t i = tw_global_id(item, 0);
    const float *x = k->x;
    IF_BROKEN(__asm__("" : "+v"(x));)
    k->y[i] += k->a * x[i];
}
TW_RANGE_KERNEL(saxpy, 1);

/* Ids of two dimensions are read from the hardware, which liboffload launches in them. Broken: of one dimension. */
struct plane {
    int *out;
    size_t width;
};
static inline void plane(tw_item item, const struct plane *k)
{
    k->out[tw_global_id(item, 0) * k->width + tw_global_id(item, 1)] = 3;
}
#ifdef BROKEN
TW_RANGE_KERNEL(plane, 1);
#else
TW_RANGE_KERNEL(plane, 2);
#endif

/* No stack. Broken: an array that must be in memory. */
struct minimum {
    const int *in;
    int *out;
};
static inline void minimum(tw_item item, const struct minimum *k)
{
    const size_t i = tw_global_id(item, 0);
    IF_BROKEN(volatile) int values[9];
    for (size_t j = 0; j < 9; ++j)
        values[j] = k->in[i + j];
    for (size_t j = 1; j < 9; ++j)
        values[0] = values[j] < values[0] ? values[j] : values[0];
    k->out[i] = values[0];
}
TW_RANGE_KERNEL(minimum, 1);

/* No calls. Broken: of a function that is not inlined. */
struct power {
    const double *in;
    double *out;
};
IF_BROKEN(__attribute__((noinline))) static double cube(double x)
{
    return x * x * x;
}
static inline void power(tw_item item, const struct power *k)
{
    k->out[tw_global_id(item, 0)] = cube(k->in[tw_global_id(item, 0)]);
}
TW_RANGE_KERNEL(power, 1);

/* Local memory; one barrier where a loop over work-items ends and the next begins. Broken: memory of all groups, and
   something between the loops. */
struct reverse {
    const int *in;
    int *out;
};
static inline void reverse(tw_group group, const struct reverse *k)
{
#ifdef BROKEN
    int *const tile = k->out;
#else
    TW_LOCAL(int, tile, [SIZE]);
#endif
    tw_parallel_for_work_item(group, item) {
        tile[tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)];
    }
    IF_BROKEN(k->out[0] = 1;)
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = tile[SIZE - 1 - tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(reverse, SIZE);

/* Local memory that a launch brings. Broken: an address of no known memory. */
struct rotate {
    const int *in;
    int *out;
    tw_local_memory tile;
};
static inline void rotate(tw_nd_item item, const struct rotate *k)
{
    int *tile = (int *)tw_local_data(item, k->tile);
    IF_BROKEN(__asm__("" : "+v"(tile));)
    const size_t i = tw_local_id(item, 0);
    tile[i] = k->in[tw_global_id(item, 0)];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0)] = tile[(i + 1) % SIZE];
}
TW_ND_RANGE_KERNEL(rotate, SIZE);

/* Additions to local and to global memory. Broken: of a work-item for itself. */
struct histogram {
    const unsigned char *in;
    unsigned *out;
};
static inline void histogram(tw_group group, const struct histogram *k)
{
    TW_LOCAL(unsigned, bins, [SIZE]);
    tw_parallel_for_work_item(group, item) {
        bins[tw_local_id(item, 0)] = 0;
    }
    tw_parallel_for_work_item(group, item) {
        tw_atomic_fetch_add(&bins[k->in[tw_global_id(item, 0)]], 1u, TW_ORDER_RELAXED,
                            IF_BROKEN(1 ? TW_SCOPE_WORK_ITEM :) TW_SCOPE_WORK_GROUP);
    }
    tw_parallel_for_work_item(group, item) {
        const size_t bin = tw_local_id(item, 0);
        tw_atomic_fetch_add(&k->out[bin], bins[bin], TW_ORDER_RELAXED, TW_SCOPE_DEVICE);
    }
}
TW_WORK_GROUP_KERNEL(histogram, SIZE);

/* A sub-group's sum through its lanes' registers, and how many of them there are. Broken: one that is not full. */
struct sums {
    const int *in;
    int *out;
};
static inline void sums(tw_nd_item item, const struct sums *k)
{
    const size_t i = tw_global_linear_id(item);
    k->out[i] = tw_reduce_over_group(tw_get_sub_group(item), k->in[i], TW_SUM);
}
TW_ND_RANGE_KERNEL(sums, SIZE IF_BROKEN(-1));

/* A sum of numbers before, from lane to lane. Broken: through memory, with barriers. */
static inline void scans(tw_nd_item item, const struct sums *k)
{
    const size_t i = tw_global_linear_id(item);
#ifdef BROKEN
    k->out[i] = tw_inclusive_scan_over_group(item, k->in[i], TW_SUM);
#else
    k->out[i] = tw_inclusive_scan_over_group(tw_get_sub_group(item), k->in[i], TW_SUM);
#endif
}
TW_ND_RANGE_KERNEL(TW_BLOCK(sums) scans, SIZE);

/* A value of any lane comes through the hardware of local memory. Broken: of a lane that is known. */
static inline void picks(tw_nd_item item, const struct sums *k)
{
    const size_t i = tw_global_linear_id(item);
    k->out[i] = tw_select_from_group(tw_get_sub_group(item), (int)i, IF_BROKEN(3 + 0 *)(size_t) k->in[i]);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(sums) picks, SIZE);

/* A vote is a comparison. Broken: a vote of the group. */
static inline void votes(tw_nd_item item, const struct sums *k)
{
    const size_t i = tw_global_linear_id(item);
#ifdef BROKEN
    k->out[i] = tw_any_of_group(item, k->in[i] > 3);
#else
    k->out[i] = tw_any_of_group(tw_get_sub_group(item), k->in[i] > 3);
#endif
}
TW_ND_RANGE_KERNEL(TW_BLOCK(sums) votes, SIZE);
