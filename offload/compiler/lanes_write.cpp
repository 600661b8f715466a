/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what lanes.cpp found: the chunks of a loop over work-items, segment by segment. */
#include "lanes.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr const char *NotChanged = "llvm.loop.disable_nonforced"; /* of loops that hardly ever run */

void setLoopMark(Instruction &Back, const char *Mark)
{
    LLVMContext &Context = Back.getContext();
    Back.setMetadata(LLVMContext::MD_loop, loopId(Context, {MDNode::get(Context, MDString::get(Context, Mark))}));
}

} // namespace

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

/* Of an access to an array with an element for each lane, or to anything else. LLVM would take such an array for one whose address is
   known elsewhere, if it has more uses than it looks at, and would store sums in each turn. */
void Lanes::annotate(Instruction &I, bool OfLanes)
{
    if (Group)
        I.setMetadata(LLVMContext::MD_access_group, Group);
    I.setMetadata(OfLanes ? LLVMContext::MD_alias_scope : LLVMContext::MD_noalias, Scope);
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
    annotate(*Load, true);
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

/* Whether the array of a phi is written by the segments in front of it: it begins a loop, or a place where ways meet; or by the end of
   the work-item before, if it is a reduction. */
bool Lanes::isCarried(const PHINode &Phi) const
{
    const BasicBlock *Block = Phi.getParent();
    return Joins.count(Block) || LI.getLoopFor(Block)->getHeader() == Block;
}

/* The phis that begin or go on behind `End` get their next values. */
void Lanes::storePhis(Lane &At, IRBuilder<> &B, BasicBlock *End)
{
    for (auto &Entry : Kept) {
        auto *Phi = dyn_cast<PHINode>(Entry.first);
        if (!Phi || !isCarried(*Phi))
            continue;
        const int In = Phi->getBasicBlockIndex(End);
        if (In < 0)
            continue;
        Value *V = resolve(At, Phi->getIncomingValue(unsigned(In)));
        Type *T = Entry.second->getAllocatedType()->getArrayElementType();
        annotate(*B.CreateStore(B.CreateZExtOrBitCast(V, T), element(B, At, Phi)), true);
    }
}

BasicBlock *Lanes::emitSegment(const Piece &P, BasicBlock *From)
{
    Lane At;
    At.Segment = &P;
    At.Head = BasicBlock::Create(Context, "tw_lane", &F);
    auto *Latch = BasicBlock::Create(Context, "tw_lane_latch", &F),
         *After = BasicBlock::Create(Context, "tw_lanes_end", &F);
    IRBuilder<> B(From);
    B.CreateBr(At.Head);
    B.SetInsertPoint(At.Head);
    PHINode *Index = B.CreatePHI(Size, 2, "tw_lane");
    At.Index = Index;
    const bool Counts = P.Condition && !P.Grows;
    PHINode *Going = Counts ? B.CreatePHI(B.getInt32Ty(), 2, "tw_going") : nullptr;
    At.Turn = B.CreateAdd(Base, Index, "", true, true);
    B.CreateBr(Latch); /* for the builders, until the end */

    if (Number)
        At.Map[Number] = Index;
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
        if (isCarried(Phi))
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
        if (SegmentOf[V->getParent()] != &P || (Phi && isCarried(*Phi)))
            continue;
        Value *Made = At.Map[V];
        auto *Copy = dyn_cast<Instruction>(Made);
        auto *Home = cast<BasicBlock>(At.Map[V->getParent()]);
        const bool Here = Copy && Copy->getParent() == Home && !isa<PHINode>(Copy);
        IRBuilder<> Store(Here ? Copy->getNextNode() : &*Home->getFirstInsertionPt());
        Type *T = Entry.second->getAllocatedType()->getArrayElementType();
        annotate(*Store.CreateStore(Store.CreateZExtOrBitCast(Made, T), element(Store, At, V)), true);
    }
    IRBuilder<> E(End->getTerminator());
    storePhis(At, E, P.End);
    Value *GoesOn = Counts ? resolve(At, P.Condition) : nullptr;
    if (GoesOn && P.Inverted)
        GoesOn = E.CreateNot(GoesOn);
    if (GoesOn)
        annotate(*E.CreateStore(E.CreateZExt(GoesOn, E.getInt8Ty()),
                                E.CreateInBoundsGEP(E.getInt8Ty(), this->GoesOn, At.Index)),
                 true);
    At.Head->getTerminator()->eraseFromParent();
    IRBuilder<> H(At.Head);
    H.CreateBr(cast<BasicBlock>(At.Map[P.Blocks[0]]));
    IRBuilder<> B2(Latch);
    Value *Next = B2.CreateAdd(Index, ConstantInt::get(Size, 1), "", true, true);
    Instruction *Back = B2.CreateCondBr(B2.CreateICmpULT(Next, Length), At.Head, After);
    Index->addIncoming(ConstantInt::get(Size, 0), From);
    Index->addIncoming(Next, Latch);
    if (Going) {
        this->Going = IRBuilder<>(Back).CreateAdd(Going, IRBuilder<>(Back).CreateZExt(GoesOn, Going->getType()));
        Going->addIncoming(ConstantInt::get(Going->getType(), 0), From);
        Going->addIncoming(this->Going, Latch);
    }
    SmallVector<Metadata *, 4> Properties{MDNode::get(Context, MDString::get(Context, ItemsMark)),
                                          MDNode::get(Context, MDString::get(Context, "teamwork.lanes"))};
    if (Group)
        Properties.push_back(MDNode::get(Context, {MDString::get(Context, ParallelMark), Group}));
    Back->setMetadata(LLVMContext::MD_loop, loopId(Context, Properties));
    return After;
}

