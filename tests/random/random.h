/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Random programs of the library, compared with a model of it. main.c explains how the parts work together.
 *
 *     program.c   makes a program from a seed: a list of steps, plain values that name objects by slots
 *     print.c     writes a program in words
 *     kernels.c   the kernels, and recording them in command groups; kernels_mapped.c: those with mappers (mapped.h);
 *                 kernels_algorithm.c: algorithms
 *     oracle.c    what contents, which lost data and which refusals a step must lead to; oracle_mapped.c: with mappers;
 *                 oracle_algorithm.c: of algorithms
 *     run.c       runs a program and compares; run_objects.c, run_groups.c, run_queues.c, run_order.c: its steps
 *     shrink.c    finds the fewest steps that still fail
 *     watchdog.c  ends a run in which nothing moves
 */
#ifndef RANDOM_H
#define RANDOM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/copy.h>
#include <teamwork/image.h>
#include <teamwork/storage.h>
#include <teamwork/teamwork.h>

#include "mapped.h"

/* ---- programs: what is done -------------------------------------------------------------------------------------- */

/* Slots of each thread. Numbers of queues from QUEUES on, and of buffers from BUFFERS on, name those that all threads
   share. */
enum {
    MAX_THREADS = 4,
    BUFFERS = 10,
    SHARED_BUFFERS = 2,
    QUEUES = 4,
    SHARED_QUEUES = 3,
    TALLY_QUEUE = 2, /* of those, the one that is in order */
    EVENTS = 6,
    HOLDS = 3,
    USERS = 2,  /* user events */
    CHAINS = 3, /* words in memory of no buffer, with groups that are ordered by events and queues alone */
    GRAPHS = 2,
    GRAPH_GROUPS = 6,
    COUNTERS = 2, /* shared buffers that groups only add to, in any order */
    COUNTER_WORDS = 61,
    MOST_OF_QUEUE = 8, /* devices of a queue */
    MAX_STEPS = 640
};

enum buffer_kind {
    OVER,
    OVER_CONST,
    PLAIN,
    COPY,
    STORAGE,
    STORAGE_HOST,
    ASYNC_STORAGE,
    IMAGE_OVER,
    IMAGE_COPY,
    SUB, /* a sub-buffer of another one */
    BUFFER_KINDS
};

/* X(constant, accesses) */
#define KERNEL_LIST(X)                                                                                                 \
    X(MIX)       /* range of 1 to 3 dimensions */                                                                      \
    X(OFFSET)    /* range with an offset */                                                                            \
    X(TILE)      /* hierarchical, with TW_LOCAL */                                                                     \
    X(MEET)      /* nd_range, with a barrier and a local accessor */                                                   \
    X(SINGLE)    /* single task */                                                                                     \
    X(ADD)       /* atomic access */                                                                                   \
    X(REDUCE)    /* two reductions */                                                                                  \
    X(BLOCK)     /* an argument block that does not fit kernel arguments */                                            \
    X(VIEWS)     /* views of the buffer's own dimensions */                                                            \
    X(PIXELS)    /* images */                                                                                          \
    X(CROWD)     /* a work-group that some devices refuse */                                                           \
    X(PARTS)     /* accessors of parts of buffers, which may overlap */                                                \
    X(FILL)      /* a part is filled */                                                                                \
    X(COPY_PART) /* a part of a buffer is copied to another one */                                                     \
    X(COPY_FROM) /* memory of the program is copied to a part */                                                       \
    X(COPY_TO)   /* a part is copied to memory of the program */                                                       \
    X(UPDATE)    /* a part is brought to the host */                                                                   \
    X(PREFETCH)  /* a part is brought to the device */                                                                 \
    X(MAPPED)    /* any form, with mappers */                                                                          \
    X(ALGORITHM) /* one of algorithms.h; in2, of elements of two words, has the number of elements, or gets it */      \
    X(BINS)      /* a reduction into an array */                                                                       \
    X(HOST_TASK) /* as PARTS, by a function on the host */                                                             \
    X(NOTHING)   /* no kernel: accessors alone */
