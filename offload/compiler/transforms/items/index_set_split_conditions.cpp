/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What index-set splitting looks at, and what is likely to hold for most work-items: comparisons of a * index + b with what the loop does
 * not change, also inside of loops of constant steps in the body; minima, maxima and remainders of the same; and extensions of an index
 * of 32 bits to 64.
 */
#include "index_set_split.h"

#include "analysis/predicates.h"

#include <algorithm>

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/ProfDataUtils.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr unsigned MostConditions = 64;
constexpr uint64_t MostBetween = 1 << 20; /* indices that begin with the same one */

} // namespace

/* That a work-item is the first of its group, say, is no border of a nest: it holds in every group for some. */
void Divider::note(const Condition &C)
{
    if (!Nest || !C.I || !isa<SCEVConstant>(C.Of.Start))
        Conditions.push_back(C);
}

/* A value does not wrap around, from Lo on or from the first turn on. */
void Divider::addNoWrap(Instruction *I, const Affine &Of, bool Signed, bool FromZero, int64_t Plus, bool IsClamped)
{
    Type *T = Of.Start->getType();
    const SCEV *Shift = Signed ? SE.getConstant(APInt::getSignedMinValue(T->getIntegerBitWidth())) : SE.getZero(T);
    Condition C{I, Of, Shift, SE.getMinusOne(T), nullptr, true, nullptr, nullptr};
    C.FromZero = FromZero;
    C.Signed = Signed;
    C.Plus = Plus;
    C.IsClamped = IsClamped;
    for (const Condition &Known : Conditions)
        if (Known.I == I && Known.Of.Start == Of.Start && Known.Of.Step == Of.Step && Known.Of.Inner == Of.Inner
            && !Known.Then && Known.Signed == Signed)
            return;
    joinNeighbour(C);
    note(C);
}

/* Indices of a block that differ by constants, as those of a row of neighbours, begin with one of them: if it keeps that distance from where
   it would wrap around, none of them does. */
void Divider::joinNeighbour(Condition &C)
{
    if (!C.I || C.FromZero || !C.Signed || !C.Of.Inner.empty() || isa<TruncInst>(C.I))
        return;
    for (size_t K = 0; K < Conditions.size(); ++K) {
        Condition &First = Conditions[K];
        if (!First.I || First.I->getParent() != C.I->getParent() || First.Then || First.FromZero || !First.Signed
            || First.IsClamped != C.IsClamped || First.First >= 0 || !First.Of.Inner.empty()
            || First.Of.Step != C.Of.Step || isa<TruncInst>(First.I)
            || First.Of.Start->getType() != C.Of.Start->getType())
            continue;
        const auto *Between = dyn_cast<SCEVConstant>(SE.getMinusSCEV(C.Of.Start, First.Of.Start));
        if (!Between || Between->getAPInt().abs().ugt(MostBetween))
            continue;
        const int64_t By = Between->getAPInt().getSExtValue();
        const auto Number = [&](int64_t N) { return SE.getConstant(C.Of.Start->getType(), uint64_t(N), true); };
        if (By < First.Least) {
            First.Shift = SE.getAddExpr(First.Shift, Number(By - First.Least));
            First.Last = SE.getAddExpr(First.Last, Number(By - First.Least));
            First.Least = By;
        } else if (By > First.Most) {
            First.Last = SE.getAddExpr(First.Last, Number(First.Most - By));
            First.Most = By;
        }
        C.First = int(K);
        C.Of = First.Of;
        C.Plus += By;
        return;
    }
}

/* The instructions that are only reached from `From` by the edge to `To`. */
unsigned Divider::weight(const BasicBlock *From, const BasicBlock *To) const
{
    unsigned Result = 0;
    const BasicBlockEdge Edge(From, To);
    for (const BasicBlock *Block : L.blocks())
        if (DT.dominates(Edge, Block))
            Result += Block->size();
    return Result;
}

