/* SPDX-License-Identifier: Apache-2.0 */
/* The model: contents of buffers, lost data, and which commands wait for host accessors. Knows no function of the
   library. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { CROWD_ITEMS = 1100, TILE_ITEMS = 64, SERIAL_WORDS = 4096 };

bool mode_needs(tw_access_mode mode)
{
    return mode != TW_DISCARD_WRITE && mode != TW_DISCARD_READ_WRITE;
}

bool mode_writes(tw_access_mode mode)
{
    return mode != TW_READ;
}

bool model_create(struct model *model, size_t words)
{
    *model = (struct model){.count = words};
    model->words = calloc(words, sizeof *model->words);
    model->known = calloc(words, 1);
    return model->words && model->known;
}

size_t model_compare(const struct model *model, const uint32_t *words)
{
    size_t i = 0;
    while (i < model->count && (!model->known[i] || words[i] == model->words[i]))
        ++i;
    return i;
}

hold_set model_waits(const struct model *model, bool writes)
{
    return model->writer_waits | (writes ? model->readers_wait : 0);
}

/* ---- what a call means ------------------------------------------------------------------------------------------- */

/* Kernels whose work-items each use the same word of `in` and of `out`, so that both may be one buffer. */
static bool allows_in_place(enum kernel_kind kernel)
{
    return kernel == MIX || kernel == OFFSET;
}

static bool uses_in(enum kernel_kind kernel)
{
    return kernel != ADD && kernel != BLOCK;
}

static bool is_whole(enum kernel_kind kernel)
{
    return kernel != MIX && kernel != OFFSET && kernel != ADD && kernel != REDUCE && kernel != PIXELS
           && kernel != NOTHING;
}

static bool is_array_of_words(const struct buffer *buffer)
{
    return buffer->words == 1 && !buffer->image;
}

static bool buffers_fit(const struct call *call)
{
    const bool in_place = call->in == call->out;
    if (!call->out || !call->in || (in_place && uses_in(call->kernel) && !allows_in_place(call->kernel)))
        return false;
    switch (call->kernel) {
    case MIX:
        return call->in2 && call->in2 != call->out;
    case REDUCE:
        return call->in2 && call->in2 != call->out && call->in2 != call->in && is_array_of_words(call->out)
               && is_array_of_words(call->in2) && call->in2->kind != OVER_CONST;
    case VIEWS:
        return is_array_of_words(call->out);
    case PIXELS:
        return call->in->image && call->out->image;
    case MEET:
    case SINGLE:
    case CROWD:
        return call->out->model.count <= SERIAL_WORDS;
    default:
        return true;
    }
}

bool call_is_possible(struct call *call)
{
    if (!buffers_fit(call))
        return false;
    const uint32_t words = (uint32_t)call->out->model.count;
    call->in = uses_in(call->kernel) ? call->in : NULL;
    call->in2 = call->kernel == MIX || call->kernel == REDUCE ? call->in2 : NULL;
    call->dims = 1 + call->dims % 3;
    call->local = call->kernel == CROWD ? CROWD_ITEMS : 1 + call->local % TILE_ITEMS;
    call->first %= words;
    call->count = 1 + call->count % (words - call->first);
    if (call->kernel == REDUCE)
        call->count %= (uint32_t)call->in2->model.count;
    if (call->kernel == ADD)
        call->mode = TW_ATOMIC;
    else if (call->kernel == REDUCE)
        call->mode = TW_READ_WRITE;
    else if (call->mode == TW_ATOMIC || call->mode == TW_READ)
        call->mode = TW_WRITE;
    if (call->kernel == PIXELS && call->mode == TW_DISCARD_READ_WRITE)
        call->mode = TW_READ_WRITE;
    if (call->kernel == PIXELS || call->kernel == ADD || call->kernel == REDUCE)
        call->twice = false;
    if (call->kernel != REDUCE && (call->keep || call->in == call->out) && is_whole(call->kernel))
        call->keep = false;
    if ((call->kernel == MIX || call->kernel == OFFSET) && call->keep)
        call->mode = TW_READ_WRITE;
    return true;
}

static bool is_buffer_written(const struct call *call, const struct buffer *buffer)
{
    return buffer == call->out || (buffer == call->in2 && call->kernel == REDUCE);
}

