/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of asynchronous simulated devices (TW_SIM_ASYNC). Each stream has a thread, which runs its launches and
 * copies in their order.
 */
#define _GNU_SOURCE
#include "sim_stream.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "common/team.h"
#include "rows.h"
#include "sim_device.h"
#include "sim_memory.h"

/* A launch, a copy, a fill, a hint, or a wait for an event of another stream. All but waits are kept until their outcome is
   asked for. */
struct sim_item {
    struct sim_item *next;
    struct tw_backend_event event; /* of a wait; its stream is NULL for all others */
    const struct tw_internal_kernel *kernel;
    struct tw_internal_launch *launch;
    const struct sim_graph *graph;                        /* instead of a kernel; or NULL */
    struct tw_backend_copy copy;                          /* rows 0: none */
    struct tw_backend_fill fill;                          /* rows 0: none */
    bool is_hint;                                         /* nothing is to be done */
    tw_status (*call)(const void *context, void *stream); /* of the program; or NULL */
    const void *context;
    bool measured;
    struct tw_backend_times times;
    tw_status status;
    tw_native_code native;
    char message[600];
    unsigned char pattern[]; /* of a fill */
};

/* A node of a command graph, and the body of its part. */
struct sim_node {
    struct tw_backend_graph_node node;
    struct sim_graph *body; /* owned; or NULL */
    const int *condition;   /* of the part */
    bool repeats;
};

/* A command graph or the body of a part: its nodes, in an order in which they can run. */
struct sim_graph {
    struct tw_backend_graph base;
    size_t count;
    bool is_replaced; /* by an update: it is launched no more */
    struct sim_node nodes[];
};

struct sim_stream {
    struct tw_backend_stream base;
    struct tw_backend_device *device;
    pthread_t thread;
    struct sim_item *first, *last; /* items that have not run; under streams_mutex, as all below */
    struct sim_item *first_over, *last_over;
    uint64_t launched;
    uint64_t over; /* the number of completed launches and copies */
    /* The number of items of other streams that wait for this one. They may outlive what they wait for, if the launch
       or copy that was to come after them could not be enqueued. */
    unsigned waiters;
    bool closing;
    bool measures; /* the next launch or copy is measured; used by the enqueuing thread, without the mutex */
};

static pthread_mutex_t streams_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t streams_changed = PTHREAD_COND_INITIALIZER;
static unsigned running;  /* the number of items that threads run at this moment; under the mutex, as is_ending */
static bool is_ending;    /* the program ends: no thread begins another item */
#define END_NS 200000000u /* longest time that exit() waits for the items that run */

static struct sim_stream *stream_of(struct tw_backend_stream *stream)
{
    return (struct sim_stream *)stream;
}

/* Records the start of a kernel or a copy. The delay of a launch is not measured, that of a copy is. */
static void begin(struct sim_item *item)
{
    if (item->measured)
        item->times.start_ns = tw_now_ns();
}

/* Runs a copy of a stream. It fails only if the device is lost. A copy with a simulated fault is not even enqueued:
   what comes behind it on the stream would use data that were not copied, and only the runtime knows what that is. */
static tw_status run_copy(struct tw_backend_device *device, const struct tw_backend_copy *copy)
{
    if (tw_sim_is_lost(device))
        return tw_sim_refuse_copy(device, true, tw_backend_copy_bytes(copy));
    tw_rows_copy(copy);
    return tw_sim_memory_check_copy(copy);
}

/* The same for a fill. */
static tw_status run_fill(struct tw_backend_device *device, const struct tw_backend_fill *fill)
{
    if (tw_sim_is_lost(device))
        return tw_sim_refuse_fill(device, fill);
    tw_rows_fill(fill);
    return tw_sim_memory_check_fill(fill);
}

