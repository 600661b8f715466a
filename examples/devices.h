/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option that examples have in common, in front of all others: --devices LIST, with LIST one of
 *
 *     all     every device that TW_DEVICES leaves, the host too
 *     gpus    all GPUs
 *     N       the first N devices
 *
 * With several devices a program computes the same on each alone, and then on all together. Without the option it runs on
 * the device that the library prefers.
 */
#ifndef EXAMPLES_DEVICES_H
#define EXAMPLES_DEVICES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <teamwork/teamwork.h>
#include <time.h>

enum { MOST_DEVICES = 64 };

struct devices {
    tw_device *at[MOST_DEVICES];
    size_t count;
};

static inline void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

/* Allocates memory for `count` elements, or ends the program. */
static inline void *allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (!memory) {
        fprintf(stderr, "no memory for %zu times %zu bytes\n", count, bytes);
        exit(1);
    }
    return memory;
}

static inline double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Takes the option from the arguments, if it is the first of them. */
static inline struct devices take_devices(int *count, char **arguments)
{
    struct devices devices = {.count = 1};
    if (*count < 2 || strcmp(arguments[1], "--devices") != 0) {
        check(tw_select_device(NULL, NULL, &devices.at[0]));
        return devices;
    }
    const char *list = *count > 2 ? arguments[2] : "";
    char *end = "";
    const bool gpus = strcmp(list, "gpus") == 0, all = gpus || strcmp(list, "all") == 0;
    const unsigned long most = all ? MOST_DEVICES : strtoul(list, &end, 10);
    check(tw_get_devices(gpus ? TW_DEVICE_GPU : TW_DEVICE_ALL, devices.at, MOST_DEVICES, &devices.count));
    devices.count = devices.count < most ? devices.count : most;
    if (*end || devices.count == 0) {
        fprintf(stderr, "--devices wants all, gpus or a number, and there must be such devices\n");
        exit(2);
    }
    *count -= 2;
    memmove(arguments + 1, arguments + 3, (size_t)*count * sizeof *arguments);
    return devices;
}

/* Creates the queue of a run: on device `run` alone, and for the run after these over all. NULL: there are no more. */
static inline tw_queue *create_queue(const struct devices *devices, size_t run)
{
    tw_queue *queue = NULL;
    if (run < devices->count)
        check(tw_queue_create_on_device(devices->at[run], NULL, NULL, &queue));
    else if (run == devices->count && run > 1)
        check(tw_queue_create_over(devices->at, devices->count, 0, NULL, NULL, &queue));
    return queue;
}

/* Prints how what a program computed on a queue went. Returns whether it is right. */
static inline bool report(const tw_queue *queue, const char *what, double taken, bool right)
{
    const size_t count = tw_queue_device_count(queue);
    char name[64];
    snprintf(name, sizeof name, count == 1 ? "%.36s" : "%.27s and %zu more", tw_device_name(tw_queue_device(queue)),
             count - 1);
    printf("    %-36s %-20s %9.2f ms  %s\n", name, what, 1e3 * taken, right ? "right" : "WRONG");
    return right;
}

#endif
