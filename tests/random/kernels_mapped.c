/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that access what a mapper says (mapped.h), and the mappers of accessors. */
#include "random.h"

#include <teamwork/reduction.h>

/* As in kernels.c. */
#define WORDS(type, name)                                                                                              \
    union {                                                                                                            \
        type *name;                                                                                                    \
        const void *name##_of_any_size;                                                                                \
    }

static inline uint32_t sum_of_reads(const uint32_t *in, const struct mapped_work *work, const uint32_t id[3])
{
    const struct extent item = {{id[0], id[1], id[2]}, {1, 1, 1}};
    const struct extent box = map_box(&work->in, &work->launch, &item, work->from.dims, work->from.size);
    const uint32_t elements = volume(&box), position = position_in(&work->launch, id);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < READS && elements && work->has_in; ++i) {
        const uint32_t pick = scrambled(position, work->seed + i);
        sum += in[place_of(&work->from, &box, pick % elements) + pick % work->from.words] * (3u + i);
    }
    return sum;
}

static inline void run_item(uint32_t *out, const uint32_t *in, const struct mapped_work *work, const uint32_t id[3])
{
    const struct extent box = written_by(&work->out, &work->launch, id, work->to.dims, work->to.size);
    const uint32_t elements = volume(&box), sum = elements ? sum_of_reads(in, work, id) : 0;
    for (uint32_t i = 0; i < elements; ++i) {
        const size_t at = place_of(&work->to, &box, i);
        for (uint32_t word = 0; word < work->to.words; ++word) {
            const uint32_t old = work->keep ? out[at + word] * 3u : 0;
            out[at + word] = old + sum + work->seed + i + word;
        }
    }
}

#define ID(item, dims, d) ((d) < (dims) ? (uint32_t)tw_global_id(item, d) : 0)

struct mapped {
    WORDS(uint32_t, out);
    WORDS(const uint32_t, in);
    struct mapped_work work;
};
static inline void mapped(tw_item item, const struct mapped *k)
{
    const uint32_t dims = k->work.launch.dims, id[3] = {ID(item, dims, 0), ID(item, dims, 1), ID(item, dims, 2)};
    run_item(k->out, k->in, &k->work, id);
}
TW_RANGE_KERNEL(mapped);

struct mapped_groups {
    WORDS(uint32_t, out);
    WORDS(const uint32_t, in);
    struct mapped_work work;
};
static inline void mapped_groups(tw_nd_item item, const struct mapped_groups *k)
{
    const uint32_t dims = k->work.launch.dims, id[3] = {ID(item, dims, 0), ID(item, dims, 1), ID(item, dims, 2)};
    run_item(k->out, k->in, &k->work, id);
}
TW_ND_RANGE_KERNEL(mapped_groups);

struct mapped_tiles {
    WORDS(uint32_t, out);
    WORDS(const uint32_t, in);
    struct mapped_work work;
};
static inline void mapped_tiles(tw_group group, const struct mapped_tiles *k)
{
    tw_parallel_for_work_item(group, item) {
        const uint32_t dims = k->work.launch.dims, id[3] = {ID(item, dims, 0), ID(item, dims, 1), ID(item, dims, 2)};
        run_item(k->out, k->in, &k->work, id);
    }
}
TW_WORK_GROUP_KERNEL(mapped_tiles);

struct bins {
    WORDS(const uint32_t, in);
    TW_REDUCTION_ARRAY(uint32_t, TW_SUM) bins;
    uint32_t count, term;
};
static inline void bins(tw_nd_item item, const struct bins *k)
{
    const uint32_t word = k->in[tw_global_id(item, 0)];
    tw_combine_at(k->bins, word % k->count, word / 16u + k->term);
}
TW_ND_RANGE_REDUCTION(bins, (), bins);

/* ---- mappers ----------------------------------------------------------------------------------------------------- */

tw_range range_of(uint32_t dims, const uint32_t size[3])
{
    return dims == 1   ? tw_range_1d(size[0])
           : dims == 2 ? tw_range_2d(size[0], size[1])
                       : tw_range_3d(size[0], size[1], size[2]);
}

