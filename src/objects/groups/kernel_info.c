/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about kernels (spec 3.7.2.5, 3.7.2.6), from what the kernel macros noted and what the backend knows. */
#include "kernel_info.h"

#include <stdbool.h>
#include <stdlib.h>

#include <teamwork/kernel_limits.h>

#include "base/answer.h"
#include "base/cancellation.h"
#include "base/process.h"

#define LIST "TW_KERNEL_INFO_LIST"

/* Fails if the sub-groups of a device have another size than the kernel requires. */
static __attribute__((noinline, cold)) tw_status check_sub_groups(const struct tw_internal_kernel *kernel,
                                                                  const struct tw_device *device)
{
    const size_t required = kernel->kinds >> TW_INTERNAL_KIND_BITS, size = tw_device_facts(device)->sub_group_size;
    return size == required
               ? TW_SUCCESS
               : tw_fail(
                     TW_ERROR_UNSUPPORTED,
                     "kernel %s requires sub-groups of %zu work-items (TW_SUB_GROUP_SIZE), and those of %s have %zu: "
                     "ask TW_DEVICE_INFO_SUB_GROUP_SIZE, and launch a kernel there that is for it",
                     kernel->name, required, tw_device_name(device), size);
}

tw_status tw_kernel_check_kind(const struct tw_internal_kernel *kernel, const struct tw_device *device)
{
    const bool on_gpu = device->backend->type == TW_DEVICE_GPU;
    if (__builtin_expect(kernel->kinds >> TW_INTERNAL_KIND_BITS, 0)) {
        const tw_status status = check_sub_groups(kernel, device);
        if (status != TW_SUCCESS)
            return status;
    }
    if (kernel->kinds & (on_gpu ? TW_INTERNAL_FOR_GPUS : TW_INTERNAL_FOR_CPUS))
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_UNSUPPORTED,
                   "kernel %s is defined for %s alone, and %s is %s: ask tw_device_is_gpu(), and launch a kernel there "
                   "that is for it",
                   kernel->name, on_gpu ? "CPUs (TW_FOR_CPUS)" : "GPUs (TW_FOR_GPUS)", tw_device_name(device),
                   on_gpu ? "a GPU" : "none");
}

static tw_status check(const tw_kernel *kernel)
{
    if (!kernel)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the kernel is NULL");
    const tw_status status = tw_check_process();
    if (status == TW_SUCCESS && kernel->abi != TW_INTERNAL_KERNEL_ABI)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "kernel %s was compiled for another version of the library",
                       kernel->name);
    return status;
}

/* ---- code -------------------------------------------------------------------------------------------------------- */

/* Does what tw_kernel_load() does, for a kernel that was checked. */
static tw_status load(const tw_kernel *kernel, const tw_device *device)
{
    TW_DEFER_CANCELLATION;
    tw_status status = tw_kernel_check_kind(kernel, device);
    for (; kernel && status == TW_SUCCESS; kernel = kernel->next) { /* of each of its sizes */
        status = device->backend->backend->load(device->backend, kernel);
        for (const tw_kernel *const *variant = kernel->variants; status == TW_SUCCESS && variant && *variant; ++variant)
            status = device->backend->backend->load(device->backend, *variant);
    }
    return status;
}

tw_status tw_kernel_load(const tw_kernel *kernel, const tw_device *device)
{
    if (!device)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the device is NULL");
    const tw_status status = check(kernel);
    return status == TW_SUCCESS ? load(kernel, device) : status;
}

/* Asks without a trace: a kernel that is not available is no failure of the call. */
bool tw_kernel_is_available(const tw_kernel *kernel, const tw_device *device)
{
    if (!kernel || !device || tw_is_forked || kernel->abi != TW_INTERNAL_KERNEL_ABI)
        return false;
    const bool was_in_task = tw_detail_of_task(true);
    const tw_status status = load(kernel, device);
    (void)tw_detail_of_task(was_in_task);
    return status == TW_SUCCESS;
}

