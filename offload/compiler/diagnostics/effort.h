/* SPDX-License-Identifier: Apache-2.0 */
/* What the object that launches a kernel is told of it. */
#ifndef TEAMWORK_COMPILER_DIAGNOSTICS_EFFORT_H
#define TEAMWORK_COMPILER_DIAGNOSTICS_EFFORT_H

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace tw_compiler
{

/* Notes that the work-items of a function have loops; at the end the objects that launch its kernels are told. */
void noteLoops(llvm::Function &F, const llvm::LoopInfo &LI);
void tellLoops(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);

llvm::GlobalVariable *objectOf(const llvm::Function &F);
/* Sets a member that is 0 of the object that launches the kernel of a function, if this module has one: where a role says, or so many
   elements behind that. */
void tellKernel(const llvm::Function &F, const char *Role, unsigned Element, llvm::Constant *Value);

} // namespace tw_compiler

#endif
