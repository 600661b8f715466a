/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges of loops over work-items. A condition on the index that holds for all but the first and last work-items of a row keeps the
 * whole row from becoming plain vector code. So the loop is divided in three:
 *
 *     the first `Lo` turns            as they were
 *     those up to, not including, `Hi`  every such condition is a constant, and a 32-bit index does not wrap around
 *     the rest                        as they were
 *
 * `Lo` and `Hi` are computed in front of the loop. The turns keep their order, so any loop may be treated so; what goes from turn to
 * turn, of a reduction, goes from part to part, and may be left behind. What is looked at:
 * comparisons of a * index + b with what the loop does not change, also inside of loops of constant steps in the body; minima, maxima
 * and remainders of the same; and extensions of an index of 32 bits to 64.
 */
#include "index_set_split.h"

#include "analysis/predicates.h"
#include "base/marks.h"
#include "passes.h"
#include "utilities/budget.h"

#include <algorithm>
#include <utility>

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/ProfDataUtils.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostInstructions = 2000; /* of a loop that is divided */
constexpr unsigned MostConditions = 64;
constexpr uint64_t MostBetween = 1 << 20; /* indices that begin with the same one */
constexpr uint64_t LeastTurns = 32;       /* below, the arithmetic costs more than it saves */
constexpr uint64_t LeastWithLoops = 4;
constexpr uint64_t LeastOfLong = 16; /* turns of a row whose work-items do a lot, as sums over many neighbours */
constexpr unsigned LongInstructions = 96;
constexpr int64_t MostStep = 1 << 16;
constexpr uint64_t Endless = uint64_t(1) << 62;

} // namespace

/* The value that goes to the next turn, and that is left behind: of a reduction, say. */
const PHINode *Divider::carried(const Value *V) const
{
    for (const PHINode &Phi : L.getHeader()->phis())
        if (V == Phi.getIncomingValueForBlock(L.getLoopLatch()))
            return &Phi;
    return nullptr;
}

/* A loop with one exit at its end, of a known number of turns, which leaves no other value behind. */
bool Divider::isSuitable()
{
    BasicBlock *Latch = L.getLoopLatch();
    Preheader = L.getLoopPreheader();
    if (!L.isLoopSimplifyForm() || !L.isSafeToClone() || L.getExitingBlock() != Latch || !L.getExitBlock()
        || L.getExitBlock()->getSinglePredecessor() != Latch || !isa<BranchInst>(Latch->getTerminator()))
        return false;
    Turns = SE.getBackedgeTakenCount(&L);
    if (isa<SCEVCouldNotCompute>(Turns) || !isBefore(Turns) || SE.getTypeSizeInBits(Turns->getType()) > 64)
        return false;
    unsigned Instructions = 0;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (++Instructions > MostInstructions || I.getType()->isTokenTy())
                return false;
            for (const User *U : I.users())
                if (!L.contains(cast<Instruction>(U)) && !(isa<PHINode>(U) && U->use_empty()) && !carried(&I))
                    return false;
        }
    const uint64_t Least = !L.isInnermost()                   ? LeastWithLoops
                           : Instructions >= LongInstructions ? LeastOfLong
                                                              : LeastTurns;
    if (SE.getUnsignedRangeMax(Turns).ult(Least - 1))
        return false;
    for (const PHINode &Phi : L.getHeader()->phis()) { /* what is counted does not go from one part to the next */
        const Value *Next = Phi.getIncomingValueForBlock(Latch);
        const auto *Rec =
            SE.isSCEVable(Phi.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(&Phi))) : nullptr;
        if (Rec && Rec->getLoop() == &L && any_of(Next->users(), [&](const User *U) {
                return isa<Instruction>(U) && !L.contains(cast<Instruction>(U)) && !(isa<PHINode>(U) && U->use_empty());
            }))
            return false;
    }
    return true;
}

bool Divider::isBefore(const SCEV *S) const
{
    return SE.isLoopInvariant(S, &L) && Expander(SE, DL, "tw").isSafeToExpandAt(S, Preheader->getTerminator());
}

std::optional<Affine> Divider::affine(const SCEV *S)
{
    Affine Result;
    bool ByItems = false; /* in a nest, by the place in a row */
    while (const auto *Rec = dyn_cast<SCEVAddRecExpr>(S)) {
        const auto *Step = Rec->isAffine() ? dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE)) : nullptr;
        if (!Step || Step->getAPInt().abs().ugt(MostStep) || !L.contains(Rec->getLoop()))
            return {};
        const int64_t By = Step->getAPInt().getSExtValue();
        S = Rec->getStart();
        if (Rec->getLoop() == &L) {
            Result.Step = By;
            break;
        }
        const SCEV *Inside = SE.getBackedgeTakenCount(Rec->getLoop());
        if (isa<SCEVCouldNotCompute>(Inside) || !isBefore(Inside) || SE.getTypeSizeInBits(Inside->getType()) > 64)
            return {};
        Result.Inner.push_back({Inside, By});
        ByItems |= Nest && hasLoopMark(*Rec->getLoop(), ItemsMark);
    }
    if ((Result.Step == 0 && !ByItems) || !isBefore(S))
        return {};
    Result.Start = S;
    return Result;
}

/* That a work-item is the first of its group, say, is no border of a nest: it holds in every group for some. */
void Divider::note(const Condition &C)
{
    if (!Nest || !C.I || !isa<SCEVConstant>(C.Of.Start))
        Conditions.push_back(C);
}

