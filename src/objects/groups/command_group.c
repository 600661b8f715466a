/* SPDX-License-Identifier: Apache-2.0 */
/* Records command groups (spec 3.5.6): what the program adds to a group that is open, with every check of a launch that
   is possible before it. Knows nothing of where groups come from and where they go: command_group_submit.c. */
#define _GNU_SOURCE
#include "command_group.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/range_check.h"
#include "graph/division.h"
#include "objects/data/buffer.h"
#include "runtime/allocation.h"
#include "runtime/evict.h"
#include "runtime/workers.h"

bool tw_command_group_is_on_host(const struct tw_command_group *group)
{
    return group->queue->device->space == 0;
}

/* ---- accessors --------------------------------------------------------------------------------------------------- */

static bool grow_uses(struct tw_command_group *group)
{
    const size_t capacity = 2 * group->use_capacity;
    struct tw_use *grown = malloc(capacity * sizeof *grown);
    if (!grown)
        return false;
    memcpy(grown, group->uses, group->use_count * sizeof *grown);
    if (group->uses != group->few_uses)
        free(group->uses);
    group->uses = grown;
    group->use_capacity = capacity;
    return true;
}

/* Returns room for one more use of a buffer, or NULL if memory is exhausted. */
static inline struct tw_use *append_use(struct tw_command_group *group, struct tw_buffer *root)
{
    if (group->use_count == group->use_capacity && !grow_uses(group))
        return NULL;
    atomic_fetch_add(&root->uses, 1); /* the caller's handle keeps it alive; before it looks for the address: evict.h */
    group->borrows |= atomic_load_explicit(&root->lent, memory_order_relaxed);
    return &group->uses[group->use_count++];
}

/* Adds a use that is disjoint from all others. With one of the same kind it becomes one, if both make up a box: so parts
   that lie side by side are brought by one copy. Returns false if memory is exhausted. */
static bool add_disjoint(struct tw_command_group *group, struct tw_buffer *root, const struct tw_use *use)
{
    for (size_t i = 0; i < group->use_count; ++i) {
        struct tw_use *other = &group->uses[i];
        if (other->data == use->data && other->needs == use->needs && other->writes == use->writes
            && other->samples == use->samples && tw_box_merge(&other->box, &use->box)) {
            other->is_part = !tw_box_covers(&other->box, &use->data->whole);
            return true;
        }
    }
    struct tw_use *added = append_use(group, root);
    if (added)
        *added = *use;
    return added != NULL;
}

/* Adds parts of a use, as add_disjoint(). */
static bool add_pieces(struct tw_command_group *group, struct tw_buffer *root, struct tw_use use,
                       const struct tw_box *pieces, size_t count)
{
    bool enough = true;
    use.is_part = true;
    for (size_t i = 0; i < count && enough; ++i) {
        use.box = pieces[i];
        enough = add_disjoint(group, root, &use);
    }
    return enough;
}

/* Adds a use to the group's uses of the same buffer, from number `from` on. The uses stay disjoint: what two of them
   have in common becomes one of its own, unless the older one does all that the new one does. Returns false if memory is
   exhausted. */
static bool merge_use(struct tw_command_group *group, struct tw_buffer *root, struct tw_use use, size_t from)
{
    struct tw_box pieces[TW_BOX_PIECES];
    while (from < group->use_count
           && (group->uses[from].data != use.data || !tw_box_overlaps(&group->uses[from].box, &use.box)))
        ++from;
    if (from == group->use_count)
        return add_disjoint(group, root, &use);
    const struct tw_use other = group->uses[from];
    const struct tw_box both = tw_box_intersect(&other.box, &use.box);
    const bool adds = (use.needs && !other.needs) || (use.writes && !other.writes) || (use.samples && !other.samples);
    if (adds) {
        group->uses[from].box = both;
        group->uses[from].is_part = !tw_box_covers(&both, &root->data.whole);
        group->uses[from].needs = other.needs || use.needs;
        group->uses[from].writes = other.writes || use.writes;
        group->uses[from].samples = other.samples || use.samples;
    }
    if (adds && !add_pieces(group, root, other, pieces, tw_box_subtract(&other.box, &both, pieces)))
        return false;
    const size_t count = tw_box_subtract(&use.box, &both, pieces);
    for (size_t i = 0; i < count; ++i) {
        use.box = pieces[i];
        use.is_part = true;
        if (!merge_use(group, root, use, from + 1))
            return false;
    }
    return true;
}

