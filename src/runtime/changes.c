/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a buffer's memory that nobody has told (changes.h). Knows neither threads nor the order of tasks: only when
   they are submitted, and when they have ended. */
#include "changes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/detail.h"
#include "base/lock.h"
#include "fallback.h"

/* The state of an element: whether the copy is what the library left in the memory, and how many unfinished tasks write
   it there. */
#define KNOWN UINT32_C(0x80000000)

/* The memory of a buffer in one memory space. */
struct side {
    size_t space;
    unsigned char *copy;
    uint32_t *states; /* of the elements */
};

#define MOST_SIDES 2 /* the host and the device */

struct tw_changes {
    struct side sides[MOST_SIDES];
    size_t count;
    const char *file; /* of the last native task that may have run since the memory was as it should be; or NULL */
    int line;
    size_t natives; /* native tasks that are not finished */
};

atomic_size_t tw_changes_watched;

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

bool tw_changes_watch(struct tw_data *data, size_t space, bool is_known)
{
    const size_t count = tw_box_count(&data->whole);
    struct tw_changes *changes = data->changes ? data->changes : calloc(1, sizeof *changes);
    if (!changes)
        return false;
    if (!data->changes)
        atomic_fetch_add(&tw_changes_watched, 1);
    data->changes = changes;
    struct side side = {space, malloc(data->bytes), calloc(count, sizeof *side.states)};
    if (!side.copy || !side.states) {
        free(side.copy);
        free(side.states);
        return false;
    }
    if (is_known) {
        memcpy(side.copy, atomic_load(&data->allocations[space].address), data->bytes);
        for (size_t i = 0; i < count; ++i)
            side.states[i] = KNOWN;
    }
    changes->sides[changes->count++] = side;
    return true;
}

void tw_changes_free(struct tw_changes *changes)
{
    if (!changes)
        return;
    for (size_t i = 0; i < changes->count; ++i) {
        free(changes->sides[i].copy);
        free(changes->sides[i].states);
    }
    free(changes);
    atomic_fetch_sub(&tw_changes_watched, 1);
}

/* ---- rows of elements -------------------------------------------------------------------------------------------- */

/* Calls `visit` for the elements of a box, with their indices in the buffer, as many at once as follow one another there,
   until it returns false. */
static bool visit_rows(const struct tw_data *data, const struct tw_box *box,
                       bool (*visit)(size_t first, size_t past, void *user), void *user)
{
    struct tw_box row = *box;
    size_t length = 1, d = 3; /* rows have the dimensions from d on */
    do {
        --d;
        length *= box->end[d] - box->begin[d];
    } while (d > 0 && box->begin[d] == 0 && box->end[d] == data->whole.end[d]);
    const size_t ends[2] = {d > 0 ? box->end[0] : box->begin[0] + 1, d > 1 ? box->end[1] : box->begin[1] + 1};
    for (row.begin[0] = box->begin[0]; row.begin[0] < ends[0]; ++row.begin[0])
        for (row.begin[1] = box->begin[1]; row.begin[1] < ends[1]; ++row.begin[1]) {
            const size_t first = tw_box_first(&row, &data->whole);
            if (!visit(first, first + length, user))
                return false;
        }
    return true;
}

/* Returns the index of the first element of a row, behind the first one, whose state is another one; `past` if none is. */
static size_t past_alike(const uint32_t *states, size_t first, size_t past)
{
    const uint32_t state = states[first];
    while (++first < past && states[first] == state)
        ;
    return first;
}

/* ---- looking for changes ----------------------------------------------------------------------------------------- */

struct search {
    const unsigned char *memory, *copy;
    const uint32_t *states;
    size_t element_bytes, found;
    bool waits; /* elements with unfinished writers are looked at, too: none of them runs */
};

static bool is_comparable(const struct search *search, size_t i)
{
    return search->states[i] == KNOWN || (search->waits && search->states[i] & KNOWN);
}

/* Stores the first element of a row that has changed, and returns false if there is one. */
static bool compare_row(size_t first, size_t past, void *user)
{
    struct search *search = user;
    const size_t size = search->element_bytes;
    for (size_t end; first < past; first = end) {
        end = past_alike(search->states, first, past);
        const unsigned char *memory = search->memory + first * size, *copy = search->copy + first * size;
        if (!is_comparable(search, first) || memcmp(memory, copy, (end - first) * size) == 0)
            continue;
        for (search->found = first; memcmp(memory, copy, size) == 0; memory += size, copy += size)
            ++search->found;
        return false;
    }
    return true;
}

