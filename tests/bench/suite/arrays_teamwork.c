/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers for the arrays of a problem. What no array brings is poisoned where the kernels run, by a kernel. */
#include "arrays_teamwork.h"

#include <stdlib.h>

/* A word of an array, whatever its elements are. */
struct suite_word {
    uint32_t bits;
};

struct suite_poison {
    struct suite_word *words;
};

static inline void suite_poison(tw_item item, const struct suite_poison *k)
{
    k->words[tw_global_id(item, 0)].bits = SUITE_POISON * UINT32_C(0x01010101);
}
TW_RANGE_KERNEL(suite_poison, 1);

struct suite_copy {
    const struct suite_word *from;
    struct suite_word *to;
};

static inline void suite_copy(tw_item item, const struct suite_copy *k)
{
    k->to[tw_global_id(item, 0)] = k->from[tw_global_id(item, 0)];
}
TW_RANGE_KERNEL(suite_copy, 1);

static tw_range words_of(const tw_buffer *buffer)
{
    return tw_range_1d(tw_buffer_size(buffer) / sizeof(uint32_t));
}

static bool copy(tw_buffer *from, tw_buffer *to)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, words_of(to), suite_copy, .from = tw_read(cg, from), .to = tw_discard_write(cg, to));
    return suite_submit(cg);
}

static bool poison(tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, words_of(buffer), suite_poison, .words = tw_discard_write(cg, buffer));
    return suite_submit(cg);
}

static bool open_array(const struct suite_array *array, size_t each, tw_buffer **at, tw_buffer **pristine)
{
    const tw_range elements = tw_range_1d(array->bytes / each);
    if (array->bytes == 0)
        return true;
    if (!array->initial || array->restored) {
        if (!bench_passed(tw_buffer_create(each, elements, at)))
            return false;
        if (!array->initial)
            return poison(*at);
        return bench_passed(tw_buffer_create_copy(array->initial, each, elements, pristine)) && copy(*pristine, *at);
    }
    return bench_passed(tw_buffer_create_copy(array->initial, each, elements, at));
}

void *suite_teamwork_open(const void *problem)
{
    const struct suite_arrays *arrays = problem;
    struct suite_teamwork *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->problem = problem;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i) {
        const size_t each = arrays->doubles >> i & 1 ? sizeof(double) : sizeof(uint32_t);
        if (!open_array(&arrays->at[i], each, &s->at[i], &s->pristine[i])) {
            suite_teamwork_close(s);
            return NULL;
        }
    }
    return s;
}

bool suite_teamwork_reset(void *state)
{
    const struct suite_teamwork *s = state;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i)
        if (s->pristine[i] && !copy(s->pristine[i], s->at[i]))
            return false;
    return suite_wait();
}

bool suite_teamwork_fetch(void *state, void *result)
{
    const struct suite_teamwork *s = state;
    tw_buffer *buffer = s->at[((const struct suite_arrays *)s->problem)->result];
    return suite_buffer_get(buffer, result, tw_buffer_size(buffer));
}

void suite_teamwork_close(void *state)
{
    struct suite_teamwork *s = state;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i) {
        bench_passed(tw_buffer_destroy(&s->at[i]));
        bench_passed(tw_buffer_destroy(&s->pristine[i]));
    }
    free(s);
}
