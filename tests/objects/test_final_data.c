/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/*
 * Where the contents of buffers go in the end (spec 3.6.1, 3.6.3): tw_buffer_set_final_data() of whole buffers, of
 * sub-buffers and of images' buffers.
 */
#include "gated_kernel.h"
#include "part_kernel.h"

#include <stdatomic.h>

#include <teamwork/image.h>
#include <teamwork/storage.h>

enum { N = 1000, ROWS = 12, COLUMNS = 10 };

static void fill(int *data, size_t count, int first)
{
    for (size_t i = 0; i < count; ++i)
        data[i] = first + (int)i;
}

/* Checks a part of a field that fill() filled, and add_to() added to, in memory that has the part alone. */
static void is_part(const int *memory, tw_id offset, tw_range range, int first)
{
    for (size_t i = 0; i < range.size[0]; ++i)
        for (size_t j = 0; j < range.size[1]; ++j)
            TW_EQUAL(memory[i * range.size[1] + j], first + (int)((offset.at[0] + i) * COLUMNS + offset.at[1] + j));
}

static void is_filled(const int *data, size_t count, int first)
{
    for (size_t i = 0; i < count; ++i)
        TW_EQUAL(data[i], first + (int)i);
}

/* ---- whole buffers ----------------------------------------------------------------------------------------------- */

enum kind { PLAIN, COPY, OVER, CONST, KINDS };

static tw_buffer *make(enum kind kind, int *data)
{
    tw_buffer *buffer = NULL;
    if (kind == PLAIN) {
        TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &buffer));
        tw_test_store(buffer, data);
    } else {
        TW_PASS(kind == COPY   ? tw_buffer_create_copy(data, sizeof(int), tw_range_1d(N), &buffer)
                : kind == OVER ? tw_buffer_create_over(data, sizeof(int), tw_range_1d(N), &buffer)
                               : tw_buffer_create_over_const(data, sizeof(int), tw_range_1d(N), &buffer));
    }
    return buffer;
}

