/* SPDX-License-Identifier: Apache-2.0 */
/* Running the programs: what main.c and the files beside it share. Programs do not include it. */
#ifndef TEAMWORK_SUITE_RUN_H
#define TEAMWORK_SUITE_RUN_H

#include "../harness/bench.h"
#include "suite.h"

/* ---- sides.c --------------------------------------------------------------------------------------------------- */

enum { SUITE_MOST_SIDES = 4, SUITE_MOST_ROWS = 32, SUITE_MOST_ROUNDS = 101 };

/* The versions of one side; none where this executable has no such side. */
struct suite_part {
    enum suite_side side;
    const struct suite_versions *versions; /* NULL behind the last part */
};

struct suite_entry {
    const struct suite_program *program;
    struct suite_part parts[SUITE_MOST_SIDES + 1];
};

extern const struct suite_entry suite_entries[];
extern const size_t suite_entry_count;

/* Opens the devices; false after a line on stderr. bench_close() closes them. */
bool suite_open_sides(void);

const char *suite_side_name(enum suite_side side);

/* ---- measure.c ------------------------------------------------------------------------------------------------- */

struct suite_plan {
    enum suite_size size;
    struct bench_effort effort; /* for a program; up to SUITE_MOST_ROUNDS */
    const char *form;           /* only versions of this form; NULL: all */
    const char *kind;           /* of Teamwork only versions of this kind; NULL: all */
};

/* Whether a version is of a kind, or with '!' before it of any other; those that have none, and NULL, match. */
bool suite_kind_matches(const struct suite_version *version, const char *kind);

/* A version and what was measured of it. */
struct suite_row {
    enum suite_side side;
    const struct suite_version *version;
    void *state;
    const char *failure; /* NULL: right results */
    double *samples;     /* microseconds, of one call each, in order of size when all is done */
    size_t sample_count;
    double *turns;           /* the median of its turn in each round; 0 where it had none */
    unsigned calls;          /* in a turn */
    unsigned every;          /* takes a turn in every so manieth round */
    bool is_short;           /* so much that caches matter: the first call of a turn does not count */
    struct bench_summary us; /* zeros: not measured */
};

/* A program and what was measured of it. */
struct suite_result {
    const struct suite_program *program;
    struct suite_problem problem; /* without its data */
    struct suite_row rows[SUITE_MOST_ROWS];
    size_t row_count;
    unsigned rounds;
};

/* Checks every version, measures them in turns, and checks again. False if something failed; `result` then says what,
   as far as it got. */
bool suite_measure(const struct suite_entry *entry, const struct suite_plan *plan, struct suite_result *result);

void suite_result_free(struct suite_result *result);

/* The time of a row over that of another one: the median of the ratios of each round, in which both had the same
   load. */
double suite_ratio(const struct suite_result *result, const struct suite_row *row, const struct suite_row *base);

/* ---- compare.c ------------------------------------------------------------------------------------------------- */

/* The fastest version of a side; NULL: there is none that works. */
const struct suite_row *suite_best(const struct suite_result *result, enum suite_side side);

/* What a row of Teamwork is compared with: on a GPU its twin in CUDA, on the host in OpenMP, which is the first version
   of the same form; without a twin the fastest version of that side. NULL: there is none. */
const struct suite_row *suite_baseline(const struct suite_result *result, const struct suite_row *row);

/* Prints the table of a program. */
void suite_print(const struct suite_result *result);

/* Prints geometric means of ratios over all programs, and the worst ones. */
void suite_print_summary(const struct suite_result *results, size_t count);

/* ---- check.c --------------------------------------------------------------------------------------------------- */

/* Compares a few programs on the host with OpenMP; false if Teamwork is much slower, or something failed. */
bool suite_check(void);

/* ---- json.c ---------------------------------------------------------------------------------------------------- */

/* Writes one file for a run; false after a line on stderr. */
bool suite_write_json(const char *path, enum suite_size size, const struct suite_result *results, size_t count);

const char *suite_size_name(enum suite_size size);

#endif
