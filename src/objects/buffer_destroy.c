/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the program's use of a buffer (spec 3.6.1): it may wait, and bring the contents home. */
#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "buffer.h"
#include "host_accessor.h"
#include "storage.h"

/* What the last handle's end waits for. False: it was refused, and all is as it was. */
static bool end_use(struct tw_buffer *buffer, tw_status *status)
{
    if (buffer->storage)
        return tw_storage_destroy(buffer, status);
    *status = buffer->over_host ? tw_buffer_bring_home(buffer) : TW_SUCCESS;
    return *status != TW_ERROR_WOULD_DEADLOCK && *status != TW_ERROR_OUT_OF_MEMORY; /* else nothing was waited for */
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
