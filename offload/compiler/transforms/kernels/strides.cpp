/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops in which the work-items of a group share out a range, each with every so many of its elements:
 *
 *     for (at = id; at < count; at += size)                      element(at)
 *     for (first = 0; first < count; first += size)              element(first + id)
 *
 * All turns of all work-items together are the elements, one after the other: the loop becomes a region of its own, whose work-items
 * are these. So neighbours in the loop over them are neighbours in memory, and no work-item has fewer turns than another one. `id` and
 * `size` are those of one dimension, or the linear ones of the last two dimensions or of all. A loop in such a loop, of another
 * dimension, becomes a part of the same region.
 *
 * A work-item takes its own elements in the same order as before; the new loop says how many elements they are apart. A loop stays as it
 * is if a work-item has anything else of its own in it: values that go from turn to turn, variables, or other ids.
 *
 * `at = first + id` may wrap around for some work-items and not for others: an unsigned `id - 1` does. Where it is not known that it does
 * not, the group finds out, and then runs the loop as it was.
 *
 *     strides_keep.cpp  keeps such loops from being unrolled before
 *     strides_sums.cpp  values as sums of products of ids and uniform values
 *     strides_find.cpp  which loops are such
 *     strides.cpp       makes regions of them
 */
#include "strides.h"

#include "base/marks.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

class Sharer
{
  public:
    explicit Sharer(Kernel &K) : K(K)
    {
        for (unsigned D = 0; D < 3; ++D)
            I.add(D, *K.Id[D]);
    }
    void run();

  private:
    Kernel &K;
    Ids I;
    Value *Wraps = nullptr; /* by guard() */

    static bool isOutermost(const Loop &L, const Region &R);
    static bool isOnly(const Loop &L, const Region &R);
    bool keepsVariable(const Loop &L);
    static Value *guardOf(const Shared &S);
    Value *itemsOf(IRBuilder<> &B, const Shared &S) const;
    Region keepLoop(const Shared &S, BasicBlock *Exit);
    void guard(const Shared &S, Stride &New);
    void straighten(Shared &S, Region &R, StrideFinder &Find);
    bool share(Loop &L, unsigned Number);
};

bool Sharer::isOutermost(const Loop &L, const Region &R)
{
    for (const Loop *Around = L.getParentLoop(); Around; Around = Around->getParentLoop())
        if (Around->getHeader() != R.Head && is_contained(R.Blocks, Around->getHeader()))
            return false;
    return true;
}

/* Whether nothing else happens in the region. */
bool Sharer::isOnly(const Loop &L, const Region &R)
{
    for (BasicBlock *Block : R.Blocks)
        for (Instruction &J : *Block)
            if (!L.contains(Block) && (J.mayHaveSideEffects() || any_of(J.users(), [&](const User *U) {
                                           return !is_contained(R.Blocks, cast<Instruction>(U)->getParent());
                                       })))
                return false;
    return true;
}

/* Whether a variable that a work-item keeps is used in a loop: one that is used elsewhere too, or whose contents may go from turn to turn,
   as where a function elsewhere has its address. Elements have none of their own. */
bool Sharer::keepsVariable(const Loop &L)
{
    for (Instruction &J : K.F.getEntryBlock()) {
        if (!isa<AllocaInst>(J) || J.hasMetadata(SharedNote) || K.Constant.count(&J))
            continue;
        bool In = false, Out = false;
        SmallVector<Instruction *, 16> Open{&J};
        SmallPtrSet<Instruction *, 16> Seen;
        while (!Open.empty())
            for (User *U : Open.pop_back_val()->users()) {
                auto *By = cast<Instruction>(U);
                (L.contains(By) ? In : Out) = true;
                if (By->getType()->isPointerTy() && Seen.insert(By).second)
                    Open.push_back(By);
            }
        if (In && (Out || is_contained(K.Private, &J)))
            return true;
    }
    return false;
}

