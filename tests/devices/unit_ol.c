/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ol backend on an imaginary liboffload (fake_offload.h), which is loaded as the real one is: devices and what is
 * known of them, copies and fills of rows, launches with the words of their regions, streams and what other streams wait
 * for, faults, and that nothing is left behind. Needs the private headers of backends/ol/.
 */
#include "image_kernel.h"

#include <dlfcn.h>

#include "backends/gpu/gpu_image.h"
#include "backends/ol/ol.h"
#include "backends/ol/ol_copy.h"
#include "backends/ol/ol_driver.h"
#include "backends/ol/ol_launch.h"
#include "backends/ol/ol_stream.h"
#include "common/openmp.h"
#include "fake_offload.h"
#include "rows_test.h"

enum { SHARED_BYTES = 1008, LARGE = 5 << 20 };

static void *library;
static struct fake_offload *fake;
static struct tw_ol_device *device;

static void load(void)
{
    library = dlopen("libLLVMOffload.so.22.1", RTLD_NOW);
    fake = library ? dlsym(library, "fake_offload") : NULL;
    TW_CHECK(fake);
}

static struct tw_backend_device *open_with(unsigned gpus, int platform)
{
    load();
    fake->gpus = gpus;
    fake->platform = platform;
    fake->lacks_context = platform == OL_PLATFORM_CUDA;
    tw_openmp_start();
    TW_CHECK(tw_ol_open());
    device = tw_ol_device(0);
    TW_CHECK(device && tw_ol_device(gpus - 1) && !tw_ol_device(gpus));
    for (unsigned i = 0; i < gpus; ++i) {
        TW_CHECK(!tw_ol.memory_allocate(tw_ol_device(i)->handle, OL_ALLOC_DEVICE, 64, &tw_ol_device(i)->word));
        /* OpenMP's number for the host stands for the GPU: its memory is the host's, too */
        tw_omp_begin(&tw_ol_device(i)->omp, &tw_backend_ol, i, tw_openmp_host(), true);
    }
    return &device->omp.base;
}

static struct tw_backend_device *open_device(void)
{
    return open_with(1, OL_PLATFORM_CUDA);
}

