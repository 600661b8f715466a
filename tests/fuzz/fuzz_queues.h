/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Calls of fuzz_api.c that came later: queues over several devices with range mappers, markers and barriers, memory in
 * the order of a queue, parts of graphs under conditions, updates of graphs, variables of the device, and groups in one
 * expression. To be included by that file, after fuzz_steps.h.
 */
#ifndef FUZZ_QUEUES_H
#define FUZZ_QUEUES_H

#include <math.h>

#include <teamwork/range_mapper.h>
#include <teamwork/variable.h>

TW_BEGIN_DEVICE_VARIABLES
uint32_t fuzz_variable[8];
TW_END_DEVICE_VARIABLES

struct count_down {
    uint32_t *turns;
};
static inline void count_down(const struct count_down *k)
{
    if (*k->turns)
        --*k->turns;
}
TW_SINGLE_TASK(count_down);

/* ---- queues over several devices --------------------------------------------------------------------------------- */

static double some_share(void)
{
    static const double others[] = {-1, NAN, INFINITY, -0.0, 1e-300};
    const unsigned b = byte();
    return b < 240 ? b % 8 : others[b % 5];
}

static void ask_queue(tw_queue *queue)
{
    const size_t count = tw_queue_device_count(queue);
    double shares[64], sum = 0;
    tw_event *event = NULL;
    for (size_t i = 0; i < count; ++i)
        shares[i] = some_share();
    (void)CALL(OK | ARGUMENT, tw_queue_set_division(queue, byte() % 4 ? shares : NULL));
    if (CALL(OK | ARGUMENT, tw_queue_get_division(queue, shares)) == TW_SUCCESS) {
        for (size_t i = 0; i < count; ++i)
            sum += shares[i];
        if (!(fabs(sum - 1) < 1e-6))
            broken("tw_queue_get_division", "the sum is not 1", TW_SUCCESS);
    }
    (void)CALL(ARGUMENT, tw_queue_get_division(queue, NULL));
    if ((queue && tw_queue_device_at(queue, 0) != tw_queue_device(queue)) || tw_queue_device_at(queue, count))
        broken("tw_queue_device_at", "the devices", TW_SUCCESS);
    MAKE(event, OK | ARGUMENT | GROUP | NO_MEMORY, tw_queue_last_event(queue, &event));
    tw_event_release(&event);
    (void)tw_queue_is_empty(queue);
}

static void create_queue_over(void)
{
    tw_queue **slot = &now.queue[below(QUEUES)];
    tw_device *devices[3] = {some_device(), some_device(), some_device()};
    const unsigned what = byte(), properties = byte() % 20;
    int score = (int)byte() - 20;
    const unsigned allowed = OK | ARGUMENT | NO_MEMORY;
    if (*slot) {
        ask_queue(*slot);
        return;
    }
    if (what & 1)
        MAKE(*slot, allowed | NO_DEVICE,
             tw_queue_create_over_selected(what & 2 ? NULL : some_selector, &score, properties, report, NULL, slot));
    else
        MAKE(*slot, allowed,
             tw_queue_create_over(what & 4 ? devices : now.device, what & 8 ? 2 : what / 16 % 4, properties, report,
                                  NULL, slot));
}

/* Any box: what the function of a program says is cut to the buffer. */
static void map_anywhere(tw_id offset, tw_range range, tw_range buffer, tw_id *first, tw_range *count, void *user)
{
    const size_t by = *(const size_t *)user;
    for (unsigned d = 0; d < buffer.dims; ++d) {
        first->at[d] = offset.at[d] / (by % 3 + 1);
        count->size[d] = by & 4 ? range.size[d] : by;
    }
}

static tw_range_mapper some_mapper(void)
{
    static size_t by; /* read while the group is submitted */
    const unsigned what = byte();
    switch (what % 10) {
    case 0:
        return tw_one_to_one();
    case 1:
        return tw_neighborhood(number(), small(), small());
    case 2:
        return tw_neighborhood_of(some_id(), some_id());
    case 3:
        return tw_scaled(some_range(), some_range());
    case 4:
        return tw_slice(what / 10 % 5);
    case 5:
        return tw_linear(number(), number());
    case 6:
        return tw_all();
    case 7:
        return tw_fixed(some_id(), some_range());
    case 8:
        by = number();
        return tw_map_by(what == 8 ? NULL : map_anywhere, &by);
    default:
        return what == 9 ? (tw_range_mapper){.tw_kind_ = 77} : tw_one_to_one();
    }
}