namespace
{

/* Takes extensions of an index to go on by the same steps, and notes what that assumes. */
class Widener : public SCEVRewriteVisitor<Widener>
{
  public:
    Widener(ScalarEvolution &SE, const Loop &L) : SCEVRewriteVisitor(SE), L(L)
    {
    }
    SmallVector<std::pair<const SCEV *, bool>, 2>
        Assumed; /* what does not wrap around, and whether as a signed number */

    const SCEV *visitSignExtendExpr(const SCEVSignExtendExpr *S)
    {
        return extend(visit(S->getOperand()), S->getType(), true);
    }
    const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *S)
    {
        return extend(visit(S->getOperand()), S->getType(), false);
    }

  private:
    const Loop &L;

    /* Steps of loops around may wrap around: nothing is assumed of them. */
    const SCEV *wide(const SCEV *S, Type *To, bool Signed)
    {
        const auto *Rec = dyn_cast<SCEVAddRecExpr>(S);
        if (!Rec || !L.contains(Rec->getLoop()) || !Rec->isAffine() || !isa<SCEVConstant>(Rec->getStepRecurrence(SE)))
            return Signed ? SE.getSignExtendExpr(S, To) : SE.getZeroExtendExpr(S, To);
        return SE.getAddRecExpr(wide(Rec->getStart(), To, Signed), SE.getSignExtendExpr(Rec->getStepRecurrence(SE), To),
                                Rec->getLoop(), SCEV::FlagAnyWrap);
    }
    const SCEV *extend(const SCEV *Narrow, Type *To, bool Signed)
    {
        const SCEV *Known = Signed ? SE.getSignExtendExpr(Narrow, To) : SE.getZeroExtendExpr(Narrow, To);
        const auto *Rec = dyn_cast<SCEVAddRecExpr>(Narrow);
        if (!Rec || !L.contains(Rec->getLoop()) || isa<SCEVAddRecExpr>(Known))
            return Known;
        Assumed.push_back({Narrow, Signed});
        return wide(Narrow, To, Signed);
    }
};

} // namespace

/* Whether a value is soon back where it was, as the parity of an index: what holds for it does so for a few turns. */
bool Divider::isPeriodic(const Affine &Of)
{
    uint64_t Step = uint64_t(Of.Step < 0 ? -Of.Step : Of.Step);
    for (auto &Inner : Of.Inner)
        Step = std::max(Step, uint64_t(Inner.second < 0 ? -Inner.second : Inner.second));
    const unsigned Bits = unsigned(SE.getTypeSizeInBits(Of.Start->getType())), Fixed = SE.getSmallConstantTripCount(&L);
    return Bits < 32 && (uint64_t(1) << Bits) / std::max(Step, uint64_t(1)) < (Fixed ? Fixed : 2 * LeastTurns);
}

std::optional<Affine> Divider::affine(Value *V, bool MayAssume)
{
    if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64 || !SE.isSCEVable(V->getType()))
        return {};
    const SCEV *S = SE.getSCEV(V);
    std::optional<Affine> Result = affine(S);
    if (Result && isPeriodic(*Result))
        return {};
    if (Result || !MayAssume || L.isLoopInvariant(V))
        return Result;
    Widener Wide(SE, L);
    Result = affine(Wide.visit(S));
    for (auto &Assumed : Wide.Assumed) {
        if (!Result)
            break;
        std::optional<Affine> Of = affine(Assumed.first);
        if (!Of || isPeriodic(*Of))
            return {};
        addNoWrap(nullptr, *Of, Assumed.second, true);
    }
    return Result;
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

/* ---- what is likely ---------------------------------------------------------------------------------------------- */

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

/* ---- what is looked at ------------------------------------------------------------------------------------------- */

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

