/* SPDX-License-Identifier: Apache-2.0 */
/** What test_other_file.c and other_file_kernels.c share: blocks and declarations of the kernels of the latter. */
#ifndef TW_OTHER_FILE_KERNELS_H
#define TW_OTHER_FILE_KERNELS_H

#include <teamwork/teamwork.h>

struct other_task {
    int *out;
};
TW_DECLARE_SINGLE_TASK(other_task);

struct other_range {
    const int *in;
    int *out;
    int factor;
};
TW_DECLARE_RANGE_KERNEL(other_range);
TW_DECLARE_ND_RANGE_KERNEL(TW_BLOCK(other_range) other_items);

struct other_group {
    const int *in;
    int *out;
};
TW_DECLARE_WORK_GROUP_KERNEL(other_group);

#endif