/* Adds the use of a box of a buffer to the group's. Returns false if memory is exhausted. */
static inline bool add_use(struct tw_command_group *group, struct tw_buffer *root, const struct tw_box *box,
                           bool is_part, tw_access_mode mode)
{
    const uint64_t bit = (uint64_t)1 << ((uintptr_t)root / 16 * 0x9e3779b97f4a7c15u >> 58);
    group->has_parts |= is_part;
    if (group->seen & bit) {
        const struct tw_use use = {
            .data = &root->data,
            .box = *box,
            .is_part = is_part,
            .needs = tw_access_mode_needs(mode),
            .writes = tw_access_mode_writes(mode),
            .samples = group->is_sampling,
        };
        return merge_use(group, root, use, 0);
    }
    struct tw_use *use = append_use(group, root);
    if (!use)
        return false;
    group->seen |= bit;
    use->data = &root->data;
    use->box = *box;
    use->is_part = is_part;
    use->needs = tw_access_mode_needs(mode);
    use->writes = tw_access_mode_writes(mode);
    use->samples = group->is_sampling;
    return true;
}

static tw_status check_access(const tw_buffer *buffer, tw_access_mode mode, tw_access_target target)
{
    if (!buffer)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the buffer is NULL");
    if (tw_check_copy(buffer) != TW_SUCCESS)
        return TW_ERROR_INVALID_ARGUMENT;
    if (!tw_access_mode_is_valid(mode))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d is no access mode", (int)mode);
    if (target != TW_GLOBAL && target != TW_CONSTANT && target != TW_HOST)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d is no target of an accessor", (int)target);
    if (target == TW_CONSTANT && mode != TW_READ)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "constant memory can only be read");
    if (buffer->read_only && tw_access_mode_writes(mode))
        return tw_fail(TW_ERROR_READ_ONLY_BUFFER, "the buffer is over const memory; only TW_READ can access it");
    return TW_SUCCESS;
}

/* Makes the group access host memory from now on. Fails if it has accessors to its device. */
static tw_status move_to_host(struct tw_command_group *group, const char *refusal)
{
    if (group->recorder && group->recorder->settle(group, "an accessor of the host") != TW_SUCCESS)
        return group->status;
    tw_status status = tw_device_needs_worker(tw_host_device());
    if (status == TW_SUCCESS && group->use_count)
        status = tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "%s", refusal);
    group->device = tw_host_device();
    group->on_host = true;
    return status;
}

/* Fails because a step, or a kernel, has an accessor of the host. */
tw_status tw_command_group_refuse_on_host(const char *kind, const char *name, const char *parentheses)
{
    return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                   "%s%s%s has an accessor with the target TW_HOST (tw_host_read() and the like), which only "
                   "tw_host_task() can have: take tw_read() and the like",
                   kind, name, parentheses);
}

#define HOST_TASK_ON_DEVICE                                                                                            \
    "tw_host_task() has an accessor of its queue's device (tw_read() and the like): a host task has accessors with "   \
    "the target TW_HOST alone, take tw_host_read() and the like"
#define UPDATE_WITH_ACCESSORS "an update of the host needs a group without accessors: give it one of its own"
#define MIXED_TARGETS                                                                                                  \
    "the group has an accessor with the target TW_HOST (tw_host_read() and the like) and one of its queue's device "   \
    "(tw_read() and the like): a host task has those of the host alone, all others have those of the device"

