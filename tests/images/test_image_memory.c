/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host, values */
/*
 * Images without memory: the n-th allocation inside a call fails, for every n, and so do images that are larger than
 * any memory.
 */
#include "failing_memory.h"
#include "image_test.h"

static const tw_image_layout layout = {.order = TW_RGBA, .type = TW_UNORM_INT8, .size = {{3, 4, 1}, 2}};

/* Makes allocation 1, 2 ... of CALL fail until the call succeeds without; UNDO takes back what a success has made. */
#define EACH_FAILS(CALL, untouched, UNDO)                                                                              \
    do {                                                                                                               \
        unsigned n = 0;                                                                                                \
        do {                                                                                                           \
            TW_CHECK(++n < 100);                                                                                       \
            arm(n);                                                                                                    \
            const tw_status status = CALL;                                                                             \
            disarm();                                                                                                  \
            if (status == TW_SUCCESS) {                                                                                \
                UNDO;                                                                                                  \
            } else {                                                                                                   \
                TW_EQUAL(status, TW_ERROR_OUT_OF_MEMORY);                                                              \
                TW_CHECK(fired && !(untouched) && *tw_error_detail());                                                 \
            }                                                                                                          \
        } while (fired);                                                                                               \
        TW_CHECK(n > 1);                                                                                               \
    } while (0)

TW_TEST(every_allocation_may_fail)
{
    NEEDS_MALLOC;
    static unsigned char pixels[48];
    tw_queue *queue = tw_test_queue(); /* so that discovery is over */
    tw_image *image = NULL;
    tw_host_image *access = NULL;
    tw_buffer *buffer = NULL;
    EACH_FAILS(tw_image_create(layout, &image), image, TW_PASS(tw_image_destroy(&image)));
    EACH_FAILS(tw_image_create_over(pixels, layout, &image), image, TW_PASS(tw_image_destroy(&image)));
    EACH_FAILS(tw_image_create_over_const(pixels, layout, &image), image, TW_PASS(tw_image_destroy(&image)));
    EACH_FAILS(tw_image_create_copy(pixels, layout, &image), image, TW_PASS(tw_image_destroy(&image)));
    TW_PASS(tw_buffer_create(1, tw_range_1d(48), &buffer));
    EACH_FAILS(tw_image_create_on_buffer(buffer, layout, &image), image, TW_PASS(tw_image_destroy(&image)));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_image_create(layout, &image));
    EACH_FAILS(tw_host_image_access(image, TW_DISCARD_WRITE, &access), access, tw_host_image_release(&access));
    TW_PASS(tw_image_destroy(&image));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(an_image_may_be_larger_than_memory)
{
    tw_image_layout huge = layout;
    tw_image *image = NULL;
    tw_host_image *access = NULL;
    huge.size = tw_range_2d(TW_IMAGE_MAX_EXTENT, TW_IMAGE_MAX_EXTENT);
    tw_queue *queue = tw_test_queue();
    TW_PASS(tw_image_create(huge, &image));
    TW_FAIL(tw_host_image_access(image, TW_DISCARD_WRITE, &access), TW_ERROR_OUT_OF_MEMORY);
    tw_command_group *cg = tw_queue_begin(queue);
    const tw_image_2d pixels = tw_discard_write_image_2d(cg, image);
    const bool on_host = tw_device_is_host(tw_queue_device(queue));
    TW_CHECK(!pixels.tw_.data);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), on_host ? TW_ERROR_OUT_OF_MEMORY : TW_ERROR_OUT_OF_DEVICE_MEMORY);
    TW_PASS(tw_image_destroy(&image));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(every_allocation_may_fail), TW_CASE(an_image_may_be_larger_than_memory), TW_CASES_END};
