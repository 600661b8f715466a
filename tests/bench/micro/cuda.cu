/* SPDX-License-Identifier: Apache-2.0 */
/* The same in CUDA, as one writes it by hand: streams, graphs that are recorded once and replayed, copies. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

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

__global__ void grind_kernel(float *x, float one, unsigned work, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float value = x[i];
    for (unsigned step = 0; step < work; ++step)
        value = value * one + one;
    x[i] = value;
}

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
    void *host, *device, *other; /* other: on the second device */
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
    if (t->other) {
        cudaSetDevice(1);
        cudaFree(t->other);
        cudaSetDevice(0);
    }
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

/* Device 0 to 1, straight where the machine can. */
bool open_migration(micro_job *job)
{
    if (!open_transfer(job, true) || !passed(cudaSetDevice(1)))
        return false;
    transfer *t = (transfer *)job->state;
    bool done = passed(cudaMalloc(&t->other, job->bytes));
    cudaDeviceEnablePeerAccess(0, 0); /* may be there already, or impossible */
    cudaGetLastError();
    done = passed(cudaSetDevice(0)) && done;
    cudaDeviceEnablePeerAccess(1, 0);
    cudaGetLastError();
    return done;
}

bool sample_migrate(const micro_job *job, double *value)
{
    transfer *t = (transfer *)job->state;
    const double start = bench_now();
    const bool done = passed(cudaMemcpyPeer(t->other, 1, t->device, 0, job->bytes)) && passed(cudaDeviceSynchronize());
    *value = (bench_now() - start) * 1e6;
    return done;
}

/* ---- copies and fills of boxes ----------------------------------------------------------------------------------- */

struct boxes {
    unsigned *from, *to;
    cudaStream_t stream;
    micro_box box;
    size_t pitch; /* bytes from row to row */
};

bool open_boxes(micro_job *job)
{
    boxes *b = new boxes();
    job->state = b;
    b->box = micro_box_of(job);
    b->pitch = b->box.range[2] * sizeof(unsigned);
    return passed(cudaMalloc(&b->from, job->bytes)) && passed(cudaMalloc(&b->to, job->bytes))
           && passed(cudaMemset(b->from, 1, job->bytes)) && passed(cudaMemset(b->to, 0, job->bytes))
           && passed(cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking)) && passed(cudaDeviceSynchronize());
}

/* The last element of the box has come, and what lies in front of the box was left alone. */
bool close_boxes(micro_job *job)
{
    boxes *b = (boxes *)job->state;
    unsigned first = 0, last = 0;
    const size_t at = ((b->box.first[0] + b->box.size[0] - 1) * b->box.range[1] + b->box.first[1] + b->box.size[1] - 1)
                          * b->box.range[2]
                      + b->box.first[2] + b->box.size[2] - 1;
    bool right = passed(cudaMemcpy(&first, b->to, sizeof first, cudaMemcpyDeviceToHost))
                 && passed(cudaMemcpy(&last, b->to + at, sizeof last, cudaMemcpyDeviceToHost));
    right = right && last == 0x01010101u && first == (job->box ? 0 : 0x01010101u);
    if (!right)
        fprintf(stderr, "CUDA's boxes are wrong\n");
    cudaFree(b->from);
    cudaFree(b->to);
    if (b->stream)
        cudaStreamDestroy(b->stream);
    delete b;
    return right;
}

/* Where rows and planes lie back to back there is one dimension, as one would write it by hand. */
cudaError_t copy_box(const boxes *b, const micro_job *job)
{
    const micro_box &box = b->box;
    const size_t offset = (box.first[0] * box.range[1] + box.first[1]) * box.range[2] + box.first[2];
    const size_t width = box.size[2] * sizeof(unsigned);
    if (!job->box || job->dims == 1)
        return cudaMemcpyAsync(b->to + offset, b->from + offset, width * box.size[1] * box.size[0],
                               cudaMemcpyDeviceToDevice, b->stream);
    if (job->dims == 2)
        return cudaMemcpy2DAsync(b->to + offset, b->pitch, b->from + offset, b->pitch, width, box.size[1],
                                 cudaMemcpyDeviceToDevice, b->stream);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(b->from, b->pitch, b->pitch, box.range[1]);
    p.dstPtr = make_cudaPitchedPtr(b->to, b->pitch, b->pitch, box.range[1]);
    p.srcPos = p.dstPos = make_cudaPos(box.first[2] * sizeof(unsigned), box.first[1], box.first[0]);
    p.extent = make_cudaExtent(width, box.size[1], box.size[0]);
    p.kind = cudaMemcpyDeviceToDevice;
    return cudaMemcpy3DAsync(&p, b->stream);
}

