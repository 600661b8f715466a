/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work and data of several devices of one machine: what the parts of the program share. The header is C17 and C++17.
 * Functions that fail say why on stderr.
 *
 *     main.c       options, devices, rows of results
 *     split.c      a matrix product and a sum, split over all devices: the efficiency
 *     large.c      a buffer that is larger than any of the devices
 *     exchange.c   two buffers that change places between two devices, both at once; against CUDA
 *     pressure.c   the same where neither device has room for both
 *     cuda.cu      the exchange in CUDA
 */
#ifndef TEAMWORK_MULTI_H
#define TEAMWORK_MULTI_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MULTI_MOST_DEVICES = 16, MULTI_MOST_ROUNDS = 31 };

struct tw_device;
struct tw_queue;

struct multi {
    struct tw_device *devices[MULTI_MOST_DEVICES]; /* at least two, of one kind */
    struct tw_queue *queues[MULTI_MOST_DEVICES];   /* one of each */
    size_t count;
    size_t memory; /* bytes that each device has at least; 0: not limited */
    unsigned rounds;
    bool gpu, quick;
    struct bench_json *json; /* NULL: none */
};

/** Prints a result and writes it to the file. `efficiency`: 0 if there is none. */
void multi_row(struct multi *multi, const char *bench, const char *side, const char *variant, const char *parameter,
               double value, const char *unit, double efficiency);

/** Waits for the first `count` queues. */
bool multi_wait(const struct multi *multi, size_t count);

/* Each returns false after a failure or a wrong result. */
bool multi_matmul(struct multi *multi);
bool multi_sum(struct multi *multi);
bool multi_large(struct multi *multi);
bool multi_exchange(struct multi *multi);
bool multi_pressure(struct multi *multi);

/* ---- cuda.cu ----------------------------------------------------------------------------------------------------- */

/** Memory for the exchange on the first two devices; NULL: failed. */
void *multi_cuda_open(size_t bytes);
/** Copies from the first device to the second, and at the same time the other way if `both`. Returns when it is over. */
bool multi_cuda_exchange(void *state, bool both);
/** Whether what was copied came. */
bool multi_cuda_is_right(void *state, bool both);
void multi_cuda_close(void *state);

#ifdef __cplusplus
}
#endif

#endif