/* If a loop does nothing for elements from some number on, this number; else null. */
Value *Sharer::guardOf(const Shared &S)
{
    BasicBlock *Body = S.Branch->getSuccessor(S.L->contains(S.Branch->getSuccessor(0)) ? 0 : 1);
    BasicBlock *Latch = S.L->getLoopLatch();
    auto *Branch = dyn_cast<BranchInst>(Body->getTerminator());
    auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (!Compare || Body == Latch || !Body->getSinglePredecessor() || !isa<Constant>(Compare->getOperand(1)))
        return nullptr;
    auto *Element = dyn_cast<Instruction>(Compare->getOperand(0));
    const auto At = S.Elements.find(Element);
    if (At == S.Elements.end() || At->second.Terms.size() != 1 || At->second.times({S.Counter}) != 1)
        return nullptr;
    CmpInst::Predicate Predicate = Compare->getPredicate();
    BasicBlock *Otherwise = Branch->getSuccessor(1);
    if (Otherwise != Latch) {
        Otherwise = Branch->getSuccessor(0);
        Predicate = CmpInst::getInversePredicate(Predicate);
    }
    for (BasicBlock *Block : {Body, Latch})
        if (any_of(*Block, [](const Instruction &J) { return J.mayHaveSideEffects(); }))
            return nullptr;
    if (Otherwise != Latch || Predicate != (S.Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT))
        return nullptr;
    return Compare->getOperand(1);
}

/* How many work-items share out a range. */
Value *Sharer::itemsOf(IRBuilder<> &B, const Shared &S) const
{
    Value *Items = ConstantInt::get(S.Counter->getType(), 1);
    for (unsigned D = 0; D < 3; ++D)
        if (Stride::has(S.Dimension, D))
            Items = B.CreateMul(Items, B.CreateZExtOrTrunc(I.Extent[D], Items->getType()));
    return Items;
}

/* The range is empty if the counter of some work-item wraps around before its first turn; `Wraps` says so. */
void Sharer::guard(const Shared &S, Stride &New)
{
    IRBuilder<> B(New.Front->getTerminator());
    Type *T = S.Counter->getType();
    Value *Items = itemsOf(B, S);
    const unsigned Bits = T->getIntegerBitWidth();
    Value *Most = ConstantInt::get(T, (S.Signed ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits)) + 1);
    Wraps = B.CreateICmp(S.Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT, New.Begin, B.CreateSub(Most, Items));
    New.Past = B.CreateSelect(Wraps, New.Begin, S.Bound);
}

/* A copy of the loop, as a region that goes on to `Exit`. */
Region Sharer::keepLoop(const Shared &S, BasicBlock *Exit)
{
    ValueToValueMapTy Map;
    Region Kept;
    Kept.Is = Kind::Join;
    Kept.Rare = true;
    Kept.Head = BasicBlock::Create(K.F.getContext(), "tw_wraps", &K.F, Exit);
    Kept.End = BasicBlock::Create(K.F.getContext(), "tw_wrapped", &K.F, Exit);
    Kept.Next = Exit;
    Map[S.L->getLoopPreheader()] = Kept.Head;
    Map[Exit] = Kept.End;
    Kept.Blocks.push_back(Kept.Head);
    for (BasicBlock *Block : S.L->blocks()) {
        BasicBlock *Copy = CloneBasicBlock(Block, Map, ".wraps", &K.F);
        Map[Block] = Copy;
        Kept.Blocks.push_back(Copy);
        for (auto [Old, New] : zip(*Block, *Copy))
            if (K.Varying.count(&Old))
                K.Varying[&New] = true;
    }
    remapInstructionsInBlocks(ArrayRef(Kept.Blocks).drop_front(), Map);
    Kept.Blocks.push_back(Kept.End);
    BranchInst::Create(cast<BasicBlock>(Map[S.L->getHeader()]), Kept.Head)->setDebugLoc(S.Branch->getDebugLoc());
    BranchInst::Create(Exit, Kept.End)->setDebugLoc(S.Branch->getDebugLoc());
    return Kept;
}

