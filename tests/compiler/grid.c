/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that go through an array by as many steps as there are work-items; check.sh looks for their lanes.
   And tiles with a border, which check.sh looks for, too. */
#include <teamwork/group_functions.h>
#include <teamwork/reduction.h>
#include <teamwork/teamwork.h>

#include <math.h>

struct dot_by_groups {
    const float *x, *y;
    float *parts;
    size_t n;
};

static inline void dot_by_groups(tw_nd_item item, const struct dot_by_groups *k)
{
    float sum = 0;
    for (size_t i = tw_global_id(item, 0); i < k->n; i += tw_global_range(item, 0))
        sum += k->x[i] * k->y[i];
    sum = tw_reduce_over_group(item, sum, TW_SUM);
    if (tw_local_id(item, 0) == 0)
        k->parts[tw_group_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(dot_by_groups);

struct squares_by_groups {
    const float *x;
    float *parts;
    size_t n;
};

/* The sums are in one of two arrays, as the size of the group says. */
static inline void squares_by_groups(tw_group group, const struct squares_by_groups *k)
{
    TW_PRIVATE(group, float, mine);
    tw_parallel_for_work_item(group, item) {
        float sum = 0;
        for (size_t i = tw_local_id(item, 0); i < k->n; i += tw_local_range(item, 0))
            sum += k->x[i] * k->x[i];
        tw_private(mine, item) = sum;
    }
    const float all = tw_reduce_over_group(group, mine, TW_SUM);
    TW_ONCE(group) {
        k->parts[tw_group_id(group, 0)] = all;
    }
}
TW_WORK_GROUP_KERNEL(squares_by_groups);

/* What all work-items read in one place is the same for all, so is its root. */
struct scale_by_norm {
    const float *x;
    float *out;
};

static inline void scale_by_norm(tw_nd_item item, const struct scale_by_norm *k)
{
    TW_LOCAL(float, part, [64]);
    const size_t l = tw_local_id(item, 0), at = tw_global_id(item, 0);
    part[l] = k->x[at] * k->x[at];
    for (size_t half = 32; half > 0; half /= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (l < half)
            part[l] += part[l + half];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    const float all = part[0];
    tw_barrier(item, TW_LOCAL_SPACE);
    part[l] = k->x[at];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[at] = part[63 - l] / sqrtf(all);
}
TW_ND_RANGE_KERNEL(scale_by_norm, 64);

/* The same with narrow indices, of which the unsigned one may wrap around. */
#define DOT(name, type)                                                                                                \
    struct name {                                                                                                      \
        const float *x;                                                                                                \
        float *parts;                                                                                                  \
        type n;                                                                                                        \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        float sum = 0;                                                                                                 \
        for (type i = (type)tw_global_id(item, 0); i < k->n; i += (type)tw_global_range(item, 0))                      \
            sum += k->x[i];                                                                                            \
        k->parts[tw_global_id(item, 0)] = sum;                                                                         \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name, 256)
DOT(dot_by_int, int);
DOT(dot_by_unsigned, unsigned);

/* Several work-items for each row, which the global id tells, and the local one their places in it. */
struct dot_by_rows {
    const float *x;
    const int *first;
    float *parts;
};

static inline void dot_by_rows(tw_nd_item item, const struct dot_by_rows *k)
{
    const int row = (int)tw_global_id(item, 0) >> 5, lane = (int)tw_local_id(item, 0) & 31;
    float sum = 0;
    for (int i = k->first[row] + lane; i < k->first[row + 1]; i += 32)
        sum += k->x[i] * k->x[i];
    k->parts[tw_global_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(dot_by_rows, 64);

/* A comparison of a narrow id with half of the group is none with a width of rows. */
struct tree_of_unsigned {
    const float *x;
    float *sums;
};

static inline void tree_of_unsigned(tw_nd_item item, const struct tree_of_unsigned *k)
{
    TW_LOCAL(float, part, [256]);
    const unsigned at = (unsigned)tw_local_id(item, 0);
    part[at] = k->x[tw_global_id(item, 0)];
    for (unsigned half = 128; half > 0; half >>= 1) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (at < half)
            part[at] += part[at + half];
    }
    if (at == 0)
        k->sums[tw_group_id(item, 0)] = part[0];
}
TW_ND_RANGE_KERNEL(tree_of_unsigned, 256);

struct scale_all {
    double *x;
    double by;
    size_t n;
};

static inline void scale_all(tw_nd_item item, const struct scale_all *k)
{
    for (size_t i = tw_global_id(item, 0); i < k->n; i += tw_global_range(item, 0))
        k->x[i] *= k->by;
}
TW_ND_RANGE_KERNEL(scale_all, 128);

/* What all work-items combine is combined by each lane for itself. */
struct sum_of_series {
    const float *x;
    unsigned terms;
    TW_REDUCTION(float, TW_SUM) sum;
};

static inline void sum_of_series(tw_item item, const struct sum_of_series *k)
{
    float term = 1, sum = 0;
    for (unsigned i = 1; i <= k->terms; ++i) {
        term *= k->x[tw_global_id(item, 0)] / (float)i;
        sum += term;
    }
    tw_combine(k->sum, sum);
}
TW_RANGE_REDUCTION(sum_of_series, 1, sum);

/* Arrays of a work-item become arrays of all lanes. */
struct solve_systems {
    const float *x;
    float *out;
    size_t count;
    int length;
};

static inline void solve_systems(tw_item item, const struct solve_systems *k)
{
    const size_t i = tw_global_id(item, 0);
    float kept[32], last = 0;
    for (int row = 0; row < k->length; ++row)
        kept[row] = last = 1 / (2 + last * k->x[(size_t)row * k->count + i]);
    for (int row = k->length - 1; row >= 0; --row)
        k->out[(size_t)row * k->count + i] = last = kept[row] - last;
}
TW_RANGE_KERNEL(solve_systems, 1);

/* The loop over work-items of groups is divided at the borders of the array: into parts whose turns are taken together each. */
struct mask_by_groups {
    const float *x, *mask;
    float *out;
    int count, width;
};

static inline void mask_by_groups(tw_group group, const struct mask_by_groups *k)
{
    tw_parallel_for_work_item(group, item) {
        const int i = (int)tw_global_id(item, 0);
        float sum = 0;
        for (int j = 0; j < k->width; ++j)
            if (i + j - k->width / 2 >= 0 && i + j - k->width / 2 < k->count)
                sum += k->x[i + j - k->width / 2] * k->mask[j];
        k->out[i] = sum;
    }
}
TW_WORK_GROUP_KERNEL(mask_by_groups, 256);

static inline void mask_by_items(tw_item item, const struct mask_by_groups *k)
{
    const int i = (int)tw_global_id(item, 0);
    float sum = 0;
    for (int j = 0; j < k->width; ++j) {
        const int at = i + j - k->width / 2;
        if (at >= 0 && at < k->count)
            sum += k->x[at] * k->mask[j];
    }
    k->out[i] = sum;
}
TW_RANGE_KERNEL(TW_BLOCK(mask_by_groups) mask_by_items, 1);

/* The report names what is not inlined. */
float elsewhere(float x);

struct sum_of_others {
    const float *x;
    float *out;
    size_t count;
};

static inline void sum_of_others(tw_item item, const struct sum_of_others *k)
{
    float sum = 0;
    for (size_t i = 0; i < k->count; ++i)
        sum += elsewhere(k->x[tw_global_id(item, 0) + i]);
    k->out[tw_global_id(item, 0)] = sum;
}
TW_RANGE_KERNEL(sum_of_others, 1);

struct turn_around {
    const float *in;
    float *out;
};

/* The copy of 512 bytes into local memory is a loop, and no call. */
static inline void turn_around(tw_nd_item item, const struct turn_around *k)
{
    TW_LOCAL(float, line, [128]);
    line[tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0)] = line[127 - tw_local_id(item, 0)];
}
TW_ND_RANGE_KERNEL(turn_around, 128);

/* Of any size: eight barriers are in a group of 256, where the distances of the tree are constants. */
struct tree_of_any_size {
    const int *in;
    int *sums;
    tw_local_memory part;
};

static inline void tree_of_any_size(tw_nd_item item, const struct tree_of_any_size *k)
{
    int *part = tw_local_data(item, k->part);
    const unsigned at = (unsigned)tw_local_id(item, 0);
    part[at] = k->in[tw_global_linear_id(item)];
    for (unsigned half = (unsigned)tw_local_range(item, 0) / 2; half > 0; half /= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (at < half)
            part[at] += part[at + half];
    }
    if (at == 0)
        k->sums[tw_group_id(item, 0)] = part[0];
}
TW_ND_RANGE_KERNEL(tree_of_any_size);

enum { ROWS = 16, COLUMNS = 32, WIDE = COLUMNS + 2, CELLS = (ROWS + 2) * WIDE };

/* Where a group's tile begins, and what a work-item finds there. */
struct tile {
    const float *in;
    float *out;
    unsigned pitch;
};

static inline void average(tw_nd_item item, const struct tile *k, const float *tile)
{
    const float *here = &tile[tw_local_id(item, 0) * WIDE + tw_local_id(item, 1)];
    k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] =
        (here[0] + here[2] + here[2 * WIDE] + here[2 * WIDE + 2]) / 4;
}

static inline void tile_by_rows(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const float *in = k->in + tw_group_id(item, 0) * ROWS * k->pitch + tw_group_id(item, 1) * COLUMNS;
    for (unsigned i = (unsigned)tw_local_id(item, 0); i < ROWS + 2; i += ROWS)
        for (unsigned j = (unsigned)tw_local_id(item, 1); j < WIDE; j += COLUMNS)
            tile[i * WIDE + j] = in[i * k->pitch + j];
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) tile_by_rows, ROWS, COLUMNS);

static inline void halo_by_id(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const float *in = k->in + tw_group_id(item, 0) * ROWS * k->pitch + tw_group_id(item, 1) * COLUMNS;
    for (int at = (int)tw_local_linear_id(item); at < CELLS; at += ROWS * COLUMNS)
        tile[at] = in[at / WIDE * (int)k->pitch + at % WIDE];
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) halo_by_id, ROWS, COLUMNS);

