/* SPDX-License-Identifier: Apache-2.0 */
/* Small questions about functions, instructions and addresses. */
#ifndef TEAMWORK_COMPILER_ANALYSIS_PREDICATES_H
#define TEAMWORK_COMPILER_ANALYSIS_PREDICATES_H

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

namespace tw_compiler
{

bool isForNvidia(const llvm::Module &M);
bool isKernel(const llvm::Function &F);
bool hasMasks(const llvm::Function &F);
bool isDropped(const llvm::Instruction &I);
bool isLocal(const llvm::Value *Address); /* or in a variable of the function */
bool isUsedBehind(const llvm::Instruction &I, const llvm::Loop &L);
bool isOrdinaryAtomic(const llvm::Instruction &I);
bool reachesAddress(const llvm::Value *V, unsigned Depth);

} // namespace tw_compiler

#endif
