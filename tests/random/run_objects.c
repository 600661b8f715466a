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
        if (buffer->device)
            return tw_buffer_create_over_device(buffer->host, buffer->device, NULL, bytes, buffer->range,
                                                &buffer->handle);
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
    case SUB: /* make_sub() */
        return TW_ERROR_INVALID_ARGUMENT;
    default:
        return create_with_storage(buffer);
    }
}

/* The part that is all of a buffer. */
static void note_part(struct buffer *buffer)
{
    struct part *part = &buffer->part;
    *part = (struct part){buffer, {0, 0, 0}, {1, 1, 1}, .words = (uint32_t)buffer->model.count};
    for (unsigned d = 0; d < buffer->range.dims; ++d)
        part->size[3 - buffer->range.dims + d] = (uint32_t)buffer->range.size[d];
    part->pitch = part->row = buffer->image ? part->words : part->size[2] * buffer->words;
    part->rows = part->size[1];
    part->plane = part->pitch * part->rows;
    buffer->root = buffer;
}

/* A sub-buffer of what is in a slot; NULL if there is nothing of which there are sub-buffers. */
static struct buffer *make_sub(struct thread *thread, const struct buffer_step *step)
{
    struct buffer *of = thread->buffer[step->of];
    if (!of || !of->handle || of->image)
        return NULL;
    struct buffer *sub = calloc(1, sizeof *sub);
    sub->kind = SUB;
    sub->root = of->root;
    sub->part = part_of(of, step->seed);
    sub->words = of->words;
    const tw_id offset = part_offset(&sub->part, of);
    sub->range = part_range(&sub->part, of);
    sub->dims = sub->range.dims;
    const tw_status status = tw_buffer_create_sub(of->handle, offset, sub->range, &sub->handle);
    if (status != TW_SUCCESS)
        differ(thread, "creating a sub-buffer: %s", tw_status_name(status));
    const tw_id start = tw_buffer_offset(sub->handle);
    for (unsigned d = 0; d < sub->dims; ++d)
        if (start.at[d] != sub->part.begin[3 - sub->dims + d])
            differ(thread, "the sub-buffer begins at %zu in dimension %u", start.at[d], d);
    if (tw_buffer_size(sub->handle) != 4 * (size_t)sub->part.words
        || !tw_range_equal(tw_buffer_range(sub->handle), sub->range)
        || !tw_range_equal(tw_buffer_pitch(sub->handle), of->root->range))
        differ(thread, "the sub-buffer has %zu bytes, not %u", tw_buffer_size(sub->handle), 4 * sub->part.words);
    ++sub->root->subs;
    return sub;
}

/* Gives some buffers memory on a device, or shared memory, to be over. This process can access it, except on GPUs. */
static void find_device_memory(const struct thread *thread, struct buffer *buffer, uint32_t seed)
{
    const size_t bytes = buffer->model.count * sizeof *buffer->model.words;
    tw_device *device = thread->run->device[seed / 8 % thread->run->devices];
    if (seed % 4 || tw_device_is_gpu(device))
        return;
    buffer->host = seed / 4 % 2 ? tw_malloc_shared(device, bytes) : tw_malloc_device(device, bytes);
    if (!buffer->host) /* empty, or there is a fault */
        return;
    memcpy(buffer->host, buffer->model.words, bytes);
    buffer->device = device;
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
    for (size_t i = 0; i < buffer->model.count; ++i)
        buffer->model.fate[i].known = buffer->kind != PLAIN;
    if (buffer->kind == OVER)
        find_device_memory(thread, buffer, step->seed);
    if (waits_at_end(buffer) && !buffer->host)
        buffer->host = copy_of(&buffer->model);
    const tw_status status = create(buffer);
    if (status != TW_SUCCESS || !buffer->handle)
        differ(thread, "creating a buffer: %s", tw_status_name(status));
    if (tw_buffer_size(buffer->handle) != 4 * buffer->model.count)
        differ(thread, "the buffer has %zu bytes, not %zu", tw_buffer_size(buffer->handle), 4 * buffer->model.count);
    note_part(buffer);
    return buffer;
}

