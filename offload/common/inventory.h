/* SPDX-License-Identifier: Apache-2.0 */
/** Why a program sees no offload device: what its device images are for, and what GPUs the machine has. */
#ifndef TEAMWORK_OFFLOAD_INVENTORY_H
#define TEAMWORK_OFFLOAD_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>

#define TW_INVENTORY_ARCHS 16u
#define TW_INVENTORY_GPUS 16u

struct tw_gpu {
    char name[64];
    unsigned capability; /* of sm_NN */
    bool is_offered;     /* it is one of OpenMP's devices */
};

struct tw_inventory {
    bool is_disabled;                   /* by OMP_TARGET_OFFLOAD */
    bool is_child;                      /* fork() made the process after the CUDA driver was started */
    bool has_kernels;                   /* that were compiled for offload devices */
    char unlinked[256];                 /* the first file that has such kernels and no device images; or "" */
    char archs[TW_INVENTORY_ARCHS][16]; /* of the device images, each once */
    size_t arch_count;
    struct tw_gpu gpus[TW_INVENTORY_GPUS];
    size_t gpu_count;
};

/* Notes what the program and its shared libraries have: all but the GPUs. */
void tw_inventory_read(struct tw_inventory *inventory);

/* One sentence about what keeps the program from GPUs, or from any offload device; "" if that is not known. Returns
   whether the user should be told unasked: a program that was not compiled for offload devices, or runs where there
   are none, is none that complains. */
bool tw_inventory_explain(const struct tw_inventory *inventory, char *text, size_t bytes);

#endif
