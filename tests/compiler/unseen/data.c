/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and contents of problems. Knows no program. */
#include <stdio.h>
#include <stdlib.h>

#include "../../bench/harness/bench_teamwork.h"
#include "unseen.h"

enum { MOST_ARRAYS = 32 };

static void *arrays[MOST_ARRAYS];
static size_t array_count;
static unsigned state = 1;

void *unseen_memory(size_t bytes)
{
    void *memory = array_count < MOST_ARRAYS ? tw_malloc_shared(tw_queue_device(bench_queue()), bytes) : NULL;
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return arrays[array_count++] = memory;
}

void unseen_free_all(void)
{
    while (array_count)
        tw_free(arrays[--array_count]);
    state = 1;
}

unsigned unseen_random(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static double between(double low, double high)
{
    return low + (high - low) * (double)unseen_random() / (double)(1 << 24);
}

float *unseen_floats(size_t count, float low, float high)
{
    float *x = unseen_memory(count * sizeof *x);
    for (size_t i = 0; i < count; ++i)
        x[i] = (float)between((double)low, (double)high);
    return x;
}

double *unseen_doubles(size_t count, double low, double high)
{
    double *x = unseen_memory(count * sizeof *x);
    for (size_t i = 0; i < count; ++i)
        x[i] = between(low, high);
    return x;
}

int *unseen_ints(size_t count, int low, int high)
{
    int *x = unseen_memory(count * sizeof *x);
    for (size_t i = 0; i < count; ++i)
        x[i] = low + (int)(unseen_random() % (unsigned)(high - low));
    return x;
}

unsigned char *unseen_bytes(size_t count)
{
    unsigned char *x = unseen_memory(count);
    for (size_t i = 0; i < count; ++i)
        x[i] = (unsigned char)(unseen_random() >> 7);
    return x;
}

void unseen_add_output(struct unseen_problem *problem, enum unseen_type type, size_t count, double tolerance,
                       const void *initial)
{
    static const size_t size[] = {1, sizeof(int), sizeof(float), sizeof(double)};
    struct unseen_output *o = &problem->outputs[problem->output_count++];
    *o = (struct unseen_output){.type = type, .count = count, .tolerance = tolerance, .initial = initial};
    for (int side = 0; side < 2; ++side)
        o->of[side] = unseen_memory(count * size[type]);
}

void unseen_submit(tw_queue *queue, tw_command_group *group)
{
    if (!bench_passed(tw_queue_submit(queue, group, NULL)))
        exit(1);
}
