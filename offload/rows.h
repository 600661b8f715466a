/* SPDX-License-Identifier: Apache-2.0 */
/** Rows of bytes (backend.h): their shortest description, and copies and fills of them in host memory. */
#ifndef TEAMWORK_OFFLOAD_ROWS_H
#define TEAMWORK_OFFLOAD_ROWS_H

#include "backend.h"

/* Returns the same copy with as few planes and rows as possible: rows and planes that lie back to back on both sides
   are joined. A copy of contiguous bytes has one row, and a copy of one plane has `planes` 1. Backends begin with
   this. */
static inline struct tw_backend_copy tw_rows_join(struct tw_backend_copy copy)
{
    for (int dimension = 0; dimension < 2; ++dimension) {
        if (copy.rows > 1 && copy.target_pitch == copy.row_bytes && copy.source_pitch == copy.row_bytes) {
            copy.row_bytes *= copy.rows;
            copy.rows = 1;
        }
        if (copy.rows == 1) { /* each plane is a row */
            copy.rows = copy.planes;
            copy.target_pitch = copy.target_plane;
            copy.source_pitch = copy.source_plane;
            copy.planes = 1;
        }
    }
    if (copy.planes > 1 && copy.target_plane == copy.rows * copy.target_pitch
        && copy.source_plane == copy.rows * copy.source_pitch) {
        copy.rows *= copy.planes;
        copy.planes = 1;
    }
    return copy;
}

/* Returns true if there is nothing to copy: no bytes, or bytes that are there already. */
static inline bool tw_rows_is_nothing(const struct tw_backend_copy *copy)
{
    return tw_backend_copy_bytes(copy) == 0 || (copy->to == copy->from && copy->target == copy->source);
}

/* As tw_rows_join(), for a fill. */
static inline struct tw_backend_fill tw_rows_join_fill(struct tw_backend_fill fill)
{
    const struct tw_backend_copy rows = tw_rows_join((struct tw_backend_copy){.row_bytes = fill.row_bytes,
                                                                              .rows = fill.rows,
                                                                              .planes = fill.planes,
                                                                              .target_pitch = fill.pitch,
                                                                              .source_pitch = fill.pitch,
                                                                              .target_plane = fill.plane,
                                                                              .source_plane = fill.plane});
    fill.row_bytes = rows.row_bytes;
    fill.rows = rows.rows;
    fill.planes = rows.planes;
    fill.pitch = rows.target_pitch;
    fill.plane = rows.target_plane;
    return fill;
}

/* Returns the bytes after which a pattern repeats: its own size, or a smaller power of two. */
size_t tw_rows_period(const void *pattern, size_t bytes);

/* Copies rows between two pieces of memory that this thread can access. They do not overlap. Ignores the devices. */
void tw_rows_copy(const struct tw_backend_copy *copy);

/* Fills rows of memory that this thread can access. */
void tw_rows_fill(const struct tw_backend_fill *fill);

#endif
