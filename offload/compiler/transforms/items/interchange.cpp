/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interchanges the loop over work-items with a loop in which each of them takes every so many elements of a range, such as those of all
 * work-items of a launch:
 *
 *     for item                                             for first = id of the first item; first < count; first += step
 *         for (i = id; i < count; i += step)                   for item
 *             element(i)                              =>           if (first + item < count)
 *                                                                      element(first + item)
 *
 * So neighbours in memory follow each other, as they do for a GPU. A value that goes from one turn to the next, such as a sum, has a place
 * for each item meanwhile, and what follows the inner loop is a loop over all items of its own.
 *
 * It is right because work-items may run in any order between barriers, and each takes its own elements in the same order as before. What
 * is in front of the inner loop only computes, and is done again in each turn. All turns of an item follow from the first one that does
 * not run, and the first item is the last to stop, unless a counter wraps around: which is asked in front, and then the loops stay as
 * they were.
 */
#include "parts.h"
#include "passes.h"

#include "analysis/predicates.h"
#include "base/marks.h"
#include "utilities/budget.h"

#include <memory>
#include <optional>
#include <utility>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostOfBoth = 300;                  /* instructions of both loops */
constexpr unsigned LeastBits = 32;                    /* of a counter */
constexpr uint64_t LeastItems = 16, MostItems = 1024; /* for which it pays, and which have places for what they carry */
constexpr size_t MostCarried = 4;                     /* values of an item */
constexpr uint64_t LeastStep = 16; /* a smaller one leaves elements of other turns in the same lines of the cache */

/* A value of an item that grows by a constant from one to the next: that of the first one, extended from fewer bits where it is. */
struct Linear {
    const SCEV *First;
    int64_t Step;
    std::optional<bool> Extended; /* whether signed; nothing: it is not */
};

class Interchange
{
  public:
    Interchange(Function &F, Loop &L, FunctionAnalysisManager &FAM)
        : F(F), L(L), SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
          Expand(SE, F.getParent()->getDataLayout(), "tw_stride")
    {
    }
    bool isPossible();
    void run();

  private:
    struct Counter { /* of the inner loop */
        PHINode *Phi;
        Linear Start;
        const SCEV *Step;
        Value *First = nullptr, *By = nullptr;
    };
    struct Carried { /* from turn to turn, for each item */
        PHINode *Phi;
        Value *Begin;
        Instruction *Next;
        AllocaInst *Places = nullptr;
    };
    Function &F;
    Loop &L, *K = nullptr;
    ScalarEvolution &SE;
    DominatorTree &DT;
    Expander Expand;
    SmallVector<Counter, 4> Counters;
    SmallVector<Carried, 2> Sums;
    SmallPtrSet<BasicBlock *, 8> Front; /* blocks of L from which the inner loop may be reached */
    bool HasRest = false;               /* L does something else behind the inner loop */
    Counter *Ends = nullptr;            /* its bound ends the inner loop */
    Value *Bound = nullptr;
    bool Signed = false;
    BranchInst *Guard = nullptr; /* tests the first turn */
    const SCEV *Turns = nullptr; /* of L, less one */

    std::optional<Linear> linear(const SCEV *S);
    bool isBefore(const SCEV *S) const
    {
        return isBeforeLoop(S, L, SE, Expand);
    }
    bool findCarried(PHINode &Phi);
    bool isOfGroup(const SCEV *Step);
    bool findCounters();
    bool findEnd();
    bool isFirstTest(const Value *Condition, bool Holds);
    bool findGuard();
    bool findParts();
    BasicBlock *makePlaces(Value *Items, BasicBlock *Exit);
    void makeTurn(Copy &Made, ArrayRef<PHINode *> Firsts);
    void makeRest(Copy &Made);
    Value *placeOf(IRBuilder<> &B, const Carried &Of, Value *Item) const
    {
        return B.CreateInBoundsGEP(Of.Phi->getType(), Of.Places, Item);
    }
    Value *expand(const SCEV *S);
    Value *isLess(IRBuilder<> &B, Value *V) const
    {
        return B.CreateICmp(Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, V, Bound);
    }
    Value *staysInOrder(IRBuilder<> &B, Value *Items);
};