/* What a condition is for most work-items: the way with more code, and the choice that goes on with the index. */
std::optional<bool> Divider::likelyOf(const Value *Condition, const Value *Compared, unsigned Depth)
{
    for (const User *U : Condition->users()) {
        const auto *I = cast<Instruction>(U);
        if (!L.contains(I) || Depth > 6)
            continue;
        if (const auto *Branch = dyn_cast<BranchInst>(I)) {
            const unsigned Yes = weight(I->getParent(), Branch->getSuccessor(0));
            const unsigned No = weight(I->getParent(), Branch->getSuccessor(1));
            if (Yes != No)
                return Yes > No;
        } else if (I->getType()->isIntegerTy(1)) { /* and, or, not, also as choices */
            const bool Not = I->getOpcode() == Instruction::Xor;
            if (std::optional<bool> Result = likelyOf(I, nullptr, Depth + 1))
                return Not ? !*Result : *Result;
        } else if (const auto *Select = dyn_cast<SelectInst>(I); Select && Select->getCondition() == Condition) {
            uint64_t Often, Seldom;
            if (extractBranchWeights(*Select, Often, Seldom) && Often != Seldom)
                return Often > Seldom;
            Value *Yes = const_cast<Value *>(Select->getTrueValue()),
                  *No = const_cast<Value *>(Select->getFalseValue());
            if (Compared && (Yes == Compared || No == Compared))
                return Yes == Compared;
            const bool FirstMoves = affine(Yes).has_value(), SecondMoves = affine(No).has_value();
            if (FirstMoves != SecondMoves)
                return FirstMoves;
            const bool FirstStays = L.isLoopInvariant(Yes), SecondStays = L.isLoopInvariant(No);
            if (FirstStays != SecondStays)
                return SecondStays;
        }
    }
    return {};
}

void Divider::addCompare(ICmpInst &Compare)
{
    Value *Left = Compare.getOperand(0), *Right = Compare.getOperand(1);
    CmpInst::Predicate Predicate = Compare.getPredicate();
    if (!Left->getType()->isIntegerTy())
        return;
    std::optional<Affine> Of = affine(Left, true);
    if (!Of) {
        std::swap(Left, Right);
        Predicate = CmpInst::getSwappedPredicate(Predicate);
        Of = affine(Left, true);
    }
    if (!Of)
        return;
    const SCEV *Bound = SE.getSCEV(Right);
    if (!isBefore(Bound))
        return;
    Type *T = Left->getType();
    Condition C{&Compare, *Of, SE.getZero(T), nullptr, nullptr, true, nullptr, nullptr};
    if (CmpInst::isEquality(Predicate)) {
        /* index - bound is 0 */
        C.Shift = SE.getNegativeSCEV(Bound);
        C.Last = SE.getZero(T);
        C.Inside = false;
        C.Then = ConstantInt::getBool(Context, Predicate == CmpInst::ICMP_NE);
        note(C);
        return;
    }
    /* index <= Last, or the contrary */
    bool Contrary = false;
    if (Predicate == CmpInst::ICMP_UGT || Predicate == CmpInst::ICMP_UGE || Predicate == CmpInst::ICMP_SGT
        || Predicate == CmpInst::ICMP_SGE) {
        Contrary = true;
        Predicate = CmpInst::getInversePredicate(Predicate);
    }
    const SCEV *Last = Bound;
    const bool Signed = CmpInst::isSigned(Predicate);
    const SCEV *Least = SE.getConstant(APInt::getSignedMinValue(T->getIntegerBitWidth()));
    if (Signed) {
        C.Shift = Least;
        Last = SE.getAddExpr(Last, Least);
    }
    if (Predicate == CmpInst::ICMP_ULT || Predicate == CmpInst::ICMP_SLT) {
        C.NotZero = Last;
        Last = SE.getAddExpr(Last, SE.getMinusOne(T));
    }
    C.Last = Last;
    const bool Likely = likelyOf(&Compare, Left, 0).value_or(true);
    C.Inside = Likely != Contrary;
    C.Then = ConstantInt::getBool(Context, Likely);
    note(C);
}