/* Everything is given back, unless the device is lost. */
static void close_device(void)
{
    const bool is_lost = tw_ol_lost(device);
    for (unsigned i = 0; tw_ol_device(i); ++i)
        tw_omp_end(&tw_ol_device(i)->omp);
    tw_ol_forget_kernels();
    if (!is_lost)
        tw_ol_free_stages(device);
    tw_ol_close();
    if (!is_lost) {
        TW_EQUAL(fake->started, 0);
        TW_EQUAL(fake->queues, 0);
        TW_EQUAL(fake->events, 0);
        TW_EQUAL(fake->programs, 0);
        TW_EQUAL(fake->blocks, 0);
    }
    *fake = (struct fake_offload){.gpus = 1, .platform = OL_PLATFORM_CUDA};
    dlclose(library);
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

TW_TEST(devices_are_described)
{
    struct tw_device_facts facts = {.name = ""};
    struct tw_device_state lost = {.lost = true};
    struct tw_backend_device *base = open_with(2, OL_PLATFORM_CUDA);
    tw_backend_ol.describe(base, &facts);
    TW_CHECK(strcmp(facts.name, "Imaginary") == 0 && strcmp(facts.vendor, "Nobody") == 0);
    TW_CHECK(strcmp(facts.driver_version, "1.2") == 0 && strcmp(facts.uuid, "1234-1") == 0);
    TW_EQUAL(facts.compute_units, 10);
    TW_EQUAL(facts.max_work_group_size, 1024);
    TW_EQUAL(facts.local_mem_bytes, 48 << 10);
    TW_CHECK(facts.global_mem_bytes == (size_t)8 << 30);
    TW_EQUAL(facts.memory_clock_mhz, 0); /* not told */
    TW_CHECK(strcmp(tw_ol_device(1)->uid, "GPU-1234-2") == 0);
    tw_backend_ol.observe(base, &lost);
    TW_CHECK(!lost.lost);
    close_device();
}

TW_TEST(without_gpus_the_library_is_closed_again)
{
    load();
    fake->gpus = 0;
    TW_CHECK(!tw_ol_open());
    TW_CHECK(strstr(tw_ol_failure(), "no GPU"));
    TW_EQUAL(fake->started, 0);
    TW_CHECK(!tw_ol_device(0));
    *fake = (struct fake_offload){.gpus = 1, .platform = OL_PLATFORM_CUDA};
    dlclose(library);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void copy_and_wait(const struct tw_backend *used, const struct tw_backend_copy *copy)
{
    TW_PASS(used->memory->copy(copy));
}

static void fill_and_wait(const struct tw_backend *used, struct tw_backend_device *base,
                          const struct tw_backend_fill *fill)
{
    TW_PASS(used->memory->fill(base, fill));
}

TW_TEST(copies_and_fills)
{
    struct tw_backend_device *base = open_device();
    copy_boxes(&tw_backend_ol, copy_and_wait, base, NULL);
    copy_boxes(&tw_backend_ol, copy_and_wait, NULL, base);
    copy_boxes(&tw_backend_ol, copy_and_wait, base, base);
    TW_CHECK(fake->locked_copies > 0);
    fill_boxes(&tw_backend_ol, fill_and_wait, base);
    TW_CHECK(fake->fills > 0);
    close_device();
}

/* Large copies go through page-locked memory, unless theirs is. */
TW_TEST(large_copies)
{
    struct tw_backend_device *base = open_device();
    unsigned char *pageable = malloc(LARGE), *locked = tw_ol_allocate_host(LARGE), *other = tw_ol_allocate_host(64);
    unsigned char *memory = tw_backend_ol.memory->allocate(base, LARGE);
    TW_CHECK(pageable && locked && other && memory);
    for (size_t i = 0; i < LARGE; ++i)
        pageable[i] = (unsigned char)any(0, 255);
    const struct tw_backend_copy in = tw_backend_copy_of(base, memory, NULL, pageable, LARGE),
                                 out = tw_backend_copy_of(NULL, locked, base, memory, LARGE);
    TW_PASS(tw_backend_ol.memory->copy(&in));
    TW_CHECK(fake->locked_copies > 1 && fake->locked_copies == fake->copies - 1); /* one was tw_ol_enter() */
    TW_CHECK(memcmp(memory, pageable, LARGE) == 0);
    fake->copies = 0;
    TW_PASS(tw_backend_ol.memory->copy(&out));
    TW_EQUAL(fake->copies, 1);
    TW_CHECK(memcmp(locked, pageable, LARGE) == 0);
    tw_ol_free_host(locked);
    tw_ol_free_host(other);
    void *shared = tw_ol_allocate_shared(base, 100);
    TW_CHECK(shared && !tw_ol_allocate_shared(base, SIZE_MAX));
    tw_ol_free_shared(base, shared);
    tw_backend_ol.memory->free(base, memory);
    free(pageable);
    close_device();
}

/* liboffload copies contiguous bytes alone. */
TW_TEST(copies_of_many_rows)
{
    enum { ROWS = 500, ROW = 12, PITCH = 40 };
    static unsigned char host[ROWS * PITCH], packed[ROWS * ROW];
    struct tw_backend_device *base = open_device();
    unsigned char *memory = tw_backend_ol.memory->allocate(base, ROWS * PITCH);
    TW_CHECK(memory);
    for (size_t i = 0; i < ROWS * PITCH; ++i)
        host[i] = memory[i] = (unsigned char)any(0, 255);
    struct tw_backend_copy in = tw_backend_copy_of(base, memory, NULL, host, ROW),
                           out = tw_backend_copy_of(NULL, packed, base, memory, ROW);
    in.rows = out.rows = ROWS;
    in.source_pitch = out.source_pitch = PITCH;
    in.target_pitch = out.target_pitch = ROW;
    TW_PASS(tw_backend_ol.memory->copy(&out)); /* scattered on the device */
    TW_EQUAL(fake->copies, 2);                 /* one was tw_ol_enter() */
    for (size_t row = 0; row < ROWS; ++row)
        TW_CHECK(memcmp(packed + row * ROW, host + row * PITCH, ROW) == 0);
    memset(memory, 0, ROWS * PITCH);
    TW_PASS(tw_backend_ol.memory->copy(&in)); /* scattered on the host */
    TW_EQUAL(fake->copies, 3);
    TW_CHECK(memcmp(memory, packed, sizeof packed) == 0 && !memory[sizeof packed]);
    in.target_pitch = PITCH; /* scattered on the device, on which nothing else may change */
    memset(memory, 7, ROWS * PITCH);
    TW_PASS(tw_backend_ol.memory->copy(&in));
    TW_EQUAL(fake->copies, 3 + ROWS);
    TW_CHECK(memcmp(memory + PITCH, host + PITCH, ROW) == 0 && memory[ROW] == 7 && memory[ROWS * PITCH - 1] == 7);
    tw_backend_ol.memory->free(base, memory);
    close_device();
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static const struct sample plain = {
    .name = REGION,
    .needs = {
        .parameter_bytes = 8 * (1 + WORDS + 3), .registers = 40, .private_bytes = 24, .shared_bytes = SHARED_BYTES}};

TW_TEST(a_kernel_is_launched_with_the_words_of_its_region)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(1000);
    struct tw_internal_simt_grid grid;
    const struct tw_internal_simt_captures captures = tw_internal_simt_range_captures(&launch, &grid);
    struct tw_kernel_facts facts = {.max_items = 1024};
    struct tw_backend_device *base = open_device();
    set_sample(&plain, "sm_90");
    TW_PASS(tw_backend_ol.load(base, &kernel));
    TW_PASS(tw_backend_ol.check(base, &kernel, &launch));
    TW_CHECK(tw_gpu_takes(base, &kernel, &launch));
    TW_PASS(tw_backend_ol.launch(base, &kernel, &launch));
    TW_EQUAL(fake->given_bytes, 8 * (1 + WORDS + 3));
    TW_CHECK(memcmp(&fake->given[1], &captures, sizeof captures) == 0);
    TW_CHECK(memcmp(&fake->given[1 + TW_INTERNAL_SIMT_WORDS], args, sizeof args) == 0);
    TW_CHECK(strcmp(fake->kernel, REGION) == 0);
    TW_EQUAL(fake->grid[0], 4);
    TW_EQUAL(fake->block[0], TW_INTERNAL_SIMT_RANGE_THREADS);
    TW_EQUAL(fake->programs, 1);
    tw_backend_ol.limits(base, &kernel, 64, 0, &facts);
    TW_EQUAL(facts.registers, 40);
    TW_EQUAL(facts.private_bytes, 24);
    TW_EQUAL(facts.static_local_bytes, SHARED_BYTES);
    close_device();
}

/* liboffload's plugin for AMD GPUs copies the words to the beginning of a kernel's arguments, and fills in the rest. */
TW_TEST(a_kernel_is_launched_on_an_amd_gpu)
{
    struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_WORK_GROUP), counting = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(10), other = launch_of(10);
    struct tw_internal_simt_grid grid;
    struct tw_gpu_image_kernel found;
    static struct blob object;
    launch.local[0] = 64;
    counting.symbol = "counting";
    counting.args_bytes = 8;
    if (!read_code_object("gfx90a", &object))
        TW_SKIP();
    set_image("amdgcn-amd-amdhsa", "gfx90a", &object);
    struct tw_backend_device *base = open_with(1, OL_PLATFORM_AMDGPU);
    TW_PASS(tw_backend_ol.check(base, &kernel, &launch));
    TW_CHECK(tw_gpu_takes(base, &kernel, &launch));
    TW_PASS(tw_backend_ol.launch(base, &kernel, &launch));
    const struct tw_internal_simt_captures captures = tw_internal_simt_group_captures(&launch, &grid);
    TW_CHECK(!tw_code_object_find(whole(&object), "life_tw_simt_8", &found));
    TW_EQUAL(fake->given_bytes, found.parameter_bytes);
    TW_CHECK(memcmp(&fake->given[1], &captures, sizeof captures) == 0);
    TW_CHECK(memcmp(&fake->given[1 + TW_INTERNAL_SIMT_WORDS], args, sizeof args) == 0);
    TW_CHECK(strcmp(fake->kernel, found.name) == 0);
    TW_EQUAL(fake->grid[0], 10);
    TW_EQUAL(fake->block[0], 64);
    TW_PASS(tw_backend_ol.check(base, &counting, &other)); /* it uses a variable */
    TW_CHECK(!tw_gpu_takes(base, &counting, &other));
    close_device();
}

/* The assembler tells how many registers a work-item has, and a group shares 65536. */
TW_TEST(groups_that_need_too_much_are_refused)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_WORK_GROUP);
    static const struct {
        uint32_t registers, threads;
        size_t most;
    } cases[] = {{32, 0, 1024}, {64, 0, 1024},  {65, 0, 896},   {168, 0, 384},
                 {255, 0, 256}, {32, 128, 128}, {255, 512, 256}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct sample sample = plain;
        struct tw_internal_launch launch = launch_of(1);
        struct tw_backend_device *base = open_device();
        sample.needs.registers = cases[i].registers;
        if (cases[i].threads)
            memcpy(sample.needs.max_threads, (uint32_t[]){cases[i].threads / 2, 2, 1}, 12);
        set_sample(&sample, "sm_90");
        kernel_word = 0;
        launch.local[0] = cases[i].most;
        TW_PASS(tw_backend_ol.check(base, &kernel, &launch));
        launch.local[0] = cases[i].most + 1;
        TW_FAIL(tw_backend_ol.check(base, &kernel, &launch), TW_ERROR_INVALID_WORK_GROUP_SIZE);
        launch.local[0] = 1;
        launch.local_bytes = (48 << 10) - SHARED_BYTES;
        TW_PASS(tw_backend_ol.check(base, &kernel, &launch));
        ++launch.local_bytes;
        TW_FAIL(tw_backend_ol.check(base, &kernel, &launch), TW_ERROR_OUT_OF_LOCAL_MEMORY);
        close_device();
    }
}

