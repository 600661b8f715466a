/* SPDX-License-Identifier: Apache-2.0 */
/* What versions of kernels have in common: gpu_clamps.cpp and gpu_places.cpp make them. */
#ifndef TEAMWORK_COMPILER_TARGETS_GPU_VERSIONS_H
#define TEAMWORK_COMPILER_TARGETS_GPU_VERSIONS_H

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/InlineAsm.h>

namespace tw_compiler
{

llvm::InlineAsm *nothing(llvm::LLVMContext &Context);
llvm::BasicBlock *copyFrom(llvm::BasicBlock *First);

} // namespace tw_compiler

#endif
