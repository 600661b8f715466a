/* SPDX-License-Identifier: Apache-2.0 */
/** Copies and fills by liboffload, and page-locked and managed memory. */
#ifndef TEAMWORK_OFFLOAD_OL_COPY_H
#define TEAMWORK_OFFLOAD_OL_COPY_H

#include "ol_driver.h"

/* Copies rows of bytes between host memory and a device's, or within a device, and returns when they have arrived. */
tw_status tw_ol_copy(const struct tw_backend_copy *copy);

/* Enqueues such a copy; host memory is page-locked. Reports a failure as tw_ol_copy() does. */
tw_status tw_ol_enqueue_copy(const struct tw_backend_copy *copy, ol_queue queue);

/* Fills rows of bytes and returns when that is done. */
tw_status tw_ol_fill(struct tw_ol_device *device, const struct tw_backend_fill *fill);

/* Enqueues a fill. */
tw_status tw_ol_enqueue_fill(const struct tw_backend_fill *fill, ol_queue queue);

/* Slots (backend.h). Host memory is page-locked for all devices; shared memory is managed. */
void *tw_ol_allocate_host(size_t bytes);
void *tw_ol_allocate_shared(struct tw_backend_device *base, size_t bytes);
void tw_ol_free_host(void *memory);
void tw_ol_free_shared(struct tw_backend_device *base, void *memory);

/* Frees the page-locked stages of a device. */
void tw_ol_free_stages(struct tw_ol_device *device);

#endif
