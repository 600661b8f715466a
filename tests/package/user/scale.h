/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that one file or library defines and another launches. */
#ifndef SCALE_H
#define SCALE_H

#include <teamwork/teamwork.h>

/** Multiplies each element by `factor`. */
struct scale {
    float factor;
    float *data;
};
TW_DECLARE_RANGE_KERNEL(scale);

#endif
