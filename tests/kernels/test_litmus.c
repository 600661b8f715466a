/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (x86_64 x86_64-teams gpu-simt gpu-teams), unsanitized, long */
/**
 * Litmus tests of the memory model (lower/group/atomic.h, docs/memory_model.md): small programs of two to four roles on two
 * locations, x and y, run many times. An outcome that the model forbids must never appear.
 *
 * A lane is a set of work-items, one for each role, and has its own locations for each of its trials. The roles walk
 * through the trials side by side: every few trials each sets a flag and waits for those of the others, then for a time
 * that differs, so that they overlap in many ways. A work-item that meets nobody for a while stops meeting; what it does
 * then is still right, it only overlaps less. So nothing hangs where groups run one after the other.
 *
 * Roles are work-items of a group, work-items of several groups, or those of one kernel but for the first role, which
 * is a thread of the program or a kernel on another device: these two share host memory. Not every device has
 * read-modify-writes that are atomic with the host's there; on the others the programs without any are run.
 *
 * TW_LITMUS_TRIALS in the environment is the number of trials of each case, and makes the program print a table: the
 * trials before which all roles had met, how often an outcome came about that shows that roles overlapped, and how
 * often the one that the program is about, which the model allows or forbids.
 */
#include "nd_range_test.h"

#include <omp.h>
#include <sched.h>
#include <teamwork/atomic.h>

/* ---- the programs ------------------------------------------------------------------------------------------------ */

/* What a role does: at most two accesses. */
enum kind {
    W,              /* one store */
    WW,             /* two stores */
    WR,             /* a store, then a load */
    RW,             /* a load, then a store */
    RR,             /* two loads */
    PLAIN_W_THEN_W, /* an ordinary store, then an atomic one */
    R_THEN_PLAIN_R, /* an atomic load and, if it saw 1, an ordinary one */
    BUMP            /* a relaxed addition of 1, in every variant */
};
enum { X, Y };

struct role {
    unsigned char kind, first, first_value, second, second_value; /* a location, and what is stored there */
};

/* What a trial must have left for this to be its outcome: what the roles' loads returned, and the last values. */
enum { ANY = 9, ROLES = 4 };
struct outcome {
    unsigned char load[ROLES][2]; /* by the first access and by the second; 9: any value */
    unsigned char last[2];        /* of x and y; 9: any value */
};
/* Outcomes by the loads of the first two roles, of the second and third, of the third and fourth; and with last values.
   clang-format would break them up. */
// clang-format off
#define LOADS(a, b, c, d, e, f, g, h) {{a, b}, {c, d}, {e, f}, {g, h}}
#define SEE_12(a, b, c, d) {LOADS(a, b, c, d, ANY, ANY, ANY, ANY), {ANY, ANY}}
#define SEE_23(c, d, e, f) {LOADS(ANY, ANY, c, d, e, f, ANY, ANY), {ANY, ANY}}
#define SEE_34(e, f, g, h) {LOADS(ANY, ANY, ANY, ANY, e, f, g, h), {ANY, ANY}}
#define END(a, b, x, y) {LOADS(a, b, ANY, ANY, ANY, ANY, ANY, ANY), {x, y}}
// clang-format on

/* In which orders the accesses are. */
enum variant {
    RELAXED,
    ACQ_REL, /* stores release, loads acquire */
    SEQ_CST,
    FENCE,    /* relaxed, with an acq_rel fence in between */
    FENCE_SC, /* relaxed, with a seq_cst fence in between */
    RMW,      /* exchanges, and additions of 0, that are acq_rel */
    RMW_SC,   /* the same, seq_cst */
    VARIANTS
};
static const char *const variant_names[VARIANTS] = {"relaxed",       "acq_rel",     "seq_cst",    "acq_rel fence",
                                                    "seq_cst fence", "acq_rel rmw", "seq_cst rmw"};
#define BIT(variant) (1u << (variant))
#define ALL_VARIANTS (BIT(VARIANTS) - 1)
#define ORDERED (ALL_VARIANTS & ~BIT(RELAXED))
/* Read-modify-writes see the latest value, and so do more than loads and stores of their order. */
#define TOTAL (BIT(SEQ_CST) | BIT(FENCE_SC) | BIT(RMW) | BIT(RMW_SC))

/* ThreadSanitizer does not know fences, and takes what they order for a race. */
#define PLAIN_DATA ORDERED
#define CPU_BATCHES 512u
#define CPU_BATCH 32u
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef PLAIN_DATA
#define PLAIN_DATA (ORDERED & ~BIT(FENCE) & ~BIT(FENCE_SC))
#undef CPU_BATCHES
#define CPU_BATCHES 128u /* a trial takes many times as long, and one shows a missing order */
#endif
#endif

