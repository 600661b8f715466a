/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Calls of fuzz_api.c that have no kernel of the library's: parts of buffers, copies and fills, unified shared memory,
 * tasks, user events, properties of queues, and what others know of devices. To be included by that file, after
 * fuzz_api.h.
 */
#ifndef FUZZ_STEPS_H
#define FUZZ_STEPS_H

#include <teamwork/copy.h>
#include <teamwork/interop.h>
#include <teamwork/task.h>
#include <teamwork/usm.h>

/* Memory of the program that copies use: it is as large as any buffer that is used, and outlives all. */
static unsigned char scratch[MEMORY];

static void *some_scratch(void)
{
    return byte() ? scratch : NULL;
}

/* A buffer whose contents fit into that memory, or NULL. */
static tw_buffer *fitting_buffer(void)
{
    tw_buffer *buffer = some_buffer();
    return tw_buffer_size(buffer) <= MEMORY && tw_buffer_element_size(buffer) <= MEMORY ? buffer : NULL;
}

struct part {
    tw_id offset;
    tw_range range;
};

/* A part of a buffer, or one that must be refused. */
static struct part some_part(const tw_buffer *buffer)
{
    struct part part = {.range = tw_buffer_range(buffer)};
    const unsigned what = byte();
    part.offset.dims = part.range.dims;
    for (unsigned d = 0; d < part.range.dims && d < 3 && part.range.size[d]; ++d) {
        const size_t size = part.range.size[d];
        part.offset.at[d] = small() % size;
        part.range.size[d] = what < 8 ? number() : small() % (size - part.offset.at[d] + 1);
    }
    if (what == 0)
        part.offset = some_id();
    else if (what == 1)
        part.range = some_range();
    return part;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void record_copy(tw_command_group *group)
{
    tw_buffer *buffer = fitting_buffer(), *other = fitting_buffer();
    const struct part part = some_part(buffer), of_other = some_part(other);
    const bool to_part = byte() & 1;
    switch (below(8)) {
    case 0:
        tw_copy(group, buffer, other);
        break;
    case 1:
        tw_copy_part(group, buffer, part.offset, other, of_other.offset, part.range);
        break;
    case 2:
        tw_fill(group, buffer, some_scratch());
        break;
    case 3:
        tw_fill_part(group, buffer, part.offset, part.range, some_scratch());
        break;
    case 4:
        if (to_part)
            tw_copy_from_part(group, buffer, part.offset, part.range, some_scratch());
        else
            tw_copy_from(group, buffer, some_scratch());
        break;
    case 5:
        if (to_part)
            tw_copy_to_part(group, buffer, part.offset, part.range, some_scratch());
        else
            tw_copy_to(group, buffer, some_scratch());
        break;
    case 6:
        if (to_part)
            tw_update_host_part(group, buffer, part.offset, part.range);
        else
            tw_update_host(group, buffer);
        break;
    default:
        if (to_part)
            tw_prefetch_part(group, buffer, part.offset, part.range);
        else
            tw_prefetch(group, buffer);
    }
}

/* An address in unified shared memory, or in memory of the program, for which the library takes all others, or none. */
static void *some_usm(void)
{
    const unsigned slot = below(USM), what = byte();
    unsigned char *memory = now.usm[slot];
    if (what == 0)
        return NULL;
    return what == 1 || !memory ? (void *)scratch : memory + (what < 64 ? small() % now.usm_bytes[slot] : 0);
}

static size_t some_bytes(void)
{
    const size_t bytes = number();
    return bytes <= MEMORY || bytes > SIZE_MAX / 8 ? bytes : 8;
}

static void record_usm(tw_command_group *group)
{
    void *to = some_usm(), *from = some_usm();
    size_t bytes = some_bytes();
    switch (below(7)) {
    case 0:
        if (to == (void *)scratch || from == (void *)scratch) /* which is taken for memory that is large enough */
            bytes %= MEMORY;
        tw_memcpy(group, to, from, bytes);
        break;
    case 1:
        tw_memcpy_2d(group, to, small(), from, small(), small(), small());
        break;
    case 2:
        tw_memset(group, to, (int)byte(), bytes);
        break;
    case 3:
        tw_mem_fill(group, to, some_scratch(), small(), bytes);
        break;
    case 4:
        tw_mem_prefetch(group, to, bytes);
        break;
    case 5:
        tw_mem_prefetch_host(group, to, bytes);
        break;
    default:
        tw_mem_advise(group, to, bytes, (tw_mem_advice)(byte() % 13));
    }
}

struct task {
    uint32_t *out;
    size_t words;
    unsigned status;
};

static tw_status end_task(const struct task *task)
{
    static const tw_status statuses[] = {TW_ERROR_TRANSFER_FAILED, TW_ERROR_UNSUPPORTED, TW_ERROR_CANCELLED,
                                         (tw_status)99, (tw_status)-3};
    if (task->status < 200)
        return TW_SUCCESS;
    return tw_task_fail(statuses[task->status % 5], task->status & 1 ? "the task fails" : NULL);
}

static tw_status host_task(const void *block)
{
    const struct task *task = block;
    for (size_t i = 0; i < task->words; ++i)
        task->out[i] += 5;
    return end_task(task);
}

static tw_status native_task(const void *block, const tw_native *native)
{
    if (!native->device)
        broken("a native task", "no device", TW_SUCCESS);
    return end_task(block);
}

static tw_status host_task_without_block(const void *block)
{
    (void)block;
    return TW_SUCCESS;
}

static tw_status native_task_without_block(const void *block, const tw_native *native)
{
    (void)block;
    (void)native;
    return TW_SUCCESS;
}

/* The words of the first row of a part of a buffer; none where they are not aligned. */
static size_t words_of_row(const tw_buffer *buffer, const struct part *part)
{
    if (!tw_range_count(part->range) || tw_buffer_element_size(buffer) % sizeof(uint32_t))
        return 0;
    return part->range.size[part->range.dims - 1] * tw_buffer_element_size(buffer) / sizeof(uint32_t);
}

static void record_task(tw_command_group *group)
{
    tw_buffer *buffer = some_buffer();
    const struct part part = some_part(buffer);
    const tw_access_mode mode = some_mode();
    const unsigned what = below(8);
    struct task task = {.status = byte()};
    now.may_lose = now.may_lose || task.status >= 200;
    task.out = tw_access_part(group, buffer, part.offset, part.range, mode, what < 4 ? TW_HOST : TW_GLOBAL);
    task.words = what < 4 && task.out && mode != TW_READ ? words_of_row(buffer, &part) : 0;
    switch (what) {
    case 0:
        tw_host_task(group, byte() ? host_task_without_block : NULL, NULL, byte() % 8 ? 0 : number());
        break;
    case 1:
    case 2:
    case 3:
        tw_host_task(group, host_task, &task, sizeof task);
        break;
    case 4:
        tw_native_task(group, byte() ? native_task_without_block : NULL, NULL, byte() % 8 ? 0 : number());
        break;
    case 5:
        tw_native_task(group, native_task, &task, sizeof task);
        break;
    default:
        tw_enqueue_task(group, native_task, &task, sizeof task);
    }
}

/* A kernel that accesses parts, of which it writes the first row of one. */
static void launch_part(tw_command_group *group)
{
    tw_buffer *buffer = some_buffer(), *other = some_buffer();
    const struct part part = some_part(buffer), of_other = some_part(other);
    const tw_access_mode mode = some_mode();
    if (byte() & 1)
        (void)tw_access_part(group, other, of_other.offset, of_other.range, some_mode(), TW_GLOBAL);
    uint32_t *out = tw_access_part(group, buffer, part.offset, part.range, mode, TW_GLOBAL);
    tw_parallel_for(group, launch_range(20000), fill, .out = out,
                    .n = out && mode != TW_READ && mode != TW_ATOMIC ? words_of_row(buffer, &part) : 0);
}

static void record_step(tw_command_group *group)
{
    static void (*const records[])(tw_command_group *) = {record_copy, record_copy, record_usm, record_task,
                                                          launch_part};
    const unsigned what = byte();
    if (what % 8 == 0)
        tw_depends_on(group, now.event[below(EVENTS)]);
    else if (what % 8 == 1)
        tw_depends_on_all(group, what & 128 ? now.event : NULL, what & 64 ? EVENTS : 0);
    records[below(sizeof records / sizeof *records)](group);
}

static void submit_step(void)
{
    tw_queue *queue = some_queue();
    tw_command_group *group = tw_queue_begin(queue);
    tw_event **slot = &now.event[below(EVENTS)], *event = NULL;
    record_step(group);
    if (byte() % 8 == 0)
        record_step(group);
    if (tw_queue_is_recording(queue)) {
        (void)CALL(OK | RECORDING, tw_queue_submit(queue, group, NULL));
        return;
    }
    MAKE(event, OK | RECORDING, tw_queue_submit(queue, group, &event));
    tw_event_release(slot);
    *slot = event;
}

/* A step in the group that other calls record. */
static void add_step(void)
{
    record_step(now.group);
    (void)CALL(OK | RECORDING, tw_command_group_status(now.group));
}

/* ---- by the program ---------------------------------------------------------------------------------------------- */

static void access_part_on_host(void)
{
    tw_host_accessor **hold = &now.hold[below(HOLDS)];
    tw_buffer *buffer = some_buffer();
    const struct part part = some_part(buffer);
    const tw_access_mode mode = some_mode();
    if (*hold)
        return;
    MAKE(*hold, OK | ARGUMENT | RANGE | READ_ONLY | LOST | TRANSFER | DEADLOCK | NO_MEMORY,
         tw_host_access_part(buffer, part.offset, part.range, mode, hold));
    if (*hold && !tw_range_equal(tw_host_accessor_range(*hold), part.range))
        broken("tw_host_accessor_range", "another range", TW_SUCCESS);
    if (*hold && tw_host_accessor_data(*hold))
        memset(tw_host_accessor_data(*hold), 1, 4 * words_of_row(buffer, &part));
}

static void copy_at_once(void)
{
    tw_buffer *buffer = fitting_buffer();
    const struct part part = some_part(buffer);
    const unsigned allowed = OK | ARGUMENT | RANGE | LOST | TRANSFER | DEADLOCK | NO_MEMORY;
    switch (below(4)) {
    case 0:
        (void)CALL(allowed, tw_buffer_read(buffer, some_scratch()));
        break;
    case 1:
        (void)CALL(allowed, tw_buffer_read_part(buffer, part.offset, part.range, some_scratch()));
        break;
    case 2:
        (void)CALL(allowed | READ_ONLY, tw_buffer_write(buffer, some_scratch()));
        break;
    default:
        (void)CALL(allowed | READ_ONLY, tw_buffer_write_part(buffer, part.offset, part.range, some_scratch()));
    }
}

static void use_usm(void)
{
    const unsigned number_of_slot = below(USM);
    unsigned char **slot = (unsigned char **)&now.usm[number_of_slot];
    tw_device *device = some_device();
    const size_t bytes = number();
    (void)tw_pointer_get_type(some_usm());
    (void)tw_pointer_get_device(some_usm());
    if (*slot || (bytes > MEMORY && bytes < SIZE_MAX / 2))
        return;
    const unsigned kind = below(3);
    *slot = kind == 0   ? tw_malloc_device(device, bytes)
            : kind == 1 ? tw_malloc_shared(device, bytes)
                        : tw_malloc_host(bytes);
    if (!*slot && !*tw_error_detail())
        broken("tw_malloc", "no detail", TW_SUCCESS);
    now.usm_bytes[number_of_slot] = bytes;
    if (*slot && kind) /* the host uses it */
        (*slot)[0] = (*slot)[bytes - 1] = 1;
}

static void submit_usm(void)
{
    tw_queue *queue = some_queue();
    void *to = some_usm();
    const size_t bytes = some_bytes();
    switch (below(4)) {
    case 0:
        (void)CALL(OK | RECORDING, tw_queue_memset(queue, to, 3, bytes, NULL));
        break;
    case 1:
        (void)CALL(OK | RECORDING, tw_queue_mem_fill(queue, to, some_scratch(), small(), bytes, NULL));
        break;
    case 2:
        (void)CALL(OK | RECORDING, tw_queue_mem_prefetch(queue, to, bytes, NULL));
        break;
    default:
        (void)CALL(OK | RECORDING, tw_queue_memcpy(queue, to, scratch, bytes % MEMORY, NULL));
    }
}

/* ---- events, queues, devices ------------------------------------------------------------------------------------- */

/* Groups depend on an event, which is complete at the end, since nobody else could complete it. */
static void use_user_event(void)
{
    tw_event *user = NULL, *same = NULL, *list[2];
    size_t count = 0;
    const unsigned what = byte();
    static const tw_status statuses[] = {TW_ERROR_TRANSFER_FAILED, TW_ERROR_CANCELLED, TW_ERROR_UNSUPPORTED};
    (void)CALL(ARGUMENT, tw_event_create_user(NULL));
    MAKE(user, OK | NO_MEMORY, tw_event_create_user(&user));
    for (unsigned i = 0; i < what % 4; ++i) {
        tw_queue *queue = some_queue();
        tw_command_group *group = tw_queue_begin(queue);
        tw_depends_on(group, user);
        record_step(group);
        (void)CALL(OK | RECORDING, tw_queue_submit(queue, group, NULL));
    }
    if (tw_event_get_state(user) != TW_EVENT_PENDING)
        broken("tw_event_create_user", "it is complete", TW_SUCCESS);
    (void)CALL(OK | NO_MEMORY, tw_event_get_wait_list(user, list, 2, &count));
    same = tw_event_of_completion(user);
    (void)CALL(ARGUMENT, tw_event_complete(user, (tw_status)(100 + byte())));
    (void)CALL(ARGUMENT, tw_event_complete(what & 8 ? NULL : now.event[below(EVENTS)], TW_SUCCESS));
    tw_event_release(&same);
    if (what >= 200)
        now.may_lose = true;
    if (what < 240) {
        (void)CALL(OK, tw_event_complete(user, what < 200 ? TW_SUCCESS : statuses[what % 3]));
        (void)CALL(ARGUMENT, tw_event_complete(user, TW_SUCCESS));
        (void)CALL(OK | LATER, tw_event_wait(user));
    }
    tw_event_release(&user);
}

static void create_other_queue(void)
{
    tw_queue **slot = &now.queue[below(QUEUES)];
    const unsigned properties = byte() % 5;
    if (*slot) {
        tw_queue *other = tw_queue_retain(*slot);
        void *answer = NULL;
        (void)CALL(OK | ARGUMENT | NO_MEMORY,
                   tw_queue_info(*slot, (tw_queue_info_id)properties, &answer, sizeof answer));
        (void)CALL(OK, tw_queue_destroy(&other));
        (void)tw_queue_is_in_order(*slot);
        (void)CALL(OK, tw_queue_set_profiling(*slot, properties & 1));
        (void)tw_queue_is_profiling(*slot);
        (void)CALL(ARGUMENT, tw_queue_set_profiling(NULL, true));
        return;
    }
    MAKE(*slot, OK | ARGUMENT | NO_DEVICE | NO_MEMORY,
         tw_queue_create_with_properties(now.context[below(CONTEXTS)], some_device(), properties,
                                         byte() & 1 ? report : NULL, NULL, slot));
}

static void ask_others(void)
{
    tw_device *device = some_device(), *found = NULL;
    tw_event *event = NULL;
    const int n = (int)byte() - 100;
    (void)tw_device_omp_number(device);
    (void)tw_device_cuda_ordinal(device);
    (void)CALL(OK | NO_DEVICE | ARGUMENT, tw_device_from_omp(n, byte() ? &found : NULL));
    (void)CALL(OK | NO_DEVICE | ARGUMENT, tw_device_from_cuda(n, byte() ? &found : NULL));
    (void)tw_omp_default_selector(device, NULL);
    (void)tw_omp_number_selector(device, byte() ? (void *)(uintptr_t)&n : NULL);
    (void)tw_local_rank_selector(device, byte() ? (void *)(uintptr_t)&n : NULL);
    (void)tw_local_rank();
    MAKE(event, ARGUMENT | UNSUPPORTED, tw_event_from_cuda(device, byte() ? scratch : NULL, &event));
    (void)CALL(ARGUMENT | UNSUPPORTED, tw_event_record_cuda(now.event[below(EVENTS)], device, byte() ? scratch : NULL));
}

#endif
