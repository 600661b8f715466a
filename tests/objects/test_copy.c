/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * copy.h: copies, fills and updates as the steps of command groups, and copies that the program waits for. Random ones
 * are compared with loops over bytes; faults and counts of copies are those of simulated devices.
 */
#include "held_test.h"

/* ---- random steps ------------------------------------------------------------------------------------------------ */

enum {
    MOST_STEPS = 40,
    BUFFERS = 3,
    MOST_SIDE = 7,
    MOST_ELEMENTS = MOST_SIDE * MOST_SIDE * MOST_SIDE,
    MOST_BYTES = 12
};

/* A buffer, and what is expected in it. */
struct model {
    tw_buffer *buffer;
    tw_range range;
    size_t element_bytes;
    unsigned char expected[MOST_ELEMENTS * MOST_BYTES];
};

enum kind {
    COPY,
    FILL,
    COPY_FROM,
    COPY_TO,
    PREFETCH,
    UPDATE_HOST,
    READ,
    WRITE,
    ACCESS,
    KINDS,
    RECORDED_KINDS = UPDATE_HOST
};

struct step {
    enum kind kind;
    bool whole;
    struct model *from, *to; /* the same where there is one buffer */
    tw_id from_offset, to_offset;
    tw_range range;
    unsigned char value[MOST_BYTES];
    unsigned char *memory, *expected; /* of the program, and what is expected there if it is written */
};

static uint64_t random_state = 4711;

static size_t any(size_t below)
{
    return tw_test_random(&random_state, (unsigned)below);
}

static unsigned char any_byte(void)
{
    return (unsigned char)any(256);
}

static void make_model(struct model *model, unsigned dims, size_t element_bytes, bool equal)
{
    model->range = (tw_range){{1, 1, 1}, dims};
    for (unsigned d = 0; d < dims; ++d)
        model->range.size[d] = equal ? MOST_SIDE - 2 : 2 + any(MOST_SIDE - 1);
    model->element_bytes = element_bytes;
    for (size_t i = 0; i < tw_range_count(model->range) * element_bytes; ++i)
        model->expected[i] = any_byte();
    TW_PASS(tw_buffer_create_copy(model->expected, element_bytes, model->range, &model->buffer));
}

/* Returns the bytes of the element of a part that is number `n` in the part. */
static unsigned char *element_of(struct model *model, tw_id offset, tw_range range, size_t n)
{
    size_t at[3] = {0, 0, 0}, index = 0;
    for (unsigned d = range.dims; d-- > 0; n /= range.size[d])
        at[d] = n % range.size[d];
    for (unsigned d = 0; d < range.dims; ++d)
        index = index * model->range.size[d] + offset.at[d] + at[d];
    return model->expected + index * model->element_bytes;
}

static tw_id any_offset(tw_range whole, tw_range part)
{
    tw_id offset = {.dims = whole.dims};
    for (unsigned d = 0; d < whole.dims; ++d)
        offset.at[d] = any(whole.size[d] - part.size[d] + 1);
    return offset;
}

static bool overlap(tw_id a, tw_id b, tw_range range)
{
    bool overlap = true;
    for (unsigned d = 0; d < range.dims; ++d)
        overlap = overlap && a.at[d] < b.at[d] + range.size[d] && b.at[d] < a.at[d] + range.size[d];
    return overlap;
}

/* Chooses a step. Parts are empty now and then. */
static struct step any_step(struct model *models, bool recorded)
{
    struct step step = {.kind = (enum kind)any(recorded ? RECORDED_KINDS : KINDS), .whole = any(4) == 0};
    step.from = &models[any(BUFFERS)];
    step.to = step.kind == COPY ? &models[any(BUFFERS)] : step.from;
    const tw_range from = step.from->range, to = step.to->range;
    step.whole = step.whole && tw_range_equal(from, to) && (step.kind != COPY || step.from != step.to);
    do {
        step.range = (tw_range){{1, 1, 1}, from.dims};
        for (unsigned d = 0; d < from.dims; ++d) {
            const size_t most = from.size[d] < to.size[d] ? from.size[d] : to.size[d];
            step.range.size[d] = step.whole ? most : any(12) ? 1 + any(most) : 0;
        }
        step.from_offset = any_offset(from, step.range);
        step.to_offset = step.kind == COPY ? any_offset(to, step.range) : step.from_offset;
    } while (step.kind == COPY && step.from == step.to && overlap(step.from_offset, step.to_offset, step.range));
    const size_t bytes = tw_range_count(step.range) * step.from->element_bytes;
    for (size_t i = 0; i < MOST_BYTES; ++i)
        step.value[i] = any_byte();
    if (bytes) { /* else NULL, which is allowed */
        step.memory = malloc(bytes);
        step.expected = malloc(bytes);
        TW_CHECK(step.memory && step.expected);
    }
    for (size_t i = 0; i < bytes; ++i)
        step.memory[i] = step.expected[i] = any_byte();
    return step;
}

