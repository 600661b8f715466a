/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of launches on CUDA chains, on an imaginary driver whose device has a clock of its own: lengths are right,
 * launches of a chain do not overlap, an event that somebody still needs is not recorded anew, and whatever the driver
 * refuses costs the times and nothing else. Also the priorities of streams. Needs private headers.
 */
#include "tw_test.h"

#include "backends/cuda/cuda_stream.h"
#include "backends/cuda/cuda_times.h"
#include "base/clock.h"

/* Far from the host's clock. */
#define SKEW_NS 5000000000000u

struct cu_event {
    uint64_t device_ns;
};

static struct {
    unsigned events;         /* that exist */
    unsigned creates, fails; /* calls of event_create; the one that fails, or 0 */
    bool refuses, is_stuck;  /* to record; no event is ever reached */
    uint64_t ahead_ns;       /* what the device's clock is ahead beside the skew */
} driver;

static cu_result create_event(cu_event *event, unsigned flags)
{
    TW_EQUAL(flags, CU_EVENT_DEFAULT);
    if (++driver.creates == driver.fails)
        return CU_OUT_OF_MEMORY;
    *event = calloc(1, sizeof **event);
    driver.events += *event != NULL;
    return *event ? 0 : CU_OUT_OF_MEMORY;
}

static cu_result destroy_event(cu_event event)
{
    --driver.events;
    free(event);
    return 0;
}

static cu_result record_event(cu_event event, cu_stream stream)
{
    (void)stream;
    if (driver.refuses)
        return 1;
    event->device_ns = tw_now_ns() + SKEW_NS + driver.ahead_ns;
    return 0;
}

static cu_result query_event(cu_event event)
{
    (void)event;
    return driver.is_stuck ? CU_NOT_READY : 0;
}

static cu_result elapsed_between(float *milliseconds, cu_event start, cu_event end)
{
    *milliseconds = (float)((double)(int64_t)(end->device_ns - start->device_ns) * 1e-6);
    return 0;
}

static cu_result create_stream(cu_stream *stream, unsigned flags)
{
    static char one;
    (void)flags;
    *stream = (cu_stream)(void *)&one;
    return 0;
}

static struct tw_cuda_device device;

static void begin(void)
{
    memset(&driver, 0, sizeof driver);
    memset(&device, 0, sizeof device);
    pthread_mutex_init(&device.streams, NULL);
    pthread_mutex_init(&device.clock, NULL);
    tw_cuda.event_create = create_event;
    tw_cuda.event_destroy = destroy_event;
    tw_cuda.event_record = record_event;
    tw_cuda.event_query = query_event;
    tw_cuda.event_synchronize = query_event;
    tw_cuda.event_elapsed = elapsed_between;
    tw_cuda.stream_create = create_stream;
}

static void end(struct tw_cuda_times *times)
{
    TW_EQUAL(device.bases[0].users, 0);
    TW_EQUAL(device.bases[1].users, 0);
    tw_cuda_times_close(times);
    tw_cuda_close_clock(&device);
    TW_EQUAL(driver.events, 0);
    free(device.idle_streams);
    pthread_mutex_destroy(&device.streams);
    pthread_mutex_destroy(&device.clock);
    memset(&tw_cuda, 0, sizeof tw_cuda);
}

static void pass(uint64_t ns)
{
    const uint64_t until = tw_now_ns() + ns;
    while (tw_now_ns() < until) {
    }
}

/* Launches something of a length; returns its length by the device's clock. */
static uint64_t launch(struct tw_cuda_times *times, uint64_t sequence, uint64_t length_ns)
{
    struct tw_cuda_timing *timing = tw_cuda_times_begin(times, &device, sequence, NULL);
    TW_CHECK(timing != NULL);
    pass(length_ns);
    tw_cuda_times_end(timing, NULL, true);
    return timing->end->device_ns - timing->start->device_ns;
}

