/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that sets a condition (cuda_condition.h): PTX, which the driver compiles on the first use. It brings the
   function that sets one along, as it does for every program's cudaGraphSetConditional(). */
#include "cuda_condition.h"

#include "cuda_rows_kernel.h"

static const char program[] = ".version 6.0\n"
                              ".target sm_70\n"
                              ".address_size 64\n"
                              ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
                              ".visible .entry tw_set_condition(.param .u64 handle, .param .u64 value)\n"
                              "{\n"
                              ".reg .pred %holds;\n"
                              ".reg .b32 %value;\n"
                              ".reg .b64 %handle, %at;\n"
                              "ld.param.u64 %handle, [handle];\n"
                              "ld.param.u64 %at, [value];\n"
                              "ld.global.u32 %value, [%at];\n"
                              "setp.ne.u32 %holds, %value, 0;\n"
                              "selp.u32 %value, 1, 0, %holds;\n"
                              "{\n"
                              ".param .b64 first;\n"
                              ".param .b32 second;\n"
                              "st.param.b64 [first], %handle;\n"
                              "st.param.b32 [second], %value;\n"
                              "call.uni cudaGraphSetConditional, (first, second);\n"
                              "}\n"
                              "ret;\n"
                              "}\n";

bool tw_cuda_has_conditions(void)
{
    return tw_cuda.graph_condition_create && tw_cuda.graph_add_conditional;
}

cu_result tw_cuda_add_set_condition(struct tw_cuda_device *device, uint64_t handle, const int *value, cu_graph graph,
                                    const cu_node *before, size_t count, cu_node *node)
{
    uintptr_t at = (uintptr_t)value;
    void *parameters[] = {&handle, &at};
    const cu_result error = tw_cuda_load_rows_kernel(device, &device->set_condition, program, "tw_set_condition");
    if (error)
        return error;
    const struct cu_kernel_node kernel = {
        .function = device->set_condition.function, .grid = {1, 1, 1}, .block = {1, 1, 1}, .parameters = parameters};
    return tw_cuda.graph_add_kernel(node, graph, before, count, &kernel);
}

void tw_cuda_close_condition(struct tw_cuda_device *device)
{
    tw_cuda_unload_rows_kernels(&device->set_condition, 1);
}
