/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of a vector of work-items. They are written one behind the other, with a mask for each: those who come to a block from one
 * before it. A part that only some come to is left out by a branch if nobody does, where that is needed or pays; so branches by uniform
 * conditions stay branches. Where ways meet, phis become selections by the masks of the ways.
 *
 * A loop turns as long as somebody goes on. If work-items leave it at different turns, it has a mask of those that go on, one for each
 * way out of those that took it, and the values with which they did.
 *
 * Values are used as if all had been written in one block. At the end, repair() makes phis for those that are written in a part that
 * may be left out. Nobody looks at what comes in there instead. Masks are different: nobody may take part by a mask that was not
 * written, so these get their phis at once.
 */
#include "vectorize.h"

#include "analysis/predicates.h"
#include "base/marks.h"
#include "utilities/expander.h"

#include <optional>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned LeastLeftOut = 12; /* instructions that are worth a branch around them */

BasicBlock *newBlock(Function &F, const Twine &Name)
{
    return BasicBlock::Create(F.getContext(), Name, &F);
}

} // namespace

/* ---- masks --------------------------------------------------------------------------------------------------------- */

Value *Vectorizer::logicalAnd(Value *A, Value *C)
{
    return !A ? C : !C ? A : B.CreateLogicalAnd(A, C);
}

Value *Vectorizer::asVector(const Mask &M)
{
    auto *T = widened(B.getInt1Ty());
    Value *V = M.Vector ? M.Vector : Constant::getAllOnesValue(T);
    return M.Scalar ? B.CreateSelect(M.Scalar, V, Constant::getNullValue(T)) : V;
}

Value *Vectorizer::bits(Value *Vector)
{
    return B.CreateBitCast(Vector, B.getIntNTy(Width));
}

Value *Vectorizer::any(Value *Vector)
{
    return B.CreateICmpNE(bits(Vector), ConstantInt::get(B.getIntNTy(Width), 0));
}

Mask Vectorizer::either(ArrayRef<Mask> Masks)
{
    Mask Result = Masks.front();
    for (const Mask &M : drop_begin(Masks))
        if (Result.Vector == M.Vector)
            Result.Scalar = Result.Scalar && M.Scalar ? B.CreateOr(Result.Scalar, M.Scalar) : nullptr;
        else
            Result = {nullptr, B.CreateOr(asVector(Result), asVector(M))};
    return Result;
}

/* Who comes to a block: those of the block which dominates it, if all of them do, or those of the ways to it. */
Mask Vectorizer::maskOfBlock(BasicBlock *Block)
{
    if (const auto *Node = DT.getNode(Block)->getIDom()) {
        BasicBlock *Above = Node->getBlock();
        const auto Found = MaskOf.find(Above);
        if (Found != MaskOf.end() && LI.getLoopFor(Above) == LI.getLoopFor(Block) && Shape.comeTo(Above, Block))
            return Found->second;
    }
    SmallVector<Mask, 4> Ways;
    for (BasicBlock *From : SmallSetVector<BasicBlock *, 4>(pred_begin(Block), pred_end(Block)))
        if (const auto Found = EdgeMask.find({From, Block}); Found != EdgeMask.end())
            Ways.push_back(Found->second);
    return either(Ways);
}

void Vectorizer::setEdge(BasicBlock *From, BasicBlock *To, Mask M)
{
    const auto [At, New] = EdgeMask.insert({{From, To}, M});
    if (New)
        Edges.push_back({From, To});
    else
        At->second = either({At->second, M});
}