std::optional<Linear> Interchange::linear(const SCEV *S)
{
    Linear Result{S, 0, {}};
    if (isa<SCEVSignExtendExpr>(S) || isa<SCEVZeroExtendExpr>(S)) {
        Result.Extended = isa<SCEVSignExtendExpr>(S);
        S = cast<SCEVCastExpr>(S)->getOperand();
    }
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(S);
    const auto *Step =
        Rec && Rec->getLoop() == &L && Rec->isAffine() ? dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE)) : nullptr;
    if (!Step || Step->getAPInt().getSignificantBits() > 32 || !isBefore(Rec->getStart()))
        return {};
    Result.First = Rec->getStart();
    Result.Step = Step->getAPInt().getSExtValue();
    return Result;
}

/* Notes a number that goes from one turn of the inner loop to the next, and begins alike for all items. */
bool Interchange::findCarried(PHINode &Phi)
{
    auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(K->getLoopLatch()));
    Value *Begin = Phi.getIncomingValueForBlock(K->getLoopPreheader());
    Type *T = Phi.getType();
    const bool Is = Next && K->contains(Next) && L.isLoopInvariant(Begin)
                    && (T->isIntegerTy(32) || T->isIntegerTy(64) || T->isFloatTy() || T->isDoubleTy());
    if (Is)
        Sums.push_back({&Phi, Begin, Next});
    return Is;
}

/* Whether a turn adds as many as there are items, or a constant that may be: then all turns of the group are one row, and sums stay in
   registers. */
bool Interchange::isOfGroup(const SCEV *Step)
{
    const auto *Known = dyn_cast<SCEVConstant>(Step);
    const SCEV *Items = SE.getAddExpr(Turns, SE.getOne(Turns->getType()));
    return (Known && Known->getAPInt().ule(MostItems)) || SE.getTruncateOrZeroExtend(Items, Step->getType()) == Step;
}