/* What lies between the rows of an image is kept in every mode. */
static bool keeps_gaps(const struct call *call)
{
    return call->kernel == PIXELS && call->out->pitch_words > 4 * call->out->width && call->out->height > 1;
}

/* How the accessors of a call to one buffer add up (spec 2.5.7). */
static struct use use_of(const struct call *call, struct buffer *buffer)
{
    struct use use = {buffer, false, is_buffer_written(call, buffer)};
    if (call->kernel == REDUCE && use.writes)
        use.needs = call->keep || buffer->model.count > 1;
    else if (!use.writes || buffer == call->in)
        use.needs = true;
    else
        use.needs = mode_needs(call->mode) || call->twice || keeps_gaps(call);
    return use;
}

/* ---- kernels, once more ------------------------------------------------------------------------------------------ */

struct word {
    uint32_t value;
    bool known;
};

static struct word get(const struct buffer *buffer, size_t i)
{
    const size_t at = i % buffer->model.count;
    return (struct word){buffer->model.words[at], buffer->model.known[at]};
}

static void put(struct buffer *buffer, size_t i, uint32_t value, bool known)
{
    buffer->model.words[i] = value;
    buffer->model.known[i] = known;
}

static void apply_elements(const struct call *call)
{
    struct buffer *out = call->out;
    for (size_t i = call->first; i < call->first + call->count; ++i) {
        const struct word old = get(out, i), in = get(call->in, i);
        const struct word in2 = call->kernel == MIX ? get(call->in2, i * 7) : (struct word){0, true};
        put(out, i, (call->keep ? old.value * 3u : 0u) + in.value * 5u + in2.value + call->seed,
            in.known && in2.known && (old.known || !call->keep));
    }
}

static void apply_tiles(const struct call *call)
{
    const size_t count = call->out->model.count;
    for (size_t i = 0; i < count; ++i) {
        const size_t from = i / call->local * call->local + call->local - 1 - i % call->local;
        const struct word in = from < count ? get(call->in, from) : (struct word){0, true};
        put(call->out, i, in.value + call->seed, in.known);
    }
}

static void apply_single(const struct call *call)
{
    struct word sum = {call->seed, true};
    for (size_t i = 0; i < call->out->model.count; ++i) {
        const struct word in = get(call->in, i);
        sum = (struct word){sum.value * 31u + in.value, sum.known && in.known};
        put(call->out, i, sum.value, sum.known);
    }
}

static void apply_reduction(const struct call *call)
{
    const struct word old_sum = get(call->out, call->first), old_bits = get(call->in2, call->count);
    uint32_t sum = call->keep ? old_sum.value : 0, bits = call->keep ? old_bits.value : 0;
    bool known = true;
    for (size_t i = 0; i < call->in->model.count; ++i) {
        const struct word in = get(call->in, i);
        sum += in.value * 3u;
        bits ^= in.value;
        known = known && in.known;
    }
    put(call->out, call->first, sum, known && (old_sum.known || !call->keep));
    put(call->in2, call->count, bits, known && (old_bits.known || !call->keep));
}

static void apply_pixels(const struct call *call)
{
    const struct buffer *in = call->in;
    struct buffer *out = call->out;
    const uint32_t width = in->width < out->width ? in->width : out->width;
    const uint32_t height = in->height < out->height ? in->height : out->height;
    for (uint32_t y = 0; y < height; ++y)
        for (uint32_t x = 0; x < 4 * width; ++x) {
            const struct word word = get(in, (size_t)y * in->pitch_words + x);
            put(out, (size_t)y * out->pitch_words + x, word.value * 3u + call->seed, word.known);
        }
}

static void apply_words(const struct call *call)
{
    struct buffer *out = call->out;
    for (size_t i = 0; i < out->model.count; ++i) {
        const struct word in = call->in ? get(call->in, i) : (struct word){0, true};
        const uint32_t value = call->kernel == BLOCK   ? (uint32_t)(i % 200) * call->seed + (uint32_t)i
                               : call->kernel == CROWD ? in.value ^ call->seed
                                                       : in.value + call->seed;
        put(out, i, value, in.known);
    }
}

