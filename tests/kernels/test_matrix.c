/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams), warp-groups */
/** matrix.h, group_matrix.h: products of every type against loops on the host, from global and local memory, in both layouts of all
 *  matrices, of several parts; functions applied to elements; one product as the factor of the next; tiles of a work-group, loaded while others are multiplied;
 *  pipelines over matrices of any sizes, several products by a group. */
#include "nd_range_test.h"

#include <teamwork/group_matrix.h>
#include <teamwork/matrix.h>

/* Sub-groups of a group compute the same product, and add it to matrices of their own. */
enum { ROWS = 32, COLUMNS = 48, INNER = 64, SUB_GROUPS = 2, GROUPS = 2, PRODUCTS = SUB_GROUPS * GROUPS };

/* Small whole numbers, whose sums are exact. */
static int value_of(size_t i, unsigned seed)
{
    return (int)((i + seed) * 2654435761u >> 8) % 7 - 3;
}

static size_t place_of(size_t row, size_t column, size_t rows, size_t columns, tw_matrix_layout layout)
{
    return layout == TW_ROW_MAJOR ? row * columns + column : column * rows + row;
}

#define ELEMENT_tw_half(x) ((tw_half)(x))
#define ELEMENT_tw_bfloat16(x) tw_bfloat16_from_float((float)(x))
#define ELEMENT_int8_t(x) ((int8_t)(x))
#define ELEMENT_double(x) ((double)(x))

struct layouts {
    tw_matrix_layout a, b, c;
    bool local;
};

