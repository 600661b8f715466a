/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels that are compiled for values of members of their block: TW_SPECIALIZE() (<teamwork/kernel_definition.h>).
 *
 * Each value is a variant: a kernel of its own, static, with regions of its own, whose copy of the block has the value
 * as a constant. The kernel itself is the general code, and its object lists the variants.
 */
#ifndef TEAMWORK_LOWER_SPECIAL_H
#define TEAMWORK_LOWER_SPECIAL_H

#include <teamwork/lower/kernel/prefix.h>
#include <teamwork/lower/kernel/region.h>

// clang-format off

/* ---- how the code of a kernel comes by its block, and what its object says more ----------------------------------

   A kernel of any values has the block as it is. A variant stores its constants into the copy that the code has of the
   block; where the copy is another thread's, it has its own, and where there is none, LLVM is told of the constants. */

/* The largest block of which a variant of an nd_range kernel has a copy on a CPU: on the stack of each work-item, where
   they have stacks. */
#define TW_INTERNAL_VARIANT_COPY_BYTES 1024

TW_DEVICE_INLINE const void *tw_internal_own_block(const void *block, void *own, size_t bytes, size_t most)
{
    if (bytes > most)
        return block;
    __builtin_memcpy(own, block, bytes);
    return own;
}

#define TW_INTERNAL_ANY_VALUES_COPY(name)                                                                              \
    const name##_tw_block tw_args = *(const name##_tw_block *)tw_launch->args
#define TW_INTERNAL_ANY_VALUES_IN(name, args, is_copy) args
#define TW_INTERNAL_ANY_VALUES_MINE(name)
#define TW_INTERNAL_ANY_VALUES_ND_BYTES(name) TW_INTERNAL_ND_COPY_BYTES(name)
#define TW_INTERNAL_ANY_VALUES_ND_BLOCK(name) tw_internal_nd_block(tw_nd, tw_copy, sizeof(name##_tw_block))
#define TW_INTERNAL_ANY_VALUES_OWN(name, args) args
#define TW_INTERNAL_ANY_VALUES_OWN_COPY(name)
#define TW_INTERNAL_ANY_VALUES_OBJECT(name)

#define TW_INTERNAL_FIXED_VALUES_COPY(name)                                                                            \
    name##_tw_block tw_args = *(const name##_tw_block *)tw_launch->args;                                               \
    (void)name##_tw_fixed(&tw_args, true)
