/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops inside of work-items. A chunk of work-items can take each turn of such a loop together: they become lanes of vectors, though
 * the loop's length is not known and its sums keep their order.
 *
 *     for each chunk of 64 work-items
 *         for each lane       what comes before the loop
 *         for each turn
 *             for each lane   the body
 *         for each lane       what comes behind it
 *
 * The body of a work-item is cut into segments, at the begin and the end of each loop. What one segment computes and another one uses
 * is computed again if it follows from the index and the turns; else it is kept in an array with an element for each lane.
 * Work-items are independent between two barriers, so their order is free. Some may leave the loop earlier than others, or leave it out.
 * If what their condition compares grows from lane to lane, those that go on are the first lanes: they take the next turn together, as
 * a shorter chunk. Else the chunk counts who goes on; as soon as that is not all of it, those that do take the rest of their turns
 * alone. The loop stays as it is if it does anything else than compute, load and store, and if the lanes would not lie side by side in
 * memory.
 */
#include "lanes.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

bool isUniformLoop(ScalarEvolution &SE, Loop &Outer, Loop &K)
{
    if (!K.isLoopSimplifyForm() || K.getExitingBlock() != K.getLoopLatch() || !K.getExitBlock())
        return false;
    const SCEV *Turns = SE.getBackedgeTakenCount(&K);
    return !isa<SCEVCouldNotCompute>(Turns) && SE.isLoopInvariant(Turns, &Outer)
           && SE.getTypeSizeInBits(Turns->getType()) <= 64;
}

} // namespace

/* What only tells the optimizer something. */
bool isDropped(const Instruction &I)
{
    return isa<AssumeInst>(I) || isa<NoAliasScopeDeclInst>(I) || isa<DbgInfoIntrinsic>(I) || I.isLifetimeStartOrEnd();
}

/* ---- may it be changed? ------------------------------------------------------------------------------------------ */

/* Why an operation keeps work-items from being lanes; empty: it does not. */
static std::string obstacle(const Instruction &I)
{
    const auto *Call = dyn_cast<CallBase>(&I);
    if (isDropped(I) || isa<MemSetInst>(I))
        return "";
    if (isa<MemIntrinsic>(I))
        return "memory is copied as a whole in it";
    if (Call
        && (!isa<CallInst>(I) || Call->isConvergent() || !Call->doesNotAccessMemory() || Call->mayHaveSideEffects())) {
        const Function *Callee = Call->getCalledFunction();
        return Callee && !Callee->isIntrinsic()
                   ? "of the call of " + Callee->getName().str() + "(), which was not inlined"
                   : "of a call that may have side effects";
    }
    if (I.getType()->isVectorTy() || I.getType()->isAggregateType())
        return "it computes with vectors or structures";
    if (isa<AllocaInst>(I))
        return "of an array of varying length";
    const auto *Load = dyn_cast<LoadInst>(&I);
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (Load ? !Load->isSimple() : Store ? !Store->isSimple() : !Call && I.mayReadOrWriteMemory())
        return isOrdinaryAtomic(I) ? "" : "of an atomic or volatile access";
    if (I.getType()->isTokenTy() || I.isEHPad() || (I.isTerminator() && !isa<BranchInst>(I) && !isa<SwitchInst>(I)))
        return "of its control flow";
    return "";
}

