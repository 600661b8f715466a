/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The times of a stream's launches, for those that are measured: taken by the device's clock, converted to the host's.
 *
 * For each stream, one thread at a time begins and ends measurements, and one thread at a time reads them. All
 * functions are called in the device's context.
 */
#ifndef TEAMWORK_OFFLOAD_CUDA_TIMES_H
#define TEAMWORK_OFFLOAD_CUDA_TIMES_H

#include "cuda_driver.h"

/* The events around a launch. */
struct tw_cuda_timing {
    cu_event start, end;
    uint64_t begun_ns;         /* by the host's clock, before the launch was enqueued */
    struct tw_cuda_base *base; /* NULL: not measured, or read already */
};

/* Initialized with zeros. */
struct tw_cuda_times {
    struct tw_cuda_timing *timings; /* that of sequence number p is in p % TW_STREAM_DEPTH; NULL until the first use */
    uint64_t last_end_ns;           /* the end of the last launch that was read */
};

/* Records the start of a launch that is about to be enqueued. Returns NULL if it cannot be measured. */
struct tw_cuda_timing *tw_cuda_times_begin(struct tw_cuda_times *times, struct tw_cuda_device *device,
                                           uint64_t sequence, cu_stream stream);

/* Records the end of a launch, or drops the timing if nothing was enqueued. Called before other threads can see the
   launch. */
void tw_cuda_times_end(struct tw_cuda_timing *timing, cu_stream stream, bool enqueued);

/* Stores the times of a completed launch; leaves `result` as it is if they are not known. Called in the order of
   sequence numbers. */
void tw_cuda_times_read(struct tw_cuda_times *times, uint64_t sequence, struct tw_backend_times *result);

/* Frees the events. None of them is in flight. */
void tw_cuda_times_close(struct tw_cuda_times *times);

/* Frees the base events, which all streams of a device use. */
void tw_cuda_close_clock(struct tw_cuda_device *device);

#endif
