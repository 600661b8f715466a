// SPDX-License-Identifier: Apache-2.0
//
// The stencil in CUDA, by one host thread. Each device has its rows, with a row above and below.
//
//   copies   A small kernel computes the first and the last row, on a stream of higher priority, and copies behind it
//            bring them to the neighbours. The large kernel is on another stream. Events order the two, and the devices.
//   stores   The small kernel writes these rows to the neighbours' memory itself.
//   loads    One kernel computes all rows, and reads the neighbours' edge rows in their memory. Events order the devices.
//   graph    The same, recorded once as a CUDA graph over all devices.
#include <cstdio>
#include <cuda_runtime.h>

#include "../harness/bench.h"
#include "halo.h"

namespace
{

enum { COPIES = 0, LOADS = 1, GRAPH = 2, STORES = 4 };

bool passed(cudaError_t error)
{
    if (error != cudaSuccess)
        fprintf(stderr, "CUDA: %s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return error == cudaSuccess;
}

// ---- kernels ---------------------------------------------------------------------------------------------------------

__global__ void fill(float *out, unsigned first_row, unsigned rows, unsigned columns)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns)
        out[row * columns + column] = halo_initial_value(first_row + row, column);
}

__device__ float left_of(const float *row, unsigned column)
{
    return column ? row[column - 1] : 0.0f;
}

__device__ float right_of(const float *row, unsigned column, unsigned columns)
{
    return column + 1 < columns ? row[column + 1] : 0.0f;
}

// Row i of `out` lies between rows i and i + 2 of `in`.
__global__ void inside(const float *__restrict__ in, float *__restrict__ out, unsigned rows, unsigned columns)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns)
        return;
    const unsigned at = row * columns + column, here = at + columns;
    const float left = column ? in[here - 1] : 0.0f, right = column + 1 < columns ? in[here + 1] : 0.0f;
    out[at] = halo_relax(left, right, in[at], in[here + columns]);
}

// The first and the last row, which have a row above and below them. They are also written to `above` and `below`, where
// these are not NULL.
__global__ void edges(const float *__restrict__ in, float *__restrict__ out, float *above, float *below, unsigned rows,
                      unsigned columns)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    const unsigned at = (blockIdx.y ? rows : 1) * columns;
    const float *here = in + at;
    const float value = halo_relax(left_of(here, column), right_of(here, column, columns), (here - columns)[column],
                                   (here + columns)[column]);
    float *elsewhere = blockIdx.y ? below : above;
    out[at + column] = value;
    if (elsewhere)
        elsewhere[column] = value;
}

// All rows. Those above and below are somewhere else.
__global__ void all_rows(const float *above, const float *below, const float *__restrict__ in, float *__restrict__ out,
                         unsigned rows, unsigned columns)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns)
        return;
    const unsigned at = row * columns + column;
    const float left = column ? in[at - 1] : 0.0f, right = column + 1 < columns ? in[at + 1] : 0.0f;
    const float up = row ? in[at - columns] : above[column];
    const float down = row + 1 < rows ? in[at + columns] : below[column];
    out[at] = halo_relax(left, right, up, down);
}

// ---- the grid --------------------------------------------------------------------------------------------------------

struct share {
    float *cells[2];           // rows + 2 rows
    cudaStream_t stream, edge; // of the large kernel, and of the small one and its copies
    cudaEvent_t over[2];       // what the stream has done in the last step, and in the one before
    cudaEvent_t edge_over[2];  // likewise
};

struct grid {
    share of[HALO_MOST_DEVICES];
    size_t devices, rows, columns;
    unsigned plan, unit, steps;
    cudaEvent_t fork;
    cudaGraphExec_t graph; // of `unit` steps
};

bool use(size_t device)
{
    return passed(cudaSetDevice((int)device));
}

bool wait_for_all(const grid *g)
{
    bool done = true;
    for (size_t i = 0; i < g->devices; ++i)
        done = use(i) && passed(cudaDeviceSynchronize()) && done;
    return use(0) && done;
}

void free_grid(void *memory)
{
    grid *g = (grid *)memory;
    if (!g)
        return;
    if (g->graph)
        cudaGraphExecDestroy(g->graph);
    for (size_t i = 0; i < g->devices && use(i); ++i) {
        share *s = &g->of[i];
        for (int k = 0; k < 2; ++k) {
            cudaFree(s->cells[k]);
            if (s->over[k])
                cudaEventDestroy(s->over[k]);
            if (s->edge_over[k])
                cudaEventDestroy(s->edge_over[k]);
        }
        if (s->stream)
            cudaStreamDestroy(s->stream);
        if (s->edge)
            cudaStreamDestroy(s->edge);
    }
    use(0);
    if (g->fork)
        cudaEventDestroy(g->fork);
    delete g;
}

dim3 blocks(size_t rows, size_t columns)
{
    return dim3((unsigned)(columns + 63) / 64, (unsigned)(rows + 3) / 4);
}

const dim3 threads(64, 4);