#define PRODUCT(factor, type)                                                                                          \
    static inline type add_place_##factor(type x, size_t row, size_t column, type scale)                               \
    {                                                                                                                  \
        return x * scale + (type)(row * 100 + column);                                                                 \
    }                                                                                                                  \
    static inline factor same_##factor(factor x, size_t row, size_t column, size_t zeroed)                             \
    {                                                                                                                  \
        return row == zeroed && column == 2 * zeroed ? ELEMENT_##factor(0) : x;                                        \
    }                                                                                                                  \
    struct multiply_##factor {                                                                                         \
        const factor *a, *b;                                                                                           \
        type *c;                                                                                                       \
        struct layouts layouts;                                                                                        \
    };                                                                                                                 \
    static inline void multiply_##factor(tw_nd_item item, const struct multiply_##factor *k)                           \
    {                                                                                                                  \
        TW_LOCAL(factor, left, [ROWS * INNER]);                                                                        \
        TW_LOCAL(factor, right, [INNER * COLUMNS]);                                                                    \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const struct layouts layouts = k->layouts;                                                                     \
        const size_t a_stride = layouts.a == TW_ROW_MAJOR ? INNER : ROWS;                                              \
        const size_t b_stride = layouts.b == TW_ROW_MAJOR ? COLUMNS : INNER;                                           \
        const size_t c_stride = layouts.c == TW_ROW_MAJOR ? COLUMNS : ROWS;                                            \
        type *own = k->c + (tw_group_linear_id(item) * SUB_GROUPS + tw_sub_group_id(sub_group)) * (ROWS * COLUMNS);    \
        for (size_t i = tw_local_linear_id(item); i < ROWS * INNER; i += tw_local_linear_range(item))                  \
            left[i] = k->a[i];                                                                                         \
        for (size_t i = tw_local_linear_id(item); i < INNER * COLUMNS; i += tw_local_linear_range(item))               \
            right[i] = k->b[i];                                                                                        \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        TW_JOINT_MATRIX(a, factor, ROWS, INNER) a;                                                                     \
        TW_JOINT_MATRIX(b, factor, INNER, COLUMNS) b;                                                                  \
        TW_JOINT_MATRIX(accumulator, type, ROWS, COLUMNS) c;                                                           \
        if (layouts.local) {                                                                                           \
            tw_joint_matrix_load_local(sub_group, a, left, a_stride, layouts.a);                                       \
            tw_joint_matrix_load_local(sub_group, b, right, b_stride, layouts.b);                                      \
        } else {                                                                                                       \
            tw_joint_matrix_load(sub_group, a, k->a, a_stride, layouts.a);                                             \
            tw_joint_matrix_load(sub_group, b, k->b, b_stride, layouts.b);                                             \
        }                                                                                                              \
        tw_joint_matrix_load(sub_group, c, own, c_stride, layouts.c);                                                  \
        tw_joint_matrix_apply(sub_group, a, same_##factor, (size_t)21);                                                \
        tw_joint_matrix_apply(sub_group, b, same_##factor, (size_t)19);                                                \
        tw_joint_matrix_mad(sub_group, c, a, b, c);                                                                    \
        tw_joint_matrix_apply(sub_group, c, add_place_##factor, (type)2);                                              \
        tw_joint_matrix_store(sub_group, c, own, c_stride, layouts.c);                                                 \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(multiply_##factor);                                                                             \
                                                                                                                       \
    /* The products of all sub-groups; `c` is what is there before, and `got` what is there afterwards. */             \
    static unsigned count_wrong_##factor(const type *c, const type *got, struct layouts layouts)                       \
    {                                                                                                                  \
        unsigned wrong = 0;                                                                                            \
        for (size_t i = 0; i < ROWS; ++i)                                                                              \
            for (size_t j = 0; j < COLUMNS; ++j) {                                                                     \
                int sum = 0;                                                                                           \
                for (size_t n = 0; n < INNER; ++n)                                                                     \
                    if (!(i == 21 && n == 42) && !(n == 19 && j == 38))                                                \
                        sum += value_of(place_of(i, n, ROWS, INNER, layouts.a), 1)                                     \
                               * value_of(place_of(n, j, INNER, COLUMNS, layouts.b), 2);                               \
                for (size_t p = 0; p < PRODUCTS; ++p) {                                                                \
                    const size_t place = p * (ROWS * COLUMNS) + place_of(i, j, ROWS, COLUMNS, layouts.c);              \
                    wrong += got[place] != (c[place] + (type)sum) * 2 + (type)(i * 100 + j);                           \
                }                                                                                                      \
            }                                                                                                          \
        return wrong;                                                                                                  \
    }                                                                                                                  \
    static bool multiply_with_##factor(tw_queue *queue, struct layouts layouts)                                        \
    {                                                                                                                  \
        static factor a[ROWS * INNER], b[INNER * COLUMNS];                                                             \
        static type c[PRODUCTS * ROWS * COLUMNS], got[PRODUCTS * ROWS * COLUMNS];                                      \
        for (size_t i = 0; i < ROWS * INNER; ++i)                                                                      \
            a[i] = ELEMENT_##factor(value_of(i, 1));                                                                   \
        for (size_t i = 0; i < INNER * COLUMNS; ++i)                                                                   \
            b[i] = ELEMENT_##factor(value_of(i, 2));                                                                   \
        for (size_t i = 0; i < PRODUCTS * ROWS * COLUMNS; ++i)                                                         \
            c[i] = (type)value_of(i, 3);                                                                               \
        memcpy(got, c, sizeof c);                                                                                      \
        tw_buffer *buffers[3] = {NULL, NULL, NULL};                                                                    \
        TW_PASS(tw_buffer_create_over(a, sizeof *a, tw_range_1d(ROWS *INNER), &buffers[0]));                           \
        TW_PASS(tw_buffer_create_over(b, sizeof *b, tw_range_1d(INNER *COLUMNS), &buffers[1]));                        \
        TW_PASS(tw_buffer_create_over(got, sizeof *got, tw_range_1d(PRODUCTS *ROWS *COLUMNS), &buffers[2]));           \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(GROUPS), tw_range_1d(SUB_GROUPS *nd_width())),              \
                                 multiply_##factor, .a = tw_read(cg, buffers[0]), .b = tw_read(cg, buffers[1]),        \
                                 .c = tw_write(cg, buffers[2]), .layouts = layouts);                                   \
        const bool is_refused = nd_is_refused(queue, cg);                                                              \
        for (int i = 0; i < 3; ++i)                                                                                    \
            TW_PASS(tw_buffer_destroy(&buffers[i]));                                                                   \
        if (!is_refused)                                                                                               \
            TW_EQUAL(count_wrong_##factor(c, got, layouts), 0);                                                        \
        return !is_refused;                                                                                            \
    }                                                                                                                  \
    TW_TEST(products_of_##factor)                                                                                      \
    {                                                                                                                  \
        tw_queue *queue = tw_test_queue();                                                                             \
        for (unsigned i = 0; i < 16; ++i) {                                                                            \
            const struct layouts layouts = {(tw_matrix_layout)(i & 1), (tw_matrix_layout)(i / 2 & 1),                  \
                                            (tw_matrix_layout)(i / 4 & 1), i / 8 != 0};                                \
            if (!multiply_with_##factor(queue, layouts))                                                               \
                break;                                                                                                 \
        }                                                                                                              \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
    }
PRODUCT(tw_half, float)
PRODUCT(tw_bfloat16, float)
PRODUCT(int8_t, int32_t)
PRODUCT(double, double)

/* ---- a product as a factor --------------------------------------------------------------------------------------- */

enum { SIDE = 32 };

#define CHAIN(factor, held)                                                                                            \
    struct chain_##factor {                                                                                            \
        const factor *a, *b;                                                                                           \
        float *c;                                                                                                      \
    };                                                                                                                 \
    static inline void chain_##factor(tw_nd_item item, const struct chain_##factor *k)                                 \
    {                                                                                                                  \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        TW_JOINT_MATRIX(a, factor, SIDE, SIDE) a;                                                                      \
        TW_JOINT_MATRIX(b, factor, SIDE, SIDE) b;                                                                      \
        TW_JOINT_MATRIX(accumulator, float, SIDE, SIDE) c;                                                             \
        tw_joint_matrix_fill(sub_group, c, 0);                                                                         \
        tw_joint_matrix_load(sub_group, a, k->a, SIDE, TW_ROW_MAJOR);                                                  \
        tw_joint_matrix_load(sub_group, b, k->b, SIDE, TW_ROW_MAJOR);                                                  \
        tw_joint_matrix_mad(sub_group, c, a, b, c);                                                                    \
        tw_joint_matrix_copy(sub_group, a, c);                                                                         \
        tw_joint_matrix_fill(sub_group, c, 0.5f);                                                                      \
        tw_joint_matrix_mad(sub_group, c, a, b, c);                                                                    \
        tw_joint_matrix_store(sub_group, c, k->c, SIDE, TW_ROW_MAJOR);                                                 \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(chain_##factor);                                                                                \
                                                                                                                       \
    TW_TEST(chain_of_##factor)                                                                                         \
    {                                                                                                                  \
        factor a[SIDE * SIDE], b[SIDE * SIDE];                                                                         \
        float c[SIDE * SIDE], first[SIDE * SIDE];                                                                      \
        tw_queue *queue = tw_test_queue();                                                                             \
        for (size_t i = 0; i < SIDE * SIDE; ++i) {                                                                     \
            a[i] = ELEMENT_##factor(value_of(i, 4) * 3);                                                               \
            b[i] = ELEMENT_##factor(value_of(i, 5));                                                                   \
        }                                                                                                              \
        for (size_t i = 0; i < SIDE * SIDE; ++i) {                                                                     \
            float sum = 0;                                                                                             \
            for (size_t n = 0; n < SIDE; ++n)                                                                          \
                sum += (float)(value_of(i / SIDE * SIDE + n, 4) * 3 * value_of(n * SIDE + i % SIDE, 5));               \
            first[i] = held(ELEMENT_##factor(sum));                                                                    \
        }                                                                                                              \
        tw_buffer *buffers[3] = {NULL, NULL, NULL};                                                                    \
        TW_PASS(tw_buffer_create_over(a, sizeof *a, tw_range_1d(SIDE *SIDE), &buffers[0]));                            \
        TW_PASS(tw_buffer_create_over(b, sizeof *b, tw_range_1d(SIDE *SIDE), &buffers[1]));                            \
        TW_PASS(tw_buffer_create_over(c, sizeof *c, tw_range_1d(SIDE *SIDE), &buffers[2]));                            \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(1), tw_range_1d(nd_width())), chain_##factor,               \
                                 .a = tw_read(cg, buffers[0]), .b = tw_read(cg, buffers[1]),                           \
                                 .c = tw_discard_write(cg, buffers[2]));                                               \
        const bool is_refused = nd_is_refused(queue, cg);                                                              \
        for (int i = 0; i < 3; ++i)                                                                                    \
            TW_PASS(tw_buffer_destroy(&buffers[i]));                                                                   \
        unsigned wrong = 0;                                                                                            \
        for (size_t i = 0; i < SIDE * SIDE; ++i) {                                                                     \
            float sum = 0.5f;                                                                                          \
            for (size_t n = 0; n < SIDE; ++n)                                                                          \
                sum += first[i / SIDE * SIDE + n] * (float)value_of(n * SIDE + i % SIDE, 5);                           \
            wrong += c[i] != sum;                                                                                      \
        }                                                                                                              \
        TW_EQUAL(is_refused ? 0 : wrong, 0);                                                                           \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
    }
CHAIN(tw_half, (float))
CHAIN(tw_bfloat16, tw_bfloat16_to_float)

/* ---- products of work-groups ------------------------------------------------------------------------------------- */

enum { TILES = 3 };

static inline float tenfold(float x, size_t row, size_t column, float add)
{
    return x * 10 + (float)(row * 3 + column) + add;
}

/* A group of `items` has ROWS x COLUMNS elements of the product, and goes through tiles of K, two in local memory. */
#define GROUP_PRODUCT(name, factor, ROWS, COLUMNS, K, items, A_LAYOUT, B_LAYOUT, C_LAYOUT)                             \
    struct name {                                                                                                      \
        const factor *a, *b;                                                                                           \
        float *c;                                                                                                      \
        size_t groups;                                                                                                 \
        tw_local_memory stages;                                                                                        \
    };                                                                                                                 \
    struct name##_stage {                                                                                              \
        TW_MATRIX_TILE(a, factor, ROWS, K, A_LAYOUT) a;                                                                \
        TW_MATRIX_TILE(b, factor, K, COLUMNS, B_LAYOUT) b;                                                             \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        struct name##_stage *stages = tw_matrix_tiles(item, k->stages);                                                \
        const size_t rows = ROWS * k->groups, first = tw_group_linear_id(item) * ROWS;                                 \
        const size_t a_stride = A_LAYOUT == TW_ROW_MAJOR ? K * TILES : rows;                                           \
        const size_t b_stride = B_LAYOUT == TW_ROW_MAJOR ? COLUMNS : K * TILES;                                        \
        const factor *a = k->a + (A_LAYOUT == TW_ROW_MAJOR ? first * a_stride : first);                                \
        TW_GROUP_MATRIX(float, ROWS, COLUMNS, items) c;                                                                \
        tw_group_matrix_fill(item, c, 1);                                                                              \
        for (size_t t = 0; t <= TILES; ++t) {                                                                          \
            tw_barrier(item, TW_LOCAL_SPACE); /* all have waited for the product of what is overwritten */             \
            if (t < TILES) {                                                                                           \
                tw_matrix_tile_load(item, stages[t % 2].a, a + (A_LAYOUT == TW_ROW_MAJOR ? t * K : t * K * a_stride),  \
                                    a_stride);                                                                         \
                tw_matrix_tile_load(item, stages[t % 2].b,                                                             \
                                    k->b + (B_LAYOUT == TW_ROW_MAJOR ? t * K * b_stride : t * K), b_stride);           \
            }                                                                                                          \
            tw_async_commit(item);                                                                                     \
            if (t > 0) {                                                                                               \
                tw_wait_for_all_but(item, 1);                                                                          \
                tw_group_matrix_mad(item, c, stages[(t - 1) % 2].a, stages[(t - 1) % 2].b);                            \
                tw_group_matrix_wait(item, c, 0);                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        tw_group_matrix_apply(item, c, tenfold, 0.5f);                                                                 \
        if (C_LAYOUT == TW_ROW_MAJOR)                                                                                  \
            tw_group_matrix_store(item, c, k->c + first * COLUMNS, COLUMNS, TW_ROW_MAJOR);                             \
        else                                                                                                           \
            tw_group_matrix_store(item, c, k->c + first, rows, TW_COLUMN_MAJOR);                                       \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name, items);                                                                                   \
                                                                                                                       \
    static unsigned count_wrong_##name(const float *c)                                                                 \
    {                                                                                                                  \
        const size_t rows = ROWS * GROUPS;                                                                             \
        unsigned wrong = 0;                                                                                            \
        for (size_t i = 0; i < rows; ++i)                                                                              \
            for (size_t j = 0; j < COLUMNS; ++j) {                                                                     \
                int sum = 1;                                                                                           \
                for (size_t n = 0; n < K * TILES; ++n)                                                                 \
                    sum += value_of(place_of(i, n, rows, K * TILES, A_LAYOUT), 6)                                      \
                           * value_of(place_of(n, j, K * TILES, COLUMNS, B_LAYOUT), 7);                                \
                wrong += c[place_of(i, j, rows, COLUMNS, C_LAYOUT)] != tenfold((float)sum, i % ROWS, j, 0.5f);         \
            }                                                                                                          \
        return wrong;                                                                                                  \
    }                                                                                                                  \
    TW_TEST(group_##name)                                                                                              \
    {                                                                                                                  \
        enum {                                                                                                         \
            A_COUNT = ROWS * GROUPS * K * TILES,                                                                       \
            B_COUNT = K * TILES * COLUMNS,                                                                             \
            C_COUNT = ROWS * GROUPS * COLUMNS                                                                          \
        };                                                                                                             \
        static factor a[A_COUNT], b[B_COUNT];                                                                          \
        static float c[C_COUNT];                                                                                       \
        tw_queue *queue = tw_test_queue();                                                                             \
        for (size_t i = 0; i < A_COUNT; ++i)                                                                           \
            a[i] = ELEMENT_##factor(value_of(i, 6));                                                                   \
        for (size_t i = 0; i < B_COUNT; ++i)                                                                           \
            b[i] = ELEMENT_##factor(value_of(i, 7));                                                                   \
        tw_buffer *buffers[3] = {NULL, NULL, NULL};                                                                    \
        TW_PASS(tw_buffer_create_over(a, sizeof *a, tw_range_1d(A_COUNT), &buffers[0]));                               \
        TW_PASS(tw_buffer_create_over(b, sizeof *b, tw_range_1d(B_COUNT), &buffers[1]));                               \
        TW_PASS(tw_buffer_create_over(c, sizeof *c, tw_range_1d(C_COUNT), &buffers[2]));                               \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(GROUPS), tw_range_1d(items)), name,                         \
                                 .a = tw_read(cg, buffers[0]), .b = tw_read(cg, buffers[1]),                           \
                                 .c = tw_discard_write(cg, buffers[2]), .groups = GROUPS,                              \
                                 .stages = tw_local(cg, TW_MATRIX_TILES_BYTES(2 * sizeof(struct name##_stage))));      \
        const bool is_refused = nd_is_refused(queue, cg);                                                              \
        for (int i = 0; i < 3; ++i)                                                                                    \
            TW_PASS(tw_buffer_destroy(&buffers[i]));                                                                   \
        if (!is_refused)                                                                                               \
            TW_EQUAL(count_wrong_##name(c), 0);                                                                        \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
    }
GROUP_PRODUCT(rows_of_half, tw_half, 64, 64, 64, 128, TW_ROW_MAJOR, TW_ROW_MAJOR, TW_ROW_MAJOR)
GROUP_PRODUCT(columns_of_half, tw_half, 128, 128, 32, 128, TW_COLUMN_MAJOR, TW_ROW_MAJOR, TW_COLUMN_MAJOR)
GROUP_PRODUCT(dots_of_bfloat16, tw_bfloat16, 64, 64, 64, 128, TW_ROW_MAJOR, TW_COLUMN_MAJOR, TW_ROW_MAJOR)
GROUP_PRODUCT(wide_of_bfloat16, tw_bfloat16, 128, 256, 16, 256, TW_COLUMN_MAJOR, TW_ROW_MAJOR, TW_ROW_MAJOR)

/* ---- pipelines --------------------------------------------------------------------------------------------------- */

/* Sizes that are no multiples of a tile, in memory whose rows, or columns, are padded. Groups are fewer than tiles. */
enum { PIPELINE_GROUPS = 2, PADDING = 100 };

static size_t padded(size_t elements)
{
    return (elements + 15) / 8 * 8;
}

static size_t padded_place(size_t row, size_t column, size_t rows, size_t columns, tw_matrix_layout layout)
{
    return layout == TW_ROW_MAJOR ? row * padded(columns) + column : column * padded(rows) + row;
}

static size_t padded_count(size_t rows, size_t columns, tw_matrix_layout layout)
{
    return layout == TW_ROW_MAJOR ? rows * padded(columns) : columns * padded(rows);
}

#define PIPELINE(name, factor, ROWS, COLUMNS, K, STAGES, items, M, N, INNER, A_LAYOUT, B_LAYOUT, C_LAYOUT)             \
    typedef TW_MATRIX_PIPELINE(factor, ROWS, COLUMNS, K, STAGES, A_LAYOUT, B_LAYOUT) name##_pipeline;                  \
    struct name {                                                                                                      \
        const factor *a, *b;                                                                                           \
        float *c;                                                                                                      \
        unsigned char *maps;                                                                                           \
        tw_local_memory memory;                                                                                        \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        const size_t across = (N + COLUMNS - 1) / COLUMNS, tiles = (M + ROWS - 1) / ROWS * across;                     \
        const size_t c_stride = padded(C_LAYOUT == TW_ROW_MAJOR ? N : M);                                              \
        name##_pipeline pipeline;                                                                                      \
        tw_matrix_pipeline_open(item, pipeline, k->memory, k->maps, k->a,                                              \
                                padded(A_LAYOUT == TW_ROW_MAJOR ? INNER : M), k->b,                                    \
                                padded(B_LAYOUT == TW_ROW_MAJOR ? N : INNER), M, N, INNER);                            \
        for (size_t tile = tw_group_linear_id(item); tile < tiles; tile += PIPELINE_GROUPS) {                          \
            const size_t row = tile / across * ROWS, column = tile % across * COLUMNS;                                 \
            TW_GROUP_MATRIX(float, ROWS, COLUMNS, items) c;                                                            \
            tw_matrix_pipeline_begin(item, pipeline, row, column);                                                     \
            tw_group_matrix_fill(item, c, 1);                                                                          \
            tw_group_matrix_multiply(item, c, pipeline);                                                               \
            tw_group_matrix_apply(item, c, tenfold, 0.5f);                                                             \
            tw_group_matrix_store_part(item, c, k->c + padded_place(row, column, M, N, C_LAYOUT), c_stride, C_LAYOUT,  \
                                       M - row, N - column);                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name, items);                                                                                   \
                                                                                                                       \
    /* What is no element of the product is as it was before. */                                                       \
    static unsigned count_wrong_##name(const float *c, size_t count)                                                   \
    {                                                                                                                  \
        unsigned wrong = 0, padding = 0;                                                                               \
        for (size_t i = 0; i < M; ++i)                                                                                 \
            for (size_t j = 0; j < N; ++j) {                                                                           \
                int sum = 1;                                                                                           \
                for (size_t n = 0; n < INNER; ++n)                                                                     \
                    sum += value_of(i * INNER + n, 8) * value_of(n * N + j, 9);                                        \
                wrong += c[padded_place(i, j, M, N, C_LAYOUT)] != tenfold((float)sum, i % ROWS, j % COLUMNS, 0.5f);    \
            }                                                                                                          \
        for (size_t i = 0; i < count; ++i)                                                                             \
            padding += c[i] == -PADDING;                                                                               \
        return wrong + (padding != count - M * N);                                                                     \
    }                                                                                                                  \
    TW_TEST(pipeline_##name)                                                                                           \
    {                                                                                                                  \
        const size_t counts[4] = {padded_count(M, INNER, A_LAYOUT), padded_count(INNER, N, B_LAYOUT),                  \
                                  padded_count(M, N, C_LAYOUT), TW_MATRIX_MAPS_BYTES(PIPELINE_GROUPS)};                \
        factor *factors[2] = {malloc(counts[0] * sizeof(factor)), malloc(counts[1] * sizeof(factor))};                 \
        float *c = malloc(counts[2] * sizeof *c);                                                                      \
        tw_queue *queue = tw_test_queue();                                                                             \
        for (int f = 0; f < 2; ++f)                                                                                    \
            for (size_t i = 0; i < counts[f]; ++i)                                                                     \
                factors[f][i] = ELEMENT_##factor(PADDING);                                                             \
        for (size_t i = 0; i < counts[2]; ++i)                                                                         \
            c[i] = -PADDING;                                                                                           \
        for (size_t n = 0; n < INNER; ++n) {                                                                           \
            for (size_t i = 0; i < M; ++i)                                                                             \
                factors[0][padded_place(i, n, M, INNER, A_LAYOUT)] = ELEMENT_##factor(value_of(i * INNER + n, 8));     \
            for (size_t j = 0; j < N; ++j)                                                                             \
                factors[1][padded_place(n, j, INNER, N, B_LAYOUT)] = ELEMENT_##factor(value_of(n * N + j, 9));         \
        }                                                                                                              \
        tw_buffer *buffers[4] = {NULL, NULL, NULL, NULL};                                                              \
        TW_PASS(tw_buffer_create_over(factors[0], sizeof(factor), tw_range_1d(counts[0]), &buffers[0]));               \
        TW_PASS(tw_buffer_create_over(factors[1], sizeof(factor), tw_range_1d(counts[1]), &buffers[1]));               \
        TW_PASS(tw_buffer_create_over(c, sizeof *c, tw_range_1d(counts[2]), &buffers[2]));                             \
        TW_PASS(tw_buffer_create(1, tw_range_1d(counts[3]), &buffers[3]));                                             \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(PIPELINE_GROUPS), tw_range_1d(items)), name,                \
                                 .a = tw_read(cg, buffers[0]), .b = tw_read(cg, buffers[1]),                           \
                                 .c = tw_read_write(cg, buffers[2]), .maps = tw_discard_write(cg, buffers[3]),         \
                                 .memory = tw_local(cg, TW_MATRIX_PIPELINE_BYTES(name##_pipeline)));                   \
        const bool is_refused = nd_is_refused(queue, cg);                                                              \
        for (int i = 0; i < 4; ++i)                                                                                    \
            TW_PASS(tw_buffer_destroy(&buffers[i]));                                                                   \
        if (!is_refused)                                                                                               \
            TW_EQUAL(count_wrong_##name(c, counts[2]), 0);                                                             \
        free(factors[0]);                                                                                              \
        free(factors[1]);                                                                                              \
        free(c);                                                                                                       \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
    }
PIPELINE(even_of_half, tw_half, 64, 64, 64, 2, 128, 128, 128, 256, TW_ROW_MAJOR, TW_COLUMN_MAJOR, TW_COLUMN_MAJOR)
PIPELINE(odd_of_half, tw_half, 64, 64, 64, 2, 128, 70, 91, 203, TW_ROW_MAJOR, TW_ROW_MAJOR, TW_ROW_MAJOR)
PIPELINE(columns_of_bfloat16, tw_bfloat16, 64, 64, 64, 2, 128, 69, 139, 65, TW_COLUMN_MAJOR, TW_COLUMN_MAJOR,
         TW_ROW_MAJOR)
PIPELINE(groups_of_bfloat16, tw_bfloat16, 128, 256, 16, 3, 256, 129, 259, 37, TW_COLUMN_MAJOR, TW_ROW_MAJOR,
         TW_ROW_MAJOR)

TW_TEST_LIST = {
    TW_CASE(pipeline_even_of_half),
    TW_CASE(pipeline_odd_of_half),
    TW_CASE(pipeline_columns_of_bfloat16),
    TW_CASE(pipeline_groups_of_bfloat16),
    TW_CASE(group_rows_of_half),
    TW_CASE(group_columns_of_half),
    TW_CASE(group_dots_of_bfloat16),
    TW_CASE(group_wide_of_bfloat16),
    TW_CASE(products_of_tw_half),
    TW_CASE(products_of_tw_bfloat16),
    TW_CASE(products_of_int8_t),
    TW_CASE(products_of_double),
    TW_CASE(chain_of_tw_half),
    TW_CASE(chain_of_tw_bfloat16),
    TW_CASES_END,
};
