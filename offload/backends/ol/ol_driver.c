/* SPDX-License-Identifier: Apache-2.0 */
/* liboffload through dlopen(), its devices and their idle queues (ol_driver.h). */
#define _GNU_SOURCE
#include "ol_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "common/image.h"

#define LIBRARY "libLLVMOffload.so.22.1"
#define POLL_NS 100000u /* before a thread sleeps in the driver */
#define MOST_DEVICES 64u
#define CALLBACK_NS 10000u /* by which the times that a stream measures may differ from the device's */

struct tw_ol_library tw_ol;

static struct {
    void *library;
    struct tw_ol_device *devices;
    unsigned count;
    ol_device host;
    unsigned generation; /* of the devices: they are opened anew after tw_shutdown() */
    char failure[256];
} found;

static _Thread_local const struct tw_ol_device *inside;
static _Thread_local unsigned inside_generation;

/* ---- the library ------------------------------------------------------------------------------------------------- */

static bool load_functions(void)
{
    const struct {
        void *slot;
        const char *name;
    } functions[] = {
#define ENTRY(member, name, parameters) {&tw_ol.member, name},
        TW_OL_FUNCTIONS(ENTRY)
#undef ENTRY
    };
    found.library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!found.library) {
        snprintf(found.failure, sizeof found.failure, "liboffload of LLVM 22 (%s) is not found", LIBRARY);
        return false;
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
        void *address = dlsym(found.library, functions[i].name);
        if (!address) {
            snprintf(found.failure, sizeof found.failure, "%s has no function %s", LIBRARY, functions[i].name);
            return false;
        }
        *(void **)functions[i].slot = address;
    }
    return true;
}

/* Stores a number of a device; 0 if it is not known. */
static uint32_t number_of(ol_device device, enum ol_device_info which)
{
    uint32_t value = 0;
    return tw_ol.device_info(device, (int)which, sizeof value, &value) ? 0 : value;
}

static uint64_t bytes_of(ol_device device, enum ol_device_info which)
{
    uint64_t value = 0;
    return tw_ol.device_info(device, (int)which, sizeof value, &value) ? 0 : value;
}

/* Stores a text of a device; "" if it is not known or too long. */
static void text_of(ol_device device, enum ol_device_info which, char *text, size_t room)
{
    size_t bytes = 0;
    text[0] = '\0';
    if (!tw_ol.device_info_bytes(device, (int)which, &bytes) && bytes <= room
        && tw_ol.device_info(device, (int)which, bytes, text))
        text[0] = '\0';
}

static int platform_of(ol_device device)
{
    ol_platform platform = NULL;
    int backend = 0;
    if (tw_ol.device_info(device, OL_INFO_PLATFORM, sizeof(void *), &platform)
        || tw_ol.platform_info(platform, OL_PLATFORM_INFO_BACKEND, sizeof backend, &backend))
        return 0;
    return backend;
}

static bool note_device(ol_device handle, void *unused)
{
    const int platform = platform_of(handle);
    (void)unused;
    if (platform == OL_PLATFORM_HOST)
        found.host = handle;
    else if (number_of(handle, OL_INFO_TYPE) == OL_TYPE_GPU && found.count < MOST_DEVICES) {
        struct tw_ol_device *device = &found.devices[found.count];
        *device = (struct tw_ol_device){.handle = handle, .platform = platform};
        text_of(handle, OL_INFO_UID, device->uid, sizeof device->uid);
        device->compute_units = number_of(handle, OL_INFO_COMPUTE_UNITS);
        device->local_bytes = bytes_of(handle, OL_INFO_LOCAL_BYTES);
        pthread_mutex_init(&device->mutex, NULL);
        ++found.count;
    }
    return true;
}

bool tw_ol_open(void)
{
    if (!load_functions()) {
        tw_ol_close();
        return false;
    }
    ol_result error = tw_ol.init();
    if (error) {
        snprintf(found.failure, sizeof found.failure, "liboffload did not start: %s", error->details);
        memset(&tw_ol, 0, sizeof tw_ol);
        tw_ol_close();
        return false;
    }
    found.devices = calloc(MOST_DEVICES, sizeof *found.devices);
    error = found.devices ? tw_ol.iterate_devices(note_device, NULL) : NULL;
    ++found.generation;
    if (!error && found.count && found.host)
        return true;
    snprintf(found.failure, sizeof found.failure, "liboffload finds no GPU");
    tw_ol_close();
    return false;
}

const char *tw_ol_failure(void)
{
    return found.failure;
}

static void release(struct tw_ol_device *device)
{
    if (!tw_ol_lost(device)) {
        for (size_t i = 0; i < device->idle_count; ++i)
            (void)tw_ol.queue_destroy(device->idle_queues[i]);
        if (device->word)
            (void)tw_ol.memory_free(device->word);
    }
    free(device->idle_queues);
    pthread_mutex_destroy(&device->mutex);
}

/* A lost device cannot be taken down, so the library stays then. */
void tw_ol_close(void)
{
    bool is_lost = false;
    for (unsigned i = 0; found.devices && i < found.count; ++i) {
        is_lost = is_lost || tw_ol_lost(&found.devices[i]);
        release(&found.devices[i]);
    }
    free(found.devices);
    if (tw_ol.shut_down && !is_lost)
        (void)tw_ol.shut_down();
    if (found.library && !is_lost)
        dlclose(found.library);
    memset(&tw_ol, 0, sizeof tw_ol);
    found.library = NULL;
    found.devices = NULL;
    found.count = 0;
    found.host = NULL;
}

