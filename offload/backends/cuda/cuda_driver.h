/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The CUDA driver, if the machine has one: loaded with dlopen, never linked. Its functions and its devices. Types and
 * numbers are those of the driver's stable ABI.
 */
#ifndef TEAMWORK_OFFLOAD_CUDA_DRIVER_H
#define TEAMWORK_OFFLOAD_CUDA_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/omp/omp.h"
#include "common/inventory.h"

typedef int cu_result; /* 0: success */
typedef int cu_device;
typedef struct cu_context *cu_context;
typedef struct cu_module *cu_module;
typedef struct cu_function *cu_function;
typedef struct cu_stream *cu_stream;
typedef struct cu_event *cu_event;
typedef struct cu_graph *cu_graph;
typedef struct cu_node *cu_node;
typedef struct cu_executable *cu_executable;
typedef struct cu_pool *cu_pool;

enum { CU_OUT_OF_MEMORY = 2, CU_NOT_INITIALIZED = 3, CU_NOT_READY = 600 };
enum { CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DEFAULT = 0, CU_EVENT_DISABLE_TIMING = 2 };

/* Pools, as CUDA 11.2 and later have them. */
enum { CU_LOCATION_DEVICE = 1, CU_ALLOCATION_PINNED = 1 };

struct cu_location {
    int type, id;
};

struct cu_pool_properties {
    int allocation_type, handle_types;
    struct cu_location location;
    void *security;
    size_t most_bytes;
    unsigned char reserved[56];
};

struct cu_access {
    struct cu_location location;
    int rights;
};

/* A kernel of a graph, as CUDA 10 and later have it. */
struct cu_kernel_node {
    cu_function function;
    unsigned grid[3], block[3], dynamic_bytes;
    void **parameters, **extra;
};

enum cu_device_attribute {
    CU_MAX_THREADS_PER_BLOCK = 1,
    CU_SHARED_PER_BLOCK = 8,
    CU_WARP_SIZE = 10,
    CU_CLOCK_KHZ = 13,
    CU_MULTIPROCESSORS = 16,
    CU_L2_BYTES = 38,
    CU_CAPABILITY_MAJOR = 75,
    CU_CAPABILITY_MINOR = 76,
    CU_SHARED_PER_BLOCK_OPTIN = 97,
    CU_MEMORY_POOLS = 115
};

enum cu_function_attribute {
    CU_FUNCTION_MAX_THREADS = 0,
    CU_FUNCTION_SHARED_BYTES = 1,
    CU_FUNCTION_LOCAL_BYTES = 3,
    CU_FUNCTION_REGISTERS = 4,
    CU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8
};