/* Checks that all accessors of a group are on its device, or all on the host. */
static tw_status check_target(struct tw_command_group *group, tw_access_target target)
{
    const char *const mixed = group->has_host_task            ? HOST_TASK_ON_DEVICE
                              : group->step && group->on_host ? UPDATE_WITH_ACCESSORS
                                                              : MIXED_TARGETS;
    if (target != TW_HOST)
        return group->on_host ? tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "%s", mixed) : TW_SUCCESS;
    if (group->kernel)
        return tw_command_group_refuse_on_host("kernel ", group->kernel->name, "");
    if (group->step && !group->has_host_task)
        return tw_command_group_refuse_on_host("", group->step, "()");
    return group->on_host ? TW_SUCCESS : move_to_host(group, mixed);
}

/* Returns true if check_access() has nothing to say, and the buffer is a whole one without chunks. */
static inline bool is_simple(const tw_buffer *buffer, tw_access_mode mode, tw_access_target target)
{
    return buffer && buffer->copy == &tw_this_copy && tw_access_mode_is_valid(mode) && target == TW_GLOBAL
           && !buffer->read_only && buffer->root == buffer && buffer->data.bytes && !buffer->data.chunks;
}

/* Accesses a box of a buffer that has been checked. Returns the address of the first element; NULL if there is none, or
   with the error in the group. The use comes first: from then on the buffer keeps the memory that it has. */
static void *access_box(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box,
                        tw_access_mode mode)
{
    const size_t space = group->device->space;
    struct tw_data *data = &buffer->root->data;
    if (tw_box_is_empty(box)) { /* there is nothing to wait for, or to move */
        group->accessed_nothing = true;
        return NULL;
    }
    tw_status status = TW_SUCCESS;
    if (!add_use(group, buffer->root, box, !tw_box_covers(box, &data->whole), mode)
        || (data->chunks && !tw_pin(&group->pins, data, box)))
        status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for an accessor");
    if (status == TW_SUCCESS)
        status = tw_make_room(data, box, space);
    if (status == TW_SUCCESS)
        return tw_buffer_address(buffer, box, space);
    tw_command_group_fail(group, status);
    return NULL;
}

/* The same for a buffer that is_simple(), in a group on its device. Returns NULL if access_box() has to do it. */
static inline void *access_simply(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box,
                                  bool is_part, tw_access_mode mode)
{
    const bool is_added = add_use(group, buffer, box, is_part, mode);
    const size_t space = tw_data_space(&buffer->data, group->device->space);
    unsigned char *address = atomic_load(&buffer->data.allocations[space].address);
    if (!address || !is_added)
        return NULL;
    return is_part ? address + tw_box_first(box, &buffer->data.whole) * buffer->data.element_bytes : address;
}

/* The mapper of an accessor without one. */
static const tw_range_mapper unmapped = {.tw_kind_ = TW_INTERNAL_MAP_DEFAULT};

void *tw_access(tw_command_group *group, tw_buffer *buffer, tw_access_mode mode, tw_access_target target)
{
    if (!group || group->status != TW_SUCCESS)
        return NULL;
    if (is_simple(buffer, mode, target) && !group->on_host && !group->recorder) {
        void *address = access_simply(group, buffer, &buffer->data.whole, false, mode);
        if (address)
            return address;
    }
    tw_status status = check_access(buffer, mode, target);
    if (status == TW_SUCCESS)
        status = check_target(group, target);
    if (status == TW_SUCCESS)
        return group->recorder ? group->recorder->access(group, buffer, &buffer->box, buffer->range, mode, &unmapped)
                               : access_box(group, buffer, &buffer->box, mode);
    tw_command_group_fail(group, status);
    return NULL;
}

