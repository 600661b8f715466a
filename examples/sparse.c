/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sparse matrix from triplets, as finite elements give them: each element adds to 16 places of the matrix, and its
 * neighbours add to some of the same. Sorted by place and reduced by it, the triplets become the entries, and a histogram
 * of rows and a scan tell where each row begins (compressed sparse rows). Then the matrix is multiplied by a vector.
 *
 * All of it is on the device: how many entries there are, the host learns in the end, for the check.
 *
 *     sparse [CELLS]     a grid of CELLS times CELLS squares, 200 without it
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/algorithms.h>
#include <teamwork/teamwork.h>

enum { CORNERS = 4, PLACES = CORNERS * CORNERS };

TW_SORT_PAIRS(sort_triplets, uint64_t, double);
TW_REDUCE_BY_KEY(add_triplets, uint64_t, double, tw_equal_to, tw_plus);
TW_HISTOGRAM_EVEN(count_rows, uint32_t, uint32_t);
TW_SCAN(begin_rows, uint32_t, tw_plus);

/* A place in the matrix, in the order of rows. */
static inline uint64_t place_of(uint32_t row, uint32_t column)
{
    return (uint64_t)row << 32 | column;
}

/* The node at a corner of a square of the grid. */
static inline uint32_t node_at(size_t square, unsigned corner, size_t cells)
{
    const size_t x = square % cells + (corner == 1 || corner == 2), y = square / cells + corner / 2;
    return (uint32_t)(y * (cells + 1) + x);
}

/* What a square adds: Laplace's operator in bilinear elements, times 6. */
static inline double stiffness(unsigned i, unsigned j)
{
    return i == j ? 4 : (i + j) % 2 ? -1 : -2;
}

struct assemble {
    uint64_t *places;
    double *values;
    size_t cells;
};
static inline void assemble(tw_item item, const struct assemble *k)
{
    const size_t t = tw_global_id(item, 0), square = t / PLACES;
    const unsigned i = t % PLACES / CORNERS, j = t % CORNERS;
    k->places[t] = place_of(node_at(square, i, k->cells), node_at(square, j, k->cells));
    k->values[t] = stiffness(i, j);
}
TW_RANGE_KERNEL(assemble, 1);

/* Rows and columns of the entries, of which there may be fewer than work-items. */
struct split_places {
    const uint64_t *places;
    const size_t *entries;
    uint32_t *rows, *columns;
};
static inline void split_places(tw_item item, const struct split_places *k)
{
    const size_t i = tw_global_id(item, 0);
    if (i < *k->entries) {
        k->rows[i] = (uint32_t)(k->places[i] >> 32);
        k->columns[i] = (uint32_t)k->places[i];
    }
}
TW_RANGE_KERNEL(split_places, 1);

struct multiply {
    const uint32_t *begins, *columns;
    const double *values, *x;
    double *y;
};
static inline void multiply(tw_item item, const struct multiply *k)
{
    const size_t row = tw_global_id(item, 0);
    double sum = 0;
    for (uint32_t i = k->begins[row]; i < k->begins[row + 1]; ++i)
        sum += k->values[i] * k->x[k->columns[i]];
    k->y[row] = sum;
}
TW_RANGE_KERNEL(multiply, 1);

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

static tw_buffer *buffer_of(size_t bytes, size_t count)
{
    tw_buffer *buffer;
    check(tw_buffer_create(bytes, tw_range_1d(count), &buffer));
    return buffer;
}

struct matrix {
    size_t rows, most; /* entries, at most */
    tw_buffer *begins, *columns, *values, *entries;
};

/* Sorts triplets and adds up those of one place. Returns the places, of which there are as many as entries. */
static tw_buffer *combine(tw_queue *queue, struct matrix *matrix, tw_buffer *places, tw_buffer *values)
{
    tw_buffer *sorted = buffer_of(sizeof(uint64_t), matrix->most),
              *sorted_values = buffer_of(sizeof(double), matrix->most);
    tw_command_group *cg = tw_queue_begin(queue);
    sort_triplets(cg, tw_read(cg, places), tw_read(cg, values), matrix->most, tw_discard_write(cg, sorted),
                  tw_discard_write(cg, sorted_values));
    check(tw_queue_submit(queue, cg, NULL));

    cg = tw_queue_begin(queue);
    add_triplets(cg, tw_read(cg, sorted), tw_read(cg, sorted_values), matrix->most, tw_discard_write(cg, places),
                 tw_discard_write(cg, matrix->values), tw_discard_write(cg, matrix->entries));
    check(tw_queue_submit(queue, cg, NULL));
    check(tw_buffer_destroy(&sorted));
    check(tw_buffer_destroy(&sorted_values));
    return places;
}

/* Makes the columns of all entries, and where rows begin. The last of rows + 1 counts is 0, so the scan ends with the
   number of entries. */
