/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the kernel macros and the backends agree on: the kernel object, and the description of one launch.
 *
 * Private to the library although installed: kernel macros expand to initializers of these types in the user's file.
 * A change here changes the ABI of compiled kernels and must raise TW_INTERNAL_KERNEL_ABI, which the runtime checks.
 */
#ifndef TEAMWORK_LOWER_LAUNCH_H
#define TEAMWORK_LOWER_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/range.h>

enum {
    TW_INTERNAL_KERNEL_ABI = 24, /* of kernels that headers compiled; the runtime checks it */
    /* argument blocks up to this many bytes travel as kernel arguments; larger ones through device memory */
    TW_INTERNAL_INLINE_ARGS_BYTES = 256,
    /* in the simt lowering, blocks up to this many bytes have a region for either way; who launches chooses */
    TW_INTERNAL_SIMT_ARGS_BYTES = 1024,
    /* a region captures so many words that describe the launch, and behind them those of the argument block
       (region.h) */
    TW_INTERNAL_SIMT_WORDS = 17,
    TW_INTERNAL_TEAMS_WORDS = 15
};

/** The largest work-group on any GPU; simt launches of bigger ones are refused. */
#define TW_INTERNAL_SIMT_MAX_GROUP 1024u

/* Reductions: up to eight members, a slot of 8 bytes for each part of the launch, which are teams in the simt lowering
   and else loops. Behind the slots are counters, and behind them is what belongs to members that are arrays: a CPU has a
   copy of all arrays for each part, a GPU one. */
#define TW_INTERNAL_NEAR_PARTS 256u                          /* teams that combine their values first ... */
#define TW_INTERNAL_ONE_LEVEL_PARTS 2048u                    /* ... unless there are no more than this */
#define TW_INTERNAL_MAX_PARTS (63u * TW_INTERNAL_NEAR_PARTS) /* slots and counters take less than 1 MiB */
#define TW_INTERNAL_LOOP_PARTS 512u
#define TW_INTERNAL_SLOT_BYTES(parts) (8u * (parts) * 8u)
/* One for all parts, and one for each TW_INTERNAL_NEAR_PARTS: 256 bytes, so that arrays behind them are aligned. */
#define TW_INTERNAL_COUNTER_BYTES (4u * (1u + TW_INTERNAL_MAX_PARTS / TW_INTERNAL_NEAR_PARTS))
#define TW_INTERNAL_ARRAY_PARTS 256u                      /* most copies of arrays on a CPU */
#define TW_INTERNAL_ARRAY_COPIES_BYTES ((size_t)64 << 20) /* of more than one copy */

/* Which region serves a block of so many bytes; 1 is the one that gets an address. */
TW_DEVICE_INLINE unsigned tw_internal_words_for(size_t bytes)
{
    return bytes <= 64 ? 8 : bytes <= TW_INTERNAL_INLINE_ARGS_BYTES ? 32 : 1;
}

/* The words of the other region of the simt lowering, which a block has that is larger than
   TW_INTERNAL_INLINE_ARGS_BYTES; 0: it has none. */
TW_DEVICE_INLINE unsigned tw_internal_more_words_for(size_t bytes)
{
    return bytes > TW_INTERNAL_INLINE_ARGS_BYTES && bytes <= TW_INTERNAL_SIMT_ARGS_BYTES ? 128 : 0;
}

enum tw_internal_form {
    TW_INTERNAL_SINGLE_TASK = 1,
    TW_INTERNAL_RANGE = 2,
    TW_INTERNAL_WORK_GROUP = 3,
    TW_INTERNAL_ND_RANGE = 4, /* simt lowers it like TW_INTERNAL_WORK_GROUP */
    TW_INTERNAL_REDUCTION = 5 /* a range kernel */
};

/* The devices that a kernel is for, by the code that they run: a set; above it the size of sub-groups that it requires,
   or 0. */
#define TW_INTERNAL_KIND_BITS 8
enum tw_internal_kinds {
    TW_INTERNAL_FOR_CPUS = 1, /* the host and simulated devices, too */
    TW_INTERNAL_FOR_GPUS = 2,
    TW_INTERNAL_FOR_ANY = TW_INTERNAL_FOR_CPUS | TW_INTERNAL_FOR_GPUS
};

/** How a launch reaches the device; the backend chooses among what the kernel's file was compiled for. */
enum tw_internal_lowering {
    TW_INTERNAL_LOWER_TEAMS = 1, /* standard OpenMP: target teams distribute */
    TW_INTERNAL_LOWER_SIMT = 2   /* target teams ompx_bare: one thread a work-item */
};

