/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms in OpenMP. */
#include "../arrays_openmp.h"
#include "histogram.h"

enum { BINS = HISTOGRAM_VALUES };

#ifdef SUITE_TARGET

/* Each team counts its part of the bytes in its memory, 16 at a time, and adds what it has to the bins of all. */
static bool SUITE_NAME(histogram)(void *state)
{
    enum { THREADS = HISTOGRAM_GROUP, TEAMS = 132 * 8, PACK = 16 }; /* what a large GPU holds */
    struct pack {
        uint32_t at[4];
    } __attribute__((aligned(16)));
    const struct suite_openmp *s = state;
    const size_t count = ((const struct histogram_problem *)s->problem)->count;
    const size_t packs = (count + PACK - 1) / PACK, each = (packs + TEAMS - 1) / TEAMS * PACK;
    const unsigned char *bytes = s->at[HISTOGRAM_BYTES];
    uint32_t *bins = s->at[HISTOGRAM_COUNTS];
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(bins)
    for (unsigned bin = 0; bin < BINS; ++bin)
        bins[bin] = 0;
#pragma omp target teams distribute num_teams(TEAMS) thread_limit(THREADS) device(suite_openmp_device)                 \
    is_device_ptr(bytes, bins)
    for (unsigned team = 0; team < TEAMS; ++team) {
        uint32_t counts[BINS];
        SUITE_TEAM_MEMORY(counts)
        const size_t first = team * each < count ? team * each : count;
        const size_t past = count - first < each ? count : first + each, whole = (past - first) / PACK;
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp for
            for (unsigned bin = 0; bin < BINS; ++bin)
                counts[bin] = 0;
#pragma omp for nowait
            for (size_t p = 0; p < whole; ++p) {
                const struct pack pack = ((const struct pack *)(const void *)(bytes + first))[p];
                for (unsigned i = 0; i < PACK; ++i) {
                    const unsigned byte = pack.at[i / 4] >> 8 * (i % 4) & 255;
#pragma omp atomic
                    ++counts[byte];
                }
            }
#pragma omp for
            for (size_t i = first + whole * PACK; i < past; ++i) {
#pragma omp atomic
                ++counts[bytes[i]];
            }
#pragma omp for nowait
            for (unsigned bin = 0; bin < BINS; ++bin) {
#pragma omp atomic
                bins[bin] += counts[bin];
            }
        }
    }
    return true;
}

#else

/* Counts that take turns: bytes in a row that are the same do not wait for each other's count. */
enum { TURNS = 4 };

static void count_bytes(const unsigned char *bytes, size_t count, uint32_t counts[TURNS][BINS])
{
    size_t i = 0;
    for (; i + sizeof(uint64_t) <= count; i += sizeof(uint64_t)) {
        uint64_t eight;
        memcpy(&eight, bytes + i, sizeof eight);
        for (unsigned b = 0; b < sizeof eight; ++b)
            ++counts[b % TURNS][eight >> 8 * b & 255];
    }
    for (; i < count; ++i)
        ++counts[0][bytes[i]];
}

/* Each thread has counts of its own. */
static bool SUITE_NAME(histogram)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t count = ((const struct histogram_problem *)s->problem)->count;
    const unsigned char *bytes = s->at[HISTOGRAM_BYTES];
    uint32_t *bins = s->at[HISTOGRAM_COUNTS];
    memset(bins, 0, BINS * sizeof *bins);
#pragma omp parallel firstprivate(bytes, count)
    {
        uint32_t counts[TURNS][BINS] = {{0}};
        const size_t threads = (size_t)omp_get_num_threads(), thread = (size_t)omp_get_thread_num();
        const size_t first = count * thread / threads, past = count * (thread + 1) / threads;
        count_bytes(bytes + first, past - first, counts);
#pragma omp critical
        for (unsigned bin = 0; bin < BINS; ++bin)
            for (unsigned turn = 0; turn < TURNS; ++turn)
                bins[bin] += counts[turn][bin];
    }
    return true;
}

#endif

static const struct suite_version versions[] = {SUITE_OPENMP_VERSION("phases", SUITE_NAME(histogram))};
const struct suite_versions SUITE_OPENMP_VERSIONS(histogram) = SUITE_VERSIONS(versions);
const struct suite_versions SUITE_OPENMP_VERSIONS(histogram_of_one) = SUITE_VERSIONS(versions);
