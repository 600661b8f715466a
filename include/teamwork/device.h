/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Platforms, devices, selectors and contexts (spec 2.2, 2.5.9, 3.5.1 - 3.5.4).
 *
 * The host platform, with the one host device, is always there. Each kind of offload device that OpenMP finds is a
 * platform of its own, and so are simulated devices (sim.h). Nothing is looked for before the first call that needs a
 * device; what was found is kept until tw_shutdown().
 *
 * The environment variable TW_DEVICES filters and orders what is visible: a comma-separated list of KIND or KIND:N,
 * KIND one of host, gpu, cpu, accelerator, sim, omp (any offload device) or *, N counting from 0 among the devices of
 * that kind; !KIND and !KIND:N remove. Devices come in the order of the list, and the default selector prefers the
 * first. The host stays available to tw_host_selector. Example: TW_DEVICES=gpu:1,host
 *
 * Platforms and devices are owned by the library: the pointers are valid until tw_shutdown(). Contexts are owned by who
 * creates them. All functions are thread safe.
 */
#ifndef TEAMWORK_DEVICE_H
#define TEAMWORK_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/memory.h>
#include <teamwork/status.h>

TW_BEGIN_DECLS

typedef struct tw_platform tw_platform;
typedef struct tw_device tw_device;
typedef struct tw_context tw_context;

/** What a device is. A bit set where several are asked for. */
typedef enum tw_device_type {
    TW_DEVICE_HOST = 1,        /**< the initial device: kernels run in this process on its own memory */
    TW_DEVICE_CPU = 2,         /**< an offload device that is a CPU */
    TW_DEVICE_GPU = 4,         /**< an offload device that is a GPU */
    TW_DEVICE_ACCELERATOR = 8, /**< any other offload device */
    TW_DEVICE_SIM = 16,        /**< a simulated device */
    TW_DEVICE_ALL = 31
} tw_device_type;

/** How a device provides team-local memory. */
typedef enum tw_local_mem_type {
    TW_LOCAL_MEM_NONE = 0,
    TW_LOCAL_MEM_LOCAL = 1, /**< dedicated memory of a compute unit */
    TW_LOCAL_MEM_GLOBAL = 2 /**< ordinary memory, cached */
} tw_local_mem_type;

/**
 * What tw_device_info() can be asked: X(name, C type of the answer). Sizes are in bytes, clocks in MHz. Strings are
 * const char *, valid until tw_shutdown(). A count or size that is not known is 0, a string empty.
 */
#define TW_DEVICE_INFO_LIST(X)                                                                                         \
    X(TW_DEVICE_INFO_TYPE, tw_device_type)                                                                             \
    X(TW_DEVICE_INFO_NAME, const char *)                                                                               \
    X(TW_DEVICE_INFO_VENDOR, const char *)                                                                             \
    X(TW_DEVICE_INFO_DRIVER_VERSION, const char *)                                                                     \
    X(TW_DEVICE_INFO_BACKEND, const char *) /* "host", "omp" or "sim" */                                               \
    X(TW_DEVICE_INFO_IS_HOST, bool)                                                                                    \
    X(TW_DEVICE_INFO_MAX_COMPUTE_UNITS, size_t) /* cores, multiprocessors */                                           \
    X(TW_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS, size_t)                                                                 \
    X(TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, size_t) /* work-items */                                                     \
    X(TW_DEVICE_INFO_SUB_GROUP_SIZE, size_t)      /* work-items that run in lockstep: a warp; 1 on CPUs */             \
    X(TW_DEVICE_INFO_MAX_NUM_SUB_GROUPS, size_t)  /* of one work-group */                                              \
    X(TW_DEVICE_INFO_ATOMIC_MEMORY_ORDER_CAPABILITIES, unsigned) /* a set of TW_ORDER_BIT(); fences too */             \
    X(TW_DEVICE_INFO_ATOMIC_MEMORY_SCOPE_CAPABILITIES, unsigned) /* a set of TW_SCOPE_BIT(); fences too */             \
    X(TW_DEVICE_INFO_USM_ATOMIC_HOST_ALLOCATIONS, bool)          /* see docs/memory_model.md */                        \
    X(TW_DEVICE_INFO_LOCAL_MEM_TYPE, tw_local_mem_type)                                                                \
    X(TW_DEVICE_INFO_LOCAL_MEM_SIZE, size_t) /* that one work-group can have */                                        \
    X(TW_DEVICE_INFO_GLOBAL_MEM_SIZE, size_t)                                                                          \
    X(TW_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE, size_t) /* the last level */                                               \
    X(TW_DEVICE_INFO_GLOBAL_MEM_CACHELINE_SIZE, size_t)                                                                \
    X(TW_DEVICE_INFO_MAX_CLOCK_FREQUENCY, size_t)                                                                      \
    X(TW_DEVICE_INFO_MAX_PARAMETER_SIZE, size_t) /* of an argument block that costs no transfer */                     \
    X(TW_DEVICE_INFO_NUMA_NODES, size_t)