struct tw_ol_device *tw_ol_device(unsigned index)
{
    return index < found.count ? &found.devices[index] : NULL;
}

ol_device tw_ol_host(void)
{
    return found.host;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* CUDA has a current context for each thread. Copies set it, but launches and events do not. */
bool tw_ol_enter(struct tw_ol_device *device)
{
    static const uint32_t zero = 0;
    if (__builtin_expect(inside == device && inside_generation == found.generation, 1))
        return true;
    if (device->platform == OL_PLATFORM_CUDA
        && tw_ol.copy(NULL, device->word, device->handle, &zero, found.host, sizeof zero))
        return false;
    inside = device;
    inside_generation = found.generation;
    return true;
}

unsigned tw_ol_warp(const struct tw_ol_device *device)
{
    char arch[32] = "sm_";
    if (device->platform == OL_PLATFORM_AMDGPU)
        text_of(device->handle, OL_INFO_NAME, arch, sizeof arch);
    return device->platform == OL_PLATFORM_HOST ? 0 : tw_image_warp(arch);
}

/* As LLVM's compilers make it: registers are scalar, but for pairs of halves. */
static void describe_arithmetic(struct tw_device_facts *facts)
{
    facts->half_config = facts->single_config = facts->double_config =
        TW_FP_DENORM | TW_FP_INF_NAN | TW_FP_ROUND_TO_NEAREST | TW_FP_FMA | TW_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    facts->int_vector_bytes = facts->float_vector_bytes = 1;
    facts->half_vector_bytes = 4;
}

void tw_ol_describe(const struct tw_ol_device *device, struct tw_device_facts *facts)
{
    describe_arithmetic(facts);
    text_of(device->handle, OL_INFO_PRODUCT_NAME, facts->name, sizeof facts->name);
    if (device->platform == OL_PLATFORM_AMDGPU)
        text_of(device->handle, OL_INFO_NAME, facts->architecture, sizeof facts->architecture);
    if (!facts->name[0])
        text_of(device->handle, OL_INFO_NAME, facts->name, sizeof facts->name);
    text_of(device->handle, OL_INFO_VENDOR, facts->vendor, sizeof facts->vendor);
    text_of(device->handle, OL_INFO_DRIVER_VERSION, facts->driver_version, sizeof facts->driver_version);
    const char *uuid = strncmp(device->uid, "GPU-", 4) == 0 ? device->uid + 4 : device->uid;
    if (strlen(uuid) < sizeof facts->uuid)
        memcpy(facts->uuid, uuid, strlen(uuid) + 1);
    facts->vendor_id = number_of(device->handle, OL_INFO_VENDOR_ID);
    facts->compute_units = device->compute_units;
    facts->sub_group_size = device->omp.warp;
    facts->max_work_group_size = number_of(device->handle, OL_INFO_MAX_GROUP_SIZE);
    facts->clock_mhz = number_of(device->handle, OL_INFO_CLOCK_MHZ);
    facts->memory_clock_mhz = number_of(device->handle, OL_INFO_MEMORY_CLOCK_MHZ);
    facts->global_mem_bytes = (size_t)bytes_of(device->handle, OL_INFO_GLOBAL_BYTES);
    facts->timer_ns = CALLBACK_NS;
    facts->local_mem_type = TW_LOCAL_MEM_LOCAL;
    facts->local_mem_bytes = device->local_bytes;
    facts->uses_host_memory = facts->has_shared_memory = true;
}

struct tw_gpu_error tw_ol_error(ol_result error)
{
    struct tw_gpu_error result = {.api = TW_NATIVE_OFFLOAD, .code = error ? error->code : 0};
    snprintf(result.text, sizeof result.text, "%s", error && error->details ? error->details : "no details");
    return result;
}

/* ---- queues ------------------------------------------------------------------------------------------------------ */

ol_result tw_ol_take_queue(struct tw_ol_device *device, ol_queue *queue)
{
    *queue = NULL;
    pthread_mutex_lock(&device->mutex);
    if (device->idle_count)
        *queue = device->idle_queues[--device->idle_count];
    pthread_mutex_unlock(&device->mutex);
    return *queue ? NULL : tw_ol.queue_create(device->handle, queue);
}

void tw_ol_give_queue(struct tw_ol_device *device, ol_queue queue)
{
    pthread_mutex_lock(&device->mutex);
    ol_queue *idle =
        tw_list_with_room(device->idle_queues, device->idle_count, &device->idle_capacity, sizeof(ol_queue));
    if (idle) {
        device->idle_queues = idle;
        idle[device->idle_count++] = queue;
    }
    pthread_mutex_unlock(&device->mutex);
    if (!idle)
        (void)tw_ol.queue_destroy(queue);
}

ol_result tw_ol_finish(ol_queue queue)
{
    const uint64_t start_ns = tw_now_ns();
    bool is_empty = false;
    do {
        const ol_result error = tw_ol.queue_info(queue, OL_QUEUE_INFO_EMPTY, sizeof is_empty, &is_empty);
        if (error)
            return error;
    } while (!is_empty && tw_now_ns() - start_ns < POLL_NS);
    return tw_ol.queue_sync(queue);
}
