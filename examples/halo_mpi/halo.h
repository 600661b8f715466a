/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A five-point stencil on a grid of cells that is divided among the ranks of an MPI program. A rank has a device, or
 * several: its queue divides the inner cells of its block among them.
 *
 *     block.c     a rank's block of the grid: its buffers, kernels and steps
 *     exchange.c  the cells at its edges go to its neighbours, and theirs come here
 *     check.c     the whole grid at one rank, and what a sequential program makes of it
 *     main.c      options, MPI's start and end
 */
#ifndef HALO_H
#define HALO_H

#include <mpi.h>
#include <stdbool.h>
#include <teamwork/teamwork.h>

/* The sides of a block. Each is the opposite of the one with which it makes a pair. */
enum side { TOP, BOTTOM, LEFT, RIGHT, SIDES };

/* Where the messages are while MPI sends and receives them. */
enum halos {
    HALOS_AUTO,
    HALOS_STAGED, /* in page-locked host memory, to and from which the library copies them */
    HALOS_DEVICE  /* in the device's memory, whose addresses MPI gets */
};

enum { MOST_DEVICES = 64 };

struct options {
    int rows, columns, steps;
    int devices;  /* of each rank; 0: one, its own */
    int ranks[2]; /* of the grid of ranks, down and across; 0: as MPI divides them */
    enum halos halos;
    bool overlap; /* the inner cells are computed while the messages are under way */
    bool check;
    int thread_level; /* of MPI, that is asked for */
    const char *output;
};

/* The cells of a rank, and all that computes them. */
struct block {
    int rows, columns;           /* of the whole grid */
    int first_row, first_column; /* of the block in the grid */
    int own_rows, own_columns;   /* at least 2 each */
    tw_queue *compute;           /* over all devices of the rank */
    tw_queue *edges;             /* on the first of them */
    tw_queue *messages;          /* in order, on the first too: MPI is called by one thread at a time */
    tw_buffer *cells[2];         /* of this step and of the next one */
    tw_buffer *sent, *received;  /* what goes over the sides, and what comes: side_part() says where */
    float *sent_memory;          /* page-locked, as the next */
    float *received_memory;      /* the cells around the block; those around the whole grid stay as they are */
    bool device_pointers;        /* MPI gets addresses of the device */
    bool overlap;                /* as in the options */
    int step;                    /* done so far */
    MPI_Comm comm;               /* Cartesian; its errors are returned */
    int neighbours[SIDES];       /* ranks; MPI_PROC_NULL where the grid ends */
    double exchange_seconds;     /* spent in MPI; written by the tasks on `messages`, one at a time */
};

/* What a cell has at first. Cells around the grid, at -1 and behind the last, have a value that they keep. */
float halo_initial(int row, int column);

/* Four neighbours and their mean: for every device, and for every way to divide a grid, the same bits. */
static inline float halo_relax(float up, float down, float left, float right)
{
    return 0.25f * ((up + down) + (left + right));
}

/* ---- block.c ----------------------------------------------------------------------------------------------------- */

/* Makes a rank's block on its devices. `comm` is Cartesian, of two dimensions. */
tw_status block_create(struct block *block, const struct options *options, MPI_Comm comm, tw_device *const *devices,
                       size_t count);

/* Submits steps; nothing waits. */
tw_status block_submit(struct block *block, int steps);

/* Waits for all that was submitted. If something failed, returns the status of the first cause. */
tw_status block_wait(struct block *block);

tw_status block_destroy(struct block *block);

/* The elements of `sent` and `received` that belong to a side. */
tw_id side_offset(const struct block *block, enum side side);
tw_range side_range(const struct block *block, enum side side);

/* ---- exchange.c -------------------------------------------------------------------------------------------------- */

/* Whether MPI takes addresses of this device's memory. */
bool exchange_takes_device_pointers(const tw_device *device);

/* Submits the exchange of `sent` for what the neighbours have. `event` receives its completion, or is NULL. */
tw_status exchange_submit(struct block *block, tw_event **event);

/* ---- check.c ----------------------------------------------------------------------------------------------------- */

/* Returns whether all cells are right, to the bit. All ranks call it, and get the same answer. Rank 0 compares, and
   writes the cells to a file if `output` is not NULL. */
bool check_cells(struct block *block, int steps, bool compare, const char *output);

#endif
