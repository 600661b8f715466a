/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Machinery of the host side that only saves time. Each piece has one switch, which a build can set to 0 to measure
 * what it is worth: -DTW_TUNE_NAME=0. The figures are in docs/performance.md, "What the machinery is worth".
 */
#ifndef TEAMWORK_BASE_TUNING_H
#define TEAMWORK_BASE_TUNING_H

/* A queue keeps the memory of completed commands for later commands. */
#ifndef TW_TUNE_KEPT_MEMORY
#define TW_TUNE_KEPT_MEMORY 1
#endif

/* Memory of a command is prefetched into the cache. */
#ifndef TW_TUNE_FETCHED_MEMORY
#define TW_TUNE_FETCHED_MEMORY 1
#endif

/* A queue keeps submitted groups and reuses them. */
#ifndef TW_TUNE_SPARE_GROUPS
#define TW_TUNE_SPARE_GROUPS 1
#endif

/* Number of offsets at which large host memory of buffers begins in turn; 1: always at the same one. */
#ifndef TW_TUNE_HOST_COLOURS
#define TW_TUNE_HOST_COLOURS 16u
#endif

/* The host runs kernels that become ready one after the other in one parallel region. */
#ifndef TW_TUNE_BATCHES
#define TW_TUNE_BATCHES 1
#endif

/* The largest copy within a recorded graph that a kernel of the library's own makes on NVIDIA GPUs; 0: none. */
#ifndef TW_TUNE_KERNEL_COPY_BYTES
#define TW_TUNE_KERNEL_COPY_BYTES 262144u
#endif

/* On NVIDIA GPUs (sm_90), blocks of a kernel come to the device while the kernel before it in the stream ends. */
#ifndef TW_TUNE_DEPENDENT_LAUNCHES
#define TW_TUNE_DEPENDENT_LAUNCHES 1
#endif

/* Time that a waiting thread polls before it sleeps. */
#ifndef TW_TUNE_WAIT_SPIN_NS
#define TW_TUNE_WAIT_SPIN_NS 20000u
#endif

/* Time that a worker without work looks for some by itself before it sleeps until it is woken. */
#ifndef TW_TUNE_LINGER_NS
#define TW_TUNE_LINGER_NS 2000000u
#endif

#endif
