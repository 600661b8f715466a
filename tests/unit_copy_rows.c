/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills of rows, by the tables of the backends: random boxes against loops over bytes, and no byte beside
 * them changes. On simulated devices with and without streams, on the x86-64 device if it is there, and by the
 * functions for host memory. Needs the private header backend.h.
 */
#include "tw_test.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/cuda.h"
#include "backends/omp/omp.h"
#include "backends/sim/sim.h"
#include "rows.h"

enum { ROUNDS = 200, ALLOCATED = 1 << 16, GAP = 40, MOST_PATTERN = 40 };

static uint64_t state = 88172645463325252u;

/* Returns a number from `least` to `most`. */
static size_t any(size_t least, size_t most)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return least + (size_t)(state >> 11) % (most - least + 1);
}

/* A side of a copy: memory of a device, or of the host, with what is expected there. */
struct side {
    struct tw_backend_device *device;
    unsigned char *memory;
    unsigned char expected[ALLOCATED];
};

static void check_status(tw_status status)
{
    if (status != TW_SUCCESS)
        TW_EQUAL(tw_error_detail(), "");
    TW_EQUAL(status, TW_SUCCESS);
}

static void transfer(const struct tw_backend *backend, struct side *side, void *host, bool to_device)
{
    const struct tw_backend_copy copy = to_device
                                            ? tw_backend_copy_of(side->device, side->memory, NULL, host, ALLOCATED)
                                            : tw_backend_copy_of(NULL, host, side->device, side->memory, ALLOCATED);
    if (side->device)
        check_status(backend->memory->copy(&copy));
    else
        memcpy(to_device ? side->memory : host, to_device ? host : side->memory, ALLOCATED);
}

static void open_side(const struct tw_backend *backend, struct tw_backend_device *device, struct side *side)
{
    side->device = device;
    side->memory = device ? backend->memory->allocate(device, ALLOCATED) : malloc(ALLOCATED);
    TW_CHECK(side->memory);
    for (size_t i = 0; i < ALLOCATED; ++i)
        side->expected[i] = (unsigned char)any(0, 255);
    transfer(backend, side, side->expected, true);
}

static void check_side(const struct tw_backend *backend, struct side *side)
{
    static unsigned char found[ALLOCATED];
    transfer(backend, side, found, false);
    TW_CHECK(memcmp(found, side->expected, ALLOCATED) == 0);
}

static void close_side(const struct tw_backend *backend, struct side *side)
{
    if (side->device)
        backend->memory->free(side->device, side->memory);
    else
        free(side->memory);
}

/* Runs a copy on a stream of the device copy->to, or a fill. */
static void run_on_stream(const struct tw_backend_async *async, struct tw_backend_device *device,
                          struct tw_backend_copy copy, struct tw_backend_fill fill)
{
    struct tw_backend_stream *stream = NULL;
    uint64_t sequence = 0;
    unsigned char pattern[MOST_PATTERN];
    check_status(async->open(device, &stream));
    if (fill.rows) {
        fill.pattern = memcpy(pattern, fill.pattern, fill.pattern_bytes);
        check_status(async->fill(stream, &fill, &sequence));
        memset(pattern, 0xee, sizeof pattern); /* nobody needs it any more */
        memset(&fill, 0, sizeof fill);
    } else {
        check_status(async->copy(stream, &copy, &sequence));
        memset(&copy, 0, sizeof copy);
    }
    TW_EQUAL(sequence, 1);
    while (async->completed(stream, sequence) < sequence)
        sched_yield();
    check_status(async->outcome(stream, sequence));
    async->close(stream);
}

/* Runs a graph of a copy or a fill behind an empty node, twice. */
static void run_in_graph(const struct tw_backend *backend, struct tw_backend_device *device,
                         const struct tw_backend_copy *copy, const struct tw_backend_fill *fill)
{
    const size_t before[] = {0};
    const struct tw_backend_graph_node nodes[] = {{.before = before},
                                                  {.copy = copy, .fill = fill, .before = before, .before_count = 1}};
    struct tw_backend_graph *graph = NULL;
    struct tw_backend_stream *stream = NULL;
    check_status(backend->graphs->instantiate(device, nodes, 2, &graph));
    TW_CHECK(graph);
    check_status(backend->async->open(device, &stream));
    for (uint64_t round = 1; round < 3; ++round) {
        uint64_t sequence = 0;
        check_status(backend->graphs->launch(stream, graph, &sequence));
        TW_EQUAL(sequence, round);
        while (backend->async->completed(stream, sequence) < sequence)
            sched_yield();
        check_status(backend->async->outcome(stream, sequence));
    }
    backend->async->close(stream);
    backend->graphs->destroy(graph);
}

