/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * algorithms.h: gathers, scatters and shuffles: indices that lead nowhere, counts on the device; shuffles are
 * permutations, the same everywhere, and all orders of a few elements are as likely. All algorithms of a type at once.
 */
#include "algorithm_test.h"

struct wide {
    int number, rest[5];
};

TW_GATHER(gather_wide, struct wide, int);
TW_SCATTER(scatter_bytes, unsigned char, unsigned long long);
TW_SHUFFLE(shuffle_ints, int);
TW_NUMBER_ALGORITHMS(shorts, short);

/* An index that may be anything. */
static long long any_index(size_t i, size_t count)
{
    static const long long wrong[] = {-1, 0x7fffffff, -0x7fffffff - 1};
    return i % 7 == 3 ? wrong[i % 3] : (long long)(i * 7919 % (count + count / 8 + 1));
}

static void check_gather(size_t count)
{
    struct wide *x = (struct wide *)room_for(sizeof *x, count), *y = (struct wide *)room_for(sizeof *y, count);
    int *indices = (int *)room_for(sizeof *indices, count);
    for (size_t i = 0; i < count; ++i) {
        x[i].number = (int)i;
        x[i].rest[4] = y[i].number = -(int)i;
        indices[i] = (int)any_index(i, count);
    }
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = buffer_of(x, sizeof *x, count), *at = buffer_of(indices, sizeof *indices, count),
              *out = buffer_of(y, sizeof *y, count), *number = NULL;
    const size_t counted = count - count / 3;
    TW_PASS(tw_buffer_create_copy(&counted, sizeof counted, tw_range_1d(1), &number));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_count_on_device(cg, tw_read(cg, number));
    gather_wide(cg, (const struct wide *)tw_read(cg, in), count, (const int *)tw_read(cg, at), count,
                (struct wide *)tw_write(cg, out));
    tw_test_run(queue, cg);
    tw_test_fetch(out, y);
    for (size_t i = 0; i < count; ++i) {
        const long long from = any_index(i, count);
        const bool is_gathered = i < counted && from >= 0 && (size_t)from < count;
        TW_EQUAL(y[i].number, is_gathered ? from : -(long long)i);
        TW_EQUAL(y[i].rest[4], is_gathered ? -from : 0);
    }
    tw_test_destroy_buffers((tw_buffer *[]){in, at, out, number}, 4);
    TW_PASS(tw_queue_destroy(&queue));
    free(x);
    free(y);
    free(indices);
}
TW_TEST(gathers)
{
    for_sizes(check_gather);
}

/* Element i goes to 3 i, or nowhere. */
static void check_scatter(size_t count)
{
    enum { STRIDE = 3 };
    const size_t places = count * STRIDE;
    unsigned char *x = (unsigned char *)room_for(1, count), *y = (unsigned char *)room_for(1, places);
    unsigned long long *indices = (unsigned long long *)room_for(sizeof *indices, count);
    for (size_t i = 0; i < count; ++i) {
        x[i] = (unsigned char)(i % 250 + 1);
        indices[i] = i % 7 == 3 ? places + i * i : i % 7 == 4 ? ~0ull - i : STRIDE * i;
    }
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = buffer_of(x, 1, count), *at = buffer_of(indices, sizeof *indices, count),
              *out = buffer_of(y, 1, places);
    tw_command_group *cg = tw_queue_begin(queue);
    scatter_bytes(cg, (const unsigned char *)tw_read(cg, in), (const unsigned long long *)tw_read(cg, at), count,
                  (unsigned char *)tw_write(cg, out), places);
    tw_test_run(queue, cg);
    tw_test_fetch(out, y);
    for (size_t i = 0; i < places; ++i) {
        const size_t from = i / STRIDE;
        TW_EQUAL(y[i], i % STRIDE == 0 && from % 7 != 3 && from % 7 != 4 ? x[from] : 0);
    }
    tw_test_destroy_buffers((tw_buffer *[]){in, at, out}, 3);
    TW_PASS(tw_queue_destroy(&queue));
    free(x);
    free(y);
    free(indices);
}
TW_TEST(scatters)
{
    for_sizes(check_scatter);
}

