/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of tw_device_info(), aspects and extensions (spec 3.5.3), from facts that the backend describes on first need. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/image.h>

#include "base/answer.h"
#include "base/cancellation.h"
#include "base/process.h"
#include "runtime/device.h"

#define LIST "TW_DEVICE_INFO_LIST"
#define BASE_ALIGNMENT 128u /* of memory of all backends: that of the largest vector */

/* What OpenCL's extensions add, and kernels of all devices can do. */
static const char extensions[] =
    "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
    "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics "
    "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_byte_addressable_store "
    "cl_khr_fp64 cl_khr_fp16 cl_khr_3d_image_writes";

/* ---- answers that are facts -------------------------------------------------------------------------------------- */

/* Where the answer to a question is among the facts. */
struct place {
    unsigned short at, bytes; /* bytes 0: it is not there */
    bool is_text;
};

#define FACT(question, member)                                                                                         \
    [TW_DEVICE_INFO_##question] = {.at = offsetof(struct tw_device_facts, member),                                     \
                                   .bytes = sizeof((struct tw_device_facts *)0)->member}
#define TEXT(question, member)                                                                                         \
    [TW_DEVICE_INFO_##                                                                                                 \
        question] = {.at = offsetof(struct tw_device_facts, member), .bytes = sizeof(const char *), .is_text = true}

static const struct place places[TW_DEVICE_INFO_COUNT] = {
    TEXT(NAME, name),
    TEXT(VENDOR, vendor),
    FACT(VENDOR_ID, vendor_id),
    TEXT(DRIVER_VERSION, driver_version),
    TEXT(ARCHITECTURE, architecture),
    FACT(COMPUTE_CAPABILITY, compute_capability),
    TEXT(UUID, uuid),
    TEXT(PCI_ADDRESS, pci_address),
    FACT(MAX_COMPUTE_UNITS, compute_units),
    FACT(MAX_WORK_GROUP_SIZE, max_work_group_size),
    FACT(MAX_WORK_ITEMS_PER_COMPUTE_UNIT, max_unit_items),
    FACT(SUB_GROUP_SIZE, sub_group_size),
    FACT(SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, sub_groups_progress),
    FACT(ATOMIC_MEMORY_ORDER_CAPABILITIES, atomic_orders),
    FACT(ATOMIC_MEMORY_SCOPE_CAPABILITIES, atomic_scopes),
    FACT(USM_ATOMIC_HOST_ALLOCATIONS, atomic_host_memory),
    FACT(HALF_FP_CONFIG, half_config),
    FACT(SINGLE_FP_CONFIG, single_config),
    FACT(DOUBLE_FP_CONFIG, double_config),
    FACT(LOCAL_MEM_TYPE, local_mem_type),
    FACT(LOCAL_MEM_SIZE, local_mem_bytes),
    FACT(LOCAL_MEM_SIZE_PER_COMPUTE_UNIT, unit_local_mem_bytes),
    FACT(REGISTERS_PER_WORK_GROUP, registers),
    FACT(GLOBAL_MEM_SIZE, global_mem_bytes),
    FACT(MAX_MEM_ALLOC_SIZE, global_mem_bytes), /* no device has a limit of its own */
    FACT(MAX_CONSTANT_BUFFER_SIZE, global_mem_bytes),
    FACT(HOST_UNIFIED_MEMORY, unified_memory),
    FACT(ERROR_CORRECTION_SUPPORT, has_error_correction),
    FACT(GLOBAL_MEM_CACHE_SIZE, cache_bytes),
    FACT(L1_CACHE_SIZE, l1_bytes),
    FACT(L2_CACHE_SIZE, l2_bytes),
    FACT(GLOBAL_MEM_CACHELINE_SIZE, cacheline_bytes),
    FACT(MEMORY_CLOCK_RATE, memory_clock_mhz),
    FACT(MEMORY_BUS_WIDTH, memory_bus_bits),
    FACT(MAX_CLOCK_FREQUENCY, clock_mhz),
    FACT(PROFILING_TIMER_RESOLUTION, timer_ns),
    FACT(PRINTF_BUFFER_SIZE, printf_bytes),
    FACT(NUMA_NODES, numa_nodes),
};

/* ---- answers that follow from facts ------------------------------------------------------------------------------ */

/* Returns how many elements of a type are in a vector register; 1 if registers are scalar, 0 if that is not known. */
static size_t width(size_t vector_bytes, size_t element_bytes)
{
    return vector_bytes >= element_bytes ? vector_bytes / element_bytes : vector_bytes != 0;
}

/* Halves without arithmetic of their own are computed as floats. */
static size_t vector_width(const struct tw_device_facts *facts, tw_device_info_id question)
{
    switch (question) {
    case TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_CHAR:
    case TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_CHAR:
        return width(facts->int_vector_bytes, 1);
    case TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_SHORT:
    case TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_SHORT:
        return width(facts->int_vector_bytes, 2);
    case TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_INT:
    case TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_INT:
        return width(facts->int_vector_bytes, 4);
    case TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_LONG:
    case TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG:
        return width(facts->int_vector_bytes, 8);
    case TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_FLOAT:
    case TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT:
        return width(facts->float_vector_bytes, 4);
    case TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE:
        return width(facts->float_vector_bytes, 8);
    case TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_HALF:
        return facts->half_vector_bytes ? width(facts->half_vector_bytes, 2) : width(facts->float_vector_bytes, 4);
    default: /* TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF */
        return width(facts->half_vector_bytes, 2);
    }
}

