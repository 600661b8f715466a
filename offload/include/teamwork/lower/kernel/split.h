/* SPDX-License-Identifier: Apache-2.0 */
/**
 * nd_range kernels that are split at their barriers, on a CPU: what lies between two barriers becomes a loop over the
 * work-items of a group, instead of a stack for each. It takes a plugin of clang (offload/compiler/), which finds the
 * places by the functions that are called there; `-DTW_SPLIT` puts these calls into kernels. Nothing calls them where
 * the plugin has been: a kernel that cannot be split, and any kernel without the plugin, finds that all of them
 * answer `false`, and goes by its stacks. (Only tw_internal_marker_local() and tw_internal_marker_same() answer with what
 * they were given.)
 */
#ifndef TEAMWORK_LOWER_SPLIT_H
#define TEAMWORK_LOWER_SPLIT_H

#include <teamwork/lower/kernel/region.h>

#if defined(TW_SPLIT) && defined(TW_INTERNAL_PASS_HOST)
#define TW_INTERNAL_SPLIT 1

/* Expands to: the head of a function tw_internal_marker_NAME() */
#define TW_INTERNAL_MARKER(type, name, ...)                                                                            \
    TW_INTERNAL_ROLE("marker")                                                                                         \
    TW_INTERNAL_FUNCTION(TW_INTERNAL_MARKER_ATTRIBUTES, type, tw_internal_marker_##name, __VA_ARGS__)
#define TW_INTERNAL_MARKER_ATTRIBUTES noinline, convergent, unused

/* Memory for what work-items keep from one loop to the next. NULL: there is none; the launch says so. */
static __attribute__((noinline, malloc, unused)) void *
tw_internal_split_memory(const struct tw_internal_nd_group *group, size_t bytes)
{
    return group->launch->cpu->split_memory(group->run, bytes);
}

/* Where work-items leave values for each other. If the size of the group is constant, the plugin takes a variable instead. */
#define TW_INTERNAL_EXCHANGE_ATTRIBUTES noinline, pure, unused
TW_INTERNAL_FUNCTION(TW_INTERNAL_EXCHANGE_ATTRIBUTES, void *, tw_internal_split_exchange,
                     const struct tw_internal_nd_group *group)
{
    return group->exchange;
}

/* Work-items went different ways to barriers: gives the group up, and does not return. */
static __attribute__((noinline, cold, unused)) void tw_internal_split_diverge(const struct tw_internal_nd_group *group,
                                                                              size_t waiting, size_t elsewhere,
                                                                              int line, int other_line)
{
    group->launch->cpu->diverge(group->run, waiting, elsewhere, line, other_line);
}

/* Code of work-items begins behind this, and three ids. */
TW_INTERNAL_MARKER(void, begin, const struct tw_internal_nd_group *group,
                   void *(*memory)(const struct tw_internal_nd_group *, size_t),
                   void (*diverge)(const struct tw_internal_nd_group *, size_t, size_t, int, int))
{
    __asm__ volatile("" : : "r"(group), "r"(memory), "r"(diverge) : "memory");
}

/* The index of the work-item in the loop of this level, which has `extent` turns. */
TW_INTERNAL_MARKER(size_t, id, unsigned level, size_t extent)
{
    __asm__ volatile("" : : "r"(level), "r"(extent) : "memory");
    return 0;
}

/* All work-items come here before one goes on; whether that is done. */
TW_INTERNAL_MARKER(bool, barrier, int line)
{
    __asm__ volatile("" : : "r"(line) : "memory");
    return false;
}

/* All work-items come here, and one of them runs what follows, up to the next barrier; whether that is done. */
TW_INTERNAL_MARKER(bool, once, void)
{
    __asm__ volatile("" : : : "memory");
    return false;
}

/* Stands in the condition of a loop over work-items. */
TW_INTERNAL_MARKER(void, items, void)
{
    __asm__ volatile("" : : : "memory");
}
#define TW_INTERNAL_ITEMS tw_internal_marker_items()

/* The same, where so many work-items share out the turns: work-item w has turns w, w + items, and so on, in this order. */
TW_INTERNAL_MARKER(void, points, size_t items)
{
    __asm__ volatile("" : : "r"(items) : "memory");
}
#define TW_INTERNAL_POINTS(items) tw_internal_marker_points(items)

/* Stands in the condition of TW_ONCE, and where a turn of it or of a loop in a hierarchical kernel is over. */
TW_INTERNAL_MARKER(void, alone, void)
{
    __asm__ volatile("" : : : "memory");
}
TW_INTERNAL_MARKER(void, end, void)
{
    __asm__ volatile("" : : : "memory");
}
#define TW_INTERNAL_ALONE tw_internal_marker_alone()
#define TW_INTERNAL_END tw_internal_marker_end()

/* Local memory of the launch, which only the thread that runs the group can see. */
TW_INTERNAL_MARKER(void *, local, void *memory)
{
    return memory;
}
#define TW_INTERNAL_OF_THREAD(memory) tw_internal_marker_local(memory)

/* Memory of which all work-items read the same before the next barrier. */
#define TW_INTERNAL_SAME_ATTRIBUTES noinline, const, unused
TW_INTERNAL_ROLE("marker")
TW_INTERNAL_FUNCTION(TW_INTERNAL_SAME_ATTRIBUTES, void *, tw_internal_marker_same, void *memory)
{
    return memory;
}
#define TW_INTERNAL_SAME(memory) tw_internal_marker_same(memory)

/* Whether this function, one work-item of a kernel, has become the whole group. */
TW_INTERNAL_MARKER(bool, done, void (*items)(const struct tw_internal_nd_group *group))
{
    (void)items;
    return false;
}

/* The same, where the size of the group is a usual one, which the kernel does not ask for. */
TW_INTERNAL_MARKER(bool, sized, void (*items)(const struct tw_internal_nd_group *group))
{
    (void)items;
    return false;
}

#else

#define TW_INTERNAL_ITEMS (void)0
#define TW_INTERNAL_POINTS(items) (void)0
#define TW_INTERNAL_ALONE (void)0
#define TW_INTERNAL_END (void)0
#define TW_INTERNAL_OF_THREAD(memory) (memory)
#define TW_INTERNAL_SAME(memory) (memory)

TW_DEVICE_INLINE bool tw_internal_marker_barrier(int line)
{
    (void)line;
    return false;
}

TW_DEVICE_INLINE bool tw_internal_marker_once(void)
{
    return false;
}

#endif

#endif
