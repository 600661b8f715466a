/* SPDX-License-Identifier: Apache-2.0 */
/* Loop nests, clauses and reductions: what the tool is to move all of. Prints results, which the moved program repeats. */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 24
#define COLUMNS 40
#define EACH(i, first, end) for (int i = first; i <= (end) - 1; i += 2)
#define AT(i, j) ((i) * columns + (j))

struct weights {
    double centre, side;
};

static const double table[4] = {1.0, 0.5, 0.25, 0.125};
static int shift = 3;

static double blend(const double *x, size_t i, struct weights w)
{
    return w.centre * x[i] + w.side * (x[i - 1] + x[i + 1]);
}

/* Adds to what it is given. */
static void add_to(double *place, double value)
{
    *place += value;
}

/* A comment that belongs to the function below. */
static void smooth(const double *x, double *y, int rows, int columns, struct weights w)
{
#pragma omp target teams distribute parallel for collapse(2)
    for (int i = 1; i <= rows - 2; i++)
        for (int j = 1; j < columns - 1; ++j) {
            if (AT(i, j) % 7 == 0)
                continue;
            y[AT(i, j)] = blend(x, AT(i, j), w); /* stays */
        }
}

static double sums(const double *x, int n, long *bits, double *largest)
{
    double sum = 10, product = 1, least = 1e9;
    double most = *largest;
    int any = 0, all = -1;
    long flipped = 5;
#pragma omp target teams distribute parallel for simd reduction(+ : sum) reduction(max : most) reduction(min : least)  \
    reduction(* : product) reduction(| : any) reduction(& : all) reduction(^ : flipped) map(tofrom : sum)
    for (int i = 0; i < n; ++i) {
        const int whole = (int)x[i];
        sum += x[i];
        most = x[i] > most ? x[i] : most;
        if (x[i] < least)
            least = x[i];
        product *= i % 50 == 0 ? 2 : 1;
        any |= whole;
        all &= whole | 8;
        flipped ^= whole;
    }
    *bits = any * 10000L + all * 100 + flipped;
    *largest = most;
    return sum + product + least;
}

/* Pointers that are members of a struct; one is not mapped, and not used. */
struct grid {
    int rows, columns;
    double *old, *now;
    char *name;
};

static void relax_grid(struct grid g)
{
    const int rows = g.rows, columns = g.columns;
#pragma omp target teams distribute parallel for collapse(2) map(to : g.old[0 : rows * columns])                       \
    map(tofrom : g.now[0 : rows * columns]) map(to : g.columns)
    for (int i = 1; i < rows - 1; ++i)
        for (int j = 1; j < columns - 1; ++j)
            g.now[i * g.columns + j] += 0.5 * blend(g.old, (size_t)(i * g.columns + j), (struct weights){1, 0.25});
}

/* By a pointer, beside directives that have conditions. */
static void relax_twice(struct grid *g, int on_device)
{
    const int n = g->rows * g->columns;
    double *old = g->old;
#pragma omp target enter data map(to : old[0 : n]) if (on_device)
    for (int turn = 0; turn < 2; ++turn) {
#pragma omp target teams distribute parallel for map(to : g->columns, g->old[0 : n])                                   \
    map(tofrom : g->now[0 : n]) if (on_device)
        for (int i = 0; i < n; ++i)
            g->now[i] += g->old[i] * g->columns;
        for (int i = 0; i < n; ++i)
            old[i] += 1;
#pragma omp target update if (target update : on_device && turn == 0) to(old[0 : n])
    }
#pragma omp target exit data if (on_device) map(release : old[0 : n])
}

/* A number of a struct that has pointers besides. */
static int rows_from(struct grid g, int first)
{
    int count = 0;
#pragma omp target teams distribute parallel for reduction(+ : count)
    for (int i = first; i < 50; ++i)
        count += i < g.rows;
    return count;
}

#define ON_DEVICE

/* Directives in branches, with the loop behind them: one for the device, one for the host, or none. */
static int count_in_branches(const double *x, int n)
{
    int above = 0;
#ifdef ON_DEVICE
#pragma omp target teams distribute parallel for reduction(+ : above) map(to : x[0 : n])
#else
#pragma omp parallel for reduction(+ : above)
#endif
    for (int i = 0; i < n; ++i)
        above += x[i] > 1;
#if defined(ON_DEVICE)
#pragma omp target teams reduction(+ : above)
#pragma omp distribute parallel for collapse(2) reduction(+ : above)
#endif
    for (int i = 0; i < 4; ++i)
#ifndef ON_DEVICE
#pragma omp simd
#endif
        for (int j = 0; j < 5; ++j)
            above += i + j;
#ifndef ON_DEVICE
#pragma omp target teams distribute parallel for map(to : x[0 : n])
#endif
    for (int i = 0; i < n; ++i) /* not compiled for the device, so it stays */
        above += x[i] > 2;
#ifdef ON_DEVICE
#pragma omp target data map(to : x[0 : n])
#endif
    {
#pragma omp target teams distribute parallel for reduction(+ : above)
        for (int i = 0; i < n; ++i)
            above += x[i] > 3;
    }
    return above;
}

