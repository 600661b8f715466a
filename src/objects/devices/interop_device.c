/* SPDX-License-Identifier: Apache-2.0 */
/* Devices by their numbers in OpenMP, CUDA and MPI, and selectors for them (teamwork/interop.h). */
#include <teamwork/interop.h>

#include <limits.h>
#include <stdlib.h>

#include "base/detail.h"
#include "runtime/device.h"

static const struct tw_backend_interop *interop_of(const tw_device *device)
{
    return device ? device->backend->backend->interop : NULL;
}

int tw_device_omp_number(const tw_device *device)
{
    const struct tw_backend_interop *interop = interop_of(device);
    return interop ? interop->omp_number(device->backend) : -1;
}

int tw_device_cuda_ordinal(const tw_device *device)
{
    const struct tw_backend_interop *interop = interop_of(device);
    return interop && interop->cuda_ordinal ? interop->cuda_ordinal(device->backend) : -1;
}

/* Finds a visible device, or the host device, by a number. */
static tw_status find(int number, int (*number_of)(const tw_device *device), const char *what, tw_device **result)
{
    if (!result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the device is NULL");
    size_t count = 0;
    const tw_status status = tw_get_devices(TW_DEVICE_ALL, NULL, 0, &count);
    if (status != TW_SUCCESS)
        return status;
    tw_device *found = number >= 0 && number_of(tw_host_device()) == number ? tw_host_device() : NULL;
    tw_device **devices = malloc((count + 1) * sizeof *devices);
    if (!devices)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the list of devices");
    (void)tw_get_devices(TW_DEVICE_ALL, devices, count, &count);
    for (size_t i = 0; i < count && number >= 0 && !found; ++i)
        if (number_of(devices[i]) == number)
            found = devices[i];
    free(devices);
    if (!found)
        return tw_fail(TW_ERROR_NO_DEVICE, "none of the visible devices has %s %d", what, number);
    *result = found;
    return TW_SUCCESS;
}

tw_status tw_device_from_omp(int number, tw_device **device)
{
    return find(number, tw_device_omp_number, "OpenMP's number", device);
}

tw_status tw_device_from_cuda(int ordinal, tw_device **device)
{
    return find(ordinal, tw_device_cuda_ordinal, "CUDA's ordinal", device);
}

/* ---- selectors --------------------------------------------------------------------------------------------------- */

int tw_omp_default_selector(const tw_device *device, void *user)
{
    (void)user;
    int number = tw_backends[0]->interop->omp_default();
    return tw_omp_number_selector(device, &number);
}

int tw_omp_number_selector(const tw_device *device, void *user)
{
    const int number = tw_device_omp_number(device);
    return user && number >= 0 && number == *(const int *)user ? 100 : -1;
}

int tw_local_rank(void)
{
    static const char *const names[] = {
        "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",          "MV2_COMM_WORLD_LOCAL_RANK", "PMI_LOCAL_RANK",
        "PALS_LOCAL_RANKID",          "JSM_NAMESPACE_LOCAL_RANK", "FLUX_TASK_LOCAL_ID",        "SLURM_LOCALID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const char *text = getenv(names[i]);
        char *end = NULL;
        const long rank = text && *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
        if (rank >= 0 && rank <= INT_MAX && end && !*end)
            return (int)rank;
    }
    return -1;
}

int tw_local_rank_selector(const tw_device *device, void *user)
{
    const int told = user ? *(const int *)user : tw_local_rank();
    const size_t rank = told > 0 ? (size_t)told : 0;
    size_t count = 0, at = 0;
    if (!tw_device_is_gpu(device) || (user && told < 0) || tw_get_devices(TW_DEVICE_GPU, NULL, 0, &count) != TW_SUCCESS)
        return -1;
    tw_device **gpus = malloc((count + 1) * sizeof *gpus);
    if (!gpus)
        return -1;
    (void)tw_get_devices(TW_DEVICE_GPU, gpus, count, &count);
    while (at < count && gpus[at] != device)
        ++at;
    free(gpus);
    return at < count && at == rank % count ? 100 : -1;
}
