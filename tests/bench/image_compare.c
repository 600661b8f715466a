/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of an RGBA image of bytes on the host against loops written by hand, in one process, in turns. Every pixel of the
 * result is one read, at coordinates that are turned by an angle, into an array of float4. By hand the same is done with
 * the same conversion of bytes, the same clamping and the same OpenMP directives.
 *
 *     image_compare [--quick]
 *
 * Columns are nanoseconds for a read, the smallest of many turns; quotients are Teamwork's time by that of the loop by hand:
 *     constant    format (tw_image_as()) and sampler are constants in the kernel
 *     image's     the format is what the image says, the sampler a constant
 *     block's     the format is a constant, the sampler comes in the argument block
 * Exit status 1: a wrong result. --quick only looks at the results.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/image.h>
#include <teamwork/math.h>
#include <teamwork/teamwork.h>
#include <teamwork/vector.h>

#include "samples.h"

enum { WIDTH = 512, HEIGHT = 384, KINDS = 3, TURNS = 100 };

/* The way from a pixel of the result to coordinates; `scale` makes them normalized. */
struct turn {
    float cosine, sine, middle_x, middle_y, scale_x, scale_y;
};

struct job {
    tw_const_image_2d in;
    tw_float4 *out;
    struct turn turn;
    tw_sampler sampler;
};

static inline tw_float2 turned(const struct turn *t, int x, int y)
{
    const float dx = (float)x + 0.5f - t->middle_x, dy = (float)y + 0.5f - t->middle_y;
    const float u = t->cosine * dx + t->sine * dy + t->middle_x, v = t->cosine * dy - t->sine * dx + t->middle_y;
    return (tw_float2){u * t->scale_x, v * t->scale_y};
}

/* ---- Teamwork ------------------------------------------------------------------------------------------------------- */

#define RGBA8(image) tw_image_as(image, TW_RGBA, TW_UNORM_INT8)
#define IMAGES_OWN(image) (image)

#define KERNEL(name, FORMAT, SAMPLER)                                                                                  \
    struct name {                                                                                                      \
        struct job job;                                                                                                \
    };                                                                                                                 \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);                                      \
        k->job.out[y * WIDTH + x] = tw_read_imagef(FORMAT(k->job.in), SAMPLER, turned(&k->job.turn, x, y));            \
    }                                                                                                                  \
    TW_RANGE_KERNEL(name, 2);

/* X(name, words, filter, addressing mode, normalized coordinates) */
#define CASES(X)                                                                                                       \
    X(nearest_edge, "nearest, clamped to the edge", TW_FILTER_NEAREST, TW_ADDRESS_CLAMP_TO_EDGE, false)                \
    X(nearest_border, "nearest, border", TW_FILTER_NEAREST, TW_ADDRESS_CLAMP, false)                                   \
    X(nearest_repeat, "nearest, repeated", TW_FILTER_NEAREST, TW_ADDRESS_REPEAT, true)                                 \
    X(linear_edge, "linear, clamped to the edge", TW_FILTER_LINEAR, TW_ADDRESS_CLAMP_TO_EDGE, false)                   \
    X(linear_border, "linear, border", TW_FILTER_LINEAR, TW_ADDRESS_CLAMP, false)                                      \
    X(linear_repeat, "linear, repeated", TW_FILTER_LINEAR, TW_ADDRESS_REPEAT, true)

