/* SPDX-License-Identifier: Apache-2.0 */
/** Sub-devices of a GPU: green contexts, whose streams run on some of its multiprocessors. */
#ifndef TEAMWORK_OFFLOAD_CUDA_PART_H
#define TEAMWORK_OFFLOAD_CUDA_PART_H

#include "cuda_driver.h"

extern const struct tw_backend_parts tw_cuda_parts;

void tw_cuda_close_part(struct tw_cuda_part *part);

/* Makes the facts of the whole device those of a part. */
void tw_cuda_describe_part(const struct tw_cuda_part *part, struct tw_device_facts *facts);

/* Makes a stream of a part. A number is a priority of CUDA's. Called in the device's context. */
cu_result tw_cuda_make_part_stream(const struct tw_cuda_part *part, int priority, cu_stream *stream);

/* Lend a stream of a part on which nothing runs, and take it back. Called in the device's context. */
cu_result tw_cuda_take_part_stream(struct tw_cuda_part *part, cu_stream *stream);
void tw_cuda_give_part_stream(struct tw_cuda_part *part, cu_stream stream);

#endif
