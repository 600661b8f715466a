/* SPDX-License-Identifier: Apache-2.0 */
/* The environment variables of the library (environment.h): values, valid values, misspelt names. */
#define _GNU_SOURCE
#include "environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define NAME_BYTES 32 /* longer than all names of the library */
#define SHORT_BYTES 7 /* names of which many words are one letter apart */

static bool is_switch(const char *value)
{
    return strcmp(value, "0") == 0 || strcmp(value, "1") == 0;
}

static bool is_backend(const char *value)
{
    return strcmp(value, "cuda") == 0 || strcmp(value, "ol") == 0 || strcmp(value, "omp") == 0;
}

static bool is_launch(const char *value)
{
    return strcmp(value, "driver") == 0 || strcmp(value, "libomptarget") == 0;
}

static bool is_stack_size(const char *value)
{
    char *end;
    const unsigned long kilobytes = *value >= '0' && *value <= '9' ? strtoul(value, &end, 10) : 0;
    return kilobytes >= 16 && kilobytes <= 1ul << 20 && !*end;
}

static bool is_size(const char *value)
{
    char *end;
    errno = 0;
    const unsigned long long bytes = *value >= '0' && *value <= '9' ? strtoull(value, &end, 10) : 0;
    return bytes > 0 && !*end && errno == 0;
}

static bool is_log_level(const char *value)
{
    size_t count;
    const char *const *levels = tw_environment_log_levels(&count);
    while (count && strcmp(value, levels[count - 1]) != 0)
        --count;
    return count;
}

static const struct variable {
    const char *name;
    bool (*is_valid)(const char *value);
    const char *values;
} variables[] = {
#define ROW(name, is_valid, values) {"TW_" #name, is_valid, values},
    TW_ENVIRONMENT_LIST(ROW)
#undef ROW
};

const char *tw_environment(enum tw_variable variable)
{
    const char *value = getenv(variables[variable].name);
    return value && *value ? value : NULL;
}

bool tw_environment_is_on(enum tw_variable variable)
{
    const char *value = tw_environment(variable);
    return value && strcmp(value, "1") == 0;
}

const char *const *tw_environment_log_levels(size_t *count)
{
    static const char *const levels[] = {"off", "error", "warning", "info", "debug"};
    *count = sizeof levels / sizeof levels[0];
    return levels;
}

bool tw_environment_error(char *text, size_t bytes)
{
    for (size_t i = 0; i < TW_VARIABLES; ++i) {
        const char *value = tw_environment((enum tw_variable)i);
        if (value && variables[i].is_valid && !variables[i].is_valid(value)) {
            snprintf(text, bytes, "%s is \"%s\", but has to be %s", variables[i].name, value, variables[i].values);
            return true;
        }
    }
    return false;
}

void tw_environment_visit_set(void (*tell)(const char *name, const char *value))
{
    for (size_t i = 0; i < TW_VARIABLES; ++i) {
        const char *value = tw_environment((enum tw_variable)i);
        if (value)
            tell(variables[i].name, value);
    }
}

/* ---- misspelt names ---------------------------------------------------------------------------------------------- */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Returns the edit distance of two names, without regard to case. Both are shorter than NAME_BYTES. */
static unsigned letters_apart(const char *one, const char *other)
{
    unsigned row[NAME_BYTES]; /* distances from the part of `one` so far to each prefix of `other` */
    const size_t length = strlen(other);
    for (unsigned k = 0; k <= length; ++k)
        row[k] = k;
    for (; *one; ++one) {
        unsigned diagonal = row[0]++;
        for (size_t k = 1; k <= length; ++k) {
            const unsigned changed = diagonal + (strncasecmp(one, &other[k - 1], 1) != 0);
            diagonal = row[k];
            row[k] = least(changed, least(row[k], row[k - 1]) + 1);
        }
    }
    return row[length];
}

/* Returns true if a name is a variable's, else stores the one that was probably meant; NULL if it resembles none. */
static bool is_known(const char *name, const char **meant)
{
    unsigned distance = NAME_BYTES;
    *meant = NULL;
    for (size_t i = 0; i < TW_VARIABLES; ++i) {
        const unsigned apart = letters_apart(name, variables[i].name);
        const size_t length = strlen(variables[i].name);
        const unsigned most = ((unsigned)length - 2) / 4; /* of its letters, without TW_ */
        const bool is_other_word = apart && length <= SHORT_BYTES && strlen(name) == length; /* such as TW_POOL */
        if (strcmp(name, variables[i].name) == 0)
            return true;
        if (apart <= most && apart < distance && !is_other_word) {
            distance = apart;
            *meant = variables[i].name;
        }
    }
    return false;
}

void tw_environment_visit_unknown(void (*tell)(const char *name, const char *meant))
{
    for (char **entry = environ; entry && *entry; ++entry) {
        char name[NAME_BYTES];
        const char *meant;
        const size_t length = strcspn(*entry, "=");
        if (strncmp(*entry, "TW_", 3) != 0 || length >= sizeof name)
            continue;
        memcpy(name, *entry, length);
        name[length] = '\0';
        if (!is_known(name, &meant))
            tell(name, meant);
    }
}
