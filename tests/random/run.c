/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a random program: its threads, the objects that they share, and the end, when nothing may be left. */
#include "random.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct totals totals;

static struct {
    const struct program *program;
    const struct options *options;
} running;

void note_program(const struct program *program, const struct options *options)
{
    running.program = program;
    running.options = options;
}

void differ(const struct thread *thread, const char *format, ...)
{
    char text[320] = "(outside of its steps)";
    va_list arguments;
    if (thread && thread->step)
        print_step(thread->step, text, sizeof text);
    flockfile(stderr);
    fprintf(stderr, "random: difference in program %llu on %s, step %td, %s\n  ",
            (unsigned long long)running.program->seed, configuration_of(running.options, running.program->seed)->name,
            thread && thread->step ? thread->step - running.program->step : (ptrdiff_t)-1, text);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n  detail: %s\n", tw_error_detail());
    if (!running.options->reduced)
        fprintf(stderr, "  again: random --seed %llu --threads %u --devices %s%s [--shrink]\n",
                (unsigned long long)running.program->seed, running.options->threads,
                configuration_of(running.options, running.program->seed)->name,
                running.options->faults ? " --faults" : "");
    fflush(NULL);
    _exit(1);
}

void rest(void)
{
    const struct timespec moment = {0, 20000};
    nanosleep(&moment, NULL);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void run_fault(struct thread *thread, const struct slot_step *step, enum step_kind kind)
{
    struct run *run = thread->run;
    tw_device *device = run->device[step->other % run->devices];
    const tw_sim_operation operation = (tw_sim_operation)(step->slot % 4);
    if (kind == DELAY) {
        (void)tw_sim_delay(device, operation, step->n); /* refused where the device is none that is simulated */
    } else if (kind == FAULT) {
        if (operation == TW_SIM_KERNEL)
            atomic_store(&run->breaks_devices, true);
        atomic_fetch_add(&run->faults_set, 1);
        (void)tw_sim_fail_nth(device, operation, step->n);
    } else {
        (void)tw_sim_reset(device);
    }
}

static void read_counter(struct thread *thread, const struct slot_step *step)
{
    tw_host_accessor *accessor = NULL;
    if (thread->run->program->faults)
        return;
    const tw_status status = tw_host_access(thread->run->counter[step->slot], TW_READ, &accessor);
    if (status != TW_SUCCESS)
        differ(thread, "reading a counter: %s", tw_status_name(status));
    const uint32_t *words = tw_host_accessor_const_data(accessor);
    for (int i = 1; i < COUNTER_WORDS; ++i)
        if (words[i] != words[0])
            differ(thread, "a counter shows half of a group: word %d is %u, word 0 is %u", i, words[i], words[0]);
    atomic_fetch_add(&totals.checks, 1);
    tw_host_accessor_release(&accessor);
}

static void run_slot_step(struct thread *thread, enum step_kind kind, const struct slot_step *step)
{
    switch (kind) {
    case BUFFER_DESTROY:
        run_buffer_destroy(thread, step->slot);
        break;
    case BUFFER_RETAIN:
        run_buffer_retain(thread, step->slot);
        break;
    case HOST_RELEASE:
        run_host_release(thread, step->slot);
        break;
    case QUEUE_CREATE:
        run_queue_create(thread, step);
        break;
    case QUEUE_DESTROY:
        run_queue_destroy(thread, step->slot);
        break;
    case QUEUE_WAIT:
    case QUEUE_WAIT_AND_THROW:
    case QUEUE_THROW:
        run_queue_wait(thread, step->slot, kind);
        break;
    case CONTEXT_CREATE:
    case CONTEXT_DESTROY:
        run_context(thread, step, kind == CONTEXT_CREATE);
        break;
    case RECORD_BEGIN:
        run_record_begin(thread, step);
        break;
    case RECORD_END:
        run_record_end(thread, step);
        break;
    case GRAPH_SUBMIT:
        run_graph_submit(thread, step);
        break;
    case GRAPH_DESTROY:
        tw_command_graph_destroy(&thread->graph[step->slot].handle);
        break;
    case COUNT:
        run_count(thread, step);
        break;
    case COUNTER_READ:
        read_counter(thread, step);
        break;
    case TALLY:
    case USER_CREATE:
    case USER_COMPLETE:
    case LINK:
    case CHAIN_CHECK:
        run_order_step(thread, step, kind);
        break;
    case FAULT:
    case DELAY:
    case RESET:
        run_fault(thread, step, kind);
        break;
    default:
        run_event(thread, step, kind);
    }
}

static void run_step(struct thread *thread, const struct step *step)
{
    atomic_fetch_add(&totals.moves, 1);
    thread->step = step;
    if (step->kind == GROUP)
        run_group(thread, &step->group);
    else if (step->kind == BUFFER_CREATE)
        run_buffer_create(thread, &step->buffer);
    else if (step->kind == HOST_ACCESS)
        run_host_access(thread, &step->access);
    else if (step->kind == BUFFER_READ || step->kind == BUFFER_WRITE)
        run_host_copy(thread, &step->access, step->kind == BUFFER_WRITE);
    else if (step->kind == QUEUE_DIVIDE)
        run_queue_divide(thread, &step->slot);
    else
        run_slot_step(thread, step->kind, &step->slot);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void end_object(struct thread *thread, unsigned number)
{
    if (number < BUFFERS) {
        struct buffer *buffer = thread->buffer[number];
        while (buffer && buffer->handle)
            if (!drop_buffer(thread, buffer))
                differ(thread, "a buffer could not be destroyed at the end");
    } else if ((number -= BUFFERS) < QUEUES) {
        end_queue(thread, &thread->queue[number]);
    } else if ((number -= QUEUES) < EVENTS) {
        tw_event_release(&thread->event[number].handle);
    } else if ((number -= EVENTS) < GRAPHS) {
        tw_command_graph_destroy(&thread->graph[number].handle);
    } else if (thread->context) {
        run_context(thread, &(struct slot_step){0}, false);
    }
}

/* Destroys what the thread has left, in any order. */
static void end_objects(struct thread *thread)
{
    enum { OBJECTS = BUFFERS + QUEUES + EVENTS + GRAPHS + 1 };
    unsigned order[OBJECTS];
    thread->step = NULL;
    for (unsigned i = 0; i < HOLDS; ++i)
        run_host_release(thread, i);
    end_users(thread);
    for (unsigned i = 0; i < OBJECTS; ++i) {
        const unsigned k = draw_below(&thread->random, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (unsigned i = 0; i < OBJECTS; ++i) {
        atomic_fetch_add(&totals.moves, 1);
        end_object(thread, order[i]);
    }
}

static void *run_thread(void *argument)
{
    struct thread *thread = argument;
    const struct program *program = thread->run->program;
    begin_chains(thread);
    for (unsigned i = 0; i < program->steps; ++i)
        if (program->step[i].thread == thread->id)
            run_step(thread, &program->step[i]);
    end_objects(thread);
    return NULL;
}

/* When all queues are gone every command is over. */
static void check_thread(struct thread *thread)
{
    resolve(thread);
    if (thread->first)
        differ(thread, "a command is not complete, though its queue was destroyed");
    end_chains(thread);
    check_deliveries(thread);
    if (thread->delivery)
        differ(thread, "a copy to memory of the program is not complete");
    check_errors(thread, &thread->context_errors);
    while (thread->all) {
        struct buffer *buffer = thread->all;
        thread->all = buffer->next;
        finish_buffer(thread, buffer);
    }
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static void find_devices(struct run *run)
{
    size_t found = 0;
    if (tw_get_devices(TW_DEVICE_ALL, run->device, 16, &found) != TW_SUCCESS || !found)
        differ(NULL, "there are no devices");
    run->devices = found < 16 ? (unsigned)found : 16;
    for (unsigned i = 0; i < run->devices; ++i)
        if (tw_device_info(run->device[i], TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, &run->group_limit[i], sizeof(size_t))
            != TW_SUCCESS)
            differ(NULL, "a device does not tell its limits");
}

static void begin_shared(struct run *run, uint64_t *random)
{
    pthread_mutex_init(&run->shared, NULL);
    for (unsigned i = 0; i < SHARED_QUEUES; ++i) {
        struct error_count *handler = i ? &run->queue[i].own : NULL;
        const uint32_t seed = draw(random);
        const tw_status status = seed % 2 ? make_queue_over(run, &run->queue[i], seed, handler, i == TALLY_QUEUE)
                                          : make_queue(run, &run->queue[i], seed, handler, NULL, i == TALLY_QUEUE);
        if (status != TW_SUCCESS)
            differ(NULL, "creating a shared queue failed");
        run->queue[i].shared = true;
    }
    for (unsigned i = 0; i < SHARED_BUFFERS; ++i) {
        const struct buffer_step step = {.kind = i ? COPY : OVER,
                                         .dims = 1,
                                         .words = 1,
                                         .size = {1 + draw_below(random, 150), 1, 1},
                                         .seed = draw(random)};
        run->buffer[i] = make_buffer(&run->thread[0], &step);
        run->buffer[i]->shared = true;
    }
    run->tally = tw_malloc_host(sizeof *run->tally);
    if (!run->tally)
        differ(NULL, "there is no host memory");
    *run->tally = 0;
    for (unsigned i = 0; i < COUNTERS; ++i)
        if (tw_buffer_create_over(run->counter_host[i], 4, tw_range_1d(COUNTER_WORDS), &run->counter[i]) != TW_SUCCESS)
            differ(NULL, "creating a counter failed");
}

static void end_counter(struct run *run, unsigned number)
{
    const tw_status status = tw_buffer_destroy(&run->counter[number]);
    if (status != TW_SUCCESS)
        differ(NULL, "destroying a counter: %s", tw_status_name(status));
    for (int i = 0; i < COUNTER_WORDS; ++i)
        if (run->counter_host[number][i] != atomic_load(&run->counter_sum[number]))
            differ(NULL, "word %d of a counter is %u, not %u", i, run->counter_host[number][i],
                   atomic_load(&run->counter_sum[number]));
    atomic_fetch_add(&totals.checks, 1);
}

static void end_shared(struct run *run)
{
    for (unsigned i = 0; i < SHARED_BUFFERS; ++i) {
        drop_buffer(&run->thread[0], run->buffer[i]);
        finish_buffer(&run->thread[0], run->buffer[i]);
    }
    for (unsigned i = 0; i < COUNTERS; ++i)
        end_counter(run, i);
    if (*run->tally != atomic_load(&run->tally_sum))
        differ(NULL, "the tally is %u, not %u", *run->tally, atomic_load(&run->tally_sum));
    tw_free_host(run->tally);
    pthread_mutex_destroy(&run->shared);
}

/* Simulated devices have nothing left; a thread that has told a storage that it is finished may be about to free its
   buffer. */
static void check_devices(struct run *run)
{
    for (unsigned i = 0; i < run->devices; ++i) {
        totals.waits_for = "device memory is not freed";
        while (tw_sim_allocated_bytes(run->device[i]))
            rest();
        (void)tw_sim_reset(run->device[i]); /* refused where the device is none that is simulated */
    }
    totals.waits_for = NULL;
}

void run_program(const struct program *program)
{
    struct run *run = calloc(1, sizeof *run);
    pthread_t threads[MAX_THREADS];
    uint64_t random = program->seed + 77;
    run->program = program;
    const struct configuration *configuration = configuration_of(running.options, program->seed);
    run->keeps_order = configuration->async || strncmp(configuration->name, "gpu", 3) == 0;
    for (unsigned i = 0; i < program->threads; ++i) {
        run->thread[i].run = run;
        run->thread[i].id = i;
        run->thread[i].random = program->seed * 31 + i;
    }
    find_devices(run);
    begin_shared(run, &random);
    for (unsigned i = 1; i < program->threads; ++i)
        if (pthread_create(&threads[i], NULL, run_thread, &run->thread[i]) != 0)
            differ(NULL, "no thread could be started");
    run_thread(&run->thread[0]);
    for (unsigned i = 1; i < program->threads; ++i)
        pthread_join(threads[i], NULL);
    /* operations wait for queues that all threads use, and must be known before the errors of those are counted */
    for (unsigned q = 0; q < SHARED_QUEUES; ++q) {
        const tw_status status = tw_queue_wait_and_throw(run->queue[q].handle);
        if (status != TW_SUCCESS && !program->faults)
            differ(NULL, "waiting for a shared queue: %s", tw_status_name(status));
    }
    for (unsigned i = 0; i < program->threads; ++i)
        check_thread(&run->thread[i]);
    for (unsigned q = 0; q < SHARED_QUEUES; ++q)
        end_queue(&run->thread[0], &run->queue[q]);
    end_shared(run);
    check_devices(run);
    free(run);
}
