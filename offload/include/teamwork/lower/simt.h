/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The simt lowering: `target teams ompx_bare`, a plain GPU kernel with one thread a work-item.
 *
 * Grids of OpenMP are one-dimensional (clang 19 has no other), so a team finds its place by dividing its number; multiplying
 * by a precomputed reciprocal replaces the division. Where the library launches past OpenMP, the grid has the dimensions of
 * the range, and nothing is divided. Everything that fits 32 bits is computed in 32 bits and widened last.
 */
#ifndef TEAMWORK_LOWER_SIMT_H
#define TEAMWORK_LOWER_SIMT_H

#include <teamwork/lower/region.h>

/* Division of numbers below 2^31 by a divisor from 1 to 2^31: quotient = n * magic >> (31 + shift). Packed in a word:
   magic in the low 32 bits and shift above. */
TW_DEVICE_INLINE uint64_t tw_internal_reciprocal(size_t divisor)
{
    unsigned shift = 0;
    while (shift < 31 && ((size_t)1 << shift) < divisor)
        ++shift;
    const uint64_t magic = ((uint64_t)1 << (31 + shift)) / divisor + 1;
    return (magic & 0xffffffffu) | (uint64_t)shift << 32;
}

TW_DEVICE_INLINE uint32_t tw_internal_divide(uint32_t n, uint64_t reciprocal)
{
    /* the high half of one product of 32-bit numbers */
    return (uint32_t)((uint64_t)(n << 1) * (uint32_t)reciprocal >> 32) >> (reciprocal >> 32);
}

/* Splits `linear` by the sizes of the last dimensions. inner: size of the last dimension, and `middle` of the one
   before it for three dimensions, with their reciprocals. */
struct tw_internal_split {
    uint32_t inner, middle;
    uint64_t by_inner, by_middle;
};

TW_DEVICE_INLINE void tw_internal_split_id(uint32_t linear, struct tw_internal_split split, unsigned dims,
                                           uint32_t id[3])
{
    id[0] = linear;
    id[1] = id[2] = 0;
    if (dims == 2) {
        id[0] = tw_internal_divide(linear, split.by_inner);
        id[1] = linear - id[0] * split.inner;
    } else if (dims == 3) {
        const uint32_t outer = tw_internal_divide(linear, split.by_inner);
        id[2] = linear - outer * split.inner;
        id[0] = tw_internal_divide(outer, split.by_middle);
        id[1] = outer - id[0] * split.middle;
    }
}

TW_DEVICE_INLINE struct tw_internal_split tw_internal_split_for(const size_t range[3], unsigned dims)
{
    struct tw_internal_split split = {(uint32_t)range[dims - 1], dims == 3 ? (uint32_t)range[1] : 1u, 0, 0};
    split.by_inner = tw_internal_reciprocal(split.inner);
    split.by_middle = tw_internal_reciprocal(split.middle);
    return split;
}

/* A range kernel runs in teams of 256 threads, shaped 2^log2[d] in dimension d; a thread is one work-item. */
#define TW_INTERNAL_SIMT_RANGE_THREADS 256u

TW_DEVICE_INLINE void tw_internal_team_shape(const size_t range[3], unsigned dims, unsigned log2[3])
{
    unsigned left = 8;
    log2[0] = log2[1] = log2[2] = 0;
    /* two warps along the fastest dimension, for coalescing; the rest is the next one's, so that teams are tiles */
    const unsigned first = dims == 1 ? 8 : 6;
    for (unsigned d = dims; d-- > 0;) {
        const unsigned most = d == dims - 1 ? first : left;
        while (log2[d] < most && ((size_t)1 << log2[d]) < range[d])
            ++log2[d];
        left -= log2[d] < left ? log2[d] : left;
    }
    /* thin ranges: the threads that are left go where most teams would be */
    unsigned longest = dims - 1;
    for (unsigned d = dims; d-- > 0;)
        if (range[d] >> log2[d] > range[longest] >> log2[longest])
            longest = d;
    log2[longest] += left;
}

