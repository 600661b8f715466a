/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 */
/** What simulated devices find in kernels that access parts of buffers: by mappers over four devices, and by hand. */
#define TW_DEBUG_BOUNDS
#include "tw_test.h"
#include <teamwork/vector.h>

enum { DEVICES = 4, N = 64, ROWS = 32, COLUMNS = 12, PLANES = 16, SIDE = 6 };

/* Kernels that copy, and in one place add an element that is `by` away: they lie if that is not declared. */
struct shift1 {
    TW_VIEW(const int, 1) in;
    TW_VIEW(int, 1) out;
    size_t at;
    ptrdiff_t by;
};
static inline void shift1(tw_item item, const struct shift1 *k)
{
    const size_t i = tw_global_id(item, 0);
    tw_at(k->out, i) = tw_at(k->in, i) + (i == k->at ? tw_at(k->in, i + (size_t)k->by) : 0);
}
TW_RANGE_KERNEL(shift1, 1);

struct shift2 {
    TW_VIEW(const float, 2) in;
    TW_VIEW(float, 2) out;
    size_t at[2];
    ptrdiff_t by[2];
};
static inline void shift2(tw_item item, const struct shift2 *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    const bool is_there = i == k->at[0] && j == k->at[1];
    tw_at(k->out, i, j) =
        tw_at(k->in, i, j) + (is_there ? tw_at(k->in, i + (size_t)k->by[0], j + (size_t)k->by[1]) : 0);
}
TW_RANGE_KERNEL(shift2, 2);

struct shift3 {
    TW_VIEW(const double) in;
    TW_VIEW(double) out;
    size_t at[3];
    ptrdiff_t by[3];
};
static inline void shift3(tw_item item, const struct shift3 *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1), l = tw_global_id(item, 2);
    const bool is_there = i == k->at[0] && j == k->at[1] && l == k->at[2];
    tw_at(k->out, i, j, l) =
        tw_at(k->in, i, j, l)
        + (is_there ? tw_at(k->in, i + (size_t)k->by[0], j + (size_t)k->by[1], l + (size_t)k->by[2]) : 0);
}
TW_RANGE_KERNEL(shift3, 3);

/* Copies, in one place to an element `by` away, where it may add as well; or changes what it reads there. */
enum deed { COPY, ADD, CHEAT };
struct scatter {
    const float *in;
    float *out;
    size_t at;
    ptrdiff_t by;
    enum deed deed;
};
static inline void scatter(tw_item item, const struct scatter *k)
{
    const size_t i = tw_global_id(item, 0), to = i == k->at ? i + (size_t)k->by : i;
    k->out[to] = k->deed == ADD ? k->out[to] + 1 : k->in[i];
    if (k->deed == CHEAT && i == k->at)
        ((float *)k->in)[i] = 1;
}
TW_RANGE_KERNEL(scatter, 1);

/* Copies a row of a part to a column, and in one place reads and writes elsewhere. */
struct rows {
    const int *in;
    int *out;
    size_t at;
    ptrdiff_t read, write;
};
static inline void rows(tw_item item, const struct rows *k)
{
    const size_t i = tw_global_id(item, 0);
    const bool is_there = i == k->at;
    k->out[(ptrdiff_t)i * COLUMNS + (is_there ? k->write : 0)] = k->in[(ptrdiff_t)i + (is_there ? k->read : 0)];
}
TW_RANGE_KERNEL(rows, 1);

/* Combines `count` elements, from `first` on, with what is there. */
#define GATHER(type, name, expression)                                                                                 \
    struct gather_##name {                                                                                             \
        const type *in;                                                                                                \
        type *out;                                                                                                     \
        size_t first, count;                                                                                           \
    };                                                                                                                 \
    static inline void gather_##name(const struct gather_##name *k)                                                    \
    {                                                                                                                  \
        type sum = k->in[0];                                                                                           \
        for (size_t i = 0; i < k->count; ++i) {                                                                        \
            const type in = k->in[k->first + i];                                                                       \
            sum = (type)(expression);                                                                                  \
        }                                                                                                              \
        *k->out = sum;                                                                                                 \
    }                                                                                                                  \
    TW_SINGLE_TASK(gather_##name);                                                                                     \
    static void submit_##name(tw_queue *queue, tw_buffer *in, tw_buffer *out, size_t declared, size_t first,           \
                              size_t count)                                                                            \
    {                                                                                                                  \
        TW_COMMAND_GROUP(queue, cg)                                                                                    \
            tw_single_task(cg, gather_##name, .in = tw_read_part(cg, in, tw_id_1d(0), tw_range_1d(declared)),          \
                           .out = tw_discard_write_part(cg, out, tw_id_1d(1), tw_range_1d(1)), .first = first,         \
                           .count = count);                                                                            \
    }
