/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boards as PNG files, through libpng. Its functions for chunks write animations: a frame after the first is a chunk
 * fdAT, compressed by zlib as libpng would, with a chunk fcTL before it.
 */
#define _POSIX_C_SOURCE 200809L /* strdup() */
#include "image.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/*
 * The palette. Ages have eight colours for each power of two: a level of 0 for the first generation, and 119 at the
 * most. Of several cells that share a pixel the one with the largest index is seen.
 */
enum {
    LEVELS = 120,
    UNCHANGED = 0,        /* transparent: the pixel of the frame before */
    NEVER = 1,            /* never alive */
    DEAD = 2,             /* the cell that has been dead for longest */
    LIVE = DEAD + LEVELS, /* the oldest live cell */
    NEWBORN = LIVE + LEVELS - 1,
    COLOURS = NEWBORN + 1,
    FRAMES_PER_SECOND = 20,
    LAST_FRAME_SECONDS = 2
};

struct image {
    FILE *file;
    char *path;
    png_structp png;
    png_infop info;
    struct image_part part;
    size_t width, height;
    long frames, added;
    png_uint_32 sequence; /* of the next fcTL or fdAT */
    png_byte *row;        /* one row of indices */
    png_byte *shown;      /* of animations: the frame before */
    png_byte *changes;    /* and what a frame changes, each row behind its filter byte */
};

/* ---- colours ---------------------------------------------------------------------------------------------------- */

static const float live_stops[][3] = {{255, 252, 232}, {255, 214, 96}, {250, 130, 48}, {222, 62, 72}};
static const float dead_stops[][3] = {{214, 48, 140}, {112, 48, 168}, {44, 62, 146}, {26, 40, 88}};
enum { STOPS = 4, LAST_STOP_LEVEL = 84 }; /* about 1500 generations */

static png_color colour_between(const float stops[STOPS][3], int level)
{
    const float along = (float)(level < LAST_STOP_LEVEL ? level : LAST_STOP_LEVEL) * (STOPS - 1) / LAST_STOP_LEVEL;
    const int at = along < STOPS - 2 ? (int)along : STOPS - 2;
    png_byte c[3];
    for (int i = 0; i < 3; ++i)
        c[i] = (png_byte)(stops[at][i] + (along - (float)at) * (stops[at + 1][i] - stops[at][i]) + 0.5f);
    return (png_color){c[0], c[1], c[2]};
}

static void make_palette(bool ages, png_color palette[COLOURS])
{
    const png_color background = {9, 10, 22}, white = {255, 255, 255}, black = {0, 0, 0};
    for (int i = 0; i < LIVE; ++i)
        palette[i] = ages ? background : white;
    for (int level = 0; level < LEVELS; ++level) {
        palette[LIVE + LEVELS - 1 - level] = ages ? colour_between(live_stops, level) : black;
        if (ages)
            palette[DEAD + LEVELS - 1 - level] = colour_between(dead_stops, level);
    }
}

/* Eight steps a power of two. */
static int level_of(int generations)
{
    int power = 0;
    while (generations >> (power + 1))
        ++power;
    return 8 * power + ((generations << 3 >> power) & 7);
}

static int index_of(cell_age age)
{
    if (age == 0)
        return NEVER;
    return age > 0 ? LIVE + LEVELS - 1 - level_of(age) : DEAD + LEVELS - 1 - level_of(-age);
}

/* The largest index of the cells of a pixel. */
static png_byte pixel_of(const struct image *image, const struct image_source *source, size_t y, size_t x)
{
    const struct image_part *part = &image->part;
    const size_t enlarge = (size_t)part->enlarge, shrink = (size_t)part->shrink;
    const size_t first_row = y * shrink / enlarge, first_column = x * shrink / enlarge;
    int best = NEVER;
    for (size_t r = first_row; r < first_row + shrink && r < (size_t)part->rows; ++r)
        for (size_t c = first_column; c < first_column + shrink && c < (size_t)part->columns; ++c) {
            const size_t at = board_at(source->board->shape.pitch, r + (size_t)part->row, c + (size_t)part->column);
            const int index = source->ages ? index_of(source->ages[at]) : source->board->cells[at] ? NEWBORN : NEVER;
            best = index > best ? index : best;
        }
    return (png_byte)best;
}