static inline void halo_of_group(tw_group group, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const float *in = k->in + tw_group_id(group, 0) * ROWS * k->pitch + tw_group_id(group, 1) * COLUMNS;
    tw_parallel_for_work_item(group, item) {
        for (size_t at = tw_local_linear_id(item); at < CELLS; at += tw_local_linear_range(group))
            tile[at] = in[at / WIDE * k->pitch + at % WIDE];
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] =
            tile[(tw_local_id(item, 0) + 1) * WIDE + tw_local_id(item, 1)];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(tile) halo_of_group, ROWS, COLUMNS);

/* Its border is loaded by the work-items at the border, behind the guard of all. */
static inline void halo_by_some(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const int i = (int)tw_local_id(item, 0), j = (int)tw_local_id(item, 1), pitch = (int)k->pitch;
    const int row = (int)tw_global_id(item, 0), column = (int)tw_global_id(item, 1), here = (i + 1) * WIDE + j + 1;
    if (row < pitch && column < pitch) {
        tile[here] = k->in[row * pitch + column];
        if (j == 0)
            tile[here - 1] = column > 0 ? k->in[row * pitch + column - 1] : 0;
        if (j == COLUMNS - 1 || column == pitch - 1)
            tile[here + 1] = column < pitch - 1 ? k->in[row * pitch + column + 1] : 0;
        if (i == 0)
            tile[here - WIDE] = row > 0 ? k->in[(row - 1) * pitch + column] : 0;
        if (i == ROWS - 1)
            tile[here + WIDE] = row < pitch - 1 ? k->in[(row + 1) * pitch + column] : 0;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) halo_by_some, ROWS, COLUMNS);