/* A clamped index, or its sum with what the loop does not change, as the index that it is between Lo and Hi. */
std::optional<Divider::Clamped> Divider::clamped(Value *V)
{
    using namespace PatternMatch;
    if (auto Known = Extremes.find(V); Known != Extremes.end())
        return Known->second;
    const bool IsMasked = L.isInnermost() && hasMasks(F);              /* short rows stay vectors with masks */
    if (auto *Select = dyn_cast<SelectInst>(V); Select && !IsMasked) { /* by a condition that is known there */
        const auto Known =
            find_if(Conditions, [&](const Condition &C) { return C.Then && C.I == Select->getCondition(); });
        if (Known == Conditions.end() || !isa<ConstantInt>(Known->Then))
            return {};
        Value *Index = cast<ConstantInt>(Known->Then)->isOne() ? Select->getTrueValue() : Select->getFalseValue();
        if (std::optional<Clamped> Inside = clamped(Index))
            return Inside;
        const std::optional<Affine> Of = affine(Index);
        return Of ? std::optional(Clamped{Index, *Of}) : std::nullopt;
    }
    Value *Index, *Other;
    if (!match(V, m_Add(m_Value(Index), m_Value(Other))))
        return {};
    if (isBefore(SE.getSCEV(Index)))
        std::swap(Index, Other);
    const bool IsSum = IsMasked ? isa<ConstantInt>(Other) && Extremes.count(Index) : isBefore(SE.getSCEV(Other));
    const std::optional<Clamped> Known = IsSum ? clamped(Index) : std::nullopt;
    if (!Known)
        return {};
    Clamped Result{V, Known->Of};
    Result.Of.Start = SE.getAddExpr(Result.Of.Start, SE.getSCEV(Other));
    return Result;
}

/* The minimum or maximum of the index and a bound is the index. */
void Divider::addExtreme(IntrinsicInst &Call)
{
    const auto *Extreme = dyn_cast<MinMaxIntrinsic>(&Call);
    if (!Extreme || !Call.getType()->isIntegerTy())
        return;
    Value *Index = Call.getArgOperand(0), *Other = Call.getArgOperand(1);
    const auto Find = [&]() {
        std::optional<Affine> Of = affine(Index, true);
        if (std::optional<Clamped> Known = Of ? std::nullopt : clamped(Index)) {
            Index = Known->Inside;
            Of = Known->Of;
        }
        return Of;
    };
    std::optional<Affine> Of = Find();
    if (!Of) {
        std::swap(Index, Other);
        Of = Find();
    }
    if (!Of || !isBefore(SE.getSCEV(Other)))
        return;
    Type *T = Index->getType();
    const SCEV *Least = SE.getConstant(APInt::getSignedMinValue(T->getIntegerBitWidth()));
    Condition C{&Call, *Of, SE.getZero(T), SE.getSCEV(Other), nullptr, true, Index, nullptr};
    if (Extreme->isSigned()) {
        C.Shift = Least;
        C.Last = SE.getAddExpr(C.Last, Least);
    }
    const CmpInst::Predicate Predicate = Extreme->getPredicate(); /* of a minimum less, of a maximum greater */
    if (Predicate == CmpInst::ICMP_SGT || Predicate == CmpInst::ICMP_UGT) {
        C.Inside = false; /* greater than the bound; where it is equal does not matter */
    }
    const size_t Before = Conditions.size();
    note(C);
    if (Conditions.size() > Before)
        Extremes[&Call] = {Index, *Of};
}

/* index % bound is the index where that is less; or the index - bound, if it begins with the bound, as in (i + n - 1) % n. */
void Divider::addRemainder(BinaryOperator &Rest)
{
    if (Rest.getOpcode() != Instruction::URem && Rest.getOpcode() != Instruction::SRem)
        return;
    std::optional<Affine> Of = affine(Rest.getOperand(0), true);
    if (!Of)
        return;
    const SCEV *Bound = SE.getSCEV(Rest.getOperand(1));
    if (!isBefore(Bound))
        return;
    Type *T = Rest.getType();
    Condition C{&Rest, *Of,  SE.getZero(T),      SE.getAddExpr(Bound, SE.getMinusOne(T)),
                Bound, true, Rest.getOperand(0), Rest.getOpcode() == Instruction::SRem ? Bound : nullptr};
    const auto *Sum = dyn_cast<SCEVAddExpr>(Of->Start);
    if (Of->Start == Bound || (Sum && is_contained(Sum->operands(), Bound))) {
        C.Shift = SE.getNegativeSCEV(Bound);
        C.Positive = Bound; /* so that twice the bound does not wrap around */
        C.Less = Rest.getOperand(1);
    }
    note(C);
}

