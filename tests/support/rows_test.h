/* SPDX-License-Identifier: Apache-2.0 */
/** Random copies and fills of rows, compared with loops over bytes, for tests of what runs them. */
#ifndef ROWS_TEST_H
#define ROWS_TEST_H

#include "tw_test.h"

#include "rows.h"

enum { ROUNDS = 200, ALLOCATED = 1 << 20, GAP = 40, MOST_PATTERN = 40 };

static uint64_t state = 88172645463325252u;

/* Returns a number from `least` to `most`. */
static size_t any(size_t least, size_t most)
{
    return least + tw_test_random(&state, (unsigned)(most - least + 1));
}

/* A side of a copy: memory of a device, or of the host, with what is expected there. */
struct side {
    struct tw_backend_device *device;
    unsigned char *memory;
    unsigned char expected[ALLOCATED];
};

static void transfer(const struct tw_backend *backend, struct side *side, void *host, bool to_device)
{
    const struct tw_backend_copy copy = to_device
                                            ? tw_backend_copy_of(side->device, side->memory, NULL, host, ALLOCATED)
                                            : tw_backend_copy_of(NULL, host, side->device, side->memory, ALLOCATED);
    if (side->device)
        TW_PASS(backend->memory->copy(&copy));
    else
        memcpy(to_device ? side->memory : host, to_device ? host : side->memory, ALLOCATED);
}

static void open_side(const struct tw_backend *backend, struct tw_backend_device *device, struct side *side)
{
    side->device = device;
    side->memory = device ? backend->memory->allocate(device, ALLOCATED) : malloc(ALLOCATED);
    TW_CHECK(side->memory);
    for (size_t i = 0; i < ALLOCATED; ++i)
        side->expected[i] = (unsigned char)any(0, 255);
    transfer(backend, side, side->expected, true);
}

static void check_side(const struct tw_backend *backend, struct side *side)
{
    static unsigned char found[ALLOCATED];
    transfer(backend, side, found, false);
    TW_CHECK(memcmp(found, side->expected, ALLOCATED) == 0);
}

static void close_side(const struct tw_backend *backend, struct side *side)
{
    if (side->device)
        backend->memory->free(side->device, side->memory);
    else
        free(side->memory);
}

/* Chooses a pitch: often there is no gap between rows, or planes. */
static size_t any_pitch(size_t bytes, size_t unit)
{
    return bytes + (any(0, 1) ? any(0, GAP / unit) * unit : 0);
}

static struct tw_backend_copy any_copy(struct side *to, struct side *from, size_t *target, size_t *source)
{
    static const size_t lengths[] = {1, 4, 8, 16};
    struct tw_backend_copy copy = {.to = to->device, .from = from->device};
    copy.row_bytes = any(0, 2) ? any(0, any(0, 7) ? 200 : 20000) : lengths[any(0, 3)];
    copy.rows = any(1, 8);
    copy.planes = any(1, 6);
    copy.target_pitch = copy.rows > 1 ? any_pitch(copy.row_bytes, 1) : any(0, 1000);
    copy.source_pitch = copy.rows > 1 ? any_pitch(copy.row_bytes, 1) : any(0, 1000);
    copy.target_plane = any_pitch(copy.rows > 1 ? copy.rows * copy.target_pitch : copy.row_bytes, 1);
    copy.source_plane = any_pitch(copy.rows > 1 ? copy.rows * copy.source_pitch : copy.row_bytes, 1);
    const size_t target_bytes = copy.planes * (copy.target_plane + GAP),
                 source_bytes = copy.planes * (copy.source_plane + GAP);
    *target = any(0, ALLOCATED - target_bytes);
    *source = any(0, ALLOCATED - source_bytes);
    copy.target = to->memory + *target;
    copy.source = from->memory + *source;
    if (copy.planes == 1)
        copy.target_plane = copy.source_plane = any(0, 1000);
    return copy;
}

static void expect_copy(const struct tw_backend_copy *copy, struct side *to, struct side *from, size_t target,
                        size_t source)
{
    for (size_t z = 0; z < copy->planes; ++z)
        for (size_t y = 0; y < copy->rows; ++y)
            for (size_t x = 0; x < copy->row_bytes; ++x)
                to->expected[target + (z ? z * copy->target_plane : 0) + (y ? y * copy->target_pitch : 0) + x] =
                    from->expected[source + (z ? z * copy->source_plane : 0) + (y ? y * copy->source_pitch : 0) + x];
}

static struct tw_backend_fill any_fill(struct side *side, unsigned char pattern[MOST_PATTERN], size_t *target)
{
    struct tw_backend_fill fill = {.pattern = pattern, .pattern_bytes = any(1, MOST_PATTERN)};
    const size_t period = any(1, fill.pattern_bytes); /* it may repeat */
    for (size_t i = 0; i < MOST_PATTERN; ++i)
        pattern[i] = i < period ? (unsigned char)any(0, 255) : pattern[i - period];
    fill.row_bytes = any(0, 20) * fill.pattern_bytes;
    fill.rows = any(1, 6);
    fill.planes = any(1, 5);
    fill.pitch = fill.rows > 1 ? any_pitch(fill.row_bytes, 1) : any(0, 1000);
    fill.plane = any_pitch(fill.rows > 1 ? fill.rows * fill.pitch : fill.row_bytes, 1);
    *target = any(0, ALLOCATED - fill.planes * (fill.plane + GAP));
    fill.target = side->memory + *target;
    return fill;
}

static void expect_fill(const struct tw_backend_fill *fill, struct side *side, size_t target)
{
    const unsigned char *pattern = fill->pattern;
    for (size_t z = 0; z < fill->planes; ++z)
        for (size_t y = 0; y < fill->rows; ++y)
            for (size_t x = 0; x < fill->row_bytes; ++x)
                side->expected[target + (z ? z * fill->plane : 0) + (y ? y * fill->pitch : 0) + x] =
                    pattern[x % fill->pattern_bytes];
}

/* Run a copy, or a fill of memory of a device, and wait for it. */
typedef void copy_runner(const struct tw_backend *backend, const struct tw_backend_copy *copy);
typedef void fill_runner(const struct tw_backend *backend, struct tw_backend_device *device,
                         const struct tw_backend_fill *fill);

static void copy_boxes(const struct tw_backend *backend, copy_runner *run, struct tw_backend_device *target_device,
                       struct tw_backend_device *source_device)
{
    static struct side to, from;
    open_side(backend, target_device, &to);
    open_side(backend, source_device, &from);
    for (int round = 0; round < ROUNDS; ++round) {
        size_t target, source;
        const struct tw_backend_copy copy = any_copy(&to, &from, &target, &source);
        run(backend, &copy);
        expect_copy(&copy, &to, &from, target, source);
        if (round % 20 == 19)
            check_side(backend, &to);
    }
    check_side(backend, &to);
    check_side(backend, &from);
    close_side(backend, &to);
    close_side(backend, &from);
}

static void fill_boxes(const struct tw_backend *backend, fill_runner *run, struct tw_backend_device *device)
{
    static struct side side;
    unsigned char pattern[MOST_PATTERN];
    open_side(backend, device, &side);
    for (int round = 0; round < ROUNDS; ++round) {
        size_t target;
        const struct tw_backend_fill fill = any_fill(&side, pattern, &target);
        run(backend, device, &fill);
        expect_fill(&fill, &side, target);
        if (round % 20 == 19)
            check_side(backend, &side);
    }
    check_side(backend, &side);
    close_side(backend, &side);
}

#endif
