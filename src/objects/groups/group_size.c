/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of work-groups (group_size.h). */
#include "group_size.h"

#include <stdio.h>

#include <teamwork/lower/kernel/launch.h>

/* The first size that is tried. A GPU has enough groups of 256 at a time for any kernel. On a CPU a thread runs a group:
   the work-items of a hierarchical one are the turns of its loops, those of an nd_range may have stacks. */
enum { GPU_ITEMS = 256, CPU_ITEMS = 1024, CPU_ND_ITEMS = 256, ROW = 32, MIDDLE = 4 };

static bool is_of_size(const tw_kernel *kernel, tw_range local)
{
    if (kernel->dims != local.dims)
        return false;
    for (unsigned d = 0; d < local.dims; ++d)
        if (kernel->required_local[d] != local.size[d])
            return false;
    return true;
}

const tw_kernel *tw_kernel_of_size(const tw_kernel *kernel, tw_range local)
{
    const tw_kernel *for_any = NULL;
    for (; kernel; kernel = kernel->next) {
        if (!kernel->required_local[0])
            for_any = for_any ? for_any : kernel;
        else if (is_of_size(kernel, local))
            return kernel;
    }
    return for_any;
}

void tw_write_size(const size_t size[3], unsigned dims, char *text, size_t bytes)
{
    if (dims == 1)
        snprintf(text, bytes, "%zu", size[0]);
    else if (dims == 2)
        snprintf(text, bytes, "%zu x %zu", size[0], size[1]);
    else
        snprintf(text, bytes, "%zu x %zu x %zu", size[0], size[1], size[2]);
}

void tw_kernel_write_sizes(const tw_kernel *kernel, char *text, size_t bytes)
{
    size_t at = 0;
    text[0] = '\0';
    for (const tw_kernel *k = kernel; k; k = k->next) {
        char size[80] = "any";
        if (k->required_local[0])
            tw_write_size(k->required_local, k->dims, size, sizeof size);
        const int more = snprintf(text + at, bytes - at, "%s%s", k == kernel ? "" : k->next ? ", " : " or ", size);
        if (more < 0 || (size_t)more >= bytes - at)
            return;
        at += (size_t)more;
    }
}

/* Returns the largest divisor of `n` that is at most `most`, if there are any a multiple of a row; 1 of 0. */
static size_t divisor(size_t n, size_t most, size_t row)
{
    for (size_t d = most / row * row; d >= row && n; d -= row)
        if (n % d == 0)
            return d;
    for (size_t d = most; d > 1 && n; --d)
        if (n % d == 0)
            return d;
    return 1;
}

/* The size of a group of about `items`: long in the last dimension, whose work-items are neighbours. */
static tw_range size_of(const struct tw_size_search *search, size_t items)
{
    const unsigned dims = search->extent.dims;
    const size_t row = search->on_gpu && search->warp ? search->warp : ROW;
    tw_range local = {{1, 1, 1}, dims};
    size_t left = items;
    for (int pass = 0; pass < 2; ++pass) /* the second one gives out what dimensions that are short have left */
        for (unsigned d = dims; d-- > 0;) {
            const bool last = d == dims - 1;
            size_t most = left * local.size[d];
            if (!pass && dims > 1 && last)
                most = left < row ? left : row;
            else if (!pass && d == 1 && dims == 3)
                most = left < MIDDLE ? left : MIDDLE;
            left *= local.size[d];
            local.size[d] = search->must_divide ? divisor(search->extent.size[d], most, row) : most;
            left /= local.size[d];
        }
    return local;
}

bool tw_next_size(struct tw_size_search *search, tw_range *local)
{
    if (search->begun && search->kernel && (search->kernel->required_local[0] || search->target <= 1)) {
        search->kernel = search->kernel->next;
        search->target = 0;
    }
    search->begun = true;
    for (; search->kernel; search->kernel = search->kernel->next) {
        const tw_kernel *kernel = search->kernel;
        const bool nd = kernel->form == TW_INTERNAL_ND_RANGE;
        if (!kernel->required_local[0]) {
            const size_t first = search->on_gpu ? GPU_ITEMS : nd ? CPU_ND_ITEMS : CPU_ITEMS;
            search->target = search->target ? search->target / 2 : first < search->most ? first : search->most;
            *local = size_of(search, search->target);
            search->target = tw_range_count(*local);
            return true;
        }
        bool fits = kernel->dims == search->extent.dims;
        *local = (tw_range){{1, 1, 1}, kernel->dims};
        for (unsigned d = 0; d < kernel->dims; ++d) {
            local->size[d] = kernel->required_local[d];
            fits = fits && (!search->must_divide || search->extent.size[d] % local->size[d] == 0);
        }
        if (fits && tw_range_count(*local) <= search->most)
            return true;
    }
    return false;
}