/* libomptarget launches what liboffload cannot. */
TW_TEST(other_kernels_are_left_to_openmp)
{
    struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct sample samples[] = {plain, plain, plain, plain};
    samples[0].needs.parameter_bytes -= 32;
    samples[1].needs.parameter_bytes += 8;
    samples[2].needs.parameter_bytes -= 4;
    samples[3].uses[0][0] = KERNEL, samples[3].uses[0][1] = VARIABLE;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i) {
        struct tw_internal_launch launch = launch_of(10);
        struct tw_backend_device *base = open_device();
        set_sample(&samples[i], "sm_90");
        kernel_word = 0;
        TW_PASS(tw_backend_ol.check(base, &kernel, &launch));
        TW_CHECK(!tw_gpu_takes(base, &kernel, &launch));
        close_device();
    }
    struct tw_internal_launch launch = launch_of(10);
    struct tw_backend_device *base = open_with(1, OL_PLATFORM_AMDGPU); /* the image is NVIDIA's */
    set_sample(&plain, "sm_90");
    kernel_word = 0;
    TW_FAIL(tw_backend_ol.check(base, &kernel, &launch), TW_ERROR_NO_DEVICE_IMAGE);
    close_device();
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static const struct tw_backend_async *const async = &tw_ol_async;

