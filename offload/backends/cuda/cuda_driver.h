/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The CUDA driver, if the machine has one: its functions and its devices. It is loaded with dlopen(), never linked. The
 * types and numbers are those of the driver's stable ABI.
 */
#ifndef TEAMWORK_OFFLOAD_CUDA_DRIVER_H
#define TEAMWORK_OFFLOAD_CUDA_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/gpu/gpu_backend.h"
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
typedef struct cu_green *cu_green;             /* a green context */
typedef struct cu_description *cu_description; /* of what it has */

enum { CU_INVALID_VALUE = 1, CU_OUT_OF_MEMORY = 2, CU_NOT_READY = 600 };
enum { CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DEFAULT = 0, CU_EVENT_DISABLE_TIMING = 2 };

/* Memory pools, since CUDA 11.2. */
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

/* Launches with attributes, since CUDA 11.8. */
enum { CU_LAUNCH_COOPERATIVE = 2, CU_LAUNCH_PROGRAMMATIC_SERIALIZATION = 6 };

struct cu_launch_attribute {
    int which;
    char padding[4];
    union {
        int allowed;
        char bytes[64];
    } value;
};

struct cu_launch {
    unsigned grid[3], block[3], dynamic_bytes;
    cu_stream stream;
    struct cu_launch_attribute *attributes;
    unsigned attribute_count;
};

/* Edges of graphs with attributes, since CUDA 12.3. */
enum { CU_PORT_PROGRAMMATIC = 1, CU_EDGE_PROGRAMMATIC = 1 };

struct cu_edge {
    unsigned char from_port, to_port, type, reserved[5];
};

/* Virtual memory management, since CUDA 10.2. */
struct cu_memory_properties {
    int allocation_type, handle_types;
    struct cu_location location;
    void *security;
    unsigned char compression, rdma;
    unsigned short usage;
    unsigned char reserved[4];
};

/* One side of a copy of rows. A pitch is in bytes, a plane has `height` pitches. */
struct cu_rows {
    size_t x_bytes, y, z, lod;
    int memory_type;
    const void *host;
    uintptr_t device;
    void *array;
    cu_context context; /* of a copy between devices; otherwise NULL */
    size_t pitch, height;
};

enum { CU_MEMORY_HOST = 1, CU_MEMORY_DEVICE = 2, CU_MEMORY_UNIFIED = 4 };

struct cu_copy {
    struct cu_rows source, target;
    size_t row_bytes, rows, planes;
};

/* What hinders the update of an executable graph, since CUDA 12. */
struct cu_update {
    int result;
    cu_node node, from;
};

/* A kernel of a graph, since CUDA 10. */
struct cu_kernel_node {
    cu_function function;
    unsigned grid[3], block[3], dynamic_bytes;
    void **parameters, **extra;
};

struct cu_memset_node {
    uintptr_t target;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, rows; /* width: in elements */
};

/* Conditional nodes of graphs, since CUDA 12.4. */
enum { CU_NODE_CONDITIONAL = 13, CU_CONDITION_IF = 0, CU_CONDITION_WHILE = 1 };

struct cu_conditional_node {
    int type, reserved[3];
    uint64_t handle;
    int condition;
    unsigned body_count;
    cu_graph *bodies; /* set by the driver, which owns them */
    cu_context context;
    uint64_t unused[25], more; /* zero */
};
_Static_assert(sizeof(struct cu_conditional_node) == 16 + 29 * 8 + 8, "the driver's size of all nodes");

/* What green contexts have, since CUDA 12.4: multiprocessors. */
enum { CU_RESOURCE_MULTIPROCESSORS = 1, CU_GREEN_DEFAULT_STREAM = 1 };

struct cu_resource {
    int type;
    unsigned char reserved[92];
    unsigned count, least, multiple; /* of multiprocessors; a part has at least `least`, and a multiple of `multiple` */
    unsigned char more[36];
};
_Static_assert(sizeof(struct cu_resource) == 144, "the driver's size");

/* Textures: a part of memory that they read, and how. */
enum { CU_RESOURCE_PITCH_2D = 3, CU_TEXTURE_INTEGERS = 1, CU_TEXTURE_NORMALIZED = 2 };

struct cu_texture_memory {
    int type;
    uintptr_t pixels;
    int format;
    unsigned channels;
    size_t width, height, pitch;
    unsigned char reserved[88];
    unsigned flags;
};
_Static_assert(sizeof(struct cu_texture_memory) == 144, "the driver's size");

