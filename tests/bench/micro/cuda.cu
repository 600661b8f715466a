/* SPDX-License-Identifier: Apache-2.0 */
/* The same in CUDA, as one writes it by hand: streams, graphs that are recorded once and replayed, copies. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#include "micro.h"

namespace
{

enum { MOST_THREADS = 8, FAN_STREAMS = 4 };

bool passed(cudaError_t error)
{
    if (error != cudaSuccess)
        fprintf(stderr, "CUDA: %s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return error == cudaSuccess;
}

__global__ void bump_kernel(unsigned *x)
{
    ++*x;
}

__global__ void nothing_kernel(unsigned)
{
}

__global__ void set_kernel(unsigned *x, unsigned to)
{
    *x = to;
}

__global__ void count_down_kernel(unsigned *x)
{
    --*x;
}

#if CUDART_VERSION >= 12040
/* What decides about another turn: a kernel of its own, or the last one of a turn. */
__global__ void test_kernel(const unsigned *x, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, *x != 0);
}

__global__ void count_and_test_kernel(unsigned *x, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, --*x != 0);
}
#endif

bool has_device()
{
    static int devices = -1;
    if (micro_options.without_cuda)
        return false;
    if (devices < 0 && cudaGetDeviceCount(&devices) != cudaSuccess)
        devices = 0;
    return devices > 0 && bench_on_gpu();
}

double each_us(double start, const micro_job *job)
{
    return (bench_now() - start) * 1e6 / (double)job->count;
}

/* ---- kernels ------------------------------------------------------------------------------------------------- */

struct streams {
    const micro_job *job; /* of the sample that runs */
    cudaStream_t stream[MOST_THREADS];
    unsigned *counters[MOST_THREADS];
    cudaGraphExec_t replay;
    cudaGraph_t loop; /* kept: conditions are the graph's */
    unsigned threads;
    size_t expected;
};

bool open_streams(micro_job *job)
{
    streams *s = new streams();
    job->state = s;
    s->threads = job->threads > 1 ? job->threads : 1;
    for (unsigned i = 0; i < MOST_THREADS; ++i)
        if (!passed(cudaStreamCreateWithFlags(&s->stream[i], cudaStreamNonBlocking))
            || !passed(cudaMalloc(&s->counters[i], sizeof(unsigned)))
            || !passed(cudaMemset(s->counters[i], 0, sizeof(unsigned))))
            return false;
    return passed(cudaDeviceSynchronize());
}

bool close_streams(micro_job *job)
{
    streams *s = (streams *)job->state;
    bool right = passed(cudaDeviceSynchronize());
    size_t sum = 0;
    for (unsigned i = 0; i < MOST_THREADS; ++i) {
        unsigned value = 0;
        right = passed(cudaMemcpy(&value, s->counters[i], sizeof value, cudaMemcpyDeviceToHost)) && right;
        sum += value;
        cudaFree(s->counters[i]);
        cudaStreamDestroy(s->stream[i]);
    }
    if (s->replay)
        cudaGraphExecDestroy(s->replay);
    if (s->loop)
        cudaGraphDestroy(s->loop);
    if (sum != s->expected)
        fprintf(stderr, "CUDA's kernels counted to %zu instead of %zu\n", sum, s->expected);
    right = right && sum == s->expected;
    delete s;
    return right;
}

bool sample_submit(const micro_job *job, double *value)
{
    streams *s = (streams *)job->state;
    const double start = bench_now();
    for (size_t i = 0; i < job->count; ++i)
        nothing_kernel<<<1, 1, 0, s->stream[0]>>>(0);
    *value = each_us(start, job);
    return passed(cudaStreamSynchronize(s->stream[0]));
}

bool sample_submit_wait(const micro_job *job, double *value)
{
    streams *s = (streams *)job->state;
    bool done = true;
    const double start = bench_now();
    for (size_t i = 0; i < job->count; ++i) {
        nothing_kernel<<<1, 1, 0, s->stream[0]>>>(0);
        done = cudaStreamSynchronize(s->stream[0]) == cudaSuccess && done;
    }
    *value = each_us(start, job);
    return done && passed(cudaGetLastError());
}

bool chain_of_thread(void *user, unsigned thread)
{
    streams *s = (streams *)user;
    cudaStream_t stream = s->stream[s->job->shared_queue ? 0 : thread];
    for (size_t i = 0; i < s->job->count / s->threads; ++i)
        bump_kernel<<<1, 1, 0, stream>>>(s->counters[thread]);
    return passed(cudaGetLastError()) && passed(cudaStreamSynchronize(stream));
}

bool fan_of_thread(void *user, unsigned thread)
{
    streams *s = (streams *)user;
    const unsigned first = s->job->shared_queue ? 0 : thread, count = s->threads > 1 ? 1 : FAN_STREAMS;
    bool done = true;
    for (size_t i = 0; i < s->job->count / s->threads; ++i)
        nothing_kernel<<<1, 1, 0, s->stream[first + i % count]>>>(0);
    for (unsigned i = 0; i < count; ++i)
        done = passed(cudaStreamSynchronize(s->stream[first + i])) && done;
    return done && passed(cudaGetLastError());
}

