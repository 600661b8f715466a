/* SPDX-License-Identifier: Apache-2.0 */
/* An image of noisy waves, and what the filter makes of it. */
#include "bilateral.h"

#include <math.h>
#include <stdio.h>

static float filtered(const float *here, ptrdiff_t pitch)
{
    double sum = 0, weights = 0;
    for (int dy = -BILATERAL_RADIUS; dy <= BILATERAL_RADIUS; ++dy)
        for (int dx = -BILATERAL_RADIUS; dx <= BILATERAL_RADIUS; ++dx) {
            const float value = here[dy * pitch + dx], difference = value - *here;
            const double weight =
                (double)expf((float)(dx * dx + dy * dy) * BILATERAL_NEAR + difference * difference * BILATERAL_ALIKE);
            sum += weight * (double)value;
            weights += weight;
        }
    return (float)(sum / weights);
}

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct bilateral *b = suite_allocate_data(sizeof *b);
    problem->data = b;
    if (!b)
        return false;
    b->rows = size == SUITE_QUICK ? 64 : size == SUITE_CPU ? 768 : 4096;
    b->columns = 2 * b->rows;
    b->pitch = b->columns + 2 * BILATERAL_LEFT;
    const size_t count = (size_t)(b->rows + 2 * BILATERAL_RADIUS) * b->pitch, bytes = count * sizeof(float);
    float *in = suite_allocate(bytes), *out = suite_allocate(bytes), *expected = suite_allocate(bytes);
    b->arrays = (struct suite_arrays){
        .at = {{bytes, in, false}, {bytes, out, false}}, .result = BILATERAL_OUT, .expected = expected};
    if (!in || !out || !expected)
        return false;
    uint64_t random = SUITE_SEED;
    for (size_t i = 0; i < count; ++i) {
        const float noise = (float)(suite_random(&random) >> 40) * 0x1p-24f;
        in[i] = 0.5f + 0.4f * sinf((float)(i % b->pitch) * 0.02f) * cosf((float)(i / b->pitch) * 0.03f) + 0.1f * noise;
        expected[i] = out[i] = 0;
    }
#pragma omp parallel for
    for (size_t row = 0; row < b->rows; ++row)
        for (size_t column = 0; column < b->columns; ++column) {
            const size_t at = bilateral_first(b) + row * b->pitch + column;
            expected[at] = filtered(in + at, (ptrdiff_t)b->pitch);
        }
    problem->result_bytes = bytes;
    const double pixels = (double)b->rows * b->columns, taps = (2 * BILATERAL_RADIUS + 1) * (2 * BILATERAL_RADIUS + 1);
    problem->work =
        (struct suite_work){.bytes = 2 * sizeof(float) * pixels, .flops = pixels * taps * 16, .launches = 1};
    snprintf(problem->title, sizeof problem->title, "bilateral filter, radius %d, %u x %u pixels", BILATERAL_RADIUS,
             b->rows, b->columns);
    return true;
}

static bool check(const struct suite_problem *problem, const void *result)
{
    return suite_arrays_close(problem, result, 1e-6);
}

const struct suite_program suite_bilateral = {"bilateral", "HeCBench bilateral", make, suite_arrays_free, check};