GATHER(signed char, char_sum, sum + in)
GATHER(signed char, char_alive, sum + (in ? 1 : 0))
GATHER(short, short_sum, sum + in)
GATHER(short, short_most, in > sum ? in : sum)
GATHER(unsigned, int_sum, sum + in)
GATHER(int, int_alive, sum + (in ? 1 : 0))
GATHER(int, int_bits, sum | (in & 16))
GATHER(long, long_least, in < sum ? in : sum)
GATHER(tw_half, half_sum, sum + in)
GATHER(float, float_sum, sum + in)
GATHER(float, float_alive, sum + (in != 0 ? 1 : 0))
GATHER(float, float_most, in > sum ? in : sum)
GATHER(double, double_sum, sum + in)
GATHER(double, double_most, in > sum ? in : sum)
GATHER(double, double_least, in < sum ? in : sum)

static const struct {
    void (*submit)(tw_queue *queue, tw_buffer *in, tw_buffer *out, size_t declared, size_t first, size_t count);
    size_t bytes;
} gathers[] = {
    {submit_char_sum, 1},   {submit_char_alive, 1},  {submit_short_sum, 2},    {submit_short_most, 2},
    {submit_int_sum, 4},    {submit_int_alive, 4},   {submit_int_bits, 4},     {submit_long_least, 8},
    {submit_half_sum, 2},   {submit_float_sum, 4},   {submit_float_alive, 4},  {submit_float_most, 4},
    {submit_double_sum, 8}, {submit_double_most, 8}, {submit_double_least, 8},
};

/* Counts its runs in memory of the host, or in unified shared memory, and writes the count if it `tells`. */
struct counting {
    int *out, *shared;
    uintptr_t counter; /* of the host */
    size_t at;
    bool tells;
};
static inline void counting(const struct counting *k)
{
    int *counter = k->shared ? k->shared : (int *)k->counter;
    if (!TW_ON_GPU)
        k->out[k->at] = ++*counter * (k->tells ? 1 : 0);
}
TW_SINGLE_TASK(counting);

/* Reverses the elements of each group through local memory. */
struct reverse {
    const int *in;
    int *out;
    tw_local_memory tile;
};
static inline void reverse(tw_nd_item item, const struct reverse *k)
{
    const size_t local = tw_local_id(item, 0), last = tw_local_range(item, 0) - 1;
    int *tile = tw_local_data(item, k->tile);
    tile[local] = k->in[tw_global_id(item, 0)];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0)] = tile[last - local];
}
TW_ND_RANGE_KERNEL(reverse);

struct total {
    const int *in;
    TW_REDUCTION(int, TW_SUM) sum;
};
static inline void total(tw_item item, const struct total *k)
{
    tw_combine(k->sum, k->in[tw_global_id(item, 0)]);
}
TW_RANGE_REDUCTION(total, 1, sum);

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

/* A queue over simulated devices, which are asynchronous ones in the second turn. Each has as many work-items. */
static tw_queue *sim_queue(int turn, size_t devices)
{
    static const double equal[DEVICES] = {1, 1, 1, 1};
    tw_device *all[DEVICES];
    tw_queue *queue = NULL;
    tw_test_use_sim(DEVICES);
    setenv("TW_SIM_ASYNC", turn ? "1" : "0", 1);
    setenv("TW_SIM_CHECK", "1", 1);
    TW_EQUAL(tw_test_devices(all, DEVICES), DEVICES);
    TW_PASS(tw_queue_create_over(all, devices, 0, NULL, NULL, &queue));
    TW_PASS(tw_queue_set_division(queue, equal));
    return queue;
}

