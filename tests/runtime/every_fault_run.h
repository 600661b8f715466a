/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What happens in a run of a scenario: errors, each of which the fault has to explain, buffers whose contents are known
 * or lost, and steps on them. To be included by one file, first of all.
 */
#ifndef EVERY_FAULT_RUN_H
#define EVERY_FAULT_RUN_H

#include "int_kernels.h"

#include <sched.h>

#include <teamwork/command_graph.h>
#include <teamwork/image.h>
#include <teamwork/storage.h>

#include "every_fault.h"

enum { N = 64, GROUP = 16, MOST_POINTS = 2000, MOST_DEVICES = 3, KINDS = FAULT_HOST_KINDS + 4 };

static const char *const kind_names[KINDS] = {"memory", "mapping", "thread", "allocation", "copy", "launch", "kernel"};

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* Turns each group around. */
struct turn {
    int *x;
    tw_local_memory memory;
};
static inline void turn(tw_nd_item item, const struct turn *k)
{
    int *kept = tw_local_data(item, k->memory);
    const size_t i = tw_global_id(item, 0), at = tw_local_id(item, 0);
    kept[at] = k->x[i];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->x[i] = kept[GROUP - 1 - at];
}
TW_ND_RANGE_KERNEL(turn);

struct turn_groups {
    int *x;
};
static inline void turn_groups(tw_group group, const struct turn_groups *k)
{
    TW_LOCAL(int, kept, [GROUP]);
    tw_parallel_for_work_item(group, item) {
        kept[tw_local_id(item, 0)] = k->x[tw_global_id(item, 0)];
    }
    tw_parallel_for_work_item(group, item) {
        k->x[tw_global_id(item, 0)] = kept[GROUP - 1 - tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(turn_groups);

struct total {
    const int *in;
    TW_REDUCTION(int, TW_SUM) sum;
};
static inline void total(tw_item item, const struct total *k)
{
    tw_combine(k->sum, k->in[tw_global_id(item, 0)]);
}
TW_RANGE_REDUCTION(total, 1, sum);

/* A block too large for kernel arguments. */
struct terms {
    int at[2 * N];
};
struct table {
    int *x;
    struct terms terms;
};
static inline void table(const struct table *k)
{
    for (int i = 0; i < N; ++i)
        k->x[i] += k->terms.at[i];
}
TW_SINGLE_TASK(table);

/* ---- what happens in a run --------------------------------------------------------------------------------------- */

enum { MOST_RECORDS = 64 };

static struct {
    int kind;
    tw_device *device;     /* simulated, whose operations fail; or NULL */
    unsigned long allowed; /* statuses that the fault explains */
    bool launch_fails;     /* too */
    int failures;
    unsigned causes, cancelled;      /* records of commands that failed by themselves, and of the others */
    char cause[MOST_RECORDS][64];    /* the kernel */
    char message[MOST_RECORDS][512]; /* of those that were cancelled */
} now;

#define MAY(status) (1ul << (status))

static void set_allowed(int kind)
{
    static const unsigned long allowed[KINDS] = {
        MAY(TW_ERROR_OUT_OF_MEMORY) | MAY(TW_ERROR_OUT_OF_DEVICE_MEMORY),
        MAY(TW_ERROR_OUT_OF_MEMORY),
        MAY(TW_ERROR_OUT_OF_MEMORY),
        MAY(TW_ERROR_OUT_OF_DEVICE_MEMORY),
        MAY(TW_ERROR_TRANSFER_FAILED),
        MAY(TW_ERROR_LAUNCH_FAILED),
        MAY(TW_ERROR_LAUNCH_FAILED) | MAY(TW_ERROR_TRANSFER_FAILED) | MAY(TW_ERROR_OUT_OF_DEVICE_MEMORY),
    };
    now.allowed = allowed[kind] | MAY(TW_ERROR_CANCELLED) | MAY(TW_ERROR_DATA_LOST);
}

static bool has_fired(void)
{
    if (now.kind < FAULT_HOST_KINDS)
        return atomic_load(&fault_points.fired) > 0;
    const tw_sim_operation operation = (tw_sim_operation)(now.kind - FAULT_HOST_KINDS);
    return tw_sim_count(now.device, operation) >= atomic_load(&fault_points.at);
}

static void explain(tw_status status, const char *detail)
{
    now.failures += !now.launch_fails;
    if ((!has_fired() && !now.launch_fails) || !(now.allowed & MAY(status)))
        fprintf(stderr, "%s: %s\n", tw_status_name(status), detail);
    TW_CHECK(has_fired() || now.launch_fails);
    TW_CHECK(now.allowed & MAY(status));
    TW_CHECK(*detail);
}

/* Returns true if the call succeeded; else the fault must explain its status. */
static bool went(tw_status status)
{
    if (status != TW_SUCCESS)
        explain(status, tw_error_detail());
    return status == TW_SUCCESS;
}

static void collect(const tw_error *errors, size_t count, void *user)
{
    (void)user;
    for (size_t i = 0; i < count; ++i) {
        explain(errors[i].status, errors[i].message);
        TW_CHECK(now.causes < MOST_RECORDS && now.cancelled < MOST_RECORDS);
        if (errors[i].status == TW_ERROR_CANCELLED)
            snprintf(now.message[now.cancelled++], sizeof now.message[0], "%s", errors[i].message);
        else
            snprintf(now.cause[now.causes++], sizeof now.cause[0], "%s", errors[i].kernel ? errors[i].kernel : "");
    }
}

/* Returns true if a message names a kernel, or with "" what has none. */
static bool names(const char *message, const char *kernel)
{
    if (*kernel)
        return strstr(message, kernel) != NULL;
    return strstr(message, "a data movement") || strstr(message, "a copy or fill")
           || strstr(message, "a command graph");
}

/* What was cancelled names a command that failed. Where memory is exhausted, there may have been none to record
   that. */
static void check_causes(void)
{
    for (unsigned i = 0; i < now.cancelled; ++i) {
        bool named = now.kind == FAULT_MEMORY;
        for (unsigned k = 0; k < now.causes; ++k)
            named = named || names(now.message[i], now.cause[k]);
        TW_CHECK(named && strstr(now.message[i], ", which failed: "));
    }
}

/* A buffer, and what it holds unless somebody reports an error about it. */
struct tracked {
    tw_buffer *buffer;
    int expected[N];
    int host[N];      /* what it may be over */
    int *memory;      /* of a simulated or the host's device, which it is over; or NULL */
    bool over, known; /* known: what `expected` says, not undefined */
};

enum buffer_kind { PLAIN, COPY, OVER, OVER_CONST, BUFFER_KINDS };

static bool make(struct tracked *t, enum buffer_kind kind, int first)
{
    memset(t, 0, sizeof *t);
    for (int i = 0; i < N; ++i)
        t->host[i] = t->expected[i] = first + i;
    t->over = kind == OVER || kind == OVER_CONST;
    t->known = kind != PLAIN;
    switch (kind) {
    case PLAIN:
        return went(tw_buffer_create(sizeof(int), tw_range_1d(N), &t->buffer));
    case COPY:
        return went(tw_buffer_create_copy(t->host, sizeof(int), tw_range_1d(N), &t->buffer));
    case OVER:
        return went(tw_buffer_create_over(t->host, sizeof(int), tw_range_1d(N), &t->buffer));
    default:
        return went(tw_buffer_create_over_const(t->host, sizeof(int), tw_range_1d(N), &t->buffer));
    }
}

/* Makes a buffer over memory of a device, which this process can read. */
static bool make_over_device(struct tracked *t, tw_device *device, bool with_host, int first)
{
    memset(t, 0, sizeof *t);
    if (!device)
        return false;
    t->memory = tw_malloc_device(device, sizeof t->expected);
    if (!t->memory) {
        TW_CHECK(has_fired());
        ++now.failures;
        return false;
    }
    for (int i = 0; i < N; ++i)
        t->memory[i] = t->expected[i] = first + i;
    t->known = true;
    return went(tw_buffer_create_over_device(t->memory, device, with_host ? t->host : NULL, sizeof(int), tw_range_1d(N),
                                             &t->buffer));
}

static void compare(const struct tracked *t, const int *got)
{
    for (int i = 0; i < N && t->known; ++i)
        TW_EQUAL(got[i], t->expected[i]);
}

/* Reads a buffer on the host. */
static void look(struct tracked *t)
{
    tw_host_accessor *accessor = NULL;
    if (!t->buffer || !went(tw_host_access(t->buffer, TW_READ, &accessor)))
        return;
    compare(t, tw_host_accessor_const_data(accessor));
    tw_host_accessor_release(&accessor);
    TW_CHECK(!accessor);
}

static void overwrite(struct tracked *t, int first)
{
    tw_host_accessor *accessor = NULL;
    if (!t->buffer || !went(tw_host_access(t->buffer, TW_DISCARD_WRITE, &accessor)))
        return;
    int *data = tw_host_accessor_data(accessor);
    for (int i = 0; i < N; ++i)
        data[i] = t->expected[i] = first + i;
    t->known = true;
    tw_host_accessor_release(&accessor);
}

/* Destroys a buffer. What memory was missing for is done again when there is some: nothing is lost. */
static void end(struct tracked *t)
{
    tw_status status = tw_buffer_destroy(&t->buffer);
    if (!went(status) && status == TW_ERROR_OUT_OF_MEMORY) {
        fault_disarm();
        status = tw_buffer_destroy(&t->buffer);
        went(status);
    }
    TW_CHECK(t->buffer == NULL);
    if (t->over && status == TW_SUCCESS)
        compare(t, t->host);
    if (t->memory && status == TW_SUCCESS)
        compare(t, t->memory);
    tw_free(t->memory);
}

static tw_queue *queue_on(size_t device)
{
    tw_queue *queue = NULL;
    tw_device *devices[MOST_DEVICES];
    size_t count = 0;
    if (!went(tw_get_devices(TW_DEVICE_ALL, devices, MOST_DEVICES, &count)))
        return NULL;
    TW_CHECK(count > 0);
    went(tw_queue_create_on_device(devices[device % count], collect, NULL, &queue));
    return queue;
}

static void end_queue(tw_queue **queue)
{
    went(tw_queue_destroy(queue));
    TW_CHECK(*queue == NULL);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static tw_command_group *begin(tw_queue *queue)
{
    return queue ? tw_queue_begin(queue) : NULL;
}

static bool submit(tw_queue *queue, tw_command_group *cg, tw_event **event)
{
    return queue && went(tw_queue_submit(queue, cg, event));
}

static void do_plus(tw_queue *queue, struct tracked *in, struct tracked *out, int term, tw_event **event)
{
    if (!in->buffer || !out->buffer)
        return;
    tw_command_group *cg = begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), plus, .in = tw_read(cg, in->buffer), .out = tw_discard_write(cg, out->buffer),
                    .term = term);
    if (!submit(queue, cg, event))
        return;
    out->known = in->known;
    for (int i = 0; i < N; ++i)
        out->expected[i] = in->expected[i] + term;
}

static bool record_add(tw_queue *queue, struct tracked *in, struct tracked *out)
{
    tw_command_group *cg = begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), add, .in = tw_read(cg, in->buffer), .out = tw_read_write(cg, out->buffer));
    return submit(queue, cg, NULL);
}