/* Does to the expected contents what the step does. */
static void expect(struct step *step)
{
    const size_t bytes = step->to->element_bytes;
    for (size_t n = 0; n < tw_range_count(step->range); ++n) {
        unsigned char *to = element_of(step->to, step->to_offset, step->range, n);
        const unsigned char *from = element_of(step->from, step->from_offset, step->range, n);
        switch (step->kind) {
        case COPY:
            memcpy(to, from, bytes);
            break;
        case FILL:
            memcpy(to, step->value, bytes);
            break;
        case COPY_FROM:
        case WRITE:
            memcpy(to, step->memory + n * bytes, bytes);
            break;
        case COPY_TO:
        case READ:
            memcpy(step->expected + n * bytes, from, bytes);
            break;
        default:
            break;
        }
    }
}

/* Runs a step that the program waits for. Returns false if it is none of these. */
static bool run_at_once(const struct step *step)
{
    tw_buffer *buffer = step->from->buffer;
    tw_host_accessor *accessor = NULL;
    if (step->kind == READ) {
        TW_PASS(step->whole ? tw_buffer_read(buffer, step->memory)
                            : tw_buffer_read_part(buffer, step->from_offset, step->range, step->memory));
    } else if (step->kind == WRITE) {
        TW_PASS(step->whole ? tw_buffer_write(buffer, step->memory)
                            : tw_buffer_write_part(buffer, step->to_offset, step->range, step->memory));
    } else if (step->kind == ACCESS) {
        if (!tw_range_count(step->range))
            return true;
        TW_PASS(tw_host_access_part(buffer, step->from_offset, step->range, TW_READ, &accessor));
        TW_CHECK(memcmp(tw_host_accessor_const_data(accessor),
                        element_of(step->from, step->from_offset, step->range, 0), step->from->element_bytes)
                 == 0);
        tw_host_accessor_release(&accessor);
    } else {
        return false;
    }
    return true;
}

/* Records a step; a part by a sub-buffer now and then. */
static void record(tw_command_group *cg, const struct step *step)
{
    tw_buffer *from = step->from->buffer, *to = step->to->buffer, *from_sub = NULL, *to_sub = NULL;
    const tw_id f = step->from_offset, t = step->to_offset;
    const tw_range range = step->range;
    bool whole = step->whole;
    if (!whole && tw_range_count(range) && any(3) == 0) {
        TW_PASS(tw_buffer_create_sub(from, f, range, &from_sub));
        TW_PASS(tw_buffer_create_sub(to, t, range, &to_sub));
        from = from_sub;
        to = to_sub;
        whole = true;
    }
    switch (step->kind) {
    case COPY:
        whole ? tw_copy(cg, from, to) : tw_copy_part(cg, from, f, to, t, range);
        break;
    case FILL:
        whole ? tw_fill(cg, to, step->value) : tw_fill_part(cg, to, t, range, step->value);
        break;
    case COPY_FROM:
        whole ? tw_copy_from(cg, to, step->memory) : tw_copy_from_part(cg, to, t, range, step->memory);
        break;
    case COPY_TO:
        whole ? tw_copy_to(cg, from, step->memory) : tw_copy_to_part(cg, from, f, range, step->memory);
        break;
    case PREFETCH:
        whole ? tw_prefetch(cg, from) : tw_prefetch_part(cg, from, f, range);
        break;
    default:
        whole ? tw_update_host(cg, from) : tw_update_host_part(cg, from, f, range);
        break;
    }
    TW_PASS(tw_buffer_destroy(&from_sub));
    TW_PASS(tw_buffer_destroy(&to_sub));
}

static void check_memory(const struct step *step)
{
    if (step->memory)
        TW_CHECK(memcmp(step->memory, step->expected, tw_range_count(step->range) * step->from->element_bytes) == 0
                 || step->kind == COPY_FROM || step->kind == WRITE);
}

