/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * algorithms.h: random programs that mix algorithms with kernels, on several queues and in command graphs, against a
 * model on the host: each step reads what others write, some take their count from the device, and nothing waits.
 */
#include "algorithm_test.h"

#include <teamwork/command_graph.h>

enum { BUFFERS = 4, QUEUES = 3, WORDS = 40000, BINS = 100, MOST_RECORDED = 4 };
#ifdef FEW_SIZES
enum { PROGRAMS = 2, STEPS = 40 };
#else
enum { PROGRAMS = 12, STEPS = 60 };
#endif

static inline bool is_even(unsigned x)
{
    return x % 2 == 0;
}
static inline bool is_less_below(unsigned a, unsigned b)
{
    return a % 256 < b % 256;
}
static inline bool is_alike(unsigned a, unsigned b)
{
    return a % 8 == b % 8;
}

TW_SCAN(add_up, unsigned, tw_plus);
TW_SELECT(take_even, unsigned, is_even);
TW_SORT(sort_words, unsigned, tw_itself);
TW_SORT_BY(sort_by_byte, unsigned, is_less_below);
TW_REDUCE_BY_KEY(add_alike, unsigned, unsigned, is_alike, tw_plus);
TW_GATHER(gather_words, unsigned, unsigned);
TW_HISTOGRAM_EVEN(count_words, unsigned, unsigned);
TW_TOP_K(least_words, unsigned, tw_itself);
TW_REDUCE_ALL(sum_words, unsigned, tw_plus);
TW_SORT_PAIRS(sort_pairs, unsigned, unsigned);
TW_PARTITION(part_even, unsigned, is_even);
TW_SELECT_FLAGGED(take_flagged, unsigned);
TW_SCATTER(scatter_words, unsigned, unsigned);
TW_SHUFFLE(shuffle_words, unsigned);
TW_MERGE(merge_words, unsigned, tw_less);
TW_LOWER_BOUND(find_words, unsigned, tw_less);
TW_HISTOGRAM_RANGE(count_between, unsigned, unsigned);
TW_SEGMENTED_SCAN(add_up_parts, unsigned, tw_plus);
TW_SEGMENTED_REDUCE(sum_parts, unsigned, tw_plus);

struct blend {
    unsigned *out;
    const unsigned *in;
    unsigned term;
};
static inline void blend(tw_item item, const struct blend *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->out[i] * 5 + k->in[i] + k->term;
}
TW_RANGE_KERNEL(blend, 1);

enum kind { BLEND, SUM, SUM_BEFORE, EVEN, SORT, SORT_BYTE, BY_KEY, GATHER, HISTOGRAM, LEAST, KINDS };

/* A step: from buffers `in` and `in2` to `out` and, by key, `out2`. Of `count` elements; or as many as the device has
   counted, if that is fewer. */
struct step {
    enum kind kind;
    unsigned in, in2, out, out2, term;
    size_t count;
    bool counted;
};

struct program {
    uint64_t random;
    unsigned *words[BUFFERS], *spare[2];
    size_t counted;
    tw_buffer *buffers[BUFFERS], *count;
    tw_queue *queues[QUEUES];
};

/* ---- the model --------------------------------------------------------------------------------------------------- */

static void order_by_byte(const unsigned *x, size_t count, unsigned shift, unsigned *y)
{
    size_t places[257] = {0};
    for (size_t i = 0; i < count; ++i)
        ++places[(x[i] >> shift & 255) + 1];
    for (unsigned b = 0; b < 256; ++b)
        places[b + 1] += places[b];
    for (size_t i = 0; i < count; ++i)
        y[places[x[i] >> shift & 255]++] = x[i];
}

static void order(const unsigned *x, size_t count, unsigned *spare, unsigned *y)
{
    order_by_byte(x, count, 0, spare);
    order_by_byte(spare, count, 8, y);
    order_by_byte(y, count, 16, spare);
    order_by_byte(spare, count, 24, y);
}

