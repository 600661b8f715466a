/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of work-items. The rows of a group with several dimensions are too short for index_set_split.cpp, which would compute for each of them
 * where its borders are. But most groups are at no border. So the loop over the rows gets a copy, which runs if every condition on
 * the index has one value for all of the group. In it
 *
 *     the conditions are constants (index_set_split.cpp), and then
 *     indices of 32 bits go on by the same steps in 64 bits, if none of them wraps around in the group
 *
 * which is looked at once a group. Signed indices do not wrap around in programs that mean something, but only the source says so. Groups
 * at a border have a copy too, in which these are 64 bits wide; what is left for others is not changed any more.
 */
#include "passes.h"

#include "analysis/predicates.h"
#include "base/contract.h"
#include "base/marks.h"
#include "index_set_split.h"
#include "utilities/budget.h"
#include "utilities/expander.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostAround = 300;     /* instructions of a row that are not in the loop over its work-items */
constexpr uint64_t LongRow = 256;        /* rows of so many work-items are left to index_set_split.cpp */
constexpr uint64_t MostSteps = 1u << 16; /* between indices that are written as sums of one of them */
constexpr uint64_t MostTurns = 1u << 28; /* so that sums of several loops fit 64 bits */

/* The extension of Start + Constant + the sum of steps of loops. */
struct Index {
    Instruction *I;
    int64_t Constant;
};
struct Indices {
    const SCEV *Start; /* without its constant */
    bool Signed;
    SmallVector<std::pair<const Loop *, const SCEV *>, 4> Steps;
    SmallVector<Index, 8> All;
    Value *Wide = nullptr; /* Start, extended */
    SmallVector<Value *, 4> WideSteps;
};

class Widening
{
  public:
    Widening(Function &F, Loop &L, BranchInst &Choice, ScalarEvolution &SE)
        : L(L), Choice(Choice), SE(SE), Expand(SE, F.getParent()->getDataLayout(), "tw_index")
    {
    }
    bool find(bool SignedOnly);
    void run();

  private:
    Loop &L;
    BranchInst &Choice;
    ScalarEvolution &SE;
    Expander Expand;
    std::vector<Indices> Found;
    DenseMap<const Loop *, Value *> Counters;
    DenseMap<const SCEV *, Value *> Frozen;

    bool isBefore(const SCEV *S)
    {
        return SE.isLoopInvariant(S, &L) && Expand.isSafeToExpandAt(S, &Choice);
    }
    void add(Instruction &I);
    Value *expand(IRBuilder<> &B, const SCEV *S);
    std::optional<std::pair<unsigned, int64_t>> distance(const Indices &From, const Indices &To);
    Value *counter(const Loop *Of);
};

/* Notes an extension to 64 bits of what goes on by the same steps. */
void Widening::add(Instruction &I)
{
    if (!I.getType()->isIntegerTy(64))
        return;
    Indices New;
    const SCEV *S;
    if (isa<SExtInst>(I) || isa<ZExtInst>(I)) {
        New.Signed = isa<SExtInst>(I);
        S = SE.getSCEV(I.getOperand(0));
    } else { /* such as a pair of shifts */
        const auto *Cast = dyn_cast<SCEVCastExpr>(SE.getSCEV(&I));
        if (!Cast || !(isa<SCEVSignExtendExpr>(Cast) || isa<SCEVZeroExtendExpr>(Cast)))
            return;
        New.Signed = isa<SCEVSignExtendExpr>(Cast);
        S = Cast->getOperand();
    }
    if (SE.getTypeSizeInBits(S->getType()) > 32)
        return;
    for (const SCEVAddRecExpr *Rec; (Rec = dyn_cast<SCEVAddRecExpr>(S)) && L.contains(Rec->getLoop());) {
        const SCEV *Step = Rec->getStepRecurrence(SE);
        if (!Rec->isAffine() || !Rec->getLoop()->getLoopPreheader() || !Rec->getLoop()->getLoopLatch()
            || !isBefore(Step))
            return;
        const SCEV *Turns = SE.getBackedgeTakenCount(Rec->getLoop());
        if (isa<SCEVCouldNotCompute>(Turns) || !isBefore(Turns) || SE.getTypeSizeInBits(Turns->getType()) > 64)
            return;
        New.Steps.push_back({Rec->getLoop(), Step});
        S = Rec->getStart();
    }
    int64_t Constant = 0;
    const SCEV *Begin = S; /* of loops around, as that over the tiles of a sum */
    while (const auto *Rec = dyn_cast<SCEVAddRecExpr>(Begin))
        Begin = Rec->getStart();
    if (const auto *Sum = dyn_cast<SCEVAddExpr>(Begin))
        if (const auto *First = dyn_cast<SCEVConstant>(Sum->getOperand(0))) {
            Constant = First->getAPInt().getSExtValue();
            S = SE.getMinusSCEV(S, First);
        }
    if (New.Steps.empty() || New.Steps.size() > 4 || !isBefore(S))
        return;
    New.Start = S;
    for (Indices &Known : Found)
        if (Known.Start == S && Known.Signed == New.Signed && Known.Steps == New.Steps) {
            Known.All.push_back({&I, Constant});
            return;
        }
    New.All.push_back({&I, Constant});
    Found.push_back(New);
}

