/* SPDX-License-Identifier: Apache-2.0 */
/* What the tool leaves as it is: each region with the kind of obstacle that it is to name. The rest moves beside it. */
#include <stdio.h>

struct list {
    double *data;
    int n;
};

#pragma omp begin declare target
double outside(double x); /* of another file */
#pragma omp end declare target
static int last;
#define ADD(value) sum += (value)

struct mapped {
    double *values;
    int count;
};

static double first_of(struct mapped mapped)
{
    return mapped.values[0];
}

static void regions(double *x, double **rows, struct list list, struct mapped mapped, int n)
{
    int i;
#pragma omp target teams distribute parallel for lastprivate(i) /* refused: clause */
    for (i = 0; i < n; ++i)
        x[i] = 0;
#pragma omp target teams distribute parallel for /* refused: pointer in memory */
    for (int j = 0; j < n; ++j)
        rows[j][0] = 1;
#pragma omp target teams distribute parallel for /* refused: pointer in struct */
    for (int j = 0; j < list.n; ++j)
        list.data[j] = 1;
#pragma omp target teams distribute parallel for /* refused: other file */
    for (int j = 0; j < n; ++j)
        x[j] = outside(x[j]);
#pragma omp target teams distribute parallel for /* refused: printing */
    for (int j = 0; j < n; ++j)
        printf("%g\n", x[j]);
#pragma omp target teams distribute parallel for collapse(2) /* refused: loop */
    for (int j = 0; j < n; ++j)
        for (int l = 0; l < j; ++l)
            x[j * n + l] = 1;
#pragma omp target teams distribute parallel for if (parallel : n > 10) /* refused: clause */
    for (int j = 0; j < n; ++j)
        x[j] = 1;
#pragma omp target teams distribute parallel for device(last) /* refused: clause */
    for (int j = 0; j < n; ++j)
        x[j] = 1;
#pragma omp target teams distribute parallel for /* refused: critical */
    for (int j = 0; j < n; ++j) {
#pragma omp critical
        x[0] += 1;
    }
    double sum = 0, first[4] = {0};
#pragma omp target map(tofrom : sum) /* refused: macro */
    {
        ADD(x[0]);
    }
#pragma omp target teams distribute parallel for firstprivate(first) /* refused: firstprivate array */
    for (int j = 0; j < n; ++j) {
        first[j % 4] += j;
        x[j] = first[j % 4];
    }
#pragma omp target map(tofrom : sum) /* refused: name */
    {
        for (double sum = 0; sum < 3; ++sum)
            x[0] += sum;
        sum = x[0];
    }
#pragma omp target teams distribute parallel for map(to : mapped.values[0 : n]) /* refused: map item */
    for (int j = 0; j < n; ++j)
        x[j] = first_of(mapped);
#pragma omp target enter data map(to : mapped.count)
    mapped.count = n;
#pragma omp target teams distribute parallel for map(to : mapped.values[0 : n]) /* refused: map item */
    for (int j = 0; j < n; ++j)
        x[j] = mapped.values[j] * mapped.count;
    _Bool all = 1;
#pragma omp target teams distribute parallel for reduction(&& : all) /* refused: reduction */
    for (int j = 0; j < n; ++j)
        all = all && x[j] > 0;
}

int main(void)
{
    double x[16];
    double sum = 0;
#pragma omp target enter data map(alloc : x) map(to : sum)
    /* stays, and is the first: the device is chosen before it */
    int where;
#pragma omp target teams distribute parallel for lastprivate(where) /* refused: clause */
    for (where = 0; where < 16; ++where)
        x[where] = 1;
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 16; ++i)
        x[i] += i - 1;
    /* stays between two that move, and uses the same array */
#pragma omp target teams distribute parallel for lastprivate(where) /* refused: clause */
    for (where = 0; where < 16; ++where)
        x[where] += 1;
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < 16; ++i)
        sum += x[i];
#pragma omp target exit data map(from : x, sum)
    printf("%.1f %.1f\n", sum, x[15]);
    if (sum < 0)
        regions(x, NULL, (struct list){x, 0}, (struct mapped){x, 0}, 0);
    return 0;
}
