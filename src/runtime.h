/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the files of the runtime share: its objects.
 *
 *     base/            the lock, the clock, failures, memory, the process
 *     graph/           who waits for whom; which copies a command needs
 *     runtime/         submits, runs and completes commands
 *     objects/         what the program holds
 */
#ifndef TEAMWORK_RUNTIME_H
#define TEAMWORK_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include <teamwork/command_group.h>
#include <teamwork/lower/launch.h>
#include <teamwork/storage.h>

#include "backend.h"
#include "base/cancellation.h"
#include "base/clock.h"
#include "base/detail.h"
#include "base/environment.h"
#include "base/failure.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"
#include "graph/graph.h"

/* Why a task is doomed; or NULL. */
#define tw_doom_of(task) ((struct tw_failure *)(task)->node.doom)

/* A copy of the library in the process: one is in each program or library that is linked with the static one, besides the shared
   one. They share nothing; queues and buffers begin with the copy that they belong to. */
struct tw_copy {
    void (*keep_error)(tw_queue *queue, tw_status status, const char *message, const char *file, int line);
};
extern const struct tw_copy tw_this_copy; /* command_group.c */
/* Whether a queue or a buffer, not NULL, is of this copy. */
static inline tw_status tw_check_copy(const void *object)
{
    return __builtin_expect(*(const struct tw_copy *const *)object != &tw_this_copy, 0) ? tw_refuse_copy() : TW_SUCCESS;
}

/* ---- device.c ---------------------------------------------------------------------------------------------------- */

struct tw_platform {
    const char *name;
    tw_device_type type;
    struct tw_device **devices;
    size_t count;
};

struct tw_lane;
struct tw_track;

/* What a lane has chains for: copies are not to wait for kernels beside them. */
enum tw_track_kind { TW_TRACK_KERNELS, TW_TRACK_COPIES, TW_TRACK_COUNT };

struct tw_device {
    struct tw_backend_device *backend;
    struct tw_platform *platform;
    size_t place;     /* index of its memory among a buffer's places; 0 is host memory */
    unsigned ordinal; /* in the order of discovery */

    atomic_bool described;
    struct tw_device_facts facts; /* valid once described */

    /* scheduling */
    struct tw_lane *active; /* circular list of lanes with ready commands */
    struct tw_lane *system; /* for copies that no queue asked for */
    bool exclusive_running;
    unsigned copying;    /* tasks of the lanes' lists of copies that run */
    bool worker_is_warm; /* the last exclusive task ran on a worker */
    unsigned workers, idle_workers;
    unsigned lingering;   /* idle workers that look for work by themselves soon */
    bool napping_shortly; /* ... and so soon that nobody need wake them */
    bool stopping;
    pthread_t *threads;
    pthread_cond_t work;

    /* chains */
    struct tw_track *flying; /* circular list of tracks with tasks in flight, the next to be looked at first */
    unsigned flying_tracks;
    struct tw_backend_chain *idle_chains[TW_TRACK_COUNT]; /* on which nothing is in flight */
};

/* Finds the devices if that has not happened. Takes the discovery lock. */
tw_status tw_discover(void);
/* The same, and holds off tw_shutdown() until tw_runtime_leave(): for calls that make objects. Must be balanced, also
   where it fails. Nests. */
tw_status tw_runtime_enter(void);
void tw_runtime_leave(void);
/* After tw_discover(): all devices of the machine, visible or not, for places. */
size_t tw_place_count(void);
/* The device with a place of its own; NULL for place 0. */
struct tw_device *tw_place_device(size_t place);
struct tw_device *tw_host_device(void);
const struct tw_device_facts *tw_device_facts(const struct tw_device *device);
bool tw_is_device(const struct tw_device *device);

struct tw_context {
    size_t references; /* the handle and each queue */
    struct tw_device **devices;
    size_t count;
    tw_error_handler handler;
    void *handler_user;
    struct tw_queue *queues; /* of this context */
};
void tw_context_release_locked(struct tw_context *context);

/* ---- asynchronous errors (errors.c) -------------------------------------------------------------------------------
 */

