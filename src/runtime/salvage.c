/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that fail, or of whose elements some are lost, run for those who wait for them (salvage.h). Plans no
   copy, and chooses a source only among those that the plan could have had.

   What it cannot mend is a kernel that a device's stream has run behind a copy which then failed: the kernel is cancelled,
   though the copy's contents may be elsewhere. The kernel has run, with wrong contents. To run it again, what it has
   overwritten would have to be there, and what the stream has run behind the kernel, which may be any number of kernels on
   several streams, had to be undone too, also where it has overwritten the kernel's inputs: those no longer wait. Only a
   chain of kernels that discard all that they write could run again; but a copy that a device has begun fails, as far as
   drivers are known, only with the device. */
#include "salvage.h"

#include <stdlib.h>

#include "allocation.h"
#include "base/memory.h"
#include "ready.h"

/* A box that is lost, and why. */
struct lost_box {
    struct tw_box box;
    struct tw_cause *cause; /* counted */
};

/* What is left of a copy. */
struct tw_salvage {
    struct tw_box *boxes; /* to copy; disjoint */
    size_t count, room;
    struct lost_box *lost;
    size_t lost_count, lost_room;
};

static void free_salvage(struct tw_salvage *salvage)
{
    for (size_t i = 0; i < salvage->lost_count; ++i)
        tw_cause_release(salvage->lost[i].cause);
    free(salvage->lost);
    free(salvage->boxes);
    free(salvage);
}

static bool add_box(struct tw_salvage *salvage, const struct tw_box *box)
{
    struct tw_box *boxes = tw_list_with_room(salvage->boxes, salvage->count, &salvage->room, sizeof *boxes);
    if (!boxes)
        return false;
    salvage->boxes = boxes;
    boxes[salvage->count++] = *box;
    return true;
}

/* Takes a lost box out of those to copy. Returns false if memory is exhausted. */
static bool take_out(const struct tw_box *lost, struct tw_cause *cause, void *user)
{
    struct tw_salvage *salvage = user;
    struct lost_box *all =
        tw_list_with_room(salvage->lost, salvage->lost_count, &salvage->lost_room, sizeof *salvage->lost);
    if (!all)
        return false;
    salvage->lost = all;
    all[salvage->lost_count++] = (struct lost_box){*lost, cause};
    tw_cause_retain(cause);
    for (size_t i = salvage->count; i-- > 0;) {
        struct tw_box pieces[TW_BOX_PIECES];
        if (!tw_box_overlaps(&salvage->boxes[i], lost))
            continue;
        const size_t count = tw_box_subtract(&salvage->boxes[i], lost, pieces);
        salvage->boxes[i] = salvage->boxes[--salvage->count];
        for (size_t piece = 0; piece < count; ++piece)
            if (!add_box(salvage, &pieces[piece]))
                return false;
    }
    return true;
}

/* Finds out what of a copy's box is not lost. Returns NULL if memory is exhausted. */
static struct tw_salvage *find_rest_locked(const struct tw_copy_plan *plan)
{
    struct tw_salvage *salvage = calloc(1, sizeof *salvage);
    if (!salvage)
        return NULL;
    if (add_box(salvage, &plan->box) && tw_graph_visit_lost(&plan->data->contents, &plan->box, take_out, salvage)
        && tw_graph_visit_lost(&plan->data->allocations[plan->from].resource, &plan->box, take_out, salvage))
        return salvage;
    free_salvage(salvage);
    return NULL;
}

/* Returns true if a task that can still run needs a copy, and not for the copy's own command. What runs behind it on a
   device's stream has run; copies can run again. */
static bool is_needed(const struct tw_task *copy)
{
    for (const struct tw_edge *edge = copy->node.out; edge; edge = edge->next) {
        const struct tw_task *task = (const struct tw_task *)edge->to;
        if (!edge->data || (task->node.cancel_cause && !tw_is_copy(task)))
            continue;
        if (tw_is_copy(task) && task->command == copy->command) {
            if (is_needed(task)) /* the second half of a way through the host */
                return true;
        } else if (task->command != copy->command && (!edge->passed || tw_is_copy(task))) {
            return true;
        }
    }
    return false;
}

/* Lets a copy that has run again, and failed, read from another memory space that had the contents when it was planned. Their
   later writers wait for the copy, since it reads the contents, unless a device's stream has let them pass. */