/* The loop's body becomes that of one element. */
void Sharer::straighten(Shared &S, Region &R, StrideFinder &Find)
{
    BasicBlock *Preheader = S.L->getLoopPreheader(), *Latch = S.L->getLoopLatch(), *Header = S.L->getHeader();
    BasicBlock *Exit = S.L->getExitBlock();
    BasicBlock *Front = R.Strides.empty() ? Preheader : R.Strides[0].Front;
    IRBuilder<> Before(Front->getTerminator());
    Type *T = S.Counter->getType();
    Stride New{};
    New.Front = Front;
    New.Dimension = S.Dimension;
    New.Signed = S.Signed;
    if (S.ByGroup) { /* whole turns of the group */
        Value *Size = itemsOf(Before, S);
        New.Begin = S.Start;
        Value *Some = Before.CreateICmp(S.Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, S.Start, S.Bound);
        Value *Last =
            Before.CreateUDiv(Before.CreateSub(Before.CreateSub(S.Bound, S.Start), ConstantInt::get(T, 1)), Size);
        Value *Whole = Before.CreateMul(Before.CreateAdd(Last, ConstantInt::get(T, 1)), Size);
        New.Past = Before.CreateSelect(Some, Before.CreateAdd(S.Start, Whole), S.Start);
        if (Value *Most = guardOf(S)) {
            const Intrinsic::ID Least = S.Signed ? Intrinsic::smin : Intrinsic::umin;
            New.Past = Before.CreateBinaryIntrinsic(Least, New.Past, Most);
        }
    } else {
        Sum From = *Find.sum(S.Start);
        From.add(Find.linear(S.Dimension), ~uint64_t(0));
        New.Begin = write(Before, From.low(T->getIntegerBitWidth()), T, nullptr, nullptr);
        New.Past = S.Bound;
        if (!S.InOrder)
            guard(S, New);
    }
    New.At = Before.Insert(new FreezeInst(PoisonValue::get(T)), "tw_element"); /* until there is a loop */
    New.At->moveBefore(*Header, Header->getFirstInsertionPt());
    K.Varying[New.At] = true;
    for (auto &Element : S.Elements) {
        IRBuilder<ConstantFolder, IRBuilderCallbackInserter> Here(
            Element.first->getContext(), ConstantFolder(),
            IRBuilderCallbackInserter([&](Instruction *Made) { K.Varying[Made] = true; }));
        Here.SetInsertPoint(Element.first);
        Element.first->replaceAllUsesWith(write(Here, Element.second, Element.first->getType(), S.Counter, New.At));
    }
    S.Counter->replaceAllUsesWith(New.At);
    S.Counter->eraseFromParent();
    BasicBlock *Body = S.Branch->getSuccessor(S.L->contains(S.Branch->getSuccessor(0)) ? 0 : 1);
    auto *Branch = BranchInst::Create(Body, S.Branch->getIterator());
    Branch->setDebugLoc(S.Branch->getDebugLoc());
    S.Branch->eraseFromParent();
    Latch->getTerminator()->setSuccessor(0, Exit);
    Latch->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
    R.Strides.push_back(New);
}

