/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of random programs, over arrays of 32-bit words, and recording them. oracle.c has the same in plain C. */
#include "random.h"

#include <teamwork/range_mapper.h>
#include <teamwork/reduction.h>
#include <teamwork/task.h>
#include <teamwork/usm.h>
#include <teamwork/view.h>

/* A member for the words of a buffer, whatever the size of its elements is: of a pointer that may be another one, too, the
   library does not compare that. */
#define WORDS(type, name)                                                                                              \
    union {                                                                                                            \
        type *name;                                                                                                    \
        const void *name##_of_any_size;                                                                                \
    }

struct mix {
    WORDS(uint32_t, out);
    WORDS(const uint32_t, in);
    WORDS(const uint32_t, in2);
    uint32_t first, ins, in2s, seed, keep;
};
static inline void mix(tw_item item, const struct mix *k)
{
    const size_t i = k->first + tw_global_linear_id(item);
    const uint32_t old = k->keep ? k->out[i] * 3u : 0u;
    k->out[i] = old + k->in[i % k->ins] * 5u + k->in2[i * 7u % k->in2s] + k->seed;
}
TW_RANGE_KERNEL(mix);

struct offset {
    WORDS(uint32_t, out);
    WORDS(const uint32_t, in);
    uint32_t ins, seed, keep, dims;
};
static inline void offset(tw_item item, const struct offset *k)
{
    const size_t i = tw_global_id(item, k->dims - 1);
    k->out[i] = (k->keep ? k->out[i] * 3u : 0u) + k->in[i % k->ins] * 5u + k->seed;
}
TW_RANGE_KERNEL(offset);

enum { TILE_WORDS = 64 };

struct tile {
    WORDS(uint32_t, out);
    WORDS(const uint32_t, in);
    uint32_t outs, ins, seed, dims;
};
static inline void tile(tw_group group, const struct tile *k)
{
    TW_LOCAL(uint32_t, words, [TILE_WORDS]);
    const unsigned last = k->dims - 1;
    const size_t size = tw_local_range(group, last), start = tw_group_id(group, last) * size;
    tw_parallel_for_work_item(group, item) {
        const size_t i = start + tw_local_id(item, last);
        words[tw_local_id(item, last)] = i < k->outs ? k->in[i % k->ins] : 0u;
    }
    tw_parallel_for_work_item(group, item) {
        const size_t i = start + tw_local_id(item, last);
        if (i < k->outs)
            k->out[i] = words[size - 1 - tw_local_id(item, last)] + k->seed;
    }
}
TW_WORK_GROUP_KERNEL(tile);

struct meet {
    WORDS(uint32_t, out);
    WORDS(const uint32_t, in);
    tw_local_memory words;
    uint32_t outs, ins, seed, dims;
};
static inline void meet(tw_nd_item item, const struct meet *k)
{
    uint32_t *words = tw_local_data(item, k->words);
    const unsigned last = k->dims - 1;
    const size_t size = tw_local_range(item, last), l = tw_local_id(item, last), i = tw_global_id(item, last);
    words[l] = i < k->outs ? k->in[i % k->ins] : 0u;
    tw_barrier(item, TW_LOCAL_SPACE);
    if (i < k->outs)
        k->out[i] = words[size - 1 - l] + k->seed;
}
TW_ND_RANGE_KERNEL(meet);

struct single {
    WORDS(uint32_t, out);
    WORDS(const uint32_t, in);
    uint32_t outs, ins, seed;
};
static inline void single(const struct single *k)
{
    uint32_t sum = k->seed;
    for (uint32_t i = 0; i < k->outs; ++i) {
        sum = sum * 31u + k->in[i % k->ins];
        k->out[i] = sum;
    }
}
TW_SINGLE_TASK(single);

struct add {
    WORDS(uint32_t, out);
    uint32_t first, term;
};
static inline void add(tw_item item, const struct add *k)
{
    tw_atomic_fetch_add(&k->out[k->first + tw_global_linear_id(item)], k->term);
}
TW_RANGE_KERNEL(add);

struct add_plainly {
    WORDS(uint32_t, out);
    uint32_t term;
};
static inline void add_plainly(tw_item item, const struct add_plainly *k)
{
    k->out[tw_global_id(item, 0)] += k->term;
}
TW_RANGE_KERNEL(add_plainly, 1);