static void check_models(struct model *models)
{
    static unsigned char found[sizeof models->expected];
    for (size_t i = 0; i < BUFFERS; ++i) {
        TW_PASS(tw_buffer_read(models[i].buffer, found));
        TW_CHECK(memcmp(found, models[i].expected, tw_range_count(models[i].range) * models[i].element_bytes) == 0);
    }
}

static void free_step(struct step *step)
{
    free(step->memory);
    free(step->expected);
}

static void make_models(struct model *models, unsigned round)
{
    static const size_t sizes[] = {4, 12, 1, 8};
    for (size_t i = 0; i < BUFFERS; ++i)
        make_model(&models[i], 1 + round % 3, sizes[round / 3 % 4], round % 2);
}

static void destroy_models(struct model *models)
{
    for (size_t i = 0; i < BUFFERS; ++i)
        TW_PASS(tw_buffer_destroy(&models[i].buffer));
}

TW_TEST(random_steps_on_all_devices_do_as_loops_over_bytes)
{
    static struct model models[BUFFERS];
    static struct step steps[MOST_STEPS];
    tw_queue *queues[3];
    tw_test_queues(queues, 3);
    for (unsigned round = 0; round < 36; ++round) {
        make_models(models, round);
        for (size_t i = 0; i < MOST_STEPS; ++i) {
            tw_queue *queue = queues[any(3)];
            steps[i] = any_step(models, false);
            if (!run_at_once(&steps[i])) {
                tw_command_group *cg = tw_queue_begin(queue);
                record(cg, &steps[i]);
                TW_PASS(tw_queue_submit(queue, cg, NULL));
            }
            expect(&steps[i]);
        }
        for (size_t i = 0; i < 3; ++i)
            TW_PASS(tw_queue_wait(queues[i]));
        for (size_t i = 0; i < MOST_STEPS; ++i) {
            check_memory(&steps[i]);
            free_step(&steps[i]);
        }
        check_models(models);
        destroy_models(models);
    }
    tw_test_destroy_queues(queues, 3);
}

/* Recorded steps run anew each time, and read the program's memory as it is then. */
static void run_recorded(tw_queue *queue, struct model *models, bool uses_memory)
{
    static struct step steps[MOST_STEPS];
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    for (size_t i = 0; i < MOST_STEPS; ++i) {
        do
            steps[i] = any_step(models, true);
        while (!uses_memory && (steps[i].kind == COPY_FROM || steps[i].kind == COPY_TO)
               && (free_step(&steps[i]), true));
        tw_command_group *cg = tw_queue_begin(queue);
        record(cg, &steps[i]);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    TW_PASS(tw_queue_end_recording(queue, &graph));
    for (unsigned time = 0; time < 3; ++time) {
        for (size_t i = 0; i < MOST_STEPS; ++i)
            for (size_t k = 0; steps[i].kind == COPY_FROM && k < tw_range_count(steps[i].range); ++k)
                steps[i].memory[k] = any_byte();
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        for (size_t i = 0; i < MOST_STEPS; ++i)
            expect(&steps[i]);
        TW_PASS(tw_queue_wait(queue));
        for (size_t i = 0; i < MOST_STEPS; ++i)
            check_memory(&steps[i]);
        check_models(models);
    }
    tw_command_graph_destroy(&graph);
    for (size_t i = 0; i < MOST_STEPS; ++i)
        free_step(&steps[i]);
}

TW_TEST(recorded_steps_run_at_each_submission)
{
    static struct model models[BUFFERS];
    tw_device *devices[16];
    const size_t count = tw_test_devices(devices, 16);
    for (unsigned round = 0; round < 12 * count; ++round) {
        tw_queue *queue = NULL;
        TW_PASS(tw_queue_create_on_device(devices[round / 12], NULL, NULL, &queue));
        make_models(models, round % 12);
        run_recorded(queue, models, round % 4 < 2);
        destroy_models(models);
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* ---- order and time ---------------------------------------------------------------------------------------------- */

static void fill_ints(tw_command_group *cg, tw_buffer *buffer, int value)
{
    tw_fill(cg, buffer, &value);
}

TW_TEST(a_step_is_ordered_and_timed_as_a_kernel_is)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 2);
    tw_event *events[3] = {NULL};
    TW_PASS(tw_queue_set_profiling(queue, true));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), held, .x = (unsigned *)tw_read_write(cg, x), .a = 3, .b = 4);
    TW_PASS(tw_queue_submit(queue, cg, &events[0]));
    cg = tw_queue_begin(queue);
    tw_copy(cg, x, y);
    TW_PASS(tw_queue_submit(queue, cg, &events[1]));
    cg = tw_queue_begin(queue);
    fill_ints(cg, x, 9);
    TW_PASS(tw_queue_submit(queue, cg, &events[2]));
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), held, .x = (unsigned *)tw_read_write(cg, y), .a = 2, .b = 1);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    for (int i = 1; i < 3; ++i) {
        tw_event_times times, before;
        TW_PASS(tw_event_wait(events[i]));
        TW_EQUAL(tw_event_get_state(events[i]), TW_EVENT_COMPLETE);
        TW_PASS(tw_event_get_times(events[i], &times));
        TW_PASS(tw_event_get_times(events[i - 1], &before));
        TW_CHECK(times.submit_ns && times.submit_ns <= times.ready_ns && times.start_ns);
        TW_CHECK(times.start_ns <= times.end_ns && times.end_ns <= times.complete_ns);
    }
    tw_test_expect_ints(y, 2 * (3 * 1 + 4) + 1);
    tw_test_expect_ints(x, 9);
    for (int i = 0; i < 3; ++i)
        tw_event_release(&events[i]);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

