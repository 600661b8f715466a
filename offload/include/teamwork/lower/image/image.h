/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/image.h> declares for kernels. */
#ifndef TEAMWORK_LOWER_IMAGE_H
#define TEAMWORK_LOWER_IMAGE_H

#include <teamwork/lower/image/image_access.h>
#include <teamwork/lower/image/image_format.h>
#include <teamwork/lower/image/image_sampler.h>
#include <teamwork/lower/vector/vector.h>

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* x, y and z of coordinates in any of their types, for an image of `dims` dimensions. */
#define TW_INTERNAL_COORDINATES(T)                                                                                     \
    TW_OVERLOADED tw_##T##4 tw_internal_xyz(tw_##T x, unsigned dims)                                                   \
    {                                                                                                                  \
        const tw_##T##4 tw_all = {x, 0, 0, 0};                                                                         \
        (void)dims;                                                                                                    \
        return tw_all;                                                                                                 \
    }                                                                                                                  \
    TW_OVERLOADED tw_##T##4 tw_internal_xyz(tw_##T##2 c, unsigned dims)                                                \
    {                                                                                                                  \
        const tw_##T##4 tw_all = {c.x, c.y, 0, 0};                                                                     \
        (void)dims;                                                                                                    \
        return tw_all;                                                                                                 \
    }                                                                                                                  \
    TW_OVERLOADED tw_##T##4 tw_internal_xyz(tw_##T##4 c, unsigned dims)                                                \
    {                                                                                                                  \
        (void)dims;                                                                                                    \
        return c;                                                                                                      \
    }
TW_INTERNAL_COORDINATES(int)
TW_INTERNAL_COORDINATES(float)
#undef TW_INTERNAL_COORDINATES

TW_OVERLOADED tw_int4 tw_internal_xyz(tw_id id, unsigned dims)
{
    const tw_int4 all = {(int)id.at[dims - 1], dims > 1 ? (int)id.at[dims - 2] : 0, dims > 2 ? (int)id.at[0] : 0, 0};
    return all;
}

TW_DEVICE_INLINE size_t tw_internal_offset(struct tw_internal_image image, int32_t x, int32_t y, int32_t z)
{
    const size_t row = (size_t)(uint32_t)z * image.slice_rows + (uint32_t)y;
    return row * image.row_pitch + (size_t)(uint32_t)x * image.pixel_bytes;
}

TW_DEVICE_INLINE unsigned char *tw_internal_pixel(struct tw_internal_image image, int32_t x, int32_t y, int32_t z)
{
    return image.data + tw_internal_offset(image, x, y, z);
}

/* The pixel at a place that the program promises to be inside. */
TW_DEVICE_INLINE unsigned char *tw_internal_pixel_at(struct tw_internal_image image, unsigned kind,
                                                     struct tw_internal_bounds *bounds, tw_int4 at)
{
#ifdef TW_DEBUG_BOUNDS
    if (at.x < 0 || at.y < 0 || at.z < 0 || at.x >= image.width || at.y >= image.height || at.z >= image.depth) {
#if defined(__NVPTX__) || defined(__AMDGCN__)
        (void)kind;
        (void)bounds;
        __builtin_trap();
#else
        const unsigned dims = TW_INTERNAL_IMAGE_DIMS(kind);
        const size_t size[3] = {(size_t)image.width, (size_t)image.height, (size_t)image.depth};
        const size_t index[3] = {(size_t)at.x, (size_t)at.y, (size_t)at.z};
        size_t range[3] = {1, 1, 1}, id[3] = {0, 0, 0};
        for (unsigned d = 0; d < dims; ++d) {
            range[d] = size[dims - 1 - d];
            id[d] = index[dims - 1 - d];
        }
        tw_internal_out_of_bounds(bounds, range, dims, id[0], id[1], id[2], dims);
#endif
        at = (tw_int4)0;
    }
#else
    (void)kind;
    (void)bounds;
#endif
    return tw_internal_pixel(image, at.x, at.y, at.z);
}

