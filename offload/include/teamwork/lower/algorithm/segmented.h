/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers TW_SEGMENTED_SCAN() (<teamwork/algorithms.h>), and what TW_SEGMENTED_REDUCE() has in common with it.
 *
 * On a GPU one launch marks by a bit each element before which a segment begins or ends, and a scan of pairs begins
 * anew there: work-items have the same work whatever the lengths. Of a reduction, the last elements of segments leave
 * their sums in temporary memory, from which one more launch takes those of all segments. On a CPU each processor has
 * a share of the elements, and goes from segment to segment. The first launch of a scan finds what a share has of its
 * last one; the second launch of a reduction is of one thread, and completes the segments that several shares have.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_SEGMENTED_H
#define TEAMWORK_LOWER_ALGORITHM_SEGMENTED_H

#include <teamwork/lower/algorithm/map.h>
#include <teamwork/lower/algorithm/scan_transformed.h>

/* Where segments are. Segment s has elements offsets[s] to offsets[s + 1] - 1. */
struct tw_internal_segments {
    size_t count;
    size_t bits, sums; /* where those are in the temporary memory of a GPU */
    size_t shares;     /* of a reduction on a CPU */
};

/* Elements that a GPU reduces by one launch, at most, and those of a segment that one sub-group does. */
enum { TW_INTERNAL_FEW_SEGMENTED = 1 << 16, TW_INTERNAL_SHORT_SEGMENT = 512 };

/* An offset that lies among the elements, whatever the program has given. */
TW_INTERNAL_ALWAYS_INLINE size_t tw_internal_segment_offset(const size_t *offsets, size_t segment, size_t count)
{
    return offsets[segment] < count ? offsets[segment] : count;
}

/* The first of the segments that does not begin before element i. */
TW_INTERNAL_ALWAYS_INLINE size_t tw_internal_segment_from(const size_t *offsets, size_t segments, size_t i)
{
    size_t low = 0, high = segments;
    TW_INTERNAL_BISECT(low, high, middle, offsets[middle] < i);
    return low;
}

/* Whether the first element of a share is in a segment that begins before it: segment s - 1, where s is the first that does
   not. */
TW_INTERNAL_ALWAYS_INLINE bool tw_internal_is_in_segment(const size_t *offsets, size_t s, size_t first, size_t past,
                                                         size_t count)
{
    return first < past && s > 0 && offsets[s - 1] < first && tw_internal_segment_offset(offsets, s, count) > first;
}

TW_INTERNAL_ALWAYS_INLINE unsigned *tw_internal_segment_bits(const struct tw_internal_algorithm *common,
                                                             const struct tw_internal_segments *segments)
{
    return (unsigned *)tw_internal_at(common->scratch, segments->bits);
}

/* Whether a segment begins or ends before element i. */
TW_INTERNAL_ALWAYS_INLINE bool tw_internal_is_edge(const struct tw_internal_algorithm *common,
                                                   const struct tw_internal_segments *segments, size_t i)
{
    return tw_internal_segment_bits(common, segments)[i / 32] >> i % 32 & 1;
}

