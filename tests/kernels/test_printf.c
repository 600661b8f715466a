/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: x86_64 gpu-simt gpu-teams, values */
/* C++20: host x86_64 (gpu-simt gpu-teams), values, unsanitized, long */
/*
 * Printing from kernels (lower/kernel/printf.h): what is printed on each device, that lines stay whole, what a call returns;
 * and on the host the library's own formatting against the C library's.
 */
#include "tw_test.h"

#include <math.h>
#include <stdint.h>

#include <teamwork/printf.h>

enum { MOST_TEXT = 1 << 18 };
static char captured[MOST_TEXT + 1];

static struct {
    FILE *file;
    int stdout_fd;
} capture;

static void capture_begin(void)
{
    fflush(stdout);
    capture.file = tmpfile();
    TW_CHECK(capture.file);
    capture.stdout_fd = dup(STDOUT_FILENO);
    TW_CHECK(capture.stdout_fd >= 0 && dup2(fileno(capture.file), STDOUT_FILENO) >= 0);
}

/* What was printed since then. */
static const char *capture_end(void)
{
    fflush(stdout);
    TW_CHECK(dup2(capture.stdout_fd, STDOUT_FILENO) >= 0);
    close(capture.stdout_fd);
    rewind(capture.file);
    captured[fread(captured, 1, MOST_TEXT, capture.file)] = 0;
    fclose(capture.file);
    return captured;
}

/* ---- one work-item ----------------------------------------------------------------------------------------------- */

struct print_all {
    tw_float4 position;
    tw_uchar4 colour;
    tw_ushort4 shorts;
    tw_int2 pair;
    tw_long3 large;
    tw_double2 doubles;
    tw_half8 halves;
    tw_half half;
    float single;
    long number;
    unsigned bits;
    int *results;
};
static inline void print_all(const struct print_all *k)
{
    int *r = k->results;
    *r++ = tw_printf("no argument, 100%%\n");
    *r++ = tw_printf("scalars %d %ld %u %#x %5.2f|%-8s|%c\n", k->pair.x, k->number, k->bits, k->bits, (double)k->single,
                     "text", 'c');
    *r++ = tw_printf("position %.2v4hlf end\n", k->position);
    *r++ = tw_printf("colour %#v4hhx %v4hhu\n", k->colour, k->colour);
    *r++ = tw_printf("pair %+4v2hld and %d 100%%\n", k->pair, k->pair.y);
    *r++ = tw_printf("large %v3ld\n", k->large);
    *r++ = tw_printf("doubles %v2le %v2lg %v2la\n", k->doubles, k->doubles, k->doubles);
    *r++ = tw_printf("half %f %.3v8hg %s\n", k->half, k->halves, "after");
    *r++ = tw_printf("shorts %04v4hx, as they are %v4d\n", k->shorts, k->shorts);
    *r++ = tw_printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %v2d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
                     14, 15, k->pair);
}
TW_SINGLE_TASK(print_all);

enum { ALL_CALLS = 10 };

TW_TEST(every_format_prints_its_text)
{
    static const char expected[] =
        "no argument, 100%\n"
        "scalars -7 -123456789012 48879 0xbeef  1.50|text    |c\n"
        "position 1.00,-2.50,1000000.00,0.00 end\n"
        "colour 0,0x1,0x80,0xff 0,1,128,255\n"
        "pair   -7, +42 and 42 100%\n"
        "large -9000000000000000000,0,5\n"
        "doubles 1.000000e-01,-3.000000e+200 0.1,-3e+200 0x1.999999999999ap-4,-0x1.f5aa543c31387p+665\n"
        "half 0.333252 1,2,0.5,6.55e+04,-0,inf,6.1e-05,1.5 after\n"
        "shorts 0001,00ff,8000,ffff, as they are 1,255,32768,65535\n"
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 -7,42\n";
    int results[ALL_CALLS];
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    memset(results, 0x55, sizeof results);
    TW_PASS(tw_buffer_create_over(results, sizeof results[0], tw_range_1d(ALL_CALLS), &buffer));
    capture_begin();
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, print_all, .position = {1.0f, -2.5f, 1e6f, 0.0f}, .colour = {0, 1, 128, 255},
                   .shorts = {1, 255, 32768, 65535}, .pair = {-7, 42}, .large = {-9000000000000000000, 0, 5},
                   .doubles = {0.1, -3e200}, .half = (tw_half)(1.0f / 3.0f),
                   .halves = {1.0f16, 2.0f16, 0.5f16, 65504.0f16, -0.0f16, (tw_half)INFINITY, 6.1e-5f16, 1.5f16},
                   .single = 1.5f, .number = -123456789012, .bits = 0xbeef, .results = tw_discard_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait(queue));
    const char *got = capture_end();
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
    if (strcmp(got, expected) != 0)
        fprintf(stderr, "got:\n%swanted:\n%s", got, expected);
    TW_CHECK(strcmp(got, expected) == 0);
    for (int i = 0; i < ALL_CALLS; ++i)
        TW_EQUAL(results[i], 0);
}

