/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Products of square matrices, C = A * B row by row, of half or bfloat16 with sums of float: by the matrices of sub-groups
 * (matrix.h), and by those of work-groups (group_matrix.h). The side is a multiple of 256.
 *
 * Both load tiles of the factors several turns ahead of their use. Groups follow each other in bands of a few rows of tiles,
 * so that those which run at the same time use the same tiles from the second-level cache.
 */
#ifndef TEAMWORK_BENCH_MATRIX_KERNELS_H
#define TEAMWORK_BENCH_MATRIX_KERNELS_H

#include <teamwork/group_matrix.h>
#include <teamwork/matrix.h>
#include <teamwork/teamwork.h>

enum { BAND = 16 };

struct tile_place {
    unsigned row, column;
};

/* The tile of a group, of `rows` by `columns`. */
static inline struct tile_place place_of_group(unsigned group, unsigned rows, unsigned columns)
{
    const unsigned band = group / (BAND * columns), at = group % (BAND * columns);
    const unsigned high = rows - band * BAND < BAND ? rows - band * BAND : BAND;
    return (struct tile_place){band * BAND + at % high, at / high};
}

#define PRODUCT_BLOCK(name, factor)                                                                                    \
    struct name {                                                                                                      \
        const factor *a, *b;                                                                                           \
        float *c;                                                                                                      \
        unsigned side;                                                                                                 \
        tw_local_memory stages;                                                                                        \
    };

/* ---- sub-groups: four of them, each with 64 x 64 elements -------------------------------------------------------- */

enum {
    SUB_ROWS = 128,
    SUB_COLUMNS = 128,
    SUB_INNER = 32,
    SUB_ITEMS = 128,
    SUB_STAGES = 4,
    SUB_SIDE = 64,
    SUB_SPARE = 8 /* elements behind a row: so eight rows are in different banks */
};

