/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/** status.h: names and meanings of the status codes, and the detail of the last failure on a thread. */
#include "tw_test.h"

TW_TEST(every_status_has_its_name_and_a_meaning){
#define TW_EXPECT(status, value, text)                                                                                 \
    TW_EQUAL(status, value);                                                                                           \
    TW_CHECK(strcmp(tw_status_name(status), #status) == 0);                                                            \
    TW_CHECK(strcmp(tw_status_meaning(status), text) == 0);
    TW_STATUS_LIST(TW_EXPECT)
#undef TW_EXPECT
}

TW_TEST(status_values_are_dense_and_differ)
{
    for (int i = 0; i < TW_STATUS_COUNT; ++i)
        for (int j = 0; j < i; ++j)
            TW_CHECK(strcmp(tw_status_name((tw_status)i), tw_status_name((tw_status)j)) != 0);
}

TW_TEST(other_numbers_are_unknown)
{
    const int others[] = {-1, TW_STATUS_COUNT, 1000, -1000000};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        TW_CHECK(strcmp(tw_status_name((tw_status)others[i]), "TW_ERROR_UNKNOWN") == 0);
        TW_CHECK(tw_status_meaning((tw_status)others[i]) != NULL);
    }
}

static void *detail_is_empty(void *context)
{
    *(int *)context = tw_error_detail() && *tw_error_detail() == '\0';
    return NULL;
}

TW_TEST(detail_is_empty_before_the_first_failure_of_a_thread)
{
    pthread_t thread;
    int empty = 0;
    TW_FAIL(tw_buffer_create(0, tw_range_1d(1), NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(pthread_create(&thread, NULL, detail_is_empty, &empty) == 0);
    TW_CHECK(pthread_join(thread, NULL) == 0);
    TW_CHECK(empty);
    TW_CHECK(*tw_error_detail() != '\0');
}

TW_TEST(detail_stays_over_successful_calls_and_changes_with_the_next_failure)
{
    tw_buffer *buffer = NULL;
    char first[1024];
    TW_FAIL(tw_buffer_create(0, tw_range_1d(1), &buffer), TW_ERROR_INVALID_ARGUMENT);
    snprintf(first, sizeof first, "%s", tw_error_detail());
    TW_PASS(tw_buffer_create(1, tw_range_1d(1), &buffer));
    TW_CHECK(strcmp(first, tw_error_detail()) == 0);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_CHECK(strcmp(first, tw_error_detail()) == 0);
    TW_FAIL(tw_buffer_create(1, (tw_range){{1, 1, 1}, 0}, &buffer), TW_ERROR_INVALID_RANGE);
    TW_CHECK(strcmp(first, tw_error_detail()) != 0);
}

TW_TEST_LIST = {TW_CASE(every_status_has_its_name_and_a_meaning),
                TW_CASE(status_values_are_dense_and_differ),
                TW_CASE(other_numbers_are_unknown),
                TW_CASE(detail_is_empty_before_the_first_failure_of_a_thread),
                TW_CASE(detail_stays_over_successful_calls_and_changes_with_the_next_failure),
                TW_CASES_END};
