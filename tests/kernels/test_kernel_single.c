/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams gpu-simt gpu-teams */
/* C++17: host x86_64 (gpu-simt gpu-teams), values, unsanitized, long */
/** kernel.h: single tasks, and argument blocks of every size class (properties 31 and 33). */
#include "tw_test.h"

#define CANARY 12345

struct write_middle {
    int *out;
    int value;
};
static inline void write_middle(const struct write_middle *k)
{
    k->out[1] = k->value;
}
TW_SINGLE_TASK(write_middle);
#define WRITE_MIDDLE write_middle /* the name may be a macro's, here and in the definition */

/* Property 31. */
TW_TEST(a_single_task_runs_once)
{
    int data[3] = {CANARY, CANARY, CANARY};
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(3), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, WRITE_MIDDLE, .out = tw_write(cg, buffer), .value = 7);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_CHECK(data[0] == CANARY && data[1] == 7 && data[2] == CANARY);
    TW_PASS(tw_queue_destroy(&queue));
}

struct count_up {
    long *counter;
};
static inline void count_up(const struct count_up *k)
{
    for (int i = 0; i < 1000; ++i)
        ++*k->counter;
}
TW_SINGLE_TASK(count_up);

TW_TEST(a_single_task_has_no_parallelism)
{
    long counter = 0;
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(&counter, sizeof counter, tw_range_1d(1), &buffer));
    for (int i = 0; i < 10; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_single_task(cg, count_up, .counter = tw_read_write(cg, buffer));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_EQUAL(counter, 10000);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 33: blocks at the edges of the classes in which they travel (64 and 256 bytes), and one that cannot travel
   as arguments. The kernel sums its bytes with weights, so that a byte in the wrong place shows. */
#define BLOCK_KERNEL(bytes)                                                                                            \
    struct payload_##bytes {                                                                                           \
        unsigned char at[(bytes) - sizeof(unsigned *)];                                                                \
    };                                                                                                                 \
    struct block_##bytes {                                                                                             \
        unsigned *out;                                                                                                 \
        struct payload_##bytes payload;                                                                                \
    } __attribute__((packed, aligned(1)));                                                                             \
    static inline void block_##bytes(const struct block_##bytes *k)                                                    \
    {                                                                                                                  \
        unsigned sum = sizeof *k;                                                                                      \
        for (unsigned i = 0; i < sizeof k->payload; ++i)                                                               \
            sum += (i + 1) * k->payload.at[i];                                                                         \
        *k->out = sum;                                                                                                 \
    }                                                                                                                  \
    TW_SINGLE_TASK(block_##bytes);                                                                                     \
    static unsigned run_block_##bytes(tw_queue *queue)                                                                 \
    {                                                                                                                  \
        unsigned result = 0, expected = (bytes);                                                                       \
        static struct payload_##bytes payload;                                                                         \
        tw_buffer *buffer = NULL;                                                                                      \
        _Static_assert(sizeof(struct block_##bytes) == (bytes), "the size under test");                                \
        for (unsigned i = 0; i < sizeof payload; ++i) {                                                                \
            payload.at[i] = (unsigned char)(i * 7 + 3);                                                                \
            expected += (i + 1) * payload.at[i];                                                                       \
        }                                                                                                              \
        TW_PASS(tw_buffer_create_over(&result, sizeof result, tw_range_1d(1), &buffer));                               \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_single_task(cg, block_##bytes, .out = tw_discard_write(cg, buffer), .payload = payload);                    \
        memset(&payload, 0, sizeof payload); /* the group has its own copy */                                          \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&buffer));                                                                           \
        return result - expected;                                                                                      \
    }
BLOCK_KERNEL(9)
BLOCK_KERNEL(63)
BLOCK_KERNEL(64)
BLOCK_KERNEL(65)
BLOCK_KERNEL(255)
BLOCK_KERNEL(256)
BLOCK_KERNEL(257)
BLOCK_KERNEL(4096)

TW_TEST(blocks_of_every_size_arrive)
{
    tw_queue *queue = tw_test_queue();
    TW_EQUAL(run_block_9(queue), 0);
    TW_EQUAL(run_block_63(queue), 0);
    TW_EQUAL(run_block_64(queue), 0);
    TW_EQUAL(run_block_65(queue), 0);
    TW_EQUAL(run_block_255(queue), 0);
    TW_EQUAL(run_block_256(queue), 0);
    TW_EQUAL(run_block_257(queue), 0);
    TW_EQUAL(run_block_4096(queue), 0);
    TW_PASS(tw_queue_destroy(&queue));
}

/* The smallest block: a pointer and nothing else. */
struct block_8 {
    unsigned *out;
};
static inline void block_8(const struct block_8 *k)
{
    *k->out = sizeof *k;
}
TW_SINGLE_TASK(block_8);

/* Property 33: members of every kind and alignment, by value. */
struct inner {
    char tag;
    double weights[3];
    struct {
        short s;
        long long ll;
    } nested;
};
enum colour { RED = 1, BLUE = -5 };
struct members {
    char c;
    long double *unused;
    short s;
    float f;
    bool flag;
    double d;
    unsigned char bytes[5];
    struct inner inner;
    long long ll;
    enum colour colour;
    int matrix[2][3];
    double *out;
    _Alignas(16) int aligned;
};
static inline void members(const struct members *k)
{
    double *out = k->out;
    out[0] = k->c;
    out[1] = k->s;
    out[2] = k->f;
    out[3] = k->flag;
    out[4] = k->d;
    out[5] = k->bytes[0] + k->bytes[4];
    out[6] = k->inner.tag;
    out[7] = k->inner.weights[0] + k->inner.weights[1] + k->inner.weights[2];
    out[8] = k->inner.nested.s;
    out[9] = (double)k->inner.nested.ll;
    out[10] = (double)k->ll;
    out[11] = k->colour;
    out[12] = k->matrix[0][1] + 10 * k->matrix[1][2];
    out[13] = k->aligned;
    out[14] = (double)sizeof *k;
    out[15] = k->unused == NULL;
}
TW_SINGLE_TASK(members);

TW_TEST(members_of_every_kind_arrive)
{
    double got[16] = {0};
    const double expected[16] = {'x',   -300, 0.5, 1,  -2.25,
                                 11,    'y',  6.5, -8, (double)(1LL << 50),
                                 -1e15, -5,   64,  99, (double)sizeof(struct members),
                                 1};
    unsigned size = 0;
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL, *small = NULL;
    TW_PASS(tw_buffer_create_over(got, sizeof *got, tw_range_1d(16), &buffer));
    TW_PASS(tw_buffer_create_over(&size, sizeof size, tw_range_1d(1), &small));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, members, .c = 'x', .s = -300, .f = 0.5f, .flag = true, .d = -2.25, .bytes = {5, 0, 0, 0, 6},
                   .inner = {.tag = 'y', .weights = {1, 2, 3.5}, .nested = {-8, 1LL << 50}}, .ll = -1000000000000000,
                   .colour = BLUE, .matrix = {{1, 4, 3}, {4, 5, 6}}, .aligned = 99, .unused = TW_NULL,
                   .out = tw_discard_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    cg = tw_queue_begin(queue);
    tw_single_task(cg, block_8, .out = tw_discard_write(cg, small));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&small));
    for (int i = 0; i < 16; ++i)
        TW_CHECK(got[i] == expected[i]);
    TW_EQUAL(size, 8);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(the_block_is_copied_when_it_is_recorded)
{
    int data[3] = {0, 0, 0};
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    int value = 41;
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(3), &buffer));
    tw_gate_shut(&gate);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_read(cg, gate.buffer);
    tw_single_task(cg, write_middle, .out = tw_write(cg, buffer), .value = value);
    value = 0;
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_gate_open(&gate);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_EQUAL(data[1], 41);
    TW_EQUAL(value, 0);
    tw_gate_free(&gate);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- two ways to write a kernel ---------------------------------------------------------------------------------- */

struct where {
    int *out;
};
static inline void where(const struct where *k)
{
    if (TW_ON_GPU)
        *k->out = 2;
    else
        *k->out = 1;
}
TW_SINGLE_TASK(where);

TW_TEST(kernels_know_whether_they_are_for_a_gpu)
{
    int out = 0;
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    TW_EQUAL(TW_ON_GPU, 0); /* the program itself is not */
    TW_PASS(tw_buffer_create_over(&out, sizeof out, tw_range_1d(1), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, where, .out = tw_discard_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_EQUAL(out, tw_device_is_gpu(tw_queue_device(queue)) ? 2 : 1);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(a_single_task_runs_once),
                TW_CASE(a_single_task_has_no_parallelism),
                TW_CASE(blocks_of_every_size_arrive),
                TW_CASE(members_of_every_kind_arrive),
                TW_CASE(the_block_is_copied_when_it_is_recorded),
                TW_CASE(kernels_know_whether_they_are_for_a_gpu),
                TW_CASES_END};
