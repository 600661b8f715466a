/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that access parts of buffers run on private memory (sim_parts.h): a whole buffer for each that they access,
 * where only the parts have the contents, and the other elements, which nobody declared, have a pattern. An undeclared
 * element that changes was written. One that is read is found by what depends on it: the kernel runs again with another
 * pattern there, and if a part that it writes then differs, with the other pattern in fewer and fewer elements. What it
 * has written in its first run goes to the buffers, if nothing is wrong.
 */
#include "sim_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_memory.h"
#include "sim_pattern.h"
#include "sim_watch.h"

#define MOST_BYTES ((size_t)64 << 20) /* of the buffers of a launch that is checked */
#define BLOCK_ALIGNMENT 128u

/* Private memory in place of a buffer. */
struct private_buffer {
    unsigned char *real, *memory; /* the buffer's address, and that of the private memory */
    unsigned char *pattern;       /* what undeclared elements have in the first run */
    size_t bytes, element_bytes, count;
    bool *declared;            /* of each element */
    bool is_written, is_found; /* an access writes it; the block has a pointer to it */
};

struct parts {
    struct tw_sim_watch watch; /* first: access_privately() finds the parts */
    struct tw_internal_launch *launch;
    struct private_buffer *buffers;
    size_t count;
    size_t undeclared;                 /* elements */
    unsigned char *block;              /* the launch's, with pointers to private memory */
    bool has_usm;                      /* it has pointers to unified shared memory, too */
    unsigned char *results;            /* room for what the kernel writes in its first run, one row behind the other */
    unsigned char *others;             /* and for another run */
    struct tw_internal_bounds *bounds; /* where it notes wrong indices of views; or NULL */
};

/* Undeclared elements that follow one another in a buffer. */
struct range {
    const struct private_buffer *buffer;
    size_t first, count;
    size_t number; /* of the first one, among all undeclared elements */
};

/* Finds the first element from `from` on that is declared, or is not; returns the number of elements if there is none. */
static size_t find_declared(const struct private_buffer *buffer, size_t from, bool is_declared)
{
    const bool *found = memchr(buffer->declared + from, is_declared, buffer->count - from);
    return found ? (size_t)(found - buffer->declared) : buffer->count;
}

static struct range before_first(const struct parts *parts)
{
    return (struct range){.buffer = parts->buffers};
}

/* Goes on to the next undeclared elements. Returns false if there are none. */
static bool next(const struct parts *parts, struct range *range)
{
    size_t from = range->first + range->count;
    range->number += range->count;
    for (; range->buffer < parts->buffers + parts->count; ++range->buffer, from = 0) {
        range->first = find_declared(range->buffer, from, false);
        range->count = find_declared(range->buffer, range->first, true) - range->first;
        if (range->count)
            return true;
    }
    return false;
}

static bool access_really(const struct parts *parts, size_t index, struct tw_backend_access *access)
{
    return parts->watch.device->access(parts->watch.device, parts->launch, index, access);
}

static struct private_buffer *buffer_at(const struct parts *parts, const void *real)
{
    for (size_t i = 0; i < parts->count; ++i)
        if (parts->buffers[i].real == real)
            return &parts->buffers[i];
    return NULL;
}

static bool access_privately(const struct tw_sim_watch *watch, size_t index, struct tw_backend_access *access)
{
    const struct parts *parts = (const struct parts *)watch;
    if (!access_really(parts, index, access))
        return false;
    const struct private_buffer *buffer = buffer_at(parts, access->address);
    if (buffer) {
        access->first = buffer->memory + (access->first - buffer->real);
        access->address = buffer->memory;
    }
    return true;
}

/* ---- private memory ---------------------------------------------------------------------------------------------- */

static bool has_parts(const struct parts *parts)
{
    struct tw_backend_access access;
    for (size_t i = 0; access_really(parts, i, &access); ++i)
        if (access.address && access.rows * access.row_bytes != access.bytes)
            return true;
    return false;
}

/* Returns the eight bytes that an undeclared element repeats: what shows in sums, in minima and in maxima alike, as it
   differs from element to element: red zones' NaNs, and large numbers of both signs, of any width. */
