/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of buffers: what an accessor of a part costs, a grid that is computed in parts, copies and fills as groups, and
 * a stream of chunks through a buffer that has room for a few of them. Also which sizes are measured, on all sides.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/bench_teamwork.h"
#include "micro.h"

#define MEBI ((size_t)1 << 20)

/* ---- an accessor of a part ------------------------------------------------------------------------------------- */

enum { COUNTERS = 16, COUNTER = 5 /* the one that is counted up */ };

struct bump_part {
    unsigned *x;
};
static inline void bump_part(const struct bump_part *k)
{
    ++*k->x;
}
TW_SINGLE_TASK(bump_part);

struct counters {
    tw_buffer *buffer;
    size_t expected;
};

static bool open_counters(struct micro_job *job)
{
    static const unsigned zeros[COUNTERS];
    struct counters *c = calloc(1, sizeof *c);
    job->state = c;
    return c && bench_passed(tw_buffer_create_copy(zeros, sizeof zeros[0], tw_range_1d(COUNTERS), &c->buffer));
}

static bool close_counters(struct micro_job *job)
{
    unsigned values[COUNTERS] = {0};
    struct counters *c = job->state;
    if (!c)
        return false;
    bool right = c->buffer && bench_passed(tw_buffer_read(c->buffer, values)) && values[COUNTER] == c->expected;
    if (!right)
        fprintf(stderr, "the kernels counted to %u instead of %zu\n", values[COUNTER], c->expected);
    right = bench_passed(tw_buffer_destroy(&c->buffer)) && right;
    free(c);
    return right;
}

static bool submit_whole(struct counters *c)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    unsigned *x = tw_read_write(cg, c->buffer);
    tw_single_task(cg, bump_part, .x = x + COUNTER);
    ++c->expected;
    return tw_queue_submit(bench_queue(), cg, NULL) == TW_SUCCESS;
}

static bool submit_part(struct counters *c)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_single_task(cg, bump_part, .x = tw_read_write_part(cg, c->buffer, tw_id_1d(COUNTER), tw_range_1d(1)));
    ++c->expected;
    return tw_queue_submit(bench_queue(), cg, NULL) == TW_SUCCESS;
}

static bool take_groups(const struct micro_job *job, bool (*submit)(struct counters *c), bool wait_each, double *value)
{
    bool done = true;
    const double start = bench_now();
    for (size_t i = 0; i < job->count; ++i) {
        done = submit(job->state) && done;
        if (wait_each)
            done = tw_queue_wait(bench_queue()) == TW_SUCCESS && done;
    }
    done = bench_passed(tw_queue_wait(bench_queue())) && done;
    *value = (bench_now() - start) * 1e6 / (double)job->count;
    return done;
}

static bool sample_wait_whole(const struct micro_job *job, double *value)
{
    return take_groups(job, submit_whole, true, value);
}

static bool sample_wait_part(const struct micro_job *job, double *value)
{
    return take_groups(job, submit_part, true, value);
}

static bool sample_chain_whole(const struct micro_job *job, double *value)
{
    return take_groups(job, submit_whole, false, value);
}

static bool sample_chain_part(const struct micro_job *job, double *value)
{
    return take_groups(job, submit_part, false, value);
}

/* ---- a grid in parts ------------------------------------------------------------------------------------------- */

/* The rows of `in` begin one above those of `out`; the outermost cells of the grid stay as they are. */
struct relax {
    TW_PART_VIEW(const float) in;
    TW_PART_VIEW(float) out;
};
static inline void relax(tw_item item, const struct relax *k)
{
    const unsigned i = (unsigned)tw_global_id(item, 0), j = (unsigned)tw_global_id(item, 1) + 1;
    tw_at(k->out, i, j) =
        0.25f
        * ((tw_at(k->in, i + 1, j - 1) + tw_at(k->in, i + 1, j + 1)) + (tw_at(k->in, i, j) + tw_at(k->in, i + 2, j)));
}
TW_RANGE_KERNEL(relax, 2);

struct grid {
    tw_buffer *cells[2];
    size_t parts; /* 0: accessors of the whole buffers */
    unsigned steps;
};