int main(void)
{
    const int rows = ROWS, columns = COLUMNS, n = rows * columns;
    const struct weights w = {0.5, 0.25};
    double *x = malloc(sizeof *x * n), *y = malloc(sizeof *y * n);
    double square[ROWS][COLUMNS];
    for (int i = 0; i < n; ++i) {
        x[i] = i % 13;
        y[i] = -1;
    }
#pragma omp target data map(to : x[0 : n]) map(tofrom : y[0 : n])
    {
        smooth(x, y, rows, columns, w);
    }
    /* a pointer to volatile elements */
    volatile double *seen = y;
    enum { ONE = 1 };
#pragma omp target teams distribute parallel for map(tofrom : seen[0 : n])
    for (int i = 0; i < n; ++i) {
        seen[i] = seen[i] + ONE;
        i += ONE; /* of no effect on the loop */
    }
    double total = 0;
    for (int i = 0; i < n; ++i)
        total += y[i] * (i % 5);
    printf("smooth %.6f\n", total);

    long bits = 0;
    double largest = 0;
#pragma omp target enter data map(to : x[0 : n])
    x[3] = 1000; /* not on the device yet */
    double sum = sums(x, n, &bits, &largest);
    printf("sums %.3f %ld %.1f\n", sum, bits, largest);
#pragma omp target update to(x[2 : 4])
    sum = sums(x, n, &bits, &largest);
    printf("sums %.3f %ld %.1f\n", sum, bits, largest);
#pragma omp target exit data map(delete : x[0 : n])

    /* downward, in steps, from an offset that is no literal; private and firstprivate; an array that is not named */
    int first = 5, stride = 3;
    double t, scale = 2;
#pragma omp target teams distribute parallel for private(t) firstprivate(scale) map(tofrom : y[0 : n]) map(to : table)
    for (int i = n - first; i >= 0; i -= stride) {
        t = scale * table[i % 4];
        y[i] = t + shift;
    }
#pragma omp target
#pragma omp teams distribute
    for (int i = 0; i < ROWS; i += 1) {
#pragma omp parallel for
        for (int j = 0; j != COLUMNS; j++)
            square[i][j] = i * 100 + j;
    }
    total = 0;
    for (int i = 0; i < n; ++i)
        total += y[i] + square[i / columns][i % columns];
    printf("downward %.6f\n", total);

    /* on the host, and on the device; whether all and whether any */
    int positive = 1, large = 0;
    for (int times = 1; times <= 2; ++times)
#pragma omp target teams distribute parallel for if (times > 1) reduction(&& : positive) reduction(|| : large)         \
    map(tofrom : y[0 : n]) map(tofrom : positive, large)
        for (int i = 0; i < n; ++i) {
            positive = positive && y[i] > -1e6;
            large = large || y[i] > 1e6 * times;
            y[i] += times;
        }
    /* a loop whose head is a macro */
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n])
    EACH(i, columns / 10, rows + columns)
    {
        y[i] += 3;
    }
    int where = -1;
    double seen_last = 0;
#pragma omp target teams distribute parallel for collapse(2) lastprivate(where, seen_last) map(to : y[0 : n])          \
    map(tofrom : where, seen_last)
    for (int i = 4; i < 8; ++i)
        for (int j = 2; j < 9; ++j) {
            where = i * 10 + j;
            if (i * j < 0)
                continue;
            seen_last = y[where];
        }
    printf("all %d any %d last %d %.3f\n", positive, large, where, seen_last);

    /* more loops than a range has dimensions; a body that is in a file of its own */
#pragma omp target teams distribute parallel for collapse(5) map(tofrom : y[0 : n])
    for (int a = 0; a < 2; ++a)
        for (int b = 3; b > 1; --b)
            for (int c = 1; c <= columns / 20; ++c)
                for (int d = 0; d < 3; ++d)
                    for (int e = 0; e < 6; e += 2) {
#include "part.h"
                    }
    total = 0;
    for (int i = 0; i < n; ++i)
        total += y[i] * i;
    printf("five %.3f\n", total);

    /* atomic operations, and a function that writes through a pointer */
    int counts[8] = {0}, taken = 0;
    double box = 0;
#pragma omp target teams distribute parallel for map(tofrom : counts, taken) map(from : y[0 : n])
    for (int i = 0; i < n; ++i) {
#pragma omp atomic update
        counts[i % 8] += i;
        int place;
#pragma omp atomic capture
        place = taken++;
        y[i] = place >= 0;
        add_to(&y[i], 2);
    }
#pragma omp target map(tofrom : box) map(to : table) firstprivate(total)
    {
        const double shared = total;
        double total = 0; /* another one than that of main() */
        box += shared * total;
        for (int i = 0; i < 4; ++i)
            box += table[i];
    }
    total = 0;
    for (int i = 0; i < n; ++i)
        total += y[i];
    printf("atomic %d %d %d %.1f %.3f\n", counts[0], counts[7], taken, total, box);

    char name[] = "not on the device";
    struct grid grid = {rows, columns, x, y, name};
    relax_grid(grid);
    relax_twice(&grid, 1);
    relax_twice(&grid, 0);
    total = 0;
    for (int i = 0; i < n; ++i)
        total += y[i] * i;
    printf("grid %.3f %d %d\n", total, rows_from(grid, 3), count_in_branches(x, n));
    free(x);
    free(y);
    return 0;
}