/* Fails for what is no mapper, or none for a buffer of a range. */
static tw_status check_mapper(const tw_range_mapper *mapper, tw_range buffer)
{
    const char *fault = tw_mapper_fault(mapper, buffer);
    const bool is_argument = mapper->tw_kind_ < 0 || mapper->tw_kind_ >= TW_INTERNAL_MAP_FUNCTION;
    return fault ? tw_fail(is_argument ? TW_ERROR_INVALID_ARGUMENT : TW_ERROR_INVALID_RANGE, "%s", fault) : TW_SUCCESS;
}

void *tw_access_mapped(tw_command_group *group, tw_buffer *buffer, tw_access_mode mode, tw_range_mapper mapper)
{
    if (!group || group->status != TW_SUCCESS)
        return NULL;
    tw_status status = check_access(buffer, mode, TW_GLOBAL);
    if (status == TW_SUCCESS)
        status = check_target(group, TW_GLOBAL);
    if (status == TW_SUCCESS)
        status = check_mapper(&mapper, buffer->range);
    if (!group->recorder && mapper.tw_kind_ != TW_INTERNAL_MAP_ALL) /* what the mapper leaves out is kept */
        mode = mode == TW_DISCARD_WRITE ? TW_WRITE : mode == TW_DISCARD_READ_WRITE ? TW_READ_WRITE : mode;
    if (status == TW_SUCCESS)
        return group->recorder ? group->recorder->access(group, buffer, &buffer->box, buffer->range, mode, &mapper)
                               : access_box(group, buffer, &buffer->box, mode);
    tw_command_group_fail(group, status);
    return NULL;
}

void *tw_access_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range, tw_access_mode mode,
                     tw_access_target target)
{
    struct tw_box box;
    if (!group || group->status != TW_SUCCESS)
        return NULL;
    if (is_simple(buffer, mode, target) && !group->on_host && !group->recorder
        && tw_buffer_box(buffer, offset, range, &box) == TW_SUCCESS && !tw_box_is_empty(&box)) {
        void *address = access_simply(group, buffer, &box, !tw_box_covers(&box, &buffer->data.whole), mode);
        if (address)
            return address;
    }
    tw_status status = check_access(buffer, mode, target);
    if (status == TW_SUCCESS)
        status = tw_buffer_box(buffer, offset, range, &box);
    if (status == TW_SUCCESS)
        status = check_target(group, target);
    if (status == TW_SUCCESS)
        return group->recorder ? group->recorder->access(group, buffer, &box, range, mode, &unmapped)
                               : access_box(group, buffer, &box, mode);
    tw_command_group_fail(group, status);
    return NULL;
}

void *tw_command_group_access_within(struct tw_command_group *group, struct tw_buffer *root, const struct tw_box *all,
                                     const struct tw_box *accessed, tw_access_mode mode)
{
    return access_box(group, root, accessed, mode) ? tw_buffer_address(root, all, group->device->space) : NULL;
}

void tw_command_group_begin_sampling(struct tw_command_group *group)
{
    group->samples = group->is_sampling = true;
}

void tw_command_group_end_sampling(struct tw_command_group *group)
{
    group->is_sampling = false;
}

struct tw_internal_target tw_internal_reduction(tw_command_group *group, tw_buffer *buffer, size_t index, bool keep)
{
    const tw_access_mode mode = keep ? TW_READ_WRITE : TW_DISCARD_WRITE;
    const struct tw_internal_target none = {.keep = keep};
    if (!group || group->status != TW_SUCCESS)
        return none;
    tw_status status = check_access(buffer, mode, TW_GLOBAL);
    if (status == TW_SUCCESS && index >= tw_buffer_count(buffer))
        status = tw_fail(TW_ERROR_INVALID_RANGE, "a buffer of %zu elements has no element %zu to reduce into",
                         tw_buffer_count(buffer), index);
    if (status != TW_SUCCESS || !buffer) { /* check_access() refuses NULL, too */
        tw_command_group_fail(group, status);
        return none;
    }
    struct tw_box element = buffer->box;
    for (unsigned d = 3; d-- > 0;) {
        const size_t extent = buffer->box.end[d] - buffer->box.begin[d];
        element.begin[d] += index % extent;
        element.end[d] = element.begin[d] + 1;
        index /= extent;
    }
    void *to = group->recorder ? group->recorder->reduce(group, buffer, &element, tw_range_1d(1), keep, false)
                               : access_box(group, buffer, &element, mode);
    ++group->reduced_count;
    group->replaces = group->replaces || !keep;
    return (struct tw_internal_target){to, (unsigned)tw_buffer_element_size(buffer), keep, false};
}

