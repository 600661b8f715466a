/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A project of one's own: two files, and what CMake, make and Meson need to build them with an installed Teamwork
 * (CMakeLists.txt, Makefile, meson.build). Doubles the numbers up to 999, and says on what.
 */
#include <stdio.h>

#include <teamwork/device.h>
#include <teamwork/status.h>

#include "scale.h"

enum { COUNT = 1000 };

static int failed(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, tw_error_detail());
    return 1;
}

int main(void)
{
    static double numbers[COUNT];
    tw_queue *queue;
    tw_buffer *x;
    for (int i = 0; i < COUNT; ++i)
        numbers[i] = i;
    if (tw_queue_create(NULL, NULL, NULL, NULL, &queue) != TW_SUCCESS)
        return failed("tw_queue_create()");
    if (tw_buffer_create_over(numbers, sizeof *numbers, tw_range_1d(COUNT), &x) != TW_SUCCESS)
        return failed("tw_buffer_create_over()");
    if (scale(queue, x, 2) != TW_SUCCESS || tw_buffer_destroy(&x) != TW_SUCCESS)
        return failed("scale()");
    for (int i = 0; i < COUNT; ++i)
        if (numbers[i] != 2.0 * i) {
            fprintf(stderr, "number %d is %g\n", i, numbers[i]);
            return 1;
        }
    printf("doubled on %s\n", tw_device_name(tw_queue_device(queue)));
    return tw_queue_destroy(&queue) == TW_SUCCESS ? 0 : failed("tw_queue_destroy()");
}
