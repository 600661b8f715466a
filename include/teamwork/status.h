/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Status codes and error records (spec 3.2).
 *
 * Every function that can fail returns a tw_status, or documents what it returns instead. On failure outputs are
 * untouched, and tw_error_detail() tells, on the thread that made the call, what was wrong and what to change. No
 * function aborts, exits or touches errno.
 *
 * What goes wrong after a command group was submitted is an asynchronous error: a tw_error record that is kept until it
 * is delivered, once, to the error handler of the queue or its context (queue.h), or as the result of a wait.
 */
#ifndef TEAMWORK_STATUS_H
#define TEAMWORK_STATUS_H

#include <stddef.h>

#include <teamwork/export.h>

TW_BEGIN_DECLS

/** Every status: X(name, value, meaning). The one list behind the enum, tw_status_name() and docs/errors.md. */
#define TW_STATUS_LIST(X)                                                                                              \
    X(TW_SUCCESS, 0, "no error")                                                                                       \
    X(TW_ERROR_INVALID_ARGUMENT, 1, "an argument is NULL or outside of what the function accepts")                     \
    X(TW_ERROR_INVALID_RANGE, 2, "a range or id has no valid dimensions, overflows, or does not fit its object")       \
    X(TW_ERROR_INVALID_WORK_GROUP_SIZE, 3,                                                                             \
      "a work-group is empty, larger than the device's or the kernel's limit, does not divide the range, or is not "   \
      "the size that the kernel requires")                                                                             \
    X(TW_ERROR_INVALID_KERNEL, 4,                                                                                      \
      "a kernel object is unusable: compiled for another library version, or launched "                                \
      "with the wrong block or dimensions")                                                                            \
    X(TW_ERROR_INVALID_COMMAND_GROUP, 5, "a command group is used in a way it does not allow, as with two kernels")    \
    X(TW_ERROR_READ_ONLY_BUFFER, 6,                                                                                    \
      "write access to a buffer over const host memory, or by a kernel whose group only reads it (simulated devices)") \
    X(TW_ERROR_OUT_OF_MEMORY, 7, "host memory is exhausted")                                                           \
    X(TW_ERROR_OUT_OF_DEVICE_MEMORY, 8, "a device has no room for an allocation")                                      \
    X(TW_ERROR_NO_DEVICE, 9, "no device satisfies the selector")                                                       \
    X(TW_ERROR_NO_DEVICE_IMAGE, 10, "a kernel's file was not compiled for the device")                                 \
    X(TW_ERROR_TRANSFER_FAILED, 11, "copying data to, from or between devices failed")                                 \
    X(TW_ERROR_LAUNCH_FAILED, 12, "a device did not start or did not finish a kernel")                                 \
    X(TW_ERROR_CANCELLED, 13, "a command did not run because one that it depends on failed")                           \
    X(TW_ERROR_DATA_LOST, 14,                                                                                          \
      "a buffer's contents are undefined because the command that should have written them "                           \
      "failed")                                                                                                        \
    X(TW_ERROR_WOULD_DEADLOCK, 15, "the call would wait for something that the calling thread itself holds back")      \
    X(TW_ERROR_OUT_OF_BOUNDS, 16, "a kernel indexed outside of an accessor's range (debug builds, simulated devices)") \
    X(TW_ERROR_UNSUPPORTED, 17, "the device, the lowering, this build of the library or this process cannot do this")  \
    X(TW_ERROR_BUSY, 18, "the object is in use")                                                                       \
    X(TW_ERROR_INVALID_CONFIGURATION, 19, "an environment variable of the library has a value it cannot use")          \
    X(TW_ERROR_OUT_OF_LOCAL_MEMORY, 20, "a work-group needs more local memory than the device has for it")             \
    X(TW_ERROR_DIVERGENT_BARRIER, 21, "a barrier was reached by some work-items of a group only")                      \
    X(TW_ERROR_GROUP_SCOPE, 22, "a hierarchical kernel wrote local memory at group scope (TW_CHECK_GROUP_SCOPE)")      \
    X(TW_ERROR_CHANGED_MEMORY, 23,                                                                                     \
      "the program has changed memory that a buffer is over, and has not said so (simulated devices)")

