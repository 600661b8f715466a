/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Counting random numbers: functions of a number and a key, for kernels and the host, without any state. Number i of
 * a stream is the same on every device and in every order, so each work-item makes its own.
 *
 *     const tw_random random = tw_philox(seed, tw_global_linear_id(item), 0);
 *     const float x = tw_random_float(random.word[0]), y = tw_random_float(random.word[1]);
 *
 * Philox4x32 with 10 rounds (Salmon, Moraes, Dror and Shaw, 2011), which passes BigCrush. Not for cryptography.
 * Thread safe.
 */
#ifndef TEAMWORK_RANDOM_H
#define TEAMWORK_RANDOM_H

#include <stdint.h>

#include <teamwork/lower/kernel/language.h>

/** Four random words. */
typedef struct tw_random {
    uint32_t word[4];
} tw_random;

/**
 * Makes the random words of a counter and a key, as the authors of Philox define them.
 *
 * @param counter  four words, for example of an element's number, a step and a particle
 * @param key0     with key1, two words that name the stream
 * @return four words, each with all its values alike
 */
TW_DEVICE_INLINE tw_random tw_philox4x32(tw_random counter, uint32_t key0, uint32_t key1)
{
    for (unsigned round = 0; round < 10; ++round) {
        const uint64_t first = (uint64_t)0xd2511f53u * counter.word[0],
                       second = (uint64_t)0xcd9e8d57u * counter.word[2];
        counter.word[0] = (uint32_t)(second >> 32) ^ counter.word[1] ^ key0;
        counter.word[2] = (uint32_t)(first >> 32) ^ counter.word[3] ^ key1;
        counter.word[1] = (uint32_t)second;
        counter.word[3] = (uint32_t)first;
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
    return counter;
}

/** The random words number `number` of part `part` of the stream `seed`: any numbers of 64 bits.
 *  @return as tw_philox4x32() */
TW_DEVICE_INLINE tw_random tw_philox(uint64_t seed, uint64_t number, uint64_t part)
{
    tw_random counter;
    counter.word[0] = (uint32_t)number;
    counter.word[1] = (uint32_t)(number >> 32);
    counter.word[2] = (uint32_t)part;
    counter.word[3] = (uint32_t)(part >> 32);
    return tw_philox4x32(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
}

/** Makes a number of the 24 highest bits of a word.
 *  @return a multiple of 2^-24, from 0 up to, and not including, 1 */
TW_DEVICE_INLINE float tw_random_float(uint32_t word)
{
    return (float)(word >> 8) * 0x1p-24f;
}

/** The same of the 53 highest bits of two words.
 *  @return a multiple of 2^-53, from 0 up to, and not including, 1 */
TW_DEVICE_INLINE double tw_random_double(uint32_t high, uint32_t low)
{
    return (double)(((uint64_t)high << 32 | low) >> 11) * 0x1p-53;
}

#endif
