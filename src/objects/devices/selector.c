/* SPDX-License-Identifier: Apache-2.0 */
/* Selectors: the library's own, and the choice by any (spec 3.5.1). */
#define _GNU_SOURCE
#include "selector.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

#include "base/detail.h"
#include "base/log.h"
#include "device_filter.h"
#include "discovery.h"
#include "lifetime.h"

/* ---- selectors --------------------------------------------------------------------------------------------------- */

static int type_score(const tw_device *device, tw_device_type type)
{
    return device && device->backend->type == type ? 100 : -1;
}

int tw_default_selector(const tw_device *device, void *user)
{
    (void)user;
    if (!device)
        return -1;
    if (tw_devices_found()->filter[0])
        return 100; /* all alike: the first in TW_DEVICES is selected */
    switch (device->backend->type) {
    case TW_DEVICE_GPU:
        return 400;
    case TW_DEVICE_ACCELERATOR:
        return 300;
    case TW_DEVICE_HOST:
        return 200; /* above an offload device that is the same CPU but needs copies */
    case TW_DEVICE_CPU:
        return 100;
    default:
        return -1;
    }
}

int tw_gpu_selector(const tw_device *device, void *user)
{
    (void)user;
    return type_score(device, TW_DEVICE_GPU);
}

int tw_cpu_selector(const tw_device *device, void *user)
{
    (void)user;
    const int offload = type_score(device, TW_DEVICE_CPU);
    return offload >= 0 ? offload : type_score(device, TW_DEVICE_HOST) / 2;
}

int tw_host_selector(const tw_device *device, void *user)
{
    (void)user;
    return type_score(device, TW_DEVICE_HOST);
}

int tw_sim_selector(const tw_device *device, void *user)
{
    (void)user;
    return type_score(device, TW_DEVICE_SIM);
}

/* Writes a list like "host (AMD EPYC 7763), sim (Simulated device 0)". */
static void list_names(struct tw_device **devices, size_t count, char *list, size_t bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < bytes; ++i)
        used += (size_t)snprintf(list + used, bytes - used, "%s%s (%s)", i ? ", " : "",
                                 tw_device_filter_kind(devices[i]->backend->type), tw_device_name(devices[i]));
}

/* Returns true if a selector or TW_DEVICES asks for devices of these types and there are none. */
static bool lacks(tw_device_selector selector, tw_device_selector typed, unsigned types)
{
    const struct tw_found *found = tw_devices_found();
    return !tw_found_has(found, types)
           && (selector == typed || (!found->visible_count && tw_device_filter_mentions(found->filter, types)));
}

static tw_status none_selected(tw_device_selector selector)
{
    const struct tw_found *found = tw_devices_found();
    char list[512] = "";
    const char *advice = "";
    if (lacks(selector, tw_sim_selector, TW_DEVICE_SIM))
        advice = TW_SIM_ADVICE;
    else if (lacks(selector, tw_gpu_selector, TW_DEVICE_GPU) || lacks(selector, NULL, TW_OFFLOAD_DEVICES))
        advice = found->absent;
    const char *link = *advice ? "; " : "";
    if (!found->visible_count) {
        list_names(found->all, found->all_count, list, sizeof list);
        return tw_fail(TW_ERROR_NO_DEVICE, "TW_DEVICES=\"%s\" lets no device through; there is %s%s%s", found->filter,
                       list, link, advice);
    }
    list_names(found->visible, found->visible_count, list, sizeof list);
    return tw_fail(TW_ERROR_NO_DEVICE, "the selector chose none of the devices: %s%s%s%s%s%s", list,
                   found->filter[0] ? "; TW_DEVICES=\"" : "", found->filter,
                   found->filter[0] ? "\" lets no other through" : "", link, advice);
}

/* Returns the name of a selector, as far as the dynamic linker or this file knows it. */
static const char *selector_name(tw_device_selector selector)
{
    Dl_info about;
    if (!selector || selector == tw_default_selector)
        return "tw_default_selector";
    if (selector == tw_gpu_selector)
        return "tw_gpu_selector";
    if (dladdr((void *)(uintptr_t)selector, &about) && about.dli_sname
        && about.dli_saddr == (void *)(uintptr_t)selector)
        return about.dli_sname;
    return "a selector of the program";
}

struct tw_device *tw_best_device(struct tw_device *const *devices, size_t count, tw_device_selector selector,
                                 void *user)
{
    struct tw_device *best = NULL;
    int best_score = -1;
    for (size_t i = 0; i < count; ++i) {
        const int score = (selector ? selector : tw_default_selector)(devices[i], user);
        tw_log(TW_LOG_DEBUG, "choice: score %d for %s:%u (%s)", score, tw_device_filter_kind(devices[i]->backend->type),
               tw_found_number(tw_devices_found(), devices[i]), tw_device_name(devices[i]));
        if (score > best_score) {
            best = devices[i];
            best_score = score;
        }
    }
    if (best)
        tw_log(TW_LOG_INFO, "choice: %s:%u (%s) by %s: score %d, the highest of %zu",
               tw_device_filter_kind(best->backend->type), tw_found_number(tw_devices_found(), best),
               tw_device_name(best), selector_name(selector), best_score, count);
    return best;
}

tw_status tw_select_device(tw_device_selector selector, void *user, tw_device **device)
{
    if (!device)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the device is NULL");
    const tw_status status = tw_discover();
    if (status != TW_SUCCESS)
        return status;
    const struct tw_found *found = tw_devices_found();
    if (selector == tw_host_selector) {
        tw_log(TW_LOG_INFO, "choice: host:0 (%s) by tw_host_selector", tw_device_name(found->all[0]));
        *device = found->all[0];
        return TW_SUCCESS;
    }
    struct tw_device *best = tw_best_device(found->visible, found->visible_count, selector, user);
    if (!best)
        return none_selected(selector);
    *device = best;
    return TW_SUCCESS;
}
