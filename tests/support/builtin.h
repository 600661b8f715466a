/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the tests of the vector types and built-in functions share: kernels that apply a list of functions to arrays, in
 * vectors of every size, and numbers to try.
 *
 * A kernel's work-item handles CHUNK elements, which every vector size divides: for each size it loads them as vectors
 * of that size, and stores what each function makes of them into an array of its own. So results are
 * out[(function * SIZES + size) * count + element], and a scalar reference says what each of them has to be.
 */
#ifndef TW_TEST_BUILTIN_H
#define TW_TEST_BUILTIN_H

#include "tw_test.h"

#include <math.h>
#include <stdint.h>

#include <teamwork/vector.h>

enum { CHUNK = 48, SIZES = 6 };

/* The elements of a vector of each size. */
static const size_t builtin_lanes[SIZES] = {1, 2, 3, 4, 8, 16};

/* X(T, n, lanes, size) for each size: n as the library's lists have it, empty for scalars. */
#define BUILTIN_SIZES(X, T) X(T, , 1, 0) X(T, 2, 2, 1) X(T, 3, 3, 2) X(T, 4, 4, 3) X(T, 8, 8, 4) X(T, 16, 16, 5)

#define VLOAD(n, j, p) VLOAD_##n(j, p)
#define VLOAD_(j, p) ((p)[j])
#define VLOAD_2(j, p) tw_vload2(j, p)
#define VLOAD_3(j, p) tw_vload3(j, p)
#define VLOAD_4(j, p) tw_vload4(j, p)
#define VLOAD_8(j, p) tw_vload8(j, p)
#define VLOAD_16(j, p) tw_vload16(j, p)

#define VSTORE(n, v, j, p) VSTORE_##n(v, j, p)
#define VSTORE_(v, j, p) ((p)[j] = (v))
#define VSTORE_2(v, j, p) tw_vstore2(v, j, p)
#define VSTORE_3(v, j, p) tw_vstore3(v, j, p)
#define VSTORE_4(v, j, p) tw_vstore4(v, j, p)
#define VSTORE_8(v, j, p) tw_vstore8(v, j, p)
#define VSTORE_16(v, j, p) tw_vstore16(v, j, p)

/* The first element. */
#define ELEMENT(n, v) ELEMENT_##n(v)
#define ELEMENT_(v) (v)
#define ELEMENT_2(v) ((v)[0])
#define ELEMENT_3(v) ((v)[0])
#define ELEMENT_4(v) ((v)[0])
#define ELEMENT_8(v) ((v)[0])
#define ELEMENT_16(v) ((v)[0])

/* The loop over the vectors of a chunk; unrolling it would only make compilation longer. */
#define EACH_VECTOR(j, lanes) _Pragma("clang loop unroll(disable)") for (size_t j = 0; j < CHUNK / (lanes); ++j)

/* What is long is compiled once for each device, not in each lowering of a kernel. */
#define BUILTIN_BODY __attribute__((noinline))

/*
 * The range kernel `name`: for each chunk, which begins at `base`, BODY reads up to three arrays of T in its block k
 * and writes `out`, of the type R.
 */
#define BUILTIN_KERNEL(name, T, R, BODY)                                                                               \
    struct name {                                                                                                      \
        const T *a, *b, *c;                                                                                            \
        R *out;                                                                                                        \
        size_t count; /* elements of each of the arrays */                                                             \
    };                                                                                                                 \
    static BUILTIN_BODY void name##_chunk(size_t base, const struct name *k)                                           \
    {                                                                                                                  \
        BODY                                                                                                           \
    }                                                                                                                  \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        name##_chunk(CHUNK *tw_global_id(item, 0), k);                                                                 \
    }                                                                                                                  \
    TW_RANGE_KERNEL(name, 1);

/*
 * Runs it over `count` elements of arguments[0] to [2], for `functions` functions in all sizes, and then the statement
 * that compares the array `results`. What a kernel does not write, of sizes that its functions do not have, stays as it
 * was.
 */
