/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram of a file's bytes, or of pseudo-random ones (histogram.h), checked against a count one after the other.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "problem.h"

enum form { PHASES, GROUP_PHASES, LANES, REDUCTION };

struct counts {
    const struct setting *setting;
    tw_buffer *bytes, *bins;
    struct histogram histogram;
    void *memory[PROBLEM_MAX_SIDES];
    size_t count;
    unsigned expected[HISTOGRAM_BINS], counted[HISTOGRAM_BINS];
};

static bool reset(void *data, const struct contender *contender)
{
    struct counts *counts = data;
    (void)contender;
    memset(counts->counted, 0xa5, sizeof counts->counted);
    return true;
}

/* With the counts at hand: on a GPU they have to come back from there. */
static bool run(void *data, const struct contender *contender)
{
    struct counts *counts = data;
    if (contender->side != TEAMWORK)
        return counts->setting->sides[contender->side]->histogram(counts->memory[contender->side], counts->count,
                                                                  counts->counted);
    static tw_status (*const submit[])(const struct histogram *) = {
        histogram_submit_phases, histogram_submit_group_phases, histogram_submit_lanes, histogram_submit_reduction};
    return problem_passed(submit[contender->form](&counts->histogram), contender->label)
           && problem_read(counts->bins, counts->counted);
}

static bool check(void *data, const struct contender *contender)
{
    const struct counts *counts = data;
    (void)contender;
    return memcmp(counts->counted, counts->expected, sizeof counts->counted) == 0;
}

static void destroy(void *data)
{
    struct counts *counts = data;
    if (!counts)
        return;
    histogram_destroy(&counts->histogram);
    tw_buffer_destroy(&counts->bytes);
    tw_buffer_destroy(&counts->bins);
    for (int side = 0; side < counts->setting->side_count; ++side)
        counts->setting->sides[side]->release(counts->memory[side]);
    free(counts);
}

static unsigned char *random_bytes(size_t count)
{
    unsigned char *bytes = malloc(count);
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; bytes && i < count; ++i)
        bytes[i] = (unsigned char)(problem_random(&random) >> 40);
    if (!bytes)
        problem_fail("histogram", "no memory");
    return bytes;
}

/* The bytes of a file, in memory to be freed. NULL, after a line on stderr, if it cannot be read or is empty. */
static unsigned char *file_bytes(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    size_t room = (size_t)1 << 20;
    *count = 0;
    while (file && !feof(file) && !ferror(file)) {
        unsigned char *more = *count < room && bytes ? bytes : realloc(bytes, bytes ? room *= 2 : room);
        if (!more) {
            problem_fail(path, "no memory");
            free(bytes);
            fclose(file);
            return NULL;
        }
        bytes = more;
        *count += fread(bytes + *count, 1, room - *count, file);
    }
    const bool well = file && !ferror(file);
    if (!well)
        problem_fail(path, strerror(errno));
    else if (*count == 0 || *count > 4000000000u)
        problem_fail(path, *count ? "larger than 4 GB" : "the file is empty");
    if (file)
        fclose(file);
    if (well && *count > 0 && *count <= 4000000000u)
        return bytes;
    free(bytes);
    return NULL;
}

static bool fill(struct counts *counts)
{
    const struct setting *setting = counts->setting;
    /* small: not a multiple of anything. On a GPU, 2^24 bytes take no longer than a launch. */
    counts->count = setting->small ? 1000003 : (size_t)1 << (setting->gpu ? 28 : 24);
    unsigned char *bytes = setting->file ? file_bytes(setting->file, &counts->count) : random_bytes(counts->count);
    if (!bytes)
        return false;
    for (size_t i = 0; i < counts->count; ++i)
        ++counts->expected[bytes[i]];

    counts->bytes = problem_buffer(bytes, 1, counts->count);
    counts->bins = problem_buffer(NULL, sizeof(unsigned), HISTOGRAM_BINS);
    bool well = counts->bytes && counts->bins
                && problem_passed(
                    histogram_create(&counts->histogram, setting->queue, counts->bytes, counts->count, counts->bins),
                    "histogram");
    for (int side = 0; well && side < setting->side_count; ++side) {
        counts->memory[side] = problem_memory(setting->sides[side], bytes, counts->count);
        well = counts->memory[side] != NULL;
    }
    free(bytes);
    return well;
}

bool problem_histogram(struct problem *problem, const struct setting *setting)
{
    struct counts *counts = calloc(1, sizeof *counts);
    *problem = (struct problem){
        .unit = "GB/s", .data = counts, .reset = reset, .run = run, .check = check, .destroy = destroy};
    if (!counts)
        return problem_fail("histogram", "no memory");
    counts->setting = setting;
    if (!fill(counts))
        return false;
    snprintf(problem->title, sizeof problem->title, "Histogram of %zu %s", counts->count,
             setting->file ? "bytes of a file" : "random bytes");
    problem->work = 1e-9 * (double)counts->count;
    problem_add(problem, "nd_range, three phases", TEAMWORK, PHASES);
    problem_add(problem, "hierarchical, three phases", TEAMWORK, GROUP_PHASES);
    problem_add(problem, "nd_range, counts for each lane", TEAMWORK, LANES);
    problem_add(problem, "reduction into an array", TEAMWORK, REDUCTION);
    problem_add_openmp(problem, setting, 0);
    return true;
}
