/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Micro-benchmarks: what submitting, ordering, copying and starting cost, in Teamwork and in what users would take
 * instead.
 *
 *     ../harness/        the clock, rounds, options, JSON, the device
 *     micro.c            the entries of a job, in turns; the table
 *     main.c             the programs' options
 *     tasks.c            command groups: submission, chains, fans, threads, buffers, accessors, memory; which sizes
 *     tasks_openmp.c     the same by OpenMP tasks on the host
 *     tasks_opencl.c     the same by OpenCL, where there is one
 *     tasks_starpu.c     the same by StarPU, likewise
 *     tasks_ol.c         the same by LLVM's liboffload, where TW_BACKEND=ol runs a GPU
 *     transfers.c        copies between host and devices, and between devices; copies beside kernels; which sizes
 *     parts.c            parts of buffers, copies and fills in groups, and a stream of chunks; which sizes
 *     images.c           reads of images on the host, against loops by hand
 *     process.c          starting, ending, being idle
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
    MICRO_FAN,     /**< `count` kernels in any order, and the wait: us each */
    MICRO_QUEUED,  /**< `count` kernels handed over while the first must not begin: us each */
    MICRO_DRAINED, /**< the end of those, once it may: us each */
    MICRO_MEMORY,  /**< what malloc has handed out for them meanwhile: bytes each */
    MICRO_BUFFERS, /**< `count` kernels that use `buffers` buffers in turns, and the wait: us each */
    MICRO_ACCESSORS,  /**< `count` kernels that use the same `accessors` buffers each, and the wait: us each */
    MICRO_SEND,       /**< `bytes` to the device: us */
    MICRO_FETCH,      /**< `bytes` to the host: us */
    MICRO_MIGRATE,    /**< `bytes` from one device to another: us */
    MICRO_OVERLAP,    /**< `count` chunks of `bytes` sent, computed on and fetched: us for all */
    MICRO_PART_WAIT,  /**< a kernel that does nothing on a buffer, or a part of it, and the wait: us each */
    MICRO_PART_CHAIN, /**< `count` of them, each after the one before, and the wait: us each */
    MICRO_GRID,       /**< `count` steps of a five-point stencil on `rows` rows and as many columns: us each */
    MICRO_COPY,       /**< `bytes` from one buffer to another on the device, or a box of them: us */
    MICRO_FILL,       /**< setting `bytes`, or a box of them: us */
    MICRO_STREAM,     /**< `count` chunks of `bytes`, as in MICRO_OVERLAP, through a buffer with room for a few: us */
    MICRO_PIXEL,      /**< `count` reads of an image at whole coordinates: ns each */
    MICRO_IMAGE,      /**< `count` reads by the sampler number `image` of images.c: ns each */
    MICRO_START,      /**< from the begin of the program to its first result: us */
    MICRO_END,        /**< from the program's last result to its end: us */
    MICRO_IDLE,       /**< a second of sleep right after work: ms of processor time */
    MICRO_IDLE_LATER, /**< the second after that */
    MICRO_OPS
};

enum { MICRO_ITEMS = 1024 };

/** What an operation is to do; each uses the members that it needs. */
struct micro_job {
    size_t count;
    size_t buffers, accessors;
    size_t bytes;
    size_t rows;
    unsigned dims;     /**< of the buffers in MICRO_COPY and MICRO_FILL */
    bool box;          /**< there: only the middle half of each dimension */
    unsigned threads;  /**< that submit, `count` in all; 0 counts as 1 */
    bool shared_queue; /**< all of them to one queue */
    unsigned work;     /**< operations on each element in MICRO_OVERLAP and MICRO_STREAM */
    unsigned image;    /**< the sampler of MICRO_IMAGE */
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
    bool peers;        /**< OpenCL and StarPU do: their threads slow OpenMP's down, which sleep at once then */
    const char *only;  /**< a list of operations, as bench_is_listed() takes it; NULL: all */
    const char *json;  /**< a file for the results; NULL: none */
    /** For each job, unless three rounds take longer; of a job that takes three times as long there is one round. */
    double seconds;
    const char *program;
};
extern struct micro_options micro_options;

/**
 * Measures a job by every entry of all modules for `op` that can do it, in turns, and prints a row for each.
 *
 * @param parameter  the job in words, as "groups=1000"; copied
 * @return false if anything failed or a result is wrong
 */
bool micro_measure(enum micro_op op, const char *parameter, const struct micro_job *job);

/** Adds a row that was measured elsewhere. */
bool micro_add(enum micro_op op, const char *side, const char *variant, const char *parameter, double value);

/** The median of the newest row of that operation, side and variant; 0 if there is none. */
double micro_value(enum micro_op op, const char *side, const char *variant);

/** Prints a line of prose that belongs to the rows above. */
void micro_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

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
bool micro_run_parts(void);
bool micro_run_images(void);
bool micro_run_process(void);

/** What a program does that was started with --child `what`: only to be measured. */
int micro_child(const char *what);

extern const struct micro_entries micro_tasks, micro_tasks_openmp, micro_tasks_opencl, micro_tasks_starpu;
extern const struct micro_entries micro_transfers, micro_parts, micro_parts_libc, micro_images, micro_process,
    micro_process_openmp;
extern const struct micro_entries micro_target, micro_target_nowait, micro_tasks_ol, micro_cuda;

/** The elements of 4 bytes of MICRO_COPY and MICRO_FILL: the extents of the buffers, and the box that is copied or
 *  filled. Dimensions that are not there have one element. */
struct micro_box {
    size_t range[3], first[3], size[3];
};
struct micro_box micro_box_of(const struct micro_job *job);

/** The first result of a fresh process by target regions or CUDA; false: it failed. */
bool micro_target_first(void);
bool micro_cuda_first(void);

/** A sample of MICRO_START or MICRO_END of this program with --child `what`. */
bool micro_start_of(const char *what, double *value);
bool micro_end_of(const char *what, double *value);

#ifdef __cplusplus
}
#endif

#endif