static tw_status run_node(const struct tw_backend_graph_node *node)
{
    if (node->copy)
        return run_copy(node->device, node->copy);
    if (node->fill)
        return run_fill(node->device, node->fill);
    if (!node->kernel)
        return TW_SUCCESS;
    struct tw_internal_launch launch = *node->launch;
    return tw_sim_run_kernel(node->device, node->kernel, &launch);
}

static tw_status run_nodes(const struct sim_graph *graph);

static tw_status run_part(const struct sim_node *part)
{
    tw_status status = TW_SUCCESS;
    while (*part->condition && status == TW_SUCCESS) {
        status = run_nodes(part->body);
        if (!part->repeats)
            break;
    }
    return status;
}

static tw_status run_nodes(const struct sim_graph *graph)
{
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < graph->count && status == TW_SUCCESS; ++i) {
        const struct sim_node *node = &graph->nodes[i];
        status = node->body ? run_part(node) : run_node(&node->node);
    }
    return status;
}

/* Runs an item that is no wait. */
static tw_status run_work(struct tw_backend_device *device, struct sim_item *item)
{
    const bool is_launch = item->kernel || item->graph || item->call;
    if (!is_launch)
        begin(item);
    tw_sim_op_delay(device, is_launch ? TW_SIM_LAUNCH : TW_SIM_COPY);
    if (is_launch)
        begin(item);
    if (item->kernel)
        return tw_sim_run_kernel(device, item->kernel, item->launch);
    if (item->call)
        return item->call(item->context, NULL);
    if (item->copy.rows)
        return run_copy(item->copy.to ? item->copy.to : device, &item->copy);
    if (item->fill.rows)
        return run_fill(device, &item->fill);
    if (item->is_hint)
        return TW_SUCCESS;
    __builtin_assume(item->graph != NULL); /* for clang-tidy */
    return run_nodes(item->graph);
}

/* Runs the first item of a stream. Called under streams_mutex, which is released while the item runs. */
static void run_item(struct sim_stream *stream)
{
    struct sim_item *item = stream->first;
    if (item->event.stream) {
        while (stream_of(item->event.stream)->over < item->event.sequence)
            pthread_cond_wait(&streams_changed, &streams_mutex);
        if (--stream_of(item->event.stream)->waiters == 0)
            pthread_cond_broadcast(&streams_changed);
    } else {
        ++running;
        pthread_mutex_unlock(&streams_mutex);
        item->status = run_work(stream->device, item);
        if (item->measured)
            item->times.end_ns = tw_now_ns();
        if (item->status != TW_SUCCESS) {
            snprintf(item->message, sizeof item->message, "%s", tw_error_detail());
            item->native = tw_error_native_code();
        }
        pthread_mutex_lock(&streams_mutex);
        --running;
    }
    stream->first = item->next;
    if (!stream->first)
        stream->last = NULL;
    if (item->event.stream) {
        free(item);
        return;
    }
    item->next = NULL;
    *(stream->last_over ? &stream->last_over->next : &stream->first_over) = item;
    stream->last_over = item;
    ++stream->over;
    pthread_cond_broadcast(&streams_changed);
}

/* A stream whose thread has more to do runs something now, or waits for one that does. */
void tw_sim_end_program(void)
{
    const uint64_t until = tw_now_ns() + END_NS;
    pthread_mutex_lock(&streams_mutex);
    is_ending = running;
    while (running && tw_now_ns() < until) {
        pthread_mutex_unlock(&streams_mutex);
        sched_yield();
        pthread_mutex_lock(&streams_mutex);
    }
    pthread_mutex_unlock(&streams_mutex);
}

static void *run_stream(void *argument)
{
    struct sim_stream *stream = argument;
    tw_team_begin_worker();
    pthread_mutex_lock(&streams_mutex);
    while (stream->first || !stream->closing) {
        if (stream->first && !is_ending)
            run_item(stream);
        else
            pthread_cond_wait(&streams_changed, &streams_mutex);
    }
    pthread_mutex_unlock(&streams_mutex);
    return NULL;
}