/* A buffer of zeros. */
static tw_buffer *zeros(size_t element_bytes, tw_range range)
{
    static const unsigned char none[sizeof(double) * ROWS * COLUMNS * PLANES];
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_copy(none, element_bytes, range, &buffer));
    return buffer;
}

/* Waits, and destroys the queue and the buffers. If `says` is NULL, nothing has failed; else what has failed says so. */
static void expect_failure(tw_queue *queue, tw_status status, const char *says, tw_buffer *in, tw_buffer *out)
{
    if (says) {
        TW_FAIL(tw_queue_wait(queue), status);
        if (!strstr(tw_error_detail(), says))
            fprintf(stderr, "\"%s\" does not say \"%s\"\n", tw_error_detail(), says);
        TW_CHECK(strstr(tw_error_detail(), says) != NULL);
    } else {
        TW_PASS(tw_queue_wait(queue));
    }
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- reads, by mappers ------------------------------------------------------------------------------------------- */

TW_TEST(reads_beside_a_mapped_row_are_found)
{
    static const struct {
        size_t before, after, at;
        ptrdiff_t by;
        const char *says;
    } cases[] = {
        {0, 0, 16, 0, NULL},
        {1, 0, 16, -1, NULL},
        {0, 1, 15, 1, NULL},
        {3, 3, 48, -3, NULL},
        {0, 0, 15, 1,
         "kernel shift1 has read element 16 of the buffer that member in.data points to, 64 elements of 4 "
         "bytes, which its mapper did not declare for work-items 0 to 15: it declared 0 to 15"},
        {0, 0, 32, 31, "has read element 63 of"},
        {3, 3, 48, -4, "has read element 44 of"},
    };
    for (size_t c = 0; c < 2 * sizeof cases / sizeof *cases; ++c) {
        tw_queue *queue = sim_queue(c % 2, DEVICES);
        tw_buffer *in = zeros(sizeof(int), tw_range_1d(N)), *out = zeros(sizeof(int), tw_range_1d(N));
        const tw_range_mapper mapper = tw_neighborhood_of(tw_id_1d(cases[c / 2].before), tw_id_1d(cases[c / 2].after));
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for(cg, tw_range_1d(N), shift1, .in = TW_READ_MAPPED_VIEW(cg, in, mapper, 1),
                            .out = TW_DISCARD_WRITE_VIEW(cg, out, 1), .at = cases[c / 2].at, .by = cases[c / 2].by);
        expect_failure(queue, TW_ERROR_OUT_OF_BOUNDS, cases[c / 2].says, in, out);
    }
}

/* The program's: declares the first half of each row. */
static void half_of_rows(tw_id offset, tw_range range, tw_range buffer, tw_id *first, tw_range *count, void *user)
{
    (void)user;
    *first = tw_id_2d(offset.at[0], 0);
    *count = tw_range_2d(range.size[0], buffer.size[1] / 2);
}

TW_TEST(reads_beside_a_mapped_box_are_found)
{
    static const struct {
        size_t rows, at[2];
        ptrdiff_t by[2];
        const char *says;
    } cases[] = {
        {1, {8, 0}, {-1, 3}, NULL},
        {0,
         {8, 0},
         {-1, 3},
         "has read element (7, 3) of the buffer that member in.data points to, 32 x 12 elements of"},
        {1, {15, 11}, {2, -11}, "has read element (17, 0) of"},
        {SIZE_MAX, {8, 0}, {0, 5}, NULL},
        {SIZE_MAX, {8, 0}, {0, 6}, "has read element (8, 6) of"},
        {SIZE_MAX, {31, 2}, {0, 9}, "has read element (31, 11) of"},
    };
    for (size_t c = 0; c < 2 * sizeof cases / sizeof *cases; ++c) {
        tw_queue *queue = sim_queue(c % 2, DEVICES);
        const size_t rows = cases[c / 2].rows;
        const tw_range range = tw_range_2d(ROWS, rows == SIZE_MAX ? 3 : COLUMNS);
        tw_buffer *in = zeros(sizeof(float), tw_range_2d(ROWS, COLUMNS)), *out = zeros(sizeof(float), range);
        const tw_range_mapper mapper = rows == SIZE_MAX ? tw_map_by(half_of_rows, NULL) : tw_neighborhood(rows, 0, 0);
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for(cg, range, shift2, .in = TW_READ_MAPPED_VIEW(cg, in, mapper, 2),
                            .out = TW_DISCARD_WRITE_VIEW(cg, out, 2), .at = {cases[c / 2].at[0], cases[c / 2].at[1]},
                            .by = {cases[c / 2].by[0], cases[c / 2].by[1]});
        expect_failure(queue, TW_ERROR_OUT_OF_BOUNDS, cases[c / 2].says, in, out);
    }
}

TW_TEST(reads_beside_a_mapped_box_of_planes_are_found)
{
    static const struct {
        size_t planes, at[3];
        ptrdiff_t by[3];
        const char *says;
    } cases[] = {
        {1, {4, 5, 0}, {-1, 0, 2}, NULL},
        {0,
         {4, 5, 0},
         {-1, 0, 2},
         "has read element (3, 5, 2) of the buffer that member in.data points to, 16 x 6 x 12"},
        {1, {7, 0, 11}, {2, 5, -1}, "has read element (9, 5, 10) of"},
    };
    for (size_t c = 0; c < 2 * sizeof cases / sizeof *cases; ++c) {
        tw_queue *queue = sim_queue(c % 2, DEVICES);
        const tw_range range = tw_range_3d(PLANES, SIDE, COLUMNS);
        tw_buffer *in = zeros(sizeof(double), range), *out = zeros(sizeof(double), range);
        const tw_range_mapper mapper = tw_neighborhood(cases[c / 2].planes, 0, 0);
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for(cg, range, shift3, .in = TW_READ_MAPPED_VIEW(cg, in, mapper),
                            .out = TW_DISCARD_WRITE_VIEW(cg, out),
                            .at = {cases[c / 2].at[0], cases[c / 2].at[1], cases[c / 2].at[2]},
                            .by = {cases[c / 2].by[0], cases[c / 2].by[1], cases[c / 2].by[2]});
        expect_failure(queue, TW_ERROR_OUT_OF_BOUNDS, cases[c / 2].says, in, out);
    }
}

/* ---- writes, by mappers ------------------------------------------------------------------------------------------ */

TW_TEST(writes_beside_what_is_mapped_are_found)
{
    static const struct {
        size_t at;
        ptrdiff_t by;
        enum deed deed;
        const char *says;
    } cases[] = {
        {15, -1, COPY, NULL},
        {15, 1, COPY,
         "kernel scatter has written to element 16 of the buffer that member out points to, 64 elements of "
         "4 bytes, which its mapper did not declare for work-items 0 to 15: it declared 0 to 15"},
        {48, -40, COPY, "has written to element 8 of"},
        {15, 1, ADD, "has written to element 16 of"}, /* patterns: a NaN, and large numbers */
        {15, 2, ADD, "has written to element 17 of"},
        {15, 4, ADD, "has written to element 19 of"},
        {33, 0, CHEAT,
         "kernel scatter has written to element 33 of the buffer that member in points to, 64 elements of "
         "4 bytes, which its part of the launch only reads"},
    };
    for (size_t c = 0; c < 2 * sizeof cases / sizeof *cases; ++c) {
        tw_queue *queue = sim_queue(c % 2, DEVICES);
        tw_buffer *in = zeros(sizeof(int), tw_range_1d(N)), *out = zeros(sizeof(int), tw_range_1d(N));
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for(cg, tw_range_1d(N), scatter, .in = tw_read_mapped(cg, in, tw_one_to_one()),
                            .out = tw_write(cg, out), .at = cases[c / 2].at, .by = cases[c / 2].by,
                            .deed = cases[c / 2].deed);
        expect_failure(queue, cases[c / 2].deed == CHEAT ? TW_ERROR_READ_ONLY_BUFFER : TW_ERROR_OUT_OF_BOUNDS,
                       cases[c / 2].says, in, out);
    }
}

/* ---- parts by hand ----------------------------------------------------------------------------------------------- */

/* Of 2D buffers: rows 8 to 15, columns 2 to 9. Offsets are of the buffer: the pointer to a part is moved back. */
TW_TEST(parts_by_hand_are_checked)
{
    static const struct {
        size_t at;
        ptrdiff_t read, write;
        const char *says;
    } cases[] = {
        {0, 0, 0, NULL},
        {5, 2, 1, NULL},
        {7, 1, 0,
         "kernel rows has read element (8, 10) of the buffer that member in points to, 32 x 12 elements of 4 "
         "bytes, which no accessor of its group declares: they declare (8, 2) to (15, 9)"},
        {0, -1, 0, "has read element (8, 1) of the buffer that member in points to"},
        {0, -COLUMNS, 0, "has read element (7, 2) of"},
        {0, 8 * COLUMNS, 0, "has read element (16, 2) of"},
        {0, 0, -1, "has written to element (8, 1) of the buffer that member out points to"},
        {0, 0, 8 * COLUMNS, "has written to element (16, 2) of"},
    };
    for (size_t c = 0; c < 2 * sizeof cases / sizeof *cases; ++c) {
        tw_queue *queue = sim_queue(c % 2, 1);
        tw_buffer *in = zeros(sizeof(int), tw_range_2d(ROWS, COLUMNS)),
                  *out = zeros(sizeof(int), tw_range_2d(ROWS, COLUMNS));
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for(cg, tw_range_1d(8), rows, .in = tw_read_part(cg, in, tw_id_2d(8, 2), tw_range_2d(8, 8)),
                            .out = tw_write_part(cg, out, tw_id_2d(8, 2), tw_range_2d(8, 8)), .at = cases[c / 2].at,
                            .read = cases[c / 2].read, .write = cases[c / 2].write);
        expect_failure(queue, TW_ERROR_OUT_OF_BOUNDS, cases[c / 2].says, in, out);
    }
}

/* Whatever their type is, and what is done with them: sums, comparisons, bits. Only what decides can be seen: of minima and
   maxima one of several elements. */
TW_TEST(reads_of_all_types_are_found)
{
    enum { FIRST = 40, COUNT = 16 };
    for (size_t g = 0; g < 4 * sizeof gathers / sizeof *gathers; ++g) {
        tw_queue *queue = sim_queue(g % 2, 1);
        const bool lies = g / 2 % 2;
        const size_t bytes = gathers[g / 4].bytes, declared = lies ? FIRST : FIRST + COUNT;
        tw_buffer *in = zeros(bytes, tw_range_1d(N)), *out = zeros(bytes, tw_range_1d(N));
        unsigned index = 0;
        snprintf(tw_test_state.note, sizeof tw_test_state.note, "gather %zu", g / 4);
        gathers[g / 4].submit(queue, in, out, declared, FIRST, COUNT);
        expect_failure(queue, TW_ERROR_OUT_OF_BOUNDS, lies ? "has read element" : NULL, in, out);
        const char *text = lies ? strstr(tw_error_detail(), "has read element ") : NULL;
        TW_CHECK(!lies || (text && sscanf(text, "has read element %u of", &index) == 1));
        TW_CHECK(!lies || (index >= FIRST && index < FIRST + COUNT));
    }
}

/* ---- what is no lie ---------------------------------------------------------------------------------------------- */

static void submit_counting(tw_queue *queue, tw_buffer *out, int *shared, int *counter, size_t at, bool tells)
{
    TW_COMMAND_GROUP(queue, cg)
        tw_single_task(cg, counting, .out = tw_write_part(cg, out, tw_id_1d(0), tw_range_1d(8)),
                       .shared = shared ? shared : (int *)TW_NULL, .counter = (uintptr_t)counter, .at = at,
                       .tells = tells);
}

/* A kernel that never writes the same is no liar. One with pointers to unified shared memory runs once. */
TW_TEST(other_memory_is_not_reported)
{
    for (int turn = 0; turn < 2; ++turn) {
        tw_queue *queue = sim_queue(turn, 1);
        tw_buffer *out = zeros(sizeof(int), tw_range_1d(N)), *other = zeros(1, tw_range_1d(1));
        int counter = 0, *shared = tw_malloc_shared(tw_test_device(0), sizeof *shared);
        *shared = 0;
        submit_counting(queue, out, NULL, &counter, 3, true);
        TW_PASS(tw_queue_wait(queue));
        TW_CHECK(counter > 1);
        counter = 0;
        submit_counting(queue, out, NULL, &counter, 3, false);
        TW_PASS(tw_queue_wait(queue));
        TW_EQUAL(counter, 2);
        submit_counting(queue, out, shared, NULL, 3, true);
        TW_PASS(tw_queue_wait(queue));
        TW_EQUAL(*shared, 1);
        submit_counting(queue, out, shared, NULL, 8, true);
        expect_failure(queue, TW_ERROR_OUT_OF_BOUNDS, "kernel counting has written to element 8 of the buffer that",
                       other, out);
        tw_free(shared);
    }
}

/* Groups through local memory, reductions, and two halves of a buffer at the same time. */
TW_TEST(honest_kernels_pass)
{
    for (int turn = 0; turn < 2; ++turn) {
        tw_queue *queue = sim_queue(turn, DEVICES), *one = NULL;
        static int numbers[N], reversed[N], sum;
        for (int i = 0; i < N; ++i)
            numbers[i] = i;
        tw_buffer *in = NULL, *out = zeros(sizeof(int), tw_range_1d(N)), *to = NULL;
        TW_PASS(tw_buffer_create_copy(numbers, sizeof *numbers, tw_range_1d(N), &in));
        TW_PASS(tw_buffer_create_over(&sum, sizeof sum, tw_range_1d(1), &to));
        TW_PASS(tw_queue_create_on_device(tw_test_device(0), NULL, NULL, &one));
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(8)), reverse,
                                     .in = tw_read_mapped(cg, in, tw_one_to_one()), .out = tw_discard_write(cg, out),
                                     .tile = tw_local(cg, 8 * sizeof(int)));
        sum = 5;
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for(cg, tw_range_1d(N), total, .in = tw_read_mapped(cg, in, tw_one_to_one()),
                            .sum = TW_REDUCE_AT(cg, to, 0));
        TW_PASS(tw_queue_wait(queue));
        tw_test_fetch(out, reversed);
        for (int i = 0; i < N; ++i)
            TW_EQUAL(reversed[i], i / 8 * 8 + 7 - i % 8);
        for (int i = 0; i < 40; ++i)
            TW_COMMAND_GROUP(one, cg)
                tw_parallel_for(cg, tw_range_1d(N / 2), scatter,
                                .in = tw_read_part(cg, in, tw_id_1d(i % 2 * N / 2), tw_range_1d(N / 2)),
                                .out = tw_write_part(cg, out, tw_id_1d(i % 2 * N / 2), tw_range_1d(N / 2)), .at = N);
        TW_PASS(tw_queue_destroy(&one));
        tw_test_fetch(out, reversed);
        TW_CHECK(memcmp(numbers, reversed, sizeof numbers) == 0);
        TW_PASS(tw_buffer_destroy(&to));
        TW_EQUAL(sum, 5 + N * (N - 1) / 2);
        expect_failure(queue, TW_SUCCESS, NULL, in, out);
    }
}

