/* SPDX-License-Identifier: Apache-2.0 */
/* The pass that divides kernels at their barriers: each step of it is in kernel.h. */
#ifndef TEAMWORK_COMPILER_KERNELS_PASSES_H
#define TEAMWORK_COMPILER_KERNELS_PASSES_H

#include <llvm/IR/PassManager.h>

namespace tw_compiler
{

/* Divides kernels at their barriers, and marks loops over work-items. */
void takeKernels(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);

} // namespace tw_compiler

#endif