/* The global id less the local one is the same for all. */
static inline void tile_around(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const int i = (int)tw_local_id(item, 0), j = (int)tw_local_id(item, 1), pitch = (int)k->pitch;
    const int row = (int)tw_global_id(item, 0), column = (int)tw_global_id(item, 1);
    for (int y = i; y < ROWS + 2; y += ROWS)
        for (int x = j; x < WIDE; x += COLUMNS)
            tile[y * WIDE + x] =
                k->in[(row - i + y - 1 + pitch) % pitch * pitch + (column + x - (j + 1) + pitch) % pitch];
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) tile_around, ROWS, COLUMNS);

/* The size that it counts on, and does not say. */
static inline void halo_unnamed(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const float *in = k->in + tw_group_id(item, 0) * ROWS * k->pitch + tw_group_id(item, 1) * COLUMNS;
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    for (unsigned first = 0; first < CELLS; first += ROWS * COLUMNS) {
        const unsigned at = first + i * COLUMNS + j;
        if (at < CELLS)
            tile[at] = in[at / WIDE * k->pitch + at % WIDE];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) halo_unnamed);

/* So does this one: it has a local element for each work-item, and a border. */
static inline void groups_unnamed(tw_group group, const struct tile *k)
{
    TW_LOCAL(float, tile, [ROWS + 2][WIDE]);
    const float *in = k->in + tw_group_id(group, 0) * ROWS * k->pitch + tw_group_id(group, 1) * COLUMNS;
    tw_parallel_for_work_item_range(group, item, tw_range_2d(ROWS + 2, WIDE)) {
        tile[tw_local_id(item, 0)][tw_local_id(item, 1)] = in[tw_local_id(item, 0) * k->pitch + tw_local_id(item, 1)];
    }
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_local_id(item, 0), j = tw_local_id(item, 1);
        k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] = tile[i][j] + tile[i + 2][j + 2];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(tile) groups_unnamed);

