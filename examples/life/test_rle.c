/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the reader of patterns: what it accepts, cell for cell, and where it finds the fault in what it rejects.
 * Silent on success.
 */
#include "rle.h"

#include <stdio.h>
#include <string.h>

static int failures;

/* `picture` has the rows one after the other, '.' and 'O'. */
static void accepts(const char *text, int rows, int columns, const char *picture)
{
    struct rle_pattern p = {0, 0, NULL};
    struct rle_error e;
    if (!rle_parse(text, strlen(text), &p, &e)) {
        printf("rejected: %s\n    line %d, column %d: %s\n", text, e.line, e.column, e.message);
        ++failures;
        return;
    }
    bool same = p.rows == rows && p.columns == columns;
    for (int i = 0; same && i < rows * columns; ++i)
        same = p.cells[i] == (picture[i] == 'O');
    if (!same) {
        printf("read wrongly: %s\n", text);
        ++failures;
    }
    rle_free(&p);
}

/* The fault is at (line, column), and the message has `part` in it. */
static void rejects_bytes(const char *text, size_t length, int line, int column, const char *part)
{
    struct rle_pattern p = {-1, -1, NULL};
    struct rle_error e = {0, 0, ""};
    if (rle_parse(text, length, &p, &e)) {
        printf("accepted: %s\n", text);
        ++failures;
        rle_free(&p);
    } else if (e.line != line || e.column != column || !strstr(e.message, part)) {
        printf("wrong message for: %s\n    line %d, column %d: %s\n    expected line %d, column %d: %s\n", text, e.line,
               e.column, e.message, line, column, part);
        ++failures;
    } else if (p.rows != -1 || p.columns != -1 || p.cells) {
        printf("output touched on failure: %s\n", text);
        ++failures;
    }
}

static void rejects(const char *text, int line, int column, const char *part)
{
    rejects_bytes(text, strlen(text), line, column, part);
}

static void test_accepted(void)
{
    accepts("x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!", 3, 3, ".O...OOOO");
    accepts("x=3,y=3\nbo$2bo$3o!", 3, 3, ".O...OOOO");
    accepts("#N Glider\n#C x = 9\n\n#\nx = 3, y = 3, rule = 23/3\nbo$2bo$3o!", 3, 3, ".O...OOOO");
    accepts("X = 1 , Y = 1 , RULE = b3/s23\nO!", 1, 1, "O");
    accepts("x = 2, y = 5\r\no$$\r\n2$bo!\r\n", 5, 2, "O........O");
    accepts("x = 2, y = 3\no2$bo!", 3, 2, "O....O");
    accepts("x = 4, y = 1\n2\no b\n\t!", 1, 4, "OO..");
    accepts("x = 2, y = 2\n!", 2, 2, "....");
    accepts("x = 1, y = 1\no! and then what one likes: 9q", 1, 1, "O");
    accepts("x = 1, y = 1\no5$!", 1, 1, "O");
    accepts("x = 1, y = 2\n32768$32768$32768$!", 2, 1, "..");
    accepts("x = 3, y = 1\nooo!", 1, 3, "OOO");
}

static void test_bad_headers(void)
{
    rejects("", 1, 1, "the text ends");
    rejects("#C only a comment", 1, 18, "the text ends");
    rejects("bo$2bo$3o!", 1, 1, "\"x\" expected, not 'b'");
    rejects("x = , y = 3\no!", 1, 5, "a number expected");
    rejects("x = -3, y = 3\no!", 1, 5, "not '-'");
    rejects("x = 0, y = 3\no!", 1, 5, "number of 0");
    rejects("x = 3, y = 32769\no!", 1, 12, "above 32768");
    rejects("x = 99999999999999999999999, y = 1\no!", 1, 5, "above 32768");
    rejects("x = 3 y = 3\no!", 1, 7, "\",\" expected");
    rejects("x = 3, z = 3\no!", 1, 8, "\"y\" expected");
    rejects("x = 3, y = 3 o!", 1, 14, "end of the line expected");
    rejects("x = 3, y = 3, rules = B3/S23\no!", 1, 19, "\"=\" expected");
    rejects("x = 3, y = 3, rule = B36/S23\no!", 1, 22, "\"B36/S23\"");
    rejects("x = 3, y = 3, rule = B3/S23:T9,9\no!", 1, 22, "Conway");
    rejects("x = 3, y = 3, rule =\no!", 2, 1, "Conway");
    rejects("x = 3, y = 3", 1, 13, "the text ends");
    rejects("x = 3, y = 3, rule = B3/S23", 1, 28, "the text ends");
}

