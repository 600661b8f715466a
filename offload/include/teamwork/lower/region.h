/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Pieces that every lowering shares: which pass this is, pragmas inside macros, and how an argument block crosses
 * into a target region.
 *
 * A struct passed firstprivate costs a transfer each launch; scalars of at most 64 bits travel as kernel arguments.
 * So the block is copied into 64-bit words, the words are captured, and the region copies them back into a struct,
 * which the optimizer dissolves. A region has room for 8 or 32 words; larger blocks are read from device memory.
 */
#ifndef TEAMWORK_LOWER_REGION_H
#define TEAMWORK_LOWER_REGION_H

#include <teamwork/lower/compiler.h>

#include <omp.h>
#include <stdint.h>

#include <teamwork/item.h>
#include <teamwork/lower/launch.h>

/*
 * The passes. GPU passes know themselves. A CPU device pass preprocesses like the host pass unless the build tells it
 * apart with -DTW_CPU_DEVICE_PASS (through -Xopenmp-target), which makes it use the standard teams mapping; otherwise
 * it shares the host's kernel code: one thread runs a whole group.
 */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define TW_INTERNAL_GPU_PASS 1
#define TW_ON_GPU 1
#else
#define TW_ON_GPU 0 /* kernel.h */
#endif
#if defined(TW_INTERNAL_GPU_PASS) && defined(TW_LOWERING_SIMT)
#define TW_INTERNAL_PASS_SIMT 1
#elif defined(TW_INTERNAL_GPU_PASS) || defined(TW_CPU_DEVICE_PASS)
#define TW_INTERNAL_PASS_TEAMS 1
#else
#define TW_INTERNAL_PASS_HOST 1
#endif

#define TW_INTERNAL_STRING_(...) #__VA_ARGS__
#define TW_INTERNAL_PRAGMA(...) _Pragma(TW_INTERNAL_STRING_(__VA_ARGS__))

/**
 * How clang treats the innermost loop over work-items on a CPU: options of `#pragma clang loop`. Defined before the first
 * header, or anew between two kernels: for range and nd_range kernels the definition where TW_RANGE_KERNEL and the like
 * stand counts, for hierarchical ones that where the loop does.
 *
 * By default a loop is vectorized behind run-time checks for overlap. `assume_safety` or `omp simd`, which would do without
 * the checks, are wrong as a default: clang 19 then takes all accesses in the body for parallel, those to the body's own
 * arrays too, and all iterations share these, so kernels with an indexed private array would be miscompiled.
 */
#ifndef TW_HOST_LOOP
#define TW_HOST_LOOP vectorize(enable)
#endif
#define TW_INTERNAL_SIMD TW_INTERNAL_PRAGMA(clang loop TW_HOST_LOOP)

/* What cannot be vectorized runs as it is. The warning about that comes late, without a usable place in the source, so it
   can only be silenced for the rest of the file. */
#pragma clang diagnostic ignored "-Wpass-failed"

/* An expression in which it is an error, not a warning alone, to take the const from what a pointer leads to. */
#define TW_INTERNAL_KEEPS_CONST(...)                                                                                   \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic error "-Wincompatible-pointer-types-discards-qualifiers")                      \
    __VA_ARGS__ TW_INTERNAL_PRAGMA(clang diagnostic pop)

/* Calls a kernel so that its body is inlined whatever its size: a call blocks vectorization and keeps structs in
   memory. The attribute on a statement is C23 spelling in C17. */
#define TW_INTERNAL_INLINE_CALL(...)                                                                                   \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wc23-extensions")                                                    \
    [[clang::always_inline]] __VA_ARGS__;                                                                              \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)

/* Whether this code runs inside a device image; a constant in every pass. */
TW_DEVICE_INLINE int tw_internal_on_device(void)
{
    return 0;
}
#pragma omp begin declare variant match(device = {kind(nohost)})
TW_DEVICE_INLINE int tw_internal_on_device(void)
{
    return 1;
}
#pragma omp end declare variant

/* ---- argument words ------------------------------------------------------------------------------------------- */

#define TW_INTERNAL_WORD_LIST_8(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define TW_INTERNAL_WORD_LIST_32(X)                                                                                    \
    TW_INTERNAL_WORD_LIST_8(X)                                                                                         \
    X(8)                                                                                                               \
    X(9)                                                                                                               \
    X(10)                                                                                                              \
    X(11)                                                                                                              \
    X(12)                                                                                                              \
    X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define TW_INTERNAL_WORD_LIST_1(X) X(0)

#define TW_INTERNAL_WORD_DECLARE(i) const uint64_t tw_w##i = tw_words[i];
#define TW_INTERNAL_WORD_VALUE(i) tw_w##i,

#define TW_INTERNAL_CAPTURE_1 tw_w0
#define TW_INTERNAL_CAPTURE_8 tw_w0, tw_w1, tw_w2, tw_w3, tw_w4, tw_w5, tw_w6, tw_w7
#define TW_INTERNAL_CAPTURE_32                                                                                         \
    tw_w0, tw_w1, tw_w2, tw_w3, tw_w4, tw_w5, tw_w6, tw_w7, tw_w8, tw_w9, tw_w10, tw_w11, tw_w12, tw_w13, tw_w14,      \
        tw_w15, tw_w16, tw_w17, tw_w18, tw_w19, tw_w20, tw_w21, tw_w22, tw_w23, tw_w24, tw_w25, tw_w26, tw_w27,        \
        tw_w28, tw_w29, tw_w30, tw_w31

