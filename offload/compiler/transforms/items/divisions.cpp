/* SPDX-License-Identifier: Apache-2.0 */
/* Divisions in loops over work-items, which LLVM would move to where they trap, or take wrong lanes of. */
#include "passes.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

using namespace llvm;

namespace tw_compiler
{

/* A division that a loop does not change, but that only some turns come to, goes in front of the loop, by 1 where it would have no
   result. The vectorizer of LLVM 19 to 22 takes what the first lane has for the quotient of all, also where that lane divides
   nothing, if the quotient is an address of a masked access. */
bool hoistDivisions(Function &F, FunctionAnalysisManager &FAM)
{
    bool Changed = false;
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
        BasicBlock *Before = L->getLoopPreheader();
        if (!Before || !L->isInnermost())
            continue;
        for (BasicBlock *Block : L->blocks())
            for (Instruction &I : make_early_inc_range(*Block)) {
                if (!I.isIntDivRem() || !I.getType()->isIntegerTy() || !L->makeLoopInvariant(I.getOperand(0), Changed)
                    || !L->makeLoopInvariant(I.getOperand(1), Changed))
                    continue;
                IRBuilder<> B(Before->getTerminator());
                auto *T = cast<IntegerType>(I.getType());
                Value *Of = B.CreateFreeze(I.getOperand(0)), *By = B.CreateFreeze(I.getOperand(1));
                Value *None = B.CreateIsNull(By);
                if (I.getOpcode() == Instruction::SDiv || I.getOpcode() == Instruction::SRem)
                    None = B.CreateOr(
                        None, B.CreateAnd(B.CreateICmpEQ(By, Constant::getAllOnesValue(T)),
                                          B.CreateICmpEQ(Of, B.getInt(APInt::getSignedMinValue(T->getBitWidth())))));
                By = B.CreateSelect(None, ConstantInt::get(T, 1), By);
                I.replaceAllUsesWith(B.CreateFreeze(B.CreateBinOp(Instruction::BinaryOps(I.getOpcode()), Of, By)));
                I.eraseFromParent();
                Changed = true;
            }
    }
    if (Changed)
        FAM.invalidate(F, PreservedAnalyses::none());
    return Changed;
}

} // namespace tw_compiler