static bool redirect_locked(struct tw_copy_task *copy)
{
    const struct tw_copy_plan *plan = &copy->plan;
    for (const struct tw_edge *edge = copy->task.node.out; edge; edge = edge->next)
        if (edge->passed)
            return false;
    if (plan->data->fell_back || plan->data->chunks)
        return false;
    if (plan->from < 64)
        copy->holding &= ~(UINT64_C(1) << plan->from); /* each is tried once */
    for (size_t space = 0; space < 64 && space < plan->data->space_count; ++space)
        if (copy->holding >> space & 1 && space != plan->to && !tw_copy_must_stage(plan->data, space, plan->to)
            && tw_allocation_is_settled(plan->data, &plan->box, space)
            && atomic_load(&plan->data->allocations[space].address)) {
            copy->plan.from = space;
            return true;
        }
    return false;
}

/* Lets a copy run once more. */
static void run_again_locked(struct tw_task *task)
{
    tw_graph_retry(&task->node);
    if (task->failure) {
        tw_cause_release(&task->failure->cause);
        task->failure = NULL;
    }
    tw_schedule_locked(task);
}

/* Cancels what a device's stream has run too early. Copies among that run again, too. */
static void cancel_passed_locked(const struct tw_task *task, struct tw_failure *failure)
{
    for (const struct tw_edge *edge = task->node.out; edge; edge = edge->next) {
        struct tw_task *other = (struct tw_task *)edge->to;
        if (!edge->data || !edge->passed)
            continue;
        if (tw_is_copy(other))
            ((struct tw_copy_task *)other)->behind = true;
        tw_graph_cancel(&other->node, &failure->cause);
    }
}

/* Cancels the dependants that need a lost box, and the body of the copy's own command. */
static void cancel_locked(struct tw_copy_task *copy, struct tw_failure *failure)
{
    const struct tw_salvage *salvage = copy->salvage;
    const struct tw_resource *to = &copy->plan.data->allocations[copy->plan.to].resource;
    struct tw_node *body = &copy->task.command->body.node;
    for (size_t i = 0; i < salvage->lost_count; ++i)
        tw_graph_cancel_part(&copy->task.node, to, &salvage->lost[i].box, salvage->lost[i].cause);
    if (!body->finished)
        tw_graph_cancel(body, &failure->cause);
}

enum tw_salvaged tw_salvage_locked(struct tw_copy_task *copy, struct tw_failure *failure, bool cancelled)
{
    struct tw_task *task = &copy->task;
    if (!is_needed(task) || (copy->salvage && (cancelled || !redirect_locked(copy))))
        return TW_SALVAGE_NOTHING;
    if (copy->salvage) { /* from there once is enough: then the others' own copy has failed, too */
        run_again_locked(task);
        return TW_SALVAGE_RUNS;
    }
    struct tw_salvage *salvage = find_rest_locked(&copy->plan);
    if (salvage && (!salvage->count || (cancelled && !salvage->lost_count && !copy->behind))) {
        free_salvage(salvage); /* all is lost, or another reason has cancelled it */
        salvage = NULL;
    }
    if (!salvage)
        return TW_SALVAGE_NOTHING;
    copy->salvage = salvage;
    cancel_locked(copy, failure);
    if (copy->copied && !copy->behind)
        return TW_SALVAGE_ENDS;
    cancel_passed_locked(task, failure);
    run_again_locked(task);
    return TW_SALVAGE_RUNS;
}

tw_status tw_salvage_run(const struct tw_copy_task *copy)
{
    const struct tw_salvage *salvage = copy->salvage;
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < salvage->count && status == TW_SUCCESS; ++i) {
        struct tw_copy_plan plan = copy->plan;
        plan.box = salvage->boxes[i];
        const struct tw_backend_copy request = tw_copy_request(&plan);
        status = (request.to ? request.to : request.from)->backend->memory->copy(&request);
    }
    return status;
}

void tw_salvage_end_locked(struct tw_copy_task *copy, const struct tw_failure *failure)
{
    struct tw_salvage *salvage = copy->salvage;
    struct tw_resource *to = &copy->plan.data->allocations[copy->plan.to].resource;
    for (size_t i = 0; i < salvage->lost_count && !failure; ++i)
        tw_graph_lose(to, &salvage->lost[i].box, salvage->lost[i].cause);
    free_salvage(salvage);
    copy->salvage = NULL;
}