Value *Widening::expand(IRBuilder<> &B, const SCEV *S)
{
    if (Value *Known = Frozen.lookup(S))
        return Known;
    Value *V = Expand.expandCodeFor(S, S->getType(), Choice.getIterator());
    B.SetInsertPoint(&Choice);
    return Frozen[S] = isa<Constant>(V) ? V : B.CreateFreeze(V);
}

/* How many steps of a loop lie between the begins of two indices, as the rows above and below; which step it is. */
std::optional<std::pair<unsigned, int64_t>> Widening::distance(const Indices &From, const Indices &To)
{
    if (From.Signed != To.Signed || From.Steps != To.Steps || From.Start->getType() != To.Start->getType())
        return {};
    const SCEV *Between = SE.getMinusSCEV(To.Start, From.Start);
    for (unsigned S = 0; S < To.Steps.size(); ++S) {
        const SCEV *Step = To.Steps[S].second;
        const auto *Product = dyn_cast<SCEVMulExpr>(Between);
        const auto *Times = Product ? dyn_cast<SCEVConstant>(Product->getOperand(0)) : nullptr;
        if (Between == Step)
            return std::pair(S, int64_t(1));
        if (Times && Times->getAPInt().abs().ule(MostSteps) && SE.getMulExpr(Times, Step) == Between)
            return std::pair(S, Times->getAPInt().getSExtValue());
    }
    return {};
}

/* The turns of a loop so far. */
Value *Widening::counter(const Loop *Of)
{
    Value *&Result = Counters[Of];
    if (Result)
        return Result;
    IRBuilder<> B(&Of->getHeader()->front());
    PHINode *Phi = B.CreatePHI(B.getInt64Ty(), 2, "tw_counter");
    B.SetInsertPoint(Of->getLoopLatch()->getTerminator());
    Phi->addIncoming(B.getInt64(0), Of->getLoopPreheader());
    Phi->addIncoming(B.CreateAdd(Phi, B.getInt64(1), "", true, true), Of->getLoopLatch());
    return Result = Phi;
}

/* `SignedOnly`: only indices of memory that might wrap around as signed numbers. */
bool Widening::find(bool SignedOnly)
{
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if ((isa<ZExtInst>(I) || isa<SExtInst>(I) || I.getOpcode() == Instruction::AShr
                 || I.getOpcode() == Instruction::And)
                && !(SignedOnly && !(isa<SCEVSignExtendExpr>(SE.getSCEV(&I)) && reachesAddress(&I, 0))))
                add(I);
    return !Found.empty();
}

void Widening::run()
{
    IRBuilder<> B(&Choice);
    Value *Good = Choice.getCondition();
    for (Indices &Of : Found) {
        const auto Wider = [&](const SCEV *S, bool Signed) {
            Value *V = expand(B, S);
            return Signed ? B.CreateSExt(V, B.getInt64Ty()) : B.CreateZExt(V, B.getInt64Ty());
        };
        for (const Indices &Base :
             Found) { /* so that neighbours are seen to be such: the same where neither wraps around */
            if (&Base == &Of)
                break;
            if (const auto By = distance(Base, Of)) {
                Of.Wide = B.CreateAdd(Base.Wide, B.CreateMul(Base.WideSteps[By->first],
                                                             ConstantInt::getSigned(B.getInt64Ty(), By->second)));
                break;
            }
        }
        if (!Of.Wide)
            Of.Wide = Wider(Of.Start, Of.Signed);
        int64_t Least = INT64_MAX, Most = INT64_MIN;
        for (const Index &Each : Of.All) {
            Least = std::min(Least, Each.Constant);
            Most = std::max(Most, Each.Constant);
        }
        Value *Low = B.CreateAdd(Of.Wide, ConstantInt::getSigned(B.getInt64Ty(), Least));
        Value *High = B.CreateAdd(Of.Wide, ConstantInt::getSigned(B.getInt64Ty(), Most));
        for (auto &Step : Of.Steps) {
            Value *Turns = Wider(SE.getBackedgeTakenCount(Step.first), false);
            Value *By = Wider(Step.second, true);
            Of.WideSteps.push_back(By);
            Value *Span = B.CreateMul(By, Turns);
            Good = B.CreateAnd(Good, B.CreateICmpULT(Turns, B.getInt64(MostTurns)));
            Low = B.CreateAdd(Low, B.CreateBinaryIntrinsic(Intrinsic::smin, Span, B.getInt64(0)));
            High = B.CreateAdd(High, B.CreateBinaryIntrinsic(Intrinsic::smax, Span, B.getInt64(0)));
        }
        const unsigned Bits = unsigned(SE.getTypeSizeInBits(Of.Start->getType()));
        const APInt Lowest = Of.Signed ? APInt::getSignedMinValue(Bits).sext(64) : APInt(64, 0);
        const APInt Highest = Of.Signed ? APInt::getSignedMaxValue(Bits).sext(64) : APInt::getMaxValue(Bits).zext(64);
        Good = B.CreateAnd(Good, B.CreateICmpSGE(Low, B.getInt(Lowest)));
        Good = B.CreateAnd(Good, B.CreateICmpSLE(High, B.getInt(Highest)));
    }
    Choice.setCondition(Good);
    for (Indices &Of : Found)
        for (const Index &Each : Of.All) {
            IRBuilder<> At(Each.I);
            Value *Sum = At.CreateAdd(Of.Wide, ConstantInt::getSigned(At.getInt64Ty(), Each.Constant));
            for (unsigned S = 0; S < Of.Steps.size(); ++S)
                Sum = At.CreateAdd(Sum, At.CreateMul(Of.WideSteps[S], counter(Of.Steps[S].first)));
            Each.I->replaceAllUsesWith(Sum);
        }
}

} // namespace

