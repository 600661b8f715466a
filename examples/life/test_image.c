/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: life_test_image WIDTH HEIGHT FRAMES FILE.png [STILL.png]
 *
 * Decodes a picture or an animation that the program wrote: its size, its number of frames, and that the last frame is
 * what STILL shows. Exit status 0 if all is so.
 */
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct decoded {
    png_uint_32 width, height;
    long announced, controls, frames; /* by acTL; chunks fcTL; first frame and chunks fdAT */
    png_uint_32 sequence;
    png_byte *pixels; /* indices of the last frame */
    png_structp png;
    png_infop info;
};

static void need(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "not so: %s\n", what);
        exit(1);
    }
}

static void take_sequence(struct decoded *d, const png_byte *data)
{
    need(png_get_uint_32(data) == d->sequence++, "sequence numbers count up");
}

/* Puts a frame over the one before. */
static void take_frame(struct decoded *d, const png_byte *data, size_t bytes)
{
    uLongf raw_bytes = (d->width + 1) * d->height;
    png_byte *raw = malloc(raw_bytes);
    need(raw && uncompress(raw, &raw_bytes, data, bytes) == Z_OK && raw_bytes == (d->width + 1) * d->height,
         "a frame has the picture's size");
    for (png_uint_32 y = 0; y < d->height; ++y) {
        const png_byte *row = raw + y * (d->width + 1);
        need(row[0] == PNG_FILTER_VALUE_NONE, "rows have no filter");
        for (png_uint_32 x = 0; x < d->width; ++x)
            if (row[x + 1] != 0) /* 0 is transparent */
                d->pixels[y * d->width + x] = row[x + 1];
    }
    free(raw);
    ++d->frames;
}

static void take_pixels(struct decoded *d)
{
    d->pixels = malloc((size_t)d->width * d->height);
    need(d->pixels != NULL, "there is memory");
    for (png_uint_32 y = 0; y < d->height; ++y)
        png_read_row(d->png, d->pixels + y * d->width, NULL);
    ++d->frames;
}

/* libpng hands over what it does not know itself. */
static int take_chunk(png_structp png, png_unknown_chunkp chunk)
{
    struct decoded *d = png_get_user_chunk_ptr(png);
    const char *name = (const char *)chunk->name;
    if (strcmp(name, "acTL") == 0) {
        d->announced = (long)png_get_uint_32(chunk->data);
    } else if (strcmp(name, "fcTL") == 0) {
        need(chunk->size == 26 && png_get_uint_32(chunk->data + 4) == d->width
                 && png_get_uint_32(chunk->data + 8) == d->height,
             "frames are as large as the picture");
        take_sequence(d, chunk->data);
        ++d->controls;
    } else if (strcmp(name, "fdAT") == 0) {
        take_sequence(d, chunk->data);
        take_frame(d, chunk->data + 4, chunk->size - 4);
    }
    return 1;
}

static void decode(struct decoded *d, const char *path, png_uint_32 width, png_uint_32 height)
{
    FILE *file = fopen(path, "rb");
    *d = (struct decoded){.width = width, .height = height};
    need(file != NULL, path);
    d->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL); /* libpng says what is wrong */
    d->info = png_create_info_struct(d->png);
    if (setjmp(png_jmpbuf(d->png)))
        exit(1);
    png_set_read_user_chunk_fn(d->png, d, take_chunk);
    png_init_io(d->png, file);
    png_read_info(d->png, d->info);
    need(png_get_image_width(d->png, d->info) == width && png_get_image_height(d->png, d->info) == height, "the size");
    need(png_get_rowbytes(d->png, d->info) == width, "a byte a pixel");
    take_pixels(d);
    png_read_end(d->png, d->info);
    png_destroy_read_struct(&d->png, &d->info, NULL);
    fclose(file);
}

int main(int argc, char **argv)
{
    struct decoded picture, still;
    need(argc == 5 || argc == 6, "the arguments are WIDTH HEIGHT FRAMES FILE [STILL]");
    const png_uint_32 width = (png_uint_32)atoi(argv[1]), height = (png_uint_32)atoi(argv[2]);
    const long frames = atol(argv[3]);
    decode(&picture, argv[4], width, height);
    printf("%ld frames\n", picture.frames);
    need(picture.frames == frames, "the number of frames");
    need(frames == 1 ? picture.announced == 0 : picture.announced == frames && picture.controls == frames,
         "the number of frames that is announced");
    if (argc == 6) {
        decode(&still, argv[5], width, height);
        need(memcmp(picture.pixels, still.pixels, (size_t)width * height) == 0, "the last frame is the picture");
        free(still.pixels);
    }
    free(picture.pixels);
    return 0;
}
