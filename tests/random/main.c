/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs of the library, compared with a model of it.
 *
 *     random [--seed N] [--groups N] [--seconds S] [--threads N] [--devices NAME] [--faults] [--shrink] [--print]
 *
 *     --seed N       of the first program; the next ones count on. 1 if none is given
 *     --groups N     stops after so many command groups; with neither this nor --seconds one program is run
 *     --seconds S    stops after so many seconds
 *     --threads N    threads of a program, at most; 4 is the limit
 *     --devices NAME sim, sim-async, host, mixed, mixed-async, over, over-async, over-mixed, omp, omp-mixed, gpu, gpu-mixed;
 *                    or all, which takes the first eight in turn, as the seed says
 *     --faults       half of the programs with simulated devices make operations of them fail
 *     --shrink       reduces the program of the seed, which fails, to the fewest steps and prints them
 *     --print        prints the program of the seed
 *
 * A program is a list of steps, made from its seed alone. It has up to four threads, each with buffers, images, queues,
 * events, host accessors and graphs of its own, and queues and buffers that all use. Every program begins and ends with
 * nothing. A failure prints the seed; the same options with that seed run the program again.
 *
 * The model (oracle.c) is the sequential meaning of the program: a group changes the contents of its buffers when it is
 * submitted. Each word is known or not: what a discarding access did not write is not, nor what was computed from such
 * words. Contents are compared wherever the program can see them: through host accessors when they are opened and,
 * again, when they are released; in host memory and storage after destruction. Buffers of all threads are in the order
 * of submission, which a mutex makes known, or are counters, to which groups only add: a host access must find all
 * words equal.
 *
 * Order without common data. Chains of groups change words in memory of no buffer, neither atomically nor commutably.
 * Events (tw_depends_on()) or a queue that is in order keep their order, and any other order shows in the word. Groups
 * of all threads add to one more word, on one queue that is in order.
 *
 * User events. Groups depend on events that the program completes later, from this thread or another one. The model
 * knows what waits for them as it knows what waits for accessors. Before a call that would wait for one, another thread
 * is asked to complete it.
 *
 * Deadlocks. The model knows for each buffer, queue and event which open accessors of the thread its commands wait for,
 * through any number of other commands. A call that would wait for one must return TW_ERROR_WOULD_DEADLOCK, and change
 * nothing; no other call may. Programs avoid what two threads would need each other for.
 *
 * Queues over several devices. Half of the queues are. MAPPED has accessors with mappers, and accesses what these give;
 * other kernels have none, or a function where none would not be true. A launch whose mappers cannot be true is refused,
 * and changes nothing; one whose parts may write the same elements, as the devices and their speeds decide, may be. What a
 * part waits for is not what the others do: so the model knows less of who waits.
 *
 * Faults. Which operation fails is decided by the order in which threads come to the device, so the model does not
 * predict it. In programs with faults every group has an event, and the model waits with a group until its event is
 * over. Then it knows the status, and all else follows:
 *     a failure by itself   needs a fault that was asked for; no more commands fail so than there were faults, unless
 *                           one of them was a failing kernel, which takes the device with it. What the group should
 *                           have written is lost
 *     TW_ERROR_CANCELLED    something that the group needs must be lost, or what it depends on has failed. What it should
 *                           have written is lost too. A transfer that another group asked for runs again where it
 *                           fails: that it has failed is a reason only if there is a fault for the second time, or if
 *                           devices keep the order, and ran the group behind the transfer
 *     TW_SUCCESS            nothing that it needs may be lost, and nothing that it depends on may have failed. What it
 *                           wrote without needing it is whole again
 *     TASK_FAILURE          a host task was asked to fail so
 * A group with a fallback queue may have run there: then no more is known of which errors came to which queue, and
 * groups that share its transfers may be cancelled, too.
 *
 * Of a group on several devices that has failed, some parts may be complete. A word that it should have written is lost, or
 * it is what the model says; where a mapper may leave it out, it may also be what it was. Whether it is lost is known from
 * what succeeds later, and a host access may say either. Such a group is as many errors as parts of it have failed. One
 * part may be over before another one has begun: what is known of a group's words waits for the whole group.
 *
 * Host accesses and destruction must say TW_ERROR_DATA_LOST exactly for what is lost; a transfer that fails loses
 * nothing. Each handler must be given as many errors as commands of its queues have failed.
 *
 * After each program the simulated devices must have no memory allocated. After each 16 programs tw_shutdown() must
 * succeed, and the memory that is allocated then must not grow.
 */