#define KERNELS(name, words, filter, mode, normalized)                                                                 \
    KERNEL(name##_constant, RGBA8, tw_sampler_make(normalized, mode, filter))                                          \
    KERNEL(name##_images, IMAGES_OWN, tw_sampler_make(normalized, mode, filter))                                       \
    KERNEL(name##_blocks, RGBA8, k->job.sampler)
CASES(KERNELS)

/* Reads without a sampler, at whole coordinates: mirrored, so that it is no copy. */
struct places {
    struct job job;
};
static inline void places(tw_item item, const struct places *k)
{
    const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);
    k->job.out[y * WIDTH + x] = tw_read_imagef(RGBA8(k->job.in), (tw_int2){WIDTH - 1 - x, HEIGHT - 1 - y});
}
TW_RANGE_KERNEL(places, 2);

/* ---- by hand -------------------------------------------------------------------------------------------------------- */

static inline int clamped(int i, int last)
{
    return i < 0 ? 0 : i > last ? last : i;
}

static inline tw_float4 texel(const unsigned char *in, int x, int y)
{
    tw_uchar4 bytes;
    memcpy(&bytes, in + 4 * ((size_t)y * WIDTH + (size_t)x), 4);
    return __builtin_convertvector(bytes, tw_float4);
}

/* To the lower integer, for what an int holds. */
static inline int lower(float x)
{
    const int i = (int)x;
    return i - ((float)i > x);
}

static inline tw_float4 by_hand_nearest_edge(const unsigned char *in, tw_float2 c)
{
    const float x = c.x > 0 ? c.x : 0, y = c.y > 0 ? c.y : 0;
    return texel(in, (int)(x < WIDTH - 1 ? x : WIDTH - 1), (int)(y < HEIGHT - 1 ? y : HEIGHT - 1)) * (1 / 255.0f);
}

static inline tw_float4 by_hand_nearest_border(const unsigned char *in, tw_float2 c)
{
    if (c.x >= 0 && c.y >= 0 && c.x < WIDTH && c.y < HEIGHT)
        return texel(in, (int)c.x, (int)c.y) * (1 / 255.0f);
    return (tw_float4)0;
}

static inline tw_float4 by_hand_nearest_repeat(const unsigned char *in, tw_float2 c)
{
    const int x = (int)((c.x - (float)lower(c.x)) * WIDTH), y = (int)((c.y - (float)lower(c.y)) * HEIGHT);
    return texel(in, x < WIDTH ? x : 0, y < HEIGHT ? y : 0) * (1 / 255.0f);
}

static inline tw_float4 mixed(tw_float4 p00, tw_float4 p10, tw_float4 p01, tw_float4 p11, float a, float b)
{
    const tw_float4 above = p00 + a * (p10 - p00), below = p01 + a * (p11 - p01);
    return (above + b * (below - above)) * (1 / 255.0f);
}

static inline tw_float4 by_hand_linear_edge(const unsigned char *in, tw_float2 c)
{
    /* further out all is the edge */
    const float u = c.x > -1 ? c.x - 0.5f : -1, v = c.y > -1 ? c.y - 0.5f : -1;
    const float x = u < WIDTH ? u : WIDTH, y = v < HEIGHT ? v : HEIGHT;
    const int i = (int)(x + 2) - 2, j = (int)(y + 2) - 2;
    const int i0 = clamped(i, WIDTH - 1), i1 = clamped(i + 1, WIDTH - 1);
    const int j0 = clamped(j, HEIGHT - 1), j1 = clamped(j + 1, HEIGHT - 1);
    return mixed(texel(in, i0, j0), texel(in, i1, j0), texel(in, i0, j1), texel(in, i1, j1), x - (float)i,
                 y - (float)j);
}

static inline tw_float4 by_hand_linear_border(const unsigned char *in, tw_float2 c)
{
    const float u = c.x > -2 ? c.x - 0.5f : -2.5f, v = c.y > -2 ? c.y - 0.5f : -2.5f;
    const float x = u < WIDTH ? u : WIDTH, y = v < HEIGHT ? v : HEIGHT;
    const int i = (int)(x + 3) - 3, j = (int)(y + 3) - 3;
    const float a = x - (float)i, b = y - (float)j;
    /* what is outside has no weight */
    const float left = i >= 0 && i < WIDTH ? 1 - a : 0, right = i >= -1 && i < WIDTH - 1 ? a : 0;
    const float above = j >= 0 && j < HEIGHT ? 1 - b : 0, below = j >= -1 && j < HEIGHT - 1 ? b : 0;
    const int i0 = clamped(i, WIDTH - 1), i1 = clamped(i + 1, WIDTH - 1);
    const int j0 = clamped(j, HEIGHT - 1), j1 = clamped(j + 1, HEIGHT - 1);
    return (left * above * texel(in, i0, j0) + right * above * texel(in, i1, j0) + left * below * texel(in, i0, j1)
            + right * below * texel(in, i1, j1))
           * (1 / 255.0f);
}

static inline tw_float4 by_hand_linear_repeat(const unsigned char *in, tw_float2 c)
{
    const float u = (c.x - (float)lower(c.x)) * WIDTH - 0.5f, v = (c.y - (float)lower(c.y)) * HEIGHT - 0.5f;
    const int i = (int)(u + 1) - 1, j = (int)(v + 1) - 1;
    const int i0 = i < 0 ? WIDTH - 1 : i, i1 = i + 1 < WIDTH ? i + 1 : i + 1 - WIDTH;
    const int j0 = j < 0 ? HEIGHT - 1 : j, j1 = j + 1 < HEIGHT ? j + 1 : j + 1 - HEIGHT;
    return mixed(texel(in, i0, j0), texel(in, i1, j0), texel(in, i0, j1), texel(in, i1, j1), u - (float)i,
                 v - (float)j);
}

#define ROWS _Pragma("omp parallel for schedule(static) default(none) firstprivate(in, out, turn)")
#define BY_HAND(name, words, filter, mode, normalized)                                                                 \
    static void name##_by_hand(const unsigned char *in, tw_float4 *out, struct turn turn)                              \
    {                                                                                                                  \
        ROWS for (int y = 0; y < HEIGHT; ++y) for (int x = 0; x < WIDTH; ++x) out[y * WIDTH + x] =                     \
            by_hand_##name(in, turned(&turn, x, y));                                                                   \
    }
CASES(BY_HAND)

static void places_by_hand(const unsigned char *in, tw_float4 *out, struct turn turn)
{
    ROWS for (int y = 0; y < HEIGHT; ++y) for (int x = 0; x < WIDTH; ++x) out[y * WIDTH + x] =
        texel(in, WIDTH - 1 - x, HEIGHT - 1 - y) * (1 / 255.0f);
    (void)turn;
}

/* ---- comparing ------------------------------------------------------------------------------------------------------ */

static struct {
    tw_queue *queue;
    tw_image *image;
    tw_buffer *out;
    const unsigned char *pixels;
    tw_float4 *by_hand;
} data;

static void check(tw_status status)
{
    if (status == TW_SUCCESS)
        return;
    fprintf(stderr, "image_compare: %s: %s\n", tw_status_name(status), tw_error_detail());
    exit(1);
}

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, bytes);
    if (!memory)
        exit(1);
    return memory;
}

