/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conjugate gradients without the host: Poisson's equation on a square, solved by one command graph. A part of the graph
 * repeats while the residual on the device is too large (tw_queue_begin_while()), so nothing comes back to the host until
 * the solution is there. On an NVIDIA GPU that is one launch.
 *
 *     conjugate [POINTS]     a grid of POINTS times POINTS, 128 without it
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/teamwork.h>

#define TOLERANCE 1e-10 /* of the residual, relative to the right-hand side */

/* The matrix: four times a point without its neighbours in the grid. Beside the grid all is 0. */
static inline double laplace(const double *x, size_t row, size_t column, size_t points)
{
    const double *at = x + row * points + column;
    double sum = 4 * *at;
    sum -= row > 0 ? at[-(long)points] : 0;
    sum -= row + 1 < points ? at[points] : 0;
    sum -= column > 0 ? at[-1] : 0;
    sum -= column + 1 < points ? at[1] : 0;
    return sum;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* x = 0, r = p = b; the square of r */
struct begin {
    const double *b;
    double *x, *r, *p;
    TW_REDUCTION(double, TW_SUM) square;
};
static inline void begin(tw_item item, const struct begin *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = 0;
    k->r[i] = k->p[i] = k->b[i];
    tw_combine(k->square, k->b[i] * k->b[i]);
}
TW_RANGE_REDUCTION(begin, 1, square);

/* q = A p; p q */
struct apply {
    const double *p;
    double *q;
    size_t points;
    TW_REDUCTION(double, TW_SUM) product;
};
static inline void apply(tw_item item, const struct apply *k)
{
    const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1), i = row * k->points + column;
    const double q = laplace(k->p, row, column, k->points);
    k->q[i] = q;
    tw_combine(k->product, k->p[i] * q);
}
TW_RANGE_REDUCTION(apply, 2, product);

/* x = x + a p, r = r - a q; the square of r */
struct advance {
    const double *p, *q, *before, *product;
    double *x, *r;
    TW_REDUCTION(double, TW_SUM) square;
};
static inline void advance(tw_item item, const struct advance *k)
{
    const size_t i = tw_global_id(item, 0);
    const double a = *k->before / *k->product, r = k->r[i] - a * k->q[i];
    k->x[i] += a * k->p[i];
    k->r[i] = r;
    tw_combine(k->square, r * r);
}
TW_RANGE_REDUCTION(advance, 1, square);

/* p = r + b p */
struct turn {
    const double *r, *before, *square;
    double *p;
};
static inline void turn(tw_item item, const struct turn *k)
{
    const size_t i = tw_global_id(item, 0);
    k->p[i] = k->r[i] + *k->square / *k->before * k->p[i];
}
TW_RANGE_KERNEL(turn, 1);

/* Whether there is another turn: the condition of the loop. The first test notes what the residual is to be. */
struct test {
    const double *square;
    double *before, *goal;
    int *again, *turns, most;
    bool is_first;
};
static inline void test(const struct test *k)
{
    if (k->is_first) {
        *k->turns = 0;
        *k->goal = TOLERANCE * TOLERANCE * *k->square;
    }
    *k->before = *k->square;
    *k->again = *k->square > *k->goal && (*k->turns)++ < k->most;
}
TW_SINGLE_TASK(test);

/* ---- the solver -------------------------------------------------------------------------------------------------- */

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

/* The vectors, and the scalars, all of them on the device. */
struct solver {
    size_t points, count;
    tw_buffer *b, *x, *r, *p, *q;
    tw_buffer *square, *before, *product, *goal, *again, *turns;
};

static void submit_test(tw_queue *queue, const struct solver *s, bool is_first)
{
    TW_COMMAND_GROUP(queue, cg) {
        tw_single_task(cg, test, .square = tw_read(cg, s->square), .before = tw_write(cg, s->before),
                       .goal = tw_read_write(cg, s->goal), .again = tw_write(cg, s->again),
                       .turns = tw_read_write(cg, s->turns), .most = (int)(10 * s->points), .is_first = is_first);
    }
}