/* The other members of the element are kept: so it is written, not discarded. */
struct tw_internal_target tw_internal_reduction_member(tw_command_group *group, tw_buffer *buffer, size_t element_bytes,
                                                       size_t offset, size_t bytes, bool keep)
{
    const size_t others = buffer ? tw_buffer_element_size(buffer) : element_bytes;
    tw_status status = TW_SUCCESS;
    if (group && group->status == TW_SUCCESS && others != element_bytes)
        status = tw_fail(TW_ERROR_INVALID_ARGUMENT,
                         "the struct to reduce into a member of has %zu bytes, and the elements of the buffer have %zu",
                         element_bytes, others);
    else if (group && group->status == TW_SUCCESS && group->recorder)
        status = tw_fail(TW_ERROR_UNSUPPORTED, "a queue over several devices reduces into elements alone, not into "
                                               "members of them: TW_REDUCE(), TW_REDUCE_AT()");
    if (status != TW_SUCCESS)
        tw_command_group_fail(group, status);
    struct tw_internal_target target = tw_internal_reduction(group, buffer, 0, true);
    if (target.to) {
        target.to = (unsigned char *)target.to + offset;
        target.element_bytes = (unsigned)bytes;
        target.keep = keep;
        group->replaces = group->replaces || !keep;
    }
    return target;
}

/* On a GPU arrays up to this size, all of a launch together, have a copy in the memory of each team: with more, fewer
   teams would fit a multiprocessor. */
#define MOST_LOCAL_ARRAY_BYTES 16384u
#define LOCAL_ALIGNMENT 128u

void tw_command_group_place_array(struct tw_command_group *group, size_t bytes, struct tw_internal_array *array)
{
    const struct tw_device_facts *facts = tw_device_facts(group->queue->device);
    bytes = (bytes + LOCAL_ALIGNMENT - 1) / LOCAL_ALIGNMENT * LOCAL_ALIGNMENT;
    array->place = group->array_bytes;
    group->array_bytes += bytes;
    if (group->queue->device->backend->type == TW_DEVICE_GPU && group->array_bytes <= MOST_LOCAL_ARRAY_BYTES
        && group->local_bytes + bytes <= facts->local_mem_bytes / 2) {
        array->local = 1 + (unsigned)group->local_bytes;
        group->local_bytes += bytes;
        group->local_array_bytes += bytes;
    }
}

struct tw_internal_array tw_internal_reduction_array(tw_command_group *group, tw_buffer *buffer, bool keep)
{
    const tw_access_mode mode = keep ? TW_READ_WRITE : TW_DISCARD_WRITE;
    struct tw_internal_array array = {.keep = keep};
    if (!group || group->status != TW_SUCCESS)
        return array;
    tw_status status = check_access(buffer, mode, TW_GLOBAL);
    const size_t count = status == TW_SUCCESS ? tw_buffer_count(buffer) : 0;
    if (status == TW_SUCCESS && (!count || count > UINT_MAX))
        status = tw_fail(TW_ERROR_INVALID_RANGE, TW_NO_REDUCTION_ARRAY, UINT_MAX, count);
    if (status == TW_SUCCESS && !tw_box_is_contiguous(&buffer->box, &buffer->root->data.whole))
        status =
            tw_fail(TW_ERROR_INVALID_RANGE,
                    "the rows of the sub-buffer do not lie back to back, as those of an array to reduce into must");
    if (status != TW_SUCCESS) {
        tw_command_group_fail(group, status);
        return array;
    }
    array.count = (unsigned)count;
    array.element_bytes = (unsigned)tw_buffer_element_size(buffer);
    array.to = group->recorder ? group->recorder->reduce(group, buffer, &buffer->box, tw_range_1d(count), keep, true)
                               : access_box(group, buffer, &buffer->box, mode);
    if (array.to && !group->recorder)
        tw_command_group_place_array(group, count * array.element_bytes, &array);
    ++group->reduced_count;
    group->replaces = group->replaces || !keep;
    return array;
}

