/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels as they are written first whose work-items have much to do on their own: a Monte Carlo simulation with a path
 * for each, whose results are added up (paths), and a tridiagonal system of equations for each, in private arrays
 * (lines).
 */
#ifndef TEAMWORK_SUITE_ITEMS_H
#define TEAMWORK_SUITE_ITEMS_H

#include "../arrays.h"

enum {
    ITEMS_GROUP = 128,
    ITEMS_STEPS = 64, /**< of a path; a run-time value of the kernels */
    ITEMS_MOST = 64,  /**< unknowns of a system, for which there are arrays */
    ITEMS_LENGTH = 48 /**< that there are; a run-time value of the kernels */
};

/** The arrays, of floats: `paths` has a sum alone; `lines` have a right-hand side, a solution and a coefficient. */
enum { ITEMS_IN, ITEMS_OUT, ITEMS_COEFFICIENTS };

struct items {
    struct suite_arrays arrays;
    size_t count; /**< paths; or systems */
};

/** An asset that begins at 1, and the option to buy it for what it cost on the average of the path. */
struct items_option {
    float drift, volatility, strike; /**< of a step */
    uint32_t seed;
};

#define ITEMS_OPTION {.drift = 1e-4f, .volatility = 0.02f, .strike = 1, .seed = 20260117}

/** Changes x, a uint32_t, to a hash of itself, by multiplications and shifts (of the lowbias32 family). */
#define ITEMS_HASH(x)                                                                                                  \
    do {                                                                                                               \
        (x) ^= (x) >> 16;                                                                                              \
        (x) *= 0x7feb352du;                                                                                            \
        (x) ^= (x) >> 15;                                                                                              \
        (x) *= 0x846ca68bu;                                                                                            \
        (x) ^= (x) >> 16;                                                                                              \
    } while (0)

/** Two numbers of a step of a path, above 0 and below 1. */
#define ITEMS_RANDOM(seed, path, step, first, second)                                                                  \
    do {                                                                                                               \
        uint32_t a_ = (path) ^ (seed), b_;                                                                             \
        ITEMS_HASH(a_);                                                                                                \
        a_ += 2 * (step);                                                                                              \
        b_ = a_ + 1;                                                                                                   \
        ITEMS_HASH(a_);                                                                                                \
        ITEMS_HASH(b_);                                                                                                \
        (first) = ((float)(int32_t)(a_ >> 9) + 0.5f) * 0x1p-23f;                                                       \
        (second) = ((float)(int32_t)(b_ >> 9) + 0.5f) * 0x1p-23f;                                                      \
    } while (0)

#define ITEMS_TWO_PI 6.28318531f

#endif
