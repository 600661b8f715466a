/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (x86_64 gpu-simt), values, unsanitized */
/**
 * Mathematical functions on the device under test (spec 3.9.3, properties 57 and 58): every function of every type in
 * every size, against the C library's long double; the special cases; results through pointers to each kind of memory.
 */
#include "tw_test.h"

#include <math.h>

#include <teamwork/math.h>

#include "math_specials.h"

#define ENTRY(id, arguments, result, float_bound, double_bound, half_bound, ...)                                       \
    {#id, arguments, result, {float_bound, double_bound, half_bound}},
static const struct {
    const char *name;
    int arguments, result;
    double bound[TYPES];
} functions[FUNCTIONS] = {TEST_FUNCTIONS(ENTRY)};

static const struct {
    const char *name;
    size_t bytes;
    int digits, max_exponent, min_exponent;
    double tiny, huge;
} types[TYPES] = {{"float", 4, 24, 127, -126, 0x1p-149, 0x1.fffffep127},
                  {"double", 8, 53, 1023, -1022, 0x1p-1074, 0x1.fffffffffffffp1023},
                  {"half", 2, 11, 15, -14, 0x1p-24, 65504}};

MATH_KERNEL(float);
MATH_KERNEL(double);
MATH_KERNEL(half);

/* ---- arguments --------------------------------------------------------------------------------------------------- */

struct arguments {
    int type;
    double x[COUNT], y[COUNT], z[COUNT]; /* as the type has them */
    int n[COUNT];
    void *typed[3], *results;
    int *integers;
};

static double get(const void *array, size_t i, int type)
{
    return type == FLOAT    ? (double)((const float *)array)[i]
           : type == DOUBLE ? ((const double *)array)[i]
                            : (double)((const tw_half *)array)[i];
}

static void set(void *array, size_t i, int type, double value)
{
    if (type == FLOAT)
        ((float *)array)[i] = (float)value;
    else if (type == DOUBLE)
        ((double *)array)[i] = value;
    else
        ((tw_half *)array)[i] = (tw_half)value;
}

/* The number that a special case means in a type. */
static double meant(double value, int type)
{
    return fabs(value) == TINY    ? copysign(types[type].tiny, value)
           : fabs(value) == HUGE_ ? copysign(types[type].huge, value)
                                  : value;
}

static double random_number(void)
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double uniform = (double)(state >> 11) * 0x1p-53;
    switch (state >> 8 & 3) {
    case 0:
        return 2 * uniform - 1;
    case 1:
        return 20 * uniform - 10;
    case 2:
        return ldexp(2 * uniform - 1, (int)(state >> 12 & 31) - 12);
    default:
        return uniform * 3;
    }
}

/* The special cases, then random numbers. */
static struct arguments *make_arguments(int type)
{
    struct arguments *a = calloc(1, sizeof *a);
    TW_CHECK(a != NULL && SPECIALS + 200 < COUNT);
    a->type = type;
    a->results = calloc(RESULTS, types[type].bytes);
    a->integers = calloc(RESULTS, sizeof *a->integers);
    TW_CHECK(a->results && a->integers);
    for (int i = 0; i < 3; ++i)
        TW_CHECK((a->typed[i] = calloc(COUNT, types[type].bytes)) != NULL);
    for (size_t i = 0; i < COUNT; ++i) {
        const int special = i < SPECIALS;
        set(a->typed[0], i, type, special ? meant(specials[i].x, type) : random_number());
        set(a->typed[1], i, type, special ? meant(specials[i].y, type) : random_number());
        set(a->typed[2], i, type, random_number());
        a->x[i] = get(a->typed[0], i, type);
        a->y[i] = get(a->typed[1], i, type);
        a->z[i] = get(a->typed[2], i, type);
        a->n[i] = special ? specials[i].n : (int)(random_number() * 4);
    }
    return a;
}

static void free_arguments(struct arguments *a)
{
    for (int i = 0; i < 3; ++i)
        free(a->typed[i]);
    free(a->results);
    free(a->integers);
    free(a);
}

static double result(const struct arguments *a, int function, int size, size_t element)
{
    return get(a->results, ((size_t)function * SIZES + (size_t)size) * COUNT + element, a->type);
}

