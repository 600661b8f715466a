/* SPDX-License-Identifier: Apache-2.0 */
/* The host backend: the initial device, zero copy. Kernels run in the host lowering on the calling thread's team. */
#include "host.h"

#include <stdlib.h>

#include "omp_start.h"
#include "topology.h"

/* Enough to overlap single tasks; parallel kernels have the device to themselves. */
#define MAX_LANES 8u

static unsigned count(void)
{
    return 1;
}

static tw_status open(unsigned index, struct tw_backend_device **result)
{
    struct tw_backend_device *device = malloc(sizeof *device);
    if (!device)
        return tw_backend_complain(TW_ERROR_OUT_OF_MEMORY, "no memory for the host device");
    tw_omp_start();
    const unsigned processors = tw_topology_processors();
    *device = (struct tw_backend_device){.backend = &tw_backend_host,
                                         .index = index,
                                         .type = TW_DEVICE_HOST,
                                         .host_memory = true,
                                         .exclusive = true,
                                         .max_lanes = processors < MAX_LANES ? processors : MAX_LANES};
    *result = device;
    return TW_SUCCESS;
}

static void close(struct tw_backend_device *device)
{
    free(device);
}

void tw_host_describe(struct tw_backend_device *device, struct tw_device_facts *facts)
{
    (void)device;
    tw_topology_describe(facts);
    facts->max_work_group_size = 8192; /* work-items are loop turns: the limit is what stays in a cache */
    facts->sub_group_size = 1;
    facts->local_mem_type = TW_LOCAL_MEM_GLOBAL;
    facts->local_mem_bytes = 256u << 10; /* on the stack of the thread that runs the group */
}

tw_status tw_host_check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        const struct tw_internal_launch *launch)
{
    (void)device;
    (void)launch;
    if (!kernel->host)
        return tw_backend_complain(TW_ERROR_UNSUPPORTED, "kernel %s has no host version", kernel->name);
    return TW_SUCCESS;
}

static tw_status launch(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description)
{
    (void)device;
    kernel->host(description);
    return TW_SUCCESS;
}

/* Never called: there is no memory but the host's. */
static void *allocate(struct tw_backend_device *device, size_t bytes)
{
    (void)device;
    return malloc(bytes);
}

static void release(struct tw_backend_device *device, void *memory)
{
    (void)device;
    free(memory);
}

static tw_status copy(struct tw_backend_device *to, void *target, struct tw_backend_device *from, const void *source,
                      size_t bytes)
{
    (void)to;
    (void)from;
    __builtin_memcpy(target, source, bytes);
    return TW_SUCCESS;
}

const struct tw_backend tw_backend_host = {
    .name = "host",
    .count = count,
    .open = open,
    .close = close,
    .describe = tw_host_describe,
    .allocate = allocate,
    .free = release,
    .copy = copy,
    .check = tw_host_check,
    .launch = launch,
};
