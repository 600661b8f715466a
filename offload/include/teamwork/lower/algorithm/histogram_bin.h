/* SPDX-License-Identifier: Apache-2.0 */
/** Bins of histograms: which one a number is in. What is in none has the number of bins. */
#ifndef TEAMWORK_LOWER_ALGORITHM_HISTOGRAM_BIN_H
#define TEAMWORK_LOWER_ALGORITHM_HISTOGRAM_BIN_H

#include <teamwork/lower/algorithm/tile.h>

/* How the bin of an offset from the lower limit is found: floor(offset * bins / range). */
enum tw_internal_even_way {
    TW_INTERNAL_EVEN_CORRECT, /* floating point is about right; also of limits in floating point */
    TW_INTERNAL_EVEN_SHIFT,   /* bins have a power of 2 of numbers */
    TW_INTERNAL_EVEN_SCALE,   /* a product of 64 bits is right or 1 too small */
    TW_INTERNAL_EVEN_DIVIDE   /* offset * bins has at most 64 bits */
};

/* `bins` bins of the same width, from a lower limit to an upper one that is in none. */
struct tw_internal_even {
    unsigned long long lower, range; /* of integers; the upper limit minus the lower one */
    double low, high, scale;         /* of floating point; bins for a difference of 1 */
    unsigned long long bins;
    unsigned long long scale32; /* 2^32 bins / range, rounded down */
    enum tw_internal_even_way way;
    unsigned shift;
};

/* The first offset of bin `bin` from the lower limit: ceil(bin * range / bins). Nothing overflows, for there are fewer
   than 2^32 bins. */
TW_INTERNAL_ALWAYS_INLINE unsigned long long tw_internal_even_edge(const struct tw_internal_even *even,
                                                                   unsigned long long bin)
{
    const unsigned long long rest = bin * (even->range % even->bins);
    return bin * (even->range / even->bins) + rest / even->bins + (rest % even->bins != 0);
}

/* A product is right, or 1 too small. */
#define TW_INTERNAL_SCALED(offset, range, bins, scale32)                                                               \
    (((offset) * (scale32) >> 32) + ((((offset) * (scale32) >> 32) + 1) * (range) <= (offset) * (bins) ? 1 : 0))

/* The bin of an offset from the lower limit. Offsets below the limit wrap around. */
TW_INTERNAL_ALWAYS_INLINE size_t tw_internal_even_bin_of(const struct tw_internal_even *even, unsigned long long offset)
{
    if (offset >= even->range)
        return (size_t)even->bins;
    if (even->way == TW_INTERNAL_EVEN_SHIFT)
        return (size_t)(offset >> even->shift);
    if (even->way == TW_INTERNAL_EVEN_SCALE)
        return (size_t)TW_INTERNAL_SCALED(offset, even->range, even->bins, even->scale32);
    if (even->way == TW_INTERNAL_EVEN_DIVIDE)
        return (size_t)(offset * even->bins / even->range);
    unsigned long long bin = (unsigned long long)((double)offset / (double)even->range * (double)even->bins);
    bin = bin < even->bins ? bin : even->bins - 1;
    while (bin && tw_internal_even_edge(even, bin) > offset)
        --bin;
    while (bin + 1 < even->bins && tw_internal_even_edge(even, bin + 1) <= offset)
        ++bin;
    return (size_t)bin;
}

/* Whether each integer of so many bytes is in a bin, which 32 bits tell. */
TW_INTERNAL_ALWAYS_INLINE bool tw_internal_even_is_near(const struct tw_internal_even *even, size_t bytes,
                                                        bool is_signed)
{
    return bytes <= 4 && even->way == TW_INTERNAL_EVEN_SHIFT && even->shift < 32
           && even->range == 1ull << 8 * bytes % 64
           && even->lower == (is_signed ? 0 - (1ull << (8 * bytes - 1) % 64) : 0);
}

/* Takes the limits of integers, of which the lower one is below the upper one. */
TW_INTERNAL_ALWAYS_INLINE void tw_internal_even_set(struct tw_internal_even *even, unsigned long long lower,
                                                    unsigned long long upper)
{
    const unsigned long long range = upper - lower, width = range / even->bins;
    even->lower = lower;
    even->range = range;
    if (range % even->bins == 0 && (width & (width - 1)) == 0) {
        even->way = TW_INTERNAL_EVEN_SHIFT;
        even->shift = (unsigned)__builtin_ctzll(width);
    } else if (even->bins < range && range - 1 <= 0xffffffffu) {
        even->way = TW_INTERNAL_EVEN_SCALE;
        even->scale32 = (even->bins << 32) / range;
    } else {
        even->way = range > ~0ull / even->bins ? TW_INTERNAL_EVEN_CORRECT : TW_INTERNAL_EVEN_DIVIDE;
    }
}