/* The last place counts, and none at all if that is NULL. It is written by the last reference, after the commands. */
TW_TEST(final_data_can_be_set_and_changed)
{
    static int data[N], first[N], last[N];
    tw_queue *queue = tw_test_queue();
    for (int way = 0; way < 2 * KINDS; ++way) {
        const enum kind kind = (enum kind)(way % KINDS);
        const bool nowhere = way >= KINDS;
        struct tw_gate gate;
        fill(data, N, 0), fill(first, N, 5000), fill(last, N, 9000);
        tw_buffer *buffer = make(kind, data);
        TW_PASS(tw_buffer_set_final_data(buffer, first));
        tw_gate_shut(&gate);
        if (kind != CONST)
            submit_increase(queue, buffer, &gate, NULL);
        TW_PASS(tw_buffer_set_final_data(buffer, nowhere ? NULL : last)); /* also while commands are in flight */
        tw_buffer *other = tw_buffer_retain(buffer);
        TW_PASS(tw_buffer_destroy(&buffer)); /* not the last reference */
        is_filled(last, N, 9000);
        tw_gate_open(&gate);
        TW_PASS(tw_buffer_destroy(&other));
        is_filled(first, N, 5000);
        is_filled(last, N, nowhere ? 9000 : kind != CONST);
        if (kind != OVER)
            is_filled(data, N, 0);
        tw_gate_free(&gate);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* The memory that a buffer was created over is its place again. */
TW_TEST(host_memory_can_be_the_final_data_again)
{
    static int data[N], elsewhere[N];
    tw_queue *queue = tw_test_queue();
    struct tw_gate gate;
    tw_gate_shut(&gate);
    tw_gate_open(&gate);
    fill(data, N, 0), fill(elsewhere, N, 100);
    tw_buffer *buffer = make(OVER, data);
    TW_PASS(tw_buffer_set_final_data(buffer, elsewhere));
    TW_PASS(tw_buffer_set_final_data(buffer, NULL));
    submit_increase(queue, buffer, &gate, NULL);
    TW_PASS(tw_buffer_set_final_data(buffer, data));
    TW_PASS(tw_buffer_destroy(&buffer));
    is_filled(data, N, 1);
    is_filled(elsewhere, N, 100);
    tw_gate_free(&gate);
    TW_PASS(tw_queue_destroy(&queue));
}

/* A buffer without a place does not wait again; one over host memory waits, since it uses that. */
TW_TEST(without_final_data_destruction_waits_for_host_memory_alone)
{
    static int data[N], last[N];
    tw_queue *queue = tw_test_queue();
    tw_host_accessor *shut = NULL;
    fill(data, N, 0), fill(last, N, 70);
    tw_buffer *gate = NULL, *plain = make(PLAIN, data), *over = make(OVER, data);
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(1), &gate));
    TW_PASS(tw_host_access(gate, TW_DISCARD_WRITE, &shut));
    *(int *)tw_host_accessor_data(shut) = 0;
    struct tw_gate mine = {.buffer = gate};
    submit_increase(queue, plain, &mine, NULL);
    submit_increase(queue, over, &mine, NULL);
    TW_PASS(tw_buffer_set_final_data(plain, last));
    TW_FAIL(tw_buffer_destroy(&plain), TW_ERROR_WOULD_DEADLOCK); /* it would wait for this thread */
    TW_PASS(tw_buffer_set_final_data(plain, NULL));
    TW_PASS(tw_buffer_destroy(&plain));
    TW_PASS(tw_buffer_set_final_data(over, NULL));
    TW_FAIL(tw_buffer_destroy(&over), TW_ERROR_WOULD_DEADLOCK);
    tw_host_accessor_release(&shut);
    TW_PASS(tw_buffer_destroy(&over));
    TW_PASS(tw_queue_wait_and_throw(queue));
    is_filled(last, N, 70);
    TW_PASS(tw_buffer_destroy(&gate));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_buffer_that_was_never_written_leaves_the_memory)
{
    static int last[N];
    tw_buffer *buffer = NULL, *sub = NULL;
    fill(last, N, 3);
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &buffer));
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_1d(10), tw_range_1d(10), &sub));
    TW_PASS(tw_buffer_set_final_data(buffer, last));
    TW_PASS(tw_buffer_set_final_data(sub, last + 500));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&sub));
    is_filled(last, N, 3);
}

/* As for host memory: the program has the contents already. */
TW_TEST(a_group_that_is_submitted_after_the_destruction_is_refused)
{
    static int data[N], last[N];
    tw_queue *queue = tw_test_queue();
    tw_buffer *gate = tw_test_int(0), *buffer = make(COPY, data);
    TW_PASS(tw_buffer_set_final_data(buffer, last));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), increase, .data = tw_read_write(cg, buffer), .gate = tw_read(cg, gate));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_PASS(tw_buffer_destroy(&gate));
    TW_PASS(tw_queue_destroy(&queue));
}

static void *no_memory(void *user)
{
    return user;
}

TW_TEST(final_data_of_nothing_is_refused)
{
    int data[4] = {0};
    const tw_storage storage = {.user = data, .host_data = no_memory};
    tw_buffer *buffer = NULL, *sub = NULL;
    TW_FAIL(tw_buffer_set_final_data(NULL, data), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(4), &buffer));
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_1d(1), tw_range_1d(2), &sub));
    TW_FAIL(tw_buffer_set_final_data(buffer, data), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_set_final_data(sub, data), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_buffer_destroy(&sub));
    TW_PASS(tw_buffer_destroy(&buffer));
}

TW_TEST(the_pixels_of_an_image_have_a_final_place_too)
{
    enum { HEIGHT = 3, WIDTH = 5 };
    static float first[HEIGHT][WIDTH], last[HEIGHT][WIDTH];
    tw_image *image = NULL;
    tw_host_image *access = NULL;
    const tw_image_layout layout = {.order = TW_R, .type = TW_FLOAT, .size = tw_range_2d(HEIGHT, WIDTH)};
    TW_PASS(tw_image_create_copy(first, layout, &image));
    TW_PASS(tw_buffer_set_final_data(tw_image_buffer(image), last));
    TW_PASS(tw_host_image_access(image, TW_READ_WRITE, &access));
    ((float *)tw_host_image_data(access))[WIDTH + 2] = 2.5f;
    tw_host_image_release(&access);
    TW_PASS(tw_image_destroy(&image));
    for (int i = 0; i < HEIGHT; ++i)
        for (int j = 0; j < WIDTH; ++j)
            TW_CHECK(last[i][j] == (i == 1 && j == 2 ? 2.5f : 0.0f) && first[i][j] == 0.0f);
}

