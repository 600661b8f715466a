/* SPDX-License-Identifier: Apache-2.0 */
/* The list of the host accesses that threads hold open. Knows nothing of waiting. */
#include "hold.h"

static struct tw_hold *holds; /* protected by the lock */

void tw_hold_locked(struct tw_hold *hold, struct tw_command *command)
{
    *hold = (struct tw_hold){command, pthread_self(), holds, &holds};
    if (holds)
        holds->link = &hold->next;
    holds = hold;
}

void tw_unhold_locked(struct tw_hold *hold)
{
    *hold->link = hold->next;
    if (hold->next)
        hold->next->link = hold->link;
}

unsigned long tw_mark_own_accesses_locked(void)
{
    unsigned long mark = 0;
    const pthread_t self = pthread_self();
    for (const struct tw_hold *hold = holds; hold; hold = hold->next) {
        if (!pthread_equal(hold->owner, self))
            continue;
        if (!mark)
            mark = tw_graph_new_mark();
        tw_graph_mark_dependants(&hold->command->body.node, mark);
    }
    return mark;
}