static uint64_t word_of(const struct private_buffer *buffer, size_t index)
{
    static const uint64_t large = 0x7bff7bff7bff7bffu, negative = 0xfbfffbfffbfffbffu;
    const uint64_t kind = (index + 1) * 0x9e3779b97f4a7c15u >> 62;
    return kind == 0 ? large : kind == 1 ? negative : tw_sim_red_word(buffer->element_bytes);
}

/* Makes what a buffer's undeclared elements have in the first run: words of so many elements, again and again. */
static bool make_pattern(struct private_buffer *buffer)
{
    static const size_t period = 4093; /* a prime, so that it is not the length of a row */
    size_t index = 0, bytes;
    buffer->pattern = malloc(buffer->bytes);
    if (!buffer->pattern)
        return false;
    for (; index < buffer->count && index < period; ++index)
        tw_sim_pattern_fill(buffer->pattern + index * buffer->element_bytes, buffer->element_bytes,
                            word_of(buffer, index));
    for (size_t at = index * buffer->element_bytes; index > 0 && at < buffer->bytes; at += bytes) {
        bytes = buffer->bytes - at < at ? buffer->bytes - at : at;
        memcpy(buffer->pattern + at, buffer->pattern, bytes);
    }
    return true;
}

static bool add_buffer(struct parts *parts, const struct tw_backend_access *access)
{
    struct private_buffer *buffer = &parts->buffers[parts->count++];
    *buffer = (struct private_buffer){.real = access->address,
                                      .memory = tw_sim_memory_allocate(parts->watch.device, access->bytes),
                                      .bytes = access->bytes,
                                      .element_bytes = access->element_bytes,
                                      .count = access->bytes / access->element_bytes};
    parts->undeclared += buffer->count;
    buffer->declared = calloc(buffer->count, sizeof *buffer->declared);
    return buffer->memory && buffer->declared && make_pattern(buffer);
}

/* Makes private memory for all buffers. Returns false if they are too large, or memory is exhausted. */
static bool make_buffers(struct parts *parts)
{
    struct tw_backend_access access;
    size_t bytes = 0, count = 0;
    while (access_really(parts, count, &access))
        ++count;
    parts->buffers = calloc(count + 1, sizeof *parts->buffers);
    for (size_t i = 0; parts->buffers && access_really(parts, i, &access); ++i) {
        struct private_buffer *buffer = access.address ? buffer_at(parts, access.address) : NULL;
        if (!access.address)
            continue;
        if (!buffer && ((bytes += access.bytes) > MOST_BYTES || !add_buffer(parts, &access)))
            return false;
        buffer = buffer_at(parts, access.address);
        buffer->is_written |= access.writes;
        parts->undeclared -= access.rows * access.row_bytes / access.element_bytes; /* parts do not overlap */
        for (size_t row = 0; row < access.rows; ++row) {
            const size_t at = (size_t)(tw_backend_access_row(&access, row) - buffer->real);
            memset(buffer->declared + at / buffer->element_bytes, true, access.row_bytes / buffer->element_bytes);
        }
    }
    return parts->buffers != NULL;
}

/* Finds the private memory of what a pointer of the block leads to; it may lead beside a buffer, too. */
static struct private_buffer *find_target(const struct parts *parts, const unsigned char *pointer)
{
    const struct tw_backend_device *owner;
    const void *around = tw_sim_memory_around(pointer, &owner);
    for (size_t i = 0; i < parts->count; ++i)
        if (parts->buffers[i].real == around
            || (uintptr_t)pointer - (uintptr_t)parts->buffers[i].real < parts->buffers[i].bytes)
            return &parts->buffers[i];
    return NULL;
}

/* Copies the block, with pointers to private memory wherever it has some to buffers. Returns false if memory is exhausted,
   or if a buffer is written that the block does not lead to: the kernel finds it in another way, or leaves it alone. */
