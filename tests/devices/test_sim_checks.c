/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** What simulated devices find in kernels and groups that would seem to work: synchronous and asynchronous ones. */
#include "tw_test.h"

#include <teamwork/vector.h>

enum { N = 100, COLUMNS = 10, POISON = TW_SIM_POISON * 0x10001 };

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZER_COMES_FIRST 1 /* it ends the program at the write */
#endif
#endif
#ifndef SANITIZER_COMES_FIRST
#define SANITIZER_COMES_FIRST 0
#endif

/* Writes one element, wherever it is. */
struct put {
    int *out;
    ptrdiff_t at;
    int value;
};
static inline void put(const struct put *k)
{
    k->out[k->at] = k->value;
}
TW_SINGLE_TASK(put);

/* Writes to a host's address. */
struct put_elsewhere {
    const int *in;
    uintptr_t address;
};
static inline void put_elsewhere(const struct put_elsewhere *k)
{
    if (!TW_ON_GPU)
        *(int *)k->address = 1;
}
TW_SINGLE_TASK(put_elsewhere);

/* Writes to what it has got for reading. */
struct cheat {
    struct {
        const int *in;
        size_t at;
    } from;
    int *out;
};
static inline void cheat(tw_item item, const struct cheat *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->from.in[i];
    if (i == k->from.at)
        ((int *)k->from.in)[i] = -1;
}
TW_RANGE_KERNEL(cheat, 1);

/* Kernels that add to one element, wherever it is, and that store one of another buffer. */
#define ADD(type, name)                                                                                                \
    struct add_##name {                                                                                                \
        type *out;                                                                                                     \
        ptrdiff_t at;                                                                                                  \
        type value;                                                                                                    \
    };                                                                                                                 \
    static inline void add_##name(const struct add_##name *k)                                                          \
    {                                                                                                                  \
        k->out[k->at] += k->value;                                                                                     \
    }                                                                                                                  \
    TW_SINGLE_TASK(add_##name);                                                                                        \
    static tw_status submit_add_##name(tw_queue *queue, tw_buffer *buffer, tw_access_mode mode, ptrdiff_t at,          \
                                       int value)                                                                      \
    {                                                                                                                  \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_single_task(cg, add_##name, .out = tw_access(cg, buffer, mode, TW_GLOBAL), .at = at, .value = (type)value); \
        return tw_queue_submit(queue, cg, NULL);                                                                       \
    }
ADD(signed char, char)
ADD(short, short)
ADD(int, int)
ADD(long, long)
ADD(tw_half, half)
ADD(float, float)
ADD(double, double)
ADD(tw_float4, float4)
ADD(tw_double2, double2)

static const struct {
    tw_status (*add)(tw_queue *queue, tw_buffer *buffer, tw_access_mode mode, ptrdiff_t at, int value);
    size_t bytes;
} adds[] = {
    {submit_add_char, 1},   {submit_add_short, 2},   {submit_add_int, 4},
    {submit_add_long, 8},   {submit_add_half, 2},    {submit_add_float, 4},
    {submit_add_double, 8}, {submit_add_float4, 16}, {submit_add_double2, 16},
};

struct many {
    int *out;
    struct {
        const int *rows[3];
        size_t count;
    } table;
    uintptr_t number;
    const char *name;
    void (*function)(void);
};
static inline void many(const struct many *k)
{
    k->out[0] = k->table.rows[0] ? k->table.rows[0][0] : 1;
}
TW_SINGLE_TASK(many);

/* A queue on the first of two simulated devices, which are asynchronous ones in the second turn. */
static tw_queue *sim_queue(int turn)
{
    tw_test_use_sim(2);
    setenv("TW_SIM_ASYNC", turn ? "1" : "0", 1);
    return tw_test_queue();
}

static tw_status submit_put(tw_queue *queue, tw_buffer *buffer, tw_access_mode mode, ptrdiff_t at, int value)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, put, .out = tw_access(cg, buffer, mode, TW_GLOBAL), .at = at, .value = value);
    return tw_queue_submit(queue, cg, NULL);
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fprintf(stderr, "\"%s\" does not say \"%s\"\n", text, part);
    TW_CHECK(strstr(text, part) != NULL);
}

/* ---- discarded contents ------------------------------------------------------------------------------------------ */

