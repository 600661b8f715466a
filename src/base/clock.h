/* SPDX-License-Identifier: Apache-2.0 */
/** The clock, and polling. */
#ifndef TEAMWORK_BASE_CLOCK_H
#define TEAMWORK_BASE_CLOCK_H

#include <stdint.h>

/* The time in nanoseconds, of a clock that never goes back. */
uint64_t tw_now_ns(void);

/* For loops that poll. */
static inline void tw_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

#endif