/* The ways out of a block that has been written. */
void Vectorizer::setEdges(BasicBlock *Block)
{
    Instruction *End = Block->getTerminator();
    if (End->getNumSuccessors() == 1) {
        setEdge(Block, End->getSuccessor(0), Current);
        return;
    }
    if (Block == L.getLoopLatch()) /* how many turns there are is known */
        return;
    const auto Choose = [&](Value *Condition, bool IsUniform) {
        if (!IsUniform)
            return Mask{nullptr, logicalAnd(asVector(Current), Condition)};
        return Mask{logicalAnd(Current.Scalar, IsSure ? Condition : B.CreateFreeze(Condition)), Current.Vector};
    };
    Value *Decides = End->getOperand(0);
    const bool IsUniform = Shape.isUniform(Decides);
    Value *V = IsUniform ? scalar(Decides) : vector(Decides);
    if (isa<BranchInst>(End)) {
        setEdge(Block, End->getSuccessor(0), Choose(V, IsUniform));
        setEdge(Block, End->getSuccessor(1), Choose(B.CreateNot(V), IsUniform));
        return;
    }
    auto *Switch = cast<SwitchInst>(End);
    Value *None = nullptr;
    for (auto &Case : Switch->cases()) {
        Value *Is =
            B.CreateICmpEQ(V, IsUniform ? static_cast<Value *>(Case.getCaseValue())
                                        : ConstantVector::getSplat(ElementCount::getFixed(Width), Case.getCaseValue()));
        setEdge(Block, Case.getCaseSuccessor(), Choose(Is, IsUniform));
        None = None ? B.CreateAnd(None, B.CreateNot(Is)) : B.CreateNot(Is);
    }
    setEdge(Block, Switch->getDefaultDest(), None ? Choose(None, IsUniform) : Current);
}

/* ---- parts that are left out if nobody comes to them ----------------------------------------------------------------- */

/* Whether a part of which the mask is known gets a branch around it. */
bool Vectorizer::isGuarded(ArrayRef<BasicBlock *> Entries, const Mask &M) const
{
    if (M.isAll() || (IsSure && M.Scalar == Current.Scalar && M.Vector == Current.Vector))
        return false;
    unsigned Instructions = 0;
    for (BasicBlock *Entry : Entries) {
        const Loop *Of = LI.getLoopFor(Entry);
        if (Of->getHeader() == Entry)
            return true;
        for (const Instruction &I : *Entry) {
            if (isDropped(I) || isa<PHINode>(I) || I.isTerminator())
                continue;
            if (needsSomebody(I))
                return true;
            Instructions += Shape.step(&I) ? 1 : 2;
        }
    }
    return Instructions >= (M.Vector ? 2 * LeastLeftOut : LeastLeftOut / 2);
}

void Vectorizer::emitGuarded(Loop &Around, ArrayRef<BasicBlock *> Entries, Mask M)
{
    BasicBlock *Inside = newBlock(F, "tw_some"), *Behind = newBlock(F, "tw_all");
    B.CreateCondBr(M.Vector ? any(asVector(M)) : M.Scalar, Inside, Behind);
    BasicBlock *Before = B.GetInsertBlock();
    B.SetInsertPoint(Inside);
    const Mask Outer = Current;
    const bool WasSure = IsSure;
    const size_t FirstEdge = Edges.size();
    /* what was tested is known to hold */
    Current = {nullptr, M.Vector};
    IsSure = true;
    const auto OuterMasks = MaskOf;
    MaskOf[Entries[0]] = Current;
    emitSequence(Around, Entries);
    MaskOf = OuterMasks;
    BasicBlock *End = B.GetInsertBlock();
    B.CreateBr(Behind);
    B.SetInsertPoint(Behind);
    const auto Merge = [&](Value *V) {
        PHINode *Phi = B.CreatePHI(V->getType(), 2);
        Phi->addIncoming(V, End);
        Phi->addIncoming(Constant::getNullValue(V->getType()), Before);
        return Phi;
    };
    forgetEdges(FirstEdge, [&](const BasicBlock *To) {
        return any_of(Entries, [&](BasicBlock *Entry) {
            const Loop *Of = LI.getLoopFor(Entry);
            return Of == &Around ? Entry == To : Of->contains(To);
        });
    });
    for (size_t I = FirstEdge; I < Edges.size(); ++I) {
        Mask &Way = EdgeMask[Edges[I]];
        if (!Way.Vector || Way.Vector == M.Vector) {
            Way.Scalar = Merge(Way.Scalar ? Way.Scalar : B.getTrue());
            continue;
        }
        B.SetInsertPoint(End->getTerminator());
        Value *Whole = asVector(Way);
        B.SetInsertPoint(Behind, Behind->getFirstInsertionPt());
        Way = {nullptr, Merge(Whole)};
        B.SetInsertPoint(Behind);
    }
    Current = Outer;
    IsSure = WasSure;
}

