/* SPDX-License-Identifier: Apache-2.0 */
/* One JSON file for a run: the machine, the compiler, and rows. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

static void put_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; ++text) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < ' ')
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void put_name(struct bench_json *json, const char *name)
{
    fputs(json->separator, json->file);
    json->separator = ", ";
    put_string(json->file, name);
    fputs(": ", json->file);
}

void bench_json_text(struct bench_json *json, const char *name, const char *value)
{
    put_name(json, name);
    put_string(json->file, value);
}

void bench_json_number(struct bench_json *json, const char *name, double value)
{
    put_name(json, name);
    fprintf(json->file, "%.9g", value);
}

void bench_json_flag(struct bench_json *json, const char *name, bool value)
{
    put_name(json, name);
    fputs(value ? "true" : "false", json->file);
}

void bench_json_numbers(struct bench_json *json, const char *name, const double *values, size_t count)
{
    put_name(json, name);
    fputc('[', json->file);
    for (size_t i = 0; i < count; ++i)
        fprintf(json->file, "%s%.9g", i ? ", " : "", values[i]);
    fputc(']', json->file);
}

/* "model name" of /proc/cpuinfo. */
static void cpu_model(char *text, size_t size)
{
    char line[256];
    snprintf(text, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(text, size, "%s", strchr(line, ':') + 2);
            break;
        }
    if (file)
        fclose(file);
}

bool bench_json_open(struct bench_json *json, const char *path, const char *benchmark, const char *device, bool gpu)
{
    char text[256];
    time_t now = time(NULL);
    struct tm utc;
    *json = (struct bench_json){.file = fopen(path, "w"), .path = path, .separator = ""};
    if (!json->file) {
        perror(path);
        return false;
    }
    fprintf(json->file, "{");
    bench_json_text(json, "benchmark", benchmark);
    strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&now, &utc));
    bench_json_text(json, "date", text);
    cpu_model(text, sizeof text);
    bench_json_text(json, "cpu", text);
    bench_json_number(json, "cores", (double)sysconf(_SC_NPROCESSORS_ONLN));
    bench_json_text(json, "device", device);
    bench_json_text(json, "kind", gpu ? "gpu" : "cpu");
    bench_json_text(json, "compiler", "clang " __clang_version__);
    return true;
}

void bench_json_rows(struct bench_json *json)
{
    put_name(json, "rows");
    fputs("[", json->file);
    json->separator = NULL; /* no row yet */
}

void bench_json_row(struct bench_json *json)
{
    fputs(json->separator ? "},\n{" : "\n{", json->file);
    json->separator = "";
}

bool bench_json_close(struct bench_json *json)
{
    fputs(json->separator ? "}\n]}\n" : "]}\n", json->file);
    const bool written = !ferror(json->file);
    if (fclose(json->file) == 0 && written)
        return true;
    perror(json->path);
    return false;
}