/* A list keeps so many errors that nobody takes: a program that goes on in spite of them does not grow. */
#define TW_MOST_ERRORS 65536u

struct tw_error_list {
    struct tw_error_record *first, **last;
    size_t count;
    size_t dropped; /* for want of memory, or beyond the most */
};

struct tw_error_record {
    struct tw_error_record *next;
    tw_error error;
    char text[]; /* the message, the kernel's name and the file's */
};

void tw_errors_init(struct tw_error_list *list);
/* Appends a record; all strings are copied, since the library that they are from may be closed before it is delivered.
   Drops it if memory is exhausted or the list is full; what is delivered later says so. */
void tw_errors_add_locked(struct tw_error_list *list, tw_status status, const char *message, const char *kernel,
                          const char *file, int line);
/* Moves all of `from` to the end of `to`. */
void tw_errors_move_locked(struct tw_error_list *to, struct tw_error_list *from);
/* Hands all records to the handler; without the lock. */
void tw_errors_deliver(struct tw_error_list *list, tw_error_handler handler, void *user);
/* Takes the first record, sets tw_error_detail() and returns its status; TW_SUCCESS if there is none. */
tw_status tw_errors_take_first_locked(struct tw_error_list *list);
void tw_errors_free(struct tw_error_list *list);

/* ---- buffer.c -------------------------------------------------------------------------------------------------------
 */

/* Where a buffer's contents can be: host memory (place 0) or one device's memory. */
struct tw_place {
    struct tw_resource resource;
    _Atomic(void *) address; /* set once, under the buffer's allocation lock */
    bool valid;              /* holds the contents once the commands submitted so far are done */
    bool was_valid;          /* before the last host access that writes was submitted */
};

struct tw_buffer {
    const struct tw_copy *copy; /* first */
    size_t handles;             /* the program's references */
    atomic_size_t uses;         /* one for all handles, one for each command and accessor; raised without the lock */
    tw_range range;
    size_t element_bytes, bytes;
    bool over_host;              /* over the program's memory */
    bool lent;                   /* over that, or with storage: the program has memory back with the last handle */
    bool read_only;              /* over const memory */
    void *host_memory;           /* owned, of place 0; or NULL */
    struct tw_resource contents; /* the program's view: orders the groups */
    pthread_mutex_t allocation;  /* for place addresses; taken before tw_lock, never after */
    struct tw_buffer *next_unused;
    struct tw_storage_state *storage; /* or NULL */
    size_t place_count;
    struct tw_place places[];
};

/* Host memory, aligned for any type, to be freed by free(). NULL: there is none. */
void *tw_host_allocate(size_t bytes);
/* Makes sure that a place has memory. Without the lock. */
tw_status tw_buffer_allocate(struct tw_buffer *buffer, size_t place);
/* Whether the mode is one; what it needs and does. */
bool tw_access_mode_is_valid(tw_access_mode mode);
bool tw_access_mode_needs(tw_access_mode mode);
bool tw_access_mode_writes(tw_access_mode mode);
/* Drops a use; the last one puts the buffer on the list that tw_reclaim() frees. */
void tw_buffer_unuse_locked(struct tw_buffer *buffer);
void tw_buffer_free(struct tw_buffer *buffer);

/* ---- coherence.c
 * ----------------------------------------------------------------------------------------------------- */

struct tw_copy_plan {
    struct tw_buffer *buffer;
    size_t from, to; /* places */
};

/* What a group needs of one buffer. */
struct tw_use {
    struct tw_buffer *buffer;
    bool needs; /* the earlier contents */
    bool writes;
};

/* The copies that bring what `use` needs to `place`, at most two; returns how many. Changes nothing. */
size_t tw_plan_copies_locked(const struct tw_use *use, size_t place, struct tw_copy_plan plan[2]);
/* Whether copying between two places has to go through host memory. */
bool tw_copy_must_stage(size_t from, size_t to);
/* Whether a place will hold the contents. One that a failed copy should have filled does not, although it was planned
   to: the contents are still where they were. */
bool tw_place_holds(const struct tw_place *place);
/* Records where the contents are once the copies and the command are submitted. */
void tw_apply_locked(const struct tw_use *use, size_t place);

