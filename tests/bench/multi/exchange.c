/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two buffers that change places between two devices: each has been written on one, and is brought to the other; one of
 * them alone, or both at once. In CUDA: cudaMemcpyPeerAsync on a stream of each device. The sides take turns.
 */
#include <string.h>

#include "../harness/bench_teamwork.h"
#include "multi.h"

struct increment {
    TW_VIEW(unsigned) x;
};
static inline void increment(tw_item item, const struct increment *k)
{
    ++tw_at(k->x, tw_global_id(item, 0));
}
TW_RANGE_KERNEL(increment, 1);

enum { TEAMWORK_ONE, TEAMWORK_BOTH, CUDA_ONE, CUDA_BOTH, WAYS };

struct exchange {
    struct multi *multi;
    tw_buffer *buffers[2];
    size_t count;        /* elements */
    unsigned at[2];      /* the device that wrote each last */
    unsigned written[2]; /* how often */
    void *cuda;
    double samples[WAYS][MULTI_MOST_ROUNDS];
    bool right;
};

/* Lets a device write a buffer, so that it is nowhere else. */
static bool write_on(struct exchange *e, unsigned buffer, unsigned device)
{
    tw_queue *queue = e->multi->queues[device];
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(e->count), increment, .x = TW_READ_WRITE_VIEW(cg, e->buffers[buffer]));
    ++e->written[buffer];
    e->at[buffer] = device;
    return bench_passed(tw_queue_submit(queue, cg, NULL)) && bench_passed(tw_queue_wait(queue));
}

static bool bring(struct exchange *e, unsigned buffer)
{
    tw_queue *queue = e->multi->queues[1 - e->at[buffer]];
    tw_command_group *cg = tw_queue_begin(queue);
    tw_prefetch(cg, e->buffers[buffer]);
    return bench_passed(tw_queue_submit(queue, cg, NULL));
}

/* Seconds until the buffers are at the other device; below 0: failed. */
static double time_teamwork(struct exchange *e, unsigned buffers)
{
    bool done = true;
    const double start = bench_now();
    for (unsigned i = 0; i < buffers; ++i)
        done = bring(e, i) && done;
    for (unsigned i = 0; i < buffers; ++i)
        done = bench_passed(tw_queue_wait(e->multi->queues[1 - e->at[i]])) && done;
    const double seconds = bench_now() - start;
    for (unsigned i = 0; i < buffers; ++i)
        done = write_on(e, i, 1 - e->at[i]) && done;
    return done ? seconds : -1;
}

static double time_cuda(struct exchange *e, bool both)
{
#ifdef MULTI_HAVE_CUDA
    const double start = bench_now();
    return multi_cuda_exchange(e->cuda, both) ? bench_now() - start : -1;
#else
    (void)e, (void)both;
    return -1;
#endif
}

static void take_turn(void *user, size_t way, unsigned round)
{
    struct exchange *e = user;
    if (!e->right)
        return;
    const double seconds =
        way < CUDA_ONE ? time_teamwork(e, way == TEAMWORK_BOTH ? 2 : 1) : time_cuda(e, way == CUDA_BOTH);
    e->samples[way][round] = seconds;
    e->right = seconds >= 0;
}

static bool buffer_is_right(const struct exchange *e, unsigned buffer)
{
    tw_host_accessor *accessor = NULL;
    if (!bench_passed(tw_host_access(e->buffers[buffer], TW_READ, &accessor)))
        return false;
    const unsigned *data = tw_host_accessor_const_data(accessor);
    bool right = true;
    for (size_t i = 0; i < e->count && right; ++i)
        right = data[i] == e->written[buffer];
    tw_host_accessor_release(&accessor);
    if (!right)
        fprintf(stderr, "buffer %u of the exchange is wrong\n", buffer);
    return right;
}

static bool open_sides(struct exchange *e)
{
    const unsigned zero = 0;
    bool done = true;
    for (unsigned i = 0; i < 2 && done; ++i) {
        done = bench_passed(tw_buffer_create(sizeof zero, tw_range_1d(e->count), &e->buffers[i]));
        tw_command_group *cg = done ? tw_queue_begin(e->multi->queues[i]) : NULL;
        if (done)
            tw_fill(cg, e->buffers[i], &zero);
        done = done && bench_passed(tw_queue_submit(e->multi->queues[i], cg, NULL)) && write_on(e, i, i);
    }
#ifdef MULTI_HAVE_CUDA
    e->cuda = multi_cuda_open(e->count * sizeof zero);
    done = done && e->cuda;
#endif
    return done;
}

static void close_sides(struct exchange *e)
{
    tw_buffer_destroy(&e->buffers[0]);
    tw_buffer_destroy(&e->buffers[1]);
#ifdef MULTI_HAVE_CUDA
    multi_cuda_close(e->cuda);
#endif
}

static bool is_right(struct exchange *e)
{
#ifdef MULTI_HAVE_CUDA
    if (!multi_cuda_is_right(e->cuda, true)) {
        fprintf(stderr, "the exchange in CUDA is wrong\n");
        return false;
    }
#endif
    return buffer_is_right(e, 0) && buffer_is_right(e, 1);
}

static bool measure(struct multi *multi, size_t bytes)
{
    static const char *const names[WAYS] = {[TEAMWORK_ONE] = "one way",
                                            [TEAMWORK_BOTH] = "both at once",
                                            [CUDA_ONE] = "one way",
                                            [CUDA_BOTH] = "both at once"};
    struct exchange e = {.multi = multi, .count = bytes / sizeof(unsigned)};
#ifdef MULTI_HAVE_CUDA
    const size_t ways = WAYS;
#else
    const size_t ways = CUDA_ONE;
#endif
    char parameter[40];
    e.right = open_sides(&e);
    for (size_t way = 0; way < ways; ++way)
        take_turn(&e, way, 0);
    bench_take_rounds(0, (struct bench_effort){multi->rounds, multi->rounds, 0}, ways, take_turn, &e);
    e.right = e.right && is_right(&e);
    snprintf(parameter, sizeof parameter, "bytes=%zu", bytes);
    for (size_t way = 0; way < ways && e.right; ++way) {
        const char *side = way < CUDA_ONE ? "Teamwork" : "CUDA";
        const double median = bench_summarize(e.samples[way], multi->rounds).median;
        const double moved = (double)bytes * (way == TEAMWORK_BOTH || way == CUDA_BOTH ? 2 : 1);
        char variant[60];
        multi_row(multi, "exchange", side, names[way], parameter, median * 1e6, "us", 0);
        snprintf(variant, sizeof variant, "%s, rate", names[way]);
        multi_row(multi, "exchange", side, variant, parameter, moved / median * 1e-9, "GB/s", 0);
    }
    close_sides(&e);
    return e.right;
}

bool multi_exchange(struct multi *multi)
{
    static const size_t sizes[] = {1u << 12, 1u << 20, 1u << 26, 1u << 30};
    bool right = true;
    for (size_t i = 0; i < (multi->quick ? 2 : sizeof sizes / sizeof *sizes) && right; ++i)
        right = measure(multi, sizes[i]);
    return right;
}
