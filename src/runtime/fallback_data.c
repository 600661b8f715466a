/* SPDX-License-Identifier: Apache-2.0 */
#include "fallback_data.h"

#include <stdlib.h>

#include "allocation.h"
#include "base/detail.h"
#include "copy_task.h"
#include "rows.h"

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* Returns rows as others, but back to back in `memory`. */
static struct tw_data_rows packed(const struct tw_data_rows *rows, void *memory)
{
    struct tw_data_rows back_to_back = *rows;
    back_to_back.first = memory;
    back_to_back.pitch = rows->row_bytes;
    back_to_back.plane = rows->rows * rows->row_bytes;
    return back_to_back;
}

/* Copies rows between the devices of two drivers. */
static tw_status copy_through_host(struct tw_backend_device *target, const struct tw_data_rows *to,
                                   struct tw_backend_device *source, const struct tw_data_rows *from)
{
    const size_t bytes = from->planes * from->rows * from->row_bytes;
    void *memory = tw_host_allocate(bytes);
    if (!memory)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no host memory to copy %zu bytes through", bytes);
    const struct tw_data_rows stage = packed(from, memory);
    const struct tw_backend_copy out = tw_rows_request(NULL, &stage, source, from);
    const struct tw_backend_copy in = tw_rows_request(target, to, NULL, &stage);
    tw_status status = source->backend->memory->copy(&out);
    if (status == TW_SUCCESS)
        status = target->backend->memory->copy(&in);
    free(memory);
    return status;
}

