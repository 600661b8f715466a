/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: opens_plugins FILE NUMBER leave|destroy
 *
 * A program without Teamwork opens a library that uses it, runs its kernel and closes it, some times. Closing the
 * library unloads Teamwork too, where it can be unloaded. With "leave" a queue is left, whose worker threads are still
 * there.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    enum { ROUNDS = 8 };
    char name[32];
    if (argc != 4)
        return 2;
    alarm(60);
    snprintf(name, sizeof name, "plugin_run_%s", argv[2]);
    for (int round = 0; round < ROUNDS; ++round) {
        int (*run)(int leave_queue) = NULL;
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, name) : NULL;
        if (!symbol)
            return fprintf(stderr, "%s\n", dlerror()), 1;
        memcpy(&run, &symbol, sizeof symbol);
        const int got = run(strcmp(argv[3], "leave") == 0);
        if (got != atoi(argv[2]))
            return fprintf(stderr, "round %d: the kernel wrote %d\n", round, got), 1;
        if (dlclose(library) != 0)
            return fprintf(stderr, "%s\n", dlerror()), 1;
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL); /* a worker that is left looks for work, and sleeps */
    }
    return 0;
}
