/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/** version.h: headers and library agree, and the number orders versions. */
#include "tw_test.h"

TW_TEST(the_library_is_of_the_headers_version)
{
    TW_EQUAL(tw_version(), TW_VERSION);
}

TW_TEST(the_number_splits_into_its_parts)
{
    TW_EQUAL(TW_VERSION / 10000, TW_VERSION_MAJOR);
    TW_EQUAL(TW_VERSION / 100 % 100, TW_VERSION_MINOR);
    TW_EQUAL(TW_VERSION % 100, TW_VERSION_PATCH);
}

TW_TEST(the_specification_has_a_number)
{
#if TW_SYCL_LANGUAGE_VERSION < 120 || TW_SYCL_LANGUAGE_VERSION >= 202000
#error "not a revision of SYCL 1.2"
#endif
    TW_EQUAL(TW_SYCL_LANGUAGE_VERSION, 120);
}

TW_TEST_LIST = {TW_CASE(the_library_is_of_the_headers_version), TW_CASE(the_number_splits_into_its_parts),
                TW_CASE(the_specification_has_a_number), TW_CASES_END};