/* What goes from one turn of the inner loop to the next: counters by steps that are the same for all items, and other numbers. */
bool Interchange::findCounters()
{
    for (PHINode &Phi : K->getHeader()->phis()) {
        const auto *Rec = SE.isSCEVable(Phi.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
        if (!Rec || Rec->getLoop() != K || !Rec->isAffine() || !isBefore(Rec->getStepRecurrence(SE))) {
            if (!findCarried(Phi))
                return false;
            continue;
        }
        const std::optional<Linear> Start = SE.isLoopInvariant(Rec->getStart(), &L) && isBefore(Rec->getStart())
                                                ? Linear{Rec->getStart(), 0, {}}
                                                : linear(Rec->getStart());
        if (!Start || (Start->Extended && Start->Step > 1) || Start->Step < 0
            || (Start->Step && SE.getTypeSizeInBits(Start->First->getType()) < LeastBits))
            return false;
        Counters.push_back({&Phi, *Start, Rec->getStepRecurrence(SE)});
    }
    return Sums.empty()
           || (Sums.size() <= MostCarried && none_of(Counters, [&](const Counter &C) { return isOfGroup(C.Step); }));
}

bool Interchange::findEnd()
{
    const auto *Leaves = dyn_cast<BranchInst>(K->getLoopLatch()->getTerminator());
    const auto *Compares = Leaves && Leaves->isConditional() ? dyn_cast<ICmpInst>(Leaves->getCondition()) : nullptr;
    if (!Compares)
        return false;
    CmpInst::Predicate Goes = Compares->getPredicate();
    if (Leaves->getSuccessor(0) != K->getHeader())
        Goes = CmpInst::getInversePredicate(Goes);
    for (const unsigned Side : {0, 1}) {
        for (Counter &C : Counters) {
            auto *Next = dyn_cast<Instruction>(Compares->getOperand(Side));
            if (!Next || C.Phi->getIncomingValueForBlock(K->getLoopLatch()) != Next || !C.Phi->getType()->isIntegerTy())
                continue;
            const auto *Known = dyn_cast<SCEVConstant>(C.Step);
            Bound = Compares->getOperand(1 - Side);
            if (C.Start.Step != 1 || !isBefore(SE.getSCEV(Bound)) || (Known && Known->getAPInt().slt(LeastStep))
                || (Goes != CmpInst::ICMP_SLT && Goes != CmpInst::ICMP_ULT))
                return false;
            Ends = &C;
            Signed = Goes == CmpInst::ICMP_SLT;
            return true;
        }
        Goes = CmpInst::getSwappedPredicate(Goes);
    }
    return false;
}

/* Whether a condition is that of the inner loop, for its first turn. */
bool Interchange::isFirstTest(const Value *Condition, bool Holds)
{
    const auto *Compares = dyn_cast<ICmpInst>(Condition);
    if (!Compares || !SE.isSCEVable(Compares->getOperand(0)->getType()))
        return false;
    CmpInst::Predicate Is = Holds ? Compares->getPredicate() : Compares->getInversePredicate();
    const SCEV *Left = SE.getSCEV(Compares->getOperand(0)), *Right = SE.getSCEV(Compares->getOperand(1));
    if (Is == CmpInst::ICMP_SGT || Is == CmpInst::ICMP_UGT) {
        std::swap(Left, Right);
        Is = CmpInst::getSwappedPredicate(Is);
    }
    const SCEV *Start = cast<SCEVAddRecExpr>(SE.getSCEV(Ends->Phi))->getStart(), *End = SE.getSCEV(Bound);
    const auto IsExtended = [&](const SCEV *S) {
        return Signed ? isa<SCEVSignExtendExpr>(S) : isa<SCEVZeroExtendExpr>(S);
    };
    if (Left->getType() != Start->getType() && IsExtended(Start)) { /* both sides were extended for the loop */
        Start = cast<SCEVCastExpr>(Start)->getOperand();
        End = IsExtended(End) ? cast<SCEVCastExpr>(End)->getOperand() : SE.getTruncateOrNoop(End, Start->getType());
        if ((Signed ? SE.getSignExtendExpr(End, Bound->getType()) : SE.getZeroExtendExpr(End, Bound->getType()))
            != SE.getSCEV(Bound))
            return false;
    }
    return Is == (Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT) && Left == Start && Right == End;
}

bool Interchange::findGuard()
{
    BasicBlock *Preheader = K->getLoopPreheader();
    for (BasicBlock *Block = Preheader; L.contains(Block); Block = DT.getNode(Block)->getIDom()->getBlock()) {
        auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
        if (Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1))
            for (const unsigned Side : {0, 1})
                if (DT.dominates(BasicBlockEdge(Block, Branch->getSuccessor(Side)), Preheader)
                    && isFirstTest(Branch->getCondition(), Side == 0)) {
                    Guard = Branch;
                    return true;
                }
        if (Block == L.getHeader())
            return false;
    }
    return false;
}

/* Finds what is in front of the inner loop, which may only compute, and what is behind it; an item must not have variables. */
bool Interchange::findParts()
{
    SmallVector<BasicBlock *, 8> Open{K->getLoopPreheader()};
    while (!Open.empty()) {
        BasicBlock *Block = Open.pop_back_val();
        if (Front.insert(Block).second && Block != L.getHeader())
            append_range(Open, predecessors(Block));
    }
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (const auto *Call = dyn_cast<CallBase>(&I); Call && Call->isConvergent())
                return false;
            for (const Value *Operand : I.operands())
                if (const auto *Variable = Operand->getType()->isPointerTy()
                                               ? dyn_cast<AllocaInst>(getUnderlyingObject(Operand))
                                               : nullptr;
                    Variable && !Variable->hasMetadata(SharedNote))
                    return false;
            if (K->contains(Block)) {
                const bool IsLast = any_of(Sums, [&](const Carried &Of) { return Of.Next == &I; });
                if (!IsLast && isUsedBehind(I, *K))
                    return false;
            } else if (I.mayReadOrWriteMemory() || I.mayHaveSideEffects()) {
                if (Front.count(Block))
                    return false;
                HasRest = true;
            }
        }
    return Sums.empty() || HasRest;
}

