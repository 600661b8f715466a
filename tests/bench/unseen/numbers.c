/* SPDX-License-Identifier: Apache-2.0 */
/* Much work on few data: options, hashes, strings. unseen.h says how programs are written. */
#include <math.h>
#include <string.h>

#include <teamwork/atomic.h>
#include <teamwork/group_functions.h>

#include "unseen.h"

/* ---- binomial: an option for each group, its tree in local memory ------------------------------------------------ */

enum { TREE = 256 };

struct binomial {
    const float *price, *strike, *years;
    float *out;
};

static inline void binomial(tw_nd_item item, const struct binomial *k)
{
    TW_LOCAL(float, call_a, [TREE + 1]);
    TW_LOCAL(float, call_b, [TREE + 1]);
    const int t = (int)tw_local_id(item, 0), option = (int)tw_group_id(item, 0);
    const float dt = k->years[option] / (float)TREE, vdt = 0.3f * sqrtf(dt), growth = expf(0.02f * dt);
    const float u = expf(vdt), d = 1 / u, pu = (growth - d) / (u - d), down = 1 - pu, discount = 1 / growth;
    const float value = k->price[option] * expf(vdt * (2.0f * (float)t - (float)TREE)) - k->strike[option];
    call_a[t] = value > 0 ? value : 0;
    if (t == 0) {
        const float last = k->price[option] * expf(vdt * (float)TREE) - k->strike[option];
        call_a[TREE] = last > 0 ? last : 0;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int j = TREE; j > 0; j -= 2) {
        if (t < j)
            call_b[t] = discount * (pu * call_a[t + 1] + down * call_a[t]);
        tw_barrier(item, TW_LOCAL_SPACE);
        if (t < j - 1)
            call_a[t] = discount * (pu * call_b[t + 1] + down * call_b[t]);
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    if (t == 0)
        k->out[option] = call_a[0];
}
TW_ND_RANGE_KERNEL(binomial, TREE);

UNSEEN_TEAMWORK(binomial_teamwork, tw_parallel_for_nd_range, unseen_1d(d->n[0] * TREE, TREE), binomial,
                .price = d->in[0], .strike = d->in[1], .years = d->in[2], .out = d->out[0])

static void binomial_openmp(const struct unseen_data *data)
{
    const float *price = data->in[0], *strike = data->in[1], *years = data->in[2];
    float *out = data->out[0];
#pragma omp parallel for
    for (int o = 0; o < data->n[0]; ++o) {
        const float dt = years[o] / (float)TREE, vdt = 0.3f * sqrtf(dt), growth = expf(0.02f * dt);
        const float u = expf(vdt), d = 1 / u, pu = (growth - d) / (u - d), up = pu / growth, down = (1 - pu) / growth;
        float call[TREE + 1];
#pragma omp simd
        for (int t = 0; t <= TREE; ++t) {
            const float value = price[o] * expf(vdt * (2.0f * (float)t - (float)TREE)) - strike[o];
            call[t] = value > 0 ? value : 0;
        }
        for (int j = TREE; j > 0; --j)
            for (int t = 0; t < j; ++t)
                call[t] = up * call[t + 1] + down * call[t];
        out[o] = call[0];
    }
}

static void binomial_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 16 : 2048;
    p->data.in[0] = unseen_floats((size_t)n, 5, 30);
    p->data.in[1] = unseen_floats((size_t)n, 1, 30);
    p->data.in[2] = unseen_floats((size_t)n, 0.25f, 10);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)n, 1e-3, NULL);
}

/* ---- md5: a key of seven digits is looked for by brute force ----------------------------------------------------- */

struct digest {
    unsigned a, b, c, d;
};

struct md5 {
    struct digest wanted;
    int *found;
    int keys;
};

#define MD5_F(x, y, z) ((x & y) | (~x & z))
#define MD5_G(x, y, z) ((x & z) | (y & ~z))
#define MD5_H(x, y, z) (x ^ y ^ z)
#define MD5_I(x, y, z) (y ^ (x | ~z))
#define MD5_STEP(f, a, b, c, d, x, s, t)                                                                               \
    a += f(b, c, d) + x + t;                                                                                           \
    a = (a << s | a >> (32 - s)) + b;
#define MD5_STEPS(f, i, j, k, l, s0, s1, s2, s3, t0, t1, t2, t3)                                                       \
    MD5_STEP(f, a, b, c, d, w[i], s0, t0)                                                                              \
    MD5_STEP(f, d, a, b, c, w[j], s1, t1)                                                                              \
    MD5_STEP(f, c, d, a, b, w[k], s2, t2)                                                                              \
    MD5_STEP(f, b, c, d, a, w[l], s3, t3)

