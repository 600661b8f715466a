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
#include <teamwork/range.h>
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

/** How a device caches global memory. */
typedef enum tw_mem_cache_type {
    TW_MEM_CACHE_NONE = 0, /**< or not known */
    TW_MEM_CACHE_READ_ONLY = 1,
    TW_MEM_CACHE_READ_WRITE = 2
} tw_mem_cache_type;

/** What a device's arithmetic in one floating-point type can do, bit by bit; a set of them is 0 if that is not known. What
 *  a program is compiled with (-ffast-math) may take some of it away. */
typedef enum tw_fp_config {
    TW_FP_DENORM = 1,           /**< subnormal numbers */
    TW_FP_INF_NAN = 2,          /**< infinities and quiet NaNs */
    TW_FP_ROUND_TO_NEAREST = 4, /**< to nearest, ties to even; conversions can round in all ways */
    TW_FP_ROUND_TO_ZERO = 8,
    TW_FP_ROUND_TO_INF = 16,
    TW_FP_FMA = 32,                           /**< tw_fma() rounds once */
    TW_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 64, /**< x / y and tw_sqrt() */
    TW_FP_SOFT_FLOAT = 128                    /**< the hardware has no such arithmetic: it is done in a wider type */
} tw_fp_config;

/** Ways to divide a device into sub-devices. A set of bits where several are asked for. */
typedef enum tw_partition {
    TW_PARTITION_NONE = 0, /**< it is no sub-device */
    TW_PARTITION_EQUALLY = 1,
    TW_PARTITION_BY_COUNTS = 2,
    TW_PARTITION_BY_AFFINITY_DOMAIN = 4
} tw_partition;

/** What compute units have in common. A set of bits where several are asked for. */
typedef enum tw_affinity_domain {
    TW_AFFINITY_NONE = 0,
    TW_AFFINITY_NUMA = 1, /**< the memory that is nearest: a NUMA node */
    TW_AFFINITY_L4_CACHE = 2,
    TW_AFFINITY_L3_CACHE = 4,
    TW_AFFINITY_L2_CACHE = 8,
    TW_AFFINITY_L1_CACHE = 16,
    TW_AFFINITY_NEXT_PARTITIONABLE = 32 /**< the first of these that divides the device into more than one part */
} tw_affinity_domain;

/**
 * What tw_device_info() can be asked: X(name, C type of the answer). Sizes are in bytes, clocks in MHz. Strings are
 * const char *, valid until tw_shutdown(). A count or size that is not known is 0, a string empty. docs/devices.md has
 * what each means on each backend. SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: a work-item may wait in a loop for one of
 * another sub-group of its group.
 */
