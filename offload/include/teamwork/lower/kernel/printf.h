/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/printf.h> declares. */
#ifndef TEAMWORK_LOWER_PRINTF_H
#define TEAMWORK_LOWER_PRINTF_H

#include <stdio.h>

#include <teamwork/lower/kernel/printf_format.h>

/** The longest text of a call with vectors or halves. */
#define TW_PRINTF_MAX_BYTES 1023

/* C's function, or what stands for it: LLVM's for AMD GPUs is in its C library for GPUs, which most systems lack. */
#ifdef __AMDGCN__
__attribute__((format(printf, 1, 2))) static inline int tw_internal_print(const char *format, ...)
{
    (void)format;
    return -1;
}
#define TW_INTERNAL_PRINT tw_internal_print
#else
#define TW_INTERNAL_PRINT printf
#endif

/* Each argument is evaluated once, in one of two branches of which the compiler knows which it takes: C's own
   formatting, or ours. The 0 past the arguments is one that no conversion asks for: without it, a format that seems
   to be no literal would be warned of. */
#define TW_INTERNAL_PRINTF_0(format) tw_internal_printed(TW_INTERNAL_PRINT(format))
#define TW_INTERNAL_PRINTF_N(format, ...)                                                                              \
    (TW_INTERNAL_PRAGMA(clang diagnostic push) TW_INTERNAL_PRAGMA(clang diagnostic error "-Wformat")(void) sizeof(     \
         tw_internal_check_format(format, __VA_ARGS__)) TW_INTERNAL_PRAGMA(clang diagnostic pop),                      \
     (TW_INTERNAL_JOIN(TW_INTERNAL_ANY_, TW_INTERNAL_ARGUMENTS(__VA_ARGS__))(__VA_ARGS__))                             \
         ? tw_internal_print_values((format),                                                                          \
                                    __extension__(const struct tw_internal_value[]){TW_INTERNAL_JOIN(                  \
                                        TW_INTERNAL_VALUES_, TW_INTERNAL_ARGUMENTS(__VA_ARGS__))(__VA_ARGS__)},        \
                                    TW_INTERNAL_ARGUMENTS(__VA_ARGS__))                                                \
         : tw_internal_printed(TW_INTERNAL_PRINT(tw_internal_unchecked(format), __VA_ARGS__, 0)))

#define TW_INTERNAL_JOIN(a, b) TW_INTERNAL_JOIN_(a, b)
#define TW_INTERNAL_JOIN_(a, b) a##b

/* Whether arguments follow the format, 0 or N; and how many they are, 1 to 16. */
#define TW_INTERNAL_HAS_ARGUMENTS(...)                                                                                 \
    TW_INTERNAL_18TH(__VA_ARGS__, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, 0, )
#define TW_INTERNAL_18TH(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, n, ...) n
#define TW_INTERNAL_ARGUMENTS(...)                                                                                     \
    TW_INTERNAL_17TH(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, )
#define TW_INTERNAL_17TH(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, n, ...) n

/* A vector or a half; a constant. */
#define TW_INTERNAL_IS_OURS(x)                                                                                         \
    (__builtin_classify_type(x) == __builtin_classify_type((tw_float4)0.0f)                                            \
     || (__builtin_classify_type(x) == __builtin_classify_type(0.0) && sizeof(x) == sizeof(tw_half)))

#define TW_INTERNAL_ANY_1(a) TW_INTERNAL_IS_OURS(a)
#define TW_INTERNAL_ANY_2(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_1(__VA_ARGS__)
#define TW_INTERNAL_ANY_3(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_2(__VA_ARGS__)
#define TW_INTERNAL_ANY_4(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_3(__VA_ARGS__)
#define TW_INTERNAL_ANY_5(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_4(__VA_ARGS__)
#define TW_INTERNAL_ANY_6(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_5(__VA_ARGS__)
#define TW_INTERNAL_ANY_7(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_6(__VA_ARGS__)
#define TW_INTERNAL_ANY_8(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_7(__VA_ARGS__)
#define TW_INTERNAL_ANY_9(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_8(__VA_ARGS__)
#define TW_INTERNAL_ANY_10(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_9(__VA_ARGS__)
#define TW_INTERNAL_ANY_11(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_10(__VA_ARGS__)
#define TW_INTERNAL_ANY_12(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_11(__VA_ARGS__)
#define TW_INTERNAL_ANY_13(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_12(__VA_ARGS__)
#define TW_INTERNAL_ANY_14(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_13(__VA_ARGS__)
#define TW_INTERNAL_ANY_15(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_14(__VA_ARGS__)
#define TW_INTERNAL_ANY_16(a, ...) TW_INTERNAL_IS_OURS(a) | TW_INTERNAL_ANY_15(__VA_ARGS__)

