/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** command_group.h: device accessors. Modes and targets, and what they make the library transfer. */
#include "int_kernels.h"

#include <teamwork/command_graph.h>
#include <teamwork/image.h>
#include <teamwork/vector.h>

enum { N = 257 };

struct pair {
    short a;
    double b;
};

struct copy_pairs {
    const struct pair *in;
    struct pair *out;
};
static inline void copy_pairs(tw_item item, const struct copy_pairs *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i].a = k->in[i].a;
    k->out[i].b = k->in[i].b + 1;
}
TW_RANGE_KERNEL(copy_pairs, 1);

struct add_in_place {
    int *data;
    int value;
};
static inline void add_in_place(tw_item item, const struct add_in_place *k)
{
    k->data[tw_global_id(item, 0)] += k->value;
}
TW_RANGE_KERNEL(add_in_place, 1);

/* Writes the elements at multiples of `step` only. */
struct write_some {
    int *data;
    int value;
    size_t step;
};
static inline void write_some(tw_item item, const struct write_some *k)
{
    k->data[tw_global_id(item, 0) * k->step] = k->value;
}
TW_RANGE_KERNEL(write_some, 1);

struct read_and_write {
    const int *in;
    int *out;
};
static inline void read_and_write(tw_item item, const struct read_and_write *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = 2 * k->in[i];
}
TW_RANGE_KERNEL(read_and_write, 1);

static tw_buffer *counting_ints(void)
{
    int data[N];
    tw_buffer *buffer = NULL;
    for (int i = 0; i < N; ++i)
        data[i] = i;
    TW_PASS(tw_buffer_create_copy(data, sizeof *data, tw_range_1d(N), &buffer));
    return buffer;
}

static tw_buffer *plain_ints(void)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &buffer));
    return buffer;
}

static void submit_copy(tw_queue *queue, tw_buffer *in, tw_buffer *out, tw_access_target target)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), copy, .in = tw_access(cg, in, TW_READ, target),
                    .out = tw_discard_write(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

static void submit_write_some(tw_queue *queue, tw_buffer *out, tw_access_mode mode, int value, size_t step)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d((N + step - 1) / step), write_some, .data = tw_access(cg, out, mode, TW_GLOBAL),
                    .value = value, .step = step);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* Property 11. */