#define JOB(cg, turn_, sampler_)                                                                                       \
    .job = {.in = tw_read_image_2d(cg, data.image),                                                                    \
            .out = tw_discard_write(cg, data.out),                                                                     \
            .turn = turn_,                                                                                             \
            .sampler = sampler_}
#define RUN(name, kernel, ...)                                                                                         \
    static void run_##name(struct turn turn)                                                                           \
    {                                                                                                                  \
        tw_command_group *cg = tw_queue_begin(data.queue);                                                             \
        tw_image_require(cg, data.image, TW_RGBA, TW_UNORM_INT8);                                                      \
        tw_parallel_for(cg, tw_range_2d(HEIGHT, WIDTH), kernel, JOB(cg, turn, (__VA_ARGS__)));                         \
        check(tw_queue_submit(data.queue, cg, NULL));                                                                  \
        check(tw_queue_wait(data.queue));                                                                              \
    }
#define RUNS(name, words, filter, mode, normalized)                                                                    \
    RUN(name##_constant, name##_constant, tw_sampler_make(normalized, mode, filter))                                   \
    RUN(name##_images, name##_images, tw_sampler_make(normalized, mode, filter))                                       \
    RUN(name##_blocks, name##_blocks, tw_sampler_make(normalized, mode, filter))
CASES(RUNS)
RUN(places, places, tw_sampler_make(false, TW_ADDRESS_NONE, TW_FILTER_NEAREST))

typedef void by_hand_function(const unsigned char *in, tw_float4 *out, struct turn turn);
typedef void run_function(struct turn turn);

/* Coordinates and weights are rounded in another order: the largest difference of most pixels, and those on an edge of two. */
static bool alike(const char *words, int kind)
{
    tw_host_accessor *access = NULL;
    size_t off = 0;
    check(tw_host_access(data.out, TW_READ, &access));
    const tw_float4 *got = tw_host_accessor_const_data(access);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; ++i) {
        const tw_int4 wrong = tw_isgreater(tw_fabs(got[i] - data.by_hand[i]), (tw_float4)2e-4f);
        off += tw_any(wrong) != 0;
    }
    tw_host_accessor_release(&access);
    if (off > 20)
        fprintf(stderr, "%s, %d: %zu pixels are wrong\n", words, kind, off);
    return off <= 20;
}

static bool compare(const char *words, by_hand_function *by_hand, run_function *const runs[], int kinds,
                    bool normalized, int turns)
{
    const float angle = 0.35f;
    const struct turn turn = {cosf(angle),
                              sinf(angle),
                              0.5f * WIDTH,
                              0.5f * HEIGHT,
                              normalized ? 1.0f / WIDTH : 1.0f,
                              normalized ? 1.0f / HEIGHT : 1.0f};
    double best[KINDS + 1] = {1e30, 1e30, 1e30, 1e30};
    bool right = true;
    for (int i = 0; i < turns; ++i)
        for (int kind = 0; kind <= kinds; ++kind) {
            const double start = bench_now();
            if (kind == kinds)
                by_hand(data.pixels, data.by_hand, turn);
            else
                runs[kind](turn);
            const double taken = (bench_now() - start) * 1e9 / WIDTH / HEIGHT;
            best[kind] = taken < best[kind] ? taken : best[kind];
        }
    for (int kind = 0; kind < kinds; ++kind) {
        runs[kind](turn);
        right = alike(words, kind) && right;
    }
    printf("%-30s by hand %6.3f", words, best[kinds]);
    for (int kind = 0; kind < kinds; ++kind)
        printf("   %6.3f (%.2f)", best[kind], best[kind] / best[kinds]);
    printf("\n");
    return right;
}

int main(int count, char **arguments)
{
    const int turns = count > 1 && !strcmp(arguments[1], "--quick") ? 1 : TURNS;
    const size_t pixels = (size_t)WIDTH * HEIGHT;
    const tw_image_layout layout = {.order = TW_RGBA, .type = TW_UNORM_INT8, .size = tw_range_2d(HEIGHT, WIDTH)};
    unsigned char *bytes = allocate(pixels * 4);
    bool right = true;
    for (size_t i = 0; i < pixels * 4; ++i) /* smooth, so that a rounded coordinate changes little */
        bytes[i] = (unsigned char)(127.5
                                   + 127 * sin((double)(i / 4 % WIDTH) * 0.02 + (double)(i % 4))
                                         * cos((double)(i / 4 / WIDTH) * 0.03));
    data.pixels = bytes;
    data.by_hand = allocate(pixels * sizeof *data.by_hand);
    check(tw_queue_create(NULL, NULL, NULL, NULL, &data.queue));
    check(tw_image_create_over_const(bytes, layout, &data.image));
    check(tw_buffer_create(sizeof(tw_float4), tw_range_1d(pixels), &data.out));

    printf("%d x %d, nanoseconds a read: by hand, constant, image's format, block's sampler\n", WIDTH, HEIGHT);
    right = compare("no sampler", places_by_hand, (run_function *const[]){run_places}, 1, false, turns);
#define COMPARE(name, words, filter, mode, normalized)                                                                 \
    right = compare(words, name##_by_hand,                                                                             \
                    (run_function *const[]){run_##name##_constant, run_##name##_images, run_##name##_blocks}, KINDS,   \
                    normalized, turns)                                                                                 \
            && right;
    CASES(COMPARE)

    check(tw_buffer_destroy(&data.out));
    check(tw_image_destroy(&data.image));
    check(tw_queue_destroy(&data.queue));
    free(data.by_hand);
    free(bytes);
    return right ? 0 : 1;
}
