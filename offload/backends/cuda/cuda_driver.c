/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA driver through dlopen(), its devices and their idle streams (cuda_driver.h). */
#include "cuda_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/memory.h"

enum { SCHED_SPIN = 1, POINTER_DEVICE_ORDINAL = 9, CU_LIMIT_PRINTF_BYTES = 1, PEERS = 64 };

#define EVENT_NS 500u /* the resolution of CUDA's events, as the driver documents it */

struct tw_cuda_driver tw_cuda;

static struct {
    void *library;
    struct tw_cuda_device *devices;
    int retained;
} found;

/* Functions that older drivers do not have, and without which there is another way. */
static bool may_lack(const void *slot)
{
    const void *const slots[] = {
        &tw_cuda.function_parameter,     &tw_cuda.launch_with,           &tw_cuda.graph_add_edges,
        &tw_cuda.graph_update,           &tw_cuda.graph_set_attribute,   &tw_cuda.device_uuid,
        &tw_cuda.graph_condition_create, &tw_cuda.graph_add_conditional, &tw_cuda.device_resource,
        &tw_cuda.resource_split,         &tw_cuda.resource_describe,     &tw_cuda.green_create,
        &tw_cuda.green_destroy,          &tw_cuda.green_stream_create,   &tw_cuda.texture_create,
        &tw_cuda.texture_destroy};
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; ++i)
        if (slot == slots[i])
            return true;
    return false;
}

static bool load_functions(void)
{
    const struct {
        void *slot;
        const char *name;
    } functions[] = {
#define ENTRY(member, name, parameters) {&tw_cuda.member, name},
        TW_CUDA_FUNCTIONS(ENTRY)
#undef ENTRY
    };
    found.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!found.library)
        found.library = dlopen("libcuda.so", RTLD_NOW | RTLD_LOCAL);
    if (!found.library)
        return false;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
        void *address = dlsym(found.library, functions[i].name);
        if (!address && !may_lack(functions[i].slot))
            return false;
        *(void **)functions[i].slot = address;
    }
    return true;
}

static enum tw_cuda_choice read_choice(void)
{
    const char *text = tw_environment(TW_VARIABLE_CUDA_LAUNCH);
    if (!text)
        return TW_CUDA_ANY_LAUNCH;
    return strcmp(text, "driver") == 0 ? TW_CUDA_DRIVER_LAUNCH : TW_CUDA_OPENMP_LAUNCH; /* the runtime has checked it */
}

static size_t attribute(cu_device device, int which)
{
    int value = 0;
    return tw_cuda.device_attribute(&value, which, device) || value < 0 ? 0 : (size_t)value;
}

static unsigned capability_of(cu_device device)
{
    return (unsigned)(10 * attribute(device, CU_CAPABILITY_MAJOR) + attribute(device, CU_CAPABILITY_MINOR));
}

size_t tw_cuda_list(struct tw_gpu *gpus, size_t room)
{
    const bool was_open = found.library;
    int count = 0;
    size_t listed = 0;
    if ((was_open || (load_functions() && !tw_cuda.init(0))) && tw_cuda.device_count(&count))
        count = 0;
    for (int ordinal = 0; ordinal < count && listed < room; ++ordinal) {
        cu_device device;
        if (tw_cuda.device_get(&device, ordinal))
            continue;
        const struct tw_cuda_device *open = tw_cuda_device(ordinal);
        gpus[listed] = (struct tw_gpu){.capability = capability_of(device), .is_offered = open && open->is_offered};
        if (tw_cuda.device_name(gpus[listed].name, (int)sizeof gpus[listed].name, device))
            gpus[listed].name[0] = '\0';
        ++listed;
    }
    if (!was_open)
        tw_cuda_close();
    return listed;
}

struct cu_memory_properties tw_cuda_memory_properties(const struct tw_cuda_device *device)
{
    return (struct cu_memory_properties){.allocation_type = CU_ALLOCATION_PINNED,
                                         .location = {CU_LOCATION_DEVICE, device->device}};
}