bool Lanes::isSuitable()
{
    BasicBlock *Latch = L.getLoopLatch();
    Preheader = L.getLoopPreheader();
    if (L.isInnermost() || !L.isLoopSimplifyForm() || L.getExitingBlock() != Latch || !L.getExitBlock()
        || L.getExitBlock()->getSinglePredecessor() != Latch || !isa<BranchInst>(Latch->getTerminator()))
        return refuse("the work-items may leave the loop over them");
    if (Apart < LeastLanes)
        return refuse("a work-item has several turns, and it is not known that at least " + std::to_string(LeastLanes)
                      + " work-items share them out");
    Turns = SE.getBackedgeTakenCount(&L);
    if (isa<SCEVCouldNotCompute>(Turns) || SE.getTypeSizeInBits(Turns->getType()) > 64
        || !Expander(SE, DL, "tw").isSafeToExpandAt(Turns, Preheader->getTerminator()))
        return refuse("the number of work-items is not known in front of the loop over them");
    for (PHINode &Phi : L.getHeader()->phis()) {
        const auto *Rec = SE.isSCEVable(Phi.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
        if (Rec && Rec->getLoop() == &L && Rec->isAffine())
            continue;
        const std::optional<Reduction> Found = findReduction(Phi, L);
        if (!Found)
            return refuse("of a value that goes from one work-item to the next", &Phi);
        Reductions.push_back(*Found);
    }
    unsigned Instructions = 0;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (++Instructions > MostInLanes)
                return refuse("it is too long", &I);
            if (const std::string Reason = obstacle(I); !Reason.empty())
                return refuse(Reason, &I);
            for (const User *U : I.users())
                if (!L.contains(cast<Instruction>(U)) && !(isa<PHINode>(U) && U->use_empty()) && !reductionOf(&I))
                    return refuse("a value of the last work-item is used behind all of them", &I);
        }
    return findArrays();
}

/* Where a segment ends: in front of a loop, or where only some work-items go on to loops. */
struct Lanes::Stop {
    BasicBlock *At;
    SmallVector<Loop *, 2> Loops;
    BasicBlock *Inside = nullptr, *Past = nullptr,
               *Final = nullptr; /* of Some: first and last block, and where all go on */

    Stop(BasicBlock *At, Loop &K) : At(At), Loops{&K}
    {
    }
};

bool Lanes::addStop(Loop &Around, Loop &K, std::vector<Stop> &Stops, const BasicBlock *Final)
{
    Instruction *Where = &*K.getHeader()->getFirstNonPHIIt();
    if (!K.isLoopSimplifyForm() || K.getExitingBlock() != K.getLoopLatch() || !K.getExitBlock()
        || !isa<BranchInst>(K.getLoopLatch()->getTerminator()))
        return refuse("a loop in it is left at several places", Where);
    BasicBlock *Inside = K.getLoopPreheader();
    if (DT.dominates(Inside, Final)) {
        Stops.emplace_back(Inside, K);
        return true;
    }
    BasicBlock *At = Inside;
    do {
        Inside = At;
        At = DT.getNode(At)->getIDom()->getBlock();
    } while (!DT.dominates(At, Final));
    for (Stop &S : Stops)
        if (S.At == At && S.Inside == Inside) {
            S.Loops.push_back(&K);
            return true;
        }
    const auto *Branch = dyn_cast<BranchInst>(At->getTerminator());
    if (!Branch || LI.getLoopFor(At) != &Around || Inside->getSinglePredecessor() != At)
        return refuse("some work-items leave out a loop in it, by ways that are not simple", Where);
    Stop S(At, K);
    S.Inside = Inside;
    if (!findPast(Around, S))
        return refuse("some work-items leave out a loop in it, by ways that are not simple", Where);
    Stops.push_back(std::move(S));
    return true;
}