/* ---- command.c
 * --------------------------------------------------------------------------------------------------------- */

enum tw_task_kind {
    TW_TASK_COPY,
    TW_TASK_KERNEL,
    TW_TASK_GRAPH,
    TW_TASK_NOTHING,
    TW_TASK_HOST_ACCESS,
    TW_TASK_STANDBY
};
enum tw_phase { TW_PHASE_START, TW_PHASE_KERNEL, TW_PHASE_COMPLETE, TW_PHASE_COUNT };

/* Nodes linked by next. */
struct tw_task_list {
    struct tw_node *first, *last;
};

/* One schedulable piece of a command: a copy, or its body. */
struct tw_task {
    struct tw_node node; /* first: the graph's view */
    enum tw_task_kind kind;
    bool exclusive; /* occupies an exclusive device */
    bool flying;    /* in its track's list: issued, or failed to be, and unfinished */
    bool copying;   /* runs, and counts in the device's `copying` */
    bool awaited;   /* some poller may sleep for it */
    struct tw_command *command;
    uint64_t position;          /* in its track's chain, once issued */
    uint64_t began_ns;          /* without a chain, where that is measured */
    struct tw_failure *failure; /* its own, counted until it is finished; or NULL */
};

struct tw_copy_task {
    struct tw_task task; /* first: the scheduler's view */
    struct tw_copy_plan plan;
    struct tw_graph_access accesses[3];
};

/* One byte of its command, which is found by its phase: three pointers to the command would be a cache line more. */
struct tw_event {
    unsigned char phase; /* enum tw_phase */
};

/* A submitted command group, a host access, or a write-back. What is looked at for each is together. */
struct tw_command {
    atomic_size_t references; /* the scheduler until complete, and each event */
    struct tw_queue *queue;   /* counted; NULL for host accesses */
    struct tw_device *device; /* where its tasks run */
    struct tw_lane *lane;
    const struct tw_internal_kernel *kernel; /* or NULL */
    struct tw_command *next, *previous;      /* unfinished commands of the queue */
    uint64_t sequence;                       /* in its queue */

    struct tw_task body;
    size_t tasks_left;
    tw_status status;
    bool started, acquired, complete;
    bool timed;    /* there is an event that can be asked for the times: the clock costs a tenth of a short group */
    bool measured; /* ... and those of the tasks are wanted too; set with `timed` */
    struct tw_event events[TW_PHASE_COUNT];
    int line;
    const char *file;
    struct tw_failure *failure; /* its own, or the cause of its cancellation; counted */
    struct tw_standby *standby; /* owned; what it falls back on, or NULL */
    struct tw_use *uses;        /* counted uses of buffers, until complete */
    size_t use_count;

    struct tw_internal_bounds *bounds; /* owned; NULL unless the kernel checks its views */
    struct tw_command_graph *graph;    /* that it runs, counted until complete; or NULL */
    struct tw_copy_task *copies;
    size_t copy_count;
    struct tw_edge *edges; /* in the same allocation, or one of their own; likewise the body's accesses */
    size_t access_room;    /* so many are in the same allocation, and one edge more */
    unsigned char *args;   /* the argument block, in the same allocation */
    size_t bytes;          /* of the allocation */
    tw_event_times times;
    struct tw_internal_launch launch; /* if there is a kernel. Behind what is cleared first */
};

/* The command of an event. */
static inline struct tw_command *tw_command_of(const struct tw_event *event)
{
    return (struct tw_command *)((uintptr_t)(event - event->phase) - offsetof(struct tw_command, events));
}

/* What is used of a command's memory at once: with a few accesses, edges and arguments. */
#define TW_FETCHED_BYTES (sizeof(struct tw_command) + 256)

/* Makes a command with room for so many uses, accesses of its body, and bytes of arguments; in `memory`, which has none
   afterwards, or in new memory where that is too little. It may turn out to need more accesses. Without the lock. NULL: out
   of memory. */
struct tw_command *tw_command_create(struct tw_memory *memory, size_t use_count, size_t access_count,
                                     size_t args_bytes);
