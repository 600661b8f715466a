/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Step 3 of the tutorial: two mistakes that do no harm on the host. Argument 1 runs the first, 2 the second, and 0 what is
 * right. A kernel replaces each element but the first and the last by the mean of three; the ends stay as they are.
 */
#include "check.h"

enum { COUNT = 1000 };

struct smooth {
    const float *in;
    float *out;
};

static inline void smooth(tw_item item, const struct smooth *k)
{
    const size_t i = tw_global_id(item, 0); /* from 1 on: the launch has an offset */
    k->out[i] = (k->in[i - 1] + k->in[i] + k->in[i + 1]) / 3;
}
TW_RANGE_KERNEL(smooth, 1);

/* Mistake 1: COUNT work-items from 1 on. The last one writes element COUNT, which there is not. */
static void smooth_too_many(tw_queue *queue, tw_buffer *in, tw_buffer *out)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_offset(cg, tw_range_1d(COUNT), tw_id_1d(1), smooth, .in = tw_read(cg, in),
                           .out = tw_write(cg, out));
    check(tw_queue_submit(queue, cg, NULL));
}

/* Mistake 2: the kernel does not write the ends, but the accessor says that old contents need not be kept. */
static void smooth_discarding(tw_queue *queue, tw_buffer *in, tw_buffer *out)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_offset(cg, tw_range_1d(COUNT - 2), tw_id_1d(1), smooth, .in = tw_read(cg, in),
                           .out = tw_discard_write(cg, out));
    check(tw_queue_submit(queue, cg, NULL));
}

static void smooth_right(tw_queue *queue, tw_buffer *in, tw_buffer *out)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_offset(cg, tw_range_1d(COUNT - 2), tw_id_1d(1), smooth, .in = tw_read(cg, in),
                           .out = tw_write(cg, out));
    check(tw_queue_submit(queue, cg, NULL));
}

int main(int count, char **arguments)
{
    static float in[COUNT + 8], out[COUNT + 8]; /* room behind them, so that mistake 1 hides on the host */
    for (int i = 0; i < COUNT; ++i)
        in[i] = out[i] = (float)(i % 3);

    tw_queue *queue;
    tw_buffer *ins, *outs;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_over_const(in, sizeof in[0], tw_range_1d(COUNT), &ins));
    check(tw_buffer_create_over(out, sizeof out[0], tw_range_1d(COUNT), &outs));

    const char which = count > 1 ? arguments[1][0] : '0';
    (which == '1' ? smooth_too_many : which == '2' ? smooth_discarding : smooth_right)(queue, ins, outs);

    check(tw_queue_wait(queue)); /* errors of the kernel arrive here */
    check(tw_buffer_destroy(&ins));
    check(tw_buffer_destroy(&outs));
    check(tw_queue_destroy(&queue));

    printf("%g %g %g ... %g %g\n", out[0], out[1], out[2], out[COUNT - 2], out[COUNT - 1]);
    return 0;
}