/* Its border is loaded by the work-items at the ends of rows and columns, in groups of any size. */
struct ends {
    const float *in;
    float *out;
    int pitch;
    tw_local_memory tile;
};

static inline void groups_by_ends(tw_group group, const struct ends *k)
{
    float *tile = tw_local_data(group, k->tile);
    const int pitch = k->pitch, rows = (int)tw_local_range(group, 0), columns = (int)tw_local_range(group, 1);
    tw_parallel_for_work_item(group, item) {
        const int i = (int)tw_local_id(item, 0) + 1, j = (int)tw_local_id(item, 1) + 1;
        const int at = (int)tw_global_id(item, 0) * pitch + (int)tw_global_id(item, 1);
        tile[i * (columns + 2) + j] = k->in[at];
        if (i == 1)
            tile[j] = k->in[at - pitch];
        if (i == rows)
            tile[(i + 1) * (columns + 2) + j] = k->in[at + pitch];
        if (j == 1)
            tile[i * (columns + 2)] = k->in[at - 1];
        if (j == columns)
            tile[i * (columns + 2) + j + 1] = k->in[at + 1];
    }
    tw_parallel_for_work_item(group, item) {
        const float *here = tile + tw_local_id(item, 0) * (size_t)(columns + 2) + tw_local_id(item, 1);
        k->out[tw_global_id(item, 0) * (size_t)pitch + tw_global_id(item, 1)] = here[0] + here[1];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(ends) groups_by_ends);

/* Rows of 8 are vectors, and the size of groups of three dimensions is seen, too. */
static inline void cube_unnamed(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, cube, [10][10][10]);
    const size_t h = tw_local_id(item, 0), i = tw_local_id(item, 1), j = tw_local_id(item, 2);
    cube[h + 1][i + 1][j + 1] = k->in[tw_global_linear_id(item)];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_linear_id(item)] = cube[h][i + 1][j] + cube[h + 2][i][j + 2];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) cube_unnamed);

