/* SPDX-License-Identifier: Apache-2.0 */
/** Selectors of devices (teamwork/device.h). */
#ifndef TEAMWORK_OBJECTS_SELECTOR_H
#define TEAMWORK_OBJECTS_SELECTOR_H

#include <teamwork/device.h>

/* Returns the device with the highest score, the first of equals; NULL if all are negative. The selector, NULL for
   tw_default_selector, may throw a C++ exception. */
struct tw_device *tw_best_device(struct tw_device *const *devices, size_t count, tw_device_selector selector,
                                 void *user);

#endif
