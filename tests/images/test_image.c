/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: x86_64 gpu-simt, values */
/*
 * Images as objects (image.h): creation with and without pitch (property 63), round trips through kernels and host
 * accessors (64), layers, gaps, their place in the command graph, lifetimes, and every error.
 */
#include "image_test.h"

static const tw_image_layout rgba8_4x3 = {.order = TW_RGBA, .type = TW_UNORM_INT8, .size = {{3, 4, 1}, 2}};

/* ---- property 63 ------------------------------------------------------------------------------------------------- */

static void check_shape(tw_image_layout layout, size_t count, size_t bytes, tw_range pitch)
{
    static _Alignas(16) unsigned char memory[4096];
    tw_image *images[4] = {NULL};
    TW_CHECK(bytes <= sizeof memory);
    TW_PASS(tw_image_create_over(memory, layout, &images[0]));
    TW_PASS(tw_image_create_over_const(memory, layout, &images[1]));
    TW_PASS(tw_image_create(layout, &images[2]));
    TW_PASS(tw_image_create_copy(memory, layout, &images[3]));
    for (int i = 0; i < 4; ++i) {
        TW_CHECK(tw_range_equal(tw_image_range(images[i]), layout.size));
        TW_EQUAL(tw_image_count(images[i]), count);
        TW_EQUAL(tw_image_size(images[i]), bytes);
        TW_CHECK(tw_image_size(images[i]) >= count * tw_pixel_size(layout.order, layout.type));
        TW_EQUAL(tw_image_pitch(images[i]).dims, pitch.dims);
        TW_CHECK(!pitch.dims || tw_range_equal(tw_image_pitch(images[i]), pitch));
        const tw_image_layout got = tw_image_get_layout(images[i]);
        TW_CHECK(got.order == layout.order && got.type == layout.type && got.is_array == layout.is_array);
        TW_EQUAL(tw_buffer_size(tw_image_buffer(images[i])), bytes);
        TW_PASS(tw_image_destroy(&images[i]));
        TW_CHECK(!images[i]);
    }
}

TW_TEST(sizes_and_pitches)
{
    const tw_range none = {{0, 0, 0}, 0};
    tw_image_layout layout = {.order = TW_RGBA, .type = TW_UNORM_INT8, .size = tw_range_1d(9)};
    check_shape(layout, 9, 36, none);
    layout.size = tw_range_2d(3, 4);
    check_shape(layout, 12, 48, tw_range_1d(16));
    layout.row_pitch = 24;
    check_shape(layout, 12, 2 * 24 + 16, tw_range_1d(24));
    layout.is_array = true;
    check_shape(layout, 12, 2 * 24 + 16, tw_range_1d(24));
    layout.size = tw_range_3d(5, 3, 4);
    check_shape(layout, 60, 4 * 72 + 2 * 24 + 16, tw_range_2d(72, 24));
    layout.is_array = false;
    layout.slice_pitch = 96;
    check_shape(layout, 60, 4 * 96 + 2 * 24 + 16, tw_range_2d(96, 24));
    layout.row_pitch = 0;
    check_shape(layout, 60, 4 * 96 + 2 * 16 + 16, tw_range_2d(96, 16));
    layout.type = TW_FLOAT;
    layout.slice_pitch = 0;
    check_shape(layout, 60, 60 * 16, tw_range_2d(192, 64));
}

TW_TEST(formats_have_sizes_or_are_none)
{
    for (size_t o = 0; o < REFERENCE_ORDERS; ++o)
        for (size_t t = 0; t < REFERENCE_TYPES; ++t) {
            const struct reference_order *order = &reference_orders[o];
            const struct reference_type *type = &reference_types[t];
            const bool is_format = reference_is_format(order, type);
            tw_image_layout layout = rgba8_4x3;
            tw_image *image = NULL;
            layout.order = order->order;
            layout.type = type->type;
            TW_EQUAL(tw_pixel_size(order->order, type->type), is_format ? reference_pixel_bytes(order, type) : 0);
            if (is_format) {
                TW_PASS(tw_image_create(layout, &image));
                TW_PASS(tw_image_destroy(&image));
            } else {
                TW_FAIL(tw_image_create(layout, &image), TW_ERROR_INVALID_ARGUMENT);
            }
            TW_CHECK(!image);
        }
    TW_EQUAL(tw_pixel_size((tw_channel_order)0, TW_FLOAT), 0);
    TW_EQUAL(tw_pixel_size(TW_RGBA, (tw_channel_type)99), 0);
}

