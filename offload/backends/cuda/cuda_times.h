/* SPDX-License-Identifier: Apache-2.0 */
/**
 * When the launches of a stream ran, for those that somebody wants to know it of: by the device's clock, told in the
 * host's time.
 *
 * One thread at a time begins and ends, and one at a time reads. All in the device's context.
 */
#ifndef TEAMWORK_OFFLOAD_CUDA_TIMES_H
#define TEAMWORK_OFFLOAD_CUDA_TIMES_H

#include "cuda_driver.h"

/* The events around a launch. */
struct tw_cuda_timing {
    cu_event start, end;
    struct tw_cuda_base *base; /* NULL: not measured, or read already */
};

/* Zeroed when new. */
struct tw_cuda_times {
    struct tw_cuda_timing *timings; /* of sequence p in p % TW_STREAM_DEPTH; NULL until one is needed */
    uint64_t last_end_ns;           /* of those that were read */
};

/* Records the begin of a launch that is about to be enqueued. NULL: it cannot be measured. */
struct tw_cuda_timing *tw_cuda_times_begin(struct tw_cuda_times *times, struct tw_cuda_device *device,
                                           uint64_t sequence, cu_stream stream);

/* Records its end, or forgets it where nothing was enqueued. Before anybody is told that it was issued. */
void tw_cuda_times_end(struct tw_cuda_timing *timing, cu_stream stream, bool enqueued);

/* When a launch ran that is over, in the order of sequence numbers; `result` is left as it is where that is not known.
   */
void tw_cuda_times_read(struct tw_cuda_times *times, uint64_t sequence, struct tw_backend_times *result);

/* Frees what has been made; nothing of it is in flight. */
void tw_cuda_times_close(struct tw_cuda_times *times);

/* Frees what all streams of a device have used. */
void tw_cuda_close_clock(struct tw_cuda_device *device);

#endif