/* The same memory as pixels of a format. */
TW_DEVICE_INLINE struct tw_internal_image tw_internal_as(struct tw_internal_image image, unsigned order, unsigned type)
{
    image.order = (uint8_t)order;
    image.type = (uint8_t)type;
    image.pixel_bytes = (uint16_t)tw_pixel_size((tw_channel_order)order, (tw_channel_type)type);
    return image;
}

#ifdef TW_DEBUG_BOUNDS
#define TW_INTERNAL_IMAGE_BOUNDS_OF(image) ((image).tw_bounds_)
#else
#define TW_INTERNAL_IMAGE_BOUNDS_OF(image) ((struct tw_internal_bounds *)0)
#endif

/* ---- samples ----------------------------------------------------------------------------------------------------- */

#define TW_INTERNAL_SAMPLES(T)                                                                                         \
    /* The one pixel that the axes name, or the border, with a branch: neighbours are mostly on the same side. */      \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_sample_##T##_in(struct tw_internal_image image, struct tw_internal_axis x,  \
                                                           struct tw_internal_axis y, struct tw_internal_axis z)       \
    {                                                                                                                  \
        tw_##T##4 tw_c = {0, 0, 0, 0};                                                                                 \
        if (x.first_inside && y.first_inside && z.first_inside)                                                        \
            tw_c = tw_internal_fetch_any_##T(tw_internal_pixel(image, x.first, y.first, z.first), image.order,         \
                                             image.type);                                                              \
        return tw_internal_finish_any_##T(tw_c, image.order, image.type);                                              \
    }                                                                                                                  \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_sample_##T##_at(struct tw_internal_image image, struct tw_internal_axis x,  \
                                                           struct tw_internal_axis y, struct tw_internal_axis z)       \
    {                                                                                                                  \
        if (tw_internal_is_common_##T(image.order, image.type))                                                        \
            return tw_internal_sample_##T##_in(tw_internal_as(image, TW_RGBA, TW_INTERNAL_COMMON_##T), x, y, z);       \
        return tw_internal_sample_##T##_in(image, x, y, z);                                                            \
    }                                                                                                                  \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_nearest_##T(struct tw_internal_image image, unsigned kind,                  \
                                                       tw_sampler sampler, tw_float4 at)                               \
    {                                                                                                                  \
        const unsigned tw_dims = tw_internal_sampled_dims(kind);                                                       \
        struct tw_internal_axis tw_x = tw_internal_nearest(sampler, at.x, image.width), tw_y = {0, 0, 0, true, true},  \
                                tw_z = tw_y;                                                                           \
        if (tw_dims > 1)                                                                                               \
            tw_y = tw_internal_nearest(sampler, at.y, image.height);                                                   \
        if (tw_dims > 2)                                                                                               \
            tw_z = tw_internal_nearest(sampler, at.z, image.depth);                                                    \
        tw_internal_set_layer(image, kind, at, &tw_y, &tw_z);                                                          \
        return tw_internal_sample_##T##_at(image, tw_x, tw_y, tw_z);                                                   \
    }                                                                                                                  \
    /* coordinates that are whole numbers */                                                                           \
    TW_OVERLOADED tw_##T##4 tw_internal_sample_##T(struct tw_internal_image image, unsigned kind, tw_sampler sampler,  \
                                                   tw_int4 at)                                                         \
    {                                                                                                                  \
        const unsigned tw_dims = tw_internal_sampled_dims(kind);                                                       \
        struct tw_internal_axis tw_x = tw_internal_whole(sampler, at.x, image.width), tw_y = {0, 0, 0, true, true},    \
                                tw_z = tw_y;                                                                           \
        if (tw_dims > 1)                                                                                               \
            tw_y = tw_internal_whole(sampler, at.y, image.height);                                                     \
        else if (kind & TW_INTERNAL_IMAGE_ARRAY)                                                                       \
            tw_y.first = tw_internal_clamp_int(at.y, 0, image.height - 1);                                             \
        if (tw_dims > 2)                                                                                               \
            tw_z = tw_internal_whole(sampler, at.z, image.depth);                                                      \
        else if (tw_dims == 2 && kind & TW_INTERNAL_IMAGE_ARRAY)                                                       \
            tw_z.first = tw_internal_clamp_int(at.z, 0, image.depth - 1);                                              \
        return tw_internal_sample_##T##_at(image, tw_x, tw_y, tw_z);                                                   \
    }                                                                                                                  \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_plain_##T(struct tw_internal_image image, unsigned kind,                    \
                                                     struct tw_internal_bounds *bounds, tw_int4 at)                    \
    {                                                                                                                  \
        if (tw_internal_is_common_##T(image.order, image.type)) {                                                      \
            image = tw_internal_as(image, TW_RGBA, TW_INTERNAL_COMMON_##T);                                            \
            return tw_internal_finish_##T(                                                                             \
                tw_internal_fetch_##T(tw_internal_pixel_at(image, kind, bounds, at), image.order, image.type),         \
                image.order, image.type);                                                                              \
        }                                                                                                              \
        const unsigned char *tw_p = tw_internal_pixel_at(image, kind, bounds, at);                                     \
        return tw_internal_finish_any_##T(tw_internal_fetch_any_##T(tw_p, image.order, image.type), image.order,       \
                                          image.type);                                                                 \
    }

