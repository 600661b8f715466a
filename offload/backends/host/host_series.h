/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEAMWORK_OFFLOAD_HOST_SERIES_H
#define TEAMWORK_OFFLOAD_HOST_SERIES_H

#include "backend.h"

/* A slot of the table. */
void tw_host_launch_series(struct tw_backend_device *device, struct tw_backend_series *series);

#endif
