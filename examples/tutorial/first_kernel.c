/* SPDX-License-Identifier: Apache-2.0 */
/* Step 1 of the tutorial: y = a x + y, once as an OpenMP loop and once as a kernel. */
#include "check.h"

enum { COUNT = 1000000 };

static void saxpy_openmp(float a, const float *x, float *y)
{
#pragma omp parallel for simd
    for (int i = 0; i < COUNT; ++i)
        y[i] += a * x[i];
}

/* What the loop above takes from outside are the members of the kernel's argument block. */
struct saxpy {
    float a;
    const float *x;
    float *y;
};

/* The loop's body. It runs once for each work-item; there is no loop around it. */
static inline void saxpy(tw_item item, const struct saxpy *k)
{
    const size_t i = tw_global_id(item, 0);
    k->y[i] += k->a * k->x[i];
}
TW_RANGE_KERNEL(saxpy, 1);

int main(void)
{
    static float x[COUNT], y[COUNT], expected[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        x[i] = (float)(i % 1000);
        y[i] = expected[i] = 1;
    }

    tw_queue *queue;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    printf("The queue is on %s.\n", tw_device_name(tw_queue_device(queue)));

    tw_buffer *xs, *ys;
    check(tw_buffer_create_over_const(x, sizeof x[0], tw_range_1d(COUNT), &xs));
    check(tw_buffer_create_over(y, sizeof y[0], tw_range_1d(COUNT), &ys));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(COUNT), saxpy, .a = 2, .x = tw_read(cg, xs), .y = tw_read_write(cg, ys));
    check(tw_queue_submit(queue, cg, NULL)); /* returns at once */

    check(tw_buffer_destroy(&xs));
    check(tw_buffer_destroy(&ys)); /* waits for the kernel; now y has the result */
    check(tw_queue_destroy(&queue));

    saxpy_openmp(2, x, expected);
    int wrong = 0;
    for (int i = 0; i < COUNT; ++i)
        wrong += y[i] != expected[i];
    printf("y[1] = %g, y[999] = %g, %d of %d wrong\n", y[1], y[999], wrong, COUNT);
    return wrong != 0;
}
