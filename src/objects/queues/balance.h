/* SPDX-License-Identifier: Apache-2.0 */
/** How the launches of a queue over several devices are divided: by what was measured of the kernel. */
#ifndef TEAMWORK_OBJECTS_BALANCE_H
#define TEAMWORK_OBJECTS_BALANCE_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/event.h>

#include "queue.h"

struct tw_internal_kernel;

/* How to divide a launch. */
struct tw_division_plan {
    double weights[TW_MOST_QUEUE_DEVICES]; /* of the devices */
    double ns[TW_MOST_QUEUE_DEVICES];      /* how long each will probably take; 0: not known */
    size_t only_device;                    /* the one that runs all of it; or as many as there are, or more */
    bool measures;                         /* the launch is to be measured: tw_balance_measured() */
};

/* Makes what a queue over several devices has, without any; NULL if there is no memory for it. */
struct tw_queue_devices *tw_balance_new(void);
/* Adds the queue of a device. */
void tw_balance_add(struct tw_queue_devices *devices, struct tw_queue *queue);
/* Fixes the shares of the devices, or with NULL no more. */
void tw_balance_fix(struct tw_queue_devices *devices, const double *shares);
/* Plans the next launch of a kernel, of `units` work-items or work-groups of `unit_items` work-items each. `kernel` is NULL for
   a copy or a fill of so many elements. */
void tw_balance_plan(struct tw_queue_devices *devices, const struct tw_internal_kernel *kernel, size_t units,
                     size_t unit_items, struct tw_division_plan *plan);
/* Hands over the events of a launch that is measured, one for each device, with the units that each ran; an event is NULL
   where a device has none. */
void tw_balance_measured(struct tw_queue_devices *devices, const struct tw_internal_kernel *kernel,
                         tw_event *const *events, const size_t *units);
/* Notes that a device cannot run a kernel. Returns true if another one that can is to run it from now on; false if there is
   none, or the program has fixed the division. */
bool tw_balance_refused(struct tw_queue_devices *devices, const struct tw_internal_kernel *kernel, size_t device);
/* Returns the device that runs what is not divided. `kernel` is NULL if that is no kernel. */
size_t tw_balance_first(struct tw_queue_devices *devices, const struct tw_internal_kernel *kernel);
/* Stores the weights with which the queue divides at the moment. */
void tw_balance_weights(struct tw_queue_devices *devices, double *weights);

#endif
