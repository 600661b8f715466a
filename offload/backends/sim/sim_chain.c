/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of asynchronous simulated devices (TW_SIM_ASYNC): a thread each, which runs the launches and copies in their
 * order.
 */
#define _GNU_SOURCE
#include "sim_chain.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "common/team.h"
#include "sim_device.h"
#include "sim_memory.h"

/* A launch or a copy, or something on another chain that those after it wait for. The first two stay until their
   outcome is asked for. */
struct sim_item {
    struct sim_item *next;
    struct tw_backend_mark mark; /* chain: NULL for a launch or a copy */
    const struct tw_internal_kernel *kernel;
    struct tw_internal_launch *launch;
    const struct sim_graph *graph; /* instead of a kernel; or NULL */
    void *target;                  /* of a copy, which has neither */
    const void *source;
    size_t bytes;
    bool measured;
    struct tw_backend_times times;
    tw_status status;
    char message[600];
};

/* The steps of a command graph, in their order. */
struct sim_graph {
    struct tw_backend_graph base;
    size_t count;
    struct tw_backend_step steps[];
};

struct sim_chain {
    struct tw_backend_chain base;
    struct tw_backend_device *device;
    pthread_t thread;
    struct sim_item *first, *last; /* not run yet; under chains_mutex, as all below */
    struct sim_item *first_over, *last_over;
    uint64_t launched;
    uint64_t over; /* launches and copies */
    /* Items of other chains that wait for this one. They are there for longer than what they wait for where what was
       to come after them could not be enqueued. */
    unsigned followers;
    bool closing;
    bool measures; /* the next launch or copy; used by who enqueues it, without the mutex */
};

static pthread_mutex_t chains_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t chains_changed = PTHREAD_COND_INITIALIZER;

static struct sim_chain *chain_of(struct tw_backend_chain *chain)
{
    return (struct sim_chain *)chain;
}

/* Notes that a launch or a copy begins: launching is not part of it, but all is that a copy does. */
static void begin(struct sim_item *item)
{
    if (item->measured)
        item->times.start_ns = tw_now_ns();
}

/* Runs a copy of a chain. It fails as any after a fault of the device; one that was to fail was not enqueued: what
   is enqueued behind it would use what it did not bring, and only the runtime knows what that is. */
static tw_status run_copy(struct tw_backend_device *device, struct sim_item *item)
{
    begin(item);
    tw_sim_op_delay(device, TW_SIM_COPY);
    if (tw_sim_is_lost(device))
        return tw_sim_refuse_copy(device, true, item->bytes);
    memcpy(item->target, item->source, item->bytes);
    const tw_status status = tw_sim_memory_check_copy(item->source);
    return status == TW_SUCCESS ? tw_sim_memory_check_copy(item->target) : status;
}

/* Runs a launch of a chain, or all of a graph. */
static tw_status run_launch(struct tw_backend_device *device, struct sim_item *item)
{
    tw_status status = TW_SUCCESS;
    tw_sim_op_delay(device, TW_SIM_LAUNCH);
    begin(item);
    if (!item->graph)
        return tw_sim_run_kernel(device, item->kernel, item->launch);
    for (size_t i = 0; i < item->graph->count && status == TW_SUCCESS; ++i) {
        const struct tw_backend_step *step = &item->graph->steps[i];
        struct tw_internal_launch launch = *step->launch;
        if (step->kernel)
            status = tw_sim_run_kernel(device, step->kernel, &launch);
    }
    return status;
}

/* Runs the first item of a chain; under chains_mutex, which is released meanwhile. */
static void run_item(struct sim_chain *chain)
{
    struct sim_item *item = chain->first;
    if (item->mark.chain) {
        while (chain_of(item->mark.chain)->over < item->mark.position)
            pthread_cond_wait(&chains_changed, &chains_mutex);
        if (--chain_of(item->mark.chain)->followers == 0)
            pthread_cond_broadcast(&chains_changed);
    } else {
        pthread_mutex_unlock(&chains_mutex);
        item->status = item->kernel || item->graph ? run_launch(chain->device, item) : run_copy(chain->device, item);
        if (item->measured)
            item->times.end_ns = tw_now_ns();
        if (item->status != TW_SUCCESS)
            snprintf(item->message, sizeof item->message, "%s", tw_error_detail());
        pthread_mutex_lock(&chains_mutex);
    }
    chain->first = item->next;
    if (!chain->first)
        chain->last = NULL;
    if (item->mark.chain) {
        free(item);
        return;
    }
    item->next = NULL;
    *(chain->last_over ? &chain->last_over->next : &chain->first_over) = item;
    chain->last_over = item;
    ++chain->over;
    pthread_cond_broadcast(&chains_changed);
}

static void *run_chain(void *argument)
{
    struct sim_chain *chain = argument;
    tw_team_begin_worker();
    pthread_mutex_lock(&chains_mutex);
    while (chain->first || !chain->closing) {
        if (chain->first)
            run_item(chain);
        else
            pthread_cond_wait(&chains_changed, &chains_mutex);
    }
    pthread_mutex_unlock(&chains_mutex);
    return NULL;
}

static tw_status open_chain(struct tw_backend_device *device, struct tw_backend_chain **result)
{
    struct sim_chain *chain = calloc(1, sizeof *chain);
    if (chain)
        chain->device = device;
    if (!chain || pthread_create(&chain->thread, NULL, run_chain, chain) != 0) {
        free(chain);
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no thread for simulated device %u", device->index);
    }
    *result = &chain->base;
    return TW_SUCCESS;
}

