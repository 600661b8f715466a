/* SPDX-License-Identifier: Apache-2.0 */
/* Queues (spec 3.5.5): creation, waiting, and the delivery of errors. */
#include "queue.h"

#include <teamwork/command_graph.h>

#include <stdlib.h>
#include <string.h>

#include "base/answer.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "objects/data/buffer.h"
#include "objects/data/host_access.h"
#include "objects/devices/discovery.h"
#include "objects/devices/lifetime.h"
#include "objects/devices/selector.h"
#include "runtime/command.h"
#include "runtime/fallback.h"
#include "runtime/pool.h"
#include "runtime/reclaim.h"
#include "runtime/wait.h"
#include "runtime/workers.h"

#define ROOM (TW_QUEUE_DEPTH / 8) /* free places that a submission to a full queue waits for, so that it wakes rarely */
#define ROOM_STEP 256u

/* The queues that have had errors, the latest first, until they end. */
static struct tw_queue *failed_queues;

/* Adds an error, of the failure with a number or 0, to the queue's errors, with what all of them say of the queue. */
static void add_error_locked(struct tw_queue *queue, tw_error error, uint64_t failure)
{
    error.device = queue->device;
    queue = queue->owner ? queue->owner : queue;
    if (!queue->failed_link) {
        queue->next_failed = failed_queues;
        queue->failed_link = &failed_queues;
        if (failed_queues)
            failed_queues->failed_link = &queue->next_failed;
        failed_queues = queue;
    }
    error.queue = queue;
    error.context = queue->context;
    tw_errors_add_locked(&queue->errors, &error, failure);
}

/* Adds an error of the block form, which cannot return it, to the queue's errors. */
static void keep_error(tw_queue *queue, tw_status status, const char *message, const char *file, int line)
{
    tw_lock();
    add_error_locked(
        queue,
        (tw_error){.status = status, .message = message, .file = file, .line = line, .native = tw_error_native_code()},
        0);
    tw_unlock();
}

/* Frees the queue when the last reference to its task queue is released. */
static void end_locked(struct tw_task_queue *tasks)
{
    struct tw_queue *queue = tw_queue_of(tasks);
    if (queue->failed_link) {
        *queue->failed_link = queue->next_failed;
        if (queue->next_failed)
            queue->next_failed->failed_link = queue->failed_link;
    }
    tw_errors_free(&queue->errors);
    for (size_t i = 0; i < TW_SPARE_GROUPS; ++i) {
        struct tw_command_group *group = atomic_load(&queue->spare[i].group);
        if (group)
            queue->free_group(group);
    }
    for (size_t i = 0; i < TW_SPARE_SCRATCH; ++i) {
        struct tw_buffer *scratch = atomic_load(&queue->scratch[i]);
        if (scratch)
            tw_buffer_unuse_locked(scratch);
    }
    tw_memory_drop_locked(&queue->kept);
    tw_task_queue_end(tasks);
    if (queue->devices && queue->devices->free_spare)
        queue->devices->free_spare(atomic_load(&queue->devices->spare));
    if (queue->devices)
        queue->devices->free(queue->devices);
    free(queue);
    tw_object_died_locked(TW_OBJECT_QUEUE);
}

#define PRIORITIES ((unsigned)(TW_QUEUE_PRIORITY_LOW | TW_QUEUE_PRIORITY_HIGH))
#define ALL_PROPERTIES ((unsigned)(TW_QUEUE_IN_ORDER | TW_QUEUE_PROFILING) | PRIORITIES)

static const unsigned properties_of[TW_PRIORITIES] = {
    [TW_PRIORITY_LOW] = TW_QUEUE_PRIORITY_LOW, [TW_PRIORITY_HIGH] = TW_QUEUE_PRIORITY_HIGH};

