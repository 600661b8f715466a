/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pointers among a launch's captures: whether all were given, and lead to elements of the right size.
 *
 * Each launch is checked, so what takes time is done at a kernel's first one: a visit finds where in the block its
 * pointers are, by a block that is full of marks. Names are looked for where a check fails.
 */
#define _GNU_SOURCE
#include "kernel_pointers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "command_group.h"
#include "objects/data/buffer.h"
#include "runtime/allocation.h"

#define WORD sizeof(void *)
#define MARK ((uintptr_t)0x5457 << 32) /* of the first word of a block; each word has the next number */
#define BLOCK_ALIGNMENT 64             /* the most that a block may have */

#define UNFILLED ((void *)(UINTPTR_MAX / 2 + 2)) /* of TW_FILL_BLOCK(); nothing has this address */
#define MOST_NUMBER_BYTES 8                      /* of a number that another may be mistaken for */

/* Fills the lists of kernels. */
static pthread_mutex_t lists_mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* A visit that makes the list of a kernel. */
struct listing {
    const unsigned char *block;
    size_t bytes;
    struct tw_internal_pointer *list;
    unsigned count;
};

/* Stores the offset of a pointer in the block. Returns false if it is not aligned, as in a packed struct. */
static bool find_offset(const struct listing *listing, const struct tw_block_pointer *pointer, size_t *offset)
{
    const uintptr_t index = (uintptr_t)pointer->value - MARK;
    *offset = pointer->address ? (size_t)((const unsigned char *)pointer->address - listing->block) : index * WORD;
    return *offset % WORD == 0 && index < listing->bytes / WORD && index * WORD == *offset;
}

static bool list_pointer(void *user, const struct tw_block_pointer *pointer)
{
    struct listing *listing = user;
    size_t offset;
    if (!find_offset(listing, pointer, &offset))
        return false;
    for (unsigned i = 1; i <= listing->count; ++i)
        if (listing->list[i].offset == offset) { /* members of a union without a name */
            listing->list[i].may_be_null = true;
            listing->list[i].bytes = 0;
            return false;
        }
    listing->list[++listing->count] =
        (struct tw_internal_pointer){(unsigned)offset, pointer->bytes, pointer->part_bytes,
                                     pointer->is_element ? TW_INTERNAL_ELEMENT : pointer->may_be_null};
    return false;
}