/* ---- sub-buffers ------------------------------------------------------------------------------------------------- */

/* Parts of several devices go to places of their own, rows back to back, whatever the order of the destructions. */
TW_TEST(parts_go_to_places_of_their_own)
{
    static int data[ROWS * COLUMNS], all[ROWS * COLUMNS], rows[3 * COLUMNS], corner[4 * 5], replaced[4 * 5];
    tw_buffer *gate = tw_test_int(0);
    tw_queue *queues[3];
    tw_test_queues(queues, 3);
    for (int order = 0; order < 6; ++order) {
        const bool with_all = order % 2 == 0;
        tw_buffer *buffer = NULL, *sub[2] = {NULL, NULL}, *again = NULL;
        fill(data, ROWS * COLUMNS, 0), fill(all, ROWS * COLUMNS, -1);
        fill(rows, 3 * COLUMNS, -1), fill(corner, 20, -1), fill(replaced, 20, -1);
        TW_PASS(tw_buffer_create_copy(data, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
        TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(2, 0), tw_range_2d(3, COLUMNS), &sub[0]));
        TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(7, 3), tw_range_2d(4, 5), &sub[1]));
        TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(7, 3), tw_range_2d(4, 5), &again)); /* the same part */
        TW_PASS(tw_buffer_set_final_data(sub[0], rows));
        TW_PASS(tw_buffer_set_final_data(sub[1], replaced));
        TW_PASS(tw_buffer_set_final_data(again, corner));
        if (with_all)
            TW_PASS(tw_buffer_set_final_data(buffer, all));
        TW_PASS(tw_buffer_destroy(&again)); /* the place stays */
        add_to(queues[order % 3], sub[0], gate, 100);
        add_to(queues[(order + 1) % 3], sub[1], gate, 200);
        for (int i = 0; i < 3; ++i) {
            tw_buffer **const handles[] = {&buffer, &sub[0], &sub[1]};
            TW_PASS(tw_buffer_destroy(handles[(order / 2 + i) % 3]));
        }
        is_part(rows, tw_id_2d(2, 0), tw_range_2d(3, COLUMNS), 100);
        is_part(corner, tw_id_2d(7, 3), tw_range_2d(4, 5), 200);
        is_filled(replaced, 20, -1);
        for (int i = 0; i < ROWS; ++i)
            for (int j = 0; j < COLUMNS; ++j) {
                const int added = i >= 2 && i < 5 ? 100 : i >= 7 && i < 11 && j >= 3 && j < 8 ? 200 : 0;
                TW_EQUAL(all[i * COLUMNS + j], i * COLUMNS + j + (with_all ? added : -1));
            }
    }
    tw_test_destroy_queues(queues, 3);
    TW_PASS(tw_buffer_destroy(&gate));
}

/* Parts of three dimensions, whose planes and rows have gaps between them. */
TW_TEST(a_part_of_three_dimensions_is_packed)
{
    static int data[4][5][6], last[2][3][4];
    tw_buffer *buffer = NULL, *sub = NULL;
    fill(&data[0][0][0], 120, 0);
    TW_PASS(tw_buffer_create_copy(data, sizeof(int), tw_range_3d(4, 5, 6), &buffer));
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_3d(1, 2, 1), tw_range_3d(2, 3, 4), &sub));
    TW_PASS(tw_buffer_set_final_data(sub, last));
    TW_PASS(tw_buffer_destroy(&sub));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 4; ++k)
                TW_EQUAL(last[i][j][k], ((1 + i) * 5 + 2 + j) * 6 + 1 + k);
}

