/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of random_kernels.py use. They are one text: for Teamwork, and with PLAIN for plain C without a header of the
   library, where the work-items of a phase (what lies between two barriers) run one after the other.

   The names that a kernel uses begin with its form: nd (an nd_range kernel), groups (a hierarchical kernel) or range. */
#ifndef RANDOM_KERNELS_H
#define RANDOM_KERNELS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef PLAIN
#include <teamwork/teamwork.h>
#endif

enum { LIMIT = 640, MOST_ITEMS = 512, READ_ONLY = 1024, MOST_ARRAYS = 3, MOST_VIEWS = 3 };

struct cell { /* has no padding */
    int a;
    short b;
    unsigned char c;
    signed char d;
    float e;
};

enum element {
    type_int,
    type_unsigned,
    type_schar,
    type_uchar,
    type_short,
    type_ushort,
    type_long64,
    type_float,
    type_double,
    type_cell
};

enum storage { accessors, addresses, shared_memory, STORAGES };

/* What a launch of a kernel is about. */
struct launch {
    enum storage storage;
    size_t groups[3], local[3], offset[3];
    int n, m, c;
    size_t z, first, pad,
        region; /* elements: what loops begin with, what indices begin with, and a group's part of an array */
    size_t count[MOST_ARRAYS], shift[MOST_ARRAYS][MOST_VIEWS]; /* where the part of each member begins in its array */
    void *array[MOST_ARRAYS];
    const int *in;
};

struct priv {
    int a;
    short b;
    unsigned char c;
    int d[4];
};

static inline int clamp_to(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}
/* A variable of floating point after an assignment. */
static inline double limited(double x)
{
    return x > 4096 ? 1 : x < -4096 ? -1 : x;
}
static inline int twice(int x)
{
    return (x & 0xffff) + ((x >> 3) & 0x3fff);
}
#define BUMP(name, type, mask)                                                                                         \
    static inline void bump_##name(type *p, int by)                                                                    \
    {                                                                                                                  \
        *p = (type)(((int)*p + by) & (mask));                                                                          \
    }
BUMP(int, int, 0xffff)
BUMP(unsigned, unsigned, 0xffff)
BUMP(schar, signed char, 0x7f)
BUMP(uchar, unsigned char, 0xff)
BUMP(short, short, 0x7fff)
BUMP(ushort, unsigned short, 0xffff)
BUMP(long64, int64_t, 0xffff)
BUMP(float, float, 0xfff)
BUMP(double, double, 0xffff)

/* Values of work-items, and what helpers make of them: in one register, of floating point, in memory, a stack. */
struct pair {
    int a;
    short b;
};
struct vec {
    float x, y, z;
};
struct record {
    signed char c;
    short s;
    int i;
    int64_t l;
    double d;
};
struct list {
    int n, at[6];
};
static inline struct pair pair_of(int a, int b)
{
    return (struct pair){a & 0xffff, (short)b};
}
static inline struct pair exchanged(struct pair p)
{
    return (struct pair){p.b, (short)p.a};
}
static inline struct pair larger(struct pair p, struct pair q)
{
    return p.a > q.a ? p : q;
}
static inline void advance(struct pair *p, int by)
{
    p->a = (p->a + by) & 0xffff;
    if (p->a & 1)
        p->b = (short)(p->b + by);
}
static inline struct vec sum_of(struct vec a, struct vec b)
{
    return (struct vec){(float)limited(a.x + b.x), (float)limited(a.y + b.y), (float)limited(a.z + b.z)};
}
static inline struct vec scaled(struct vec a, float by)
{
    return (struct vec){a.x * by, a.y * by, a.z * by};
}
static inline struct record stepped(struct record r, int by)
{
    return (struct record){(signed char)(r.c + 1), (short)(r.s ^ by), (r.i * 3 + by) & 0xffff, (r.l + r.i) & 0xffff,
                           limited(r.d * 0.5 + r.s)};
}
static inline void step(struct record *r, int by)
{
    *r = by & 1 ? stepped(*r, by) : (struct record){r->c, 1, by, r->l, r->d};
}
static inline void push(struct list *s, int x)
{
    if (s->n < 6)
        s->at[s->n++] = x;
}
static inline int pop(struct list *s)
{
    return s->at[--s->n];
}
static inline int total(const int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i)
        sum += p[i];
    return sum;
}