#define BUILTIN_RUN(kernel, T, R, arguments, elements, functions, COMPARE)                                             \
    do {                                                                                                               \
        const size_t builtin_count = (elements), result_count = (size_t)(functions) * SIZES * builtin_count;           \
        R *results = builtin_results(result_count * sizeof(R));                                                        \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *a = builtin_buffer((arguments)[0], sizeof(T), builtin_count);                                       \
        tw_buffer *b = builtin_buffer((arguments)[1], sizeof(T), builtin_count);                                       \
        tw_buffer *c = builtin_buffer((arguments)[2], sizeof(T), builtin_count);                                       \
        tw_buffer *out = builtin_buffer(results, sizeof(R), result_count);                                             \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for(cg, tw_range_1d(builtin_count / CHUNK), kernel, .a = tw_read(cg, a), .b = tw_read(cg, b),      \
                        .c = tw_read(cg, c), .out = tw_write(cg, out), .count = builtin_count);                        \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&out));                                                                              \
        TW_PASS(tw_buffer_destroy(&a));                                                                                \
        TW_PASS(tw_buffer_destroy(&b));                                                                                \
        TW_PASS(tw_buffer_destroy(&c));                                                                                \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        COMPARE;                                                                                                       \
        free(results);                                                                                                 \
    } while (0)

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/** A sequence of 64-bit numbers that is the same in every run (splitmix64). */
static inline uint64_t builtin_random(void)
{
    static uint64_t state = 1;
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/** The i-th of 16 integers of `bits` bits that are likely to go wrong. */
static inline uint64_t builtin_edge(int bits, size_t i)
{
    const uint64_t top = 1ull << (bits - 1), half = 1ull << (bits / 2);
    const uint64_t edges[] = {0,       1,    2,        ~0ull,    ~1ull, top - 1, top,  top + 1,
                              top - 2, half, half - 1, half + 1, 0x55,  -half,   0x0f, top >> 1};
    return edges[i % 16];
}

/** Fills `count` places of two, three or more arguments with integers of `bytes` bytes: the edges in all combinations
    of the first two arguments, then random numbers of random size. Bytes take all pairs. */
static inline void builtin_integers(void *place, size_t count, int bytes, unsigned argument)
{
    for (size_t i = 0; i < count; ++i) {
        uint64_t value = builtin_random() >> builtin_random() % (8 * (unsigned)bytes);
        if (builtin_random() % 2)
            value = -value;
        if (bytes == 1 && argument < 2)
            value = argument == 0 ? i : i / 256;
        else if (i < 256)
            value = builtin_edge(8 * bytes, argument == 0 ? i : argument == 1 ? i / 16 : (size_t)value % 16);
        memcpy((char *)place + i * (size_t)bytes, &value, (size_t)bytes);
    }
}

/** How a floating-point type is made: of 2, 4 or 8 bytes. */
struct builtin_format {
    int digits;  /* of the significand, the hidden one included */
    int highest; /* exponent: finite numbers are less than 2^highest */
    int lowest;  /* exponent of the smallest subnormal number: 2^lowest */
};
static inline struct builtin_format builtin_format(int bytes)
{
    const struct builtin_format formats[] = {{11, 16, -24}, {24, 128, -149}, {53, 1024, -1074}};
    return formats[bytes == 2 ? 0 : bytes == 4 ? 1 : 2];
}

/** The i-th element of an array of floating-point numbers; x87's long double holds them all. */
static inline long double builtin_float(const void *array, size_t i, int bytes)
{
    return bytes == 2   ? (long double)((const tw_half *)array)[i]
           : bytes == 4 ? (long double)((const float *)array)[i]
                        : (long double)((const double *)array)[i];
}

/** The distance of two neighbouring numbers of the type at x. */
static inline long double builtin_ulp(long double x, int bytes)
{
    const struct builtin_format format = builtin_format(bytes);
    int exponent;
    if (!isfinite(x))
        return 0;
    frexpl(x, &exponent);
    exponent -= format.digits;
    return ldexpl(1, exponent > format.lowest ? exponent : format.lowest);
}

static inline bool builtin_same(long double x, long double y)
{
    return (isnan(x) && isnan(y)) || (x == y && signbit(x) == signbit(y));
}

/** Stores x as the i-th element. */
static inline void builtin_set_float(void *array, size_t i, int bytes, long double x)
{
    if (bytes == 2)
        ((tw_half *)array)[i] = (tw_half)x;
    else if (bytes == 4)
        ((float *)array)[i] = (float)x;
    else
        ((double *)array)[i] = (double)x;
}

/** A number of random sign and significand between 2^low and 2^high. */
static inline long double builtin_random_float(int low, int high)
{
    const uint64_t bits = builtin_random();
    const long double x =
        ldexpl((long double)(bits | 1ull << 63), -63 + low + (int)(builtin_random() % (unsigned)(high - low)));
    return bits & 1 ? -x : x;
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

/** A buffer over `count` elements of an array; its destruction brings the results back. */
static inline tw_buffer *builtin_buffer(void *data, size_t element_bytes, size_t count)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(data, element_bytes, tw_range_1d(count), &buffer));
    return buffer;
}

/** An array that holds no right results. */
static inline void *builtin_results(size_t bytes)
{
    void *results = aligned_alloc(128, (bytes + 127) / 128 * 128);
    TW_CHECK(results != NULL);
    memset(results, 0xa5, bytes);
    return results;
}

#endif