cudaError_t fill_box(const boxes *b, const micro_job *job)
{
    const micro_box &box = b->box;
    const size_t offset = (box.first[0] * box.range[1] + box.first[1]) * box.range[2] + box.first[2];
    const size_t width = box.size[2] * sizeof(unsigned);
    if (!job->box || job->dims == 1)
        return cudaMemsetAsync(b->to + offset, 1, width * box.size[1] * box.size[0], b->stream);
    if (job->dims == 2)
        return cudaMemset2DAsync(b->to + offset, b->pitch, 1, width, box.size[1], b->stream);
    return cudaMemset3DAsync(make_cudaPitchedPtr(b->to + offset, b->pitch, b->pitch, box.range[1]), 1,
                             make_cudaExtent(width, box.size[1], box.size[0]), b->stream);
}

bool sample_copy(const micro_job *job, double *value)
{
    boxes *b = (boxes *)job->state;
    const double start = bench_now();
    const bool done = passed(copy_box(b, job)) && passed(cudaStreamSynchronize(b->stream));
    *value = (bench_now() - start) * 1e6;
    return done;
}

bool sample_fill(const micro_job *job, double *value)
{
    boxes *b = (boxes *)job->state;
    const double start = bench_now();
    const bool done = passed(fill_box(b, job)) && passed(cudaStreamSynchronize(b->stream));
    *value = (bench_now() - start) * 1e6;
    return done;
}

/* ---- copies beside kernels --------------------------------------------------------------------------------------- */

struct chunks {
    std::vector<float *> host, device;
    std::vector<cudaStream_t> streams;
    float added;
};

bool open_chunks(micro_job *job)
{
    chunks *c = new chunks();
    job->state = c;
    for (size_t i = 0; i < job->count; ++i) {
        float *host = nullptr, *device = nullptr;
        cudaStream_t stream = nullptr;
        if (!passed(cudaMallocHost(&host, job->bytes)) || !passed(cudaMalloc(&device, job->bytes))
            || !passed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)))
            return false;
        memset(host, 0, job->bytes);
        c->host.push_back(host);
        c->device.push_back(device);
        c->streams.push_back(stream);
    }
    return true;
}

bool close_chunks(micro_job *job)
{
    chunks *c = (chunks *)job->state;
    bool right = passed(cudaDeviceSynchronize());
    for (size_t i = 0; i < c->host.size(); ++i) {
        right = right && c->host[i][0] == c->added && c->host[i][job->bytes / sizeof(float) - 1] == c->added;
        cudaFreeHost(c->host[i]);
        cudaFree(c->device[i]);
        cudaStreamDestroy(c->streams[i]);
    }
    if (!right)
        fprintf(stderr, "CUDA's chunks are wrong\n");
    delete c;
    return right;
}

bool send_chunk(chunks *c, size_t i, const micro_job *job)
{
    return passed(cudaMemcpyAsync(c->device[i], c->host[i], job->bytes, cudaMemcpyHostToDevice, c->streams[i]));
}

bool compute_chunk(chunks *c, size_t i, const micro_job *job)
{
    const size_t n = job->bytes / sizeof(float);
    grind_kernel<<<(unsigned)((n + 255) / 256), 256, 0, c->streams[i]>>>(c->device[i], 1.0f, job->work, n);
    return passed(cudaGetLastError());
}

bool fetch_chunk(chunks *c, size_t i, const micro_job *job)
{
    return passed(cudaMemcpyAsync(c->host[i], c->device[i], job->bytes, cudaMemcpyDeviceToHost, c->streams[i]));
}

bool sample_pipelined(const micro_job *job, double *value)
{
    chunks *c = (chunks *)job->state;
    bool done = true;
    const double start = bench_now();
    for (size_t i = 0; i < job->count; ++i)
        done = send_chunk(c, i, job) && compute_chunk(c, i, job) && fetch_chunk(c, i, job) && done;
    done = passed(cudaDeviceSynchronize()) && done;
    *value = (bench_now() - start) * 1e6;
    c->added += (float)job->work;
    return done;
}