#define TW_INTERNAL_FIXED_VALUES_IN(name, args, is_copy) name##_tw_fixed(args, is_copy)
#define TW_INTERNAL_FIXED_VALUES_MINE(name) (void)name##_tw_fixed(&tw_mine, true);
#define TW_INTERNAL_FIXED_VALUES_ND_BYTES(name)                                                                        \
    (sizeof(name##_tw_block) <= TW_INTERNAL_VARIANT_COPY_BYTES ? sizeof(name##_tw_block) : 1)
#define TW_INTERNAL_FIXED_VALUES_ND_BLOCK(name)                                                                        \
    name##_tw_fixed(tw_internal_own_block(tw_nd->launch->args, tw_copy, sizeof(name##_tw_block),                       \
                                          TW_INTERNAL_VARIANT_COPY_BYTES),                                             \
                    sizeof(name##_tw_block) <= TW_INTERNAL_VARIANT_COPY_BYTES)
#define TW_INTERNAL_FIXED_VALUES_OWN(name, args)                                                                       \
    name##_tw_fixed(tw_internal_own_block(args, &tw_own, sizeof tw_own, TW_INTERNAL_INLINE_ARGS_BYTES),                \
                    sizeof tw_own <= TW_INTERNAL_INLINE_ARGS_BYTES)
#define TW_INTERNAL_FIXED_VALUES_OWN_COPY(name) name##_tw_block tw_own;
#define TW_INTERNAL_FIXED_VALUES_OBJECT(name) .fits = name##_tw_fits, .values = name##_tw_values,

#define TW_INTERNAL_OTHER_VALUES_COPY(name) TW_INTERNAL_ANY_VALUES_COPY(name)
#define TW_INTERNAL_OTHER_VALUES_IN(name, args, is_copy) args
#define TW_INTERNAL_OTHER_VALUES_MINE(name)
#define TW_INTERNAL_OTHER_VALUES_ND_BYTES(name) TW_INTERNAL_ND_COPY_BYTES(name)
#define TW_INTERNAL_OTHER_VALUES_ND_BLOCK(name) TW_INTERNAL_ANY_VALUES_ND_BLOCK(name)
#define TW_INTERNAL_OTHER_VALUES_OWN(name, args) args
#define TW_INTERNAL_OTHER_VALUES_OWN_COPY(name)
#define TW_INTERNAL_OTHER_VALUES_OBJECT(name) .variants = name##_tw_variants,

/* ---- definitions ------------------------------------------------------------------------------------------------- */

/* Defines a kernel, and its variants before it. `of` is the macro of its form, and `member` that of the object;
   `special` is what TW_SPECIALIZE() says, in parentheses, or TW_INTERNAL_NONE. For TW_SPECIALIZE(width, 3, 5) filter
   it expands to:

       the definition of filter_tw_value_1, where width is 3, and of filter_tw_value_2, where it is 5
       filter_tw_differ(), whose switch has no value twice, and the table filter_tw_variants
       the definition of filter */
#define TW_INTERNAL_DEFINE_KERNEL(special, ...)                                                                        \
    TW_INTERNAL_DEFINE_KERNEL_1(TW_INTERNAL_SECOND(TW_INTERNAL_IN_PARENTHESES special, no, ), special, __VA_ARGS__)
#define TW_INTERNAL_DEFINE_KERNEL_1(...) TW_INTERNAL_DEFINE_KERNEL_2(__VA_ARGS__)
#define TW_INTERNAL_DEFINE_KERNEL_2(is_special, ...) TW_INTERNAL_DEFINE_KERNEL_##is_special(__VA_ARGS__)
#define TW_INTERNAL_DEFINE_KERNEL_no(special, of, member, ...) of(__VA_ARGS__, TW_INTERNAL_ANY_VALUES)
#define TW_INTERNAL_DEFINE_KERNEL_yes(special, ...) TW_INTERNAL_SPECIAL((__VA_ARGS__), TW_INTERNAL_BARE special)
#define TW_INTERNAL_BARE(...) __VA_ARGS__

/* `head` is all that the definition says, in parentheses; the others are what TW_SPECIALIZE() says. */
#define TW_INTERNAL_SPECIAL(...)                                                                                       \
    TW_INTERNAL_SPECIAL_1(                                                                                             \
        TW_INTERNAL_COUNT_VALUES(__VA_ARGS__, many, many, many, many, ok, ok, ok, ok, ok, ok, ok, ok, none, ),         \
        TW_INTERNAL_COUNT_VALUES(__VA_ARGS__, many, many, many, many, 8, 7, 6, 5, 4, 3, 2, 1, none, ), __VA_ARGS__)
#define TW_INTERNAL_COUNT_VALUES(head, members, a, b, c, d, e, f, g, h, i, j, k, l, count, ...) count
#define TW_INTERNAL_SPECIAL_1(...) TW_INTERNAL_SPECIAL_2(__VA_ARGS__)
#define TW_INTERNAL_SPECIAL_2(is, count, head, members, ...)                                                           \
    TW_INTERNAL_SPECIAL_##is(TW_INTERNAL_EACH_VALUE_##count, (TW_INTERNAL_LIST(members), TW_INTERNAL_BARE head),       \
                             __VA_ARGS__)
#define TW_INTERNAL_SPECIAL_none(...) static_assert(0, "TW_SPECIALIZE() names a member of the block, and its values")
#define TW_INTERNAL_SPECIAL_many(...) static_assert(0, "TW_SPECIALIZE() has up to eight values")
#define TW_INTERNAL_SPECIAL_ok(each, head, ...)                                                                        \
    each(TW_INTERNAL_VARIANT, head, __VA_ARGS__)                                                                       \
    TW_INTERNAL_SPECIAL_3(TW_INTERNAL_BARE head, each(TW_INTERNAL_VALUE_CASE, TW_INTERNAL_NO_VALUE, __VA_ARGS__),      \
                          each, __VA_ARGS__)

