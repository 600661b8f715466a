/* SPDX-License-Identifier: Apache-2.0 */
/** Keys of sorts as unsigned numbers of the same order, of floating point the total order of IEEE 754; and their
   digits. */
#ifndef TEAMWORK_LOWER_ALGORITHM_SORT_KEY_H
#define TEAMWORK_LOWER_ALGORITHM_SORT_KEY_H

#include <teamwork/lower/algorithm/tile.h>

#define TW_INTERNAL_DEFINE_KEY_BITS(type, unsigned_type, word)                                                         \
    TW_OVERLOADED word tw_internal_key_bits(type key)                                                                  \
    {                                                                                                                  \
        const unsigned_type highest =                                                                                  \
            (unsigned_type)((unsigned_type)((type) - 1 < (type)1) << (8 * sizeof(type) - 1));                          \
        return (unsigned_type)((unsigned_type)key ^ highest);                                                          \
    }
TW_INTERNAL_DEFINE_KEY_BITS(char, unsigned char, unsigned)
TW_INTERNAL_DEFINE_KEY_BITS(signed char, unsigned char, unsigned)
TW_INTERNAL_DEFINE_KEY_BITS(unsigned char, unsigned char, unsigned)
TW_INTERNAL_DEFINE_KEY_BITS(short, unsigned short, unsigned)
TW_INTERNAL_DEFINE_KEY_BITS(unsigned short, unsigned short, unsigned)
TW_INTERNAL_DEFINE_KEY_BITS(int, unsigned, unsigned)
TW_INTERNAL_DEFINE_KEY_BITS(unsigned, unsigned, unsigned)
TW_INTERNAL_DEFINE_KEY_BITS(long, unsigned long, unsigned long long)
TW_INTERNAL_DEFINE_KEY_BITS(unsigned long, unsigned long, unsigned long long)
TW_INTERNAL_DEFINE_KEY_BITS(long long, unsigned long long, unsigned long long)
TW_INTERNAL_DEFINE_KEY_BITS(unsigned long long, unsigned long long, unsigned long long)
TW_OVERLOADED unsigned tw_internal_key_bits(bool key)
{
    return key;
}
/* Of numbers below 0 all bits are the other way round; of others the sign. */
TW_OVERLOADED unsigned tw_internal_key_bits(float key)
{
    unsigned bits;
    __builtin_memcpy(&bits, &key, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}
TW_OVERLOADED unsigned long long tw_internal_key_bits(double key)
{
    unsigned long long bits;
    __builtin_memcpy(&bits, &key, sizeof bits);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

enum { TW_INTERNAL_DIGITS = 256, TW_INTERNAL_MOST_PASSES = 8, TW_INTERNAL_SORT_GROUPS = 4 };

/* Work-items of a group on a GPU, and the most sub-groups that they are. In the standard mapping a team has fewer threads
   the more registers they take. */
#ifdef TW_INTERNAL_SIMT_BUILT
enum { TW_INTERNAL_SORT_GROUP = 384 };
#else
enum { TW_INTERNAL_SORT_GROUP = 256 };
#endif
enum { TW_INTERNAL_SORT_SUB_GROUPS = TW_INTERNAL_SORT_GROUP / 32 };

enum { TW_INTERNAL_SORT_MOST_STAGED = 96 }; /* bytes of a key or a value that a GPU brings into order in local memory */

/* Elements of a work-item whose larger staged part has so many bytes, so that a tile fits local memory, and registers let
   two groups run beside each other. */
#define TW_INTERNAL_SORT_ITEMS(bytes, has_values)                                                                      \
    ((bytes) <= 4 ? ((has_values) ? 20 : 18) : (bytes) <= 8 ? 12 : (bytes) <= 16 ? 6 : (bytes) <= 32 ? 3 : 1)
#define TW_INTERNAL_SORT_STAGED_BYTES(key_bytes, value_bytes)                                                          \
    ((key_bytes) > (value_bytes) || (value_bytes) > TW_INTERNAL_SORT_MOST_STAGED ? (key_bytes) : (value_bytes))

/* Temporary memory of a GPU: counters of tiles for each pass, digits that were counted, what tiles tell, and
   elements. */
enum {
    TW_INTERNAL_SORT_BINS = 64,
    TW_INTERNAL_SORT_TILES = TW_INTERNAL_SORT_BINS + 8 * TW_INTERNAL_MOST_PASSES * TW_INTERNAL_DIGITS
};

/* What all sorts have in their blocks, behind `common`. */
struct tw_internal_radix_sort {
    unsigned first_bit, past_bit; /* of keys */
    unsigned passes;              /* by digits, and those that merge */
    unsigned merges;  /* on a CPU: passes that merge the shares, which the launch before them has sorted; or 0 */
    unsigned at_once; /* all passes are made by one thread of a CPU */
    unsigned long long flip;
    size_t spare, spare_values; /* where elements are in temporary memory */
    size_t groups;              /* on a CPU */
};

/* Places of elements: the program's, and temporary memory. The last pass writes TW_INTERNAL_SORT_OUT. */
enum tw_internal_sort_place { TW_INTERNAL_SORT_IN, TW_INTERNAL_SORT_SPARE, TW_INTERNAL_SORT_OUT };

TW_INTERNAL_ALWAYS_INLINE enum tw_internal_sort_place tw_internal_sort_to(const struct tw_internal_radix_sort *sort,
                                                                          size_t pass)
{
    return (sort->passes - pass) % 2 ? TW_INTERNAL_SORT_OUT : TW_INTERNAL_SORT_SPARE;
}
TW_INTERNAL_ALWAYS_INLINE enum tw_internal_sort_place tw_internal_sort_from(const struct tw_internal_radix_sort *sort,
                                                                            size_t pass)
{
    return pass ? tw_internal_sort_to(sort, pass - 1) : TW_INTERNAL_SORT_IN;
}

/* The bits of a digit in a pass. */
TW_INTERNAL_ALWAYS_INLINE unsigned tw_internal_key_mask(const struct tw_internal_radix_sort *sort, size_t pass)
{
    const unsigned bits = sort->past_bit - sort->first_bit - 8 * (unsigned)pass;
    return bits < 8 ? (1u << bits) - 1 : 255;
}
TW_INTERNAL_ALWAYS_INLINE unsigned tw_internal_key_digit(const struct tw_internal_radix_sort *sort,
                                                         unsigned long long key, size_t key_bytes, size_t pass)
{
    const unsigned shift = sort->first_bit + 8 * (unsigned)pass, mask = tw_internal_key_mask(sort, pass);
    key ^= sort->flip;
    return (key_bytes <= 4 ? (unsigned)key >> shift : (unsigned)(key >> shift)) & mask;
}

/* All bits of a key that are compared. */
TW_INTERNAL_ALWAYS_INLINE unsigned long long tw_internal_compared_bits(const struct tw_internal_radix_sort *sort,
                                                                       unsigned long long key)
{
    const unsigned bits = sort->past_bit - sort->first_bit;
    return bits == 0 ? 0 : (key ^ sort->flip) >> sort->first_bit & ~0ull >> (64 - bits);
}

#endif