/* No size of a group fits these steps. */
static inline void odd_steps(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    for (unsigned at = i * COLUMNS + j; at < CELLS; at += ROWS * COLUMNS + 1)
        tile[at] = k->in[at];
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) odd_steps);

static inline void halo_by_turns(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const float *in = k->in + tw_group_id(item, 0) * ROWS * k->pitch + tw_group_id(item, 1) * COLUMNS;
#pragma clang loop unroll(full)
    for (size_t first = 0; first < CELLS; first += ROWS * COLUMNS) {
        const size_t at = first + tw_local_id(item, 0) * COLUMNS + tw_local_id(item, 1);
        if (at < CELLS)
            tile[at] = in[at / WIDE * k->pitch + at % WIDE];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) halo_by_turns, ROWS, COLUMNS);

/* Tiles of any size: loops over the border that end at what is computed in them, and rows of any length, in pieces. */
struct any_tile {
    const unsigned char *in; /* with a border of one */
    unsigned char *out;
    size_t pitch;
    tw_local_memory tile;
};

static inline unsigned char cross(const unsigned char *here, size_t width)
{
    return (unsigned char)(here[0] + here[1] + here[2] + here[width] + here[2 * width + 1]);
}

static inline void any_tile_groups(tw_group group, const struct any_tile *k)
{
    unsigned char *tile = tw_local_data(group, k->tile);
    const size_t height = tw_local_range(group, 0), width = tw_local_range(group, 1) + 2;
    const unsigned char *in =
        k->in + tw_group_id(group, 0) * height * k->pitch + tw_group_id(group, 1) * tw_local_range(group, 1);
    tw_parallel_for_work_item_range(group, item, tw_range_2d(height + 2, width)) {
        tile[tw_local_id(item, 0) * width + tw_local_id(item, 1)] =
            in[tw_local_id(item, 0) * k->pitch + tw_local_id(item, 1)];
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] =
            cross(tile + tw_local_id(item, 0) * width + tw_local_id(item, 1), width);
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(any_tile) any_tile_groups);

static inline void any_tile_rows(tw_nd_item item, const struct any_tile *k)
{
    unsigned char *tile = tw_local_data(item, k->tile);
    const size_t i = tw_local_id(item, 0), j = tw_local_id(item, 1);
    const size_t height = tw_local_range(item, 0), width = tw_local_range(item, 1) + 2;
    const unsigned char *in =
        k->in + tw_group_id(item, 0) * height * k->pitch + tw_group_id(item, 1) * tw_local_range(item, 1);
    for (size_t r = i; r < height + 2; r += height)
        for (size_t c = j; c < width; c += tw_local_range(item, 1))
            tile[r * width + c] = in[r * k->pitch + c];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] = cross(tile + i * width + j, width);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(any_tile) any_tile_rows);

static inline void any_tile_linear(tw_nd_item item, const struct any_tile *k)
{
    unsigned char *tile = tw_local_data(item, k->tile);
    const size_t height = tw_local_range(item, 0), width = tw_local_range(item, 1) + 2;
    const unsigned char *in =
        k->in + tw_group_id(item, 0) * height * k->pitch + tw_group_id(item, 1) * tw_local_range(item, 1);
    for (size_t at = tw_local_linear_id(item); at < (height + 2) * width; at += tw_local_linear_range(item))
        tile[at] = in[at / width * k->pitch + at % width];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] =
        cross(tile + tw_local_id(item, 0) * width + tw_local_id(item, 1), width);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(any_tile) any_tile_linear);

