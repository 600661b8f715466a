/* SPDX-License-Identifier: Apache-2.0 */
/* Loops in kernels for NVIDIA GPUs, whose counters and addresses take more instructions than CUDA's own compiler needs:

   - A loop over an array whose index is tested computes the address of each access (advancePointer()).
   - A loop whose step is a group's size has a counter of 64 bits, also where its limit is known to be small, and each turn computes and
     compares both halves (narrowCounter()). Where the step is a constant, LLVM sees better without what becomes of the halves. */
#include "passes.h"

#include <algorithm>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* Where an index is known not to be negative, LLVM extends it by zeros, and then does not see any more that it advances by a step:
   each access of an unrolled loop computes its address. So what does not change in the loop goes to the pointer, in front of it. If one
   term of a sum is not negative, and the sum, as a signed number, is not either, then it did not overflow. */
bool advancePointer(GetElementPtrInst &Access, Loop &L, ScalarEvolution &SE)
{
    using namespace PatternMatch;
    Value *Fixed, *Counter, *Index = Access.getNumIndices() == 1 ? Access.getOperand(1) : nullptr;
    BasicBlock *Before = L.getLoopPreheader();
    if (!Before || !Index || !Index->getType()->isIntegerTy(64)
        || !match(Index, m_NNegZExt(m_Add(m_Value(Fixed), m_Value(Counter))))
        || !L.isLoopInvariant(Access.getPointerOperand()))
        return false;
    if (L.isLoopInvariant(Counter))
        std::swap(Fixed, Counter);
    const auto *Steps = dyn_cast<SCEVAddRecExpr>(SE.getSignExtendExpr(SE.getSCEV(Counter), Index->getType()));
    if (!L.isLoopInvariant(Fixed) || !Steps || Steps->getLoop() != &L || !SE.isKnownNonNegative(Steps))
        return false;
    IRBuilder<> Front(Before->getTerminator()), Here(&Access);
    Type *Element = Access.getSourceElementType();
    Value *First = Front.CreateGEP(Element, Access.getPointerOperand(), Front.CreateSExt(Fixed, Index->getType()));
    Access.replaceAllUsesWith(Here.CreateGEP(Element, First, Here.CreateSExt(Counter, Index->getType())));
    Access.eraseFromParent();
    return true;
}

/* A counter of 64 bits that goes on only while it is less than a limit, and never leaves 32 bits, gets as many. */
bool narrowCounter(PHINode &Counter, Loop &L, ScalarEvolution &SE)
{
    using namespace PatternMatch;
    BasicBlock *Before = L.getLoopPredecessor(), *Latch = L.getLoopLatch();
    auto *Branch = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
    auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (!Before || !Test || !Counter.getType()->isIntegerTy(64))
        return false;
    Value *Start = Counter.getIncomingValueForBlock(Before), *Step, *Tested = Test->getOperand(0),
          *Limit = Test->getOperand(1);
    auto *Next = dyn_cast<BinaryOperator>(Counter.getIncomingValueForBlock(Latch));
    if (!Next || !match(Next, m_c_Add(m_Specific(&Counter), m_Value(Step))) || isa<Constant>(Step)
        || !L.isLoopInvariant(Step))
        return false;
    auto GoesOn = Branch->getSuccessor(0) == L.getHeader() ? Test->getPredicate() : Test->getInversePredicate();
    if (L.isLoopInvariant(Tested)) {
        std::swap(Tested, Limit);
        GoesOn = ICmpInst::getSwappedPredicate(GoesOn);
    }
    if (GoesOn != ICmpInst::ICMP_ULT || (Tested != Next && Tested != &Counter) || !L.isLoopInvariant(Limit))
        return false;

    const auto Most = [&SE](Value *Of) { return SE.getUnsignedRangeMax(SE.getSCEV(Of)); };
    const APInt Below = Most(Limit).usub_sat(APInt(64, 1)), Stride = Most(Step);
    APInt First = Most(Start);
    if (SE.isLoopEntryGuardedByCond(&L, ICmpInst::ICMP_ULT, SE.getSCEV(Start), SE.getSCEV(Limit)))
        First = APIntOps::umin(First, Below);
    const APInt Later = Tested == Next ? Below : Below.uadd_sat(Stride);
    if (!APIntOps::umax(First, Later).uadd_sat(Stride).isIntN(32) || !Most(Limit).isIntN(32))
        return false;

    SE.forgetLoop(&L);
    IRBuilder<> Front(Before->getTerminator()), Head(&Counter), Here(Next);
    Type *Word = Here.getInt32Ty();
    PHINode *Narrow = Head.CreatePHI(Word, 2);
    Value *Sum = Here.CreateAdd(Narrow, Front.CreateTrunc(Step, Word));
    Narrow->addIncoming(Front.CreateTrunc(Start, Word), Before);
    Narrow->addIncoming(Sum, Latch);
    Branch->setCondition(
        IRBuilder<>(Branch).CreateICmpULT(Tested == Next ? Sum : Narrow, Front.CreateTrunc(Limit, Word)));
    if (Branch->getSuccessor(0) != L.getHeader())
        Branch->swapSuccessors();
    Head.SetInsertPoint(L.getHeader(), L.getHeader()->getFirstInsertionPt());
    Next->replaceAllUsesWith(Here.CreateZExt(Sum, Next->getType()));
    Counter.replaceAllUsesWith(Head.CreateZExt(Narrow, Counter.getType()));
    Next->eraseFromParent();
    Counter.eraseFromParent();
    return true;
}

} // namespace

bool advanceGpuPointers(Function &F, FunctionAnalysisManager &FAM)
{
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    bool Changed = false;
    for (Loop *L : LI.getLoopsInPreorder()) {
        for (PHINode &Counter : make_early_inc_range(L->getHeader()->phis()))
            Changed |= narrowCounter(Counter, *L, SE);
        if (!L->isInnermost())
            continue;
        /* where a loop may have no turn, the test for that is in front of it */
        if (!L->getLoopPreheader())
            Changed |= InsertPreheaderForLoop(L, &DT, &LI, nullptr, false) != nullptr;
        for (BasicBlock *Block : L->blocks())
            for (Instruction &I : make_early_inc_range(*Block))
                if (auto *Access = dyn_cast<GetElementPtrInst>(&I))
                    Changed |= advancePointer(*Access, *L, SE);
    }
    return Changed;
}

} // namespace tw_compiler