/* On streams, copies and fills are enqueued while what they wait for still runs. */
TW_TEST(steps_are_enqueued_behind_kernels_that_run)
{
    use_async_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 2);
    atomic_int open = 0;
    tw_event *first = NULL, *last = NULL, *list[2];
    tw_command_group *cg = tw_queue_begin(queue);
    tw_prefetch(cg, x);
    tw_test_run(queue, cg);
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 1);
    TW_PASS(try_submit(queue, x, 3, 4, &open, &first));
    cg = tw_queue_begin(queue);
    tw_copy(cg, x, y);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    cg = tw_queue_begin(queue);
    fill_ints(cg, x, 5);
    TW_PASS(tw_queue_submit(queue, cg, &last));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 3);
    size_t waits = 0;
    TW_PASS(tw_event_get_wait_list(last, list, 2, &waits));
    TW_EQUAL(waits, 2); /* the kernel, which writes x too, and the copy */
    for (size_t i = 0; i < waits; ++i)
        tw_event_release(&list[i]);
    TW_EQUAL(tw_event_get_state(first), TW_EVENT_RUNNING);
    TW_EQUAL(tw_event_get_state(last), TW_EVENT_PENDING);
    atomic_store(&open, 1);
    TW_PASS(tw_event_wait(last));
    tw_test_expect_ints(y, 7);
    tw_test_expect_ints(x, 5);
    tw_event_release(&first);
    tw_event_release(&last);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Memory of the program is copied while a kernel of the same queue runs, by a queue and by a thread that waits. */
TW_TEST(program_memory_is_copied_beside_kernels)
{
    use_async_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 2);
    atomic_int open = 0;
    tw_event *kernel = NULL, *events[2] = {NULL};
    int from[N], to[N] = {0}, read[N] = {0};
    for (int i = 0; i < N; ++i)
        from[i] = 3 * i;
    TW_PASS(try_submit(queue, x, 3, 4, &open, &kernel));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_copy_from(cg, y, from);
    TW_PASS(tw_queue_submit(queue, cg, &events[0]));
    cg = tw_queue_begin(queue);
    tw_copy_to(cg, y, to);
    TW_PASS(tw_queue_submit(queue, cg, &events[1]));
    TW_PASS(tw_event_wait_all(events, 2));
    TW_PASS(tw_buffer_read(y, read));
    TW_CHECK(memcmp(to, from, sizeof to) == 0 && memcmp(read, from, sizeof read) == 0);
    TW_CHECK(tw_event_get_state(kernel) != TW_EVENT_COMPLETE);
    atomic_store(&open, 1);
    tw_test_expect_ints(x, 7);
    tw_event_release(&kernel);
    tw_event_release(&events[0]);
    tw_event_release(&events[1]);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- what is moved ----------------------------------------------------------------------------------------------- */

