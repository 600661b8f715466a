/* SPDX-License-Identifier: Apache-2.0 */
/** Where the contents of buffers are, and which copies bring them where a command needs them (spec 2.5.7). Pure, as
    graph.h is. */
#ifndef TEAMWORK_GRAPH_COHERENCE_H
#define TEAMWORK_GRAPH_COHERENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/range.h>

#include "box_tree.h"
#include "graph.h"

struct tw_data;
struct tw_changes;

/* A buffer's memory in one memory space: host memory (number 0) or that of one device. */
struct tw_allocation {
    struct tw_resource resource;
    _Atomic(void *) address;    /* NULL: no memory, or given up (runtime/evict.h); read without the lock */
    bool valid;                 /* holds all the contents after all commands submitted so far */
    const void *driver;         /* copies within one driver, and from or to the host, are direct; NULL: the host */
    struct tw_box_set parts;    /* unless `valid`: the parts that it holds */
    unsigned long used;         /* number of the last command that used it, among all; under the lock */
    struct tw_backing *backing; /* which chunks of its addresses have memory; NULL: all have. Set before `address` */
    bool borrowed;              /* memory of a device that is the program's: neither freed nor given up */
};

/* What an allocation held of the box of a use, before that was applied. */
struct tw_before {
    bool valid;
    struct tw_box_set parts; /* unless `valid` */
};

/* What the owner of contents does for the runtime. */
struct tw_data_owner {
    /* Returns true if no group, command or accessor uses the contents. Those that begin to use them now will find that
       there is no address, if it was cleared before. */
    bool (*is_idle_locked)(const struct tw_data *data);
    /* Keep the contents, and release them again. */
    void (*hold_locked)(struct tw_data *data);
    void (*release_locked)(struct tw_data *data);
};

/* The contents of a buffer, and its memory. */
struct tw_data {
    tw_range range;      /* of elements */
    struct tw_box whole; /* all of them */
    size_t element_bytes, bytes;
    uint64_t number;             /* for tools: from 1, never that of other contents */
    char *name;                  /* for tools: owned, or NULL; under the lock */
    struct tw_resource contents; /* as the program sees them: orders the groups */
    size_t space_count;
    size_t shared_space; /* memory space of a device that uses the host's memory for this buffer; 0: none */
    struct tw_allocation *allocations;
    struct tw_chunks *chunks;          /* of a large buffer, which devices may back in parts; else NULL */
    struct tw_box_reserve reserve;     /* for the sets of the allocations */
    bool has_parts;                    /* a set may have a box */
    bool fell_back;                    /* a fallback has used it: contents may not be where earlier plans say */
    bool stays;                        /* not copied to the host unasked: the program uses that memory */
    void *host_block;                  /* owned block with the host's memory; or NULL */
    const struct tw_data_owner *owner; /* NULL: no memory is given up */
    struct tw_changes *changes;        /* owned: what is known of the program's memory (runtime/changes.h); or NULL */
    struct tw_data *next, **link;      /* in the list of buffers with memory on devices; under the lock */
};

/* Returns the memory space whose allocation a device uses. */
static inline size_t tw_data_space(const struct tw_data *data, size_t space)
{
    return space == data->shared_space ? 0 : space;
}

#define TW_MOST_RESERVED 64 /* nodes that a buffer keeps for later */

struct tw_copy_plan {
    struct tw_data *data;
    size_t from, to; /* memory spaces */
    struct tw_box box;
};

/* What a group does with one buffer, or with a part of it. The uses of a group do not overlap. */
struct tw_use {
    struct tw_data *data;
    struct tw_box box;
    bool is_part; /* `box` is not all of the buffer */
    bool needs;   /* it needs the earlier contents */
    bool writes;
    bool samples; /* of a kernel: through a sampled image, which it does not write */
};

/* Returns a use of all of a buffer. */
static inline struct tw_use tw_use_all(struct tw_data *data, bool needs, bool writes)
{
    return (struct tw_use){.data = data, .box = data->whole, .needs = needs, .writes = writes};
}

/* Copies that a use needs. */
struct tw_copy_plans {
    struct tw_copy_plan *plans; /* room for those that are stored */
    size_t room, count;
    bool stages; /* some go through host memory */
};

/* Adds the copies that bring what `use` needs to a memory space, from where it is rather than from where it will be. If
   there is no room for all of them, stores those that there is room for, and counts
   at least as many as there would be. Changes no state. */
void tw_plan_copies(const struct tw_use *use, size_t space, struct tw_copy_plans *copies);
/* Returns true if a copy between two memory spaces must go through host memory. */
bool tw_copy_must_stage(const struct tw_data *data, size_t from, size_t to);
/* Returns true if a memory space will hold all that a use accesses. Contents that a failed copy should have brought
   there will not be there, although they are marked valid: they are still where they were. */
bool tw_allocation_holds(const struct tw_use *use, size_t space);
/* Returns true if no unfinished copy is to bring any of them there. */
bool tw_allocation_has(const struct tw_use *use, size_t space);
/* Returns the memory spaces that will hold all that a use accesses, a bit each, of the first 64. */
uint64_t tw_allocations_that_hold(const struct tw_use *use);
/* Returns true if a box that a memory space was to hold is there by now: no copy that was to bring it is unfinished, or has
   failed. */
bool tw_allocation_is_settled(const struct tw_data *data, const struct tw_box *box, size_t space);
/* Returns how many of the elements that a use accesses a memory space will hold. */
size_t tw_allocation_count(const struct tw_use *use, size_t space);

/* Returns the most nodes that tw_apply_use() takes from the buffer's reserve for number `at` of the uses of a command in
   this memory space, if they are applied in turn. Each staged copy takes one more. */
size_t tw_reserve_needed(const struct tw_use *uses, size_t count, size_t at, size_t space);
/* Returns the most nodes that tw_note_before() takes. */
size_t tw_reserve_needed_to_note(const struct tw_use *use);
/* Returns true if a use of a part changes nothing, in a buffer of which no set has a box: the memory space holds all, and
   no other one holds what is written. */
bool tw_part_stays(const struct tw_use *use, size_t space);
/* Records where the contents are after the copies and the command. */
void tw_apply_use(const struct tw_use *use, size_t space);
/* Records that the host holds what a copy brought there on its way to a device, if the reserve suffices. */
void tw_apply_staged_copy(const struct tw_copy_plan *plan);
/* Gives back what the reserve has in excess, after all uses and copies of a command. */
static inline void tw_trim_reserve(struct tw_data *data)
{
    if (data->reserve.count > TW_MOST_RESERVED)
        tw_box_reserve_trim(&data->reserve, TW_MOST_RESERVED);
}
/* Records that a memory space holds a box too. */
void tw_apply_copy(struct tw_data *data, const struct tw_box *box, size_t space);
/* Records that a memory space does not hold a box. */
void tw_forget_box(struct tw_data *data, const struct tw_box *box, size_t space);

/* Notes where the contents are before a use is applied: one entry of `before` for each memory space, zero on entry. */
void tw_note_before(const struct tw_use *use, struct tw_before *before);
/* Records that they are there again. Returns false if memory is exhausted, and then changes nothing. */
bool tw_undo_use(const struct tw_use *use, struct tw_before *before);
/* Frees what the entries consist of. */
void tw_drop_before(const struct tw_use *use, struct tw_before *before);

/* Frees what the sets of a buffer consist of. */
void tw_coherence_end(struct tw_data *data);

#endif
