/* SPDX-License-Identifier: Apache-2.0 */
/* Commands: their memory, and their messages when they fail. submit.c submits them, run.c runs their tasks, and
   complete.c completes them. */
#define _GNU_SOURCE
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/detail.h"
#include "base/lock.h"
#include "fallback.h"

#define ARGS_ALIGNMENT 64u
#define SIZES_BYTES 72 /* for the text of three sizes */

/* The arrays behind a command in its block, used unless it has more accesses or edges than expected. */
static struct tw_graph_access *own_accesses(struct tw_command *command)
{
    return (struct tw_graph_access *)(command + 1);
}

static struct tw_edge *own_edges(struct tw_command *command)
{
    return (struct tw_edge *)(own_accesses(command) + command->access_room);
}

static struct tw_box_node *own_parts(struct tw_command *command)
{
    return (struct tw_box_node *)(own_edges(command) + command->access_room + 1);
}

struct tw_command *tw_command_create(const struct tw_command_object *object, struct tw_memory *memory, size_t use_count,
                                     size_t access_count, bool has_parts, size_t args_bytes)
{
    /* one block: the struct, accesses, an edge for each and one more, parts, uses, and the arguments, aligned for any
       type */
    const size_t access_bytes = access_count * (sizeof(struct tw_graph_access) + sizeof(struct tw_edge));
    const size_t parts_at = sizeof(struct tw_command) + access_bytes + sizeof(struct tw_edge);
    const size_t uses_at = parts_at + (has_parts ? access_count * sizeof(struct tw_box_node) : 0);
    const size_t args_at = uses_at + use_count * sizeof(struct tw_use);
    if (!tw_memory_suffices(memory, args_at + args_bytes + ARGS_ALIGNMENT - 1))
        return NULL;
    unsigned char *block = memory->block;
    struct tw_command *command = memory->block;
    memset(command, 0, offsetof(struct tw_command, launch));
    atomic_init(&command->references, 1);
    command->object = object;
    command->bytes = memory->bytes;
    command->access_room = access_count;
    command->body.node.accesses = own_accesses(command);
    command->edges = own_edges(command);
    command->uses = (struct tw_use *)(block + uses_at);
    if (has_parts)
        command->parts = own_parts(command);
    command->args = block + args_at;
    command->args += -(uintptr_t)command->args % ARGS_ALIGNMENT;
    command->body.command = command;
    for (unsigned phase = 0; phase < TW_PHASE_COUNT; ++phase)
        command->events[phase].phase = (unsigned char)phase;
    *memory = (struct tw_memory){.block = NULL};
    return command;
}

tw_status tw_command_make_edges(struct tw_command *command, size_t needed)
{
    if (needed <= command->access_room + 1)
        return TW_SUCCESS;
    struct tw_edge *edges = malloc(needed * sizeof *edges);
    if (!edges)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for %zu dependencies", needed);
    command->edges = edges;
    return TW_SUCCESS;
}

/* Frees what only some commands have. */
static __attribute__((noinline)) void free_extras_locked(struct tw_command *command)
{
    free(command->copies);
    if (command->parts != own_parts(command))
        free(command->parts);
    free(command->bounds);
    if (command->failure)
        tw_cause_release(&command->failure->cause);
    tw_fallback_free_locked(command->fallback);
}

void tw_command_release_locked(struct tw_command *command)
{
    /* while this thread holds the only reference, no other thread can make one */
    if (atomic_load_explicit(&command->references, memory_order_acquire) != 1
        && atomic_fetch_sub(&command->references, 1) != 1)
        return;
    if (command->body.node.accesses != own_accesses(command))
        free(command->body.node.accesses);
    if (command->edges != own_edges(command))
        free(command->edges);
    if (command->copies || (command->parts && command->parts != own_parts(command)) || command->bounds
        || command->failure || command->fallback)
        free_extras_locked(command);
    if (command->home)
        command->object->released_locked(command->home, (struct tw_memory){.block = command, .bytes = command->bytes});
    else
        free(command);
}

void tw_command_free(struct tw_task_queue *home, struct tw_memory memory)
{
    (void)home;
    free(memory.block);
}

void tw_command_release(struct tw_command *command)
{
    tw_lock();
    tw_command_release_locked(command);
    tw_unlock();
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

void tw_command_message_locked(const struct tw_command *command, char *message, size_t bytes)
{
    char description[TW_DESCRIPTION_BYTES];
    const char *kernel = command->kernel ? command->kernel->name : NULL, *text = tw_failure_message(command->failure);
    if (command->status == TW_ERROR_CANCELLED)
        snprintf(message, bytes, "not run: it depends on %s", tw_failure_describe(command->failure, description));
    else if (kernel && !tw_names_kernel(text, kernel))
        snprintf(message, bytes, "kernel %s: %s", kernel, text);
    else
        snprintf(message, bytes, "%s", text);
}

/* Writes sizes or indices, as in "4 x 10". Returns `text`. */
static const char *list_sizes(char text[SIZES_BYTES], const size_t sizes[3], unsigned dims, const char *between)
{
    size_t used = 0;
    for (unsigned d = 0; d < dims && used < SIZES_BYTES; ++d)
        used += (size_t)snprintf(text + used, SIZES_BYTES - used, "%s%zu", d ? between : "", sizes[d]);
    return text;
}

/* Reports which index was outside of a view. `kernel` is NULL for a host accessor's. */
static __attribute__((noinline, cold)) tw_status refuse_index(const struct tw_internal_bounds *bounds,
                                                              const char *kernel)
{
    const char *who = kernel ? "kernel " : "the program";
    char index[SIZES_BYTES] = "", range[SIZES_BYTES] = "";
    list_sizes(index, bounds->index, bounds->dims, ", ");
    list_sizes(range, bounds->range, bounds->range_dims, " x ");
    if (bounds->dims != bounds->range_dims)
        return tw_fail(TW_ERROR_OUT_OF_BOUNDS,
                       "%s%s used %u %s, (%s), for a view of %u %s, %s elements: give as many as it has dimensions",
                       who, kernel ? kernel : "", bounds->dims, bounds->dims == 1 ? "index" : "indices", index,
                       bounds->range_dims, bounds->range_dims == 1 ? "dimension" : "dimensions", range);
    return tw_fail(TW_ERROR_OUT_OF_BOUNDS, "%s%s used index %s%s%s of a view of %s elements", who, kernel ? kernel : "",
                   bounds->dims > 1 ? "(" : "", index, bounds->dims > 1 ? ")" : "", range);
}

tw_status tw_command_check_bounds(const struct tw_command *command)
{
    return command->bounds ? tw_bounds_check(command->bounds, command->kernel->name) : TW_SUCCESS;
}

tw_status tw_bounds_check(const struct tw_internal_bounds *bounds, const char *kernel)
{
    return __atomic_load_n(&bounds->violated, __ATOMIC_RELAXED) ? refuse_index(bounds, kernel) : TW_SUCCESS;
}

struct tw_failure *tw_command_failure_locked(const struct tw_command *command, tw_status status)
{
    const char *kernel = command->kernel ? command->kernel->name : NULL;
    return tw_failure_make_locked(status, command->body.kind->what, kernel, command->file, command->line);
}
