/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watchdog of random programs: ends a run in which nothing moves. A slow or busy machine is no reason: it looks at
 * whether any thread could go on, not at how long a step takes. A run hangs if no step begins while
 *     all threads sleep at every look, many times; or
 *     the process uses minutes of processor time.
 */
#include "random.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 250, LOOKS = 120, LOOKS_SOON = 24, BUSY_SECONDS = 300, BUSY_SECONDS_SOON = 20 };

static bool watches_soon;

/* Whether a thread sleeps: the letter after the name, which is in parentheses. */
static bool sleeps(const char *thread)
{
    char path[300], line[512];
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return true; /* it has ended */
    const char *end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    return end && end[1] == ' ' && end[2] == 'S';
}

static bool all_sleep(void)
{
    char self[32];
    bool all = true;
    DIR *threads = opendir("/proc/self/task");
    snprintf(self, sizeof self, "%ld", (long)syscall(SYS_gettid));
    for (struct dirent *entry; threads && all && (entry = readdir(threads));)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, self) != 0)
            all = sleeps(entry->d_name);
    if (threads)
        closedir(threads);
    return threads && all;
}

static double processor_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static void *watch(void *unused)
{
    const struct timespec pause = {0, LOOK_MS * 1000000L};
    unsigned long moves = 0;
    unsigned looks = 0;
    double since = processor_seconds();
    (void)unused;
    for (;;) {
        nanosleep(&pause, NULL);
        const unsigned long now = atomic_load(&totals.moves);
        if (now != moves || !all_sleep())
            looks = 0;
        else
            ++looks;
        if (now != moves)
            since = processor_seconds();
        moves = now;
        if (looks >= (watches_soon ? LOOKS_SOON : LOOKS))
            differ(NULL, "hangs: all threads sleep, and none is woken%s%s", totals.waits_for ? ": " : "",
                   totals.waits_for ? totals.waits_for : "");
        if (processor_seconds() - since > (watches_soon ? BUSY_SECONDS_SOON : BUSY_SECONDS))
            differ(NULL, "hangs: threads are busy, and no step ends");
    }
    return NULL;
}

void watchdog_start(bool soon)
{
    pthread_t thread;
    watches_soon = soon;
    if (pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
}
