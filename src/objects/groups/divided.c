/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording groups of a queue over several devices. While the program records such a group, nobody knows which device will
 * run what. So accessors return placeholders: addresses that no memory has.
 */
#include "divided.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/detail.h"
#include "base/memory.h"
#include "graph/division.h"
#include "kernel_pointers.h"
#include "objects/data/buffer.h"

/* The first placeholder of a group. No processor has such an address, and a double with these bits is a NaN that arithmetic
   does not make. The 16 bits in the middle differ from group to group, and the lower half is none of a small number: padding
   behind a number of 32 bits may have the upper half of an older placeholder. */
#define PLACEHOLDERS ((uintptr_t)0x7ff3 << 48 | 0x9d3c6000u)
#define GROUP_BIT 32
#define PLACEHOLDER_STEP 4096u /* between the memory that placeholders stand for: they are aligned for any type */

void tw_divided_free(struct tw_divided *divided)
{
    if (!divided)
        return;
    free(divided->accesses);
    free(divided->placeholders);
    free(divided->kept_block);
    free(divided->room);
    free(divided);
}

void tw_divided_drop_locked(struct tw_command_group *group)
{
    struct tw_divided *divided = group->divided, *none = NULL;
    struct tw_queue_devices *devices = group->queue->devices;
    for (size_t i = 0; i < divided->count; ++i)
        tw_buffer_unuse_locked(divided->accesses[i].root);
    divided->count = 0;
    devices->free_spare = tw_divided_free;
    if (atomic_compare_exchange_strong(&devices->spare, &none, divided))
        group->divided = NULL;
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

static void refuse_memory(struct tw_command_group *group)
{
    tw_command_group_fail(group, tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a group of several devices"));
}

static void *note_access(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box,
                         tw_range range, tw_access_mode mode, const tw_range_mapper *mapper)
{
    struct tw_divided *divided = group->divided;
    if (tw_box_is_empty(box)) {
        group->accessed_nothing = true;
        return NULL;
    }
    struct tw_mapped_access *accesses =
        tw_list_with_room(divided->accesses, divided->count, &divided->capacity, sizeof *accesses);
    if (!accesses) {
        refuse_memory(group);
        return NULL;
    }
    divided->accesses = accesses;
    const struct tw_data *data = &buffer->root->data;
    const struct tw_box last = {{box->end[0] - 1, box->end[1] - 1, box->end[2] - 1}, {0, 0, 0}};
    const size_t elements = tw_box_first(&last, &data->whole) - tw_box_first(box, &data->whole) + 1;
    struct tw_mapped_access *access = &accesses[divided->count++];
    *access = (struct tw_mapped_access){.root = buffer->root,
                                        .box = *box,
                                        .range = range,
                                        .mode = mode,
                                        .mapper = *mapper,
                                        .placeholder = divided->next,
                                        .bytes = elements * data->element_bytes};
    atomic_fetch_add(&buffer->root->uses, 1); /* the caller's handle keeps it alive */
    divided->next += (access->bytes + 2 * PLACEHOLDER_STEP - 1) / PLACEHOLDER_STEP * PLACEHOLDER_STEP;
    return (void *)access->placeholder;
}

static void *note_reduction(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box,
                            tw_range range, bool keep, bool is_array)
{
    const tw_range_mapper all = tw_all();
    struct tw_divided *divided = group->divided;
    void *to = note_access(group, buffer, box, range, keep ? TW_READ_WRITE : TW_DISCARD_WRITE, &all);
    if (to) {
        divided->accesses[divided->count - 1].kind = is_array ? TW_ACCESS_ARRAY : TW_ACCESS_VALUE;
        ++divided->reductions;
    }
    return to;
}

static void note_sample(struct tw_command_group *group, const struct tw_backend_texture *texture)
{
    struct tw_mapped_access *access = &group->divided->accesses[group->divided->count - 1];
    access->is_sampled = true;
    access->texture = *texture;
}

/* Notes the access whose memory a word of the block stands for, if it is a placeholder: also one just behind that memory.
   Returns false if memory is exhausted. */
static bool note_word(struct tw_divided *divided, size_t at)
{
    uintptr_t word;
    memcpy(&word, divided->block + at, sizeof word);
    if (word < divided->first || word >= divided->next)
        return true;
    size_t i = 0;
    while (i < divided->count && word - divided->accesses[i].placeholder > divided->accesses[i].bytes)
        ++i;
    if (i == divided->count)
        return true;
    struct tw_placeholder *placeholders = tw_list_with_room(divided->placeholders, divided->placeholder_count,
                                                            &divided->placeholder_capacity, sizeof *placeholders);
    if (!placeholders)
        return false;
    divided->placeholders = placeholders;
    placeholders[divided->placeholder_count++] =
        (struct tw_placeholder){at, i, word - divided->accesses[i].placeholder};
    divided->accesses[i].is_found = true;
    return true;
}

/* Returns true if a word that overlaps this place was noted. */
static bool is_noted(const struct tw_divided *divided, size_t at)
{
    for (size_t i = 0; i < divided->placeholder_count; ++i)
        if (divided->placeholders[i].at < at + sizeof(uintptr_t)
            && at < divided->placeholders[i].at + sizeof(uintptr_t))
            return true;
    return false;
}

/* Finds the placeholders in the block: in the pointers that the compiler tells of and, if there may be others, anywhere. What
   lies between the members has no meaning, and is not looked at without need. Returns false if memory is exhausted. */
static bool find_placeholders(struct tw_divided *divided)
{
    const struct tw_internal_kernel *kernel = divided->request.kernel;
    const size_t bytes = divided->request.block_bytes;
    unsigned count = 0;
    if (kernel->abi != TW_INTERNAL_KERNEL_ABI || kernel->args_bytes != bytes)
        return true; /* the launch is refused when it is recorded */
    if (tw_kernel_list_pointers(kernel, &count) != TW_SUCCESS)
        return false;
    for (unsigned i = 1; i <= count; ++i)
        if (!note_word(divided, kernel->pointers[i].offset))
            return false;
    bool may_be_more = kernel->pointers->may_be_null;
    for (size_t i = 0; i < divided->count; ++i)
        may_be_more = may_be_more || !divided->accesses[i].is_found;
    for (size_t at = 0; may_be_more && at + sizeof(uintptr_t) <= bytes; ++at)
        if (!is_noted(divided, at) && !note_word(divided, at))
            return false;
    return true;
}

static void note_launch(struct tw_command_group *group, const struct tw_launch_request *request, const void *block)
{
    struct tw_divided *divided = group->divided;
    divided->request = *request;
    group->kernel = request->kernel;
    if (divided->kept_bytes <= request->block_bytes) {
        free(divided->kept_block);
        divided->kept_block = malloc(request->block_bytes + 1);
        divided->kept_bytes = divided->kept_block ? request->block_bytes + 1 : 0;
    }
    divided->block = divided->kept_block;
    if (divided->block)
        memcpy(divided->block, block, request->block_bytes);
    if (!divided->block || !find_placeholders(divided))
        refuse_memory(group);
}

static tw_status settle(struct tw_command_group *group, const char *step)
{
    struct tw_divided *divided = group->divided;
    if (divided->count)
        tw_command_group_fail(group,
                              tw_fail(TW_ERROR_UNSUPPORTED,
                                      "%s runs on one device, and the group's accessors are of a queue over several: "
                                      "submit it to a queue of the device",
                                      step));
    if (group->status != TW_SUCCESS)
        return group->status; /* it keeps what it has until it is discarded */
    tw_divided_free(divided);
    group->divided = NULL;
    group->recorder = NULL;
    return TW_SUCCESS;
}

bool tw_divided_begin(struct tw_command_group *group)
{
    static const struct tw_group_recorder recorder = {.access = note_access,
                                                      .reduce = note_reduction,
                                                      .launch = note_launch,
                                                      .sample = note_sample,
                                                      .settle = settle};
    static _Atomic uint16_t groups;
    struct tw_divided *divided = atomic_exchange(&group->queue->devices->spare, NULL);
    if (!divided && !(divided = calloc(1, sizeof *divided)))
        return false;
    divided->count = divided->reductions = divided->placeholder_count = 0;
    divided->block = NULL;
    divided->sets_variable = false;
    divided->fallback = NULL;
    group->divided = divided;
    group->recorder = &recorder;
    divided->first = divided->next = PLACEHOLDERS | (uintptr_t)atomic_fetch_add(&groups, 1) << GROUP_BIT;
    return true;
}
