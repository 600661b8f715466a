/* SPDX-License-Identifier: Apache-2.0 */
/* One JSON file for a run: the machine, how things were compiled, and a row for each version. For report.py. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

/* CMake says how this was compiled. */
#ifndef SUITE_FLAGS
#define SUITE_FLAGS ""
#endif
#ifndef SUITE_TARGET_FLAGS
#define SUITE_TARGET_FLAGS ""
#endif
#ifndef SUITE_CUDA_VERSION
#define SUITE_CUDA_VERSION ""
#endif

const char *suite_size_name(enum suite_size size)
{
    static const char *const names[] = {[SUITE_QUICK] = "quick", [SUITE_CPU] = "cpu", [SUITE_GPU] = "gpu"};
    return names[size];
}

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

static void put_member(FILE *file, const char *name, const char *value)
{
    fprintf(file, "  \"%s\": ", name);
    put_string(file, value);
    fprintf(file, ",\n");
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

static void put_head(FILE *file, enum suite_size size)
{
    char text[256];
    time_t now = time(NULL);
    struct tm utc;
    strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&now, &utc));
    put_member(file, "date", text);
    cpu_model(text, sizeof text);
    put_member(file, "cpu", text);
    fprintf(file, "  \"cores\": %ld,\n", sysconf(_SC_NPROCESSORS_ONLN));
    put_member(file, "device", suite_device_name());
    put_member(file, "kind", suite_on_gpu() ? "gpu" : "cpu");
    put_member(file, "compiler", "clang " __clang_version__);
    put_member(file, "flags", SUITE_FLAGS);
    put_member(file, "target_flags", SUITE_TARGET_FLAGS);
    put_member(file, "cuda", SUITE_CUDA_VERSION);
    put_member(file, "opencl", suite_opencl_device());
    put_member(file, "size", suite_size_name(size));
}

static void put_row(FILE *file, const struct suite_result *result, const struct suite_row *row)
{
    const struct suite_work *work = &result->problem.work;
    fprintf(file, "    {\"program\": ");
    put_string(file, result->program->name);
    fprintf(file, ", \"source\": ");
    put_string(file, result->program->source);
    fprintf(file, ", \"title\": ");
    put_string(file, result->problem.title);
    fprintf(file, ", \"side\": ");
    put_string(file, suite_side_name(row->side));
    fprintf(file, ", \"form\": ");
    put_string(file, row->version->form);
    fprintf(file, ", \"kind\": ");
    put_string(file, row->version->kind ? row->version->kind : "");
    fprintf(file, ", \"checked\": %s", row->failure ? "false" : "true");
    fprintf(file, ", \"median_us\": %.3f, \"p25_us\": %.3f, \"p75_us\": %.3f, \"min_us\": %.3f", row->median_us,
            row->p25_us, row->p75_us, row->min_us);
    fprintf(file, ", \"rounds\": %u, \"calls\": %zu, \"turns_us\": [", result->rounds, row->sample_count);
    for (unsigned round = 0; round < (row->turns ? result->rounds : 0); ++round)
        fprintf(file, "%s%.3f", round ? ", " : "", row->turns[round]);
    fprintf(file, "]");
    fprintf(file, ", \"bytes\": %.0f, \"flops\": %.0f, \"launches\": %.0f}", work->bytes, work->flops, work->launches);
}

bool suite_write_json(const char *path, enum suite_size size, const struct suite_result *results, size_t count)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return false;
    }
    fprintf(file, "{\n");
    put_head(file, size);
    fprintf(file, "  \"rows\": [\n");
    const char *separator = "";
    for (size_t r = 0; r < count; ++r)
        for (size_t i = 0; i < results[r].row_count; ++i) {
            fprintf(file, "%s", separator);
            put_row(file, &results[r], &results[r].rows[i]);
            separator = ",\n";
        }
    fprintf(file, "\n  ]\n}\n");
    const bool written = !ferror(file);
    if (fclose(file) == 0 && written)
        return true;
    perror(path);
    return false;
}
