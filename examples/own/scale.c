/* SPDX-License-Identifier: Apache-2.0 */
/* The file with the kernel: clang compiles it for all devices. */
#include "scale.h"

#include <teamwork/teamwork.h>

struct scale {
    double *x;
    double factor;
};
static inline void scale_at(tw_item item, const struct scale *k)
{
    k->x[tw_global_id(item, 0)] *= k->factor;
}
TW_RANGE_KERNEL(TW_BLOCK(scale) scale_at, 1);

tw_status scale(tw_queue *queue, tw_buffer *x, double factor)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_buffer_range(x), scale_at, .x = tw_read_write(cg, x), .factor = factor);
    return tw_queue_submit(queue, cg, NULL);
}
