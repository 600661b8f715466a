/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel reduction with work-groups, in four forms, and without, in a fifth.
 *
 * There is no synchronization between the groups of a launch. So a launch turns each group's part of the numbers into
 * one, and the next launch goes on with these. It reads one buffer and writes another: in place, a group could
 * overwrite what another one has yet to read. The third form shows how one launch can do: no group waits for another,
 * but the one that is done last knows that it is.
 */
#include "reduce.h"

#include <stdint.h>

#include <teamwork/teamwork.h>

/* ---- pairs: the nd_range form of the textbooks ------------------------------------------------------------------ */

struct reduce_pairs {
    const int32_t *in;
    int32_t *out;   /* one number for each group */
    unsigned count; /* of `in` */
    tw_local_memory sums;
};

static inline void reduce_pairs(tw_nd_item item, const struct reduce_pairs *k)
{
    uint32_t *sums = tw_local_data(item, k->sums); /* one for each work-item of the group */
    const unsigned local = (unsigned)tw_local_linear_id(item), size = (unsigned)tw_local_linear_range(item);
    const unsigned first = 2 * (unsigned)tw_global_linear_id(item);

    sums[local] = 0; /* which changes no sum: the last group may have more work-items than it needs */
    if (first + 1 < k->count)
        sums[local] = (uint32_t)k->in[first] + (uint32_t)k->in[first + 1];
    else if (first < k->count)
        sums[local] = (uint32_t)k->in[first];
    tw_barrier(item, TW_LOCAL_SPACE);

    for (unsigned stride = 1; stride < size; stride *= 2) {
        const unsigned at = 2 * stride * local;
        if (at < size)
            sums[at] += sums[at + stride];
        tw_barrier(item, TW_LOCAL_SPACE); /* outside of the branch: all work-items come here */
    }

    if (local == 0)
        k->out[tw_group_linear_id(item)] = (int32_t)sums[0];
}
TW_ND_RANGE_KERNEL(reduce_pairs); /* for groups of any size: the launch gives it, and the local memory to go with it */

/* ---- tree: the same as a hierarchical kernel -------------------------------------------------------------------- */

enum { GROUP = 256 }; /* work-items of a group: from here on the size is known to the compiler */

struct reduce_tree {
    const int32_t *in;
    int32_t *out;
    unsigned count;
};

static inline void reduce_tree(tw_group group, const struct reduce_tree *k)
{
    TW_LOCAL(uint32_t, sums, [GROUP]);
    const unsigned first = 2 * GROUP * (unsigned)tw_group_id(group, 0);
    const int32_t *in = k->in + first;

    if (first + 2 * GROUP <= k->count) {
        tw_parallel_for_work_item(group, item) {
            const unsigned local = (unsigned)tw_local_id(item, 0);
            sums[local] = (uint32_t)in[local] + (uint32_t)in[local + GROUP];
        }
    } else {
        tw_parallel_for_work_item(group, item) {
            const unsigned local = (unsigned)tw_local_id(item, 0);
            sums[local] = first + local < k->count ? (uint32_t)in[local] : 0;
            if (first + GROUP + local < k->count)
                sums[local] += (uint32_t)in[local + GROUP];
        }
    }
    /* Neighbours read neighbours: a vector on a CPU, and all banks of the local memory of a GPU. */
#pragma clang loop unroll(full)
    for (size_t half = GROUP / 2; half > 0; half /= 2) {
        tw_parallel_for_work_item_range(group, item, tw_range_1d(half)) {
            sums[tw_local_id(item, 0)] += sums[tw_local_id(item, 0) + half];
        }
    }
    TW_ONCE(group) {
        k->out[tw_group_id(group, 0)] = (int32_t)sums[0];
    }
}
TW_WORK_GROUP_KERNEL(reduce_tree, GROUP);

/* ---- parts: many numbers a work-item, and a group function ------------------------------------------------------ */

/* A work-item's share of a part: every so many-th number, so that neighbours read neighbours. */
static inline uint32_t share_of_rest(const int32_t *rest, unsigned count, unsigned local, unsigned size)
{
    uint32_t sum = 0;
    for (unsigned i = local; i < count; i += size)
        sum += (uint32_t)rest[i];
    return sum;
}

enum {
    QUADS = 8,               /* that a work-item adds up on its own */
    PART = GROUP * QUADS * 4 /* numbers that a group turns into one */
};

