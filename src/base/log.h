/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lines on the standard error stream: warnings, and what TW_LOG asks for. docs/environment.md describes them.
 *
 * Each line is "teamwork: LEVEL: sentence", written at once. Lines of the levels info and debug begin with their topic,
 * as in "teamwork: info: memory: ...". Calls are allowed under any lock.
 */
#ifndef TEAMWORK_BASE_LOG_H
#define TEAMWORK_BASE_LOG_H

#include <stdatomic.h>
#include <stdbool.h>

enum tw_log_level { TW_LOG_OFF, TW_LOG_ERROR, TW_LOG_WARNING, TW_LOG_INFO, TW_LOG_DEBUG, TW_LOG_LEVELS };

/* The highest level that is logged; TW_LOG_LEVELS until TW_LOG is read. */
extern atomic_int tw_log_level;

bool tw_log_is_on(enum tw_log_level level); /* the slow part of tw_logs() */
void tw_log_line(enum tw_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads TW_LOG again. */
void tw_log_begin(void);

/* Returns true if lines of a level are written. One load and one comparison where TW_LOG is not set. */
static inline bool tw_logs(enum tw_log_level level)
{
    return __builtin_expect((int)level <= atomic_load_explicit(&tw_log_level, memory_order_relaxed), 0)
           && tw_log_is_on(level);
}

/* Writes a line, formatted as by printf(). A macro, so that arguments are not computed for nothing. */
#define tw_log(level, ...)                                                                                             \
    do {                                                                                                               \
        if (tw_logs(level))                                                                                            \
            tw_log_line(level, __VA_ARGS__);                                                                           \
    } while (0)

/* Writes one sentence as a warning, unless TW_WARNINGS is 0, or TW_LOG is off or error. */
void tw_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
