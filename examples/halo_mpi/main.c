/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heat that spreads in a plate, on many devices of many nodes: a rank of MPI for each device, or for several (halo.h).
 *
 *     mpiexec -n 4 halo_mpi [--size ROWSxCOLUMNS] [--steps N] [--ranks DOWNxACROSS] [--devices N]
 *                           [--halos auto|staged|device] [--no-overlap] [--no-check] [--thread-level NAME]
 *                           [--output FILE]
 *
 * With --devices each rank takes the next N of its node's devices, in the order of TW_DEVICES.
 *
 * The result has the same bits for any number of ranks. Rank 0 compares it with a sequential program's. Exit status: 0,
 * 1 if something failed or a cell is wrong, 2 for a wrong option or a grid that has too few cells for the ranks.
 */
#include "halo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 2, EXIT_USAGE = 2 }; /* steps that bring everything to its place */

static const struct level {
    const char *name;
    int level;
} levels[] = {{"single", MPI_THREAD_SINGLE},
              {"funneled", MPI_THREAD_FUNNELED},
              {"serialized", MPI_THREAD_SERIALIZED},
              {"multiple", MPI_THREAD_MULTIPLE}};
enum { LEVELS = sizeof levels / sizeof levels[0] };

/* ---- options ----------------------------------------------------------------------------------------------------- */

static bool read_pair(const char *text, int *first, int *second)
{
    char rest = 0;
    return sscanf(text, "%dx%d%c", first, second, &rest) == 2 && *first > 0 && *second > 0;
}

static bool read_number(const char *text, int *number)
{
    char rest = 0;
    return sscanf(text, "%d%c", number, &rest) == 1 && *number >= 0;
}

static bool read_halos(const char *text, enum halos *halos)
{
    static const char *const names[] = {[HALOS_AUTO] = "auto", [HALOS_STAGED] = "staged", [HALOS_DEVICE] = "device"};
    for (int i = 0; i < 3; ++i)
        if (strcmp(text, names[i]) == 0) {
            *halos = (enum halos)i;
            return true;
        }
    return false;
}

static bool read_level(const char *text, int *level)
{
    for (int i = 0; i < LEVELS; ++i)
        if (strcmp(text, levels[i].name) == 0) {
            *level = levels[i].level;
            return true;
        }
    return false;
}

/* Returns the argument that is wrong; NULL if all are right. */
static const char *read_options(int argc, char **argv, struct options *options)
{
    *options = (struct options){.rows = 512,
                                .columns = 384,
                                .steps = 20,
                                .overlap = true,
                                .check = true,
                                .thread_level = MPI_THREAD_SERIALIZED};
    for (int i = 1; i < argc; ++i) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        bool right = true, flag = false;
        if (strcmp(name, "--no-overlap") == 0)
            flag = true, options->overlap = false;
        else if (strcmp(name, "--no-check") == 0)
            flag = true, options->check = false;
        else if (strcmp(name, "--size") == 0)
            right = read_pair(value, &options->rows, &options->columns);
        else if (strcmp(name, "--ranks") == 0)
            right = read_pair(value, &options->ranks[0], &options->ranks[1]);
        else if (strcmp(name, "--devices") == 0)
            right = read_number(value, &options->devices) && options->devices <= MOST_DEVICES;
        else if (strcmp(name, "--steps") == 0)
            right = read_number(value, &options->steps);
        else if (strcmp(name, "--halos") == 0)
            right = read_halos(value, &options->halos);
        else if (strcmp(name, "--thread-level") == 0)
            right = read_level(value, &options->thread_level);
        else if (strcmp(name, "--output") == 0)
            right = *(options->output = value) != 0;
        else
            right = false;
        if (!right)
            return name;
        i += !flag;
    }
    return NULL;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

/* Ends all ranks: others may wait for this one's messages. */
static _Noreturn void fail(const char *what, const char *why)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "halo_mpi: rank %d: %s: %s\n", rank, what, why);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void check(tw_status status)
{
    if (status != TW_SUCCESS)
        fail(tw_status_name(status), tw_error_detail());
}

/* Every rank finds the same, so all of them end in the same way, and one says why. */
static int refuse(int rank, int exit_status, const char *why)
{
    if (rank == 0)
        fprintf(stderr, "halo_mpi: %s\n", why);
    MPI_Finalize();
    return exit_status;
}

static int find_local_rank(void)
{
    MPI_Comm node;
    int local_rank = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local_rank);
    MPI_Comm_free(&node);
    return local_rank;
}

