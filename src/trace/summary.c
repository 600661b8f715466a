/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TW_SUMMARY: counts what it is told, and prints it at the end of the program (docs/tracing.md).
 *
 * The idle time of a device is what lies between its kernels. Each gap is counted for what the kernel behind it waited for
 * last: its submission, host tasks and host accessors, copies, or neither. report.c says what all of that means.
 */
#define _GNU_SOURCE
#include "summary.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/tool.h"
#include "summary_data.h"
#include "summary_report.h"

#define TASKS 65536u /* a power of two */
#define HOST_TASKS 4u

/* What has to be known of a task until the body of its group has ended. */
struct known_task {
    uint64_t id;                         /* 0: none */
    uint64_t submit_ns, recording_ns;    /* of a body: when its group was submitted, and how long it was recorded */
    uint64_t copy_start_ns, copy_end_ns; /* of a body: the transfers of its group; 0: none */
    uint64_t end_ns;                     /* 0: not ended */
    uint64_t before[HOST_TASKS];         /* of a body: tasks of the host that it waited for; 0: none */
    bool is_host;                        /* a host task, a host access or a user event */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct known_task *tasks; /* TASKS, by number; under the mutex, as all below */
static struct tw_summary summary;

static struct known_task *find(uint64_t id)
{
    struct known_task *task = &tasks[id % TASKS];
    return task->id == id ? task : NULL;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Returns the row of a name in a table of `most` rows, of which the last one is for all that have no room. */
static struct tw_summary_row *row_of(struct tw_summary_row *rows, size_t most, const char *name, int device)
{
    size_t i = 0;
    while (i < most - 1 && rows[i].name[0] && (rows[i].device != device || strcmp(rows[i].name, name) != 0))
        ++i;
    if (!rows[i].name[0]) {
        rows[i].device = i < most - 1 ? device : -1;
        strncpy(rows[i].name, i < most - 1 ? name : "(others)", sizeof rows[i].name - 1);
    }
    return &rows[i];
}

static void add(struct tw_summary_row *row, uint64_t ns, uint64_t bytes)
{
    ++row->count;
    row->total_ns += ns;
    row->bytes += bytes;
    row->longest_ns = ns > row->longest_ns ? ns : row->longest_ns;
}

static struct tw_summary_device *device_of(int number)
{
    return &summary.devices[number < 0 ? 0 : number < TW_SUMMARY_DEVICES ? number : TW_SUMMARY_DEVICES - 1];
}

static struct tw_summary_buffer *buffer_of(uint64_t number)
{
    struct tw_summary_buffer *buffer = &summary.buffers[number % TW_SUMMARY_BUFFERS];
    if (!buffer->number)
        buffer->number = number;
    return buffer->number == number ? buffer : NULL;
}

/* ---- submission -------------------------------------------------------------------------------------------------- */

static void device(const tw_tool_device *told, void *user)
{
    (void)user;
    pthread_mutex_lock(&mutex);
    struct tw_summary_device *device = device_of(told->number);
    strncpy(device->name, told->name, sizeof device->name - 1);
    pthread_mutex_unlock(&mutex);
}

static bool is_of_host(tw_tool_task_kind kind)
{
    return kind == TW_TOOL_HOST_TASK || kind == TW_TOOL_HOST_ACCESS || kind == TW_TOOL_USER_EVENT;
}

static void note_buffer(const tw_tool_access *access, const tw_tool_task *body)
{
    struct tw_summary_buffer *buffer = buffer_of(access->buffer);
    if (!buffer)
        return;
    buffer->bytes = access->range[0] * access->range[1] * access->range[2] * access->element_bytes;
    if (!buffer->file) {
        buffer->file = body->file;
        buffer->line = body->line;
    }
    if (access->name)
        strncpy(buffer->name, access->name, sizeof buffer->name - 1);
}

static void submitted(const tw_tool_submission *told, void *user)
{
    (void)user;
    pthread_mutex_lock(&mutex);
    struct known_task *body = &tasks[told->body->id % TASKS];
    *body = (struct known_task){.id = told->body->id,
                                .submit_ns = told->submit_ns,
                                .recording_ns = told->begin_ns ? told->submit_ns - told->begin_ns : 0,
                                .is_host = is_of_host(told->body->kind)};
    size_t count = 0;
    for (size_t i = 0; i < told->dependency_count && count < HOST_TASKS; ++i) {
        const struct known_task *before = find(told->dependencies[i].before);
        if (told->dependencies[i].task == body->id && before && before->is_host)
            body->before[count++] = before->id;
    }
    for (size_t i = 0; i < told->access_count; ++i)
        note_buffer(&told->accesses[i], told->body);
    if (!summary.first_ns)
        summary.first_ns = told->begin_ns ? told->begin_ns : told->submit_ns;
    ++summary.groups;
    pthread_mutex_unlock(&mutex);
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

/* Counts a part of a gap, from `*at` to `until`, and goes on to there. */
static void count_until(uint64_t *idle_ns, uint64_t *at, uint64_t until, uint64_t end)
{
    until = until < end ? until : end;
    if (until <= *at)
        return;
    *idle_ns += until - *at;
    *at = until;
}

/* Counts the time that a device was idle before a kernel. */
static void count_gap(struct tw_summary_device *device, const tw_tool_task *kernel, const struct known_task *known)
{
    uint64_t at = device->busy_until_ns ? device->busy_until_ns : summary.first_ns, host_ns = 0;
    const uint64_t end = kernel->start_ns;
    if (known) {
        for (size_t i = 0; i < HOST_TASKS && known->before[i]; ++i) {
            const struct known_task *before = find(known->before[i]);
            host_ns = before && before->end_ns > host_ns ? before->end_ns : host_ns;
        }
        count_until(&device->idle_ns[TW_IDLE_UNSUBMITTED], &at, known->submit_ns, end);
        count_until(&device->idle_ns[TW_IDLE_HOST], &at, host_ns, end);
        count_until(&device->idle_ns[TW_IDLE_OTHER], &at, known->copy_start_ns, end);
        count_until(&device->idle_ns[TW_IDLE_COPIES], &at, known->copy_end_ns, end);
    }
    count_until(&device->idle_ns[TW_IDLE_OTHER], &at, end, end);
}

static void end_kernel(const tw_tool_task *task, const struct known_task *known)
{
    struct tw_summary_device *device = device_of(task->device);
    struct tw_summary_row *row = row_of(summary.kernels, TW_SUMMARY_ROWS, task->name, task->device);
    count_gap(device, task, known);
    add(row, task->end_ns - task->start_ns, 0);
    row->recording_ns += known ? known->recording_ns : 0;
    row->slow = row->slow ? row->slow : task->slow;
    const uint64_t start = task->start_ns > device->busy_until_ns ? task->start_ns : device->busy_until_ns;
    if (task->end_ns > start)
        device->busy_ns += task->end_ns - start;
    if (task->end_ns > device->busy_until_ns)
        device->busy_until_ns = task->end_ns;
}

static void end_copy(const tw_tool_task *task)
{
    const bool is_within = task->from == task->to;
    const int device = task->to < 0 ? task->from : task->to;
    struct tw_summary_device *of = device_of(device);
    add(&of->copies[is_within        ? TW_COPY_WITHIN
                    : task->from < 0 ? TW_COPY_FROM_HOST
                    : task->to < 0   ? TW_COPY_TO_HOST
                                     : TW_COPY_FROM_DEVICE],
        task->end_ns - task->start_ns, task->bytes);
    struct tw_summary_buffer *buffer = task->kind == TW_TOOL_TRANSFER ? buffer_of(task->buffer) : NULL;
    if (buffer && task->from < 0) {
        ++buffer->to_devices;
        buffer->moved_bytes += task->bytes;
    } else if (buffer && task->to < 0) {
        ++buffer->to_host;
        buffer->moved_bytes += task->bytes;
    }
    struct known_task *body = find(task->group);
    if (!body || task->kind != TW_TOOL_TRANSFER)
        return;
    if (!body->copy_start_ns || task->start_ns < body->copy_start_ns)
        body->copy_start_ns = task->start_ns;
    if (task->end_ns > body->copy_end_ns)
        body->copy_end_ns = task->end_ns;
}

static void ended(const tw_tool_task *task, void *user)
{
    (void)user;
    pthread_mutex_lock(&mutex);
    struct known_task *known = find(task->id);
    if (known)
        known->end_ns = task->end_ns;
    if (task->status != TW_SUCCESS)
        ++*(task->status == TW_ERROR_CANCELLED ? &summary.cancelled : &summary.failed);
    else if (task->kind == TW_TOOL_KERNEL || task->kind == TW_TOOL_GRAPH || task->kind == TW_TOOL_NATIVE_TASK)
        end_kernel(task, known);
    else if (task->kind == TW_TOOL_TRANSFER || task->kind == TW_TOOL_COPY || task->kind == TW_TOOL_FILL)
        end_copy(task);
    else if (task->kind == TW_TOOL_HOST_TASK)
        add(&summary.host_tasks, task->end_ns - task->start_ns, 0);
    if (task->end_ns > summary.last_ns)
        summary.last_ns = task->end_ns;
    pthread_mutex_unlock(&mutex);
}

static void wait_ended(const tw_tool_wait *wait, void *user)
{
    (void)user;
    pthread_mutex_lock(&mutex);
    add(row_of(summary.waits, TW_SUMMARY_ROWS, wait->name, 0), wait->end_ns - wait->begin_ns, 0);
    pthread_mutex_unlock(&mutex);
}

static void memory(const tw_tool_memory *memory, void *user)
{
    (void)user;
    if (memory->kind != TW_TOOL_EVICT)
        return;
    pthread_mutex_lock(&mutex);
    ++device_of(memory->device)->evictions;
    device_of(memory->device)->evicted_bytes += memory->bytes;
    pthread_mutex_unlock(&mutex);
}

static void finished(void *user)
{
    (void)user;
    pthread_mutex_lock(&mutex);
    tw_summary_print(&summary);
    pthread_mutex_unlock(&mutex);
}

void tw_summary_start(void)
{
    static const tw_tool tool = {.device = device,
                                 .submitted = submitted,
                                 .ended = ended,
                                 .wait_ended = wait_ended,
                                 .memory = memory,
                                 .finished = finished};
    tasks = calloc(TASKS, sizeof *tasks);
    if (!tasks || !tw_tool_add(&tool))
        tw_warn("TW_SUMMARY: no memory for the summary; there is none");
}