/* Plans copies, inserts the tasks into the graph and hands what is ready to the scheduler. On TW_ERROR_OUT_OF_MEMORY
   nothing has changed. May release the lock for a moment, before anything is planned. */
tw_status tw_command_submit_locked(struct tw_command *command);
/* Whether a command that is not submitted yet would wait, were it submitted now, for a marked one. */
bool tw_command_would_wait_locked(const struct tw_command *command, unsigned long mark);
/* What went wrong with a complete command whose status says so. */
void tw_command_message_locked(const struct tw_command *command, char *message, size_t bytes);
void tw_command_release(struct tw_command *command);
void tw_command_release_locked(struct tw_command *command);
/* Where a thread that runs tasks gets the next one, which it has to run; NULL: there is none for it now. */
struct tw_task_source {
    struct tw_task *(*take_locked)(struct tw_task_source *source);
};
/* Runs a task, and then those of the source as long as that has any and the device runs them in one go. Takes the lock held,
   releases it meanwhile. */
void tw_task_run_locked(struct tw_task *task, struct tw_task_source *source);
/* Sees to tasks that became ready, and to those that become so by it. Afterwards tw_issue_locked(). */
void tw_make_ready_locked(struct tw_node *nodes);
/* Finishes a task, all of whose predecessors are finished, and sees to what becomes ready. failure: NULL, its own, or
   the cause that doomed it. Afterwards tw_issue_locked(). */
void tw_task_finish_locked(struct tw_task *task, struct tw_failure *failure, bool cancelled);
/* Notes that the body of a command runs. */
void tw_command_start_locked(struct tw_command *command);
/* Notes when a task ran, if that is known. */
void tw_command_note_times_locked(const struct tw_task *task, struct tw_backend_times ran);
/* Room for so many edges into the command's tasks. */
tw_status tw_command_make_edges(struct tw_command *command, size_t needed);
/* The failure of one of the command's tasks; the message is the last complaint about a task. */
struct tw_failure *tw_command_failure_locked(const struct tw_command *command, tw_status status);
/* What a kernel that has run noted about the indices of its views. */
tw_status tw_command_check_bounds(const struct tw_command *command);
/* Completes a host access: whoever waits for it may run. */
void tw_command_finish_access_locked(struct tw_command *command, struct tw_failure *failure);

/* ---- standby.c ---------------------------------------------------------------------------------------------------- */

/* A group as it was recorded for the fallback queue; bounds go over to the standby. */
struct tw_standby_record {
    const struct tw_internal_kernel *kernel;
    const struct tw_internal_launch *launch;
    struct tw_internal_bounds *bounds;
    const void *args;
    size_t args_bytes, use_count;
};

/* NULL: out of memory. Without the lock. */
struct tw_standby *tw_standby_create(struct tw_queue *queue, const struct tw_standby_record *record);
void tw_standby_free_locked(struct tw_standby *standby);
/* Notes where the contents are that a command needs; before its own are applied. */
void tw_standby_note_places_locked(struct tw_command *command);
/* Notes that the command's kernel may have run in part. */
void tw_standby_kernel_has_run(struct tw_command *command);
/* The body of a command that has a standby has failed, all before it is finished. Returns true if it will run there.
   Else the failure is that of the first device, also where the standby has failed. */
bool tw_standby_take_locked(struct tw_task *task, struct tw_failure **failure, bool *cancelled);
/* Runs it: brings what it needs, launches its kernel, and hands over what it wrote. Without the lock. */
tw_status tw_standby_run(struct tw_command *command);

/* ---- storage.c ---------------------------------------------------------------------------------------------------- */

/* A command with these uses is about to be submitted. Returns when the storage of its buffers, where they have any,
   knows that they are in use. Releases the lock meanwhile. */
