/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where only every n-th work-item has something to do, the loop over them takes no others. Trees are often written so.
 *
 *     for (t = 0; t < 256; ++t)                  for (u = 0; u < 64; ++u) {
 *         if (t % 4 == 0)             becomes        t = 4 * u;
 *             part[t] += part[t + 2];                part[t] += part[t + 2];
 *                                                }
 */
#include "passes.h"

#include "analysis/predicates.h"
#include "base/marks.h"

#include <cstdint>

#include <llvm/ADT/bit.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tw_compiler
{
namespace
{

bool hasEffects(const BasicBlock &Block)
{
    return any_of(Block, [](const Instruction &I) { return I.mayHaveSideEffects() && !isDropped(I); });
}

bool isAnythingUsedBehind(const Loop &L)
{
    return any_of(L.blocks(), [&](const BasicBlock *Block) {
        return any_of(*Block, [&](const Instruction &I) { return isUsedBehind(I, L); });
    });
}

bool change(Loop &L, ScalarEvolution &SE)
{
    BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
    auto *Branch = dyn_cast<BranchInst>(Header->getTerminator());
    const uint64_t Items = SE.getSmallConstantTripCount(&L);
    if (!Items || !Latch || Latch == Header || L.getExitingBlock() != Latch || !Branch || !Branch->isConditional()
        || turnsApart(L) != UINT64_MAX || hasEffects(*Header) || hasEffects(*Latch) || isa<PHINode>(Latch->front())
        || isAnythingUsedBehind(L))
        return false;
    /* the counter, and how the loop ends: both are written anew */
    auto *Counter = dyn_cast<PHINode>(&Header->front());
    auto *End = dyn_cast<BranchInst>(Latch->getTerminator());
    ICmpInst *Ends = End ? dyn_cast<ICmpInst>(End->getCondition()) : nullptr;
    Value *Next = Counter ? Counter->getIncomingValueForBlock(Latch) : nullptr;
    if (!Counter || isa<PHINode>(Counter->getNextNode()) || !Ends || !Ends->isEquality() || !Ends->hasOneUse()
        || Ends->getOperand(0) != Next || !match(Ends->getOperand(1), m_SpecificInt(Items))
        || !match(Next, m_Add(m_Specific(Counter), m_One())) || !Next->hasNUses(2)
        || !match(Counter->getIncomingValueForBlock(L.getLoopPreheader()), m_Zero()))
        return false;
    /* the condition, and for which work-items it holds */
    Value *Index;
    const APInt *Mask, *Rest;
    auto *Test = dyn_cast<ICmpInst>(Branch->getCondition());
    if (!Test || !Test->isEquality() || !match(Test->getOperand(0), m_And(m_Value(Index), m_APInt(Mask)))
        || !match(Test->getOperand(1), m_APInt(Rest)) || !Mask->isMask() || Mask->getActiveBits() > 31
        || Rest->ugt(*Mask))
        return false;
    const unsigned Taken = Test->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1;
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Index));
    const auto *Begin = Rec && Rec->getLoop() == &L ? dyn_cast<SCEVConstant>(Rec->getStart()) : nullptr;
    if (Branch->getSuccessor(1 - Taken) != Latch || Branch->getSuccessor(Taken) == Latch || !Begin || !Rec->isAffine()
        || !Rec->getStepRecurrence(SE)->isOne())
        return false;
    const uint64_t N = Mask->getZExtValue() + 1, First = ((*Rest - Begin->getAPInt()) & *Mask).getZExtValue();
    if (First >= Items)
        return false;
    IRBuilder<> B(Header, Header->getFirstInsertionPt());
    Type *T = Counter->getType();
    Value *Item = B.CreateOr(B.CreateShl(Counter, uint64_t(countr_zero(N)), "", true, true), First);
    Counter->replaceUsesWithIf(Item, [&](const Use &U) {
        return U.getUser() != Next && U.getUser() != Item && U.getUser() != cast<User>(Item)->getOperand(0);
    });
    Ends->setOperand(1, ConstantInt::get(T, (Items - First + N - 1) / N));
    Test->replaceAllUsesWith(ConstantInt::getBool(Test->getType(), Taken == 0));
    return true;
}

} // namespace

bool takeEveryNth(Function &F, FunctionAnalysisManager &FAM)
{
    bool Changed = false;
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
        if (hasLoopMark(*L, ItemsMark) && L->isInnermost() && L->isLoopSimplifyForm() && change(*L, SE)) {
            SE.forgetLoop(L);
            Changed = true;
        }
    return Changed;
}

} // namespace tw_compiler