/* One part of a buffer over host memory comes back to its place there; another one goes elsewhere. */
TW_TEST(a_part_stays_in_host_memory)
{
    static int data[ROWS * COLUMNS], elsewhere[2 * 2];
    const tw_id at = tw_id_2d(4, 3);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL, *sub = NULL, *other = NULL, *gate = tw_test_int(0);
    fill(data, ROWS * COLUMNS, 0);
    TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    TW_PASS(tw_buffer_create_sub(buffer, at, tw_range_2d(5, 6), &sub));
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(0, 0), tw_range_2d(2, 2), &other));
    TW_PASS(tw_buffer_set_final_data(buffer, NULL));
    TW_PASS(tw_buffer_set_final_data(sub, &data[4 * COLUMNS + 3]));
    TW_PASS(tw_buffer_set_final_data(other, elsewhere));
    add_to(queue, buffer, gate, 1000);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&other));
    TW_PASS(tw_buffer_destroy(&sub));
    for (size_t i = 4; i < 9; ++i)
        for (size_t j = 3; j < 9; ++j)
            TW_EQUAL(data[i * COLUMNS + j], 1000 + (int)(i * COLUMNS + j));
    is_part(elsewhere, tw_id_2d(0, 0), tw_range_2d(2, 2), 1000);
    TW_PASS(tw_buffer_destroy(&gate));
    TW_PASS(tw_queue_destroy(&queue));
}

/* The destruction waits for the part that has a place, and not for a command that is still to write another one. */
TW_TEST(destruction_waits_for_the_part_alone)
{
    static int zero[ROWS * COLUMNS], last[2 * COLUMNS];
    struct tw_gate gate;
    tw_event *event = NULL;
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL, *sub = NULL, *rest = NULL, *open = tw_test_int(0);
    tw_gate_shut(&gate);
    TW_PASS(tw_buffer_create_copy(zero, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(0, 0), tw_range_2d(2, COLUMNS), &sub));
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(2, 0), tw_range_2d(ROWS - 2, COLUMNS), &rest));
    TW_PASS(tw_buffer_set_final_data(sub, last));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_buffer_range(rest), add, .part = tw_read_write(cg, rest), .gate = tw_read(cg, gate.buffer),
                    .pitch = COLUMNS, .value = 1);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    add_to(queue, sub, open, 7);
    TW_PASS(tw_buffer_destroy(&rest));
    TW_PASS(tw_buffer_destroy(&sub));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_PENDING);
    for (int i = 0; i < 2 * COLUMNS; ++i)
        TW_EQUAL(last[i], 7);
    tw_gate_open(&gate);
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
    tw_gate_free(&gate);
    TW_PASS(tw_buffer_destroy(&open));
    TW_PASS(tw_queue_destroy(&queue));
}

/* One part is lost: its place is left as it is, and the other part arrives. Nothing is told where the lost part has no
   place. */
TW_TEST(a_lost_part_does_not_keep_others)
{
    tw_test_use_sim(1);
    static int data[ROWS * COLUMNS], good[COLUMNS], bad[COLUMNS];
    tw_queue *queue = tw_test_queue();
    tw_buffer *gate = tw_test_int(0);
    for (int way = 0; way < 2; ++way) {
        tw_buffer *buffer = NULL, *well = NULL, *ill = NULL;
        fill(data, ROWS * COLUMNS, 0), fill(good, COLUMNS, -9), fill(bad, COLUMNS, -9);
        TW_PASS(tw_buffer_create_copy(data, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
        TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(3, 0), tw_range_2d(1, COLUMNS), &well));
        TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(5, 0), tw_range_2d(1, COLUMNS), &ill));
        TW_PASS(tw_buffer_set_final_data(well, good));
        if (way)
            TW_PASS(tw_buffer_set_final_data(ill, bad));
        add_to(queue, well, gate, 50);
        TW_PASS(tw_queue_wait_and_throw(queue));
        TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_LAUNCH, 1));
        add_to(queue, ill, gate, 60);
        TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_LAUNCH_FAILED);
        TW_PASS(tw_buffer_destroy(&ill));
        TW_PASS(tw_buffer_destroy(&well));
        TW_FAIL(tw_buffer_destroy(&buffer), way ? TW_ERROR_DATA_LOST : TW_SUCCESS);
        TW_CHECK(buffer == NULL);
        is_filled(good, COLUMNS, 50 + 3 * COLUMNS);
        is_filled(bad, COLUMNS, -9);
    }
    TW_PASS(tw_buffer_destroy(&gate));
    TW_PASS(tw_queue_destroy(&queue));
}

