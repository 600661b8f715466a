/* SPDX-License-Identifier: Apache-2.0 */
/* The host backend: the initial device, zero copy. Kernels run in the host lowering on the calling thread's team. */
#define _GNU_SOURCE
#include "host.h"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/omp/omp_start.h"
#include "base/clock.h"
#include "common/fiber.h"
#include "common/topology.h"

/* Enough to overlap single tasks; parallel kernels have the device to themselves. */
#define MAX_LANES 8u

#define TEAM_FILL_BYTES                                                                                                \
    ((size_t)1 << 20) /* what is filled by a team: one thread takes longer than to open the region */

static tw_status count(unsigned *devices)
{
    *devices = 1;
    return TW_SUCCESS;
}

/* How long OpenMP's threads poll before they sleep, in milliseconds. Asked for early: while more threads use OpenMP than there are
   processors, libomp lets them sleep at once and says 0. */
static atomic_int usual_block_ms = -1;

/* In a program with the static library, functions of OpenMP's interface are those of the first OpenMP library that is linked, but
   parallel regions are libomp's: with another one in front, each thread of a team would take itself for the only one. */
static tw_status check_libomp(void)
{
    Dl_info interface, libomp;
    if (!dladdr((void *)(uintptr_t)omp_get_thread_limit, &interface)
        || !dladdr((void *)(uintptr_t)kmp_get_blocktime, &libomp) || interface.dli_fbase == libomp.dli_fbase)
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_UNSUPPORTED,
                   "the program is linked with two OpenMP libraries, and %s comes before %s: link the shared "
                   "library of Teamwork, or leave the first one out (OpenMP::OpenMP_CXX is of the C++ compiler)",
                   interface.dli_fname, libomp.dli_fname);
}

static tw_status open_device(unsigned index, struct tw_backend_device **result)
{
    const tw_status status = check_libomp();
    if (status != TW_SUCCESS)
        return status;
    struct tw_backend_device *device = malloc(sizeof *device);
    if (!device)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the host device");
    tw_omp_start();
    int unknown = -1;
    (void)atomic_compare_exchange_strong(&usual_block_ms, &unknown, kmp_get_blocktime());
    tw_fiber_open();
    const unsigned processors = tw_topology_processors();
    *device = (struct tw_backend_device){.backend = &tw_backend_host,
                                         .index = index,
                                         .type = TW_DEVICE_HOST,
                                         .exclusive = true,
                                         .max_lanes = processors < MAX_LANES ? processors : MAX_LANES};
    *result = device;
    return TW_SUCCESS;
}

static void close_device(struct tw_backend_device *device)
{
    tw_fiber_close();
    free(device);
}

void tw_host_describe(struct tw_backend_device *device, struct tw_device_facts *facts)
{
    (void)device;
    tw_topology_describe(facts);
    facts->max_work_group_size = 8192; /* work-items are loop turns: the limit is what stays in a cache */
    facts->sub_group_size = 1;
    facts->atomic_orders = TW_ALL_ORDERS;
    facts->atomic_scopes = TW_ALL_SCOPES;
    facts->local_mem_type = TW_LOCAL_MEM_GLOBAL;
    facts->local_mem_bytes = TW_HOST_LOCAL_BYTES;
}

size_t tw_host_static_local_bytes(const struct tw_internal_kernel *kernel)
{
    const size_t known = __atomic_load_n(kernel->local_bytes, __ATOMIC_RELAXED);
    if (known)
        return known - 1;
    size_t bytes = 0;
    for (const struct tw_internal_local_note *note = kernel->notes; note != kernel->past_notes; ++note)
        if (strcmp(note->function, kernel->name) == 0 && strcmp(note->unit, kernel->unit) == 0)
            bytes += note->bytes;
    __atomic_store_n(kernel->local_bytes, bytes + 1, __ATOMIC_RELAXED);
    return bytes;
}

