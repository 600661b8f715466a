/* SPDX-License-Identifier: Apache-2.0 */
/** The submission of a group of a queue over several devices, while it is made: divided_submit.c and its parts. */
#ifndef TEAMWORK_OBJECTS_DIVIDED_SUBMIT_H
#define TEAMWORK_OBJECTS_DIVIDED_SUBMIT_H

#include "divided.h"
#include "graph/division.h"
#include "objects/queues/balance.h"
#include "objects/queues/queue_devices.h"

/* Each device has up to three pieces: two edges, and what is between them. */
#define TW_MOST_PIECES (3 * TW_MOST_QUEUE_DEVICES)

/* A part of the launch, and the device that runs it. */
struct tw_piece {
    struct tw_launch_part part;
    size_t device;        /* its number in the queue */
    struct tw_box *boxes; /* of each access */
    bool is_edge;         /* a small one that others wait for */
};

/* Where the pieces leave what the kernel reduces into one target, until all is combined. */
struct tw_partials {
    size_t access;
    struct tw_buffer *buffer; /* the elements of each piece, one piece after the other */
    size_t elements;          /* of a piece */
};

/* A submission of a group. */
struct tw_submission {
    const struct tw_command_group *group;
    const struct tw_divided *divided;
    struct tw_queue_devices *devices;
    struct tw_launch_request request; /* with the size of groups, if there are any */
    struct tw_launch_space space;
    struct tw_division_plan plan;
    tw_range_mapper *mappers; /* of each access */
    unsigned char *block;     /* of the piece that is recorded */
    struct tw_partials *partials; /* of each reduction, if there are several pieces */
    size_t count;
    struct tw_piece pieces[TW_MOST_PIECES];
    struct tw_command_group *groups[TW_MOST_PIECES + 1]; /* of each piece, and one that combines the partials */
    size_t group_count;
};

static inline struct tw_queue *tw_piece_queue(const struct tw_submission *all, const struct tw_piece *piece)
{
    return all->devices->queues[piece->device];
}

/* Adds a recorded group. Fails if there is none, or it has failed. */
tw_status tw_divided_add_group(struct tw_submission *all, struct tw_command_group *group);

/* divided_step.c: records the groups of a copy, a fill or a prefetch. */
tw_status tw_divided_record_step(struct tw_submission *all);

/* divided_pieces.c: which device runs what, and what it accesses. */

/* Makes the pieces. Fails if the launch says too little about what it accesses, or pieces would write the same. */
tw_status tw_divided_make_pieces(struct tw_submission *all);

/* divided_reduce.c: what pieces reduce, and how it is combined. */

/* Makes room for what the pieces reduce. */
tw_status tw_divided_make_partials(struct tw_submission *all);
/* Gives it back; the commands keep what they use. */
void tw_divided_drop_partials(const struct tw_submission *all);
/* Puts the target of a reduction into the block of the piece that is recorded. */
void tw_divided_record_reduction(const struct tw_submission *all, struct tw_command_group *group, size_t access);
/* Records the group that combines what the pieces have reduced. Returns NULL if there is no memory for it. */
struct tw_command_group *tw_divided_record_combination(const struct tw_submission *all);

#endif
