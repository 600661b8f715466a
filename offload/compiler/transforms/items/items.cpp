/* SPDX-License-Identifier: Apache-2.0 */
/* Where passes over loops over work-items begin and end, and small ones of them. */
#include "passes.h"

#include "base/contract.h"
#include "base/marks.h"
#include "diagnostics/effort.h"
#include "utilities/budget.h"
#include "utilities/clean.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/SimplifyIndVar.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

void simplifyLoops(Function &F, FunctionAnalysisManager &FAM)
{
    FunctionPassManager Passes;
    Passes.addPass(LoopSimplifyPass());
    FAM.invalidate(F, PreservedAnalyses::none());
    FAM.invalidate(F, Passes.run(F, FAM));
    hideDivisions(F, FAM);
}

/* What all of a row have in common is found out in front of it. */
void unswitch(Function &F, FunctionAnalysisManager &FAM)
{
    FunctionPassManager Passes;
    Passes.addPass(createFunctionToLoopPassAdaptor(SimpleLoopUnswitchPass(true), true));
    FAM.invalidate(F, Passes.run(F, FAM));
}

} // namespace

/* A value that grows by a constant with the turns of a loop, by a counter of the loop; or null. */
static Value *byCounter(Loop &L, ScalarEvolution &SE, const SCEV *S, Instruction *At)
{
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(S);
    if (!Rec || Rec->getLoop() != &L || !isa<SCEVConstant>(Rec->getStart()))
        return nullptr;
    for (PHINode &Phi : L.getHeader()->phis()) {
        const auto *Counter = Phi.getType() == S->getType() ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
        if (!Counter || !isa<SCEVConstant>(Counter->getStart()))
            continue;
        const auto *Step = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE)),
                   *OfCounter = dyn_cast<SCEVConstant>(Counter->getStepRecurrence(SE));
        if (!Step || !OfCounter || Step->getAPInt().srem(OfCounter->getAPInt()) != 0)
            continue;
        const APInt Factor = Step->getAPInt().sdiv(OfCounter->getAPInt());
        const APInt More = cast<SCEVConstant>(Rec->getStart())->getAPInt()
                           - cast<SCEVConstant>(Counter->getStart())->getAPInt() * Factor;
        IRBuilder<> B(At);
        return B.CreateAdd(B.CreateMul(&Phi, B.getInt(Factor)), B.getInt(More));
    }
    return nullptr;
}

/* Writes with all bits what grows by a constant with the work-items, but is computed with fewer bits and extended: by a cast, without its upper
   bits, or shifted to and fro. */
static bool widen(Loop &L, ScalarEvolution &SE)
{
    bool Changed = false;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : make_early_inc_range(*Block)) {
            if (!I.getType()->isIntegerTy()
                || (!isa<SExtInst>(I) && !isa<ZExtInst>(I)
                    && !is_contained({Instruction::And, Instruction::AShr, Instruction::LShr}, I.getOpcode())))
                continue;
            if (Value *Wide = byCounter(L, SE, SE.getSCEV(&I), &I)) {
                I.replaceAllUsesWith(Wide);
                I.eraseFromParent();
                Changed = true;
            }
        }
    return Changed;
}

/* What is known of the counters of loops over work-items from how often these turn: comparisons that are constants, and extensions that change
   nothing. LLVM has looked at that before it unrolled loops around, and when they were not divided yet. */
bool simplifyCounters(Function &F, FunctionAnalysisManager &FAM)
{
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    SmallVector<WeakTrackingVH, 16> Dead;
    bool Changed = false;
    for (Loop *L : LI.getLoopsInPreorder())
        if (hasLoopMark(*L, ItemsMark)) {
            Changed |= simplifyLoopIVs(L, &SE, &FAM.getResult<DominatorTreeAnalysis>(F), &LI,
                                       &FAM.getResult<TargetIRAnalysis>(F), Dead);
            Changed |= widen(*L, SE);
        }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
    if (Changed)
        FAM.invalidate(F, PreservedAnalyses::none());
    return Changed;
}

