/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which values are the same for the work-items of a vector. All start as unknown; phis take what is known of what comes in, until nothing
 * changes. A value is
 *
 *     uniform   the same for all that are there
 *     linear    a constant more for each: an address is that of side by side elements, say
 *     varying   anything
 *
 * A branch by a varying condition is divergent. Where its ways meet, phis vary; a loop that work-items leave at different turns makes
 * vary what is used behind it. (Karrenberg and Hack, "Whole-Function Vectorization", 2011, have the same three kinds.)
 */
#include "shapes.h"

#include "accesses.h"
#include "predicates.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>

using namespace llvm;

namespace tw_compiler
{

constexpr int64_t MostAssumed = 1 << 16; /* what grows by more is meant to wrap around, as in a hash */

Shapes::Shape Shapes::get(const Value *V) const
{
    if (const PrivateVariable *P = Private.find(V))
        return {true, false, P->Element ? 0 : int64_t(P->Bytes)};
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I))
        return {true};
    const auto Found = Of.find(V);
    return Found == Of.end() ? Shape() : Found->second;
}

std::optional<int64_t> Shapes::step(const Value *V) const
{
    const Shape S = get(V);
    return S.IsKnown && !S.Varies ? std::optional(S.Step) : std::nullopt;
}

/* By how much a value that is known as an expression grows. A narrow integer may wrap around before it is extended: it is assumed that it
   does not, if that can be asked. */
std::optional<int64_t> Shapes::growth(const SCEV *S) const
{
    return growthOf(
        S, L, SE, [&](const Value *V) { return step(V); },
        [&](const SCEV *Extended, int64_t By) {
            const auto *Rec = dyn_cast<SCEVAddRecExpr>(Extended->operands()[0]);
            const bool CanAsk = Rec && Rec->getLoop() == &L && SE.getTypeSizeInBits(Extended->getType()) <= 64
                                && SE.getTypeSizeInBits(Rec->getType()) <= 32 && std::abs(By) <= MostAssumed;
            if (CanAsk)
                Assumed.insert(Extended);
            return CanAsk;
        });
}

Shapes::Shape Shapes::ofPhi(const PHINode &Phi) const
{
    if (Joins.count(Phi.getParent()))
        return {true, true};
    Shape Result;
    for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I) {
        const Shape S = get(Phi.getIncomingValue(I));
        const Loop *Left = LI.getLoopFor(Phi.getIncomingBlock(I));
        const auto *From = dyn_cast<Instruction>(Phi.getIncomingValue(I));
        for (; Left && !Left->contains(Phi.getParent()); Left = Left->getParentLoop())
            if (isDivergent(Left) && From && Left->contains(From))
                return {true, true};
        if (!S.IsKnown)
            continue;
        if (S.Varies || (Result.IsKnown && Result.Step != S.Step))
            return {true, true};
        Result = S;
    }
    return Result;
}

Shapes::Shape Shapes::ofAddress(const GetElementPtrInst &Gep) const
{
    const DataLayout &DL = L.getHeader()->getDataLayout();
    Shape Result = get(Gep.getPointerOperand());
    APInt Fixed(64, 0);
    Offsets Varying;
    if (DL.getIndexTypeSizeInBits(Gep.getType()) != 64 || !Gep.collectOffset(DL, 64, Varying, Fixed))
        return {true, true};
    for (auto &[Index, Factor] : Varying) {
        const Shape S = get(Index);
        int64_t By = 0;
        if (!S.IsKnown)
            return {};
        if (S.Varies || (S.Step != 0 && !Index->getType()->isIntegerTy(64))
            || MulOverflow(S.Step, Factor.getSExtValue(), By) || AddOverflow(Result.Step, By, Result.Step))
            return {true, true};
    }
    return Result;
}

/* Whether a value changes with the turns of loops inside. That it does not wrap around is known only of those that take part, and the first
   lane may not. */
