/* SPDX-License-Identifier: Apache-2.0 */
/* The ancestors of each node: a row of bits. */
#include "ancestors.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define BITS 64u
#define MOST_NODES 8192u /* 8 MiB */

struct tw_ancestors {
    size_t words; /* of a row */
    uint64_t bits[];
};

struct tw_ancestors *tw_ancestors_new(size_t count)
{
    const size_t words = (count + BITS - 1) / BITS;
    if (count > MOST_NODES)
        return NULL;
    struct tw_ancestors *ancestors = calloc(1, sizeof *ancestors + count * words * sizeof *ancestors->bits);
    if (ancestors)
        ancestors->words = words;
    return ancestors;
}

void tw_ancestors_free(struct tw_ancestors *ancestors)
{
    free(ancestors);
}

/* Returns true if `node` waits for `other`. */
static bool waits_for(const struct tw_ancestors *ancestors, size_t node, size_t other)
{
    return ancestors->bits[node * ancestors->words + other / BITS] >> other % BITS & 1;
}

static bool is_implied(const struct tw_ancestors *ancestors, const size_t *before, size_t count, size_t at)
{
    for (size_t i = 0; i < count; ++i)
        if (before[i] > before[at] && waits_for(ancestors, before[i], before[at]))
            return true;
    return false;
}

size_t tw_ancestors_reduce(struct tw_ancestors *ancestors, size_t node, size_t *before, size_t count)
{
    if (!ancestors)
        return count;
    uint64_t *row = ancestors->bits + node * ancestors->words;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t *other = ancestors->bits + before[i] * ancestors->words;
        row[before[i] / BITS] |= (uint64_t)1 << before[i] % BITS;
        for (size_t w = 0; w < ancestors->words; ++w)
            row[w] |= other[w];
    }
    /* what is implied by one that is taken out itself is implied by a later one too */
    size_t kept = 0;
    bool *implied = count ? malloc(count * sizeof *implied) : NULL;
    if (!implied)
        return count;
    for (size_t i = 0; i < count; ++i)
        implied[i] = is_implied(ancestors, before, count, i);
    for (size_t i = 0; i < count; ++i)
        if (!implied[i])
            before[kept++] = before[i];
    free(implied);
    return kept;
}
