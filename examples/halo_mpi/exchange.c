/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exchange between a block and its neighbours: one task that sends and receives over all sides.
 *
 * Where MPI takes addresses of the device, it is a native task: its accessors are those of a kernel. Else it is a host
 * task: the library copies `sent` to the host before it, and `received` to the device before the next kernel that reads
 * it. Both lie in page-locked memory. Only the parts of sides with a neighbour are accessed, so nothing else is copied.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "halo.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct exchange {
    struct block *block;
    const float *sent[SIDES]; /* NULL: nobody is there */
    float *received[SIDES];
};

static tw_status fail(int code, const char *what, int neighbour)
{
    char reason[MPI_MAX_ERROR_STRING] = "", message[MPI_MAX_ERROR_STRING + 80];
    int length = 0;
    MPI_Error_string(code, reason, &length);
    snprintf(message, sizeof message, "%s rank %d: %s", what, neighbour, reason);
    return tw_task_fail(TW_ERROR_TRANSFER_FAILED, message);
}

static enum side opposite(enum side side)
{
    return (enum side)(side ^ 1u);
}

/* Begins all messages. Those to and from nobody are empty and complete at once. */
static tw_status begin(const struct exchange *exchange, MPI_Request *receives, MPI_Request *sends)
{
    const struct block *block = exchange->block;
    for (enum side side = TOP; side < SIDES; ++side) {
        const int from = block->neighbours[side];
        const int count = from == MPI_PROC_NULL ? 0 : (int)side_range(block, side).size[0];
        const int code =
            MPI_Irecv(exchange->received[side], count, MPI_FLOAT, from, (int)side, block->comm, &receives[side]);
        if (code != MPI_SUCCESS)
            return fail(code, "a message cannot be received from", from);
    }
    for (enum side side = TOP; side < SIDES; ++side) {
        const int to = block->neighbours[side];
        const int count = to == MPI_PROC_NULL ? 0 : (int)side_range(block, side).size[0];
        const int code =
            MPI_Isend(exchange->sent[side], count, MPI_FLOAT, to, (int)opposite(side), block->comm, &sends[side]);
        if (code != MPI_SUCCESS)
            return fail(code, "a message cannot be sent to", to);
    }
    return TW_SUCCESS;
}

/* Sends and receives. If MPI fails, so does the task; messages that are under way then stay, and the program ends. */
static tw_status run(const struct exchange *exchange)
{
    struct block *block = exchange->block;
    MPI_Request requests[2 * SIDES]; /* receives, sends */
    const double start = MPI_Wtime();
    const tw_status status = begin(exchange, requests, requests + SIDES);
    if (status != TW_SUCCESS)
        return status;
    for (int i = 0; i < 2 * SIDES; ++i) { /* Open MPI 4.1 may hang in MPI_Waitall() if a message has failed already */
        const int code = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return fail(code, i < SIDES ? "a message does not come from" : "a message does not reach",
                        block->neighbours[i % SIDES]);
    }
    block->exchange_seconds += MPI_Wtime() - start;
    return TW_SUCCESS;
}

static tw_status run_on_host(const void *argument)
{
    return run(argument);
}

/* MPI looks for the device's memory in CUDA's current context, and a thread of the library need not have one. With the
   CUDA runtime this would be cudaSetDevice(). */
static bool enter_context(int ordinal)
{
    int (*get)(int *, int) = (int (*)(int *, int))dlsym(RTLD_DEFAULT, "cuDeviceGet");
    int (*retain)(void **, int) = (int (*)(void **, int))dlsym(RTLD_DEFAULT, "cuDevicePrimaryCtxRetain");
    int (*set)(void *) = (int (*)(void *))dlsym(RTLD_DEFAULT, "cuCtxSetCurrent");
    int device = 0;
    void *context = NULL;
    return get && retain && set && !get(&device, ordinal) && !retain(&context, device) && !set(context);
}

static tw_status run_on_device(const void *argument, const tw_native *native)
{
    static _Thread_local bool entered;
    if (native->cuda_ordinal >= 0 && !entered && !enter_context(native->cuda_ordinal))
        return tw_task_fail(TW_ERROR_TRANSFER_FAILED, "the thread cannot enter the GPU's context");
    entered = true;
    return run(argument);
}

tw_status exchange_submit(struct block *block, tw_event **event)
{
    struct exchange exchange = {.block = block};
    tw_command_group *cg = tw_queue_begin(block->messages);
    for (enum side side = TOP; side < SIDES; ++side) {
        if (block->neighbours[side] == MPI_PROC_NULL)
            continue;
        const tw_id offset = side_offset(block, side);
        const tw_range range = side_range(block, side);
        const tw_access_target target = block->device_pointers ? TW_GLOBAL : TW_HOST;
        exchange.sent[side] = tw_access_part(cg, block->sent, offset, range, TW_READ, target);
        exchange.received[side] = tw_access_part(cg, block->received, offset, range, TW_DISCARD_WRITE, target);
    }
    if (block->device_pointers)
        tw_native_task(cg, run_on_device, &exchange, sizeof exchange);
    else
        tw_host_task(cg, run_on_host, &exchange, sizeof exchange);
    return tw_queue_submit(block->messages, cg, event);
}

bool exchange_takes_device_pointers(const tw_device *device)
{
    /* Open MPI and MPICH have this function, each in a header of its own; other implementations need not. */
    int (*query)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
    const char *cray = getenv("MPICH_GPU_SUPPORT_ENABLED"); /* Cray MPICH, which also has to be told so */
    return tw_device_cuda_ordinal(device) >= 0 && ((query && query() == 1) || (cray && cray[0] == '1'));
}
