/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer that is larger than any of the devices: each has a share of its rows, as many as fill most of its memory. The
 * devices fill their shares, and update them some times; the efficiency is the time of one device for its share alone
 * by that of all. In the end kernels look at every element, in part on another device than the one that wrote it, and
 * the host looks at some rows.
 */
#include <stdlib.h>

#include "../harness/bench_teamwork.h"
#include "multi.h"

struct fill_share {
    TW_PART_VIEW(unsigned) out;
    unsigned first_row; /* of the part, in the whole buffer; likewise below */
};
static inline unsigned filled(unsigned row, unsigned column)
{
    return row * 2654435761u ^ column * 2246822519u;
}
static inline void fill_share(tw_item item, const struct fill_share *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0), column = (unsigned)tw_global_id(item, 1);
    tw_at(k->out, row, column) = filled(k->first_row + row, column);
}
TW_RANGE_KERNEL(fill_share, 2);

struct update_share {
    TW_PART_VIEW(unsigned) x;
};
static inline unsigned updated(unsigned x)
{
    return 3 * x + 1;
}
static inline void update_share(tw_item item, const struct update_share *k)
{
    const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1);
    tw_at(k->x, row, column) = updated(tw_at(k->x, row, column));
}
TW_RANGE_KERNEL(update_share, 2);

/* Counts the elements that are not as they should be after some updates. */
struct count_wrong {
    TW_PART_VIEW(const unsigned) in;
    unsigned first_row, updates;
    TW_REDUCTION(unsigned long long, TW_SUM) wrong;
};
static inline unsigned expected(unsigned row, unsigned column, unsigned updates)
{
    unsigned x = filled(row, column);
    for (unsigned i = 0; i < updates; ++i)
        x = updated(x);
    return x;
}
static inline void count_wrong(tw_item item, const struct count_wrong *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0), column = (unsigned)tw_global_id(item, 1);
    tw_combine(k->wrong,
               (unsigned long long)(tw_at(k->in, row, column) != expected(k->first_row + row, column, k->updates)));
}
TW_RANGE_REDUCTION(count_wrong, 2, wrong);

struct large {
    struct multi *multi;
    tw_buffer *buffer, *wrong; /* `wrong` has an element for each device */
    size_t rows, columns;      /* rows of a share */
    size_t chunk;              /* rows of a group */
    unsigned updates[MULTI_MOST_DEVICES];
};

enum { FILL, UPDATE, CHECK };

/* Submits a group of a device for some rows of a share. */
static bool submit_chunk(const struct large *l, size_t device, size_t share, size_t first, size_t rows, int what)
{
    tw_queue *queue = l->multi->queues[device];
    const size_t row = share * l->rows + first;
    const tw_id at = tw_id_2d(row, 0);
    const tw_range part = tw_range_2d(rows, l->columns);
    tw_command_group *cg = tw_queue_begin(queue);
    if (what == FILL)
        tw_parallel_for(cg, part, fill_share, .out = TW_DISCARD_WRITE_PART_VIEW(cg, l->buffer, at, part),
                        .first_row = (unsigned)row);
    else if (what == UPDATE)
        tw_parallel_for(cg, part, update_share, .x = TW_READ_WRITE_PART_VIEW(cg, l->buffer, at, part));
    else
        tw_parallel_for(cg, part, count_wrong, .in = TW_READ_PART_VIEW(cg, l->buffer, at, part),
                        .first_row = (unsigned)row, .updates = l->updates[share],
                        .wrong = TW_REDUCE_AT(cg, l->wrong, device));
    return bench_passed(tw_queue_submit(queue, cg, NULL));
}

/* All groups of the first `count` devices, one of each in turn. */
static bool submit_shares(struct large *l, size_t count, int what)
{
    bool done = true;
    for (size_t first = 0; first < l->rows && done; first += l->chunk)
        for (size_t i = 0; i < count && done; ++i)
            done = submit_chunk(l, i, i, first, l->rows - first < l->chunk ? l->rows - first : l->chunk, what);
    for (size_t i = 0; i < count && what == UPDATE; ++i)
        ++l->updates[i];
    return done;
}

/* Seconds; below 0: failed. */
static double time_shares(struct large *l, size_t count, int what)
{
    const double start = bench_now();
    const bool done = submit_shares(l, count, what);
    return multi_wait(l->multi, count) && done ? bench_now() - start : -1;
}

