/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops inside of work-items. All work-items take the same number of turns of such a loop, so a chunk of them can take each turn
 * together: they become lanes of vectors, though the loop's length is not known and its sums keep their order.
 *
 *     for each chunk of 64 work-items
 *         for each lane       what comes before the loop
 *         for each turn
 *             for each lane   the body
 *         for each lane       what comes behind it
 *
 * The body of a work-item is cut into segments, at the begin and the end of each loop. What one segment computes and another one uses
 * is computed again if it follows from the index and the turns; else it is kept in an array with an element for each lane.
 * Work-items are independent between two barriers, so their order is free. The loop stays as it is if it does anything else than
 * compute, load and store; if work-items take different numbers of turns; and if the lanes would not lie side by side in memory.
 */
#include "split.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_split
{
namespace
{

constexpr unsigned MostInLanes = 1500;
constexpr unsigned MostLanes = 64, LeastLanes = 16;
constexpr unsigned MostKeptBytes = 128; /* of a work-item; above, the chunks are of LeastLanes */
constexpr unsigned MostRebuilt = 40;    /* operations of a value that is computed again */

/* A piece of a work-item's body: blocks with one entry and one end, or a loop with pieces. */
struct Piece {
    Loop *Inner = nullptr;
    std::vector<Piece> Parts;        /* of a loop */
    SmallVector<BasicBlock *, 8> Blocks; /* of a segment; the first is its entry */
    BasicBlock *End = nullptr;
    Value *Turns = nullptr;          /* of a loop, but one */
};

class Lanes
{
  public:
    Lanes(Function &F, Loop &L, ScalarEvolution &SE, DominatorTree &DT, LoopInfo &LI, AAResults &AA)
        : F(F), L(L), SE(SE), DT(DT), LI(LI), AA(AA), DL(F.getParent()->getDataLayout()), Context(F.getContext()),
          Size(Type::getInt64Ty(Context)), At(L, SE)
    {
    }
    bool run();
    const char *Why = "";           /* it was not done */
    Instruction *Where = nullptr;   /* because of this */

  private:
    Function &F;
    Loop &L;
    ScalarEvolution &SE;
    DominatorTree &DT;
    LoopInfo &LI;
    AAResults &AA;
    const DataLayout &DL;
    LLVMContext &Context;
    IntegerType *Size;
    std::vector<Piece> Body;
    Accesses At;
    DenseMap<const BasicBlock *, const Piece *> SegmentOf;
    MapVector<Instruction *, AllocaInst *> Kept; /* values with an array */
    DenseMap<Instruction *, PHINode *> InPhi;    /* what a kept phi of a loop has after its last turn */
    unsigned Width = MostLanes;
    BasicBlock *Preheader = nullptr;
    const SCEV *Turns = nullptr;

    /* while a chunk is written */
    Value *Base = nullptr, *Length = nullptr;
    DenseMap<const Loop *, Value *> Counter;
    MDNode *Group = nullptr;
    MapVector<const SCEV *, Value *> Outside; /* values that no work-item changes */
    bool Writing = false;
    struct Lane {
        const Piece *Segment;
        Value *Index;       /* in the chunk */
        Value *Turn;        /* of the loop over work-items */
        BasicBlock *Head;
        ValueToValueMapTy Map;
        DenseMap<Value *, Value *> Foreign;
    };

    bool refuse(const char *Reason, Instruction *I = nullptr)
    {
        Why = Reason;
        Where = I;
        return false;
    }
    bool isSuitable();
    bool isSuitable(Instruction &I);
    bool cut(Loop &Around, std::vector<Piece> &Parts, BasicBlock *Entry);
    bool index(const std::vector<Piece> &Parts);
    bool canBuild(const SCEV *S, const BasicBlock *At, unsigned &Budget, const Instruction *For = nullptr);
    bool canCompute(Instruction &I, const BasicBlock *At, unsigned &Budget);
    bool isBuilt(Value *V, const BasicBlock *At);
    bool isRebuilt(Instruction &I);
    bool collectKept();
    bool pays();
    Value *build(IRBuilder<> &B, const SCEV *S, Lane &At);
    Value *foreign(Lane &At, Value *V);
    Value *again(Lane &At, Value *V);
    Value *resolve(Lane &At, Value *V);
    Value *element(IRBuilder<> &B, Lane &At, Instruction *V);
    void annotate(Instruction &I);
    BasicBlock *emit(const std::vector<Piece> &Parts, BasicBlock *From);
    BasicBlock *emitSegment(const Piece &P, BasicBlock *From);
    BasicBlock *emitLoop(const Piece &P, BasicBlock *From);
    void storePhis(Lane &At, IRBuilder<> &B, BasicBlock *End);
    BasicBlock *emitChunk(BasicBlock *From, Value *First, Value *Count);
    void emitAll();
};

bool isUniformLoop(ScalarEvolution &SE, Loop &Outer, Loop &K)
{
    if (!K.isLoopSimplifyForm() || K.getExitingBlock() != K.getLoopLatch() || !K.getExitBlock())
        return false;
    const SCEV *Turns = SE.getBackedgeTakenCount(&K);
    return !isa<SCEVCouldNotCompute>(Turns) && SE.isLoopInvariant(Turns, &Outer)
           && SE.getTypeSizeInBits(Turns->getType()) <= 64;
}

/* What only tells the optimizer something. */
bool isDropped(const Instruction &I)
{
    return isa<AssumeInst>(I) || isa<NoAliasScopeDeclInst>(I) || isa<DbgInfoIntrinsic>(I);
}

/* ---- may it be changed? ------------------------------------------------------------------------------------------ */

bool Lanes::isSuitable(Instruction &I)
{
    if (I.getType()->isTokenTy() || I.getType()->isVectorTy() || I.getType()->isAggregateType() || I.isEHPad()
        || isa<AllocaInst>(I))
        return false;
    if (auto *Load = dyn_cast<LoadInst>(&I))
        return Load->isSimple();
    if (auto *Store = dyn_cast<StoreInst>(&I))
        return Store->isSimple();
    if (auto *Call = dyn_cast<CallBase>(&I))
        return isDropped(I)
               || (isa<CallInst>(I) && !Call->isConvergent() && Call->doesNotAccessMemory() && !Call->mayHaveSideEffects());
    return I.isTerminator() ? isa<BranchInst>(I) || isa<SwitchInst>(I) : !I.mayReadOrWriteMemory();
}

bool Lanes::isSuitable()
{
    BasicBlock *Latch = L.getLoopLatch();
    Preheader = L.getLoopPreheader();
    if (L.isInnermost() || !L.isLoopSimplifyForm() || L.getExitingBlock() != Latch || !L.getExitBlock()
        || L.getExitBlock()->getSinglePredecessor() != Latch || !isa<BranchInst>(Latch->getTerminator()))
        return refuse("the work-items may leave the loop over them");
    Turns = SE.getBackedgeTakenCount(&L);
    if (isa<SCEVCouldNotCompute>(Turns) || SE.getTypeSizeInBits(Turns->getType()) > 64
        || !Expander(SE, DL, "tw").isSafeToExpandAt(Turns, Preheader->getTerminator()))
        return refuse("the number of work-items is not known in front of the loop over them");
    unsigned Instructions = 0;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (++Instructions > MostInLanes)
                return refuse("it is too long", &I);
            if (!isSuitable(I))
                return refuse("of an operation with side effects, such as a call that was not inlined", &I);
            for (const User *U : I.users())
                if (!L.contains(cast<Instruction>(U)) && !(isa<PHINode>(U) && U->use_empty()))
                    return refuse("of a value of the last work-item", &I);
        }
    for (PHINode &Phi : L.getHeader()->phis()) {
        const auto *Rec = SE.isSCEVable(Phi.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
        if (!Rec || Rec->getLoop() != &L || !Rec->isAffine())
            return refuse("of a value that goes from one work-item to the next", &Phi);
    }
    if (Instruction *Variable = At.sharedVariable())
        return refuse("of a variable of a work-item that is in memory, such as an array with a varying index", Variable);
    return true;
}

/* Cuts the body of a loop, from `Entry` on, at the loops in it: all must be on every way through it. */
bool Lanes::cut(Loop &Around, std::vector<Piece> &Parts, BasicBlock *Entry)
{
    SmallVector<Loop *, 4> Inner(Around.begin(), Around.end());
    for (Loop *K : Inner) {
        Instruction *At = &*K->getHeader()->getFirstNonPHIIt();
        if (!isUniformLoop(SE, L, *K)
            || !Expander(SE, DL, "tw").isSafeToExpandAt(SE.getBackedgeTakenCount(K), Preheader->getTerminator()))
            return refuse("work-items take different numbers of turns of a loop in it, as far as is known", At);
        if (!DT.dominates(K->getLoopPreheader(), Around.getLoopLatch()))
            return refuse("some work-items leave out a loop in it, as far as is known", At);
    }
    llvm::sort(Inner, [&](Loop *A, Loop *B) { return A != B && DT.dominates(A->getHeader(), B->getHeader()); });
    for (unsigned Next = 0; Next <= Inner.size(); ++Next) {
        Piece Segment;
        Segment.End = Next < Inner.size() ? Inner[Next]->getLoopPreheader() : Around.getLoopLatch();
        SmallVector<BasicBlock *, 8> Open{Entry};
        SmallPtrSet<BasicBlock *, 16> Seen{Entry};
        while (!Open.empty()) {
            BasicBlock *Block = Open.pop_back_val();
            if (LI.getLoopFor(Block) != &Around)
                return refuse("of its control flow");
            Segment.Blocks.push_back(Block);
            if (Block == Segment.End)
                continue;
            for (BasicBlock *To : successors(Block))
                if (Seen.insert(To).second) {
                    if (To == Around.getHeader())
                        return refuse("of its control flow");
                    Open.push_back(To);
                }
        }
        if (!Seen.count(Segment.End))
            return refuse("of its control flow");
        Parts.push_back(std::move(Segment));
        if (Next == Inner.size())
            break;
        Piece In;
        In.Inner = Inner[Next];
        if (!cut(*In.Inner, In.Parts, In.Inner->getHeader()))
            return false;
        Parts.push_back(std::move(In));
        Entry = Inner[Next]->getExitBlock();
    }
    return true;
}

bool Lanes::index(const std::vector<Piece> &Parts)
{
    for (const Piece &P : Parts)
        if (P.Inner) {
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
        return !I || !L.contains(I)
               || (For && (SegmentOf[I->getParent()] == SegmentOf[At] || Kept.count(I)) && DT.dominates(I, For))
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

/* Finds the values that need an array. False: one is of a type that has none. */
bool Lanes::collectKept()
{
    const auto Keep = [&](Instruction *I) { Kept.insert({I, nullptr}); };
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            auto *Phi = dyn_cast<PHINode>(&I);
            Loop *Of = LI.getLoopFor(Block);
            if (Phi && Block == Of->getHeader() && Of != &L) {
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
        if (auto *Phi = dyn_cast<PHINode>(Entry.first)) {
            auto *Next = dyn_cast<Instruction>(Phi->getIncomingValueForBlock(LI.getLoopFor(Phi->getParent())->getLoopLatch()));
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
                    if (Block == L.getHeader())
                        continue;
                    if (Block == Of->getHeader()) {
                        if (isBuilt(Phi, Block) && !Kept.count(Phi))
                            continue;
                        At = In; /* is stored at the end of that segment */
                    } else if (SegmentOf[In] == SegmentOf[Block])
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
    if (Bytes > MostKeptBytes || (rowsOf(SE, L) && !SE.getSmallConstantTripCount(&L)))
        Width = LeastLanes; /* rows of a group with several dimensions are short, too */
    return true;
}

bool Lanes::pays()
{
    unsigned Far = 0, Operations = 0;
    bool Ordered = false; /* a loop that cannot be vectorized by itself */
    for (BasicBlock *Block : L.blocks()) {
        Loop *Of = LI.getLoopFor(Block);
        if (Of == &L)
            continue;
        for (Instruction &I : *Block) {
            if (getLoadStorePointerOperand(&I))
                Far += At.isFar(I);
            else if (isa<PHINode>(I)) {
                Ordered |= I.getType()->isFloatingPointTy() && Block == Of->getHeader();
            } else if (isa<CallBase>(I))
                Operations += 2;
            else if (I.getType()->isFloatingPointTy() || (I.getType()->isIntegerTy() && !isBuilt(&I, Block)))
                ++Operations;
        }
    }
    return Far == 0 || (Ordered && Operations >= 6 * Far)
           || refuse("neighbouring work-items do not touch neighbouring memory in a loop in it");
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

Value *Lanes::build(IRBuilder<> &B, const SCEV *S, Lane &At)
{
    const auto All = [&](auto Combine) {
        Value *Result = nullptr, *Pointer = nullptr;
        for (const SCEV *Operand : S->operands()) {
            Value *V = build(B, Operand, At);
            if (V->getType()->isPointerTy())
                Pointer = V;
            else
                Result = Result ? Combine(Result, V) : V;
        }
        return Pointer ? Result ? B.CreatePtrAdd(Pointer, Result) : Pointer : Result;
    };
    if (Value *Known = Outside.lookup(S))
        return Known;
    switch (S->getSCEVType()) {
    case scConstant:
        return cast<SCEVConstant>(S)->getValue();
    case scUnknown:
        return again(At, cast<SCEVUnknown>(S)->getValue());
    case scTruncate:
        return B.CreateTrunc(build(B, S->operands()[0], At), S->getType());
    case scZeroExtend:
        return B.CreateZExt(build(B, S->operands()[0], At), S->getType());
    case scSignExtend:
        return B.CreateSExt(build(B, S->operands()[0], At), S->getType());
    case scAddExpr:
        return All([&](Value *X, Value *Y) { return B.CreateAdd(X, Y); });
    case scMulExpr:
        return All([&](Value *X, Value *Y) { return B.CreateMul(X, Y); });
    case scSMaxExpr:
        return All([&](Value *X, Value *Y) { return B.CreateBinaryIntrinsic(Intrinsic::smax, X, Y); });
    case scSMinExpr:
        return All([&](Value *X, Value *Y) { return B.CreateBinaryIntrinsic(Intrinsic::smin, X, Y); });
    case scUMaxExpr:
        return All([&](Value *X, Value *Y) { return B.CreateBinaryIntrinsic(Intrinsic::umax, X, Y); });
    case scUMinExpr:
        return All([&](Value *X, Value *Y) { return B.CreateBinaryIntrinsic(Intrinsic::umin, X, Y); });
    default: {
        const auto *Rec = cast<SCEVAddRecExpr>(S);
        Value *Start = build(B, Rec->getStart(), At), *Step = build(B, Rec->getStepRecurrence(SE), At);
        Value *Count = Rec->getLoop() == &L ? At.Turn : Counter[Rec->getLoop()];
        Value *Moved = B.CreateMul(B.CreateZExtOrTrunc(Count, Step->getType()), Step);
        return Start->getType()->isPointerTy() ? B.CreatePtrAdd(Start, Moved) : B.CreateAdd(Start, Moved);
    }
    }
}

/* A value that is there, or computed once more at the head of the lane. */
Value *Lanes::again(Lane &At, Value *V)
{
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I) || At.Map.count(I) || At.Foreign.count(I) || Kept.count(I) || InPhi.count(I))
        return resolve(At, V);
    IRBuilder<> B(At.Head->getTerminator());
    Instruction *Copy = I->clone();
    Copy->dropPoisonGeneratingFlags();
    for (Use &Operand : Copy->operands())
        if (auto *By = dyn_cast<Instruction>(Operand.get()); By && L.contains(By))
            Operand.set(SE.isSCEVable(By->getType()) ? build(B, SE.getSCEV(By), At) : again(At, By));
    B.Insert(Copy);
    return At.Foreign[V] = Copy;
}

Value *Lanes::element(IRBuilder<> &B, Lane &At, Instruction *V)
{
    return B.CreateInBoundsGEP(Kept[V]->getAllocatedType()->getArrayElementType(), Kept[V], At.Index);
}

void Lanes::annotate(Instruction &I)
{
    if (Group)
        I.setMetadata(LLVMContext::MD_access_group, Group);
}

Value *Lanes::foreign(Lane &At, Value *V)
{
    if (Value *Known = At.Foreign.lookup(V))
        return Known;
    IRBuilder<> B(At.Head->getTerminator());
    auto *I = cast<Instruction>(V);
    const bool IsStored = Kept.count(I) || InPhi.count(I);
    if (isBuilt(I, At.Segment->Blocks[0]) && !(IsStored && isa<SCEVUnknown>(SE.getSCEV(I)))) {
        Value *Built = build(B, SE.getSCEV(I), At); /* may add other values to the map */
        return At.Foreign[V] = Built;
    }
    if (!Kept.count(I))
        I = InPhi.lookup(I);
    Type *T = Kept[I]->getAllocatedType()->getArrayElementType();
    LoadInst *Load = B.CreateLoad(T, element(B, At, I));
    annotate(*Load);
    return At.Foreign[V] = B.CreateTruncOrBitCast(Load, V->getType());
}

/* What stands for a value in a lane. */
Value *Lanes::resolve(Lane &At, Value *V)
{
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I))
        return V;
    auto Found = At.Map.find(I);
    return Found != At.Map.end() ? static_cast<Value *>(Found->second) : foreign(At, I);
}

/* The phis of loops that begin or go on behind `End` get their next values. */
void Lanes::storePhis(Lane &At, IRBuilder<> &B, BasicBlock *End)
{
    for (auto &Entry : Kept) {
        auto *Phi = dyn_cast<PHINode>(Entry.first);
        if (!Phi || LI.getLoopFor(Phi->getParent())->getHeader() != Phi->getParent() || Phi->getParent() == L.getHeader())
            continue;
        const int In = Phi->getBasicBlockIndex(End);
        if (In < 0)
            continue;
        Value *V = resolve(At, Phi->getIncomingValue(unsigned(In)));
        Type *T = Entry.second->getAllocatedType()->getArrayElementType();
        annotate(*B.CreateStore(B.CreateZExtOrBitCast(V, T), element(B, At, Phi)));
    }
}

BasicBlock *Lanes::emitSegment(const Piece &P, BasicBlock *From)
{
    Lane At;
    At.Segment = &P;
    At.Head = BasicBlock::Create(Context, "tw_lane", &F);
    auto *Latch = BasicBlock::Create(Context, "tw_lane_latch", &F), *After = BasicBlock::Create(Context, "tw_lanes_end", &F);
    IRBuilder<> B(From);
    B.CreateBr(At.Head);
    B.SetInsertPoint(At.Head);
    PHINode *Index = B.CreatePHI(Size, 2, "tw_lane");
    At.Index = Index;
    At.Turn = B.CreateAdd(Base, Index, "", true, true);
    B.CreateBr(Latch); /* for the builders, until the end */

    /* phis at the entry whose origins are in other segments have become values of the lane */
    for (BasicBlock *Block : P.Blocks) {
        BasicBlock *New = BasicBlock::Create(Context, Block->getName() + ".lane", &F, Latch);
        At.Map[Block] = New;
    }
    const auto IsBoundary = [&](PHINode &Phi) {
        return Phi.getParent() == P.Blocks[0]
               && none_of(Phi.blocks(), [&](BasicBlock *In) { return SegmentOf[In] == &P && In != P.End; });
    };
    SmallVector<Instruction *, 64> Copies;
    for (PHINode &Phi : P.Blocks[0]->phis()) {
        if (!IsBoundary(Phi))
            continue;
        const Loop *Of = LI.getLoopFor(Phi.getParent());
        if (Phi.getParent() == Of->getHeader())
            At.Map[&Phi] = foreign(At, &Phi);
        else /* behind a loop: one origin */
            At.Map[&Phi] = resolve(At, Phi.getIncomingValue(0));
    }
    for (BasicBlock *Block : P.Blocks) {
        auto *To = cast<BasicBlock>(At.Map[Block]);
        for (Instruction &I : *Block) {
            if (At.Map.count(&I) || isDropped(I) || (I.isTerminator() && Block == P.End))
                continue;
            Instruction *Copy = I.clone();
            Copy->insertInto(To, To->end());
            Copy->setMetadata(LLVMContext::MD_noalias, nullptr);
            Copy->setMetadata(LLVMContext::MD_alias_scope, nullptr);
            At.Map[&I] = Copy;
            Copies.push_back(Copy);
        }
    }
    auto *End = cast<BasicBlock>(At.Map[P.End]);
    IRBuilder<>(End).CreateBr(Latch);
    for (Instruction *Copy : Copies) {
        for (Use &U : Copy->operands())
            if (auto *Target = dyn_cast<BasicBlock>(U.get()))
                U.set(At.Map[Target]);
            else if (isa<Instruction>(U.get()))
                U.set(resolve(At, U.get()));
        if (auto *Phi = dyn_cast<PHINode>(Copy))
            for (unsigned In = 0; In < Phi->getNumIncomingValues(); ++In)
                Phi->setIncomingBlock(In, cast<BasicBlock>(At.Map[Phi->getIncomingBlock(In)]));
        if (getLoadStorePointerOperand(Copy))
            annotate(*Copy);
    }
    /* what the index determines is seen best if it is computed from the index at once */
    for (BasicBlock *Block : P.Blocks)
        for (Instruction &I : *Block)
            if (isa<GetElementPtrInst>(I) || isa<ZExtInst>(I) || isa<SExtInst>(I)) {
                auto *Copy = dyn_cast<Instruction>(static_cast<Value *>(At.Map[&I]));
                if (!Copy || Copy->getParent() == At.Head || !isRebuilt(I))
                    continue;
                IRBuilder<> Now(Copy);
                Value *Built = build(Now, SE.getSCEV(&I), At);
                Copy->replaceAllUsesWith(Built);
                At.Map[&I] = Built;
                Copy->eraseFromParent();
            }
    for (auto &Entry : Kept) {
        Instruction *V = Entry.first;
        auto *Phi = dyn_cast<PHINode>(V);
        if (SegmentOf[V->getParent()] != &P
            || (Phi && Phi->getParent() == LI.getLoopFor(Phi->getParent())->getHeader()))
            continue;
        Value *Made = At.Map[V];
        auto *Copy = dyn_cast<Instruction>(Made);
        auto *Home = cast<BasicBlock>(At.Map[V->getParent()]);
        const bool Here = Copy && Copy->getParent() == Home && !isa<PHINode>(Copy);
        IRBuilder<> Store(Here ? Copy->getNextNode() : &*Home->getFirstInsertionPt());
        Type *T = Entry.second->getAllocatedType()->getArrayElementType();
        annotate(*Store.CreateStore(Store.CreateZExtOrBitCast(Made, T), element(Store, At, V)));
    }
    IRBuilder<> E(End->getTerminator());
    storePhis(At, E, P.End);
    At.Head->getTerminator()->eraseFromParent();
    IRBuilder<> H(At.Head);
    H.CreateBr(cast<BasicBlock>(At.Map[P.Blocks[0]]));
    IRBuilder<> B2(Latch);
    Value *Next = B2.CreateAdd(Index, ConstantInt::get(Size, 1), "", true, true);
    Instruction *Back = B2.CreateCondBr(B2.CreateICmpULT(Next, Length), At.Head, After);
    Index->addIncoming(ConstantInt::get(Size, 0), From);
    Index->addIncoming(Next, Latch);
    SmallVector<Metadata *, 4> Properties{nullptr, MDNode::get(Context, MDString::get(Context, ItemsMark)),
                                          MDNode::get(Context, MDString::get(Context, "teamwork.lanes"))};
    if (Group)
        Properties.push_back(MDNode::get(Context, {MDString::get(Context, ParallelMark), Group}));
    MDNode *Id = MDNode::getDistinct(Context, Properties);
    Id->replaceOperandWith(0, Id);
    Back->setMetadata(LLVMContext::MD_loop, Id);
    return After;
}

BasicBlock *Lanes::emitLoop(const Piece &P, BasicBlock *From)
{
    auto *Head = BasicBlock::Create(Context, "tw_turn", &F), *After = BasicBlock::Create(Context, "tw_turns_end", &F);
    IRBuilder<> B(From);
    B.CreateBr(Head);
    B.SetInsertPoint(Head);
    PHINode *Turn = B.CreatePHI(Size, 2, "tw_turn");
    Counter[P.Inner] = Turn;
    BasicBlock *End = emit(P.Parts, Head);
    B.SetInsertPoint(End);
    Value *Next = B.CreateAdd(Turn, ConstantInt::get(Size, 1), "", true, true);
    B.CreateCondBr(B.CreateICmpEQ(Turn, P.Turns), After, Head);
    Turn->addIncoming(ConstantInt::get(Size, 0), From);
    Turn->addIncoming(Next, End);
    return After;
}

BasicBlock *Lanes::emit(const std::vector<Piece> &Parts, BasicBlock *From)
{
    for (const Piece &P : Parts)
        From = P.Inner ? emitLoop(P, From) : emitSegment(P, From);
    return From;
}

void expandTurns(std::vector<Piece> &Parts, ScalarEvolution &SE, Expander &Expand, Instruction *At, Type *Size)
{
    for (Piece &P : Parts)
        if (P.Inner) {
            const SCEV *Turns = SE.getBackedgeTakenCount(P.Inner);
            Value *V = Expand.expandCodeFor(Turns, Turns->getType(), At->getIterator());
            P.Turns = IRBuilder<>(At).CreateZExt(V, Size);
            expandTurns(P.Parts, SE, Expand, At, Size);
        }
}

void Lanes::emitAll()
{
    Instruction *At = Preheader->getTerminator();
    BasicBlock *Exit = L.getExitBlock();
    Expander Expand(SE, DL, "tw_lanes");
    Value *Last = Expand.expandCodeFor(Turns, Turns->getType(), At->getIterator());
    expandTurns(Body, SE, Expand, At, Size);
    for (auto &Fixed : Outside)
        Fixed.second = Expand.expandCodeFor(Fixed.first, Fixed.first->getType(), At->getIterator());
    Writing = true;
    IRBuilder<> B(At);
    Last = B.CreateZExt(Last, Size);
    IRBuilder<> Entry(&*F.getEntryBlock().getFirstInsertionPt());
    for (auto &Kept_ : Kept) {
        Type *T = Kept_.first->getType()->isIntegerTy(1) ? Type::getInt8Ty(Context) : Kept_.first->getType();
        Kept_.second = Entry.CreateAlloca(ArrayType::get(T, Width), nullptr, "tw_lanes");
        Kept_.second->setAlignment(Align(64));
    }
    if (const auto *Known = dyn_cast<SCEVConstant>(Turns); Known && Known->getAPInt().ult(Width - 1))
        Width = unsigned(Known->getAPInt().getZExtValue()) + 1;
    Group = this->At.keepsOrder(AA) ? MDNode::getDistinct(Context, {}) : nullptr;
    /* whole chunks, and the rest */
    Value *Total = B.CreateAdd(Last, ConstantInt::get(Size, 1));
    Value *Rest = B.CreateURem(Total, ConstantInt::get(Size, Width)), *Whole = B.CreateSub(Total, Rest);
    auto *Head = BasicBlock::Create(Context, "tw_chunk", &F), *Tail = BasicBlock::Create(Context, "tw_rest", &F);
    auto *Some = BasicBlock::Create(Context, "tw_some", &F), *Done = BasicBlock::Create(Context, "tw_done", &F);
    B.CreateCondBr(B.CreateIsNull(Whole), Tail, Head);
    At->eraseFromParent();
    B.SetInsertPoint(Head);
    PHINode *First = B.CreatePHI(Size, 2, "tw_first");
    Base = First;
    Length = ConstantInt::get(Size, Width);
    BasicBlock *End = emit(Body, Head);
    B.SetInsertPoint(End);
    Value *Next = B.CreateAdd(First, Length, "", true, true);
    B.CreateCondBr(B.CreateICmpEQ(Next, Whole), Tail, Head);
    First->addIncoming(ConstantInt::get(Size, 0), Preheader);
    First->addIncoming(Next, End);
    B.SetInsertPoint(Tail);
    B.CreateCondBr(B.CreateIsNull(Rest), Done, Some);
    Base = Whole;
    Length = Rest;
    End = emit(Body, Some);
    IRBuilder<>(End).CreateBr(Done);
    IRBuilder<>(Done).CreateBr(Exit);
    for (PHINode &Phi : Exit->phis()) /* none is used */
        Phi.addIncoming(PoisonValue::get(Phi.getType()), Done);
}

bool Lanes::run()
{
    if (!isSuitable() || !cut(L, Body, L.getHeader()) || !index(Body) || !collectKept() || !pays())
        return false;
    for (BasicBlock *Block : L.blocks())
        if (!SegmentOf.count(Block))
            return refuse("of its control flow");
    emitAll();
    return true;
}

/* -Rpass=teamwork-lanes and -Rpass-missed=teamwork-lanes. */
void report(Function &F, const Loop &L, bool Done, const char *Why, const Instruction *Where)
{
    OptimizationRemarkEmitter Emitter(&F);
    const DebugLoc At = Where && Where->getDebugLoc() ? Where->getDebugLoc() : L.getStartLoc();
    if (Done)
        Emitter.emit(OptimizationRemark("teamwork-lanes", "Lanes", At, L.getHeader())
                     << "work-items of kernel " << kernelOf(F) << " take the turns of a loop together, as lanes of vectors");
    else
        Emitter.emit(OptimizationRemarkMissed("teamwork-lanes", "NoLanes", At, L.getHeader())
                     << "work-items of kernel " << kernelOf(F) << " do not take the turns of a loop together: " << Why);
}

} // namespace

/* Makes lanes of the work-items of a function's loops. */
bool makeLanes(Function &F, FunctionAnalysisManager &FAM)
{
    bool Changed = false;
    for (bool More = true; More;) {
        More = false;
        auto &LI = FAM.getResult<LoopAnalysis>(F);
        auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
        auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
        for (Loop *L : LI.getLoopsInPreorder()) {
            if (L->isInnermost() || !hasLoopMark(*L, ItemsMark) || hasLoopMark(*L, "teamwork.lanes"))
                continue;
            addLoopMark(*L, "teamwork.lanes");
            Lanes Made(F, *L, SE, DT, LI, FAM.getResult<AAManager>(F));
            const bool Done = Made.run();
            report(F, *L, Done, Made.Why, Made.Where);
            if (Done) {
                More = Changed = true;
                EliminateUnreachableBlocks(F);
                break;
            }
        }
        if (More)
            FAM.invalidate(F, PreservedAnalyses::none());
    }
    return Changed;
}

} // namespace tw_split
