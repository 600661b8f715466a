/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copying host memory with several threads, through a stage of a few slots: all bytes arrive, and none beside them,
 * however many threads copy at once, however long the helpers have slept, and whatever rows the bytes lie in; parts are
 * asked for and told of in their order; and a copy that is given up ends. Needs the private header staged_copy.h.
 */
#include "tw_test.h"

#include <time.h>

#include "backends/gpu/staged_copy.h"

enum { COPYING = 6, ROUNDS = 12, SLICE = TW_STAGED_COPY_SLICE_BYTES, NEVER = -1 };

/* A copy through a stage, and what takes the place of the bus: it moves a part at once when it is told of one. */
struct trip {
    struct tw_staged_copy_job job;
    unsigned char *device;
    size_t parts, asked, told; /* parts that may be copied, and that are */
    unsigned refusals;         /* of the part that is asked for */
    long stops_at, fails_at;   /* the part that may not be copied, or is the last that is told of; or NEVER */
};

/* Between its slot and the device. Leaves nothing useful where it takes from. */
static void move_part(const struct trip *trip, size_t part)
{
    const struct tw_staged_copy_job *job = &trip->job;
    const size_t at = part * job->part_bytes, left = job->bytes - at;
    const size_t bytes = left < job->part_bytes ? left : job->part_bytes;
    unsigned char *slot = job->stage + part % job->slots * job->part_bytes;
    memcpy(job->to_stage ? trip->device + at : slot, job->to_stage ? slot : trip->device + at, bytes);
    memset(job->to_stage ? slot : trip->device + at, 0xee, bytes);
}

/* Refuses every part a few times, unless there is nothing else to do. */
static enum tw_staged_copy_answer may_copy(void *user, size_t part, bool nothing_else)
{
    struct trip *trip = user;
    TW_EQUAL(part, trip->asked);
    TW_CHECK(part < trip->told + trip->job.slots);
    TW_EQUAL(nothing_else, trip->asked == trip->told);
    if ((long)part == trip->stops_at)
        return TW_STAGED_COPY_NEVER;
    if (!nothing_else && ++trip->refusals < 3)
        return TW_STAGED_COPY_LATER;
    trip->refusals = 0;
    ++trip->asked;
    return TW_STAGED_COPY_NOW;
}

static bool copied(void *user, size_t part)
{
    struct trip *trip = user;
    TW_EQUAL(part, trip->told);
    TW_CHECK(part < trip->asked);
    ++trip->told;
    if ((long)part == trip->fails_at)
        return false;
    if (trip->job.to_stage)
        move_part(trip, part);
    else if (part + trip->job.slots < trip->parts)
        move_part(trip, part + trip->job.slots);
    return true;
}

/* Returns the place of a byte of the rows in the program's memory. */
static size_t place_of(const struct tw_staged_copy_job *job, size_t at)
{
    const size_t row = at / job->row_bytes;
    return row / job->rows * job->plane + row % job->rows * job->pitch + at % job->row_bytes;
}

/* Copies the bytes of the rows from `packed` to the program's memory, or looks at what is there. */
static bool places_hold(const struct trip *trip, unsigned char *memory, unsigned char *packed, bool sets)
{
    const struct tw_staged_copy_job *job = &trip->job;
    bool holds = true;
    for (size_t at = 0; at < job->bytes && holds; at += job->row_bytes) {
        const size_t left = job->bytes - at, bytes = left < job->row_bytes ? left : job->row_bytes;
        if (sets)
            memcpy(memory + place_of(job, at), packed + at, bytes);
        else
            holds = memcmp(memory + place_of(job, at), packed + at, bytes) == 0;
    }
    return holds;
}

/* Copies to a device or from there, and looks at all bytes, and at those around and between rows. Returns what
   tw_staged_copy_run() does. */
static bool travel(struct trip trip, size_t offset, unsigned char salt)
{
    struct tw_staged_copy_job *job = &trip.job;
    const size_t bytes = job->bytes, stage_bytes = job->slots * job->part_bytes;
    const size_t memory_bytes = offset + place_of(job, bytes - 1) + 2;
    unsigned char *expected = malloc(bytes), *memory = malloc(memory_bytes), *stage = malloc(stage_bytes + 1);
    trip.device = malloc(bytes);
    TW_CHECK(expected && memory && stage && trip.device);
    for (size_t i = 0; i < bytes; ++i)
        expected[i] = (unsigned char)(i / 251 + i + salt);
    memset(memory, 0x5a, memory_bytes);
    memset(stage, 0x33, stage_bytes + 1);
    memset(trip.device, 0x44, bytes);
    if (job->to_stage)
        (void)places_hold(&trip, memory + offset, expected, true);
    else
        memcpy(trip.device, expected, bytes);
    job->memory = memory + offset;
    job->stage = stage;
    job->may_copy = may_copy;
    job->copied = copied;
    job->user = &trip;
    trip.parts = (bytes + job->part_bytes - 1) / job->part_bytes;
    for (size_t part = 0; !job->to_stage && part < job->slots && part < trip.parts; ++part)
        move_part(&trip, part);
    const bool done = tw_staged_copy_run(job);
    if (done) {
        TW_EQUAL(trip.told, trip.parts);
        TW_CHECK(job->to_stage ? memcmp(trip.device, expected, bytes) == 0
                               : places_hold(&trip, job->memory, expected, false));
    }
    memset(expected, 0x5a, bytes);
    (void)places_hold(&trip, memory + offset, expected, true);
    size_t changed = 0;
    for (size_t i = 0; i < memory_bytes; ++i)
        changed += memory[i] != 0x5a;
    TW_EQUAL(changed, 0);
    TW_EQUAL(stage[stage_bytes], 0x33);
    free(expected);
    free(memory);
    free(stage);
    free(trip.device);
    return done;
}

