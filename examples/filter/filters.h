/* SPDX-License-Identifier: Apache-2.0 */
/** The filters as kernels on images: a Gaussian of two passes, and a rotation. */
#ifndef FILTER_FILTERS_H
#define FILTER_FILTERS_H

#include <teamwork/image.h>
#include <teamwork/teamwork.h>

/** The largest radius of a Gaussian in pixels, on either side; and the size of a work-group in both directions. */
enum { FILTER_MAX_RADIUS = 24, FILTER_TILE = 16 };

enum filter_form { FILTER_RANGE, FILTER_HIERARCHICAL, FILTER_FORMS };

/**
 * Submits a Gaussian blur of `in` to `out`, both TW_RGBA and TW_UNORM_INT8 and of one size, by way of `between`,
 * TW_RGBA and TW_FLOAT. weights: 2 * radius + 1 floats whose sum is 1.
 */
tw_status filter_blur(tw_queue *queue, enum filter_form form, tw_image *in, tw_image *between, tw_image *out,
                      tw_buffer *weights, int radius);

/** Submits a rotation around the centre, by an angle in radians, transparent outside. Images as above. */
tw_status filter_rotate(tw_queue *queue, enum filter_form form, tw_image *in, tw_image *out, double angle,
                        tw_filter_mode filter);

#endif
