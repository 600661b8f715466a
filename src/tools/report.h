/* SPDX-License-Identifier: Apache-2.0 */
/** A report: groups of named values, written as text for people or as JSON (RFC 8259). */
#ifndef TEAMWORK_TOOLS_REPORT_H
#define TEAMWORK_TOOLS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct report {
    FILE *file;
    bool json;
    unsigned depth;  /* JSON: open brackets */
    bool has_values; /* JSON: the innermost bracket is not empty */
};

/* Begins a group of values: '{', or a list of groups: '['. JSON shows its `name`, which is NULL in a list and for the
   whole. Text shows its `title`, unless that is NULL. */
void report_begin(struct report *report, char bracket, const char *name, const char *title);
/* Ends it: '}' or ']'. */
void report_end(struct report *report, char bracket);

/* One value each. A NULL text is null in JSON. The unit, which may be NULL, is shown in text only, where what is empty
   is shown as a hyphen. */
void report_text(struct report *report, const char *name, const char *text);
void report_bool(struct report *report, const char *name, bool value);
void report_number(struct report *report, const char *name, size_t value, const char *unit);
/* Lists. */
void report_numbers(struct report *report, const char *name, const size_t *values, size_t count, const char *unit);
void report_words(struct report *report, const char *name, const char *const *words, size_t count);

/* Writes a number of bytes in a few digits, as "7.8 GiB". */
void report_format_bytes(size_t bytes, char text[16]);

#endif