/* Four numbers, which a GPU reads at once. */
struct quad {
    int32_t at[4];
} __attribute__((aligned(16)));

struct reduce_parts {
    const int32_t *in;
    int32_t *out;      /* one number */
    uint32_t *partial; /* one for each group */
    unsigned *done;    /* how many groups are done; 0 at first, and at the end again */
    unsigned count;
};

/* A work-item's share of all parts of its group: parts group, group + groups, ... */
static inline uint32_t share_of_parts(const int32_t *in, unsigned count, unsigned group, unsigned groups,
                                      unsigned local)
{
    uint32_t share = 0;
    for (unsigned first = group * PART; first < count; first += groups * PART) {
        if (count - first < PART)
            return share + share_of_rest(in + first, count - first, local, GROUP);
        const struct quad *quads = (const struct quad *)(in + first);
#pragma clang loop unroll(full)
        for (unsigned i = 0; i < QUADS; ++i) {
            const struct quad q = quads[i * GROUP + local];
            share += (uint32_t)q.at[0] + (uint32_t)q.at[1] + (uint32_t)q.at[2] + (uint32_t)q.at[3];
        }
    }
    return share;
}

static inline void reduce_parts(tw_nd_item item, const struct reduce_parts *k)
{
    TW_LOCAL(unsigned, before); /* groups that were done before this one */
    const unsigned group = (unsigned)tw_group_id(item, 0), groups = (unsigned)tw_group_range(item, 0);
    const unsigned local = (unsigned)tw_local_id(item, 0);

    const uint32_t share = share_of_parts(k->in, k->count, group, groups, local);
    const uint32_t sum = tw_reduce_over_group(item, share, TW_SUM);
    if (local == 0) {
        /* the release goes with this group's sum, the acquire with those of the groups before */
        k->partial[group] = sum;
        before = tw_atomic_fetch_add(k->done, 1u, TW_ORDER_ACQ_REL, TW_SCOPE_DEVICE);
    }
    tw_barrier(item, TW_GLOBAL_AND_LOCAL);
    if (before + 1 < groups) /* the same for all work-items of the group */
        return;

    const uint32_t rest = share_of_rest((const int32_t *)k->partial, groups, local, GROUP);
    const uint32_t all = tw_reduce_over_group(item, rest, TW_SUM);
    if (local == 0) {
        *k->out = (int32_t)all;
        tw_atomic_store(k->done, 0u); /* for the next launch */
    }
}
TW_ND_RANGE_KERNEL(reduce_parts, GROUP);

tw_status reduce_submit_parts(const struct reduce *reduce)
{
    const size_t parts = (reduce->count + PART - 1) / PART;
    const size_t groups = reduce->resident && reduce->resident < parts ? reduce->resident : parts;
    tw_command_group *cg = tw_queue_begin(reduce->queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(groups * GROUP), tw_range_1d(GROUP)), reduce_parts,
                             .in = tw_read(cg, reduce->numbers), .out = tw_discard_write(cg, reduce->sum),
                             .partial = tw_discard_read_write(cg, reduce->partial[0]),
                             .done = tw_read_write(cg, reduce->done), .count = (unsigned)reduce->count);
    return tw_queue_submit(reduce->queue, cg, NULL);
}

/* ---- parts as a hierarchical kernel ----------------------------------------------------------------------------- */

/* Where a CPU makes vectors of neighbouring work-items, their numbers are best neighbours too, in
   few and long rows. */
enum { WIDE = 512, ROWS = 32, WIDE_PART = WIDE * ROWS };

struct reduce_group_parts {
    const int32_t *in;
    int32_t *out;
    uint32_t *partial;
    unsigned *done, count;
};

