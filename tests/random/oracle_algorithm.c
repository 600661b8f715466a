/* SPDX-License-Identifier: Apache-2.0 */
/* The model of algorithms: what ALGORITHM makes of contents. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum algorithm_kind algorithm_of(const struct call *call)
{
    const enum algorithm_kind algorithm = (enum algorithm_kind)(call->seed % ALGORITHM_KINDS);
    return algorithm == SELECT_WORDS && !call->in2 ? SORT_WORDS : algorithm;
}

size_t algorithm_words(const struct call *call)
{
    const size_t in = call->in->model.count, out = call->out->model.count;
    return algorithm_of(call) == SUM_WORDS || in < out ? in : out;
}

/* How many elements it has: `most`, or what the first element of in2 says. Returns false if that is not known. */
static bool find_count(const struct call *call, size_t most, size_t *count)
{
    const struct model *counts = call->in2 ? &call->in2->model : NULL;
    *count = most;
    if (!counts || algorithm_of(call) == SELECT_WORDS)
        return true;
    const uint64_t told = counts->words[0] | (uint64_t)counts->words[1] << 32;
    *count = told < most ? (size_t)told : most;
    return counts->fate[0].known && counts->fate[1].known;
}

static void set(struct model *model, size_t i, uint32_t value, bool known)
{
    model->words[i] = value;
    model->fate[i].known = known;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int descending(const void *a, const void *b)
{
    return ascending(b, a);
}

static void scan(const struct call *call, size_t count)
{
    const struct model *in = &call->in->model;
    const bool is_before = algorithm_of(call) == SCAN_WORDS_BEFORE;
    uint32_t sum = is_before ? call->seed : 0;
    bool known = true;
    for (size_t i = 0; i < count; ++i) {
        if (is_before)
            set(&call->out->model, i, sum, known);
        sum += in->words[i];
        known = known && in->fate[i].known;
        if (!is_before)
            set(&call->out->model, i, sum, known);
    }
}

static void sort(const struct call *call, size_t count)
{
    const struct model *in = &call->in->model;
    uint32_t *words = malloc((count + 1) * sizeof *words);
    bool known = words != NULL;
    for (size_t i = 0; i < count && known; ++i) {
        words[i] = in->words[i];
        known = in->fate[i].known;
    }
    if (known)
        qsort(words, count, sizeof *words, algorithm_of(call) == SORT_WORDS ? ascending : descending);
    for (size_t i = 0; i < count; ++i)
        set(&call->out->model, i, known ? words[i] : 0, known);
    free(words);
}

static void choose(const struct call *call, size_t count)
{
    const struct model *in = &call->in->model;
    struct model *out = &call->out->model, *number = &call->in2->model;
    size_t chosen = 0;
    bool known = true;
    for (size_t i = 0; i < count && known; ++i) {
        known = in->fate[i].known;
        if (known && is_selected(in->words[i]))
            set(out, chosen++, in->words[i], true);
    }
    for (size_t i = known ? count : 0; i < count; ++i)
        out->fate[i].known = false;
    set(number, 0, (uint32_t)chosen, known);
    set(number, 1, 0, known);
}

void apply_algorithm(const struct call *call)
{
    const struct model *in = &call->in->model;
    struct model *out = &call->out->model;
    size_t count = 0;
    if (!find_count(call, algorithm_words(call), &count)) {
        for (size_t i = 0; i < out->count; ++i)
            out->fate[i].known = false;
        return;
    }
    switch (algorithm_of(call)) {
    case SUM_WORDS: {
        uint32_t sum = call->seed;
        bool known = true;
        for (size_t i = 0; i < count; ++i) {
            sum += in->words[i];
            known = known && in->fate[i].known;
        }
        set(out, call->first, sum, known);
        break;
    }
    case SCAN_WORDS:
    case SCAN_WORDS_BEFORE:
        scan(call, count);
        break;
    case SELECT_WORDS:
        choose(call, count);
        break;
    default:
        sort(call, count);
    }
}
