/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: field designator 'for_TW_VIEW_and_not_TW_PART_VIEW' */
/* The view of a whole buffer has no pitch for a member that is the view of a part. */
#include <teamwork/teamwork.h>

struct fill {
    TW_PART_VIEW(int) out;
};
static inline void fill(tw_item item, const struct fill *k)
{
    tw_at(k->out, tw_global_id(item, 0)) = 1;
}
TW_RANGE_KERNEL(fill, 1);

void launch(tw_command_group *cg, tw_buffer *buffer, tw_range part);
void launch(tw_command_group *cg, tw_buffer *buffer, tw_range part)
{
    (void)part;
    tw_parallel_for(cg, tw_range_1d(4), fill, .out = TW_WRITE_VIEW(cg, buffer)); /* HERE */
}
