/* SPDX-License-Identifier: Apache-2.0 */
/* What the problems have in common: messages, and memory of either kind. */
#include "problem.h"

#include <stdio.h>
#include <string.h>

bool problem_fail(const char *what, const char *why)
{
    fprintf(stderr, "groups: %s: %s\n", what, why);
    return false;
}

bool problem_passed(tw_status status, const char *what)
{
    if (status != TW_SUCCESS)
        fprintf(stderr, "groups: %s: %s: %s\n", what, tw_status_name(status), tw_error_detail());
    return status == TW_SUCCESS;
}

void problem_add(struct problem *problem, const char *label, int side, int form)
{
    problem->contenders[problem->count++] = (struct contender){label, side, form};
}

void problem_add_openmp(struct problem *problem, const struct setting *setting, int form)
{
    for (int side = 0; side < setting->side_count; ++side)
        problem_add(problem, setting->sides[side]->name, side, form);
}

tw_buffer *problem_buffer(const void *data, size_t element_bytes, size_t count)
{
    tw_buffer *buffer = NULL;
    const tw_range range = tw_range_1d(count);
    problem_passed(data ? tw_buffer_create_copy(data, element_bytes, range, &buffer)
                        : tw_buffer_create(element_bytes, range, &buffer),
                   "no buffer");
    return buffer;
}

void *problem_memory(const struct openmp_side *side, const void *data, size_t bytes)
{
    void *memory = side->allocate(bytes);
    if (memory && data && !side->copy_in(memory, data, bytes)) {
        side->release(memory);
        memory = NULL;
    }
    if (!memory)
        problem_fail(side->name, "no memory on the device");
    return memory;
}

static bool copy(tw_buffer *buffer, void *to, const void *from)
{
    tw_host_accessor *accessor;
    if (!problem_passed(tw_host_access(buffer, to ? TW_READ : TW_DISCARD_WRITE, &accessor), "no access to a buffer"))
        return false;
    if (to)
        memcpy(to, tw_host_accessor_const_data(accessor), tw_buffer_size(buffer));
    else
        memcpy(tw_host_accessor_data(accessor), from, tw_buffer_size(buffer));
    tw_host_accessor_release(&accessor);
    return true;
}

bool problem_read(tw_buffer *buffer, void *to)
{
    return copy(buffer, to, NULL);
}

bool problem_write(tw_buffer *buffer, const void *from)
{
    return copy(buffer, NULL, from);
}

uint64_t problem_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}
