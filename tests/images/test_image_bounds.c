/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: x86_64 (gpu-simt), values */
/* Places outside of an image, in files that are compiled with TW_DEBUG_BOUNDS. */
#define TW_DEBUG_BOUNDS 1
#include "image_test.h"

struct read_at {
    tw_const_image_3d in;
    int *out;
    tw_int4 at;
};
static inline void read_at(const struct read_at *k)
{
    k->out[0] = tw_read_imagei(k->in, k->at).x;
}
TW_SINGLE_TASK(read_at);

struct write_at {
    tw_image_2d out;
    tw_id at;
};
static inline void write_at(const struct write_at *k)
{
    tw_write_imagei(k->out, k->at, (tw_int4){9, 9, 9, 9});
}
TW_SINGLE_TASK(write_at);

/* Elsewhere a violation ends the program; it is not provoked there. */
static tw_queue *queue_that_reports(void)
{
    tw_queue *queue = tw_test_queue();
    const char *backend = NULL;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_BACKEND, &backend, sizeof backend));
    if (!strcmp(backend, "omp"))
        TW_PASS(tw_queue_destroy(&queue));
    return queue;
}

static tw_status read_from(tw_queue *queue, tw_int4 at, int *result)
{
    static const int pixels[2 * 3 * 4] = {42};
    const tw_image_layout layout = {.order = TW_R, .type = TW_SIGNED_INT32, .size = tw_range_3d(2, 3, 4)};
    tw_image *image = NULL;
    tw_buffer *buffer = NULL;
    tw_event *event = NULL;
    TW_PASS(tw_image_create_over_const(pixels, layout, &image));
    TW_PASS(tw_buffer_create_over(result, sizeof *result, tw_range_1d(1), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, read_at, .in = tw_read_image_3d(cg, image), .out = tw_discard_write(cg, buffer), .at = at);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    const tw_status status = tw_event_wait(event);
    tw_event_release(&event);
    TW_EQUAL(tw_buffer_destroy(&buffer), status == TW_SUCCESS ? TW_SUCCESS : TW_ERROR_DATA_LOST);
    TW_PASS(tw_image_destroy(&image));
    return status;
}

TW_TEST(reads_are_checked)
{
    int result = 0;
    tw_queue *queue = queue_that_reports();
    if (!queue)
        TW_SKIP();
    TW_PASS(read_from(queue, (tw_int4){0, 0, 0, 0}, &result));
    TW_EQUAL(result, 42);
    TW_PASS(read_from(queue, (tw_int4){3, 2, 1, 7}, &result));
    TW_FAIL(read_from(queue, (tw_int4){4, 2, 1, 0}, &result), TW_ERROR_OUT_OF_BOUNDS);
    TW_CHECK(strstr(tw_error_detail(), "read_at") && strstr(tw_error_detail(), "(1, 2, 4)")
             && strstr(tw_error_detail(), "2 x 3 x 4"));
    TW_FAIL(read_from(queue, (tw_int4){0, 3, 0, 0}, &result), TW_ERROR_OUT_OF_BOUNDS);
    TW_FAIL(read_from(queue, (tw_int4){0, 0, 2, 0}, &result), TW_ERROR_OUT_OF_BOUNDS);
    TW_FAIL(read_from(queue, (tw_int4){0, -1, 0, 0}, &result), TW_ERROR_OUT_OF_BOUNDS);
    TW_FAIL(tw_queue_destroy(&queue), TW_ERROR_OUT_OF_BOUNDS);
}

TW_TEST(writes_are_checked)
{
    int pixels[12] = {0};
    const tw_image_layout layout = {.order = TW_R, .type = TW_SIGNED_INT32, .size = tw_range_2d(3, 4)};
    tw_queue *queue = queue_that_reports();
    tw_image *image = NULL;
    if (!queue)
        TW_SKIP();
    TW_PASS(tw_image_create_over(pixels, layout, &image));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, write_at, .out = tw_write_image_2d(cg, image), .at = tw_id_2d(1, 4));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_OUT_OF_BOUNDS);
    TW_FAIL(tw_image_destroy(&image), TW_ERROR_DATA_LOST);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(reads_are_checked), TW_CASE(writes_are_checked), TW_CASES_END};
