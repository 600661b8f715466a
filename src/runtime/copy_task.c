/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that bring a command's data to where it is needed. */
#include "copy_task.h"

#include "allocation.h"
#include "changes.h"
#include "observe_device.h"
#include "salvage.h"

const void *tw_copy_domain(const struct tw_copy_plan *plan)
{
    const struct tw_device *to = tw_memory_space_device(plan->to), *from = tw_memory_space_device(plan->from);
    if (!to || !from || to->backend->backend != from->backend->backend)
        return NULL;
    const struct tw_backend_async *async = to->backend->backend->async;
    return async && async->reaches(to->backend, from->backend) ? async : NULL;
}

static tw_status execute(struct tw_task *task)
{
    const struct tw_copy_task *copy = (const struct tw_copy_task *)task;
    const struct tw_copy_plan *plan = &copy->plan;
    if (plan->from == plan->to) /* a fallback has left the contents there */
        return TW_SUCCESS;
    if (copy->salvage)
        return tw_salvage_run(copy);
    const tw_status status = plan->data->changes ? tw_changes_check_copy(plan) : TW_SUCCESS;
    if (status != TW_SUCCESS)
        return status;
    const struct tw_backend_copy request = tw_copy_request(plan);
    return (request.to ? request.to : request.from)->backend->memory->copy(&request);
}

static tw_status enqueue(const struct tw_backend_async *async, struct tw_backend_stream *stream, struct tw_task *task)
{
    const struct tw_backend_copy request = tw_copy_request(&((const struct tw_copy_task *)task)->plan);
    return async->copy(stream, &request, &task->sequence);
}

static void describe(const struct tw_task *task, tw_tool_task *told)
{
    const struct tw_copy_plan *plan = &((const struct tw_copy_task *)task)->plan;
    told->buffer = plan->data->number;
    told->bytes = tw_box_count(&plan->box) * plan->data->element_bytes;
    told->from = tw_observed_space(plan->from);
    told->to = tw_observed_space(plan->to);
}

const struct tw_task_kind tw_kind_copy = {
    .tool_kind = TW_TOOL_TRANSFER,
    .name = "transfer",
    .stream = TW_STREAM_COPIES,
    .moves_data = true,
    .execute = execute,
    .enqueue = enqueue,
    .describe = describe,
};
