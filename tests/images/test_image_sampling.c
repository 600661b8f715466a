/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: x86_64 (gpu-simt gpu-teams), values */
/*
 * Sampling (lower/image/image.h, OpenCL 1.2, 8.2): every kind of image with every sampler, against a reference in double
 * precision; coordinates that are no numbers; whole coordinates; plain reads (property 65).
 */
#include "image_test.h"

#include <teamwork/interop.h>
#include <teamwork/vector.h>

enum { WIDTH = 7, HEIGHT = 5, DEPTH = 4, POINTS = 700 };

/* ---- kernels: all points with one sampler, for one kind of image ------------------------------------------------- */

struct points {
    tw_float4 at[POINTS];
    tw_int4 whole[POINTS];
};

struct answers {
    tw_float4 sampled[POINTS], whole[POINTS];
};

#define C1(v) ((v).x)
#define C2(v) ((v).xy)
#define C4(v) (v)
#define SAMPLE(name, suffix, kind, C)                                                                                  \
    struct name {                                                                                                      \
        tw_const_image_##kind in;                                                                                      \
        tw_sampler sampler;                                                                                            \
        const struct points *points;                                                                                   \
        struct answers *answers;                                                                                       \
    };                                                                                                                 \
    IMAGE_BODY void name##_at(const struct name *k, size_t i)                                                          \
    {                                                                                                                  \
        k->answers->sampled[i] = tw_convert_float4(tw_read_image##suffix(k->in, k->sampler, C(k->points->at[i])));     \
        k->answers->whole[i] = tw_convert_float4(tw_read_image##suffix(k->in, k->sampler, C(k->points->whole[i])));    \
    }                                                                                                                  \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        name##_at(k, tw_global_id(item, 0));                                                                           \
    }                                                                                                                  \
    TW_RANGE_KERNEL(name, 1);
SAMPLE(sample_1d, f, 1d, C1)
SAMPLE(sample_2d, f, 2d, C2)
SAMPLE(sample_3d, f, 3d, C4)
SAMPLE(sample_1d_array, f, 1d_array, C2)
SAMPLE(sample_2d_array, f, 2d_array, C4)
SAMPLE(sample_half, h, 2d, C2)
SAMPLE(sample_int, i, 3d, C4)
SAMPLE(sample_uint, ui, 2d_array, C4)

/* The reads of property 65: without a sampler, and with one that does nothing. */
struct read_plainly {
    tw_const_image_3d in;
    tw_float4 *plain, *by_id, *sampled;
};
static inline void read_plainly(tw_item item, const struct read_plainly *k)
{
    const size_t i = tw_global_linear_id(item);
    const tw_sampler none = tw_sampler_make(false, TW_ADDRESS_NONE, TW_FILTER_NEAREST);
    const tw_int4 at = {(int)tw_global_id(item, 2), (int)tw_global_id(item, 1), (int)tw_global_id(item, 0), 0};
    k->plain[i] = tw_read_imagef(k->in, at);
    k->by_id[i] = tw_read_imagef(k->in, tw_get_global_id(item));
    k->sampled[i] = tw_read_imagef(k->in, none, tw_convert_float4(at) + 0.5f);
}
TW_RANGE_KERNEL(read_plainly, 3);

/* ---- an image and what it holds ---------------------------------------------------------------------------------- */

struct world {
    unsigned char pixels[DEPTH * HEIGHT * WIDTH * 8];
    const struct reference_order *order;
    const struct reference_type *type;
    int rows, slices;
};

static struct pixel pixel_of(const void *image, int x, int y, int z)
{
    const struct world *world = image;
    const size_t bytes = reference_pixel_bytes(world->order, world->type);
    const size_t i = ((size_t)z * (size_t)world->rows + (size_t)y) * WIDTH + (size_t)x;
    return reference_decode(world->pixels + i * bytes, world->order, world->type);
}

static const struct kind {
    int dims, sampled;
    bool is_array;
} kind_1d = {1, 1, false}, kind_2d = {2, 2, false}, kind_3d = {3, 3, false}, kind_1d_array = {2, 1, true},
  kind_2d_array = {3, 2, true};

static struct reference_image make_world(struct world *world, struct kind kind, size_t order, size_t type)
{
    world->order = &reference_orders[order];
    world->type = &reference_types[type];
    world->rows = kind.dims > 1 ? HEIGHT : 1;
    world->slices = kind.dims > 2 ? DEPTH : 1;
    for (size_t i = 0; i < sizeof world->pixels; ++i)
        world->pixels[i] = (unsigned char)((i + 3) * 2654435761u >> 11);
    return (struct reference_image){.source = pixel_of,
                                    .image = world,
                                    .size = {WIDTH, world->rows, world->slices},
                                    .sampled = kind.sampled,
                                    .layers = kind.is_array,
                                    .border = reference_border(world->order)};
}

static tw_image *image_of(const struct world *world, struct kind kind)
{
    tw_image *image = NULL;
    const tw_image_layout layout = {.order = world->order->order,
                                    .type = world->type->type,
                                    .size = kind.dims == 1   ? tw_range_1d(WIDTH)
                                            : kind.dims == 2 ? tw_range_2d(HEIGHT, WIDTH)
                                                             : tw_range_3d(DEPTH, HEIGHT, WIDTH),
                                    .is_array = kind.is_array};
    TW_PASS(tw_image_create_over_const(world->pixels, layout, &image));
    return image;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static double random_from(double low, double high)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return low + (high - low) * (double)(state >> 8) * 0x1p-24;
}

/* Of each three, one lies on a multiple of a quarter pixel, where decisions are made; one in an image far away. */
static void make_points(struct points *points, bool normalized, const int size[3])
{
    for (size_t i = 0; i < POINTS; ++i)
        for (int d = 0; d < 4; ++d) {
            const double extent = d < 3 ? size[d] : 1;
            double c = i % 3 == 0   ? rint(random_from(-3, extent + 3) * 4) / 4
                       : i % 3 == 1 ? random_from(-3, extent + 3)
                                    : random_from(-10, 10) * extent;
            if (normalized)
                c = i % 3 == 0 ? rint(c / extent * 64) / 64 : c / extent;
            points->at[i][d] = (float)c;
            points->whole[i][d] = (int)floor(random_from(-25, 25));
        }
}

static bool matches(tw_float4 got, struct pixel expected, double error)
{
    for (int c = 0; c < 4; ++c)
        if (fabs((double)got[c] - expected.c[c]) > error)
            return false;
    return true;
}

/* Whether the answer is right for the point or, where single precision may decide otherwise, for one right beside
   it. */
static bool is_sample(const struct reference_image *image, tw_addressing_mode mode, bool normalized,
                      tw_filter_mode filter, tw_float4 at, tw_float4 got, double slack)
{
    const double exact[3] = {(double)at.x, (double)at.y, (double)at.z};
    const double error = slack + (filter == TW_FILTER_LINEAR ? 2e-5 : 2e-7);
    for (int around = 0; around < 27; ++around) {
        double c[3];
        for (int d = 0, rest = around; d < 3; ++d, rest /= 3)
            c[d] = exact[d] + (rest % 3 == 2 ? -1 : rest % 3) * 1e-6 * fmax(1, fabs(exact[d]));
        if (matches(got, reference_sample(image, mode, normalized, filter, c), error))
            return true;
    }
    return false;
}

static const tw_addressing_mode modes[] = {TW_ADDRESS_NONE, TW_ADDRESS_CLAMP_TO_EDGE, TW_ADDRESS_CLAMP,
                                           TW_ADDRESS_REPEAT, TW_ADDRESS_MIRRORED_REPEAT};

static void check_answers(const struct reference_image *image, tw_addressing_mode mode, bool normalized,
                          tw_filter_mode filter, const struct points *points, const struct answers *answers,
                          double slack)
{
    for (size_t i = 0; i < POINTS; ++i) {
        TW_CHECK(is_sample(image, mode, normalized, filter, points->at[i], answers->sampled[i], slack));
        double c[3];
        for (int d = 0; d < 3; ++d)
            c[d] = points->whole[i][d] + (d < image->sampled ? 0.5 : 0.0);
        TW_CHECK(matches(answers->whole[i], reference_sample(image, mode, false, TW_FILTER_NEAREST, c), slack + 2e-7));
    }
}

/* Runs `kernel` with all samplers over one image. */
#define CHECK_KIND(kernel, kind, order, type, filters, slack)                                                          \
    do {                                                                                                               \
        static struct world world;                                                                                     \
        static struct points points;                                                                                   \
        static struct answers answers;                                                                                 \
        const struct reference_image reference = make_world(&world, kind_##kind, order, type);                         \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_image *image = image_of(&world, kind_##kind);                                                               \
        for (size_t s = 0; s < 10 * (filters); ++s) {                                                                  \
            const tw_addressing_mode mode = modes[s % 5];                                                              \
            const tw_filter_mode filter = s / 10 ? TW_FILTER_LINEAR : TW_FILTER_NEAREST;                               \
            const bool normalized = s / 5 % 2;                                                                         \
            tw_buffer *from = NULL, *to = NULL;                                                                        \
            make_points(&points, normalized, reference.size);                                                          \
            TW_PASS(tw_buffer_create_over_const(&points, sizeof points, tw_range_1d(1), &from));                       \
            TW_PASS(tw_buffer_create_over(&answers, sizeof answers, tw_range_1d(1), &to));                             \
            tw_command_group *cg = tw_queue_begin(queue);                                                              \
            tw_parallel_for(cg, tw_range_1d(POINTS), kernel, .in = tw_read_image_##kind(cg, image),                    \
                            .sampler = tw_sampler_make(normalized, mode, filter), .points = tw_read(cg, from),         \
                            .answers = tw_discard_write(cg, to));                                                      \
            TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                 \
            TW_PASS(tw_buffer_destroy(&to));                                                                           \
            TW_PASS(tw_buffer_destroy(&from));                                                                         \
            check_answers(&reference, mode, normalized, filter, &points, &answers, slack);                             \
        }                                                                                                              \
        TW_PASS(tw_image_destroy(&image));                                                                             \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
    } while (0)

enum { RGBA = 10, RGX = 6, UNORM8 = 2, UNORM16 = 3, SIGNED16 = 8, UNSIGNED8 = 10 };

TW_TEST(one_dimension)
{
    CHECK_KIND(sample_1d, 1d, RGBA, UNORM8, 2, 0.0);
}

TW_TEST(two_dimensions)
{
    CHECK_KIND(sample_2d, 2d, RGBA, UNORM8, 2, 0.0);
}

/* The order whose alpha is not stored, but tells pixels from the border. */
TW_TEST(two_dimensions_with_an_x)
{
    CHECK_KIND(sample_2d, 2d, RGX, UNORM16, 2, 0.0);
}

TW_TEST(three_dimensions)
{
    CHECK_KIND(sample_3d, 3d, RGBA, UNORM8, 2, 0.0);
}

TW_TEST(arrays_of_one_dimension)
{
    CHECK_KIND(sample_1d_array, 1d_array, RGBA, UNORM8, 2, 0.0);
}

TW_TEST(arrays_of_two_dimensions)
{
    CHECK_KIND(sample_2d_array, 2d_array, RGBA, UNORM8, 2, 0.0);
}

TW_TEST(half_precision)
{
    CHECK_KIND(sample_half, 2d, RGBA, UNORM8, 2, 0x1p-12); /* half a unit in the last place */
}

/* Integers are never interpolated, whatever the filter. */
TW_TEST(integers)
{
    CHECK_KIND(sample_int, 3d, RGBA, SIGNED16, 1, 0.0);
    CHECK_KIND(sample_uint, 2d_array, RGBA, UNSIGNED8, 1, 0.0);
}

/* Coordinates that lead nowhere: the reads end inside of the image or at the border, as far outside as they say. */
TW_TEST(coordinates_that_are_no_numbers)
{
    static const float strange[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 3e9f, -3e9f, 1e-40f};
    static const double stands_for[] = {-1e6, 1e6, -1e6, 1e6, -1e6, 1e6, -1e6, 0};
    static struct world world;
    static struct points points;
    static struct answers answers;
    const struct reference_image reference = make_world(&world, kind_2d, RGBA, UNORM8);
    tw_queue *queue = tw_test_queue();
    tw_image *image = image_of(&world, kind_2d);
    for (size_t i = 0; i < POINTS; ++i) {
        points.at[i] = (tw_float4){strange[i % 8], strange[i / 8 % 8], 0, 0};
        points.whole[i] = (tw_int4){i % 2 ? INT32_MAX : INT32_MIN, i / 2 % 2 ? INT32_MAX : INT32_MIN, 0, 0};
    }
    for (size_t s = 0; s < 20; ++s) {
        tw_buffer *from = NULL, *to = NULL;
        TW_PASS(tw_buffer_create_over_const(&points, sizeof points, tw_range_1d(1), &from));
        TW_PASS(tw_buffer_create_over(&answers, sizeof answers, tw_range_1d(1), &to));
        tw_command_group *cg = tw_queue_begin(queue);
        const tw_filter_mode filter = s / 10 ? TW_FILTER_LINEAR : TW_FILTER_NEAREST;
        tw_parallel_for(cg, tw_range_1d(POINTS), sample_2d, .in = tw_read_image_2d(cg, image),
                        .sampler = tw_sampler_make(s / 5 % 2, modes[s % 5], filter), .points = tw_read(cg, from),
                        .answers = tw_discard_write(cg, to));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&to));
        TW_PASS(tw_buffer_destroy(&from));
        for (size_t i = 0; i < POINTS; ++i) {
            const double c[3] = {stands_for[i % 8], stands_for[i / 8 % 8], 0};
            for (int channel = 0; channel < 4; ++channel)
                TW_CHECK(answers.sampled[i][channel] >= 0 && answers.sampled[i][channel] <= 1.0001f);
            if (s % 5 < 3)
                TW_CHECK(matches(answers.sampled[i], reference_sample(&reference, modes[s % 5], s / 5 % 2, filter, c),
                                 2e-5));
        }
    }
    TW_PASS(tw_image_destroy(&image));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_sampler_that_does_nothing_reads_as_without_one)
{
    enum { COUNT = DEPTH * HEIGHT * WIDTH };
    static _Alignas(16) tw_float4 out[3][COUNT];
    static struct world world;
    (void)make_world(&world, kind_3d, RGBA, UNORM8);
    tw_queue *queue = tw_test_queue();
    tw_image *image = image_of(&world, kind_3d);
    tw_buffer *to[3];
    for (int b = 0; b < 3; ++b)
        TW_PASS(tw_buffer_create_over(out[b], sizeof out[b][0], tw_range_1d(COUNT), &to[b]));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_image_range(image), read_plainly, .in = tw_read_image_3d(cg, image),
                    .plain = tw_discard_write(cg, to[0]), .by_id = tw_discard_write(cg, to[1]),
                    .sampled = tw_discard_write(cg, to[2]));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    for (int b = 0; b < 3; ++b)
        TW_PASS(tw_buffer_destroy(&to[b]));
    TW_PASS(tw_image_destroy(&image));
    TW_PASS(tw_queue_destroy(&queue));
    for (size_t i = 0; i < COUNT; ++i) {
        const struct pixel pixel =
            pixel_of(&world, (int)(i % WIDTH), (int)(i / WIDTH % HEIGHT), (int)(i / WIDTH / HEIGHT));
        TW_CHECK(matches(out[0][i], pixel, 2e-7));
        TW_CHECK(memcmp(&out[0][i], &out[1][i], 16) == 0 && memcmp(&out[0][i], &out[2][i], 16) == 0);
    }
}

