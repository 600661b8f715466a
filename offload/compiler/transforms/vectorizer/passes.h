/* SPDX-License-Identifier: Apache-2.0 */
/* The vectorizer of loops over work-items. */
#ifndef TEAMWORK_COMPILER_VECTORIZER_PASSES_H
#define TEAMWORK_COMPILER_VECTORIZER_PASSES_H

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace tw_compiler
{

/* Each returns whether it changed the function. */
bool vectorizeInPlace(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool vectorizeItems(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace tw_compiler

#endif
