/* SPDX-License-Identifier: Apache-2.0 */
/** Adds constants to vectors of 3 16-bit integers, which clang does in pairs where the target has that; for check.sh. */
#include <teamwork/teamwork.h>
#include <teamwork/vector.h>

struct short3 {
    const tw_short *in;
    tw_short *out;
};
static inline void short3(tw_item item, const struct short3 *k)
{
    const size_t i = tw_global_id(item, 0);
    tw_vstore3(tw_vload3(i, k->in) + (tw_short)3, i, k->out);
}
TW_RANGE_KERNEL(short3, 1);