TW_TEST(updates_move_the_contents_in_advance)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_buffer *x = tw_test_ints(N, 1);
    tw_host_accessor *accessor = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_prefetch_part(cg, x, tw_id_1d(0), tw_range_1d(N / 2));
    tw_test_run(queue, cg);
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 1);
    TW_PASS(tw_sim_delay(device, TW_SIM_COPY, 0));
    TW_PASS(try_submit(queue, x, 3, 4, NULL, NULL)); /* the other half */
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 2);
    cg = tw_queue_begin(queue);
    tw_update_host(cg, x);
    tw_test_run(queue, cg);
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 3);
    TW_PASS(tw_host_access(x, TW_READ, &accessor));
    TW_EQUAL(((const int *)tw_host_accessor_const_data(accessor))[N - 1], 7);
    tw_host_accessor_release(&accessor);
    TW_PASS(try_submit(queue, x, 1, 1, NULL, NULL)); /* the device still has the contents */
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 3);
    tw_test_expect_ints(x, 8);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Parts of a buffer, some of them twice, and another buffer: one command, and no byte is copied twice. */
TW_TEST(a_group_moves_several_parts_and_buffers)
{
    tw_test_use_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_device *devices[] = {tw_queue_device(queues[0]), tw_queue_device(queues[1])};
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 2);
    tw_command_group *cg = tw_queue_begin(queues[0]);
    tw_prefetch_part(cg, x, tw_id_1d(0), tw_range_1d(N / 4));
    tw_prefetch_part(cg, x, tw_id_1d(N / 2), tw_range_1d(N / 4));
    tw_prefetch_part(cg, x, tw_id_1d(N / 2), tw_range_1d(N / 8));
    tw_prefetch_part(cg, x, tw_id_1d(N), tw_range_1d(0));
    tw_prefetch(cg, y);
    tw_test_run(queues[0], cg);
    TW_EQUAL(tw_sim_count(devices[0], TW_SIM_COPY), 3);
    TW_EQUAL(tw_sim_copied_bytes(devices[0]), (N / 2 + N) * sizeof(int));
    TW_PASS(try_submit(queues[0], x, 3, 4, NULL, NULL)); /* the other parts are brought */
    TW_PASS(try_submit(queues[0], y, 3, 4, NULL, NULL));
    TW_PASS(tw_queue_wait(queues[0]));
    TW_EQUAL(tw_sim_copied_bytes(devices[0]), 2 * N * sizeof(int));
    cg = tw_queue_begin(queues[1]); /* between devices */
    tw_prefetch(cg, x);
    tw_prefetch(cg, y);
    tw_test_run(queues[1], cg);
    TW_EQUAL(tw_sim_count(devices[1], TW_SIM_COPY), 2);
    const uint64_t copies = tw_sim_count(devices[0], TW_SIM_COPY) + tw_sim_count(devices[1], TW_SIM_COPY);
    cg = tw_queue_begin(queues[0]); /* to the host; the halves lie side by side */
    tw_update_host(cg, y);
    tw_update_host_part(cg, x, tw_id_1d(0), tw_range_1d(N / 2));
    tw_update_host_part(cg, x, tw_id_1d(N / 2), tw_range_1d(N / 2));
    tw_test_run(queues[0], cg);
    TW_EQUAL(tw_sim_count(devices[0], TW_SIM_COPY) + tw_sim_count(devices[1], TW_SIM_COPY), copies + 2);
    tw_test_expect_ints(x, 7);
    tw_test_expect_ints(y, 10);
    TW_EQUAL(tw_sim_count(devices[0], TW_SIM_COPY) + tw_sim_count(devices[1], TW_SIM_COPY), copies + 2);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    tw_test_destroy_queues(queues, 2);
}

/* One of the copies fails: the command fails, once, and the contents are where they were. */
TW_TEST(a_prefetch_of_several_that_fails)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 2);
    tw_event *event = NULL;
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_COPY, 2));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_prefetch(cg, x);
    tw_prefetch(cg, y);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    TW_FAIL(tw_event_wait(event), TW_ERROR_TRANSFER_FAILED);
    TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_TRANSFER_FAILED);
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_PASS(try_submit(queue, x, 3, 4, NULL, NULL));
    TW_PASS(try_submit(queue, y, 3, 4, NULL, NULL));
    tw_test_expect_ints(x, 7);
    tw_test_expect_ints(y, 10);
    tw_event_release(&event);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(the_program_copies_from_and_to_where_the_contents_are)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_buffer *x = NULL;
    int data[8][8], part[2][3];
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_2d(8, 8), &x));
    tw_command_group *cg = tw_queue_begin(queue);
    fill_ints(cg, x, 6);
    tw_test_run(queue, cg);
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 1);
    TW_PASS(tw_buffer_read_part(x, tw_id_2d(3, 4), tw_range_2d(2, 3), part));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 2);
    for (int i = 0; i < 6; ++i)
        TW_EQUAL((&part[0][0])[i], 6);
    for (int i = 0; i < 6; ++i)
        (&part[0][0])[i] = i;
    TW_PASS(tw_buffer_write_part(x, tw_id_2d(6, 5), tw_range_2d(2, 3), part));
    TW_PASS(tw_buffer_read(x, data)); /* all is on the device still */
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 4);
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            TW_EQUAL(data[i][j], i >= 6 && j >= 5 ? (i - 6) * 3 + j - 5 : 6);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

