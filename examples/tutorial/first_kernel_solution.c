/* SPDX-License-Identifier: Apache-2.0 */
/* Step 1 of the tutorial, solution of the exercise: the kernel writes to a third array, z = a x + b y. */
#include "check.h"

enum { COUNT = 1000000 };

struct axpby {
    float a, b;
    const float *x, *y;
    float *z;
};

static inline void axpby(tw_item item, const struct axpby *k)
{
    const size_t i = tw_global_id(item, 0);
    k->z[i] = k->a * k->x[i] + k->b * k->y[i];
}
TW_RANGE_KERNEL(axpby, 1);

int main(void)
{
    static float x[COUNT], y[COUNT], z[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        x[i] = (float)(i % 1000);
        y[i] = 1;
    }

    tw_queue *queue;
    tw_buffer *xs, *ys, *zs;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_over_const(x, sizeof x[0], tw_range_1d(COUNT), &xs));
    check(tw_buffer_create_over_const(y, sizeof y[0], tw_range_1d(COUNT), &ys));
    check(tw_buffer_create_over(z, sizeof z[0], tw_range_1d(COUNT), &zs));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(COUNT), axpby, .a = 2, .b = 10, .x = tw_read(cg, xs), .y = tw_read(cg, ys),
                    .z = tw_discard_write(cg, zs));
    check(tw_queue_submit(queue, cg, NULL));

    check(tw_buffer_destroy(&xs));
    check(tw_buffer_destroy(&ys));
    check(tw_buffer_destroy(&zs));
    check(tw_queue_destroy(&queue));

    printf("z[1] = %g, z[999] = %g\n", z[1], z[999]);
    return !(z[1] == 12 && z[999] == 2008);
}
