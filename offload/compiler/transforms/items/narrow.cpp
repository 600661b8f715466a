/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of loops inside of work-items that are narrower than an address and may wrap around, as in
 *
 *     for (unsigned i = id; i < n; i += range)
 *         sum += x[i];
 *
 * C says that such an index goes on from 0 behind its greatest value, so nobody knows that neighbouring work-items read neighbours in
 * every turn. But it never gets there if n is not greater than 2^32 - range. So the index becomes a choice, by that condition, between a
 * counter that is as wide as an address and what it was before. The condition does not change in the loop over work-items, which
 * index_set_split.cpp divides at it.
 */
#include "passes.h"

#include "analysis/predicates.h"
#include "utilities/budget.h"
#include "utilities/expander.h"

#include <utility>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

using Extensions = SmallPtrSet<const ZExtInst *, 8>;

class Counter
{
  public:
    Counter(Loop &Items, Loop &K, PHINode &Phi, ScalarEvolution &SE, Extensions &Done)
        : Items(Items), K(K), Phi(Phi), SE(SE), Done(Done), Expand(SE, Phi.getModule()->getDataLayout(), "tw_narrow"),
          Before(Items.getLoopPreheader()->getTerminator())
    {
    }
    bool run();

  private:
    Loop &Items, &K;
    PHINode &Phi;
    ScalarEvolution &SE;
    Extensions &Done; /* which are choices already */
    Expander Expand;
    Instruction *const Before; /* the end of what is in front of the loop over work-items */

    bool isBefore(const SCEV *S) const
    {
        return SE.isLoopInvariant(S, &Items) && Expand.isSafeToExpandAt(S, Before);
    }
    Value *write(const SCEV *S)
    {
        return IRBuilder<>(Before).CreateFreeze(Expand.expandCodeFor(S, S->getType(), Before->getIterator()));
    }
    Value *limit() const;
};

/* What the counter is less than in all turns; or null. */
Value *Counter::limit() const
{
    const auto *Branch = cast<BranchInst>(K.getLoopLatch()->getTerminator());
    const auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
    Value *Next = Phi.getIncomingValueForBlock(K.getLoopLatch());
    if (!Compare)
        return nullptr;
    ICmpInst::Predicate Goes =
        Branch->getSuccessor(0) == K.getHeader() ? Compare->getPredicate() : Compare->getInversePredicate();
    Value *Limit = Compare->getOperand(1);
    if (Limit == Next) {
        Limit = Compare->getOperand(0);
        Goes = ICmpInst::getSwappedPredicate(Goes);
    } else if (Compare->getOperand(0) != Next)
        return nullptr;
    const bool Found = Goes == ICmpInst::ICMP_ULT && isBefore(SE.getSCEV(Limit))
                       && SE.isLoopEntryGuardedByCond(
                           &K, Goes, SE.getSCEV(Phi.getIncomingValueForBlock(K.getLoopPreheader())), SE.getSCEV(Limit));
    return Found ? Limit : nullptr;
}

