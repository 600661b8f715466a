/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA driver through dlopen (cuda.h). Types and numbers are those of the driver's stable ABI. */
#include "cuda.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int cu_result; /* 0: success */
typedef int cu_device;
typedef struct cu_context *cu_context;

enum {
    SCHED_SPIN = 1,
    POINTER_DEVICE_ORDINAL = 9,
    MAX_THREADS_PER_BLOCK = 1,
    WARP_SIZE = 10,
    CLOCK_KHZ = 13,
    MULTIPROCESSORS = 16,
    L2_BYTES = 38,
    SHARED_PER_BLOCK = 8
};

static struct {
    void *library;
    cu_result (*init)(unsigned flags);
    cu_result (*driver_version)(int *version);
    cu_result (*device_count)(int *count);
    cu_result (*device_get)(cu_device *device, int ordinal);
    cu_result (*device_name)(char *name, int bytes, cu_device device);
    cu_result (*device_attribute)(int *value, int attribute, cu_device device);
    cu_result (*device_memory)(size_t *bytes, cu_device device);
    cu_result (*context_retain)(cu_context *context, cu_device device);
    cu_result (*context_release)(cu_device device);
    cu_result (*context_set_flags)(cu_device device, unsigned flags);
    cu_result (*pointer_attribute)(void *value, int attribute, uintptr_t pointer);
    int devices, retained;
} cuda;

static bool load_symbols(void)
{
    const struct {
        void *slot;
        const char *name;
    } symbols[] = {
        {&cuda.init, "cuInit"},
        {&cuda.driver_version, "cuDriverGetVersion"},
        {&cuda.device_count, "cuDeviceGetCount"},
        {&cuda.device_get, "cuDeviceGet"},
        {&cuda.device_name, "cuDeviceGetName"},
        {&cuda.device_attribute, "cuDeviceGetAttribute"},
        {&cuda.device_memory, "cuDeviceTotalMem_v2"},
        {&cuda.context_retain, "cuDevicePrimaryCtxRetain"},
        {&cuda.context_release, "cuDevicePrimaryCtxRelease_v2"},
        {&cuda.context_set_flags, "cuDevicePrimaryCtxSetFlags_v2"},
        {&cuda.pointer_attribute, "cuPointerGetAttribute"},
    };
    cuda.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!cuda.library)
        cuda.library = dlopen("libcuda.so", RTLD_NOW | RTLD_LOCAL);
    if (!cuda.library)
        return false;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; ++i) {
        void *address = dlsym(cuda.library, symbols[i].name);
        if (!address)
            return false;
        *(void **)symbols[i].slot = address;
    }
    return true;
}

bool tw_cuda_open(void)
{
    if (!load_symbols() || cuda.init(0) || cuda.device_count(&cuda.devices) || cuda.devices <= 0) {
        tw_cuda_close();
        return false;
    }
    for (int ordinal = 0; ordinal < cuda.devices; ++ordinal) {
        cu_device device;
        cu_context context;
        if (cuda.device_get(&device, ordinal))
            break;
        (void)cuda.context_set_flags(device, SCHED_SPIN);
        if (cuda.context_retain(&context, device))
            break;
        cuda.retained = ordinal + 1;
    }
    return true;
}

void tw_cuda_close(void)
{
    for (int ordinal = 0; ordinal < cuda.retained; ++ordinal) {
        cu_device device;
        if (!cuda.device_get(&device, ordinal))
            (void)cuda.context_release(device);
    }
    if (cuda.library)
        dlclose(cuda.library);
    cuda.library = NULL;
    cuda.devices = cuda.retained = 0;
}

int tw_cuda_owner(const void *memory)
{
    int ordinal = -1;
    if (!cuda.library || cuda.pointer_attribute(&ordinal, POINTER_DEVICE_ORDINAL, (uintptr_t)memory))
        return -1;
    return ordinal;
}

static size_t attribute(cu_device device, int which)
{
    int value = 0;
    return cuda.device_attribute(&value, which, device) || value < 0 ? 0 : (size_t)value;
}

void tw_cuda_describe(int ordinal, struct tw_device_facts *facts)
{
    cu_device device;
    int version = 0;
    if (!cuda.library || cuda.device_get(&device, ordinal))
        return;
    (void)cuda.device_name(facts->name, (int)sizeof facts->name, device);
    snprintf(facts->vendor, sizeof facts->vendor, "NVIDIA");
    if (!cuda.driver_version(&version))
        snprintf(facts->driver_version, sizeof facts->driver_version, "%d.%d", version / 1000, version % 1000 / 10);
    facts->compute_units = attribute(device, MULTIPROCESSORS);
    facts->max_work_group_size = attribute(device, MAX_THREADS_PER_BLOCK);
    facts->sub_group_size = attribute(device, WARP_SIZE);
    facts->clock_mhz = attribute(device, CLOCK_KHZ) / 1000;
    facts->cache_bytes = attribute(device, L2_BYTES);
    facts->cacheline_bytes = 128;
    facts->local_mem_type = TW_LOCAL_MEM_LOCAL;
    /* what TW_LOCAL, which is static, can have; more needs an opt-in for each kernel */
    facts->local_mem_bytes = attribute(device, SHARED_PER_BLOCK);
    (void)cuda.device_memory(&facts->global_mem_bytes, device);
}