/* Of the ways that were written last, only those count from here on that lead out of a part. */
void Vectorizer::forgetEdges(size_t First, function_ref<bool(const BasicBlock *)> IsInside)
{
    Edges.erase(std::remove_if(Edges.begin() + ptrdiff_t(First), Edges.end(),
                               [&](const auto &E) { return IsInside(E.second); }),
                Edges.end());
}

/* Entries of the same loop, in their order. */
void Vectorizer::emitSequence(Loop &Around, ArrayRef<BasicBlock *> Entries)
{
    const Mask Outer = Current;
    const bool WasSure = IsSure;
    for (size_t I = 0; I < Entries.size();) {
        BasicBlock *Entry = Entries[I];
        Current = Outer;
        IsSure = WasSure;
        const bool IsBegun = MaskOf.count(Entry) != 0; /* by who has asked whether somebody comes */
        const Mask M = IsBegun ? MaskOf[Entry] : maskOfBlock(Entry);
        size_t Past = I + 1;
        while (Past < Entries.size() && DT.dominates(Entry, Entries[Past]))
            ++Past;
        if (!IsBegun && isGuarded(Entries.slice(I, Past - I), M)) {
            emitGuarded(Around, Entries.slice(I, Past - I), M);
            I = Past;
            continue;
        }
        IsSure = M.isAll() || (WasSure && (IsBegun || (M.Scalar == Outer.Scalar && M.Vector == Outer.Vector)));
        Current = MaskOf[Entry] = M;
        emitEntry(Around, Entry);
        ++I;
    }
    Current = Outer;
    IsSure = WasSure;
}

void Vectorizer::emitEntry(Loop &Around, BasicBlock *Entry)
{
    Loop *Of = LI.getLoopFor(Entry);
    if (Of != &Around) {
        emitLoop(*Of);
        return;
    }
    for (Instruction &I : *Entry)
        if (auto *Phi = dyn_cast<PHINode>(&I)) {
            if (Entry != Around.getHeader())
                emitJoin(*Phi);
        } else if (!I.isTerminator())
            emit(I);
    setEdges(Entry);
}

/* ---- joins and loops ------------------------------------------------------------------------------------------------ */

void Vectorizer::emitJoin(PHINode &Phi)
{
    const bool IsScalar = Shape.step(&Phi).has_value();
    Value *Result = nullptr;
    SmallPtrSet<BasicBlock *, 4> Seen;
    for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I) {
        BasicBlock *From = Phi.getIncomingBlock(I);
        if (!Seen.insert(From).second)
            continue;
        const auto Left = LeftWith.find({&Phi, From});
        Value *In = Left != LeftWith.end() ? Left->second
                    : IsScalar             ? scalar(Phi.getIncomingValue(I))
                                           : vector(Phi.getIncomingValue(I));
        if (!Result) {
            Result = In;
            continue;
        }
        const Mask M = EdgeMask.lookup({From, Phi.getParent()});
        Value *Comes = !M.Vector ? M.Scalar : IsScalar ? any(asVector(M)) : asVector(M);
        Result = Comes ? B.CreateSelect(Comes, In, Result) : In;
    }
    set(Phi, Result);
}

/* Whether a loop that work-items leave at different turns is written twice: without masks as long as all go on, as in a loop whose turns
   work-items share out, where only the last one is not that of all. */
bool Vectorizer::isFirstTogether(const Loop &K) const
{
    constexpr unsigned MostTwice = 200; /* instructions */
    unsigned Instructions = 0;
    for (const BasicBlock *Block : K.blocks())
        Instructions += unsigned(Block->size());
    return Shape.isDivergent(&K) && K.isInnermost() && K.getExitingBlock() == K.getLoopLatch()
           && !Shape.isPartial(K.getLoopPreheader()) && Instructions <= MostTwice;
}

