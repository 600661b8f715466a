/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and native tasks between checks (sim_watch.h). Knows allocations by their red zones alone. */
#include "sim_watch.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "sim_memory.h"
#include "sim_pattern.h"

static atomic_uint running; /* the number of running kernels, on all simulated devices */

/* ---- sentences --------------------------------------------------------------------------------------------------- */

/* A search for a member of the block that points into a buffer. */
struct search {
    const unsigned char *first; /* of the buffer */
    size_t bytes, name_bytes;
    char *name;
};

static bool leads_there(void *user, const struct tw_block_pointer *pointer)
{
    const struct search *search = user;
    if ((uintptr_t)pointer->value - (uintptr_t)search->first >= search->bytes)
        return false;
    snprintf(search->name, search->name_bytes, "%s", pointer->name);
    return true;
}

/* Stores the name of the member that points to what is accessed: to its first element, otherwise into its buffer. */
static bool find_member(const struct tw_sim_watch *watch, const struct tw_backend_access *access, char *name,
                        size_t bytes)
{
    struct search search = {access->address, access->bytes, bytes, name};
    const void *args = watch->launch->args;
    return watch->kernel
           && (tw_block_member(watch->kernel, args, access->first, name, bytes)
               || tw_block_visit(watch->kernel, args, leads_there, &search));
}

const char *tw_sim_watch_describe(const struct tw_sim_watch *watch, const struct tw_backend_access *access,
                                  size_t index, char text[TW_SIM_TEXT_BYTES])
{
    char which[128];
    int used;
    if (find_member(watch, access, which, sizeof which))
        used = snprintf(text, TW_SIM_TEXT_BYTES, "the buffer that member %s points to", which);
    else
        used = snprintf(text, TW_SIM_TEXT_BYTES, "the buffer of accessor %zu of its group", index + 1);
    for (unsigned d = 0; d < access->range.dims; ++d)
        used +=
            snprintf(text + used, TW_SIM_TEXT_BYTES - (size_t)used, "%s%zu", d ? " x " : ", ", access->range.size[d]);
    snprintf(text + used, TW_SIM_TEXT_BYTES - (size_t)used, " elements of %zu bytes", access->element_bytes);
    return text;
}

const char *tw_sim_watch_index(const struct tw_backend_access *access, size_t at, char text[TW_SIM_INDEX_BYTES])
{
    const unsigned dims = access->range.dims;
    const size_t *size = access->range.size;
    size_t index[3] = {0, 0, 0}, rest = at / access->element_bytes;
    for (unsigned d = dims; d-- > 1; rest /= size[d])
        index[d] = rest % size[d];
    index[0] = rest;
    if (dims == 1)
        snprintf(text, TW_SIM_INDEX_BYTES, "%zu", index[0]);
    else if (dims == 2)
        snprintf(text, TW_SIM_INDEX_BYTES, "(%zu, %zu)", index[0], index[1]);
    else
        snprintf(text, TW_SIM_INDEX_BYTES, "(%zu, %zu, %zu)", index[0], index[1], index[2]);
    return text;
}

/* ---- red zones --------------------------------------------------------------------------------------------------- */

static tw_status complain_damage(const struct tw_sim_watch *watch, const struct tw_backend_access *access, size_t index,
                                 struct tw_sim_damage damage)
{
    char text[TW_SIM_TEXT_BYTES], who[TW_SIM_TEXT_BYTES];
    snprintf(who, sizeof who,
             !watch->has_run     ? "before %s another one has"
             : watch->ran_beside ? "%s, or one that ran beside it, has"
                                 : "%s has",
             watch->who);
    const size_t count = access->bytes / access->element_bytes, size = access->element_bytes;
    return tw_fail(TW_ERROR_OUT_OF_BOUNDS, "%s written to element %s%zu, counted from 0, of %s", who,
                   damage.before ? "-" : "",
                   damage.before ? (damage.distance + size - 1) / size : count + damage.distance / size,
                   tw_sim_watch_describe(watch, access, index, text));
}

tw_status tw_sim_watch_check_zones(const struct tw_sim_watch *watch, tw_status status)
{
    struct tw_backend_access access;
    struct tw_sim_damage damage;
    for (size_t i = 0; watch->access(watch, i, &access); ++i)
        if (tw_sim_memory_find_damage(access.address, access.bytes, access.element_bytes, &damage)
            && status == TW_SUCCESS)
            status = complain_damage(watch, &access, i, damage);
    return status;
}

/* ---- what is only read ------------------------------------------------------------------------------------------- */

static tw_status save_reads(struct tw_sim_watch *watch)
{
    struct tw_backend_access access;
    size_t bytes = 0;
    for (size_t i = 0; watch->access(watch, i, &access); ++i)
        bytes += access.writes ? 0 : access.rows * access.row_bytes;
    unsigned char *saved = watch->saved = bytes ? malloc(bytes) : NULL;
    if (bytes && !saved)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY,
                       "no memory for a copy of the %zu bytes that %s reads, which TW_SIM_CHECK needs", bytes,
                       watch->who);
    for (size_t i = 0; saved && watch->access(watch, i, &access); ++i)
        for (size_t row = 0; !access.writes && row < access.rows; ++row, saved += access.row_bytes)
            memcpy(saved, tw_backend_access_row(&access, row), access.row_bytes);
    return TW_SUCCESS;
}

