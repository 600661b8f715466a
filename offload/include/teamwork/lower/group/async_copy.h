/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/async_copy.h> declares. */
#ifndef TEAMWORK_LOWER_ASYNC_COPY_H
#define TEAMWORK_LOWER_ASYNC_COPY_H

#include <teamwork/lower/group/nd_item.h>

/** What a copy in progress is known by; a value without an owner. */
typedef struct tw_device_event {
    bool tw_begun_;
} tw_device_event;

/* Nothing, if the elements that two pointers point to are of one size. */
#ifdef __cplusplus
template <size_t To, size_t From> TW_DEVICE_INLINE void tw_internal_same_size()
{
    static_assert(To == From, "a copy between elements of different sizes");
}
#define TW_INTERNAL_SAME_SIZE(to, from) tw_internal_same_size<sizeof *(to), sizeof *(from)>()
#else
#define TW_INTERNAL_SAME_SIZE(to, from)                                                                                \
    ((void)sizeof(struct {                                                                                             \
        static_assert(sizeof *(to) == sizeof *(from), "a copy between elements of different sizes");                   \
        char tw_unused;                                                                                                \
    }))
#endif
#define TW_INTERNAL_COMMON_ALIGNMENT(to, from)                                                                         \
    (__alignof__(__typeof__(*(to))) < __alignof__(__typeof__(*(from))) ? __alignof__(__typeof__(*(to)))                \
                                                                       : __alignof__(__typeof__(*(from))))

/* ---- one thread's share ------------------------------------------------------------------------------------------ */

typedef uint32_t __attribute__((vector_size(16), may_alias)) tw_internal_copy_16;
typedef uint64_t __attribute__((may_alias)) tw_internal_copy_8;
typedef uint32_t __attribute__((may_alias)) tw_internal_copy_4;
typedef uint16_t __attribute__((may_alias)) tw_internal_copy_2;
typedef unsigned char tw_internal_copy_1;

/* What thread `me` of `total` copies of a block, in pieces of `n` bytes. Neighbouring threads copy neighbouring
   pieces. */