TW_TEST(every_mode_and_target_serves_scalars)
{
    const tw_access_mode writing[] = {TW_WRITE, TW_READ_WRITE, TW_DISCARD_WRITE, TW_DISCARD_READ_WRITE};
    const tw_access_target targets[] = {TW_GLOBAL, TW_CONSTANT};
    tw_queue *queue = tw_test_queue();
    for (size_t m = 0; m < 4; ++m)
        for (size_t t = 0; t < 2; ++t) {
            int result[N];
            tw_buffer *in = counting_ints(), *out = counting_ints();
            tw_command_group *cg = tw_queue_begin(queue);
            tw_parallel_for(cg, tw_range_1d(N), copy, .in = tw_access(cg, in, TW_READ, targets[t]),
                            .out = tw_access(cg, out, writing[m], TW_GLOBAL));
            TW_PASS(tw_queue_submit(queue, cg, NULL));
            tw_test_fetch(out, result);
            for (int i = 0; i < N; ++i)
                TW_EQUAL(result[i], i);
            TW_PASS(tw_buffer_destroy(&in));
            TW_PASS(tw_buffer_destroy(&out));
        }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 11, for structs. */
TW_TEST(structs_travel_both_ways)
{
    static struct pair in[N], out[N];
    tw_buffer *a = NULL, *b = NULL;
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < N; ++i)
        in[i] = (struct pair){(short)i, i / 4.0};
    TW_PASS(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(N), &a));
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(N), &b));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), copy_pairs, .in = tw_read_constant(cg, a), .out = tw_write(cg, b));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_buffer_destroy(&a));
    for (int i = 0; i < N; ++i)
        TW_CHECK(out[i].a == i && out[i].b == i / 4.0 + 1);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(write_keeps_what_is_not_overwritten)
{
    int result[N];
    tw_buffer *buffer = counting_ints();
    tw_queue *queue = tw_test_queue();
    submit_write_some(queue, buffer, TW_WRITE, -1, 3);
    tw_test_fetch(buffer, result);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(result[i], i % 3 ? i : -1);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Spec 2.5.7: the group's access is the union of its accessors. */
TW_TEST(accessors_of_one_group_to_one_buffer_unite)
{
    const tw_access_mode first[] = {TW_READ, TW_WRITE, TW_DISCARD_WRITE, TW_READ};
    const tw_access_mode second[] = {TW_WRITE, TW_READ, TW_READ, TW_DISCARD_WRITE};
    tw_queue *queue = tw_test_queue();
    for (size_t m = 0; m < 4; ++m) {
        int result[N];
        tw_buffer *buffer = counting_ints();
        tw_command_group *cg = tw_queue_begin(queue);
        void *one = tw_access(cg, buffer, first[m], TW_GLOBAL);
        void *two = tw_access(cg, buffer, second[m], TW_GLOBAL);
        TW_CHECK(one != NULL && one == two);
        tw_parallel_for(cg, tw_range_1d(N), read_and_write, .in = one, .out = two);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        tw_test_fetch(buffer, result);
        for (int i = 0; i < N; ++i)
            TW_EQUAL(result[i], 2 * i);
        TW_PASS(tw_buffer_destroy(&buffer));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(accessors_without_a_kernel_are_legal)
{
    tw_buffer *buffer = counting_ints();
    tw_queue *queue = tw_test_queue();
    int result[N];
    tw_command_group *cg = tw_queue_begin(queue);
    TW_CHECK(tw_read_write(cg, buffer) != NULL);
    TW_CHECK(tw_discard_read_write(cg, buffer) != NULL);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(buffer, result);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(result[i], i);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(what_is_no_accessor_is_an_error_of_the_group)
{
    tw_buffer *buffer = counting_ints();
    tw_queue *queue = tw_test_queue();
    const struct {
        tw_buffer *buffer;
        int mode, target;
    } wrong[] = {{NULL, TW_READ, TW_GLOBAL},
                 {buffer, 0, TW_GLOBAL},
                 {buffer, TW_ATOMIC + 1, TW_GLOBAL},
                 {buffer, -1, TW_GLOBAL},
                 {buffer, TW_READ, 0},
                 {buffer, TW_READ, TW_HOST + 1},
                 {buffer, TW_WRITE, TW_CONSTANT},
                 {buffer, TW_READ_WRITE, TW_CONSTANT},
                 {buffer, TW_DISCARD_WRITE, TW_CONSTANT}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        TW_CHECK(tw_access(cg, wrong[i].buffer, (tw_access_mode)wrong[i].mode, (tw_access_target)wrong[i].target)
                 == NULL);
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_ARGUMENT);
    }
    TW_CHECK(tw_access(NULL, buffer, TW_READ, TW_GLOBAL) == NULL);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- transfers, counted on simulated devices --------------------------------------------------------------------- */

TW_TEST(discarding_transfers_nothing)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_buffer *buffer = counting_ints();
    TW_PASS(tw_sim_reset(device));
    submit_write_some(queue, buffer, TW_DISCARD_WRITE, 1, 1);
    submit_write_some(queue, buffer, TW_DISCARD_READ_WRITE, 1, 1);
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 0);
    /* and an undefined buffer has nothing to transfer, whatever the mode */
    TW_PASS(tw_buffer_destroy(&buffer));
    buffer = plain_ints();
    submit_write_some(queue, buffer, TW_DISCARD_WRITE, 1, 1);
    submit_write_some(queue, buffer, TW_READ_WRITE, 1, 1);
    submit_write_some(queue, buffer, TW_WRITE, 2, 2);
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 0);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 0);
}

