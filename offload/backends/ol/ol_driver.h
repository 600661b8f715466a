/* SPDX-License-Identifier: Apache-2.0 */
/**
 * LLVM's liboffload, loaded at run time, and its devices. Declares what this backend uses of OffloadAPI.h of LLVM 22; other
 * versions have another interface.
 */
#ifndef TEAMWORK_OFFLOAD_OL_DRIVER_H
#define TEAMWORK_OFFLOAD_OL_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "backends/gpu/gpu_backend.h"

/* ---- types and constants of liboffload --------------------------------------------------------------------------- */

typedef struct ol_device_impl_t *ol_device;
typedef struct ol_platform_impl_t *ol_platform;
typedef struct ol_queue_impl_t *ol_queue;
typedef struct ol_event_impl_t *ol_event;
typedef struct ol_program_impl_t *ol_program;
typedef struct ol_symbol_impl_t *ol_symbol;

/* The result of all functions: NULL, or an error, which lives as long as the library. */
typedef const struct ol_error {
    int code;
    const char *details;
} *ol_result;

struct ol_dimensions {
    uint32_t x, y, z;
};

struct ol_launch_size {
    size_t dimensions;
    struct ol_dimensions groups, group_size;
    size_t dynamic_bytes;
};

enum { OL_OUT_OF_RESOURCES = 7 };
enum { OL_ALLOC_HOST = 0, OL_ALLOC_DEVICE = 1, OL_ALLOC_MANAGED = 2 };
enum { OL_TYPE_GPU = 2 };
enum { OL_PLATFORM_CUDA = 1, OL_PLATFORM_AMDGPU = 2, OL_PLATFORM_HOST = 4 };
enum { OL_PLATFORM_INFO_BACKEND = 3, OL_QUEUE_INFO_EMPTY = 1, OL_EVENT_INFO_COMPLETE = 1 };
enum { OL_SYMBOL_KERNEL = 0 };
enum ol_device_info {
    OL_INFO_TYPE = 0,
    OL_INFO_PLATFORM = 1,
    OL_INFO_NAME = 2,
    OL_INFO_PRODUCT_NAME = 3,
    OL_INFO_UID = 4,
    OL_INFO_VENDOR = 5,
    OL_INFO_DRIVER_VERSION = 6,
    OL_INFO_MAX_GROUP_SIZE = 7,
    OL_INFO_VENDOR_ID = 11,
    OL_INFO_COMPUTE_UNITS = 12,
    OL_INFO_CLOCK_MHZ = 13,
    OL_INFO_MEMORY_CLOCK_MHZ = 14,
    OL_INFO_GLOBAL_BYTES = 17,
    OL_INFO_LOCAL_BYTES = 18,
};

/* Calls X(member, name, parameters) for each function. */
#define TW_OL_FUNCTIONS(X)                                                                                             \
    X(init, "olInit", (void))                                                                                          \
    X(shut_down, "olShutDown", (void))                                                                                 \
    X(iterate_devices, "olIterateDevices", (bool (*visit)(ol_device device, void *user), void *user))                  \
    X(device_info, "olGetDeviceInfo", (ol_device device, int which, size_t bytes, void *value))                        \
    X(device_info_bytes, "olGetDeviceInfoSize", (ol_device device, int which, size_t *bytes))                          \
    X(platform_info, "olGetPlatformInfo", (ol_platform platform, int which, size_t bytes, void *value))                \
    X(memory_allocate, "olMemAlloc", (ol_device device, int type, size_t bytes, void **memory))                        \
    X(memory_free, "olMemFree", (void *memory))                                                                        \
    X(copy, "olMemcpy",                                                                                                \
      (ol_queue queue, void *target, ol_device to, const void *source, ol_device from, size_t bytes))                  \
    X(fill, "olMemFill", (ol_queue queue, void *target, size_t pattern_bytes, const void *pattern, size_t bytes))      \
    X(queue_create, "olCreateQueue", (ol_device device, ol_queue * queue))                                             \
    X(queue_destroy, "olDestroyQueue", (ol_queue queue))                                                               \
    X(queue_sync, "olSyncQueue", (ol_queue queue))                                                                     \
    X(queue_info, "olGetQueueInfo", (ol_queue queue, int which, size_t bytes, void *value))                            \
    X(queue_wait, "olWaitEvents", (ol_queue queue, ol_event * events, size_t count))                                   \
    X(event_create, "olCreateEvent", (ol_queue queue, ol_event * event))                                               \
    X(event_destroy, "olDestroyEvent", (ol_event event))                                                               \
    X(event_sync, "olSyncEvent", (ol_event event))                                                                     \
    X(event_info, "olGetEventInfo", (ol_event event, int which, size_t bytes, void *value))                            \
    X(host_function, "olLaunchHostFunction", (ol_queue queue, void (*function)(void *user), void *user))               \
    X(is_valid_binary, "olIsValidBinary", (ol_device device, const void *image, size_t bytes, bool *valid))            \
    X(program_create, "olCreateProgram", (ol_device device, const void *image, size_t bytes, ol_program *program))     \
    X(program_destroy, "olDestroyProgram", (ol_program program))                                                       \
    X(symbol_get, "olGetSymbol", (ol_program program, const char *name, int kind, ol_symbol *symbol))                  \
    X(launch, "olLaunchKernel",                                                                                        \
      (ol_queue queue, ol_device device, ol_symbol kernel, const void *parameters, size_t bytes,                       \
       const struct ol_launch_size *size))

