/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills of rows, by the tables of the backends: random boxes against loops over bytes, and no byte beside
 * them changes. On simulated devices with and without streams, on the offload devices, and by the functions for host
 * memory. Needs the private header backend.h.
 */
#include "tw_test.h"

#include <sched.h>

#include "backends/cuda/cuda.h"
#include "backends/omp/omp.h"
#include "backends/sim/sim.h"
#include "rows_test.h"

/* ---- ways to run them -------------------------------------------------------------------------------------------- */

/* Runs a copy on a stream of the device copy->to, or a fill. */
static void run_on_stream(const struct tw_backend_async *async, struct tw_backend_device *device,
                          struct tw_backend_copy copy, struct tw_backend_fill fill)
{
    struct tw_backend_stream *stream = NULL;
    uint64_t sequence = 0;
    unsigned char pattern[MOST_PATTERN];
    TW_PASS(async->open(device, TW_PRIORITY_NORMAL, &stream));
    if (fill.rows) {
        fill.pattern = memcpy(pattern, fill.pattern, fill.pattern_bytes);
        TW_PASS(async->fill(stream, &fill, &sequence));
        memset(pattern, 0xee, sizeof pattern); /* nobody needs it any more */
        memset(&fill, 0, sizeof fill);
    } else {
        TW_PASS(async->copy(stream, &copy, &sequence));
        memset(&copy, 0, sizeof copy);
    }
    TW_EQUAL(sequence, 1);
    while (async->completed(stream, sequence) < sequence)
        sched_yield();
    TW_PASS(async->outcome(stream, sequence));
    async->close(stream);
}

/* Runs a graph of a copy or a fill behind an empty node, twice. Returns false if the backend does not make it. */
static bool run_in_graph(const struct tw_backend *backend, struct tw_backend_device *device,
                         const struct tw_backend_copy *copy, const struct tw_backend_fill *fill)
{
    const size_t before[] = {0};
    const struct tw_backend_graph_node nodes[] = {
        {.device = device, .before = before},
        {.device = device, .copy = copy, .fill = fill, .before = before, .before_count = 1}};
    struct tw_backend_graph *graph = NULL;
    struct tw_backend_stream *stream = NULL;
    TW_PASS(backend->graphs->instantiate(device, nodes, 2, &graph));
    if (!graph)
        return false;
    TW_PASS(backend->async->open(device, TW_PRIORITY_HIGH, &stream));
    for (uint64_t round = 1; round < 3; ++round) {
        uint64_t sequence = 0;
        TW_PASS(backend->graphs->launch(stream, graph, &sequence));
        TW_EQUAL(sequence, round);
        while (backend->async->completed(stream, sequence) < sequence)
            sched_yield();
        TW_PASS(backend->async->outcome(stream, sequence));
    }
    backend->async->close(stream);
    backend->graphs->destroy(graph);
    return true;
}

static void copy_on_host(const struct tw_backend *backend, const struct tw_backend_copy *copy)
{
    (void)backend;
    tw_rows_copy(copy);
}

static void fill_on_host(const struct tw_backend *backend, struct tw_backend_device *device,
                         const struct tw_backend_fill *fill)
{
    (void)backend, (void)device;
    tw_rows_fill(fill);
}

static void copy_and_wait(const struct tw_backend *backend, const struct tw_backend_copy *copy)
{
    TW_PASS(backend->memory->copy(copy));
}

static void fill_and_wait(const struct tw_backend *backend, struct tw_backend_device *device,
                          const struct tw_backend_fill *fill)
{
    TW_PASS(backend->memory->fill(device, fill));
}

static void copy_on_stream(const struct tw_backend *backend, const struct tw_backend_copy *copy)
{
    run_on_stream(backend->async, copy->to, *copy, (struct tw_backend_fill){.rows = 0});
}

static void fill_on_stream(const struct tw_backend *backend, struct tw_backend_device *device,
                           const struct tw_backend_fill *fill)
{
    run_on_stream(backend->async, device, (struct tw_backend_copy){.rows = 0}, *fill);
}

static void copy_in_graph(const struct tw_backend *backend, const struct tw_backend_copy *copy)
{
    if (!run_in_graph(backend, copy->to, copy, NULL)) {
        TW_CHECK(backend != &tw_backend_sim && copy->planes > 1); /* CUDA has no nodes for planes with any gap */
        TW_PASS(backend->memory->copy(copy));
    }
}

