/* SPDX-License-Identifier: Apache-2.0 */
/* Which loops are changed first, and how far a function may grow meanwhile. */
#ifndef TEAMWORK_COMPILER_UTILITIES_BUDGET_H
#define TEAMWORK_COMPILER_UTILITIES_BUDGET_H

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace tw_compiler
{

void setBudget(llvm::Function &F);
void renewBudget(llvm::Function &F);
bool changeLoops(
    llvm::Function &F, llvm::FunctionAnalysisManager &FAM, llvm::StringRef Mark,
    llvm::function_ref<bool(llvm::Loop &)> Change,
    llvm::function_ref<llvm::Loop *(llvm::Loop &)> Of = [](llvm::Loop &Items) { return &Items; });

} // namespace tw_compiler

#endif