/* The GPU that belongs to this rank of the node; where there are none, what the program would get without MPI. */
static tw_device *choose_device(int local_rank)
{
    tw_device *device = NULL;
    tw_status status = tw_select_device(tw_local_rank_selector, &local_rank, &device);
    if (status == TW_ERROR_NO_DEVICE)
        status = tw_select_device(NULL, NULL, &device);
    check(status);
    return device;
}

/* Chooses the devices that belong to this rank of the node. Returns how many. */
static size_t choose_devices(const struct options *options, tw_device *devices[MOST_DEVICES])
{
    const int local_rank = find_local_rank();
    const size_t count = (size_t)options->devices;
    tw_device *all[MOST_DEVICES];
    size_t found = 0;
    if (!count) {
        devices[0] = choose_device(local_rank);
        return 1;
    }
    check(tw_get_devices(TW_DEVICE_ALL, all, MOST_DEVICES, &found));
    found = found < MOST_DEVICES ? found : MOST_DEVICES;
    if (found < count)
        fail("--devices", "the node has not as many");
    for (size_t i = 0; i < count; ++i)
        devices[i] = all[((size_t)local_rank * count + i) % found];
    return count;
}

/* Divides the ranks into rows and columns. Returns MPI_COMM_NULL, with the reason, if the grid cannot be divided so. */
static MPI_Comm divide(struct options *options, char *reason, size_t reason_bytes)
{
    int count = 0;
    const int periods[2] = {0, 0};
    MPI_Comm comm = MPI_COMM_NULL;
    int *ranks = options->ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (!ranks[0])
        MPI_Dims_create(count, 2, ranks);
    if ((long)ranks[0] * ranks[1] != count)
        snprintf(reason, reason_bytes, "--ranks %dx%d, but there are %d ranks", ranks[0], ranks[1], count);
    else if (options->rows / 2 < ranks[0] || options->columns / 2 < ranks[1])
        snprintf(reason, reason_bytes,
                 "a grid of %d x %d cells is too small for %d x %d ranks: each needs 2 rows and 2 columns",
                 options->rows, options->columns, ranks[0], ranks[1]);
    else
        MPI_Cart_create(MPI_COMM_WORLD, 2, ranks, periods, 0, &comm);
    return comm;
}

static void report(const struct block *block, const struct options *options, double seconds, int right)
{
    double times[2] = {seconds, block->exchange_seconds};
    int rank = 0;
    MPI_Comm_rank(block->comm, &rank);
    MPI_Reduce(rank ? times : MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, 0, block->comm);
    if (rank)
        return;
    const int steps = options->steps ? options->steps : 1;
    printf("%d x %d cells on %d x %d ranks, %d steps: %.1f us a step, %.1f us in MPI%s  %s\n", options->rows,
           options->columns, options->ranks[0], options->ranks[1], options->steps, 1e6 * times[0] / steps,
           1e6 * times[1] / steps, block->device_pointers ? " with device pointers" : "",
           !options->check ? "not checked"
           : right         ? "right"
                           : "WRONG");
}

/* Computes the steps. Returns whether the result is right. */
static bool run(const struct options *options, MPI_Comm comm)
{
    struct block block;
    tw_device *devices[MOST_DEVICES];
    const size_t count = choose_devices(options, devices);
    check(block_create(&block, options, comm, devices, count));
    check(block_submit(&block, WARM_UP));
    check(block_wait(&block));
    block.exchange_seconds = 0;
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    check(block_submit(&block, options->steps));
    check(block_wait(&block)); /* until then this thread leaves MPI to the tasks */
    const double seconds = MPI_Wtime() - start;
    const bool right = (!options->check && !options->output)
                       || check_cells(&block, WARM_UP + options->steps, options->check, options->output);
    report(&block, options, seconds, right);
    check(block_destroy(&block));
    return right;
}

int main(int argc, char **argv)
{
    struct options options;
    const char *wrong = read_options(argc, argv, &options);
    int provided = MPI_THREAD_SINGLE, rank = 0;
    char reason[160] = "";
    MPI_Init_thread(&argc, &argv, options.thread_level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (wrong) {
        snprintf(reason, sizeof reason, "%.40s: no such option, or not with this value", wrong);
        return refuse(rank, EXIT_USAGE, reason);
    }
    if (provided < MPI_THREAD_SERIALIZED)
        return refuse(rank, EXIT_FAILURE,
                      "MPI lets one thread alone call it; the tasks that do need MPI_THREAD_SERIALIZED");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* the Cartesian one inherits it */
    MPI_Comm comm = divide(&options, reason, sizeof reason);
    if (comm == MPI_COMM_NULL)
        return refuse(rank, EXIT_USAGE, reason);
    const bool right = run(&options, comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return !right;
}
