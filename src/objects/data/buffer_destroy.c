/* SPDX-License-Identifier: Apache-2.0 */
/* Destruction of buffers (spec 3.6.1). It may wait, and copy the contents back to the program's memory, on the
   host or on a device. */
#include <stdlib.h>

#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "buffer.h"
#include "host_accessor.h"
#include "storage.h"

/* Returns true if a destruction that ends so was refused, and the buffer is as before. */
static bool refuses(tw_status status)
{
    return status == TW_ERROR_WOULD_DEADLOCK || status == TW_ERROR_OUT_OF_MEMORY;
}

/* Notes how a step of the destruction ended. Returns false if that refuses the destruction. */
static bool note(tw_status one, tw_status *status)
{
    if (one != TW_SUCCESS)
        *status = one;
    return !refuses(one);
}

/* Brings the contents to the memory of a device that is the program's. Waits for the commands that write them, and if
   `writes` for all that use the buffer; then they are nowhere else any more. */
static tw_status bring_to_device(struct tw_buffer *buffer, bool writes)
{
    return tw_buffer_access_briefly(buffer, &buffer->data.whole, buffer->home, true, writes);
}

/* Brings the contents where the program wants them in the end. Waits for all commands that use its memory. */
static tw_status bring_home(struct tw_buffer *buffer)
{
    tw_status status = TW_SUCCESS;
    tw_lock();
    const bool has_contents = tw_buffer_has_contents_locked(buffer);
    tw_unlock();
    if (!has_contents && !buffer->over_host)
        return TW_SUCCESS;
    for (const struct tw_final *final = buffer->final_parts; final; final = final->next)
        if (!note(tw_buffer_bring_home(buffer, &final->box, true, false, final->memory), &status))
            return status;
    if (buffer->home && buffer->over_host && !note(bring_to_device(buffer, false), &status))
        return status;
    if ((buffer->final || buffer->over_host)
        && !note(tw_buffer_bring_home(buffer, &buffer->data.whole, buffer->final, buffer->over_host, buffer->final),
                 &status))
        return status;
    if (buffer->home && !buffer->over_host)
        (void)note(bring_to_device(buffer, true), &status);
    return status;
}

/* Waits and copies back for the last handle. Returns false if that was refused and nothing has changed. */
static bool end_use(struct tw_buffer *buffer, tw_status *status)
{
    if (buffer->storage)
        return tw_storage_destroy(buffer, status);
    *status = bring_home(buffer);
    return !refuses(*status);
}

/* Drops a handle of a sub-buffer, and with the last one its handle of the root, which may wait and be refused. */
static tw_status destroy_sub(struct tw_buffer **handle)
{
    struct tw_buffer *sub = *handle, *root = sub->root;
    tw_lock();
    const bool last = --sub->handles == 0;
    tw_unlock();
    const tw_status status = last ? tw_buffer_destroy(&root) : TW_SUCCESS;
    if (last && root) {
        tw_lock();
        sub->handles = 1;
        tw_unlock();
        return status;
    }
    *handle = NULL;
    if (last)
        free(sub);
    return status;
}

tw_status tw_buffer_destroy(tw_buffer **handle)
{
    if (!handle || !*handle)
        return TW_SUCCESS;
    struct tw_buffer *buffer = *handle;
    tw_status status = tw_check_copy(buffer);
    if (status == TW_SUCCESS)
        status = tw_check_process();
    if (status != TW_SUCCESS)
        return status;
    if (buffer->root != buffer)
        return destroy_sub(handle);
    tw_lock();
    const bool last = --buffer->handles == 0; /* from now on no group that is still open can be submitted */
    tw_unlock();
    if (last && !end_use(buffer, &status)) {
        tw_lock();
        buffer->handles = 1;
        tw_unlock();
        return status;
    }
    *handle = NULL;
    if (!last)
        return TW_SUCCESS;
    tw_buffer_drop(buffer);
    return status;
}