bool Shapes::changesInside(const SCEV *S) const
{
    return SCEVExprContains(S, [&](const SCEV *Part) {
        const auto *Rec = dyn_cast<SCEVAddRecExpr>(Part);
        return Rec ? Rec->getLoop() != &L && L.contains(Rec->getLoop())
                   : isa<SCEVUnknown>(Part) && !SE.isLoopInvariant(Part, &L);
    });
}

Shapes::Shape Shapes::ofInstruction(Instruction &I) const
{
    constexpr Shape Varying{true, true};
    if (const auto *Phi = dyn_cast<PHINode>(&I))
        return ofPhi(*Phi);
    const auto *Call = dyn_cast<CallBase>(&I);
    if (Call && (!Call->doesNotAccessMemory() || Call->mayHaveSideEffects()) && !isDropped(I))
        return Varying;
    if (isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I))
        return Varying;
    SmallVector<Shape, 4> In;
    for (const Value *Operand : I.operands()) {
        if (Call && Operand == Call->getCalledOperand())
            continue;
        In.push_back(get(Operand));
        if (!In.back().IsKnown)
            return {};
    }
    if (const auto *Load = dyn_cast<LoadInst>(&I))
        return Load->isSimple() && !Private.interleaved(Load->getPointerOperand()) && !In[0].Varies && In[0].Step == 0
                   ? Shape{true}
                   : Varying;
    if (any_of(In, [](const Shape &S) { return S.Varies; }))
        return Varying;
    if (const auto *Gep = dyn_cast<GetElementPtrInst>(&I))
        return ofAddress(*Gep);
    if (all_of(In, [](const Shape &S) { return S.Step == 0; }))
        return {true};
    const auto Factor = [](const Value *V) {
        const auto *C = dyn_cast<ConstantInt>(V);
        return C && C->getValue().getSignificantBits() <= 32 ? std::optional(C->getSExtValue()) : std::nullopt;
    };
    int64_t Step = 0;
    if (I.getOpcode() == Instruction::Or && cast<PossiblyDisjointInst>(I).isDisjoint())
        return AddOverflow(In[0].Step, In[1].Step, Step) ? Varying : Shape{true, false, Step};
    switch (I.getOpcode()) {
    case Instruction::Add:
        return AddOverflow(In[0].Step, In[1].Step, Step) ? Varying : Shape{true, false, Step};
    case Instruction::Sub:
        return SubOverflow(In[0].Step, In[1].Step, Step) ? Varying : Shape{true, false, Step};
    case Instruction::Mul:
        if (const auto By = Factor(I.getOperand(1)); By && !MulOverflow(In[0].Step, *By, Step))
            return {true, false, Step};
        return Varying;
    case Instruction::Shl:
        if (const auto By = Factor(I.getOperand(1));
            By && *By >= 0 && *By < 31 && !MulOverflow(In[0].Step, int64_t(1) << *By, Step))
            return {true, false, Step};
        return Varying;
    case Instruction::Trunc:
    case Instruction::Freeze:
        return In[0];
    case Instruction::Select:
        return In[0].Step == 0 && In[1].Step == In[2].Step ? In[1] : Varying;
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::AShr: /* of what was shifted to the left: the same */
    case Instruction::LShr: {
        const SCEV *Whole = SE.getSCEV(&I), *Narrow = SE.getSCEV(I.getOperand(0));
        const std::optional<int64_t> By = growth(Whole);
        if (By && *By != 0 && isa<ZExtInst>(I) && Whole == SE.getSignExtendExpr(Narrow, I.getType()))
            NotNegative.insert(&I);
        return By && (*By == 0 || !isPartial(I.getParent()) || !changesInside(Narrow)) ? Shape{true, false, *By}
                                                                                       : Varying;
    }
    default:
        return Varying;
    }
}

/* One round over all instructions; whether anything changed. */
bool Shapes::spread(ArrayRef<BasicBlock *> Order)
{
    bool Changed = false;
    for (BasicBlock *Block : Order)
        for (Instruction &I : *Block) {
            if (Block == L.getHeader() && isa<PHINode>(I))
                continue;
            Shape &Old = Of[&I];
            if (Old.Varies)
                continue;
            Shape New = ofInstruction(I);
            if (!New.IsKnown)
                continue;
            if (Old.IsKnown && New.Step != Old.Step)
                New.Varies = true;
            if (!Old.IsKnown || New.Varies) {
                Of[&I] = New;
                Changed = true;
            }
        }
    return Changed;
}

