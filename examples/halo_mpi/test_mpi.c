/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI's functions as tests and measurements of halo_mpi want them: they fail, or take longer, as the environment says.
 * MPI has each of its functions under a second name, PMPI_, so that a program can put its own in front.
 *
 *     HALO_TEST_FAULT=KIND:RANK:N   that rank's N-th exchange, from 1 on: `count` sends a negative number of cells,
 *                                   `truncate` receives one cell less than is sent, `death` ends the process
 *     HALO_TEST_ERRORS=FILE         what a rank writes to stderr after MPI_Init_thread() is appended to FILE: after
 *                                   MPI_Abort() mpiexec may end before it has passed on what it got
 *     HALO_TEST_DELAY_US=N          an exchange takes so many microseconds more, in which the thread sleeps, as on a
 *                                   network that needs no processor
 *     HALO_TEST_KERNEL_US=N         so does each kernel of a simulated device, from the first MPI_Barrier() on
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <teamwork/teamwork.h>
#include <time.h>
#include <unistd.h>

enum { SIDES = 4, DEATH = 9 };

/* Called by one thread at a time, as the program promises. */
static int receives, sends, waits;

/* Whether this is the exchange of the fault; `calls` is the number of calls, of which an exchange makes one a side. */
static int is_fault(const char *kind, int calls)
{
    const char *fault = getenv("HALO_TEST_FAULT");
    char name[16] = "";
    int rank = 0, faulty_rank = 0, at = 0;
    if (!fault || sscanf(fault, "%15[a-z]:%d:%d", name, &faulty_rank, &at) != 3 || strcmp(name, kind) != 0)
        return 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == faulty_rank && (calls - 1) / SIDES + 1 == at;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const char *errors = getenv("HALO_TEST_ERRORS");
    if (errors && !freopen(errors, "a", stderr))
        exit(DEATH);
    return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    ++receives;
    if (is_fault("death", receives))
        _exit(DEATH);
    return PMPI_Irecv(buf, count > 0 && is_fault("truncate", receives) ? count - 1 : count, datatype, source, tag, comm,
                      request);
}

int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    ++sends;
    return PMPI_Isend(buf, is_fault("count", sends) ? -1 : count, datatype, dest, tag, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    const char *delay = getenv("HALO_TEST_DELAY_US");
    const long long ns = delay && waits++ % (2 * SIDES) == 0 ? 1000 * atoll(delay) : 0;
    const struct timespec pause = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    if (ns > 0)
        nanosleep(&pause, NULL);
    return PMPI_Wait(request, status);
}

int MPI_Barrier(MPI_Comm comm)
{
    const char *delay = getenv("HALO_TEST_KERNEL_US");
    tw_device *device = NULL;
    if (delay && tw_select_device(tw_sim_selector, NULL, &device) == TW_SUCCESS)
        (void)tw_sim_delay(device, TW_SIM_LAUNCH, 1000 * strtoull(delay, NULL, 10));
    return PMPI_Barrier(comm);
}