#define KERNEL_ENUMERATOR(name) name,
enum kernel_kind { KERNEL_LIST(KERNEL_ENUMERATOR) KERNEL_COUNT };

/* How a group is submitted. */
enum group_way { SUBMIT, SUBMIT_BLOCK, SUBMIT_FUNCTION, DISCARD, TWO_KERNELS, WRITE_CONSTANT, GROUP_WAYS };

enum { NONE = 255 };

struct group_step {
    uint8_t kernel, way, queue, fallback; /* fallback: a queue, or NONE */
    uint8_t out, in, in2;                 /* buffers */
    uint8_t mode;                         /* of out */
    uint8_t mode2;                        /* PARTS, HOST_TASK: of in2 */
    uint8_t event;                        /* slot, or NONE */
    uint8_t depends, user;                /* slots of events and of user events that it depends on, or NONE */
    uint8_t dims;
    bool constant, twice, keep; /* the target of in; in is accessed by two accessors; the old value counts */
    uint32_t first, count, seed, local;
    uint32_t part[3]; /* PARTS, HOST_TASK, MAPPED: seeds of the parts of out, in and in2. Copies and fills: of out */
    uint32_t map[3];  /* MAPPED: seeds of the mappers */
};

struct buffer_step {
    uint8_t slot, kind, dims, words; /* words of 4 bytes in an element */
    uint8_t of;                      /* SUB: the buffer; the part is from the seed */
    uint32_t size[3], seed;
};

struct access_step {
    uint8_t buffer, mode, hold; /* hold: slot, or NONE to release it at once */
    uint32_t first, count, seed;
    uint32_t part; /* seed of the part; 0: all */
};

struct slot_step {
    uint8_t slot, other;
    uint32_t n;
};

#define STEP_LIST(X)                                                                                                   \
    X(GROUP, group)                                                                                                    \
    X(BUFFER_CREATE, buffer)                                                                                           \
    X(BUFFER_DESTROY, slot)                                                                                            \
    X(BUFFER_RETAIN, slot)                                                                                             \
    X(HOST_ACCESS, access)                                                                                             \
    X(BUFFER_READ, access)                                                                                             \
    X(BUFFER_WRITE, access)                                                                                            \
    X(HOST_RELEASE, slot)                                                                                              \
    X(EVENT_WAIT, slot) /* n: which moment of the group */                                                             \
    X(EVENT_WAIT_ALL, slot)                                                                                            \
    X(EVENT_LIST, slot)                                                                                                \
    X(EVENT_RELEASE, slot)                                                                                             \
    X(QUEUE_CREATE, slot) /* n: device; other: 0 no handler, 1 a handler, 2 in the thread's context; + 4: in order */  \
    X(QUEUE_DIVIDE, slot) /* n: seed of the division */                                                                \
    X(QUEUE_DESTROY, slot)                                                                                             \
    X(QUEUE_WAIT, slot)                                                                                                \
    X(QUEUE_WAIT_AND_THROW, slot)                                                                                      \
    X(QUEUE_THROW, slot)                                                                                               \
    X(CONTEXT_CREATE, slot) /* n: device */                                                                            \
    X(CONTEXT_DESTROY, slot)                                                                                           \
    X(RECORD_BEGIN, slot)                                                                                              \
    X(RECORD_END, slot)   /* slot: queue, other: graph or NONE */                                                      \
    X(GRAPH_SUBMIT, slot) /* slot: graph, other: queue, n: times */                                                    \
    X(GRAPH_DESTROY, slot)                                                                                             \
    X(COUNT, slot) /* slot: counter, other: queue, n: term */                                                          \
    X(COUNTER_READ, slot)                                                                                              \
    X(TALLY, slot)         /* n: term */                                                                               \
    X(USER_CREATE, slot)   /* n: how it will end, in programs with faults */                                           \
    X(USER_COMPLETE, slot) /* other: by another thread */                                                              \
    X(LINK, slot)          /* slot: chain, other: queue, n: term */                                                    \
    X(CHAIN_CHECK, slot)   /* n: value for a new beginning */                                                          \
    X(FAULT, slot)         /* slot: operation, other: device, n: which */                                              \
    X(DELAY, slot)         /* n: nanoseconds */                                                                        \
    X(RESET, slot)         /* other: device */