/* Checks that a view of `dims` dimensions can be one of a buffer: such a view counts rows, and elements of a row, in 32
   bits. */
static tw_status check_dims(tw_range range, unsigned dims)
{
    if (range.dims != dims)
        return tw_fail(TW_ERROR_INVALID_RANGE, "a view of %u dimension%s of a buffer of %u", dims, dims == 1 ? "" : "s",
                       range.dims);
    size_t rows = 1;
    bool fits = dims == 1 || range.size[dims - 1] <= UINT32_MAX;
    for (unsigned d = 0; d + 1 < dims; ++d)
        fits = fits && !__builtin_mul_overflow(rows, range.size[d], &rows) && rows <= UINT32_MAX;
    return fits ? TW_SUCCESS
                : tw_fail(TW_ERROR_INVALID_RANGE,
                          "a view of %u dimensions counts rows and elements in 32 bits: take a TW_VIEW(type) without a "
                          "number of dimensions for a buffer of more",
                          dims);
}

/* Checks that a buffer can have a view of `dims` dimensions; 0: of as many as it has. */
static void check_view(tw_command_group *group, tw_buffer *buffer, unsigned dims)
{
    if (dims && group && group->status == TW_SUCCESS && buffer) {
        const tw_status status = check_dims(tw_buffer_range(buffer), dims);
        if (status != TW_SUCCESS)
            tw_command_group_fail(group, status);
    }
    if (group && group->status == TW_SUCCESS && buffer && !tw_box_is_empty(&buffer->box)
        && !tw_box_is_contiguous(&buffer->box, &buffer->root->data.whole)) {
        tw_command_group_fail(
            group, tw_fail(TW_ERROR_INVALID_RANGE,
                           "the rows of the sub-buffer do not lie back to back, as those of a TW_VIEW() must: take a "
                           "TW_PART_VIEW(), which knows how far apart they are"));
    }
}

void *tw_internal_view(tw_command_group *group, tw_buffer *buffer, tw_access_mode mode, tw_access_target target,
                       unsigned dims)
{
    check_view(group, buffer, dims);
    return tw_access(group, buffer, mode, target);
}

void *tw_internal_mapped_view(tw_command_group *group, tw_buffer *buffer, tw_access_mode mode, tw_range_mapper mapper,
                              unsigned dims)
{
    check_view(group, buffer, dims);
    return tw_access_mapped(group, buffer, mode, mapper);
}