void tw_storage_begin_locked(const struct tw_use *uses, size_t count);
/* It was not submitted. */
void tw_storage_abandon_locked(const struct tw_use *uses, size_t count);
/* A command that uses the buffer, which has storage, is complete. */
void tw_storage_end_locked(struct tw_buffer *buffer, const struct tw_command *command);
/* A host access to the buffer may go on. */
void tw_storage_acquired_locked(struct tw_buffer *buffer);
/* Whether tw_storage_tell() has something to do. */
bool tw_storage_has_news_locked(void);
/* Calls the program's callbacks; without any lock. */
void tw_storage_tell(void);
/* Waits for the threads that do. Only at shutdown: a callback may wait for anything else. */
void tw_storage_settle(void);
/* Ends the program's use of a buffer with storage, whose last handle is gone: waits for the contents or leaves them to
   tw_storage_tell(). False: it was refused, and nothing has changed. */
bool tw_storage_destroy(struct tw_buffer *buffer, tw_status *status);
/* Whether the contents of a destroyed buffer wait for a host accessor that this thread holds. */
bool tw_storage_would_deadlock(const struct tw_buffer *buffer);
void tw_storage_free(struct tw_storage_state *state);

/* ---- async_storage.c --------------------------------------------------------------------------------------------- */

/* Notes which buffer a storage serves, if it is one of the library's own, and refuses a second one. */
tw_status tw_async_storage_attach(const tw_storage *callbacks, struct tw_buffer *buffer);
/* The buffer was not made after all. */
void tw_async_storage_detach(const tw_storage *callbacks);

/* ---- scheduler.c
 * ------------------------------------------------------------------------------------------------------- */

/* The tasks of one queue that a chain takes: the bodies, or the copies from other devices. Those in flight are finished in the
   order in which they were issued. */
struct tw_track {
    struct tw_lane *lane;
    enum tw_track_kind kind;
    struct tw_task_list issue; /* ready for the chain */
    struct tw_track *next_to_issue;
    bool is_to_issue, issuing;      /* on the list of tracks that have such; a thread is at it */
    struct tw_backend_chain *chain; /* while anything is in flight */
    struct tw_task_list flying;     /* in the order of issue */
    unsigned flying_count;
    struct tw_track *next_flying, *previous_flying; /* in device->flying, while there are any */
    bool reaping;                                   /* a thread looks for what is over */
    struct tw_poller *poller;                       /* the thread that polls for its tasks; or NULL */
    struct tw_poller *sleepers, **last_sleeper;     /* threads that wait beside it, the first to take over first */
};

/* The ready tasks of one queue, and those in flight. */
struct tw_lane {
    struct tw_device *device;
    struct tw_lane *next, *previous; /* in device->active, while it has ready tasks */
    struct tw_task_list light, exclusive;
    struct tw_task_list copies;  /* to a device that runs few at a time: in their order, by workers */
    uint64_t exclusive_since_ns; /* how long the first exclusive task has been ready */
    unsigned helpers;            /* waiting threads that run this lane's tasks */
    unsigned watchers;           /* threads that wait for the start of a body */
    unsigned sleepers;           /* helpers that wait for `changed` */
    pthread_cond_t changed;      /* something that the helpers look at; with the lock */
    atomic_uint epoch;           /* how often; polled without the lock */
    struct tw_track tracks[TW_TRACK_COUNT];
};

/* The command that this thread submits and then waits for at once; or NULL. */
extern _Thread_local const struct tw_command *tw_awaited;

/* The lane whose task this thread is finishing: it will look there for the next one, unless it is a worker and another thread
   waits for that. Set by command.c and chain.c. */
extern _Thread_local struct tw_lane *tw_running_lane;
/* Hands a ready task to whoever runs it first. */
void tw_schedule_locked(struct tw_task *task);
/* Sees to it that the device has a worker: for what has to come to its end although no thread waits for it. */
tw_status tw_device_needs_worker(struct tw_device *device);
/* Sees to it that some worker looks at the device's ready tasks; `soon`, or after a moment. */
void tw_wake_worker_locked(struct tw_device *device, bool soon);
void tw_lane_init(struct tw_lane *lane, struct tw_device *device);
void tw_lane_end(struct tw_lane *lane);
/* Tells the threads that look after a lane that something has changed there: a task became ready or was issued, or is
   finished. */