/* Finds the blocks of those who do not leave out a loop, which are all that lies between the branch and its other target. */
bool Lanes::findPast(Loop &Around, Stop &S)
{
    BasicBlock *Past = nullptr;
    for (BasicBlock *To : successors(S.At))
        Past = To == S.Inside ? Past : To;
    if (!Past || Past == Around.getHeader())
        return false;
    SmallVector<BasicBlock *, 2> Leaving;
    SmallPtrSet<BasicBlock *, 16> Seen{S.Inside, Past};
    SmallVector<BasicBlock *, 8> Blocks{S.Inside};
    for (size_t I = 0; I < Blocks.size(); ++I) {
        if (!L.contains(Blocks[I]) || !DT.dominates(S.Inside, Blocks[I]))
            return false;
        if (is_contained(successors(Blocks[I]), Past))
            Leaving.push_back(Blocks[I]);
        for (BasicBlock *To : successors(Blocks[I]))
            if (Seen.insert(To).second)
                Blocks.push_back(To);
    }
    for (BasicBlock *From : predecessors(Past))
        if (From != S.At && !is_contained(Leaving, From))
            return false;
    S.Past = Past;
    if (Leaving.size() == 1 && succ_size(Leaving[0]) == 1) {
        S.Final = Leaving[0];
    } else if (!Leaving.empty()) {
        S.Final = SplitBlockPredecessors(Past, Leaving, ".tw_last", &DT, &LI);
    }
    return S.Final && LI.getLoopFor(S.Final) == &Around;
}

bool Lanes::cutSegment(Loop &Around, std::vector<Piece> &Parts, BasicBlock *Entry, BasicBlock *End)
{
    Piece Segment;
    Segment.End = End;
    SmallVector<BasicBlock *, 8> Open{Entry};
    SmallPtrSet<BasicBlock *, 16> Seen{Entry};
    while (!Open.empty()) {
        BasicBlock *Block = Open.pop_back_val();
        if (LI.getLoopFor(Block) != &Around)
            return refuse("of its control flow");
        Segment.Blocks.push_back(Block);
        if (Block == End)
            continue;
        for (BasicBlock *To : successors(Block))
            if (Seen.insert(To).second) {
                if (To == Around.getHeader())
                    return refuse("of its control flow");
                Open.push_back(To);
            }
    }
    if (!Seen.count(End))
        return refuse("of its control flow");
    Parts.push_back(std::move(Segment));
    return true;
}

bool Lanes::cutLoop(Loop &K, Piece &P)
{
    P.Is = Piece::Turns;
    P.Inner = &K;
    if (!cut(K, SmallVector<Loop *, 4>(K.begin(), K.end()), P.Parts, K.getHeader(), K.getLoopLatch()))
        return false;
    if (isUniformLoop(SE, L, K)
        && Expander(SE, DL, "tw").isSafeToExpandAt(SE.getBackedgeTakenCount(&K), Preheader->getTerminator()))
        return true;
    const auto *Branch = cast<BranchInst>(K.getLoopLatch()->getTerminator());
    P.Parts.back().Condition = Branch->getCondition();
    P.Parts.back().Inverted = Branch->getSuccessor(0) != K.getHeader();
    return true;
}

/* Cuts what lies between two blocks of a loop at the loops in it. */
bool Lanes::cut(Loop &Around, ArrayRef<Loop *> Inner, std::vector<Piece> &Parts, BasicBlock *Entry, BasicBlock *Final)
{
    std::vector<Stop> Stops;
    for (Loop *K : Inner)
        if (!addStop(Around, *K, Stops, Final))
            return false;
    llvm::sort(Stops, [&](const Stop &A, const Stop &B) { return A.At != B.At && DT.dominates(A.At, B.At); });
    for (const Stop &S : Stops) {
        if (!DT.dominates(Entry, S.At) || !cutSegment(Around, Parts, Entry, S.At))
            return refuse("of its control flow");
        Piece P;
        if (S.Inside) {
            const auto *Branch = cast<BranchInst>(S.At->getTerminator());
            Parts.back().Condition = Branch->getCondition();
            Parts.back().Inverted = Branch->getSuccessor(0) != S.Inside;
            P.Is = Piece::Some;
            P.Past = Entry = S.Past;
            Joins.insert(Entry);
            if (!cut(Around, S.Loops, P.Parts, S.Inside, S.Final))
                return false;
            P.Blocks.push_back(S.Inside); /* only now: cutting may add some */
            for (size_t I = 0; I < P.Blocks.size(); ++I)
                for (BasicBlock *To : successors(P.Blocks[I]))
                    if (To != S.Past && !is_contained(P.Blocks, To))
                        P.Blocks.push_back(To);
        } else {
            if (!cutLoop(*S.Loops[0], P))
                return false;
            Entry = P.Inner->getExitBlock();
        }
        Parts.push_back(std::move(P));
    }
    return cutSegment(Around, Parts, Entry, Final);
}

