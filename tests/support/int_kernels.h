/* SPDX-License-Identifier: Apache-2.0 */
/** Range kernels on arrays of ints, for tests of what happens around kernels. */
#ifndef TW_INT_KERNELS_H
#define TW_INT_KERNELS_H

#include "tw_test.h"

/* out = in + term */
struct plus {
    const int *in;
    int *out;
    int term;
};
static inline void plus(tw_item item, const struct plus *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->in[i] + k->term;
}
TW_RANGE_KERNEL(plus, 1);

/* out += in */
struct add {
    const int *in;
    int *out;
};
static inline void add(tw_item item, const struct add *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] += k->in[i];
}
TW_RANGE_KERNEL(add, 1);

/* out = in */
struct copy {
    const int *in;
    int *out;
};
static inline void copy(tw_item item, const struct copy *k)
{
    k->out[tw_global_id(item, 0)] = k->in[tw_global_id(item, 0)];
}
TW_RANGE_KERNEL(copy, 1);

/* out = the sum of many arrays: more accesses than a group has room for at first */
enum { INPUTS = 12 };
struct inputs {
    const int *at[INPUTS];
};
struct gather {
    struct inputs in;
    int *out;
};
static inline void gather(tw_item item, const struct gather *k)
{
    const size_t i = tw_global_id(item, 0);
    int sum = 0;
    for (int b = 0; b < INPUTS; ++b)
        sum += k->in.at[b][i];
    k->out[i] = sum;
}
TW_RANGE_KERNEL(gather, 1);

#endif