/* Helpers with several ends. */
static inline int gcd_of(int a, int b)
{
    while (b != 0) {
        const int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
static inline int find_in(const int *in, int from, int x)
{
    if (x < 0)
        return -1;
    for (int i = from; i < READ_ONLY; ++i) {
        if (in[i] == x)
            return i - from;
        if (i - from > 12)
            break;
    }
    return 20;
}
static inline int log_of(int x)
{
    int bits = 0;
    for (; x > 0; x >>= 1)
        ++bits;
    return bits;
}
static inline int class_of(int a, int b)
{
    if (a > b)
        return a & 15;
    switch (a & 3) {
    case 0:
        return b & 0xff;
    case 1:
        break;
    default:
        if (b & 1)
            return 7;
    }
    return a == b ? 100 : -3;
}

/* What a recursion, a pointer to a function, and bit fields give. */
struct fields {
    unsigned a : 3;
    int b : 5;
    unsigned c : 11;
    int64_t d : 40, e : 13;
    _Bool f : 1;
};
static int depth_of(int n)
{
    return n < 2 ? 1 : (depth_of(n / 2) * 3 + depth_of(n - 2)) & 0xffff;
}
static int larger_of(int a, int b)
{
    return a > b ? a : b;
}
static int sum_under(int a, int b)
{
    int sum = 0;
    for (int i = a & 15; i < (b & 31); ++i)
        sum += i ^ a;
    return sum;
}
static int (*const functions[4])(int, int) = {gcd_of, class_of, larger_of, sum_under};

struct random_kernel {
    const char *name;
    int number, is_range, dims, is_single_group, has_pad, has_offset;
    size_t sizes[3][3];       /* of a group; of range kernels, of the whole range */
    size_t block, row, reach; /* elements: a work-item's blocks; rows of tiles, or 0; what a group reaches at most */
    int arrays, views[MOST_ARRAYS];
    enum element types[MOST_ARRAYS];
    void (*run)(const struct launch *s); /* as plain C */
#ifndef PLAIN
    void (*launch)(tw_queue *queue, const struct launch *s);
#endif
};

/* What main program and kernels have of each other: all kernels, the last one NULL; and whether work-items of plain C run from the last
   one to the first. */
#define SHARED extern __attribute__((visibility("default")))
SHARED const struct random_kernel *const random_kernels[];
SHARED int random_backwards;
SHARED void random_elsewhere(int *x, int by); /* a function that the compiler does not see */

#ifdef PLAIN
enum { TW_SUM, TW_MIN, TW_MAX, TW_OR, TW_XOR };
static inline int combine(int op, int a, int b)
{
    return op == TW_SUM   ? a + b
           : op == TW_MIN ? (a < b ? a : b)
           : op == TW_MAX ? (a > b ? a : b)
           : op == TW_OR  ? a | b
                          : a ^ b;
}

#define tw_atomic_load(p) (*(p))
#define tw_atomic_store(p, x, ...) (*(p) = (x))
#define FETCH(p, x, changed)                                                                                           \
    __extension__({                                                                                                    \
        __typeof__(p) const at = (p);                                                                                  \
        const __typeof__(*(p)) was = *at, by = (x);                                                                    \
        *at = (__typeof__(*(p)))(changed);                                                                             \
        was;                                                                                                           \
    })
#define tw_atomic_exchange(p, x, ...) FETCH(p, x, by)
#define tw_atomic_fetch_add(p, x, ...) FETCH(p, x, was + by)
#define tw_atomic_fetch_sub(p, x, ...) FETCH(p, x, was - by)
#define tw_atomic_fetch_and(p, x, ...) FETCH(p, x, was &by)
#define tw_atomic_fetch_or(p, x, ...) FETCH(p, x, was | by)
#define tw_atomic_fetch_xor(p, x, ...) FETCH(p, x, was ^ by)
#define tw_atomic_fetch_min(p, x, ...) FETCH(p, x, by < was ? by : was)
#define tw_atomic_fetch_max(p, x, ...) FETCH(p, x, by > was ? by : was)
#define tw_atomic_compare_exchange_strong(p, old, x) (*(p) == *(old) ? (*(p) = (x), 1) : (*(old) = *(p), 0))
#define tw_atomic_compare_exchange_weak tw_atomic_compare_exchange_strong

/* A work-item, or its group. */
struct item {
    size_t local[3], global[3], offset[3], range[3], whole[3],
        at[3]; /* `local` of a point is its place in the points' range; `at` is that of the group */
    size_t linear, items, group;
};
static inline struct item item_of(struct item group, size_t w)
{
    group.linear = w;
    for (int d = 3; d-- > 0; w /= group.range[d])
        group.local[d] = w % group.range[d];
    for (int d = 0; d < 3; ++d)
        group.global[d] += group.local[d];
    return group;
}
static inline struct item point_of(struct item item, size_t row, size_t column)
{
    item.local[0] = row;
    item.local[1] = column;
    return item;
}
#define tw_local_id(item, d) ((item).local[d])
#define tw_local_range(item, d) ((item).range[d])
#define tw_global_id(item, d) ((item).global[d])
#define tw_global_range(item, d) ((item).whole[d])
#define tw_global_offset(item, d) ((item).offset[d])
#define tw_local_linear_id(item) ((item).linear)
#define tw_physical_local_linear_id(item) ((item).linear)
#define tw_local_linear_range(item) ((item).items)
#define tw_group_linear_id(item) ((item).group)
#define tw_group_id(item, d) ((item).at[d])
#define tw_group_range(item, d) ((item).whole[d] / (item).range[d])
#define tw_global_linear_id(item) ((item).linear)

/* Reductions of launches: a pointer to the result. */
#define REDUCTION(type, op, name) type *name;
#define REDUCTION_ARRAY REDUCTION
#define combine_to(name, op, x) (*k->name = COMBINE_##op(*k->name, x))
#define combine_at_to(name, op, at, x) (k->name[at] = COMBINE_##op(k->name[at], x))

#define EACH(w)                                                                                                        \
    for (size_t w##_ = 0, w; w##_ < group.items && (w = random_backwards ? group.items - 1 - w##_ : w##_, 1); ++w##_)
#define ITEMS(phase)                                                                                                   \
    EACH(w)                                                                                                            \
    {                                                                                                                  \
        const struct item item = item_of(group, w);
#define END(phase)                                                                                                     \
    goto leave_##phase;                                                                                                \
    leave_##phase :;                                                                                                   \
    }
#define LEAVE(phase) goto leave_##phase
#define KERNEL(name) static void name(struct item group, const struct name *k)
#define PRIVATE(type, name, ...) type name[MOST_ITEMS] __VA_ARGS__
#define OWN(name) name[item.linear]
#define OWN_AT(name, i) name[item.linear][i]

#define range_kernel KERNEL
#define range_items ITEMS
#define range_end END
#define range_leave LEAVE
#define range_private PRIVATE
#define range_own OWN
#define range_own_at OWN_AT

#define nd_kernel KERNEL
#define LOCAL_MEMBER(name)
#define nd_local(type, name, size) type name size
#define nd_local_data nd_local
#define nd_whole group.items
#define nd_items ITEMS
#define nd_end END
#define nd_leave LEAVE
#define nd_barrier(space) (void)0
#define nd_private PRIVATE
#define nd_own OWN
#define nd_own_at OWN_AT

#define groups_kernel KERNEL
#define groups_local nd_local
#define groups_local_data nd_local
#define groups_whole nd_whole
#define groups_items ITEMS
#define groups_points(phase, rows, columns, first_row, first_column)                                                   \
    EACH(w) for (size_t p = w; p < (size_t)(rows) * (size_t)(columns); p += group.items)                               \
    {                                                                                                                  \
        const struct item item =                                                                                       \
            point_of(item_of(group, w), p / (size_t)(columns) + (first_row), p % (size_t)(columns) + (first_column));
#define groups_points_1d(phase, count, first)                                                                          \
    EACH(w) for (size_t p = w; p < (size_t)(count); p += group.items)                                                  \
    {                                                                                                                  \
        const struct item item = point_of(item_of(group, w), p + (first), 0);
#define groups_all_points(phase, rows, columns) groups_points(phase, rows, columns, 0, 0)
#define groups_all_points_1d(phase, count) groups_points_1d(phase, count, 0)
#define groups_end END
#define groups_leave LEAVE
#define groups_private PRIVATE
#define groups_own OWN
#define groups_own_at OWN_AT

#define REDUCE(name, op)                                                                                               \
    do {                                                                                                               \
        int all = name[0];                                                                                             \
        for (size_t w = 1; w < group.items; ++w)                                                                       \
            all = combine(op, all, name[w]);                                                                           \
        for (size_t w = 0; w < group.items; ++w)                                                                       \
            name[w] = all & 0xffff;                                                                                    \
    } while (0)
#define SCAN(name, op)                                                                                                 \
    do {                                                                                                               \
        int all = name[0];                                                                                             \
        name[0] &= 0xffff;                                                                                             \
        for (size_t w = 1; w < group.items; ++w)                                                                       \
            all = combine(op, all, name[w]), name[w] = all & 0xffff;                                                   \
    } while (0)
/* Functions of a group on the variables `name` of its work-items; identities are 0. */
#define COMBINE_TW_SUM(a, b) ((a) + (b))
#define COMBINE_TW_MIN(a, b) ((b) < (a) ? (b) : (a))
#define COMBINE_TW_MAX(a, b) ((b) > (a) ? (b) : (a))
#define COMBINE_TW_AND(a, b) ((a) & (b))
#define COMBINE_TW_OR(a, b) ((a) | (b))
#define COMBINE_TW_XOR(a, b) ((a) ^ (b))
#define nd_reduce_of(name, op, type)                                                                                   \
    do {                                                                                                               \
        type all = name[0];                                                                                            \
        for (size_t w = 1; w < group.items; ++w)                                                                       \
            all = COMBINE_##op(all, name[w]);                                                                          \
        for (size_t w = 0; w < group.items; ++w)                                                                       \
            name[w] = all;                                                                                             \
    } while (0)
#define nd_scan_of(name, op, type)                                                                                     \
    for (size_t w = 1; w < group.items; ++w)                                                                           \
    name[w] = COMBINE_##op(name[w - 1], name[w])
#define nd_exclusive_scan_of(name, op, type)                                                                           \
    do {                                                                                                               \
        type all = 0;                                                                                                  \
        for (size_t w = 0; w < group.items; ++w) {                                                                     \
            const type x = name[w];                                                                                    \
            name[w] = all;                                                                                             \
            all = COMBINE_##op(all, x);                                                                                \
        }                                                                                                              \
    } while (0)
#define nd_broadcast_of(name, from, type)                                                                              \
    do {                                                                                                               \
        const type all = name[from];                                                                                   \
        for (size_t w = 0; w < group.items; ++w)                                                                       \
            name[w] = all;                                                                                             \
    } while (0)
#define COUNT_any(n) ((n) > 0)
#define COUNT_all(n) ((n) == group.items)
#define COUNT_none(n) ((n) == 0)
#define nd_quantify_of(name, of, limit, type)                                                                          \
    do {                                                                                                               \
        size_t n = 0;                                                                                                  \
        for (size_t w = 0; w < group.items; ++w)                                                                       \
            n += name[w] > (limit);                                                                                    \
        for (size_t w = 0; w < group.items; ++w)                                                                       \
            name[w] = (type)COUNT_##of(n);                                                                             \
    } while (0)
#define groups_reduce_of nd_reduce_of
#define groups_scan_of nd_scan_of
#define groups_exclusive_scan_of nd_exclusive_scan_of
#define groups_broadcast_of nd_broadcast_of

/* A sub-group is one work-item. */
#define tw_sub_group struct item
#define tw_get_sub_group(item) (item)
#define tw_sub_group_local_id(g) 0
#define tw_sub_group_local_range(g) 1
#define tw_sub_group_max_local_range(g) 1
#define tw_sub_group_id(g) ((g).linear)
#define tw_sub_group_range(g) ((g).items)
#define tw_reduce_over_group(g, x, op) (x)
#define tw_inclusive_scan_over_group(g, x, op) (x)
#define tw_exclusive_scan_over_group(g, x, op) ((void)(x), 0)
#define tw_group_broadcast(g, x, from) (x)
#define tw_select_from_group(g, x, from) (x)
#define tw_permute_group_by_xor(g, x, mask) (x)
#define tw_shift_group_left(g, x, by) (x)
#define tw_shift_group_right(g, x, by) (x)
#define tw_group_ballot(g, x) (!!(x))
#define tw_any_of_group(g, x) (!!(x))
#define tw_all_of_group(g, x) (!!(x))
#define tw_none_of_group(g, x) (!(x))

#define BROADCAST(name)                                                                                                \
    for (size_t w = 1; w < group.items; ++w)                                                                           \
    name[w] = name[0]
#define nd_reduce REDUCE
#define nd_scan SCAN
#define nd_broadcast BROADCAST
#define groups_reduce REDUCE
#define groups_scan SCAN
#define groups_broadcast BROADCAST

/* Runs a kernel: `fill` makes its block. */
static inline struct item group_of(const struct launch *s, size_t g)
{
    struct item group = {.items = s->local[0] * s->local[1] * s->local[2], .group = g};
    for (int d = 3; d-- > 0; g /= s->groups[d]) {
        group.at[d] = g % s->groups[d];
        group.range[d] = s->local[d];
        group.whole[d] = s->local[d] * s->groups[d];
        group.offset[d] = s->offset[d];
        group.global[d] = s->offset[d] + group.at[d] * s->local[d];
    }
    return group;
}
#define RUN(name)                                                                                                      \
    void run_##name(const struct launch *s)                                                                            \
    {                                                                                                                  \
        struct name block = fill_##name(s);                                                                            \
        for (size_t g = 0; g < s->groups[0] * s->groups[1] * s->groups[2]; ++g)                                        \
            name(group_of(s, g), &block);                                                                              \
    }

#else

#define REDUCTION(type, op, name) TW_REDUCTION(type, op) name;
#define REDUCTION_ARRAY(type, op, name) TW_REDUCTION_ARRAY(type, op) name;
#define combine_to(name, op, x) tw_combine(k->name, x)
#define combine_at_to(name, op, at, x) tw_combine_at(k->name, at, x)

#define range_kernel(name) static inline void name(tw_item item, const struct name *k)
#define range_items(phase) {
#define range_end(phase) }
#define range_leave(phase) return
#define range_private(type, name, ...) type name __VA_ARGS__
#define range_own(name) name
#define range_own_at(name, i) name[i]

#define nd_kernel(name) static inline void name(tw_nd_item item, const struct name *k)
#define LOCAL_MEMBER(name) tw_local_memory name##_memory;
#define nd_local(type, name, ...) TW_LOCAL(type, name, __VA_ARGS__)
#define nd_whole tw_local_linear_range(item)
#define nd_local_data(type, name, size) type *const name = tw_local_data(item, k->name##_memory)
#define nd_items(phase) {
#define nd_end(phase) }
#define nd_leave(phase) return
#define nd_barrier(space) tw_barrier(item, space)
#define nd_private(type, name, ...) type name __VA_ARGS__
#define nd_own(name) name
#define nd_own_at(name, i) name[i]
#define nd_reduce(name, op) name = tw_reduce_over_group(item, name, op) & 0xffff
#define nd_scan(name, op) name = tw_inclusive_scan_over_group(item, name, op) & 0xffff
#define nd_broadcast(name) name = tw_group_broadcast(item, name, 0)
#define nd_reduce_of(name, op, type) name = tw_reduce_over_group(item, name, op)
#define nd_scan_of(name, op, type) name = tw_inclusive_scan_over_group(item, name, op)
#define nd_exclusive_scan_of(name, op, type) name = tw_exclusive_scan_over_group(item, name, op)
#define nd_broadcast_of(name, from, type) name = tw_group_broadcast(item, name, (size_t)(from))
#define nd_quantify_of(name, of, limit, type) name = (type)tw_##of##_of_group(item, name > (limit))

#define groups_kernel(name) static inline void name(tw_group group, const struct name *k)
#define groups_local(type, name, ...) TW_LOCAL(type, name, __VA_ARGS__)
#define groups_whole tw_local_linear_range(group)
#define groups_local_data(type, name, size) type *const name = tw_local_data(group, k->name##_memory)
#define groups_items(phase) tw_parallel_for_work_item(group, item) {
#define groups_points(phase, rows, columns, first_row, first_column)                                                   \
    tw_parallel_for_work_item_offset(group, item, tw_range_2d(rows, columns), tw_id_2d(first_row, first_column)) {
#define groups_points_1d(phase, count, first)                                                                          \
    tw_parallel_for_work_item_offset(group, item, tw_range_1d((size_t)(count)), tw_id_1d(first)) {
#define groups_all_points(phase, rows, columns)                                                                        \
    tw_parallel_for_work_item_range(group, item, tw_range_2d(rows, columns)) {
#define groups_all_points_1d(phase, count) tw_parallel_for_work_item_range(group, item, tw_range_1d((size_t)(count))) {
#define groups_end(phase) }
#define groups_leave(phase) continue
#define groups_private(type, ...) TW_PRIVATE(group, type, __VA_ARGS__)
#define groups_own(name) tw_private(name, item)
#define groups_own_at(name, i) tw_private(name, item, i)
#define GIVE_ALL(name, ...)                                                                                            \
    do {                                                                                                               \
        const int all = __VA_ARGS__;                                                                                   \
        tw_parallel_for_work_item(group, item) {                                                                       \
            tw_private(name, item) = all & 0xffff;                                                                     \
        }                                                                                                              \
    } while (0)
#define groups_reduce(name, op) GIVE_ALL(name, tw_reduce_over_group(group, name, op))
#define GIVE_ALL_OF(name, type, ...)                                                                                   \
    do {                                                                                                               \
        const type all = __VA_ARGS__;                                                                                  \
        tw_parallel_for_work_item(group, item) {                                                                       \
            tw_private(name, item) = all;                                                                              \
        }                                                                                                              \
    } while (0)
#define groups_reduce_of(name, op, type) GIVE_ALL_OF(name, type, tw_reduce_over_group(group, name, op))
#define groups_broadcast_of(name, from, type) GIVE_ALL_OF(name, type, tw_group_broadcast(group, name, (size_t)(from)))
#define groups_scan_of(name, op, type) tw_inclusive_scan_over_group(group, name, op)
#define groups_exclusive_scan_of(name, op, type) tw_exclusive_scan_over_group(group, name, op)
#define groups_broadcast(name) GIVE_ALL(name, tw_group_broadcast(group, name, 0))
#define groups_scan(name, op)                                                                                          \
    do {                                                                                                               \
        tw_inclusive_scan_over_group(group, name, op);                                                                 \
        tw_parallel_for_work_item(group, item) {                                                                       \
            tw_private(name, item) &= 0xffff;                                                                          \
        }                                                                                                              \
    } while (0)

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if ((call) != TW_SUCCESS) {                                                                                    \
            printf("%s: %s\n", #call, tw_error_detail());                                                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline void finish(tw_queue *queue, tw_command_group *cg)
{
    CHECK(tw_queue_submit(queue, cg, NULL));
    CHECK(tw_queue_wait(queue));
}
#endif

#endif
