/* SPDX-License-Identifier: Apache-2.0 */
/* The host backend: the initial device, zero copy. Kernels run in the host lowering on the calling thread's team. */
#define _GNU_SOURCE
#include "host.h"

#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>

#include "common/fiber.h"
#include "common/host_lowering.h"
#include "common/openmp.h"
#include "common/team.h"
#include "common/topology.h"
#include "host_batch.h"

/* Enough workers to overlap single tasks; parallel kernels occupy the device. */
#define MAX_WORKERS 8u

static tw_status count(unsigned *devices)
{
    *devices = 1;
    return TW_SUCCESS;
}

/* In a program with the static library, OpenMP's functions come from the first OpenMP library that is linked, but
   parallel regions are libomp's. If another library comes first, each thread of a team would find itself alone. */
static tw_status check_libomp(void)
{
    Dl_info interface, libomp;
    if (!dladdr((void *)(uintptr_t)omp_get_thread_limit, &interface)
        || !dladdr((void *)(uintptr_t)kmp_get_blocktime, &libomp) || interface.dli_fbase == libomp.dli_fbase)
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_UNSUPPORTED,
                   "the program is linked with two OpenMP libraries, and %s comes before %s: link the shared "
                   "library of Teamwork, or leave the first one out (OpenMP::OpenMP_CXX is of the C++ compiler)",
                   interface.dli_fname, libomp.dli_fname);
}

static tw_status open_device(unsigned index, struct tw_backend_device **result)
{
    const tw_status status = check_libomp();
    if (status != TW_SUCCESS)
        return status;
    struct tw_backend_device *device = malloc(sizeof *device);
    if (!device)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the host device");
    tw_openmp_start();
    tw_team_open();
    tw_fiber_open();
    const unsigned processors = tw_topology_processors();
    *device = (struct tw_backend_device){.backend = &tw_backend_host,
                                         .index = index,
                                         .type = TW_DEVICE_HOST,
                                         .exclusive = true,
                                         .max_workers = processors < MAX_WORKERS ? processors : MAX_WORKERS};
    *result = device;
    return TW_SUCCESS;
}

static void close_device(struct tw_backend_device *device)
{
    tw_fiber_close();
    free(device);
}

static tw_status launch(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description)
{
    (void)device;
    return tw_host_run(kernel, description, NULL);
}

static int omp_number(const struct tw_backend_device *device)
{
    (void)device;
    return tw_openmp_host();
}

static const struct tw_backend_interop interop = {
    .omp_number = omp_number,
    .omp_default = tw_openmp_default,
    .omp_fulfill = tw_openmp_fulfill,
    .omp_mapped = tw_openmp_mapped,
};

const struct tw_backend tw_backend_host = {
    .name = "host",
    .interop = &interop,
    .count = count,
    .open = open_device,
    .close = close_device,
    .begin_thread = tw_team_begin_worker,
    .describe = tw_host_describe,
    .observe = tw_host_observe,
    .check = tw_host_check,
    .limits = tw_host_limits,
    .launch = launch,
    .launch_batch = tw_host_launch_batch,
};