struct program {
    const char *name;
    struct role role[ROLES];
    unsigned roles, run, forbidden; /* forbidden, and run: sets of variants */
    struct outcome weak[3];         /* the outcomes in question; all 0 ends the list */
    struct outcome overlap;         /* comes about where roles overlap */
};

// clang-format off
static const struct program programs[] = {
    {.name = "message passing", .roles = 2, .run = ALL_VARIANTS, .forbidden = ORDERED,
     .role = {{WW, X, 1, Y, 1}, {RR, Y, 0, X, 0}},
     .weak = {SEE_12(ANY, ANY, 1, 0)}, .overlap = SEE_12(ANY, ANY, 0, 1)},

    /* As programs use it: the message is ordinary data, which nobody touches without having seen the flag. Relaxed,
       that would be a race. Here an overlap is that the flag was seen. */
    {.name = "message of plain data", .roles = 2, .run = PLAIN_DATA, .forbidden = ORDERED,
     .role = {{PLAIN_W_THEN_W, X, 1, Y, 1}, {R_THEN_PLAIN_R, Y, 0, X, 0}},
     .weak = {SEE_12(ANY, ANY, 1, 0)}, .overlap = SEE_12(ANY, ANY, 1, 1)},

    {.name = "store buffering", .roles = 2, .run = ALL_VARIANTS, .forbidden = TOTAL,
     .role = {{WR, X, 1, Y, 0}, {WR, Y, 1, X, 0}},
     .weak = {SEE_12(ANY, 0, ANY, 0)}, .overlap = SEE_12(ANY, 1, ANY, 1)},

    {.name = "load buffering", .roles = 2, .run = ALL_VARIANTS, .forbidden = ORDERED,
     .role = {{RW, X, 0, Y, 1}, {RW, Y, 0, X, 1}},
     .weak = {SEE_12(1, ANY, 1, ANY)}, .overlap = SEE_12(0, ANY, 0, ANY)},

    {.name = "2+2 writes", .roles = 2, .run = ALL_VARIANTS, .forbidden = TOTAL,
     .role = {{WW, X, 1, Y, 2}, {WW, Y, 1, X, 2}},
     .weak = {END(ANY, ANY, 1, 1)}, .overlap = END(ANY, ANY, 2, 2)},

    /* One location is in one order for everyone, whatever the order of the operations. */
    {.name = "coherence, read read", .roles = 2, .run = ALL_VARIANTS, .forbidden = ALL_VARIANTS,
     .role = {{W, X, 1, X, 0}, {RR, X, 0, X, 0}},
     .weak = {SEE_12(ANY, ANY, 1, 0)}, .overlap = SEE_12(ANY, ANY, 0, 1)},
    {.name = "coherence, write write", .roles = 2, .run = ALL_VARIANTS, .forbidden = ALL_VARIANTS,
     .role = {{WW, X, 1, X, 2}, {RR, X, 0, X, 0}},
     .weak = {SEE_12(ANY, ANY, 2, 1), SEE_12(ANY, ANY, 2, 0), END(ANY, ANY, 1, ANY)},
     .overlap = SEE_12(ANY, ANY, 1, 2)},
    {.name = "coherence, write read", .roles = 2, .run = ALL_VARIANTS, .forbidden = ALL_VARIANTS,
     .role = {{WR, X, 1, X, 0}, {W, X, 2, X, 0}},
     .weak = {SEE_12(ANY, 0, ANY, ANY), END(ANY, 2, 1, ANY)}, .overlap = SEE_12(ANY, 2, ANY, ANY)},
    {.name = "coherence, read write", .roles = 2, .run = ALL_VARIANTS, .forbidden = ALL_VARIANTS,
     .role = {{RW, X, 0, X, 1}, {W, X, 2, X, 0}},
     .weak = {SEE_12(1, ANY, ANY, ANY), END(2, ANY, 2, ANY)}, .overlap = END(0, ANY, 1, ANY)},

    {.name = "write to read", .roles = 3, .run = ALL_VARIANTS, .forbidden = ORDERED,
     .role = {{W, X, 1, X, 0}, {RW, X, 0, Y, 1}, {RR, Y, 0, X, 0}},
     .weak = {SEE_23(1, ANY, 1, 0)}, .overlap = SEE_23(0, ANY, 0, 1)},

    /* The flag is changed by another before it is seen: a read-modify-write carries on what its predecessor
       released. */
    {.name = "release sequence", .roles = 3, .run = ALL_VARIANTS, .forbidden = ORDERED,
     .role = {{WW, X, 1, Y, 1}, {BUMP, Y, 0, Y, 0}, {RR, Y, 0, X, 0}},
     .weak = {SEE_23(1, ANY, 2, 0)}, .overlap = SEE_23(1, ANY, 2, 1)},

    {.name = "independent reads", .roles = 4, .run = ALL_VARIANTS, .forbidden = TOTAL,
     .role = {{W, X, 1, X, 0}, {W, Y, 1, Y, 0}, {RR, X, 0, Y, 0}, {RR, Y, 0, X, 0}},
     .weak = {SEE_34(1, 0, 1, 0)}, .overlap = SEE_34(0, 1, 0, 1)},
};
// clang-format on
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* ---- the kernels ------------------------------------------------------------------------------------------------- */