static void test_bad_cells(void)
{
    rejects("x = 3, y = 1\n3o", 2, 3, "the text ends");
    rejects("x = 3, y = 1\n3", 2, 2, "b, o or $ expected, but the text ends");
    rejects("x = 3, y = 1\nbq!", 2, 2, "not 'q'");
    rejects("x = 3, y = 1\n3!", 2, 2, "not '!'");
    rejects("x = 3, y = 1\n0o!", 2, 1, "number of 0");
    rejects("x = 3, y = 1\n-1o!", 2, 1, "not '-'");
    rejects("x = 3, y = 1\n4o!", 2, 1, "row 1 is longer than x = 3");
    rejects("x = 3, y = 2\nbo$\n2o2b!", 3, 3, "row 2 is longer than x = 3");
    rejects("x = 3, y = 2\no$o$o!", 2, 5, "more rows than y = 2");
    rejects("x = 3, y = 2\n2$b!", 2, 3, "more rows than y = 2");
    rejects("x = 3, y = 1\n4294967297o!", 2, 1, "above 32768");
    rejects("x = 3, y = 1\n32768o!", 2, 1, "longer than");
    rejects_bytes("x = 3, y = 1\nb\0!", 16, 2, 2, "0x00");
    rejects("x = 3, y = 1\nb\xff!", 2, 2, "0xff");
    rejects("x = 3, y = 1\n# a comment is not a cell\no!", 2, 1, "not '#'");
}

/* Every prefix of a good pattern is either rejected or the whole; nothing is read past its end (see the sanitizers). */
static void test_prefixes(void)
{
    const char *text = "#C c\nx = 36, y = 9, rule = B3/S23\n24bo$22bobo$12b2o6b2o12b2o!";
    for (size_t length = 0; length < strlen(text); ++length) {
        struct rle_pattern p;
        struct rle_error e;
        if (rle_parse(text, length, &p, &e)) {
            printf("accepted a prefix of %zu characters\n", length);
            ++failures;
            rle_free(&p);
        }
    }
}

static void test_files(void)
{
    static const struct {
        const char *path;
        int rows, columns, alive;
    } shipped[] = {{LIFE_PATTERN_DIR "/rpentomino.rle", 3, 3, 5},
                   {LIFE_PATTERN_DIR "/acorn.rle", 3, 7, 7},
                   {LIFE_PATTERN_DIR "/glider.rle", 3, 3, 5},
                   {LIFE_PATTERN_DIR "/gosperglidergun.rle", 9, 36, 36}};
    struct rle_pattern p;
    struct rle_error e;
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; ++i) {
        int alive = 0;
        if (!rle_read_file(shipped[i].path, &p, &e)) {
            printf("%s: line %d, column %d: %s\n", shipped[i].path, e.line, e.column, e.message);
            ++failures;
            continue;
        }
        for (int c = 0; c < p.rows * p.columns; ++c)
            alive += p.cells[c];
        if (p.rows != shipped[i].rows || p.columns != shipped[i].columns || alive != shipped[i].alive) {
            printf("%s: %d x %d with %d live cells\n", shipped[i].path, p.columns, p.rows, alive);
            ++failures;
        }
        rle_free(&p);
    }
    if (rle_read_file(LIFE_PATTERN_DIR "/there-is-no-such-file.rle", &p, &e) || e.line != 0 || !*e.message) {
        puts("a missing file is not reported");
        ++failures;
    }
    if (rle_read_file(LIFE_PATTERN_DIR, &p, &e)) {
        puts("a directory is read as a pattern");
        ++failures;
    }
}

int main(void)
{
    test_accepted();
    test_bad_headers();
    test_bad_cells();
    test_prefixes();
    test_files();
    return failures != 0;
}