static enum tw_priority priority_of(unsigned properties)
{
    return properties & TW_QUEUE_PRIORITY_LOW    ? TW_PRIORITY_LOW
           : properties & TW_QUEUE_PRIORITY_HIGH ? TW_PRIORITY_HIGH
                                                 : TW_PRIORITY_NORMAL;
}

tw_status tw_queue_check_properties(unsigned properties)
{
    if ((properties & PRIORITIES) == PRIORITIES)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a queue has one priority");
    if (properties & ~ALL_PROPERTIES)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "0x%x is no set of properties of queues", properties);
    return TW_SUCCESS;
}

static void join_locked(struct tw_queue *queue, struct tw_context *context)
{
    ++context->references;
    queue->context = context;
    queue->next = context->queues;
    queue->link = &context->queues;
    if (queue->next)
        queue->next->link = &queue->next;
    context->queues = queue;
}

tw_status tw_queue_make(tw_device *device, tw_context *context, unsigned properties, tw_error_handler handler,
                        void *handler_user, tw_queue **result)
{
    const tw_status status = tw_device_needs_worker(device);
    if (status != TW_SUCCESS)
        return status;
    struct tw_queue *queue = aligned_alloc(_Alignof(struct tw_queue), sizeof *queue);
    if (!queue)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a queue");
    memset(queue, 0, sizeof *queue);
    queue->copy = &tw_this_copy;
    queue->keep_error = keep_error;
    queue->device = device;
    queue->limit = TW_QUEUE_DEPTH;
    queue->handler = handler;
    queue->handler_user = handler_user;
    tw_task_queue_init(&queue->tasks, device, end_locked);
    queue->tasks.in_order = properties & TW_QUEUE_IN_ORDER;
    queue->tasks.priority = priority_of(properties);
    atomic_init(&queue->profiling, (properties & TW_QUEUE_PROFILING) != 0);
    tw_errors_init(&queue->errors);
    queue->handles = 1;
    tw_lock();
    tw_object_born_locked(TW_OBJECT_QUEUE);
    device->has_priorities = device->has_priorities || queue->tasks.priority != TW_PRIORITY_NORMAL;
    if (context)
        join_locked(queue, context);
    tw_unlock();
    *result = queue;
    return TW_SUCCESS;
}

/* Calls tw_runtime_leave(), even if the selector throws an exception. */
static void leave_runtime(const tw_status *status)
{
    (void)status;
    tw_runtime_leave();
}

tw_status tw_queue_create(tw_device_selector selector, void *selector_user, tw_error_handler handler,
                          void *handler_user, tw_queue **queue)
{
    if (!queue)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is to be stored at NULL");
    tw_device *device = NULL;
    tw_status status __attribute__((cleanup(leave_runtime))) = tw_runtime_enter();
    if (status == TW_SUCCESS)
        status = tw_select_device(selector, selector_user, &device);
    if (status == TW_SUCCESS)
        status = tw_queue_make(device, NULL, 0, handler, handler_user, queue);
    return status;
}

tw_status tw_queue_create_on_device(tw_device *device, tw_error_handler handler, void *handler_user, tw_queue **queue)
{
    if (!queue)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is to be stored at NULL");
    tw_status status = tw_runtime_enter();
    if (status == TW_SUCCESS && !tw_is_device(device))
        status = tw_fail(TW_ERROR_INVALID_ARGUMENT, TW_NO_DEVICE);
    if (status == TW_SUCCESS)
        status = tw_queue_make(device, NULL, 0, handler, handler_user, queue);
    tw_runtime_leave();
    return status;
}

static tw_status create_in_context(tw_context *context, tw_device *device, unsigned properties,
                                   tw_error_handler handler, void *handler_user, tw_queue **queue)
{
    if (!queue || !context)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", context ? "place for the queue" : "context");
    const tw_status status = tw_check_process();
    if (status != TW_SUCCESS)
        return status;
    if (!device)
        return tw_queue_make(context->devices[0], context, properties, handler, handler_user, queue);
    for (size_t i = 0; i < context->count; ++i)
        if (context->devices[i] == device)
            return tw_queue_make(device, context, properties, handler, handler_user, queue);
    return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the device is not one of the context's");
}

