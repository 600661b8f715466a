/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of rows in host memory (rows.h). */
#include "rows.h"

#include <string.h>

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
