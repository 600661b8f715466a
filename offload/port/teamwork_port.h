/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What code calls that teamwork-port has moved from OpenMP: data directives and map clauses as functions, and a table
 * from host memory to the buffers that stand for it. Functions that pass plain pointers find the buffers there, so they
 * keep their parameters. It is a stage: code that has its buffers at hand calls the library directly, and needs none of
 * this (docs/porting.md).
 *
 * The contents of a buffer and those of the host memory are two, as in OpenMP: only what entered with TO or TOFROM is
 * copied to the buffer, and only updates and exits copy. What OpenMP itself has mapped, by directives that stay, is used
 * where it is.
 *
 * Any error ends the program with its message, as a failed target region does: there is no other way to tell the caller
 * of what was a directive.
 *
 * Header only: all files of a program share one table. A lock guards it.
 */
#ifndef TEAMWORK_PORT_H
#define TEAMWORK_PORT_H

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __cplusplus
#include <limits>
#endif

#include <teamwork/teamwork.h>

enum tw_port_kind { TW_PORT_ALLOC_KIND, TW_PORT_TO_KIND, TW_PORT_FROM_KIND, TW_PORT_TOFROM_KIND, TW_PORT_DELETE_KIND };

/* One item of a map clause: `count` elements. */
struct tw_port_map {
    void *host;
    size_t element_bytes, count;
    enum tw_port_kind kind;
};

/* Host memory that a buffer stands for, as long as `references` is not 0. */
struct tw_port_entry {
    unsigned char *host;
    size_t bytes, element_bytes;
    size_t references;
    tw_buffer *buffer;
    bool is_openmp; /* over device memory to which OpenMP maps: contents are copied by OpenMP alone */
};

struct tw_port_state {
    tw_queue *queue;
    struct tw_port_entry *entries;
    size_t count, capacity;
};

/* Weak: the files of a program have one state and one lock together. */
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) struct tw_port_state tw_port_state;
__attribute__((weak)) bool tw_port_locked;
#ifdef __cplusplus
}
#endif

/* The items of map clauses: `count` elements from pointer[first] on; of motion clauses too. */
#define TW_PORT_ITEM(pointer, first, count, kind)                                                                      \
    {(void *)((pointer) + (first)), sizeof *(pointer), (size_t)(count), kind}
#define TW_PORT_ALLOC(pointer, first, count) TW_PORT_ITEM(pointer, first, count, TW_PORT_ALLOC_KIND)
#define TW_PORT_TO(pointer, first, count) TW_PORT_ITEM(pointer, first, count, TW_PORT_TO_KIND)
#define TW_PORT_FROM(pointer, first, count) TW_PORT_ITEM(pointer, first, count, TW_PORT_FROM_KIND)
#define TW_PORT_TOFROM(pointer, first, count) TW_PORT_ITEM(pointer, first, count, TW_PORT_TOFROM_KIND)
#define TW_PORT_RELEASE TW_PORT_ALLOC
#define TW_PORT_DELETE(pointer, first, count) TW_PORT_ITEM(pointer, first, count, TW_PORT_DELETE_KIND)
/* The elements of an array. */
#define TW_PORT_COUNT(array) (sizeof(array) / sizeof *(array))

/* Begins and ends what was a `target data` region, or the map clauses of a target region. BEGIN declares `maps`, which
   keeps the addresses: the program may give its pointers other values before the end. */
#define TW_PORT_BEGIN(maps, ...)                                                                                       \
    const struct tw_port_map maps[] = {__VA_ARGS__};                                                                   \
    tw_port_enter(maps, sizeof maps / sizeof *maps)
#define TW_PORT_END(maps) tw_port_exit(maps, sizeof maps / sizeof *maps)

/* What was `target enter data`, `target exit data` and `target update`. */
#define TW_PORT_DO(function, ...)                                                                                      \
    do {                                                                                                               \
        const struct tw_port_map tw_port_items[] = {__VA_ARGS__};                                                      \
        function(tw_port_items, sizeof tw_port_items / sizeof *tw_port_items);                                         \
    } while (0)
#define TW_PORT_ENTER(...) TW_PORT_DO(tw_port_enter, __VA_ARGS__)
#define TW_PORT_EXIT(...) TW_PORT_DO(tw_port_exit, __VA_ARGS__)
#define TW_PORT_UPDATE(...) TW_PORT_DO(tw_port_update, __VA_ARGS__)

