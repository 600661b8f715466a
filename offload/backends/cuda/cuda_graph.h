/* SPDX-License-Identifier: Apache-2.0 */
/** Command graphs (backend.h) as CUDA graphs. */
#ifndef TEAMWORK_OFFLOAD_CUDA_GRAPH_H
#define TEAMWORK_OFFLOAD_CUDA_GRAPH_H

#include "backend.h"

extern const struct tw_backend_graphs tw_cuda_graphs;

#endif