typedef void record_step(tw_command_group *cg, tw_buffer *x, tw_buffer *y, int *memory);

static void record_copy(tw_command_group *cg, tw_buffer *x, tw_buffer *y, int *memory)
{
    (void)memory;
    tw_copy(cg, x, y);
}

static void record_fill(tw_command_group *cg, tw_buffer *x, tw_buffer *y, int *memory)
{
    (void)x;
    (void)memory;
    fill_ints(cg, y, 5);
}

static void record_copy_from(tw_command_group *cg, tw_buffer *x, tw_buffer *y, int *memory)
{
    (void)x;
    tw_copy_from(cg, y, memory);
}

static void record_copy_to(tw_command_group *cg, tw_buffer *x, tw_buffer *y, int *memory)
{
    (void)y;
    tw_copy_to(cg, x, memory);
}

/* The step itself fails. What it writes is lost, and what reads that is not run; its source is whole. */
static void fail_step(record_step *step, bool is_lost)
{
    static int memory[N];
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 2);
    tw_event *events[2] = {NULL};
    tw_command_group *cg;
    /* the group after the step need not wait for it, so it may not copy: its copy could be the one that fails */
    for (int i = 0; i < 2; ++i) {
        cg = tw_queue_begin(queue);
        tw_prefetch(cg, i ? y : x);
        tw_test_run(queue, cg);
    }
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_COPY, 1));
    cg = tw_queue_begin(queue);
    step(cg, x, y, memory);
    TW_PASS(tw_queue_submit(queue, cg, &events[0]));
    TW_PASS(try_submit(queue, y, 2, 1, NULL, &events[1]));
    TW_FAIL(tw_event_wait(events[0]), TW_ERROR_TRANSFER_FAILED);
    if (is_lost) {
        TW_FAIL(tw_event_wait(events[1]), TW_ERROR_CANCELLED);
        TW_CHECK(strstr(tw_error_detail(), "a copy or fill"));
        TW_FAIL(tw_buffer_read(y, memory), TW_ERROR_DATA_LOST);
        TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_TRANSFER_FAILED);
        TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_CANCELLED);
    } else {
        TW_PASS(tw_event_wait(events[1]));
        tw_test_expect_ints(y, 5);
        TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_TRANSFER_FAILED);
    }
    tw_test_expect_ints(x, 1);
    cg = tw_queue_begin(queue);
    fill_ints(cg, y, 3); /* makes it whole again */
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_expect_ints(y, 3);
    for (int i = 0; i < 2; ++i)
        tw_event_release(&events[i]);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_sim_reset(device));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_step_that_fails_loses_what_it_writes)
{
    for (int asynchronous = 0; asynchronous < 2; ++asynchronous) {
        tw_test_use_sim(1);
        setenv("TW_SIM_ASYNC", asynchronous ? "1" : "0", 1);
        fail_step(record_copy, true);
        fail_step(record_fill, true);
        fail_step(record_copy_from, true);
        fail_step(record_copy_to, false);
    }
}

TW_TEST(failed_copies_of_the_program_are_reported)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_buffer *x = NULL;
    int data[N];
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &x));
    tw_command_group *cg = tw_queue_begin(queue);
    fill_ints(cg, x, 4);
    tw_test_run(queue, cg);
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_COPY, 1));
    TW_FAIL(tw_buffer_read(x, data), TW_ERROR_TRANSFER_FAILED);
    TW_PASS(tw_buffer_read(x, data));
    TW_EQUAL(data[N - 1], 4);
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_COPY, 1));
    TW_FAIL(tw_buffer_write(x, data), TW_ERROR_TRANSFER_FAILED);
    TW_FAIL(tw_buffer_read(x, data), TW_ERROR_DATA_LOST);
    TW_PASS(tw_buffer_write(x, data));
    TW_PASS(tw_buffer_read(x, data));
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(the_program_is_told_of_deadlocks)
{
    tw_buffer *x = tw_test_ints(N, 1);
    tw_host_accessor *accessor = NULL;
    int data[N];
    TW_PASS(tw_host_access_part(x, tw_id_1d(0), tw_range_1d(2), TW_READ_WRITE, &accessor));
    TW_FAIL(tw_buffer_read(x, data), TW_ERROR_WOULD_DEADLOCK);
    TW_FAIL(tw_buffer_write_part(x, tw_id_1d(1), tw_range_1d(2), data), TW_ERROR_WOULD_DEADLOCK);
    TW_PASS(tw_buffer_read_part(x, tw_id_1d(2), tw_range_1d(N - 2), data));
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_buffer_read(x, data));
    TW_EQUAL(data[3], 1);
    TW_PASS(tw_buffer_destroy(&x));
}