static bool move_block(struct parts *parts)
{
    const size_t bytes = parts->watch.kernel->args_bytes;
    unsigned char *block = parts->block =
        aligned_alloc(BLOCK_ALIGNMENT, (bytes / BLOCK_ALIGNMENT + 1) * BLOCK_ALIGNMENT);
    if (!block)
        return false;
    memcpy(block, parts->launch->args, bytes);
    for (size_t at = 0; at + sizeof(unsigned char *) <= bytes;) {
        unsigned char *pointer;
        memcpy(&pointer, block + at, sizeof pointer);
        const bool is_address = pointer && (uintptr_t)pointer != UINTPTR_MAX;
        struct private_buffer *buffer = is_address ? find_target(parts, pointer) : NULL;
        if (buffer) {
            pointer = buffer->memory + (pointer - buffer->real);
            memcpy(block + at, &pointer, sizeof pointer);
            buffer->is_found = true;
        } else if (is_address) {
            parts->has_usm |= parts->watch.device->reaches_usm(parts->watch.device, pointer);
        }
        at += buffer ? sizeof pointer : 1;
    }
    for (size_t i = 0; i < parts->count; ++i)
        if (parts->buffers[i].is_written && !parts->buffers[i].is_found)
            return false;
    return true;
}

static void find_bounds(void *user, const struct tw_internal_member *member)
{
    struct parts *parts = user;
    if (strstr(member->type, "tw_internal_bounds *") && member->pointer)
        parts->bounds = (struct tw_internal_bounds *)(uintptr_t)member->pointer;
}

/* Returns false if the kernel has to run on the buffers themselves, or has no elements that it must leave alone. */
static bool prepare(struct parts *parts)
{
    struct tw_backend_access access;
    size_t bytes = 0;
    if (!make_buffers(parts) || !parts->undeclared || !move_block(parts))
        return false;
    for (size_t i = 0; access_really(parts, i, &access); ++i)
        bytes += access.writes ? access.rows * access.row_bytes : 0;
    parts->results = malloc(2 * bytes + 1);
    if (!parts->results)
        return false;
    parts->others = parts->results + bytes;
    parts->watch.kernel->visit(parts->launch->args, find_bounds, parts);
    parts->watch.access = access_privately;
    parts->watch.has_own_memory = true;
    return true;
}

static void end(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; ++i) {
        if (parts->buffers[i].memory)
            (void)tw_sim_memory_free(parts->buffers[i].memory);
        free(parts->buffers[i].pattern);
        free(parts->buffers[i].declared);
    }
    free(parts->buffers);
    free(parts->block);
    free(parts->results);
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

/* Gives private memory its contents: 0 in the first `zeros` undeclared elements, patterns in the others. */
static void fill(const struct parts *parts, size_t zeros)
{
    struct tw_backend_access access;
    for (struct range range = before_first(parts); next(parts, &range);) {
        const size_t begin = range.first * range.buffer->element_bytes,
                     bytes = range.count * range.buffer->element_bytes;
        const size_t cleared = zeros <= range.number ? 0 : (zeros - range.number) * range.buffer->element_bytes;
        memcpy(range.buffer->memory + begin, range.buffer->pattern + begin, bytes);
        memset(range.buffer->memory + begin, 0, cleared < bytes ? cleared : bytes);
    }
    for (size_t i = 0; access_really(parts, i, &access); ++i) {
        const struct private_buffer *buffer = buffer_at(parts, access.address);
        for (size_t row = 0; buffer && access.needs && row < access.rows; ++row) {
            const unsigned char *from = tw_backend_access_row(&access, row);
            memcpy(buffer->memory + (from - buffer->real), from, access.row_bytes);
        }
    }
}

/* Finds an undeclared element that was written, where all of them had zeros or all had patterns before, and makes it the
   first one of a range. Returns false if there is none. */
