/* SPDX-License-Identifier: Apache-2.0 */
/* The Ising model in OpenMP. */
#include "../arrays_openmp.h"
#include "ising.h"

static void SUITE_NAME(ising_update)(const struct ising *problem, signed char *spins, const signed char *others,
                                     bool black, unsigned launch)
{
    const unsigned rows = problem->rows, columns = problem->columns, pitch = problem->pitch;
    const uint32_t turn = ising_turn(launch), odd = black;
#ifdef SUITE_TARGET
    const uint32_t t1 = problem->thresholds.at[0], t2 = problem->thresholds.at[1], t3 = problem->thresholds.at[2];
    const uint32_t t4 = problem->thresholds.at[3];
#pragma omp target teams distribute parallel for collapse(2) device(suite_openmp_device) is_device_ptr(spins, others)
    for (unsigned row = 0; row < rows; ++row)
        for (unsigned column = 0; column < columns; ++column) {
            const signed char *here = others + row * pitch + column, *side = row % 2 == odd ? here + 1 : here - 1;
            const int sum = (here - pitch)[0] + here[0] + here[pitch] + side[0];
            signed char *spin = spins + row * pitch + column;
            ISING_SPIN(*spin, *spin, sum, row * pitch + column, turn, t1, t2, t3, t4);
        }
#else
#pragma omp parallel for schedule(static) firstprivate(spins, others, columns, pitch, problem, turn, odd)
    for (unsigned row = 0; row < rows; ++row) {
        /* loaded here: captured scalars are 64 bits wide, and clang 19 would choose among them in 64 bits */
        const uint32_t t1 = problem->thresholds.at[0], t2 = problem->thresholds.at[1], t3 = problem->thresholds.at[2];
        const uint32_t t4 = problem->thresholds.at[3];
        const unsigned start = row * pitch;
        const signed char *restrict here = others + start, *restrict side = row % 2 == odd ? here + 1 : here - 1;
        const signed char *restrict up = here - pitch, *restrict down = here + pitch;
        signed char *restrict spin = spins + start;
#pragma omp simd
        for (size_t column = 0; column < columns; ++column) {
            const int sum = up[column] + here[column] + down[column] + side[column];
            ISING_SPIN(spin[column], spin[column], sum, start + (unsigned)column, turn, t1, t2, t3, t4);
        }
    }
#endif
}

static bool run_flat(void *state)
{
    const struct suite_openmp *s = state;
    const struct ising *problem = s->problem;
    signed char *black = (signed char *)s->at[ISING_BLACK] + ising_first(problem);
    signed char *white = (signed char *)s->at[ISING_WHITE] + ising_first(problem);
    for (unsigned sweep = 0; sweep < problem->sweeps; ++sweep) {
        SUITE_NAME(ising_update)(problem, black, white, true, 2 * sweep);
        SUITE_NAME(ising_update)(problem, white, black, false, 2 * sweep + 1);
    }
    return true;
}

static const struct suite_version versions[] = {SUITE_OPENMP_VERSION_RESET("flat", run_flat)};
const struct suite_versions SUITE_OPENMP_VERSIONS(ising) = SUITE_VERSIONS(versions);