static struct trip trip_of(size_t bytes, size_t part_bytes, unsigned slots, bool to_stage)
{
    return (struct trip){.job = {.bytes = bytes,
                                 .row_bytes = bytes,
                                 .rows = 1,
                                 .part_bytes = part_bytes,
                                 .slots = slots,
                                 .to_stage = to_stage},
                         .stops_at = NEVER,
                         .fails_at = NEVER};
}

static void copy_all_sizes(unsigned char salt)
{
    static const size_t sizes[] = {1, 4096, SLICE, 16 * SLICE, 16 * SLICE + 1, (1u << 20) - 1, (3u << 20) + 7};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        for (unsigned slots = 1; slots <= TW_STAGED_COPY_SLOTS; slots += slots + 1)
            for (unsigned to_stage = 0; to_stage < 2; ++to_stage)
                TW_CHECK(travel(trip_of(sizes[i], (1 + i % 3 * 3) * (size_t)SLICE, slots, to_stage), i, salt));
}

/* Rows with gaps between them, and planes: shorter than what a thread copies at a time, and longer than a part. */
static void copy_all_shapes(unsigned char salt)
{
    static const struct {
        size_t row_bytes, rows, planes, gap, plane_gap;
    } shapes[] = {{4, 1000, 70, 12, 0},         {4, 3, 30000, 4, 100},       {1, 200000, 1, 1, 0},
                  {24, 50, 100, 1, 7},          {1000, 33, 9, 0, 5},         {SLICE, 6, 5, 8, 8},
                  {SLICE - 1, 7, 3, 1, 0},      {3 * SLICE + 5, 2, 2, 9, 1}, {40 * SLICE + 1, 2, 1, 64, 0},
                  {SLICE / 2 + 1, 1, 20, 0, 77}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i)
        for (unsigned to_stage = 0; to_stage < 2; ++to_stage) {
            struct trip trip = trip_of(shapes[i].row_bytes * shapes[i].rows * shapes[i].planes,
                                       (1 + i % 4) * (size_t)SLICE, 1 + i % 3, to_stage);
            trip.job.row_bytes = shapes[i].row_bytes;
            trip.job.rows = shapes[i].rows;
            trip.job.pitch = shapes[i].row_bytes + shapes[i].gap;
            trip.job.plane = shapes[i].rows * trip.job.pitch + shapes[i].plane_gap;
            TW_CHECK(travel(trip, i, salt));
        }
}

TW_TEST(rows)
{
    for (unsigned helpers = 0; helpers < 4; helpers += 3) {
        tw_staged_copy_set_helpers(helpers);
        copy_all_shapes((unsigned char)helpers);
        tw_staged_copy_close();
    }
}

TW_TEST(alone)
{
    tw_staged_copy_set_helpers(0);
    copy_all_sizes(1);
    tw_staged_copy_close();
}

TW_TEST(with_helpers)
{
    for (unsigned helpers = 1; helpers < 30; helpers *= 3) {
        tw_staged_copy_set_helpers(helpers);
        copy_all_sizes((unsigned char)helpers);
        tw_staged_copy_close();
        tw_staged_copy_close();
    }
    for (unsigned to_stage = 0; to_stage < 2; ++to_stage)
        TW_CHECK(travel(trip_of((17u << 20) + 5, 64 * SLICE, 3, to_stage), 5, 7));
    tw_staged_copy_close();
}

/* Longer than helpers look for work. */
TW_TEST(after_a_rest)
{
    tw_staged_copy_set_helpers(3);
    for (int round = 0; round < ROUNDS; ++round) {
        TW_CHECK(travel(trip_of((2u << 20) + 1, 4 * SLICE, 3, round % 3 == 0), 3, (unsigned char)round));
        nanosleep(&(struct timespec){.tv_nsec = round % 2 ? 2000000 : 200000}, NULL);
    }
    tw_staged_copy_close();
}

/* And the next one is right. */
TW_TEST(given_up)
{
    tw_staged_copy_set_helpers(3);
    for (long part = 0; part < 16; part += 5)
        for (unsigned to_stage = 0; to_stage < 2; ++to_stage) {
            struct trip trip = trip_of(16 * 4 * SLICE, 4 * SLICE, 3, to_stage);
            trip.stops_at = part;
            TW_CHECK(!travel(trip, 0, 1));
            trip.stops_at = NEVER;
            trip.fails_at = part;
            TW_CHECK(!travel(trip, 0, 2));
            trip.fails_at = NEVER;
            TW_CHECK(travel(trip, 0, 3));
        }
    tw_staged_copy_close();
}

static void *copy_often(void *argument)
{
    const unsigned char salt = *(unsigned char *)argument;
    for (int round = 0; round < ROUNDS; ++round)
        TW_CHECK(travel(trip_of((1u << 20) + (size_t)round, 3 * SLICE, 1 + salt % 4, (round + salt) % 2), 1, salt));
    return NULL;
}

/* More than helpers look after. */
TW_TEST(several_at_once)
{
    pthread_t threads[COPYING];
    unsigned char salts[COPYING];
    tw_staged_copy_set_helpers(2);
    for (unsigned i = 0; i < COPYING; ++i) {
        salts[i] = (unsigned char)(17 * i);
        TW_CHECK(pthread_create(&threads[i], NULL, copy_often, &salts[i]) == 0);
    }
    for (unsigned i = 0; i < COPYING; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    tw_staged_copy_close();
}

TW_TEST_LIST = {TW_CASE(alone),           TW_CASE(with_helpers), TW_CASE(after_a_rest), TW_CASE(given_up),
                TW_CASE(several_at_once), TW_CASE(rows),         TW_CASES_END};