/* Where a kernel compiled with TW_DEBUG_BOUNDS notes the first index outside of a view, or indices that are too few
   or too many. In host memory. */
struct tw_internal_bounds {
    int violated;        /* accessed atomically */
    unsigned dims;       /* indices that were given */
    unsigned range_dims; /* that the view has */
    size_t index[3], range[3];
};

/* Notes a violation; the first one stays. `bounds` is that of the launch that runs. */
static __attribute__((unused, noinline, cold)) void tw_internal_out_of_bounds(struct tw_internal_bounds *bounds,
                                                                              const size_t range[3],
                                                                              unsigned range_dims, size_t i, size_t j,
                                                                              size_t k, unsigned dims)
{
    int none = 0;
    if (!__atomic_compare_exchange_n(&bounds->violated, &none, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    bounds->dims = dims;
    bounds->range_dims = range_dims;
    bounds->index[0] = i;
    bounds->index[1] = j;
    bounds->index[2] = k;
    for (unsigned d = 0; d < 3; ++d)
        bounds->range[d] = range[d];
}

/* Why a launch did nothing, in `fell_back`. */
enum tw_internal_fallback {
    TW_INTERNAL_NO_IMAGE = 1,   /* there was no image for the device */
    TW_INTERNAL_NO_THREADS = 2, /* a group did not get a thread for each work-item */
    TW_INTERNAL_DIVERGENCE = 3, /* a barrier was not reached by all work-items; `divergence` tells more */
    TW_INTERNAL_NO_MEMORY = 4   /* on a CPU: for local accessors, or the stacks of work-items */
};

/* A barrier that only some work-items of a group reached. Where `waiting` is 0: local memory that was written at group
   scope, between `line` (0: the beginning of the kernel) and `other_line`. */
struct tw_internal_divergence {
    size_t group[3];
    size_t waiting, finished; /* work-items at the barrier, and at the end or at other barriers */
    int line, other_line;     /* of the barrier, and of the other one, 0 for the end of the kernel */
};

struct tw_internal_launch;
struct tw_internal_run;

/* One work-group of an nd_range kernel on a CPU. */
struct tw_internal_nd_group {
    const struct tw_internal_launch *launch;
    struct tw_internal_run *run;
    void *memory;   /* for local accessors */
    void *exchange; /* where its work-items leave values of up to 16 bytes for each other: one each, and one more */
    size_t id[3];
};

/* Runs the work-items of a group in their order from `first` on, until one has been at a barrier. */
typedef void (*tw_internal_items)(const struct tw_internal_nd_group *group, size_t first);

/* What groups on a CPU need of the library. Through pointers, because a device image cannot link to it. */
struct tw_internal_cpu {
    /* Runs groups `first` to `past` of a launch on the calling thread. */
    void (*run)(struct tw_internal_launch *launch, tw_internal_items items, size_t first, size_t past);
    /* A work-group barrier, for work-item `linear` of the group that runs; `line` is the barrier's in the source. */
    void (*barrier)(struct tw_internal_run *run, size_t linear, int line);
    /* For a kernel that was split at its barriers (split.h): memory, aligned to 64 bytes, for the rest of the group
       that runs; NULL: there is none, which the launch then says. */
    void *(*split_memory)(struct tw_internal_run *run, size_t bytes);
    /* The same: some work-items came to the barrier in `line`, or to the end if that is 0, the others elsewhere. Does
       not return. */
    void (*diverge)(struct tw_internal_run *run, size_t waiting, size_t elsewhere, int line, int other_line);
    /* Memory of the calling thread for the local accessors of a hierarchical kernel's group. NULL: there is none,
       which the launch then says. */
    void *(*memory)(struct tw_internal_launch *launch);
};

/* A launch that belongs to the one before it: a command has both, and they run one behind the other. It has one dimension
   as that one, and the same size of groups. In front of it are the block of that one, and 0 to 15 bytes; its own block,
   which has as many bytes, is behind it. */
struct tw_internal_next_launch {
    const struct tw_internal_kernel *kernel;
    size_t range;
};

/* How far behind the beginning of a block the next stage is. */
TW_DEVICE_INLINE size_t tw_internal_next_launch_offset(size_t block_bytes)
{
    return (block_bytes + 15) / 16 * 16;
}

/**
 * One launch, or a part of a larger one, which kernels cannot tell: ids and ranges are those of the whole. Filled by the
 * runtime, read by a launcher; lives until the launcher returns.
 */
struct tw_internal_launch {
    const void *args;        /* the argument block, in host memory */
    const void *device_args; /* its copy in device memory; NULL: the region gets it as words */
    size_t range[3];         /* work-items of a range kernel, work-groups of a hierarchical one; 1 past dims */
    size_t offset[3];     /* of a range kernel the first id, else what is added to those of work-items; 0 past dims */
    size_t whole[3];      /* the range of the launch that this is a part of; `range` where it is none; 1 past dims */
    size_t first[3];      /* where the part begins in it; 0 where it is none, and past dims */
    size_t local[3];      /* work-items of a group; 1 past dims */
    unsigned dims;        /* 1 to 3 */
    int device;           /* OpenMP device number; not for the host launcher */
    unsigned lowering;    /* enum tw_internal_lowering */
    unsigned max_teams;   /* most teams worth asking the device for; at least 1 */
    unsigned max_parts;   /* most teams of a reduction in the simt lowering: set by the backend's `check` */
    unsigned max_threads; /* most threads in a team of the device */
    unsigned thread_step; /* teams of the standard mapping need a multiple of this: a warp */
    size_t local_bytes;   /* local accessors of each group */
    void *scratch;        /* reductions: tw_internal_scratch_bytes() of device memory, on a CPU of host memory; counters
                             and arrays of a GPU are 0 before and after */
    size_t scratch_bytes; /* the backend's own: what it has */
    size_t array_bytes;   /* reductions: of one copy of all members that are arrays */
    const struct tw_internal_cpu *cpu; /* on CPUs, else NULL */
    int *refused;  /* in device memory: a group of the standard mapping did not get its threads; or NULL */
    int fell_back; /* enum tw_internal_fallback; 0: the kernel ran. Accessed atomically */
    struct tw_internal_divergence divergence; /* by whoever set fell_back to TW_INTERNAL_DIVERGENCE */
    unsigned words; /* of the block, in the region that is entered: set by the backend's `check` */
    void *found;    /* the backend's own: what its `check` found out about the kernel; NULL where it did not look */
    const void *accesses; /* the runtime's own: of the group's buffers. Backends ask device->access() */
    size_t access_count;
    int stacks;    /* work-items of an nd_range kernel went to stacks of their own. Accessed atomically */
    bool together; /* the runtime's own: the groups wait for each other (root_group.h) */
    bool samples;  /* likewise: it has sampled images, which textures may read */
    size_t stages; /* behind this one, where the backend runs_stages: struct tw_internal_next_launch */
};

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* The parts of `total` work-items of a range. */
TW_DEVICE_INLINE size_t tw_internal_parts(size_t total)
{
    const size_t parts = (total + 1023) / 1024;
    return parts < TW_INTERNAL_LOOP_PARTS ? parts : TW_INTERNAL_LOOP_PARTS;
}

/* The parts of `total` work-groups. */
TW_DEVICE_INLINE size_t tw_internal_group_parts(size_t total)
{
    return total < TW_INTERNAL_LOOP_PARTS ? total : TW_INTERNAL_LOOP_PARTS;
}

/* The parts of a launch on a CPU, of work-items or of groups. They depend on the launch alone. With arrays there are
   fewer: twice as many would save less time in the loops than their copies take, which one thread adds up. */
TW_DEVICE_INLINE size_t tw_internal_launch_parts(const struct tw_internal_launch *launch, bool groups)
{
    const size_t total = launch->range[0] * launch->range[1] * launch->range[2];
    const size_t items = total * (launch->local[0] * launch->local[1] * launch->local[2]);
    const size_t parts = groups ? tw_internal_group_parts(total) : tw_internal_parts(total);
    if (!launch->array_bytes)
        return parts;
    const size_t fit = TW_INTERNAL_ARRAY_COPIES_BYTES / launch->array_bytes, pay = 16 * items / launch->array_bytes;
    size_t most = 1;
    while (most < parts && most < TW_INTERNAL_ARRAY_PARTS && 2 * most <= fit && 4 * most * most <= pay)
        most *= 2;
    return most < parts ? most : parts;
}

/* The slots, the counters and the arrays of a reduction. */
TW_DEVICE_INLINE size_t tw_internal_scratch_bytes(const struct tw_internal_launch *launch, bool groups)
{
    const bool simt = launch->lowering == TW_INTERNAL_LOWER_SIMT;
    return TW_INTERNAL_SLOT_BYTES(simt ? TW_INTERNAL_MAX_PARTS : TW_INTERNAL_LOOP_PARTS) + TW_INTERNAL_COUNTER_BYTES
           + launch->array_bytes * (launch->cpu ? tw_internal_launch_parts(launch, groups) : 1);
}

/* A variable of TW_LOCAL, as the host's code notes it in the section tw_local_notes of the program or shared library.
   */
struct tw_internal_local_note {
    const char *function, *unit; /* where it is declared: the function, and the file that was compiled */
    size_t bytes;
};

/* A member of a block as __builtin_dump_struct() tells it (members.h): it prints `format`. */
struct tw_internal_member {
    const char *format, *type, *name;
    const void *pointer;        /* its value, or its address if the format says so; else NULL */
    unsigned bytes, part_bytes; /* of the elements it leads to, and of parts of a vector; 0: not known */
};

/* Is told of a member of a block. */
typedef void (*tw_internal_member_visitor)(void *user, const struct tw_internal_member *member);

/* A pointer in a block, for the checks of each launch. */
struct tw_internal_pointer {
    unsigned offset; /* in the block; of the first in a list: 1 + the number of those behind it, 0 for not known yet */
    unsigned bytes, part_bytes; /* as in struct tw_internal_member */
    unsigned may_be_null;       /* it may be NULL without TW_NULL, TW_INTERNAL_ELEMENT: as one of an array; of the first
                                   in a list: the block may have more */
};

#define TW_INTERNAL_ELEMENT 2u

/** What the kernel macros make of a kernel. */
struct tw_internal_kernel {
    unsigned abi;                          /* TW_INTERNAL_KERNEL_ABI of the headers the kernel was compiled with */
    unsigned form;                         /* enum tw_internal_form */
    unsigned dims;                         /* the only dimensions it may be launched with; 0: any */
    unsigned lowerings;                    /* bit set of 1 << enum tw_internal_lowering */
    unsigned kinds;                        /* enum tw_internal_kinds, and a size of sub-groups */
    unsigned has_loops;                    /* work-items have loops that are not unrolled: the plugin sets it to 1 */
    const char *slow[3];                   /* why its code for CPUs is much slower than it could be, for launches of one
                                              to three dimensions; NULL: it is not. The plugin sets it */
    size_t args_bytes;                     /* size of the argument block */
    size_t required_local[3];              /* compile-time work-group size, 0 where there is none */
    const struct tw_internal_kernel *next; /* the same kernel in another size; NULL: this is the last one */
    /* Runs piece `piece` of `pieces` on the calling thread, while others run the rest. */
    void (*host)(struct tw_internal_launch *launch, size_t piece, size_t pieces);
    void (*host_end)(struct tw_internal_launch *launch); /* when all pieces are done, by one thread; or NULL */
    void (*offload)(struct tw_internal_launch *launch);  /* through a target region; returns when it is complete */
    const char *name;                                    /* in messages */
    const char *symbol;                                  /* the name that those of its regions begin with */
    const char *function;                                /* the C function that it runs */
    const char *file;
    int line;
    const char *unit;                                        /* the file that was compiled */
    const struct tw_internal_local_note *notes, *past_notes; /* of the kernel's program or library */
    size_t *local_bytes; /* 1 + the bytes of the function's TW_LOCAL variables; 0: not summed yet. The two highest bits
                         are others' (offload/common/kernel_word.h). Accessed atomically */
    void (*visit)(const void *args, tw_internal_member_visitor visitor, void *user); /* the members of a block */
    struct tw_internal_pointer *pointers; /* a list that the runtime fills: there is room for all in a block */
    /* Of a kernel that reduces, else NULL: the name of the first member that goes to a buffer whose elements are not of
       the member's size; or NULL, and in `members` how many members its definition names. */
    const char *(*misfit)(const void *args, unsigned *members);
    /* Likewise: combines what the members' targets in one block have into those of another, in host memory. */
    void (*merge)(const void *to, const void *from);
    /* Of a variant (TW_SPECIALIZE), else NULL: whether it was compiled for the values of a block, and which these are,
       ", width = 3". */
    bool (*fits)(const void *args);
    const char *values;
    const struct tw_internal_kernel *const *variants; /* of a kernel that has some, else NULL; NULL ends them */
};

/* Whether the parts of a kernel that reduces are of work-groups. */
TW_DEVICE_INLINE bool tw_internal_reduces_groups(const struct tw_internal_kernel *kernel)
{
    return kernel->form != TW_INTERNAL_REDUCTION;
}

/* One type for each form, with a member of its own, so that launching a kernel in another form does not compile. */
struct tw_internal_single_task_kernel {
    struct tw_internal_kernel single_task_kernel;
};
struct tw_internal_range_kernel {
    struct tw_internal_kernel range_kernel;
};
struct tw_internal_work_group_kernel {
    struct tw_internal_kernel work_group_kernel;
};
struct tw_internal_nd_range_kernel {
    struct tw_internal_kernel nd_range_kernel;
};

#endif
