/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The host lowering: kernels as loops of a team of OpenMP threads on the initial device, never through a target region.
 *
 * The parallel region is the library's (offload/host.c), so that several kernels can share one: what the macros
 * define is what a thread of the team does, piece `tw_piece` of `tw_pieces`. Range kernels: a loop over rows, or over
 * pieces of rows when there are few, and an inner vectorized loop. Hierarchical kernels: a loop over groups;
 * work-item loops are plain loops of the thread that runs the group (work_item.h). Everything that the loops use is
 * the function's own: stores through `char *` may alias anything else, and nothing vectorizes.
 */
#ifndef TEAMWORK_LOWER_HOST_H
#define TEAMWORK_LOWER_HOST_H

#include <teamwork/lower/kernel/split.h>

/* How a range is cut for the threads: `pieces` for each of `rows` rows of the last dimension. */
struct tw_internal_cut {
    size_t rows, pieces, piece, row_length;
};

TW_DEVICE_INLINE struct tw_internal_cut tw_internal_cut_range(const struct tw_internal_launch *launch, unsigned dims,
                                                              size_t threads)
{
    struct tw_internal_cut cut = {1, 1, 0, launch->range[dims - 1]};
    for (unsigned d = 0; d + 1 < dims; ++d)
        cut.rows *= launch->range[d];
    if (cut.rows && cut.rows < 4 * threads && cut.rows % threads)
        cut.pieces = cut.rows == 1 ? threads : (4 * threads + cut.rows - 1) / cut.rows;
    cut.piece = (cut.row_length + cut.pieces - 1) / cut.pieces;
    if (cut.piece > 1024)
        cut.piece = (cut.piece + 63) / 64 * 64; /* whole cache lines, and no remainder loops */
    cut.pieces = cut.piece ? (cut.row_length + cut.piece - 1) / cut.piece : 0;
    return cut;
}

/* Where piece `piece` of `pieces` of `total` things begins. */
TW_DEVICE_INLINE size_t tw_internal_piece_first(size_t total, size_t piece, size_t pieces)
{
    const size_t each = total / pieces, rest = total % pieces;
    return piece * each + (piece < rest ? piece : rest);
}

/* What the work-items of a launch have in common. Numbers past `dims`, which is a constant, are constants. Made without a
   loop, here and for groups: LLVM unrolls loops late, and until then sees less of those of the kernel. */
struct tw_internal_rows {
    tw_item item;    /* without an id */
    size_t first[3]; /* id */
    size_t middle;   /* rows of the part in the dimension before the last, of three */
};

TW_DEVICE_INLINE struct tw_internal_rows tw_internal_rows(const struct tw_internal_launch *launch, unsigned dims)
{
    const size_t *const whole = launch->whole, *const from = launch->offset, *const first = launch->first;
    const struct tw_internal_rows rows = {
        {{0, 0, 0},
         {whole[0], dims > 1 ? whole[1] : 1, dims > 2 ? whole[2] : 1},
         {from[0] - first[0], dims > 1 ? from[1] - first[1] : 0, dims > 2 ? from[2] - first[2] : 0},
         dims},
        {from[0], dims > 1 ? from[1] : 0, dims > 2 ? from[2] : 0},
        dims > 2 ? launch->range[1] : 1};
    return rows;
}

/* The item in row `row` of the range whose last id, with the offset, is `last`. Loops count that id itself: so it
   stays an induction variable for the vectorizer, in 32 bits where a kernel asks for no more. */
TW_DEVICE_INLINE tw_item tw_internal_item(size_t row, size_t last, const struct tw_internal_rows *rows, unsigned dims)
{
    tw_item item = rows->item;
    item.tw_id_[0] = last;
    if (dims > 1) {
        item.tw_id_[0] = rows->first[0] + (dims == 2 ? row : row / rows->middle);
        item.tw_id_[1] = dims == 2 ? last : rows->first[1] + row % rows->middle;
        item.tw_id_[2] = dims == 2 ? 0 : last;
    }
    return item;
}

