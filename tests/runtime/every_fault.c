/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Faults at every point: each call of the library for memory, a mapping or a thread fails, and each allocation, copy,
 * launch and kernel of a simulated device; one at a time, and from the n-th on. A scenario runs once for each of them.
 * Each time every call succeeds or says why not by a documented status, contents are right or reported as lost, what is
 * cancelled names the cause, everything can be destroyed, nothing stays behind, and the same scenario without a fault
 * succeeds afterwards.
 *
 * TW_FAULT_POINT="KIND DEVICE N MODE", as a failure names it, runs only that one; TW_TEST_ONLY names the scenario.
 * TW_FAULT_STRIDE=K takes every K-th point only.
 */
#include "every_fault_run.h"

#include <teamwork/range_mapper.h>

struct reversed {
    const int *in;
    int *out;
};
static inline void reversed(tw_item item, const struct reversed *k)
{
    k->out[tw_global_id(item, 0)] = k->in[N - 1 - tw_global_id(item, 0)];
}
TW_RANGE_KERNEL(reversed, 1);

/* ---- scenarios --------------------------------------------------------------------------------------------------- */

static void discovery(void)
{
    struct tracked a, b;
    TW_PASS(tw_shutdown());
    tw_queue *queue = queue_on(0);
    tw_device *device = NULL;
    size_t units = 0;
    if (went(tw_select_device(NULL, NULL, &device)))
        went(tw_device_info(device, TW_DEVICE_INFO_MAX_COMPUTE_UNITS, &units, sizeof units));
    make(&a, COPY, 5);
    make(&b, PLAIN, 0);
    do_plus(queue, &a, &b, 1, NULL);
    look(&b);
    end(&a);
    end(&b);
    end_queue(&queue);
    TW_PASS(tw_shutdown());
}

static void all_kinds_of_buffers(void)
{
    static struct tracked t[BUFFER_KINDS], sum;
    tw_queue *queue = queue_on(0);
    make(&sum, OVER, 0);
    for (int kind = 0; kind < BUFFER_KINDS; ++kind)
        make(&t[kind], (enum buffer_kind)kind, 10 * kind);
    overwrite(&t[PLAIN], 7);
    for (int kind = 0; kind < BUFFER_KINDS; ++kind)
        do_add(queue, &t[kind], &sum);
    look(&sum);
    do_add(queue, &sum, &t[OVER]);
    tw_buffer *second = tw_buffer_retain(sum.buffer);
    TW_PASS(tw_buffer_destroy(&second));
    for (int kind = 0; kind < BUFFER_KINDS; ++kind)
        end(&t[kind]);
    end(&sum);
    end_queue(&queue);
}

static void all_kinds_of_kernels(void)
{
    static struct tracked a, b, sum;
    tw_queue *queues[2] = {queue_on(0), queue_on(1)};
    make(&a, OVER, 1);
    make(&b, COPY, 2);
    make(&sum, COPY, 3);
    for (int i = 0; i < 2; ++i) {
        do_turn(queues[i], &a);
        do_turn_groups(queues[i], &b);
        do_table(queues[i], &a);
        do_total(queues[i], &a, &sum);
        do_add(queues[i], &a, &b);
    }
    look(&sum);
    look(&b);
    end(&a);
    end(&b);
    end(&sum);
    end_queue(&queues[0]);
    end_queue(&queues[1]);
}

/* A queue over all devices, whose launches are divided. */
static tw_queue *queue_over_all(void)
{
    tw_device *devices[MOST_DEVICES];
    double shares[MOST_DEVICES];
    tw_queue *queue = NULL;
    size_t count = 0;
    if (!went(tw_get_devices(TW_DEVICE_ALL, devices, MOST_DEVICES, &count)))
        return NULL;
    for (size_t i = 0; i < count; ++i)
        shares[i] = 1 + (double)i;
    if (went(tw_queue_create_over(devices, count, 0, collect, NULL, &queue)))
        TW_PASS(tw_queue_set_division(queue, shares));
    return queue;
}

/* Each part reads what another one has written. */
static void do_reversed(tw_queue *queue, struct tracked *in, struct tracked *out, tw_event **event)
{
    if (!in->buffer || !out->buffer)
        return;
    tw_command_group *cg = begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), reversed, .in = tw_read(cg, in->buffer),
                    .out = tw_discard_write_mapped(cg, out->buffer, tw_one_to_one()));
    if (!submit(queue, cg, event))
        return;
    out->known = in->known;
    for (int i = 0; i < N; ++i)
        out->expected[i] = in->expected[N - 1 - i];
}

