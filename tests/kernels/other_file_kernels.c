/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels that test_other_file.c launches from another file. */
#include "other_file_kernels.h"
#include "other_file_statics.h"

static inline void other_task(const struct other_task *k)
{
    k->out[0] = 11;
}
TW_SINGLE_TASK(other_task);

static inline void other_range(tw_item item, const struct other_range *k)
{
    const size_t i = tw_global_linear_id(item);
    k->out[i] = k->factor * k->in[i];
}
TW_RANGE_KERNEL(other_range);

static inline void other_items(tw_nd_item item, const struct other_range *k)
{
    const size_t i = tw_global_linear_id(item);
    k->out[i] = (int)tw_local_range(item, 0) * k->factor * k->in[i];
}
TW_ND_RANGE_KERNEL_SIZES(TW_BLOCK(other_range) other_items, 64, 32);

static inline void other_group(tw_group group, const struct other_group *k)
{
    TW_LOCAL(int, tile, [32]);
    tw_parallel_for_work_item(group, item) {
        tile[tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)];
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = tile[31 - tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(other_group, 32);

tw_status other_header_kernels(tw_queue *queue, tw_buffer *out, int value)
{
    const tw_status status = submit_header_add(queue, out, value);
    return status == TW_SUCCESS ? submit_header_group(queue, out, value) : status;
}

/* test_other_file.c has one of this name, too. */
struct own {
    int *out;
    int unused[32]; /* so that even the sizes of the blocks differ */
};
static inline void own(tw_item item, const struct own *k)
{
    k->out[tw_global_id(item, 0)] = 10 * k->out[tw_global_id(item, 0)] + 2;
}
TW_RANGE_KERNEL(static own, 1);

/* This one has a block of the same size there. */
struct same_own {
    int *out;
};
static inline void same_own(tw_item item, const struct same_own *k)
{
    k->out[tw_global_id(item, 0)] = 10 * k->out[tw_global_id(item, 0)] + 4;
}
TW_RANGE_KERNEL(static same_own, 1);

tw_status other_own(tw_queue *queue, tw_buffer *out)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_buffer_range(out), own, .out = tw_read_write(cg, out));
    const tw_status status = tw_queue_submit(queue, cg, NULL);
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_buffer_range(out), same_own, .out = tw_read_write(cg, out));
    return status == TW_SUCCESS ? tw_queue_submit(queue, cg, NULL) : status;
}
