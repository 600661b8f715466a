/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: x86_64 (gpu-simt), values */
/*
 * Formats of images (image_format.h): every order with every type, read and written by kernels, against a reference in
 * double precision; the border's colour; kernels compiled for one format.
 */
#include "image_test.h"

/* ---- kernels, one image row each --------------------------------------------------------------------------------- */

#define GET(name, suffix, T)                                                                                           \
    struct name {                                                                                                      \
        tw_const_image_2d in;                                                                                          \
        tw_##T##4 * out;                                                                                               \
    };                                                                                                                 \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        const size_t i = tw_global_id(item, 0);                                                                        \
        k->out[i] = tw_read_image##suffix(k->in, (tw_int2){(int)i, 0});                                                \
    }                                                                                                                  \
    TW_RANGE_KERNEL(name, 1);
GET(get_float, f, float)
GET(get_int, i, int)
GET(get_uint, ui, uint)

#define PUT(name, suffix, T)                                                                                           \
    struct name {                                                                                                      \
        tw_image_2d out;                                                                                               \
        const tw_##T##4 * in;                                                                                          \
    };                                                                                                                 \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        const size_t i = tw_global_id(item, 0);                                                                        \
        tw_write_image##suffix(k->out, (tw_int2){(int)i, 0}, k->in[i]);                                                \
    }                                                                                                                  \
    TW_RANGE_KERNEL(name, 1);
PUT(put_float, f, float)
PUT(put_int, i, int)
PUT(put_uint, ui, uint)

/* Beside the image, where there is the border: with each kind of coordinates, and each type of pixels. */
struct get_border {
    tw_const_image_2d in;
    tw_sampler sampler, linear;
    tw_float4 *out;
};
static inline void get_border(const struct get_border *k)
{
    const tw_const_image_2d in = k->in;
    k->out[0] = tw_read_imagef(in, k->sampler, (tw_int2){-1, 0});
    k->out[1] = tw_read_imagef(in, k->sampler, (tw_float2){0.5f, 1.5f});
    k->out[2] = tw_read_imagef(in, k->linear, (tw_float2){-1.0f, 0.5f});
    k->out[3] = __builtin_convertvector(tw_read_imagei(in, k->sampler, (tw_int2){0, -1}), tw_float4);
    k->out[4] = __builtin_convertvector(tw_read_imageui(in, k->sampler, (tw_float2){0.5f, -0.5f}), tw_float4);
    k->out[5] = tw_read_imagef(in, k->linear, (tw_float2){0.5f, 0.0f}); /* half a pixel, half border */
}
TW_SINGLE_TASK(get_border);

/* ---- what they are run with -------------------------------------------------------------------------------------- */

static tw_image_layout row_of(const struct reference_order *order, const struct reference_type *type, size_t width)
{
    return (tw_image_layout){.order = order->order, .type = type->type, .size = tw_range_2d(1, width)};
}