#define TW_INTERNAL_COPY_SHARE(n)                                                                                      \
    TW_DEVICE_INLINE void tw_internal_copy_share_##n(void *to, const void *from, size_t bytes, size_t me,              \
                                                     size_t total)                                                     \
    {                                                                                                                  \
        for (size_t at = me; at < bytes / n; at += total)                                                              \
            ((tw_internal_copy_##n *)to)[at] = ((const tw_internal_copy_##n *)from)[at];                               \
    }
TW_INTERNAL_COPY_SHARE(1)
TW_INTERNAL_COPY_SHARE(2)
TW_INTERNAL_COPY_SHARE(4)
TW_INTERNAL_COPY_SHARE(8)
TW_INTERNAL_COPY_SHARE(16)

/* NVIDIA GPUs from sm_80 on copy pieces of 4, 8 and 16 bytes from global to shared memory by themselves. */
#if defined(__NVPTX__) && defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 800
#define TW_INTERNAL_COPY_ENGINE 1
#endif
#endif

/* Compiled for sm_90a: four warps multiply matrices in local memory. */
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && defined(TW_INTERNAL_PASS_SIMT)
#define TW_INTERNAL_WARP_GROUPS 1
#endif

#ifdef TW_INTERNAL_COPY_ENGINE

#define TW_INTERNAL_BEGIN_SHARE(n, begin)                                                                              \
    TW_DEVICE_INLINE void tw_internal_begin_share_##n(void *to, const void *from, size_t bytes, size_t me,             \
                                                      size_t total)                                                    \
    {                                                                                                                  \
        if (!__nvvm_isspacep_shared(to) || !__nvvm_isspacep_global(from)) {                                            \
            tw_internal_copy_share_##n(to, from, bytes, me, total);                                                    \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t at = me; at < bytes / n; at += total)                                                              \
            begin((__attribute__((address_space(3))) void *)((tw_internal_copy_##n *)to + at),                         \
                  (const __attribute__((address_space(1))) void *)((const tw_internal_copy_##n *)from + at));          \
    }
TW_INTERNAL_BEGIN_SHARE(4, __nvvm_cp_async_ca_shared_global_4)
TW_INTERNAL_BEGIN_SHARE(8, __nvvm_cp_async_ca_shared_global_8)
TW_INTERNAL_BEGIN_SHARE(16, __nvvm_cp_async_cg_shared_global_16)

#else

#define tw_internal_begin_share_4 tw_internal_copy_share_4
#define tw_internal_begin_share_8 tw_internal_copy_share_8
#define tw_internal_begin_share_16 tw_internal_copy_share_16

#endif

/* `bytes`, and both addresses, are multiples of `alignment`, a constant: narrower pieces than that are not compiled. */
TW_DEVICE_INLINE void tw_internal_copy_share(void *to, const void *from, size_t bytes, size_t alignment, size_t me,
                                             size_t total)
{
    const uintptr_t bits = (uintptr_t)to | (uintptr_t)from;
    size_t wide = 0; /* bytes that are copied in pieces wider than `alignment` */
    if (bits % 16 == 0) {
        wide = bytes / 16 * 16;
        tw_internal_begin_share_16(to, from, wide, me, total);
    } else if (alignment < 4 && bits % 4 == 0) {
        wide = bytes / 4 * 4;
        tw_internal_begin_share_4(to, from, wide, me, total);
    }
    to = (unsigned char *)to + wide;
    from = (const unsigned char *)from + wide;
    bytes -= wide;
    if (alignment >= 8)
        tw_internal_begin_share_8(to, from, bytes, me, total);
    else if (alignment >= 4)
        tw_internal_begin_share_4(to, from, bytes, me, total);
    else if (alignment >= 2)
        tw_internal_copy_share_2(to, from, bytes, me, total);
    else
        tw_internal_copy_share_1(to, from, bytes, me, total);
}

/* A strided copy. */
struct tw_internal_strided {
    void *to;
    size_t to_stride;
    const void *from;
    size_t from_stride, count;
    size_t element_bytes, alignment; /* of its elements; constants */
};

TW_DEVICE_INLINE struct tw_internal_strided tw_internal_strided_of(void *to, size_t to_stride, const void *from,
                                                                   size_t from_stride, size_t count,
                                                                   size_t element_bytes, size_t alignment)
{
    struct tw_internal_strided copy = {to, to_stride, from, from_stride, count, element_bytes, alignment};
    return copy;
}

TW_DEVICE_INLINE void tw_internal_copy_element(void *to, const void *from, size_t bytes, size_t alignment)
{
    if (alignment >= 16)
        __builtin_memcpy(__builtin_assume_aligned(to, 16), __builtin_assume_aligned(from, 16), bytes);
    else if (alignment >= 8)
        __builtin_memcpy(__builtin_assume_aligned(to, 8), __builtin_assume_aligned(from, 8), bytes);
    else if (alignment >= 4)
        __builtin_memcpy(__builtin_assume_aligned(to, 4), __builtin_assume_aligned(from, 4), bytes);
    else if (alignment >= 2)
        __builtin_memcpy(__builtin_assume_aligned(to, 2), __builtin_assume_aligned(from, 2), bytes);
    else
        __builtin_memcpy(to, from, bytes);
}

/* Neighbouring threads copy neighbouring elements. */
TW_DEVICE_INLINE void tw_internal_strided_share(struct tw_internal_strided copy, size_t me, size_t total)
{
    for (size_t i = me; i < copy.count; i += total)
        tw_internal_copy_element((unsigned char *)copy.to + i * copy.to_stride * copy.element_bytes,
                                 (const unsigned char *)copy.from + i * copy.from_stride * copy.element_bytes,
                                 copy.element_bytes, copy.alignment);
}

/* ---- the group's copies ------------------------------------------------------------------------------------------ */

/* Waits for what the calling thread has begun; a barrier follows. */
TW_DEVICE_INLINE void tw_internal_finish_copies(void)
{
#ifdef TW_INTERNAL_COPY_ENGINE
    __nvvm_cp_async_wait_all();
#endif
}

/* Whether one thread runs the whole group. */
#ifdef TW_INTERNAL_PASS_HOST
#define TW_INTERNAL_ONE_THREAD 1
#else
#define TW_INTERNAL_ONE_THREAD 0
#endif

TW_OVERLOADED tw_device_event tw_internal_async_copy(tw_nd_item item, void *to, const void *from, size_t count,
                                                     size_t element_bytes, size_t alignment)
{
    const tw_device_event begun = {true};
    const size_t me = tw_local_linear_id(item);
    if (!TW_INTERNAL_ONE_THREAD)
        tw_internal_copy_share(to, from, count * element_bytes, alignment, me, tw_local_linear_range(item));
    else if (tw_internal_marker_once() || me == 0)
        __builtin_memcpy(to, from, count * element_bytes);
    (void)tw_internal_marker_barrier(0); /* the end of what one work-item does, where the kernel is split */
    return begun;
}

TW_OVERLOADED tw_device_event tw_internal_async_strided_copy(tw_nd_item item, struct tw_internal_strided copy)
{
    const tw_device_event begun = {true};
    const size_t me = tw_local_linear_id(item);
    if (!TW_INTERNAL_ONE_THREAD)
        tw_internal_strided_share(copy, me, tw_local_linear_range(item));
    else if (tw_internal_marker_once() || me == 0)
        tw_internal_strided_share(copy, 0, 1);
    (void)tw_internal_marker_barrier(0);
    return begun;
}

/* ---- tiles, in batches ------------------------------------------------------------------------------------------- */

/* Begins to copy 16 bytes from global to local memory. */
TW_DEVICE_INLINE void tw_internal_begin_16(void *to, const void *from)
{
#ifdef TW_INTERNAL_COPY_ENGINE
    __nvvm_cp_async_cg_shared_global_16((__attribute__((address_space(3))) void *)to,
                                        (const __attribute__((address_space(1))) void *)from);
#else
    *(tw_internal_copy_16 *)to = *(const tw_internal_copy_16 *)from;
#endif
}

#ifdef TW_INTERNAL_COPY_ENGINE
/* The same of the first `bytes`, an even number; what follows them becomes zero. */
TW_DEVICE_INLINE void tw_internal_begin_part(void *to, const void *from, unsigned bytes)
{
    __nvvm_cp_async_cg_shared_global_16((__attribute__((address_space(3))) void *)to,
                                        (const __attribute__((address_space(1))) void *)from, (int)bytes);
}
#endif

/* Strides and the length of a row are in bytes. Turns are counted for the whole group, so that the loop of constant sizes
   unrolls. */
TW_LANGUAGE_INLINE void tw_internal_async_load_2d(tw_nd_item item, void *to, size_t to_stride, const void *from,
                                                  size_t from_stride, size_t row_bytes, size_t rows)
{
    unsigned char *const target = (unsigned char *)to;
    const unsigned char *const source = (const unsigned char *)from;
    const unsigned me = (unsigned)tw_local_linear_id(item), total = (unsigned)tw_local_linear_range(item);
    if (!TW_INTERNAL_ONE_THREAD) {
        const unsigned each = (unsigned)row_bytes / 16, pieces = each * (unsigned)rows;
        for (unsigned first = 0; first < pieces; first += total) {
            const unsigned piece = first + me, row = piece / each, place = piece % each * 16;
            if (pieces % total == 0 || piece < pieces)
                tw_internal_begin_16(target + row * to_stride + place, source + row * from_stride + place);
        }
    } else if (tw_internal_marker_once() || me == 0) {
        for (size_t row = 0; row < rows; ++row)
            __builtin_memcpy(target + row * to_stride, source + row * from_stride, row_bytes);
    }
    (void)tw_internal_marker_barrier(0);
}

TW_LANGUAGE_INLINE void tw_internal_async_commit(tw_nd_item item)
{
    (void)item;
#ifdef TW_INTERNAL_COPY_ENGINE
    __nvvm_cp_async_commit_group();
#endif
}

/* Waits until at most `batches` of the calling thread's are on their way; a barrier follows. */
TW_LANGUAGE_INLINE void tw_internal_finish_batches(unsigned batches)
{
#ifdef TW_INTERNAL_COPY_ENGINE
    switch (batches) { /* a constant of the instruction */
    case 1:
        __nvvm_cp_async_wait_group(1);
        break;
    case 2:
        __nvvm_cp_async_wait_group(2);
        break;
    case 3:
        __nvvm_cp_async_wait_group(3);
        break;
    case 4:
        __nvvm_cp_async_wait_group(4);
        break;
    case 5:
        __nvvm_cp_async_wait_group(5);
        break;
    case 6:
        __nvvm_cp_async_wait_group(6);
        break;
    default:
        __nvvm_cp_async_wait_group(0);
    }
#ifdef TW_INTERNAL_WARP_GROUPS /* which read local memory past the others: group_matrix.h */
    __asm__ volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
#else
    (void)batches;
#endif
}

TW_LANGUAGE_INLINE void tw_internal_wait_for_batches(tw_nd_item item, unsigned batches, int line)
{
    tw_internal_finish_batches(batches);
    tw_internal_barrier_at(item, TW_GLOBAL_AND_LOCAL, line);
}

/* ---- at group scope ---------------------------------------------------------------------------------------------- */

/* At group scope of the standard mapping one thread is awake: it wakes the others for their shares. */
TW_OVERLOADED tw_device_event tw_internal_async_copy(tw_group group, void *to, const void *from, size_t count,
                                                     size_t element_bytes, size_t alignment)
{
    const tw_device_event begun = {true};
    (void)group, (void)alignment;
#if defined(TW_INTERNAL_PASS_SIMT)
    tw_internal_copy_share(to, from, count * element_bytes, alignment, tw_internal_thread(),
                           tw_local_linear_range(group));
#elif defined(TW_INTERNAL_PASS_TEAMS)
    TW_INTERNAL_PRAGMA(omp parallel)
    {
        tw_internal_copy_share(to, from, count * element_bytes, alignment, (size_t)omp_get_thread_num(),
                               (size_t)omp_get_num_threads());
        tw_internal_finish_copies(); /* only the thread that began a copy can wait for it */
    }
#else
    __builtin_memcpy(to, from, count * element_bytes);
#endif
    return begun;
}

TW_OVERLOADED tw_device_event tw_internal_async_strided_copy(tw_group group, struct tw_internal_strided copy)
{
    const tw_device_event begun = {true};
    (void)group;
#if defined(TW_INTERNAL_PASS_SIMT)
    tw_internal_strided_share(copy, tw_internal_thread(), tw_local_linear_range(group));
#elif defined(TW_INTERNAL_PASS_TEAMS)
    /* not `copy` itself: clang shares variables with the other threads of a GPU's team, but no parameters that are
       structs (llvm-project issue 56218) */
    const struct tw_internal_strided shared = copy;
    TW_INTERNAL_PRAGMA(omp parallel)
    tw_internal_strided_share(shared, (size_t)omp_get_thread_num(), (size_t)omp_get_num_threads());
#else
    tw_internal_strided_share(copy, 0, 1);
#endif
    return begun;
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat" /* diagnose_if is clang's */

#define TW_INTERNAL_NAMES_COPIES(count)                                                                                \
    __attribute__((diagnose_if((count) == 0, "tw_wait_for() names the copies that it waits for", "error")))

TW_OVERLOADED void tw_internal_wait_for(tw_nd_item item, const tw_device_event *events, size_t count, int line)
    TW_INTERNAL_NAMES_COPIES(count)
{
    (void)events, (void)count;
    tw_internal_finish_copies();
    tw_internal_barrier_at(item, TW_GLOBAL_AND_LOCAL, line);
}

TW_OVERLOADED void tw_internal_wait_for(tw_group group, const tw_device_event *events, size_t count, int line)
    TW_INTERNAL_NAMES_COPIES(count)
{
    (void)group, (void)events, (void)count, (void)line;
    tw_internal_finish_copies();
#ifdef TW_INTERNAL_PASS_SIMT
    tw_internal_barrier();
#endif
}

/* In C++ the copies are not an array of the call's own. */
#ifdef __cplusplus
template <typename Point, size_t Count>
TW_DEVICE_INLINE void tw_internal_wait_for_all(Point point, const tw_device_event (&events)[Count], int line)
{
    tw_internal_wait_for(point, events, Count, line);
}
#endif

#pragma clang diagnostic pop

#endif
