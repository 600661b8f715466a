/* SPDX-License-Identifier: Apache-2.0 */
/** What a queue over several devices has besides: a queue for each device, and how launches are divided among them. */
#ifndef TEAMWORK_OBJECTS_QUEUE_DEVICES_H
#define TEAMWORK_OBJECTS_QUEUE_DEVICES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "queue.h"

/* The most devices of a queue. */
#define TW_MOST_QUEUE_DEVICES 64u

struct tw_queue_devices {
    size_t count;
    struct tw_queue *queues[TW_MOST_QUEUE_DEVICES]; /* owned; `owner` of each is the queue that has them */
    pthread_mutex_t mutex;                          /* for what follows */
    bool is_fixed;                                  /* the program has set the weights */
    double weights[TW_MOST_QUEUE_DEVICES];          /* with which launches are divided */
};

/* Makes one without queues; NULL if there is no memory for it. */
struct tw_queue_devices *tw_queue_devices_new(void);
/* Stores the weights with which the next launch of a kernel is divided, one for each device. */
void tw_queue_get_weights(struct tw_queue *queue, const struct tw_internal_kernel *kernel, double *weights);
/* Destroys the devices' queues, which have nothing to do any more. NULL is allowed. */
void tw_queue_end_devices(struct tw_queue_devices *devices);

#endif
