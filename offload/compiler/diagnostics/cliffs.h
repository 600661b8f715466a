/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a kernel several times slower than it could be: why, and what to change. */
#ifndef TEAMWORK_COMPILER_DIAGNOSTICS_CLIFFS_H
#define TEAMWORK_COMPILER_DIAGNOSTICS_CLIFFS_H

#include <string>

#include <llvm/ADT/StringRef.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace tw_compiler
{

/* Keeps why a pass left the work-items of a loop one by one. */
void noteRefusal(llvm::Loop &Items, llvm::StringRef Why, const llvm::Instruction *Where);
/* Tells the library of a kernel that keeps stacks. */
void tellStacks(llvm::Function &F, llvm::StringRef Why, const llvm::DebugLoc &Where);
/* What to change, for a reason, or nothing: the end of a remark. */
std::string adviceOn(llvm::StringRef Why);
std::string because(llvm::StringRef Why); /* the reason with it, behind what did not happen */
/* At the end: the remarks of all passes, too. */
void tellCliffs(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);

} // namespace tw_compiler

#endif
