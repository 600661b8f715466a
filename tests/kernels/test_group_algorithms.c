/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host stacks (x86_64 x86_64-teams gpu-simt gpu-teams), long */
/**
 * Group functions for structs, half, short and vectors, with operations of the program, and joint forms: in nd_range and
 * hierarchical kernels, for work-groups and sub-groups, against loops on the host.
 *
 * Operations of the program do not commute, except where joint reductions need it. Values have no padding, and sums of
 * floating point are exact, so results are compared byte by byte.
 */
#include "nd_range_test.h"

#include <string.h>

#include <teamwork/group_algorithms.h>
#include <teamwork/group_vectors.h>

/* No launch has groups of 16 x 16 or rows of 32: without copies of hierarchical kernels for those clang takes less long. */
#define tw_internal_is_tile(launch) false
#define tw_internal_has_rows(launch) false

/* ---- types and operations ---------------------------------------------------------------------------------------- */

/* x becomes a * x + b; 8 bytes */
struct affine {
    unsigned a, b;
};
static inline struct affine affine_then(struct affine f, struct affine g)
{
    return (struct affine){f.a * g.a, f.b * g.a + g.b};
}
static inline struct affine affine_value(size_t i)
{
    return (struct affine){(unsigned)i % 5 * 2 + 1, (unsigned)i % 7};
}
TW_GROUP_TYPE(struct affine);

/* A product of matrices, and the first and the last tag; 12 bytes */
struct matrix {
    unsigned short m[2][2], tag[2];
};
static inline struct matrix matrix_then(struct matrix p, struct matrix q)
{
    struct matrix r = {{{0}}, {p.tag[0], q.tag[1]}};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            r.m[i][j] = (unsigned short)(1u * p.m[i][0] * q.m[0][j] + 1u * p.m[i][1] * q.m[1][j]);
    return r;
}
static inline struct matrix matrix_value(size_t i)
{
    const unsigned short n = (unsigned short)i;
    return (struct matrix){{{n % 3, (unsigned short)(n % 5 + 1)}, {1, n % 2}}, {n, n}};
}
TW_GROUP_TYPE(struct matrix);

/* The same as struct affine in 3 bytes, one of which is a sum. */
struct bytes {
    unsigned char v[3];
};
static inline struct bytes bytes_then(struct bytes f, struct bytes g)
{
    struct bytes r;
    r.v[0] = (unsigned char)(f.v[0] * g.v[0]);
    r.v[1] = (unsigned char)(f.v[1] * g.v[0] + g.v[1]);
    r.v[2] = (unsigned char)(f.v[2] + g.v[2]);
    return r;
}
static inline struct bytes bytes_value(size_t i)
{
    const struct bytes r = {{(unsigned char)(i % 5 * 2 + 1), (unsigned char)(i % 7), (unsigned char)i}};
    return r;
}
TW_GROUP_TYPE(struct bytes);

/* The last one that is not 0. */
static inline double double_then(double a, double b)
{
    return b != 0 ? b : a;
}
static inline double double_value(size_t i)
{
    return i % 3 ? (double)(i % 100) : 0;
}

/* Those of tw_operation; the second function is for the host. */
#define half_then TW_SUM
static inline tw_half half_value(size_t i)
{
    return (tw_half)((int)(i % 5) - 2);
}
static tw_half half_on_host(tw_half a, tw_half b)
{
    return (tw_half)(a + b);
}
TW_GROUP_VECTOR(float, 4);
typedef tw_float4 float4;
#define float4_then TW_SUM
static inline float4 float4_value(size_t i)
{
    const float x = (float)(i % 10);
    return (float4){x, -x, 1, (float)(i % 3)};
}
static float4 float4_on_host(float4 a, float4 b)
{
    return a + b;
}
/* Operations of the program are the same on the host. */
#define affine_on_host affine_then
#define matrix_on_host matrix_then
#define bytes_on_host bytes_then
#define double_on_host double_then

#define TYPES(X)                                                                                                       \
    X(struct affine, affine)                                                                                           \
    X(struct matrix, matrix)                                                                                           \
    X(struct bytes, bytes)                                                                                             \
    X(double, double)                                                                                                  \
    X(tw_half, half)                                                                                                   \
    X(float4, float4)