static void fails_with(tw_image_layout layout, tw_status status)
{
    static _Alignas(16) unsigned char memory[16];
    tw_image *image = NULL;
    tw_buffer *buffer = NULL;
    TW_FAIL(tw_image_create(layout, &image), status);
    TW_FAIL(tw_image_create_over(memory, layout, &image), status);
    TW_FAIL(tw_image_create_over_const(memory, layout, &image), status);
    TW_FAIL(tw_image_create_copy(memory, layout, &image), status);
    TW_PASS(tw_buffer_create(1, tw_range_1d(1 << 20), &buffer));
    TW_FAIL(tw_image_create_on_buffer(buffer, layout, &image), status);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_CHECK(!image);
}

TW_TEST(layouts_are_checked)
{
    tw_image_layout layout = rgba8_4x3;
    layout.row_pitch = 12;
    fails_with(layout, TW_ERROR_INVALID_ARGUMENT); /* too small */
    layout.row_pitch = 18;
    fails_with(layout, TW_ERROR_INVALID_ARGUMENT); /* no multiple of a pixel */
    layout.row_pitch = (size_t)1 << 32;
    fails_with(layout, TW_ERROR_INVALID_ARGUMENT); /* too large */
    layout.row_pitch = 16;
    layout.slice_pitch = 48;
    fails_with(layout, TW_ERROR_INVALID_ARGUMENT); /* there are no slices */
    layout.size = tw_range_3d(2, 3, 4);
    layout.slice_pitch = 32;
    fails_with(layout, TW_ERROR_INVALID_ARGUMENT);
    layout.slice_pitch = 56;
    fails_with(layout, TW_ERROR_INVALID_ARGUMENT);
    layout.slice_pitch = (size_t)16 << 32;
    fails_with(layout, TW_ERROR_INVALID_ARGUMENT);
    layout.size = tw_range_1d(4);
    layout.slice_pitch = 0;
    fails_with(layout, TW_ERROR_INVALID_ARGUMENT); /* there are no rows */
    layout.row_pitch = 0;
    layout.is_array = true;
    fails_with(layout, TW_ERROR_INVALID_RANGE);
    layout.is_array = false;
    layout.size = tw_range_2d(0, 4);
    fails_with(layout, TW_ERROR_INVALID_RANGE);
    layout.size = tw_range_2d(4, TW_IMAGE_MAX_EXTENT + 1);
    fails_with(layout, TW_ERROR_INVALID_RANGE);
    layout.size = (tw_range){{4, 4, 4}, 4};
    fails_with(layout, TW_ERROR_INVALID_RANGE);
    layout.size = tw_range_3d(TW_IMAGE_MAX_EXTENT, TW_IMAGE_MAX_EXTENT, TW_IMAGE_MAX_EXTENT);
    fails_with(layout,
               TW_ERROR_INVALID_RANGE); /* size_t holds the pixels, but not as invalid range; the bytes it does not */
}

