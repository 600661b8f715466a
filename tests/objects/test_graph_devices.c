/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (gpu-simt gpu-teams) */
/**
 * Command graphs with groups for several devices: recorded by several queues, submitted as one. Results are those of the
 * groups one after the other; copies between devices are made within the graph, and only where they are needed.
 */
#include "unsigned_kernels.h"

enum { N = 64, BUFFERS = 3, QUEUES = 3, ROUNDS = 25, REPEATS = 3 };

TW_TEST_ONE_THREAD

/* out = 3 own + the first of next */
struct halves {
    const unsigned *own, *next;
    unsigned *out;
};
static inline void halves(tw_item item, const struct halves *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = 3 * k->own[i] + k->next[0];
}
TW_RANGE_KERNEL(halves, 1);

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

/* Queues that can record one graph: of all simulated devices or GPUs, else of one device. */
static void make_queues(tw_queue **queues, size_t count)
{
    tw_test_queues(queues, count);
    for (size_t i = 1; i < count; ++i)
        if (tw_device_platform(tw_queue_device(queues[i])) != tw_device_platform(tw_queue_device(queues[0]))) {
            TW_PASS(tw_queue_destroy(&queues[i]));
            TW_PASS(tw_queue_create_on_device(tw_queue_device(queues[0]), NULL, NULL, &queues[i]));
        }
}

static void begin(tw_queue **queues, size_t count)
{
    TW_PASS(tw_queue_begin_recording(queues[0]));
    for (size_t i = 1; i < count; ++i)
        TW_PASS(tw_queue_join_recording(queues[i], queues[i - 1]));
}

static tw_command_graph *end(tw_queue *queue)
{
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_CHECK(graph != NULL);
    return graph;
}

/* x[first] ... = a x + b */
static void submit_part(tw_queue *queue, tw_buffer *x, size_t first, size_t count, unsigned a, unsigned b)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(count), affine, .x = tw_read_write_part(cg, x, tw_id_1d(first), tw_range_1d(count)),
                    .a = a, .b = b);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

static void submit_all(tw_queue *queue, tw_buffer *x, unsigned a, unsigned b)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, x), .a = a, .b = b);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

static void compute(unsigned *values, unsigned a, unsigned b)
{
    for (unsigned i = 0; i < N; ++i)
        values[i] = a * values[i] + b;
}

/* The copies, in bytes, to all simulated devices, or from them. */
static uint64_t copied_bytes(void)
{
    tw_device *devices[16];
    const size_t count = tw_test_devices(devices, 16);
    uint64_t total = 0;
    for (size_t i = 0; i < count; ++i)
        total += tw_sim_copied_bytes(devices[i]);
    return total;
}

static void reset_sim(void)
{
    tw_device *devices[16];
    const size_t count = tw_test_devices(devices, 16);
    for (size_t i = 0; i < count; ++i)
        TW_PASS(tw_sim_reset(devices[i]));
}