static bool find_written(const struct parts *parts, bool has_zeros, struct range *range)
{
    for (*range = before_first(parts); next(parts, range);) {
        const struct private_buffer *buffer = range->buffer;
        const size_t begin = range->first * buffer->element_bytes, bytes = range->count * buffer->element_bytes;
        const unsigned char *now = buffer->memory + begin, *before = buffer->pattern + begin;
        if (has_zeros ? tw_sim_pattern_is_whole(now, bytes, 0) : memcmp(now, before, bytes) == 0)
            continue;
        size_t at = 0;
        while (now[at] == (has_zeros ? 0 : before[at]))
            ++at;
        range->first += at / buffer->element_bytes;
        return true;
    }
    return false;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

enum deed { SAVE, COMPARE, STORE };

/* Saves what the kernel has written; or compares it with what was saved, and returns false if it differs; or stores what
   was saved in the buffers. */
static bool do_results(const struct parts *parts, enum deed deed, unsigned char *saved)
{
    struct tw_backend_access access;
    for (size_t i = 0; access_really(parts, i, &access); ++i) {
        const struct private_buffer *buffer = buffer_at(parts, access.address);
        for (size_t row = 0; buffer && access.writes && row < access.rows; ++row, saved += access.row_bytes) {
            unsigned char *real = tw_backend_access_row(&access, row), *mine = buffer->memory + (real - buffer->real);
            if (deed == COMPARE && memcmp(saved, mine, access.row_bytes) != 0)
                return false;
            if (deed != COMPARE)
                memcpy(deed == SAVE ? saved : real, deed == SAVE ? mine : saved, access.row_bytes);
        }
    }
    return true;
}

/* ---- sentences --------------------------------------------------------------------------------------------------- */

/* Finds the access that is most likely the one that an element was read or written through: the first one of its buffer
   that does this, else the first one. */
static size_t likely_access(const struct parts *parts, const struct private_buffer *buffer, bool writes)
{
    struct tw_backend_access access;
    size_t first = SIZE_MAX;
    for (size_t i = 0; access_really(parts, i, &access); ++i) {
        if (access.address != buffer->real)
            continue;
        if (writes ? access.writes : access.needs)
            return i;
        first = first == SIZE_MAX ? i : first;
    }
    return first;
}

/* Lists the parts of a buffer that are declared. */
static void list_declared(const struct parts *parts, const struct private_buffer *buffer, char *text, size_t bytes)
{
    struct tw_backend_access access;
    size_t used = 0;
    for (size_t i = 0; access_really(parts, i, &access); ++i) {
        char first[TW_SIM_INDEX_BYTES], last[TW_SIM_INDEX_BYTES];
        if (access.address != buffer->real || used >= bytes)
            continue;
        const size_t begin = (size_t)(access.first - buffer->real);
        const size_t end = (size_t)(tw_backend_access_row(&access, access.rows - 1) - buffer->real) + access.row_bytes;
        used += (size_t)snprintf(text + used, bytes - used, "%s%s to %s", used ? ", " : "",
                                 tw_sim_watch_index(&access, begin, first),
                                 tw_sim_watch_index(&access, end - access.element_bytes, last));
    }
}

/* Names the part of a launch, as in "work-items (8, 0) to (15, 99)". */
static void name_part(const struct parts *parts, char *text, size_t bytes)
{
    const struct tw_internal_launch *launch = parts->launch;
    const unsigned form = parts->watch.kernel->form;
    const bool has_groups = form == TW_INTERNAL_WORK_GROUP || form == TW_INTERNAL_ND_RANGE;
    const size_t *first = has_groups ? launch->first : launch->offset;
    size_t used = (size_t)snprintf(text, bytes, "%s ", has_groups ? "work-groups" : "work-items");
    for (unsigned end = 0; end < 2; ++end) {
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", end ? " to " : "", launch->dims > 1 ? "(" : "");
        for (unsigned d = 0; d < launch->dims; ++d)
            used += (size_t)snprintf(text + used, bytes - used, "%s%zu", d ? ", " : "",
                                     first[d] + (end ? launch->range[d] - 1 : 0));
        used += (size_t)snprintf(text + used, bytes - used, "%s", launch->dims > 1 ? ")" : "");
    }
}

/* Complains that the first element of a range was written or read. */
static tw_status complain(const struct parts *parts, const struct range *element, bool writes)
{
    const struct private_buffer *buffer = element->buffer;
    char index[TW_SIM_INDEX_BYTES], text[TW_SIM_TEXT_BYTES], declared[256], part[192];
    struct tw_backend_access access;
    const size_t number = likely_access(parts, buffer, writes);
    (void)access_privately(&parts->watch, number, &access);
    (void)tw_sim_watch_index(&access, element->first * buffer->element_bytes, index);
    (void)tw_sim_watch_describe(&parts->watch, &access, number, text);
    list_declared(parts, buffer, declared, sizeof declared);
    if (!tw_sim_watch_is_divided(&parts->watch))
        return tw_fail(TW_ERROR_OUT_OF_BOUNDS,
                       "%s has %s element %s of %s, which no accessor of its group declares: they declare %s",
                       parts->watch.who, writes ? "written to" : "read", index, text, declared);
    name_part(parts, part, sizeof part);
    return tw_fail(TW_ERROR_OUT_OF_BOUNDS,
                   "%s has %s element %s of %s, which its mapper did not declare for %s: it declared %s",
                   parts->watch.who, writes ? "written to" : "read", index, text, part, declared);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static tw_status run(struct parts *parts, size_t zeros, bool has_one_thread)
{
    fill(parts, zeros);
    parts->watch.has_one_thread = has_one_thread;
    return tw_sim_watch_run(&parts->watch, parts->launch, NULL, NULL);
}

/* Runs the kernel in one thread. Returns true if that ends otherwise than the run whose results are in `others`. */
static bool differs(struct parts *parts, size_t zeros)
{
    return run(parts, zeros, true) != TW_SUCCESS || !do_results(parts, COMPARE, parts->others);
}

/* Finds an undeclared element that the results depend on. They must depend on nothing else that changes: so one thread
   runs the work-items, and what decides is run twice. Returns false if there is none. */
static bool find_read(struct parts *parts, struct range *element)
{
    size_t least = 0, most = parts->undeclared; /* with so many zeros the results are equal, and differ */
    if (run(parts, least, true) != TW_SUCCESS || !do_results(parts, SAVE, parts->others))
        return false;
    if (!differs(parts, most) || differs(parts, least))
        return false;
    while (most - least > 1) {
        const size_t middle = least + (most - least) / 2;
        *(differs(parts, middle) ? &most : &least) = middle;
    }
    if (!differs(parts, most) || differs(parts, least))
        return false;
    *element = before_first(parts);
    while (next(parts, element) && element->number + element->count <= least)
        ;
    element->first += least - element->number;
    return true;
}

/* Runs the kernel again, with zeros in all undeclared elements, and checks that it writes the same. */
static tw_status check_again(struct parts *parts)
{
    struct range element;
    const bool is_same =
        run(parts, parts->undeclared, false) == TW_SUCCESS && do_results(parts, COMPARE, parts->results);
    if (!is_same)
        return find_read(parts, &element) ? complain(parts, &element, false) : TW_SUCCESS;
    return find_written(parts, true, &element) ? complain(parts, &element, true) : TW_SUCCESS;
}

/* Runs the kernel on private memory. A view that found a wrong index comes first: it went elsewhere, and the runtime tells
   of it. */
static tw_status run_privately(struct parts *parts)
{
    struct range element;
    tw_status status = run(parts, 0, false);
    if (status != TW_SUCCESS)
        return status;
    (void)do_results(parts, SAVE, parts->results);
    const struct tw_internal_bounds noted = parts->bounds ? *parts->bounds : (struct tw_internal_bounds){.violated = 0};
    if (!noted.violated && find_written(parts, false, &element))
        return complain(parts, &element, true);
    if (!noted.violated && !parts->has_usm)
        status = check_again(parts);
    if (parts->bounds)
        *parts->bounds = noted;
    if (status == TW_SUCCESS)
        (void)do_results(parts, STORE, parts->results);
    return status;
}

tw_status tw_sim_parts_run(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                           struct tw_internal_launch *launch)
{
    struct parts parts = {.watch = tw_sim_watch_of(device, kernel, launch, true), .launch = launch};
    tw_status status = TW_SUCCESS;
    if (!has_parts(&parts))
        return tw_sim_watch_run(&parts.watch, launch, NULL, NULL);
    const struct tw_sim_watch plain = parts.watch;
    const void *const args = launch->args;
    status = tw_sim_watch_check_zones(&plain, TW_SUCCESS);
    if (status == TW_SUCCESS && prepare(&parts)) {
        launch->args = parts.block;
        status = run_privately(&parts);
        launch->args = args;
    } else if (status == TW_SUCCESS) {
        parts.watch = plain;
        status = tw_sim_watch_run(&parts.watch, launch, NULL, NULL);
    }
    end(&parts);
    return status;
}
