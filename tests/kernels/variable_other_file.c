/* SPDX-License-Identifier: Apache-2.0 */
/** A kernel that test_variable.c launches from another file, with a variable that is defined there. */
#include "variable_other_file.h"

static inline void other_variable(tw_item item, const struct other_variable *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = shared_table[i % 4] + shared_count;
}
TW_RANGE_KERNEL(other_variable, 1);
