/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Buffers (spec 3.6.1): arrays of 1 to 3 dimensions that kernels on any device share, and host accessors to them
 * (spec 3.6.4.7).
 *
 * A buffer has no fixed place: its contents are where they were last needed, on several devices at once if they are
 * only read. Elements are of any type; the buffer knows their size. Rows lie back to back, the last dimension fastest.
 *
 * Buffers are counted references. All functions are thread safe.
 */
#ifndef TEAMWORK_BUFFER_H
#define TEAMWORK_BUFFER_H

#include <teamwork/range.h>
#include <teamwork/status.h>

TW_BEGIN_DECLS

typedef struct tw_buffer tw_buffer;
typedef struct tw_host_accessor tw_host_accessor;

/** What an access does to the contents (spec Table 3.25). */
typedef enum tw_access_mode {
    TW_READ = 1,
    TW_WRITE = 2, /**< what is not overwritten is kept */
    TW_READ_WRITE = 3,
    TW_DISCARD_WRITE = 4, /**< earlier contents are not transferred: what is not overwritten is undefined */
    TW_DISCARD_READ_WRITE = 5,
    TW_ATOMIC = 6 /**< reading and writing, by atomic operations in kernels; device accessors only */
} tw_access_mode;

/**
 * Creates a buffer over host memory, which it uses for its whole life. Until the buffer is destroyed, the program
 * accesses the memory through host accessors only, or says what it has changed by tw_buffer_host_changed() (interop.h,
 * which also has buffers over memory on devices). Then the contents are back in it, unless tw_buffer_set_final_data()
 * sends them elsewhere. With TW_SIM_CHECK=1 and simulated devices, a change without notice makes the next command fail
 * that needs it and has an older copy: TW_ERROR_CHANGED_MEMORY.
 *
 * A range with a 0 in it has no elements: such a buffer is empty. It can be used as any other. Commands and host
 * accessors do not wait for others because of it, kernels get NULL, and it neither needs nor keeps host memory.
 *
 * @param host           `range` elements of `element_bytes` each; NULL is allowed if there are none
 * @param element_bytes  at least 1
 * @param range          1 to 3 dimensions
 * @param buffer         receives the buffer, with one reference
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL, elements of no bytes, or memory of tw_malloc_device() that is not the
 *                                    host's
 *         TW_ERROR_INVALID_RANGE     invalid dimensions, more bytes than size_t holds, or than the allocation of the
 *                                    library (tw_malloc_host(), usm.h) has that the memory lies in
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_buffer_create_over(void *host, size_t element_bytes, tw_range range, tw_buffer **buffer);

/**
 * Creates a buffer over host memory that is only read: write access is an error and nothing is written back. Parameters
 * as for tw_buffer_create_over().
 *
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL, elements of no bytes, or memory of tw_malloc_device() that is not the
 *                                    host's
 *         TW_ERROR_INVALID_RANGE     invalid dimensions, more bytes than size_t holds, or than the library's allocation
 *                                    has
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_buffer_create_over_const(const void *host, size_t element_bytes, tw_range range,
                                             tw_buffer **buffer);

/**
 * Creates a buffer without host memory: contents undefined, nothing written back, destruction never blocks, unless
 * tw_buffer_set_final_data() says otherwise. Parameters as for tw_buffer_create_over().
 *
 * @return TW_ERROR_INVALID_ARGUMENT  buffer is NULL, or elements of no bytes
 *         TW_ERROR_INVALID_RANGE     invalid dimensions, or more bytes than size_t holds
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_buffer_create(size_t element_bytes, tw_range range, tw_buffer **buffer);

/**
 * Creates a buffer as tw_buffer_create(), which starts as a copy of `data`. That is free again on return.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL, elements of no bytes, or memory of tw_malloc_device() that is not the
 *                                    host's
 *         TW_ERROR_INVALID_RANGE     invalid dimensions, more bytes than size_t holds, or than the library's allocation
 *                                    has
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_buffer_create_copy(const void *data, size_t element_bytes, tw_range range, tw_buffer **buffer);

/**
 * Creates a sub-buffer: a buffer that stands for a part of another one, a box of its elements (spec 3.6.1). Both share
 * the contents. Wherever a buffer can be given, the sub-buffer means that part alone: groups that access disjoint parts
 * need not wait for each other, on any devices, and only the elements that are missing somewhere are moved.
 *
 * The sub-buffer is a reference to the whole buffer too, so the contents live until both are destroyed, in any order.
 * The last of all these references is the one whose destruction waits, and brings the contents back. A sub-buffer of a
 * sub-buffer is one of the whole. Write access to a sub-buffer of a buffer over const memory is an error.
 *
 * @param offset  the first element, in those of `buffer`; as many dimensions as the buffer has
 * @param range   the elements, all of them in `buffer`; none, too: then the sub-buffer is empty
 * @param sub     receives the sub-buffer, with one reference
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL
 *         TW_ERROR_INVALID_RANGE     the part has other dimensions, or does not lie in the buffer
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_buffer_create_sub(tw_buffer *buffer, tw_id offset, tw_range range, tw_buffer **sub);

/**
 * Says where the contents go when the last reference to the buffer is destroyed (as set_final_data() of SYCL 1.2.1).
 * May be called any number of times before that; the last call counts. At first the place of a buffer over host memory
 * is that memory, and others have none. Memory on a device that a buffer is over (interop.h) gets the contents in any
 * case.
 *
 * With such a place, destroying the last reference waits for the commands that write the contents, and copies them
 * there. A buffer that nobody ever wrote has no contents, and the memory is left as it is.
 *
 * For a sub-buffer the call concerns its part alone: only that is moved and copied, besides what other calls ask for.
 * The place stays after the sub-buffer is destroyed, until the last reference to the whole buffer is. Each part has one
 * place; the whole and parts that overlap have their own.
 *
 * A buffer over host memory uses that until it is destroyed, also if the contents go elsewhere or nowhere: so
 * destruction waits for all commands that use it. The memory then holds undefined contents, except for parts whose
 * place is where they lie in it.
 *
 * @param memory  tw_buffer_count() elements back to back, which nobody else uses during the destruction; it does not
 *                overlap a buffer's host memory, unless it is the host memory of this buffer, or for a sub-buffer the
 *                address of its first element there: then the part stays where it is. NULL: nothing is written back
 * @return TW_ERROR_INVALID_ARGUMENT  the buffer is NULL, or has a storage, which says that (storage.h); or the memory is
 *                                    of tw_malloc_device(), and not the host's
 *         TW_ERROR_INVALID_RANGE     it lies in an allocation of the library that ends before the elements do
 *         TW_ERROR_OUT_OF_MEMORY     nothing has changed
 */
