/* SPDX-License-Identifier: Apache-2.0 */
/* Bitonic sort in OpenCL. */
#include "../arrays_opencl.h"
#include "bitonic.h"

static const char source[] = {
#embed "bitonic.cl"
    , 0};

enum { STEP, BLOCK_STEPS };

enum { HALF = BITONIC_BLOCK / 2 };

static void *open_numbers(const void *problem)
{
    static const struct suite_opencl_source bitonic = {source, {"one_step", "block_steps"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(s, s && suite_opencl_build(&s->program, &bitonic, "-DBLOCK=%d", BITONIC_BLOCK));
}

static size_t numbers(const struct suite_opencl *s)
{
    return ((const struct bitonic *)s->problem)->count;
}

/* Steps of a size at all distances above the given one. */
static bool steps(const struct suite_opencl *s, size_t size, size_t above)
{
    for (size_t distance = size / 2; distance > above; distance /= 2)
        if (!suite_opencl_run(s, STEP, SUITE_OPENCL_RANGE(numbers(s) / 2), SUITE_OPENCL_ANY,
                              SUITE_OPENCL_AT(s, BITONIC_NUMBERS), SUITE_OPENCL_UINT(size),
                              SUITE_OPENCL_UINT(distance)))
            return false;
    return true;
}

static bool steps_of_blocks(const struct suite_opencl *s, size_t of_size)
{
    return suite_opencl_run(s, BLOCK_STEPS, SUITE_OPENCL_RANGE(numbers(s) / 2), SUITE_OPENCL_RANGE(HALF),
                            SUITE_OPENCL_AT(s, BITONIC_NUMBERS), SUITE_OPENCL_UINT(of_size));
}

static bool run_flat(void *state)
{
    const struct suite_opencl *s = state;
    for (size_t size = 2; size <= numbers(s); size *= 2)
        if (!steps(s, size, 0))
            return false;
    return suite_opencl_wait();
}

static bool run_local(void *state)
{
    const struct suite_opencl *s = state;
    if (!steps_of_blocks(s, 0))
        return false;
    for (size_t size = 2 * BITONIC_BLOCK; size <= numbers(s); size *= 2)
        if (!steps(s, size, HALF) || !steps_of_blocks(s, size))
            return false;
    return suite_opencl_wait();
}

static const struct suite_version versions[] = {
    SUITE_OPENCL_VERSION_RESET("flat", NULL, open_numbers, run_flat),
    SUITE_OPENCL_VERSION_RESET("local", "barriers", open_numbers, run_local),
};
const struct suite_versions suite_bitonic_opencl = SUITE_VERSIONS(versions);