/* Complains that a row differs from its copy. */
static tw_status complain_read(const struct tw_sim_watch *watch, const struct tw_backend_access *access, size_t index,
                               const unsigned char *row, const unsigned char *saved)
{
    char text[TW_SIM_TEXT_BYTES], element[TW_SIM_INDEX_BYTES];
    size_t at = (size_t)(row - (const unsigned char *)access->address);
    for (; *row == *saved; ++row, ++saved)
        ++at;
    return tw_fail(TW_ERROR_READ_ONLY_BUFFER, "%s has written to element %s of %s, which its %s", watch->who,
                   tw_sim_watch_index(access, at, element), tw_sim_watch_describe(watch, access, index, text),
                   tw_sim_watch_is_divided(watch)
                       ? "part of the launch only reads: let the mapper of an accessor that writes declare it"
                       : "group only reads: access it by tw_write() or tw_read_write()");
}

/* Compares the buffers that the kernel only reads with their copies, and restores them. Returns `status`, or the
   failure of the first difference if `status` is success. */
static tw_status check_reads(const struct tw_sim_watch *watch, tw_status status)
{
    struct tw_backend_access access;
    const unsigned char *saved = watch->saved;
    for (size_t i = 0; saved && watch->access(watch, i, &access); ++i) {
        for (size_t r = 0; !access.writes && r < access.rows; ++r, saved += access.row_bytes) {
            unsigned char *row = tw_backend_access_row(&access, r);
            if (memcmp(row, saved, access.row_bytes) == 0)
                continue;
            if (status == TW_SUCCESS)
                status = complain_read(watch, &access, i, row, saved);
            memcpy(row, saved, access.row_bytes);
        }
    }
    return status;
}

static bool discards(const struct tw_sim_watch *watch)
{
    struct tw_backend_access access;
    for (size_t i = 0; watch->access(watch, i, &access); ++i)
        if (!access.needs)
            return true;
    return false;
}

/* Poisons one piece of each buffer that the kernel discards. */
static void poison(const struct tw_host_prelude *prelude, size_t piece, size_t pieces)
{
    const struct tw_sim_watch *watch = (const struct tw_sim_watch *)prelude;
    struct tw_backend_access access;
    for (size_t i = 0; watch->access(watch, i, &access); ++i) {
        const size_t each = access.row_bytes / pieces, first = piece * each;
        for (size_t row = 0; !access.needs && row < access.rows; ++row)
            tw_sim_poison(tw_backend_access_row(&access, row) + first,
                          piece + 1 == pieces ? access.row_bytes - first : each);
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static bool access_of(const struct tw_sim_watch *watch, size_t index, struct tw_backend_access *access)
{
    return watch->device->access(watch->device, watch->launch, index, access);
}

struct tw_sim_watch tw_sim_watch_of(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                                    const struct tw_internal_launch *launch, bool checks_reads)
{
    struct tw_sim_watch watch = {.prelude = {poison},
                                 .device = device,
                                 .kernel = kernel,
                                 .launch = launch,
                                 .who = "a native task",
                                 .checks_reads = checks_reads,
                                 .access = access_of};
    if (kernel)
        snprintf(watch.who, sizeof watch.who, "kernel %.200s", kernel->name);
    return watch;
}

static tw_status run_kernel(const struct tw_sim_watch *watch, struct tw_internal_launch *launch)
{
    const int threads = omp_get_max_threads();
    if (watch->has_one_thread)
        omp_set_num_threads(1);
    const tw_status status = tw_host_run(watch->kernel, launch, discards(watch) ? &watch->prelude : NULL);
    if (watch->has_one_thread)
        omp_set_num_threads(threads);
    return status;
}

tw_status tw_sim_watch_run(struct tw_sim_watch *watch, struct tw_internal_launch *launch,
                           tw_status (*function)(void *user), void *user)
{
    watch->has_run = false;
    tw_status status = tw_sim_watch_check_zones(watch, TW_SUCCESS);
    if (status == TW_SUCCESS && watch->checks_reads)
        status = save_reads(watch);
    if (status != TW_SUCCESS)
        return status;
    if (!watch->kernel)
        poison(&watch->prelude, 0, 1);
    const unsigned before = atomic_fetch_add_explicit(&running, 1, memory_order_relaxed);
    if (watch->kernel)
        status = run_kernel(watch, launch);
    else if (function)
        status = function(user);
    const unsigned beside = atomic_fetch_sub_explicit(&running, 1, memory_order_relaxed) - 1;
    watch->has_run = true;
    watch->ran_beside = !watch->has_own_memory && (before || beside);
    status = tw_sim_watch_check_zones(watch, check_reads(watch, status));
    free(watch->saved);
    watch->saved = NULL;
    return status;
}
