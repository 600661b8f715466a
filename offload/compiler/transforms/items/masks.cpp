/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison of a narrow index with a power of two has become a test of the bits above it, when the loops over work-items come here.
   It becomes a comparison again, since rows.cpp would take the bits for a quotient. */
#include "passes.h"

#include "base/marks.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tw_compiler
{
namespace
{

/* The comparison that stands for a test whether bits are 0, from one on up to where the value has none; or null. */
Value *comparison(ICmpInst &Test, ScalarEvolution &SE)
{
    Value *X;
    const APInt *Mask;
    if (!Test.isEquality() || !match(Test.getOperand(0), m_And(m_Value(X), m_APInt(Mask)))
        || !match(Test.getOperand(1), m_Zero()) || !Mask->isShiftedMask() || !SE.isSCEVable(X->getType()))
        return nullptr;
    const unsigned First = Mask->countr_zero(), Past = First + Mask->popcount();
    if (First == 0 || SE.getUnsignedRangeMax(SE.getSCEV(X)).getActiveBits() > Past)
        return nullptr;
    const auto Is = Test.getPredicate() == ICmpInst::ICMP_EQ ? ICmpInst::ICMP_ULT : ICmpInst::ICMP_UGE;
    return IRBuilder<>(&Test).CreateICmp(
        Is, X, ConstantInt::get(X->getType(), APInt::getOneBitSet(Mask->getBitWidth(), First)));
}

} // namespace

bool compareForMasks(Function &F, FunctionAnalysisManager &FAM)
{
    bool Changed = false;
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
        if (!hasLoopMark(*L, ItemsMark))
            continue;
        for (BasicBlock *Block : L->blocks())
            for (Instruction &I : make_early_inc_range(*Block))
                if (auto *Test = dyn_cast<ICmpInst>(&I))
                    if (Value *New = comparison(*Test, SE)) {
                        Test->replaceAllUsesWith(New);
                        RecursivelyDeleteTriviallyDeadInstructions(Test);
                        Changed = true;
                    }
    }
    return Changed;
}

} // namespace tw_compiler
