/* SPDX-License-Identifier: Apache-2.0 */
/** The filters without Teamwork: in double precision, as what the kernels have to give; and as loops that are fast. */
#ifndef FILTER_PLAIN_H
#define FILTER_PLAIN_H

#include "picture.h"

/** The weights of a Gaussian, 2 * radius + 1; their sum is 1. */
void plain_weights(double sigma, int radius, float *weights);

/** Channels from 0 to 255, four a pixel, not rounded. One work-item after another. */
void plain_blur(const struct picture *in, double *out, double *between, const float *weights, int radius);
void plain_rotate(const struct picture *in, double *out, double angle, bool linear);

/** The rotation as one would write it by hand with OpenMP, in single precision. */
void plain_rotate_fast(const struct picture *in, struct picture *out, double angle, bool linear);

#endif