/* The dimensions that a sampler is about. */
TW_DEVICE_INLINE unsigned tw_internal_sampled_dims(unsigned kind)
{
    return TW_INTERNAL_IMAGE_DIMS(kind) - (kind & TW_INTERNAL_IMAGE_ARRAY ? 1 : 0);
}

TW_DEVICE_INLINE void tw_internal_set_layer(struct tw_internal_image image, unsigned kind, tw_float4 at,
                                            struct tw_internal_axis *y, struct tw_internal_axis *z)
{
    if (kind == TW_INTERNAL_IMAGE_1d_array)
        y->first = y->second = tw_internal_layer(at.y, image.height);
    else if (kind == TW_INTERNAL_IMAGE_2d_array)
        z->first = z->second = tw_internal_layer(at.z, image.depth);
}

TW_INTERNAL_SAMPLES(float)
TW_INTERNAL_SAMPLES(int)
TW_INTERNAL_SAMPLES(uint)
#undef TW_INTERNAL_SAMPLES

/* A pixel, or, outside of the image, the border: without branches, of which eight would be in the way of each other.
   What is loaded is the first pixel then. */
TW_DEVICE_INLINE tw_float4 tw_internal_fetch_or_border(struct tw_internal_image image, int32_t x, int32_t y, int32_t z,
                                                       bool inside)
{
    const size_t mask = -(size_t)inside;
    const unsigned char *p = image.data + (tw_internal_offset(image, x, y, z) & mask);
    const tw_float4 c = tw_internal_fetch_any_float(p, image.order, image.type);
    return __builtin_bit_cast(tw_float4, __builtin_bit_cast(tw_uint4, c) & (tw_uint)mask);
}

/* The weighted sum of 2, 4 or 8 pixels (8.2: linear). One fetch in the source, so that a format that is only known at
   run time does not make eight of them; the compiler unrolls the loop where the format is a constant. */
TW_DEVICE_INLINE tw_float4 tw_internal_weighted(struct tw_internal_image image, unsigned dims,
                                                struct tw_internal_axis x, struct tw_internal_axis y,
                                                struct tw_internal_axis z)
{
    tw_float4 sum = {0, 0, 0, 0};
    for (unsigned corner = 0; corner < 1u << dims; ++corner) {
        const bool right = corner & 1, below = corner & 2, behind = corner & 4;
        const bool inside = (right ? x.second_inside : x.first_inside) & (below ? y.second_inside : y.first_inside)
                            & (behind ? z.second_inside : z.first_inside);
        const float weight = (right ? x.weight : 1.0f - x.weight) * (below ? y.weight : 1.0f - y.weight)
                             * (behind ? z.weight : 1.0f - z.weight);
        sum += weight
               * tw_internal_fetch_or_border(image, right ? x.second : x.first, below ? y.second : y.first,
                                             behind ? z.second : z.first, inside);
    }
    return tw_internal_finish_any_float(sum, image.order, image.type);
}