static float initial_cell(size_t index)
{
    const unsigned x = (unsigned)index * 2654435761u;
    return (float)((x ^ x >> 15) >> 20);
}

/* Puts the first state into both buffers: the border is the same in both. */
static bool reset_grid(struct grid *g, size_t cells)
{
    bool done = true;
    g->steps = 0;
    for (unsigned b = 0; b < 2 && done; ++b) {
        tw_host_accessor *accessor = NULL;
        done = bench_passed(tw_host_access(g->cells[b], TW_DISCARD_WRITE, &accessor));
        float *x = done ? tw_host_accessor_data(accessor) : NULL;
        for (size_t i = 0; done && i < cells; ++i)
            x[i] = initial_cell(i);
        tw_host_accessor_release(&accessor);
    }
    return done;
}

static bool open_grid(struct micro_job *job, size_t parts)
{
    const size_t side = job->rows + 2;
    struct grid *g = calloc(1, sizeof *g);
    job->state = g;
    if (!g)
        return false;
    g->parts = parts;
    return bench_passed(tw_buffer_create(sizeof(float), tw_range_2d(side, side), &g->cells[0]))
           && bench_passed(tw_buffer_create(sizeof(float), tw_range_2d(side, side), &g->cells[1]))
           && reset_grid(g, side * side);
}

static bool open_whole_grid(struct micro_job *job)
{
    return open_grid(job, 0);
}

static bool open_one_part(struct micro_job *job)
{
    return open_grid(job, 1);
}

static bool open_4_parts(struct micro_job *job)
{
    return open_grid(job, 4);
}

static bool open_16_parts(struct micro_job *job)
{
    return open_grid(job, 16);
}

static bool relax_whole(tw_buffer *from, tw_buffer *to, size_t rows)
{
    const size_t side = rows + 2;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    const float *in = tw_read(cg, from);
    float *out = tw_write(cg, to);
    tw_parallel_for(cg, tw_range_2d(rows, rows), relax,
                    .in = {.data = in, .range = {side, side, 1}, .pitch = {side, side, 1}},
                    .out = {.data = out + side, .range = {rows, side, 1}, .pitch = {side, side, 1}});
    return tw_queue_submit(bench_queue(), cg, NULL) == TW_SUCCESS;
}

static bool relax_part(tw_buffer *from, tw_buffer *to, size_t rows, size_t first, size_t count)
{
    const tw_range read = tw_range_2d(count + 2, rows + 2), written = tw_range_2d(count, rows + 2);
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_2d(count, rows), relax, .in = TW_READ_PART_VIEW(cg, from, tw_id_2d(first, 0), read),
                    .out = TW_WRITE_PART_VIEW(cg, to, tw_id_2d(first + 1, 0), written));
    return tw_queue_submit(bench_queue(), cg, NULL) == TW_SUCCESS;
}

static bool take_steps(struct grid *g, const struct micro_job *job)
{
    bool done = true;
    for (size_t step = 0; step < job->count; ++step) {
        tw_buffer *from = g->cells[g->steps % 2], *to = g->cells[1 - g->steps % 2];
        ++g->steps;
        if (!g->parts)
            done = relax_whole(from, to, job->rows) && done;
        for (size_t p = 0; p < g->parts; ++p) {
            const size_t first = job->rows * p / g->parts, end = job->rows * (p + 1) / g->parts;
            done = relax_part(from, to, job->rows, first, end - first) && done;
        }
    }
    return bench_passed(tw_queue_wait(bench_queue())) && done;
}

static bool sample_grid(const struct micro_job *job, double *value)
{
    const double start = bench_now();
    const bool done = take_steps(job->state, job);
    *value = (bench_now() - start) * 1e6 / (double)job->count;
    return done;
}

