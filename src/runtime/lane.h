/* SPDX-License-Identifier: Apache-2.0 */
/** The runtime's part of a queue, and the lists of its tasks. */
#ifndef TEAMWORK_RUNTIME_LANE_H
#define TEAMWORK_RUNTIME_LANE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device.h"
#include "graph/graph.h"

struct tw_command;
struct tw_poller;

/* Nodes linked by next. */
struct tw_task_list {
    struct tw_node *first, *last;
};

/* The tasks of one queue that a chain takes: the bodies, or the copies from other devices. Those in flight are finished in the
   order in which they were issued. */
struct tw_track {
    struct tw_lane *lane;
    enum tw_track_kind kind;
    struct tw_task_list issue; /* ready for the chain */
    struct tw_track *next_to_issue;
    bool is_to_issue, issuing;      /* on the list of tracks that have such; a thread is at it */
    struct tw_backend_chain *chain; /* while anything is in flight */
    struct tw_task_list flying;     /* in the order of issue */
    unsigned flying_count;
    struct tw_track *next_flying, *previous_flying; /* in device->flying, while there are any */
    bool reaping;                                   /* a thread looks for what is over */
    struct tw_poller *poller;                       /* the thread that polls for its tasks; or NULL */
    struct tw_poller *sleepers, **last_sleeper;     /* threads that wait beside it, the first to take over first */
};

/* The commands of one queue that are not finished, its ready tasks, and those in flight. A device has one more, for what no queue
   asked for. */
struct tw_lane {
    struct tw_device *device;
    atomic_size_t references;                    /* the owner, each command and each standby; raised without the lock */
    void (*unused_locked)(struct tw_lane *lane); /* the last is dropped; ends the lane */
    struct tw_command *first_unfinished, *last_unfinished; /* in the order of submission */
    size_t unfinished;
    uint64_t submitted;              /* sequence of the last command */
    struct tw_lane *next, *previous; /* in device->active, while it has ready tasks */
    struct tw_task_list light, exclusive;
    struct tw_task_list copies;  /* to a device that runs few at a time: in their order, by workers */
    uint64_t exclusive_since_ns; /* how long the first exclusive task has been ready */
    unsigned helpers;            /* waiting threads that run this lane's tasks */
    unsigned watchers;           /* threads that wait for the start of a body */
    unsigned sleepers;           /* helpers that wait for `changed` */
    pthread_cond_t changed;      /* something that the helpers look at; with the lock */
    atomic_uint epoch;           /* how often; polled without the lock */
    struct tw_track tracks[TW_TRACK_COUNT];
};

/* With one reference. unused_locked: NULL for a lane that its owner keeps while anything may use it. */
void tw_lane_init(struct tw_lane *lane, struct tw_device *device, void (*unused_locked)(struct tw_lane *lane));
void tw_lane_end(struct tw_lane *lane);
static inline void tw_lane_retain(struct tw_lane *lane)
{
    atomic_fetch_add(&lane->references, 1);
}
static inline void tw_lane_release_locked(struct tw_lane *lane)
{
    if (atomic_fetch_sub(&lane->references, 1) == 1 && lane->unused_locked)
        lane->unused_locked(lane);
}
/* Tells the threads that look after a lane that something has changed there: a task became ready or was issued, or is
   finished. */
void tw_announce_locked(struct tw_lane *lane);
/* The same for all lanes of a device with ready tasks: it has become free, or whose turn it is has changed. */
void tw_announce_device_locked(struct tw_device *device);
/* Adds nodes linked by next, of which there may be none. */
void tw_append(struct tw_task_list *list, struct tw_node *nodes);

#endif
