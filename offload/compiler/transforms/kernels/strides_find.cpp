/* SPDX-License-Identifier: Apache-2.0 */
/* Finds loops in which the work-items of a group share out a range (strides.cpp). */
#include "strides.h"

#include <llvm/ADT/SmallPtrSet.h>

using namespace llvm;

namespace tw_compiler
{

/* Whether a value follows from the ids of a dimension, or from something that is not known to be computed from ids alone. */
bool StrideFinder::dependsOn(const Value *V, int Dimension, unsigned Depth)
{
    const auto *Of = dyn_cast<Instruction>(V);
    if (!Of)
        return false;
    if (I.isId(V))
        return isOf(V, Dimension);
    if (IsUniform(V))
        return false;
    const bool Here = is_contained(Around, Of->getParent());
    if (Depth > MostDepth || !(Here ? !isa<PHINode>(Of) && !isa<CallBase>(Of) : canRecompute(*Of)))
        return true;
    return any_of(Of->operand_values(), [&](const Value *Operand) { return dependsOn(Operand, Dimension, Depth + 1); });
}

/* Whether a work-item has nothing of its own in the loop but the element. */
bool StrideFinder::isAlone(Shared &S)
{
    SmallPtrSet<const Value *, 16>
        Tainted; /* follow from the counter of a group, or from ids, but not from the element alone */
    const Sum Id = linear(S.Dimension);
    auto *Next = cast<Instruction>(S.Counter->getIncomingValueForBlock(S.L->getLoopLatch()));
    if (S.ByGroup) {
        Opaque = S.Counter;
        Tainted.insert(S.Counter);
        Tainted.insert(Next);
    }
    auto *Compare = cast<Instruction>(S.Branch->getCondition());
    for (bool More = true; More;) {
        More = false;
        for (BasicBlock *Block : S.L->blocks())
            for (Instruction &J : *Block) {
                for (const User *U : J.users())
                    if (!S.L->contains(cast<Instruction>(U)))
                        return false;
                if (&J == Next || &J == Compare || &J == S.Counter || S.Elements.count(&J))
                    continue;
                const bool Own = any_of(J.operands(), [&](const Value *Operand) {
                    const auto *Of = dyn_cast<Instruction>(Operand);
                    return Of && !isa<AllocaInst>(Of)
                           && (Tainted.count(Of) || (!S.L->contains(Of) && dependsOn(Of, S.Dimension)));
                });
                if (!Own || Tainted.count(&J))
                    continue;
                std::optional<Sum> Of = S.ByGroup ? sum(&J) : std::nullopt;
                if (!Of || isa<PHINode>(J))
                    return false;
                /* a multiple of the element, and what has nothing to do with it? */
                const unsigned Bits = J.getType()->getIntegerBitWidth();
                *Of = Of->low(Bits);
                Sum Rest = *Of;
                if (const uint64_t Times = Of->times({S.Counter})) {
                    Sum Element = Id;
                    Element.add({S.Counter}, 1);
                    Rest.add(Element, uint64_t(0) - Times);
                    Rest = Rest.low(Bits);
                    bool Other = Rest.has(S.Counter);
                    for (Value *D : I.Id)
                        Other |= isOf(D, S.Dimension) && Rest.has(D);
                    if (!Other && Bits <= S.Counter->getType()->getIntegerBitWidth()) {
                        Rest.add({S.Counter}, Times);
                        S.Elements[&J] = Rest;
                        More = true;
                        continue;
                    }
                }
                Tainted.insert(&J);
                More = true;
            }
    }
    Opaque = nullptr;
    const auto IsTainted = [&](const Value *V) { return V != S.Counter && Tainted.count(V); };
    for (auto &[J, Of] : S.Elements) /* which may be sums with other values of the turn */
        for (auto &[Factors, Times] : Of.Terms)
            if (any_of(Factors, IsTainted))
                return false;
    return !S.ByGroup || !S.Elements.empty();
}

/* The most work-items that share out a range; more than MostItems: unknown. */
uint64_t StrideFinder::most(int Dimension) const
{
    uint64_t Result = 1;
    for (unsigned D = 0; D < 3; ++D)
        if (Stride::has(Dimension, D))
            Result *= isa<ConstantInt>(I.Extent[D]) ? I.most(D) : MostItems + 1;
    return Result;
}

/* Whether the counters of all work-items begin without wrapping around: at `First` and their id. */
bool StrideFinder::beginsInOrder(const Shared &S, const Sum &First)
{
    const unsigned Bits = S.Counter->getType()->getIntegerBitWidth();
    if (S.ByGroup)
        return true;
    if (First.Terms.empty() || (First.Terms.size() == 1 && First.Terms[0].first.empty())) {
        const APInt Begin = APInt(64, First.times({})).trunc(Bits),
                    Most = S.Signed ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits);
        const APInt Last = Most - APInt(Bits, std::min(most(S.Dimension), MostItems) - 1);
        return S.Signed ? Begin.sle(Last) : Begin.ule(Last);
    }
    const auto *Add = dyn_cast<BinaryOperator>(S.Start); /* of what is the same for all, and of ids: never negative */
    if (!Add || Add->getOpcode() != Instruction::Add || !(S.Signed ? Add->hasNoSignedWrap() : Add->hasNoUnsignedWrap()))
        return false;
    const auto IsOfIds = [&](Value *V) {
        const std::optional<Sum> Of = sum(V);
        return Of && fits(Of->low(Bits), Bits);
    };
    Value *Left = Add->getOperand(0), *Right = Add->getOperand(1);
    return (IsUniform(Left) && IsOfIds(Right)) || (IsUniform(Right) && IsOfIds(Left));
}

