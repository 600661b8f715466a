/* SPDX-License-Identifier: Apache-2.0 */
/** Streams of launches, copies and fills by liboffload. */
#ifndef TEAMWORK_OFFLOAD_OL_STREAM_H
#define TEAMWORK_OFFLOAD_OL_STREAM_H

#include "backend.h"

extern const struct tw_backend_async tw_ol_async;
extern const struct tw_backend_graphs tw_ol_graphs;

#endif
