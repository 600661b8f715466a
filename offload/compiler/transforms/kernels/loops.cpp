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
 */
#include "kernel.h"

#include "base/markers.h"
#include "base/marks.h"

#include <utility>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* Writes in front of an instruction; what it writes has the kernel's place in the source. */
class Writer : public IRBuilder<>
{
  public:
    Writer(Instruction *Before, const DebugLoc &Where) : IRBuilder<>(Before)
    {
        SetCurrentDebugLocation(Where);
    }
};

class Maker
{
  public:
    explicit Maker(Kernel &K)
        : K(K), DL(K.F.getParent()->getDataLayout()), Context(K.F.getContext()), Size(DL.getIntPtrType(Context))
    {
    }
    bool run();

  private:
    Kernel &K;
    const DataLayout &DL;
    LLVMContext &Context;
    IntegerType *Size;
    Value *Extent[3] = {nullptr, nullptr, nullptr};
    Value *Total = nullptr;
    Instruction *Prologue = nullptr; /* its last instruction: what is inserted there is done once a group */
    static constexpr uint64_t MostItems = 1024, MostOnStack = 32 << 10; /* of a group of constant size; bytes */
    uint64_t OnStack = 0;
    SmallVector<Value *, 8> Arrays;
    DenseMap<Value *, Value *>
        PlaceOf; /* memory of a value, or a variable: a scalar if that is uniform, else an array */
    DenseMap<std::pair<Region *, Value *>, Value *> Inside;
    SmallVector<std::pair<Instruction *, Region *>, 8> Bounds;    /* use what a range begins and ends with */
    SmallVector<std::pair<BasicBlock *, BasicBlock *>, 16> After; /* behind a loop, and the head to go on to */

    Writer at(Instruction *Before) const
    {
        return Writer(Before, K.Begin->getDebugLoc());
    }
    void findExtents();
    void placeExchange();
    uint64_t itemsOf(const Stride &Range) const;
    void makeLoop(Region &R);
    Value *newArray(uint64_t Bytes);
    Value *element(Region &R, Value *Array, Type *Of);
    AllocaInst *newScalar(Type *Of, const Twine &Name);
    void store(Value *V, Value *Place, bool Uniform, Region &R, Instruction *Before);
    Value *load(Type *Of, Value *Place, bool Uniform, Region &R);
    DenseSet<const Region *> behind(Region &From, const Region &End);
    bool mayShare(PHINode &Phi, Value *V, Region &Chooses, ArrayRef<Value *> Sharing);
    void demotePhis(Region &R);
    void keep(Instruction *V, Value *Place, bool Uniform);
    Value *place(Instruction *V);
    Value *variable(Region &R, AllocaInst *Variable);
    Value *again(Region &R, Instruction *I);
    Value *inside(Region &R, Value *V);
    void connectUses();
    void dropLifetimes();
    int lineBehind(BasicBlock *From);
    void countDecision(Region &R);
    void connectBlocks();
    void checkMemory();
    BasicBlock *entry(BasicBlock *Head)
    {
        Region *R = K.regionOf(Head);
        return R && R->hasLoop() ? R->Before : Head;
    }
};

void Maker::findExtents()
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
void Maker::placeExchange()
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
uint64_t Maker::itemsOf(const Stride &Range) const
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
void Maker::makeLoop(Region &R)
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
            K.Varying.insert(Each.Id);
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

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Room for so many bytes of each work-item. In a group of constant size it is a variable of the function, as long as all of them are
   small: the optimizer then keeps values in registers where it can, and knows that nobody else changes them. */