static void draw_row(struct image *image, const struct image_source *source, size_t y)
{
    const size_t enlarge = (size_t)image->part.enlarge;
    for (size_t x = 0; x < image->width; ++x)
        image->row[x] = x % enlarge ? image->row[x - 1] : pixel_of(image, source, y, x);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* libpng reports errors by a jump to what setjmp() marked, in the function that called it last. */

static bool write_head(struct image *image, bool ages)
{
    png_color palette[COLOURS];
    png_byte actl[8];
    if (setjmp(png_jmpbuf(image->png)))
        return false;
    make_palette(ages, palette);
    png_init_io(image->png, image->file);
    png_set_IHDR(image->png, image->info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(image->png, image->info, palette, COLOURS);
    if (image->frames > 1)
        png_set_tRNS(image->png, image->info, &(png_byte){0}, 1, NULL); /* the first colour, UNCHANGED */
    png_write_info(image->png, image->info);
    if (image->frames > 1) {
        png_save_uint_32(actl, (png_uint_32)image->frames);
        png_save_uint_32(actl + 4, 0); /* for ever */
        png_write_chunk(image->png, (png_const_bytep) "acTL", actl, sizeof actl);
    }
    return true;
}

/* The frame is as large as the picture and stays where it does not change. */
static void write_frame_control(struct image *image)
{
    const bool last = image->added + 1 == image->frames;
    png_byte fctl[26] = {0};
    png_save_uint_32(fctl, image->sequence++);
    png_save_uint_32(fctl + 4, (png_uint_32)image->width);
    png_save_uint_32(fctl + 8, (png_uint_32)image->height);
    png_save_uint_16(fctl + 20, last ? LAST_FRAME_SECONDS : 1);
    png_save_uint_16(fctl + 22, last ? 1 : FRAMES_PER_SECOND);
    fctl[25] = image->added > 0; /* drawn over the frame before */
    png_write_chunk(image->png, (png_const_bytep) "fcTL", fctl, sizeof fctl);
}

static bool write_first(struct image *image, const struct image_source *source)
{
    if (setjmp(png_jmpbuf(image->png)))
        return false;
    if (image->frames > 1)
        write_frame_control(image);
    for (size_t y = 0; y < image->height; ++y) {
        draw_row(image, source, y);
        if (image->shown)
            memcpy(image->shown + y * image->width, image->row, image->width);
        png_write_row(image->png, image->row);
    }
    return true;
}

static bool write_data(struct image *image, const png_byte *data, size_t bytes)
{
    png_byte sequence[4];
    if (setjmp(png_jmpbuf(image->png)))
        return false;
    write_frame_control(image);
    png_save_uint_32(sequence, image->sequence++);
    png_write_chunk_start(image->png, (png_const_bytep) "fdAT", (png_uint_32)(sizeof sequence + bytes));
    png_write_chunk_data(image->png, sequence, sizeof sequence);
    png_write_chunk_data(image->png, data, bytes);
    png_write_chunk_end(image->png);
    return true;
}

static bool write_next(struct image *image, const struct image_source *source)
{
    const size_t width = image->width, raw_bytes = (width + 1) * image->height;
    for (size_t y = 0; y < image->height; ++y) {
        png_byte *shown = image->shown + y * width, *changes = image->changes + y * (width + 1);
        draw_row(image, source, y);
        *changes++ = PNG_FILTER_VALUE_NONE;
        for (size_t x = 0; x < width; ++x)
            changes[x] = image->row[x] == shown[x] ? UNCHANGED : image->row[x];
        memcpy(shown, image->row, width);
    }
    uLongf bytes = compressBound(raw_bytes);
    png_byte *data = malloc(bytes);
    const bool written = data && compress2(data, &bytes, image->changes, raw_bytes, Z_BEST_COMPRESSION) == Z_OK
                         && bytes <= PNG_UINT_31_MAX - 4 /* a chunk */
                         && write_data(image, data, bytes);
    free(data);
    return written;
}

static bool write_tail(struct image *image)
{
    if (setjmp(png_jmpbuf(image->png)))
        return false;
    png_write_end(image->png, NULL);
    return true;
}

/* Closes and frees. A picture that is not whole, or does not fit the disk, leaves no file. */
static bool release(struct image *image, bool is_whole)
{
    const bool closed = !image->file || fclose(image->file) == 0;
    const int error = errno;
    if (image->file && !(closed && is_whole))
        (void)remove(image->path);
    errno = error;
    free(image->path);
    png_destroy_write_struct(&image->png, &image->info);
    free(image->row);
    free(image->shown);
    free(image->changes);
    free(image);
    return closed;
}

struct image *image_begin(const char *path, const struct image_part *part, bool ages, long frames)
{
    errno = 0;
    struct image *image = calloc(1, sizeof *image);
    if (!image)
        return NULL;
    image->part = *part;
    image->width = ((size_t)part->columns * (size_t)part->enlarge + (size_t)part->shrink - 1) / (size_t)part->shrink;
    image->height = ((size_t)part->rows * (size_t)part->enlarge + (size_t)part->shrink - 1) / (size_t)part->shrink;
    image->frames = frames;
    image->row = malloc(image->width);
    if (frames > 1) {
        image->shown = malloc(image->width * image->height);
        image->changes = malloc((image->width + 1) * image->height);
    }
    image->path = strdup(path);
    if (image->path && image->row && (frames == 1 || (image->shown && image->changes)))
        image->file = fopen(path, "wb");
    if (image->file)
        image->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    if (image->png)
        image->info = png_create_info_struct(image->png);
    if (image->info && write_head(image, ages))
        return image;
    release(image, false);
    return NULL;
}

bool image_add(struct image *image, const struct image_source *source)
{
    errno = 0;
    const bool written = image->added ? write_next(image, source) : write_first(image, source);
    ++image->added;
    return written;
}

bool image_end(struct image *image)
{
    if (!image)
        return true;
    errno = 0;
    const bool written = image->added == image->frames && write_tail(image);
    return release(image, written) && written;
}