#define STEP_ENUMERATOR(name, member) name,
enum step_kind { STEP_LIST(STEP_ENUMERATOR) STEP_COUNT };

struct step {
    uint8_t kind, thread;
    union {
        struct group_step group;
        struct buffer_step buffer;
        struct access_step access;
        struct slot_step slot;
    };
};

struct options {
    uint64_t seed, groups;
    double seconds;
    unsigned threads;    /* at most, in a program */
    const char *devices; /* a configuration of configurations[], or "all" */
    bool faults, shrink, print;
    bool reduced;          /* a run of the shrinker's, which waits less long for a hang */
    const char *keep_file; /* numbers of the steps to run, or NULL for all */
};

struct program {
    uint64_t seed;
    unsigned threads, steps;
    bool faults;
    struct step step[MAX_STEPS];
};

/* What devices the program of a seed runs on: the environment that makes them. */
struct configuration {
    const char *name, *sim, *async, *devices;
};
const struct configuration *configuration_of(const struct options *options, uint64_t seed);
bool configuration_exists(const char *name);
/* Programs that follow each other in so many numbers have the same devices. */
#define SEEDS_OF_CONFIGURATION 16u

void make_program(const struct options *options, uint64_t seed, struct program *program);
/* Drops the steps whose numbers a file does not list. */
void keep_steps(struct program *program, const char *file);
void print_step(const struct step *step, char *text, size_t bytes);
void print_program(const struct program *program);
extern const char *const kernel_names[KERNEL_COUNT];

/* A fast generator (splitmix64). */
static inline uint32_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 16);
}
static inline uint32_t draw_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((uint64_t)draw(state) * n >> 32);
}

/* ---- the model: what must come of it ----------------------------------------------------------------------------- */

/* Accessors of a thread that are open, and user events that are not complete, which something waits for: two bits for
   each slot of HOLDS and USERS. It certainly waits for those of SURELY, which are accesses to the same elements, or
   follow others to the same elements that wait. It may wait for the others: one copy may bring elements for which it need
   not wait. */
typedef uint16_t hold_set;
#define HOLD_BIT(slot) ((hold_set)(0x101u << (slot)))
#define USER_BIT(slot) HOLD_BIT(HOLDS + (slot))
#define SURELY(holds) ((hold_set)((holds) & 0x00ffu))
#define PERHAPS(holds) ((hold_set)((holds) & 0xff00u))
#define FOR_ACCESSORS(holds) ((hold_set)((holds) & 0x101u * ((1u << HOLDS) - 1)))

/* What is known of a word besides its value. */
struct fate {
    bool known;   /* it is defined */
    bool lost;    /* a command that should have written it has failed */
    bool perhaps; /* a group of several devices has, or one that it needed: the word is lost, or what the model says */
    bool
        copy_failed; /* one that only reads it has, by a transfer: who needs the same copy may be cancelled if that fails
                         again */
    hold_set writer_waits, readers_wait; /* for which accessors its last writer, and the readers since, wait */
};

/* The contents of a buffer, as they are when all that was submitted so far is complete. */
struct model {
    uint32_t *words;
    struct fate *fate; /* of each word */
    size_t count;
    bool any_waits, any_failed; /* there may be words for which something waits, or which are lost or failed */
};