/* X(with, 1, first value) X(with, 2, second value) ... */
#define TW_INTERNAL_EACH_VALUE_1(X, with, a) X(with, 1, a)
#define TW_INTERNAL_EACH_VALUE_2(X, with, a, b) X(with, 1, a) X(with, 2, b)
#define TW_INTERNAL_EACH_VALUE_3(X, with, a, b, c) TW_INTERNAL_EACH_VALUE_2(X, with, a, b) X(with, 3, c)
#define TW_INTERNAL_EACH_VALUE_4(X, with, a, b, c, d) TW_INTERNAL_EACH_VALUE_3(X, with, a, b, c) X(with, 4, d)
#define TW_INTERNAL_EACH_VALUE_5(X, with, a, b, c, d, e) TW_INTERNAL_EACH_VALUE_4(X, with, a, b, c, d) X(with, 5, e)
#define TW_INTERNAL_EACH_VALUE_6(X, with, a, b, c, d, e, f)                                                            \
    TW_INTERNAL_EACH_VALUE_5(X, with, a, b, c, d, e) X(with, 6, f)
#define TW_INTERNAL_EACH_VALUE_7(X, with, a, b, c, d, e, f, g)                                                         \
    TW_INTERNAL_EACH_VALUE_6(X, with, a, b, c, d, e, f) X(with, 7, g)
#define TW_INTERNAL_EACH_VALUE_8(X, with, a, b, c, d, e, f, g, h)                                                      \
    TW_INTERNAL_EACH_VALUE_7(X, with, a, b, c, d, e, f, g) X(with, 8, h)

/* A variant. */
#define TW_INTERNAL_VARIANT(head, i, value) TW_INTERNAL_VARIANT_1(i, TW_INTERNAL_LIST(value), TW_INTERNAL_BARE head)
#define TW_INTERNAL_VARIANT_1(...) TW_INTERNAL_VARIANT_2(__VA_ARGS__)
#define TW_INTERNAL_VARIANT_2(i, value, members, of, member, n0, n1, n2, shown, next, name, linkage, ...)              \
    TW_INTERNAL_VARIANT_3(i, value, members, of, n0, n1, n2, shown, name##_tw_value_##i, __VA_ARGS__)
#define TW_INTERNAL_VARIANT_3(i, value, members, of, n0, n1, n2, shown, name, kinds, options, function, block)         \
    TW_INTERNAL_ZIP(TW_INTERNAL_CHECK_VALUE, block, members, value)                                                    \
    TW_INTERNAL_FIX(name, block, members, value)                                                                       \
    of(n0, n1, n2, shown, NULL, name, static, kinds, options, function, block, TW_INTERNAL_FIXED_VALUES);

/* The general code. */
#define TW_INTERNAL_SPECIAL_3(...) TW_INTERNAL_SPECIAL_4(__VA_ARGS__)
#define TW_INTERNAL_SPECIAL_4(members, of, member, n0, n1, n2, shown, next, name, linkage, kinds, options, function,   \
                              block, cases, each, ...)                                                                 \
    TW_INTERNAL_VARIANTS_TABLE(name, cases, each(TW_INTERNAL_VARIANT_OBJECT, (name, member), __VA_ARGS__))             \
    of(n0, n1, n2, shown, next, name, linkage, kinds, options, function, block, TW_INTERNAL_OTHER_VALUES)

/* The constants of a variant: stored into a copy of the block that the caller has made, or else assumed. Expands to:

       void filter_tw_value_1_tw_fixed(block, is_copy) { if (is_copy) width = 3; else assume(width == 3); }
       static bool filter_tw_value_1_tw_fits(block) { return block->width == 3; }
       static const char filter_tw_value_1_tw_values[] = ", width = 3"; */
