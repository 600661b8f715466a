/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eviction: idle buffers and chunks give their memory on a full device up for others.
 *
 * It goes in rounds. Each one gives up what was used longest ago, if that is idle and held elsewhere too. If it is held
 * nowhere else, a command copies it to the host first, and the next round finds it there. If nothing is idle, the round
 * waits for a command that uses memory. Contents come back as any others that a device does not hold.
 *
 * A thread waits here for submitted commands only, and not if they may wait for the thread: not for groups that nobody
 * may submit, and not for what depends on its host accessors, on those of threads that wait for it, or on user events.
 */
#include "evict.h"

#include <stdlib.h>

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/failure.h"
#include "base/lock.h"
#include "base/log.h"
#include "hold.h"
#include "observe_device.h"
#include "submit.h"
#include "task_queue.h"
#include "wait.h"

/* Memory on a device: that of a buffer, or of some of its chunks, which follow each other. */
struct piece {
    struct tw_data *data; /* NULL: none */
    bool is_whole;
    size_t first, past; /* the chunks, unless it is whole */
    unsigned long used;
};

/* All memory of buffers on a device. */
struct survey {
    size_t space;
    unsigned long mark;      /* of what waits for this thread; 0: nothing does */
    struct piece idle;       /* what was used longest ago */
    struct tw_command *busy; /* uses what was used longest ago of the rest, and can be waited for; or NULL */
    unsigned long busy_used;
    size_t idle_bytes, busy_bytes, held_bytes;
    bool waits_for_this; /* a command that uses memory waits for this thread */
};

/* What a round has come to. */
enum outcome { TRY_AGAIN, WAIT, NEEDS_HOST, NOTHING_LEFT };

struct round {
    enum outcome outcome;
    struct tw_command *command; /* to wait for; counted */
    bool evacuates;             /* it copies to the host */
    struct tw_data *data;       /* needs host memory; held */
    struct survey survey;
};

/* ---- what can be given up ---------------------------------------------------------------------------------------- */

static void note_reader(struct tw_node *reader, void *user)
{
    *(struct tw_node **)user = reader;
}

/* Returns a node of an unfinished command that accesses a box; NULL if there is none. */
static struct tw_node *user_of(const struct tw_data *data, const struct tw_box *box)
{
    const struct tw_box_node part = tw_box_node(box, &data->whole);
    struct tw_node *node = tw_graph_writer(&data->contents, &part);
    if (!node)
        tw_graph_visit_readers(&data->contents, &part, note_reader, &node);
    return node;
}

static size_t boxes_of(const struct piece *piece, struct tw_box boxes[TW_BOX_RUNS])
{
    if (!piece->is_whole)
        return tw_chunk_boxes(piece->data, piece->first, piece->past, boxes);
    boxes[0] = piece->data->whole;
    return 1;
}

static size_t bytes_of(const struct piece *piece)
{
    size_t bytes = piece->is_whole ? piece->data->bytes : 0;
    for (size_t chunk = piece->first; !piece->is_whole && chunk < piece->past; ++chunk)
        bytes += tw_chunk_bytes(piece->data, chunk);
    return bytes;
}

static struct tw_use use_of(const struct piece *piece, const struct tw_box *box)
{
    return (struct tw_use){
        .data = piece->data, .box = *box, .is_part = !tw_box_covers(box, &piece->data->whole), .needs = true};
}

static bool count_lost(const struct tw_box *lost, struct tw_cause *cause, void *user)
{
    (void)cause;
    *(size_t *)user += tw_box_count(lost);
    return true;
}

/* Returns the number of elements of a box that are lost, since what should have written them failed. */
static size_t lost_of(const struct tw_data *data, const struct tw_box *box)
{
    size_t count = 0;
    (void)tw_graph_visit_lost(&data->contents, box, count_lost, &count);
    return count;
}

/* How much of a piece is lost. What is lost cannot be copied, and need not be. */
enum loss { NOTHING_LOST, PARTLY_LOST, ALL_LOST };

static enum loss loss_of(const struct piece *piece)
{
    struct tw_box boxes[TW_BOX_RUNS];
    size_t lost = 0, all = 0;
    for (size_t i = 0, count = boxes_of(piece, boxes); i < count; ++i) {
        lost += lost_of(piece->data, &boxes[i]);
        all += tw_box_count(&boxes[i]);
    }
    return !lost ? NOTHING_LOST : lost < all ? PARTLY_LOST : ALL_LOST;
}

