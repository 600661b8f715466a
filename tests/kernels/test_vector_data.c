/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (x86_64 gpu-simt), values */
/**
 * lower/vector/vector_data.h on the device under test: loads and stores of every type and size round-trip at every offset,
 * aligned to elements only, and touch nothing else (property 56); half in memory; shuffles of all sizes.
 */
#include "builtin.h"

/* ---- loads and stores -------------------------------------------------------------------------------------------- */

/* For each size: vector j of the input, which begins at element 1, goes to place j of the output, which does so too.
   The reversal shows that whole vectors were loaded and stored, not copied. */
enum { VECTORS = 6, PLACES = 2 + 16 * VECTORS }; /* elements of the output of each size: one too many on both sides */
#define COPY(T, n)                                                                                                     \
    for (size_t j = 0; j < VECTORS; ++j)                                                                               \
        tw_vstore##n(tw_vload##n(VECTORS - 1 - j, in + 1), j, out + 1);                                                \
    out += PLACES;
#define COPY_ALL(T, vector)                                                                                            \
    static BUILTIN_BODY void copy_##T(const tw_##T *in, tw_##T *out)                                                   \
    {                                                                                                                  \
        TW_INTERNAL_VECTORS(COPY, vector)                                                                              \
    }
#define COPY_SAME(T) COPY_ALL(T, T)
TW_INTERNAL_TYPES(COPY_SAME)
COPY_ALL(schar, char)
COPY_ALL(longlong, long)
COPY_ALL(ulonglong, ulong)

/* One kernel for all types, since kernels take long to compile. */
#define TYPES(X) TW_INTERNAL_TYPES(X) X(schar) X(longlong) X(ulonglong)
#define TYPE_NAME(T) TYPE_##T,
enum { TYPES(TYPE_NAME) TYPE_COUNT };
struct copies {
    const void *in;
    void *out;
    int type;
};
static inline void copies(const struct copies *k)
{
#define COPY_CASE(T)                                                                                                   \
    case TYPE_##T:                                                                                                     \
        copy_##T(k->in, k->out);                                                                                       \
        break;
    switch (k->type) {
        TYPES(COPY_CASE)
    }
}
TW_SINGLE_TASK(copies);

static size_t combinations;