tw_status tw_fallback_copy(const struct tw_data *from, size_t from_space, const struct tw_data *to, size_t to_space,
                           const struct tw_box *box)
{
    struct tw_backend_device *source = tw_space_backend(tw_data_space(from, from_space));
    struct tw_backend_device *target = tw_space_backend(tw_data_space(to, to_space));
    const struct tw_data_rows source_rows = tw_data_rows(from, box, from_space);
    const struct tw_data_rows target_rows = tw_data_rows(to, box, to_space);
    const struct tw_backend_copy request = tw_rows_request(target, &target_rows, source, &source_rows);
    if (source && target && source->backend != target->backend)
        return copy_through_host(target, &target_rows, source, &source_rows);
    if (source || target)
        return (target ? target : source)->backend->memory->copy(&request);
    tw_rows_copy(&request);
    return TW_SUCCESS;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

bool tw_fallback_copy_failed_locked(const struct tw_use *use, size_t space)
{
    const struct tw_resource *resource = &use->data->allocations[tw_data_space(use->data, space)].resource;
    const struct tw_lost_part *part = resource->lost_parts;
    while (part && !tw_box_overlaps(&part->box, &use->box))
        part = part->next;
    return resource->lost || part;
}

bool tw_fallback_holds_locked(const struct tw_command *command, size_t use, size_t space)
{
    const struct tw_fallback *fallback = command->fallback;
    if (tw_fallback_copy_failed_locked(&command->uses[use], space))
        return false;
    return fallback->held[use * fallback->space_count + space] || space == fallback->first_space;
}

/* ---- where the results are --------------------------------------------------------------------------------------- */

/* Contents that are in another memory space than was expected. */
struct move {
    struct tw_data *data;
    size_t from, to;
    struct tw_failure *failure; /* why they are not where they were expected */
    size_t pieces;              /* an upper bound of the boxes that change */
};

/* Returns true if both uses are of one buffer, and have elements in common. */
static bool meet(const struct tw_use *one, const struct tw_use *other)
{
    return one->data == other->data && tw_box_overlaps(&one->box, &other->box);
}

/* Returns true if a later task expects what a use has written in this memory space. */
static bool looks_there_locked(const struct tw_task *task, const struct tw_use *use, size_t space)
{
    const struct tw_copy_plan *plan = &((const struct tw_copy_task *)task)->plan;
    if (tw_is_copy(task))
        return plan->data == use->data && plan->from == space && tw_box_overlaps(&plan->box, &use->box);
    if (tw_data_space(use->data, task->command->device->space) != space)
        return false;
    for (size_t i = 0; i < task->command->use_count; ++i) /* of parts, there may be several */
        if (task->command->uses[i].needs && meet(&task->command->uses[i], use))
            return true;
    return false;
}

/* Marks what waits for a later writer of all that a use has written, or of any of it: it finds that writer's contents,
   not those of the command. */
static unsigned long mark_behind_writers_locked(const struct tw_command *command, const struct tw_use *use, bool of_all)
{
    const unsigned long mark = tw_graph_new_mark();
    for (const struct tw_edge *edge = command->body.node.out; edge; edge = edge->next)
        for (size_t i = 0; i < edge->to->access_count; ++i) {
            const struct tw_graph_access *access = &edge->to->accesses[i];
            if (access->resource != &use->data->contents || !access->writes)
                continue;
            if (access->part
                && !(of_all ? tw_box_covers(&access->part->box, &use->box)
                            : tw_box_overlaps(&access->part->box, &use->box)))
                continue;
            for (const struct tw_edge *behind = edge->to->out; behind; behind = behind->next)
                tw_graph_mark_dependants(behind->to, mark);
        }
    return mark;
}

/* Returns true if a node need not wait for an unfinished predecessor, since its ordering domain keeps the order. */
static bool relies_on_its_domain(const struct tw_node *node)
{
    for (size_t i = 0; i < node->in_count; ++i)
        if (node->in[i].from && node->in[i].passed)
            return true;
    return false;
}

/* Makes a copy read what a use has written from another memory space. Returns false if it cannot. */
static bool redirect_locked(struct tw_task *task, const struct tw_use *use, size_t from)
{
    struct tw_copy_task *copy_task = (struct tw_copy_task *)task;
    if (!tw_is_copy(task) || !tw_box_covers(&use->box, &copy_task->plan.box)
        || tw_copy_must_stage(copy_task->plan.data, from, copy_task->plan.to))
        return false;
    const struct tw_copy_plan plan = {copy_task->plan.data, from, copy_task->plan.to, copy_task->plan.box};
    const void *domain = plan.from == plan.to ? NULL : tw_copy_domain(&plan);
    if (domain != task->node.domain && relies_on_its_domain(&task->node))
        return false;
    copy_task->plan = plan;
    task->node.domain = domain;
    return true;
}

/* Redirects later tasks to where the contents are that the command wrote. Tasks that cannot use that place are
   cancelled. */
static void tell_locked(const struct tw_command *command, const struct tw_use *use, const struct move *move)
{
    const unsigned long mark = mark_behind_writers_locked(command, use, true);
    for (struct tw_edge *edge = command->body.node.out; edge; edge = edge->next) {
        struct tw_task *task = (struct tw_task *)edge->to;
        if (task->node.mark != mark && looks_there_locked(task, use, move->from)
            && !redirect_locked(task, use, move->to))
            tw_graph_cancel(&task->node, &move->failure->cause);
    }
}

/* Tells the fallbacks of later commands that a memory space has what a use has written, or has not. */
static void tell_standbys_locked(const struct tw_command *command, const struct tw_use *use, size_t space, bool holds)
{
    const unsigned long mark = mark_behind_writers_locked(command, use, !holds);
    for (const struct tw_edge *edge = command->body.node.out; edge; edge = edge->next) {
        const struct tw_command *later = ((const struct tw_task *)edge->to)->command;
        struct tw_fallback *fallback = later->fallback;
        for (size_t i = 0; fallback && edge->to->mark != mark && i < later->use_count; ++i)
            if (meet(&later->uses[i], use))
                fallback->held[i * fallback->space_count + space] =
                    holds && tw_box_covers(&use->box, &later->uses[i].box);
    }
}

static void count_piece(const struct tw_box *piece, void *user)
{
    (void)piece;
    ++((struct move *)user)->pieces;
}

static void move_piece(const struct tw_box *piece, void *user)
{
    const struct move *move = user;
    struct tw_allocation *allocations = move->data->allocations;
    const struct tw_box *part = tw_box_covers(piece, &move->data->whole) ? NULL : piece;
    tw_forget_box(move->data, piece, move->from);
    tw_apply_copy(move->data, piece, move->to);
    tw_graph_lose(&allocations[move->from].resource, part, &move->failure->cause);
    tw_graph_lose(&allocations[move->to].resource, part, NULL);
}

/* Takes the command's own accesses out of a list of those to parts of a buffer: the others are later ones. */
static struct tw_box_node *without_own(const struct tw_command *command, struct tw_box_node *found)
{
    struct tw_box_node **link = &found;
    while (*link)
        if (((const struct tw_graph_access *)(*link)->owner)->node == &command->body.node)
            *link = (*link)->found;
        else
            link = &(*link)->found;
    return found;
}

/* Marks what the command wrote as being where it ran, but for what later commands write. Returns false if memory is
   exhausted. */
static bool move_locked(const struct tw_command *command, const struct tw_use *use, struct move *move)
{
    struct tw_data *data = use->data;
    const struct tw_box_node written = tw_box_node(&use->box, &data->whole);
    const struct tw_box_node *later = without_own(command, tw_box_tree_find(data->contents.part_writers, &written));
    tw_box_visit_rest(&use->box, &data->whole, later, 0, count_piece, move);
    for (size_t space = 0; space < data->space_count; ++space)
        move->pieces += data->allocations[space].parts.count;
    if ((later || use->is_part) && !tw_box_reserve(&data->reserve, 2 * TW_BOX_PIECES * move->pieces))
        return false;
    tw_box_visit_rest(&use->box, &data->whole, later, 0, move_piece, move);
    return true;
}

/* Returns true if no later command writes all that a use has written: if one does, that decides where the contents will
   be. */
static bool is_last_locked(const struct tw_command *command, const struct tw_use *use)
{
    const struct tw_node *writer = use->data->contents.writer;
    return writer == &command->body.node || (use->is_part && !writer);
}

void tw_fallback_stays_locked(const struct tw_command *command, const struct tw_use *use, tw_status status)
{
    struct tw_failure *failure = tw_command_failure_locked(command, status);
    struct move move = {.data = use->data,
                        .from = tw_data_space(use->data, command->fallback->first_space),
                        .to = tw_data_space(use->data, command->device->space),
                        .failure = failure};
    tell_locked(command, use, &move);
    tell_standbys_locked(command, use, move.from, false);
    tell_standbys_locked(command, use, move.to, true);
    if (is_last_locked(command, use) && !move_locked(command, use, &move))
        tw_graph_lose(&use->data->contents, use->is_part ? &use->box : NULL, &failure->cause);
    tw_cause_release(&failure->cause);
}