tw_status tw_host_check_local(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *launch,
                              size_t most)
{
    const size_t bytes = tw_host_static_local_bytes(kernel);
    if (launch->local_bytes <= most && bytes <= most - launch->local_bytes)
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_OUT_OF_LOCAL_MEMORY,
                   "a group of kernel %s needs %zu bytes of local memory in TW_LOCAL variables and %zu "
                   "in local accessors, which is more than the %zu it can have",
                   kernel->name, bytes, launch->local_bytes, most);
}

tw_status tw_host_check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch)
{
    (void)device;
    if (!kernel->host)
        return tw_fail(TW_ERROR_UNSUPPORTED, "kernel %s has no host version", kernel->name);
    if (!launch->local_bytes && __atomic_load_n(kernel->local_bytes, __ATOMIC_RELAXED) == 1)
        return TW_SUCCESS; /* known to need none, as most do */
    return tw_host_check_local(kernel, launch, TW_HOST_LOCAL_BYTES);
}

/* Each thread of the team runs a group. */
void tw_host_limits(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                    size_t local_bytes, struct tw_kernel_facts *facts)
{
    (void)device, (void)items, (void)local_bytes;
    facts->static_local_bytes = tw_host_static_local_bytes(kernel);
    facts->resident_groups = omp_get_dynamic() ? 1 : (size_t)omp_get_max_threads();
    if (facts->resident_groups > (size_t)omp_get_thread_limit())
        facts->resident_groups = (size_t)omp_get_thread_limit();
}

/* ---- binding ----------------------------------------------------------------------------------------------------------

   A parallel region of unbound threads can take 30 us instead of 1, when the scheduler puts two of them on one processor.
   So the threads that a team adds to the launching one are bound, each to a processor, unless the environment says
   something about binding. The launching thread is the program's own and stays free. */

#define ASIDE_NS 1000000u /* between two times that a thread is moved */

static struct {
    unsigned count; /* 0: do not bind */
    int processors[CPU_SETSIZE];
} binding;
static pthread_once_t binding_chosen = PTHREAD_ONCE_INIT;

static void choose_binding(void)
{
    static const char *const variables[] = {"OMP_PROC_BIND", "OMP_PLACES", "KMP_AFFINITY", "GOMP_CPU_AFFINITY"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i)
        if (getenv(variables[i]))
            return;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
        if (CPU_ISSET(processor, tw_topology_allowed()))
            binding.processors[binding.count++] = processor;
}

/* Moves the launching thread away from a processor that another thread of its team is bound to, and leaves it free there. The
   scheduler does that late: a thread that sleeps now and then is put back where it was. */
static void step_aside(void)
{
    static _Thread_local uint64_t last_ns;
    cpu_set_t mine, free_one;
    const int here = sched_getcpu();
    if (!binding.count || here < 0 || here == binding.processors[0])
        return;
    const uint64_t now = tw_now_ns();
    if (now - last_ns < ASIDE_NS)
        return;
    last_ns = now;
    CPU_ZERO(&free_one);
    CPU_SET(binding.processors[0], &free_one);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0 || !CPU_ISSET(binding.processors[0], &mine))
        return;
    if (sched_setaffinity(0, sizeof free_one, &free_one) == 0)
        (void)sched_setaffinity(0, sizeof mine, &mine);
}

static _Thread_local bool is_worker;

/* A worker's team must not poll for libomp's 200 ms when the program's own thread takes over. Not before it has one: a thread
   that asks libomp for anything is counted (usual_block_ms). */
void tw_host_shorten_polling(void)
{
    static _Thread_local bool done;
    if (!done && !getenv("KMP_BLOCKTIME") && !getenv("OMP_WAIT_POLICY"))
        kmp_set_blocktime(1);
    done = true;
}

static unsigned patience_ms(void)
{
    const int usual = atomic_load_explicit(&usual_block_ms, memory_order_relaxed);
    return usual < 0 ? 0 : is_worker && usual > 1 ? 1 : (unsigned)usual;
}