/* The block, pairs of a scan, and the launch that marks. */
#define TW_INTERNAL_DEFINE_SEGMENTS(name, type, operation)                                                             \
    struct name##_segmented {                                                                                          \
        struct tw_internal_algorithm common;                                                                           \
        struct tw_internal_segments segments;                                                                          \
        const type *in;                                                                                                \
        const size_t *offsets;                                                                                         \
        type *out;                                                                                                     \
        type init;                                                                                                     \
        bool exclusive;                                                                                                \
    };                                                                                                                 \
    typedef struct {                                                                                                   \
        type value;                                                                                                    \
        bool begins;                                                                                                   \
    } name##_part;                                                                                                     \
    TW_INTERNAL_ALWAYS_INLINE name##_part name##_join(name##_part a, name##_part b)                                    \
    {                                                                                                                  \
        if (!b.begins) {                                                                                               \
            b.value = operation(a.value, b.value);                                                                     \
            b.begins = a.begins;                                                                                       \
        }                                                                                                              \
        return b;                                                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_mark_range(const struct name##_segmented *k)                               \
    {                                                                                                                  \
        return k->segments.count + 1;                                                                                  \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_mark_at(const struct name##_segmented *k, size_t i)                          \
    {                                                                                                                  \
        const size_t at = k->offsets[i];                                                                               \
        if (at < tw_internal_count(&k->common))                                                                        \
            (void)tw_atomic_fetch_or(&tw_internal_segment_bits(&k->common, &k->segments)[at / 32], 1u << at % 32,      \
                                     TW_ORDER_RELAXED, TW_SCOPE_DEVICE);                                               \
    }

#if TW_ON_GPU

/* Element i as a pair. An exclusive scan is an inclusive one of `init` and the elements before. */
#define TW_INTERNAL_DEFINE_SEGMENT_LOAD(name, type)                                                                    \
    TW_INTERNAL_ALWAYS_INLINE name##_part name##_load(const struct name##_segmented *k, size_t i, size_t count)        \
    {                                                                                                                  \
        name##_part x;                                                                                                 \
        (void)count;                                                                                                   \
        x.begins = i == 0 || tw_internal_is_edge(&k->common, &k->segments, i);                                         \
        if (!k->exclusive)                                                                                             \
            x.value = k->in[i];                                                                                        \
        else if (x.begins)                                                                                             \
            x.value = k->init;                                                                                         \
        else                                                                                                           \
            x.value = k->in[i - 1];                                                                                    \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_store_none(const struct name##_segmented *k)                                 \
    {                                                                                                                  \
        (void)k;                                                                                                       \
    }
#define TW_INTERNAL_DEFINE_SEGMENT_STORE_SCAN(name)                                                                    \
    typedef bool name##_use; /* whether the element is in a segment */                                                 \
    TW_INTERNAL_ALWAYS_INLINE bool name##_look(const struct name##_segmented *k, size_t i, size_t count)               \
    {                                                                                                                  \
        (void)count;                                                                                                   \
        return i >= k->offsets[0] && i < k->offsets[k->segments.count];                                                \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_store(const struct name##_segmented *k, size_t i, size_t count,              \
                                                name##_part y, bool is_in)                                             \
    {                                                                                                                  \
        (void)count;                                                                                                   \
        if (is_in)                                                                                                     \
            k->out[i] = y.value;                                                                                       \
    }
#define TW_INTERNAL_DEFINE_SEGMENT_STORE_SUM(name, type)                                                               \
    typedef bool name##_use; /* whether the element is the last of a segment */                                        \
    TW_INTERNAL_ALWAYS_INLINE bool name##_look(const struct name##_segmented *k, size_t i, size_t count)               \
    {                                                                                                                  \
        return i + 1 == count || tw_internal_is_edge(&k->common, &k->segments, i + 1);                                 \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_store(const struct name##_segmented *k, size_t i, size_t count,              \
                                                name##_part y, bool is_last)                                           \
    {                                                                                                                  \
        (void)count;                                                                                                   \
        if (is_last)                                                                                                   \
            ((type *)tw_internal_at(k->common.scratch, k->segments.sums))[i] = y.value;                                \
    }

/* Few elements are reduced by one launch, without the scan. A sub-group takes a segment, each work-item elements that are one
   behind the other; one of more than TW_INTERNAL_SHORT_SEGMENT elements all sub-groups of the group take together. */
#define TW_INTERNAL_DEFINE_SHORT_SEGMENTS(name, type, operation)                                                       \
    /* Elements begin to end - 1, of which there are some, in the first work-item. */                                  \
    TW_INTERNAL_ALWAYS_INLINE type name##_reduce_run(tw_sub_group sub_group, const type *in, size_t begin, size_t end) \
    {                                                                                                                  \
        const unsigned lane = sub_group.tw_lane_, lanes = sub_group.tw_max_;                                           \
        const size_t mine = tw_internal_divide_up(end - begin, lanes),                                                 \
                     used = tw_internal_divide_up(end - begin, mine);                                                  \
        size_t i = lane < used ? begin + lane * mine : begin;                                                          \
        const size_t past = end - i < mine ? end : i + mine;                                                           \
        type x = in[i];                                                                                                \
        while (++i < past)                                                                                             \
            x = operation(x, in[i]);                                                                                   \
        for (unsigned delta = 1; delta < lanes; delta *= 2) {                                                          \
            type other;                                                                                                \
            tw_internal_shuffle_value(sub_group, &other, &x, sizeof x, TW_INTERNAL_AFTER, delta);                      \
            if (lane + delta < used)                                                                                   \
                x = operation(x, other);                                                                               \
        }                                                                                                              \
        return x;                                                                                                      \
    }                                                                                                                  \
    /* Segments `first` and following ones, as many as the group has sub-groups. */                                    \
    TW_INTERNAL_ALWAYS_INLINE void name##_reduce_some(tw_nd_item item, const struct name##_segmented *k, size_t first, \
                                                      type *parts)                                                     \
    {                                                                                                                  \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const unsigned warp = sub_group.tw_id_, warps = sub_group.tw_count_;                                           \
        const size_t count = tw_internal_count(&k->common);                                                            \
        for (unsigned w = 0; w <= warps; ++w) { /* the sub-group's own segment first, then those of all */             \
            const size_t segment = first + (w ? w - 1 : warp);                                                         \
            if (segment >= k->segments.count)                                                                          \
                continue;                                                                                              \
            const size_t begin = tw_internal_segment_offset(k->offsets, segment, count),                               \
                         end = tw_internal_segment_offset(k->offsets, segment + 1, count);                             \
            const size_t length = begin < end ? end - begin : 0;                                                       \
            const bool is_short = length <= TW_INTERNAL_SHORT_SEGMENT;                                                 \
            type x = k->init;                                                                                          \
            if (!w && is_short) {                                                                                      \
                if (length)                                                                                            \
                    x = operation(x, name##_reduce_run(sub_group, k->in, begin, end));                                 \
                if (sub_group.tw_lane_ == 0)                                                                           \
                    k->out[segment] = x;                                                                               \
            } else if (w && !is_short) {                                                                               \
                const size_t part = tw_internal_divide_up(length, warps), from = begin + warp * part;                  \
                const type mine = name##_reduce_run(sub_group, k->in, from, end - from < part ? end : from + part);    \
                if (sub_group.tw_lane_ == 0)                                                                           \
                    parts[warp] = mine;                                                                                \
                tw_barrier(item, TW_LOCAL_SPACE);                                                                      \
                if (tw_local_id(item, 0) == 0) {                                                                       \
                    for (unsigned i = 0; i < warps; ++i)                                                               \
                        x = operation(x, parts[i]);                                                                    \
                    k->out[segment] = x;                                                                               \
                }                                                                                                      \
                tw_barrier(item, TW_LOCAL_SPACE);                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void name##_short(tw_nd_item item, const struct name##_segmented *k)                                 \
    {                                                                                                                  \
        TW_LOCAL(type, parts, [TW_INTERNAL_TILE_ITEMS / 32]);                                                          \
        const unsigned warps = tw_get_sub_group(item).tw_count_;                                                       \
        for (size_t i = tw_group_id(item, 0) * warps; i < k->segments.count; i += tw_group_range(item, 0) * warps)     \
            name##_reduce_some(item, k, i, parts);                                                                     \
    }

#define TW_INTERNAL_DEFINE_SEGMENT_SCANS(name, type, operation)                                                        \
    TW_INTERNAL_NO_CPU_KERNEL(name##_sums, name##_segmented)                                                           \
    TW_INTERNAL_NO_CPU_KERNEL(name##_shares, name##_segmented)
#define TW_INTERNAL_DEFINE_SEGMENT_SUMS(name, type, operation) TW_INTERNAL_DEFINE_SEGMENT_SCANS(name, type, operation)

#else

#define TW_INTERNAL_DEFINE_SHORT_SEGMENTS(name, type, operation)                                                       \
    TW_INTERNAL_NO_GPU_KERNEL(name##_short, name##_segmented)
#define TW_INTERNAL_DEFINE_SEGMENT_LOAD(name, type)
#define TW_INTERNAL_DEFINE_SEGMENT_STORE_SCAN(name)
#define TW_INTERNAL_DEFINE_SEGMENT_STORE_SUM(name, type)

/* Elements first to past - 1 of a segment, which all are in one share. `x` is what the segment has before them, if it
   has something. */
#define TW_INTERNAL_SCAN_SEGMENT(k, first, past, x, has, operation)                                                    \
    do {                                                                                                               \
        size_t i = first;                                                                                              \
        if (!has && (k)->exclusive)                                                                                    \
            x = (k)->init;                                                                                             \
        if (!has && !(k)->exclusive && i < past) {                                                                     \
            x = (k)->in[i];                                                                                            \
            (k)->out[i++] = x;                                                                                         \
        }                                                                                                              \
        for (; !(k)->exclusive && i < past; ++i) {                                                                     \
            x = operation(x, (k)->in[i]);                                                                              \
            (k)->out[i] = x;                                                                                           \
        }                                                                                                              \
        for (; i < past; ++i) {                                                                                        \
            (k)->out[i] = x;                                                                                           \
            if (i + 1 < past)                                                                                          \
                x = operation(x, (k)->in[i]);                                                                          \
        }                                                                                                              \
    } while (0)
#define TW_INTERNAL_STORE_SEGMENT(k, s, has, x, operation)                                                             \
    do {                                                                                                               \
        if (has)                                                                                                       \
            (k)->out[s] = operation((k)->init, x);                                                                     \
        else                                                                                                           \
            (k)->out[s] = (k)->init;                                                                                   \
    } while (0)

/* What a share has of the segment that its last element is in; `begins` where the segment begins in the share. An
   exclusive scan has `init` in front. */
#define TW_INTERNAL_DEFINE_SEGMENT_TAIL(name, type, operation)                                                         \
    TW_INTERNAL_DEFINE_FOLD(name, type, operation)                                                                     \
    static inline void name##_sums(tw_group group, const struct name##_segmented *k)                                   \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            size_t i = 0;                                                                                              \
            const size_t past = tw_internal_share_of(&k->common, tw_group_id(group, 0), &i);                           \
            if (i < past) {                                                                                            \
                const size_t s = tw_internal_segment_from(k->offsets, k->segments.count + 1, past);                    \
                name##_part x;                                                                                         \
                x.begins = s > 0 && k->offsets[s - 1] >= i;                                                            \
                i = x.begins ? k->offsets[s - 1] : i;                                                                  \
                x.value = name##_fold(k->in + i, past - i);                                                            \
                if (x.begins && k->exclusive)                                                                          \
                    x.value = operation(k->init, x.value);                                                             \
                ((name##_part *)k->common.scratch)[tw_group_id(group, 0)] = x;                                         \
            }                                                                                                          \
        }                                                                                                              \
    }
/* The same before element `first` of share `me`. */
#define TW_INTERNAL_DEFINE_SEGMENT_HEAD(name, type, operation)                                                         \
    TW_INTERNAL_ALWAYS_INLINE type name##_before(const struct name##_segmented *k, size_t me)                          \
    {                                                                                                                  \
        const name##_part *const parts = (const name##_part *)k->common.scratch;                                       \
        type x = parts[me - 1].value;                                                                                  \
        for (size_t share = me - 1; share > 0 && !parts[share].begins; --share)                                        \
            x = operation(parts[share - 1].value, x);                                                                  \
        return x;                                                                                                      \
    }

#define TW_INTERNAL_DEFINE_SEGMENT_SCANS(name, type, operation)                                                        \
    TW_INTERNAL_DEFINE_SEGMENT_TAIL(name, type, operation)                                                             \
    TW_INTERNAL_DEFINE_SEGMENT_HEAD(name, type, operation)                                                             \
    static inline void name##_shares(tw_group group, const struct name##_segmented *k)                                 \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const size_t me = tw_group_id(group, 0), count = tw_internal_count(&k->common);                            \
            size_t first = 0;                                                                                          \
            const size_t past = tw_internal_share_of(&k->common, me, &first);                                          \
            size_t s = tw_internal_segment_from(k->offsets, k->segments.count, first);                                 \
            type x = k->init;                                                                                          \
            if (tw_internal_is_in_segment(k->offsets, s, first, past, count)) {                                        \
                const size_t end = tw_internal_segment_offset(k->offsets, s, count), stop = end < past ? end : past;   \
                x = name##_before(k, me);                                                                              \
                TW_INTERNAL_SCAN_SEGMENT(k, first, stop, x, true, operation);                                          \
            }                                                                                                          \
            for (; s < k->segments.count; ++s) {                                                                       \
                const size_t begin = tw_internal_segment_offset(k->offsets, s, count),                                 \
                             end = tw_internal_segment_offset(k->offsets, s + 1, count),                               \
                             stop = end < past ? end : past;                                                           \
                if (begin >= past)                                                                                     \
                    break;                                                                                             \
                TW_INTERNAL_SCAN_SEGMENT(k, begin, stop, x, false, operation);                                         \
            }                                                                                                          \
        }                                                                                                              \
    }

/* A share leaves what it has of the segment that its first element is in, if that begins before it, behind what all shares
   have of the last ones. */
#define TW_INTERNAL_DEFINE_SEGMENT_SUMS(name, type, operation)                                                         \
    TW_INTERNAL_DEFINE_FOLD(name, type, operation)                                                                     \
    TW_INTERNAL_DEFINE_SEGMENT_HEAD(name, type, operation)                                                             \
    static inline void name##_sums(tw_group group, const struct name##_segmented *k)                                   \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const size_t me = tw_group_id(group, 0), count = tw_internal_count(&k->common);                            \
            name##_part *const parts = (name##_part *)k->common.scratch; /* NULL for one share, which uses none */     \
            size_t first = 0;                                                                                          \
            const size_t past = tw_internal_share_of(&k->common, me, &first);                                          \
            const bool is_last = past == count && (me == 0 || me * k->common.share < count);                           \
            size_t s = tw_internal_segment_from(k->offsets, k->segments.count, first);                                 \
            if (tw_internal_is_in_segment(k->offsets, s, first, past, count)) {                                        \
                const size_t end = tw_internal_segment_offset(k->offsets, s, count);                                   \
                parts[me].value = name##_fold(k->in + first, (end < past ? end : past) - first);                       \
                parts[me].begins = false;                                                                              \
                parts[me + k->segments.shares].value = parts[me].value;                                                \
            }                                                                                                          \
            for (; s < k->segments.count; ++s) {                                                                       \
                const size_t begin = tw_internal_segment_offset(k->offsets, s, count),                                 \
                             end = tw_internal_segment_offset(k->offsets, s + 1, count);                               \
                if (begin >= past && !is_last)                                                                         \
                    break;                                                                                             \
                type x = k->init;                                                                                      \
                if (begin < end && begin < past)                                                                       \
                    x = name##_fold(k->in + begin, (end < past ? end : past) - begin);                                 \
                if (end <= past) {                                                                                     \
                    TW_INTERNAL_STORE_SEGMENT(k, s, begin < end, x, operation);                                        \
                } else {                                                                                               \
                    parts[me].value = x;                                                                               \
                    parts[me].begins = true;                                                                           \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void name##_shares(tw_group group, const struct name##_segmented *k)                                 \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const size_t count = tw_internal_count(&k->common), shares = k->segments.shares;                           \
            for (size_t share = 1; share < shares; ++share) {                                                          \
                size_t first = 0;                                                                                      \
                const size_t past = tw_internal_share_of(&k->common, share, &first);                                   \
                const size_t s = tw_internal_segment_from(k->offsets, k->segments.count, first);                       \
                if (tw_internal_is_in_segment(k->offsets, s, first, past, count)                                       \
                    && tw_internal_segment_offset(k->offsets, s, count) <= past) {                                     \
                    type x = name##_before(k, share);                                                                  \
                    x = operation(x, ((const name##_part *)k->common.scratch)[shares + share].value);                  \
                    k->out[s - 1] = operation(k->init, x);                                                             \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

#endif

#define TW_INTERNAL_DEFINE_SEGMENTED(name, type)                                                                       \
    TW_INTERNAL_DEFINE_GPU_MAP(name##_mark, name##_segmented);                                                         \
    TW_INTERNAL_DEFINE_TRANSFORMED_KERNELS(name, name##_segmented);                                                    \
    static inline __attribute__((unused)) void name##_plan(                                                            \
        struct tw_internal_plan *plan, struct tw_internal_algorithm_device device, struct name##_segmented *k)         \
    {                                                                                                                  \
        tw_internal_plan_segments(plan, device, &k->common, &k->segments, sizeof(name##_part), sizeof(type),           \
                                  TW_INTERNAL_SCANNED_TILE(name##_part), TW_KERNEL(name##_mark_map),                   \
                                  TW_KERNEL(name##_sums),                                                              \
                                  device.is_gpu ? TW_KERNEL(name##_tiles) : TW_KERNEL(name##_shares));                 \
    }                                                                                                                  \
    static inline __attribute__((unused)) struct name##_segmented name##_block(                                        \
        const type *in, size_t count, const size_t *offsets, size_t segments, type *out)                               \
    {                                                                                                                  \
        struct name##_segmented k;                                                                                     \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = count;                                                                                        \
        k.segments.count = segments;                                                                                   \
        k.in = in;                                                                                                     \
        k.offsets = offsets;                                                                                           \
        k.out = out;                                                                                                   \
        return k;                                                                                                      \
    }

#define TW_INTERNAL_SEGMENTED_SCAN(name, type, operation)                                                              \
    TW_INTERNAL_DEFINE_SEGMENTS(name, type, operation)                                                                 \
    TW_INTERNAL_DEFINE_SEGMENT_LOAD(name, type)                                                                        \
    TW_INTERNAL_DEFINE_SEGMENT_STORE_SCAN(name)                                                                        \
    TW_INTERNAL_DEFINE_TRANSFORMED_TILES(name, name##_segmented, name##_part, name##_join)                             \
    TW_INTERNAL_DEFINE_SEGMENT_SCANS(name, type, operation)                                                            \
    TW_INTERNAL_DEFINE_SEGMENTED(name, type)                                                                           \
    static inline __attribute__((unused)) void name##_record(tw_command_group *group, struct name##_segmented *k)      \
    {                                                                                                                  \
        struct tw_internal_plan plan;                                                                                  \
        name##_plan(&plan, tw_internal_algorithm_device(group), k);                                                    \
        tw_internal_expect(group, "in", k->in, k->common.count, sizeof(type));                                         \
        tw_internal_expect(group, "offsets", k->offsets, k->segments.count + 1, sizeof(size_t));                       \
        tw_internal_expect(group, "out", k->out, k->common.count, sizeof(type));                                       \
        tw_internal_algorithm_run(group, &plan, &k->common, sizeof *k);                                                \
    }                                                                                                                  \
    static inline __attribute__((unused)) void name##_inclusive(tw_command_group *group, const type *in, size_t count, \
                                                                const size_t *offsets, size_t segments, type *out)     \
    {                                                                                                                  \
        struct name##_segmented k = name##_block(in, count, offsets, segments, out);                                   \
        name##_record(group, &k);                                                                                      \
    }                                                                                                                  \
    static inline                                                                                                      \
        __attribute__((unused)) void name##_exclusive(tw_command_group *group, const type *in, size_t count,           \
                                                      const size_t *offsets, size_t segments, type init, type *out)    \
    {                                                                                                                  \
        struct name##_segmented k = name##_block(in, count, offsets, segments, out);                                   \
        k.init = init;                                                                                                 \
        k.exclusive = true;                                                                                            \
        name##_record(group, &k);                                                                                      \
    }

#define TW_INTERNAL_SEGMENTED_REDUCE(name, type, operation)                                                            \
    TW_INTERNAL_DEFINE_SEGMENTS(name, type, operation)                                                                 \
    TW_INTERNAL_DEFINE_SEGMENT_LOAD(name, type)                                                                        \
    TW_INTERNAL_DEFINE_SEGMENT_STORE_SUM(name, type)                                                                   \
    TW_INTERNAL_DEFINE_TRANSFORMED_TILES(name, name##_segmented, name##_part, name##_join)                             \
    TW_INTERNAL_DEFINE_SEGMENT_SUMS(name, type, operation)                                                             \
    TW_INTERNAL_DEFINE_SEGMENTED(name, type)                                                                           \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_finish_range(const struct name##_segmented *k)                             \
    {                                                                                                                  \
        return k->segments.count;                                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_finish_at(const struct name##_segmented *k, size_t i)                        \
    {                                                                                                                  \
        const type *const sums = (const type *)tw_internal_at(k->common.scratch, k->segments.sums);                    \
        const size_t count = tw_internal_count(&k->common),                                                            \
                     end = tw_internal_segment_offset(k->offsets, i + 1, count);                                       \
        if (tw_internal_segment_offset(k->offsets, i, count) < end)                                                    \
            k->out[i] = operation(k->init, sums[end - 1]);                                                             \
        else                                                                                                           \
            k->out[i] = k->init;                                                                                       \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_GPU_MAP(name##_finish, name##_segmented);                                                       \
    TW_INTERNAL_DEFINE_SHORT_SEGMENTS(name, type, operation)                                                           \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_segmented) TW_FOR_GPUS name##_short, TW_INTERNAL_TILE_ITEMS);            \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in, size_t count,             \
                                                    const size_t *offsets, size_t segments, type init, type *out)      \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        struct name##_segmented k = name##_block(in, count, offsets, segments, out);                                   \
        k.init = init;                                                                                                 \
        if (device.is_gpu && count <= TW_INTERNAL_FEW_SEGMENTED) {                                                     \
            tw_internal_begin_plan(&plan);                                                                             \
            tw_internal_add_stage(&plan, TW_KERNEL(name##_short),                                                      \
                                  segments ? tw_internal_divide_up(segments, TW_INTERNAL_TILE_ITEMS / 32) : 1,         \
                                  TW_INTERNAL_TILE_ITEMS, 0);                                                          \
        } else if (device.is_gpu) {                                                                                    \
            name##_plan(&plan, device, &k);                                                                            \
        } else {                                                                                                       \
            tw_internal_plan_segment_sums(&plan, device, &k.common, &k.segments, sizeof(name##_part), sizeof(type),    \
                                          TW_KERNEL(name##_sums), TW_KERNEL(name##_shares));                           \
        }                                                                                                              \
        if (device.is_gpu && count > TW_INTERNAL_FEW_SEGMENTED) {                                                      \
            k.segments.sums = tw_internal_round_up(plan.scratch_bytes);                                                \
            plan.scratch_bytes = k.segments.sums + (count + 1) * sizeof(type);                                         \
            tw_internal_add_map(&plan, device, TW_KERNEL(name##_finish_map), segments, sizeof(type));                  \
        }                                                                                                              \
        tw_internal_expect(group, "in", k.in, k.common.count, sizeof(type));                                           \
        tw_internal_expect(group, "offsets", k.offsets, k.segments.count + 1, sizeof(size_t));                         \
        tw_internal_expect(group, "out", k.out, k.segments.count, sizeof(type));                                       \
        tw_internal_algorithm_run(group, &plan, &k.common, sizeof k);                                                  \
    }

static inline void tw_internal_plan_segments(struct tw_internal_plan *plan, struct tw_internal_algorithm_device device,
                                             struct tw_internal_algorithm *block, struct tw_internal_segments *segments,
                                             size_t part_bytes, size_t element_bytes, size_t tile,
                                             const tw_kernel *mark, const tw_kernel *sums, const tw_kernel *kernel)
{
    tw_internal_begin_plan(plan);
    if (device.is_gpu) {
        segments->bits =
            tw_internal_round_up(TW_INTERNAL_SCAN_HEAD + tw_internal_tile_bytes(block->count, tile, part_bytes));
        plan->cleared_bytes = plan->scratch_bytes = segments->bits + (block->count / 32 + 1) * 4;
        tw_internal_add_map(plan, device, mark, segments->count + 1, sizeof(size_t));
    }
    tw_internal_add_transformed_scan(plan, device, block, part_bytes, element_bytes, tile, sums, kernel);
}

/* The launches of a reduction on a CPU. */
static inline void tw_internal_plan_segment_sums(struct tw_internal_plan *plan,
                                                 struct tw_internal_algorithm_device device,
                                                 struct tw_internal_algorithm *block,
                                                 struct tw_internal_segments *segments, size_t part_bytes,
                                                 size_t element_bytes, const tw_kernel *sums, const tw_kernel *rest)
{
    tw_internal_begin_plan(plan);
    segments->shares = tw_internal_shares(block, device.units, 1, element_bytes);
    plan->scratch_bytes = segments->shares > 1 ? 2 * segments->shares * part_bytes : 0;
    tw_internal_add_stage(plan, sums, segments->shares, 1, 0);
    if (segments->shares > 1)
        tw_internal_add_stage(plan, rest, 1, 1, 0);
}

#endif
