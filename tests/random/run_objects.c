/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of all kinds and host accessors of random programs. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

/* ---- storage ----------------------------------------------------------------------------------------------------- */

static const void *initial_data(void *user)
{
    return ((struct storage_state *)user)->initial;
}

static void *final_data(void *user)
{
    return ((struct storage_state *)user)->final;
}

static void expect(struct storage_state *state, bool holds, const char *what)
{
    if (!holds && !state->broken)
        state->broken = what;
}

static void in_use(void *user)
{
    struct storage_state *state = user;
    expect(state, state->depth++ == 0, "in_use() came twice");
}

static void completed(void *user)
{
    struct storage_state *state = user;
    expect(state, state->depth-- == 1, "completed() came without in_use()");
}

static void destroyed(void *user)
{
    struct storage_state *state = user;
    expect(state, state->destroyed++ == 0, "destroy() came twice");
}

static void finished(void *user, tw_status status)
{
    struct storage_state *state = user;
    expect(state, state->depth == 0, "finished() came while in use");
    expect(state, state->destroyed == 1, "finished() came before destroy()");
    expect(state, !atomic_load(&state->finished), "finished() came twice");
    state->status = status;
    atomic_store(&state->finished, true);
}

/* Memory of an asynchronous storage, which tells when the library gives it back. */
struct async_memory {
    struct storage_state *state;
    uint32_t words[];
};

static void give_back(void *data)
{
    struct async_memory *memory = (struct async_memory *)((unsigned char *)data - offsetof(struct async_memory, words));
    expect(memory->state, !atomic_load(&memory->state->finished), "asynchronous memory was freed twice");
    atomic_store(&memory->state->finished, true);
}

static uint32_t *copy_of(const struct model *model)
{
    uint32_t *words = malloc(model->count * sizeof *words);
    memcpy(words, model->words, model->count * sizeof *words);
    return words;
}