struct cu_texture_reading {
    int addressing[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most, border[4];
    int reserved[12];
};
_Static_assert(sizeof(struct cu_texture_reading) == 104, "the driver's size");

enum cu_device_attribute {
    CU_MAX_THREADS_PER_BLOCK = 1,
    CU_SHARED_PER_BLOCK = 8,
    CU_WARP_SIZE = 10,
    CU_REGISTERS_PER_BLOCK = 12,
    CU_CLOCK_KHZ = 13,
    CU_TEXTURE_ALIGNMENT = 14,
    CU_MULTIPROCESSORS = 16,
    CU_INTEGRATED = 18, /* the host's memory is the device's own */
    CU_ECC = 32,
    CU_MEMORY_CLOCK_KHZ = 36,
    CU_MEMORY_BUS_BITS = 37,
    CU_L2_BYTES = 38,
    CU_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_TEXTURE_PITCH_ALIGNMENT = 51,
    CU_TEXTURE_ROW_PIXELS = 70, /* the most of a texture over memory, */
    CU_TEXTURE_ROWS = 71,
    CU_TEXTURE_PITCH = 72,
    CU_CAPABILITY_MAJOR = 75,
    CU_CAPABILITY_MINOR = 76,
    CU_SHARED_PER_MULTIPROCESSOR = 81,
    CU_MANAGED_MEMORY = 83,
    CU_HOST_NATIVE_ATOMICS = 86,
    CU_PAGEABLE_MEMORY = 88, /* kernels reach all host memory */
    CU_CONCURRENT_MANAGED_ACCESS = 89,
    CU_SHARED_PER_BLOCK_OPTIN = 97,
    CU_VIRTUAL_MEMORY = 102,
    CU_MEMORY_POOLS = 115
};

enum { CU_HOST = -1 }; /* for `prefetch` and `advise`: the host in the place of a device */

enum cu_advice {
    CU_SET_READ_MOSTLY = 1,
    CU_UNSET_READ_MOSTLY = 2,
    CU_SET_PREFERRED = 3,
    CU_UNSET_PREFERRED = 4,
    CU_SET_ACCESSED_BY = 5,
    CU_UNSET_ACCESSED_BY = 6
};

enum cu_function_attribute {
    CU_FUNCTION_MAX_THREADS = 0,
    CU_FUNCTION_SHARED_BYTES = 1,
    CU_FUNCTION_LOCAL_BYTES = 3,
    CU_FUNCTION_REGISTERS = 4,
    CU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8
};

/* All functions: X(member, name in the library, parameters). A driver that has all but function_parameter and
   device_uuid is used. */
#define TW_CUDA_FUNCTIONS(X)                                                                                           \
    X(init, "cuInit", (unsigned flags))                                                                                \
    X(driver_version, "cuDriverGetVersion", (int *version))                                                            \
    X(error_name, "cuGetErrorName", (cu_result error, const char **text))                                              \
    X(error_text, "cuGetErrorString", (cu_result error, const char **text))                                            \
    X(device_count, "cuDeviceGetCount", (int *count))                                                                  \
    X(device_get, "cuDeviceGet", (cu_device * device, int ordinal))                                                    \
    X(device_name, "cuDeviceGetName", (char *name, int bytes, cu_device device))                                       \
    X(device_pci_address, "cuDeviceGetPCIBusId", (char *text, int bytes, cu_device device))                            \
    X(device_uuid, "cuDeviceGetUuid_v2", (unsigned char uuid[16], cu_device device))                                   \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, cu_device device))                         \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t *bytes, cu_device device))                                         \
    X(context_retain, "cuDevicePrimaryCtxRetain", (cu_context * context, cu_device device))                            \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (cu_device device))                                             \
    X(context_set_flags, "cuDevicePrimaryCtxSetFlags_v2", (cu_device device, unsigned flags))                          \
    X(context_push, "cuCtxPushCurrent_v2", (cu_context context))                                                       \
    X(context_pop, "cuCtxPopCurrent_v2", (cu_context * context))                                                       \
    X(context_current, "cuCtxGetCurrent", (cu_context * context))                                                      \
    X(context_limit, "cuCtxGetLimit", (size_t *value, int limit))                                                      \
    X(context_synchronize, "cuCtxSynchronize", (void))                                                                 \
    X(pointer_attribute, "cuPointerGetAttribute", (void *value, int attribute, uintptr_t pointer))                     \
    X(pointer_attributes, "cuPointerGetAttributes", (unsigned count, int *which, void **values, uintptr_t pointer))    \
    X(module_load, "cuModuleLoadData", (cu_module * module, const void *image))                                        \
    X(module_unload, "cuModuleUnload", (cu_module module))                                                             \
    X(module_function, "cuModuleGetFunction", (cu_function * function, cu_module module, const char *name))            \
    X(function_get, "cuFuncGetAttribute", (int *value, int attribute, cu_function function))                           \
    X(function_set, "cuFuncSetAttribute", (cu_function function, int attribute, int value))                            \
    X(function_parameter, "cuFuncGetParamInfo", /* since CUDA 12.4 */                                                  \
      (cu_function function, size_t index, size_t *offset, size_t *bytes))                                             \
    X(resident_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                                  \
      (int *blocks, cu_function function, int threads, size_t dynamic_bytes))                                          \
    X(stream_create, "cuStreamCreate", (cu_stream * stream, unsigned flags))                                           \
    X(stream_create_with_priority, "cuStreamCreateWithPriority", (cu_stream * stream, unsigned flags, int priority))   \
    X(stream_priorities, "cuCtxGetStreamPriorityRange", (int *least, int *greatest))                                   \
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
    X(managed_allocate, "cuMemAllocManaged", (uintptr_t *memory, size_t bytes, unsigned flags))                        \
    X(memory_free, "cuMemFree_v2", (uintptr_t memory))                                                                 \
    X(prefetch, "cuMemPrefetchAsync", (uintptr_t memory, size_t bytes, cu_device to, cu_stream stream))                \
    X(advise, "cuMemAdvise", (uintptr_t memory, size_t bytes, int advice, cu_device device))                           \
    X(copy_to_device, "cuMemcpyHtoDAsync_v2", (uintptr_t target, const void *source, size_t bytes, cu_stream stream))  \
    X(copy_to_host, "cuMemcpyDtoHAsync_v2", (void *target, uintptr_t source, size_t bytes, cu_stream stream))          \
    X(copy_on_device, "cuMemcpyDtoDAsync_v2", (uintptr_t target, uintptr_t source, size_t bytes, cu_stream stream))    \
    X(copy_to_peer, "cuMemcpyPeerAsync",                                                                               \
      (uintptr_t target, cu_context to, uintptr_t source, cu_context from, size_t bytes, cu_stream stream))            \
    X(copy_rows, "cuMemcpy3DAsync_v2", (const struct cu_copy *copy, cu_stream stream))                                 \
    X(copy_rows_to_peer, "cuMemcpy3DPeerAsync", (const struct cu_copy *copy, cu_stream stream))                        \
    X(set_8, "cuMemsetD8Async", (uintptr_t target, unsigned char value, size_t count, cu_stream stream))               \
    X(set_16, "cuMemsetD16Async", (uintptr_t target, unsigned short value, size_t count, cu_stream stream))            \
    X(set_32, "cuMemsetD32Async", (uintptr_t target, unsigned value, size_t count, cu_stream stream))                  \
    X(set_rows_8, "cuMemsetD2D8Async",                                                                                 \
      (uintptr_t target, size_t pitch, unsigned char value, size_t width, size_t rows, cu_stream stream))              \
    X(set_rows_16, "cuMemsetD2D16Async",                                                                               \
      (uintptr_t target, size_t pitch, unsigned short value, size_t width, size_t rows, cu_stream stream))             \
    X(set_rows_32, "cuMemsetD2D32Async",                                                                               \
      (uintptr_t target, size_t pitch, unsigned value, size_t width, size_t rows, cu_stream stream))                   \
    X(can_access_peer, "cuDeviceCanAccessPeer", (int *can, cu_device device, cu_device peer))                          \
    X(pool_create, "cuMemPoolCreate", (cu_pool * pool, const struct cu_pool_properties *properties))                   \
    X(pool_destroy, "cuMemPoolDestroy", (cu_pool pool))                                                                \
    X(pool_set, "cuMemPoolSetAttribute", (cu_pool pool, int attribute, void *value))                                   \
    X(pool_set_access, "cuMemPoolSetAccess", (cu_pool pool, const struct cu_access *access, size_t count))             \
    X(pool_trim, "cuMemPoolTrimTo", (cu_pool pool, size_t bytes))                                                      \
    X(pool_allocate, "cuMemAllocFromPoolAsync", (uintptr_t *memory, size_t bytes, cu_pool pool, cu_stream stream))     \
    X(pool_free, "cuMemFreeAsync", (uintptr_t memory, cu_stream stream))                                               \
    X(memory_info, "cuMemGetInfo_v2", (size_t *free, size_t *total))                                                   \
    X(memory_granularity, "cuMemGetAllocationGranularity",                                                             \
      (size_t *bytes, const struct cu_memory_properties *properties, int option))                                      \
    X(address_reserve, "cuMemAddressReserve",                                                                          \
      (uintptr_t *address, size_t bytes, size_t alignment, uintptr_t wanted, unsigned long long flags))                \
    X(address_free, "cuMemAddressFree", (uintptr_t address, size_t bytes))                                             \
    X(memory_create, "cuMemCreate",                                                                                    \
      (unsigned long long *handle, size_t bytes, const struct cu_memory_properties *properties,                        \
       unsigned long long flags))                                                                                      \
    X(memory_release, "cuMemRelease", (unsigned long long handle))                                                     \
    X(memory_map, "cuMemMap",                                                                                          \
      (uintptr_t address, size_t bytes, size_t offset, unsigned long long handle, unsigned long long flags))           \
    X(memory_unmap, "cuMemUnmap", (uintptr_t address, size_t bytes))                                                   \
    X(memory_access, "cuMemSetAccess",                                                                                 \
      (uintptr_t address, size_t bytes, const struct cu_access *access, size_t count))                                 \
    X(texture_create, "cuTexObjectCreate",                                                                             \
      (uint64_t *texture, const struct cu_texture_memory *memory, const struct cu_texture_reading *reading,            \
       const void *view))                                                                                              \
    X(texture_destroy, "cuTexObjectDestroy", (uint64_t texture))                                                       \
    X(device_resource, "cuDeviceGetDevResource", (cu_device device, struct cu_resource * resource, int type))          \
    X(resource_split, "cuDevSmResourceSplitByCount",                                                                   \
      (struct cu_resource * groups, unsigned *count, const struct cu_resource *all, struct cu_resource *rest,          \
       unsigned flags, unsigned least))                                                                                \
    X(resource_describe, "cuDevResourceGenerateDesc",                                                                  \
      (cu_description * description, struct cu_resource * resources, unsigned count))                                  \
    X(green_create, "cuGreenCtxCreate",                                                                                \
      (cu_green * context, cu_description description, cu_device device, unsigned flags))                              \
    X(green_destroy, "cuGreenCtxDestroy", (cu_green context))                                                          \
    X(green_stream_create, "cuGreenCtxStreamCreate",                                                                   \
      (cu_stream * stream, cu_green context, unsigned flags, int priority))                                            \
    X(graph_create, "cuGraphCreate", (cu_graph * graph, unsigned flags))                                               \
    X(graph_destroy, "cuGraphDestroy", (cu_graph graph))                                                               \
    X(graph_add_kernel, "cuGraphAddKernelNode",                                                                        \
      (cu_node * node, cu_graph graph, const cu_node *before, size_t count, const struct cu_kernel_node *kernel))      \
    X(graph_set_kernel, "cuGraphExecKernelNodeSetParams",                                                              \
      (cu_executable executable, cu_node node, const struct cu_kernel_node *kernel))                                   \
    X(graph_set_attribute, "cuGraphKernelNodeSetAttribute", (cu_node node, int which, const void *value))              \
    X(graph_add_copy, "cuGraphAddMemcpyNode",                                                                          \
      (cu_node * node, cu_graph graph, const cu_node *before, size_t count, const struct cu_copy *copy,                \
       cu_context context))                                                                                            \
    X(graph_add_memset, "cuGraphAddMemsetNode",                                                                        \
      (cu_node * node, cu_graph graph, const cu_node *before, size_t count, const struct cu_memset_node *memset,       \
       cu_context context))                                                                                            \
    X(graph_add_empty, "cuGraphAddEmptyNode", (cu_node * node, cu_graph graph, const cu_node *before, size_t count))   \
    X(graph_add_edges, "cuGraphAddDependencies_v2",                                                                    \
      (cu_graph graph, const cu_node *from, const cu_node *to, const struct cu_edge *edges, size_t count))             \
    X(graph_condition_create, "cuGraphConditionalHandleCreate",                                                        \
      (uint64_t *handle, cu_graph graph, cu_context context, unsigned value, unsigned flags))                          \
    X(graph_add_conditional, "cuGraphAddNode_v2",                                                                      \
      (cu_node * node, cu_graph graph, const cu_node *before, const struct cu_edge *edges, size_t count,               \
       struct cu_conditional_node *conditional))                                                                       \
    X(graph_instantiate, "cuGraphInstantiateWithFlags",                                                                \
      (cu_executable * executable, cu_graph graph, unsigned long long flags))                                          \
    X(graph_update, "cuGraphExecUpdate_v2", (cu_executable executable, cu_graph graph, struct cu_update * update))     \
    X(graph_executable_destroy, "cuGraphExecDestroy", (cu_executable executable))                                      \
    X(graph_launch, "cuGraphLaunch", (cu_executable executable, cu_stream stream))                                     \
    X(launch, "cuLaunchKernel",                                                                                        \
      (cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,    \
       unsigned block_z, unsigned dynamic_bytes, cu_stream stream, void **parameters, void **extra))                   \
    X(launch_with, "cuLaunchKernelEx",                                                                                 \
      (const struct cu_launch *launch, cu_function function, void **parameters, void **extra))