/* Binds the team of the calling thread, once for each thread and size of the team: libomp keeps it together. Only where
   the team has a thread for each processor is it clear which to take. */
static void bind_team(void)
{
    static _Thread_local int bound;
    if (is_worker)
        tw_host_shorten_polling();
    const int threads = omp_get_max_threads();
    if (threads == 1)
        return;
    pthread_once(&binding_chosen, choose_binding);
    if ((unsigned)threads != binding.count) {
        bound = threads;
        return;
    }
    if (bound != threads) {
        bound = threads;
#pragma omp parallel num_threads(threads)
        {
            const int thread = omp_get_thread_num();
            if (thread) {
                cpu_set_t one;
                CPU_ZERO(&one);
                CPU_SET(binding.processors[thread], &one);
                (void)sched_setaffinity(0, sizeof one, &one);
            }
        }
    }
    step_aside();
}

/* A worker must not inherit the binding of an OpenMP thread that happened to submit. */
void tw_host_begin_thread(struct tw_backend_device *device)
{
    (void)device;
    if (CPU_COUNT(tw_topology_allowed()) > 0)
        (void)sched_setaffinity(0, sizeof(cpu_set_t), tw_topology_allowed());
    is_worker = true;
}

static tw_status divergence(const struct tw_internal_kernel *kernel, const struct tw_internal_divergence *note)
{
    char where[48] = "a group function", elsewhere[64] = "not";
    if (note->line)
        snprintf(where, sizeof where, "the barrier in line %d", note->line);
    if (note->other_line)
        snprintf(elsewhere, sizeof elsewhere, "at the one in line %d", note->other_line);
    return tw_fail(TW_ERROR_DIVERGENT_BARRIER,
                   "in group (%zu, %zu, %zu) of kernel %s %s was reached by %zu work-items, and %zu were "
                   "%s; all of a group must reach a barrier, or none",
                   note->group[0], note->group[1], note->group[2], kernel->name, where, note->waiting, note->finished,
                   elsewhere);
}

/* Says why a kernel did not run. */
static __attribute__((noinline, cold)) tw_status refuse(const struct tw_internal_kernel *kernel,
                                                        const struct tw_internal_launch *description, int fell_back)
{
    switch (fell_back) {
    case TW_INTERNAL_NO_IMAGE:
        tw_refuse_launch();
        return tw_fail(TW_ERROR_NO_DEVICE_IMAGE,
                       "kernel %s has no image for OpenMP device %d: compile and link %s for it, as with "
                       "teamwork_add_offload()",
                       kernel->name, description->device, kernel->file);
    case TW_INTERNAL_NO_THREADS:
        return tw_fail(TW_ERROR_UNSUPPORTED,
                       "kernel %s needs a thread for each of the %zu work-items of a group, which the "
                       "standard mapping (LOWERING teams) did not get; compile %s with LOWERING simt",
                       kernel->name, description->local[0] * description->local[1] * description->local[2],
                       kernel->file);
    case TW_INTERNAL_DIVERGENCE:
        return divergence(kernel, &description->divergence);
    default:
        return tw_fail(TW_ERROR_OUT_OF_MEMORY,
                       "kernel %s: no memory for the stacks or the local memory of its work-groups", kernel->name);
    }
}

tw_status tw_host_outcome(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *description)
{
    const int fell_back = __atomic_load_n(&description->fell_back, __ATOMIC_RELAXED);
    return fell_back ? refuse(kernel, description, fell_back) : TW_SUCCESS;
}

/* ---- running ---------------------------------------------------------------------------------------------------------- */

/* Memory for the parts of a reduction, kept in `scratch`. False: there is none. */
static bool prepare(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description, void **scratch)
{
    description->cpu = &tw_fiber_cpu;
    description->fell_back = 0;
    if (kernel->form == TW_INTERNAL_REDUCTION) {
        if (!*scratch)
            *scratch = aligned_alloc(64, TW_INTERNAL_SCRATCH_BYTES);
        description->scratch = *scratch;
        if (!*scratch)
            description->fell_back = TW_INTERNAL_NO_MEMORY;
    }
    return !description->fell_back;
}

