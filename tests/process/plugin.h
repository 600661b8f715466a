/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A library with a kernel. plugin.c and plugin_kernel.c make several of them, with -DPLUGIN=N: each has a kernel of the
 * same name that does something else, in a file other than that which launches it.
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <teamwork/teamwork.h>

/* Writes PLUGIN to each element. */
struct stamp {
    int *x;
};

#define PLUGIN_JOIN(a, b) a##b
#define PLUGIN_NAME(name, n) PLUGIN_JOIN(name, n)

/* Functions of a library end in its number. The first two are those of the libraries that the test is linked with. */
typedef tw_status plugin_submit(tw_queue *queue, tw_buffer *buffer);
typedef int plugin_run(int leave_queue);
plugin_submit plugin_submit_7, plugin_submit_8;

#endif
