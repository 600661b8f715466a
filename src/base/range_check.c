/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a range of the program. */
#include "range_check.h"

#include <stdint.h>
#include <stdio.h>

#include "detail.h"

#define SIZES_BYTES 80 /* three numbers */

tw_status tw_refuse_range(const char *what, tw_range range)
{
    char sizes[SIZES_BYTES];
    int used = 0;
    bool is_below_zero = false;
    if (range.dims < 1 || range.dims > 3)
        return tw_fail(TW_ERROR_INVALID_RANGE, "%s has no valid dimensions: %u instead of 1 to 3%s", what, range.dims,
                       range.dims ? "" : ", as what combines ranges of different dimensions");
    for (unsigned d = range.dims; d < 3; ++d)
        if (range.size[d] != 1)
            return tw_fail(TW_ERROR_INVALID_RANGE,
                           "%s has %u dimensions, but a size of %zu in dimension %u: tw_range_1d(), tw_range_2d() and "
                           "tw_range_3d() make ranges",
                           what, range.dims, range.size[d], d);
    for (unsigned d = 0; d < range.dims; ++d) {
        used += snprintf(sizes + used, sizeof sizes - (size_t)used, "%s%zu", d ? " x " : "", range.size[d]);
        is_below_zero |= range.size[d] > SIZE_MAX / 2;
    }
    return tw_fail(TW_ERROR_INVALID_RANGE, "%s has more elements than can be counted, %s%s", what, sizes,
                   is_below_zero ? ": a size that came out below 0?" : "");
}
