/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures over a device's memory (cuda_texture.h).
 *
 * A texture is for an address, a size, a format and a sampler, and belongs to the device's context. Groups ask for it
 * each time that they access an image, so each texture is kept until its memory is given up. A kernel that uses it
 * does not run any more then: the memory of a buffer in use stays.
 */
#include "cuda_texture.h"

#include <stdlib.h>

#include "base/log.h"

struct tw_cuda_texture {
    struct tw_cuda_texture *next; /* of its bucket */
    const void *memory;           /* that its pixels are in */
    struct tw_backend_texture what;
    uint64_t number;
};

/* The driver's number for a channel type; 0: there is none. */
static const int formats[TW_CHANNEL_TYPE_COUNT] = {
    [TW_SNORM_INT8] = 8,     [TW_SNORM_INT16] = 9,    [TW_UNORM_INT8] = 1,    [TW_UNORM_INT16] = 2,
    [TW_SIGNED_INT8] = 8,    [TW_SIGNED_INT16] = 9,   [TW_SIGNED_INT32] = 10, [TW_UNSIGNED_INT8] = 1,
    [TW_UNSIGNED_INT16] = 2, [TW_UNSIGNED_INT32] = 3, [TW_HALF_FLOAT] = 0x10, [TW_FLOAT] = 0x20};

/* The driver's number for an addressing mode: wrap, clamp, mirror or border. */
static const int addressings[] = {[TW_ADDRESS_NONE] = 1,
                                  [TW_ADDRESS_CLAMP_TO_EDGE] = 1,
                                  [TW_ADDRESS_CLAMP] = 3,
                                  [TW_ADDRESS_REPEAT] = 0,
                                  [TW_ADDRESS_MIRRORED_REPEAT] = 2};

static bool is_integer(tw_channel_type type)
{
    return type >= TW_SIGNED_INT8 && type <= TW_UNSIGNED_INT32;
}

/* ---- what the hardware can read ---------------------------------------------------------------------------------- */

/* Returns why the device's textures cannot be as an image and its sampler are; NULL if they can. */
static const char *find_hindrance(const struct tw_cuda_texture_limits *limits, const struct tw_backend_texture *texture)
{
    const tw_addressing_mode mode = tw_sampler_addressing_mode(texture->sampler);
    const bool repeats = mode == TW_ADDRESS_REPEAT || mode == TW_ADDRESS_MIRRORED_REPEAT;
    const bool has_x = texture->order == TW_Rx || texture->order == TW_RGx;
    if (!formats[texture->type])
        return "its pixels are packed";
    if (repeats && !tw_sampler_normalized_coords(texture->sampler))
        return "it repeats, and coordinates are not normalized";
    if (has_x && mode == TW_ADDRESS_CLAMP) /* that tells the border from pixels, and no channel stores it */
        return "its border is transparent, and its pixels have no alpha";
    if (!limits->alignment || !limits->pitch_alignment || !tw_cuda.texture_create || !tw_cuda.texture_destroy)
        return "the driver has none over memory";
    if ((uintptr_t)texture->pixels % limits->alignment)
        return "its memory is not aligned";
    if (texture->pitch % limits->pitch_alignment)
        return "the row pitch is not aligned";
    if (texture->pitch > limits->pitch || texture->width > limits->width || texture->height > limits->height)
        return "it is too large";
    return NULL;
}

/* ---- textures ---------------------------------------------------------------------------------------------------- */

static struct tw_cuda_texture **bucket_of(struct tw_cuda_device *device, const void *pixels)
{
    return &device->textures[(uintptr_t)pixels / 512 % TW_CUDA_TEXTURE_BUCKETS];
}

static bool are_equal(const struct tw_backend_texture *one, const struct tw_backend_texture *other)
{
    return one->pixels == other->pixels && one->width == other->width && one->height == other->height
           && one->pitch == other->pitch && one->order == other->order && one->type == other->type
           && one->sampler.tw_bits_ == other->sampler.tw_bits_;
}