/* ---- many work-items --------------------------------------------------------------------------------------------- */

enum { ITEMS = 600, GROUP = 32 };

/* Two kinds of calls: formatted by the library, and by the device. */
struct print_lines {
    tw_float4 offset;
    int which;
};
static inline void print_lines(tw_item item, const struct print_lines *k)
{
    const int i = (int)tw_global_id(item, 0);
    const tw_float4 place = k->offset + (float)i;
    if (i % 2)
        tw_printf("<%d of kernel %d stands at %.2v4hlf, a line of some length that must come in one piece>\n", i,
                  k->which, place);
    else
        tw_printf("<%d of kernel %d stands at %.2f, a line of some length that must come in one piece>\n", i, k->which,
                  (double)place.x);
}
TW_RANGE_KERNEL(print_lines, 1);

struct print_in_groups {
    int unused;
};
static inline void print_in_groups(tw_group group, const struct print_in_groups *k)
{
    (void)k;
    tw_parallel_for_work_item(group, item) {
        const int i = (int)tw_global_id(item, 0);
        const tw_int2 both = {i, -i};
        tw_printf("<%d of kernel 2 is %v2hld>\n", i, both);
    }
}
TW_WORK_GROUP_KERNEL(print_in_groups, GROUP);

static void expect_line(char *line, size_t bytes, int i, int kernel)
{
    const double x = i + 0.25;
    if (kernel == 2)
        snprintf(line, bytes, "<%d of kernel 2 is %d,%d>", i, i, -i);
    else if (i % 2)
        snprintf(line, bytes,
                 "<%d of kernel %d stands at %.2f,%.2f,%.2f,%.2f, a line of some length that must come in one piece>",
                 i, kernel, x, x + 1, x + 2, x + 3);
    else
        snprintf(line, bytes, "<%d of kernel %d stands at %.2f, a line of some length that must come in one piece>", i,
                 kernel, x);
}

/* Kernels of two queues at the same time; each line must be there once, whole. */
TW_TEST(lines_come_in_one_piece)
{
    static bool seen[3][ITEMS];
    tw_queue *queues[2];
    memset(seen, 0, sizeof seen);
    tw_test_queues(queues, 2);
    capture_begin();
    for (int q = 0; q < 2; ++q) {
        tw_command_group *cg = tw_queue_begin(queues[q]);
        tw_parallel_for(cg, tw_range_1d(ITEMS), print_lines, .offset = {0.25f, 1.25f, 2.25f, 3.25f}, .which = q);
        TW_PASS(tw_queue_submit(queues[q], cg, NULL));
    }
    tw_command_group *cg = tw_queue_begin(queues[0]);
    tw_parallel_for_work_group(cg, tw_range_1d(ITEMS / GROUP), tw_range_1d(GROUP), print_in_groups, .unused = 0);
    TW_PASS(tw_queue_submit(queues[0], cg, NULL));
    TW_PASS(tw_queue_wait(queues[0]));
    TW_PASS(tw_queue_wait(queues[1]));
    char *text = strdup(capture_end());
    tw_test_destroy_queues(queues, 2);
    TW_CHECK(text);
    size_t lines = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, ++lines) {
        char wanted[256];
        int i = -1, kernel = -1;
        *end = 0;
        TW_EQUAL(sscanf(line, "<%d of kernel %d", &i, &kernel), 2);
        TW_CHECK(i >= 0 && i < ITEMS && kernel >= 0 && kernel < 3);
        expect_line(wanted, sizeof wanted, i, kernel);
        TW_CHECK(strcmp(line, wanted) == 0);
        TW_CHECK(!seen[kernel][i]);
        seen[kernel][i] = true;
    }
    TW_EQUAL(lines, 2 * ITEMS + ITEMS / GROUP * GROUP);
    free(text);
}

/* ---- what a call returns ----------------------------------------------------------------------------------------- */

struct print_wrongly {
    tw_float4 v;
    int *results;
};
static inline void print_wrongly(const struct print_wrongly *k)
{
    int *r = k->results;
    *r++ = tw_printf("%v4f %v4d\n", k->v);       /* more conversions than arguments */
    *r++ = tw_printf("%v4y\n", k->v);            /* no conversion */
    *r++ = tw_printf("%2v4s\n", k->v);           /* no string */
    *r++ = tw_printf("%v4f unfinished %", k->v); /* no conversion at all */
    *r++ = tw_printf("%.250v4f", k->v * 0.0f);   /* four times 252, and commas: 1011 bytes */
    *r++ = tw_printf("%.253v4f", k->v * 0.0f);   /* 1023 bytes */
    *r++ = tw_printf("%.253v4f!", k->v * 0.0f);  /* one too many: it is cut */
}
TW_SINGLE_TASK(print_wrongly);