static tw_status create_with_storage(struct buffer *buffer)
{
    const size_t bytes = buffer->model.count * sizeof(uint32_t);
    struct storage_state *state = buffer->storage = calloc(1, sizeof *state);
    if (buffer->kind == ASYNC_STORAGE) {
        struct async_memory *memory = malloc(sizeof *memory + bytes);
        memory->state = state;
        memcpy(memory->words, buffer->model.words, bytes);
        state->final = memory->words;
        const tw_status status = tw_async_storage_create_over(memory->words, bytes, give_back, &buffer->async);
        return status == TW_SUCCESS ? tw_buffer_create_with_storage(tw_async_storage_get(buffer->async),
                                                                    4 * buffer->words, buffer->range, &buffer->handle)
                                    : status;
    }
    state->initial = copy_of(&buffer->model);
    state->final = calloc(buffer->model.count, sizeof(uint32_t));
    const tw_storage storage = {.user = state,
                                .bytes = buffer->kind == STORAGE ? bytes : 0,
                                .host_data = buffer->kind == STORAGE_HOST ? final_data : NULL,
                                .initial_data = initial_data,
                                .final_data = final_data,
                                .in_use = in_use,
                                .completed = completed,
                                .destroy = destroyed,
                                .finished = finished};
    return tw_buffer_create_with_storage(&storage, 4 * buffer->words, buffer->range, &buffer->handle);
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static bool is_image(enum buffer_kind kind)
{
    return kind == IMAGE_OVER || kind == IMAGE_COPY;
}

/* Whether destruction waits for the commands that use the buffer. */
static bool waits_at_end(const struct buffer *buffer)
{
    return buffer->kind == OVER || buffer->kind == OVER_CONST || buffer->kind == IMAGE_OVER;
}

static size_t choose_shape(struct buffer *buffer, const struct buffer_step *step)
{
    const uint32_t *size = step->size;
    if (is_image(buffer->kind)) {
        buffer->words = 4;
        buffer->width = 1 + size[0] % 20;
        buffer->height = 1 + size[1];
        buffer->pitch_words = 4 * (buffer->width + size[2] % 3);
        return (size_t)buffer->pitch_words * (buffer->height - 1) + 4 * (size_t)buffer->width;
    }
    buffer->words = step->words;
    buffer->range = step->dims == 1   ? tw_range_1d(size[0])
                    : step->dims == 2 ? tw_range_2d(size[0], size[1])
                                      : tw_range_3d(size[0], size[1], size[2]);
    return tw_range_count(buffer->range) * buffer->words;
}

static tw_status create_image(struct buffer *buffer)
{
    const tw_image_layout layout = {.order = TW_RGBA,
                                    .type = TW_UNSIGNED_INT32,
                                    .size = tw_range_2d(buffer->height, buffer->width),
                                    .row_pitch = 4 * (size_t)buffer->pitch_words};
    const tw_status status = buffer->kind == IMAGE_OVER
                                 ? tw_image_create_over(buffer->host, layout, &buffer->image)
                                 : tw_image_create_copy(buffer->model.words, layout, &buffer->image);
    buffer->handle = tw_image_buffer(buffer->image);
    return status;
}

static tw_status create(struct buffer *buffer)
{
    const size_t bytes = 4 * (size_t)buffer->words;
    switch (buffer->kind) {
    case OVER:
        return tw_buffer_create_over(buffer->host, bytes, buffer->range, &buffer->handle);
    case OVER_CONST:
        return tw_buffer_create_over_const(buffer->host, bytes, buffer->range, &buffer->handle);
    case PLAIN:
        return tw_buffer_create(bytes, buffer->range, &buffer->handle);
    case COPY:
        return tw_buffer_create_copy(buffer->model.words, bytes, buffer->range, &buffer->handle);
    case IMAGE_OVER:
    case IMAGE_COPY:
        return create_image(buffer);
    default:
        return create_with_storage(buffer);
    }
}

struct buffer *make_buffer(struct thread *thread, const struct buffer_step *step)
{
    struct buffer *buffer = calloc(1, sizeof *buffer);
    buffer->kind = step->kind;
    buffer->dims = step->dims;
    uint64_t random = step->seed;
    if (!model_create(&buffer->model, choose_shape(buffer, step)))
        differ(thread, "no memory for the model");
    for (size_t i = 0; i < buffer->model.count; ++i)
        buffer->model.words[i] = draw(&random);
    memset(buffer->model.known, buffer->kind != PLAIN, buffer->model.count);
    if (waits_at_end(buffer))
        buffer->host = copy_of(&buffer->model);
    const tw_status status = create(buffer);
    if (status != TW_SUCCESS || !buffer->handle)
        differ(thread, "creating a buffer: %s", tw_status_name(status));
    if (tw_buffer_size(buffer->handle) != 4 * buffer->model.count)
        differ(thread, "the buffer has %zu bytes, not %zu", tw_buffer_size(buffer->handle), 4 * buffer->model.count);
    return buffer;
}

void run_buffer_create(struct thread *thread, const struct buffer_step *step)
{
    struct buffer **slot = &thread->buffer[step->slot];
    if (*slot && (*slot)->handle)
        return;
    *slot = make_buffer(thread, step);
    (*slot)->next = thread->all;
    thread->all = *slot;
}

void run_buffer_retain(struct thread *thread, unsigned slot)
{
    struct buffer *buffer = thread->buffer[slot];
    if (!buffer || !buffer->handle)
        return;
    if (buffer->image)
        (void)tw_image_retain(buffer->image);
    else
        (void)tw_buffer_retain(buffer->handle);
    ++buffer->retained;
}

/* ---- the end of a buffer ----------------------------------------------------------------------------------------- */

static void compare(struct thread *thread, const struct model *model, const uint32_t *words, const char *where)
{
    const size_t i = model_compare(model, words);
    atomic_fetch_add(&totals.checks, 1);
    if (i < model->count)
        differ(thread, "%s: word %zu of %zu is %#x, not %#x", where, i, model->count, words[i], model->words[i]);
}

/* Compares what has become of contents that were brought to the host with the model of them. */
static void check_delivery(struct thread *thread, const struct model *model, tw_status status, const uint32_t *words,
                           const char *where)
{
    if (status == TW_SUCCESS && model->lost)
        differ(thread, "%s: TW_SUCCESS, but the contents are lost", where);
    else if (status == TW_SUCCESS)
        compare(thread, model, words, where);
    else if (status == TW_ERROR_DATA_LOST ? !model->lost && !model->copy_failed : !fault_explains(thread, status))
        differ(thread, "%s: %s", where, tw_status_name(status));
}

static void drop_retained(struct thread *thread, struct buffer *buffer)
{
    tw_buffer *handle = buffer->handle;
    tw_image *image = buffer->image;
    const tw_status status = image ? tw_image_destroy(&image) : tw_buffer_destroy(&handle);
    --buffer->retained;
    if (status != TW_SUCCESS || (buffer->image ? image != NULL : handle != NULL))
        differ(thread, "dropping one of several references: %s", tw_status_name(status));
}

/* Whether the storage's destruction would wait for something that may not come to an end yet. */
static bool storage_is_needed(const struct thread *thread, const struct buffer *buffer)
{
    for (unsigned i = 0; i < GRAPHS; ++i)
        if (thread->graph[i].handle)
            return true;
    for (unsigned i = 0; i < QUEUES; ++i)
        if (thread->queue[i].recording)
            return true;
    return model_waits(&buffer->model, true) != 0;
}

static void end_async_storage(struct thread *thread, struct buffer *buffer)
{
    const bool released = draw_below(&thread->random, 3) == 0;
    if (released)
        tw_async_storage_release(buffer->async);
    buffer->storage->status = tw_async_storage_destroy(&buffer->async);
    buffer->storage->waits_for_status = !released;
    if (buffer->async)
        differ(thread, "tw_async_storage_destroy: %s", tw_status_name(buffer->storage->status));
}

bool drop_buffer(struct thread *thread, struct buffer *buffer)
{
    if (buffer->retained) {
        drop_retained(thread, buffer);
        return true;
    }
    const hold_set waits = waits_at_end(buffer) ? model_waits(&buffer->model, true) : 0;
    tw_buffer *handle = buffer->handle;
    const tw_status status = buffer->image ? tw_image_destroy(&buffer->image) : tw_buffer_destroy(&buffer->handle);
    if (status == TW_ERROR_WOULD_DEADLOCK || waits) {
        if (waited(thread, status, waits, "destroying a buffer"))
            return true;
        if (buffer->handle != handle)
            differ(thread, "a refused destruction took the handle");
        return false;
    }
    if (buffer->image || (buffer->handle && !buffer->width))
        differ(thread, "destruction left a handle: %s", tw_status_name(status));
    buffer->handle = NULL;
    if (waits_at_end(buffer)) {
        resolve(thread);
        check_delivery(thread, &buffer->model, status, buffer->host, "host memory of a destroyed buffer");
    } else if (status != TW_SUCCESS && !(buffer->storage && thread->run->program->faults)) {
        differ(thread, "destroying a buffer: %s", tw_status_name(status));
    }
    if (buffer->async && !storage_is_needed(thread, buffer))
        end_async_storage(thread, buffer);
    return true;
}

void run_buffer_destroy(struct thread *thread, unsigned slot)
{
    struct buffer *buffer = thread->buffer[slot];
    if (buffer && buffer->handle)
        drop_buffer(thread, buffer);
}

static void finish_storage(struct thread *thread, struct buffer *buffer)
{
    struct storage_state *state = buffer->storage;
    if (buffer->async)
        end_async_storage(thread, buffer);
    totals.waits_for = "a storage is not finished";
    while (!atomic_load(&state->finished))
        rest();
    totals.waits_for = NULL;
    if (state->broken)
        differ(thread, "storage: %s", state->broken);
    if (buffer->kind != ASYNC_STORAGE || state->waits_for_status)
        check_delivery(thread, &buffer->model, state->status, state->final, "final data of a storage");
    else if (!thread->run->program->faults)
        compare(thread, &buffer->model, state->final, "memory of a released storage");
    if (buffer->kind == ASYNC_STORAGE)
        free((unsigned char *)state->final - offsetof(struct async_memory, words));
    else
        free(state->final);
    free(state->initial);
    free(state);
}

void finish_buffer(struct thread *thread, struct buffer *buffer)
{
    if (buffer->storage)
        finish_storage(thread, buffer);
    free(buffer->host);
    free(buffer->model.words);
    free(buffer->model.known);
    free(buffer);
}

/* ---- host accessors ---------------------------------------------------------------------------------------------- */

/* Writes what an access is for into memory; or into the model, where it is `known` from then on. */
static void write_words(uint32_t *words, uint8_t *known, uint32_t first, uint32_t count, uint32_t seed)
{
    uint64_t random = seed;
    for (uint32_t i = first; i < first + count; ++i) {
        words[i] = draw(&random);
        if (known)
            known[i] = 1;
    }
}

/* Whether an access was refused or failed, as it had to or may. */
static bool access_failed(struct thread *thread, const struct buffer *buffer, tw_access_mode mode, tw_status status)
{
    const struct model *model = &buffer->model;
    if (!waited(thread, status, model_waits(model, mode_writes(mode)), "tw_host_access"))
        return true;
    resolve(thread);
    if (status == TW_SUCCESS && model->lost && mode_needs(mode))
        differ(thread, "tw_host_access: TW_SUCCESS, but the contents are lost");
    if (status == TW_ERROR_DATA_LOST && ((!model->lost && !model->copy_failed) || !mode_needs(mode)))
        differ(thread, "tw_host_access: TW_ERROR_DATA_LOST, but nothing is lost");
    if (status != TW_SUCCESS && status != TW_ERROR_DATA_LOST && !fault_explains(thread, status))
        differ(thread, "tw_host_access: %s", tw_status_name(status));
    return status != TW_SUCCESS;
}

static struct model snapshot_of(const struct model *model)
{
    struct model copy = {.count = model->count, .words = copy_of(model), .known = malloc(model->count)};
    memcpy(copy.known, model->known, model->count);
    return copy;
}

static void note_writing(struct model *model, tw_access_mode mode, const struct hold *hold)
{
    if (!mode_needs(mode))
        memset(model->known, 0, model->count);
    write_words(model->words, model->known, hold->first, hold->count, hold->seed);
    model->lost = model->copy_failed = false;
}

static void end_access(struct thread *thread, struct hold *hold)
{
    if (hold->before.words)
        compare(thread, &hold->before, tw_host_accessor_const_data(hold->accessor), "a host accessor");
    if (hold->count)
        write_words(tw_host_accessor_data(hold->accessor), NULL, hold->first, hold->count, hold->seed);
    tw_host_accessor_release(&hold->accessor);
    free(hold->before.words);
    free(hold->before.known);
    *hold = (struct hold){.accessor = NULL};
}

void run_host_access(struct thread *thread, const struct access_step *step)
{
    struct buffer *buffer = thread->buffer[step->buffer];
    if (!buffer || !buffer->handle)
        return;
    const tw_access_mode mode = buffer->kind == OVER_CONST ? TW_READ : (tw_access_mode)step->mode;
    const uint32_t words = (uint32_t)buffer->model.count, first = step->first % words;
    struct hold *kept = step->hold == NONE ? NULL : &thread->hold[step->hold];
    struct hold hold = {.buffer = buffer, .first = first, .seed = step->seed};
    if (kept && kept->accessor)
        kept = NULL;
    const tw_status status = tw_host_access(buffer->handle, mode, &hold.accessor);
    if ((status == TW_SUCCESS) != (hold.accessor != NULL))
        differ(thread, "tw_host_access: %s, and the accessor is %p", tw_status_name(status), (void *)hold.accessor);
    if (access_failed(thread, buffer, mode, status))
        return;
    if (mode_needs(mode))
        hold.before = snapshot_of(&buffer->model);
    if (mode_writes(mode)) {
        hold.count = 1 + step->count % (words - first);
        note_writing(&buffer->model, mode, &hold);
    }
    if (!kept) {
        end_access(thread, &hold);
        return;
    }
    *kept = hold;
    const hold_set bit = 1u << step->hold;
    if (mode_writes(mode)) {
        buffer->model.writer_waits = bit;
        buffer->model.readers_wait = 0;
    } else {
        buffer->model.readers_wait |= bit;
    }
}

static void forget_hold(struct thread *thread, hold_set bit)
{
    for (struct buffer *buffer = thread->all; buffer; buffer = buffer->next) {
        buffer->model.writer_waits &= ~bit;
        buffer->model.readers_wait &= ~bit;
    }
    for (unsigned i = 0; i < QUEUES; ++i)
        thread->queue[i].waits &= ~bit;
    for (unsigned i = 0; i < SHARED_QUEUES && thread->run->program->threads == 1; ++i)
        thread->run->queue[i].waits &= ~bit;
    for (unsigned i = 0; i < EVENTS; ++i)
        thread->event[i].waits &= ~bit;
}

void run_host_release(struct thread *thread, unsigned slot)
{
    if (!thread->hold[slot].accessor)
        return;
    end_access(thread, &thread->hold[slot]);
    forget_hold(thread, 1u << slot);
}
