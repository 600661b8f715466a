/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Defining kernels (spec 3.7.2): a kernel is a C function over its argument block, and function and block share a name.
 *
 *     struct saxpy { float a; const float *x; float *y; };
 *     static inline void saxpy(tw_item item, const struct saxpy *k)
 *     {
 *         size_t i = tw_global_id(item, 0);
 *         k->y[i] += k->a * k->x[i];
 *     }
 *     TW_RANGE_KERNEL(saxpy);
 *
 * Each of these macros, at file scope and followed by a semicolon, compiles the function for the host and for every
 * device that the file is built for, and defines the object NAME_kernel, with external linkage, that launches name:
 *
 *     TW_SINGLE_TASK(name)                   void name(const struct name *k)
 *     TW_RANGE_KERNEL(name[, dims])          void name(tw_item item, const struct name *k)
 *     TW_RANGE_REDUCTION(name, dims, member...)  the same, and reduces: reduction.h
 *     TW_WORK_GROUP_KERNEL(name[, n0[, n1[, n2]]])   void name(tw_group group, const struct name *k)
 *     TW_ND_RANGE_KERNEL(name[, n0[, n1[, n2]]])     void name(tw_nd_item item, const struct name *k)
 *
 * dims, the literal 1, 2 or 3 or a macro for it, says that a range kernel is only launched with that many dimensions: it compiles faster. n0, n1, n2,
 * constant expressions, require a work-group size (and thereby the dimensions): index arithmetic by a constant size is
 * far cheaper on every device, so give it when you know it. A launch with another size is an error.
 *
 * In a kernel, and what it calls, TW_ON_GPU is the constant 1 where this is compiled for a GPU and 0 where it is for a CPU, for
 * code that is best written in two ways: `if (TW_ON_GPU) ... else ...`. Nothing else may depend on it: blocks and the order of
 * kernels are the same for every device.
 *
 * To launch a kernel from another file, declare its block there and TW_DECLARE_RANGE_KERNEL(name) and the like. Two kernels of
 * a program or of a shared library cannot share a name. Each library launches its own kernel of a name, and a program can launch
 * the kernels of the libraries that it is linked with; its files are then compiled as PIC or PIE, which is clang's default.
 *
 * Rules for kernels (spec 2.10, 3.7.4): no recursion, no function pointers, no global or static variables other than
 * constants, no call but of functions that the device has. Pointers in the block come from accessors of the same
 * command group; other members are passed by value. Blocks of up to 256 bytes travel as kernel arguments.
 */
#ifndef TEAMWORK_LOWER_KERNEL_H
#define TEAMWORK_LOWER_KERNEL_H

#include <teamwork/lower/async_copy.h>
#include <teamwork/lower/group_functions.h>
#include <teamwork/lower/host.h>
#include <teamwork/lower/nd_item.h>
#include <teamwork/lower/simt.h>
#include <teamwork/lower/teams.h>
#include <teamwork/lower/work_item.h>

#ifdef TW_LOWERING_SIMT
#define TW_INTERNAL_LOWERINGS (1u << TW_INTERNAL_LOWER_TEAMS | 1u << TW_INTERNAL_LOWER_SIMT)
#define TW_INTERNAL_OFFLOAD(SIMT, TEAMS, launch)                                                                       \
    if ((launch)->lowering == TW_INTERNAL_LOWER_SIMT)                                                                  \
    SIMT else TEAMS
#else
#define TW_INTERNAL_LOWERINGS (1u << TW_INTERNAL_LOWER_TEAMS)
#define TW_INTERNAL_OFFLOAD(SIMT, TEAMS, launch) TEAMS
#endif

/* Picks the macro for the number of arguments, 1 to 4. */
#define TW_INTERNAL_PICK(_1, _2, _3, _4, macro, ...) macro

/*
 * The function `name` is one void name(PARAMETERS), a form of kernel. If it is not, or takes the block of another struct, most
 * of what follows would be an error or warning of its own: so this one ends the compilation.
 */
