/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The macros that are statements or declarations, wherever C allows one, for check.sh: none warns, in any pass. Many
 * stand after an `if` without braces, with an else that is its, and beside others of their kind.
 */
#include <teamwork/pointer.h>
#include <teamwork/reduction.h>
#include <teamwork/teamwork.h>

extern const void *used;
const void *used = NULL;

struct hierarchical {
    float *sums;
    unsigned *bins;
    int n;
    TW_LOCAL_VIEW(float) view;
};
static inline void hierarchical(tw_group group, const struct hierarchical *k)
{
    TW_LOCAL(float, total);
    TW_LOCAL(unsigned, bins, [4][2]);
    TW_PRIVATE(group, int, mine);
    if (k->n)
        tw_parallel_for_work_item(group, item) {
            tw_private(mine, item) = 1;
        }
    else
        tw_parallel_for_work_item(group, item) {
            tw_private(mine, item) = 2;
        }
    if (k->n > 1)
        tw_parallel_for_work_item_range(group, item, tw_range_1d(8)) {
            bins[tw_local_id(item, 0) / 2][tw_local_id(item, 0) % 2] = 0;
        }
    if (k->n > 2)
        TW_ONCE(group) {
            total = 0;
        }
    if (k->n > 3)
        TW_ONCE(group) {
            total += 1;
        }
    else
        tw_parallel_for_work_item_range(group, item, tw_range_1d((size_t)k->n)) {
            if (tw_local_id(item, 0) == 3)
                continue;
            tw_atomic_fetch_add(&bins[0][1], 1, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
        }
    for (int turn = 0; turn < k->n; ++turn)
        tw_parallel_for_work_item(group, item)
            tw_local_at(item, k->view, tw_local_id(item, 0)) = (float)tw_private(mine, item);
    while (k->n > 9)
        TW_ONCE(group)
            total *= 2;
    TW_ONCE(group) {
        k->sums[tw_group_id(group, 0)] = total;
        k->bins[tw_group_id(group, 0)] = bins[1][1];
    }
}
TW_WORK_GROUP_KERNEL(hierarchical, 64);

/* Nothing uses what the macros declare, and the block has names that they could use. */
struct unused {
    int item, group, open, loop;
};
static inline void unused(tw_group group, const struct unused *k)
{
    (void)k;
    tw_parallel_for_work_item(group, item) {
    }
    tw_parallel_for_work_item_range(group, item, tw_range_1d(3)) {
    }
    TW_ONCE(group) {
    }
}
TW_WORK_GROUP_KERNEL(unused);

struct nd {
    float *to;
    const float *from;
    int *first;
    void **list;
    tw_local_memory memory;
};
static inline void nd(tw_nd_item item, const struct nd *k)
{
    TW_LOCAL(float, part, [64]);
    int expected = 0, *next = NULL;
    float *const memory = tw_local_data(item, k->memory);
    const tw_device_event copied = tw_async_work_group_copy(item, part, k->from, 64);
    if (k->first)
        tw_wait_for(item, copied);
    else
        tw_wait_for(item, copied);
    if (k->first)
        tw_barrier(item, TW_LOCAL_SPACE);
    else
        tw_mem_fence(item, TW_GLOBAL_SPACE);
    if (k->first)
        tw_atomic_store(k->first, 1);
    else
        tw_atomic_fetch_add(k->first, tw_atomic_load(&k->first[tw_atomic_exchange(k->first, 2)]));
    if (tw_atomic_compare_exchange_strong(k->first, &expected, tw_atomic_load(k->first)))
        tw_atomic_compare_exchange_weak(&next, &(int *){NULL}, k->first, TW_ORDER_ACQ_REL, TW_ORDER_RELAXED,
                                        TW_SCOPE_DEVICE);
    else
        tw_atomic_fence(TW_ORDER_ACQ_REL, TW_SCOPE_DEVICE);
    tw_local_ptr(float) local = tw_make_ptr(local, part);
    memory[tw_local_id(item, 0)] = local[0];
    k->to[tw_global_id(item, 0)] = memory[0];
}
TW_ND_RANGE_KERNEL(nd, 64);

struct plain {
    TW_VIEW(float) view;
    TW_VIEW(const float) from;
    TW_REDUCTION(float, TW_SUM) sum;
};
static inline void plain(tw_item item, const struct plain *k)
{
    const size_t i = tw_global_id(item, 0);
    if (i > 3)
        tw_at(k->view, i) = tw_at(k->from, i);
    else
        tw_combine(k->sum, 1.0f);
}
TW_RANGE_REDUCTION(plain, 1, sum);

struct task {
    int *out;
};
static inline void task(const struct task *k)
{
    *k->out = TW_ON_GPU;
}
TW_SINGLE_TASK(task);

void launch(tw_queue *queue, tw_buffer *b, int which);
void launch(tw_queue *queue, tw_buffer *b, int which)
{
    if (which == 1)
        TW_COMMAND_GROUP(queue, cg)
            tw_single_task(cg, task, .out = tw_write(cg, b));
    else
        TW_COMMAND_GROUP(queue, cg) {
            if (which == 2)
                tw_parallel_for_work_group(cg, tw_range_1d(4), tw_range_1d(64), hierarchical, .sums = tw_write(cg, b),
                                           .view = TW_LOCAL_VIEW_OF(cg, float, tw_range_1d(64)));
            else
                tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(64), tw_range_1d(64)), nd,
                                         .to = tw_write(cg, b), .memory = tw_local(cg, 64));
            if (which == 3)
                tw_parallel_for_work_group(cg, tw_range_1d(4), tw_range_1d(64), unused, .item = 1);
        }
}