struct reduce {
    WORDS(const uint32_t, in);
    TW_REDUCTION(uint32_t, TW_SUM) sum;
    TW_REDUCTION(uint32_t, TW_XOR) bits;
};
static inline void reduce(tw_item item, const struct reduce *k)
{
    const uint32_t word = k->in[tw_global_id(item, 0)];
    tw_combine(k->sum, word * 3u);
    tw_combine(k->bits, word);
}
TW_RANGE_REDUCTION(reduce, 1, sum, bits);

enum { BLOCK_WORDS = 200 };
struct block_words {
    uint32_t at[BLOCK_WORDS];
};
struct block {
    WORDS(uint32_t, out);
    struct block_words words;
};
static inline void block(tw_item item, const struct block *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->words.at[i % BLOCK_WORDS] + (uint32_t)i;
}
TW_RANGE_KERNEL(block, 1);

struct views_1 {
    TW_VIEW(uint32_t) out;
    WORDS(const uint32_t, in);
    uint32_t ins, seed;
};
static inline void views_1(tw_item item, const struct views_1 *k)
{
    const size_t i = tw_global_id(item, 0);
    tw_at(k->out, i) = k->in[i % k->ins] + k->seed;
}
TW_RANGE_KERNEL(views_1, 1);

struct views_2 {
    TW_VIEW(uint32_t) out;
    WORDS(const uint32_t, in);
    uint32_t ins, seed;
};
static inline void views_2(tw_item item, const struct views_2 *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    tw_at(k->out, i, j) = k->in[(i * tw_extent(k->out, 1) + j) % k->ins] + k->seed;
}
TW_RANGE_KERNEL(views_2, 2);

struct views_3 {
    TW_VIEW(uint32_t) out;
    WORDS(const uint32_t, in);
    uint32_t ins, seed;
};
static inline void views_3(tw_item item, const struct views_3 *k)
{
    const size_t h = tw_global_id(item, 0), i = tw_global_id(item, 1), j = tw_global_id(item, 2);
    tw_at(k->out, h, i, j) = k->in[((h * tw_extent(k->out, 1) + i) * tw_extent(k->out, 2) + j) % k->ins] + k->seed;
}
TW_RANGE_KERNEL(views_3, 3);

struct pixels {
    tw_const_image_2d in;
    tw_image_2d out;
    uint32_t seed;
};
static inline void pixels(tw_item item, const struct pixels *k)
{
    const tw_id at = tw_get_global_id(item);
    tw_write_imageui(k->out, at, tw_read_imageui(k->in, at) * 3u + k->seed);
}
TW_RANGE_KERNEL(pixels, 2);

struct crowd {
    WORDS(uint32_t, out);
    WORDS(const uint32_t, in);
    uint32_t outs, ins, seed;
};
static inline void crowd(tw_group group, const struct crowd *k)
{
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_id(item, 0);
        if (i < k->outs)
            k->out[i] = k->in[i % k->ins] ^ k->seed;
    }
}
TW_WORK_GROUP_KERNEL(crowd);

/* Where the words of a part lie, from its first one on. */
struct strides {
    uint32_t row, rows, pitch, plane, words;
};
static inline size_t stride(const struct strides *s, size_t i)
{
    const size_t row = i / s->row;
    return row / s->rows * s->plane + row % s->rows * s->pitch + i % s->row;
}

struct parts {
    WORDS(uint32_t, out);
    WORDS(const uint32_t, in);
    struct strides to, from;
    uint32_t seed, keep, reads;
};
static inline void change_part(const struct parts *k, size_t i)
{
    const size_t at = stride(&k->to, i);
    const uint32_t old = k->keep ? k->out[at] * 3u : 0u;
    k->out[at] = old + (k->reads ? k->in[stride(&k->from, i % k->from.words)] * 5u : 0u) + k->seed;
}
static inline void parts(tw_item item, const struct parts *k)
{
    change_part(k, tw_global_linear_id(item));
}
TW_RANGE_KERNEL(parts);

/* ---- recording --------------------------------------------------------------------------------------------------- */

static uint32_t words_of(const struct buffer *buffer)
{
    return (uint32_t)buffer->model.count;
}

tw_range shape(uint32_t count, unsigned dims)
{
    if (dims == 3 && count % 6 == 0)
        return tw_range_3d(2, count / 6, 3);
    if (dims == 2 && count % 2 == 0)
        return tw_range_2d(count / 2, 2);
    return tw_range_1d(count);
}