#define TW_INTERNAL_CHECK_KERNEL(name, parameters, ...)                                                                \
    struct name;                                                                                                       \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wgcc-compat")                                                        \
    TW_INTERNAL_PRAGMA(clang diagnostic fatal "-Wuser-defined-warnings")                                               \
    TW_DEVICE_INLINE int name##_tw_check(int right) __attribute__((diagnose_if(                                        \
        !right, "the kernel must be the function void " #name parameters ", and take the struct of its own name",      \
        "warning")))                                                                                                   \
    {                                                                                                                  \
        return right;                                                                                                  \
    }                                                                                                                  \
    enum { name##_tw_checked = sizeof(name##_tw_check(_Generic(name, void (*)(__VA_ARGS__): 1, default: 0))) };        \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)

/* The head of the function that runs a piece of a kernel on a CPU. */
#define TW_INTERNAL_HOST_FUNCTION(name)                                                                                \
    static void name##_tw_host(struct tw_internal_launch *tw_launch, size_t tw_piece, size_t tw_pieces)

#define TW_SINGLE_TASK(name)                                                                                           \
    TW_INTERNAL_CHECK_KERNEL(name, "(const struct " #name " *k)", const struct name *)                                 \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    {                                                                                                                  \
        (void)tw_piece, (void)tw_pieces;                                                                               \
        const struct name tw_args = *(const struct name *)tw_launch->args;                                             \
        TW_INTERNAL_INLINE_CALL(name(&tw_args))                                                                        \
    }                                                                                                                  \
    static void name##_tw_offload(struct tw_internal_launch *tw_launch){TW_INTERNAL_OFFLOAD(                           \
        TW_INTERNAL_SIMT_TASK(name, tw_launch), TW_INTERNAL_TEAMS_TASK(name, tw_launch),                               \
        tw_launch)} TW_INTERNAL_KERNEL_OBJECT(single_task, TW_INTERNAL_SINGLE_TASK, name, 0, 0, 0, 0, NULL)

#define TW_RANGE_KERNEL(...)                                                                                           \
    TW_INTERNAL_PICK(__VA_ARGS__, , , TW_INTERNAL_RANGE_KERNEL_DIMS, TW_INTERNAL_RANGE_KERNEL_ANY, )(__VA_ARGS__)

#define TW_INTERNAL_RANGE_KERNEL_ANY(name)                                                                             \
    TW_INTERNAL_CHECK_KERNEL(name, "(tw_item item, const struct " #name " *k)", tw_item, const struct name *)          \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    {                                                                                                                  \
        if (tw_launch->dims == 1)                                                                                      \
            TW_INTERNAL_HOST_RANGE(name, tw_launch, 1)                                                                 \
        else if (tw_launch->dims == 2)                                                                                 \
            TW_INTERNAL_HOST_RANGE(name, tw_launch, 2)                                                                 \
        else                                                                                                           \
            TW_INTERNAL_HOST_RANGE(name, tw_launch, 3)                                                                 \
    }                                                                                                                  \
    static void name##_tw_offload(struct tw_internal_launch *tw_launch){TW_INTERNAL_OFFLOAD(                           \
        TW_INTERNAL_SIMT_RANGE(name, tw_launch, ANY), TW_INTERNAL_TEAMS_RANGE(name, tw_launch, ANY),                   \
        tw_launch)} TW_INTERNAL_KERNEL_OBJECT(range, TW_INTERNAL_RANGE, name, 0, 0, 0, 0, NULL)

#define TW_INTERNAL_RANGE_KERNEL_DIMS(name, dims_)                                                                     \
    TW_INTERNAL_CHECK_KERNEL(name, "(tw_item item, const struct " #name " *k)", tw_item, const struct name *)          \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    TW_INTERNAL_HOST_RANGE(name, tw_launch, dims_)                                                                     \
    static void name##_tw_offload(struct tw_internal_launch *tw_launch){TW_INTERNAL_OFFLOAD(                           \
        TW_INTERNAL_SIMT_RANGE(name, tw_launch, dims_), TW_INTERNAL_TEAMS_RANGE(name, tw_launch, dims_),               \
        tw_launch)} TW_INTERNAL_KERNEL_OBJECT(range, TW_INTERNAL_RANGE, name, dims_, 0, 0, 0, NULL)

