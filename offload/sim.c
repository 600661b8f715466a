/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated devices (teamwork/sim.h): memory of their own on the host, poisoned, with faults and delays on demand.
 *
 * Under the address sanitizer a kernel that uses memory of another device, or of the host where a transfer was needed,
 * is not caught as such; it sees poison, or stale contents, because each device's allocations are separate.
 */
#define _GNU_SOURCE
#include "sim.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <teamwork/sim.h>

#include "host.h"

#define OPERATIONS 4
#define ASYNC_COPIES 2u   /* to an asynchronous device at a time */
#define HEADER_BYTES 128u /* before each allocation: its size */

struct sim_device {
    struct tw_backend_device base;
    pthread_mutex_t mutex; /* for all below */
    uint64_t counts[OPERATIONS];
    uint64_t fail_at[OPERATIONS]; /* count at which to fail; 0: never */
    uint64_t delay_ns[OPERATIONS];
    uint64_t allocated_bytes;
    bool lost;         /* after a failed kernel */
    bool asynchronous; /* never changes */
};

static unsigned configured;
static bool is_configured;
static unsigned present; /* of the current discovery */

void tw_sim_configure(unsigned count)
{
    configured = count;
    is_configured = true;
}

tw_status tw_sim_configured(unsigned *count)
{
    unsigned long number = configured;
    const char *text = getenv("TW_SIM");
    if (!is_configured) {
        char *end = NULL;
        number = 0;
        if (text && *text) {
            if (*text >= '0' && *text <= '9')
                number = strtoul(text, &end, 10);
            if (!end || *end || number > TW_SIM_MAX_DEVICES)
                return tw_backend_complain(TW_ERROR_INVALID_CONFIGURATION,
                                           "TW_SIM=\"%s\" is not a number of devices from 0 to %u", text,
                                           TW_SIM_MAX_DEVICES);
        }
    }
    present = *count = (unsigned)number;
    return TW_SUCCESS;
}

static struct sim_device *sim(struct tw_backend_device *device)
{
    return (struct sim_device *)device;
}

static unsigned count(void)
{
    return present;
}

static tw_status open_device(unsigned index, struct tw_backend_device **result)
{
    struct sim_device *device = calloc(1, sizeof *device);
    if (!device)
        return tw_backend_complain(TW_ERROR_OUT_OF_MEMORY, "no memory for a simulated device");
    device->base =
        (struct tw_backend_device){.backend = &tw_backend_sim, .index = index, .type = TW_DEVICE_SIM, .max_lanes = 4};
    pthread_mutex_init(&device->mutex, NULL);
    const char *text = getenv("TW_SIM_ASYNC");
    device->asynchronous = text && strcmp(text, "1") == 0;
    device->base.max_copies = device->asynchronous ? ASYNC_COPIES : 0;
    *result = &device->base;
    return TW_SUCCESS;
}

static void close_device(struct tw_backend_device *device)
{
    pthread_mutex_destroy(&sim(device)->mutex);
    free(device);
}

static void describe(struct tw_backend_device *device, struct tw_device_facts *facts)
{
    tw_host_describe(device, facts);
    snprintf(facts->name, sizeof facts->name, "Simulated device %u", device->index);
    snprintf(facts->vendor, sizeof facts->vendor, "Teamwork");
    facts->max_work_group_size = TW_INTERNAL_SIMT_MAX_GROUP; /* as on a GPU */
    facts->local_mem_type = TW_LOCAL_MEM_LOCAL;
    facts->local_mem_bytes = 48u << 10;
}

static bool is_lost(struct sim_device *device)
{
    pthread_mutex_lock(&device->mutex);
    const bool lost = device->lost;
    pthread_mutex_unlock(&device->mutex);
    return lost;
}

/* Counts an operation. Returns whether it is to fail. */
static bool counts(struct sim_device *device, tw_sim_operation operation)
{
    pthread_mutex_lock(&device->mutex);
    const uint64_t number = ++device->counts[operation];
    const bool fails = device->fail_at[operation] == number;
    if (fails)
        device->fail_at[operation] = 0;
    const bool lost = device->lost;
    pthread_mutex_unlock(&device->mutex);
    return fails || lost;
}

static void delay(struct sim_device *device, tw_sim_operation operation)
{
    pthread_mutex_lock(&device->mutex);
    const uint64_t ns = device->delay_ns[operation];
    pthread_mutex_unlock(&device->mutex);
    if (ns) {
        const struct timespec rest = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
        nanosleep(&rest, NULL);
    }
}

