/* SPDX-License-Identifier: Apache-2.0 */
/* Multiply-adds in Teamwork. */
#include "../arrays_teamwork.h"
#include "peak.h"

typedef float vector __attribute__((vector_size(PEAK_WIDTH * sizeof(float))));

struct peak_flat {
    const vector *in;
    vector *out;
    float factor, summand;
};

static inline void peak_flat(tw_item item, const struct peak_flat *k)
{
    const size_t i = tw_global_id(item, 0);
    const float factor = k->factor, summand = k->summand;
    vector a[PEAK_CHAINS], sum = {0};
#pragma clang loop unroll(full)
    for (unsigned c = 0; c < PEAK_CHAINS; ++c)
        a[c] = k->in[i] + (float)c;
#pragma clang loop unroll(disable)
    for (unsigned step = 0; step < PEAK_STEPS; ++step)
#pragma clang loop unroll(full)
        for (unsigned c = 0; c < PEAK_CHAINS; ++c)
            a[c] = a[c] * factor + summand;
#pragma clang loop unroll(full)
    for (unsigned c = 0; c < PEAK_CHAINS; ++c)
        sum += a[c];
    k->out[i] = sum;
}
TW_RANGE_KERNEL(peak_flat, 1);

SUITE_TEAMWORK_RUN(run_flat, peak, tw_parallel_for, tw_range_1d(p->items), peak_flat, .in = tw_read(cg, s->at[PEAK_IN]),
                   .out = tw_discard_write(cg, s->at[PEAK_OUT]), .factor = p->factor, .summand = p->summand)

SUITE_TEAMWORK_LIST(peak, SUITE_TEAMWORK_VERSION("flat", "range", run_flat))
