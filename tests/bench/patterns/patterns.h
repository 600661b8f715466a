/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Patterns of kernels, each beside its twin in CUDA: what took longer than nvcc's code once, and kernels around it. They
 * are written as one writes them first, and no kernel here is changed because it is slow: that is a task for the library.
 *
 *     main.c        the patterns with their data, rounds, the table
 *     teamwork.c    the kernels
 *     cuda.cu       their twins, whose results are those that count
 *
 * The header is C17 and C++17.
 */
#ifndef TEAMWORK_PATTERNS_H
#define TEAMWORK_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What runs; several patterns run the same with other sizes. */
#define PATTERN_RUNS(X)                                                                                                \
    X(dft)                                                                                                             \
    X(dft_floats)                                                                                                      \
    X(structure)                                                                                                       \
    X(quadrature)                                                                                                      \
    X(fft)                                                                                                             \
    X(fft_apart)                                                                                                       \
    X(conv_flat)                                                                                                       \
    X(conv_range)                                                                                                      \
    X(conv_tiles)                                                                                                      \
    X(conv_either)                                                                                                     \
    X(boxes)                                                                                                           \
    X(product)                                                                                                         \
    X(scan_pairs)                                                                                                      \
    X(scan_steps)                                                                                                      \
    X(scan_place)                                                                                                      \
    X(waves)                                                                                                           \
    X(waves_any)                                                                                                       \
    X(waves_items)                                                                                                     \
    X(waves_pointers)                                                                                                  \
    X(blur_bytes)                                                                                                      \
    X(blur_floats)                                                                                                     \
    X(blur_nearest)                                                                                                    \
    X(blur_any)                                                                                                        \
    X(blur_code)

#define PATTERN_RUN_NAME(name) PATTERN_##name,
enum pattern_run { PATTERN_RUNS(PATTERN_RUN_NAME) PATTERN_RUN_COUNT };
#undef PATTERN_RUN_NAME

enum { PATTERN_ARRAYS = 13, PATTERN_SIZES = 3 };
enum {
    DFT_POINTS = 16,
    ATOMS = 16,
    NODES = 16,
    FFT_POINTS = 1024,
    FFT_GROUP = FFT_POINTS / 2,
    FFT_LOG = 10,
    CONV_GROUP = 256,
    CONV_MOST = 64,
    BOX = 100,
    BOX_GROUP = 128,
    BOX_NEAR = 26,
    SCAN_GROUP = 512,
    BLUR_SAMPLES = 16
};

struct pattern_box {
    int first, count, near_[BOX_NEAR];
};

struct pattern_vec4 {
    float v, x, y, z;
};

struct pattern_atom {
    double x, y, z, weight;
};

/** Numbers that a run reads, or poison that it overwrites. */
struct pattern_array {
    size_t each;     /**< bytes of an element; 0: there is none */
    size_t range[3]; /**< elements; 0 behind the last dimension */
    const void *initial;
};

static inline size_t pattern_bytes(const struct pattern_array *a)
{
    return a->each * a->range[0] * (a->range[1] ? a->range[1] : 1) * (a->range[2] ? a->range[2] : 1);
}

/** What a run works on. It gives the same again each time. */
struct pattern_data {
    void *at[PATTERN_ARRAYS]; /**< its side's: a tw_buffer, or device memory in CUDA */
    int n[PATTERN_SIZES];
};

/** One side. Functions print what went wrong. */
struct pattern_side {
    void *(*allocate)(const struct pattern_array *array);
    bool (*fetch)(void *array, void *to, size_t bytes);
    void (*release)(void *array);
    bool (*run[PATTERN_RUN_COUNT])(const struct pattern_data *data); /**< complete when it returns */
};

extern const struct pattern_side pattern_teamwork, pattern_cuda;

#ifdef __cplusplus
}
#endif

#endif