/* Computes the steps of a sample once more, from the first state on, and compares all cells with a sequential loop. */
static bool check_grid(struct grid *g, const struct micro_job *job)
{
    const size_t side = job->rows + 2, cells = side * side;
    float *x[2] = {malloc(cells * sizeof(float)), malloc(cells * sizeof(float))};
    tw_host_accessor *accessor = NULL;
    bool right = x[0] && x[1] && reset_grid(g, cells) && take_steps(g, job)
                 && bench_passed(tw_host_access(g->cells[g->steps % 2], TW_READ, &accessor));
    for (size_t i = 0; right && i < cells; ++i)
        x[0][i] = x[1][i] = initial_cell(i);
    for (size_t step = 0; right && step < job->count; ++step) {
        const float *in = x[step % 2];
        float *out = x[1 - step % 2];
        for (size_t i = 1; i <= job->rows; ++i)
            for (size_t at = i * side + 1; at < i * side + 1 + job->rows; ++at)
                out[at] = 0.25f * ((in[at - 1] + in[at + 1]) + (in[at - side] + in[at + side]));
    }
    right = right && !memcmp(x[job->count % 2], tw_host_accessor_const_data(accessor), cells * sizeof(float));
    if (!right)
        fprintf(stderr, "the grid of %zu parts is wrong\n", g->parts);
    tw_host_accessor_release(&accessor);
    free(x[0]);
    free(x[1]);
    return right;
}

static bool close_grid(struct micro_job *job)
{
    struct grid *g = job->state;
    if (!g)
        return false;
    bool right = g->cells[0] && g->cells[1] && check_grid(g, job);
    right = bench_passed(tw_buffer_destroy(&g->cells[0])) && right;
    right = bench_passed(tw_buffer_destroy(&g->cells[1])) && right;
    free(g);
    return right;
}

/* ---- copies and fills ------------------------------------------------------------------------------------------ */

/* Powers of two: rows are the longest, then those that lie in a plane. */
struct micro_box micro_box_of(const struct micro_job *job)
{
    struct micro_box box = {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}};
    unsigned bits = 0;
    while (((size_t)2 << bits) * sizeof(uint32_t) <= job->bytes)
        ++bits;
    for (unsigned left = job->dims, d = 3; left; --left) {
        const unsigned here = (bits + left - 1) / left;
        --d;
        box.range[d] = (size_t)1 << here;
        bits -= here;
        box.first[d] = job->box ? box.range[d] / 4 : 0;
        box.size[d] = job->box ? box.range[d] / 2 : box.range[d];
    }
    return box;
}

static bool is_in(const struct micro_box *box, const size_t at[3])
{
    bool in = true;
    for (unsigned d = 0; d < 3; ++d)
        in = in && at[d] >= box->first[d] && at[d] < box->first[d] + box->size[d];
    return in;
}

static const uint32_t filled = 0x01010101u; /* what memset() can do too */

static bool elements_are_right(const struct micro_box *box, const uint32_t *x)
{
    size_t at[3];
    for (at[0] = 0; at[0] < box->range[0]; ++at[0])
        for (at[1] = 0; at[1] < box->range[1]; ++at[1])
            for (at[2] = 0; at[2] < box->range[2]; ++at[2])
                if (*x++ != (is_in(box, at) ? filled : 0)) {
                    fprintf(stderr, "element (%zu, %zu, %zu) is wrong\n", at[0], at[1], at[2]);
                    return false;
                }
    return true;
}

struct boxes {
    struct micro_box box;
    tw_buffer *from, *to;
    uint32_t *memory[2]; /* of the libc entries */
};

/* Gives all elements of a buffer a value, on the device, where they stay. */
static bool fill_all(tw_buffer *buffer, uint32_t value)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_fill(cg, buffer, &value);
    return bench_passed(tw_queue_submit(bench_queue(), cg, NULL)) && bench_passed(tw_queue_wait(bench_queue()));
}

static tw_range range_of(const size_t size[3], unsigned dims)
{
    return dims == 1   ? tw_range_1d(size[2])
           : dims == 2 ? tw_range_2d(size[1], size[2])
                       : tw_range_3d(size[0], size[1], size[2]);
}

static tw_id id_of(const size_t at[3], unsigned dims)
{
    return dims == 1 ? tw_id_1d(at[2]) : dims == 2 ? tw_id_2d(at[1], at[2]) : tw_id_3d(at[0], at[1], at[2]);
}

