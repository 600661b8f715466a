/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by key in OpenMP. */
#include "../arrays_openmp.h"
#include "scatter_add.h"

enum { BINS = SCATTER_ADD_BINS, GROUP = SCATTER_ADD_GROUP };

#ifdef SUITE_TARGET

static void SUITE_NAME(scatter_add_clear)(float *sums)
{
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(sums)
    for (unsigned bin = 0; bin < BINS; ++bin)
        sums[bin] = 0;
}

static bool SUITE_NAME(scatter_add_global)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t count = ((const struct scatter_add *)s->problem)->count;
    const float *values = s->at[SCATTER_ADD_VALUES];
    const uint32_t *keys = s->at[SCATTER_ADD_KEYS];
    float *sums = s->at[SCATTER_ADD_SUMS];
    SUITE_NAME(scatter_add_clear)(sums);
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(values, keys, sums)
    for (size_t i = 0; i < count; ++i) {
#pragma omp atomic
        sums[keys[i]] += values[i];
    }
    return true;
}

/* A team sums up its part of the values in its memory. */
static bool SUITE_NAME(scatter_add_local)(void *state)
{
    enum { TEAMS = 132 * SCATTER_ADD_RESIDENT }; /* what a large GPU holds */
    const struct suite_openmp *s = state;
    const size_t count = ((const struct scatter_add *)s->problem)->count, each = scatter_add_part(count, TEAMS);
    const float *values = s->at[SCATTER_ADD_VALUES];
    const uint32_t *keys = s->at[SCATTER_ADD_KEYS];
    float *all = s->at[SCATTER_ADD_SUMS];
    SUITE_NAME(scatter_add_clear)(all);
#pragma omp target teams distribute num_teams(TEAMS) thread_limit(GROUP) device(suite_openmp_device)                   \
    is_device_ptr(values, keys, all)
    for (size_t team = 0; team < TEAMS; ++team) {
        float sums[BINS];
        SUITE_TEAM_MEMORY(sums)
        const size_t first = team * each < count ? team * each : count,
                     past = count - first < each ? count : first + each;
#pragma omp parallel num_threads(GROUP)
        {
#pragma omp for
            for (unsigned bin = 0; bin < BINS; ++bin)
                sums[bin] = 0;
#pragma omp for
            for (size_t i = first; i < past; ++i) {
#pragma omp atomic
                sums[keys[i]] += values[i];
            }
#pragma omp for nowait
            for (unsigned bin = 0; bin < BINS; ++bin) {
#pragma omp atomic
                all[bin] += sums[bin];
            }
        }
    }
    return true;
}

#else

static bool SUITE_NAME(scatter_add_global)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t count = ((const struct scatter_add *)s->problem)->count;
    const float *values = s->at[SCATTER_ADD_VALUES];
    const uint32_t *keys = s->at[SCATTER_ADD_KEYS];
    float *sums = s->at[SCATTER_ADD_SUMS];
    memset(sums, 0, BINS * sizeof *sums);
#pragma omp parallel for schedule(static) firstprivate(values, keys, sums)
    for (size_t i = 0; i < count; ++i) {
#pragma omp atomic
        sums[keys[i]] += values[i];
    }
    return true;
}

/* Sums of each thread's own. */
static bool SUITE_NAME(scatter_add_local)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t count = ((const struct scatter_add *)s->problem)->count;
    const float *values = s->at[SCATTER_ADD_VALUES];
    const uint32_t *keys = s->at[SCATTER_ADD_KEYS];
    float *sums = s->at[SCATTER_ADD_SUMS];
    memset(sums, 0, BINS * sizeof *sums);
#pragma omp parallel for schedule(static) firstprivate(values, keys) reduction(+ : sums[ : BINS])
    for (size_t i = 0; i < count; ++i)
        sums[keys[i]] += values[i];
    return true;
}

#endif

static const struct suite_version versions[] = {
    SUITE_OPENMP_VERSION("global", SUITE_NAME(scatter_add_global)),
    SUITE_OPENMP_VERSION("local", SUITE_NAME(scatter_add_local)),
};
const struct suite_versions SUITE_OPENMP_VERSIONS(scatter_add) = SUITE_VERSIONS(versions);
