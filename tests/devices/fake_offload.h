/* SPDX-License-Identifier: Apache-2.0 */
/**
 * An imaginary liboffload of LLVM 22, for unit_ol.c: a shared library of its name, whose GPUs have the host's memory. What
 * is enqueued is done at once, but is complete only when the test lets it be.
 */
#ifndef TEAMWORK_TESTS_FAKE_OFFLOAD_H
#define TEAMWORK_TESTS_FAKE_OFFLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_PARAMETERS 160

/* The library's state, which it exports as `fake_offload`. The first part is set by the test. */
struct fake_offload {
    unsigned gpus;      /* before it is started */
    int platform;       /* of the GPUs */
    bool holds;         /* queues complete nothing */
    bool is_broken;     /* every call of a queue or an event fails: a kernel's fault */
    bool refuses;       /* launches fail */
    bool is_forgetful;  /* no queue says that it is empty */
    bool lacks_context; /* a thread's launches and events fail before its first copy */

    unsigned started, queues, events, programs, blocks; /* that there are now */
    unsigned launches, copies, fills, waits, syncs;     /* so far */
    unsigned made;                                      /* events, so far */
    unsigned asked;                                     /* how often a queue or an event was asked for its state */
    unsigned from_other;                                /* waits for an event of another queue */
    unsigned locked_copies;                             /* copies of which the host's side is page-locked */
    uint64_t given[FAKE_PARAMETERS];                    /* the parameters of the last launch */
    size_t given_bytes, dynamic_bytes;
    uint32_t grid[3], block[3];
    const char *kernel; /* its name */
};

#endif
