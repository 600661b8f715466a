/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/*
 * Sub-buffers as references (spec 3.6.1), and wherever else a buffer can be given: read-only buffers, host memory,
 * storage objects, images and reductions. test_parts.c has what parts order and move.
 */
#include "part_kernel.h"

#include <stdatomic.h>

#include <teamwork/host_memory.h>
#include <teamwork/image.h>
#include <teamwork/reduction.h>
#include <teamwork/storage.h>

enum { ROWS = 12, COLUMNS = 10, ALL = ROWS * COLUMNS };

static tw_buffer *rows_of(tw_buffer *buffer, size_t first, size_t count)
{
    tw_buffer *sub = NULL;
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(first, 0), tw_range_2d(count, COLUMNS), &sub));
    return sub;
}

static tw_buffer *whole_over(int *data)
{
    tw_buffer *buffer = NULL;
    memset(data, 0, ALL * sizeof *data);
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_2d(ROWS, COLUMNS), &buffer));
    return buffer;
}

/* Checks that rows from `first` on hold one value. */
static void rows_hold(const int *data, size_t first, size_t count, int value)
{
    for (size_t i = first * COLUMNS; i < (first + count) * COLUMNS; ++i)
        TW_EQUAL(data[i], value);
}

/* ---- references -------------------------------------------------------------------------------------------------- */

/* The buffer, two sub-buffers of which one has two references, in every order: none but the last destruction waits for
   the command in flight, and after it the contents are back. */