/* A box of elements of a buffer that is no sub-buffer. Images are a row of words. */
struct part {
    struct buffer *root;
    uint32_t begin[3], size[3];              /* as in struct tw_box: missing dimensions come first */
    uint32_t first, row, rows, pitch, plane; /* in words, but `rows`: of a plane */
    uint32_t words;                          /* in all */
};

/* The index of a part's word in its buffer. */
static inline size_t part_word(const struct part *part, size_t i)
{
    const size_t row = i / part->row;
    return part->first + row / part->rows * part->plane + row % part->rows * part->pitch + i % part->row;
}

/* Errors that a handler was given, and how many it must be given. */
struct error_count {
    atomic_uint seen, expected;
    atomic_uint more;    /* there may be so many more than expected: of each part of a group one */
    atomic_bool unknown; /* some may have gone to another queue's */
};

struct storage_state {
    uint32_t *initial, *final;
    bool waits_for_status; /* of an asynchronous storage: its status is known */
    unsigned depth;        /* of in_use() and completed(), which come in pairs */
    unsigned destroyed;
    atomic_bool finished;
    tw_status status;
    const char *broken; /* a rule of storage.h that did not hold */
};

struct buffer {
    tw_buffer *handle; /* NULL when destroyed */
    tw_image *image;   /* the handle is then its buffer, which it keeps */
    enum buffer_kind kind;
    unsigned dims, words, retained;
    struct buffer *root; /* of a sub-buffer: the whole, whose model it shares; else itself */
    struct part part;    /* what it stands for */
    unsigned subs;       /* sub-buffers that refer to it */
    tw_range range;
    uint32_t width, height, pitch_words; /* of an image */
    struct model model;
    uint32_t *host;    /* that it was created over */
    tw_device *device; /* whose memory `host` is; or NULL */
    struct storage_state *storage;
    tw_async_storage *async;
    hold_set held; /* accessors open on it */
    bool shared;
    struct buffer *next; /* of its thread */
};

/* The mapper of an accessor. */
struct mapping_of_call {
    struct mapping mapping;
    const struct launch *launch;
};

/* What becomes of a group on a queue over several devices, as far as its mappers are concerned. */
enum verdict { TAKEN, PERHAPS_REFUSED, REFUSED };

/* A group as it is run: a step with the objects and numbers that it means. */
struct call {
    enum kernel_kind kernel;
    struct buffer *out, *in, *in2; /* NULL: not used */
    struct part part[3];           /* of each: what is accessed */
    uint32_t seeds[3];             /* PARTS, HOST_TASK, copies and fills: that they are made from */
    tw_access_mode mode, mode2;
    bool constant, twice, keep;
    bool fails;           /* HOST_TASK: its function does, with TASK_FAILURE */
    uint32_t *memory;     /* COPY_TO: owned by who learns of the outcome */
    tw_event *depends[2]; /* on these, or NULL */
    uint32_t first, count, seed, local, dims;
    bool several;                  /* it goes to a queue over several devices */
    bool perhaps_one;              /* or to one on a single device */
    bool by_function;              /* kernels that count words: the mapper of `out` is a function of the program */
    bool has_offset, unresolved;   /* MAPPED: several devices cannot know what it writes */
    uint32_t map_seed[3];          /* MAPPED */
    struct mapping_of_call map[3]; /* MAPPED: of each buffer, as the accessor has it */
    struct mapped_work work;       /* MAPPED: with explicit mappings */
};

/* How a call uses the words of a buffer. */
enum {
    NEEDS = 1,
    WRITES = 2,
    SURELY_READS = 4,
    SURELY_WRITES = 8, /* else it may not be accessed at all */
    SURELY_NEEDS = 16,
    MAY_NEED = 32, /* on another queue, which may run it */
    DISCARDS = 64  /* an accessor that writes does not need it; another one may */
};
struct use {
    struct buffer *root;
    uint8_t *how; /* for each word; 0: not at all */
};