/* Opens a device for launches of a kernel, which the device checks. */
static struct tw_backend_device *open_for(const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch)
{
    struct tw_backend_device *base = open_device();
    set_sample(&plain, "sm_90");
    TW_PASS(tw_backend_ol.check(base, kernel, launch));
    return base;
}

static struct tw_backend_stream *open_stream(struct tw_backend_device *base)
{
    struct tw_backend_stream *stream = NULL;
    TW_PASS(async->open(base, TW_PRIORITY_NORMAL, &stream));
    return stream;
}

/* Enqueues a launch and returns its sequence number. */
static uint64_t enqueue(struct tw_backend_stream *stream, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch)
{
    uint64_t sequence = 0;
    TW_PASS(async->launch(stream, kernel, launch, &sequence));
    return sequence;
}

/* Polls twice: right behind a launch the first poll asks nobody. */
static uint64_t poll(struct tw_backend_stream *stream, uint64_t sequence)
{
    (void)async->completed(stream, sequence);
    return async->completed(stream, sequence);
}

static void end_stream(struct tw_backend_stream *stream, uint64_t from, uint64_t last)
{
    for (uint64_t sequence = from; sequence <= last; ++sequence)
        TW_PASS(async->outcome(stream, sequence));
    async->close(stream);
}