static bool open_boxes(struct micro_job *job)
{
    struct boxes *b = calloc(1, sizeof *b);
    job->state = b;
    if (!b)
        return false;
    b->box = micro_box_of(job);
    const tw_range range = range_of(b->box.range, job->dims);
    return bench_passed(tw_buffer_create(sizeof(uint32_t), range, &b->from))
           && bench_passed(tw_buffer_create(sizeof(uint32_t), range, &b->to)) && fill_all(b->from, filled)
           && fill_all(b->to, 0);
}

static bool close_boxes(struct micro_job *job)
{
    struct boxes *b = job->state;
    tw_host_accessor *accessor = NULL;
    if (!b)
        return false;
    bool right = b->to && bench_passed(tw_host_access(b->to, TW_READ, &accessor))
                 && elements_are_right(&b->box, tw_host_accessor_const_data(accessor));
    tw_host_accessor_release(&accessor);
    right = bench_passed(tw_buffer_destroy(&b->from)) && right;
    right = bench_passed(tw_buffer_destroy(&b->to)) && right;
    free(b);
    return right;
}

static bool submit_and_wait(tw_command_group *cg, double start, double *value)
{
    const bool done = tw_queue_submit(bench_queue(), cg, NULL) == TW_SUCCESS;
    const bool waited = bench_passed(tw_queue_wait(bench_queue()));
    *value = (bench_now() - start) * 1e6;
    return done && waited;
}

static bool sample_copy(const struct micro_job *job, double *value)
{
    const struct boxes *b = job->state;
    const tw_id first = id_of(b->box.first, job->dims);
    const double start = bench_now();
    tw_command_group *cg = tw_queue_begin(bench_queue());
    if (job->box)
        tw_copy_part(cg, b->from, first, b->to, first, range_of(b->box.size, job->dims));
    else
        tw_copy(cg, b->from, b->to);
    return submit_and_wait(cg, start, value);
}

static bool sample_fill(const struct micro_job *job, double *value)
{
    const struct boxes *b = job->state;
    const double start = bench_now();
    tw_command_group *cg = tw_queue_begin(bench_queue());
    if (job->box)
        tw_fill_part(cg, b->to, id_of(b->box.first, job->dims), range_of(b->box.size, job->dims), &filled);
    else
        tw_fill(cg, b->to, &filled);
    return submit_and_wait(cg, start, value);
}

static bool open_memory(struct micro_job *job)
{
    struct boxes *b = calloc(1, sizeof *b);
    job->state = b;
    if (!b || !(b->memory[0] = malloc(job->bytes)) || !(b->memory[1] = malloc(job->bytes)))
        return false;
    b->box = micro_box_of(job);
    memset(b->memory[0], 1, job->bytes);
    memset(b->memory[1], 0, job->bytes);
    return true;
}

static bool close_memory(struct micro_job *job)
{
    struct boxes *b = job->state;
    if (!b)
        return false;
    const bool right = b->memory[1] && elements_are_right(&b->box, b->memory[1]);
    free(b->memory[0]);
    free(b->memory[1]);
    free(b);
    return right;
}

/* By one call where all lies back to back, else by one for each row. */
static bool take_rows(const struct micro_job *job, bool copy, double *value)
{
    const struct boxes *b = job->state;
    const struct micro_box *box = &b->box;
    const size_t bytes = job->box ? box->size[2] * sizeof(uint32_t) : job->bytes;
    const size_t planes = job->box ? box->size[0] : 1, rows = job->box ? box->size[1] : 1;
    const double start = bench_now();
    for (size_t i = 0; i < planes; ++i)
        for (size_t j = 0; j < rows; ++j) {
            const size_t at = ((box->first[0] + i) * box->range[1] + box->first[1] + j) * box->range[2] + box->first[2];
            if (copy)
                memcpy(b->memory[1] + at, b->memory[0] + at, bytes);
            else
                memset(b->memory[1] + at, 1, bytes);
        }
    *value = (bench_now() - start) * 1e6;
    return true;
}

