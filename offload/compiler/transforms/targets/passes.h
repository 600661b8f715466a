/* SPDX-License-Identifier: Apache-2.0 */
/* The passes for one kind of target: GPUs, or x86-64. Each returns whether it changed the function, or says so to the analyses. */
#ifndef TEAMWORK_COMPILER_TARGETS_PASSES_H
#define TEAMWORK_COMPILER_TARGETS_PASSES_H

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace tw_compiler
{

/* gpu_arguments.cpp lets the work-items of a team share the arrays among their arguments. */
bool shareArguments(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_clamps.cpp makes copies for where the bounds of clamps are in order, and for work-items inside of all borders. */
bool versionClamps(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_places.cpp makes a copy for where a place in many arrays does not fit 32 bits. */
bool versionPlaces(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_addresses.cpp says that pointers are global, and adds a launch's offset first. */
bool shortenGpuAddresses(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_barriers.cpp takes barriers out that order nothing. */
bool leaveGpuBarriers(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_pointers.cpp advances pointers with their loops. */
bool advanceGpuPointers(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_roots.cpp moves a square root that is used once to the block of its use. */
bool hoistGpuRoots(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_quotients.cpp writes quotients of loops, by constants, as products of 32 bits. */
bool writeGpuQuotients(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_reciprocals.cpp writes reciprocals so that they call nothing. */
bool writeGpuReciprocals(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_counters.cpp keeps one counter for all arrays of a loop. */
bool hideGpuCounters(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* x86_frames.cpp keeps the probes of large frames away from registers in use. */
bool useFrameAtEntry(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace tw_compiler

#endif