static void queues_over_devices(void)
{
    static struct tracked a, b, sum;
    tw_queue *queue = queue_over_all(), *other = queue_on(1);
    tw_event *event = NULL;
    tw_command_graph *graph = NULL;
    make(&a, OVER, 1);
    make(&b, COPY, 2);
    make(&sum, COPY, 3);
    do_reversed(queue, &a, &b, &event);
    do_turn(queue, &b);
    do_add(other, &b, &a);
    do_turn_groups(queue, &a);
    do_total(queue, &a, &sum);
    do_table(queue, &a);
    do_reversed(queue, &a, &b, NULL);
    went(tw_event_wait(event));
    tw_event_release(&event);
    if (queue && a.buffer && b.buffer && went(tw_queue_begin_recording(queue))) {
        bool there[3];
        for (int i = 0; i < 3; ++i)
            there[i] = i % 2 ? record_add(queue, &a, &b) : record_add(queue, &b, &a);
        if (went(tw_queue_end_recording(queue, &graph)) && went(tw_queue_submit_graph(queue, graph, NULL)))
            for (int i = 0; i < 3; ++i)
                if (there[i])
                    expect_add(i % 2 ? &a : &b, i % 2 ? &b : &a);
        tw_command_graph_destroy(&graph);
    }
    do_wait(queue);
    look(&sum);
    look(&b);
    end(&a);
    end(&b);
    end(&sum);
    end_queue(&queue);
    end_queue(&other);
}

/* More accessors than a group has room for, and what depends on them all. */
static void many_accessors(void)
{
    static struct tracked in[INPUTS], out;
    tw_queue *queue = queue_on(0);
    bool there = make(&out, PLAIN, 0);
    for (int b = 0; b < INPUTS; ++b)
        there = make(&in[b], COPY, b) && there;
    for (int turns = 0; turns < 2 && there; ++turns) {
        struct inputs inputs;
        tw_command_group *cg = begin(queue);
        for (int b = 0; b < INPUTS; ++b)
            inputs.at[b] = tw_read(cg, in[b].buffer);
        tw_parallel_for(cg, tw_range_1d(N), gather, .in = inputs, .out = tw_discard_write(cg, out.buffer));
        const bool written = submit(queue, cg, NULL);
        out.known = out.known || written;
        for (int i = 0; i < N && written; ++i) {
            out.expected[i] = 0;
            for (int b = 0; b < INPUTS; ++b)
                out.expected[i] += in[b].expected[i];
        }
        for (int b = 0; b < INPUTS; ++b)
            overwrite(&in[b], 2 * b);
    }
    look(&out);
    for (int b = 0; b < INPUTS; ++b)
        end(&in[b]);
    end(&out);
    end_queue(&queue);
}

/* Adds a term to a part of `in`, into the same part of `out`. */
static bool record_part(tw_queue *queue, struct tracked *in, struct tracked *out, size_t first, size_t count, int term)
{
    tw_command_group *cg = begin(queue);
    const tw_id at = tw_id_1d(first);
    const tw_range range = tw_range_1d(count);
    tw_parallel_for(cg, range, plus, .in = tw_read_part(cg, in->buffer, at, range),
                    .out = tw_discard_write_part(cg, out->buffer, at, range), .term = term);
    for (size_t i = 14; i < N && term == 7; i += 40) /* some that lie elsewhere, too */
        (void)tw_read_write_part(cg, out->buffer, tw_id_1d(i), tw_range_1d(1));
    return submit(queue, cg, NULL);
}

static void expect_part(const struct tracked *in, struct tracked *out, size_t first, size_t count, int term)
{
    for (size_t i = first; i < first + count; ++i)
        out->expected[i] = in->expected[i] + term;
}

static void change_part_on_host(tw_buffer *buffer, struct tracked *t, size_t first, size_t count)
{
    tw_host_accessor *accessor = NULL;
    if (!buffer || !went(tw_host_access(buffer, TW_READ_WRITE, &accessor)))
        return;
    int *data = tw_host_accessor_data(accessor);
    for (size_t i = 0; i < count; ++i)
        t->expected[first + i] = data[i] = 100 + (int)i;
    tw_host_accessor_release(&accessor);
}

