/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the lowerings share: which pass this is, pragmas inside of macros, and the words that cross into a target
 * region.
 *
 * A struct that is passed firstprivate costs a transfer at each launch; scalars of at most 64 bits travel as kernel
 * arguments. So a region captures words of 64 bits: those that describe the launch (struct tw_internal_simt_captures,
 * and tw_internal_teams_captures), then those of the argument block: 8 or 32 that hold it, or 1 with its address in
 * device memory. In the simt lowering a block of up to 1 KiB has a region with 128 words besides: pointers among the
 * words are known to be of global memory, but arrays that the kernel indexes are copied to each work-item's stack. The
 * backend enters the one that has no such copies.
 */
#ifndef TEAMWORK_LOWER_REGION_H
#define TEAMWORK_LOWER_REGION_H

#include <teamwork/lower/kernel/compiler.h>

#include <assert.h>
#include <omp.h>
#include <stdint.h>

#include <teamwork/item.h>
#include <teamwork/lower/kernel/language.h>
#include <teamwork/lower/kernel/launch.h>

/*
 * The passes. GPU passes know themselves. A CPU device pass preprocesses like the host pass unless the build tells it
 * apart with -DTW_CPU_DEVICE_PASS (through -Xopenmp-target), which makes it use the standard teams mapping; otherwise
 * it shares the host's kernel code: one thread runs a whole group.
 *
 * TW_INTERNAL_DEVICE_PASS: the pass is known to be for a device, so nothing that only the host runs is compiled.
 */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define TW_INTERNAL_GPU_PASS 1
#define TW_ON_GPU 1
#else
#define TW_ON_GPU 0 /* kernel_definition.h */
#endif
#if defined(TW_INTERNAL_GPU_PASS) && defined(TW_LOWERING_SIMT)
#define TW_INTERNAL_PASS_SIMT 1
#elif defined(TW_INTERNAL_GPU_PASS) || defined(TW_CPU_DEVICE_PASS)
#define TW_INTERNAL_PASS_TEAMS 1
#else
#define TW_INTERNAL_PASS_HOST 1
#endif
#ifndef TW_INTERNAL_PASS_HOST
#define TW_INTERNAL_DEVICE_PASS 1
#endif

/*
 * The lowerings that the build can use. By default that is teams, and simt where TW_LOWERING_SIMT is defined; a build
 * for GPUs in simt and other devices defines TW_LOWERING_TEAMS too, and one for no device may define
 * TW_LOWERING_HOST.
 */
#if defined(TW_LOWERING_SIMT) && !defined(TW_LOWERING_HOST)
#define TW_INTERNAL_SIMT_BUILT 1
#endif
#if !defined(TW_LOWERING_HOST) && (!defined(TW_LOWERING_SIMT) || defined(TW_LOWERING_TEAMS))
#define TW_INTERNAL_TEAMS_BUILT 1
#endif

/* Whether this is compiled into a device image: a constant for clang itself, in every pass. What a variant is not
   for, clang does not even parse. */
#pragma omp begin declare variant match(device = {kind(host)})
enum { tw_internal_on_device = 0 };
#pragma omp end declare variant
#pragma omp begin declare variant match(device = {kind(nohost)})
enum { tw_internal_on_device = 1 };
#pragma omp end declare variant

/* A directive inside of a macro. TW_INTERNAL_PRAGMA(omp barrier)
   Expands to: _Pragma("omp barrier") */
#define TW_INTERNAL_PRAGMA(...) _Pragma(TW_INTERNAL_STRING(__VA_ARGS__))
#define TW_INTERNAL_STRING(...) #__VA_ARGS__

/* TW_HOST_LOOP(options) before a name (kernel_definition.h) is not a macro, so that it gets here as it is written. The
   caller is a macro with `name` as a parameter, and writes

       TW_INTERNAL_EXPAND(MACRO, arguments, TW_INTERNAL_OPTIONS_##name, vectorize(enable), name, )

   Expands to: MACRO(arguments, ignored, options, name, ...): with TW_HOST_LOOP what it says, else vectorize(enable) */
#define TW_INTERNAL_EXPAND(macro, ...) macro(__VA_ARGS__)
#define TW_INTERNAL_OPTIONS_TW_HOST_LOOP(...) ignored, __VA_ARGS__,

/* Definitions of kernels in C++: what is an extension there, which -Wpedantic would tell the user; and blocks, which are
   copied byte by byte. */
