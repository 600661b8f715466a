/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures and PNG files, by libpng's simplified interface. */
#include "picture.h"

#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char why[256];

bool picture_create(struct picture *picture, size_t width, size_t height)
{
    picture->width = width;
    picture->height = height;
    picture->pixels = width && height <= SIZE_MAX / 4 / width ? malloc(4 * width * height) : NULL;
    return picture->pixels != NULL;
}

void picture_destroy(struct picture *picture)
{
    free(picture->pixels);
    picture->pixels = NULL;
}

void picture_draw_test(struct picture *picture)
{
    for (size_t y = 0; y < picture->height; ++y)
        for (size_t x = 0; x < picture->width; ++x) {
            unsigned char *p = picture->pixels + 4 * (y * picture->width + x);
            const size_t dx = x % 64 < 32 ? 32 - x % 64 : x % 64 - 32, dy = y % 64 < 32 ? 32 - y % 64 : y % 64 - 32;
            const bool disc = dx * dx + dy * dy < 20 * 20, line = (x + 2 * y) % 37 < 3;
            const int across = (int)(255 * x / picture->width), down = (int)(255 * y / picture->height);
            const int sea[3] = {18 + across / 8, 36 + down / 2, 92 + down / 4 + across / 4};
            const int sun[3] = {255, 206 - down / 2, 72 + across / 3};
            for (int c = 0; c < 3; ++c)
                p[c] = (unsigned char)(disc ? sun[c] - line * sun[c] / 4 : sea[c] + line * (255 - sea[c]) * 3 / 4);
            p[3] = 255;
        }
}

static bool fail(const char *path, const char *message, const char **result)
{
    snprintf(why, sizeof why, "%s: %s", path, message);
    *result = why;
    return false;
}

bool picture_read(struct picture *picture, const char *path, const char **message)
{
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&png, path))
        return fail(path, png.message, message);
    png.format = PNG_FORMAT_RGBA;
    if (!picture_create(picture, png.width, png.height)) {
        png_image_free(&png);
        return fail(path, "no memory", message);
    }
    if (!png_image_finish_read(&png, NULL, picture->pixels, 0, NULL)) {
        picture_destroy(picture);
        return fail(path, png.message, message);
    }
    return true;
}

bool picture_write(const struct picture *picture, const char *path, const char **message)
{
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = (png_uint_32)picture->width;
    png.height = (png_uint_32)picture->height;
    png.format = PNG_FORMAT_RGBA;
    return png_image_write_to_file(&png, path, 0, picture->pixels, 0, NULL) || fail(path, png.message, message);
}
