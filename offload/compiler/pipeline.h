/* SPDX-License-Identifier: Apache-2.0 */
/* What the passes of pipeline.cpp do: each of these returns whether it changed the function, or says so to the analyses. */
#ifndef TEAMWORK_COMPILER_PIPELINE_H
#define TEAMWORK_COMPILER_PIPELINE_H

#include <llvm/Analysis/LoopAnalysisManager.h>

#include "compiler.h"

namespace tw_compiler
{

/* kernels.cpp: divides kernels at their barriers, and marks loops over work-items */
void takeKernels(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);

/* unrolling.cpp */
void delayUnrolling(llvm::Loop &L, llvm::LoopStandardAnalysisResults &Results);
void endDelay(llvm::Loop &L);

/* pipeline.cpp: brings loops into the usual form, and puts in what is known by now */
void clean(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* items.cpp */
bool beginItems(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool endItems(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool joinSteps(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool delinearize(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool beginsWithFirst(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* cliffs.cpp and remarks.cpp: at the end */
void tellCliffs(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
void emitRemarks(llvm::Module &M);

/* frames.cpp */
bool useFrameAtEntry(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* divisions.cpp */
void hideDivisions(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool hoistDivisions(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* wraps.cpp */
bool hideWraps(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace tw_compiler

#endif
