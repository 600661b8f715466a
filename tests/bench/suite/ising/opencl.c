/* SPDX-License-Identifier: Apache-2.0 */
/* The Ising model in OpenCL. */
#include "../arrays_opencl.h"
#include "ising.h"

static const char source[] = {
#embed "ising.cl"
    , 0};

static void *open_spins(const void *problem)
{
    static const struct suite_opencl_source ising = {source, {"update"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(s, s && suite_opencl_build(&s->program, &ising, ""));
}

static bool update(const struct suite_opencl *s, unsigned spins, unsigned others, unsigned launch, unsigned odd)
{
    const struct ising *problem = s->problem;
    const uint32_t *t = problem->thresholds.at;
    const cl_uint4 thresholds = {{t[0], t[1], t[2], t[3]}};
    return suite_opencl_run(s, 0, SUITE_OPENCL_RANGE(problem->columns, problem->rows), SUITE_OPENCL_ANY,
                            SUITE_OPENCL_AT(s, spins), SUITE_OPENCL_AT(s, others), {sizeof thresholds, &thresholds},
                            SUITE_OPENCL_UINT(ising_first(problem)), SUITE_OPENCL_UINT(problem->pitch),
                            SUITE_OPENCL_UINT(ising_turn(launch)), SUITE_OPENCL_UINT(odd));
}

static bool run_flat(void *state)
{
    const struct suite_opencl *s = state;
    for (unsigned sweep = 0; sweep < ((const struct ising *)s->problem)->sweeps; ++sweep)
        if (!update(s, ISING_BLACK, ISING_WHITE, 2 * sweep, 1)
            || !update(s, ISING_WHITE, ISING_BLACK, 2 * sweep + 1, 0))
            return false;
    return suite_opencl_wait();
}

static const struct suite_version versions[] = {SUITE_OPENCL_VERSION_RESET("flat", NULL, open_spins, run_flat)};
const struct suite_versions suite_ising_opencl = SUITE_VERSIONS(versions);
