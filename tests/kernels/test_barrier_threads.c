/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams), no-compiler, optimized */
/** The stacks on which work-items wait at barriers: a thread's are freed when it ends, and a work-item that needs more
 *  than its own has ends the program. */
#include "nd_range_test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { ITEMS = 1024, STACK_BYTES = 128 << 10 };

struct rotate {
    int *x;
};
static inline void rotate(tw_nd_item item, const struct rotate *k)
{
    const size_t l = tw_local_id(item, 0);
    const int next = k->x[(l + 1) % ITEMS];
    tw_barrier(item, TW_GLOBAL_SPACE);
    k->x[l] = next;
}
TW_ND_RANGE_KERNEL(rotate, ITEMS);

/* On one stack alone there is nothing to overflow into: the second work-item is the first with one of its own. */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define LARGE_BYTES 64
#else
#define LARGE_BYTES (5 * STACK_BYTES) /* stacks are larger with AddressSanitizer */
#endif

/* Touches the far end of its variable first, which is in the middle of another work-item's stack. */
struct overflow {
    unsigned char *out;
    size_t at; /* not known to the compiler, which would shrink the variable */
};
static inline void overflow(tw_nd_item item, const struct overflow *k)
{
    volatile unsigned char mine[LARGE_BYTES];
    const size_t l = tw_local_id(item, 0);
    mine[k->at] = (unsigned char)l;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[l] = mine[k->at];
}
TW_ND_RANGE_KERNEL(overflow, 8);

/* A program's thread that computes: libomp's threads of its team have stacks too, but go on to the next one's. */
static void *compute(void *argument)
{
    tw_queue *queue = argument;
    int x[ITEMS];
    tw_buffer *buffer = NULL;
    for (int i = 0; i < ITEMS; ++i)
        x[i] = i;
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(ITEMS), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(1), tw_range_1d(ITEMS)), rotate, .x = tw_read_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < ITEMS; ++i)
        TW_EQUAL(x[i], (i + 1) % ITEMS);
    return NULL;
}

static void run_threads(tw_queue *queue, int count)
{
    for (int i = 0; i < count; ++i) {
        pthread_t thread;
        TW_EQUAL(pthread_create(&thread, NULL, compute, queue), 0);
        TW_EQUAL(pthread_join(thread, NULL), 0);
    }
}

static long long address_space(void)
{
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    TW_CHECK(file && fscanf(file, "%lld", &pages) == 1);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

TW_TEST(a_thread_frees_its_stacks_when_it_ends)
{
    enum { THREADS = 10 };
    tw_queue *queue = nd_cpu_queue();
    if (!queue)
        TW_SKIP();
    run_threads(queue, 2);
    const long long before = address_space();
    run_threads(queue, THREADS);
    const long long grown = address_space() - before;
#if !__has_feature(thread_sanitizer) /* which has memory of its own for each stack */
    TW_CHECK(grown < (long long)THREADS / 2 * ITEMS * STACK_BYTES);
#endif
    (void)grown;
    TW_PASS(tw_queue_destroy(&queue));
}

/* In a program of its own, which it ends. */
TW_TEST(overflows)
{
    if (!getenv("TW_TEST_OVERFLOW"))
        TW_SKIP();
    signal(SIGSEGV, SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    tw_queue *queue = nd_cpu_queue();
    tw_buffer *buffer = tw_test_zeroed(1, 8);
    run_threads(queue, 9); /* more stacks than there may be guards before Linux 6.13, were they not freed */
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(1), tw_range_1d(8)), overflow,
                             .out = tw_discard_write(cg, buffer), .at = 16);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(an_overflow_is_not_silent)
{
    tw_queue *queue = nd_cpu_queue();
    int status = 0;
    if (!queue)
        TW_SKIP();
    TW_PASS(tw_queue_destroy(&queue));
    fflush(NULL);
    const pid_t child = fork();
    TW_CHECK(child >= 0);
    if (child == 0) {
        setenv("TW_TEST_OVERFLOW", "1", 1);
        setenv("TW_TEST_ONLY", "overflows", 1);
        setenv("ASAN_OPTIONS", "exitcode=99", 1);
        (void)!freopen("/dev/null", "w", stderr); /* sanitizers tell what happens */
        execl("/proc/self/exe", "test", (char *)NULL);
        _exit(0);
    }
    TW_EQUAL(waitpid(child, &status, 0), child);
    TW_CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) > 1); /* 1 would be a failed check: nothing was noticed */
}

TW_TEST_LIST = {
    TW_CASE(a_thread_frees_its_stacks_when_it_ends),
    TW_CASE(overflows),
    TW_CASE(an_overflow_is_not_silent),
    TW_CASES_END,
};