/* Returns the size of the device's pages; 0 if memory cannot be mapped. */
static size_t page_bytes_of(const struct tw_cuda_device *device)
{
    const struct cu_memory_properties properties = tw_cuda_memory_properties(device);
    size_t bytes = 0;
    if (!attribute(device->device, CU_VIRTUAL_MEMORY) || tw_cuda.memory_granularity(&bytes, &properties, 0))
        return 0;
    return bytes;
}

static bool retain(struct tw_cuda_device *device, int ordinal)
{
    if (tw_cuda.device_get(&device->device, ordinal))
        return false;
    (void)tw_cuda.context_set_flags(device->device, SCHED_SPIN);
    if (tw_cuda.context_retain(&device->context, device->device))
        return false;
    device->ordinal = ordinal;
    device->capability = capability_of(device->device);
    device->compute_units = attribute(device->device, CU_MULTIPROCESSORS);
    device->default_shared_bytes = attribute(device->device, CU_SHARED_PER_BLOCK);
    device->max_shared_bytes = attribute(device->device, CU_SHARED_PER_BLOCK_OPTIN);
    if (device->max_shared_bytes < device->default_shared_bytes)
        device->max_shared_bytes = device->default_shared_bytes;
    device->page_bytes = page_bytes_of(device);
    device->texture_limits =
        (struct tw_cuda_texture_limits){.alignment = attribute(device->device, CU_TEXTURE_ALIGNMENT),
                                        .pitch_alignment = attribute(device->device, CU_TEXTURE_PITCH_ALIGNMENT),
                                        .width = attribute(device->device, CU_TEXTURE_ROW_PIXELS),
                                        .height = attribute(device->device, CU_TEXTURE_ROWS),
                                        .pitch = attribute(device->device, CU_TEXTURE_PITCH)};
    device->pages_shared_memory = attribute(device->device, CU_CONCURRENT_MANAGED_ACCESS) != 0;
    pthread_mutex_init(&device->streams, NULL);
    pthread_mutex_init(&device->texturing, NULL);
    pthread_mutex_init(&device->clock, NULL);
    return true;
}

/* Sets `peers` of each device once, since asking the driver at each use would take too long. */
static void find_peers(void)
{
    for (int i = 0; i < found.retained; ++i)
        for (int k = 0; k < found.retained && k < PEERS; ++k) {
            int can = 0;
            if (i != k && !tw_cuda.can_access_peer(&can, found.devices[i].device, found.devices[k].device) && can)
                found.devices[i].peers |= (uint64_t)1 << k;
        }
}

bool tw_cuda_uses_peer(const struct tw_cuda_device *device, const struct tw_cuda_device *peer)
{
    return peer->ordinal < PEERS && (device->peers >> peer->ordinal & 1u);
}

bool tw_cuda_open(void)
{
    int count = 0;
    tw_cuda.choice = read_choice();
    if (!load_functions() || tw_cuda.init(0) || tw_cuda.device_count(&count) || count <= 0
        || !(found.devices = calloc((size_t)count, sizeof *found.devices))) {
        tw_cuda_close();
        return false;
    }
    while (found.retained < count && retain(&found.devices[found.retained], found.retained))
        ++found.retained;
    find_peers();
    return true;
}

static void release(struct tw_cuda_device *device)
{
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    for (size_t i = 0; entry && i < device->idle_count; ++i)
        (void)tw_cuda.stream_destroy(device->idle_streams[i]);
    tw_cuda_leave(entry);
    free(device->idle_streams);
    pthread_mutex_destroy(&device->streams);
    pthread_mutex_destroy(&device->texturing);
    pthread_mutex_destroy(&device->clock);
    (void)tw_cuda.context_release(device->device);
}

void tw_cuda_close(void)
{
    for (int ordinal = 0; found.devices && ordinal < found.retained; ++ordinal)
        release(&found.devices[ordinal]);
    free(found.devices);
    if (found.library)
        dlclose(found.library);
    memset(&found, 0, sizeof found);
    memset(&tw_cuda, 0, sizeof tw_cuda);
}

