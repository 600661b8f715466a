/* SPDX-License-Identifier: Apache-2.0 */
/* Copies from one device to another between the commands of a graph. */
#include "graph_copy.h"

/* Returns the device that copies. Shared memory of a device, which a buffer is over, has the space of the host. */
static struct tw_backend_device *device_of(const struct tw_backend_copy *request)
{
    return request->to ? request->to : request->from;
}

static tw_status execute(struct tw_task *task)
{
    const struct tw_backend_copy *request = &((const struct tw_graph_copy *)task)->request;
    return device_of(request)->backend->memory->copy(request);
}

static bool add_to_graph(struct tw_task *task, struct tw_backend_graph_node *node)
{
    node->copy = &((const struct tw_graph_copy *)task)->request;
    node->device = device_of(node->copy);
    return true;
}

const struct tw_task_kind tw_kind_graph_copy = {
    .moves_data = true,
    .execute = execute,
    .add_to_graph = add_to_graph,
};
