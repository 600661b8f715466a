/* SPDX-License-Identifier: Apache-2.0 */
/* Square roots in kernels for NVIDIA GPUs, which end what ptxas schedules together. */
#include "passes.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* The code of a square root has a branch for rare values, at which ptxas ends what it schedules together. So a root that is used once,
   in a later block of the same loop, moves there: what is between, such as a cosine's usual path, is scheduled with what is before. */
bool moveRoots(Function &F, DominatorTree &DT, LoopInfo &LI)
{
    SmallVector<Instruction *, 4> Roots;
    for (Instruction &I : instructions(F))
        if (const auto *Root = dyn_cast<IntrinsicInst>(&I);
            Root && Root->getIntrinsicID() == Intrinsic::sqrt && I.getType()->isFloatTy() && I.hasOneUse())
            Roots.push_back(&I);
    bool Changed = false;
    for (Instruction *Root : Roots) {
        auto *User = cast<Instruction>(Root->user_back());
        BasicBlock *From = Root->getParent(), *To = User->getParent();
        if (isa<PHINode>(User) || From == To || LI.getLoopFor(From) != LI.getLoopFor(To)
            || !DT.properlyDominates(From, To))
            continue;
        Root->moveBefore(*To, User->getIterator());
        Changed = true;
    }
    return Changed;
}

} // namespace

bool hoistGpuRoots(Function &F, FunctionAnalysisManager &FAM)
{
    return moveRoots(F, FAM.getResult<DominatorTreeAnalysis>(F), FAM.getResult<LoopAnalysis>(F));
}

} // namespace tw_compiler
