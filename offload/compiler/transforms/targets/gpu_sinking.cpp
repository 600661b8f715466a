/* SPDX-License-Identifier: Apache-2.0 */
/* Values that stay where they are computed, in kernels for NVIDIA GPUs. In loops LLVM's code generator moves an instruction down to where
   its result is used, behind branches that control comes back from: so the sums of a loop whose turns were copied, and whose terms have
   branches, wait for the last turn, and registers hold all their terms. Its limit is the number of registers, which PTX has without end. */
#include "passes.h"

#include "gpu_values.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* Whether an operand ends with the instruction that it is for, or is there in all of the loop. */
bool endsHere(const Value *Operand, const Loop &L)
{
    const auto *Of = dyn_cast<Instruction>(Operand);
    return !Of || !L.contains(Of) || Of->hasOneUse();
}

/* Whether a value is computed from others that end with it, and is used by one later block, to which control comes in any case: further
   down it takes no fewer registers, and no less work. */
bool staysHere(const Instruction &I, const LoopInfo &LI, const PostDominatorTree &PDT)
{
    const BasicBlock *Here = I.getParent();
    const Loop *L = LI.getLoopFor(Here);
    if (!L || !isa<BinaryOperator>(I) || !fitsRegister(*I.getType()) || I.use_empty())
        return false;
    const BasicBlock *There = cast<Instruction>(*I.user_begin())->getParent();
    return There != Here && LI.getLoopFor(There) == L && PDT.dominates(There, Here)
           && all_of(I.users(),
                     [&](const User *User) {
                         const auto *Its = cast<Instruction>(User);
                         return Its->getParent() == There && !isa<PHINode>(Its);
                     })
           && all_of(I.operand_values(), [&](const Value *Operand) { return endsHere(Operand, *L); });
}

} // namespace

bool leaveGpuSums(Function &F, FunctionAnalysisManager &FAM)
{
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    if (LI.empty())
        return false;
    const auto &PDT = FAM.getResult<PostDominatorTreeAnalysis>(F);
    SmallVector<Instruction *, 32> Staying;
    for (Instruction &I : instructions(F))
        if (staysHere(I, LI, PDT))
            Staying.push_back(&I);
    for (Instruction *I : Staying) {
        IRBuilder<> B(I->getNextNode());
        Value *Here = computeHere(B, I);
        I->replaceUsesWithIf(Here, [&](const Use &Its) { return Its.getUser() != Here; });
    }
    return !Staying.empty();
}

} // namespace tw_compiler
