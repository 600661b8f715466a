/* SPDX-License-Identifier: Apache-2.0 */
/* The model of what mappers say: MAPPED and BINS, and what becomes of groups on queues over several devices. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

/* ---- making calls ------------------------------------------------------------------------------------------------ */

static struct place place_in(const struct part *part)
{
    const uint32_t words = part->root->words, dims = part->root->range.dims,
                   steps[3] = {part->plane, part->pitch, words};
    struct place place = {dims, words, {1, 1, 1}, {0, 0, 0}};
    for (uint32_t d = 0; d < dims; ++d) {
        place.size[d] = part->size[3 - dims + d];
        place.step[d] = steps[3 - dims + d];
    }
    return place;
}

static struct mapping make_mapping(uint64_t random, const struct place *place)
{
    static const uint8_t kinds[] = {UNMAPPED, ONE_TO_ONE, ONE_TO_ONE, ONE_TO_ONE, NEIGHBORHOOD, NEIGHBORHOOD, SLICE,
                                    LINEAR,   LINEAR,     ALL,        FIXED,      REVERSED,     SCALED,       UPTO};
    struct mapping m = {.kind = kinds[draw_below(&random, sizeof kinds)]};
    const bool one_sided = draw_below(&random, 3) == 0;
    m.dim = draw_below(&random, place->dims);
    if (m.kind == LINEAR && place->dims != 1)
        m.kind = ONE_TO_ONE;
    for (uint32_t d = 0; d < place->dims; ++d) {
        const uint32_t size = place->size[d], first = draw_below(&random, size), most = 4;
        const uint32_t radius = draw_below(&random, 2) ? 0 : draw_below(&random, most);
        if (m.kind == NEIGHBORHOOD || m.kind == LINEAR) {
            m.before[d] = radius;
            m.after[d] = one_sided ? draw_below(&random, most) : radius;
        } else if (m.kind == FIXED) {
            m.before[d] = first;
            m.after[d] = 1 + draw_below(&random, size - first);
        } else if (m.kind == UPTO && d == 0) {
            m.after[d] = 1 + first;
        }
    }
    return m;
}