/* ---- random boxes ------------------------------------------------------------------------------------------------ */

/* Chooses a pitch: often there is no gap between rows, or planes. */
static size_t any_pitch(size_t bytes, size_t unit)
{
    return bytes + (any(0, 1) ? any(0, GAP / unit) * unit : 0);
}

static struct tw_backend_copy any_copy(struct side *to, struct side *from, size_t *target, size_t *source)
{
    static const size_t lengths[] = {1, 4, 8, 16};
    struct tw_backend_copy copy = {.to = to->device, .from = from->device};
    copy.row_bytes = any(0, 2) ? any(0, 200) : lengths[any(0, 3)];
    copy.rows = any(1, 8);
    copy.planes = any(1, 6);
    copy.target_pitch = copy.rows > 1 ? any_pitch(copy.row_bytes, 1) : any(0, 1000);
    copy.source_pitch = copy.rows > 1 ? any_pitch(copy.row_bytes, 1) : any(0, 1000);
    copy.target_plane = any_pitch(copy.rows > 1 ? copy.rows * copy.target_pitch : copy.row_bytes, 1);
    copy.source_plane = any_pitch(copy.rows > 1 ? copy.rows * copy.source_pitch : copy.row_bytes, 1);
    const size_t target_bytes = copy.planes * (copy.target_plane + GAP),
                 source_bytes = copy.planes * (copy.source_plane + GAP);
    *target = any(0, ALLOCATED - target_bytes);
    *source = any(0, ALLOCATED - source_bytes);
    copy.target = to->memory + *target;
    copy.source = from->memory + *source;
    if (copy.planes == 1)
        copy.target_plane = copy.source_plane = any(0, 1000);
    return copy;
}

static void expect_copy(const struct tw_backend_copy *copy, struct side *to, struct side *from, size_t target,
                        size_t source)
{
    for (size_t z = 0; z < copy->planes; ++z)
        for (size_t y = 0; y < copy->rows; ++y)
            for (size_t x = 0; x < copy->row_bytes; ++x)
                to->expected[target + (z ? z * copy->target_plane : 0) + (y ? y * copy->target_pitch : 0) + x] =
                    from->expected[source + (z ? z * copy->source_plane : 0) + (y ? y * copy->source_pitch : 0) + x];
}

static struct tw_backend_fill any_fill(struct side *side, unsigned char pattern[MOST_PATTERN], size_t *target)
{
    struct tw_backend_fill fill = {.pattern = pattern, .pattern_bytes = any(1, MOST_PATTERN)};
    const size_t period = any(1, fill.pattern_bytes); /* it may repeat */
    for (size_t i = 0; i < MOST_PATTERN; ++i)
        pattern[i] = i < period ? (unsigned char)any(0, 255) : pattern[i - period];
    fill.row_bytes = any(0, 20) * fill.pattern_bytes;
    fill.rows = any(1, 6);
    fill.planes = any(1, 5);
    fill.pitch = fill.rows > 1 ? any_pitch(fill.row_bytes, 1) : any(0, 1000);
    fill.plane = any_pitch(fill.rows > 1 ? fill.rows * fill.pitch : fill.row_bytes, 1);
    *target = any(0, ALLOCATED - fill.planes * (fill.plane + GAP));
    fill.target = side->memory + *target;
    return fill;
}

static void expect_fill(const struct tw_backend_fill *fill, struct side *side, size_t target)
{
    const unsigned char *pattern = fill->pattern;
    for (size_t z = 0; z < fill->planes; ++z)
        for (size_t y = 0; y < fill->rows; ++y)
            for (size_t x = 0; x < fill->row_bytes; ++x)
                side->expected[target + (z ? z * fill->plane : 0) + (y ? y * fill->pitch : 0) + x] =
                    pattern[x % fill->pattern_bytes];
}

enum way { BY_MEMORY, BY_STREAM, BY_GRAPH, BY_HOST };

static void run_copy(const struct tw_backend *backend, enum way way, const struct tw_backend_copy *copy)
{
    if (way == BY_HOST)
        tw_rows_copy(copy);
    else if (way == BY_STREAM)
        run_on_stream(backend->async, copy->to, *copy, (struct tw_backend_fill){.rows = 0});
    else if (way == BY_GRAPH)
        run_in_graph(backend, copy->to, copy, NULL);
    else
        check_status(backend->memory->copy(copy));
}

