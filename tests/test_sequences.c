/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams), serial */
/**
 * Thousands of random sequences of groups and host accesses over several buffers, modes, queues and devices, against an
 * oracle that does the same one after the other. A failure prints its seed; TW_TEST_SEED runs that sequence alone.
 */
#include "tw_test.h"

enum { N = 48, BUFFERS = 4, QUEUES = 4, SEQUENCES = 1500, LONGEST = 50 };

struct seq_fill {
    unsigned *x, v;
};
static inline void seq_fill(tw_item item, const struct seq_fill *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = k->v + (unsigned)i;
}
TW_RANGE_KERNEL(seq_fill, 1);

struct seq_update {
    unsigned *x, a, v;
};
static inline void seq_update(tw_item item, const struct seq_update *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = k->a * k->x[i] + k->v;
}
TW_RANGE_KERNEL(seq_update, 1);

struct seq_combine {
    const unsigned *x, *y;
    unsigned *z, a;
};
static inline void seq_combine(tw_item item, const struct seq_combine *k)
{
    const size_t i = tw_global_id(item, 0);
    k->z[i] = k->x[i] + k->a * k->y[i];
}
TW_RANGE_KERNEL(seq_combine, 1);

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

/* Reverses the elements in groups of 16. */
struct seq_reverse {
    unsigned *x;
};
static inline void seq_reverse(tw_group group, const struct seq_reverse *k)
{
    TW_LOCAL(unsigned, tile, [16]);
    tw_parallel_for_work_item(group, item) {
        tile[tw_local_id(item, 0)] = k->x[tw_global_id(item, 0)];
    }
    tw_parallel_for_work_item(group, item) {
        k->x[tw_global_id(item, 0)] = tile[15 - tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(seq_reverse, 16);

/* ---- the state of one sequence
 * ------------------------------------------------------------------------------------------ */

struct sequence {
    unsigned seed, step;
    uint64_t random;
    tw_queue *queues[QUEUES];
    tw_buffer *buffers[BUFFERS];
    bool over[BUFFERS]; /* created over host[b], to which its contents return */
    unsigned host[BUFFERS][N];
    unsigned oracle[BUFFERS][N];
};

static unsigned pick(struct sequence *s, unsigned below)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (unsigned)(s->random >> 33) % below;
}

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
    const unsigned kind = pick(s, 3);
    for (unsigned i = 0; i < N; ++i)
        s->host[b][i] = s->oracle[b][i] = pick(s, 1000);
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

/* ---- groups
 * ---------------------------------------------------------------------------------------------------------------- */

static void record_one(struct sequence *s, tw_command_group *cg, unsigned kind, unsigned b)
{
    const unsigned a = 2 * pick(s, 50) + 1, v = pick(s, 1000), first = pick(s, 3);
    unsigned *o = s->oracle[b];
    tw_buffer *buffer = s->buffers[b];
    if (kind == 0) {
        tw_parallel_for(cg, tw_range_1d(N), seq_fill, .x = tw_discard_write(cg, buffer), .v = v);
        for (unsigned i = 0; i < N; ++i)
            o[i] = v + i;
    } else if (kind == 1) {
        tw_parallel_for(cg, tw_range_1d(N), seq_update, .x = tw_read_write(cg, buffer), .a = a, .v = v);
        for (unsigned i = 0; i < N; ++i)
            o[i] = a * o[i] + v;
    } else if (kind == 2) {
        tw_parallel_for(cg, tw_range_1d(N / 3), seq_partial, .x = tw_write(cg, buffer), .v = v, .first = first);
        for (unsigned i = first; i < N; i += 3)
            o[i] = v;
    } else if (kind == 3) {
        unsigned reversed[N];
        tw_parallel_for_work_group(cg, tw_range_1d(N / 16), tw_range_1d(16), seq_reverse,
                                   .x = tw_read_write(cg, buffer));
        for (unsigned i = 0; i < N; ++i)
            reversed[i] = o[i / 16 * 16 + 15 - i % 16];
        memcpy(o, reversed, sizeof reversed);
    } else { /* accessors without a kernel: moves data, changes none */
        tw_access(cg, buffer, pick(s, 2) ? TW_READ : TW_READ_WRITE, TW_GLOBAL);
    }
}

/* z = x + a y, where any of the three may be the same buffer: the union of the accessors decides. */
static void record_combine(struct sequence *s, tw_command_group *cg)
{
    const unsigned x = pick(s, BUFFERS), y = pick(s, BUFFERS), z = pick(s, BUFFERS), a = pick(s, 100);
    const tw_access_target target = pick(s, 2) ? TW_GLOBAL : TW_CONSTANT;
    const bool first = pick(s, 2);
    unsigned *out = first ? tw_discard_write(cg, s->buffers[z]) : NULL;
    const unsigned *in = tw_access(cg, s->buffers[x], TW_READ, target), *other = tw_read(cg, s->buffers[y]);
    if (!first)
        out = tw_access(cg, s->buffers[z], pick(s, 2) ? TW_WRITE : TW_DISCARD_WRITE, TW_GLOBAL);
    tw_parallel_for(cg, tw_range_1d(N), seq_combine, .x = in, .y = other, .z = out, .a = a);
    for (unsigned i = 0; i < N; ++i)
        s->oracle[z][i] = s->oracle[x][i] + a * s->oracle[y][i];
}

static void submit_something(struct sequence *s)
{
    tw_queue *queue = s->queues[pick(s, QUEUES)];
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    const unsigned kind = pick(s, 8), wait = pick(s, 20);
    if (kind < 5)
        record_one(s, cg, kind, pick(s, BUFFERS));
    else
        record_combine(s, cg);
    TW_PASS(tw_queue_submit(queue, cg, wait ? NULL : &event));
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
}

/* ---- the host
 * ---------------------------------------------------------------------------------------------------------------- */

/* Reads or changes a buffer on the host; while the accessor is open another group is submitted, which may have to wait.
 */
static void access_on_host(struct sequence *s)
{
    static const tw_access_mode modes[] = {TW_READ,       TW_READ,          TW_WRITE,
                                           TW_READ_WRITE, TW_DISCARD_WRITE, TW_DISCARD_READ_WRITE};
    const unsigned b = pick(s, BUFFERS), v = pick(s, 1000);
    const tw_access_mode mode = modes[pick(s, 6)];
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
    if (pick(s, 2)) {
        tw_queue *queue = s->queues[pick(s, QUEUES)];
        tw_command_group *cg = tw_queue_begin(queue);
        record_one(s, cg, pick(s, 5), pick(s, BUFFERS));
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
    const unsigned length = 1 + pick(s, LONGEST);
    for (s->step = 0; s->step < length; ++s->step) {
        const unsigned what = pick(s, 20);
        const unsigned b = pick(s, BUFFERS);
        if (what < 15) {
            submit_something(s);
        } else if (what < 18) {
            access_on_host(s);
        } else if (what == 18) {
            destroy(s, b);
            create(s, b);
        } else {
            TW_PASS(tw_queue_wait(s->queues[pick(s, QUEUES)]));
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