static tw_status open_stream(struct tw_backend_device *device, enum tw_priority priority,
                             struct tw_backend_stream **result)
{
    (void)priority;
    struct sim_stream *stream = calloc(1, sizeof *stream);
    if (stream)
        stream->device = device;
    const int error = stream ? pthread_create(&stream->thread, NULL, run_stream, stream) : ENOMEM;
    if (error) {
        free(stream);
        (void)tw_fail(TW_ERROR_OUT_OF_MEMORY, "no thread for simulated device %u", device->index);
        return tw_fail_native(TW_ERROR_OUT_OF_MEMORY, TW_NATIVE_ERRNO, error);
    }
    *result = &stream->base;
    return TW_SUCCESS;
}

static void close_stream(struct tw_backend_stream *base)
{
    struct sim_stream *stream = stream_of(base);
    pthread_mutex_lock(&streams_mutex);
    while (stream->waiters)
        pthread_cond_wait(&streams_changed, &streams_mutex);
    stream->closing = true;
    pthread_cond_broadcast(&streams_changed);
    pthread_mutex_unlock(&streams_mutex);
    pthread_join(stream->thread, NULL);
    free(stream);
}

static bool takes(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                  const struct tw_internal_launch *launch)
{
    (void)kernel;
    (void)launch;
    return tw_sim_is_asynchronous(device);
}

static tw_status add_item(struct sim_stream *stream, struct sim_item contents, uint64_t *sequence)
{
    struct sim_item *item = malloc(sizeof *item + contents.fill.pattern_bytes);
    const bool measured = sequence && stream->measures;
    if (sequence)
        stream->measures = false;
    if (!item)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to launch on simulated device %u", stream->device->index);
    *item = contents;
    if (contents.fill.rows)
        item->fill.pattern = memcpy(item->pattern, contents.fill.pattern, contents.fill.pattern_bytes);
    item->measured = measured;
    pthread_mutex_lock(&streams_mutex);
    *(stream->last ? &stream->last->next : &stream->first) = item;
    stream->last = item;
    if (sequence)
        *sequence = ++stream->launched;
    else
        ++stream_of(item->event.stream)->waiters;
    pthread_cond_broadcast(&streams_changed);
    pthread_mutex_unlock(&streams_mutex);
    return TW_SUCCESS;
}

static tw_status wait(struct tw_backend_stream *stream, const struct tw_backend_event *events, size_t count)
{
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < count && status == TW_SUCCESS; ++i)
        status = add_item(stream_of(stream), (struct sim_item){.event = events[i]}, NULL);
    return status;
}

static void measure(struct tw_backend_stream *stream)
{
    stream_of(stream)->measures = true;
}

static tw_status enqueue(struct tw_backend_stream *base, const struct tw_internal_kernel *kernel,
                         struct tw_internal_launch *description, uint64_t *sequence)
{
    struct sim_stream *stream = stream_of(base);
    if (tw_sim_op_fails(stream->device, TW_SIM_LAUNCH))
        return tw_sim_refuse_launch(stream->device, kernel);
    return add_item(stream, (struct sim_item){.kernel = kernel, .launch = description}, sequence);
}

static bool reaches(struct tw_backend_device *to, struct tw_backend_device *from)
{
    return tw_sim_is_asynchronous(to) && tw_sim_is_asynchronous(from);
}

static tw_status enqueue_copy(struct tw_backend_stream *base, const struct tw_backend_copy *copy, uint64_t *sequence)
{
    struct sim_stream *stream = stream_of(base);
    struct tw_backend_device *device = copy->to ? copy->to : stream->device;
    tw_sim_count_bytes(device, tw_backend_copy_bytes(copy));
    if (tw_sim_op_fails(device, TW_SIM_COPY))
        return tw_sim_refuse_copy(device, copy->to != NULL, tw_backend_copy_bytes(copy));
    return add_item(stream, (struct sim_item){.copy = *copy}, sequence);
}

