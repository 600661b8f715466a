/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sides that this executable has, and their devices. CMake defines
 *     SUITE_HAVE_HOST     OpenMP on the host
 *     SUITE_HAVE_TARGET   OpenMP in target regions, with plain flags
 *     SUITE_HAVE_TUNED    the same with the best flags
 *     SUITE_HAVE_CUDA
 *     SUITE_HAVE_OPENCL   on the host; programs that have no file for it have no such part
 * and SUITE_DEVICES, the value of TW_DEVICES where the environment has none.
 */
#define _POSIX_C_SOURCE 200809L
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/teamwork.h>

#include "harness.h"
#include "programs.h"

#define DECLARE(name)                                                                                                  \
    extern const struct suite_program suite_##name;                                                                    \
    extern const struct suite_versions suite_##name##_teamwork, suite_##name##_openmp, suite_##name##_target,          \
        suite_##name##_target_tuned, suite_##name##_cuda;                                                              \
    extern const struct suite_versions suite_##name##_opencl __attribute__((weak));
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
#ifdef SUITE_HAVE_OPENCL
#define OPENCL_PART(name) {SUITE_OPENCL, &suite_##name##_opencl}, /* the last one: it may be NULL */
#else
#define OPENCL_PART(name)
#endif

#ifdef SUITE_HAVE_OPENCL
#define OPENCL_OPEN suite_opencl_open()
#define OPENCL_CLOSE suite_opencl_close()
#define OPENCL_NAME suite_opencl_name()
#else
#define OPENCL_OPEN true
#define OPENCL_CLOSE true
#define OPENCL_NAME ""
#endif

#define ENTRY(name)                                                                                                    \
    {&suite_##name,                                                                                                    \
     {CUDA_PART(name){SUITE_TEAMWORK, &suite_##name##_teamwork},                                                       \
      HOST_PART(name) TARGET_PART(name) TUNED_PART(name) OPENCL_PART(name){SUITE_TEAMWORK, NULL}}},

const struct suite_entry suite_entries[] = {SUITE_PROGRAMS(ENTRY)};
const size_t suite_entry_count = sizeof suite_entries / sizeof suite_entries[0];

int suite_openmp_device = -1;

static tw_queue *queue;

tw_queue *suite_queue(void)
{
    return queue;
}

static bool passed(tw_status status)
{
    if (status != TW_SUCCESS)
        fprintf(stderr, "Teamwork: %s: %s\n", tw_status_name(status), tw_error_detail());
    return status == TW_SUCCESS;
}

/* Teamwork comes first, so that it may choose how the context of a GPU waits; CUDA keeps an existing choice. */
bool suite_open_sides(bool with_opencl)
{
    setenv("TW_DEVICES", SUITE_DEVICES, 0);
    if (!passed(tw_queue_create(NULL, NULL, NULL, NULL, &queue)))
        return false;
    suite_openmp_device = tw_queue_is_host(queue) ? omp_get_initial_device() : 0;
    return !with_opencl || OPENCL_OPEN;
}

bool suite_close_sides(void)
{
    const bool closed = OPENCL_CLOSE;
    return passed(tw_queue_destroy(&queue)) && closed;
}

bool suite_is_open(enum suite_side side)
{
    return side != SUITE_OPENCL || suite_opencl_device()[0];
}

const char *suite_opencl_device(void)
{
    return OPENCL_NAME;
}

void suite_openmp_threads(bool awake)
{
    const int usual_ms = kmp_get_blocktime();
    if (!awake)
        kmp_set_blocktime(0);
#pragma omp parallel
    {
        __asm__ volatile("");
    }
    kmp_set_blocktime(usual_ms);
}

bool suite_on_gpu(void)
{
    return tw_device_is_gpu(tw_queue_device(queue));
}

const char *suite_device_name(void)
{
    return tw_device_name(tw_queue_device(queue));
}

const char *suite_side_name(enum suite_side side)
{
    static const char *const names[] = {[SUITE_TEAMWORK] = "Teamwork",
                                        [SUITE_OPENMP] = "OpenMP",
                                        [SUITE_OPENMP_TUNED] = "OpenMP, tuned",
                                        [SUITE_CUDA] = "CUDA",
                                        [SUITE_OPENCL] = "OpenCL"};
    return names[side];
}