TW_TEST(a_union_with_a_reading_accessor_does_transfer)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_buffer *buffer = counting_ints();
    TW_PASS(tw_sim_reset(device));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), read_and_write, .out = tw_discard_write(cg, buffer), .in = tw_read(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(data_stays_where_it_is_needed)
{
    int host[N];
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_buffer *buffer = NULL;
    for (int i = 0; i < N; ++i)
        host[i] = i;
    TW_PASS(tw_buffer_create_over(host, sizeof *host, tw_range_1d(N), &buffer));
    TW_PASS(tw_sim_reset(device));
    for (int round = 0; round < 10; ++round) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(N), add_in_place, .data = tw_read_write(cg, buffer), .value = 1);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 1);
    TW_EQUAL(tw_sim_count(device, TW_SIM_ALLOCATION), 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 2);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(host[i], i + 10);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(read_only_copies_live_on_several_devices_at_once)
{
    tw_queue *queues[3];
    tw_buffer *outs[3];
    int result[N];
    tw_test_use_sim(3);
    tw_test_queues(queues, 3);
    tw_buffer *in = counting_ints();
    for (int i = 0; i < 3; ++i)
        outs[i] = plain_ints();
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < 3; ++i) {
            submit_copy(queues[i], in, outs[i], round & 1 ? TW_CONSTANT : TW_GLOBAL);
            TW_PASS(tw_queue_wait(queues[i]));
        }
    /* one copy to each device, and none for the later rounds; reading on the host brings each result back once */
    TW_EQUAL(tw_test_sim_total(TW_SIM_COPY), 3);
    tw_test_fetch(in, result);
    TW_EQUAL(tw_test_sim_total(TW_SIM_COPY), 3);
    for (int i = 0; i < 3; ++i) {
        tw_test_fetch(outs[i], result);
        TW_EQUAL(tw_test_sim_total(TW_SIM_COPY), 4 + i);
        tw_test_fetch(outs[i], result);
        TW_EQUAL(tw_test_sim_total(TW_SIM_COPY), 4 + i);
        for (int j = 0; j < N; ++j)
            TW_EQUAL(result[j], j);
    }
    /* a write on one device makes the others' copies stale */
    submit_write_some(queues[0], in, TW_WRITE, -7, 2);
    submit_copy(queues[1], in, outs[1], TW_GLOBAL);
    tw_test_fetch(outs[1], result);
    for (int j = 0; j < N; ++j)
        TW_EQUAL(result[j], j % 2 ? j : -7);
    for (int i = 0; i < 3; ++i)
        TW_PASS(tw_buffer_destroy(&outs[i]));
    TW_PASS(tw_buffer_destroy(&in));
    tw_test_destroy_queues(queues, 3);
}

TW_TEST(a_full_device_is_an_error_of_the_group)
{
    int result[N];
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = counting_ints(), *out = counting_ints();
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_ALLOCATION, 2));
    tw_command_group *cg = tw_queue_begin(queue);
    const int *source = tw_read(cg, in);
    int *sink = tw_discard_write(cg, out);
    TW_CHECK(source != NULL && sink == NULL);
    TW_EQUAL(tw_command_group_status(cg), TW_ERROR_OUT_OF_DEVICE_MEMORY);
    TW_CHECK(tw_read(cg, in) == NULL); /* sticky */
    tw_parallel_for(cg, tw_range_1d(N), copy, .in = source, .out = sink);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_OUT_OF_DEVICE_MEMORY);
    tw_test_fetch(out, result); /* as if the group had never been */
    for (int i = 0; i < N; ++i)
        TW_EQUAL(result[i], i);
    submit_copy(queue, in, out, TW_GLOBAL);
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
    tw_test_released(tw_test_device(0));
}

