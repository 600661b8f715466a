/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels of random_kernels.py use, as Teamwork and, with PLAIN, as plain C without a header of the library. */
#ifndef RANDOM_KERNELS_H
#define RANDOM_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ITEMS = 512, READ_ONLY = 1024, MOST_ARRAYS = 2, MOST_VIEWS = 5 };
enum element {
    type_int,
    type_unsigned,
    type_schar,
    type_uchar,
    type_short,
    type_ushort,
    type_long64,
    type_float,
    type_double
};

struct launch {
    size_t groups[2], local[2];
    int dims, n, m, c;
    size_t z, pad, region; /* elements: what indices begin with, and a group's part of an array */
    size_t count[MOST_ARRAYS];
    size_t shift[MOST_VIEWS]; /* where the part of each member begins in its array */
    enum element type[MOST_ARRAYS];
    int arrays, addresses; /* whether members get addresses, instead of accessors */
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

/* Whether work-items of plain C run from the last one to the first. */
extern int random_backwards;

#ifdef PLAIN
#define EACH(w) for (size_t w##_ = 0, w; w##_ < items && (w = random_backwards ? items - 1 - w##_ : w##_, 1); ++w##_)
struct item {
    size_t local[2], global[2], range[2], whole[2]; /* `local` of a point is its place in the points' range */
    size_t linear, items, group;
};
static inline size_t items_of(const struct launch *s)
{
    return s->local[0] * (s->dims > 1 ? s->local[1] : 1);
}
static inline size_t groups_of(const struct launch *s)
{
    return s->groups[0] * (s->dims > 1 ? s->groups[1] : 1);
}
static inline struct item item_of(const struct launch *s, size_t group, size_t w)
{
    struct item item = {.linear = w, .items = items_of(s), .group = group};
    for (int d = s->dims - 1; d >= 0; --d) {
        item.range[d] = s->local[d];
        item.whole[d] = s->local[d] * s->groups[d];
        item.local[d] = w % s->local[d];
        item.global[d] = group % s->groups[d] * s->local[d] + item.local[d];
        w /= s->local[d];
        group /= s->groups[d];
    }
    return item;
}
static inline struct item point_of(struct item item, size_t point, size_t row)
{
    item.local[0] = row ? point / row : point;
    item.local[1] = row ? point % row : 0;
    return item;
}
#define tw_local_id(item, d) ((item).local[d])
#define tw_global_id(item, d) ((item).global[d])
#define tw_global_range(item, d) ((item).whole[d])
#define tw_local_linear_id(item) ((item).linear)
#define tw_physical_local_linear_id(item) ((item).linear)
#define tw_local_linear_range(item) ((item).items)
#define tw_group_linear_id(item) ((item).group)
#else
#include <teamwork/teamwork.h>
struct random_case {
    const char *name;
    void (*launch)(tw_queue *queue, const struct launch *s);
    void (*plain)(const struct launch *s);
};
struct random_launch {
    const struct random_case *kernel;
    struct launch launch;
};
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if ((call) != TW_SUCCESS) {                                                                                    \
            printf("%s: %s\n", #call, tw_error_detail());                                                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#endif

#endif