/* A stream asks its queue while nobody enqueues, and needs no event. */
TW_TEST(a_stream_needs_no_event_by_itself)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(10);
    struct tw_backend_device *base = open_for(&kernel, &launch);
    struct tw_backend_stream *stream = open_stream(base);
    fake->holds = true;
    for (uint64_t i = 1; i <= 10; ++i)
        TW_EQUAL(enqueue(stream, &kernel, &launch), i);
    TW_EQUAL(async->completed(stream, 1), 0);
    TW_EQUAL(async->completed(stream, 10), 0);
    fake->holds = false;
    TW_EQUAL(async->completed(stream, 1), 10);
    TW_EQUAL(fake->events, 0);
    end_stream(stream, 1, 10);
    close_device();
}

/* Asks for the launch behind those that are over, and again if there was progress, as the runtime does. */
static uint64_t retire(struct tw_backend_stream *stream, uint64_t done)
{
    const uint64_t now = async->completed(stream, done + 1);
    return now > done ? retire(stream, now) : now;
}

/* Many launches in a row need an event and a question for every 64 of them. */
TW_TEST(launches_need_few_other_calls)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(10);
    struct tw_backend_device *base = open_for(&kernel, &launch);
    struct tw_backend_stream *stream = open_stream(base);
    uint64_t done = 0, sequence = 0;
    while (sequence < 640)
        if ((sequence = enqueue(stream, &kernel, &launch)) % 32 == 0)
            done = retire(stream, done);
    TW_EQUAL(done, 576); /* the event behind launch 640 is too new */
    TW_EQUAL(fake->launches, 640);
    TW_EQUAL(fake->made, 10);
    TW_EQUAL(fake->asked, 9);
    TW_EQUAL(poll(stream, 640), 640);
    end_stream(stream, 1, 640);
    close_device();
}

/* One that is waited for needs no event. The question whether it is over is not asked before the second poll. */
TW_TEST(a_launch_that_is_waited_for_needs_one_question)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(10);
    struct tw_backend_device *base = open_for(&kernel, &launch);
    struct tw_backend_stream *stream = open_stream(base);
    for (uint64_t i = 1; i <= 200; ++i) {
        TW_EQUAL(enqueue(stream, &kernel, &launch), i);
        TW_EQUAL(poll(stream, i), i);
        TW_EQUAL(fake->asked, i);
    }
    TW_EQUAL(fake->made, 0);
    end_stream(stream, 1, 200);
    close_device();
}

/* Behind 64 launches without an event there is one. So is there behind one that the host waits for, once another one
   follows. */
TW_TEST(progress_is_seen_while_others_enqueue)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(10);
    struct tw_backend_device *base = open_for(&kernel, &launch);
    struct tw_backend_stream *stream = open_stream(base);
    fake->is_forgetful = true; /* as if there was always something behind */
    for (uint64_t i = 1; i <= 5; ++i)
        (void)enqueue(stream, &kernel, &launch);
    TW_EQUAL(async->completed(stream, 3), 0);
    async->announce(stream, 3);
    TW_EQUAL(async->completed(stream, 3), 0);
    (void)enqueue(stream, &kernel, &launch);
    TW_EQUAL(fake->events, 1);
    TW_EQUAL(poll(stream, 3), 5);
    TW_EQUAL(async->completed(stream, 6), 5);
    for (uint64_t i = 7; i <= 70; ++i)
        (void)enqueue(stream, &kernel, &launch);
    TW_EQUAL(poll(stream, 6), 69);
    uint64_t done = 69;
    for (unsigned polls = 0; done < 70 && polls < 10000; ++polls) /* a driver that never says that a queue is empty */
        done = async->completed(stream, 70);
    TW_EQUAL(done, 70);
    end_stream(stream, 1, 70);
    close_device();
}

