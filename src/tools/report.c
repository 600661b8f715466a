/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as text and as JSON (report.h). Knows nothing of Teamwork. */
#include "report.h"

#define NAME_WIDTH 55 /* of the names in text: the longest TW_DEVICE_INFO_ and a blank */

/* Writes a JSON string. All but printable ASCII is escaped, so that it is valid whatever the bytes are. */
static void write_string(struct report *report, const char *text)
{
    fputc('"', report->file);
    for (; *text; ++text) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(report->file, "\\%c", c);
        else if (c < 0x20 || c > 0x7e)
            fprintf(report->file, "\\u%04x", c);
        else
            fputc(c, report->file);
    }
    fputc('"', report->file);
}

static void write_line_start(struct report *report)
{
    fprintf(report->file, "\n%*s", (int)(2 * report->depth), "");
}

/* Writes what is in front of a value. */
static void write_name(struct report *report, const char *name)
{
    if (!report->json) {
        fprintf(report->file, "    %-*s", NAME_WIDTH, name);
        return;
    }
    if (report->has_values)
        fputc(',', report->file);
    if (report->depth)
        write_line_start(report);
    if (name) {
        write_string(report, name);
        fputs(": ", report->file);
    }
    report->has_values = true;
}

void report_begin(struct report *report, char bracket, const char *name, const char *title)
{
    if (report->json) {
        write_name(report, name);
        fputc(bracket, report->file);
        ++report->depth;
        report->has_values = false;
    } else if (title) {
        fprintf(report->file, "%s\n", title);
    }
}

void report_end(struct report *report, char bracket)
{
    if (!report->json)
        return;
    --report->depth;
    if (report->has_values)
        write_line_start(report);
    fputc(bracket, report->file);
    report->has_values = true;
    if (!report->depth)
        fputc('\n', report->file);
}

void report_text(struct report *report, const char *name, const char *text)
{
    write_name(report, name);
    if (!report->json)
        fprintf(report->file, "%s\n", text && *text ? text : "-");
    else if (text)
        write_string(report, text);
    else
        fputs("null", report->file);
}

void report_bool(struct report *report, const char *name, bool value)
{
    write_name(report, name);
    if (report->json)
        fputs(value ? "true" : "false", report->file);
    else
        fputs(value ? "yes\n" : "no\n", report->file);
}

void report_format_bytes(size_t bytes, char text[16])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024; ++unit)
        value /= 1024;
    snprintf(text, 16, "%.*f %s", unit && value < 100 ? 1 : 0, value, units[unit]);
}

static void write_unit(struct report *report, const char *unit)
{
    if (!report->json)
        fprintf(report->file, "%s%s\n", unit ? " " : "", unit ? unit : "");
}

void report_number(struct report *report, const char *name, size_t value, const char *unit)
{
    write_name(report, name);
    fprintf(report->file, "%zu", value);
    write_unit(report, unit);
}

/* Writes what is in front of element `i` of a list. */
static void write_separator(struct report *report, size_t i)
{
    if (i)
        fputs(report->json ? ", " : " ", report->file);
}

void report_numbers(struct report *report, const char *name, const size_t *values, size_t count, const char *unit)
{
    write_name(report, name);
    fputs(report->json ? "[" : "", report->file);
    for (size_t i = 0; i < count; ++i) {
        write_separator(report, i);
        fprintf(report->file, "%zu", values[i]);
    }
    fputs(report->json ? "]" : "", report->file);
    write_unit(report, unit);
}

void report_words(struct report *report, const char *name, const char *const *words, size_t count)
{
    write_name(report, name);
    fputs(report->json ? "[" : "", report->file);
    for (size_t i = 0; i < count; ++i) {
        write_separator(report, i);
        if (report->json)
            write_string(report, words[i]);
        else
            fputs(words[i], report->file);
    }
    fputs(report->json ? "]" : count ? "\n" : "-\n", report->file);
}
