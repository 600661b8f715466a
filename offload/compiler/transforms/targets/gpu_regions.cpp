/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel regions of kernels for NVIDIA GPUs, in the teams lowering. The threads of a team wait for regions in a loop, which calls their
   functions by pointers. LLVM (OpenMPOpt) calls those that it knows directly instead, and inlines them. What stays of each is its function,
   of which only the address is needed. It would still use the kernel's local memory. A variable that two functions use is no longer one
   kernel's for nvlink, which adds its bytes to each kernel of the program. */
#include "passes.h"

#include "analysis/predicates.h"
#include "gpu_spaces.h"
#include "utilities/clean.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Assumptions.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* Whether a use of a function's address only keeps it in the team's memory, where this module alone can read it, or compares it. */
bool onlyTells(const User *Its, const Function &F)
{
    if (isa<ICmpInst>(Its))
        return true;
    const auto *Store = dyn_cast<StoreInst>(Its);
    if (!Store || Store->getValueOperand() != &F)
        return false;
    const auto *Where = dyn_cast<GlobalVariable>(getUnderlyingObject(Store->getPointerOperand()));
    return Where && Where->hasLocalLinkage() && spacesOf(Where) == TeamSpace;
}

} // namespace

void tellAssembly(Module &M, ModuleAnalysisManager &)
{
    if (!isForNvidia(M))
        return;
    for (Function &F : M)
        for (Instruction &I : instructions(F))
            if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->isInlineAsm())
                addAssumptions(*Call, {"omp_no_parallelism"});
}

void leaveRegions(Module &M, ModuleAnalysisManager &)
{
    if (!isForNvidia(M))
        return;
    SmallPtrSet<const FunctionType *, 8> Called; /* by pointers */
    for (Function &F : M)
        for (Instruction &I : instructions(F))
            if (const auto *Call = dyn_cast<CallBase>(&I); Call && Call->isIndirectCall())
                Called.insert(Call->getFunctionType());
    for (Function &F : M)
        if (!F.isDeclaration() && F.hasLocalLinkage() && !F.use_empty() && !Called.contains(F.getFunctionType())
            && all_of(F.users(), [&](const User *Its) { return onlyTells(Its, F); }))
            empty(F);
}

} // namespace tw_compiler
