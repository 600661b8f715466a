/* SPDX-License-Identifier: Apache-2.0 */
/** The environment variable TW_DEVICES (device.h): which devices are visible, and in what order. */
#ifndef TEAMWORK_DEVICE_FILTER_H
#define TEAMWORK_DEVICE_FILTER_H

#include <stddef.h>

#include "runtime/device.h"

/* Checks a filter; NULL and "" are valid. Fails with TW_ERROR_INVALID_CONFIGURATION, whose detail names the mistake. */
tw_status tw_device_filter_check(const char *filter);

/* Returns true if the filter can let a device of one of these types through. */
bool tw_device_filter_mentions(const char *filter, unsigned types);

/* Returns the filter's word for a type of device. */
const char *tw_device_filter_kind(tw_device_type type);

/* Makes the list of visible devices, which the caller frees. */
tw_status tw_device_filter_apply(const char *filter, struct tw_device **all, size_t count, struct tw_device ***visible,
                                 size_t *visible_count);

#endif