/* The launcher of kernels in the simt lowering: the driver where it can, or what TW_CUDA_LAUNCH demands. */
enum tw_cuda_choice { TW_CUDA_ANY_LAUNCH, TW_CUDA_DRIVER_LAUNCH, TW_CUDA_OPENMP_LAUNCH };

/* The driver while it is open, else zero. */
struct tw_cuda_driver {
    enum tw_cuda_choice choice;
/* NOLINTNEXTLINE(bugprone-macro-parentheses): the parameters have theirs */
#define TW_CUDA_MEMBER(member, name, parameters) cu_result(*member) parameters;
    TW_CUDA_FUNCTIONS(TW_CUDA_MEMBER)
#undef TW_CUDA_MEMBER
};

/* An event whose time is known by the host's clock too (cuda_times.c). */
struct tw_cuda_base {
    cu_event event; /* NULL: not made yet */
    uint64_t host_ns;
    atomic_uint users; /* the number of launches that refer to it; while there are any, it is not recorded anew */
};

/* A kernel that fills or copies memory, or sets the condition of a graph's part (cuda_fill.c, cuda_copy_kernel.c,
   cuda_condition.c). */
struct tw_cuda_loaded_kernel {
    cu_module module; /* NULL: not loaded yet */
    cu_function function;
};

