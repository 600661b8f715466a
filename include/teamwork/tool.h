/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Tools: shared libraries that are told what the library does, as profilers need it.
 *
 * A tool is a shared library with a function tw_tool_start(). The environment variable TW_TOOL names tools, separated by
 * colons. The library loads them when it looks for devices for the first time, so the program is neither compiled nor
 * linked for them:
 *
 *     TW_TOOL=./kernel_timer.so ./my_app
 *
 * examples/tool/ has tools, docs/tracing.md describes what they see. TW_TRACE and TW_SUMMARY are two that the library has
 * in itself. A program without tools pays for them with a comparison in each submission and wait.
 *
 * A *task* is a part of a group that runs by itself: its body, such as a kernel, or a transfer that brings its data. Each
 * task has a number, which no other task of the process has; that of its body stands for the group too. A task is
 * submitted, begun and ended, in this order, and each time the tool is told. A task that is cancelled ends without having
 * begun. One that fails and runs again on a fallback queue begins and ends twice.
 *
 * Structs begin with their size in the version of the library that fills them. A member that was added in a later version
 * is there only if `size` is larger than its offset; no member is ever removed or moved. All times are nanoseconds of the
 * host's monotonic clock (CLOCK_MONOTONIC), also of what a device's clock has measured; 0: not known.
 *
 * Rules for callbacks: they may be called from any thread, several at a time, and with locks of the library held. So they
 * call no function of the library, do not wait for a thread that may, and return soon. What their arguments lead to lives
 * until they return, except that names of kernels, of tasks and of source files live as long as the program. Callbacks that are
 * NULL are not called.
 *
 * A tool may be C, C++ or any language that can export a C function. It need not be linked with the library.
 */
#ifndef TEAMWORK_TOOL_H
#define TEAMWORK_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/export.h>
#include <teamwork/status.h>

TW_BEGIN_DECLS

/** The version of this interface. It is raised when a tool for an earlier one would not work any more. */
#define TW_TOOL_VERSION 1u

/** A device number that stands for host memory, which belongs to no device. */
#define TW_TOOL_HOST_MEMORY (-1)

/** What a task does. */
typedef enum tw_tool_task_kind {
    TW_TOOL_KERNEL,      /**< runs a kernel */
    TW_TOOL_TRANSFER,    /**< copies a buffer's contents to where a group needs them */
    TW_TOOL_COPY,        /**< a copy that the program asked for: tw_copy(), tw_buffer_read() ... */
    TW_TOOL_FILL,        /**< a fill that the program asked for */
    TW_TOOL_HINT,        /**< a prefetch or advice about unified shared memory */
    TW_TOOL_HOST_TASK,   /**< runs a function of the program on the host */
    TW_TOOL_NATIVE_TASK, /**< runs one that works on the device */
    TW_TOOL_GRAPH,       /**< runs a command graph */
    TW_TOOL_NOTHING,     /**< a group without a body: tw_update_host(), a kernel over an empty range ... */
    TW_TOOL_HOST_ACCESS, /**< the program has a host accessor, from its acquisition to its release */
    TW_TOOL_USER_EVENT,  /**< a user event, from its creation to its completion */
    TW_TOOL_CUDA_EVENT   /**< a stream waits for a CUDA event of the program, or records one */
} tw_tool_task_kind;

/** A device, as tools are told of it. */
typedef struct tw_tool_device {
    size_t size;
    int number;          /**< stands for the device in the other structs; the host has 0 */
    int parent;          /**< of a sub-device the number of its parent; else its own */
    const char *name;    /**< TW_DEVICE_INFO_NAME */
    const char *backend; /**< TW_DEVICE_INFO_BACKEND */
} tw_tool_device;

/** A task. */
typedef struct tw_tool_task {
    size_t size;
    uint64_t id;    /**< its number, from 1 */
    uint64_t group; /**< the number of the body of its group */
    uint64_t queue; /**< the number of the queue that it was submitted to */
    tw_tool_task_kind kind;
    int device;         /**< the number of the device that it runs on */
    const char *name;   /**< of a kernel or a task that of its function; else what it does, as in "copy" */
    const char *file;   /**< where its group was submitted; NULL: not known */
    int line;           /**< likewise */
    bool in_stream;     /**< the device keeps its order: it is enqueued, and runs later */
    bool is_fallback;   /**< it has failed elsewhere, and runs on the device of a fallback queue */
    unsigned dims;      /**< of a kernel: the dimensions of its launch; else 0 */
    size_t range[3];    /**< of a kernel: work-items in each dimension, slowest first */
    size_t local[3];    /**< of a kernel: work-items of a work-group; 0: the library chooses */
    size_t registers;   /**< of a kernel on its device: of a work-item; 0: not known before it begins */
    size_t local_bytes; /**< of a kernel: local memory of a work-group, as far as it is known */
    size_t args_bytes;  /**< of a kernel: size of its argument block */
    uint64_t buffer;    /**< of a transfer, a copy or a fill: the buffer's number; 0: none */
    size_t bytes;       /**< likewise: what it moves or writes */
    int from, to;       /**< likewise: numbers of devices; TW_TOOL_HOST_MEMORY */
    uint64_t start_ns;  /**< when it began, once it has ended; by the device's clock where that is read */
    uint64_t end_ns;    /**< when it was over, likewise */
    tw_status status;   /**< once it has ended; TW_ERROR_CANCELLED: it did not run */
    const char *slow; /**< of a kernel on a CPU: why it is several times slower than it could be, with the place in the
                             source, as the plugin of the compiler found; NULL: nothing is known. Lives as its name does */
} tw_tool_task;

