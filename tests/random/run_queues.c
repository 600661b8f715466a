/* SPDX-License-Identifier: Apache-2.0 */
/* Queues, contexts and events of random programs: waiting for them, and the errors that they deliver. */
#include "random.h"

hold_set open_holds(const struct thread *thread)
{
    hold_set open = 0;
    for (unsigned i = 0; i < HOLDS; ++i)
        open |= thread->hold[i].accessor ? HOLD_BIT(i) : 0;
    return open;
}

/* A thread that has accessors open may be refused after a failure also where the model sees no reason: a copy that is
   tried again is not in it. */
bool waited(struct thread *thread, tw_status status, hold_set waits, const char *what)
{
    const bool refused = status == TW_ERROR_WOULD_DEADLOCK, faults = thread->run->program->faults;
    if (refused && !FOR_ACCESSORS(waits) && !(faults && open_holds(thread)))
        differ(thread, "%s: %s, but it waits for no accessor of this thread", what, tw_status_name(status));
    if (!refused && FOR_ACCESSORS(SURELY(waits)))
        differ(thread, "%s: %s, but it waits for an accessor of this thread", what, tw_status_name(status));
    if (refused)
        atomic_fetch_add(&totals.refusals, 1);
    else if (status != TW_SUCCESS && !faults)
        differ(thread, "%s: %s", what, tw_status_name(status));
    return !refused;
}

/* ---- queues ------------------------------------------------------------------------------------------------------ */

static void count_errors(const tw_error *errors, size_t count, void *user)
{
    struct error_count *seen = user;
    (void)errors;
    atomic_fetch_add(&seen->seen, (unsigned)count);
}

struct queue *find_queue(struct thread *thread, unsigned number)
{
    struct queue *queue = number < QUEUES ? &thread->queue[number] : &thread->run->queue[number - QUEUES];
    return queue->handle ? queue : NULL;
}

tw_status make_queue(struct run *run, struct queue *queue, unsigned device, struct error_count *handler,
                     tw_context *context, bool in_order)
{
    *queue = (struct queue){
        .device = device % run->devices, .devices = 1, .in_order = in_order, .has_context = context, .errors = handler};
    queue->list[0] = queue->device;
    if (in_order)
        return tw_queue_create_with_properties(context, context ? NULL : run->device[queue->device], TW_QUEUE_IN_ORDER,
                                               handler && !context ? count_errors : NULL, handler, &queue->handle);
    if (context) {
        return tw_queue_create_in_context(context, NULL, NULL, NULL, &queue->handle);
    }
    return tw_queue_create_on_device(run->device[queue->device], handler ? count_errors : NULL, handler,
                                     &queue->handle);
}

