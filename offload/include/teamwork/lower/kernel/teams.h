/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The teams lowering: standard OpenMP, for any offload device. Range kernels are one `target teams distribute
 * parallel for` over the linear range; hierarchical ones distribute groups over teams, with `parallel for` inside
 * (work_item_teams.h). What is granted may be less than what is requested, so groups and items loop.
 *
 * A CPU device's pass that shares the host's text runs groups as the host does.
 */
#ifndef TEAMWORK_LOWER_TEAMS_H
#define TEAMWORK_LOWER_TEAMS_H

#include <assert.h>

#include <teamwork/lower/kernel/host.h>
#include <teamwork/lower/kernel/region.h>

/* The first words of every region, in the order in which it receives them; the argument words follow. What a form has
   no use for is 0. */
struct tw_internal_teams_captures {
    uint64_t r0, r1, r2; /* what the launch runs */
    uint64_t o0, o1, o2; /* its offset */
    uint64_t w0, w1, w2; /* the range of the launch that it is a part of */
    uint64_t f0, f1, f2; /* of groups the first one; else the offset of the launch that it is a part of */
    uint64_t shape;      /* a group's size, 16 bits for each dimension, and above them the dimensions */
    uint64_t
        memory; /* of a reduction its scratch; of an nd_range kernel `refused` of the launch, on a CPU its pieces */
    uint64_t launch_word;
};
static_assert(sizeof(struct tw_internal_teams_captures) == TW_INTERNAL_TEAMS_WORDS * 8, "the head of a region");

/* What a region received. */
TW_DEVICE_INLINE const struct tw_internal_teams_captures *tw_internal_teams_head(const uint64_t *words)
{
    return (const struct tw_internal_teams_captures *)words;
}

TW_DEVICE_INLINE struct tw_internal_launch *tw_internal_teams_launch(const uint64_t *words)
{
    return (struct tw_internal_launch *)(uintptr_t)tw_internal_teams_head(words)->launch_word;
}

/* ---- entries of regions: for each form the clauses and words of a launch whose block has `bytes` ----------------- */

TW_DEVICE_INLINE struct tw_internal_teams_captures tw_internal_teams_captures(const struct tw_internal_launch *launch,
                                                                              bool groups)
{
    const struct tw_internal_teams_captures captures = {launch->range[0],
                                                        launch->range[1],
                                                        launch->range[2],
                                                        launch->offset[0],
                                                        launch->offset[1],
                                                        launch->offset[2],
                                                        launch->whole[0],
                                                        launch->whole[1],
                                                        launch->whole[2],
                                                        tw_internal_first_word(launch, groups, 0),
                                                        tw_internal_first_word(launch, groups, 1),
                                                        tw_internal_first_word(launch, groups, 2),
                                                        launch->local[0] | launch->local[1] << 16
                                                            | launch->local[2] << 32 | (uint64_t)launch->dims << 48,
                                                        0,
                                                        (uint64_t)(uintptr_t)launch};
    return captures;
}

TW_DEVICE_INLINE struct tw_internal_entry tw_internal_teams_task_entry(const struct tw_internal_launch *launch,
                                                                       size_t bytes)
{
    const struct tw_internal_teams_captures captures = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (uint64_t)(uintptr_t)launch};
    struct tw_internal_entry entry = {launch->device, 1, 1, 0, 1, {0}};
    tw_internal_add_block(&entry, TW_INTERNAL_TEAMS_WORDS, launch, &captures, bytes);
    return entry;
}

TW_DEVICE_INLINE struct tw_internal_entry tw_internal_teams_range_entry(const struct tw_internal_launch *launch,
                                                                        size_t bytes)
{
    const struct tw_internal_teams_captures captures = tw_internal_teams_captures(launch, false);
    struct tw_internal_entry entry = {launch->device,
                                      1,
                                      launch->max_threads < 256 ? (int)launch->max_threads : 256,
                                      0,
                                      launch->range[0] * launch->range[1] * launch->range[2],
                                      {0}};
    tw_internal_add_block(&entry, TW_INTERNAL_TEAMS_WORDS, launch, &captures, bytes);
    return entry;
}

