/* SPDX-License-Identifier: Apache-2.0 */
/* What target regions read of the device, and the program assigns to in vain, is named at the line that reads it: the device keeps the
   first value. */
// REQUIRES: x86
// RUN: %tw_clang -O0 -g -fopenmp-targets=x86_64-pc-linux-gnu --offload-host-only -Xclang -verify -c -o /dev/null %s
// RUN: %tw_clang -O1 -g -fopenmp-targets=x86_64-pc-linux-gnu --offload-host-only -Xclang -verify -c -o /dev/null %s
#include <teamwork/teamwork.h>

TW_BEGIN_DEVICE_VARIABLES
int count = 0;
static double step = 1;
static int sizes[4];
static struct {
    int from, to;
} span;
int updated, copied, filled[4];
static int privately, set_there, set_by_kernel, constant = 3, unread, pointed;
static const int table[] = {1, 2, 3};
static int last(void)
{
    return span.to; /* expected-warning {{'span'}} */
}
TW_END_DEVICE_VARIABLES

static int *const pointer[] = {&pointed};

struct use {
    double *x;
};
static inline void use(tw_item item, const struct use *k)
{
    set_by_kernel = 3;
    k->x[tw_global_id(item, 0)] = step + set_by_kernel + copied + count;
}
TW_RANGE_KERNEL(use, 1);

int set_up(tw_queue *queue, double *x, int n);
int set_up(tw_queue *queue, double *x, int n)
{
    count = n;
    step = 0.5 * n;
    sizes[n] = n;
    span.from = 0;
    span.to = n;
    updated = privately = set_there = set_by_kernel = unread = filled[0] = pointed = n;
    const tw_status status = tw_queue_copy_to_variable(queue, &copied, &n, sizeof copied, NULL);
    *pointer[0] = copied = n;
#pragma omp target update to(updated, filled)
#pragma omp target map(tofrom : x[0 : n])
    set_there = 3;
#pragma omp target teams distribute parallel for firstprivate(privately) map(tofrom : x[0 : n])
    for (int i = 0; i < n; ++i) {
        x[i] +=
            updated + copied + privately + set_there + set_by_kernel + constant + table[i % 3] + filled[0] + pointed;
        x[i] += count;    /* expected-warning {{'count'}} */
        x[i] += step;     /* expected-warning {{'step'}} */
        x[i] += sizes[1]; /* expected-warning {{'sizes'}} */
        x[i] += last();
    }
    return status == TW_SUCCESS ? unread : -1;
}
