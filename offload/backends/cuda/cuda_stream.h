/* SPDX-License-Identifier: Apache-2.0 */
/** Streams (backend.h) on CUDA streams. */
#ifndef TEAMWORK_OFFLOAD_CUDA_STREAM_H
#define TEAMWORK_OFFLOAD_CUDA_STREAM_H

#include "cuda_driver.h"

extern const struct tw_backend_async tw_cuda_async;

/* Enqueues a CUDA graph of the stream's device, as the `launch` of tw_cuda_async enqueues a kernel. */
tw_status tw_cuda_stream_launch_graph(struct tw_backend_stream *base, cu_executable executable, uint64_t *sequence);

/* Slots of tw_backend_interop. */
tw_status tw_cuda_stream_wait(struct tw_backend_stream *base, void *event, uint64_t *sequence);
tw_status tw_cuda_stream_record(struct tw_backend_stream *base, void *event, uint64_t *sequence);

#endif