/* A new phi for each one of a loop's header, with what comes in from in front of it. */
Vectorizer::HeaderPhis Vectorizer::makePhis(Loop &K, BasicBlock *Body, ArrayRef<Value *> Firsts)
{
    BasicBlock *Before = B.GetInsertBlock();
    HeaderPhis Result;
    for (PHINode &Phi : K.getHeader()->phis()) {
        const bool IsScalar = Shape.step(&Phi).has_value();
        Value *First = Phi.getIncomingValueForBlock(K.getLoopPreheader());
        First = !Firsts.empty() ? Firsts[Result.size()] : IsScalar ? scalar(First) : vector(First);
        PHINode *New = PHINode::Create(First->getType(), 2, "", Body);
        New->addIncoming(First, Before);
        Result.push_back({&Phi, New});
    }
    for (auto &[Old, New] : Result)
        (Shape.step(Old) ? Scalars : Vectors)[Old] = New;
    return Result;
}

/* What a turn hands on to the next one. */
SmallVector<Value *, 8> Vectorizer::nextOf(const Loop &K, const HeaderPhis &Phis)
{
    SmallVector<Value *, 8> Result;
    for (const auto &[Old, New] : Phis) {
        Value *Next = Old->getIncomingValueForBlock(K.getLoopLatch());
        Result.push_back(Shape.step(Old) ? scalar(Next) : vector(Next));
    }
    return Result;
}

/* The phis behind a way out of a loop that work-items leave at different turns, whose values are made in the loop. */
SmallVector<PHINode *, 4> Vectorizer::leftWith(const Loop &K, BasicBlock *From, BasicBlock *To) const
{
    SmallVector<PHINode *, 4> Result;
    for (PHINode &Phi : To->phis())
        if (const auto *V = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(From)); V && K.contains(V))
            Result.push_back(&Phi);
    return Result;
}

/* The turns that all take: while nobody leaves. What goes on behind it is written where it ends. */
Vectorizer::Together Vectorizer::emitTogether(Loop &K)
{
    Together Result;
    BasicBlock *Latch = K.getLoopLatch(), *Body = newBlock(F, "tw_together"), *Apart = newBlock(F, "tw_apart");
    const HeaderPhis Phis = makePhis(K, Body, {});
    B.CreateBr(Body);
    B.SetInsertPoint(Body);
    const size_t FirstEdge = Edges.size();
    MaskOf[K.getHeader()] = Current;
    emitSequence(K, Order[&K]);
    Result.GoesOn = asVector(EdgeMask.lookup({Latch, K.getHeader()}));
    Result.Firsts = nextOf(K, Phis);
    for (PHINode *Phi : leftWith(K, Latch, K.getExitBlock()))
        Result.Left.push_back(vector(Phi->getIncomingValueForBlock(Latch)));
    for (unsigned I = 0; I < Phis.size(); ++I)
        Phis[I].second->addIncoming(Result.Firsts[I], B.GetInsertBlock());
    Value *AllGoOn = B.CreateICmpEQ(bits(Result.GoesOn), ConstantInt::getAllOnesValue(B.getIntNTy(Width)));
    B.CreateCondBr(AllGoOn, Body, Apart);

    /* it is written once more */
    Edges.resize(FirstEdge);
    for (BasicBlock *Block : K.blocks()) {
        MaskOf.erase(Block);
        for (BasicBlock *To : successors(Block))
            EdgeMask.erase({Block, To});
        for (Instruction &I : *Block) {
            Scalars.erase(&I);
            Vectors.erase(&I);
        }
    }
    BasicBlock *Some = newBlock(F, "tw_some");
    Result.Behind = newBlock(F, "tw_none");
    B.SetInsertPoint(Apart);
    B.CreateCondBr(any(Result.GoesOn), Some, Result.Behind);
    Result.Apart = Apart;
    B.SetInsertPoint(Some);
    return Result;
}