bool Sharer::share(Loop &L, unsigned Number)
{
    Region &R = K.Regions[Number];
    if (!R.hasLoop() || R.Is == Kind::Once || !R.Next || !R.End || !isOutermost(L, R) || L.getHeader() == R.Head
        || !K.DT.dominates(L.getHeader(), R.End)
        || any_of(L.blocks(), [&](BasicBlock *Block) { return !is_contained(R.Blocks, Block); }))
        return false;
    const auto Uniform = [&](const Value *V) {
        if (isa<AllocaInst>(V))
            return K.Constant.count(V) != 0;
        return isUniform(K, V);
    };
    SmallVector<BasicBlock *, 8> Around;
    if (!R.Strides.empty())
        Around = R.Blocks;
    StrideFinder Find(I, Uniform, Around);
    std::optional<Shared> S = Find.find(L);
    if (!S || keepsVariable(L))
        return false;
    for (BasicBlock *Block :
         L.blocks()) /* values of other regions, or places of this one, that it would have to keep */
        for (Instruction &J : *Block)
            for (Value *Operand : J.operands()) {
                auto *Of = dyn_cast<Instruction>(Operand);
                if (Of && !L.contains(Of) && !isa<AllocaInst>(Of) && !Uniform(Of) && !I.isId(Of) && !isRecomputed(K, Of)
                    && (R.Strides.empty() || !is_contained(R.Blocks, Of->getParent())))
                    return false;
            }
    if (!R.Strides.empty()) { /* another dimension of the same elements */
        for (const Stride &Other : R.Strides)
            if (Other.Dimension < 0 || S->Dimension < 0 || Other.Dimension == S->Dimension)
                return false;
        for (Value *V : {S->Start, S->Bound})
            if (auto *Of = dyn_cast<Instruction>(V);
                Of && !Uniform(Of) ? false : Of && is_contained(R.Blocks, Of->getParent()))
                return false;
        if (!S->InOrder || !isOnly(L, R))
            return false;
        straighten(*S, R, Find);
        K.DT.recalculate(K.F);
        return true;
    }
    BasicBlock *Preheader = L.getLoopPreheader(), *Header = L.getHeader(), *Latch = L.getLoopLatch();
    BasicBlock *Exit = L.getExitBlock();
    if (Preheader == R.End || Exit == R.Next || !is_contained(R.Blocks, Preheader) || !is_contained(R.Blocks, Exit))
        return false;
    Region Inside, Behind;
    Inside.Is = Behind.Is = Kind::Join;
    Inside.Head = Header;
    Inside.Blocks.assign(L.block_begin(), L.block_end());
    Inside.End = Latch;
    Inside.Next = Exit;
    Region Kept, Choice;
    if (!S->InOrder) {
        Kept = keepLoop(*S, Exit);
        Choice.Is = Kind::Decision;
        Choice.Head = BasicBlock::Create(K.F.getContext(), "tw_wraps_any", &K.F, Exit);
        Choice.Blocks.push_back(Choice.Head);
    }
    straighten(*S, Inside, Find);
    if (!S->InOrder) {
        Latch->getTerminator()->setSuccessor(0, Choice.Head);
        BranchInst::Create(Kept.Head, Exit, Wraps, Choice.Head)->setDebugLoc(Latch->getTerminator()->getDebugLoc());
        Inside.Next = Choice.Head;
    }
    K.DT.recalculate(K.F);
    Behind.Head = Exit;
    Behind.End = R.End;
    Behind.Next = R.Next;
    SmallVector<BasicBlock *, 8> Front;
    for (BasicBlock *Block : R.Blocks)
        if (K.DT.dominates(Exit, Block))
            Behind.Blocks.push_back(Block);
        else if (!is_contained(Inside.Blocks, Block))
            Front.push_back(Block);
    R.Blocks = Front;
    R.End = Preheader;
    R.Next = Header;
    const auto Add = [&](const Region &New) {
        for (BasicBlock *Block : New.Blocks)
            K.RegionOf[Block] = unsigned(K.Regions.size());
        K.Regions.push_back(New);
    };
    const bool InOrder = S->InOrder;
    Add(Inside); /* R is gone */
    Add(Behind);
    if (!InOrder) {
        Add(Choice);
        Add(Kept);
    }
    return true;
}

void Sharer::run()
{
    for (bool More = true; More;) {
        More = false;
        LoopInfo LI(K.DT);
        for (Loop *L : LI.getLoopsInPreorder()) {
            const auto At = K.RegionOf.find(L->getHeader());
            if (At != K.RegionOf.end() && !K.Regions[At->second].Items && !K.Regions[At->second].Rare
                && share(*L, At->second)) {
                ++K.Shared;
                More = true;
                break;
            }
        }
    }
}

} // namespace

void shareLoops(Kernel &K)
{
    Sharer(K).run();
}

} // namespace tw_compiler
