/* SPDX-License-Identifier: Apache-2.0 */
/** Libraries with kernels: two with kernels of the same name; one that is opened, used and closed again. */
#include "tw_test.h"

#include <dlfcn.h>

#include "find_function.h"
#include "plugin.h"

enum { N = 1000 };

TW_TEST(each_library_runs_its_own_kernel_of_a_name)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 0);
    TW_PASS(plugin_submit_8(queue, buffer));
    tw_test_expect_ints(buffer, 8);
    TW_PASS(plugin_submit_7(queue, buffer));
    tw_test_expect_ints(buffer, 7);
    TW_PASS(plugin_submit_8(queue, buffer));
    tw_test_expect_ints(buffer, 8);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

static void *open_library(const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fprintf(stderr, "%s\n", dlerror());
    TW_CHECK(library != NULL);
    return library;
}

TW_TEST(a_library_is_closed_and_the_program_goes_on)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 0);
    for (int round = 0; round < 5; ++round) {
        plugin_submit *submit = NULL;
        void *library = open_library(PLUGIN_CLOSED);
        find_function(library, "plugin_submit_9", &submit);
        TW_PASS(submit(queue, buffer));
        TW_PASS(tw_queue_wait(queue)); /* the kernel's code is the library's */
        TW_EQUAL(dlclose(library), 0);
        TW_CHECK(!dlopen(PLUGIN_CLOSED, RTLD_NOW | RTLD_NOLOAD)); /* it is gone */
        tw_test_expect_ints(buffer, 9);
        TW_PASS(plugin_submit_7(queue, buffer));
        tw_test_expect_ints(buffer, 7);
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(each_library_runs_its_own_kernel_of_a_name),
    TW_CASE(a_library_is_closed_and_the_program_goes_on),
    TW_CASES_END,
};