void run_buffer_create(struct thread *thread, const struct buffer_step *step)
{
    struct buffer **slot = &thread->buffer[step->slot];
    if (*slot && (*slot)->handle)
        return;
    struct buffer *made = step->kind == SUB ? make_sub(thread, step) : make_buffer(thread, step);
    if (!made)
        return;
    *slot = made;
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

/* Whether a copy of a part may have failed with this status: by a fault, or since it was cancelled with that of another
   command. */
static bool copy_may_fail(const struct thread *thread, const struct part *part, tw_status status)
{
    return fault_explains(thread, status) || (status == TW_ERROR_TRANSFER_FAILED && part_may_be_lost(part));
}

/* Compares what has become of contents that were brought to the host with the model of them. */
static void check_delivery(struct thread *thread, const struct buffer *root, tw_status status, const uint32_t *words,
                           const char *where)
{
    if (status == TW_SUCCESS && part_is_lost(&root->part))
        differ(thread, "%s: TW_SUCCESS, but the contents are lost", where);
    else if (status == TW_SUCCESS)
        compare(thread, &root->model, words, where);
    else if (status == TW_ERROR_DATA_LOST ? !part_may_be_lost(&root->part)
                                          : !copy_may_fail(thread, &root->part, status))
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
    return model_waits(&buffer->part, true) != 0;
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
    struct buffer *root = buffer->root;
    const bool is_last = buffer == root ? !root->subs : !root->handle && root->subs == 1;
    const hold_set waits = is_last && waits_at_end(root) ? model_waits(&root->part, true) : 0;
    tw_buffer *handle = buffer->handle;
    let_pass(thread, waits);
    if (is_last && waits_at_end(root) && !can_resolve_part(thread, &root->part, true))
        return false;
    const tw_status status = buffer->image ? tw_image_destroy(&buffer->image) : tw_buffer_destroy(&buffer->handle);
    if ((status == TW_ERROR_WOULD_DEADLOCK || waits) && !waited(thread, status, waits, "destroying a buffer")) {
        if (buffer->handle != handle)
            differ(thread, "a refused destruction took the handle");
        return false;
    }
    if (buffer->image || (buffer->handle && !buffer->width))
        differ(thread, "destruction left a handle: %s", tw_status_name(status));
    buffer->handle = NULL;
    root->subs -= buffer != root;
    if (is_last && waits_at_end(root)) {
        resolve_part(thread, &root->part, true);
        check_delivery(thread, root, status, root->host, "host memory of a destroyed buffer");
    } else if (status != TW_SUCCESS && !(is_last && root->storage && thread->run->program->faults)) {
        differ(thread, "destroying a buffer: %s", tw_status_name(status));
    }
    if (is_last && root->async && !storage_is_needed(thread, root))
        end_async_storage(thread, root);
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
        check_delivery(thread, buffer, state->status, state->final, "final data of a storage");
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
    if (buffer->device)
        tw_free(buffer->host);
    else
        free(buffer->host);
    model_free(&buffer->model);
    free(buffer);
}

/* ---- host accessors ---------------------------------------------------------------------------------------------- */

/* Writes what an access is for into memory, where the part begins. */
static void write_words(const struct hold *hold, uint32_t *memory)
{
    uint64_t random = hold->seed;
    for (uint32_t i = hold->first; i < hold->first + hold->count; ++i)
        memory[part_word(&hold->part, i) - hold->part.first] = draw(&random);
}

/* Whether an access was refused or failed, as it had to or may. */
static bool access_failed(struct thread *thread, const struct part *part, tw_access_mode mode, tw_status status,
                          const char *what)
{
    if (!waited(thread, status, model_waits(part, mode_writes(mode)), what))
        return true;
    resolve_part(thread, part, mode_writes(mode));
    if (status == TW_SUCCESS && part_is_lost(part) && mode_needs(mode))
        differ(thread, "%s: TW_SUCCESS, but the contents are lost", what);
    if (status == TW_ERROR_DATA_LOST && (!part_may_be_lost(part) || !mode_needs(mode)))
        differ(thread, "%s: TW_ERROR_DATA_LOST, but nothing is lost", what);
    if (status != TW_SUCCESS && status != TW_ERROR_DATA_LOST && !copy_may_fail(thread, part, status))
        differ(thread, "%s: %s", what, tw_status_name(status));
    if (status == TW_SUCCESS && mode_needs(mode))
        part_was_found(part);
    return status != TW_SUCCESS;
}

static void note_writing(tw_access_mode mode, const struct hold *hold)
{
    struct model *model = &hold->part.root->model;
    uint64_t random = hold->seed;
    for (uint32_t i = 0; i < hold->part.words; ++i) {
        const size_t at = part_word(&hold->part, i);
        const bool written = i >= hold->first && i - hold->first < hold->count;
        if (written)
            model->words[at] = draw(&random);
        model->fate[at].known = written || (mode_needs(mode) && model->fate[at].known);
        model->fate[at].lost = model->fate[at].perhaps = model->fate[at].copy_failed = false;
    }
}

static void check_accessor(struct thread *thread, const struct hold *hold)
{
    const struct model *before = &hold->before;
    const uint32_t *memory = tw_host_accessor_const_data(hold->accessor);
    for (size_t i = 0; before->words && i < before->count; ++i) {
        const uint32_t word = memory[part_word(&hold->part, i) - hold->part.first];
        if (before->fate[i].known && word != before->words[i])
            differ(thread, "a host accessor: word %zu of %zu is %#x, not %#x", i, before->count, word,
                   before->words[i]);
    }
    atomic_fetch_add(&totals.checks, 1);
}

static void end_access(struct thread *thread, struct hold *hold)
{
    check_accessor(thread, hold);
    if (hold->count)
        write_words(hold, tw_host_accessor_data(hold->accessor));
    tw_host_accessor_release(&hold->accessor);
    model_free(&hold->before);
    *hold = (struct hold){.accessor = NULL};
}

/* Notes that commands to come wait for an accessor that is held. */
static void note_hold(const struct part *part, hold_set bit, bool writes)
{
    part->root->model.any_waits = true;
    for (size_t i = 0; i < part->words; ++i) {
        struct fate *fate = &part->root->model.fate[part_word(part, i)];
        if (writes) {
            fate->writer_waits = bit;
            fate->readers_wait = 0;
        } else {
            fate->readers_wait |= bit;
        }
    }
}

void run_host_access(struct thread *thread, const struct access_step *step)
{
    struct buffer *buffer = thread->buffer[step->buffer];
    if (!buffer || !buffer->handle)
        return;
    const tw_access_mode mode = buffer->root->kind == OVER_CONST ? TW_READ : (tw_access_mode)step->mode;
    const bool is_part = step->part && !buffer->image;
    struct hold hold = {.part = part_of(buffer, is_part ? step->part : 0), .seed = step->seed};
    struct hold *kept = step->hold == NONE ? NULL : &thread->hold[step->hold];
    hold.first = step->first % hold.part.words;
    if (kept && kept->accessor)
        kept = NULL;
    let_pass(thread, model_waits(&hold.part, mode_writes(mode)));
    if (!can_resolve_part(thread, &hold.part, mode_writes(mode)))
        return;
    const tw_status status = is_part ? tw_host_access_part(buffer->handle, part_offset(&hold.part, buffer),
                                                           part_range(&hold.part, buffer), mode, &hold.accessor)
                                     : tw_host_access(buffer->handle, mode, &hold.accessor);
    if ((status == TW_SUCCESS) != (hold.accessor != NULL))
        differ(thread, "tw_host_access: %s, and the accessor is %p", tw_status_name(status), (void *)hold.accessor);
    if (access_failed(thread, &hold.part, mode, status, "tw_host_access"))
        return;
    if (!buffer->image && !tw_range_equal(tw_host_accessor_range(hold.accessor), part_range(&hold.part, buffer)))
        differ(thread, "the host accessor has another range");
    if (mode_needs(mode))
        hold.before = snapshot_of(&hold.part);
    if (mode_writes(mode)) {
        hold.count = 1 + step->count % (hold.part.words - hold.first);
        note_writing(mode, &hold);
    }
    if (!kept) {
        end_access(thread, &hold);
        return;
    }
    *kept = hold;
    note_hold(&hold.part, HOLD_BIT(step->hold), mode_writes(mode));
}

void forget_hold(struct thread *thread, hold_set bit)
{
    for (struct buffer *buffer = thread->all; buffer; buffer = buffer->next) {
        struct model *model = &buffer->model;
        const bool any = model->any_waits;
        model->any_waits = false;
        for (size_t i = 0; any && i < model->count; ++i) {
            model->fate[i].writer_waits &= (hold_set)~bit;
            model->fate[i].readers_wait &= (hold_set)~bit;
            model->any_waits = model->any_waits || model->fate[i].writer_waits || model->fate[i].readers_wait;
        }
    }
    for (unsigned i = 0; i < QUEUES; ++i)
        thread->queue[i].waits &= (hold_set)~bit;
    for (unsigned i = 0; i < SHARED_QUEUES && thread->run->program->threads == 1; ++i)
        thread->run->queue[i].waits &= (hold_set)~bit;
    for (unsigned i = 0; i < EVENTS; ++i)
        thread->event[i].waits &= (hold_set)~bit;
    for (unsigned i = 0; i < GRAPHS; ++i)
        thread->graph[i].waits &= (hold_set)~bit;
    for (unsigned i = 0; i < CHAINS; ++i)
        thread->chain[i].waits &= (hold_set)~bit;
}

void run_host_release(struct thread *thread, unsigned slot)
{
    if (!thread->hold[slot].accessor)
        return;
    end_access(thread, &thread->hold[slot]);
    forget_hold(thread, HOLD_BIT(slot));
}

/* ---- copies that the program waits for --------------------------------------------------------------------------- */

static tw_status copy_part(const struct buffer *buffer, const struct part *part, bool is_part, bool writes,
                           uint32_t *memory)
{
    const tw_id at = part_offset(part, buffer);
    const tw_range range = part_range(part, buffer);
    if (writes)
        return is_part ? tw_buffer_write_part(buffer->handle, at, range, memory)
                       : tw_buffer_write(buffer->handle, memory);
    return is_part ? tw_buffer_read_part(buffer->handle, at, range, memory) : tw_buffer_read(buffer->handle, memory);
}

static void note_written(const struct part *part, const uint32_t *memory, tw_status status)
{
    struct model *model = &part->root->model;
    for (size_t i = 0; i < part->words; ++i) {
        struct fate *fate = &model->fate[part_word(part, i)];
        model->words[part_word(part, i)] = memory[i];
        fate->known = status == TW_SUCCESS;
        fate->lost = status != TW_SUCCESS;
        fate->perhaps = fate->copy_failed = false;
        model->any_failed = model->any_failed || fate->lost;
    }
}

static void compare_part(struct thread *thread, const struct part *part, const uint32_t *memory)
{
    struct model expected = snapshot_of(part);
    compare(thread, &expected, memory, "tw_buffer_read");
    model_free(&expected);
}

void run_host_copy(struct thread *thread, const struct access_step *step, bool writes)
{
    struct buffer *buffer = thread->buffer[step->buffer];
    if (!buffer || !buffer->handle || buffer->image)
        return;
    const struct part part = part_of(buffer, step->part);
    const char *what = writes ? "tw_buffer_write" : "tw_buffer_read";
    let_pass(thread, model_waits(&part, writes));
    if (!can_resolve_part(thread, &part, writes))
        return;
    uint32_t *memory = malloc(part.words * sizeof *memory);
    uint64_t random = step->seed;
    for (size_t i = 0; i < part.words; ++i)
        memory[i] = draw(&random);
    const tw_status status = copy_part(buffer, &part, step->part, writes, memory);
    if (writes && buffer->root->kind == OVER_CONST) {
        if (status != TW_ERROR_READ_ONLY_BUFFER)
            differ(thread, "tw_buffer_write to const memory: %s", tw_status_name(status));
    } else if (!access_failed(thread, &part, writes ? TW_DISCARD_WRITE : TW_READ, status, what)) {
        if (writes)
            note_written(&part, memory, status);
        else
            compare_part(thread, &part, memory);
    } else if (writes && status == TW_ERROR_TRANSFER_FAILED) {
        note_written(&part, memory, status);
    }
    free(memory);
}
