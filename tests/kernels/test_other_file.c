/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams) */
/** lower/kernel/kernel.h: kernels that another file defines are declared and launched like one's own. */
#include "tw_test.h"

#include "other_file_kernels.h"
#include "other_file_statics.h"

enum { N = 128 };

/* How often a kernel is in the list of all. */
static size_t times_listed(const tw_kernel *kernel)
{
    const tw_kernel *all[64];
    const size_t count = tw_list_kernels(all, 64);
    size_t times = 0;
    TW_CHECK(count >= 3 && count <= 64);
    for (size_t i = 0; i < count; ++i)
        times += all[i] == kernel;
    return times;
}

TW_TEST(kernels_of_all_files_are_listed_once)
{
    const tw_kernel *two[3] = {NULL, NULL, NULL};
    TW_EQUAL(times_listed(TW_KERNEL(other_group)), 1);
    TW_EQUAL(times_listed(TW_KERNEL(other_range)), 1);
    TW_EQUAL(times_listed(TW_KERNEL(other_task)), 1);
    TW_EQUAL(times_listed(NULL), 0);
    TW_EQUAL(tw_list_kernels(NULL, 0), tw_list_kernels(two, 2));
    TW_CHECK(two[0] && two[1] && two[0] != two[1] && !two[2]);
    TW_PASS(tw_kernel_load(two[0], tw_test_device(0)));
}

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
    tw_parallel_for_work_group(cg, tw_range_1d(2), tw_range_1d(16), other_group, .in = TW_NULL,
                               .out = tw_discard_write(cg, buffer));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_WORK_GROUP_SIZE);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_kernel_of_another_file_has_a_block_of_another_name)
{
    int got[N];
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = tw_test_ints(N, 5), *out = tw_test_ints(N, 0);
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(32)), other_items, .in = tw_read(cg, in),
                             .out = tw_discard_write(cg, out), .factor = 2);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    if (tw_event_wait(event) == TW_ERROR_UNSUPPORTED) { /* the standard mapping on a CPU */
        (void)tw_queue_wait_and_throw(queue);
    } else {
        tw_test_fetch(out, got);
        for (int i = 0; i < N; ++i)
            TW_EQUAL(got[i], 32 * 2 * 5);
    }
    tw_event_release(&event);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(static_kernels_of_a_header_run_in_each_file)
{
    int got[N];
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = tw_test_ints(N, 5);
    TW_PASS(submit_header_add(queue, out, 100));
    TW_PASS(other_header_kernels(queue, out, 1000));
    TW_PASS(submit_header_group(queue, out, 10000));
    tw_test_fetch(out, got);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(got[i], 5 + 100 + 2 * 1000 + 10000 + 2 * (7 - i % 8));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* other_file_kernels.c has kernels of these names, too. */
struct own {
    int *out;
};
static inline void own(tw_item item, const struct own *k)
{
    k->out[tw_global_id(item, 0)] = 10 * k->out[tw_global_id(item, 0)] + 1;
}
TW_RANGE_KERNEL(static own, 1);

struct same_own {
    int *out;
};
static inline void same_own(tw_item item, const struct same_own *k)
{
    k->out[tw_global_id(item, 0)] = 10 * k->out[tw_global_id(item, 0)] + 3;
}
TW_RANGE_KERNEL(static same_own, 1);

TW_TEST(static_kernels_of_one_name_are_those_of_their_file)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = tw_test_ints(N, 0);
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), own, .out = tw_read_write(cg, out));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), same_own, .out = tw_read_write(cg, out));
    }
    TW_PASS(other_own(queue, out));
    tw_test_expect_ints(out, 1324);
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(kernels_of_all_files_are_listed_once),
                TW_CASE(kernels_of_another_file_run),
                TW_CASE(the_required_size_of_another_files_kernel_is_checked),
                TW_CASE(a_kernel_of_another_file_has_a_block_of_another_name),
                TW_CASE(static_kernels_of_a_header_run_in_each_file),
                TW_CASE(static_kernels_of_one_name_are_those_of_their_file),
                TW_CASES_END};