static void parts(void)
{
    static struct tracked a, b;
    tw_queue *queues[2] = {queue_on(0), queue_on(1)};
    tw_buffer *sub = NULL;
    tw_command_graph *graph = NULL;
    bool there = make(&a, OVER, 1);
    there = make(&b, COPY, 2) && there && queues[0] && queues[1];
    for (size_t i = 0; there && i < 12; ++i)
        if (record_part(queues[i % 2], i % 3 ? &a : &b, i % 3 ? &b : &a, 5 * i, 4, (int)i))
            expect_part(i % 3 ? &a : &b, i % 3 ? &b : &a, 5 * i, 4, (int)i);
    if (there && went(tw_buffer_create_sub(b.buffer, tw_id_1d(20), tw_range_1d(9), &sub)))
        change_part_on_host(sub, &b, 20, 9);
    if (there && went(tw_queue_begin_recording(queues[1]))) {
        bool recorded[3];
        TW_PASS(tw_queue_join_recording(queues[0], queues[1]));
        for (size_t i = 0; i < 3; ++i) /* each reads what the other device has written, and more */
            recorded[i] = record_part(queues[i % 2], i % 2 ? &a : &b, i % 2 ? &b : &a, 14 * i, 19, 7);
        if (went(tw_queue_end_recording(queues[1], &graph)) && went(tw_queue_submit_graph(queues[1], graph, NULL)))
            for (size_t i = 0; i < 3; ++i)
                if (recorded[i])
                    expect_part(i % 2 ? &a : &b, i % 2 ? &b : &a, 14 * i, 19, 7);
        tw_command_graph_destroy(&graph);
    }
    look(&b);
    look(&a);
    went(tw_buffer_destroy(&sub));
    end(&a);
    end(&b);
    end_queue(&queues[0]);
    end_queue(&queues[1]);
}

/* Lets the program change a part of the memory that a buffer is over by itself. */
static void change_on_device(struct tracked *t, tw_device *device, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; ++i)
        t->memory[i] = t->expected[i] = 500 + (int)i;
    if (!went(tw_buffer_device_changed_part(t->buffer, device, tw_id_1d(first), tw_range_1d(count)))) {
        t->known = false;
        now.allowed |= MAY(TW_ERROR_CHANGED_MEMORY); /* the library has not been told */
    }
}

static void memory_on_devices(void)
{
    static struct tracked a, b;
    tw_queue *queues[2] = {queue_on(0), queue_on(1)};
    tw_device *device = tw_queue_device(queues[0]);
    bool there = make_over_device(&a, device, false, 1);
    there = make_over_device(&b, device, true, 2) && there && queues[1];
    for (int i = 0; i < 2; ++i) {
        do_add(queues[1 - i], &a, &b);
        do_add(queues[i], &b, &a);
    }
    look(&b);
    if (there && went(tw_queue_wait_and_throw(queues[0])) && went(tw_queue_wait_and_throw(queues[1])))
        change_on_device(&a, device, 7, 9);
    do_add(queues[1], &a, &b);
    look(&a);
    end(&a);
    end(&b);
    end_queue(&queues[0]);
    end_queue(&queues[1]);
}

static void chains_across_devices(void)
{
    static struct tracked a, b;
    tw_queue *queues[2] = {queue_on(0), queue_on(1)};
    make(&a, OVER, 1);
    make(&b, OVER, 2);
    for (int i = 0; i < 6; ++i)
        do_add(queues[i % 2], i % 2 ? &a : &b, i % 2 ? &b : &a);
    do_wait(queues[0]);
    look(&b);
    for (int i = 0; i < 2; ++i) {
        do_add(queues[i], &a, &b);
        do_plus(queues[1 - i], &a, &b, 5, NULL);
    }
    end(&a);
    end(&b);
    end_queue(&queues[0]);
    end_queue(&queues[1]);
}

static void events(void)
{
    static struct tracked a, b;
    tw_event *event = NULL, *second = NULL, *start = NULL, *list[4] = {NULL};
    size_t count = 0;
    tw_event_times times;
    tw_queue *queue = queue_on(0);
    make(&a, COPY, 1);
    make(&b, COPY, 0);
    do_plus(queue, &a, &b, 1, &event);
    do_plus(queue, &b, &a, 1, &second);
    start = tw_event_of_start(second);
    went(tw_event_get_wait_list(second, list, 4, &count));
    for (size_t i = 0; i < count && i < 4; ++i)
        tw_event_release(&list[i]);
    went(tw_event_wait(start));
    went(tw_event_wait_and_throw(second));
    went(tw_event_wait(event));
    went(tw_event_get_times(event, &times));
    tw_event_release(&start);
    tw_event_release(&second);
    tw_event_release(&event);
    look(&a);
    end(&a);
    end(&b);
    end_queue(&queue);
}

static void contexts(void)
{
    static struct tracked a;
    tw_device *devices[MOST_DEVICES];
    tw_context *context = NULL;
    tw_queue *queue = NULL;
    size_t count = 0;
    make(&a, OVER, 1);
    if (went(tw_get_devices(TW_DEVICE_ALL, devices, MOST_DEVICES, &count))
        && went(tw_context_create(devices, count, collect, NULL, &context)))
        went(tw_queue_create_in_context(context, NULL, NULL, NULL, &queue));
    do_table(queue, &a);
    if (queue && a.buffer) {
        TW_COMMAND_GROUP(queue, cg) { /* its error waits with the queue */
            tw_read(cg, a.buffer);
        }
    }
    do_wait(queue);
    end(&a);
    end_queue(&queue);
    went(tw_context_destroy(&context));
    TW_CHECK(!context);
}

