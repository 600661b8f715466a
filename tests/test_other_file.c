/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams) */
/** lower/kernel/kernel.h: kernels that another file defines are declared and launched like one's own. */
#include "tw_test.h"

#include "other_file_kernels.h"

enum { N = 128 };

TW_TEST(kernels_of_another_file_run)
{
    int in[N], reversed[N], scaled[N];
    tw_queue *queue = tw_test_queue();
    tw_buffer *a = NULL, *b = NULL, *c = NULL;
    for (int i = 0; i < N; ++i)
        in[i] = i;
    TW_PASS(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(N), &a));
    TW_PASS(tw_buffer_create_over(reversed, sizeof *in, tw_range_1d(N), &b));
    TW_PASS(tw_buffer_create_over(scaled, sizeof *in, tw_range_2d(8, 16), &c));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_work_group(cg, tw_range_1d(N / 32), tw_range_1d(32), other_group, .in = tw_read(cg, a),
                                   .out = tw_discard_write(cg, b));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_2d(8, 16), other_range, .in = tw_read(cg, b), .out = tw_discard_write(cg, c),
                        .factor = 3);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_single_task(cg, other_task, .out = tw_write(cg, b));
    }
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_buffer_destroy(&c));
    for (int i = 0; i < N; ++i) {
        const int mirror = i / 32 * 32 + 31 - i % 32;
        TW_EQUAL(scaled[i], 3 * mirror);
        TW_EQUAL(reversed[i], i ? mirror : 11);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(the_required_size_of_another_files_kernel_is_checked)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(2), tw_range_1d(16), other_group, .out = tw_discard_write(cg, buffer));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_WORK_GROUP_SIZE);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(kernels_of_another_file_run), TW_CASE(the_required_size_of_another_files_kernel_is_checked),
                TW_CASES_END};
