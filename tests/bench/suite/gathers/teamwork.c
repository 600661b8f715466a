/* SPDX-License-Identifier: Apache-2.0 */
/* Strided accesses in Teamwork, with indices of three types. */
#include "../arrays_teamwork.h"
#include "gathers.h"

enum { GROUP = GATHERS_GROUP, BLOCK = GATHERS_BLOCK };

/* ---- bodies ------------------------------------------------------------------------------------------------------- */

struct strided {
    const float *position, *velocity; /* four numbers a body; the last one of a position is its mass */
    float *out;
};

#define STRIDED(type, name)                                                                                            \
    static inline void strided_##name(const struct strided *k, type i)                                                 \
    {                                                                                                                  \
        const float mass = k->position[4 * i + 3];                                                                     \
        for (type c = 0; c < 3; ++c) {                                                                                 \
            float x = k->position[4 * i + c];                                                                          \
            if (mass > 0)                                                                                              \
                x += GATHERS_STEP * k->velocity[4 * i + c];                                                            \
            k->out[4 * i + c] = x;                                                                                     \
        }                                                                                                              \
        k->out[4 * i + 3] = mass;                                                                                      \
    }                                                                                                                  \
    static inline void strided_##name##_range(tw_item item, const struct strided *k)                                   \
    {                                                                                                                  \
        strided_##name(k, (type)tw_global_id(item, 0));                                                                \
    }                                                                                                                  \
    static inline void strided_##name##_items(tw_nd_item item, const struct strided *k)                                \
    {                                                                                                                  \
        strided_##name(k, (type)tw_global_id(item, 0));                                                                \
    }                                                                                                                  \
    static inline void strided_##name##_group(tw_group group, const struct strided *k)                                 \
    {                                                                                                                  \
        tw_parallel_for_work_item(group, item) {                                                                       \
            strided_##name(k, (type)tw_global_id(item, 0));                                                            \
        }                                                                                                              \
    }
GATHERS_TYPES(STRIDED)
TW_RANGE_KERNEL(TW_BLOCK(strided) strided_int_range, 1);
TW_ND_RANGE_KERNEL(TW_BLOCK(strided) strided_int_items, GROUP);
TW_WORK_GROUP_KERNEL(TW_BLOCK(strided) strided_int_group, GROUP);
TW_RANGE_KERNEL(TW_BLOCK(strided) strided_unsigned_range, 1);
TW_ND_RANGE_KERNEL(TW_BLOCK(strided) strided_unsigned_items, GROUP);
TW_WORK_GROUP_KERNEL(TW_BLOCK(strided) strided_unsigned_group, GROUP);
TW_RANGE_KERNEL(TW_BLOCK(strided) strided_size_range, 1);
TW_ND_RANGE_KERNEL(TW_BLOCK(strided) strided_size_items, GROUP);
TW_WORK_GROUP_KERNEL(TW_BLOCK(strided) strided_size_group, GROUP);

/* ---- pairs -------------------------------------------------------------------------------------------------------- */

struct pairs {
    const uint32_t *in;
    uint32_t *out;
};

#define PAIRS_ITEMS(type, name)                                                                                        \
    static inline void pairs_##name##_items(tw_nd_item item, const struct pairs *k)                                    \
    {                                                                                                                  \
        TW_LOCAL(uint32_t, block, [BLOCK]);                                                                            \
        const type t = (type)tw_local_id(item, 0), first = (type)tw_group_id(item, 0) * BLOCK;                         \
        uint32_t even = k->in[first + 2 * t], odd = k->in[first + 2 * t + 1];                                          \
        block[2 * t] = even;                                                                                           \
        block[2 * t + 1] = odd;                                                                                        \
        for (type stride = 1; stride < BLOCK; stride *= 2) {                                                           \
            tw_barrier(item, TW_LOCAL_SPACE);                                                                          \
            if (2 * t >= stride)                                                                                       \
                even += block[2 * t - stride];                                                                         \
            if (2 * t + 1 >= stride)                                                                                   \
                odd += block[2 * t + 1 - stride];                                                                      \
            tw_barrier(item, TW_LOCAL_SPACE);                                                                          \
            block[2 * t] = even;                                                                                       \
            block[2 * t + 1] = odd;                                                                                    \
        }                                                                                                              \
        k->out[first + 2 * t] = even;                                                                                  \
        k->out[first + 2 * t + 1] = odd;                                                                               \
    }
