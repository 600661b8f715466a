/* SPDX-License-Identifier: Apache-2.0 */
/** The command group, and its functions for the other objects that a group accesses. */
#ifndef TEAMWORK_OBJECTS_COMMAND_GROUP_H
#define TEAMWORK_OBJECTS_COMMAND_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/command_group.h>
#include <teamwork/range_mapper.h>

#include "base/detail.h"
#include "base/memory.h"
#include "graph/coherence.h"
#include "objects/queues/queue.h"
#include "runtime/step.h"

struct tw_divided;
struct tw_fallback;
struct tw_launch_request;
struct tw_pin;

#define TW_FEW_USES 8
#define TW_FEW_ARGS_BYTES TW_INTERNAL_INLINE_ARGS_BYTES

/* Events that a group depends on, each with a reference. */
struct tw_event_list {
    size_t count, capacity;
    tw_event *events[];
};

/* How a group of a queue over several devices records, while nobody knows which of them will run what: divided.c. */
struct tw_group_recorder {
    /* Notes an access to a box of a buffer, which has been checked. Returns what stands for the address of its first element
       until the group is divided; NULL if it is empty, or the group has failed. */
    void *(*access)(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box, tw_range range,
                    tw_access_mode mode, const tw_range_mapper *mapper);
    /* Notes what the kernel reduces into: an element, or an array. Returns likewise. */
    void *(*reduce)(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box, tw_range range,
                    bool keep, bool is_array);
    /* Notes the launch of the group's kernel, which is its first one. */
    void (*launch)(struct tw_command_group *group, const struct tw_launch_request *request, const void *block);
    /* Notes that the last access is of a sampled image. */
    void (*sample)(struct tw_command_group *group, const struct tw_backend_texture *texture);
    /* Makes it a group of the queue's first device, for a step that is not divided. Fails, as does the group, if it has
       accessors. */
    tw_status (*settle)(struct tw_command_group *group, const char *step);
};

/* What an algorithm has besides a launch, which is its group's own: algorithm.c. */
struct tw_algorithm {
    struct tw_buffer *scratch; /* temporary memory: the algorithm's handle of it; or NULL */
    size_t scratch_bytes;
    size_t count;                     /* number of `steps` */
    struct tw_command_group *steps[]; /* that are submitted in front of the group */
};

struct tw_command_group {
    struct tw_queue *queue;                   /* counted until the group is submitted */
    struct tw_device *device;                 /* where the accessors are: the queue's, or the host */
    tw_status status;                         /* the first error */
    char *detail;                             /* of the first error; NULL if there is none, or no memory for it */
    size_t use_count;                         /* number of `uses` */
    uint64_t seen;                            /* a bit for each buffer in `uses`, by a hash: buffers may share a bit */
    bool borrows;                             /* a buffer in `uses` is `lent` */
    bool has_parts;                           /* one of `uses` is of a part of its buffer */
    bool samples;                             /* one of `uses` is of a sampled image, ... */
    bool is_sampling;                         /* ... and so is the one that is being added */
    bool on_host;                             /* its accessors are on the host: tw_update_host(), or TW_HOST */
    const struct tw_group_recorder *recorder; /* on a queue over several devices, until it is settled; else NULL */
    struct tw_divided *divided;               /* what that has recorded; or NULL */
    struct tw_algorithm *algorithm;           /* what is in front of its launch (algorithm.h); or NULL */
    const void *counted;                      /* tw_count_on_device(); or NULL */
    bool has_host_task, has_native_task;
    const struct tw_task_kind *body;     /* of a step that a higher floor makes; or NULL */
    bool is_part;                        /* its launch is a part of a larger one: */
    size_t part_first[3], part_count[3]; /* tw_command_group_set_part() */
    bool accessed_nothing;               /* an accessor gave NULL, since its buffer or part is empty */
    bool only_moves; /* its steps so far are updates, or prefetches: they consist of accesses alone */
    const struct tw_internal_kernel *kernel;
    const char *step;                      /* the name of the function that recorded a step; or NULL */
    size_t local_bytes;                    /* of all local accessors, and local_array_bytes */
    bool runs_together;                    /* tw_root_group_of() */
    size_t local_array_bytes, array_bytes; /* of arrays to reduce into: copies in local memory, and all */
    unsigned reduced_count;                /* of TW_REDUCE() and the like */
    bool replaces;                         /* ... some are of TW_REDUCE_INIT() and the like */
    struct tw_internal_bounds *bounds;     /* record of indices outside of the kernel's views; or NULL */
    struct tw_fallback *fallback;          /* the fallback of its command; or NULL */
    struct tw_event_list *events;          /* what it depends on; NULL: nothing */
    struct tw_pin *pins;                   /* of boxes of large buffers */
    unsigned char *args;                   /* of the kernel; or the step, NULL if it has nothing to run */
    size_t args_bytes;
    /* The members below are not cleared when a group begins. */
    _Atomic(struct tw_command_group *) *spare; /* the queue's place for the group after submission */
    struct tw_memory memory;                   /* for its command; the block may be NULL */
    uint64_t began_ns;                         /* valid while tools are on: when it was begun */
    struct tw_internal_launch launch;          /* valid once there is a kernel */
    struct tw_use *uses;                       /* few_uses or allocated; counted until the group is submitted */
    size_t use_capacity;
    struct tw_use few_uses[TW_FEW_USES];
    _Alignas(max_align_t) unsigned char few_args[TW_FEW_ARGS_BYTES];
};