/* Where a reduction goes: to a variable of the host that has been entered, in addition to its value. */
#define TW_PORT_REDUCE(group, pointer) TW_REDUCE_AT(group, tw_port_buffer(pointer), tw_port_index(pointer))

static inline void tw_port_check(tw_status status, const char *what)
{
    if (status == TW_SUCCESS)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, tw_status_name(status), tw_error_detail());
    abort();
}

static inline void tw_port_refuse(const char *what)
{
    fprintf(stderr, "teamwork_port.h: %s\n", what);
    abort();
}

/* The lock of the table. Without <pthread.h>, which brings names such as clock() into programs that have their own. */
static inline void tw_port_lock(void)
{
    while (__atomic_exchange_n(&tw_port_locked, true, __ATOMIC_ACQUIRE))
        ;
}

static inline void tw_port_unlock(void)
{
    __atomic_store_n(&tw_port_locked, false, __ATOMIC_RELEASE);
}

/* Returns the queue of all that was moved: on OpenMP's default device, or where the library has another one alone, as
   TW_DEVICES may say, on that. Regions that stay run on the same device. */
static inline tw_queue *tw_port_queue(void)
{
    tw_port_lock();
    if (!tw_port_state.queue) {
        if (tw_queue_create(tw_omp_default_selector, NULL, NULL, NULL, &tw_port_state.queue) != TW_SUCCESS)
            tw_port_check(tw_queue_create(tw_default_selector, NULL, NULL, NULL, &tw_port_state.queue),
                          "tw_port_queue()");
        const int number = tw_device_omp_number(tw_queue_device(tw_port_state.queue));
        if (number >= 0)
            omp_set_default_device(number);
    }
    tw_queue *queue = tw_port_state.queue;
    tw_port_unlock();
    return queue;
}