/* Whether all work-items of one block come to another one before a loop around both turns again. */
bool Shapes::comeTo(const BasicBlock *From, const BasicBlock *Goal) const
{
    const auto [Known, IsNew] = ComeTo.insert({{From, Goal}, false});
    if (!IsNew)
        return Known->second;
    SmallVector<const BasicBlock *, 16> Open{From};
    SmallPtrSet<const BasicBlock *, 16> Seen;
    while (!Open.empty()) {
        const BasicBlock *At = Open.pop_back_val();
        for (const BasicBlock *To : successors(At)) {
            if (To == Goal && !(LI.isLoopHeader(To) && LI.getLoopFor(To)->contains(From)))
                continue;
            const Loop *Of = LI.isLoopHeader(To) ? LI.getLoopFor(To) : nullptr;
            if (!L.contains(To) || (Of && Of->contains(At) && Of->contains(Goal)))
                return false;
            if (Seen.insert(To).second)
                Open.push_back(To);
        }
    }
    return ComeTo[{From, Goal}] = true;
}

/* Where only some of those are who came to a branch, until all have come together again; `Where` is told of the blocks at which they do too. */
void Shapes::forSome(const BasicBlock *Branch, function_ref<void(const BasicBlock *, bool AreAll)> Where) const
{
    SmallVector<const BasicBlock *, 16> Open{Branch};
    SmallPtrSet<const BasicBlock *, 16> Seen;
    while (!Open.empty())
        for (const BasicBlock *To : successors(Open.pop_back_val())) {
            const bool IsTurn = LI.isLoopHeader(To) && LI.getLoopFor(To)->contains(Branch);
            if (IsTurn || !L.contains(To) || !Seen.insert(To).second)
                continue;
            const bool AreAll = comeTo(Branch, To);
            Where(To, AreAll);
            if (!AreAll)
                Open.push_back(To);
        }
}

/* What follows from branches whose condition varies; whether it is more than before. */
bool Shapes::findDivergence(ArrayRef<BasicBlock *> Order)
{
    const size_t Before = Joins.size() + Divergent.size() + Partial.size();
    for (BasicBlock *Block : Order) {
        const Instruction *End = Block->getTerminator();
        if (End->getNumSuccessors() < 2 || isUniform(End->getOperand(0)) || Block == L.getLoopLatch())
            continue;
        const auto LeaveApart = [&](const BasicBlock *From) { /* loops around the branch */
                                                              for (const Loop *K = LI.getLoopFor(Block); K != &L;
                                                                   K = K->getParentLoop())
                                                                  if (K->contains(From) && K->isLoopExiting(From)
                                                                      && Divergent.insert(K).second)
                                                                      Partial.insert(K->block_begin(), K->block_end());
        };
        LeaveApart(Block);
        forSome(Block, [&](const BasicBlock *At, bool AreAll) {
            if (pred_size(At) > 1 && !LI.isLoopHeader(At))
                Joins.insert(At);
            if (AreAll)
                return;
            Partial.insert(At);
            LeaveApart(At);
        });
    }
    return Joins.size() + Divergent.size() + Partial.size() != Before;
}

void Shapes::run(ArrayRef<BasicBlock *> Order)
{
    for (PHINode &Phi : L.getHeader()->phis()) {
        const std::optional<int64_t> By = SE.isSCEVable(Phi.getType()) ? growth(SE.getSCEV(&Phi)) : std::nullopt;
        Of[&Phi] = By && isa<SCEVAddRecExpr>(SE.getSCEV(&Phi)) ? Shape{true, false, *By} : Shape{true, true};
    }
    bool More = true;
    while (More) {
        while (spread(Order))
            ;
        More = findDivergence(Order);
    }
}

} // namespace tw_compiler