#define CHECK_COPY(T)                                                                                                  \
    do {                                                                                                               \
        static tw_##T in[PLACES], out[5][PLACES];                                                                      \
        for (size_t i = 0; i < PLACES; ++i)                                                                            \
            in[i] = (tw_##T)(i + 1);                                                                                   \
        for (size_t i = 0; i < 5 * PLACES; ++i)                                                                        \
            out[i / PLACES][i % PLACES] = 0;                                                                           \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *from = builtin_buffer(in, sizeof *in, PLACES);                                                      \
        tw_buffer *to = builtin_buffer(out, sizeof **out, (size_t)5 * PLACES);                                         \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_single_task(cg, copies, .in = tw_read(cg, from), .out = tw_read_write(cg, to), .type = TYPE_##T);           \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&to));                                                                               \
        TW_PASS(tw_buffer_destroy(&from));                                                                             \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        for (size_t size = 1; size < SIZES; ++size) {                                                                  \
            const size_t n = builtin_lanes[size];                                                                      \
            for (size_t i = 0; i < PLACES; ++i) {                                                                      \
                const size_t vector = (i - 1) / n, lane = (i - 1) % n;                                                 \
                const bool inside = i > 0 && vector < VECTORS;                                                         \
                TW_CHECK(out[size - 1][i] == (inside ? in[1 + (VECTORS - 1 - vector) * n + lane] : 0));                \
            }                                                                                                          \
            ++combinations;                                                                                            \
        }                                                                                                              \
    } while (0);

TW_TEST(loads_and_stores_round_trip_at_every_offset)
{
    combinations = 0;
    TYPES(CHECK_COPY)
    TW_EQUAL(combinations, (11 + 3) * 5);
}

/* ---- half in memory ---------------------------------------------------------------------------------------------- */

/* For each size: loads, plain and aligned, as float; stores in all roundings, of float and of double. */
#define SIZES_OF(X) X(2, 2) X(3, 4) X(4, 4) X(8, 8) X(16, 16)
#define ROUNDINGS(X, n) X(n, , 0) X(n, _rte, 1) X(n, _rtz, 2) X(n, _rtp, 3) X(n, _rtn, 4)
enum { HALVES = 48, HALF_VALUES = 4 * HALVES }; /* with the room of aligned vectors of 3 */

struct half_memory {
    const tw_half *in;
    const float *floats;
    const double *doubles;
    float *loaded;      /* [6 sizes][2 ways][HALF_VALUES] */
    tw_half *converted; /* [6 sizes][5 roundings][2 types][2 ways][HALF_VALUES] */
};

#define LOAD_HALF(n, stride)                                                                                           \
    EACH_VECTOR(j, n)                                                                                                  \
    {                                                                                                                  \
        tw_vstore##n(tw_vload_half##n(j, k->in), j, loaded);                                                           \
        tw_vstore##n(tw_vloada_half##n(j, k->in), j, loaded + HALF_VALUES);                                            \
    }                                                                                                                  \
    loaded += 2 * HALF_VALUES;
#define STORE_HALF(n, mode, rounding)                                                                                  \
    EACH_VECTOR(j, n)                                                                                                  \
    {                                                                                                                  \
        tw_vstore_half##n##mode(tw_vload##n(j, k->floats), j, converted);                                              \
        tw_vstorea_half##n##mode(tw_vload##n(j, k->floats), j, converted + HALF_VALUES);                               \
        tw_vstore_half##n##mode(tw_vload##n(j, k->doubles), j, converted + 2 * HALF_VALUES);                           \
        tw_vstorea_half##n##mode(tw_vload##n(j, k->doubles), j, converted + 3 * HALF_VALUES);                          \
    }                                                                                                                  \
    converted += 4 * HALF_VALUES;
#define STORE_ONE_HALF(n, mode, rounding)                                                                              \
    for (size_t j = 0; j < HALVES; ++j) {                                                                              \
        tw_vstore_half##mode(k->floats[j], j, converted);                                                              \
        tw_vstore_half##mode(k->doubles[j], j, converted + 2 * HALF_VALUES);                                           \
    }                                                                                                                  \
    converted += 4 * HALF_VALUES;
#define STORE_HALVES(n, stride) ROUNDINGS(STORE_HALF, n)

static BUILTIN_BODY void halves_all(const struct half_memory *k)
{
    float *loaded = k->loaded;
    tw_half *converted = k->converted;
    for (size_t j = 0; j < HALVES; ++j)
        loaded[j] = tw_vload_half(j, k->in);
    loaded += 2 * HALF_VALUES;
    SIZES_OF(LOAD_HALF)
    ROUNDINGS(STORE_ONE_HALF, )
    SIZES_OF(STORE_HALVES)
}
static inline void half_memory(const struct half_memory *k)
{
    halves_all(k);
}
TW_SINGLE_TASK(half_memory);

static tw_half rounded(double x, int rounding)
{
    switch (rounding) {
    case 2:
        return tw_convert_half_rtz(x);
    case 3:
        return tw_convert_half_rtp(x);
    case 4:
        return tw_convert_half_rtn(x);
    default:
        return tw_convert_half_rte(x);
    }
}

static _Alignas(32) tw_half halves[HALF_VALUES], stored[SIZES][5][2][2][HALF_VALUES];
static float floats[HALVES], loaded[SIZES][2][HALF_VALUES];
static double doubles[HALVES];

static void fill_halves(void)
{
    for (size_t i = 0; i < HALF_VALUES; ++i)
        halves[i] = (tw_half)((float)i / 8 - 5);
    for (size_t i = 0; i < HALVES; ++i) {
        floats[i] = (float)builtin_random_float(-26, 17);
        doubles[i] = (double)builtin_random_float(-26, 17);
    }
    memset(loaded, 0, sizeof loaded);
    memset(stored, 0, sizeof stored);
}

static void compare_halves(void)
{
    for (size_t size = 0; size < SIZES; ++size)
        for (size_t i = 0; i < HALVES; ++i) {
            const size_t n = builtin_lanes[size], spread = n == 3 ? i / 3 * 4 + i % 3 : i;
            TW_CHECK(loaded[size][0][i] == (float)halves[i]);
            TW_CHECK(n == 1 || loaded[size][1][i] == (float)halves[spread]);
            for (int rounding = 0; rounding < 5; ++rounding) {
                const tw_half of_float = rounded(floats[i], rounding), of_double = rounded(doubles[i], rounding);
                TW_CHECK(stored[size][rounding][0][0][i] == of_float && stored[size][rounding][1][0][i] == of_double);
                TW_CHECK(n == 1
                         || (stored[size][rounding][0][1][spread] == of_float
                             && stored[size][rounding][1][1][spread] == of_double));
                /* the room behind an aligned vector of 3 is left alone */
                TW_CHECK(n != 3 || stored[size][rounding][0][1][i / 3 * 4 + 3] == 0);
            }
        }
}

TW_TEST(half_in_memory_is_float_in_registers)
{
    fill_halves();
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = builtin_buffer(halves, sizeof *halves, HALF_VALUES),
              *f = builtin_buffer(floats, sizeof *floats, HALVES);
    tw_buffer *d = builtin_buffer(doubles, sizeof *doubles, HALVES);
    tw_buffer *out = builtin_buffer(loaded, sizeof(float), sizeof loaded / sizeof(float));
    tw_buffer *narrow = builtin_buffer(stored, sizeof(tw_half), sizeof stored / sizeof(tw_half));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, half_memory, .in = tw_read(cg, in), .floats = tw_read(cg, f), .doubles = tw_read(cg, d),
                   .loaded = tw_read_write(cg, out), .converted = tw_read_write(cg, narrow));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&narrow));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&d));
    TW_PASS(tw_buffer_destroy(&f));
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_queue_destroy(&queue));
    compare_halves();
}

