/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work-items that meet at barriers, on a CPU (fiber.h).
 *
 * The thread runs the work-items of a group one after the other, as a loop on its own stack. For a kernel without
 * barriers that is all. A work-item that reaches a barrier stays on its stack; the next one continues on another stack,
 * and so on to the last one, which goes back to the first. So each barrier costs each work-item one switch, by
 * Boost.Context's jump_fcontext(), and stacks are made only for kernels with barriers. The thread keeps its stacks for
 * the next group and the next launch; they are freed when it ends.
 *
 * All work-items of a group, or none, must reach a barrier, so they run in rounds, in the order of their linear ids. If
 * a round ends with some of them at a barrier and others at the end of the kernel, or at another barrier, the group
 * would wait for ever: it is abandoned, and the launch fails.
 *
 * Knows nothing about kernels but the function that runs a group's work-items.
 */
#define _GNU_SOURCE
#include "fiber.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/environment.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif
#endif

/* Boost.Context's C interface; its header is C++. */
struct transfer {
    void *context; /* the context that jumped here */
    void *data;
};
extern struct transfer jump_fcontext(void *to, void *data);
extern void *make_fcontext(void *stack_top, size_t bytes, void (*entry)(struct transfer));

#ifdef WITH_ASAN
#define DEFAULT_STACK_BYTES (512u << 10)
#else
#define DEFAULT_STACK_BYTES (128u << 10)
#endif
#define MIN_STACK_BYTES (16u << 10)
#define EXCHANGE_BYTES 16u /* the size of the largest value of a group function */
#define EXCHANGE_ALIGNMENT 64u
#define MEMORY_ALIGNMENT 128u
#define POOL_ALIGNMENT 64u
#define MIN_POOL_BYTES (16u << 10)
#define PREFETCHED_LINES 6u
#define MAX_GUARDS 8192u
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* since Linux 6.13 */
#endif

/* A mapping with stacks that were made together. */
struct slab {
    struct slab *next;
    unsigned char *base;
    size_t bytes;
    unsigned guards; /* the number of its pages that count in the global `guards` */
};

/* Memory for kernels that were split at their barriers. A group takes it piece by piece. */
struct pool {
    struct pool *next;
    size_t bytes;
    _Alignas(POOL_ALIGNMENT) unsigned char data[];
};

/* The stack of one work-item of the running group. Work-item 0 runs on the thread's own stack. */
struct fiber {
    unsigned char *stack; /* its lowest byte; NULL for work-item 0 */
#ifdef WITH_ASAN
    void *fake_stack;
    const void *bottom;
    size_t bottom_bytes;
#endif
#ifdef WITH_TSAN
    void *tsan;
#endif
};

/* The state of a thread that runs groups: its stacks, and the running group. Members that every barrier uses come
   first. */
struct tw_internal_run {
    void **contexts;          /* the context of each waiting work-item; NULL: to be made */
    size_t total;             /* the number of work-items in the group */
    size_t current, previous; /* the running work-item, and the one that ran before it */
    size_t waiting, finished; /* the numbers of work-items at the barrier and at the end, in this round */
    int line;                 /* the source line of this round's barrier */
    bool active;              /* a work-item of this group has reached a barrier */
    bool abandoned;           /* the thread's own stack must jump to `abandon` */
    size_t round;