static tw_status enqueue_fill(struct tw_backend_stream *base, const struct tw_backend_fill *fill, uint64_t *sequence)
{
    struct sim_stream *stream = stream_of(base);
    if (tw_sim_op_fails(stream->device, TW_SIM_COPY))
        return tw_sim_refuse_fill(stream->device, fill);
    return add_item(stream, (struct sim_item){.fill = *fill}, sequence);
}

/* A prefetch counts as a copy. */
static tw_status enqueue_hint(struct tw_backend_stream *base, const struct tw_backend_hint *hint, uint64_t *sequence)
{
    struct sim_stream *stream = stream_of(base);
    if (hint->prefetches) {
        tw_sim_count_bytes(stream->device, hint->bytes);
        if (tw_sim_op_fails(stream->device, TW_SIM_COPY))
            return tw_sim_refuse_copy(stream->device, !hint->to_host, hint->bytes);
    }
    return add_item(stream, (struct sim_item){.is_hint = true}, sequence);
}

static tw_status enqueue_native(struct tw_backend_stream *base, tw_status (*call)(const void *context, void *stream),
                                const void *context, uint64_t *sequence)
{
    struct sim_stream *stream = stream_of(base);
    if (tw_sim_op_fails(stream->device, TW_SIM_LAUNCH)) {
        (void)tw_fail(TW_ERROR_LAUNCH_FAILED, "simulated fault: starting a native task on device %u",
                      stream->device->index);
        return tw_fail_native(TW_ERROR_LAUNCH_FAILED, TW_NATIVE_SIM, TW_SIM_LAUNCH);
    }
    return add_item(stream, (struct sim_item){.call = call, .context = context}, sequence);
}

static bool is_ready(const struct tw_backend_graph_node *node, const bool *done)
{
    for (size_t i = 0; i < node->before_count; ++i)
        if (!done[node->before[i]])
            return false;
    return true;
}

/* Takes the nodes in another order than they were recorded, so that tests find what does not wait: always the last one
   that can run. */
static void order_nodes(struct sim_graph *graph, const struct tw_backend_graph_node *nodes, size_t count, bool *done)
{
    for (; graph->count < count; ++graph->count) {
        size_t next = count - 1;
        while (done[next] || !is_ready(&nodes[next], done))
            --next;
        done[next] = true;
        graph->nodes[graph->count] = (struct sim_node){.node = nodes[next]};
    }
}

static void destroy(struct tw_backend_graph *base)
{
    struct sim_graph *graph = (struct sim_graph *)base;
    for (size_t i = 0; i < graph->count; ++i)
        if (graph->nodes[i].body)
            destroy(&graph->nodes[i].body->base);
    free(graph);
}

static struct sim_graph *make_graph(struct tw_backend_device *device, const struct tw_backend_graph_node *nodes,
                                    size_t count);

/* Makes the bodies of a graph's parts. Returns false if memory is exhausted. */
static bool make_bodies(struct sim_graph *graph)
{
    for (size_t i = 0; i < graph->count; ++i) {
        struct sim_node *node = &graph->nodes[i];
        const struct tw_backend_graph_part *part = node->node.part;
        if (!part)
            continue;
        node->body = make_graph(graph->base.device, part->nodes, part->count);
        node->condition = part->condition;
        node->repeats = part->repeats;
        if (!node->body)
            return false;
    }
    return true;
}

/* Returns NULL if memory is exhausted. */
static struct sim_graph *make_graph(struct tw_backend_device *device, const struct tw_backend_graph_node *nodes,
                                    size_t count)
{
    struct sim_graph *made = malloc(sizeof *made + count * sizeof made->nodes[0]);
    bool *done = calloc(count + 1, sizeof *done);
    if (made && done) {
        made->base.device = device;
        made->count = 0;
        made->is_replaced = false;
        order_nodes(made, nodes, count, done);
    }
    if (!made || !done || !make_bodies(made)) {
        if (made && done)
            destroy(&made->base);
        else
            free(made);
        made = NULL;
    }
    free(done);
    return made;
}

