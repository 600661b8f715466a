/* SPDX-License-Identifier: Apache-2.0 */
/* Teamwork's side: groups on an in-order queue, over memory of the device. */
#include "sides.h"

#include <limits.h>
#include <stdio.h>

#include <teamwork/algorithms.h>
#include <teamwork/teamwork.h>

TW_REDUCE_ALL(reduce_ints, int, tw_plus);
TW_REDUCE_ALL(reduce_floats, float, tw_plus);
TW_SCAN(scan_ints, int, tw_plus);
TW_SCAN(scan_doubles, double, tw_plus);

static inline bool is_even(int x)
{
    return x % 2 == 0;
}
TW_SELECT(select_even, int, is_even);
TW_SORT(sort_ints, int, tw_itself);
TW_SORT(sort_longs, long long, tw_itself);
TW_SORT_PAIRS(sort_pairs, int, int);

TW_HISTOGRAM_EVEN(count_ints, int, unsigned);
TW_REDUCE_BY_KEY(sum_by_key, int, int, tw_equal_to, tw_plus);
TW_RUN_LENGTH_ENCODE(encode_ints, int, tw_equal_to);
TW_SEGMENTED_REDUCE(sum_segments, float, tw_plus);
TW_SORT_BY(sort_ints_by, int, tw_less);
TW_MERGE(merge_ints, int, tw_less);

static tw_queue *queue;
static void *in, *out;
static const char *from; /* in `in`: the input of one call */
static size_t most;
static int *keys;
static size_t *offsets;

struct make {
    unsigned *x;
    size_t words;
};
static inline void make(tw_item item, const struct make *k)
{
    k->x[tw_global_id(item, 0)] = input_number(tw_global_id(item, 0) % k->words);
}
TW_RANGE_KERNEL(make, 1);

struct make_keys {
    int *keys;
    size_t *offsets;
};
static inline void make_keys(tw_item item, const struct make_keys *k)
{
    const size_t i = tw_global_id(item, 0);
    k->keys[i] = run_key(i);
    if (i % SEGMENT == 0)
        k->offsets[i / SEGMENT] = i;
}
TW_RANGE_KERNEL(make_keys, 1);

static bool check(tw_status status)
{
    if (status != TW_SUCCESS)
        fprintf(stderr, "Teamwork: %s: %s\n", tw_status_name(status), tw_error_detail());
    return status == TW_SUCCESS;
}

static bool begin(size_t count)
{
    if (!check(tw_queue_create_with_properties(NULL, NULL, TW_QUEUE_IN_ORDER, NULL, NULL, &queue)))
        return false;
    most = count;
    in = tw_malloc_device(tw_queue_device(queue), 8 * count);
    out = tw_malloc_device(tw_queue_device(queue), 8 * count + 64);
    keys = (int *)tw_malloc_device(tw_queue_device(queue), 4 * (count + 1));
    offsets = (size_t *)tw_malloc_device(tw_queue_device(queue), (count / SEGMENT + 1) * sizeof *offsets);
    if (!in || !out || !keys || !offsets)
        return check(TW_ERROR_OUT_OF_DEVICE_MEMORY);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(2 * count), make, .x = (unsigned *)in, .words = 2 * count);
    if (!check(tw_queue_submit(queue, cg, NULL)))
        return false;
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(count + 1), make_keys, .keys = keys, .offsets = offsets);
    return check(tw_queue_submit(queue, cg, NULL)) && check(tw_queue_wait_and_throw(queue));
}

static void record(tw_command_group *cg, enum algorithm algorithm, size_t count)
{
    switch (algorithm) {
    case ALGORITHM_REDUCE_INT:
        reduce_ints(cg, (const int *)from, count, 0, (int *)out);
        break;
    case ALGORITHM_REDUCE_FLOAT:
        reduce_floats(cg, (const float *)from, count, 0, (float *)out);
        break;
    case ALGORITHM_SCAN_INT:
        scan_ints_inclusive(cg, (const int *)from, count, (int *)out);
        break;
    case ALGORITHM_SCAN_DOUBLE:
        scan_doubles_inclusive(cg, (const double *)from, count, (double *)out);
        break;
    case ALGORITHM_SELECT_INT:
        select_even(cg, (const int *)from, count, (int *)out + 16, (size_t *)out);
        break;
    case ALGORITHM_SORT_INT:
        sort_ints(cg, (const int *)from, count, (int *)out);
        break;
    case ALGORITHM_SORT_LONG:
        sort_longs(cg, (const long long *)from, count, (long long *)out);
        break;
    case ALGORITHM_SORT_PAIRS:
        sort_pairs(cg, (const int *)from, (const int *)from + count, count, (int *)out, (int *)out + count);
        break;
    case ALGORITHM_HISTOGRAM:
        count_ints(cg, (const int *)from, count, BINS, INT_MIN, INT_MAX + 1LL, (unsigned *)out);
        break;
    case ALGORITHM_BY_KEY:
        sum_by_key(cg, keys, (const int *)from, count, (int *)out + 16, (int *)out + 16 + count, (size_t *)out);
        break;
    case ALGORITHM_ENCODE:
        encode_ints(cg, keys, count, (int *)out + 16, (size_t *)((int *)out + 16 + count), (size_t *)out);
        break;
    case ALGORITHM_SEGMENTED:
        sum_segments(cg, (const float *)from, count, offsets, count / SEGMENT, 0, (float *)out);
        break;
    case ALGORITHM_SORT_BY:
        sort_ints_by(cg, (const int *)from, count, (int *)out);
        break;
    case ALGORITHM_MERGE:
        merge_ints(cg, keys, count / 2, keys, count / 2, (int *)out);
        break;
    default:
        break;
    }
}

static bool run(enum algorithm algorithm, size_t count, unsigned repeats)
{
    bool works = true;
    for (unsigned i = 0; i < repeats && works; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        from = (const char *)in + 8 * input_begin(i, count, most);
        record(cg, algorithm, count);
        works = check(tw_queue_submit(queue, cg, NULL));
    }
    return works && check(tw_queue_wait_and_throw(queue));
}

static void end(void)
{
    tw_free(in);
    tw_free(out);
    tw_free(keys);
    tw_free(offsets);
    tw_queue_destroy(&queue);
}

const struct side side_teamwork = {"teamwork", begin, run, NULL, end};