static bool row_is_right(const struct large *l, size_t row)
{
    tw_host_accessor *accessor = NULL;
    if (!bench_passed(tw_host_access_part(l->buffer, tw_id_2d(row, 0), tw_range_2d(1, l->columns), TW_READ, &accessor)))
        return false;
    const unsigned *data = tw_host_accessor_const_data(accessor);
    bool right = true;
    for (size_t column = 0; column < l->columns && right; ++column)
        right = data[column] == expected((unsigned)row, (unsigned)column, l->updates[row / l->rows]);
    tw_host_accessor_release(&accessor);
    if (!right)
        fprintf(stderr, "row %zu is wrong on the host\n", row);
    return right;
}

static bool is_right(struct large *l)
{
    const size_t count = l->multi->count;
    unsigned long long wrong[MULTI_MOST_DEVICES] = {0};
    bool right = bench_passed(tw_buffer_write(l->wrong, wrong)) && submit_shares(l, count, CHECK);
    for (size_t i = 0; i < count && right; ++i) /* the beginning of the next one's share, which is copied there */
        right = submit_chunk(l, i, (i + 1) % count, 0, l->chunk < l->rows ? l->chunk : l->rows, CHECK);
    right = multi_wait(l->multi, count) && right && bench_passed(tw_buffer_read(l->wrong, wrong));
    for (size_t i = 0; i < count && right; ++i)
        if (wrong[i]) {
            fprintf(stderr, "device %zu sees %llu wrong elements\n", i, wrong[i]);
            right = false;
        }
    for (size_t i = 0; i < count && right; ++i)
        right = row_is_right(l, i * l->rows) && row_is_right(l, i * l->rows + l->rows / 2)
                && row_is_right(l, (i + 1) * l->rows - 1);
    return right;
}

static bool measure(struct large *l)
{
    struct multi *multi = l->multi;
    char parameter[64];
    double alone[MULTI_MOST_ROUNDS], all[MULTI_MOST_ROUNDS];
    const double gigabytes = 4e-9 * (double)l->rows * (double)l->columns;
    const double first = time_shares(l, multi->count, FILL);
    bool right = first >= 0 && time_shares(l, multi->count, UPDATE) >= 0;
    for (unsigned round = 0; round < multi->rounds && right; ++round) {
        alone[round] = time_shares(l, 1, UPDATE);
        all[round] = time_shares(l, multi->count, UPDATE);
        right = alone[round] >= 0 && all[round] >= 0;
    }
    if (!right)
        return false;
    const double one = bench_summarize(alone, multi->rounds).median,
                 together = bench_summarize(all, multi->rounds).median;
    snprintf(parameter, sizeof parameter, "devices=%zu GB=%.3g", multi->count, gigabytes * (double)multi->count);
    multi_row(multi, "large", "Teamwork", "first use of the memory", parameter, first * 1e3, "ms", 0);
    multi_row(multi, "large", "Teamwork", "an update of a share, one device alone", parameter, one * 1e3, "ms", 1);
    multi_row(multi, "large", "Teamwork", "an update of all, all devices", parameter, together * 1e3, "ms",
              one / together);
    multi_row(multi, "large", "Teamwork", "read and written by each device", parameter, 2 * gigabytes / together,
              "GB/s", 0);
    return true;
}

bool multi_large(struct multi *multi)
{
    struct large l = {.multi = multi, .columns = multi->gpu ? 1u << 20 : 4096};
    if (!multi->memory || (!multi->gpu && multi->memory > 1u << 30)) {
        printf("large     needs devices with little memory, such as TW_SIM_MEMORY=8388608\n");
        return true;
    }
    const size_t row_bytes = l.columns * sizeof(unsigned);
    l.rows = multi->memory / 10 * 7 / row_bytes;
    l.chunk = multi->gpu ? 1024 : 16;
    const tw_range all = tw_range_2d(multi->count * l.rows, l.columns);
    const bool right =
        bench_passed(tw_buffer_create(sizeof(unsigned), all, &l.buffer))
        && bench_passed(tw_buffer_create(sizeof(unsigned long long), tw_range_1d(multi->count), &l.wrong))
        && measure(&l) && is_right(&l);
    tw_buffer_destroy(&l.buffer);
    tw_buffer_destroy(&l.wrong);
    return right;
}