/* The `k` least elements of x, in their order. */
static void take_least(struct program *p, const unsigned *x, size_t count, size_t k, unsigned *y)
{
    if (k == 0 || count == 0)
        return;
    order(x, count, p->spare[0], p->spare[1]);
    k = k < count ? k : count;
    const unsigned last = p->spare[1][k - 1];
    size_t ties = 0, to = 0;
    while (ties < k && p->spare[1][k - 1 - ties] == last)
        ++ties;
    for (size_t i = 0; i < count; ++i)
        if (x[i] < last || (x[i] == last && ties && ties--))
            y[to++] = x[i];
}

static void apply(struct program *p, const struct step *s)
{
    const unsigned *x = p->words[s->in], *x2 = p->words[s->in2];
    unsigned *y = p->words[s->out], *y2 = p->words[s->out2], sum = s->kind == SUM_BEFORE ? s->term : 0;
    const size_t count = s->counted && p->counted < s->count ? p->counted : s->count;
    size_t to = 0;
    if (s->kind == HISTOGRAM)
        memset(y, 0, BINS * sizeof *y);
    for (size_t i = 0; i < count; ++i)
        switch (s->kind) {
        case BLEND:
            y[i] = y[i] * 5 + x[i] + s->term;
            break;
        case SUM:
            y[i] = sum += x[i];
            break;
        case SUM_BEFORE:
            sum += x[i]; /* x may be y */
            y[i] = sum - x[i];
            break;
        case EVEN:
            if (is_even(x[i]))
                y[to++] = x[i];
            break;
        case BY_KEY:
            if (i == 0 || !is_alike(x[i - 1], x[i])) {
                y[to] = x[i];
                y2[to++] = 0;
            }
            y2[to - 1] += x2[i];
            break;
        case GATHER:
            if (x2[i] < WORDS)
                y[i] = x[x2[i]];
            break;
        case HISTOGRAM:
            if (x[i] < 1u << 31)
                ++y[(unsigned long long)x[i] * BINS >> 31];
            break;
        default:
            break;
        }
    if (s->kind == SORT)
        order(x, count, p->spare[0], y);
    else if (s->kind == SORT_BYTE)
        order_by_byte(x, count, 0, y);
    else if (s->kind == LEAST)
        take_least(p, x, count, s->term % WORDS, y);
    if (s->kind == EVEN || s->kind == BY_KEY)
        p->counted = to;
}

/* ---- the library ------------------------------------------------------------------------------------------------- */

static void record(struct program *p, const struct step *s, tw_command_group *cg)
{
    unsigned *out = (unsigned *)tw_read_write(cg, p->buffers[s->out]);
    const unsigned *in = s->in == s->out ? out : (const unsigned *)tw_read(cg, p->buffers[s->in]), *in2 = NULL;
    unsigned *out2 = NULL;
    size_t *count = NULL;
    if (s->kind == BY_KEY || s->kind == GATHER)
        in2 = (const unsigned *)tw_read(cg, p->buffers[s->in2]);
    if (s->kind == BY_KEY)
        out2 = (unsigned *)tw_read_write(cg, p->buffers[s->out2]);
    if (s->kind == BY_KEY || s->kind == EVEN)
        count = (size_t *)tw_read_write(cg, p->count);
    if (s->counted)
        tw_count_on_device(cg, tw_read(cg, p->count));
    if (s->kind == BLEND)
        tw_parallel_for(cg, tw_range_1d(s->count), blend, .out = out, .in = in, .term = s->term);
    else if (s->kind == SUM)
        add_up_inclusive(cg, in, s->count, out);
    else if (s->kind == SUM_BEFORE)
        add_up_exclusive(cg, in, s->count, s->term, out);
    else if (s->kind == EVEN)
        take_even(cg, in, s->count, out, count);
    else if (s->kind == SORT)
        sort_words(cg, in, s->count, out);
    else if (s->kind == SORT_BYTE)
        sort_by_byte(cg, in, s->count, out);
    else if (s->kind == BY_KEY)
        add_alike(cg, in, in2, s->count, out, out2, count);
    else if (s->kind == GATHER)
        gather_words(cg, in, WORDS, in2, s->count, out);
    else if (s->kind == HISTOGRAM)
        count_words(cg, in, s->count, BINS, 0, 1u << 31, out);
    else
        least_words_smallest(cg, in, s->count, s->term % WORDS, out);
}