// clang-format off
#ifdef TW_INTERNAL_DEVICE_PASS
#define TW_INTERNAL_HOST_TASK(name, values)
#define TW_INTERNAL_HOST_RANGE(name, values)
#else
/* The function that runs a piece of a kernel on a CPU.
   Expands to: void init_tw_host(launch, ...) { init_tw_call(block); } */
#define TW_INTERNAL_HOST_TASK(name, values)                                                                            \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    {                                                                                                                  \
        values##_COPY(name);                                                                                           \
        (void)tw_piece, (void)tw_pieces;                                                                               \
        name##_tw_call(&tw_args);                                                                                      \
    }

/* Whole rows, or pieces of rows. Two loops, because the arithmetic for pieces costs a short row more than its work.
   Expands to:

       void saxpy_tw_rows(launch, piece, pieces, dims) { for (...) saxpy_tw_row(...); }
       static void saxpy_tw_host(launch, piece, pieces) { saxpy_tw_rows(launch, piece, pieces, 1 or 2 or 3); } */
#define TW_INTERNAL_HOST_RANGE(name, values)                                                                           \
    TW_DEVICE_INLINE void name##_tw_rows(const struct tw_internal_launch *tw_launch, size_t tw_piece,                  \
                                         size_t tw_pieces, unsigned tw_dims)                                           \
    {                                                                                                                  \
        values##_COPY(name);                                                                                           \
        const struct tw_internal_cut tw_cut = tw_internal_cut_range(tw_launch, tw_dims, tw_pieces);                    \
        const size_t tw_total = tw_cut.rows * tw_cut.pieces;                                                           \
        const size_t tw_from = tw_internal_piece_first(tw_total, tw_piece, tw_pieces);                                 \
        const size_t tw_to = tw_internal_piece_first(tw_total, tw_piece + 1, tw_pieces);                               \
        const struct tw_internal_rows tw_rows = tw_internal_rows(tw_launch, tw_dims);                                  \
        const size_t tw_first = tw_rows.first[tw_dims - 1];                                                            \
        if (tw_dims > 1 && tw_cut.pieces == 1)                                                                         \
            for (size_t tw_row = tw_from; tw_row < tw_to; ++tw_row)                                                    \
                name##_tw_row(tw_row, tw_first, tw_cut.row_length, &tw_rows, &tw_args, tw_dims);                       \
        else                                                                                                           \
            for (size_t tw_p = tw_from; tw_p < tw_to; ++tw_p) {                                                        \
                const size_t tw_before = tw_p % tw_cut.pieces * tw_cut.piece, tw_rest = tw_cut.row_length - tw_before; \
                name##_tw_row(tw_p / tw_cut.pieces, tw_first + tw_before,                                              \
                              tw_cut.piece < tw_rest ? tw_cut.piece : tw_rest, &tw_rows, &tw_args, tw_dims);           \
            }                                                                                                          \
    }                                                                                                                  \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    {                                                                                                                  \
        TW_INTERNAL_BY_DIMS(name##_tw_dims, tw_launch->dims, name##_tw_rows, tw_launch, tw_piece, tw_pieces)           \
    }
#endif

/* A part of a row, vectorized. Everything that the loop uses is the function's own: stores through `char *` may alias
   anything else.
   Expands to: void saxpy_tw_row(row, first, count, ...) { for (i from first) saxpy_tw_call(item, block); } */
#define TW_INTERNAL_HOST_ROW(name, options)                                                                            \
    TW_DEVICE_INLINE void name##_tw_row(size_t tw_row, size_t tw_first, size_t tw_count,                               \
                                        const struct tw_internal_rows *tw_rows, const name##_tw_block *tw_args,        \
                                        unsigned tw_dims)                                                              \
    {                                                                                                                  \
        const size_t tw_past = tw_first + tw_count;                                                                    \
        TW_INTERNAL_PRAGMA(clang loop options)                                                                         \
        for (size_t tw_i = tw_first; TW_INTERNAL_ITEMS, tw_i != tw_past; ++tw_i)                                       \
            name##_tw_call(tw_internal_item(tw_row, tw_i, tw_rows, tw_dims), tw_args);                                 \
    }
