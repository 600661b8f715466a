/* SPDX-License-Identifier: Apache-2.0 */
/* What tracing costs: groups one behind the other, each with a kernel on the host that takes a given time. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <teamwork/teamwork.h>

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

struct spin {
    int *count;
    double ns;
};
static inline void spin(const struct spin *k)
{
    const double until = now_ns() + k->ns;
    ++*k->count;
    while (now_ns() < until)
        continue;
}
TW_SINGLE_TASK(spin);

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s\n", tw_error_detail());
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr,
                "usage: %s GROUPS NANOSECONDS WAITS\n"
                "Submits GROUPS groups, of NANOSECONDS each, and waits for each if WAITS is 1. Prints the time of a "
                "group.\n",
                argv[0]);
        return 2;
    }
    const int groups = atoi(argv[1]), waits = atoi(argv[3]);
    const double ns = atof(argv[2]);
    int count = 0;
    tw_queue *queue;
    tw_buffer *buffer;
    check(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_over(&count, sizeof count, tw_range_1d(1), &buffer));
    const double start = now_ns();
    for (int i = 0; i < groups; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_single_task(cg, spin, .count = tw_read_write(cg, buffer), .ns = ns);
        check(tw_queue_submit(queue, cg, NULL));
        if (waits)
            check(tw_queue_wait(queue));
    }
    check(tw_queue_wait(queue));
    printf("%.1f\n", (now_ns() - start) / groups);
    check(tw_buffer_destroy(&buffer));
    check(tw_queue_destroy(&queue));
    return count == groups ? 0 : 1;
}