/* A queue of a sub-device of the host, and its own context. */
static void sub_devices(void)
{
    static struct tracked a, b;
    tw_device *host = NULL, *part = NULL;
    tw_context *context = NULL;
    tw_queue *queue = NULL;
    size_t count = 0;
    const char *visible = getenv("TW_DEVICES");
    if (!visible || strcmp(visible, "host") != 0)
        return; /* the host is the same in the other runs */
    make(&a, COPY, 1);
    make(&b, COPY, 0);
    if (went(tw_select_device(tw_host_selector, NULL, &host))
        && went(tw_device_create_sub_devices_by_affinity_domain(host, TW_AFFINITY_NUMA, &part, 1, &count)))
        went(tw_queue_create_on_device(part, collect, NULL, &queue));
    do_plus(queue, &a, &b, 1, NULL);
    do_wait(queue);
    if (queue)
        went(tw_queue_info(queue, TW_QUEUE_INFO_CONTEXT, &context, sizeof(tw_context *)));
    look(&b);
    end(&a);
    end(&b);
    end_queue(&queue);
}

/* Groups that wait for a host accessor, and calls that would wait for ever. */
static void host_accessors(void)
{
    static struct tracked a, b;
    tw_host_accessor *accessor = NULL;
    tw_queue *queue = queue_on(0);
    make(&a, OVER, 1);
    make(&b, COPY, 0);
    if (a.buffer && went(tw_host_access(a.buffer, TW_READ_WRITE, &accessor))) {
        int *data = tw_host_accessor_data(accessor);
        for (int i = 0; i < N; ++i)
            a.expected[i] = ++data[i];
        do_add(queue, &a, &b);
        do_plus(queue, &b, &a, 1, NULL);
        const unsigned long before = now.allowed;
        now.allowed |= MAY(TW_ERROR_WOULD_DEADLOCK);
        tw_host_accessor *refused = NULL;
        const tw_status again = tw_host_access(a.buffer, TW_READ, &refused);
        const tw_status waited = queue ? tw_queue_wait(queue) : TW_SUCCESS;
        TW_CHECK(again != TW_SUCCESS && !refused);
        if (again != TW_ERROR_WOULD_DEADLOCK)
            went(again);
        if (waited != TW_ERROR_WOULD_DEADLOCK)
            went(waited);
        now.allowed = before;
        tw_host_accessor_release(&accessor);
    }
    look(&b);
    end(&a);
    end(&b);
    end_queue(&queue);
}

static void command_graphs(void)
{
    static struct tracked a, b;
    tw_queue *queue = queue_on(0);
    tw_command_graph *graph = NULL;
    make(&a, OVER, 1);
    make(&b, COPY, 2);
    if (queue && a.buffer && b.buffer && went(tw_queue_begin_recording(queue))) {
        bool there[4], in_part = false;
        for (int i = 0; i < 4; ++i) {
            if (i == 2)
                in_part = went(tw_queue_begin_if(queue, a.buffer, 3)); /* which is not 0 */
            there[i] = i % 2 ? record_add(queue, &a, &b) : record_add(queue, &b, &a);
        }
        if (in_part)
            went(tw_queue_end_if(queue));
        if (went(tw_queue_end_recording(queue, &graph)))
            for (int turns = 0; turns < 2; ++turns)
                if (went(tw_queue_submit_graph(queue, graph, NULL)))
                    for (int i = 0; i < 4; ++i)
                        if (there[i])
                            expect_add(i % 2 ? &a : &b, i % 2 ? &b : &a);
        tw_command_graph_destroy(&graph);
    }
    do_wait(queue);
    look(&b);
    end(&a);
    end(&b);
    end_queue(&queue);
}

/* Fills the last half of a buffer. */
static bool do_fill(tw_queue *queue, struct tracked *t, int value)
{
    tw_command_group *cg = begin(queue);
    tw_fill_part(cg, t->buffer, tw_id_1d(N / 2), tw_range_1d(N / 2), &value);
    return submit(queue, cg, NULL);
}

static void expect_fill(struct tracked *t, int value)
{
    for (int i = N / 2; i < N; ++i)
        t->expected[i] = value;
}

/* Copies the first half of a buffer to the last half of another one. */
static bool do_copy(tw_queue *queue, struct tracked *from, struct tracked *to)
{
    tw_command_group *cg = begin(queue);
    tw_copy_part(cg, from->buffer, tw_id_1d(0), to->buffer, tw_id_1d(N / 2), tw_range_1d(N / 2));
    return submit(queue, cg, NULL);
}

static void expect_copy(const struct tracked *from, struct tracked *to)
{
    for (int i = 0; i < N / 2; ++i)
        to->expected[N / 2 + i] = from->expected[i];
}