struct tw_cuda_device *tw_cuda_device(int ordinal)
{
    return ordinal >= 0 && ordinal < found.retained ? &found.devices[ordinal] : NULL;
}

int tw_cuda_owner(const void *memory)
{
    int ordinal = -1;
    if (!found.library || tw_cuda.pointer_attribute(&ordinal, POINTER_DEVICE_ORDINAL, (uintptr_t)memory))
        return -1;
    return ordinal;
}

/* Writes a UUID as nvidia-smi does, without the word before it. */
static void write_uuid(cu_device device, char *text, size_t bytes)
{
    unsigned char u[16];
    if (tw_cuda.device_uuid && !tw_cuda.device_uuid(u, device))
        snprintf(text, bytes, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2],
                 u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

static void describe_identity(cu_device device, struct tw_device_facts *facts)
{
    int version = 0;
    (void)tw_cuda.device_name(facts->name, (int)sizeof facts->name, device);
    snprintf(facts->vendor, sizeof facts->vendor, "NVIDIA");
    facts->vendor_id = 0x10de;
    if (!tw_cuda.driver_version(&version))
        snprintf(facts->driver_version, sizeof facts->driver_version, "%d.%d", version / 1000, version % 1000 / 10);
    facts->compute_capability = capability_of(device);
    snprintf(facts->architecture, sizeof facts->architecture, "sm_%zu", facts->compute_capability);
    write_uuid(device, facts->uuid, sizeof facts->uuid);
    if (tw_cuda.device_pci_address(facts->pci_address, (int)sizeof facts->pci_address, device))
        facts->pci_address[0] = '\0';
}

/* Registers are scalar, but for pairs of halves. Work-items of a group progress by themselves since sm_70. */
static void describe_arithmetic(struct tw_device_facts *facts)
{
    const unsigned exact =
        TW_FP_DENORM | TW_FP_INF_NAN | TW_FP_ROUND_TO_NEAREST | TW_FP_FMA | TW_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    facts->single_config = facts->double_config = exact;
    facts->half_config = exact | (facts->compute_capability < 53 ? TW_FP_SOFT_FLOAT : 0u);
    facts->int_vector_bytes = facts->float_vector_bytes = 1;
    facts->half_vector_bytes = facts->compute_capability < 53 ? 0 : 4;
    facts->sub_groups_progress = facts->compute_capability >= 70;
}

static void describe_memory(cu_device device, struct tw_device_facts *facts)
{
    facts->cache_bytes = facts->l2_bytes = attribute(device, CU_L2_BYTES);
    facts->cacheline_bytes = 128;
    facts->memory_clock_mhz = attribute(device, CU_MEMORY_CLOCK_KHZ) / 1000;
    facts->memory_bus_bits = attribute(device, CU_MEMORY_BUS_BITS);
    facts->has_error_correction = attribute(device, CU_ECC) != 0;
    facts->unified_memory = attribute(device, CU_INTEGRATED) != 0;
    facts->atomic_host_memory = attribute(device, CU_HOST_NATIVE_ATOMICS) != 0;
    facts->uses_host_memory = true;
    facts->has_shared_memory = attribute(device, CU_MANAGED_MEMORY) != 0;
    facts->uses_system_memory = attribute(device, CU_PAGEABLE_MEMORY) != 0;
    facts->local_mem_type = TW_LOCAL_MEM_LOCAL;
    /* the most that one group can have; the linker limits TW_LOCAL to less, and so does a launch through libomptarget,
       which tw_cuda_check() checks */
    facts->local_mem_bytes =
        attribute(device, tw_cuda.choice == TW_CUDA_OPENMP_LAUNCH ? CU_SHARED_PER_BLOCK : CU_SHARED_PER_BLOCK_OPTIN);
    facts->unit_local_mem_bytes = attribute(device, CU_SHARED_PER_MULTIPROCESSOR);
    (void)tw_cuda.device_memory(&facts->global_mem_bytes, device);
}

void tw_cuda_describe(const struct tw_cuda_device *described, struct tw_device_facts *facts)
{
    const cu_device device = described->device;
    describe_identity(device, facts);
    describe_arithmetic(facts);
    describe_memory(device, facts);
    facts->compute_units = attribute(device, CU_MULTIPROCESSORS);
    facts->max_work_group_size = attribute(device, CU_MAX_THREADS_PER_BLOCK);
    facts->max_unit_items = attribute(device, CU_MAX_THREADS_PER_MULTIPROCESSOR);
    facts->registers = attribute(device, CU_REGISTERS_PER_BLOCK);
    facts->sub_group_size = attribute(device, CU_WARP_SIZE);
    facts->clock_mhz = attribute(device, CU_CLOCK_KHZ) / 1000;
    facts->timer_ns = EVENT_NS;
    size_t printf_bytes = 0;
    const enum tw_cuda_entry entry = tw_cuda_enter(described);
    if (entry && !tw_cuda.context_limit(&printf_bytes, CU_LIMIT_PRINTF_BYTES))
        facts->printf_bytes = printf_bytes;
    tw_cuda_leave(entry);
}

void tw_cuda_observe(struct tw_backend_device *device, struct tw_device_state *state)
{
    size_t unused, total;
    if (tw_cuda_lost(tw_cuda_of(device))) {
        state->lost = true;
        return;
    }
    const enum tw_cuda_entry entry = tw_cuda_enter(tw_cuda_of(device));
    if (entry && !tw_cuda.memory_info(&unused, &total))
        state->free_bytes = unused;
    tw_cuda_leave(entry);
}

enum tw_cuda_entry tw_cuda_enter(const struct tw_cuda_device *device)
{
    cu_context context = NULL; /* usually it is current already: libomptarget leaves it so */
    if (!tw_cuda.context_current(&context) && context == device->context)
        return TW_CUDA_WAS_INSIDE;
    if (tw_cuda.context_push(device->context))
        return TW_CUDA_OUTSIDE;
    return context || found.retained > 1 ? TW_CUDA_ENTERED : TW_CUDA_WAS_INSIDE;
}

void tw_cuda_leave(enum tw_cuda_entry entry)
{
    cu_context context;
    if (entry == TW_CUDA_ENTERED)
        (void)tw_cuda.context_pop(&context);
}

cu_result tw_cuda_take_stream(struct tw_cuda_device *device, cu_stream *stream)
{
    *stream = NULL;
    pthread_mutex_lock(&device->streams);
    if (device->idle_count)
        *stream = device->idle_streams[--device->idle_count];
    pthread_mutex_unlock(&device->streams);
    return *stream ? 0 : tw_cuda.stream_create(stream, CU_STREAM_NON_BLOCKING);
}

void tw_cuda_give_stream(struct tw_cuda_device *device, cu_stream stream)
{
    pthread_mutex_lock(&device->streams);
    cu_stream *idle =
        tw_list_with_room(device->idle_streams, device->idle_count, &device->idle_capacity, sizeof(cu_stream));
    if (idle) {
        device->idle_streams = idle;
        idle[device->idle_count++] = stream;
    }
    pthread_mutex_unlock(&device->streams);
    if (!idle)
        (void)tw_cuda.stream_destroy(stream);
}

void tw_cuda_lose(struct tw_cuda_device *device, const char *kernel, cu_result error, bool alone)
{
    tw_omp_lose(&device->omp, kernel, alone, tw_cuda_error(error).text, TW_NATIVE_CUDA, error);
}

struct tw_gpu_error tw_cuda_error(cu_result error)
{
    struct tw_gpu_error result = {.api = TW_NATIVE_CUDA, .code = error};
    const char *name = NULL, *meaning = NULL;
    if (tw_cuda.error_name(error, &name) || !name || tw_cuda.error_text(error, &meaning) || !meaning)
        snprintf(result.text, sizeof result.text, "error %d of the CUDA driver", error);
    else
        snprintf(result.text, sizeof result.text, "%s (%s)", meaning, name);
    return result;
}