// clang-format on

/* Memory for local accessors. False: there is none, and the launch says so. */
TW_DEVICE_INLINE bool tw_internal_cpu_memory(struct tw_internal_launch *launch, void **memory)
{
    *memory = launch->local_bytes ? launch->cpu->memory(launch) : NULL;
    return *memory || !launch->local_bytes;
}

/* The size of most tiles, and the length of the rows of most others. Kernels that do not say the size of their groups are
   compiled for such groups besides. */
enum { TW_INTERNAL_TILE = 16, TW_INTERNAL_ROW = 32 };

TW_DEVICE_INLINE bool tw_internal_is_tile(const struct tw_internal_launch *launch)
{
    return launch->dims == 2 && launch->local[0] == TW_INTERNAL_TILE && launch->local[1] == TW_INTERNAL_TILE;
}

TW_DEVICE_INLINE bool tw_internal_has_rows(const struct tw_internal_launch *launch)
{
    return launch->dims == 2 && launch->local[1] == TW_INTERNAL_ROW;
}

/* A group of a launch, without place yet; l0, l1, l2: its size, as far as it is known when compiling, or 0. */
TW_DEVICE_INLINE struct tw_internal_group tw_internal_host_group(const struct tw_internal_launch *launch, size_t l0,
                                                                 size_t l1, size_t l2, unsigned dims)
{
    if (!l2) {
        l0 = launch->local[0];
        l1 = dims > 1 ? launch->local[1] : 1;
        l2 = dims > 2 ? launch->local[2] : 1;
    }
    struct tw_internal_group group = tw_internal_group(launch->whole[0], dims > 1 ? launch->whole[1] : 1,
                                                       dims > 2 ? launch->whole[2] : 1, l0, l1, l2, dims);
    for (unsigned d = 0; d < dims; ++d)
        group.tw_offset_[d] = launch->offset[d];
    return group;
}

/* The groups that a launch runs: how many, and the first one of those of the whole. */
struct tw_internal_groups {
    size_t range[3], first[3];
};

TW_DEVICE_INLINE struct tw_internal_groups tw_internal_groups(const struct tw_internal_launch *launch, unsigned dims)
{
    const size_t *const range = launch->range, *const first = launch->first;
    const struct tw_internal_groups groups = {{range[0], dims > 1 ? range[1] : 1, dims > 2 ? range[2] : 1},
                                              {first[0], dims > 1 ? first[1] : 0, dims > 2 ? first[2] : 0}};
    return groups;
}

/* The id of the one at position `linear`. */
TW_DEVICE_INLINE void tw_internal_group_id(size_t linear, const struct tw_internal_groups *groups, unsigned dims,
                                           size_t id[3])
{
    tw_internal_delinearize(linear, groups->range, dims, id);
    id[0] += groups->first[0];
    id[1] += groups->first[1];
    id[2] += groups->first[2];
}

// clang-format off
#if defined(TW_INTERNAL_DEVICE_PASS)
#define TW_INTERNAL_HOST_GROUP(name, values)
#elif !defined(TW_CHECK_GROUP_SCOPE)
/* The loop over groups of a hierarchical kernel; a required size is a constant, and so is that of most tiles. Expands to:

       void tile_tw_groups(launch, piece, pieces, l0, l1, l2, dims) { for (...) tile_tw_call(group, block); }
       static void tile_tw_host(launch, piece, pieces) { tile_tw_groups(launch, piece, pieces, ..., 1 or 2 or 3); } */