/* What a texture over a device's memory may be; zero where there are none. */
struct tw_cuda_texture_limits {
    size_t alignment, pitch_alignment, width, height, pitch;
};

struct tw_cuda_texture;

#define TW_CUDA_TEXTURE_BUCKETS 64u
#define TW_CUDA_FILL_KERNELS 3u
#define TW_CUDA_COPY_KERNELS 2u

/* A device whose primary context is retained. */
struct tw_cuda_device {
    struct tw_omp_device omp; /* first; filled in if is_offered */
    bool is_offered;          /* it is one of OpenMP's devices */
    int ordinal;
    cu_device device;
    cu_context context;
    unsigned capability; /* as the number in sm_90 */
    size_t compute_units;
    size_t default_shared_bytes; /* of a block, for any function */
    size_t max_shared_bytes;     /* of a block, for a function that was allowed more */
    size_t page_bytes;           /* of memory that is mapped; 0: the device cannot */
    bool pages_shared_memory;    /* memory that it shares with the host moves on demand, and takes hints */
    struct tw_cuda_texture_limits texture_limits;
    uint64_t peers;          /* bit k: it can use the memory of device k; for the first 64 devices */
    pthread_mutex_t streams; /* protects the members up to pool_stream */
    cu_stream *idle_streams; /* streams on which nothing runs */
    size_t idle_count, idle_capacity;
    struct tw_gpu_stage *idle_stages;
    struct tw_cuda_loaded_kernel fills[TW_CUDA_FILL_KERNELS], copies[TW_CUDA_COPY_KERNELS], set_condition;
    bool pool_is_tried;
    cu_pool pool; /* NULL: there is none */
    cu_stream pool_stream;
    pthread_mutex_t texturing; /* protects textures */
    struct tw_cuda_texture *textures[TW_CUDA_TEXTURE_BUCKETS];
    atomic_size_t texture_count;
    pthread_mutex_t clock; /* protects bases and base */
    struct tw_cuda_base bases[2];
    struct tw_cuda_base *base;    /* the newer one; NULL: none yet */
    _Atomic uint64_t shared_with; /* bit k: device k may use the pool */
    atomic_uint running;          /* the number of launches that are not known to be over */
    atomic_uint launching;        /* the number of threads that are in tw_cuda_launch_cache_enqueue() */
};

