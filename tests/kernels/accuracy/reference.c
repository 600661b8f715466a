/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Exact results, by MPFR with enough digits that their own rounding does not show, and errors in ulp by OpenCL's
 * definition (1.2, 7.4): the distance of the two numbers around the exact result. An infinity stands for the number
 * after the largest.
 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* lgamma_r */
#endif

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpfr.h>

#include "accuracy.h"

#if MPFR_VERSION < MPFR_VERSION_NUM(4, 2, 0)
#error "the reference needs MPFR 4.2, which has the functions by pi"
#endif

enum { PRECISION = 128, NO_INTEGER = INT_MIN + 1 };

/* Exact results: a number, or the integer for functions that give one; NO_INTEGER if any will do. */
struct exact {
    mpfr_t number;
    int integer;
};

/* The largest number below 1, which fract() may give instead of 1. */
static void largest_below_1(mpfr_t number, int digits)
{
    mpfr_set_ui_2exp(number, 1, -digits, MPFR_RNDN);
    mpfr_ui_sub(number, 1, number, MPFR_RNDN);
}

/* The neighbour of x towards y, in a format. */
static double neighbour(double x, double y, const struct format *format)
{
    if (isnan(x) || isnan(y) || x == y)
        return isnan(x) ? x : y;
    const double least = ldexp(1, format->min_exponent - format->digits + 1);
    if (x == 0)
        return y > 0 ? least : -least;
    if (format->digits == 53)
        return nextafter(x, y);
    if (isinf(x))
        return copysign(ldexp(2 - ldexp(1, 1 - format->digits), format->max_exponent), x);
    int exponent;
    const double half = frexp(fabs(x), &exponent);
    const int outward = (y > x) == (x > 0);
    double step = ldexp(1, exponent - format->digits);
    if (half == 0.5 && !outward)
        step /= 2; /* below a power of 2 numbers are denser */
    step = step < least ? least : step;
    const double next = x + ((y > x) ? step : -step);
    return fabs(next) >= ldexp(1, format->max_exponent + 1) ? copysign(INFINITY, next) : next;
}

/* Functions of one argument that MPFR has under a name of its own. */
/* clang-format off */
#define BY_MPFR(X)                                                                                                     \
    X(acos, acos)                                                                                                      \
    X(acosh, acosh) X(acospi, acospi) X(asin, asin) X(asinh, asinh) X(asinpi, asinpi) X(atan, atan) X(atanh, atanh)    \
    X(atanpi, atanpi) X(cbrt, cbrt) X(cos, cos) X(cosh, cosh) X(cospi, cospi) X(erf, erf) X(erfc, erfc)                \
    X(exp, exp) X(exp10, exp10) X(exp2, exp2) X(expm1, expm1) X(fabs, abs) X(log, log) X(log10, log10)                 \
    X(log1p, log1p) X(log2, log2) X(rint, roundeven_) X(rsqrt, rec_sqrt_) X(sin, sin) X(sinh, sinh)                    \
    X(sinpi, sinpi) X(sqrt, sqrt) X(tan, tan) X(tanh, tanh) X(tanpi, tanpi) X(tgamma, gamma)
#define BY_MPFR_FAST(X)                                                                                                \
    X(cos, cos)                                                                                                        \
    X(exp, exp) X(exp10, exp10) X(exp2, exp2) X(log, log) X(log10, log10) X(log2, log2) X(rsqrt, rec_sqrt_)            \
    X(sin, sin) X(sqrt, sqrt) X(tan, tan)
/* clang-format on */

static int mpfr_roundeven_(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode)
{
    (void)mode;
    return mpfr_roundeven(result, x);
}

/* IEEE 754 keeps the sign of a zero, MPFR does not. */
static int mpfr_rec_sqrt_(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode)
{
    const int inexact = mpfr_rec_sqrt(result, x, mode);
    if (mpfr_zero_p(x))
        mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1);
    return inexact;
}

