/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams), serial */
/**
 * Thousands of random sequences of groups and host accesses over several buffers, modes, queues and devices, against an
 * oracle that does the same one after the other. A failure prints its seed; TW_TEST_SEED runs that sequence alone.
 */
#include "unsigned_kernels.h"

enum { N = 48, BUFFERS = 4, QUEUES = 4, SEQUENCES = 500, LONGEST = 50 };

/* Writes every third element only. */
struct seq_partial {
    unsigned *x, v, first;
};
static inline void seq_partial(tw_item item, const struct seq_partial *k)
{
    const size_t i = 3 * tw_global_id(item, 0) + k->first;
    k->x[i] = k->v;
}
TW_RANGE_KERNEL(seq_partial, 1);

/* ---- the state of one sequence ----------------------------------------------------------------------------------- */

struct sequence {
    unsigned seed, step;
    uint64_t random;
    tw_queue *queues[QUEUES];
    tw_buffer *buffers[BUFFERS];
    bool over[BUFFERS]; /* created over host[b], to which its contents return */
    unsigned host[BUFFERS][N];
    unsigned oracle[BUFFERS][N];
};

static void compare(const struct sequence *s, unsigned b, const unsigned *got, const char *where)
{
    for (unsigned i = 0; i < N; ++i) {
        if (got[i] == s->oracle[b][i])
            continue;
        fprintf(stderr, "TW_TEST_SEED=%u, step %u, %s: buffer %u holds %u at %u, not %u\n", s->seed, s->step, where, b,
                got[i], i, s->oracle[b][i]);
        TW_CHECK(!"the buffer holds what the oracle says");
    }
}

static void create(struct sequence *s, unsigned b)
{
    const unsigned kind = tw_test_random(&s->random, 3);
    for (unsigned i = 0; i < N; ++i)
        s->host[b][i] = s->oracle[b][i] = tw_test_random(&s->random, 1000);
    s->over[b] = kind == 0;
    if (kind == 0) {
        TW_PASS(tw_buffer_create_over(s->host[b], sizeof(unsigned), tw_range_1d(N), &s->buffers[b]));
    } else if (kind == 1) {
        TW_PASS(tw_buffer_create_copy(s->host[b], sizeof(unsigned), tw_range_1d(N), &s->buffers[b]));
    } else {
        TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_1d(N), &s->buffers[b]));
        tw_test_store(s->buffers[b], s->host[b]);
    }
}

static void destroy(struct sequence *s, unsigned b)
{
    TW_PASS(tw_buffer_destroy(&s->buffers[b]));
    if (s->over[b])
        compare(s, b, s->host[b], "destruction");
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void record_one(struct sequence *s, tw_command_group *cg, unsigned kind, unsigned b)
{
    const unsigned a = 2 * tw_test_random(&s->random, 50) + 1, v = tw_test_random(&s->random, 1000),
                   first = tw_test_random(&s->random, 3);
    unsigned *o = s->oracle[b];
    tw_buffer *buffer = s->buffers[b];
    if (kind == 0) {
        tw_parallel_for(cg, tw_range_1d(N), count_from, .x = tw_discard_write(cg, buffer), .value = v);
        for (unsigned i = 0; i < N; ++i)
            o[i] = v + i;
    } else if (kind == 1) {
        tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, buffer), .a = a, .b = v);
        for (unsigned i = 0; i < N; ++i)
            o[i] = a * o[i] + v;
    } else if (kind == 2) {
        tw_parallel_for(cg, tw_range_1d(N / 3), seq_partial, .x = tw_write(cg, buffer), .v = v, .first = first);
        for (unsigned i = first; i < N; i += 3)
            o[i] = v;
    } else if (kind == 3) {
        unsigned reversed[N];
        tw_parallel_for_work_group(cg, tw_range_1d(N / REVERSED), tw_range_1d(REVERSED), reverse,
                                   .x = tw_read_write(cg, buffer));
        for (unsigned i = 0; i < N; ++i)
            reversed[i] = o[reversed_at(i)];
        memcpy(o, reversed, sizeof reversed);
    } else { /* accessors without a kernel: moves data, changes none */
        tw_access(cg, buffer, tw_test_random(&s->random, 2) ? TW_READ : TW_READ_WRITE, TW_GLOBAL);
    }
}

/* z = x + a y, where any of the three may be the same buffer: the union of the accessors decides. */
static void record_combine(struct sequence *s, tw_command_group *cg)
{
    const unsigned x = tw_test_random(&s->random, BUFFERS), y = tw_test_random(&s->random, BUFFERS),
                   z = tw_test_random(&s->random, BUFFERS), a = tw_test_random(&s->random, 100);
    const tw_access_target target = tw_test_random(&s->random, 2) ? TW_GLOBAL : TW_CONSTANT;
    const bool first = tw_test_random(&s->random, 2);
    unsigned *out = first ? tw_discard_write(cg, s->buffers[z]) : NULL;
    const unsigned *in = tw_access(cg, s->buffers[x], TW_READ, target), *other = tw_read(cg, s->buffers[y]);
    if (!first)
        out = tw_access(cg, s->buffers[z], tw_test_random(&s->random, 2) ? TW_WRITE : TW_DISCARD_WRITE, TW_GLOBAL);
    tw_parallel_for(cg, tw_range_1d(N), combine, .x = in, .y = other, .z = out, .a = a);
    for (unsigned i = 0; i < N; ++i)
        s->oracle[z][i] = s->oracle[x][i] + a * s->oracle[y][i];
}

