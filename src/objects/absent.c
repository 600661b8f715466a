/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that a program does not see (absent.h). The list is written by a discovery, and then read-only. */
#include "absent.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "device_filter.h"

struct absent {
    struct absent *next;
    tw_device_type type;
    char name[128], reason[512];
};

static struct absent *first, **last = &first;

void tw_absent_add(tw_device_type type, const char *name, const char *format, ...)
{
    struct absent *absent = calloc(1, sizeof *absent);
    if (!absent)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(absent->reason, sizeof absent->reason, format, arguments);
    va_end(arguments);
    absent->type = type;
    snprintf(absent->name, sizeof absent->name, "%s", name ? name : "");
    *last = absent;
    last = &absent->next;
    if (name)
        tw_log(TW_LOG_INFO, "device: not %s (%s): %s", tw_device_filter_kind(type), name, absent->reason);
    else
        tw_log(TW_LOG_INFO, "device: no %s: %s", tw_device_filter_kind(type), absent->reason);
}

size_t tw_absent_list(unsigned types, tw_absent_device *devices, size_t capacity)
{
    size_t count = 0;
    for (const struct absent *absent = first; absent; absent = absent->next) {
        if (!((unsigned)absent->type & types))
            continue;
        if (count < capacity)
            devices[count] = (tw_absent_device){.type = absent->type, .name = absent->name, .reason = absent->reason};
        ++count;
    }
    return count;
}

void tw_absent_forget(void)
{
    while (first) {
        struct absent *next = first->next;
        free(first);
        first = next;
    }
    last = &first;
}
