/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the tests of nd_range kernels need: a queue where such kernels run, and how large their groups can be.
 *
 * The standard mapping on a CPU (x86_64-teams) refuses them; that shows at a launch only, so a small kernel is launched
 * to find out. Included by one file of a program, first of all.
 */
#ifndef TW_ND_RANGE_TEST_H
#define TW_ND_RANGE_TEST_H

#include "tw_test.h"

/** The most work-items of a group in the standard mapping on GPUs, where a warp of the team is the runtime's. */
enum { ND_TEAMS_MOST = 992 };

/* Under ThreadSanitizer each work-item of a group at a barrier is a thread to it, and it can have 8128;
   AddressSanitizer takes long for so many stacks. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define ND_MOST_TESTED 1024
#endif
#endif
#ifndef ND_MOST_TESTED
#define ND_MOST_TESTED 8192
#endif

struct nd_probe {
    int add;
};
static inline void nd_probe(tw_nd_item item, const struct nd_probe *k)
{
    TW_LOCAL(int, place);
    if (tw_local_linear_id(item) == 0)
        place = k->add;
    tw_barrier(item, TW_LOCAL_SPACE);
    (void)place;
}
TW_ND_RANGE_KERNEL(nd_probe);

/** Records a launch of nd_probe as one group of `items`, and returns the recording's status. */
static inline tw_status nd_record_probe(tw_queue *queue, size_t items, tw_command_group **recorded)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(items), tw_range_1d(items)), nd_probe, .add = 1);
    *recorded = cg;
    return tw_command_group_status(cg);
}

/** A queue on the device under test; NULL if that does not run nd_range kernels. */
static inline tw_queue *nd_queue(void)
{
    tw_queue *queue = tw_test_queue();
    tw_command_group *cg;
    if (nd_record_probe(queue, 2, &cg) == TW_ERROR_UNSUPPORTED) { /* on a GPU it runs whole warps only */
        tw_command_group_discard(cg);
        TW_PASS(tw_queue_destroy(&queue));
        return NULL;
    }
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    const tw_status status = tw_queue_wait_and_throw(queue);
    if (status == TW_ERROR_UNSUPPORTED && !tw_device_is_gpu(tw_queue_device(queue)))
        TW_PASS(tw_queue_destroy(&queue));
    else
        TW_PASS(status);
    return queue;
}

/** The same, and NULL on a GPU. */
static inline tw_queue *nd_cpu_queue(void)
{
    tw_queue *queue = nd_queue();
    if (queue && tw_device_is_gpu(tw_queue_device(queue)))
        TW_PASS(tw_queue_destroy(&queue));
    return queue;
}

/** Submits a group; whether the device's mapping cannot run its work-groups: the standard one on a CPU, and on a GPU
 *  where they are not of whole warps. */
static inline bool nd_is_refused(tw_queue *queue, tw_command_group *cg)
{
    tw_status status = tw_queue_submit(queue, cg, NULL);
    if (status == TW_SUCCESS)
        status = tw_queue_wait_and_throw(queue);
    TW_CHECK(status == TW_SUCCESS || status == TW_ERROR_UNSUPPORTED);
    return status != TW_SUCCESS;
}

/** The size of a sub-group of the device under test: that of tw_test_queue(), not the first one, which is the host. */
static inline size_t nd_width(void)
{
    size_t size = 0;
    tw_device *device = NULL;
    TW_PASS(tw_select_device(NULL, NULL, &device));
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_SUB_GROUP_SIZE, &size, sizeof size));
    return size;
}

/** The size of the device's largest group, or what is tested of it. */
static inline size_t nd_largest_group(tw_queue *queue)
{
    size_t most = 0;
    tw_command_group *cg;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, &most, sizeof most));
    if (!tw_device_is_gpu(tw_queue_device(queue)))
        return most < ND_MOST_TESTED ? most : ND_MOST_TESTED;
    const tw_status status = nd_record_probe(queue, most, &cg);
    tw_command_group_discard(cg);
    return status == TW_ERROR_UNSUPPORTED ? ND_TEAMS_MOST : most;
}

/** An nd_range without offset, of `groups` groups of `local` work-items. */
static inline tw_nd_range nd_groups(tw_range groups, tw_range local)
{
    return tw_nd_range_make(tw_range_mul(groups, local), local);
}

/** Begins a test case: declares `queue`, and leaves the case where nd_range kernels do not run. */
#define ND_BEGIN(queue)                                                                                                \
    tw_queue *queue = nd_queue();                                                                                      \
    if (!queue)                                                                                                        \
    TW_SKIP()

#endif
