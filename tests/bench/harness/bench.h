/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What all benchmarks share: the suite (suite/suite.h), micro-benchmarks (micro/micro.h), unseen (unseen/unseen.h) and
 * halo (halo/halo.h).
 *
 *     measure.c          the clock, medians and quartiles, rounds in which all versions have their turns
 *     options.c          options of a program
 *     json.c             results for report.py
 *     device.c           Teamwork's default device, idle threads of OpenMP, the watchdog
 *     bench_teamwork.h   for files that include Teamwork
 *
 * The header is C17 and C++17. Functions that fail return false after one line on stderr.
 */
#ifndef TEAMWORK_BENCH_H
#define TEAMWORK_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- measure.c --------------------------------------------------------------------------------------------------- */

/** Seconds of a clock that all processes share. */
double bench_now(void);

struct bench_summary {
    double median, p25, p75, least;
};

/** Sorts the samples; there is at least one. */
struct bench_summary bench_summarize(double *samples, size_t count);

/** How long to measure. */
struct bench_effort {
    unsigned least_rounds, most_rounds;
    double seconds; /**< the least rounds may take longer */
};

/**
 * Takes rounds until there are effort->least_rounds of them and the time is over, or effort->most_rounds. In a round
 * each of `count` versions has its turn, so that a change of clock or load hits all alike. Another one begins each
 * round, so that no version always comes behind the same one.
 *
 * @param rounds  taken before; they count
 * @return the rounds taken in all
 */
unsigned bench_take_rounds(unsigned rounds, struct bench_effort effort, size_t count,
                           void (*take_turn)(void *user, size_t version, unsigned round), void *user);

/* ---- options.c --------------------------------------------------------------------------------------------------- */

enum bench_option_type {
    BENCH_FLAG,  /**< bool */
    BENCH_TEXT,  /**< const char *: the value behind the option */
    BENCH_COUNT, /**< size_t above 0 */
    BENCH_NUMBER /**< double above 0 */
};

struct bench_option {
    const char *name;  /**< "--only"; NULL behind the last one */
    const char *value; /**< what stands behind it in the usage: "NAME[,NAME]..."; NULL for a flag */
    enum bench_option_type type;
    void *to; /**< untouched where the option is not given */
};

/** Reads the arguments of main(); false after the usage on stderr. */
bool bench_parse(int argc, char **argv, const struct bench_option *options);

/** Whether a comma-separated list has the name; one that ends in '*' stands for all that begin so; NULL has all. */
bool bench_is_listed(const char *list, const char *name);

/* ---- json.c ------------------------------------------------------------------------------------------------------ */

/** A file with one object: members, and in the end a list of rows. */
struct bench_json {
    FILE *file;
    const char *path, *separator;
};

/** Begins the file with what all have: the benchmark, date, processor, cores, device, its kind and the compiler. */
bool bench_json_open(struct bench_json *json, const char *path, const char *benchmark, const char *device, bool gpu);

void bench_json_text(struct bench_json *json, const char *name, const char *value);
void bench_json_number(struct bench_json *json, const char *name, double value);
void bench_json_flag(struct bench_json *json, const char *name, bool value);
void bench_json_numbers(struct bench_json *json, const char *name, const double *values, size_t count);

/** Members that follow are those of a row. */
void bench_json_rows(struct bench_json *json);
void bench_json_row(struct bench_json *json);

bool bench_json_close(struct bench_json *json);

/* ---- device.c ---------------------------------------------------------------------------------------------------- */

/**
 * Makes the queue on Teamwork's default device, which all measurements use.
 *
 * @param devices  of TW_DEVICES, where the environment has none; NULL: leaves that out
 */
bool bench_open(const char *devices);
bool bench_close(void);

struct tw_queue *bench_queue(void); /**< borrowed */
const char *bench_device_name(void);
bool bench_on_gpu(void);
bool bench_on_host(void);

/** Sends the idle threads of OpenMP, up to `threads` or as many as it takes by itself, to sleep, or lets them wait
 *  actively for their next work, as they do by default. */
void bench_openmp_threads(unsigned threads, bool awake);

/** Ends the program if it is not called again within so many seconds: a device that hangs must not hang all. 0: never.
 *  `what` runs meanwhile, and lives on; NULL: still the same. */
void bench_watchdog(unsigned seconds, const char *what);

#ifdef __cplusplus
}
#endif

#endif
