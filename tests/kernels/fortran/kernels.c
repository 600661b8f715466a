/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels for main.f90, and the functions that submit them. */
#include <teamwork/teamwork.h>

size_t range_bytes(void);
size_t times_bytes(void);
tw_status submit_saxpy(tw_queue *queue, float a, tw_buffer *x, tw_buffer *y, tw_event **event);
tw_status submit_number(tw_queue *queue, tw_buffer *matrix);

size_t range_bytes(void)
{
    return sizeof(tw_range);
}

size_t times_bytes(void)
{
    return sizeof(tw_event_times);
}

struct saxpy {
    float a;
    const float *x;
    float *y;
};
static inline void saxpy(tw_item item, const struct saxpy *k)
{
    const size_t i = tw_global_id(item, 0);
    k->y[i] += k->a * k->x[i];
}
TW_RANGE_KERNEL(saxpy, 1);

tw_status submit_saxpy(tw_queue *queue, float a, tw_buffer *x, tw_buffer *y, tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(tw_buffer_count(y)), saxpy, .a = a, .x = tw_read(cg, x), .y = tw_read_write(cg, y));
    return tw_queue_submit(queue, cg, event);
}

/* Columns of Fortran are rows here. */
struct number {
    TW_VIEW(int) matrix;
};
static inline void number(tw_item item, const struct number *k)
{
    const size_t column = tw_global_id(item, 0), row = tw_global_id(item, 1);
    tw_at(k->matrix, column, row) = (int)(10 * (row + 1) + column + 1);
}
TW_RANGE_KERNEL(number, 2);

tw_status submit_number(tw_queue *queue, tw_buffer *matrix)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_buffer_range(matrix), number, .matrix = TW_DISCARD_WRITE_VIEW(cg, matrix));
    return tw_queue_submit(queue, cg, NULL);
}
