/* SPDX-License-Identifier: Apache-2.0 */
/* What a work-item counts up in a loop around barriers begins somewhere of its own, but goes on by the same steps as for all others:
   it becomes the sum of its beginning, which can be computed again, and of a counter of the group. */
#include "kernel.h"

#include "base/markers.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

bool hasBarrier(const Loop &L)
{
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (markerCall(I, BarrierMarker) || markerCall(I, OnceMarker))
                return true;
    return false;
}

/* The step from one turn of `L` to the next, at the place where the phi is stepped; null if that is not always the same. */
Value *stepOf(const Loop &L, PHINode *Phi, Instruction *Next, IRBuilder<> &Builder)
{
    if (!Next)
        return nullptr;
    const auto Same = [&](const Value *V) { return L.isLoopInvariant(V); };
    Builder.SetInsertPoint(Next);
    Value *Step;
    if (match(Next, PatternMatch::m_c_Add(PatternMatch::m_Specific(Phi), PatternMatch::m_Value(Step))))
        return Same(Step) ? Step : nullptr;
    if (auto *Address = dyn_cast<GetElementPtrInst>(Next); Address && Address->getPointerOperand() == Phi
                                                           && all_of(Address->indices(), Same)
                                                           && !Address->getType()->isVectorTy())
        return emitGEPOffset(&Builder, Next->getModule()->getDataLayout(), Address);
    return nullptr;
}

void splitCounter(Loop &L, PHINode *Phi)
{
    BasicBlock *Before = L.getLoopPreheader(), *Latch = L.getLoopLatch();
    Value *Begin = Phi->getIncomingValueForBlock(Before);
    auto *Next = dyn_cast<Instruction>(Phi->getIncomingValueForBlock(Latch));
    IRBuilder<> Builder(Phi->getContext());
    if (isa<Constant>(Begin) || !(Phi->getType()->isIntegerTy() || Phi->getType()->isPointerTy()))
        return;
    Value *Step = stepOf(L, Phi, Next, Builder);
    if (!Step)
        return;
    auto *Counter = PHINode::Create(Step->getType(), 2, "tw_counter", Phi->getIterator());
    Counter->setDebugLoc(Phi->getDebugLoc());
    Counter->addIncoming(Constant::getNullValue(Step->getType()), Before);
    Counter->addIncoming(Builder.CreateAdd(Counter, Step), Latch);
    Builder.SetInsertPoint(Phi->getParent(), Phi->getParent()->getFirstInsertionPt());
    Builder.SetCurrentDebugLocation(Phi->getDebugLoc());
    Value *Sum =
        Phi->getType()->isPointerTy() ? Builder.CreatePtrAdd(Begin, Counter) : Builder.CreateAdd(Begin, Counter);
    Phi->replaceAllUsesWith(Sum);
    Phi->eraseFromParent();
}

} // namespace

void splitCounters(Function &F)
{
    DominatorTree DT(F);
    LoopInfo Loops(DT);
    for (Loop *L : Loops.getLoopsInPreorder()) {
        if (!L->getLoopPreheader() || !L->getLoopLatch() || !hasBarrier(*L))
            continue;
        SmallVector<PHINode *, 8> Phis;
        for (PHINode &Phi : L->getHeader()->phis())
            Phis.push_back(&Phi);
        for (PHINode *Phi : Phis)
            splitCounter(*L, Phi);
    }
}

} // namespace tw_compiler