static bool begin(struct sim_device *device, tw_sim_operation operation)
{
    const bool fails = counts(device, operation);
    delay(device, operation);
    return fails;
}

static void *allocate(struct tw_backend_device *device, size_t bytes)
{
    if (begin(sim(device), TW_SIM_ALLOCATION) || bytes > SIZE_MAX - 2 * HEADER_BYTES)
        return NULL;
    unsigned char *block =
        aligned_alloc(HEADER_BYTES, HEADER_BYTES + (bytes + HEADER_BYTES - 1) / HEADER_BYTES * HEADER_BYTES);
    if (!block)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    memset(block + HEADER_BYTES, TW_SIM_POISON, bytes);
    pthread_mutex_lock(&sim(device)->mutex);
    sim(device)->allocated_bytes += bytes;
    pthread_mutex_unlock(&sim(device)->mutex);
    return block + HEADER_BYTES;
}

static void release(struct tw_backend_device *device, void *memory)
{
    unsigned char *block = (unsigned char *)memory - HEADER_BYTES;
    size_t bytes;
    memcpy(&bytes, block, sizeof bytes);
    memset(memory, TW_SIM_POISON, bytes);
    pthread_mutex_lock(&sim(device)->mutex);
    sim(device)->allocated_bytes -= bytes;
    pthread_mutex_unlock(&sim(device)->mutex);
    free(block);
}

static tw_status refuse_copy(const struct sim_device *device, bool to, size_t bytes)
{
    return tw_backend_complain(TW_ERROR_TRANSFER_FAILED, "simulated fault: copying %zu bytes %s device %u", bytes,
                               to ? "to" : "from", device->base.index);
}

static tw_status copy(struct tw_backend_device *to, void *target, struct tw_backend_device *from, const void *source,
                      size_t bytes)
{
    struct sim_device *device = sim(to ? to : from);
    if (begin(device, TW_SIM_COPY)) {
        memcpy(target, source, bytes / 2);
        return refuse_copy(device, to != NULL, bytes);
    }
    memcpy(target, source, bytes);
    return TW_SUCCESS;
}

static tw_status refuse(const struct sim_device *device, const struct tw_internal_kernel *kernel)
{
    return tw_backend_complain(TW_ERROR_LAUNCH_FAILED, "simulated fault: launching kernel %s on device %u",
                               kernel->name, device->base.index);
}

/* Runs a kernel that was launched. */
static tw_status run(struct sim_device *device, const struct tw_internal_kernel *kernel,
                     struct tw_internal_launch *description)
{
    const bool lost = is_lost(device);
    const tw_status status = lost ? TW_SUCCESS : tw_host_run(kernel, description);
    if (!begin(device, TW_SIM_KERNEL))
        return status;
    pthread_mutex_lock(&device->mutex);
    device->lost = true;
    pthread_mutex_unlock(&device->mutex);
    return tw_backend_complain(TW_ERROR_LAUNCH_FAILED, "simulated fault: kernel %s on device %u%s", kernel->name,
                               device->base.index, lost ? ", after that of another one" : "");
}

static tw_status launch(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description)
{
    return begin(sim(device), TW_SIM_LAUNCH) ? refuse(sim(device), kernel) : run(sim(device), kernel, description);
}

/* ---- chains: a thread each ------------------------------------------------------------------------------------------- */

/* A launch or a copy, or something on another chain that those after it wait for. The first two stay until their outcome is
   asked for. */
struct sim_item {
    struct sim_item *next;
    struct tw_backend_mark mark; /* chain: NULL for a launch or a copy */
    const struct tw_internal_kernel *kernel;
    struct tw_internal_launch *launch;
    const struct tw_backend_graph *graph; /* instead of a kernel; or NULL */
    void *target;                         /* of a copy, which has neither */
    const void *source;
    size_t bytes;
    tw_status status;
    char message[256];
};

/* The steps of a command graph, in their order. */
struct tw_backend_graph {
    size_t count;
    struct tw_backend_step steps[];
};

struct sim_chain {
    struct tw_backend_chain base;
    struct sim_device *device;
    pthread_t thread;
    struct sim_item *first, *last; /* not run yet; under chains_mutex, as all below */
    struct sim_item *first_over, *last_over;
    uint64_t launched;
    uint64_t over; /* launches and copies */
    /* Items of other chains that wait for this one. They are there for longer than what they wait for where what was to come after
       them could not be enqueued. */
    unsigned followers;
    bool closing;
};