struct tw_internal_bounds *tw_internal_bounds_of(tw_command_group *group)
{
    if (!group || group->status != TW_SUCCESS)
        return NULL;
    if (!group->bounds && !(group->bounds = calloc(1, sizeof *group->bounds)))
        tw_command_group_fail(group, tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to check a view"));
    return group->bounds;
}

/* ---- local accessors --------------------------------------------------------------------------------------------- */

/* Returns the device of a queue with the most local memory. */
static const struct tw_device *most_local_memory(const struct tw_queue *queue)
{
    const struct tw_device *most = queue->device;
    for (size_t i = 0; queue->devices && i < queue->devices->count; ++i)
        if (tw_device_facts(queue->devices->queues[i]->device)->local_mem_bytes
            > tw_device_facts(most)->local_mem_bytes)
            most = queue->devices->queues[i]->device;
    return most;
}

tw_local_memory tw_local(tw_command_group *group, size_t bytes)
{
    tw_local_memory memory = {0, 0};
    if (!group || group->status != TW_SUCCESS)
        return memory;
    const struct tw_device *device = most_local_memory(group->queue);
    const size_t most = tw_device_facts(device)->local_mem_bytes;
    if (!bytes) {
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_ARGUMENT, "local memory of no bytes"));
    } else if (bytes > most || group->local_bytes > most - bytes) {
        size_t wanted = 0;
        if (__builtin_add_overflow(bytes, group->local_bytes, &wanted))
            wanted = SIZE_MAX;
        tw_command_group_fail(group,
                              tw_fail(TW_ERROR_OUT_OF_LOCAL_MEMORY,
                                      "%zu bytes of local memory for each work-group are more than the %zu of %s",
                                      wanted, most, tw_device_name(device)));
    } else {
        memory.tw_offset_ = group->local_bytes;
        memory.tw_bytes_ = bytes;
        group->local_bytes += (bytes + LOCAL_ALIGNMENT - 1) / LOCAL_ALIGNMENT * LOCAL_ALIGNMENT;
    }
    return memory;
}

tw_local_memory tw_local_range_of(tw_command_group *group, size_t element_bytes, tw_range range)
{
    const tw_local_memory none = {0, 0};
    size_t bytes = 0;
    if (!group || group->status != TW_SUCCESS)
        return none;
    if (!tw_range_is_valid(range)) {
        tw_command_group_fail(group, tw_refuse_range("the local accessor's range", range));
        return none;
    }
    if (__builtin_mul_overflow(tw_range_count(range), element_bytes, &bytes))
        bytes = SIZE_MAX;
    return tw_local(group, bytes);
}

tw_root_group tw_root_group_of(tw_command_group *group, void *counter)
{
    const tw_root_group root = {(unsigned *)counter};
    if (!group || group->status != TW_SUCCESS)
        return root;
    if (!counter)
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_ARGUMENT, "the root group's counter is NULL"));
    else if (group->recorder)
        tw_command_group_fail(
            group, tw_fail(TW_ERROR_UNSUPPORTED, "a launch on a queue over several devices has no root group"));
    group->runs_together = true;
    return root;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Makes room for one more event. Returns false if memory is exhausted. */
static bool grow_events(struct tw_command_group *group)
{
    const size_t count = group->events ? group->events->count : 0;
    if (group->events && count < group->events->capacity)
        return true;
    const size_t capacity = 2 * count + 4;
    struct tw_event_list *grown = realloc(group->events, sizeof *grown + capacity * sizeof grown->events[0]);
    if (!grown)
        return false;
    grown->count = count;
    grown->capacity = capacity;
    group->events = grown;
    return true;
}

void tw_depends_on(tw_command_group *group, tw_event *event)
{
    if (!group || group->status != TW_SUCCESS || !event)
        return;
    if (grow_events(group))
        group->events->events[group->events->count++] = tw_event_retain(event);
    else
        tw_command_group_fail(group,
                              tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for an event that the group depends on"));
}

void tw_depends_on_all(tw_command_group *group, tw_event *const *events, size_t count)
{
    if (group && group->status == TW_SUCCESS && !events && count)
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_ARGUMENT, "the array of events is NULL"));
    for (size_t i = 0; events && i < count; ++i)
        tw_depends_on(group, events[i]);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Begins a step. If it is not `divisible`, a group of a queue over several devices becomes one of the first. */