#define TW_INTERNAL_ENUMERATOR(name, type) name,
typedef enum tw_device_info_id { TW_DEVICE_INFO_LIST(TW_INTERNAL_ENUMERATOR) TW_DEVICE_INFO_COUNT } tw_device_info_id;
#undef TW_INTERNAL_ENUMERATOR

/**
 * Answers one question about a device (spec 3.5.3).
 *
 *     size_t most;
 *     tw_device_info(device, TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, &most, sizeof most);
 *
 * @param value  receives the answer, of the type that TW_DEVICE_INFO_LIST gives
 * @param bytes  sizeof *value; checked against that type
 * @return TW_ERROR_INVALID_ARGUMENT  device or value is NULL, the question is unknown, or `bytes` is another size
 */
TW_API tw_status tw_device_info(const tw_device *device, tw_device_info_id question, void *value, size_t bytes);

/** Shorthands for the questions asked most; NULL devices answer false, 0 and "". */
TW_API bool tw_device_is_host(const tw_device *device);
TW_API bool tw_device_is_cpu(const tw_device *device);
TW_API bool tw_device_is_gpu(const tw_device *device);
TW_API const char *tw_device_name(const tw_device *device);
TW_API tw_platform *tw_device_platform(const tw_device *device);

/**
 * Lists the visible devices whose type is in `types` (a set of tw_device_type), in order of preference.
 *
 * @param devices   receives up to `capacity` pointers; may be NULL if capacity is 0
 * @param count     receives how many there are, which may be more than `capacity`; also 0, with TW_SUCCESS, if none
 *                  has such a type or TW_DEVICES hides them
 * @return TW_ERROR_INVALID_ARGUMENT       count is NULL, or devices is NULL with a capacity
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_get_devices(unsigned types, tw_device **devices, size_t capacity, size_t *count);

/** Lists the visible platforms, the host's included; otherwise as tw_get_devices(). */
TW_API tw_status tw_get_platforms(tw_platform **platforms, size_t capacity, size_t *count);

/** "Host", "Simulation", or the kind of offload device. "" for NULL. */
TW_API const char *tw_platform_name(const tw_platform *platform);

/** Whether this is the host platform (spec 3.5.2). */
TW_API bool tw_platform_is_host(const tw_platform *platform);

/** Lists the visible devices of one platform; otherwise as tw_get_devices(). */
TW_API tw_status tw_platform_get_devices(const tw_platform *platform, tw_device **devices, size_t capacity,
                                         size_t *count);

/** Lists those whose type is in `types`, a set of tw_device_type; otherwise as tw_platform_get_devices(). */
TW_API tw_status tw_platform_get_devices_of_type(const tw_platform *platform, unsigned types, tw_device **devices,
                                                 size_t capacity, size_t *count);

/** What tw_platform_info() can be asked: X(name, C type of the answer); otherwise as TW_DEVICE_INFO_LIST. */
#define TW_PLATFORM_INFO_LIST(X)                                                                                       \
    X(TW_PLATFORM_INFO_NAME, const char *)    /* as tw_platform_name() */                                              \
    X(TW_PLATFORM_INFO_VENDOR, const char *)  /* of its first device */                                                \
    X(TW_PLATFORM_INFO_VERSION, const char *) /* of what runs the devices: their driver, or the system's kernel */     \
    X(TW_PLATFORM_INFO_PROFILE, const char *) /* "FULL_PROFILE" */                                                     \
    X(TW_PLATFORM_INFO_DEVICE_TYPE, tw_device_type) /* of all its devices */                                           \
    X(TW_PLATFORM_INFO_NUM_DEVICES, size_t)         /* visible ones */

#define TW_INTERNAL_ENUMERATOR(name, type) name,
typedef enum tw_platform_info_id {
    TW_PLATFORM_INFO_LIST(TW_INTERNAL_ENUMERATOR) TW_PLATFORM_INFO_COUNT
} tw_platform_info_id;
#undef TW_INTERNAL_ENUMERATOR

/**
 * Answers one question about a platform (spec 3.5.2), as tw_device_info() does about a device. A platform without
 * visible devices, which tw_device_platform() may return, answers "" where its devices are asked.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  platform or value is NULL, the question is unknown, or `bytes` is another size
 */
TW_API tw_status tw_platform_info(const tw_platform *platform, tw_platform_info_id question, void *value, size_t bytes);

/* ---- selectors (spec 3.5.1) -------------------------------------------------------------------------------------- */

/** Scores a device: the highest score wins, the first of equals; a device with a negative score is never chosen. A C++ selector
 *  may throw. */
typedef int (*tw_device_selector)(const tw_device *device, void *user);

/** Prefers a GPU, then another accelerator, then the host, then an offload device that is a CPU; with TW_DEVICES the
 *  first that it lists, and only then simulated devices. */
TW_API int tw_default_selector(const tw_device *device, void *user);
/** GPUs only. */
TW_API int tw_gpu_selector(const tw_device *device, void *user);
/** CPUs only: an offload device that is a CPU, else the host device, which is one too. */
TW_API int tw_cpu_selector(const tw_device *device, void *user);
/** The host device. */
TW_API int tw_host_selector(const tw_device *device, void *user);
/** Simulated devices only. */
TW_API int tw_sim_selector(const tw_device *device, void *user);

