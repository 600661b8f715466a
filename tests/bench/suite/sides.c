/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs, the sides that this executable has, and their devices. CMake defines
 *     SUITE_HAVE_HOST     OpenMP on the host
 *     SUITE_HAVE_TARGET   OpenMP in target regions, with plain flags
 *     SUITE_HAVE_TUNED    the same with the best flags
 *     SUITE_HAVE_CUDA
 * and SUITE_DEVICES, the value of TW_DEVICES where the environment has none.
 */
#include <omp.h>

#include "run.h"

/* The programs in the order in which they run; those of check.c, for an executable that is built in no time. */
#ifdef SUITE_CHECK_ONLY
#define SUITE_PROGRAMS(X) X(stream_triad) X(stream_dot) X(peak) X(life) X(transpose)
#else
#define SUITE_PROGRAMS(X)                                                                                              \
    X(stream_copy)                                                                                                     \
    X(stream_mul)                                                                                                      \
    X(stream_add)                                                                                                      \
    X(stream_triad)                                                                                                    \
    X(stream_dot)                                                                                                      \
    X(peak)                                                                                                            \
    X(life)                                                                                                            \
    X(transpose)                                                                                                       \
    X(reduction)                                                                                                       \
    X(histogram)                                                                                                       \
    X(histogram_of_one)                                                                                                \
    X(matmul_flat)                                                                                                     \
    X(matmul)                                                                                                          \
    X(group_sum)                                                                                                       \
    X(tree_sum)                                                                                                        \
    X(clamped_mask)                                                                                                    \
    X(any_mask)                                                                                                        \
    X(life_any)                                                                                                        \
    X(periodic)                                                                                                        \
    X(helper)                                                                                                          \
    X(strided)                                                                                                         \
    X(pairs)                                                                                                           \
    X(paths)                                                                                                           \
    X(lines)                                                                                                           \
    X(sum_levels)                                                                                                      \
    X(scan_levels)
#endif

#define DECLARE(name)                                                                                                  \
    extern const struct suite_program suite_##name;                                                                    \
    extern const struct suite_versions suite_##name##_teamwork, suite_##name##_openmp, suite_##name##_target,          \
        suite_##name##_target_tuned, suite_##name##_cuda;
SUITE_PROGRAMS(DECLARE)

#ifdef SUITE_HAVE_HOST
#define HOST_PART(name) {SUITE_OPENMP, &suite_##name##_openmp},
#else
#define HOST_PART(name)
#endif
#ifdef SUITE_HAVE_TARGET
#define TARGET_PART(name) {SUITE_OPENMP, &suite_##name##_target},
#else
#define TARGET_PART(name)
#endif
#ifdef SUITE_HAVE_TUNED
#define TUNED_PART(name) {SUITE_OPENMP_TUNED, &suite_##name##_target_tuned},
#else
#define TUNED_PART(name)
#endif
#ifdef SUITE_HAVE_CUDA
#define CUDA_PART(name) {SUITE_CUDA, &suite_##name##_cuda},
#else
#define CUDA_PART(name)
#endif
#define ENTRY(name)                                                                                                    \
    {&suite_##name,                                                                                                    \
     {CUDA_PART(name){SUITE_TEAMWORK, &suite_##name##_teamwork},                                                       \
      HOST_PART(name) TARGET_PART(name) TUNED_PART(name){SUITE_TEAMWORK, NULL}}},

const struct suite_entry suite_entries[] = {SUITE_PROGRAMS(ENTRY)};
const size_t suite_entry_count = sizeof suite_entries / sizeof suite_entries[0];

int suite_openmp_device = -1;

/* Teamwork comes first, so that it may choose how the context of a GPU waits; CUDA keeps an existing choice. */
bool suite_open_sides(void)
{
    if (!bench_open(SUITE_DEVICES))
        return false;
    suite_openmp_device = bench_on_host() ? omp_get_initial_device() : 0;
    return true;
}

const char *suite_side_name(enum suite_side side)
{
    static const char *const names[] = {[SUITE_TEAMWORK] = "Teamwork",
                                        [SUITE_OPENMP] = "OpenMP",
                                        [SUITE_OPENMP_TUNED] = "OpenMP, tuned",
                                        [SUITE_CUDA] = "CUDA"};
    return names[side];
}
