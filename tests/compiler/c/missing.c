/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of file scope and functions that a GPU does not have are named at the line of the kernel that uses them. */
// REQUIRES: nvptx
// RUN: %tw_clang -O1 -g -DTW_LOWERING_SIMT -fopenmp-cuda-mode -nogpulib -fopenmp-targets=nvptx64-nvidia-cuda \
// RUN:     -Xopenmp-target=nvptx64-nvidia-cuda -march=sm_90 -Wno-unknown-cuda-version --offload-device-only -S -o /dev/null \
// RUN:     %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include <teamwork/teamwork.h>

static const float table[] = {1, 2, 3};
int count;
extern float elsewhere(void);

TW_BEGIN_DEVICE_VARIABLES
static const float known_table[] = {1, 2, 3};
extern int known_elsewhere;
int known_count;
TW_END_DEVICE_VARIABLES

struct use {
    float *out;
    int i;
};

static inline void use(const struct use *k)
{
    TW_LOCAL(float, shared, [4]);
    shared[k->i] = known_table[k->i];
    k->out[0] = shared[k->i] + known_elsewhere + known_count;
    // CHECK: missing.c:[[@LINE+1]]:{{[0-9]+}}: warning: kernels for a GPU use 'table'
    k->out[1] = table[k->i];
    // CHECK: missing.c:[[@LINE+1]]:{{[0-9]+}}: warning: kernels for a GPU use 'count'
    k->out[2] = count;
    // CHECK: missing.c:[[@LINE+1]]:{{[0-9]+}}: warning: kernels for a GPU call 'elsewhere'
    k->out[3] = elsewhere();
}
TW_SINGLE_TASK(use);
