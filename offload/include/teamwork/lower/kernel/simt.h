/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The simt lowering: `target teams ompx_bare`, a plain GPU kernel with one thread a work-item.
 *
 * Grids of OpenMP are one-dimensional (clang 19 has no other), so a team finds its place by dividing its number;
 * multiplying by a precomputed reciprocal replaces the division. Where the library launches past OpenMP, the grid has
 * the dimensions of the range, and nothing is divided. Everything that fits 32 bits is computed in 32 bits and
 * widened last.
 */
#ifndef TEAMWORK_LOWER_SIMT_H
#define TEAMWORK_LOWER_SIMT_H

#include <assert.h>

#include <teamwork/lower/kernel/region.h>

/* Division of numbers below 2^31 by a divisor from 1 to 2^31: quotient = n * magic >> (31 + shift). Packed in a word:
   magic in the low 32 bits and shift above. */
TW_DEVICE_INLINE uint64_t tw_internal_reciprocal(size_t divisor)
{
    unsigned shift = 0;
    while (shift < 31 && ((size_t)1 << shift) < divisor)
        ++shift;
    /* a launch without work-items divides nothing by 0 */
    const uint64_t magic = ((uint64_t)1 << (31 + shift)) / (divisor ? divisor : 1) + 1;
    return (magic & 0xffffffffu) | (uint64_t)shift << 32;
}

TW_DEVICE_INLINE uint32_t tw_internal_divide(uint32_t n, uint64_t reciprocal)
{
    /* the high half of one product of 32-bit numbers */
    return (uint32_t)((uint64_t)(n << 1) * (uint32_t)reciprocal >> 32) >> (reciprocal >> 32 & 31);
}

/* Division of a thread's number by a size of its group, both at most 1024: quotient = n * magic >> 20. The magic is above the 37
   bits of the reciprocal of a number of teams. */
#define TW_INTERNAL_SIMT_SIZE_SHIFT 20
#define TW_INTERNAL_SIMT_SIZE_AT 40