/* What has one argument; false if the function has more. */
static int exact_of_one(struct exact *exact, int function, const struct format *format, const mpfr_t x)
{
    mpfr_ptr r = exact->number;
    mpfr_exp_t exponent = 0;
    int sign = 1;
    switch (function) {
#define CASE(name, mpfr_name)                                                                                          \
    case ID_##name:                                                                                                    \
        mpfr_##mpfr_name(r, x, MPFR_RNDN);                                                                             \
        return 1;
        BY_MPFR(CASE)
#undef CASE
#define CASE(name, mpfr_name)                                                                                          \
    case ID_native_##name:                                                                                             \
    case ID_half_##name:                                                                                               \
        mpfr_##mpfr_name(r, x, MPFR_RNDN);                                                                             \
        return 1;
        BY_MPFR_FAST(CASE)
#undef CASE
    case ID_native_recip:
    case ID_half_recip:
        mpfr_ui_div(r, 1, x, MPFR_RNDN);
        return 1;
    case ID_sincos:
        mpfr_sin(r, x, MPFR_RNDN);
        return 1;
    case ID_sincos_out:
        mpfr_cos(r, x, MPFR_RNDN);
        return 1;
    case ID_ceil:
        mpfr_ceil(r, x);
        return 1;
    case ID_floor:
    case ID_fract_out:
        mpfr_floor(r, x);
        return 1;
    case ID_trunc:
    case ID_modf_out:
        mpfr_trunc(r, x);
        return 1;
    case ID_round:
        mpfr_round(r, x);
        return 1;
    case ID_fract:
        if (mpfr_inf_p(x)) {
            mpfr_set_zero(r, mpfr_signbit(x) ? -1 : 1);
            return 1;
        }
        mpfr_floor(r, x);
        mpfr_sub(r, x, r, MPFR_RNDN);
        mpfr_t below_1;
        mpfr_init2(below_1, PRECISION);
        largest_below_1(below_1, format->digits);
        if (mpfr_cmp(r, below_1) > 0)
            mpfr_set(r, below_1, MPFR_RNDN);
        mpfr_clear(below_1);
        return 1;
    case ID_modf:
        mpfr_frac(r, x, MPFR_RNDN);
        return 1;
    case ID_lgamma:
    case ID_lgamma_r:
    case ID_lgamma_r_out:
        mpfr_lgamma(r, &sign, x, MPFR_RNDN);
        exact->integer = mpfr_zero_p(x) || (mpfr_sgn(x) < 0 && mpfr_integer_p(x)) ? 0 : sign;
        if (mpfr_inf_p(x) || mpfr_nan_p(x))
            exact->integer = NO_INTEGER;
        return 1;
    case ID_logb:
    case ID_ilogb:
        exact->integer = mpfr_inf_p(x) ? INT_MAX : INT_MIN;
        if (mpfr_regular_p(x)) {
            exact->integer = (int)mpfr_get_exp(x) - 1;
            mpfr_set_si(r, exact->integer, MPFR_RNDN);
        } else if (mpfr_zero_p(x)) {
            mpfr_set_inf(r, -1);
        } else {
            mpfr_abs(r, x, MPFR_RNDN);
        }
        return 1;
    case ID_frexp:
    case ID_frexp_out:
        mpfr_frexp(&exponent, r, x, MPFR_RNDN);
        exact->integer = mpfr_regular_p(x) ? (int)exponent : 0;
        return 1;
    default:
        return 0;
    }
}

