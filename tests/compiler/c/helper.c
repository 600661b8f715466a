/* SPDX-License-Identifier: Apache-2.0 */
/* A helper that clang finds too long is inlined, so that the loop over work-items is vectorized. */
// RUN: %kernel_cc -O3 -Rpass=loop-vectorize -S -o /dev/null %s 2>&1 | FileCheck %s
#include <teamwork/teamwork.h>

enum { FIELDS = 10 };

struct apply {
    const double *in[FIELDS];
    double *out;
};

#define TERM(f, g, i, n) ((f)[(i) + (n)] * (g)[(i) + (n)] - (f)[(i) - (n)] * (g)[(i) - (n)])

static inline double stencil(const double *const *in, size_t i)
{
    const double *g = in[0];
    double s = 0;
    for (int n = 1; n < FIELDS; ++n)
        s += 0.8 * TERM(in[n], g, i, 1) - 0.2 * TERM(in[n], g, i, 2) + 0.04 * TERM(in[n], g, i, 3)
             - 0.003 * TERM(in[n], g, i, 4);
    return s;
}

static inline void apply(tw_item item, const struct apply *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = stencil(k->in, i);
}
// CHECK: helper.c:[[@LINE+1]]:{{.*}} vectorized loop
TW_RANGE_KERNEL(apply, 1);