#ifdef __cplusplus
#define TW_INTERNAL_CXX_BEGIN                                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wc++20-designator")                                                  \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wmissing-field-initializers")
#define TW_INTERNAL_CXX_END TW_INTERNAL_PRAGMA(clang diagnostic pop)
#define TW_INTERNAL_CXX_BLOCK(name)                                                                                    \
    static_assert(__is_trivially_copyable(name##_tw_block), "the block of " #name " cannot be copied byte by byte");
#else
#define TW_INTERNAL_CXX_BEGIN
#define TW_INTERNAL_CXX_END
#define TW_INTERNAL_CXX_BLOCK(name)
#endif

/* At a function or a variable: what it is to the compiler component (offload/compiler/base/contract.h has the roles), and a number that
   belongs to that. Expands to: __attribute__((annotate("teamwork.host=saxpy"))) for "host=" "saxpy" */
#ifdef TW_SPLIT
#define TW_INTERNAL_ROLE(role) __attribute__((annotate("teamwork." role)))
#define TW_INTERNAL_ROLE_WITH(role, number) __attribute__((annotate("teamwork." role, number)))
#else
#define TW_INTERNAL_ROLE(role)
#define TW_INTERNAL_ROLE_WITH(role, number)
#endif

/* At what a region calls for a kernel of work-groups: the work-items of a group, or 0 if the kernel requires no size. */
#define TW_INTERNAL_LAUNCH_BOUNDS(name)                                                                                \
    TW_INTERNAL_ROLE_WITH("launch_bounds", name##_tw_local_0 *name##_tw_local_1 *name##_tw_local_2)

/* What cannot be vectorized runs as it is. The warning about that comes late, without a usable place in the source,
   so it can only be silenced for the rest of the file. */
#pragma clang diagnostic ignored "-Wpass-failed"

// clang-format off
/* An expression in which it is an error, not a warning alone, to take the const from what a pointer leads to.
   Expands to: the expression, between pragmas */
#define TW_INTERNAL_KEEPS_CONST(...)                                                                                   \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic error "-Wincompatible-pointer-types-discards-qualifiers")                      \
    __VA_ARGS__                                                                                                        \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)

/* The same for a block: nor does a pointer go to a member of another type. Expands to: the expression, between pragmas */
#define TW_INTERNAL_CHECKED_POINTERS(...)                                                                              \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic error "-Wincompatible-pointer-types")                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic error "-Wincompatible-pointer-types-discards-qualifiers")                      \
    __VA_ARGS__                                                                                                        \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)

/* An expression in C++ with initializers as C has them: designated, in any order, the others zero. */
#define TW_INTERNAL_C_INITIALIZERS(...)                                                                                \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wc99-designator")                                                    \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wc++20-designator")                                                  \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wreorder-init-list")                                                 \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wmissing-field-initializers")                                        \
    __VA_ARGS__                                                                                                        \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)
// clang-format on

/* Places a local variable on the thread's stack although its address is taken: #pragma omp allocate(x). In the teams
   lowering on a GPU clang would take memory for it from the team's, or from malloc() when that is used up, whose heap
   is small. LLVM takes that back where it sees all uses, but may not beside an asm statement; and LLVM 19 drops the
   call where such functions are not inlined: it has noted that they allocate nothing. */
#if defined(TW_INTERNAL_GPU_PASS) && defined(TW_INTERNAL_PASS_TEAMS)
#define TW_INTERNAL_ON_STACK(...) TW_INTERNAL_PRAGMA(omp allocate(__VA_ARGS__) allocator(omp_thread_mem_alloc))
#else
#define TW_INTERNAL_ON_STACK(...)
#endif

/* ---- words of a region ------------------------------------------------------------------------------------------- */

/* The head of a function whose symbol is its name, in C++ too: the library finds regions by the function around them, and
   the plugin that splits kernels what it looks for.
   Expands to: static __attribute__((attributes)) type name(parameters) */
#define TW_INTERNAL_FUNCTION(attributes, type, name, ...)                                                              \
    static __attribute__((attributes)) type name(__VA_ARGS__) __asm__(TW_INTERNAL_STRING(name));                       \
    static __attribute__((attributes)) type name(__VA_ARGS__)