bool sample_chain(const micro_job *job, double *value)
{
    streams *s = (streams *)job->state;
    s->job = job;
    s->expected += job->count / s->threads * s->threads;
    const double seconds = micro_on_threads(s->threads, chain_of_thread, s);
    *value = seconds * 1e6 / (double)job->count;
    return seconds >= 0;
}

bool sample_fan(const micro_job *job, double *value)
{
    streams *s = (streams *)job->state;
    s->job = job;
    const double seconds = micro_on_threads(s->threads, fan_of_thread, s);
    *value = seconds * 1e6 / (double)job->count;
    return seconds >= 0;
}

/* Records the kernels of a chain, or of a fan, once. */
bool open_graph(micro_job *job, bool is_chain)
{
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t last = nullptr;
    if (!open_streams(job))
        return false;
    streams *s = (streams *)job->state;
    bool done = passed(cudaGraphCreate(&graph, 0));
    unsigned zero = 0;
    void *bump_arguments[] = {&s->counters[0]}, *nothing_arguments[] = {&zero};
    cudaKernelNodeParams kernel = {};
    kernel.func = is_chain ? (void *)bump_kernel : (void *)nothing_kernel;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = is_chain ? bump_arguments : nothing_arguments;
    for (size_t i = 0; done && i < job->count; ++i) {
        cudaGraphNode_t node = nullptr;
        const bool after = is_chain && last;
        done = passed(cudaGraphAddKernelNode(&node, graph, after ? &last : nullptr, after ? 1 : 0, &kernel));
        last = node;
    }
    done = done && passed(cudaGraphInstantiateWithFlags(&s->replay, graph, 0))
           && passed(cudaGraphUpload(s->replay, s->stream[0])) && passed(cudaStreamSynchronize(s->stream[0]));
    if (graph)
        cudaGraphDestroy(graph);
    return done;
}

bool open_chain_graph(micro_job *job)
{
    return open_graph(job, true);
}

bool open_fan_graph(micro_job *job)
{
    return open_graph(job, false);
}

#if CUDART_VERSION >= 12040
/* Adds a kernel behind the last node. */
bool add_kernel(cudaGraph_t graph, cudaGraphNode_t *last, void *function, void **arguments)
{
    cudaKernelNodeParams kernel = {};
    kernel.func = function;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    const bool done = passed(cudaGraphAddKernelNode(&node, graph, *last ? last : nullptr, *last ? 1 : 0, &kernel));
    *last = node;
    return done;
}

/* The loop as a conditional node. Counter 0 counts the kernels of a turn but the last, counter 1 the turns. */
bool open_loop(micro_job *job, bool tests_itself)
{
    if (!open_streams(job))
        return false;
    streams *s = (streams *)job->state;
    cudaGraphNode_t last = nullptr;
    cudaGraphConditionalHandle handle;
    unsigned turns = (unsigned)job->count;
    void *set[] = {&s->counters[1], &turns}, *bump[] = {&s->counters[0]}, *count[] = {&s->counters[1], &handle};
    bool done = passed(cudaGraphCreate(&s->loop, 0))
                && passed(cudaGraphConditionalHandleCreate(&handle, s->loop, 1, cudaGraphCondAssignDefault))
                && add_kernel(s->loop, &last, (void *)set_kernel, set);
    cudaGraphNodeParams conditional = {};
    conditional.type = cudaGraphNodeTypeConditional;
    conditional.conditional.handle = handle;
    conditional.conditional.type = cudaGraphCondTypeWhile;
    conditional.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
    done = done && passed(cudaGraphAddNode(&node, s->loop, &last, nullptr, 1, &conditional));
#else
    done = done && passed(cudaGraphAddNode(&node, s->loop, &last, 1, &conditional));
#endif
    last = nullptr;
    for (size_t i = 1; done && i < job->kernels; ++i)
        done = add_kernel(conditional.conditional.phGraph_out[0], &last, (void *)bump_kernel, bump);
    if (done && tests_itself)
        done = add_kernel(conditional.conditional.phGraph_out[0], &last, (void *)count_and_test_kernel, count);
    else if (done)
        done = add_kernel(conditional.conditional.phGraph_out[0], &last, (void *)count_down_kernel, count)
               && add_kernel(conditional.conditional.phGraph_out[0], &last, (void *)test_kernel, count);
    return done && passed(cudaGraphInstantiateWithFlags(&s->replay, s->loop, 0))
           && passed(cudaGraphUpload(s->replay, s->stream[0])) && passed(cudaStreamSynchronize(s->stream[0]));
}

bool open_loop_with_test(micro_job *job)
{
    return open_loop(job, false);
}

bool open_loop_that_tests(micro_job *job)
{
    return open_loop(job, true);
}
#endif

