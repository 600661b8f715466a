/* SPDX-License-Identifier: Apache-2.0 */
/* Bitonic sort in Teamwork: a launch for each step, or those of small distances together in local memory. */
#include "../arrays_teamwork.h"
#include "bitonic.h"

static inline void put_in_order(uint32_t *low, uint32_t *high, bool upwards)
{
    const uint32_t x = *low, y = *high, least = x < y ? x : y, most = x < y ? y : x;
    *low = upwards ? least : most;
    *high = upwards ? most : least;
}

/* ---- flat: a launch for each step -------------------------------------------------------------------------------- */

/* Work-item (i, j) compares number j of the first half of the i-th 2 * distance numbers. Neighbours are neighbours in
   memory, and all of a row sort in one direction. */
struct bitonic_wide {
    uint32_t *numbers;
    unsigned size, distance;
};

static inline void bitonic_wide(tw_item item, const struct bitonic_wide *k)
{
    const unsigned first = (unsigned)tw_global_id(item, 0) * 2 * k->distance;
    const size_t j = tw_global_id(item, 1);
    uint32_t *low = k->numbers + first, *high = k->numbers + (first + k->distance);
    put_in_order(&low[j], &high[j], (first & k->size) == 0);
}
TW_RANGE_KERNEL(bitonic_wide, 2);

/* Where rows would be too short for that. */
struct bitonic_narrow {
    uint32_t *numbers;
    unsigned size, distance;
};

static inline unsigned lower_of(unsigned pair, unsigned distance)
{
    return 2 * pair - (pair & (distance - 1));
}

static inline void bitonic_narrow(tw_item item, const struct bitonic_narrow *k)
{
    const unsigned low = lower_of((unsigned)tw_global_id(item, 0), k->distance);
    put_in_order(&k->numbers[low], &k->numbers[low + k->distance], (low & k->size) == 0);
}
TW_RANGE_KERNEL(bitonic_narrow, 1);

static bool submit_step(const struct suite_teamwork *s, size_t count, unsigned size, unsigned distance)
{
    enum { WIDE = 16 };
    tw_command_group *cg = tw_queue_begin(bench_queue());
    uint32_t *numbers = tw_read_write(cg, s->at[BITONIC_NUMBERS]);
    if (distance >= WIDE)
        tw_parallel_for(cg, tw_range_2d(count / 2 / distance, distance), bitonic_wide, .numbers = numbers, .size = size,
                        .distance = distance);
    else
        tw_parallel_for(cg, tw_range_1d(count / 2), bitonic_narrow, .numbers = numbers, .size = size,
                        .distance = distance);
    return suite_submit(cg);
}

static bool run_flat(void *state)
{
    const struct suite_teamwork *s = state;
    const size_t count = ((const struct bitonic *)s->problem)->count;
    for (unsigned size = 2; size <= count; size *= 2)
        for (unsigned distance = size / 2; distance > 0; distance /= 2)
            if (!submit_step(s, count, size, distance))
                return false;
    return suite_wait();
}

/* ---- local: the steps of small distances in local memory, as a hierarchical kernel ------------------------------- */

enum { BLOCK = BITONIC_BLOCK, HALF = BLOCK / 2 };

/* All steps of a size from this distance on. A loop over pairs has rows of them, as the wide kernel above. */
static inline __attribute__((always_inline)) void steps_of_group(tw_group group, uint32_t *numbers, unsigned offset,
                                                                 unsigned size, unsigned from_distance)
{
#pragma clang loop unroll(full)
    for (unsigned distance = from_distance; distance > 0; distance /= 2)
        tw_parallel_for_work_item_range(group, item, tw_range_2d(HALF / distance, distance)) {
            const unsigned first = (unsigned)tw_local_id(item, 0) * 2 * distance;
            const size_t j = tw_local_id(item, 1);
            put_in_order(&(numbers + first)[j], &(numbers + first + distance)[j], ((offset + first) & size) == 0);
        }
}

struct bitonic_groups {
    uint32_t *numbers;
    unsigned size; /* whose steps from HALF on are done; 0: all steps of sizes up to BLOCK */
};

