/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The kernel of test_math for one type; the file that includes this defines TYPE and TYPE_FUNCTIONS.
 *
 * It computes every function in every size: some ten thousand elements, which would take a compiler for GPUs minutes if
 * each were inlined. So here the scalar functions, which the vector functions call, are functions.
 */
#define TW_INTERNAL_MATH_SCALAR static inline __attribute__((overloadable, noinline))
#include <teamwork/math.h>

#include "math_test.h"

/* Two steps, so that TYPE is replaced before it is pasted. */
#define KERNEL_(T) math_##T
#define KERNEL(T) KERNEL_(T)
#define DECLARE_(T) MATH_KERNEL(T)
#define DECLARE(T) DECLARE_(T)
#define VECTOR_(T, n) tw_##T##n
#define VECTOR(T, n) VECTOR_(T, n)
#define BITS_(T, n) tw_internal_u_##T##n
#define BITS(T, n) BITS_(T, n)

DECLARE(TYPE);

#define STORE_REAL(id) __builtin_memcpy(k->out + ((size_t)(id) * SIZES + size) * COUNT + at, &r, bytes)
#define STORE_INTEGER(id)                                                                                              \
    __builtin_memcpy(k->integer + ((size_t)(id) * SIZES + size) * COUNT + at, &i, (size_t)lanes * sizeof(int))

#define APPLY(id, arguments, what, float_bound, double_bound, half_bound, ...)                                         \
    {                                                                                                                  \
        T r = 0, s = 0;                                                                                                \
        I i = 0;                                                                                                       \
        (void)r, (void)s, (void)i;                                                                                     \
        __VA_ARGS__;                                                                                                   \
        STORE_##what(ID_##id);                                                                                         \
    }

#define SIZE_FUNCTION(n) math_size_##n

/* All functions on the vectors of one size of the chunk that starts at `first`. */
#define AT_SIZE(n_, lanes_, size_, FUNCTIONS_)                                                                         \
    static void __attribute__((noinline)) SIZE_FUNCTION(n_)(size_t first, const struct KERNEL(TYPE) * k)               \
    {                                                                                                                  \
        typedef VECTOR(TYPE, n_) T;                                                                                    \
        typedef VECTOR(int, n_) I;                                                                                     \
        enum { lanes = lanes_, size = size_ };                                                                         \
        const size_t bytes = lanes * sizeof(VECTOR(TYPE, ));                                                           \
        _Pragma("clang loop unroll(disable)") for (size_t at = first; at < first + CHUNK; at += lanes)                 \
        {                                                                                                              \
            T x, y, z;                                                                                                 \
            I n;                                                                                                       \
            BITS(TYPE, n_) code;                                                                                       \
            __builtin_memcpy(&x, k->x + at, bytes);                                                                    \
            __builtin_memcpy(&y, k->y + at, bytes);                                                                    \
            __builtin_memcpy(&z, k->z + at, bytes);                                                                    \
            __builtin_memcpy(&n, k->n + at, lanes * sizeof(int));                                                      \
            __builtin_memcpy(&code, k->x + at, bytes);                                                                 \
            const VECTOR(TYPE, ) y0 = k->y[at];                                                                        \
            const int n0 = k->n[at];                                                                                   \
            (void)y0, (void)n0;                                                                                        \
            FUNCTIONS_                                                                                                 \
        }                                                                                                              \
    }
/* clang-format off */
AT_SIZE(, 1, 0, TYPE_FUNCTIONS(APPLY))
AT_SIZE(2, 2, 1, TYPE_FUNCTIONS(APPLY) SCALAR_FUNCTIONS(APPLY))
AT_SIZE(3, 3, 2, TYPE_FUNCTIONS(APPLY) SCALAR_FUNCTIONS(APPLY))
AT_SIZE(4, 4, 3, TYPE_FUNCTIONS(APPLY) SCALAR_FUNCTIONS(APPLY))
AT_SIZE(8, 8, 4, TYPE_FUNCTIONS(APPLY) SCALAR_FUNCTIONS(APPLY))
AT_SIZE(16, 16, 5, TYPE_FUNCTIONS(APPLY) SCALAR_FUNCTIONS(APPLY))
/* clang-format on */

static inline void KERNEL(TYPE)(tw_item item, const struct KERNEL(TYPE) * k)
{
    const size_t first = CHUNK * tw_global_id(item, 0);
    math_size_(first, k);
    math_size_2(first, k);
    math_size_3(first, k);
    math_size_4(first, k);
    math_size_8(first, k);
    math_size_16(first, k);
}
