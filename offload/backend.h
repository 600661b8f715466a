/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The interface between the runtime (src/) and devices (offload/): one table of operations for each backend.
 * docs/backends.md describes how to add a backend.
 *
 * The runtime calls the table from the threads that submit, wait or work, several at once, so every slot must be thread
 * safe. The runtime holds no lock during a call, unless the slot's comment says so. A slot calls the runtime only
 * through the function pointers that the runtime sets in this header's structs. It reports a failure by its status and,
 * through tw_fail() (base/detail.h), one sentence.
 */
#ifndef TEAMWORK_BACKEND_H
#define TEAMWORK_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include <teamwork/device.h>
#include <teamwork/image_format.h>
#include <teamwork/lower/kernel/launch.h>
#include <teamwork/sampler.h>
#include <teamwork/sim.h>
#include <teamwork/usm.h>

#include "base/detail.h"

/* The memory that a kernel accesses through accessors of its group: a part of a buffer, as rows of bytes. */
struct tw_backend_access {
    void *address; /* of the buffer, in the device's memory */
    size_t bytes, element_bytes;
    tw_range range;         /* of the buffer */
    unsigned char *first;   /* the first row of the part */
    size_t row_bytes, rows; /* in all planes; one row if the part is all of the buffer */
    size_t rows_of_plane, pitch, plane;
    bool needs, writes; /* the kernel needs the earlier contents; it changes the contents */
};

/* Returns the address of a row of the part. */
static inline unsigned char *tw_backend_access_row(const struct tw_backend_access *access, size_t row)
{
    return access->first + row / access->rows_of_plane * access->plane + row % access->rows_of_plane * access->pitch;
}

/* A device as its backend knows it. Backends embed it first in their own struct. */
struct tw_backend_device {
    const struct tw_backend *backend;
    unsigned index; /* among the backend's devices */
    tw_device_type type;
    bool exclusive;       /* a parallel kernel occupies the whole device: run one at a time */
    unsigned max_workers; /* the number of commands that are worth running at a time */
    unsigned max_copies;  /* the same for copies to the device; 0: as many as commands */
    bool has_own_threads; /* only worker threads of this device run its kernels and copies: a sub-device of the host */
    struct tw_backend_device *whole; /* of a sub-device of a device with memory of its own: that device; else NULL */
    bool times_cost;                 /* `measure` makes launches slower: use it only on request */
    /* Stores access number `index`, counted from 0, of a launch on the device; their parts do not overlap. Returns
       false if there are fewer. Set by the runtime once the device is open. `check` may call it, and so may the code
       that runs the launch, until the outcome of the launch was asked for. */
    bool (*access)(const struct tw_backend_device *device, const struct tw_internal_launch *launch, size_t index,
                   struct tw_backend_access *access);
    /* Returns true if a pointer leads to unified shared memory that the device reaches. Set by the runtime likewise. */
    bool (*reaches_usm)(const struct tw_backend_device *device, const void *pointer);
    /* Writes which unified shared memory a pointer leads to, as in "memory of tw_malloc_shared() of NAME". Returns false
       if it leads to none. Set by the runtime likewise. */
    bool (*name_usm)(const void *pointer, char *text, size_t bytes);
};

/* Returns the device whose memory a device uses. */
static inline const struct tw_backend_device *tw_backend_whole(const struct tw_backend_device *device)
{
    return device->whole ? device->whole : device;
}

