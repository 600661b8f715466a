/* SPDX-License-Identifier: Apache-2.0 */
/** Which indices a launch reaches: kernels mark the cells of an array, which stay CANARY elsewhere. */
#ifndef TW_MARK_TEST_H
#define TW_MARK_TEST_H

#include "tw_test.h"

#define CANARY 12345

/* The array in each of 3 dimensions; what is over it is made by cells_buffer(). */
enum { EXTENT = 44 };
static long cells[EXTENT * EXTENT * EXTENT];

/* The block of a kernel that marks. */
struct mark {
    long *out;
    size_t rows, columns; /* strides of the array, for 2 and 3 dimensions */
};

/* Adds 1000000 * id0 + 10000 * id1 + 100 * id2 + dims, for every visit, at the place of the global id. `row` is id0
   once more, asked for in another way. */
static inline void mark_at(const struct mark *k, tw_id id, size_t row)
{
    long *place = k->out + (id.at[0] * k->rows + id.at[1]) * k->columns + id.at[2];
    *place += (long)(1000000 * row + 10000 * id.at[1] + 100 * id.at[2] + id.dims);
}

static inline tw_buffer *cells_buffer(void)
{
    tw_buffer *buffer = NULL;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; ++i)
        cells[i] = CANARY;
    TW_PASS(tw_buffer_create_over(cells, sizeof *cells, tw_range_3d(EXTENT, EXTENT, EXTENT), &buffer));
    return buffer;
}

/* Destroys the buffer and checks that exactly the range at that offset was marked, once. */
static inline void expect_marks(tw_buffer *buffer, tw_range range, tw_id offset)
{
    TW_PASS(tw_buffer_destroy(&buffer));
    for (size_t i = 0; i < sizeof cells / sizeof *cells; ++i) {
        const size_t at[3] = {i / EXTENT / EXTENT, i / EXTENT % EXTENT, i % EXTENT};
        bool inside = true;
        for (unsigned d = 0; d < 3; ++d)
            inside = inside && at[d] >= offset.at[d] && at[d] < offset.at[d] + range.size[d];
        const size_t mark = 1000000 * at[0] + 10000 * at[1] + 100 * at[2] + range.dims;
        TW_EQUAL(cells[i], CANARY + (inside ? (long)mark : 0));
    }
}

#endif
