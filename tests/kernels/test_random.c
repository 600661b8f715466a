/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** random.h: the published values of Philox, the ends of ranges, and the same numbers in kernels as on the host. */
#include "tw_test.h"

#include <teamwork/random.h>

static void check_words(tw_random got, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    TW_EQUAL(got.word[0], a);
    TW_EQUAL(got.word[1], b);
    TW_EQUAL(got.word[2], c);
    TW_EQUAL(got.word[3], d);
}

/* The known answers of Random123, the authors' library. */
TW_TEST(known_answers)
{
    const uint32_t ones = 0xffffffffu;
    const tw_random zero = {{0, 0, 0, 0}}, all = {{ones, ones, ones, ones}};
    const tw_random pi = {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}};
    check_words(tw_philox4x32(zero, 0, 0), 0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u);
    check_words(tw_philox4x32(all, ones, ones), 0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu);
    check_words(tw_philox4x32(pi, 0xa4093822u, 0x299f31d0u), 0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u);
    check_words(tw_philox(0x299f31d0a4093822u, 0x85a308d3243f6a88u, 0x0370734413198a2eu), 0xd16cfe09u, 0x94fdccebu,
                0x5001e420u, 0x24126ea1u);
}

TW_TEST(ranges_end_below_1)
{
    TW_CHECK(tw_random_float(0) == 0 && tw_random_float(0xffffffffu) == 1 - 0x1p-24f);
    TW_CHECK(tw_random_double(0, 0) == 0 && tw_random_double(0xffffffffu, 0xffffffffu) == 1 - 0x1p-53);
    TW_CHECK(tw_random_float(0x80000000u) == 0.5f && tw_random_double(0x80000000u, 0) == 0.5);
}

struct draw {
    float *x;
    double *y;
};
static inline void draw(tw_item item, const struct draw *k)
{
    const size_t i = tw_global_id(item, 0);
    const tw_random random = tw_philox(4711, i, 3);
    k->x[i] = tw_random_float(random.word[0]);
    k->y[i] = tw_random_double(random.word[2], random.word[3]);
}
TW_RANGE_KERNEL(draw, 1);

TW_TEST(kernels_draw_the_same)
{
    enum { COUNT = 10000 };
    static float x[COUNT];
    static double y[COUNT];
    double sum = 0;
    tw_queue *queue = tw_test_queue();
    tw_buffer *xs = NULL, *ys = NULL;
    TW_PASS(tw_buffer_create(sizeof *x, tw_range_1d(COUNT), &xs));
    TW_PASS(tw_buffer_create(sizeof *y, tw_range_1d(COUNT), &ys));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(COUNT), draw, .x = tw_discard_write(cg, xs), .y = tw_discard_write(cg, ys));
    tw_test_run(queue, cg);
    tw_test_fetch(xs, x);
    tw_test_fetch(ys, y);
    for (size_t i = 0; i < COUNT; ++i) {
        const tw_random random = tw_philox(4711, i, 3);
        TW_CHECK(x[i] == tw_random_float(random.word[0]));
        TW_CHECK(y[i] == tw_random_double(random.word[2], random.word[3]));
        sum += x[i] + y[i];
    }
    TW_CHECK(sum > COUNT - 300 && sum < COUNT + 300); /* seven standard deviations */
    TW_PASS(tw_buffer_destroy(&xs));
    TW_PASS(tw_buffer_destroy(&ys));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(known_answers), TW_CASE(ranges_end_below_1), TW_CASE(kernels_draw_the_same), TW_CASES_END};