#define TW_DEVICE_INFO_LIST(X)                                                                                         \
    X(TW_DEVICE_INFO_TYPE, tw_device_type)                                                                             \
    X(TW_DEVICE_INFO_NAME, const char *)                                                                               \
    X(TW_DEVICE_INFO_VENDOR, const char *)                                                                             \
    X(TW_DEVICE_INFO_VENDOR_ID, unsigned) /* that of PCI: 0x10de NVIDIA, 0x8086 Intel, 0x1022 AMD */                   \
    X(TW_DEVICE_INFO_DRIVER_VERSION, const char *)                                                                     \
    X(TW_DEVICE_INFO_ARCHITECTURE, const char *) /* "sm_90", "x86_64": what images are compiled for */                 \
    X(TW_DEVICE_INFO_COMPUTE_CAPABILITY, size_t) /* of NVIDIA GPUs, ten times the major number plus the minor one */   \
    X(TW_DEVICE_INFO_UUID, const char *)        /* of GPUs, as "8a6b1a4e-...": 32 hexadecimal digits in five groups */ \
    X(TW_DEVICE_INFO_PCI_ADDRESS, const char *) /* of GPUs, domain, bus, device, function: "0000:3b:00.0" */           \
    X(TW_DEVICE_INFO_BACKEND, const char *)     /* "host", "omp" or "sim" */                                           \
    X(TW_DEVICE_INFO_EXTENSIONS, const char *)  /* names with a blank between two: tw_device_has_extension() */        \
    X(TW_DEVICE_INFO_IS_HOST, bool)                                                                                    \
    X(TW_DEVICE_INFO_AVAILABLE, bool)           /* false after a fault, when nothing runs on it any more */            \
    X(TW_DEVICE_INFO_MAX_COMPUTE_UNITS, size_t) /* cores, multiprocessors */                                           \
    X(TW_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS, size_t)                                                                 \
    X(TW_DEVICE_INFO_MAX_WORK_ITEM_SIZES, tw_range)           /* of a work-group, each by itself */                    \
    X(TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, size_t)             /* work-items */                                         \
    X(TW_DEVICE_INFO_MAX_WORK_ITEMS_PER_COMPUTE_UNIT, size_t) /* of all groups that run there at the same time */      \
    X(TW_DEVICE_INFO_SUB_GROUP_SIZE, size_t)                  /* work-items that run in lockstep: a warp; 1 on CPUs */ \
    X(TW_DEVICE_INFO_MAX_NUM_SUB_GROUPS, size_t)              /* of one work-group */                                  \
    X(TW_DEVICE_INFO_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, bool) /* see above */                                     \
    X(TW_DEVICE_INFO_ATOMIC_MEMORY_ORDER_CAPABILITIES, unsigned)   /* a set of TW_ORDER_BIT(); fences too */           \
    X(TW_DEVICE_INFO_ATOMIC_MEMORY_SCOPE_CAPABILITIES, unsigned)   /* a set of TW_SCOPE_BIT(); fences too */           \
    X(TW_DEVICE_INFO_USM_ATOMIC_HOST_ALLOCATIONS, bool)            /* see docs/memory_model.md */                      \
    X(TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_CHAR, size_t)          /* elements of a vector that is worth using */      \
    X(TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_SHORT, size_t)                                                             \
    X(TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_INT, size_t)                                                               \
    X(TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_LONG, size_t)                                                              \
    X(TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_FLOAT, size_t)                                                             \
    X(TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_DOUBLE, size_t)                                                            \
    X(TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_HALF, size_t)                                                              \
    X(TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_CHAR, size_t) /* elements of a register; 0 also if there is no arithmetic */  \
    X(TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_SHORT, size_t)                                                                \
    X(TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_INT, size_t)                                                                  \
    X(TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG, size_t)                                                                 \
    X(TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT, size_t)                                                                \
    X(TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE, size_t)                                                               \
    X(TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF, size_t)                                                                 \
    X(TW_DEVICE_INFO_HALF_FP_CONFIG, unsigned) /* a set of tw_fp_config */                                             \
    X(TW_DEVICE_INFO_SINGLE_FP_CONFIG, unsigned)                                                                       \
    X(TW_DEVICE_INFO_DOUBLE_FP_CONFIG, unsigned)                                                                       \
    X(TW_DEVICE_INFO_ADDRESS_BITS, size_t)                                                                             \
    X(TW_DEVICE_INFO_ENDIAN_LITTLE, bool)                                                                              \
    X(TW_DEVICE_INFO_LOCAL_MEM_TYPE, tw_local_mem_type)                                                                \
    X(TW_DEVICE_INFO_LOCAL_MEM_SIZE, size_t)                  /* that one work-group can have */                       \
    X(TW_DEVICE_INFO_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT, size_t) /* for all groups that run there at the same time */     \
    X(TW_DEVICE_INFO_REGISTERS_PER_WORK_GROUP, size_t)        /* of 32 bits, for all its work-items */                 \
    X(TW_DEVICE_INFO_GLOBAL_MEM_SIZE, size_t)                                                                          \
    X(TW_DEVICE_INFO_FREE_MEMORY, size_t)        /* at this moment; what the library keeps for reuse is not free */    \
    X(TW_DEVICE_INFO_MAX_MEM_ALLOC_SIZE, size_t) /* of one buffer or allocation that is wholly on the device */        \
    X(TW_DEVICE_INFO_MAX_CONSTANT_BUFFER_SIZE, size_t) /* likewise, with TW_CONSTANT */                                \
    X(TW_DEVICE_INFO_MEM_BASE_ADDR_ALIGN, size_t)      /* bytes, of every buffer in the device's own memory */         \
    X(TW_DEVICE_INFO_HOST_UNIFIED_MEMORY, bool)        /* the host and the device have the same physical memory */     \
    X(TW_DEVICE_INFO_ERROR_CORRECTION_SUPPORT, bool)   /* of the global memory; false also where that is not known */  \
    X(TW_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE, tw_mem_cache_type)                                                         \
    X(TW_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE, size_t) /* the last level */                                               \
    X(TW_DEVICE_INFO_L1_CACHE_SIZE, size_t)         /* of data, of one core */                                         \
    X(TW_DEVICE_INFO_L2_CACHE_SIZE, size_t)         /* of one core, or of all */                                       \
    X(TW_DEVICE_INFO_GLOBAL_MEM_CACHELINE_SIZE, size_t)                                                                \
    X(TW_DEVICE_INFO_MEMORY_CLOCK_RATE, size_t)                                                                        \
    X(TW_DEVICE_INFO_MEMORY_BUS_WIDTH, size_t) /* bits */                                                              \
    X(TW_DEVICE_INFO_IMAGE_SUPPORT, bool)                                                                              \
    X(TW_DEVICE_INFO_IMAGE2D_MAX_WIDTH, size_t) /* in pixels, as the next ones */                                      \
    X(TW_DEVICE_INFO_IMAGE2D_MAX_HEIGHT, size_t)                                                                       \
    X(TW_DEVICE_INFO_IMAGE3D_MAX_WIDTH, size_t)                                                                        \
    X(TW_DEVICE_INFO_IMAGE3D_MAX_HEIGHT, size_t)                                                                       \
    X(TW_DEVICE_INFO_IMAGE3D_MAX_DEPTH, size_t)                                                                        \
    X(TW_DEVICE_INFO_IMAGE_MAX_BUFFER_SIZE, size_t) /* of an image of one dimension */                                 \
    X(TW_DEVICE_INFO_IMAGE_MAX_ARRAY_SIZE, size_t)  /* images of an array */                                           \
    X(TW_DEVICE_INFO_MAX_CLOCK_FREQUENCY, size_t)                                                                      \
    X(TW_DEVICE_INFO_PROFILING_TIMER_RESOLUTION, size_t) /* nanoseconds, of kernels' times in tw_event_times */        \
    X(TW_DEVICE_INFO_PRINTF_BUFFER_SIZE, size_t)         /* 0 on CPUs: there is no limit */                            \
    X(TW_DEVICE_INFO_MAX_PARAMETER_SIZE, size_t)         /* of an argument block that costs no transfer */             \
    X(TW_DEVICE_INFO_NUMA_NODES, size_t)                                                                               \
    X(TW_DEVICE_INFO_PARENT_DEVICE, tw_device *)           /* of a sub-device; else NULL */                            \
    X(TW_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES, size_t)    /* 0: it cannot be divided */                               \
    X(TW_DEVICE_INFO_PARTITION_PROPERTIES, unsigned)       /* ways to divide it: a set of tw_partition */              \
    X(TW_DEVICE_INFO_PARTITION_AFFINITY_DOMAINS, unsigned) /* that it has: a set of tw_affinity_domain */              \
    X(TW_DEVICE_INFO_PARTITION_TYPE, tw_partition)         /* how this sub-device was made */                          \
    X(TW_DEVICE_INFO_PARTITION_TYPE_AFFINITY_DOMAIN, tw_affinity_domain) /* ... of which domain */

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

