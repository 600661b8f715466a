/* SPDX-License-Identifier: Apache-2.0 */
/* Submitting groups and graphs, and learning what has become of them. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

/* ---- outcomes ---------------------------------------------------------------------------------------------------- */

bool fault_explains(const struct thread *thread, tw_status status)
{
    return atomic_load(&thread->run->faults_set) > 0
           && (status == TW_ERROR_TRANSFER_FAILED || status == TW_ERROR_LAUNCH_FAILED
               || status == TW_ERROR_OUT_OF_DEVICE_MEMORY);
}

/* Whether a copy that failed, and ran again for others, may have failed again: by a fault that failed no command by itself.
   What a device runs behind a copy, in its own order, fails with it. */
static bool copies_may_fail_again(const struct run *run)
{
    return run->keeps_order || atomic_load(&run->breaks_devices)
           || atomic_load(&run->failed) < atomic_load(&run->faults_set);
}

static const char *name_of(const struct operation *operation)
{
    return operation->link.to ? "LINK" : operation->count == 1 ? kernel_names[operation->call[0].kernel] : "graph";
}

/* Notes that a command failed by itself: no more than there were faults. */
static void note_failure(struct thread *thread, const struct operation *operation, tw_status status)
{
    struct run *run = thread->run;
    if (!fault_explains(thread, status))
        differ(thread, "%s: %s, but nothing was made to fail", name_of(operation), tw_status_name(status));
    atomic_fetch_add(&totals.failures, 1);
    if (atomic_fetch_add(&run->failed, 1) >= atomic_load(&run->faults_set) && !atomic_load(&run->breaks_devices))
        differ(thread, "%s: %s, but each fault has failed something already", name_of(operation),
               tw_status_name(status));
}

void check_deliveries(struct thread *thread)
{
    struct delivery **link = &thread->delivery, *delivery;
    while ((delivery = *link)) {
        if (tw_event_get_state(delivery->event) < TW_EVENT_COMPLETE) {
            link = &delivery->next;
            continue;
        }
        const struct model *expected = &delivery->expected;
        const size_t i = model_compare(expected, delivery->memory);
        if (tw_event_wait(delivery->event) != TW_SUCCESS)
            differ(thread, "COPY_TO: %s", tw_status_name(tw_event_get_status(delivery->event)));
        if (i < expected->count)
            differ(thread, "COPY_TO: word %zu of %zu is %#x, not %#x", i, expected->count, delivery->memory[i],
                   expected->words[i]);
        atomic_fetch_add(&totals.checks, 1);
        *link = delivery->next;
        tw_event_release(&delivery->event);
        model_free(&delivery->expected);
        free(delivery->memory);
        free(delivery);
    }
}

/* Notes what a copy to memory of the program must bring, or has brought; `event` says when. */
static void note_delivery(struct thread *thread, const struct call *call, tw_status status, tw_event *event)
{
    if (status != TW_SUCCESS) {
        free(call->memory);
        return;
    }
    struct delivery *delivery = malloc(sizeof *delivery);
    *delivery = (struct delivery){thread->delivery, tw_event_retain(event), call->memory, snapshot_of(&call->part[0])};
    thread->delivery = delivery;
}

/* A failure is one error, or one of each part, or of each launch of an algorithm. */
static void note_errors(const struct operation *operation)
{
    enum { MOST_COMMANDS = 3 * MOST_OF_QUEUE + 1 }; /* edges are parts, and reductions are combined */
    atomic_fetch_add(&operation->errors->expected, 1);
    if (operation->in_parts || (operation->count == 1 && operation->call[0].kernel == ALGORITHM))
        atomic_fetch_add(&operation->errors->more, MOST_COMMANDS - 1);
}