/* An event that the program completes. Its thread and operations refer to it. */
struct user {
    tw_event *handle; /* NULL: complete */
    unsigned references;
    tw_status planned, outcome;
};

/* A word in memory of no buffer. Each link of the chain changes it, after the one before. */
struct chain {
    uint32_t *cell;
    uint32_t value; /* after the links so far, whose outcome is known */
    bool known;
    tw_event *last;  /* of the last link */
    tw_queue *queue; /* in order, that has the last link; or NULL */
    hold_set waits;  /* of the last link */
};

/* What a link does with one chain, or with two. */
enum link_kind { LINK_KERNEL, LINK_JOIN, LINK_TASK, LINK_COPY, LINK_KINDS };
struct link {
    struct chain *to, *from; /* from: of LINK_JOIN and LINK_COPY */
    enum link_kind kind;
    uint32_t term;
};

/* One submission: a group, all groups of a graph, or a link of a chain. */
/* How many words a reduction takes: now and then none. */
static inline size_t reduced_words(const struct call *call)
{
    return call->seed % 8 == 1 ? 0 : call->in->model.count;
}

struct operation {
    struct operation *next; /* of its thread, in the order of submission */
    struct call call[GRAPH_GROUPS];
    unsigned count;
    struct use use[2 * GRAPH_GROUPS + 6];
    unsigned uses;
    hold_set waits;
    bool falls_back;      /* may have run on another queue: others may have missed its transfers */
    bool divided;         /* its parts wait by themselves */
    bool in_parts;        /* and fail by themselves; a graph fails as a whole */
    bool excused;         /* may be cancelled for a reason that the model cannot know yet */
    bool depends_failed;  /* what it depends on has failed */
    tw_event *depends[2]; /* on these */
    struct user *user;    /* and on this one */
    struct link link;     /* to: NULL if it is none */
    bool complete;        /* when resolve() looked */
    bool unclear;         /* when can_resolve_part() looked: it waits for what another part of one before may not */
    tw_event *event;      /* where its outcome is not known at once */
    struct error_count *errors; /* of its queue; or NULL */
};

/* What no simulated fault leads to. */
#define TASK_FAILURE TW_ERROR_UNSUPPORTED

/* Whether a call only reads, and has only one buffer: `out`. */
static inline bool only_reads(enum kernel_kind kernel)
{
    return kernel == COPY_TO || kernel == UPDATE || kernel == PREFETCH;
}

/* Whether the call can be made with these buffers. Fills in what follows from their sizes. */
bool call_is_possible(struct call *call);
void operation_begin(struct operation *operation);
void operation_end(struct operation *operation);
/* Notes the uses of the calls, and for which accessors the operation has to wait. */
void operation_add(struct operation *operation, const struct call *call);
/* The operation was submitted. */
void operation_submitted(struct operation *operation);
/* Whether both use the same words, and one of them writes those. */
bool operations_meet(const struct operation *one, const struct operation *other);
/* Whether an operation uses a part of a buffer, and one of it and what `writes` says does write. */
bool operation_uses(const struct operation *operation, const struct part *part, bool writes);
/* Whether the model has a reason for its cancellation. A copy that fails runs again for others: `copies_fail_again` says
   whether that may have failed, too. */
bool operation_may_be_cancelled(const struct operation *operation, bool copies_fail_again);
/* Applies the operation's outcome to the contents. Returns NULL, or why that cannot be. Where devices break, kernels
   fail though they should have been cancelled. */
const char *operation_finish(const struct operation *operation, tw_status status, bool devices_break,
                             bool copies_fail_again);