/* A sub-device: some multiprocessors of a device, which has all else. */
struct tw_cuda_part {
    struct tw_omp_device omp; /* first; its `whole` is the device's */
    cu_green green;
    size_t first, units;
    pthread_mutex_t mutex;   /* protects the members below */
    cu_stream *idle_streams; /* streams on which nothing runs */
    size_t idle_count, idle_capacity;
};

extern struct tw_cuda_driver tw_cuda;

static inline enum tw_cuda_choice tw_cuda_choice(void)
{
    return tw_cuda.choice;
}

/* Returns the device; of a sub-device, the whole one. */
static inline struct tw_cuda_device *tw_cuda_of(struct tw_backend_device *device)
{
    return (struct tw_cuda_device *)(device->whole ? device->whole : device);
}

/* Returns the sub-device; NULL if it is none. */
static inline struct tw_cuda_part *tw_cuda_part_of(struct tw_backend_device *device)
{
    return device->whole ? (struct tw_cuda_part *)device : NULL;
}

/* Loads the driver, and retains the primary context of every CUDA device with spinning synchronization. libomptarget
   then adopts it: a synchronous launch takes 9 us instead of 27 to 46. Called before OpenMP uses a device. Returns true
   if there are CUDA devices. One call is balanced by one of tw_cuda_close(); before that one, everything that others
   have made on the devices is freed. */