#define TW_INTERNAL_FIX(name, block, members, value)                                                                   \
    TW_DEVICE_INLINE const struct block *name##_tw_fixed(const void *tw_block, bool tw_is_copy)                        \
    {                                                                                                                  \
        const struct block *const tw_args = (const struct block *)tw_block;                                            \
        struct block *const tw_copy = (struct block *)(uintptr_t)tw_block;                                             \
        if (tw_is_copy) {                                                                                              \
            TW_INTERNAL_ZIP(TW_INTERNAL_STORE_VALUE, block, members, value)                                            \
        } else {                                                                                                       \
            TW_INTERNAL_ZIP(TW_INTERNAL_ASSUME_VALUE, block, members, value)                                           \
        }                                                                                                              \
        return tw_args;                                                                                                \
    }                                                                                                                  \
    TW_INTERNAL_FIT(name, block, members, value)

#ifdef TW_INTERNAL_DEVICE_PASS
#define TW_INTERNAL_FIT(name, block, members, value)
#define TW_INTERNAL_VARIANTS_TABLE(name, cases, objects)
#else
#define TW_INTERNAL_FIT(name, block, members, value)                                                                   \
    static bool name##_tw_fits(const void *tw_block)                                                                   \
    {                                                                                                                  \
        const struct block *const tw_args = (const struct block *)tw_block;                                            \
        return true TW_INTERNAL_ZIP(TW_INTERNAL_COMPARE_VALUE, block, members, value);                                 \
    }                                                                                                                  \
    static const char name##_tw_values[] = "" TW_INTERNAL_ZIP(TW_INTERNAL_SHOW_VALUE, block, members, value);

/* The variants of a kernel; values that are given twice do not compile. Expands to:

       void filter_tw_differ(key) { switch (key) { case 3: case 5: default: break; } }
       static const struct tw_internal_kernel *const filter_tw_variants[] = {..., NULL}; */
__extension__ typedef unsigned __int128 tw_internal_values; /* one or two */
#define TW_INTERNAL_VARIANTS_TABLE(name, cases, objects)                                                               \
    TW_DEVICE_INLINE void name##_tw_differ(tw_internal_values tw_key)                                                  \
    {                                                                                                                  \
        switch (tw_key) {                                                                                              \
            cases default : break;                                                                                     \
        }                                                                                                              \
    }                                                                                                                  \
    static const struct tw_internal_kernel *const name##_tw_variants[] = {objects NULL};
#endif
#define TW_INTERNAL_VARIANT_OBJECT(head, i, value) TW_INTERNAL_VARIANT_OBJECT_1(i, TW_INTERNAL_BARE head)
#define TW_INTERNAL_VARIANT_OBJECT_1(...) TW_INTERNAL_VARIANT_OBJECT_2(__VA_ARGS__)
#define TW_INTERNAL_VARIANT_OBJECT_2(i, name, member) &name##_tw_value_##i##_kernel.member,
#define TW_INTERNAL_VALUE_CASE(none, i, value)                                                                         \
    case TW_INTERNAL_VALUE_KEY(TW_INTERNAL_LIST(value)):
#define TW_INTERNAL_VALUE_KEY(list) TW_INTERNAL_VALUE_KEY_1(TW_INTERNAL_BARE list, 0, )
#define TW_INTERNAL_VALUE_KEY_1(...) TW_INTERNAL_VALUE_KEY_2(__VA_ARGS__)
#define TW_INTERNAL_VALUE_KEY_2(a, b, ...) (tw_internal_values)(unsigned long long)(a) << 64 | (unsigned long long)(b)

/* ---- members and their values: X(block, member, value) for each -------------------------------------------------- */