/** What a device is or can do, after SYCL 2020: X(name). docs/devices.md says what each means. */
#define TW_ASPECT_LIST(X)                                                                                              \
    X(TW_ASPECT_HOST)                                                                                                  \
    X(TW_ASPECT_CPU) /* an offload device that is a CPU; not the host */                                               \
    X(TW_ASPECT_GPU)                                                                                                   \
    X(TW_ASPECT_ACCELERATOR)                                                                                           \
    X(TW_ASPECT_EMULATED)        /* for finding errors, not for speed: a simulated device */                           \
    X(TW_ASPECT_HOST_DEBUGGABLE) /* a debugger of the host stops in its kernels */                                     \
    X(TW_ASPECT_FP16)                                                                                                  \
    X(TW_ASPECT_FP64)                                                                                                  \
    X(TW_ASPECT_ATOMIC64)                                                                                              \
    X(TW_ASPECT_IMAGE)                                                                                                 \
    X(TW_ASPECT_ONLINE_COMPILER)                                                                                       \
    X(TW_ASPECT_ONLINE_LINKER)                                                                                         \
    X(TW_ASPECT_QUEUE_PROFILING)                                                                                       \
    X(TW_ASPECT_USM_DEVICE_ALLOCATIONS)        /* tw_malloc_device() */                                                \
    X(TW_ASPECT_USM_HOST_ALLOCATIONS)          /* kernels use memory of tw_malloc_host() */                            \
    X(TW_ASPECT_USM_ATOMIC_HOST_ALLOCATIONS)   /* ... by atomic operations beside the host's */                        \
    X(TW_ASPECT_USM_SHARED_ALLOCATIONS)        /* tw_malloc_shared() */                                                \
    X(TW_ASPECT_USM_ATOMIC_SHARED_ALLOCATIONS) /* never: it belongs to the kernel that uses it */                      \
    X(TW_ASPECT_USM_SYSTEM_ALLOCATIONS)        /* kernels use all memory of the program, as of malloc() */

