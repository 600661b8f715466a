/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

/* Small enough for parts of equal size, large enough for memcpy(). */
enum { PIECE = 1 << 16 };

void *suite_allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
    return memory;
}

void suite_fill(void *to, const void *from, size_t bytes)
{
    const size_t pieces = (bytes + PIECE - 1) / PIECE;
#pragma omp parallel for schedule(static)
    for (size_t piece = 0; piece < pieces; ++piece) {
        const size_t at = piece * PIECE, count = bytes - at < PIECE ? bytes - at : PIECE;
        if (from)
            memcpy((char *)to + at, (const char *)from + at, count);
        else
            memset((char *)to + at, SUITE_POISON, count);
    }
}