bool Lanes::index(const std::vector<Piece> &Parts)
{
    for (const Piece &P : Parts)
        if (P.Is != Piece::Segment) {
            if (!index(P.Parts))
                return false;
        } else
            for (BasicBlock *Block : P.Blocks)
                if (!SegmentOf.insert({Block, &P}).second)
                    return refuse("of its control flow");
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Whether a value follows from the index and the turns of the loops around `At`, or from what there is before `For`. */
bool Lanes::canBuild(const SCEV *S, const BasicBlock *At, unsigned &Budget, const Instruction *For)
{
    if (Budget == 0)
        return false;
    --Budget;
    if (!isa<SCEVConstant>(S) && !isa<SCEVUnknown>(S) && SE.isLoopInvariant(S, &L)) { /* once, in front of all */
        if (!Writing && Expander(SE, DL, "tw").isSafeToExpandAt(S, Preheader->getTerminator()))
            Outside.insert({S, nullptr});
        return Outside.count(S) != 0;
    }
    switch (S->getSCEVType()) {
    case scConstant:
        return true;
    case scUnknown: {
        auto *I = dyn_cast<Instruction>(cast<SCEVUnknown>(S)->getValue());
        if (!I || !L.contains(I) || I == Number)
            return true;
        /* behind its loop, the array of what goes from turn to turn has the next value */
        const Loop *Of = LI.getLoopFor(I->getParent());
        const bool IsPast = isa<PHINode>(I) && Of->getHeader() == I->getParent() && !Of->contains(At);
        return (For && (SegmentOf[I->getParent()] == SegmentOf[At] || (Kept.count(I) && !IsPast))
                && DT.dominates(I, For))
               || canCompute(*I, At, Budget);
    }
    case scAddRecExpr: {
        const auto *Rec = cast<SCEVAddRecExpr>(S);
        if (!Rec->isAffine())
            return false;
        if (L.contains(Rec->getLoop()) && !Rec->getLoop()->contains(At))
            return false;
        break;
    }
    case scTruncate:
    case scZeroExtend:
    case scSignExtend:
    case scAddExpr:
    case scMulExpr:
    case scSMaxExpr:
    case scSMinExpr:
    case scUMaxExpr:
    case scUMinExpr:
        break;
    default:
        return false;
    }
    for (const SCEV *Operand : S->operands())
        if (!canBuild(Operand, At, Budget, For))
            return false;
    return true;
}

/* Whether an instruction can be repeated, with such values. */
bool Lanes::canCompute(Instruction &I, const BasicBlock *At, unsigned &Budget)
{
    if (isa<PHINode>(I) || I.mayReadOrWriteMemory() || I.isTerminator() || isa<CallBase>(I) || isa<FreezeInst>(I)
        || !isSafeToSpeculativelyExecute(&I) || SegmentOf[I.getParent()] == SegmentOf[At])
        return false;
    for (Value *Operand : I.operands()) {
        auto *By = dyn_cast<Instruction>(Operand);
        if (!By || !L.contains(By))
            continue;
        if (Budget == 0)
            return false;
        --Budget;
        if (SE.isSCEVable(By->getType()) ? !canBuild(SE.getSCEV(By), At, Budget) : !canCompute(*By, At, Budget))
            return false;
    }
    return true;
}

bool Lanes::isBuilt(Value *V, const BasicBlock *At)
{
    unsigned Budget = MostRebuilt;
    return SE.isSCEVable(V->getType()) && canBuild(SE.getSCEV(V), At, Budget);
}

/* Whether an address or an extended index is better computed from the index at once. */
bool Lanes::isRebuilt(Instruction &I)
{
    unsigned Budget = MostRebuilt;
    return SE.isSCEVable(I.getType()) && !isa<SCEVUnknown>(SE.getSCEV(&I))
           && canBuild(SE.getSCEV(&I), I.getParent(), Budget, &I);
}

/* Whether a step follows from the number of work-items alone, from which also the parts of a divided loop have their lengths: where one
   turn ends in memory, the next one begins. (A thread's share of a range comes from a division.) */
bool Lanes::isOfGroup(const SCEV *Step)
{
    SmallVector<const Value *, 16> Open;
    SmallPtrSet<const Value *, 16> Sizes;
    SCEVExprContains(Turns, [&](const SCEV *S) {
        if (const auto *Unknown = dyn_cast<SCEVUnknown>(S))
            Open.push_back(Unknown->getValue());
        return false;
    });
    while (!Open.empty()) {
        const auto *I = dyn_cast<Instruction>(Open.back());
        const bool IsNew = Sizes.insert(Open.pop_back_val()).second;
        if (I && IsNew && Sizes.size() < MostRebuilt && !isa<PHINode>(I) && !I->mayReadOrWriteMemory()
            && !I->isIntDivRem())
            append_range(Open, I->operand_values());
    }
    return !SCEVExprContains(Step, [&](const SCEV *S) {
        const auto *Unknown = dyn_cast<SCEVUnknown>(S);
        return Unknown && !Sizes.count(Unknown->getValue());
    });
}

/* Whether memory is read in rows, of which each turn has another one: then long pieces of them are faster. */
bool Lanes::strides()
{
    const auto IsFar = [&](const SCEV *S) {
        const auto *Rec = dyn_cast<SCEVAddRecExpr>(S);
        if (!Rec || Rec->getLoop() == &L || !L.contains(Rec->getLoop()))
            return false;
        const SCEV *By = Rec->getStepRecurrence(SE);
        const auto *Step = dyn_cast<SCEVConstant>(By);
        return Step ? Step->getAPInt().abs().uge(LeastStride) : !isOfGroup(By);
    };
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (Value *Address = getLoadStorePointerOperand(&I))
                if (const SCEV *S = SE.getSCEV(Address); At.growth(S) != 0 && SCEVExprContains(S, IsFar))
                    return true;
    return false;
}

/* Whether a condition holds up to some lane: what it compares grows from lane to lane, and the limit is the same for all. Then the first
   and the last lane tell whether all or none go on. */
void Lanes::findLimit(Piece &P)
{
    for (Piece &Part : P.Parts)
        findLimit(Part);
    const auto *Compare = P.Condition ? dyn_cast<ICmpInst>(P.Condition) : nullptr;
    if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy()
        || Compare->getOperand(0)->getType()->getIntegerBitWidth() > 64)
        return;
    CmpInst::Predicate Is = P.Inverted ? Compare->getInversePredicate() : Compare->getPredicate();
    const SCEV *Grows = SE.getSCEV(Compare->getOperand(0)), *Limit = SE.getSCEV(Compare->getOperand(1));
    if (SE.isLoopInvariant(Grows, &L)) {
        std::swap(Grows, Limit);
        Is = CmpInst::getSwappedPredicate(Is);
    }
    const std::optional<int64_t> By = At.growth(Grows);
    const auto Most = uint64_t(1) << (Compare->getOperand(0)->getType()->getIntegerBitWidth() - 1);
    unsigned Budget = MostRebuilt;
    if ((!ICmpInst::isLT(Is) && !ICmpInst::isLE(Is)) || !By || *By <= 0 || uint64_t(*By) >= Most / MostWideLanes
        || !SE.isLoopInvariant(Limit, &L) || !canBuild(Limit, P.End, Budget) || !canBuild(Grows, P.End, Budget))
        return;
    P.Grows = Grows;
    P.Limit = Limit;
    P.By = uint64_t(*By);
    P.How = Is;
}