#define TW_INTERNAL_ENUMERATOR(name) name,
typedef enum tw_aspect { TW_ASPECT_LIST(TW_INTERNAL_ENUMERATOR) TW_ASPECT_COUNT } tw_aspect;
#undef TW_INTERNAL_ENUMERATOR

/** @return whether a device has an aspect; false for a NULL device and for what is no aspect */
TW_API bool tw_device_has(const tw_device *device, tw_aspect aspect);

/** The names are those of TW_DEVICE_INFO_EXTENSIONS.
 *  @return whether kernels of a device can do what an OpenCL extension adds, such as "cl_khr_fp16" (spec 3.5.3,
 *          has_extension()); false for a NULL */
TW_API bool tw_device_has_extension(const tw_device *device, const char *extension);

/* Shorthands for the questions asked most. */

/** @return whether the type of a device is TW_DEVICE_HOST; false for NULL */
TW_API bool tw_device_is_host(const tw_device *device);
/** @return whether a device is a CPU, the host device included; false for NULL */
TW_API bool tw_device_is_cpu(const tw_device *device);
/** @return whether the type of a device is TW_DEVICE_GPU; false for NULL */
TW_API bool tw_device_is_gpu(const tw_device *device);
/** @return the name of a device, TW_DEVICE_INFO_NAME; "" for NULL */
TW_API const char *tw_device_name(const tw_device *device);
/** @return the platform of a device; NULL for NULL */
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

/** A device that the program does not see. The strings are valid until tw_shutdown(). */
typedef struct tw_absent_device {
    tw_device_type type;
    const char *name;   /* "": all devices of the type, or one whose name is not known */
    const char *reason; /* one sentence */
} tw_absent_device;

/**
 * Lists devices of some types (a set of tw_device_type) that are not visible, and why: those that TW_DEVICES hides, those
 * that have no memory left, GPUs of this machine that the program has no device image for, and types of which there is
 * none at all. What the library cannot know is not listed.
 *
 * @param devices   receives up to `capacity` descriptions; may be NULL if capacity is 0
 * @param count     receives how many there are, which may be more than `capacity`
 * @return TW_ERROR_INVALID_ARGUMENT       count is NULL, or devices is NULL with a capacity
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_get_absent_devices(unsigned types, tw_absent_device *devices, size_t capacity, size_t *count);

/**
 * Lists the visible platforms, the host's included.
 *
 * @param platforms  receives up to `capacity` pointers; may be NULL if capacity is 0
 * @param count      receives how many there are, which may be more than `capacity`
 * @return TW_ERROR_INVALID_ARGUMENT       count is NULL, or platforms is NULL with a capacity
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_get_platforms(tw_platform **platforms, size_t capacity, size_t *count);

/** @return "Host", "Simulation", or the kind of offload device; "" for NULL */
TW_API const char *tw_platform_name(const tw_platform *platform);

/** @return whether this is the host platform (spec 3.5.2); false for NULL */
TW_API bool tw_platform_is_host(const tw_platform *platform);

/**
 * Lists the visible devices of one platform.
 *
 * @param devices  receives up to `capacity` pointers; may be NULL if capacity is 0
 * @param count    receives how many there are, which may be more than `capacity`
 * @return TW_ERROR_INVALID_ARGUMENT  platform or count is NULL, or devices is NULL with a capacity
 */
TW_API tw_status tw_platform_get_devices(const tw_platform *platform, tw_device **devices, size_t capacity,
                                         size_t *count);