static void use_sim(unsigned count, const char *async)
{
    tw_test_use_sim(count);
    setenv("TW_SIM_ASYNC", async, 1);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Does one random group to the model; with queues, also to the buffers: parts and wholes, kernels, copies and fills. */
static void random_group(uint64_t *seed, unsigned model[BUFFERS][N], tw_queue **queues, tw_buffer **x)
{
    const unsigned kind = tw_test_random(seed, 6), q = tw_test_random(seed, QUEUES), a = 2 + tw_test_random(seed, 5);
    const unsigned to = tw_test_random(seed, BUFFERS), from = tw_test_random(seed, BUFFERS), b = a * 7 + kind;
    const unsigned first = tw_test_random(seed, N), count = 1 + tw_test_random(seed, N - first);
    const unsigned source = tw_test_random(seed, N - count + 1);
    unsigned *m = model[to] + first, old[N];
    memcpy(old, model[from] + source, count * sizeof *old);
    if (queues && kind == 0)
        submit_part(queues[q], x[to], first, count, a, b);
    else if (queues && kind == 1)
        submit_all(queues[q], x[to], a, b);
    for (unsigned i = 0; kind == 0 && i < count; ++i)
        m[i] = a * m[i] + b;
    if (kind == 1)
        compute(model[to], a, b);
    if (kind < 2 || (from == to && kind != 3 && kind != 5))
        return;
    tw_command_group *cg = queues ? tw_queue_begin(queues[q]) : NULL;
    const tw_range range = tw_range_1d(count);
    if (cg && kind == 2)
        tw_parallel_for(cg, range, combine, .x = tw_read_part(cg, x[from], tw_id_1d(source), range),
                        .y = tw_read_part(cg, x[from], tw_id_1d(source), range),
                        .z = tw_discard_write_part(cg, x[to], tw_id_1d(first), range), .a = a);
    else if (cg && kind == 3)
        tw_parallel_for(cg, range, count_from, .x = tw_discard_write_part(cg, x[to], tw_id_1d(first), range),
                        .value = b);
    else if (cg && kind == 4)
        tw_copy_part(cg, x[from], tw_id_1d(source), x[to], tw_id_1d(first), range);
    else if (cg) {
        tw_prefetch_part(cg, x[to], tw_id_1d(first), range);
        tw_prefetch_part(cg, x[from], tw_id_1d(source), range); /* may overlap the other part */
    }
    for (unsigned i = 0; kind < 5 && i < count; ++i)
        m[i] = kind == 2 ? (1 + a) * old[i] : kind == 3 ? b + i : old[i];
    if (cg)
        TW_PASS(tw_queue_submit(queues[q], cg, NULL));
}

/* Random graphs, between other random groups and host accesses, against the same one after the other. */
static void random_graphs(tw_queue **queues, uint64_t seed)
{
    unsigned scratch[BUFFERS][N], model[BUFFERS][N];
    tw_buffer *x[BUFFERS];
    for (unsigned b = 0; b < BUFFERS; ++b) {
        x[b] = filled(N, b);
        for (unsigned i = 0; i < N; ++i)
            model[b][i] = b + i;
    }
    const uint64_t graph_seed = seed * 77 + 5;
    const unsigned length = tw_test_random(&seed, 40);
    uint64_t again = graph_seed;
    memset(scratch, 0, sizeof scratch);
    begin(queues, QUEUES);
    for (unsigned i = 0; i < length; ++i)
        random_group(&again, scratch, queues, x);
    tw_command_graph *graph = end(queues[0]);
    for (unsigned repeat = 0; repeat < REPEATS; ++repeat) {
        const unsigned between = tw_test_random(&seed, 4), fetched = tw_test_random(&seed, 2 * BUFFERS);
        for (unsigned i = 0; i < between; ++i)
            random_group(&seed, model, queues, x);
        if (fetched < BUFFERS)
            expect(x[fetched], model[fetched]);
        TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
        again = graph_seed;
        for (unsigned i = 0; i < length; ++i)
            random_group(&again, model, NULL, NULL);
    }
    for (unsigned b = 0; b < BUFFERS; ++b) {
        expect(x[b], model[b]);
        TW_PASS(tw_buffer_destroy(&x[b]));
    }
    tw_command_graph_destroy(&graph);
}

TW_TEST(random_groups_on_all_devices)
{
    tw_queue *queues[QUEUES];
    make_queues(queues, QUEUES);
    for (uint64_t seed = 1; seed <= ROUNDS; ++seed)
        random_graphs(queues, seed);
    tw_test_destroy_queues(queues, QUEUES);
}

TW_TEST(random_groups_on_simulated_devices)
{
    for (unsigned async = 0; async < 2; ++async) {
        tw_queue *queues[QUEUES];
        use_sim(QUEUES, async ? "1" : "0");
        make_queues(queues, QUEUES);
        for (uint64_t seed = 100; seed < 100 + ROUNDS; ++seed)
            random_graphs(queues, seed);
        tw_test_destroy_queues(queues, QUEUES);
        TW_PASS(tw_shutdown());
    }
}

/* A queue that keeps the order does so in a graph, without accesses that say so. */
TW_TEST(an_in_order_queue_keeps_its_order)
{
    use_sim(2, "1");
    tw_queue *queues[2], *in_order = NULL;
    tw_test_queues(queues, 2);
    TW_PASS(
        tw_queue_create_with_properties(NULL, tw_queue_device(queues[1]), TW_QUEUE_IN_ORDER, NULL, NULL, &in_order));
    unsigned *shared = tw_malloc_shared(tw_queue_device(queues[1]), sizeof *shared);
    TW_CHECK(shared != NULL);
    *shared = 1;
    TW_PASS(tw_queue_begin_recording(queues[0]));
    TW_PASS(tw_queue_join_recording(in_order, queues[0]));
    for (unsigned i = 0; i < 4; ++i) {
        tw_command_group *cg = tw_queue_begin(in_order);
        tw_parallel_for(cg, tw_range_1d(1), affine, .x = shared, .a = 3, .b = i);
        TW_PASS(tw_queue_submit(in_order, cg, NULL));
    }
    tw_command_graph *graph = end(queues[0]);
    TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
    TW_PASS(tw_queue_wait(queues[0]));
    TW_EQUAL(*shared, 81 + 0 + 9 + 6 + 3);
    tw_command_graph_destroy(&graph);
    tw_free(shared);
    TW_PASS(tw_queue_destroy(&in_order));
    tw_test_destroy_queues(queues, 2);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

enum { HALF = N / 2 };

/* A step of two halves, whose ends the other half reads in the next one: as a stencil does. */
static void submit_halves(tw_queue **queues, tw_buffer *in, tw_buffer *out)
{
    for (unsigned i = 0; i < 2; ++i) {
        const size_t first = i * HALF;
        tw_command_group *cg = tw_queue_begin(queues[i]);
        const unsigned *own = tw_read_part(cg, in, tw_id_1d(first), tw_range_1d(HALF));
        const unsigned *next = tw_read_part(cg, in, tw_id_1d(i ? HALF - 1 : HALF), tw_range_1d(1));
        TW_PASS(tw_command_group_status(cg));
        unsigned *result = tw_discard_write_part(cg, out, tw_id_1d(first), tw_range_1d(HALF));
        tw_parallel_for(cg, tw_range_1d(HALF), halves, .own = own, .next = next, .out = result);
        TW_PASS(tw_queue_submit(queues[i], cg, NULL));
    }
}

static void compute_halves(const unsigned *in, unsigned *out)
{
    for (unsigned i = 0; i < N; ++i)
        out[i] = 3 * in[i] + in[i < HALF ? HALF : HALF - 1];
}

/* Makes a graph of two steps, from `a` to `b` and back. With `prefetches` it ends with what the next one will need. */
static tw_command_graph *graph_of_halves(tw_queue **queues, tw_buffer *a, tw_buffer *b, bool prefetches)
{
    begin(queues, 2);
    submit_halves(queues, a, b);
    submit_halves(queues, b, a);
    for (unsigned i = 0; i < 2 && prefetches; ++i) {
        tw_command_group *cg = tw_queue_begin(queues[i]);
        tw_prefetch_part(cg, a, tw_id_1d(i ? HALF - 1 : HALF), tw_range_1d(1));
        TW_PASS(tw_queue_submit(queues[i], cg, NULL));
    }
    return end(queues[0]);
}

/* Each exchange copies one element each way: within the graph those of its steps, and at its submission only what is not
   there. */
static void count_copies(const char *async, bool prefetches)
{
    unsigned values[N], next[N];
    tw_queue *queues[2];
    use_sim(2, async);
    tw_test_queues(queues, 2);
    tw_buffer *a = filled(N, 1), *b = filled(N, 0);
    for (unsigned i = 0; i < N; ++i)
        values[i] = 1 + i;
    tw_command_graph *graph = graph_of_halves(queues, a, b, prefetches);
    const uint64_t launches = tw_test_sim_total(TW_SIM_LAUNCH);
    TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
    TW_PASS(tw_queue_wait(queues[0]));
    if (*async == '1')
        TW_EQUAL(tw_test_sim_total(TW_SIM_LAUNCH), launches + 1); /* all at once */
    for (unsigned repeat = 0; repeat < REPEATS; ++repeat) {
        reset_sim();
        TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
        TW_PASS(tw_queue_wait(queues[0]));
        if (*async == '1') /* copies within a graph are not counted, as its kernels are not */
            TW_EQUAL(copied_bytes(), prefetches ? 0 : 2 * sizeof *values);
        else
            TW_EQUAL(copied_bytes(), 4 * sizeof *values);
    }
    for (unsigned repeat = 0; repeat < 1 + REPEATS; ++repeat) {
        compute_halves(values, next);
        compute_halves(next, values);
    }
    expect(a, values);
    expect(b, next);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    tw_test_destroy_queues(queues, 2);
    TW_PASS(tw_shutdown());
}

TW_TEST(copies_only_what_is_needed)
{
    count_copies("0", false);
    count_copies("1", false);
    count_copies("0", true);
    count_copies("1", true);
}

/* Contents that a graph leaves on several devices are found there, and on no other one. */
TW_TEST(contents_are_where_a_graph_leaves_them)
{
    unsigned values[N];
    tw_queue *queues[3];
    use_sim(3, "1");
    tw_test_queues(queues, 3);
    tw_buffer *x = filled(N, 1);
    begin(queues, 3);
    submit_all(queues[1], x, 3, 1);
    tw_command_group *cg = tw_queue_begin(queues[2]);
    tw_prefetch(cg, x);
    TW_PASS(tw_queue_submit(queues[2], cg, NULL));
    tw_command_graph *graph = end(queues[0]);
    TW_EQUAL(tw_command_graph_count(graph), 2);
    TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
    TW_PASS(tw_queue_wait(queues[0]));
    reset_sim();
    for (unsigned i = 1; i < 3; ++i) {
        cg = tw_queue_begin(queues[i]);
        (void)tw_read(cg, x);
        TW_PASS(tw_queue_submit(queues[i], cg, NULL));
    }
    TW_PASS(tw_queue_wait(queues[1]));
    TW_PASS(tw_queue_wait(queues[2]));
    TW_EQUAL(copied_bytes(), 0);
    submit_all(queues[0], x, 1, 5); /* is on none of them then */
    TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
    TW_PASS(tw_queue_wait(queues[0]));
    TW_EQUAL(copied_bytes(), 2 * N * sizeof *values);
    for (unsigned i = 0; i < N; ++i)
        values[i] = 3 * (3 * (1 + i) + 1 + 5) + 1;
    expect(x, values);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    tw_test_destroy_queues(queues, 3);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

/* The n-th operation of a device fails within the graph: all that it writes is lost, and the next submission, which
   overwrites it, is right. */
static void fail_on(const char *async, unsigned device, tw_sim_operation operation, tw_status expected)
{
    unsigned values[N];
    tw_queue *queues[2];
    use_sim(2, async);
    tw_test_queues(queues, 2);
    tw_buffer *x = filled(N, 0), *y = filled(N, 0);
    tw_event *event = NULL;
    begin(queues, 2);
    for (unsigned i = 0; i < 2; ++i) { /* the device that writes x last is the second */
        tw_command_group *cg = tw_queue_begin(queues[i]);
        tw_parallel_for(cg, tw_range_1d(N), count_from, .x = tw_discard_write(cg, i ? y : x), .value = 4 + i);
        TW_PASS(tw_queue_submit(queues[i], cg, NULL));
    }
    submit_all(queues[1], x, 3, 1);
    tw_command_graph *graph = end(queues[0]);
    reset_sim();
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[device]), operation, 1));
    TW_PASS(tw_queue_submit_graph(queues[0], graph, &event));
    TW_FAIL(tw_event_wait(event), expected);
    TW_FAIL(tw_queue_wait(queues[0]), expected);
    TW_PASS(tw_queue_wait(queues[1])); /* the error is that of the queue to which the graph was submitted */
    tw_test_expect_lost(x);
    tw_test_expect_lost(y);
    reset_sim();
    TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
    for (unsigned i = 0; i < N; ++i)
        values[i] = 3 * (4 + i) + 1;
    expect(x, values);
    for (unsigned i = 0; i < N; ++i)
        values[i] = 5 + i;
    expect(y, values);
    tw_event_release(&event);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    tw_test_destroy_queues(queues, 2);
    TW_PASS(tw_shutdown());
}