tw_status make_queue_over(struct run *run, struct queue *queue, uint32_t seed, struct error_count *handler,
                          bool in_order)
{
    uint64_t random = seed;
    unsigned order[16] = {0};
    tw_device *devices[MOST_OF_QUEUE];
    *queue = (struct queue){.in_order = in_order, .errors = handler};
    queue->devices = 1 + draw_below(&random, run->devices < MOST_OF_QUEUE ? run->devices : MOST_OF_QUEUE);
    for (unsigned i = 0; i < run->devices; ++i) {
        const unsigned k = draw_below(&random, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (unsigned i = 0; i < queue->devices; ++i) {
        queue->list[i] = order[i];
        devices[i] = run->device[order[i]];
    }
    queue->device = order[0];
    double shares[MOST_OF_QUEUE];
    for (unsigned i = 0; i < queue->devices; ++i)
        shares[i] = 1 + draw_below(&random, 3);
    tw_status status = tw_queue_create_over(devices, queue->devices, in_order ? TW_QUEUE_IN_ORDER : 0,
                                            handler ? count_errors : NULL, handler, &queue->handle);
    if (status == TW_SUCCESS && draw_below(&random, 4)) /* else small launches are one device's */
        status = tw_queue_set_division(queue->handle, shares);
    return status;
}

bool is_of_one_platform(const struct queue *queue)
{
    const tw_platform *first = tw_device_platform(tw_queue_device_at(queue->handle, 0));
    for (unsigned i = 1; i < queue->devices; ++i)
        if (tw_device_platform(tw_queue_device_at(queue->handle, i)) != first)
            return false;
    return true;
}

void run_queue_divide(struct thread *thread, const struct slot_step *step)
{
    struct queue *queue = find_queue(thread, step->slot);
    uint64_t random = step->n;
    double shares[MOST_OF_QUEUE], all = 0;
    if (!queue)
        return;
    for (unsigned i = 0; i < queue->devices; ++i) {
        shares[i] = draw_below(&random, 3) ? draw_below(&random, 5) : 1;
        all += shares[i];
    }
    const bool given = step->n % 7 != 0;
    const tw_status expected = given && !(all > 0) ? TW_ERROR_INVALID_ARGUMENT : TW_SUCCESS;
    const tw_status status = tw_queue_set_division(queue->handle, given ? shares : NULL);
    if (status != expected)
        differ(thread, "tw_queue_set_division returned %s, not %s", tw_status_name(status), tw_status_name(expected));
}

void run_queue_create(struct thread *thread, const struct slot_step *step)
{
    struct queue *queue = &thread->queue[step->slot];
    if (queue->handle)
        return;
    const bool in_context = step->other % 4 == 2 && thread->context;
    struct error_count *handler = in_context ? &thread->context_errors : step->other % 4 == 1 ? &queue->own : NULL;
    const bool over = step->n >= 16 && !in_context;
    const tw_status status = over ? make_queue_over(thread->run, queue, step->n, handler, step->other >= 4)
                                  : make_queue(thread->run, queue, in_context ? thread->context_device : step->n % 16,
                                               handler, in_context ? thread->context : NULL, step->other >= 4);
    if (status != TW_SUCCESS)
        differ(thread, "creating a queue: %s", tw_status_name(status));
    if (tw_queue_device(queue->handle) != thread->run->device[queue->device])
        differ(thread, "the queue is on another device");
    if (tw_queue_device_count(queue->handle) != queue->devices)
        differ(thread, "the queue is on %zu devices, not %u", tw_queue_device_count(queue->handle), queue->devices);
}

void check_errors(struct thread *thread, const struct error_count *errors)
{
    const unsigned seen = atomic_load(&errors->seen), expected = atomic_load(&errors->expected);
    if ((seen < expected || seen > expected + atomic_load(&errors->more)) && !atomic_load(&errors->unknown))
        differ(thread, "a handler was given %u errors, and %u commands have failed", seen, expected);
}

/* Destroys a queue; leaves it where that was refused. */
static bool destroy_queue(struct thread *thread, struct queue *queue)
{
    tw_queue *handle = queue->handle;
    let_pass(thread, queue->waits);
    const tw_status status = tw_queue_destroy(&queue->handle);
    const bool done = waited(thread, status, queue->waits, "tw_queue_destroy");
    if (queue->handle != (done ? NULL : handle))
        differ(thread, "tw_queue_destroy left another handle");
    if (!done)
        return false;
    queue->recording = false;
    resolve(thread);
    if (!queue->shared && queue->errors == &queue->own)
        check_errors(thread, &queue->own);
    return true;
}

void end_queue(struct thread *thread, struct queue *queue)
{
    if (queue->handle && !destroy_queue(thread, queue))
        differ(thread, "a queue could not be destroyed at the end");
    if (queue->shared)
        check_errors(thread, &queue->own);
}

void run_queue_destroy(struct thread *thread, unsigned slot)
{
    if (thread->queue[slot].handle)
        destroy_queue(thread, &thread->queue[slot]);
}

void run_queue_wait(struct thread *thread, unsigned slot, enum step_kind kind)
{
    struct queue *queue = find_queue(thread, slot);
    if (!queue)
        return;
    if (kind != QUEUE_THROW)
        let_pass(thread, queue->waits);
    if (kind == QUEUE_THROW)
        waited(thread, tw_queue_throw_asynchronous(queue->handle), 0, "tw_queue_throw_asynchronous");
    else if (kind == QUEUE_WAIT)
        waited(thread, tw_queue_wait(queue->handle), queue->waits, "tw_queue_wait");
    else
        waited(thread, tw_queue_wait_and_throw(queue->handle), queue->waits, "tw_queue_wait_and_throw");
}

void run_context(struct thread *thread, const struct slot_step *step, bool creates)
{
    if (creates && !thread->context) {
        thread->context_device = step->n % thread->run->devices;
        for (unsigned i = 0; i < QUEUES; ++i) /* they count the errors of the one before */
            if (thread->queue[i].handle && thread->queue[i].has_context)
                return;
        const tw_status status = tw_context_create(&thread->run->device[thread->context_device], 1, count_errors,
                                                   &thread->context_errors, &thread->context);
        if (status != TW_SUCCESS)
            differ(thread, "tw_context_create: %s", tw_status_name(status));
    } else if (!creates && thread->context) {
        hold_set waits = 0;
        for (unsigned i = 0; i < QUEUES; ++i)
            if (thread->queue[i].handle && thread->queue[i].has_context)
                waits |= thread->queue[i].waits;
        let_pass(thread, waits);
        const bool done = waited(thread, tw_context_destroy(&thread->context), waits, "tw_context_destroy");
        if ((thread->context == NULL) != done)
            differ(thread, "tw_context_destroy left another handle");
        resolve(thread);
    }
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* The times of a complete group. What did not come to pass, or was not measured, has none. */
static bool are_in_order(const tw_event_times *t, bool succeeded, bool several)
{
    if (!t->submit_ns || t->complete_ns < t->submit_ns || t->complete_ns < t->end_ns
        || t->transfer_end_ns < t->transfer_start_ns)
        return false;
    if (t->start_ns && (t->ready_ns < t->submit_ns || t->start_ns < t->ready_ns || t->end_ns < t->start_ns))
        return false;
    if (t->transfer_start_ns
        && (t->transfer_start_ns < t->submit_ns || (!several && t->start_ns && t->start_ns < t->transfer_end_ns)))
        return false;
    return !succeeded || t->ready_ns;
}

static void check_event(struct thread *thread, const struct event *event, tw_status status)
{
    tw_event_times times;
    const tw_event_state state = tw_event_get_state(event->handle);
    if (state != (status == TW_SUCCESS ? TW_EVENT_COMPLETE : TW_EVENT_FAILED))
        differ(thread, "the event's state is %d after waiting, with %s", (int)state, tw_status_name(status));
    if (tw_event_get_status(event->handle) != status)
        differ(thread, "the event's status is %s, not %s", tw_status_name(tw_event_get_status(event->handle)),
               tw_status_name(status));
    if (tw_event_get_times(event->handle, &times) != TW_SUCCESS
        || !are_in_order(&times, status == TW_SUCCESS, event->several))
        differ(thread, "the event's times are %llu, %llu, %llu to %llu, %llu to %llu, %llu",
               (unsigned long long)times.submit_ns, (unsigned long long)times.ready_ns,
               (unsigned long long)times.transfer_start_ns, (unsigned long long)times.transfer_end_ns,
               (unsigned long long)times.start_ns, (unsigned long long)times.end_ns,
               (unsigned long long)times.complete_ns);
}

static void wait_for_moment(struct thread *thread, const struct event *event, uint32_t moment)
{
    tw_event *point = moment == 1   ? tw_event_of_start(event->handle)
                      : moment == 2 ? tw_event_of_kernel(event->handle)
                                    : tw_event_of_completion(event->handle);
    let_pass(thread, event->waits);
    const tw_status status = tw_event_wait(point);
    if (waited(thread, status, event->waits, "tw_event_wait") && !moment)
        check_event(thread, event, status);
    tw_event_release(&point);
}

static void list_dependencies(struct thread *thread, const struct event *event)
{
    enum { CAPACITY = 8 };
    tw_event *found[CAPACITY];
    size_t count = 0;
    const bool was_complete = tw_event_get_state(event->handle) >= TW_EVENT_COMPLETE;
    if (tw_event_get_wait_list(event->handle, found, CAPACITY, &count) != TW_SUCCESS)
        differ(thread, "tw_event_get_wait_list failed");
    if (was_complete && count)
        differ(thread, "a complete group waits for %zu others", count);
    for (size_t i = 0; i < count && i < CAPACITY; ++i) {
        (void)tw_event_get_state(found[i]);
        tw_event_release(&found[i]);
    }
}

static void wait_for_all(struct thread *thread)
{
    tw_event *all[EVENTS];
    hold_set waits = 0;
    for (unsigned i = 0; i < EVENTS; ++i) {
        all[i] = thread->event[i].handle;
        waits |= thread->event[i].waits;
    }
    let_pass(thread, waits);
    waited(thread, tw_event_wait_all(all, EVENTS), thread->run->program->faults ? 0 : waits, "tw_event_wait_all");
}

void run_event(struct thread *thread, const struct slot_step *step, enum step_kind kind)
{
    struct event *event = &thread->event[step->slot];
    if (kind == EVENT_WAIT_ALL) {
        wait_for_all(thread);
    } else if (!event->handle) {
        return;
    } else if (kind == EVENT_WAIT) {
        wait_for_moment(thread, event, step->n);
    } else if (kind == EVENT_LIST) {
        list_dependencies(thread, event);
    } else {
        tw_event_release(&event->handle);
        event->waits = 0;
    }
}