bool beginItems(Function &F, FunctionAnalysisManager &FAM)
{
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    const bool HasItems = hasItems(LI);
    takePointsNotes(F, &LI);
    if (!HasItems)
        return false;
    noteLoops(F, LI);
    for (Loop *L : LI.getLoopsInPreorder())
        endDelay(*L);
    simplifyLoops(F, FAM);
    setBudget(F);
    return true;
}

bool endItems(Function &F, FunctionAnalysisManager &)
{
    takePointsNotes(F, nullptr); /* of what is optimized when it is linked */
    return false;
}

/* Where a work-item uses i + 1, or 4 * i + 2, under a condition, GVN takes it from there for what follows as well, and computes it once more
   where the condition does not hold. Scalar evolution sees no counter in the phi of both. So what all ways compute alike is computed once,
   where they meet. */
bool joinSteps(Function &F, FunctionAnalysisManager &FAM)
{
    const auto IsJoined = [](const PHINode &Phi) {
        const auto *First = dyn_cast<Instruction>(Phi.getIncomingValue(0));
        if (!First || Phi.getNumIncomingValues() < 2
            || !(isa<BinaryOperator>(First) || isa<CastInst>(First) || isa<GetElementPtrInst>(First))
            || !isSafeToSpeculativelyExecute(First))
            return false;
        for (const Use &U : First->operands())
            if (const auto *Operand = dyn_cast<Instruction>(U); Operand && Operand->getParent() == Phi.getParent())
                return false;
        return all_of(Phi.incoming_values(), [&](const Value *V) {
            const auto *Other = dyn_cast<Instruction>(V);
            return Other && Other->isSameOperationAs(First) && equal(Other->operands(), First->operands());
        });
    };
    bool Changed = false;
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    for (BasicBlock &Block : F) {
        if (!LI.getLoopFor(&Block) || LI.isLoopHeader(&Block))
            continue;
        for (PHINode &Phi : make_early_inc_range(Block.phis())) {
            if (!IsJoined(Phi))
                continue;
            Instruction *Once = cast<Instruction>(Phi.getIncomingValue(0))->clone();
            for (const Value *Other : Phi.incoming_values())
                Once->andIRFlags(Other);
            Once->insertBefore(Block.getFirstInsertionPt());
            Phi.replaceAllUsesWith(Once);
            Phi.eraseFromParent();
            Changed = true;
        }
    }
    return Changed;
}

bool delinearize(Function &F, FunctionAnalysisManager &FAM)
{
    bool Changed = false;
    for (bool OfPlanes : {false, true}) {
        if (!makeRows(F, FAM, OfPlanes))
            break;
        clean(F, FAM);
        unswitch(F, FAM);
        clean(F, FAM);
        Changed = true;
    }
    return Changed;
}

/* Work-items of an nd_range begin anywhere but at the first one only behind a barrier. Without a call that could come to one the
   second argument of their function is 0. */
bool beginsWithFirst(Function &F, FunctionAnalysisManager &)
{
    if (!F.hasLocalLinkage() || !F.hasFnAttribute(WorkItemsRole) || F.arg_size() != 2 || F.getArg(1)->use_empty()
        || !F.getArg(1)->getType()->isIntegerTy())
        return false;
    for (Instruction &I : instructions(F)) {
        const auto *Call = dyn_cast<CallBase>(&I);
        if (!Call || isa<IntrinsicInst>(I) || Call->doesNotAccessMemory())
            continue;
        for (const Value *Argument : Call->args())
            if (!Argument->getType()->isIntegerTy() && !Argument->getType()->isFPOrFPVectorTy())
                return false;
        if (!Call->getCalledFunction())
            return false;
    }
    F.getArg(1)->replaceAllUsesWith(ConstantInt::get(F.getArg(1)->getType(), 0));
    return true;
}

} // namespace tw_compiler