TW_TEST(a_kernel_on_each_device_fails)
{
    fail_on("0", 0, TW_SIM_KERNEL, TW_ERROR_LAUNCH_FAILED);
    fail_on("0", 1, TW_SIM_KERNEL, TW_ERROR_LAUNCH_FAILED);
    fail_on("1", 0, TW_SIM_KERNEL, TW_ERROR_LAUNCH_FAILED);
    fail_on("1", 1, TW_SIM_KERNEL, TW_ERROR_LAUNCH_FAILED);
}

TW_TEST(a_copy_within_a_graph_fails)
{
    fail_on("0", 1, TW_SIM_COPY, TW_ERROR_TRANSFER_FAILED);
}

TW_TEST(the_launch_of_a_graph_fails)
{
    fail_on("1", 0, TW_SIM_LAUNCH, TW_ERROR_LAUNCH_FAILED);
}

/* A copy that a submission needs fails, on the way to a device that is not that of the queue: nothing runs, nothing but
   what the graph would have written is lost, and it can be submitted again. */
static void fail_before(const char *async)
{
    unsigned values[N];
    tw_queue *queues[2];
    use_sim(2, async);
    tw_test_queues(queues, 2);
    tw_buffer *x = filled(N, 1), *y = filled(N, 2);
    begin(queues, 2);
    tw_command_group *cg = tw_queue_begin(queues[1]);
    tw_parallel_for(cg, tw_range_1d(N), combine, .x = tw_read(cg, x), .y = tw_read(cg, x), .z = tw_discard_write(cg, y),
                    .a = 2);
    TW_PASS(tw_queue_submit(queues[1], cg, NULL));
    tw_command_graph *graph = end(queues[0]);
    submit_all(queues[0], x, 1, 3);
    TW_PASS(tw_queue_wait(queues[0]));
    reset_sim();
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[1]), TW_SIM_COPY, 1));
    TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
    TW_FAIL(tw_queue_wait(queues[0]), TW_ERROR_TRANSFER_FAILED);
    TW_EQUAL(tw_test_sim_total(TW_SIM_KERNEL), 0);
    tw_test_expect_lost(y);
    for (unsigned i = 0; i < N; ++i)
        values[i] = 1 + i + 3;
    reset_sim();
    TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
    expect(x, values);
    compute(values, 3, 0);
    expect(y, values);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    tw_test_destroy_queues(queues, 2);
    TW_PASS(tw_shutdown());
}

