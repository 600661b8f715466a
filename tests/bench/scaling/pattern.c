/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exchange of examples/halo_mpi without its computation, for a machine that SimGrid's SMPI simulates: a rank sleeps
 * for as long as the model says that its device works.
 *
 *     pattern DOWN ACROSS ROW_BYTES COLUMN_BYTES STEPS EDGES OUT IN INSIDE NOISE
 *
 * There are DOWN x ACROSS ranks. Messages up and down have ROW_BYTES, those to the sides COLUMN_BYTES. The times are in
 * nanoseconds: the kernel of the edges, what lies between it and the messages, what lies between these and the next
 * kernel, and the kernel of the inner cells, which begins with OUT. That one takes longer in each step, by any part of
 * NOISE per cent. Prints the time of a step in nanoseconds.
 *
 * All ranks are threads of one process and share the memory of messages: nobody looks at their contents.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDES = 4, WARM_UP = 2, MOST_BYTES = 1 << 24 };

static char memory[MOST_BYTES];

/* From 0 to 1, without a pattern. */
static double random_of(unsigned rank, unsigned step)
{
    unsigned x = rank * 2654435761u ^ step * 2246822519u;
    x = (x ^ x >> 15) * 2654435761u;
    x = (x ^ x >> 13) * 3266489917u;
    return (x ^ x >> 16) / 4294967296.0;
}

static void work(double ns)
{
    const struct timespec time = {(time_t)(ns / 1e9), (long)ns % 1000000000};
    if (ns > 0)
        nanosleep(&time, NULL); /* of the simulated machine */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc != 11)
        return 2;
    const int down = atoi(argv[1]), across = atoi(argv[2]), steps = atoi(argv[5]);
    const int bytes[SIDES] = {atoi(argv[3]), atoi(argv[3]), atoi(argv[4]), atoi(argv[4])};
    const double edges = atof(argv[6]), out = atof(argv[7]), in = atof(argv[8]), inside = atof(argv[9]);
    const double noise = atof(argv[10]) / 100;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int row = rank / across, column = rank % across;
    const int neighbours[SIDES] = {
        row > 0 ? rank - across : MPI_PROC_NULL, row + 1 < down ? rank + across : MPI_PROC_NULL,
        column > 0 ? rank - 1 : MPI_PROC_NULL, column + 1 < across ? rank + 1 : MPI_PROC_NULL};
    double start = 0;
    for (int step = -WARM_UP; step < steps; ++step) {
        MPI_Request requests[2 * SIDES];
        if (step == 0)
            start = MPI_Wtime();
        work(edges);
        const double begun = MPI_Wtime();
        work(out);
        for (int side = 0; side < SIDES; ++side)
            MPI_Irecv(memory, bytes[side], MPI_BYTE, neighbours[side], side, MPI_COMM_WORLD, &requests[side]);
        for (int side = 0; side < SIDES; ++side)
            MPI_Isend(memory, bytes[side], MPI_BYTE, neighbours[side], side ^ 1, MPI_COMM_WORLD,
                      &requests[SIDES + side]);
        MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
        work(in);
        work(inside * (1 + noise * random_of((unsigned)rank, (unsigned)step)) - (MPI_Wtime() - begun) * 1e9);
    }
    double taken = (MPI_Wtime() - start) / steps, longest = 0;
    MPI_Reduce(&taken, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("step %.0f\n", longest * 1e9);
    MPI_Finalize();
    return 0;
}
