/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Hierarchical kernels on a GPU, one thread a work-item: each thread runs group scope, a loop over the group is its
 * body once, a loop over another range is strided, and barriers are the hardware's.
 *
 * Both edges of a loop need one: group scope before it may still read what the body overwrites, and group scope after
 * it reads what the body wrote. Where two meet, or one stands at the kernel's end, LLVM's openmp-opt pass removes it
 * when it sees the linked image (-foffload-lto).
 */
#ifndef TEAMWORK_LOWER_WORK_ITEM_SIMT_H
#define TEAMWORK_LOWER_WORK_ITEM_SIMT_H

#ifdef __NVPTX__
TW_DEVICE_INLINE uint32_t tw_internal_thread(void)
{
    return (uint32_t)__nvvm_read_ptx_sreg_tid_x();
}
TW_DEVICE_INLINE uint32_t tw_internal_team(void)
{
    return (uint32_t)__nvvm_read_ptx_sreg_ctaid_x();
}
TW_DEVICE_INLINE void tw_internal_barrier(void)
{
    __syncthreads();
}
#else
TW_DEVICE_INLINE uint32_t tw_internal_thread(void)
{
    return (uint32_t)__builtin_amdgcn_workitem_id_x();
}
TW_DEVICE_INLINE uint32_t tw_internal_team(void)
{
    return (uint32_t)__builtin_amdgcn_workgroup_id_x();
}
/* A barrier that the compiler knows for one of the whole team, so that it removes those that are not needed. It takes
   the acquire fence behind one for a part of it, and removes that too. This is right where all of a group shares one
   vector cache, which is always so before gfx10, and since then in CU mode; elsewhere the built-in keeps the fence. */
#if defined(__AMDGCN_CUMODE__) && __AMDGCN_CUMODE__
#pragma omp begin assumes ext_aligned_barrier
#ifdef __cplusplus
extern "C"
#endif
    void
    tw_internal_s_barrier(void) __asm__("llvm.amdgcn.s.barrier");
#pragma omp end assumes
#else
#define tw_internal_s_barrier __builtin_amdgcn_s_barrier
#endif
TW_DEVICE_INLINE void tw_internal_barrier(void)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    tw_internal_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#endif

/* The address of a variable in shared memory is used for something: otherwise LLVM's alias analysis concludes that a
   barrier cannot change the variable, and carries values past it. The condition is true, and no code remains of it.
   */
TW_DEVICE_INLINE void tw_internal_share(const void *address)
{
    const uintptr_t thread = tw_internal_thread();
    __builtin_assume((uintptr_t)address != thread);
}

/* True for the first turn; the second time it is the closing barrier. */
TW_DEVICE_INLINE bool tw_internal_simt_turn(bool *open)
{
    if (*open)
        return true;
    tw_internal_barrier();
    return false;
}

TW_DEVICE_INLINE bool tw_internal_simt_open(void)
{
    tw_internal_barrier();
    return true;
}

TW_DEVICE_INLINE tw_h_item tw_internal_simt_own_item(tw_group group)
{
    tw_h_item item = {{group->tw_thread_[0], group->tw_thread_[1], group->tw_thread_[2]},
                      {group->tw_local_[0], group->tw_local_[1], group->tw_local_[2]},
                      {0, 0, 0},
                      group,
                      group->tw_dims_,
                      true,
                      true};
    return item;
}

#undef TW_INTERNAL_OWN_WORK_ITEM
#define TW_INTERNAL_OWN_WORK_ITEM(group, ignored, options, item, ...)                                                  \
    for (bool tw_open = tw_internal_simt_open(); tw_internal_simt_turn(&tw_open); tw_open = false)                     \
    TW_INTERNAL_WITH_ITEM(item, tw_internal_simt_own_item(group))