/* Those around a region, and those that run a piece of a launch on the host. */
#define TW_INTERNAL_REGION_FUNCTION(name, lowering, block)                                                             \
    TW_INTERNAL_FUNCTION(unused, void, name##_tw_##lowering##_##block, const struct tw_internal_entry *tw_entry)
#define TW_INTERNAL_HOST_FUNCTION(name)                                                                                \
    TW_INTERNAL_ROLE("host=" #name)                                                                                    \
    TW_INTERNAL_FUNCTION(unused, void, name##_tw_host, struct tw_internal_launch *tw_launch, size_t tw_piece,          \
                         size_t tw_pieces)

/* X(from, 0), X(from, 1) ... for each word of a region: those of the head, 15 in the teams lowering and 17 in simt,
   and 1, 8, 32 or 128 of the block. */
// clang-format off
#define TW_INTERNAL_EACH_OF_TEN(X, from, tens)                                                                         \
    X(from, tens##0), X(from, tens##1), X(from, tens##2), X(from, tens##3), X(from, tens##4), X(from, tens##5),        \
    X(from, tens##6), X(from, tens##7), X(from, tens##8), X(from, tens##9)
#define TW_INTERNAL_EACH_10(X, from) TW_INTERNAL_EACH_OF_TEN(X, from, )
#define TW_INTERNAL_EACH_16(X, from)                                                                                   \
    TW_INTERNAL_EACH_10(X, from), X(from, 10), X(from, 11), X(from, 12), X(from, 13), X(from, 14), X(from, 15)
#define TW_INTERNAL_EACH_18(X, from) TW_INTERNAL_EACH_16(X, from), X(from, 16), X(from, 17)
#define TW_INTERNAL_EACH_20(X, from) TW_INTERNAL_EACH_10(X, from), TW_INTERNAL_EACH_OF_TEN(X, from, 1)
#define TW_INTERNAL_EACH_23(X, from) TW_INTERNAL_EACH_20(X, from), X(from, 20), X(from, 21), X(from, 22)
#define TW_INTERNAL_EACH_25(X, from) TW_INTERNAL_EACH_23(X, from), X(from, 23), X(from, 24)
#define TW_INTERNAL_EACH_40(X, from)                                                                                   \
    TW_INTERNAL_EACH_20(X, from), TW_INTERNAL_EACH_OF_TEN(X, from, 2), TW_INTERNAL_EACH_OF_TEN(X, from, 3)
#define TW_INTERNAL_EACH_47(X, from)                                                                                   \
    TW_INTERNAL_EACH_40(X, from), X(from, 40), X(from, 41), X(from, 42), X(from, 43), X(from, 44), X(from, 45),        \
    X(from, 46)
#define TW_INTERNAL_EACH_49(X, from) TW_INTERNAL_EACH_47(X, from), X(from, 47), X(from, 48)
#define TW_INTERNAL_EACH_145(X, from)                                                                                  \
    TW_INTERNAL_EACH_40(X, from), TW_INTERNAL_EACH_OF_TEN(X, from, 4), TW_INTERNAL_EACH_OF_TEN(X, from, 5),            \
    TW_INTERNAL_EACH_OF_TEN(X, from, 6), TW_INTERNAL_EACH_OF_TEN(X, from, 7), TW_INTERNAL_EACH_OF_TEN(X, from, 8),     \
    TW_INTERNAL_EACH_OF_TEN(X, from, 9), TW_INTERNAL_EACH_OF_TEN(X, from, 10), TW_INTERNAL_EACH_OF_TEN(X, from, 11),   \
    TW_INTERNAL_EACH_OF_TEN(X, from, 12), TW_INTERNAL_EACH_OF_TEN(X, from, 13), X(from, 140), X(from, 141),            \
    X(from, 142), X(from, 143), X(from, 144)
// clang-format on

/* const uint64_t TW_INTERNAL_EACH_10(TW_INTERNAL_TAKE, words);  Expands to: const uint64_t tw_0 = words[0], ...;
   {TW_INTERNAL_EACH_10(TW_INTERNAL_NAMED, )}                    Expands to: {tw_0, tw_1, ... tw_9} */
#define TW_INTERNAL_TAKE(from, i) tw_##i = from[i]
#define TW_INTERNAL_NAMED(from, i) tw_##i

/* What a region is entered with. Made on the host, by the functions of simt.h and teams.h. */
struct tw_internal_entry {
    int device, teams, threads; /* the clauses of the directive */
    unsigned local_bytes;
    size_t turns; /* of the loop of a region in the teams lowering */
    uint64_t in[TW_INTERNAL_SIMT_WORDS + TW_INTERNAL_SIMT_ARGS_BYTES / 8]; /* its words */
};

/* A word of the head: of a launch of groups the first one, else the offset that work-items are told, that of the launch
   which this one is a part of. */
TW_DEVICE_INLINE uint64_t tw_internal_first_word(const struct tw_internal_launch *launch, bool groups, unsigned dim)
{
    return groups ? launch->first[dim] : launch->offset[dim] - launch->first[dim];
}

/* The words that a region gets: `count` that describe the launch, and the argument block, of `bytes`. */
TW_DEVICE_INLINE void tw_internal_add_block(struct tw_internal_entry *entry, unsigned count,
                                            const struct tw_internal_launch *launch, const void *head, size_t bytes)
{
    const uint64_t address = (uint64_t)(uintptr_t)launch->device_args;
    __builtin_memcpy(entry->in, head, count * 8);
    if (launch->words == 1)
        __builtin_memcpy(entry->in + count, &address, sizeof address);
    else
        __builtin_memcpy(entry->in + count, launch->args, bytes);
}

#ifdef __AMDGCN__
/* The same word. If it is a pointer, the compiler learns that it is one of global memory, as it knows for NVIDIA GPUs:
   else the GPU would find out at each access, and could not read by its scalar unit what all work-items read. */
TW_DEVICE_INLINE uint64_t tw_internal_global_word(uint64_t word)
{
    return (uintptr_t)(void *)(__attribute__((address_space(1))) void *)(uintptr_t)word;
}
#endif

/* In a region: the argument block, of `bytes`, rebuilt in `copy` where it came as `count` words and not by its address.
   The optimizer dissolves it. */
TW_DEVICE_INLINE TW_INTERNAL_CONST_ADDRESS tw_internal_block_of(const uint64_t *words, unsigned count, void *copy,
                                                                size_t bytes)
{
#ifdef __AMDGCN__
    uint64_t known[TW_INTERNAL_SIMT_ARGS_BYTES / sizeof *words];
    for (unsigned i = 0; i < count; ++i)
        known[i] = tw_internal_global_word(words[i]);
    words = known;
#endif
    if (count == 1)
        return (const void *)(uintptr_t)words[0];
    __builtin_memcpy(copy, words, bytes);
    return copy;
}

/* The same in the region that tw_internal_words_for() names. */
TW_DEVICE_INLINE TW_INTERNAL_CONST_ADDRESS tw_internal_block(const uint64_t *words, void *copy, size_t bytes)
{
    return tw_internal_block_of(words, tw_internal_words_for(bytes), copy, bytes);
}

// clang-format off
#ifdef TW_INTERNAL_DEVICE_PASS
#define TW_INTERNAL_LAUNCHER(name, lowering, form)
#else
/* The function that launches a kernel in one lowering: through the region with room for its block. The others are never
   called, so clang emits them in no pass. Expands to:

       static void saxpy_tw_simt(launch)
       {
           const struct tw_internal_entry tw_entry = tw_internal_simt_range_entry(launch, sizeof(saxpy_tw_block));
           if (sizeof(saxpy_tw_block) <= 64) saxpy_tw_simt_8(&tw_entry); else if ...
       } */
#define TW_INTERNAL_LAUNCHER(name, lowering, form)                                                                     \
    static void name##_tw_##lowering(const struct tw_internal_launch *tw_launch)                                       \
    {                                                                                                                  \
        const struct tw_internal_entry tw_entry =                                                                      \
            tw_internal_##lowering##_##form##_entry(tw_launch, sizeof(name##_tw_block));                               \
        if (sizeof(name##_tw_block) <= 64)                                                                             \
            name##_tw_##lowering##_8(&tw_entry);                                                                       \
        else if (sizeof(name##_tw_block) <= TW_INTERNAL_INLINE_ARGS_BYTES)                                             \
            name##_tw_##lowering##_32(&tw_entry);                                                                      \
        TW_INTERNAL_MORE_WORDS_##lowering(name)                                                                        \
        else                                                                                                           \
            name##_tw_##lowering##_1(&tw_entry);                                                                       \
    }
/* The condition is a constant for clang itself where the region is not needed. */
#define TW_INTERNAL_MORE_WORDS_teams(name)
#define TW_INTERNAL_MORE_WORDS_simt(name)                                                                              \
    else if (sizeof(name##_tw_block) <= TW_INTERNAL_SIMT_ARGS_BYTES && tw_launch->words != 1)                          \
        name##_tw_simt_128(&tw_entry);
#endif

/* Calls `function(..., dims)` with a constant for dims: `required`, or what the launch has if that is 0. All calls
   but one are dropped by clang where `required` is given. */
#define TW_INTERNAL_BY_DIMS(required, launched, function, ...)                                                         \
    if ((required) ? (required) == 1 : (launched) == 1)                                                                \
        function(__VA_ARGS__, 1);                                                                                      \
    else if ((required) ? (required) == 2 : (launched) == 2)                                                           \
        function(__VA_ARGS__, 2);                                                                                      \
    else                                                                                                               \
        function(__VA_ARGS__, 3);
// clang-format on

/* The region's host version: reached when libomptarget has no image for the device. */
TW_DEVICE_INLINE void tw_internal_fell_back(struct tw_internal_launch *launch)
{
    __atomic_store_n(&launch->fell_back, TW_INTERNAL_NO_IMAGE, __ATOMIC_RELAXED);
}

/* A group without place yet. Sizes past `dims` are 1. */
TW_DEVICE_INLINE struct tw_internal_group tw_internal_group(size_t r0, size_t r1, size_t r2, size_t l0, size_t l1,
                                                            size_t l2, unsigned dims)
{
    struct tw_internal_group group = {{0, 0, 0}, {r0, r1, r2}, {l0, l1, l2}, dims,  {0, 0, 0}, {0, 0, 0},
                                      NULL,      NULL,         NULL,         false, NULL};
    return group;
}

/* ---- index arithmetic -------------------------------------------------------------------------------------------- */

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