/* Waits for all kernels so far. */
static inline void tw_port_wait(void)
{
    tw_port_check(tw_queue_wait(tw_port_queue()), "tw_port_wait()");
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Returns the entry whose memory an address lies in; NULL if there is none. The caller holds the lock. */
static inline struct tw_port_entry *tw_port_find_locked(const volatile void *host)
{
    const unsigned char *address = (const unsigned char *)host;
    for (size_t i = 0; i < tw_port_state.count; ++i) {
        struct tw_port_entry *entry = &tw_port_state.entries[i];
        if (address >= entry->host && address < entry->host + entry->bytes)
            return entry;
    }
    return NULL;
}

/* Likewise. Stores the entry, which only stays as it is if no other thread ends it meanwhile, as in OpenMP. */
static inline bool tw_port_find(const volatile void *host, struct tw_port_entry *found)
{
    tw_port_lock();
    const struct tw_port_entry *entry = tw_port_find_locked(host);
    if (entry)
        *found = *entry;
    tw_port_unlock();
    return entry != NULL;
}

/* Returns where a directive of OpenMP, which has not been moved, has put host memory on the default device; the pointer
   itself if there is none, and where the device uses the host's memory. */
static inline void *tw_port_mapped(const volatile void *host)
{
    char *address = (char *)host;
    (void)tw_port_queue();
#pragma omp target data use_device_ptr(address)
    {
        if (address) /* it is not mapped, if it is NULL */
            host = address;
    }
    return (void *)host;
}

/* Returns the buffer that stands for the memory at an address. */
static inline tw_buffer *tw_port_buffer(const volatile void *host)
{
    struct tw_port_entry entry;
    if (!tw_port_find(host, &entry))
        tw_port_refuse("a reduction goes to a variable that is not mapped, or that OpenMP has mapped");
    return entry.buffer;
}

/* Returns the element of that buffer which is at the address. */
static inline size_t tw_port_index(const volatile void *host)
{
    struct tw_port_entry entry;
    return tw_port_find(host, &entry) ? (size_t)((const unsigned char *)host - entry.host) / entry.element_bytes : 0;
}

/* ---- entering and leaving ---------------------------------------------------------------------------------------- */

/* Copies the elements of an item between the host and the buffer of an entry. */
static inline void tw_port_copy(const struct tw_port_entry *entry, const struct tw_port_map *map, bool to_buffer)
{
    const size_t skipped = (size_t)((unsigned char *)map->host - entry->host);
    size_t bytes = map->element_bytes * map->count;
    if (bytes > entry->bytes - skipped)
        tw_port_refuse("more of an array is copied than was mapped");
    if (skipped % entry->element_bytes || bytes % entry->element_bytes)
        tw_port_refuse("an array is mapped and copied as elements of different sizes");
    const tw_id first = tw_id_1d(skipped / entry->element_bytes);
    const tw_range range = tw_range_1d(bytes / entry->element_bytes);
    tw_port_check(to_buffer ? tw_buffer_write_part(entry->buffer, first, range, map->host)
                            : tw_buffer_read_part(entry->buffer, first, range, map->host),
                  to_buffer ? "copy to the device" : "copy to the host");
}

/* Creates the buffer of a new entry: over the memory that OpenMP has mapped the item to, if a directive that stays has
   done that, else one of its own. */
static inline void tw_port_create(struct tw_port_entry *entry, const struct tw_port_map *map, void *mapped)
{
    const tw_range range = tw_range_1d(map->count);
    tw_status status;
    entry->is_openmp = mapped != map->host;
    if (entry->is_openmp)
        status = tw_buffer_create_over_device(mapped, tw_queue_device(tw_port_state.queue), NULL, map->element_bytes,
                                              range, &entry->buffer);
    else if (map->kind == TW_PORT_TO_KIND || map->kind == TW_PORT_TOFROM_KIND)
        status = tw_buffer_create_copy(map->host, map->element_bytes, range, &entry->buffer);
    else
        status = tw_buffer_create(map->element_bytes, range, &entry->buffer);
    tw_port_check(status, "a map clause");
}

static inline void tw_port_enter_one(const struct tw_port_map *map)
{
    if (!map->count || !map->host)
        return;
    void *mapped = tw_port_mapped(map->host);
    tw_port_lock();
    struct tw_port_entry *entry = tw_port_find_locked(map->host);
    if (entry) {
        const size_t skipped = (size_t)((unsigned char *)map->host - entry->host);
        if (map->element_bytes * map->count > entry->bytes - skipped)
            tw_port_refuse("more of an array is mapped than was mapped before");
        ++entry->references;
        tw_port_unlock();
        return;
    }
    if (tw_port_state.count == tw_port_state.capacity) {
        tw_port_state.capacity = tw_port_state.capacity ? 2 * tw_port_state.capacity : 16;
        tw_port_state.entries = (struct tw_port_entry *)realloc(tw_port_state.entries,
                                                                tw_port_state.capacity * sizeof *tw_port_state.entries);
        if (!tw_port_state.entries)
            tw_port_refuse("no memory for the table of buffers");
    }
    entry = &tw_port_state.entries[tw_port_state.count++];
    entry->host = (unsigned char *)map->host;
    entry->bytes = map->element_bytes * map->count;
    entry->element_bytes = map->element_bytes;
    entry->references = 1;
    tw_port_create(entry, map, mapped);
    tw_port_unlock();
}

static inline void tw_port_exit_one(const struct tw_port_map *map)
{
    struct tw_port_entry ended;
    ended.buffer = NULL;
    tw_port_lock();
    struct tw_port_entry *entry = map->count && map->host ? tw_port_find_locked(map->host) : NULL;
    if (entry && (map->kind == TW_PORT_DELETE_KIND || --entry->references == 0)) {
        ended = *entry;
        *entry = tw_port_state.entries[--tw_port_state.count];
    }
    tw_port_unlock();
    if (!ended.buffer)
        return;
    if (!ended.is_openmp && (map->kind == TW_PORT_FROM_KIND || map->kind == TW_PORT_TOFROM_KIND))
        tw_port_copy(&ended, map, false);
    tw_port_check(tw_buffer_destroy(&ended.buffer), "end of a mapping");
}

static inline void tw_port_enter(const struct tw_port_map *maps, size_t count)
{
    (void)tw_port_queue();
    for (size_t i = 0; i < count; ++i)
        tw_port_enter_one(&maps[i]);
}

static inline void tw_port_exit(const struct tw_port_map *maps, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        tw_port_exit_one(&maps[i]);
}

/* Copies items that are mapped: TO to the device, FROM to the host. What is not mapped is left alone, as in OpenMP. */
static inline void tw_port_update(const struct tw_port_map *maps, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        struct tw_port_entry entry;
        if (maps[i].count && tw_port_find(maps[i].host, &entry))
            tw_port_copy(&entry, &maps[i], maps[i].kind == TW_PORT_TO_KIND);
    }
}

