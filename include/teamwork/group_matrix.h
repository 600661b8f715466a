/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Matrices of a work-group, and their product: the work-items of a group multiply tiles in local memory (the work-group
 * scope of Vulkan's VK_NV_cooperative_matrix2). This is the way to what an H100 or H200 can do: compiled for sm_90a it uses
 * wgmma, on other NVIDIA GPUs from sm_80 on mma.sync, and plain code elsewhere.
 *
 * A pipeline multiplies a row of tiles of one matrix in global memory by a column of tiles of another, and loads tiles ahead of
 * their use. For sm_90a the tensor memory accelerator loads them.
 *
 *     enum { M = 128, N = 256, K = 64, ITEMS = 256, STAGES = 4 };
 *     typedef TW_MATRIX_PIPELINE(tw_half, M, N, K, STAGES, TW_ROW_MAJOR, TW_ROW_MAJOR) tiles;
 *     ...
 *     tiles pipeline;
 *     TW_GROUP_MATRIX(float, M, N, ITEMS) c;
 *     tw_matrix_pipeline_open(item, pipeline, k->memory, k->maps, k->a, inner, k->b, columns, rows, columns, inner);
 *     tw_matrix_pipeline_begin(item, pipeline, row, column);
 *     tw_group_matrix_fill(item, c, 0);
 *     tw_group_matrix_multiply(item, c, pipeline);
 *     tw_group_matrix_store_part(item, c, k->c + row * columns + column, columns, TW_ROW_MAJOR, rows - row, columns - column);
 *
 *     .memory = tw_local(cg, TW_MATRIX_PIPELINE_BYTES(tiles)), .maps = tw_discard_write(cg, a buffer of TW_MATRIX_MAPS_BYTES(groups))
 *
 * Factors are tw_half or tw_bfloat16, and the sum is of floats, spread over the work-items in an order of the device's
 * own. ITEMS is the number of work-items of a group, a multiple of 128. For every 128 work-items the sum has a multiple of
 * 64 rows; the columns are a multiple of 64, and K of 16. The dimension that lies together in memory, the columns of a tile
 * that is TW_ROW_MAJOR, is a multiple of 64. Another shape is an error of the compiler. The matrices that a pipeline reads
 * may have any sizes.
 *
 * All work-items of the group make each of these calls, with the same arguments, or none does. No call stands for a barrier.
 * For nd_range kernels.
 *
 * `from` and `to` point to the first element in global memory, and `stride` counts the elements from row to row, or from
 * column to column of TW_COLUMN_MAJOR. Each row, or column, of a factor and of a sum begins at a multiple of 16 bytes.
 *
 * Tiles can be loaded and multiplied one by one, too:
 *
 *     struct stage {
 *         TW_MATRIX_TILE(a, tw_half, M, K, TW_ROW_MAJOR) a;           the left factor, in local memory
 *         TW_MATRIX_TILE(b, tw_half, K, N, TW_ROW_MAJOR) b;           the right one
 *     };
 *     ...
 *     struct stage *stages = tw_matrix_tiles(item, k->memory);       tw_local(cg, TW_MATRIX_TILES_BYTES(STAGES * sizeof(struct stage)))
 *     load(0);                                                       tile 0 into its stage: see below
 *     load(1);
 *     size_t t = 0;
 *     do {
 *         tw_wait_for_all_but(item, 1);                              tile t is there
 *         tw_group_matrix_mad(item, c, stages[t % STAGES].a, stages[t % STAGES].b);
 *         load(t + 2);
 *         tw_group_matrix_wait(item, c, 1);                          all products but the last one
 *     } while (++t < tiles);
 *     tw_group_matrix_wait(item, c, 0);
 *
 * where load(t) stands for
 *
 *     if (t < tiles) {
 *         tw_matrix_tile_load(item, stages[t % STAGES].a, left + t * K, inner);
 *         tw_matrix_tile_load(item, stages[t % STAGES].b, right + t * K * columns, columns);
 *     }
 *     tw_async_commit(item);
 *
 * The loop is do ... while since no way may lead past a product to its wait: else ptxas says that it serializes wgmma, and the
 * kernel is slower. A tile lies in memory as the device wants it: only these functions read and write it. It is aligned to 1024
 * bytes. A product begins with tw_group_matrix_mad(), and ends with the wait for it: until then its tiles stay as they are, and
 * the sum is not used. A tile may be loaded again when all work-items of the group have waited for the products of it: in the
 * example by the barrier in tw_wait_for_all_but(): before it all have waited for the product of tile t - 2, whose stage tile
 * t + 2 gets. On an H200 this takes 1.27 times as long as a pipeline.
 */
#ifndef TEAMWORK_GROUP_MATRIX_H
#define TEAMWORK_GROUP_MATRIX_H

#include <teamwork/async_copy.h>
#include <teamwork/lower/matrix/group_matrix.h>
#include <teamwork/matrix.h>

/** The type of a tile in local memory: `use` is a or b, `layout` TW_ROW_MAJOR or TW_COLUMN_MAJOR. */
#define TW_MATRIX_TILE(use, type, rows, columns, layout)                                                               \
    struct {                                                                                                           \
        TW_INTERNAL_STATIC_ASSERT((rows) > 0 && (rows) % 16 == 0 && (columns) > 0 && (columns) % 16 == 0,              \
                                  "the rows and columns of a tile are multiples of 16");                               \
        TW_INTERNAL_STATIC_ASSERT((TW_INTERNAL_TILE_COLUMNS_##use(rows, columns)) % 64 == 0,                           \
                                  "the rows of a, and the columns of b, are a multiple of 64");                        \
        TW_INTERNAL_STATIC_ASSERT(((layout) == TW_ROW_MAJOR ? (columns) : (rows)) % 64 == 0,                           \
                                  "a tile has a multiple of 64 elements in the dimension that lies together");         \
        tw_internal_tile_##use##_##type##_##layout tw_row_[rows][columns] __attribute__((aligned(1024)));              \
    }

/** The type of a sum of a group of `items` work-items; `type` is float. */
#define TW_GROUP_MATRIX(type, rows, columns, items)                                                                    \
    struct {                                                                                                           \
        TW_INTERNAL_STATIC_ASSERT((items) > 0 && (items) % 128 == 0,                                                   \
                                  "the work-items of a matrix's group are a multiple of 128");                         \
        TW_INTERNAL_STATIC_ASSERT((rows) > 0 && (rows) % ((items) / 2) == 0,                                           \
                                  "a group's matrix has a multiple of 64 rows for every 128 work-items");              \
        TW_INTERNAL_STATIC_ASSERT((columns) > 0 && (columns) % 64 == 0,                                                \
                                  "the columns of a group's matrix are a multiple of 64");                             \
        tw_internal_group_##type tw_value_[(rows) * 16 / (items)][(columns) / 16];                                     \
    }

/** The bytes of local memory for so many bytes of tiles. */
#define TW_MATRIX_TILES_BYTES(bytes) ((bytes) + (size_t)1024)

/** @return local memory that the launch gave, as tw_local_data(), aligned for tiles */
TW_LANGUAGE_INLINE TW_INTERNAL_ADDRESS tw_matrix_tiles(tw_nd_item item, tw_local_memory memory)
{
    unsigned char *const data = tw_local_data(item, memory);
    return (void *)(data + (-(uintptr_t)data & 1023));
}

/** Begins to load a tile: tw_async_commit() and tw_wait_for_all_but() follow (async_copy.h). */
#define tw_matrix_tile_load(item, tile, from, stride)                                                                  \
    tw_internal_tile_load((item), TW_INTERNAL_MATRIX_TILE(tile), (from), (stride))

/** Sets all elements to a value. */
#define tw_group_matrix_fill(item, matrix, value)                                                                      \
    tw_internal_group_fill((item), TW_INTERNAL_GROUP_MATRIX(matrix), (value))

/** Begins to add the product of two tiles. */
#define tw_group_matrix_mad(item, matrix, a, b)                                                                        \
    tw_internal_group_mad((item), TW_INTERNAL_GROUP_MATRIX(matrix), TW_INTERNAL_MATRIX_TILE(a),                        \
                          TW_INTERNAL_MATRIX_TILE(b),                                                                  \
                          TW_INTERNAL_TILE_COLUMNS(a) == TW_INTERNAL_TILE_ROWS(b)                                      \
                              && TW_INTERNAL_TILE_COLUMNS(b) == TW_INTERNAL_GROUP_COLUMNS(matrix))

/** Waits for all products but the last `pending`, a constant up to 3. */
#define tw_group_matrix_wait(item, matrix, pending)                                                                    \
    tw_internal_group_wait((item), TW_INTERNAL_GROUP_MATRIX(matrix), (pending))

/** Stores the sum to memory. */
#define tw_group_matrix_store(item, matrix, to, stride, layout)                                                        \
    tw_internal_group_store((item), TW_INTERNAL_GROUP_MATRIX(matrix), (to), (stride), (layout))

/** Stores the sum's first rows and columns to memory, as many as are left: for a group at the edge of a matrix. */
#define tw_group_matrix_store_part(item, matrix, to, stride, layout, rows, columns)                                    \
    tw_internal_group_store_part((item), TW_INTERNAL_GROUP_MATRIX(matrix), (to), (stride), (layout), (rows), (columns))

/** Replaces each element x by function(x, row, column, argument), as tw_joint_matrix_apply(). A statement. */
#define tw_group_matrix_apply(item, matrix, function, argument)                                                        \
    do {                                                                                                               \
        const tw_nd_item tw_of = (item);                                                                               \
        tw_internal_group_float *const tw_x = &(matrix).tw_value_[0][0];                                               \
        TW_INTERNAL_UNROLL_PARTS for (unsigned tw_i = 0; tw_i < sizeof(matrix) / sizeof(float); ++tw_i)                \
        {                                                                                                              \
            const struct tw_internal_place tw_at = tw_internal_group_place(                                            \
                tw_of, TW_INTERNAL_GROUP_ROWS(tw_of, matrix), TW_INTERNAL_GROUP_COLUMNS(matrix), tw_i);                \
            tw_x[tw_i] = function(tw_x[tw_i], (size_t)tw_at.row, (size_t)tw_at.column, argument);                      \
        }                                                                                                              \
    } while (0)

/* ---- pipelines --------------------------------------------------------------------------------------------------- */

/**
 * The type of a pipeline, a variable of the kernel function: tiles of a have `rows` and `inner` columns, tiles of b as many rows
 * and `columns`. So many stages, 2 to 8, are in local memory: one that is multiplied and others that are loaded meanwhile.
 */
#define TW_MATRIX_PIPELINE(type, rows, columns, inner, stages, a_layout, b_layout)                                     \
    struct {                                                                                                           \
        TW_INTERNAL_STATIC_ASSERT((stages) >= 2 && (stages) <= 8, "a pipeline has 2 to 8 stages");                     \
        struct {                                                                                                       \
            TW_MATRIX_TILE(a, type, rows, inner, a_layout) tw_a_;                                                      \
            TW_MATRIX_TILE(b, type, inner, columns, b_layout) tw_b_;                                                   \
        } (*tw_stages_)[stages];                                                                                       \
        tw_internal_pipeline tw_state_;                                                                                \
    }

/** The bytes of local memory of a pipeline, whose type has a name. */
#define TW_MATRIX_PIPELINE_BYTES(pipeline) (sizeof(*((pipeline *)NULL)->tw_stages_) + (size_t)2048)

/** The bytes of global memory of a launch's pipelines, for so many groups. */
#define TW_MATRIX_MAPS_BYTES(groups) ((groups) * (size_t)256)

/**
 * Makes a pipeline for the product of two matrices in global memory: a has `rows` and `inner` columns, b `inner` rows and
 * `columns`.
 *
 * memory   local memory of TW_MATRIX_PIPELINE_BYTES(), from here on of this pipeline alone; the kernel opens one in it. If the
 *          kernel used the memory before, a barrier is between
 * maps     global memory of TW_MATRIX_MAPS_BYTES(), aligned to 128 bytes, of this launch's pipeline alone: where the device
 *          keeps its descriptions of the matrices, one for each group. Without contents before and after
 * a, b     their first elements; what lies between the rows, or columns, is not used. The launch does not write to them
 * rows, columns, inner   each less than 2^31
 */
#define tw_matrix_pipeline_open(item, pipeline, memory, maps, a, a_stride, b, b_stride, rows, columns, inner)          \
    ((pipeline).tw_stages_ = (__typeof__((pipeline).tw_stages_))tw_matrix_tiles((item), (memory)),                     \
     tw_internal_pipeline_open((item), TW_INTERNAL_PIPELINE(pipeline), (maps), (a), (a_stride), (b), (b_stride),       \
                               (rows), (columns), (inner)))

/**
 * Begins to load what the elements of the product from (row, column) on need. (row, column) is one of them.
 * tw_group_matrix_multiply() follows before the next begin.
 */
#define tw_matrix_pipeline_begin(item, pipeline, row, column)                                                          \
    tw_internal_pipeline_next((item), TW_INTERNAL_PIPELINE(pipeline), (row), (column))

/**
 * Adds the product that was begun to a sum of the pipeline's rows and columns, and waits for it. Where the matrices end, it
 * takes zeros.
 */
#define tw_group_matrix_multiply(item, matrix, pipeline)                                                               \
    tw_internal_group_multiply((item), TW_INTERNAL_GROUP_MATRIX(matrix), TW_INTERNAL_PIPELINE(pipeline),               \
                               TW_INTERNAL_TILE_COLUMNS(TW_INTERNAL_PIPELINE_STAGE(pipeline).tw_b_)                    \
                                   == TW_INTERNAL_GROUP_COLUMNS(matrix))

#endif
