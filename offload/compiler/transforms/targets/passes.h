/* SPDX-License-Identifier: Apache-2.0 */
/* The passes for one kind of target: GPUs, or x86-64. Each returns whether it changed the function, or says so to the analyses. */
#ifndef TEAMWORK_COMPILER_TARGETS_PASSES_H
#define TEAMWORK_COMPILER_TARGETS_PASSES_H

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace tw_compiler
{

/* arguments.cpp lets the work-items of a team share the arrays among their arguments. */
bool shareArguments(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* clamps.cpp makes copies for where the bounds of clamps are in order, and for work-items inside of all borders. */
bool versionClamps(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* places.cpp makes a copy for where a place in many arrays does not fit 32 bits. */
bool versionPlaces(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu.cpp */
bool hideGpuCounters(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool shortenGpuAddresses(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool leaveGpuBarriers(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool advanceGpuPointers(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool hoistGpuRoots(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool writeGpuQuotients(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool writeGpuReciprocals(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* frames.cpp keeps the probes of large frames away from registers in use. */
bool useFrameAtEntry(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace tw_compiler

#endif