static void move(tw_queue *queue, struct tracked *t, void (*how)(tw_command_group *cg, tw_buffer *buffer))
{
    tw_command_group *cg = begin(queue);
    how(cg, t->buffer);
    submit(queue, cg, NULL);
}

/* Copies from and to memory of the program, with and without a command group. */
static void copy_program_memory(tw_queue *queue, struct tracked *t)
{
    static int from[N], to[N];
    tw_event *event = NULL;
    for (int i = 0; i < N; ++i)
        from[i] = 7 * i;
    tw_command_group *cg = begin(queue);
    tw_copy_from(cg, t->buffer, from);
    if (submit(queue, cg, NULL))
        memcpy(t->expected, from, sizeof from);
    cg = begin(queue);
    tw_copy_to(cg, t->buffer, to);
    if (submit(queue, cg, &event) && went(tw_event_wait(event)))
        compare(t, to);
    tw_event_release(&event);
    if (went(tw_buffer_read(t->buffer, to)))
        compare(t, to);
    for (int i = 0; i < N; ++i)
        to[i] = 5 * i;
    if (went(tw_buffer_write(t->buffer, to)))
        memcpy(t->expected, to, sizeof to);
    else
        overwrite(t, 3); /* else later groups would be cancelled for a cause that no queue reports */
    do_wait(queue);      /* `from` is free again */
}

static void copies_and_fills(void)
{
    static struct tracked a, b;
    tw_queue *queues[2] = {queue_on(0), queue_on(1)};
    tw_command_graph *graph = NULL;
    make(&a, OVER, 1);
    make(&b, COPY, 2);
    if (queues[0] && queues[1] && a.buffer && b.buffer) {
        for (int i = 0; i < 2; ++i) {
            move(queues[i], &a, tw_prefetch);
            if (do_fill(queues[i], &a, 9 + i))
                expect_fill(&a, 9 + i);
            if (do_copy(queues[i], &a, &b))
                expect_copy(&a, &b);
            do_add(queues[i], &b, &a);
            move(queues[i], &a, tw_update_host);
        }
        copy_program_memory(queues[0], &b);
        if (went(tw_queue_begin_recording(queues[0]))) {
            const bool filled = do_fill(queues[0], &a, 4), copied = do_copy(queues[0], &b, &a);
            const bool added = record_add(queues[0], &a, &b);
            if (went(tw_queue_end_recording(queues[0], &graph)))
                for (int turns = 0; turns < 2; ++turns)
                    if (went(tw_queue_submit_graph(queues[0], graph, NULL))) {
                        if (filled)
                            expect_fill(&a, 4);
                        if (copied)
                            expect_copy(&b, &a);
                        if (added)
                            expect_add(&a, &b);
                    }
            tw_command_graph_destroy(&graph);
        }
    }
    look(&a);
    look(&b);
    end(&a);
    end(&b);
    end_queue(&queues[0]);
    end_queue(&queues[1]);
}

/* ---- unified shared memory --------------------------------------------------------------------------------------- */

/* Submits a group behind the last event, and replaces that. */
static bool submit_behind(tw_queue *queue, tw_command_group *cg, tw_event **last)
{
    tw_event *event = NULL;
    tw_depends_on(cg, *last);
    if (!submit(queue, cg, &event))
        return false;
    tw_event_release(last);
    *last = event;
    return true;
}

TW_BEGIN_DEVICE_VARIABLES
int variable;
TW_END_DEVICE_VARIABLES

/* Sets a variable and reads it back. */
static void set_variable(tw_queue *queue)
{
    static int program;
    const int value = 7;
    tw_event *last = NULL;
    tw_command_group *cg = begin(queue);
    program = 0;
    tw_copy_to_variable(cg, &variable, &value, sizeof value);
    bool submitted = submit_behind(queue, cg, &last);
    cg = begin(queue);
    tw_copy_from_variable(cg, &program, &variable, sizeof program);
    submitted = submit_behind(queue, cg, &last) && submitted;
    if (last && went(tw_event_wait(last)) && submitted)
        TW_EQUAL(program, value);
    tw_event_release(&last);
    do_wait(queue);
}

/* Fills `x`, adds to it on the way to `y`, and copies that to `z` and to the program. */
static void fill_and_copy(tw_queue *queue, int *x, int *y, int *z)
{
    static int program[N];
    const int value = 5;
    tw_event *last = NULL;
    tw_command_group *cg = begin(queue);
    tw_mem_fill(cg, x, &value, sizeof value, N);
    bool submitted = submit_behind(queue, cg, &last);
    cg = begin(queue);
    tw_mem_prefetch(cg, y, N * sizeof *y);
    submitted = submit_behind(queue, cg, &last) && submitted;
    cg = begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), plus, .in = x, .out = y, .term = 3);
    submitted = submit_behind(queue, cg, &last) && submitted;
    cg = begin(queue);
    tw_memcpy(cg, z, y, N * sizeof *y);
    submitted = submit_behind(queue, cg, &last) && submitted;
    cg = begin(queue);
    tw_memcpy(cg, program, z, N * sizeof *y);
    submitted = submit_behind(queue, cg, &last) && submitted;
    if (last && went(tw_event_wait(last)) && submitted)
        for (int i = 0; i < N; ++i)
            TW_CHECK(z[i] == value + 3 && program[i] == value + 3);
    tw_event_release(&last);
    do_wait(queue);
}