static struct tw_backend_times read_times(struct tw_cuda_times *times, uint64_t sequence)
{
    struct tw_backend_times result = {0, 0};
    tw_cuda_times_read(times, sequence, &result);
    return result;
}

/* More launches than there are slots, read in their order, some behind the others. */
TW_TEST(launches_have_their_length_and_do_not_overlap)
{
    enum { LAUNCHES = 2 * TW_STREAM_DEPTH + 10, BEHIND = 20 };
    struct tw_cuda_times times = {0};
    static uint64_t lengths[LAUNCHES + 1];
    uint64_t last = 0;
    begin();
    const uint64_t before = tw_now_ns();
    for (uint64_t sequence = 1; sequence <= LAUNCHES + BEHIND; ++sequence) {
        if (sequence <= LAUNCHES)
            lengths[sequence] = launch(&times, sequence, 1000);
        if (sequence <= BEHIND)
            continue;
        const struct tw_backend_times got = read_times(&times, sequence - BEHIND);
        const int64_t error = (int64_t)(got.end_ns - got.start_ns - lengths[sequence - BEHIND]);
        const int64_t allowed =
            2 + (int64_t)(lengths[sequence - BEHIND] / 1000000); /* the driver's floats have seven digits */
        TW_CHECK(error >= -allowed && error <= allowed);
        TW_CHECK(got.start_ns >= last);
        last = got.end_ns;
    }
    TW_CHECK(last > before && last < before + SKEW_NS / 2); /* the host's clock, not the device's */
    TW_EQUAL(read_times(&times, LAUNCHES).end_ns, 0);       /* once */
    end(&times);
}

/* Where the clocks part, a new base tells; the launches before it keep theirs, and none seems to begin before the last
   one's end. */
TW_TEST(a_base_is_renewed_unless_it_is_needed)
{
    enum { LONG_NS = 110000000 };
    struct tw_cuda_times times = {0};
    begin();
    launch(&times, 1, 1000);
    struct tw_cuda_base *const first = device.base;
    pass(LONG_NS);
    driver.ahead_ns = 50000; /* as after a drift */
    launch(&times, 2, 1000);
    struct tw_cuda_base *const second = device.base;
    TW_CHECK(second != first && first->users == 1 && second->users == 1);
    pass(LONG_NS);
    const uint64_t recorded = second->event->device_ns;
    launch(&times, 3, 1000); /* both are needed */
    TW_CHECK(device.base == second && second->event->device_ns == recorded && second->users == 2);
    const struct tw_backend_times a = read_times(&times, 1), b = read_times(&times, 2), c = read_times(&times, 3);
    TW_CHECK(a.end_ns <= b.start_ns && b.end_ns <= c.start_ns && a.start_ns > 0);
    launch(&times, 4, 1000); /* now the older one is free */
    TW_CHECK(device.base == first && first->users == 1);
    TW_CHECK(read_times(&times, 4).start_ns >= c.end_ns);
    end(&times);
}

/* The device's clock is 50 us late when the second launch begins. */
TW_TEST(no_launch_begins_before_it_is_enqueued)
{
    struct tw_cuda_times times = {0};
    begin();
    launch(&times, 1, 1000);
    pass(200000);
    driver.ahead_ns = (uint64_t)-50000;
    const uint64_t before = tw_now_ns(), length = launch(&times, 2, 1000);
    (void)read_times(&times, 1);
    const struct tw_backend_times got = read_times(&times, 2);
    TW_CHECK(got.start_ns >= before);
    TW_CHECK(got.end_ns - got.start_ns + 2 + length / 1000000 >= length);
    end(&times);
}

