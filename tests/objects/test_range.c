/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams) */
/** range.h: ranges, ids and nd_ranges, on the host and in a kernel (property 38). */
#include "tw_test.h"

#define OPERATORS(X) X(add) X(sub) X(mul) X(div) X(mod) X(and) X(or) X(xor) X(shl) X(shr)

enum { OPERATOR_COUNT = 10, FORMS = 4, RESULT = 4, RESULTS = OPERATOR_COUNT * FORMS * RESULT };

/* What an operator does to one component, written apart from the library. */
static size_t oracle(const char *name, size_t a, size_t b)
{
    const size_t width = sizeof(size_t) * 8;
    if (!strcmp(name, "add"))
        return a + b;
    if (!strcmp(name, "sub"))
        return a - b;
    if (!strcmp(name, "mul"))
        return a * b;
    if (!strcmp(name, "div"))
        return b == 0 ? 0 : a / b;
    if (!strcmp(name, "mod"))
        return b == 0 ? 0 : a % b;
    if (!strcmp(name, "and"))
        return a & b;
    if (!strcmp(name, "or"))
        return a | b;
    if (!strcmp(name, "xor"))
        return a ^ b;
    if (b >= width)
        return 0;
    return !strcmp(name, "shl") ? a << b : a >> b;
}

static const size_t samples[] = {0, 1, 2, 3, 7, 13, 63, 64, 1000, (size_t)1 << 40, SIZE_MAX};

enum { SAMPLES = sizeof samples / sizeof *samples };

static tw_range range_of(unsigned dims, size_t a, size_t b, size_t c)
{
    return dims == 1 ? tw_range_1d(a) : dims == 2 ? tw_range_2d(a, b) : tw_range_3d(a, b, c);
}

static tw_id id_of(unsigned dims, size_t a, size_t b, size_t c)
{
    return dims == 1 ? tw_id_1d(a) : dims == 2 ? tw_id_2d(a, b) : tw_id_3d(a, b, c);
}

static void check_range(const char *name, tw_range a, tw_range b, tw_range result)
{
    TW_EQUAL(result.dims, a.dims);
    for (unsigned d = 0; d < 3; ++d)
        TW_CHECK(result.size[d] == (d < a.dims ? oracle(name, a.size[d], b.size[d]) : 1));
}

static void check_id(const char *name, tw_id a, tw_id b, tw_id result)
{
    TW_EQUAL(result.dims, a.dims);
    for (unsigned d = 0; d < 3; ++d)
        TW_CHECK(result.at[d] == (d < a.dims ? oracle(name, a.at[d], b.at[d]) : 0));
}

