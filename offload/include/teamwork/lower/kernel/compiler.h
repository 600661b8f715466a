/* SPDX-License-Identifier: Apache-2.0 */
/** Stops a compiler that cannot compile kernels with one clear error, ahead of the hundreds that the headers would draw. */
#ifndef TEAMWORK_LOWER_COMPILER_H
#define TEAMWORK_LOWER_COMPILER_H

#if !defined(__clang__)
#error                                                                                                                 \
    "files with kernels are compiled by clang 18 or later; others include the headers of the objects, such as queue.h"
#elif __clang_major__ < 18
#error "this clang is too old: files with kernels are compiled by clang 18 or later"
#elif !defined(_OPENMP)
#error "files with kernels are compiled with -fopenmp; others include the headers of the objects, such as queue.h"
#elif !defined(__cplusplus) && __STDC_VERSION__ < 201112L
#error "files with kernels are compiled as C11 or later, as with -std=c17"
#else
#define TW_INTERNAL_COMPILES_KERNELS 1
#endif

#ifndef TW_INTERNAL_COMPILES_KERNELS
#include <teamwork/see_the_error_above> /* a missing file ends the compilation */
#endif

#endif