/**
 * Lists those whose type is in `types`, a set of tw_device_type. Parameters as for tw_platform_get_devices().
 *
 * @return TW_ERROR_INVALID_ARGUMENT  platform or count is NULL, or devices is NULL with a capacity
 */
TW_API tw_status tw_platform_get_devices_of_type(const tw_platform *platform, unsigned types, tw_device **devices,
                                                 size_t capacity, size_t *count);

/** What tw_platform_info() can be asked: X(name, C type of the answer). Strings live until tw_shutdown(). */
#define TW_PLATFORM_INFO_LIST(X)                                                                                       \
    X(TW_PLATFORM_INFO_NAME, const char *)       /* as tw_platform_name() */                                           \
    X(TW_PLATFORM_INFO_VENDOR, const char *)     /* of its first device */                                             \
    X(TW_PLATFORM_INFO_VERSION, const char *)    /* of what runs the devices: their driver, or the system's kernel */  \
    X(TW_PLATFORM_INFO_PROFILE, const char *)    /* "FULL_PROFILE" */                                                  \
    X(TW_PLATFORM_INFO_EXTENSIONS, const char *) /* as TW_DEVICE_INFO_EXTENSIONS of its devices */                     \
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

/** @return whether all devices of a platform have an extension: tw_device_has_extension(); false for a NULL, and for a
 *          platform without visible devices */
TW_API bool tw_platform_has_extension(const tw_platform *platform, const char *extension);

/* ---- sub-devices (spec 3.5.3) ------------------------------------------------------------------------------------ */

/**
 * Divides a device into sub-devices of `units` compute units each: as many as there are, without a rest that is smaller.
 *
 * A sub-device is a device: queues and contexts can be created on it. It uses its parent's memory: nothing is copied
 * between them, and memory that is allocated for it is the parent's. Lists and selectors do not show sub-devices.
 *
 * The host device can be divided, and so can its sub-devices. Compute units are the processors that the process may use,
 * in an order in which neighbours share caches and memory. Kernels run in a team of as many threads as the sub-device has
 * compute units (OMP_NUM_THREADS may make them fewer), each bound to one of them unless OMP_PROC_BIND, OMP_PLACES,
 * KMP_AFFINITY or GOMP_CPU_AFFINITY is set. Kernels of several sub-devices run at the same time; those of one sub-device
 * one after the other, on its own threads and not on threads that wait. Memory that its kernels write first is placed
 * near their processors by the system.
 *
 * An NVIDIA GPU can be divided equally where its driver can (green contexts, since CUDA 12.4): kernels of a sub-device run
 * on its multiprocessors alone, so that a short kernel need not wait for a long one elsewhere. `units` is a multiple of
 * what the GPU demands, 8 on compute capability 9.0, and some multiprocessors may be left over:
 * TW_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES tells how many of the smallest there are. Such a sub-device is not divided
 * again, refuses kernels that only OpenMP can launch (TW_ERROR_UNSUPPORTED, in the teams lowering all of them), and is
 * given the groups of a command graph one by one. Simulated devices can be divided likewise, by any number of units.
 *
 * Sub-devices belong to the library and live until tw_shutdown(): the same call returns the same ones again.
 *
 * @param units        compute units of each sub-device
 * @param sub_devices  receives up to `capacity` pointers; may be NULL if capacity is 0. No others are made.
 * @param count        receives how many there are, which may be more than `capacity`
 * @return TW_ERROR_INVALID_ARGUMENT  the device is NULL or from before tw_shutdown(), count is NULL, sub_devices is
 *                                    NULL with a capacity, or `units` is 0, more than the device has, or a number of
 *                                    which it has no sub-devices
 *         TW_ERROR_UNSUPPORTED       the device cannot be divided
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_device_create_sub_devices_equally(tw_device *device, size_t units, tw_device **sub_devices,
                                                      size_t capacity, size_t *count);

/**
 * Divides a device into sub-devices of units[0], units[1], ... compute units, which follow each other. Which devices
 * can be divided, and how long sub-devices live: see tw_device_create_sub_devices_equally().
 *
 * @param sub_devices  receives up to `capacity` pointers; may be NULL if capacity is 0. No others are made.
 * @param count        receives how many there are, which may be more than `capacity`
 * @return TW_ERROR_INVALID_ARGUMENT  the device is NULL or from before tw_shutdown(), count is NULL, sub_devices is
 *                                    NULL with a capacity, unit_counts is 0, one of the numbers is 0, or they are more
 *                                    in all than the device has
 *         TW_ERROR_UNSUPPORTED       the device cannot be divided so: the host device and its sub-devices can
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_device_create_sub_devices_by_counts(tw_device *device, const size_t *units, size_t unit_counts,
                                                        tw_device **sub_devices, size_t capacity, size_t *count);

/**
 * Divides a device into sub-devices whose compute units share a NUMA node or a cache. If all of them share it, there is
 * one sub-device. Which devices can be divided, and how long sub-devices live: see
 * tw_device_create_sub_devices_equally().
 *
 * @param sub_devices  receives up to `capacity` pointers; may be NULL if capacity is 0. No others are made.
 * @param count        receives how many there are, which may be more than `capacity`
 * @return TW_ERROR_INVALID_ARGUMENT  the device is NULL or from before tw_shutdown(), count is NULL, sub_devices is
 *                                    NULL with a capacity, or `domain` is not one tw_affinity_domain
 *         TW_ERROR_UNSUPPORTED       the device cannot be divided, has no such domain, or with
 *                                    TW_AFFINITY_NEXT_PARTITIONABLE none that would divide it
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_device_create_sub_devices_by_affinity_domain(tw_device *device, tw_affinity_domain domain,
                                                                 tw_device **sub_devices, size_t capacity,
                                                                 size_t *count);

/* ---- selectors (spec 3.5.1) -------------------------------------------------------------------------------------- */