TW_TEST(what_is_refused_costs_the_times_only)
{
    for (unsigned fails = 1; fails <= 3; ++fails) { /* the base, the start, the end */
        struct tw_cuda_times times = {0};
        begin();
        driver.fails = fails;
        TW_CHECK(tw_cuda_times_begin(&times, &device, 1, NULL) == NULL);
        TW_EQUAL(read_times(&times, 1).end_ns, 0);
        launch(&times, 2, 1000);
        TW_CHECK(read_times(&times, 2).end_ns > 0);
        end(&times);
    }
    struct tw_cuda_times times = {0};
    begin();
    TW_EQUAL(read_times(&times, 1).end_ns, 0); /* nothing was measured ever */
    driver.is_stuck = true;
    TW_CHECK(tw_cuda_times_begin(&times, &device, 1, NULL) == NULL); /* and the caller goes on */
    driver.is_stuck = false;
    struct tw_cuda_timing *timing = tw_cuda_times_begin(&times, &device, 2, NULL);
    TW_CHECK(timing != NULL);
    tw_cuda_times_end(timing, NULL, false); /* the launch failed */
    TW_EQUAL(read_times(&times, 2).end_ns, 0);
    timing = tw_cuda_times_begin(&times, &device, 3, NULL);
    TW_CHECK(timing != NULL);
    driver.refuses = true;
    tw_cuda_times_end(timing, NULL, true);
    TW_EQUAL(read_times(&times, 3).end_ns, 0);
    end(&times);
}

/* ---- priorities -------------------------------------------------------------------------------------------------- */

enum { USUAL = 1000, LEAST = 0, GREATEST = -5 };

static int made_with; /* the priority of the last stream; USUAL: none was given */
static bool has_range;

static cu_result create_usual_stream(cu_stream *stream, unsigned flags)
{
    made_with = USUAL;
    return create_stream(stream, flags);
}

static cu_result create_stream_with_priority(cu_stream *stream, unsigned flags, int priority)
{
    TW_EQUAL(flags, CU_STREAM_NON_BLOCKING);
    made_with = priority;
    return create_stream(stream, flags);
}

static cu_result tell_range(int *least, int *greatest)
{
    *least = LEAST;
    *greatest = GREATEST;
    return has_range ? 0 : 1;
}

static cu_result destroy_stream(cu_stream stream)
{
    (void)stream;
    return 0;
}

static cu_result current_context(cu_context *context)
{
    *context = NULL; /* the device's */
    return 0;
}

static cu_result allocate_host(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    *memory = malloc(bytes);
    return *memory ? 0 : CU_OUT_OF_MEMORY;
}

static cu_result free_host(void *memory)
{
    free(memory);
    return 0;
}

static int priority_of(enum tw_priority priority)
{
    struct tw_backend_stream *stream = NULL;
    TW_PASS(tw_cuda_async.open(&device.omp.base, priority, &stream));
    tw_cuda_async.close(stream);
    return made_with;
}

/* The ends of the driver's range; a driver that tells none makes usual streams. */
TW_TEST(streams_have_the_priority_of_their_queue)
{
    struct tw_cuda_times times = {0};
    begin();
    tw_cuda.stream_create = create_usual_stream;
    tw_cuda.stream_create_with_priority = create_stream_with_priority;
    tw_cuda.stream_priorities = tell_range;
    tw_cuda.stream_destroy = destroy_stream;
    tw_cuda.context_current = current_context;
    tw_cuda.host_allocate = allocate_host;
    tw_cuda.host_free = free_host;
    has_range = true;
    TW_EQUAL(priority_of(TW_PRIORITY_NORMAL), USUAL);
    TW_EQUAL(priority_of(TW_PRIORITY_HIGH), GREATEST);
    TW_EQUAL(priority_of(TW_PRIORITY_LOW), LEAST);
    has_range = false;
    TW_EQUAL(priority_of(TW_PRIORITY_HIGH), USUAL);
    end(&times);
}

TW_TEST_LIST = {TW_CASE(launches_have_their_length_and_do_not_overlap), TW_CASE(a_base_is_renewed_unless_it_is_needed),
                TW_CASE(no_launch_begins_before_it_is_enqueued),        TW_CASE(what_is_refused_costs_the_times_only),
                TW_CASE(streams_have_the_priority_of_their_queue),      TW_CASES_END};