Value *Maker::newArray(uint64_t Bytes)
{
    const auto *Items = dyn_cast<ConstantInt>(Total);
    const uint64_t Room = Items && Items->getZExtValue() <= MostItems && Bytes <= MostOnStack
                              ? alignTo(Items->getZExtValue() * Bytes, 64)
                              : MostOnStack + 1;
    if (OnStack + Room <= MostOnStack) {
        OnStack += Room;
        AllocaInst *Array = newScalar(ArrayType::get(Type::getInt8Ty(Context), Room), "tw_kept");
        Array->setAlignment(Align(64));
        Array->setMetadata(SharedNote, MDNode::get(Context, {})); /* each work-item has its own element */
        return Array;
    }
    auto *Memory = cast<Function>(K.Begin->getArgOperand(1)->stripPointerCasts());
    Writer Builder = at(Prologue);
    auto *Call = Builder.CreateCall(
        Memory, {K.Begin->getArgOperand(0), Builder.CreateMul(Total, ConstantInt::get(Size, Bytes))}, "tw_kept");
    Call->addRetAttr(Attribute::NoAlias);
    Call->addRetAttr(Attribute::getWithAlignment(Context, Align(64)));
    Arrays.push_back(Call);
    return Call;
}

/* The work-item's own, at the head of a region. */
Value *Maker::element(Region &R, Value *Array, Type *Of)
{
    Value *&Result = Inside[{&R, Array}];
    if (!Result)
        Result = at(R.Item->getTerminator()).CreateInBoundsGEP(Of, Array, R.Linear);
    return Result;
}

AllocaInst *Maker::newScalar(Type *Of, const Twine &Name)
{
    return at(&*K.F.getEntryBlock().begin()).CreateAlloca(Of, DL.getAllocaAddrSpace(), nullptr, Name);
}

/* In memory a truth value is a byte. */
Type *inMemory(Type *T)
{
    return T->isIntegerTy(1) ? Type::getInt8Ty(T->getContext()) : T;
}

void Maker::store(Value *V, Value *Place, bool Uniform, Region &R, Instruction *Before)
{
    Type *T = inMemory(V->getType());
    Value *Where = Uniform ? Place : element(R, Place, T);
    Writer Builder = at(Before);
    Builder.CreateStore(Builder.CreateZExtOrBitCast(V, T), Where);
}