TW_DEVICE_INLINE struct tw_internal_entry tw_internal_teams_reduction_entry(const struct tw_internal_launch *launch,
                                                                            size_t bytes)
{
    struct tw_internal_teams_captures captures = tw_internal_teams_captures(launch, false);
    struct tw_internal_entry entry = tw_internal_teams_range_entry(launch, 0);
    captures.memory = (uint64_t)(uintptr_t)launch->scratch;
    entry.turns = launch->cpu ? tw_internal_launch_parts(launch, false) : tw_internal_parts(entry.turns);
    tw_internal_add_block(&entry, TW_INTERNAL_TEAMS_WORDS, launch, &captures, bytes);
    return entry;
}

TW_DEVICE_INLINE struct tw_internal_entry tw_internal_teams_group_entry(const struct tw_internal_launch *launch,
                                                                        size_t bytes)
{
    const struct tw_internal_teams_captures captures = tw_internal_teams_captures(launch, true);
    const size_t total = launch->range[0] * launch->range[1] * launch->range[2], most = launch->max_threads;
    const size_t items = launch->local[0] * launch->local[1] * launch->local[2], step = launch->thread_step;
    struct tw_internal_entry entry = {launch->device,
                                      (int)(total < launch->max_teams ? total : launch->max_teams),
                                      (int)(items < most ? (items + step - 1) / step * step : most),
                                      (unsigned)launch->local_bytes,
                                      total,
                                      {0}};
    tw_internal_add_block(&entry, TW_INTERNAL_TEAMS_WORDS, launch, &captures, bytes);
    return entry;
}