/* The properties of a device; zero and "" where they are not known. */
struct tw_device_facts {
    char name[128], vendor[64], driver_version[32], architecture[32], uuid[40], pci_address[32];
    unsigned vendor_id; /* of PCI */
    size_t compute_capability;
    size_t compute_units, max_work_group_size, max_unit_items, sub_group_size;
    bool sub_groups_progress;              /* one may wait for another of its group without a barrier */
    unsigned atomic_orders, atomic_scopes; /* sets of TW_ORDER_BIT() and TW_SCOPE_BIT() */
    bool atomic_host_memory; /* read-modify-writes at system scope on host memory are atomic with the host's */
    bool uses_host_memory;   /* kernels use memory of `allocate_host`, or of malloc() in its place */
    bool has_shared_memory;  /* `allocate_shared` gives memory */
    bool uses_system_memory; /* kernels use all memory of the process */
    bool unified_memory;     /* the host and the device have the same physical memory */
    bool has_error_correction;
    size_t int_vector_bytes, float_vector_bytes,
        half_vector_bytes;                              /* of a register that is a vector; 1: they are scalar;
                                                                       of halves 0: there is no arithmetic */
    unsigned half_config, single_config, double_config; /* sets of tw_fp_config */
    tw_local_mem_type local_mem_type;
    size_t local_mem_bytes, unit_local_mem_bytes, registers;
    size_t global_mem_bytes, cache_bytes, l1_bytes, l2_bytes, cacheline_bytes, clock_mhz, numa_nodes;
    size_t memory_clock_mhz, memory_bus_bits;
    size_t timer_ns;     /* the resolution of the times of launches */
    size_t printf_bytes; /* that kernels can have printed before anybody waits; 0 also if there is no limit */
};

/* What changes about a device. */
struct tw_device_state {
    size_t free_bytes; /* 0 if it is not known */
    bool lost;         /* nothing runs on it any more */
};

/* The properties of a kernel on a device; zero where they are not known. */
struct tw_kernel_facts {
    size_t max_items;          /* of a work-group */
    size_t static_local_bytes; /* of a work-group, in TW_LOCAL variables */
    size_t private_bytes;      /* of a work-item, in memory */
    size_t registers;          /* of a work-item */
    size_t resident_groups;    /* work-groups that run at the same time */
};

/* Which of two tasks or streams goes first. */
enum tw_priority { TW_PRIORITY_LOW, TW_PRIORITY_NORMAL, TW_PRIORITY_HIGH, TW_PRIORITIES };

/* What a stream enqueues from `since` on runs after what the stream with a number has enqueued, up to `sequence`. */
struct tw_stream_order {
    uint64_t since, number, sequence;
};

#define TW_STREAM_ORDERS 16u /* that are remembered, the newest ones */

/* A stream: launches, copies and fills that a device runs one after the other, without the host. Backends embed it first in
   their own struct, zero-initialized. */
struct tw_backend_stream {
    /* used by the runtime */
    struct tw_backend_stream *next; /* while nothing is in flight */
    uint64_t number;                /* never that of another stream; 0: none yet */
    uint64_t ordered;               /* numbers that `orders` has, or had: bit n % 64 */
    unsigned order_count;           /* number i is in slot i % TW_STREAM_ORDERS */
    struct tw_stream_order orders[TW_STREAM_ORDERS];
};

/* A launch, a copy or a fill of a stream. Sequence numbers count from 1 and go on as long as the stream is open. */
struct tw_backend_event {
    struct tw_backend_stream *stream;
    uint64_t sequence;
};

/* A copy of rows of bytes: of `planes` planes of `rows` rows each. One row is a copy of contiguous bytes. */
struct tw_backend_copy {
    struct tw_backend_device *to, *from; /* NULL: host memory; others are of one backend */
    void *target;
    const void *source;
    size_t row_bytes, rows, planes;    /* rows and planes: at least 1 */
    size_t target_pitch, source_pitch; /* bytes from a row to the next, at least row_bytes; any if there is one row */
    size_t target_plane, source_plane; /* bytes from a plane to the next, behind its rows; any if there is one plane */
};

/* Returns the description of a copy of contiguous bytes. */
static inline struct tw_backend_copy tw_backend_copy_of(struct tw_backend_device *to, void *target,
                                                        struct tw_backend_device *from, const void *source,
                                                        size_t bytes)
{
    return (struct tw_backend_copy){
        .to = to, .from = from, .target = target, .source = source, .row_bytes = bytes, .rows = 1, .planes = 1};
}

static inline size_t tw_backend_copy_bytes(const struct tw_backend_copy *copy)
{
    return copy->row_bytes * copy->rows * copy->planes;
}

/* A fill of rows of bytes with a pattern, which begins anew in each row. */
struct tw_backend_fill {
    void *target; /* memory of a device */
    const void *pattern;
    size_t pattern_bytes;           /* at least 1 */
    size_t row_bytes, rows, planes; /* row_bytes is a multiple of pattern_bytes; the others are at least 1 */
    size_t pitch, plane;            /* as those of a copy's target */
};