/* A refused destruction keeps the places. */
TW_TEST(a_refused_destruction_can_be_repeated)
{
    static int last[ROWS * COLUMNS], part[COLUMNS];
    const int zero[ROWS * COLUMNS] = {0};
    tw_buffer *buffer = NULL, *sub = NULL;
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_buffer_create_copy(zero, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(4, 0), tw_range_2d(1, COLUMNS), &sub));
    TW_PASS(tw_buffer_set_final_data(buffer, last));
    TW_PASS(tw_buffer_set_final_data(sub, part));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_host_access(sub, TW_READ_WRITE, &accessor));
    tw_buffer *const was = sub;
    TW_FAIL(tw_buffer_destroy(&sub), TW_ERROR_WOULD_DEADLOCK);
    TW_CHECK(sub == was);
    fill(tw_host_accessor_data(accessor), COLUMNS, 1);
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_buffer_destroy(&sub));
    is_filled(part, COLUMNS, 1);
    is_filled(&last[4 * COLUMNS], COLUMNS, 1);
    TW_EQUAL(last[0], 0);
}

/* Threads set the places of their parts, and end their references in any order. */
static void *set_and_drop(void *context)
{
    static int places[8][COLUMNS];
    static atomic_uint turn;
    tw_buffer *sub = context;
    const size_t row = tw_buffer_offset(sub).at[0];
    for (int i = 0; i < 50; ++i)
        TW_PASS(tw_buffer_set_final_data(sub, places[(row + atomic_fetch_add(&turn, 1)) % 8]));
    TW_PASS(tw_buffer_set_final_data(sub, NULL));
    TW_PASS(tw_buffer_destroy(&sub));
    return NULL;
}

TW_TEST(threads_set_places)
{
    enum { THREADS = 4 };
    static int data[ROWS * COLUMNS], last[ROWS * COLUMNS];
    tw_buffer *buffer = NULL;
    pthread_t threads[THREADS];
    fill(data, ROWS * COLUMNS, 0);
    TW_PASS(tw_buffer_create_copy(data, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    for (size_t t = 0; t < THREADS; ++t) {
        tw_buffer *sub = NULL;
        TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(t, 0), tw_range_2d(2, COLUMNS), &sub));
        TW_CHECK(pthread_create(&threads[t], NULL, set_and_drop, sub) == 0);
    }
    TW_PASS(tw_buffer_set_final_data(buffer, last));
    TW_PASS(tw_buffer_destroy(&buffer)); /* perhaps the last reference, perhaps not */
    for (size_t t = 0; t < THREADS; ++t)
        TW_CHECK(pthread_join(threads[t], NULL) == 0);
    is_filled(last, ROWS * COLUMNS, 0);
}

TW_TEST_LIST = {TW_CASE(final_data_can_be_set_and_changed),
                TW_CASE(host_memory_can_be_the_final_data_again),
                TW_CASE(without_final_data_destruction_waits_for_host_memory_alone),
                TW_CASE(a_buffer_that_was_never_written_leaves_the_memory),
                TW_CASE(a_group_that_is_submitted_after_the_destruction_is_refused),
                TW_CASE(final_data_of_nothing_is_refused),
                TW_CASE(the_pixels_of_an_image_have_a_final_place_too),
                TW_CASE(parts_go_to_places_of_their_own),
                TW_CASE(a_part_of_three_dimensions_is_packed),
                TW_CASE(a_part_stays_in_host_memory),
                TW_CASE(destruction_waits_for_the_part_alone),
                TW_CASE(a_refused_destruction_can_be_repeated),
                TW_CASE(threads_set_places),
                TW_CASE(a_lost_part_does_not_keep_others),
                TW_CASES_END};