#define TW_INTERNAL_ENUMERATOR(name, value, meaning) name = value,
typedef enum tw_status { TW_STATUS_LIST(TW_INTERNAL_ENUMERATOR) TW_STATUS_COUNT } tw_status;
#undef TW_INTERNAL_ENUMERATOR

/** @return the name of a status as it stands in the source, "TW_SUCCESS"; "TW_ERROR_UNKNOWN" for no status; static */
TW_API const char *tw_status_name(tw_status status);

/** @return what a status means in general: one sentence, a static string */
TW_API const char *tw_status_meaning(tw_status status);

/** @return what the last failing call on this thread complained about: one sentence with the values concerned, valid
 *          until the thread's next failing call. Empty before the first failure; successful calls leave it as it is */
TW_API const char *tw_error_detail(void);

/** Whose a native code is. */
typedef enum tw_native_api {
    TW_NATIVE_NONE = 0,   /**< there is none */
    TW_NATIVE_CUDA = 1,   /**< a CUresult of the CUDA driver */
    TW_NATIVE_OPENMP = 2, /**< what a function of OpenMP returned, as omp_target_memcpy() */
    TW_NATIVE_ERRNO = 3,  /**< a value of errno, of the C library */
    TW_NATIVE_SIM = 4,    /**< the tw_sim_operation whose fault the program asked for (sim.h) */
    TW_NATIVE_OFFLOAD = 5 /**< an ol_errc_t of LLVM's liboffload */
} tw_native_api;

/** The code by which what is below the library said that it failed. */
typedef struct tw_native_code {
    tw_native_api api;
    int code; /**< 0 with TW_NATIVE_NONE */
} tw_native_code;

/** Memory that cannot be allocated has no native code: its status says all.
 *  @return the native code of what the last failing call on this thread complained about, where something below the
 *          library has failed; otherwise, and before the first failure, its `api` is TW_NATIVE_NONE (spec 3.2,
 *          get_cl_code()) */
TW_API tw_native_code tw_error_native_code(void);

struct tw_queue;
struct tw_device;
struct tw_context;

/**
 * One asynchronous error (spec 3.2). Given to error handlers; the record and its strings are valid until the handler
 * returns. The queue, the device and the context are the program's own, and valid as long as those are: the queue and
 * the context until the program destroys them, the device until tw_shutdown(). All three are NULL in a record that only
 * says how many errors were not kept.
 */
typedef struct tw_error {
    tw_status status;    /**< never TW_SUCCESS */
    const char *message; /**< one sentence, which names the kernel if there is one; for TW_ERROR_CANCELLED it names the
                              command that failed first instead */
    const char *kernel;  /**< name of the kernel of the command group, NULL if it had none */
    const char *file;    /**< where the command group was submitted, NULL if unknown */
    int line;            /**< line in `file` */
    struct tw_queue *queue;     /**< to which the command group was submitted */
    struct tw_device *device;   /**< the device of `queue` */
    struct tw_context *context; /**< where `queue` was created, or that tw_queue_context() made of it; else NULL */
    tw_native_code native;      /**< of the failure; for TW_ERROR_CANCELLED, of the command that failed first */
} tw_error;

/**
 * Receives asynchronous errors, in the order in which they occurred (spec 2.5.6).
 *
 * Called on the thread that waits, with no lock held: it may call any function of the library but destroy the object
 * that it was installed on. `errors` has `count` >= 1 elements, each delivered once. A C++ handler may throw: the
 * exception comes out of the call that delivered, and an object that this call was to destroy is still there.
 */
typedef void (*tw_error_handler)(const tw_error *errors, size_t count, void *user);

TW_END_DECLS

#endif