TW_TEST(streams_wait_for_each_other)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(10);
    struct tw_backend_device *base = open_for(&kernel, &launch);
    struct tw_backend_stream *first = open_stream(base), *second = open_stream(base);
    fake->holds = true;
    (void)enqueue(first, &kernel, &launch);
    struct tw_backend_event event = {first, enqueue(first, &kernel, &launch)};
    TW_PASS(async->wait(second, &event, 1));
    TW_EQUAL(fake->from_other, 1);
    TW_EQUAL(fake->events, 1);
    TW_PASS(async->wait(second, &event, 1)); /* the same event again */
    TW_EQUAL(fake->events, 1);
    event.sequence = enqueue(first, &kernel, &launch);
    TW_EQUAL(fake->events, 2); /* launches of this name are waited for */
    TW_PASS(async->wait(second, &event, 1));
    TW_EQUAL(fake->from_other, 3);
    fake->holds = false;
    TW_EQUAL(poll(first, 3), 3);
    TW_PASS(async->wait(second, &event, 1)); /* it is over */
    TW_EQUAL(fake->from_other, 3);
    TW_EQUAL(enqueue(second, &kernel, &launch), 1);
    TW_EQUAL(poll(second, 1), 1);
    end_stream(first, 1, 3);
    end_stream(second, 1, 1);
    close_device();
}

TW_TEST(a_stream_copies_fills_and_passes_large_blocks)
{
    static const unsigned char large[TW_INTERNAL_SIMT_ARGS_BYTES + 8] = {[0] = 3, [TW_INTERNAL_SIMT_ARGS_BYTES] = 4};
    struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_SINGLE_TASK);
    struct tw_internal_launch launch = launch_of(1);
    struct sample sample = plain;
    uint64_t sequence = 0;
    struct tw_backend_device *base = open_device();
    sample.name = REGION_OF_LARGE;
    sample.needs.parameter_bytes = 8 * (1 + TW_INTERNAL_SIMT_WORDS + 1);
    set_sample(&sample, "sm_90");
    kernel.args_bytes = sizeof large;
    launch.args = large;
    TW_PASS(tw_backend_ol.check(base, &kernel, &launch));
    struct tw_backend_stream *stream = open_stream(base);
    TW_EQUAL(enqueue(stream, &kernel, &launch), 1);
    const void *block = (const void *)(uintptr_t)fake->given[1 + TW_INTERNAL_SIMT_WORDS];
    TW_CHECK(memcmp(block, large, sizeof large) == 0);
    unsigned char *locked = tw_ol_allocate_host(256), *memory = tw_backend_ol.memory->allocate(base, 256);
    const struct tw_backend_fill fill = {
        .target = memory, .pattern = "abc", .pattern_bytes = 3, .row_bytes = 99, .rows = 1, .planes = 1};
    const struct tw_backend_copy copy = tw_backend_copy_of(NULL, locked, base, memory, 99);
    TW_CHECK(locked && memory && async->reaches(base, base));
    TW_PASS(async->fill(stream, &fill, &sequence));
    TW_PASS(async->copy(stream, &copy, &sequence));
    TW_EQUAL(sequence, 3);
    TW_EQUAL(poll(stream, 3), 3);
    TW_CHECK(memcmp(locked, "abcabcabc", 9) == 0 && locked[98] == 'c');
    end_stream(stream, 1, 3);
    tw_ol_free_host(locked);
    tw_backend_ol.memory->free(base, memory);
    close_device();
}