/* A strided loop over another range. It counts turns of the whole group and adds the thread inside: so the loop
   variable is uniform, loops of constant ranges unroll, and index arithmetic stays in 32 bits. Other ranges are mostly
   done in one turn or none, so there each thread only asks for its own next work-item. */
struct tw_internal_simt_loop {
    struct tw_internal_points points;
    uint32_t next, total, stride;
};

TW_DEVICE_INLINE struct tw_internal_simt_loop tw_internal_simt_begin(tw_group group, struct tw_internal_points points)
{
    struct tw_internal_simt_loop loop = {points, 0, (uint32_t)tw_range_count(points.range),
                                         (uint32_t)tw_local_linear_range(group)};
    tw_internal_barrier();
    return loop;
}

TW_DEVICE_INLINE bool tw_internal_simt_more(const struct tw_internal_simt_loop *loop)
{
    const uint32_t next = __builtin_constant_p(loop->total) ? loop->next : loop->next + tw_internal_thread();
    if (next < loop->total)
        return true;
    tw_internal_barrier();
    return false;
}

TW_DEVICE_INLINE tw_h_item tw_internal_simt_item(tw_group group, const struct tw_internal_simt_loop *loop)
{
    const tw_range range = loop->points.range;
    const uint32_t n1 = (uint32_t)range.size[1], n2 = (uint32_t)range.size[2];
#ifdef __NVPTX__
    /* in the loop's first block: ptxas would unroll it, with a test for each turn */
    if (!__builtin_constant_p(loop->total))
        __asm__ volatile(".pragma \"nounroll\";");
#endif
    const uint32_t at = loop->next + tw_internal_thread();
    tw_h_item item = tw_internal_h_item(group, &loop->points);
    item.tw_turn_ = at < loop->total; /* else the thread has no turn */
    if (range.dims == 3) {
        item.tw_id_[0] += at / n2 / n1;
        item.tw_id_[1] += at / n2 % n1;
        item.tw_id_[2] += at % n2;
    } else if (range.dims == 2) {
        item.tw_id_[0] += at / n1;
        item.tw_id_[1] += at % n1;
    } else {
        item.tw_id_[0] += at;
    }
    return item;
}

#define TW_INTERNAL_WORK_ITEMS(group, which, ignored, options, item, ...)                                              \
    for (struct tw_internal_simt_loop tw_loop = tw_internal_simt_begin(group, which); tw_internal_simt_more(&tw_loop); \
         tw_loop.next += tw_loop.stride)                                                                               \
    TW_INTERNAL_WITH_ITEM(item, tw_internal_simt_item(group, &tw_loop))

#define TW_INTERNAL_ONCE(group)                                                                                        \
    for (bool tw_open = tw_internal_simt_open(); tw_internal_simt_turn(&tw_open); tw_open = false)                     \
        for (bool tw_once = ((void)(group), tw_internal_thread() == 0); tw_once; tw_once = false)

/* Shared memory: the directive places the variable there, and the attribute keeps vector accesses aligned. Its
   address is taken once more for clang, which would warn where one work-item sets what others read. */
#define TW_INTERNAL_LOCAL(type, ...)                                                                                   \
    type TW_INTERNAL_DECLARATOR(__VA_ARGS__) TW_INTERNAL_ALIGNED(type, 16);                                            \
    TW_INTERNAL_PRAGMA(omp allocate(TW_INTERNAL_DECLARED(__VA_ARGS__)) allocator(omp_pteam_mem_alloc))                 \
    (void)&TW_INTERNAL_DECLARED(__VA_ARGS__), tw_internal_share((const void *)&TW_INTERNAL_DECLARED(__VA_ARGS__))

#define TW_INTERNAL_PRIVATE(group, type, name, dims, ...) type name[1] dims
#define TW_INTERNAL_PRIVATE_AT(name, item, value, place, indices)                                                      \
    ((name)[0 * sizeof(tw_internal_private_at(item, place, !TW_INTERNAL_IS_ARRAY(value)))] indices)

#endif