static inline size_t tw_backend_fill_bytes(const struct tw_backend_fill *fill)
{
    return fill->row_bytes * fill->rows * fill->planes;
}

/* What a device is told about a part of an allocation by `allocate_shared`. */
struct tw_backend_hint {
    const void *memory;
    size_t bytes;    /* at least 1 */
    bool prefetches; /* brings the memory to the device, or if `to_host` to the host; else it is advice */
    bool to_host;
    tw_mem_advice advice;
};

/* The times at which a launch, a copy or a fill began and ended, by tw_now_ns() (base/clock.h); 0: not known. */
struct tw_backend_times {
    uint64_t start_ns, end_ns;
};

struct tw_backend_graph_part;

/* A kernel, a copy, a fill or a conditional part of a graph, and the nodes that it waits for. At most one of kernel, copy,
   fill and part is not NULL; if all are NULL, the node only waits. The nodes of a graph may be of several devices of a
   backend. What the pointers lead to lives as long as the graph, and is not changed, except for the contents of copied and
   filled memory; `before` and the nodes of a part live only during the call. */
struct tw_backend_graph_node {
    struct tw_backend_device
        *device; /* runs the kernel or the part, has the filled memory, or is the target of a copy between two */
    const struct tw_internal_kernel *kernel;
    const struct tw_internal_launch *launch; /* of the kernel */
    const struct tw_backend_copy *copy;      /* as the `copy` of tw_backend_async takes it */
    const struct tw_backend_fill *fill;      /* of memory of the device */
    const struct tw_backend_graph_part *part;
    const size_t *before; /* indices of the earlier nodes that it waits for, each once */
    size_t before_count;
};

/* Nodes that run if a condition in the memory of their device holds, or again and again while it does: it is read before
   they run, and after each time. They are of one device. A part may have parts. */
struct tw_backend_graph_part {
    const int *condition; /* holds if it is not 0 */
    bool repeats;
    const struct tw_backend_graph_node *nodes;
    size_t count;
};

/* An instantiated graph: nodes that a stream launches by one call. Backends embed it first in their own struct. */
struct tw_backend_graph {
    struct tw_backend_device *device; /* whose streams launch it */
};

/* A sampled image in a device's memory: rows of pixels, and how they are read. */
struct tw_backend_texture {
    const void *pixels;
    size_t width, height; /* in pixels */
    size_t pitch;         /* bytes from a row to the next */
    tw_channel_order order;
    tw_channel_type type;
    tw_sampler sampler;
};

#define TW_STREAM_DEPTH 512u /* the most launches, copies and fills of a stream that are in flight at a time */

/* ---- optional tables --------------------------------------------------------------------------------------------- */

/* For devices with memory of their own. Without this table a device works on host memory. */
struct tw_backend_memory {
    /* Allocates device memory, aligned for any type. Returns NULL if there is not enough. */
    void *(*allocate)(struct tw_backend_device *device, size_t bytes);

    /* Returns true if the last call of `allocate` or `back` by this thread failed because too much memory is in use:
       it may succeed once some is freed. NULL: every failure is of that kind. */
    bool (*is_full)(struct tw_backend_device *device);

    /* Frees memory from `allocate`. Must not fail. */
    void (*free)(struct tw_backend_device *device, void *memory);

    /* The five slots for memory that is backed in parts; all of them are NULL in a backend that cannot.

       Returns the size of a page, a power of two: memory is backed by whole pages. 0: this device cannot. */
    size_t (*page_bytes)(struct tw_backend_device *device);

    /* Reserves addresses, a multiple of 128, without memory behind them. Returns NULL if that is impossible. */
    void *(*reserve)(struct tw_backend_device *device, size_t bytes);

    /* Puts memory behind `bytes` reserved bytes from number `at` on, a multiple of the page's size; so is `bytes`, unless
       it reaches to the end. None of it is backed. Returns false, and changes nothing, if there is not enough. */
    bool (*back)(struct tw_backend_device *device, void *reserved, size_t at, size_t bytes);

    /* Takes that memory away again: the same bytes as one call of `back`. Nothing uses them any more. Must not fail. */
    void (*unback)(struct tw_backend_device *device, void *reserved, size_t at, size_t bytes);

