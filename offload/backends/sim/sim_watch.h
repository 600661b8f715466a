/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels and native tasks on simulated devices run between checks of the buffers that they access. */
#ifndef TEAMWORK_OFFLOAD_SIM_WATCH_H
#define TEAMWORK_OFFLOAD_SIM_WATCH_H

#include <string.h>

#include "backend.h"
#include "common/host_lowering.h"

#define TW_SIM_TEXT_BYTES 320 /* a part of a sentence */

/* A kernel, or a native task, that is checked. */
struct tw_sim_watch {
    struct tw_host_prelude prelude; /* first: what runs it finds the watch */
    const struct tw_backend_device *device;
    const struct tw_internal_kernel *kernel; /* NULL: a native task */
    const struct tw_internal_launch *launch;
    char who[256];        /* its name in a sentence */
    bool checks_reads;    /* that it does not write to what it only reads */
    bool has_one_thread;  /* it runs on the calling thread alone */
    bool has_own_memory;  /* nothing else uses the memory that it accesses */
    bool has_run;         /* it has run */
    bool ran_beside;      /* other kernels ran beside it */
    unsigned char *saved; /* copies of what it only reads, one behind the other; or NULL */
    /* Stores an access, as that of the device does. */
    bool (*access)(const struct tw_sim_watch *watch, size_t index, struct tw_backend_access *access);
};

struct tw_sim_watch tw_sim_watch_of(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                                    const struct tw_internal_launch *launch, bool checks_reads);

/* Poisons the buffers that a kernel discards, and runs it; without a kernel, a function instead, which may be NULL. Fails
   if something has written to the red zones of the buffers that it accesses or, if `checks_reads`, to what it only reads;
   restores the red zones, and what it only reads. */
tw_status tw_sim_watch_run(struct tw_sim_watch *watch, struct tw_internal_launch *launch,
                           tw_status (*function)(void *user), void *user);

/* Checks and restores the red zones of all buffers that the kernel accesses. Returns `status`, or the failure of the
   first damage if `status` is success. */
tw_status tw_sim_watch_check_zones(const struct tw_sim_watch *watch, tw_status status);

/* Returns true if the launch is a part of a larger one: mappers have declared what it accesses. */
static inline bool tw_sim_watch_is_divided(const struct tw_sim_watch *watch)
{
    return memcmp(watch->launch->whole, watch->launch->range, sizeof watch->launch->whole) != 0;
}

/* Describes the buffer of access number `index`: by the block's member that points to it, otherwise by its accessor's
   number. Returns `text`. */
const char *tw_sim_watch_describe(const struct tw_sim_watch *watch, const struct tw_backend_access *access,
                                  size_t index, char text[TW_SIM_TEXT_BYTES]);

/* Writes the index of the element at a byte of the access's buffer: "513", "(4, 7)". Returns `text`. */
#define TW_SIM_INDEX_BYTES 72
const char *tw_sim_watch_index(const struct tw_backend_access *access, size_t at, char text[TW_SIM_INDEX_BYTES]);

#endif