/* What the condition of a segment compares, in a lane. */
Value *Lanes::compared(IRBuilder<> &B, const Piece &P, Value *Index)
{
    Lane At;
    At.Segment = &P;
    At.Head = B.GetInsertBlock();
    At.Index = Index;
    At.Turn = B.CreateAdd(Base, Index, "", true, true);
    if (Number)
        At.Map[Number] = Index;
    return build(B, P.Grows, At);
}

Value *Lanes::limitOf(IRBuilder<> &B, const Piece &P)
{
    Lane Any;
    return build(B, P.Limit, Any);
}

/* Whether lanes come in the order of what they compare: nothing wraps around between the first and the last one, which are set. */
Value *Lanes::compareEnds(IRBuilder<> &B, const Piece &P, Value *&First, Value *&Last)
{
    First = compared(B, P, ConstantInt::get(Size, 0));
    Last = compared(B, P, B.CreateSub(Length, ConstantInt::get(Size, 1)));
    return B.CreateICmp(CmpInst::isSigned(P.How) ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE, Last, First);
}

/* How many times all lanes go on with the next turn of a loop, if its counter leads to the limit by steps that are the same for all. */
Value *Lanes::turnsOfAll(IRBuilder<> &B, const Piece &P)
{
    const Piece &Final = P.Parts.back();
    const auto *Rec = Final.Grows ? dyn_cast<SCEVAddRecExpr>(Final.Grows) : nullptr;
    unsigned Budget = MostRebuilt;
    if (!Rec || Rec->getLoop() != P.Inner || !Rec->isAffine() || !SE.isLoopInvariant(Rec->getStepRecurrence(SE), &L)
        || !canBuild(Rec->getStepRecurrence(SE), Final.End, Budget))
        return nullptr;
    Type *T = Rec->getType();
    Counter[P.Inner] = ConstantInt::get(Size, 0);
    Lane Any;
    Value *First, *Last, *InOrder = compareEnds(B, Final, First, Last), *Limit = limitOf(B, Final);
    Value *Step = build(B, Rec->getStepRecurrence(SE), Any), *Left = B.CreateSub(Limit, Last);
    if (!isa<ConstantInt>(Step))
        Step = B.CreateBinaryIntrinsic(Intrinsic::umax, B.CreateFreeze(Step), ConstantInt::get(T, 1));
    if (ICmpInst::isLT(Final.How))
        Left = B.CreateSub(Left, ConstantInt::get(T, 1));
    Value *Turns = B.CreateAdd(B.CreateUDiv(Left, Step), ConstantInt::get(T, 1));
    Value *Some = B.CreateAnd(InOrder, B.CreateICmp(Final.How, Last, Limit));
    return B.CreateZExt(B.CreateSelect(Some, Turns, ConstantInt::get(T, 0)), Size);
}

