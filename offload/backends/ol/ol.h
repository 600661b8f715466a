/* SPDX-License-Identifier: Apache-2.0 */
/** GPUs through LLVM's liboffload: those of OpenMP's devices that no backend before this one owns. */
#ifndef TEAMWORK_OFFLOAD_OL_H
#define TEAMWORK_OFFLOAD_OL_H

#include "backend.h"

extern const struct tw_backend tw_backend_ol;

#endif