/* Returns true if no other memory space holds all that this one holds of a piece, and is not lost. */
static bool is_only_here(const struct piece *piece, size_t space)
{
    struct tw_box boxes[TW_BOX_RUNS];
    for (size_t i = 0, count = boxes_of(piece, boxes); i < count; ++i) {
        const struct tw_use use = use_of(piece, &boxes[i]);
        bool is_elsewhere =
            !tw_allocation_count(&use, space) || lost_of(piece->data, &boxes[i]) >= tw_box_count(&boxes[i]);
        for (size_t other = 0; other < piece->data->space_count && !is_elsewhere; ++other)
            is_elsewhere = other != space && tw_allocation_holds(&use, other);
        if (!is_elsewhere)
            return true;
    }
    return false;
}

/* Adds a piece of memory to the survey. Consecutive chunks that were used together become one idle piece, until that has
   `enough` bytes. */
static void look_at(struct survey *survey, const struct piece *piece, size_t enough)
{
    struct tw_box boxes[TW_BOX_RUNS];
    struct tw_node *node = NULL;
    struct piece *idle = &survey->idle;
    const size_t bytes = bytes_of(piece);
    survey->held_bytes += bytes;
    for (size_t i = 0, count = boxes_of(piece, boxes); i < count && !node; ++i)
        node = user_of(piece->data, &boxes[i]);
    if (node) {
        struct tw_command *command = ((struct tw_task *)node)->command;
        survey->busy_bytes += bytes;
        survey->waits_for_this = survey->waits_for_this || (survey->mark && command->body.node.mark == survey->mark);
        if ((!survey->mark || command->body.node.mark != survey->mark)
            && (!survey->busy || piece->used < survey->busy_used)) {
            survey->busy = command;
            survey->busy_used = piece->used;
        }
        return;
    }
    const enum loss loss = loss_of(piece);
    if (!piece->data->owner
        || (piece->is_whole ? !piece->data->owner->is_idle_locked(piece->data)
                            : tw_chunk_is_pinned(piece->data, piece->first))
        || ((piece->data->stays || loss == PARTLY_LOST) && is_only_here(piece, survey->space)))
        return;
    survey->idle_bytes += bytes;
    if (idle->data && !idle->is_whole && idle->data == piece->data && idle->past == piece->first
        && idle->used == piece->used && bytes_of(idle) < enough && loss == loss_of(idle))
        idle->past = piece->past;
    else if (!idle->data || piece->used < idle->used)
        *idle = *piece;
}

static void survey_locked(struct survey *survey, size_t enough)
{
    const size_t space = survey->space;
    for (struct tw_data *data = tw_data_with_memory_locked(); data; data = data->next) {
        const struct tw_allocation *allocation = &data->allocations[space];
        if (!atomic_load(&allocation->address) || allocation->borrowed)
            continue;
        if (!allocation->backing)
            look_at(survey, &(struct piece){.data = data, .is_whole = true, .used = allocation->used}, enough);
        for (size_t chunk = 0; allocation->backing && chunk < tw_chunk_count(data); ++chunk)
            if (tw_chunk_is_backed(data, space, chunk))
                look_at(survey,
                        &(struct piece){.data = data,
                                        .first = chunk,
                                        .past = chunk + 1,
                                        .used = tw_chunk_used_locked(data, space, chunk)},
                        enough);
    }
}

/* ---- giving up --------------------------------------------------------------------------------------------------- */

/* Makes sure that the sets of boxes can be changed. Returns false if memory is exhausted. */
static bool reserve_locked(const struct piece *piece)
{
    struct tw_box boxes[TW_BOX_RUNS];
    struct tw_use uses[TW_BOX_RUNS];
    const size_t count = boxes_of(piece, boxes);
    size_t needed = 0;
    for (size_t i = 0; i < count; ++i) { /* the device forgets them, as if the host wrote them */
        uses[i] = use_of(piece, &boxes[i]);
        uses[i].writes = true;
    }
    for (size_t i = 0; i < count; ++i)
        needed += tw_reserve_needed(uses, count, i, 0);
    return tw_box_reserve(&piece->data->reserve, needed);
}

/* Takes its memory from a piece that is held elsewhere too, unless a group has begun to use it. Returns false if memory is
   exhausted. Releases the lock meanwhile. */
