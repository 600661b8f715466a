/* SPDX-License-Identifier: Apache-2.0 */
/** The tools and libraries that compiling for offload devices takes: where they are, what is missing, what installs it.
   */
#ifndef TEAMWORK_TOOLS_TOOLCHAIN_H
#define TEAMWORK_TOOLS_TOOLCHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "report.h"

#define PATH_BYTES 512u
#define MOST_PARTS 20u
#define MOST_GPUS 16u
#define MOST_DIRS 8u

enum part_state { PART_FOUND, PART_MISSING, PART_WRONG };

struct part {
    const char *name, *needed_for;
    enum part_state state;
    char found[PATH_BYTES + 64]; /* a path and a version; or "" */
    char why[384], cure[256];    /* unless it is as it should be */
};

/* A GPU that the CUDA driver shows, whether OpenMP uses it or not. */
struct gpu {
    char name[64];
    unsigned capability; /* NN of sm_NN */
};

struct toolchain {
    struct part parts[MOST_PARTS];
    size_t part_count;
    char compiler[PATH_BYTES]; /* "": none that can be used */
    unsigned major;
    bool makes_nvptx;
    char dirs[MOST_DIRS][PATH_BYTES]; /* of the compiler's own LLVM libraries, best first */
    size_t dir_count;
    char omp[PATH_BYTES], omptarget[PATH_BYTES];
    unsigned omptarget_major;
    char cuda_root[PATH_BYTES];
    unsigned cuda_major;
    char headers[PATH_BYTES]; /* of an installed Teamwork; "": there are none beside this program */
    bool has_driver, has_driver_link;
    struct gpu gpus[MOST_GPUS];
    size_t gpu_count;
};

/* Looks for all parts. CC, CUDA_PATH, CUDAToolkit_ROOT, TEAMWORK_LLVM_ROOT, TEAMWORK_OMPTARGET_LIBRARY and ROCM_PATH
   are the hints that configuring knows too. */
void toolchain_find(struct toolchain *toolchain);
/* Reports the parts: a line each, with reason and cure behind what is missing; the list "toolchain" as JSON. */
void toolchain_report(struct report *report, const struct toolchain *toolchain);
/* Writes the command that installs a package of Debian on this machine. */
void toolchain_install(const char *package, char *text, size_t bytes);
/* Stores the file from which a shared library of this process was loaded, the first whose name begins so. Returns false
   if there is none. */
bool toolchain_loaded(const char *name, char *path, size_t bytes);

#endif
