/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The word `local_bytes` of a kernel (struct tw_internal_kernel). It is part of the kernel's program or library: 0 when
 * that is loaded, also when it is loaded once more. Accessed atomically.
 */
#ifndef TEAMWORK_OFFLOAD_KERNEL_WORD_H
#define TEAMWORK_OFFLOAD_KERNEL_WORD_H

#include <stdint.h>

#define TW_KERNEL_TOLD_OF_STACKS (~(SIZE_MAX >> 1))        /* the program was told that the kernel uses stacks */
#define TW_KERNEL_IS_KNOWN (TW_KERNEL_TOLD_OF_STACKS >> 1) /* the backend cuda has looked for it since it was loaded */
#define TW_KERNEL_LOCAL_BYTES (SIZE_MAX >> 2) /* 1 + the bytes of its function's TW_LOCAL variables; 0: not known yet */

#endif
