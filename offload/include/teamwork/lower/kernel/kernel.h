/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers the definitions of kernels (<teamwork/kernel_definition.h>); docs/kernel_expansion.md shows how. */
#ifndef TEAMWORK_LOWER_KERNEL_H
#define TEAMWORK_LOWER_KERNEL_H

#include <teamwork/lower/group/async_copy.h>
#include <teamwork/lower/group/group_functions.h>
#include <teamwork/lower/group/nd_item.h>
#include <teamwork/lower/group/work_item.h>
#include <teamwork/lower/kernel/host.h>
#include <teamwork/lower/kernel/members.h>
#include <teamwork/lower/kernel/prefix.h>
#include <teamwork/lower/kernel/simt.h>
#include <teamwork/lower/kernel/special.h>
#include <teamwork/lower/kernel/teams.h>

// clang-format off

/* <teamwork/kernel_definition.h> fills the arguments up: a size that is not given is TW_INTERNAL_ANY. */
#define TW_INTERNAL_ANY -2147483647

/* ---- the forms: their parts for the host and for each lowering; what a pass or build has no use for is empty ----- */

/* Defines a kernel of one size: `of` is the macro of its form, whose arguments follow, `member` that of its object. */
#define TW_INTERNAL_FORM(of, member, n0, n1, n2, name, linkage, kinds, options, function, block, special)              \
    TW_INTERNAL_DEFINE_KERNEL(special, of, member, n0, n1, n2, name, NULL, name, linkage, kinds, options, function,    \
                              block)

#define TW_INTERNAL_SINGLE_TASK_KERNEL(kernel)                                                                         \
    TW_INTERNAL_EXPAND(TW_INTERNAL_FORM, TW_INTERNAL_SINGLE_TASK_OF, single_task_kernel, 0, 0, 0,                      \
                       TW_INTERNAL_PREFIXES(kernel))