/* The same in 32 bits: a tile that follows from the size of the group has fewer elements. */
static inline void any_tile_unsigned(tw_nd_item item, const struct any_tile *k)
{
    unsigned char *tile = tw_local_data(item, k->tile);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    const unsigned height = (unsigned)tw_local_range(item, 0), width = (unsigned)tw_local_range(item, 1);
    const unsigned char *in =
        k->in + tw_group_id(item, 0) * height * k->pitch + tw_group_id(item, 1) * tw_local_range(item, 1);
    for (unsigned at = i * width + j; at < (height + 2) * (width + 2); at += height * width)
        tile[at] = in[at / (width + 2) * k->pitch + at % (width + 2)];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] = cross(tile + i * (width + 2) + j, width + 2);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(any_tile) any_tile_unsigned);

/* Not in pieces: columns, and rows that are not those of a group. */
static inline void whole_columns(tw_group group, const struct any_tile *k)
{
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 1) * k->pitch + tw_global_id(item, 0)] =
            k->in[tw_global_id(item, 1) * k->pitch + tw_global_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(any_tile) whole_columns);

static inline void whole_rows(tw_item item, const struct any_tile *k)
{
    k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] =
        k->in[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)];
}
TW_RANGE_KERNEL(TW_BLOCK(any_tile) whole_rows, 2);

static inline void whole_line(tw_group group, const struct any_tile *k)
{
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = k->in[tw_global_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(any_tile) whole_line);

/* A histogram: counts in local memory, of a constant size and of one that the launch gives, by atomic operations of any scope, of bytes
   that all groups share out. */
struct count_bytes {
    const unsigned char *in;
    unsigned *counts;
    size_t count;
    tw_local_memory own;
};

static inline void count_in(tw_nd_item item, const struct count_bytes *k, unsigned *counts)
{
    const size_t own = tw_local_id(item, 0);
    counts[own] = 0;
    tw_barrier(item, TW_LOCAL_SPACE);
    for (size_t i = tw_global_id(item, 0); i < k->count; i += tw_global_range(item, 0))
        tw_atomic_fetch_add(&counts[k->in[i]], 1u);
    tw_barrier(item, TW_LOCAL_SPACE);
    k->counts[tw_group_id(item, 0) * 256 + own] = counts[own];
}

static inline void count_bytes(tw_nd_item item, const struct count_bytes *k)
{
    TW_LOCAL(unsigned, counts, [256]);
    count_in(item, k, counts);
}
TW_ND_RANGE_KERNEL(count_bytes, 256);

static inline void count_of_launch(tw_nd_item item, const struct count_bytes *k)
{
    count_in(item, k, tw_local_data(item, k->own));
}
TW_ND_RANGE_KERNEL(TW_BLOCK(count_bytes) count_of_launch, 256);

/* A work-item reads its own element, and changes it under a condition, with another that it does not read. */
struct changes_some {
    int *known, *through;
    int node;
};
static inline void changes_some(tw_item item, const struct changes_some *k)
{
    const size_t i = tw_global_id(item, 0);
    const int way = k->known[i] / 2 + k->node;
    if (way < k->known[i]) {
        k->known[i] = way;
        k->through[i] = k->node;
    }
}
TW_RANGE_KERNEL(changes_some, 1);

/* Matrices of 8 x 8, one for each work-item. */
struct products {
    const float *a, *b;
    float *c;
};

static inline void own_products(tw_item item, const struct products *k)
{
    const int m = (int)tw_global_id(item, 0);
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
            float s = 0;
            for (int q = 0; q < 8; ++q)
                s += k->a[m * 64 + i * 8 + q] * k->b[m * 64 + q * 8 + j];
            k->c[m * 64 + i * 8 + j] = s;
        }
}
TW_RANGE_KERNEL(TW_BLOCK(products) own_products, 1);