TW_TEST(references_end_in_any_order)
{
    enum { HANDLES = 4 };
    static int data[ALL];
    tw_queue *queue = tw_test_queue();
    for (int order = 0; order < 24; ++order) {
        struct tw_gate gate;
        tw_gate_shut(&gate);
        tw_buffer *handles[HANDLES] = {whole_over(data)};
        handles[1] = rows_of(handles[0], 2, 3);
        handles[2] = rows_of(handles[0], 4, 4); /* overlaps the other */
        handles[3] = tw_buffer_retain(handles[2]);
        add_to(queue, handles[1], gate.buffer, 10);
        add_to(queue, handles[2], gate.buffer, 100);
        for (int rest = order, i = HANDLES; i > 0; rest /= i--) {
            const int at = rest % i;
            tw_buffer *taken = handles[at];
            handles[at] = handles[i - 1];
            if (i == 1) {
                rows_hold(data, 0, 2, 0);
                tw_gate_open(&gate);
            }
            TW_PASS(tw_buffer_destroy(&taken));
            TW_CHECK(taken == NULL);
        }
        rows_hold(data, 0, 2, 0);
        rows_hold(data, 2, 2, 10);
        rows_hold(data, 4, 1, 110);
        rows_hold(data, 5, 3, 100);
        rows_hold(data, 8, 4, 0);
        tw_gate_free(&gate);
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_test_released(tw_queue_device(queue));
    TW_PASS(tw_queue_destroy(&queue));
}

/* The last destruction is refused while this thread holds a part, or a command in flight waits for this thread. All
   references that are left serve as before. */
TW_TEST(refused_destructions_leave_the_references)
{
    static int data[ALL];
    tw_queue *queue = tw_test_queue();
    tw_buffer *gate = tw_test_int(0);
    for (int way = 0; way < 4; ++way) {
        const bool sub_is_last = way % 2, holds_gate = way / 2;
        tw_host_accessor *accessor = NULL;
        tw_buffer *buffer = whole_over(data), *sub = rows_of(buffer, 3, 2);
        TW_PASS(tw_host_access(holds_gate ? gate : sub, TW_READ_WRITE, &accessor));
        if (holds_gate)
            add_to(queue, sub, gate, 5);
        TW_PASS(tw_buffer_destroy(sub_is_last ? &buffer : &sub));
        tw_buffer **const last = sub_is_last ? &sub : &buffer, *const was = *last;
        TW_FAIL(tw_buffer_destroy(last), TW_ERROR_WOULD_DEADLOCK);
        TW_CHECK(*last == was);
        TW_FAIL(tw_buffer_destroy(last), TW_ERROR_WOULD_DEADLOCK);
        tw_buffer *other = tw_buffer_retain(*last), *rows = NULL;
        TW_PASS(tw_buffer_destroy(&other)); /* not the last */
        TW_PASS(tw_buffer_create_sub(*last, tw_id_2d(0, 0), tw_range_2d(1, COLUMNS), &rows));
        add_to(queue, rows, gate, 7); /* can still be submitted */
        TW_PASS(tw_buffer_destroy(&rows));
        tw_host_accessor_release(&accessor);
        TW_PASS(tw_buffer_destroy(last));
        rows_hold(data, 3, 1, 5 * holds_gate + 7 * sub_is_last);
        rows_hold(data, 4, 1, 5 * holds_gate);
        rows_hold(data, 0, 1, 7 * !sub_is_last);
    }
    TW_PASS(tw_buffer_destroy(&gate));
    TW_PASS(tw_queue_destroy(&queue));
}

struct part {
    tw_queue *queue;
    tw_buffer *sub, *gate;
    atomic_uint *go;
};

/* Uses and ends references to a part, and to parts of that, while others do the same. */
static void *use_part(void *context)
{
    struct part *part = context;
    atomic_fetch_sub(part->go, 1);
    while (atomic_load(part->go)) {
    }
    for (int i = 0; i < 40; ++i) {
        tw_host_accessor *accessor = NULL;
        tw_buffer *again = tw_buffer_retain(part->sub), *row = rows_of(part->sub, (size_t)i % 2, 1);
        add_to(part->queue, again, part->gate, 1);
        TW_PASS(tw_buffer_destroy(&again));
        add_to(part->queue, row, part->gate, 100);
        if (i % 8 == 0) {
            TW_PASS(tw_host_access(row, TW_READ, &accessor));
            tw_host_accessor_release(&accessor);
        }
        TW_PASS(tw_buffer_destroy(&row));
    }
    TW_PASS(tw_buffer_destroy(&part->sub));
    return NULL;
}

TW_TEST(threads_use_and_end_references)
{
    enum { THREADS = 4, ROUNDS = 5 };
    static int data[ALL];
    tw_queue *queues[THREADS];
    tw_buffer *gate = tw_test_int(0);
    tw_test_queues(queues, THREADS);
    for (int round = 0; round < ROUNDS; ++round) {
        struct part parts[THREADS];
        pthread_t threads[THREADS];
        atomic_uint go = THREADS + 1;
        tw_buffer *buffer = whole_over(data);
        tw_buffer *mine = rows_of(buffer, ROWS - 1, 1);
        for (size_t t = 0; t < THREADS; ++t) {
            parts[t] = (struct part){queues[t], rows_of(buffer, t * 2, 3), gate, &go}; /* the last row is the next's */
            TW_CHECK(pthread_create(&threads[t], NULL, use_part, &parts[t]) == 0);
        }
        atomic_fetch_sub(&go, 1);
        TW_PASS(tw_buffer_destroy(round % 2 ? &buffer : &mine));
        TW_PASS(tw_buffer_destroy(round % 2 ? &mine : &buffer));
        for (size_t t = 0; t < THREADS; ++t)
            TW_CHECK(pthread_join(threads[t], NULL) == 0);
        /* the last thread's destruction has brought all home */
        for (size_t t = 0; t < THREADS; ++t) {
            rows_hold(data, t * 2, 1, (t ? 2 : 1) * 40 + 20 * 100);
            rows_hold(data, t * 2 + 1, 1, 40 + 20 * 100);
        }
        rows_hold(data, 2 * THREADS, 1, 40);
        rows_hold(data, 2 * THREADS + 1, ROWS - 2 * THREADS - 1, 0);
    }
    tw_test_destroy_queues(queues, THREADS);
    TW_PASS(tw_buffer_destroy(&gate));
}

/* An open group keeps a buffer without host memory, and does not keep one over it; each reference counts. */
TW_TEST(groups_that_are_submitted_after_the_destruction)
{
    static int data[ALL];
    tw_queue *queue = tw_test_queue();
    tw_buffer *gate = tw_test_int(0);
    for (int way = 0; way < 4; ++way) {
        const bool over = way % 2, keep = way / 2;
        tw_buffer *buffer = NULL;
        if (over)
            buffer = whole_over(data);
        else
            TW_PASS(tw_buffer_create_copy(data, sizeof *data, tw_range_2d(ROWS, COLUMNS), &buffer));
        tw_buffer *sub = rows_of(buffer, 3, 2), *kept = keep ? rows_of(buffer, 0, 1) : NULL;
        tw_command_group *cg = group_of_add(queue, sub, gate, 9);
        TW_PASS(tw_buffer_destroy(&sub));
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_FAIL(tw_queue_submit(queue, cg, NULL), over && !keep ? TW_ERROR_INVALID_COMMAND_GROUP : TW_SUCCESS);
        TW_PASS(tw_buffer_destroy(&kept));
        if (over) {
            rows_hold(data, 3, 2, keep ? 9 : 0);
            memset(data, 0, sizeof data);
        }
    }
    TW_PASS(tw_buffer_destroy(&gate));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- whatever the memory ----------------------------------------------------------------------------------------- */

TW_TEST(parts_of_const_memory_are_read_only)
{
    static int data[ALL];
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL, *row = NULL, *out = tw_test_ints(COLUMNS, 0);
    tw_host_accessor *accessor = NULL;
    for (int i = 0; i < ALL; ++i)
        data[i] = i;
    TW_PASS(tw_buffer_create_over_const(data, sizeof *data, tw_range_2d(ROWS, COLUMNS), &buffer));
    tw_buffer *sub = rows_of(buffer, 4, 3);
    row = rows_of(sub, 1, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int mode = TW_WRITE; mode <= TW_ATOMIC; ++mode) {
        tw_command_group *cg = tw_queue_begin(queue);
        TW_CHECK(!tw_access(cg, row, (tw_access_mode)mode, TW_GLOBAL));
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_READ_ONLY_BUFFER);
        if (mode != TW_ATOMIC)
            TW_FAIL(tw_host_access(row, (tw_access_mode)mode, &accessor), TW_ERROR_READ_ONLY_BUFFER);
    }
    tw_command_group *cg = tw_queue_begin(queue); /* the row is what the kernel waits for */
    tw_parallel_for(cg, tw_range_2d(1, COLUMNS), add, .part = tw_read_write(cg, out), .gate = tw_read(cg, row),
                    .value = 1);
    tw_test_run(queue, cg);
    tw_test_expect_ints(out, 1 + 5 * COLUMNS);
    TW_PASS(tw_host_access(row, TW_READ, &accessor));
    for (int i = 0; i < COLUMNS; ++i)
        TW_EQUAL(((const int *)tw_host_accessor_const_data(accessor))[i], 5 * COLUMNS + i);
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_buffer_destroy(&sub));
    TW_PASS(tw_buffer_destroy(&row));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Host memory that devices copy fastest from, and that the host's own kernels work in. */
TW_TEST(parts_of_host_memory_lie_in_it)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *gate = tw_test_int(0);
    tw_host_accessor *accessor = NULL;
    int *const data = tw_malloc_host(ALL * sizeof *data);
    TW_CHECK(data != NULL);
    tw_buffer *buffer = whole_over(data), *sub = rows_of(buffer, 6, 3);
    add_to(queue, sub, gate, 3);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_host_access(sub, TW_READ_WRITE, &accessor));
    TW_CHECK(tw_host_accessor_data(accessor) == &data[6 * COLUMNS]);
    rows_hold(data, 6, 3, 3);
    data[6 * COLUMNS] = 4;
    tw_host_accessor_release(&accessor);
    add_to(queue, sub, gate, 3);
    TW_PASS(tw_buffer_destroy(&sub));
    TW_EQUAL(data[6 * COLUMNS], 7);
    TW_EQUAL(data[6 * COLUMNS + 1], 6);
    rows_hold(data, 7, 2, 6);
    rows_hold(data, 9, 3, 0);
    tw_free_host(data);
    TW_PASS(tw_buffer_destroy(&gate));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- storage objects --------------------------------------------------------------------------------------------- */