static inline void bitonic_groups(tw_group group, const struct bitonic_groups *k)
{
    TW_LOCAL(uint32_t, block, [BLOCK]);
    const unsigned offset = (unsigned)tw_group_id(group, 1) * BLOCK;
    uint32_t *numbers = k->numbers + offset;

    tw_parallel_for_work_item_range(group, item, tw_range_2d(1, BLOCK)) {
        block[tw_local_id(item, 1)] = numbers[tw_local_id(item, 1)];
    }
    if (k->size) {
        steps_of_group(group, block, offset, k->size, HALF);
    } else {
#pragma clang loop unroll(full)
        for (unsigned size = 2; size <= BLOCK; size *= 2)
            steps_of_group(group, block, offset, size, size / 2);
    }
    tw_parallel_for_work_item_range(group, item, tw_range_2d(1, BLOCK)) {
        numbers[tw_local_id(item, 1)] = block[tw_local_id(item, 1)];
    }
}
TW_WORK_GROUP_KERNEL(bitonic_groups, 1, HALF);

/* ---- and as an nd_range kernel ----------------------------------------------------------------------------------- */

static inline void steps_of_item(tw_nd_item item, uint32_t *numbers, unsigned offset, unsigned size,
                                 unsigned from_distance)
{
    for (unsigned distance = from_distance; distance > 0; distance /= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        const unsigned low = lower_of((unsigned)tw_local_id(item, 0), distance);
        put_in_order(&numbers[low], &numbers[low + distance], ((offset + low) & size) == 0);
    }
}

struct bitonic_items {
    uint32_t *numbers;
    unsigned size;
};

static inline void bitonic_items(tw_nd_item item, const struct bitonic_items *k)
{
    TW_LOCAL(uint32_t, block, [BLOCK]);
    const unsigned local = (unsigned)tw_local_id(item, 0), offset = (unsigned)tw_group_id(item, 0) * BLOCK;
    uint32_t *numbers = k->numbers + offset;

    block[local] = numbers[local];
    block[local + HALF] = numbers[local + HALF];
    if (k->size) {
        steps_of_item(item, block, offset, k->size, HALF);
    } else {
        for (unsigned size = 2; size <= BLOCK; size *= 2)
            steps_of_item(item, block, offset, size, size / 2);
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    numbers[local] = block[local];
    numbers[local + HALF] = block[local + HALF];
}
TW_ND_RANGE_KERNEL(bitonic_items, HALF);

/* Submits what one launch of the blocks does. */
typedef bool submit_blocks(const struct suite_teamwork *s, size_t count, unsigned size);

static bool submit_groups(const struct suite_teamwork *s, size_t count, unsigned size)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_work_group(cg, tw_range_2d(1, count / BLOCK), tw_range_2d(1, HALF), bitonic_groups,
                               .numbers = tw_read_write(cg, s->at[BITONIC_NUMBERS]), .size = size);
    return suite_submit(cg);
}

static bool submit_items(const struct suite_teamwork *s, size_t count, unsigned size)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(count / 2), tw_range_1d(HALF)), bitonic_items,
                             .numbers = tw_read_write(cg, s->at[BITONIC_NUMBERS]), .size = size);
    return suite_submit(cg);
}

static bool run_local(const struct suite_teamwork *s, submit_blocks *submit)
{
    const size_t count = ((const struct bitonic *)s->problem)->count;
    if (!submit(s, count, 0))
        return false;
    for (unsigned size = 2 * BLOCK; size <= count; size *= 2) {
        for (unsigned distance = size / 2; distance > HALF; distance /= 2)
            if (!submit_step(s, count, size, distance))
                return false;
        if (!submit(s, count, size))
            return false;
    }
    return suite_wait();
}

static bool run_groups(void *state)
{
    return run_local(state, submit_groups);
}

static bool run_items(void *state)
{
    return run_local(state, submit_items);
}

static const struct suite_version versions[] = {
    SUITE_TEAMWORK_VERSION_RESET("flat", "range", run_flat),
    SUITE_TEAMWORK_VERSION_RESET("local", "hierarchical", run_groups),
    SUITE_TEAMWORK_VERSION_RESET("local", "nd_range", run_items),
};
const struct suite_versions suite_bitonic_teamwork = SUITE_VERSIONS(versions);
