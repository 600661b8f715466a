/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of an RGBA image of bytes on the host against loops written by hand. Every pixel of the result is one read, at
 * coordinates that are turned by an angle, into an array of float4. By hand the same is done with the same conversion
 * of bytes, the same clamping and the same OpenMP directives.
 *
 *     constants         format (tw_image_as()) and sampler are constants in the kernel
 *     image's format    the format is what the image says, the sampler a constant
 *     block's sampler   the format is a constant, the sampler comes in the argument block
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/image.h>
#include <teamwork/math.h>
#include <teamwork/vector.h>

#include "../harness/bench_teamwork.h"
#include "micro.h"

enum { WIDTH = 512, HEIGHT = 384 };

/* The way from a pixel of the result to coordinates; `scale` makes them normalized. */
struct turn {
    float cosine, sine, middle_x, middle_y, scale_x, scale_y;
};

struct block {
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

/* ---- Teamwork ---------------------------------------------------------------------------------------------------- */

#define RGBA8(image) tw_image_as(image, TW_RGBA, TW_UNORM_INT8)
#define IMAGES_OWN(image) (image)

#define KERNEL(name, FORMAT, SAMPLER)                                                                                  \
    struct name {                                                                                                      \
        struct block block;                                                                                            \
    };                                                                                                                 \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);                                      \
        k->block.out[y * WIDTH + x] = tw_read_imagef(FORMAT(k->block.in), SAMPLER, turned(&k->block.turn, x, y));      \
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
    KERNEL(name##_blocks, RGBA8, k->block.sampler)
CASES(KERNELS)

/* Reads without a sampler, at whole coordinates: mirrored, so that it is no copy. */
struct places {
    struct block block;
};
static inline void places(tw_item item, const struct places *k)
{
    const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);
    k->block.out[y * WIDTH + x] = tw_read_imagef(RGBA8(k->block.in), (tw_int2){WIDTH - 1 - x, HEIGHT - 1 - y});
}
TW_RANGE_KERNEL(places, 2);

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

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

/* ---- what all samples of an entry share -------------------------------------------------------------------------- */

struct state {
    tw_image *image;
    tw_buffer *out;
    unsigned char *pixels;
    tw_float4 *by_hand;
};

static struct turn turn_of(bool normalized)
{
    const float angle = 0.35f;
    return (struct turn){cosf(angle),
                         sinf(angle),
                         0.5f * WIDTH,
                         0.5f * HEIGHT,
                         normalized ? 1.0f / WIDTH : 1.0f,
                         normalized ? 1.0f / HEIGHT : 1.0f};
}

typedef bool run_function(const struct state *s);

#define BLOCK(cg, s, turn_, sampler_)                                                                                  \
    .block = {.in = tw_read_image_2d(cg, (s)->image),                                                                  \
              .out = tw_discard_write(cg, (s)->out),                                                                   \
              .turn = turn_,                                                                                           \
              .sampler = sampler_}
#define RUN(name, normalized, ...)                                                                                     \
    static bool run_##name(const struct state *s)                                                                      \
    {                                                                                                                  \
        tw_command_group *cg = tw_queue_begin(bench_queue());                                                          \
        tw_image_require(cg, s->image, TW_RGBA, TW_UNORM_INT8);                                                        \
        tw_parallel_for(cg, tw_range_2d(HEIGHT, WIDTH), name, BLOCK(cg, s, turn_of(normalized), (__VA_ARGS__)));       \
        return bench_passed(tw_queue_submit(bench_queue(), cg, NULL)) && bench_passed(tw_queue_wait(bench_queue()));   \
    }