static tw_id id_of(uint32_t dims, const uint32_t at[3])
{
    return dims == 1 ? tw_id_1d(at[0]) : dims == 2 ? tw_id_2d(at[0], at[1]) : tw_id_3d(at[0], at[1], at[2]);
}

/* What call_mapper() is told: an accessor of a call. */
static void call_mapper(tw_id offset, tw_range range, tw_range buffer, tw_id *first, tw_range *count, void *user)
{
    const struct mapping_of_call *of = user;
    struct extent ids = {{0, 0, 0}, {1, 1, 1}};
    uint32_t size[3] = {1, 1, 1};
    for (unsigned d = 0; d < range.dims; ++d) {
        ids.first[d] = (uint32_t)offset.at[d];
        ids.count[d] = (uint32_t)range.size[d];
    }
    for (unsigned d = 0; d < buffer.dims; ++d)
        size[d] = (uint32_t)buffer.size[d];
    const struct extent box = map_box(&of->mapping, of->launch, &ids, buffer.dims, size);
    *first = id_of(buffer.dims, box.first);
    *count = range_of(buffer.dims, box.count);
}

static tw_range_mapper mapper_of(const struct mapping_of_call *of, uint32_t dims)
{
    const struct mapping *m = &of->mapping;
    switch (m->kind) {
    case ONE_TO_ONE:
        return tw_one_to_one();
    case NEIGHBORHOOD:
        if (m->before[0] == m->after[0] && m->before[1] == m->after[1] && m->before[2] == m->after[2])
            return tw_neighborhood(m->before[0], m->before[1], m->before[2]);
        return tw_neighborhood_of(id_of(3, m->before), id_of(3, m->after));
    case SLICE:
        return tw_slice(m->dim);
    case LINEAR:
        return tw_linear(m->before[0], m->after[0]);
    case ALL:
        return tw_all();
    case FIXED:
        return tw_fixed(id_of(dims, m->before), range_of(dims, m->after));
    default:
        return tw_map_by(call_mapper, (void *)(uintptr_t)of);
    }
}

/* Writes less than all elements: those with the words from `first` on up to `past`, or with whole rows where the buffer
   has several dimensions. */
static void set_elements(const struct call *call, tw_range buffer, size_t first, size_t past, tw_id *begin,
                         tw_range *count)
{
    const size_t bytes = tw_buffer_element_size(call->out->handle);
    size_t from = first * 4 / bytes, to = (past * 4 - 1) / bytes, below = 1;
    *begin = (tw_id){.dims = buffer.dims};
    *count = buffer;
    if (first >= past) {
        count->size[0] = 0;
        return;
    }
    for (unsigned d = 1; d < buffer.dims; ++d)
        below *= buffer.size[d];
    for (unsigned d = 0; d < buffer.dims; ++d) {
        begin->at[d] = from / below;
        count->size[d] = to / below - from / below + 1;
        if (count->size[d] > 1)
            return;
        from %= below;
        to %= below;
        below = d + 1 < buffer.dims ? below / buffer.size[d + 1] : 1;
    }
}

/* The mapper of `out` for kernels that count words. */
static void map_words(tw_id offset, tw_range range, tw_range buffer, tw_id *first, tw_range *count, void *user)
{
    const struct call *call = user;
    const size_t words = call->out->model.count;
    const unsigned last = range.dims - 1;
    size_t from = offset.at[last], past = from + range.size[last];
    if (call->kernel == VIEWS) {
        *first = offset;
        *count = range;
        return;
    }
    if (call->kernel == MIX || call->kernel == ADD) {
        const tw_range all = shape(call->count, call->dims);
        from = past = 0;
        for (unsigned d = 0; d < all.dims; ++d) {
            from = from * all.size[d] + offset.at[d];
            past = past * all.size[d] + offset.at[d] + range.size[d] - 1;
        }
        from += call->first;
        past += call->first + 1;
    }
    set_elements(call, buffer, from, past < words ? past : words, first, count);
}

