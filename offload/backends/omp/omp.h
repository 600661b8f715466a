/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEAMWORK_OFFLOAD_OMP_H
#define TEAMWORK_OFFLOAD_OMP_H

#include "backend.h"

extern const struct tw_backend tw_backend_omp;

#endif
