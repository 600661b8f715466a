/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The border between the runtime (src/) and devices (offload/): one table of operations for each backend. How to add a
 * backend is told by docs/backends.md.
 *
 * The runtime calls the table from the threads that submit, wait or work, several at once, so every slot must be thread
 * safe. It holds no lock then, unless the slot's comment says so. A slot calls the runtime only through the pointers of
 * this header that are for that. It reports a failure by its status and, through tw_fail() (base/detail.h), one
 * sentence.
 */
#ifndef TEAMWORK_BACKEND_H
#define TEAMWORK_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include <teamwork/device.h>
#include <teamwork/lower/kernel/launch.h>
#include <teamwork/sim.h>

#include "base/detail.h"

/* What a kernel accesses through an accessor of its group. */
struct tw_backend_access {
    void *address; /* in the device's memory */
    size_t bytes, element_bytes;
    tw_range range;     /* of the buffer */
    bool needs, writes; /* the earlier contents; and changes them */
};

/* A device as its backend knows it. Backends embed it first in their own struct. */
struct tw_backend_device {
    const struct tw_backend *backend;
    unsigned index; /* among the backend's devices */
    tw_device_type type;
    bool exclusive;       /* a parallel kernel occupies the whole device: run one at a time */
    unsigned max_workers; /* commands that are worth running at a time */
    unsigned max_copies;  /* copies to the device that are; 0: as many as commands */
    bool times_cost;      /* `measure` makes launches slower: only for who asks */
    /* Set by the runtime once the device is open: tells the access number `index`, from 0, of a launch on the
       device; one for each buffer. False: there are not as many. For `check`, and from whatever runs the launch
       until its outcome was asked for. */
    bool (*access)(const struct tw_backend_device *device, const struct tw_internal_launch *launch, size_t index,
                   struct tw_backend_access *access);
};

/* What is known of a device; zero and "" where nothing is. */
struct tw_device_facts {
    char name[128], vendor[64], driver_version[32];
    size_t compute_units, max_work_group_size, sub_group_size;
    unsigned atomic_orders, atomic_scopes; /* sets of TW_ORDER_BIT() and TW_SCOPE_BIT() */
    tw_local_mem_type local_mem_type;
    size_t local_mem_bytes, global_mem_bytes, cache_bytes, cacheline_bytes, clock_mhz, numa_nodes;
};

/* What is known of a kernel on a device; zero where nothing is. */
struct tw_kernel_facts {
    size_t max_items;          /* of a work-group */
    size_t static_local_bytes; /* of a work-group, in TW_LOCAL variables */
    size_t private_bytes;      /* of a work-item, in memory */
    size_t resident_groups;    /* that run at the same time */
};

/* A stream: launches and copies that a device runs one after the other, while the host does something else. Backends
   embed it first in their own struct. */
struct tw_backend_stream {
    struct tw_backend_stream *next; /* the runtime's own, while nothing is in flight */
};

/* A launch or a copy of a stream. Sequence numbers count from 1 and go on as long as the stream is open. */
struct tw_backend_event {
    struct tw_backend_stream *stream;
    uint64_t sequence;
};

/* When a launch or a copy ran, as tw_now_ns() (base/clock.h) tells the time; 0: not known. */
struct tw_backend_times {
    uint64_t start_ns, end_ns;
};

/* A kernel of a graph, and the nodes that have to be over before. */
struct tw_backend_graph_node {
    const struct tw_internal_kernel *kernel; /* NULL: nothing to run, only something to wait for */
    const struct tw_internal_launch *launch; /* lives as long as the graph, and is not changed */
    const size_t *before;                    /* numbers of earlier nodes, each once */
    size_t before_count;
};

/* Nodes that a stream launches at once. Backends embed it first in their own struct. */
struct tw_backend_graph {
    struct tw_backend_device *device;
};

#define TW_STREAM_DEPTH 512u /* launches and copies of a stream that are in flight at a time, at most */

/* ---- optional tables --------------------------------------------------------------------------------------------- */

/* For devices with memory of their own. The others work on host memory itself. */
struct tw_backend_memory {
    /* Allocates device memory, aligned for any type. NULL: out of memory. */
    void *(*allocate)(struct tw_backend_device *device, size_t bytes);

