/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on the standard error stream (log.h). Knows no object. */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "environment.h"

#define LINE_BYTES 1280 /* an error detail, and what is in front of it */

atomic_int tw_log_level = TW_LOG_LEVELS;

void tw_log_begin(void)
{
    size_t count;
    const char *const *levels = tw_environment_log_levels(&count);
    const char *value = tw_environment(TW_VARIABLE_LOG);
    while (value && count && strcmp(value, levels[count - 1]) != 0)
        --count;
    atomic_store_explicit(&tw_log_level, value && count ? (int)count - 1 : TW_LOG_OFF, memory_order_relaxed);
}

bool tw_log_is_on(enum tw_log_level level)
{
    if (atomic_load_explicit(&tw_log_level, memory_order_relaxed) == TW_LOG_LEVELS)
        tw_log_begin();
    return (int)level <= atomic_load_explicit(&tw_log_level, memory_order_relaxed);
}

static void write_line(enum tw_log_level level, const char *format, va_list arguments)
{
    char line[LINE_BYTES];
    size_t count;
    const int error = errno;
    const int used = snprintf(line, sizeof line, "teamwork: %s: ", tw_environment_log_levels(&count)[level]);
    vsnprintf(line + used, sizeof line - (size_t)used, format, arguments);
    fprintf(stderr, "%s\n", line);
    errno = error;
}

void tw_log_line(enum tw_log_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_line(level, format, arguments);
    va_end(arguments);
}

void tw_warn(const char *format, ...)
{
    const char *wanted = tw_environment(TW_VARIABLE_WARNINGS), *level = tw_environment(TW_VARIABLE_LOG);
    va_list arguments;
    if ((wanted && strcmp(wanted, "0") == 0) || (level && !tw_logs(TW_LOG_WARNING)))
        return;
    va_start(arguments, format);
    write_line(TW_LOG_WARNING, format, arguments);
    va_end(arguments);
}
