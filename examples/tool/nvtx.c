/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool: NVTX ranges with the names of kernels, copies, host tasks and waits, for Nsight Systems and other profilers. A
 * range is what the thread does: it runs a task, or enqueues it on the device, or waits. Needs the headers of NVTX 3 to
 * compile, which come with CUDA, and nothing to run: without a profiler each range costs a comparison.
 *
 *     clang -shared -fPIC -O2 nvtx.c -o nvtx.so -I/usr/local/cuda/include $(pkg-config --cflags-only-I teamwork)
 *     TW_TOOL=./nvtx.so nsys profile ./my_app
 */
#include <stdio.h>

#include <nvtx3/nvToolsExt.h>

#include <teamwork/tool.h>

static nvtxDomainHandle_t domain;
static _Thread_local uint64_t enqueues; /* the task that this thread enqueues; 0: none */

static void push(const char *name, uint64_t group)
{
    const nvtxEventAttributes_t attributes = {.version = NVTX_VERSION,
                                              .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                              .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                              .message.ascii = name,
                                              .payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
                                              .payload.ullValue = group};
    nvtxDomainRangePushEx(domain, &attributes);
}

/* Returns true for tasks that one thread runs. */
static bool has_thread(const tw_tool_task *task)
{
    return task->kind != TW_TOOL_HOST_ACCESS && task->kind != TW_TOOL_USER_EVENT;
}

static void began(const tw_tool_task *task, void *user)
{
    (void)user;
    if (!has_thread(task))
        return;
    if (task->in_stream)
        enqueues = task->id;
    push(task->name, task->group);
}

static void enqueued(const tw_tool_task *task, void *user)
{
    (void)task;
    (void)user;
    nvtxDomainRangePop(domain);
    enqueues = 0;
}

static void ended(const tw_tool_task *task, void *user)
{
    (void)user;
    if (!has_thread(task) || task->status == TW_ERROR_CANCELLED)
        return;
    if (task->in_stream && enqueues != task->id) /* its range is over; else it could not be enqueued */
        return;
    enqueues = 0;
    nvtxDomainRangePop(domain);
}

static void wait_began(const tw_tool_wait *wait, void *user)
{
    char name[128];
    (void)user;
    snprintf(name, sizeof name, "wait for %s", wait->name);
    push(name, wait->group);
}

static void wait_ended(const tw_tool_wait *wait, void *user)
{
    (void)wait;
    (void)user;
    nvtxDomainRangePop(domain);
}

int tw_tool_start(const tw_tool_info *info, tw_tool *tool)
{
    if (info->version != TW_TOOL_VERSION)
        return 1;
    domain = nvtxDomainCreateA("Teamwork");
    tool->began = began;
    tool->enqueued = enqueued;
    tool->ended = ended;
    tool->wait_began = wait_began;
    tool->wait_ended = wait_ended;
    return 0;
}
