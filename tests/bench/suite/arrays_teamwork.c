/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers for the arrays of a problem. What no array brings is poisoned where the kernels run, by a kernel. */
#include "arrays_teamwork.h"

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

static bool open_array(const struct suite_array *array, size_t each, tw_buffer **buffer)
{
    const tw_range elements = tw_range_1d(array->bytes / each), words = tw_range_1d(array->bytes / sizeof(uint32_t));
    if (array->bytes == 0)
        return true;
    if (array->initial)
        return bench_passed(tw_buffer_create_copy(array->initial, each, elements, buffer));
    if (!bench_passed(tw_buffer_create(each, elements, buffer)))
        return false;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, words, suite_poison, .words = tw_discard_write(cg, *buffer));
    return suite_submit(cg);
}

void *suite_teamwork_open(const void *problem)
{
    const struct suite_arrays *arrays = problem;
    struct suite_teamwork *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->problem = problem;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i)
        if (!open_array(&arrays->at[i], arrays->doubles >> i & 1 ? sizeof(double) : sizeof(uint32_t), &s->at[i])) {
            suite_teamwork_close(s);
            return NULL;
        }
    return s;
}

bool suite_buffer_get(tw_buffer *buffer, void *result, size_t bytes)
{
    tw_host_accessor *access;
    const tw_range first = tw_range_1d(bytes / tw_buffer_element_size(buffer));
    if (!bench_passed(tw_host_access_part(buffer, tw_id_1d(0), first, TW_READ, &access)))
        return false;
    memcpy(result, tw_host_accessor_const_data(access), bytes);
    tw_host_accessor_release(&access);
    return true;
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
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i)
        bench_passed(tw_buffer_destroy(&s->at[i]));
    free(s);
}