/** Scores a device: the highest score wins, the first of equals; a device with a negative score is never chosen. A C++ selector
 *  may throw. */
typedef int (*tw_device_selector)(const tw_device *device, void *user);

/** Prefers a GPU, then another accelerator, then the host, then an offload device that is a CPU; with TW_DEVICES the
 *  first that it lists, and only then simulated devices.
 *  @return the score of the device */
TW_API int tw_default_selector(const tw_device *device, void *user);
/** @return the score of a GPU; negative for others */
TW_API int tw_gpu_selector(const tw_device *device, void *user);
/** Prefers an offload device that is a CPU to the host device, which is one too.
 *  @return the score of a CPU; negative for others */
TW_API int tw_cpu_selector(const tw_device *device, void *user);
/** @return the score of the host device; negative for others */
TW_API int tw_host_selector(const tw_device *device, void *user);
/** @return the score of a simulated device; negative for others */
TW_API int tw_sim_selector(const tw_device *device, void *user);

/**
 * Chooses a device. A NULL selector stands for tw_default_selector.
 *
 * @param user  handed to the selector, which is called on this thread with no lock held, once for each device
 * @return TW_ERROR_NO_DEVICE              every score was negative; the detail lists the devices that were looked at
 *         TW_ERROR_INVALID_ARGUMENT       device is NULL
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY
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

/**
 * Creates a context of the one device that a selector chooses; NULL stands for tw_default_selector. tw_host_selector
 * makes a context of the host. Parameters as for tw_context_create() and tw_select_device().
 *
 * @return TW_ERROR_NO_DEVICE              every score was negative
 *         TW_ERROR_INVALID_ARGUMENT       context is NULL
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_context_create_by_selector(tw_device_selector selector, void *selector_user,
                                               tw_error_handler handler, void *user, tw_context **context);

/**
 * Creates a context of all visible devices of a platform. Parameters as for tw_context_create().
 *
 * @return TW_ERROR_INVALID_ARGUMENT       the platform is NULL or from before tw_shutdown(), or context is NULL
 *         TW_ERROR_NO_DEVICE              TW_DEVICES hides all of its devices
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_context_create_on_platform(const tw_platform *platform, tw_error_handler handler, void *user,
                                               tw_context **context);

/** Adds a reference: another handle to the same context, which needs a tw_context_destroy() of its own.
 *  @return the context; NULL for NULL */
TW_API tw_context *tw_context_retain(tw_context *context);

/** @return whether the context is of the host platform; false for NULL */
TW_API bool tw_context_is_host(const tw_context *context);

/**
 * Lists the devices of the context.
 *
 * @param devices  receives up to `capacity` pointers; may be NULL if capacity is 0
 * @param count    receives how many there are, which may be more than `capacity`
 * @return TW_ERROR_INVALID_ARGUMENT  context or count is NULL, or devices is NULL with a capacity
 */
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
