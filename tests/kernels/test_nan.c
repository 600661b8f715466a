/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host stacks x86_64 x86_64-teams gpu-simt (gpu-teams), long */
/** The least and the greatest of floating point, where some values, or all, are NaNs: as fmin() and fmax() say. */
#include "nd_range_test.h"

#include <math.h>

#include <teamwork/group_algorithms.h>

enum { ITEMS = 64, LARGE = 3000, ALL = -1, GROUP_RESULTS = 8 };

#define KERNELS(type, suffix)                                                                                          \
    struct group_##suffix {                                                                                            \
        const type *in;                                                                                                \
        type *out;                                                                                                     \
    };                                                                                                                 \
    static inline void group_##suffix(tw_nd_item item, const struct group_##suffix *k)                                 \
    {                                                                                                                  \
        const size_t i = tw_local_linear_id(item);                                                                     \
        const type x = k->in[i];                                                                                       \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const type least = tw_reduce_over_group(item, x, TW_MIN);                                                      \
        const type greatest = tw_reduce_over_group(item, x, TW_MAX);                                                   \
        const type scan = tw_inclusive_scan_over_group(item, x, TW_MAX);                                               \
        const type before = tw_exclusive_scan_over_group(item, x, TW_MAX);                                             \
        const type of_four = tw_reduce_over_group(item, (type)(tw_reduce_over_group(sub_group, x, TW_MIN)), TW_MIN);   \
        const type joint = tw_joint_reduce(item, k->in, k->in + ITEMS, TW_MAX);                                        \
        if (i == ITEMS - 1) {                                                                                          \
            k->out[0] = least;                                                                                         \
            k->out[1] = greatest;                                                                                      \
            k->out[2] = scan;                                                                                          \
            k->out[3] = before;                                                                                        \
            k->out[4] = of_four;                                                                                       \
            k->out[5] = joint;                                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(group_##suffix);                                                                                \
    struct range_##suffix {                                                                                            \
        const type *in;                                                                                                \
        TW_REDUCTION(type, TW_MIN) least;                                                                              \
        TW_REDUCTION(type, TW_MAX) greatest;                                                                           \
        TW_REDUCTION_ARRAY(type, TW_MAX) of_thirds;                                                                    \
    };                                                                                                                 \
    static inline void range_##suffix(tw_item item, const struct range_##suffix *k)                                    \
    {                                                                                                                  \
        const type x = k->in[tw_global_id(item, 0)];                                                                   \
        tw_combine(k->least, x);                                                                                       \
        tw_combine(k->greatest, x);                                                                                    \
        tw_combine_at(k->of_thirds, tw_global_id(item, 0) % 3, x);                                                     \
    }                                                                                                                  \
    TW_RANGE_REDUCTION(range_##suffix, 1, least, greatest, of_thirds);                                                 \
    /* -3 to n - 4, with NaNs at one place, or at all. */                                                              \
    static tw_buffer *values_##suffix(size_t n, int place)                                                             \
    {                                                                                                                  \
        static type values[LARGE];                                                                                     \
        tw_buffer *buffer = NULL;                                                                                      \
        for (size_t i = 0; i < n; ++i)                                                                                 \
            values[i] = place == ALL || (size_t)place == i ? (type)NAN : (type)((int)i - 3);                           \
        TW_PASS(tw_buffer_create(sizeof(type), tw_range_1d(n), &buffer));                                              \
        tw_test_store(buffer, values);                                                                                 \
        return buffer;                                                                                                 \
    }                                                                                                                  \
    static void check_group_##suffix(tw_queue *queue, int place)                                                       \
    {                                                                                                                  \
        type got[GROUP_RESULTS];                                                                                       \
        tw_buffer *in = values_##suffix(ITEMS, place), *out = NULL;                                                    \
        TW_PASS(tw_buffer_create(sizeof(type), tw_range_1d(GROUP_RESULTS), &out));                                     \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(ITEMS), tw_range_1d(ITEMS)), group_##suffix,         \
                                 .in = tw_read(cg, in), .out = tw_discard_write(cg, out));                             \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        tw_test_fetch(out, got);                                                                                       \
        const double least = place == ALL ? NAN : place == 0 ? -2 : -3;                                                \
        const double greatest = place == ALL ? NAN : place == ITEMS - 1 ? ITEMS - 5 : ITEMS - 4;                       \
        expect(got[0], least);                                                                                         \
        expect(got[1], greatest);                                                                                      \
        expect(got[2], greatest);                                                                                      \
        expect(got[3], place == ALL ? -INFINITY : ITEMS - 5);                                                          \
        expect(got[4], least);                                                                                         \
        expect(got[5], greatest);                                                                                      \
        TW_PASS(tw_buffer_destroy(&in));                                                                               \
        TW_PASS(tw_buffer_destroy(&out));                                                                              \
    }                                                                                                                  \
    /* `keep`: with what the elements hold, which is a NaN. */                                                         \
    static void check_range_##suffix(tw_queue *queue, size_t n, int place, bool keep)                                  \
    {                                                                                                                  \
        type got[2] = {(type)NAN, (type)NAN}, thirds[3] = {(type)NAN, (type)NAN, (type)NAN};                           \
        tw_buffer *in = values_##suffix(n, place), *out = NULL, *of_thirds = NULL;                                     \
        TW_PASS(tw_buffer_create(sizeof(type), tw_range_1d(2), &out));                                                 \
        TW_PASS(tw_buffer_create(sizeof(type), tw_range_1d(3), &of_thirds));                                           \
        tw_test_store(out, got);                                                                                       \
        tw_test_store(of_thirds, thirds);                                                                              \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        if (keep)                                                                                                      \
            tw_parallel_for(cg, tw_range_1d(n), range_##suffix, .in = tw_read(cg, in), .least = TW_REDUCE(cg, out),    \
                            .greatest = TW_REDUCE_AT(cg, out, 1), .of_thirds = TW_REDUCE_ARRAY(cg, of_thirds));        \
        else                                                                                                           \
            tw_parallel_for(cg, tw_range_1d(n), range_##suffix, .in = tw_read(cg, in),                                 \
                            .least = TW_REDUCE_INIT(cg, out), .greatest = TW_REDUCE_INIT_AT(cg, out, 1),               \
                            .of_thirds = TW_REDUCE_ARRAY_INIT(cg, of_thirds));                                         \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        tw_test_fetch(out, got);                                                                                       \
        tw_test_fetch(of_thirds, thirds);                                                                              \
        const int last = (int)n - 1;                                                                                   \
        expect(got[0], place == ALL ? NAN : place == 0 ? -2 : -3);                                                     \
        expect(got[1], place == ALL ? NAN : place == last ? last - 4 : last - 3);                                      \
        for (int i = 0; i < 3; ++i) {                                                                                  \
            const int at = last - (last - i) % 3;                                                                      \
            expect(thirds[i], place == ALL ? NAN : place == at ? at - 6 : at - 3);                                     \
        }                                                                                                              \
        TW_PASS(tw_buffer_destroy(&in));                                                                               \
        TW_PASS(tw_buffer_destroy(&out));                                                                              \
        TW_PASS(tw_buffer_destroy(&of_thirds));                                                                        \
    }

/* An infinity counts as a number. */
static void expect(double got, double wanted)
{
    const bool is_right = isnan(wanted) ? isnan(got) : got == wanted;
    if (!is_right)
        fprintf(stderr, "%g, not %g\n", got, wanted);
    TW_CHECK(is_right);
}

KERNELS(float, float)
KERNELS(double, double)

static const int places[] = {0, 1, 3, 31, 32, ITEMS - 1, ALL};

TW_TEST(groups_leave_nans_out)
{
    tw_queue *queue = nd_queue();
    if (!queue)
        TW_SKIP();
    for (size_t p = 0; p < sizeof places / sizeof *places; ++p) {
        check_group_float(queue, places[p]);
        check_group_double(queue, places[p]);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(reductions_leave_nans_out)
{
    tw_queue *queue = tw_test_queue();
    for (size_t p = 0; p < 2 * sizeof places / sizeof *places; ++p) {
        const int place = places[p / 2];
        check_range_float(queue, ITEMS, place, p % 2);
        check_range_double(queue, ITEMS, place, p % 2);
        check_range_float(queue, LARGE, place == ITEMS - 1 ? LARGE - 1 : place, p % 2);
        check_range_double(queue, LARGE, place == ITEMS - 1 ? LARGE - 1 : place, p % 2);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(groups_leave_nans_out),
    TW_CASE(reductions_leave_nans_out),
    TW_CASES_END,
};
