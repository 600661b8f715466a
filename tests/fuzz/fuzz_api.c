/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: a byte string is a program of calls of the library, valid and not, in any order: NULLs, sizes and
 * enumerators that are none, groups for other queues, graphs of destroyed buffers, waits for what this thread holds
 * back.
 *
 * What the headers call undefined is left out: handles are not used after their end, kernels stay within the buffers
 * that their group accesses, and memory outlives the buffers over it.
 *
 * Each call must return one of the statuses that its header gives, leave its outputs alone when it fails, and say what
 * was wrong. In the end everything can be destroyed, and then nothing is left: tw_shutdown() succeeds, else the time
 * limit is exceeded.
 */
#define _GNU_SOURCE
#include "fuzz_api.h"
#include "fuzz_steps.h"

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Allocations that cannot succeed are a case of the tests. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

/* A sub-buffer of whole rows, which lie back to back, or one that must be refused. */
static void create_sub_buffer(struct slot_buffer *slot)
{
    const struct slot_buffer *of = &now.buffer[below(BUFFERS)];
    tw_buffer *const whole = of->handle; /* MAKE() changes the slot, which may be the same */
    tw_range range = tw_buffer_range(whole);
    tw_id offset = {.dims = range.dims};
    if (of->storage) /* which waits for the last reference */
        return;
    offset.at[0] = number();
    range.size[0] = number();
    const unsigned what = byte();
    if (what == 0)
        offset = some_id();
    if (what <= 1)
        range = some_range();
    MAKE(slot->handle, OK | ARGUMENT | RANGE | NO_MEMORY, tw_buffer_create_sub(whole, offset, range, &slot->handle));
    if (slot->handle && what <= 1) /* perhaps with gaps between its rows */
        (void)CALL(OK | LOST | TRANSFER | NO_MEMORY | DEADLOCK, tw_buffer_destroy(&slot->handle));
}

static void set_final_data(void)
{
    tw_buffer *buffer = some_buffer();
    if (tw_buffer_size(buffer) <= MEMORY && now.garbages <= 250)
        (void)CALL(OK | ARGUMENT | NO_MEMORY,
                   tw_buffer_set_final_data(buffer, byte() % 4 ? keep(calloc(1, MEMORY)) : NULL));
}

/* Over memory of a device, or over what OpenMP might have mapped. */
static void create_over_device(struct slot_buffer *slot, size_t element, tw_range range)
{
    tw_device *device = some_device();
    const unsigned what = byte();
    const unsigned allowed = OK | ARGUMENT | RANGE | NO_MEMORY;
    void *host = what & 1 ? keep(calloc(1, MEMORY)) : NULL;
    if (what & 2) {
        MAKE(slot->handle, allowed | UNSUPPORTED,
             tw_buffer_create_over_mapped(host, device, (tw_current)(what / 4 % 5), element, range, &slot->handle));
        return;
    }
    if (now.allocations == sizeof now.allocation / sizeof *now.allocation)
        return;
    unsigned char *memory = what & 4 ? tw_malloc_shared(some_device(), MEMORY) : tw_malloc_device(device, MEMORY);
    now.allocation[now.allocations++] = memory;
    if (memory && what & 8)
        memory += what / 16;
    MAKE(slot->handle, allowed,
         tw_buffer_create_over_device(memory, device, what / 8 == 31 ? memory : host, element, range, &slot->handle));
}

/* Says that memory has changed, which it has not. */
static void change_memory(void)
{
    tw_buffer *buffer = some_buffer();
    tw_device *device = some_device();
    const unsigned what = byte() % 4, allowed = OK | ARGUMENT | RANGE | NO_MEMORY | DEADLOCK;
    if (what == 0)
        (void)CALL(allowed, tw_buffer_host_changed(buffer));
    else if (what == 1)
        (void)CALL(allowed, tw_buffer_device_changed(buffer, device));
    else if (what == 2)
        (void)CALL(allowed, tw_buffer_host_changed_part(buffer, some_id(), some_range()));
    else
        (void)CALL(allowed, tw_buffer_device_changed_part(buffer, device, some_id(), some_range()));
}

