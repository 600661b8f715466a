/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a loop that is divided, as its index times a constant and what the loop does not change. */
#include "index_set_split.h"

#include "base/marks.h"

#include <algorithm>
#include <utility>

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr int64_t MostStep = 1 << 16;

} // namespace

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

} // namespace tw_compiler
