/* SPDX-License-Identifier: Apache-2.0 */
/** What a queue over several devices has besides: a queue for each device, and how launches are divided among them. */
#ifndef TEAMWORK_OBJECTS_QUEUE_DEVICES_H
#define TEAMWORK_OBJECTS_QUEUE_DEVICES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "queue.h"

/* The most devices of a queue. */
#define TW_MOST_QUEUE_DEVICES 64u

/* What was measured of a kernel. */
struct tw_kernel_speed {
    struct tw_kernel_speed *next;
    const struct tw_internal_kernel *kernel;
    double ns_per_unit[TW_MOST_QUEUE_DEVICES]; /* 0: not known */
    unsigned long launches;
    bool is_undivided; /* it was too short to be divided */
    bool is_sampling;  /* a launch is being measured: */
    tw_event *sample[TW_MOST_QUEUE_DEVICES];
    size_t units[TW_MOST_QUEUE_DEVICES]; /* that each device ran */
};

/* balance.c says how launches are divided. */
struct tw_queue_devices {
    size_t count;
    struct tw_queue *queues[TW_MOST_QUEUE_DEVICES]; /* owned; `owner` of each is the queue that has them */
    atomic_bool has_failed[TW_MOST_QUEUE_DEVICES];  /* a part of a launch failed there, or could not be launched */
    pthread_mutex_t mutex;                          /* for what follows */
    bool is_fixed;                                  /* the program has set the weights */
    double weights[TW_MOST_QUEUE_DEVICES];          /* with which launches are divided */
    double guess[TW_MOST_QUEUE_DEVICES];            /* how fast the devices are, before anything is measured */
    struct tw_kernel_speed *speeds;                 /* of each kernel */
    unsigned long launches, next_change;            /* so many launches; the weights may change from this number on */
    unsigned changes;                               /* how often they did, up to a limit */
};

/* Makes one without queues; NULL if there is no memory for it. */
struct tw_queue_devices *tw_queue_devices_new(void);
/* Adds the queue of a device. */
void tw_queue_devices_add(struct tw_queue_devices *devices, struct tw_queue *queue);
/* Notes that a command of a device's queue has failed, and not because of another one. */
void tw_queue_devices_note_failure(struct tw_queue_devices *devices, const struct tw_queue *queue, tw_status status);
/* Destroys the devices' queues, which have nothing to do any more. NULL is allowed. */
void tw_queue_end_devices(struct tw_queue_devices *devices);
/* Frees it. NULL is allowed. */
void tw_queue_devices_free(struct tw_queue_devices *devices);

#endif