/* For which accessors a host access, or a command that writes, would have to wait. */
hold_set model_waits(const struct part *part, bool writes);
/* Whether words of a part are lost, or may be. */
bool part_is_lost(const struct part *part);
bool part_may_be_lost(const struct part *part);
/* A part was there: what may have been lost is not. */
void part_was_found(const struct part *part);
/* The part that a seed means of what a buffer stands for; 0: all of it. */
struct part part_of(const struct buffer *buffer, uint32_t seed);
bool parts_overlap(const struct part *a, const struct part *b);
bool parts_go_together(const struct part *out, const struct part *in);
/* A copy of what the model knows of a part: to be freed with model_free(). */
struct model snapshot_of(const struct part *part);
void model_free(struct model *model);
/* The part's first element in what a buffer stands for, and its range. */
tw_id part_offset(const struct part *part, const struct buffer *buffer);
tw_range part_range(const struct part *part, const struct buffer *buffer);
bool mode_needs(tw_access_mode mode);
bool mode_writes(tw_access_mode mode);
bool model_create(struct model *model, size_t words);
/* Compares memory with the model. Returns the first word that differs, or `count`. */
size_t model_compare(const struct model *model, const uint32_t *words);

/* oracle_mapped.c. Makes the mappers and the launch of MAPPED. Returns false if it is too large. */
bool make_mapped(struct call *call);
/* Notes that a MAPPED surely uses what its mapper gives. */
void note_mapped(const struct call *call, int i, uint8_t *how, uint8_t surely);
void apply_mapped(const struct call *call);
void apply_bins(const struct call *call);
enum verdict verdict_on_several(const struct call *call);
/* Whether the mapper of an accessor that has none is the right one for a kernel that counts words, or there is none. */
bool has_true_default(const struct call *call);

/* oracle_algorithm.c. What ALGORITHM does, of how many words at most, and what comes of it. */
enum algorithm_kind {
    SUM_WORDS,
    SCAN_WORDS,
    SCAN_WORDS_BEFORE,
    SORT_WORDS,
    SORT_WORDS_DESCENDING,
    SELECT_WORDS,
    ALGORITHM_KINDS
};
enum algorithm_kind algorithm_of(const struct call *call);
size_t algorithm_words(const struct call *call);
void apply_algorithm(const struct call *call);
static inline bool is_selected(uint32_t word)
{
    return word % 3 != 0;
}

/* Memory of the program, which COPY_FROM copies: a word of it. */
enum { SERIAL_WORDS = 4096, MEMORY_WORDS = 2 * SERIAL_WORDS };
static inline uint32_t memory_word(uint32_t i)
{
    return (i + 1) * 0x9e3779b1u;
}
static inline uint32_t memory_start(const struct call *call)
{
    return call->seed % (MEMORY_WORDS - SERIAL_WORDS);
}

/* ---- kernels.c --------------------------------------------------------------------------------------------------- */