static bool sample_memcpy(const struct micro_job *job, double *value)
{
    return take_rows(job, true, value);
}

static bool sample_memset(const struct micro_job *job, double *value)
{
    return take_rows(job, false, value);
}

/* ---- a stream of chunks ---------------------------------------------------------------------------------------- */

enum { SLOTS = 4 };

/* As much arithmetic on each element as asked for; adds `work` to it, exactly. */
struct grind_chunk {
    float *x;
    float one;
    unsigned work;
};
static inline void grind_chunk(tw_item item, const struct grind_chunk *k)
{
    const size_t i = tw_global_id(item, 0);
    const float one = k->one;
    float x = k->x[i];
    for (unsigned step = 0; step < k->work; ++step)
        x = x * one + one;
    k->x[i] = x;
}
TW_RANGE_KERNEL(grind_chunk, 1);

struct stream {
    tw_buffer *buffer; /* SLOTS chunks */
    float *memory;     /* all chunks; results go back to where their numbers came from */
    float added;
};

static bool open_stream(struct micro_job *job)
{
    struct stream *s = calloc(1, sizeof *s);
    job->state = s;
    if (!s || !(s->memory = tw_malloc_host(job->count * job->bytes)))
        return false;
    memset(s->memory, 0, job->count * job->bytes);
    return bench_passed(tw_buffer_create(sizeof(float), tw_range_1d(SLOTS * job->bytes / sizeof(float)), &s->buffer));
}

static bool close_stream(struct micro_job *job)
{
    struct stream *s = job->state;
    if (!s)
        return false;
    bool right = s->memory && s->buffer;
    for (size_t i = 0; right && i < job->count * job->bytes / sizeof(float); ++i)
        right = s->memory[i] == s->added;
    if (!right)
        fprintf(stderr, "the stream's chunks are wrong\n");
    right = bench_passed(tw_buffer_destroy(&s->buffer)) && right;
    tw_free_host(s->memory);
    free(s);
    return right;
}

enum { SEND = 1, COMPUTE = 2, FETCH = 4 };

/* Submits the steps of a chunk. */
static bool submit_chunk(const struct micro_job *job, size_t i, unsigned steps)
{
    const struct stream *s = job->state;
    const size_t n = job->bytes / sizeof(float);
    const tw_id slot = tw_id_1d(i % SLOTS * n);
    const tw_range chunk = tw_range_1d(n);
    bool done = true;
    if (steps & SEND) {
        tw_command_group *cg = tw_queue_begin(bench_queue());
        tw_copy_from_part(cg, s->buffer, slot, chunk, s->memory + i * n);
        done = tw_queue_submit(bench_queue(), cg, NULL) == TW_SUCCESS && done;
    }
    if (steps & COMPUTE) {
        tw_command_group *cg = tw_queue_begin(bench_queue());
        tw_parallel_for(cg, chunk, grind_chunk, .x = tw_read_write_part(cg, s->buffer, slot, chunk), .one = 1.0f,
                        .work = job->work);
        done = tw_queue_submit(bench_queue(), cg, NULL) == TW_SUCCESS && done;
    }
    if (steps & FETCH) {
        tw_command_group *cg = tw_queue_begin(bench_queue());
        tw_copy_to_part(cg, s->buffer, slot, chunk, s->memory + i * n);
        done = tw_queue_submit(bench_queue(), cg, NULL) == TW_SUCCESS && done;
    }
    return done;
}

static bool take_chunks(const struct micro_job *job, unsigned steps, double *value)
{
    bool done = true;
    const double start = bench_now();
    for (size_t i = 0; i < job->count; ++i)
        done = submit_chunk(job, i, steps) && done;
    done = bench_passed(tw_queue_wait(bench_queue())) && done;
    *value = (bench_now() - start) * 1e6;
    return done;
}

static bool sample_stream(const struct micro_job *job, double *value)
{
    struct stream *s = job->state;
    s->added += (float)job->work;
    return take_chunks(job, SEND | COMPUTE | FETCH, value);
}