tw_status tw_queue_create_in_context(tw_context *context, tw_device *device, tw_error_handler handler,
                                     void *handler_user, tw_queue **queue)
{
    return create_in_context(context, device, 0, handler, handler_user, queue);
}

tw_status tw_queue_create_with_properties(tw_context *context, tw_device *device, unsigned properties,
                                          tw_error_handler handler, void *handler_user, tw_queue **queue)
{
    if (!queue)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is to be stored at NULL");
    const tw_status checked = tw_queue_check_properties(properties);
    if (checked != TW_SUCCESS)
        return checked;
    if (context)
        return create_in_context(context, device, properties, handler, handler_user, queue);
    tw_status status __attribute__((cleanup(leave_runtime))) = tw_runtime_enter();
    if (status == TW_SUCCESS && device && !tw_is_device(device))
        status = tw_fail(TW_ERROR_INVALID_ARGUMENT, "the device is from before tw_shutdown()");
    if (status == TW_SUCCESS && !device)
        status = tw_select_device(NULL, NULL, &device);
    if (status == TW_SUCCESS)
        status = tw_queue_make(device, NULL, properties, handler, handler_user, queue);
    return status;
}

tw_status tw_queue_create_in_context_by_selector(tw_context *context, tw_device_selector selector, void *selector_user,
                                                 unsigned properties, tw_error_handler handler, void *handler_user,
                                                 tw_queue **queue)
{
    if (!queue || !context)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", context ? "place for the queue" : "context");
    tw_status status __attribute__((cleanup(leave_runtime))) = tw_runtime_enter();
    if (status != TW_SUCCESS)
        return status;
    struct tw_device *device = tw_best_device(context->devices, context->count, selector, selector_user);
    status = device ? tw_queue_create_with_properties(context, device, properties, handler, handler_user, queue)
                    : tw_fail(TW_ERROR_NO_DEVICE, "the selector chose none of the %zu devices of the context",
                              context->count);
    return status;
}

bool tw_queue_is_in_order(const tw_queue *queue)
{
    return queue && queue->tasks.in_order;
}

tw_device *tw_queue_device(const tw_queue *queue)
{
    return queue ? queue->device : NULL;
}

/* Makes the context of a queue that was created without one: of several devices, those of the first one's platform. */
static struct tw_context *new_context(const struct tw_queue *queue)
{
    const struct tw_queue_devices *over = queue->devices;
    struct tw_device *devices[TW_MOST_QUEUE_DEVICES] = {queue->device};
    size_t count = 1;
    for (size_t i = 1; over && i < over->count; ++i)
        if (over->queues[i]->device->platform == queue->device->platform)
            devices[count++] = over->queues[i]->device;
    return tw_context_new(devices, count, queue->handler, queue->handler_user);
}

tw_context *tw_queue_context(const tw_queue *queue)
{
    struct tw_queue *owner = (struct tw_queue *)(uintptr_t)queue; /* its own context is not part of its value */
    if (!queue || tw_check_process() != TW_SUCCESS)
        return NULL;
    tw_lock();
    struct tw_context *context = owner->context;
    tw_unlock();
    if (context)
        return context;
    struct tw_context *made = new_context(owner);
    if (!made)
        return NULL;
    tw_lock();
    made->references = 1; /* of this call */
    if (!owner->context)
        join_locked(owner, made);
    context = owner->context;
    tw_context_release_locked(made);
    tw_unlock();
    return context;
}

tw_queue *tw_queue_retain(tw_queue *queue)
{
    if (queue) {
        tw_lock();
        ++queue->handles;
        tw_unlock();
    }
    return queue;
}

