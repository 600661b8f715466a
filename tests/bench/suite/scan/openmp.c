/* SPDX-License-Identifier: Apache-2.0 */
/* Prefix sums in OpenMP. */
#include "../arrays_openmp.h"
#include "scan.h"

enum { BLOCK = SCAN_BLOCK };

#ifdef SUITE_TARGET

/* A team scans a block by a tree of sums in its memory; the last block has fewer numbers, or as many. Where there are
   `sums`, they get the block's. */
static void SUITE_NAME(scan_tree)(const uint32_t *in, uint32_t *out, uint32_t *sums, size_t count)
{
    const size_t blocks = (count + BLOCK - 1) / BLOCK;
#pragma omp target teams distribute num_teams(blocks) thread_limit(BLOCK / 2) device(suite_openmp_device)              \
    is_device_ptr(in, out, sums)
    for (size_t b = 0; b < blocks; ++b) {
        uint32_t tree[BLOCK] __attribute__((aligned(16)));
        SUITE_TEAM_MEMORY(tree)
        const size_t first = b * BLOCK;
        const unsigned here = count - first < BLOCK ? (unsigned)(count - first) : BLOCK;
#pragma omp parallel num_threads(BLOCK / 2)
        {
#pragma omp for
            for (unsigned i = 0; i < BLOCK; ++i)
                tree[i] = i < here ? in[first + i] : 0;
            for (unsigned pairs = BLOCK / 2, stride = 1; pairs > 0; pairs /= 2, stride *= 2) {
#pragma omp for
                for (unsigned i = 0; i < pairs; ++i)
                    tree[(2 * i + 2) * stride - 1] += tree[(2 * i + 1) * stride - 1];
            }
#pragma omp single
            {
                if (sums)
                    sums[b] = tree[BLOCK - 1];
                tree[BLOCK - 1] = 0;
            }
            for (unsigned pairs = 1, stride = BLOCK / 2; pairs < BLOCK; pairs *= 2, stride /= 2) {
#pragma omp for
                for (unsigned i = 0; i < pairs; ++i) {
                    const uint32_t left = tree[(2 * i + 1) * stride - 1];
                    tree[(2 * i + 1) * stride - 1] = tree[(2 * i + 2) * stride - 1];
                    tree[(2 * i + 2) * stride - 1] += left;
                }
            }
#pragma omp for nowait
            for (unsigned i = 0; i < here; ++i)
                out[first + i] = tree[i] + in[first + i];
        }
    }
}

static void SUITE_NAME(scan_add)(uint32_t *out, const uint32_t *sums, size_t count)
{
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(out, sums)
    for (size_t i = BLOCK; i < count; ++i)
        out[i] += sums[i / BLOCK - 1];
}

static bool SUITE_NAME(scan_blocks)(void *state)
{
    const struct suite_openmp *s = state;
    SUITE_NAME(scan_tree)(s->at[SCAN_IN], s->at[SCAN_OUT], NULL, ((const struct scan *)s->problem)->count);
    return true;
}

/* The sums of the blocks are scanned in the same way, and with them those of the blocks of these: 2^30 numbers at
   most. */
static bool SUITE_NAME(scan_whole)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t count = ((const struct scan *)s->problem)->count, blocks = (count + BLOCK - 1) / BLOCK;
    const size_t blocks_of_sums = (blocks + BLOCK - 1) / BLOCK;
    uint32_t *out = s->at[SCAN_OUT], *sums = s->at[SCAN_SUMS], *sums_of_sums = sums + blocks;
    SUITE_NAME(scan_tree)(s->at[SCAN_IN], out, sums, count);
    SUITE_NAME(scan_tree)(sums, sums, sums_of_sums, blocks);
    if (blocks_of_sums > 1) {
        SUITE_NAME(scan_tree)(sums_of_sums, sums_of_sums, NULL, blocks_of_sums);
        SUITE_NAME(scan_add)(sums, sums_of_sums, blocks);
    }
    SUITE_NAME(scan_add)(out, sums, count);
    return true;
}

#else

static bool SUITE_NAME(scan_blocks)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t count = ((const struct scan *)s->problem)->count;
    const uint32_t *in = s->at[SCAN_IN];
    uint32_t *out = s->at[SCAN_OUT];
#pragma omp parallel for schedule(static) firstprivate(in, out)
    for (size_t first = 0; first < count; first += BLOCK) {
        uint32_t sum = 0;
        for (size_t i = first; i < first + BLOCK; ++i)
            out[i] = sum += in[i];
    }
    return true;
}

/* Each thread sums up its part, and then scans it with the sums of those before it. */
static bool SUITE_NAME(scan_whole)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t count = ((const struct scan *)s->problem)->count;
    const uint32_t *in = s->at[SCAN_IN];
    uint32_t *out = s->at[SCAN_OUT], *sums = s->at[SCAN_SUMS];
#pragma omp parallel firstprivate(in, out, sums, count)
    {
        size_t first, past;
        uint32_t sum = suite_openmp_sum_before(in, sums, count, &first, &past);
        for (size_t i = first; i < past; ++i)
            out[i] = sum += in[i];
    }
    return true;
}

#endif

#ifdef SUITE_TARGET
static const struct suite_version of_blocks[] = {SUITE_OPENMP_VERSION("tree", SUITE_NAME(scan_blocks))};
#else
static const struct suite_version of_blocks[] = {SUITE_OPENMP_VERSION("rows", SUITE_NAME(scan_blocks))};
#endif
static const struct suite_version of_whole[] = {SUITE_OPENMP_VERSION("parts", SUITE_NAME(scan_whole))};
const struct suite_versions SUITE_OPENMP_VERSIONS(scan_blocks) = SUITE_VERSIONS(of_blocks);
const struct suite_versions SUITE_OPENMP_VERSIONS(scan_whole) = SUITE_VERSIONS(of_whole);