/* Declares `const struct NAME *tw_args` inside a region. WORDS 8 and 32: from the captured words; 1: the one word is
   the address of the block in device memory. */
#define TW_INTERNAL_REBUILD(name, words) TW_INTERNAL_REBUILD_##words(name)
#define TW_INTERNAL_REBUILD_8(name) TW_INTERNAL_REBUILD_WORDS(name, 8)
#define TW_INTERNAL_REBUILD_32(name) TW_INTERNAL_REBUILD_WORDS(name, 32)
#define TW_INTERNAL_REBUILD_WORDS(name, count)                                                                         \
    const uint64_t tw_block[count] = {TW_INTERNAL_WORD_LIST_##count(TW_INTERNAL_WORD_VALUE)};                          \
    struct name tw_copy;                                                                                               \
    __builtin_memcpy(&tw_copy, tw_block, sizeof tw_copy <= sizeof tw_block ? sizeof tw_copy : 0);                      \
    const struct name *const tw_args = &tw_copy;
#define TW_INTERNAL_REBUILD_1(name) const struct name *const tw_args = (const struct name *)(uintptr_t)tw_w0;

/* Chooses the region with room for `struct NAME` and declares its words. REGION(name, words) is a statement.

   The host and device passes number the regions of one source line in the order in which they emit them, and only the
   host pass drops those in branches that are never taken. So the choice must look like a run-time one: all regions are
   emitted, and those that do not serve `struct NAME` have an empty body (TW_INTERNAL_SERVES). */
#define TW_INTERNAL_WITH_WORDS(REGION, name, launch) TW_INTERNAL_WITH_WORDS_(REGION, name, launch, )
#define TW_INTERNAL_WITH_WORDS_(REGION, name, launch, ...)                                                             \
    if ((launch)->words == 8) {                                                                                        \
        uint64_t tw_words[8] = {0};                                                                                    \
        __builtin_memcpy(tw_words, (launch)->args, sizeof(struct name) <= sizeof tw_words ? sizeof(struct name) : 0);  \
        TW_INTERNAL_WORD_LIST_8(TW_INTERNAL_WORD_DECLARE)                                                              \
        REGION(name, 8, __VA_ARGS__)                                                                                   \
    } else if ((launch)->words == 32) {                                                                                \
        uint64_t tw_words[32] = {0};                                                                                   \
        __builtin_memcpy(tw_words, (launch)->args, sizeof(struct name) <= sizeof tw_words ? sizeof(struct name) : 0);  \
        TW_INTERNAL_WORD_LIST_32(TW_INTERNAL_WORD_DECLARE)                                                             \
        REGION(name, 32, __VA_ARGS__)                                                                                  \
    } else {                                                                                                           \
        const uint64_t tw_words[1] = {(uint64_t)(uintptr_t)(launch)->device_args};                                     \
        TW_INTERNAL_WORD_LIST_1(TW_INTERNAL_WORD_DECLARE)                                                              \
        REGION(name, 1, __VA_ARGS__)                                                                                   \
    }
#define TW_INTERNAL_SERVES(name, words) (tw_internal_words_for(sizeof(struct name)) == (words))

/* Variables are captured, and passed, in the order in which a region first mentions them, not in that of its clauses.
   Where the bodies of the passes differ, each begins by mentioning all of them in one order. */
#define TW_INTERNAL_MENTION(i) (void)tw_w##i;
#define TW_INTERNAL_MENTION_WORDS(words)                                                                               \
    (void)tw_launch_word;                                                                                              \
    TW_INTERNAL_WORD_LIST_##words(TW_INTERNAL_MENTION)

/* The region's host version: reached when libomptarget has no image for the device. `word` carries the launch. */
TW_DEVICE_INLINE void tw_internal_fell_back(uint64_t word)
{
    __atomic_store_n(&((struct tw_internal_launch *)(uintptr_t)word)->fell_back, TW_INTERNAL_NO_IMAGE,
                     __ATOMIC_RELAXED);
}

/* A group without place yet; an initializer. */
#define TW_INTERNAL_GROUP(r0, r1, r2, l0, l1, l2, dims)                                                                \
    {{0, 0, 0}, {r0, r1, r2}, {l0, l1, l2}, dims, {0, 0, 0}, {0, 0, 0}, NULL, NULL, NULL, false, NULL}

/* ---- index arithmetic ----------------------------------------------------------------------------------------- */

/* The extent of loop level `level` (2 the fastest) in a range of `dims` dimensions. */
TW_DEVICE_INLINE size_t tw_internal_extent(const size_t size[3], unsigned dims, unsigned level)
{
    return level + dims < 3 ? 1 : size[level + dims - 3];
}

/* The id of linear group or item `linear` in `range` of `dims` dimensions. `dims` is a constant in every launcher. */
TW_DEVICE_INLINE void tw_internal_delinearize(size_t linear, const size_t range[3], unsigned dims, size_t id[3])
{
    id[0] = linear;
    id[1] = id[2] = 0;
    if (dims == 3) {
        id[2] = linear % range[2];
        linear /= range[2];
        id[1] = linear % range[1];
        id[0] = linear / range[1];
    } else if (dims == 2) {
        id[1] = linear % range[1];
        id[0] = linear / range[1];
    }
}

#endif
