/* SPDX-License-Identifier: Apache-2.0 */
/* The model: contents of buffers, lost data, and which commands wait for host accessors. Knows no function of the
   library. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { CROWD_ITEMS = 1100, TILE_ITEMS = 64 };

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
    model->fate = calloc(words, sizeof *model->fate);
    return model->words && model->fate;
}

void model_free(struct model *model)
{
    free(model->words);
    free(model->fate);
    *model = (struct model){.words = NULL};
}

size_t model_compare(const struct model *model, const uint32_t *words)
{
    size_t i = 0;
    while (i < model->count && (!model->fate[i].known || words[i] == model->words[i]))
        ++i;
    return i;
}

static hold_set waits_of(const struct fate *fate, bool writes)
{
    return fate->writer_waits | (writes ? fate->readers_wait : PERHAPS(fate->readers_wait));
}

hold_set model_waits(const struct part *part, bool writes)
{
    const struct model *model = &part->root->model;
    hold_set waits = 0;
    for (size_t i = 0; model->any_waits && i < part->words; ++i)
        waits |= waits_of(&model->fate[part_word(part, i)], writes);
    return waits;
}

bool part_is_lost(const struct part *part)
{
    const struct model *model = &part->root->model;
    for (size_t i = 0; model->any_failed && i < part->words; ++i)
        if (model->fate[part_word(part, i)].lost)
            return true;
    return false;
}

bool part_may_be_lost(const struct part *part)
{
    const struct model *model = &part->root->model;
    for (size_t i = 0; model->any_failed && i < part->words; ++i) {
        const struct fate *fate = &model->fate[part_word(part, i)];
        if (fate->lost || fate->perhaps || fate->copy_failed)
            return true;
    }
    return false;
}

void part_was_found(const struct part *part)
{
    const struct model *model = &part->root->model;
    for (size_t i = 0; model->any_failed && i < part->words; ++i)
        model->fate[part_word(part, i)].perhaps = false;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Fills in what follows from the first element and the size. */
static void place(struct part *part)
{
    const struct part *whole = &part->root->part;
    const uint32_t words = part->root->words;
    part->row = part->size[2] * words;
    part->rows = part->size[1];
    part->words = part->row * part->rows * part->size[0];
    part->first = part->begin[0] * whole->plane + part->begin[1] * whole->pitch + part->begin[2] * words;
}

struct part part_of(const struct buffer *buffer, uint32_t seed)
{
    struct part part = buffer->part;
    uint64_t random = seed;
    for (unsigned d = 0; seed && d < 3; ++d) {
        const uint32_t size = part.size[d];
        if (draw_below(&random, 4) == 0)
            continue;
        const uint32_t first = draw_below(&random, size);
        part.begin[d] += first;
        part.size[d] = 1 + draw_below(&random, size - first);
    }
    if (seed)
        place(&part);
    return part;
}

bool parts_overlap(const struct part *a, const struct part *b)
{
    bool overlap = a->root == b->root;
    for (unsigned d = 0; d < 3; ++d)
        overlap = overlap && a->begin[d] < b->begin[d] + b->size[d] && b->begin[d] < a->begin[d] + a->size[d];
    return overlap;
}

struct model snapshot_of(const struct part *part)
{
    struct model copy;
    if (!model_create(&copy, part->words))
        abort();
    for (size_t i = 0; i < part->words; ++i) {
        copy.words[i] = part->root->model.words[part_word(part, i)];
        copy.fate[i].known = part->root->model.fate[part_word(part, i)].known;
    }
    return copy;
}

tw_id part_offset(const struct part *part, const struct buffer *buffer)
{
    tw_id offset = {.dims = buffer->root->range.dims};
    for (unsigned d = 0; d < offset.dims; ++d) {
        const unsigned k = 3 - offset.dims + d;
        offset.at[d] = part->begin[k] - buffer->part.begin[k];
    }
    return offset;
}

tw_range part_range(const struct part *part, const struct buffer *buffer)
{
    const uint32_t *size = part->size;
    const unsigned dims = buffer->root->range.dims;
    return dims == 1   ? tw_range_1d(size[2])
           : dims == 2 ? tw_range_2d(size[1], size[2])
                       : tw_range_3d(size[0], size[1], size[2]);
}

