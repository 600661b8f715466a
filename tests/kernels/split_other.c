/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier of test_split.c that is compiled by itself. */
#include <teamwork/teamwork.h>

void split_other_barrier(tw_nd_item item);
void split_other_barrier(tw_nd_item item)
{
    tw_barrier(item, TW_LOCAL_SPACE);
}