/* Notes which lanes go on; the result is where that is done. */
BasicBlock *Lanes::emitFlags(const Piece &P, BasicBlock *From, bool IsRare)
{
    auto *Flags = BasicBlock::Create(Context, "tw_flags", &F), *Mixed = BasicBlock::Create(Context, "tw_mixed", &F);
    IRBuilder<> B(From);
    Value *Limit = limitOf(B, P);
    B.CreateBr(Flags);
    B.SetInsertPoint(Flags);
    PHINode *Index = B.CreatePHI(Size, 2, "tw_lane");
    Value *Next = B.CreateAdd(Index, ConstantInt::get(Size, 1), "", true, true);
    B.CreateStore(B.CreateZExt(B.CreateICmp(P.How, compared(B, P, Index), Limit), B.getInt8Ty()),
                  B.CreateInBoundsGEP(B.getInt8Ty(), GoesOn, Index));
    Instruction *Back = B.CreateCondBr(B.CreateICmpULT(Next, Length), Flags, Mixed);
    if (IsRare)
        setLoopMark(*Back, NotChanged);
    Index->addIncoming(ConstantInt::get(Size, 0), From);
    Index->addIncoming(Next, Flags);
    return Mixed;
}

/* How many lanes go on, the first ones; it holds where they are in order, which is set. */
Value *Lanes::lanesThatGoOn(IRBuilder<> &B, const Piece &P, Value *&InOrder)
{
    Value *First, *Last, *Limit = limitOf(B, P);
    InOrder = compareEnds(B, P, First, Last);
    Type *T = Limit->getType();
    Value *Left = B.CreateSub(Limit, First);
    if (ICmpInst::isLT(P.How))
        Left = B.CreateSub(Left, ConstantInt::get(T, 1));
    Value *Others = B.CreateUDiv(Left, ConstantInt::get(T, P.By));
    Value *Some = B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateZExt(Others, Size),
                                          B.CreateSub(Length, ConstantInt::get(Size, 1)));
    Some = B.CreateAdd(Some, ConstantInt::get(Size, 1), "", true, true);
    return B.CreateSelect(B.CreateICmp(P.How, First, Limit), Some, ConstantInt::get(Size, 0));
}

/* Goes on to `All` if all lanes go on, and to `None` if none does. The result is where only some do, and where it is noted which. */
BasicBlock *Lanes::emitChoice(const Piece &P, BasicBlock *From, BasicBlock *All, BasicBlock *None)
{
    auto *Fewer = BasicBlock::Create(Context, "tw_fewer", &F);
    IRBuilder<> B(From);
    if (P.Grows) {
        Value *First, *Last, *InOrder = compareEnds(B, P, First, Last);
        B.CreateCondBr(B.CreateAnd(InOrder, B.CreateICmp(P.How, Last, limitOf(B, P))), All, Fewer);
        auto *Several = BasicBlock::Create(Context, "tw_several", &F);
        B.SetInsertPoint(Fewer);
        B.CreateCondBr(B.CreateAnd(InOrder, B.CreateNot(B.CreateICmp(P.How, First, limitOf(B, P)))), None, Several);
        return emitFlags(P, Several);
    }
    auto *Mixed = BasicBlock::Create(Context, "tw_mixed", &F);
    B.CreateCondBr(B.CreateICmpEQ(Going, B.CreateTrunc(Length, B.getInt32Ty())), All, Fewer);
    B.SetInsertPoint(Fewer);
    B.CreateCondBr(B.CreateIsNull(Going), None, Mixed);
    return Mixed;
}