/* Chooses the work-items, most of the time those of what is written. */
static void make_launch(struct call *call, const struct place *to)
{
    struct launch *launch = &call->work.launch;
    uint64_t random = call->local;
    *launch = (struct launch){draw_below(&random, FORMS), to->dims, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    if (draw_below(&random, 5) == 0)
        launch->dims = 1 + draw_below(&random, 3);
    const bool any_size = launch->form == FORM_ND_RANGE && draw_below(&random, 3) == 0;
    call->has_offset = launch->form != FORM_HIERARCHICAL && !any_size && draw_below(&random, 4) == 0;
    for (uint32_t d = 0; d < launch->dims; ++d) {
        const uint32_t size = d < to->dims ? to->size[d] : 1 + draw_below(&random, 3), which = draw_below(&random, 8);
        launch->items[d] = which == 0   ? 1 + draw_below(&random, size)
                           : which == 1 ? size + draw_below(&random, 3)
                                        : size;
        launch->offset[d] = call->has_offset ? draw_below(&random, 1 + size / 2) : 0;
        launch->local[d] = any_size ? 0 : 1 + draw_below(&random, launch->dims == 1 ? 32 : 4);
        if (launch->form != FORM_RANGE && launch->local[d])
            launch->items[d] = (launch->items[d] + launch->local[d] - 1) / launch->local[d] * launch->local[d];
    }
}

/* Returns the work-items of a launch in a dimension, less those that were added for whole groups. */
static bool is_range_of(const struct launch *launch, const struct place *place)
{
    bool equal = launch->dims == place->dims;
    for (uint32_t d = 0; d < launch->dims && equal; ++d) {
        const uint32_t unit = launch->form == FORM_RANGE || !launch->local[d] ? 1 : launch->local[d];
        equal = !launch->offset[d] && place->size[d] <= launch->items[d] && launch->items[d] - place->size[d] < unit;
    }
    return equal;
}

static uint32_t items_of(const struct launch *launch)
{
    return launch->items[0] * launch->items[1] * launch->items[2];
}

/* Makes a mapping explicit, as range_mapper.h says. Returns false if that cannot be done on several devices. */
static bool resolve_mapping(struct mapping *m, const struct launch *launch, const struct place *place)
{
    if (m->kind != UNMAPPED)
        return true;
    m->kind = ONE_TO_ONE;
    if (is_range_of(launch, place))
        return true;
    if (place->dims == 1 && place->size[0] == items_of(launch)) {
        *m = (struct mapping){.kind = LINEAR};
        return true;
    }
    return false;
}

static struct mapped_work *make_work(struct call *call)
{
    struct mapped_work *work = &call->work;
    struct buffer *const buffers[] = {call->out, call->in, call->in2};
    for (int i = 0; i < 3; ++i) {
        const struct place whole = place_in(&buffers[i]->part);
        call->map[i].mapping = make_mapping(call->map_seed[i], &whole);
        call->map[i].launch = &work->launch;
        call->part[i] = part_of(buffers[i], call->map[i].mapping.kind == UNMAPPED ? call->seeds[i] : 0);
    }
    work->to = place_in(&call->part[0]);
    work->from = place_in(&call->part[1]);
    make_launch(call, &work->to);
    work->out = call->map[0].mapping;
    work->in = call->map[1].mapping;
    call->unresolved = !resolve_mapping(&work->out, &work->launch, &work->to);
    return work;
}

bool make_mapped(struct call *call)
{
    struct mapped_work *work = make_work(call);
    const bool overlap = parts_overlap(&call->part[0], &call->part[1]);
    const bool in_place = overlap && call->in == call->out && work->in.kind == ONE_TO_ONE
                          && work->out.kind == ONE_TO_ONE
                          && memcmp(call->part[0].begin, call->part[1].begin, sizeof call->part[0].begin) == 0
                          && memcmp(call->part[0].size, call->part[1].size, sizeof call->part[0].size) == 0;
    work->has_in = !overlap || in_place; /* else work-items would meet */
    work->seed = call->seed;
    work->keep = call->keep;
    call->twice = false;
    if (call->in2->root->kind == OVER_CONST)
        call->mode2 = TW_READ;
    /* what the kernel reads must not be discarded by another part */
    if (!mode_needs(call->mode2) && parts_overlap(&call->part[2], &call->part[1]))
        call->mode2 = TW_WRITE;
    if (mode_writes(call->mode2)) {
        struct mapping own = call->map[2].mapping;
        const struct place place = place_in(&call->part[2]);
        call->unresolved = !resolve_mapping(&own, &work->launch, &place) || call->unresolved;
    }
    return items_of(&work->launch) <= 70000;
}

/* ---- uses -------------------------------------------------------------------------------------------------------- */

static struct extent all_items(const struct launch *launch)
{
    struct extent all = {{0, 0, 0}, {1, 1, 1}};
    for (uint32_t d = 0; d < launch->dims; ++d) {
        all.first[d] = launch->offset[d];
        all.count[d] = launch->items[d];
    }
    return all;
}

void note_mapped(const struct call *call, int i, uint8_t *how, uint8_t surely)
{
    struct mapping m = call->map[i].mapping;
    const struct place place = place_in(&call->part[i]);
    const struct extent all = all_items(&call->work.launch);
    if (i == 0 || (i == 2 && mode_writes(call->mode2)))
        (void)resolve_mapping(&m, &call->work.launch, &place);
    const struct extent box = map_box(&m, &call->work.launch, &all, place.dims, place.size);
    for (uint32_t k = 0; k < volume(&box); ++k)
        for (uint32_t word = 0; word < place.words; ++word)
            how[call->part[i].first + place_of(&place, &box, k) + word] |= surely;
}

/* ---- what the kernels do ----------------------------------------------------------------------------------------- */

static bool read_item(const struct call *call, const struct model *old, const uint32_t id[3], uint32_t *sum)
{
    const struct mapped_work *work = &call->work;
    const struct extent item = {{id[0], id[1], id[2]}, {1, 1, 1}};
    const struct extent box = map_box(&work->in, &work->launch, &item, work->from.dims, work->from.size);
    const uint32_t elements = volume(&box), position = position_in(&work->launch, id);
    bool known = true;
    for (uint32_t i = 0; i < READS && elements && work->has_in; ++i) {
        const uint32_t pick = scrambled(position, work->seed + i);
        const size_t at = call->part[1].first + place_of(&work->from, &box, pick % elements) + pick % work->from.words;
        *sum += old->words[at] * (3u + i);
        known = known && old->fate[at].known;
    }
    return known;
}

static void write_item(const struct call *call, const struct model *old, const uint32_t id[3], uint8_t *written)
{
    const struct mapped_work *work = &call->work;
    struct model *model = &call->out->root->model;
    const struct extent box = written_by(&work->out, &work->launch, id, work->to.dims, work->to.size);
    uint32_t sum = 0;
    const bool known = !volume(&box) || read_item(call, old, id, &sum);
    for (uint32_t i = 0; i < volume(&box); ++i)
        for (uint32_t word = 0; word < work->to.words; ++word) {
            const size_t at = call->part[0].first + place_of(&work->to, &box, i) + word;
            const uint32_t before = work->keep ? model->words[at] * 3u : 0;
            model->words[at] = before + sum + work->seed + i + word;
            model->fate[at].known = known && (!work->keep || model->fate[at].known);
            written[at] = true;
        }
}

static void discard_part(const struct part *part, const uint8_t *written)
{
    for (size_t i = 0; i < part->words; ++i) {
        const size_t at = part_word(part, i);
        if (!written || !written[at])
            part->root->model.fate[at].known = false;
    }
}

static struct model copy_of_model(const struct model *model)
{
    struct model copy;
    if (!model_create(&copy, model->count))
        abort();
    memcpy(copy.words, model->words, model->count * sizeof *copy.words);
    memcpy(copy.fate, model->fate, model->count * sizeof *copy.fate);
    return copy;
}

void apply_mapped(const struct call *call)
{
    const struct launch *launch = &call->work.launch;
    struct buffer *root = call->out->root;
    struct model old = copy_of_model(&call->in->root->model);
    uint8_t *written = calloc(root->model.count, 1);
    for (uint32_t n = 0; n < items_of(launch); ++n) {
        const uint32_t id[3] = {launch->offset[0] + n / launch->items[2] / launch->items[1],
                                launch->offset[1] + n / launch->items[2] % launch->items[1],
                                launch->offset[2] + n % launch->items[2]};
        write_item(call, &old, id, written);
    }
    /* which of the rest a part on a device discards is not said */
    if (!mode_needs(call->mode))
        discard_part(&call->part[0], written);
    if (!mode_needs(call->mode2))
        discard_part(&call->part[2], call->in2->root == root ? written : NULL);
    free(written);
    model_free(&old);
}

void apply_bins(const struct call *call)
{
    const struct model *in = &call->in->model;
    struct model *out = &call->out->model;
    bool known = true;
    for (size_t i = 0; i < in->count; ++i)
        known = known && in->fate[i].known;
    for (size_t i = 0; i < out->count; ++i) {
        out->words[i] = call->keep ? out->words[i] : 0;
        out->fate[i].known = known && (out->fate[i].known || !call->keep);
    }
    for (size_t i = 0; i < in->count && out->count; ++i)
        out->words[in->words[i] % out->count] += in->words[i] / 16u + call->seed;
}

/* ---- what several devices refuse --------------------------------------------------------------------------------- */

/* Returns true if any boxes of work-items write different elements by a mapping. */
static bool is_disjoint(const struct mapping *m, const struct launch *launch, uint32_t dims)
{
    uint32_t long_dims = 0;
    bool separate = true;
    for (uint32_t d = 0; d < launch->dims; ++d)
        if (launch->items[d] > 1) {
            ++long_dims;
            separate = separate && is_separate(m, d, dims);
        }
    return separate && (m->kind != LINEAR || long_dims < 2);
}

static enum verdict verdict_of_mapped(const struct call *call)
{
    const struct mapped_work *work = &call->work;
    if (call->mode2 == TW_ATOMIC && call->map[2].mapping.kind == UNMAPPED)
        return REFUSED;   /* it has to say that no element is one of several devices */
    if (call->unresolved) /* where the library chooses groups, the launch may be that of the buffer in whole groups */
        return work->launch.local[0] ? REFUSED : PERHAPS_REFUSED;
    if (!is_disjoint(&work->out, &work->launch, work->to.dims))
        return PERHAPS_REFUSED;
    if (!mode_writes(call->mode2))
        return TAKEN;
    struct mapping m = call->map[2].mapping;
    const struct place place = place_in(&call->part[2]);
    (void)resolve_mapping(&m, &work->launch, &place);
    return is_disjoint(&m, &work->launch, place.dims) && !parts_overlap(&call->part[0], &call->part[2])
               ? TAKEN
               : PERHAPS_REFUSED;
}

static struct launch launch_of(tw_range range, uint32_t unit)
{
    struct launch launch = {FORM_HIERARCHICAL, range.dims, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    for (uint32_t d = 0; d < range.dims; ++d)
        launch.items[d] = (uint32_t)range.size[d];
    launch.local[range.dims - 1] = unit;
    return launch;
}

/* A launch of a kernel that counts words, on whole buffers. */
static struct launch launch_of_words(const struct call *call)
{
    const uint32_t groups = (uint32_t)(call->out->model.count + call->local - 1) / call->local;
    struct launch launch;
    switch (call->kernel) {
    case OFFSET:
        launch = launch_of(line(call->count, call->dims), 1);
        launch.offset[0] = call->dims == 1 ? call->first : 5;
        return launch;
    case TILE:
    case MEET:
        return launch_of(line((size_t)groups * call->local, call->dims), call->local);
    case CROWD:
        return launch_of(tw_range_1d((size_t)groups * call->local), call->local);
    case VIEWS:
        return launch_of(call->out->range, 1);
    case BLOCK:
        return launch_of(tw_range_1d(call->out->model.count), 1);
    default:
        return launch_of(shape(call->count, call->dims), 1);
    }
}

static enum verdict verdict_of_default(const struct launch *launch, const struct part *part)
{
    struct mapping m = {.kind = UNMAPPED};
    const struct place place = place_in(part);
    if (!resolve_mapping(&m, launch, &place))
        return REFUSED;
    return is_disjoint(&m, launch, place.dims) ? TAKEN : PERHAPS_REFUSED;
}

static enum verdict verdict_of_words(const struct call *call)
{
    const struct launch launch = launch_of_words(call);
    if (!call->by_function)
        return call->kernel == ADD ? REFUSED : verdict_of_default(&launch, &call->out->part);
    const bool is_row = launch.dims == 1 || (call->kernel != MIX && call->kernel != ADD);
    const bool is_plain = call->out->words == 1 && !call->out->image && call->out->range.dims == 1;
    return (is_plain && is_row) || call->kernel == VIEWS ? TAKEN : PERHAPS_REFUSED;
}

static enum verdict verdict_of_parts(const struct call *call)
{
    const struct launch launch = launch_of(shape(call->count, call->dims), 1);
    const enum verdict out = verdict_of_default(&launch, &call->part[0]);
    const enum verdict in2 = mode_writes(call->mode2) ? verdict_of_default(&launch, &call->part[2]) : TAKEN;
    if (out == REFUSED || in2 == REFUSED || call->mode2 == TW_ATOMIC)
        return REFUSED;
    if (mode_writes(call->mode2) && parts_overlap(&call->part[0], &call->part[2]))
        return PERHAPS_REFUSED;
    return out == TAKEN ? in2 : out;
}

enum verdict verdict_on_several(const struct call *call)
{
    switch (call->kernel) {
    case MAPPED:
        return verdict_of_mapped(call);
    case PARTS:
        return verdict_of_parts(call);
    case MIX:
    case OFFSET:
    case TILE:
    case MEET:
    case ADD:
    case BLOCK:
    case VIEWS:
    case CROWD:
        return verdict_of_words(call);
    case PIXELS: /* an image's buffer has the range of its memory */
        return PERHAPS_REFUSED;
    default:
        return TAKEN;
    }
}

bool has_true_default(const struct call *call)
{
    return call->out->words == 1 && !call->out->image
           && (call->first == 0 || call->kernel == TILE || call->kernel == MEET || call->kernel == CROWD
               || call->kernel == VIEWS);
}