bool Interchange::isPossible()
{
    if (L.getSubLoops().size() != 1 || !isLeftAtEnd(L) || isa<PHINode>(L.getExitBlock()->front())
        || !isClosed(L, MostOfBoth) || !hasCountersAlone(L, SE, Expand) || SE.getSmallConstantTripCount(&L) == 1)
        return false;
    K = L.getSubLoops()[0];
    Turns = SE.getBackedgeTakenCount(&L);
    if (!isLeftAtEnd(*K) || isa<SCEVCouldNotCompute>(Turns) || !isBefore(Turns))
        return false;
    return findCounters() && findEnd() && findParts() && findGuard();
}

/* A value in front of both loops. */
Value *Interchange::expand(const SCEV *S)
{
    Instruction *Before = L.getLoopPreheader()->getTerminator();
    Value *V = Expand.expandCodeFor(S, S->getType(), Before->getIterator());
    return isa<Constant>(V) ? V : IRBuilder<>(Before).CreateFreeze(V);
}

/* Whether no counter of an item begins below that of an item before it, and none wraps around at the end: a turn begins while the first
   item's counter is below the bound, and the others' are less than `Items` above that. */
Value *Interchange::staysInOrder(IRBuilder<> &B, Value *Items)
{
    /* V + For does not wrap around */
    const auto HasRoom = [&](Value *V, bool IsSigned, Value *For) {
        const unsigned Bits = V->getType()->getIntegerBitWidth();
        const APInt Most = IsSigned ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits);
        Value *Last = B.CreateSub(ConstantInt::get(V->getType(), Most), B.CreateZExtOrTrunc(For, V->getType()));
        return B.CreateICmp(IsSigned ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE, V, Last);
    };
    Value *Good =
        B.CreateAnd(B.CreateICmpUGE(Items, B.getInt64(LeastItems)), B.CreateICmpULE(Items, B.getInt64(MostItems)));
    for (Counter &C : Counters)
        if (C.Start.Extended) {
            Good = B.CreateAnd(Good, HasRoom(C.First, *C.Start.Extended, Items));
            Type *T = C.Phi->getType();
            C.First = *C.Start.Extended ? B.CreateSExt(C.First, T) : B.CreateZExt(C.First, T);
        }
    Good = B.CreateAnd(Good, B.CreateICmpSGT(Ends->By, ConstantInt::get(Ends->By->getType(), 0)));
    Good = B.CreateAnd(Good, HasRoom(Ends->First, Signed, Items));
    Good = B.CreateAnd(Good, HasRoom(Bound, Signed, Ends->By));
    return B.CreateAnd(Good, HasRoom(Bound, Signed, Items));
}

/* Each item's place for what it carries gets what that begins with; returns where this begins, and goes on to `Exit`. */
BasicBlock *Interchange::makePlaces(Value *Items, BasicBlock *Exit)
{
    if (Sums.empty())
        return Exit;
    BasicBlock *Block = BasicBlock::Create(F.getContext(), "tw_places", &F, Exit);
    IRBuilder<> B(Block);
    PHINode *Item = B.CreatePHI(B.getInt64Ty(), 2, "tw_item");
    Item->addIncoming(B.getInt64(0), L.getLoopPreheader());
    for (Carried &Of : Sums) {
        Of.Places = new AllocaInst(ArrayType::get(Of.Phi->getType(), MostItems),
                                   F.getParent()->getDataLayout().getAllocaAddrSpace(), nullptr, Align(64),
                                   "tw_carried", F.getEntryBlock().begin());
        Of.Places->setMetadata(SharedNote, MDNode::get(F.getContext(), {}));
        B.CreateStore(Of.Begin, placeOf(B, Of, Item));
    }
    Value *Next = B.CreateAdd(Item, B.getInt64(1), "", true, true);
    Item->addIncoming(Next, Block);
    B.CreateCondBr(B.CreateICmpULT(Next, Items), Block, Exit);
    return Block;
}

