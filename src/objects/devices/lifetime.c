/* SPDX-License-Identifier: Apache-2.0 */
/* The start and the end of the runtime (spec 3.5.1). Knows of devices only that they are found and closed. */
#define _GNU_SOURCE
#include "lifetime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "discovery.h"
#include "runtime/command.h"
#include "runtime/reclaim.h"
#include "runtime/stream.h"
#include "runtime/task_queue.h"
#include "runtime/workers.h"
#include "settings.h"
#include "trace/start.h"

#define LEFT_BYTES 512 /* of the list of what keeps the runtime alive */

static atomic_bool discovered; /* written under the discovery lock */
/* Locked for reading by calls that create objects, for writing by shutdown. */
static pthread_rwlock_t alive = PTHREAD_RWLOCK_INITIALIZER;
static _Thread_local unsigned entered; /* number of read locks of this thread on `alive` */

/* ---- start ------------------------------------------------------------------------------------------------------- */

/* Called by exit(), before OpenMP's handlers, which were registered earlier. While tw_shutdown() runs there is no task
   to end. */
static void end_tasks(void)
{
    if (tw_is_forked || pthread_rwlock_tryrdlock(&alive) != 0)
        return;
    tw_end_tasks();
    for (size_t b = 0; tw_backends[b]; ++b)
        if (tw_backends[b]->end_program)
            tw_backends[b]->end_program();
    pthread_rwlock_unlock(&alive);
}

tw_status tw_discover(void)
{
    tw_status status = tw_check_process();
    if (status != TW_SUCCESS || atomic_load_explicit(&discovered, memory_order_acquire))
        return status;
    TW_DEFER_CANCELLATION;
    tw_note_start();
    tw_discovery_lock();
    if (!atomic_load_explicit(&discovered, memory_order_relaxed)) {
        tw_settings_tell();
        tw_tools_start();
        status = tw_devices_find();
        static bool ends_tasks;
        if (!ends_tasks)
            ends_tasks = atexit(end_tasks) == 0;
        if (status == TW_SUCCESS)
            atomic_store_explicit(&discovered, true, memory_order_release);
    }
    tw_discovery_unlock();
    return status;
}

tw_status tw_runtime_enter(void)
{
    if (tw_is_forked)
        return tw_refuse_fork();
    tw_note_start();
    pthread_rwlock_rdlock(&alive);
    ++entered;
    return tw_discover();
}

void tw_runtime_leave(void)
{
    if (tw_is_forked)
        return;
    --entered;
    pthread_rwlock_unlock(&alive);
}

/* ---- end --------------------------------------------------------------------------------------------------------- */

/* Returns the number of user events, or of host accesses, that the program has not finished. */
static size_t unfinished_locked(bool are_user_events)
{
    size_t count = 0;
    const struct tw_device *host = tw_host_device();
    for (const struct tw_command *command = host ? host->system->first_unfinished : NULL; command;
         command = command->next)
        count += command->body.kind->awaits_program && command->is_user_event == are_user_events;
    return count;
}

/* Appends "3 buffers", say, to a list, unless there are none. */
static void list(char text[LEFT_BYTES], size_t count, const char *one, const char *many)
{
    const size_t used = strlen(text);
    if (count)
        snprintf(text + used, LEFT_BYTES - used, "%s%zu %s", used ? ", " : "", count, count == 1 ? one : many);
}

/* Lists the objects that keep the runtime alive. Returns false if there are none. */
static bool list_objects_locked(char text[LEFT_BYTES])
{
    const size_t events = unfinished_locked(true), accesses = unfinished_locked(false);
    text[0] = '\0';
    list(text, tw_object_count_locked(TW_OBJECT_QUEUE), "queue (which events, and groups that are not submitted, keep)",
         "queues (which events, and groups that are not submitted, keep)");
    list(text, tw_object_count_locked(TW_OBJECT_CONTEXT), "context", "contexts");
    list(text, tw_object_count_locked(TW_OBJECT_BUFFER), "buffer", "buffers");
    list(text, tw_object_count_locked(TW_OBJECT_COMMAND_GRAPH), "command graph", "command graphs");
    list(text, tw_object_count_locked(TW_OBJECT_MEMORY),
         "allocation of tw_malloc_device(), _shared(), _host() or _async()",
         "allocations of tw_malloc_device(), _shared(), _host() or _async()");
    list(text, accesses, "host accessor", "host accessors");
    list(text, events, "user event that was never completed", "user events that were never completed");
    list(text, tw_object_count_locked(TW_OBJECT_COMMAND) - events - accesses, "command that is not complete",
         "commands that are not complete");
    return text[0];
}

static tw_status shut_down(void)
{
    char left[LEFT_BYTES];
    tw_discovery_lock();
    tw_lock();
    if (list_objects_locked(left)) {
        tw_unlock();
        tw_discovery_unlock();
        return tw_fail(TW_ERROR_BUSY, "there are still: %s", left);
    }
    const struct tw_found *found = tw_devices_found();
    for (size_t i = 0; i < found->all_count; ++i)
        tw_stop_workers_locked(found->all[i]);
    for (struct tw_device *part = tw_device_parts(); part; part = part->next_part)
        tw_stop_workers_locked(part);
    tw_unlock();
    atomic_store(&discovered, false);
    tw_devices_forget();
    tw_discovery_unlock();
    return TW_SUCCESS;
}

tw_status tw_shutdown(void)
{
    tw_status status = tw_check_process();
    if (status != TW_SUCCESS || !tw_has_started())
        return status;
    if (entered)
        return tw_fail(TW_ERROR_BUSY, "called from a selector, while a queue is being made");
    TW_DEFER_CANCELLATION;
    pthread_rwlock_wrlock(&alive);
    tw_settle_tasks();
    tw_reclaim();
    tw_reclaim_settle();
    tw_reclaim();
    status = shut_down();
    pthread_rwlock_unlock(&alive);
    return status;
}

/* Shuts down when the program ends, or when a library that contains the static one is closed. Changes no device if
   objects still exist, and waits for nothing that may take long: other threads still run, and this one may be in a
   callback or a kernel that ended the program. */
__attribute__((destructor)) static void shut_down_at_exit(void)
{
    if (tw_is_forked || !tw_has_started() || entered || pthread_rwlock_trywrlock(&alive) != 0)
        return;
    tw_reclaim_memory();
    (void)shut_down();
    pthread_rwlock_unlock(&alive);
}
