/* SPDX-License-Identifier: Apache-2.0 */
/** Static kernels in a header, which test_other_file.c and other_file_kernels.c include. */
#ifndef TW_OTHER_FILE_STATICS_H
#define TW_OTHER_FILE_STATICS_H

#include <teamwork/teamwork.h>

struct header_add {
    int *out;
    int value;
};
static inline void header_add(tw_item item, const struct header_add *k)
{
    k->out[tw_global_id(item, 0)] += k->value;
}
TW_RANGE_KERNEL(static header_add, 1);

static inline void header_group(tw_group group, const struct header_add *k)
{
    TW_LOCAL(int, values, [8]);
    tw_parallel_for_work_item(group, item) {
        values[tw_local_id(item, 0)] = k->value + (int)tw_local_id(item, 0);
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] += values[7 - tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(static TW_BLOCK(header_add) header_group, 8);

static inline tw_status submit_header_add(tw_queue *queue, tw_buffer *out, int value)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_buffer_range(out), header_add, .out = tw_read_write(cg, out), .value = value);
    return tw_queue_submit(queue, cg, NULL);
}

static inline tw_status submit_header_group(tw_queue *queue, tw_buffer *out, int value)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(tw_buffer_count(out) / 8), tw_range_1d(8), header_group,
                               .out = tw_read_write(cg, out), .value = value);
    return tw_queue_submit(queue, cg, NULL);
}

/* What other_file_kernels.c does with its own kernels of these names. */
tw_status other_header_kernels(tw_queue *queue, tw_buffer *out, int value);
/* Launches its own static kernel `own`, which multiplies by 10 and adds 2. */
tw_status other_own(tw_queue *queue, tw_buffer *out);

#endif
