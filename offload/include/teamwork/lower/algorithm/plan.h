/* SPDX-License-Identifier: Apache-2.0 */
/** What an algorithm of <teamwork/algorithms.h> tells the library: its launches, and their temporary memory. */
#ifndef TEAMWORK_LOWER_ALGORITHM_PLAN_H
#define TEAMWORK_LOWER_ALGORITHM_PLAN_H

#include <teamwork/command_group.h>

TW_BEGIN_DECLS

/* Begins the block of each kernel of an algorithm. */
struct tw_internal_algorithm {
    size_t count;        /* of elements, at most */
    const void *counted; /* in the device's memory: their number, a size_t; or NULL */
    void *scratch;       /* temporary memory, for all launches of the algorithm; or NULL */
    size_t share;        /* elements of a work-group on a CPU */
    size_t pass;         /* of the stage that runs */
};

/* A launch. */
struct tw_internal_plan_stage {
    const struct tw_internal_kernel *kernel; /* hierarchical or nd_range, of one dimension */
    size_t groups, group_items;
    size_t pass;
};

enum { TW_INTERNAL_MOST_STAGES = 128 }; /* a merge sort has two for each doubling, of 63 at most */

struct tw_internal_plan {
    size_t scratch_bytes; /* temporary memory */
    size_t cleared_bytes; /* the first so many of it are 0 in the first launch */
    size_t count;         /* of launches */
    struct tw_internal_plan_stage stages[TW_INTERNAL_MOST_STAGES];
};

/* What a plan depends on. */
struct tw_internal_algorithm_device {
    bool is_gpu, runs_stages; /* launches of a plan are one, and each costs little */
    size_t units;             /* processors */
};

/* That of a group's queue. A group that is NULL or has failed has some. */
TW_API struct tw_internal_algorithm_device tw_internal_algorithm_device(const tw_command_group *group);

/* Records the launches of a plan, with a block that begins with `block`, whose members but `count` and `share` it
   sets. Errors are kept in the group. */
TW_API void tw_internal_algorithm_run(tw_command_group *group, const struct tw_internal_plan *plan,
                                      struct tw_internal_algorithm *block, size_t block_bytes);

/* Fail the group, before its algorithm is recorded, with TW_ERROR_INVALID_RANGE if `count` elements from an address on do
   not all lie in the buffer, or in the allocation, where they begin; and with TW_ERROR_INVALID_ARGUMENT if elements that
   are read lie where others are written. `name` is that of the argument. Addresses that the library does not know pass, and
   all where the device has the number of elements. */
TW_API void tw_internal_expect(tw_command_group *group, const char *name, const void *memory, size_t count,
                               size_t element_bytes);
TW_API void tw_internal_expect_apart(tw_command_group *group, const void *in, size_t count, const void *out,
                                     size_t out_count, size_t element_bytes);

/* Keeps TW_ERROR_INVALID_ARGUMENT in the group, unless it has failed, for arguments that an algorithm cannot take.
   `message` says which. */
TW_API void tw_internal_algorithm_refuse(tw_command_group *group, const char *message);

/* ---- how the library's header files plan ------------------------------------------------------------------------- */

static inline size_t tw_internal_divide_up(size_t count, size_t by)
{
    return count / by + (count % by != 0);
}

/* Where the next part of temporary memory may begin. */
static inline size_t tw_internal_round_up(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

static inline void tw_internal_begin_plan(struct tw_internal_plan *plan)
{
    plan->count = plan->scratch_bytes = plan->cleared_bytes = 0;
}

static inline void tw_internal_add_stage(struct tw_internal_plan *plan, const struct tw_internal_kernel *kernel,
                                         size_t groups, size_t group_items, size_t pass)
{
    struct tw_internal_plan_stage *stage = &plan->stages[plan->count++];
    stage->kernel = kernel;
    stage->groups = groups;
    stage->group_items = group_items;
    stage->pass = pass;
}

/* What algorithms cost on a CPU, in one unit: the time for a byte that a processor reads from its cache, some 20 in a
   nanosecond. Most are those of an element, besides its bytes, for all launches together. Measured on 2 and 16 cores of an
   Intel Xeon. */
enum {
    TW_INTERNAL_COST_OF_LAUNCH = 24576,     /* a team begins a launch, and its first thread waits for all: 1.2 us */
    TW_INTERNAL_COST_OF_LEAST_SHARE = 4096, /* what a share has at least */
    TW_INTERNAL_COST_OF_SCAN = 5,
    TW_INTERNAL_COST_OF_SELECTION = 14,
    TW_INTERNAL_COST_OF_COUNT = 8,  /* of a digit, or in a histogram */
    TW_INTERNAL_COST_OF_MOVE = 28,  /* to where its digit says */
    TW_INTERNAL_COST_OF_PLACE = 10, /* of a digit, for each share */
    TW_INTERNAL_COST_OF_RUN = 5,
    TW_INTERNAL_COST_OF_MERGE = 36,
    TW_INTERNAL_COST_OF_SORT = 200 /* by a comparison, of a few thousand elements */
};

/* The work-groups of an algorithm on a CPU, one for each processor, and the elements of each, which cost `cost` each. One
   thread does all where that is faster: the algorithm has `launches` with a team, and what it reads more than once costs
   half as much again for each of them but the first. */
static inline size_t tw_internal_shares(struct tw_internal_algorithm *block, size_t units, size_t launches, size_t cost)
{
    const size_t most = (size_t)1 << 32, work = (block->count < most ? block->count : most) * cost;
    size_t groups = work / TW_INTERNAL_COST_OF_LEAST_SHARE < units ? work / TW_INTERNAL_COST_OF_LEAST_SHARE : units;
    if (2 * units < launches + 1
        || work / units / 2 * (2 * units - launches - 1) <= launches * TW_INTERNAL_COST_OF_LAUNCH)
        groups = 1;
    block->share = groups > 1 ? tw_internal_divide_up(block->count, groups) : block->count;
    return groups > 1 ? tw_internal_divide_up(block->count, block->share) : 1;
}

/* How many times `runs` sorted runs are merged in pairs until they are one. */
static inline size_t tw_internal_levels(size_t runs)
{
    size_t levels = 0;
    while (levels < 63 && (size_t)1 << levels < runs)
        ++levels;
    return levels;
}

TW_END_DECLS

#endif