Value *Maker::load(Type *Of, Value *Place, bool Uniform, Region &R)
{
    Type *T = inMemory(Of);
    Instruction *Where = Uniform && R.Before ? R.Before->getTerminator()
                         : R.Item            ? R.Item->getTerminator()
                                             : &*R.Head->getFirstInsertionPt();
    Value *Address = Uniform ? Place : element(R, Place, T);
    Writer Builder = at(Where);
    Value *Loaded = Builder.CreateLoad(T, Address);
    Value *Result = Builder.CreateTruncOrBitCast(Loaded, Of);
    if (!Uniform) {
        K.Varying.insert(Loaded);
        K.Varying.insert(Result);
    }
    return Result;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The regions that come behind one, up to, not including, another. */
DenseSet<const Region *> Maker::behind(Region &From, const Region &End)
{
    DenseSet<const Region *> Seen;
    SmallVector<Region *, 8> Open{&From};
    while (!Open.empty()) {
        Region &R = *Open.pop_back_val();
        SmallVector<BasicBlock *, 2> Next;
        if (R.hasLoop() && R.Next)
            Next.push_back(R.Next);
        else if (!R.hasLoop())
            append_range(Next, successors(R.Head));
        for (BasicBlock *Head : Next)
            if (Region *To = K.regionOf(Head); To && To != &End && Seen.insert(To).second)
                Open.push_back(To);
    }
    return Seen;
}

/* Whether a value may be kept where a head finds what it chooses, so that it need not be copied there: what that was before is not
   used any more when the value is computed, and the value is used up before the group is at the head again. `Sharing` are kept there. */
bool Maker::mayShare(PHINode &Phi, Value *V, Region &Chooses, ArrayRef<Value *> Sharing)
{
    auto *I = dyn_cast<Instruction>(V);
    Region *Home = I ? K.regionOf(I->getParent()) : nullptr;
    if (!Home || !Home->hasLoop() || Home->Is == Kind::Once || !Home->Strides.empty() || isUniform(K, I)
        || PlaceOf.count(I) || is_contained(K.Private, I) || isRecomputed(K, I)
        || (isa<PHINode>(I) && I->getParent() == Home->Head))
        return false;
    const DenseSet<const Region *> Later = behind(*Home, Chooses), Before = behind(Chooses, *Home);
    for (Value *Other : Sharing) {
        Region *From = K.regionOf(cast<Instruction>(Other)->getParent());
        if (From == Home || Later.count(From) || behind(*From, Chooses).count(Home))
            return false;
    }
    for (const Use &U : Phi.uses())
        if (const Region *By = K.regionOf(U);
            Later.count(By) || By->Is == Kind::Once) /* Once: is perhaps computed again elsewhere */
            return false;
    for (const Use &U : I->uses()) {
        const Region *By = K.regionOf(U);
        if (U.getUser() != &Phi && By != Home
            && (!Later.count(By) || Before.count(By) || By == &Chooses || By->Is == Kind::Once))
            return false;
    }
    return true;
}

/* What a head chooses by where the group comes from is written there. That place is changed only where the group goes on to this
   head, so other regions find the value there, too. */
void Maker::demotePhis(Region &R)
{
    while (auto *Phi = dyn_cast<PHINode>(&R.Head->front())) {
        const bool Uniform = isUniform(K, Phi);
        Type *T = inMemory(Phi->getType());
        Value *Place = Uniform ? newScalar(T, "tw_chosen") : newArray(DL.getTypeAllocSize(T));
        SmallVector<Value *, 2> Sharing;
        for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I) {
            BasicBlock *From = Phi->getIncomingBlock(I);
            Value *V = Phi->getIncomingValue(I);
            if (is_contained(Sharing, V))
                continue;
            if (!Uniform && mayShare(*Phi, V, R, Sharing)) {
                keep(cast<Instruction>(V), Place, false);
                PlaceOf[V] = Place;
                Sharing.push_back(V);
            } else
                store(V, Place, Uniform, *K.regionOf(From), From->getTerminator());
        }
        Value *Loaded = load(Phi->getType(), Place, Uniform, R);
        PlaceOf[Loaded] = Place;
        Phi->replaceAllUsesWith(Loaded);
        Phi->eraseFromParent();
    }
}

/* Writes a value to its place where it is computed. */
void Maker::keep(Instruction *V, Value *Place, bool Uniform)
{
    store(V, Place, Uniform, *K.regionOf(V->getParent()),
          isa<PHINode>(V) ? &*V->getParent()->getFirstInsertionPt() : V->getNextNode());
}

/* The place of a value that other regions use. */
Value *Maker::place(Instruction *V)
{
    Value *&Place = PlaceOf[V];
    if (Place)
        return Place;
    const bool Uniform = isUniform(K, V);
    Region &Home = *K.regionOf(V->getParent());
    Type *T = inMemory(V->getType());
    if (!Uniform && Home.Is == Kind::Once)
        K.refuse("of a group function's value", V);
    Value *Made = Uniform ? newScalar(T, "tw_shared") : newArray(DL.getTypeAllocSize(T));
    keep(V, Made, Uniform);
    return PlaceOf[V] = Made;
}

/* A work-item's own variable, in one array with those of the others. */
Value *Maker::variable(Region &R, AllocaInst *Variable)
{
    const uint64_t Bytes =
        DL.getTypeAllocSize(Variable->getAllocatedType()) * cast<ConstantInt>(Variable->getArraySize())->getZExtValue();
    const uint64_t Stride = alignTo(Bytes, Variable->getAlign());
    Value *&Place = PlaceOf[Variable];
    if (!Place)
        Place = newArray(Stride);
    return element(R, Place, ArrayType::get(Type::getInt8Ty(Context), Stride));
}

