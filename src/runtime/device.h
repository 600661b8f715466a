/* SPDX-License-Identifier: Apache-2.0 */
/** Devices, as the runtime knows them, and their places of memory. */
#ifndef TEAMWORK_RUNTIME_DEVICE_H
#define TEAMWORK_RUNTIME_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "backend.h"

struct tw_platform;
struct tw_lane;
struct tw_track;

/* What a lane has chains for: copies are not to wait for kernels beside them. */
enum tw_track_kind { TW_TRACK_KERNELS, TW_TRACK_COPIES, TW_TRACK_COUNT };

struct tw_device {
    struct tw_backend_device *backend;
    struct tw_platform *platform;
    size_t place;     /* index of its memory among a buffer's places; 0 is host memory */
    unsigned ordinal; /* in the order of discovery */

    atomic_bool described;
    struct tw_device_facts facts; /* valid once described */

    /* scheduling */
    struct tw_lane *active; /* circular list of lanes with ready commands */
    struct tw_lane *system; /* for copies that no queue asked for */
    bool exclusive_running;
    unsigned copying;    /* tasks of the lanes' lists of copies that run */
    bool worker_is_warm; /* the last exclusive task ran on a worker */
    unsigned workers, idle_workers;
    unsigned lingering;   /* idle workers that look for work by themselves soon */
    bool napping_shortly; /* ... and so soon that nobody need wake them */
    bool stopping;
    void (*start_worker_locked)(struct tw_device *device);
    pthread_t *threads;
    pthread_cond_t work;

    /* chains */
    struct tw_track *flying; /* circular list of tracks with tasks in flight, the next to be looked at first */
    unsigned flying_tracks;
    struct tw_backend_chain *idle_chains[TW_TRACK_COUNT]; /* on which nothing is in flight */
};

/* The memory places of all devices of the machine, visible or not: fixed from discovery to shutdown. devices[0] is NULL. Neither
   array nor device is copied. */
void tw_places_set(struct tw_device **devices, size_t count, struct tw_device *host);
size_t tw_place_count(void);
/* The device with a place of its own; NULL for place 0. */
struct tw_device *tw_place_device(size_t place);
struct tw_device *tw_host_device(void);
/* What the backend says of the device; asked once. */
const struct tw_device_facts *tw_device_facts(const struct tw_device *device);

#endif