    struct tw_internal_launch *launch;
    tw_internal_items items;
    struct tw_internal_nd_group group;
    struct fiber *fibers;
    size_t capacity; /* the number of elements of contexts and fibers */
    struct slab *slabs;
    void *memory; /* for local accessors */
    size_t memory_bytes;
    unsigned char *exchange;
    size_t exchange_items;
    struct pool *pools; /* memory of split kernels, the newest first; `pool_used` bytes of that one are taken */
    size_t pool_used;
    jmp_buf abandon;
    struct tw_internal_run *next, **link; /* in `all` */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects the variables below */
static struct tw_internal_run *all;
static unsigned opened;
static unsigned long generation = 1; /* counts up when all runs are freed: pointers of threads to them are then void */
static pthread_key_t end_of_thread;  /* frees the run of a thread that ends; exists while `opened` is not 0 */
static bool has_end_of_thread;
static unsigned guards; /* atomic: the number of inaccessible pages that split a mapping */

static _Thread_local struct tw_internal_run *own;
static _Thread_local unsigned long own_generation;

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static size_t stack_bytes(void)
{
    static size_t bytes; /* every thread computes the same value */
    size_t result = __atomic_load_n(&bytes, __ATOMIC_RELAXED);
    if (result)
        return result;
    const char *text = tw_environment(TW_VARIABLE_WORK_ITEM_STACK_KB);
    const unsigned long kilobytes = text ? strtoul(text, NULL, 10) : 0;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    result = kilobytes && kilobytes <= (1ul << 20) ? kilobytes << 10 : DEFAULT_STACK_BYTES;
    if (result < MIN_STACK_BYTES)
        result = MIN_STACK_BYTES;
    result = (result + page - 1) / page * page;
    __atomic_store_n(&bytes, result, __ATOMIC_RELAXED);
    return result;
}

/* Returns the top of a stack. Stacks at equal distances would share a few cache sets, so each starts at another offset
   in its topmost page. */
static unsigned char *stack_top(const struct fiber *fiber, size_t index)
{
    return fiber->stack + stack_bytes() - index * 5 % 48 * 64;
}

/* Makes a page of a slab inaccessible. Before Linux 6.13 that splits a mapping in two. A process can have 65530
   mappings, and the program needs some too, so then only MAX_GUARDS pages are guards. */
static void guard(struct slab *slab, void *at, size_t page)
{
    if (madvise(at, page, MADV_GUARD_INSTALL) == 0)
        return;
    if (__atomic_load_n(&guards, __ATOMIC_RELAXED) >= MAX_GUARDS || mprotect(at, page, PROT_NONE) != 0)
        return;
    __atomic_fetch_add(&guards, 1, __ATOMIC_RELAXED);
    ++slab->guards;
}

/* Makes stacks for work-items from `from` up to, but not including, `past`, each above a guard page. */
static bool make_stacks(struct tw_internal_run *run, size_t from, size_t past)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), each = page + stack_bytes();
    struct slab *slab = malloc(sizeof *slab);
    if (!slab)
        return false;
    slab->bytes = (past - from) * each;
    slab->guards = 0;
    slab->base =
        mmap(NULL, slab->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (slab->base == MAP_FAILED) {
        free(slab);
        return false;
    }
    slab->next = run->slabs;
    run->slabs = slab;
    for (size_t i = from; i < past; ++i) {
        unsigned char *lowest = slab->base + (i - from) * each;
        guard(slab, lowest, page);
        run->fibers[i] = (struct fiber){.stack = lowest + page};
        run->contexts[i] = NULL;
#ifdef WITH_TSAN
        run->fibers[i].tsan = __tsan_create_fiber(0);
#endif
    }
    return true;
}

/* Makes contexts and stacks for groups of `total` work-items. Returns false if there is not enough memory. */
static bool reserve(struct tw_internal_run *run, size_t total)
{
    if (total <= run->capacity)
        return true;
    size_t from = run->capacity;
    void **contexts = realloc(run->contexts, total * sizeof *contexts);
    if (contexts)
        run->contexts = contexts;
    struct fiber *fibers = realloc(run->fibers, total * sizeof *fibers);
    if (fibers)
        run->fibers = fibers;
    if (!contexts || !fibers)
        return false;
    if (from == 0) {
        run->contexts[0] = NULL;
        run->fibers[0] = (struct fiber){.stack = NULL};
        from = 1;
    }
    if (from < total && !make_stacks(run, from, total))
        return false;
    run->capacity = total;
    return true;
}

/* Discards the work-items that wait on the stacks. */
static void reset_stacks(struct tw_internal_run *run)
{
    for (size_t i = 1; i < run->capacity; ++i) {
        run->contexts[i] = NULL;
#ifdef WITH_ASAN
        __asan_unpoison_memory_region(run->fibers[i].stack, stack_bytes());
        run->fibers[i].fake_stack = NULL;
#endif
    }
}

static void free_pools(struct pool *pool)
{
    for (struct pool *next; pool; pool = next) {
        next = pool->next;
        free(pool);
    }
}