static void finish(struct thread *thread, const struct operation *operation, tw_status status, tw_event *event)
{
    const bool fails = operation->call[0].fails; /* no part of a graph does */
    if (status != TW_SUCCESS && operation->errors)
        note_errors(operation);
    if (fails && status == TW_SUCCESS)
        differ(thread, "%s: TW_SUCCESS, but its function failed", name_of(operation));
    if (status == TW_ERROR_CANCELLED)
        atomic_fetch_add(&totals.cancelled, 1);
    else if (status != TW_SUCCESS && !(fails && status == TASK_FAILURE))
        note_failure(thread, operation, status);
    if (operation->link.to)
        apply_link(thread, operation, status);
    if (operation->call[0].memory)
        note_delivery(thread, &operation->call[0], status, event);
    const char *why = operation_finish(operation, status, atomic_load(&thread->run->breaks_devices),
                                       copies_may_fail_again(thread->run));
    if (why)
        differ(thread, "%s: %s: %s", name_of(operation), tw_status_name(status), why);
}

static void take_out(struct thread *thread, const struct operation *operation)
{
    struct operation **link = &thread->first;
    while (*link != operation)
        link = &(*link)->next;
    *link = operation->next;
}

static bool settle(struct thread *thread, struct operation *operation);

/* Settles the operations before one: all, or those whose outcome matters to it. Of several devices, one part may be over before
   what another part waits for. */
static bool settle_before(struct thread *thread, const struct operation *operation, bool all)
{
    struct operation *before = thread->first;
    while (before != operation)
        if (!all && !operations_meet(before, operation))
            before = before->next;
        else if (settle(thread, before))
            before = thread->first;
        else
            return false;
    return true;
}

/* Waits for an operation, and takes it from the list. False: it waits for an accessor of this thread. */
static bool settle(struct thread *thread, struct operation *operation)
{
    if (!settle_before(thread, operation, false))
        return false;
    let_pass(thread, operation->waits);
    const tw_status status = tw_event_wait(operation->event);
    if (status == TW_ERROR_WOULD_DEADLOCK && open_holds(thread))
        return false;
    const tw_event_state state = tw_event_get_state(operation->event);
    if (state != (status == TW_SUCCESS ? TW_EVENT_COMPLETE : TW_EVENT_FAILED))
        differ(thread, "%s: state %d, but %s", name_of(operation), (int)state, tw_status_name(status));
    look_at_depends(operation);
    /* it may be over before the one whose transfer they share: that still waits for others, or nor can be known what
       became of it */
    if (status == TW_ERROR_CANCELLED && !operation_may_be_cancelled(operation, copies_may_fail_again(thread->run)))
        operation->excused = !settle_before(thread, operation, true);
    finish(thread, operation, status, operation->event);
    drop_depends(operation);
    take_out(thread, operation);
    tw_event_release(&operation->event);
    operation_end(operation);
    free(operation);
    return true;
}

/* Looks which operations are complete, the last one first: if one is, those that it waited for are seen to be, too. */
static void look(struct operation *operation)
{
    if (operation) {
        look(operation->next);
        operation->complete = tw_event_get_state(operation->event) >= TW_EVENT_COMPLETE;
    }
}

void resolve(struct thread *thread)
{
    look(thread->first);
    for (struct operation *operation = thread->first, *next; operation; operation = next) {
        next = operation->next;
        if (operation->complete)
            settle(thread, operation);
    }
}

bool resolve_part(struct thread *thread, const struct part *part, bool writes)
{
    resolve(thread);
    for (struct operation *operation = thread->first, *next; operation; operation = next) {
        next = operation->next;
        if (operation->in_parts && operation_uses(operation, part, writes) && !settle(thread, operation))
            return false;
    }
    return true;
}

/* Whether the outcome of an operation depends on that of one in parts which is not known. */
static bool is_unclear(const struct thread *thread, const struct operation *operation)
{
    bool unclear = operation->in_parts;
    for (const struct operation *before = thread->first; before != operation && !unclear; before = before->next)
        unclear = before->unclear && operations_meet(before, operation);
    return unclear;
}