/* On a GPU a turn is a group, of which each work-item needs its thread; on a CPU it is a piece of the launch. */
TW_DEVICE_INLINE struct tw_internal_entry tw_internal_teams_nd_range_entry(const struct tw_internal_launch *launch,
                                                                           size_t bytes)
{
    struct tw_internal_teams_captures captures = tw_internal_teams_captures(launch, true);
    struct tw_internal_entry entry = tw_internal_teams_group_entry(launch, 0);
    const size_t items = launch->local[0] * launch->local[1] * launch->local[2], step = launch->thread_step;
    entry.threads = launch->cpu ? (int)launch->max_threads : (int)((items + step - 1) / step * step);
    if (launch->cpu)
        captures.memory = entry.turns = (size_t)entry.teams;
    else
        captures.memory = (uint64_t)(uintptr_t)launch->refused;
    tw_internal_add_block(&entry, TW_INTERNAL_TEAMS_WORDS, launch, &captures, bytes);
    return entry;
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

// clang-format off
#ifdef TW_INTERNAL_TEAMS_BUILT
/* The functions that enter the region of a kernel, a loop over turns; the form is range, group, nd_range or reduction,
   and `loop` how turns are shared out: items or groups. The region calls what TW_INTERNAL_TEAMS_RANGE and the like define.
   Expands to:

       static void saxpy_tw_teams_8(...) { #pragma omp target teams distribute ... for (...) saxpy_tw_teams_body(...); }
       static void saxpy_tw_teams_32 ... _1 likewise
       static void saxpy_tw_teams(launch) { entry = tw_internal_teams_range_entry(launch, ...); ... } */
#define TW_INTERNAL_TEAMS(name, form, loop)                                                                            \
    TW_INTERNAL_TEAMS_REGION(name, 8, 23, loop)                                                                        \
    TW_INTERNAL_TEAMS_REGION(name, 32, 47, loop)                                                                       \
    TW_INTERNAL_TEAMS_REGION(name, 1, 16, loop)                                                                        \
    TW_INTERNAL_LAUNCHER(name, teams, form)

#define TW_INTERNAL_TEAMS_REGION(name, block, words, loop)                                                             \
    TW_INTERNAL_REGION_FUNCTION(name, teams, block)                                                                    \
    {                                                                                                                  \
        const int tw_device = tw_entry->device, tw_teams = tw_entry->teams, tw_threads = tw_entry->threads;            \
        const unsigned tw_memory = tw_entry->local_bytes;                                                              \
        const size_t tw_turns = tw_entry->turns;                                                                       \
        const uint64_t *const tw_in = tw_entry->in;                                                                    \
        const uint64_t TW_INTERNAL_EACH_##words(TW_INTERNAL_TAKE, tw_in);                                              \
        (void)tw_teams, (void)tw_memory;                                                                               \
        TW_INTERNAL_PRAGMA(omp target teams TW_INTERNAL_SHARE_##loop(tw_teams, tw_memory) device(tw_device)            \
                               thread_limit(tw_threads)                                                                \
                               firstprivate(tw_turns, TW_INTERNAL_EACH_##words(TW_INTERNAL_NAMED, )))                  \
        for (size_t tw_turn = 0; tw_turn < tw_turns; ++tw_turn) {                                                      \
            const uint64_t tw_words[] = {TW_INTERNAL_EACH_##words(TW_INTERNAL_NAMED, )};                               \
            TW_INTERNAL_TEAMS_CALL(name, tw_words, tw_turn);                                                           \
        }                                                                                                              \
    }
#define TW_INTERNAL_SHARE_items(teams, memory) distribute parallel for
#define TW_INTERNAL_SHARE_groups(teams, memory) distribute num_teams(teams) ompx_dyn_cgroup_mem(memory)

/* Of a single task. Expands to: the same with #pragma omp target ... { init_tw_teams_body(...); } */
#define TW_INTERNAL_TEAMS_ONE(name)                                                                                    \
    TW_INTERNAL_TEAMS_ONE_REGION(name, 8, 23)                                                                          \
    TW_INTERNAL_TEAMS_ONE_REGION(name, 32, 47)                                                                         \
    TW_INTERNAL_TEAMS_ONE_REGION(name, 1, 16)                                                                          \
    TW_INTERNAL_LAUNCHER(name, teams, task)

#define TW_INTERNAL_TEAMS_ONE_REGION(name, block, words)                                                               \
    TW_INTERNAL_REGION_FUNCTION(name, teams, block)                                                                    \
    {                                                                                                                  \
        const int tw_device = tw_entry->device;                                                                        \
        const uint64_t *const tw_in = tw_entry->in;                                                                    \
        const uint64_t TW_INTERNAL_EACH_##words(TW_INTERNAL_TAKE, tw_in);                                              \
        TW_INTERNAL_PRAGMA(omp target device(tw_device) thread_limit(1)                                                \
                               firstprivate(TW_INTERNAL_EACH_##words(TW_INTERNAL_NAMED, )))                            \
        {                                                                                                              \
            const uint64_t tw_words[] = {TW_INTERNAL_EACH_##words(TW_INTERNAL_NAMED, )};                               \
            TW_INTERNAL_TEAMS_CALL(name, tw_words, 0);                                                                 \
        }                                                                                                              \
    }
#else
#define TW_INTERNAL_TEAMS(name, form, loop)
#define TW_INTERNAL_TEAMS_ONE(name)
#endif
// clang-format on

/* ---- what a turn does -------------------------------------------------------------------------------------------- */

/* The item of a turn; `dims` is what the kernel requires, or 0. */
TW_DEVICE_INLINE tw_item tw_internal_turn_item(const uint64_t *words, size_t turn, unsigned dims)
{
    const struct tw_internal_teams_captures *const head = tw_internal_teams_head(words);
    const size_t range[3] = {head->r0, head->r1, head->r2}, offset[3] = {head->o0, head->o1, head->o2};
    tw_item item = {{0, 0, 0},
                    {head->w0, head->w1, head->w2},
                    {head->f0, head->f1, head->f2},
                    dims ? dims : (unsigned)(head->shape >> 48)};
    tw_internal_delinearize(turn, range, item.tw_dims_, item.tw_id_);
    for (unsigned d = 0; d < 3; ++d)
        item.tw_id_[d] += offset[d];
    return item;
}

/* Sets the group of a turn; l0, l1, l2 and dims are what the kernel requires, or 0. */
TW_DEVICE_INLINE void tw_internal_teams_group(struct tw_internal_group *group,
                                              const struct tw_internal_teams_captures *head, size_t turn, size_t l0,
                                              size_t l1, size_t l2, unsigned dims)
{
    struct tw_internal_group here = {
        {0, 0, 0},
        {head->w0, head->w1, head->w2},
        {l0 ? l0 : head->shape & 65535, l0 ? l1 : head->shape >> 16 & 65535, l0 ? l2 : head->shape >> 32 & 65535},
        dims ? dims : (unsigned)(head->shape >> 48),
        {0, 0, 0},
        {head->o0, head->o1, head->o2},
        NULL,
        NULL,
        NULL,
        false,
        NULL};
    const size_t range[3] = {head->r0, head->r1, head->r2}, first[3] = {head->f0, head->f1, head->f2};
    *group = here;
    tw_internal_delinearize(turn, range, group->tw_dims_, group->tw_id_);
    for (unsigned d = 0; d < 3; ++d)
        group->tw_id_[d] += first[d];
}

/* Memory for a group's local accessors. False: there is none, and the launch says so. */
TW_DEVICE_INLINE bool tw_internal_teams_memory(const uint64_t *words, struct tw_internal_group *group)
{
#ifdef TW_INTERNAL_GPU_PASS
    (void)words;
    group->tw_memory_ = llvm_omp_target_dynamic_shared_alloc();
    return true;
#else
    return tw_internal_cpu_memory(tw_internal_teams_launch(words), &group->tw_memory_);
#endif
}

/* Work-items of a group; l0, l1, l2: as above. */
TW_DEVICE_INLINE size_t tw_internal_teams_items(uint64_t shape, size_t l0, size_t l1, size_t l2)
{
    return l0 ? l0 * l1 * l2 : (shape & 65535) * (shape >> 16 & 65535) * (shape >> 32 & 65535);
}

/* The work-item that this thread of a group is. */
TW_DEVICE_INLINE tw_nd_item tw_internal_teams_nd_item(tw_group group)
{
    tw_nd_item item = {{0, 0, 0}, group};
    tw_internal_delinearize((size_t)omp_get_thread_num(), group->tw_local_, group->tw_dims_, item.tw_id_);
    return item;
}

/* Of an nd_range kernel whose work-items would be threads: the launch is refused. */
TW_DEVICE_INLINE void tw_internal_no_threads(struct tw_internal_launch *launch)
{
    __atomic_store_n(&launch->fell_back, TW_INTERNAL_NO_THREADS, __ATOMIC_RELAXED);
}

// clang-format off
#ifdef TW_INTERNAL_PASS_SIMT
/* This pass is never launched in the teams lowering; leaving the kernel out keeps its image small. */
#define TW_INTERNAL_TEAMS_CALL(name, words, turn) (void)(words)
#define TW_INTERNAL_TEAMS_TASK(name, values)
#define TW_INTERNAL_TEAMS_RANGE(name, values)
#define TW_INTERNAL_TEAMS_GROUP(name, values)
#define TW_INTERNAL_TEAMS_ND_RANGE(name, values)
#else
/* clang emits the kernel in a device's pass alone.
   Expands to: if (1) saxpy_tw_teams_body(...); else tw_internal_fell_back(...) */
#define TW_INTERNAL_TEAMS_CALL(name, words, turn)                                                                      \
    if (tw_internal_on_device)                                                                                         \
        name##_tw_teams_body(words, turn);                                                                             \
    else                                                                                                               \
        tw_internal_fell_back(tw_internal_teams_launch(words))

/* Expands to: void init_tw_teams_body(words, turn) { rebuild the block; init_tw_call(block); } */
#define TW_INTERNAL_TEAMS_TASK(name, values)                                                                           \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_turn)                               \
    {                                                                                                                  \
        name##_tw_block tw_copy;                                                                                       \
        (void)tw_turn;                                                                                                 \
        name##_tw_call(                                                                                                \
            values##_IN(name, tw_internal_block(tw_words + TW_INTERNAL_TEAMS_WORDS, &tw_copy, sizeof tw_copy),         \
                        sizeof tw_copy <= TW_INTERNAL_INLINE_ARGS_BYTES));                                             \
    }

/* Expands to: void saxpy_tw_teams_body(words, turn) { rebuild the block; saxpy_tw_call(item, block); } */
#define TW_INTERNAL_TEAMS_RANGE(name, values)                                                                          \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_turn)                               \
    {                                                                                                                  \
        name##_tw_block tw_copy;                                                                                       \
        TW_INTERNAL_ON_STACK(tw_copy)                                                                                  \
        name##_tw_call(tw_internal_turn_item(tw_words, tw_turn, name##_tw_dims),                                       \
                       values##_IN(name,                                                                               \
                                   tw_internal_block(tw_words + TW_INTERNAL_TEAMS_WORDS, &tw_copy, sizeof tw_copy),    \
                                   sizeof tw_copy <= TW_INTERNAL_INLINE_ARGS_BYTES));                                  \
    }

#if defined(TW_INTERNAL_PASS_HOST) && defined(TW_CHECK_GROUP_SCOPE)
/* Its work-items each run group scope. */
#define TW_INTERNAL_TEAMS_GROUP(name, values)                                                                          \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_turn)                               \
    {                                                                                                                  \
        const struct tw_internal_teams_captures *const tw_head = tw_internal_teams_head(tw_words);                     \
        tw_internal_nd_piece(tw_internal_teams_launch(tw_words), name##_tw_checked_items, tw_turn,                     \
                             tw_head->r0 * tw_head->r1 * tw_head->r2);                                                 \
    }
#else
/* Expands to: void tile_tw_teams_body(words, turn) { rebuild the block; tile_tw_call(group, block); } */
#define TW_INTERNAL_TEAMS_GROUP(name, values)                                                                          \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_turn)                               \
    {                                                                                                                  \
        name##_tw_block tw_copy;                                                                                       \
        struct tw_internal_group tw_here;                                                                              \
        tw_internal_teams_group(&tw_here, tw_internal_teams_head(tw_words), tw_turn, name##_tw_local_0,                \
                                name##_tw_local_1, name##_tw_local_2, name##_tw_dims);                                 \
        if (tw_internal_teams_memory(tw_words, &tw_here))                                                              \
            name##_tw_call(&tw_here,                                                                                   \
                           values##_IN(name,                                                                           \
                                       tw_internal_block(tw_words + TW_INTERNAL_TEAMS_WORDS, &tw_copy, sizeof tw_copy),\
                                       sizeof tw_copy <= TW_INTERNAL_INLINE_ARGS_BYTES));                              \
    }
#endif

/* nd_range kernels. A work-item is a thread of a parallel region, if the runtime grants the whole group its threads; else
   the launch is refused.
   Expands to: void dot_tw_teams_body(words, turn) { #pragma omp parallel { dot_tw_call(item, block); } } */
#if defined(TW_INTERNAL_GPU_PASS)
#define TW_INTERNAL_TEAMS_ND_RANGE(name, values)                                                                       \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_turn)                               \
    {                                                                                                                  \
        name##_tw_block tw_copy;                                                                                       \
        const name##_tw_block *const tw_args =                                                                         \
            values##_IN(name, tw_internal_block(tw_words + TW_INTERNAL_TEAMS_WORDS, &tw_copy, sizeof tw_copy),         \
                        sizeof tw_copy <= TW_INTERNAL_INLINE_ARGS_BYTES);                                              \
        const struct tw_internal_teams_captures tw_head = *tw_internal_teams_head(tw_words);                           \
        const size_t tw_items = tw_internal_teams_items(tw_head.shape, name##_tw_local_0, name##_tw_local_1,           \
                                                        name##_tw_local_2);                                            \
        TW_INTERNAL_PRAGMA(omp parallel num_threads((int)tw_items))                                                    \
        {                                                                                                              \
            struct tw_internal_group tw_here;                                                                          \
            values##_OWN_COPY(name)                                                                                    \
            tw_internal_teams_group(&tw_here, &tw_head, tw_turn, name##_tw_local_0, name##_tw_local_1,                 \
                                    name##_tw_local_2, name##_tw_dims);                                                \
            (void)tw_internal_teams_memory(NULL, &tw_here);                                                            \
            if ((size_t)omp_get_num_threads() == tw_items)                                                             \
                name##_tw_call(tw_internal_teams_nd_item(&tw_here), values##_OWN(name, tw_args));                      \
            else                                                                                                       \
                *(int *)(uintptr_t)tw_head.memory = 1;                                                                 \
        }                                                                                                              \
    }
#elif defined(TW_INTERNAL_PASS_TEAMS)
#define TW_INTERNAL_TEAMS_ND_RANGE(name, values)                                                                       \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_turn)                               \
    {                                                                                                                  \
        (void)tw_turn;                                                                                                 \
        tw_internal_no_threads(tw_internal_teams_launch(tw_words));                                                    \
    }
#else
#define TW_INTERNAL_TEAMS_ND_RANGE(name, values)                                                                       \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_turn)                               \
    {                                                                                                                  \
        const struct tw_internal_teams_captures *const tw_head = tw_internal_teams_head(tw_words);                     \
        tw_internal_nd_piece(tw_internal_teams_launch(tw_words),                                                       \
                             name##_tw_items_for((unsigned)(tw_head->shape >> 48)), tw_turn, tw_head->memory);         \
    }
#endif
#endif
// clang-format on

#endif