static void shared_memory(void)
{
    tw_queue *queue = queue_on(0);
    if (!queue)
        return;
    set_variable(queue);
    tw_device *device = tw_queue_device(queue);
    int *x = tw_malloc_device(device, N * sizeof *x);
    TW_CHECK(x || (has_fired() && *tw_error_detail()));
    int *y = tw_malloc_shared(device, N * sizeof *y);
    TW_CHECK(y || (has_fired() && *tw_error_detail()));
    int *z = tw_malloc_host(N * sizeof *z);
    TW_CHECK(z || (has_fired() && *tw_error_detail()));
    if (x && y && z)
        fill_and_copy(queue, x, y, z);
    tw_free(x);
    tw_free(y);
    tw_free(z);
    end_queue(&queue);
}

/* ---- storage and images ------------------------------------------------------------------------------------------ */

struct home {
    int data[N];
    atomic_int ends;
    tw_status status;
};
static const void *initial_of(void *user)
{
    return ((struct home *)user)->data;
}
static void *final_of(void *user)
{
    return ((struct home *)user)->data;
}
static void note_end(void *user, tw_status status)
{
    struct home *home = user;
    home->status = status;
    atomic_fetch_add(&home->ends, 1);
}

static void storage(void)
{
    static struct tracked a, b;
    static struct home home;
    const tw_storage own = {.user = &home, .initial_data = initial_of, .final_data = final_of, .finished = note_end};
    tw_async_storage *async = NULL;
    tw_queue *queue = queue_on(0);
    memset(&home, 0, sizeof home);
    memset(&b, 0, sizeof b);
    make(&a, COPY, 1);
    if (went(tw_buffer_create_with_storage(&own, sizeof(int), tw_range_1d(N), &b.buffer))) {
        do_add(queue, &a, &b);
        end(&b);
        do_wait(queue);
        /* without a worker it is brought home by who waits or shuts down */
        while (!atomic_load(&home.ends)) {
            do_wait(queue);
            sched_yield();
        }
        TW_EQUAL(home.ends, 1);
        if (home.status == TW_SUCCESS)
            compare(&b, home.data);
        else
            explain(home.status, "the status of the storage's end");
    }
    memset(&b, 0, sizeof b);
    if (went(tw_async_storage_create(sizeof home.data, &async))) {
        if (went(tw_buffer_create_with_storage(tw_async_storage_get(async), sizeof(int), tw_range_1d(N), &b.buffer))) {
            do_plus(queue, &a, &b, 3, NULL);
            end(&b);
        }
        went(tw_async_storage_destroy(&async));
        TW_CHECK(!async);
    }
    end(&a);
    end_queue(&queue);
}

static void images(void)
{
    static struct tracked a;
    const tw_image_layout layout = {.order = TW_R, .type = TW_SIGNED_INT32, .size = tw_range_2d(8, 8)};
    tw_image *over = NULL, *on = NULL;
    tw_host_image *access = NULL;
    tw_queue *queue = queue_on(0);
    static int pixels[N];
    memset(pixels, 0, sizeof pixels);
    make(&a, COPY, 1);
    if (went(tw_image_create_over(pixels, layout, &over))) {
        tw_command_group *cg = begin(queue);
        tw_read_write_image_2d(cg, over);
        submit(queue, cg, NULL);
        if (went(tw_host_image_access(over, TW_READ_WRITE, &access)))
            ((int *)tw_host_image_data(access))[5] = 7;
        tw_host_image_release(&access);
    }
    if (a.buffer && went(tw_image_create_on_buffer(a.buffer, layout, &on))) {
        tw_command_group *cg = begin(queue);
        tw_read_image_2d(cg, on);
        submit(queue, cg, NULL);
    }
    do_wait(queue);
    tw_image *both[2] = {over, on};
    for (int i = 0; i < 2; ++i) {
        const tw_status status = tw_image_destroy(&both[i]);
        if (!went(status) && status == TW_ERROR_OUT_OF_MEMORY) {
            fault_disarm();
            went(tw_image_destroy(&both[i]));
        }
        TW_CHECK(!both[i]);
    }
    end(&a);
    end_queue(&queue);
    void *memory = tw_malloc_host(1000);
    tw_free_host(memory);
}

