/* SPDX-License-Identifier: Apache-2.0 */
/* Simplifies what a pass has left. */
#ifndef TEAMWORK_COMPILER_UTILITIES_CLEAN_H
#define TEAMWORK_COMPILER_UTILITIES_CLEAN_H

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace tw_compiler
{

/* Brings loops into the usual form, and puts in what is known by now. */
void clean(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
void hideDivisions(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* Takes away the body of a function that nobody will call any more. */
void empty(llvm::Function &F);

} // namespace tw_compiler

#endif