/* Blocks that only those lanes run that go on, each for itself. A loop goes on with the turn that its counter has. */
void Lanes::emitAlone(const Piece &P, ArrayRef<BasicBlock *> Blocks, BasicBlock *From, BasicBlock *To, bool IsRare)
{
    const auto Block = [&](const char *Name) { return BasicBlock::Create(Context, Name, &F); };
    auto *Loop = Block("tw_each"), *Out = Block("tw_each_end"), *Latch = Block("tw_each_latch");
    Lane At;
    At.Segment = SegmentOf[Blocks[0]];
    At.Head = Block("tw_alone");
    IRBuilder<> B(From);
    B.CreateBr(Loop);
    B.SetInsertPoint(Loop);
    PHINode *Index = B.CreatePHI(Size, 2, "tw_lane");
    At.Index = Index;
    At.Turn = B.CreateAdd(Base, Index, "", true, true);
    Value *Flag = B.CreateLoad(B.getInt8Ty(), B.CreateInBoundsGEP(B.getInt8Ty(), GoesOn, Index));
    B.CreateCondBr(B.CreateIsNotNull(Flag), At.Head, Latch);
    if (Number)
        At.Map[Number] = Index;
    for (BasicBlock *Old : Blocks)
        At.Map[Old] = BasicBlock::Create(Context, Old->getName() + ".alone", &F, Out);
    BranchInst::Create(cast<BasicBlock>(At.Map[Blocks[0]]), At.Head);
    SmallVector<std::pair<Instruction *, Instruction *>, 64> Copies;
    for (BasicBlock *Old : Blocks)
        for (Instruction &I : *Old) {
            if (isDropped(I))
                continue;
            Instruction *Copy = I.clone();
            Copy->insertInto(cast<BasicBlock>(At.Map[Old]), cast<BasicBlock>(At.Map[Old])->end());
            Copy->setMetadata(LLVMContext::MD_noalias, nullptr);
            Copy->setMetadata(LLVMContext::MD_alias_scope, nullptr);
            Copy->setMetadata(LLVMContext::MD_access_group, nullptr);
            At.Map[&I] = Copy;
            Copies.push_back({&I, Copy});
        }
    for (auto [Old, Copy] : Copies) {
        if (auto *Phi = dyn_cast<PHINode>(Copy)) {
            for (unsigned In = 0; In < Phi->getNumIncomingValues(); ++In) {
                auto Inside = At.Map.find(Phi->getIncomingBlock(In));
                const bool Begins = Inside == At.Map.end();
                Value *V = Phi->getIncomingValue(In);
                Phi->setIncomingValue(In, Begins && P.Is == Piece::Turns ? foreign(At, Old) : resolve(At, V));
                Phi->setIncomingBlock(In, Begins ? At.Head : cast<BasicBlock>(static_cast<Value *>(Inside->second)));
            }
            continue;
        }
        for (Use &U : Copy->operands())
            if (auto *Target = dyn_cast<BasicBlock>(U.get())) {
                auto Inside = At.Map.find(Target);
                U.set(Inside == At.Map.end() ? Out : static_cast<Value *>(Inside->second));
            } else if (isa<Instruction>(U.get()))
                U.set(resolve(At, U.get()));
    }
    for (BasicBlock *Old : Blocks)
        if (const llvm::Loop *Of = LI.getLoopFor(Old); IsRare && Of != &L && Of->getLoopLatch() == Old)
            setLoopMark(*cast<BasicBlock>(At.Map[Old])->getTerminator(), NotChanged);
    /* what others use */
    B.SetInsertPoint(Out);
    const auto Store = [&](Instruction *In, Value *V) {
        B.CreateStore(B.CreateZExtOrBitCast(resolve(At, V), Kept[In]->getAllocatedType()->getArrayElementType()),
                      element(B, At, In));
    };
    for (auto &Entry : Kept) {
        auto *Phi = dyn_cast<PHINode>(Entry.first);
        if (P.Is == Piece::Some) {
            if (Phi && Phi->getParent() == P.Past)
                for (unsigned In = 0; In < Phi->getNumIncomingValues(); ++In)
                    if (At.Map.count(Phi->getIncomingBlock(In)))
                        Store(Phi, Phi->getIncomingValue(In));
            continue;
        }
        if (!P.Inner->contains(Entry.first))
            continue;
        Value *V = Entry.first;
        if (Phi && !Joins.count(Phi->getParent()) && isCarried(*Phi))
            V = Phi->getIncomingValueForBlock(LI.getLoopFor(Phi->getParent())->getLoopLatch());
        if (auto *I = dyn_cast<Instruction>(V); !I || DT.dominates(I, P.Inner->getLoopLatch()->getTerminator()))
            Store(Entry.first, V);
    }
    B.CreateBr(Latch);
    B.SetInsertPoint(Latch);
    Value *Next = B.CreateAdd(Index, ConstantInt::get(Size, 1), "", true, true);
    Instruction *Back = B.CreateCondBr(B.CreateICmpULT(Next, Length), Loop, To);
    if (IsRare)
        setLoopMark(*Back, NotChanged);
    Index->addIncoming(ConstantInt::get(Size, 0), From);
    Index->addIncoming(Next, Latch);
}

