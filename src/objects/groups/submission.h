/* SPDX-License-Identifier: Apache-2.0 */
/** The submission of a group of a queue over several devices, while it is made: divided_submit.c and its parts. */
#ifndef TEAMWORK_OBJECTS_SUBMISSION_H
#define TEAMWORK_OBJECTS_SUBMISSION_H

#include "base/detail.h"
#include "divided.h"
#include "graph/division.h"
#include "objects/queues/balance.h"

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
    tw_range_mapper *mappers;     /* of each access */
    unsigned char *block;         /* of the piece that is recorded */
    struct tw_partials *partials; /* of each reduction, if there are several pieces */
    size_t refused_by;            /* the device for which the launch could not be recorded; or as many as there are */
    char refusal[512];            /* why one of them cannot run it; or empty */
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
static inline tw_status tw_submission_add(struct tw_submission *all, struct tw_command_group *group)
{
    if (!group)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command group");
    all->groups[all->group_count++] = group;
    return tw_command_group_tell(group);
}

#endif
