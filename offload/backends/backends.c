/* SPDX-License-Identifier: Apache-2.0 */
/* The list of backends (backend.h). */
#include "backend.h"
#include "backends/cuda/cuda.h"
#include "backends/host/host.h"
#include "backends/ol/ol.h"
#include "backends/omp/omp.h"
#include "backends/sim/sim.h"

const struct tw_backend *const tw_backends[] = {&tw_backend_host, &tw_backend_cuda, &tw_backend_ol,
                                                &tw_backend_omp,  &tw_backend_sim,  NULL};