__attribute__((always_inline)) static inline struct digest md5_of_key(int key)
{
    unsigned w[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7 * 8, 0};
    for (int i = 0; i < 7; ++i) {
        w[i / 4] |= (unsigned)('0' + key % 10) << (8 * (i % 4));
        key /= 10;
    }
    w[1] |= 0x80u << 24;
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    MD5_STEPS(MD5_F, 0, 1, 2, 3, 7, 12, 17, 22, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee)
    MD5_STEPS(MD5_F, 4, 5, 6, 7, 7, 12, 17, 22, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501)
    MD5_STEPS(MD5_F, 8, 9, 10, 11, 7, 12, 17, 22, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be)
    MD5_STEPS(MD5_F, 12, 13, 14, 15, 7, 12, 17, 22, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821)
    MD5_STEPS(MD5_G, 1, 6, 11, 0, 5, 9, 14, 20, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa)
    MD5_STEPS(MD5_G, 5, 10, 15, 4, 5, 9, 14, 20, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8)
    MD5_STEPS(MD5_G, 9, 14, 3, 8, 5, 9, 14, 20, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed)
    MD5_STEPS(MD5_G, 13, 2, 7, 12, 5, 9, 14, 20, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a)
    MD5_STEPS(MD5_H, 5, 8, 11, 14, 4, 11, 16, 23, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c)
    MD5_STEPS(MD5_H, 1, 4, 7, 10, 4, 11, 16, 23, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70)
    MD5_STEPS(MD5_H, 13, 0, 3, 6, 4, 11, 16, 23, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05)
    MD5_STEPS(MD5_H, 9, 12, 15, 2, 4, 11, 16, 23, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665)
    MD5_STEPS(MD5_I, 0, 7, 14, 5, 6, 10, 15, 21, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039)
    MD5_STEPS(MD5_I, 12, 3, 10, 1, 6, 10, 15, 21, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1)
    MD5_STEPS(MD5_I, 8, 15, 6, 13, 6, 10, 15, 21, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1)
    MD5_STEPS(MD5_I, 4, 11, 2, 9, 6, 10, 15, 21, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391)
    return (struct digest){a + 0x67452301, b + 0xefcdab89, c + 0x98badcfe, d + 0x10325476};
}

static inline bool is_same_digest(struct digest a, struct digest b)
{
    return a.a == b.a && a.b == b.b && a.c == b.c && a.d == b.d;
}

static inline void md5(tw_nd_item item, const struct md5 *k)
{
    const int key = (int)tw_global_id(item, 0);
    if (key >= k->keys)
        return;
    if (is_same_digest(md5_of_key(key), k->wanted))
        tw_atomic_store(k->found, key);
}
TW_ND_RANGE_KERNEL(md5, 256);

UNSEEN_TEAMWORK(md5_teamwork, tw_parallel_for_nd_range, unseen_1d(d->n[0], 256), md5,
                .wanted = md5_of_key(d->n[0] - 123), .found = d->out[0], .keys = d->n[0])

static void md5_openmp(const struct unseen_data *d)
{
    const struct digest wanted = md5_of_key(d->n[0] - 123);
    int found = -1;
#pragma omp parallel for simd reduction(max : found)
    for (int key = 0; key < d->n[0]; ++key) {
        const struct digest digest = md5_of_key(key);
        const unsigned difference =
            (digest.a ^ wanted.a) | (digest.b ^ wanted.b) | (digest.c ^ wanted.c) | (digest.d ^ wanted.d);
        const int mine = difference == 0 ? key : -1;
        found = mine > found ? mine : found;
    }
    *(int *)d->out[0] = found;
}

static void md5_prepare(struct unseen_problem *p, bool quick)
{
    p->data.n[0] = quick ? 5000 : 500000;
    unseen_add_output(p, UNSEEN_INTS, 1, 0, NULL);
}

/* ---- edit_distance: a pair of strings for each work-item, the row of the table private --------------------------- */

enum { LETTERS = 32 };

struct edit_distance {
    const unsigned char *a, *b; /* [pairs][LETTERS] */
    int *distance;
    int pairs;
};

static inline int least_of_3(int a, int b, int c)
{
    const int least = a < b ? a : b;
    return least < c ? least : c;
}

static inline int levenshtein(const unsigned char *a, const unsigned char *b)
{
    int row[LETTERS + 1];
    for (int j = 0; j <= LETTERS; ++j)
        row[j] = j;
    for (int i = 0; i < LETTERS; ++i) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < LETTERS; ++j) {
            const int up = row[j + 1];
            row[j + 1] = least_of_3(up + 1, row[j] + 1, diagonal + (a[i] != b[j]));
            diagonal = up;
        }
    }
    return row[LETTERS];
}

static inline void edit_distance(tw_nd_item item, const struct edit_distance *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i >= k->pairs)
        return;
    k->distance[i] = levenshtein(k->a + i * LETTERS, k->b + i * LETTERS);
}
TW_ND_RANGE_KERNEL(edit_distance);