static void fill_in_graph(const struct tw_backend *backend, struct tw_backend_device *device,
                          const struct tw_backend_fill *fill)
{
    TW_CHECK(run_in_graph(backend, device, NULL, fill));
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static bool access_nothing(const struct tw_backend_device *device, const struct tw_internal_launch *launch,
                           size_t index, struct tw_backend_access *access)
{
    (void)device, (void)launch, (void)index, (void)access;
    return false;
}

static void open_devices(const struct tw_backend *backend, struct tw_backend_device *devices[2], unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        TW_PASS(backend->open(i, &devices[i]));
        devices[i]->access = access_nothing;
    }
}

TW_TEST(host_memory)
{
    copy_boxes(NULL, copy_on_host, NULL, NULL);
    fill_boxes(NULL, fill_on_host, NULL);
}

/* More than the host's fill copies at a time; patterns that do not divide that. */
TW_TEST(long_fills)
{
    static const size_t patterns[] = {1, 2, 3, 4, 12, 16, 40, 1000, 8192, 10000};
    unsigned char pattern[10000];
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i) {
        const size_t bytes = (300000 / patterns[i] + 1) * patterns[i], pitch = bytes + 3;
        unsigned char *memory = malloc(2 * pitch);
        TW_CHECK(memory);
        memset(memory, 0x5a, 2 * pitch);
        for (size_t k = 0; k < patterns[i]; ++k)
            pattern[k] = (unsigned char)any(0, 255);
        tw_rows_fill(&(struct tw_backend_fill){.target = memory,
                                               .pattern = pattern,
                                               .pattern_bytes = patterns[i],
                                               .row_bytes = bytes,
                                               .rows = 2,
                                               .planes = 1,
                                               .pitch = pitch});
        size_t wrong = 0;
        for (size_t k = 0; k < 2 * pitch; ++k)
            wrong += memory[k] != (k % pitch < bytes ? pattern[k % pitch % patterns[i]] : 0x5a);
        TW_EQUAL(wrong, 0);
        free(memory);
    }
}

/* Joins rows and planes exactly where they are back to back on both sides. */
TW_TEST(joined_rows)
{
    const struct tw_backend_copy box = {.row_bytes = 8,
                                        .rows = 4,
                                        .planes = 3,
                                        .target_pitch = 8,
                                        .source_pitch = 8,
                                        .target_plane = 32,
                                        .source_plane = 32};
    struct tw_backend_copy joined = tw_rows_join(box), gaps = box;
    TW_EQUAL(joined.row_bytes, 96);
    TW_EQUAL(joined.rows, 1);
    TW_EQUAL(joined.planes, 1);
    gaps.source_plane = 40;
    joined = tw_rows_join(gaps);
    TW_EQUAL(joined.row_bytes, 32);
    TW_EQUAL(joined.rows, 3);
    TW_EQUAL(joined.planes, 1);
    TW_EQUAL(joined.source_pitch, 40);
    TW_EQUAL(joined.target_pitch, 32);
    gaps.source_pitch = 10;
    joined = tw_rows_join(gaps);
    TW_EQUAL(joined.row_bytes, 8);
    TW_EQUAL(joined.rows, 12);
    TW_EQUAL(joined.planes, 1);
    gaps.target_plane = 33;
    joined = tw_rows_join(gaps);
    TW_EQUAL(joined.row_bytes, 8);
    TW_EQUAL(joined.rows, 4);
    TW_EQUAL(joined.planes, 3);
}

TW_TEST(periods)
{
    TW_EQUAL(tw_rows_period("aaaa", 4), 1);
    TW_EQUAL(tw_rows_period("abab", 4), 2);
    TW_EQUAL(tw_rows_period("aaab", 4), 4);
    TW_EQUAL(tw_rows_period("abcabc", 6), 6);
    TW_EQUAL(tw_rows_period("abababababab", 12), 2);
    TW_EQUAL(tw_rows_period("x", 1), 1);
}

TW_TEST(simulated_devices)
{
    const struct tw_backend *sim = &tw_backend_sim;
    struct tw_backend_device *devices[2];
    for (int asynchronous = 0; asynchronous < 2; ++asynchronous) {
        TW_CHECK(setenv("TW_SIM_ASYNC", asynchronous ? "1" : "0", 1) == 0);
        open_devices(sim, devices, 2);
        copy_boxes(sim, copy_and_wait, devices[0], NULL);
        copy_boxes(sim, copy_and_wait, NULL, devices[0]);
        copy_boxes(sim, copy_and_wait, devices[0], devices[1]);
        copy_boxes(sim, copy_and_wait, devices[0], devices[0]);
        fill_boxes(sim, fill_and_wait, devices[0]);
        TW_EQUAL(sim->async->reaches(devices[0], devices[0]), asynchronous);
        TW_EQUAL(sim->async->reaches(devices[0], devices[1]), asynchronous);
        if (asynchronous) {
            copy_boxes(sim, copy_on_stream, devices[0], devices[1]);
            copy_boxes(sim, copy_on_stream, devices[0], devices[0]);
            fill_boxes(sim, fill_on_stream, devices[0]);
            copy_boxes(sim, copy_in_graph, devices[0], devices[0]);
            fill_boxes(sim, fill_in_graph, devices[0]);
        }
        TW_EQUAL(sim->simulation->allocated_bytes(devices[0]), 0);
        sim->close(devices[0]);
        sim->close(devices[1]);
    }
    TW_CHECK(unsetenv("TW_SIM_ASYNC") == 0);
}

