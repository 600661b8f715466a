/* SPDX-License-Identifier: Apache-2.0 */
/* Simplifies what a pass has left, by passes of LLVM. */
#include "clean.h"

#include "base/marks.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

using namespace llvm;

namespace tw_compiler
{

/* Quotients by what is not constant are nothing that an analysis could compute once more elsewhere, since it might divide by 0. It
   does not look behind a freeze, and takes what is there. */
void hideDivisions(Function &F, FunctionAnalysisManager &FAM)
{
    SmallVector<Instruction *, 8> Found;
    for (Instruction &I : instructions(F))
        if ((I.getOpcode() == Instruction::UDiv || I.getOpcode() == Instruction::URem) && I.getType()->isIntegerTy()
            && !isa<Constant>(I.getOperand(1)) && any_of(I.users(), [](const User *U) { return !isa<FreezeInst>(U); }))
            Found.push_back(&I);
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    for (Instruction *I : Found) {
        if (itemsAround(LI.getLoopFor(I->getParent())))
            continue;
        auto *Same = new FreezeInst(I, "", std::next(I->getIterator()));
        I->replaceUsesWithIf(Same, [&](Use &U) { return U.getUser() != Same; });
    }
    if (!Found.empty())
        FAM.invalidate(F, PreservedAnalyses::none());
}

void clean(Function &F, FunctionAnalysisManager &FAM)
{
    FAM.invalidate(F, PreservedAnalyses::none());
    identifyLoops(F, FAM.getResult<LoopAnalysis>(F));
    FunctionPassManager Passes;
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(InstCombinePass());
    Passes.addPass(EarlyCSEPass(true));
    Passes.addPass(JumpThreadingPass());
    Passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), true));
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(LoopSimplifyPass());
    FAM.invalidate(F, Passes.run(F, FAM));
    hideDivisions(F, FAM); /* which the passes have undone */
}

void empty(Function &F)
{
    F.deleteBody();
    F.setLinkage(GlobalValue::InternalLinkage);
    new UnreachableInst(F.getContext(), BasicBlock::Create(F.getContext(), "", &F));
}

} // namespace tw_compiler