void *access_words(tw_command_group *group, const struct call *call, tw_access_mode mode)
{
    if (call->by_function)
        return tw_access_mapped(group, call->out->handle, mode, tw_map_by(map_words, (void *)(uintptr_t)call));
    return tw_access(group, call->out->handle, mode, TW_GLOBAL);
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

static void *access_mapped(tw_command_group *group, const struct call *call, int i, tw_access_mode mode)
{
    struct buffer *const buffers[] = {call->out, call->in, call->in2};
    const struct part *part = &call->part[i];
    if (call->map[i].mapping.kind != UNMAPPED)
        return tw_access_mapped(group, buffers[i]->handle, mode,
                                mapper_of(&call->map[i], buffers[i]->root->range.dims));
    if (call->seeds[i])
        return tw_access_part(group, buffers[i]->handle, part_offset(part, buffers[i]), part_range(part, buffers[i]), mode,
                              TW_GLOBAL);
    return tw_access(group, buffers[i]->handle, mode, TW_GLOBAL);
}

static void record_mapped(tw_command_group *group, const struct call *call)
{
    const struct launch *launch = &call->work.launch;
    const tw_range items = range_of(launch->dims, launch->items), local = range_of(launch->dims, launch->local);
    const tw_id offset = id_of(launch->dims, launch->offset);
    if (call->in2 && call->seed % 2)
        (void)access_mapped(group, call, 2, call->mode2);
    uint32_t *out = access_mapped(group, call, 0, call->mode);
    const uint32_t *in = access_mapped(group, call, 1, TW_READ);
    if (call->in2 && call->seed % 2 == 0)
        (void)access_mapped(group, call, 2, call->mode2);
    if (launch->form == FORM_RANGE && call->has_offset)
        tw_parallel_for_offset(group, items, offset, mapped, .out = out, .in = in, .work = call->work);
    else if (launch->form == FORM_RANGE)
        tw_parallel_for(group, items, mapped, .out = out, .in = in, .work = call->work);
    else if (launch->form == FORM_ND_RANGE && call->has_offset)
        tw_parallel_for_nd_range(group, tw_nd_range_make_offset(items, local, offset), mapped_groups, .out = out,
                                 .in = in, .work = call->work);
    else if (launch->form == FORM_ND_RANGE)
        tw_parallel_for_nd_range(group, tw_nd_range_make(items, launch->local[0] ? local : tw_range_any()),
                                 mapped_groups, .out = out, .in = in, .work = call->work);
    else {
        uint32_t groups[3] = {1, 1, 1};
        for (unsigned d = 0; d < launch->dims; ++d)
            groups[d] = launch->items[d] / launch->local[d];
        tw_parallel_for_work_group(group, range_of(launch->dims, groups), local, mapped_tiles, .out = out, .in = in,
                                   .work = call->work);
    }
}

static void record_bins(tw_command_group *group, const struct call *call)
{
    const tw_nd_range range = tw_nd_range_make(tw_range_1d(call->in->model.count), tw_range_any());
    const uint32_t *in = call->in->words == 1 && !call->in->image && call->in->range.dims == 1 && call->seed % 2
                             ? tw_access_mapped(group, call->in->handle, TW_READ, tw_one_to_one())
                             : tw_access(group, call->in->handle, TW_READ, TW_GLOBAL);
    const uint32_t count = (uint32_t)call->out->part.words;
    if (call->keep)
        tw_parallel_for_nd_range(group, range, bins, .in = in, .bins = TW_REDUCE_ARRAY(group, call->out->handle),
                                 .count = count, .term = call->seed);
    else
        tw_parallel_for_nd_range(group, range, bins, .in = in, .bins = TW_REDUCE_ARRAY_INIT(group, call->out->handle),
                                 .count = count, .term = call->seed);
}

void record_mapped_call(tw_command_group *group, const struct call *call)
{
    if (call->kernel == BINS)
        record_bins(group, call);
    else
        record_mapped(group, call);
}