#define PAIRS_GROUP(type, name)                                                                                        \
    static inline void pairs_##name##_group(tw_group group, const struct pairs *k)                                     \
    {                                                                                                                  \
        TW_LOCAL(uint32_t, block, [BLOCK]);                                                                            \
        TW_PRIVATE(group, uint32_t, even);                                                                             \
        TW_PRIVATE(group, uint32_t, odd);                                                                              \
        const type first = (type)tw_group_id(group, 0) * BLOCK;                                                        \
        tw_parallel_for_work_item(group, item) {                                                                       \
            const type t = (type)tw_local_id(item, 0);                                                                 \
            block[2 * t] = tw_private(even, item) = k->in[first + 2 * t];                                              \
            block[2 * t + 1] = tw_private(odd, item) = k->in[first + 2 * t + 1];                                       \
        }                                                                                                              \
        for (type stride = 1; stride < BLOCK; stride *= 2) {                                                           \
            tw_parallel_for_work_item(group, item) {                                                                   \
                const type t = (type)tw_local_id(item, 0);                                                             \
                if (2 * t >= stride)                                                                                   \
                    tw_private(even, item) += block[2 * t - stride];                                                   \
                if (2 * t + 1 >= stride)                                                                               \
                    tw_private(odd, item) += block[2 * t + 1 - stride];                                                \
            }                                                                                                          \
            tw_parallel_for_work_item(group, item) {                                                                   \
                const type t = (type)tw_local_id(item, 0);                                                             \
                block[2 * t] = tw_private(even, item);                                                                 \
                block[2 * t + 1] = tw_private(odd, item);                                                              \
            }                                                                                                          \
        }                                                                                                              \
        tw_parallel_for_work_item(group, item) {                                                                       \
            const type t = (type)tw_local_id(item, 0);                                                                 \
            k->out[first + 2 * t] = tw_private(even, item);                                                            \
            k->out[first + 2 * t + 1] = tw_private(odd, item);                                                         \
        }                                                                                                              \
    }
GATHERS_TYPES(PAIRS_ITEMS)
GATHERS_TYPES(PAIRS_GROUP)
TW_ND_RANGE_KERNEL(TW_BLOCK(pairs) pairs_int_items, GROUP);
TW_WORK_GROUP_KERNEL(TW_BLOCK(pairs) pairs_int_group, GROUP);
TW_ND_RANGE_KERNEL(TW_BLOCK(pairs) pairs_unsigned_items, GROUP);
TW_WORK_GROUP_KERNEL(TW_BLOCK(pairs) pairs_unsigned_group, GROUP);
TW_ND_RANGE_KERNEL(TW_BLOCK(pairs) pairs_size_items, GROUP);
TW_WORK_GROUP_KERNEL(TW_BLOCK(pairs) pairs_size_group, GROUP);

/* ---- versions ----------------------------------------------------------------------------------------------------- */

#define GROUPS(count) tw_nd_range_make(tw_range_1d(count), tw_range_1d(GROUP))
#define BODIES                                                                                                         \
    .position = tw_read(cg, s->at[GATHERS_IN]), .velocity = tw_read(cg, s->at[GATHERS_VELOCITY]),                      \
    .out = tw_discard_write(cg, s->at[GATHERS_OUT])
#define NUMBERS .in = tw_read(cg, s->at[GATHERS_IN]), .out = tw_discard_write(cg, s->at[GATHERS_OUT])

#define STRIDED_RUNS(type, name)                                                                                       \
    SUITE_TEAMWORK_RUN(run_strided_##name##_range, gathers, tw_parallel_for, tw_range_1d(p->count),                    \
                       strided_##name##_range, BODIES)                                                                 \
    SUITE_TEAMWORK_RUN(run_strided_##name##_items, gathers, tw_parallel_for_nd_range, GROUPS(p->count),                \
                       strided_##name##_items, BODIES)                                                                 \
    SUITE_TEAMWORK_RUN(run_strided_##name##_group, gathers, tw_parallel_for_work_group, tw_range_1d(p->count / GROUP), \
                       tw_range_1d(GROUP), strided_##name##_group, BODIES)
#define PAIRS_RUNS(type, name)                                                                                         \
    SUITE_TEAMWORK_RUN(run_pairs_##name##_items, gathers, tw_parallel_for_nd_range, GROUPS(p->count / 2),              \
                       pairs_##name##_items, NUMBERS)                                                                  \
    SUITE_TEAMWORK_RUN(run_pairs_##name##_group, gathers, tw_parallel_for_work_group, tw_range_1d(p->count / BLOCK),   \
                       tw_range_1d(GROUP), pairs_##name##_group, NUMBERS)
GATHERS_TYPES(STRIDED_RUNS)
GATHERS_TYPES(PAIRS_RUNS)

#define STRIDED_VERSIONS(type, name) SUITE_TEAMWORK_FORM_VERSIONS(#type, strided_##name),
#define PAIRS_VERSIONS(type, name)                                                                                     \
    SUITE_TEAMWORK_VERSION(#type, "nd_range", run_pairs_##name##_items),                                               \
        SUITE_TEAMWORK_VERSION(#type, "hierarchical", run_pairs_##name##_group),
SUITE_TEAMWORK_LIST(strided, GATHERS_TYPES(STRIDED_VERSIONS))
SUITE_TEAMWORK_LIST(pairs, GATHERS_TYPES(PAIRS_VERSIONS))