TW_DEVICE_INLINE tw_float4 tw_internal_linear_float(struct tw_internal_image image, unsigned kind, tw_sampler sampler,
                                                    tw_float4 at)
{
    const unsigned dims = tw_internal_sampled_dims(kind);
    struct tw_internal_axis x = tw_internal_linear(sampler, at.x, image.width), y = {0, 0, 0, true, true}, z = y;
    if (dims > 1)
        y = tw_internal_linear(sampler, at.y, image.height);
    if (dims > 2)
        z = tw_internal_linear(sampler, at.z, image.depth);
    tw_internal_set_layer(image, kind, at, &y, &z);
    if (tw_internal_is_common_float(image.order, image.type))
        return tw_internal_weighted(tw_internal_as(image, TW_RGBA, TW_INTERNAL_COMMON_float), dims, x, y, z);
    return tw_internal_weighted(image, dims, x, y, z);
}

TW_OVERLOADED tw_float4 tw_internal_sample_float(struct tw_internal_image image, unsigned kind, tw_sampler sampler,
                                                 tw_float4 at)
{
    if (tw_sampler_filter_mode(sampler) == TW_FILTER_LINEAR)
        return tw_internal_linear_float(image, kind, sampler, at);
    return tw_internal_nearest_float(image, kind, sampler, at);
}

TW_OVERLOADED tw_int4 tw_internal_sample_int(struct tw_internal_image image, unsigned kind, tw_sampler sampler,
                                             tw_float4 at)
{
    return tw_internal_nearest_int(image, kind, sampler, at);
}

TW_OVERLOADED tw_uint4 tw_internal_sample_uint(struct tw_internal_image image, unsigned kind, tw_sampler sampler,
                                               tw_float4 at)
{
    return tw_internal_nearest_uint(image, kind, sampler, at);
}

/* ---- sampled images ---------------------------------------------------------------------------------------------- */

/* A sample by the texture. To the compiler it is an operation on numbers, which it moves as it likes: nothing writes the
   pixels while the kernel runs, and the launch does not begin before what comes before it is over. */
#ifdef __NVPTX__
#define TW_INTERNAL_HAS_TEXTURES true
#define TW_INTERNAL_TEX(T, letter, texture, at, r, g, b, a)                                                            \
    __asm__("tex.2d.v4." T ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                                                    \
            : "=" letter(r), "=" letter(g), "=" letter(b), "=" letter(a)                                               \
            : "l"(texture), "f"((at).x), "f"((at).y))
#else
#define TW_INTERNAL_HAS_TEXTURES false
#define TW_INTERNAL_TEX(T, letter, texture, at, r, g, b, a) ((void)(texture), (void)(at))
#endif
/* Whether code is faster than a texture, as far as the kernel's constants tell: the linear filter of pixels of 16 bytes
   takes an H200's hardware 6.5 times as long as that of 4 bytes, and 2.7 times as long as this code. */
TW_DEVICE_INLINE bool tw_internal_is_faster_by_code(struct tw_internal_image image, tw_sampler sampler)
{
    return __builtin_constant_p(image.pixel_bytes) && image.pixel_bytes == 16 && __builtin_constant_p(sampler.tw_bits_)
           && tw_sampler_filter_mode(sampler) == TW_FILTER_LINEAR;
}

/* The same as four numbers. No variable here has its address taken: in the teams lowering, such a variable may be
   allocated in each thread. */
struct tw_internal_image_words {
    uint64_t w0, w1, w2, w3;
};

/* What is rare is called: other orders of channels that are no constants, and code that reads any format, where a
   texture could have read the image. So a sample is one instruction and one branch, and takes few registers. */
