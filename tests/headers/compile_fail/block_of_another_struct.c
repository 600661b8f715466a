/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: the kernel must be the function void rows\(tw_item item, const struct stencil \*k\), and take the struct of its own name, or that of TW_BLOCK */
/* A definition that names another block than its function takes. */
#include <teamwork/teamwork.h>

struct stencil {
    int *out;
};

struct rows {
    int *out;
    int value;
};
static inline void rows(tw_item item, const struct rows *k)
{
    k->out[tw_global_id(item, 0)] = k->value;
}
TW_RANGE_KERNEL(static TW_BLOCK(stencil) rows); /* HERE */