static void close_chain(struct tw_backend_chain *base)
{
    struct sim_chain *chain = chain_of(base);
    pthread_mutex_lock(&chains_mutex);
    while (chain->followers)
        pthread_cond_wait(&chains_changed, &chains_mutex);
    chain->closing = true;
    pthread_cond_broadcast(&chains_changed);
    pthread_mutex_unlock(&chains_mutex);
    pthread_join(chain->thread, NULL);
    free(chain);
}

static bool takes(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                  const struct tw_internal_launch *launch)
{
    (void)kernel;
    (void)launch;
    return tw_sim_is_asynchronous(device);
}

static tw_status add_item(struct sim_chain *chain, struct sim_item contents, uint64_t *position)
{
    struct sim_item *item = malloc(sizeof *item);
    const bool measured = position && chain->measures;
    if (position)
        chain->measures = false;
    if (!item)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to launch on simulated device %u", chain->device->index);
    *item = contents;
    item->measured = measured;
    pthread_mutex_lock(&chains_mutex);
    *(chain->last ? &chain->last->next : &chain->first) = item;
    chain->last = item;
    if (position)
        *position = ++chain->launched;
    else
        ++chain_of(item->mark.chain)->followers;
    pthread_cond_broadcast(&chains_changed);
    pthread_mutex_unlock(&chains_mutex);
    return TW_SUCCESS;
}

static tw_status follow(struct tw_backend_chain *chain, const struct tw_backend_mark *marks, size_t count)
{
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < count && status == TW_SUCCESS; ++i)
        status = add_item(chain_of(chain), (struct sim_item){.mark = marks[i]}, NULL);
    return status;
}

static void measure(struct tw_backend_chain *chain)
{
    chain_of(chain)->measures = true;
}

static tw_status enqueue(struct tw_backend_chain *base, const struct tw_internal_kernel *kernel,
                         struct tw_internal_launch *description, uint64_t *position)
{
    struct sim_chain *chain = chain_of(base);
    if (tw_sim_op_fails(chain->device, TW_SIM_LAUNCH))
        return tw_sim_refuse_launch(chain->device, kernel);
    return add_item(chain, (struct sim_item){.kernel = kernel, .launch = description}, position);
}

static bool reaches(struct tw_backend_device *to, struct tw_backend_device *from)
{
    return tw_sim_is_asynchronous(to) && tw_sim_is_asynchronous(from);
}

static tw_status enqueue_copy(struct tw_backend_chain *base, void *target, struct tw_backend_device *from,
                              const void *source, size_t bytes, uint64_t *position)
{
    struct sim_chain *chain = chain_of(base);
    (void)from;
    if (tw_sim_op_fails(chain->device, TW_SIM_COPY))
        return tw_sim_refuse_copy(chain->device, true, bytes);
    return add_item(chain, (struct sim_item){.target = target, .source = source, .bytes = bytes}, position);
}

static tw_status assemble(struct tw_backend_device *device, const struct tw_backend_step *steps, size_t count,
                          struct tw_backend_graph **graph)
{
    if (!tw_sim_is_asynchronous(device))
        return TW_SUCCESS;
    struct sim_graph *made = malloc(sizeof *made + count * sizeof *steps);
    if (!made)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a graph of %zu kernels", count);
    made->base.device = device;
    made->count = count;
    memcpy(made->steps, steps, count * sizeof *steps);
    *graph = &made->base;
    return TW_SUCCESS;
}

static void dismantle(struct tw_backend_graph *graph)
{
    free(graph);
}

static tw_status replay(struct tw_backend_chain *base, struct tw_backend_graph *graph, uint64_t *position)
{
    struct sim_chain *chain = chain_of(base);
    if (tw_sim_op_fails(chain->device, TW_SIM_LAUNCH))
        return tw_fail(TW_ERROR_LAUNCH_FAILED, "simulated fault: launching a command graph on device %u",
                       chain->device->index);
    return add_item(chain, (struct sim_item){.graph = (const struct sim_graph *)graph}, position);
}

static uint64_t reached(struct tw_backend_chain *chain, uint64_t position)
{
    (void)position;
    pthread_mutex_lock(&chains_mutex);
    const uint64_t over = chain_of(chain)->over;
    pthread_mutex_unlock(&chains_mutex);
    return over;
}

static void times(struct tw_backend_chain *chain, uint64_t position, struct tw_backend_times *result)
{
    (void)position; /* they are asked for in their order */
    pthread_mutex_lock(&chains_mutex);
    *result = chain_of(chain)->first_over->times;
    pthread_mutex_unlock(&chains_mutex);
}

static tw_status outcome(struct tw_backend_chain *base, uint64_t position)
{
    struct sim_chain *chain = chain_of(base);
    (void)position; /* outcomes are asked for in their order */
    pthread_mutex_lock(&chains_mutex);
    struct sim_item *item = chain->first_over;
    chain->first_over = item->next;
    if (!chain->first_over)
        chain->last_over = NULL;
    pthread_mutex_unlock(&chains_mutex);
    const tw_status status = item->status;
    if (status != TW_SUCCESS)
        (void)tw_fail(status, "%s", item->message);
    free(item);
    return status;
}

const struct tw_backend_async tw_sim_async = {
    .open = open_chain,
    .close = close_chain,
    .takes = takes,
    .follow = follow,
    .measure = measure,
    .launch = enqueue,
    .reaches = reaches,
    .copy = enqueue_copy,
    .reached = reached,
    .times = times,
    .outcome = outcome,
};

const struct tw_backend_graphs tw_sim_graphs = {
    .assemble = assemble,
    .dismantle = dismantle,
    .replay = replay,
};
