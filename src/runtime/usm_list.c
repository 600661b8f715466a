/* SPDX-License-Identifier: Apache-2.0 */
/* The list of unified shared memory: a tree by address. */
#include "usm_list.h"

#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/detail.h"
#include "base/lock.h"

static void *tree; /* protected by the mutex */
static pthread_mutex_t tree_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Overlapping ranges compare equal, so a range of one byte finds the allocation around it. */
static int compare(const void *left, const void *right)
{
    const struct tw_usm_allocation *a = left, *b = right;
    return a->past <= b->first ? -1 : a->first >= b->past;
}

bool tw_usm_add(const struct tw_usm_allocation *added)
{
    struct tw_usm_allocation *allocation = malloc(sizeof *allocation);
    bool is_known = false;
    if (allocation) {
        *allocation = *added;
        pthread_mutex_lock(&tree_mutex);
        is_known = tsearch(allocation, &tree, compare) != NULL;
        pthread_mutex_unlock(&tree_mutex);
    }
    if (!is_known) {
        free(allocation);
        (void)tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to note an allocation");
        return false;
    }
    tw_lock();
    tw_object_born_locked(TW_OBJECT_MEMORY);
    tw_unlock();
    return true;
}

bool tw_usm_find(const void *pointer, struct tw_usm_allocation *result)
{
    if (!pointer)
        return false;
    const unsigned char *first = pointer;
    const struct tw_usm_allocation wanted = {.first = first, .past = first + 1};
    pthread_mutex_lock(&tree_mutex);
    struct tw_usm_allocation *const *found = tfind(&wanted, &tree, compare);
    if (found)
        *result = **found;
    pthread_mutex_unlock(&tree_mutex);
    return found != NULL;
}

bool tw_usm_remove(const void *memory, struct tw_usm_allocation *result)
{
    const unsigned char *first = memory;
    const struct tw_usm_allocation wanted = {.first = first, .past = first + 1};
    pthread_mutex_lock(&tree_mutex);
    struct tw_usm_allocation *const *found = tfind(&wanted, &tree, compare);
    struct tw_usm_allocation *allocation = found && (*found)->first == first ? *found : NULL;
    if (allocation) {
        *result = *allocation;
        tdelete(allocation, &tree, compare);
    }
    pthread_mutex_unlock(&tree_mutex);
    free(allocation);
    return allocation != NULL;
}

bool tw_usm_is_reached(const struct tw_backend_device *device, const void *pointer)
{
    struct tw_usm_allocation allocation;
    return tw_usm_find(pointer, &allocation)
           && (!allocation.device || allocation.device->backend == tw_backend_whole(device));
}

bool tw_usm_name(const void *pointer, char *text, size_t bytes)
{
    struct tw_usm_allocation allocation;
    if (!tw_usm_find(pointer, &allocation))
        return false;
    const char *function = allocation.pooled                      ? "tw_malloc_async"
                           : allocation.type == TW_POINTER_DEVICE ? "tw_malloc_device"
                           : allocation.type == TW_POINTER_SHARED ? "tw_malloc_shared"
                                                                  : "tw_malloc_host";
    snprintf(text, bytes, "memory of %s()%s%s", function, allocation.device ? " of " : "",
             allocation.device ? tw_device_facts(allocation.device)->name : "");
    return true;
}