/* One of the steps alone, with all chunks; only what a whole stream fetches stays in the memory. */
static bool sample_step(const struct micro_job *job, unsigned step, double *value)
{
    struct stream *s = job->state;
    double ignored = 0;
    const size_t bytes = job->count * job->bytes;
    bool done = step == SEND || take_chunks(job, SEND, &ignored);
    done = take_chunks(job, step, value) && done;
    if (step == FETCH) /* several chunks have been in each slot: all are the same */
        for (size_t i = 0; done && i < bytes / sizeof(float); ++i)
            done = s->memory[i] == s->added;
    return done;
}

static bool sample_sending(const struct micro_job *job, double *value)
{
    return sample_step(job, SEND, value);
}

static bool sample_computing(const struct micro_job *job, double *value)
{
    return sample_step(job, COMPUTE, value);
}

static bool sample_fetching(const struct micro_job *job, double *value)
{
    return sample_step(job, FETCH, value);
}

/* ---- entries --------------------------------------------------------------------------------------------------- */

static const struct micro_entry entries[] = {
    {MICRO_PART_WAIT, "Teamwork", "whole buffer", 0, open_counters, sample_wait_whole, close_counters, false},
    {MICRO_PART_WAIT, "Teamwork", "a part", 0, open_counters, sample_wait_part, close_counters, false},
    {MICRO_PART_CHAIN, "Teamwork", "whole buffer", 0, open_counters, sample_chain_whole, close_counters, false},
    {MICRO_PART_CHAIN, "Teamwork", "a part", 0, open_counters, sample_chain_part, close_counters, false},
    {MICRO_GRID, "Teamwork", "whole buffers", 0, open_whole_grid, sample_grid, close_grid, false},
    {MICRO_GRID, "Teamwork", "one part", 0, open_one_part, sample_grid, close_grid, false},
    {MICRO_GRID, "Teamwork", "4 parts", 0, open_4_parts, sample_grid, close_grid, false},
    {MICRO_GRID, "Teamwork", "16 parts", 0, open_16_parts, sample_grid, close_grid, false},
    {MICRO_COPY, "Teamwork", "", 0, open_boxes, sample_copy, close_boxes, false},
    {MICRO_FILL, "Teamwork", "", 0, open_boxes, sample_fill, close_boxes, false},
    {MICRO_STREAM, "Teamwork", "pinned", 0, open_stream, sample_stream, close_stream, false},
    {MICRO_STREAM, "Teamwork", "send, pinned", 0, open_stream, sample_sending, close_stream, false},
    {MICRO_STREAM, "Teamwork", "compute, pinned", 0, open_stream, sample_computing, close_stream, false},
    {MICRO_STREAM, "Teamwork", "fetch, pinned", 0, open_stream, sample_fetching, close_stream, false},
};
const struct micro_entries micro_parts = {entries, sizeof entries / sizeof entries[0], NULL};

static const struct micro_entry libc_entries[] = {
    {MICRO_COPY, "C", "memcpy", 0, open_memory, sample_memcpy, close_memory, false},
    {MICRO_FILL, "C", "memset", 0, open_memory, sample_memset, close_memory, false},
};
const struct micro_entries micro_parts_libc = {libc_entries, sizeof libc_entries / sizeof libc_entries[0],
                                               bench_on_host};

/* ---- the sizes ------------------------------------------------------------------------------------------------- */

static void note_ratio(enum micro_op op, const char *variant, const char *to)
{
    const double value = micro_value(op, "Teamwork", variant), base = micro_value(op, "Teamwork", to);
    if (value > 0 && base > 0)
        micro_note("%s / %s: %.2f", variant, to, value / base);
}

static bool run_groups(void)
{
    const struct micro_job job = {.count = micro_options.quick ? 10 : 1000};
    char parameter[64];
    snprintf(parameter, sizeof parameter, "groups=%zu", job.count);
    bool right = true;
    for (enum micro_op op = MICRO_PART_WAIT; op <= MICRO_PART_CHAIN; ++op)
        if (micro_wanted(op)) {
            right = micro_measure(op, parameter, &job) && right;
            note_ratio(op, "a part", "whole buffer");
        }
    return right;
}

