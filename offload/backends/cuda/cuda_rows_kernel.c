/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that go over rows of memory (cuda_rows_kernel.h). */
#include "cuda_rows_kernel.h"

cu_result tw_cuda_load_rows_kernel(struct tw_cuda_device *device, struct tw_cuda_loaded_kernel *kernel,
                                   const char *program, const char *name)
{
    cu_module module = NULL;
    cu_result error = 0;
    pthread_mutex_lock(&device->streams);
    if (!kernel->module) {
        error = tw_cuda.module_load(&module, program);
        if (!error)
            error = tw_cuda.module_function(&kernel->function, module, name);
        if (!error)
            kernel->module = module;
        else if (module)
            (void)tw_cuda.module_unload(module);
    }
    pthread_mutex_unlock(&device->streams);
    return error;
}

void tw_cuda_unload_rows_kernels(struct tw_cuda_loaded_kernel *kernels, unsigned count)
{
    for (unsigned kernel = 0; kernel < count; ++kernel) {
        if (kernels[kernel].module)
            (void)tw_cuda.module_unload(kernels[kernel].module);
        kernels[kernel].module = NULL;
    }
}

void tw_cuda_choose_rows_block(uint64_t words, struct cu_kernel_node *node)
{
    unsigned threads = 1;
    while (threads < TW_CUDA_ROWS_THREADS && threads < words)
        threads *= 2;
    node->block[0] = threads;
    node->block[1] = TW_CUDA_ROWS_THREADS / threads;
    node->block[2] = 1;
}