/* Every function: X(member, name in the library, parameters). */
#define TW_CUDA_FUNCTIONS(X)                                                                                           \
    X(init, "cuInit", (unsigned flags))                                                                                \
    X(driver_version, "cuDriverGetVersion", (int *version))                                                            \
    X(error_name, "cuGetErrorName", (cu_result error, const char **text))                                              \
    X(error_text, "cuGetErrorString", (cu_result error, const char **text))                                            \
    X(device_count, "cuDeviceGetCount", (int *count))                                                                  \
    X(device_get, "cuDeviceGet", (cu_device * device, int ordinal))                                                    \
    X(device_name, "cuDeviceGetName", (char *name, int bytes, cu_device device))                                       \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, cu_device device))                         \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t *bytes, cu_device device))                                         \
    X(context_retain, "cuDevicePrimaryCtxRetain", (cu_context * context, cu_device device))                            \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (cu_device device))                                             \
    X(context_set_flags, "cuDevicePrimaryCtxSetFlags_v2", (cu_device device, unsigned flags))                          \
    X(context_push, "cuCtxPushCurrent_v2", (cu_context context))                                                       \
    X(context_pop, "cuCtxPopCurrent_v2", (cu_context * context))                                                       \
    X(context_current, "cuCtxGetCurrent", (cu_context * context))                                                      \
    X(context_synchronize, "cuCtxSynchronize", (void))                                                                 \
    X(pointer_attribute, "cuPointerGetAttribute", (void *value, int attribute, uintptr_t pointer))                     \
    X(pointer_attributes, "cuPointerGetAttributes", (unsigned count, int *which, void **values, uintptr_t pointer))    \
    X(module_load, "cuModuleLoadData", (cu_module * module, const void *image))                                        \
    X(module_unload, "cuModuleUnload", (cu_module module))                                                             \
    X(module_function, "cuModuleGetFunction", (cu_function * function, cu_module module, const char *name))            \
    X(function_get, "cuFuncGetAttribute", (int *value, int attribute, cu_function function))                           \
    X(function_set, "cuFuncSetAttribute", (cu_function function, int attribute, int value))                            \
    X(resident_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                                  \
      (int *blocks, cu_function function, int threads, size_t dynamic_bytes))                                          \
    X(stream_create, "cuStreamCreate", (cu_stream * stream, unsigned flags))                                           \
    X(stream_destroy, "cuStreamDestroy_v2", (cu_stream stream))                                                        \
    X(stream_synchronize, "cuStreamSynchronize", (cu_stream stream))                                                   \
    X(stream_wait_event, "cuStreamWaitEvent", (cu_stream stream, cu_event event, unsigned flags))                      \
    X(event_create, "cuEventCreate", (cu_event * event, unsigned flags))                                               \
    X(event_destroy, "cuEventDestroy_v2", (cu_event event))                                                            \
    X(event_query, "cuEventQuery", (cu_event event))                                                                   \
    X(event_synchronize, "cuEventSynchronize", (cu_event event))                                                       \
    X(event_elapsed, "cuEventElapsedTime", (float *milliseconds, cu_event start, cu_event end))                        \
    X(event_record, "cuEventRecord", (cu_event event, cu_stream stream))                                               \
    X(stream_query, "cuStreamQuery", (cu_stream stream))                                                               \
    X(stream_write, "cuStreamWriteValue32_v2", (cu_stream stream, uintptr_t target, uint32_t value, unsigned flags))   \
    X(host_allocate, "cuMemHostAlloc", (void **memory, size_t bytes, unsigned flags))                                  \
    X(host_free, "cuMemFreeHost", (void *memory))                                                                      \
    X(copy_to_device, "cuMemcpyHtoDAsync_v2", (uintptr_t target, const void *source, size_t bytes, cu_stream stream))  \
    X(copy_to_host, "cuMemcpyDtoHAsync_v2", (void *target, uintptr_t source, size_t bytes, cu_stream stream))          \
    X(copy_on_device, "cuMemcpyDtoDAsync_v2", (uintptr_t target, uintptr_t source, size_t bytes, cu_stream stream))    \
    X(copy_to_peer, "cuMemcpyPeerAsync",                                                                               \
      (uintptr_t target, cu_context to, uintptr_t source, cu_context from, size_t bytes, cu_stream stream))            \
    X(can_access_peer, "cuDeviceCanAccessPeer", (int *can, cu_device device, cu_device peer))                          \
    X(pool_create, "cuMemPoolCreate", (cu_pool * pool, const struct cu_pool_properties *properties))                   \
    X(pool_destroy, "cuMemPoolDestroy", (cu_pool pool))                                                                \
    X(pool_set, "cuMemPoolSetAttribute", (cu_pool pool, int attribute, void *value))                                   \
    X(pool_set_access, "cuMemPoolSetAccess", (cu_pool pool, const struct cu_access *access, size_t count))             \
    X(pool_trim, "cuMemPoolTrimTo", (cu_pool pool, size_t bytes))                                                      \
    X(pool_allocate, "cuMemAllocFromPoolAsync", (uintptr_t *memory, size_t bytes, cu_pool pool, cu_stream stream))     \
    X(pool_free, "cuMemFreeAsync", (uintptr_t memory, cu_stream stream))                                               \
    X(graph_create, "cuGraphCreate", (cu_graph * graph, unsigned flags))                                               \
    X(graph_destroy, "cuGraphDestroy", (cu_graph graph))                                                               \
    X(graph_add_kernel, "cuGraphAddKernelNode",                                                                        \
      (cu_node * node, cu_graph graph, const cu_node *before, size_t count, const struct cu_kernel_node *kernel))      \
    X(graph_set_kernel, "cuGraphExecKernelNodeSetParams",                                                              \
      (cu_executable executable, cu_node node, const struct cu_kernel_node *kernel))                                   \
    X(graph_add_empty, "cuGraphAddEmptyNode", (cu_node * node, cu_graph graph, const cu_node *before, size_t count))   \
    X(graph_instantiate, "cuGraphInstantiateWithFlags",                                                                \
      (cu_executable * executable, cu_graph graph, unsigned long long flags))                                          \
    X(graph_executable_destroy, "cuGraphExecDestroy", (cu_executable executable))                                      \
    X(graph_launch, "cuGraphLaunch", (cu_executable executable, cu_stream stream))                                     \
    X(launch, "cuLaunchKernel",                                                                                        \
      (cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,    \
       unsigned block_z, unsigned dynamic_bytes, cu_stream stream, void **parameters, void **extra))

struct tw_cuda_driver {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): the parameters have theirs */
#define TW_CUDA_MEMBER(member, name, parameters) cu_result(*member) parameters;
    TW_CUDA_FUNCTIONS(TW_CUDA_MEMBER)
