/* SPDX-License-Identifier: Apache-2.0 */
/** Rows of bytes (backend.h): their shortest description, and copies of them in host memory. */
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

/* Copies rows between two pieces of memory that this thread can access. They do not overlap. Ignores the devices. */
void tw_rows_copy(const struct tw_backend_copy *copy);

#endif