/* A reduction runs in at most `max_parts` teams, which stride over the range. */
TW_DEVICE_INLINE size_t tw_internal_reduction_teams(const struct tw_internal_launch *launch)
{
    const size_t total = launch->range[0] * launch->range[1] * launch->range[2];
    const size_t teams = (total + TW_INTERNAL_SIMT_RANGE_THREADS - 1) / TW_INTERNAL_SIMT_RANGE_THREADS;
    return teams < launch->max_parts ? teams : launch->max_parts;
}

/* How many teams of that shape a range has in each dimension. */
TW_DEVICE_INLINE void tw_internal_team_grid(const size_t range[3], const unsigned log2[3], size_t grid[3])
{
    for (unsigned d = 0; d < 3; ++d)
        grid[d] = (range[d] >> log2[d]) + ((range[d] & (((size_t)1 << log2[d]) - 1)) != 0);
}

/* What every simt region captures besides the argument words. */
#define TW_INTERNAL_SIMT_CAPTURE                                                                                       \
    tw_launch_word, tw_r0, tw_r1, tw_r2, tw_o0, tw_o1, tw_o2, tw_inner, tw_by_inner, tw_by_middle, tw_shape

/* The same as words, in the order in which regions mention them (TW_INTERNAL_SIMT_MENTION) and so receive them; the
   argument words follow. A single task receives `launch_word` alone. The library launches kernels past OpenMP with these. */
struct tw_internal_simt_captures {
    uint64_t r0, r1, r2, o0, o1, o2, inner, by_inner, by_middle, shape, launch_word;
};

TW_DEVICE_INLINE struct tw_internal_simt_captures
tw_internal_simt_captures(const struct tw_internal_launch *launch, struct tw_internal_split split, uint64_t shape)
{
    struct tw_internal_simt_captures captures = {launch->range[0],
                                                 launch->range[1],
                                                 launch->range[2],
                                                 launch->offset[0],
                                                 launch->offset[1],
                                                 launch->offset[2],
                                                 (uint64_t)split.inner | (uint64_t)split.middle << 32,
                                                 split.by_inner,
                                                 split.by_middle,
                                                 shape,
                                                 (uint64_t)(uintptr_t)launch};
    return captures;
}

/* How many teams a launch has, and threads each, in the dimensions of the range. Launched through OpenMP, both are made
   one-dimensional. */
struct tw_internal_simt_grid {
    size_t teams[3], threads[3];
};

TW_DEVICE_INLINE unsigned tw_internal_simt_count(const size_t in[3])
{
    return (unsigned)(in[0] * in[1] * in[2]);
}

/* Set in `shape` of a launch whose grid is not one-dimensional: teams are numbered as the range is, and so are the threads of
   a range kernel, which has no offset then. The last dimension is the hardware's x. */
#define TW_INTERNAL_SIMT_SHAPED ((uint64_t)1 << 63)

/* Of a range kernel, whose teams have TW_INTERNAL_SIMT_RANGE_THREADS threads. */
TW_DEVICE_INLINE struct tw_internal_simt_captures
tw_internal_simt_range_captures(const struct tw_internal_launch *launch, struct tw_internal_simt_grid *grid)
{
    unsigned log[3];
    tw_internal_team_shape(launch->range, launch->dims, log);
    tw_internal_team_grid(launch->range, log, grid->teams);
    for (unsigned d = 0; d < 3; ++d)
        grid->threads[d] = (size_t)1 << log[d];
    return tw_internal_simt_captures(launch, tw_internal_split_for(grid->teams, launch->dims),
                                     log[0] | log[1] << 8 | log[2] << 16 | launch->dims << 24);
}

/* Of a reduction, in teams of as many threads, with the scratch memory in place of a shape. */
TW_DEVICE_INLINE struct tw_internal_simt_captures
tw_internal_simt_reduction_captures(const struct tw_internal_launch *launch, struct tw_internal_simt_grid *grid)
{
    grid->teams[0] = tw_internal_reduction_teams(launch);
    grid->threads[0] = TW_INTERNAL_SIMT_RANGE_THREADS;
    grid->teams[1] = grid->teams[2] = grid->threads[1] = grid->threads[2] = 1;
    return tw_internal_simt_captures(launch, tw_internal_split_for(launch->range, launch->dims),
                                     (uint64_t)(uintptr_t)launch->scratch);
}