/* ---- what a call means ------------------------------------------------------------------------------------------- */

/* Kernels whose work-items each use the same word of `in` and of `out`, so that both may be one buffer. */
static bool allows_in_place(enum kernel_kind kernel)
{
    return kernel == MIX || kernel == OFFSET;
}

static bool uses_in(enum kernel_kind kernel)
{
    return kernel != ADD && kernel != BLOCK && kernel != FILL && kernel != COPY_FROM && !only_reads(kernel);
}

/* Steps of copy.h: they overwrite a part, or only read one. */
static bool is_step(enum kernel_kind kernel)
{
    return kernel == FILL || kernel == COPY_PART || kernel == COPY_FROM || only_reads(kernel);
}

static bool is_parts(enum kernel_kind kernel)
{
    return kernel == PARTS || kernel == HOST_TASK;
}

static bool is_whole(enum kernel_kind kernel)
{
    return kernel != MIX && kernel != OFFSET && kernel != ADD && kernel != REDUCE && kernel != PIXELS
           && !is_parts(kernel) && kernel != NOTHING;
}

static bool is_array_of_words(const struct buffer *buffer)
{
    return buffer->words == 1 && !buffer->image;
}

static bool buffers_fit(const struct call *call)
{
    const bool in_place = call->in == call->out;
    if (!call->out || !call->in)
        return false;
    if (is_parts(call->kernel) || call->kernel == MAPPED)
        return call->in2 && !call->out->image && !call->in->image && !call->in2->image;
    if (call->kernel == COPY_PART)
        return !call->out->image && !call->in->image && call->out->root->words == call->in->root->words
               && call->out->root->range.dims == call->in->root->range.dims;
    if (is_step(call->kernel))
        return !call->out->image && (call->kernel != COPY_FROM || call->out->part.words <= SERIAL_WORDS);
    if (call->out->kind == SUB || call->in->kind == SUB || (call->in2 && call->in2->kind == SUB))
        return call->kernel == NOTHING;
    if (in_place && uses_in(call->kernel) && !allows_in_place(call->kernel))
        return false;
    switch (call->kernel) {
    case MIX:
        return call->in2 && call->in2 != call->out;
    case REDUCE:
        return call->in2 && call->in2 != call->out && call->in2 != call->in && is_array_of_words(call->out)
               && is_array_of_words(call->in2) && call->in2->kind != OVER_CONST;
    case VIEWS:
        return is_array_of_words(call->out);
    case ALGORITHM:
        return is_array_of_words(call->out) && is_array_of_words(call->in);
    case BINS:
        return is_array_of_words(call->out) && call->out->model.count <= 512 && call->in->model.count <= SERIAL_WORDS;
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

/* Whether an algorithm can have its number of elements in a buffer, or put it there. */
static bool has_number(const struct call *call)
{
    return call->in2 && call->in2->words == 2 && !call->in2->image && call->in2->kind != OVER_CONST;
}

/* An element of a buffer of words. */
static struct part element_of(struct buffer *buffer, uint32_t i)
{
    const uint32_t *size = buffer->part.size;
    struct part part = {buffer, {i / size[2] / size[1], i / size[2] % size[1], i % size[2]}, {1, 1, 1}, .first = i};
    part.row = part.rows = part.words = 1;
    part.pitch = buffer->part.pitch;
    part.plane = buffer->part.plane;
    return part;
}

/* Makes the parts of a copy equally large. Returns false if they overlap. */
static bool make_copy(struct call *call)
{
    struct part *to = &call->part[0], *from = &call->part[1];
    uint64_t random = call->seed;
    for (unsigned d = 0; d < 3; ++d) {
        const uint32_t room = from->size[d], size = to->size[d] < room ? to->size[d] : room;
        from->begin[d] += draw_below(&random, room - size + 1);
        from->size[d] = to->size[d] = size;
    }
    place(to);
    place(from);
    return !parts_overlap(to, from);
}

/* Chooses the mode of `out`, and what else goes with the kernel. */
static void choose_mode(struct call *call)
{
    if (call->kernel == ADD)
        call->mode = TW_ATOMIC;
    else if (call->kernel == REDUCE)
        call->mode = TW_READ_WRITE;
    else if (call->kernel == BINS)
        call->mode = call->keep ? TW_READ_WRITE : TW_DISCARD_WRITE;
    else if (call->mode == TW_ATOMIC || call->mode == TW_READ)
        call->mode = TW_WRITE;
    if (call->kernel == PIXELS && call->mode == TW_DISCARD_READ_WRITE)
        call->mode = TW_READ_WRITE;
    if (call->kernel == PIXELS || call->kernel == ADD || call->kernel == REDUCE || call->kernel == BINS
        || call->kernel == ALGORITHM)
        call->twice = false;
    if (call->kernel == ALGORITHM)
        call->mode2 = algorithm_of(call) == SELECT_WORDS ? TW_READ_WRITE : TW_READ;
    if (call->kernel != REDUCE && call->kernel != BINS && (call->keep || call->in == call->out)
        && is_whole(call->kernel))
        call->keep = false;
    if ((call->kernel == MIX || call->kernel == OFFSET || is_parts(call->kernel)) && call->keep)
        call->mode = TW_READ_WRITE;
}

bool call_is_possible(struct call *call)
{
    if (!buffers_fit(call))
        return false;
    call->in = uses_in(call->kernel) ? call->in : NULL;
    const bool uses_in2 = call->kernel == MIX || call->kernel == REDUCE || call->kernel == MAPPED
                          || is_parts(call->kernel) || (call->kernel == ALGORITHM && has_number(call));
    call->in2 = uses_in2 ? call->in2 : NULL;
    if (call->kernel == MAPPED) {
        call->mode = call->keep ? TW_READ_WRITE : call->mode;
        return make_mapped(call);
    }
    struct buffer *buffers[] = {call->out, call->in, call->in2};
    for (int i = 0; i < 3; ++i)
        if (buffers[i])
            call->part[i] =
                part_of(buffers[i], is_parts(call->kernel) || (i == 0 && is_step(call->kernel)) ? call->seeds[i] : 0);
    if (call->kernel == COPY_PART && !make_copy(call))
        return false;
    const uint32_t words = call->part[0].words;
    call->dims = 1 + call->dims % 3;
    call->local = call->kernel == CROWD ? CROWD_ITEMS : 1 + call->local % TILE_ITEMS;
    call->first %= words;
    call->count = 1 + call->count % (words - call->first);
    if (call->kernel == REDUCE) {
        call->count %= (uint32_t)call->in2->model.count;
        call->part[0] = element_of(call->out, call->first);
        call->part[2] = element_of(call->in2, call->count);
    }
    choose_mode(call);
    if (is_step(call->kernel)) {
        call->mode = only_reads(call->kernel) ? TW_READ : TW_DISCARD_WRITE;
        call->twice = call->keep = false;
    }
    if (is_parts(call->kernel)) {
        call->twice = false;
        call->first = 0;
        call->count = words;
        if (call->in2->root->kind == OVER_CONST)
            call->mode2 = TW_READ;
    }
    call->by_function = !is_step(call->kernel) && !is_parts(call->kernel) && call->kernel != REDUCE
                        && call->kernel != BINS && call->kernel != PIXELS && call->kernel != ALGORITHM
                        && (call->seed % 2 || !has_true_default(call));
    return true;
}

/* What lies between the rows of an image is kept in every mode. */
static bool keeps_gaps(const struct call *call)
{
    return call->kernel == PIXELS && call->out->pitch_words > 4 * call->out->width && call->out->height > 1;
}

static bool is_written(const struct call *call, int i)
{
    if (i == 0)
        return !only_reads(call->kernel);
    return i == 2
           && (call->kernel == REDUCE
               || ((is_parts(call->kernel) || call->kernel == MAPPED || call->kernel == ALGORITHM)
                   && mode_writes(call->mode2)));
}

/* On one device what a mapper may leave out is kept. */
static bool keeps_rest(const struct call *call, int i)
{
    const uint32_t kind = call->kernel == MAPPED ? call->map[i].mapping.kind : UNMAPPED;
    return !call->several && ((i == 0 && call->by_function) || (kind != UNMAPPED && kind != ALL));
}

static bool is_needed(const struct call *call, int i)
{
    if (!is_written(call, i) || keeps_rest(call, i))
        return true;
    if (call->kernel == REDUCE)
        return call->keep;
    return mode_needs(i ? call->mode2 : call->mode) || (i == 0 && (call->twice || keeps_gaps(call)));
}

/* Whether a call on a queue over several devices is divided: its parts access less than its accessors are for. */
static bool is_divided(const struct call *call)
{
    return call->several && call->kernel != UPDATE && call->kernel != SINGLE && call->kernel != HOST_TASK
           && call->kernel != NOTHING && call->kernel != ALGORITHM;
}

/* Notes how the accessors of a call to one buffer add up (spec 2.5.7). */
static void note_uses(const struct call *call, const struct buffer *root, uint8_t *how)
{
    const struct buffer *buffers[] = {call->out, call->in, call->in2};
    for (int i = 0; i < 3; ++i) {
        const bool writes = is_written(call, i);
        const bool needs = is_needed(call, i), may_need = call->perhaps_one && !needs;
        const uint8_t flags = (uint8_t)((needs ? NEEDS : 0) | (writes ? WRITES : 0) | (may_need ? MAY_NEED : 0)
                                        | (writes && !needs ? DISCARDS : 0));
        const uint8_t surely = (uint8_t)((needs ? SURELY_NEEDS : 0) | (writes ? SURELY_WRITES : SURELY_READS));
        const bool is_whole = call->kernel == REDUCE || call->kernel == BINS || is_step(call->kernel);
        const bool by_mapper = is_divided(call) && (call->kernel == MAPPED || (writes && !is_whole));
        if (!buffers[i] || buffers[i]->root != root)
            continue;
        for (size_t k = 0; k < call->part[i].words; ++k)
            how[part_word(&call->part[i], k)] |= by_mapper ? flags : flags | surely;
        if (by_mapper && call->kernel == MAPPED)
            note_mapped(call, i, how, surely);
    }
    /* one part may have discarded what another one needs */
    for (size_t k = 0; is_divided(call) && k < root->model.count; ++k)
        how[k] &= how[k] & DISCARDS ? (uint8_t)~SURELY_NEEDS : 0xff;
}

/* ---- kernels, once more ------------------------------------------------------------------------------------------ */

struct word {
    uint32_t value;
    bool known;
};

static struct word get(const struct buffer *buffer, size_t i)
{
    const size_t at = i % buffer->model.count;
    return (struct word){buffer->model.words[at], buffer->model.fate[at].known};
}

static void put(struct buffer *buffer, size_t i, uint32_t value, bool known)
{
    buffer->model.words[i] = value;
    buffer->model.fate[i].known = known;
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

/* Reads `in` where both parts are the same or have nothing in common: else work-items would meet. */
bool parts_go_together(const struct part *out, const struct part *in)
{
    return !parts_overlap(out, in)
           || (memcmp(out->begin, in->begin, sizeof out->begin) == 0
               && memcmp(out->size, in->size, sizeof out->size) == 0);
}

static void apply_parts(const struct call *call)
{
    const struct part *to = &call->part[0], *from = &call->part[1];
    const bool reads = parts_go_together(to, from);
    for (size_t i = 0; i < to->words; ++i) {
        const struct word old = get(to->root, part_word(to, i));
        const struct word in = reads ? get(from->root, part_word(from, i % from->words)) : (struct word){0, true};
        put(to->root, part_word(to, i), (call->keep ? old.value * 3u : 0u) + in.value * 5u + call->seed,
            in.known && (old.known || !call->keep));
    }
}

static void apply_step(const struct call *call)
{
    const struct part *to = &call->part[0], *from = &call->part[1];
    for (uint32_t i = 0; i < to->words; ++i) {
        const struct word word = call->kernel == COPY_PART ? get(from->root, part_word(from, i))
                                 : call->kernel == FILL    ? (struct word){call->seed + i % to->root->words, true}
                                                           : (struct word){memory_word(memory_start(call) + i), true};
        put(to->root, part_word(to, i), word.value, word.known);
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
    for (size_t i = 0; i < reduced_words(call); ++i) {
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

/* What is written and not needed is undefined, unless the kernel writes it. */
static void discard(const struct call *call, struct buffer *root)
{
    struct model *model = &root->model;
    if (call->kernel == PIXELS && !mode_needs(call->mode)) {
        for (uint32_t y = 0; y < root->height; ++y)
            for (uint32_t x = 0; x < 4 * root->width; ++x)
                model->fate[(size_t)y * root->pitch_words + x].known = false;
        return;
    }
    uint8_t *how = calloc(model->count, 1);
    note_uses(call, root, how);
    for (size_t i = 0; i < model->count; ++i)
        if ((how[i] & (NEEDS | WRITES)) == WRITES)
            model->fate[i].known = false;
    free(how);
}

static void apply(const struct call *call)
{
    struct model *out = &call->out->model;
    if (call->kernel == MAPPED) {
        apply_mapped(call);
        return;
    }
    discard(call, call->out->root);
    if (is_parts(call->kernel) && call->in2->root != call->out->root)
        discard(call, call->in2->root);
    switch (call->kernel) {
    case MIX:
    case OFFSET:
        apply_elements(call);
        break;
    case PARTS:
    case HOST_TASK:
        apply_parts(call);
        break;
    case FILL:
    case COPY_PART:
    case COPY_FROM:
        apply_step(call);
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
    case BINS:
        apply_bins(call);
        break;
    case ALGORITHM:
        apply_algorithm(call);
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
    operation->excused = operation->falls_back = operation->depends_failed = false;
    operation->divided = operation->in_parts = false;
    operation->depends[0] = operation->depends[1] = NULL;
    operation->user = NULL;
    operation->link.to = NULL;
    operation->count = operation->uses = 0;
    operation->call[0] = (struct call){.fails = false}; /* a graph may be empty */
}

void operation_end(struct operation *operation)
{
    for (unsigned i = 0; i < operation->uses; ++i)
        free(operation->use[i].how);
    operation->uses = 0;
}

/* For what a command waits that uses a word so. */
static hold_set waits_of_use(const struct fate *fate, uint8_t how)
{
    const hold_set perhaps = PERHAPS(waits_of(fate, how & WRITES));
    if (how & SURELY_WRITES)
        return waits_of(fate, true);
    return how & SURELY_READS ? waits_of(fate, false) | perhaps : perhaps;
}

/* Adds what a call does with a word to what the calls before do: earlier contents are needed unless one of these has
   overwritten them. */
static uint8_t and_then(uint8_t before, uint8_t how)
{
    uint8_t needs = how & (NEEDS | SURELY_NEEDS | MAY_NEED);
    if (before & SURELY_WRITES)
        needs = 0;
    else if (before & WRITES)
        needs &= (uint8_t)~SURELY_NEEDS;
    return before | needs | (how & (uint8_t)~(NEEDS | SURELY_NEEDS | MAY_NEED));
}

/* Adds a use to those of the whole operation. */
static void add_use(struct operation *operation, const struct call *call, struct buffer *root)
{
    const struct model *model = &root->model;
    uint8_t *how = calloc(model->count, 1);
    unsigned i = 0;
    note_uses(call, root, how);
    for (size_t k = 0; model->any_waits && k < model->count; ++k)
        if (how[k])
            operation->waits |= waits_of_use(&model->fate[k], how[k]);
    while (i < operation->uses && operation->use[i].root != root)
        ++i;
    if (i == operation->uses) {
        operation->use[operation->uses++] = (struct use){root, how};
        return;
    }
    uint8_t *all = operation->use[i].how;
    for (size_t k = 0; k < model->count; ++k)
        all[k] = and_then(all[k], how[k]);
    free(how);
}

void operation_add(struct operation *operation, const struct call *call)
{
    struct buffer *roots[3] = {NULL};
    struct buffer *buffers[] = {call->out, call->in, call->in2};
    operation->call[operation->count++] = *call;
    operation->divided = is_divided(call);
    operation->in_parts = operation->divided && operation->count == 1;
    for (int i = 0; i < 3; ++i) {
        roots[i] = buffers[i] ? buffers[i]->root : NULL;
        bool seen = !roots[i];
        for (int k = 0; k < i; ++k)
            seen = seen || roots[k] == roots[i];
        if (!seen)
            add_use(operation, call, roots[i]);
    }
}

/* The parts of an operation wait by themselves: a word waits surely for what its own users wait for. */
static void note_divided(const struct operation *operation, struct fate *fate, uint8_t how)
{
    const hold_set waits = waits_of_use(fate, how) | PERHAPS(operation->waits);
    if (how & SURELY_WRITES) {
        fate->writer_waits = waits;
        fate->readers_wait = 0;
    } else if (how & WRITES) {
        fate->writer_waits |= PERHAPS(waits);
        fate->readers_wait |= how & SURELY_READS ? waits : 0;
    } else {
        fate->readers_wait |= waits;
    }
}

void operation_submitted(struct operation *operation)
{
    for (unsigned i = 0; i < operation->uses; ++i) {
        struct model *model = &operation->use[i].root->model;
        const uint8_t *how = operation->use[i].how;
        if (!operation->waits && !model->any_waits)
            continue;
        model->any_waits = true;
        for (size_t k = 0; k < model->count; ++k) {
            struct fate *fate = &model->fate[k];
            if (how[k] && operation->divided) {
                note_divided(operation, fate, how[k]);
            } else if (how[k] & WRITES) {
                fate->writer_waits = operation->waits;
                fate->readers_wait = 0;
            } else if (how[k]) {
                fate->readers_wait |= operation->waits;
            }
        }
    }
}

bool operations_meet(const struct operation *one, const struct operation *other)
{
    for (unsigned i = 0; i < one->uses; ++i)
        for (unsigned k = 0; k < other->uses; ++k) {
            const uint8_t *a = one->use[i].how, *b = other->use[k].how;
            const size_t count = one->use[i].root == other->use[k].root ? one->use[i].root->model.count : 0;
            for (size_t w = 0; w < count; ++w)
                if (a[w] && b[w] && ((a[w] | b[w]) & WRITES))
                    return true;
        }
    return false;
}

bool operation_uses(const struct operation *operation, const struct part *part, bool writes)
{
    for (unsigned i = 0; i < operation->uses; ++i) {
        const uint8_t *how = operation->use[i].how;
        for (size_t k = 0; operation->use[i].root == part->root && k < part->words; ++k)
            if (how[part_word(part, k)] & (writes ? 0xff : WRITES))
                return true;
    }
    return false;
}

/* The operation has failed as a whole. */
static void lose(const struct operation *operation, tw_status status)
{
    for (unsigned i = 0; i < operation->uses; ++i) {
        struct model *model = &operation->use[i].root->model;
        const uint8_t *how = operation->use[i].how;
        model->any_failed = true;
        for (size_t k = 0; k < model->count; ++k)
            if (how[k] & SURELY_WRITES)
                model->fate[k].lost = true;
            else if (how[k] & WRITES)
                model->fate[k].perhaps = true;
            else if (how[k] && status != TW_ERROR_LAUNCH_FAILED && status != TASK_FAILURE) /* a transfer, perhaps */
                model->fate[k].copy_failed = true;
    }
}

/* Some parts have failed: of what another part has written nothing is lost. Of what is not surely accessed, the old contents
   may be left. */
static void lose_parts(const struct operation *operation)
{
    for (unsigned i = 0; i < operation->uses; ++i) {
        struct model *model = &operation->use[i].root->model;
        const uint8_t *how = operation->use[i].how;
        model->any_failed = true;
        for (size_t k = 0; k < model->count; ++k) {
            struct fate *fate = &model->fate[k];
            fate->copy_failed = fate->copy_failed || how[k];
            fate->perhaps = fate->perhaps || (how[k] & WRITES);
            if (how[k] & WRITES)
                fate->lost = fate->lost && !(how[k] & DISCARDS); /* the part that writes it was cancelled */
        }
    }
}

static bool needs_lost(const struct operation *operation)
{
    for (unsigned i = 0; i < operation->uses; ++i) {
        const struct model *model = &operation->use[i].root->model;
        for (size_t k = 0; model->any_failed && k < model->count; ++k)
            if ((operation->use[i].how[k] & SURELY_NEEDS) && model->fate[k].lost)
                return true;
    }
    return false;
}

static bool may_need_lost(const struct operation *operation, bool or_failed)
{
    for (unsigned i = 0; i < operation->uses; ++i) {
        const struct model *model = &operation->use[i].root->model;
        for (size_t k = 0; model->any_failed && k < model->count; ++k)
            if ((operation->use[i].how[k] & (NEEDS | MAY_NEED))
                && (model->fate[k].lost || model->fate[k].perhaps || (or_failed && model->fate[k].copy_failed)))
                return true;
    }
    return false;
}

/* Whether a part may read what another part has written: on its fallback's device, from where it may not come. */
static bool may_need_own(const struct operation *operation)
{
    for (unsigned i = 0; operation->in_parts && operation->falls_back && i < operation->uses; ++i)
        for (size_t k = 0; k < operation->use[i].root->model.count; ++k) {
            const uint8_t how = operation->use[i].how[k];
            if ((how & WRITES) && ((how & SURELY_READS) || (how & (DISCARDS | NEEDS)) == (DISCARDS | NEEDS)))
                return true;
        }
    return false;
}

bool operation_may_be_cancelled(const struct operation *operation, bool copies_fail_again)
{
    return operation->excused || operation->depends_failed || may_need_lost(operation, copies_fail_again)
           || (copies_fail_again && may_need_own(operation));
}

/* A word after a success. */
static void write_word_again(const struct operation *operation, struct fate *fate, uint8_t how)
{
    if (how & SURELY_NEEDS)
        fate->perhaps = false; /* else it would have been cancelled */
    if (how & SURELY_WRITES) {
        fate->lost = fate->perhaps = fate->copy_failed = false;
    } else if ((how & WRITES) && fate->lost && (operation->count > 1 || (how & DISCARDS))) {
        fate->lost = false; /* if it was accessed */
        fate->perhaps = true;
    }
}

/* All words that the operation wrote are whole again. */
static void write_again(const struct operation *operation)
{
    for (unsigned i = 0; i < operation->uses; ++i) {
        struct model *model = &operation->use[i].root->model;
        for (size_t k = 0; model->any_failed && k < model->count; ++k)
            write_word_again(operation, &model->fate[k], operation->use[i].how[k]);
        for (size_t k = 0; operation->falls_back && k < model->count; ++k)
            if (operation->use[i].how[k])
                model->fate[k].copy_failed = model->any_failed = true;
    }
}

/* What a group that has failed leaves. */
static void fail(const struct operation *operation, tw_status status)
{
    const enum kernel_kind kernel = operation->call[0].kernel;
    if (!operation->in_parts) {
        lose(operation, status);
    } else if (kernel == REDUCE || kernel == BINS || operation->depends_failed) {
        lose(operation, TW_ERROR_TRANSFER_FAILED); /* nothing was combined, or begun */
    } else {
        lose_parts(operation);
        apply(&operation->call[0]);
    }
}

const char *operation_finish(const struct operation *operation, tw_status status, bool devices_break,
                             bool copies_fail_again)
{
    if (status == TW_ERROR_CANCELLED && !operation_may_be_cancelled(operation, copies_fail_again))
        return "it was cancelled, and nothing that it needs is lost";
    const bool has_run = (status == TW_ERROR_LAUNCH_FAILED && !devices_break) || status == TASK_FAILURE;
    if ((has_run || status == TW_SUCCESS) && operation->depends_failed)
        return "it ran, though what it depends on has failed";
    if (has_run && !operation->in_parts && needs_lost(operation))
        return "it ran and failed, though what it needs is lost";
    if (status == TW_SUCCESS && needs_lost(operation))
        return "it succeeded, though what it needs is lost";
    if (status != TW_SUCCESS) {
        fail(operation, status);
        return NULL;
    }
    write_again(operation);
    for (unsigned i = 0; i < operation->count; ++i)
        apply(&operation->call[i]);
    return NULL;
}
