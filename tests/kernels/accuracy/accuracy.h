/* SPDX-License-Identifier: Apache-2.0 */
/** What the parts of the accuracy program share: kernels.c computes on a device, reference.c knows the exact results,
 *  inputs.c chooses arguments, main.c compares. */
#ifndef ACCURACY_H
#define ACCURACY_H

#include <stddef.h>
#include <stdint.h>

#include "functions.h"

enum { ONE, TWO, THREE, ONE_INT };   /* arguments */
enum { REAL, INTEGER };              /* result */
enum { FLOAT, DOUBLE, HALF, TYPES }; /* what is measured, in the order of the bounds */

#define ID(id, ...) ID_##id,
enum { ALL_FUNCTIONS(ID) FUNCTIONS };
#undef ID

struct function {
    const char *name;
    int arguments, result;
    double bound[TYPES];
};
extern const struct function functions[FUNCTIONS];

/** One type of numbers: significand with the hidden bit, and the exponents of the largest and the smallest normal one.
 *  */
struct format {
    const char *name;
    int digits, max_exponent, min_exponent;
};
extern const struct format formats[TYPES];

/**
 * Arguments and results of `count` evaluations. Numbers are kept as double, whatever their type; what a function has no
 * use for stays unread.
 */
struct batch {
    int function, type;
    size_t count;
    double *x, *y, *z, *result;
    int *n, *integer;
};

/** Evaluates the batch on the device under test; ends the program if that fails. */
void evaluate(struct batch *batch);
/** The device's name. */
const char *device_name(void);
void close_device(void);

/** Fills x, y, z and n with special values, their combinations, and random ones of several kinds, the same each time.
 *  */
void choose_inputs(struct batch *batch, uint64_t seed);

/** The result of evaluation i in ulp of the exact one; infinite where they are not even of one kind. */
double error_of(const struct batch *batch, size_t i);
/** Like error_of() to a few digits, much faster, for one argument and float: by the C library's functions of double. */
double quick_error_of(const struct batch *batch, size_t i);
/** The exact result of evaluation i, as text for messages. */
void describe_exact(const struct batch *batch, size_t i, char *text, size_t size);

#endif