/* ---- sampled images ---------------------------------------------------------------------------------------------- */

/* Writes one number to all pixels; and adds up what is sampled. */
struct paint {
    tw_image_2d out;
    float value;
};
static inline void paint(tw_item item, const struct paint *k)
{
    tw_write_imagef(k->out, tw_get_global_id(item), (tw_float4)k->value);
}
TW_RANGE_KERNEL(paint, 2);

struct add_sample {
    tw_sampled_image_2d in;
    float *sum;
};
static inline void add_sample(tw_item item, const struct add_sample *k)
{
    const tw_float2 at = {(float)tw_global_id(item, 1) + 0.5f, (float)tw_global_id(item, 0) + 0.5f};
    k->sum[tw_global_linear_id(item)] += tw_read_imagef(k->in, at).x;
}
TW_RANGE_KERNEL(add_sample, 2);

enum { MOST_SIDE = 512 };
static float sums[MOST_SIDE * MOST_SIDE];

static bool are_all(size_t count, float value)
{
    size_t i = 0;
    while (i < count && sums[i] == value)
        ++i;
    return i == count;
}

static bool is_gpu(const tw_queue *queue)
{
    tw_device_type type;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_TYPE, &type, sizeof type));
    return type == TW_DEVICE_GPU;
}

static void paint_and_add(tw_queue *queue, tw_image *image, tw_buffer *sum, float value)
{
    const tw_sampler sampler = tw_sampler_make(false, TW_ADDRESS_CLAMP_TO_EDGE, TW_FILTER_LINEAR);
    const tw_range range = tw_image_range(image);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, range, paint, .out = tw_write_image_2d(cg, image), .value = value);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, range, add_sample, .in = tw_sample_image_2d(cg, image, sampler), .sum = tw_read_write(cg, sum));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* Samples see what launches before have written, whether they are submitted one by one or as a graph; and what is in new memory
   at the same address. */