/* In a copy of L the inner loop becomes one turn of it, if the item has that, and nothing follows. */
void Interchange::makeTurn(Copy &Made, ArrayRef<PHINode *> Firsts)
{
    const auto New = [&](Value *V) { return cast<Instruction>(Made.Map[V]); };
    const auto BlockOf = [&](BasicBlock *Block) { return cast<BasicBlock>(Made.Map[Block]); };
    const auto Replace = [](Instruction *Old, Value *By) {
        Old->replaceAllUsesWith(By);
        Old->eraseFromParent();
    };
    IRBuilder<> B(F.getContext());
    auto *Back = cast<BranchInst>(Made.Latch->getTerminator());
    BasicBlock *Done = BasicBlock::Create(F.getContext(), "tw_item_done", &F, Made.Latch);
    const CountersOf OfItems(L, SE, Expand);
    for (PHINode &Phi : L.getHeader()->phis()) { /* which the latch counts no more */
        B.SetInsertPoint(Made.Header, Made.Header->getFirstInsertionPt());
        Replace(New(&Phi), OfItems.moved(B, Phi, Phi.getIncomingValueForBlock(L.getLoopPreheader()), Made.Counter));
    }
    auto *Counted = cast<Instruction>(Made.Counter->getIncomingValueForBlock(Made.Latch));
    auto *IsLast = cast<Instruction>(Back->getCondition());
    Counted->moveBefore(*Done, Done->end());
    IsLast->moveBefore(*Done, Done->end());
    Back->clone()->insertInto(Done, Done->end());
    Made.Counter->replaceIncomingBlockWith(Made.Latch, Done);
    Back->eraseFromParent();
    new UnreachableInst(F.getContext(), Made.Latch);
    for (BasicBlock *Block : Front)
        for (BasicBlock *To : successors(Block))
            if (!Front.count(To) && To != K->getHeader())
                BlockOf(Block)->getTerminator()->replaceSuccessorWith(BlockOf(To), Done);
    const bool IsFirst =
        DT.dominates(BasicBlockEdge(Guard->getParent(), Guard->getSuccessor(0)), K->getLoopPreheader());
    cast<BranchInst>(New(Guard))->setCondition(ConstantInt::getBool(F.getContext(), IsFirst));

    BasicBlock *Before = BlockOf(K->getLoopPreheader()), *Latch = BlockOf(K->getLoopLatch()),
               *Body = BlockOf(K->getHeader());
    B.SetInsertPoint(Before->getTerminator());
    Value *Has = nullptr;
    for (auto [C, First] : zip(Counters, Firsts)) {
        Type *T = C.Phi->getType();
        Value *Apart = B.CreateMul(Made.Counter, B.getInt64(uint64_t(C.Start.Step)), "", true, true), *At;
        if (T->isPointerTy())
            At = B.CreatePtrAdd(First, Apart);
        else
            At =
                B.CreateAdd(First, B.CreateZExtOrTrunc(Apart, T), "tw_at", &C == Ends && !Signed, &C == Ends && Signed);
        if (&C == Ends)
            Has = isLess(B, At);
        Replace(New(C.Phi), At);
    }
    ReplaceInstWithInst(Before->getTerminator(), BranchInst::Create(Body, Done, Has));
    B.SetInsertPoint(Latch->getTerminator());
    for (const Carried &Of : Sums) {
        IRBuilder<> First(&*Body->getFirstInsertionPt());
        B.CreateStore(New(Of.Next), placeOf(B, Of, Made.Counter));
        Replace(New(Of.Phi), First.CreateLoad(Of.Phi->getType(), placeOf(First, Of, Made.Counter)));
    }
    ReplaceInstWithInst(Latch->getTerminator(), BranchInst::Create(Done));
}