bool Counter::run()
{
    auto *Narrow = dyn_cast<IntegerType>(Phi.getType());
    const auto *Rec = Narrow && Narrow->getBitWidth() < 64 ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
    if (!Rec || Rec->getLoop() != &K || !Rec->isAffine() || !isBefore(Rec->getStepRecurrence(SE)))
        return false;
    Value *Limit = limit();
    if (!Limit)
        return false;
    const SCEV *Step = Rec->getStepRecurrence(SE);
    SmallVector<std::pair<ZExtInst *, const SCEV *>, 4>
        Found; /* what is extended, and how much more than the counter that is */
    for (BasicBlock *Block : K.blocks())
        for (Instruction &I : *Block) {
            auto *Index = dyn_cast<ZExtInst>(&I);
            if (!Index || Index->getSrcTy() != Narrow || Index->getType()->getIntegerBitWidth() != 64
                || isa<SCEVAddRecExpr>(SE.getSCEV(Index)) || !reachesAddress(Index, 0))
                continue;
            const SCEV *More = SE.getMinusSCEV(SE.getSCEV(Index->getOperand(0)), Rec);
            if (!Done.count(Index) && isBefore(More)
                && (!isa<SCEVConstant>(More) || cast<SCEVConstant>(More)->getAPInt().isNonNegative()))
                Found.push_back({Index, More});
        }
    if (Found.empty())
        return false;

    /* nothing wraps around if the limit and what is added are 2^32 at most */
    IRBuilder<> B(Before);
    Value *Most = write(SE.getSCEV(Limit)), *By = write(Step);
    const auto IsGood = [&](Value *Added) { return B.CreateICmpULE(Most, B.CreateNeg(Added)); };
    Value *Good = IsGood(By);
    SmallVector<Value *, 4> Sums;
    for (auto &[Index, More] : Found) {
        Sums.push_back(More->isZero() ? nullptr : write(More));
        if (Value *Added = Sums.back())
            Good = B.CreateAnd(Good, B.CreateOr(B.CreateIsNull(Added), IsGood(Added)));
    }
    By = B.CreateZExt(By, B.getInt64Ty());
    for (Value *&Added : Sums)
        if (Added)
            Added = B.CreateZExt(Added, B.getInt64Ty());

    B.SetInsertPoint(K.getLoopPreheader()->getTerminator());
    Value *Begin = B.CreateZExt(Phi.getIncomingValueForBlock(K.getLoopPreheader()), B.getInt64Ty());
    B.SetInsertPoint(&K.getHeader()->front());
    PHINode *Wide = B.CreatePHI(B.getInt64Ty(), 2, "tw_wide");
    B.SetInsertPoint(K.getLoopLatch()->getTerminator());
    Wide->addIncoming(Begin, K.getLoopPreheader());
    Wide->addIncoming(B.CreateAdd(Wide, By), K.getLoopLatch());
    MDNode *Likely = MDBuilder(Phi.getContext()).createBranchWeights(1u << 20, 1);
    for (size_t I = 0; I < Found.size(); ++I) {
        ZExtInst *Index = Found[I].first;
        Done.insert(Index);
        B.SetInsertPoint(Index->getNextNode());
        Value *Instead = B.CreateSelect(Good, Sums[I] ? B.CreateAdd(Wide, Sums[I]) : Wide, Index);
        if (auto *Choice = dyn_cast<SelectInst>(Instead))
            Choice->setMetadata(LLVMContext::MD_prof, Likely);
        Index->replaceUsesWithIf(Instead, [&](Use &U) { return U.getUser() != Instead; });
    }
    return true;
}

bool widen(Loop &Items, ScalarEvolution &SE, Extensions &Done)
{
    if (!Items.getLoopPreheader() || Items.isInnermost())
        return false;
    for (Loop *K : Items.getLoopsInPreorder()) {
        if (K == &Items || !K->isLoopSimplifyForm() || K->getExitingBlock() != K->getLoopLatch()
            || !isa<BranchInst>(K->getLoopLatch()->getTerminator()))
            continue;
        for (PHINode &Phi : K->getHeader()->phis())
            if (SE.isSCEVable(Phi.getType()) && Counter(Items, *K, Phi, SE, Done).run())
                return true;
    }
    return false;
}

} // namespace

/* Lets narrow counters of loops inside of work-items go on where an address does. */
bool widenCounters(Function &F, FunctionAnalysisManager &FAM)
{
    return changeLoops(F, FAM, "teamwork.wide", [&](Loop &Items) {
        Extensions Done;
        bool Changed = false;
        while (widen(Items, FAM.getResult<ScalarEvolutionAnalysis>(F), Done)) {
            FAM.getResult<ScalarEvolutionAnalysis>(F).forgetTopmostLoop(&Items);
            Changed = true;
        }
        return Changed;
    });
}

} // namespace tw_compiler
