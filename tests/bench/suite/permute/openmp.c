/* SPDX-License-Identifier: Apache-2.0 */
/* Permuting in OpenMP. */
#include "../arrays_openmp.h"
#include "permute.h"

#ifdef SUITE_TARGET
#define FLAT_LOOP _Pragma("omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(in, out)")
#define ROWS_LOOP                                                                                                      \
    _Pragma("omp target teams distribute parallel for collapse(3) device(suite_openmp_device) is_device_ptr(in, out)")
#define DEPTH_LOOP
#else
#define FLAT_LOOP _Pragma("omp parallel for simd schedule(static)")
#define ROWS_LOOP _Pragma("omp parallel for collapse(2) schedule(static)")
#define DEPTH_LOOP _Pragma("omp simd")
#endif

static bool SUITE_NAME(permute_flat)(void *state)
{
    const struct suite_openmp *s = state;
    const struct permute_shape shape = ((const struct permute *)s->problem)->shape;
    const unsigned count = permute_count(&shape), batches = shape.batches, times = shape.times, heads = shape.heads;
    const unsigned depths = shape.depth;
    const float *restrict in = s->at[PERMUTE_IN];
    float *restrict out = s->at[PERMUTE_OUT];
    FLAT_LOOP
    for (unsigned at = 0; at < count; ++at) {
        const unsigned depth = at % depths, row = at / depths;
        const unsigned time = row % times, plane = row / times;
        const unsigned head = plane % heads, batch = plane / heads % batches, which = plane / heads / batches;
        out[at] = in[(((batch * times + time) * 3 + which) * heads + head) * depths + depth];
    }
    return true;
}

static bool SUITE_NAME(permute_rows)(void *state)
{
    const struct suite_openmp *s = state;
    const struct permute_shape shape = ((const struct permute *)s->problem)->shape;
    const unsigned planes = 3 * shape.batches * shape.heads, batches = shape.batches, times = shape.times;
    const unsigned heads = shape.heads, depths = shape.depth;
    const float *restrict in = s->at[PERMUTE_IN];
    float *restrict out = s->at[PERMUTE_OUT];
    ROWS_LOOP
    for (unsigned plane = 0; plane < planes; ++plane)
        for (unsigned time = 0; time < times; ++time)
            DEPTH_LOOP
    for (unsigned depth = 0; depth < depths; ++depth) {
        const unsigned head = plane % heads, batch = plane / heads % batches, which = plane / heads / batches;
        const float *from = in + (((batch * times + time) * 3 + which) * heads + head) * depths;
        (out + (plane * times + time) * depths)[depth] = from[depth];
    }
    return true;
}

static const struct suite_version versions[] = {
    SUITE_OPENMP_VERSION("flat", SUITE_NAME(permute_flat)),
    SUITE_OPENMP_VERSION("rows", SUITE_NAME(permute_rows)),
};
const struct suite_versions SUITE_OPENMP_VERSIONS(permute) = SUITE_VERSIONS(versions);