/* In a copy of L the inner loop is done, and what an item carried is in its place. */
void Interchange::makeRest(Copy &Made)
{
    auto *Before = cast<BasicBlock>(Made.Map[K->getLoopPreheader()]),
         *Past = cast<BasicBlock>(Made.Map[K->getExitBlock()]), *Latch = cast<BasicBlock>(Made.Map[K->getLoopLatch()]);
    IRBuilder<> B(Before->getTerminator());
    for (const Carried &Of : Sums) {
        Value *Last = B.CreateLoad(Of.Phi->getType(), placeOf(B, Of, Made.Counter));
        for (Use &U : make_early_inc_range(Of.Next->uses()))
            if (auto *By = cast<Instruction>(U.getUser()); !K->contains(By))
                cast<Instruction>(Made.Map[By])->setOperand(U.getOperandNo(), Last);
    }
    Past->replacePhiUsesWith(Latch, Before);
    ReplaceInstWithInst(Before->getTerminator(), BranchInst::Create(Past));
    ReplaceInstWithInst(Latch->getTerminator(), new UnreachableInst(F.getContext()));
}

void Interchange::run()
{
    BasicBlock *Preheader = L.getLoopPreheader(), *Exit = L.getExitBlock();
    Value *Last = expand(Turns);
    Bound = expand(SE.getSCEV(Bound));
    for (Counter &C : Counters) {
        C.First = expand(C.Start.First);
        C.By = expand(C.Step);
    }
    IRBuilder<> B(Preheader->getTerminator());
    B.SetCurrentDebugLocation(L.getStartLoc());
    Value *Items = B.CreateAdd(B.CreateZExtOrTrunc(Last, B.getInt64Ty()), B.getInt64(1));
    Value *Good = staysInOrder(B, Items);

    BasicBlock *Entry = BasicBlock::Create(F.getContext(), "tw_turn", &F, Exit),
               *Behind = BasicBlock::Create(F.getContext(), "tw_turns", &F, Exit), *Rest = Exit;
    std::unique_ptr<Copy> RestOf, Turn = copyLoop(L, Preheader, "interchanged", B.getInt64(0), Items, Entry, Behind);
    if (HasRest) {
        Rest = BasicBlock::Create(F.getContext(), "tw_rest", &F, Exit);
        RestOf = copyLoop(L, Preheader, "rest", B.getInt64(0), Items, Rest, Exit);
        BranchInst::Create(RestOf->Header, Rest)->setDebugLoc(L.getStartLoc());
    }
    BasicBlock *Begin = makePlaces(Items, Entry);
    B.SetInsertPoint(Entry);
    SmallVector<PHINode *, 4> Firsts;
    for (Counter &C : Counters) {
        Firsts.push_back(B.CreatePHI(C.Phi->getType(), 2, "tw_first"));
        Firsts.back()->addIncoming(C.First, Begin == Entry ? Preheader : Begin);
    }
    B.CreateBr(Turn->Header);
    B.SetInsertPoint(Behind); /* on to the next turn, as long as the first item has one */
    Value *More = nullptr;
    for (auto [C, First] : zip(Counters, Firsts)) {
        Value *Next = C.Phi->getType()->isPointerTy() ? B.CreatePtrAdd(First, C.By) : B.CreateAdd(First, C.By);
        First->addIncoming(Next, Behind);
        if (&C == Ends)
            More = isLess(B, Next);
    }
    B.CreateCondBr(More, Entry, Rest);
    makeTurn(*Turn, Firsts);
    if (RestOf)
        makeRest(*RestOf);
    ReplaceInstWithInst(Preheader->getTerminator(), BranchInst::Create(Begin, L.getHeader(), Good));
    leaveAlone(L); /* it hardly ever runs */
    removeUnreachableBlocks(F);
}

} // namespace

bool interchangeStrides(Function &F, FunctionAnalysisManager &FAM)
{
    const auto Change = [&](Loop &L) {
        Interchange Made(F, L, FAM);
        if (!Made.isPossible())
            return false;
        Made.run();
        return true;
    };
    return changeLoops(F, FAM, "teamwork.interchanged", Change);
}

} // namespace tw_compiler
