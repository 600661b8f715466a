/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of tw_device_info() (spec 3.5.3), from facts that the backend describes on first need. */
#include <string.h>

#include "base/detail.h"
#include "base/process.h"
#include "runtime/device.h"

/* Copies an answer. Fails if the caller's type has another size. */
static tw_status answer(void *value, size_t bytes, const void *from, size_t size)
{
    if (bytes != size)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the answer has %zu bytes, not %zu: see TW_DEVICE_INFO_LIST", size,
                       bytes);
    memcpy(value, from, size);
    return TW_SUCCESS;
}

static const char *text_fact(const struct tw_device *device, tw_device_info_id question)
{
    const struct tw_device_facts *facts = tw_device_facts(device);
    switch (question) {
    case TW_DEVICE_INFO_NAME:
        return facts->name;
    case TW_DEVICE_INFO_VENDOR:
        return facts->vendor;
    case TW_DEVICE_INFO_DRIVER_VERSION:
        return facts->driver_version;
    case TW_DEVICE_INFO_BACKEND:
        return device->backend->backend->name;
    default:
        return NULL;
    }
}

static size_t size_fact(const struct tw_device_facts *facts, tw_device_info_id question)
{
    switch (question) {
    case TW_DEVICE_INFO_MAX_COMPUTE_UNITS:
        return facts->compute_units;
    case TW_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS:
        return 3;
    case TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE:
        return facts->max_work_group_size;
    case TW_DEVICE_INFO_SUB_GROUP_SIZE:
        return facts->sub_group_size;
    case TW_DEVICE_INFO_MAX_NUM_SUB_GROUPS:
        return facts->sub_group_size ? facts->max_work_group_size / facts->sub_group_size : 0;
    case TW_DEVICE_INFO_LOCAL_MEM_SIZE:
        return facts->local_mem_bytes;
    case TW_DEVICE_INFO_GLOBAL_MEM_SIZE:
        return facts->global_mem_bytes;
    case TW_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE:
        return facts->cache_bytes;
    case TW_DEVICE_INFO_GLOBAL_MEM_CACHELINE_SIZE:
        return facts->cacheline_bytes;
    case TW_DEVICE_INFO_MAX_CLOCK_FREQUENCY:
        return facts->clock_mhz;
    case TW_DEVICE_INFO_MAX_PARAMETER_SIZE:
        return TW_INTERNAL_INLINE_ARGS_BYTES;
    default: /* TW_DEVICE_INFO_NUMA_NODES */
        return facts->numa_nodes;
    }
}

tw_status tw_device_info(const tw_device *device, tw_device_info_id question, void *value, size_t bytes)
{
    if (!device || !value)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", device ? "place for the answer" : "device");
    const tw_status status = tw_check_process();
    if (status != TW_SUCCESS)
        return status;
    if ((int)question < 0 || question >= TW_DEVICE_INFO_COUNT)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d is no question about a device", (int)question);
    if (question == TW_DEVICE_INFO_TYPE)
        return answer(value, bytes, &device->backend->type, sizeof device->backend->type);
    if (question == TW_DEVICE_INFO_IS_HOST) {
        const bool is_host = device->backend->type == TW_DEVICE_HOST;
        return answer(value, bytes, &is_host, sizeof is_host);
    }
    if (question == TW_DEVICE_INFO_LOCAL_MEM_TYPE)
        return answer(value, bytes, &tw_device_facts(device)->local_mem_type, sizeof(tw_local_mem_type));
    if (question == TW_DEVICE_INFO_ATOMIC_MEMORY_ORDER_CAPABILITIES)
        return answer(value, bytes, &tw_device_facts(device)->atomic_orders, sizeof(unsigned));
    if (question == TW_DEVICE_INFO_ATOMIC_MEMORY_SCOPE_CAPABILITIES)
        return answer(value, bytes, &tw_device_facts(device)->atomic_scopes, sizeof(unsigned));
    if (question == TW_DEVICE_INFO_USM_ATOMIC_HOST_ALLOCATIONS)
        return answer(value, bytes, &tw_device_facts(device)->atomic_host_memory, sizeof(bool));
    const char *text = text_fact(device, question);
    if (text)
        return answer(value, bytes, &text, sizeof text);
    const size_t size = size_fact(tw_device_facts(device), question);
    return answer(value, bytes, &size, sizeof size);
}

bool tw_device_is_host(const tw_device *device)
{
    return device && device->backend->type == TW_DEVICE_HOST;
}

bool tw_device_is_cpu(const tw_device *device)
{
    return device && (device->backend->type & (TW_DEVICE_HOST | TW_DEVICE_CPU));
}

bool tw_device_is_gpu(const tw_device *device)
{
    return device && device->backend->type == TW_DEVICE_GPU;
}

const char *tw_device_name(const tw_device *device)
{
    return device ? tw_device_facts(device)->name : "";
}

tw_platform *tw_device_platform(const tw_device *device)
{
    return device ? device->platform : NULL;
}
