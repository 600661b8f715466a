/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The data of a problem are a few arrays, and begin with a struct suite_arrays. What problems, and the memory of their
 * versions on every side, have in common:
 *
 *     arrays.c             making, checking and freeing the problem
 *     arrays_teamwork.h    memory of versions in Teamwork: buffers; their runs
 *     arrays_openmp.h      of versions in OpenMP, on the host or on a device
 *     arrays_cuda.h        of versions in CUDA
 *
 * The header is C17 and C++17.
 */
#ifndef TEAMWORK_SUITE_ARRAYS_H
#define TEAMWORK_SUITE_ARRAYS_H

#include "suite.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SUITE_ARRAYS = 8 };

/** One array of a problem. The size is a multiple of 4 bytes. */
struct suite_array {
    size_t bytes;        /**< 0: there is none */
    const void *initial; /**< what it holds at first, made by suite_allocate(); NULL: poison, so that a version that
                            does nothing gives no result */
};

/** What the data of the problem begin with. */
struct suite_arrays {
    struct suite_array at[SUITE_ARRAYS];
    unsigned result;      /**< which array is the result */
    const void *expected; /**< what is in it then; made by suite_allocate() */
    unsigned doubles;     /**< a set of bits: the arrays whose buffers have elements of 8 bytes, not of 4 */
};

/** Zeroed data of a problem, of a struct that begins with a struct suite_arrays. */
void *suite_allocate_data(size_t bytes);

/** Begins a literal problem of floats, whose data have `bytes`: array 0 has `in_count` small integers that look random,
 *  so that sums of them are the same in any order; array 1 is the result, of `out_count`. A problem of uint32_t, which
 *  are as large, puts its own there. Returns the data with the rest of them 0, or NULL. */
void *suite_arrays_floats(struct suite_problem *problem, size_t bytes, size_t in_count, size_t out_count);

/** As suite_program's free: the arrays and the data. Does nothing to data of NULL. */
void suite_arrays_free(struct suite_problem *problem);

/** As suite_program's check: the result is the expected one, bit by bit. */
bool suite_arrays_equal(const struct suite_problem *problem, const void *result);

/** Likewise for floats, where sums are reordered: all differences together are below `relative` of all values together,
 *  and no single one is above a hundred times that. */
bool suite_arrays_close(const struct suite_problem *problem, const void *result, double relative);

/** The next of a sequence of numbers that look random; the state is not 0. */
static inline uint64_t suite_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/** Where such a sequence begins. */
#define SUITE_SEED UINT64_C(88172645463325252)

/** Number `i` of another one, for large arrays, which threads fill together. */
static inline uint64_t suite_random_at(uint64_t i)
{
    i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    i = (i ^ i >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    i = (i ^ i >> 27) * UINT64_C(0x94d049bb133111eb);
    return i ^ i >> 31;
}

#ifdef __cplusplus
}
#endif

#endif