static void check_pair(unsigned dims, size_t i, size_t j)
{
    const size_t x = samples[i], y = samples[j], z = samples[(i + j) % SAMPLES];
    const tw_range a = range_of(dims, x, y, z), b = range_of(dims, y, z, x), s = range_of(dims, y, y, y);
    const tw_id p = id_of(dims, x, y, z), q = id_of(dims, y, z, x), t = id_of(dims, y, y, y);
#define CHECK_OPERATOR(op)                                                                                             \
    check_range(#op, a, b, tw_range_##op(a, b));                                                                       \
    check_range(#op, a, s, tw_range_##op##_scalar(a, y));                                                              \
    check_id(#op, p, q, tw_id_##op(p, q));                                                                             \
    check_id(#op, p, t, tw_id_##op##_scalar(p, y));
    OPERATORS(CHECK_OPERATOR)
#undef CHECK_OPERATOR
}

/* Property 38. */
TW_TEST(operators_act_on_each_component)
{
    for (unsigned dims = 1; dims <= 3; ++dims)
        for (size_t i = 0; i < SAMPLES; ++i)
            for (size_t j = 0; j < SAMPLES; ++j)
                check_pair(dims, i, j);
}

TW_TEST(mixed_dimensions_give_an_invalid_value_that_stays_invalid)
{
#define CHECK_MIXED(op)                                                                                                \
    TW_EQUAL(tw_range_##op(tw_range_1d(4), tw_range_2d(4, 4)).dims, 0);                                                \
    TW_EQUAL(tw_range_##op(tw_range_3d(4, 4, 4), tw_range_2d(4, 4)).dims, 0);                                          \
    TW_EQUAL(tw_id_##op(tw_id_1d(4), tw_id_3d(4, 4, 4)).dims, 0);                                                      \
    TW_EQUAL(tw_range_##op##_scalar(tw_range_##op(tw_range_1d(4), tw_range_2d(4, 4)), 2).dims, 0);
    OPERATORS(CHECK_MIXED)
#undef CHECK_MIXED
    const tw_range invalid = tw_range_add(tw_range_1d(4), tw_range_2d(4, 4));
    TW_CHECK(!tw_range_is_valid(invalid));
    TW_CHECK(tw_range_count(invalid) == 0);
    TW_CHECK(!tw_range_equal(invalid, invalid));
    TW_CHECK(!tw_id_equal(tw_id_from_range(invalid), tw_id_from_range(invalid)));
}

TW_TEST(comparison_looks_at_dimensions_and_components)
{
    TW_CHECK(tw_range_equal(tw_range_2d(3, 4), tw_range_2d(3, 4)));
    TW_CHECK(!tw_range_equal(tw_range_2d(3, 4), tw_range_2d(4, 3)));
    TW_CHECK(!tw_range_equal(tw_range_1d(3), tw_range_2d(3, 1)));
    TW_CHECK(!tw_range_equal(tw_range_3d(1, 2, 3), tw_range_3d(1, 2, 4)));
    TW_CHECK(tw_id_equal(tw_id_3d(1, 2, 3), tw_id_3d(1, 2, 3)));
    TW_CHECK(!tw_id_equal(tw_id_1d(3), tw_id_2d(3, 0)));
    TW_CHECK(!tw_id_equal(tw_id_2d(3, 1), tw_id_2d(3, 0)));
}

TW_TEST(validity_means_dimensions_and_no_overflow)
{
    const tw_range four = {{1, 1, 1}, 4}, dirty = {{2, 3, 1}, 1};
    TW_CHECK(tw_range_is_valid(tw_range_1d(0)));
    TW_CHECK(tw_range_is_valid(tw_range_1d(SIZE_MAX)));
    TW_CHECK(tw_range_is_valid(tw_range_2d(SIZE_MAX, 1)));
    TW_CHECK(!tw_range_is_valid(tw_range_2d(SIZE_MAX, 2)));
    TW_CHECK(!tw_range_is_valid(tw_range_2d((size_t)1 << 32, (size_t)1 << 32)));
    TW_CHECK(tw_range_is_valid(tw_range_2d((size_t)1 << 32, ((size_t)1 << 32) - 1)));
    TW_CHECK(!tw_range_is_valid(tw_range_3d((size_t)1 << 22, (size_t)1 << 22, (size_t)1 << 22)));
    TW_CHECK(!tw_range_is_valid(four));
    TW_CHECK(!tw_range_is_valid(dirty));
    /* without elements nothing overflows, wherever the zero stands */
    TW_CHECK(tw_range_is_valid(tw_range_3d(SIZE_MAX, SIZE_MAX, 0)));
    TW_CHECK(tw_range_is_valid(tw_range_3d(0, SIZE_MAX, SIZE_MAX)));
}

TW_TEST(counts_ids_and_linear_ids)
{
    size_t linear = 0;
    TW_EQUAL(tw_range_count(tw_range_1d(7)), 7);
    TW_EQUAL(tw_range_count(tw_range_2d(7, 5)), 35);
    TW_EQUAL(tw_range_count(tw_range_3d(7, 5, 3)), 105);
    TW_EQUAL(tw_range_count(tw_range_3d(7, 0, 3)), 0);
    for (size_t i = 0; i < 4; ++i)
        for (size_t j = 0; j < 5; ++j)
            for (size_t k = 0; k < 6; ++k)
                TW_EQUAL(tw_linear_id(tw_id_3d(i, j, k), tw_range_3d(4, 5, 6)), linear++);
    TW_EQUAL(tw_linear_id(tw_id_2d(3, 4), tw_range_2d(9, 5)), 19);
    TW_EQUAL(tw_linear_id(tw_id_1d(3), tw_range_1d(9)), 3);
    TW_CHECK(tw_id_equal(tw_id_from_range(tw_range_1d(5)), tw_id_1d(5)));
    TW_CHECK(tw_id_equal(tw_id_from_range(tw_range_2d(5, 6)), tw_id_2d(5, 6)));
    TW_CHECK(tw_id_equal(tw_id_from_range(tw_range_3d(5, 6, 7)), tw_id_3d(5, 6, 7)));
}

TW_TEST(nd_range_splits_into_groups)
{
    const tw_nd_range plain = tw_nd_range_make(tw_range_2d(12, 20), tw_range_2d(3, 5));
    const tw_nd_range moved = tw_nd_range_make_offset(tw_range_1d(8), tw_range_1d(2), tw_id_1d(100));
    TW_CHECK(tw_range_equal(tw_nd_range_group_range(plain), tw_range_2d(4, 4)));
    TW_CHECK(tw_id_equal(plain.offset, tw_id_2d(0, 0)));
    TW_CHECK(tw_id_equal(moved.offset, tw_id_1d(100)));
    TW_CHECK(tw_range_equal(moved.global, tw_range_1d(8)) && tw_range_equal(moved.local, tw_range_1d(2)));
}

/* ---- the same in a kernel ---------------------------------------------------------------------------------------- */

struct evaluate {
    const size_t *samples;
    size_t sample_count;
    unsigned dims;
    size_t *out; /* RESULTS for each pair of samples */
};

static inline size_t *put_range(size_t *out, tw_range r)
{
    out[0] = r.size[0];
    out[1] = r.size[1];
    out[2] = r.size[2];
    out[3] = r.dims;
    return out + RESULT;
}

static inline size_t *put_id(size_t *out, tw_id i)
{
    out[0] = i.at[0];
    out[1] = i.at[1];
    out[2] = i.at[2];
    out[3] = i.dims;
    return out + RESULT;
}

static inline void evaluate(tw_item item, const struct evaluate *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    const size_t x = k->samples[i], y = k->samples[j], z = k->samples[(i + j) % k->sample_count];
    const tw_range a = {{x, k->dims > 1 ? y : 1, k->dims > 2 ? z : 1}, k->dims};
    const tw_range b = {{y, k->dims > 1 ? z : 1, k->dims > 2 ? x : 1}, k->dims};
    const tw_id p = tw_id_from_range(a), q = tw_id_from_range(b);
    size_t *out = k->out + tw_global_linear_id(item) * RESULTS;
#define PUT_OPERATOR(op)                                                                                               \
    out = put_range(out, tw_range_##op(a, b));                                                                         \
    out = put_range(out, tw_range_##op##_scalar(a, y));                                                                \
    out = put_id(out, tw_id_##op(p, q));                                                                               \
    out = put_id(out, tw_id_##op##_scalar(p, y));
    OPERATORS(PUT_OPERATOR)
#undef PUT_OPERATOR
}
TW_RANGE_KERNEL(evaluate, 2);

static void check_results(const size_t *out, unsigned dims, size_t i, size_t j)
{
    const size_t x = samples[i], y = samples[j], z = samples[(i + j) % SAMPLES];
    const tw_range a = range_of(dims, x, y, z), b = range_of(dims, y, z, x), s = range_of(dims, y, y, y);
    tw_range r = {{0, 0, 0}, 0};
    tw_id d = {{0, 0, 0}, 0};
#define TAKE_RANGE (memcpy(r.size, out, sizeof r.size), r.dims = (unsigned)out[3], out += RESULT, r)
#define TAKE_ID (memcpy(d.at, out, sizeof d.at), d.dims = (unsigned)out[3], out += RESULT, d)
#define CHECK_OPERATOR(op)                                                                                             \
    check_range(#op, a, b, TAKE_RANGE);                                                                                \
    check_range(#op, a, s, TAKE_RANGE);                                                                                \
    check_id(#op, tw_id_from_range(a), tw_id_from_range(b), TAKE_ID);                                                  \
    check_id(#op, tw_id_from_range(a), tw_id_from_range(s), TAKE_ID);
    OPERATORS(CHECK_OPERATOR)
#undef CHECK_OPERATOR
#undef TAKE_RANGE
#undef TAKE_ID
}

/* Property 38, on the device. */
TW_TEST(operators_act_on_each_component_in_a_kernel)
{
    static size_t results[SAMPLES * SAMPLES][RESULTS];
    tw_queue *queue = tw_test_queue();
    for (unsigned dims = 1; dims <= 3; ++dims) {
        tw_buffer *in = NULL, *out = NULL;
        TW_PASS(tw_buffer_create_over_const(samples, sizeof *samples, tw_range_1d(SAMPLES), &in));
        TW_PASS(tw_buffer_create_over(results, sizeof results[0], tw_range_1d(SAMPLES * SAMPLES), &out));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_2d(SAMPLES, SAMPLES), evaluate, .samples = tw_read(cg, in),
                        .sample_count = SAMPLES, .dims = dims, .out = tw_discard_write(cg, out));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&out));
        TW_PASS(tw_buffer_destroy(&in));
        for (size_t i = 0; i < SAMPLES; ++i)
            for (size_t j = 0; j < SAMPLES; ++j)
                check_results(results[i * SAMPLES + j], dims, i, j);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(operators_act_on_each_component),
                TW_CASE(mixed_dimensions_give_an_invalid_value_that_stays_invalid),
                TW_CASE(comparison_looks_at_dimensions_and_components),
                TW_CASE(validity_means_dimensions_and_no_overflow),
                TW_CASE(counts_ids_and_linear_ids),
                TW_CASE(nd_range_splits_into_groups),
                TW_CASE(operators_act_on_each_component_in_a_kernel),
                TW_CASES_END};
