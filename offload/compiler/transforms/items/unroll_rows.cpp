/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A work-item that goes through a row of its own reads one element after the other, each far from those of its neighbours: lanes would
 * gather them. In several turns at once the elements lie side by side, which the vectorizer loads as a short vector for each lane, and
 * sorts (vectorize_groups.cpp).
 *
 *     for each work-item i                        for each work-item i
 *         for (j = 0; j < n; ++j)      becomes        for (j = 0; j + 4 <= n; j += 4)
 *             sum += a[i * n + j];                        sum += a[i * n + j]; ... sum += a[i * n + j + 3];
 *                                                     for (; j < n; ++j)
 *                                                         sum += a[i * n + j];
 *
 * The order of what a work-item does is the same, so it is always right. Loops whose turns LLVM can take together are left alone: its
 * vectors of a row need no sorting.
 */
#include "passes.h"

#include "base/marks.h"
#include "utilities/budget.h"

#include <cstdint>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>
#if LLVM_VERSION_MAJOR >= 22
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>
#endif

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned AtOnce = 8, MostOfTurn = 30; /* turns; instructions of one of them */
constexpr int64_t MostSlots = 8; /* elements from one work-item to the next, which lanes load together anyway */

/* Whether an address is another one for each work-item, and nobody knows that it is near the neighbour's. */
bool isFarApart(const SCEV *Address, int64_t Bytes, const Loop &Items, ScalarEvolution &SE)
{
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(Address);
    while (Rec && Rec->getLoop() != &Items
           && Items.contains(Rec->getLoop())) /* where the turns of loops around begin */
        Rec = dyn_cast<SCEVAddRecExpr>(Address = Rec->getStart());
    if (const auto *Step =
            Rec && Rec->getLoop() == &Items ? dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE)) : nullptr)
        return Step->getAPInt().abs().ugt(uint64_t(MostSlots * Bytes));
    return !SE.isLoopInvariant(Address, &Items);
}

/* Whether an access goes on by one element a turn of a loop, and by many from one work-item to the next. */
bool isOfRow(Instruction &I, const Loop &Turns, const Loop &Items, ScalarEvolution &SE)
{
    const auto *Load = dyn_cast<LoadInst>(&I);
    const auto *Rec = Load ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(I.getOperand(0))) : nullptr;
    if (!Rec || Rec->getLoop() != &Turns || !Rec->isAffine())
        return false;
    const auto Bytes = int64_t(SE.getDataLayout().getTypeStoreSize(I.getType()).getFixedValue());
    const auto *OfTurn = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE));
    return OfTurn && OfTurn->getAPInt() == uint64_t(Bytes) && isFarApart(Rec->getStart(), Bytes, Items, SE);
}

/* Whether LLVM makes no vectors of the turns of a loop themselves: it may not change the order of a sum of floating point. */
bool keepsOrder(const Loop &Turns)
{
    return any_of(Turns.getHeader()->phis(), [&](const PHINode &Phi) {
        const auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Turns.getLoopLatch()));
        return Phi.getType()->isFloatingPointTy() && !(Next && isa<FPMathOperator>(Next) && Next->hasAllowReassoc());
    });
}

bool goesThroughRow(Loop &Turns, const Loop &Items, ScalarEvolution &SE)
{
    const SCEV *Count = SE.getBackedgeTakenCount(&Turns);
    if (!Turns.isInnermost() || !Turns.isLoopSimplifyForm() || Turns.getExitingBlock() != Turns.getLoopLatch()
        || !keepsOrder(Turns) || hasLoopMark(Turns, NotUnrolled) || isa<SCEVCouldNotCompute>(Count)
        || !SE.isLoopInvariant(Count, &Items))
        return false;
    size_t Instructions = 0;
    for (const BasicBlock *Block : Turns.blocks())
        Instructions += Block->size();
    return Instructions <= MostOfTurn && any_of(Turns.blocks(), [&](BasicBlock *Block) {
               return any_of(*Block, [&](Instruction &I) { return isOfRow(I, Turns, Items, SE); });
           });
}

} // namespace

bool unrollRows(Function &F, FunctionAnalysisManager &FAM)
{
    const auto Change = [&](Loop &Items) {
        auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
        auto &LI = FAM.getResult<LoopAnalysis>(F);
        auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
        bool Changed = false;
        for (Loop *Turns : Items.getLoopsInPreorder()) {
            if (Turns == &Items || !goesThroughRow(*Turns, Items, SE))
                continue;
            formLCSSARecursively(Items, DT, &LI, &SE);
            UnrollLoopOptions Options{};
            Options.Count = AtOnce;
            Options.Runtime = true;
#if LLVM_VERSION_MAJOR >= 22 /* before, a limit that no caller gave */
            Options.SCEVExpansionBudget = SCEVCheapExpansionBudget;
#endif
            Loop *Rest = nullptr;
            const LoopUnrollResult Result =
                UnrollLoop(Turns, Options, &LI, &SE, &DT, &FAM.getResult<AssumptionAnalysis>(F),
                           &FAM.getResult<TargetIRAnalysis>(F), &FAM.getResult<OptimizationRemarkEmitterAnalysis>(F),
                           /*PreserveLCSSA=*/true, &Rest);
            if (Result == LoopUnrollResult::Unmodified)
                continue;
            if (Result == LoopUnrollResult::PartiallyUnrolled)
                Turns->setLoopAlreadyUnrolled();
            if (Rest)
                Rest->setLoopAlreadyUnrolled();
            Changed = true;
        }
        return Changed;
    };
    return changeLoops(F, FAM, "teamwork.unrolled", Change);
}

} // namespace tw_compiler