struct fallback {
    record_step *step;
    tw_buffer *x, *y;
    int *memory;
};

static void record_user(tw_command_group *cg, void *user)
{
    const struct fallback *f = user;
    f->step(cg, f->x, f->y, f->memory);
}

/* A step that fails runs on the fallback's device, and its results come back. */
TW_TEST(steps_fall_back)
{
    static record_step *const steps[] = {record_copy, record_fill, record_copy_from, record_copy_to};
    static int memory[N];
    tw_test_use_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    for (int i = 0; i < 4; ++i) {
        struct fallback f = {steps[i], tw_test_ints(N, 1), tw_test_ints(N, 2), memory};
        tw_event *event = NULL;
        tw_command_group *cg = tw_queue_begin(queues[0]);
        tw_prefetch(cg, f.x);
        tw_test_run(queues[0], cg);
        for (int k = 0; k < N; ++k)
            memory[k] = 7;
        TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[0]), TW_SIM_COPY, 1));
        TW_PASS(tw_queue_submit_function(queues[0], queues[1], record_user, &f, &event));
        TW_PASS(tw_event_wait(event));
        tw_test_expect_ints(f.y, i == 0 ? 1 : i == 1 ? 5 : i == 2 ? 7 : 2);
        TW_EQUAL(memory[N - 1], i == 3 ? 1 : 7);
        tw_event_release(&event);
        TW_PASS(tw_buffer_destroy(&f.x));
        TW_PASS(tw_buffer_destroy(&f.y));
    }
    TW_PASS(tw_queue_wait_and_throw(queues[0]));
    tw_test_destroy_queues(queues, 2);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void expect_refusal(tw_queue *queue, tw_command_group *cg, tw_status status)
{
    TW_FAIL(tw_command_group_status(cg), status);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), status);
}

TW_TEST(wrong_steps_are_refused)
{
    static const int constant[N];
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N - 1, 2), *z = NULL, *w = NULL;
    int value = 3, data[N];
    TW_PASS(tw_buffer_create(sizeof(short), tw_range_1d(N), &z));
    TW_PASS(tw_buffer_create_over_const(constant, sizeof(int), tw_range_1d(N), &w));