#define TW_INTERNAL_DEFINE_EVEN_INTEGER(type)                                                                          \
    TW_OVERLOADED size_t tw_internal_even_bin(const struct tw_internal_even *even, type x)                             \
    {                                                                                                                  \
        return tw_internal_even_bin_of(even, (unsigned long long)x - even->lower);                                     \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_even_bins(const struct tw_internal_even *even, bool is_near, const type *x,         \
                                             unsigned n, unsigned *found)                                              \
    {                                                                                                                  \
        const unsigned long long lower = even->lower, range = even->range, bins = even->bins, scale32 = even->scale32; \
        const unsigned shift = even->shift;                                                                            \
        for (unsigned i = 0; is_near && i < n; ++i)                                                                    \
            found[i] = ((unsigned)x[i] - (unsigned)lower) >> shift;                                                    \
        for (unsigned i = 0; !is_near && even->way == TW_INTERNAL_EVEN_SHIFT && i < n; ++i) {                          \
            const unsigned long long offset = (unsigned long long)x[i] - lower;                                        \
            found[i] = (unsigned)(offset < range ? offset >> shift : bins);                                            \
        }                                                                                                              \
        for (unsigned i = 0; even->way == TW_INTERNAL_EVEN_SCALE && i < n; ++i) {                                      \
            const unsigned long long offset = (unsigned long long)x[i] - lower;                                        \
            found[i] = (unsigned)(offset < range ? TW_INTERNAL_SCALED(offset, range, bins, scale32) : bins);           \
        }                                                                                                              \
        for (unsigned i = 0; even->way != TW_INTERNAL_EVEN_SHIFT && even->way != TW_INTERNAL_EVEN_SCALE && i < n; ++i) \
            found[i] = (unsigned)tw_internal_even_bin(even, x[i]);                                                     \
    }
#define TW_INTERNAL_DEFINE_EVEN_LIMITS(type)                                                                           \
    TW_OVERLOADED bool tw_internal_even_limits(struct tw_internal_even *even, type lower, type upper)                  \
    {                                                                                                                  \
        if (lower < upper)                                                                                             \
            tw_internal_even_set(even, (unsigned long long)lower, (unsigned long long)upper);                          \
        return lower < upper;                                                                                          \
    }
#define TW_INTERNAL_DEFINE_EVEN_FLOATING(type)                                                                         \
    TW_OVERLOADED size_t tw_internal_even_bin(const struct tw_internal_even *even, type x)                             \
    {                                                                                                                  \
        if (!((double)x >= even->low && (double)x < even->high))                                                       \
            return (size_t)even->bins;                                                                                 \
        const size_t bin = (size_t)(((double)x - even->low) * even->scale);                                            \
        return bin < even->bins ? bin : (size_t)even->bins - 1;                                                        \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_even_bins(const struct tw_internal_even *even, bool is_near, const type *x,         \
                                             unsigned n, unsigned *found)                                              \
    {                                                                                                                  \
        const struct tw_internal_even own = *even; /* in registers */                                                  \
        (void)is_near;                                                                                                 \
        for (unsigned i = 0; i < n; ++i)                                                                               \
            found[i] = (unsigned)tw_internal_even_bin(&own, x[i]);                                                     \
    }                                                                                                                  \
    TW_OVERLOADED bool tw_internal_even_limits(struct tw_internal_even *even, type lower, type upper)                  \
    {                                                                                                                  \
        even->low = (double)lower;                                                                                     \
        even->high = (double)upper;                                                                                    \
        even->scale = (double)even->bins / (even->high - even->low);                                                   \
        return lower < upper && even->high - even->low <= __DBL_MAX__ && even->scale <= __DBL_MAX__;                   \
    }
TW_INTERNAL_DEFINE_EVEN_INTEGER(char)
TW_INTERNAL_DEFINE_EVEN_INTEGER(signed char)
TW_INTERNAL_DEFINE_EVEN_INTEGER(unsigned char)
TW_INTERNAL_DEFINE_EVEN_INTEGER(short)
TW_INTERNAL_DEFINE_EVEN_INTEGER(unsigned short)
TW_INTERNAL_DEFINE_EVEN_INTEGER(int)
TW_INTERNAL_DEFINE_EVEN_INTEGER(unsigned)
TW_INTERNAL_DEFINE_EVEN_INTEGER(long)
TW_INTERNAL_DEFINE_EVEN_INTEGER(unsigned long)
TW_INTERNAL_DEFINE_EVEN_INTEGER(long long)
TW_INTERNAL_DEFINE_EVEN_INTEGER(unsigned long long)
TW_INTERNAL_DEFINE_EVEN_LIMITS(long long)
TW_INTERNAL_DEFINE_EVEN_LIMITS(unsigned long long)
TW_INTERNAL_DEFINE_EVEN_FLOATING(float)
TW_INTERNAL_DEFINE_EVEN_FLOATING(double)

/* The type of limits, so that the greatest number of most types is in a bin, too: long long for integers but those of
   64 bits without a sign. */
#define TW_INTERNAL_LIMIT(type) __typeof__((type)0 + 0LL)

/* Why there are no so many bins, of whatever kind; NULL if there are. */
static inline const char *tw_internal_refuse_bins(unsigned long long bins)
{
    return bins - 1 < 0xffffffffu ? (const char *)0 : "a histogram has 1 to 2^32 - 1 bins";
}

/* The same for bins of one width. */
#define TW_INTERNAL_EVEN_REFUSAL(even, lower, upper)                                                                   \
    (tw_internal_refuse_bins((even)->bins) ? tw_internal_refuse_bins((even)->bins)                                     \
     : tw_internal_even_limits(even, lower, upper)                                                                     \
         ? NULL                                                                                                        \
         : "the lower limit of a histogram is not below the upper one, or they are too far apart or too close")

/* The bin of x by the edges of all, of which there is one more than bins. */
#define TW_INTERNAL_FIND_BIN(edges, bins, x, result)                                                                   \
    do {                                                                                                               \
        size_t low = 0, high = (bins) + 1;                                                                             \
        TW_INTERNAL_BISECT(low, high, middle, !((x) < (edges)[middle]));                                               \
        (result) = low ? low - 1 : (bins);                                                                             \
    } while (0)

#endif
