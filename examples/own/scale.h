/* SPDX-License-Identifier: Apache-2.0 */
/* What the program's files share. Files without kernels include the headers of the objects alone. */
#ifndef SCALE_H
#define SCALE_H

#include <teamwork/buffer.h>
#include <teamwork/queue.h>

/* Submits a kernel that multiplies all of x by a factor. */
tw_status scale(tw_queue *queue, tw_buffer *x, double factor);

#endif
