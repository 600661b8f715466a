/* SPDX-License-Identifier: Apache-2.0 */
/* Where no launch has found where the tiles of a result begin, groups search. */
#include <teamwork/algorithms.h>

static inline bool is_less(int a, int b)
{
    return a < b;
}
TW_MERGE(merge_ints, int, is_less);
TW_SORT_BY(sort_ints, int, is_less);

void submit(tw_command_group *group, const int *a, const int *b, size_t count, int *to);
void submit(tw_command_group *group, const int *a, const int *b, size_t count, int *to)
{
    sort_ints(group, a, count, to);
    merge_ints(group, a, count, b, count, to);
}