/* ---- sampled images ---------------------------------------------------------------------------------------------- */

/* Rows of each format begin at multiples of 32 bytes, so textures can read them. Sizes are powers of two: coordinates are exact. */
enum { COLUMNS = 32, ROWS = 16, LOOKS = 256 };

#define SAMPLE_BOTH(name, suffix)                                                                                      \
    struct name {                                                                                                      \
        tw_const_image_2d in;                                                                                          \
        tw_sampled_image_2d sampled;                                                                                   \
        tw_sampler sampler;                                                                                            \
        const tw_float2 *at;                                                                                           \
        tw_float4 *expected, *got, *whole;                                                                             \
    };                                                                                                                 \
    IMAGE_BODY void name##_at(const struct name *k, size_t i)                                                          \
    {                                                                                                                  \
        const tw_int2 whole = {(int)i - COLUMNS, (int)(i % 40) - 10};                                                  \
        k->expected[i] = tw_convert_float4(tw_read_image##suffix(k->in, k->sampler, k->at[i]));                        \
        k->got[i] = tw_convert_float4(tw_read_image##suffix(k->sampled, k->at[i]));                                    \
        k->whole[i] = tw_convert_float4(tw_read_image##suffix(k->sampled, whole))                                      \
                      - tw_convert_float4(tw_read_image##suffix(k->in, k->sampler, whole));                            \
    }                                                                                                                  \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        name##_at(k, tw_global_id(item, 0));                                                                           \
    }                                                                                                                  \
    TW_RANGE_KERNEL(name, 1);
SAMPLE_BOTH(sample_both, f)
SAMPLE_BOTH(sample_both_half, h)
SAMPLE_BOTH(sample_both_int, i)
SAMPLE_BOTH(sample_both_uint, ui)

/* Pixels whose numbers are no larger than 4, if they are floating point. */
static void fill_pixels(unsigned char *pixels, size_t bytes, tw_channel_type type)
{
    for (size_t i = 0; i < bytes; ++i)
        pixels[i] = (unsigned char)((i + 7) * 2654435761u >> 13);
    for (size_t i = 0; type == TW_FLOAT && i + 4 <= bytes; i += 4) {
        const float number = (float)pixels[i] / 32 - 4;
        memcpy(pixels + i, &number, 4);
    }
    for (size_t i = 1; type == TW_HALF_FLOAT && i < bytes; i += 2) /* an exponent of at most 2 */
        pixels[i] = (unsigned char)((pixels[i] & 0x83) | (15 - pixels[i] / 4 % 3) << 2);
}

/* Places of which none is nearer than a 64th of a pixel to the edge between two. */
static void make_looks(tw_float2 *at, bool normalized)
{
    for (size_t i = 0; i < LOOKS; ++i) {
        const double x = rint(random_from(-COLUMNS, 2 * COLUMNS) * 32) / 32 + 1.0 / 64,
                     y = rint(random_from(-ROWS, 2 * ROWS) * 32) / 32 + 1.0 / 64;
        at[i].x = (float)(normalized ? x / COLUMNS : x);
        at[i].y = (float)(normalized ? y / ROWS : y);
    }
}

static tw_image *image_of_format(const struct reference_order *order, const struct reference_type *type,
                                 unsigned char *pixels)
{
    const size_t bytes = (size_t)ROWS * COLUMNS * reference_pixel_bytes(order, type);
    tw_image *image = NULL;
    fill_pixels(pixels, bytes, type->type);
    TW_PASS(tw_image_create_over_const(
        pixels, (tw_image_layout){.order = order->order, .type = type->type, .size = tw_range_2d(ROWS, COLUMNS)},
        &image));
    return image;
}

/* What a sampled image gives may be this much off: by the nearest filter as much as numbers of the format are, by the linear one
   a 128th of the difference between pixels, here up to all that there are. */
static double slack_of(const struct reference_type *type, bool is_linear, bool is_half)
{
    const double most = type->kind == 'f' ? 4 : 1, least = type->kind == 'f' ? -4 : type->kind == 's' ? -1 : 0;
    if (is_linear && type->kind != 'i' && type->kind != 'n')
        return (most - least) / 128 + 1e-5;
    return type->kind == 'u' || type->kind == 's' || type->kind == 'p' ? (is_half ? 0x1p-11 : 0x1p-22) : 0;
}

/* Samples an image of a format by a sampler, and by an image that has it. */
static void check_sampled(tw_queue *queue, const struct reference_order *order, const struct reference_type *type,
                          size_t s, bool is_half)
{
    static unsigned char pixels[ROWS * COLUMNS * 16];
    static tw_float2 at[LOOKS];
    static tw_float4 out[3][LOOKS];
    const bool normalized = s / 5 % 2, is_linear = s / 10 % 2;
    const tw_sampler sampler =
        tw_sampler_make(normalized, modes[s % 5], is_linear ? TW_FILTER_LINEAR : TW_FILTER_NEAREST);
    const double slack = slack_of(type, is_linear, is_half);
    tw_image *image = image_of_format(order, type, pixels);
    tw_buffer *from = NULL, *to[3];
    make_looks(at, normalized);
    TW_PASS(tw_buffer_create_over_const(at, sizeof at[0], tw_range_1d(LOOKS), &from));
    for (int b = 0; b < 3; ++b)
        TW_PASS(tw_buffer_create_over(out[b], sizeof out[b][0], tw_range_1d(LOOKS), &to[b]));
    tw_command_group *cg = tw_queue_begin(queue);
#define BLOCK                                                                                                          \
    .in = tw_read_image_2d(cg, image), .sampled = tw_sample_image_2d(cg, image, sampler), .sampler = sampler,          \
    .at = tw_read(cg, from), .expected = tw_discard_write(cg, to[0]), .got = tw_discard_write(cg, to[1]),              \
    .whole = tw_discard_write(cg, to[2])
    if (type->kind == 'i')
        tw_parallel_for(cg, tw_range_1d(LOOKS), sample_both_int, BLOCK);
    else if (type->kind == 'n')
        tw_parallel_for(cg, tw_range_1d(LOOKS), sample_both_uint, BLOCK);
    else if (is_half)
        tw_parallel_for(cg, tw_range_1d(LOOKS), sample_both_half, BLOCK);
    else
        tw_parallel_for(cg, tw_range_1d(LOOKS), sample_both, BLOCK);
#undef BLOCK
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    for (int b = 0; b < 3; ++b)
        TW_PASS(tw_buffer_destroy(&to[b]));
    TW_PASS(tw_buffer_destroy(&from));
    TW_PASS(tw_image_destroy(&image));
    for (size_t i = 0; i < LOOKS; ++i)
        for (int c = 0; c < 4; ++c) {
            const bool is_missing =
                strncmp(order->stored, "rgba", (size_t)order->channels) == 0 && c >= order->channels;
            TW_CHECK(fabs((double)out[1][i][c] - (double)out[0][i][c]) <= (is_missing ? 0 : slack));
            TW_CHECK(out[2][i][c] == 0);
        }
}

TW_TEST(sampled_images_read_every_format)
{
    tw_queue *queue = tw_test_queue();
    size_t s = 0;
    for (size_t o = 0; o < REFERENCE_ORDERS; ++o)
        for (size_t t = 0; t < REFERENCE_TYPES; ++t)
            if (reference_is_format(&reference_orders[o], &reference_types[t]))
                check_sampled(queue, &reference_orders[o], &reference_types[t], s += 3, false);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(sampled_images_read_by_every_sampler)
{
    tw_queue *queue = tw_test_queue();
    for (size_t s = 0; s < 20; ++s) {
        check_sampled(queue, &reference_orders[RGBA], &reference_types[UNORM8], s, s % 3 == 0);
        check_sampled(queue, &reference_orders[RGX], &reference_types[UNORM16], s, false);
        check_sampled(queue, &reference_orders[0], &reference_types[REFERENCE_TYPES - 1], s, false);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Each work-item reads the pixels of one, two and three dimensions in both ways, and what is asked of an image. */
struct sample_kinds {
    tw_sampled_image_1d line;
    tw_sampled_image_3d solid;
    tw_const_image_1d line_in;
    tw_const_image_3d solid_in;
    tw_sampler sampler;
    int *wrong, *facts;
};
static inline void sample_kinds(tw_item item, const struct sample_kinds *k)
{
    const float x = (float)tw_global_id(item, 0) * 0.1f;
    const tw_float4 at = {x, x * 0.5f, x * 0.25f, 0};
    const tw_float4 one = tw_read_imagef(k->line, x) - tw_read_imagef(k->line_in, k->sampler, x);
    const tw_float4 three = tw_read_imagef(k->solid, at) - tw_read_imagef(k->solid_in, k->sampler, at);
    k->wrong[tw_global_id(item, 0)] = !tw_all(one == 0.0f) || !tw_all(three == 0.0f);
    k->facts[0] =
        tw_get_image_width(k->solid) * 10000 + tw_get_image_height(k->solid) * 100 + tw_get_image_depth(k->solid);
    k->facts[1] = (int)tw_get_image_channel_order(k->line) * 100 + (int)tw_get_image_channel_data_type(k->line);
}
TW_RANGE_KERNEL(sample_kinds, 1);

TW_TEST(sampled_images_have_one_to_three_dimensions)
{
    static struct world world;
    static int wrong[LOOKS], facts[2];
    (void)make_world(&world, kind_3d, RGBA, UNORM8);
    const tw_sampler sampler = tw_sampler_make(false, TW_ADDRESS_MIRRORED_REPEAT, TW_FILTER_LINEAR);
    tw_queue *queue = tw_test_queue();
    tw_image *line = image_of(&world, kind_1d), *solid = image_of(&world, kind_3d);
    tw_buffer *to, *told;
    TW_PASS(tw_buffer_create_over(wrong, sizeof wrong[0], tw_range_1d(LOOKS), &to));
    TW_PASS(tw_buffer_create_over(facts, sizeof facts[0], tw_range_1d(2), &told));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(LOOKS), sample_kinds, .line = tw_sample_image_1d(cg, line, sampler),
                    .solid = tw_sample_image_3d(cg, solid, sampler), .line_in = tw_read_image_1d(cg, line),
                    .solid_in = tw_read_image_3d(cg, solid), .sampler = sampler, .wrong = tw_discard_write(cg, to),
                    .facts = tw_discard_write(cg, told));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&to));
    TW_PASS(tw_buffer_destroy(&told));
    TW_PASS(tw_image_destroy(&line));
    TW_PASS(tw_image_destroy(&solid));
    TW_PASS(tw_queue_destroy(&queue));
    for (size_t i = 0; i < LOOKS; ++i)
        TW_EQUAL(wrong[i], 0);
    TW_EQUAL(facts[0], WIDTH * 10000 + HEIGHT * 100 + DEPTH);
    TW_EQUAL(facts[1], (int)TW_RGBA * 100 + (int)TW_UNORM_INT8);
}

/* A slope of one a pixel, so that a sample is the coordinate, as far as the filter has it. */
struct look {
    tw_sampled_image_2d in;
    tw_float2 at;
    tw_float4 *out;
};
static inline void look(const struct look *k)
{
    k->out[0] = tw_read_imagef(tw_image_as(k->in, TW_R, TW_FLOAT), k->at);
    k->out[1] = tw_read_imagef(
        tw_image_as(k->in, TW_R, TW_FLOAT, tw_sampler_make(false, TW_ADDRESS_CLAMP_TO_EDGE, TW_FILTER_LINEAR)), k->at);
    k->out[2] = tw_read_imagef(
        tw_image_as(k->in, TW_R, TW_FLOAT, tw_sampler_make(false, TW_ADDRESS_CLAMP_TO_EDGE, TW_FILTER_NEAREST)), k->at);
    k->out[3] = tw_convert_float4(tw_read_imageui(
        tw_image_as(k->in, TW_RGBA, TW_UNSIGNED_INT8, tw_sampler_make(false, TW_ADDRESS_NONE, TW_FILTER_NEAREST)),
        k->at));
}
TW_SINGLE_TASK(look);

/* On NVIDIA's GPUs the filter's weights are multiples of 1/256: the hardware does it. Elsewhere they are as precise as numbers are. */
TW_TEST(the_device_filters_sampled_images)
{
    static float slope[ROWS * COLUMNS];
    static _Alignas(16) tw_float4 out[4];
    const tw_sampler sampler = tw_sampler_make(false, TW_ADDRESS_CLAMP_TO_EDGE, TW_FILTER_LINEAR);
    const float x = 7.8001f;
    tw_queue *queue = tw_test_queue();
    const bool has_textures = tw_device_cuda_ordinal(tw_queue_device(queue)) >= 0;
    tw_image *image = NULL;
    tw_buffer *to;
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        slope[i] = (float)(i % COLUMNS);
    TW_PASS(tw_image_create_over_const(
        slope, (tw_image_layout){.order = TW_R, .type = TW_FLOAT, .size = tw_range_2d(ROWS, COLUMNS)}, &image));
    TW_PASS(tw_buffer_create_over(out, sizeof out[0], tw_range_1d(4), &to));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, look, .in = tw_sample_image_2d(cg, image, sampler), .at = {x, 3.5f},
                   .out = tw_discard_write(cg, to));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&to));
    TW_PASS(tw_image_destroy(&image));
    TW_PASS(tw_queue_destroy(&queue));
    for (int way = 0; way < 2; ++way) {
        const double got = (double)out[way].x, off = fabs(got - (double)(x - 0.5f));
        TW_CHECK(has_textures ? off <= 1.0 / 256 && fabs(got * 256 - rint(got * 256)) < 1e-3 && off > 1e-5
                              : off < 1e-5);
        TW_CHECK(out[way].y == 0 && out[way].z == 0 && out[way].w == 1);
    }
    TW_CHECK(out[2].x == 7);
    unsigned char seven[4];
    memcpy(seven, &slope[7], sizeof seven);
    for (int c = 0; c < 4; ++c)
        TW_EQUAL((int)out[3][c], seven[c]);
}

TW_TEST_LIST = {
    TW_CASE(one_dimension),
    TW_CASE(two_dimensions),
    TW_CASE(two_dimensions_with_an_x),
    TW_CASE(three_dimensions),
    TW_CASE(arrays_of_one_dimension),
    TW_CASE(arrays_of_two_dimensions),
    TW_CASE(half_precision),
    TW_CASE(integers),
    TW_CASE(coordinates_that_are_no_numbers),
    TW_CASE(a_sampler_that_does_nothing_reads_as_without_one),
    TW_CASE(sampled_images_read_every_format),
    TW_CASE(sampled_images_read_by_every_sampler),
    TW_CASE(sampled_images_have_one_to_three_dimensions),
    TW_CASE(the_device_filters_sampled_images),
    TW_CASES_END,
};