static bool give_up_locked(const struct piece *piece, size_t space)
{
    struct tw_data *data = piece->data;
    struct tw_backend_device *device = tw_memory_space_device(space)->backend;
    if (!reserve_locked(piece))
        return false;
    if (piece->is_whole) {
        void *memory = tw_data_detach_locked(data, space);
        if (memory)
            tw_observe_memory(TW_TOOL_EVICT, data, space, data->bytes);
        tw_unlock();
        if (memory)
            device->backend->memory->free(device, memory);
        tw_lock();
        return true;
    }
    if (!tw_chunks_detach_locked(data, space, piece->first, piece->past))
        return true;
    data->owner->hold_locked(data);
    tw_observe_memory(TW_TOOL_EVICT, data, space, bytes_of(piece));
    tw_unlock();
    tw_chunks_unback(data, space, piece->first, piece->past);
    tw_lock();
    data->owner->release_locked(data);
    return true;
}

/* ---- evacuating -------------------------------------------------------------------------------------------------- */

static void completed(struct tw_command *command)
{
    struct tw_data *data = command->uses[0].data;
    command->use_count = 0;
    data->owner->release_locked(data);
}

static const struct tw_command_object object = {.completed_locked = completed, .released_locked = tw_command_free};

/* Submits a command on the host that needs what a piece holds, and does nothing. Returns NULL if memory is exhausted. */
static struct tw_command *evacuate_locked(const struct piece *piece)
{
    struct tw_box boxes[TW_BOX_RUNS];
    const size_t count = boxes_of(piece, boxes);
    struct tw_command *command = tw_command_create(&object, &(struct tw_memory){.block = NULL}, count, count, true, 0);
    if (!command)
        return NULL;
    command->device = tw_host_device();
    command->home = command->queue = command->device->system;
    command->body.kind = &tw_kind_nothing;
    command->use_count = count;
    for (size_t i = 0; i < count; ++i)
        command->uses[i] = use_of(piece, &boxes[i]);
    piece->data->owner->hold_locked(piece->data);
    if (tw_command_submit_locked(command) == TW_SUCCESS)
        return command;
    piece->data->owner->release_locked(piece->data);
    tw_command_release_locked(command);
    return NULL;
}

/* Marks all nodes that wait for this thread's host accessors, or for user events, which it may be about to complete.
   Returns the mark; 0 if there are none. */