#define TW_INTERNAL_VALUES_1(a) tw_internal_value(a)
#define TW_INTERNAL_VALUES_2(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_1(__VA_ARGS__)
#define TW_INTERNAL_VALUES_3(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_2(__VA_ARGS__)
#define TW_INTERNAL_VALUES_4(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_3(__VA_ARGS__)
#define TW_INTERNAL_VALUES_5(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_4(__VA_ARGS__)
#define TW_INTERNAL_VALUES_6(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_5(__VA_ARGS__)
#define TW_INTERNAL_VALUES_7(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_6(__VA_ARGS__)
#define TW_INTERNAL_VALUES_8(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_7(__VA_ARGS__)
#define TW_INTERNAL_VALUES_9(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_8(__VA_ARGS__)
#define TW_INTERNAL_VALUES_10(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_9(__VA_ARGS__)
#define TW_INTERNAL_VALUES_11(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_10(__VA_ARGS__)
#define TW_INTERNAL_VALUES_12(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_11(__VA_ARGS__)
#define TW_INTERNAL_VALUES_13(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_12(__VA_ARGS__)
#define TW_INTERNAL_VALUES_14(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_13(__VA_ARGS__)
#define TW_INTERNAL_VALUES_15(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_14(__VA_ARGS__)
#define TW_INTERNAL_VALUES_16(a, ...) tw_internal_value(a), TW_INTERNAL_VALUES_15(__VA_ARGS__)

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* An overload for each type. WIDE is the type of 64 bits that numbers are extended to. */
#define TW_INTERNAL_PRINT_VALUE(T, letter, WIDE)                                                                       \
    TW_INTERNAL_OVERLOAD struct tw_internal_value tw_internal_value(tw_##T x)                                          \
    {                                                                                                                  \
        struct tw_internal_value tw_v;                                                                                 \
        const WIDE tw_wide = (WIDE)x;                                                                                  \
        tw_v.kind = letter;                                                                                            \
        tw_v.lanes = 1;                                                                                                \
        tw_v.bytes = sizeof x;                                                                                         \
        __builtin_memcpy(&tw_v.bits[0], &tw_wide, sizeof tw_wide);                                                     \
        return tw_v;                                                                                                   \
    }
#define TW_INTERNAL_PRINT_VALUE_VECTOR(T, n, letter, WIDE)                                                             \
    TW_INTERNAL_OVERLOAD struct tw_internal_value tw_internal_value(tw_##T##n x)                                       \
    {                                                                                                                  \
        struct tw_internal_value tw_v;                                                                                 \
        tw_v.kind = letter;                                                                                            \
        tw_v.lanes = n;                                                                                                \
        tw_v.bytes = sizeof(tw_##T);                                                                                   \
        for (int tw_i = 0; tw_i < n; ++tw_i) {                                                                         \
            const WIDE tw_wide = (WIDE)x[tw_i];                                                                        \
            __builtin_memcpy(&tw_v.bits[tw_i], &tw_wide, sizeof tw_wide);                                              \
        }                                                                                                              \
        return tw_v;                                                                                                   \
    }
#define TW_INTERNAL_PRINT_VALUE_SIGNED(T, n) TW_INTERNAL_PRINT_VALUE_VECTOR(T, n, 'i', int64_t)
#define TW_INTERNAL_PRINT_VALUE_UNSIGNED(T, n) TW_INTERNAL_PRINT_VALUE_VECTOR(T, n, 'u', uint64_t)
#define TW_INTERNAL_PRINT_VALUE_FLOAT(T, n) TW_INTERNAL_PRINT_VALUE_VECTOR(T, n, 'f', double)
TW_INTERNAL_SIGNED_VECTORS(TW_INTERNAL_PRINT_VALUE_SIGNED)
TW_INTERNAL_UNSIGNED_VECTORS(TW_INTERNAL_PRINT_VALUE_UNSIGNED)
TW_INTERNAL_FLOAT_VECTORS(TW_INTERNAL_PRINT_VALUE_FLOAT)
TW_INTERNAL_PRINT_VALUE(char, 'i', int64_t)
TW_INTERNAL_PRINT_VALUE(schar, 'i', int64_t)
TW_INTERNAL_PRINT_VALUE(short, 'i', int64_t)
TW_INTERNAL_PRINT_VALUE(int, 'i', int64_t)
TW_INTERNAL_PRINT_VALUE(long, 'i', int64_t)
TW_INTERNAL_PRINT_VALUE(longlong, 'i', int64_t)
TW_INTERNAL_PRINT_VALUE(uchar, 'u', uint64_t)
TW_INTERNAL_PRINT_VALUE(ushort, 'u', uint64_t)
TW_INTERNAL_PRINT_VALUE(uint, 'u', uint64_t)
TW_INTERNAL_PRINT_VALUE(ulong, 'u', uint64_t)
TW_INTERNAL_PRINT_VALUE(ulonglong, 'u', uint64_t)
TW_INTERNAL_PRINT_VALUE(half, 'f', double)
TW_INTERNAL_PRINT_VALUE(float, 'f', double)
TW_INTERNAL_PRINT_VALUE(double, 'f', double)
#undef TW_INTERNAL_PRINT_VALUE
#undef TW_INTERNAL_PRINT_VALUE_VECTOR
#undef TW_INTERNAL_PRINT_VALUE_SIGNED
#undef TW_INTERNAL_PRINT_VALUE_UNSIGNED
#undef TW_INTERNAL_PRINT_VALUE_FLOAT

TW_INTERNAL_OVERLOAD struct tw_internal_value tw_internal_value(const volatile void *x)
{
    struct tw_internal_value v;
    v.kind = 'p';
    v.lanes = 1;
    v.bytes = sizeof x;
    v.bits[0] = (uint64_t)(uintptr_t)x;
    return v;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Declared only, for what the compiler says about a call: nothing where the format may have a vector, which C knows
   none of. The condition looks at the first three letters v. */
#define TW_INTERNAL_V(f) __builtin_strchr((f), 'v')
#define TW_INTERNAL_IS_VN(v) ((v)[1] >= '0' && (v)[1] <= '9')
#define TW_INTERNAL_HAS_VN_1(f, OTHERS) (TW_INTERNAL_V(f) && (TW_INTERNAL_IS_VN(TW_INTERNAL_V(f)) || OTHERS))
#define TW_INTERNAL_HAS_VN(f)                                                                                          \
    TW_INTERNAL_HAS_VN_1(                                                                                              \
        f, TW_INTERNAL_HAS_VN_1(TW_INTERNAL_V(f) + 1,                                                                  \
                                TW_INTERNAL_HAS_VN_1(TW_INTERNAL_V(TW_INTERNAL_V(f) + 1) + 1,                          \
                                                     TW_INTERNAL_V(TW_INTERNAL_V(TW_INTERNAL_V(f) + 1) + 1))))
#ifdef __cplusplus
#define TW_INTERNAL_OVERLOADABLE
#else
#define TW_INTERNAL_OVERLOADABLE __attribute__((overloadable))
#endif
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"
TW_INTERNAL_OVERLOADABLE int tw_internal_check_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
TW_INTERNAL_OVERLOADABLE int tw_internal_check_format(const char *format, ...)
    __attribute__((enable_if(TW_INTERNAL_HAS_VN(format), "a format with vectors")));
#pragma clang diagnostic pop

TW_DEVICE_INLINE const char *tw_internal_unchecked(const char *format)
{
    return format;
}

TW_DEVICE_INLINE int tw_internal_printed(int result)
{
    return result < 0 ? -1 : 0;
}

/* ---- calls with vectors ------------------------------------------------------------------------------------------ */

TW_INTERNAL_TEXT_FUNCTION int tw_internal_print_values(const char *format, const struct tw_internal_value *values,
                                                       unsigned count)
{
    char line[TW_PRINTF_MAX_BYTES + 1];
    TW_INTERNAL_ON_STACK(line)
    struct tw_internal_text text = {line, 0, TW_PRINTF_MAX_BYTES, false};
    TW_INTERNAL_ON_STACK(text)
    if (!tw_internal_format_values(&text, format, values, count))
        return -1;
#if defined(__NVPTX__) || defined(__AMDGCN__)
    line[text.used] = 0;
    const bool written = TW_INTERNAL_PRINT("%s", line) >= 0;
#else
    const bool written = fwrite(line, 1, text.used, stdout) == text.used;
#endif
    return written && !text.cut ? 0 : -1;
}

#endif