/* ---- functions, threads ------------------------------------------------------------------------------------------ */

struct work {
    struct tracked *in, *out;
};

static void record_work(tw_command_group *cg, void *user)
{
    const struct work *work = user;
    tw_parallel_for(cg, tw_range_1d(N), add, .in = tw_read(cg, work->in->buffer),
                    .out = tw_read_write(cg, work->out->buffer));
}

static void functions_with_a_fallback(void)
{
    static struct tracked a, b;
    struct work work = {&a, &b};
    tw_queue *queues[2] = {queue_on(0), queue_on(1)};
    make(&a, COPY, 1);
    make(&b, OVER, 2);
    for (int i = 0; i < 4 && a.buffer && b.buffer && queues[0]; ++i) {
        tw_event *event = NULL;
        if (went(tw_queue_submit_function(queues[i % 2] ? queues[i % 2] : queues[0], queues[1 - i % 2], record_work,
                                          &work, &event)))
            expect_add(&a, &b);
        if (i == 2)
            went(tw_event_wait(event));
        tw_event_release(&event);
    }
    look(&b);
    end(&a);
    end(&b);
    end_queue(&queues[0]);
    end_queue(&queues[1]);
}

/* Memory is missing while a launch that fails is reported, and handed to the handlers. Only on simulated devices. */
static void reports(void)
{
    static struct tracked a, b;
    const unsigned long allowed = now.allowed;
    tw_queue *queues[2] = {queue_on(0), queue_on(1)};
    tw_device *device = tw_queue_device(queues[0]);
    make(&a, COPY, 1);
    make(&b, COPY, 2);
    now.launch_fails = now.kind < FAULT_HOST_KINDS && device && tw_sim_selector(device, NULL) >= 0;
    now.allowed |= now.launch_fails ? MAY(TW_ERROR_LAUNCH_FAILED) : 0;
    if (now.launch_fails)
        TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 1));
    do_add(queues[0], &a, &b);
    do_add(queues[1], &b, &a);
    if (queues[0])
        went(tw_queue_throw_asynchronous(queues[0]));
    do_wait(queues[1]);
    do_wait(queues[0]);
    look(&a);
    overwrite(&b, 5);
    look(&b);
    end(&a);
    end(&b);
    end_queue(&queues[0]);
    end_queue(&queues[1]);
    if (now.launch_fails)
        TW_PASS(tw_sim_reset(device));
    now.allowed = allowed;
    now.launch_fails = false;
}

static void *wait_for_queue(void *queue)
{
    tw_queue_wait(queue); /* the handler is told by another one */
    return NULL;
}

