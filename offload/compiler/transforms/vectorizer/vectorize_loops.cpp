/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops of a vector of work-items. A loop turns as long as somebody goes on. If work-items leave it at different turns, it has a mask of
 * those that go on, one for each way out of those that took it, and the values with which they did.
 */
#include "vectorize.h"

#include <optional>

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>

using namespace llvm;

namespace tw_compiler
{

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
        EdgeMask.erase({Block, nullptr});
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
    forgetEdges(FirstEdge, [&](const BasicBlock *To) { return !To || K.contains(To); });
    for (BasicBlock *Block : K.blocks())
        MaskOf.erase(Block);
    Current = Entering;
    IsSure = WasSure;
}

} // namespace tw_compiler