/* Sets the group's error to `status`, with the thread's tw_error_detail(), unless it has an error already. */
static inline void tw_command_group_fail(struct tw_command_group *group, tw_status status)
{
    if (group->status != TW_SUCCESS)
        return;
    const char *detail = tw_error_detail();
    const size_t bytes = strlen(detail) + 1;
    group->status = status;
    group->detail = malloc(bytes);
    if (group->detail)
        memcpy(group->detail, detail, bytes);
}
/* Returns the group's status, and repeats its error as the thread's tw_error_detail(). */
static inline tw_status tw_command_group_tell(const struct tw_command_group *group)
{
    if (group->status == TW_SUCCESS)
        return TW_SUCCESS;
    return tw_fail(group->status, "%s", group->detail ? group->detail : "no memory to say what is wrong");
}
/* Says where the copies of an array of `bytes` are that the group's kernel reduces into. */
void tw_command_group_place_array(struct tw_command_group *group, size_t bytes, struct tw_internal_array *array);
#define TW_NO_REDUCTION_ARRAY "a kernel reduces into arrays of 1 to %u elements, not of %zu"
/* Returns true if the group's kernel runs on host memory directly. */
bool tw_command_group_is_on_host(const struct tw_command_group *group);

/* Fails for a kernel or a step of a group that has accessors on the host: for "kernel ", its name and "", or for "",
   the name of the step's function and "()". */
tw_status tw_command_group_refuse_on_host(const char *kind, const char *name, const char *parentheses);

/* Makes the launch that is recorded next run `count` of its work-items from `first` on; work-groups if it has some. The kernel
   cannot tell: its ids and ranges are those of the whole. A single task has no parts. */
void tw_command_group_set_part(struct tw_command_group *group, const size_t first[3], const size_t count[3]);

/* For steps (teamwork/copy.h). `name` is that of the public function, a constant. */

/* Begins the group's step. Returns false if there is no group, it has failed, or it has a kernel or a step already. */
bool tw_command_group_begin_step(struct tw_command_group *group, const char *name);
/* The same for a copy or a fill of buffers, which a queue over several devices divides. */
bool tw_command_group_begin_divisible_step(struct tw_command_group *group, const char *name);
/* Begins a step that consists of accesses alone, to the group's device or to the host. The group may have such steps to
   the same place already. Returns false as tw_command_group_begin_step(), or, to the host, if the group has accessors. */
bool tw_command_group_begin_move(struct tw_command_group *group, const char *name, bool to_host);
/* Stores the box of `range` elements from `offset` on. Returns false, and the group fails, if the buffer cannot be
   accessed so. */
bool tw_command_group_box(struct tw_command_group *group, struct tw_buffer *buffer, tw_id offset, tw_range range,
                          tw_access_mode mode, struct tw_box *box);
/* Adds an access to a box, which may be empty. Returns false if the group fails. */
bool tw_command_group_access(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box,
                             tw_access_mode mode);
/* Adds an access to the box `accessed` for the kernel, whose pointer leads to the first element of `all`, around it. Returns
   that address; NULL if there is nothing to access, or the group fails. */
void *tw_command_group_access_within(struct tw_command_group *group, struct tw_buffer *root, const struct tw_box *all,
                                     const struct tw_box *accessed, tw_access_mode mode);
/* Let the accesses in between be those of sampled images: the group then refuses to write what they read. */
void tw_command_group_begin_sampling(struct tw_command_group *group);
void tw_command_group_end_sampling(struct tw_command_group *group);
/* Submits groups of the devices of a queue, or of the queue itself, as one submission: no other command comes between
   them. They depend on `before`, which the caller keeps; NULL: on none. Groups that were submitted are gone, and NULL. `event` as for tw_queue_submit();
   `events` receives one of each group, which is measured; NULL if not wanted. */
tw_status tw_command_groups_submit(struct tw_queue *queue, struct tw_command_group **groups, size_t count,
                                   struct tw_event_list *before, tw_event **event, tw_event **events, const char *file,
                                   int line);
/* Begins the group's host task. Returns false as tw_command_group_begin_step(), or if the group has accessors that are
   not on the host. */
bool tw_command_group_begin_host_task(struct tw_command_group *group, const char *name);
/* Begins the group's native task. Returns the device on which it works, or NULL as tw_command_group_begin_step(). */
struct tw_device *tw_command_group_begin_native_task(struct tw_command_group *group, const char *name);
/* Adds the arguments of a task, zeroed. Returns NULL, and the group fails, if memory is exhausted. */
void *tw_command_group_make_args(struct tw_command_group *group, size_t bytes, size_t more_bytes);
/* Adds the step to run, zeroed, with room for a pattern. Returns NULL, and the group fails, if memory is exhausted. */
struct tw_step *tw_command_group_make_step(struct tw_command_group *group, size_t pattern_bytes);

#endif