TW_TEST(a_copy_before_a_graph_fails)
{
    fail_before("0");
    fail_before("1");
}

/* ---- misuse and lifetimes ---------------------------------------------------------------------------------------- */

TW_TEST(misuse)
{
    use_sim(2, "1");
    tw_queue *queues[3];
    tw_command_graph *graph = NULL;
    tw_test_queues(queues, 3);
    TW_FAIL(tw_queue_join_recording(NULL, queues[0]), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_join_recording(queues[0], NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_join_recording(queues[1], queues[0]), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_PASS(tw_queue_begin_recording(queues[0]));
    TW_FAIL(tw_queue_join_recording(queues[0], queues[0]), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_PASS(tw_queue_join_recording(queues[1], queues[0]));
    TW_FAIL(tw_queue_join_recording(queues[1], queues[0]), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_FAIL(tw_queue_begin_recording(queues[1]), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_CHECK(tw_queue_is_recording(queues[1]) && !tw_queue_is_recording(queues[2]));
    TW_FAIL(tw_queue_end_recording(queues[1], &graph), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_CHECK(!graph && strstr(tw_error_detail(), "has joined the recording"));
    TW_CHECK(tw_queue_is_recording(queues[0]) && tw_queue_is_recording(queues[1]));
    TW_PASS(tw_queue_end_recording(queues[0], &graph));
    TW_CHECK(!tw_queue_is_recording(queues[0]) && !tw_queue_is_recording(queues[1]));
    TW_EQUAL(tw_command_graph_count(graph), 0);
    TW_FAIL(tw_queue_submit_graph(queues[1], graph, NULL), TW_ERROR_INVALID_ARGUMENT); /* another device */
    TW_PASS(tw_queue_submit_graph(queues[2], graph, NULL));                            /* of the same one */
    TW_PASS(tw_queue_wait(queues[2]));
    tw_command_graph_destroy(&graph);
    tw_test_destroy_queues(queues, 3);
}

/* Sub-devices run their kernels on threads of their own, and the host's memory is none of a simulated device's. */
TW_TEST(devices_that_share_no_graph)
{
    TW_PASS(tw_shutdown());
    setenv("TW_SIM", "1", 1);
    setenv("TW_DEVICES", "host,sim", 1);
    tw_queue *queues[2], *part = NULL;
    tw_device *host = NULL, *parts[1] = {NULL};
    size_t count = 0;
    tw_test_queues(queues, 2);
    TW_PASS(tw_queue_begin_recording(queues[0]));
    TW_FAIL(tw_queue_join_recording(queues[1], queues[0]), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "different platforms"));
    TW_PASS(tw_queue_end_recording(queues[0], NULL));
    TW_PASS(tw_get_devices(TW_DEVICE_HOST, &host, 1, &count));
    TW_PASS(tw_device_create_sub_devices_equally(host, 1, parts, 1, &count));
    TW_PASS(tw_queue_create_on_device(parts[0], NULL, NULL, &part));
    TW_PASS(tw_queue_destroy(&queues[0]));
    TW_PASS(tw_queue_create_on_device(host, NULL, NULL, &queues[0]));
    TW_PASS(tw_queue_begin_recording(part));
    TW_FAIL(tw_queue_join_recording(queues[0], part), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "is a sub-device"));
    TW_PASS(tw_queue_end_recording(part, NULL));
    TW_PASS(tw_queue_destroy(&part));
    tw_test_destroy_queues(queues, 2);
}

/* Queues may be destroyed before the recording ends, and before the graph is submitted. */
TW_TEST(queues_that_are_destroyed)
{
    unsigned values[N];
    use_sim(2, "1");
    tw_queue *queues[2], *more[2];
    tw_test_queues(queues, 2);
    tw_test_queues(more, 2);
    tw_buffer *x = filled(N, 0);
    begin(queues, 2);
    submit_all(queues[1], x, 3, 1);
    TW_PASS(tw_queue_destroy(&queues[1]));
    submit_all(queues[0], x, 3, 2);
    tw_command_graph *graph = end(queues[0]);
    TW_EQUAL(tw_command_graph_count(graph), 2);
    TW_PASS(tw_queue_destroy(&queues[0]));
    TW_PASS(tw_queue_submit_graph(more[0], graph, NULL));
    tw_command_graph_destroy(&graph);
    for (unsigned i = 0; i < N; ++i)
        values[i] = 3 * (3 * i + 1) + 2;
    expect(x, values);
    begin(more, 2);
    submit_all(more[1], x, 0, 0);
    TW_PASS(tw_queue_destroy(&more[0])); /* what it began is lost */
    TW_CHECK(!tw_queue_is_recording(more[1]));
    submit_all(more[1], x, 1, 1);
    compute(values, 1, 1);
    expect(x, values);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&more[1]));
}

TW_TEST_LIST = {TW_CASE(random_groups_on_all_devices),
                TW_CASE(random_groups_on_simulated_devices),
                TW_CASE(an_in_order_queue_keeps_its_order),
                TW_CASE(copies_only_what_is_needed),
                TW_CASE(contents_are_where_a_graph_leaves_them),
                TW_CASE(a_kernel_on_each_device_fails),
                TW_CASE(a_copy_within_a_graph_fails),
                TW_CASE(the_launch_of_a_graph_fails),
                TW_CASE(a_copy_before_a_graph_fails),
                TW_CASE(misuse),
                TW_CASE(devices_that_share_no_graph),
                TW_CASE(queues_that_are_destroyed),
                TW_CASES_END};
