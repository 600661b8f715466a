/* SPDX-License-Identifier: Apache-2.0 */
/* Teamwork's default device, and what keeps others from being disturbed. */
#define _POSIX_C_SOURCE 200809L
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_teamwork.h"

static tw_queue *queue;

bool bench_open(const char *devices)
{
    if (devices)
        setenv("TW_DEVICES", devices, 0);
    return bench_passed(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
}

bool bench_close(void)
{
    return bench_passed(tw_queue_destroy(&queue));
}

tw_queue *bench_queue(void)
{
    return queue;
}

const char *bench_device_name(void)
{
    return tw_device_name(tw_queue_device(queue));
}

bool bench_on_gpu(void)
{
    return tw_device_is_gpu(tw_queue_device(queue));
}

bool bench_on_host(void)
{
    return tw_queue_is_host(queue);
}

/* Pausing OpenMP softly does not end the wait of its threads, and a short block time holds from the next region on. */
void bench_openmp_threads(unsigned threads, bool awake)
{
    const int usual_ms = kmp_get_blocktime(), most = omp_get_max_threads();
    if (!awake)
        kmp_set_blocktime(0);
#pragma omp parallel num_threads((int)threads > most ? (int)threads : most)
    {
        __asm__ volatile("");
    }
    kmp_set_blocktime(usual_ms);
}

static const char *volatile running = "";

static void time_is_up(int signal)
{
    static const char text[] = "the watchdog ends the run: nothing has moved for minutes in ";
    (void)signal;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    (void)!write(STDERR_FILENO, running, strlen(running));
    (void)!write(STDERR_FILENO, "\n", 1);
    _exit(1);
}

void bench_watchdog(unsigned seconds, const char *what)
{
    if (what)
        running = what;
    signal(SIGALRM, time_is_up);
    alarm(seconds);
}
