/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges that the work-items of a group share out, where loops over work-items exist already: in hierarchical kernels (strides.cpp has
 * those of nd_range kernels).
 *
 *     for (row = 0; row < rows; ++row)
 *         for (column = 0; column < columns; ++column)
 *             for (at = row * columns + column; at < count; at += rows * columns)
 *                 element(at)
 *
 * becomes a loop over all elements, one after the other, if nothing else is done in it, and if no work-item's counter wraps around before
 * its first element. The turns of a work-item stay in their order.
 */
#include "edges.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostOfElement = 2000; /* instructions */

class Elements
{
  public:
    Elements(Function &F, Loop &Items, ScalarEvolution &SE)
        : F(F), SE(SE), Expand(SE, F.getParent()->getDataLayout(), "tw_element"), All(&Items)
    {
    }
    bool run();

  private:
    Function &F;
    ScalarEvolution &SE;
    Expander Expand;
    Loop *All; /* the loops over the work-items that take part */
    Loop *K = nullptr;
    PHINode *Counter = nullptr;
    const SCEV *Begin = nullptr, *Past = nullptr, *First = nullptr; /* First: the first element of a work-item */
    CmpInst::Predicate Is = CmpInst::BAD_ICMP_PREDICATE;
    uint64_t Apart = 1; /* elements of one work-item */

    std::optional<std::pair<const SCEV *, const SCEV *>> comparedFor(const BasicBlock &From, const BasicBlock &Goal);
    bool findRange();
    bool isOnly(Loop &L, const Loop &Inner);
    bool findItems();
    void write();
};

/* What a branch compares, with what, if it goes to one block where the first is less; `Is` tells how. */
std::optional<std::pair<const SCEV *, const SCEV *>> Elements::comparedFor(const BasicBlock &From,
                                                                           const BasicBlock &Goal)
{
    const auto *Branch = dyn_cast<BranchInst>(From.getTerminator());
    const auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
        return {};
    Is = Branch->getSuccessor(0) == &Goal ? Compare->getPredicate() : Compare->getInversePredicate();
    const SCEV *Left = SE.getSCEV(Compare->getOperand(0)), *Right = SE.getSCEV(Compare->getOperand(1));
    if (ICmpInst::isGT(Is) || ICmpInst::isGE(Is)) {
        std::swap(Left, Right);
        Is = CmpInst::getSwappedPredicate(Is);
    }
    if (const auto *Known = dyn_cast<SCEVConstant>(Right);
        Known && ICmpInst::isLE(Is)
        && !(CmpInst::isSigned(Is) ? Known->getAPInt().isMaxSignedValue() : Known->getAPInt().isMaxValue())) {
        Right = SE.getConstant(Known->getAPInt() + 1);
        Is = CmpInst::getStrictPredicate(Is);
    }
    return ICmpInst::isLT(Is) ? std::optional(std::pair(Left, Right)) : std::nullopt;
}

/* A loop that counts by steps up to some number, which it does not pass by so much that the counter wraps around. */
bool Elements::findRange()
{
    BasicBlock *Latch = K->getLoopLatch();
    if (!K->isLoopSimplifyForm() || K->getExitingBlock() != Latch || !K->getExitBlock() || !isClosed(*K, MostOfElement)
        || !hasSingleElement(K->getHeader()->phis()))
        return false;
    Counter = &*K->getHeader()->phis().begin();
    const auto *Rec = SE.isSCEVable(Counter->getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Counter)) : nullptr;
    const auto Compared = comparedFor(*Latch, *K->getHeader());
    if (!Rec || Rec->getLoop() != K || !Rec->isAffine() || !Compared || !Counter->getType()->isIntegerTy())
        return false;
    const bool IsSigned = CmpInst::isSigned(Is);
    First = Rec->getStart();
    Past = Compared->second;
    const auto *Step = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE)), *Known = dyn_cast<SCEVConstant>(Past);
    bool Wraps = true;
    if (Step && Known) { /* of constants, the counter is often compared before it advances */
        const APInt &By = Step->getAPInt(), &Limit = Known->getAPInt();
        if (Compared->first == Rec)
            Past = SE.getConstant(Limit + By);
        IsSigned ? (void)Limit.sadd_ov(By, Wraps) : (void)Limit.uadd_ov(By, Wraps);
    }
    Wraps &=
        !(IsSigned ? Rec->hasNoSignedWrap() : Rec->hasNoUnsignedWrap() || SE.getTypeSizeInBits(Rec->getType()) == 64);
    return !Wraps && ((Step && Known && Compared->first == Rec) || Compared->first == Rec->getPostIncExpr(SE));
}

/* Whether nothing is done in a loop but by one inside of it, if there is an element for the work-item. */
bool Elements::isOnly(Loop &L, const Loop &Inner)
{
    if (!L.isLoopSimplifyForm() || L.getExitingBlock() != L.getLoopLatch() || !L.getExitBlock()
        || L.getSubLoops().size() != 1)
        return false;
    const CmpInst::Predicate How = Is;
    for (BasicBlock *Block : L.blocks()) {
        if (Inner.contains(Block))
            continue;
        if (any_of(*Block, [](const Instruction &I) { return I.mayHaveSideEffects() && !isDropped(I); }))
            return false;
        if (Block->getSingleSuccessor() || Block == L.getLoopLatch())
            continue;
        const auto Compared = &Inner == K ? comparedFor(*Block, *K->getLoopPreheader()) : std::nullopt;
        const bool IsSame = Compared && Is == How && Compared->first == First && Compared->second == Past;
        Is = How;
        if (!IsSame)
            return false;
    }
    return true;
}