static inline void reduce_group_parts(tw_group group, const struct reduce_group_parts *k)
{
    TW_PRIVATE(group, uint32_t, share);
    TW_LOCAL(unsigned, before); /* groups that were done before this one */
    const unsigned me = (unsigned)tw_group_id(group, 0), groups = (unsigned)tw_group_range(group, 0);

    tw_parallel_for_work_item(group, item) {
        tw_private(share, item) = 0;
    }
    for (unsigned first = me * WIDE_PART; first < k->count; first += groups * WIDE_PART) {
        const int32_t *in = k->in + first;
        if (k->count - first >= WIDE_PART && !TW_ON_GPU) { /* in the order of memory */
            for (unsigned row = 0; row < ROWS; ++row)
                tw_parallel_for_work_item(group, item) {
                    tw_private(share, item) += (uint32_t)in[row * WIDE + tw_local_id(item, 0)];
                }
        } else if (k->count - first >= WIDE_PART) {
            tw_parallel_for_work_item(group, item) {
                uint32_t sum = 0;
#pragma clang loop unroll(full)
                for (unsigned row = 0; row < ROWS; ++row)
                    sum += (uint32_t)in[row * WIDE + tw_local_id(item, 0)];
                tw_private(share, item) += sum;
            }
        } else {
            tw_parallel_for_work_item(group, item) {
                tw_private(share, item) += share_of_rest(in, k->count - first, (unsigned)tw_local_id(item, 0), WIDE);
            }
        }
    }
    const uint32_t sum = tw_reduce_over_group(group, share, TW_SUM);
    TW_ONCE(group) {
        k->partial[me] = sum;
        before = tw_atomic_fetch_add(k->done, 1u, TW_ORDER_ACQ_REL, TW_SCOPE_DEVICE);
    }
    if (before + 1 < groups)
        return;

    tw_parallel_for_work_item(group, item) {
        tw_private(share, item) =
            share_of_rest((const int32_t *)k->partial, groups, (unsigned)tw_local_id(item, 0), WIDE);
    }
    const uint32_t all = tw_reduce_over_group(group, share, TW_SUM);
    TW_ONCE(group) {
        *k->out = (int32_t)all;
        tw_atomic_store(k->done, 0u); /* for the next launch */
    }
}
TW_WORK_GROUP_KERNEL(reduce_group_parts, WIDE);

tw_status reduce_submit_group_parts(const struct reduce *reduce)
{
    const size_t parts = (reduce->count + WIDE_PART - 1) / WIDE_PART;
    const size_t groups = reduce->resident_wide && reduce->resident_wide < parts ? reduce->resident_wide : parts;
    tw_command_group *cg = tw_queue_begin(reduce->queue);
    tw_parallel_for_work_group(cg, tw_range_1d(groups), tw_range_1d(WIDE), reduce_group_parts,
                               .in = tw_read(cg, reduce->numbers), .out = tw_discard_write(cg, reduce->sum),
                               .partial = tw_discard_read_write(cg, reduce->partial[0]),
                               .done = tw_read_write(cg, reduce->done), .count = (unsigned)reduce->count);
    return tw_queue_submit(reduce->queue, cg, NULL);
}

/* ---- and as the library does it: a reduction of the launch ------------------------------------------------------ */

struct reduce_range {
    const int32_t *in;
    TW_REDUCTION(unsigned, TW_SUM) sum;
};

static inline void reduce_range(tw_item item, const struct reduce_range *k)
{
    tw_combine(k->sum, (unsigned)k->in[tw_global_id(item, 0)]);
}
TW_RANGE_REDUCTION(reduce_range, 1, sum);

tw_status reduce_submit_range(const struct reduce *reduce)
{
    tw_command_group *cg = tw_queue_begin(reduce->queue);
    tw_parallel_for(cg, tw_range_1d(reduce->count), reduce_range, .in = tw_read(cg, reduce->numbers),
                    .sum = TW_REDUCE_INIT(cg, reduce->sum));
    return tw_queue_submit(reduce->queue, cg, NULL);
}

/* ---- the loop of launches --------------------------------------------------------------------------------------- */

enum form { PAIRS, TREE };

/* Work-items of a group, each of which turns two numbers into one. */
static size_t group_of(const struct reduce *reduce, enum form form)
{
    return form == PAIRS ? reduce->group : GROUP;
}

static tw_status submit(const struct reduce *reduce, enum form form, tw_buffer *from, size_t count, size_t groups,
                        tw_buffer *to)
{
    const tw_range range = tw_range_1d(groups), local = tw_range_1d(group_of(reduce, form));
    tw_command_group *cg = tw_queue_begin(reduce->queue);
    const int32_t *in = tw_read(cg, from);
    int32_t *out = tw_discard_write(cg, to);

    if (form == PAIRS)
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_mul(range, local), local), reduce_pairs, .in = in,
                                 .out = out, .count = (unsigned)count,
                                 .sums = tw_local(cg, reduce->group * sizeof(uint32_t)));
    else
        tw_parallel_for_work_group(cg, range, local, reduce_tree, .in = in, .out = out, .count = (unsigned)count);
    return tw_queue_submit(reduce->queue, cg, NULL);
}

