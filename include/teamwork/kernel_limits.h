/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What is known of a kernel, and what a device allows it (spec 3.7.2.5, 3.7.2.6): questions to ask before a launch, and
 * before choosing the size and the number of work-groups.
 *
 * Kernels are compiled and linked ahead of time. So a program object of the specification is the program or shared library
 * that defines the kernel; what is left to ask is whether it has code for a device, and to load that before the first
 * launch. All functions are thread safe.
 */
#ifndef TEAMWORK_KERNEL_LIMITS_H
#define TEAMWORK_KERNEL_LIMITS_H

#include <teamwork/device.h>
#include <teamwork/kernel_object.h>

TW_BEGIN_DECLS

/** What a device allows a kernel (spec 3.7.2.5, work-group information). */
typedef struct tw_kernel_limits {
    size_t max_work_group_size; /**< work-items of a group: the device's limit, or less for want of registers */
    size_t local_mem_size;      /**< bytes of a group's TW_LOCAL variables; 0 where that is not known */
    size_t private_mem_size;    /**< bytes of a work-item in memory, for what is not in registers; 0 likewise */
    size_t resident_groups;     /**< groups that the device runs at the same time: what waits for other groups of its
                                     launch must not have more. 1 where that is not known */
} tw_kernel_limits;

/**
 * Asks what a device allows a kernel whose groups have `items` work-items and `local_bytes` of local accessors.
 *
 *     tw_kernel_limits limits;
 *     status = tw_kernel_get_limits(device, name, 256, 0, &limits);
 *
 * On NVIDIA GPUs the first question about a kernel loads its device image. Thread safe.
 *
 * @return TW_ERROR_INVALID_ARGUMENT         a NULL, or a kernel of another version of the library
 *         TW_ERROR_INVALID_WORK_GROUP_SIZE  items is 0 or more than the device's limit
 */
#define tw_kernel_get_limits(device, name, items, local_bytes, limits)                                                 \
    tw_internal_kernel_limits((device), TW_KERNEL(name), (items), (local_bytes), (limits))
TW_API tw_status tw_internal_kernel_limits(const tw_device *device, const tw_kernel *kernel, size_t items,
                                           size_t local_bytes, tw_kernel_limits *limits);

/* ---- code -------------------------------------------------------------------------------------------------------- */

/**
 * May load the kernel's image, as tw_kernel_load().
 *
 * @return whether a device can run a kernel: its file was compiled and linked for the device, and its definition does
 *         not exclude the device (TW_FOR_CPUS, TW_FOR_GPUS); false for a NULL. As far as that can be found out: of AMD
 *         GPUs, and of device images that are compressed, it cannot, and the answer is true
 */
TW_API bool tw_kernel_is_available(const tw_kernel *kernel, const tw_device *device);

/**
 * Loads the code of a kernel into a device, so that the first launch need not. On NVIDIA GPUs that is all of its program's
 * or library's image, unless that is there. Other devices load images when they are found: there the call only checks.
 *
 *     for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i)
 *         status = tw_kernel_load(steps[i], device);
 *
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL, or a kernel of another version of the library
 *         TW_ERROR_NO_DEVICE_IMAGE   its file was not compiled for the device
 *         TW_ERROR_UNSUPPORTED       it is not for this kind of device, has no version for it, or TW_CUDA_LAUNCH=driver
 *                                    and the driver cannot launch it
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_kernel_load(const tw_kernel *kernel, const tw_device *device);

/**
 * Lists the visible devices that a kernel is available on (tw_kernel_is_available()), in order of preference.
 *
 * @param devices  receives up to `capacity` pointers; may be NULL if capacity is 0
 * @param count    receives how many there are, which may be more than `capacity`
 * @return TW_ERROR_INVALID_ARGUMENT       kernel or count is NULL, or devices is NULL with a capacity
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_kernel_get_devices(const tw_kernel *kernel, tw_device **devices, size_t capacity, size_t *count);

/* ---- what a kernel is compiled as -------------------------------------------------------------------------------- */

/**
 * Lists what a kernel is compiled as, to be asked tw_kernel_info(): the kernel itself first, behind it its variants, one
 * for each value of TW_SPECIALIZE(), and then the same for each further size of TW_ND_RANGE_KERNEL_SIZES() and
 * TW_WORK_GROUP_KERNEL_SIZES(). Most kernels are alone. Launches name the kernel, and choose; that of a variant fails with
 * TW_ERROR_INVALID_KERNEL where its block has other values. Thread safe.
 *
 *     const tw_kernel *all[16];
 *     size_t count;
 *     status = tw_kernel_get_variants(TW_KERNEL(filter), all, 16, &count);
 *     for (size_t i = 0; status == TW_SUCCESS && i < count; ++i)
 *         status = tw_kernel_info(all[i], device, TW_KERNEL_INFO_REGISTERS, &registers[i], sizeof registers[i]);
 *
 * @param variants  receives up to `capacity` kernels, valid as long as `kernel`; may be NULL if capacity is 0
 * @param count     receives how many there are, which may be more than `capacity`
 * @return TW_ERROR_INVALID_ARGUMENT  kernel or count is NULL, or variants is and capacity is not 0; a kernel of another
 *                                    version of the library
 */