/* Reads every pixel of `bytes` by a kernel that goes with the format. `out` has three vectors of room in turn. */
static void read_all(tw_queue *queue, const struct reference_order *order, const struct reference_type *type,
                     const unsigned char *bytes, size_t width, void *out)
{
    tw_image *image = NULL;
    tw_buffer *buffer = NULL;
    TW_PASS(tw_image_create_over_const(bytes, row_of(order, type, width), &image));
    TW_PASS(tw_buffer_create_over(out, 16, tw_range_1d(width), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    if (type->kind == 'i')
        tw_parallel_for(cg, tw_range_1d(width), get_int, .in = tw_read_image_2d(cg, image),
                        .out = tw_discard_write(cg, buffer));
    else if (type->kind == 'n')
        tw_parallel_for(cg, tw_range_1d(width), get_uint, .in = tw_read_image_2d(cg, image),
                        .out = tw_discard_write(cg, buffer));
    else
        tw_parallel_for(cg, tw_range_1d(width), get_float, .in = tw_read_image_2d(cg, image),
                        .out = tw_discard_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_image_destroy(&image));
}

static double channel_of(const void *vectors, char kind, size_t i, int c)
{
    return kind == 'i'   ? (double)((const int32_t *)vectors)[4 * i + (size_t)c]
           : kind == 'n' ? (double)((const uint32_t *)vectors)[4 * i + (size_t)c]
                         : (double)((const float *)vectors)[4 * i + (size_t)c];
}

static double ulp_of(double x)
{
    int exponent = 0;
    (void)frexp(x, &exponent);
    return ldexp(1.0, x == 0 ? -149 : exponent - 24);
}

/* Whether a read channel is right: exact for 0, 1 and integers, within 1.5 ulp else. */
static bool is_near(double got, double expected)
{
    if (isnan(expected))
        return isnan(got);
    return got == expected || (fabs(got - expected) <= 1.5 * ulp_of(expected) && fabs(expected) != 1 && expected != 0);
}

/* Checks reading of all formats over pixels of random bytes, with all bits the same in the first ones. */
TW_TEST(every_format_reads_as_its_definition_says)
{
    enum { WIDTH = 300 };
    static unsigned char bytes[WIDTH * 16];
    static _Alignas(16) unsigned char out[WIDTH * 16];
    tw_queue *queue = tw_test_queue();
    size_t formats = 0;
    for (size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = i < 64 ? (unsigned char)(i / 16 % 4 * 85) : (unsigned char)(i * 2654435761u >> 13 ^ i >> 3);
    for (size_t o = 0; o < REFERENCE_ORDERS; ++o)
        for (size_t t = 0; t < REFERENCE_TYPES; ++t) {
            const struct reference_order *order = &reference_orders[o];
            const struct reference_type *type = &reference_types[t];
            if (!reference_is_format(order, type))
                continue;
            ++formats;
            read_all(queue, order, type, bytes, WIDTH, out);
            for (size_t i = 0; i < WIDTH; ++i) {
                const struct pixel pixel =
                    reference_decode(bytes + i * reference_pixel_bytes(order, type), order, type);
                for (int c = 0; c < 4; ++c)
                    TW_CHECK(is_near(channel_of(out, type->kind, i, c), pixel.c[c]));
            }
        }
    TW_EQUAL(formats, 7 * 12 + 2 * 4 + 2 * 6 + 2 * 3);
    TW_PASS(tw_queue_destroy(&queue));
}

/* All 65536 values of each type of 16 bits, and all of 8: property 64 says that what is stored is what is read. */
TW_TEST(every_value_of_a_channel_reads_exactly_enough)
{
    enum { WIDTH = 65536 };
    uint16_t *values = malloc(WIDTH * sizeof *values);
    float *out = aligned_alloc(16, WIDTH * 16);
    tw_queue *queue = tw_test_queue();
    TW_CHECK(values && out);
    for (size_t i = 0; i < WIDTH; ++i)
        values[i] = (uint16_t)i;
    for (size_t t = 0; t < REFERENCE_TYPES; ++t) {
        const struct reference_type *type = &reference_types[t];
        const struct reference_order *order = &reference_orders[type->kind == 'p' ? 8 : 0];
        if (type->bytes > 2)
            continue;
        const size_t width = WIDTH * 2 / (size_t)type->bytes;
        if (type->bytes == 1) { /* a tenth of them, each value often */
            read_all(queue, order, type, (const unsigned char *)values, width / 20, out);
            for (size_t i = 0; i < width / 20; ++i)
                TW_CHECK(is_near(channel_of(out, type->kind, i, 0),
                                 reference_decode((const unsigned char *)values + i, order, type).c[0]));
            continue;
        }
        read_all(queue, order, type, (const unsigned char *)values, width, out);
        for (size_t i = 0; i < width; ++i) {
            const struct pixel pixel = reference_decode((const unsigned char *)&values[i], order, type);
            for (int c = 0; c < (type->kind == 'p' ? 3 : 1); ++c)
                TW_CHECK(is_near(channel_of(out, type->kind, i, c), pixel.c[c]));
        }
    }
    free(out);
    free(values);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

enum { WRITTEN = 240 };

/* Values inside of, on and beyond the range of every type. */
static void make_values(char kind, void *values)
{
    static const float special[] = {0.0f,  -0.0f,     1.0f,   -1.0f,   0.5f,     -0.5f,    1.5f,
                                    2.0f,  -3.0f,     1e30f,  -1e30f,  1e-30f,   NAN,      INFINITY,
                                    1e-7f, -INFINITY, 0.999f, -0.999f, 65504.0f, 65519.9f, 70000.0f};
    for (size_t i = 0; i < 4 * WRITTEN; ++i) {
        const uint32_t random = (uint32_t)i * 2654435761u ^ (uint32_t)i << 7;
        if (kind == 'i')
            ((int32_t *)values)[i] = i % 3 ? (int32_t)random >> (i % 32) : (int32_t)(i % 9) - 4;
        else if (kind == 'n')
            ((uint32_t *)values)[i] = i % 3 ? random >> (i % 32) : (uint32_t)(i % 9);
        else
            ((float *)values)[i] = i % 5 ? (float)random * 0x1.2p-31f - 1.1f : special[i / 5 % 21];
    }
}

/* Whether `stored`, of one channel, is what writing `v` leaves. `one` is the number for 1 in normalized types. */
static bool is_stored(double stored, double v, char kind, double one)
{
    if (kind == 'u' || kind == 's') {
        const double low = kind == 'u' ? 0 : -1, clamped = isnan(v) ? 0 : fmin(fmax(v, low), 1);
        return fabs(stored * one - clamped * one) <= 0.51 && (clamped != 0 || stored == 0)
               && (clamped != 1 || stored == 1);
    }
    return isnan(v) ? isnan(stored) : stored == v;
}

/* A half is right if none is nearer. */
static bool is_nearest_half(uint16_t bits, double v)
{
    const double stored = reference_half(bits);
    if (isnan(v))
        return isnan(stored);
    if (isinf(stored))
        return fabs(v) >= 65520 && (stored > 0) == (v > 0);
    const double error = fabs(stored - v);
    if (signbit(v) != bits >> 15)
        return false;
    const double above = (bits & 0x7fff) == 0x7bff ? 65536 : fabs(reference_half((uint16_t)(bits + 1)));
    const double below = bits & 0x7fff ? fabs(reference_half((uint16_t)(bits - 1))) : 0;
    return error <= fabs(above - fabs(v)) && (error <= fabs(below - fabs(v)) || !(bits & 0x7fff));
}

static void write_all(tw_queue *queue, const struct reference_order *order, const struct reference_type *type,
                      const void *values, unsigned char *bytes)
{
    tw_image *image = NULL;
    tw_buffer *buffer = NULL;
    TW_PASS(tw_image_create_over(bytes, row_of(order, type, WRITTEN), &image));
    TW_PASS(tw_buffer_create_over_const(values, 16, tw_range_1d(WRITTEN), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    if (type->kind == 'i')
        tw_parallel_for(cg, tw_range_1d(WRITTEN), put_int, .out = tw_write_image_2d(cg, image),
                        .in = tw_read(cg, buffer));
    else if (type->kind == 'n')
        tw_parallel_for(cg, tw_range_1d(WRITTEN), put_uint, .out = tw_write_image_2d(cg, image),
                        .in = tw_read(cg, buffer));
    else
        tw_parallel_for(cg, tw_range_1d(WRITTEN), put_float, .out = tw_write_image_2d(cg, image),
                        .in = tw_read(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_image_destroy(&image));
    TW_PASS(tw_buffer_destroy(&buffer));
}

/* The value that goes into a stored channel. */
static double written_to(char letter, const void *values, char kind, size_t i)
{
    const char *at = strchr("rgba", letter);
    return channel_of(values, kind, i, at ? (int)(at - "rgba") : 0);
}

static void check_pixel(const unsigned char *p, const struct reference_order *order, const struct reference_type *type,
                        const void *values, size_t i)
{
    const double width = ldexp(1, 8 * type->bytes);
    if (type->kind == 'p') {
        const struct pixel pixel = reference_decode(p, order, type);
        for (int c = 0; c < 3; ++c)
            TW_CHECK(is_stored(pixel.c[c], channel_of(values, 'f', i, c), 'u', (1 << type->packed_bits[c]) - 1));
        return;
    }
    for (int c = 0; c < order->channels; ++c) {
        const unsigned char *at = p + c * type->bytes;
        const double v = written_to(order->stored[c], values, type->kind, i);
        const double stored = reference_channel(at, type);
        uint16_t bits = 0;
        memcpy(&bits, at, type->bytes >= 2 ? 2 : 1);
        if (type->kind == 'i')
            TW_CHECK(stored == fmin(fmax(v, -width / 2), width / 2 - 1));
        else if (type->kind == 'n')
            TW_CHECK(stored == fmin(v, width - 1));
        else if (type->type == TW_HALF_FLOAT)
            TW_CHECK(is_nearest_half(bits, v));
        else
            TW_CHECK(is_stored(stored, v, type->kind, type->kind == 'u' ? width - 1 : width / 2 - 1));
    }
}

TW_TEST(every_format_is_written_clamped_and_rounded)
{
    static _Alignas(16) unsigned char values[WRITTEN * 16], bytes[WRITTEN * 16];
    tw_queue *queue = tw_test_queue();
    for (size_t o = 0; o < REFERENCE_ORDERS; ++o)
        for (size_t t = 0; t < REFERENCE_TYPES; ++t) {
            const struct reference_order *order = &reference_orders[o];
            const struct reference_type *type = &reference_types[t];
            if (!reference_is_format(order, type))
                continue;
            make_values(type->kind, values);
            memset(bytes, 0xa5, sizeof bytes);
            write_all(queue, order, type, values, bytes);
            for (size_t i = 0; i < WRITTEN; ++i)
                check_pixel(bytes + i * reference_pixel_bytes(order, type), order, type, values, i);
        }
    TW_PASS(tw_queue_destroy(&queue));
}

/* A function that does not go with the format writes nothing. */
TW_TEST(a_function_of_another_type_writes_nothing)
{
    static _Alignas(16) unsigned char values[WRITTEN * 16], bytes[WRITTEN * 16];
    const struct reference_type lying = {TW_UNORM_INT8, 1, 'i', {0}}, also = {TW_SIGNED_INT8, 1, 'f', {0}};
    tw_queue *queue = tw_test_queue();
    make_values('i', values);
    memset(bytes, 0xa5, sizeof bytes);
    write_all(queue, &reference_orders[10], &lying, values, bytes);
    write_all(queue, &reference_orders[10], &also, values, bytes);
    for (size_t i = 0; i < WRITTEN * 4; ++i)
        TW_EQUAL(bytes[i], 0xa5);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- the border -------------------------------------------------------------------------------------------------- */

TW_TEST(every_order_has_its_border_colour)
{
    enum { READS = 6 };
    static _Alignas(16) float out[READS][4];
    unsigned char bytes[16];
    memset(bytes, 0xff, sizeof bytes);
    tw_queue *queue = tw_test_queue();
    for (size_t o = 0; o < REFERENCE_ORDERS; ++o) {
        const struct reference_order *order = &reference_orders[o];
        const struct reference_type *type = &reference_types[order->channels == 3 ? 4 : 2];
        const struct pixel border = reference_border(order), pixel = reference_decode(bytes, order, type);
        tw_image *image = NULL;
        tw_buffer *buffer = NULL;
        TW_PASS(tw_image_create_over_const(bytes, row_of(order, type, 1), &image));
        TW_PASS(tw_buffer_create_over(out, sizeof out[0], tw_range_1d(READS), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_single_task(cg, get_border, .in = tw_read_image_2d(cg, image), .out = tw_discard_write(cg, buffer),
                       .sampler = tw_sampler_make(false, TW_ADDRESS_CLAMP, TW_FILTER_NEAREST),
                       .linear = tw_sampler_make(false, TW_ADDRESS_CLAMP, TW_FILTER_LINEAR));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_PASS(tw_image_destroy(&image));
        for (int i = 0; i < READS - 1; ++i)
            for (int c = 0; c < 4; ++c)
                TW_CHECK((double)out[i][c] == border.c[c]);
        for (int c = 0; c < 4; ++c)
            TW_CHECK(fabs((double)out[READS - 1][c] - 0.5 * (border.c[c] + pixel.c[c])) < 1e-6);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- kernels for one format -------------------------------------------------------------------------------------- */

/* Copies an image through a kernel that knows both formats; `copied` is what a kernel that knows none makes of it. */
#define FOR_ONE_FORMAT(name, order, type)                                                                              \
    struct name {                                                                                                      \
        tw_const_image_2d in;                                                                                          \
        tw_image_2d out;                                                                                               \
    };                                                                                                                 \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        const tw_id at = tw_get_global_id(item);                                                                       \
        tw_write_imagef(tw_image_as(k->out, order, type), at, tw_read_imagef(tw_image_as(k->in, order, type), at));    \
    }                                                                                                                  \
    TW_RANGE_KERNEL(name, 2);
FOR_ONE_FORMAT(copy_rgba8, TW_RGBA, TW_UNORM_INT8)
FOR_ONE_FORMAT(copy_bgra8, TW_BGRA, TW_UNORM_INT8)
FOR_ONE_FORMAT(copy_r32f, TW_R, TW_FLOAT)
FOR_ONE_FORMAT(copy_565, TW_RGB, TW_UNORM_SHORT_565)
FOR_ONE_FORMAT(copy_la16f, TW_RA, TW_HALF_FLOAT)

TW_TEST(kernels_for_one_format_agree_with_the_format)
{
    enum { WIDTH = 37, HEIGHT = 5 };
    unsigned char in[WIDTH * HEIGHT * 4], out[WIDTH * HEIGHT * 4];
    tw_queue *queue = tw_test_queue();
    for (size_t i = 0; i < sizeof in; ++i)
        in[i] = (unsigned char)(i * 40503u >> 7 & 0x7b); /* no NaN in any of the formats */
#define COPY(name, order_, type_)                                                                                      \
    do {                                                                                                               \
        const tw_image_layout layout = {.order = order_, .type = type_, .size = tw_range_2d(HEIGHT, WIDTH)};           \
        tw_image *from = NULL, *to = NULL;                                                                             \
        memset(out, 0, sizeof out);                                                                                    \
        TW_PASS(tw_image_create_over_const(in, layout, &from));                                                        \
        TW_PASS(tw_image_create_over(out, layout, &to));                                                               \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_image_require(cg, from, order_, type_);                                                                     \
        tw_parallel_for(cg, tw_image_range(to), name, .in = tw_read_image_2d(cg, from),                                \
                        .out = tw_discard_write_image_2d(cg, to));                                                     \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        const size_t bytes = tw_image_size(to);                                                                        \
        TW_PASS(tw_image_destroy(&from));                                                                              \
        TW_PASS(tw_image_destroy(&to));                                                                                \
        TW_CHECK(memcmp(in, out, bytes) == 0);                                                                         \
    } while (0)
    COPY(copy_rgba8, TW_RGBA, TW_UNORM_INT8);
    COPY(copy_bgra8, TW_BGRA, TW_UNORM_INT8);
    COPY(copy_r32f, TW_R, TW_FLOAT);
    COPY(copy_565, TW_RGB, TW_UNORM_SHORT_565);
    COPY(copy_la16f, TW_RA, TW_HALF_FLOAT);
#undef COPY
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(every_format_reads_as_its_definition_says),
    TW_CASE(every_value_of_a_channel_reads_exactly_enough),
    TW_CASE(every_format_is_written_clamped_and_rounded),
    TW_CASE(a_function_of_another_type_writes_nothing),
    TW_CASE(every_order_has_its_border_colour),
    TW_CASE(kernels_for_one_format_agree_with_the_format),
    TW_CASES_END,
};