bool can_resolve_part(struct thread *thread, const struct part *part, bool writes)
{
    if (!thread->run->program->faults || !open_holds(thread))
        return true;
    bool can = resolve_part(thread, part, writes);
    for (struct operation *operation = thread->first; operation && can; operation = operation->next) {
        operation->unclear = is_unclear(thread, operation);
        can = !operation->unclear || !operation_uses(operation, part, writes);
    }
    return can;
}

static void append(struct thread *thread, struct operation *operation)
{
    struct operation **link = &thread->first;
    while (*link)
        link = &(*link)->next;
    *link = operation;
}

void submitted(struct thread *thread, struct operation *operation, struct queue *queue, tw_event *event)
{
    operation_submitted(operation);
    if (operation->waits) /* never of a queue that other threads use */
        queue->waits |= operation->waits;
    operation->errors = queue->errors;
    atomic_fetch_add(&totals.groups, operation->count);
    if (!thread->run->program->faults) {
        finish(thread, operation, TW_SUCCESS, event);
        operation_end(operation);
        return;
    }
    struct operation *later = malloc(sizeof *later);
    *later = *operation;
    later->event = tw_event_retain(event);
    append(thread, later);
    if (draw_below(&thread->random, 8) == 0)
        resolve(thread);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static struct buffer *find_buffer(struct thread *thread, unsigned number)
{
    struct buffer *buffer = number < BUFFERS ? thread->buffer[number] : thread->run->buffer[number - BUFFERS];
    return buffer && buffer->handle ? buffer : NULL;
}

/* The call of a step; false if its objects are not there, or do not go together. */
static bool make_call(struct thread *thread, const struct group_step *step, struct call *call)
{
    *call = (struct call){.kernel = step->kernel,
                          .out = find_buffer(thread, step->out),
                          .in = find_buffer(thread, step->in),
                          .in2 = find_buffer(thread, step->in2),
                          .seeds = {step->part[0], step->part[1], step->part[2]},
                          .map_seed = {step->map[0], step->map[1], step->map[2]},
                          .mode = step->mode,
                          .mode2 = step->mode2,
                          .constant = step->constant,
                          .twice = step->twice,
                          .keep = step->keep,
                          .first = step->first,
                          .count = step->count,
                          .seed = step->seed,
                          .local = step->local,
                          .dims = step->dims};
    if (!call_is_possible(call))
        return false;
    call->fails = call->kernel == HOST_TASK && thread->run->program->faults && step->seed % 8 == 0;
    const bool writes_constant = call->out->root->kind == OVER_CONST && !only_reads(call->kernel);
    return writes_constant == (step->way == WRITE_CONSTANT);
}

static bool uses_shared(const struct call *call)
{
    return call->out->shared || (call->in && call->in->shared) || (call->in2 && call->in2->shared);
}

/* A graph with one of these is submitted group by group: a failure is not that of all of it, as the model has it. */
static bool breaks_graphs(enum kernel_kind kernel)
{
    return kernel == UPDATE || kernel == HOST_TASK;
}

static bool is_no_kernel(enum kernel_kind kernel)
{
    return kernel == FILL || kernel == COPY_PART || kernel == COPY_FROM || only_reads(kernel) || kernel == HOST_TASK;
}

/* Whether groups of a queue over several devices are made when it is submitted: that may fail, and the fallback queue takes
   it. */
static bool is_submitted_in_parts(enum kernel_kind kernel)
{
    return kernel != UPDATE && kernel != HOST_TASK;
}

/* The standard mapping on a GPU has groups of whole warps, or of one work-item. */
#ifdef TW_LOWERING_SIMT
enum { ANY_GROUPS = true };
#else
enum { ANY_GROUPS = false };
#endif

static bool has_gpu(const struct queue *queue)
{
    bool has = false;
    for (size_t i = 0; i < tw_queue_device_count(queue->handle); ++i)
        has = has || tw_device_is_gpu(tw_queue_device_at(queue->handle, i));
    return has;
}

/* The work-items of a group of an nd_range; 0: the library chooses. Of other kernels 1. */
static uint32_t items_of_group(const struct call *call)
{
    const struct launch *launch = &call->work.launch;
    if (call->kernel == MAPPED && launch->form == FORM_ND_RANGE)
        return launch->local[0] * launch->local[1] * launch->local[2];
    return call->kernel == MEET ? call->local : call->kernel != BINS;
}

/* Whether a device of the queue cannot run the groups of a call. */
static bool is_unsupported(const struct queue *queue, const struct call *call)
{
    const uint32_t items = items_of_group(call);
    return !ANY_GROUPS && has_gpu(queue) && items > 1 && items % 32;
}

/* Whether a queue over several devices may refuse what has nothing wrong otherwise, with this status. */
static bool may_refuse(const struct run *run, const struct queue *queue, const struct call *call, tw_status status)
{
    if (!ANY_GROUPS && status == TW_ERROR_UNSUPPORTED && has_gpu(queue) && !items_of_group(call))
        return true; /* no size for a GPU divides the range */
    if (queue->devices == 1)
        return false;
    bool some_refuse = false;
    for (unsigned i = 0; i < queue->devices; ++i)
        some_refuse = some_refuse || (call->kernel == CROWD && call->local > run->group_limit[queue->list[i]]);
    return (status == TW_ERROR_UNSUPPORTED && is_unsupported(queue, call))
           || (status == TW_ERROR_INVALID_RANGE && verdict_on_several(call) != TAKEN)
           || (status == TW_ERROR_INVALID_WORK_GROUP_SIZE && some_refuse);
}

static bool must_refuse(const struct queue *queue, const struct call *call)
{
    return queue->devices > 1 && verdict_on_several(call) == REFUSED;
}

/* What recording must come to on a queue. */
static tw_status expected_of(const struct run *run, const struct queue *queue, const struct call *call,
                             const struct group_step *step)
{
    if (step->way == WRITE_CONSTANT)
        return TW_ERROR_READ_ONLY_BUFFER;
    if (queue->devices == 1 && call->local > run->group_limit[queue->device] && call->kernel == CROWD)
        return TW_ERROR_INVALID_WORK_GROUP_SIZE;
    if (queue->devices > 1 && call->kernel == ALGORITHM)
        return TW_ERROR_UNSUPPORTED;
    if (queue->devices == 1 && is_unsupported(queue, call))
        return TW_ERROR_UNSUPPORTED;
    if (step->way == TWO_KERNELS && call->kernel != NOTHING && call->kernel != UPDATE && call->kernel != PREFETCH)
        return TW_ERROR_INVALID_COMMAND_GROUP;
    return TW_SUCCESS;
}

struct recorder {
    const struct call *call;
    unsigned times;
    bool failed; /* the first time: the fallback queue takes the group */
};

static void record(tw_command_group *group, void *user)
{
    struct recorder *recorder = user;
    ++recorder->times;
    record_call(group, recorder->call);
    if (recorder->times == 1)
        recorder->failed = tw_command_group_status(group) != TW_SUCCESS;
}

static tw_status submit_by_block(tw_queue *queue, const struct call *call)
{
    tw_status status = TW_SUCCESS;
    TW_COMMAND_GROUP(queue, group) {
        record_call(group, call);
        status = tw_command_group_status(group);
        if (status != TW_SUCCESS)
            break; /* an error would come with the next wait */
    }
    return status;
}

/* A refusal on several devices would come with the next wait. */
static bool is_by_block(const struct group_step *step, const struct queue *queue, const struct call *call)
{
    return step->way == SUBMIT_BLOCK
           && (queue->devices == 1
               || (verdict_on_several(call) == TAKEN && !queue->recording && call->kernel != CROWD
                   && call->kernel != ALGORITHM && (ANY_GROUPS || items_of_group(call) == 1)));
}

/* Submits a call; `*taken` becomes the queue that took it, or that was tried last. */
static tw_status submit(struct thread *thread, struct queue *queue, struct queue *fallback, const struct call *call,
                        const struct group_step *step, tw_event **event, struct queue **taken)
{
    *taken = queue;
    if (step->way == SUBMIT_FUNCTION) {
        struct recorder recorder = {call, 0, false};
        const tw_status status =
            tw_queue_submit_function(queue->handle, fallback ? fallback->handle : NULL, record, &recorder, event);
        if (!recorder.times || recorder.times > (fallback ? 2 : 1))
            differ(thread, "the recording function was called %u times", recorder.times);
        const bool is_refused = queue->devices > 1 && is_submitted_in_parts(call->kernel) && recorder.times == 2;
        *taken = fallback && (recorder.failed || is_refused) ? fallback : queue;
        return status;
    }
    if (is_by_block(step, queue, call) && !event)
        return submit_by_block(queue->handle, call);
    tw_command_group *group = tw_queue_begin(queue->handle);
    record_call(group, call);
    if (step->way == TWO_KERNELS)
        record_call(group, call);
    return tw_queue_submit(queue->handle, group, event);
}

static void keep_event(struct thread *thread, unsigned slot, tw_event *event, hold_set waits, bool several)
{
    if (slot == NONE) {
        tw_event_release(&event);
        return;
    }
    tw_event_release(&thread->event[slot].handle);
    thread->event[slot] = (struct event){event, several, waits};
}

/* A group that a queue records: it is part of a graph, and nothing happens yet. */
static void note_recorded(struct thread *thread, struct queue *queue, const struct call *call)
{
    if (queue->recorded_count == GRAPH_GROUPS)
        differ(thread, "the runner recorded too much");
    queue->recorded[queue->recorded_count++] = *call;
}

/* Which of the queues has it, and what it has copied, depends on the faults. */
static void note_fallback(struct operation *operation, struct queue *queue, struct queue *fallback)
{
    operation->falls_back = true;
    if (queue->errors)
        atomic_store(&queue->errors->unknown, true);
    if (fallback->errors)
        atomic_store(&fallback->errors->unknown, true);
}

/* Such a group does not fall back when it has failed. A part beside all of its buffer is none. */
static bool has_parts(const struct call *call)
{
    const struct buffer *buffers[] = {call->out, call->in, call->in2};
    bool has = false;
    for (int i = 0; i < 3; ++i) {
        bool whole = !buffers[i];
        for (int k = 0; k < 3 && buffers[i]; ++k)
            whole = whole
                    || (buffers[k] && buffers[k]->root == buffers[i]->root
                        && call->part[k].words == buffers[i]->root->part.words);
        has = has || !whole;
    }
    return has;
}

/* Whether it may run on the fallback queue when it has failed. Of several devices each part of a launch may. */
static bool may_fall_back(const struct queue *queue, const struct queue *fallback, const struct call *call)
{
    if (queue->devices > 1 && call->kernel != UPDATE)
        return !is_no_kernel(call->kernel) && call->kernel != NOTHING;
    return !has_parts(call) && (fallback->devices == 1 || call->kernel == UPDATE);
}

/* What the group waits for because of its queue and of events. */
static hold_set order_waits(const struct thread *thread, const struct group_step *step, const struct queue *queue)
{
    hold_set waits = queue->in_order ? queue->waits : 0;
    if (queue->recording)
        return 0;
    if (step->depends != NONE)
        waits |= thread->event[step->depends].waits;
    if (step->user != NONE && thread->user[step->user])
        waits |= USER_BIT(step->user);
    return waits;
}

/* The events that a group of the queue depends on. */
static void find_depends(const struct thread *thread, const struct group_step *step, const struct queue *queue,
                         struct call *call)
{
    if (queue->recording)
        return;
    if (step->depends != NONE)
        call->depends[0] = thread->event[step->depends].handle;
    if (step->user != NONE && thread->user[step->user])
        call->depends[1] = thread->user[step->user]->handle;
}

static void run_call(struct thread *thread, const struct group_step *step, struct call *call, struct queue *queue,
                     struct queue *fallback)
{
    const bool faults = thread->run->program->faults;
    const bool with_event = !queue->recording && (step->event != NONE || faults || call->memory);
    struct operation operation;
    call->several = queue->devices > 1 || (fallback && fallback->devices > 1);
    call->perhaps_one = call->several && (queue->devices == 1 || (fallback && fallback->devices == 1));
    operation_begin(&operation);
    operation_add(&operation, call);
    const hold_set uses_wait = operation.waits;
    operation.waits |= order_waits(thread, step, queue);
    const bool shares = queue->shared || (fallback && fallback->shared) || uses_shared(call);
    if (operation.waits && shares && thread->run->program->threads > 1) {
        free(call->memory);
        operation_end(&operation); /* two threads could wait for each other's accessors */
        return;
    }
    struct queue *taken;
    tw_event *event = NULL;
    const tw_status status = submit(thread, queue, fallback, call, step, with_event ? &event : NULL, &taken);
    if (taken != queue && !faults && expected_of(thread->run, queue, call, step) == TW_SUCCESS
        && !may_refuse(thread->run, queue, call, TW_ERROR_INVALID_RANGE)
        && !may_refuse(thread->run, queue, call, TW_ERROR_INVALID_WORK_GROUP_SIZE)
        && !may_refuse(thread->run, queue, call, TW_ERROR_UNSUPPORTED))
        differ(thread, "the fallback queue took what the first one could have taken");
    const tw_status expected = expected_of(thread->run, taken, call, step);
    const bool excused = status == TW_ERROR_OUT_OF_DEVICE_MEMORY && fault_explains(thread, status);
    if (status != expected && !excused && !may_refuse(thread->run, taken, call, status))
        differ(thread, "submission returned %s, not %s", tw_status_name(status), tw_status_name(expected));
    if (status == TW_SUCCESS && must_refuse(taken, call))
        differ(thread, "submission succeeded, but the devices cannot know what the group writes");
    if (status != TW_SUCCESS && taken->devices > 1)
        atomic_fetch_add(&totals.not_divided, 1);
    else if (taken->devices > 1)
        atomic_fetch_add(&totals.divided, 1);
    if (status == TW_SUCCESS && taken->recording)
        note_recorded(thread, taken, call);
    const bool discarded =
        is_by_block(step, taken, call) && !with_event; /* if it has an error: see submit_by_block() */
    if (taken->recording && taken->refusal == TW_SUCCESS && !discarded)
        taken->refusal = status;
    if (status != TW_SUCCESS || taken->recording) {
        free(call->memory);
        operation_end(&operation);
        return;
    }
    if (with_event && !event)
        differ(thread, "there is no event");
    operation.waits =
        uses_wait | order_waits(thread, step, taken); /* not what is before it on a queue that refused it */
    const hold_set waits = operation.waits;
    if (fallback && faults && may_fall_back(queue, fallback, call))
        note_fallback(&operation, queue, fallback);
    if (faults)
        note_depends(&operation, (tw_event *[]){call->depends[0], NULL},
                     call->depends[1] ? thread->user[step->user] : NULL);
    submitted(thread, &operation, taken, event);
    keep_event(thread, with_event ? step->event : NONE, event, waits, call->several);
}

void run_group(struct thread *thread, const struct group_step *step)
{
    struct queue *queue = find_queue(thread, step->queue);
    struct queue *fallback = step->fallback == NONE ? NULL : find_queue(thread, step->fallback);
    struct call call;
    if (!queue || !make_call(thread, step, &call) || (queue->recording && queue->recorded_count == GRAPH_GROUPS))
        return;
    /* what is recorded must not go elsewhere, nor what a shared buffer is in, whose order is not known when a graph
       runs */
    if (fallback
        && (fallback->recording || fallback->in_order || queue->recording || fallback == queue
            || step->way != SUBMIT_FUNCTION))
        fallback = NULL;
    const bool shares = uses_shared(&call);
    if (queue->recording && (shares || call.kernel == COPY_TO)) /* the memory would be written by several groups */
        return;
    if (queue->recording && thread->run->program->faults && breaks_graphs(call.kernel))
        return;
    if (call.kernel == COPY_TO)
        call.memory = malloc(call.part[0].words * sizeof *call.memory);
    check_deliveries(thread);
    find_depends(thread, step, queue, &call);
    if (step->way == DISCARD) {
        tw_command_group *group = tw_queue_begin(queue->handle);
        record_call(group, &call);
        tw_command_group_discard(group);
        free(call.memory);
        return;
    }
    if (shares)
        pthread_mutex_lock(&thread->run->shared);
    run_call(thread, step, &call, queue, fallback);
    if (shares)
        pthread_mutex_unlock(&thread->run->shared);
}

void run_count(struct thread *thread, const struct slot_step *step)
{
    struct queue *queue = find_queue(thread, step->other);
    struct run *run = thread->run;
    if (!queue || queue->recording || run->program->faults)
        return;
    if (queue->in_order && queue->waits) /* other threads would wait for this one */
        return;
    tw_command_group *group = tw_queue_begin(queue->handle);
    record_count(group, run->counter[step->slot], step->n, step->n % 2);
    const tw_status status = tw_queue_submit(queue->handle, group, NULL);
    if (status != TW_SUCCESS)
        differ(thread, "counting: %s", tw_status_name(status));
    atomic_fetch_add(&totals.groups, 1);
    atomic_fetch_add(&run->counter_sum[step->slot], step->n);
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

void run_record_begin(struct thread *thread, const struct slot_step *step)
{
    struct queue *queue = find_queue(thread, step->slot);
    if (!queue || queue->shared)
        return;
    const tw_status expected = !is_of_one_platform(queue) ? TW_ERROR_INVALID_ARGUMENT
                               : queue->recording         ? TW_ERROR_INVALID_COMMAND_GROUP
                                                          : TW_SUCCESS;
    const tw_status status = tw_queue_begin_recording(queue->handle);
    if (status != expected)
        differ(thread, "tw_queue_begin_recording returned %s, not %s", tw_status_name(status),
               tw_status_name(expected));
    if (status == TW_ERROR_INVALID_ARGUMENT)
        return;
    queue->refusal = queue->recording ? queue->refusal : TW_SUCCESS;
    queue->recorded_count = queue->recording ? queue->recorded_count : 0;
    queue->recording = true;
}

void run_record_end(struct thread *thread, const struct slot_step *step)
{
    struct queue *queue = find_queue(thread, step->slot);
    if (!queue || queue->shared)
        return;
    const bool updates = step->other != NONE && thread->graph[step->other].handle;
    const bool drops = step->other == NONE || (updates && thread->graph[step->other].device != queue->device);
    struct graph *graph = drops ? NULL : &thread->graph[step->other];
    const tw_status expected = !queue->recording ? TW_ERROR_INVALID_COMMAND_GROUP : graph ? queue->refusal : TW_SUCCESS;
    const tw_status status = graph && updates ? tw_queue_update_graph(queue->handle, graph->handle)
                                              : tw_queue_end_recording(queue->handle, graph ? &graph->handle : NULL);
    const bool was_recording = queue->recording;
    queue->recording = false;
    if (status == TW_ERROR_OUT_OF_DEVICE_MEMORY && was_recording && fault_explains(thread, status))
        return;
    if (status != expected)
        differ(thread, "tw_queue_%s returned %s, not %s", updates ? "update_graph" : "end_recording",
               tw_status_name(status), tw_status_name(expected));
    if (status != TW_SUCCESS || !graph)
        return;
    bool has_more = queue->devices > 1; /* parts of groups, or launches of algorithms */
    for (unsigned i = 0; i < queue->recorded_count; ++i)
        has_more = has_more || queue->recorded[i].kernel == ALGORITHM;
    if (has_more ? tw_command_graph_count(graph->handle) < queue->recorded_count
                 : tw_command_graph_count(graph->handle) != queue->recorded_count)
        differ(thread, "the graph has %zu groups, not %u", tw_command_graph_count(graph->handle),
               queue->recorded_count);
    graph->device = queue->device;
    graph->count = queue->recorded_count;
    graph->waits = updates ? graph->waits : 0; /* what is submitted later comes behind what was */
    memcpy(graph->call, queue->recorded, sizeof graph->call);
}

static bool is_gone(const struct buffer *buffer)
{
    return buffer && !buffer->root->handle && !buffer->root->subs;
}

static tw_status expected_of_graph(const struct graph *graph, const struct queue *queue)
{
    if (queue->device != graph->device)
        return TW_ERROR_INVALID_ARGUMENT;
    if (queue->recording)
        return TW_ERROR_INVALID_COMMAND_GROUP;
    for (unsigned i = 0; i < graph->count; ++i) {
        const struct call *call = &graph->call[i];
        if (is_gone(call->out) || is_gone(call->in) || is_gone(call->in2))
            return TW_ERROR_INVALID_ARGUMENT;
    }
    return TW_SUCCESS;
}

/* Whether a buffer is gone that parts may not access: what a mapper gives may be nothing. */
static bool may_lack(const struct graph *graph)
{
    for (unsigned i = 0; i < graph->count; ++i) {
        const struct call *call = &graph->call[i];
        if (call->several && call->kernel == MAPPED && (is_gone(call->out) || is_gone(call->in) || is_gone(call->in2)))
            return true;
    }
    return false;
}

/* Whether a graph is submitted group by group. */
static bool is_by_groups(const struct graph *graph)
{
    bool is = false;
    for (unsigned i = 0; i < graph->count; ++i)
        is = is || breaks_graphs(graph->call[i].kernel);
    return is;
}

static bool submit_graph_once(struct thread *thread, struct graph *graph, struct queue *queue)
{
    const tw_status expected = expected_of_graph(graph, queue);
    struct operation operation;
    operation_begin(&operation);
    if (expected == TW_SUCCESS)
        for (unsigned i = 0; i < graph->count; ++i)
            operation_add(&operation, &graph->call[i]);
    operation.waits |= (hold_set)(graph->waits | (queue->in_order ? queue->waits : 0));
    /* two threads could wait for each other's accessors; and the model lets all groups of a graph wait for one */
    if (operation.waits && ((queue->shared && thread->run->program->threads > 1) || is_by_groups(graph))) {
        operation_end(&operation);
        return false;
    }
    const bool with_event = thread->run->program->faults || draw_below(&thread->random, 2);
    tw_event *event = NULL;
    const tw_status status = tw_queue_submit_graph(queue->handle, graph->handle, with_event ? &event : NULL);
    if (status != expected)
        differ(thread, "submitting a graph returned %s, not %s", tw_status_name(status), tw_status_name(expected));
    if (status != TW_SUCCESS) {
        operation_end(&operation);
        return false;
    }
    graph->waits = operation.waits;
    submitted(thread, &operation, queue, event);
    tw_event_release(&event);
    return true;
}

void run_graph_submit(struct thread *thread, const struct slot_step *step)
{
    struct graph *graph = &thread->graph[step->slot];
    struct queue *queue = find_queue(thread, step->other);
    if (!graph->handle || !queue || may_lack(graph))
        return;
    for (uint32_t i = 0; i < step->n && submit_graph_once(thread, graph, queue); ++i) {
    }
}