#define REFUSE(status, call)                                                                                           \
    {                                                                                                                  \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        call;                                                                                                          \
        expect_refusal(queue, cg, status);                                                                             \
    }
    REFUSE(TW_ERROR_INVALID_ARGUMENT, tw_copy(cg, NULL, x))
    REFUSE(TW_ERROR_INVALID_ARGUMENT, tw_copy(cg, x, NULL))
    REFUSE(TW_ERROR_INVALID_ARGUMENT, tw_fill(cg, NULL, &value))
    REFUSE(TW_ERROR_INVALID_ARGUMENT, tw_fill(cg, x, NULL))
    REFUSE(TW_ERROR_INVALID_ARGUMENT, tw_copy_from(cg, x, NULL))
    REFUSE(TW_ERROR_INVALID_ARGUMENT, tw_copy_to(cg, x, NULL))
    REFUSE(TW_ERROR_INVALID_ARGUMENT, tw_update_host(cg, NULL))
    REFUSE(TW_ERROR_INVALID_ARGUMENT, tw_prefetch(cg, NULL))
    REFUSE(TW_ERROR_INVALID_RANGE, tw_copy(cg, x, y))
    REFUSE(TW_ERROR_INVALID_RANGE, tw_copy(cg, x, z))
    REFUSE(TW_ERROR_INVALID_RANGE, tw_copy(cg, x, x))
    REFUSE(TW_ERROR_INVALID_RANGE, tw_copy_part(cg, x, tw_id_1d(0), x, tw_id_1d(3), tw_range_1d(4)))
    REFUSE(TW_ERROR_INVALID_RANGE, tw_copy_part(cg, x, tw_id_1d(0), y, tw_id_1d(3), tw_range_1d(N - 3)))
    REFUSE(TW_ERROR_INVALID_RANGE, tw_fill_part(cg, x, tw_id_1d(N + 1), tw_range_1d(0), &value))
    REFUSE(TW_ERROR_INVALID_RANGE, tw_fill_part(cg, x, tw_id_2d(0, 0), tw_range_2d(1, 1), &value))
    REFUSE(TW_ERROR_READ_ONLY_BUFFER, tw_copy(cg, x, w))
    REFUSE(TW_ERROR_READ_ONLY_BUFFER, tw_fill(cg, w, &value))
    REFUSE(TW_ERROR_READ_ONLY_BUFFER, tw_copy_from(cg, w, data))
    REFUSE(TW_ERROR_INVALID_COMMAND_GROUP, (tw_fill(cg, x, &value), tw_fill(cg, y, &value)))
    REFUSE(TW_ERROR_INVALID_COMMAND_GROUP, (tw_prefetch(cg, x), tw_fill(cg, y, &value)))
    REFUSE(TW_ERROR_INVALID_COMMAND_GROUP, (tw_fill(cg, y, &value), tw_prefetch(cg, x)))
    REFUSE(TW_ERROR_INVALID_COMMAND_GROUP, (tw_prefetch(cg, x), tw_update_host(cg, y)))
    REFUSE(TW_ERROR_INVALID_COMMAND_GROUP, (tw_update_host(cg, x), tw_prefetch(cg, y)))
    REFUSE(TW_ERROR_INVALID_COMMAND_GROUP, (tw_update_host(cg, x), tw_copy(cg, x, x)))
    REFUSE(TW_ERROR_INVALID_COMMAND_GROUP, (tw_prefetch(cg, x), tw_prefetch(cg, y), tw_fill(cg, y, &value)))
    REFUSE(TW_ERROR_INVALID_ARGUMENT, (tw_prefetch(cg, x), tw_prefetch(cg, NULL)))
    REFUSE(TW_ERROR_INVALID_COMMAND_GROUP, (tw_read(cg, x), tw_update_host(cg, x)))
    REFUSE(TW_ERROR_INVALID_COMMAND_GROUP, (tw_update_host(cg, x), tw_read(cg, x)))
    REFUSE(TW_ERROR_INVALID_COMMAND_GROUP,
           (tw_fill(cg, y, &value), tw_parallel_for(cg, tw_range_1d(N), held, .x = (unsigned *)tw_write(cg, x))))
    REFUSE(TW_ERROR_INVALID_COMMAND_GROUP,
           (tw_parallel_for(cg, tw_range_1d(N), held, .x = (unsigned *)tw_write(cg, x)), tw_fill(cg, y, &value)))
    TW_FAIL(tw_buffer_read(NULL, data), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_read(x, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_write(x, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_write(w, data), TW_ERROR_READ_ONLY_BUFFER);
    TW_FAIL(tw_buffer_read_part(x, tw_id_1d(1), tw_range_1d(N), data), TW_ERROR_INVALID_RANGE);
    TW_PASS(tw_buffer_read_part(x, tw_id_1d(N), tw_range_1d(0), NULL));
    tw_copy(NULL, x, x);
    tw_update_host(NULL, x);
    tw_test_expect_ints(x, 1);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_buffer_destroy(&z));
    TW_PASS(tw_buffer_destroy(&w));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(random_steps_on_all_devices_do_as_loops_over_bytes),
                TW_CASE(recorded_steps_run_at_each_submission),
                TW_CASE(a_step_is_ordered_and_timed_as_a_kernel_is),
                TW_CASE(steps_are_enqueued_behind_kernels_that_run),
                TW_CASE(program_memory_is_copied_beside_kernels),
                TW_CASE(updates_move_the_contents_in_advance),
                TW_CASE(a_group_moves_several_parts_and_buffers),
                TW_CASE(a_prefetch_of_several_that_fails),
                TW_CASE(the_program_copies_from_and_to_where_the_contents_are),
                TW_CASE(a_step_that_fails_loses_what_it_writes),
                TW_CASE(failed_copies_of_the_program_are_reported),
                TW_CASE(the_program_is_told_of_deadlocks),
                TW_CASE(steps_fall_back),
                TW_CASE(wrong_steps_are_refused),
                TW_CASES_END};