/* ---- values of work-items ---------------------------------------------------------------------------------------- */

enum {
    REDUCE,
    REDUCE_INIT,
    BROADCAST,
    SCAN,
    SCAN_INIT,
    EXCLUSIVE,
    SUB_REDUCE,
    SUB_SCAN,
    SUB_EXCLUSIVE,
    SUB_SELECT,
    SUB_XOR,
    SUB_LEFT,
    SUB_RIGHT,
    RESULTS
};
enum { INIT = 3 }; /* the value with this number comes first */

/* At group scope: two variables are loaded, something is done with each, and they are stored. (In the standard mapping
   on GPUs each loop takes the compiler long, and variables of all work-items have 48 KiB.) */
#define DO(T, i, first, second)                                                                                        \
    tw_parallel_for_work_item(group, item) {                                                                           \
        tw_private(a, item) = tw_private(b, item) = T##_value(number(item));                                           \
    }                                                                                                                  \
    first;                                                                                                             \
    second;                                                                                                            \
    tw_parallel_for_work_item(group, item) {                                                                           \
        k->out[number(item) * RESULTS + (i)] = tw_private(a, item);                                                    \
        k->out[number(item) * RESULTS + (i) + 1] = tw_private(b, item);                                                \
    }

#define KERNELS(type, T)                                                                                               \
    struct nd_##T {                                                                                                    \
        type *out;                                                                                                     \
    };                                                                                                                 \
    static inline void nd_##T(tw_nd_item item, const struct nd_##T *k)                                                 \
    {                                                                                                                  \
        const size_t i = tw_group_linear_id(item) * tw_local_linear_range(item) + tw_local_linear_id(item);            \
        const type x = T##_value(i), init = T##_value(INIT);                                                           \
        type *out = k->out + i * RESULTS;                                                                              \
        const tw_sub_group s = tw_get_sub_group(item);                                                                 \
        out[REDUCE] = tw_reduce_over_group(item, x, T##_then);                                                         \
        out[SCAN] = tw_inclusive_scan_over_group(item, x, T##_then);                                                   \
        out[REDUCE_INIT] = tw_reduce_over_group(item, x, init, T##_then);                                              \
        out[SCAN_INIT] = tw_inclusive_scan_over_group(item, x, T##_then, init);                                        \
        out[EXCLUSIVE] = tw_exclusive_scan_over_group(item, x, init, T##_then);                                        \
        out[BROADCAST] = tw_group_broadcast(item, x, tw_local_linear_range(item) / 2);                                 \
        out[SUB_REDUCE] = tw_reduce_over_group(s, x, T##_then);                                                        \
        out[SUB_SCAN] = tw_inclusive_scan_over_group(s, x, T##_then);                                                  \
        out[SUB_EXCLUSIVE] = tw_exclusive_scan_over_group(s, x, init, T##_then);                                       \
        out[SUB_SELECT] = tw_select_from_group(s, x, 0);                                                               \
        out[SUB_XOR] = tw_permute_group_by_xor(s, x, 1);                                                               \
        out[SUB_LEFT] = tw_shift_group_left(s, x, 1);                                                                  \
        out[SUB_RIGHT] = tw_shift_group_right(s, x, 1);                                                                \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(nd_##T);                                                                                        \
    struct hierarchical_##T {                                                                                          \
        type *out;                                                                                                     \
    };                                                                                                                 \
    static inline void hierarchical_##T(tw_group group, const struct hierarchical_##T *k)                              \
    {                                                                                                                  \
        TW_PRIVATE(group, type, a);                                                                                    \
        TW_PRIVATE(group, type, b);                                                                                    \
        const type init = T##_value(INIT);                                                                             \
        const tw_sub_groups s = tw_get_sub_groups(group);                                                              \
        DO(T, SCAN, tw_inclusive_scan_over_group(group, a, T##_then),                                                  \
           tw_inclusive_scan_over_group(group, b, T##_then, init))                                                     \
        DO(T, EXCLUSIVE, tw_exclusive_scan_over_group(group, a, init, T##_then), tw_reduce_over_group(s, b, T##_then)) \
        DO(T, SUB_SCAN, tw_inclusive_scan_over_group(s, a, T##_then),                                                  \
           tw_exclusive_scan_over_group(s, b, init, T##_then))                                                         \
        DO(T, SUB_SELECT, tw_select_from_group(s, a, 0), tw_permute_group_by_xor(s, b, 1))                             \
        tw_parallel_for_work_item(group, item) {                                                                       \
            tw_private(a, item) = tw_private(b, item) = T##_value(number(item));                                       \
        }                                                                                                              \
        const type all = tw_reduce_over_group(group, a, T##_then);                                                     \
        const type more = tw_reduce_over_group(group, a, init, T##_then);                                              \
        const type given = tw_group_broadcast(group, a, tw_local_linear_range(group) / 2);                             \
        tw_shift_group_left(s, a, 1);                                                                                  \
        tw_shift_group_right(s, b, 1);                                                                                 \
        tw_parallel_for_work_item(group, item) {                                                                       \
            type *const out = k->out + number(item) * RESULTS;                                                         \
            out[REDUCE] = all;                                                                                         \
            out[REDUCE_INIT] = more;                                                                                   \
            out[BROADCAST] = given;                                                                                    \
            out[SUB_LEFT] = tw_private(a, item);                                                                       \
            out[SUB_RIGHT] = tw_private(b, item);                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    TW_WORK_GROUP_KERNEL(hierarchical_##T);                                                                            \
                                                                                                                       \
    /* Compares what work-items `first` to `past` got with what they bring: of the group, or of its sub-group. */      \
    static void expect_##T(const type *got, size_t first, size_t past, bool of_group)                                  \
    {                                                                                                                  \
        const type init = T##_value(INIT);                                                                             \
        type scan = T##_value(first), from_init = init;                                                                \
        for (size_t i = first; i < past; ++i) {                                                                        \
            const type *mine = got + i * RESULTS, x = T##_value(i);                                                    \
            if (i > first)                                                                                             \
                scan = T##_on_host(scan, x);                                                                           \
            TW_CHECK(memcmp(&mine[of_group ? SCAN : SUB_SCAN], &scan, sizeof scan) == 0);                              \
            TW_CHECK(memcmp(&mine[of_group ? EXCLUSIVE : SUB_EXCLUSIVE], &from_init, sizeof scan) == 0);               \
            from_init = T##_on_host(from_init, x);                                                                     \
            TW_CHECK(!of_group || memcmp(&mine[SCAN_INIT], &from_init, sizeof scan) == 0);                             \
        }                                                                                                              \
        for (size_t i = first; i < past; ++i) {                                                                        \
            const type *mine = got + i * RESULTS;                                                                      \
            TW_CHECK(memcmp(&mine[of_group ? REDUCE : SUB_REDUCE], &scan, sizeof scan) == 0);                          \
            TW_CHECK(!of_group || memcmp(&mine[REDUCE_INIT], &from_init, sizeof scan) == 0);                           \
        }                                                                                                              \
    }                                                                                                                  \
    static void expect_moves_##T(const type *got, size_t first, size_t past)                                           \
    {                                                                                                                  \
        for (size_t i = first; i < past; ++i) {                                                                        \
            const type *mine = got + i * RESULTS;                                                                      \
            const size_t other = first + ((i - first) ^ 1);                                                            \
            type x = T##_value(first);                                                                                 \
            TW_CHECK(memcmp(&mine[SUB_SELECT], &x, sizeof x) == 0);                                                    \
            x = T##_value(other);                                                                                      \
            TW_CHECK(other >= past || memcmp(&mine[SUB_XOR], &x, sizeof x) == 0);                                      \
            x = T##_value(i + 1);                                                                                      \
            TW_CHECK(i + 1 >= past || memcmp(&mine[SUB_LEFT], &x, sizeof x) == 0);                                     \
            x = T##_value(i - 1);                                                                                      \
            TW_CHECK(i == first || memcmp(&mine[SUB_RIGHT], &x, sizeof x) == 0);                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static void expect_all_##T(tw_buffer *out, size_t groups, size_t items)                                            \
    {                                                                                                                  \
        static type got[MAX_TOTAL * RESULTS];                                                                          \
        tw_test_fetch(out, got);                                                                                       \
        for (size_t g = 0; g < groups; ++g) {                                                                          \
            const size_t first = g * items, past = first + items;                                                      \
            const type given = T##_value(first + items / 2);                                                           \
            expect_##T(got, first, past, true);                                                                        \
            for (size_t i = first; i < past; ++i)                                                                      \
                TW_CHECK(memcmp(&got[i * RESULTS + BROADCAST], &given, sizeof given) == 0);                            \
            for (size_t i = first; i < past; i += nd_width()) {                                                        \
                const size_t end = past - i < nd_width() ? past : i + nd_width();                                      \
                expect_##T(got, i, end, false);                                                                        \
                expect_moves_##T(got, i, end);                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void check_##T(tw_range groups, tw_range local)                                                             \
    {                                                                                                                  \
        const size_t items = tw_range_count(local), count = tw_range_count(groups);                                    \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *out = NULL;                                                                                         \
        TW_PASS(tw_buffer_create(sizeof(type), tw_range_1d(count *items *RESULTS), &out));                             \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_mul(groups, local), local), nd_##T,                     \
                                 .out = tw_discard_write(cg, out));                                                    \
        if (!nd_is_refused(queue, cg))                                                                                 \
            expect_all_##T(out, count, items);                                                                         \
        cg = tw_queue_begin(queue);                                                                                    \
        tw_parallel_for_work_group(cg, groups, local, hierarchical_##T, .out = tw_discard_write(cg, out));             \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_queue_wait_and_throw(queue));                                                                       \
        expect_all_##T(out, count, items);                                                                             \
        TW_PASS(tw_buffer_destroy(&out));                                                                              \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
    }                                                                                                                  \
    TW_TEST(values_of_##T)                                                                                             \
    {                                                                                                                  \
        check_##T(tw_range_1d(3), tw_range_1d(64));                                                                    \
        check_##T(tw_range_1d(2), tw_range_1d(1));                                                                     \
        check_##T(tw_range_2d(2, 1), tw_range_2d(7, 11)); /* the last sub-group is smaller */                          \
        check_##T(tw_range_3d(1, 2, 1), tw_range_3d(3, 5, 21));                                                        \
    }

enum { MAX_TOTAL = 640 };

/* Of all work-items of the launch, group by group. */
static inline size_t number(tw_h_item item)
{
    return tw_group_linear_id(item) * tw_range_count(tw_get_local_range(item)) + tw_local_linear_id(item);
}

TYPES(KERNELS)

/* ---- votes at group scope ---------------------------------------------------------------------------------------- */

enum { VOTES = 8 };
struct vote {
    unsigned long long *out;
};
static inline void vote(tw_group group, const struct vote *k)
{
    TW_PRIVATE(group, bool, x);
    TW_PRIVATE(group, unsigned long long, mask);
    const tw_sub_groups s = tw_get_sub_groups(group);
    tw_parallel_for_work_item(group, item) {
        tw_private(x, item) = number(item) % 3 == 0;
    }
    const int of_group = tw_any_of_group(group, x) + 2 * tw_all_of_group(group, x) + 4 * tw_none_of_group(group, x);
    tw_group_ballot(s, x, mask);
    tw_any_of_group(s, x);
    tw_parallel_for_work_item(group, item) {
        unsigned long long *out = k->out + number(item) * VOTES;
        out[0] = (unsigned)of_group;
        out[1] = tw_private(mask, item);
        out[2] = tw_private(x, item);
        tw_private(x, item) = number(item) % 3 == 0;
    }
    tw_all_of_group(s, x);
    tw_parallel_for_work_item(group, item) {
        k->out[number(item) * VOTES + 3] = tw_private(x, item);
        tw_private(x, item) = number(item) % 3 == 0;
    }
    tw_none_of_group(s, x);
    tw_parallel_for_work_item(group, item) {
        k->out[number(item) * VOTES + 4] = tw_private(x, item);
    }
}
TW_WORK_GROUP_KERNEL(vote);

struct ballot {
    unsigned long long *out;
};
static inline void ballot(tw_nd_item item, const struct ballot *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = tw_group_ballot(tw_get_sub_group(item), i % 3 == 0);
}
TW_ND_RANGE_KERNEL(ballot);

TW_TEST(votes_and_ballots)
{
    enum { ITEMS = 2 * 64 };
    static unsigned long long got[ITEMS][VOTES];
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = NULL;
    TW_PASS(tw_buffer_create(sizeof got[0][0], tw_range_2d(ITEMS, VOTES), &out));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(2), tw_range_1d(64), vote, .out = tw_discard_write(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(out, got);
    for (size_t first = 0; first < ITEMS; first += nd_width()) {
        unsigned long long mask = 0;
        for (size_t i = first; i < first + nd_width(); ++i)
            mask |= (unsigned long long)(i % 3 == 0) << (i - first);
        for (size_t i = first; i < first + nd_width(); ++i) {
            TW_EQUAL(got[i][0], 1);
            TW_EQUAL(got[i][1], mask);
            TW_EQUAL(got[i][2], mask != 0);
            TW_EQUAL(got[i][3], nd_width() == 1 && mask);
            TW_EQUAL(got[i][4], mask == 0);
        }
    }
    cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(ITEMS), tw_range_1d(64)), ballot,
                             .out = tw_discard_write(cg, out));
    if (!nd_is_refused(queue, cg)) {
        static unsigned long long masks[ITEMS * VOTES];
        tw_test_fetch(out, masks);
        for (size_t i = 0; i < ITEMS; ++i) {
            unsigned long long mask = 0;
            for (size_t n = i / nd_width() * nd_width(); n < i / nd_width() * nd_width() + nd_width(); ++n)
                mask |= (unsigned long long)(n % 3 == 0) << (n % nd_width());
            TW_EQUAL(masks[i], mask);
        }
    }
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- joint forms ------------------------------------------------------------------------------------------------- */

enum { TILE = 300, FLAGS = 9, MARK = 77 };

/* The nearer one of two points, and of equal ones the first: commutes. */
struct nearest {
    int distance, point;
};
static inline struct nearest nearer(struct nearest a, struct nearest b)
{
    return b.distance < a.distance || (b.distance == a.distance && b.point < a.point) ? b : a;
}
TW_GROUP_TYPE(struct nearest);
static inline bool is_nearer(struct nearest a, struct nearest b)
{
    return a.distance < b.distance || (a.distance == b.distance && a.point < b.point);
}
static inline bool is_far(struct nearest a)
{
    return a.distance >= 90;
}
static inline bool is_there(struct nearest a)
{
    return a.distance >= 0;
}
static inline bool is_less(int a, int b)
{
    return a < b;
}

/* What a group makes of the first `count` elements; out of memory that a work-item each has written. */
#define JOINT(group)                                                                                                   \
    tw_joint_copy(group, tile, k->in, k->count);                                                                       \
    const struct nearest best = tw_joint_reduce(group, tile, tile + k->count, (struct nearest){1000, -1}, nearer);     \
    const bool any = tw_joint_any_of(group, tile, tile + k->count, is_far);                                            \
    const bool all = tw_joint_all_of(group, tile, tile + k->count, is_there);                                          \
    const bool none = tw_joint_none_of(group, tile, tile + k->count, is_far);                                          \
    tw_joint_sort(group, tile, tile + k->count, is_nearer);                                                            \
    tw_joint_copy(group, k->sorted, tile, k->count);                                                                   \
    const int sum = tw_joint_reduce(group, k->numbers, k->numbers + k->count, TW_SUM);                                 \
    const float most = tw_joint_reduce(group, k->reals, k->reals + k->count, TW_MAX);                                  \
    const struct affine *const end =                                                                                   \
        tw_joint_inclusive_scan(group, k->steps, k->steps + k->count, k->scan, affine_then);                           \
    tw_joint_exclusive_scan(group, k->steps, k->steps + k->count, k->exclusive, affine_value(INIT), affine_then);      \
    tw_joint_inclusive_scan(group, k->numbers, k->numbers + k->count, k->numbers, TW_SUM, 5);                          \
    tw_joint_sort(group, k->bytes, k->bytes + k->count, is_less_byte);                                                 \
    const int result[FLAGS] = {best.distance,        best.point, any, all, none, sum, most < 0 ? -1 : (int)most,       \
                               (int)(end - k->scan), MARK};
static inline bool is_less_byte(unsigned char a, unsigned char b)
{
    return is_less(a, b);
}

struct joint_nd {
    size_t count;
    const struct nearest *in;
    const float *reals;
    const struct affine *steps;
    struct nearest *sorted;
    int *numbers, *result;
    unsigned char *bytes;
    struct affine *scan, *exclusive;
};
static inline void joint_nd(tw_nd_item item, const struct joint_nd *k)
{
    TW_LOCAL(struct nearest, tile, [TILE]);
    JOINT(item)
    if (tw_local_linear_id(item) == tw_local_linear_range(item) - 1) /* the result is every work-item's */
        for (int i = 0; i < FLAGS; ++i)
            k->result[i] = result[i];
}
TW_ND_RANGE_KERNEL(joint_nd);

struct joint_hierarchical {
    size_t count;
    const struct nearest *in;
    const float *reals;
    const struct affine *steps;
    struct nearest *sorted;
    int *numbers, *result;
    unsigned char *bytes;
    struct affine *scan, *exclusive;
};
static inline void joint_hierarchical(tw_group group, const struct joint_hierarchical *k)
{
    TW_LOCAL(struct nearest, tile, [TILE]);
    JOINT(group)
    TW_ONCE(group) {
        for (int i = 0; i < FLAGS; ++i)
            k->result[i] = result[i];
    }
}
TW_WORK_GROUP_KERNEL(joint_hierarchical);

struct joint_data {
    struct nearest in[TILE], sorted[TILE];
    float reals[TILE];
    int numbers[TILE], result[FLAGS];
    unsigned char bytes[TILE];
    struct affine steps[TILE], scan[TILE], exclusive[TILE];
};

static void expect_joint(const struct joint_data *before, const struct joint_data *got, size_t count)
{
    struct nearest best = {1000, -1};
    bool any = false;
    int sum = 0;
    float most = -__builtin_inff();
    struct affine scan = {0, 0}, exclusive = affine_value(INIT);
    unsigned char bytes[TILE];
    memcpy(bytes, before->bytes, count);
    for (size_t i = 0; i < count; ++i) {
        best = nearer(best, before->in[i]);
        any |= is_far(before->in[i]);
        sum += before->numbers[i];
        most = before->reals[i] > most ? before->reals[i] : most;
        TW_EQUAL(got->numbers[i], sum + 5);
        scan = i ? affine_then(scan, before->steps[i]) : before->steps[i];
        TW_CHECK(memcmp(&got->scan[i], &scan, sizeof scan) == 0);
        TW_CHECK(memcmp(&got->exclusive[i], &exclusive, sizeof scan) == 0);
        exclusive = affine_then(exclusive, before->steps[i]);
        for (size_t j = i; j-- > 0 && bytes[j] > bytes[j + 1];) {
            const unsigned char other = bytes[j];
            bytes[j] = bytes[j + 1];
            bytes[j + 1] = other;
        }
    }
    TW_CHECK(memcmp(bytes, got->bytes, count) == 0);
    const int result[FLAGS] = {best.distance, best.point, any, true, !any, sum, most < 0 ? -1 : (int)most,
                               (int)count,    MARK};
    for (int i = 0; i < FLAGS; ++i)
        TW_EQUAL(got->result[i], result[i]); /* of no numbers, the most is less than all */
    /* All are there, in order: each is larger than the one before, as no two are equal. */
    for (size_t i = 1; i < count; ++i)
        TW_CHECK(is_nearer(got->sorted[i - 1], got->sorted[i]));
    for (size_t i = 0; i < count; ++i)
        TW_EQUAL(got->sorted[i].distance, before->in[got->sorted[i].point].distance);
}

static tw_buffer *of(void *data, size_t bytes)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(data, bytes, tw_range_1d(TILE), &buffer));
    return buffer;
}

/* One group of `items`; as an nd_range kernel, or a hierarchical one. */
static void check_joint(tw_queue *queue, size_t items, size_t count, bool nd)
{
    static struct joint_data data, before;
    for (size_t i = 0; i < TILE; ++i) {
        data.in[i] = (struct nearest){(int)(i * 53 % 101), (int)i};
        data.numbers[i] = (int)(i % 17) - 4;
        data.reals[i] = (float)(i * 31 % 64);
        data.bytes[i] = (unsigned char)(i * 151 % 256);
        data.steps[i] = affine_value(i);
    }
    before = data;
    tw_buffer *in = of(data.in, sizeof data.in[0]), *sorted = of(data.sorted, sizeof data.sorted[0]);
    tw_buffer *numbers = of(data.numbers, sizeof data.numbers[0]), *reals = of(data.reals, sizeof data.reals[0]);
    tw_buffer *bytes = of(data.bytes, 1), *steps = of(data.steps, sizeof data.steps[0]);
    tw_buffer *scan = of(data.scan, sizeof data.scan[0]), *exclusive = of(data.exclusive, sizeof data.exclusive[0]);
    tw_buffer *result = NULL;
    TW_PASS(tw_buffer_create_over(data.result, sizeof(int), tw_range_1d(FLAGS), &result));
    tw_command_group *cg = tw_queue_begin(queue);
    bool refused = false;
    if (nd) {
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(items), tw_range_1d(items)), joint_nd, .count = count,
                                 .in = tw_read(cg, in), .sorted = tw_read_write(cg, sorted),
                                 .reals = tw_read(cg, reals), .numbers = tw_read_write(cg, numbers),
                                 .result = tw_read_write(cg, result), .bytes = tw_read_write(cg, bytes),
                                 .steps = tw_read(cg, steps), .scan = tw_read_write(cg, scan),
                                 .exclusive = tw_read_write(cg, exclusive));
        refused = nd_is_refused(queue, cg);
    } else {
        tw_parallel_for_work_group(
            cg, tw_range_1d(1), tw_range_1d(items), joint_hierarchical, .count = count, .in = tw_read(cg, in),
            .sorted = tw_read_write(cg, sorted), .reals = tw_read(cg, reals), .numbers = tw_read_write(cg, numbers),
            .result = tw_read_write(cg, result), .bytes = tw_read_write(cg, bytes), .steps = tw_read(cg, steps),
            .scan = tw_read_write(cg, scan), .exclusive = tw_read_write(cg, exclusive));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_queue_wait_and_throw(queue));
    }
    tw_buffer *all[] = {in, sorted, numbers, reals, bytes, steps, scan, exclusive, result};
    for (size_t i = 0; i < sizeof all / sizeof all[0];
         ++i) { /* brings its contents back, which a kernel that was refused leaves lost */
        const tw_status status = tw_buffer_destroy(&all[i]);
        TW_CHECK(status == TW_SUCCESS || (refused && status == TW_ERROR_DATA_LOST));
    }
    if (!refused)
        expect_joint(&before, &data, count);
}

TW_TEST(joint_forms)
{
    static const size_t counts[] = {0, 1, 2, 31, 64, 77, 128, TILE}, items[] = {1, 23, 64, 96};
    tw_queue *queue = tw_test_queue();
    for (size_t i = 0; i < sizeof items / sizeof items[0]; ++i)
        for (size_t n = 0; n < sizeof counts / sizeof counts[0]; ++n) {
            check_joint(queue, items[i], counts[n], false);
            check_joint(queue, items[i], counts[n], true);
        }
    TW_PASS(tw_queue_destroy(&queue));
}

#define CASES(type, T) TW_CASE(values_of_##T),
TW_TEST_LIST = {TYPES(CASES) TW_CASE(votes_and_ballots), TW_CASE(joint_forms), TW_CASES_END};