bool enable_peers(size_t devices)
{
    bool done = true;
    for (size_t i = 0; i < devices; ++i)
        for (size_t k = 0; k < devices && use(i); ++k)
            if (i != k) {
                const cudaError_t error = cudaDeviceEnablePeerAccess((int)k, 0);
                done = (error == cudaErrorPeerAccessAlreadyEnabled || passed(error)) && done;
            }
    cudaGetLastError();
    return done;
}

bool make_share(const grid *g, share *s, size_t i)
{
    const size_t bytes = (g->rows + 2) * g->columns * sizeof(float);
    int least = 0, greatest = 0;
    bool done = use(i) && passed(cudaDeviceGetStreamPriorityRange(&least, &greatest))
                && passed(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking))
                && passed(cudaStreamCreateWithPriority(&s->edge, cudaStreamNonBlocking, greatest));
    for (int k = 0; k < 2 && done; ++k)
        done = passed(cudaMalloc(&s->cells[k], bytes)) && passed(cudaMemset(s->cells[k], 0, bytes))
               && passed(cudaEventCreateWithFlags(&s->over[k], cudaEventDisableTiming))
               && passed(cudaEventCreateWithFlags(&s->edge_over[k], cudaEventDisableTiming));
    if (!done)
        return false;
    // the rows above and below the share belong to the neighbours, which have the same values
    const size_t first = i ? 0 : 1, past = g->rows + (i + 1 < g->devices ? 2 : 1);
    fill<<<blocks(past - first, g->columns), threads>>>(s->cells[0] + first * g->columns,
                                                        (unsigned)(i * g->rows + first - 1), (unsigned)(past - first),
                                                        (unsigned)g->columns);
    return passed(cudaGetLastError()) && passed(cudaDeviceSynchronize());
}

// ---- steps -----------------------------------------------------------------------------------------------------------

// In the first step of a run or a graph nothing is in flight.
bool wait_for(cudaStream_t stream, cudaEvent_t event, bool first)
{
    return first || passed(cudaStreamWaitEvent(stream, event, 0));
}

bool copy_row(const grid *g, float *to, size_t device, const float *from, size_t source)
{
    const size_t bytes = g->columns * sizeof(float);
    const cudaStream_t stream = g->of[source].edge;
    return passed(g->plan & GRAPH ? cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream)
                                  : cudaMemcpyPeerAsync(to, (int)device, from, (int)source, bytes, stream));
}

bool enqueue_edges(grid *g, size_t i, unsigned step, bool first)
{
    share *s = &g->of[i];
    const unsigned now = step % 2, next = 1 - now, columns = (unsigned)g->columns;
    bool done = use(i) && wait_for(s->edge, s->over[next], first)
                && (i == 0 || wait_for(s->edge, g->of[i - 1].edge_over[next], first))
                && (i + 1 == g->devices || wait_for(s->edge, g->of[i + 1].edge_over[next], first));
    float *out = s->cells[next];
    float *above = i ? g->of[i - 1].cells[next] + (g->rows + 1) * columns : nullptr;
    float *below = i + 1 < g->devices ? g->of[i + 1].cells[next] : nullptr;
    const bool stores = g->plan & STORES;
    edges<<<dim3((columns + 255) / 256, 2), 256, 0, s->edge>>>(s->cells[now], out, stores ? above : nullptr,
                                                               stores ? below : nullptr, (unsigned)g->rows, columns);
    done = passed(cudaGetLastError()) && done;
    if (above && !stores)
        done = copy_row(g, above, i - 1, out + columns, i) && done;
    if (below && !stores)
        done = copy_row(g, below, i + 1, out + g->rows * columns, i) && done;
    return passed(cudaEventRecord(s->edge_over[now], s->edge)) && done;
}

bool enqueue_inside(grid *g, size_t i, unsigned step, bool first)
{
    share *s = &g->of[i];
    const unsigned now = step % 2, next = 1 - now;
    const bool done = use(i) && wait_for(s->stream, s->edge_over[next], first);
    inside<<<blocks(g->rows - 2, g->columns), threads, 0, s->stream>>>(
        s->cells[now] + g->columns, s->cells[next] + 2 * g->columns, (unsigned)g->rows - 2, (unsigned)g->columns);
    return passed(cudaGetLastError()) && passed(cudaEventRecord(s->over[now], s->stream)) && done;
}

bool enqueue_all_rows(grid *g, size_t i, unsigned step, bool first)
{
    share *s = &g->of[i];
    const unsigned now = step % 2, next = 1 - now;
    const size_t columns = g->columns;
    const bool done = use(i) && (i == 0 || wait_for(s->stream, g->of[i - 1].over[next], first))
                      && (i + 1 == g->devices || wait_for(s->stream, g->of[i + 1].over[next], first));
    const float *above = i ? g->of[i - 1].cells[now] + g->rows * columns : s->cells[now];
    const float *below =
        i + 1 < g->devices ? g->of[i + 1].cells[now] + columns : s->cells[now] + (g->rows + 1) * columns;
    all_rows<<<blocks(g->rows, columns), threads, 0, s->stream>>>(
        above, below, s->cells[now] + columns, s->cells[next] + columns, (unsigned)g->rows, (unsigned)columns);
    const bool launched = passed(cudaGetLastError());
    return (g->devices == 1 || passed(cudaEventRecord(s->over[now], s->stream))) && launched && done;
}