TW_TEST(a_graph_is_one_launch)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(10), large = launch_of(1000);
    struct tw_backend_graph *graph = NULL;
    uint64_t sequence = 0;
    struct tw_backend_device *base = open_with(2, OL_PLATFORM_CUDA);
    set_sample(&plain, "sm_90");
    TW_PASS(tw_backend_ol.check(base, &kernel, &launch));
    TW_PASS(tw_backend_ol.check(base, &kernel, &large));
    unsigned char *memory = tw_backend_ol.memory->allocate(base, 64);
    const struct tw_backend_fill fill = {
        .target = memory, .pattern = "ab", .pattern_bytes = 2, .row_bytes = 32, .rows = 1, .planes = 1};
    const struct tw_backend_copy copy = tw_backend_copy_of(base, memory + 32, base, memory, 32);
    struct tw_backend_graph_node nodes[] = {{.device = base, .kernel = &kernel, .launch = &launch},
                                            {.device = base, .fill = &fill},
                                            {.device = base, .copy = &copy, .before = (size_t[]){1}, .before_count = 1},
                                            {.device = base, .before = (size_t[]){0, 2}, .before_count = 2},
                                            {.device = base, .kernel = &kernel, .launch = &large}};
    TW_PASS(tw_ol_graphs.instantiate(base, nodes, 5, &graph));
    TW_CHECK(graph);
    struct tw_backend_stream *stream = open_stream(base);
    for (unsigned i = 1; i <= 3; ++i) {
        memset(memory, 0, 64);
        TW_PASS(tw_ol_graphs.launch(stream, graph, &sequence));
        TW_EQUAL(sequence, i);
        TW_EQUAL(fake->launches, 2 * i);
        TW_CHECK(memory[0] == 'a' && memory[63] == 'b');
        TW_EQUAL(fake->grid[0], 4);
    }
    TW_EQUAL(poll(stream, 3), 3);
    fake->refuses = true;
    TW_FAIL(tw_ol_graphs.launch(stream, graph, &sequence), TW_ERROR_LAUNCH_FAILED);
    fake->refuses = false;
    end_stream(stream, 1, 3);
    tw_ol_graphs.destroy(graph);
    graph = NULL;
    nodes[3].device = &tw_ol_device(1)->omp.base;
    TW_PASS(tw_ol_graphs.instantiate(base, nodes, 5, &graph)); /* the runtime runs it */
    TW_CHECK(!graph);
    tw_backend_ol.memory->free(base, memory);
    close_device();
}

/* Polls of a thread that does not launch. */
static void *poll_beside(void *stream)
{
    uint64_t done = 0;
    const unsigned syncs = fake->asked;
    (void)async->completed(stream, 10);
    TW_EQUAL(fake->asked, syncs); /* it is too early */
    while (done < 10)
        done = async->completed(stream, 10);
    return NULL;
}

TW_TEST(a_thread_that_does_not_launch_asks_rarely)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(10);
    struct tw_backend_device *base = open_for(&kernel, &launch);
    pthread_t thread;
    struct tw_backend_stream *stream = open_stream(base);
    for (uint64_t i = 1; i <= 10; ++i)
        (void)enqueue(stream, &kernel, &launch);
    TW_CHECK(!pthread_create(&thread, NULL, poll_beside, stream));
    pthread_join(thread, NULL);
    end_stream(stream, 1, 10);
    close_device();
}

TW_TEST(a_stream_measures_what_it_is_told_to)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(10);
    struct tw_backend_times times[3] = {{0, 0}};
    struct tw_backend_device *base = open_for(&kernel, &launch);
    struct tw_backend_stream *stream = open_stream(base);
    for (uint64_t i = 0; i < 3; ++i) {
        if (i != 1)
            async->measure(stream);
        (void)enqueue(stream, &kernel, &launch);
    }
    TW_EQUAL(poll(stream, 3), 3);
    for (uint64_t i = 0; i < 3; ++i)
        async->times(stream, i + 1, &times[i]);
    TW_CHECK(times[0].start_ns && times[0].start_ns <= times[0].end_ns && times[0].end_ns <= times[2].start_ns);
    TW_CHECK(times[2].start_ns <= times[2].end_ns);
    TW_EQUAL(times[1].start_ns, 0);
    TW_EQUAL(times[1].end_ns, 0);
    end_stream(stream, 1, 3);
    close_device();
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