bool sample_parts(const micro_job *job, int part, double *value)
{
    bool (*const steps[])(chunks *, size_t, const micro_job *) = {send_chunk, compute_chunk, fetch_chunk};
    chunks *c = (chunks *)job->state;
    bool done = true;
    for (int step = 0; step < 3; ++step) {
        const double start = bench_now();
        for (size_t i = 0; i < job->count; ++i)
            done = steps[step](c, i, job) && done;
        done = passed(cudaDeviceSynchronize()) && done;
        if (step == part)
            *value = (bench_now() - start) * 1e6;
    }
    c->added += (float)job->work;
    return done;
}

bool sample_sending(const micro_job *job, double *value)
{
    return sample_parts(job, 0, value);
}

bool sample_computing(const micro_job *job, double *value)
{
    return sample_parts(job, 1, value);
}

bool sample_fetching(const micro_job *job, double *value)
{
    return sample_parts(job, 2, value);
}

/* ---- a fresh process ------------------------------------------------------------------------------------------- */

bool sample_start(const micro_job *, double *value)
{
    return micro_start_of("cuda", value);
}

bool sample_end(const micro_job *, double *value)
{
    return micro_end_of("cuda", value);
}

const micro_entry entries[] = {
    {MICRO_SUBMIT, "CUDA", "stream", 0, open_streams, sample_submit, close_streams, false},
    {MICRO_SUBMIT_WAIT, "CUDA", "stream", 0, open_streams, sample_submit_wait, close_streams, false},
    {MICRO_CHAIN, "CUDA", "stream", 0, open_streams, sample_chain, close_streams, false},
    {MICRO_CHAIN, "CUDA", "graph replay", 10000, open_chain_graph, sample_chain_graph, close_streams, true},
    {MICRO_FAN, "CUDA", "streams", 0, open_streams, sample_fan, close_streams, false},
    {MICRO_FAN, "CUDA", "graph replay", 10000, open_fan_graph, sample_fan_graph, close_streams, true},
    {MICRO_BUFFERS, "CUDA", "streams", 0, open_streams, sample_buffers, close_streams, false},
    {MICRO_SEND, "CUDA", "pageable", 0, open_pageable, sample_send, close_transfer, false},
    {MICRO_SEND, "CUDA", "pinned", 0, open_pinned, sample_send, close_transfer, false},
    {MICRO_FETCH, "CUDA", "pageable", 0, open_pageable, sample_fetch, close_transfer, false},
    {MICRO_FETCH, "CUDA", "pinned", 0, open_pinned, sample_fetch, close_transfer, false},
    {MICRO_MIGRATE, "CUDA", "cudaMemcpyPeer", 0, open_migration, sample_migrate, close_transfer, false},
    {MICRO_OVERLAP, "CUDA", "pinned", 0, open_chunks, sample_pipelined, close_chunks, false},
    {MICRO_OVERLAP, "CUDA", "send, pinned", 0, open_chunks, sample_sending, close_chunks, false},
    {MICRO_OVERLAP, "CUDA", "compute, pinned", 0, open_chunks, sample_computing, close_chunks, false},
    {MICRO_OVERLAP, "CUDA", "fetch, pinned", 0, open_chunks, sample_fetching, close_chunks, false},
    {MICRO_COPY, "CUDA", "", 0, open_boxes, sample_copy, close_boxes, false},
    {MICRO_FILL, "CUDA", "", 0, open_boxes, sample_fill, close_boxes, false},
    {MICRO_STREAM, "CUDA", "pinned", 0, open_chunks, sample_pipelined, close_chunks, false},
    {MICRO_START, "CUDA", "", 0, nullptr, sample_start, nullptr, false},
    {MICRO_END, "CUDA", "", 0, nullptr, sample_end, nullptr, false},
};

} // namespace

extern "C" const micro_entries micro_cuda = {entries, sizeof entries / sizeof entries[0], has_device};

extern "C" bool micro_cuda_first(void)
{
    unsigned *x = nullptr, value = 41;
    if (!passed(cudaMalloc(&x, sizeof *x)) || !passed(cudaMemcpy(x, &value, sizeof value, cudaMemcpyHostToDevice)))
        return false;
    bump_kernel<<<1, 1>>>(x);
    const bool done = passed(cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost)) && passed(cudaFree(x));
    return done && value == 42;
}