/* The low bits of a value that are the same in all turns, as 3 of 4 * index + 3. */
uint64_t Divider::lowBits(const Affine &Of)
{
    const SCEV *Start = Of.Start;
    while (const auto *Rec = dyn_cast<SCEVAddRecExpr>(Start))
        Start = Rec->getStart();
    const auto *Sum = dyn_cast<SCEVAddExpr>(Start);
    const auto *Constant = dyn_cast<SCEVConstant>(Sum ? Sum->getOperand(0) : Start);
    if (!Constant || !Of.Inner.empty() || Of.Step == 0)
        return 0;
    const unsigned Zeros = std::min(SE.getMinTrailingZeros(SE.getMinusSCEV(Of.Start, Constant)),
                                    unsigned(llvm::countr_zero(uint64_t(Of.Step))));
    return Constant->getAPInt().getLoBits(std::min(Zeros, Constant->getAPInt().getBitWidth())).getZExtValue();
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

constexpr unsigned MostInShortRow = 1024;
constexpr unsigned LeastOfWhole = 64,
                   MostOfWhole = 100; /* turns, and instructions, of a loop with a copy for all turns */

/* ---- the limits -------------------------------------------------------------------------------------------------- */

/* The value without poison. What it is computed from is frozen, since nothing is known of the bits behind a freeze, such as that
   4 * i + 3 is three more than 4 * i in every width. The same value stays the same, so that addresses that begin with it are known to be
   neighbours. */
Value *Divider::frozen(IRBuilder<> &B, Value *V, unsigned Depth)
{
    if (isa<ConstantInt>(V))
        return V;
    if (Value *Known = Frozen.lookup(V))
        return Known;
    const auto *Op = dyn_cast<BinaryOperator>(V);
    const auto *Cast = dyn_cast<CastInst>(V);
    Value *Result = nullptr;
    if (Cast && Depth > 0 && Cast->isIntegerCast() && Cast->getSrcTy()->isIntegerTy())
        Result = B.CreateCast(Cast->getOpcode(), frozen(B, Cast->getOperand(0), Depth - 1), Cast->getType());
    if (Op && Depth > 0 && Op->getType()->isIntegerTy()) {
        const auto *By = dyn_cast<ConstantInt>(Op->getOperand(1));
        const bool Shifts = Op->getOpcode() == Instruction::Shl && By && By->getValue().ult(By->getBitWidth());
        if (Shifts || Op->getOpcode() == Instruction::Add || Op->getOpcode() == Instruction::Sub
            || Op->getOpcode() == Instruction::Mul || Op->getOpcode() == Instruction::Or)
            Result = B.CreateBinOp(Op->getOpcode(), frozen(B, Op->getOperand(0), Depth - 1),
                                   frozen(B, Op->getOperand(1), Depth - 1));
    }
    return Frozen[V] = Result ? Result : B.CreateFreeze(V);
}

Value *Divider::narrow(IRBuilder<> &B, Expander &Expand, const SCEV *S, Instruction *At)
{
    Value *V = Expand.expandCodeFor(S, S->getType(), At->getIterator());
    B.SetInsertPoint(At);
    return frozen(B, V, 4);
}

/* Brings Lo up and Hi down to where one condition holds. With y = Start + Shift, which must lie in 0 to Last:
       y <= Last:  from turn 0, up to (Last - y) / Step
       else:       from the first turn that passes 2^bits, which is 0 again */
void Divider::limit(IRBuilder<> &B, Expander &Expand, Condition &C, Instruction *At)
{
    IntegerType *T = cast<IntegerType>(C.Of.Start->getType());
    IntegerType *Wide = B.getInt64Ty();
    const auto Number = [&](uint64_t V) { return ConstantInt::get(Wide, V); };
    Value *Y = narrow(B, Expand, SE.getAddExpr(C.Of.Start, C.Shift), At);
    Value *Last = narrow(B, Expand, C.Last, At);
    Value *Good = B.getTrue();
    if (C.NotZero)
        Good = B.CreateIsNotNull(narrow(B, Expand, C.NotZero, At));
    if (C.Positive)
        Good = B.CreateAnd(Good, B.CreateICmpSGT(narrow(B, Expand, C.Positive, At), ConstantInt::get(T, 0)));
    if (!C.Inside) { /* the other values: Last + 1 to the greatest; if nothing is inside, all of them */
        Value *Past = B.CreateAdd(Last, ConstantInt::get(T, 1)), *All = B.CreateNot(Good);
        Good = B.CreateOr(All, B.CreateIsNotNull(Past));
        Y = B.CreateSelect(All, Y, B.CreateSub(Y, Past));
        Last = B.CreateSelect(All, Constant::getAllOnesValue(T), B.CreateNot(Past)); /* the greatest - Past */
    }
    /* loops inside: the value lies between that of their first turn and that of their last */
    Value *LastWide = B.CreateZExt(Last, Wide);
    for (auto &Inner : C.Of.Inner) {
        Value *Count = B.CreateZExt(narrow(B, Expand, Inner.first, At), Wide);
        const uint64_t By = uint64_t(Inner.second < 0 ? -Inner.second : Inner.second);
        Value *Span = B.CreateMul(Count, Number(By));
        Good = B.CreateAnd(Good, B.CreateICmpULT(Count, Number(uint64_t(1) << 40)));
        Good = B.CreateAnd(Good, B.CreateICmpULE(Span, LastWide));
        LastWide = B.CreateSub(LastWide, Span);
        if (Inner.second < 0)
            Y = B.CreateSub(Y, B.CreateTrunc(Span, T));
    }
    Last = B.CreateTrunc(LastWide, T);
    if (C.Of.Step == 0) { /* the same in all rows */
        Good = B.CreateAnd(Good, B.CreateICmpULE(Y, Last));
        Hi = B.CreateSelect(Good, Hi, Number(0));
        return;
    }
    uint64_t Step = uint64_t(C.Of.Step);
    if (C.Of.Step < 0) { /* mirrored */
        Y = B.CreateSub(Last, Y);
        Step = uint64_t(-C.Of.Step);
    }
    Value *By = ConstantInt::get(T, Step);
    const auto Turns_ = [&](Value *Distance) {
        Value *Whole = B.CreateZExt(B.CreateUDiv(Distance, By), Wide);
        return B.CreateAdd(B.CreateBinaryIntrinsic(Intrinsic::umin, Whole, Number(Endless)), Number(1));
    };
    Value *From = Number(0);
    if (C.Then) {
        Value *Distance = B.CreateSub(B.CreateNeg(Y), ConstantInt::get(T, 1));
        From = B.CreateSelect(B.CreateICmpULE(Y, Last), Number(0), Turns_(Distance));
        if (C.Of.Inner.empty())
            C.From = From;
        Y = B.CreateAdd(Y, B.CreateTrunc(B.CreateMul(From, Number(Step)), T));
    } else { /* an extension: from where it is used on, until it wraps around */
        C.Start = narrow(B, Expand, C.Of.Start, At);
        From = C.FromZero ? Number(0) : C.Guard < 0 ? Lo : Conditions[size_t(C.Guard)].From;
        Value *Moved = B.CreateTrunc(B.CreateMul(From, Number(Step)), T);
        Y = B.CreateAdd(Y, Moved);
    }
    Good = B.CreateAnd(Good, B.CreateICmpULE(Y, Last));
    Value *Past = B.CreateAdd(From, Turns_(B.CreateSub(Last, Y)));
    if (C.Then) { /* it does not hold once more, behind 2^bits */
        Value *Behind = B.CreateZExt(B.CreateUDiv(B.CreateNot(Last), By), Wide);
        Behind = B.CreateBinaryIntrinsic(Intrinsic::umin, Behind, Number(Endless));
        Exact = B.CreateAnd(Exact, B.CreateICmpUGT(B.CreateAdd(B.CreateSelect(Good, Past, From), Behind), Count));
        if (!C.Of.Inner.empty() || C.Positive)
            Exact = B.getFalse();
    }
    if (C.FromZero)
        Exact = B.CreateAnd(Exact, B.CreateAnd(Good, B.CreateICmpUGT(Past, Count)));
    Lo = B.CreateBinaryIntrinsic(Intrinsic::umax, Lo, From);
    Hi = B.CreateBinaryIntrinsic(Intrinsic::umin, Hi, B.CreateSelect(Good, Past, Number(0)));
}

/* Whether a block is only reached where a condition has its likely value. */
bool Divider::guards(const Value *Condition, bool Likely, const BasicBlock *Block, unsigned Depth) const
{
    for (const User *U : Condition->users()) {
        const auto *I = cast<Instruction>(U);
        if (const auto *Branch = dyn_cast<BranchInst>(I)) {
            const BasicBlockEdge Edge(I->getParent(), Branch->getSuccessor(Likely ? 0 : 1));
            if (Branch->getSuccessor(0) != Branch->getSuccessor(1) && DT.dominates(Edge, Block))
                return true;
            continue;
        }
        using namespace PatternMatch;
        const bool Both =
            Likely ? match(I, m_LogicalAnd(m_Value(), m_Value())) : match(I, m_LogicalOr(m_Value(), m_Value()));
        if (Depth < 6 && Both && guards(I, Likely, Block, Depth + 1))
            return true;
    }
    return false;
}

/* Whether a block is only reached where all conditions have their likely values. */
bool Divider::guardAll(const BasicBlock *Block) const
{
    return all_of(Conditions,
                  [&](const Condition &C) {
                      return !C.Then
                             || (isa<ICmpInst>(C.I) && guards(C.I, cast<ConstantInt>(C.Then)->isOne(), Block, 0));
                  })
           && all_of(Unchanging, [&](auto &Known) { return guards(Known.first, Known.second, Block, 0); });
}

/* Whether a value is what the turn has loaded from there, unless it comes from a block that all conditions guard. */
bool Divider::isOld(const Value *V, const Value *Address, unsigned Depth) const
{
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || LI.getLoopFor(I->getParent()) != &L)
        return false;
    if (const auto *Load = dyn_cast<LoadInst>(I))
        return Load->isSimple() && Load->getPointerOperand() == Address;
    const auto *Phi = dyn_cast<PHINode>(I);
    return Phi && Phi->getParent() != L.getHeader() && Depth > 0 && all_of(Phi->blocks(), [&](const BasicBlock *From) {
               return guardAll(From) || isOld(Phi->getIncomingValueForBlock(From), Address, Depth - 1);
           });
}