#define TW_INTERNAL_SAMPLED(T, texel, letter)                                                                          \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_texture_##T(uint64_t texture, tw_float4 at)                                 \
    {                                                                                                                  \
        tw_##T tw_r = 0, tw_g = 0, tw_b = 0, tw_a = 0;                                                                 \
        TW_INTERNAL_TEX(texel, letter, texture, at, tw_r, tw_g, tw_b, tw_a);                                           \
        const tw_##T##4 tw_v = {tw_r, tw_g, tw_b, tw_a};                                                               \
        return tw_v;                                                                                                   \
    }                                                                                                                  \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_arranged_##T(tw_##T##4 c, unsigned order)                                   \
    {                                                                                                                  \
        if (tw_internal_has_x(order))                                                                                  \
            c.w = 1;                                                                                                   \
        return tw_internal_arrange_##T(c, order);                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_NOT_IN_PLACE tw_##T##4 tw_internal_sampled_##T##_called(uint64_t w0, uint64_t w1, uint64_t w2,         \
                                                                        uint64_t w3, uint64_t texture,                 \
                                                                        uint64_t address, unsigned bits, tw_float4 at) \
    {                                                                                                                  \
        const struct tw_internal_image_words tw_words = {w0, w1, w2, w3};                                              \
        const struct tw_internal_image tw_image = __builtin_bit_cast(struct tw_internal_image, tw_words);              \
        const tw_sampler tw_by = {bits};                                                                               \
        if (address == w0 + 1)                                                                                         \
            return tw_internal_arranged_##T(tw_internal_texture_##T(texture, at), tw_image.order);                     \
        return tw_internal_sample_##T(tw_image, TW_INTERNAL_IMAGE_2d, tw_by, at);                                      \
    }                                                                                                                  \
    TW_OVERLOADED tw_##T##4 tw_internal_sampled_##T(struct tw_internal_image image, unsigned kind,                     \
                                                    struct tw_internal_sampling sampling, tw_float4 at)                \
    {                                                                                                                  \
        const bool tw_may_have = TW_INTERNAL_HAS_TEXTURES && kind == TW_INTERNAL_IMAGE_2d                              \
                                 && !tw_internal_is_faster_by_code(image, sampling.sampler);                           \
        const bool tw_is_known = __builtin_constant_p(image.order) && __builtin_constant_p(image.type);                \
        const uint64_t tw_data = (uint64_t)(uintptr_t)image.data;                                                      \
        if (tw_may_have && sampling.address == tw_data + (tw_is_known && image.order != TW_RGBA)) {                    \
            const tw_##T##4 tw_v = tw_internal_texture_##T(sampling.texture, at);                                      \
            return tw_is_known ? tw_internal_arranged_##T(tw_v, image.order) : tw_v;                                   \
        }                                                                                                              \
        if (!tw_may_have || tw_is_known)                                                                               \
            return tw_internal_sample_##T(image, kind, sampling.sampler, at);                                          \
        const struct tw_internal_image_words tw_w = __builtin_bit_cast(struct tw_internal_image_words, image);         \
        return tw_internal_sampled_##T##_called(tw_w.w0, tw_w.w1, tw_w.w2, tw_w.w3, sampling.texture,                  \
                                                sampling.address, sampling.sampler.tw_bits_, at);                      \
    }                                                                                                                  \
    TW_OVERLOADED tw_##T##4 tw_internal_sampled_##T(struct tw_internal_image image, unsigned kind,                     \
                                                    struct tw_internal_sampling sampling, tw_int4 at)                  \
    {                                                                                                                  \
        return tw_internal_sample_##T(image, kind, sampling.sampler, at);                                              \
    }
TW_INTERNAL_SAMPLED(float, "f32", "f")
TW_INTERNAL_SAMPLED(int, "s32", "r")
TW_INTERNAL_SAMPLED(uint, "u32", "r")
#undef TW_INTERNAL_TEX
#undef TW_INTERNAL_HAS_TEXTURES
#undef TW_INTERNAL_SAMPLED

/* ---- the functions of kernels ------------------------------------------------------------------------------------ */