static pthread_mutex_t chains_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t chains_changed = PTHREAD_COND_INITIALIZER;

static struct sim_chain *chain_of(struct tw_backend_chain *chain)
{
    return (struct sim_chain *)chain;
}

/* Runs a copy of a chain. It fails as any after a fault of the device; one that was to fail was not enqueued: what is enqueued
   behind it would use what it did not bring, and only the runtime knows what that is. */
static tw_status run_copy(struct sim_device *device, const struct sim_item *item)
{
    delay(device, TW_SIM_COPY);
    if (is_lost(device))
        return refuse_copy(device, true, item->bytes);
    memcpy(item->target, item->source, item->bytes);
    return TW_SUCCESS;
}

/* Runs a launch of a chain, or all of a graph. */
static tw_status run_launch(struct sim_device *device, const struct sim_item *item)
{
    tw_status status = TW_SUCCESS;
    delay(device, TW_SIM_LAUNCH);
    if (!item->graph)
        return run(device, item->kernel, item->launch);
    for (size_t i = 0; i < item->graph->count && status == TW_SUCCESS; ++i) {
        const struct tw_backend_step *step = &item->graph->steps[i];
        struct tw_internal_launch launch = *step->launch;
        if (step->kernel)
            status = run(device, step->kernel, &launch);
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
    tw_host_begin_thread(&chain->device->base);
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
        chain->device = sim(device);
    if (!chain || pthread_create(&chain->thread, NULL, run_chain, chain) != 0) {
        free(chain);
        return tw_backend_complain(TW_ERROR_OUT_OF_MEMORY, "no thread for simulated device %u", device->index);
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
    return sim(device)->asynchronous;
}

static tw_status add_item(struct sim_chain *chain, struct sim_item contents, uint64_t *position)
{
    struct sim_item *item = malloc(sizeof *item);
    if (!item)
        return tw_backend_complain(TW_ERROR_OUT_OF_MEMORY, "no memory to launch on simulated device %u",
                                   chain->device->base.index);
    *item = contents;
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

static tw_status enqueue(struct tw_backend_chain *base, const struct tw_internal_kernel *kernel,
                         struct tw_internal_launch *description, uint64_t *position)
{
    struct sim_chain *chain = chain_of(base);
    if (counts(chain->device, TW_SIM_LAUNCH))
        return refuse(chain->device, kernel);
    return add_item(chain, (struct sim_item){.kernel = kernel, .launch = description}, position);
}

static bool reaches(struct tw_backend_device *to, struct tw_backend_device *from)
{
    return sim(to)->asynchronous && sim(from)->asynchronous;
}

static tw_status enqueue_copy(struct tw_backend_chain *base, void *target, struct tw_backend_device *from,
                              const void *source, size_t bytes, uint64_t *position)
{
    struct sim_chain *chain = chain_of(base);
    (void)from;
    if (counts(chain->device, TW_SIM_COPY))
        return refuse_copy(chain->device, true, bytes);
    return add_item(chain, (struct sim_item){.target = target, .source = source, .bytes = bytes}, position);
}

static tw_status assemble(struct tw_backend_device *device, const struct tw_backend_step *steps, size_t count,
                          struct tw_backend_graph **graph)
{
    if (!sim(device)->asynchronous)
        return TW_SUCCESS;
    *graph = malloc(sizeof **graph + count * sizeof *steps);
    if (!*graph)
        return tw_backend_complain(TW_ERROR_OUT_OF_MEMORY, "no memory for a graph of %zu kernels", count);
    (*graph)->count = count;
    memcpy((*graph)->steps, steps, count * sizeof *steps);
    return TW_SUCCESS;
}

static void dismantle(struct tw_backend_device *device, struct tw_backend_graph *graph)
{
    (void)device;
    free(graph);
}

static tw_status replay(struct tw_backend_chain *base, struct tw_backend_graph *graph, uint64_t *position)
{
    struct sim_chain *chain = chain_of(base);
    if (counts(chain->device, TW_SIM_LAUNCH))
        return tw_backend_complain(TW_ERROR_LAUNCH_FAILED, "simulated fault: launching a command graph on device %u",
                                   chain->device->base.index);
    return add_item(chain, (struct sim_item){.graph = graph}, position);
}

static uint64_t reached(struct tw_backend_chain *chain, uint64_t position)
{
    (void)position;
    pthread_mutex_lock(&chains_mutex);
    const uint64_t over = chain_of(chain)->over;
    pthread_mutex_unlock(&chains_mutex);
    return over;
}

static tw_status outcome(struct tw_backend_chain *base, uint64_t position, const struct tw_internal_kernel *kernel,
                         struct tw_internal_launch *description)
{
    struct sim_chain *chain = chain_of(base);
    (void)position;
    (void)kernel;
    (void)description;
    pthread_mutex_lock(&chains_mutex);
    struct sim_item *item = chain->first_over;
    chain->first_over = item->next;
    if (!chain->first_over)
        chain->last_over = NULL;
    pthread_mutex_unlock(&chains_mutex);
    const tw_status status = item->status;
    if (status != TW_SUCCESS)
        (void)tw_backend_complain(status, "%s", item->message);
    free(item);
    return status;
}

static const struct tw_backend_async async = {
    .open = open_chain,
    .close = close_chain,
    .takes = takes,
    .follow = follow,
    .launch = enqueue,
    .reaches = reaches,
    .copy = enqueue_copy,
    .assemble = assemble,
    .dismantle = dismantle,
    .replay = replay,
    .reached = reached,
    .outcome = outcome,
};

const struct tw_backend tw_backend_sim = {
    .name = "sim",
    .async = &async,
    .count = count,
    .open = open_device,
    .close = close_device,
    .begin_thread = tw_host_begin_thread,
    .describe = describe,
    .allocate = allocate,
    .free = release,
    .copy = copy,
    .check = tw_host_check,
    .limits = tw_host_limits,
    .launch = launch,
};

/* ---- teamwork/sim.h, but for tw_sim_set_count(), which belongs to discovery ---------------------------------------
 */

/* The simulated device behind a handle and an operation; NULL, with a complaint, if it is none. */
static struct sim_device *checked(const tw_device *device, tw_sim_operation operation)
{
    struct tw_backend_device *inner = tw_backend_device_of(device);
    if (!inner || inner->backend != &tw_backend_sim) {
        (void)tw_backend_complain(TW_ERROR_INVALID_ARGUMENT, "the device is not a simulated one");
        return NULL;
    }
    if ((int)operation < 0 || operation >= OPERATIONS) {
        (void)tw_backend_complain(TW_ERROR_INVALID_ARGUMENT, "%d is no simulated operation", (int)operation);
        return NULL;
    }
    return sim(inner);
}

tw_status tw_sim_fail_nth(tw_device *handle, tw_sim_operation operation, uint64_t n)
{
    struct sim_device *device = checked(handle, operation);
    if (!device)
        return TW_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mutex);
    device->fail_at[operation] = n ? device->counts[operation] + n : 0;
    pthread_mutex_unlock(&device->mutex);
    return TW_SUCCESS;
}

tw_status tw_sim_delay(tw_device *handle, tw_sim_operation operation, uint64_t delay_ns)
{
    struct sim_device *device = checked(handle, operation);
    if (!device)
        return TW_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mutex);
    device->delay_ns[operation] = delay_ns;
    pthread_mutex_unlock(&device->mutex);
    return TW_SUCCESS;
}

uint64_t tw_sim_count(const tw_device *handle, tw_sim_operation operation)
{
    struct sim_device *device = checked(handle, operation);
    if (!device)
        return 0;
    pthread_mutex_lock(&device->mutex);
    const uint64_t counted = device->counts[operation];
    pthread_mutex_unlock(&device->mutex);
    return counted;
}

uint64_t tw_sim_allocated_bytes(const tw_device *handle)
{
    struct sim_device *device = checked(handle, TW_SIM_ALLOCATION);
    if (!device)
        return 0;
    pthread_mutex_lock(&device->mutex);
    const uint64_t bytes = device->allocated_bytes;
    pthread_mutex_unlock(&device->mutex);
    return bytes;
}

tw_status tw_sim_reset(tw_device *handle)
{
    struct sim_device *device = checked(handle, TW_SIM_ALLOCATION);
    if (!device)
        return TW_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mutex);
    memset(device->counts, 0, sizeof device->counts);
    memset(device->fail_at, 0, sizeof device->fail_at);
    memset(device->delay_ns, 0, sizeof device->delay_ns);
    device->lost = false;
    pthread_mutex_unlock(&device->mutex);
    return TW_SUCCESS;
}