static void create_buffer(void)
{
    struct slot_buffer *slot = &now.buffer[below(BUFFERS)];
    const unsigned kind = byte();
    const size_t element = byte() % 5 ? 4 : number();
    const tw_range range = some_range();
    size_t bytes = 0;
    if (slot->handle || slot->storage || now.garbages > 250)
        return;
    const bool valid = tw_range_is_valid(range) && !__builtin_mul_overflow(tw_range_count(range), element, &bytes);
    if (valid && bytes > MEMORY && (bytes < MOST_MEMORY || kind % 6 != 2))
        return; /* memory that there may be, or that would be read */
    void *memory = kind % 16 == 15 ? NULL : valid ? keep(calloc(1, MEMORY)) : &now; /* which is not read */
    const unsigned allowed = OK | ARGUMENT | RANGE | NO_MEMORY;
    switch (kind % 6) {
    case 0:
        MAKE(slot->handle, allowed, tw_buffer_create_over(memory, element, range, &slot->handle));
        break;
    case 1:
        MAKE(slot->handle, allowed, tw_buffer_create_over_const(memory, element, range, &slot->handle));
        break;
    case 2:
        MAKE(slot->handle, allowed, tw_buffer_create(element, range, &slot->handle));
        break;
    case 3:
        MAKE(slot->handle, allowed, tw_buffer_create_copy(memory, element, range, &slot->handle));
        break;
    case 4:
        if (kind % 12 == 4)
            create_over_device(slot, element, range);
        else
            (void)CALL(ARGUMENT, tw_buffer_create_over(memory, element, range, NULL));
        break;
    default:
        if (kind % 12 == 5)
            create_sub_buffer(slot);
        else if (kind % 24 == 23)
            change_memory();
        else
            set_final_data();
    }
}

static void *memory_of(void *user)
{
    return user;
}

static const void *const_memory_of(void *user)
{
    return user;
}

static void create_with_storage(void)
{
    struct slot_buffer *slot = &now.buffer[below(BUFFERS)];
    const unsigned what = byte();
    const size_t count = 1 + small();
    if (slot->handle || slot->storage || now.garbages > 250)
        return;
    if (what % 3 == 0) {
        const size_t bytes = what % 5 ? 4 * count : number();
        if (bytes > MEMORY && bytes < SIZE_MAX / 2)
            return;
        MAKE(slot->storage, OK | ARGUMENT | NO_MEMORY, tw_async_storage_create(bytes, &slot->storage));
        MAKE(slot->handle, OK | ARGUMENT | RANGE | NO_MEMORY,
             tw_buffer_create_with_storage(tw_async_storage_get(slot->storage), 4, tw_range_1d(count), &slot->handle));
        return;
    }
    const tw_storage storage = {.user = keep(calloc(1, MEMORY)),
                                .bytes = what & 8    ? 4 * count
                                         : what & 16 ? number()
                                                     : 0,
                                .host_data = what & 32 ? memory_of : NULL,
                                .initial_data = what & 64 ? const_memory_of : NULL,
                                .final_data = what & 128 ? memory_of : NULL};
    MAKE(slot->handle, OK | ARGUMENT | RANGE | NO_MEMORY,
         tw_buffer_create_with_storage(what == 1 ? NULL : &storage, what == 2 ? 0 : 4, tw_range_1d(count),
                                       &slot->handle));
}

static void destroy_storage(struct slot_buffer *slot)
{
    for (unsigned i = 0; i < HOLDS; ++i) /* it could wait for them: there is no status for that */
        tw_host_accessor_release(&now.hold[i]);
    tw_host_image_release(&now.image_hold);
    for (unsigned i = 0; i < GRAPHS; ++i)
        tw_command_graph_destroy(&now.graph[i]);
    (void)CALL(OK | BUSY | LOST | TRANSFER | NO_MEMORY, tw_async_storage_destroy(&slot->storage));
}

static void destroy_buffer(void)
{
    struct slot_buffer *slot = &now.buffer[below(BUFFERS)];
    tw_buffer *handle = slot->handle;
    const tw_status status =
        CALL(OK | LOST | TRANSFER | NO_MEMORY | DEADLOCK, tw_buffer_destroy(byte() ? &slot->handle : NULL));
    if (status == TW_ERROR_WOULD_DEADLOCK ? slot->handle != handle : slot->handle != NULL && slot->handle != handle)
        broken("tw_buffer_destroy", "its handle", status);
}