/* A loop that all lanes leave together, or of which each takes the rest alone as soon as one leaves it. */
BasicBlock *Lanes::emitLoop(const Piece &P, BasicBlock *From)
{
    auto *Head = BasicBlock::Create(Context, "tw_turn", &F), *After = BasicBlock::Create(Context, "tw_turns_end", &F);
    IRBuilder<> B(From);
    if (!P.Last && P.Parts.back().Grows && !isa<ConstantInt>(Length)
        && !P.Inner->isInnermost()) { /* once, of loops in loops */
        B.CreateBr(Head);
        emitFewer(P, From, Head, nullptr, After);
        return After;
    }
    Value *Together = P.Last ? P.Last : turnsOfAll(B, P);
    B.CreateBr(Head);
    B.SetInsertPoint(Head);
    PHINode *Turn = B.CreatePHI(Size, 2, "tw_turn");
    Counter[P.Inner] = Turn;
    BasicBlock *End = emit(P.Parts, Head);
    B.SetInsertPoint(End);
    Value *Next = B.CreateAdd(Turn, ConstantInt::get(Size, 1), "", true, true);
    Turn->addIncoming(ConstantInt::get(Size, 0), From);
    Turn->addIncoming(Next, End);
    const auto KeepRolled = [&](Instruction *Back) { setLoopMark(*Back, "llvm.loop.unroll.runtime.disable"); };
    if (P.Last) {
        Instruction *Back = B.CreateCondBr(B.CreateICmpEQ(Turn, P.Last), After, Head);
        if (hasLoopMark(L, JammedMark)) /* has enough to do at once */
            KeepRolled(Back);
        return After;
    }
    if (!Together) {
        BasicBlock *Mixed = emitChoice(P.Parts.back(), End, Head, After);
        Counter[P.Inner] = Next;
        emitAlone(P, P.Inner->getBlocks(), Mixed, After);
        return After;
    }
    auto *Fewer = BasicBlock::Create(Context, "tw_fewer", &F);
    KeepRolled(B.CreateCondBr(B.CreateICmpEQ(Turn, Together), Fewer, Head));
    emitFewer(P, End, Fewer, Together, After);
    return After;
}

/* The rest of a loop's turns, behind turn `Before`, which all lanes have taken; without it, all of them. The first lanes go on
   together, fewer of them with each turn. Where lanes are not in order, those that are left go on alone. */