static void compress(tw_queue *queue, struct matrix *matrix, tw_buffer *places)
{
    tw_buffer *rows = buffer_of(sizeof(uint32_t), matrix->most),
              *counts = buffer_of(sizeof(uint32_t), matrix->rows + 1);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(matrix->most), split_places, .places = tw_read(cg, places),
                    .entries = tw_read(cg, matrix->entries), .rows = tw_discard_write(cg, rows),
                    .columns = tw_discard_write(cg, matrix->columns));
    check(tw_queue_submit(queue, cg, NULL));

    cg = tw_queue_begin(queue);
    tw_count_on_device(cg, tw_read(cg, matrix->entries));
    count_rows(cg, tw_read(cg, rows), matrix->most, matrix->rows + 1, 0, (uint32_t)matrix->rows + 1,
               tw_discard_write(cg, counts));
    check(tw_queue_submit(queue, cg, NULL));

    cg = tw_queue_begin(queue);
    begin_rows_exclusive(cg, tw_read(cg, counts), matrix->rows + 1, 0, tw_discard_write(cg, matrix->begins));
    check(tw_queue_submit(queue, cg, NULL));
    check(tw_buffer_destroy(&rows));
    check(tw_buffer_destroy(&counts));
}

static struct matrix make_matrix(tw_queue *queue, size_t cells)
{
    struct matrix matrix = {.rows = (cells + 1) * (cells + 1), .most = cells * cells * PLACES};
    tw_buffer *places = buffer_of(sizeof(uint64_t), matrix.most), *values = buffer_of(sizeof(double), matrix.most);
    matrix.begins = buffer_of(sizeof(uint32_t), matrix.rows + 1);
    matrix.columns = buffer_of(sizeof(uint32_t), matrix.most);
    matrix.values = buffer_of(sizeof(double), matrix.most);
    matrix.entries = buffer_of(sizeof(size_t), 1);

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(matrix.most), assemble, .places = tw_discard_write(cg, places),
                    .values = tw_discard_write(cg, values), .cells = cells);
    check(tw_queue_submit(queue, cg, NULL));
    places = combine(queue, &matrix, places, values);
    compress(queue, &matrix, places);
    check(tw_buffer_destroy(&places));
    check(tw_buffer_destroy(&values));
    return matrix;
}

/* Whether y is what the squares make of x one by one, and the matrix has an entry for each pair of neighbours. All
   numbers are whole, so nothing is rounded. */
static int is_right(size_t cells, size_t entries, const double *x, const double *y)
{
    const size_t nodes = (cells + 1) * (cells + 1), expected = (3 * cells + 1) * (3 * cells + 1);
    double *sums = calloc(nodes, sizeof *sums);
    if (!sums || entries != expected) {
        fprintf(stderr, "%zu entries, not %zu\n", entries, expected);
        free(sums);
        return 0;
    }
    for (size_t square = 0; square < cells * cells; ++square)
        for (unsigned place = 0; place < PLACES; ++place)
            sums[node_at(square, place / CORNERS, cells)] +=
                stiffness(place / CORNERS, place % CORNERS) * x[node_at(square, place % CORNERS, cells)];
    size_t node = 0;
    while (node < nodes && y[node] == sums[node])
        ++node;
    if (node < nodes)
        fprintf(stderr, "y[%zu] is %g, not %g\n", node, y[node], sums[node]);
    free(sums);
    return node == nodes;
}

int main(int argc, char **argv)
{
    const long cells = argc > 1 ? strtol(argv[1], NULL, 10) : 200;
    if (cells < 1 || cells > 20000) {
        fprintf(stderr, "usage: sparse [CELLS], 1 to 20000\n");
        return 1;
    }
    const size_t nodes = ((size_t)cells + 1) * ((size_t)cells + 1);
    double *x = calloc(nodes, sizeof *x), *y = calloc(nodes, sizeof *y);
    size_t entries = 0;
    if (!x || !y) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    for (size_t i = 0; i < nodes; ++i)
        x[i] = (double)(i * 7919 % 1000);

    tw_queue *queue;
    tw_buffer *from, *to;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_over(x, sizeof *x, tw_range_1d(nodes), &from));
    check(tw_buffer_create_over(y, sizeof *y, tw_range_1d(nodes), &to));
    struct matrix matrix = make_matrix(queue, (size_t)cells);

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(nodes), multiply, .begins = tw_read(cg, matrix.begins),
                    .columns = tw_read(cg, matrix.columns), .values = tw_read(cg, matrix.values),
                    .x = tw_read(cg, from), .y = tw_discard_write(cg, to));
    check(tw_queue_submit(queue, cg, NULL));

    tw_host_accessor *accessor;
    check(tw_host_access(matrix.entries, TW_READ, &accessor));
    entries = *(const size_t *)tw_host_accessor_const_data(accessor);
    tw_host_accessor_release(&accessor);
    check(tw_buffer_destroy(&from));
    check(tw_buffer_destroy(&to)); /* waits; y has the product now */
    tw_buffer *const buffers[] = {matrix.begins, matrix.columns, matrix.values, matrix.entries};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        tw_buffer *buffer = buffers[i];
        check(tw_buffer_destroy(&buffer));
    }
    check(tw_queue_destroy(&queue));

    const int right = is_right((size_t)cells, entries, x, y);
    if (right)
        printf("%zu triplets, %zu rows, %zu entries\n", matrix.most, matrix.rows, entries);
    free(x);
    free(y);
    return !right;
}