/* Of a kernel of work-groups: a team for each group, a thread for each work-item. */
TW_DEVICE_INLINE struct tw_internal_simt_captures
tw_internal_simt_group_captures(const struct tw_internal_launch *launch, struct tw_internal_simt_grid *grid)
{
    const size_t *local = launch->local;
    for (unsigned d = 0; d < 3; ++d) {
        grid->teams[d] = launch->range[d];
        grid->threads[d] = local[d];
    }
    return tw_internal_simt_captures(launch, tw_internal_split_for(launch->range, launch->dims),
                                     (uint64_t)local[0] | (uint64_t)local[1] << 11 | (uint64_t)local[2] << 22
                                         | (uint64_t)launch->dims << 33);
}

#define TW_INTERNAL_SIMT_DECLARE(launch, grid, captures)                                                               \
    const int tw_device = (launch)->device;                                                                            \
    const unsigned tw_teams = tw_internal_simt_count((grid).teams);                                                    \
    const unsigned tw_threads = tw_internal_simt_count((grid).threads);                                                \
    const uint64_t tw_launch_word = (captures).launch_word;                                                            \
    const size_t tw_r0 = (captures).r0, tw_r1 = (captures).r1, tw_r2 = (captures).r2;                                  \
    const size_t tw_o0 = (captures).o0, tw_o1 = (captures).o1, tw_o2 = (captures).o2;                                  \
    const uint64_t tw_inner = (captures).inner, tw_by_inner = (captures).by_inner;                                     \
    const uint64_t tw_by_middle = (captures).by_middle, tw_shape = (captures).shape;