/* Makes a texture. Returns its number; 0: the driver cannot. */
static uint64_t make(const struct tw_cuda_device *device, const struct tw_backend_texture *texture)
{
    const tw_sampler sampler = texture->sampler;
    const int addressing = addressings[tw_sampler_addressing_mode(sampler)];
    const bool is_linear = tw_sampler_filter_mode(sampler) == TW_FILTER_LINEAR && !is_integer(texture->type);
    const struct cu_texture_memory memory = {.type = CU_RESOURCE_PITCH_2D,
                                             .pixels = (uintptr_t)texture->pixels,
                                             .format = formats[texture->type],
                                             .channels = tw_internal_channels((unsigned)texture->order),
                                             .width = texture->width,
                                             .height = texture->height,
                                             .pitch = texture->pitch};
    const struct cu_texture_reading reading = {
        .addressing = {addressing, addressing, addressing},
        .filter = is_linear,
        .flags = (is_integer(texture->type) ? CU_TEXTURE_INTEGERS : 0)
                 | (tw_sampler_normalized_coords(sampler) ? CU_TEXTURE_NORMALIZED : 0)};
    uint64_t number = 0;
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (entry && tw_cuda.texture_create(&number, &memory, &reading, NULL))
        number = 0;
    tw_cuda_leave(entry);
    return number;
}

static void destroy(const struct tw_cuda_device *device, uint64_t number)
{
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (entry)
        (void)tw_cuda.texture_destroy(number);
    tw_cuda_leave(entry);
}

/* Makes a texture that the device does not have, and keeps it. Returns its number; 0: the driver cannot. */
static uint64_t add_locked(struct tw_cuda_device *device, const void *memory, const struct tw_backend_texture *what)
{
    struct tw_cuda_texture **bucket = bucket_of(device, what->pixels), *texture = malloc(sizeof *texture);
    const uint64_t number = texture ? make(device, what) : 0;
    if (!number) {
        free(texture);
        return 0;
    }
    tw_log(TW_LOG_INFO, "texture: GPU %d reads an image of %zu x %zu pixels by one", device->omp.number, what->width,
           what->height);
    *texture = (struct tw_cuda_texture){.next = *bucket, .memory = memory, .what = *what, .number = number};
    *bucket = texture;
    atomic_fetch_add(&device->texture_count, 1);
    return number;
}

uint64_t tw_cuda_texture(struct tw_backend_device *base, const void *memory, const struct tw_backend_texture *texture)
{
    struct tw_cuda_device *device = tw_cuda_of(base);
    /* a texture is of the device's own context, and a part has another one */
    const char *const hindrance =
        tw_cuda_part_of(base) ? "the queue is on a part of the GPU" : find_hindrance(&device->texture_limits, texture);
    if (hindrance)
        tw_log(TW_LOG_DEBUG, "texture: none for an image of %zu x %zu pixels: %s", texture->width, texture->height,
               hindrance);
    if (hindrance || tw_cuda_lost(device))
        return 0;
    pthread_mutex_lock(&device->texturing);
    const struct tw_cuda_texture *found = *bucket_of(device, texture->pixels);
    while (found && !are_equal(&found->what, texture))
        found = found->next;
    const uint64_t number = found ? found->number : add_locked(device, memory, texture);
    pthread_mutex_unlock(&device->texturing);
    return number;
}

/* Returns true if a texture reads some of these bytes of its memory. */
static bool reads(const struct tw_cuda_texture *texture, size_t at, size_t bytes)
{
    const size_t first = (size_t)((uintptr_t)texture->what.pixels - (uintptr_t)texture->memory);
    return (first < at || first - at < bytes) && at < first + texture->what.pitch * texture->what.height;
}

void tw_cuda_drop_textures(struct tw_cuda_device *device, const void *memory, size_t at, size_t bytes)
{
    if (!atomic_load(&device->texture_count))
        return;
    pthread_mutex_lock(&device->texturing);
    for (size_t i = 0; i < TW_CUDA_TEXTURE_BUCKETS; ++i)
        for (struct tw_cuda_texture **link = &device->textures[i]; *link;) {
            struct tw_cuda_texture *texture = *link;
            if (texture->memory != memory || !reads(texture, at, bytes)) {
                link = &texture->next;
                continue;
            }
            *link = texture->next;
            destroy(device, texture->number);
            free(texture);
            atomic_fetch_sub(&device->texture_count, 1);
        }
    pthread_mutex_unlock(&device->texturing);
}

void tw_cuda_close_textures(struct tw_cuda_device *device)
{
    for (size_t i = 0; i < TW_CUDA_TEXTURE_BUCKETS; ++i)
        while (device->textures[i]) {
            struct tw_cuda_texture *texture = device->textures[i];
            device->textures[i] = texture->next;
            (void)tw_cuda.texture_destroy(texture->number);
            free(texture);
        }
    atomic_store(&device->texture_count, 0);
}