/* ---- the library and its devices --------------------------------------------------------------------------------- */

/* liboffload while it is open, else zero. */
struct tw_ol_library {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): the parameters have theirs */
#define TW_OL_MEMBER(member, name, parameters) ol_result(*member) parameters;
    TW_OL_FUNCTIONS(TW_OL_MEMBER)
#undef TW_OL_MEMBER
};

extern struct tw_ol_library tw_ol;

struct tw_gpu_stage;

/* A GPU of liboffload. */
struct tw_ol_device {
    struct tw_omp_device omp; /* first; filled in if is_offered */
    bool is_offered;          /* it is one of OpenMP's devices */
    ol_device handle;
    int platform;
    char uid[128];
    size_t compute_units, local_bytes; /* of a group; 0: not known */
    void *word;                        /* device memory for tw_ol_enter() */
    pthread_mutex_t mutex;             /* protects the members up to idle_stages */
    ol_queue *idle_queues;             /* on which nothing runs */
    size_t idle_count, idle_capacity;
    struct tw_gpu_stage *idle_stages;
    atomic_uint running; /* the number of launches that are not known to be over */
};

static inline struct tw_ol_device *tw_ol_of(struct tw_backend_device *device)
{
    return (struct tw_ol_device *)device;
}

/* Loads and starts liboffload. Returns true if it has GPUs. Called under the discovery lock, as tw_ol_close(), which
   balances a call that has returned true; before that, everything that others have made on the devices is freed. */
bool tw_ol_open(void);
void tw_ol_close(void);

/* Returns one sentence about why the last tw_ol_open() has failed. */
const char *tw_ol_failure(void);

/* Returns GPU `index`, counted from 0 over all platforms; NULL: there are no more. Called while the library is open. */
struct tw_ol_device *tw_ol_device(unsigned index);

/* Returns the device that stands for host memory in copies. */
ol_device tw_ol_host(void);

/* Makes liboffload's calls of this thread concern the device, where the driver below knows a current device: some of them do
   not do so themselves. Called before launches and events. Returns false on failure. */
bool tw_ol_enter(struct tw_ol_device *device);

/* Returns the lanes of a warp; 0: not known. */
unsigned tw_ol_warp(const struct tw_ol_device *device);

void tw_ol_describe(const struct tw_ol_device *device, struct tw_device_facts *facts);

/* Returns the error with its code and its details. */
struct tw_gpu_error tw_ol_error(ol_result error);

/* As the functions of omp.h. */
static inline bool tw_ol_lost(const struct tw_ol_device *device)
{
    return tw_omp_is_lost(&device->omp);
}
static inline tw_status tw_ol_fail_lost(tw_status status, const struct tw_ol_device *device)
{
    return tw_omp_fail_lost(status, &device->omp);
}
static inline void tw_ol_lose(struct tw_ol_device *device, const char *kernel, ol_result error, bool alone)
{
    tw_omp_lose(&device->omp, kernel, alone, tw_ol_error(error).text, TW_NATIVE_OFFLOAD, error->code);
}

/* Lend a queue on which nothing runs, and take it back. */
ol_result tw_ol_take_queue(struct tw_ol_device *device, ol_queue *queue);
void tw_ol_give_queue(struct tw_ol_device *device, ol_queue queue);

/* Waits until nothing runs on a queue. Polls for a while first: a driver may sleep longer than a short copy takes. */
ol_result tw_ol_finish(ol_queue queue);

#endif
