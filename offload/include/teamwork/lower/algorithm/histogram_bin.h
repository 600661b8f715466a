/* SPDX-License-Identifier: Apache-2.0 */
/** Bins of histograms: which one a number is in. What is in none has the number of bins. */
#ifndef TEAMWORK_LOWER_ALGORITHM_HISTOGRAM_BIN_H
#define TEAMWORK_LOWER_ALGORITHM_HISTOGRAM_BIN_H

#include <teamwork/lower/algorithm/tile.h>

/* `bins` bins of the same width, from a lower limit to an upper one that is in none. */
struct tw_internal_even {
    unsigned long long lower, range; /* of integers; the upper limit minus the lower one */
    double low, high, scale;         /* of floating point; bins for a difference of 1 */
    unsigned long long bins;
    unsigned long long scale32; /* 2^32 bins / range, rounded down, if there are fewer bins than numbers of 32 bits */
    bool is_wide;               /* range * bins may have more than 64 bits */
};

/* The first offset of bin `bin` from the lower limit: ceil(bin * range / bins). Nothing overflows, for there are fewer
   than 2^32 bins. */
TW_INTERNAL_ALWAYS_INLINE unsigned long long tw_internal_even_edge(const struct tw_internal_even *even,
                                                                   unsigned long long bin)
{
    const unsigned long long rest = bin * (even->range % even->bins);
    return bin * (even->range / even->bins) + rest / even->bins + (rest % even->bins != 0);
}

/* The bin of an offset from the lower limit: floor(offset * bins / range). Offsets below the limit wrap around. A
   division costs far more than a product, which is right or 1 too small. */
TW_INTERNAL_ALWAYS_INLINE size_t tw_internal_even_bin_of(const struct tw_internal_even *even, unsigned long long offset)
{
    if (offset >= even->range)
        return (size_t)even->bins;
    if (even->scale32) {
        const unsigned long long about = offset * even->scale32 >> 32;
        return (size_t)(about + ((about + 1) * even->range <= offset * even->bins));
    }
    if (!even->is_wide)
        return (size_t)(offset * even->bins / even->range);
    unsigned long long bin = (unsigned long long)((double)offset / (double)even->range * (double)even->bins);
    bin = bin < even->bins ? bin : even->bins - 1;
    while (bin && tw_internal_even_edge(even, bin) > offset)
        --bin;
    while (bin + 1 < even->bins && tw_internal_even_edge(even, bin + 1) <= offset)
        ++bin;
    return (size_t)bin;
}

#define TW_INTERNAL_DEFINE_EVEN_INTEGER(type)                                                                          \
    TW_OVERLOADED size_t tw_internal_even_bin(const struct tw_internal_even *even, type x)                             \
    {                                                                                                                  \
        return tw_internal_even_bin_of(even, (unsigned long long)x - even->lower);                                     \
    }                                                                                                                  \
    TW_OVERLOADED bool tw_internal_even_limits(struct tw_internal_even *even, type lower, type upper)                  \
    {                                                                                                                  \
        even->lower = (unsigned long long)lower;                                                                       \
        even->range = (unsigned long long)upper - (unsigned long long)lower;                                           \
        even->is_wide = even->bins && even->range > ~0ull / even->bins;                                                \
        even->scale32 = even->bins < even->range && even->range - 1 <= 0xffffffffu && even->range                      \
                            ? (even->bins << 32) / even->range                                                         \
                            : 0;                                                                                       \
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
TW_INTERNAL_DEFINE_EVEN_FLOATING(float)
TW_INTERNAL_DEFINE_EVEN_FLOATING(double)

/* Why there are no such bins; NULL if there are. */
#define TW_INTERNAL_EVEN_REFUSAL(even, lower, upper)                                                                   \
    ((even)->bins - 1 >= 0xffffffffu ? "a histogram has 1 to 2^32 - 1 bins"                                            \
     : tw_internal_even_limits(even, lower, upper)                                                                     \
         ? NULL                                                                                                        \
         : "the lower limit of a histogram is not below the upper one, or they are too far apart or too close")

/* The bin of x by the edges of all, of which there is one more than bins. */
#define TW_INTERNAL_FIND_BIN(edges, bins, x, result)                                                                   \
    do {                                                                                                               \
        size_t low = 0, high = (bins) + 1;                                                                             \
        while (low < high) {                                                                                           \
            const size_t middle = low + (high - low) / 2;                                                              \
            if ((x) < (edges)[middle])                                                                                 \
                high = middle;                                                                                         \
            else                                                                                                       \
                low = middle + 1;                                                                                      \
        }                                                                                                              \
        (result) = low ? low - 1 : (bins);                                                                             \
    } while (0)

#endif