/* Finds the values that need an array. False: one is of a type that has none. */
bool Lanes::collectKept()
{
    for (Piece &P : Body)
        findLimit(P);
    const auto Keep = [&](Instruction *I) { Kept.insert({I, nullptr}); };
    for (PHINode &Phi : L.getHeader()->phis())
        if (reductionOf(&Phi))
            Keep(&Phi);
        else if (!isBuilt(&Phi, L.getHeader())) /* which notes what must be there */
            return refuse("of a value that goes from one work-item to the next", &Phi);
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            auto *Phi = dyn_cast<PHINode>(&I);
            Loop *Of = LI.getLoopFor(Block);
            if (Phi && Joins.count(Block))
                Keep(Phi);
            else if (Phi && Block == Of->getHeader() && Of != &L) {
                if (!isBuilt(Phi, Block))
                    Keep(Phi);
                else
                    for (const User *U : Phi->users()) { /* behind its loop? */
                        const auto *By = cast<Instruction>(U);
                        if (SegmentOf[By->getParent()] != SegmentOf[Block] && !isBuilt(Phi, By->getParent()))
                            Keep(Phi);
                    }
            }
        }
    for (auto &Entry : Kept)
        if (auto *Phi = dyn_cast<PHINode>(Entry.first);
            Phi && !Joins.count(Phi->getParent()) && Phi->getParent() != L.getHeader()) {
            auto *Next =
                dyn_cast<Instruction>(Phi->getIncomingValueForBlock(LI.getLoopFor(Phi->getParent())->getLoopLatch()));
            if (Next)
                InPhi.insert({Next, Phi});
        }
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            for (Use &U : I.operands()) {
                auto *From = dyn_cast<Instruction>(U.get());
                if (!From || !L.contains(From))
                    continue;
                auto *Phi = dyn_cast<PHINode>(&I);
                const BasicBlock *At = Block;
                if (Phi) {
                    const BasicBlock *In = Phi->getIncomingBlock(U);
                    const Loop *Of = LI.getLoopFor(Block);
                    if (Block == Of->getHeader()) {
                        if (!Kept.count(Phi) && (Of == &L || isBuilt(Phi, Block)))
                            continue;
                        At = In; /* is stored at the end of that segment */
                    } else if (SegmentOf[In] == SegmentOf[Block] || Joins.count(Block))
                        At = In;
                }
                if (SegmentOf[At] == SegmentOf[From->getParent()] || isBuilt(From, At) || Kept.count(From))
                    continue;
                auto Last = InPhi.find(From); /* behind the loop, the array of the phi has it */
                if (Last != InPhi.end() && !LI.getLoopFor(Last->second->getParent())->contains(At))
                    continue;
                Keep(From);
            }
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (isa<GetElementPtrInst>(I) || isa<ZExtInst>(I) || isa<SExtInst>(I))
                (void)isRebuilt(I); /* notes what must be there */
    unsigned Bytes = 0;
    for (auto &Entry : Kept) {
        Type *T = Entry.first->getType();
        if (!T->isIntegerTy() && !T->isFloatingPointTy() && !T->isPointerTy())
            return refuse("of a value that cannot be kept", Entry.first);
        Bytes += DL.getTypeAllocSize(T);
    }
    if (Bytes > MostKeptBytes || ((isRowOfGroup(L) || rowsOf(SE, L)) && !SE.getSmallConstantTripCount(&L)))
        Width = LeastLanes; /* rows of a group with several dimensions are short, too */
    else if (Bytes == 0 || (Bytes <= MostWideBytes && strides()))
        Width = MostWideLanes;
    if (const uint64_t All = SE.getSmallConstantTripCount(&L); All && Bytes && All * Bytes <= Registers / 2)
        Width = unsigned(All); /* and sums stay in registers to the end of the kernel */
    Width = std::min(Width, MostWidth);
    return true;
}