/* ---- accessors --------------------------------------------------------------------------------------------------- */

/* Returns what a kernel of the group uses for a pointer of the host. */
static inline void *tw_port_access(tw_command_group *group, const volatile void *host, tw_access_mode mode,
                                   size_t bytes)
{
    struct tw_port_entry entry;
    if (!host)
        return (void *)TW_NULL;
    if (!tw_port_find(host, &entry))
        return tw_port_mapped(host);
    const size_t skipped = (size_t)((const unsigned char *)host - entry.host);
    if (mode == TW_DISCARD_WRITE && (skipped || bytes != entry.bytes))
        mode = TW_WRITE;
    unsigned char *data = (unsigned char *)tw_access(group, entry.buffer, mode, TW_GLOBAL);
    return data ? data + skipped : NULL;
}

/* tw_port_read(cg, x) and so on: accessors of the buffer that stands for x. tw_port_discard_write(cg, x, n) is for a
   kernel that writes the first n bytes behind x: the old contents of the buffer are dropped if these are all of it. */
#ifdef __cplusplus
template <typename T> static inline const T *tw_port_read(tw_command_group *group, const T *host)
{
    return (const T *)tw_port_access(group, host, TW_READ, 0);
}
template <typename T> static inline T *tw_port_write(tw_command_group *group, T *host)
{
    return (T *)tw_port_access(group, host, TW_WRITE, 0);
}
template <typename T> static inline T *tw_port_read_write(tw_command_group *group, T *host)
{
    return (T *)tw_port_access(group, host, TW_READ_WRITE, 0);
}
template <typename T> static inline T *tw_port_discard_write(tw_command_group *group, T *host, size_t bytes)
{
    return (T *)tw_port_access(group, host, TW_DISCARD_WRITE, bytes);
}
#else
static inline const void *tw_port_read(tw_command_group *group, const volatile void *host)
{
    return tw_port_access(group, host, TW_READ, 0);
}
static inline void *tw_port_write(tw_command_group *group, const volatile void *host)
{
    return tw_port_access(group, host, TW_WRITE, 0);
}
static inline void *tw_port_read_write(tw_command_group *group, const volatile void *host)
{
    return tw_port_access(group, host, TW_READ_WRITE, 0);
}
static inline void *tw_port_discard_write(tw_command_group *group, const volatile void *host, size_t bytes)
{
    return tw_port_access(group, host, TW_DISCARD_WRITE, bytes);
}
#endif

/* ---- regions that stay ------------------------------------------------------------------------------------------- */

/*
 * A target region beside kernels, as a native task: the library orders it by its accessors, and nothing waits for it. At
 * file scope, before the function that it was in, with what it takes as pairs of type and name, up to 16:
 *
 *     TW_PORT_REGION(damp, (double *, y), (size_t, n))
 *     {
 *     #pragma omp target teams distribute parallel for
 *         for (size_t i = 0; i < n; ++i)
 *             y[i] *= 0.99;
 *     }
 *
 * and in its place, with accessors of the group, here `cg`, and the values:
 *
 *     TW_PORT_SUBMIT(queue, cg, damp, (tw_read_write(cg, y_buffer)), y, n);
 *
 * It loses `nowait` and `depend`. It needs no device clause: the queue's device is OpenMP's default device meanwhile.
 */
#define TW_PORT_REGION(name, ...)                                                                                      \
    struct name {                                                                                                      \
        TW_INTERNAL_EACH_TUPLE(TW_PORT_MEMBER, name, __VA_ARGS__)                                                      \
    };                                                                                                                 \
    static inline void name##_region(                                                                                  \
        const struct name *tw_block_ TW_INTERNAL_EACH_TUPLE(TW_PORT_PARAMETER, name, __VA_ARGS__));                    \
    static tw_status name(const void *tw_data_, const tw_native *tw_native_)                                           \
    {                                                                                                                  \
        const struct name *tw_block_ = (const struct name *)tw_data_;                                                  \
        (void)tw_native_;                                                                                              \
        name##_region(tw_block_ TW_INTERNAL_EACH_TUPLE(TW_PORT_VALUE, name, __VA_ARGS__));                             \
        return TW_SUCCESS;                                                                                             \
    }                                                                                                                  \
    static inline void name##_region(__attribute__((unused)) const struct name *tw_block_ TW_INTERNAL_EACH_TUPLE(      \
        TW_PORT_PARAMETER, name, __VA_ARGS__))