TW_DEVICE_INLINE uint64_t tw_internal_size_reciprocal(size_t size)
{
    return ((1u << TW_INTERNAL_SIMT_SIZE_SHIFT) + size - 1) / size << TW_INTERNAL_SIMT_SIZE_AT;
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

/* A reduction runs in at most `max_parts` teams, which stride over the range or the groups. One of them runs even if there
   are no work-items: it leaves what a combination of nothing is. */
TW_DEVICE_INLINE size_t tw_internal_most_teams(const struct tw_internal_launch *launch, size_t teams)
{
    return teams > launch->max_parts ? launch->max_parts : teams ? teams : 1;
}

TW_DEVICE_INLINE size_t tw_internal_reduction_teams(const struct tw_internal_launch *launch)
{
    const size_t total = launch->range[0] * launch->range[1] * launch->range[2];
    return tw_internal_most_teams(launch,
                                  (total + TW_INTERNAL_SIMT_RANGE_THREADS - 1) / TW_INTERNAL_SIMT_RANGE_THREADS);
}

/* How many teams of that shape a range has in each dimension. */
TW_DEVICE_INLINE void tw_internal_team_grid(const size_t range[3], const unsigned log2[3], size_t grid[3])
{
    for (unsigned d = 0; d < 3; ++d)
        grid[d] = (range[d] >> log2[d]) + ((range[d] & (((size_t)1 << log2[d]) - 1)) != 0);
}

/* The first words of every region, in the order in which it receives them; the argument words follow. A single task
   uses `launch_word` alone. The library launches kernels past OpenMP with these. */
struct tw_internal_simt_captures {
    uint64_t r0, r1, r2; /* what the launch runs */
    uint64_t o0, o1, o2; /* its offset */
    uint64_t w0, w1, w2; /* the range of the launch that it is a part of */
    uint64_t f0, f1, f2; /* of groups the first one; else the offset of the launch that it is a part of */
    uint64_t inner, by_inner, by_middle, shape, launch_word;
};
static_assert(sizeof(struct tw_internal_simt_captures) == TW_INTERNAL_SIMT_WORDS * 8, "the head of a region");

TW_DEVICE_INLINE struct tw_internal_simt_captures tw_internal_simt_captures(const struct tw_internal_launch *launch,
                                                                            bool groups, struct tw_internal_split split,
                                                                            uint64_t shape)
{
    struct tw_internal_simt_captures captures = {launch->range[0],
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
                                                 (uint64_t)split.inner | (uint64_t)split.middle << 32,
                                                 split.by_inner,
                                                 split.by_middle,
                                                 shape,
                                                 (uint64_t)(uintptr_t)launch};
    return captures;
}

/* The first NVIDIA architecture whose code begins with tw_internal_simt_await(): ten times the number in its name. */
#define TW_INTERNAL_SIMT_AWAITS 900

/* How many teams a launch has, and threads each, in the dimensions of the range. Launched through OpenMP, both are made
   one-dimensional. */
struct tw_internal_simt_grid {
    size_t teams[3], threads[3];
};

TW_DEVICE_INLINE unsigned tw_internal_simt_count(const size_t in[3])
{
    return (unsigned)(in[0] * in[1] * in[2]);
}

/* One of these is set in `shape` of a launch whose grid is not one-dimensional: teams are numbered as the range is, and
   so are the threads of a range kernel. The last dimension is the hardware's x. Range kernels with an offset have the
   second one, so that those without add nothing. */
#define TW_INTERNAL_SIMT_SHAPED ((uint64_t)1 << 63)
#define TW_INTERNAL_SIMT_SHAPED_AT_OFFSET ((uint64_t)1 << 62)

/* Of a range kernel, whose teams have TW_INTERNAL_SIMT_RANGE_THREADS threads. */
TW_DEVICE_INLINE struct tw_internal_simt_captures
tw_internal_simt_range_captures(const struct tw_internal_launch *launch, struct tw_internal_simt_grid *grid)
{
    unsigned log[3];
    tw_internal_team_shape(launch->range, launch->dims, log);
    tw_internal_team_grid(launch->range, log, grid->teams);
    for (unsigned d = 0; d < 3; ++d)
        grid->threads[d] = (size_t)1 << log[d];
    struct tw_internal_split split = tw_internal_split_for(grid->teams, launch->dims);
    if (launch->dims == 1) { /* nothing is split: teams whose threads all have work-items, and work-items behind them */
        split.inner = (uint32_t)(launch->range[0] / TW_INTERNAL_SIMT_RANGE_THREADS);
        split.middle = (uint32_t)(launch->range[0] % TW_INTERNAL_SIMT_RANGE_THREADS);
    }
    return tw_internal_simt_captures(launch, false, split, log[0] | log[1] << 8 | log[2] << 16 | launch->dims << 24);
}

/* Of a reduction, in teams of as many threads, with the scratch memory in place of a shape. */
TW_DEVICE_INLINE struct tw_internal_simt_captures
tw_internal_simt_reduction_captures(const struct tw_internal_launch *launch, struct tw_internal_simt_grid *grid)
{
    grid->teams[0] = tw_internal_reduction_teams(launch);
    grid->threads[0] = TW_INTERNAL_SIMT_RANGE_THREADS;
    grid->teams[1] = grid->teams[2] = grid->threads[1] = grid->threads[2] = 1;
    return tw_internal_simt_captures(launch, false, tw_internal_split_for(launch->range, launch->dims),
                                     (uint64_t)(uintptr_t)launch->scratch);
}

/* Where `shape` of a kernel of work-groups has the size of a group in dimension d, in 11 bits; and for 3, how many
   dimensions there are. None is at bit 0: what is masked there LLVM keeps 64 bits wide, and computes with it so. */
#define TW_INTERNAL_SIMT_LOCAL_AT(d) (1 + 11 * (d))
#define TW_INTERNAL_SIMT_LOCAL(shape, d) ((uint32_t)((shape) >> TW_INTERNAL_SIMT_LOCAL_AT(d) & 2047))

/* Of a kernel of work-groups: a team for each group, a thread for each work-item. */
TW_DEVICE_INLINE struct tw_internal_simt_captures
tw_internal_simt_group_captures(const struct tw_internal_launch *launch, struct tw_internal_simt_grid *grid)
{
    const size_t *local = launch->local;
    for (unsigned d = 0; d < 3; ++d) {
        grid->teams[d] = launch->range[d];
        grid->threads[d] = local[d];
    }
    struct tw_internal_split split = tw_internal_split_for(launch->range, launch->dims);
    split.by_inner |= tw_internal_size_reciprocal(local[launch->dims - 1]);
    split.by_middle |= tw_internal_size_reciprocal(local[1]);
    uint64_t shape = (uint64_t)launch->dims << TW_INTERNAL_SIMT_LOCAL_AT(3);
    for (unsigned d = 0; d < 3; ++d)
        shape |= (uint64_t)local[d] << TW_INTERNAL_SIMT_LOCAL_AT(d);
    return tw_internal_simt_captures(launch, true, split, shape);
}

/* Of a kernel of work-groups that reduces: teams stride over the groups. The scratch memory takes the place of what
   tw_internal_simt_group_reduction_split() finds out again. */
TW_DEVICE_INLINE struct tw_internal_simt_captures
tw_internal_simt_group_reduction_captures(const struct tw_internal_launch *launch, struct tw_internal_simt_grid *grid)
{
    struct tw_internal_simt_captures captures = tw_internal_simt_group_captures(launch, grid);
    captures.inner = (uint64_t)(uintptr_t)launch->scratch;
    grid->teams[0] = tw_internal_most_teams(launch, launch->range[0] * launch->range[1] * launch->range[2]);
    grid->teams[1] = grid->teams[2] = 1;
    return captures;
}

/* ---- entries of regions: for each form the clauses and words of a launch whose block has `bytes` ----------------- */

TW_DEVICE_INLINE struct tw_internal_entry tw_internal_simt_entry(const struct tw_internal_launch *launch,
                                                                 const struct tw_internal_simt_captures *captures,
                                                                 const struct tw_internal_simt_grid *grid, size_t bytes)
{
    struct tw_internal_entry entry = {launch->device,
                                      (int)tw_internal_simt_count(grid->teams),
                                      (int)tw_internal_simt_count(grid->threads),
                                      (unsigned)launch->local_bytes,
                                      0,
                                      {0}};
    tw_internal_add_block(&entry, TW_INTERNAL_SIMT_WORDS, launch, captures, bytes);
    return entry;
}

TW_DEVICE_INLINE struct tw_internal_entry tw_internal_simt_task_entry(const struct tw_internal_launch *launch,
                                                                      size_t bytes)
{
    const struct tw_internal_simt_captures captures = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (uint64_t)(uintptr_t)launch};
    const struct tw_internal_simt_grid grid = {{1, 1, 1}, {1, 1, 1}};
    return tw_internal_simt_entry(launch, &captures, &grid, bytes);
}