#define TW_INTERNAL_STORE_VALUE(block, member, value) tw_copy->member = (value);
#define TW_INTERNAL_ASSUME_VALUE(block, member, value) __builtin_assume(tw_args->member == (value));
#define TW_INTERNAL_COMPARE_VALUE(block, member, value) && tw_args->member == (value)
#define TW_INTERNAL_SHOW_VALUE(block, member, value) ", " #member " = " #value
#define TW_INTERNAL_CHECK_VALUE(block, member, value)                                                                  \
    static_assert(TW_INTERNAL_IS_WHOLE(((const struct block *)0)->member) && TW_INTERNAL_IS_WHOLE(value)               \
                      && sizeof(((const struct block *)0)->member) <= sizeof(long long),                               \
                  "TW_SPECIALIZE(): " #member ", " #value ": they must be integers, enumerations or bool");            \
    static_assert((long long)(__typeof__(((const struct block *)0)->member))(value) == (long long)(value),             \
                  "TW_SPECIALIZE(): " #value " is no value of the member " #member);
#define TW_INTERNAL_IS_WHOLE(x) (__builtin_classify_type(x) >= 1 && __builtin_classify_type(x) <= 4)

/* Of two lists, of a member or two and of as many values. */
#define TW_INTERNAL_ZIP(X, block, members, values)                                                                     \
    TW_INTERNAL_ZIP_THEM(TW_INTERNAL_ONE_OR_TWO members, TW_INTERNAL_ONE_OR_TWO values, X, block,                      \
                         TW_INTERNAL_BARE members, TW_INTERNAL_BARE values)
#define TW_INTERNAL_ONE_OR_TWO(...) TW_INTERNAL_ONE_OR_TWO_1(__VA_ARGS__, many, many, many, 2, 1, )
#define TW_INTERNAL_ONE_OR_TWO_1(a, b, c, d, e, count, ...) count
#define TW_INTERNAL_ZIP_THEM(...) TW_INTERNAL_ZIP_THEM_1(__VA_ARGS__)
#define TW_INTERNAL_ZIP_THEM_1(members, values, ...) TW_INTERNAL_ZIP_##members##_##values(__VA_ARGS__)
#define TW_INTERNAL_ZIP_1_1(X, block, a, x) X(block, a, x)
#define TW_INTERNAL_ZIP_2_2(X, block, a, b, x, y) X(block, a, x) X(block, b, y)
#define TW_INTERNAL_ZIP_1_2(X, ...) TW_INTERNAL_MISFIT_##X
#define TW_INTERNAL_ZIP_2_1(X, ...) TW_INTERNAL_MISFIT_##X
#define TW_INTERNAL_ZIP_1_many(X, ...) TW_INTERNAL_MISFIT_##X
#define TW_INTERNAL_ZIP_2_many(X, ...) TW_INTERNAL_MISFIT_##X
#define TW_INTERNAL_ZIP_many_1(X, ...) TW_INTERNAL_MISFIT_##X
#define TW_INTERNAL_ZIP_many_2(X, ...) TW_INTERNAL_MISFIT_##X
#define TW_INTERNAL_ZIP_many_many(X, ...) TW_INTERNAL_MISFIT_##X
#define TW_INTERNAL_MISFIT_TW_INTERNAL_CHECK_VALUE                                                                     \
    static_assert(0, "TW_SPECIALIZE() takes one member and its values, or two, (a, b), and pairs of values, (x, y)");
#define TW_INTERNAL_MISFIT_TW_INTERNAL_STORE_VALUE
#define TW_INTERNAL_MISFIT_TW_INTERNAL_ASSUME_VALUE
#define TW_INTERNAL_MISFIT_TW_INTERNAL_COMPARE_VALUE
#define TW_INTERNAL_MISFIT_TW_INTERNAL_SHOW_VALUE

/* TW_INTERNAL_LIST((a, b)) and TW_INTERNAL_LIST(a). Expand to: (a, b) and (a) */
#define TW_INTERNAL_LIST(x) TW_INTERNAL_LIST_1(TW_INTERNAL_SECOND(TW_INTERNAL_IN_PARENTHESES x, no, ), x)
#define TW_INTERNAL_LIST_1(...) TW_INTERNAL_LIST_2(__VA_ARGS__)
#define TW_INTERNAL_LIST_2(in_parentheses, x) TW_INTERNAL_LIST_##in_parentheses(x)
#define TW_INTERNAL_LIST_yes(x) x
#define TW_INTERNAL_LIST_no(x) (x)
#define TW_INTERNAL_IN_PARENTHESES(...) ignored, yes
// clang-format on

#endif