/* The loop over the rows of a loop over work-items; null if there is none. */
Loop *rowsOf(ScalarEvolution &SE, Loop &Items)
{
    const Function &F = *Items.getHeader()->getParent();
    if (SE.getSmallConstantTripCount(&Items) > LongRow
        || (!F.hasFnAttribute(WorkItemsRole) && !F.hasFnAttribute(SplitRole) && !isRowOfGroup(Items)
            && SE.getSmallConstantTripCount(&Items) == 0))
        return nullptr;
    if (isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&Items)))
        return nullptr;
    Loop *Nest = nullptr;
    for (Loop *Rows = Items.getParentLoop(); Rows; Rows = Rows->getParentLoop()) {
        size_t Around = 0;
        for (BasicBlock *Block : Rows->blocks())
            if (none_of(Rows->getSubLoops(), [&](const Loop *Inner) { return Inner->contains(Block); }))
                Around += Block->size();
        /* what differs from row to row may have made several loops of one */
        if ((Rows->getSubLoops().size() != 1 && !hasLoopMark(*Rows, RowsMark) && !hasLoopMark(*Rows, PlanesMark))
            || Around > MostAround || !Rows->isLoopSimplifyForm() || Rows->getExitingBlock() != Rows->getLoopLatch()
            || isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(Rows))
            || any_of(Rows->getSubLoops(), [&](Loop *Inner) {
                   return isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(Inner))
                          || !SE.isLoopInvariant(SE.getBackedgeTakenCount(Inner), Rows);
               }))
            break;
        Nest = Rows;
    }
    return Nest;
}

/* A copy of the rows of a group for where no condition is at its border and no index wraps around. `ForBorders`: where there are borders,
   one for where no signed index wraps around, which takes the place of the rows. */
static bool versionNest(Function &F, Loop &Nest, FunctionAnalysisManager &FAM, bool ForBorders)
{
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    auto *Before = Nest.getLoopPreheader() ? dyn_cast<BranchInst>(Nest.getLoopPreheader()->getTerminator()) : nullptr;
    if (ForBorders && (!Before || !Widening(F, Nest, *Before, SE).find(true)))
        return false;
    BasicBlock *Header = Nest.getHeader();
    const std::optional<Inside> Made =
        versionInside(F, Nest, SE, FAM.getResult<DominatorTreeAnalysis>(F), FAM.getResult<LoopAnalysis>(F), ForBorders);
    if (!Made)
        return false;
    FAM.invalidate(F, PreservedAnalyses::none());
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    Widening Wide(F, *LI.getLoopFor(Made->Header), *Made->Choice, FAM.getResult<ScalarEvolutionAnalysis>(F));
    if (Wide.find(ForBorders))
        Wide.run();
    else if (!ForBorders && !Made->Settled)
        Made->Choice->setCondition(ConstantInt::getFalse(F.getContext())); /* nothing to gain */
    if (ForBorders)
        leaveAlone(*LI.getLoopFor(Header));
    return true;
}

static bool versionNests(Function &F, FunctionAnalysisManager &FAM, StringRef Mark, bool ForBorders)
{
    return changeLoops(
        F, FAM, Mark, [&](Loop &Nest) { return versionNest(F, Nest, FAM, ForBorders); },
        [&](Loop &Items) { return rowsOf(FAM.getResult<ScalarEvolutionAnalysis>(F), Items); });
}

bool widenNests(Function &F, FunctionAnalysisManager &FAM)
{
    return versionNests(F, FAM, "teamwork.wide_nest", true);
}

bool versionNests(Function &F, FunctionAnalysisManager &FAM)
{
    return versionNests(F, FAM, "teamwork.nest", false);
}

} // namespace tw_compiler