static void exact_of_two(struct exact *exact, int function, const struct format *format, const mpfr_t x, const mpfr_t y)
{
    mpfr_ptr r = exact->number;
    long quotient = 0;
    switch (function) {
    case ID_atan2:
        mpfr_atan2(r, x, y, MPFR_RNDN);
        break;
    case ID_atan2pi:
        mpfr_atan2pi(r, x, y, MPFR_RNDN);
        break;
    case ID_divide:
    case ID_native_divide:
    case ID_half_divide:
        mpfr_div(r, x, y, MPFR_RNDN);
        break;
    case ID_fdim:
        mpfr_dim(r, x, y, MPFR_RNDN);
        break;
    case ID_fmax:
        mpfr_max(r, x, y, MPFR_RNDN);
        break;
    case ID_fmin:
        mpfr_min(r, x, y, MPFR_RNDN);
        break;
    case ID_maxmag:
    case ID_minmag: {
        const int order = mpfr_cmpabs(x, y) * (function == ID_maxmag ? 1 : -1);
        const int ordered = !mpfr_nan_p(x) && !mpfr_nan_p(y);
        if (ordered && order != 0)
            mpfr_set(r, order > 0 ? x : y, MPFR_RNDN);
        else if (function == ID_maxmag)
            mpfr_max(r, x, y, MPFR_RNDN);
        else
            mpfr_min(r, x, y, MPFR_RNDN);
        break;
    }
    case ID_fmod:
        mpfr_fmod(r, x, y, MPFR_RNDN);
        break;
    case ID_hypot:
        mpfr_hypot(r, x, y, MPFR_RNDN);
        break;
    case ID_nextafter:
        mpfr_set_d(r, neighbour(mpfr_get_d(x, MPFR_RNDN), mpfr_get_d(y, MPFR_RNDN), format), MPFR_RNDN);
        break;
    case ID_pow:
        mpfr_pow(r, x, y, MPFR_RNDN);
        break;
    case ID_powr:
    case ID_native_powr:
    case ID_half_powr:
        mpfr_powr(r, x, y, MPFR_RNDN);
        if (mpfr_nan_p(x) || mpfr_nan_p(y)) /* OpenCL's powr hands every NaN on */
            mpfr_set_nan(r);
        break;
    case ID_remainder:
        mpfr_remainder(r, x, y, MPFR_RNDN);
        break;
    case ID_remquo:
    case ID_remquo_out:
        mpfr_remquo(r, &quotient, x, y, MPFR_RNDN);
        exact->integer = mpfr_nan_p(r) ? 0 : (int)(labs(quotient) & 127) * (quotient < 0 ? -1 : 1);
        break;
    default:
        mpfr_set_nan(r);
        break;
    }
}

static void compute_exact(struct exact *exact, const struct batch *batch, size_t i)
{
    const struct format *format = &formats[batch->type];
    mpfr_t x, y, z;
    mpfr_inits2(53, x, y, z, (mpfr_ptr)0);
    mpfr_set_d(x, batch->x[i], MPFR_RNDN);
    exact->integer = 0;
    if (!exact_of_one(exact, batch->function, format, x)) {
        mpfr_set_d(y, batch->y[i], MPFR_RNDN);
        mpfr_set_d(z, batch->z[i], MPFR_RNDN);
        if (batch->function == ID_copysign) /* MPFR knows no signs of NaNs */
            mpfr_set_d(exact->number, copysign(batch->x[i], batch->y[i]), MPFR_RNDN);
        else if (batch->function == ID_fma || batch->function == ID_mad)
            mpfr_fma(exact->number, x, y, z, MPFR_RNDN);
        else if (batch->function == ID_ldexp)
            mpfr_mul_2si(exact->number, x, batch->n[i], MPFR_RNDN);
        else if (batch->function == ID_pown)
            mpfr_pow_si(exact->number, x, batch->n[i], MPFR_RNDN);
        else if (batch->function == ID_rootn)
            mpfr_rootn_si(exact->number, x, batch->n[i], MPFR_RNDN);
        else
            exact_of_two(exact, batch->function, format, x, y);
    }
    mpfr_clears(x, y, z, (mpfr_ptr)0);
}

/* The spacing of numbers around one of the binary exponent e, 1 <= x / 2^e < 2, as the exponent of a power of 2. */
static int spacing(int e, const struct format *format)
{
    e = e > format->max_exponent ? format->max_exponent : e < format->min_exponent ? format->min_exponent : e;
    return e - format->digits + 1;
}

static double difference(double got, const mpfr_t exact, const struct format *format)
{
    if (isnan(got) || mpfr_nan_p(exact))
        return isnan(got) && mpfr_nan_p(exact) ? 0 : INFINITY;
    if (mpfr_inf_p(exact))
        return isinf(got) && (got > 0) == (mpfr_sgn(exact) > 0) ? 0 : INFINITY;
    const int exponent = mpfr_zero_p(exact) ? -100000 : (int)mpfr_get_exp(exact) - 1;
    if (isinf(got) && exponent > format->max_exponent && (got > 0) == (mpfr_sgn(exact) > 0))
        return 0;
    mpfr_t distance;
    mpfr_init2(distance, PRECISION);
    if (isinf(got))
        mpfr_set_si_2exp(distance, got > 0 ? 1 : -1, format->max_exponent + 1, MPFR_RNDN);
    else
        mpfr_set_d(distance, got, MPFR_RNDN);
    mpfr_sub(distance, distance, exact, MPFR_RNDN);
    mpfr_mul_2si(distance, distance, -spacing(exponent, format), MPFR_RNDN);
    const double error = fabs(mpfr_get_d(distance, MPFR_RNDN));
    mpfr_clear(distance);
    return error;
}