static void free_run(struct tw_internal_run *run)
{
#ifdef WITH_TSAN
    for (size_t i = 1; i < run->capacity; ++i)
        __tsan_destroy_fiber(run->fibers[i].tsan);
#endif
#ifdef WITH_ASAN
    reset_stacks(run);
#endif
    for (struct slab *slab = run->slabs, *next; slab; slab = next) {
        next = slab->next;
        munmap(slab->base, slab->bytes);
        __atomic_fetch_sub(&guards, slab->guards, __ATOMIC_RELAXED);
        free(slab);
    }
    free_pools(run->pools);
    free(run->contexts);
    free(run->fibers);
    free(run->memory);
    free(run->exchange);
    free(run);
}

/* Frees the run of the calling thread, which ends. The run may have been freed already. */
static void end_thread(void *unused)
{
    struct tw_internal_run *run = NULL;
    (void)unused;
    pthread_mutex_lock(&mutex);
    if (own && own_generation == __atomic_load_n(&generation, __ATOMIC_RELAXED)) {
        run = own;
        *run->link = run->next;
        if (run->next)
            run->next->link = run->link;
    }
    own = NULL;
    pthread_mutex_unlock(&mutex);
    if (run)
        free_run(run);
}

void tw_fiber_open(void)
{
    pthread_mutex_lock(&mutex);
    if (opened++ == 0)
        has_end_of_thread = pthread_key_create(&end_of_thread, end_thread) == 0; /* else runs are kept until close */
    pthread_mutex_unlock(&mutex);
}

void tw_fiber_close(void)
{
    struct tw_internal_run *unused = NULL;
    pthread_mutex_lock(&mutex);
    if (--opened == 0) {
        unused = all;
        all = NULL;
        __atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
        if (has_end_of_thread)
            pthread_key_delete(end_of_thread);
    }
    pthread_mutex_unlock(&mutex);
    while (unused) {
        struct tw_internal_run *next = unused->next;
        free_run(unused);
        unused = next;
    }
}

/* Returns the run of the calling thread; NULL: out of memory. tw_fiber_close() is not called while a launch runs. */
static struct tw_internal_run *own_run(void)
{
    const unsigned long now = __atomic_load_n(&generation, __ATOMIC_RELAXED);
    if (own && own_generation == now)
        return own;
    struct tw_internal_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    pthread_mutex_lock(&mutex);
    run->next = all;
    run->link = &all;
    if (all)
        all->link = &run->next;
    all = run;
    pthread_mutex_unlock(&mutex);
    own = run;
    own_generation = now;
    if (has_end_of_thread)
        (void)pthread_setspecific(end_of_thread, run); /* any value but NULL; if this fails, it is kept until close */
    return run;
}

/* ---- switching --------------------------------------------------------------------------------------------------- */