/* Whether what was loaded in a work-item says where an access is. */
bool Lanes::isScattered(Instruction &I)
{
    return SCEVExprContains(SE.getSCEV(getLoadStorePointerOperand(&I)), [&](const SCEV *S) {
        const auto *Unknown = dyn_cast<SCEVUnknown>(S);
        const auto *Of = Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
        return Of && L.contains(Of);
    });
}

/* Whether neighbouring work-items touch neighbouring memory somewhere, and each of them another line of the cache in each turn. */
bool Lanes::sweeps()
{
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            const Value *Address = getLoadStorePointerOperand(&I);
            const auto *Rec = Address ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<Value *>(Address))) : nullptr;
            if (!Rec || Rec->getLoop() == &L || !L.contains(Rec->getLoop()) || At.isFar(I) || At.growth(Rec) == 0)
                continue;
            const auto *Step = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE));
            if (!Step || Step->getAPInt().abs().uge(LeastSweep))
                return true;
        }
    return false;
}

bool Lanes::pays()
{
    unsigned Far = 0, Operations = 0;
    Instruction *First = nullptr;
    bool Ordered = false; /* a loop that cannot be vectorized by itself */
    bool OnlyScattered = true;
    for (BasicBlock *Block : L.blocks()) {
        Loop *Of = LI.getLoopFor(Block);
        if (Of == &L)
            continue;
        for (Instruction &I : *Block) {
            if (getLoadStorePointerOperand(&I)) {
                if (!At.isFar(I))
                    continue;
                /* in one segment: what a work-item changes there is changed before the next one comes */
                OnlyScattered &= isScattered(I) && (!First || SegmentOf[First->getParent()] == SegmentOf[Block]);
                if (Far++ == 0)
                    First = &I;
            } else if (isa<PHINode>(I)) {
                const bool IsAnyOrder = any_of(Reductions, [&](const Reduction &R) { return R.Chain.count(&I) != 0; });
                Ordered |= I.getType()->isFloatingPointTy() && Block == Of->getHeader() && !IsAnyOrder;
            } else if (isa<CallBase>(I))
                Operations += 2;
            else if (I.getType()->isFloatingPointTy() || (I.getType()->isIntegerTy() && !isBuilt(&I, Block)))
                ++Operations;
        }
    }
    return Far == 0 || (Ordered && Operations >= 6 * Far) || (OnlyScattered && sweeps())
           || refuse("neighbouring work-items do not touch neighbouring memory in a loop in it", First);
}