static void submit(struct program *p, const struct step *s, tw_queue *queue)
{
    tw_command_group *cg = tw_queue_begin(queue);
    record(p, s, cg);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

static void compare(struct program *p)
{
    size_t counted;
    tw_test_fetch(p->count, &counted);
    TW_EQUAL(counted, p->counted);
    for (unsigned b = 0; b < BUFFERS; ++b) {
        tw_test_fetch(p->buffers[b], p->spare[0]);
        TW_CHECK(memcmp(p->spare[0], p->words[b], WORDS * sizeof(unsigned)) == 0);
    }
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* A step that needs its buffers to be different ones has different ones. A kernel's count is the host's. */
static struct step any_step(struct program *p)
{
    struct step s = {.kind = (enum kind)tw_test_random(&p->random, KINDS)};
    const unsigned turn = tw_test_random(&p->random, BUFFERS);
    s.out = turn;
    s.in = (turn + 1) % BUFFERS;
    s.in2 = (turn + 2) % BUFFERS;
    s.out2 = (turn + 3) % BUFFERS;
    if (s.kind <= SUM_BEFORE && tw_test_random(&p->random, 3) == 0)
        s.in = s.out;
    s.term = tw_test_random(&p->random, 1u << 30);
    s.count = tw_test_random(&p->random, 3) ? 1 + tw_test_random(&p->random, WORDS) : WORDS;
    s.counted = s.kind != BLEND && s.kind != EVEN && s.kind != BY_KEY && tw_test_random(&p->random, 2);
    return s;
}

/* Some steps, recorded on a queue and repeated. */
static void run_graph(struct program *p, tw_queue *queue)
{
    struct step steps[MOST_RECORDED];
    const unsigned count = 1 + tw_test_random(&p->random, MOST_RECORDED), times = tw_test_random(&p->random, 3);
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    for (unsigned i = 0; i < count; ++i) {
        steps[i] = any_step(p);
        submit(p, &steps[i], queue);
    }
    TW_PASS(tw_queue_end_recording(queue, &graph));
    for (unsigned i = 0; i < times; ++i) {
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        for (unsigned k = 0; k < count; ++k)
            apply(p, &steps[k]);
    }
    tw_command_graph_destroy(&graph);
}

static void run_program(uint64_t seed)
{
    struct program p = {.random = seed, .counted = WORDS / 3};
    for (unsigned k = 0; k < 2; ++k)
        p.spare[k] = (unsigned *)room_for(sizeof(unsigned), WORDS);
    for (unsigned b = 0; b < BUFFERS; ++b) {
        p.words[b] = (unsigned *)room_for(sizeof(unsigned), WORDS);
        for (unsigned i = 0; i < WORDS; ++i)
            p.words[b][i] = b == 1 ? tw_test_random(&p.random, 2 * WORDS) : tw_test_random(&p.random, 1u << 31) * 2;
        TW_PASS(tw_buffer_create_copy(p.words[b], sizeof(unsigned), tw_range_1d(WORDS), &p.buffers[b]));
    }
    TW_PASS(tw_buffer_create_copy(&p.counted, sizeof p.counted, tw_range_1d(1), &p.count));
    for (unsigned q = 0; q < QUEUES; ++q)
        TW_PASS(tw_queue_create_with_properties(NULL, NULL, q ? 0 : TW_QUEUE_IN_ORDER, NULL, NULL, &p.queues[q]));
    for (unsigned i = 0; i < STEPS; ++i) {
        tw_queue *queue = p.queues[tw_test_random(&p.random, QUEUES)];
        snprintf(tw_test_state.note, sizeof tw_test_state.note, "seed %u, step %u", (unsigned)seed, i);
        if (tw_test_random(&p.random, 8) == 0) {
            run_graph(&p, queue);
        } else {
            const struct step step = any_step(&p);
            submit(&p, &step, queue);
            apply(&p, &step);
        }
        if (tw_test_random(&p.random, 16) == 0)
            compare(&p);
    }
    compare(&p);
    *tw_test_state.note = '\0';
    for (unsigned q = 0; q < QUEUES; ++q) {
        TW_PASS(tw_queue_wait_and_throw(p.queues[q]));
        TW_PASS(tw_queue_destroy(&p.queues[q]));
    }
    for (unsigned b = 0; b < BUFFERS; ++b)
        free(p.words[b]);
    for (unsigned k = 0; k < 2; ++k)
        free(p.spare[k]);
    tw_test_destroy_buffers(p.buffers, BUFFERS);
    TW_PASS(tw_buffer_destroy(&p.count));
}

TW_TEST(programs)
{
    for (uint64_t seed = 1; seed <= PROGRAMS; ++seed)
        run_program(seed);
}

/* ---- what does not fit --------------------------------------------------------------------------------------------- */

enum { ROOM = 64, OVER = ROOM + 1 };

/* Records an algorithm with arguments that do not fit, and expects it to be refused. `x`, `y`, `z` are of ROOM words, `n` of
   as many size_t. */
#define REFUSED(status, text, algorithm, ...)                                                                          \
    do {                                                                                                               \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        unsigned *x = (unsigned *)tw_write(cg, buffers[0]), *y = (unsigned *)tw_write(cg, buffers[1]),                 \
                 *z = (unsigned *)tw_write(cg, buffers[2]);                                                            \
        size_t *n = (size_t *)tw_write(cg, sizes);                                                                     \
        (void)x, (void)y, (void)z, (void)n;                                                                            \
        algorithm(cg, __VA_ARGS__);                                                                                    \
        tw_test_refuse(queue, cg, status, text);                                                                       \
    } while (0)
#define TOO_MANY(argument, algorithm, ...) REFUSED(TW_ERROR_INVALID_RANGE, "argument " argument, algorithm, __VA_ARGS__)
#define OVERLAPPING(algorithm, ...) REFUSED(TW_ERROR_INVALID_ARGUMENT, "memory of its own", algorithm, __VA_ARGS__)

TW_TEST(more_elements_than_there_are)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffers[3], *sizes = NULL, *few = NULL;
    for (int i = 0; i < 3; ++i)
        buffers[i] = tw_test_ints(ROOM, 1);
    TW_PASS(tw_buffer_create(sizeof(size_t), tw_range_1d(ROOM), &sizes));
    TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_1d(8), &few));
    unsigned *small = NULL;

    TOO_MANY("in", sum_words, x, OVER, 0, y);
    TOO_MANY("out", sum_words, x, 1, 0, (unsigned *)((char *)(y + ROOM) - 2));
    TOO_MANY("in", add_up_inclusive, x + 1, ROOM, y);
    TOO_MANY("out", add_up_exclusive, x, ROOM, 0, y + 1);
    TOO_MANY("in", take_even, x, OVER, y, n);
    TOO_MANY("selected", take_even, x, ROOM, y, (size_t *)((char *)(n + ROOM) - 4));
    TOO_MANY("out", part_even, x, ROOM, y + 1, n);
    TOO_MANY("flags", take_flagged, x, (unsigned char *)(z + ROOM) - 1, ROOM, y, n);
    TOO_MANY("in", sort_words, x, OVER, y);
    TOO_MANY("out", sort_words_descending, x, ROOM, y + 1);
    TOO_MANY("values", sort_pairs, x, z + 1, ROOM, y, (unsigned *)n);
    TOO_MANY("values_out", sort_pairs, x, y, ROOM, (unsigned *)n, z + 1);
    TOO_MANY("in", sort_by_byte, x, OVER, y);
    TOO_MANY("out", sort_by_byte, x, ROOM, y + 1);
    TOO_MANY("keys", add_alike, x, y, OVER, z, z, n);
    TOO_MANY("values", add_alike, x, y + 1, ROOM, z, z, n);
    TOO_MANY("indices", gather_words, x, ROOM, z + 1, ROOM, y);
    TOO_MANY("in", gather_words, x, OVER, z, ROOM, y);
    TOO_MANY("out", gather_words, x, ROOM, z, ROOM, y + 1);
    TOO_MANY("in", scatter_words, x + 1, z, ROOM, y, ROOM);
    TOO_MANY("out", scatter_words, x, z, ROOM, y, OVER);
    TOO_MANY("in", shuffle_words, x, OVER, 1, y);
    TOO_MANY("out", shuffle_words, x, ROOM, 1, y + 1);
    TOO_MANY("a", merge_words, x, OVER, z, 1, y);
    TOO_MANY("b", merge_words, x, 1, z, OVER, y);
    TOO_MANY("out", merge_words, x, ROOM, z, 1, y);
    TOO_MANY("in", find_words, x, OVER, y, ROOM, n);
    TOO_MANY("values", find_words, x, ROOM, y, OVER, n);
    TOO_MANY("out", find_words, x, ROOM, y, ROOM, n + 1);
    TOO_MANY("in", count_words, x, OVER, BINS, 0, BINS, y);
    TOO_MANY("histogram", count_words, x, ROOM, OVER, 0, OVER, y);
    TOO_MANY("edges", count_between, x, ROOM, ROOM, z, y);
    TOO_MANY("in", least_words_smallest, x, OVER, 1, y);
    TOO_MANY("out", least_words_largest, x, ROOM, ROOM, y + 1);
    TOO_MANY("offsets", sum_parts, x, ROOM, n, ROOM, 0, y);
    TOO_MANY("out", sum_parts, x, ROOM, n, ROOM - 1, 0, y + 2);
    TOO_MANY("in", add_up_parts_inclusive, x, OVER, n, 1, y);

    OVERLAPPING(sort_words, x, ROOM, x);
    OVERLAPPING(sort_pairs, x, z, ROOM, y, z);
    OVERLAPPING(sort_by_byte, x, ROOM / 2, x + ROOM / 2 - 1);
    OVERLAPPING(take_even, x, ROOM, x, n);
    OVERLAPPING(gather_words, x, ROOM, z, 2, x + 1);
    OVERLAPPING(shuffle_words, x, ROOM, 1, x);
    OVERLAPPING(merge_words, x, 8, y, 8, y);

    /* of a part, of parts together, of a buffer that is empty, and of unified shared memory */
    tw_command_group *cg = tw_queue_begin(queue);
    const unsigned *part = (const unsigned *)tw_read_part(cg, buffers[0], tw_id_1d(8), tw_range_1d(8));
    sum_words(cg, part, 9, 0, (unsigned *)tw_write(cg, few));
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_RANGE, "has 8 elements of 4 bytes");
    cg = tw_queue_begin(queue);
    part = (const unsigned *)tw_read_part(cg, buffers[0], tw_id_1d(8), tw_range_1d(8));
    (void)tw_read_part(cg, buffers[0], tw_id_1d(16), tw_range_1d(8));
    sum_words(cg, part, 16, 0, (unsigned *)tw_discard_write(cg, few));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_buffer *empty = NULL;
    TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_1d(0), &empty));
    cg = tw_queue_begin(queue);
    sort_words(cg, (const unsigned *)tw_read(cg, empty), 1, (unsigned *)tw_write(cg, few));
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_RANGE, "has no elements");
    small = (unsigned *)tw_malloc_device(tw_queue_device(queue), 8 * sizeof *small);
    TW_CHECK(small);
    TOO_MANY("in", sort_words, small + 1, 8, y);
    tw_free(small);

    /* counts */
    const struct {
        tw_buffer *count;
        bool behind, alone;
        tw_status status;
        const char *text;
    } wrong[] = {{few, false, false, TW_ERROR_INVALID_ARGUMENT, "elements of 4 bytes"},
                 {sizes, true, false, TW_ERROR_INVALID_COMMAND_GROUP, "in front of"},
                 {sizes, false, true, TW_ERROR_INVALID_COMMAND_GROUP, "in front of"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        cg = tw_queue_begin(queue);
        const void *count = tw_read(cg, wrong[i].count);
        if (!wrong[i].behind)
            tw_count_on_device(cg, count);
        if (wrong[i].alone)
            tw_parallel_for(cg, tw_range_1d(ROOM), blend, .out = tw_write(cg, buffers[1]),
                            .in = tw_read(cg, buffers[0]));
        else
            add_up_inclusive(cg, (const unsigned *)tw_read(cg, buffers[0]), ROOM, (unsigned *)tw_write(cg, buffers[1]));
        if (wrong[i].behind)
            tw_count_on_device(cg, count);
        tw_test_refuse(queue, cg, wrong[i].status, wrong[i].text);
    }
    tw_test_expect_ints(buffers[1], 1);
    tw_test_destroy_buffers((tw_buffer *[]){buffers[0], buffers[1], buffers[2], sizes, few, empty}, 6);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(programs), TW_CASE(more_elements_than_there_are), TW_CASES_END};