static void expect_add(const struct tracked *in, struct tracked *out)
{
    out->known = out->known && in->known;
    for (int i = 0; i < N; ++i)
        out->expected[i] += in->expected[i];
}

static void do_add(tw_queue *queue, struct tracked *in, struct tracked *out)
{
    if (in->buffer && out->buffer && record_add(queue, in, out))
        expect_add(in, out);
}

static void expect_turn(struct tracked *t)
{
    for (int i = 0; i < N; i += GROUP)
        for (int k = 0; k < GROUP / 2; ++k) {
            const int kept = t->expected[i + k];
            t->expected[i + k] = t->expected[i + GROUP - 1 - k];
            t->expected[i + GROUP - 1 - k] = kept;
        }
}

static void do_turn(tw_queue *queue, struct tracked *t)
{
    if (!t->buffer)
        return;
    tw_command_group *cg = begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(GROUP)), turn,
                             .x = tw_read_write(cg, t->buffer), .memory = tw_local(cg, GROUP * sizeof(int)));
    if (submit(queue, cg, NULL))
        expect_turn(t);
}

static void do_turn_groups(tw_queue *queue, struct tracked *t)
{
    if (!t->buffer)
        return;
    tw_command_group *cg = begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(N / GROUP), tw_range_1d(GROUP), turn_groups,
                               .x = tw_read_write(cg, t->buffer));
    if (submit(queue, cg, NULL))
        expect_turn(t);
}

static void do_table(tw_queue *queue, struct tracked *t)
{
    struct terms terms = {{0}};
    if (!t->buffer)
        return;
    tw_command_group *cg = begin(queue);
    for (int i = 0; i < N; ++i)
        terms.at[i] = 3 * i;
    tw_single_task(cg, table, .x = tw_read_write(cg, t->buffer), .terms = terms);
    if (submit(queue, cg, NULL))
        for (int i = 0; i < N; ++i)
            t->expected[i] += 3 * i;
}

static void do_total(tw_queue *queue, struct tracked *in, struct tracked *out)
{
    int sum = 0;
    if (!in->buffer || !out->buffer)
        return;
    tw_command_group *cg = begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), total, .in = tw_read(cg, in->buffer), .sum = TW_REDUCE(cg, out->buffer));
    for (int i = 0; i < N; ++i)
        sum += in->expected[i];
    if (!submit(queue, cg, NULL))
        return;
    out->known = out->known && in->known;
    out->expected[0] += sum;
}

static void do_wait(tw_queue *queue)
{
    if (queue)
        went(tw_queue_wait_and_throw(queue));
}

#endif