TW_DEVICE_INLINE struct tw_internal_entry tw_internal_simt_range_entry(const struct tw_internal_launch *launch,
                                                                       size_t bytes)
{
    struct tw_internal_simt_grid grid;
    const struct tw_internal_simt_captures captures = tw_internal_simt_range_captures(launch, &grid);
    return tw_internal_simt_entry(launch, &captures, &grid, bytes);
}

TW_DEVICE_INLINE struct tw_internal_entry tw_internal_simt_group_entry(const struct tw_internal_launch *launch,
                                                                       size_t bytes)
{
    struct tw_internal_simt_grid grid;
    const struct tw_internal_simt_captures captures = tw_internal_simt_group_captures(launch, &grid);
    return tw_internal_simt_entry(launch, &captures, &grid, bytes);
}

TW_DEVICE_INLINE struct tw_internal_entry tw_internal_simt_reduction_entry(const struct tw_internal_launch *launch,
                                                                           size_t bytes)
{
    struct tw_internal_simt_grid grid;
    const struct tw_internal_simt_captures captures = tw_internal_simt_reduction_captures(launch, &grid);
    return tw_internal_simt_entry(launch, &captures, &grid, bytes);
}

TW_DEVICE_INLINE struct tw_internal_entry
tw_internal_simt_group_reduction_entry(const struct tw_internal_launch *launch, size_t bytes)
{
    struct tw_internal_simt_grid grid;
    const struct tw_internal_simt_captures captures = tw_internal_simt_group_reduction_captures(launch, &grid);
    return tw_internal_simt_entry(launch, &captures, &grid, bytes);
}