static tw_status complain(const struct tw_data *data, const struct side *side, size_t element)
{
    static const char by[] = "has changed, and through no accessor";
    const struct tw_changes *changes = data->changes;
    char where[160], native[400] = "";
    snprintf(where, sizeof where, "%s%s%s memory%s%.100s", data->name ? "buffer " : "the buffer's",
             data->name ? data->name : "", data->name ? "'s" : "", side->space ? " on " : " on the host",
             side->space ? tw_device_facts(tw_memory_space_device(side->space))->name : "");
    if (changes->file)
        snprintf(
            native, sizeof native,
            ". A native task has run since, or runs (%.200s:%d): what its target regions change needs an accessor that "
            "writes, and a device clause of theirs must be device(native->omp_device)",
            changes->file, changes->line);
    if (data->shared_space)
        return tw_fail(
            TW_ERROR_CHANGED_MEMORY,
            "element %zu of %s %s: call tw_buffer_device_changed() behind the target region that changes it, "
            "or tw_buffer_host_changed() behind other code, or use a native task or a host accessor%s",
            element, where, by, native);
    if (side->space)
        return tw_fail(
            TW_ERROR_CHANGED_MEMORY,
            "element %zu of %s %s: call tw_buffer_device_changed() behind the target region that changes it, "
            "or make that a native task%s",
            element, where, by, native);
    return tw_fail(TW_ERROR_CHANGED_MEMORY,
                   "element %zu of %s %s: change it by a host accessor, or call tw_buffer_host_changed() behind what "
                   "changes it%s",
                   element, where, by, native);
}

static tw_status check_side_locked(const struct tw_data *data, const struct side *side, const struct tw_box *box,
                                   bool waits)
{
    struct search search = {.memory = atomic_load(&data->allocations[side->space].address),
                            .copy = side->copy,
                            .states = side->states,
                            .element_bytes = data->element_bytes,
                            .waits = waits};
    return visit_rows(data, box, compare_row, &search) ? TW_SUCCESS : complain(data, side, search.found);
}

/* Returns true if a command finds a change of this memory anyway, and loses nothing: it uses the memory itself, of a buffer over
   host memory alone. Others that have copies are looked at when they are used. */
static bool finds_change(const struct tw_command *command, const struct tw_data *data, const struct side *side)
{
    return data->changes->count == 1 && !side->space && !data->shared_space && !command->places
           && !command->device->space;
}

tw_status tw_changes_check_locked(const struct tw_command *command)
{
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < command->use_count; ++i) {
        const struct tw_use *use = &command->uses[i];
        struct tw_changes *changes = use->data->changes;
        for (size_t j = 0; changes && use->needs && j < changes->count && status == TW_SUCCESS; ++j)
            if (!finds_change(command, use->data, &changes->sides[j]))
                status = check_side_locked(use->data, &changes->sides[j], &use->box, false);
        if (changes && use->needs && !use->is_part && status == TW_SUCCESS && !changes->natives)
            changes->file = NULL;
    }
    return status;
}

tw_status tw_changes_check_copy(const struct tw_copy_plan *plan)
{
    const struct tw_changes *changes = plan->data->changes;
    tw_status status = TW_SUCCESS;
    tw_lock();
    for (size_t i = 0; changes && i < changes->count && status == TW_SUCCESS; ++i)
        if (changes->sides[i].space == plan->to)
            status = check_side_locked(plan->data, &changes->sides[i], &plan->box, true);
    tw_unlock();
    return status;
}

/* ---- what tasks write -------------------------------------------------------------------------------------------- */

/* What happens to the elements of a row in one memory. */
struct step {
    const unsigned char *memory;
    const struct side *side;
    size_t element_bytes;
    bool in_order; /* no later task has begun to write them */
    bool is_done;
};

static bool expect_row(size_t first, size_t past, void *user)
{
    const struct step *step = user;
    for (size_t i = first; i < past; ++i)
        ++step->side->states[i];
    return true;
}

static bool forget_row(size_t first, size_t past, void *user)
{
    const struct step *step = user;
    for (size_t i = first; i < past; ++i)
        step->side->states[i] &= ~KNOWN;
    return true;
}

/* Gives elements that are alike a state, and if they are known then, notes what the memory has. */
static void set_states(const struct step *step, size_t first, size_t past, uint32_t state)
{
    const size_t size = step->element_bytes;
    for (size_t i = first; i < past; ++i)
        step->side->states[i] = state;
    if (state & KNOWN)
        memcpy(step->side->copy + first * size, step->memory + first * size, (past - first) * size);
}