#include "random.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "shrink.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "ignore_noninstrumented_modules=1";
}
#endif
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
size_t __sanitizer_get_current_allocated_bytes(void);
#define ALLOCATED_BYTES __sanitizer_get_current_allocated_bytes()
#endif
#endif
#ifndef ALLOCATED_BYTES
#define ALLOCATED_BYTES (mallinfo2().uordblks + mallinfo2().hblkhd)
#endif

/* ---- options ----------------------------------------------------------------------------------------------------- */

static _Noreturn void usage(void)
{
    fprintf(stderr, "usage: random [--seed N] [--groups N] [--seconds S] [--threads N] [--devices NAME] [--faults] "
                    "[--shrink] [--print]\nmain.c tells more\n");
    exit(2);
}

static void read_options(struct options *options, int count, char **words)
{
    for (int i = 1; i < count; ++i) {
        const char *word = words[i], *value = i + 1 < count ? words[i + 1] : "";
        bool has_value = true;
        if (strcmp(word, "--seed") == 0)
            options->seed = strtoull(value, NULL, 0);
        else if (strcmp(word, "--groups") == 0)
            options->groups = strtoull(value, NULL, 0);
        else if (strcmp(word, "--seconds") == 0)
            options->seconds = strtod(value, NULL);
        else if (strcmp(word, "--threads") == 0)
            options->threads = (unsigned)strtoul(value, NULL, 0);
        else if (strcmp(word, "--devices") == 0)
            options->devices = value;
        else if (strcmp(word, "--keep") == 0)
            options->keep_file = value;
        else
            has_value = false;
        if (strcmp(word, "--faults") == 0)
            options->faults = true;
        else if (strcmp(word, "--shrink") == 0)
            options->shrink = true;
        else if (strcmp(word, "--print") == 0)
            options->print = true;
        else if (strcmp(word, "--reduced") == 0)
            options->reduced = true;
        else if (!has_value)
            usage();
        i += has_value;
    }
    if (options->threads < 1 || options->threads > MAX_THREADS || !configuration_exists(options->devices))
        usage();
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* What is allocated when nothing of the library is left: the least of each eighth of the looks, since threads that end
   give memory back a little later. */
static struct {
    size_t *looks;
    size_t count, capacity;
} memory;

static void look_at_memory(void)
{
    if (memory.count == memory.capacity) {
        memory.capacity = 2 * memory.capacity + 1024;
        memory.looks = realloc(memory.looks, memory.capacity * sizeof *memory.looks);
    }
    memory.looks[memory.count++] = ALLOCATED_BYTES - memory.capacity * sizeof *memory.looks;
}

static size_t least(size_t first, size_t past)
{
    size_t found = SIZE_MAX;
    for (size_t i = first; i < past; ++i)
        found = memory.looks[i] < found ? memory.looks[i] : found;
    return found;
}

/* By how much the memory has grown from the second eighth of the run to the last one, in bytes. */
static size_t growth(void)
{
    const size_t part = memory.count / 8;
    if (!part)
        return 0;
    const size_t before = least(part, 2 * part), after = least(memory.count - part, memory.count);
    return after > before ? after - before : 0;
}

static long peak_megabytes(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss / 1024;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static void put_in_environment(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* Starts the library anew on the devices of a configuration. Returns false if there are none. */
static bool start_anew(const struct configuration *configuration)
{
    size_t count = 0;
    if (tw_shutdown() != TW_SUCCESS)
        differ(NULL, "tw_shutdown() failed, though all is destroyed");
    look_at_memory();
    put_in_environment("TW_SIM", configuration->sim);
    put_in_environment("TW_SIM_ASYNC", configuration->async);
    put_in_environment("TW_DEVICES", configuration->devices);
    return tw_get_devices(TW_DEVICE_ALL, NULL, 0, &count) == TW_SUCCESS && count > 0;
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static bool is_over(const struct options *options, const struct timespec *start)
{
    if (!options->groups && options->seconds <= 0)
        return true;
    return (options->groups && atomic_load(&totals.groups) >= options->groups)
           || (options->seconds > 0 && seconds_since(start) >= options->seconds);
}

/* Growth that is no leak: what the C library, OpenMP and sanitizers keep for threads. On the x86-64 device OpenMP keeps
   more of it, and more slowly: 2.7 MB after three seconds, 3.0 after twelve. */
enum { GROWTH_ALLOWED = 1 << 20, GROWTH_ALLOWED_OMP = 8 << 20 };
/* What the driver of a GPU keeps for itself: 1.2 MB after 20 s on an H200, 1.8 MB after 60 s. */
enum { GROWTH_ALLOWED_GPU = 4 << 20 };

static size_t growth_allowed(const char *devices)
{
    if (strncmp(devices, "gpu", 3) == 0)
        return GROWTH_ALLOWED_GPU;
    return strncmp(devices, "omp", 3) == 0 ? GROWTH_ALLOWED_OMP : GROWTH_ALLOWED;
}

static int report(const struct options *options, uint64_t past, double seconds)
{
    const size_t grown = growth();
    printf("random: %lu groups, %lu on several devices and %lu refused there, %lu content checks, %lu failures by "
           "faults, %lu cancelled, %lu deadlocks refused; "
           "programs "
           "%llu to %llu, %.1f s, peak memory %ld MB, grown by %zu bytes, 0 differences\n",
           atomic_load(&totals.groups), atomic_load(&totals.divided), atomic_load(&totals.not_divided),
           atomic_load(&totals.checks), atomic_load(&totals.failures), atomic_load(&totals.cancelled),
           atomic_load(&totals.refusals), (unsigned long long)options->seed, (unsigned long long)past - 1, seconds,
           peak_megabytes(), grown);
    if (grown <= growth_allowed(options->devices))
        return 0;
    fprintf(stderr, "random: memory grows: %zu bytes more at the end than in the second eighth of the run\n", grown);
    return 1;
}

int main(int count, char **words)
{
    static struct program program;
    struct options options = {.seed = 1, .threads = MAX_THREADS, .devices = "all"};
    struct timespec start;
    read_options(&options, count, words);
    if (options.shrink)
        return shrink(&options);
    clock_gettime(CLOCK_MONOTONIC, &start);
    uint64_t seed = options.seed;
    make_program(&options, seed, &program);
    note_program(&program, &options);
    if (options.print) {
        print_program(&program);
        return 0;
    }
    make_memory();
    watchdog_start(options.reduced);
    do {
        if ((seed == options.seed || seed % SEEDS_OF_CONFIGURATION == 0)
            && !start_anew(configuration_of(&options, seed))) {
            printf("random: there are no devices for %s\n", configuration_of(&options, seed)->name);
            return 77;
        }
        make_program(&options, seed, &program);
        if (options.keep_file)
            keep_steps(&program, options.keep_file);
        run_program(&program);
        ++seed;
    } while (!is_over(&options, &start));
    if (tw_shutdown() != TW_SUCCESS)
        differ(NULL, "tw_shutdown() failed, though all is destroyed");
    look_at_memory();
    const double seconds = seconds_since(&start);
    return report(&options, seed, seconds);
}