/* Whether a work-item for which a condition does not hold has no effect; or none but to store what it has loaded from there, which
   whole vectors do as fast as not. */
bool Divider::guardsAll() const
{
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            const auto *Store = dyn_cast<StoreInst>(&I);
            if (!I.mayHaveSideEffects() || isa<AssumeInst>(I) || guardAll(Block))
                continue;
            if (isWidened() || !Store || !Store->isSimple() || LI.getLoopFor(Block) != &L
                || !isOld(Store->getValueOperand(), Store->getPointerOperand(), 4))
                return false;
        }
    return true;
}

/* Where an index is extended that is only used where one of the conditions holds, it matters from there on whether it wraps around. A
   clamped one goes on by the same steps only where all conditions hold. */
void Divider::findGuards()
{
    for (Condition &C : Conditions)
        for (size_t G = 0; G < Conditions.size() && !C.Then && C.I && !C.FromZero && !C.IsClamped && C.Of.Inner.empty()
                           && C.Guard < 0;
             ++G)
            if (const Condition &By = Conditions[G];
                By.From && isa<ICmpInst>(By.I)
                && guards(By.I, cast<ConstantInt>(By.Then)->isOne(), C.I->getParent(), 0))
                C.Guard = int(G);
}

void Divider::computeLimits()
{
    Instruction *At = Preheader->getTerminator();
    IRBuilder<> B(At);
    Expander Expand(SE, DL, "tw_edge");
    Count = B.CreateZExt(narrow(B, Expand, Turns, At), B.getInt64Ty());
    Lo = B.getInt64(0);
    Hi = B.CreateAdd(Count, B.getInt64(1)); /* 0 if that is too much: nothing is changed then */
    for (auto &Known : Unchanging) {
        Value *Decides = B.CreateFreeze(Known.first);
        if (!Known.second)
            Decides = B.CreateNot(Decides);
        Hi = B.CreateSelect(Decides, Hi, B.getInt64(0));
    }
    Exact = B.getTrue();
    for (Condition &C : Conditions)
        if (C.Then)
            limit(B, Expand, C, At);
    Value *Wanted = Hi;
    findGuards();
    for (Condition &C : Conditions)
        if (C.First >= 0)
            C.Start = Conditions[size_t(C.First)].Start;
        else if (!C.Then)
            limit(B, Expand, C, At);
    Exact = B.CreateAnd(Exact, B.CreateICmpEQ(Hi, Wanted));
    for (PHINode &Phi : L.getHeader()->phis()) {
        const auto *Rec = SE.isSCEVable(Phi.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
        if (Rec && Rec->getLoop() == &L && Rec->isAffine() && isBefore(Rec->getStepRecurrence(SE))) {
            const SCEV *Step = Rec->getStepRecurrence(SE);
            Steps[&Phi] = Expand.expandCodeFor(Step, Step->getType(), At->getIterator());
        }
    }
    B.SetInsertPoint(At);
    if (Steps.size() != size_t(std::distance(L.getHeader()->phis().begin(), L.getHeader()->phis().end()))
        || !guardsAll())
        Exact = B.getFalse(); /* work-items change something even so */
    Value *None = B.CreateICmpUGE(Lo, Hi);
    Lo = B.CreateSelect(None, B.getInt64(0), Lo, "tw_lo");
    Hi = B.CreateSelect(None, B.getInt64(0), Hi, "tw_hi");
    widen(B);
}

constexpr uint64_t Vector = 16; /* turns */

/* Whether it is a short row whose parts widen() makes whole vectors. */
bool Divider::isWidened() const
{
    const unsigned Fixed = SE.getSmallConstantTripCount(&L);
    const bool Wraps = any_of(Conditions, [](const Condition &C) { return !C.Then && !C.Signed && C.Guard < 0; });
    const bool Edges =
        any_of(Conditions, [](const Condition &C) { return C.Then; }); /* else the middle part is all of most rows */
    return !Nest && L.isInnermost() && !(Wraps && (Edges || Fixed < 4 * Vector)) && Fixed >= 2 * Vector
           && Fixed <= MostInShortRow && Fixed % Vector == 0 && hasMasks(F);
}

/* What is in front of the middle part of a short row, and behind it, becomes whole vectors where the processor has masks. Else the most
   of it would be single turns: those in front, and what the middle part has more than whole vectors. An index that wraps around there
   would take gathers. */
void Divider::widen(IRBuilder<> &B)
{
    if (!isWidened())
        return;
    Value *Up = B.CreateAnd(B.CreateAdd(Lo, B.getInt64(Vector - 1)), B.getInt64(~(Vector - 1)));
    Value *First = B.CreateSelect(B.CreateICmpULT(Up, Hi), Up, Hi);
    Value *Down = B.CreateAnd(Hi, B.getInt64(~(Vector - 1)));
    Value *Last = B.CreateSelect(B.CreateICmpUGT(Down, First), Down, First);
    Lo = B.CreateSelect(Exact, Lo, First);
    Hi = B.CreateSelect(Exact, Hi, Last);
}

/* ---- the loops --------------------------------------------------------------------------------------------------- */

std::unique_ptr<Copy> Divider::copy(StringRef Name, Value *From, Value *Past, BasicBlock *Entry, BasicBlock *Exit)
{
    return copyLoop(L, Preheader, Name, From, Past, Entry, Exit);
}

/* What an extended index is between Lo and Hi: what was extended when that began, and the steps since then. */
void Divider::settleExtension(Copy &Interior, const Condition &C, Instruction *I)
{
    Type *Narrow = C.Of.Start->getType();
    IRBuilder<> B(I->getNextNode());
    Value *Steps = B.CreateMul(B.CreateSub(Interior.Counter, Lo), ConstantInt::getSigned(B.getInt64Ty(), C.Of.Step));
    Instruction *Kept = nullptr;
    Value *Begun;
    if (C.Of.Inner.empty()) {
        IRBuilder<> Before(cast<BasicBlock>(Interior.Map[Preheader])->getTerminator());
        Value *Passed = Before.CreateMul(Lo, ConstantInt::getSigned(Before.getInt64Ty(), C.Of.Step));
        Begun = Before.CreateAdd(C.Start, Before.CreateTrunc(Passed, Narrow));
    } else {
        Kept = cast<Instruction>(B.Insert(CastInst::Create(Instruction::Trunc, I, Narrow)));
        Begun = B.CreateSub(Kept, B.CreateTrunc(Steps, Narrow));
    }
    Value *Wide = B.CreateAdd(C.Signed ? B.CreateSExt(Begun, I->getType()) : B.CreateZExt(Begun, I->getType()),
                              B.CreateZExtOrTrunc(Steps, I->getType()));
    if (C.Plus)
        Wide = B.CreateAdd(Wide, ConstantInt::getSigned(I->getType(), C.Plus));
    I->replaceUsesWithIf(Wide, [&](Use &U) { return U.getUser() != Kept; });
}

/* An index that was cut to 32 bits lost nothing: its extension, and that of its sum with another, is known without. */
static void settleCut(TruncInst &Cut)
{
    Value *Whole = Cut.getOperand(0);
    for (User *U : make_early_inc_range(Cut.users())) {
        if (auto *Sum = dyn_cast<BinaryOperator>(U);
            Sum && Sum->getOpcode() == Instruction::Add && Sum->hasNoSignedWrap()) {
            Value *Other = Sum->getOperand(Sum->getOperand(0) == &Cut ? 1 : 0);
            for (User *V : make_early_inc_range(Sum->users()))
                if (auto *Wide = dyn_cast<SExtInst>(V); Wide && Wide->getType() == Whole->getType()) {
                    IRBuilder<> B(Wide);
                    Wide->replaceAllUsesWith(B.CreateAdd(Whole, B.CreateSExt(Other, Wide->getType())));
                }
        } else if (auto *Wide = dyn_cast<SExtInst>(U); Wide && Wide->getType() == Whole->getType())
            Wide->replaceAllUsesWith(Whole);
    }
}

/* The conditions are constants. */
void Divider::settle(Copy &Interior)
{
    for (const Condition &C : Conditions) {
        if (!C.I)
            continue;
        auto *I = cast<Instruction>(Interior.Map[C.I]);
        if (!C.Then) {
            if (!isa<TruncInst>(I))
                settleExtension(Interior, C, I);
            continue;
        }
        Value *Then = C.Then;
        if (Interior.Map.count(Then))
            Then = Interior.Map[Then];
        if (C.Less)
            Then = IRBuilder<>(I).CreateSub(Then, C.Less);
        I->replaceAllUsesWith(Then);
    }
    for (auto &Known : Unchanging)
        for (BasicBlock *Block : Interior.Blocks)
            for (Instruction &I : *Block)
                I.replaceUsesOfWith(Known.first, ConstantInt::getBool(Context, Known.second));
    for (BasicBlock *Block : Interior.Blocks)
        for (Instruction &I : make_early_inc_range(*Block))
            if (auto *Select = dyn_cast<SelectInst>(&I))
                if (auto *Known = dyn_cast<ConstantInt>(Select->getCondition());
                    Known && !Select->getType()->isVectorTy())
                    Select->replaceAllUsesWith(Known->isOne() ? Select->getTrueValue() : Select->getFalseValue());
    for (const Condition &C : Conditions)
        if (C.I && !C.Then)
            if (auto *Cut = dyn_cast<TruncInst>(static_cast<Value *>(Interior.Map[C.I])))
                settleCut(*Cut);
}

/* In the first turns a comparison is one of the turn, so that the same ones are seen to be the same, and indices go on by the same
   steps where they are used. */
void Divider::settleFirst(Copy &First)
{
    for (const Condition &C : Conditions) {
        if (!C.I)
            continue;
        auto *I = cast<Instruction>(First.Map[C.I]);
        if (C.From && isa<ICmpInst>(C.I)) {
            IRBuilder<> B(I);
            const bool Holds = cast<ConstantInt>(C.Then)->isOne();
            I->replaceAllUsesWith(B.CreateICmp(Holds ? CmpInst::ICMP_UGE : CmpInst::ICMP_ULT, First.Counter, C.From));
        } else if (C.Guard >= 0 && !isa<TruncInst>(I))
            settleExtension(First, C, I);
    }
}

/* Groups of a constant size are mostly inside as a whole, and a constant length makes code without rests. If nothing but an index might
   change, that is so for code that keeps nothing for other loops: from two copies it would not go on in registers. */
bool Divider::isWorthWhole() const
{
    const unsigned Fixed = SE.getSmallConstantTripCount(&L);
    bool KeepsValues = false;
    size_t Instructions = 0;
    for (const BasicBlock *Block : L.blocks()) {
        Instructions += Block->size();
        for (const Instruction &I : *Block)
            if (const Value *Address = getLoadStorePointerOperand(&I))
                KeepsValues |= isLocal(Address);
    }
    return !Nest && Fixed >= LeastOfWhole && Fixed <= MostInShortRow && Instructions <= MostOfWhole
           && (!KeepsValues || any_of(Conditions, [](const Condition &C) { return C.Then; }))
           && !(isa<ConstantInt>(Lo) && isa<ConstantInt>(Hi));
}

/* A copy of the loop for where the conditions hold for all turns; goes on to the exit. */
std::unique_ptr<Copy> Divider::copyWhole(BasicBlock *Entry, BasicBlock *End)
{
    Value *const From = Lo;
    Lo = ConstantInt::get(Type::getInt64Ty(Context), 0);
    auto Whole = copy("whole", Lo, ConstantInt::get(Lo->getType(), SE.getSmallConstantTripCount(&L)), Entry, End);
    BranchInst::Create(Whole->Header, Entry);
    bool IsLocalOnly = true;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (const Value *Address = getLoadStorePointerOperand(&I))
                IsLocalOnly &= isLocal(Address);
    if (!IsLocalOnly) { /* what goes through memory by one instruction is fetched early */
        Instruction *Back = Whole->Latch->getTerminator();
        MDNode *Kept = MDNode::get(Context, MDString::get(Context, "llvm.loop.unroll.disable"));
        Back->setMetadata(LLVMContext::MD_loop,
                          makePostTransformationMetadata(Context, Back->getMetadata(LLVMContext::MD_loop), {}, {Kept}));
    }
    settle(*Whole);
    Lo = From;
    return Whole;
}

/* What the loop leaves behind goes by phis of its exit. */
void Divider::leaveByPhis()
{
    BasicBlock *Exit = L.getExitBlock();
    for (PHINode &Phi : L.getHeader()->phis()) {
        auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
        if (!Next || !L.contains(Next))
            continue;
        PHINode *Out = nullptr;
        for (Use &U : make_early_inc_range(Next->uses())) {
            auto *By = cast<Instruction>(U.getUser());
            if (L.contains(By) || (isa<PHINode>(By) && By->getParent() == Exit))
                continue;
            if (!Out) {
                Out = IRBuilder<>(&Exit->front()).CreatePHI(Next->getType(), 2, "tw_left");
                Out->addIncoming(Next, L.getLoopLatch());
            }
            U.set(Out);
        }
    }
}

/* Whether a row with loops inside, which become lanes, is hardly more than a vector: the parts of one would be single turns. All of a row
   at a border goes by gathers then, where the processor has them. */
bool Divider::isFewVectors() const
{
    return !L.isInnermost() && isRowOfGroup(L) && SE.getSmallConstantTripCount(&L) <= LeastTurns && hasMasks(F);
}

/* A row that is one vector is one in its middle part too, where the processor has masks. */
void Divider::maskInterior(Copy &Interior)
{
    const unsigned Fixed = SE.getSmallConstantTripCount(&L);
    auto *Branch = cast<BranchInst>(Interior.Latch->getTerminator());
    if (!L.isInnermost() || Fixed == 0 || Fixed >= LeastTurns || !hasMasks(F))
        return;
    MDNode *Masked = MDNode::get(Context, {MDString::get(Context, "llvm.loop.vectorize.predicate.enable"),
                                           ConstantAsMetadata::get(ConstantInt::getTrue(Context))});
    Branch->setMetadata(LLVMContext::MD_loop, makePostTransformationMetadata(
                                                  Context, Branch->getMetadata(LLVMContext::MD_loop), {}, {Masked}));
}

/* Few groups are at a border: loops for the others matter more (changeLoops()). */
static void expect(BranchInst &Branch, bool Taken)
{
    constexpr uint32_t Likely = 16;
    Branch.setMetadata(LLVMContext::MD_prof,
                       MDBuilder(Branch.getContext()).createBranchWeights(Taken ? Likely : 1, Taken ? 1 : Likely));
}

void Divider::divide()
{
    leaveByPhis();
    BasicBlock *Before = Preheader, *Exit = L.getExitBlock(), *Header = L.getHeader(), *Latch = L.getLoopLatch();
    const DebugLoc Where = Before->getTerminator()->getDebugLoc();
    const auto NewBlock = [&](const char *Name) { return BasicBlock::Create(Context, Name, &F, Header); };
    const auto Jump = [&](BasicBlock *From, BasicBlock *To) { BranchInst::Create(To, From)->setDebugLoc(Where); };
    const auto Fork = [&](BasicBlock *From, Value *If, BasicBlock *Yes, BasicBlock *No) {
        auto *Branch = BranchInst::Create(Yes, No, If, From);
        Branch->setDebugLoc(Where);
        return Branch;
    };
    /* Before -> Whole, or: Divided -> [First] -> Middle -> [Interior] -> Rest -> [the loop] */
    BasicBlock *FirstEntry = NewBlock("tw_first"), *Middle = NewBlock("tw_middle");
    BasicBlock *InteriorEntry = NewBlock("tw_interior"), *Rest = NewBlock("tw_rest"), *RestEntry = NewBlock("tw_last");
    BasicBlock *FirstEnd = NewBlock("tw_first_end"), *InteriorEnd = NewBlock("tw_interior_end");
    const bool HasWhole = isWorthWhole();
    Before->getTerminator()->eraseFromParent();
    IRBuilder<> B(Before);
    B.SetCurrentDebugLocation(Where);
    BasicBlock *Divided = Before, *WholeEnd = nullptr;
    std::unique_ptr<Copy> Whole;
    if (HasWhole) {
        BasicBlock *WholeEntry = NewBlock("tw_whole");
        Divided = NewBlock("tw_divided");
        WholeEnd = NewBlock("tw_whole_end");
        expect(*Fork(Before, B.CreateAnd(B.CreateICmpEQ(Lo, B.getInt64(0)), B.CreateICmpUGT(Hi, Count)), WholeEntry,
                     Divided),
               true);
        Jump(WholeEnd, Exit);
        Whole = copyWhole(WholeEntry, WholeEnd);
        B.SetInsertPoint(Divided);
    }
    Value *Effects = B.CreateNot(Exact);
    Value *HasFirst = B.CreateAnd(B.CreateICmpNE(Lo, B.getInt64(0)), Effects), *HasInterior = B.CreateICmpULT(Lo, Hi);
    Value *HasRest = B.CreateAnd(B.CreateICmpULE(Hi, Count), Effects);
    expect(*Fork(Divided, HasFirst, FirstEntry, Middle), false);
    expect(*Fork(Middle, HasInterior, InteriorEntry, Rest), true);
    expect(*Fork(Rest, HasRest, RestEntry, Exit), false);
    Jump(FirstEnd, Middle);
    Jump(InteriorEnd, Rest);
    Jump(RestEntry, Header);

    DenseMap<const PHINode *, Value *> Left; /* what a value that is carried is without the last part */
    auto First = copy("first", B.getInt64(0), Lo, FirstEntry, FirstEnd);
    auto Interior = copy("interior", Lo, Hi, InteriorEntry, InteriorEnd);
    Jump(FirstEntry, First->Header);
    Jump(InteriorEntry, Interior->Header);
    for (PHINode &Phi : Header->phis()) {
        Value *Init = Phi.getIncomingValueForBlock(Before), *Next = Phi.getIncomingValueForBlock(Latch);
        const auto In = [&](Copy &C) {
            auto At = C.Map.find(Next);
            return At == C.Map.end() ? Next : static_cast<Value *>(At->second);
        };
        if (Value *Step = Steps.lookup(&Phi)) { /* what is counted follows from the turn */
            const auto At = [&](BasicBlock *Entry, Value *Turn) {
                IRBuilder<> E(Entry->getTerminator());
                Value *Moved = E.CreateMul(E.CreateZExtOrTrunc(Turn, Step->getType()), Step);
                return Phi.getType()->isPointerTy() ? E.CreatePtrAdd(Init, Moved) : E.CreateAdd(Init, Moved);
            };
            cast<PHINode>(Interior->Map[&Phi])->setIncomingValueForBlock(InteriorEntry, At(InteriorEntry, Lo));
            Phi.setIncomingValueForBlock(Before, At(RestEntry, Hi));
            Phi.replaceIncomingBlockWith(Before, RestEntry);
            continue;
        }
        IRBuilder<> M(&*Middle->getFirstNonPHIIt()), R(&*Rest->getFirstNonPHIIt());
        PHINode *InMiddle = M.CreatePHI(Phi.getType(), 2), *InRest = R.CreatePHI(Phi.getType(), 2);
        InMiddle->addIncoming(Init, Divided);
        InMiddle->addIncoming(In(*First), FirstEnd);
        InRest->addIncoming(InMiddle, Middle);
        InRest->addIncoming(In(*Interior), InteriorEnd);
        Left[&Phi] = InRest;
        cast<PHINode>(Interior->Map[&Phi])->setIncomingValueForBlock(InteriorEntry, InMiddle);
        Phi.setIncomingValueForBlock(Before, InRest);
        Phi.replaceIncomingBlockWith(Before, RestEntry);
    }
    settle(*Interior);
    settleFirst(*First);
    maskInterior(*Interior);
    for (PHINode &Phi : Exit->phis()) { /* no other one is used, by isSuitable() */
        Value *V = Phi.getIncomingValueForBlock(Latch), *Before = Left.lookup(carried(V));
        Phi.addIncoming(Before ? Before : V, Rest);
        if (Whole) {
            auto At = Whole->Map.find(V);
            Phi.addIncoming(At == Whole->Map.end() ? V : static_cast<Value *>(At->second), WholeEnd);
        }
    }
}

/* All of the loop where every condition holds for all turns, and the loop as it was. */
Version Divider::makeVersion()
{
    computeLimits();
    leaveByPhis();
    BasicBlock *Before = Preheader, *Exit = L.getExitBlock(), *Header = L.getHeader();
    IRBuilder<> B(Before->getTerminator());
    Value *Past = B.CreateAdd(Count, B.getInt64(1));
    Value *Whole = B.CreateAnd(B.CreateICmpEQ(Lo, B.getInt64(0)), B.CreateICmpUGT(Hi, Count), "tw_inside");
    const DebugLoc Where = Before->getTerminator()->getDebugLoc();
    const auto NewBlock = [&](const char *Name) { return BasicBlock::Create(Context, Name, &F, Header); };
    const auto Jump = [&](BasicBlock *From, BasicBlock *To) { BranchInst::Create(To, From)->setDebugLoc(Where); };
    BasicBlock *Entry = NewBlock("tw_inside"), *End = NewBlock("tw_inside_end"), *Old = NewBlock("tw_border");
    Before->getTerminator()->eraseFromParent();
    auto *Choice = BranchInst::Create(Entry, Old, Whole, Before);
    Choice->setDebugLoc(Where);
    expect(*Choice, true);
    Jump(End, Exit);
    Jump(Old, Header);
    auto Made = copy("inside", B.getInt64(0), Past, Entry, End);
    Jump(Entry, Made->Header);
    for (PHINode &Phi : Header->phis())
        Phi.replaceIncomingBlockWith(Before, Old);
    settle(*Made);
    for (PHINode &Phi : Exit->phis()) {
        Value *V = Phi.getIncomingValueForBlock(L.getLoopLatch());
        auto Inside = Made->Map.find(V);
        Phi.addIncoming(Inside == Made->Map.end() ? V : static_cast<Value *>(Inside->second), End);
    }
    return Version{Made->Header, Choice, !Conditions.empty() || !Unchanging.empty()};
}

/* `AnyTurns`: for all turns, if there are conditions. */
std::optional<Version> Divider::version(bool AnyTurns)
{
    if (!isSuitable())
        return {};
    collect();
    if (AnyTurns && Conditions.empty() && Unchanging.empty())
        return {};
    if (AnyTurns) {
        Conditions.clear();
        Unchanging.clear();
    }
    return makeVersion();
}

bool Divider::run()
{
    if (!isSuitable())
        return false;
    collect();
    if (Conditions.empty() && Unchanging.empty())
        return false;
    if (isFewVectors()) {
        makeVersion();
        return true;
    }
    computeLimits();
    divide();
    return true;
}

std::optional<Version> versionInside(Function &F, Loop &L, ScalarEvolution &SE, DominatorTree &DT, LoopInfo &LI,
                                     bool AnyTurns)
{
    return Divider(F, L, SE, DT, LI, true).version(AnyTurns);
}

/* Divides the loops over work-items of a function. */
bool divideAtEdges(Function &F, FunctionAnalysisManager &FAM)
{
    return changeLoops(F, FAM, "teamwork.divided", [&](Loop &L) {
        return Divider(F, L, FAM.getResult<ScalarEvolutionAnalysis>(F), FAM.getResult<DominatorTreeAnalysis>(F),
                       FAM.getResult<LoopAnalysis>(F))
            .run();
    });
}

} // namespace tw_compiler