static void waiting_threads(void)
{
    enum { THREADS = 3 };
    static struct tracked a, b;
    pthread_t threads[THREADS];
    tw_queue *queues[2] = {queue_on(0), queue_on(0)};
    make(&a, COPY, 1);
    make(&b, OVER, 2);
    for (int i = 0; i < 8; ++i)
        do_add(queues[i % 2], i % 2 ? &a : &b, i % 2 ? &b : &a);
    for (int i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_create(&threads[i], NULL, wait_for_queue, queues[i % 2]) == 0);
    for (int i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    look(&a);
    end(&a);
    end(&b);
    end_queue(&queues[0]);
    end_queue(&queues[1]);
}

/* ---- all points -------------------------------------------------------------------------------------------------- */

/* A fault: what fails, on which simulated device, at which point, once or from then on. */
struct fault {
    int kind;
    size_t device;
    unsigned long n; /* counted from 1 in each run; 0: none */
    bool onward;
};

static void begin_run(struct fault fault)
{
    memset(&now, 0, sizeof now);
    now.kind = fault.kind;
    set_allowed(fault.kind);
    snprintf(tw_test_state.note, sizeof tw_test_state.note, "fault %s %zu %lu %s", kind_names[fault.kind], fault.device,
             fault.n, fault.onward ? "on" : "one");
    if (fault.kind < FAULT_HOST_KINDS) {
        fault_arm(fault.kind, fault.n, fault.onward);
        return;
    }
    const tw_sim_operation operation = (tw_sim_operation)(fault.kind - FAULT_HOST_KINDS);
    now.device = tw_test_device(fault.device);
    fault_arm(-1, fault.n, fault.onward);
    TW_PASS(tw_sim_reset(now.device));
    TW_PASS((fault.onward ? tw_sim_fail_from : tw_sim_fail_nth)(now.device, operation, fault.n));
}

static void end_run(void)
{
    fault_disarm();
    check_causes();
    if (now.device)
        TW_PASS(tw_sim_reset(now.device));
}

/* Runs the scenario with the fault and, in the state that it leaves behind, without. Returns false if there was no such
   point. */
static bool run_point(void (*scenario)(void), struct fault fault)
{
    tw_status status;
    begin_run(fault);
    scenario();
    const bool fired = has_fired();
    end_run();
    fault.n = 0;
    begin_run(fault);
    scenario();
    end_run();
    TW_EQUAL(now.failures, 0);
    while ((status = tw_shutdown()) == TW_ERROR_BUSY) /* a released storage is brought home by a worker */
        sched_yield();
    TW_PASS(status); /* the next one begins afresh */
    TW_EQUAL(atomic_load(&fault_points.blocks), 0);
    TW_EQUAL(atomic_load(&fault_points.mappings), 0);
    return fired;
}

/* Runs only the point that TW_FAULT_POINT names, if it is of this kind. Returns false if it names none. */
static bool run_named_point(void (*scenario)(void), struct fault fault)
{
    const char *point = getenv("TW_FAULT_POINT");
    char kind[16] = "", mode[4] = "";
    size_t device = 0;
    if (!point || sscanf(point, "%15s %zu %lu %3s", kind, &device, &fault.n, mode) != 4)
        return false;
    fault.onward = strcmp(mode, "on") == 0;
    if (strcmp(kind, kind_names[fault.kind]) == 0 && device == fault.device)
        TW_CHECK(run_point(scenario, fault));
    return true;
}

static void run_kind(void (*scenario)(void), int kind, size_t device)
{
    struct fault fault = {.kind = kind, .device = device};
    const char *every = getenv("TW_FAULT_STRIDE");
    const long stride = every && atol(every) > 0 ? atol(every) : 1;
    if (run_named_point(scenario, fault))
        return;
    for (int onward = 0; onward < 2; ++onward) {
        fault.onward = onward;
        for (fault.n = onward ? 1 : stride; run_point(scenario, fault); fault.n += stride)
            TW_CHECK(fault.n < MOST_POINTS);
    }
}

static void at_every_point(void (*scenario)(void))
{
    tw_device *devices[MOST_DEVICES];
    size_t simulated = 0;
    for (int kind = 0; kind < FAULT_HOST_KINDS; ++kind)
        run_kind(scenario, kind, 0);
    for (size_t count = tw_test_devices(devices, MOST_DEVICES); simulated < count; ++simulated)
        if (tw_sim_selector(devices[simulated], NULL) < 0)
            break;
    TW_PASS(tw_shutdown());
    for (size_t device = 0; device < simulated; ++device)
        for (int kind = FAULT_HOST_KINDS; kind < KINDS; ++kind)
            run_kind(scenario, kind, device);
}

#define SCENARIO(name)                                                                                                 \
    TW_TEST(every_fault_in_##name)                                                                                     \
    {                                                                                                                  \
        at_every_point(name);                                                                                          \
    }
SCENARIO(all_kinds_of_buffers)
SCENARIO(queues_over_devices)
SCENARIO(all_kinds_of_kernels)
SCENARIO(many_accessors)
SCENARIO(parts)
SCENARIO(memory_on_devices)
SCENARIO(chains_across_devices)
SCENARIO(events)
SCENARIO(contexts)
SCENARIO(sub_devices)
SCENARIO(host_accessors)
SCENARIO(command_graphs)
SCENARIO(copies_and_fills)
SCENARIO(shared_memory)
SCENARIO(storage)
SCENARIO(images)
SCENARIO(functions_with_a_fallback)
SCENARIO(waiting_threads)
SCENARIO(reports)

/* Each run begins before discovery and ends after shutdown: the devices do not last, so only calls of the host fail. */
TW_TEST(every_fault_in_discovery)
{
    for (int kind = 0; kind < FAULT_HOST_KINDS; ++kind)
        run_kind(discovery, kind, 0);
}

TW_TEST_LIST = {TW_CASE(every_fault_in_discovery),
                TW_CASE(every_fault_in_all_kinds_of_buffers),
                TW_CASE(every_fault_in_all_kinds_of_kernels),
                TW_CASE(every_fault_in_queues_over_devices),
                TW_CASE(every_fault_in_many_accessors),
                TW_CASE(every_fault_in_parts),
                TW_CASE(every_fault_in_memory_on_devices),
                TW_CASE(every_fault_in_chains_across_devices),
                TW_CASE(every_fault_in_events),
                TW_CASE(every_fault_in_contexts),
                TW_CASE(every_fault_in_sub_devices),
                TW_CASE(every_fault_in_host_accessors),
                TW_CASE(every_fault_in_command_graphs),
                TW_CASE(every_fault_in_copies_and_fills),
                TW_CASE(every_fault_in_shared_memory),
                TW_CASE(every_fault_in_storage),
                TW_CASE(every_fault_in_images),
                TW_CASE(every_fault_in_functions_with_a_fallback),
                TW_CASE(every_fault_in_waiting_threads),
                TW_CASE(every_fault_in_reports),
                TW_CASES_END};