bool replay(const micro_job *job, double *value)
{
    streams *s = (streams *)job->state;
    const double start = bench_now();
    const bool done = passed(cudaGraphLaunch(s->replay, s->stream[0])) && passed(cudaStreamSynchronize(s->stream[0]));
    *value = each_us(start, job);
    return done;
}

bool sample_chain_graph(const micro_job *job, double *value)
{
    ((streams *)job->state)->expected += job->count;
    return replay(job, value);
}

#if CUDART_VERSION >= 12040
bool sample_loop(const micro_job *job, double *value)
{
    ((streams *)job->state)->expected += job->count * (job->kernels - 1);
    return replay(job, value);
}
#endif

bool sample_fan_graph(const micro_job *job, double *value)
{
    return replay(job, value);
}

/* One stream for the buffers would order them all: as many as are worth it. */
bool sample_buffers(const micro_job *job, double *value)
{
    streams *s = (streams *)job->state;
    const size_t used = job->buffers < MOST_THREADS ? job->buffers : MOST_THREADS;
    bool done = true;
    const double start = bench_now();
    for (size_t i = 0; i < job->count; ++i)
        bump_kernel<<<1, 1, 0, s->stream[i % used]>>>(s->counters[i % used]);
    for (size_t i = 0; i < used; ++i)
        done = passed(cudaStreamSynchronize(s->stream[i])) && done;
    *value = each_us(start, job);
    s->expected += job->count;
    return done && passed(cudaGetLastError());
}

/* ---- copies -------------------------------------------------------------------------------------------------- */

struct transfer {
    void *host, *device;
    bool pinned;
};

bool open_transfer(micro_job *job, bool pinned)
{
    transfer *t = new transfer();
    job->state = t;
    t->pinned = pinned;
    if (pinned ? !passed(cudaMallocHost(&t->host, job->bytes)) : !(t->host = malloc(job->bytes)))
        return false;
    memset(t->host, 1, job->bytes);
    return passed(cudaMalloc(&t->device, job->bytes));
}

bool open_pageable(micro_job *job)
{
    return open_transfer(job, false);
}

bool open_pinned(micro_job *job)
{
    return open_transfer(job, true);
}

bool close_transfer(micro_job *job)
{
    transfer *t = (transfer *)job->state;
    if (t->device)
        cudaFree(t->device);
    if (t->pinned)
        cudaFreeHost(t->host);
    else
        free(t->host);
    delete t;
    return true;
}

bool sample_send(const micro_job *job, double *value)
{
    transfer *t = (transfer *)job->state;
    const double start = bench_now();
    const bool done = passed(cudaMemcpy(t->device, t->host, job->bytes, cudaMemcpyHostToDevice));
    *value = (bench_now() - start) * 1e6;
    return done;
}

bool sample_fetch(const micro_job *job, double *value)
{
    transfer *t = (transfer *)job->state;
    const double start = bench_now();
    const bool done = passed(cudaMemcpy(t->host, t->device, job->bytes, cudaMemcpyDeviceToHost));
    *value = (bench_now() - start) * 1e6;
    return done;
}

const micro_entry entries[] = {
    {MICRO_SUBMIT, "CUDA", "stream", 0, open_streams, sample_submit, close_streams, false},
    {MICRO_SUBMIT_WAIT, "CUDA", "stream", 0, open_streams, sample_submit_wait, close_streams, false},
    {MICRO_CHAIN, "CUDA", "stream", 0, open_streams, sample_chain, close_streams, false},
    {MICRO_CHAIN, "CUDA", "graph replay", 10000, open_chain_graph, sample_chain_graph, close_streams, true},
#if CUDART_VERSION >= 12040
    {MICRO_LOOP, "CUDA", "conditional node, the last kernel sets it", 0, open_loop_that_tests, sample_loop,
     close_streams, true},
    {MICRO_LOOP, "CUDA", "conditional node, a kernel of its own sets it", 0, open_loop_with_test, sample_loop,
     close_streams, true},
#endif
    {MICRO_FAN, "CUDA", "streams", 0, open_streams, sample_fan, close_streams, false},
    {MICRO_FAN, "CUDA", "graph replay", 10000, open_fan_graph, sample_fan_graph, close_streams, true},
    {MICRO_BUFFERS, "CUDA", "streams", 0, open_streams, sample_buffers, close_streams, false},
    {MICRO_SEND, "CUDA", "pageable", 0, open_pageable, sample_send, close_transfer, false},
    {MICRO_SEND, "CUDA", "pinned", 0, open_pinned, sample_send, close_transfer, false},
    {MICRO_FETCH, "CUDA", "pageable", 0, open_pageable, sample_fetch, close_transfer, false},
    {MICRO_FETCH, "CUDA", "pinned", 0, open_pinned, sample_fetch, close_transfer, false},
};

} // namespace

extern "C" const micro_entries micro_cuda = {entries, sizeof entries / sizeof entries[0], has_device};
