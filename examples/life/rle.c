/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of patterns: one pass over the text that always knows its line and column. */
#include "rle.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE_BYTES = 64 << 20 };

struct reader {
    const char *next, *end;
    int line, column; /* of *next, from 1 */
    struct rle_error *error;
};

/* ---- characters ------------------------------------------------------------------------------------------------- */

/* Records what is wrong at a position. Always false, so that callers can return it. */
__attribute__((format(printf, 4, 5))) static bool fail_at(struct reader *r, int line, int column, const char *format,
                                                          ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->error->message, sizeof r->error->message, format, args);
    va_end(args);
    r->error->line = line;
    r->error->column = column;
    return false;
}

/* The next character, -1 at the end. */
static int peek(const struct reader *r)
{
    return r->next < r->end ? (unsigned char)*r->next : -1;
}

static void skip(struct reader *r)
{
    const bool new_line = *r->next++ == '\n';
    r->line += new_line;
    r->column = new_line ? 1 : r->column + 1;
}

static void skip_space(struct reader *r)
{
    while (peek(r) != -1 && isspace(peek(r)))
        skip(r);
}

static void skip_line(struct reader *r)
{
    while (peek(r) != -1 && peek(r) != '\n')
        skip(r);
}

static bool fail_here(struct reader *r, const char *expected)
{
    const int c = peek(r);
    if (c == -1)
        return fail_at(r, r->line, r->column, "%s expected, but the text ends", expected);
    if (isprint(c))
        return fail_at(r, r->line, r->column, "%s expected, not '%c'", expected, c);
    return fail_at(r, r->line, r->column, "%s expected, not the character 0x%02x", expected, (unsigned)c);
}

/* A number from 1 to BOARD_MAX_SIDE; nothing on a board is larger. */
static bool read_number(struct reader *r, int *number)
{
    const int line = r->line, column = r->column;
    int n = 0;
    if (!isdigit(peek(r)))
        return fail_here(r, "a number");
    for (; isdigit(peek(r)); skip(r)) {
        n = 10 * n + (peek(r) - '0');
        if (n > BOARD_MAX_SIDE)
            return fail_at(r, line, column, "a number above %d", BOARD_MAX_SIDE);
    }
    if (n == 0)
        return fail_at(r, line, column, "a number of 0");
    *number = n;
    return true;
}

/* ---- the header line -------------------------------------------------------------------------------------------- */

/* A word of the header, in any case, with the space around it. */
static bool read_word(struct reader *r, const char *word)
{
    skip_space(r);
    char quoted[16];
    snprintf(quoted, sizeof quoted, "\"%s\"", word);
    for (; *word; ++word) {
        if (tolower(peek(r)) != *word)
            return fail_here(r, quoted);
        skip(r);
    }
    skip_space(r);
    return true;
}

/* The rule runs to the end of the line. */
static bool read_rule(struct reader *r)
{
    const int line = r->line, column = r->column;
    char rule[24];
    size_t length = 0;
    for (; peek(r) != -1 && peek(r) != '\n'; skip(r))
        if (!isspace(peek(r)) && length + 1 < sizeof rule)
            rule[length++] = isprint(peek(r)) ? (char)toupper(peek(r)) : '?';
    rule[length] = '\0';
    if (strcmp(rule, "B3/S23") != 0 && strcmp(rule, "23/3") != 0)
        return fail_at(r, line, column, "the rule is \"%s\", but this is Conway's Life: B3/S23", rule);
    return true;
}

static bool read_header(struct reader *r, struct rle_pattern *pattern)
{
    for (skip_space(r); peek(r) == '#'; skip_space(r))
        skip_line(r);
    if (!read_word(r, "x") || !read_word(r, "=") || !read_number(r, &pattern->columns) || !read_word(r, ",")
        || !read_word(r, "y") || !read_word(r, "=") || !read_number(r, &pattern->rows))
        return false;
    while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\r')
        skip(r);
    if (peek(r) == ',')
        return read_word(r, ",") && read_word(r, "rule") && read_word(r, "=") && read_rule(r);
    return peek(r) == '\n' || fail_here(r, "\",\" or the end of the line");
}

/* ---- the cells -------------------------------------------------------------------------------------------------- */

/* One run: `count` of `tag`, read at (line, column), from the cell (row, at) on. */
static bool take_run(struct reader *r, struct rle_pattern *pattern, int count, int tag, int line, int column, int *row,
                     int *at)
{
    if (tag == '$') {
        /* ends of rows after the last row are harmless; neither number exceeds BOARD_MAX_SIDE before the sum */
        *row = *row + count < pattern->rows ? *row + count : pattern->rows;
        *at = 0;
        return true;
    }
    if (*row >= pattern->rows)
        return fail_at(r, line, column, "more rows than y = %d", pattern->rows);
    if (count > pattern->columns - *at)
        return fail_at(r, line, column, "row %d is longer than x = %d", *row + 1, pattern->columns);
    memset(pattern->cells + (size_t)*row * (size_t)pattern->columns + *at, tag == 'o', (size_t)count);
    *at += count;
    return true;
}

static bool read_cells(struct reader *r, struct rle_pattern *pattern)
{
    int row = 0, at = 0;
    for (;;) {
        skip_space(r);
        const int line = r->line, column = r->column;
        const bool counted = isdigit(peek(r));
        int count = 1;
        if (counted && !read_number(r, &count))
            return false;
        skip_space(r);
        const int tag = tolower(peek(r));
        if (tag == '!' && !counted)
            return true;
        if (tag != 'b' && tag != 'o' && tag != '$')
            return fail_here(r, counted ? "b, o or $" : "b, o, $ or !");
        skip(r);
        if (!take_run(r, pattern, count, tag, line, column, &row, &at))
            return false;
    }
}

bool rle_parse(const char *text, size_t length, struct rle_pattern *pattern, struct rle_error *error)
{
    struct reader r = {text, text + length, 1, 1, error};
    struct rle_pattern read = {0, 0, NULL};
    if (!read_header(&r, &read))
        return false;
    read.cells = calloc((size_t)read.rows, (size_t)read.columns);
    if (!read.cells)
        return fail_at(&r, 0, 0, "no memory for %d x %d cells", read.columns, read.rows);
    if (!read_cells(&r, &read)) {
        rle_free(&read);
        return false;
    }
    *pattern = read;
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* The text of a file, NULL with errno set if it cannot be had. Does not rely on the file's size: it may be a pipe. */
static char *read_text(FILE *file, size_t *length)
{
    size_t room = 1 << 16, used = 0;
    char *text = malloc(room);
    while (text && (used += fread(text + used, 1, room - used, file)) == room) {
        char *more = room < MAX_FILE_BYTES ? realloc(text, 2 * room) : NULL;
        if (!more) {
            free(text);
            errno = room < MAX_FILE_BYTES ? ENOMEM : EFBIG;
            return NULL;
        }
        text = more;
        room *= 2;
    }
    if (text && ferror(file)) {
        free(text);
        return NULL;
    }
    *length = used;
    return text;
}

bool rle_read_file(const char *path, struct rle_pattern *pattern, struct rle_error *error)
{
    FILE *file = fopen(path, "rb");
    size_t length = 0;
    char *text = file ? read_text(file, &length) : NULL;
    const bool read = text && rle_parse(text, length, pattern, error);
    if (!text) {
        error->line = error->column = 0;
        snprintf(error->message, sizeof error->message, "%s", strerror(errno));
    }
    if (file)
        fclose(file);
    free(text);
    return read;
}

void rle_free(struct rle_pattern *pattern)
{
    free(pattern->cells);
    pattern->cells = NULL;
}
