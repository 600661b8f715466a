/* SPDX-License-Identifier: Apache-2.0 */
/* Order without data in common: user events, groups that depend on events, queues that are in order, and chains of
   groups that change one word in memory of no buffer. */
#include "random.h"

#include <stdlib.h>

#include <teamwork/usm.h>

/* ---- what operations depend on ----------------------------------------------------------------------------------- */

static void drop_user(struct user *user)
{
    if (user && --user->references == 0)
        free(user);
}

void note_depends(struct operation *operation, tw_event *const depends[2], struct user *user)
{
    for (int i = 0; i < 2; ++i)
        operation->depends[i] = depends[i] ? tw_event_retain(depends[i]) : NULL;
    operation->user = user;
    if (user)
        ++user->references;
}

void look_at_depends(struct operation *operation)
{
    for (int i = 0; i < 2; ++i)
        if (operation->depends[i] && tw_event_get_status(operation->depends[i]) != TW_SUCCESS)
            operation->depends_failed = true;
    if (operation->user && operation->user->outcome != TW_SUCCESS)
        operation->depends_failed = true;
}

void drop_depends(struct operation *operation)
{
    for (int i = 0; i < 2; ++i)
        tw_event_release(&operation->depends[i]);
    drop_user(operation->user);
    operation->user = NULL;
}

/* ---- user events ------------------------------------------------------------------------------------------------- */

struct completion {
    tw_event *event;
    tw_status status;
};

static void *complete(void *argument)
{
    struct completion *completion = argument;
    rest();
    if (tw_event_complete(completion->event, completion->status) != TW_SUCCESS)
        differ(NULL, "tw_event_complete failed");
    tw_event_release(&completion->event);
    free(completion);
    return NULL;
}

/* Ends a user event as planned, at once or soon by another thread. */
static void end_user(struct thread *thread, unsigned slot, bool by_another)
{
    struct user *user = thread->user[slot];
    thread->user[slot] = NULL;
    user->outcome = user->planned;
    if (user->planned == TW_ERROR_CANCELLED) { /* nobody can complete it any more */
        tw_event_release(&user->handle);
    } else if (by_another && thread->completers < MAX_COMPLETERS) {
        struct completion *completion = malloc(sizeof *completion);
        *completion = (struct completion){user->handle, user->planned};
        user->handle = NULL;
        if (pthread_create(&thread->completer[thread->completers++], NULL, complete, completion) != 0)
            differ(thread, "no thread could be started");
    } else {
        if (tw_event_complete(user->handle, user->planned) != TW_SUCCESS)
            differ(thread, "tw_event_complete failed");
        if (tw_event_complete(user->handle, TW_SUCCESS) != TW_ERROR_INVALID_ARGUMENT)
            differ(thread, "a user event could be completed twice");
        if (tw_event_wait(user->handle) != user->planned || tw_event_get_status(user->handle) != user->planned)
            differ(thread, "a user event has the status %s", tw_status_name(tw_event_get_status(user->handle)));
        tw_event_release(&user->handle);
    }
    forget_hold(thread, USER_BIT(slot));
    drop_user(user);
}

/* After a failure more may be waited for than the model knows: a copy that is tried again. */
void let_pass(struct thread *thread, hold_set waits)
{
    for (unsigned i = 0; i < USERS; ++i)
        if (thread->user[i] && ((waits & USER_BIT(i)) || thread->run->program->faults))
            end_user(thread, i, true);
}

void end_users(struct thread *thread)
{
    for (unsigned i = 0; i < USERS; ++i)
        if (thread->user[i])
            end_user(thread, i, draw_below(&thread->random, 2));
    for (unsigned i = 0; i < thread->completers; ++i)
        pthread_join(thread->completer[i], NULL);
    thread->completers = 0;
}

