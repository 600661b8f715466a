/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The events that a stream has recorded behind its launches, for streams and threads that wait. Knows no driver: the
 * caller makes and records events. Protected by the stream's mutex, except where it says so.
 */
#ifndef TEAMWORK_OFFLOAD_GPU_RECORDS_H
#define TEAMWORK_OFFLOAD_GPU_RECORDS_H

#include <stdatomic.h>

#include "backend.h"

#define TW_GPU_MOST_AWAITED 8u /* names of launches with records, beyond which all launches have them */

/* An event behind the launch with a sequence number. */
struct tw_gpu_record {
    void *event; /* the driver's; NULL: none yet */
    uint64_t sequence;
};

/* Initialized with zeros. */
struct tw_gpu_records {
    /* Record r is in slot r % TW_STREAM_DEPTH; those from `first` up to `past` are in use. Their sequence numbers grow
       and are not known to be over, so there are no more of them than launches in flight. */
    struct tw_gpu_record slots[TW_STREAM_DEPTH];
    uint64_t first, past;
    /* Names of launches that another stream has waited for: from then on each launch with such a name has a record. A
       record behind each launch would cost as much as some of the launches. */
    const char *awaited[TW_GPU_MOST_AWAITED];
    size_t awaited_count;   /* above TW_GPU_MOST_AWAITED: any name */
    atomic_bool is_awaited; /* awaited_count is not 0; read without the mutex */
};

/* Drops the records of launches up to number `over`. Their events stay in their slots. */
static inline void tw_gpu_records_forget(struct tw_gpu_records *records, uint64_t over)
{
    while (records->first < records->past && records->slots[records->first % TW_STREAM_DEPTH].sequence <= over)
        ++records->first;
}

/* Returns the first record at or behind a launch; NULL if there is none. */
static inline struct tw_gpu_record *tw_gpu_records_find(struct tw_gpu_records *records, uint64_t sequence)
{
    uint64_t at = records->first, past = records->past;
    while (at < past) {
        const uint64_t middle = at + (past - at) / 2;
        if (records->slots[middle % TW_STREAM_DEPTH].sequence < sequence)
            at = middle + 1;
        else
            past = middle;
    }
    return at < records->past ? &records->slots[at % TW_STREAM_DEPTH] : NULL;
}

/* Returns the slot of the next record, whose event may be recorded anew. It is in use once tw_gpu_records_add() was
   called. */
static inline struct tw_gpu_record *tw_gpu_records_next(struct tw_gpu_records *records)
{
    return &records->slots[records->past % TW_STREAM_DEPTH];
}

static inline void tw_gpu_records_add(struct tw_gpu_records *records, uint64_t sequence)
{
    tw_gpu_records_next(records)->sequence = sequence;
    ++records->past;
}

/* Returns true if there is a record at or behind a launch. */
static inline bool tw_gpu_records_reach(const struct tw_gpu_records *records, uint64_t sequence)
{
    return records->first < records->past && records->slots[(records->past - 1) % TW_STREAM_DEPTH].sequence >= sequence;
}

static inline bool tw_gpu_records_await(const struct tw_gpu_records *records, const char *name)
{
    for (size_t i = 0; i < records->awaited_count && i < TW_GPU_MOST_AWAITED; ++i)
        if (records->awaited[i] == name)
            return true;
    return records->awaited_count > TW_GPU_MOST_AWAITED;
}

/* Lets each launch with this name have a record. */
static inline void tw_gpu_records_note_awaited(struct tw_gpu_records *records, const char *name)
{
    if (tw_gpu_records_await(records, name))
        return;
    if (records->awaited_count < TW_GPU_MOST_AWAITED)
        records->awaited[records->awaited_count] = name;
    ++records->awaited_count;
    atomic_store_explicit(&records->is_awaited, true, memory_order_relaxed);
}

#endif