struct told {
    int first[ALL], last[ALL];
    atomic_uint in_use, completed, destroyed, finished;
};
static const void *first_of(void *user)
{
    return ((struct told *)user)->first;
}
static void *last_of(void *user)
{
    return ((struct told *)user)->last;
}
static void in_use(void *user)
{
    atomic_fetch_add(&((struct told *)user)->in_use, 1);
}
static void completed(void *user)
{
    atomic_fetch_add(&((struct told *)user)->completed, 1);
}
static void destroyed(void *user)
{
    atomic_fetch_add(&((struct told *)user)->destroyed, 1);
}
static void finished(void *user, tw_status status)
{
    TW_PASS(status);
    atomic_fetch_add(&((struct told *)user)->finished, 1);
}

/* Parts that several devices have written come together. Uses of parts are uses of the storage, and a group that
   accesses several parts is one of them. The storage is told of the last reference alone. */
TW_TEST(a_storage_is_told_of_its_parts)
{
    static struct told told;
    tw_queue *queues[3];
    tw_buffer *buffer = NULL, *gate = tw_test_int(0);
    tw_host_accessor *accessor = NULL;
    const tw_storage storage = {.user = &told,
                                .initial_data = first_of,
                                .final_data = last_of,
                                .in_use = in_use,
                                .completed = completed,
                                .destroy = destroyed,
                                .finished = finished};
    for (int i = 0; i < ALL; ++i)
        told.first[i] = i;
    tw_test_queues(queues, 3);
    TW_PASS(tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    tw_buffer *subs[] = {rows_of(buffer, 0, 4), rows_of(buffer, 4, 4), rows_of(buffer, 6, 5)};
    TW_PASS(tw_host_access(subs[2], TW_READ, &accessor));
    TW_EQUAL(atomic_load(&told.in_use), 1);
    tw_host_accessor_release(&accessor);
    for (int i = 0; i < 3; ++i)
        add_to(queues[i], subs[i], gate, 1000 << i);
    tw_command_group *cg = tw_queue_begin(queues[0]); /* parts that overlap */
    (void)tw_read(cg, subs[1]);
    tw_parallel_for(cg, tw_buffer_range(subs[2]), add, .part = tw_read_write(cg, subs[2]), .gate = tw_read(cg, gate),
                    .pitch = COLUMNS, .value = 10000);
    TW_PASS(tw_queue_submit(queues[0], cg, NULL));
    for (int i = 0; i < 3; ++i)
        TW_PASS(tw_queue_wait_and_throw(queues[i]));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&subs[1]));
    TW_PASS(tw_buffer_destroy(&subs[0]));
    TW_EQUAL(atomic_load(&told.destroyed), 0);
    TW_PASS(tw_host_access(subs[2], TW_READ, &accessor));
    TW_CHECK(atomic_load(&told.in_use) >= 2);
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_buffer_destroy(&subs[2]));
    TW_EQUAL(atomic_load(&told.destroyed), 1);
    while (!atomic_load(&told.finished)) {
    }
    TW_EQUAL(atomic_load(&told.in_use), atomic_load(&told.completed));
    for (int i = 0; i < ALL; ++i) {
        const int row = i / COLUMNS;
        const int added = (row < 4) * 1000 + (row >= 4 && row < 8) * 2000 + (row >= 6 && row < 11) * 14000;
        TW_EQUAL(told.last[i], i + added);
    }
    tw_test_destroy_queues(queues, 3);
    TW_PASS(tw_buffer_destroy(&gate));
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

