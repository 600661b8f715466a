/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a thread has a work-item of a range of one dimension is a question of 32 bits, though ids have 64. */
#include <teamwork/kernel_definition.h>
#include <teamwork/teamwork.h>

struct fill {
    int *to;
};
static inline void fill(tw_item item, const struct fill *k)
{
    k->to[tw_global_id(item, 0)] = 1;
}
TW_RANGE_KERNEL(fill, 1);