tw_range line(size_t count, unsigned dims)
{
    return dims == 1 ? tw_range_1d(count) : dims == 2 ? tw_range_2d(1, count) : tw_range_3d(1, 1, count);
}

static uint32_t *out_of(tw_command_group *group, const struct call *call)
{
    if (call->twice)
        (void)tw_read(group, call->out->handle);
    return access_words(group, call, call->mode);
}

static const uint32_t *in_of(tw_command_group *group, const struct call *call)
{
    return tw_access(group, call->in->handle, TW_READ, call->constant ? TW_CONSTANT : TW_GLOBAL);
}

static void record_offset(tw_command_group *group, const struct call *call)
{
    const uint32_t first = call->first;
    const tw_id at = call->dims == 1 ? tw_id_1d(first) : call->dims == 2 ? tw_id_2d(5, first) : tw_id_3d(7, 1, first);
    tw_parallel_for_offset(group, line(call->count, call->dims), at, offset, .out = out_of(group, call),
                           .in = in_of(group, call), .ins = words_of(call->in), .seed = call->seed, .keep = call->keep,
                           .dims = call->dims);
}

static void record_reduce(tw_command_group *group, const struct call *call)
{
    const tw_range range = tw_range_1d(reduced_words(call));
    if (call->keep)
        tw_parallel_for(group, range, reduce, .in = in_of(group, call),
                        .sum = TW_REDUCE_AT(group, call->out->handle, call->first),
                        .bits = TW_REDUCE_AT(group, call->in2->handle, call->count));
    else
        tw_parallel_for(group, range, reduce, .in = in_of(group, call),
                        .sum = TW_REDUCE_INIT_AT(group, call->out->handle, call->first),
                        .bits = TW_REDUCE_INIT_AT(group, call->in2->handle, call->count));
}

static void record_block(tw_command_group *group, const struct call *call)
{
    struct block_words words;
    for (uint32_t i = 0; i < BLOCK_WORDS; ++i)
        words.at[i] = i * call->seed;
    tw_parallel_for(group, tw_range_1d(words_of(call->out)), block, .out = out_of(group, call), .words = words);
}

/* A view of the buffer that is accessed in the call's mode. */
#define OUT_VIEW                                                                                                       \
    {                                                                                                                  \
        .data = out_of(group, call),                                                                                   \
        .range = {range.size[0], range.size[1], range.size[2]},                                                        \
    }
static void record_views(tw_command_group *group, const struct call *call)
{
    const tw_range range = call->out->range;
    const uint32_t ins = words_of(call->in);
#ifndef TW_DEBUG_BOUNDS
    if (range.dims == 1)
        tw_parallel_for(group, range, views_1, .out = OUT_VIEW, .in = in_of(group, call), .ins = ins,
                        .seed = call->seed);
    else if (range.dims == 2)
        tw_parallel_for(group, range, views_2, .out = OUT_VIEW, .in = in_of(group, call), .ins = ins,
                        .seed = call->seed);
    else
        tw_parallel_for(group, range, views_3, .out = OUT_VIEW, .in = in_of(group, call), .ins = ins,
                        .seed = call->seed);
#endif
}

static void record_pixels(tw_command_group *group, const struct call *call)
{
    const tw_image *in = call->in->image, *out = call->out->image;
    const tw_range a = tw_image_range(in), b = tw_image_range(out);
    const tw_range both =
        tw_range_2d(a.size[0] < b.size[0] ? a.size[0] : b.size[0], a.size[1] < b.size[1] ? a.size[1] : b.size[1]);
    tw_image_2d to;
    switch (call->mode) {
    case TW_READ_WRITE:
        to = tw_read_write_image_2d(group, call->out->image);
        break;
    case TW_DISCARD_WRITE:
        to = tw_discard_write_image_2d(group, call->out->image);
        break;
    default:
        to = tw_write_image_2d(group, call->out->image);
    }
    tw_parallel_for(group, both, pixels, .in = tw_read_image_2d(group, call->in->image), .out = to, .seed = call->seed);
}

static void *access_part(tw_command_group *group, struct buffer *buffer, const struct part *part, tw_access_mode mode,
                         tw_access_target target)
{
    return tw_access_part(group, buffer->handle, part_offset(part, buffer), part_range(part, buffer), mode, target);
}

static struct strides strides_of(const struct part *part)
{
    return (struct strides){part->row, part->rows, part->pitch, part->plane, part->words};
}

