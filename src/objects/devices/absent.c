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

/* Asks the backends why devices of a type are absent. Returns true if the user should be told unasked. */
static bool ask_why(tw_device_type type, char *reason, size_t bytes)
{
    bool tells = false;
    *reason = '\0';
    for (size_t b = 0; tw_backends[b] && !*reason; ++b)
        tells = tw_backends[b]->explain && tw_backends[b]->explain(type, reason, bytes);
    return tells;
}

void tw_absent_explain(struct tw_found *found)
{
    static bool told;
    if (!tw_device_filter_mentions(found->filter, TW_DEVICE_GPU)
        && (!tw_device_filter_mentions(found->filter, TW_OFFLOAD_DEVICES) || tw_found_has(found, TW_OFFLOAD_DEVICES)))
        return;
    if (ask_why(TW_DEVICE_GPU, found->absent, sizeof found->absent) && !told) {
        tw_warn("%s", found->absent);
        told = true;
    }
}

void tw_absent_note(const struct tw_found *found)
{
    char reason[512];
    const bool asked = tw_device_filter_mentions(found->filter, TW_OFFLOAD_DEVICES);
    for (size_t i = 0; i < found->all_count; ++i) {
        bool is_visible = false;
        for (size_t k = 0; k < found->visible_count; ++k)
            is_visible = is_visible || found->visible[k] == found->all[i];
        if (!is_visible)
            tw_absent_add(found->all[i]->backend->type, tw_device_name(found->all[i]),
                          "TW_DEVICES=\"%s\" does not let it through", found->filter);
    }
    if (!asked)
        tw_absent_add(TW_DEVICE_GPU, NULL, "TW_DEVICES=\"%s\" leaves offload devices out: they were not looked for",
                      found->filter);
    else if (found->absent[0])
        tw_absent_add(TW_DEVICE_GPU, NULL, "%s", found->absent);
    if (asked && !tw_found_has(found, TW_DEVICE_CPU) && (ask_why(TW_DEVICE_CPU, reason, sizeof reason), *reason))
        tw_absent_add(TW_DEVICE_CPU, NULL, "%s", reason);
    if (!tw_found_has(found, TW_DEVICE_SIM))
        tw_absent_add(TW_DEVICE_SIM, NULL, TW_SIM_ADVICE);
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
