/* SPDX-License-Identifier: Apache-2.0 */
/* Sums in OpenMP, which has reductions: nobody writes them by hand. */
#include "../arrays_openmp.h"
#include "reduction.h"

static bool SUITE_NAME(reduction)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t count = ((const struct reduction *)s->problem)->count;
    const uint32_t *numbers = s->at[REDUCTION_NUMBERS];
    uint32_t sum = 0;
#ifdef SUITE_TARGET
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(numbers) reduction(+ : sum) \
    map(tofrom : sum)
    for (size_t i = 0; i < count; ++i)
        sum += numbers[i];
    return suite_device_set(s->at[REDUCTION_SUM], &sum, sizeof sum);
#else
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < count; ++i)
        sum += numbers[i];
    memcpy(s->at[REDUCTION_SUM], &sum, sizeof sum);
    return true;
#endif
}

SUITE_OPENMP_LIST(reduction, SUITE_OPENMP_VERSION("launch", SUITE_NAME(reduction)))