static void run_fill(const struct tw_backend *backend, enum way way, struct tw_backend_device *device,
                     const struct tw_backend_fill *fill)
{
    if (way == BY_HOST)
        tw_rows_fill(fill);
    else if (way == BY_STREAM)
        run_on_stream(backend->async, device, (struct tw_backend_copy){.rows = 0}, *fill);
    else if (way == BY_GRAPH)
        run_in_graph(backend, device, NULL, fill);
    else
        check_status(backend->memory->fill(device, fill));
}

static void copy_boxes(const struct tw_backend *backend, enum way way, struct tw_backend_device *target_device,
                       struct tw_backend_device *source_device)
{
    static struct side to, from;
    open_side(backend, target_device, &to);
    open_side(backend, source_device, &from);
    for (int round = 0; round < ROUNDS; ++round) {
        size_t target, source;
        const struct tw_backend_copy copy = any_copy(&to, &from, &target, &source);
        run_copy(backend, way, &copy);
        expect_copy(&copy, &to, &from, target, source);
        if (round % 20 == 19)
            check_side(backend, &to);
    }
    check_side(backend, &to);
    check_side(backend, &from);
    close_side(backend, &to);
    close_side(backend, &from);
}

static void fill_boxes(const struct tw_backend *backend, enum way way, struct tw_backend_device *device)
{
    static struct side side;
    unsigned char pattern[MOST_PATTERN];
    open_side(backend, device, &side);
    for (int round = 0; round < ROUNDS; ++round) {
        size_t target;
        const struct tw_backend_fill fill = any_fill(&side, pattern, &target);
        run_fill(backend, way, device, &fill);
        expect_fill(&fill, &side, target);
        if (round % 20 == 19)
            check_side(backend, &side);
    }
    check_side(backend, &side);
    close_side(backend, &side);
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
        check_status(backend->open(i, &devices[i]));
        devices[i]->access = access_nothing;
    }
}

TW_TEST(host_memory)
{
    copy_boxes(NULL, BY_HOST, NULL, NULL);
    fill_boxes(NULL, BY_HOST, NULL);
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
        copy_boxes(sim, BY_MEMORY, devices[0], NULL);
        copy_boxes(sim, BY_MEMORY, NULL, devices[0]);
        copy_boxes(sim, BY_MEMORY, devices[0], devices[1]);
        copy_boxes(sim, BY_MEMORY, devices[0], devices[0]);
        fill_boxes(sim, BY_MEMORY, devices[0]);
        TW_EQUAL(sim->async->reaches(devices[0], devices[0]), asynchronous);
        TW_EQUAL(sim->async->reaches(devices[0], devices[1]), asynchronous);
        if (asynchronous) {
            copy_boxes(sim, BY_STREAM, devices[0], devices[1]);
            copy_boxes(sim, BY_STREAM, devices[0], devices[0]);
            fill_boxes(sim, BY_STREAM, devices[0]);
            copy_boxes(sim, BY_GRAPH, devices[0], devices[0]);
            fill_boxes(sim, BY_GRAPH, devices[0]);
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
    check_status(sim->memory->fill(device, &fill));
    close_side(sim, &side);
    sim->close(device);
}

#ifdef HAS_OFFLOAD_DEVICES
/* The devices of one backend, and the memory of two of them if there are several. */
static void try_offload_backend(const struct tw_backend *backend, unsigned count)
{
    struct tw_backend_device *devices[2];
    const unsigned opened = count < 2 ? count : 2;
    open_devices(backend, devices, opened);
    copy_boxes(backend, BY_MEMORY, devices[0], NULL);
    copy_boxes(backend, BY_MEMORY, NULL, devices[0]);
    fill_boxes(backend, BY_MEMORY, devices[0]);
    for (unsigned i = 0; i < opened; ++i) {
        copy_boxes(backend, BY_MEMORY, devices[0], devices[i]);
        if (backend->async && backend->async->reaches(devices[0], devices[i]))
            copy_boxes(backend, BY_STREAM, devices[0], devices[i]);
    }
    if (backend->async && backend->async->reaches(devices[0], devices[0])) {
        fill_boxes(backend, BY_STREAM, devices[0]);
        copy_boxes(backend, BY_GRAPH, devices[0], devices[0]);
        fill_boxes(backend, BY_GRAPH, devices[0]);
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
        check_status(backends[i]->count(&count));
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
