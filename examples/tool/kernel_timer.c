/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool: how often each kernel ran, and for how long. No part of a program; TW_TOOL loads it.
 *
 *     clang -shared -fPIC -O2 kernel_timer.c -o kernel_timer.so $(pkg-config --cflags-only-I teamwork)
 *     TW_TOOL=./kernel_timer.so ./my_app
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <teamwork/tool.h>

enum { MOST_KERNELS = 256 };

static struct {
    const char *name;
    unsigned long count;
    double seconds;
} kernels[MOST_KERNELS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void ended(const tw_tool_task *task, void *user)
{
    (void)user;
    if (task->kind != TW_TOOL_KERNEL || task->status != TW_SUCCESS)
        return;
    pthread_mutex_lock(&mutex);
    size_t i = 0;
    while (i < MOST_KERNELS - 1 && kernels[i].name && strcmp(kernels[i].name, task->name) != 0)
        ++i;
    kernels[i].name = task->name;
    ++kernels[i].count;
    kernels[i].seconds += 1e-9 * (double)(task->end_ns - task->start_ns);
    pthread_mutex_unlock(&mutex);
}

static void finished(void *user)
{
    (void)user;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < MOST_KERNELS && kernels[i].name; ++i)
        fprintf(stderr, "%-32s %8lu times %12.6f s\n", kernels[i].name, kernels[i].count, kernels[i].seconds);
    pthread_mutex_unlock(&mutex);
}

int tw_tool_start(const tw_tool_info *info, tw_tool *tool)
{
    if (info->version != TW_TOOL_VERSION)
        return 1;
    tool->ended = ended;
    tool->finished = finished;
    return 0;
}
