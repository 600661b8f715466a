/* SPDX-License-Identifier: Apache-2.0 */
/** What devices allow kernels: tw_kernel_get_limits(). */
#include "tw_test.h"

struct plain {
    int *out;
};
static inline void plain(tw_nd_item item, const struct plain *k)
{
    TW_LOCAL(int, shared, [64]);
    shared[tw_local_id(item, 0)] = (int)tw_local_id(item, 0);
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0)] = shared[63 - tw_local_id(item, 0)];
}
TW_ND_RANGE_KERNEL(plain, 64);

TW_TEST(limits_are_within_the_devices)
{
    tw_device *device = tw_test_device(0);
    tw_kernel_limits limits = {0, 0, 0, 0};
    size_t most = 0, local = 0;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, &most, sizeof most));
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_LOCAL_MEM_SIZE, &local, sizeof local));
    TW_PASS(tw_kernel_get_limits(device, plain, 64, 0, &limits));
    TW_CHECK(limits.max_work_group_size >= 64 && limits.max_work_group_size <= most);
    TW_CHECK(limits.local_mem_size <= local);
    TW_CHECK(limits.resident_groups >= 1);
    const size_t resident = limits.resident_groups;
    TW_PASS(tw_kernel_get_limits(device, plain, 64, local / 2, &limits));
    TW_CHECK(limits.resident_groups >= 1 && limits.resident_groups <= resident);
    if (tw_device_is_gpu(device))
        TW_CHECK(limits.resident_groups < resident || resident == 1);
}

TW_TEST(wrong_questions_are_errors)
{
    tw_device *device = tw_test_device(0);
    tw_kernel_limits limits;
    TW_FAIL(tw_kernel_get_limits(NULL, plain, 64, 0, &limits), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_kernel_get_limits(device, plain, 64, 0, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_kernel_get_limits(device, plain, 0, 0, &limits), TW_ERROR_INVALID_WORK_GROUP_SIZE);
    TW_FAIL(tw_kernel_get_limits(device, plain, 1000000, 0, &limits), TW_ERROR_INVALID_WORK_GROUP_SIZE);
}

TW_TEST_LIST = {TW_CASE(limits_are_within_the_devices), TW_CASE(wrong_questions_are_errors), TW_CASES_END};