/** What a group does with a buffer. */
typedef struct tw_tool_access {
    size_t size;
    uint64_t buffer;      /**< the buffer's number, from 1; sub-buffers and images have that of their buffer */
    const char *name;     /**< by tw_buffer_set_name(); NULL: it has none */
    size_t range[3];      /**< of the buffer, 1 past dims */
    unsigned dims;        /**< of the buffer */
    size_t element_bytes; /**< likewise */
    size_t bytes;         /**< of the part that is accessed */
    bool reads, writes;   /**< it needs the earlier contents; it changes them */
} tw_tool_access;

/** A task that a task has to wait for. */
typedef struct tw_tool_dependency {
    size_t size;
    uint64_t task;      /**< the number of the task that waits: a body or a transfer of the group */
    uint64_t before;    /**< the number of the task that it waits for */
    uint64_t buffer;    /**< the number of the buffer that both access; 0: an event, or the order of the queue */
    const char *name;   /**< the buffer's name; NULL: it has none, or there is no buffer */
    bool reads, writes; /**< what the task that waits does with the buffer */
    bool before_writes; /**< the other one writes the buffer; else it reads it */
} tw_tool_dependency;

/** A group that was submitted. Host accessors and copies of tw_buffer_read() and the like are groups too. */
typedef struct tw_tool_submission {
    size_t size;
    const tw_tool_task *body;
    const tw_tool_task *transfers; /**< the transfers that bring its data; transfer_count of them */
    size_t transfer_count;
    const tw_tool_access *accesses; /**< access_count of them */
    size_t access_count;
    const tw_tool_dependency *dependencies; /**< on tasks that were not over; dependency_count of them */
    size_t dependency_count;
    uint64_t begin_ns; /**< when the thread began to record it; 0: it was not recorded by the program */
    uint64_t submit_ns;
} tw_tool_submission;

/** A wait of a thread of the program. The thread may run tasks of the library meanwhile. */
typedef struct tw_tool_wait {
    size_t size;
    uint64_t group;   /**< the number of the last group that it is known to wait for; 0: not known */
    const char *name; /**< that of the group's body */
    tw_tool_task_kind kind;
    uint64_t begin_ns, end_ns; /**< end_ns: 0 at its begin */
} tw_tool_wait;

/** What happens to memory of a buffer on a device. */
typedef enum tw_tool_memory_kind {
    TW_TOOL_ALLOCATE,
    TW_TOOL_FREE,
    TW_TOOL_EVICT /**< given up for another buffer, since the device is full */
} tw_tool_memory_kind;

/** Memory of a buffer that was allocated or freed. */
typedef struct tw_tool_memory {
    size_t size;
    tw_tool_memory_kind kind;
    int device;      /**< a number of a device, or TW_TOOL_HOST_MEMORY */
    uint64_t buffer; /**< the buffer's number */
    size_t bytes;
    uint64_t time_ns;
} tw_tool_memory;

/** What a tool wants to be told of. */
typedef struct tw_tool {
    size_t size; /**< set by the library: members behind it are not used */
    void *user;  /**< passed to each callback */
    /** Called for each device that was found, and for each sub-device that is made. After tw_shutdown() the devices are
     *  found again, with the same numbers. */
    void (*device)(const tw_tool_device *device, void *user);
    /** Called by the thread that submits a group, before any of its tasks begins. */
    void (*submitted)(const tw_tool_submission *submission, void *user);
    /** Called when a task begins: by the thread that runs it, or, if it is `in_stream`, by the one that enqueues it. */
    void (*began)(const tw_tool_task *task, void *user);
    /** Called by the same thread when a task was enqueued on a stream. */
    void (*enqueued)(const tw_tool_task *task, void *user);
    /** Called when a task is over: by the thread that ran it, or, if it is `in_stream`, by one that finds that it is. */
    void (*ended)(const tw_tool_task *task, void *user);
    /** Called by a thread that is to wait, and has to. */
    void (*wait_began)(const tw_tool_wait *wait, void *user);
    /** Called by the same thread when the wait is over. */
    void (*wait_ended)(const tw_tool_wait *wait, void *user);
    /** Called when memory of a buffer was allocated, or is to be freed. */
    void (*memory)(const tw_tool_memory *memory, void *user);
    /** Called at the end of the program, by exit(); not after abort() and the like. The last callback. */
    void (*finished)(void *user);
} tw_tool;

/** What a tool is told when it is loaded. */
typedef struct tw_tool_info {
    size_t size;
    unsigned version; /**< TW_TOOL_VERSION of the library */
    unsigned library; /**< the library's version, as tw_version() returns it */
} tw_tool_info;

/**
 * The function that a tool defines. The library calls it once, after loading the tool. It sets the callbacks and `user` in
 * `tool`, whose members but `size` are NULL.
 *
 * @return 0; another value if the tool cannot work with this version, or does not want to. Then it is not used, which a
 *         warning on the standard error stream says; the program goes on
 */
TW_API int tw_tool_start(const tw_tool_info *info, tw_tool *tool);

TW_END_DECLS

#endif