#define TW_INTERNAL_HOST_GROUP(name, values)                                                                           \
    TW_DEVICE_INLINE void name##_tw_groups(struct tw_internal_launch *tw_launch, size_t tw_piece, size_t tw_pieces,    \
                                           size_t tw_l0, size_t tw_l1, size_t tw_l2, unsigned tw_dims)                 \
    {                                                                                                                  \
        values##_COPY(name);                                                                                           \
        const struct tw_internal_group tw_all = tw_internal_host_group(tw_launch, tw_l0, tw_l1, tw_l2, tw_dims);       \
        const struct tw_internal_groups tw_of = tw_internal_groups(tw_launch, tw_dims);                                \
        const size_t tw_total = tw_of.range[0] * tw_of.range[1] * tw_of.range[2];                                      \
        const size_t tw_past = tw_internal_piece_first(tw_total, tw_piece + 1, tw_pieces);                             \
        for (size_t tw_g = tw_internal_piece_first(tw_total, tw_piece, tw_pieces); tw_g < tw_past; ++tw_g) {           \
            struct tw_internal_group tw_here = tw_all;                                                                 \
            tw_internal_group_id(tw_g, &tw_of, tw_dims, tw_here.tw_id_);                                               \
            if (tw_internal_cpu_memory(tw_launch, &tw_here.tw_memory_))                                                \
                name##_tw_call(&tw_here, &tw_args);                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    {                                                                                                                  \
        if (!name##_tw_dims && tw_internal_is_tile(tw_launch))                                                         \
            name##_tw_groups(tw_launch, tw_piece, tw_pieces, TW_INTERNAL_TILE, TW_INTERNAL_TILE, 1, 2);                \
        else if (!name##_tw_dims && tw_internal_has_rows(tw_launch))                                                   \
            name##_tw_groups(tw_launch, tw_piece, tw_pieces, tw_launch->local[0], TW_INTERNAL_ROW, 1, 2);              \
        else                                                                                                           \
            TW_INTERNAL_BY_DIMS(name##_tw_dims, tw_launch->dims, name##_tw_groups, tw_launch, tw_piece, tw_pieces,     \
                                name##_tw_local_0, name##_tw_local_1, name##_tw_local_2)                               \
    }
#endif
// clang-format on

/* ---- nd_range kernels ---------------------------------------------------------------------------------------------

   A group's work-items are a loop (tw_internal_items in launch.h), which ends as soon as a work-item has been at a
   barrier: then the others run on stacks of their own. Where there is no barrier the compiler knows, and vectorizes the
   loop. */

TW_INTERNAL_ROLE("group_size")
TW_DEVICE_INLINE struct tw_internal_group tw_internal_nd_here(const struct tw_internal_nd_group *group, size_t l0,
                                                              size_t l1, size_t l2, unsigned dims)
{
    struct tw_internal_group here = tw_internal_host_group(group->launch, l0, l1, l2, dims);
    for (unsigned d = 0; d < dims; ++d)
        here.tw_id_[d] = group->id[d];
    for (unsigned d = 0; d < dims; ++d)
        here.tw_local_[d] &= 0xffff; /* a group is smaller, and the compiler knows: its ids fit narrow types */
    here.tw_memory_ = group->memory;
    here.tw_cpu_ = group->launch->cpu;
    here.tw_run_ = group->run;
    here.tw_exchange_ = group->exchange;
    return here;
}

TW_DEVICE_INLINE tw_nd_item tw_internal_nd_item(tw_group group, size_t j0, size_t j1, size_t j2, unsigned dims)
{
    tw_nd_item item = {{0, 0, 0}, group};
    item.tw_id_[0] = dims == 1 ? j2 : dims == 2 ? j1 : j0;
    item.tw_id_[1] = dims == 1 ? 0 : dims == 2 ? j2 : j1;
    item.tw_id_[2] = dims == 3 ? j2 : 0;
    return item;
}

/* Runs a part of the launch's groups: piece `piece` of `pieces`. */
TW_DEVICE_INLINE void tw_internal_nd_piece(struct tw_internal_launch *launch, tw_internal_items items, size_t piece,
                                           size_t pieces)
{
    const size_t total = launch->range[0] * launch->range[1] * launch->range[2];
    launch->cpu->run(launch, items, tw_internal_piece_first(total, piece, pieces),
                     tw_internal_piece_first(total, piece + 1, pieces));
}

/* A small block is copied, so that no store of the kernel can change it as far as the compiler knows; a large one
   does not belong on a work-item's stack. The size of the copy, and the block: */
#define TW_INTERNAL_ND_COPY_BYTES(name)                                                                                \
    (sizeof(name##_tw_block) <= TW_INTERNAL_INLINE_ARGS_BYTES ? sizeof(name##_tw_block) : 1)

TW_DEVICE_INLINE TW_INTERNAL_CONST_ADDRESS tw_internal_nd_block(const struct tw_internal_nd_group *group, void *copy,
                                                                size_t bytes)
{
    if (bytes > TW_INTERNAL_INLINE_ARGS_BYTES)
        return group->launch->args;
    __builtin_memcpy(copy, group->launch->args, bytes);
    return copy;
}

// clang-format off
#ifdef TW_INTERNAL_DEVICE_PASS
#define TW_INTERNAL_HOST_ND_RANGE(name, options, values)
#else
/* The work-items of a group: a function for each number of dimensions, so that a work-item's stack holds the kernel's
   variables once. Expands to:

       void dot_tw_items(group, first, dims) { for (...) dot_tw_call(item, block); }
       static void dot_tw_items_1(group, first) { dot_tw_items(group, first, 1); }   and _2, _3
       static tw_internal_items dot_tw_items_for(dims) { return dot_tw_items_1 or _2 or _3; }
       static void dot_tw_host(launch, piece, pieces) { tw_internal_nd_piece(launch, dot_tw_items_for(dims), ...); } */
#define TW_INTERNAL_HOST_ND_RANGE(name, options, values)                                                               \
    TW_DEVICE_INLINE void name##_tw_items(const struct tw_internal_nd_group *tw_nd, size_t tw_first, unsigned tw_dims) \
    {                                                                                                                  \
        __attribute__((aligned(__alignof__(name##_tw_block)))) unsigned char tw_copy[values##_ND_BYTES(name)];         \
        const name##_tw_block *const tw_args = values##_ND_BLOCK(name);                                                \
        struct tw_internal_group tw_here =                                                                             \
            tw_internal_nd_here(tw_nd, name##_tw_local_0, name##_tw_local_1, name##_tw_local_2, tw_dims);              \
        const size_t tw_n0 = tw_internal_extent(tw_here.tw_local_, tw_dims, 0);                                        \
        const size_t tw_n1 = tw_internal_extent(tw_here.tw_local_, tw_dims, 1);                                        \
        const size_t tw_n2 = tw_internal_extent(tw_here.tw_local_, tw_dims, 2);                                        \
        size_t tw_j1 = tw_first / tw_n2 % tw_n1, tw_j2 = tw_first % tw_n2;                                             \
        for (size_t tw_j0 = tw_first / tw_n2 / tw_n1; tw_j0 < tw_n0; ++tw_j0, tw_j1 = 0)                               \
            for (; tw_j1 < tw_n1; ++tw_j1, tw_j2 = 0) {                                                                \
                TW_INTERNAL_PRAGMA(clang loop options)                                                                 \
                for (size_t tw_j = tw_j2; TW_INTERNAL_ITEMS, tw_j < tw_n2; ++tw_j) {                                   \
                    name##_tw_call(tw_internal_nd_item(&tw_here, tw_j0, tw_j1, tw_j, tw_dims), tw_args);               \
                    if (tw_here.tw_switched_)                                                                          \
                        return;                                                                                        \
                }                                                                                                      \
            }                                                                                                          \
    }                                                                                                                  \
    TW_INTERNAL_HOST_ND_ITEMS(name, 1, values)                                                                         \
    TW_INTERNAL_HOST_ND_ITEMS(name, 2, values)                                                                         \
    TW_INTERNAL_HOST_ND_ITEMS(name, 3, values)                                                                         \
    TW_DEVICE_INLINE tw_internal_items name##_tw_items_for(unsigned tw_dims)                                           \
    {                                                                                                                  \
        if (name##_tw_dims ? name##_tw_dims == 1 : tw_dims == 1)                                                       \
            return name##_tw_items_1;                                                                                  \
        return (name##_tw_dims ? name##_tw_dims == 2 : tw_dims == 2) ? name##_tw_items_2 : name##_tw_items_3;          \
    }                                                                                                                  \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    {                                                                                                                  \
        tw_internal_nd_piece(tw_launch, name##_tw_items_for(tw_launch->dims), tw_piece, tw_pieces);                    \
    }

#ifdef TW_INTERNAL_SPLIT
/* With what the plugin takes apart (split.h): a work-item of the kernel. */
#define TW_INTERNAL_HOST_ND_ITEMS(name, dims, values)                                                                  \
    TW_INTERNAL_HOST_ND_SPLIT(name, dims, dims, values, name##_tw_local_0, name##_tw_local_1, name##_tw_local_2)       \
    TW_INTERNAL_HOST_ND_SIZES_##dims(name, values);                                                                    \
    TW_INTERNAL_ROLE("work_items=" #name)                                                                              \
    TW_INTERNAL_ROLE_WITH("dims", dims)                                                                                \
    TW_INTERNAL_FUNCTION(unused, void, name##_tw_items_##dims, const struct tw_internal_nd_group *tw_nd,               \
                         size_t tw_first)                                                                              \
    {                                                                                                                  \
        TW_INTERNAL_HOST_ND_SIZED_##dims(name);                                                                        \
        if (tw_internal_marker_done(name##_tw_split_##dims))                                                           \
            name##_tw_split_##dims(tw_nd);                                                                             \
        else                                                                                                           \
            name##_tw_items(tw_nd, tw_first, dims);                                                                    \
    }
#define TW_INTERNAL_HOST_ND_SPLIT(name, which, dims, values, l0, l1, l2)                                               \
    TW_INTERNAL_ROLE("split=" #name)                                                                                   \
    TW_INTERNAL_ROLE_WITH("dims", dims)                                                                                \
    TW_INTERNAL_FUNCTION(noinline, void, name##_tw_split_##which, const struct tw_internal_nd_group *tw_nd)            \
    {                                                                                                                  \
        __attribute__((aligned(__alignof__(name##_tw_block)))) unsigned char tw_copy[values##_ND_BYTES(name)];         \
        const name##_tw_block *const tw_args = values##_ND_BLOCK(name);                                                \
        struct tw_internal_group tw_here = tw_internal_nd_here(tw_nd, l0, l1, l2, dims);                               \
        const size_t tw_n0 = tw_internal_extent(tw_here.tw_local_, dims, 0);                                           \
        const size_t tw_n1 = tw_internal_extent(tw_here.tw_local_, dims, 1);                                           \
        const size_t tw_n2 = tw_internal_extent(tw_here.tw_local_, dims, 2);                                           \
        tw_here.tw_exchange_ = tw_internal_split_exchange(tw_nd);                                                      \
        tw_internal_marker_begin(tw_nd, tw_internal_split_memory, tw_internal_split_diverge);                          \
        const size_t tw_j0 = tw_internal_marker_id(0, tw_n0), tw_j1 = tw_internal_marker_id(1, tw_n1);                 \
        const size_t tw_j2 = tw_internal_marker_id(2, tw_n2);                                                          \
        name##_tw_call(tw_internal_nd_item(&tw_here, tw_j0, tw_j1, tw_j2, dims), tw_args);                             \
    }

/* The size of groups that most launches have is a constant besides, where the kernel has barriers and does not say a size:
   the distances of trees, the lengths of loops, and tiles whose width the kernel knows, are constants then. */
#define TW_INTERNAL_HOST_ND_SIZES_1(name, values)                                                                      \
    TW_INTERNAL_HOST_ND_SPLIT(name, 1_256, 1, values, 256, 1, 1)                                                       \
    struct name##_tw_sizes
#define TW_INTERNAL_HOST_ND_SIZES_2(name, values)                                                                      \
    TW_INTERNAL_HOST_ND_SPLIT(name, 2_tile, 2, values, TW_INTERNAL_TILE, TW_INTERNAL_TILE, 1)                          \
    struct name##_tw_sizes
#define TW_INTERNAL_HOST_ND_SIZES_3(name, values) struct name##_tw_sizes
#define TW_INTERNAL_HOST_ND_SIZED_1(name)                                                                              \
    TW_INTERNAL_HOST_ND_SIZED(name, 1_256, tw_nd->launch->local[0] == 256)
#define TW_INTERNAL_HOST_ND_SIZED_2(name)                                                                              \
    TW_INTERNAL_HOST_ND_SIZED(name, 2_tile, tw_internal_is_tile(tw_nd->launch))
#define TW_INTERNAL_HOST_ND_SIZED_3(name) (void)0
#define TW_INTERNAL_HOST_ND_SIZED(name, which, fits)                                                                   \
    if (!name##_tw_local_0 && (fits) && tw_internal_marker_sized(name##_tw_split_##which)) {                           \
        name##_tw_split_##which(tw_nd);                                                                                \
        return;                                                                                                        \
    }                                                                                                                  \
    (void)0
#else
#define TW_INTERNAL_HOST_ND_ITEMS(name, dims, values)                                                                  \
    TW_INTERNAL_ROLE("work_items=" #name)                                                                              \
    TW_INTERNAL_ROLE_WITH("dims", dims)                                                                                \
    TW_INTERNAL_FUNCTION(unused, void, name##_tw_items_##dims, const struct tw_internal_nd_group *tw_nd,               \
                         size_t tw_first)                                                                              \
    {                                                                                                                  \
        name##_tw_items(tw_nd, tw_first, dims);                                                                        \
    }
#endif
#endif

/* ---- hierarchical kernels whose work-items each run group scope (work_item_checked.h) ---------------------------- */

#if !defined(TW_INTERNAL_DEVICE_PASS) && defined(TW_CHECK_GROUP_SCOPE)
/* A function like those of nd_range kernels; the group that a work-item gets is its own. Expands to:

       static void tile_tw_checked_items(group, first) { for (...) tile_tw_call(group of the work-item, block); }
       static void tile_tw_host(launch, piece, pieces) { tw_internal_nd_piece(launch, tile_tw_checked_items, ...); } */
#define TW_INTERNAL_HOST_GROUP(name, values)                                                                           \
    static void name##_tw_checked_items(const struct tw_internal_nd_group *tw_nd, size_t tw_first)                     \
    {                                                                                                                  \
        __attribute__((aligned(__alignof__(name##_tw_block)))) unsigned char tw_copy[values##_ND_BYTES(name)];         \
        const name##_tw_block *const tw_args = values##_ND_BLOCK(name);                                                \
        struct tw_internal_group tw_here = tw_internal_nd_here(tw_nd, 0, 0, 0, tw_nd->launch->dims);                   \
        const size_t tw_total = tw_local_linear_range(&tw_here);                                                       \
        for (size_t tw_i = tw_first; tw_i < tw_total && !tw_here.tw_switched_; ++tw_i) {                               \
            const struct tw_internal_group tw_own = tw_internal_checked_group(&tw_here, tw_i);                         \
            if (tw_i == 0)                                                                                             \
                tw_internal_checked_first();                                                                           \
            name##_tw_call(&tw_own, tw_args);                                                                          \
            if (tw_i == 0)                                                                                             \
                tw_internal_checked_leave(&tw_own, 0);                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    {                                                                                                                  \
        tw_internal_nd_piece(tw_launch, name##_tw_checked_items, tw_piece, tw_pieces);                                 \
    }

/* That of work-item `linear`. */
TW_DEVICE_INLINE struct tw_internal_group tw_internal_checked_group(struct tw_internal_group *group, size_t linear)
{
    struct tw_internal_group own = *group;
    size_t id[3];
    tw_internal_delinearize(linear, group->tw_local_, group->tw_dims_, id);
    for (unsigned d = 0; d < 3; ++d)
        own.tw_thread_[d] = (unsigned)id[d];
    own.tw_exchange_ = group;
    return own;
}
#endif
// clang-format on

#endif
