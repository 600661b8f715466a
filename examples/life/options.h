/* SPDX-License-Identifier: Apache-2.0 */
/** The command line of the program. */
#ifndef LIFE_OPTIONS_H
#define LIFE_OPTIONS_H

#include <stdbool.h>

/** What the program is asked to do. Exit statuses: 0 done, 1 something failed, 2 wrong use. */
enum options_job {
    JOB_ALL,       /* no job named: verification, then the table */
    JOB_VERIFY,    /* known patterns, known populations */
    JOB_BENCHMARK, /* the table */
    JOB_PATTERN,   /* run a pattern from a file */
    JOB_RANDOM,    /* run a random board */
    JOB_HELP
};

/** Which of the known patterns to verify: a bit set. */
enum { VERIFY_RPENTOMINO = 1, VERIFY_ACORN = 2 };

enum { OPTIONS_MAX_IMAGES = 64, OPTIONS_MAX_DEVICES = 64 };

struct options {
    enum options_job job;
    unsigned verify;
    const char *pattern; /* path */
    int rows, columns;   /* 0 where not given */
    long generations;    /* -1 where not given */
    const char *device;  /* NULL where not given */
    long devices;        /* the first so many devices together; 0 where not given */
    bool gpus;           /* of these, GPUs alone */
    const char *output;  /* directory */
    long image_every;    /* 0 for never */
    long image_at[OPTIONS_MAX_IMAGES];
    int image_count;
    long animate_every; /* generations a frame; 0 for no animation */
    bool ages;          /* as colours */
    bool crop;
    int crop_rows, crop_columns;
    int crop_row, crop_column; /* -1: in the middle */
    int enlarge, shrink;
    bool view;
};

/**
 * Reads the command line. On wrong use one line on stderr says what is wrong.
 *
 * @return whether the command line is right
 */
bool options_parse(int argc, char **argv, struct options *options);

/** Prints what --help promises to stdout. */
void options_help(void);

#endif