/* A view that finds an index outside of the buffer tells of it, whatever it accesses instead. */
TW_TEST(wrong_indices_of_views_come_first)
{
    tw_queue *queue = sim_queue(0, DEVICES);
    tw_buffer *in = zeros(sizeof(int), tw_range_1d(N)), *out = zeros(sizeof(int), tw_range_1d(N));
    TW_COMMAND_GROUP(queue, cg)
        tw_parallel_for(cg, tw_range_1d(N), shift1, .in = TW_READ_MAPPED_VIEW(cg, in, tw_one_to_one(), 1),
                        .out = TW_DISCARD_WRITE_VIEW(cg, out, 1), .at = N - 1, .by = 1);
    expect_failure(queue, TW_ERROR_OUT_OF_BOUNDS, "64", in, out);
    TW_CHECK(!strstr(tw_error_detail(), "mapper"));
}

TW_TEST_LIST = {TW_CASE(reads_beside_a_mapped_row_are_found),
                TW_CASE(reads_beside_a_mapped_box_are_found),
                TW_CASE(reads_beside_a_mapped_box_of_planes_are_found),
                TW_CASE(writes_beside_what_is_mapped_are_found),
                TW_CASE(parts_by_hand_are_checked),
                TW_CASE(reads_of_all_types_are_found),
                TW_CASE(other_memory_is_not_reported),
                TW_CASE(honest_kernels_pass),
                TW_CASE(wrong_indices_of_views_come_first),
                TW_CASES_END};