bool tw_queue_is_host(const tw_queue *queue)
{
    return queue && tw_device_is_host(queue->device);
}

tw_status tw_queue_set_profiling(tw_queue *queue, bool profiling)
{
    if (!queue)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is NULL");
    atomic_store_explicit(&queue->profiling, profiling, memory_order_relaxed);
    for (size_t i = 0; queue->devices && i < queue->devices->count; ++i)
        atomic_store_explicit(&queue->devices->queues[i]->profiling, profiling, memory_order_relaxed);
    return TW_SUCCESS;
}

bool tw_queue_is_profiling(const tw_queue *queue)
{
    return queue && atomic_load_explicit(&queue->profiling, memory_order_relaxed);
}

tw_status tw_queue_info(const tw_queue *queue, tw_queue_info_id question, void *value, size_t bytes)
{
    static const char list[] = "TW_QUEUE_INFO_LIST";
    if (!queue || !value)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", queue ? "place for the answer" : "queue");
    if (question == TW_QUEUE_INFO_DEVICE)
        return tw_answer(value, bytes, &queue->device, sizeof(tw_device *), list);
    if (question == TW_QUEUE_INFO_CONTEXT) {
        tw_context *context = tw_queue_context(queue);
        return context ? tw_answer(value, bytes, &context, sizeof(tw_context *), list) : TW_ERROR_OUT_OF_MEMORY;
    }
    if (question == TW_QUEUE_INFO_PROPERTIES) {
        const unsigned properties = (queue->tasks.in_order ? TW_QUEUE_IN_ORDER : 0u)
                                    | (tw_queue_is_profiling(queue) ? TW_QUEUE_PROFILING : 0u)
                                    | properties_of[queue->tasks.priority];
        return tw_answer(value, bytes, &properties, sizeof properties, list);
    }
    if (question == TW_QUEUE_INFO_REFERENCE_COUNT) {
        tw_lock();
        const size_t handles = queue->handles;
        tw_unlock();
        return tw_answer(value, bytes, &handles, sizeof handles, list);
    }
    return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d is no question about a queue", (int)question);
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* Notes that a device could not run a command, and not because of another one. */
static void note_failure(struct tw_queue_devices *devices, const struct tw_queue *queue,
                         const struct tw_command *command)
{
    const tw_status status = tw_fallback_is_taken(command->fallback) ? command->fallback->status : command->status;
    const bool is_device = status == TW_ERROR_LAUNCH_FAILED || status == TW_ERROR_NO_DEVICE_IMAGE
                           || status == TW_ERROR_OUT_OF_DEVICE_MEMORY;
    for (size_t i = 0; is_device && i < devices->count; ++i)
        if (devices->queues[i] == queue)
            atomic_store(&devices->has_failed[i], true);
}

void tw_queue_complete_locked(struct tw_command *command)
{
    struct tw_queue *queue = tw_queue_of(command->home);
    char message[1024];
    if ((command->status != TW_SUCCESS || command->fallback) && queue->owner && queue->owner->devices)
        note_failure(queue->owner->devices, queue, command);
    if (command->status != TW_SUCCESS) {
        tw_command_message_locked(command, message, sizeof message);
        add_error_locked(queue,
                         (tw_error){.status = command->status,
                                    .message = message,
                                    .kernel = command->kernel ? command->kernel->name : NULL,
                                    .file = command->file,
                                    .line = command->line,
                                    .native = command->failure->native},
                         command->failure->number);
    }
    if (!queue->tasks.unfinished)
        queue->limit = TW_QUEUE_DEPTH;
}

void tw_queue_take_memory_locked(struct tw_task_queue *home, struct tw_memory memory)
{
    tw_memory_keep_locked(&tw_queue_of(home)->kept, memory);
    tw_task_queue_release_locked(home);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

struct ticket {
    struct tw_queue *queue;
    uint64_t sequence;
};

static struct tw_command *unfinished_before(const void *what)
{
    const struct ticket *ticket = what;
    struct tw_command *first = ticket->queue->tasks.first_unfinished;
    return first && first->sequence <= ticket->sequence ? first : NULL;
}

static tw_status drain_locked(struct tw_queue *queue)
{
    const struct ticket ticket = {queue, queue->tasks.submitted};
    const unsigned long mark = queue->tasks.first_unfinished ? tw_mark_own_accesses_locked() : 0;
    for (const struct tw_command *command = mark ? queue->tasks.first_unfinished : NULL; command;
         command = command->next)
        if (command->body.node.mark == mark)
            return tw_fail(TW_ERROR_WOULD_DEADLOCK, "a command of the queue waits " TW_WAITS_FOR_ITSELF);
    struct tw_command *last = queue->tasks.last_unfinished;
    if (last == queue->tasks.first_unfinished) { /* at most one */
        tw_wait_locked(unfinished_before, &ticket, NULL, NULL);
        return TW_SUCCESS;
    }
    atomic_fetch_add(&last->references, 1);
    tw_wait_locked(unfinished_before, &ticket, NULL, last);
    tw_command_release_locked(last);
    return TW_SUCCESS;
}

tw_status tw_queue_drain_locked(struct tw_queue *queue)
{
    const struct tw_queue_devices *devices = queue->devices;
    tw_status status = drain_locked(queue);
    for (size_t i = 0; devices && i < devices->count && status == TW_SUCCESS; ++i)
        status = drain_locked(devices->queues[i]);
    return status;
}

/* Returns true if a command waits for the program: for a host accessor, a user event, or a callback of a storage. */
static bool is_held_back_locked(const struct tw_command *command)
{
    const struct tw_node *node = &command->body.node, *before;
    while ((before = tw_graph_before(node)) != NULL)
        node = before;
    return ((const struct tw_task *)node)->kind->awaits_program;
}

static struct tw_command *first_of_too_many(const void *what)
{
    const struct tw_queue *queue = what;
    const bool has_room = queue->tasks.unfinished <= TW_QUEUE_DEPTH - ROOM;
    return has_room || is_held_back_locked(queue->tasks.first_unfinished) ? NULL : queue->tasks.first_unfinished;
}

/* A wait for room. It checks again when `step`, a command some way on, is complete, not at each command. */
struct room_ticket {
    struct tw_queue *queue;
    const struct tw_command *step;
};

static struct tw_command *first_before_step(const void *what)
{
    const struct room_ticket *ticket = what;
    return ticket->step->complete ? NULL : first_of_too_many(ticket->queue);
}

void tw_queue_make_room_locked(struct tw_queue *queue)
{
    while (first_of_too_many(queue)) {
        struct tw_command *step = queue->tasks.first_unfinished;
        for (unsigned i = 0; i < ROOM_STEP && step->next; ++i)
            step = step->next;
        atomic_fetch_add(&step->references, 1);
        tw_wait_locked(first_before_step, &(struct room_ticket){queue, step}, NULL, step);
        tw_command_release_locked(step);
    }
    if (queue->tasks.unfinished >= queue->limit)
        queue->limit = 2 * queue->tasks.unfinished; /* held back: checking at each submission would be slow */
}

/* Returns the handler of the queue's errors: its own has priority over its context's (spec 2.5.6). */
static tw_error_handler handler_of(const struct tw_queue *queue, void **user)
{
    if (queue->handler || !queue->context) {
        *user = queue->handler_user;
        return queue->handler;
    }
    *user = queue->context->handler_user;
    return queue->context->handler;
}

bool tw_queue_throw_to_handler(struct tw_queue *queue)
{
    struct tw_error_list errors = {0};
    void *user = NULL;
    tw_errors_init(&errors);
    tw_lock();
    const tw_error_handler handler = handler_of(queue, &user);
    if (handler)
        tw_errors_move_locked(&errors, &queue->errors);
    tw_unlock();
    if (handler)
        tw_errors_deliver(&errors, handler, user);
    return handler != NULL;
}

struct tw_queue *tw_queue_failed_locked(uint64_t failure, const struct tw_queue *but)
{
    void *user = NULL;
    struct tw_queue *queue = failed_queues;
    while (queue && (queue == but || !handler_of(queue, &user) || !tw_errors_have_locked(&queue->errors, failure)))
        queue = queue->next_failed;
    return queue;
}

tw_status tw_queue_deliver(struct tw_queue *queue)
{
    if (tw_queue_throw_to_handler(queue))
        return TW_SUCCESS;
    tw_lock();
    const tw_status status = tw_errors_take_first_locked(&queue->errors);
    tw_unlock();
    return status;
}

tw_status tw_queue_check(const tw_queue *queue)
{
    if (!queue)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is NULL");
    const tw_status status = tw_check_copy(queue);
    return status == TW_SUCCESS ? tw_check_process() : status;
}

tw_status tw_queue_wait(tw_queue *queue)
{
    tw_status status = tw_queue_check(queue);
    if (status != TW_SUCCESS)
        return status;
    void *user = NULL;
    tw_lock();
    status = tw_queue_drain_locked(queue);
    if (status == TW_SUCCESS && !handler_of(queue, &user))
        status = tw_errors_take_first_locked(&queue->errors);
    tw_unlock();
    tw_reclaim();
    return status;
}

tw_status tw_queue_wait_and_throw(tw_queue *queue)
{
    tw_status status = tw_queue_check(queue);
    if (status != TW_SUCCESS)
        return status;
    tw_lock();
    status = tw_queue_drain_locked(queue);
    tw_unlock();
    tw_reclaim();
    return status == TW_SUCCESS ? tw_queue_deliver(queue) : status;
}

tw_status tw_queue_throw_asynchronous(tw_queue *queue)
{
    const tw_status status = tw_queue_check(queue);
    return status == TW_SUCCESS ? tw_queue_deliver(queue) : status;
}

bool tw_queue_is_recording(const tw_queue *queue)
{
    tw_lock();
    const bool is_recording = queue && queue->recorder.recording;
    tw_unlock();
    return is_recording;
}

/* Gives a handle back, unless it is the last one. */
static bool drop_handle(struct tw_queue *queue)
{
    tw_lock();
    const bool is_last = queue->handles == 1;
    queue->handles -= !is_last;
    tw_unlock();
    return !is_last;
}

/* Destroys the devices' queues, which have nothing to do any more. NULL is allowed. */
static void end_devices(struct tw_queue_devices *devices)
{
    if (!devices)
        return;
    devices->end(devices);
    for (size_t i = 0; i < devices->count; ++i)
        (void)tw_queue_destroy(&devices->queues[i]);
    devices->count = 0;
}

tw_status tw_queue_destroy(tw_queue **handle)
{
    if (!handle || !*handle)
        return TW_SUCCESS;
    struct tw_queue *queue = *handle;
    tw_status status = tw_queue_check(queue);
    if (status != TW_SUCCESS)
        return status;
    if (drop_handle(queue)) {
        *handle = NULL;
        return TW_SUCCESS;
    }
    status = tw_queue_wait_and_throw(queue);
    if (status == TW_ERROR_WOULD_DEADLOCK)
        return status;
    *handle = NULL;
    end_devices(queue->devices);
    tw_lock();
    tw_recorder_leave_locked(&queue->recorder);
    tw_pool_settle_locked(tw_memory_owner(queue->device));
    struct tw_context *context = queue->context;
    if (context) {
        *queue->link = queue->next;
        if (queue->next)
            queue->next->link = queue->link;
        queue->context = NULL;
        tw_context_release_locked(context);
    }
    tw_task_queue_release_locked(&queue->tasks);
    tw_unlock();
    return status;
}
