/* SPDX-License-Identifier: Apache-2.0 */
/* A hot lattice, and what it is after some sweeps below the critical temperature. */
#include "ising.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double INVERSE_TEMPERATURE = 0.5;

static void update(signed char *spins, const signed char *others, const struct ising *g, bool black, unsigned launch)
{
    const uint32_t *t = g->thresholds.at;
#pragma omp parallel for
    for (unsigned row = 0; row < g->rows; ++row) {
        /* The neighbours in the same row are at the same column and at the one before, or behind. */
        const int side = (row % 2 == 1) == black ? 1 : -1;
        for (unsigned column = 0; column < g->columns; ++column) {
            const size_t at = ising_first(g) + (size_t)row * g->pitch + column;
            const int sum = others[at - g->pitch] + others[at] + others[at + g->pitch] + others[(ptrdiff_t)at + side];
            ISING_SPIN(spins[at], spins[at], sum, row * g->pitch + column, ising_turn(launch), t[0], t[1], t[2], t[3]);
        }
    }
}

static void fill(signed char *spins, size_t bytes, const struct ising *g, uint64_t *random)
{
    memset(spins, 0, bytes);
    for (unsigned row = 0; row < g->rows; ++row)
        for (unsigned column = 0; column < g->columns; ++column)
            spins[ising_first(g) + (size_t)row * g->pitch + column] = suite_random(random) >> 63 ? 1 : -1;
}

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct ising *g = suite_allocate_data(sizeof *g);
    problem->data = g;
    if (!g)
        return false;
    g->rows = size == SUITE_QUICK ? 96 : size == SUITE_CPU ? 2048 : 8192;
    g->columns = g->rows / 2;
    g->pitch = g->columns + 2 * ISING_LEFT;
    g->sweeps = size == SUITE_QUICK ? 3 : 10;
    for (int agree = 1; agree <= 4; ++agree)
        g->thresholds.at[agree - 1] = (uint32_t)(exp(-2 * INVERSE_TEMPERATURE * agree) * 4294967296.0);
    const size_t bytes = (size_t)(g->rows + 2) * g->pitch;
    signed char *black = suite_allocate(bytes), *white = suite_allocate(bytes), *expected = suite_allocate(bytes);
    signed char *scratch = suite_allocate(bytes);
    g->arrays = (struct suite_arrays){
        .at = {{bytes, black, true}, {bytes, white, true}}, .result = ISING_WHITE, .expected = expected};
    if (black && white && expected && scratch) {
        uint64_t random = SUITE_SEED;
        fill(black, bytes, g, &random);
        fill(white, bytes, g, &random);
        memcpy(scratch, black, bytes);
        memcpy(expected, white, bytes);
        for (unsigned sweep = 0; sweep < g->sweeps; ++sweep) {
            update(scratch, expected, g, true, 2 * sweep);
            update(expected, scratch, g, false, 2 * sweep + 1);
        }
    }
    free(scratch);
    problem->result_bytes = bytes;
    const double spins = (double)g->rows * g->columns * 2 * g->sweeps;
    problem->work = (struct suite_work){.bytes = 3 * spins, .launches = 2.0 * g->sweeps};
    snprintf(problem->title, sizeof problem->title, "Ising model, %u sweeps over %u x %u spins", g->sweeps, g->rows,
             2 * g->columns);
    return scratch && expected;
}

const struct suite_program suite_ising = {"ising", "HeCBench ising", make, suite_arrays_free, suite_arrays_equal};