/* Fills in the memory of the program. */
void make_memory(void);
/* Records a call in a group. */
void record_call(tw_command_group *group, const struct call *call);
/* A range of `count` work-items, in as many dimensions as asked for if it can be divided so. */
tw_range shape(uint32_t count, unsigned dims);
/* A range that is `count` long in its last dimension and 1 in the others. */
tw_range line(size_t count, unsigned dims);
/* kernels_algorithm.c */
void record_algorithm(tw_command_group *group, const struct call *call);
/* kernels_mapped.c */
tw_range range_of(uint32_t dims, const uint32_t size[3]);
void record_mapped_call(tw_command_group *group, const struct call *call);
/* Accesses `out`, for kernels that count words. */
void *access_words(tw_command_group *group, const struct call *call, tw_access_mode mode);
void record_count(tw_command_group *group, tw_buffer *counter, uint32_t term, bool atomically);
void record_link(tw_command_group *group, const struct link *link);
void record_tally(tw_command_group *group, uint32_t *cell, uint32_t term);
/* What a link makes of the word of its chain. */
static inline uint32_t linked(enum link_kind kind, uint32_t to, uint32_t from, uint32_t term)
{
    return kind == LINK_COPY ? from : to * 31u + (kind == LINK_JOIN ? from : 0) + term;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

struct queue {
    tw_queue *handle;
    unsigned device;  /* of several the first */
    unsigned devices; /* number of them */
    unsigned list[MOST_OF_QUEUE];
    bool shared, recording, has_context, in_order;
    tw_status refusal;          /* of the first group that could not be recorded */
    hold_set waits;             /* of its commands */
    struct error_count *errors; /* its own or its context's; NULL without a handler */
    struct error_count own;
    struct call recorded[GRAPH_GROUPS];
    unsigned recorded_count;
};

struct graph {
    tw_command_graph *handle;
    unsigned device, count;
    hold_set waits; /* of its last submission, which the next one waits for */
    struct call call[GRAPH_GROUPS];
};

struct event {
    tw_event *handle;
    bool several; /* of a group on several devices: one part may run while another one's transfers do */
    hold_set waits;
};

struct hold {
    tw_host_accessor *accessor;
    struct part part;
    struct model before;         /* what it must see until it is released; no words where it discards */
    uint32_t first, count, seed; /* what it writes then: count 0 for nothing */
};

struct run;

enum { MAX_COMPLETERS = 32 }; /* of a thread */

struct thread {
    struct run *run;
    unsigned id;
    uint64_t random;         /* for choices that do not change what happens */
    const struct step *step; /* that runs */
    struct buffer *buffer[BUFFERS], *all;
    struct queue queue[QUEUES];
    struct event event[EVENTS];
    struct hold hold[HOLDS];
    struct graph graph[GRAPHS];
    struct user *user[USERS];
    struct chain chain[CHAINS];
    pthread_t completer[MAX_COMPLETERS]; /* threads that complete user events */
    unsigned completers;
    tw_context *context;
    unsigned context_device;
    struct error_count context_errors;
    struct operation *first;   /* whose outcome is not known */
    struct delivery *delivery; /* whose memory is not compared yet */
};

/* What a COPY_TO brings to memory of the program, once it is complete. */
struct delivery {
    struct delivery *next;
    tw_event *event;
    uint32_t *memory;
    struct model expected;
};

struct run {
    const struct program *program;
    struct thread thread[MAX_THREADS];
    tw_device *device[16];
    size_t group_limit[16]; /* work-items of a work-group */
    unsigned devices;
    struct queue queue[SHARED_QUEUES];
    pthread_mutex_t shared; /* for submissions with shared buffers: the model's order is the library's */
    struct buffer *buffer[SHARED_BUFFERS];
    struct buffer *all;
    tw_buffer *counter[COUNTERS];
    uint32_t counter_host[COUNTERS][COUNTER_WORDS];
    atomic_uint counter_sum[COUNTERS];
    uint32_t *tally; /* to which groups of the shared queue that is in order add, not atomically */
    atomic_uint tally_sum;
    atomic_uint faults_set, failed; /* commands that failed by themselves */
    atomic_bool breaks_devices;     /* one of the faults makes all fail on its device */
    bool keeps_order;               /* devices keep an order among commands themselves */
};

struct totals {
    atomic_ulong divided, not_divided; /* groups on queues over several devices, and refused ones */
    atomic_ulong groups, checks, cancelled, failures, refusals;
    atomic_ulong moves;              /* steps begun: what the watchdog looks at */
    _Atomic(const char *) waits_for; /* what the program's end waits for without the library's help */
};
extern struct totals totals;

/* Reports a difference between the library and the model, and ends the process. */
_Noreturn void differ(const struct thread *thread, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sleeps for a moment. */
void rest(void);
void note_program(const struct program *program, const struct options *options);
void run_program(const struct program *program);
/* Ends the process if nothing moves for a while. */
void watchdog_start(bool soon);

/* Whether a status may come from one of the faults that the program asked for. */
bool fault_explains(const struct thread *thread, tw_status status);

/* run_groups.c */
void run_group(struct thread *thread, const struct group_step *step);
void run_count(struct thread *thread, const struct slot_step *step);
void run_record_begin(struct thread *thread, const struct slot_step *step);
void run_record_end(struct thread *thread, const struct slot_step *step);
void run_graph_submit(struct thread *thread, const struct slot_step *step);
/* Takes an operation that was submitted: its outcome is known at once, or from an event. */
void submitted(struct thread *thread, struct operation *operation, struct queue *queue, tw_event *event);
/* Learns what has become of submitted operations. */
void resolve(struct thread *thread);
/* And of all whose parts use a part of a buffer. Returns false if one waits for an accessor of this thread. */
bool resolve_part(struct thread *thread, const struct part *part, bool writes);
/* Whether a thread can learn that after an access: before one, if it has accessors open. */
bool can_resolve_part(struct thread *thread, const struct part *part, bool writes);
/* Compares the memory that complete copies have filled. */
void check_deliveries(struct thread *thread);

/* run_objects.c */
void run_buffer_create(struct thread *thread, const struct buffer_step *step);
void run_buffer_destroy(struct thread *thread, unsigned slot);
void run_buffer_retain(struct thread *thread, unsigned slot);
void run_host_access(struct thread *thread, const struct access_step *step);
void run_host_copy(struct thread *thread, const struct access_step *step, bool writes);
void run_host_release(struct thread *thread, unsigned slot);
/* What waited for it does not any more. */
void forget_hold(struct thread *thread, hold_set bit);
struct buffer *make_buffer(struct thread *thread, const struct buffer_step *step);
/* Drops a reference of a buffer. Returns false if that was refused, as it had to be. */
bool drop_buffer(struct thread *thread, struct buffer *buffer);
/* Checks what can only be seen of a buffer when its program is over, and frees the model of it. */
void finish_buffer(struct thread *thread, struct buffer *buffer);

/* run_queues.c */
struct queue *find_queue(struct thread *thread, unsigned number);
tw_status make_queue(struct run *run, struct queue *queue, unsigned device, struct error_count *handler,
                     tw_context *context, bool in_order);
/* The same over several devices, as the seed says. */
tw_status make_queue_over(struct run *run, struct queue *queue, uint32_t seed, struct error_count *handler,
                          bool in_order);
/* Whether all devices of a queue are of one platform. */
bool is_of_one_platform(const struct queue *queue);
/* All errors were delivered, each once. */
void check_errors(struct thread *thread, const struct error_count *errors);
void end_queue(struct thread *thread, struct queue *queue);
void run_queue_create(struct thread *thread, const struct slot_step *step);
void run_queue_destroy(struct thread *thread, unsigned slot);
void run_queue_divide(struct thread *thread, const struct slot_step *step);
void run_queue_wait(struct thread *thread, unsigned slot, enum step_kind kind);
void run_context(struct thread *thread, const struct slot_step *step, bool creates);
void run_event(struct thread *thread, const struct slot_step *step, enum step_kind kind);
/* Compares what a waiting call returned with what the model says. Returns false if it was refused. */
bool waited(struct thread *thread, tw_status status, hold_set waits, const char *what);
hold_set open_holds(const struct thread *thread);

/* run_order.c */
/* Before a call that waits for what waits for these: lets user events among them be completed meanwhile. */
void let_pass(struct thread *thread, hold_set waits);
/* Waits for the threads that complete user events, and completes those that are left. */
void end_users(struct thread *thread);
void begin_chains(struct thread *thread);
void end_chains(struct thread *thread);
void run_order_step(struct thread *thread, const struct slot_step *step, enum step_kind kind);
/* Notes what an operation depends on, where its outcome will be asked for. */
void note_depends(struct operation *operation, tw_event *const depends[2], struct user *user);
/* Looks whether what the operation depends on has failed. */
void look_at_depends(struct operation *operation);
void drop_depends(struct operation *operation);
/* Changes the model of the chains. */
void apply_link(const struct thread *thread, const struct operation *operation, tw_status status);

#endif