std::optional<Shared> StrideFinder::find(Loop &L)
{
    BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
    if (!L.isLoopSimplifyForm() || !Latch || L.getExitingBlock() != Header || !L.getExitBlock()
        || L.getExitBlock()->getSinglePredecessor() != Header || isa<PHINode>(L.getExitBlock()->front())
        || !isa<BranchInst>(Latch->getTerminator()))
        return {};
    Shared S;
    S.L = &L;
    S.Branch = dyn_cast<BranchInst>(Header->getTerminator());
    auto *Compare = S.Branch ? dyn_cast<ICmpInst>(S.Branch->getCondition()) : nullptr;
    if (!Compare || std::distance(Header->phis().begin(), Header->phis().end()) != 1 || !Compare->hasOneUse())
        return {};
    S.Counter = &*Header->phis().begin();
    for (Instruction &J : *Header)
        if (J.mayHaveSideEffects())
            return {};
    CmpInst::Predicate Predicate = Compare->getPredicate();
    S.Bound = Compare->getOperand(1);
    if (Compare->getOperand(1) == S.Counter) {
        Predicate = CmpInst::getSwappedPredicate(Predicate);
        S.Bound = Compare->getOperand(0);
    } else if (Compare->getOperand(0) != S.Counter)
        return {};
    if (!L.contains(S.Branch->getSuccessor(0)))
        Predicate = CmpInst::getInversePredicate(Predicate);
    if (Predicate != CmpInst::ICMP_ULT && Predicate != CmpInst::ICMP_SLT)
        return {};
    S.Signed = Predicate == CmpInst::ICMP_SLT;
    S.Start = S.Counter->getIncomingValueForBlock(L.getLoopPreheader());
    auto *Next = dyn_cast<BinaryOperator>(S.Counter->getIncomingValueForBlock(Latch));
    if (!Next || Next->getOpcode() != Instruction::Add || !S.Counter->getType()->isIntegerTy()
        || S.Counter->getType()->getIntegerBitWidth() > 64 || !IsUniform(S.Bound))
        return {};
    bool Moved = false;
    if (!L.makeLoopInvariant(S.Bound, Moved)) /* `at < height + 2`, which is computed in the loop */
        return {};
    Value *Step = Next->getOperand(Next->getOperand(0) == S.Counter ? 1 : 0);
    if (Step == S.Counter || (Next->getOperand(0) != S.Counter && Next->getOperand(1) != S.Counter))
        return {};
    std::optional<Sum> By = sum(Step), From = sum(S.Start);
    if (!By || !From)
        return {};
    /* Could the counter wrap around, and the loop go on? An element that is 2 to the bits would be taken for one of the first. */
    const unsigned Bits = S.Counter->getType()->getIntegerBitWidth();
    const auto *Fixed = dyn_cast<ConstantInt>(Step);
    const auto *Known = dyn_cast<ConstantInt>(S.Bound);
    const bool Ends = S.Signed ? Next->hasNoSignedWrap()
                               : Bits == 64 || Next->hasNoUnsignedWrap() || (Fixed && Fixed->getValue().isPowerOf2())
                                     || (Known && Known->getValue().ult(APInt::getSignedMinValue(Bits)))
                                     || (Bits >= 32 && followsSize(S.Bound, Bits));
    if (!Ends)
        return {};
    for (int Dimension : {-1, -2, 0, 1, 2}) {
        if (Dimension >= 0 ? I.isOne(unsigned(Dimension)) : Dimension == -2 && (I.isOne(1) || I.isOne(2)))
            continue;
        Sum Rest = extent(Dimension);
        Rest.add(*By, ~uint64_t(0));
        if (!Rest.low(Bits).Terms.empty() || (Bits < 32 && most(Dimension) > uint64_t(1) << (Bits - 1)))
            continue;
        Rest = *From;
        Rest.add(linear(Dimension), ~uint64_t(0));
        Rest = Rest.low(Bits);
        S.Dimension = Dimension;
        const bool Uniform = all_of(Rest.Terms, [&](auto &Term) {
            return none_of(Term.first, [&](Value *Atom) { return I.isId(Atom) || !IsUniform(Atom); });
        });
        S.ByGroup = !Uniform;
        if (S.ByGroup && !IsUniform(S.Start))
            continue;
        S.InOrder = beginsInOrder(S, Rest);
        S.Elements.clear();
        if (isAlone(S))
            return S;
    }
    return {};
}

} // namespace tw_compiler