/**
 * Chooses a device. A NULL selector stands for tw_default_selector.
 *
 * @param user  handed to the selector, which is called on this thread with no lock held, once for each device
 * @return TW_ERROR_NO_DEVICE  every score was negative; the detail lists the devices that were looked at
 *         and what tw_get_devices() returns
 */
TW_API tw_status tw_select_device(tw_device_selector selector, void *user, tw_device **device);

/* ---- contexts (spec 3.5.4) --------------------------------------------------------------------------------------- */

/**
 * Creates a context: devices of one platform that share an error handler.
 *
 * @param devices  `count` >= 1 devices of one platform, each once
 * @param handler  receives the asynchronous errors of queues that were created without a handler of their own; may be
 *                 NULL
 * @param context  receives the context; destroy it with tw_context_destroy()
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL, no devices, devices of two platforms, or one device twice
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_context_create(tw_device *const *devices, size_t count, tw_error_handler handler, void *user,
                                   tw_context **context);

/** Creates a context of the one device that a selector chooses; NULL stands for tw_default_selector. Otherwise as
 *  tw_context_create(), and fails as tw_select_device() does. tw_host_selector makes a context of the host. */
TW_API tw_status tw_context_create_by_selector(tw_device_selector selector, void *selector_user,
                                               tw_error_handler handler, void *user, tw_context **context);

/**
 * Creates a context of all visible devices of a platform; otherwise as tw_context_create().
 *
 * @return TW_ERROR_INVALID_ARGUMENT  the platform is NULL or from before tw_shutdown(), or context is NULL
 *         TW_ERROR_NO_DEVICE         TW_DEVICES hides all of its devices
 */
TW_API tw_status tw_context_create_on_platform(const tw_platform *platform, tw_error_handler handler, void *user,
                                               tw_context **context);

/** Adds a reference: another handle to the same context, which needs a tw_context_destroy() of its own. Returns the
 *  context; NULL for NULL. */
TW_API tw_context *tw_context_retain(tw_context *context);

/** Whether the context is of the host platform. */
TW_API bool tw_context_is_host(const tw_context *context);

/** Lists the devices of the context; as tw_get_devices(). */
TW_API tw_status tw_context_get_devices(const tw_context *context, tw_device **devices, size_t capacity, size_t *count);

/** What tw_context_info() can be asked: X(name, C type of the answer). */
#define TW_CONTEXT_INFO_LIST(X)                                                                                        \
    X(TW_CONTEXT_INFO_NUM_DEVICES, size_t)                                                                             \
    X(TW_CONTEXT_INFO_PLATFORM, tw_platform *) /* of all its devices */                                                \
    X(TW_CONTEXT_INFO_REFERENCE_COUNT, size_t) /* handles, and queues that keep it; other threads may change it */

#define TW_INTERNAL_ENUMERATOR(name, type) name,
typedef enum tw_context_info_id {
    TW_CONTEXT_INFO_LIST(TW_INTERNAL_ENUMERATOR) TW_CONTEXT_INFO_COUNT
} tw_context_info_id;
#undef TW_INTERNAL_ENUMERATOR

/**
 * Answers one question about a context (spec 3.5.4), as tw_device_info() does about a device.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  context or value is NULL, the question is unknown, or `bytes` is another size
 */
TW_API tw_status tw_context_info(const tw_context *context, tw_context_info_id question, void *value, size_t bytes);

/**
 * Waits for all commands of the context's queues, delivers their undelivered errors to the handler, and releases the
 * context; it lives on until the last of its queues is destroyed. Sets *context to NULL. NULL is allowed. While there
 * are other handles (tw_context_retain()), it only gives this one back, and waits for nothing.
 *
 * @return the first undelivered error if there is no handler
 *         TW_ERROR_WOULD_DEADLOCK  a command waits for a host accessor of this thread; the context is left as it was
 *         TW_ERROR_INVALID_ARGUMENT  it is the own context of a queue (tw_queue_context()), and has no handle
 */
TW_API tw_status tw_context_destroy(tw_context **context);

/**
 * Frees all that the library keeps between calls: what was found of devices, worker threads. Later calls start anew. It
 * happens by itself when the program ends; calling it lets leak checkers see that nothing is left.
 *
 * For commands that are in flight on a device, as for CUDA events whose tw_event was released, it waits a tenth of a
 * second at most.
 *
 * @return TW_ERROR_BUSY  something is left, which the detail counts by its kind: a queue (also one that is destroyed, while
 *         there are events of it, or groups that are neither submitted nor discarded), a context, a buffer, a host
 *         accessor, a command graph, an allocation of tw_malloc_device(), tw_malloc_shared() or tw_malloc_host(), a command
 *         that is not complete, or a user event that was never completed; or the call comes from a selector
 *         TW_ERROR_UNSUPPORTED  in a child made by fork() (teamwork.h)
 */
TW_API tw_status tw_shutdown(void);

TW_END_DECLS

#endif
