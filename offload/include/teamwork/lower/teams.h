/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The teams lowering: standard OpenMP, for any offload device. Range kernels are one collapsed `target teams distribute
 * parallel for`; hierarchical ones distribute groups over teams, with `parallel for` inside (work_item_teams.h). What
 * is granted may be less than what is requested, so groups and items loop.
 */
#ifndef TEAMWORK_LOWER_TEAMS_H
#define TEAMWORK_LOWER_TEAMS_H

#include <teamwork/lower/host.h>
#include <teamwork/lower/region.h>

#define TW_INTERNAL_TEAMS_CAPTURE tw_launch_word, tw_r0, tw_r1, tw_r2, tw_o0, tw_o1, tw_o2, tw_dims

#define TW_INTERNAL_TEAMS_DECLARE(launch)                                                                              \
    const int tw_device = (launch)->device;                                                                            \
    const uint64_t tw_launch_word = (uint64_t)(uintptr_t)(launch);                                                     \
    const size_t tw_r0 = (launch)->range[0], tw_r1 = (launch)->range[1], tw_r2 = (launch)->range[2];                   \
    const size_t tw_o0 = (launch)->offset[0], tw_o1 = (launch)->offset[1], tw_o2 = (launch)->offset[2];                \
    const size_t tw_total = tw_r0 * tw_r1 * tw_r2;                                                                     \
    const unsigned tw_dims = (launch)->dims;

TW_DEVICE_INLINE tw_item tw_internal_teams_range_item(size_t linear, tw_item item, unsigned dims)
{
    tw_internal_delinearize(linear, item.tw_range_, dims, item.tw_id_);
    for (unsigned d = 0; d < 3; ++d)
        item.tw_id_[d] += item.tw_offset_[d];
    item.tw_dims_ = dims;
    return item;
}

#if defined(TW_INTERNAL_PASS_SIMT)
/* This pass is never launched in the teams lowering; leaving the kernel out keeps its image small. */
#define TW_INTERNAL_TEAMS_RUN(name, words, here, ...) (void)here;
#else
#define TW_INTERNAL_TEAMS_RUN(name, words, here, ...)                                                                  \
    if (!TW_INTERNAL_SERVES(name, words)) {                                                                            \
    } else if (tw_internal_on_device()) {                                                                              \
        TW_INTERNAL_REBUILD(name, words)                                                                               \
        TW_INTERNAL_INLINE_CALL(name(__VA_ARGS__))                                                                     \
    } else {                                                                                                           \
        tw_internal_fell_back(tw_launch_word);                                                                         \
    }
#endif

