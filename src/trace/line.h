/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Building a line of text, quickly: several lines are written for each group.
 *
 * There is no check for room. A line has TW_LINE_BYTES; names are cut at TW_LINE_NAME bytes, so what a caller puts into a
 * line is bounded by the number of its calls.
 */
#ifndef TEAMWORK_TRACE_LINE_H
#define TEAMWORK_TRACE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TW_LINE_BYTES 4096u
#define TW_LINE_NAME 160u /* bytes of a name, longer ones are cut; in the line they may be twice as many */

struct tw_line {
    char *text; /* TW_LINE_BYTES */
    char *at;   /* behind what was put */
};

/* Puts a literal. */
#define TW_PUT(line, literal)                                                                                          \
    (memcpy((line)->at, "" literal, sizeof(literal) - 1), (void)((line)->at += sizeof(literal) - 1))

void tw_put_digits(struct tw_line *line, uint64_t number); /* the slow part of tw_put_number() */
/* Puts the inside of a string of JSON. */
void tw_put_name(struct tw_line *line, const char *name);
/* Puts nanoseconds, as microseconds. */
void tw_put_time(struct tw_line *line, uint64_t ns);

/* The first digits of a moment, which are the same for 10 ms. Begins zero-initialized. */
struct tw_moment {
    uint64_t most;
    size_t bytes;
    char text[16]; /* digits, at most 13 */
};

/* Does the same for a moment, not much later or earlier than the last one. */
void tw_put_moment(struct tw_line *line, uint64_t ns, struct tw_moment *last);

static inline void tw_put_number(struct tw_line *line, uint64_t number)
{
    if (number < 10)
        *line->at++ = (char)('0' + number);
    else
        tw_put_digits(line, number);
}

/* A text that is put often, found by two keys. Begins zero-initialized: then it is the text of no keys. */
#define TW_PIECE_BYTES 96u
struct tw_piece {
    uint64_t first, second, bytes; /* keys; bytes of the text, behind which there are spaces */
    char text[TW_PIECE_BYTES];
};

/* Puts a piece if it is the one of these keys; else returns false. */
static inline bool tw_put_piece(struct tw_line *line, const struct tw_piece *piece, uint64_t first, uint64_t second)
{
    if (piece->first != first || piece->second != second || !piece->bytes)
        return false;
    for (size_t i = 0; i < piece->bytes; i += 32) /* spaces too, which others overwrite */
        memcpy(line->at + i, piece->text + i, 32);
    line->at += piece->bytes;
    return true;
}

/* Makes what was put into a line, from `text` on, the piece of these keys, unless it is too long. */
static inline void tw_keep_piece(const struct tw_line *line, const char *text, struct tw_piece *piece, uint64_t first,
                                 uint64_t second)
{
    const size_t bytes = (size_t)(line->at - text);
    if (bytes > TW_PIECE_BYTES)
        return;
    *piece = (struct tw_piece){first, second, bytes, {0}};
    memset(piece->text, ' ', sizeof piece->text);
    memcpy(piece->text, text, bytes);
}

#endif