TW_API tw_status tw_buffer_set_final_data(tw_buffer *buffer, void *memory);

/**
 * Names a buffer for traces, summaries and other tools (tool.h). Sub-buffers share the name of the whole buffer.
 *
 * @param name  is copied; NULL or "": the buffer has no name any more
 * @return TW_ERROR_INVALID_ARGUMENT  the buffer is NULL
 *         TW_ERROR_OUT_OF_MEMORY     nothing has changed
 */
TW_API tw_status tw_buffer_set_name(tw_buffer *buffer, const char *name);

/** @return the range given at creation; invalid (dims 0) for NULL */
TW_API tw_range tw_buffer_range(const tw_buffer *buffer);
/** Element (i, j, k) lies (i * size[1] + j) * size[2] + k elements behind the first one.
 *  @return the range of the memory that the buffer lies in: that of the whole buffer for a sub-buffer; invalid (dims 0)
 *          for NULL */
TW_API tw_range tw_buffer_pitch(const tw_buffer *buffer);
/** @return the first element of a sub-buffer in the whole buffer; zero for others, invalid (dims 0) for NULL */
TW_API tw_id tw_buffer_offset(const tw_buffer *buffer);
/** @return the number of elements; 0 for NULL */
TW_API size_t tw_buffer_count(const tw_buffer *buffer);
/** @return the size of all elements in bytes; 0 for NULL */
TW_API size_t tw_buffer_size(const tw_buffer *buffer);
/** @return the size of one element in bytes; 0 for NULL */
TW_API size_t tw_buffer_element_size(const tw_buffer *buffer);

/** Adds a reference: another handle to the same data.
 *  @return the buffer; NULL for NULL */
TW_API tw_buffer *tw_buffer_retain(tw_buffer *buffer);

/**
 * Drops a reference and sets *buffer to NULL. NULL is allowed. With the last reference, a buffer over host memory, or
 * over memory on a device, waits for the commands that use it and, unless that memory is const, brings the contents
 * back to it. A buffer with final data does as tw_buffer_set_final_data() says. Any other buffer returns at once and
 * is freed when its last command is done. A group that accesses a buffer over host memory, or one that had final data
 * at that time, can no longer be submitted then.
 *
 * @return TW_ERROR_DATA_LOST       the command that should have written the contents failed: the host memory holds
 *                                  undefined contents, and final data elsewhere is left as it was; the detail names the
 *                                  command. Parts that have a place of their own and are not lost are there
 *         TW_ERROR_TRANSFER_FAILED  bringing the contents back failed; as above
 *         TW_ERROR_OUT_OF_BOUNDS   the contents are back, but some kernel has written beside the buffer on a simulated device
 *         TW_ERROR_OUT_OF_MEMORY   there was no memory to wait: the buffer is left as it was, and so is the reference
 *         TW_ERROR_WOULD_DEADLOCK  the call would have to wait for a host accessor of this thread, or for a command that
 *                                  waits for one: the buffer is left as it was, and so is the reference; final data
 *                                  elsewhere may have been written already
 */
