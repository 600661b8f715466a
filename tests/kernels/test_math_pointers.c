/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: x86_64 (gpu-simt), values, long */
/**
 * The mathematical functions with two results write the second one through pointers to private, to local and to global
 * memory (property 58): the same for each, in every type and size, and the right one.
 */
#include "tw_test.h"

#include <math.h>

#define TW_INTERNAL_MATH_SCALAR                                                                                        \
    static inline __attribute__((overloadable, noinline)) /* compiles in a tenth of the time */
#include <teamwork/math.h>

enum { ITEMS = 16 };

static inline __attribute__((noinline)) int differ(const void *a, const void *b, size_t bytes)
{
    int any = 0;
    for (size_t i = 0; i < bytes; ++i)
        any |= ((const unsigned char *)a)[i] != ((const unsigned char *)b)[i];
    return any;
}

/* The same call with each kind of pointer. `out` is private, the others are where the second result goes. */
#define CALL(function, out, local, global, ...)                                                                        \
    {                                                                                                                  \
        out = 99;                                                                                                      \
        *local = 98;                                                                                                   \
        *global = 97;                                                                                                  \
        const T r = function(__VA_ARGS__, &out), s = function(__VA_ARGS__, local), t = function(__VA_ARGS__, global);  \
        wrong |= differ(&r, &s, bytes) || differ(&r, &t, bytes) || differ(&out, local, lanes * sizeof(out) / whole)    \
                 || differ(&out, global, lanes * sizeof(out) / whole);                                                 \
    }

