/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of a vector of work-items. They are written one behind the other, with a mask for each: those who come to a block from one
 * before it. A part that only some come to is left out by a branch if nobody does, where that is needed or pays; so branches by uniform
 * conditions stay branches. Where ways meet, phis become selections by the masks of the ways.
 *
 * Values are used as if all had been written in one block. At the end, repair() makes phis for those that are written in a part that
 * may be left out. Nobody looks at what comes in there instead. Masks are different: nobody may take part by a mask that was not
 * written, so these get their phis at once.
 */
#include "vectorize.h"

#include "analysis/predicates.h"
#include "base/marks.h"
#include "utilities/expander.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr unsigned LeastLeftOut = 12; /* instructions that are worth a branch around them */

} // namespace

BasicBlock *newBlock(Function &F, const Twine &Name)
{
    return BasicBlock::Create(F.getContext(), Name, &F);
}

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
    SmallVector<Instruction *, 4> Waiting; /* so that a lane does them one after the other */
    const auto EmitWaiting = [&] {
        if (!Waiting.empty())
            emitForEach(Waiting);
        Waiting.clear();
    };
    for (Instruction &I : *Entry) {
        const bool NeedsThem = any_of(I.operands(), [&](const Use &U) { return is_contained(Waiting, U.get()); });
        if (!isForEach(I) && (NeedsThem || I.mayReadFromMemory() || I.mayHaveSideEffects()))
            EmitWaiting();
        if (auto *Phi = dyn_cast<PHINode>(&I)) {
            if (Entry != Around.getHeader())
                emitJoin(*Phi);
        } else if (isForEach(I))
            Waiting.push_back(&I);
        else if (!I.isTerminator())
            emit(I);
    }
    EmitWaiting();
    setEdges(Entry);
}

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
    Value *Holds = askAssumed(), *AreApart = askApart();
    if (Holds && AreApart)
        AreApart = B.CreateAnd(Holds, AreApart);
    Holds = AreApart ? AreApart : Holds;
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