/* Whether what a work-item does to arrays where all combine values is in one segment, of which one lane comes to the end before the next
   one begins. */
bool Lanes::combinesInOrder()
{
    for (const SmallVector<Instruction *, 4> &Array : At.combined())
        for (Instruction *I : Array)
            if (SegmentOf[I->getParent()] != SegmentOf[Array[0]->getParent()])
                return refuse("an array of a reduction is accessed both in a loop in it and outside of that", I);
    return true;
}

bool Lanes::analyse()
{
    if (!isSuitable() || !cut(L, SmallVector<Loop *, 4>(L.begin(), L.end()), Body, L.getHeader(), L.getLoopLatch())
        || !index(Body) || !collectKept() || !pays())
        return false;
    for (BasicBlock *Block : L.blocks())
        if (!SegmentOf.count(Block))
            return refuse("of its control flow");
    return combinesInOrder();
}

bool Lanes::run()
{
    if (!analyse())
        return false;
    if (Arrays.empty()) {
        emitAll();
        return true;
    }
    /* with an array for each lane, as if they were of the group */
    Lanes Expanded(F, L, SE, DT, LI, AA, Registers);
    Expanded.MostWidth = MostWidth;
    Expanded.At.Lane = Expanded.Number =
        new FreezeInst(PoisonValue::get(Size), "tw_lane", L.getHeader()->getFirstInsertionPt());
    Expanded.OfLanes = expandArrays(*Expanded.Number);
    if (Expanded.analyse()) {
        Expanded.emitAll();
        return true;
    }
    Expanded.Number->replaceAllUsesWith(ConstantInt::get(Size, 0)); /* all of them use the first one */
    Expanded.Number->eraseFromParent();
    for (AllocaInst *All : Expanded.OfLanes)
        All->setMetadata(SharedNote, nullptr);
    return refuse(Expanded.Why, Expanded.Where);
}