static size_t size_of(const struct tw_device_facts *facts, tw_device_info_id question)
{
    switch (question) {
    case TW_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS:
        return 3;
    case TW_DEVICE_INFO_MAX_NUM_SUB_GROUPS:
        return facts->sub_group_size ? facts->max_work_group_size / facts->sub_group_size : 0;
    case TW_DEVICE_INFO_MAX_PARAMETER_SIZE:
        return TW_INTERNAL_INLINE_ARGS_BYTES;
    case TW_DEVICE_INFO_ADDRESS_BITS:
        return 8 * sizeof(void *); /* kernels have the host's types */
    case TW_DEVICE_INFO_MEM_BASE_ADDR_ALIGN:
        return BASE_ALIGNMENT;
    case TW_DEVICE_INFO_IMAGE2D_MAX_WIDTH:
    case TW_DEVICE_INFO_IMAGE2D_MAX_HEIGHT:
    case TW_DEVICE_INFO_IMAGE3D_MAX_WIDTH:
    case TW_DEVICE_INFO_IMAGE3D_MAX_HEIGHT:
    case TW_DEVICE_INFO_IMAGE3D_MAX_DEPTH:
    case TW_DEVICE_INFO_IMAGE_MAX_BUFFER_SIZE:
    case TW_DEVICE_INFO_IMAGE_MAX_ARRAY_SIZE:
        return TW_IMAGE_MAX_EXTENT;
    default:
        return vector_width(facts, question);
    }
}

static struct tw_device_state observe(const struct tw_device *device)
{
    TW_DEFER_CANCELLATION;
    struct tw_device_state state = {.free_bytes = 0};
    device->backend->backend->observe(device->backend, &state);
    return state;
}

/* Of the machine, some memory may belong to no NUMA node: then it does not count as the device's. */
static size_t free_bytes(const struct tw_device *device)
{
    const size_t now = observe(device).free_bytes, most = tw_device_facts(device)->global_mem_bytes;
    return most && now > most ? most : now;
}

static bool truth_of(const struct tw_device *device, tw_device_info_id question)
{
    switch (question) {
    case TW_DEVICE_INFO_IS_HOST:
        return tw_device_is_host(device);
    case TW_DEVICE_INFO_AVAILABLE:
        return !observe(device).lost;
    case TW_DEVICE_INFO_ENDIAN_LITTLE:
        return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__; /* kernels have the host's types */
    default:                                              /* TW_DEVICE_INFO_IMAGE_SUPPORT */
        return true;
    }
}

/* Answers a question to which no fact is the answer. */
static tw_status answer_other(const struct tw_device *device, tw_device_info_id question, void *value, size_t bytes)
{
    const struct tw_device_facts *facts = tw_device_facts(device);
    const size_t most = facts->max_work_group_size;
    switch (question) {
    case TW_DEVICE_INFO_TYPE:
        return tw_answer(value, bytes, &device->backend->type, sizeof device->backend->type, LIST);
    case TW_DEVICE_INFO_BACKEND:
        return tw_answer(value, bytes, &device->backend->backend->name, sizeof(const char *), LIST);
    case TW_DEVICE_INFO_EXTENSIONS:
        return tw_answer(value, bytes, &(const char *){extensions}, sizeof(const char *), LIST);
    case TW_DEVICE_INFO_MAX_WORK_ITEM_SIZES:
        return tw_answer(value, bytes, &(tw_range){.dims = 3, .size = {most, most, most}}, sizeof(tw_range), LIST);
    case TW_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE:
        return tw_answer(value, bytes,
                         &(tw_mem_cache_type){facts->cache_bytes ? TW_MEM_CACHE_READ_WRITE : TW_MEM_CACHE_NONE},
                         sizeof(tw_mem_cache_type), LIST);
    case TW_DEVICE_INFO_IS_HOST:
    case TW_DEVICE_INFO_AVAILABLE:
    case TW_DEVICE_INFO_ENDIAN_LITTLE:
    case TW_DEVICE_INFO_IMAGE_SUPPORT:
        return tw_answer(value, bytes, &(bool){truth_of(device, question)}, sizeof(bool), LIST);
    case TW_DEVICE_INFO_FREE_MEMORY:
        return tw_answer(value, bytes, &(size_t){free_bytes(device)}, sizeof(size_t), LIST);
    default:
        return tw_answer(value, bytes, &(size_t){size_of(facts, question)}, sizeof(size_t), LIST);
    }
}

