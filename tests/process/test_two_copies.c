/* SPDX-License-Identifier: Apache-2.0 */
/** Two copies of Teamwork in a process, the program's own and the shared one that a library uses: each works by itself,
 *  and says so if it is given objects of the other one. */
#include "tw_test.h"

#include <dlfcn.h>

#include "find_function.h"
#include "plugin.h"

enum { N = 64 };

struct mark {
    int *x;
};
static inline void mark(tw_item item, const struct mark *k)
{
    ++k->x[tw_global_id(item, 0)];
}
TW_RANGE_KERNEL(mark, 1);

TW_TEST(copies_work_side_by_side_and_refuse_each_others_objects)
{
    plugin_submit *submit = NULL, *submit_block = NULL;
    plugin_run *run = NULL;
    void *library = dlopen(PLUGIN_CLOSED, RTLD_NOW | RTLD_LOCAL);
    TW_CHECK(library != NULL);
    find_function(library, "plugin_submit_9", &submit);
    find_function(library, "plugin_submit_block_9", &submit_block);
    find_function(library, "plugin_run_9", &run);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    for (int round = 1; round <= 3; ++round) {
        TW_EQUAL(submit(queue, buffer), TW_ERROR_INVALID_ARGUMENT);
        TW_EQUAL(run(0), 9);
        TW_COMMAND_GROUP(queue, cg) {
            tw_parallel_for(cg, tw_range_1d(N), mark, .x = tw_read_write(cg, buffer));
        }
        TW_PASS(tw_queue_wait(queue));
        tw_test_expect_ints(buffer, 1 + round);
    }
    /* the block form has nobody to return it to: the queue keeps it */
    TW_EQUAL(submit_block(queue, buffer), TW_SUCCESS);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "has been destroyed, or is of another copy of the library") != NULL);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(dlclose(library), 0);
}

TW_TEST_LIST = {TW_CASE(copies_work_side_by_side_and_refuse_each_others_objects), TW_CASES_END};