enum { LINE = 32 }; /* locations are 128 bytes apart */

enum { WEAK, OVERLAPS, MET, COUNTS }; /* trials: MET, those before which all roles met */

struct litmus {
    int *memory;       /* x of all trials, then y */
    unsigned *arrived; /* for each batch and lane, ROLES flags: who has arrived */
    unsigned *loads;   /* ROLES for each trial: what the two loads returned, in 4 bits each */
    struct role role[ROLES];
    struct outcome weak[3], overlap;
    unsigned roles, lanes;    /* lanes: of one group, or of the groups that share a lane's roles */
    unsigned first, playing;  /* the roles that this launch plays */
    unsigned batches, batch;  /* trials of a lane: batches * batch */
    unsigned inside;          /* the roles of a lane are in one group */
    unsigned scope, patience; /* patience: how often the flags are read before they are given up */
    unsigned all_lanes, seed;
    unsigned long long *count; /* COUNTS */
};

/* Trials of neighbouring lanes are neighbours. y is far from x and in another order. all: how many trials there are. */
static inline int *location(int *memory, size_t all, unsigned which, size_t trial)
{
    return memory + (which == X ? trial : 2 * all - 1 - trial) * LINE;
}

static inline __attribute__((always_inline)) void put(int *object, int value, enum variant variant,
                                                      tw_memory_scope scope)
{
    if (variant == ACQ_REL)
        tw_atomic_store(object, value, TW_ORDER_RELEASE, scope);
    else if (variant == SEQ_CST)
        tw_atomic_store(object, value, TW_ORDER_SEQ_CST, scope);
    else if (variant == RMW)
        tw_atomic_exchange(object, value, TW_ORDER_ACQ_REL, scope);
    else if (variant == RMW_SC)
        tw_atomic_exchange(object, value, TW_ORDER_SEQ_CST, scope);
    else
        tw_atomic_store(object, value, TW_ORDER_RELAXED, scope);
}

static inline __attribute__((always_inline)) int get(int *object, enum variant variant, tw_memory_scope scope)
{
    return variant == ACQ_REL   ? tw_atomic_load(object, TW_ORDER_ACQUIRE, scope)
           : variant == SEQ_CST ? tw_atomic_load(object, TW_ORDER_SEQ_CST, scope)
           : variant == RMW     ? tw_atomic_fetch_add(object, 0, TW_ORDER_ACQ_REL, scope)
           : variant == RMW_SC  ? tw_atomic_fetch_add(object, 0, TW_ORDER_SEQ_CST, scope)
                                : tw_atomic_load(object, TW_ORDER_RELAXED, scope);
}

static inline __attribute__((always_inline)) void between(enum variant variant, tw_memory_scope scope)
{
    if (variant == FENCE)
        tw_atomic_fence(TW_ORDER_ACQ_REL, scope);
    else if (variant == FENCE_SC)
        tw_atomic_fence(TW_ORDER_SEQ_CST, scope);
}

/* One role's part of one trial; returns what its loads saw. kind, variant and scope are constants here. */
static inline __attribute__((always_inline)) unsigned act(int *a, int a_value, int *b, int b_value, enum kind kind,
                                                          enum variant variant, tw_memory_scope scope)
{
    int first = 0, second = 0;
    if (kind == PLAIN_W_THEN_W)
        *a = a_value;
    else if (kind == W || kind == WW || kind == WR)
        put(a, a_value, variant, scope);
    else if (kind == BUMP)
        first = tw_atomic_fetch_add(a, 1, TW_ORDER_RELAXED, scope);
    else
        first = get(a, variant, scope);
    if (kind != W && kind != BUMP)
        between(variant, scope);
    if (kind == R_THEN_PLAIN_R)
        second = first == 1 ? *b : 0;
    else if (kind == WR || kind == RR)
        second = get(b, variant, scope);
    else if (kind != W && kind != BUMP)
        put(b, b_value, variant, scope);
    return (unsigned)first | (unsigned)second << 4;
}

