/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs in words: a line for each step, with the names of the functions that it calls. */
#include "random.h"

#include <stdio.h>
#include <string.h>

#define KERNEL_NAME(name) #name,
const char *const kernel_names[KERNEL_COUNT] = {KERNEL_LIST(KERNEL_NAME)};

static const char *const buffer_kinds[] = {"over",         "over_const",    "plain",      "copy",       "storage",
                                           "storage_host", "async_storage", "image_over", "image_copy", "sub-buffer"};
static const char *const modes[] = {"?",     "read", "write", "read_write", "discard_write", "discard_read_write",
                                    "atomic"};
static const char *const operations[] = {"allocation", "copy", "launch", "kernel"};
static const char *const ways[] = {"",
                                   ", submitted by a block",
                                   ", recorded by a function",
                                   ", discarded",
                                   ", and a second kernel",
                                   ", and writing to const memory"};

static void print_group(const struct group_step *group, char *text, size_t bytes)
{
    char event[24] = "", fallback[24] = "";
    if (group->event != NONE)
        snprintf(event, sizeof event, " -> event %u", group->event);
    if (group->fallback != NONE)
        snprintf(fallback, sizeof fallback, " or %u", group->fallback);
    snprintf(
        text, bytes,
        "queue %u%s: %s(out: buffer %u %s%s, in: %u%s, in2: %u, %u dims, first %u, count %u, local %u, seed %#x%s)%s%s",
        group->queue, fallback, kernel_names[group->kernel], group->out, modes[group->mode],
        group->twice ? " and read" : "", group->in, group->constant ? " constant" : "", group->in2,
        1u + group->dims % 3, group->first, group->count, group->local, group->seed, group->keep ? ", keep" : "",
        ways[group->way], event);
    size_t used = strlen(text);
    if (group->depends != NONE)
        used += (size_t)snprintf(text + used, bytes - used, ", after event %u", group->depends);
    if (group->user != NONE)
        used += (size_t)snprintf(text + used, bytes - used, ", after user event %u", group->user);
    if (group->kernel == MAPPED)
        snprintf(text + used, bytes - used, ", mappers %#x, %#x, %#x and parts %#x, %#x, %#x %s", group->map[0],
                 group->map[1], group->map[2], group->part[0], group->part[1], group->part[2], modes[group->mode2]);
    else if (group->kernel == PARTS || group->kernel == HOST_TASK)
        snprintf(text + used, bytes - used, ", parts %#x, %#x and %#x %s", group->part[0], group->part[1],
                 group->part[2], modes[group->mode2]);
    else if (group->kernel == FILL || group->kernel == COPY_PART || group->kernel == COPY_FROM
             || only_reads(group->kernel))
        snprintf(text + used, bytes - used, ", part %#x", group->part[0]);
}

static void print_buffer(const struct buffer_step *buffer, char *text, size_t bytes)
{
    snprintf(text, bytes, "buffer %u = create %s, %u x 4 bytes, %u dims of (%u, %u, %u)", buffer->slot,
             buffer_kinds[buffer->kind], buffer->words, buffer->dims, buffer->size[0], buffer->size[1],
             buffer->size[2]);
    const size_t used = strlen(text);
    if (buffer->kind == SUB)
        snprintf(text + used, bytes - used, ", of buffer %u, part %#x", buffer->of, buffer->seed);
}

static void print_access(const struct access_step *access, char *text, size_t bytes)
{
    char hold[40] = ", released at once";
    if (access->hold != NONE)
        snprintf(hold, sizeof hold, ", held as %u", access->hold);
    snprintf(text, bytes, "host access to buffer %u, part %#x, %s, first %u, count %u%s", access->buffer, access->part,
             modes[access->mode], access->first, access->count, hold);
}

/* The form of a step that names slots: with its slot, the other one, and the number. */
static const char *const forms[STEP_COUNT] = {
    [BUFFER_DESTROY] = "destroy buffer %1$u",
    [BUFFER_RETAIN] = "retain buffer %1$u",
    [HOST_RELEASE] = "release host accessor %1$u",
    [EVENT_WAIT] = "wait for event %1$u, moment %3$u",
    [EVENT_WAIT_ALL] = "wait for all events",
    [EVENT_LIST] = "wait list of event %1$u",
    [EVENT_RELEASE] = "release event %1$u",
    [QUEUE_CREATE] = "queue %1$u = create on device %3$u (from 16 on: on several), handler %2$u (+ 4: in order)",
    [QUEUE_DIVIDE] = "divide queue %1$u as %3$u says",
    [QUEUE_DESTROY] = "destroy queue %1$u",
    [QUEUE_WAIT] = "wait for queue %1$u",
    [QUEUE_WAIT_AND_THROW] = "wait for queue %1$u and throw",
    [QUEUE_THROW] = "throw errors of queue %1$u",
    [CONTEXT_CREATE] = "create context of device %3$u",
    [CONTEXT_DESTROY] = "destroy context",
    [RECORD_BEGIN] = "begin recording on queue %1$u",
    [RECORD_END] = "end recording on queue %1$u -> graph %2$u",
    [GRAPH_SUBMIT] = "submit graph %1$u to queue %2$u, %3$u times",
    [GRAPH_DESTROY] = "destroy graph %1$u",
    [COUNT] = "queue %2$u: add %3$u to counter %1$u",
    [COUNTER_READ] = "read counter %1$u",
    [TALLY] = "add %3$u to the tally, on the queue that is in order",
    [USER_CREATE] = "user event %1$u = create, ends in way %3$u",
    [USER_COMPLETE] = "complete user event %1$u, by another thread: %2$u",
    [LINK] = "queue %2$u: link of chain %1$u, term %3$u",
    [CHAIN_CHECK] = "check chain %1$u, which begins anew with %3$u",
    [FAULT] = "make %4$s %3$u of device %2$u fail",
    [DELAY] = "delay each %4$s of device %2$u by %3$u ns",
    [RESET] = "reset device %2$u",
};

void print_step(const struct step *step, char *text, size_t bytes)
{
    const int used = snprintf(text, bytes, "thread %u: ", step->thread);
    text += used;
    bytes -= (size_t)used;
    switch (step->kind) {
    case GROUP:
        print_group(&step->group, text, bytes);
        break;
    case BUFFER_CREATE:
        print_buffer(&step->buffer, text, bytes);
        break;
    case HOST_ACCESS:
        print_access(&step->access, text, bytes);
        break;
    case BUFFER_READ:
    case BUFFER_WRITE:
        snprintf(text, bytes, "%s buffer %u, part %#x", step->kind == BUFFER_READ ? "read" : "write",
                 step->access.buffer, step->access.part);
        break;
    default: {
        const char *operation = step->kind == FAULT || step->kind == DELAY ? operations[step->slot.slot % 4] : "";
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, bytes, forms[step->kind], (unsigned)step->slot.slot, (unsigned)step->slot.other, step->slot.n,
                 operation);
#pragma clang diagnostic pop
    }
    }
}

void print_program(const struct program *program)
{
    char text[320];
    printf("program %llu, %u thread%s%s:\n", (unsigned long long)program->seed, program->threads,
           program->threads > 1 ? "s" : "", program->faults ? ", with faults" : "");
    for (unsigned i = 0; i < program->steps; ++i) {
        print_step(&program->step[i], text, sizeof text);
        printf("%4u  %s\n", i, text);
    }
    fflush(stdout);
}