    /* Gives addresses back. None of them is backed. Must not fail. */
    void (*release)(struct tw_backend_device *device, void *reserved, size_t bytes);

    /* Copies rows of bytes and returns when they have arrived. At least one side is memory of a device. The two sides
       do not overlap. */
    tw_status (*copy)(const struct tw_backend_copy *copy);

    /* Fills rows of bytes and returns when that is done. */
    tw_status (*fill)(struct tw_backend_device *device, const struct tw_backend_fill *fill);

    /* Allocate and free the host memory that the backend's devices copy fastest, aligned to 128 bytes. Returns NULL if
       there is none left. Both slots are NULL in a backend without such memory. */
    void *(*allocate_host)(size_t bytes);
    void (*free_host)(void *memory);

    /* Allocate and free memory that the host and the device both use, aligned for any type. Returns NULL if there is
       not enough, or none for this device. Both slots are NULL in a backend without such memory. */
    void *(*allocate_shared)(struct tw_backend_device *device, size_t bytes);
    void (*free_shared)(struct tw_backend_device *device, void *memory);

    /* Does what a hint says and returns when that is done; a success where it changes nothing. NULL in a backend where no
       hint changes anything. */
    tw_status (*hint)(struct tw_backend_device *device, const struct tw_backend_hint *hint);

    /* Checks that kernels of the device can use memory of the program, as far as that can be found out. `*shared` is true
       on entry if the program says that the host uses it too; stores whether that is so. Fails with
       TW_ERROR_INVALID_ARGUMENT if they cannot, and TW_ERROR_INVALID_RANGE if there are fewer bytes. NULL: nothing can be
       found out. */
    tw_status (*examine)(struct tw_backend_device *device, const void *memory, size_t bytes, bool *shared);

    /* Returns where the device has a byte of a variable of the program (teamwork/variable.h); NULL: it has no such
       variable. May load the program's images into the device. NULL: kernels use the program's own. */
    void *(*find_variable)(struct tw_backend_device *device, const void *variable);

    /* Returns the number by which kernels read an image through the device's own samplers (lower/image/image.h), as long
       as its memory lives, which is a part of `memory` by `allocate` or `reserve`. 0: the device has none that read it
       so. NULL: likewise, whatever the image is. */
    uint64_t (*texture)(struct tw_backend_device *device, const void *memory, const struct tw_backend_texture *texture);
};

/* For devices with streams. For each stream, one thread at a time calls `wait`, `measure`, `launch`, `copy`, `fill`,
   `hint` and a graph's `launch`, and one thread at a time calls `times` and `outcome`. Any number may call `completed`. */
struct tw_backend_async {
    /* Opens a stream. The priority is a hint: what the device has not begun of a stream with a higher one goes first. */
    tw_status (*open)(struct tw_backend_device *device, enum tw_priority priority, struct tw_backend_stream **stream);

    /* Called when nothing is in flight, before the device is closed. */
    void (*close)(struct tw_backend_stream *stream);

    /* Returns true if `launch` can run a launch that `check` has accepted. Others go to the backend's own `launch`. */
    bool (*takes)(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                  const struct tw_internal_launch *launch);

    /* Returns true if `copy` can copy between the memories of two devices of the backend, or within that of one if both
       are the same. Other copies go to the `copy` of tw_backend_memory. Called with the runtime's lock held: must be
       short. */
    bool (*reaches)(struct tw_backend_device *to, struct tw_backend_device *from);

    /* Makes all that is enqueued on the stream from now on wait, on the device, for what other streams have
       enqueued. These may be of any device of the backend. */
    tw_status (*wait)(struct tw_backend_stream *stream, const struct tw_backend_event *events, size_t count);

    /* Requests the times of the next launch, copy or fill on the stream. They are measured if that is possible. */
    void (*measure)(struct tw_backend_stream *stream);

    /* Enqueues a kernel and stores its sequence number. `launch` lives until its outcome was asked for. On failure
       nothing is enqueued and there is no outcome. */
    tw_status (*launch)(struct tw_backend_stream *stream, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch, uint64_t *sequence);