TW_TEST(a_refused_launch_leaves_the_device_as_it_is)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(10);
    uint64_t sequence = 0;
    struct tw_backend_device *base = open_for(&kernel, &launch);
    struct tw_backend_stream *stream = open_stream(base);
    fake->refuses = true;
    TW_FAIL(async->launch(stream, &kernel, &launch, &sequence), TW_ERROR_LAUNCH_FAILED);
    TW_CHECK(strstr(tw_error_detail(), "kernel life") && strstr(tw_error_detail(), "invalid argument"));
    TW_EQUAL(tw_error_native_code().api, TW_NATIVE_OFFLOAD);
    TW_EQUAL(tw_error_native_code().code, 5);
    TW_FAIL(tw_backend_ol.launch(base, &kernel, &launch), TW_ERROR_LAUNCH_FAILED);
    TW_CHECK(!tw_ol_lost(device));
    fake->refuses = false;
    TW_EQUAL(enqueue(stream, &kernel, &launch), 1);
    TW_EQUAL(poll(stream, 1), 1);
    end_stream(stream, 1, 1);
    close_device();
}

TW_TEST(a_fault_fails_what_was_not_over)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(10);
    struct tw_device_state now = {.lost = false};
    unsigned char bytes[8] = {0};
    uint64_t sequence = 0;
    struct tw_backend_device *base = open_for(&kernel, &launch);
    struct tw_backend_stream *stream = open_stream(base);
    void *memory = tw_backend_ol.memory->allocate(base, 8);
    TW_EQUAL(enqueue(stream, &kernel, &launch), 1);
    TW_EQUAL(poll(stream, 1), 1);
    fake->holds = true;
    TW_EQUAL(enqueue(stream, &kernel, &launch), 2);
    TW_EQUAL(enqueue(stream, &kernel, &launch), 3);
    fake->is_broken = true;
    TW_EQUAL(poll(stream, 3), 3);
    TW_PASS(async->outcome(stream, 1));
    TW_FAIL(async->outcome(stream, 2), TW_ERROR_LAUNCH_FAILED);
    TW_CHECK(strstr(tw_error_detail(), "kernel life") && strstr(tw_error_detail(), "illegal memory access"));
    TW_FAIL(async->outcome(stream, 3), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(async->launch(stream, &kernel, &launch, &sequence), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_backend_ol.launch(base, &kernel, &launch), TW_ERROR_LAUNCH_FAILED);
    const struct tw_backend_copy copy = tw_backend_copy_of(base, memory, NULL, bytes, sizeof bytes);
    TW_FAIL(tw_backend_ol.memory->copy(&copy), TW_ERROR_TRANSFER_FAILED);
    TW_CHECK(!tw_backend_ol.memory->allocate(base, 8));
    tw_backend_ol.observe(base, &now);
    TW_CHECK(now.lost);
    async->close(stream);
    free(memory); /* OpenMP's: the host's */
    close_device();
}

TW_TEST_LIST = {TW_CASE(devices_are_described),
                TW_CASE(without_gpus_the_library_is_closed_again),
                TW_CASE(copies_and_fills),
                TW_CASE(large_copies),
                TW_CASE(copies_of_many_rows),
                TW_CASE(a_kernel_is_launched_with_the_words_of_its_region),
                TW_CASE(a_kernel_is_launched_on_an_amd_gpu),
                TW_CASE(groups_that_need_too_much_are_refused),
                TW_CASE(other_kernels_are_left_to_openmp),
                TW_CASE(a_stream_needs_no_event_by_itself),
                TW_CASE(launches_need_few_other_calls),
                TW_CASE(a_launch_that_is_waited_for_needs_one_question),
                TW_CASE(progress_is_seen_while_others_enqueue),
                TW_CASE(streams_wait_for_each_other),
                TW_CASE(a_stream_copies_fills_and_passes_large_blocks),
                TW_CASE(a_graph_is_one_launch),
                TW_CASE(a_thread_that_does_not_launch_asks_rarely),
                TW_CASE(a_stream_measures_what_it_is_told_to),
                TW_CASE(a_refused_launch_leaves_the_device_as_it_is),
                TW_CASE(a_fault_fails_what_was_not_over),
                TW_CASES_END};