#define SUB_GROUP_PRODUCT(name, factor)                                                                                \
    PRODUCT_BLOCK(name, factor)                                                                                        \
    struct name##_stage {                                                                                              \
        factor a[SUB_ROWS][SUB_INNER + SUB_SPARE], b[SUB_INNER][SUB_COLUMNS + SUB_SPARE];                              \
    };                                                                                                                 \
    static inline void name##_load(tw_nd_item item, struct name##_stage *stage, const struct name *k,                  \
                                   struct tile_place at, unsigned tile)                                                \
    {                                                                                                                  \
        const factor *a = k->a + (size_t)at.row * SUB_ROWS * k->side + tile * SUB_INNER;                               \
        const factor *b = k->b + (size_t)tile * SUB_INNER * k->side + at.column * SUB_COLUMNS;                         \
        tw_async_work_group_load_2d(item, stage->a[0], SUB_INNER + SUB_SPARE, a, k->side, SUB_INNER, SUB_ROWS);        \
        tw_async_work_group_load_2d(item, stage->b[0], SUB_COLUMNS + SUB_SPARE, b, k->side, SUB_COLUMNS, SUB_INNER);   \
    }                                                                                                                  \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        struct name##_stage *stages = tw_local_data(item, k->stages);                                                  \
        const struct tile_place at =                                                                                   \
            place_of_group((unsigned)tw_group_linear_id(item), k->side / SUB_ROWS, k->side / SUB_COLUMNS);             \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const unsigned number = (unsigned)tw_sub_group_id(sub_group), tiles = k->side / SUB_INNER;                     \
        const unsigned row = number / 2 * SUB_SIDE, column = number % 2 * SUB_SIDE;                                    \
        const bool works = number < SUB_ROWS / SUB_SIDE * SUB_COLUMNS / SUB_SIDE; /* on a CPU there are more */        \
        TW_JOINT_MATRIX(accumulator, float, SUB_SIDE, SUB_SIDE) c;                                                     \
        tw_joint_matrix_fill(sub_group, c, 0);                                                                         \
        for (unsigned tile = 0; tile < SUB_STAGES - 1; ++tile) {                                                       \
            if (tile < tiles)                                                                                          \
                name##_load(item, &stages[tile], k, at, tile);                                                         \
            tw_async_commit(item);                                                                                     \
        }                                                                                                              \
        for (unsigned tile = 0; tile < tiles; ++tile) {                                                                \
            const struct name##_stage *stage = &stages[tile % SUB_STAGES];                                             \
            const unsigned next = tile + SUB_STAGES - 1;                                                               \
            tw_wait_for_all_but(item, SUB_STAGES - 2);                                                                 \
            if (next < tiles)                                                                                          \
                name##_load(item, &stages[next % SUB_STAGES], k, at, next);                                            \
            tw_async_commit(item);                                                                                     \
            if (works) {                                                                                               \
                TW_JOINT_MATRIX(a, factor, SUB_SIDE, SUB_INNER) a;                                                     \
                TW_JOINT_MATRIX(b, factor, SUB_INNER, SUB_SIDE) b;                                                     \
                tw_joint_matrix_load_local(sub_group, a, stage->a[row], SUB_INNER + SUB_SPARE, TW_ROW_MAJOR);          \
                tw_joint_matrix_load_local(sub_group, b, stage->b[0] + column, SUB_COLUMNS + SUB_SPARE, TW_ROW_MAJOR); \
                tw_joint_matrix_mad(sub_group, c, a, b, c);                                                            \
            }                                                                                                          \
        }                                                                                                              \
        float *to = k->c + ((size_t)at.row * SUB_ROWS + row) * k->side + at.column * SUB_COLUMNS + column;             \
        if (works)                                                                                                     \
            tw_joint_matrix_store(sub_group, c, to, k->side, TW_ROW_MAJOR);                                            \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name, SUB_ITEMS);                                                                               \
    static tw_status submit_##name(tw_queue *queue, const factor *a, const factor *b, float *c, unsigned side)         \
    {                                                                                                                  \
        const size_t groups = (size_t)(side / SUB_ROWS) * (side / SUB_COLUMNS);                                        \
        return tw_queue_parallel_for_nd_range(                                                                         \
            queue, cg, NULL, tw_nd_range_make(tw_range_1d(groups * SUB_ITEMS), tw_range_1d(SUB_ITEMS)), name, .a = a,  \
            .b = b, .c = c, .side = side, .stages = tw_local(cg, SUB_STAGES * sizeof(struct name##_stage)));           \
    }

/* ---- work-groups: as many as the device runs at a time, each with one tile after the other ------------------------ */

enum { GROUP_ROWS = 128, GROUP_COLUMNS = 256, GROUP_INNER = 64, GROUP_ITEMS = 256, GROUP_STAGES = 4 };

#define WORK_GROUP_PRODUCT(name, factor)                                                                               \
    struct name {                                                                                                      \
        const factor *a, *b;                                                                                           \
        float *c;                                                                                                      \
        unsigned side;                                                                                                 \
        tw_local_memory stages;                                                                                        \
        void *maps;                                                                                                    \
    };                                                                                                                 \
    typedef TW_MATRIX_PIPELINE(factor, GROUP_ROWS, GROUP_COLUMNS, GROUP_INNER, GROUP_STAGES, TW_ROW_MAJOR,             \
                               TW_ROW_MAJOR) name##_pipeline;                                                          \
    static inline void name##_begin(tw_nd_item item, name##_pipeline *pipeline, struct tile_place at)                  \
    {                                                                                                                  \
        tw_matrix_pipeline_begin(item, *pipeline, (size_t)at.row *GROUP_ROWS, (size_t)at.column *GROUP_COLUMNS);       \
    }                                                                                                                  \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        const unsigned rows = k->side / GROUP_ROWS, columns = k->side / GROUP_COLUMNS;                                 \
        unsigned tile = (unsigned)tw_group_linear_id(item);                                                            \
        struct tile_place at = place_of_group(tile, rows, columns);                                                    \
        name##_pipeline pipeline;                                                                                      \
        tw_matrix_pipeline_open(item, pipeline, k->stages, k->maps, k->a, k->side, k->b, k->side, k->side, k->side,    \
                                k->side);                                                                              \
        name##_begin(item, &pipeline, at);                                                                             \
        do {                                                                                                           \
            float *to = k->c + (size_t)at.row * GROUP_ROWS * k->side + (size_t)at.column * GROUP_COLUMNS;              \
            TW_GROUP_MATRIX(float, GROUP_ROWS, GROUP_COLUMNS, GROUP_ITEMS) c;                                          \
            tw_group_matrix_fill(item, c, 0);                                                                          \
            tw_group_matrix_multiply(item, c, pipeline);                                                               \
            tile += (unsigned)tw_group_range(item, 0);                                                                 \
            if (tile < rows * columns) {                                                                               \
                at = place_of_group(tile, rows, columns);                                                              \
                name##_begin(item, &pipeline, at);                                                                     \
            }                                                                                                          \
            tw_group_matrix_store(item, c, to, k->side, TW_ROW_MAJOR);                                                 \
        } while (tile < rows * columns);                                                                               \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name, GROUP_ITEMS);                                                                             \
    static tw_status submit_##name(tw_queue *queue, const factor *a, const factor *b, float *c, unsigned side,         \
                                   void *maps)                                                                         \
    {                                                                                                                  \
        const size_t bytes = TW_MATRIX_PIPELINE_BYTES(name##_pipeline);                                                \
        size_t groups = (size_t)(side / GROUP_ROWS) * (side / GROUP_COLUMNS);                                          \
        tw_kernel_limits limits;                                                                                       \
        const tw_status status = tw_kernel_get_limits(tw_queue_device(queue), name, GROUP_ITEMS, bytes, &limits);      \
        if (status != TW_SUCCESS)                                                                                      \
            return status;                                                                                             \
        if (limits.resident_groups > 1 && limits.resident_groups < groups)                                             \
            groups = limits.resident_groups;                                                                           \
        return tw_queue_parallel_for_nd_range(                                                                         \
            queue, cg, NULL, tw_nd_range_make(tw_range_1d(groups * GROUP_ITEMS), tw_range_1d(GROUP_ITEMS)), name,      \
            .a = a, .b = b, .c = c, .side = side, .stages = tw_local(cg, bytes), .maps = maps);                        \
    }

SUB_GROUP_PRODUCT(sub_group_half, tw_half)
SUB_GROUP_PRODUCT(sub_group_bfloat16, tw_bfloat16)
WORK_GROUP_PRODUCT(work_group_half, tw_half)
WORK_GROUP_PRODUCT(work_group_bfloat16, tw_bfloat16)

#endif