static void end_storage(void)
{
    struct slot_buffer *slot = &now.buffer[below(BUFFERS)];
    const unsigned what = below(4);
    if (what == 0)
        tw_async_storage_release(slot->storage);
    else if (what == 1 && slot->handle && slot->storage)
        (void)CALL(BUSY, tw_async_storage_destroy(&slot->storage));
    else if (!slot->handle)
        destroy_storage(slot);
}

static void ask_buffer(void)
{
    tw_buffer *buffer = some_buffer();
    (void)tw_buffer_range(buffer);
    if (tw_buffer_size(buffer) != tw_buffer_count(buffer) * tw_buffer_element_size(buffer))
        broken("tw_buffer_size", "it is not count times element size", TW_SUCCESS);
    tw_buffer *same = tw_buffer_retain(buffer);
    (void)CALL(OK, tw_buffer_destroy(&same));
}

/* ---- host accessors ---------------------------------------------------------------------------------------------- */

static void access_on_host(void)
{
    tw_host_accessor **hold = &now.hold[below(HOLDS)];
    tw_buffer *buffer = some_buffer();
    const tw_access_mode mode = some_mode();
    if (*hold)
        return;
    if (byte() == 1) {
        (void)CALL(ARGUMENT, tw_host_access(buffer, mode, NULL));
        return;
    }
    MAKE(*hold, OK | ARGUMENT | READ_ONLY | LOST | TRANSFER | DEADLOCK | NO_MEMORY, tw_host_access(buffer, mode, hold));
    if (*hold && tw_buffer_size(buffer) && (mode == TW_WRITE || mode == TW_DISCARD_WRITE)) /* else there is no memory */
        memset(tw_host_accessor_data(*hold), 1, tw_buffer_size(buffer));
}