static void run_user(struct thread *thread, const struct slot_step *step, bool creates)
{
    struct user **slot = &thread->user[step->slot];
    if (!creates && *slot)
        end_user(thread, step->slot, step->other);
    if (!creates || *slot)
        return;
    const bool faults = thread->run->program->faults;
    struct user *user = *slot = malloc(sizeof *user);
    *user = (struct user){.references = 1};
    if (faults && step->n < 2)
        user->planned = step->n ? TASK_FAILURE : TW_ERROR_CANCELLED;
    const tw_status status = tw_event_create_user(&user->handle);
    if (status != TW_SUCCESS)
        differ(thread, "tw_event_create_user: %s", tw_status_name(status));
    if (tw_event_get_state(user->handle) != TW_EVENT_PENDING)
        differ(thread, "a new user event is complete");
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

enum { APART = 32 }; /* words from one cell to the next */

void begin_chains(struct thread *thread)
{
    uint32_t *cells = tw_malloc_host(CHAINS * APART * sizeof *cells);
    if (!cells)
        differ(thread, "there is no host memory");
    for (unsigned i = 0; i < CHAINS; ++i) {
        thread->chain[i] = (struct chain){.cell = &cells[i * APART], .known = true};
        cells[i * APART] = 0;
    }
}

static void compare_chain(struct thread *thread, const struct chain *chain)
{
    if (chain->known && *chain->cell != chain->value)
        differ(thread, "chain %td has come to %#x, not %#x", chain - thread->chain, *chain->cell, chain->value);
    atomic_fetch_add(&totals.checks, 1);
}

void end_chains(struct thread *thread)
{
    for (unsigned i = 0; i < CHAINS; ++i) {
        compare_chain(thread, &thread->chain[i]);
        tw_event_release(&thread->chain[i].last);
    }
    tw_free(thread->chain[0].cell);
}

void apply_link(const struct thread *thread, const struct operation *operation, tw_status status)
{
    const struct link *link = &operation->link;
    struct chain *to = link->to;
    if (status == TW_SUCCESS) {
        to->value = linked(link->kind, to->value, link->from ? link->from->value : 0, link->term);
        to->known = (to->known || link->kind == LINK_COPY) && (!link->from || link->from->known);
    } else if (status != TW_ERROR_CANCELLED || atomic_load(&thread->run->breaks_devices)) { /* it may have run */
        to->known = false;
    }
}

/* Makes the group depend on a chain's last link, unless the queue keeps their order. */
static tw_event *follow(tw_command_group *group, const struct chain *chain, const struct queue *queue)
{
    if (!chain || !chain->last || (queue->in_order && chain->queue == queue->handle))
        return NULL;
    tw_depends_on(group, chain->last);
    return chain->last;
}

static void note_link(struct chain *chain, const struct queue *queue, tw_event *event, hold_set waits)
{
    if (!chain)
        return;
    tw_event_release(&chain->last);
    chain->last = tw_event_retain(event);
    chain->queue = queue->in_order ? queue->handle : NULL;
    chain->waits = waits;
}

static void run_link(struct thread *thread, const struct slot_step *step)
{
    struct queue *queue = find_queue(thread, step->other);
    struct link link = {.to = &thread->chain[step->slot], .kind = step->n % LINK_KINDS, .term = step->n};
    if (!queue || queue->recording)
        return;
    if (link.kind == LINK_JOIN || link.kind == LINK_COPY)
        link.from = &thread->chain[(step->slot + 1) % CHAINS];
    struct operation operation;
    operation_begin(&operation);
    operation.link = link;
    operation.waits =
        (hold_set)(link.to->waits | (link.from ? link.from->waits : 0) | (queue->in_order ? queue->waits : 0));
    if (operation.waits && queue->shared && thread->run->program->threads > 1)
        return;
    tw_event *event = NULL;
    tw_command_group *group = tw_queue_begin(queue->handle);
    tw_event *const depends[2] = {follow(group, link.to, queue), follow(group, link.from, queue)};
    record_link(group, &link);
    const tw_status status = tw_queue_submit(queue->handle, group, &event);
    if (status != TW_SUCCESS)
        differ(thread, "submitting a link: %s", tw_status_name(status));
    if (thread->run->program->faults)
        note_depends(&operation, depends, NULL);
    const hold_set waits = operation.waits;
    submitted(thread, &operation, queue, event);
    note_link(link.to, queue, event, waits);
    note_link(link.from, queue, event, waits);
    tw_event_release(&event);
}

static void run_chain_check(struct thread *thread, const struct slot_step *step)
{
    struct chain *chain = &thread->chain[step->slot];
    let_pass(thread, chain->waits);
    const tw_status status = tw_event_wait(chain->last);
    if (!waited(thread, status, chain->waits, "waiting for a chain"))
        return;
    resolve(thread);
    compare_chain(thread, chain);
    if (status == TW_SUCCESS && chain->known)
        return;
    tw_event_release(&chain->last);
    *chain->cell = chain->value = step->n;
    chain->known = true;
}

/* ---- the queue of all threads that is in order ------------------------------------------------------------------- */

static void run_tally(struct thread *thread, const struct slot_step *step)
{
    struct run *run = thread->run;
    struct queue *queue = &run->queue[TALLY_QUEUE];
    if (run->program->faults)
        return;
    tw_command_group *group = tw_queue_begin(queue->handle);
    record_tally(group, run->tally, step->n);
    const tw_status status = tw_queue_submit(queue->handle, group, NULL);
    if (status != TW_SUCCESS)
        differ(thread, "submitting to the tally: %s", tw_status_name(status));
    atomic_fetch_add(&totals.groups, 1);
    atomic_fetch_add(&run->tally_sum, step->n);
}

void run_order_step(struct thread *thread, const struct slot_step *step, enum step_kind kind)
{
    if (kind == LINK)
        run_link(thread, step);
    else if (kind == CHAIN_CHECK)
        run_chain_check(thread, step);
    else if (kind == TALLY)
        run_tally(thread, step);
    else
        run_user(thread, step, kind == USER_CREATE);
}