void tw_announce_locked(struct tw_lane *lane);
/* The same for all lanes of a device with ready tasks: it has become free, or whose turn it is has changed. */
void tw_announce_device_locked(struct tw_device *device);
/* Adds nodes linked by next, of which there may be none. Takes the first, of which there must be one. */
void tw_append(struct tw_task_list *list, struct tw_node *nodes);
struct tw_task *tw_pop(struct tw_task_list *list);
/* Waits while unfinished(what) returns a command, running ready tasks on the way to it meanwhile, but not `watched`, which
   may be NULL. `last`: of several commands, one that is likely to be the last; or NULL. The caller keeps both. */
void tw_wait_locked(struct tw_command *(*unfinished)(const void *what), const void *what, const struct tw_task *watched,
                    struct tw_command *last);
/* Frees what has become unused, and calls what storage objects are to be told. Without any lock. */
void tw_reclaim(void);
/* Only frees; returns whether there was anything. */
bool tw_reclaim_memory(void);
/* Makes the next tw_reclaim() look. */
void tw_reclaim_soon(void);
void tw_reclaim_buffer_locked(struct tw_buffer *buffer);
void tw_reclaim_graph_locked(struct tw_command_graph *graph);
/* Whether this thread may take and issue tasks: all may, until the program ends. */
bool tw_may_run_locked(void);
/* What exit() does first; while the devices stay. */
void tw_end_tasks(void);
/* Ends the workers of a device; with the lock held, which is released meanwhile. */
void tw_stop_workers_locked(struct tw_device *device);

/* ---- chain.c ----------------------------------------------------------------------------------------------------- */

/* The engine for the body of a command that is about to be submitted: NULL if its launch has to wait for all before it.
   Without the lock. */
const void *tw_chain_engine(const struct tw_command *command);
/* The engine for a copy; likewise, but with the lock. */
const void *tw_chain_copy_engine_locked(const struct tw_copy_plan *plan);
/* Where a task that has an engine is issued. */
static inline struct tw_track *tw_track_of(const struct tw_task *task)
{
    return &task->command->lane->tracks[task->kind == TW_TASK_COPY ? TW_TRACK_COPIES : TW_TRACK_KERNELS];
}
/* Takes over a ready task that has an engine. */
void tw_chain_add_locked(struct tw_task *task);
/* Issues what is to be issued; releases the lock meanwhile. */
void tw_issue_locked(void);
/* Looks once in a while for what is over on a lane; for who submits. Releases the lock meanwhile. */
void tw_chain_tidy_locked(struct tw_lane *lane);
/* Finishes what is over on some lane. Releases the lock meanwhile. Returns whether there was any. */
bool tw_reap_device_locked(struct tw_device *device);
/* A thread that waits for tasks in flight. Of those that wait for one track, one polls; the others sleep until what they wait
   for is finished, or the polling is left to them. */
struct tw_poller {
    struct tw_track *track;         /* that it polls for; NULL: none, as at first */
    struct tw_queue *queue;         /* counted, keeps that track */
    const struct tw_task *target;   /* that it sleeps for; or NULL */
    struct tw_poller *next, **link; /* in track->sleepers, while it sleeps */
    pthread_cond_t *woken;          /* then */
};
/* Leaves the polling, if the thread polls, to others. To be called before the thread does, or waits for, anything but tasks of the track. */
void tw_poller_leave_locked(struct tw_poller *poller);
/* Waits until a task in flight is a step nearer to its end, or anything else has changed; beside another poller, until `target`
   is finished if it is of the same track. Releases the lock meanwhile. */
void tw_chain_wait_locked(struct tw_poller *poller, struct tw_task *task, struct tw_task *target);
/* Wakes those who sleep for a task, which is finished, or has started. */
void tw_chain_wake_locked(struct tw_task *task);
/* Notes which task in flight on a lane runs now. */
void tw_note_start_locked(struct tw_lane *lane);
/* Ends the chains of a device on which nothing is in flight; with the lock held, which is released meanwhile. */
void tw_close_chains_locked(struct tw_device *device);

/* ---- queue.c
 * -------------------------------------------------------------------------------------------------------------- */

/* A queue keeps so many groups that have been submitted, for tw_queue_begin(): one for each thread, if they are not more. */
#define TW_SPARE_GROUPS 8