/* On a machine with more to do than cores, those that are waited for get their turn sooner; that counts as many
   turns. */
static inline unsigned let_others_run(void)
{
#if defined(__NVPTX__) || defined(__AMDGCN__)
    return 0;
#else
    sched_yield();
    return 65536;
#endif
}

static inline __attribute__((always_inline)) bool all_are_here(const unsigned *arrived, unsigned roles,
                                                               tw_memory_scope scope)
{
    for (unsigned role = 0; role < roles; ++role)
        if (!tw_atomic_load(&arrived[role], TW_ORDER_RELAXED, scope))
            return false;
    return true;
}

/* Waits, if `patience` is left, until all roles of the lane are here; returns what is left of it. There are only loads
   and stores, which every device has in host memory. */
static inline __attribute__((always_inline)) unsigned meet(unsigned *arrived, unsigned role, unsigned roles,
                                                           unsigned patience, tw_memory_scope scope)
{
    unsigned turns = 0;
    if (patience) {
        tw_atomic_store(&arrived[role], 1u, TW_ORDER_RELAXED, scope);
        while (turns < patience && !all_are_here(arrived, roles, scope))
            turns += turns % 65536 == 65535 ? 1 + let_others_run() : 1;
    }
    return turns < patience ? patience : 0;
}

/* Takes a while that nobody can foresee, and returns the noise for the next one. */
static inline unsigned pause_for(unsigned noise)
{
    noise = noise * 1664525u + 1013904223u;
    for (unsigned turns = noise >> 25; turns; --turns)
        noise = noise * 1664525u + 1013904223u;
    return noise;
}

static inline __attribute__((always_inline)) void walk(const struct litmus *k, unsigned lane, unsigned role,
                                                       enum kind kind, enum variant variant, tw_memory_scope scope)
{
    /* the block is not read between the accesses */
    const struct role r = k->role[role];
    int *const memory = k->memory;
    unsigned *const arrived = k->arrived + (size_t)lane * ROLES, *const loads = k->loads + role;
    const unsigned roles = k->roles, batches = k->batches, per_batch = k->batch, all_lanes = k->all_lanes;
    const size_t all = (size_t)all_lanes * batches * per_batch;
    unsigned patience = k->patience, noise = (k->seed * ROLES + role) * 2654435761u + lane;
    size_t trial = lane;
    for (unsigned batch = 0; batch < batches; ++batch) {
        patience = meet(&arrived[(size_t)batch * all_lanes * ROLES], role, roles, patience,
                        scope == TW_SCOPE_SYSTEM ? TW_SCOPE_SYSTEM : TW_SCOPE_DEVICE);
        noise = pause_for(noise);
        for (unsigned i = 0; i < per_batch; ++i, trial += all_lanes) {
            int *const a = location(memory, all, r.first, trial), *const b = location(memory, all, r.second, trial);
            const unsigned seen = act(a, r.first_value, b, r.second_value, kind, variant, scope);
            loads[trial * ROLES] = seen | noise << 8; /* so that the noise is computed */
        }
    }
}

static inline __attribute__((always_inline)) void play(const struct litmus *k, unsigned lane, unsigned role,
                                                       enum variant variant, tw_memory_scope scope)
{
    switch (k->role[role].kind) {
    case W:
        walk(k, lane, role, W, variant, scope);
        break;
    case WW:
        walk(k, lane, role, WW, variant, scope);
        break;
    case WR:
        walk(k, lane, role, WR, variant, scope);
        break;
    case RW:
        walk(k, lane, role, RW, variant, scope);
        break;
    case RR:
        walk(k, lane, role, RR, variant, scope);
        break;
    case PLAIN_W_THEN_W:
        walk(k, lane, role, PLAIN_W_THEN_W, variant, scope);
        break;
    case BUMP:
        walk(k, lane, role, BUMP, variant, scope);
        break;
    default:
        walk(k, lane, role, R_THEN_PLAIN_R, variant, scope);
    }
}

