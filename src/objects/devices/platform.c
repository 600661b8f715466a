/* SPDX-License-Identifier: Apache-2.0 */
/* Platforms (spec 3.5.2): their devices and properties. */
#include "platform.h"

#include <stdlib.h>

#include "base/answer.h"
#include "base/process.h"

static const char *platform_name(tw_device_type type)
{
    switch (type) {
    case TW_DEVICE_HOST:
        return "Host";
    case TW_DEVICE_GPU:
        return "OpenMP GPU";
    case TW_DEVICE_CPU:
        return "OpenMP CPU";
    case TW_DEVICE_SIM:
        return "Simulation";
    default:
        return "OpenMP accelerator";
    }
}

tw_status tw_platforms_make(struct tw_found *found)
{
    static const tw_device_type types[] = {TW_DEVICE_HOST, TW_DEVICE_GPU, TW_DEVICE_ACCELERATOR, TW_DEVICE_CPU,
                                           TW_DEVICE_SIM};
    const size_t type_count = sizeof types / sizeof types[0];
    found->platforms = calloc(type_count, sizeof *found->platforms);
    if (!found->platforms)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the list of platforms");
    for (size_t t = 0; t < type_count; ++t) {
        struct tw_platform *platform = &found->platforms[found->platform_count];
        *platform = (struct tw_platform){.name = platform_name(types[t]), .type = types[t]};
        platform->devices = calloc(found->all_count, sizeof *platform->devices);
        if (!platform->devices)
            return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the list of platforms");
        ++found->platform_count;
        for (size_t i = 0; i < found->all_count; ++i)
            if (found->all[i]->backend->type == types[t])
                found->all[i]->platform = platform;
        for (size_t i = 0; i < found->visible_count; ++i)
            if (found->visible[i]->backend->type == types[t])
                platform->devices[platform->count++] = found->visible[i];
        if (types[t] == TW_DEVICE_HOST && !platform->count)
            platform->devices[platform->count++] = found->all[0];
        if (!platform->count) {
            bool used = false; /* hidden devices have a platform too, which is not listed */
            for (size_t i = 0; i < found->all_count; ++i)
                used = used || found->all[i]->platform == platform;
            if (!used) {
                free(platform->devices);
                --found->platform_count;
            }
        }
    }
    return TW_SUCCESS;
}

void tw_platforms_free(struct tw_found *found)
{
    for (size_t i = 0; i < found->platform_count; ++i)
        free(found->platforms[i].devices);
    free(found->platforms);
}

tw_status tw_platform_get_devices_of_type(const tw_platform *platform, unsigned types, tw_device **devices,
                                          size_t capacity, size_t *count)
{
    if (!platform || !count || (!devices && capacity))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL",
                       !platform ? "platform"
                       : !count  ? "place for the count"
                                 : "place for the list");
    const tw_status status = tw_check_process();
    if (status != TW_SUCCESS)
        return status;
    *count = platform->type & types ? platform->count : 0; /* all devices of a platform have its type */
    for (size_t i = 0; i < *count && i < capacity; ++i)
        devices[i] = platform->devices[i];
    return TW_SUCCESS;
}

tw_status tw_platform_get_devices(const tw_platform *platform, tw_device **devices, size_t capacity, size_t *count)
{
    return tw_platform_get_devices_of_type(platform, TW_DEVICE_ALL, devices, capacity, count);
}

const char *tw_platform_name(const tw_platform *platform)
{
    return platform ? platform->name : "";
}

bool tw_platform_is_host(const tw_platform *platform)
{
    return platform && platform->type == TW_DEVICE_HOST;
}

bool tw_platform_has_extension(const tw_platform *platform, const char *extension)
{
    bool has = platform && platform->count;
    for (size_t i = 0; has && i < platform->count; ++i)
        has = tw_device_has_extension(platform->devices[i], extension);
    return has;
}

/* Returns the extensions of the devices, which are the same for all of them. */
static const char *extensions_of(const tw_platform *platform)
{
    const char *extensions = "";
    if (platform->count)
        (void)tw_device_info(platform->devices[0], TW_DEVICE_INFO_EXTENSIONS, &extensions, sizeof(const char *));
    return extensions;
}

static const char *text_of(const tw_platform *platform, tw_platform_info_id question)
{
    const struct tw_device_facts *first = platform->count ? tw_device_facts(platform->devices[0]) : NULL;
    switch (question) {
    case TW_PLATFORM_INFO_NAME:
        return platform->name;
    case TW_PLATFORM_INFO_VENDOR:
        return first ? first->vendor : "";
    case TW_PLATFORM_INFO_VERSION:
        return first ? first->driver_version : "";
    case TW_PLATFORM_INFO_PROFILE:
        return "FULL_PROFILE";
    case TW_PLATFORM_INFO_EXTENSIONS:
        return extensions_of(platform);
    default:
        return NULL;
    }
}

tw_status tw_platform_info(const tw_platform *platform, tw_platform_info_id question, void *value, size_t bytes)
{
    if (!platform || !value)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", platform ? "place for the answer" : "platform");
    const tw_status status = tw_check_process();
    if (status != TW_SUCCESS)
        return status;
    if ((int)question < 0 || question >= TW_PLATFORM_INFO_COUNT)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d is no question about a platform", (int)question);
    if (question == TW_PLATFORM_INFO_DEVICE_TYPE)
        return tw_answer(value, bytes, &platform->type, sizeof platform->type, "TW_PLATFORM_INFO_LIST");
    if (question == TW_PLATFORM_INFO_NUM_DEVICES)
        return tw_answer(value, bytes, &platform->count, sizeof platform->count, "TW_PLATFORM_INFO_LIST");
    const char *text = text_of(platform, question);
    return tw_answer(value, bytes, &text, sizeof text, "TW_PLATFORM_INFO_LIST");
}