void Lanes::emitFewer(const Piece &P, BasicBlock *From, BasicBlock *Check, Value *Before, BasicBlock *After)
{
    const Piece &Final = P.Parts.back();
    Value *All = Length;
    auto *Some = BasicBlock::Create(Context, "tw_some_go_on", &F),
         *Ordered = BasicBlock::Create(Context, "tw_ordered", &F);
    auto *Alone = BasicBlock::Create(Context, "tw_not_ordered", &F);
    IRBuilder<> B(Check);
    PHINode *Turn = B.CreatePHI(Size, 2, "tw_turn"), *Lanes = B.CreatePHI(Size, 2, "tw_lanes");
    Counter[P.Inner] = Turn;
    Length = Lanes;
    Value *InOrder, *GoOn = lanesThatGoOn(B, Final, InOrder);
    if (!Before) {
        Before = ConstantInt::getSigned(Size, -1);
        Value *Begins = B.CreateICmpEQ(Turn, Before);
        InOrder = B.CreateOr(Begins, InOrder);
        GoOn = B.CreateSelect(Begins, All, GoOn);
    }
    B.CreateCondBr(InOrder, Ordered, Alone);
    B.SetInsertPoint(Ordered);
    B.CreateCondBr(B.CreateIsNull(GoOn), After, Some);
    B.SetInsertPoint(Some);
    Value *Next = B.CreateAdd(Turn, ConstantInt::get(Size, 1));
    Counter[P.Inner] = Next;
    Length = GoOn;
    BasicBlock *End = emit(P.Parts, Some);
    IRBuilder<>(End).CreateBr(Check);
    Turn->addIncoming(Before, From);
    Turn->addIncoming(Next, End);
    Lanes->addIncoming(All, From);
    Lanes->addIncoming(GoOn, End);
    Counter[P.Inner] = Turn;
    Length = Lanes;
    BasicBlock *Mixed = emitFlags(Final, Alone, /*IsRare=*/true);
    Counter[P.Inner] = IRBuilder<>(Mixed).CreateAdd(Turn, ConstantInt::get(Size, 1));
    emitAlone(P, P.Inner->getBlocks(), Mixed, After, /*IsRare=*/true);
    Length = All;
}

/* What all lanes do together, the first ones, or some alone. */
BasicBlock *Lanes::emitSome(const Piece &P, const Piece &Deciding, BasicBlock *From)
{
    const auto Block = [&](const char *Name) { return BasicBlock::Create(Context, Name, &F); };
    auto *After = Block("tw_some_end");
    const auto Together = [&](BasicBlock *Begin) { IRBuilder<>(emit(P.Parts, Begin)).CreateBr(After); };
    if (!Deciding.Grows) {
        auto *All = Block("tw_all");
        emitAlone(P, P.Blocks, emitChoice(Deciding, From, All, After), After);
        Together(All);
        return After;
    }
    auto *Ordered = Block("tw_ordered"), *Alone = Block("tw_not_ordered"), *Some = Block("tw_some_go_on"),
         *Fewer = Some;
    IRBuilder<> B(From);
    Value *InOrder, *GoOn = lanesThatGoOn(B, Deciding, InOrder), *Number = Length;
    B.CreateCondBr(InOrder, Ordered, Alone);
    emitAlone(P, P.Blocks, emitFlags(Deciding, Alone, /*IsRare=*/true), After, /*IsRare=*/true);
    B.SetInsertPoint(Ordered);
    if (isa<ConstantInt>(Length)) {
        auto *All = Block("tw_all");
        Fewer = Block("tw_fewer");
        B.CreateCondBr(B.CreateICmpEQ(GoOn, Length), All, Fewer);
        Together(All);
        B.SetInsertPoint(Fewer);
    }
    B.CreateCondBr(B.CreateIsNull(GoOn), After, Some);
    Length = GoOn;
    Together(Some);
    Length = Number;
    return After;
}

BasicBlock *Lanes::emit(const std::vector<Piece> &Parts, BasicBlock *From)
{
    const Piece *Before = nullptr;
    for (const Piece &P : Parts) {
        From = P.Is == Piece::Turns  ? emitLoop(P, From)
               : P.Is == Piece::Some ? emitSome(P, *Before, From)
                                     : emitSegment(P, From);
        Before = &P;
    }
    return From;
}

void expandTurns(std::vector<Piece> &Parts, ScalarEvolution &SE, Expander &Expand, Instruction *At, Type *Size)
{
    for (Piece &P : Parts) {
        if (P.Is == Piece::Turns && !P.Parts.back().Condition) {
            const SCEV *Turns = SE.getBackedgeTakenCount(P.Inner);
            Value *V = Expand.expandCodeFor(Turns, Turns->getType(), At->getIterator());
            P.Last = IRBuilder<>(At).CreateZExt(V, Size);
        }
        expandTurns(P.Parts, SE, Expand, At, Size);
    }
}