TW_TEST(calls_tell_whether_all_was_written)
{
    enum { CALLS = 7 };
    static const int expected[CALLS] = {-1, -1, -1, -1, 0, 0, -1};
    int results[CALLS];
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    memset(results, 0x55, sizeof results);
    TW_PASS(tw_buffer_create_over(results, sizeof results[0], tw_range_1d(CALLS), &buffer));
    capture_begin();
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, print_wrongly, .v = {1, 2, 3, 4}, .results = tw_discard_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait(queue));
    const size_t length = strlen(capture_end());
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
    for (int i = 0; i < CALLS; ++i)
        TW_EQUAL(results[i], expected[i]);
    TW_EQUAL(length, 1011 + 1023 + 1023); /* nothing of the invalid ones */
}

TW_TEST(arguments_are_evaluated_once)
{
    int i = 0;
    capture_begin();
    const tw_int2 v = {5, 6};
    const int first = tw_printf("%d\n", ++i), second = tw_printf("%d %v2d\n", ++i, v);
    TW_CHECK(strcmp(capture_end(), "1\n2 5,6\n") == 0);
    TW_EQUAL(first + second, 0);
    TW_EQUAL(i, 2);
}

/* ---- against the C library --------------------------------------------------------------------------------------- */

static uint64_t random_bits(void)
{
    static uint64_t state = 7;
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static double random_double(void)
{
    static const double special[] = {0,
                                     -0.0,
                                     1,
                                     9.5,
                                     0.5,
                                     1.5,
                                     2.5,
                                     99.95,
                                     1e5,
                                     999999.5,
                                     123456789,
                                     1e-5,
                                     0.00012345,
                                     5e-324,
                                     2.2250738585072014e-308,
                                     1.7976931348623157e308,
                                     INFINITY,
                                     -INFINITY};
    const uint64_t kind = random_bits() % 5, bits = random_bits();
    double x = 0;
    if (kind == 0)
        memcpy(&x, &bits, sizeof x);
    else if (kind == 1)
        x = special[bits % (sizeof special / sizeof special[0])];
    else if (kind == 2)
        x = ((double)(bits % 4001) - 2000) / (double)(1u << (bits >> 32 & 15));
    else
        x = ldexp((double)(int64_t)bits, (int)(random_bits() % 140) - 120);
    return isnan(x) ? 0 : x; /* the sign of a NaN is not always printed */
}

/* A random conversion specification in angle brackets; with h, l or nothing for integers. */
static char random_format(char *format)
{
    const char conversion = "diuoxXfFeEgGaAc"[random_bits() % 15];
    const bool is_float = strchr("fFeEgGaA", conversion) != NULL;
    char *p = format;
    *p++ = '<';
    *p++ = '%';
    for (const char *flag = "-+ #0"; *flag; ++flag)
        /* glibc is wrong about %#g of numbers that rounding carries to 10^6 */
        if (random_bits() % 4 == 0 && !(*flag == '#' && (conversion | 32) == 'g'))
            *p++ = *flag;
    if (random_bits() % 2)
        p += sprintf(p, "%u", (unsigned)(random_bits() % 40));
    if (conversion != 'c' && random_bits() % 2)
        p += sprintf(p, ".%u", (unsigned)(random_bits() % (random_bits() % 8 ? 22 : 400)));
    if (!is_float && conversion != 'c')
        *p++ = 'l';
    *p++ = conversion;
    *p++ = '>';
    *p = 0;
    return is_float ? 'f' : conversion == 'c' ? 'c' : 'i';
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
TW_TEST(numbers_look_as_in_the_c_library)
{
    static char wanted[4096], got[4096];
    for (long i = 0; i < 60000; ++i) {
        char format[64];
        struct tw_internal_text text = {got, 0, sizeof got - 1, false};
        struct tw_internal_value value;
        switch (random_format(format)) {
        case 'f': {
            const double x = random_double();
            value = tw_internal_value(x);
            snprintf(wanted, sizeof wanted, format, x);
            break;
        }
        case 'c':
            value = tw_internal_value((int)('a' + i % 26));
            snprintf(wanted, sizeof wanted, format, (int)('a' + i % 26));
            break;
        default: {
            const long x = (long)random_bits() >> random_bits() % 64;
            value = tw_internal_value(x);
            snprintf(wanted, sizeof wanted, format, x);
        }
        }
        TW_CHECK(tw_internal_format_values(&text, format, &value, 1));
        got[text.used] = 0;
        if (strcmp(got, wanted) != 0)
            fprintf(stderr, "%s: %s, not %s\n", format, got, wanted);
        TW_CHECK(strcmp(got, wanted) == 0);
    }
}
#pragma clang diagnostic pop

TW_TEST_LIST = {
    TW_CASE(every_format_prints_its_text),       TW_CASE(lines_come_in_one_piece),
    TW_CASE(calls_tell_whether_all_was_written), TW_CASE(arguments_are_evaluated_once),
    TW_CASE(numbers_look_as_in_the_c_library),   TW_CASES_END,
};
