/* SPDX-License-Identifier: Apache-2.0 */
/* How far loops in kernels for NVIDIA GPUs are unrolled, where LLVM would do otherwise than CUDA's own compiler:

   - A private array stays in local memory, which is as far away as global memory, while a loop indexes it. Where all indexes are
     constants once loops of constant length are unrolled, these are, also if they are long (unrollThroughArrays()).
   - A loop of run-time length with short turns is unrolled by eight, so that a mask of seven never comes to the unrolled turns. Four
     will do, since ptxas unrolls these again (unrollByFour()). Loops around others are not unrolled at all.
   - ptxas unrolls what LLVM has unrolled again, for 8 and 16 turns, and each time that the loop begins it finds out how many of these
     there are: ten instructions, which a short loop inside another one does not earn.

   These are marks of loops only: LLVM unrolls, if it can. */
#include "passes.h"

#include "base/marks.h"

#include <optional>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr const char *UnrolledLater = "llvm.loop.unroll.followup_unrolled", *UnrollFully = "llvm.loop.unroll.full",
                     *UnrollCount = "llvm.loop.unroll.count";

/* The most instructions of a turn that ptxas unrolls again; those that a function's loops through arrays may become, and the bytes that
   these arrays may have: 160 of a work-item's 255 registers. */
constexpr uint64_t ShortTurn = 24, MostUnrolled = 4000, MostBytes = 640;

/* Whether somebody has said how the loop is to be unrolled. */
bool isDecided(const Loop &L)
{
    return hasLoopMark(L, NotUnrolled) || hasLoopMark(L, UnrollFully) || hasLoopMark(L, UnrollCount)
           || hasLoopMark(L, "llvm.loop.unroll.enable");
}

/* What the loop's code becomes has this mark. */
void markLater(Loop &L, const char *Mark)
{
    if (hasLoopMark(L, UnrolledLater) || hasLoopMark(L, NotUnrolled))
        return;
    LLVMContext &Context = L.getHeader()->getContext();
    MDNode *Later = MDNode::get(
        Context, {MDString::get(Context, UnrolledLater), MDNode::get(Context, MDString::get(Context, Mark))});
    L.setLoopID(makePostTransformationMetadata(Context, L.getLoopID(), {}, {Later}));
}

uint64_t instructionsOf(const Loop &L)
{
    uint64_t Count = 0;
    for (const BasicBlock *Block : L.blocks())
        for (const Instruction &I : Block->instructionsWithoutDebug())
            Count += !isa<PHINode>(I) && !(isa<IntrinsicInst>(I) && cast<IntrinsicInst>(I).isAssumeLikeIntrinsic());
    return Count;
}

/* Nothing in the loop keeps LLVM from copying its turns: barriers, or calls of functions. */
bool canBeCopied(const Loop &L)
{
    return L.isSafeToClone() && all_of(L.blocks(), [](const BasicBlock *Block) {
               return none_of(*Block, [](const Instruction &I) {
                   const auto *Call = dyn_cast<CallBase>(&I);
                   return Call && (Call->isConvergent() || !(isa<IntrinsicInst>(Call) || Call->isInlineAsm()));
               });
           });
}

/* ---- loops of run-time length ------------------------------------------------------------------------------------ */

/* LLVM would find out how many turns there are by a division where steps are not constant. */
void unrollByFour(Loop &L, ScalarEvolution &SE)
{
    if (isDecided(L) || !canBeCopied(L) || L.getExitingBlock() != L.getLoopLatch() || instructionsOf(L) > ShortTurn)
        return;
    const SCEV *Turns = SE.getBackedgeTakenCount(&L);
    const auto Divides = [](const SCEV *Of) { /* shifts are divisions by a constant */
                                              const auto *Quotient = dyn_cast<SCEVUDivExpr>(Of);
                                              return Quotient && !isa<SCEVConstant>(Quotient->getRHS());
    };
    if (isa<SCEVCouldNotCompute>(Turns) || SCEVExprContains(Turns, Divides))
        return;
    addLoopMark(L, UnrollCount, ConstantInt::get(Type::getInt32Ty(L.getHeader()->getContext()), 4));
    markLater(L, NotAtRunTime); /* LLVM would forbid ptxas to unroll it as well */
}

/* ---- loops through private arrays -------------------------------------------------------------------------------- */

