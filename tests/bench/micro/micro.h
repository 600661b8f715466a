/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Micro-benchmarks: what submitting, ordering and copying cost, in Teamwork and in what users would take instead.
 *
 *     ../harness/        the clock, rounds, options, JSON, the device
 *     micro.c            the entries of a job, in turns; the table
 *     main.c             the programs' options
 *     tasks.c            command groups: submission, chains, fans, threads, buffers, accessors, memory; which sizes
 *     tasks_openmp.c     the same by OpenMP tasks on the host
 *     transfers.c        copies between host and devices; which sizes
 *     devices.c          steps on several devices, by hand and by a queue over all of them
 *     target.c           all of it by target regions and omp_target_memcpy
 *     cuda.cu            all of it in CUDA
 *
 * A way of doing one operation is an entry. Entries for the same operation are measured in turns, with the same job.
 * The header is C17 and C++17. Functions that fail return false after one line on stderr.
 */
#ifndef TEAMWORK_MICRO_H
#define TEAMWORK_MICRO_H

#include "../harness/bench.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is measured, and in which unit a sample is. */
enum micro_op {
    MICRO_SUBMIT,      /**< handing over `count` kernels, without their end: us each */
    MICRO_SUBMIT_WAIT, /**< one kernel that does nothing, and the wait for it, `count` times: us each */
    MICRO_CHAIN,       /**< `count` kernels, each after the one before, and the wait: us each */
    MICRO_KERNELS, /**< `count` parallel kernels of MICRO_ITEMS work-items, each after the one before, and the wait: us
                        each */
    MICRO_LOOP,    /**< `count` turns of a loop of `kernels` kernels, each after the one before, of which the last tells
                        whether there is another turn, and the wait: us a turn */
    MICRO_FAN,     /**< `count` kernels in any order, and the wait: us each */
    MICRO_QUEUED,  /**< `count` kernels handed over while the first must not begin: us each */
    MICRO_DRAINED, /**< the end of those, once it may: us each */
    MICRO_MEMORY,  /**< what malloc has handed out for them meanwhile: bytes each */
    MICRO_BUFFERS, /**< `count` kernels that use `buffers` buffers in turns, and the wait: us each */
    MICRO_ACCESSORS,  /**< `count` kernels that use the same `accessors` buffers each, and the wait: us each */
    MICRO_SEND,       /**< `bytes` to the device: us */
    MICRO_FETCH,      /**< `bytes` to the host: us */
    MICRO_PART_WAIT,  /**< a kernel on a buffer, or on a part of it, and the wait, `count` times: us each */
    MICRO_PART_CHAIN, /**< `count` of them, each after the one before, and the wait: us each */
    MICRO_DEVICES, /**< `count` steps of a stencil on all devices, handed over while the first must not begin: us each */
    MICRO_DEVICES_REPLAY, /**< the same recorded, submitted and waited for: us each */
    MICRO_OPS
};

enum { MICRO_ITEMS = 1024 };

/** What an operation is to do; each uses the members that it needs. */
struct micro_job {
    size_t count;
    size_t buffers, accessors, kernels;
    size_t bytes;
    unsigned threads;  /**< that submit, `count` in all; 0 counts as 1 */
    bool shared_queue; /**< all of them to one queue */
    void *state;       /**< of the entry, from prepare() to finish() */
};

/** One way of doing it. */
struct micro_entry {
    enum micro_op op;
    const char *side;    /**< "Teamwork", "CUDA", ... */
    const char *variant; /**< "" where there is only one */
    size_t most;         /**< the largest job.count or job.bytes that makes sense; 0: any */
    /** Makes what all samples need, untimed; NULL: nothing. Where it returns false finish() is called too. */
    bool (*prepare)(struct micro_job *job);
    /** One measurement, complete when it returns: the value in the operation's unit. */
    bool (*sample)(const struct micro_job *job, double *value);
    /** Checks the results where there are any and frees what prepare() made; false: wrong. NULL: nothing. */
    bool (*finish)(struct micro_job *job);
    bool one_thread; /**< cannot do jobs of several threads */
};

struct micro_entries {
    const struct micro_entry *entries;
    size_t count;
    bool (*available)(void); /**< whether they can be used on this machine; NULL: they can */
};

/** How a run goes; the same for all. */
struct micro_options {
    bool quick;        /**< small sizes and few rounds: to see that all is right */
    bool without_cuda; /**< the CUDA entries take no part */
    const char *only;  /**< a list of operations, as bench_is_listed() takes it; NULL: all */
    const char *json;  /**< a file for the results; NULL: none */
    /** For each job, unless three rounds take longer; of a job that takes three times as long there is one round. */
    double seconds;
};
extern struct micro_options micro_options;

/**
 * Measures a job by every entry of all modules for `op` that can do it, in turns, and prints a row for each.
 *
 * @param parameter  the job in words, as "groups=1000"; copied
 * @return false if anything failed or a result is wrong
 */
bool micro_measure(enum micro_op op, const char *parameter, const struct micro_job *job);

/** Whether --only lets an operation be measured. */
bool micro_wanted(enum micro_op op);

bool micro_write_json(void);

/** Sizes 1, 10, ... or 4, 16, ...: calls run(size) for each from `first` to `last`. */
bool micro_sizes(size_t first, size_t factor, size_t last, bool (*run)(size_t size));

/**
 * Runs `body` on `threads` threads at once, with their numbers; returns the seconds from the start of the first to the
 * end of the last, below 0 where one of them failed.
 */
double micro_on_threads(unsigned threads, bool (*body)(void *user, unsigned thread), void *user);

/** The same for a job whose threads have equal shares of `count`; the value is the microseconds of each of them. */
bool micro_share(const struct micro_job *job, unsigned threads, bool (*body)(void *user, unsigned thread), void *user,
                 double *value);

/* ---- modules ----------------------------------------------------------------------------------------------- */

bool micro_run_tasks(void);
bool micro_run_transfers(void);
bool micro_run_devices(void);

extern const struct micro_entries micro_tasks, micro_tasks_openmp, micro_transfers, micro_devices, micro_target,
    micro_target_nowait, micro_cuda;

#ifdef __cplusplus
}
#endif

#endif