static tw_status instantiate(struct tw_backend_device *device, const struct tw_backend_graph_node *nodes, size_t count,
                             struct tw_backend_graph **graph)
{
    if (!tw_sim_is_asynchronous(device))
        return TW_SUCCESS;
    struct sim_graph *made = make_graph(device, nodes, count);
    if (!made)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a graph of %zu nodes", count);
    *graph = &made->base;
    return TW_SUCCESS;
}

/* Makes a graph anew, and lets launches of the other one fail: nobody may launch it any more. */
static tw_status update(struct tw_backend_graph *before, const struct tw_backend_graph_node *nodes, size_t count,
                        struct tw_backend_graph **graph)
{
    ((struct sim_graph *)before)->is_replaced = true;
    return ((struct sim_graph *)before)->count == count ? instantiate(before->device, nodes, count, graph) : TW_SUCCESS;
}

static tw_status launch_graph(struct tw_backend_stream *base, struct tw_backend_graph *graph, uint64_t *sequence)
{
    struct sim_stream *stream = stream_of(base);
    if (((const struct sim_graph *)graph)->is_replaced)
        return tw_fail(TW_ERROR_LAUNCH_FAILED, "a command graph was launched that is updated");
    if (tw_sim_op_fails(stream->device, TW_SIM_LAUNCH)) {
        (void)tw_fail(TW_ERROR_LAUNCH_FAILED, "simulated fault: launching a command graph on device %u",
                      stream->device->index);
        return tw_fail_native(TW_ERROR_LAUNCH_FAILED, TW_NATIVE_SIM, TW_SIM_LAUNCH);
    }
    return add_item(stream, (struct sim_item){.graph = (const struct sim_graph *)graph}, sequence);
}

static uint64_t completed(struct tw_backend_stream *stream, uint64_t sequence)
{
    (void)sequence;
    pthread_mutex_lock(&streams_mutex);
    const uint64_t over = stream_of(stream)->over;
    pthread_mutex_unlock(&streams_mutex);
    return over;
}

static void times(struct tw_backend_stream *stream, uint64_t sequence, struct tw_backend_times *result)
{
    (void)sequence; /* times are asked for in their order */
    pthread_mutex_lock(&streams_mutex);
    *result = stream_of(stream)->first_over->times;
    pthread_mutex_unlock(&streams_mutex);
}

static tw_status outcome(struct tw_backend_stream *base, uint64_t sequence)
{
    struct sim_stream *stream = stream_of(base);
    (void)sequence; /* outcomes are asked for in their order */
    pthread_mutex_lock(&streams_mutex);
    struct sim_item *item = stream->first_over;
    stream->first_over = item->next;
    if (!stream->first_over)
        stream->last_over = NULL;
    pthread_mutex_unlock(&streams_mutex);
    const tw_status status = item->status;
    if (status != TW_SUCCESS)
        (void)tw_fail_native(tw_fail(status, "%s", item->message), item->native.api, item->native.code);
    free(item);
    return status;
}

const struct tw_backend_async tw_sim_async = {
    .open = open_stream,
    .close = close_stream,
    .takes = takes,
    .wait = wait,
    .measure = measure,
    .launch = enqueue,
    .reaches = reaches,
    .copy = enqueue_copy,
    .fill = enqueue_fill,
    .hint = enqueue_hint,
    .native = enqueue_native,
    .completed = completed,
    .times = times,
    .outcome = outcome,
};

const struct tw_backend_graphs tw_sim_graphs = {
    .instantiate = instantiate,
    .update = update,
    .destroy = destroy,
    .launch = launch_graph,
};