/* A kernel with mapped accessors; it writes at most what a part of the launch has. */
static void launch_mapped(void)
{
    tw_queue *queue = some_queue();
    tw_command_group *group = tw_queue_begin(queue);
    tw_buffer *buffer = some_buffer(), *other = some_buffer();
    const tw_access_mode mode = some_mode();
    const bool fits = byte() % 4 && words_of(buffer) && tw_buffer_element_size(buffer) == sizeof(uint32_t);
    if (byte() & 1)
        (void)tw_access_mapped(group, other, some_mode(), some_mapper());
    uint32_t *out =
        tw_access_mapped(group, buffer, fits ? TW_READ_WRITE : mode, fits ? tw_one_to_one() : some_mapper());
    tw_parallel_for(group, fits ? tw_buffer_range(buffer) : launch_range(20000), fill, .out = out,
                    .n = fits && out ? words_of(buffer) : 0);
    (void)CALL(OK | RECORDING, tw_queue_submit(queue, group, NULL));
}

/* ---- order and memory -------------------------------------------------------------------------------------------- */

static void submit_marker(void)
{
    tw_event **slot = &now.event[below(EVENTS)], *event = NULL;
    tw_queue *queue = some_queue();
    const unsigned what = byte(), allowed = OK | ARGUMENT | GROUP | NO_MEMORY;
    if (what % 4 == 0)
        (void)CALL(allowed, tw_queue_submit_barrier(queue, NULL));
    else if (what % 4 == 1)
        (void)CALL(ARGUMENT, tw_queue_submit_marker(queue, NULL));
    else if (what % 4 == 2)
        MAKE(event, allowed, tw_queue_submit_barrier(queue, &event));
    else
        MAKE(event, allowed, tw_queue_submit_marker(queue, &event));
    if (!event)
        return;
    tw_event_release(slot);
    *slot = event;
}

/* Memory of a pool is used by a step of the queue that has it, and freed. */
static void use_pool(void)
{
    tw_queue *queue = some_queue(), *last = byte() & 1 ? queue : some_queue();
    tw_device *device = some_device();
    const size_t bytes = some_bytes();
    void *memory = bytes > MEMORY ? NULL : tw_malloc_async(queue, bytes);
    (void)CALL(OK | ARGUMENT, tw_memory_pool_trim(device, number()));
    (void)tw_memory_pool_bytes(device);
    if (!memory)
        return;
    if (tw_pointer_get_type(memory) != TW_POINTER_DEVICE)
        broken("tw_malloc_async", "it is no device memory", TW_SUCCESS);
    (void)CALL(OK | RECORDING, tw_queue_memset(queue, memory, 1, bytes, NULL));
    const bool is_recorded = tw_queue_is_recording(queue); /* then it is used as long as the graph is there */
    const tw_device *of = tw_pointer_get_device(memory);
    if (!is_recorded && last && tw_queue_device(last) == of && last == queue
        && CALL(OK | GROUP | NO_MEMORY, tw_free_async(last, memory)) == TW_SUCCESS)
        return;
    (void)CALL(ARGUMENT, tw_free_async(last, scratch));
    if (now.allocations < sizeof now.allocation / sizeof *now.allocation)
        now.allocation[now.allocations++] = memory; /* freed when all is complete */
}

static void use_aligned(void)
{
    const size_t alignment = byte() % 8 ? (size_t)1 << below(20) : number(), bytes = some_bytes();
    tw_device *device = some_device();
    const unsigned kind = below(3);
    if (bytes > MEMORY && bytes < SIZE_MAX / 2)
        return;
    void *memory = kind == 0   ? tw_aligned_alloc_device(device, alignment, bytes)
                   : kind == 1 ? tw_aligned_alloc_shared(device, alignment, bytes)
                               : tw_aligned_alloc_host(alignment, bytes);
    if (memory ? (uintptr_t)memory % alignment != 0 : !*tw_error_detail())
        broken("tw_aligned_alloc", "its alignment, or no detail", TW_SUCCESS);
    tw_free(memory);
}

