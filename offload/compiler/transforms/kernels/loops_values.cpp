/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What work-items keep from one region to another (loops.cpp). Uniform values are variables of the group; others are elements of arrays,
 * or are computed again in the regions that use them.
 */
#include "loops.h"

#include "base/marks.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>

using namespace llvm;

namespace tw_compiler
{

/* Room for so many bytes of each work-item. In a group of constant size it is a variable of the function, as long as all of them are
   small: the optimizer then keeps values in registers where it can, and knows that nobody else changes them. */
Value *LoopMaker::newArray(uint64_t Bytes)
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
Value *LoopMaker::element(Region &R, Value *Array, Type *Of)
{
    Value *&Result = Inside[{&R, Array}];
    if (!Result)
        Result = at(R.Item->getTerminator()).CreateInBoundsGEP(Of, Array, R.Linear);
    return Result;
}

AllocaInst *LoopMaker::newScalar(Type *Of, const Twine &Name)
{
    return at(&*K.F.getEntryBlock().begin()).CreateAlloca(Of, DL.getAllocaAddrSpace(), nullptr, Name);
}

/* In memory a truth value is a byte. */
static Type *inMemory(Type *T)
{
    return T->isIntegerTy(1) ? Type::getInt8Ty(T->getContext()) : T;
}

void LoopMaker::store(Value *V, Value *Place, bool Uniform, Region &R, Instruction *Before)
{
    Type *T = inMemory(V->getType());
    Value *Where = Uniform ? Place : element(R, Place, T);
    Writer Builder = at(Before);
    Builder.CreateStore(Builder.CreateZExtOrBitCast(V, T), Where);
}

Value *LoopMaker::load(Type *Of, Value *Place, bool Uniform, Region &R)
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
        K.Varying[Loaded] = true;
        K.Varying[Result] = true;
    }
    return Result;
}

/* The regions that come behind one, up to, not including, another. */
DenseSet<const Region *> LoopMaker::behind(Region &From, const Region &End)
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
bool LoopMaker::mayShare(PHINode &Phi, Value *V, Region &Chooses, ArrayRef<Value *> Sharing)
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
void LoopMaker::demotePhis(Region &R)
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
void LoopMaker::keep(Instruction *V, Value *Place, bool Uniform)
{
    store(V, Place, Uniform, *K.regionOf(V->getParent()),
          isa<PHINode>(V) ? &*V->getParent()->getFirstInsertionPt() : V->getNextNode());
}

/* The place of a value that other regions use. */
Value *LoopMaker::place(Instruction *V)
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
Value *LoopMaker::variable(Region &R, AllocaInst *Variable)
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
Value *LoopMaker::again(Region &R, Instruction *I)
{
    Instruction *Copy = I->clone();
    for (Use &Operand : Copy->operands())
        Operand.set(inside(R, Operand.get()));
    Copy->insertBefore(R.Item->getTerminator()->getIterator());
    return Copy;
}

/* What stands for a value in a region that did not compute it. */
Value *LoopMaker::inside(Region &R, Value *V)
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
void LoopMaker::connectUses()
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
void LoopMaker::dropLifetimes()
{
    for (AllocaInst *Variable : K.Private)
        for (User *User : make_early_inc_range(Variable->users()))
            if (cast<Instruction>(User)->isLifetimeStartOrEnd())
                cast<Instruction>(User)->eraseFromParent();
}

} // namespace tw_compiler
