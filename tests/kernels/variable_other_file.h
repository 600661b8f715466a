/* SPDX-License-Identifier: Apache-2.0 */
/** What test_variable.c and variable_other_file.c share: constants, a variable, and a kernel of the latter. */
#ifndef TW_VARIABLE_OTHER_FILE_H
#define TW_VARIABLE_OTHER_FILE_H

#include <teamwork/teamwork.h>

/* A header with tables that both files include. */
TW_BEGIN_DEVICE_VARIABLES
static const int shared_table[] = {100, 200, 300, 400};
extern int shared_count;
TW_END_DEVICE_VARIABLES

struct other_variable {
    int *out;
};
TW_DECLARE_RANGE_KERNEL(other_variable);

#endif
