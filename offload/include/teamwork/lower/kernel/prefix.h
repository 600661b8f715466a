/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What stands before the name of a kernel in its definition: TW_BLOCK(), TW_FUNCTION(), TW_SPECIALIZE(),
 * TW_SUB_GROUP_SIZE(), TW_HOST_LOOP(), TW_FOR_CPUS, TW_FOR_GPUS and static (<teamwork/kernel_definition.h>), in any
 * order. None of them is a macro, so they get here as they are written.
 */
#ifndef TEAMWORK_LOWER_PREFIX_H
#define TEAMWORK_LOWER_PREFIX_H

// clang-format off

/* TW_INTERNAL_PREFIXES(static TW_BLOCK(stencil) heat)
   Expands to: heat, static, TW_INTERNAL_FOR_ANY, vectorize(enable), heat, stencil, TW_INTERNAL_NONE

   the kernel's name, the object's linkage, kinds of devices, options of the host's loop, function, block, and in
   parentheses what TW_SPECIALIZE() says. Each of the seven calls of TW_INTERNAL_TAKE_PREFIX takes one prefix off, if
   there is one, and stores what it says in its place. */
#define TW_INTERNAL_PREFIXES(kernel)                                                                                   \
    TW_INTERNAL_NAMES(                                                                                                 \
        TW_INTERNAL_TAKE_PREFIX(TW_INTERNAL_TAKE_PREFIX(TW_INTERNAL_TAKE_PREFIX(TW_INTERNAL_TAKE_PREFIX(               \
            TW_INTERNAL_TAKE_PREFIX(TW_INTERNAL_TAKE_PREFIX(TW_INTERNAL_TAKE_PREFIX(                                   \
                kernel, extern, TW_INTERNAL_FOR_ANY, vectorize(enable), TW_INTERNAL_SAME, TW_INTERNAL_SAME,            \
                TW_INTERNAL_NONE))))))))

/* The first token of the kernel, pasted to TW_INTERNAL_PREFIX_, is a macro if it is a prefix. That macro puts a setter, a
   value and the rest of the kernel before what stands here. */
#define TW_INTERNAL_TAKE_PREFIX(...) TW_INTERNAL_TAKE_PREFIX_1(__VA_ARGS__)
#define TW_INTERNAL_TAKE_PREFIX_1(kernel, ...)                                                                         \
    TW_INTERNAL_TAKE_PREFIX_2(TW_INTERNAL_PREFIX_##kernel, TW_INTERNAL_SET_NOTHING, none, kernel, __VA_ARGS__)
#define TW_INTERNAL_TAKE_PREFIX_2(...) TW_INTERNAL_TAKE_PREFIX_3(__VA_ARGS__)
#define TW_INTERNAL_TAKE_PREFIX_3(ignored, set, ...) set(__VA_ARGS__)

#define TW_INTERNAL_PREFIX_static ignored, TW_INTERNAL_SET_LINKAGE, static,
#define TW_INTERNAL_PREFIX_TW_FOR_CPUS ignored, TW_INTERNAL_SET_KINDS, TW_INTERNAL_FOR_CPUS,
#define TW_INTERNAL_PREFIX_TW_FOR_GPUS ignored, TW_INTERNAL_SET_KINDS, TW_INTERNAL_FOR_GPUS,
#define TW_INTERNAL_PREFIX_TW_SUB_GROUP_SIZE(n) ignored, TW_INTERNAL_SET_SUB_GROUP, n,
#define TW_INTERNAL_PREFIX_TW_HOST_LOOP(...) ignored, TW_INTERNAL_SET_OPTIONS, __VA_ARGS__,
#define TW_INTERNAL_PREFIX_TW_SPECIALIZE(...) ignored, TW_INTERNAL_SET_SPECIAL, (__VA_ARGS__),
#define TW_INTERNAL_PREFIX_TW_FUNCTION(f) ignored, TW_INTERNAL_SET_FUNCTION, f,
#define TW_INTERNAL_PREFIX_TW_BLOCK(b) ignored, TW_INTERNAL_SET_BLOCK, b,

#define TW_INTERNAL_SET_NOTHING(none, kernel, ...) kernel, __VA_ARGS__
#define TW_INTERNAL_SET_LINKAGE(value, kernel, x, y, z, linkage, kinds, options, function, block, special)             \
    kernel, value, kinds, options, function, block, special
#define TW_INTERNAL_SET_KINDS(value, kernel, x, y, z, linkage, kinds, options, function, block, special)               \
    kernel, linkage, (((kinds) & ~(unsigned)TW_INTERNAL_FOR_ANY) | value), options, function, block, special
#define TW_INTERNAL_SET_SUB_GROUP(value, kernel, x, y, z, linkage, kinds, options, function, block, special)           \
    kernel, linkage, ((kinds) | (unsigned)(value) << TW_INTERNAL_KIND_BITS), options, function, block, special
#define TW_INTERNAL_SET_OPTIONS(value, kernel, x, y, z, linkage, kinds, options, function, block, special)             \
    kernel, linkage, kinds, value, function, block, special
#define TW_INTERNAL_SET_FUNCTION(value, kernel, x, y, z, linkage, kinds, options, function, block, special)            \
    kernel, linkage, kinds, options, value, block, special
#define TW_INTERNAL_SET_BLOCK(value, kernel, x, y, z, linkage, kinds, options, function, block, special)               \
    kernel, linkage, kinds, options, function, value, special
#define TW_INTERNAL_SET_SPECIAL(value, kernel, x, y, z, linkage, kinds, options, function, block, special)             \
    kernel, linkage, kinds, options, function, block, value

/* The function is that of the kernel's name, and the block that of the function's, where nothing else was given. */
#define TW_INTERNAL_NAMES(...) TW_INTERNAL_NAMES_1(__VA_ARGS__)
#define TW_INTERNAL_NAMES_1(name, linkage, kinds, options, function, block, special)                                   \
    TW_INTERNAL_NAMES_2(name, linkage, kinds, options, TW_INTERNAL_OR(function, name), block, special)
#define TW_INTERNAL_NAMES_2(name, linkage, kinds, options, function, block, special)                                   \
    name, linkage, kinds, options, function, TW_INTERNAL_OR(block, function), special
#define TW_INTERNAL_OR(given, other) TW_INTERNAL_SECOND(TW_INTERNAL_OR_##given(other), given, )
#define TW_INTERNAL_OR_TW_INTERNAL_SAME(other) ignored, other
#define TW_INTERNAL_SECOND(...) TW_INTERNAL_SECOND_1(__VA_ARGS__)
#define TW_INTERNAL_SECOND_1(ignored, second, ...) second
// clang-format on

#endif