#define TW_INTERNAL_SIMT_PRAGMA(words)                                                                                 \
    TW_INTERNAL_PRAGMA(omp target teams ompx_bare device(tw_device) num_teams(tw_teams) thread_limit(tw_threads)       \
                           firstprivate(TW_INTERNAL_SIMT_CAPTURE, TW_INTERNAL_CAPTURE_##words))
/* With memory for local accessors. */
#define TW_INTERNAL_SIMT_GROUP_PRAGMA(words)                                                                           \
    TW_INTERNAL_PRAGMA(omp target teams ompx_bare device(tw_device) num_teams(tw_teams) thread_limit(tw_threads)       \
                           ompx_dyn_cgroup_mem(tw_memory)                                                              \
                               firstprivate(TW_INTERNAL_SIMT_CAPTURE, TW_INTERNAL_CAPTURE_##words))

#define TW_INTERNAL_SIMT_MENTION(words)                                                                                \
    (void)tw_r0, (void)tw_r1, (void)tw_r2, (void)tw_o0, (void)tw_o1, (void)tw_o2, (void)tw_inner, (void)tw_by_inner,   \
        (void)tw_by_middle, (void)tw_shape;                                                                            \
    TW_INTERNAL_MENTION_WORDS(words)

#ifdef TW_INTERNAL_PASS_SIMT
#include <teamwork/lower/work_item.h>

/* This team's number in the dimensions of the range. */
TW_DEVICE_INLINE void tw_internal_simt_team(struct tw_internal_split split, uint64_t shape, unsigned dims,
                                            uint32_t team[3])
{
#ifdef __NVPTX__
    if (dims > 1 && shape & TW_INTERNAL_SIMT_SHAPED) {
        const uint32_t axes[3] = {(uint32_t)__nvvm_read_ptx_sreg_ctaid_x(), (uint32_t)__nvvm_read_ptx_sreg_ctaid_y(),
                                  dims == 3 ? (uint32_t)__nvvm_read_ptx_sreg_ctaid_z() : 0};
        for (unsigned d = 0; d < 3; ++d)
            team[d] = d < dims ? axes[dims - 1 - d] : 0;
        return;
    }
#endif
    (void)shape;
    tw_internal_split_id(tw_internal_team(), split, dims, team);
}

/* The place of this thread's work-item in a range of two or three dimensions, without the offset. */
TW_DEVICE_INLINE void tw_internal_simt_place(struct tw_internal_split split, uint64_t shape, unsigned dims,
                                             uint32_t place[3])
{
    const uint32_t log[3] = {shape & 255, shape >> 8 & 255, shape >> 16 & 255};
    uint32_t team[3], left = tw_internal_thread();
    tw_internal_split_id(tw_internal_team(), split, dims, team);
    for (unsigned d = dims; d-- > 0;) {
        place[d] = (team[d] << log[d]) + (d ? left & ((1u << log[d]) - 1) : left);
        left >>= log[d];
    }
}

#ifdef __NVPTX__
/* Likewise, where grid and threads have the dimensions of the range. */
TW_DEVICE_INLINE void tw_internal_simt_shaped_place(unsigned dims, uint32_t place[3])
{
    const uint32_t in[3] = {(uint32_t)__nvvm_read_ptx_sreg_tid_x(), (uint32_t)__nvvm_read_ptx_sreg_tid_y(),
                            (uint32_t)__nvvm_read_ptx_sreg_tid_z()};
    const uint32_t size[3] = {(uint32_t)__nvvm_read_ptx_sreg_ntid_x(), (uint32_t)__nvvm_read_ptx_sreg_ntid_y(),
                              (uint32_t)__nvvm_read_ptx_sreg_ntid_z()};
    const uint32_t team[3] = {(uint32_t)__nvvm_read_ptx_sreg_ctaid_x(), (uint32_t)__nvvm_read_ptx_sreg_ctaid_y(),
                              (uint32_t)__nvvm_read_ptx_sreg_ctaid_z()};
    for (unsigned d = 0; d < dims; ++d)
        place[d] = team[dims - 1 - d] * size[dims - 1 - d] + in[dims - 1 - d];
}
#endif

/* The work-item of this thread, for one constant number of dimensions. Where there are several, ids fit 32 bits in each (the
   library sees to that), and are computed in 32. */
TW_DEVICE_INLINE bool tw_internal_simt_range_item(tw_item *item, struct tw_internal_split split, uint64_t shape,
                                                  unsigned dims)
{
    item->tw_dims_ = dims;
    bool inside = true;
    uint32_t place[3];
    for (unsigned d = dims; d < 3; ++d) {
        item->tw_range_[d] = 1;
        item->tw_id_[d] = item->tw_offset_[d] = 0;
    }
    if (dims == 1) {
        item->tw_id_[0] = (size_t)tw_internal_team() * TW_INTERNAL_SIMT_RANGE_THREADS + tw_internal_thread();
        inside = item->tw_id_[0] < item->tw_range_[0];
        item->tw_id_[0] += item->tw_offset_[0];
        return inside;
    }
#ifdef __NVPTX__
    if (shape & TW_INTERNAL_SIMT_SHAPED) {
        tw_internal_simt_shaped_place(dims, place);
        for (unsigned d = 0; d < dims; ++d) {
            inside &= place[d] < (uint32_t)item->tw_range_[d];
            item->tw_id_[d] = place[d];
        }
        return inside;
    }
#endif
    tw_internal_simt_place(split, shape, dims, place);
    for (unsigned d = 0; d < dims; ++d) {
        inside &= place[d] < (uint32_t)item->tw_range_[d];
        item->tw_id_[d] = place[d] + (uint32_t)item->tw_offset_[d];
    }
    return inside;
}

TW_DEVICE_INLINE struct tw_internal_group tw_internal_simt_group(const size_t range[3], uint32_t l0, uint32_t l1,
                                                                 uint32_t l2, struct tw_internal_split split,
                                                                 uint64_t shape, unsigned dims)
{
    uint32_t team[3];
    tw_internal_simt_team(split, shape, dims, team);
    const uint32_t thread = tw_internal_thread();
    __builtin_assume(thread < l0 * l1 * l2);
    struct tw_internal_group group = {{team[0], team[1], team[2]},
                                      {range[0], dims > 1 ? range[1] : 1, dims > 2 ? range[2] : 1},
                                      {l0, l1, l2},
                                      dims,
                                      {thread, 0, 0},
                                      {0, 0, 0},
                                      NULL,
                                      NULL,
                                      NULL,
                                      false,
                                      NULL};
    if (dims == 2) {
        group.tw_thread_[0] = thread / l1;
        group.tw_thread_[1] = thread % l1;
    } else if (dims == 3) {
        group.tw_thread_[0] = thread / l2 / l1;
        group.tw_thread_[1] = thread / l2 % l1;
        group.tw_thread_[2] = thread % l2;
    }
    return group;
}

#define TW_INTERNAL_SIMT_SPLIT {(uint32_t)tw_inner, (uint32_t)(tw_inner >> 32), tw_by_inner, tw_by_middle}
#define TW_INTERNAL_SIMT_RANGE_BODY(name, words, dims_)                                                                \
    {                                                                                                                  \
        if (TW_INTERNAL_SERVES(name, words)) {                                                                         \
            TW_INTERNAL_REBUILD(name, words)                                                                           \
            const struct tw_internal_split tw_split = TW_INTERNAL_SIMT_SPLIT;                                          \
            tw_item tw_here = {{0, 0, 0}, {tw_r0, tw_r1, tw_r2}, {tw_o0, tw_o1, tw_o2}, 0};                            \
            if (tw_internal_simt_range_item(&tw_here, tw_split, tw_shape, dims_)) {                                    \
                TW_INTERNAL_INLINE_CALL(name(tw_here, tw_args))                                                        \
            }                                                                                                          \
        }                                                                                                              \
    }
#define TW_INTERNAL_SIMT_GROUP_BODY(name, words, dims_, l0, l1, l2)                                                    \
    {                                                                                                                  \
        if (TW_INTERNAL_SERVES(name, words)) {                                                                         \
            TW_INTERNAL_REBUILD(name, words)                                                                           \
            const struct tw_internal_split tw_split = TW_INTERNAL_SIMT_SPLIT;                                          \
            const size_t tw_r[3] = {tw_r0, tw_r1, tw_r2};                                                              \
            const struct tw_internal_group tw_here = tw_internal_simt_group(                                           \
                tw_r, (uint32_t)(l0), (uint32_t)(l1), (uint32_t)(l2), tw_split, tw_shape, dims_);                      \
            TW_INTERNAL_INLINE_CALL(name(&tw_here, tw_args))                                                           \
        }                                                                                                              \
    }
#define TW_INTERNAL_SIMT_ND_BODY(name, words, dims_, l0, l1, l2)                                                       \
    {                                                                                                                  \
        if (TW_INTERNAL_SERVES(name, words)) {                                                                         \
            TW_INTERNAL_REBUILD(name, words)                                                                           \
            const struct tw_internal_split tw_split = TW_INTERNAL_SIMT_SPLIT;                                          \
            const size_t tw_r[3] = {tw_r0, tw_r1, tw_r2};                                                              \
            struct tw_internal_group tw_here = tw_internal_simt_group(tw_r, (uint32_t)(l0), (uint32_t)(l1),            \
                                                                      (uint32_t)(l2), tw_split, tw_shape, dims_);      \
            tw_here.tw_offset_[0] = tw_o0, tw_here.tw_offset_[1] = tw_o1, tw_here.tw_offset_[2] = tw_o2;               \
            const tw_nd_item tw_item_ = {{tw_here.tw_thread_[0], tw_here.tw_thread_[1], tw_here.tw_thread_[2]},        \
                                         &tw_here};                                                                    \
            TW_INTERNAL_INLINE_CALL(name(tw_item_, tw_args))                                                           \
        }                                                                                                              \
    }
#define TW_INTERNAL_SIMT_TASK_BODY(name, words)                                                                        \
    {                                                                                                                  \
        if (TW_INTERNAL_SERVES(name, words)) {                                                                         \
            TW_INTERNAL_REBUILD(name, words)                                                                           \
            TW_INTERNAL_INLINE_CALL(name(tw_args))                                                                     \
        }                                                                                                              \
    }
#else
/* Not a GPU pass. On the host this runs only when there was no image. */
#define TW_INTERNAL_SIMT_OTHER_PASS                                                                                    \
    {                                                                                                                  \
        tw_internal_fell_back(tw_launch_word);                                                                         \
    }
#define TW_INTERNAL_SIMT_RANGE_BODY(name, words, dims_) TW_INTERNAL_SIMT_OTHER_PASS
#define TW_INTERNAL_SIMT_GROUP_BODY(name, words, dims_, l0, l1, l2) TW_INTERNAL_SIMT_OTHER_PASS
#define TW_INTERNAL_SIMT_ND_BODY(name, words, dims_, l0, l1, l2) TW_INTERNAL_SIMT_OTHER_PASS
#define TW_INTERNAL_SIMT_TASK_BODY(name, words) TW_INTERNAL_SIMT_OTHER_PASS
#endif

/* Regions for one number of dimensions, or for any: the branch is uniform and taken once. */
#define TW_INTERNAL_SIMT_RANGE_REGION_1(name, words, ...)                                                              \
    TW_INTERNAL_SIMT_PRAGMA(words)                                                                                     \
    {                                                                                                                  \
        TW_INTERNAL_SIMT_MENTION(words)                                                                                \
        TW_INTERNAL_SIMT_RANGE_BODY(name, words, 1)                                                                    \
    }
#define TW_INTERNAL_SIMT_RANGE_REGION_2(name, words, ...)                                                              \
    TW_INTERNAL_SIMT_PRAGMA(words)                                                                                     \
    {                                                                                                                  \
        TW_INTERNAL_SIMT_MENTION(words)                                                                                \
        TW_INTERNAL_SIMT_RANGE_BODY(name, words, 2)                                                                    \
    }
#define TW_INTERNAL_SIMT_RANGE_REGION_3(name, words, ...)                                                              \
    TW_INTERNAL_SIMT_PRAGMA(words)                                                                                     \
    {                                                                                                                  \
        TW_INTERNAL_SIMT_MENTION(words)                                                                                \
        TW_INTERNAL_SIMT_RANGE_BODY(name, words, 3)                                                                    \
    }
#define TW_INTERNAL_SIMT_RANGE_REGION_ANY(name, words, ...)                                                            \
    TW_INTERNAL_SIMT_PRAGMA(words)                                                                                     \
    {                                                                                                                  \
        TW_INTERNAL_SIMT_MENTION(words)                                                                                \
        const unsigned tw_dims = (unsigned)(tw_shape >> 24) & 255;                                                     \
        if (tw_dims == 1)                                                                                              \
            TW_INTERNAL_SIMT_RANGE_BODY(name, words, 1)                                                                \
        else if (tw_dims == 2)                                                                                         \
            TW_INTERNAL_SIMT_RANGE_BODY(name, words, 2)                                                                \
        else                                                                                                           \
            TW_INTERNAL_SIMT_RANGE_BODY(name, words, 3)                                                                \
    }

#define TW_INTERNAL_SIMT_RANGE(name, launch, which)                                                                    \
    {                                                                                                                  \
        struct tw_internal_simt_grid tw_grid;                                                                          \
        const struct tw_internal_simt_captures tw_captures = tw_internal_simt_range_captures(launch, &tw_grid);        \
        TW_INTERNAL_SIMT_DECLARE(launch, tw_grid, tw_captures)                                                         \
        TW_INTERNAL_WITH_WORDS(TW_INTERNAL_SIMT_RANGE_REGION_##which, name, launch)                                    \
    }

/* Hierarchical and nd_range kernels, KIND GROUP and ND: required sizes are constants; else the sizes travel in tw_shape, 11
   bits each. */
#define TW_INTERNAL_SIMT_GROUP_REGION_1(name, words, ...) TW_INTERNAL_SIMT_GROUP_REGION_R(GROUP, name, words, 1)
#define TW_INTERNAL_SIMT_GROUP_REGION_2(name, words, ...) TW_INTERNAL_SIMT_GROUP_REGION_R(GROUP, name, words, 2)
#define TW_INTERNAL_SIMT_GROUP_REGION_3(name, words, ...) TW_INTERNAL_SIMT_GROUP_REGION_R(GROUP, name, words, 3)
#define TW_INTERNAL_SIMT_GROUP_REGION_ANY(name, words, ...) TW_INTERNAL_SIMT_GROUP_REGION_N(GROUP, name, words)
#define TW_INTERNAL_SIMT_ND_REGION_1(name, words, ...) TW_INTERNAL_SIMT_GROUP_REGION_R(ND, name, words, 1)
#define TW_INTERNAL_SIMT_ND_REGION_2(name, words, ...) TW_INTERNAL_SIMT_GROUP_REGION_R(ND, name, words, 2)
#define TW_INTERNAL_SIMT_ND_REGION_3(name, words, ...) TW_INTERNAL_SIMT_GROUP_REGION_R(ND, name, words, 3)
#define TW_INTERNAL_SIMT_ND_REGION_ANY(name, words, ...) TW_INTERNAL_SIMT_GROUP_REGION_N(ND, name, words)
#define TW_INTERNAL_SIMT_GROUP_REGION_R(kind, name, words, dims_)                                                      \
    TW_INTERNAL_SIMT_GROUP_PRAGMA(words)                                                                               \
    {                                                                                                                  \
        TW_INTERNAL_SIMT_MENTION(words)                                                                                \
        TW_INTERNAL_SIMT_##kind##_BODY(name, words, dims_, name##_tw_local_0, name##_tw_local_1, name##_tw_local_2)    \
    }
#define TW_INTERNAL_SIMT_GROUP_REGION_N(kind, name, words)                                                             \
    TW_INTERNAL_SIMT_GROUP_PRAGMA(words)                                                                               \
    {                                                                                                                  \
        TW_INTERNAL_SIMT_MENTION(words)                                                                                \
        const unsigned tw_dims = (unsigned)(tw_shape >> 33) & 255;                                                     \
        if (tw_dims == 1)                                                                                              \
            TW_INTERNAL_SIMT_##kind##_BODY(name, words, 1, tw_shape & 2047, 1, 1) else if (tw_dims == 2)               \
                TW_INTERNAL_SIMT_##kind##_BODY(name, words, 2, tw_shape & 2047, tw_shape >> 11 & 2047,                 \
                                               1) else TW_INTERNAL_SIMT_##kind##_BODY(name, words, 3, tw_shape & 2047, \
                                                                                      tw_shape >> 11 & 2047,           \
                                                                                      tw_shape >> 22 & 2047)           \
    }

#define TW_INTERNAL_SIMT_GROUPS(name, launch, which)                                                                   \
    TW_INTERNAL_SIMT_GROUPS_(name, launch, TW_INTERNAL_SIMT_GROUP_REGION_##which)
#define TW_INTERNAL_SIMT_ND(name, launch, which)                                                                       \
    TW_INTERNAL_SIMT_GROUPS_(name, launch, TW_INTERNAL_SIMT_ND_REGION_##which)
#define TW_INTERNAL_SIMT_GROUPS_(name, launch, REGION)                                                                 \
    {                                                                                                                  \
        struct tw_internal_simt_grid tw_grid;                                                                          \
        const struct tw_internal_simt_captures tw_captures = tw_internal_simt_group_captures(launch, &tw_grid);        \
        TW_INTERNAL_SIMT_DECLARE(launch, tw_grid, tw_captures)                                                         \
        const unsigned tw_memory = (unsigned)(launch)->local_bytes;                                                    \
        TW_INTERNAL_WITH_WORDS(REGION, name, launch)                                                                   \
    }

#define TW_INTERNAL_SIMT_TASK_REGION(name, words, ...)                                                                 \
    TW_INTERNAL_PRAGMA(omp target teams ompx_bare device(tw_device) num_teams(1) thread_limit(1)                       \
                           firstprivate(tw_launch_word, TW_INTERNAL_CAPTURE_##words))                                  \
    {                                                                                                                  \
        TW_INTERNAL_MENTION_WORDS(words)                                                                               \
        TW_INTERNAL_SIMT_TASK_BODY(name, words)                                                                        \
    }
#define TW_INTERNAL_SIMT_TASK(name, launch)                                                                            \
    {                                                                                                                  \
        const int tw_device = (launch)->device;                                                                        \
        const uint64_t tw_launch_word = (uint64_t)(uintptr_t)(launch);                                                 \
        TW_INTERNAL_WITH_WORDS(TW_INTERNAL_SIMT_TASK_REGION, name, launch)                                             \
    }

#endif