struct paint {
    tw_image_2d out;
};
static inline void paint(tw_item item, const struct paint *k)
{
    const tw_id at = tw_get_global_id(item);
    tw_write_imagei(k->out, at, (tw_int4){(int)(100 * at.at[0] + at.at[1]), 0, 0, 0});
}
TW_RANGE_KERNEL(paint, 2);

/* Pixels lie back to back, so the rows of the sub-buffer must. The image does not touch, or wait for, the rest. */
TW_TEST(images_lie_on_whole_rows)
{
    enum { HEIGHT = 4, WIDTH = 5 }; /* two rows of the buffer */
    static int data[ALL];
    tw_queue *queue = tw_test_queue();
    tw_image *image = NULL;
    tw_host_accessor *rest = NULL;
    tw_image_layout layout = {.order = TW_R, .type = TW_SIGNED_INT32, .size = tw_range_2d(HEIGHT, WIDTH)};
    tw_buffer *buffer = whole_over(data), *rows = rows_of(buffer, 4, 2), *box = NULL;
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(4, 0), tw_range_2d(8, COLUMNS - 1), &box));
    TW_FAIL(tw_image_create_on_buffer(box, layout, &image), TW_ERROR_INVALID_RANGE);
    layout.size = tw_range_2d(HEIGHT, WIDTH + 1);
    TW_FAIL(tw_image_create_on_buffer(rows, layout, &image), TW_ERROR_INVALID_RANGE); /* more than the part */
    layout.size = tw_range_2d(HEIGHT, WIDTH);
    TW_PASS(tw_image_create_on_buffer(rows, layout, &image));
    TW_PASS(tw_buffer_destroy(&rows)); /* the image has a reference of its own */
    TW_PASS(tw_host_access_part(buffer, tw_id_2d(6, 0), tw_range_2d(6, COLUMNS), TW_READ_WRITE, &rest));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, layout.size, paint, .out = tw_discard_write_image_2d(cg, image));
    tw_test_run(queue, cg); /* does not wait for this thread's accessor */
    tw_host_accessor_release(&rest);
    TW_PASS(tw_buffer_destroy(&box));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_image_destroy(&image));
    rows_hold(data, 0, 4, 0);
    for (int i = 0; i < HEIGHT; ++i)
        for (int j = 0; j < WIDTH; ++j)
            TW_EQUAL(data[4 * COLUMNS + i * WIDTH + j], 100 * i + j);
    rows_hold(data, 6, 6, 0);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