static void submit_something(struct sequence *s)
{
    tw_queue *queue = s->queues[tw_test_random(&s->random, QUEUES)];
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    const unsigned kind = tw_test_random(&s->random, 8), wait = tw_test_random(&s->random, 20);
    if (kind < 5)
        record_one(s, cg, kind, tw_test_random(&s->random, BUFFERS));
    else
        record_combine(s, cg);
    TW_PASS(tw_queue_submit(queue, cg, wait ? NULL : &event));
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
}

/* ---- the host ---------------------------------------------------------------------------------------------------- */

/* Reads or changes a buffer on the host; while the accessor is open another group is submitted, which may have to wait.
 */
static void access_on_host(struct sequence *s)
{
    static const tw_access_mode modes[] = {TW_READ,       TW_READ,          TW_WRITE,
                                           TW_READ_WRITE, TW_DISCARD_WRITE, TW_DISCARD_READ_WRITE};
    const unsigned b = tw_test_random(&s->random, BUFFERS), v = tw_test_random(&s->random, 1000);
    const tw_access_mode mode = modes[tw_test_random(&s->random, 6)];
    unsigned before[N];
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(s->buffers[b], mode, &accessor));
    unsigned *data = tw_host_accessor_data(accessor);
    if (mode == TW_READ || mode == TW_WRITE || mode == TW_READ_WRITE)
        compare(s, b, data, "host access");
    if (mode == TW_WRITE || mode == TW_READ_WRITE)
        data[v % N] = s->oracle[b][v % N] = v;
    if (mode == TW_DISCARD_WRITE || mode == TW_DISCARD_READ_WRITE)
        for (unsigned i = 0; i < N; ++i)
            data[i] = s->oracle[b][i] = v * i;
    memcpy(before, s->oracle[b], sizeof before);
    if (tw_test_random(&s->random, 2)) {
        tw_queue *queue = s->queues[tw_test_random(&s->random, QUEUES)];
        tw_command_group *cg = tw_queue_begin(queue);
        record_one(s, cg, tw_test_random(&s->random, 5), tw_test_random(&s->random, BUFFERS));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        for (unsigned i = 0; i < N; ++i) /* whatever it does, not while this is open */
            TW_EQUAL(data[i], before[i]);
    }
    tw_host_accessor_release(&accessor);
}

static void run_sequence(struct sequence *s, unsigned seed)
{
    s->seed = seed;
    s->random = 0x9e3779b97f4a7c15u * (seed + 1);
    for (unsigned b = 0; b < BUFFERS; ++b)
        create(s, b);
    const unsigned length = 1 + tw_test_random(&s->random, LONGEST);
    for (s->step = 0; s->step < length; ++s->step) {
        const unsigned what = tw_test_random(&s->random, 20);
        const unsigned b = tw_test_random(&s->random, BUFFERS);
        if (what < 15) {
            submit_something(s);
        } else if (what < 18) {
            access_on_host(s);
        } else if (what == 18) {
            destroy(s, b);
            create(s, b);
        } else {
            TW_PASS(tw_queue_wait(s->queues[tw_test_random(&s->random, QUEUES)]));
        }
    }
    for (unsigned b = 0; b < BUFFERS; ++b) {
        unsigned got[N];
        tw_test_fetch(s->buffers[b], got);
        compare(s, b, got, "the end");
        destroy(s, b);
    }
}

/* Queues on all visible devices, and one on the host, which shares memory with the program. */
static void run_sequences(void)
{
    static struct sequence sequence;
    const char *one = getenv("TW_TEST_SEED");
    tw_test_queues(sequence.queues, QUEUES - 1);
    TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &sequence.queues[QUEUES - 1]));
    if (one)
        run_sequence(&sequence, (unsigned)strtoul(one, NULL, 10));
    else
        for (unsigned seed = 0; seed < SEQUENCES; ++seed)
            run_sequence(&sequence, seed);
    tw_test_destroy_queues(sequence.queues, QUEUES);
}

TW_TEST(random_sequences_on_the_devices_under_test)
{
    run_sequences();
}

TW_TEST(random_sequences_between_the_device_and_simulated_ones)
{
    tw_device *devices[16];
    char list[128];
    const char *visible = getenv("TW_DEVICES");
    if (visible && !strcmp(visible, "sim"))
        TW_SKIP();
    snprintf(list, sizeof list, "%s,sim", visible ? visible : "host");
    setenv("TW_SIM", "2", 1);
    setenv("TW_DEVICES", list, 1);
    TW_CHECK(tw_test_devices(devices, 16) >= 3);
    run_sequences();
}

TW_TEST_LIST = {TW_CASE(random_sequences_on_the_devices_under_test),
                TW_CASE(random_sequences_between_the_device_and_simulated_ones), TW_CASES_END};
