/* SPDX-License-Identifier: Apache-2.0 */
/** The program's device images and the machine's GPUs, which explain why a program sees no offload device. */
#ifndef TEAMWORK_OFFLOAD_INVENTORY_H
#define TEAMWORK_OFFLOAD_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>

#define TW_INVENTORY_ARCHS 16u
#define TW_INVENTORY_GPUS 16u

struct tw_gpu {
    char name[64];
    unsigned capability; /* NN of sm_NN */
    bool is_offered;     /* it is one of OpenMP's devices */
};

struct tw_inventory {
    bool is_disabled;                   /* OMP_TARGET_OFFLOAD disables offload devices */
    bool is_child;                      /* fork() made the process after the CUDA driver was started */
    bool has_kernels;                   /* some kernels were compiled for offload devices */
    char unlinked[256];                 /* the first file with such kernels but no device images; or "" */
    char archs[TW_INVENTORY_ARCHS][16]; /* architectures of the device images, each once */
    size_t arch_count;
    struct tw_gpu gpus[TW_INVENTORY_GPUS];
    size_t gpu_count;
    const char *lister; /* who shows GPUs */
};

/* Fills the inventory of the program and its shared libraries: everything but the GPUs. The lister is the CUDA driver. */
void tw_inventory_read(struct tw_inventory *inventory);

/* Writes one sentence about why the program has no GPU, or no offload device at all; "" if that is not known. Returns
   true if the user should be told unasked. A program that was not compiled for offload devices, or that runs where
   there are none, does not complain. */
bool tw_inventory_explain(const struct tw_inventory *inventory, char *text, size_t bytes);

/* Writes one sentence about why the program does not have the x86-64 offload device. */
void tw_inventory_explain_cpu(const struct tw_inventory *inventory, char *text, size_t bytes);

/* Returns the lanes of a warp (a wave, of AMD's GPUs) of the GPUs that the device images are for; 0 if they are for no
   GPU, for GPUs with different warps, or for others than are known. */
unsigned tw_inventory_warp(const struct tw_inventory *inventory);
unsigned tw_inventory_warp_of_program(void);

/* Logs the device images of the program and its shared libraries. */
void tw_inventory_log(void);

#endif
