/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: initializing .* with an expression of incompatible type 'struct tw_internal_target'$ */
/* An array goes to a whole buffer, not to an element. */
#include <teamwork/kernel_definition.h>
#include <teamwork/teamwork.h>

struct histogram {
    const unsigned char *bytes;
    TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins;
};
static inline void histogram(tw_item item, const struct histogram *k)
{
    tw_combine_at(k->bins, k->bytes[tw_global_id(item, 0)], 1);
}
TW_RANGE_REDUCTION(histogram, 1, bins);

void submit(tw_command_group *cg, tw_buffer *bytes, tw_buffer *bins);
void submit(tw_command_group *cg, tw_buffer *bytes, tw_buffer *bins)
{
    tw_parallel_for(cg, tw_range_1d(1), histogram, .bytes = tw_read(cg, bytes), .bins = TW_REDUCE(cg, bins)); /* HERE */
}