/* ---- shuffles ---------------------------------------------------------------------------------------------------- */

/* From v, and w, of m elements with a mask of n. */
#define SHUFFLE(T, m, n)                                                                                               \
    {                                                                                                                  \
        const tw_internal_u_##T##n mask = tw_vload##n(0, order);                                                       \
        const tw_##T##m v = tw_vload##m(0, in), w = tw_vload##m(0, in + 16);                                           \
        tw_vstore##n(tw_shuffle(v, mask), 0, out);                                                                     \
        tw_vstore##n(tw_shuffle2(v, w, mask), 0, out + 16);                                                            \
        out += 32;                                                                                                     \
    }
#define SHUFFLES_FROM(T, m) SHUFFLE(T, m, 2) SHUFFLE(T, m, 4) SHUFFLE(T, m, 8) SHUFFLE(T, m, 16)
#define SHUFFLE_ALL(T)                                                                                                 \
    static BUILTIN_BODY void shuffle_##T(const tw_##T *in, const tw_internal_u_##T *order, tw_##T *out)                \
    {                                                                                                                  \
        SHUFFLES_FROM(T, 2) SHUFFLES_FROM(T, 4) SHUFFLES_FROM(T, 8) SHUFFLES_FROM(T, 16)                               \
    }
TW_INTERNAL_TYPES(SHUFFLE_ALL)

struct shuffles {
    const void *in, *order;
    void *out;
    int type;
};
static inline void shuffles(const struct shuffles *k)
{
#define SHUFFLE_CASE(T)                                                                                                \
    case TYPE_##T:                                                                                                     \
        shuffle_##T(k->in, k->order, k->out);                                                                          \
        break;
    switch (k->type) {
        TW_INTERNAL_TYPES(SHUFFLE_CASE)
    }
}
TW_SINGLE_TASK(shuffles);

#define CHECK_SHUFFLE(T)                                                                                               \
    do {                                                                                                               \
        static tw_##T in[32], out[4][4][2][16];                                                                        \
        static tw_internal_u_##T mask[16];                                                                             \
        for (size_t i = 0; i < 32; ++i)                                                                                \
            in[i] = (tw_##T)(i + 1);                                                                                   \
        for (size_t i = 0; i < 16; ++i)                                                                                \
            mask[i] = (tw_internal_u_##T)builtin_random();                                                             \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *from = builtin_buffer(in, sizeof *in, 32), *order = builtin_buffer(mask, sizeof *mask, 16);         \
        tw_buffer *to = builtin_buffer(out, sizeof(tw_##T), sizeof out / sizeof(tw_##T));                              \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_single_task(cg, shuffles, .in = tw_read(cg, from), .order = tw_read(cg, order), .type = TYPE_##T,           \
                       .out = tw_write(cg, to)); /* not all of it */                                                   \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&to));                                                                               \
        TW_PASS(tw_buffer_destroy(&order));                                                                            \
        TW_PASS(tw_buffer_destroy(&from));                                                                             \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        for (size_t i = 0; i < 4 * 4 * 16; ++i) {                                                                      \
            const size_t m = (size_t)2 << i / 64, n = (size_t)2 << i / 16 % 4, lane = i % 16;                          \
            const size_t both = (size_t)mask[lane] % (2 * m);                                                          \
            const tw_##T *got = &out[i / 64][i / 16 % 4][0][lane];                                                     \
            TW_CHECK(lane >= n || got[0] == in[(size_t)mask[lane] % m]);                                               \
            TW_CHECK(lane >= n || got[16] == in[both < m ? both : 16 + both - m]);                                     \
        }                                                                                                              \
        combinations += 4 * 4 * 2;                                                                                     \
    } while (0);

TW_TEST(shuffles_take_the_elements_of_the_mask)
{
    combinations = 0;
    TW_INTERNAL_TYPES(CHECK_SHUFFLE)
    TW_EQUAL(combinations, 11 * 4 * 4 * 2);
}

TW_TEST_LIST = {TW_CASE(loads_and_stores_round_trip_at_every_offset), TW_CASE(half_in_memory_is_float_in_registers),
                TW_CASE(shuffles_take_the_elements_of_the_mask), TW_CASES_END};