/* Makes the list of a kernel's pointers, and stores their number. */
static tw_status make_list(const tw_kernel *kernel, unsigned *count)
{
    const size_t bytes = (kernel->args_bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
    uintptr_t *block = aligned_alloc(BLOCK_ALIGNMENT, bytes);
    if (!block)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to look at the arguments of kernel %s", kernel->name);
    for (size_t i = 0; i < bytes / WORD; ++i)
        block[i] = MARK + i;
    struct listing listing = {(const unsigned char *)block, kernel->args_bytes, kernel->pointers, 0};
    pthread_mutex_lock(&lists_mutex);
    unsigned known = __atomic_load_n(&kernel->pointers->offset, __ATOMIC_RELAXED);
    if (!known) {
        (void)tw_block_visit(kernel, block, list_pointer, &listing);
        kernel->pointers->may_be_null = tw_block_may_hide_pointers(kernel, block);
        known = listing.count + 1;
        __atomic_store_n(&kernel->pointers->offset, known, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lists_mutex);
    free(block);
    *count = known - 1;
    return TW_SUCCESS;
}

tw_status tw_kernel_list_pointers(const tw_kernel *kernel, unsigned *count)
{
    const unsigned known = __atomic_load_n(&kernel->pointers->offset, __ATOMIC_ACQUIRE);
    *count = known - 1;
    return known ? TW_SUCCESS : make_list(kernel, count);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

/* A search for the member at an offset: visits a block that is zero but for a mark there. */
struct name_search {
    char name[128];
};

static bool is_marked(void *user, const struct tw_block_pointer *pointer)
{
    struct name_search *search = user;
    if (pointer->value != (const void *)MARK)
        return false;
    strncpy(search->name, pointer->name, sizeof search->name - 1);
    return true;
}

static void find_name(const tw_kernel *kernel, unsigned offset, struct name_search *search)
{
    const size_t bytes = (kernel->args_bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
    unsigned char *block = aligned_alloc(BLOCK_ALIGNMENT, bytes);
    const uintptr_t mark = MARK;
    *search = (struct name_search){"(no memory for its name)"};
    if (!block)
        return;
    memset(block, 0, bytes);
    memcpy(block + offset, &mark, sizeof mark);
    (void)tw_block_visit(kernel, block, is_marked, search);
    free(block);
}

static tw_status refuse_null(const tw_kernel *kernel, const struct tw_internal_pointer *pointer)
{
    struct name_search member;
    find_name(kernel, pointer->offset, &member);
    return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                   "member %s of kernel %s is NULL: give it what an accessor of the group returns, as in .%s = "
                   "tw_read(group, buffer), or TW_NULL if the kernel expects a NULL",
                   member.name, kernel->name, member.name);
}

static tw_status refuse_unfilled(const tw_kernel *kernel, const struct tw_internal_pointer *pointer)
{
    struct name_search member;
    find_name(kernel, pointer->offset, &member);
    return tw_fail(
        TW_ERROR_INVALID_ARGUMENT,
        "member %s of kernel %s is not filled: assign what an accessor of the group returns, as in block.%s = "
        "tw_read(group, buffer), or NULL if the kernel expects a NULL",
        member.name, kernel->name, member.name);
}

static tw_status refuse_size(const tw_kernel *kernel, const struct tw_internal_pointer *pointer, size_t element_bytes)
{
    struct name_search member;
    find_name(kernel, pointer->offset, &member);
    return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                   "member %s of kernel %s points to elements of %u bytes, and the buffer whose accessor gave it has "
                   "elements of %zu bytes: give both the same type (a member of type void * takes a buffer of any)",
                   member.name, kernel->name, pointer->bytes, element_bytes);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Returns the group's contents in which an address lies, which is probably use `likely`; NULL if it lies in none. Stores how
   many bytes it is behind the first one. */
static struct tw_data *data_at(const struct tw_command_group *group, const void *address, size_t likely, size_t *offset)
{
    const size_t count = group->use_count;
    for (size_t i = 0; i < count; ++i) {
        struct tw_data *data = group->uses[(likely + i) % count].data;
        const size_t space = tw_data_space(data, group->device->space);
        const unsigned char *first = atomic_load_explicit(&data->allocations[space].address, memory_order_relaxed);
        *offset = (uintptr_t)address - (uintptr_t)first;
        if (first && *offset < data->bytes)
            return data;
    }
    return NULL;
}

struct tw_data *tw_kernel_data_at(const struct tw_command_group *group, const void *address, size_t *offset)
{
    return data_at(group, address, 0, offset);
}

bool tw_kernel_has_pointer_at(const tw_kernel *kernel, size_t at)
{
    unsigned count;
    if (tw_kernel_list_pointers(kernel, &count) != TW_SUCCESS)
        return false;
    for (unsigned i = 1; i <= count; ++i)
        if (kernel->pointers[i].offset == at)
            return true;
    return false;
}

/* Returns true if a pointer to numbers, or to vectors, may lead to elements of a size. Those of a vector's parts may be
   meant, and so may structs and arrays of the number, which a larger number is not. */
static bool fits(const struct tw_internal_pointer *pointer, size_t element_bytes)
{
    const bool is_number = element_bytes <= MOST_NUMBER_BYTES && (element_bytes & (element_bytes - 1)) == 0;
    return element_bytes == pointer->bytes || element_bytes == pointer->part_bytes
           || (!is_number && element_bytes % pointer->bytes == 0);
}

static const void *pointer_at(const void *block, const struct tw_internal_pointer *pointer)
{
    const void *value;
    memcpy(&value, (const unsigned char *)block + pointer->offset, sizeof value);
    return value;
}

tw_status tw_kernel_check_pointers(const struct tw_command_group *group, const tw_kernel *kernel, const void *block)
{
    unsigned count;
    if (tw_kernel_list_pointers(kernel, &count) != TW_SUCCESS)
        return TW_ERROR_OUT_OF_MEMORY;
    for (unsigned i = 1; i <= count; ++i) {
        const struct tw_internal_pointer *pointer = &kernel->pointers[i];
        const void *value = pointer_at(block, pointer);
        if (!value && !pointer->may_be_null && !group->accessed_nothing)
            return refuse_null(kernel, pointer);
        if (value == UNFILLED)
            return refuse_unfilled(kernel, pointer);
        size_t offset;
        const struct tw_data *data = value && pointer->bytes ? data_at(group, value, i - 1, &offset) : NULL;
        const size_t bytes = data ? data->element_bytes : 0;
        if (bytes && !fits(pointer, bytes))
            return refuse_size(kernel, pointer, bytes);
    }
    return TW_SUCCESS;
}

tw_status tw_kernel_set_nulls(const tw_kernel *kernel, void *block)
{
    unsigned count;
    const tw_status status = tw_kernel_list_pointers(kernel, &count);
    for (unsigned i = 1; status == TW_SUCCESS && i <= count; ++i)
        if (pointer_at(block, &kernel->pointers[i]) == TW_INTERNAL_NULL)
            memset((unsigned char *)block + kernel->pointers[i].offset, 0, WORD);
    return status;
}

/* ---- blocks that the program fills ------------------------------------------------------------------------------- */

void tw_internal_begin_filling(const tw_kernel *kernel, void *block, size_t block_bytes)
{
    unsigned count = 0;
    const void *const unfilled = UNFILLED;
    if (kernel->abi != TW_INTERNAL_KERNEL_ABI || kernel->args_bytes != block_bytes
        || tw_kernel_list_pointers(kernel, &count) != TW_SUCCESS)
        return; /* the launch says so */
    for (unsigned i = 1; i <= count; ++i)
        if (kernel->pointers[i].may_be_null == TW_INTERNAL_ELEMENT)
            memcpy((unsigned char *)block + kernel->pointers[i].offset, &unfilled, sizeof unfilled);
}