static int integer(const struct arguments *a, int function, int size, size_t element)
{
    return a->integers[((size_t)function * SIZES + (size_t)size) * COUNT + element];
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

#define LAUNCH(T)                                                                                                      \
    tw_parallel_for(cg, tw_range_1d(COUNT / CHUNK), math_##T, .x = tw_read(cg, numbers[0]),                            \
                    .y = tw_read(cg, numbers[1]), .z = tw_read(cg, numbers[2]), .n = tw_read(cg, n),                   \
                    .out = tw_write(cg, out), .integer = tw_write(cg, integers))

static void run(struct arguments *a)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *numbers[3], *n, *out, *integers;
    const size_t bytes = types[a->type].bytes;
    for (int i = 0; i < 3; ++i)
        TW_PASS(tw_buffer_create_over_const(a->typed[i], bytes, tw_range_1d(COUNT), &numbers[i]));
    TW_PASS(tw_buffer_create_over_const(a->n, sizeof *a->n, tw_range_1d(COUNT), &n));
    TW_PASS(tw_buffer_create_over(a->results, bytes, tw_range_1d(RESULTS), &out));
    TW_PASS(tw_buffer_create_over(a->integers, sizeof *a->integers, tw_range_1d(RESULTS), &integers));
    tw_command_group *cg = tw_queue_begin(queue);
    if (a->type == FLOAT)
        LAUNCH(float);
    else if (a->type == DOUBLE)
        LAUNCH(double);
    else
        LAUNCH(half);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&integers));
    TW_PASS(tw_buffer_destroy(&n));
    for (int i = 0; i < 3; ++i)
        TW_PASS(tw_buffer_destroy(&numbers[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static double error_in_ulp(double got, long double exact, int type)
{
    if (isnan(got) || isnan(exact))
        return isnan(got) && isnan(exact) ? 0 : INFINITY;
    int exponent = exact == 0 ? types[type].min_exponent : isinf(exact) ? 100000 : ilogbl(exact);
    if (isinf(got) && (got > 0) == (exact > 0) && exponent > types[type].max_exponent)
        return 0;
    if (isinf(exact))
        return INFINITY;
    exponent = exponent > types[type].max_exponent   ? types[type].max_exponent
               : exponent < types[type].min_exponent ? types[type].min_exponent
                                                     : exponent;
    const long double number = isinf(got) ? copysignl(ldexpl(1, types[type].max_exponent + 1), got) : (long double)got;
    return (double)ldexpl(fabsl(number - exact), types[type].digits - 1 - exponent);
}

static int wrong_mad(double got, const struct arguments *a, size_t i, long double exact)
{
    const double size = fabs(a->x[i] * a->y[i]) + fabs(a->z[i]);
    return isfinite(size) && size < types[a->type].huge
           && !(fabsl(got - exact) <= (long double)size * ldexpl(1, 1 - types[a->type].digits));
}

/* Whether a result is so wrong that it cannot be right: further off than allowed, or, where OpenCL sets no bound, than
   even a fast function in its usual range. */
static int is_wrong(const struct arguments *a, int function, double got, size_t i, long double exact)
{
    const double bound = functions[function].bound[a->type], x = fabs(a->x[i]), y = fabs(a->y[i]);
    if (function == ID_mad)
        return wrong_mad(got, a, i, exact);
    if (function == ID_half_cos || function == ID_half_sin || function == ID_half_tan)
        return x <= 65536 && error_in_ulp(got, exact, a->type) > bound;
    if (bound != NONE)
        return error_in_ulp(got, exact, a->type) > bound + 0.01;
    if (function == ID_lgamma || function == ID_lgamma_r)
        return fabsl(exact) < types[a->type].huge
               && !(fabsl(got - exact) <= ldexpl(fmaxl(1, fabsl(exact)), 10 - types[a->type].digits));
    /* native */
    const int usual = x > 0.01 && x < 3 && y > 0.01 && y < 3 && isfinite(exact);
    return usual && !(fabsl(got - exact) <= 1e-3L * fmaxl(1, fabsl(exact)));
}

/* The payload of the NaN that tw_nan() makes of a number's bits. */
static int is_wrong_nan(const struct arguments *a, int size, size_t i)
{
    const int bits = types[a->type].digits - 1;
    const size_t at = ((size_t)ID_nan * SIZES + (size_t)size) * COUNT + i, bytes = types[a->type].bytes;
    unsigned long long code = 0, got = 0;
    memcpy(&code, (const char *)a->typed[0] + i * bytes, bytes);
    memcpy(&got, (const char *)a->results + at * bytes, bytes);
    const unsigned long long quiet = 1ull << (bits - 1), exponent = (1ull << (8 * bytes - 1)) - (1ull << bits);
    return got != (exponent | quiet | (code & (quiet - 1)));
}

static int has_size(int function, int size)
{
    return size > 0 || function < ID_fmax_scalar || function > ID_rootn_scalar;
}

/* Forms with a scalar argument take the first element's of their vector. */
static int takes_this(int function, int size, size_t element)
{
    const size_t first = element / (size_t)math_lanes[size] * (size_t)math_lanes[size];
    return function < ID_fmax_scalar || function > ID_rootn_scalar || element == first;
}

static void compare(const struct arguments *a, int function, size_t i)
{
    int expected;
    long double exact = math_reference(function, a->x[i], a->y[i], a->z[i], a->n[i], &expected);
    if (function == ID_nextafter) /* means the neighbour in the type: left to the special cases and to accuracy/ */
        return;
    if (function == ID_lgamma_r_out && !isfinite(a->x[i]))
        return;
    if (function == ID_fract) /* never gives 1 */
        exact = isnan(exact) ? exact : fminl(exact, 1 - ldexpl(1, -types[a->type].digits));
    for (int size = 0; size < SIZES; ++size) {
        if (!has_size(function, size) || !takes_this(function, size, i))
            continue;
        const double got = result(a, function, size, i);
        const int whole = integer(a, function, size, i);
        if (function == ID_nan                      ? !is_wrong_nan(a, size, i)
            : functions[function].result == INTEGER ? whole == expected
                                                    : !is_wrong(a, function, got, i, exact))
            continue;
        fprintf(stderr, "%s of %s%d: x = %a, y = %a, z = %a, n = %d: %.17g, %d; expected %.20Lg, %d\n",
                functions[function].name, types[a->type].name, math_lanes[size], a->x[i], a->y[i], a->z[i], a->n[i],
                got, whole, exact, expected);
        TW_CHECK(!"the function is right");
    }
}

static void compare_special(const struct arguments *a, size_t i)
{
    const struct special *s = &specials[i];
    const double expected = meant(s->result, a->type);
    for (int size = 0; size < SIZES; ++size) {
        const double got = result(a, s->function, size, i);
        const int whole = integer(a, s->function, size, i);
        if (functions[s->function].result == INTEGER ? whole == s->integer
            : isnan(expected)                        ? isnan(got)
                                                     : got == expected && !signbit(got) == !signbit(expected))
            continue;
        fprintf(stderr, "%s of %s%d: x = %a, y = %a, n = %d: %a, %d; must be %a, %d\n", functions[s->function].name,
                types[a->type].name, math_lanes[size], a->x[i], a->y[i], a->n[i], got, whole, expected, s->integer);
        TW_CHECK(!"the special case is right");
    }
}

static void test_type(int type, size_t *triples)
{
    struct arguments *a = make_arguments(type);
    run(a);
    for (size_t i = 0; i < SPECIALS; ++i)
        compare_special(a, i);
    for (int f = 0; f < FUNCTIONS; ++f) {
        if (functions[f].bound[type] < 0)
            continue;
        for (size_t i = 0; i < COUNT; ++i)
            compare(a, f, i);
        for (int size = 0; size < SIZES; ++size)
            *triples += has_size(f, size) && !strstr(functions[f].name, "_out") && f != ID_divide;
    }
    free_arguments(a);
}

/* Each name of the library's lists is among those that the kernels call; the list's lengths are the tables'. */
#define LISTED(name) (void)ID_##name, ++names;
#define LISTED_NATIVE(name) (void)ID_native_##name, (void)ID_half_##name, ++native;

TW_TEST(every_function_of_every_type_and_size_is_right)
{
    size_t names = 0, native = 0, triples = 0;
    TW_INTERNAL_MATH_UNARY(LISTED)
    TW_INTERNAL_MATH_BINARY(LISTED)
    TW_INTERNAL_MATH_TERNARY(LISTED)
    TW_INTERNAL_MATH_TO_INT(LISTED)
    TW_INTERNAL_MATH_WITH_INT(LISTED)
    TW_INTERNAL_MATH_OUT(LISTED)
    TW_INTERNAL_MATH_OUT_INT(LISTED)
    TW_INTERNAL_MATH_BINARY_OUT_INT(LISTED)
    TW_INTERNAL_MATH_OF_BITS(LISTED)
    TW_INTERNAL_NATIVE_UNARY(LISTED_NATIVE)
    TW_INTERNAL_NATIVE_BINARY(LISTED_NATIVE)
    TW_EQUAL(names, 14 + 21 + 13 + 19); /* tables 3.53 to 3.56 */
    TW_EQUAL(native, 10 + 4);           /* tables 3.57 and 3.58 */
    for (int type = 0; type < TYPES; ++type)
        test_type(type, &triples);
    /* in three types and six sizes; native too, half_ in one; five with a scalar beside a vector */
    TW_EQUAL(triples, names * TYPES * SIZES + native * (3 + 1) * SIZES + 5 * TYPES * (SIZES - 1));
    printf("%zu forms of %zu functions\n", triples, names + 2 * native);
}

TW_TEST_LIST = {TW_CASE(every_function_of_every_type_and_size_is_right), TW_CASES_END};
