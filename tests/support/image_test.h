/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the tests of images share: the formats, and a reference for pixels and samples that is written from OpenCL's
 * definitions in double precision, with nothing of the library's but its enumerators.
 */
#ifndef TW_IMAGE_TEST_H
#define TW_IMAGE_TEST_H

#include "tw_test.h"

#include <math.h>
#include <stdint.h>

#include <teamwork/image.h>

/* What reads or writes pixels of any format is long: compiled once for each device, not in each lowering of a
   kernel. */
#define IMAGE_BODY static __attribute__((noinline))

struct pixel {
    double c[4]; /* red, green, blue, alpha */
};

/* ---- formats ----------------------------------------------------------------------------------------------------- */

struct reference_order {
    tw_channel_order order;
    int channels;
    const char *stored; /* the letter of each stored channel */
    int border_alpha;
};
static const struct reference_order reference_orders[] = {
    {TW_R, 1, "r", 1},         {TW_Rx, 1, "r", 0},     {TW_A, 1, "a", 0},       {TW_INTENSITY, 1, "i", 0},
    {TW_LUMINANCE, 1, "l", 1}, {TW_RG, 2, "rg", 1},    {TW_RGx, 2, "rg", 0},    {TW_RA, 2, "ra", 0},
    {TW_RGB, 3, "rgb", 1},     {TW_RGBx, 3, "rgb", 0}, {TW_RGBA, 4, "rgba", 0}, {TW_ARGB, 4, "argb", 0},
    {TW_BGRA, 4, "bgra", 0},
};
enum { REFERENCE_ORDERS = sizeof reference_orders / sizeof reference_orders[0] };

struct reference_type {
    tw_channel_type type;
    int bytes;
    char kind; /* u: 0 to 1, s: -1 to 1, i and n: integers, f: floating point, p: packed */
    int packed_bits[3];
};
static const struct reference_type reference_types[] = {
    {TW_SNORM_INT8, 1, 's', {0}},
    {TW_SNORM_INT16, 2, 's', {0}},
    {TW_UNORM_INT8, 1, 'u', {0}},
    {TW_UNORM_INT16, 2, 'u', {0}},
    {TW_UNORM_SHORT_565, 2, 'p', {5, 6, 5}},
    {TW_UNORM_SHORT_555, 2, 'p', {5, 5, 5}},
    {TW_UNORM_INT_101010, 4, 'p', {10, 10, 10}},
    {TW_SIGNED_INT8, 1, 'i', {0}},
    {TW_SIGNED_INT16, 2, 'i', {0}},
    {TW_SIGNED_INT32, 4, 'i', {0}},
    {TW_UNSIGNED_INT8, 1, 'n', {0}},
    {TW_UNSIGNED_INT16, 2, 'n', {0}},
    {TW_UNSIGNED_INT32, 4, 'n', {0}},
    {TW_HALF_FLOAT, 2, 'f', {0}},
    {TW_FLOAT, 4, 'f', {0}},
};
enum { REFERENCE_TYPES = sizeof reference_types / sizeof reference_types[0] };

/* The tables 5.6 and 5.7 of OpenCL 1.2. */
static inline bool reference_is_format(const struct reference_order *order, const struct reference_type *type)
{
    switch (order->order) {
    case TW_RGB:
    case TW_RGBx:
        return type->kind == 'p';
    case TW_ARGB:
    case TW_BGRA:
        return type->bytes == 1;
    case TW_INTENSITY:
    case TW_LUMINANCE:
        return type->kind == 'u' || type->kind == 's' || type->kind == 'f';
    default:
        return type->kind != 'p';
    }
}

static inline size_t reference_pixel_bytes(const struct reference_order *order, const struct reference_type *type)
{
    return type->kind == 'p' ? (size_t)type->bytes : (size_t)type->bytes * (size_t)order->channels;
}