/* All functions for vectors of n elements, `whole` with padding. What is left in the memory is of the last calls. */
#define CHECK_SIZE(T_, n, lanes_, whole_)                                                                              \
    static __attribute__((noinline)) int check_##T_##n(tw_##T_ element, tw_##T_##n *local, tw_##T_##n *global,         \
                                                       tw_int##n *local_int, tw_int##n *global_int)                    \
    {                                                                                                                  \
        typedef tw_##T_##n T;                                                                                          \
        enum { lanes = lanes_, whole = whole_ };                                                                       \
        const size_t bytes = lanes * sizeof element;                                                                   \
        const T x = (T)(element) - (tw_##T_)1, y = (T)(tw_##T_)0.75f;                                                  \
        T out;                                                                                                         \
        tw_int##n out_int;                                                                                             \
        int wrong = 0;                                                                                                 \
        CALL(tw_modf, out, local, global, x)                                                                           \
        CALL(tw_sincos, out, local, global, x)                                                                         \
        CALL(tw_fract, out, local, global, x)                                                                          \
        CALL(tw_frexp, out_int, local_int, global_int, x)                                                              \
        CALL(tw_lgamma_r, out_int, local_int, global_int, x)                                                           \
        CALL(tw_remquo, out_int, local_int, global_int, x, y)                                                          \
        return wrong;                                                                                                  \
    }

#define SIZES(X, T) X(T, , 1, 1) X(T, 2, 2, 2) X(T, 3, 3, 4) X(T, 4, 4, 4) X(T, 8, 8, 8) X(T, 16, 16, 16)
#define MEMBERS(T, n, lanes, whole)                                                                                    \
    tw_##T##n *real_##n;                                                                                               \
    tw_int##n *int_##n;
#define LOCALS(T, n, lanes, whole)                                                                                     \
    TW_LOCAL(tw_##T##n, local_##n, [ITEMS]);                                                                           \
    TW_LOCAL(tw_int##n, local_int_##n, [ITEMS]);
#define CHECK(T, n, lanes, whole)                                                                                      \
    wrong |= check_##T##n(k->x[i], &local_##n[i], &k->real_##n[i], &local_int_##n[i], &k->int_##n[i]);

#define POINTERS(T)                                                                                                    \
    SIZES(CHECK_SIZE, T)                                                                                               \
    struct pointers_##T {                                                                                              \
        const tw_##T *x;                                                                                               \
        int *wrong;                                                                                                    \
        SIZES(MEMBERS, T)                                                                                              \
    };                                                                                                                 \
    static inline void pointers_##T(tw_group group, const struct pointers_##T *k)                                      \
    {                                                                                                                  \
        SIZES(LOCALS, T)                                                                                               \
        tw_parallel_for_work_item(group, item) {                                                                       \
            const size_t i = tw_local_id(item, 0);                                                                     \
            int wrong = 0;                                                                                             \
            SIZES(CHECK, T)                                                                                            \
            k->wrong[i] = wrong;                                                                                       \
        }                                                                                                              \
    }
POINTERS(float)
TW_WORK_GROUP_KERNEL(pointers_float, ITEMS);
POINTERS(double)
TW_WORK_GROUP_KERNEL(pointers_double, ITEMS);
POINTERS(half)
TW_WORK_GROUP_KERNEL(pointers_half, ITEMS);

/* x - 1, of which the last calls are fract() and remquo() by 0.75. */
static void expect(double x, double whole, int quotient)
{
    int expected;
    TW_CHECK(whole == floor(x));
    remquo(x, 0.75, &expected); /* three bits at least */
    TW_EQUAL(quotient, expected);
}

#define CREATE(T, n, lanes, whole)                                                                                     \
    tw_##T##n *const real_##n = aligned_alloc(sizeof(tw_##T##16), ITEMS * sizeof(tw_##T##16));                         \
    tw_int##n *const int_##n = aligned_alloc(64, ITEMS * sizeof(tw_int16));                                            \
    tw_buffer *buffer_##n, *buffer_int_##n;                                                                            \
    TW_PASS(tw_buffer_create_over(real_##n, sizeof(tw_##T##n), tw_range_1d(ITEMS), &buffer_##n));                      \
    TW_PASS(tw_buffer_create_over(int_##n, sizeof(tw_int##n), tw_range_1d(ITEMS), &buffer_int_##n));
#define ACCESS(T, n, lanes, whole)                                                                                     \
    .real_##n = tw_discard_write(cg, buffer_##n), .int_##n = tw_discard_write(cg, buffer_int_##n),
#define FINISH(T, n, lanes, whole)                                                                                     \
    TW_PASS(tw_buffer_destroy(&buffer_##n));                                                                           \
    TW_PASS(tw_buffer_destroy(&buffer_int_##n));                                                                       \
    for (int i = 0; i < ITEMS; ++i)                                                                                    \
        for (int lane = 0; lane < lanes; ++lane) {                                                                     \
            tw_##T real;                                                                                               \
            int quotient;                                                                                              \
            memcpy(&real, (char *)&real_##n[i] + (size_t)lane * sizeof real, sizeof real);                             \
            memcpy(&quotient, (char *)&int_##n[i] + (size_t)lane * sizeof quotient, sizeof quotient);                  \
            expect((double)x[i] - 1, (double)real, quotient);                                                          \
        }                                                                                                              \
    free(real_##n);                                                                                                    \
    free(int_##n);

#define POINTER_CASE(T)                                                                                                \
    TW_TEST(pointers_of_##T##_may_point_anywhere)                                                                      \
    {                                                                                                                  \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_##T x[ITEMS];                                                                                               \
        int wrong[ITEMS];                                                                                              \
        tw_buffer *buffer_x, *buffer_wrong;                                                                            \
        for (int i = 0; i < ITEMS; ++i)                                                                                \
            x[i] = (tw_##T)(0.28125f * (float)(i - 3));                                                                \
        TW_PASS(tw_buffer_create_over_const(x, sizeof *x, tw_range_1d(ITEMS), &buffer_x));                             \
        TW_PASS(tw_buffer_create_over(wrong, sizeof *wrong, tw_range_1d(ITEMS), &buffer_wrong));                       \
        SIZES(CREATE, T)                                                                                               \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for_work_group(cg, tw_range_1d(1), tw_range_1d(ITEMS), pointers_##T,                               \
                                   SIZES(ACCESS, T).x = tw_read(cg, buffer_x),                                         \
                                   .wrong = tw_discard_write(cg, buffer_wrong));                                       \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&buffer_wrong));                                                                     \
        TW_PASS(tw_buffer_destroy(&buffer_x));                                                                         \
        for (int i = 0; i < ITEMS; ++i)                                                                                \
            TW_EQUAL(wrong[i], 0);                                                                                     \
        SIZES(FINISH, T)                                                                                               \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
    }
POINTER_CASE(float)
POINTER_CASE(double)
POINTER_CASE(half)

TW_TEST_LIST = {TW_CASE(pointers_of_float_may_point_anywhere), TW_CASE(pointers_of_double_may_point_anywhere),
                TW_CASE(pointers_of_half_may_point_anywhere), TW_CASES_END};
