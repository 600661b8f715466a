/* SPDX-License-Identifier: Apache-2.0 */
/* Random sequences of four letters, of which the second one has pieces of the first. */
#include "wavefront.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Row by row; `above` has the scores of the row before, and zeros at first. */
static void reference(const int32_t *down, const int32_t *across_back, int32_t *best, int32_t *above, size_t length)
{
    for (size_t i = 0; i < length; ++i) {
        int32_t left = 0, above_left = 0, most = 0;
        for (size_t j = 0; j < length; ++j) {
            const int32_t pair = down[i] == across_back[length - 1 - j] ? WAVEFRONT_MATCH : WAVEFRONT_MISMATCH;
            const int32_t gap = larger(above[j], left) - WAVEFRONT_GAP;
            const int32_t score = larger(0, larger(above_left + pair, gap));
            above_left = above[j];
            above[j] = left = score;
            most = larger(most, score);
        }
        best[i] = most;
    }
}

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct wavefront *w = suite_allocate_data(sizeof *w);
    problem->data = w;
    if (!w)
        return false;
    const size_t length = size == SUITE_QUICK ? 256 : size == SUITE_CPU ? 4096 : 8192, bytes = length * sizeof(int32_t);
    const size_t tiles = length / WAVEFRONT_TILE, diagonals = 3 * wavefront_pitch(length) * sizeof(int32_t);
    int32_t *down = suite_allocate(bytes), *across = suite_allocate(bytes), *best = suite_allocate(bytes);
    int32_t *zeros = suite_allocate(diagonals), *above = calloc(length, sizeof *above);
    w->length = length;
    w->arrays = (struct suite_arrays){.at = {[WAVEFRONT_DOWN] = {bytes, down, false},
                                             [WAVEFRONT_ACROSS] = {bytes, across, false},
                                             [WAVEFRONT_BEST] = {bytes, NULL, false},
                                             [WAVEFRONT_ROW] = {bytes, NULL, false},
                                             [WAVEFRONT_COLUMN] = {bytes, NULL, false},
                                             [WAVEFRONT_CORNERS] = {tiles * tiles * sizeof(int32_t), NULL, false},
                                             [WAVEFRONT_DIAGONALS] = {diagonals, zeros, false}},
                                      WAVEFRONT_BEST,
                                      best};
    if (!down || !across || !best || !zeros || !above) {
        free(above);
        return false;
    }
    memset(zeros, 0, diagonals);
    uint64_t random = SUITE_SEED;
    for (size_t i = 0; i < length; ++i)
        down[i] = (int32_t)(suite_random(&random) >> 40 & 3);
    for (size_t j = 0; j < length; ++j) {
        const uint64_t r = suite_random(&random);
        across[length - 1 - j] = r % 8 ? down[(j + j / 1000 * 37) % length] : (int32_t)(r >> 40 & 3);
    }
    reference(down, across, best, above, length);
    free(above);
    problem->result_bytes = bytes;
    problem->work = (struct suite_work){.launches = 2.0 * (double)length - 1}; /* of the form "cells" */
    snprintf(problem->title, sizeof problem->title, "Smith-Waterman, %zu letters by as many", length);
    return true;
}

const struct suite_program suite_wavefront = {"wavefront", "", make, suite_arrays_free, suite_arrays_equal};