/* Launches until one number is left. */
static tw_status submit_all(const struct reduce *reduce, enum form form)
{
    tw_buffer *from = reduce->numbers;
    const size_t part = 2 * group_of(reduce, form);
    size_t count = reduce->count, groups;
    unsigned turn = 0;
    do {
        groups = (count + part - 1) / part;
        tw_buffer *to = groups == 1 ? reduce->sum : reduce->partial[turn++ % 2];
        const tw_status status = submit(reduce, form, from, count, groups, to);
        if (status != TW_SUCCESS)
            return status;
        from = to;
        count = groups;
    } while (groups > 1);
    return TW_SUCCESS;
}

tw_status reduce_submit_pairs(const struct reduce *reduce)
{
    return submit_all(reduce, PAIRS);
}

tw_status reduce_submit_tree(const struct reduce *reduce)
{
    return submit_all(reduce, TREE);
}

/* ---- buffers, and what depends on the device -------------------------------------------------------------------- */

/* The largest power of two that the device takes, for which a GPU has local memory enough; on a CPU smaller groups,
   whose work-items' stacks stay in its cache. */
static tw_status choose_group(const tw_device *device, size_t *group)
{
    size_t most, bytes;
    tw_local_mem_type type;
    tw_status status = tw_device_info(device, TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, &most, sizeof most);
    if (status == TW_SUCCESS)
        status = tw_device_info(device, TW_DEVICE_INFO_LOCAL_MEM_SIZE, &bytes, sizeof bytes);
    if (status == TW_SUCCESS)
        status = tw_device_info(device, TW_DEVICE_INFO_LOCAL_MEM_TYPE, &type, sizeof type);
    if (status != TW_SUCCESS)
        return status;
    const size_t wanted = tw_device_is_gpu(device) ? 1024 : 256;
    for (*group = 1; 2 * *group <= wanted && 2 * *group <= most && 2 * *group * sizeof(uint32_t) <= bytes;)
        *group *= 2;
    return type == TW_LOCAL_MEM_NONE || most < WIDE || *group < GROUP ? TW_ERROR_UNSUPPORTED : TW_SUCCESS;
}

/* On a GPU, groups that take part after part cost less than new groups. On a CPU a group's part stays in the cache
   while its work-items pass over it, and only then. */
static tw_status choose_resident(const tw_device *device, struct reduce *reduce)
{
    tw_kernel_limits narrow = {.resident_groups = 0}, wide = narrow;
    tw_status status = TW_SUCCESS;
    if (tw_device_is_gpu(device)) {
        status = tw_kernel_get_limits(device, reduce_parts, GROUP, 0, &narrow);
        if (status == TW_SUCCESS)
            status = tw_kernel_get_limits(device, reduce_group_parts, WIDE, 0, &wide);
    }
    reduce->resident = narrow.resident_groups > 1 ? narrow.resident_groups : 0; /* 1: not known */
    reduce->resident_wide = wide.resident_groups > 1 ? wide.resident_groups : 0;
    return status;
}

tw_status reduce_create(struct reduce *reduce, tw_queue *queue, tw_buffer *numbers, size_t count)
{
    static const unsigned zero;
    const tw_device *device = tw_queue_device(queue);
    *reduce = (struct reduce){.queue = queue, .numbers = numbers, .count = count};
    if (count > (size_t)1 << 31)
        return TW_ERROR_UNSUPPORTED; /* the kernels count in 32 bits */
    tw_status status = choose_group(device, &reduce->group);
    if (status == TW_SUCCESS)
        status = choose_resident(device, reduce);
    if (status == TW_SUCCESS)
        status = tw_buffer_create(sizeof(int32_t), tw_range_1d(1), &reduce->sum);
    if (status == TW_SUCCESS)
        status = tw_buffer_create_copy(&zero, sizeof zero, tw_range_1d(1), &reduce->done);
    for (unsigned i = 0; i < 2 && status == TW_SUCCESS; ++i) /* no part is smaller than 2 * GROUP */
        status = tw_buffer_create(sizeof(int32_t), tw_range_1d(count / (2 * GROUP) + 1), &reduce->partial[i]);
    if (status != TW_SUCCESS)
        reduce_destroy(reduce);
    return status;
}

void reduce_destroy(struct reduce *reduce)
{
    tw_buffer_destroy(&reduce->sum);
    tw_buffer_destroy(&reduce->done);
    tw_buffer_destroy(&reduce->partial[0]);
    tw_buffer_destroy(&reduce->partial[1]);
}
