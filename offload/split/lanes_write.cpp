/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what lanes.cpp found: the chunks of a loop over work-items, segment by segment. */
#include "lanes.h"

#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace tw_split
{

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

} // namespace tw_split
