/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that one file or library defines and another launches. */
#ifndef SCALE_H
#define SCALE_H

#include <teamwork/teamwork.h>

/** Multiplies each element by `factor`. */
struct scale {
    float factor;
    float *data;
};
TW_DECLARE_RANGE_KERNEL(scale);

/** Adds 1 to each element. Asks for teams, of which libomp had something to say on processors. */
struct shift {
    float *data;
};
TW_DECLARE_WORK_GROUP_KERNEL(shift);

#endif