#define TW_PORT_SUBMIT(queue, group, name, accessors, ...)                                                             \
    do {                                                                                                               \
        TW_COMMAND_GROUP(queue, group) {                                                                               \
            const struct name tw_block_ = {__VA_ARGS__};                                                               \
            (void)accessors;                                                                                           \
            tw_native_task(group, name, &tw_block_, sizeof tw_block_);                                                 \
        }                                                                                                              \
    } while (0)

#define TW_PORT_MEMBER(region, type, name) type name;
#define TW_PORT_PARAMETER(region, type, name) , type name
#define TW_PORT_VALUE(region, type, name) , tw_block_->name

/* ---- kernels in templates ---------------------------------------------------------------------------------------- */

/*
 * A kernel of a function template is a template over its block, and a kernel object for each instantiation:
 *
 *     template <typename T> struct scale { T *x; };
 *     template <typename T> static inline void scale_body(tw_item item, const scale<T> *k) { ... }
 *     TW_PORT_INSTANCE(scale_float, scale_body, tw_item, scale<float>);
 *     TW_RANGE_KERNEL(static scale_float, 1);
 *     TW_PORT_KERNEL(scale_float, scale<float>);
 *
 * In the function template the block is what the kernel is found by:
 *
 *     using scale_block = scale<T>;
 *     tw_port_parallel_for(cg, tw_range_1d(n), scale_block, .x = tw_port_write(cg, x));
 */
#ifdef __cplusplus
#define TW_PORT_INSTANCE(name, body, item, ...)                                                                        \
    struct name : __VA_ARGS__ {                                                                                        \
    };                                                                                                                 \
    static inline void name(item tw_item_, const struct name *tw_block_)                                               \
    {                                                                                                                  \
        body(tw_item_, tw_block_);                                                                                     \
    }                                                                                                                  \
    static_assert(1, "")
#define TW_PORT_TASK_INSTANCE(name, body, ...)                                                                         \
    struct name : __VA_ARGS__ {                                                                                        \
    };                                                                                                                 \
    static inline void name(const struct name *tw_block_)                                                              \
    {                                                                                                                  \
        body(tw_block_);                                                                                               \
    }                                                                                                                  \
    static_assert(1, "")
#define TW_PORT_KERNEL(name, ...)                                                                                      \
    static inline const tw_kernel *tw_port_kernel(const __VA_ARGS__ *)                                                 \
    {                                                                                                                  \
        return TW_KERNEL(name);                                                                                        \
    }                                                                                                                  \
    static_assert(1, "")

/* What maxima and minima begin with. */
template <typename T> constexpr T tw_port_least()
{
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
}
template <typename T> constexpr T tw_port_greatest()
{
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
}

#define TW_PORT_ARGUMENTS(block, ...)                                                                                  \
    tw_port_kernel((const block *)nullptr), TW_INTERNAL_C_INITIALIZERS(tw_internal_address_of(block{__VA_ARGS__})),    \
        sizeof(block)
#define tw_port_single_task(group, block, ...) tw_single_task_kernel(group, TW_PORT_ARGUMENTS(block, __VA_ARGS__))
#define tw_port_parallel_for(group, range, block, ...)                                                                 \
    tw_parallel_for_kernel(group, range, TW_PORT_ARGUMENTS(block, __VA_ARGS__))
#define tw_port_parallel_for_offset(group, range, offset, block, ...)                                                  \
    tw_parallel_for_offset_kernel(group, range, offset, TW_PORT_ARGUMENTS(block, __VA_ARGS__))
#define tw_port_parallel_for_work_group(group, groups, local, block, ...)                                              \
    tw_parallel_for_work_group_kernel(group, groups, local, TW_PORT_ARGUMENTS(block, __VA_ARGS__))
#define tw_port_parallel_for_nd_range(group, range, block, ...)                                                        \
    tw_parallel_for_nd_range_kernel(group, range, TW_PORT_ARGUMENTS(block, __VA_ARGS__))
#endif

/* Returns how often a loop runs: from `first` in steps of `step`, until it reaches or passes `end`. */
static inline size_t tw_port_trips(long long first, long long end, long long step)
{
    const long long distance = step > 0 ? end - first : first - end;
    const long long stride = step > 0 ? step : -step;
    return distance > 0 ? (size_t)((distance + stride - 1) / stride) : 0;
}

#endif