#undef TW_CUDA_MEMBER
};

/* How kernels of the simt lowering are launched: the driver where it can, or as TW_CUDA_LAUNCH says. */
enum tw_cuda_choice { TW_CUDA_ANY_LAUNCH, TW_CUDA_DRIVER_LAUNCH, TW_CUDA_OPENMP_LAUNCH };

/* An event whose moment is known by the host's clock too (cuda_times.c). */
struct tw_cuda_base {
    cu_event event; /* NULL: not made yet */
    uint64_t host_ns;
    atomic_uint users; /* launches that refer to it; it is not recorded anew meanwhile */
};

/* A device whose primary context is retained. */
struct tw_cuda_device {
    struct tw_omp_device omp; /* first; filled in where it is one of OpenMP's devices */
    bool is_offered;          /* it is */
    int ordinal;
    cu_device device;
    cu_context context;
    unsigned capability; /* as the number in sm_90 */
    size_t compute_units;
    size_t default_shared_bytes; /* of a block: without further ado, ... */
    size_t max_shared_bytes;     /* ... and for a function that is allowed it */
    uint64_t peers;              /* a bit for each device whose memory it can use; of the first 64 */
    pthread_mutex_t streams;     /* for what follows, up to running */
    cu_stream *idle_streams;     /* on which nothing runs */
    size_t idle_count, idle_capacity;
    struct tw_cuda_stage *idle_stages;
    bool pool_is_tried;
    cu_pool pool; /* NULL: there is none */
    cu_stream pool_stream;
    pthread_mutex_t clock; /* for the two below */
    struct tw_cuda_base bases[2];
    struct tw_cuda_base *base; /* the newer one; NULL: none yet */
    atomic_uint running;       /* launches, until their end is known */
    atomic_bool is_lost;       /* story is set */
    char story[512];
};

extern struct tw_cuda_driver tw_cuda;

static inline struct tw_cuda_device *tw_cuda_of(struct tw_backend_device *device)
{
    return (struct tw_cuda_device *)device;
}

/* Loads the driver and retains the primary context of every CUDA device with spinning synchronization, which
   libomptarget then adopts: a synchronous launch takes 9 us instead of 27 to 46. To be called before OpenMP touches
   a device. Returns whether there are CUDA devices. Once; balanced by tw_cuda_close(), before which all that others
   have made of the devices is gone. */
bool tw_cuda_open(void);

/* Whether the last tw_cuda_open() failed because fork() made this process after the driver was started. The driver
   does not work here, and libomptarget ends the program when it uses it. */
bool tw_cuda_is_of_parent(void);
void tw_cuda_close(void);

/* Lists the machine's GPUs and returns how many of `room` there are; also while the driver is not open, but then no
   other thread may open it. */
size_t tw_cuda_list(struct tw_gpu *gpus, size_t room);

/* The CUDA device that owns a piece of device memory; -1 if it is none of CUDA's. */
int tw_cuda_owner(const void *memory);

/* Between tw_cuda_open() and tw_cuda_close(); NULL for a device that could not be retained. */
struct tw_cuda_device *tw_cuda_device(int ordinal);
enum tw_cuda_choice tw_cuda_choice(void);

/* Whether a device can use another one's memory directly. */
bool tw_cuda_uses_peer(const struct tw_cuda_device *device, const struct tw_cuda_device *peer);

/* "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)". Returns `text`. */
const char *tw_cuda_describe_error(cu_result error, char *text, size_t bytes);

/* Makes a device's context that of the thread, unless it is that already, and undoes what it did. */
enum tw_cuda_entry { TW_CUDA_OUTSIDE, TW_CUDA_WAS_INSIDE, TW_CUDA_ENTERED };
enum tw_cuda_entry tw_cuda_enter(const struct tw_cuda_device *device); /* TW_CUDA_OUTSIDE, 0: that failed */
void tw_cuda_leave(enum tw_cuda_entry entry);

void tw_cuda_describe(const struct tw_cuda_device *device, struct tw_device_facts *facts);

/* After a kernel's fault a device does nothing any more in this process, and libomptarget ends the program when it is
   asked to. Returns one sentence about the fault; NULL for a device that works. */
const char *tw_cuda_lost(const struct tw_cuda_device *device);

/* Notes that a device does nothing any more: `kernel` failed, or, unless it was `alone`, one beside it. */
void tw_cuda_lose(struct tw_cuda_device *device, const char *kernel, cu_result error, bool alone);

/* Lends a stream on which nothing runs, and takes it back. In the device's context. */
cu_result tw_cuda_take_stream(struct tw_cuda_device *device, cu_stream *stream);
void tw_cuda_give_stream(struct tw_cuda_device *device, cu_stream stream);

#endif
