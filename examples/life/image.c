/* SPDX-License-Identifier: Apache-2.0 */
/* Boards as PNG files, through libpng. */
#include "image.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

/* One bit a pixel, 0 black; the bits past the last column do not matter. */
static void pack_row(const struct board *board, int row, png_byte *packed)
{
    const cell *cells = board->cells + board_at(board->shape.pitch, (size_t)row, 0);
    const size_t bytes = ((size_t)board->shape.columns + 7) / 8; /* the margin makes whole bytes readable */
    for (size_t b = 0; b < bytes; ++b) {
        unsigned live = 0;
        for (size_t bit = 0; bit < 8; ++bit)
            live = live << 1 | cells[8 * b + bit];
        packed[b] = (png_byte)~live;
    }
}

/* libpng reports errors by a jump back into this function, so it has no variable that changes after setjmp(). */
static bool write_all(png_structp png, png_infop info, FILE *file, const struct board *board, png_byte *packed)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)board->shape.columns, (png_uint_32)board->shape.rows, 1, PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int row = 0; row < board->shape.rows; ++row) {
        pack_row(board, row, packed);
        png_write_row(png, packed);
    }
    png_write_end(png, info);
    return true;
}

bool image_write(const char *path, const struct board *board)
{
    errno = 0;
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    png_byte *packed = malloc(((size_t)board->shape.columns + 7) / 8);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool written = packed && info && write_all(png, info, file, board, packed);
    png_destroy_write_struct(&png, &info);
    free(packed);
    if (fclose(file) != 0)
        written = false;
    return written;
}
