/* SPDX-License-Identifier: Apache-2.0 */
/* Reads TW_DEVICES: a comma-separated list of [!]KIND[:N]. Knows types of devices, not backends. */
#include "device_filter.h"

#include <stdlib.h>
#include <string.h>

struct term {
    bool remove;
    unsigned types;
    bool all; /* no number given */
    unsigned long number;
};

static const struct {
    const char *name;
    unsigned types;
} kinds[] = {
    {"host", TW_DEVICE_HOST}, {"gpu", TW_DEVICE_GPU},
    {"cpu", TW_DEVICE_CPU},   {"accelerator", TW_DEVICE_ACCELERATOR},
    {"sim", TW_DEVICE_SIM},   {"omp", TW_DEVICE_GPU | TW_DEVICE_CPU | TW_DEVICE_ACCELERATOR},
    {"*", TW_DEVICE_ALL},
};

const char *tw_device_filter_kind(tw_device_type type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        if (kinds[i].types == (unsigned)type)
            return kinds[i].name;
    return "?";
}

static unsigned types_named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        if (strlen(kinds[i].name) == length && !strncmp(kinds[i].name, name, length))
            return kinds[i].types;
    return 0;
}

/* Reads the term at *at, and moves *at behind it and its comma. Returns false if there is no valid term. */
static bool read_term(const char **at, struct term *term)
{
    const char *p = *at;
    while (*p == ' ')
        ++p;
    term->remove = *p == '!';
    p += term->remove;
    const size_t length = strcspn(p, ":, ");
    term->types = types_named(p, length);
    term->all = true;
    p += length;
    if (*p == ':') {
        char *end;
        if (p[1] < '0' || p[1] > '9')
            return false;
        term->number = strtoul(p + 1, &end, 10);
        term->all = false;
        p = end;
    }
    while (*p == ' ')
        ++p;
    if (!term->types || (*p && *p != ','))
        return false;
    *at = *p ? p + 1 : p;
    return true;
}

tw_status tw_device_filter_check(const char *filter)
{
    struct term term;
    for (const char *at = filter; at && *at;) {
        const char *start = at;
        if (!read_term(&at, &term))
            return tw_fail(TW_ERROR_INVALID_CONFIGURATION,
                           "TW_DEVICES=\"%s\" cannot be read at \"%s\": expected [!]KIND[:N] with KIND host, gpu, cpu, "
                           "accelerator, sim, omp or *",
                           filter, start);
    }
    return TW_SUCCESS;
}

bool tw_device_filter_mentions(const char *filter, unsigned types)
{
    bool adds = false, mentions = false;
    struct term term;
    for (const char *at = filter; at && *at && read_term(&at, &term);) {
        adds = adds || !term.remove;
        mentions = mentions || (!term.remove && (term.types & types));
    }
    return mentions || !adds; /* a list of removals starts from all devices */
}

static bool matches(const struct term *term, const struct tw_device *device, unsigned long number)
{
    return (device->backend->type & term->types) && (term->all || term->number == number);
}

/* Returns the number of a device among all devices of the term's kind. */
static unsigned long number_among(const struct term *term, struct tw_device **all, size_t index)
{
    unsigned long number = 0;
    for (size_t i = 0; i < index; ++i)
        number += (all[i]->backend->type & term->types) != 0;
    return number;
}

static bool contains(struct tw_device **list, size_t count, const struct tw_device *device)
{
    for (size_t i = 0; i < count; ++i)
        if (list[i] == device)
            return true;
    return false;
}

static bool is_removed(const char *filter, struct tw_device **all, size_t index)
{
    struct term term;
    for (const char *at = filter; at && *at && read_term(&at, &term);)
        if (term.remove && matches(&term, all[index], number_among(&term, all, index)))
            return true;
    return false;
}

tw_status tw_device_filter_apply(const char *filter, struct tw_device **all, size_t count, struct tw_device ***visible,
                                 size_t *visible_count)
{
    struct tw_device **list = calloc(count, sizeof *list);
    if (!list)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the list of devices");
    size_t used = 0;
    bool adds = false;
    struct term term;
    for (const char *at = filter; at && *at && read_term(&at, &term);) {
        adds = adds || !term.remove;
        for (size_t i = 0; i < count && !term.remove; ++i)
            if (matches(&term, all[i], number_among(&term, all, i)) && !contains(list, used, all[i])
                && !is_removed(filter, all, i))
                list[used++] = all[i];
    }
    for (size_t i = 0; i < count && !adds; ++i)
        if (!is_removed(filter, all, i))
            list[used++] = all[i];
    *visible = list;
    *visible_count = used;
    return TW_SUCCESS;
}
