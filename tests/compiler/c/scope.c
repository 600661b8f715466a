/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The rules of group scope: a breach draws a warning at its line, also where a sanitizer has put its checks between. Where the compiler
 * keeps no lines, the warning names the function.
 */
// RUN: %kernel_cc -O1 -Xclang -opt-record-passes -Xclang . -Xclang -verify -S -o /dev/null %s
// RUN: %kernel_cc -O1 -Xclang -opt-record-passes -Xclang . -Xclang -verify -fsanitize=address,undefined -S -o /dev/null %s
// RUN: %kernel_cc -O1 -S -o /dev/null %s 2>&1 | FileCheck %s
// CHECK: scope.c:{{[0-9]+}}:{{[0-9]+}}: warning: in wrong_assignments(): {{.*}}(rule 3)
#include <teamwork/teamwork.h>

enum { SIZE = 64 };

struct point {
    float x, y;
};

struct block {
    float *out;
    int *count;
    struct point *points;
    TW_VIEW(float) view;
    tw_range range;
};

/* All of this is as the rules say. */
static float sum_of(const float *x, int n, float *most)
{
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i];
        *most = x[i] > *most ? x[i] : *most;
    }
    return sum;
}

static void put(float *to, float x)
{
    *to = x;
}

static inline void right(tw_group group, const struct block *k)
{
    TW_LOCAL(float, tile, [SIZE]);
    TW_LOCAL(int, turns);
    TW_PRIVATE(group, float, mine);
    TW_PRIVATE(group, struct point, place);
    TW_PRIVATE(group, float, row, [4]);
    float own[4] = {0}, most = 0;
    struct point middle = {1, 2};
    float *pointer = own;
    own[1] = 2;
    put(&own[2], 3);
    *pointer = sum_of(k->out, 4, &most);
    middle.x += own[1] + most;
    tw_parallel_for_work_item(group, item) {
        float here[2] = {0}, least = 0;
        struct point at = middle, *other = &tw_private(place, item);
        const tw_id id = tw_get_local_id(item);
        if (tw_local_id(item, 0) == 3)
            break;
        if (tw_local_id(item, 0) == 4) {
            tw_private(mine, item) = 2;
            continue;
        }
        here[1] += sum_of(own, 4, &least) + least;
        at.x = here[1];
        put(&here[0], at.x);
        put(&tw_private(mine, item), 1);
        tile[id.at[0]] = here[0];
        *other = at;
        other->y = 1;
        tw_private(row, item, 1) = 2;
        tw_private(place, item) = (struct point){1, 2};
        switch (k->count[0]) {
        case 1:
            at.y = 1;
            break;
        default:
            at.y = 2;
        }
        for (unsigned i = 0; i < 4; ++i) {
            if (i == 2)
                continue;
            tw_private(row, item, i) += at.y;
        }
        put(&tw_at(k->view, tw_global_id(item, 0)), at.y);
    }
    for (int turn = 0; turn < 4; ++turn) {
        const float before = own[turn];
        TW_ONCE(group) {
            int count = 0;
            for (int i = 0; i < SIZE; ++i)
                count += tile[i] > before;
            if (count)
                turns = count;
        }
        own[turn] = tw_reduce_over_group(group, mine, TW_SUM);
        tw_parallel_for_work_item_range(group, item, k->range) {
            const float last = tw_private(mine, item);
            k->out[tw_local_linear_id(item)] = last + own[turn] + tw_private(place, item).x + (float)turns;
        }
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(block) right, SIZE);

static inline void wrong_stores(tw_group group, const struct block *k)
{
    TW_LOCAL(int, turns);
    TW_LOCAL(float, tile, [SIZE]);
    float *first = tile;
    struct point *points = k->points + tw_group_id(group, 0);
    turns = 0;                                          /* expected-warning {{(rule 2)}} */
    k->out[tw_group_id(group, 0)] = 1;                  /* expected-warning {{(rule 2)}} */
    points->x += 1;                                     /* expected-warning {{(rule 2)}} */
    *first = 1;                                         /* expected-warning {{(rule 2)}} */
    put(tile + 1, 1);                                   /* expected-warning {{(rule 2)}} */
    tw_at(k->view, 1) = 2;                              /* expected-warning {{(rule 2)}} */
    tw_atomic_fetch_add(k->count, 1);                   /* expected-warning {{(rule 2)}} */
    __builtin_memcpy(tile, k->out, 4);                  /* expected-warning {{(rule 2)}} */
    k->points[tw_group_id(group, 0)] = k->points[SIZE]; /* expected-warning {{(rule 2)}} */
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = tile[tw_local_id(item, 0)] + (float)turns;
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(block) wrong_stores);

static inline void wrong_assignments(tw_group group, const struct block *k)
{
    float last = 0, all[SIZE] = {0}, most = 0, *where = all, *const there = all;
    struct point middle = {0, 0};
    bool any = false;
    tw_parallel_for_work_item(group, item) {
        last = k->out[tw_global_id(item, 0)]; /* expected-warning {{(rule 3)}} */
        all[tw_local_id(item, 0)] = 1;        /* expected-warning {{(rule 3)}} */
        middle.x += last;                     /* expected-warning {{(rule 3)}} */
        there[3] = 1;                         /* expected-warning {{(rule 3)}} */
        put(&most, 1);                        /* expected-warning {{(rule 3)}} */
        if (last > most) {
            any = true; /* expected-warning {{(rule 3)}} */
            continue;
        }
        middle = (struct point){1, 2}; /* expected-warning {{(rule 3)}} */
    }
    TW_ONCE(group) {
        for (int i = 0; i < SIZE; ++i)
            last += all[i]; /* expected-warning {{(rule 3)}} */
    }
    tw_parallel_for_work_item(group, item) {
        where = all; /* expected-warning {{(rule 3)}} */
        k->out[tw_global_id(item, 0)] = last + middle.x + most + (float)any + *where;
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(block) wrong_assignments);

// clang-format off
static inline void missing_braces(tw_group group, const struct block *k)
{
    tw_parallel_for_work_item(group, item)
        k->out[tw_global_id(item, 0)] = 1;
        k->count[0] = 2; /* expected-warning {{(rule 2)}} */
    tw_parallel_for_work_item(group, item); {
        k->count[0] = 2; /* expected-warning {{(rule 2)}} */
    }
    TW_ONCE(group)
        k->out[1] = 1;
        k->count[1] = 2; /* expected-warning {{(rule 2)}} */
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(block) missing_braces);
// clang-format on

/* In a function that the kernel calls. */
static void loop_of(tw_group group, float *out)
{
    float last = 0;
    tw_parallel_for_work_item(group, item) {
        last = out[tw_global_id(item, 0)]; /* expected-warning {{(rule 3)}} */
    }
    tw_parallel_for_work_item(group, item) {
        out[tw_global_id(item, 0)] = last;
    }
}

static inline void wrong_bodies(tw_group group, const struct block *k)
{
    loop_of(group, k->out);
    tw_parallel_for_work_item(group, item) { /* expected-warning {{(rule 5)}} */
        if (tw_local_id(item, 0) == 3)
            return;
        k->out[tw_global_id(item, 0)] = 1;
    }
    tw_parallel_for_work_item(group, item) {
        TW_ONCE(group) { /* expected-warning {{(rule 6)}} */
            k->count[tw_local_id(item, 0)] += 1;
        }
    }
    TW_ONCE(group) { /* expected-warning {{(rule 5)}} */
        if (k->count[0])
            goto end;
        k->out[0] = 1;
    }
end:;
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(block) wrong_bodies);
