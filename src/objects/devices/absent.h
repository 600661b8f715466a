/* SPDX-License-Identifier: Apache-2.0 */
/** Devices that a program does not see, and why: tw_get_absent_devices(). */
#ifndef TEAMWORK_OBJECTS_ABSENT_H
#define TEAMWORK_OBJECTS_ABSENT_H

#include <teamwork/device.h>

#include "found.h"

/* All functions are called in a discovery, or under its lock; tw_absent_list() also after it. */

/* Notes a device, or with a NULL name all of a type, and why it is absent. Notes nothing if memory is exhausted. */
void tw_absent_add(tw_device_type type, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Asks the backends why GPUs, or all offload devices, are absent, if TW_DEVICES would let them through. Stores that in
   `found`, and warns the user once if a backend finds that necessary. */
void tw_absent_explain(struct tw_found *found);
/* Notes the devices that the program does not see. */
void tw_absent_note(const struct tw_found *found);
/* Stores up to `capacity` absent devices of some types. Returns how many there are. */
size_t tw_absent_list(unsigned types, tw_absent_device *devices, size_t capacity);
/* Forgets all of them. */
void tw_absent_forget(void);

#endif
