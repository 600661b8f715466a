/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions on several devices. Each piece reduces into elements of its own, the partials. A host task combines them in the
 * order of the pieces, and then with the targets: so the result depends on how the launch is divided, and on nothing else.
 */
#include "divided_reduce.h"

#include <stdlib.h>
#include <string.h>

#include <teamwork/task.h>

#include "base/detail.h"
#include "objects/data/buffer.h"

/* ---- partials ---------------------------------------------------------------------------------------------------- */

tw_status tw_divided_make_partials(struct tw_submission *all)
{
    size_t count = 0;
    all->partials = calloc(all->divided->reductions, sizeof *all->partials);
    if (!all->partials)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to reduce on several devices");
    for (size_t i = 0; i < all->divided->count; ++i) {
        const struct tw_mapped_access *access = &all->divided->accesses[i];
        if (access->kind == TW_ACCESS_KERNEL)
            continue;
        struct tw_partials *partials = &all->partials[count++];
        partials->access = i;
        partials->elements = access->range.size[0];
        const tw_status status = tw_buffer_create(access->root->data.element_bytes,
                                                  tw_range_1d(all->count * partials->elements), &partials->buffer);
        if (status != TW_SUCCESS)
            return status;
    }
    return TW_SUCCESS;
}

void tw_divided_drop_partials(struct tw_submission *all)
{
    for (size_t i = 0; all->partials && i < all->divided->reductions; ++i)
        if (all->partials[i].buffer)
            tw_buffer_drop(all->partials[i].buffer);
    free(all->partials);
    all->partials = NULL;
}

/* Puts what stands for the target of a reduction, whose first member is its address, into the block. */
static void set_target(const struct tw_submission *all, size_t access, const void *target, size_t bytes)
{
    for (size_t i = 0; i < all->divided->placeholder_count; ++i)
        if (all->divided->placeholders[i].access == access)
            memcpy(all->block + all->divided->placeholders[i].at, target, bytes);
}

/* Lets a piece reduce into `count` elements of a buffer, from `first` on. */
static void reduce_into(const struct tw_submission *all, struct tw_command_group *group, size_t access,
                        struct tw_buffer *buffer, size_t first, size_t count)
{
    const struct tw_mapped_access *to = &all->divided->accesses[access];
    const bool keep = !all->partials && tw_access_mode_needs(to->mode);
    if (to->kind == TW_ACCESS_VALUE) {
        const struct tw_internal_target target = tw_internal_reduction(group, buffer, first, keep);
        set_target(all, access, &target, sizeof target);
        return;
    }
    struct tw_buffer part = {.copy = buffer->copy, .root = buffer->root, .range = tw_range_1d(count)};
    part.box = all->partials ? tw_box_of_part(tw_id_1d(first), part.range) : to->box;
    const struct tw_internal_array target = tw_internal_reduction_array(group, &part, keep);
    set_target(all, access, &target, sizeof target);
}

void tw_divided_record_reduction(const struct tw_submission *all, struct tw_command_group *group, size_t access)
{
    const struct tw_mapped_access *to = &all->divided->accesses[access];
    const struct tw_partials *partials = all->partials;
    if (!partials) {
        reduce_into(all, group, access, to->root, tw_box_first(&to->box, &to->root->data.whole), to->range.size[0]);
        return;
    }
    while (partials->access != access)
        ++partials;
    reduce_into(all, group, access, partials->buffer, all->group_count * partials->elements, partials->elements);
}

/* ---- combination ------------------------------------------------------------------------------------------------- */

/* A reduction, for combine(). */
struct reduction {
    size_t at;               /* of its target in the kernel's block */
    unsigned char *partials; /* on the host */
    unsigned char *target;   /* likewise */
    size_t bytes;            /* of a piece's partials */
    bool keep;               /* the target's value counts */
};

/* What combine() is told. The kernel's block follows the reductions, and room for another one. */
struct combination {
    void (*merge)(const void *to, const void *from);
    size_t pieces, count, block_bytes;
    _Alignas(max_align_t) struct reduction reductions[];
};

static void set_pointer(unsigned char *block, const struct reduction *reduction, unsigned char *pointer)
{
    memcpy(block + reduction->at, &pointer, sizeof pointer);
}

/* A host task: combines the partials in the order of the pieces, and then with the targets. */
static tw_status combine(const void *args)
{
    const struct combination *all = args;
    const struct reduction *reductions = all->reductions, *past = reductions + all->count;
    unsigned char *to = (unsigned char *)(uintptr_t)past, *from = to + all->block_bytes; /* the task's own copy */
    for (size_t piece = 1; piece < all->pieces; ++piece) {
        for (const struct reduction *r = reductions; r < past; ++r) {
            set_pointer(to, r, r->partials);
            set_pointer(from, r, r->partials + piece * r->bytes);
        }
        all->merge(to, from);
    }
    /* What is replaced is combined with the second piece's, which nobody needs any more. */
    for (const struct reduction *r = reductions; r < past; ++r) {
        set_pointer(from, r, r->partials);
        set_pointer(to, r, r->keep ? r->target : r->partials + r->bytes);
        if (!r->keep)
            memcpy(r->target, r->partials, r->bytes);
    }
    all->merge(to, from);
    return TW_SUCCESS;
}

static size_t target_at(const struct tw_divided *divided, size_t access)
{
    size_t i = 0;
    while (i + 1 < divided->placeholder_count && divided->placeholders[i].access != access)
        ++i;
    return divided->placeholders[i].at;
}

struct tw_command_group *tw_divided_record_combination(const struct tw_submission *all)
{
    const size_t block_bytes = (all->request.block_bytes + 15) / 16 * 16;
    const size_t bytes =
        sizeof(struct combination) + all->divided->reductions * sizeof(struct reduction) + 2 * block_bytes;
    struct combination *combination = aligned_alloc(_Alignof(max_align_t), (bytes + 15) / 16 * 16);
    struct tw_command_group *group = combination ? tw_queue_begin(all->group->queue) : NULL;
    if (!group) {
        free(combination);
        return NULL;
    }
    memset(combination, 0, bytes);
    combination->merge = all->request.kernel->merge;
    combination->pieces = all->count;
    combination->count = all->divided->reductions;
    combination->block_bytes = block_bytes;
    unsigned char *block = (unsigned char *)&combination->reductions[combination->count];
    memcpy(block, all->divided->block, all->request.block_bytes);
    memcpy(block + block_bytes, all->divided->block, all->request.block_bytes);
    for (size_t i = 0; i < combination->count; ++i) {
        const struct tw_partials *partials = &all->partials[i];
        const struct tw_mapped_access *access = &all->divided->accesses[partials->access];
        struct reduction *reduction = &combination->reductions[i];
        reduction->at = target_at(all->divided, partials->access);
        reduction->bytes = partials->elements * access->root->data.element_bytes;
        reduction->keep = tw_access_mode_needs(access->mode);
        reduction->partials = tw_access(group, partials->buffer, TW_READ_WRITE, TW_HOST);
        reduction->target =
            group->status == TW_SUCCESS
                ? tw_command_group_access_within(group, access->root, &access->box, &access->box, access->mode)
                : NULL;
    }
    tw_internal_host_task(group, combine, all->request.kernel->name, combination, bytes);
    free(combination);
    return group;
}