TW_API tw_status tw_buffer_destroy(tw_buffer **buffer);

/* ---- host accessors ---------------------------------------------------------------------------------------------- */

/**
 * Gives the program access to a buffer's contents: waits for earlier commands on it and for the data, and holds back
 * later ones until the accessor is released. Any number of reading accessors may be open at once.
 *
 * @param accessor  receives the accessor; release it with tw_host_accessor_release(), on any thread
 * @return TW_ERROR_INVALID_ARGUMENT   a NULL or an unknown mode
 *         TW_ERROR_READ_ONLY_BUFFER   a mode that writes, on a buffer over const memory
 *         TW_ERROR_DATA_LOST          the command that should have written the contents failed, and the mode does not
 *                                     discard them
 *         TW_ERROR_TRANSFER_FAILED    the data could not be brought to the host; the call can be repeated, unless the
 *                                     mode writes and groups were submitted behind the access meanwhile
 *         TW_ERROR_OUT_OF_BOUNDS      as that was done it was found that some kernel has written beside the buffer on a
 *                                     simulated device; the contents are unharmed, and the call can be repeated as above
 *         TW_ERROR_WOULD_DEADLOCK     this thread has an accessor that the call would have to wait for
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_host_access(tw_buffer *buffer, tw_access_mode mode, tw_host_accessor **accessor);

/**
 * The same for a part of a buffer: `range` elements from `offset` on. Waits for those commands alone that access some
 * of these elements, moves no others, and holds back no command that accesses others.
 *
 * @param offset  the first element; as many dimensions as the buffer has
 * @param range   the elements, all of them in the buffer; if there are none, the call waits for nothing
 * @return TW_ERROR_INVALID_ARGUMENT   a NULL or an unknown mode
 *         TW_ERROR_INVALID_RANGE      the part has other dimensions, or does not lie in the buffer
 *         TW_ERROR_READ_ONLY_BUFFER   a mode that writes, on a buffer over const memory
 *         TW_ERROR_DATA_LOST          the command that should have written these elements failed, and the mode does not
 *                                     discard them
 *         TW_ERROR_TRANSFER_FAILED    the data could not be brought to the host; see tw_host_access()
 *         TW_ERROR_OUT_OF_BOUNDS      some kernel has written beside the buffer on a simulated device; likewise
 *         TW_ERROR_WOULD_DEADLOCK     this thread has an accessor that the call would have to wait for
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_host_access_part(tw_buffer *buffer, tw_id offset, tw_range range, tw_access_mode mode,
                                     tw_host_accessor **accessor);

/** @return the range of elements that the accessor gives access to; invalid (dims 0) for NULL */
TW_API tw_range tw_host_accessor_range(const tw_host_accessor *accessor);
/** @return the first of these elements in the buffer; invalid (dims 0) for NULL */
TW_API tw_id tw_host_accessor_offset(const tw_host_accessor *accessor);
/** @return the range of the memory that these elements lie in, as tw_buffer_pitch(); invalid (dims 0) for NULL */
TW_API tw_range tw_host_accessor_pitch(const tw_host_accessor *accessor);

/** For reading accessors use tw_host_accessor_const_data(): writing through a read accessor is undefined.
 *  TW_HOST_VIEW() of view.h takes indices.
 *  @return the contents, from the accessor's first element on: row-major, and rows as far apart as
 *          tw_host_accessor_pitch() says; valid until release. NULL for NULL; not NULL if there are no elements */
TW_API void *tw_host_accessor_data(tw_host_accessor *accessor);
/** @return what tw_host_accessor_data() returns, to be read only */
TW_API const void *tw_host_accessor_const_data(const tw_host_accessor *accessor);

/**
 * Ends the access and sets *accessor to NULL. NULL is allowed. Never blocks.
 *
 * @return TW_ERROR_OUT_OF_BOUNDS  a view of the accessor was used with an index outside, in a file compiled with
 *                                 TW_DEBUG_BOUNDS (view.h): the access has ended, and what it could write is lost
 */
TW_API tw_status tw_host_accessor_release(tw_host_accessor **accessor);

TW_END_DECLS

#endif
