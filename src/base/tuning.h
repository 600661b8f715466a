/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Machinery of the host side that only saves time. Each piece has one switch, which a build can set to 0 to measure
 * what it is worth: -DTW_TUNE_NAME=0. The figures are in docs/performance.md, "What the machinery is worth".
 */
#ifndef TEAMWORK_BASE_TUNING_H
#define TEAMWORK_BASE_TUNING_H

/* A thread that finds the runtime's lock taken polls for so long before it sleeps; 0: it sleeps at once. */
#ifndef TW_TUNE_LOCK_POLLS
#define TW_TUNE_LOCK_POLLS 400u
#endif

/* Memory of complete commands is kept for later commands of their queue. */
#ifndef TW_TUNE_KEPT_MEMORY
#define TW_TUNE_KEPT_MEMORY 1
#endif

/* Memory of a command is fetched into the cache before it is used. */
#ifndef TW_TUNE_FETCHED_MEMORY
#define TW_TUNE_FETCHED_MEMORY 1
#endif

/* A queue keeps groups that were submitted, to be begun again. */
#ifndef TW_TUNE_SPARE_GROUPS
#define TW_TUNE_SPARE_GROUPS 1
#endif

/* Large host memory of buffers begins at this many places of its first page in turn; 1: at the same one. */
#ifndef TW_TUNE_HOST_COLOURS
#define TW_TUNE_HOST_COLOURS 16u
#endif

/* Kernels that become ready one after the other are run by the host in one parallel region. */
#ifndef TW_TUNE_BATCHES
#define TW_TUNE_BATCHES 1
#endif

/* A thread that waits polls for so long before it sleeps. */
#ifndef TW_TUNE_WAIT_SPIN_NS
#define TW_TUNE_WAIT_SPIN_NS 20000u
#endif

/* A worker without work looks for some by itself for so long before it sleeps until it is woken. */
#ifndef TW_TUNE_LINGER_NS
#define TW_TUNE_LINGER_NS 2000000u
#endif

#endif