struct task {
    struct parts parts;
    bool fails;
};
static tw_status host_task(const void *block)
{
    const struct task *task = block;
    if (task->fails)
        return tw_task_fail(TASK_FAILURE, "the task was asked to fail");
    for (size_t i = 0; i < task->parts.to.words; ++i)
        change_part(&task->parts, i);
    return TW_SUCCESS;
}

static void record_parts(tw_command_group *group, const struct call *call)
{
    const tw_access_target target = call->kernel == HOST_TASK ? TW_HOST : TW_GLOBAL;
    if (call->seed % 2)
        (void)access_part(group, call->in2, &call->part[2], call->mode2, target);
    uint32_t *out = access_part(group, call->out, &call->part[0], call->mode, target);
    const uint32_t *in = access_part(group, call->in, &call->part[1], TW_READ, target);
    if (call->seed % 2 == 0)
        (void)access_part(group, call->in2, &call->part[2], call->mode2, target);
    if (call->kernel == HOST_TASK) {
        const struct task task = {{{out},
                                   {in},
                                   strides_of(&call->part[0]),
                                   strides_of(&call->part[1]),
                                   call->seed,
                                   call->keep,
                                   parts_go_together(&call->part[0], &call->part[1])},
                                  call->fails};
        tw_host_task(group, host_task, &task, sizeof task);
        return;
    }
    tw_parallel_for(group, shape(call->count, call->dims), parts, .out = out, .in = in,
                    .to = strides_of(&call->part[0]), .from = strides_of(&call->part[1]), .seed = call->seed,
                    .keep = call->keep, .reads = parts_go_together(&call->part[0], &call->part[1]));
}

static uint32_t memory[MEMORY_WORDS];

void make_memory(void)
{
    for (uint32_t i = 0; i < MEMORY_WORDS; ++i)
        memory[i] = memory_word(i);
}

/* Records a step, of all of a buffer or of a part. */
static void record_step(tw_command_group *group, const struct call *call)
{
    tw_buffer *out = call->out->handle;
    const tw_id at = part_offset(&call->part[0], call->out);
    const tw_range range = part_range(&call->part[0], call->out);
    const uint32_t value[] = {call->seed, call->seed + 1, call->seed + 2};
    const uint32_t *from = &memory[memory_start(call)];
    if (call->kernel == COPY_PART)
        tw_copy_part(group, call->in->handle, part_offset(&call->part[1], call->in), out, at, range);
    else if (call->kernel == FILL && call->seeds[0])
        tw_fill_part(group, out, at, range, value);
    else if (call->kernel == FILL)
        tw_fill(group, out, value);
    else if (call->seeds[0])
        tw_copy_from_part(group, out, at, range, from);
    else
        tw_copy_from(group, out, from);
}

static void record_reading_step(tw_command_group *group, const struct call *call)
{
    tw_buffer *buffer = call->out->handle;
    const tw_id at = part_offset(&call->part[0], call->out);
    const tw_range range = part_range(&call->part[0], call->out);
    if (call->kernel == COPY_TO && call->seeds[0])
        tw_copy_to_part(group, buffer, at, range, call->memory);
    else if (call->kernel == COPY_TO)
        tw_copy_to(group, buffer, call->memory);
    else if (call->kernel == UPDATE && call->seeds[0])
        tw_update_host_part(group, buffer, at, range);
    else if (call->kernel == UPDATE)
        tw_update_host(group, buffer);
    else if (call->seeds[0])
        tw_prefetch_part(group, buffer, at, range);
    else
        tw_prefetch(group, buffer);
}

/* Groups of so many work-items, for all words of `out`. */
static size_t groups_for(const struct call *call)
{
    return (call->out->model.count + call->local - 1) / call->local;
}

/* What is recorded by a function of its own, and what has no kernel. */
static void record_other(tw_command_group *group, const struct call *call)
{
    switch (call->kernel) {
    case BLOCK:
        record_block(group, call);
        break;
    case VIEWS:
        record_views(group, call);
        break;
    case PARTS:
    case HOST_TASK:
        record_parts(group, call);
        break;
    case FILL:
    case COPY_PART:
    case COPY_FROM:
        record_step(group, call);
        break;
    case COPY_TO:
    case UPDATE:
    case PREFETCH:
        record_reading_step(group, call);
        break;
    case PIXELS:
        record_pixels(group, call);
        break;
    default: /* NOTHING */
        (void)out_of(group, call);
        (void)in_of(group, call);
    }
}

