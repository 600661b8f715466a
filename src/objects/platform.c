/* SPDX-License-Identifier: Apache-2.0 */
/* Platforms (spec 3.5.2): their devices and properties. device.c makes and lists them. */
#include "answer.h"
#include "base/process.h"
#include "device.h"

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
