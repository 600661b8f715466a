/* SPDX-License-Identifier: Apache-2.0 */
/* Bitonic sort in OpenMP. */
#include "../arrays_openmp.h"
#include "bitonic.h"

enum { BLOCK = BITONIC_BLOCK, HALF = BLOCK / 2 };

#ifdef SUITE_TARGET

static void SUITE_NAME(bitonic_step)(uint32_t *numbers, unsigned count, unsigned size, unsigned distance)
{
    const unsigned pairs = count / 2;
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(numbers)
    for (unsigned i = 0; i < pairs; ++i) {
        const unsigned low = 2 * i - (i & (distance - 1)), high = low + distance;
        const uint32_t x = numbers[low], y = numbers[high], least = x < y ? x : y, most = x < y ? y : x;
        const bool upwards = (low & size) == 0;
        numbers[low] = upwards ? least : most;
        numbers[high] = upwards ? most : least;
    }
}

/* A team sorts a block in its memory: the steps of a size from distance HALF on, or for size 0 all up to BLOCK. */
static void SUITE_NAME(bitonic_blocks)(uint32_t *numbers, unsigned count, unsigned of_size)
{
    const unsigned blocks = count / BLOCK, first_size = of_size ? of_size : 2, last_size = of_size ? of_size : BLOCK;
#pragma omp target teams distribute num_teams(blocks) thread_limit(HALF) device(suite_openmp_device)                   \
    is_device_ptr(numbers)
    for (unsigned b = 0; b < blocks; ++b) {
        uint32_t block[BLOCK] __attribute__((aligned(16)));
        SUITE_TEAM_MEMORY(block)
        const unsigned offset = b * BLOCK;
#pragma omp parallel num_threads(HALF)
        {
#pragma omp for
            for (unsigned i = 0; i < BLOCK; ++i)
                block[i] = numbers[offset + i];
            for (unsigned size = first_size; size <= last_size; size *= 2)
                for (unsigned distance = size / 2 < HALF ? size / 2 : HALF; distance > 0; distance /= 2) {
#pragma omp for
                    for (unsigned i = 0; i < HALF; ++i) {
                        const unsigned low = 2 * i - (i & (distance - 1)), high = low + distance;
                        const uint32_t x = block[low], y = block[high];
                        const uint32_t least = x < y ? x : y, most = x < y ? y : x;
                        const bool upwards = ((offset + low) & size) == 0;
                        block[low] = upwards ? least : most;
                        block[high] = upwards ? most : least;
                    }
                }
#pragma omp for nowait
            for (unsigned i = 0; i < BLOCK; ++i)
                numbers[offset + i] = block[i];
        }
    }
}

#else

/* Pairs in a row: number j of the first half of 2 * distance numbers. */
static inline void one_row(uint32_t *restrict low, uint32_t *restrict high, size_t distance, bool upwards)
{
#pragma omp simd
    for (size_t j = 0; j < distance; ++j) {
        const uint32_t x = low[j], y = high[j], least = x < y ? x : y, most = x < y ? y : x;
        low[j] = upwards ? least : most;
        high[j] = upwards ? most : least;
    }
}

static void SUITE_NAME(bitonic_step)(uint32_t *numbers, unsigned count, unsigned size, unsigned distance)
{
    enum { LEAST = 4096 }; /* numbers for a thread at a time: near ones, where rows are short, and parts of long ones */
    const size_t row = distance < LEAST ? distance : LEAST, rows = count / 2 / row;
#pragma omp parallel for schedule(static) firstprivate(numbers, row, rows, size, distance)
    for (size_t r = 0; r < rows; ++r) {
        const size_t pair = r * row, low = 2 * pair - (pair & (distance - 1));
        one_row(numbers + low, numbers + low + distance, row, (low & size) == 0);
    }
}

static void SUITE_NAME(bitonic_blocks)(uint32_t *numbers, unsigned count, unsigned of_size)
{
    const size_t first_size = of_size ? of_size : 2, last_size = of_size ? of_size : BLOCK;
#pragma omp parallel for schedule(static) firstprivate(numbers, count, first_size, last_size)
    for (size_t offset = 0; offset < count; offset += BLOCK)
        for (size_t size = first_size; size <= last_size; size *= 2)
            for (size_t distance = size / 2 < HALF ? size / 2 : HALF; distance > 0; distance /= 2)
                for (size_t i = offset; i < offset + BLOCK; i += 2 * distance)
                    one_row(numbers + i, numbers + i + distance, distance, (i & size) == 0);
}

#endif

static bool SUITE_NAME(bitonic_flat)(void *state)
{
    const struct suite_openmp *s = state;
    const unsigned count = (unsigned)((const struct bitonic *)s->problem)->count;
    for (unsigned size = 2; size <= count; size *= 2)
        for (unsigned distance = size / 2; distance > 0; distance /= 2)
            SUITE_NAME(bitonic_step)(s->at[BITONIC_NUMBERS], count, size, distance);
    return true;
}

static bool SUITE_NAME(bitonic_local)(void *state)
{
    const struct suite_openmp *s = state;
    const unsigned count = (unsigned)((const struct bitonic *)s->problem)->count;
    SUITE_NAME(bitonic_blocks)(s->at[BITONIC_NUMBERS], count, 0);
    for (unsigned size = 2 * BLOCK; size <= count; size *= 2) {
        for (unsigned distance = size / 2; distance > HALF; distance /= 2)
            SUITE_NAME(bitonic_step)(s->at[BITONIC_NUMBERS], count, size, distance);
        SUITE_NAME(bitonic_blocks)(s->at[BITONIC_NUMBERS], count, size);
    }
    return true;
}

static const struct suite_version versions[] = {
    SUITE_OPENMP_VERSION_RESET("flat", SUITE_NAME(bitonic_flat)),
    SUITE_OPENMP_VERSION_RESET("local", SUITE_NAME(bitonic_local)),
};
const struct suite_versions SUITE_OPENMP_VERSIONS(bitonic) = SUITE_VERSIONS(versions);
