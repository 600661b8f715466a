/* SPDX-License-Identifier: Apache-2.0 */
/* Boards of which a third of the cells live, and their next generation. */
#include "life.h"

#include <stdio.h>
#include <string.h>

static void reference(const unsigned char *now, unsigned char *next, size_t side, size_t pitch)
{
    for (size_t row = 1; row <= side; ++row)
        for (size_t column = 1; column <= side; ++column) {
            unsigned sum = 0;
            for (size_t r = row - 1; r <= row + 1; ++r)
                sum += now[r * pitch + column - 1] + now[r * pitch + column] + now[r * pitch + column + 1];
            const unsigned cell = now[row * pitch + column];
            next[row * pitch + column] = sum == 3 || (sum == 4 && cell); /* the cell itself counted */
        }
}

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct life *life = suite_allocate_data(sizeof *life);
    problem->data = life;
    if (!life)
        return false;
    const size_t side = size == SUITE_QUICK ? 192 : size == SUITE_CPU ? 4096 : 8192;
    const size_t pitch = (side + 2 + 63) / 64 * 64, bytes = (side + 2) * pitch;
    unsigned char *now = suite_allocate(bytes), *dead = suite_allocate(bytes), *next = suite_allocate(bytes);
    life->side = side;
    life->pitch = pitch;
    life->arrays = (struct suite_arrays){.at = {{bytes, now}, {bytes, dead}}, LIFE_NEXT, next};
    if (!now || !dead || !next)
        return false;
    memset(now, 0, bytes);
    memset(dead, 0, bytes);
    memset(next, 0, bytes);
    uint64_t random = SUITE_SEED;
    for (size_t row = 1; row <= side; ++row)
        for (size_t column = 1; column <= side; ++column)
            now[row * pitch + column] = suite_random(&random) % 3 == 0;
    reference(now, next, side, pitch);
    problem->result_bytes = bytes;
    problem->work = (struct suite_work){.bytes = 2.0 * (double)(side * side)};
    snprintf(problem->title, sizeof problem->title, "Game of Life, a generation of %zu x %zu cells", side, side);
    return true;
}

const struct suite_program suite_life = {"life", "", make, suite_arrays_free, suite_arrays_equal};

static bool make_any(enum suite_size size, struct suite_problem *problem)
{
    if (!make(size, problem))
        return false;
    const size_t side = ((const struct life *)problem->data)->side;
    snprintf(problem->title, sizeof problem->title, "Game of Life, tiles of any size, %zu x %zu cells", side, side);
    problem->literal = true;
    return true;
}

const struct suite_program suite_life_any = {"life_any", "", make_any, suite_arrays_free, suite_arrays_equal};