static void end(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description)
{
    if (kernel->host_end)
        kernel->host_end(description);
}

tw_status tw_host_run(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description,
                      const struct tw_host_prelude *prelude)
{
    void *scratch = NULL;
    if (kernel->form == TW_INTERNAL_SINGLE_TASK) {
        (void)prepare(kernel, description, &scratch);
        if (prelude)
            prelude->run(prelude, 0, 1);
        kernel->host(description, 0, 1);
    } else if (prepare(kernel, description, &scratch)) {
        bind_team();
#pragma omp parallel
        {
            const size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
            if (prelude) {
                prelude->run(prelude, thread, threads);
#pragma omp barrier
            }
            kernel->host(description, thread, threads);
        }
        end(kernel, description);
    }
    free(scratch);
    return tw_host_outcome(kernel, description);
}

static tw_status launch(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description)
{
    (void)device;
    return tw_host_run(kernel, description, NULL);
}

/* ---- series: several kernels in one parallel region -------------------------------------------------------------------

   To open and close a region for each kernel costs small ones more than their work. So the team stays together as long as there
   is another kernel: its first thread tells the others, and hears from them when they are done. In between the first thread is in
   the runtime, for less than a microsecond. */

#define FIRST_POLLS 64u  /* before a thread looks whether it holds up those that it waits for, */
#define POLLS 500u       /* and before it lets others run, and between two times that it does */
#define MOST_THREADS 64u /* of a series: they all share two counters, which takes longer the more they are */

struct team {
    struct tw_backend_series *series; /* its kernel is that of the turn */
    bool over;
    uint64_t patience_ns; /* before a thread that waits sleeps: OpenMP's */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    atomic_uint sleepers;
    atomic_int processors[MOST_THREADS]; /* that the threads were last seen on */
    _Alignas(64) atomic_uint turn;       /* kernels begun */
    _Alignas(64) atomic_uint done;       /* pieces that the other threads have run, of all kernels */
};

static void advance(struct team *team, atomic_uint *counter)
{
    /* either this sees that a thread sleeps, or that one sees the counter */
    atomic_fetch_add(counter, 1u);
    if (!atomic_load(&team->sleepers))
        return;
    pthread_mutex_lock(&team->mutex);
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->mutex);
}

static bool poll(const atomic_uint *counter, unsigned value, unsigned polls)
{
    for (unsigned i = 0; i < polls; ++i) {
        if (atomic_load_explicit(counter, memory_order_acquire) == value)
            return true;
        tw_pause();
    }
    return false;
}

/* Notes on which processor a thread of the team runs. */
static void note_processor(struct team *team, unsigned thread)
{
    const int now = sched_getcpu();
    if (atomic_load_explicit(&team->processors[thread], memory_order_relaxed) != now)
        atomic_store_explicit(&team->processors[thread], now, memory_order_relaxed);
}

/* Whether another thread that this one waits for, the first or any, was last on the processor of this one. */
static bool holds_up(const struct team *team, unsigned thread, unsigned threads)
{
    const int here = sched_getcpu();
    if (thread)
        return atomic_load_explicit(&team->processors[0], memory_order_relaxed) == here;
    for (unsigned other = 1; other < threads; ++other)
        if (atomic_load_explicit(&team->processors[other], memory_order_relaxed) == here)
            return true;
    return false;
}

/* Waits until a counter has a value. Where other programs take processors, two threads of a team may be on the same one: then
   polling is what holds up the other. Else to yield early may cost the slice of another program. */