TW_TEST(sampled_images_are_up_to_date)
{
    enum { TURNS = 16, IN_GRAPH = 4 };
    tw_queue *queue = tw_test_queue();
    const size_t side = is_gpu(queue) ? MOST_SIDE : 64;
    const tw_image_layout layout = {.order = TW_R, .type = TW_FLOAT, .size = tw_range_2d(side, side)};
    float expected = 0;
    memset(sums, 0, sizeof sums);
    for (int time = 0; time < 3; ++time) {
        tw_image *image = NULL;
        tw_buffer *sum = NULL;
        tw_command_graph *graph = NULL;
        TW_PASS(tw_image_create(layout, &image));
        TW_PASS(tw_buffer_create_over(sums, sizeof sums[0], tw_range_2d(side, side), &sum));
        for (int i = 0; i < TURNS; ++i, expected += (float)i)
            paint_and_add(queue, image, sum, (float)(i + 1));
        TW_PASS(tw_queue_begin_recording(queue));
        for (int i = 0; i < IN_GRAPH; ++i)
            paint_and_add(queue, image, sum, (float)(1 << i));
        TW_PASS(tw_queue_end_recording(queue, &graph));
        for (int i = 0; i < TURNS; ++i, expected += 15)
            TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        tw_command_graph_destroy(&graph);
        TW_PASS(tw_buffer_destroy(&sum));
        TW_PASS(tw_image_destroy(&image));
        TW_CHECK(are_all(side * side, expected));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* A queue over all devices gives each of them its own texture. */
TW_TEST(parts_of_a_launch_sample_too)
{
    tw_queue *queue = tw_test_queue_over(2, 0);
    const size_t side = is_gpu(queue) ? MOST_SIDE : 64;
    const tw_image_layout layout = {.order = TW_R, .type = TW_FLOAT, .size = tw_range_2d(side, side)};
    tw_image *image = NULL;
    tw_buffer *sum = NULL;
    memset(sums, 0, sizeof sums);
    TW_PASS(tw_image_create(layout, &image));
    TW_PASS(tw_buffer_create_over(sums, sizeof sums[0], tw_range_2d(side, side), &sum));
    for (int i = 1; i <= 8; ++i)
        paint_and_add(queue, image, sum, (float)i);
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_image_destroy(&image));
    TW_PASS(tw_queue_destroy(&queue));
    TW_CHECK(are_all(side * side, 36));
}

struct write_and_sample {
    tw_image_2d out;
    tw_sampled_image_2d in;
};
static inline void write_and_sample(tw_item item, const struct write_and_sample *k)
{
    const tw_float2 at = {0.5f, 0.5f};
    tw_write_imagef(k->out, tw_get_global_id(item), tw_read_imagef(k->in, at));
}
TW_RANGE_KERNEL(write_and_sample, 2);

TW_TEST(a_kernel_does_not_write_what_it_samples)
{
    const tw_image_layout layout = {.order = TW_R, .type = TW_FLOAT, .size = tw_range_2d(8, 32)};
    const tw_sampler sampler = tw_sampler_make(false, TW_ADDRESS_NONE, TW_FILTER_NEAREST);
    tw_queue *queue = tw_test_queue();
    tw_image *image = NULL, *other = NULL;
    TW_PASS(tw_image_create(layout, &image));
    TW_PASS(tw_image_create(layout, &other));
    for (int first = 0; first < 2; ++first) {
        tw_command_group *cg = tw_queue_begin(queue);
        struct write_and_sample block;
        if (first)
            block.in = tw_sample_image_2d(cg, image, sampler);
        block.out = tw_write_image_2d(cg, image);
        if (!first)
            block.in = tw_sample_image_2d(cg, image, sampler);
        tw_parallel_for_kernel(cg, layout.size, TW_KERNEL(write_and_sample), &block, sizeof block);
        tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "writes an image that it samples");
    }
    tw_queue *over = tw_test_queue_over(2, 0);
    tw_command_group *cg = tw_queue_begin(over);
    tw_parallel_for(cg, layout.size, write_and_sample, .out = tw_discard_write_image_2d(cg, image),
                    .in = tw_sample_image_2d(cg, image, sampler));
    tw_test_refuse(over, cg, TW_ERROR_INVALID_ARGUMENT, "writes an image that it samples");
    TW_PASS(tw_queue_destroy(&over));
    cg = tw_queue_begin(queue);
    (void)tw_sample_image_2d(cg, NULL, sampler);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "the image is NULL");
    cg = tw_queue_begin(queue);
    (void)tw_sample_image_3d(cg, image, sampler);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "the accessor is for 3D images");
    cg = tw_queue_begin(queue); /* another one may be written */
    tw_parallel_for(cg, layout.size, write_and_sample, .out = tw_discard_write_image_2d(cg, other),
                    .in = tw_sample_image_2d(cg, image, sampler));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_image_destroy(&image));
    TW_PASS(tw_image_destroy(&other));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(every_mode_and_target_serves_scalars),
    TW_CASE(structs_travel_both_ways),
    TW_CASE(write_keeps_what_is_not_overwritten),
    TW_CASE(accessors_of_one_group_to_one_buffer_unite),
    TW_CASE(accessors_without_a_kernel_are_legal),
    TW_CASE(what_is_no_accessor_is_an_error_of_the_group),
    TW_CASE(discarding_transfers_nothing),
    TW_CASE(a_union_with_a_reading_accessor_does_transfer),
    TW_CASE(data_stays_where_it_is_needed),
    TW_CASE(read_only_copies_live_on_several_devices_at_once),
    TW_CASE(a_full_device_is_an_error_of_the_group),
    TW_CASE(sampled_images_are_up_to_date),
    TW_CASE(parts_of_a_launch_sample_too),
    TW_CASE(a_kernel_does_not_write_what_it_samples),
    TW_CASES_END,
};