/* An index of 32 bits does not wrap around, so that its extension goes on by the same steps; or one of 64 bits fits 32. */
void Divider::addExtension(Instruction &I)
{
    if (!I.getType()->isIntegerTy() || I.getType()->getIntegerBitWidth() > 64 || !SE.isSCEVable(I.getType()))
        return;
    if (isa<SExtInst>(I) || isa<ZExtInst>(I))
        if (std::optional<Clamped> Known = clamped(I.getOperand(0))) {
            if (reachesAddress(&I, 0))
                addNoWrap(&I, Known->Of, isa<SExtInst>(I) || I.hasNonNeg(), false, 0, true);
            return;
        }
    const SCEV *S = SE.getSCEV(&I);
    const APInt *Plus = nullptr;
    if (const auto *Sum = dyn_cast<SCEVAddExpr>(S);
        Sum && isa<CastInst>(I) && Sum->getNumOperands() == 2 && isa<SCEVConstant>(Sum->getOperand(0))) {
        Plus = &cast<SCEVConstant>(Sum->getOperand(0))
                    ->getAPInt(); /* of an odd index: 1 and the extension of an even one */
        S = Sum->getOperand(1);
    }
    bool Signed = isa<SCEVSignExtendExpr>(S);
    if (Signed || isa<SCEVZeroExtendExpr>(S)) {
        Signed |= isa<ZExtInst>(I) && I.hasNonNeg() && (!Plus || Plus->isStrictlyPositive())
                  && cast<SCEVCastExpr>(S)->getOperand()->getType()
                         == I.getOperand(0)->getType(); /* not of a mask of fewer bits */
        std::optional<Affine> Of = affine(cast<SCEVCastExpr>(S)->getOperand());
        if (!Of || isPeriodic(*Of) || !reachesAddress(&I, 0) || (Plus && !Of->Inner.empty()))
            return;
        const uint64_t Low =
            lowBits(*Of); /* they are added behind the extension, so that neighbours begin with the same value */
        Of->Start = SE.getMinusSCEV(Of->Start, SE.getConstant(Of->Start->getType(), Low));
        addNoWrap(&I, *Of, Signed, false, int64_t(Low) + (Plus ? Plus->getSExtValue() : 0));
    } else if (isa<TruncInst>(I) && affine(I.getOperand(0), true) && reachesAddress(&I, 0)) {
        if (std::optional<Affine> Of = affine(&I))
            addNoWrap(&I, *Of, true, false);
    }
}

void Divider::collect()
{
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (Conditions.size() > MostConditions)
                return;
            if (auto *Compare = dyn_cast<ICmpInst>(&I)) {
                if (none_of(Compare->users(), [&](const User *U) {
                        const auto *Branch = dyn_cast<BranchInst>(U);
                        return Branch && LI.getLoopFor(Branch->getParent())->isLoopExiting(Branch->getParent());
                    }))
                    addCompare(*Compare);
            } else if (auto *Call = dyn_cast<IntrinsicInst>(&I))
                addExtreme(*Call);
            else if (auto *Operation = dyn_cast<BinaryOperator>(&I))
                addRemainder(*Operation);
            if (!Nest && (isa<CastInst>(I) || isa<BinaryOperator>(I)))
                addExtension(I);
            Value *Decides = nullptr;
            if (auto *Branch = dyn_cast<BranchInst>(&I); Branch && Branch->isConditional())
                Decides = Branch->getCondition();
            else if (auto *Select = dyn_cast<SelectInst>(&I))
                Decides = Select->getCondition();
            if (Decides && !isa<Constant>(Decides) && Decides->getType()->isIntegerTy(1) && L.isLoopInvariant(Decides)
                && none_of(Unchanging, [&](auto &Known) { return Known.first == Decides; }))
                if (std::optional<bool> Likely = likelyOf(Decides, nullptr, 0))
                    Unchanging.push_back({Decides, *Likely});
        }
}

} // namespace tw_compiler
