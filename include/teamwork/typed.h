/* SPDX-License-Identifier: Apache-2.0 */
/**
 * For C++: the functions that give memory, with the type of what lies in it as a template argument. Empty in C.
 *
 *     const float *x = tw_read<float>(cg, buffer);
 *     float *y = tw_write_part<float>(cg, buffer, tw_id_1d(0), tw_range_1d(16));
 *     float *shared = tw_malloc_shared<float>(device, 1000);    1000 floats
 *     const float *data = tw_host_accessor_const_data<float>(accessor);
 *
 * They do what the functions without a type do, with the same errors. A type that has another size than the buffer's
 * elements is not an error: a buffer of float may be read as tw_float4.
 *
 *     const T *tw_read<T>(group, buffer)          tw_read_constant<T>
 *     T *tw_write<T>(group, buffer)               tw_read_write<T>  tw_discard_write<T>  tw_discard_read_write<T>  tw_atomic<T>
 *     const T *tw_host_read<T>(group, buffer)     for host tasks (task.h)
 *     T *tw_host_write<T>(group, buffer)          tw_host_read_write<T>  tw_host_discard_write<T>
 *     NAME_part<T>(group, buffer, offset, range)  each of these for a part of a buffer
 *     NAME_mapped<T>(group, buffer, mapper)       those of kernels but tw_read_constant<T>, with a range mapper
 *     T *tw_host_accessor_data<T>(accessor)
 *     const T *tw_host_accessor_const_data<T>(accessor)
 *     T *tw_malloc_device<T>(device, count)       `count` elements; NULL also where that is more than a size_t of bytes
 *     T *tw_malloc_shared<T>(device, count)
 *     T *tw_malloc_host<T>(count)
 *     T *tw_malloc_async<T>(queue, count)
 *
 * Accessors need no type where they are assigned: what they give converts to a pointer of any type, and that of a
 * reading accessor to a pointer to const alone.
 */
#ifndef TEAMWORK_TYPED_H
#define TEAMWORK_TYPED_H

#include <teamwork/buffer.h>
#include <teamwork/command_group.h>
#include <teamwork/host_memory.h>
#include <teamwork/range_mapper.h>
#include <teamwork/task.h>
#include <teamwork/usm.h>

#ifdef __cplusplus

#define TW_INTERNAL_TYPED(name, ...)                                                                                   \
    template <typename T> inline __VA_ARGS__ *name(tw_command_group *group, tw_buffer *buffer)                         \
    {                                                                                                                  \
        return name(group, buffer);                                                                                    \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    inline __VA_ARGS__ *name##_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range)          \
    {                                                                                                                  \
        return name##_part(group, buffer, offset, range);                                                              \
    }
TW_INTERNAL_TYPED(tw_read, const T)
TW_INTERNAL_TYPED(tw_read_constant, const T)
TW_INTERNAL_TYPED(tw_write, T)
TW_INTERNAL_TYPED(tw_read_write, T)
TW_INTERNAL_TYPED(tw_discard_write, T)
TW_INTERNAL_TYPED(tw_discard_read_write, T)
TW_INTERNAL_TYPED(tw_atomic, T)
TW_INTERNAL_TYPED(tw_host_read, const T)
TW_INTERNAL_TYPED(tw_host_write, T)
TW_INTERNAL_TYPED(tw_host_read_write, T)
TW_INTERNAL_TYPED(tw_host_discard_write, T)
#undef TW_INTERNAL_TYPED

#define TW_INTERNAL_TYPED_MAPPED(name, ...)                                                                            \
    template <typename T> inline __VA_ARGS__ *name(tw_command_group *group, tw_buffer *buffer, tw_range_mapper mapper) \
    {                                                                                                                  \
        return name(group, buffer, mapper);                                                                            \
    }
TW_INTERNAL_TYPED_MAPPED(tw_read_mapped, const T)
TW_INTERNAL_TYPED_MAPPED(tw_write_mapped, T)
TW_INTERNAL_TYPED_MAPPED(tw_read_write_mapped, T)
TW_INTERNAL_TYPED_MAPPED(tw_discard_write_mapped, T)
TW_INTERNAL_TYPED_MAPPED(tw_discard_read_write_mapped, T)
TW_INTERNAL_TYPED_MAPPED(tw_atomic_mapped, T)
#undef TW_INTERNAL_TYPED_MAPPED

template <typename T> inline T *tw_host_accessor_data(tw_host_accessor *accessor)
{
    return static_cast<T *>(tw_host_accessor_data(accessor));
}

template <typename T> inline const T *tw_host_accessor_const_data(const tw_host_accessor *accessor)
{
    return static_cast<const T *>(tw_host_accessor_const_data(accessor));
}

template <typename T> inline T *tw_malloc_device(tw_device *device, size_t count)
{
    return count > SIZE_MAX / sizeof(T) ? nullptr : static_cast<T *>(tw_malloc_device(device, count * sizeof(T)));
}

template <typename T> inline T *tw_malloc_shared(tw_device *device, size_t count)
{
    return count > SIZE_MAX / sizeof(T) ? nullptr : static_cast<T *>(tw_malloc_shared(device, count * sizeof(T)));
}

template <typename T> inline T *tw_malloc_async(tw_queue *queue, size_t count)
{
    return count > SIZE_MAX / sizeof(T) ? nullptr : static_cast<T *>(tw_malloc_async(queue, count * sizeof(T)));
}

template <typename T> inline T *tw_malloc_host(size_t count)
{
    return count > SIZE_MAX / sizeof(T) ? nullptr : static_cast<T *>(tw_malloc_host(count * sizeof(T)));
}

#endif

#endif