TW_API tw_status tw_kernel_get_variants(const tw_kernel *kernel, const tw_kernel **variants, size_t capacity,
                                        size_t *count);

/* ---- questions --------------------------------------------------------------------------------------------------- */

/** The kind of a kernel. */
typedef enum tw_kernel_form {
    TW_KERNEL_FORM_SINGLE_TASK = 1,
    TW_KERNEL_FORM_RANGE = 2, /**< reductions too */
    TW_KERNEL_FORM_WORK_GROUP = 3,
    TW_KERNEL_FORM_ND_RANGE = 4
} tw_kernel_form;

/**
 * What tw_kernel_info() can be asked: X(name, C type of the answer). Strings are valid as long as the kernel. From
 * WORK_GROUP_SIZE on they are about a kernel on a device; what is not known there is 0.
 * COMPILE_WORK_GROUP_SIZE is the size that a kernel requires, of several the first; its `dims` are 0 if it takes any.
 * VALUES is what the block of a variant has (tw_kernel_get_variants()), as "width = 3"; "" of other kernels.
 */
#define TW_KERNEL_INFO_LIST(X)                                                                                         \
    X(TW_KERNEL_INFO_FUNCTION_NAME, const char *)                                                                      \
    X(TW_KERNEL_INFO_FILE, const char *) /* where it is defined */                                                     \
    X(TW_KERNEL_INFO_LINE, size_t)                                                                                     \
    X(TW_KERNEL_INFO_FORM, tw_kernel_form)                                                                             \
    X(TW_KERNEL_INFO_DIMENSIONS, size_t)                /* of its launches; 0: any */                                  \
    X(TW_KERNEL_INFO_ARGUMENT_SIZE, size_t)             /* of its block */                                             \
    X(TW_KERNEL_INFO_COMPILE_WORK_GROUP_SIZE, tw_range) /* see above */                                                \
    X(TW_KERNEL_INFO_COMPILE_SUB_GROUP_SIZE, size_t)    /* that it requires, by TW_SUB_GROUP_SIZE(); 0: any */         \
    X(TW_KERNEL_INFO_VALUES, const char *)              /* see above */                                                \
    X(TW_KERNEL_INFO_WORK_GROUP_SIZE, size_t)           /* of the largest group */                                     \
    X(TW_KERNEL_INFO_PREFERRED_WORK_GROUP_SIZE, size_t) /* the largest that keeps most work-items resident */          \
    X(TW_KERNEL_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t)                                                       \
    X(TW_KERNEL_INFO_LOCAL_MEM_SIZE, size_t)   /* of a group's TW_LOCAL variables */                                   \
    X(TW_KERNEL_INFO_PRIVATE_MEM_SIZE, size_t) /* of a work-item in memory, for what is not in registers */            \
    X(TW_KERNEL_INFO_REGISTERS, size_t)        /* of a work-item, of 32 bits */

#define TW_INTERNAL_ENUMERATOR(name, type) name,
typedef enum tw_kernel_info_id { TW_KERNEL_INFO_LIST(TW_INTERNAL_ENUMERATOR) TW_KERNEL_INFO_COUNT } tw_kernel_info_id;
#undef TW_INTERNAL_ENUMERATOR

/**
 * Answers one question about a kernel (spec 3.7.2.5, tables 3.46 and OpenCL's work-group information).
 *
 *     tw_range required;
 *     status = tw_kernel_info(TW_KERNEL(heat_tile), NULL, TW_KERNEL_INFO_COMPILE_WORK_GROUP_SIZE, &required,
 *                             sizeof required);
 *
 * @param device  may be NULL for questions that are not about a device
 * @param value   receives the answer, of the type that TW_KERNEL_INFO_LIST gives
 * @param bytes   sizeof *value; checked against that type
 * @return TW_ERROR_INVALID_ARGUMENT  kernel or value is NULL, or device where it is needed; the question is unknown;
 *                                    `bytes` is another size; a kernel of another version of the library
 *         and, for questions about a device, those of tw_kernel_load():
 *         TW_ERROR_NO_DEVICE_IMAGE   its file was not compiled for the device
 *         TW_ERROR_UNSUPPORTED       it is not for this kind of device, has no version for it, or TW_CUDA_LAUNCH=driver
 *                                    and the driver cannot launch it
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_kernel_info(const tw_kernel *kernel, const tw_device *device, tw_kernel_info_id question,
                                void *value, size_t bytes);

TW_END_DECLS

#endif