bool enqueue_steps(grid *g, unsigned steps)
{
    bool done = true;
    for (unsigned step = 0; step < steps && done; ++step) {
        const bool first = step == 0;
        for (size_t i = 0; i < g->devices; ++i)
            done = (g->plan & LOADS ? enqueue_all_rows(g, i, step, first) : enqueue_edges(g, i, step, first)) && done;
        for (size_t i = 0; i < g->devices && !(g->plan & LOADS); ++i)
            done = enqueue_inside(g, i, step, first) && done;
    }
    return done;
}

// ---- a graph of some steps -------------------------------------------------------------------------------------------

// All streams begin behind the first one, which waits for all of them in the end.
bool record_steps(grid *g)
{
    const cudaStream_t origin = g->of[0].stream;
    bool done = passed(cudaEventRecord(g->fork, origin));
    for (size_t i = 0; i < g->devices && done; ++i)
        done = use(i) && (i == 0 || passed(cudaStreamWaitEvent(g->of[i].stream, g->fork, 0)))
               && (g->plan & LOADS || passed(cudaStreamWaitEvent(g->of[i].edge, g->fork, 0)));
    done = done && enqueue_steps(g, g->unit);
    const unsigned last = (g->unit - 1) % 2;
    for (size_t i = 0; i < g->devices && done; ++i)
        done = (i == 0 || passed(cudaStreamWaitEvent(origin, g->of[i].over[last], 0)))
               && (g->plan & LOADS || passed(cudaStreamWaitEvent(origin, g->of[i].edge_over[last], 0)));
    return use(0) && done;
}

bool make_graph(grid *g)
{
    cudaGraph_t graph = nullptr;
    if (!use(0) || !passed(cudaStreamBeginCapture(g->of[0].stream, cudaStreamCaptureModeRelaxed)))
        return false;
    bool done = record_steps(g);
    done = passed(cudaStreamEndCapture(g->of[0].stream, &graph)) && done;
    done = done && passed(cudaGraphInstantiate(&g->graph, graph, 0));
    if (graph)
        cudaGraphDestroy(graph);
    cudaGetLastError();
    return done;
}

// ---- a way -----------------------------------------------------------------------------------------------------------

void *make_grid(const struct halo_shape *shape, unsigned plan)
{
    grid *g = new grid();
    g->devices = shape->devices;
    g->rows = shape->rows;
    g->columns = shape->columns;
    g->unit = shape->unit;
    g->plan = plan;
    bool done =
        enable_peers(g->devices) && use(0) && passed(cudaEventCreateWithFlags(&g->fork, cudaEventDisableTiming));
    for (size_t i = 0; i < g->devices && done; ++i)
        done = make_share(g, &g->of[i], i);
    done = done && use(0) && (!(plan & GRAPH) || make_graph(g));
    if (done)
        return g;
    free_grid(g);
    return nullptr;
}

// An even number of steps, so the cells are in the first buffers before and after.
bool run(void *memory, unsigned steps, double *enqueued)
{
    grid *g = (grid *)memory;
    bool done = true;
    if (g->plan & GRAPH) {
        for (unsigned k = 0; k < steps && done; k += g->unit)
            done = passed(cudaGraphLaunch(g->graph, g->of[0].stream));
    } else {
        done = enqueue_steps(g, steps);
    }
    *enqueued = bench_now();
    return wait_for_all(g) && done;
}

bool fetch(void *memory, size_t first_row, size_t rows, float *to)
{
    const grid *g = (grid *)memory;
    for (size_t row = first_row; row < first_row + rows; ++row, to += g->columns) {
        const float *from = g->of[row / g->rows].cells[0] + (row % g->rows + 1) * g->columns;
        if (!passed(cudaMemcpy(to, from, g->columns * sizeof(float), cudaMemcpyDefault)))
            return false;
    }
    return true;
}

} // namespace

const struct halo_way halo_cuda_ways[] = {
    {"CUDA", "one device", true, make_grid, LOADS, run, fetch, free_grid},
    {"CUDA", "edges first, copies", false, make_grid, COPIES, run, fetch, free_grid},
    {"CUDA", "edges first, copies, a graph", false, make_grid, COPIES | GRAPH, run, fetch, free_grid},
    {"CUDA", "edges first, stores to the neighbour", false, make_grid, STORES, run, fetch, free_grid},
    {"CUDA", "edges first, stores, a graph", false, make_grid, STORES | GRAPH, run, fetch, free_grid},
    {"CUDA", "loads from the neighbour", false, make_grid, LOADS, run, fetch, free_grid},
    {"CUDA", "loads from the neighbour, a graph", false, make_grid, LOADS | GRAPH, run, fetch, free_grid},
    {nullptr, nullptr, false, nullptr, 0, nullptr, nullptr, nullptr},
};
