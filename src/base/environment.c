/* SPDX-License-Identifier: Apache-2.0 */
/* The names of all environment variables of the library, and their valid values. The variables are read where they are
   used; docs/devices.md says what they do. */
#define _GNU_SOURCE
#include "environment.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "detail.h"

#define NAME_BYTES 32 /* longer than all names of the library */

static bool is_switch(const char *value)
{
    return strcmp(value, "0") == 0 || strcmp(value, "1") == 0;
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

static const struct variable {
    const char *name;
    bool (*is_valid)(const char *value); /* NULL: its reader checks it, with a better message */
    const char *values;
} variables[] = {
    {"TW_DEVICES", NULL, NULL},
    {"TW_SIM", NULL, NULL},
    {"TW_SIM_ASYNC", is_switch, "0 or 1"},
    {"TW_SIM_CHECK", is_switch, "0 or 1"},
    {"TW_SIM_MEMORY", is_size, "a number of bytes"},
    {"TW_WORK_ITEM_STACK_KB", is_stack_size, "a number from 16 to 1048576"},
    {"TW_CUDA_LAUNCH", is_launch, "driver or libomptarget"},
    {"TW_WARNINGS", is_switch, "0 or 1"},
};
#define VARIABLES (sizeof variables / sizeof variables[0])

tw_status tw_environment_check(void)
{
    for (size_t i = 0; i < VARIABLES; ++i) {
        const char *value = getenv(variables[i].name);
        if (value && *value && variables[i].is_valid && !variables[i].is_valid(value))
            return tw_fail(TW_ERROR_INVALID_CONFIGURATION, "%s is \"%s\", but has to be %s", variables[i].name, value,
                           variables[i].values);
    }
    return TW_SUCCESS;
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

/* Returns the variable that a name was probably meant to be; NULL if the name is right or resembles none. */
static const char *probably(const char *name)
{
    const char *nearest = NULL;
    unsigned distance = NAME_BYTES;
    for (size_t i = 0; i < VARIABLES; ++i) {
        const unsigned apart = letters_apart(name, variables[i].name);
        const unsigned most = ((unsigned)strlen(variables[i].name) - 2) / 4; /* of its letters, without TW_ */
        if (strcmp(name, variables[i].name) == 0)
            return NULL;
        if (apart <= most && apart < distance) {
            distance = apart;
            nearest = variables[i].name;
        }
    }
    return nearest;
}

void tw_environment_warn(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    if (!environ || atomic_flag_test_and_set(&done))
        return;
    for (char **entry = environ; *entry; ++entry) {
        char name[NAME_BYTES];
        const size_t length = strcspn(*entry, "=");
        if (strncmp(*entry, "TW_", 3) != 0 || length >= sizeof name)
            continue;
        memcpy(name, *entry, length);
        name[length] = '\0';
        const char *meant = probably(name);
        if (meant)
            tw_warn("the library does not read the environment variable %s: %s was probably meant", name, meant);
    }
}