TW_TEST(what_a_kernel_discards_is_poisoned)
{
    static const struct {
        tw_access_mode mode;
        bool poisons;
    } cases[] = {{TW_DISCARD_WRITE, true}, {TW_DISCARD_READ_WRITE, true}, {TW_WRITE, false}, {TW_READ_WRITE, false}};
    for (int turn = 0; turn < 2; ++turn) {
        tw_queue *queue = sim_queue(turn);
        for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
            int data[N];
            tw_buffer *buffer = tw_test_ints(N, 7);
            TW_PASS(submit_put(queue, buffer, TW_READ_WRITE, 0, 7)); /* the contents are there */
            TW_PASS(submit_put(queue, buffer, cases[c].mode, 5, 1));
            tw_test_fetch(buffer, data);
            for (int i = 0; i < N; ++i)
                TW_EQUAL(data[i], i == 5 ? 1 : cases[c].poisons ? POISON : 7);
            TW_PASS(tw_buffer_destroy(&buffer));
        }
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* All of it, though a team has parts; and only if the group does not need the contents for another accessor. */
TW_TEST(all_of_a_large_buffer_is_poisoned)
{
    enum { LARGE = 1 << 20 };
    for (int turn = 0; turn < 2; ++turn) {
        tw_queue *queue = sim_queue(turn);
        tw_buffer *in = tw_test_ints(LARGE, 3), *out = tw_test_ints(LARGE, 7);
        for (int both = 0; both < 2; ++both) {
            tw_command_group *cg = tw_queue_begin(queue);
            if (both)
                tw_read(cg, out);
            tw_parallel_for(cg, tw_range_1d(N), cheat, .from.in = tw_read(cg, in), .from.at = N,
                            .out = tw_discard_write(cg, out));
            TW_PASS(tw_queue_submit(queue, cg, NULL));
            tw_host_accessor *accessor = NULL;
            const int wanted = both ? 7 : POISON;
            TW_PASS(tw_host_access(out, TW_READ_WRITE, &accessor));
            int *data = tw_host_accessor_data(accessor);
            for (int i = 0; i < LARGE; ++i) {
                TW_EQUAL(data[i], i < N ? 3 : wanted);
                data[i] = 7;
            }
            tw_host_accessor_release(&accessor);
        }
        TW_PASS(tw_buffer_destroy(&in));
        TW_PASS(tw_buffer_destroy(&out));
        TW_PASS(tw_queue_destroy(&queue));
    }
}

TW_TEST(a_recorded_group_poisons_at_each_replay)
{
    for (int turn = 0; turn < 2; ++turn) {
        tw_queue *queue = sim_queue(turn);
        tw_command_graph *graph = NULL;
        int data[N];
        tw_buffer *buffer = tw_test_ints(N, 7);
        TW_PASS(tw_queue_begin_recording(queue));
        TW_PASS(submit_put(queue, buffer, TW_DISCARD_WRITE, 1, 2));
        TW_PASS(submit_put(queue, buffer, TW_WRITE, 3, 4));
        TW_PASS(tw_queue_end_recording(queue, &graph));
        for (int replay = 0; replay < 2; ++replay) {
            tw_test_store(buffer, memset(data, 0, sizeof data));
            TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
            tw_test_fetch(buffer, data);
            for (int i = 0; i < N; ++i)
                TW_EQUAL(data[i], i == 1 ? 2 : i == 3 ? 4 : POISON);
        }
        tw_command_graph_destroy(&graph);
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* ---- writes beside a buffer -------------------------------------------------------------------------------------- */

TW_TEST(writes_beside_a_buffer_fail_the_command)
{
    static const struct {
        ptrdiff_t at;
        const char *says;
    } cases[] = {
        {N, "kernel put has written to element 100, counted from 0, of the buffer that member out points to, "},
        {N + 64, "to element 164,"},
        {-1, "to element -1, counted from 0, of the buffer that member out points to, "},
        {-64, "to element -64,"},
    };
    if (SANITIZER_COMES_FIRST)
        TW_SKIP();
    for (int turn = 0; turn < 2; ++turn) {
        tw_queue *queue = sim_queue(turn);
        for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
            tw_buffer *flat = tw_test_ints(N, 7), *grid = NULL;
            TW_PASS(tw_buffer_create(sizeof(int), tw_range_2d(N / COLUMNS, COLUMNS), &grid));
            TW_PASS(submit_put(queue, flat, TW_READ_WRITE, cases[c].at, 1));
            TW_FAIL(tw_queue_wait(queue), TW_ERROR_OUT_OF_BOUNDS);
            expect(tw_error_detail(), cases[c].says);
            expect(tw_error_detail(), ", 100 elements of 4 bytes");
            TW_PASS(submit_put(queue, grid, TW_DISCARD_WRITE, cases[c].at, 1));
            TW_FAIL(tw_queue_wait(queue), TW_ERROR_OUT_OF_BOUNDS);
            expect(tw_error_detail(), ", 10 x 10 elements of 4 bytes");
            /* it is told once, and the memory serves on */
            TW_PASS(submit_put(queue, flat, TW_DISCARD_WRITE, N - 1, 5));
            TW_PASS(tw_queue_wait(queue));
            TW_PASS(tw_buffer_destroy(&flat));
            TW_PASS(tw_buffer_destroy(&grid));
        }
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* What is added to an element of any type changes it: the smallest number and a large one. */
TW_TEST(additions_beside_a_buffer_fail_the_command)
{
    static const ptrdiff_t places[] = {N, N + 1, N + 2, N + 3, N + 17, -1, -2, -3, -4};
    if (SANITIZER_COMES_FIRST)
        TW_SKIP();
    for (int turn = 0; turn < 2; ++turn) {
        tw_queue *queue = sim_queue(turn);
        for (size_t a = 0; a < sizeof adds / sizeof *adds; ++a) {
            tw_buffer *buffer = NULL;
            TW_PASS(tw_buffer_create(adds[a].bytes, tw_range_1d(N), &buffer));
            for (size_t p = 0; p < 2 * sizeof places / sizeof *places; ++p) {
                TW_PASS(adds[a].add(queue, buffer, TW_DISCARD_WRITE, places[p / 2], p % 2 ? 100 : 1));
                TW_FAIL(tw_queue_wait(queue), TW_ERROR_OUT_OF_BOUNDS);
                char says[64];
                snprintf(says, sizeof says, "has written to element %td, counted from 0", places[p / 2]);
                expect(tw_error_detail(), says);
            }
            TW_PASS(tw_buffer_destroy(&buffer));
        }
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* A sum with poison is no number, and no small integer. */
TW_TEST(sums_with_discarded_contents_are_seen)
{
    tw_queue *queue = sim_queue(0);
    for (size_t a = 0; a < sizeof adds / sizeof *adds; ++a) {
        union {
            short s[16 * N / sizeof(short)];
            int i[16 * N / sizeof(int)];
            long l[16 * N / sizeof(long)];
            tw_half h[16 * N / sizeof(tw_half)];
            float f[16 * N / sizeof(float)];
            double d[16 * N / sizeof(double)];
        } data = {.s = {0}};
        tw_buffer *buffer = NULL;
        TW_PASS(tw_buffer_create_over(&data, adds[a].bytes, tw_range_1d(N), &buffer));
        TW_PASS(adds[a].add(queue, buffer, TW_DISCARD_WRITE, 1, 2));
        TW_PASS(tw_buffer_destroy(&buffer));
        for (size_t i = 0; i < N; ++i) {
            switch (a) {
            case 0: /* bytes of poison differ */
                break;
            case 1:
                TW_CHECK(data.s[i] > 10000);
                break;
            case 2:
                TW_CHECK(data.i[i] > 1000000000);
                break;
            case 3:
                TW_CHECK(data.l[i] > 1000000000);
                break;
            case 4:
                TW_CHECK(data.h[i] != data.h[i]);
                break;
            case 5:
                TW_CHECK(data.f[i] != data.f[i]);
                break;
            case 6:
                TW_CHECK(data.d[i] != data.d[i]);
                break;
            case 7:
                TW_CHECK(data.f[4 * i] != data.f[4 * i] && data.f[4 * i + 3] != data.f[4 * i + 3]);
                break;
            default:
                TW_CHECK(data.d[2 * i] != data.d[2 * i] && data.d[2 * i + 1] != data.d[2 * i + 1]);
                break;
            }
        }
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Writes to all elements of the range. */
struct put_all {
    int *out;
};
static inline void put_all(tw_item item, const struct put_all *k)
{
    k->out[tw_global_id(item, 0)] = 1;
}
TW_RANGE_KERNEL(put_all, 1);

TW_TEST(a_range_twice_the_buffers_fails_the_command)
{
    static const size_t counts[] = {N, 1024, 4096, (size_t)1 << 18};
    if (SANITIZER_COMES_FIRST)
        TW_SKIP();
    for (int turn = 0; turn < 2; ++turn) {
        tw_queue *queue = sim_queue(turn);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
            tw_buffer *buffers[3] = {NULL}; /* neighbours on the heap, which keep what they have */
            for (size_t b = 0; b < 3; ++b)
                buffers[b] = tw_test_ints(counts[c], 7);
            tw_test_expect_ints(buffers[2], 7);
            TW_COMMAND_GROUP(queue, cg) {
                tw_parallel_for(cg, tw_range_1d(2 * counts[c]), put_all, .out = tw_discard_write(cg, buffers[1]));
            }
            TW_FAIL(tw_queue_wait(queue), TW_ERROR_OUT_OF_BOUNDS);
            expect(tw_error_detail(), "kernel put_all has written to element");
            for (size_t b = 0; b < 3; b += 2)
                tw_test_expect_ints(buffers[b], 7);
            for (size_t b = 0; b < 3; ++b)
                TW_PASS(tw_buffer_destroy(&buffers[b]));
        }
        TW_PASS(tw_queue_destroy(&queue));
    }
}

TW_TEST(writes_beside_a_buffer_fail_a_graph)
{
    if (SANITIZER_COMES_FIRST)
        TW_SKIP();
    for (int turn = 0; turn < 2; ++turn) {
        tw_queue *queue = sim_queue(turn);
        tw_command_graph *graph = NULL;
        tw_buffer *first = tw_test_ints(N, 7), *second = tw_test_ints(N, 7);
        TW_PASS(tw_queue_begin_recording(queue));
        TW_PASS(submit_put(queue, first, TW_READ_WRITE, 0, 1));
        TW_PASS(submit_put(queue, second, TW_READ_WRITE, N, 1));
        TW_PASS(tw_queue_end_recording(queue, &graph));
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        TW_FAIL(tw_queue_wait(queue), TW_ERROR_OUT_OF_BOUNDS);
        expect(tw_error_detail(), "kernel put has written to element 100,");
        tw_command_graph_destroy(&graph);
        TW_PASS(tw_buffer_destroy(&first));
        TW_PASS(tw_buffer_destroy(&second));
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* The address of a buffer's memory on the queue's device, which holds its contents. */
static int *bring(tw_queue *queue, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(queue);
    int *address = tw_read_write(cg, buffer);
    tw_single_task(cg, put, .out = address, .value = 7);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait(queue));
    return address;
}

static void put_to(tw_queue *queue, tw_buffer *in, const int *address)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, put_elsewhere, .in = tw_read(cg, in), .address = (uintptr_t)address);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait(queue));
}

static void destroy(void *user)
{
    tw_buffer **buffer = user;
    (void)tw_buffer_destroy(buffer);
}

/* Who has no accessor of a buffer cannot be named, but what it did is found by the next kernel, copy or destruction. */
TW_TEST(writes_of_other_kernels_are_found_later)
{
    char said[1024];
    if (SANITIZER_COMES_FIRST)
        TW_SKIP();
    for (int turn = 0; turn < 2; ++turn) {
        tw_queue *queue = sim_queue(turn);
        tw_host_accessor *accessor = NULL;
        tw_buffer *mine = tw_test_ints(N, 7), *other = tw_test_ints(N, 7);
        int *address = bring(queue, other);
        (void)bring(queue, mine);
        put_to(queue, mine, address + N);
        TW_PASS(submit_put(queue, other, TW_READ_WRITE, 0, 1));
        TW_FAIL(tw_queue_wait(queue), TW_ERROR_OUT_OF_BOUNDS);
        expect(tw_error_detail(), "before kernel put another one has written to element 100, counted from 0, of the");
        TW_PASS(submit_put(queue, other, TW_DISCARD_WRITE, 0, 1));
        TW_PASS(tw_queue_wait(queue));
        put_to(queue, mine, address - 2);
        TW_FAIL(tw_host_access(other, TW_READ, &accessor), TW_ERROR_OUT_OF_BOUNDS);
        expect(tw_error_detail(), "bytes before the beginning of a buffer of 400 bytes on simulated device 0");
        TW_PASS(tw_host_access(other, TW_READ, &accessor)); /* the contents are unharmed */
        tw_host_accessor_release(&accessor);
        put_to(queue, mine, address + N);
        tw_test_read_errors(destroy, &other, said, sizeof said);
        expect(said,
               "teamwork: warning: some kernel has written to byte 400 of a buffer of 400 bytes on simulated device 0");
        TW_PASS(tw_buffer_destroy(&mine));
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* ---- writes to what is only read --------------------------------------------------------------------------------- */

TW_TEST(writes_to_what_is_only_read_are_found_if_asked_for)
{
    for (int turn = 0; turn < 4; ++turn) {
        setenv("TW_SIM_CHECK", turn < 2 ? "1" : "0", 1);
        tw_queue *queue = sim_queue(turn % 2);
        tw_buffer *in = tw_test_ints(N, 7), *out = tw_test_ints(N, 0);
        for (size_t at = 0; at < 3; ++at) {
            tw_command_group *cg = tw_queue_begin(queue);
            tw_parallel_for(cg, tw_range_1d(N), cheat, .from.in = tw_read(cg, in), .from.at = at * N / 2,
                            .out = tw_discard_write(cg, out));
            TW_PASS(tw_queue_submit(queue, cg, NULL));
            if (turn < 2 && at < 2) {
                TW_FAIL(tw_queue_wait(queue), TW_ERROR_READ_ONLY_BUFFER);
                expect(tw_error_detail(), at ? "kernel cheat has written to element 50 of" : "to element 0 of");
                expect(tw_error_detail(), "of the buffer that member from.in points to, 100 elements of 4 bytes");
            } else {
                TW_PASS(tw_queue_wait(queue));
            }
        }
        if (turn < 2) /* others still read what it was */
            tw_test_expect_ints(out, 7);
        TW_PASS(tw_buffer_destroy(&in));
        TW_PASS(tw_buffer_destroy(&out));
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* ---- pointers in blocks ------------------------------------------------------------------------------------------ */

static void a_function(void)
{
}

TW_TEST(pointers_that_no_accessor_gave_are_refused)
{
    static const int constant = 1;
    for (int turn = 0; turn < 2; ++turn) {
        int on_stack = 0;
        int *on_heap = malloc(sizeof *on_heap);
        tw_queue *queue = sim_queue(turn);
        tw_buffer *buffer = tw_test_ints(N, 7), *other = tw_test_ints(N, 7);
        const int *others = bring(queue, other);
        int *far = tw_malloc_device(tw_test_device(1), sizeof *far);
        int *far_shared = tw_malloc_shared(tw_test_device(1), sizeof *far_shared);
        const struct {
            const int *pointer;
            const char *says;
        } wrong[] = {
            {&on_stack, "member table.rows[1] of kernel many points to host memory"},
            {on_heap, "points to host memory"},
            {&constant, "points to host memory"},
            {others, "points to a buffer's memory on simulated device 0 that no accessor of the group gave"},
            {others + N, "that no accessor of the group gave"},
            {far,
             "points to memory of tw_malloc_device() of Simulated device 1, and the queue is on simulated device 0"},
            {far_shared, "points to memory of tw_malloc_shared() of Simulated device 1"},
        };
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
            tw_command_group *cg = tw_queue_begin(queue);
            tw_single_task(cg, many, .out = tw_read_write(cg, buffer), .table.rows[1] = wrong[i].pointer,
                           .name = TW_NULL);
            TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_ARGUMENT);
            expect(tw_error_detail(), wrong[i].says);
        }
        tw_command_group *cg = tw_queue_begin(queue);
        tw_single_task(cg, many, .out = tw_read_write(cg, buffer), .name = "text");
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_ARGUMENT);
        expect(tw_error_detail(), "member name of kernel many");
        cg = tw_queue_begin(queue);
        tw_single_task(cg, many, .out = tw_read_write(cg, buffer), .name = TW_NULL, .function = a_function);
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_ARGUMENT);
        expect(tw_error_detail(), "member function of kernel many");
        free(on_heap);
        tw_free(far);
        tw_free(far_shared);
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_PASS(tw_buffer_destroy(&other));
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* Into a buffer of the group, behind its end, to nothing; and numbers, whatever they are. */
TW_TEST(other_pointers_pass)
{
    int on_stack = 0;
    tw_queue *queue = sim_queue(0);
    tw_buffer *buffer = tw_test_ints(N, 7);
    tw_command_group *cg = tw_queue_begin(queue);
    int *out = tw_read_write(cg, buffer);
    tw_single_task(cg, many, .out = out, .table = {{out + 5, out + N, NULL}, 3}, .number = (uintptr_t)&on_stack,
                   .name = (const char *)(uintptr_t)8);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait(queue));
    tw_test_expect_ints(buffer, 7);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Native tasks are watched as kernels are. What they do: */
enum deed { WRITES_BESIDE, WRITES_BEFORE, WRITES_WHAT_IT_READS, READS_WHAT_IT_DISCARDS, WRITES_ALL };
struct task {
    int *out;
    const int *in;
    enum deed deed;
    int *seen;
};
static tw_status task(const void *block, const tw_native *native)
{
    const struct task *k = block;
    int *out = k->out;
    (void)native;
    if (k->deed == WRITES_WHAT_IT_READS)
        ((int *)k->in)[3] = -1;
    if (k->deed == READS_WHAT_IT_DISCARDS)
        *k->seen = out[N - 1];
    const int first = k->deed == WRITES_BEFORE ? -1 : 0, past = k->deed == WRITES_BESIDE ? N + 1 : N;
#pragma omp target teams distribute parallel for is_device_ptr(out) /* on the host, which has the device's memory */
    for (int i = first; i < past; ++i)
        out[i] = 7;
    return TW_SUCCESS;
}

static void submit_task(tw_queue *queue, enum deed deed, tw_buffer *out, tw_buffer *in, int *seen)
{
    tw_command_group *cg = tw_queue_begin(queue);
    const struct task block = {tw_discard_write(cg, out), tw_read(cg, in), deed, seen};
    tw_native_task(cg, task, &block, sizeof block);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

static void expect_task(tw_queue *queue, enum deed deed, tw_buffer *in, tw_status status, const char *text)
{
    tw_buffer *out = tw_test_ints(N, 1);
    submit_task(queue, deed, out, in, NULL);
    TW_FAIL(tw_queue_wait(queue), status);
    TW_CHECK(strstr(tw_error_detail(), text));
    tw_test_expect_lost(out);
    TW_PASS(tw_buffer_destroy(&out));
}

TW_TEST(native_tasks_are_watched_as_kernels_are)
{
    for (int turn = 0; turn < 2; ++turn) {
        int seen = 7;
        setenv("TW_SIM_CHECK", "1", 1);
        tw_queue *queue = sim_queue(turn);
        tw_buffer *in = tw_test_ints(N, 5), *out = tw_test_ints(N, 1);
        if (!SANITIZER_COMES_FIRST) {
            expect_task(queue, WRITES_BESIDE, in, TW_ERROR_OUT_OF_BOUNDS,
                        "a native task has written to element 100, counted from 0, of the buffer of accessor 1");
            expect_task(queue, WRITES_BEFORE, in, TW_ERROR_OUT_OF_BOUNDS, "a native task has written to element -1");
        }
        expect_task(queue, WRITES_WHAT_IT_READS, in, TW_ERROR_READ_ONLY_BUFFER,
                    "a native task has written to element 3 of the buffer of accessor 2");
        tw_test_expect_ints(in, 5);
        submit_task(queue, WRITES_ALL, out, in, NULL);
        TW_PASS(tw_queue_wait(queue));
        tw_test_expect_ints(out, 7);
        submit_task(queue, READS_WHAT_IT_DISCARDS, out, in, &seen);
        TW_PASS(tw_queue_wait(queue));
        TW_CHECK(seen != 7);
        TW_PASS(tw_buffer_destroy(&in));
        TW_PASS(tw_buffer_destroy(&out));
        TW_PASS(tw_queue_destroy(&queue));
    }
}

TW_TEST_LIST = {
    TW_CASE(native_tasks_are_watched_as_kernels_are),
    TW_CASE(what_a_kernel_discards_is_poisoned),
    TW_CASE(all_of_a_large_buffer_is_poisoned),
    TW_CASE(a_recorded_group_poisons_at_each_replay),
    TW_CASE(writes_beside_a_buffer_fail_the_command),
    TW_CASE(additions_beside_a_buffer_fail_the_command),
    TW_CASE(sums_with_discarded_contents_are_seen),
    TW_CASE(a_range_twice_the_buffers_fails_the_command),
    TW_CASE(writes_beside_a_buffer_fail_a_graph),
    TW_CASE(writes_of_other_kernels_are_found_later),
    TW_CASE(writes_to_what_is_only_read_are_found_if_asked_for),
    TW_CASE(pointers_that_no_accessor_gave_are_refused),
    TW_CASE(other_pointers_pass),
    TW_CASES_END,
};