    /* Frees what allocate gave. Must not fail. */
    void (*free)(struct tw_backend_device *device, void *memory);

    /* Copies `bytes` and returns when they have arrived. NULL for a device stands for host memory; both devices, where
       given, are of this backend. */
    tw_status (*copy)(struct tw_backend_device *to, void *target, struct tw_backend_device *from, const void *source,
                      size_t bytes);

    /* Allocates host memory that the backend's devices copy to and from fastest, aligned to 128 bytes, and frees it.
       NULL: there is none. Both slots are NULL where there is no such thing. */
    void *(*allocate_host)(size_t bytes);
    void (*free_host)(void *memory);
};

/* For devices that keep an order themselves. One thread at a time uses `wait`, `measure`, `launch`, `copy` and a
   graph's `launch` of a stream, and one at a time `times` and `outcome`; `completed` any number. */
struct tw_backend_async {
    tw_status (*open)(struct tw_backend_device *device, struct tw_backend_stream **stream);

    /* Called when nothing is in flight, before the device is closed. */
    void (*close)(struct tw_backend_stream *stream);

    /* Whether `launch` can be used for a launch that `check` let pass. Others go to the table's own `launch`. */
    bool (*takes)(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                  const struct tw_internal_launch *launch);

    /* Whether `copy` can be used between the memories of two devices of the backend; others go to the memory's own
       `copy`. Called with the runtime's lock held: must be short. */
    bool (*reaches)(struct tw_backend_device *to, struct tw_backend_device *from);

    /* What is enqueued on the stream next waits on the device for launches and copies of other streams, of any device
       of the backend. */
    tw_status (*wait)(struct tw_backend_stream *stream, const struct tw_backend_event *events, size_t count);

    /* The next launch or copy that is enqueued on the stream is measured, if that can be done. */
    void (*measure)(struct tw_backend_stream *stream);

    /* Enqueues a kernel and stores its sequence number. `launch` lives until its outcome was asked for. On failure nothing is
       enqueued and there is no outcome. */
    tw_status (*launch)(struct tw_backend_stream *stream, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch, uint64_t *sequence);

    /* Enqueues a copy from another device, which the stream's `reaches`, to memory of the stream's; else as `launch`.
       Both stay until its outcome was asked for. */
    tw_status (*copy)(struct tw_backend_stream *stream, void *target, struct tw_backend_device *from,
                      const void *source, size_t bytes, uint64_t *sequence);

    /* Returns a sequence number of the stream that is completed, be it by a failure; 0 if there is none. The caller is
       interested in `sequence`, and asks until that is completed, or another thread does. */
    uint64_t (*completed)(struct tw_backend_stream *stream, uint64_t sequence);

    /* When a launch or a copy ran that was measured and is over: asked for once, before its outcome, and in the order
       of sequence numbers. `times` comes zeroed, and stays so where that is not known. What one stream runs does not
       overlap. */
    void (*times)(struct tw_backend_stream *stream, uint64_t sequence, struct tw_backend_times *times);

    /* Returns how a completed launch or copy went: asked for once, for each in the order of sequence numbers. Frees
       what it used. Called with the runtime's lock held: must be short. */
    tw_status (*outcome)(struct tw_backend_stream *stream, uint64_t sequence);
};

/* For devices with streams that launch many kernels at once. */
struct tw_backend_graphs {
    /* Makes a graph of nodes whose launches `check` let pass. `*graph` is left NULL, and all is well, if one of them
       is none that the streams take. */
    tw_status (*instantiate)(struct tw_backend_device *device, const struct tw_backend_graph_node *nodes, size_t count,
                             struct tw_backend_graph **graph);

    /* Undoes that, when no launch of the graph is in flight. */
    void (*destroy)(struct tw_backend_graph *graph);

    /* Enqueues all nodes of a graph of the stream's device, as the stream's `launch` does a kernel: one sequence
       number and one outcome. One at a time is in flight of each graph. */
    tw_status (*launch)(struct tw_backend_stream *stream, struct tw_backend_graph *graph, uint64_t *sequence);
};

/* For simulated devices: faults and delays on demand (teamwork/sim.h). Operations are valid ones. Called from any
   thread. */
