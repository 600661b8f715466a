/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills of rows in host memory (rows.h). */
#include "rows.h"

#include <string.h>

#define BLOCK_BYTES ((size_t)8 << 10) /* of a filled row that are copied to the rest of it: they stay in the cache */
#define MOST_PERIOD 16u

/* Inlined for each constant `row_bytes`, so that short rows take no call of memcpy(). */
static inline __attribute__((always_inline)) void copy_plane(unsigned char *target, size_t target_pitch,
                                                             const unsigned char *source, size_t source_pitch,
                                                             size_t row_bytes, size_t rows)
{
    for (size_t row = 0; row < rows; ++row)
        memcpy(target + row * target_pitch, source + row * source_pitch, row_bytes);
}

static void copy_rows(unsigned char *target, size_t target_pitch, const unsigned char *source, size_t source_pitch,
                      size_t row_bytes, size_t rows)
{
    switch (row_bytes) {
    case 4:
        copy_plane(target, target_pitch, source, source_pitch, 4, rows);
        return;
    case 8:
        copy_plane(target, target_pitch, source, source_pitch, 8, rows);
        return;
    case 16:
        copy_plane(target, target_pitch, source, source_pitch, 16, rows);
        return;
    default:
        copy_plane(target, target_pitch, source, source_pitch, row_bytes, rows);
    }
}

void tw_rows_copy(const struct tw_backend_copy *copy)
{
    const struct tw_backend_copy joined = tw_rows_join(*copy);
    for (size_t plane = 0; plane < joined.planes; ++plane)
        copy_rows((unsigned char *)joined.target + plane * joined.target_plane, joined.target_pitch,
                  (const unsigned char *)joined.source + plane * joined.source_plane, joined.source_pitch,
                  joined.row_bytes, joined.rows);
}

size_t tw_rows_period(const void *pattern, size_t bytes)
{
    const unsigned char *first = pattern;
    for (size_t period = 1; period < bytes && period <= MOST_PERIOD; period *= 2)
        if (bytes % period == 0 && memcmp(first, first + period, bytes - period) == 0)
            return period;
    return bytes;
}

/* Fills memory with a pattern by copying what is filled already. */
static void double_up(unsigned char *target, size_t bytes, const void *pattern, size_t pattern_bytes)
{
    memcpy(target, pattern, pattern_bytes);
    for (size_t done = pattern_bytes; done < bytes; done *= 2)
        memcpy(target + done, target, done < bytes - done ? done : bytes - done);
}

/* Fills one row. Its first block is a whole number of patterns. */
static void fill_row(const struct tw_backend_fill *fill)
{
    unsigned char *target = fill->target;
    __builtin_assume(fill->pattern_bytes > 0); /* for clang-tidy */
    const size_t patterns = BLOCK_BYTES / fill->pattern_bytes;
    const size_t whole = (patterns ? patterns : 1) * fill->pattern_bytes;
    const size_t block = whole < fill->row_bytes ? whole : fill->row_bytes;
    double_up(target, block, fill->pattern, fill->pattern_bytes);
    for (size_t at = block; at < fill->row_bytes; at += block)
        memcpy(target + at, target, block < fill->row_bytes - at ? block : fill->row_bytes - at);
}

void tw_rows_fill(const struct tw_backend_fill *fill)
{
    struct tw_backend_fill row = tw_rows_join_fill(*fill);
    const size_t rows = row.rows, planes = row.planes;
    const bool is_short = row.row_bytes <= BLOCK_BYTES;
    if (!row.row_bytes)
        return;
    const bool is_byte = tw_rows_period(row.pattern, row.pattern_bytes) == 1;
    for (size_t plane = 0; plane < planes; ++plane) {
        unsigned char *target = (unsigned char *)fill->target + plane * row.plane;
        for (size_t i = 0; i < (is_short ? 1 : rows); ++i) {
            row.target = target + i * row.pitch;
            if (is_byte)
                memset(row.target, *(const unsigned char *)row.pattern, row.row_bytes);
            else
                fill_row(&row);
        }
        if (is_short && rows > 1) /* the others are copies of the first */
            copy_rows(target + row.pitch, row.pitch, target, 0, row.row_bytes, rows - 1);
    }
}
