/* SPDX-License-Identifier: Apache-2.0 */
/** An nd_range kernel that test_nd_range.c launches and nd_range_other_file.c defines. */
#ifndef TW_ND_RANGE_OTHER_FILE_H
#define TW_ND_RANGE_OTHER_FILE_H

#include <teamwork/kernel.h>

/* Reverses each group's part of x. */
struct reverse_groups {
    int *x;
    tw_local_memory part; /* an int for each work-item */
};
TW_DECLARE_ND_RANGE_KERNEL(reverse_groups);

#endif