/* What has no begin in the chunks, has none and no end elsewhere. */
void Lanes::forgetLifetimes()
{
    SmallSetVector<Instruction *, 8> Marks;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (auto *Mark = dyn_cast<IntrinsicInst>(&I); Mark && Mark->isLifetimeStartOrEnd())
                for (User *U : Mark->getArgOperand(Mark->arg_size() - 1)->users())
                    if (cast<Instruction>(U)->isLifetimeStartOrEnd())
                        Marks.insert(cast<Instruction>(U));
    for (Instruction *Mark : Marks)
        Mark->eraseFromParent();
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
    forgetLifetimes();
    IRBuilder<> B(At);
    Last = B.CreateZExt(Last, Size);
    IRBuilder<> Entry(&*F.getEntryBlock().getFirstInsertionPt());
    for (auto &Kept_ : Kept) {
        Type *T = Kept_.first->getType()->isIntegerTy(1) ? Type::getInt8Ty(Context) : Kept_.first->getType();
        Kept_.second = Entry.CreateAlloca(ArrayType::get(T, Width), nullptr, "tw_lanes");
        Kept_.second->setAlignment(Align(64));
    }
    GoesOn = Entry.CreateAlloca(ArrayType::get(Entry.getInt8Ty(), Width), nullptr, "tw_goes_on");
    GoesOn->setAlignment(Align(64));
    if (const auto *Known = dyn_cast<SCEVConstant>(Turns); Known && Known->getAPInt().ult(Width - 1))
        Width = unsigned(Known->getAPInt().getZExtValue()) + 1;
    MDBuilder Scopes(Context);
    Scope = MDNode::get(Context, Scopes.createAnonymousAliasScope(Scopes.createAnonymousAliasScopeDomain("tw_lanes")));
    Group = this->At.keepsOrder(AA) ? MDNode::getDistinct(Context, {}) : nullptr;
    /* whole chunks, and the rest */
    Value *Total = B.CreateAdd(Last, ConstantInt::get(Size, 1));
    Value *Rest = B.CreateURem(Total, ConstantInt::get(Size, Width)), *Whole = B.CreateSub(Total, Rest);
    auto *Head = BasicBlock::Create(Context, "tw_chunk", &F), *Tail = BasicBlock::Create(Context, "tw_rest", &F);
    auto *Some = BasicBlock::Create(Context, "tw_some", &F), *Done = BasicBlock::Create(Context, "tw_done", &F);
    At->eraseFromParent();
    B.SetInsertPoint(Preheader);
    for (AllocaInst *All : OfLanes) /* loops may use the same place, one after the other */
        B.CreateLifetimeStart(All);
    beginReductions(B);
    BasicBlock *Begin = B.GetInsertBlock();
    B.CreateCondBr(B.CreateIsNull(Whole), Tail, Head);
    B.SetInsertPoint(Head);
    PHINode *First = B.CreatePHI(Size, 2, "tw_first");
    Base = First;
    Length = ConstantInt::get(Size, Width);
    BasicBlock *End = emit(Body, Head);
    B.SetInsertPoint(End);
    Value *Next = B.CreateAdd(First, Length, "", true, true);
    B.CreateCondBr(B.CreateICmpEQ(Next, Whole), Tail, Head);
    First->addIncoming(ConstantInt::get(Size, 0), Begin);
    First->addIncoming(Next, End);
    B.SetInsertPoint(Tail);
    B.CreateCondBr(B.CreateIsNull(Rest), Done, Some);
    Base = Whole;
    Length = Rest;
    End = emit(Body, Some);
    IRBuilder<>(End).CreateBr(Done);
    B.SetInsertPoint(Done);
    endReductions(B);
    for (AllocaInst *All : OfLanes)
        B.CreateLifetimeEnd(All);
    B.CreateBr(Exit);
    for (PHINode &Phi : Exit->phis()) {
        Value *V = Phi.getIncomingValueForBlock(L.getLoopLatch());
        if (Value *All = Folded.lookup(V))
            V = All;
        else if (auto *I = dyn_cast<Instruction>(V); I && L.contains(I))
            V = PoisonValue::get(Phi.getType()); /* is not used */
        Phi.addIncoming(V, B.GetInsertBlock());
    }
}

} // namespace tw_compiler
