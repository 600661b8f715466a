/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What surrounds the computation: options, the water at the beginning, pictures, times and checks. It is the same in
 * all three states of the program, runs on the host, and knows neither OpenMP's regions nor Teamwork.
 */
#ifndef PORT_RUN_H
#define PORT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct picture {
    double time;   /* s */
    double volume; /* of all water, m^3 */
    uint64_t bits; /* a hash of its heights */
    bool saved;
};

struct run {
    size_t nx, ny; /* cells */
    size_t steps;
    size_t every;             /* steps from one picture to the next */
    const char *folder;       /* for the pictures; NULL: only in memory */
    bool timed;               /* print how long a step takes */
    size_t warm_up;           /* steps before the clock starts */
    double start_ms, end_ms;  /* what run_start() and run_end() saw */
    double volume;            /* at the beginning, m^3 */
    struct picture *pictures; /* run_pictures() of them */
};

/** Which of the three states this is; each defines both. */
extern const char *const state_name;

/** Sets the water to run_initial_height(), takes run->steps steps, saves a picture after each run->every, and ends with
 *  run_end(). False: it said what went wrong. */
bool simulate(struct run *run);

/** Sets a plane of heights, its border included, to the water at the beginning: drops on a lake. */
void run_initial_heights(const struct run *run, double *h);

/** The number of pictures, which count from 0. */
size_t run_pictures(const struct run *run);

/** True if a picture is to be saved after this step, which count from 1. */
bool run_wants_picture(const struct run *run, size_t step);

/** Makes a picture of a plane of heights and saves it. Threads may do so at the same time, for different pictures. */
bool run_save(const struct run *run, size_t picture, const double *h, double time, double volume);

/** Call these when nothing is in flight: after step run->warm_up, and when all is done and saved. */
void run_start(struct run *run);
void run_end(struct run *run);

#endif
