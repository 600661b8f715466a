/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix product, on one device or on several. A work-item computes one element of C = A * B, and the program says what
 * it needs for that: a row of A and a column of B. So a device that computes some rows of C gets these rows of A, and
 * one that computes a tile of C gets as many columns of B.
 *
 * Each work-item reads its operands from global memory: examples/groups has the product in tiles of local memory.
 *
 *     matmul [--devices LIST] [SIDE]     devices.h has the lists; SIDE: rows and columns of square matrices
 */
#include "devices.h"

#include <stdint.h>

enum { ROWS = 300, INNER = 200, COLUMNS = 400, MOST_SIDE = 32768, TIMES = 5 };

struct product {
    TW_VIEW(const float, 2) a, b;
    TW_VIEW(float, 2) c;
};

static inline void product(tw_item item, const struct product *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    float sum = 0;
    for (size_t at = 0; at < tw_extent(k->b, 0); ++at)
        sum += tw_at(k->a, i, at) * tw_at(k->b, at, j);
    tw_at(k->c, i, j) = sum;
}
TW_RANGE_KERNEL(product, 2);

static void submit_product(tw_queue *queue, tw_buffer *a, tw_buffer *b, tw_buffer *c)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_buffer_range(c), product, .a = TW_READ_MAPPED_VIEW(cg, a, tw_slice(1), 2),
                    .b = TW_READ_MAPPED_VIEW(cg, b, tw_slice(0), 2), .c = TW_DISCARD_WRITE_VIEW(cg, c, 2));
    check(tw_queue_submit(queue, cg, NULL));
}

struct matrix {
    size_t rows, columns;
    float *elements;
};

/* A matrix of small whole numbers, whose products are exact in float. */
static struct matrix create_matrix(size_t rows, size_t columns, uint32_t seed)
{
    struct matrix matrix = {rows, columns, allocate(rows * columns, sizeof(float))};
    for (size_t i = 0; i < rows * columns; ++i) {
        seed = seed * 1664525u + 1013904223u;
        matrix.elements[i] = (float)(seed >> 30);
    }
    return matrix;
}

static tw_buffer *create_buffer(const struct matrix *matrix)
{
    tw_buffer *buffer;
    check(tw_buffer_create_over(matrix->elements, sizeof(float), tw_range_2d(matrix->rows, matrix->columns), &buffer));
    return buffer;
}

/* Computes the product several times: the first brings the matrices to their devices. Returns the seconds of the last. */
static double multiply(tw_queue *queue, const struct matrix *a, const struct matrix *b, const struct matrix *c)
{
    tw_buffer *buffers[] = {create_buffer(a), create_buffer(b), create_buffer(c)};
    double taken = 0;
    for (int i = 0; i < TIMES; ++i) {
        const double begin = seconds();
        submit_product(queue, buffers[0], buffers[1], buffers[2]);
        check(tw_queue_wait(queue));
        taken = seconds() - begin;
    }
    for (int i = 0; i < 3; ++i)
        check(tw_buffer_destroy(&buffers[i])); /* brings the product to the host */
    return taken;
}

/* y = M * x */
static void apply(const struct matrix *matrix, const int64_t *x, int64_t *y)
{
    for (size_t i = 0; i < matrix->rows; ++i) {
        y[i] = 0;
        for (size_t j = 0; j < matrix->columns; ++j)
            y[i] += (int64_t)matrix->elements[i * matrix->columns + j] * x[j];
    }
}

/* Whether C = A * B, by Freivalds: whether C * x = A * (B * x) for a vector x. */
static bool is_product(const struct matrix *a, const struct matrix *b, const struct matrix *c)
{
    int64_t *x = allocate(c->columns, sizeof *x), *bx = allocate(b->rows, sizeof *bx);
    int64_t *abx = allocate(a->rows, sizeof *abx), *cx = allocate(c->rows, sizeof *cx);
    for (size_t i = 0; i < c->columns; ++i)
        x[i] = (int64_t)(i * 7919 % 10007);
    apply(b, x, bx);
    apply(a, bx, abx);
    apply(c, x, cx);
    const bool right = memcmp(cx, abx, c->rows * sizeof *cx) == 0;
    free(x);
    free(bx);
    free(abx);
    free(cx);
    return right;
}

int main(int count, char **arguments)
{
    const struct devices devices = take_devices(&count, arguments);
    const size_t side = count > 1 ? strtoul(arguments[1], NULL, 10) : 0;
    if (count > 1 && (side < 1 || side > MOST_SIDE)) {
        fprintf(stderr, "matmul: the side is from 1 to %d\n", MOST_SIDE);
        return 2;
    }
    const struct matrix a = create_matrix(side ? side : ROWS, side ? side : INNER, 1);
    const struct matrix b = create_matrix(side ? side : INNER, side ? side : COLUMNS, 2);
    const struct matrix c = create_matrix(a.rows, b.columns, 3);

    printf("%zu x %zu by %zu x %zu\n", a.rows, a.columns, b.rows, b.columns);
    bool right = true;
    tw_queue *queue;
    for (size_t run = 0; (queue = create_queue(&devices, run)); ++run) {
        memset(c.elements, 0, c.rows * c.columns * sizeof(float));
        const double taken = multiply(queue, &a, &b, &c);
        right &= report(queue, "", taken, is_product(&a, &b, &c));
        check(tw_queue_destroy(&queue));
    }
    free(a.elements);
    free(b.elements);
    free(c.elements);
    return !right;
}