void Vectorizer::emitLoop(Loop &K)
{
    const bool IsDivergent = Shape.isDivergent(&K);
    const Mask Entering = Current;
    const bool WasSure = IsSure;
    IsSure = true;
    std::optional<Together> First;
    if (Current.isAll() && isFirstTogether(K))
        First = emitTogether(K);
    BasicBlock *Header = K.getHeader(), *Latch = K.getLoopLatch();
    BasicBlock *Body = newBlock(F, "tw_turn"), *Behind = newBlock(F, "tw_left");
    const HeaderPhis Phis = makePhis(K, Body, First ? ArrayRef<Value *>(First->Firsts) : ArrayRef<Value *>());
    Value *Enter = First ? First->GoesOn : asVector(Entering);
    BasicBlock *Before = B.GetInsertBlock();
    B.CreateBr(Body);
    B.SetInsertPoint(Body);

    struct Way {
        BasicBlock *From, *To;
        PHINode *Gone;
        SmallVector<std::pair<PHINode *, PHINode *>, 4> With;
    };
    SmallVector<Way, 2> Ways;
    SmallVector<Loop::Edge, 4> Exits;
    K.getExitEdges(Exits);
    PHINode *Going = IsDivergent ? B.CreatePHI(Enter->getType(), 2) : nullptr;
    for (auto &[From, To] : Exits) {
        if (any_of(Ways, [&, From = From, To = To](const Way &W) { return W.From == From && W.To == To; }))
            continue;
        Way W{From, To, nullptr, {}};
        if (IsDivergent) {
            W.Gone = B.CreatePHI(Enter->getType(), 2);
            for (PHINode *Phi : leftWith(K, From, To)) {
                PHINode *With = B.CreatePHI(widened(Phi->getType()), 2);
                With->addIncoming(First ? First->Left[W.With.size()] : PoisonValue::get(With->getType()), Before);
                W.With.push_back({Phi, With});
            }
        }
        Ways.push_back(W);
    }

    Current = {nullptr, IsDivergent ? Going : Entering.Vector};
    const size_t FirstEdge = Edges.size();
    MaskOf[Header] = Current;
    emitSequence(K, Order[&K]);

    const Mask Again = EdgeMask.lookup({Latch, Header});
    Value *GoesOn;
    if (IsDivergent) {
        for (Way &W : Ways) {
            Value *Now = asVector(EdgeMask.lookup({W.From, W.To}));
            W.Gone->addIncoming(Constant::getNullValue(Enter->getType()), Before);
            Value *Gone = B.CreateOr(W.Gone, Now);
            for (auto &[Old, With] : W.With) {
                const auto Inner = LeftWith.find({Old, W.From}); /* which it left by the same way */
                Value *Has = Inner != LeftWith.end() ? Inner->second : vector(Old->getIncomingValueForBlock(W.From));
                Value *Left = B.CreateSelect(Now, Has, With);
                LeftWith[{Old, W.From}] = Left;
                With->addIncoming(Left, B.GetInsertBlock());
            }
            W.Gone->addIncoming(Gone, B.GetInsertBlock());
            EdgeMask[{W.From, W.To}] = {nullptr, Gone};
        }
        Value *Next = asVector(Again);
        GoesOn = any(Next);
        Going->addIncoming(Enter, Before);
        Going->addIncoming(Next, B.GetInsertBlock());
    } else
        GoesOn = Again.Vector == Entering.Vector ? (Again.Scalar ? Again.Scalar : B.getTrue()) : any(asVector(Again));
    const SmallVector<Value *, 8> Nexts = nextOf(K, Phis);
    for (unsigned I = 0; I < Phis.size(); ++I)
        Phis[I].second->addIncoming(Nexts[I], B.GetInsertBlock());
    B.CreateCondBr(GoesOn, Body, Behind);
    B.SetInsertPoint(Behind);
    if (First) { /* all may have left it at once */
        B.CreateBr(First->Behind);
        B.SetInsertPoint(First->Behind);
        for (unsigned I = 0; I < First->Left.size(); ++I) {
            Value *&Left = LeftWith[{Ways[0].With[I].first, Latch}];
            PHINode *Either = B.CreatePHI(Left->getType(), 2);
            Either->addIncoming(First->Left[I], First->Apart);
            Either->addIncoming(Left, Behind);
            Left = Either;
        }
    }
    if (Ways.size() == 1) /* all leave it there, sooner or later */
        EdgeMask[{Ways[0].From, Ways[0].To}] = Entering;
    forgetEdges(FirstEdge, [&](const BasicBlock *To) { return K.contains(To); });
    for (BasicBlock *Block : K.blocks())
        MaskOf.erase(Block);
    Current = Entering;
    IsSure = WasSure;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------- */

/* Makes phis for values that are used where they need not have been written. */
void Vectorizer::repair(ArrayRef<BasicBlock *> New)
{
    DominatorTree Written(F);
    for (BasicBlock *Block : New)
        for (Instruction &I : *Block) {
            SmallVector<Use *, 4> Open;
            for (Use &U : I.uses())
                if (!Written.dominates(&I, U))
                    Open.push_back(&U);
            if (Open.empty())
                continue;
            SSAUpdater Updater;
            Updater.Initialize(I.getType(), I.getName());
            Updater.AddAvailableValue(Block, &I);
            Updater.AddAvailableValue(VectorPreheader, PoisonValue::get(I.getType()));
            for (Use *U : Open)
                Updater.RewriteUse(*U);
        }
}

/* In front of the loop: whether what is assumed of extended numbers holds. If there are fewer turns than such a number has values, and the
   last one is as much more than the first one as all steps are together, none between them has wrapped around. Null: nothing is
   assumed. */
Value *Vectorizer::askAssumed()
{
    Expander Writer(SE, DL, "tw");
    Instruction *End = L.getLoopPreheader()->getTerminator();
    IntegerType *Size = B.getInt64Ty(); /* a step and the turns have 32 bits each */
    const SCEV *Turns = SE.getBackedgeTakenCount(&L), *AllTurns = SE.getNoopOrZeroExtend(Turns, Size);
    Value *Result = nullptr;
    for (const SCEV *S : Shape.assumed()) {
        const auto *Rec = cast<SCEVAddRecExpr>(S->operands()[0]);
        const auto Extended = [&](const SCEV *Narrow) {
            return isa<SCEVSignExtendExpr>(S) ? SE.getSignExtendExpr(Narrow, Size) : SE.getZeroExtendExpr(Narrow, Size);
        };
        const SCEV *Last = Rec->evaluateAtIteration(SE.getTruncateOrZeroExtend(Turns, Rec->getType()), SE);
        const SCEV *Steps = SE.getMulExpr(AllTurns, SE.getSignExtendExpr(Rec->getStepRecurrence(SE), Size));
        Value *Is = Writer.expandCodeFor(Extended(Last), Size, End),
              *Expected = Writer.expandCodeFor(SE.getAddExpr(Extended(Rec->getStart()), Steps), Size, End),
              *Count = Writer.expandCodeFor(AllTurns, Size, End);
        const uint64_t Values = uint64_t(1) << SE.getTypeSizeInBits(Rec->getType());
        Value *Holds =
            B.CreateAnd(B.CreateICmpEQ(Is, Expected), B.CreateICmpULT(Count, ConstantInt::get(Size, Values)));
        Result = Result ? B.CreateAnd(Result, Holds) : Holds;
    }
    return Result;
}

void Vectorizer::emitAll()
{
    BasicBlock *Preheader = L.getLoopPreheader(), *Exit = L.getExitBlock(), *Latch = L.getLoopLatch();
    Expander Writer(SE, DL, "tw");
    Instruction *End = Preheader->getTerminator();
    Type *Size = B.getInt64Ty();
    const SCEV *Last = SE.getNoopOrZeroExtend(SE.getBackedgeTakenCount(&L), Size);
    B.SetInsertPoint(End);
    Value *Turns = B.CreateAdd(Writer.expandCodeFor(Last, Size, End), ConstantInt::get(Size, 1), "tw_turns");
    Value *Holds = askAssumed();
    SmallVector<std::pair<PHINode *, Value *>, 4> Firsts; /* of inductions */
    for (PHINode &Phi : L.getHeader()->phis())
        if (Shape.step(&Phi))
            Firsts.push_back({&Phi, Phi.getIncomingValueForBlock(Preheader)});

    SmallPtrSet<BasicBlock *, 32> Old;
    for (BasicBlock &Block : F)
        Old.insert(&Block);
    VectorPreheader = newBlock(F, "tw_vectors");
    BasicBlock *Body = newBlock(F, "tw_vector"), *Middle = newBlock(F, "tw_rest_check"), *Rest = newBlock(F, "tw_rest");
    B.SetInsertPoint(End);
    Value *IsLong = B.CreateICmpUGE(Turns, ConstantInt::get(Size, Width));
    B.CreateCondBr(Holds ? B.CreateLogicalAnd(IsLong, Holds) : IsLong, VectorPreheader, Rest);
    End->eraseFromParent();
    B.SetInsertPoint(VectorPreheader);
    makePrivate();
    Value *Done = B.CreateAnd(Turns, ConstantInt::get(Size, -uint64_t(Width)), "tw_done");
    B.CreateBr(Body);

    B.SetInsertPoint(Body);
    PHINode *At = B.CreatePHI(Size, 2, "tw_at");
    At->addIncoming(ConstantInt::get(Size, 0), VectorPreheader);
    const auto Advanced = [&](PHINode *Phi, Value *First, Value *By) -> Value * {
        Value *Offset = B.CreateMul(By, ConstantInt::get(Size, uint64_t(*Shape.step(Phi))));
        return Phi->getType()->isPointerTy() ? B.CreatePtrAdd(First, Offset)
                                             : B.CreateAdd(First, B.CreateSExtOrTrunc(Offset, Phi->getType()));
    };
    SmallVector<PHINode *, 2> Sums;
    for (const Reduction &R : Reductions) {
        PHINode *Sum = B.CreatePHI(widened(R.Phi->getType()), 2, "tw_sum");
        Sum->addIncoming(ConstantVector::getSplat(ElementCount::getFixed(Width), R.identity()), VectorPreheader);
        Vectors[R.Phi] = Sum;
        Sums.push_back(Sum);
    }
    for (auto &[Phi, First] : Firsts)
        Scalars[Phi] = Advanced(Phi, First, At);
    Current = {};
    IsSure = true;
    MaskOf[L.getHeader()] = Current;
    emitSequence(L, Order[&L]);
    for (size_t I = 0; I < Reductions.size(); ++I)
        Sums[I]->addIncoming(vector(Reductions[I].Next), B.GetInsertBlock());
    Value *Next = B.CreateAdd(At, ConstantInt::get(Size, Width), "", true, true);
    At->addIncoming(Next, B.GetInsertBlock());
    BasicBlock *Turn = B.GetInsertBlock();
    B.CreateCondBr(B.CreateICmpEQ(Next, Done), Middle, Body);
    MDNode *Vectorized = MDNode::get(
        Context, {MDString::get(Context, "llvm.loop.isvectorized"), ConstantAsMetadata::get(B.getInt32(1))});
    Turn->getTerminator()->setMetadata(LLVMContext::MD_loop, loopId(Context, {Vectorized}));

    B.SetInsertPoint(Middle);
    DenseMap<const Value *, Value *> Folded;
    for (const Reduction &R : Reductions) {
        Value *Sum = R.Phi->getIncomingValueForBlock(Preheader), *Each = vector(R.Next);
        for (unsigned I = 0; I < Width; ++I)
            Sum = R.combine(B, Sum, B.CreateExtractElement(Each, uint64_t(I)));
        Folded[R.Phi] = Folded[R.Next] = Sum;
    }
    SmallVector<std::pair<PHINode *, Value *>, 4> Resumed;
    for (auto &[Phi, First] : Firsts)
        Resumed.push_back({Phi, Advanced(Phi, First, Done)});
    for (const Reduction &R : Reductions)
        Resumed.push_back({R.Phi, Folded[R.Next]});
    B.CreateCondBr(B.CreateICmpEQ(Turns, Done), Exit, Rest);
    for (PHINode &Phi : Exit->phis()) {
        Value *V = Phi.getIncomingValueForBlock(Latch);
        Phi.addIncoming(Folded.count(V) ? Folded[V] : V, Middle);
    }
    B.SetInsertPoint(Rest);
    for (auto &[Phi, V] : Resumed) {
        PHINode *From = B.CreatePHI(Phi->getType(), 2);
        From->addIncoming(Phi->getIncomingValueForBlock(Preheader), Preheader);
        From->addIncoming(V, Middle);
        Phi->setIncomingValueForBlock(Preheader, From);
    }
    B.CreateBr(L.getHeader());
    L.getHeader()->replacePhiUsesWith(Preheader, Rest);
    SmallVector<BasicBlock *, 32> New;
    for (BasicBlock &Block : F)
        if (!Old.count(&Block))
            New.push_back(&Block);
    repair(New);
}

} // namespace tw_compiler
