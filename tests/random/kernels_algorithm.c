/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms of random programs (ALGORITHM). oracle_algorithm.c has the same in plain C. */
#include <teamwork/algorithms.h>

#include "random.h"

static inline bool is_chosen(uint32_t word)
{
    return is_selected(word);
}

TW_REDUCE_ALL(sum_words, uint32_t, tw_plus);
TW_SCAN(scan_words, uint32_t, tw_plus);
TW_SELECT(select_words, uint32_t, is_chosen);
TW_SORT(sort_words, uint32_t, tw_itself);

void record_algorithm(tw_command_group *group, const struct call *call)
{
    const enum algorithm_kind algorithm = algorithm_of(call);
    const size_t count = algorithm_words(call);
    uint32_t *out = tw_access(group, call->out->handle, call->mode, TW_GLOBAL);
    const uint32_t *in = tw_access(group, call->in->handle, TW_READ, call->constant ? TW_CONSTANT : TW_GLOBAL);
    size_t *number = NULL;
    if (algorithm == SELECT_WORDS)
        number = tw_read_write(group, call->in2->handle);
    else if (call->in2)
        tw_count_on_device(group, tw_read(group, call->in2->handle));
    switch (algorithm) {
    case SUM_WORDS:
        sum_words(group, in, count, call->seed, out + call->first);
        break;
    case SCAN_WORDS:
        scan_words_inclusive(group, in, count, out);
        break;
    case SCAN_WORDS_BEFORE:
        scan_words_exclusive(group, in, count, call->seed, out);
        break;
    case SORT_WORDS:
        sort_words(group, in, count, out);
        break;
    case SORT_WORDS_DESCENDING:
        sort_words_descending(group, in, count, out);
        break;
    default:
        select_words(group, in, count, out, number);
    }
}
