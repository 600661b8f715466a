/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two buffers, of which a device has room for one: what is used gets the memory of what is idle. One device goes through
 * both in turn; then two devices work on one each, and change them after each turn. On GPUs other memory fills most of
 * the device, so that not all of it has to move.
 */
#include "../harness/bench_teamwork.h"
#include "multi.h"

enum { SAMPLE = 4096 };

struct add_one {
    TW_VIEW(unsigned) x;
};
static inline void add_one(tw_item item, const struct add_one *k)
{
    ++tw_at(k->x, tw_global_id(item, 0));
}
TW_RANGE_KERNEL(add_one, 1);

struct unlike {
    TW_VIEW(const unsigned) x;
    unsigned value;
    TW_REDUCTION(unsigned long long, TW_SUM) count;
};
static inline void unlike(tw_item item, const struct unlike *k)
{
    tw_combine(k->count, (unsigned long long)(tw_at(k->x, tw_global_id(item, 0)) != k->value));
}
TW_RANGE_REDUCTION(unlike, 1, count);

struct pressure {
    struct multi *multi;
    tw_buffer *buffers[2], *count;
    void *ballast[2];
    size_t elements; /* of a buffer */
    unsigned values[2];
};

static bool submit_add(struct pressure *p, unsigned device, unsigned buffer)
{
    tw_queue *queue = p->multi->queues[device];
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(p->elements), add_one, .x = TW_READ_WRITE_VIEW(cg, p->buffers[buffer]));
    ++p->values[buffer];
    return bench_passed(tw_queue_submit(queue, cg, NULL));
}

/* One device, one buffer after the other. */
static bool alternate(struct pressure *p, unsigned turn)
{
    (void)turn;
    return submit_add(p, 0, 0) && multi_wait(p->multi, 1) && submit_add(p, 0, 1) && multi_wait(p->multi, 1);
}

/* Two devices, one buffer each, the other one in the next turn. */
static bool change(struct pressure *p, unsigned turn)
{
    const bool done = submit_add(p, 0, turn % 2) && submit_add(p, 1, 1 - turn % 2);
    return multi_wait(p->multi, 2) && done;
}

static bool buffer_is_right(struct pressure *p, unsigned buffer)
{
    tw_queue *queue = p->multi->queues[buffer];
    unsigned long long wrong = 1;
    unsigned some[SAMPLE];
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(p->elements), unlike, .x = TW_READ_VIEW(cg, p->buffers[buffer]),
                    .value = p->values[buffer], .count = TW_REDUCE_INIT(cg, p->count));
    if (!bench_passed(tw_queue_submit(queue, cg, NULL)) || !bench_passed(tw_buffer_read(p->count, &wrong))
        || !bench_passed(
            tw_buffer_read_part(p->buffers[buffer], tw_id_1d(p->elements - SAMPLE), tw_range_1d(SAMPLE), some)))
        return false;
    bool right = wrong == 0;
    for (unsigned i = 0; i < SAMPLE; ++i)
        right = right && some[i] == p->values[buffer];
    if (!right)
        fprintf(stderr, "buffer %u has %llu wrong elements under pressure\n", buffer, wrong);
    return right;
}

static bool measure(struct pressure *p, const char *variant, bool (*turn)(struct pressure *p, unsigned turn))
{
    enum { BEFORE = 2 }; /* turns that are not measured: they allocate the host's memory */
    double samples[MULTI_MOST_ROUNDS];
    char parameter[40];
    const unsigned rounds = p->multi->rounds < 5 ? p->multi->rounds : 5;
    for (unsigned i = 0; i < rounds + BEFORE; ++i) {
        const double start = bench_now();
        if (!turn(p, i))
            return false;
        if (i >= BEFORE)
            samples[i - BEFORE] = bench_now() - start;
    }
    const double median = bench_summarize(samples, rounds).median;
    const double bytes = 2.0 * sizeof(unsigned) * (double)p->elements;
    snprintf(parameter, sizeof parameter, "GB of both=%.3g", bytes * 1e-9);
    multi_row(p->multi, "pressure", "Teamwork", variant, parameter, median * 1e3, "ms", 0);
    multi_row(p->multi, "pressure", "Teamwork", "the rate of that", parameter, bytes / median * 1e-9, "GB/s", 0);
    return buffer_is_right(p, 0) && buffer_is_right(p, 1);
}

/* Takes memory of a device until `room` bytes are left, or a little less. */
static void *take_all_but(tw_device *device, size_t memory, size_t room)
{
    void *ballast = NULL;
    for (size_t bytes = memory - room; !ballast && bytes > room; bytes -= room / 32)
        ballast = tw_malloc_device(device, bytes);
    return ballast;
}

bool multi_pressure(struct multi *multi)
{
    const unsigned zero = 0;
    struct pressure p = {.multi = multi};
    if (!multi->memory || (!multi->gpu && multi->memory > 1u << 30)) {
        printf("pressure  needs devices with little memory, such as TW_SIM_MEMORY=8388608\n");
        return true;
    }
    const size_t room = multi->gpu ? (size_t)8 << 30 : multi->memory;
    p.elements = room / 10 * 6 / sizeof zero;
    bool right = bench_passed(tw_buffer_create(sizeof(unsigned long long), tw_range_1d(1), &p.count));
    for (unsigned i = 0; i < 2 && right; ++i) {
        if (multi->memory > 2 * room && !(p.ballast[i] = take_all_but(multi->devices[i], multi->memory, room)))
            right = bench_passed(TW_ERROR_OUT_OF_DEVICE_MEMORY);
        right = right && bench_passed(tw_buffer_create(sizeof zero, tw_range_1d(p.elements), &p.buffers[i]));
        tw_command_group *cg = tw_queue_begin(multi->queues[i]);
        if (right)
            tw_fill(cg, p.buffers[i], &zero);
        right = bench_passed(tw_queue_submit(multi->queues[i], cg, NULL)) && right;
    }
    right = multi_wait(multi, 2) && right && measure(&p, "one device, each buffer in turn", alternate)
            && measure(&p, "two devices, which change buffers", change);
    tw_buffer_destroy(&p.buffers[0]);
    tw_buffer_destroy(&p.buffers[1]);
    tw_buffer_destroy(&p.count);
    tw_free(p.ballast[0]);
    tw_free(p.ballast[1]);
    return right;
}