/* Computes a value again. */
Value *Maker::again(Region &R, Instruction *I)
{
    Instruction *Copy = I->clone();
    for (Use &Operand : Copy->operands())
        Operand.set(inside(R, Operand.get()));
    Copy->insertBefore(R.Item->getTerminator()->getIterator());
    return Copy;
}

/* What stands for a value in a region that did not compute it. */
Value *Maker::inside(Region &R, Value *V)
{
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
        return V;
    for (unsigned Level = 0; Level < 3; ++Level)
        if (I == K.Id[Level])
            return R.Id[Level];
    const bool Own = is_contained(K.Private, I);
    Region *Home = K.regionOf(I->getParent());
    if (!Own && (!Home || Home == &R))
        return V;
    if (Value *Known = Inside.lookup({&R, V}))
        return Known;
    Value *Result;
    if (Own)
        Result = variable(R, cast<AllocaInst>(I));
    else if (isUniform(K, I))
        Result = load(I->getType(), place(I), true, R);
    else if (!PlaceOf.count(I) && (isRecomputed(K, I) || (Home->Is == Kind::Once && canRecompute(*I))))
        Result = again(R, I);
    else
        Result = load(I->getType(), place(I), false, R);
    return Inside[{&R, V}] = Result;
}

/* Brings what a branch depends on in its own block to its place. */
static void moveConditions(Instruction *Before, Value *V)
{
    auto *I = dyn_cast<Instruction>(V);
    if (!I || I->getParent() != Before->getParent() || !(isa<CmpInst>(I) || isa<BinaryOperator>(I)))
        return;
    I->moveBefore(*Before->getParent(), Before->getIterator());
    for (Value *Operand : I->operands())
        moveConditions(I, Operand);
}

/* Gives every use a value of its own region. All of them are found before any is changed: to compute a value again, the
   operands must still be what they were. */
void Maker::connectUses()
{
    struct Foreign {
        Use *At;
        Region *R;
    };
    SmallVector<Foreign, 64> Uses;
    for (Region &R : K.Regions)
        for (BasicBlock *Block : R.Blocks)
            for (Instruction &I : *Block)
                for (Use &Operand : I.operands())
                    if (isa<Instruction>(Operand.get()))
                        Uses.push_back({&Operand, K.regionOf(Operand)});
    for (auto &[At, R] : Bounds)
        for (Use &Operand : At->operands())
            if (auto *I = dyn_cast<Instruction>(Operand.get()); I && K.regionOf(I->getParent()) != R)
                Uses.push_back({&Operand, R});
    SmallVector<Value *, 64> Values;
    for (const Foreign &U : Uses)
        Values.push_back(inside(*U.R, U.At->get()));
    for (size_t I = 0; I < Uses.size(); ++I)
        Uses[I].At->set(Values[I]);
    for (Region &R : K.Regions) /* behind what was loaded now */
        if (!R.Strides.empty())
            if (auto *Branch = dyn_cast<BranchInst>(R.Before->getTerminator()); Branch && Branch->isConditional())
                moveConditions(Branch, Branch->getCondition());
}

/* The lifetime of a variable that became an element of an array is the group's. */
void Maker::dropLifetimes()
{
    for (AllocaInst *Variable : K.Private)
        for (User *User : make_early_inc_range(Variable->users()))
            if (cast<Instruction>(User)->isLifetimeStartOrEnd())
                cast<Instruction>(User)->eraseFromParent();
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

/* The line of a barrier behind `From`; 0: there is only the end. */
int Maker::lineBehind(BasicBlock *From)
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
void Maker::countDecision(Region &R)
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

/* ---- all together ------------------------------------------------------------------------------------------------ */

void Maker::connectBlocks()
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
void Maker::checkMemory()
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

bool Maker::run()
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

} // namespace

bool makeLoops(Kernel &K)
{
    return Maker(K).run();
}

} // namespace tw_compiler