static bool begin_step(struct tw_command_group *group, const char *name, bool divisible)
{
    if (!group || group->status != TW_SUCCESS)
        return false;
    if (group->kernel)
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                                             "the command group already has kernel %s; %s() needs a group of its own",
                                             group->kernel->name, name));
    else if (group->step)
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                                             "the command group already has a %s(); %s() needs a group of its own",
                                             group->step, name));
    else if (group->recorder && !divisible)
        (void)group->recorder->settle(group, name);
    group->step = name;
    return group->status == TW_SUCCESS;
}

/* Begins a step of the group's device. */
static bool begin_device_step(struct tw_command_group *group, const char *name, bool divisible)
{
    if (begin_step(group, name, divisible) && group->on_host)
        tw_command_group_fail(group, tw_command_group_refuse_on_host("", name, "()"));
    return group && group->status == TW_SUCCESS;
}

bool tw_command_group_begin_step(struct tw_command_group *group, const char *name)
{
    return begin_device_step(group, name, false);
}

bool tw_command_group_begin_divisible_step(struct tw_command_group *group, const char *name)
{
    return begin_device_step(group, name, true);
}

bool tw_command_group_begin_host_task(struct tw_command_group *group, const char *name)
{
    if (!begin_step(group, name, false))
        return false;
    const tw_status status = group->on_host ? TW_SUCCESS : move_to_host(group, HOST_TASK_ON_DEVICE);
    if (status != TW_SUCCESS)
        tw_command_group_fail(group, status);
    group->has_host_task = true;
    return status == TW_SUCCESS;
}

bool tw_command_group_begin_move(struct tw_command_group *group, const char *name, bool to_host)
{
    if (group && group->status == TW_SUCCESS && group->only_moves && group->on_host == to_host)
        return true;
    if (!begin_device_step(group, name, !to_host))
        return false;
    const tw_status status = to_host ? move_to_host(group, UPDATE_WITH_ACCESSORS) : TW_SUCCESS;
    if (status != TW_SUCCESS)
        tw_command_group_fail(group, status);
    group->only_moves = true;
    return status == TW_SUCCESS;
}

bool tw_command_group_box(struct tw_command_group *group, struct tw_buffer *buffer, tw_id offset, tw_range range,
                          tw_access_mode mode, struct tw_box *box)
{
    tw_status status = check_access(buffer, mode, TW_GLOBAL);
    if (status == TW_SUCCESS)
        status = tw_buffer_box(buffer, offset, range, box);
    if (status != TW_SUCCESS)
        tw_command_group_fail(group, status);
    return status == TW_SUCCESS;
}

bool tw_command_group_access(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box,
                             tw_access_mode mode)
{
    static const tw_range any = {{1, 1, 1}, 3}; /* a step has no mapper */
    if (tw_box_is_empty(box))
        return true;
    return group->recorder ? group->recorder->access(group, buffer, box, any, mode, &unmapped) != NULL
                           : access_box(group, buffer, box, mode) != NULL;
}

struct tw_device *tw_command_group_begin_native_task(struct tw_command_group *group, const char *name)
{
    if (!tw_command_group_begin_step(group, name))
        return NULL;
    group->has_native_task = true;
    return group->device;
}

void *tw_command_group_make_args(struct tw_command_group *group, size_t bytes, size_t more_bytes)
{
    __builtin_assume(group != NULL); /* for clang-tidy */
    if (__builtin_add_overflow(bytes, more_bytes, &bytes))
        bytes = SIZE_MAX;
    unsigned char *args = bytes <= TW_FEW_ARGS_BYTES ? group->few_args : malloc(bytes);
    if (!args) {
        tw_command_group_fail(group, tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for %s()", group->step));
        return NULL;
    }
    memset(args, 0, bytes);
    group->launch = (struct tw_internal_launch){.dims = 1}; /* there is none, but a fallback copies it */
    group->args = args;
    group->args_bytes = bytes;
    return args;
}

struct tw_step *tw_command_group_make_step(struct tw_command_group *group, size_t pattern_bytes)
{
    return tw_command_group_make_args(group, sizeof(struct tw_step), pattern_bytes);
}