namespace
{

/* -Rpass=teamwork-lanes and -Rpass-missed=teamwork-lanes, of the loop that begins at `Of`. */
void report(Function &F, Loop &L, const DebugLoc &Of, bool Done, const std::string &Why, const Instruction *Where)
{
    const DebugLoc At = Where && Where->getDebugLoc() ? Where->getDebugLoc() : Of;
    if (Done)
        return tellRemark(F, {"teamwork-lanes", "Lanes", false, Of, Of},
                          "work-items of kernel " + kernelOf(F)
                              + " take the turns of a loop together, as lanes of vectors");
    noteRefusal(L, Why, Where);
    tellRemark(F, {"teamwork-lanes", "NoLanes", true, Of, At},
               "work-items of kernel " + kernelOf(F) + " do not take the turns of a loop together: " + Why
                   + adviceOn(Why));
}

/* The array of what a loop carries from turn to turn has, behind the loop, what the next turn would have begun with. What the last turn
   began with becomes a value of its own. */
void separateLast(Loop &L, ScalarEvolution &SE)
{
    for (Loop *K : L.getLoopsInPreorder()) {
        if (K == &L || !K->getLoopLatch() || K->getExitingBlock() != K->getLoopLatch())
            continue;
        for (PHINode &Phi : K->getHeader()->phis()) {
            const auto IsBehind = [&](Use &U) { return !K->contains(cast<Instruction>(U.getUser())); };
            if (none_of(Phi.uses(), IsBehind))
                continue;
            auto *Last = new FreezeInst(&Phi, "tw_last", K->getLoopLatch()->getTerminator()->getIterator());
            Phi.replaceUsesWithIf(Last, IsBehind);
            SE.forgetTopmostLoop(&L);
        }
    }
}

/* What LLVM does afterwards takes time by the square of a function's size. A kernel with many loops in loops, and a copy of each for
   several sizes of groups, had 74 thousand instructions, and was not compiled in minutes. */
constexpr unsigned MostInstructions = 25000;

} // namespace

/* Makes lanes of the work-items of a function's loops. */
bool makeLanes(Function &F, FunctionAnalysisManager &FAM)
{
    const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
    const uint64_t Registers = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8
                               * TTI.getNumberOfRegisters(TTI.getRegisterClassForType(true));
    const auto Change = [&](Loop &L) {
        const DebugLoc Of = (*L.begin())->getStartLoc() ? (*L.begin())->getStartLoc() : L.getStartLoc();
        if (F.getInstructionCount() > MostInstructions) {
            report(F, L, Of, false, "the kernel has grown too large", nullptr);
            return false;
        }
        auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
        separateLast(L, SE);
        Lanes Made(F, L, SE, FAM.getResult<DominatorTreeAnalysis>(F), FAM.getResult<LoopAnalysis>(F),
                   FAM.getResult<AAManager>(F), Registers);
        const bool Done = Made.run();
        report(F, L, Of, Done, Made.Why, Made.Where);
        if (Done)
            EliminateUnreachableBlocks(F);
        return Done;
    };
    return changeLoops(F, FAM, "teamwork.lanes", Change,
                       [](Loop &Items) { return Items.isInnermost() ? nullptr : &Items; });
}

} // namespace tw_compiler
