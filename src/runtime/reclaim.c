/* SPDX-License-Identifier: Apache-2.0 */
/* Freeing and telling, left to the next thread without the lock. Knows no kind of object. */
#include "reclaim.h"

#include <pthread.h>
#include <stddef.h>

#include "base/cancellation.h"
#include "base/lock.h"
#include "base/process.h"

atomic_bool tw_anything_unused;
static struct tw_unused *unused;                    /* under the lock */
static struct tw_late_call *first_call, *last_call; /* under the lock; last_call is valid if there is a first */
static const struct tw_teller *teller;              /* under the lock; or NULL */

static void note(void)
{
    atomic_store_explicit(&tw_anything_unused, true, memory_order_release);
}

void tw_reclaim_later_locked(struct tw_unused *object)
{
    object->next = unused;
    unused = object;
    note();
}

void tw_reclaim_call_locked(struct tw_late_call *object)
{
    object->next = NULL;
    *(first_call ? &last_call->next : &first_call) = object;
    last_call = object;
    note();
}

/* Makes the late calls. Takes one at a time, since a call may come back here. */
static void make_calls(void)
{
    for (;;) {
        tw_lock();
        struct tw_late_call *object = first_call;
        if (object)
            first_call = object->next;
        tw_unlock();
        if (!object)
            return;
        object->call(object);
    }
}

void tw_reclaim_tell_locked(const struct tw_teller *who)
{
    teller = who;
    note();
}

bool tw_reclaim_memory(void)
{
    bool freed = false;
    static pthread_mutex_t reclaiming = PTHREAD_MUTEX_INITIALIZER; /* taken before the lock, never after */
    if (!atomic_load_explicit(&tw_anything_unused, memory_order_acquire) || tw_is_forked)
        return false;
    TW_DEFER_CANCELLATION;
    pthread_mutex_lock(&reclaiming);
    for (;;) {
        tw_lock();
        struct tw_unused *objects = unused;
        unused = NULL;
        if (!objects && !first_call && !(teller && teller->has_news_locked()))
            atomic_store_explicit(&tw_anything_unused, false, memory_order_release);
        tw_unlock();
        if (!objects)
            break;
        freed = true;
        while (objects) {
            struct tw_unused *next = objects->next;
            objects->free(objects);
            objects = next;
        }
    }
    pthread_mutex_unlock(&reclaiming);
    return freed;
}

static const struct tw_teller *get_teller(void)
{
    tw_lock();
    const struct tw_teller *who = teller;
    tw_unlock();
    return who;
}

void tw_reclaim(void)
{
    if (!atomic_load_explicit(&tw_anything_unused, memory_order_acquire) || tw_is_forked)
        return;
    make_calls();
    const struct tw_teller *who = get_teller();
    if (who)
        who->tell();
    tw_reclaim_memory();
}

void tw_reclaim_settle(void)
{
    const struct tw_teller *who = get_teller();
    if (who)
        who->settle();
}

void tw_reclaim_meanwhile_locked(void)
{
    if (tw_reclaim_is_due()) {
        tw_unlock();
        tw_reclaim();
        tw_lock();
    }
}