#define TW_INTERNAL_TEAMS_RANGE_REGION_N(name, words, dims_)                                                           \
    TW_INTERNAL_PRAGMA(omp target teams distribute parallel for device(tw_device) thread_limit(tw_threads)             \
                       firstprivate(TW_INTERNAL_TEAMS_CAPTURE, tw_total, TW_INTERNAL_CAPTURE_##words))                 \
    for (size_t tw_i = 0; tw_i < tw_total; ++tw_i) {                                                                   \
        const tw_item tw_here = {{0, 0, 0}, {tw_r0, tw_r1, tw_r2}, {tw_o0, tw_o1, tw_o2}, dims_};                      \
        TW_INTERNAL_TEAMS_RUN(name, words, tw_here, tw_internal_teams_range_item(tw_i, tw_here, dims_), tw_args)       \
    }
#define TW_INTERNAL_TEAMS_RANGE_REGION_1(name, words, ...) TW_INTERNAL_TEAMS_RANGE_REGION_N(name, words, 1)
#define TW_INTERNAL_TEAMS_RANGE_REGION_2(name, words, ...) TW_INTERNAL_TEAMS_RANGE_REGION_N(name, words, 2)
#define TW_INTERNAL_TEAMS_RANGE_REGION_3(name, words, ...) TW_INTERNAL_TEAMS_RANGE_REGION_N(name, words, 3)
#define TW_INTERNAL_TEAMS_RANGE_REGION_ANY(name, words, ...) TW_INTERNAL_TEAMS_RANGE_REGION_N(name, words, tw_dims)

#define TW_INTERNAL_TEAMS_RANGE(name, launch, which)                                                                   \
    {                                                                                                                  \
        TW_INTERNAL_TEAMS_DECLARE(launch)                                                                              \
        const int tw_threads = (launch)->max_threads < 256 ? (int)(launch)->max_threads : 256;                         \
        TW_INTERNAL_WITH_WORDS(TW_INTERNAL_TEAMS_RANGE_REGION_##which, name, launch)                                   \
    }

/* Memory for a group's local accessors, for its initial thread; all passes mention the launch here. */
#if defined(TW_INTERNAL_GPU_PASS)
#define TW_INTERNAL_TEAMS_MEMORY(name, group)                                                                          \
    (void)tw_launch_word;                                                                                              \
    (group).tw_memory_ = llvm_omp_target_dynamic_shared_alloc();
#elif defined(TW_INTERNAL_PASS_HOST) && defined(TW_CHECK_GROUP_SCOPE)
/* its work-items each run group scope */
#define TW_INTERNAL_TEAMS_MEMORY(name, group)                                                                          \
    if (tw_internal_on_device()) {                                                                                     \
        tw_internal_nd_piece((struct tw_internal_launch *)(uintptr_t)tw_launch_word, name##_tw_checked_items, tw_g,    \
                             tw_total);                                                                                \
        continue;                                                                                                      \
    }
#else
#define TW_INTERNAL_TEAMS_MEMORY(name, group)                                                                          \
    if (tw_internal_on_device()                                                                                        \
        && !tw_internal_cpu_memory((struct tw_internal_launch *)(uintptr_t)tw_launch_word, &(group).tw_memory_))       \
        continue;
#endif

#define TW_INTERNAL_TEAMS_GROUP_REGION_N(name, words, dims_, l0, l1, l2)                                               \
    TW_INTERNAL_PRAGMA(omp target teams distribute device(tw_device) num_teams(tw_teams) thread_limit(tw_threads)      \
                           ompx_dyn_cgroup_mem(tw_memory) firstprivate(TW_INTERNAL_TEAMS_CAPTURE, tw_total, tw_l0,     \
                                                                       tw_l1, tw_l2, TW_INTERNAL_CAPTURE_##words))     \
    for (size_t tw_g = 0; tw_g < tw_total; ++tw_g) {                                                                   \
        struct tw_internal_group tw_here = TW_INTERNAL_GROUP(tw_r0, tw_r1, tw_r2, l0, l1, l2, dims_);                  \
        TW_INTERNAL_TEAMS_MEMORY(name, tw_here)                                                                        \
        tw_internal_delinearize(tw_g, tw_here.tw_range_, dims_, tw_here.tw_id_);                                       \
        TW_INTERNAL_TEAMS_RUN(name, words, tw_here, &tw_here, tw_args)                                                 \
    }
#define TW_INTERNAL_TEAMS_GROUP_REGION_R(name, words, dims_)                                                           \
    TW_INTERNAL_TEAMS_GROUP_REGION_N(name, words, dims_, name##_tw_local_0, name##_tw_local_1, name##_tw_local_2)
#define TW_INTERNAL_TEAMS_GROUP_REGION_1(name, words, ...) TW_INTERNAL_TEAMS_GROUP_REGION_R(name, words, 1)
#define TW_INTERNAL_TEAMS_GROUP_REGION_2(name, words, ...) TW_INTERNAL_TEAMS_GROUP_REGION_R(name, words, 2)
#define TW_INTERNAL_TEAMS_GROUP_REGION_3(name, words, ...) TW_INTERNAL_TEAMS_GROUP_REGION_R(name, words, 3)
#define TW_INTERNAL_TEAMS_GROUP_REGION_ANY(name, words, ...)                                                           \
    TW_INTERNAL_TEAMS_GROUP_REGION_N(name, words, tw_dims, tw_l0, tw_l1, tw_l2)

#define TW_INTERNAL_TEAMS_GROUPS(name, launch, which)                                                                  \
    {                                                                                                                  \
        TW_INTERNAL_TEAMS_DECLARE(launch)                                                                              \
        const size_t tw_l0 = (launch)->local[0], tw_l1 = (launch)->local[1], tw_l2 = (launch)->local[2];               \
        const size_t tw_items = tw_l0 * tw_l1 * tw_l2, tw_most = (launch)->max_threads,                                \
                     tw_step = (launch)->thread_step;                                                                  \
        const int tw_teams = (int)(tw_total < (launch)->max_teams ? tw_total : (launch)->max_teams);                   \
        const int tw_threads = (int)(tw_items < tw_most ? (tw_items + tw_step - 1) / tw_step * tw_step : tw_most);     \
        const unsigned tw_memory = (unsigned)(launch)->local_bytes;                                                    \
        TW_INTERNAL_WITH_WORDS(TW_INTERNAL_TEAMS_GROUP_REGION_##which, name, launch)                                   \
    }

/* ---- nd_range kernels ---------------------------------------------------------------------------------------------

   A work-item is a thread of a parallel region, if the runtime grants the whole group its threads; else the launch is
   refused. A CPU device whose pass shares the host's code runs groups as the host does, in as many pieces as it has teams. */

TW_DEVICE_INLINE void tw_internal_no_threads(uint64_t word)
{
    __atomic_store_n(&((struct tw_internal_launch *)(uintptr_t)word)->fell_back, TW_INTERNAL_NO_THREADS,
                     __ATOMIC_RELAXED);
}

#if defined(TW_INTERNAL_PASS_SIMT)
#define TW_INTERNAL_TEAMS_ND_BODY(name, words, dims_, l0, l1, l2)
#elif defined(TW_INTERNAL_GPU_PASS)
#define TW_INTERNAL_TEAMS_ND_BODY(name, words, dims_, l0, l1, l2)                                                      \
    if (TW_INTERNAL_SERVES(name, words)) {                                                                             \
        TW_INTERNAL_REBUILD(name, words)                                                                               \
        TW_INTERNAL_PRAGMA(omp parallel num_threads((int)((l0) * (l1) * (l2))))                                        \
        {                                                                                                              \
            struct tw_internal_group tw_here = TW_INTERNAL_GROUP(tw_r0, tw_r1, tw_r2, l0, l1, l2, dims_);              \
            tw_here.tw_offset_[0] = tw_o0, tw_here.tw_offset_[1] = tw_o1, tw_here.tw_offset_[2] = tw_o2;               \
            tw_here.tw_memory_ = llvm_omp_target_dynamic_shared_alloc();                                               \
            tw_internal_delinearize(tw_g, tw_here.tw_range_, dims_, tw_here.tw_id_);                                   \
            tw_nd_item tw_item_ = {{0, 0, 0}, &tw_here};                                                               \
            tw_internal_delinearize((size_t)omp_get_thread_num(), tw_here.tw_local_, dims_, tw_item_.tw_id_);          \
            if ((size_t)omp_get_num_threads() == (l0) * (l1) * (l2)) {                                                 \
                TW_INTERNAL_INLINE_CALL(name(tw_item_, tw_args))                                                       \
            } else {                                                                                                   \
                *(int *)(uintptr_t)tw_refused = 1;                                                                     \
            }                                                                                                          \
        }                                                                                                              \
    }
#elif defined(TW_INTERNAL_PASS_TEAMS)
#define TW_INTERNAL_TEAMS_ND_BODY(name, words, dims_, l0, l1, l2) tw_internal_no_threads(tw_launch_word);
#else
#define TW_INTERNAL_TEAMS_ND_BODY(name, words, dims_, l0, l1, l2)                                                      \
    if (!TW_INTERNAL_SERVES(name, words)) {                                                                            \
    } else if (tw_internal_on_device()) {                                                                              \
        tw_internal_nd_piece((struct tw_internal_launch *)(uintptr_t)tw_launch_word, name##_tw_items(tw_dims), tw_g,   \
                             tw_pieces);                                                                               \
    } else {                                                                                                           \
        tw_internal_fell_back(tw_launch_word);                                                                         \
    }
#endif

#define TW_INTERNAL_TEAMS_ND_REGION_N(name, words, dims_, l0, l1, l2)                                                  \
    TW_INTERNAL_PRAGMA(omp target teams distribute device(tw_device) num_teams(tw_teams) thread_limit(                 \
        tw_threads) ompx_dyn_cgroup_mem(tw_memory) firstprivate(TW_INTERNAL_TEAMS_CAPTURE, tw_pieces, tw_refused,      \
                                                                tw_l0, tw_l1, tw_l2, TW_INTERNAL_CAPTURE_##words))     \
    for (size_t tw_g = 0; tw_g < tw_pieces; ++tw_g) {                                                                  \
        (void)tw_r0, (void)tw_r1, (void)tw_r2, (void)tw_o0, (void)tw_o1, (void)tw_o2, (void)tw_dims, (void)tw_refused; \
        (void)tw_l0, (void)tw_l1, (void)tw_l2;                                                                         \
        TW_INTERNAL_MENTION_WORDS(words)                                                                               \
        TW_INTERNAL_TEAMS_ND_BODY(name, words, dims_, l0, l1, l2)                                                      \
    }
#define TW_INTERNAL_TEAMS_ND_REGION_R(name, words, dims_)                                                              \
    TW_INTERNAL_TEAMS_ND_REGION_N(name, words, dims_, (size_t)name##_tw_local_0, (size_t)name##_tw_local_1,            \
                                  (size_t)name##_tw_local_2)
#define TW_INTERNAL_TEAMS_ND_REGION_1(name, words, ...) TW_INTERNAL_TEAMS_ND_REGION_R(name, words, 1)
#define TW_INTERNAL_TEAMS_ND_REGION_2(name, words, ...) TW_INTERNAL_TEAMS_ND_REGION_R(name, words, 2)
#define TW_INTERNAL_TEAMS_ND_REGION_3(name, words, ...) TW_INTERNAL_TEAMS_ND_REGION_R(name, words, 3)
#define TW_INTERNAL_TEAMS_ND_REGION_ANY(name, words, ...)                                                              \
    TW_INTERNAL_TEAMS_ND_REGION_N(name, words, tw_dims, tw_l0, tw_l1, tw_l2)

#define TW_INTERNAL_TEAMS_ND(name, launch, which)                                                                      \
    {                                                                                                                  \
        TW_INTERNAL_TEAMS_DECLARE(launch)                                                                              \
        const uint64_t tw_refused = (uint64_t)(uintptr_t)(launch)->refused;                                            \
        const size_t tw_l0 = (launch)->local[0], tw_l1 = (launch)->local[1], tw_l2 = (launch)->local[2];               \
        const size_t tw_items = tw_l0 * tw_l1 * tw_l2, tw_step = (launch)->thread_step;                                \
        const unsigned tw_memory = (unsigned)(launch)->local_bytes;                                                    \
        const int tw_teams = (int)(tw_total < (launch)->max_teams ? tw_total : (launch)->max_teams);                   \
        const size_t tw_pieces = (launch)->cpu ? (size_t)tw_teams : tw_total;                                          \
        const int tw_threads =                                                                                         \
            (launch)->cpu ? (int)(launch)->max_threads : (int)((tw_items + tw_step - 1) / tw_step * tw_step);          \
        TW_INTERNAL_WITH_WORDS(TW_INTERNAL_TEAMS_ND_REGION_##which, name, launch)                                      \
    }

#define TW_INTERNAL_TEAMS_TASK_REGION(name, words, ...)                                                                \
    TW_INTERNAL_PRAGMA(omp target device(tw_device) thread_limit(1)                                                    \
                           firstprivate(tw_launch_word, TW_INTERNAL_CAPTURE_##words))                                  \
    {                                                                                                                  \
        TW_INTERNAL_TEAMS_RUN(name, words, tw_launch_word, tw_args)                                                    \
    }
#define TW_INTERNAL_TEAMS_TASK(name, launch)                                                                           \
    {                                                                                                                  \
        const int tw_device = (launch)->device;                                                                        \
        const uint64_t tw_launch_word = (uint64_t)(uintptr_t)(launch);                                                 \
        TW_INTERNAL_WITH_WORDS(TW_INTERNAL_TEAMS_TASK_REGION, name, launch)                                            \
    }

#endif
