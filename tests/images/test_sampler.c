/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: x86_64 (gpu-simt), values */
/* Samplers (sampler.h): what they are made with, on the host and in kernels (property 66). What they do:
   image_sampling. */
#include "tw_test.h"

#include <teamwork/sampler.h>

enum { MODES = 5, FILTERS = 2, ALL = MODES * FILTERS * 2 };

static const tw_addressing_mode modes[MODES] = {TW_ADDRESS_NONE, TW_ADDRESS_CLAMP_TO_EDGE, TW_ADDRESS_CLAMP,
                                                TW_ADDRESS_REPEAT, TW_ADDRESS_MIRRORED_REPEAT};
static const tw_filter_mode filters[FILTERS] = {TW_FILTER_NEAREST, TW_FILTER_LINEAR};

/* What the numbers of a sampler are as one integer, computed from what went in. */
static int expected(size_t i)
{
    return (int)modes[i % MODES] * 100 + (int)filters[i / MODES % FILTERS] * 10 + (int)(i / MODES / FILTERS);
}

static tw_sampler make(size_t i)
{
    return tw_sampler_make(i / MODES / FILTERS != 0, modes[i % MODES], filters[i / MODES % FILTERS]);
}

static inline int numbers(tw_sampler sampler)
{
    return (int)tw_sampler_addressing_mode(sampler) * 100 + (int)tw_sampler_filter_mode(sampler) * 10
           + (int)tw_sampler_normalized_coords(sampler);
}

TW_TEST(a_sampler_returns_what_it_was_made_with)
{
    for (size_t i = 0; i < ALL; ++i)
        TW_EQUAL(numbers(make(i)), expected(i));
}

TW_TEST(what_is_no_enumerator_counts_as_zero)
{
    const tw_sampler sampler = tw_sampler_make(true, (tw_addressing_mode)77, (tw_filter_mode)-1);
    TW_EQUAL(numbers(sampler), (int)TW_ADDRESS_NONE * 100 + (int)TW_FILTER_NEAREST * 10 + 1);
}

struct take_samplers {
    tw_sampler samplers[ALL];
    int *out;
};
static inline void take_samplers(tw_item item, const struct take_samplers *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = numbers(k->samplers[i]);
}
TW_RANGE_KERNEL(take_samplers, 1);

/* Spec 3.7.4: samplers are passed by value. */
TW_TEST(samplers_travel_in_the_block)
{
    int out[ALL] = {0};
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    struct take_samplers all;
    TW_EQUAL(sizeof(tw_sampler), 4);
    for (size_t i = 0; i < ALL; ++i)
        all.samplers[i] = make(i);
    TW_PASS(tw_buffer_create_over(out, sizeof out[0], tw_range_1d(ALL), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
#define S(i) all.samplers[i]
    tw_parallel_for(cg, tw_range_1d(ALL), take_samplers,
                    .samplers = {S(0),  S(1),  S(2),  S(3),  S(4),  S(5),  S(6),  S(7),  S(8),  S(9),
                                 S(10), S(11), S(12), S(13), S(14), S(15), S(16), S(17), S(18), S(19)},
                    .out = tw_discard_write(cg, buffer));
#undef S
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
    for (size_t i = 0; i < ALL; ++i)
        TW_EQUAL(out[i], expected(i));
}

TW_TEST_LIST = {
    TW_CASE(a_sampler_returns_what_it_was_made_with),
    TW_CASE(what_is_no_enumerator_counts_as_zero),
    TW_CASE(samplers_travel_in_the_block),
    TW_CASES_END,
};
