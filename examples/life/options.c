/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: getopt_long() and the checks of values. Knows nothing of devices or patterns but their names. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"

static const char help[] =
    "Conway's Game of Life on the best device there is, with Teamwork.\n"
    "\n"
    "  life                     the main job: --verify, with pictures of ages, then --benchmark\n"
    "  life --verify[=WHICH]    runs patterns whose fate is known and checks it; WHICH is rpentomino, acorn or all\n"
    "  life --benchmark         a table of speeds: all kernels, and OpenMP by hand\n"
    "  life --pattern FILE      runs a pattern, a file in run length encoded format (.rle)\n"
    "  life --seed-random       runs a random board\n"
    "\n"
    "  --size N or WxH          the board (default: 512x512, or what a pattern needs; for --benchmark several sizes)\n"
    "  --generations N          how many generations a pattern or random board runs (default 1000)\n"
    "  --device KIND[:N]        host, gpu, cpu, sim or accelerator; N counts from 0 among them. cpu is an offload "
    "device\n"
    "                           that is a CPU, else the host; sim needs TW_SIM=1 in the environment\n"
    "                           (default: a GPU, else another offload device, else the host)\n"
    "  --devices LIST           several devices, each of which computes some rows: all, gpus, or N for the first N.\n"
    "                           TW_DEVICES in the environment says which there are, and in what order\n"
    "  --output DIR             where images go (default: the current directory)\n"
    "  --png-every N            writes the board as PNG every N generations\n"
    "  --png-at N[,N...]        and at these generations; up to 64\n"
    "                           (default: --verify writes the last board of the R-pentomino, a run its last board)\n"
    "  --ages                   colours cells by how long they have been alive, or dead since they lived\n"
    "  --animate N              writes an animation (APNG), a frame every N generations\n"
    "  --crop WxH[+X+Y]         images show this part of the board, the middle without +X+Y\n"
    "  --scale N or 1/N         N pixels a cell in images, or N cells a pixel; N up to 64\n"
    "  --view                   shows a pattern or random board in a window, until it is closed\n"
    "  --help                   this text\n"
    "\n"
    "Exit status: 0 all is well; 1 a check or a device failed; 2 the command line or a pattern is wrong.\n";

void options_help(void)
{
    fputs(help, stdout);
}