/* Returns the affinity domains that a device has, a set of tw_affinity_domain; also none if memory is exhausted. */
static unsigned affinity_domains(const struct tw_device *device)
{
    const struct tw_backend_parts *parts = device->backend->backend->parts;
    size_t *units = parts && parts->domains ? malloc(tw_device_facts(device)->compute_units * sizeof *units) : NULL;
    unsigned set = 0;
    for (unsigned kind = 1; units && kind < TW_AFFINITY_NEXT_PARTITIONABLE; kind *= 2) {
        size_t domains = 0;
        if (parts->domains(device->backend, (tw_affinity_domain)kind, units, &domains) != TW_SUCCESS)
            break;
        set |= domains > 1 ? kind | TW_AFFINITY_NEXT_PARTITIONABLE : domains ? kind : 0;
    }
    free(units);
    return set;
}

/* Returns the most sub-devices that a device can be divided into; 0: it cannot be divided. */
static size_t most_parts(const struct tw_device *device)
{
    const struct tw_backend_parts *parts = device->backend->backend->parts;
    size_t count = parts ? tw_device_facts(device)->compute_units : 0;
    if (!parts || !parts->equally)
        return count;
    return parts->equally(device->backend, 0, &count) == TW_SUCCESS ? count : 0;
}

/* Answers a question about sub-devices: one of the last ones. */
static tw_status answer_partition(const struct tw_device *device, tw_device_info_id question, void *value, size_t bytes)
{
    const struct tw_backend_parts *parts = device->backend->backend->parts;
    switch (question) {
    case TW_DEVICE_INFO_PARENT_DEVICE:
        return tw_answer(value, bytes, &device->parent, sizeof(tw_device *), LIST);
    case TW_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES:
        return tw_answer(value, bytes, &(size_t){most_parts(device)}, sizeof(size_t), LIST);
    case TW_DEVICE_INFO_PARTITION_PROPERTIES:
        return tw_answer(value, bytes, &(unsigned){most_parts(device) ? parts->ways : 0}, sizeof(unsigned), LIST);
    case TW_DEVICE_INFO_PARTITION_AFFINITY_DOMAINS:
        return tw_answer(value, bytes, &(unsigned){affinity_domains(device)}, sizeof(unsigned), LIST);
    case TW_DEVICE_INFO_PARTITION_TYPE:
        return tw_answer(value, bytes, &device->division.type, sizeof device->division.type, LIST);
    default: /* TW_DEVICE_INFO_PARTITION_TYPE_AFFINITY_DOMAIN */
        return tw_answer(value, bytes, &device->division.domain, sizeof device->division.domain, LIST);
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
    const struct place *place = &places[question];
    const void *fact = (const char *)tw_device_facts(device) + place->at;
    if (place->bytes)
        return tw_answer(value, bytes, place->is_text ? (const void *)&fact : fact, place->bytes, LIST);
    return question >= TW_DEVICE_INFO_PARENT_DEVICE ? answer_partition(device, question, value, bytes)
                                                    : answer_other(device, question, value, bytes);
}

/* ---- aspects and extensions -------------------------------------------------------------------------------------- */

bool tw_device_has(const tw_device *device, tw_aspect aspect)
{
    if (!device || tw_is_forked)
        return false;
    const tw_device_type type = device->backend->type;
    const struct tw_device_facts *facts = tw_device_facts(device);
    switch (aspect) {
    case TW_ASPECT_HOST:
        return type == TW_DEVICE_HOST;
    case TW_ASPECT_CPU:
        return type == TW_DEVICE_CPU;
    case TW_ASPECT_GPU:
        return type == TW_DEVICE_GPU;
    case TW_ASPECT_ACCELERATOR:
        return type == TW_DEVICE_ACCELERATOR;
    case TW_ASPECT_EMULATED:
        return type == TW_DEVICE_SIM;
    case TW_ASPECT_HOST_DEBUGGABLE:
        return type == TW_DEVICE_HOST || type == TW_DEVICE_SIM;
    case TW_ASPECT_FP16:
    case TW_ASPECT_FP64:
    case TW_ASPECT_ATOMIC64:
    case TW_ASPECT_IMAGE:
    case TW_ASPECT_QUEUE_PROFILING:
    case TW_ASPECT_USM_DEVICE_ALLOCATIONS:
        return true;
    case TW_ASPECT_USM_HOST_ALLOCATIONS:
        return facts->uses_host_memory;
    case TW_ASPECT_USM_ATOMIC_HOST_ALLOCATIONS:
        return facts->atomic_host_memory;
    case TW_ASPECT_USM_SHARED_ALLOCATIONS:
        return facts->has_shared_memory;
    case TW_ASPECT_USM_SYSTEM_ALLOCATIONS:
        return facts->uses_system_memory;
    default: /* kernels are compiled ahead of time, and shared memory belongs to the kernel that uses it */
        return false;
    }
}

bool tw_device_has_extension(const tw_device *device, const char *extension)
{
    const size_t length = extension ? strlen(extension) : 0;
    if (!device || !length || strchr(extension, ' '))
        return false;
    for (const char *at = strstr(extensions, extension); at; at = strstr(at + length, extension))
        if ((at == extensions || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* ---- shorthands -------------------------------------------------------------------------------------------------- */

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