static inline double reference_half(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits >> 15 ? -1.0 : 1.0;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

/* The number of a stored channel. */
static inline double reference_channel(const unsigned char *p, const struct reference_type *type)
{
    uint32_t bits = 0;
    float single = 0;
    for (int b = 0; b < type->bytes; ++b) /* little endian, as all supported devices */
        bits |= (uint32_t)p[b] << 8 * b;
    const double width = ldexp(1, 8 * type->bytes), whole = (double)bits;
    const double negative = whole >= width / 2 ? whole - width : whole;
    switch (type->kind) {
    case 'u':
        return whole / (width - 1);
    case 's':
        return fmax(-1, negative / (width / 2 - 1));
    case 'i':
        return negative;
    case 'n':
        return whole;
    default:
        memcpy(&single, &bits, sizeof single);
        return type->bytes == 2 ? reference_half((uint16_t)bits) : (double)single;
    }
}

static inline void reference_place(struct pixel *pixel, char letter, double value)
{
    const char *at = strchr("rgba", letter);
    if (at)
        pixel->c[at - "rgba"] = value;
    for (int c = 0; c < 4; ++c)
        if (letter == 'i' || (letter == 'l' && c < 3))
            pixel->c[c] = value;
}

static inline struct pixel reference_decode(const unsigned char *p, const struct reference_order *order,
                                            const struct reference_type *type)
{
    struct pixel pixel = {{0, 0, 0, 1}};
    uint32_t bits = 0;
    if (type->kind != 'p') {
        for (int c = 0; c < order->channels; ++c)
            reference_place(&pixel, order->stored[c], reference_channel(p + c * type->bytes, type));
        return pixel;
    }
    memcpy(&bits, p, (size_t)type->bytes);
    for (int c = 2; c >= 0; --c) { /* blue is lowest */
        pixel.c[c] = (double)(bits % (1u << type->packed_bits[c])) / ((1 << type->packed_bits[c]) - 1);
        bits >>= type->packed_bits[c];
    }
    return pixel;
}

static inline struct pixel reference_border(const struct reference_order *order)
{
    return (struct pixel){{0, 0, 0, order->border_alpha}};
}

/* ---- samples (OpenCL 1.2, 8.2) ----------------------------------------------------------------------------------- */

/* A pixel of an image: the test's own store of what it has there. */
typedef struct pixel (*reference_source)(const void *image, int x, int y, int z);

struct reference_image {
    reference_source source;
    const void *image;
    int size[3]; /* x, y, z */
    int sampled; /* dimensions that are sampled; one more is layers if `layers` */
    bool layers;
    struct pixel border;
};

static inline int reference_clamp(int i, int low, int high)
{
    return i < low ? low : i > high ? high : i;
}

/* The index of a pixel for a nearest filter; -1: the border. */
static inline int reference_nearest(tw_addressing_mode mode, bool normalized, double c, int size)
{
    double s = normalized ? c : c / size, u = normalized ? c * size : c;
    if (mode == TW_ADDRESS_REPEAT) {
        const int i = (int)floor((s - floor(s)) * size);
        return i > size - 1 ? i - size : i;
    }
    if (mode == TW_ADDRESS_MIRRORED_REPEAT) {
        s = fabs(s - 2.0 * rint(0.5 * s));
        return reference_clamp((int)floor(s * size), 0, size - 1);
    }
    u = fmin(fmax(floor(u), -1), size);
    return mode == TW_ADDRESS_CLAMP ? (u < 0 || u > size - 1 ? -1 : (int)u) : reference_clamp((int)u, 0, size - 1);
}

static inline void reference_linear(tw_addressing_mode mode, bool normalized, double c, int size, int at[2],
                                    double *fraction)
{
    double s = normalized ? c : c / size, u = normalized ? c * size : c;
    if (mode == TW_ADDRESS_REPEAT)
        u = (s - floor(s)) * size;
    if (mode == TW_ADDRESS_MIRRORED_REPEAT)
        u = fabs(s - 2.0 * rint(0.5 * s)) * size;
    u = fmin(fmax(u - 0.5, -3), size + 2);
    at[0] = (int)floor(u);
    at[1] = at[0] + 1;
    *fraction = u - floor(u);
    for (int k = 0; k < 2; ++k) {
        if (mode == TW_ADDRESS_REPEAT)
            at[k] = (at[k] + size) % size;
        else if (mode == TW_ADDRESS_CLAMP)
            at[k] = at[k] < 0 || at[k] > size - 1 ? -1 : at[k];
        else
            at[k] = reference_clamp(at[k], 0, size - 1);
    }
}

static inline struct pixel reference_get(const struct reference_image *image, int x, int y, int z)
{
    return x < 0 || y < 0 || z < 0 ? image->border : image->source(image->image, x, y, z);
}

static inline struct pixel reference_sample(const struct reference_image *image, tw_addressing_mode mode,
                                            bool normalized, tw_filter_mode filter, const double c[3])
{
    int at[3][2] = {{0}};
    double fraction[3] = {0};
    struct pixel sum = {{0, 0, 0, 0}};
    for (int d = 0; d < image->sampled; ++d) {
        if (filter == TW_FILTER_LINEAR)
            reference_linear(mode, normalized, c[d], image->size[d], at[d], &fraction[d]);
        else
            at[d][0] = at[d][1] = reference_nearest(mode, normalized, c[d], image->size[d]);
    }
    if (image->layers) {
        const int d = image->sampled;
        at[d][0] = at[d][1] = (int)rint(fmin(fmax(c[d], 0), image->size[d] - 1));
    }
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1;
        for (int d = 0; d < 3; ++d)
            weight *= corner >> d & 1 ? fraction[d] : 1 - fraction[d];
        const struct pixel pixel =
            reference_get(image, at[0][corner & 1], at[1][corner >> 1 & 1], at[2][corner >> 2 & 1]);
        for (int k = 0; k < 4 && weight > 0; ++k)
            sum.c[k] += weight * pixel.c[k];
    }
    return sum;
}

#endif
