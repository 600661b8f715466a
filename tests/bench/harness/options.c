/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a program, from a table. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static void print_usage(const char *program, const struct bench_option *options)
{
    fprintf(stderr, "usage: %s", program);
    for (const struct bench_option *o = options; o->name; ++o)
        fprintf(stderr, " [%s%s%s]", o->name, o->value ? " " : "", o->value ? o->value : "");
    fprintf(stderr, "\n");
}

static bool read_count(const char *text, size_t *count)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);
    *count = value;
    return end != text && *end == '\0' && value > 0;
}

static bool read_number(const char *text, double *number)
{
    char *end = NULL;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number > 0;
}

/* `text` is what stands behind the option; NULL: nothing. */
static bool read_value(const struct bench_option *option, const char *text)
{
    if (option->type == BENCH_FLAG)
        return *(bool *)option->to = true;
    if (!text)
        return false;
    if (option->type == BENCH_COUNT)
        return read_count(text, option->to);
    if (option->type == BENCH_NUMBER)
        return read_number(text, option->to);
    *(const char **)option->to = text;
    return true;
}

bool bench_parse(int argc, char **argv, const struct bench_option *options)
{
    for (int i = 1; i < argc; ++i) {
        const struct bench_option *option = options;
        while (option->name && strcmp(option->name, argv[i]))
            ++option;
        if (!option->name || !read_value(option, i + 1 < argc ? argv[i + 1] : NULL)) {
            print_usage(argv[0], options);
            return false;
        }
        i += option->type != BENCH_FLAG;
    }
    return true;
}

bool bench_is_listed(const char *list, const char *name)
{
    const bool all = !list;
    while (list) {
        const char *end = strchr(list, ',');
        const size_t length = end ? (size_t)(end - list) : strlen(list);
        if (length && list[length - 1] == '*' ? !strncmp(list, name, length - 1)
                                              : strlen(name) == length && !strncmp(list, name, length))
            return true;
        list = end ? end + 1 : NULL;
    }
    return all;
}