#define RUNS(name, words, filter, mode, normalized)                                                                    \
    RUN(name##_constant, normalized, tw_sampler_make(normalized, mode, filter))                                        \
    RUN(name##_images, normalized, tw_sampler_make(normalized, mode, filter))                                          \
    RUN(name##_blocks, normalized, tw_sampler_make(normalized, mode, filter))
CASES(RUNS)
RUN(places, false, tw_sampler_make(false, TW_ADDRESS_NONE, TW_FILTER_NEAREST))

/* Ways to read: micro_job.image is an index. */
enum { CONSTANTS, IMAGES_FORMAT, BLOCKS_SAMPLER, KINDS };

static const struct {
    const char *words;
    void (*by_hand)(const unsigned char *in, tw_float4 *out, struct turn turn);
    bool normalized;
    run_function *runs[KINDS];
} cases[] = {{"mirrored", places_by_hand, false, {run_places, NULL, NULL}}, /* without a sampler: MICRO_PIXEL */
#define LISTED(name, words, filter, mode, normalized)                                                                  \
    {words, name##_by_hand, normalized, {run_##name##_constant, run_##name##_images, run_##name##_blocks}},
             CASES(LISTED)
#undef LISTED
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

static void free_state(struct state *s)
{
    bench_passed(tw_buffer_destroy(&s->out));
    bench_passed(tw_image_destroy(&s->image));
    free(s->pixels);
    free(s->by_hand);
    free(s);
}

/* Smooth, so that a rounded coordinate changes little. */
static unsigned char pixel(size_t i)
{
    const double wave = sin((double)(i / 4 % WIDTH) * 0.02 + (double)(i % 4)) * cos((double)(i / 4 / WIDTH) * 0.03);
    return (unsigned char)(127.5 + 127 * wave);
}

static bool prepare(struct micro_job *job)
{
    const tw_image_layout layout = {.order = TW_RGBA, .type = TW_UNORM_INT8, .size = tw_range_2d(HEIGHT, WIDTH)};
    struct state *s = job->state = calloc(1, sizeof *s);
    if (!s)
        return false;
    s->pixels = aligned_alloc(64, job->count * 4);
    s->by_hand = aligned_alloc(64, job->count * sizeof *s->by_hand);
    if (!s->pixels || !s->by_hand)
        return false;
    for (size_t i = 0; i < job->count * 4; ++i)
        s->pixels[i] = pixel(i);
    return bench_passed(tw_image_create_over_const(s->pixels, layout, &s->image))
           && bench_passed(tw_buffer_create(sizeof(tw_float4), tw_range_1d(job->count), &s->out));
}

static void read_by_hand(const struct micro_job *job)
{
    const struct state *s = job->state;
    cases[job->image].by_hand(s->pixels, s->by_hand, turn_of(cases[job->image].normalized));
}

/* Coordinates and weights are rounded in another order: the largest difference of most pixels, and those on an edge of
   two. */
static bool alike(const struct state *s, size_t count)
{
    tw_host_accessor *access = NULL;
    size_t off = 0;
    if (!bench_passed(tw_host_access(s->out, TW_READ, &access)))
        return false;
    const tw_float4 *got = tw_host_accessor_const_data(access);
    for (size_t i = 0; i < count; ++i) {
        const tw_int4 wrong = tw_isgreater(tw_fabs(got[i] - s->by_hand[i]), (tw_float4)2e-4f);
        off += tw_any(wrong) != 0;
    }
    tw_host_accessor_release(&access);
    if (off > 20)
        fprintf(stderr, "%zu pixels are wrong\n", off);
    return off <= 20;
}

static bool finish(struct micro_job *job)
{
    struct state *s = job->state;
    if (!s)
        return false;
    bool right = s->out != NULL;
    if (right) {
        read_by_hand(job);
        right = alike(s, job->count);
    }
    free_state(s);
    return right;
}

/* By hand nothing is compared: it is what the others are compared with. */
static bool finish_by_hand(struct micro_job *job)
{
    if (job->state)
        free_state(job->state);
    return job->state != NULL;
}

static bool sample_by_hand(const struct micro_job *job, double *value)
{
    const double start = bench_now();
    read_by_hand(job);
    *value = (bench_now() - start) * 1e9 / (double)job->count;
    return true;
}

static bool sample(const struct micro_job *job, int kind, double *value)
{
    const double start = bench_now();
    const bool done = cases[job->image].runs[kind](job->state);
    *value = (bench_now() - start) * 1e9 / (double)job->count;
    return done;
}

static bool sample_constants(const struct micro_job *job, double *value)
{
    return sample(job, CONSTANTS, value);
}

static bool sample_images(const struct micro_job *job, double *value)
{
    return sample(job, IMAGES_FORMAT, value);
}

static bool sample_blocks(const struct micro_job *job, double *value)
{
    return sample(job, BLOCKS_SAMPLER, value);
}

static const struct micro_entry entries[] = {
    {MICRO_PIXEL, "Teamwork", "", 0, prepare, sample_constants, finish, false},
    {MICRO_PIXEL, "OpenMP", "by hand", 0, prepare, sample_by_hand, finish_by_hand, false},
    {MICRO_IMAGE, "Teamwork", "constants", 0, prepare, sample_constants, finish, false},
    {MICRO_IMAGE, "Teamwork", "image's format", 0, prepare, sample_images, finish, false},
    {MICRO_IMAGE, "Teamwork", "block's sampler", 0, prepare, sample_blocks, finish, false},
    {MICRO_IMAGE, "OpenMP", "by hand", 0, prepare, sample_by_hand, finish_by_hand, false},
};
const struct micro_entries micro_images = {entries, sizeof entries / sizeof entries[0], bench_on_host};

bool micro_run_images(void)
{
    bool right = true;
    for (unsigned i = 0; i < CASE_COUNT; ++i) {
        const struct micro_job job = {.count = (size_t)WIDTH * HEIGHT, .image = i};
        right = micro_measure(i ? MICRO_IMAGE : MICRO_PIXEL, cases[i].words, &job) && right;
    }
    return right;
}