/* A work-group size that a definition requires, as constants NAME_tw_local_D. */
#define TW_INTERNAL_REQUIRE_LOCAL(name, n0, n1, n2)                                                                    \
    enum { name##_tw_local_0 = (n0), name##_tw_local_1 = (n1), name##_tw_local_2 = (n2) };                             \
    _Static_assert((n0) > 0 && (n1) > 0 && (n2) > 0, "the required work-group size of " #name " must be positive");

#define TW_WORK_GROUP_KERNEL(...)                                                                                      \
    TW_INTERNAL_PICK(__VA_ARGS__, TW_INTERNAL_GROUP_KERNEL_3, TW_INTERNAL_GROUP_KERNEL_2, TW_INTERNAL_GROUP_KERNEL_1,  \
                     TW_INTERNAL_GROUP_KERNEL_ANY, )                                                                   \
    (__VA_ARGS__)
#define TW_INTERNAL_GROUP_KERNEL_1(name, n0) TW_INTERNAL_GROUP_KERNEL_REQUIRED(name, 1, n0, 1, 1)
#define TW_INTERNAL_GROUP_KERNEL_2(name, n0, n1) TW_INTERNAL_GROUP_KERNEL_REQUIRED(name, 2, n0, n1, 1)
#define TW_INTERNAL_GROUP_KERNEL_3(name, n0, n1, n2) TW_INTERNAL_GROUP_KERNEL_REQUIRED(name, 3, n0, n1, n2)

#define TW_INTERNAL_GROUP_KERNEL_ANY(name)                                                                             \
    TW_INTERNAL_CHECK_KERNEL(name, "(tw_group group, const struct " #name " *k)", tw_group, const struct name *)       \
    TW_INTERNAL_CHECKED_GROUPS(name)                                                                                   \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    {                                                                                                                  \
        const size_t *tw_local = tw_launch->local;                                                                     \
        if (tw_launch->dims == 1)                                                                                      \
            TW_INTERNAL_HOST_GROUPS(name, tw_launch, 1, tw_local[0], 1, 1)                                             \
        else if (tw_launch->dims == 2)                                                                                 \
            TW_INTERNAL_HOST_GROUPS(name, tw_launch, 2, tw_local[0], tw_local[1], 1)                                   \
        else                                                                                                           \
            TW_INTERNAL_HOST_GROUPS(name, tw_launch, 3, tw_local[0], tw_local[1], tw_local[2])                         \
    }                                                                                                                  \
    static void name##_tw_offload(struct tw_internal_launch *tw_launch){TW_INTERNAL_OFFLOAD(                           \
        TW_INTERNAL_SIMT_GROUPS(name, tw_launch, ANY), TW_INTERNAL_TEAMS_GROUPS(name, tw_launch, ANY),                 \
        tw_launch)} TW_INTERNAL_KERNEL_OBJECT(work_group, TW_INTERNAL_WORK_GROUP, name, 0, 0, 0, 0, NULL)

#define TW_INTERNAL_GROUP_KERNEL_REQUIRED(name, dims_, n0, n1, n2)                                                     \
    TW_INTERNAL_CHECK_KERNEL(name, "(tw_group group, const struct " #name " *k)", tw_group, const struct name *)       \
    TW_INTERNAL_CHECKED_GROUPS(name)                                                                                   \
    TW_INTERNAL_REQUIRE_LOCAL(name, n0, n1, n2)                                                                        \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    TW_INTERNAL_HOST_GROUPS(name, tw_launch, dims_, name##_tw_local_0, name##_tw_local_1, name##_tw_local_2)           \
    static void name##_tw_offload(struct tw_internal_launch *tw_launch){TW_INTERNAL_OFFLOAD(                           \
        TW_INTERNAL_SIMT_GROUPS(name, tw_launch, dims_), TW_INTERNAL_TEAMS_GROUPS(name, tw_launch, dims_),             \
        tw_launch)} TW_INTERNAL_KERNEL_OBJECT(work_group, TW_INTERNAL_WORK_GROUP, name, dims_, n0, n1, n2, NULL)

/* nd_range kernels: the function that NAME_tw_items gives runs the work-items of a group on a CPU. */
#define TW_ND_RANGE_KERNEL(...)                                                                                        \
    TW_INTERNAL_PICK(__VA_ARGS__, TW_INTERNAL_ND_KERNEL_3, TW_INTERNAL_ND_KERNEL_2, TW_INTERNAL_ND_KERNEL_1,           \
                     TW_INTERNAL_ND_KERNEL_ANY, )                                                                      \
    (__VA_ARGS__)
#define TW_INTERNAL_ND_KERNEL_1(name, n0) TW_INTERNAL_ND_KERNEL_REQUIRED(name, 1, n0, 1, 1)
#define TW_INTERNAL_ND_KERNEL_2(name, n0, n1) TW_INTERNAL_ND_KERNEL_REQUIRED(name, 2, n0, n1, 1)
#define TW_INTERNAL_ND_KERNEL_3(name, n0, n1, n2) TW_INTERNAL_ND_KERNEL_REQUIRED(name, 3, n0, n1, n2)

#define TW_INTERNAL_ND_KERNEL_ANY(name)                                                                                \
    TW_INTERNAL_CHECK_KERNEL(name, "(tw_nd_item item, const struct " #name " *k)", tw_nd_item, const struct name *)    \
    TW_INTERNAL_ND_ITEMS(name, 1, tw_nd->launch->local[0], 1, 1)                                                       \
    TW_INTERNAL_ND_ITEMS(name, 2, tw_nd->launch->local[0], tw_nd->launch->local[1], 1)                                 \
    TW_INTERNAL_ND_ITEMS(name, 3, tw_nd->launch->local[0], tw_nd->launch->local[1], tw_nd->launch->local[2])           \
    static tw_internal_items name##_tw_items(unsigned tw_dims)                                                         \
    {                                                                                                                  \
        return tw_dims == 1 ? name##_tw_items_1 : tw_dims == 2 ? name##_tw_items_2 : name##_tw_items_3;                \
    }                                                                                                                  \
    TW_INTERNAL_ND_KERNEL(name, 0, ANY, 0, 0, 0)

#define TW_INTERNAL_ND_KERNEL_REQUIRED(name, dims_, n0, n1, n2)                                                        \
    TW_INTERNAL_CHECK_KERNEL(name, "(tw_nd_item item, const struct " #name " *k)", tw_nd_item, const struct name *)    \
    TW_INTERNAL_REQUIRE_LOCAL(name, n0, n1, n2)                                                                        \
    TW_INTERNAL_ND_ITEMS(name, dims_, name##_tw_local_0, name##_tw_local_1, name##_tw_local_2)                         \
    static tw_internal_items name##_tw_items(unsigned tw_dims)                                                         \
    {                                                                                                                  \
        (void)tw_dims;                                                                                                 \
        return name##_tw_items_##dims_;                                                                                \
    }                                                                                                                  \
    TW_INTERNAL_ND_KERNEL(name, dims_, dims_, n0, n1, n2)

/* NAME_tw_items_DIMS: a function each, so that a work-item's stack holds the kernel's variables once. */
#define TW_INTERNAL_ND_ITEMS(name, dims_, l0, l1, l2)                                                                  \
    TW_INTERNAL_ND_SPLIT(name, dims_, l0, l1, l2)                                                                      \
    static void name##_tw_items_##dims_(const struct tw_internal_nd_group *tw_nd, size_t tw_first)                     \
    {                                                                                                                  \
        TW_INTERNAL_ND_TRY_SPLIT(name, dims_)                                                                          \
        TW_INTERNAL_ND_ARGS(name)                                                                                      \
        TW_INTERNAL_ND_LOOPS(name, dims_, l0, l1, l2)                                                                  \
    }

#define TW_INTERNAL_ND_KERNEL(name, dims_, which, n0, n1, n2)                                                          \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    TW_INTERNAL_HOST_ND(name, tw_launch)                                                                               \
    static void name##_tw_offload(struct tw_internal_launch *tw_launch){TW_INTERNAL_OFFLOAD(                           \
        TW_INTERNAL_SIMT_ND(name, tw_launch, which), TW_INTERNAL_TEAMS_ND(name, tw_launch, which),                     \
        tw_launch)} TW_INTERNAL_KERNEL_OBJECT(nd_range, TW_INTERNAL_ND_RANGE, name, dims_, n0, n1, n2, NULL)

/* Where the linker puts what TW_LOCAL notes (work_item_host.h); absent where there is none. */
extern const struct tw_internal_local_note __start_tw_local_notes[] __attribute__((weak, visibility("hidden")));
extern const struct tw_internal_local_note __stop_tw_local_notes[] __attribute__((weak, visibility("hidden")));

/* Lets a visitor see the members of a block: their names and types, which only the compiler knows. */
#define TW_INTERNAL_VISIT(name)                                                                                        \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wdouble-promotion")                                                  \
    static void name##_tw_visit(const void *tw_args, tw_internal_member_visitor tw_visitor, void *tw_user)             \
    {                                                                                                                  \
        __builtin_dump_struct((const struct name *)tw_args, tw_visitor, tw_user);                                      \
    }                                                                                                                  \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)

/* Ends in a declaration, which the user's semicolon completes. */
#define TW_INTERNAL_KERNEL_OBJECT(kind, form_, name_, dims_, n0, n1, n2, end)                                          \
    _Static_assert(_Alignof(struct name_) <= 64, "the block of " #name_ " is aligned to more than 64 bytes");          \
    TW_INTERNAL_VISIT(name_)                                                                                           \
    static size_t name_##_tw_local_bytes;                                                                              \
    extern const struct tw_internal_##kind##_kernel name_##_kernel __attribute__((visibility("protected")));           \
    const struct tw_internal_##kind##_kernel name_##_kernel = {{                                                       \
        .abi = TW_INTERNAL_KERNEL_ABI,                                                                                 \
        .form = form_,                                                                                                 \
        .dims = dims_,                                                                                                 \
        .lowerings = TW_INTERNAL_LOWERINGS,                                                                            \
        .args_bytes = sizeof(struct name_),                                                                            \
        .required_local = {n0, n1, n2},                                                                                \
        .host = name_##_tw_host,                                                                                       \
        .host_end = end,                                                                                               \
        .offload = name_##_tw_offload,                                                                                 \
        .name = #name_,                                                                                                \
        .file = __FILE__,                                                                                              \
        .line = __LINE__,                                                                                              \
        .unit = __BASE_FILE__,                                                                                         \
        .notes = __start_tw_local_notes,                                                                               \
        .past_notes = __stop_tw_local_notes,                                                                           \
        .local_bytes = &name_##_tw_local_bytes,                                                                        \
        .visit = name_##_tw_visit,                                                                                     \
    }};                                                                                                                \
    extern const struct tw_internal_##kind##_kernel name_##_kernel

/** Declare a kernel that another file defines; its `struct name` must be visible too. Followed by a semicolon. */
#define TW_DECLARE_SINGLE_TASK(name) extern const struct tw_internal_single_task_kernel name##_kernel
#define TW_DECLARE_RANGE_KERNEL(name) extern const struct tw_internal_range_kernel name##_kernel
#define TW_DECLARE_WORK_GROUP_KERNEL(name) extern const struct tw_internal_work_group_kernel name##_kernel
#define TW_DECLARE_ND_RANGE_KERNEL(name) extern const struct tw_internal_nd_range_kernel name##_kernel

#include <teamwork/lower/reduction.h>

#endif
