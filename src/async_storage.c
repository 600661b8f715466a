/* SPDX-License-Identifier: Apache-2.0 */
/* The library's own storage object (spec 3.6.3.1), made of the public callbacks alone: it knows nothing of buffers. */
#include <teamwork/storage.h>

#include <stdlib.h>

#include "runtime.h"

struct tw_async_storage {
    tw_storage storage;
    void *data;
    void (*free_data)(void *data);
    pthread_mutex_t mutex; /* for what follows */
    pthread_cond_t changed;
    tw_status status;
    bool released;                      /* nobody waits */
    bool attached, destroyed, finished; /* what the buffer went through */
    bool dropped;                       /* the program's use has ended */
};

/* ---- callbacks -------------------------------------------------------------------------------------------------------- */

static void *data_of(void *user)
{
    return ((struct tw_async_storage *)user)->data;
}

static const void *attach(void *user)
{
    struct tw_async_storage *storage = user;
    pthread_mutex_lock(&storage->mutex);
    storage->attached = true;
    pthread_mutex_unlock(&storage->mutex);
    return storage->data;
}

static const void *attach_undefined(void *user)
{
    attach(user);
    return NULL;
}

static void destroyed(void *user)
{
    struct tw_async_storage *storage = user;
    pthread_mutex_lock(&storage->mutex);
    storage->destroyed = true;
    pthread_mutex_unlock(&storage->mutex);
}

static void delete(struct tw_async_storage *storage)
{
    if (storage->free_data)
        storage->free_data(storage->data);
    pthread_cond_destroy(&storage->changed);
    pthread_mutex_destroy(&storage->mutex);
    free(storage);
}

static void finished(void *user, tw_status status)
{
    struct tw_async_storage *storage = user;
    pthread_mutex_lock(&storage->mutex);
    storage->finished = true;
    storage->status = status;
    const bool last = storage->dropped;
    pthread_cond_broadcast(&storage->changed);
    pthread_mutex_unlock(&storage->mutex);
    if (last)
        delete (storage);
}

/* ---- the object ------------------------------------------------------------------------------------------------------- */

static tw_status create(void *data, size_t bytes, void (*free_data)(void *), tw_async_storage **result)
{
    struct tw_async_storage *storage = calloc(1, sizeof *storage);
    if (!storage)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a storage");
    storage->storage = (tw_storage){.user = storage,
                                    .bytes = bytes,
                                    .host_data = data_of,
                                    .initial_data = attach,
                                    .final_data = data_of,
                                    .destroy = destroyed,
                                    .finished = finished};
    storage->data = data;
    storage->free_data = free_data;
    pthread_mutex_init(&storage->mutex, NULL);
    pthread_cond_init(&storage->changed, NULL);
    *result = storage;
    return TW_SUCCESS;
}

tw_status tw_async_storage_create_over(void *data, size_t bytes, void (*free_data)(void *), tw_async_storage **result)
{
    if (!data || !bytes || !result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a storage needs memory, bytes and a place to be stored at");
    return create(data, bytes, free_data, result);
}

tw_status tw_async_storage_create(size_t bytes, tw_async_storage **result)
{
    enum { ALIGNMENT = 128 };
    if (!bytes || !result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a storage needs bytes and a place to be stored at");
    void *data =
        bytes > SIZE_MAX / 2 ? NULL : aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (!data)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no host memory for a storage of %zu bytes", bytes);
    const tw_status status = create(data, bytes, free, result);
    if (status != TW_SUCCESS) {
        free(data);
        return status;
    }
    (*result)->released = true;
    (*result)->storage.initial_data = attach_undefined;
    return status;
}

const tw_storage *tw_async_storage_get(const tw_async_storage *storage)
{
    return storage ? &storage->storage : NULL;
}

void *tw_async_storage_data(const tw_async_storage *storage)
{
    return storage ? storage->data : NULL;
}

void tw_async_storage_release(tw_async_storage *storage)
{
    if (!storage)
        return;
    pthread_mutex_lock(&storage->mutex);
    storage->released = true;
    pthread_cond_broadcast(&storage->changed);
    pthread_mutex_unlock(&storage->mutex);
}

tw_status tw_async_storage_destroy(tw_async_storage **handle)
{
    if (!handle || !*handle)
        return TW_SUCCESS;
    struct tw_async_storage *storage = *handle;
    pthread_mutex_lock(&storage->mutex);
    if (storage->attached && !storage->destroyed) {
        pthread_mutex_unlock(&storage->mutex);
        return tw_fail(TW_ERROR_BUSY, "the storage's buffer or image still exists");
    }
    while (storage->attached && !storage->finished && !storage->released)
        pthread_cond_wait(&storage->changed, &storage->mutex);
    const bool over = !storage->attached || storage->finished;
    const tw_status status = over && storage->attached ? storage->status : TW_SUCCESS;
    storage->dropped = true;
    pthread_mutex_unlock(&storage->mutex);
    *handle = NULL;
    if (over)
        delete (storage);
    return status == TW_SUCCESS ? status : tw_fail(status, "the contents did not come to the storage's memory");
}
