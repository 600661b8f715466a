/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of what threads hold open, and of their waits (hold.h). Waits for nothing itself. */
#include "hold.h"

static struct tw_hold *holds; /* protected by the lock, as the next one */
static struct tw_hold_wait *waits;

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

bool tw_anything_is_held_locked(void)
{
    return holds != NULL;
}

void tw_hold_wait_locked(struct tw_hold_wait *wait)
{
    wait->owner = pthread_self();
    wait->next = waits;
    wait->link = &waits;
    if (waits)
        waits->link = &wait->next;
    waits = wait;
}

void tw_hold_wait_end_locked(struct tw_hold_wait *wait)
{
    *wait->link = wait->next;
    if (wait->next)
        wait->next->link = wait->link;
}

/* Marks what depends on what a thread holds open. Returns true if it holds anything that was not marked. */
static bool mark_those_of(pthread_t owner, unsigned long mark)
{
    bool found = false;
    for (const struct tw_hold *hold = holds; hold; hold = hold->next) {
        if (!pthread_equal(hold->owner, owner) || hold->command->body.node.mark == mark)
            continue;
        tw_graph_mark_dependants(&hold->command->body.node, mark);
        found = true;
    }
    return found;
}

/* Returns true if one of the commands that a thread waits for is marked. */
static bool waits_for_marked(const struct tw_hold_wait *wait, unsigned long mark)
{
    for (const struct tw_command *command = wait->unfinished(wait->what); command; command = command->next) {
        if (command->body.node.mark == mark)
            return true;
        if (!wait->last || command == wait->last)
            break;
    }
    return false;
}

unsigned long tw_mark_own_accesses_locked(void)
{
    if (!holds)
        return 0;
    const unsigned long mark = tw_graph_new_mark();
    if (!mark_those_of(pthread_self(), mark))
        return 0;
    for (bool more = waits != NULL; more;) {
        more = false;
        for (const struct tw_hold_wait *wait = waits; wait; wait = wait->next)
            if (waits_for_marked(wait, mark) && mark_those_of(wait->owner, mark))
                more = true;
    }
    return mark;
}
