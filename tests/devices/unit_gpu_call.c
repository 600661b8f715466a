/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_call.c: the grid and the words of a launch that is a part of a larger one, for a driver. Needs private headers.
 */
#include "tw_test.h"

#include <teamwork/lower/kernel/simt.h>

#include "backends/gpu/gpu_kernel.h"

static size_t kernel_word;

/* The call of a part, from `first` on, of a launch in two dimensions. */
static struct tw_gpu_call call_of(enum tw_internal_form form, size_t first, size_t offset)
{
    const struct tw_internal_kernel key = {.form = form, .name = "life", .file = "life.c", .local_bytes = &kernel_word};
    const struct tw_gpu_kernel kernel = {
        .key = &key, .words = 8, .parameters = 1 + TW_INTERNAL_SIMT_WORDS + 8 + TW_GPU_CLAUSE_WORDS};
    const struct tw_internal_launch launch = {.args = &kernel_word, /* of no bytes */
                                              .range = {500, 300, 1},
                                              .offset = {offset, 0, 0},
                                              .whole = {1000, 300, 1},
                                              .first = {first, 0, 0},
                                              .local = {8, 16, 1},
                                              .dims = 2};
    struct tw_gpu_call call;
    tw_gpu_call(&kernel, &launch, &call);
    return call;
}

static struct tw_internal_simt_captures words_of(const struct tw_gpu_call *call)
{
    struct tw_internal_simt_captures words;
    memcpy(&words, &call->parameters[1], sizeof words);
    return words;
}

/* Kernels are told of the whole. */
static void check_words(const struct tw_internal_simt_captures *words)
{
    TW_EQUAL(words->r0, 500);
    TW_EQUAL(words->w0, 1000);
    TW_EQUAL(words->w1, 300);
    TW_EQUAL(words->w2, 1);
}

TW_TEST(a_part_of_a_range)
{
    const struct tw_gpu_call begin = call_of(TW_INTERNAL_RANGE, 0, 0), end = call_of(TW_INTERNAL_RANGE, 500, 500 + 7);
    const struct tw_internal_simt_captures of_begin = words_of(&begin), of_end = words_of(&end);
    check_words(&of_begin);
    check_words(&of_end);
    TW_EQUAL(of_begin.f0, 0);
    TW_EQUAL(of_end.o0, 507);
    TW_EQUAL(of_end.f0, 7); /* the offset of the whole */
    /* the grid has two dimensions wherever the part begins, and the kernel is told whether ids begin at 0 */
    TW_EQUAL(begin.grid[1], 500 / 4);
    TW_EQUAL(begin.block[1], 4);
    TW_EQUAL(end.grid[0], begin.grid[0]);
    TW_EQUAL(end.grid[1], begin.grid[1]);
    TW_EQUAL(end.block[1], begin.block[1]);
    const uint64_t shaped = TW_INTERNAL_SIMT_SHAPED | TW_INTERNAL_SIMT_SHAPED_AT_OFFSET;
    TW_CHECK((of_begin.shape & shaped) == TW_INTERNAL_SIMT_SHAPED);
    TW_CHECK((of_end.shape & shaped) == TW_INTERNAL_SIMT_SHAPED_AT_OFFSET);
}

/* It has two dimensions wherever the part begins. */
TW_TEST(a_part_of_groups)
{
    const struct tw_gpu_call call = call_of(TW_INTERNAL_ND_RANGE, 500, 7);
    const struct tw_internal_simt_captures words = words_of(&call);
    check_words(&words);
    TW_EQUAL(words.o0, 7);
    TW_EQUAL(words.f0, 500);
    TW_CHECK(words.shape & TW_INTERNAL_SIMT_SHAPED);
    TW_EQUAL(call.grid[0], 300);
    TW_EQUAL(call.grid[1], 500);
    TW_EQUAL(call.block[0], 8 * 16);
}

TW_TEST_LIST = {TW_CASE(a_part_of_a_range), TW_CASE(a_part_of_groups), TW_CASES_END};
