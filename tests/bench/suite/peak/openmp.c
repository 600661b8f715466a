/* SPDX-License-Identifier: Apache-2.0 */
/* Multiply-adds in OpenMP. */
#include "../arrays_openmp.h"
#include "peak.h"

typedef float vector __attribute__((vector_size(PEAK_WIDTH * sizeof(float))));

static bool SUITE_NAME(peak_flat)(void *state)
{
    const struct suite_openmp *s = state;
    const struct peak *problem = s->problem;
    const size_t items = problem->items;
    const float factor = problem->factor, summand = problem->summand;
    const vector *in = s->at[PEAK_IN];
    vector *out = s->at[PEAK_OUT];
#ifdef SUITE_TARGET
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(in, out)
#else
#pragma omp parallel for schedule(static) firstprivate(in, out, factor, summand)
#endif
    for (size_t i = 0; i < items; ++i) {
        vector a[PEAK_CHAINS], sum = {0};
#pragma clang loop unroll(full)
        for (unsigned c = 0; c < PEAK_CHAINS; ++c)
            a[c] = in[i] + (float)c;
#pragma clang loop unroll(disable)
        for (unsigned step = 0; step < PEAK_STEPS; ++step)
#pragma clang loop unroll(full)
            for (unsigned c = 0; c < PEAK_CHAINS; ++c)
                a[c] = a[c] * factor + summand;
#pragma clang loop unroll(full)
        for (unsigned c = 0; c < PEAK_CHAINS; ++c)
            sum += a[c];
        out[i] = sum;
    }
    return true;
}

SUITE_OPENMP_LIST(peak, SUITE_OPENMP_VERSION("flat", SUITE_NAME(peak_flat)))