/* The loops over work-items whose ids, together, are the first elements, and whose number is the step. */
bool Elements::findItems()
{
    const SCEV *Step = cast<SCEVAddRecExpr>(SE.getSCEV(Counter))->getStepRecurrence(SE),
               *Extent = SE.getOne(Counter->getType());
    Begin = First;
    for (const Loop *Inner = K;; Inner = All, All = All->getParentLoop()) {
        const auto *Rec = dyn_cast<SCEVAddRecExpr>(Begin);
        if (!All || turnsApart(*All) != UINT64_MAX || !Rec || Rec->getLoop() != All || !Rec->isAffine()
            || Rec->getStepRecurrence(SE) != Extent || !isOnly(*All, *Inner))
            return false;
        const SCEV *Turns = SE.getBackedgeTakenCount(All);
        if (isa<SCEVCouldNotCompute>(Turns))
            return false;
        Extent = SE.getMulExpr(
            Extent, SE.getTruncateOrZeroExtend(SE.getAddExpr(Turns, SE.getOne(Turns->getType())), Extent->getType()));
        Begin = Rec->getStart();
        if (Extent == Step)
            break;
    }
    for (BasicBlock *Block : All->blocks())
        for (Instruction &I : *Block)
            if (any_of(I.users(), [&](const User *U) { return !All->contains(cast<Instruction>(U)); }))
                return false; /* what all work-items combine, say */
    for (BasicBlock *Block : K->blocks())
        for (Instruction &I : *Block)
            for (Value *Operand : I.operands())
                if (auto *Of = dyn_cast<Instruction>(Operand);
                    &I != Counter && Of && All->contains(Of) && !K->contains(Of))
                    return false; /* of the work-item */
    const auto *Known = dyn_cast<SCEVConstant>(Extent);
    Apart = Known && Known->getAPInt().getActiveBits() <= 32 ? Known->getAPInt().getZExtValue() : 1;
    return isBeforeLoop(Begin, *All, SE, Expand) && isBeforeLoop(Past, *All, SE, Expand)
           && SE.willNotOverflow(Instruction::Add, CmpInst::isSigned(Is), Begin,
                                 SE.getMinusSCEV(Extent, SE.getOne(Extent->getType())));
}

void Elements::write()
{
    BasicBlock *Before = All->getLoopPreheader(), *Exit = All->getExitBlock();
    BasicBlock *Latch = K->getLoopLatch(), *Old = K->getLoopPreheader(), *OldExit = K->getExitBlock();
    auto *Entry = BasicBlock::Create(F.getContext(), "tw_elements", &F),
         *End = BasicBlock::Create(F.getContext(), "tw_elements_end", &F);
    Instruction *At = Before->getTerminator();
    Value *From = Expand.expandCodeFor(Begin, Counter->getType(), At->getIterator());
    Value *To = Expand.expandCodeFor(Past, Counter->getType(), At->getIterator());
    IRBuilder<> B(At);
    B.CreateCondBr(B.CreateICmp(Is, From, To), Entry, Exit);
    At->eraseFromParent();
    All->getHeader()->removePredecessor(Before);
    BranchInst::Create(K->getHeader(), Entry);
    BranchInst::Create(Exit, End);
    const int In = Counter->getBasicBlockIndex(Old);
    Counter->setIncomingValue(unsigned(In), From);
    Counter->setIncomingBlock(unsigned(In), Entry);
    Old->getTerminator()->eraseFromParent();
    new UnreachableInst(F.getContext(), Old);
    B.SetInsertPoint(Latch->getTerminator());
    Value *Next = B.CreateAdd(Counter, ConstantInt::get(Counter->getType(), 1), "", !CmpInst::isSigned(Is),
                              CmpInst::isSigned(Is));
    Counter->setIncomingValueForBlock(Latch, Next);
    Instruction *Back = B.CreateCondBr(B.CreateICmp(Is, Next, To), K->getHeader(), End);
    Back->setMetadata(LLVMContext::MD_loop, loopMetadata(F.getContext(), ItemsMark, Apart));
    OldExit->removePredecessor(Latch);
    Latch->getTerminator()->eraseFromParent();
    EliminateUnreachableBlocks(F);
}

bool Elements::run()
{
    if (All->getSubLoops().size() != 1)
        return false;
    K = All->getSubLoops()[0];
    if (!findRange() || !findItems()
        || !SE.isLoopEntryGuardedByCond(K, Is, First, Past)) /* else the first turn is that of all */
        return false;
    write();
    return true;
}

} // namespace

bool joinElements(Function &F, FunctionAnalysisManager &FAM)
{
    return changeLoops(F, FAM, "teamwork.elements",
                       [&](Loop &L) { return Elements(F, L, FAM.getResult<ScalarEvolutionAnalysis>(F)).run(); });
}

} // namespace tw_compiler
