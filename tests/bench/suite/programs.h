/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of the suite, in the order in which they run. */
#ifndef TEAMWORK_SUITE_PROGRAMS_H
#define TEAMWORK_SUITE_PROGRAMS_H

#ifdef SUITE_CHECK_ONLY

/* Those of check.c, for an executable that is built in no time. */
#define SUITE_PROGRAMS(X) X(stream_triad) X(stream_dot) X(peak) X(life) X(transpose)

#else

#define SUITE_PROGRAMS(X)                                                                                              \
    X(stream_copy)                                                                                                     \
    X(stream_mul)                                                                                                      \
    X(stream_add)                                                                                                      \
    X(stream_triad) X(stream_dot) X(peak) X(life) X(transpose) X(reduction) X(histogram) X(histogram_of_one)           \
        X(matmul_flat) X(matmul) X(group_sum) X(tree_sum) X(clamped_mask) X(any_mask) X(life_any) X(periodic)          \
            X(helper)

#endif

#endif