struct tw_queue {
    const struct tw_copy *copy; /* first */
    atomic_size_t references;   /* the handle, each command and each recorded group; raised without the lock */
    struct tw_device *device;
    atomic_bool profiling;         /* set without the lock */
    struct tw_context *context;    /* counted; or NULL */
    struct tw_queue *next, **link; /* in context->queues */
    tw_error_handler handler;
    void *handler_user;
    struct tw_lane lane;
    struct tw_command *first, *last; /* unfinished, in the order of submission */
    size_t unfinished, limit;        /* so many; from so many on a submission makes room first */
    uint64_t submitted;              /* sequence of the last command */
    struct tw_recording *recording;  /* of the groups submitted now; or NULL */
    struct tw_error_list errors;
    struct tw_kept_memory kept;
    struct {
        _Alignas(TW_CACHE_LINE) _Atomic(struct tw_command_group *) group; /* to be begun again; or NULL */
    } spare[TW_SPARE_GROUPS];
};
void tw_queue_release_locked(struct tw_queue *queue);
/* Waits, where a queue has reached its limit, until it has room again or the program itself holds its commands back. */
void tw_queue_make_room_locked(struct tw_queue *queue);
/* Waits for all commands submitted so far. Fails only with TW_ERROR_WOULD_DEADLOCK. */
tw_status tw_queue_drain_locked(struct tw_queue *queue);
/* Whether the times of a queue's tasks are to be measured, for a group with an event. */
static inline bool tw_queue_measures(const struct tw_queue *queue)
{
    return !queue->device->backend->times_cost || atomic_load_explicit(&queue->profiling, memory_order_relaxed);
}
/* Delivers the queue's undelivered errors to its handler; false where there is none. Without the lock. */
bool tw_queue_throw_to_handler(struct tw_queue *queue);
/* Delivers the queue's undelivered errors to its handler, or returns the first where there is none; without the lock.
 */
tw_status tw_queue_deliver(struct tw_queue *queue);

/* ---- command_graph.c ------------------------------------------------------------------------------------------------- */

struct tw_command_graph {
    size_t references; /* the handle and each unfinished submission */
    struct tw_device *device;
    struct tw_command **commands; /* never submitted; with counted uses of buffers */
    size_t count;
    struct tw_use *uses; /* of all, once each; counted by the commands */
    size_t use_count;
    struct tw_resource turn;           /* orders the submissions */
    struct tw_backend_graph *assembly; /* NULL: the kernels run one after the other */
    struct tw_command_graph *next_unused;
};
/* Records a command that is complete but for its queue; then it belongs to the recording. */
tw_status tw_recording_add_locked(struct tw_queue *queue, struct tw_command *command);
void tw_recording_drop_locked(struct tw_recording *recording);
void tw_command_graph_release_locked(struct tw_command_graph *graph);
void tw_command_graph_free(struct tw_command_graph *graph);
/* Runs the kernels of a graph. */
tw_status tw_command_graph_run(const struct tw_command_graph *graph);

/* ---- command_group.c ------------------------------------------------------------------------------------ */

/* Records an error of a group that has none yet; its detail is the thread's. */
void tw_command_group_fail(struct tw_command_group *group, tw_status status);
void tw_spare_groups_free(struct tw_queue *queue);
/* Whether the group's kernel works on host memory itself. */
bool tw_command_group_is_on_host(const struct tw_command_group *group);

/* ---- host_accessor.c
 * -------------------------------------------------------------------------------------------------------- */

struct tw_host_accessor {
    struct tw_command *command; /* a counted reference */
    struct tw_buffer *buffer;   /* kept by the command */
    pthread_t owner;
    struct tw_host_accessor *next, **link; /* of all open accessors */
};
/* A mark for tw_graph_mark_dependants() that no node has. */
unsigned long tw_new_mark_locked(void);
/* Marks what waits for accessors that this thread holds. Returns the mark, 0 if it holds none. */
unsigned long tw_mark_own_accesses_locked(void);
/* Brings the contents to host memory and waits for every command that uses the buffer. */
tw_status tw_buffer_bring_home(struct tw_buffer *buffer);

#endif
