/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the blocks at rank 0, and compares them with what a sequential program computes. */
#include "halo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All cells and one more around them; rows lie `columns + 2` apart. */
static float *make_grid(const struct block *block)
{
    const size_t pitch = (size_t)block->columns + 2;
    float *grid = calloc((size_t)block->rows + 2, pitch * sizeof *grid);
    for (int i = -1; grid && i <= block->rows; ++i)
        for (int j = -1; j <= block->columns; ++j)
            grid[(size_t)(i + 1) * pitch + (size_t)(j + 1)] = halo_initial(i, j);
    return grid;
}

static bool compute_expected(const struct block *block, float *grid, int steps)
{
    const size_t rows = (size_t)block->rows, columns = (size_t)block->columns, pitch = columns + 2;
    float *now = grid, *next = make_grid(block), *const scratch = next;
    for (int step = 0; next && step < steps; ++step) {
        for (size_t i = 1; i <= rows; ++i)
            for (size_t at = i * pitch + 1; at <= i * pitch + columns; ++at)
                next[at] = halo_relax(now[at - pitch], now[at + pitch], now[at - 1], now[at + 1]);
        float *last = now;
        now = next;
        next = last;
    }
    if (scratch && now == scratch)
        memcpy(grid, scratch, (rows + 2) * pitch * sizeof *grid);
    free(scratch);
    return scratch != NULL;
}

/* Sends this rank's cells to rank 0. */
static bool send_cells(struct block *block, MPI_Request *request, tw_host_accessor **accessor)
{
    if (tw_host_access(block->cells[block->step % 2], TW_READ, accessor) != TW_SUCCESS) {
        fprintf(stderr, "halo_mpi: the cells cannot be read: %s\n", tw_error_detail());
        return false;
    }
    return MPI_Isend(tw_host_accessor_const_data(*accessor), block->own_rows * block->own_columns, MPI_FLOAT, 0, 0,
                     block->comm, request)
           == MPI_SUCCESS;
}

/* Receives the blocks of all ranks into the grid. */
static bool receive_cells(const struct block *block, float *grid)
{
    int ranks[2], periods[2], at[2], count = 0;
    MPI_Comm_size(block->comm, &count);
    MPI_Cart_get(block->comm, 2, ranks, periods, at);
    bool done = true;
    for (int rank = 0; rank < count && done; ++rank) {
        MPI_Datatype part;
        MPI_Cart_coords(block->comm, rank, 2, at);
        int begin[2], size[2], whole[2] = {block->rows + 2, block->columns + 2};
        const int cells[2] = {block->rows, block->columns};
        for (int d = 0; d < 2; ++d) {
            const int first = (int)((long)cells[d] * at[d] / ranks[d]);
            size[d] = (int)((long)cells[d] * (at[d] + 1) / ranks[d]) - first;
            begin[d] = first + 1;
        }
        done = MPI_Type_create_subarray(2, whole, size, begin, MPI_ORDER_C, MPI_FLOAT, &part) == MPI_SUCCESS
               && MPI_Type_commit(&part) == MPI_SUCCESS
               && MPI_Recv(grid, 1, part, rank, 0, block->comm, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        if (done)
            MPI_Type_free(&part);
    }
    return done;
}

static bool write_cells(const struct block *block, const float *grid, const char *name)
{
    FILE *file = fopen(name, "wb");
    bool done = file != NULL;
    for (int i = 1; i <= block->rows && done; ++i) {
        const float *row = grid + (size_t)i * ((size_t)block->columns + 2) + 1;
        done = fwrite(row, sizeof *row, (size_t)block->columns, file) == (size_t)block->columns;
    }
    done = (!file || fclose(file) == 0) && done;
    if (!done)
        perror(name);
    return done;
}

static bool compare_cells(const struct block *block, const float *grid, int steps)
{
    const size_t pitch = (size_t)block->columns + 2;
    float *expected = make_grid(block);
    bool right = expected && compute_expected(block, expected, steps);
    if (!right)
        fprintf(stderr, "halo_mpi: there is no memory to compare the cells\n");
    for (size_t at = 0; right && at < ((size_t)block->rows + 2) * pitch; ++at) {
        right = grid[at] == expected[at]; /* there are no negative zeros, nor what is no number */
        if (!right)
            fprintf(stderr, "halo_mpi: the cell in row %zu, column %zu is %.9g instead of %.9g\n", at / pitch - 1,
                    at % pitch - 1, (double)grid[at], (double)expected[at]);
    }
    free(expected);
    return right;
}

bool check_cells(struct block *block, int steps, bool compare, const char *output)
{
    int rank = 0, right = 1;
    MPI_Request request = MPI_REQUEST_NULL;
    tw_host_accessor *accessor = NULL;
    MPI_Comm_rank(block->comm, &rank);
    bool done = send_cells(block, &request, &accessor);
    if (rank == 0 && done) {
        float *grid = make_grid(block);
        done = grid && receive_cells(block, grid) && (!output || write_cells(block, grid, output))
               && (!compare || compare_cells(block, grid, steps));
        free(grid);
    }
    /* where a rank has failed, the others must not wait for it */
    if (!done)
        MPI_Abort(MPI_COMM_WORLD, 1);
    right = MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    right = tw_host_accessor_release(&accessor) == TW_SUCCESS && right;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, block->comm);
    return right;
}