    /* Enqueues a copy to a device, from a device where `reaches` returned true; or, if that is true for the stream's
       device twice, between its memory and host memory by `allocate_host`. The stream is one of the target, or of another
       device of the backend. Otherwise as `launch`. `copy` itself
       is not used after the call. Both pieces of memory stay allocated until its outcome was asked for. The two sides do
       not overlap. */
    tw_status (*copy)(struct tw_backend_stream *stream, const struct tw_backend_copy *copy, uint64_t *sequence);

    /* Enqueues a fill of memory of the stream's device, if `reaches` returns true for that device twice; otherwise as
       `copy`. The pattern is not used after the call either. */
    tw_status (*fill)(struct tw_backend_stream *stream, const struct tw_backend_fill *fill, uint64_t *sequence);

    /* Enqueues a hint about memory of the stream's device; otherwise as `fill`. Advice may be taken at once. NULL if
       that of tw_backend_memory is. */
    tw_status (*hint)(struct tw_backend_stream *stream, const struct tw_backend_hint *hint, uint64_t *sequence);

    /* Lets the program enqueue work on the stream, by a call of `call` with `context` and what the stream is to the program,
       NULL where it is nothing: then `call` does the work, on any thread and when it is its turn. `context` lives until
       the outcome was asked for. Only for devices that reach themselves; otherwise as `launch`. NULL: the host waits, and then
       does the work. */
    tw_status (*native)(struct tw_backend_stream *stream, tw_status (*call)(const void *context, void *stream),
                        const void *context, uint64_t *sequence);

    /* Returns a sequence number of the stream that is completed, also by a failure; 0 if there is none. The caller, or
       another thread, calls again until `sequence` is completed. */
    uint64_t (*completed)(struct tw_backend_stream *stream, uint64_t sequence);

    /* The host waits for the sequence number: its completion is to be seen soon after, not only behind launches to come.
       Any thread calls it, with the runtime's lock held: must be short. NULL: each completion is seen at once. */
    void (*announce)(struct tw_backend_stream *stream, uint64_t sequence);

    /* Stores the times of a completed launch, copy or fill that was measured. Called once, before its outcome is asked for,
       in the order of sequence numbers. `times` is zero on entry, and stays so if they are not known. The times of one
       stream do not overlap, and none begins before its `launch` or `copy` was called. */
    void (*times)(struct tw_backend_stream *stream, uint64_t sequence, struct tw_backend_times *times);

    /* Returns the status of a completed launch, copy or fill, and frees what it used. Called once for each, in the order of
       sequence numbers, with the runtime's lock held: must be short. */
    tw_status (*outcome)(struct tw_backend_stream *stream, uint64_t sequence);
};

/* For devices with streams that launch many kernels at once. */
struct tw_backend_graphs {
    /* Makes a graph of nodes whose launches `check` has accepted, for streams of a device. If `takes` refuses one of them,
       or the backend cannot make one of the nodes, returns TW_SUCCESS and leaves `*graph` NULL. */
    tw_status (*instantiate)(struct tw_backend_device *device, const struct tw_backend_graph_node *nodes, size_t count,
                             struct tw_backend_graph **graph);

    /* Makes a graph of nodes from another one, whose launches that are in flight it does not change, and which is not
       launched any more, also on failure. That one is destroyed by itself, later or earlier. If its nodes are too
       different, returns TW_SUCCESS and leaves `*graph` NULL: `instantiate` follows. NULL in a backend where that gains
       nothing. */
    tw_status (*update)(struct tw_backend_graph *before, const struct tw_backend_graph_node *nodes, size_t count,
                        struct tw_backend_graph **graph);

    /* Frees a graph. No launch of it is in flight. */
    void (*destroy)(struct tw_backend_graph *graph);

    /* Enqueues all nodes of a graph for the stream's device under one sequence number with one outcome; otherwise as
       the `launch` of tw_backend_async. Each graph has at most one launch in flight. */
    tw_status (*launch)(struct tw_backend_stream *stream, struct tw_backend_graph *graph, uint64_t *sequence);
};

/* For programs that use OpenMP or CUDA beside the library. */
struct tw_backend_interop {
    /* Returns OpenMP's number of a device; the host has one, too. */
    int (*omp_number)(const struct tw_backend_device *device);

    /* Returns CUDA's ordinal of a device. NULL: they have none. */
    int (*cuda_ordinal)(const struct tw_backend_device *device);

