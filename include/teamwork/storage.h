/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Storage objects (spec 3.6.3): the program says where the contents of a buffer or image begin and end, and is told
 * when they are in use. So a buffer over host memory can be destroyed without waiting.
 *
 *     tw_storage        callbacks of the program
 *     tw_async_storage  a ready-made one (spec 3.6.3.1): memory that is freed when the last command is done with it
 *
 * In C a class with virtual functions is a structure of callbacks. What the library copies, and when:
 *
 *     created      initial_data(), and a copy of it unless it is host_data()
 *     used         in_use() when a command or host accessor needs the contents and none did before; completed() when all such are
 *                  over; and so on, always in pairs. in_use() has returned before any of them runs, and before the
 *                  call that submits it returns
 *     destroyed    destroy(); then, once completed, final_data(), and a copy to it unless it is host_data(); finished()
 *
 * tw_buffer_destroy() waits for the copy only if nothing is in use when destroy() returns, so a destroy() that waits
 * for completed() makes it wait as for host memory; otherwise it returns at once and the rest happens later, on a
 * thread of the library. Where it waits it returns what finished() is told. All that needs memory comes before
 * destroy(): where there is none it returns TW_ERROR_OUT_OF_MEMORY, nothing is told, and the buffer and the reference
 * are left as they were.
 *
 * Callbacks are called with no lock held, one at a time for an object, from any thread that is inside of the library
 * or belongs to it. They may wait, but must not call the library. They return: one that throws a C++ exception, or
 * ends its thread, ends the program with a message. All functions are thread safe.
 */
#ifndef TEAMWORK_STORAGE_H
#define TEAMWORK_STORAGE_H

#include <teamwork/buffer.h>
#include <teamwork/image.h>

TW_BEGIN_DECLS

/**
 * Each callback may be NULL: then there is no such memory, and nothing is told. One storage serves one buffer or image
 * (spec 3.6.3): two that share memory would overwrite each other's contents. The library finds that out of a
 * tw_async_storage only.
 */
typedef struct tw_storage {
    void *user;   /**< for the callbacks */
    size_t bytes; /**< of the memory that the callbacks name; 0: what the buffer or image has */

    /** Host memory for the contents while the object lives, or NULL for none: the library has its own. Called when the
     *  object is created, perhaps more than once. The memory stays until finished(). */
    void *(*host_data)(void *user);

    /** Where the contents are at first, or NULL if they are undefined. Called when the object is created; free again, unless it
     *  is host_data(), when that returns. */
    const void *(*initial_data)(void *user);

    /** Where the contents go in the end, or NULL for nowhere. Called once, after destroy() and the last completed(), unless the
     *  contents are lost. Without this callback the contents are not brought to the host either. */
    void *(*final_data)(void *user);

    void (*in_use)(void *user);    /**< a first command was submitted that needs the contents */
    void (*completed)(void *user); /**< the last one is over */
    void (*destroy)(void *user);   /**< the last reference is gone; called once */

    /** The library is done with all memory of the storage: the last call. `status` tells how the copy to final_data()
     *  went: TW_SUCCESS also if there was none; TW_ERROR_DATA_LOST, TW_ERROR_TRANSFER_FAILED, TW_ERROR_OUT_OF_MEMORY. */
    void (*finished)(void *user, tw_status status);
} tw_storage;

/**
 * Creates a buffer with a storage object, which is copied, but not what `user` points at.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL or a zero size
 *         TW_ERROR_INVALID_RANGE     invalid dimensions, more bytes than size_t holds, or other bytes than the storage's
 *         TW_ERROR_BUSY              the storage is a tw_async_storage that serves, or has served, another one
 *         TW_ERROR_OUT_OF_MEMORY     also when no thread can be started that would bring the contents to their end
 */
TW_API tw_status tw_buffer_create_with_storage(const tw_storage *storage, size_t element_bytes, tw_range range,
                                               tw_buffer **buffer);

/**
 * The same for an image. host_data() and the others name the first pixel.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL; host_data() that is not aligned; an order and a type that make no format;
 *                                    a pitch that is too small or no such multiple, or of a dimension that is not there
 *         TW_ERROR_INVALID_RANGE     no pixels, more than TW_IMAGE_MAX_EXTENT in a dimension or than size_t has bytes
 *                                    for, invalid dimensions, or an array of one dimension, or other bytes than the
 *                                    storage's
 *         TW_ERROR_BUSY              the storage is a tw_async_storage that serves, or has served, another one
 *         TW_ERROR_OUT_OF_MEMORY     also when no thread can be started that would bring the contents to their end
 */
TW_API tw_status tw_image_create_with_storage(const tw_storage *storage, tw_image_layout layout, tw_image **image);

/* ---- asynchronous storage (spec 3.6.3.1) ------------------------------------------------------------------------- */

typedef struct tw_async_storage tw_async_storage;

/**
 * Creates a storage over `bytes` bytes at `data`, which it owns from now on: the contents at first and in the end.
 * Destroying the buffer does not wait, destroying the storage does.
 *
 * @param free_data  frees `data` when neither the storage nor a command needs it any more, on any thread; it must not
 *                   call the library, like the callbacks above. NULL: nobody does
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL or no bytes
 *         TW_ERROR_OUT_OF_MEMORY     `data` is still the program's
 */
TW_API tw_status tw_async_storage_create_over(void *data, size_t bytes, void (*free_data)(void *data),
                                              tw_async_storage **storage);

/** Creates a storage with memory of its own, of undefined contents. Nothing waits for it: as if it was released.
 *  @return TW_ERROR_INVALID_ARGUMENT, TW_ERROR_OUT_OF_MEMORY  as above */
TW_API tw_status tw_async_storage_create(size_t bytes, tw_async_storage **storage);

/** @return what tw_buffer_create_with_storage() and tw_image_create_with_storage() take; valid while the storage is.
 *          NULL for NULL */
TW_API const tw_storage *tw_async_storage_get(const tw_async_storage *storage);

/** @return the memory: the contents of the buffer once the commands and the copy to it are done; NULL for NULL */
TW_API void *tw_async_storage_data(const tw_async_storage *storage);

/** From now on destroying the storage does not wait. NULL is allowed. */
TW_API void tw_async_storage_release(tw_async_storage *storage);

/**
 * Ends the program's use and sets *storage to NULL; NULL is allowed. Waits for the commands that use the memory and for
 * the contents to arrive in it, unless the storage was released; then frees the memory.
 *
 * @return TW_ERROR_BUSY  its buffer or image still exists: the storage is left as it was
 *         TW_ERROR_WOULD_DEADLOCK  the contents wait for a host accessor that this thread holds: likewise
 *         and how the copy went, where it waited: see tw_storage
 */
TW_API tw_status tw_async_storage_destroy(tw_async_storage **storage);

TW_END_DECLS

#endif