/* Roles are groups, one after the other, or parts of a group. */
static inline __attribute__((always_inline)) void take_part(tw_nd_item item, const struct litmus *k,
                                                            enum variant variant)
{
    const unsigned group = (unsigned)tw_group_id(item, 0), local = (unsigned)tw_local_id(item, 0);
    const unsigned role = k->first + (k->inside ? local / k->lanes : group % k->playing);
    const unsigned lane = k->inside ? group * k->lanes + local % k->lanes : group / k->playing * k->lanes + local;
    if (k->scope == TW_SCOPE_WORK_GROUP)
        play(k, lane, role, variant, TW_SCOPE_WORK_GROUP);
    else if (k->scope == TW_SCOPE_DEVICE)
        play(k, lane, role, variant, TW_SCOPE_DEVICE);
    else
        play(k, lane, role, variant, TW_SCOPE_SYSTEM);
}

#define LITMUS_KERNEL(name, variant)                                                                                   \
    struct name {                                                                                                      \
        struct litmus all;                                                                                             \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        take_part(item, &k->all, variant);                                                                             \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name);
LITMUS_KERNEL(litmus_relaxed, RELAXED)
LITMUS_KERNEL(litmus_acq_rel, ACQ_REL)
LITMUS_KERNEL(litmus_seq_cst, SEQ_CST)
LITMUS_KERNEL(litmus_fence, FENCE)
LITMUS_KERNEL(litmus_fence_sc, FENCE_SC)
LITMUS_KERNEL(litmus_rmw, RMW)
LITMUS_KERNEL(litmus_rmw_sc, RMW_SC)

static inline bool came_about(const struct outcome *outcome, const unsigned loads[ROLES], const int last[2])
{
    bool same = true;
    for (unsigned role = 0; role < ROLES; ++role) {
        const unsigned char *const expected = outcome->load[role];
        same &= expected[0] == ANY || expected[0] == (loads[role] & 15);
        same &= expected[1] == ANY || expected[1] == (loads[role] >> 4 & 15);
    }
    for (unsigned which = X; which <= Y; ++which)
        same &= outcome->last[which] == ANY || outcome->last[which] == last[which];
    return same;
}

/* Looks at a trial, and makes its locations and its lane's flags ready for the next one. */
struct judge {
    struct litmus all;
};
static inline void judge_trial(const struct litmus *k, size_t trial)
{
    const size_t all = (size_t)k->all_lanes * k->batches * k->batch;
    int *const x = location(k->memory, all, X, trial), *const y = location(k->memory, all, Y, trial);
    const int last[2] = {*x, *y};
    const unsigned *const loads = k->loads + trial * ROLES;
    if (came_about(&k->weak[0], loads, last) || came_about(&k->weak[1], loads, last)
        || came_about(&k->weak[2], loads, last))
        tw_atomic_fetch_add(&k->count[WEAK], 1);
    if (came_about(&k->overlap, loads, last))
        tw_atomic_fetch_add(&k->count[OVERLAPS], 1);
    *x = *y = 0;
    if (trial < (size_t)k->all_lanes * k->batches) {
        unsigned *const arrived = k->arrived + trial * ROLES, here = 0;
        for (unsigned role = 0; role < ROLES; ++role) {
            here += arrived[role];
            arrived[role] = 0;
        }
        if (here == k->roles)
            tw_atomic_fetch_add(&k->count[MET], k->batch);
    }
}
static inline void judge(tw_item item, const struct judge *block)
{
    judge_trial(&block->all, tw_global_id(item, 0));
}
TW_RANGE_KERNEL(judge, 1);