    /* Return the number of OpenMP's default device for this thread; make another device the default, and return the one
       before; and fulfill the event of a detached task, which may run tasks of the program. NULL, except in the host's
       backend. */
    int (*omp_default)(void);
    int (*omp_set_default)(int number);
    /* Returns the number of the device that this thread's target regions for a simulated device run on: one whose memory is
       the host's, or the host. NULL, except in the host's backend. */
    int (*omp_stand_in)(void);
    void (*omp_fulfill)(uintptr_t event);

    /* Returns the address that OpenMP has mapped host memory to, on the device with OpenMP's number; NULL: it has not.
       NULL, except in the host's backend. */
    void *(*omp_mapped)(int number, const void *host);

    /* Enqueue on the stream, as the `launch` of tw_backend_async does, a wait for what a CUDA event stands for now, or the
       recording of a CUDA event. NULL: the devices have no such events; only with `async`, and for a device that reaches
       itself. */
    tw_status (*wait_cuda)(struct tw_backend_stream *stream, void *event, uint64_t *sequence);
    tw_status (*record_cuda)(struct tw_backend_stream *stream, void *event, uint64_t *sequence);
};

/* For simulated devices: faults and delays on demand (teamwork/sim.h). The caller has checked `operation`. Called from
   any thread. */
struct tw_backend_simulation {
    /* Sets the number of devices from the next discovery on; it overrides the environment. Called under the discovery
       lock. */
    tw_status (*configure)(unsigned count);

    /* Makes the n-th operation of a kind fail, counted from now, and if `on` all after it; n = 0: none. */
    void (*fail)(struct tw_backend_device *device, tw_sim_operation operation, uint64_t n, bool on);

    /* Makes operations of a kind take longer. */
    void (*delay)(struct tw_backend_device *device, tw_sim_operation operation, uint64_t delay_ns);

    /* Return the number of operations and the bytes of copies since the last reset, and the number of allocated bytes. */
    uint64_t (*count)(struct tw_backend_device *device, tw_sim_operation operation);
    uint64_t (*copied_bytes)(struct tw_backend_device *device);
    uint64_t (*allocated_bytes)(struct tw_backend_device *device);

    /* Clears faults, delays and counts. */
    void (*reset)(struct tw_backend_device *device);
};

/* For devices that can be divided into sub-devices: parts of their compute units, which have a fixed order. A sub-device is
   of the same backend and uses the memory of its parent: where devices have memory of their own, the slots of
   tw_backend_memory are called for the parent alone. */
struct tw_backend_parts {
    unsigned ways; /* a set of tw_partition */

    /* Stores how many sub-devices of `units` compute units each there are, or if that is 0, of as few as possible. Fails
       with TW_ERROR_UNSUPPORTED if this device cannot be divided, and TW_ERROR_INVALID_ARGUMENT if it can, but not so.
       Called from any thread. NULL: as many as fit, of any number. */
    tw_status (*equally)(struct tw_backend_device *device, size_t units, size_t *count);

    /* Stores, for the domains of a kind that the device's units belong to, the number of units of each, in the order of the
       units, and how many domains there are: 0 if there are none of that kind. `counts` has room for one number a unit.
       Never asked for TW_AFFINITY_NEXT_PARTITIONABLE. NULL without TW_PARTITION_BY_AFFINITY_DOMAIN. */
    tw_status (*domains)(struct tw_backend_device *device, tw_affinity_domain domain, size_t *counts, size_t *domains);

    /* Opens the sub-device of `count` >= 1 units from number `first` on. Called under the discovery lock. `close` closes
       it, before its parent. */
    tw_status (*open)(struct tw_backend_device *device, size_t first, size_t count, struct tw_backend_device **part);

    /* Called by each worker thread of a sub-device with threads of its own when it starts, instead of `begin_thread`. */
    void (*begin_thread)(struct tw_backend_device *part);
};

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Kernels that run one after the other, of launches that `check` has accepted. */
struct tw_backend_batch {
    const struct tw_internal_kernel *kernel; /* the first; then those that `next` chooses */
    struct tw_internal_launch *launch;

    /* Takes the status of the last kernel and chooses the next one. Returns false if there is none left. The thread
       that called `launch_batch` calls it, with no lock held. This function may call the runtime. */
    bool (*next)(struct tw_backend_batch *batch, tw_status status);
};

