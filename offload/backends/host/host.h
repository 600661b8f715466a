/* SPDX-License-Identifier: Apache-2.0 */
/** The host: its processors and its memory. */
#ifndef TEAMWORK_OFFLOAD_HOST_H
#define TEAMWORK_OFFLOAD_HOST_H

#include "backend.h"

extern const struct tw_backend tw_backend_host;

#endif
