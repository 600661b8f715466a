/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The masks of a vector of work-items: who comes to a block, by which way. Nobody may take part by a mask that was not written, so masks
 * that go on behind a part that may be left out get their phis at once (vectorize_control.cpp).
 */
#include "vectorize.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>

using namespace llvm;

namespace tw_compiler
{

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
    if (any_of(*Block, [&](const Instruction &I) { return isa<StoreInst>(I) && GroupOf.count(&I); }))
        setEdge(Block, nullptr, Current); /* who did what is done later */
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

/* Of the ways that were written last, only those count from here on that lead out of a part. */
void Vectorizer::forgetEdges(size_t First, function_ref<bool(const BasicBlock *)> IsInside)
{
    Edges.erase(std::remove_if(Edges.begin() + ptrdiff_t(First), Edges.end(),
                               [&](const auto &E) { return IsInside(E.second); }),
                Edges.end());
}

} // namespace tw_compiler