static unsigned long mark_own_locked(void)
{
    unsigned long mark = tw_mark_own_accesses_locked();
    for (struct tw_command *command = tw_host_device()->system->first_unfinished; command; command = command->next) {
        if (!command->is_user_event)
            continue;
        if (!mark)
            mark = tw_graph_new_mark();
        tw_graph_mark_dependants(&command->body.node, mark);
    }
    return mark;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static void log_round(const struct survey *survey)
{
    const char *device = tw_device_facts(tw_memory_space_device(survey->space))->name;
    const struct piece *idle = &survey->idle;
    if (idle->data)
        tw_log_line(TW_LOG_INFO, "memory: %s is full: %zu bytes of an idle buffer of %zu %s", device, bytes_of(idle),
                    idle->data->bytes,
                    is_only_here(idle, survey->space) ? "are copied to the host, to be given up" : "are given up");
    else
        tw_log_line(TW_LOG_INFO, "memory: %s is full: buffers have %zu bytes, none of them idle%s", device,
                    survey->held_bytes, survey->busy ? ": waiting for a command" : "");
}

static void round_locked(struct round *round, size_t enough)
{
    struct survey *survey = &round->survey;
    survey->mark = mark_own_locked();
    survey_locked(survey, enough);
    const struct piece *idle = &survey->idle;
    if (tw_logs(TW_LOG_INFO))
        log_round(survey);
    round->outcome = NOTHING_LEFT;
    if (!idle->data && survey->busy) {
        round->outcome = WAIT;
        round->command = survey->busy;
        atomic_fetch_add(&survey->busy->references, 1);
    } else if (idle->data && !is_only_here(idle, survey->space)) {
        round->outcome = give_up_locked(idle, survey->space) ? TRY_AGAIN : NOTHING_LEFT;
    } else if (idle->data && !atomic_load(&idle->data->allocations[0].address)) {
        round->outcome = NEEDS_HOST;
        round->data = idle->data;
        round->data->owner->hold_locked(round->data);
    } else if (idle->data && (round->command = evacuate_locked(idle))) {
        round->outcome = WAIT;
        round->evacuates = true;
    }
}

static struct tw_command *incomplete(const void *what)
{
    struct tw_command *command = *(struct tw_command *const *)what;
    return command->complete ? NULL : command;
}

/* Waits for the command of a round. Fails if it could not copy to the host. Does not wait if the command has come to wait
   for this thread since the round chose it: another thread may have begun to wait for this one's. */
static tw_status wait_for(const struct round *round)
{
    struct tw_command *command = round->command;
    tw_status status = TW_SUCCESS;
    tw_lock();
    const unsigned long mark = command->complete ? 0 : mark_own_locked();
    if (!mark || command->body.node.mark != mark)
        tw_wait_locked(incomplete, &command, NULL, NULL);
    if (round->evacuates && command->complete && command->status != TW_SUCCESS)
        status = tw_fail(
            TW_ERROR_OUT_OF_DEVICE_MEMORY, "%s has no room, and what is to make room cannot be copied to the host: %s",
            tw_device_facts(tw_memory_space_device(round->survey.space))->name, tw_failure_message(command->failure));
    tw_command_release_locked(command);
    tw_unlock();
    return status;
}

static tw_status refuse(const struct tw_data *data, size_t asked, const struct survey *survey)
{
    const struct tw_device_facts *facts = tw_device_facts(tw_memory_space_device(survey->space));
    return tw_fail(
        TW_ERROR_OUT_OF_DEVICE_MEMORY,
        "%s has no room for %zu bytes of a buffer of %zu: of its %zu bytes the program's buffers have %zu, of "
        "which commands use %zu, groups that are not submitted and recorded ones %zu, and %zu are idle%s%s",
        facts->name, asked, data->bytes, facts->global_mem_bytes, survey->held_bytes, survey->busy_bytes,
        survey->held_bytes - survey->busy_bytes - survey->idle_bytes, survey->idle_bytes,
        data->chunks && asked > facts->global_mem_bytes ? "; access it in parts (tw_read_part() and the like)" : "",
        survey->waits_for_this
            ? "; commands wait for host accessors of this thread, or of one that waits for it, or for "
              "user events: release the accessors, or complete the events, first"
            : "");
}

/* Does one round to make room for `asked` bytes of a buffer. */
static tw_status next_round(const struct tw_data *data, size_t space, size_t asked)
{
    struct round round = {.survey = {.space = space}};
    tw_memory_begin();
    tw_lock();
    round_locked(&round, asked);
    tw_unlock();
    tw_memory_end();
    tw_status status = TW_SUCCESS;
    switch (round.outcome) {
    case NOTHING_LEFT:
        return refuse(data, asked, &round.survey);
    case NEEDS_HOST:
        status = tw_data_allocate(round.data, 0);
        tw_lock();
        round.data->owner->release_locked(round.data);
        tw_unlock();
        break;
    case WAIT:
        status = wait_for(&round);
        break;
    case TRY_AGAIN:
        break;
    }
    return status;
}

/* Returns true if the thread's last attempt to allocate may succeed when other memory is given up. */
static bool is_full(size_t space)
{
    struct tw_backend_device *device = tw_memory_space_device(space)->backend;
    return !device->backend->memory->is_full || device->backend->memory->is_full(device);
}

tw_status tw_make_room(struct tw_data *data, const struct tw_box *box, size_t space)
{
    if (tw_data_is_there(data, box, space))
        return TW_SUCCESS;
    if (!space)
        return tw_data_allocate(data, 0);
    TW_DEFER_CANCELLATION;
    const size_t asked = tw_data_bytes_for(data, box, space);
    const size_t most = tw_device_facts(tw_memory_space_device(space))->global_mem_bytes;
    if (most && asked > most) {
        struct survey survey = {.space = space};
        tw_lock();
        survey_locked(&survey, 0);
        tw_unlock();
        return refuse(data, asked, &survey);
    }
    tw_status status = tw_data_allocate_box(data, box, space);
    if (status != TW_ERROR_OUT_OF_DEVICE_MEMORY || !is_full(space))
        return status;
    do {
        status = next_round(data, space, asked);
        if (status != TW_SUCCESS)
            return status;
        status = tw_data_allocate_box(data, box, space);
    } while (status == TW_ERROR_OUT_OF_DEVICE_MEMORY && is_full(space));
    return status;
}