/* The loops of constant length by whose counters alone the offset is not a constant; nothing if there is more to it. */
bool loopsOfOffset(const SCEV *Offset, ScalarEvolution &SE, SmallPtrSetImpl<const Loop *> &Loops)
{
    while (const auto *Steps = dyn_cast<SCEVAddRecExpr>(Offset)) {
        if (!Steps->isAffine() || !isa<SCEVConstant>(Steps->getStepRecurrence(SE))
            || !SE.getSmallConstantTripCount(Steps->getLoop()))
            return false;
        Loops.insert(Steps->getLoop());
        Offset = Steps->getStart();
    }
    return isa<SCEVConstant>(Offset);
}

/* Whether it accesses at a place, and keeps it nowhere, numbers that are known if the place is. */
bool accessesNumbers(const Instruction &I, const Value *Place)
{
    if (const auto *Load = dyn_cast<LoadInst>(&I))
        return Load->isSimple();
    if (const auto *Store = dyn_cast<StoreInst>(&I))
        return Store->isSimple() && Store->getValueOperand() != Place;
    const auto *Memory = dyn_cast<MemIntrinsic>(&I); /* of initial values */
    return Memory && !Memory->isVolatile() && isa<ConstantInt>(Memory->getLength());
}

/* The same of all accesses of an array; nothing if it needs memory anyway. */
bool loopsThrough(AllocaInst &Array, ScalarEvolution &SE, SmallPtrSetImpl<const Loop *> &Loops)
{
    SmallVector<Instruction *, 16> Places{&Array};
    while (!Places.empty()) {
        Instruction *Place = Places.pop_back_val();
        for (User *U : Place->users()) {
            auto *I = cast<Instruction>(U);
            if (isa<GetElementPtrInst>(I)) {
                Places.push_back(I);
                continue;
            }
            const auto *Intrinsic = dyn_cast<IntrinsicInst>(I);
            if (Intrinsic && Intrinsic->isLifetimeStartOrEnd())
                continue;
            if (!accessesNumbers(*I, Place) || !loopsOfOffset(SE.removePointerBase(SE.getSCEV(Place)), SE, Loops))
                return false;
        }
    }
    return true;
}

/* The instructions that a loop becomes when it is unrolled, and with it those of `All` around it. */
uint64_t unrolledSize(const Loop *L, const SmallPtrSetImpl<const Loop *> &All, ScalarEvolution &SE)
{
    uint64_t Size = instructionsOf(*L);
    for (; L; L = L->getParentLoop())
        if (All.contains(L))
            Size = SaturatingMultiply<uint64_t>(Size, SE.getSmallConstantTripCount(L));
    return Size;
}

/* Marks the loops through each array that needs no memory then. What is short anyway, LLVM unrolls itself. */
void unrollThroughArrays(Function &F, const LoopInfo &LI, ScalarEvolution &SE)
{
    const DataLayout &DL = F.getParent()->getDataLayout();
    uint64_t Left = MostUnrolled, BytesLeft = MostBytes;
    for (Instruction &I : F.getEntryBlock()) {
        auto *Array = dyn_cast<AllocaInst>(&I);
        const auto Bytes = Array ? Array->getAllocationSize(DL) : std::nullopt;
        SmallPtrSet<const Loop *, 4> Loops;
        if (!Bytes || Bytes->isScalable() || Bytes->getFixedValue() > BytesLeft || !loopsThrough(*Array, SE, Loops)
            || Loops.empty())
            continue;
        uint64_t Size = 0;
        for (const Loop *L : Loops)
            if (none_of(Loops, [L](const Loop *Inner) { return Inner != L && L->contains(Inner); }))
                Size = SaturatingAdd(Size, unrolledSize(L, Loops, SE));
        if (Size > Left || any_of(Loops, [](const Loop *L) {
                return !L->isSafeToClone() || !L->getExitingBlock() || hasLoopMark(*L, NotUnrolled);
            }))
            continue;
        bool Marked = false;
        for (Loop *L : LI.getLoopsInPreorder())
            if (Loops.contains(L) && !isDecided(*L)) {
                addLoopMark(*L, UnrollFully);
                Marked = true;
            }
        Left -= Marked ? Size : 0;
        BytesLeft -= Bytes->getFixedValue();
    }
}

} // namespace

bool decideGpuUnrolling(Function &F, FunctionAnalysisManager &FAM)
{
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    unrollThroughArrays(F, LI, SE);
    for (Loop *L : LI.getLoopsInPreorder()) {
        if (SE.getSmallConstantTripCount(L))
            continue;
        if (!L->isInnermost()) {
            if (!isDecided(*L))
                addLoopMark(*L, NotAtRunTime);
            continue;
        }
        if (L->getParentLoop())
            markLater(*L, NotUnrolled);
        unrollByFour(*L, SE);
    }
    return false;
}

} // namespace tw_compiler