UNSEEN_TEAMWORK(edit_distance_teamwork, tw_parallel_for_nd_range, unseen_1d(d->n[0], 64), edit_distance, .a = d->in[0],
                .b = d->in[1], .distance = d->out[0], .pairs = d->n[0])

static void edit_distance_openmp(const struct unseen_data *d)
{
    const unsigned char *a = d->in[0], *b = d->in[1];
    int *distance = d->out[0];
#pragma omp parallel for
    for (int i = 0; i < d->n[0]; ++i)
        distance[i] = levenshtein(a + i * LETTERS, b + i * LETTERS);
}

static void edit_distance_prepare(struct unseen_problem *p, bool quick)
{
    const int pairs = p->data.n[0] = quick ? 1000 : 16384;
    unsigned char *strings[2];
    for (int s = 0; s < 2; ++s) {
        strings[s] = unseen_bytes((size_t)pairs * LETTERS);
        for (int i = 0; i < pairs * LETTERS; ++i)
            strings[s][i] %= 4;
    }
    p->data.in[0] = strings[0];
    p->data.in[1] = strings[1];
    unseen_add_output(p, UNSEEN_INTS, (size_t)pairs, 0, NULL);
}

/* ---- matching: a pattern at each place of a text, the pattern in local memory ------------------------------------ */

enum { PATTERN = 24, TEXT_GROUP = 256 };

struct matching {
    const unsigned char *text, *pattern;
    int *found; /* for each group the first place, or -1 */
    int length;
};

static inline void matching(tw_group group, const struct matching *k)
{
    TW_LOCAL(unsigned char, pattern, [PATTERN]);
    TW_PRIVATE(group, int, place);
    tw_parallel_for_work_item(group, item) {
        if (tw_local_id(item, 0) < PATTERN)
            pattern[tw_local_id(item, 0)] = k->pattern[tw_local_id(item, 0)];
    }
    tw_parallel_for_work_item(group, item) {
        const int at = (int)tw_global_id(item, 0);
        tw_private(place, item) = k->length;
        if (at <= k->length - PATTERN) {
            int i = 0;
            while (i < PATTERN && (pattern[i] == '?' || k->text[at + i] == pattern[i]))
                ++i;
            if (i == PATTERN)
                tw_private(place, item) = at;
        }
    }
    const int first = tw_reduce_over_group(group, place, TW_MIN);
    TW_ONCE(group) {
        k->found[tw_group_id(group, 0)] = first == k->length ? -1 : first;
    }
}
TW_WORK_GROUP_KERNEL(matching, TEXT_GROUP);

UNSEEN_TEAMWORK(matching_teamwork, tw_parallel_for_work_group, tw_range_1d((size_t)d->n[0] / TEXT_GROUP),
                tw_range_1d(TEXT_GROUP), matching, .text = d->in[0], .pattern = d->in[1], .found = d->out[0],
                .length = d->n[0])

static void matching_openmp(const struct unseen_data *d)
{
    const unsigned char *text = d->in[0], *pattern = d->in[1];
    int *found = d->out[0];
    const int length = d->n[0];
#pragma omp parallel for
    for (int block = 0; block < length / TEXT_GROUP; ++block) {
        found[block] = -1;
        for (int at = block * TEXT_GROUP; at < (block + 1) * TEXT_GROUP && at <= length - PATTERN; ++at) {
            int i = 0;
            while (i < PATTERN && (pattern[i] == '?' || text[at + i] == pattern[i]))
                ++i;
            if (i == PATTERN) {
                found[block] = at;
                break;
            }
        }
    }
}

static void matching_prepare(struct unseen_problem *p, bool quick)
{
    const int length = p->data.n[0] = TEXT_GROUP * (quick ? 40 : 8000);
    unsigned char *text = unseen_bytes((size_t)length), *pattern = unseen_bytes(PATTERN);
    for (int i = 0; i < length; ++i)
        text[i] = (unsigned char)('a' + text[i] % 3);
    for (int i = 0; i < PATTERN; ++i)
        pattern[i] = i < 12 ? (unsigned char)('a' + i % 3) : '?';
    p->data.in[0] = text;
    p->data.in[1] = pattern;
    unseen_add_output(p, UNSEEN_INTS, (size_t)length / TEXT_GROUP, 0, NULL);
}

const struct unseen_program unseen_numbers[] = {
    {"binomial", "options, a tree in local memory", binomial_prepare, binomial_teamwork, binomial_openmp},
    {"md5", "a digest by brute force", md5_prepare, md5_teamwork, md5_openmp},
    {"edit_distance", "a pair of strings for each work-item", edit_distance_prepare, edit_distance_teamwork,
     edit_distance_openmp},
    {"matching", "a pattern in a text, hierarchical", matching_prepare, matching_teamwork, matching_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
