/* SPDX-License-Identifier: Apache-2.0 */
/* The passes for one kind of target: GPUs, or x86-64. Those for functions return whether they changed the function, or say so to the analyses. */
#ifndef TEAMWORK_COMPILER_TARGETS_PASSES_H
#define TEAMWORK_COMPILER_TARGETS_PASSES_H

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace tw_compiler
{

/* gpu_arguments.cpp lets the work-items of a team share the arrays among their arguments. */
bool shareArguments(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_addresses.cpp says which memory pointers are of, and computes addresses in few instructions. */
bool shortenGpuAddresses(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_barriers.cpp takes barriers out that order nothing. */
bool leaveGpuBarriers(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_unrolling.cpp says how far loops are unrolled. */
bool decideGpuUnrolling(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_pointers.cpp advances pointers with their loops. */
bool advanceGpuPointers(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_counters.cpp keeps one counter for all arrays of a loop. */
bool hideGpuCounters(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_sinking.cpp leaves sums where they are computed. */
bool leaveGpuSums(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* gpu_regions.cpp says that assembly has no parallel regions, and leaves only the addresses of regions that are not called. */
void tellAssembly(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
void leaveRegions(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);

/* gpu_bounds.cpp tells how many work-items a group has. */
void setLaunchBounds(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);

/* x86_vectors.cpp asks for vectors of 512 bits where processors keep their clock with them. */
bool preferLargeVectors(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* x86_frames.cpp keeps the probes of large frames away from registers in use. */
bool useFrameAtEntry(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace tw_compiler

#endif
