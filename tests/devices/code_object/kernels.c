/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels of code objects for AMD GPUs, which unit_image.c and unit_ol.c read: CMakeLists.txt makes one for each GPU. */
#include <teamwork/kernel_definition.h>
#include <teamwork/teamwork.h>

#pragma omp begin declare target
int counter;
static const int primes[5] = {2, 3, 5, 7, 11};
#pragma omp end declare target

/* Three words of arguments, and what a group has. */
struct life {
    const int *in;
    int *out;
    int factor;
};
static inline void life(tw_group group, const struct life *k)
{
    TW_LOCAL(int, tile, [64]);
    tw_parallel_for_work_item(group, item) {
        tile[tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)];
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = tile[63 - tw_local_id(item, 0)] * k->factor;
    }
}
TW_WORK_GROUP_KERNEL(life, 64);

/* A variable. */
struct counting {
    int *out;
};
static inline void counting(tw_item item, const struct counting *k)
{
    k->out[tw_global_id(item, 0)] = ++counter;
}
TW_RANGE_KERNEL(counting, 1);

/* Private memory, a constant, which is in the image beside the variable, and hidden parameters. */
struct searching {
    int *out;
};
static inline void searching(tw_item item, const struct searching *k)
{
    volatile int found[6] = {0};
    for (int i = 0; i < 5; ++i)
        found[i + k->out[0]] = primes[tw_global_id(item, 0) % 5];
#ifdef __AMDGCN__
    found[0] += (int)__builtin_amdgcn_workgroup_size_x();
#endif
    k->out[tw_global_id(item, 0)] = found[k->out[1]];
}
TW_RANGE_KERNEL(searching, 1);