/* A fault of a copy leaves its second half as it was, in whole rows; one of a fill leaves all. A write beside the
   memory is found by the next copy or fill, wherever in the memory that begins. */
TW_TEST(faults)
{
    const struct tw_backend *sim = &tw_backend_sim;
    struct tw_backend_device *device;
    static struct side side;
    unsigned char source[64];
    open_devices(sim, &device, 1);
    open_side(sim, device, &side);
    memset(source, 0x77, sizeof source);
    const struct tw_backend_copy copy = {.to = device,
                                         .target = side.memory + 100,
                                         .source = source,
                                         .row_bytes = 8,
                                         .rows = 4,
                                         .planes = 1,
                                         .target_pitch = 50,
                                         .source_pitch = 16};
    const struct tw_backend_fill fill = {
        .target = side.memory + 300, .pattern = source, .pattern_bytes = 4, .row_bytes = 8, .rows = 1, .planes = 1};
    sim->simulation->fail(device, TW_SIM_COPY, 1, false);
    TW_EQUAL(sim->memory->copy(&copy), TW_ERROR_TRANSFER_FAILED);
    memset(side.expected + 100, 0x77, 8);
    memset(side.expected + 150, 0x77, 8);
    check_side(sim, &side);
    sim->simulation->fail(device, TW_SIM_COPY, 1, false);
    TW_EQUAL(sim->memory->fill(device, &fill), TW_ERROR_TRANSFER_FAILED);
    check_side(sim, &side);
#if !__has_feature(address_sanitizer)
    side.memory[ALLOCATED] ^= 1;
    TW_EQUAL(sim->memory->copy(&copy), TW_ERROR_OUT_OF_BOUNDS);
    side.memory[-1] ^= 1;
    TW_EQUAL(sim->memory->fill(device, &fill), TW_ERROR_OUT_OF_BOUNDS);
#endif
    TW_PASS(sim->memory->fill(device, &fill));
    close_side(sim, &side);
    sim->close(device);
}

#ifdef HAS_OFFLOAD_DEVICES
/* The devices of one backend, and the memory of two of them if there are several. */
static void try_offload_backend(const struct tw_backend *backend, unsigned count)
{
    struct tw_backend_device *devices[2] = {NULL};
    const unsigned opened = count < 2 ? count : 2;
    open_devices(backend, devices, opened);
    copy_boxes(backend, copy_and_wait, devices[0], NULL);
    copy_boxes(backend, copy_and_wait, NULL, devices[0]);
    fill_boxes(backend, fill_and_wait, devices[0]);
    for (unsigned i = 0; i < opened; ++i) {
        copy_boxes(backend, copy_and_wait, devices[0], devices[i]);
        if (backend->async && backend->async->reaches(devices[0], devices[i]))
            copy_boxes(backend, copy_on_stream, devices[0], devices[i]);
    }
    if (backend->async && backend->async->reaches(devices[0], devices[0])) {
        fill_boxes(backend, fill_on_stream, devices[0]);
        copy_boxes(backend, copy_in_graph, devices[0], devices[0]);
        fill_boxes(backend, fill_in_graph, devices[0]);
    }
    for (unsigned i = 0; i < opened; ++i)
        backend->close(devices[i]);
}

/* OpenMP's devices: GPUs, and the host's own processor. */
TW_TEST(offload_devices)
{
    static const struct tw_backend *const backends[] = {&tw_backend_cuda, &tw_backend_omp};
    unsigned total = 0;
    int value = 0;
#pragma omp target map(tofrom : value) /* makes the program's device images */
    value = 1;
    TW_EQUAL(value, 1);
    for (size_t i = 0; i < 2; ++i) {
        unsigned count = 0;
        TW_PASS(backends[i]->count(&count));
        total += count;
        if (count)
            try_offload_backend(backends[i], count);
    }
    TW_CHECK(total > 0);
}
#endif

TW_TEST_LIST = {
    TW_CASE(host_memory),
    TW_CASE(long_fills),
    TW_CASE(joined_rows),
    TW_CASE(periods),
    TW_CASE(simulated_devices),
    TW_CASE(faults),
#ifdef HAS_OFFLOAD_DEVICES
    TW_CASE(offload_devices),
#endif
    TW_CASES_END,
};