/* What a region received. Not copied: the fewer structs are copied and returned, the sooner LLVM sees through them. */
TW_DEVICE_INLINE const struct tw_internal_simt_captures *tw_internal_simt_head(const uint64_t *words)
{
    return (const struct tw_internal_simt_captures *)words;
}

TW_DEVICE_INLINE struct tw_internal_launch *tw_internal_simt_launch(const uint64_t *words)
{
    return (struct tw_internal_launch *)(uintptr_t)tw_internal_simt_head(words)->launch_word;
}

/* In a region of `count` words for the block: the block. */
TW_DEVICE_INLINE TW_INTERNAL_CONST_ADDRESS tw_internal_simt_block(const uint64_t *words, unsigned count, void *copy,
                                                                  size_t bytes)
{
    return tw_internal_block_of(words + TW_INTERNAL_SIMT_WORDS, count, copy, bytes);
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

// clang-format off
#ifdef TW_INTERNAL_SIMT_BUILT
/* The functions that enter the region of a kernel; the form is task, range, group or reduction. The region calls what
   TW_INTERNAL_SIMT_TASK and the like define. Expands to:

       static void saxpy_tw_simt_8(...) { #pragma omp target teams ompx_bare ... { saxpy_tw_simt_body(...); } }
       static void saxpy_tw_simt_32 ... _128 and _1 likewise
       static void saxpy_tw_simt(launch) { entry = tw_internal_simt_range_entry(launch, bytes of the block); ... } */
#define TW_INTERNAL_SIMT(name, form)                                                                                   \
    TW_INTERNAL_SIMT_REGION(name, 8, 25)                                                                               \
    TW_INTERNAL_SIMT_REGION(name, 32, 49)                                                                              \
    TW_INTERNAL_SIMT_REGION(name, 128, 145)                                                                            \
    TW_INTERNAL_SIMT_REGION(name, 1, 18)                                                                               \
    TW_INTERNAL_LAUNCHER(name, simt, form)

#define TW_INTERNAL_SIMT_REGION(name, block, words)                                                                    \
    TW_INTERNAL_REGION_FUNCTION(name, simt, block)                                                                     \
    {                                                                                                                  \
        const int tw_device = tw_entry->device, tw_teams = tw_entry->teams, tw_threads = tw_entry->threads;            \
        const unsigned tw_memory = tw_entry->local_bytes;                                                              \
        const uint64_t *const tw_in = tw_entry->in;                                                                    \
        const uint64_t TW_INTERNAL_EACH_##words(TW_INTERNAL_TAKE, tw_in);                                              \
        TW_INTERNAL_PRAGMA(omp target teams ompx_bare device(tw_device) num_teams(tw_teams) thread_limit(tw_threads)   \
                               ompx_dyn_cgroup_mem(tw_memory)                                                          \
                               firstprivate(TW_INTERNAL_EACH_##words(TW_INTERNAL_NAMED, )))                            \
        {                                                                                                              \
            const uint64_t tw_words[] = {TW_INTERNAL_EACH_##words(TW_INTERNAL_NAMED, )};                               \
            TW_INTERNAL_SIMT_CALL(name, tw_words, block);                                                              \
        }                                                                                                              \
    }
#else
#define TW_INTERNAL_SIMT(name, form)
#endif

#ifndef TW_INTERNAL_PASS_SIMT
/* On the host this runs only when there was no image. */
#define TW_INTERNAL_SIMT_CALL(name, words, count) tw_internal_fell_back(tw_internal_simt_launch(words))
#define TW_INTERNAL_SIMT_TASK(name, values)
#define TW_INTERNAL_SIMT_RANGE(name, values)
#define TW_INTERNAL_SIMT_GROUP(name, point, values)
#endif
// clang-format on

#ifdef TW_INTERNAL_PASS_SIMT
#include <teamwork/lower/group/work_item.h>

TW_DEVICE_INLINE struct tw_internal_split tw_internal_simt_split(const struct tw_internal_simt_captures *head)
{
    const struct tw_internal_split split = {(uint32_t)head->inner, (uint32_t)(head->inner >> 32), head->by_inner,
                                            head->by_middle};
    return split;
}

TW_DEVICE_INLINE unsigned tw_internal_simt_range_dims(const uint64_t *words)
{
    return (unsigned)(tw_internal_simt_head(words)->shape >> 24) & 255;
}

TW_DEVICE_INLINE unsigned tw_internal_simt_group_dims(const uint64_t *words)
{
    return (unsigned)(tw_internal_simt_head(words)->shape >> TW_INTERNAL_SIMT_LOCAL_AT(3)) & 255;
}

#define TW_INTERNAL_SIMT_NOT_SHAPED(shape) __builtin_expect(((shape) & TW_INTERNAL_SIMT_SHAPED) == 0, 0)

/* The word is opaque to LLVM, which would test all 64 bits. */
TW_DEVICE_INLINE bool tw_internal_simt_shaped_at_offset(uint64_t shape)
{
#ifdef __NVPTX__
    uint32_t high;
    __asm__("{\n\t.reg .b32 low;\n\tmov.b64 {low, %0}, %1;\n\t}" : "=r"(high) : "l"(shape));
    return high & (uint32_t)(TW_INTERNAL_SIMT_SHAPED_AT_OFFSET >> 32);
#else
    return shape & TW_INTERNAL_SIMT_SHAPED_AT_OFFSET;
#endif
}

/* This team's number in the dimensions of the range. What the hardware counts is read in any case: reading it takes as
   long as reading the word that says whether it is what is asked for. */
TW_DEVICE_INLINE void tw_internal_simt_team(struct tw_internal_split split, uint64_t shape, unsigned dims,
                                            uint32_t team[3])
{
#ifdef __NVPTX__
    const uint32_t axes[3] = {(uint32_t)__nvvm_read_ptx_sreg_ctaid_x(), (uint32_t)__nvvm_read_ptx_sreg_ctaid_y(),
                              dims == 3 ? (uint32_t)__nvvm_read_ptx_sreg_ctaid_z() : 0};
#else
    const uint32_t axes[3] = {(uint32_t)__builtin_amdgcn_workgroup_id_x(), (uint32_t)__builtin_amdgcn_workgroup_id_y(),
                              dims == 3 ? (uint32_t)__builtin_amdgcn_workgroup_id_z() : 0};
#endif
    for (unsigned d = 0; d < 3; ++d)
        team[d] = d < dims ? axes[dims - 1 - d] : 0;
    if (TW_INTERNAL_SIMT_NOT_SHAPED(shape))
        tw_internal_split_id(tw_internal_team(), split, dims, team);
}

/* The place of this thread's work-item in a range of two or three dimensions, without the offset. */
TW_DEVICE_INLINE void tw_internal_simt_place(struct tw_internal_split split, uint64_t shape, unsigned dims,
                                             uint32_t place[3])
{
    const uint32_t log[3] = {(uint32_t)shape & 255, (uint32_t)shape >> 8 & 255, (uint32_t)shape >> 16 & 255};
    uint32_t team[3], left = tw_internal_thread();
    tw_internal_split_id(tw_internal_team(), split, dims, team);
    for (unsigned d = dims; d-- > 0;) {
        place[d] = (team[d] << log[d]) + (d ? left & ((1u << log[d]) - 1) : left);
        left >>= log[d];
    }
}

/* Likewise, where grid and threads have the dimensions of the range. */
TW_DEVICE_INLINE void tw_internal_simt_shaped_place(uint64_t shape, unsigned dims, uint32_t place[3])
{
#ifdef __NVPTX__
    (void)shape;
    const uint32_t in[3] = {(uint32_t)__nvvm_read_ptx_sreg_tid_x(), (uint32_t)__nvvm_read_ptx_sreg_tid_y(),
                            (uint32_t)__nvvm_read_ptx_sreg_tid_z()};
    const uint32_t size[3] = {(uint32_t)__nvvm_read_ptx_sreg_ntid_x(), (uint32_t)__nvvm_read_ptx_sreg_ntid_y(),
                              (uint32_t)__nvvm_read_ptx_sreg_ntid_z()};
    const uint32_t team[3] = {(uint32_t)__nvvm_read_ptx_sreg_ctaid_x(), (uint32_t)__nvvm_read_ptx_sreg_ctaid_y(),
                              (uint32_t)__nvvm_read_ptx_sreg_ctaid_z()};
    for (unsigned d = 0; d < dims; ++d)
        place[d] = team[dims - 1 - d] * size[dims - 1 - d] + in[dims - 1 - d];
#else /* which would read the sizes from memory */
    const uint32_t in[3] = {(uint32_t)__builtin_amdgcn_workitem_id_x(), (uint32_t)__builtin_amdgcn_workitem_id_y(),
                            (uint32_t)__builtin_amdgcn_workitem_id_z()};
    const uint32_t team[3] = {(uint32_t)__builtin_amdgcn_workgroup_id_x(), (uint32_t)__builtin_amdgcn_workgroup_id_y(),
                              (uint32_t)__builtin_amdgcn_workgroup_id_z()};
    for (unsigned d = 0; d < dims; ++d)
        place[d] = (team[dims - 1 - d] << (shape >> 8 * d & 255)) + in[dims - 1 - d];
#endif
}

TW_DEVICE_INLINE bool tw_internal_simt_inside(const size_t range[3], const uint32_t place[3], unsigned dims)
{
    bool inside = true;
    for (unsigned d = 0; d < dims; ++d)
        inside &= place[d] < (uint32_t)range[d];
    return inside;
}

/* The work-item of this thread, for one constant number of dimensions. Where there are several, ids fit 32 bits in
   each (the library sees to that), and are computed in 32. */
TW_DEVICE_INLINE bool tw_internal_simt_range_item(tw_item *item, const uint64_t *words, unsigned dims)
{
    const struct tw_internal_simt_captures *const head = tw_internal_simt_head(words);
    const struct tw_internal_split split = tw_internal_simt_split(head);
    const uint64_t shape = head->shape;
    const size_t range[3] = {head->r0, head->r1, head->r2}, offset[3] = {head->o0, head->o1, head->o2};
    item->tw_range_[0] = head->w0;
    item->tw_range_[1] = head->w1;
    item->tw_range_[2] = head->w2;
    item->tw_offset_[0] = head->f0;
    item->tw_offset_[1] = head->f1;
    item->tw_offset_[2] = head->f2;
    item->tw_dims_ = dims;
    for (unsigned d = dims; d < 3; ++d) {
        item->tw_range_[d] = 1;
        item->tw_id_[d] = item->tw_offset_[d] = 0;
    }
    if (dims == 1) {
        const uint32_t team = tw_internal_team(), thread = tw_internal_thread();
        item->tw_id_[0] = (size_t)team * TW_INTERNAL_SIMT_RANGE_THREADS + thread + offset[0];
        return (team < split.inner) | (thread < split.middle); /* no product before it */
    }
    uint32_t place[3] = {0, 0, 0};
    tw_internal_simt_shaped_place(shape, dims, place);
    bool inside = tw_internal_simt_inside(range, place, dims);
    if (TW_INTERNAL_SIMT_NOT_SHAPED(shape)) {
        if (!tw_internal_simt_shaped_at_offset(shape)) {
            tw_internal_simt_place(split, shape, dims, place);
            inside = tw_internal_simt_inside(range, place, dims);
        }
        for (unsigned d = 0; d < dims; ++d)
            place[d] += (uint32_t)offset[d];
    }
    for (unsigned d = 0; d < dims; ++d)
        item->tw_id_[d] = place[d];
    return inside;
}

/* Tells the compiler that the next id of a work-item that there is fits 32 bits, too. */
TW_DEVICE_INLINE void tw_internal_simt_tell_ids(const tw_item *item, unsigned dims)
{
    const size_t last = UINT32_MAX;
    if (dims > 1) {
        __builtin_assume(item->tw_id_[0] < last);
        __builtin_assume(item->tw_id_[1] < last);
        __builtin_assume(item->tw_id_[2] < last); /* 0 without a third dimension */
    }
}

/* The quotient of a thread's number and a size of its group: less than `rows`, with a remainder less than the size, which the
   compiler cannot know. */
TW_DEVICE_INLINE uint32_t tw_internal_simt_row(uint32_t thread, uint32_t size, uint64_t reciprocal, uint32_t rows)
{
    if (__builtin_constant_p(size))
        return thread / size;
    const uint32_t row = thread * (uint32_t)(reciprocal >> TW_INTERNAL_SIMT_SIZE_AT) >> TW_INTERNAL_SIMT_SIZE_SHIFT;
    __builtin_assume(row < rows && row * size <= thread && thread - row * size < size);
    return row;
}

/* Sets the group of a team of the launch, with this thread's place in it. l0, l1, l2: the size that the kernel requires, or 0. */
TW_DEVICE_INLINE void tw_internal_simt_group_at(struct tw_internal_group *group, const uint64_t *words,
                                                const uint32_t team[3], uint32_t l0, uint32_t l1, uint32_t l2,
                                                unsigned dims)
{
    const struct tw_internal_simt_captures *const head = tw_internal_simt_head(words);
    if (!l0) {
        l0 = TW_INTERNAL_SIMT_LOCAL(head->shape, 0);
        l1 = dims > 1 ? TW_INTERNAL_SIMT_LOCAL(head->shape, 1) : 1;
        l2 = dims > 2 ? TW_INTERNAL_SIMT_LOCAL(head->shape, 2) : 1;
    }
    const uint32_t thread = tw_internal_thread();
    __builtin_assume(thread < l0 * l1 * l2);
    struct tw_internal_group here = {{team[0] + (uint32_t)head->f0, dims > 1 ? team[1] + (uint32_t)head->f1 : 0,
                                      dims > 2 ? team[2] + (uint32_t)head->f2 : 0},
                                     {head->w0, dims > 1 ? head->w1 : 1, dims > 2 ? head->w2 : 1},
                                     {l0, l1, l2},
                                     dims,
                                     {thread, 0, 0},
                                     {head->o0, head->o1, head->o2},
                                     NULL,
                                     NULL,
                                     NULL,
                                     false,
                                     NULL};
    *group = here;
    if (dims == 2) {
        group->tw_thread_[0] = tw_internal_simt_row(thread, l1, head->by_inner, l0);
        group->tw_thread_[1] = thread - group->tw_thread_[0] * l1;
    } else if (dims == 3) {
        const uint32_t row = tw_internal_simt_row(thread, l2, head->by_inner, l0 * l1);
        group->tw_thread_[0] = tw_internal_simt_row(row, l1, head->by_middle, l0);
        group->tw_thread_[1] = row - group->tw_thread_[0] * l1;
        group->tw_thread_[2] = thread - row * l2;
    }
}

/* The group of this thread. */
TW_DEVICE_INLINE void tw_internal_simt_group(struct tw_internal_group *group, const uint64_t *words, uint32_t l0,
                                             uint32_t l1, uint32_t l2, unsigned dims)
{
    const struct tw_internal_simt_captures *const head = tw_internal_simt_head(words);
    uint32_t team[3];
    tw_internal_simt_team(tw_internal_simt_split(head), head->shape, dims, team);
    tw_internal_simt_group_at(group, words, team, l0, l1, l2, dims);
}

TW_DEVICE_INLINE tw_nd_item tw_internal_simt_nd_item(tw_group group)
{
    tw_nd_item item = {{group->tw_thread_[0], group->tw_thread_[1], group->tw_thread_[2]}, group};
    return item;
}

/* Waits until what comes before this launch in its stream is over, and what that has written can be seen. All code for GPUs that
   know it (sm_90) begins with it, so the CUDA backend lets launches begin while the one before them ends. */
TW_DEVICE_INLINE void tw_internal_simt_await(void)
{
#if defined(__NVPTX__) && defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= TW_INTERNAL_SIMT_AWAITS
    __asm__ volatile("griddepcontrol.wait;" ::: "memory");
#endif
#endif
}

// clang-format off
#define TW_INTERNAL_SIMT_CALL(name, words, count) tw_internal_simt_await(), name##_tw_simt_body(words, count)

/* Expands to: void init_tw_simt_body(words, count) { rebuild the block; init_tw_call(block); } */
#define TW_INTERNAL_SIMT_TASK(name, values)                                                                            \
    TW_INTERNAL_ROLE("simt=" #name)                                                                                    \
    TW_DEVICE_INLINE void name##_tw_simt_body(const uint64_t *tw_words, unsigned tw_count)                             \
    {                                                                                                                  \
        name##_tw_block tw_copy;                                                                                       \
        name##_tw_call(                                                                                                \
            values##_IN(name, tw_internal_simt_block(tw_words, tw_count, &tw_copy, sizeof tw_copy), tw_count != 1));   \
    }

/* Expands to:

       void saxpy_tw_simt_item(words, block, dims) { if (this thread has a work-item) saxpy_tw_call(item, block); }
       void saxpy_tw_simt_body(words, count) { rebuild the block; saxpy_tw_simt_item(..., 1 or 2 or 3); } */
#define TW_INTERNAL_SIMT_RANGE(name, values)                                                                           \
    TW_DEVICE_INLINE void name##_tw_simt_item(const uint64_t *tw_words, const name##_tw_block *tw_args,                \
                                              unsigned tw_dims)                                                        \
    {                                                                                                                  \
        tw_item tw_here;                                                                                               \
        if (tw_internal_simt_range_item(&tw_here, tw_words, tw_dims)) {                                                \
            tw_internal_simt_tell_ids(&tw_here, tw_dims);                                                              \
            name##_tw_call(tw_here, tw_args);                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_ROLE("simt=" #name)                                                                                    \
    TW_DEVICE_INLINE void name##_tw_simt_body(const uint64_t *tw_words, unsigned tw_count)                             \
    {                                                                                                                  \
        name##_tw_block tw_copy;                                                                                       \
        const name##_tw_block *const tw_args =                                                                         \
            values##_IN(name, tw_internal_simt_block(tw_words, tw_count, &tw_copy, sizeof tw_copy), tw_count != 1);    \
        TW_INTERNAL_BY_DIMS(name##_tw_dims, tw_internal_simt_range_dims(tw_words), name##_tw_simt_item, tw_words,      \
                            tw_args)                                                                                   \
    }

#define TW_INTERNAL_SIMT_POINT_group(here) &(here)
#define TW_INTERNAL_SIMT_POINT_item(here) tw_internal_simt_nd_item(&(here))

/* Hierarchical and nd_range kernels; `point` is what the kernel's function takes: group or item. A required size is a
   constant.
   Expands to: the same with void tile_tw_simt_group(words, block, dims) { tile_tw_call(group, block); } */
#define TW_INTERNAL_SIMT_GROUP(name, point, values)                                                                    \
    TW_DEVICE_INLINE void name##_tw_simt_group(const uint64_t *tw_words, const name##_tw_block *tw_args,               \
                                               unsigned tw_dims)                                                       \
    {                                                                                                                  \
        struct tw_internal_group tw_here;                                                                              \
        tw_internal_simt_group(&tw_here, tw_words, name##_tw_local_0, name##_tw_local_1, name##_tw_local_2, tw_dims);  \
        name##_tw_call(TW_INTERNAL_SIMT_POINT_##point(tw_here), tw_args);                                              \
    }                                                                                                                  \
    TW_INTERNAL_LAUNCH_BOUNDS(name)                                                                                    \
    TW_INTERNAL_ROLE("simt=" #name)                                                                                    \
    TW_DEVICE_INLINE void name##_tw_simt_body(const uint64_t *tw_words, unsigned tw_count)                             \
    {                                                                                                                  \
        name##_tw_block tw_copy;                                                                                       \
        const name##_tw_block *const tw_args =                                                                         \
            values##_IN(name, tw_internal_simt_block(tw_words, tw_count, &tw_copy, sizeof tw_copy), tw_count != 1);    \
        TW_INTERNAL_BY_DIMS(name##_tw_dims, tw_internal_simt_group_dims(tw_words), name##_tw_simt_group, tw_words,     \
                            tw_args)                                                                                   \
    }
// clang-format on

#endif

#endif