tw_status tw_kernel_get_devices(const tw_kernel *kernel, tw_device **devices, size_t capacity, size_t *count)
{
    size_t visible = 0, found = 0;
    if (!count || (!devices && capacity))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the %s is NULL", count ? "list" : "count");
    tw_status status = check(kernel);
    if (status == TW_SUCCESS)
        status = tw_get_devices(TW_DEVICE_ALL, NULL, 0, &visible);
    if (status != TW_SUCCESS)
        return status;
    tw_device **all = calloc(visible ? visible : 1, sizeof *all);
    if (!all)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to list %zu devices", visible);
    status = tw_get_devices(TW_DEVICE_ALL, all, visible, &visible);
    for (size_t i = 0; status == TW_SUCCESS && i < visible; ++i)
        if (tw_kernel_is_available(kernel, all[i]) && found++ < capacity)
            devices[found - 1] = all[i];
    free(all);
    if (status == TW_SUCCESS)
        *count = found;
    return status;
}

/* ---- what a kernel is compiled as -------------------------------------------------------------------------------- */

tw_status tw_kernel_get_variants(const tw_kernel *kernel, const tw_kernel **variants, size_t capacity, size_t *count)
{
    if (!count || (!variants && capacity))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the %s is NULL", count ? "list" : "count");
    const tw_status status = check(kernel);
    if (status != TW_SUCCESS)
        return status;
    size_t found = 0;
    for (; kernel; kernel = kernel->next) {
        if (found++ < capacity)
            variants[found - 1] = kernel;
        for (const tw_kernel *const *variant = kernel->variants; variant && *variant; ++variant)
            if (found++ < capacity)
                variants[found - 1] = *variant;
    }
    *count = found;
    return TW_SUCCESS;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static struct tw_kernel_facts facts_of(const tw_kernel *kernel, const tw_device *device, size_t items,
                                       size_t local_bytes)
{
    TW_DEFER_CANCELLATION;
    struct tw_kernel_facts facts = {.max_items = tw_device_facts(device)->max_work_group_size};
    device->backend->backend->limits(device->backend, kernel, items, local_bytes, &facts);
    return facts;
}

tw_status tw_internal_kernel_limits(const tw_device *device, const struct tw_internal_kernel *kernel, size_t items,
                                    size_t local_bytes, tw_kernel_limits *limits)
{
    if (!device || !limits)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", device ? "place for the answer" : "device");
    const tw_status status = check(kernel);
    if (status != TW_SUCCESS)
        return status;
    const size_t most = tw_device_facts(device)->max_work_group_size;
    if (!items || items > most)
        return tw_fail(TW_ERROR_INVALID_WORK_GROUP_SIZE, "a group of %zu work-items: there can be 1 to %zu on %s",
                       items, most, tw_device_name(device));
    for (const struct tw_internal_kernel *k = kernel; k; k = k->next)
        if (k->required_local[0] * k->required_local[1] * k->required_local[2] == items) {
            kernel = k; /* of its sizes, the one that the question is about */
            break;
        }
    const struct tw_kernel_facts facts = facts_of(kernel, device, items, local_bytes);
    *limits = (tw_kernel_limits){.max_work_group_size = facts.max_items,
                                 .local_mem_size = facts.static_local_bytes,
                                 .private_mem_size = facts.private_bytes,
                                 .resident_groups = facts.resident_groups ? facts.resident_groups : 1};
    return TW_SUCCESS;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* Returns the size of a group that a kernel requires; its dims are 0 if it takes any. */
static tw_range required_size(const tw_kernel *kernel)
{
    const size_t *size = kernel->required_local;
    return (tw_range){.dims = size[0] ? kernel->dims : 0, .size = {size[0], size[1], size[2]}};
}

/* On a GPU, the largest group with which most work-items are resident, as the CUDA driver chooses it; on CPUs a thread
   runs a group of any size, and none is preferred. */
static size_t preferred_size(const tw_kernel *kernel, const tw_device *device)
{
    const tw_range required = required_size(kernel);
    if (required.dims)
        return tw_range_count(required);
    const size_t step = tw_device_facts(device)->sub_group_size;
    const size_t most = device->backend->type == TW_DEVICE_GPU && step ? facts_of(kernel, device, 1, 0).max_items : 0;
    size_t best = 0, best_resident = 0;
    for (size_t items = step; items <= most; items += step) {
        const size_t resident = facts_of(kernel, device, items, 0).resident_groups * items;
        if (resident && resident >= best_resident) {
            best = items;
            best_resident = resident;
        }
    }
    return best;
}

/* Work-items are threads of a GPU's sub-group, or elements of a CPU's vectors. */
static size_t preferred_multiple(const tw_device *device)
{
    const struct tw_device_facts *facts = tw_device_facts(device);
    if (device->backend->type == TW_DEVICE_GPU)
        return facts->sub_group_size;
    return facts->float_vector_bytes > sizeof(float) ? facts->float_vector_bytes / sizeof(float) : 1;
}

/* Answers a question about a kernel on a device. */
static tw_status answer_on(const tw_kernel *kernel, const tw_device *device, tw_kernel_info_id question, void *value,
                           size_t bytes)
{
    if (!device)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the question is about a kernel on a device, which is NULL");
    const tw_status status = load(kernel, device);
    if (status != TW_SUCCESS)
        return status;
    const tw_range required = required_size(kernel);
    const size_t items = required.dims ? tw_range_count(required) : 1;
    const struct tw_kernel_facts facts = facts_of(kernel, device, items, 0);
    size_t size = 0;
    switch (question) {
    case TW_KERNEL_INFO_WORK_GROUP_SIZE:
        size = facts.max_items;
        break;
    case TW_KERNEL_INFO_PREFERRED_WORK_GROUP_SIZE:
        size = preferred_size(kernel, device);
        break;
    case TW_KERNEL_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        size = preferred_multiple(device);
        break;
    case TW_KERNEL_INFO_LOCAL_MEM_SIZE:
        size = facts.static_local_bytes;
        break;
    case TW_KERNEL_INFO_PRIVATE_MEM_SIZE:
        size = facts.private_bytes;
        break;
    default: /* TW_KERNEL_INFO_REGISTERS */
        size = facts.registers;
        break;
    }
    return tw_answer(value, bytes, &size, sizeof size, LIST);
}

static tw_kernel_form form_of(const tw_kernel *kernel)
{
    switch (kernel->form) {
    case TW_INTERNAL_SINGLE_TASK:
        return TW_KERNEL_FORM_SINGLE_TASK;
    case TW_INTERNAL_WORK_GROUP:
        return TW_KERNEL_FORM_WORK_GROUP;
    case TW_INTERNAL_ND_RANGE:
        return TW_KERNEL_FORM_ND_RANGE;
    default: /* also TW_INTERNAL_REDUCTION */
        return TW_KERNEL_FORM_RANGE;
    }
}

tw_status tw_kernel_info(const tw_kernel *kernel, const tw_device *device, tw_kernel_info_id question, void *value,
                         size_t bytes)
{
    if (!value)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the answer is NULL");
    const tw_status status = check(kernel);
    if (status != TW_SUCCESS)
        return status;
    if ((int)question < 0 || question >= TW_KERNEL_INFO_COUNT)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d is no question about a kernel", (int)question);
    const tw_range required = required_size(kernel);
    const char *const values = kernel->values ? kernel->values + sizeof ", " - 1 : "";
    switch (question) {
    case TW_KERNEL_INFO_FUNCTION_NAME:
        return tw_answer(value, bytes, &kernel->function, sizeof kernel->function, LIST);
    case TW_KERNEL_INFO_FILE:
        return tw_answer(value, bytes, &kernel->file, sizeof kernel->file, LIST);
    case TW_KERNEL_INFO_LINE:
        return tw_answer(value, bytes, &(size_t){(size_t)kernel->line}, sizeof(size_t), LIST);
    case TW_KERNEL_INFO_FORM:
        return tw_answer(value, bytes, &(tw_kernel_form){form_of(kernel)}, sizeof(tw_kernel_form), LIST);
    case TW_KERNEL_INFO_DIMENSIONS:
        return tw_answer(value, bytes, &(size_t){kernel->dims}, sizeof(size_t), LIST);
    case TW_KERNEL_INFO_ARGUMENT_SIZE:
        return tw_answer(value, bytes, &kernel->args_bytes, sizeof kernel->args_bytes, LIST);
    case TW_KERNEL_INFO_COMPILE_WORK_GROUP_SIZE:
        return tw_answer(value, bytes, &required, sizeof(tw_range), LIST);
    case TW_KERNEL_INFO_COMPILE_SUB_GROUP_SIZE:
        return tw_answer(value, bytes, &(size_t){kernel->kinds >> TW_INTERNAL_KIND_BITS}, sizeof(size_t), LIST);
    case TW_KERNEL_INFO_VALUES:
        return tw_answer(value, bytes, &values, sizeof values, LIST);
    default:
        return answer_on(kernel, device, question, value, bytes);
    }
}
