/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMP's offload devices (openmp.h). */
#define _GNU_SOURCE
#include "openmp.h"

#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/environment.h"

#define MOST_CLAIMS 256

/* libomptarget starts with the program's first device image, and ends with its last one. Without an image, most calls of
   it crash (LLVM 19 and 22). These functions start and end it by hand. Calls are counted. */
extern void __tgt_rtl_init(void) __attribute__((weak));
extern void __tgt_rtl_deinit(void) __attribute__((weak));

/* What `target update` calls: the first call for a device loads the images of the program that it has not yet. */
extern void __tgt_target_data_update_mapper(void *where, int64_t device, int32_t count, void **bases, void **begins,
                                            int64_t *bytes, int64_t *types, void **names, void **mappers)
    __attribute__((weak));

/* The library has looked for devices. Its threads may use libomptarget until the process ends. */
static atomic_bool used;

/* OpenMP has offload devices, whether or not they are given up. */
static atomic_bool has_devices;

/* The library brings libomptarget into programs that have no image and use OpenMP by themselves: from here on their calls
   work. */
__attribute__((constructor(101))) static void hold_libomptarget(void)
{
    if (__tgt_rtl_init)
        __tgt_rtl_init();
}

/* A program that has not used the library ends as it would without: what libomptarget does at its end, it does. */
__attribute__((destructor(101))) static void release_libomptarget(void)
{
    if (__tgt_rtl_deinit && !atomic_load(&used))
        __tgt_rtl_deinit();
}

/* libomptarget's functions for the number of offload devices, and for the number that stands for the host. libomp has
   functions of the same names, which call the library behind libomp in the link order. If libomptarget comes before
   libomp, they find no such library and return that there are no devices. */
static int (*num_devices)(void) = omp_get_num_devices;
static int (*initial_device)(void) = omp_get_initial_device;

/* Of OpenMP 6.0; NULL before LLVM 22. */
static const char *(*uid_of)(int number);

static void find_libomptarget(void)
{
    Dl_info info;
    void *library = dladdr((void *)(uintptr_t)omp_target_alloc, &info) && info.dli_fname
                        ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                        : NULL;
    if (!library)
        return;
    void *count = dlsym(library, "omp_get_num_devices"), *host = dlsym(library, "omp_get_initial_device");
    if (count && host) {
        *(void **)&num_devices = count;
        *(void **)&initial_device = host;
    }
    *(void **)&uid_of = dlsym(library, "omp_get_uid_from_device");
    dlclose(library); /* it stays loaded, since this library is linked with it */
}

static bool is_given_up;
static const struct tw_backend *owners[MOST_CLAIMS];

/* Returns true if the CUDA driver was started in the process that made this one by fork(). */
static bool cuda_is_of_parent(void)
{
    enum { NOT_INITIALIZED = 3 };
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    int (*init)(unsigned) = NULL;
    if (!library)
        return false;
    *(void **)&init = dlsym(library, "cuInit");
    const bool is_of_parent = init && init(0) == NOT_INITIALIZED; /* it returns this only in a child of fork() */
    dlclose(library);
    return is_of_parent;
}

void tw_openmp_start(void)
{
    if (!atomic_exchange(&used, true))
        find_libomptarget();
    atomic_store_explicit(&has_devices, num_devices() > 0, memory_order_relaxed);
    if (tw_openmp_devices() > 0 && cuda_is_of_parent())
        is_given_up = true;
}

int tw_openmp_devices(void)
{
    return is_given_up ? 0 : num_devices();
}

int tw_openmp_host(void)
{
    return initial_device();
}

int tw_openmp_default(void)
{
    return omp_get_default_device();
}

bool tw_openmp_is_host_memory(const void *memory)
{
    char byte;
    const struct iovec to = {&byte, 1}, from = {(void *)(uintptr_t)memory, 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1 || errno != EFAULT; /* call not allowed: assume a CPU */
}

bool tw_openmp_probe(int number, bool *is_host_memory)
{
    void *probe = omp_target_alloc(64, number);
    if (!probe)
        return false;
    *is_host_memory = tw_openmp_is_host_memory(probe);
    omp_target_free(probe, number);
    return true;
}

int tw_openmp_stand_in(void)
{
    static _Atomic signed char known[MOST_CLAIMS]; /* of each device: 1 its memory is the host's, -1 it is not */
    const int number = omp_get_default_device();
    if (is_given_up || number < 0 || number >= num_devices() || number >= MOST_CLAIMS)
        return initial_device();
    if (!known[number]) {
        bool is_host_memory = false;
        known[number] = tw_openmp_probe(number, &is_host_memory) && is_host_memory ? 1 : -1;
    }
    return known[number] > 0 ? number : initial_device();
}

int tw_openmp_set_default(int number)
{
    if (!atomic_load_explicit(&has_devices, memory_order_relaxed)) /* libomp needs not know this thread */
        return number;
    const int before = omp_get_default_device();
    if (before != number)
        omp_set_default_device(number);
    return before;
}

void tw_openmp_fulfill(uintptr_t event)
{
    omp_fulfill_event((omp_event_handle_t)event);
}

void *tw_openmp_mapped(int number, const void *host)
{
    return omp_get_mapped_ptr(host, number);
}

void *tw_openmp_variable(int number, const void *host)
{
    void *found = omp_get_mapped_ptr(host, number);
    if (found || !__tgt_target_data_update_mapper)
        return found;
    __tgt_target_data_update_mapper(NULL, number, 0, NULL, NULL, NULL, NULL, NULL, NULL);
    return omp_get_mapped_ptr(host, number);
}

bool tw_openmp_is_given_up(void)
{
    return is_given_up;
}

bool tw_openmp_claim(int number, const struct tw_backend *owner)
{
    if (number < 0 || number >= MOST_CLAIMS)
        return false;
    owners[number] = owner;
    return true;
}

static bool is_of(int number, const struct tw_backend *owner)
{
    return (number < MOST_CLAIMS ? owners[number] : NULL) == owner;
}

bool tw_openmp_admits(const char *backend)
{
    const char *chosen = tw_environment(TW_VARIABLE_BACKEND);
    return !chosen || strcmp(chosen, backend) == 0;
}

bool tw_openmp_is_free(int number)
{
    return is_of(number, NULL);
}

const char *tw_openmp_uid(int number)
{
    return uid_of ? uid_of(number) : NULL;
}

unsigned tw_openmp_count(const struct tw_backend *owner)
{
    unsigned count = 0;
    for (int number = 0; number < tw_openmp_devices(); ++number)
        count += is_of(number, owner);
    return count;
}

int tw_openmp_number(const struct tw_backend *owner, unsigned index)
{
    int number = 0;
    while (!is_of(number, owner) || index--)
        ++number;
    return number;
}