static bool run_grid(void)
{
    const size_t rows = micro_options.quick ? 64 : bench_on_gpu() ? 8192 : bench_on_host() ? 2048 : 512;
    const struct micro_job job = {.count = 10, .rows = rows};
    char parameter[64];
    if (!micro_wanted(MICRO_GRID))
        return true;
    snprintf(parameter, sizeof parameter, "cells=%zux%zu steps=%zu", rows, rows, job.count);
    const bool right = micro_measure(MICRO_GRID, parameter, &job);
    note_ratio(MICRO_GRID, "one part", "whole buffers");
    note_ratio(MICRO_GRID, "4 parts", "whole buffers");
    note_ratio(MICRO_GRID, "16 parts", "whole buffers");
    return right;
}

static bool run_boxes_of(size_t bytes)
{
    bool right = true;
    for (unsigned variant = 0; variant < 6; ++variant) {
        const struct micro_job job = {.bytes = bytes, .dims = 1 + variant / 2, .box = variant % 2};
        const struct micro_box box = micro_box_of(&job);
        char parameter[64];
        snprintf(parameter, sizeof parameter, "dims=%u %s bytes=%zu", job.dims, job.box ? "box" : "whole",
                 box.size[0] * box.size[1] * box.size[2] * sizeof(uint32_t));
        right = micro_measure(MICRO_COPY, parameter, &job) && right;
        right = micro_measure(MICRO_FILL, parameter, &job) && right;
    }
    return right;
}

/* The work that makes kernels take as long as the slower of the copies. */
static unsigned balanced_work(struct micro_job job)
{
    enum { TRIAL = 64, MOST = 200000 };
    double send = 0, compute = 0, fetch = 0;
    job.work = TRIAL;
    bool done = open_stream(&job);
    for (unsigned i = 0; done && i < 2; ++i) /* the first time pays for what happens only once */
        done = sample_sending(&job, &send) && sample_computing(&job, &compute) && sample_step(&job, SEND, &send)
               && sample_fetching(&job, &fetch);
    done = close_stream(&job) && done;
    if (!done || compute <= 0)
        return TRIAL;
    const double work = TRIAL * (send > fetch ? send : fetch) / compute;
    return work < 1 ? 1 : work > MOST ? MOST : (unsigned)work;
}

static bool run_stream(void)
{
    const bool gpu = bench_on_gpu() && !micro_options.quick;
    struct micro_job job = {.count = micro_options.quick ? 8 : 32, .bytes = gpu ? 32 * MEBI : MEBI / 4};
    char parameter[64];
    if (!micro_wanted(MICRO_STREAM))
        return true;
    job.work = balanced_work(job);
    snprintf(parameter, sizeof parameter, "chunks=%zu bytes=%zu work=%u", job.count, job.bytes, job.work);
    const bool right = micro_measure(MICRO_STREAM, parameter, &job);
    const double all = micro_value(MICRO_STREAM, "Teamwork", "pinned");
    const double parts[] = {micro_value(MICRO_STREAM, "Teamwork", "send, pinned"),
                            micro_value(MICRO_STREAM, "Teamwork", "compute, pinned"),
                            micro_value(MICRO_STREAM, "Teamwork", "fetch, pinned")};
    double longest = 0, sum = 0;
    for (size_t i = 0; i < 3; ++i) {
        longest = parts[i] > longest ? parts[i] : longest;
        sum += parts[i];
    }
    if (all > 0)
        micro_note("the longest step alone takes %.0f %% of the stream, all three in turns %.0f %%",
                   100 * longest / all, 100 * sum / all);
    return right;
}

bool micro_run_parts(void)
{
    const size_t largest = micro_options.quick ? MEBI / 64 : bench_on_gpu() ? 1024 * MEBI : 64 * MEBI;
    bool right = run_groups();
    right = run_grid() && right;
    right = micro_sizes(MEBI / 64, bench_on_gpu() ? 256 : 64, largest, run_boxes_of) && right;
    return run_stream() && right;
}