static void refuse(struct tw_internal_launch *launch, int why)
{
    int none = 0;
    (void)__atomic_compare_exchange_n(&launch->fell_back, &none, why, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Completes a switch, on the stack that was jumped to. */
static void arrive(struct tw_internal_run *run, struct transfer from)
{
    run->contexts[run->previous] = from.context;
#ifdef WITH_ASAN
    struct fiber *left = &run->fibers[run->previous];
    __sanitizer_finish_switch_fiber(run->fibers[run->current].fake_stack, &left->bottom, &left->bottom_bytes);
#endif
}

static void start(struct transfer from);

/* Makes a context for a work-item that has none. */
static __attribute__((cold, noinline)) void *make_context(struct tw_internal_run *run, size_t index)
{
    unsigned char *top = stack_top(&run->fibers[index], index);
#ifdef WITH_ASAN
    run->fibers[index].bottom = run->fibers[index].stack;
    run->fibers[index].bottom_bytes = stack_bytes();
#endif
    return make_fcontext(top, (size_t)(top - run->fibers[index].stack), start);
}

static inline __attribute__((always_inline)) void switch_to(struct tw_internal_run *run, size_t next)
{
    run->previous = run->current;
    run->current = next;
    void *context = run->contexts[next];
    if (__builtin_expect(!context, 0))
        context = make_context(run, next);
#ifdef WITH_ASAN
    __sanitizer_start_switch_fiber(&run->fibers[run->previous].fake_stack, run->fibers[next].bottom,
                                   run->fibers[next].bottom_bytes);
#endif
#ifdef WITH_TSAN
    if (run->previous == 0)
        run->fibers[0].tsan = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(run->fibers[next].tsan, 0);
#endif
    /* the stacks of a group do not fit the first-level cache: prefetch the one after the next */
    const uintptr_t after = (uintptr_t)run->contexts[next + 1 < run->total ? next + 1 : 0]; /* or NULL */
    for (size_t line = 0; line < PREFETCHED_LINES; ++line)
        __builtin_prefetch((const void *)(after + line * 64), 1);
    arrive(run, jump_fcontext(context, run));
    if (__builtin_expect(run->abandoned, 0)) { /* this is the thread's own stack: abandon() switches to no other */
        run->abandoned = false;
        longjmp(run->abandon, 1);
    }
}

/* Abandons the group. Does not return. */
static __attribute__((cold, noinline, noreturn)) void abandon(struct tw_internal_run *run, int why)
{
    refuse(run->launch, why);
    if (run->current == 0)
        longjmp(run->abandon, 1);
    run->abandoned = true;
    switch_to(run, 0);
    __builtin_unreachable();
}

/* Reports that some work-items wait at a barrier that others do not reach, and abandons the group. */
static __attribute__((cold, noinline, noreturn)) void diverge(struct tw_internal_run *run, size_t waiting,
                                                              size_t elsewhere, int line, int other_line)
{
    struct tw_internal_launch *launch = run->launch;
    pthread_mutex_lock(&mutex);
    if (__atomic_load_n(&launch->fell_back, __ATOMIC_RELAXED) == 0) {
        struct tw_internal_divergence *note = &launch->divergence;
        *note = (struct tw_internal_divergence){
            .waiting = waiting, .finished = elsewhere, .line = line, .other_line = other_line};
        memcpy(note->group, run->group.id, sizeof note->group);
        refuse(launch, TW_INTERNAL_DIVERGENCE);
    }
    pthread_mutex_unlock(&mutex);
    abandon(run, TW_INTERNAL_DIVERGENCE);
}

/* Leaves the current work-item, which can get no further, and switches to the next one. */
static inline __attribute__((always_inline)) void advance(struct tw_internal_run *run)
{
    size_t next = run->current + 1;
    if (next == run->total) {
        if (run->waiting && run->finished)
            diverge(run, run->waiting, run->finished, run->line, 0);
        run->waiting = 0;
        run->line = 0;
        ++run->round;
        next = 0;
    }
    switch_to(run, next);
}

/* Runs the work-item of a stack, group after group. */
static void start(struct transfer from)
{
    struct tw_internal_run *run = from.data;
    const size_t index = run->current;
    arrive(run, from);
    for (;;) {
        run->items(&run->group, index);
        if (run->round == 0) /* those before it wait at a barrier that it did not reach */
            diverge(run, run->waiting, run->total - run->waiting, run->line, 0);
        ++run->finished;
        advance(run);
    }
}

/* Handles the first barrier of a group, which work-item `linear` has reached. */
static __attribute__((cold, noinline)) void begin_rounds(struct tw_internal_run *run, size_t linear, int line)
{
    if (linear != 0)
        diverge(run, 1, linear, line, 0);
    if (!reserve(run, run->total))
        abandon(run, TW_INTERNAL_NO_MEMORY);
    __atomic_store_n(&run->launch->stacks, 1, __ATOMIC_RELAXED);
    run->active = true;
}

static __attribute__((cold, noinline, noreturn)) void lose_way(struct tw_internal_run *run, size_t linear, int line)
{
    if (linear != run->current) /* the work-item of this stack has finished, and its loop has gone on */
        diverge(run, run->waiting, linear - run->current, run->line, 0);
    diverge(run, run->waiting, 1, run->line, line);
}

static void barrier(struct tw_internal_run *run, size_t linear, int line)
{
    if (run->total == 1)
        return;
    if (__builtin_expect(!run->active, 0))
        begin_rounds(run, linear, line);
    if (__builtin_expect(linear != run->current || (run->waiting && line != run->line), 0))
        lose_way(run, linear, line);
    run->line = line;
    ++run->waiting;
    advance(run);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Returns memory for local accessors; NULL if there is not enough. */
static void *local_memory(struct tw_internal_run *run, size_t bytes)
{
    if (bytes <= run->memory_bytes)
        return run->memory;
    free(run->memory);
    run->memory_bytes = (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    run->memory = aligned_alloc(MEMORY_ALIGNMENT, run->memory_bytes);
    if (!run->memory)
        run->memory_bytes = 0;
    return run->memory;
}

static bool reserve_exchange(struct tw_internal_run *run, size_t total)
{
    if (total < run->exchange_items)
        return true;
    free(run->exchange);
    /* the lowering begins each of the two kinds of places at a multiple of 64 bytes */
    run->exchange = aligned_alloc(EXCHANGE_ALIGNMENT, ((total + 1) * EXCHANGE_BYTES + 2 * EXCHANGE_ALIGNMENT - 1)
                                                          / EXCHANGE_ALIGNMENT * EXCHANGE_ALIGNMENT);
    run->exchange_items = run->exchange ? total + 1 : 0;
    return run->exchange != NULL;
}

/* Returns a piece of the newest pool, or of a new one that is at least twice as large. */
static void *split_memory(struct tw_internal_run *run, size_t bytes)
{
    bytes = (bytes + POOL_ALIGNMENT - 1) / POOL_ALIGNMENT * POOL_ALIGNMENT;
    if (!run->pools || bytes > run->pools->bytes - run->pool_used) {
        const size_t twice = run->pools ? 2 * run->pools->bytes : MIN_POOL_BYTES;
        const size_t wanted = bytes > twice ? bytes : twice;
        struct pool *pool = aligned_alloc(POOL_ALIGNMENT, sizeof *pool + wanted);
        if (!pool) {
            refuse(run->launch, TW_INTERNAL_NO_MEMORY);
            return NULL;
        }
        pool->bytes = wanted;
        pool->next = run->pools;
        run->pools = pool;
        run->pool_used = 0;
    }
    void *result = run->pools->data + run->pool_used;
    run->pool_used += bytes;
    return result;
}

/* Prepares the pools for a new group. The newest pool is the largest and suffices; the others are freed. */
static void reset_pools(struct tw_internal_run *run)
{
    run->pool_used = 0;
    if (run->pools && run->pools->next) {
        free_pools(run->pools->next);
        run->pools->next = NULL;
    }
}

static void run_one(struct tw_internal_run *run)
{
    run->current = run->waiting = run->finished = run->round = 0;
    run->line = 0;
    run->active = false;
    reset_pools(run);
    run->items(&run->group, 0);
    if (!run->active)
        return;
    ++run->finished; /* work-item 0; the function continues here when the last one has finished */
    advance(run);
}

static void run_groups(struct tw_internal_launch *launch, tw_internal_items items, size_t first, size_t past)
{
    if (first == past)
        return;
    struct tw_internal_run *run = own_run();
    const size_t total = launch->local[0] * launch->local[1] * launch->local[2];
    if (!run || !reserve_exchange(run, total) || (launch->local_bytes && !local_memory(run, launch->local_bytes))) {
        refuse(launch, TW_INTERNAL_NO_MEMORY);
        return;
    }
    run->launch = launch;
    run->items = items;
    run->total = total;
    run->group =
        (struct tw_internal_nd_group){.launch = launch, .run = run, .memory = run->memory, .exchange = run->exchange};
    if (_setjmp(run->abandon)) {
        reset_stacks(run);
        return;
    }
    size_t *const id = run->group.id;
    id[2] = launch->first[2] + first % launch->range[2];
    id[1] = launch->first[1] + first / launch->range[2] % launch->range[1];
    id[0] = launch->first[0] + first / launch->range[2] / launch->range[1];
    for (size_t g = first; g < past; ++g) {
        run_one(run);
        for (unsigned d = 3; d-- > 0 && ++id[d] == launch->first[d] + launch->range[d] && d > 0;)
            id[d] = launch->first[d];
    }
}

static void diverge_split(struct tw_internal_run *run, size_t waiting, size_t elsewhere, int line, int other_line)
{
    diverge(run, waiting, elsewhere, line, other_line);
}

static void *memory(struct tw_internal_launch *launch)
{
    struct tw_internal_run *run = own_run();
    void *result = run ? local_memory(run, launch->local_bytes) : NULL;
    if (!result)
        refuse(launch, TW_INTERNAL_NO_MEMORY);
    return result;
}

const struct tw_internal_cpu tw_fiber_cpu = {
    .run = run_groups,
    .barrier = barrier,
    .split_memory = split_memory,
    .diverge = diverge_split,
    .memory = memory,
};