TW_TEST(arguments_of_creation_are_checked)
{
    static _Alignas(16) float memory[64];
    tw_image *image = NULL;
    tw_buffer *buffer = NULL;
    tw_image_layout layout = rgba8_4x3;
    TW_FAIL(tw_image_create(layout, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_image_create_over(NULL, layout, &image), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_image_create_over_const(NULL, layout, &image), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_image_create_copy(NULL, layout, &image), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_image_create_copy(memory, layout, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_image_create_on_buffer(NULL, layout, &image), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_image_create_over((unsigned char *)memory + 1, layout, &image)); /* its channels are bytes */
    TW_PASS(tw_image_destroy(&image));
    layout.type = TW_FLOAT;
    TW_FAIL(tw_image_create_over((unsigned char *)memory + 2, layout, &image), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_image_create_over(memory + 1, layout, &image));
    TW_PASS(tw_image_destroy(&image));
    TW_PASS(tw_buffer_create(1, tw_range_1d(191), &buffer));
    TW_FAIL(tw_image_create_on_buffer(buffer, layout, &image), TW_ERROR_INVALID_RANGE);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_CHECK(!image);
    TW_PASS(tw_image_destroy(&image));
    TW_PASS(tw_image_destroy(NULL));
    TW_CHECK(!tw_image_retain(NULL) && !tw_image_buffer(NULL));
    TW_EQUAL(tw_image_count(NULL) + tw_image_size(NULL) + tw_image_range(NULL).dims + tw_image_pitch(NULL).dims, 0);
}

/* ---- property 64 ------------------------------------------------------------------------------------------------- */

/* A kernel for each kind of images; `type` says by which functions it reads and writes. */
enum { TYPE_f, TYPE_h, TYPE_i, TYPE_ui };
#define ROUND_TRIP(kind, dims)                                                                                         \
    struct trip_##kind {                                                                                               \
        tw_const_image_##kind in;                                                                                      \
        tw_image_##kind out;                                                                                           \
        int type;                                                                                                      \
    };                                                                                                                 \
    IMAGE_BODY void trip_##kind##_at(const struct trip_##kind *k, tw_id at)                                            \
    {                                                                                                                  \
        if (k->type == TYPE_f)                                                                                         \
            tw_write_imagef(k->out, at, tw_read_imagef(k->in, at) + 1.0f);                                             \
        else if (k->type == TYPE_h)                                                                                    \
            tw_write_imageh(k->out, at, tw_read_imageh(k->in, at) + (tw_half)1);                                       \
        else if (k->type == TYPE_i)                                                                                    \
            tw_write_imagei(k->out, at, tw_read_imagei(k->in, at) + 1);                                                \
        else                                                                                                           \
            tw_write_imageui(k->out, at, tw_read_imageui(k->in, at) + 1);                                              \
    }                                                                                                                  \
    static inline void trip_##kind(tw_item item, const struct trip_##kind *k)                                          \
    {                                                                                                                  \
        trip_##kind##_at(k, tw_get_global_id(item));                                                                   \
    }                                                                                                                  \
    TW_RANGE_KERNEL(trip_##kind, dims);
ROUND_TRIP(1d, 1)
ROUND_TRIP(2d, 2)
ROUND_TRIP(3d, 3)
ROUND_TRIP(1d_array, 2)
ROUND_TRIP(2d_array, 3)

/* From the host into an image, through a kernel that adds 1, and from a second image to the host, by pixels both
   times. */
#define TRIP(kind, suffix, T, type_, size_, is_array_)                                                                 \
    do {                                                                                                               \
        const tw_image_layout layout = {.order = TW_RGBA, .type = type_, .size = size_, .is_array = is_array_};        \
        tw_image *from = NULL, *to = NULL;                                                                             \
        tw_host_image *access = NULL;                                                                                  \
        tw_image_##kind pixels;                                                                                        \
        tw_const_image_##kind results;                                                                                 \
        TW_PASS(tw_image_create(layout, &from));                                                                       \
        TW_PASS(tw_image_create(layout, &to));                                                                         \
        TW_PASS(tw_host_image_access(from, TW_DISCARD_WRITE, &access));                                                \
        TW_PASS(tw_host_image_##kind(access, &pixels));                                                                \
        for (size_t i = 0; i < tw_image_count(from); ++i)                                                              \
            tw_write_image##suffix(pixels, id_of(i, layout.size),                                                      \
                                   (tw_##T##4){(tw_##T)i, (tw_##T)(2 * i), (tw_##T)(3 * i), (tw_##T)7});               \
        tw_host_image_release(&access);                                                                                \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for(cg, tw_image_range(to), trip_##kind, .in = tw_read_image_##kind(cg, from),                     \
                        .out = tw_discard_write_image_##kind(cg, to), .type = TYPE_##suffix);                          \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_host_image_access(to, TW_READ, &access));                                                           \
        TW_PASS(tw_host_const_image_##kind(access, &results));                                                         \
        for (size_t i = 0; i < tw_image_count(to); ++i) {                                                              \
            const tw_##T##4 got = tw_read_image##suffix(results, id_of(i, layout.size));                               \
            TW_CHECK(got.x == (tw_##T)(i + 1) && got.y == (tw_##T)(2 * i + 1) && got.z == (tw_##T)(3 * i + 1)          \
                     && got.w == (tw_##T)8);                                                                           \
        }                                                                                                              \
        tw_host_image_release(&access);                                                                                \
        TW_CHECK(!access);                                                                                             \
        TW_PASS(tw_image_destroy(&from));                                                                              \
        TW_PASS(tw_image_destroy(&to));                                                                                \
    } while (0)
#define TRIPS(kind, size, is_array)                                                                                    \
    TRIP(kind, f, float, TW_FLOAT, size, is_array);                                                                    \
    TRIP(kind, h, half, TW_HALF_FLOAT, size, is_array);                                                                \
    TRIP(kind, i, int, TW_SIGNED_INT32, size, is_array);                                                               \
    TRIP(kind, ui, uint, TW_UNSIGNED_INT16, size, is_array)

static tw_id id_of(size_t i, tw_range size)
{
    const tw_id id = {{i / (size.size[1] * size.size[2]), i / size.size[2] % size.size[1], i % size.size[2]},
                      size.dims};
    return id;
}

TW_TEST(what_is_written_is_read)
{
    tw_queue *queue = tw_test_queue();
    TRIPS(1d, tw_range_1d(61), false);
    TRIPS(2d, tw_range_2d(7, 9), false);
    TRIPS(3d, tw_range_3d(4, 3, 5), false);
    TRIPS(1d_array, tw_range_2d(6, 10), true);
    TRIPS(2d_array, tw_range_3d(3, 4, 5), true);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- layers, questions ------------------------------------------------------------------------------------------- */

struct use_layers {
    tw_image_2d_array in;
    tw_const_image_1d_array lines;
    tw_image_3d solid;
    int *out; /* facts, then sums of layers */
};
static inline void use_layers(const struct use_layers *k)
{
    const tw_sampler edge = tw_sampler_make(false, TW_ADDRESS_CLAMP_TO_EDGE, TW_FILTER_NEAREST);
    const tw_image_2d layer = tw_image_layer(k->in, 1);
    const tw_const_image_1d line = tw_image_layer(k->lines, 2);
    k->out[0] =
        tw_get_image_width(k->in) * 1000 + tw_get_image_height(k->in) * 100 + (int)tw_get_image_array_size(k->in);
    k->out[1] = tw_get_image_width(k->lines) * 100 + (int)tw_get_image_array_size(k->lines);
    k->out[2] = tw_get_image_width(k->solid) * 100 + tw_get_image_height(k->solid) * 10 + tw_get_image_depth(k->solid);
    k->out[3] = (int)tw_get_image_channel_order(layer) * 100 + (int)tw_get_image_channel_data_type(layer);
    k->out[4] = tw_get_image_width(layer) * 10 + tw_get_image_height(layer);
    k->out[5] = tw_read_imagei(layer, (tw_int2){2, 1}).x;
    k->out[6] = tw_read_imagei(line, 3).x;
    k->out[7] = tw_read_imagei(layer, edge, (tw_float2){100.0f, 100.0f}).x; /* its own edge, not the array's */
    /* layers round to the even one of two, and are clamped in every mode */
    k->out[8] = tw_read_imagei(k->lines, edge, (tw_float2){0.5f, 0.5f}).x;
    k->out[9] = tw_read_imagei(k->lines, edge, (tw_float2){0.5f, 1.5f}).x;
    k->out[10] = tw_read_imagei(k->lines, edge, (tw_float2){0.5f, -7.0f}).x;
    k->out[11] = tw_read_imagei(k->lines, edge, (tw_int2){0, 9}).x;
    tw_write_imagei(layer, (tw_int2){0, 0}, (tw_int4){-5, 0, 0, 0});
}
TW_SINGLE_TASK(use_layers);

TW_TEST(layers_are_images)
{
    int pixels[2 * 3 * 4], lines[3 * 5], out[12] = {0};
    tw_image *array = NULL, *line_array = NULL, *solid = NULL;
    tw_buffer *buffer = NULL;
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < 24; ++i)
        pixels[i] = i;
    for (int i = 0; i < 15; ++i)
        lines[i] = 100 + i;
    tw_image_layout layout = {
        .order = TW_R, .type = TW_SIGNED_INT32, .size = tw_range_3d(2, 3, 4), .is_array = true, .row_pitch = 16};
    TW_PASS(tw_image_create_over(pixels, layout, &array));
    layout.is_array = false;
    TW_PASS(tw_image_create(layout, &solid));
    layout = (tw_image_layout){.order = TW_R, .type = TW_SIGNED_INT32, .size = tw_range_2d(3, 5), .is_array = true};
    TW_PASS(tw_image_create_over_const(lines, layout, &line_array));
    TW_PASS(tw_buffer_create_over(out, sizeof out[0], tw_range_1d(12), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, use_layers, .in = tw_read_write_image_2d_array(cg, array),
                   .lines = tw_read_image_1d_array(cg, line_array), .solid = tw_discard_read_write_image_3d(cg, solid),
                   .out = tw_discard_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_image_destroy(&array));
    TW_PASS(tw_image_destroy(&line_array));
    TW_PASS(tw_image_destroy(&solid));
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(out[0], 4302);
    TW_EQUAL(out[1], 503);
    TW_EQUAL(out[2], 432);
    TW_EQUAL(out[3], (int)TW_R * 100 + (int)TW_SIGNED_INT32);
    TW_EQUAL(out[4], 43);
    TW_EQUAL(out[5], 12 + 6);
    TW_EQUAL(out[6], 113);
    TW_EQUAL(out[7], 23);
    TW_EQUAL(out[8], 100);
    TW_EQUAL(out[9], 110);
    TW_EQUAL(out[10], 100);
    TW_EQUAL(out[11], 110);
    TW_EQUAL(pixels[12], -5);
}

/* ---- the command graph ------------------------------------------------------------------------------------------- */

struct next_byte {
    unsigned char *bytes;
};
static inline void next_byte(tw_item item, const struct next_byte *k)
{
    k->bytes[tw_global_id(item, 0)] += 2;
}
TW_RANGE_KERNEL(next_byte, 1);

struct step {
    tw_const_image_2d in;
    tw_image_2d out;
};
static inline void step(tw_item item, const struct step *k)
{
    const tw_id at = tw_get_global_id(item);
    tw_write_imageui(k->out, at, tw_read_imageui(k->in, at) * 2 + 1);
}
TW_RANGE_KERNEL(step, 2);

/* Kernels on images, and on the buffer behind one of them, run in the order that their accesses ask for. */
TW_TEST(images_order_kernels_as_buffers_do)
{
    enum { ROUNDS = 20 };
    unsigned char pixels[12] = {0};
    unsigned expected = 0;
    tw_queue *queues[2];
    tw_image *a = NULL, *b = NULL;
    const tw_image_layout layout = {.order = TW_R, .type = TW_UNSIGNED_INT32, .size = tw_range_2d(1, 3)};
    tw_test_queues(queues, 2);
    TW_PASS(tw_image_create_copy(pixels, layout, &a));
    TW_PASS(tw_image_create(layout, &b));
    for (int i = 0; i < ROUNDS; ++i) {
        tw_queue *queue = queues[i % 2];
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, layout.size, step, .in = tw_read_image_2d(cg, i % 2 ? b : a),
                        .out = tw_discard_write_image_2d(cg, i % 2 ? a : b));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        expected = expected * 2 + 1;
        if (i % 5 == 4) {
            cg = tw_queue_begin(queues[1 - i % 2]);
            tw_parallel_for(cg, tw_range_1d(12), next_byte, .bytes = tw_read_write(cg, tw_image_buffer(i % 2 ? a : b)));
            TW_PASS(tw_queue_submit(queues[1 - i % 2], cg, NULL));
            for (int byte = 0; byte < 4; ++byte)
                expected = (expected & ~(0xffu << 8 * byte)) | (((expected >> 8 * byte) + 2) & 0xff) << 8 * byte;
        }
    }
    uint32_t got[3];
    tw_test_fetch(tw_image_buffer(a), got);
    TW_CHECK(got[0] == expected && got[1] == expected && got[2] == expected);
    TW_PASS(tw_image_destroy(&a));
    TW_PASS(tw_image_destroy(&b));
    tw_test_destroy_queues(queues, 2);
}

struct fill {
    tw_image_2d out;
    tw_uint4 colour;
};
static inline void fill(tw_item item, const struct fill *k)
{
    tw_write_imageui(k->out, tw_get_global_id(item), k->colour);
}
TW_RANGE_KERNEL(fill, 2);

/* An image that is a part of a larger one leaves the rest alone, in every mode that writes. */
TW_TEST(what_lies_in_the_gaps_is_kept)
{
    unsigned char picture[8][10];
    tw_queue *queue = tw_test_queue();
    const tw_image_layout part = {
        .order = TW_R, .type = TW_UNSIGNED_INT8, .size = tw_range_2d(4, 3), .row_pitch = sizeof picture[0]};
    for (int mode = 0; mode < 4; ++mode) {
        tw_image *image = NULL;
        memset(picture, 1, sizeof picture);
        TW_PASS(tw_image_create_over(&picture[2][5], part, &image));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, part.size, fill,
                        .out = mode == 0   ? tw_write_image_2d(cg, image)
                               : mode == 1 ? tw_read_write_image_2d(cg, image)
                               : mode == 2 ? tw_discard_write_image_2d(cg, image)
                                           : tw_discard_read_write_image_2d(cg, image),
                        .colour = {9, 0, 0, 0});
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_image_destroy(&image));
        for (int i = 0; i < 8; ++i)
            for (int j = 0; j < 10; ++j)
                TW_EQUAL(picture[i][j], i >= 2 && i < 6 && j >= 5 && j < 8 ? 9 : 1);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* The same for a buffer that is larger than the image on it. */
TW_TEST(an_image_on_a_buffer_leaves_the_rest_of_it)
{
    unsigned char memory[20];
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    tw_image *image = NULL;
    const tw_image_layout layout = {.order = TW_R, .type = TW_UNSIGNED_INT8, .size = tw_range_2d(4, 3)};
    memset(memory, 1, sizeof memory);
    TW_PASS(tw_buffer_create_over(memory, 5, tw_range_1d(4), &buffer));
    TW_PASS(tw_image_create_on_buffer(buffer, layout, &image));
    TW_CHECK(tw_image_buffer(image) == buffer);
    TW_EQUAL(tw_image_size(image), 12);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, layout.size, fill, .out = tw_discard_write_image_2d(cg, image), .colour = {9, 0, 0, 0});
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer)); /* the image has a reference of its own */
    TW_PASS(tw_image_destroy(&image));
    for (int i = 0; i < 20; ++i)
        TW_EQUAL(memory[i], i < 12 ? 9 : 1);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- errors of accessors ----------------------------------------------------------------------------------------- */

TW_TEST(accessors_are_checked)
{
    static _Alignas(16) unsigned char memory[256];
    tw_queue *queue = tw_test_queue();
    tw_image *image = NULL, *constant = NULL, *skewed = NULL;
    tw_buffer *buffer = NULL;
    tw_image_layout layout = {.order = TW_RGBA, .type = TW_FLOAT, .size = tw_range_2d(3, 4)};
    TW_PASS(tw_image_create(layout, &image));
    TW_PASS(tw_image_create_over_const(memory, layout, &constant));
#define REFUSED(status, ...)                                                                                           \
    do {                                                                                                               \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        __VA_ARGS__;                                                                                                   \
        TW_EQUAL(tw_command_group_status(cg), status);                                                                 \
        TW_FAIL(tw_queue_submit(queue, cg, NULL), status);                                                             \
    } while (0)
    REFUSED(TW_ERROR_INVALID_ARGUMENT, TW_CHECK(!tw_read_image_2d(cg, NULL).tw_.data));
    REFUSED(TW_ERROR_INVALID_ARGUMENT, (void)tw_read_image_1d(cg, image));
    REFUSED(TW_ERROR_INVALID_ARGUMENT, (void)tw_write_image_3d(cg, image));
    REFUSED(TW_ERROR_INVALID_ARGUMENT, (void)tw_read_image_1d_array(cg, image));
    REFUSED(TW_ERROR_READ_ONLY_BUFFER, (void)tw_write_image_2d(cg, constant));
    REFUSED(TW_ERROR_INVALID_ARGUMENT, tw_image_require(cg, image, TW_RGBA, TW_HALF_FLOAT));
    REFUSED(TW_ERROR_INVALID_ARGUMENT, tw_image_require(cg, image, TW_RG, TW_FLOAT));
    REFUSED(TW_ERROR_INVALID_ARGUMENT, tw_image_require(cg, NULL, TW_RGBA, TW_FLOAT));
    /* the first error stays */
    REFUSED(TW_ERROR_INVALID_ARGUMENT, (void)tw_read_image_1d(cg, image); (void)tw_write_image_2d(cg, constant));
    tw_image_require(NULL, image, TW_R, TW_FLOAT);
    TW_CHECK(!tw_read_image_2d(NULL, image).tw_.data);

    /* an image on a buffer whose memory is not aligned: seen when there is a device, and only where the memory is
       used */
    TW_PASS(tw_buffer_create_over(memory + 1, 1, tw_range_1d(200), &buffer));
    TW_PASS(tw_image_create_on_buffer(buffer, layout, &skewed));
    if (tw_device_is_host(tw_queue_device(queue)))
        REFUSED(TW_ERROR_INVALID_ARGUMENT, (void)tw_read_image_2d(cg, skewed));
    tw_host_image *access = NULL;
    tw_image_2d pixels;
    TW_PASS(tw_host_image_access(skewed, TW_READ_WRITE, &access));
    TW_FAIL(tw_host_image_2d(access, &pixels), TW_ERROR_INVALID_ARGUMENT);
    tw_host_image_release(&access);
    TW_PASS(tw_image_destroy(&skewed));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_image_destroy(&constant));
    TW_PASS(tw_image_destroy(&image));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(host_accessors_are_checked)
{
    static const unsigned char memory[48];
    tw_image *image = NULL, *constant = NULL;
    tw_host_image *access = NULL, *second = NULL;
    tw_image_2d pixels;
    tw_const_image_2d results;
    tw_image_3d solid;
    TW_PASS(tw_image_create(rgba8_4x3, &image));
    TW_PASS(tw_image_create_over_const(memory, rgba8_4x3, &constant));
    TW_FAIL(tw_host_image_access(NULL, TW_READ, &access), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_host_image_access(image, TW_READ, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_host_image_access(image, (tw_access_mode)17, &access), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_host_image_access(image, TW_ATOMIC, &access), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_host_image_access(constant, TW_WRITE, &access), TW_ERROR_READ_ONLY_BUFFER);
    TW_CHECK(!access);
    TW_PASS(tw_host_image_access(constant, TW_READ, &access));
    TW_CHECK(!tw_host_image_data(access) && tw_host_image_const_data(access) == memory);
    TW_FAIL(tw_host_image_2d(access, &pixels), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_host_const_image_2d(access, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_host_const_image_2d(NULL, &results), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_host_const_image_2d(access, &results));
    tw_host_image_release(&access);
    TW_PASS(tw_host_image_access(image, TW_DISCARD_READ_WRITE, &access));
    TW_CHECK(tw_host_image_data(access));
    TW_FAIL(tw_host_image_3d(access, &solid), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_host_image_access(image, TW_READ, &second), TW_ERROR_WOULD_DEADLOCK);
    tw_host_image_release(&access);
    tw_host_image_release(&access);
    tw_host_image_release(NULL);
    TW_CHECK(!tw_host_image_data(NULL) && !tw_host_image_const_data(NULL));
    TW_PASS(tw_image_destroy(&constant));
    TW_PASS(tw_image_destroy(&image));
}

/* ---- lifetimes --------------------------------------------------------------------------------------------------- */

TW_TEST(references_are_counted)
{
    unsigned char pixels[12] = {0};
    tw_image *image = NULL, *other = NULL;
    tw_host_image *access = NULL;
    const tw_image_layout layout = {.order = TW_R, .type = TW_UNSIGNED_INT8, .size = tw_range_2d(3, 4)};
    tw_queue *queue = tw_test_queue();
    TW_PASS(tw_image_create_over(pixels, layout, &image));
    other = tw_image_retain(image);
    TW_CHECK(other == image);
    TW_PASS(tw_image_destroy(&image));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, layout.size, fill, .out = tw_discard_write_image_2d(cg, other), .colour = {7, 0, 0, 0});
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    /* it has to bring the contents back, but this thread is in the way: nothing has changed then */
    TW_PASS(tw_host_image_access(other, TW_READ, &access));
    TW_FAIL(tw_image_destroy(&other), TW_ERROR_WOULD_DEADLOCK);
    TW_CHECK(other && tw_image_count(other) == 12);
    tw_host_image_release(&access);
    TW_PASS(tw_image_destroy(&other));
    for (int i = 0; i < 12; ++i)
        TW_EQUAL(pixels[i], 7);
    TW_PASS(tw_queue_destroy(&queue));
}

/* An image without host memory may go while a host accessor to it is open. */
TW_TEST(a_host_accessor_outlives_the_image)
{
    tw_image *image = NULL;
    tw_host_image *access = NULL;
    tw_image_2d pixels;
    TW_PASS(tw_image_create(rgba8_4x3, &image));
    TW_PASS(tw_host_image_access(image, TW_DISCARD_READ_WRITE, &access));
    TW_PASS(tw_image_destroy(&image));
    TW_PASS(tw_host_image_2d(access, &pixels));
    tw_write_imagef(pixels, tw_id_2d(2, 3), (tw_float4){1, 0, 1, 0});
    TW_CHECK(tw_read_imagef(pixels, tw_id_2d(2, 3)).z == 1.0f);
    tw_host_image_release(&access);
}

TW_TEST(lost_contents_are_reported)
{
    static unsigned char pixels[12];
    tw_image *image = NULL;
    tw_host_image *access = NULL;
    const tw_image_layout layout = {.order = TW_R, .type = TW_UNSIGNED_INT8, .size = tw_range_2d(3, 4)};
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    TW_PASS(tw_image_create_over(pixels, layout, &image));
    TW_PASS(tw_sim_fail_nth(tw_test_device(0), TW_SIM_LAUNCH, 1));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, layout.size, fill, .out = tw_discard_write_image_2d(cg, image), .colour = {7, 0, 0, 0});
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_FAIL(tw_host_image_access(image, TW_READ, &access), TW_ERROR_DATA_LOST);
    TW_FAIL(tw_image_destroy(&image), TW_ERROR_DATA_LOST);
    TW_CHECK(!image);
    TW_FAIL(tw_queue_destroy(&queue), TW_ERROR_LAUNCH_FAILED);
}

TW_TEST_LIST = {
    TW_CASE(sizes_and_pitches),
    TW_CASE(formats_have_sizes_or_are_none),
    TW_CASE(layouts_are_checked),
    TW_CASE(arguments_of_creation_are_checked),
    TW_CASE(what_is_written_is_read),
    TW_CASE(layers_are_images),
    TW_CASE(images_order_kernels_as_buffers_do),
    TW_CASE(what_lies_in_the_gaps_is_kept),
    TW_CASE(an_image_on_a_buffer_leaves_the_rest_of_it),
    TW_CASE(accessors_are_checked),
    TW_CASE(host_accessors_are_checked),
    TW_CASE(references_are_counted),
    TW_CASE(a_host_accessor_outlives_the_image),
    TW_CASE(lost_contents_are_reported),
    TW_CASES_END,
};
