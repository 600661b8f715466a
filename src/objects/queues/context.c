/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts (spec 3.5.4): devices of one platform that share an error handler. */
#include "context.h"

#include <stdlib.h>

#include "base/answer.h"
#include "base/detail.h"
#include "base/lock.h"
#include "objects/devices/discovery.h"
#include "objects/devices/lifetime.h"
#include "objects/devices/platform.h"

static tw_status check_devices(tw_device *const *devices, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!tw_is_device(devices[i]))
            return tw_fail(TW_ERROR_INVALID_ARGUMENT, "device %zu is NULL, or from before tw_shutdown()", i);
        if (devices[i]->platform != devices[0]->platform)
            return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%s and %s are on different platforms; a context has one",
                           tw_device_name(devices[0]), tw_device_name(devices[i]));
        for (size_t k = 0; k < i; ++k)
            if (devices[k] == devices[i])
                return tw_fail(TW_ERROR_INVALID_ARGUMENT, "devices %zu and %zu are the same", k, i);
    }
    return TW_SUCCESS;
}

struct tw_context *tw_context_new(struct tw_device *const *devices, size_t count, tw_error_handler handler, void *user)
{
    struct tw_context *context = calloc(1, sizeof *context);
    tw_device **copy = malloc(count * sizeof *copy);
    if (!context || !copy) {
        free(context);
        free(copy);
        (void)tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a context");
        return NULL;
    }
    for (size_t i = 0; i < count; ++i)
        copy[i] = devices[i];
    context->devices = copy;
    context->count = count;
    context->handler = handler;
    context->handler_user = user;
    tw_lock();
    tw_object_born_locked(TW_OBJECT_CONTEXT);
    tw_unlock();
    return context;
}

static tw_status create(tw_device *const *devices, size_t count, tw_error_handler handler, void *user,
                        tw_context **result)
{
    struct tw_context *context = tw_context_new(devices, count, handler, user);
    if (!context)
        return TW_ERROR_OUT_OF_MEMORY;
    context->references = context->handles = 1;
    *result = context;
    return TW_SUCCESS;
}

tw_status tw_context_create(tw_device *const *devices, size_t count, tw_error_handler handler, void *user,
                            tw_context **context)
{
    if (!devices || !count || !context)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a context needs at least one device and a place to be stored at");
    tw_status status = tw_runtime_enter();
    if (status == TW_SUCCESS)
        status = check_devices(devices, count);
    if (status == TW_SUCCESS)
        status = create(devices, count, handler, user, context);
    tw_runtime_leave();
    return status;
}

/* Calls tw_runtime_leave(), even if the selector throws an exception. */
static void leave_runtime(const tw_status *status)
{
    (void)status;
    tw_runtime_leave();
}

tw_status tw_context_create_by_selector(tw_device_selector selector, void *selector_user, tw_error_handler handler,
                                        void *user, tw_context **context)
{
    if (!context)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the context is to be stored at NULL");
    tw_device *device = NULL;
    tw_status status __attribute__((cleanup(leave_runtime))) = tw_runtime_enter();
    if (status == TW_SUCCESS)
        status = tw_select_device(selector, selector_user, &device);
    if (status == TW_SUCCESS)
        status = create(&device, 1, handler, user, context);
    return status;
}

tw_status tw_context_create_on_platform(const tw_platform *platform, tw_error_handler handler, void *user,
                                        tw_context **context)
{
    if (!context)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the context is to be stored at NULL");
    tw_status status = tw_runtime_enter();
    if (status == TW_SUCCESS && !tw_is_platform(platform))
        status = tw_fail(TW_ERROR_INVALID_ARGUMENT, "the platform is NULL, or from before tw_shutdown()");
    if (status == TW_SUCCESS && !platform->count)
        status = tw_fail(TW_ERROR_NO_DEVICE, "TW_DEVICES hides all devices of platform %s", platform->name);
    if (status == TW_SUCCESS)
        status = create(platform->devices, platform->count, handler, user, context);
    tw_runtime_leave();
    return status;
}

tw_context *tw_context_retain(tw_context *context)
{
    if (context) {
        tw_lock();
        ++context->handles;
        ++context->references;
        tw_unlock();
    }
    return context;
}

bool tw_context_is_host(const tw_context *context)
{
    return context && tw_device_is_host(context->devices[0]);
}

tw_status tw_context_get_devices(const tw_context *context, tw_device **devices, size_t capacity, size_t *count)
{
    if (!context || !count || (!devices && capacity))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the context, the count or the array is NULL");
    for (size_t i = 0; i < context->count && i < capacity; ++i)
        devices[i] = context->devices[i];
    *count = context->count;
    return TW_SUCCESS;
}

tw_status tw_context_info(const tw_context *context, tw_context_info_id question, void *value, size_t bytes)
{
    static const char list[] = "TW_CONTEXT_INFO_LIST";
    if (!context || !value)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", context ? "place for the answer" : "context");
    if (question == TW_CONTEXT_INFO_NUM_DEVICES)
        return tw_answer(value, bytes, &context->count, sizeof context->count, list);
    if (question == TW_CONTEXT_INFO_PLATFORM) {
        tw_platform *platform = tw_device_platform(context->devices[0]);
        return tw_answer(value, bytes, &platform, sizeof(tw_platform *), list);
    }
    if (question == TW_CONTEXT_INFO_REFERENCE_COUNT) {
        tw_lock();
        const size_t references = context->references;
        tw_unlock();
        return tw_answer(value, bytes, &references, sizeof references, list);
    }
    return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d is no question about a context", (int)question);
}

void tw_context_release_locked(struct tw_context *context)
{
    if (--context->references)
        return;
    free(context->devices);
    free(context);
    tw_object_died_locked(TW_OBJECT_CONTEXT);
}