__attribute__((format(printf, 1, 2))) static bool wrong(const char *format, ...)
{
    va_list args;
    fputs("life: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs(" (--help explains)\n", stderr);
    return false;
}

/* A decimal number of at least `least`; *end is what follows it. */
static bool read_number(const char *text, long least, long most, long *number, const char **end)
{
    char *past;
    errno = 0;
    const long n = strtol(text, &past, 10);
    if (past == text || *text < '0' || *text > '9' || errno != 0 || n < least || n > most)
        return false;
    *number = n;
    *end = past;
    return true;
}

static bool read_whole_number(const char *name, const char *text, long least, long *number)
{
    const char *end;
    if (!read_number(text, least, LONG_MAX, number, &end) || *end)
        return wrong("--%s wants a number from %ld on, not \"%s\"", name, least, text);
    return true;
}

static bool read_size(const char *text, struct options *options)
{
    long columns, rows;
    const char *end;
    bool right = read_number(text, 1, BOARD_MAX_SIDE, &columns, &end);
    rows = columns;
    if (right && *end == 'x')
        right = read_number(end + 1, 1, BOARD_MAX_SIDE, &rows, &end);
    if (!right || *end)
        return wrong("--size wants N or WxH, each from 1 to %d, not \"%s\"", BOARD_MAX_SIDE, text);
    options->columns = (int)columns;
    options->rows = (int)rows;
    return true;
}

static bool read_list(const char *text, struct options *options)
{
    const char *at = text;
    for (;;) {
        if (options->image_count == OPTIONS_MAX_IMAGES)
            return wrong("--png-at takes at most %d generations", OPTIONS_MAX_IMAGES);
        if (!read_number(at, 0, LONG_MAX, &options->image_at[options->image_count], &at) || (*at && *at != ','))
            return wrong("--png-at wants numbers with commas between them, not \"%s\"", text);
        ++options->image_count;
        if (!*at++)
            return true;
    }
}

static bool read_crop(const char *text, struct options *options)
{
    long columns, rows, column = -1, row = -1;
    const char *end;
    bool right = read_number(text, 1, BOARD_MAX_SIDE, &columns, &end) && *end == 'x'
                 && read_number(end + 1, 1, BOARD_MAX_SIDE, &rows, &end);
    if (right && *end)
        right = *end == '+' && read_number(end + 1, 0, BOARD_MAX_SIDE, &column, &end) && *end == '+'
                && read_number(end + 1, 0, BOARD_MAX_SIDE, &row, &end) && !*end;
    if (!right)
        return wrong("--crop wants WxH or WxH+X+Y, not \"%s\"", text);
    options->crop = true;
    options->crop_columns = (int)columns;
    options->crop_rows = (int)rows;
    options->crop_column = (int)column;
    options->crop_row = (int)row;
    return true;
}

static bool read_scale(const char *text, struct options *options)
{
    long scale;
    const char *end;
    const bool down = strncmp(text, "1/", 2) == 0;
    if (!read_number(down ? text + 2 : text, 1, 64, &scale, &end) || *end)
        return wrong("--scale wants N or 1/N, N from 1 to 64, not \"%s\"", text);
    *(down ? &options->shrink : &options->enlarge) = (int)scale;
    *(down ? &options->enlarge : &options->shrink) = 1;
    return true;
}

static bool read_devices(const char *list, struct options *options)
{
    const char *end = "";
    options->gpus = strcmp(list, "gpus") == 0;
    options->devices = OPTIONS_MAX_DEVICES;
    if (options->gpus || strcmp(list, "all") == 0
        || (read_number(list, 1, OPTIONS_MAX_DEVICES, &options->devices, &end) && !*end))
        return true;
    return wrong("--devices wants all, gpus or a number from 1 to %d, not \"%s\"", OPTIONS_MAX_DEVICES, list);
}

static bool read_verify(const char *which, struct options *options)
{
    if (!which || strcmp(which, "all") == 0)
        options->verify = VERIFY_RPENTOMINO | VERIFY_ACORN;
    else if (strcmp(which, "rpentomino") == 0)
        options->verify = VERIFY_RPENTOMINO;
    else if (strcmp(which, "acorn") == 0)
        options->verify = VERIFY_ACORN;
    else
        return wrong("--verify knows rpentomino, acorn and all, not \"%s\"", which);
    return true;
}

static bool set_job(struct options *options, enum options_job job)
{
    if (options->job != JOB_ALL && options->job != job)
        return wrong("--verify, --benchmark, --pattern and --seed-random exclude each other");
    options->job = job;
    return true;
}

/* What each long option returns from getopt_long(); none has a short form. */
enum {
    OPT_VERIFY = 256,
    OPT_BENCHMARK,
    OPT_PATTERN,
    OPT_RANDOM,
    OPT_SIZE,
    OPT_GENERATIONS,
    OPT_DEVICE,
    OPT_DEVICES,
    OPT_OUTPUT,
    OPT_PNG_EVERY,
    OPT_PNG_AT,
    OPT_AGES,
    OPT_ANIMATE,
    OPT_CROP,
    OPT_SCALE,
    OPT_VIEW,
    OPT_HELP
};

static bool take(int option, const char *value, struct options *options)
{
    switch (option) {
    case OPT_VERIFY:
        return set_job(options, JOB_VERIFY) && read_verify(value, options);
    case OPT_BENCHMARK:
        return set_job(options, JOB_BENCHMARK);
    case OPT_PATTERN:
        options->pattern = value;
        return set_job(options, JOB_PATTERN);
    case OPT_RANDOM:
        return set_job(options, JOB_RANDOM);
    case OPT_SIZE:
        return read_size(value, options);
    case OPT_GENERATIONS:
        return read_whole_number("generations", value, 0, &options->generations);
    case OPT_DEVICE:
        options->device = value;
        return true;
    case OPT_DEVICES:
        return read_devices(value, options);
    case OPT_OUTPUT:
        options->output = value;
        return true;
    case OPT_PNG_EVERY:
        return read_whole_number("png-every", value, 1, &options->image_every);
    case OPT_PNG_AT:
        return read_list(value, options);
    case OPT_AGES:
        options->ages = true;
        return true;
    case OPT_ANIMATE:
        return read_whole_number("animate", value, 1, &options->animate_every);
    case OPT_CROP:
        return read_crop(value, options);
    case OPT_SCALE:
        return read_scale(value, options);
    case OPT_VIEW:
        options->view = true;
        return true;
    default:
        return wrong("unknown option");
    }
}

/* Options that say nothing about the job are a mistake, not to be passed over. */
static bool check_together(const struct options *options)
{
    const bool run = options->job == JOB_PATTERN || options->job == JOB_RANDOM;
    const bool images = options->image_every || options->image_count || options->animate_every;
    if (options->device && options->devices)
        return wrong("--device and --devices exclude each other");
    if (options->generations >= 0 && !run)
        return wrong("--generations needs --pattern or --seed-random");
    if (options->view && !run)
        return wrong("--view needs --pattern or --seed-random");
    if (options->rows && !run && options->job != JOB_BENCHMARK)
        return wrong("--size needs --pattern, --seed-random or --benchmark");
    if (images && (options->job == JOB_BENCHMARK || options->view))
        return wrong("--png-every, --png-at and --animate do not go with --benchmark and --view");
    if (options->crop && !run)
        return wrong("--crop needs --pattern or --seed-random");
    return true;
}

bool options_parse(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {{"verify", optional_argument, NULL, OPT_VERIFY},
                                          {"benchmark", no_argument, NULL, OPT_BENCHMARK},
                                          {"pattern", required_argument, NULL, OPT_PATTERN},
                                          {"seed-random", no_argument, NULL, OPT_RANDOM},
                                          {"size", required_argument, NULL, OPT_SIZE},
                                          {"generations", required_argument, NULL, OPT_GENERATIONS},
                                          {"device", required_argument, NULL, OPT_DEVICE},
                                          {"devices", required_argument, NULL, OPT_DEVICES},
                                          {"output", required_argument, NULL, OPT_OUTPUT},
                                          {"png-every", required_argument, NULL, OPT_PNG_EVERY},
                                          {"png-at", required_argument, NULL, OPT_PNG_AT},
                                          {"ages", no_argument, NULL, OPT_AGES},
                                          {"animate", required_argument, NULL, OPT_ANIMATE},
                                          {"crop", required_argument, NULL, OPT_CROP},
                                          {"scale", required_argument, NULL, OPT_SCALE},
                                          {"view", no_argument, NULL, OPT_VIEW},
                                          {"help", no_argument, NULL, OPT_HELP},
                                          {NULL, 0, NULL, 0}};
    *options = (struct options){.job = JOB_ALL,
                                .verify = VERIFY_RPENTOMINO | VERIFY_ACORN,
                                .generations = -1,
                                .output = ".",
                                .enlarge = 1,
                                .shrink = 1};
    opterr = 0; /* one line for every mistake, in our words */
    for (int option; (option = getopt_long(argc, argv, ":", known, NULL)) != -1;) {
        if (option == OPT_HELP) {
            options->job = JOB_HELP;
            return true;
        }
        if (option == ':')
            return wrong("%s wants a value", argv[optind - 1]);
        if (option == '?')
            return wrong("there is no option %s", argv[optind - 1]);
        if (!take(option, optarg, options))
            return false;
    }
    if (optind < argc)
        return wrong("there is nothing to do with \"%s\"", argv[optind]);
    return check_together(options);
}
