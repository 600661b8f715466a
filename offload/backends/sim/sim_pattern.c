/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns in the memory of simulated devices (sim_pattern.h). Knows no allocations. AddressSanitizer has red zones
   poisoned, so it must not look at what these functions do. */
#include "sim_pattern.h"

#include <teamwork/sim.h>

#define NOT_SANITIZED __attribute__((no_sanitize("address")))

typedef uint64_t word_of_bytes __attribute__((aligned(1), may_alias));

static unsigned char byte_of(uint64_t word, size_t i)
{
    return (unsigned char)(word >> i % sizeof word * 8);
}

uint64_t tw_sim_red_word(size_t element_bytes)
{
    switch (element_bytes) {
    case 2:
        return 0x7da57da57da57da5u;
    case 4:
        return 0x7fa57da57fa57da5u;
    default:
        return 0x7ff47da57fa57da5u;
    }
}

NOT_SANITIZED void tw_sim_pattern_fill(void *zone, size_t bytes, uint64_t word)
{
    unsigned char *at = zone;
    size_t i = 0;
    for (; i + sizeof word <= bytes; i += sizeof word)
        *(word_of_bytes *)(at + i) = word;
    for (; i < bytes; ++i)
        at[i] = byte_of(word, i);
}

void tw_sim_poison(void *memory, size_t bytes)
{
    const uint64_t word = TW_SIM_POISON * UINT64_C(0x0001000100010001), odd = word >> 8 | word << 56;
    tw_sim_pattern_fill(memory, bytes, (uintptr_t)memory % 2 ? odd : word);
}

NOT_SANITIZED bool tw_sim_pattern_is_whole(const void *zone, size_t bytes, uint64_t word)
{
    const unsigned char *at = zone;
    uint64_t other = 0;
    size_t i = 0;
    for (; i + sizeof word <= bytes; i += sizeof word)
        other |= *(const word_of_bytes *)(at + i) ^ word;
    for (; i < bytes; ++i)
        other |= at[i] ^ byte_of(word, i);
    return !other;
}

NOT_SANITIZED size_t tw_sim_pattern_first(const void *zone, size_t bytes, uint64_t word)
{
    const unsigned char *at = zone;
    for (size_t i = 0; i < bytes; ++i)
        if (at[i] != byte_of(word, i))
            return i;
    return SIZE_MAX;
}

NOT_SANITIZED size_t tw_sim_pattern_last(const void *zone, size_t bytes, uint64_t word)
{
    const unsigned char *at = zone;
    for (size_t i = bytes; i > 0; --i)
        if (at[i - 1] != byte_of(word, i - 1))
            return i - 1;
    return SIZE_MAX;
}