static void await(struct team *team, atomic_uint *counter, unsigned value, unsigned thread, unsigned threads)
{
    if (poll(counter, value, FIRST_POLLS))
        return;
    const bool shares = holds_up(team, thread, threads);
    if (shares && !thread)
        step_aside();
    const uint64_t until = tw_now_ns() + team->patience_ns;
    if (!shares && poll(counter, value, POLLS))
        return;
    do {
        sched_yield();
        if (poll(counter, value, shares ? FIRST_POLLS / 4 : POLLS))
            return;
    } while (tw_now_ns() < until);
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&team->sleepers, 1u);
    while (atomic_load(counter) != value)
        pthread_cond_wait(&team->changed, &team->mutex);
    atomic_fetch_sub(&team->sleepers, 1u);
    pthread_mutex_unlock(&team->mutex);
}

/* Finds a kernel that is ready to run, from the one that the series is at, if `more`, on. False: there is none. */
static bool find_ready(struct tw_backend_series *series, bool more, void **scratch)
{
    while (more && series->kernel->form != TW_INTERNAL_SINGLE_TASK && !prepare(series->kernel, series->launch, scratch))
        more = series->next(series, tw_host_outcome(series->kernel, series->launch));
    return more;
}

/* The first thread: runs kernels with the others, up to one that is not for a team. Returns whether there is one. */
static bool lead(struct team *team, unsigned threads, void **scratch)
{
    struct tw_backend_series *series = team->series;
    bool more;
    unsigned turn = 0;
    do {
        const struct tw_internal_kernel *kernel = series->kernel;
        struct tw_internal_launch *description = series->launch;
        ++turn;
        note_processor(team, 0);
        advance(team, &team->turn);
        kernel->host(description, 0, threads);
        await(team, &team->done, turn * (threads - 1), 0, threads);
        end(kernel, description);
        more = find_ready(series, series->next(series, tw_host_outcome(kernel, description)), scratch);
    } while (more && series->kernel->form != TW_INTERNAL_SINGLE_TASK);
    team->over = true;
    advance(team, &team->turn);
    return more;
}

static void follow(struct team *team, unsigned thread, unsigned threads)
{
    for (unsigned turn = 1;; ++turn) {
        await(team, &team->turn, turn, thread, threads);
        if (team->over)
            return;
        note_processor(team, thread);
        team->series->kernel->host(team->series->launch, thread, threads);
        advance(team, &team->done);
    }
}

static bool run_team(struct tw_backend_series *series, void **scratch)
{
    struct team team = {.series = series,
                        .patience_ns = patience_ms() * (uint64_t)1000000u,
                        .mutex = PTHREAD_MUTEX_INITIALIZER,
                        .changed = PTHREAD_COND_INITIALIZER};
    for (unsigned thread = 0; thread < MOST_THREADS; ++thread)
        atomic_init(&team.processors[thread], -1);
    bool more = false;
#pragma omp parallel
    {
        const unsigned thread = (unsigned)omp_get_thread_num(), threads = (unsigned)omp_get_num_threads();
        if (thread == 0)
            more = lead(&team, threads, scratch);
        else
            follow(&team, thread, threads);
    }
    pthread_mutex_destroy(&team.mutex);
    pthread_cond_destroy(&team.changed);
    return more;
}

static void launch_series(struct tw_backend_device *device, struct tw_backend_series *series)
{
    void *scratch = NULL;
    (void)device;
    bind_team();
    const bool has_team = (unsigned)omp_get_max_threads() <= MOST_THREADS;
    bool more = find_ready(series, true, &scratch);
    while (more) {
        if (has_team && series->kernel->form != TW_INTERNAL_SINGLE_TASK)
            more = run_team(series, &scratch);
        else
            more =
                find_ready(series, series->next(series, tw_host_run(series->kernel, series->launch, NULL)), &scratch);
    }
    free(scratch);
}

const struct tw_backend tw_backend_host = {
    .name = "host",
    .count = count,
    .open = open_device,
    .close = close_device,
    .begin_thread = tw_host_begin_thread,
    .describe = tw_host_describe,
    .check = tw_host_check,
    .limits = tw_host_limits,
    .launch = launch,
    .launch_series = launch_series,
};