/* Idle threads of OpenMP teams sleep: those of another team would keep a role from running. Set before OpenMP looks. */
__attribute__((constructor)) static void let_idle_threads_sleep(void)
{
    setenv("OMP_WAIT_POLICY", "passive", 0);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* How trials are laid out on the device under test. */
struct layout {
    tw_queue *queue;
    tw_buffer *memory, *arrived, *loads, *count;
    unsigned sets; /* groups, or sets of groups, that play at the same time */
    unsigned lanes, batches, batch, patience;
    bool gpu;
    unsigned long long trials;
};

/* Many lanes on a GPU, of few trials each; one lane on a CPU. */
static void lay_out(struct layout *l, tw_queue *queue, bool inside)
{
    const char *trials = getenv("TW_LITMUS_TRIALS");
    memset(l, 0, sizeof *l);
    l->queue = queue;
    const bool gpu = l->gpu = tw_device_is_gpu(tw_queue_device(queue));
    l->trials = trials ? strtoull(trials, NULL, 10) : gpu ? 200000 : CPU_BATCHES * CPU_BATCH;
    l->lanes = gpu ? 64 : inside ? 2 : 1;
    l->sets = gpu ? 16 : 1;
    l->batches = gpu ? 8 : CPU_BATCHES;
    l->batch = gpu ? 8 : CPU_BATCH;
    l->patience = gpu                                   ? 2000
                  : inside || omp_get_max_threads() < 2 ? 0         /* the roles are one thread */
                                                        : 10000000; /* some ms: until another thread gets its turn */
    const size_t most = (size_t)l->sets * l->lanes * l->batches * l->batch;
    l->memory = tw_test_zeroed(sizeof(int) * LINE, 2 * most);
    l->arrived = tw_test_zeroed(sizeof(unsigned) * ROLES, (size_t)l->sets * l->lanes * l->batches);
    l->loads = tw_test_zeroed(sizeof(unsigned) * ROLES, most);
    l->count = tw_test_zeroed(sizeof(unsigned long long), COUNTS);
}

static void clear_away(struct layout *l)
{
    TW_PASS(tw_buffer_destroy(&l->memory));
    TW_PASS(tw_buffer_destroy(&l->arrived));
    TW_PASS(tw_buffer_destroy(&l->loads));
    TW_PASS(tw_buffer_destroy(&l->count));
    TW_PASS(tw_queue_destroy(&l->queue));
}

/* A list that is shorter repeats its first member. */
static struct outcome weak_outcome(const struct program *p, size_t i)
{
    return i && !p->weak[i].last[X] ? p->weak[0] : p->weak[i];
}

static struct litmus block_for(const struct layout *l, const struct program *p, tw_memory_scope scope, bool inside,
                               tw_command_group *cg)
{
    struct litmus k = {.memory = tw_read_write(cg, l->memory),
                       .arrived = tw_read_write(cg, l->arrived),
                       .loads = tw_read_write(cg, l->loads),
                       .count = tw_read_write(cg, l->count),
                       .overlap = p->overlap,
                       .roles = p->roles,
                       .playing = p->roles,
                       .lanes = l->lanes,
                       .batches = l->batches,
                       .batch = l->batch,
                       .inside = inside,
                       .scope = scope,
                       .patience = l->gpu || p->roles <= (unsigned)omp_get_max_threads() ? l->patience : 0,
                       .all_lanes = l->sets * l->lanes};
    memcpy(k.role, p->role, sizeof k.role);
    for (size_t i = 0; i < 3; ++i)
        k.weak[i] = weak_outcome(p, i);
    return k;
}

static void launch(tw_command_group *cg, tw_nd_range range, enum variant variant, struct litmus k)
{
    switch (variant) {
    case RELAXED:
        tw_parallel_for_nd_range(cg, range, litmus_relaxed, .all = k);
        break;
    case ACQ_REL:
        tw_parallel_for_nd_range(cg, range, litmus_acq_rel, .all = k);
        break;
    case SEQ_CST:
        tw_parallel_for_nd_range(cg, range, litmus_seq_cst, .all = k);
        break;
    case FENCE:
        tw_parallel_for_nd_range(cg, range, litmus_fence, .all = k);
        break;
    case FENCE_SC:
        tw_parallel_for_nd_range(cg, range, litmus_fence_sc, .all = k);
        break;
    case RMW:
        tw_parallel_for_nd_range(cg, range, litmus_rmw, .all = k);
        break;
    default:
        tw_parallel_for_nd_range(cg, range, litmus_rmw_sc, .all = k);
    }
}

/* Runs one case. */
static void run_case(const struct layout *l, const struct program *p, enum variant variant, tw_memory_scope scope,
                     bool inside, unsigned long long count[COUNTS])
{
    const size_t at_once = (size_t)l->sets * l->lanes * l->batches * l->batch;
    const size_t groups = inside ? l->sets : (size_t)l->sets * p->roles;
    const size_t local = inside ? (size_t)l->lanes * p->roles : l->lanes;
    static const unsigned long long none[COUNTS];
    unsigned seed = 1;
    tw_test_store(l->count, none);
    for (unsigned long long done = 0; done < l->trials; done += at_once, ++seed) {
        tw_command_group *cg = tw_queue_begin(l->queue);
        struct litmus k = block_for(l, p, scope, inside, cg);
        k.seed = seed;
        launch(cg, nd_groups(tw_range_1d(groups), tw_range_1d(local)), variant, k);
        TW_PASS(tw_queue_submit(l->queue, cg, NULL));
        cg = tw_queue_begin(l->queue);
        k = block_for(l, p, scope, inside, cg);
        tw_parallel_for(cg, tw_range_1d(at_once), judge, .all = k);
        TW_PASS(tw_queue_submit(l->queue, cg, NULL));
        /* the waiting thread runs the kernels of a CPU, with its one team; a worker's would compete with it */
        TW_PASS(tw_queue_wait_and_throw(l->queue));
    }
    tw_test_fetch(l->count, count);
}

/* Fails if there was an outcome that is forbidden; or if what is allowed, and common on every machine of today, did not
   come about in many trials: then the test shows nothing. */
static void judge_case(const struct program *p, enum variant variant, const char *where,
                       const unsigned long long count[COUNTS])
{
    const bool forbidden = p->forbidden & BIT(variant);
    /* a group's work-items share what they write too early for a store to be seen late */
    const bool control =
        strcmp(p->name, "store buffering") == 0 && variant == RELAXED && strncmp(where, "groups", 6) == 0;
    if (getenv("TW_LITMUS_TRIALS")) {
        printf("%-22s %-13s %-20s met %10llu  overlap %10llu  %s %llu\n", p->name, variant_names[variant], where,
               count[MET], count[OVERLAPS], forbidden ? "forbidden" : "allowed", count[WEAK]);
        fflush(stdout); /* it may take long */
    }
    if (forbidden && count[WEAK])
        fprintf(stderr, "%s, %s, %s: %llu forbidden outcomes\n", p->name, variant_names[variant], where, count[WEAK]);
    TW_CHECK(!forbidden || !count[WEAK]);
    TW_CHECK(!control || count[WEAK] || count[MET] < 5000000);
}

/* Every program in every variant; inside: the roles are in one group. */
static void run_all(tw_queue *queue, bool inside, tw_memory_scope scope)
{
    static const char *const scopes[] = {"work_item", "sub_group", "work_group", "device", "system"};
    char where[32];
    struct layout l;
    lay_out(&l, queue, inside);
    snprintf(where, sizeof where, "%s, %s", inside ? "one group" : "groups", scopes[scope]);
    for (const struct program *p = programs; p < programs + PROGRAMS; ++p)
        for (unsigned variant = 0; variant < VARIANTS; ++variant) {
            unsigned long long count[COUNTS];
            if (!(p->run & BIT(variant)))
                continue;
            run_case(&l, p, (enum variant)variant, scope, inside, count);
            judge_case(p, (enum variant)variant, where, count);
        }
    clear_away(&l);
}

/* ---- a running kernel, and threads of the program or another device ---------------------------------------------- */

/* Who plays the first role: a kernel on `queue`, or the thread itself if that is NULL. */
struct outsider {
    struct litmus k;
    enum variant variant;
    tw_queue *queue;
};

static void *play_outside(void *context)
{
    const struct outsider *const o = context;
    if (o->queue) {
        tw_command_group *cg = tw_queue_begin(o->queue);
        launch(cg, nd_groups(tw_range_1d(1), tw_range_1d(1)), o->variant, o->k);
        TW_PASS(tw_queue_submit(o->queue, cg, NULL));
        TW_PASS(tw_queue_wait_and_throw(o->queue));
        return NULL;
    }
#define PLAY(variant)                                                                                                  \
    case variant:                                                                                                      \
        play(&o->k, 0, 0, variant, TW_SCOPE_SYSTEM);                                                                   \
        break;
    switch (o->variant) {
        PLAY(RELAXED)
        PLAY(ACQ_REL)
        PLAY(SEQ_CST)
        PLAY(FENCE)
        PLAY(FENCE_SC)
        PLAY(RMW)
        PLAY(RMW_SC)
    default:;
    }
    return NULL;
}

/* The kernel on `queue` plays all roles but the first, one work-item each. */
static void play_with(tw_queue *queue, struct outsider *outsider)
{
    struct litmus k = outsider->k;
    pthread_t thread;
    k.first = 1;
    k.playing = k.roles - 1;
    outsider->k.playing = 1;
    TW_CHECK(pthread_create(&thread, NULL, play_outside, outsider) == 0);
    tw_command_group *cg = tw_queue_begin(queue);
    launch(cg, nd_groups(tw_range_1d(k.playing), tw_range_1d(1)), outsider->variant, k);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_CHECK(pthread_join(thread, NULL) == 0);
}

static bool has_read_modify_writes(const struct program *p, enum variant variant)
{
    bool has = variant == RMW || variant == RMW_SC;
    for (unsigned role = 0; role < p->roles; ++role)
        has |= p->role[role].kind == BUMP;
    return has;
}

/* Every program in every variant, in host memory, which both see; one lane, since there is one outsider. Without those
   whose read-modify-writes would not be atomic between the two. */
static void run_all_with(tw_queue *queue, tw_queue *other, const char *where)
{
    const bool gpu = tw_device_is_gpu(tw_queue_device(queue));
    const char *trials = getenv("TW_LITMUS_TRIALS");
    bool atomic = false;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_USM_ATOMIC_HOST_ALLOCATIONS, &atomic, sizeof atomic));
    const unsigned batches = gpu ? 64 : trials ? CPU_BATCHES : CPU_BATCHES / 4;
    const size_t at_once = (size_t)batches * CPU_BATCH;
    struct litmus k = {.memory = tw_malloc_host(2 * at_once * LINE * sizeof(int)),
                       .arrived = tw_malloc_host(batches * ROLES * sizeof(unsigned)),
                       .loads = tw_malloc_host(at_once * ROLES * sizeof(unsigned)),
                       .count = tw_malloc_host(COUNTS * sizeof *k.count),
                       .lanes = 1,
                       .all_lanes = 1,
                       .batches = batches,
                       .batch = CPU_BATCH,
                       .scope = TW_SCOPE_SYSTEM};
    TW_CHECK(k.memory && k.arrived && k.loads && k.count);
    memset(k.memory, 0, 2 * at_once * LINE * sizeof(int));
    memset(k.arrived, 0, batches * ROLES * sizeof(unsigned));
    for (const struct program *p = programs; p < programs + PROGRAMS; ++p)
        for (unsigned variant = 0; variant < VARIANTS; ++variant) {
            if (!(p->run & BIT(variant)) || (!atomic && has_read_modify_writes(p, (enum variant)variant)))
                continue;
            memset(k.count, 0, COUNTS * sizeof *k.count);
            k.roles = p->roles;
            k.overlap = p->overlap;
            k.patience = gpu || p->roles <= 1 + (unsigned)omp_get_max_threads() ? 10000000 : 0;
            memcpy(k.role, p->role, sizeof k.role);
            for (size_t i = 0; i < 3; ++i)
                k.weak[i] = weak_outcome(p, i);
            const unsigned long long wanted = trials ? strtoull(trials, NULL, 10) : at_once;
            for (unsigned long long done = 0; done < wanted; done += at_once) {
                struct outsider outsider = {k, (enum variant)variant, other};
                ++k.seed;
                play_with(queue, &outsider);
                for (size_t trial = 0; trial < at_once; ++trial)
                    judge_trial(&k, trial);
            }
            judge_case(p, (enum variant)variant, where, k.count);
        }
    tw_free_host(k.memory);
    tw_free_host(k.arrived);
    tw_free_host(k.loads);
    tw_free_host(k.count);
}