static void apply(const struct call *call)
{
    struct model *out = &call->out->model;
    if (call->kernel == PIXELS && !mode_needs(call->mode)) {
        for (uint32_t y = 0; y < call->out->height; ++y)
            memset(out->known + (size_t)y * call->out->pitch_words, 0, 4 * (size_t)call->out->width);
    } else if (!use_of(call, call->out).needs) {
        memset(out->known, 0, out->count);
    }
    switch (call->kernel) {
    case MIX:
    case OFFSET:
        apply_elements(call);
        break;
    case TILE:
    case MEET:
        apply_tiles(call);
        break;
    case SINGLE:
        apply_single(call);
        break;
    case ADD:
        for (size_t i = call->first; i < call->first + call->count; ++i)
            out->words[i] += call->seed;
        break;
    case REDUCE:
        apply_reduction(call);
        break;
    case PIXELS:
        apply_pixels(call);
        break;
    case BLOCK:
    case VIEWS:
    case CROWD:
        apply_words(call);
        break;
    default:
        break;
    }
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

void operation_begin(struct operation *operation)
{
    operation->next = NULL;
    operation->event = NULL;
    operation->errors = NULL;
    operation->waits = 0;
    operation->excused = operation->falls_back = false;
    operation->count = operation->uses = 0;
}

/* Adds a use to those of the whole operation: earlier contents are needed unless a call before has overwritten them. */
static void add_use(struct operation *operation, struct use use)
{
    unsigned i = 0;
    while (i < operation->uses && operation->use[i].buffer != use.buffer)
        ++i;
    if (i == operation->uses) {
        operation->use[operation->uses++] = use;
        return;
    }
    operation->use[i].needs = operation->use[i].needs || (use.needs && !operation->use[i].writes);
    operation->use[i].writes = operation->use[i].writes || use.writes;
}

void operation_add(struct operation *operation, const struct call *call)
{
    struct buffer *buffers[] = {call->out, call->in, call->in2};
    operation->call[operation->count++] = *call;
    for (int i = 0; i < 3; ++i) {
        bool seen = !buffers[i];
        for (int k = 0; k < i; ++k)
            seen = seen || buffers[k] == buffers[i];
        if (!seen)
            add_use(operation, use_of(call, buffers[i]));
    }
    for (unsigned i = 0; i < operation->uses; ++i)
        operation->waits |= model_waits(&operation->use[i].buffer->model, operation->use[i].writes);
}

void operation_submitted(struct operation *operation)
{
    for (unsigned i = 0; i < operation->uses; ++i) {
        struct model *model = &operation->use[i].buffer->model;
        if (operation->use[i].writes) {
            model->writer_waits = operation->waits;
            model->readers_wait = 0;
        } else {
            model->readers_wait |= operation->waits;
        }
    }
}

static void lose(const struct operation *operation, tw_status status)
{
    for (unsigned i = 0; i < operation->uses; ++i) {
        struct model *model = &operation->use[i].buffer->model;
        if (operation->use[i].writes)
            model->lost = true;
        else if (status != TW_ERROR_LAUNCH_FAILED) /* a transfer; maybe one of several reasons */
            model->copy_failed = true;
    }
}

static bool needs_lost(const struct operation *operation)
{
    for (unsigned i = 0; i < operation->uses; ++i)
        if (operation->use[i].needs && operation->use[i].buffer->model.lost)
            return true;
    return false;
}

bool operation_may_be_cancelled(const struct operation *operation)
{
    for (unsigned i = 0; i < operation->uses; ++i)
        if (operation->use[i].needs && operation->use[i].buffer->model.copy_failed)
            return true;
    return operation->excused || needs_lost(operation);
}

const char *operation_finish(const struct operation *operation, tw_status status, bool devices_break)
{
    if (status == TW_ERROR_CANCELLED && !operation_may_be_cancelled(operation))
        return "it was cancelled, and nothing that it needs is lost";
    if (status == TW_ERROR_LAUNCH_FAILED && needs_lost(operation) && !devices_break)
        return "it ran and failed, though what it needs is lost";
    if (status == TW_SUCCESS && needs_lost(operation))
        return "it succeeded, though what it needs is lost";
    if (status != TW_SUCCESS) {
        lose(operation, status);
        return NULL;
    }
    for (unsigned i = 0; i < operation->uses; ++i)
        if (operation->use[i].writes)
            operation->use[i].buffer->model.lost = operation->use[i].buffer->model.copy_failed = false;
    for (unsigned i = 0; i < operation->uses && operation->falls_back; ++i)
        operation->use[i].buffer->model.copy_failed = true;
    for (unsigned i = 0; i < operation->count; ++i)
        apply(&operation->call[i]);
    return NULL;
}