static void release_on_host(void)
{
    tw_host_accessor **hold = &now.hold[below(HOLDS)];
    if (tw_range_count(tw_host_accessor_range(*hold)) && !tw_host_accessor_const_data(*hold))
        broken("tw_host_accessor_const_data", "NULL", TW_SUCCESS);
    tw_host_accessor_release(hold);
    tw_host_accessor_release(NULL);
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

static void create_image(void)
{
    tw_image **slot = &now.image[below(IMAGES)];
    const unsigned kind = byte();
    tw_image_layout layout = {
        .order = TW_RGBA, .type = TW_UNSIGNED_INT32, .size = tw_range_2d(1 + small(), 1 + small())};
    if (kind & 8) {
        layout.order = (tw_channel_order)(byte() % 20);
        layout.type = (tw_channel_type)(byte() % 24);
    }
    if (kind & 16)
        layout.size = some_range();
    layout.is_array = kind & 32;
    if (kind & 64)
        layout.row_pitch = number();
    if (kind & 128)
        layout.slice_pitch = number();
    const unsigned allowed = OK | ARGUMENT | RANGE | NO_MEMORY;
    if (*slot)
        return;
    switch (kind % 8) {
    case 0:
        MAKE(*slot, allowed, tw_image_create_on_buffer(some_buffer(), layout, slot));
        break;
    case 1: /* pixels that are not there must be refused before they are read */
        MAKE(*slot, ARGUMENT | RANGE, tw_image_create_over(NULL, layout, slot));
        break;
    default:
        if (tw_range_is_valid(layout.size) && tw_range_count(layout.size) > MEMORY
            && tw_range_count(layout.size) < SIZE_MAX / 64)
            return;
        MAKE(*slot, allowed, tw_image_create(layout, slot));
        if (*slot && tw_image_size(*slot) > 16 * MEMORY)
            (void)CALL(OK, tw_image_destroy(slot));
    }
}

static void destroy_image(void)
{
    (void)CALL(OK | LOST | TRANSFER | NO_MEMORY | DEADLOCK, tw_image_destroy(&now.image[below(IMAGES)]));
}

static void ask_image(void)
{
    tw_image *image = now.image[below(IMAGES)];
    (void)tw_image_get_layout(image);
    (void)tw_image_range(image);
    (void)tw_image_pitch(image);
    if (tw_image_buffer(image) && tw_buffer_size(tw_image_buffer(image)) < tw_image_size(image))
        broken("tw_image_size", "more than its buffer", TW_SUCCESS);
    tw_image *same = tw_image_retain(image);
    (void)CALL(OK, tw_image_destroy(&same));
    const tw_sampler sampler = tw_sampler_make(byte() & 1, (tw_addressing_mode)byte(), (tw_filter_mode)byte());
    if (tw_sampler_addressing_mode(sampler) > TW_ADDRESS_MIRRORED_REPEAT)
        broken("tw_sampler_make", "its addressing mode", TW_SUCCESS);
}

static void access_image(void)
{
    tw_image *image = now.image[below(IMAGES)];
    tw_const_image_2d view;
    tw_image_2d writable;
    if (now.image_hold) {
        tw_host_image_release(&now.image_hold);
        return;
    }
    const tw_access_mode mode = some_mode();
    MAKE(now.image_hold, OK | ARGUMENT | READ_ONLY | LOST | TRANSFER | DEADLOCK | NO_MEMORY,
         tw_host_image_access(image, mode, &now.image_hold));
    (void)CALL(OK | ARGUMENT, tw_host_const_image_2d(now.image_hold, &view));
    (void)CALL(OK | ARGUMENT, tw_host_image_2d(now.image_hold, byte() ? &writable : NULL));
    if (now.image_hold && mode == TW_READ && tw_host_image_data(now.image_hold))
        broken("tw_host_image_data", "a reading access lets write", TW_SUCCESS);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Whole words of a buffer; none where those of a sub-buffer may not be aligned. */
static size_t words_of(const tw_buffer *buffer)
{
    return tw_buffer_element_size(buffer) % sizeof(uint32_t) ? 0 : tw_buffer_size(buffer) / sizeof(uint32_t);
}

/* Kernels as objects, whose blocks begin in the same way; the block may be that of another one. */
static void launch_object(tw_command_group *group, uint32_t *out, size_t n)
{
    static const tw_kernel *const kernels[] = {
        TW_KERNEL(fill), TW_KERNEL(once), TW_KERNEL(eight), TW_KERNEL(groups), TW_KERNEL(meet), TW_KERNEL(total), NULL};
    const tw_kernel *kernel = kernels[below(7)];
    const struct groups block = {.out = out, .n = n};
    const size_t bytes = byte() & 1 ? sizeof(struct fill) : sizeof block;
    const tw_range local = byte() & 1 ? tw_range_any() : launch_range(2000);
    switch (below(5)) {
    case 0:
        tw_single_task_kernel(group, kernel, &block, bytes);
        break;
    case 1:
        tw_parallel_for_offset_kernel(group, launch_range(20000), some_id(), kernel, &block, bytes);
        break;
    case 2:
        tw_parallel_for_work_group_offset_kernel(group, launch_range(50), local, some_id(), kernel, &block, bytes);
        break;
    case 3:
        tw_parallel_for_nd_range_kernel(group, tw_nd_range_make(launch_range(5000), local), kernel, &block, bytes);
        break;
    default:
        tw_parallel_for_kernel(group, launch_range(20000), kernel, byte() % 8 ? &block : NULL, bytes);
        break;
    }
}

static void launch(tw_command_group *group)
{
    tw_buffer *buffer = some_buffer();
    const tw_access_mode mode = some_mode();
    const tw_access_target target = byte() % 8 ? TW_GLOBAL : (tw_access_target)(byte() % 4);
    const bool writes = mode != TW_READ && target == TW_GLOBAL;
    uint32_t *out = tw_access(group, buffer, mode, target);
    const size_t n = out && writes ? words_of(buffer) : 0;
    switch (below(11)) {
    case 0:
        tw_parallel_for(group, launch_range(20000), fill, .out = out, .n = n);
        break;
    case 1:
        tw_parallel_for_offset(group, launch_range(20000), some_id(), fill, .out = out, .n = n);
        break;
    case 2:
        tw_parallel_for(group, launch_range(20000), fill_2, .out = out, .n = n);
        break;
    case 3:
        tw_parallel_for_work_group(group, launch_range(50), launch_range(2000), groups, .out = out, .n = n,
                                   .memory = tw_local(group, number()));
        break;
    case 4:
        tw_parallel_for_work_group(group, launch_range(20000), tw_range_1d(8), eight, .out = out, .n = n);
        break;
    case 5:
        tw_parallel_for_nd_range(group, tw_nd_range_make(launch_range(5000), launch_range(5000)), meet, .out = out,
                                 .n = n, .memory = tw_local_range_of(group, number(), some_range()));
        break;
    case 6:
        tw_parallel_for_nd_range(group, tw_nd_range_make_offset(tw_range_1d(32), tw_range_1d(8), some_id()), meet,
                                 .out = out, .n = n);
        break;
    case 7:
        tw_single_task(group, once, .out = out, .n = n);
        break;
    case 8: {
        tw_buffer *in = some_buffer(), *sum = some_buffer();
        const bool fits = tw_buffer_element_size(sum) == sizeof(uint32_t);
        const uint32_t *words = tw_read(group, in);
        if (fits)
            tw_parallel_for(group, tw_range_1d(small()), total, .in = words, .n = words ? words_of(in) : 0,
                            .sum = TW_REDUCE_AT(group, sum, number()));
        break;
    }
    case 9: {
        tw_image *image = now.image[below(IMAGES)];
        const tw_range size = tw_image_range(image);
        tw_image_require(group, image, TW_RGBA, TW_UNSIGNED_INT32);
        tw_parallel_for(group, tw_range_2d(8, 8), paint, .out = tw_write_image_2d(group, image), .height = size.size[0],
                        .width = size.size[1]);
        break;
    }
    default:
        launch_object(group, out, n);
        break;
    }
}

/* A step of recording: the group stays open for further ones. */
static void record(void)
{
    switch (below(6)) {
    case 0:
        if (!now.group)
            now.group = tw_queue_begin(some_queue());
        break;
    case 1:
        (void)tw_access(now.group, some_buffer(), some_mode(), (tw_access_target)(byte() % 4));
        break;
    case 2:
        launch(now.group);
        break;
    case 3:
        (void)CALL(OK | RECORDING, tw_command_group_status(now.group));
        break;
    case 4:
        tw_command_group_discard(now.group);
        now.group = NULL;
        break;
    default: {
        tw_event **slot = &now.event[below(EVENTS)], *event = NULL;
        tw_command_group *group = now.group;
        now.group = NULL;
        if (byte() & 1) {
            (void)CALL(OK | RECORDING, tw_queue_submit(some_queue(), group, NULL));
            break;
        }
        MAKE(event, OK | RECORDING, tw_queue_submit(some_queue(), group, &event));
        tw_event_release(slot);
        *slot = event;
    }
    }
}

static void submit_group(void)
{
    tw_queue *queue = some_queue();
    tw_command_group *group = tw_queue_begin(queue);
    tw_event **slot = &now.event[below(EVENTS)], *event = NULL;
    launch(group);
    if (byte() & 1)
        launch(group);
    if (tw_queue_is_recording(queue)) {
        (void)CALL(OK | RECORDING, tw_queue_submit(queue, group, NULL));
        return;
    }
    MAKE(event, OK | RECORDING, tw_queue_submit(queue, group, &event));
    tw_event_release(slot);
    *slot = event;
}

static void record_by_function(tw_command_group *group, void *user)
{
    (void)user;
    launch(group);
}

static void submit_function(void)
{
    (void)CALL(OK | RECORDING,
               tw_queue_submit_function(some_queue(), some_queue(), byte() ? record_by_function : NULL, NULL, NULL));
}

static void submit_block(void)
{
    tw_queue *queue = some_queue();
    const bool leaves = byte() % 8 == 0;
    TW_COMMAND_GROUP(queue, group) {
        launch(group);
        if (leaves)
            break;
    }
}

/* ---- queues, graphs, events, devices ----------------------------------------------------------------------------- */

static int some_selector(const tw_device *device, void *user)
{
    (void)device;
    return *(int *)user;
}

static void create_queue(void)
{
    tw_queue **slot = &now.queue[below(QUEUES)];
    const tw_error_handler handler = byte() & 1 ? report : NULL;
    const unsigned allowed = OK | ARGUMENT | NO_DEVICE | NO_MEMORY;
    int score = (int)byte() - 100;
    if (*slot)
        return;
    switch (below(5)) {
    case 0:
        MAKE(*slot, allowed, tw_queue_create(some_selector, &score, handler, NULL, slot));
        break;
    case 1:
        MAKE(*slot, allowed,
             tw_queue_create_in_context(now.context[below(CONTEXTS)], some_device(), handler, NULL, slot));
        break;
    case 2:
        (void)CALL(ARGUMENT, tw_queue_create(NULL, NULL, handler, NULL, NULL));
        break;
    case 3:
        MAKE(*slot, allowed,
             tw_queue_create(byte() & 1 ? tw_sim_selector : tw_host_selector, NULL, handler, NULL, slot));
        break;
    default:
        MAKE(*slot, allowed, tw_queue_create_on_device(some_device(), handler, NULL, slot));
    }
}

static void use_queue(void)
{
    const unsigned i = below(QUEUES);
    const unsigned allowed = OK | ARGUMENT | RECORDING | LATER | DEADLOCK | LOST;
    switch (below(6)) {
    case 0:
        (void)CALL(allowed, tw_queue_wait(now.queue[i]));
        break;
    case 1:
        (void)CALL(allowed, tw_queue_wait_and_throw(now.queue[i]));
        break;
    case 2:
        (void)CALL(allowed, tw_queue_throw_asynchronous(now.queue[i]));
        break;
    case 3:
        (void)tw_queue_device(now.queue[i]);
        (void)tw_queue_is_host(now.queue[i]);
        (void)tw_queue_context(now.queue[i]);
        break;
    default:
        if (now.group) { /* it may be this queue's */
            tw_command_group_discard(now.group);
            now.group = NULL;
        }
        (void)CALL(allowed, tw_queue_destroy(&now.queue[i]));
    }
}

static void use_graph(void)
{
    tw_command_graph **slot = &now.graph[below(GRAPHS)];
    tw_queue *queue = some_queue();
    switch (below(5)) {
    case 0:
        (void)CALL(OK | ARGUMENT | GROUP | NO_MEMORY, tw_queue_begin_recording(queue));
        break;
    case 1:
        if (*slot || byte() == 0)
            (void)CALL(OK | ARGUMENT | GROUP | NO_MEMORY, tw_queue_end_recording(queue, NULL));
        else
            MAKE(*slot, OK | RECORDING, tw_queue_end_recording(queue, slot));
        break;
    case 2:
        tw_command_graph_destroy(slot);
        break;
    case 3:
        (void)CALL(OK | ARGUMENT | GROUP, tw_queue_join_recording(queue, some_queue()));
        break;
    default: {
        tw_event *event = NULL;
        (void)tw_command_graph_count(*slot);
        MAKE(event, OK | ARGUMENT | GROUP | NO_MEMORY | NO_DEVICE_MEMORY, tw_queue_submit_graph(queue, *slot, &event));
        tw_event_release(&event);
    }
    }
}

static void use_event(void)
{
    tw_event **slot = &now.event[below(EVENTS)], *moment = NULL, *list[3];
    tw_event_times times;
    size_t count = 0;
    const unsigned allowed = OK | LATER | DEADLOCK | GROUP; /* of a recorded group */
    switch (below(9)) {
    case 0:
        (void)CALL(allowed, tw_event_wait(*slot));
        break;
    case 1:
        (void)CALL(allowed, tw_event_wait_and_throw(*slot));
        break;
    case 2:
        (void)CALL(allowed | ARGUMENT, tw_event_wait_all(byte() ? now.event : NULL, byte() & 1 ? EVENTS : 0));
        break;
    case 3:
        (void)CALL(allowed | ARGUMENT, tw_event_wait_and_throw_all(now.event, EVENTS));
        break;
    case 4:
        moment = byte() & 1 ? tw_event_of_start(*slot) : tw_event_of_kernel(*slot);
        (void)CALL(allowed, tw_event_wait(moment));
        tw_event_release(&moment);
        break;
    case 5:
        (void)CALL(OK | ARGUMENT, tw_event_get_times(*slot, byte() ? &times : NULL));
        (void)CALL(OK | LATER, tw_event_get_status(*slot));
        break;
    case 6:
        (void)tw_event_get_state(*slot);
        moment = tw_event_retain(*slot);
        tw_event_release(&moment);
        break;
    case 7: {
        const size_t capacity = byte() % 4;
        tw_event **to = byte() ? list : NULL;
        if (CALL(OK | ARGUMENT | NO_MEMORY, tw_event_get_wait_list(*slot, to, capacity, &count)) != TW_SUCCESS)
            break;
        for (size_t i = 0; i < count && i < capacity; ++i)
            tw_event_release(&list[i]);
        break;
    }
    default:
        tw_event_release(slot);
        tw_event_release(NULL);
    }
}

static void use_context(void)
{
    tw_context **slot = &now.context[below(CONTEXTS)];
    tw_device *devices[2] = {some_device(), some_device()};
    size_t count = 0;
    if (*slot && byte() & 1) {
        (void)CALL(OK | ARGUMENT | LATER | RECORDING | DEADLOCK, tw_context_destroy(slot));
        return;
    }
    (void)tw_context_is_host(*slot);
    tw_context *other = tw_context_retain(*slot);
    (void)CALL(OK, tw_context_destroy(&other));
    (void)CALL(OK | ARGUMENT, tw_context_info(*slot, TW_CONTEXT_INFO_REFERENCE_COUNT, &count, sizeof count));
    (void)CALL(OK | ARGUMENT, tw_context_get_devices(*slot, devices, 2, byte() ? &count : NULL));
    if (!*slot)
        MAKE(*slot, OK | ARGUMENT | NO_MEMORY,
             tw_context_create(devices, byte() % 3, byte() & 1 ? report : NULL, NULL, slot));
}

static void ask_device(void)
{
    tw_device *device = some_device();
    tw_platform *platform = tw_device_platform(device);
    tw_device *found[4];
    size_t count = 0;
    union {
        size_t size;
        unsigned set;
        const char *text;
        bool is;
        char room[64];
    } answer;
    const size_t bytes = byte() % 5 ? (size_t[]){1, 4, 8}[below(3)] : number() % sizeof answer;
    (void)CALL(OK | ARGUMENT | NO_MEMORY,
               tw_device_info(device, (tw_device_info_id)(byte() % 40), byte() ? &answer : NULL, bytes));
    (void)tw_device_is_host(device);
    (void)tw_device_name(device);
    (void)tw_platform_name(platform);
    (void)CALL(OK | ARGUMENT,
               tw_platform_info(platform, (tw_platform_info_id)(bytes % 9), &answer, sizeof answer.size));
    (void)CALL(OK | ARGUMENT | UNSUPPORTED | NO_MEMORY,
               tw_device_create_sub_devices_equally(device, bytes, found, bytes % 5, &count));
    (void)CALL(OK | ARGUMENT, tw_platform_get_devices(platform, byte() ? found : NULL, byte() % 5, &count));
    (void)CALL(OK | ARGUMENT, tw_get_devices(byte(), byte() ? found : NULL, byte() % 5, byte() ? &count : NULL));
    tw_kernel_limits limits;
    (void)CALL(OK | ARGUMENT | WORK_GROUP,
               tw_kernel_get_limits(device, meet, number(), number(), byte() ? &limits : NULL));
}

static void use_sim(void)
{
    tw_device *device = some_device();
    const tw_sim_operation operation = (tw_sim_operation)(byte() % 6);
    (void)tw_sim_count(device, operation);
    (void)tw_sim_allocated_bytes(device);
    (void)tw_sim_copied_bytes(device);
    (void)CALL(OK | ARGUMENT, tw_sim_delay(device, operation, byte() % 4 * 10000u));
    if (byte() % 8 == 0)
        (void)CALL(ARGUMENT | BUSY, tw_sim_set_count(65 + byte()));
}

/* The program's devices are found anew if nothing is left, as is the case seldom. */
static void find_devices(void)
{
    if (CALL(OK, tw_get_devices(TW_DEVICE_ALL, now.device, sizeof now.device / sizeof *now.device, &now.devices))
            != TW_SUCCESS
        || now.devices > sizeof now.device / sizeof *now.device)
        broken("tw_get_devices", "the devices", TW_SUCCESS);
}

static void shut_down(void)
{
    if (CALL(OK | BUSY, tw_shutdown()) == TW_SUCCESS)
        find_devices();
}

static void use_host_memory(void)
{
    const size_t bytes = number();
    if (bytes > MEMORY && bytes < SIZE_MAX / 2)
        return;
    unsigned char *memory = tw_malloc_host(bytes);
    if (memory)
        memory[0] = memory[bytes - 1] = 1;
    tw_free_host(memory);
}

static void ask_status(void)
{
    const tw_status status = (tw_status)(int)(byte() - 40);
    if (!*tw_status_name(status) || !*tw_status_meaning(status))
        broken("tw_status_name", "empty", status);
}

#include "fuzz_queues.h" /* which launches, too */

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static void (*const calls[])(void) = {
    create_buffer, create_with_storage, destroy_buffer, end_storage, ask_buffer, access_on_host, release_on_host,
    create_image, destroy_image, ask_image, access_image, record, record, submit_group, submit_group, submit_function,
    submit_block, create_queue, use_queue, use_graph, use_graph, use_event, use_event, use_context, ask_device, use_sim,
    shut_down, use_host_memory, ask_status,
    /* in programs that say so */
    submit_step, submit_step, submit_step, add_step, access_part_on_host, copy_at_once, use_usm, submit_usm,
    use_user_event, create_other_queue, ask_others,
    /* in some of these */
    create_queue_over, create_queue_over, launch_mapped, launch_mapped, submit_marker, use_pool, use_aligned,
    use_variable, record_while, record_if, update_graph, submit_expression, name_buffer};
enum { CALLS = sizeof calls / sizeof *calls, WITHOUT_QUEUES = CALLS - 13, WITHOUT_STEPS = WITHOUT_QUEUES - 11 };

/* Two queues and two buffers, so that short programs do something. */
static void begin(void)
{
    static const uint32_t words[64];
    find_devices();
    for (unsigned i = 0; i < 2; ++i)
        (void)CALL(OK, tw_queue_create_on_device(now.device[i % now.devices], report, NULL, &now.queue[i]));
    (void)CALL(OK, tw_buffer_create_copy(words, sizeof *words, tw_range_1d(64), &now.buffer[0].handle));
    (void)CALL(OK, tw_buffer_create_copy(words, sizeof *words, tw_range_2d(4, 16), &now.buffer[1].handle));
}

static void end(void)
{
    for (unsigned i = 0; i < HOLDS; ++i)
        tw_host_accessor_release(&now.hold[i]);
    tw_host_image_release(&now.image_hold);
    tw_command_group_discard(now.group);
    for (unsigned i = 0; i < GRAPHS; ++i)
        tw_command_graph_destroy(&now.graph[i]);
    for (unsigned i = 0; i < EVENTS; ++i)
        tw_event_release(&now.event[i]);
    const unsigned ended = OK | (now.may_lose ? LOST : 0);
    for (unsigned i = 0; i < IMAGES; ++i)
        (void)CALL(ended, tw_image_destroy(&now.image[i]));
    for (unsigned i = 0; i < CONTEXTS; ++i)
        (void)CALL(OK | RECORDING | LATER, tw_context_destroy(&now.context[i]));
    for (unsigned i = 0; i < QUEUES; ++i)
        (void)CALL(OK | RECORDING | LATER, tw_queue_destroy(&now.queue[i]));
    for (unsigned i = 0; i < BUFFERS; ++i) {
        (void)CALL(ended, tw_buffer_destroy(&now.buffer[i].handle));
        (void)CALL(ended, tw_async_storage_destroy(&now.buffer[i].storage));
    }
    (void)CALL(ended, tw_buffer_destroy(&now.turns));
    for (unsigned i = 0; i < USM; ++i)
        tw_free(now.usm[i]);
    while (now.allocations)
        tw_free(now.allocation[--now.allocations]);
    /* nobody waits for the last copy to a storage that was released */
    while (CALL(OK | BUSY, tw_shutdown()) != TW_SUCCESS)
        nanosleep(&(struct timespec){0, 100000}, NULL);
    while (now.garbages)
        free(now.garbage[--now.garbages]);
    memset(&now, 0, sizeof now);
}

int LLVMFuzzerInitialize(int *count, char ***words)
{
    (void)count;
    (void)words;
    setenv("TW_SIM", "2", 1);
    setenv("TW_DEVICES", "sim,host", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input.at = data;
    input.left = size;
    const unsigned kind = byte();
    setenv("TW_SIM_ASYNC", kind & 1 ? "1" : "0", 1);
    begin();
    const unsigned count = kind / 16 == 10 ? CALLS : kind & 2 ? WITHOUT_QUEUES : WITHOUT_STEPS;
    while (input.left)
        calls[below(count)]();
    end();
    return 0;
}