TW_TEST(a_kernel_and_a_host_thread_at_system_scope)
{
    ND_BEGIN(queue);
    run_all_with(queue, NULL, "host thread, system");
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(kernels_on_two_devices_at_system_scope)
{
    tw_queue *other = NULL;
    tw_device *devices[2];
    ND_BEGIN(queue);
    if (tw_sim_selector(tw_queue_device(queue), NULL) < 0 && !tw_device_is_host(tw_queue_device(queue)))
        TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &other));
    else if (tw_test_devices(devices, 2) > 1) /* simulated devices hide the host */
        TW_PASS(tw_queue_create_on_device(devices[1], NULL, NULL, &other));
    if (other)
        run_all_with(queue, other, "two devices, system");
    TW_PASS(tw_queue_destroy(&other));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(across_groups_at_device_scope)
{
    ND_BEGIN(queue);
    run_all(queue, false, TW_SCOPE_DEVICE);
}

TW_TEST(across_groups_at_system_scope)
{
    ND_BEGIN(queue);
    run_all(queue, false, TW_SCOPE_SYSTEM);
}

TW_TEST(inside_of_a_group_at_work_group_scope)
{
    ND_BEGIN(queue);
    run_all(queue, true, TW_SCOPE_WORK_GROUP);
}

TW_TEST(inside_of_a_group_at_device_scope)
{
    ND_BEGIN(queue);
    run_all(queue, true, TW_SCOPE_DEVICE);
}

TW_TEST_LIST = {TW_CASE(across_groups_at_device_scope),
                TW_CASE(across_groups_at_system_scope),
                TW_CASE(inside_of_a_group_at_work_group_scope),
                TW_CASE(inside_of_a_group_at_device_scope),
                TW_CASE(a_kernel_and_a_host_thread_at_system_scope),
                TW_CASE(kernels_on_two_devices_at_system_scope),
                TW_CASES_END};