static void submit_turn(tw_queue *queue, const struct solver *s)
{
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_2d(s->points, s->points), apply, .p = tw_read(cg, s->p),
                        .q = tw_discard_write(cg, s->q), .points = s->points,
                        .product = TW_REDUCE_INIT(cg, s->product));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(s->count), advance, .p = tw_read(cg, s->p), .q = tw_read(cg, s->q),
                        .before = tw_read(cg, s->before), .product = tw_read(cg, s->product),
                        .x = tw_read_write(cg, s->x), .r = tw_read_write(cg, s->r),
                        .square = TW_REDUCE_INIT(cg, s->square));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(s->count), turn, .r = tw_read(cg, s->r), .before = tw_read(cg, s->before),
                        .square = tw_read(cg, s->square), .p = tw_read_write(cg, s->p));
    }
    submit_test(queue, s, false);
}

static tw_command_graph *record(tw_queue *queue, const struct solver *s)
{
    tw_command_graph *solve = NULL;
    check(tw_queue_begin_recording(queue));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(s->count), begin, .b = tw_read(cg, s->b), .x = tw_discard_write(cg, s->x),
                        .r = tw_discard_write(cg, s->r), .p = tw_discard_write(cg, s->p),
                        .square = TW_REDUCE_INIT(cg, s->square));
    }
    submit_test(queue, s, true);
    check(tw_queue_begin_while(queue, s->again, 0));
    submit_turn(queue, s);
    check(tw_queue_end_while(queue));
    check(tw_queue_end_recording(queue, &solve));
    return solve;
}

/* What the solution is to be, and the right-hand side that gives it. */
static void fill(double *solution, double *b, size_t points)
{
    for (size_t row = 0; row < points; ++row)
        for (size_t column = 0; column < points; ++column)
            solution[row * points + column] = sin(0.3 * (double)(row * column % 101)) + 0.01 * (double)row;
    for (size_t i = 0; i < points * points; ++i)
        b[i] = laplace(solution, i / points, i % points, points);
}

static int number_in(tw_buffer *buffer)
{
    tw_host_accessor *accessor;
    check(tw_host_access(buffer, TW_READ, &accessor));
    const int number = *(const int *)tw_host_accessor_const_data(accessor);
    tw_host_accessor_release(&accessor);
    return number;
}

int main(int argc, char **argv)
{
    const long points = argc > 1 ? strtol(argv[1], NULL, 10) : 128;
    if (points < 1 || points > 20000) {
        fprintf(stderr, "usage: conjugate [POINTS], 1 to 20000\n");
        return 1;
    }
    struct solver s = {.points = (size_t)points, .count = (size_t)points * (size_t)points};
    double *solution = calloc(s.count, sizeof *solution), *b = calloc(s.count, sizeof *b),
           *x = calloc(s.count, sizeof *x);
    if (!solution || !b || !x) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    fill(solution, b, s.points);

    tw_queue *queue;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_over(b, sizeof *b, tw_range_1d(s.count), &s.b));
    check(tw_buffer_create_over(x, sizeof *x, tw_range_1d(s.count), &s.x));
    tw_buffer **const vectors[] = {&s.r, &s.p, &s.q}, **const scalars[] = {&s.square, &s.before, &s.product, &s.goal};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i)
        *vectors[i] = buffer_of(sizeof(double), s.count);
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; ++i)
        *scalars[i] = buffer_of(sizeof(double), 1);
    s.again = buffer_of(sizeof(int), 1);
    s.turns = buffer_of(sizeof(int), 1);

    tw_command_graph *solve = record(queue, &s);
    check(tw_queue_submit_graph(queue, solve, NULL));
    const int turns = number_in(s.turns); /* waits */
    tw_command_graph_destroy(&solve);
    tw_buffer **const buffers[] = {&s.b,      &s.x,    &s.r,       &s.p,     &s.q,    &s.square,
                                   &s.before, &s.goal, &s.product, &s.again, &s.turns};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i)
        check(tw_buffer_destroy(buffers[i])); /* x has the solution now */
    check(tw_queue_destroy(&queue));

    double worst = 0;
    for (size_t i = 0; i < s.count; ++i)
        worst = fmax(worst, fabs(x[i] - solution[i]));
    const int right = worst < 1e-6 && turns > 0 && turns < 10 * points;
    printf("%ld x %ld points: %d turns, the largest error is %.1e\n", points, points, turns, worst);
    if (!right)
        fprintf(stderr, "the solution is wrong\n");
    free(solution);
    free(b);
    free(x);
    return !right;
}
