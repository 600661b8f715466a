/* SPDX-License-Identifier: Apache-2.0 */
/** Reads files of TW_TRACE: checks that they are JSON, and finds what is in their events, of which each has a line. */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 4096 };

struct trace_event {
    char phase;
    unsigned track;
    double start, length; /* microseconds */
    long id;              /* of an arrow */
    const char *name;     /* ends at a quotation mark */
    const char *line;
};

struct trace_text {
    char *text;
    size_t count;
    struct trace_event events[MOST_EVENTS];
};

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static inline const char *json_space(const char *at)
{
    return at + strspn(at, " \n\r\t");
}

static inline const char *json_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at && *at != '"'; ++at)
        if ((unsigned char)*at < 0x20 || (*at == '\\' && !strchr("\"\\/bfnrt", *++at)))
            return NULL;
    return *at ? at + 1 : NULL;
}

static inline const char *json_number(const char *at)
{
    if (at[0] == '0' && isdigit((unsigned char)at[1]))
        return NULL;
    const size_t digits = strspn(at, "0123456789");
    const size_t more = at[digits] == '.' ? strspn(at + digits + 1, "0123456789") + 1 : 0;
    return digits && more != 1 ? at + digits + more : NULL;
}

/* Returns what is behind a value; NULL if it is none. */
static inline const char *json_value(const char *at)
{
    at = json_space(at);
    if (*at != '{' && *at != '[')
        return *at == '"' ? json_string(at) : json_number(at);
    const bool is_object = *at == '{';
    const char end = is_object ? '}' : ']';
    at = json_space(at + 1);
    if (*at == end)
        return at + 1;
    for (;; ++at) {
        if (is_object) {
            at = json_string(json_space(at));
            at = at ? json_space(at) : NULL;
            if (!at || *at++ != ':')
                return NULL;
        }
        at = json_value(at);
        at = at ? json_space(at) : NULL;
        if (!at || (*at != ',' && *at != end))
            return NULL;
        if (*at == end)
            return at + 1;
    }
}

static inline bool is_json(const char *text)
{
    const char *past = json_value(text);
    return past && !*json_space(past);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Returns what is behind a name in a line; NULL if it is not there. */
static inline const char *field(const char *line, const char *name)
{
    const size_t length = strcspn(line, "\n"), bytes = strlen(name);
    for (size_t i = 0; i + bytes <= length; ++i)
        if (strncmp(line + i, name, bytes) == 0)
            return line + i + bytes;
    return NULL;
}

static inline double number_of(const char *line, const char *name)
{
    const char *text = field(line, name);
    return text ? strtod(text, NULL) : -1;
}

static inline bool is_named(const struct trace_event *event, const char *name)
{
    return strncmp(event->name, name, strlen(name)) == 0 && event->name[strlen(name)] == '"';
}

/* Reads a file. A `crashed` one is repaired as docs/tracing.md says. Returns false if it is no trace. */
static inline bool trace_read(struct trace_text *trace, const char *path, bool crashed)
{
    memset(trace, 0, sizeof *trace);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    const size_t bytes = size > 0 ? (size_t)size : 0;
    trace->text = size > 0 && fseek(file, 0, SEEK_SET) == 0 ? malloc(bytes + 2) : NULL;
    const bool is_read = trace->text && fread(trace->text, 1, bytes, file) == bytes;
    fclose(file);
    if (!is_read)
        return false;
    trace->text[bytes] = '\0';
    if (crashed) {
        char *last = NULL;
        for (char *at = trace->text; (at = strstr(at, ",\n")) != NULL; ++at)
            last = at;
        if (!last)
            return false;
        strcpy(last, "]");
    }
    if (!is_json(trace->text) || trace->text[0] != '[')
        return false;
    for (const char *line = trace->text; line && trace->count < MOST_EVENTS; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (*line != '{')
            continue;
        const char *phase = field(line, "\"ph\":\""), *name = field(line, "\"name\":\"");
        if (!phase || !name)
            return false;
        trace->events[trace->count++] = (struct trace_event){.phase = *phase,
                                                             .track = (unsigned)number_of(line, "\"tid\":"),
                                                             .start = number_of(line, "\"ts\":"),
                                                             .length = number_of(line, "\"dur\":"),
                                                             .id = (long)number_of(line, "\"id\":"),
                                                             .name = name,
                                                             .line = line};
    }
    return true;
}

/* Returns the number of slices with a name. */
static inline size_t trace_slices(const struct trace_text *trace, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->count; ++i)
        count += trace->events[i].phase == 'X' && is_named(&trace->events[i], name);
    return count;
}

/* Returns the slice of a track around a moment; NULL if there is none. */
static inline const struct trace_event *trace_slice_at(const struct trace_text *trace, unsigned track, double moment)
{
    for (size_t i = 0; i < trace->count; ++i) {
        const struct trace_event *event = &trace->events[i];
        if (event->phase == 'X' && event->track == track && event->start <= moment + 1e-4
            && event->start + event->length >= moment - 1e-4)
            return event;
    }
    return NULL;
}

/* Returns the first of two slices of a track that overlap, of which none is in the other; of tracks of devices also if
   one is. NULL if there are none. */
static inline const struct trace_event *trace_overlap(const struct trace_text *trace)
{
    const double exact = 1e-4;
    for (size_t i = 0; i < trace->count; ++i)
        for (size_t k = 0; k < trace->count; ++k) {
            const struct trace_event *a = &trace->events[i], *b = &trace->events[k];
            if (i == k || a->phase != 'X' || b->phase != 'X' || a->track != b->track || a->start > b->start
                || a->start + a->length <= b->start + exact)
                continue;
            const bool is_inside = b->start + b->length <= a->start + a->length + exact;
            if (!is_inside || a->track >= 5000000)
                return b;
        }
    return NULL;
}

#endif