static bool note_row(size_t first, size_t past, void *user)
{
    const struct step *step = user;
    for (size_t end; first < past; first = end) {
        end = past_alike(step->side->states, first, past);
        const uint32_t writers = (step->side->states[first] & ~KNOWN) - 1;
        const bool is_known = step->is_done && (step->in_order || !writers);
        set_states(step, first, end, writers | (is_known ? KNOWN : 0));
    }
    return true;
}

/* Of elements that a task has read: they are what the task has found. */
static bool learn_row(size_t first, size_t past, void *user)
{
    const struct step *step = user;
    for (size_t end; first < past; first = end) {
        end = past_alike(step->side->states, first, past);
        const uint32_t state = step->side->states[first];
        if (!(state & KNOWN) && (step->in_order || !state))
            set_states(step, first, end, state | KNOWN);
    }
    return true;
}

/* Does something to the elements of a box, in one memory. */
static void take_step(const struct tw_data *data, const struct side *side, const struct tw_box *box,
                      bool (*visit)(size_t first, size_t past, void *user), bool is_done)
{
    struct step step = {.memory = atomic_load(&data->allocations[side->space].address),
                        .side = side,
                        .element_bytes = data->element_bytes,
                        .in_order = !side->space && !data->shared_space, /* no stream of a device writes there */
                        .is_done = is_done};
    (void)visit_rows(data, box, visit, &step);
}

/* Returns true if a command's body may write a use in a memory. A fallback may copy there what it needs; so may a graph of
   several devices. */
static bool may_write(const struct tw_command *command, const struct tw_use *use, size_t space)
{
    if (command->fallback)
        return true;
    return use->writes && (command->places || space == tw_data_space(use->data, command->device->space));
}

/* Notes that a native task begins or ends, which may change more than its accessors say. */
static void note_native(const struct tw_command *command, struct tw_changes *changes, bool begins)
{
    if (!changes || !command->body.kind->writes_more)
        return;
    changes->file = command->file;
    changes->line = command->line;
    changes->natives += begins ? 1 : -1;
}

void tw_changes_expect_locked(const struct tw_command *command)
{
    for (size_t i = 0; i < command->use_count; ++i) {
        const struct tw_use *use = &command->uses[i];
        struct tw_changes *changes = use->data->changes;
        note_native(command, changes, true);
        for (size_t j = 0; changes && j < changes->count; ++j) {
            const struct side *side = &changes->sides[j];
            if (may_write(command, use, side->space))
                take_step(use->data, side, &use->box, expect_row, false);
            else if (!use->needs) /* what was there is of no use to anybody */
                take_step(use->data, side, &use->box, forget_row, false);
        }
    }
    for (size_t i = 0; i < command->copy_count; ++i) {
        const struct tw_copy_plan *plan = &command->copies[i].plan;
        const struct tw_changes *changes = plan->data->changes;
        for (size_t j = 0; changes && j < changes->count; ++j)
            if (changes->sides[j].space == plan->to)
                take_step(plan->data, &changes->sides[j], &plan->box, expect_row, false);
    }
}

/* Returns true if what a body did was to write its uses in the memory of its device, and it has ended well. */
static bool is_plain(const struct tw_command *command, bool is_done)
{
    return is_done && !command->places && !tw_fallback_is_taken(command->fallback);
}

static void note_body_locked(const struct tw_command *command, bool is_done)
{
    for (size_t i = 0; i < command->use_count; ++i) {
        const struct tw_use *use = &command->uses[i];
        struct tw_changes *changes = use->data->changes;
        note_native(command, changes, false);
        for (size_t j = 0; changes && j < changes->count; ++j) {
            const struct side *side = &changes->sides[j];
            const bool is_here = side->space == tw_data_space(use->data, command->device->space);
            if (may_write(command, use, side->space))
                take_step(use->data, side, &use->box, note_row, is_here && is_plain(command, is_done));
            else if (is_here && is_plain(command, is_done))
                take_step(use->data, side, &use->box, learn_row, true);
        }
    }
}

void tw_changes_note_locked(const struct tw_task *task, bool is_done)
{
    if (!tw_is_copy(task)) {
        note_body_locked(task->command, is_done);
        return;
    }
    const struct tw_copy_plan *plan = &((const struct tw_copy_task *)task)->plan;
    const struct tw_changes *changes = plan->data->changes;
    for (size_t j = 0; changes && j < changes->count; ++j) {
        if (changes->sides[j].space == plan->to)
            take_step(plan->data, &changes->sides[j], &plan->box, note_row, is_done);
        else if (changes->sides[j].space == plan->from && is_done)
            take_step(plan->data, &changes->sides[j], &plan->box, learn_row, true);
    }
}