static void record_depends(tw_command_group *group, const struct call *call)
{
    if (call->seed % 3)
        tw_depends_on_all(group, call->depends, 2);
    else if (call->depends[0])
        tw_depends_on(group, call->depends[0]);
    if (call->seed % 3 == 0)
        tw_depends_on(group, call->depends[1]); /* NULL has happened */
}

void record_call(tw_command_group *group, const struct call *call)
{
    if (call->depends[0] || call->depends[1])
        record_depends(group, call);
    switch (call->kernel) {
    case MIX:
        tw_parallel_for(group, shape(call->count, call->dims), mix, .out = out_of(group, call),
                        .in = in_of(group, call), .in2 = tw_read(group, call->in2->handle), .first = call->first,
                        .ins = words_of(call->in), .in2s = words_of(call->in2), .seed = call->seed, .keep = call->keep);
        break;
    case OFFSET:
        record_offset(group, call);
        break;
    case TILE:
        tw_parallel_for_work_group(group, line(groups_for(call), call->dims), line(call->local, call->dims), tile,
                                   .out = out_of(group, call), .in = in_of(group, call), .outs = words_of(call->out),
                                   .ins = words_of(call->in), .seed = call->seed, .dims = call->dims);
        break;
    case MEET:
        tw_parallel_for_nd_range(
            group, tw_nd_range_make(line(groups_for(call) * call->local, call->dims), line(call->local, call->dims)),
            meet, .out = out_of(group, call), .in = in_of(group, call),
            .words = tw_local(group, call->local * sizeof(uint32_t)), .outs = words_of(call->out),
            .ins = words_of(call->in), .seed = call->seed, .dims = call->dims);
        break;
    case SINGLE:
        tw_single_task(group, single, .out = out_of(group, call), .in = in_of(group, call), .outs = words_of(call->out),
                       .ins = words_of(call->in), .seed = call->seed);
        break;
    case ADD:
        tw_parallel_for(group, shape(call->count, call->dims), add, .out = access_words(group, call, TW_ATOMIC),
                        .first = call->first, .term = call->seed);
        break;
    case REDUCE:
        record_reduce(group, call);
        break;
    case MAPPED:
    case BINS:
        record_mapped_call(group, call);
        break;
    case ALGORITHM:
        record_algorithm(group, call);
        break;
    case CROWD:
        tw_parallel_for_work_group(group, tw_range_1d(groups_for(call)), tw_range_1d(call->local), crowd,
                                   .out = out_of(group, call), .in = in_of(group, call), .outs = words_of(call->out),
                                   .ins = words_of(call->in), .seed = call->seed);
        break;
    default:
        record_other(group, call);
    }
}

struct tally {
    uint32_t *cell;
    uint32_t term;
};
static inline void tally(const struct tally *k)
{
    *k->cell += k->term;
}
TW_SINGLE_TASK(tally);

struct link_words {
    uint32_t *to;
    const uint32_t *from;
    uint32_t term, joins;
};
static inline void link_words(const struct link_words *k)
{
    *k->to = linked(k->joins ? LINK_JOIN : LINK_KERNEL, *k->to, k->joins ? *k->from : 0, k->term);
}
TW_SINGLE_TASK(link_words);

static tw_status link_task(const void *block)
{
    link_words(block);
    return TW_SUCCESS;
}

void record_link(tw_command_group *group, const struct link *link)
{
    const struct link_words block = {link->to->cell, link->from ? link->from->cell : link->to->cell, link->term,
                                     link->kind == LINK_JOIN};
    if (link->kind == LINK_COPY)
        tw_memcpy(group, block.to, block.from, sizeof *block.to);
    else if (link->kind == LINK_TASK)
        tw_host_task(group, link_task, &block, sizeof block);
    else
        tw_single_task(group, link_words, .to = block.to, .from = block.from, .term = block.term, .joins = block.joins);
}

void record_tally(tw_command_group *group, uint32_t *cell, uint32_t term)
{
    tw_single_task(group, tally, .cell = cell, .term = term);
}

void record_count(tw_command_group *group, tw_buffer *counter, uint32_t term, bool atomically)
{
    const tw_range range = tw_range_1d(COUNTER_WORDS);
    if (atomically)
        tw_parallel_for(group, range, add, .out = tw_atomic_mapped(group, counter, tw_one_to_one()), .term = term);
    else
        tw_parallel_for(group, range, add_plainly, .out = tw_read_write(group, counter), .term = term);
}
