/* SPDX-License-Identifier: Apache-2.0 */
/** Arguments to measure with: special values in all combinations, then random ones of several kinds, since no one
 *  distribution reaches the interesting arguments of every function. */
#include <limits.h>
#include <math.h>

#include "accuracy.h"

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* From 0 to less than 1. */
static double uniform(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

static double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * uniform(state);
}

/* The nearest number of a format; types without a C type of their own are rounded by hand. */
static double rounded(double x, const struct format *format)
{
    if (format->digits == 53 || x == 0 || !isfinite(x))
        return x;
    int exponent;
    frexp(x, &exponent);
    const int least = format->min_exponent - format->digits + 1;
    const int last = exponent - format->digits < least ? least : exponent - format->digits;
    const double y = ldexp(rint(ldexp(x, -last)), last);
    return fabs(y) >= ldexp(1, format->max_exponent + 1) ? copysign(INFINITY, y) : y;
}

/* A number with random bits: any exponent, subnormal and infinite ones included. */
static double any_number(uint64_t *state, const struct format *format)
{
    const int exponent =
        format->min_exponent - format->digits / 2
        + (int)(next_random(state) % (unsigned)(format->max_exponent - format->min_exponent + format->digits / 2 + 2));
    const double x = ldexp(1 + uniform(state), exponent);
    return next_random(state) & 1 ? -x : x;
}

static double steps_from(double x, int steps, const struct format *format)
{
    int exponent;
    frexp(x, &exponent);
    return x + steps * ldexp(1, exponent - format->digits);
}

static double random_number(uint64_t *state, const struct format *format)
{
    const int few = (int)(next_random(state) % 9) - 4;
    switch (next_random(state) % 10) {
    case 0:
    case 1:
        return any_number(state, format);
    case 2:
    case 3:
        return ldexp(between(state, 1, 2), (int)(next_random(state) % 60) - 30) * (few < 0 ? -1 : 1);
    case 4:
        return between(state, -1, 1);
    case 5:
        return between(state, -10, 10);
    case 6:
        return between(state, -180, 180);
    case 7:
        return format->max_exponent > 200 ? between(state, -1100, 1100) : between(state, 0, 2);
    case 8: /* near multiples of a quarter turn, and near quarters, where there are zeros and poles */
        return steps_from(rint(between(state, -1000, 1000)) * (few & 1 ? 1.57079632679489661923 : 0.25), few, format);
    default: /* near 1 */
        return 1 + ldexp(between(state, -1, 1), -(int)(next_random(state) % 30));
    }
}

static const double specials[] = {0,
                                  1,
                                  2,
                                  3,
                                  0.5,
                                  0.25,
                                  0.75,
                                  1.5,
                                  2.5,
                                  10,
                                  100,
                                  1e30,
                                  0x1p-14,
                                  0x1p-24,
                                  0x1p-25,
                                  65504,
                                  0x1p-126,
                                  0x1p-149,
                                  0x1p-130,
                                  0x1.fffffep127,
                                  0x1p24,
                                  0x1p23,
                                  0x1p-1022,
                                  0x1p-1074,
                                  0x1p-1040,
                                  0x1.fffffffffffffp1023,
                                  0x1p53,
                                  0x1p52,
                                  0x1.fffffep-1,
                                  0x1.fffffffffffffp-1,
                                  0x1.ffcp-1,
                                  0x1.000002p0,
                                  0x1.0000000000001p0,
                                  0x1.004p0,
                                  3.14159265358979323846,
                                  1.57079632679489661923,
                                  171,
                                  35,
                                  34.5,
                                  INFINITY,
                                  NAN};
enum { SPECIALS = sizeof specials / sizeof *specials };

/* The k-th special value of either sign. */
static double special(size_t k, const struct format *format)
{
    const double x = specials[k / 2 % SPECIALS];
    return rounded(k & 1 ? -x : x, format);
}

static const int special_ints[] = {
    0,   1,    -1,   2,     -2,   3,     -3,       7,         -7,       10,      24,          -24,     127,        -126,
    128, -149, 1023, -1022, 1024, -1074, 16777217, -16777217, 16777216, INT_MAX, INT_MAX - 1, INT_MIN, INT_MIN + 1};
enum { SPECIAL_INTS = sizeof special_ints / sizeof *special_ints };

static int random_int(uint64_t *state, double x, int function)
{
    const double doublings = log2(fabs(x));
    switch (next_random(state) % 5) {
    case 0:
        return (int)(next_random(state) % 21) - 10;
    case 1:
        return (int)(next_random(state) % 400) - 200;
    case 2:
        return (int)(next_random(state) % 4400) - 2200;
    case 3:
        return (int)(uint32_t)next_random(state);
    default: /* a power that is neither zero nor infinite */
        if (function != ID_pown || !isfinite(doublings) || doublings == 0)
            return (int)(next_random(state) % 64) - 32;
        return (int)fmax(-2e9, fmin(2e9, between(state, -150, 128) / doublings));
    }
}

/* A second argument that does something interesting with the first. */
static double second_number(uint64_t *state, double x, const struct format *format)
{
    const double doublings = log2(fabs(x));
    switch (next_random(state) % 4) {
    case 0: /* powers within range */
        if (isfinite(doublings) && doublings != 0)
            return between(state, format->min_exponent - format->digits, format->max_exponent + 1) / doublings;
        return between(state, -2, 2);
    case 1: /* of similar size */
        return ldexp(x, (int)(next_random(state) % 17) - 8) * between(state, -1, 1);
    default:
        return random_number(state, format);
    }
}

void choose_inputs(struct batch *batch, uint64_t seed)
{
    const struct format *format = &formats[batch->type];
    const int arguments = functions[batch->function].arguments;
    const size_t all = 2 * SPECIALS;
    uint64_t state = seed;
    for (size_t i = 0; i < batch->count; ++i) {
        double x = random_number(&state, format);
        if (batch->type == HALF && arguments == ONE && batch->count == 65536) {
            /* every half there is: a sign, an exponent, a significand */
            const int exponent = (int)(i >> 10 & 31), significand = (int)(i & 1023);
            x = exponent == 31 ? (significand ? NAN : INFINITY)
                               : ldexp(exponent ? significand + 1024 : significand, (exponent ? exponent : 1) - 25);
            x = i >> 15 ? -x : x;
        } else if (i < all || (arguments == TWO && i < all * all) || (arguments == ONE_INT && i < all * SPECIAL_INTS)) {
            x = special(i % all, format);
        }
        x = rounded(x, format);
        double y = second_number(&state, x, format), z = random_number(&state, format);
        int n = random_int(&state, x, batch->function);
        if (arguments == TWO && i < all * all)
            y = special(i / all, format);
        if (arguments == ONE_INT && i < all * SPECIAL_INTS)
            n = special_ints[i / all];
        if (arguments == THREE && i % 4 == 1)
            z = -x * y * (1 + ldexp(between(&state, -1, 1), -(int)(next_random(&state) % 60))); /* cancels */
        batch->x[i] = x;
        batch->y[i] = rounded(y, format);
        batch->z[i] = rounded(z, format);
        batch->n[i] = n;
    }
}
