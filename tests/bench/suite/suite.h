/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The benchmark suite: programs that users write, each in Teamwork, in OpenMP by hand and in CUDA, measured in turns in
 * one process.
 *
 * A program NAME is a folder of files:
 *
 *     NAME/NAME.h            the problem: its sizes and data, and what all implementations have to agree on
 *     NAME/NAME.c            makes the problem, knows the right result, and checks one
 *     NAME/teamwork.c        versions in Teamwork, one for each kernel form that fits
 *     NAME/openmp.c          versions in OpenMP: on the host without SUITE_TARGET; with it in target regions, compiled
 *                            once with plain flags and once with the best flags that clang has
 *     NAME/cuda.cu           versions in CUDA, as an nvcc user writes the same algorithm
 *
 * and is listed in sides.c. Several programs may share a folder. A version keeps its data on the device from open() to
 * close(); run() is what is timed, and is complete when it returns.
 *
 *     ../harness/            the clock, rounds, options, JSON, the device: bench_queue() is the queue of all versions
 *     main.c                 options, and one program after the other
 *     sides.c                the programs, which sides this executable has, and their devices
 *     measure.c              checks the versions of a program, and measures them in turns
 *     compare.c, json.c      what was measured, for people and for ../report.py
 *     check.c                a few programs against OpenMP, with a limit
 *     arrays.h, arrays_*.h   the data of problems, and what versions of a side need: memory on the device
 *
 * The header is C17 and C++17. Functions that fail return false or NULL after one line on stderr.
 */
#ifndef TEAMWORK_SUITE_H
#define TEAMWORK_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Who wrote the version, or which compiler and flags it has. */
enum suite_side {
    SUITE_TEAMWORK,
    SUITE_OPENMP,       /**< on the host, or in target regions with plain flags */
    SUITE_OPENMP_TUNED, /**< in target regions, with the best flags */
    SUITE_CUDA
};

/** How large a problem is. */
enum suite_size {
    SUITE_QUICK, /**< to see that all is right: a few milliseconds on two cores, also under sanitizers */
    SUITE_CPU,   /**< 10 to 200 ms a run on two cores */
    SUITE_GPU    /**< at least 0.3 ms a run on a large GPU, and at most 4 GiB */
};

/**
 * One implementation of a program. `form` names what is compared with what: versions of the same form are twins, with
 * the same algorithm, and the first version of SUITE_CUDA of a form is the baseline of its Teamwork twins. Forms that
 * exist on one side only are compared with the best of the other side.
 */
struct suite_version {
    const char *form; /**< "flat", "tiled", ...: short, the same word on all sides */
    const char *kind; /**< of Teamwork's kernels: "range", "nd_range", "hierarchical", "reduction"; NULL elsewhere */

    /** Allocates on the device, copies the data there, and fills what run() is to write with SUITE_POISON, so that a
     *  kernel that does nothing is found out. `problem` is suite_problem.data and lives until close(). NULL: failed. */
    void *(*open)(const void *problem);

    bool (*run)(void *state);

    /** Copies the result to the host, result_bytes of the problem. */
    bool (*fetch)(void *state, void *result);

    void (*close)(void *state);
};

/** The versions of one side of one program; none: {NULL, 0}. */
struct suite_versions {
    const struct suite_version *versions;
    size_t count;
};

/** Of an array: const struct suite_versions suite_NAME_teamwork = SUITE_VERSIONS(versions); */
#define SUITE_VERSIONS(array) {(array), sizeof(array) / sizeof(array)[0]}

/** The same of a list; for C. */
#define SUITE_LIST(name, ...)                                                                                          \
    const struct suite_versions name = SUITE_VERSIONS(((const struct suite_version[]){__VA_ARGS__}));

/** What memory holds, in every byte, that a kernel is to write. */
enum { SUITE_POISON = 0xa5 };

/** What a run takes, for comparison with what the machine can do at best. */
struct suite_work {
    double bytes; /**< of global memory that have to move at least */
    double flops; /**< floating point operations; 0: not what counts */
};

/** A problem of a size, made by a program. */
struct suite_problem {
    void *data; /**< the program's own, NAME.h */
    size_t result_bytes;
    struct suite_work work;
    bool literal;   /**< its kernels are written as one writes them first, for no machine; their figures are a group of
                         their own */
    char title[96]; /**< with the sizes: "Game of Life, 8192 x 8192 cells" */
};

/** A program; the members are functions and data of NAME.c. */
struct suite_program {
    const char *name;
    const char *source; /**< the public case that it is ported from, or "" */

    bool (*make)(enum suite_size size, struct suite_problem *problem);
    void (*free)(struct suite_problem *problem);

    /** Whether a result is right, with a tolerance only where sums are reordered; prints what is wrong to stderr. */
    bool (*check)(const struct suite_problem *problem, const void *result);
};

/*
 * A program NAME defines
 *     const struct suite_program suite_NAME;                  in NAME.c
 *     const struct suite_versions suite_NAME_teamwork;        in teamwork.c
 *     const struct suite_versions SUITE_OPENMP_VERSIONS(NAME) in openmp.c
 *     const struct suite_versions suite_NAME_cuda;            in cuda.cu, extern "C"
 */
#if !defined SUITE_TARGET
#define SUITE_OPENMP_VERSIONS(name) suite_##name##_openmp
#elif !defined SUITE_TUNED
#define SUITE_OPENMP_VERSIONS(name) suite_##name##_target
#else
#define SUITE_OPENMP_VERSIONS(name) suite_##name##_target_tuned
#endif

/*
 * SUITE_TARGET_CPU is defined beside SUITE_TARGET where the device is not a GPU: it does not grant the threads that a
 * region asks for, so versions that count on them are left out.
 */

/** Kernels in target regions are named after the function they are in, and the two compilations of openmp.c must not
 *  clash: every function with a target region gets its name from this. */
#if defined SUITE_TUNED
#define SUITE_NAME(name) tuned_##name
#else
#define SUITE_NAME(name) plain_##name
#endif

/** The OpenMP device of target regions: device(suite_openmp_device). */
extern int suite_openmp_device;

/** Memory of the host, aligned to 64 bytes, with a line on stderr where there is none; to be freed with free(). */
void *suite_allocate(size_t bytes);

/** Copies, or with a NULL `from` poisons, by all threads, each its part of the memory as in a static schedule. */
void suite_fill(void *to, const void *from, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