struct tw_backend {
    const char *name; /* TW_DEVICE_INFO_BACKEND */

    /* The types of its devices, if looking for them starts something costly: `count` is called only if TW_DEVICES
       admits one of the types. 0: it is always called. */
    unsigned types_on_demand;

    bool runs_stages; /* `launch` and `launch_batch` run the stages of launches (teamwork/lower/kernel/launch.h) */

    /* Optional tables; NULL: the devices cannot do this. */
    const struct tw_backend_memory *memory;
    const struct tw_backend_async *async;
    const struct tw_backend_graphs *graphs; /* only with `async` */
    const struct tw_backend_interop *interop;
    const struct tw_backend_simulation *simulation;
    const struct tw_backend_parts *parts;

    /* Stores the present number of devices. Called once in each discovery, after the backends before it in tw_backends
       have opened theirs. Called under the discovery lock, as are `open` and `explain`. */
    tw_status (*count)(unsigned *count);

    /* Opens device `index`. Called once for each device in each discovery. A device that fails with
       TW_ERROR_OUT_OF_DEVICE_MEMORY is left out; any other failure makes the discovery fail. */
    tw_status (*open)(unsigned index, struct tw_backend_device **device);

    /* Closes the device. Called at shutdown, when nothing runs any more. */
    void (*close)(struct tw_backend_device *device);

    /* Called by each worker thread when it starts. */
    void (*begin_thread)(void);

    /* Called by exit(), before OpenMP's handlers, when what runs was waited for: threads of the backend's own begin no
       more work. NULL: there are none. */
    void (*end_program)(void);

    /* Fills `facts`, which is zero on entry. Called at most once for each device, on first need. */
    void (*describe)(struct tw_backend_device *device, struct tw_device_facts *facts);

    /* Fills `state`, which is zero on entry. Called from any thread, with no lock held. */
    void (*observe)(struct tw_backend_device *device, struct tw_device_state *state);

    /* Checks that a kernel can run on the device, given its form and sizes, its argument block and the accesses that
       its group has made before it. Called while a group is recorded. May keep its findings in launch->found, for the
       code that runs the launch later. Defers the thread's cancellation if it loads something. */
    tw_status (*check)(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                       struct tw_internal_launch *launch);

    /* Calls a function of the program that works on the memory of a native task's accesses by itself, and returns its status,
       or that of what it did wrong there. Of `launch` only the accesses are set. NULL: the runtime calls the function. */
    tw_status (*watch)(struct tw_backend_device *device, const struct tw_internal_launch *launch,
                       tw_status (*function)(void *user), void *user);

    /* Checks that a kernel has code for the device, and loads it, if the backend does that by itself. Called from any
       thread. */
    tw_status (*load)(struct tw_backend_device *device, const struct tw_internal_kernel *kernel);

    /* Stores the limits of a kernel for work-groups of `items` work-items with `local_bytes` of local accessors. On
       entry max_items is the device's limit and the other members are zero. Called from any thread. */
    void (*limits)(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                   size_t local_bytes, struct tw_kernel_facts *facts);

    /* Runs a kernel and returns when it is complete. */
    tw_status (*launch)(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch);

    /* Runs a batch of kernels, each as `launch` does. NULL where a batch gains nothing. */
    void (*launch_batch)(struct tw_backend_device *device, struct tw_backend_batch *batch);

    /* Writes one sentence about why devices of a type, which the machine may have or the program was compiled for, are
       missing; "" if there is nothing to say. Returns true if the user should be told unasked. Called in a discovery, after all
       devices were opened. NULL: there is never anything to say. */
    bool (*explain)(tw_device_type type, char *text, size_t bytes);
};

/* All backends, the host's first; then a NULL. A backend that takes some of OpenMP's devices comes before `omp`, which
   takes the rest. */
extern const struct tw_backend *const tw_backends[];

/* The atomic orders and scopes of CPUs and of all GPUs that Teamwork compiles for. */
#define TW_ALL_ORDERS ((TW_ORDER_BIT(TW_ORDER_SEQ_CST) << 1) - 1)
#define TW_ALL_SCOPES ((TW_SCOPE_BIT(TW_SCOPE_SYSTEM) << 1) - 1)

#endif