double error_of(const struct batch *batch, size_t i)
{
    struct exact exact;
    double error;
    mpfr_init2(exact.number, PRECISION);
    compute_exact(&exact, batch, i);
    if (functions[batch->function].result == INTEGER)
        error = exact.integer == NO_INTEGER || exact.integer == batch->integer[i] ? 0 : INFINITY;
    else
        error = difference(batch->result[i], exact.number, &formats[batch->type]);
    mpfr_clear(exact.number);
    return error;
}

void describe_exact(const struct batch *batch, size_t i, char *text, size_t size)
{
    struct exact exact;
    mpfr_init2(exact.number, PRECISION);
    compute_exact(&exact, batch, i);
    if (functions[batch->function].result == INTEGER)
        snprintf(text, size, "%d", exact.integer);
    else
        mpfr_snprintf(text, size, "%.20Rg", exact.number);
    mpfr_clear(exact.number);
}

/* ---- by the C library, for all floats ---------------------------------------------------------------------------- */

static double turn_of(double x)
{
    return x - 2 * rint(x / 2);
}

/* tan(pi x), whose infinities have the sign of the nearest half turn's. */
static double tan_of_turns(double x)
{
    const double whole = rint(x), rest = x - whole;
    if (rest == 0)
        return 0 * x;
    return fabs(rest) == 0.5   ? copysign(INFINITY, rest)
           : fabs(rest) > 0.25 ? copysign(1 / tan(3.14159265358979323846 * (0.5 - fabs(rest))), rest)
                               : tan(3.14159265358979323846 * rest);
}

static double by_library(int function, double x)
{
    const double pi = 3.14159265358979323846;
    switch (function) {
        /* clang-format off */
#define SAME(X)                                                                                                        \
    X(acos)                                                                                                            \
    X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) X(expm1)   \
    X(fabs) X(floor) X(log) X(log10) X(log1p) X(log2) X(logb) X(rint) X(round) X(sin) X(sinh) X(sqrt) X(tan)           \
    X(tanh) X(tgamma) X(trunc)
/* clang-format on */
#define CASE(name)                                                                                                     \
    case ID_##name:                                                                                                    \
        return name(x);
        SAME(CASE)
#undef CASE
    case ID_acospi:
        return acos(x) / pi;
    case ID_asinpi:
        return asin(x) / pi;
    case ID_atanpi:
        return atan(x) / pi;
    case ID_cospi:
        return sin(pi * (0.5 - fabs(turn_of(x))));
    case ID_sinpi: {
        const double turn = turn_of(x);
        return sin(pi * (fabs(turn) > 0.5 ? copysign(1, turn) - turn : turn));
    }
    case ID_tanpi:
        return tan_of_turns(x);
    case ID_exp10:
        return pow(10, x);
    case ID_lgamma: {
        int sign;
        return lgamma_r(x, &sign);
    }
    case ID_rsqrt:
        return 1 / sqrt(x);
    default:
        return NAN;
    }
}

double quick_error_of(const struct batch *batch, size_t i)
{
    const struct format *format = &formats[batch->type];
    const double exact = by_library(batch->function, batch->x[i]);
    double got = batch->result[i];
    if (isnan(got) || isnan(exact))
        return isnan(got) && isnan(exact) ? 0 : INFINITY;
    int exponent = -100000;
    if (exact != 0 && isfinite(exact))
        exponent = ilogb(exact);
    if (isinf(got) || isinf(exact)) {
        if (got == exact || (isinf(got) && exponent > format->max_exponent && (got > 0) == (exact > 0)))
            return 0;
        if (isinf(exact))
            return INFINITY;
        got = copysign(ldexp(1, format->max_exponent + 1), got);
    }
    return fabs(got - exact) * ldexp(1, -spacing(exponent, format));
}
