/* SPDX-License-Identifier: Apache-2.0 */
/** The monotonic clock, and a pause for polling loops. */
#ifndef TEAMWORK_BASE_CLOCK_H
#define TEAMWORK_BASE_CLOCK_H

#include <stdint.h>

/* Returns the time of a monotonic clock in nanoseconds. */
uint64_t tw_now_ns(void);

/* Tells the processor that this thread polls. */
static inline void tw_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

#endif
