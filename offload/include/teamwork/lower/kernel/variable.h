/* SPDX-License-Identifier: Apache-2.0 */
/** Variables of file scope that exist on every device (<teamwork/variable.h>). */
#ifndef TEAMWORK_LOWER_VARIABLE_H
#define TEAMWORK_LOWER_VARIABLE_H

/* Device passes emit what stands between. All passes have the directives, since the host's registers the variables with
   libomptarget. Constants with internal linkage are not registered, and stay internal to the image. */
#if defined(_OPENMP) && defined(__clang__) && (defined(__NVPTX__) || defined(__AMDGCN__))
/* Protected, as clang makes the definitions: so the plugin knows declarations of what other files define. */
#define TW_INTERNAL_BEGIN_DEVICE_VARIABLES _Pragma("omp begin declare target") _Pragma("GCC visibility push(protected)")
#define TW_INTERNAL_END_DEVICE_VARIABLES _Pragma("GCC visibility pop") _Pragma("omp end declare target")
#elif defined(_OPENMP) && defined(__clang__)
#define TW_INTERNAL_BEGIN_DEVICE_VARIABLES _Pragma("omp begin declare target")
#define TW_INTERNAL_END_DEVICE_VARIABLES _Pragma("omp end declare target")
#else
#define TW_INTERNAL_BEGIN_DEVICE_VARIABLES
#define TW_INTERNAL_END_DEVICE_VARIABLES
#endif

#endif
