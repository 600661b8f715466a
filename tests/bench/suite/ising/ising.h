/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Ising model in two dimensions, by the Metropolis algorithm on a chequerboard: spins are -1 or 1 in a byte, black
 * and white ones in an array each, half as wide as the lattice. A sweep updates all black spins from the white ones,
 * then the white ones.
 *
 * The lattice has a border of zeros. Random numbers are a hash of place and turn, and a spin is turned if its number is
 * below a threshold, so the result is exact.
 */
#ifndef TEAMWORK_SUITE_ISING_H
#define TEAMWORK_SUITE_ISING_H

#include "arrays.h"

/* The arrays. */
enum { ISING_BLACK, ISING_WHITE };

enum { ISING_LEFT = 64 }; /* rows of spins are aligned to 64 bytes */

/* Of a spin that agrees with 1 to 4 more neighbours than not; others are always turned. */
struct ising_thresholds {
    uint32_t at[4];
};

struct ising {
    struct suite_arrays arrays;
    unsigned rows, columns, pitch; /* of one colour */
    unsigned sweeps;
    struct ising_thresholds thresholds;
};

/* The offset of the first spin. */
static inline size_t ising_first(const struct ising *problem)
{
    return problem->pitch + ISING_LEFT;
}

/*
 * The new value of a spin. `sum` is that of its four neighbours, `place` its number, `turn` that of the launch, t the
 * thresholds by number of agreeing neighbours.
 */
#define ISING_SPIN(result, spin, sum, place, turn, t1, t2, t3, t4)                                                     \
    do {                                                                                                               \
        uint32_t number_ = (place) ^ (turn);                                                                           \
        SUITE_HASH(number_);                                                                                           \
        const int agree_ = (spin) * (sum);                                                                             \
        const uint32_t threshold_ = agree_ <= 1 ? (t1) : agree_ == 2 ? (t2) : agree_ == 3 ? (t3) : (t4);               \
        (result) = (signed char)(agree_ <= 0 || number_ < threshold_ ? -(spin) : (spin));                              \
    } while (0)

/* So that each launch has other numbers. */
static inline uint32_t ising_turn(unsigned launch)
{
    return (launch + 1) * 0x9e3779b9u;
}

#endif