struct tw_backend_simulation {
    /* Sets how many devices there are from the next discovery on, over what the environment says. Under the
       discovery lock. */
    tw_status (*configure)(unsigned count);

    /* Lets the n-th operation of a kind from now on fail, and if `on` all after it; 0: none. */
    void (*fail)(struct tw_backend_device *device, tw_sim_operation operation, uint64_t n, bool on);

    /* Lets operations of a kind take longer. */
    void (*delay)(struct tw_backend_device *device, tw_sim_operation operation, uint64_t delay_ns);

    /* How many operations there were since the last reset, and bytes that are allocated. */
    uint64_t (*count)(struct tw_backend_device *device, tw_sim_operation operation);
    uint64_t (*allocated_bytes)(struct tw_backend_device *device);

    /* Clears faults, delays and counts. */
    void (*reset)(struct tw_backend_device *device);
};

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Kernels that run one after the other, of launches that `check` let pass. */
struct tw_backend_batch {
    const struct tw_internal_kernel *kernel; /* the first; then those that `next` chooses */
    struct tw_internal_launch *launch;

    /* Takes how the last kernel went, and chooses another. False: there is none any more. Called by the thread that
       called `launch_batch`, with no lock held; this one may call the runtime. */
    bool (*next)(struct tw_backend_batch *batch, tw_status status);
};

struct tw_backend {
    const char *name; /* TW_DEVICE_INFO_BACKEND */

    /* The types of devices that it may have, if to look for them starts something: it is asked only where TW_DEVICES
       lets one of them through. 0: always. */
    unsigned types_on_demand;

    /* What its devices can do beyond `launch`; NULL: nothing of the kind. */
    const struct tw_backend_memory *memory;
    const struct tw_backend_async *async;
    const struct tw_backend_graphs *graphs; /* only with `async` */
    const struct tw_backend_simulation *simulation;

    /* Stores how many devices there are now. Called once in each discovery, after the backends before it in
       tw_backends have opened theirs. Under the discovery lock, as `open` and `explain`. */
    tw_status (*count)(unsigned *count);

    /* Opens device `index`. Called once for each in each discovery. A device that answers
       TW_ERROR_OUT_OF_DEVICE_MEMORY is left out; any other failure is that of the discovery. */
    tw_status (*open)(unsigned index, struct tw_backend_device **device);

    /* Ends what open began. Called at shutdown, when nothing runs any more. */
    void (*close)(struct tw_backend_device *device);

    /* Called by each worker thread when it starts. */
    void (*begin_thread)(void);

    /* Fills `facts`, which comes zeroed. Called at most once for each device, on first need. */
    void (*describe)(struct tw_backend_device *device, struct tw_device_facts *facts);

    /* Whether a kernel can run on the device at all, given its form and sizes, its block and the accesses that were
       made before it. Called while a group is recorded. May keep what it finds out in launch->found, for those that
       run the launch later. */
    tw_status (*check)(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                       struct tw_internal_launch *launch);

    /* What the device allows a kernel, for groups of `items` work-items and so many bytes of local accessors;
       max_items comes as the device's limit, the others zeroed. Called from any thread. */
    void (*limits)(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                   size_t local_bytes, struct tw_kernel_facts *facts);

    /* Runs a kernel and returns when it is complete. */
    tw_status (*launch)(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch);

    /* Runs kernels that are worth running in one go, each as `launch` does. NULL where that gains nothing. */
    void (*launch_batch)(struct tw_backend_device *device, struct tw_backend_batch *batch);

    /* One sentence about why the machine's devices, or those that the program was compiled for, are not all there;
       "" where there is nothing to say. Returns whether the user should be told unasked. Called in a discovery,
       after all devices were opened. NULL: there is never anything to say. */
    bool (*explain)(char *text, size_t bytes);
};

/* All of them, the host's first; then a NULL. Who takes some of OpenMP's devices comes before `omp`, which takes the
   rest. */
extern const struct tw_backend *const tw_backends[];

/* What CPUs and all GPUs that Teamwork compiles for can do. */
#define TW_ALL_ORDERS ((TW_ORDER_BIT(TW_ORDER_SEQ_CST) << 1) - 1)
#define TW_ALL_SCOPES ((TW_SCOPE_BIT(TW_SCOPE_SYSTEM) << 1) - 1)

#endif