static void use_variable(void)
{
    static uint32_t values[8];
    tw_queue *queue = some_queue();
    const size_t first = byte() % 8, bytes = byte() % (sizeof values - 4 * first + 1);
    if (byte() & 1)
        (void)CALL(OK | RECORDING | RANGE, tw_queue_copy_to_variable(queue, byte() ? fuzz_variable + first : NULL,
                                                                     byte() ? values : NULL, bytes, NULL));
    else
        (void)CALL(OK | RECORDING | RANGE,
                   tw_queue_copy_from_variable(queue, values, fuzz_variable + first, bytes, NULL));
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

static void submit_recorded(tw_queue *queue)
{
    tw_command_group *group = tw_queue_begin(queue);
    record_step(group);
    (void)CALL(OK | RECORDING, tw_queue_submit(queue, group, NULL));
}

/* A part that runs some turns, or none. Nobody else writes `turns`, so that it ends. */
static void record_while(void)
{
    static const uint32_t turns = 3;
    tw_queue *queue = some_queue();
    const unsigned allowed = OK | ARGUMENT | RANGE | GROUP | UNSUPPORTED | NO_MEMORY;
    if (!now.turns)
        (void)CALL(OK | NO_MEMORY, tw_buffer_create_copy(&turns, sizeof turns, tw_range_1d(1), &now.turns));
    if (!queue || !tw_queue_is_recording(queue)) {
        (void)CALL(ARGUMENT | GROUP | UNSUPPORTED, tw_queue_begin_while(queue, now.turns, 0));
        return;
    }
    tw_command_group *group = tw_queue_begin(queue);
    tw_fill(group, now.turns, &turns);
    (void)CALL(OK | RECORDING, tw_queue_submit(queue, group, NULL));
    if (CALL(allowed, tw_queue_begin_while(queue, now.turns, byte() % 8 ? 0 : number())) != TW_SUCCESS)
        return;
    (void)CALL(OK | RECORDING,
               tw_queue_single_task(queue, cg, NULL, count_down, .turns = tw_read_write(cg, now.turns)));
    if (byte() & 1)
        submit_recorded(queue);
    if (byte() % 8 == 0)
        (void)CALL(GROUP, tw_queue_end_if(queue));
    (void)CALL(OK | GROUP | NO_MEMORY | NO_DEVICE_MEMORY, tw_queue_end_while(queue));
}

static void record_if(void)
{
    tw_queue *queue = some_queue();
    if (byte() & 1)
        (void)CALL(OK | ARGUMENT | RANGE | GROUP | UNSUPPORTED | NO_MEMORY,
                   tw_queue_begin_if(queue, some_buffer(), number()));
    else
        (void)CALL(OK | ARGUMENT | GROUP | UNSUPPORTED | NO_MEMORY | NO_DEVICE_MEMORY, tw_queue_end_if(queue));
}

static void update_graph(void)
{
    (void)CALL(OK | RECORDING, tw_queue_update_graph(some_queue(), now.graph[below(GRAPHS)]));
}

/* ---- groups in one expression ------------------------------------------------------------------------------------ */

static void submit_expression(void)
{
    tw_queue *queue = some_queue();
    tw_buffer *buffer = some_buffer();
    tw_event **slot = &now.event[below(EVENTS)], *event = NULL;
    const size_t n = words_of(buffer);
    const tw_range range = launch_range(5000);
    const unsigned allowed = OK | RECORDING;
    if (queue && tw_queue_is_recording(queue)) {
        (void)CALL(allowed, tw_queue_single_task(queue, cg, NULL, once, .out = tw_read_write(cg, buffer), .n = n));
        return;
    }
    switch (below(4)) {
    case 0:
        MAKE(event, allowed,
             tw_queue_parallel_for(queue, cg, &event, range, fill, .out = tw_read_write(cg, buffer), .n = n));
        break;
    case 1:
        MAKE(event, allowed,
             tw_queue_parallel_for_work_group(queue, cg, &event, launch_range(50), launch_range(2000), groups,
                                              .out = tw_write(cg, buffer), .n = n));
        break;
    case 2:
        MAKE(event, allowed,
             tw_queue_parallel_for_nd_range(queue, cg, &event, tw_nd_range_make(range, launch_range(50)), meet,
                                            .out = tw_write(cg, buffer), .n = n));
        break;
    default:
        MAKE(event, allowed, tw_queue_single_task(queue, cg, &event, once, .out = tw_write(cg, buffer), .n = n));
    }
    if (!event)
        return;
    tw_event_release(slot);
    *slot = event;
}

static void name_buffer(void)
{
    static const char *const names[] = {"a", "", NULL, "a name with more letters than others have"};
    (void)CALL(OK | ARGUMENT | NO_MEMORY, tw_buffer_set_name(some_buffer(), names[below(4)]));
}

#endif
