/* SPDX-License-Identifier: Apache-2.0 */
/** What TW_SUMMARY counts. */
#ifndef TEAMWORK_TRACE_SUMMARY_DATA_H
#define TEAMWORK_TRACE_SUMMARY_DATA_H

#include <stdint.h>

#define TW_SUMMARY_DEVICES 64
#define TW_SUMMARY_ROWS 256 /* the last one is for all others */
#define TW_SUMMARY_BUFFERS 1024

/* Kernels of a name on a device; copies in a direction; waits for something. Without a name: not used yet. */
struct tw_summary_row {
    char name[64];
    int device;
    uint64_t count, total_ns, longest_ns, bytes;
    uint64_t recording_ns; /* of kernels: recording and submitting their groups */
    const char *slow;      /* of kernels: why they are slower than they could be; or NULL */
};

/* Why a device is idle. */
enum tw_idle { TW_IDLE_UNSUBMITTED, TW_IDLE_HOST, TW_IDLE_COPIES, TW_IDLE_OTHER, TW_IDLE_COUNT };
enum tw_copy_direction { TW_COPY_FROM_HOST, TW_COPY_TO_HOST, TW_COPY_FROM_DEVICE, TW_COPY_WITHIN, TW_COPY_COUNT };

struct tw_summary_device {
    char name[64];
    uint64_t busy_ns, busy_until_ns; /* kernels */
    uint64_t idle_ns[TW_IDLE_COUNT]; /* before kernels */
    struct tw_summary_row copies[TW_COPY_COUNT];
    uint64_t evictions, evicted_bytes;
};

struct tw_summary_buffer {
    uint64_t number; /* 0: none */
    uint64_t bytes;
    char name[48];
    const char *file; /* where the first group with it was submitted; or NULL */
    int line;
    uint64_t to_devices, to_host, moved_bytes; /* transfers that the library made */
};

struct tw_summary {
    uint64_t first_ns, last_ns; /* the first group began, the last task ended */
    uint64_t groups, failed, cancelled;
    struct tw_summary_row host_tasks;
    struct tw_summary_row kernels[TW_SUMMARY_ROWS], waits[TW_SUMMARY_ROWS];
    struct tw_summary_device devices[TW_SUMMARY_DEVICES];
    struct tw_summary_buffer buffers[TW_SUMMARY_BUFFERS]; /* by number */
};

#endif