#define TW_INTERNAL_SINGLE_TASK_OF(n0, n1, n2, shown, next, name, linkage, kinds, options, function, block, values)    \
    TW_INTERNAL_CHECK_KERNEL(name, function, block, "(const struct " #block " *k)", const name##_tw_block *)           \
    TW_DEVICE_INLINE void name##_tw_call(const name##_tw_block *tw_args)                                               \
    {                                                                                                                  \
        if (TW_INTERNAL_IS_FOR(kinds))                                                                                 \
            TW_INTERNAL_INLINE_CALL(function(tw_args))                                                                 \
    }                                                                                                                  \
    TW_INTERNAL_HOST_TASK(name, values)                                                                                \
    TW_INTERNAL_SIMT_TASK(name, values)                                                                                \
    TW_INTERNAL_SIMT(name, task)                                                                                       \
    TW_INTERNAL_TEAMS_TASK(name, values)                                                                               \
    TW_INTERNAL_TEAMS_ONE(name)                                                                                        \
    TW_INTERNAL_KERNEL_OBJECT(single_task, TW_INTERNAL_SINGLE_TASK, name, linkage, kinds, function, shown, next,       \
                              TW_INTERNAL_PLAIN, values, 0, 0)

#define TW_INTERNAL_RANGE_KERNEL(kernel, dims_, ...)                                                                   \
    TW_INTERNAL_EXPAND(TW_INTERNAL_FORM, TW_INTERNAL_RANGE_OF, range_kernel, dims_, 0, 0, TW_INTERNAL_PREFIXES(kernel))
#define TW_INTERNAL_RANGE_OF(n0, n1, n2, shown, next, name, linkage, kinds, options, function, block, values)          \
    TW_INTERNAL_RANGE_CALL(name, kinds, function, block, n0)                                                           \
    TW_INTERNAL_HOST_ROW(name, options)                                                                                \
    TW_INTERNAL_HOST_RANGE(name, values)                                                                               \
    TW_INTERNAL_SIMT_RANGE(name, values)                                                                               \
    TW_INTERNAL_SIMT(name, range)                                                                                      \
    TW_INTERNAL_TEAMS_RANGE(name, values)                                                                              \
    TW_INTERNAL_TEAMS(name, range, items)                                                                              \
    TW_INTERNAL_KERNEL_OBJECT(range, TW_INTERNAL_RANGE, name, linkage, kinds, function, shown, next,                   \
                              TW_INTERNAL_PLAIN, values, name##_tw_dims, 0)

#define TW_INTERNAL_REDUCTION_KERNEL(kernel, dims_, ...)                                                               \
    TW_INTERNAL_EXPAND(TW_INTERNAL_FORM, TW_INTERNAL_REDUCTION_OF, range_kernel, dims_,                                \
                       (__VA_ARGS__), 0, TW_INTERNAL_PREFIXES(kernel))
#define TW_INTERNAL_REDUCTION_OF(dims_, members, n2, shown, next, name, linkage, kinds, options, function, block,      \
                                 values)                                                                               \
    TW_INTERNAL_RANGE_CALL(name, kinds, function, block, dims_)                                                        \
    TW_INTERNAL_REDUCED_MEMBERS_OF(name, TW_INTERNAL_BARE members)                                                     \
    TW_INTERNAL_HOST_PART(name, options, values)                                                                       \
    TW_INTERNAL_HOST_REDUCTION(name, false)                                                                            \
    TW_INTERNAL_SIMT_REDUCTION(name, values)                                                                           \
    TW_INTERNAL_SIMT(name, reduction)                                                                                  \
    TW_INTERNAL_TEAMS_REDUCTION(name, values)                                                                          \
    TW_INTERNAL_TEAMS(name, reduction, items)                                                                          \
    TW_INTERNAL_TEAMS_REDUCTION_END(name, false)                                                                       \
    TW_INTERNAL_KERNEL_OBJECT(range, TW_INTERNAL_REDUCTION, name, linkage, kinds, function, shown, next,               \
                              TW_INTERNAL_REDUCES, values, name##_tw_dims, 0)

#define TW_INTERNAL_GROUP_KERNEL(kernel, n0, n1, n2, ...)                                                              \
    TW_INTERNAL_EXPAND(TW_INTERNAL_FORM, TW_INTERNAL_GROUP_OF, work_group_kernel, n0, n1, n2,                          \
                       TW_INTERNAL_PREFIXES(kernel))
#define TW_INTERNAL_GROUP_OF(n0, n1, n2, shown, next, name, linkage, kinds, options, function, block, values)          \
    TW_INTERNAL_CHECK_KERNEL(name, function, block, "(tw_group group, const struct " #block " *k)", tw_group,          \
                             const name##_tw_block *)                                                                  \
    TW_INTERNAL_REQUIRE_GROUP(name, n0, n1, n2)                                                                        \
    TW_DEVICE_INLINE void name##_tw_call(tw_group tw_here, const name##_tw_block *tw_args)                             \
    {                                                                                                                  \
        if (TW_INTERNAL_IS_FOR(kinds))                                                                                 \
            TW_INTERNAL_INLINE_CALL(function(tw_here, tw_args))                                                        \
    }                                                                                                                  \
    TW_INTERNAL_HOST_GROUP(name, values)                                                                               \
    TW_INTERNAL_SIMT_GROUP(name, group, values)                                                                        \
    TW_INTERNAL_SIMT(name, group)                                                                                      \
    TW_INTERNAL_TEAMS_GROUP(name, values)                                                                              \
    TW_INTERNAL_TEAMS(name, group, groups)                                                                             \
    TW_INTERNAL_KERNEL_OBJECT(work_group, TW_INTERNAL_WORK_GROUP, name, linkage, kinds, function, shown, next,         \
                              TW_INTERNAL_PLAIN, values, name##_tw_dims, name##_tw_local_0, name##_tw_local_1,         \
                              name##_tw_local_2)

#define TW_INTERNAL_ND_KERNEL(kernel, n0, n1, n2, ...)                                                                 \
    TW_INTERNAL_EXPAND(TW_INTERNAL_FORM, TW_INTERNAL_ND_OF, nd_range_kernel, n0, n1, n2, TW_INTERNAL_PREFIXES(kernel))
#define TW_INTERNAL_ND_OF(n0, n1, n2, shown, next, name, linkage, kinds, options, function, block, values)             \
    TW_INTERNAL_CHECK_KERNEL(name, function, block, "(tw_nd_item item, const struct " #block " *k)", tw_nd_item,       \
                             const name##_tw_block *)                                                                  \
    TW_INTERNAL_REQUIRE_GROUP(name, n0, n1, n2)                                                                        \
    TW_DEVICE_INLINE void name##_tw_call(tw_nd_item tw_here, const name##_tw_block *tw_args)                           \
    {                                                                                                                  \
        if (TW_INTERNAL_IS_FOR(kinds))                                                                                 \
            TW_INTERNAL_INLINE_CALL(function(tw_here, tw_args))                                                        \
    }                                                                                                                  \
    TW_INTERNAL_HOST_ND_RANGE(name, options, values)                                                                   \
    TW_INTERNAL_SIMT_GROUP(name, item, values)                                                                         \
    TW_INTERNAL_SIMT(name, group)                                                                                      \
    TW_INTERNAL_TEAMS_ND_RANGE(name, values)                                                                           \
    TW_INTERNAL_TEAMS(name, nd_range, groups)                                                                          \
    TW_INTERNAL_KERNEL_OBJECT(nd_range, TW_INTERNAL_ND_RANGE, name, linkage, kinds, function, shown, next,             \
                              TW_INTERNAL_PLAIN, values, name##_tw_dims, name##_tw_local_0, name##_tw_local_1,         \
                              name##_tw_local_2)

/* ---- kernels in several sizes of work-groups --------------------------------------------------------------------- */

/* Each size is a kernel of its own. All but the first are static, and each has a pointer to the next. `of` is the macro
   TW_INTERNAL_GROUP_OF or TW_INTERNAL_ND_OF, `member` that of the object, `head` in parentheses what the prefixes say.
   Expands to: the definitions of tile_tw_size_3, tile_tw_size_2 and tile, for three sizes */
#define TW_INTERNAL_KERNEL_SIZES(of, member, kernel, ...)                                                              \
    TW_INTERNAL_EXPAND(TW_INTERNAL_COUNT_SIZES(__VA_ARGS__, many, many, 6, 5, 4, 3, 2, 1, ), of, member,               \
                       (TW_INTERNAL_PREFIXES(kernel)), __VA_ARGS__)
#define TW_INTERNAL_COUNT_SIZES(a, b, c, d, e, f, g, h, count, ...) TW_INTERNAL_SIZES_##count
#define TW_INTERNAL_SIZES_many(...) static_assert(0, "a kernel has up to six sizes of work-groups")
#define TW_INTERNAL_SIZES_1(of, member, head, a)                                                                       \
    TW_INTERNAL_FIRST_SIZE(of, member, head, none, a)
#define TW_INTERNAL_SIZES_2(of, member, head, a, b)                                                                    \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 2, none, b);                                                              \
    TW_INTERNAL_FIRST_SIZE(of, member, head, 2, a)
#define TW_INTERNAL_SIZES_3(of, member, head, a, b, c)                                                                 \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 3, none, c);                                                              \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 2, 3, b);                                                                 \
    TW_INTERNAL_FIRST_SIZE(of, member, head, 2, a)
#define TW_INTERNAL_SIZES_4(of, member, head, a, b, c, d)                                                              \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 4, none, d);                                                              \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 3, 4, c);                                                                 \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 2, 3, b);                                                                 \
    TW_INTERNAL_FIRST_SIZE(of, member, head, 2, a)
#define TW_INTERNAL_SIZES_5(of, member, head, a, b, c, d, e)                                                           \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 5, none, e);                                                              \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 4, 5, d);                                                                 \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 3, 4, c);                                                                 \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 2, 3, b);                                                                 \
    TW_INTERNAL_FIRST_SIZE(of, member, head, 2, a)
#define TW_INTERNAL_SIZES_6(of, member, head, a, b, c, d, e, f)                                                        \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 6, none, f);                                                              \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 5, 6, e);                                                                 \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 4, 5, d);                                                                 \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 3, 4, c);                                                                 \
    TW_INTERNAL_OTHER_SIZE(of, member, head, 2, 3, b);                                                                 \
    TW_INTERNAL_FIRST_SIZE(of, member, head, 2, a)
#define TW_INTERNAL_OTHER_SIZE(of, member, head, i, next, size)                                                        \
    TW_INTERNAL_WITH_SIZE(TW_INTERNAL_OTHER_OF_SIZE, of, member, i, next, TW_INTERNAL_THREE(size), TW_INTERNAL_BARE head)
#define TW_INTERNAL_FIRST_SIZE(of, member, head, next, size)                                                           \
    TW_INTERNAL_WITH_SIZE(TW_INTERNAL_FIRST_OF_SIZE, of, member, next, TW_INTERNAL_THREE(size), TW_INTERNAL_BARE head)
#define TW_INTERNAL_WITH_SIZE(macro, ...) macro(__VA_ARGS__)
#define TW_INTERNAL_OTHER_OF_SIZE(of, member, i, next, n0, n1, n2, name, linkage, kinds, options, function, block,     \
                                  special)                                                                             \
    TW_INTERNAL_DEFINE_KERNEL(special, of, member, n0, n1, n2, name, TW_INTERNAL_NEXT_##next(name, member),            \
                              name##_tw_size_##i, static, kinds, options, function, block)
#define TW_INTERNAL_FIRST_OF_SIZE(of, member, next, n0, n1, n2, name, linkage, kinds, options, function, block,        \
                                  special)                                                                             \
    TW_INTERNAL_DEFINE_KERNEL(special, of, member, n0, n1, n2, name, TW_INTERNAL_NEXT_##next(name, member), name,      \
                              linkage, kinds, options, function, block)
#define TW_INTERNAL_NEXT_none(name, member) NULL
#define TW_INTERNAL_NEXT_2(name, member) &name##_tw_size_2_kernel.member
#define TW_INTERNAL_NEXT_3(name, member) &name##_tw_size_3_kernel.member
#define TW_INTERNAL_NEXT_4(name, member) &name##_tw_size_4_kernel.member
#define TW_INTERNAL_NEXT_5(name, member) &name##_tw_size_5_kernel.member
#define TW_INTERNAL_NEXT_6(name, member) &name##_tw_size_6_kernel.member
/* TW_INTERNAL_THREE((16, 8)) and TW_INTERNAL_THREE(64)
   Expand to: 16, 8, TW_INTERNAL_ANY and 64, TW_INTERNAL_ANY, TW_INTERNAL_ANY */
#define TW_INTERNAL_THREE(size) TW_INTERNAL_THREE_1(TW_INTERNAL_LIST(size))
#define TW_INTERNAL_THREE_1(sizes)                                                                                     \
    TW_INTERNAL_THREE_2(TW_INTERNAL_BARE sizes, TW_INTERNAL_ANY, TW_INTERNAL_ANY, TW_INTERNAL_ANY, )
#define TW_INTERNAL_THREE_2(...) TW_INTERNAL_THREE_3(__VA_ARGS__)
#define TW_INTERNAL_THREE_3(n0, n1, n2, ...) n0, n1, n2

/* ---- the head of a kernel ---------------------------------------------------------------------------------------- */

/*
 * The function is one void function(PARAMETERS), a form of kernel. If it is not, or takes the block of another
 * struct, most of what follows would be an error or warning of its own: so this one ends the compilation.
 *
 * Expands to: typedef struct saxpy saxpy_tw_block; saxpy_tw_check() with diagnose_if, and an enum that calls it
 */
#define TW_INTERNAL_CHECK_KERNEL(name, function, block, parameters, ...)                                               \
    typedef struct block name##_tw_block;                                                                              \
    TW_INTERNAL_CXX_BEGIN                                                                                              \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wgcc-compat")                                                        \
    TW_INTERNAL_PRAGMA(clang diagnostic fatal "-Wuser-defined-warnings")                                               \
    TW_DEVICE_INLINE int name##_tw_check(int right) __attribute__((diagnose_if(                                        \
        !right, "the kernel must be the function void " #function parameters                                           \
        ", and take the struct of its own name, or that of TW_BLOCK()", "warning")))                                   \
    {                                                                                                                  \
        return right;                                                                                                  \
    }                                                                                                                  \
    enum { name##_tw_checked = sizeof(name##_tw_check(TW_INTERNAL_IS(function, void (*)(__VA_ARGS__)))) };             \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)

/* Whether a kernel for these kinds of devices is compiled in this pass: where not, its function is not called. */
#define TW_INTERNAL_IS_FOR(kinds) ((kinds) & (TW_ON_GPU ? TW_INTERNAL_FOR_GPUS : TW_INTERNAL_FOR_CPUS))

/* Calls a kernel so that its body is inlined whatever its size: a call blocks vectorization and keeps structs in memory.
   The attribute on a statement is C23 spelling in C17. Expands to: [[clang::always_inline]] saxpy(tw_here, tw_args); */
#if defined(TW_INTERNAL_PASS_HOST) && !defined(__OPTIMIZE__)
#define TW_INTERNAL_INLINE_CALL(...) __VA_ARGS__; /* a function of its own, where a debugger stops and sees its arguments */
#else
#define TW_INTERNAL_INLINE_CALL(...)                                                                                   \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wc23-extensions")                                                    \
    [[clang::always_inline]] __VA_ARGS__;                                                                              \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)
#endif

/* The work-group size that a definition requires, as constants, 0 where it requires none. Expands to:

       enum { tile_tw_dims = 2, tile_tw_local_0 = 16, tile_tw_local_1 = 16, tile_tw_local_2 = 1 }; */
#define TW_INTERNAL_REQUIRE_GROUP(name, n0, n1, n2)                                                                    \
    enum {                                                                                                             \
        name##_tw_dims = TW_INTERNAL_GIVEN(n0) + TW_INTERNAL_GIVEN(n1) + TW_INTERNAL_GIVEN(n2),                        \
        name##_tw_local_0 = TW_INTERNAL_GIVEN(n0) ? (n0) : 0,                                                          \
        name##_tw_local_1 = TW_INTERNAL_GIVEN(n1) ? (n1) : TW_INTERNAL_GIVEN(n0),                                      \
        name##_tw_local_2 = TW_INTERNAL_GIVEN(n2) ? (n2) : TW_INTERNAL_GIVEN(n0)                                       \
    };                                                                                                                 \
    static_assert(!name##_tw_dims || (name##_tw_local_0 > 0 && name##_tw_local_1 > 0 && name##_tw_local_2 > 0),        \
                   "the required work-group size of " #name " must be positive");
#define TW_INTERNAL_REQUIRE_GROUP_OF(...) TW_INTERNAL_REQUIRE_GROUP(__VA_ARGS__)
#define TW_INTERNAL_GIVEN(n) ((n) != TW_INTERNAL_ANY)

#define TW_INTERNAL_RANGE_CALL(name, kinds, function, block, dims)                                                     \
    TW_INTERNAL_CHECK_KERNEL(name, function, block, "(tw_item item, const struct " #block " *k)", tw_item,             \
                             const name##_tw_block *)                                                                  \
    enum { name##_tw_dims = (dims) };                                                                                  \
    static_assert(name##_tw_dims >= 0 && name##_tw_dims <= 3, "a range has 1 to 3 dimensions");                        \
    TW_DEVICE_INLINE void name##_tw_call(tw_item tw_here, const name##_tw_block *tw_args)                              \
    {                                                                                                                  \
        if (TW_INTERNAL_IS_FOR(kinds))                                                                                 \
            TW_INTERNAL_INLINE_CALL(function(tw_here, tw_args))                                                        \
    }

/* ---- the object -------------------------------------------------------------------------------------------------- */

/* Where the linker puts what TW_LOCAL notes (work_item_host.h); absent where there is none. */
extern const struct tw_internal_local_note __start_tw_local_notes[] __attribute__((weak, visibility("hidden")));
extern const struct tw_internal_local_note __stop_tw_local_notes[] __attribute__((weak, visibility("hidden")));

#if defined(TW_INTERNAL_SIMT_BUILT) && defined(TW_INTERNAL_TEAMS_BUILT)
enum { TW_INTERNAL_LOWERINGS = 1u << TW_INTERNAL_LOWER_TEAMS | 1u << TW_INTERNAL_LOWER_SIMT };
#define TW_INTERNAL_OFFLOAD(name, teams, launch)                                                                       \
    if ((launch)->lowering == TW_INTERNAL_LOWER_SIMT)                                                                  \
        name##_tw_simt(launch);                                                                                        \
    else                                                                                                               \
        teams(launch);
#elif defined(TW_INTERNAL_SIMT_BUILT)
enum { TW_INTERNAL_LOWERINGS = 1u << TW_INTERNAL_LOWER_SIMT };
#define TW_INTERNAL_OFFLOAD(name, teams, launch)                                                                       \
    if ((launch)->lowering == TW_INTERNAL_LOWER_SIMT)                                                                  \
        name##_tw_simt(launch);                                                                                        \
    else                                                                                                               \
        tw_internal_fell_back(launch);
#elif defined(TW_INTERNAL_TEAMS_BUILT)
enum { TW_INTERNAL_LOWERINGS = 1u << TW_INTERNAL_LOWER_TEAMS };
#define TW_INTERNAL_OFFLOAD(name, teams, launch) teams(launch);
#else
enum { TW_INTERNAL_LOWERINGS = 0 };
#define TW_INTERNAL_OFFLOAD(name, teams, launch) tw_internal_fell_back(launch);
#endif

/* Expands to: typedef struct saxpy saxpy_tw_block; extern const struct tw_internal_range_kernel saxpy_kernel */
#define TW_INTERNAL_DECLARE_KERNEL(kind, kernel)                                                                       \
    TW_INTERNAL_EXPAND(TW_INTERNAL_DECLARATION, kind, TW_INTERNAL_PREFIXES(kernel))
#define TW_INTERNAL_DECLARATION(kind, name, linkage, kinds, options, function, block, special)                         \
    typedef struct block name##_tw_block;                                                                              \
    TW_INTERNAL_EXTERN const struct tw_internal_##kind##_kernel name##_kernel

/* The functions by which kernels differ: those of one that reduces are in reduction.h. */
#define TW_INTERNAL_PLAIN_TEAMS(name) name##_tw_teams
#define TW_INTERNAL_PLAIN_HOST(name) name##_tw_host
#define TW_INTERNAL_PLAIN_END(name) NULL
#define TW_INTERNAL_PLAIN_MISFIT(name) NULL
#define TW_INTERNAL_PLAIN_MERGE(name) NULL
#define TW_INTERNAL_REDUCES_TEAMS(name) name##_tw_teams_reduction
#define TW_INTERNAL_REDUCES_HOST(name) name##_tw_host_reduction
#define TW_INTERNAL_REDUCES_END(name) name##_tw_host_end
#define TW_INTERNAL_REDUCES_MISFIT(name) name##_tw_misfit
#define TW_INTERNAL_REDUCES_MERGE(name) name##_tw_merge

/* The object that launches a kernel; ends in a declaration, which the user's semicolon completes. `visit` lets a visitor
   see the members of a block: their names and types, which only the compiler knows. `shown` is the kernel's name in
   messages, `next` the same kernel in another size. Expands to:

       static void saxpy_tw_visit(block, visitor, user) { __builtin_dump_struct(...); }
       static struct tw_internal_pointer saxpy_tw_pointers[...];
       static void saxpy_tw_offload(launch) { saxpy_tw_simt(launch) or saxpy_tw_teams(launch) }
       static const void *const saxpy_kernel_tw_listed = &saxpy_kernel;
       const struct tw_internal_range_kernel saxpy_kernel = {...};
       extern const struct tw_internal_range_kernel saxpy_kernel */
#ifdef TW_INTERNAL_DEVICE_PASS
#define TW_INTERNAL_KERNEL_OBJECT(kind, form_, name_, linkage, kinds_, function_, shown, next_, functions, values_,    \
                                  dims_, ...)                                                                          \
    TW_INTERNAL_CXX_END                                                                                                \
    TW_INTERNAL_DECLARE_##linkage(const struct tw_internal_##kind##_kernel, name_##_kernel)
#define TW_INTERNAL_DECLARE_static(type, object) extern type object
#else
#define TW_INTERNAL_KERNEL_OBJECT(kind, form_, name_, linkage, kinds_, function_, shown, next_, functions, values_,    \
                                  dims_, ...)                                                                          \
    static_assert(__alignof__(name_##_tw_block) <= 64, "the block of " #name_ " is aligned to more than 64 bytes");    \
    TW_INTERNAL_CXX_BLOCK(name_)                                                                                       \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wdouble-promotion")                                                  \
    static __attribute__((no_sanitize("undefined"))) void name_##_tw_visit(                                            \
        const void *tw_args, tw_internal_member_visitor tw_visitor, void *tw_user)                                     \
    {                                                                                                                  \
        TW_INTERNAL_VISIT_BLOCK((const name_##_tw_block *)tw_args, tw_visitor, tw_user);                               \
    }                                                                                                                  \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)                                                                           \
    static void name_##_tw_offload(struct tw_internal_launch *tw_launch)                                               \
    {                                                                                                                  \
        TW_INTERNAL_OFFLOAD(name_, functions##_TEAMS(name_), tw_launch)                                                \
    }                                                                                                                  \
    static size_t name_##_tw_local_bytes;                                                                              \
    static struct tw_internal_pointer name_##_tw_pointers[1 + sizeof(name_##_tw_block) / sizeof(void *)];              \
    TW_INTERNAL_DEFINE_##linkage(const struct tw_internal_##kind##_kernel, name_##_kernel)                             \
        TW_INTERNAL_ROLE("object=" #name_)                                                                             \
        TW_INTERNAL_ROLE_WITH("has_loops", __builtin_offsetof(struct tw_internal_kernel, has_loops))                   \
        TW_INTERNAL_ROLE_WITH("slow", __builtin_offsetof(struct tw_internal_kernel, slow)) = {{                        \
        .abi = TW_INTERNAL_KERNEL_ABI, .form = form_, .dims = dims_, .lowerings = TW_INTERNAL_LOWERINGS,               \
        .kinds = kinds_, .args_bytes = sizeof(name_##_tw_block), .required_local = {__VA_ARGS__}, .next = next_,       \
        .host = functions##_HOST(name_), .host_end = functions##_END(name_), .offload = name_##_tw_offload,            \
        .name = #shown, .symbol = #name_, .function = #function_,                                                      \
        .file = __FILE__, .line = __LINE__, .unit = __BASE_FILE__,                                                     \
        .notes = __start_tw_local_notes, .past_notes = __stop_tw_local_notes,                                          \
        .local_bytes = &name_##_tw_local_bytes, .visit = name_##_tw_visit, .pointers = name_##_tw_pointers,            \
        .misfit = functions##_MISFIT(name_), .merge = functions##_MERGE(name_),                                        \
        values_##_OBJECT(name_)                                                                                        \
    }};                                                                                                                \
    TW_INTERNAL_CXX_END                                                                                                \
    TW_INTERNAL_DECLARE_##linkage(const struct tw_internal_##kind##_kernel, name_##_kernel)
/* Kernels that other files may launch are listed (tw_list_kernels()). */
#define TW_INTERNAL_DEFINE_extern(type, object)                                                                        \
    TW_INTERNAL_EXTERN type object __attribute__((visibility("protected")));                                           \
    static const void *const object##_tw_listed __attribute__((used, retain, section("tw_kernels"))) = &object;        \
    type object
#define TW_INTERNAL_DEFINE_static(type, object) static __attribute__((unused)) type object
#define TW_INTERNAL_DECLARE_static(type, object) static_assert(1, "")
#endif
#define TW_INTERNAL_DECLARE_extern(type, object) TW_INTERNAL_EXTERN type object
// clang-format on

#include <teamwork/lower/group/reduction.h>
#include <teamwork/lower/group/reduction_groups.h>

#endif
