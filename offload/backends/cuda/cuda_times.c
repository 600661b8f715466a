/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of launches by CUDA events (cuda_times.h).
 *
 * The driver gives the milliseconds between two events, as a float. So a base event is recorded on an idle stream, and
 * the host's clock is read before and after: the event lies between. The base is recorded anew now and then, because
 * the two clocks drift apart, and a float of many milliseconds is coarse. The length of a launch is queried by itself,
 * so its error is that of the device's clock alone, half a microsecond.
 */
#include "cuda_times.h"
#include "base/clock.h"

#include <stdlib.h>

#define RENEW_NS 100000000u   /* the time for which a base is used: clocks that differ by 20 ppm drift by 2 us in it */
#define CLOSE_NS 15000u       /* the time between two clock readings that is short enough for a base */
#define TRIES 5u              /* attempts for a base: in the first ones, the device or its driver may be asleep */
#define PATIENCE_NS 20000000u /* other processes take the device for milliseconds at a time */

static bool make_event(cu_event *event)
{
    if (!*event && tw_cuda.event_create(event, CU_EVENT_DEFAULT))
        *event = NULL;
    return *event != NULL;
}

/* Records an event and waits for it, but not for long: streams share the device's channels, so an idle stream may be
   behind another stream's kernel. Returns the nanoseconds since `start_ns`, 0 on failure. */
static uint64_t record(cu_event event, cu_stream stream, uint64_t start_ns)
{
    cu_result error = tw_cuda.event_record(event, stream);
    if (error)
        return 0;
    uint64_t passed;
    do {
        error = tw_cuda.event_query(event);
        passed = tw_now_ns() - start_ns;
    } while (error == CU_NOT_READY && passed < PATIENCE_NS);
    return error ? 0 : passed;
}

/* Records a base event, at most TRIES times, until its time by the host's clock is known closely enough. */
static bool record_base(struct tw_cuda_base *base, cu_stream stream)
{
    uint64_t passed = CLOSE_NS + 1;
    for (unsigned try = 0; try < TRIES && passed > CLOSE_NS; ++try) {
        const uint64_t start_ns = tw_now_ns();
        if (!(passed = record(base->event, stream, start_ns)))
            return false;
        base->host_ns = start_ns + passed / 2;
    }
    return true;
}

static bool is_unused(struct tw_cuda_base *base)
{
    return atomic_load_explicit(&base->users, memory_order_acquire) == 0; /* all readers have finished */
}

/* Records a base anew, if one is unused. */
static void renew_base_locked(struct tw_cuda_device *device)
{
    const bool first_is_newer = device->base == &device->bases[0];
    struct tw_cuda_base *older = &device->bases[first_is_newer], *newer = &device->bases[!first_is_newer];
    struct tw_cuda_base *base = is_unused(older) ? older : newer;
    cu_stream stream;
    if (!is_unused(base) || !make_event(&base->event) || tw_cuda_take_stream(device, &stream))
        return;
    if (record_base(base, stream))
        device->base = base;
    else if (base == device->base)
        device->base = NULL;
    tw_cuda_give_stream(device, stream);
}

/* Returns a base for one launch, and counts the launch as its user; NULL if there is none. */
static struct tw_cuda_base *take_base(struct tw_cuda_device *device)
{
    pthread_mutex_lock(&device->clock);
    if (!device->base || tw_now_ns() - device->base->host_ns >= RENEW_NS)
        renew_base_locked(device);
    struct tw_cuda_base *base = device->base;
    if (base)
        atomic_fetch_add_explicit(&base->users, 1, memory_order_relaxed);
    pthread_mutex_unlock(&device->clock);
    return base;
}

void tw_cuda_close_clock(struct tw_cuda_device *device)
{
    for (size_t i = 0; i < 2; ++i)
        if (device->bases[i].event)
            (void)tw_cuda.event_destroy(device->bases[i].event);
}

static void drop(struct tw_cuda_timing *timing)
{
    atomic_fetch_sub_explicit(&timing->base->users, 1, memory_order_release);
    timing->base = NULL;
}

struct tw_cuda_timing *tw_cuda_times_begin(struct tw_cuda_times *times, struct tw_cuda_device *device,
                                           uint64_t sequence, cu_stream stream)
{
    if (!times->timings && !(times->timings = calloc(TW_STREAM_DEPTH, sizeof *times->timings)))
        return NULL;
    struct tw_cuda_timing *timing = &times->timings[sequence % TW_STREAM_DEPTH];
    timing->base = take_base(device);
    if (!timing->base)
        return NULL;
    timing->begun_ns = tw_now_ns();
    if (make_event(&timing->start) && make_event(&timing->end) && !tw_cuda.event_record(timing->start, stream))
        return timing;
    drop(timing);
    return NULL;
}

void tw_cuda_times_end(struct tw_cuda_timing *timing, cu_stream stream, bool enqueued)
{
    if (!enqueued || tw_cuda.event_record(timing->end, stream))
        drop(timing);
}

/* Stores the nanoseconds between two events. */
static bool elapsed(cu_event start, cu_event end, int64_t *ns)
{
    float milliseconds = 0;
    if (tw_cuda.event_elapsed(&milliseconds, start, end))
        return false;
    *ns = (int64_t)((double)milliseconds * 1e6);
    return true;
}

void tw_cuda_times_read(struct tw_cuda_times *times, uint64_t sequence, struct tw_backend_times *result)
{
    struct tw_cuda_timing *timing = times->timings ? &times->timings[sequence % TW_STREAM_DEPTH] : NULL;
    int64_t length, until_end;
    if (!timing || !timing->base)
        return;
    /* the launch is over, so this rarely waits for the event behind it */
    const bool known = !tw_cuda.event_synchronize(timing->end) && elapsed(timing->start, timing->end, &length)
                       && elapsed(timing->base->event, timing->end, &until_end);
    const uint64_t base_ns = timing->base->host_ns;
    drop(timing);
    if (!known)
        return;
    /* the device's clock drifts: no launch begins before it is enqueued, or before the last one has ended */
    const uint64_t start_ns = base_ns + (uint64_t)until_end - (uint64_t)length;
    const uint64_t earliest_ns = timing->begun_ns > times->last_end_ns ? timing->begun_ns : times->last_end_ns;
    result->start_ns = start_ns > earliest_ns ? start_ns : earliest_ns;
    result->end_ns = times->last_end_ns = result->start_ns + (uint64_t)length;
}

void tw_cuda_times_close(struct tw_cuda_times *times)
{
    for (size_t i = 0; times->timings && i < TW_STREAM_DEPTH; ++i) {
        if (times->timings[i].start)
            (void)tw_cuda.event_destroy(times->timings[i].start);
        if (times->timings[i].end)
            (void)tw_cuda.event_destroy(times->timings[i].end);
    }
    free(times->timings);
}