bool tw_cuda_open(void);
void tw_cuda_close(void);

/* Stores at most `room` of the machine's GPUs and returns their number. Works while the driver is not open, too, but
   then no other thread may open it. */
size_t tw_cuda_list(struct tw_gpu *gpus, size_t room);

/* Returns the ordinal of the CUDA device that owns a piece of device memory; -1 if none does. */
int tw_cuda_owner(const void *memory);

/* Called between tw_cuda_open() and tw_cuda_close(). Returns NULL for a device that could not be retained. */
struct tw_cuda_device *tw_cuda_device(int ordinal);

/* Returns the description of memory of a device for cuMemCreate(). */
struct cu_memory_properties tw_cuda_memory_properties(const struct tw_cuda_device *device);

/* Returns true if a device can use another one's memory directly. */
bool tw_cuda_uses_peer(const struct tw_cuda_device *device, const struct tw_cuda_device *peer);

/* Returns the error with a text as "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)". */
struct tw_gpu_error tw_cuda_error(cu_result error);

/* Make a device's context the thread's, unless it already is, and restore the one before. With a single device, a thread
   that has no context keeps it, as it does after libomptarget or the CUDA runtime have used it: to change contexts for
   each launch takes 0.1 to 0.2 us, one thread after the other. */
enum tw_cuda_entry { TW_CUDA_OUTSIDE, TW_CUDA_WAS_INSIDE, TW_CUDA_ENTERED };
enum tw_cuda_entry tw_cuda_enter(const struct tw_cuda_device *device); /* returns TW_CUDA_OUTSIDE, 0, on failure */
void tw_cuda_leave(enum tw_cuda_entry entry);

void tw_cuda_describe(const struct tw_cuda_device *described, struct tw_device_facts *facts);
void tw_cuda_observe(struct tw_backend_device *device, struct tw_device_state *state);

/* As the functions of omp.h. */
static inline bool tw_cuda_lost(const struct tw_cuda_device *device)
{
    return tw_omp_is_lost(&device->omp);
}
static inline tw_status tw_cuda_fail_lost(tw_status status, const struct tw_cuda_device *device)
{
    return tw_omp_fail_lost(status, &device->omp);
}
void tw_cuda_lose(struct tw_cuda_device *device, const char *kernel, cu_result error, bool alone);

/* Lend a stream on which nothing runs, and take it back. Called in the device's context. */
cu_result tw_cuda_take_stream(struct tw_cuda_device *device, cu_stream *stream);
void tw_cuda_give_stream(struct tw_cuda_device *device, cu_stream stream);

#endif