/* Shuffles 0, 1 ... count - 1 into `y`. */
static void shuffle(size_t count, unsigned long long seed, int *y)
{
    for (size_t i = 0; i < count; ++i)
        y[i] = (int)i;
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = buffer_of(y, sizeof *y, count), *out = buffer_of(y, sizeof *y, count);
    tw_command_group *cg = tw_queue_begin(queue);
    shuffle_ints(cg, (const int *)tw_read(cg, in), count, seed, (int *)tw_write(cg, out));
    tw_test_run(queue, cg);
    tw_test_fetch(out, y);
    tw_test_destroy_buffers((tw_buffer *[]){in, out}, 2);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Each element is there once. About one of them, as a Poisson variable, stays where it is, and one finds its neighbour
   behind it. */
static void check_shuffle(size_t count)
{
    int *y = (int *)room_for(sizeof *y, count), *z = (int *)room_for(sizeof *z, count);
    unsigned char *seen = (unsigned char *)room_for(1, count);
    size_t stay = 0, follow = 0, same = 0;
    shuffle(count, 42, y);
    shuffle(count, 43, z);
    for (size_t i = 0; i < count; ++i) {
        TW_CHECK(y[i] >= 0 && (size_t)y[i] < count && !seen[y[i]]);
        seen[y[i]] = 1;
        stay += (size_t)y[i] == i;
        follow += i + 1 < count && y[i] + 1 == y[i + 1];
        same += y[i] == z[i];
    }
    TW_CHECK(count < 3 || (stay < 8 && follow < 8 && same < 8));
    free(y);
    free(z);
    free(seen);
}
TW_TEST(shuffles)
{
    for_sizes(check_shuffle);
    static const int known[8] = {0, 6, 1, 3, 4, 5, 7, 2};
    int y[9];
    shuffle(8, 2026, y);
    for (int i = 0; i < 8; ++i)
        TW_EQUAL(y[i], known[i]);
}

/* The orders of four elements: a chi-square test of 24 cells, whose value is above 50 in one case of a thousand. */
TW_TEST(orders_are_as_likely)
{
    enum { TIMES = 1200 };
    unsigned counts[256] = {0};
    double chi_square = 0;
    for (unsigned seed = 0; seed < TIMES; ++seed) {
        int y[5];
        shuffle(4, seed, y);
        ++counts[y[0] << 6 | y[1] << 4 | y[2] << 2 | y[3]];
    }
    for (unsigned i = 0; i < 256; ++i)
        if (counts[i])
            chi_square += (counts[i] - TIMES / 24.0) * (counts[i] - TIMES / 24.0) / (TIMES / 24.0);
        else if ((i & 3) != (i >> 2 & 3) && (i & 3) != (i >> 4 & 3) && (i & 3) != i >> 6 && (i >> 2 & 3) != (i >> 4 & 3)
                 && (i >> 2 & 3) != i >> 6 && (i >> 4 & 3) != i >> 6)
            chi_square += TIMES / 24.0;
    TW_CHECK(chi_square < 50);
}

/* Algorithms of numbers: shuffled ones are sorted, with their places, and merged with themselves. */
static void check_numbers(size_t count)
{
    const size_t most = count < 20000 ? count : 20000;
    short *x = (short *)room_for(sizeof *x, most), *y = (short *)room_for(sizeof *y, 2 * most), results[2] = {0};
    uint32_t *places = (uint32_t *)room_for(sizeof *places, most);
    for (size_t i = 0; i < most; ++i) {
        x[i] = (short)(number(i) % 10000);
        places[i] = (uint32_t)i;
    }
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = buffer_of(x, sizeof *x, most), *in_places = buffer_of(places, sizeof *places, most),
              *sorted = buffer_of(x, sizeof *x, most), *order = buffer_of(places, sizeof *places, most),
              *merged = buffer_of(y, sizeof *y, 2 * most), *extremes = buffer_of(results, sizeof *results, 1);
    tw_command_group *cg = tw_queue_begin(queue);
    shorts_sort_pairs(cg, (const short *)tw_read(cg, in), (const uint32_t *)tw_read(cg, in_places), most,
                      (short *)tw_write(cg, sorted), (uint32_t *)tw_write(cg, order));
    tw_test_run(queue, cg);
    cg = tw_queue_begin(queue);
    shorts_merge(cg, (const short *)tw_read(cg, sorted), most, (const short *)tw_read(cg, sorted), most,
                 (short *)tw_write(cg, merged));
    tw_test_run(queue, cg);
    cg = tw_queue_begin(queue);
    shorts_maximum(cg, (const short *)tw_read(cg, in), most, -1, (short *)tw_write(cg, extremes));
    tw_test_run(queue, cg);
    tw_test_fetch(order, places);
    tw_test_fetch(merged, y);
    tw_test_fetch(extremes, results);
    for (size_t i = 0; i < most; ++i) {
        TW_CHECK(places[i] < most && y[2 * i] == x[places[i]] && y[2 * i] == y[2 * i + 1]);
        TW_CHECK(i == 0 || y[2 * i] > y[2 * i - 1] || (y[2 * i] == y[2 * i - 1] && places[i] > places[i - 1]));
    }
    TW_EQUAL(results[0], most ? y[2 * most - 1] : -1);
    tw_test_destroy_buffers((tw_buffer *[]){in, in_places, sorted, order, merged, extremes}, 6);
    TW_PASS(tw_queue_destroy(&queue));
    free(x);
    free(y);
    free(places);
}
TW_TEST(numbers)
{
    for_sizes(check_numbers);
}

TW_TEST_LIST = {
    TW_CASE(gathers), TW_CASE(scatters), TW_CASE(shuffles), TW_CASE(orders_are_as_likely),
    TW_CASE(numbers), TW_CASES_END,
};
