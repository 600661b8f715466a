/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the loops. Each region becomes
 *
 *     Before                 what the work-items of this region share is loaded
 *     loops over work-items
 *         Item               what this work-item kept is loaded, or computed again
 *         the region's blocks
 *     After                  goes on to the next region
 *
 * A value that another region uses is written to memory where it is computed: to a variable of the group if it is uniform, which the
 * optimizer turns into a register again; else to the work-item's element of an array. Since uniform values are loaded before the
 * loop and written inside, a work-item never sees what another one wrote in the same turn.
 *
 * What work-items keep is in loops_values.cpp.
 */
#include "loops.h"

#include "base/markers.h"
#include "base/marks.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace tw_compiler
{

void LoopMaker::findExtents()
{
    Prologue = K.Id[0]->getParent()->getTerminator();
    Writer Builder = at(Prologue);
    for (unsigned Level = 0; Level < 3; ++Level)
        Extent[Level] = K.Id[Level]->getArgOperand(1);
    Total =
        Builder.CreateMul(Builder.CreateMul(Extent[0], Extent[1], "", true, true), Extent[2], "tw_total", true, true);
}

/* Where work-items leave values for each other is a variable of the function, if the size of the group is constant and not too large:
   the optimizer keeps it in registers where that is possible. */
void LoopMaker::placeExchange()
{
    constexpr uint64_t BytesOfItem = 16;
    SmallVector<CallInst *, 1> Calls;
    for (Instruction &I : instructions(K.F))
        if (CallInst *Call = markerCall(I, ExchangeCall))
            Calls.push_back(Call);
    const auto *Items = dyn_cast<ConstantInt>(Total);
    for (CallInst *Call : Calls) {
        Call->getCalledFunction()->removeFnAttr(Attribute::NoInline); /* it has served */
        if (!Items || Items->getZExtValue() > MostItems || Call->use_empty())
            continue;
        auto *Bytes = ArrayType::get(Type::getInt8Ty(Context), (Items->getZExtValue() + 1) * BytesOfItem + 64);
        AllocaInst *Place = newScalar(Bytes, "tw_exchange");
        Place->setAlignment(Align(64));
        Place->setMetadata(SharedNote, MDNode::get(Context, {}));
        Call->replaceAllUsesWith(Place);
        Call->eraseFromParent();
    }
}

/* How many work-items share out a range, if that is known; else 1, which promises nothing. */
uint64_t LoopMaker::itemsOf(const Stride &Range) const
{
    uint64_t Items = 1;
    for (unsigned D = 0; D < 3; ++D)
        if (Stride::has(Range.Dimension, D)) {
            const auto *Known = dyn_cast<ConstantInt>(Extent[D]);
            if (!Known)
                return 1;
            Items *= Known->getZExtValue();
        }
    return Items;
}

/* The loops of a region. A group has one work-item at least; a range that it shares out may be empty. */
void LoopMaker::makeLoop(Region &R)
{
    R.Before = BasicBlock::Create(Context, "tw_before", &K.F, R.Head);
    R.Item = BasicBlock::Create(Context, "tw_item", &K.F, R.Head);
    K.RegionOf[R.Before] = K.RegionOf[R.Item] = unsigned(&R - K.Regions.data());
    struct Level {
        unsigned Number;
        Stride *Range;
        PHINode *Id;
    };
    SmallVector<Level, 3> Levels;
    for (unsigned Level = 0; Level < 3; ++Level) {
        const auto *Constant = dyn_cast<ConstantInt>(Extent[Level]);
        Stride *Range = nullptr;
        bool Replaced = false;
        for (Stride &Each : R.Strides) {
            if (Stride::first(Each.Dimension) == Level)
                Range = &Each;
            Replaced |= Stride::has(Each.Dimension, Level);
        }
        R.Id[Level] = ConstantInt::get(Size, 0);
        if (R.Items && R.Items->Dimension == Level && R.Items->Past - R.Items->Begin == 1)
            R.Id[Level] = ConstantInt::get(Size, R.Items->Begin);
        else if (Range || (!Replaced && R.Is != Kind::Once && R.Next && !(Constant && Constant->isOne())))
            Levels.push_back({Level, Range, nullptr});
    }
    IRBuilder<> Builder(R.Before);
    Builder.SetCurrentDebugLocation(K.Begin->getDebugLoc());
    BasicBlock *Past = R.Next ? BasicBlock::Create(Context, "tw_after", &K.F) : nullptr;
    const auto IsLess = [&](IRBuilder<> &B, const Stride &Range, Value *V) {
        Value *Result = B.CreateICmp(Range.Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, V, Range.Past);
        if (auto *Compare = dyn_cast<Instruction>(Result))
            Bounds.push_back({Compare, &R});
        return Result;
    };
    Value *Some = nullptr, *PastItems = nullptr; /* PastItems: of those that a region is for */
    if (R.Items) {
        R.Items->Branch->setCondition(Builder.getInt1(R.Items->Holds));
        Value *All = Extent[R.Items->Dimension], *Begin = ConstantInt::get(Size, R.Items->Begin);
        PastItems = Builder.CreateBinaryIntrinsic(Intrinsic::umin, All, ConstantInt::get(Size, R.Items->Past));
        if (Value *Any = R.Items->Begin ? Builder.CreateICmpULT(Begin, All) : Builder.getTrue();
            !match(Any, PatternMatch::m_One())) {
            BasicBlock *Loops = BasicBlock::Create(Context, "tw_before_some", &K.F, R.Item);
            K.RegionOf[Loops] = K.RegionOf[R.Before];
            Builder.CreateCondBr(Any, Loops, Past);
            Builder.SetInsertPoint(Loops);
        }
    }
    for (Level &Each : Levels) {
        BasicBlock *Outer = Builder.GetInsertBlock();
        BasicBlock *Head = &Each == &Levels.back() ? R.Item : BasicBlock::Create(Context, "tw_row", &K.F, R.Item);
        if (!R.Strides.empty() && !Some) {
            Some = Builder.getTrue();
            for (const Stride &Range : R.Strides)
                Some = Builder.CreateAnd(Some, IsLess(Builder, Range, Range.Begin));
            Builder.CreateCondBr(Some, Head, Past);
        } else
            Builder.CreateBr(Head);
        Builder.SetInsertPoint(Head);
        Type *T = Each.Range ? Each.Range->At->getType() : Size;
        Each.Id = Builder.CreatePHI(T, 2, Each.Range ? "tw_element" : "tw_id");
        const bool OfItems = R.Items && R.Items->Dimension == Each.Number;
        Each.Id->addIncoming(Each.Range ? Each.Range->Begin : ConstantInt::get(Size, OfItems ? R.Items->Begin : 0),
                             Outer);
        if (Each.Range) {
            if (isa<Instruction>(Each.Range->Begin))
                Bounds.push_back({Each.Id, &R});
            Each.Range->At->replaceAllUsesWith(Each.Id);
            Each.Range->At->eraseFromParent();
            K.Varying[Each.Id] = true;
        } else
            R.Id[Each.Number] = Each.Id;
    }
    if (Levels.empty()) {
        Builder.CreateBr(R.Item);
        Builder.SetInsertPoint(R.Item);
    }
    if (R.Strides.empty()) {
        Value *Row = Builder.CreateAdd(Builder.CreateMul(R.Id[0], Extent[1], "", true, true), R.Id[1], "", true, true);
        R.Linear =
            Builder.CreateAdd(Builder.CreateMul(Row, Extent[2], "", true, true), R.Id[2], "tw_linear", true, true);
    }
    Builder.CreateBr(R.Head);
    if (!R.Next)
        return;
    After.push_back({Past, R.Next});
    for (Level &Each : Levels) { /* the end of a turn */
        auto *Latch = BasicBlock::Create(Context, "tw_latch", &K.F);
        K.RegionOf[Latch] = K.RegionOf[R.Before];
        IRBuilder<> End(Latch);
        End.SetCurrentDebugLocation(K.Begin->getDebugLoc());
        const bool Signed = Each.Range && Each.Range->Signed;
        Value *Next =
            End.CreateAdd(Each.Id, ConstantInt::get(Each.Id->getType(), 1), "", !Signed, !Each.Range || Signed);
        Value *More = Each.Range
                          ? IsLess(End, *Each.Range, Next)
                          : End.CreateICmpULT(Next, R.Items && R.Items->Dimension == Each.Number ? PastItems
                                                                                                 : Extent[Each.Number]);
        Instruction *Back = End.CreateCondBr(More, Each.Id->getParent(), Past);
        const char *Mark = &Each == &Levels.back() ? ItemsMark : &Each + 1 == &Levels.back() ? RowsMark : PlanesMark;
        if (!R.Rare)
            Back->setMetadata(LLVMContext::MD_loop,
                              loopMetadata(Context, Mark, Each.Range ? itemsOf(*Each.Range) : UINT64_MAX));
        Each.Id->addIncoming(Next, Latch);
        Past = Latch;
    }
    R.End->getTerminator()->setSuccessor(0, Past);
}

/* The line of a barrier behind `From`; 0: there is only the end. */
int LoopMaker::lineBehind(BasicBlock *From)
{
    SmallPtrSet<BasicBlock *, 8> Seen;
    SmallVector<BasicBlock *, 8> Open{From};
    for (size_t I = 0; I < Open.size(); ++I) {
        Region *R = K.regionOf(Open[I]);
        if (!R || !Seen.insert(Open[I]).second)
            continue;
        if (R->Is == Kind::Barrier)
            return R->Line;
        if (R->Next)
            Open.push_back(R->Next);
        else
            append_range(Open, successors(R->Head));
    }
    return 0;
}

/* A decision that may differ: how many work-items are for it is counted, and it is taken if that is all or none of them. */
void LoopMaker::countDecision(Region &R)
{
    auto *Branch = cast<BranchInst>(R.Head->getTerminator());
    if (isUniform(K, Branch->getCondition()))
        return;
    Region &From = *find_if(K.Regions, [&](const Region &Before) { return Before.Next == R.Head; });
    const int Line[2] = {lineBehind(Branch->getSuccessor(0)), lineBehind(Branch->getSuccessor(1))};
    AllocaInst *Count = newScalar(Size, "tw_count");
    at(From.Before->getTerminator()).CreateStore(ConstantInt::get(Size, 0), Count);
    Writer Counting = at(From.End->getTerminator());
    Value *More = Counting.CreateZExt(Branch->getCondition(), Size);
    Counting.CreateStore(Counting.CreateAdd(Counting.CreateLoad(Size, Count), More), Count);

    R.End = SplitBlock(R.Head, Branch);
    Instruction *Old = R.Head->getTerminator();
    Writer Deciding = at(Old);
    Value *For = Deciding.CreateLoad(Size, Count);
    Value *All = Deciding.CreateICmpEQ(For, Total), *None = Deciding.CreateICmpEQ(For, ConstantInt::get(Size, 0));
    auto *Mixed = BasicBlock::Create(Context, "tw_mixed", &K.F);
    Deciding.CreateCondBr(Deciding.CreateOr(All, None), R.End, Mixed, MDBuilder(Context).createBranchWeights(2000, 1));
    Old->eraseFromParent();
    Branch->setCondition(All);

    IRBuilder<> Giving(Mixed);
    Giving.SetCurrentDebugLocation(K.Begin->getDebugLoc());
    auto *Diverge = cast<Function>(K.Begin->getArgOperand(2)->stripPointerCasts());
    Value *Against = Giving.CreateSub(Total, For);
    const bool First = Line[0] != 0; /* those who take the first way are at a barrier */
    Giving.CreateCall(Diverge,
                      {K.Begin->getArgOperand(0), First ? For : Against, First ? Against : For,
                       Giving.getInt32(unsigned(Line[First ? 0 : 1])), Giving.getInt32(unsigned(Line[First ? 1 : 0]))});
    Giving.CreateUnreachable();
}

void LoopMaker::connectBlocks()
{
    Prologue->setSuccessor(0, entry(Prologue->getSuccessor(0)));
    for (auto &Loop : After) {
        BranchInst *Branch = BranchInst::Create(entry(Loop.second), Loop.first);
        Branch->setDebugLoc(K.Begin->getDebugLoc());
    }
    for (Region &R : K.Regions)
        if (R.Is == Kind::Decision) {
            Instruction *Branch = (R.End ? R.End : R.Head)->getTerminator();
            for (unsigned I = 0; I < Branch->getNumSuccessors(); ++I)
                Branch->setSuccessor(I, entry(Branch->getSuccessor(I)));
        }
}

/* Without memory the group does not run; the launch has been told. */
void LoopMaker::checkMemory()
{
    if (Arrays.empty())
        return;
    Writer Builder = at(Prologue);
    Value *Missing = Builder.getFalse();
    for (Value *Array : Arrays)
        Missing = Builder.CreateOr(Missing, Builder.CreateIsNull(Array));
    BasicBlock *Exit = nullptr;
    for (Region &R : K.Regions)
        Exit = R.Is == Kind::Exit ? R.Head : Exit;
    Builder.CreateCondBr(Missing, Exit, Prologue->getSuccessor(0), MDBuilder(Context).createBranchWeights(1, 2000));
    Prologue->eraseFromParent();
}

bool LoopMaker::run()
{
    findExtents();
    placeExchange();
    dropLifetimes();
    for (Region &R : K.Regions)
        if (R.hasLoop())
            makeLoop(R);
    for (Region &R : K.Regions)
        if (R.hasLoop())
            demotePhis(R);
    for (Region &R : K.Regions)
        if (R.Is == Kind::Decision && isa<BranchInst>(R.Head->getTerminator()))
            countDecision(R);
    connectUses();
    connectBlocks();
    checkMemory();
    for (CallInst *Marker : {K.Id[0], K.Id[1], K.Id[2], K.Begin}) {
        Marker->replaceAllUsesWith(PoisonValue::get(Marker->getType()));
        Marker->eraseFromParent();
    }
    EliminateUnreachableBlocks(K.F);
    return K.Why.empty();
}

bool makeLoops(Kernel &K)
{
    return LoopMaker(K).run();
}

} // namespace tw_compiler