/* One name for all kinds of images: `image` is the type, and S1 the scalar coordinate's or the vector's type. */
#define TW_INTERNAL_READ(suffix, T, R, image_type, kind, place, coordinates)                                           \
    TW_OVERLOADED tw_##R##4 tw_read_image##suffix(image_type image, place at)                                          \
    {                                                                                                                  \
        const tw_##T##4 tw_v =                                                                                         \
            tw_internal_plain_##T(image.tw_, TW_INTERNAL_IMAGE_##kind, TW_INTERNAL_IMAGE_BOUNDS_OF(image),             \
                                  tw_internal_xyz(at, TW_INTERNAL_IMAGE_DIMS(TW_INTERNAL_IMAGE_##kind)));              \
        return __builtin_convertvector(tw_v, tw_##R##4);                                                               \
    }                                                                                                                  \
    TW_OVERLOADED tw_##R##4 tw_read_image##suffix(image_type image, tw_id at)                                          \
    {                                                                                                                  \
        const tw_##T##4 tw_v =                                                                                         \
            tw_internal_plain_##T(image.tw_, TW_INTERNAL_IMAGE_##kind, TW_INTERNAL_IMAGE_BOUNDS_OF(image),             \
                                  tw_internal_xyz(at, TW_INTERNAL_IMAGE_DIMS(TW_INTERNAL_IMAGE_##kind)));              \
        return __builtin_convertvector(tw_v, tw_##R##4);                                                               \
    }                                                                                                                  \
    TW_OVERLOADED tw_##R##4 tw_read_image##suffix(image_type image, tw_sampler sampler, place at)                      \
    {                                                                                                                  \
        const tw_##T##4 tw_v =                                                                                         \
            tw_internal_sample_##T(image.tw_, TW_INTERNAL_IMAGE_##kind, sampler, tw_internal_xyz(at, 0));              \
        return __builtin_convertvector(tw_v, tw_##R##4);                                                               \
    }                                                                                                                  \
    TW_OVERLOADED tw_##R##4 tw_read_image##suffix(image_type image, tw_sampler sampler, coordinates at)                \
    {                                                                                                                  \
        const tw_##T##4 tw_v =                                                                                         \
            tw_internal_sample_##T(image.tw_, TW_INTERNAL_IMAGE_##kind, sampler, tw_internal_xyz(at, 0));              \
        return __builtin_convertvector(tw_v, tw_##R##4);                                                               \
    }

#define TW_INTERNAL_READ_SAMPLED(suffix, T, R, kind, coordinates)                                                      \
    TW_OVERLOADED tw_##R##4 tw_read_image##suffix(tw_sampled_image_##kind image, coordinates at)                       \
    {                                                                                                                  \
        const tw_##T##4 tw_v =                                                                                         \
            tw_internal_sampled_##T(image.tw_, TW_INTERNAL_IMAGE_##kind, image.tw_sampling_, tw_internal_xyz(at, 0));  \
        return __builtin_convertvector(tw_v, tw_##R##4);                                                               \
    }

#define TW_INTERNAL_WRITE(suffix, T, V, kind, place)                                                                   \
    TW_OVERLOADED void tw_write_image##suffix(tw_image_##kind image, place at, tw_##V##4 pixel)                        \
    {                                                                                                                  \
        unsigned char *tw_p =                                                                                          \
            tw_internal_pixel_at(image.tw_, TW_INTERNAL_IMAGE_##kind, TW_INTERNAL_IMAGE_BOUNDS_OF(image),              \
                                 tw_internal_xyz(at, TW_INTERNAL_IMAGE_DIMS(TW_INTERNAL_IMAGE_##kind)));               \
        tw_internal_put_any_##T(tw_p, image.tw_.order, image.tw_.type, __builtin_convertvector(pixel, tw_##T##4));     \
    }

#define TW_INTERNAL_READS(image_type, kind, place, coordinates)                                                        \
    TW_INTERNAL_READ(f, float, float, image_type, kind, place, coordinates)                                            \
    TW_INTERNAL_READ(h, float, half, image_type, kind, place, coordinates)                                             \
    TW_INTERNAL_READ(i, int, int, image_type, kind, place, coordinates)                                                \
    TW_INTERNAL_READ(ui, uint, uint, image_type, kind, place, coordinates)
#define TW_INTERNAL_WRITES(kind, place)                                                                                \
    TW_INTERNAL_WRITE(f, float, float, kind, place)                                                                    \
    TW_INTERNAL_WRITE(h, float, half, kind, place)                                                                     \
    TW_INTERNAL_WRITE(i, int, int, kind, place)                                                                        \
    TW_INTERNAL_WRITE(ui, uint, uint, kind, place)

/* The types of a kind of images: their coordinates, and what can be asked of them. */
#define TW_INTERNAL_IMAGE_KIND(kind, place, coordinates)                                                               \
    TW_INTERNAL_READS(tw_image_##kind, kind, place, coordinates)                                                       \
    TW_INTERNAL_READS(tw_const_image_##kind, kind, place, coordinates)                                                 \
    TW_INTERNAL_WRITES(kind, place)                                                                                    \
    TW_INTERNAL_WRITES(kind, tw_id)                                                                                    \
    TW_INTERNAL_IMAGE_FACTS(tw_image_##kind)                                                                           \
    TW_INTERNAL_IMAGE_FACTS(tw_const_image_##kind)                                                                     \
    TW_INTERNAL_IMAGE_AS(tw_image_##kind)                                                                              \
    TW_INTERNAL_IMAGE_AS(tw_const_image_##kind)
#define TW_INTERNAL_SAMPLED_READS(kind, coordinates)                                                                   \
    TW_INTERNAL_READ_SAMPLED(f, float, float, kind, coordinates)                                                       \
    TW_INTERNAL_READ_SAMPLED(h, float, half, kind, coordinates)                                                        \
    TW_INTERNAL_READ_SAMPLED(i, int, int, kind, coordinates)                                                           \
    TW_INTERNAL_READ_SAMPLED(ui, uint, uint, kind, coordinates)
#define TW_INTERNAL_SAMPLED_IMAGE_KIND(kind, place, coordinates)                                                       \
    TW_INTERNAL_SAMPLED_READS(kind, place)                                                                             \
    TW_INTERNAL_SAMPLED_READS(kind, coordinates)                                                                       \
    TW_INTERNAL_IMAGE_FACTS(tw_sampled_image_##kind)                                                                   \
    TW_OVERLOADED tw_sampled_image_##kind tw_image_as(tw_sampled_image_##kind image, tw_channel_order order,           \
                                                      tw_channel_type type, tw_sampler sampler)                        \
    {                                                                                                                  \
        if (order != (tw_channel_order)image.tw_.order || type != (tw_channel_type)image.tw_.type                      \
            || sampler.tw_bits_ != image.tw_sampling_.sampler.tw_bits_)                                                \
            image.tw_sampling_.address = 0;                                                                            \
        image.tw_sampling_.sampler = sampler;                                                                          \
        image.tw_ = tw_internal_as(image.tw_, order, type);                                                            \
        return image;                                                                                                  \
    }                                                                                                                  \
    TW_OVERLOADED tw_sampled_image_##kind tw_image_as(tw_sampled_image_##kind image, tw_channel_order order,           \
                                                      tw_channel_type type)                                            \
    {                                                                                                                  \
        return tw_image_as(image, order, type, image.tw_sampling_.sampler);                                            \
    }
#define TW_INTERNAL_IMAGE_FACTS(image_type)                                                                            \
    TW_OVERLOADED int tw_get_image_width(image_type image)                                                             \
    {                                                                                                                  \
        return image.tw_.width;                                                                                        \
    }                                                                                                                  \
    TW_OVERLOADED tw_channel_order tw_get_image_channel_order(image_type image)                                        \
    {                                                                                                                  \
        return (tw_channel_order)image.tw_.order;                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED tw_channel_type tw_get_image_channel_data_type(image_type image)                                     \
    {                                                                                                                  \
        return (tw_channel_type)image.tw_.type;                                                                        \
    }
#define TW_INTERNAL_IMAGE_AS(image_type)                                                                               \
    TW_OVERLOADED image_type tw_image_as(image_type image, tw_channel_order order, tw_channel_type type)               \
    {                                                                                                                  \
        image.tw_ = tw_internal_as(image.tw_, order, type);                                                            \
        return image;                                                                                                  \
    }
#define TW_INTERNAL_IMAGE_FACT(type, function, image_type, member)                                                     \
    TW_OVERLOADED type function(image_type image)                                                                      \
    {                                                                                                                  \
        return (type)image.tw_.member;                                                                                 \
    }
#define TW_INTERNAL_IMAGE_LAYER(array_type, image_type, layers, LAYER)                                                 \
    TW_OVERLOADED image_type tw_image_layer(array_type array, size_t layer)                                            \
    {                                                                                                                  \
        image_type tw_image;                                                                                           \
        __builtin_memcpy(&tw_image, &array, sizeof tw_image);                                                          \
        tw_image.tw_.data = LAYER;                                                                                     \
        tw_image.tw_.layers = 1;                                                                                       \
        return tw_image;                                                                                               \
    }
#define TW_INTERNAL_IMAGE_SIZES(prefix)                                                                                \
    TW_INTERNAL_IMAGE_FACT(int, tw_get_image_height, prefix##2d, height)                                               \
    TW_INTERNAL_IMAGE_FACT(int, tw_get_image_height, prefix##3d, height)                                               \
    TW_INTERNAL_IMAGE_FACT(int, tw_get_image_depth, prefix##3d, depth)
#define TW_INTERNAL_IMAGE_MORE(prefix)                                                                                 \
    TW_INTERNAL_IMAGE_SIZES(prefix)                                                                                    \
    TW_INTERNAL_IMAGE_FACT(int, tw_get_image_height, prefix##2d_array, height)                                         \
    TW_INTERNAL_IMAGE_FACT(size_t, tw_get_image_array_size, prefix##1d_array, height)                                  \
    TW_INTERNAL_IMAGE_FACT(size_t, tw_get_image_array_size, prefix##2d_array, depth)                                   \
    TW_INTERNAL_IMAGE_LAYER(prefix##1d_array, prefix##1d, height, tw_internal_pixel(array.tw_, 0, (int32_t)layer, 0))  \
    TW_INTERNAL_IMAGE_LAYER(prefix##2d_array, prefix##2d, depth, tw_internal_pixel(array.tw_, 0, 0, (int32_t)layer))

TW_INTERNAL_IMAGE_KIND(1d, tw_int, tw_float)
TW_INTERNAL_IMAGE_KIND(2d, tw_int2, tw_float2)
TW_INTERNAL_IMAGE_KIND(3d, tw_int4, tw_float4)
TW_INTERNAL_IMAGE_KIND(1d_array, tw_int2, tw_float2)
TW_INTERNAL_IMAGE_KIND(2d_array, tw_int4, tw_float4)
TW_INTERNAL_IMAGE_MORE(tw_image_)
TW_INTERNAL_IMAGE_MORE(tw_const_image_)
TW_INTERNAL_SAMPLED_IMAGE_KIND(1d, tw_int, tw_float)
TW_INTERNAL_SAMPLED_IMAGE_KIND(2d, tw_int2, tw_float2)
TW_INTERNAL_SAMPLED_IMAGE_KIND(3d, tw_int4, tw_float4)
TW_INTERNAL_IMAGE_SIZES(tw_sampled_image_)

#undef TW_INTERNAL_READ
#undef TW_INTERNAL_READ_SAMPLED
#undef TW_INTERNAL_SAMPLED_READS
#undef TW_INTERNAL_SAMPLED_IMAGE_KIND
#undef TW_INTERNAL_IMAGE_AS
#undef TW_INTERNAL_IMAGE_SIZES
#undef TW_INTERNAL_WRITE
#undef TW_INTERNAL_READS
#undef TW_INTERNAL_WRITES
#undef TW_INTERNAL_IMAGE_KIND
#undef TW_INTERNAL_IMAGE_FACTS
#undef TW_INTERNAL_IMAGE_FACT
#undef TW_INTERNAL_IMAGE_LAYER
#undef TW_INTERNAL_IMAGE_MORE

#endif