struct total {
    TW_REDUCTION(int, TW_SUM) sum;
};
static inline void total(tw_item item, const struct total *k)
{
    tw_combine(k->sum, (int)tw_global_id(item, 0));
}
TW_RANGE_REDUCTION(total, 1, sum);

/* The index counts in the sub-buffer, whose rows and planes need not lie back to back. */
TW_TEST(reductions_into_each_element_of_a_part)
{
    static int data[4][5][6];
    const tw_range part = tw_range_3d(2, 3, 4);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL, *sub = NULL, *none = NULL;
    memset(data, 0, sizeof data);
    TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_3d(4, 5, 6), &buffer));
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_3d(1, 2, 1), part, &sub));
    TW_PASS(tw_buffer_create_sub(sub, tw_id_3d(1, 2, 1), tw_range_3d(1, 0, 2), &none));
    for (size_t i = 0; i < 24; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        if (i % 2)
            tw_parallel_for(cg, tw_range_1d(i + 2), total, .sum = TW_REDUCE_AT(cg, sub, i));
        else
            tw_parallel_for(cg, tw_range_1d(i + 2), total, .sum = TW_REDUCE_INIT_AT(cg, sub, i));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(2), total, .sum = TW_REDUCE_AT(cg, sub, 24));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_RANGE);
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(2), total, .sum = TW_REDUCE(cg, none));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_RANGE);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&none));
    TW_PASS(tw_buffer_destroy(&sub));
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 5; ++j)
            for (int k = 0; k < 6; ++k) {
                const bool inside = i >= 1 && i < 3 && j >= 2 && k >= 1 && k < 5;
                const int at = ((i - 1) * 3 + j - 2) * 4 + k - 1;
                TW_EQUAL(data[i][j][k], inside ? (at + 1) * (at + 2) / 2 : 0);
            }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(references_end_in_any_order),
                TW_CASE(refused_destructions_leave_the_references),
                TW_CASE(threads_use_and_end_references),
                TW_CASE(groups_that_are_submitted_after_the_destruction),
                TW_CASE(parts_of_const_memory_are_read_only),
                TW_CASE(parts_of_host_memory_lie_in_it),
                TW_CASE(a_storage_is_told_of_its_parts),
                TW_CASE(images_lie_on_whole_rows),
                TW_CASE(reductions_into_each_element_of_a_part),
                TW_CASES_END};
