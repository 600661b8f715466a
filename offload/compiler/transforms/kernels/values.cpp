/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which values are the same for all work-items of a group: they are kept once. Which ones are cheap to compute again from those
 * and from the ids: they are not kept at all. And which variables in memory each work-item needs for itself.
 */
#include "kernel.h"

#include "base/markers.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostRecomputed = 24; /* instructions, for one value */
constexpr unsigned DivisionCost = 6;

bool isId(const Kernel &K, const Value *V)
{
    return V == K.Id[0] || V == K.Id[1] || V == K.Id[2];
}

bool isPrivate(const Kernel &K, const Value *V)
{
    return isa<AllocaInst>(V) && is_contained(K.Private, V);
}

/* The address of what all work-items read before the next barrier. */
bool isOfAll(const Value *Address)
{
    const auto *Call = dyn_cast<CallInst>(Address);
    return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == SameMarker;
}

/* Neither reads nor writes, and has one value for the same operands in the same place. */
bool isPure(const Instruction &I)
{
    if (isa<PHINode>(I) || isa<AllocaInst>(I) || I.isTerminator() || I.isEHPad())
        return false;
    if (auto *Call = dyn_cast<CallBase>(&I))
        return isOfAll(&I)
               || (isa<IntrinsicInst>(I) && Call->doesNotAccessMemory() && !Call->isConvergent() && Call->willReturn());
    return !I.mayReadOrWriteMemory() && !I.mayHaveSideEffects();
}

/* Memory that nobody writes while work-items run. */
bool isConstantMemory(const Kernel &K, const LoadInst &Load)
{
    if (!Load.isSimple())
        return false;
    if (Load.hasMetadata(LLVMContext::MD_invariant_load))
        return true;
    const Value *Object = getUnderlyingObject(Load.getPointerOperand());
    if (auto *Global = dyn_cast<GlobalVariable>(Object))
        return Global->isConstant();
    return K.Constant.count(Object) != 0;
}

/* Memory that work-items share. What one of them reads there, no other one writes before the next barrier, or it were a data race. So all
   that read the same place find the same. */
bool isSharedMemory(const LoadInst &Load)
{
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(Load.getPointerOperand(), Objects, nullptr, 0);
    return Load.isSimple() && none_of(Objects, [](const Value *Object) { return isa<AllocaInst>(Object); });
}

/* Uses of a variable's address, and of what is computed from it. False: one is a store of the address itself. */
bool collectUses(Value *Address, SmallVectorImpl<Use *> &Uses, SmallPtrSetImpl<Value *> &Seen)
{
    for (Use &U : Address->uses()) {
        auto *User = cast<Instruction>(U.getUser());
        if (auto *Store = dyn_cast<StoreInst>(User); Store && Store->getValueOperand() == Address)
            return false;
        Uses.push_back(&U);
        if ((isa<GetElementPtrInst>(User) || isa<CastInst>(User) || isa<PHINode>(User) || isa<SelectInst>(User))
            && User->getType()->isPointerTy() && Seen.insert(User).second && !collectUses(User, Uses, Seen))
            return false;
    }
    return true;
}

bool onlyReads(const Use &U)
{
    const auto *User = cast<Instruction>(U.getUser());
    if (isa<LoadInst>(User) || isa<ICmpInst>(User) || User->isLifetimeStartOrEnd())
        return true;
    if (auto *Copy = dyn_cast<MemTransferInst>(User))
        return U.getOperandNo() == 1 && !Copy->isVolatile();
    return User->getType()->isPointerTy() && !isa<CallBase>(User); /* an address computed from it */
}

/* Whether a variable lives for one visit of one region only: then a single one serves all work-items in turn. */
bool isTransient(Kernel &K, AllocaInst &Variable, ArrayRef<Use *> Uses)
{
    SmallVector<const Instruction *, 4> Starts;
    Region *Only = nullptr;
#if LLVM_VERSION_MAJOR >= 22
    if (PointerMayBeCaptured(&Variable, false))
#else
    if (PointerMayBeCaptured(&Variable, false, true))
#endif
        return false;
    for (Use *U : Uses) {
        Region *R = K.regionOf(*U);
        if (Only && R != Only)
            return false;
        Only = R;
        if (auto *Call = dyn_cast<IntrinsicInst>(U->getUser()))
            if (Call->getIntrinsicID() == Intrinsic::lifetime_start)
                Starts.push_back(Call);
    }
    for (Use *U : Uses) {
        const auto *User = cast<Instruction>(U->getUser());
        if (onlyReads(*U) && User->getType()->isPointerTy() && !isa<LoadInst>(User))
            continue;
        if (!User->isLifetimeStartOrEnd()
            && none_of(Starts, [&](const Instruction *Start) { return K.DT.dominates(Start, User); }))
            return false;
    }
    return true;
}

/* Addresses that were computed between regions, and that work-items use, are computed where they are used: each work-item has a place of
   its own. */
void sinkAddresses(Kernel &K, Value &Address)
{
    for (User *Of : SmallVector<User *, 8>(Address.users())) {
        auto *I = dyn_cast<Instruction>(Of);
        if (!I || !(isa<GetElementPtrInst>(I) || isa<CastInst>(I)) || !I->getType()->isPointerTy()
            || K.regionOf(I->getParent()))
            continue;
        sinkAddresses(K, *I);
        SmallDenseMap<Instruction *, Instruction *> Own; /* in front of what */
        for (Use &U : make_early_inc_range(I->uses())) {
            if (!K.regionOf(U))
                continue;
            auto *At = cast<Instruction>(U.getUser());
            if (auto *Phi = dyn_cast<PHINode>(At))
                At = Phi->getIncomingBlock(U)->getTerminator();
            Instruction *&There = Own[At];
            if (!There) {
                There = I->clone();
                There->insertBefore(At->getIterator());
            }
            U.set(There);
        }
        if (I->use_empty())
            I->eraseFromParent();
    }
}

/* Decides about a variable: the group's, which work-items only read; or a work-item's own. */
bool collectVariable(Kernel &K, AllocaInst &Variable)
{
    sinkAddresses(K, Variable);
    SmallVector<Use *, 16> Uses, Before;
    SmallPtrSet<Value *, 16> Seen;
    const bool Followed = collectUses(&Variable, Uses, Seen);
    bool ByItems = false, Written = false;
    for (Use *U : Uses) {
        const bool Inside = K.regionOf(*U) != nullptr;
        ByItems |= Inside;
        Written |= !Inside && !onlyReads(*U);
    }
    if (Followed && !ByItems)
        return true;
    if (Written) {
        const auto Change = find_if(Uses, [&](Use *U) { return K.regionOf(*U) && !onlyReads(*U); });
        if (!Followed || Change != Uses.end())
            return K.refuse("work-items may change a variable of the group, or hand it to a function elsewhere",
                            Change != Uses.end() ? cast<Instruction>((*Change)->getUser()) : nullptr);
        K.Constant[&Variable] = true;
        return true;
    }
    if (Variable.getAlign().value() > 64)
        return K.refuse("a variable is aligned to more than 64 bytes");
    if (Followed && isTransient(K, Variable, Uses))
        return true;
    for (const Use &U : Variable.uses())
        if (!K.regionOf(U))
            return K.refuse("a work-item's variable is used by the group", cast<Instruction>(U.getUser()));
    K.Private.push_back(&Variable);
    return true;
}

/* Whether work-items may go different ways inside of a region. */
bool diverges(const Kernel &K, const Region &R)
{
    for (const BasicBlock *Block : R.Blocks) {
        const Instruction *End = Block->getTerminator();
        if (End->getNumSuccessors() > 1 && !isUniform(K, End->getOperand(0)))
            return true;
    }
    return false;
}

bool isVarying(const Kernel &K, const Region &R, bool Diverges, const Instruction &I)
{
    const auto Uniform = [&](const Value *Operand) { return isUniform(K, Operand); };
    if (auto *Phi = dyn_cast<PHINode>(&I))
        return (Diverges && Phi->getParent() != R.Head) || !all_of(Phi->incoming_values(), Uniform);
    if (auto *Load = dyn_cast<LoadInst>(&I))
        return !(isConstantMemory(K, *Load) || isSharedMemory(*Load)) || !isUniform(K, Load->getPointerOperand());
    return !isPure(I) || !all_of(I.operand_values(), Uniform);
}

/* Everything is uniform until found otherwise. */
void findVarying(Kernel &K)
{
    for (bool More = true; More;) {
        More = false;
        for (const Region &R : K.Regions) {
            const bool Diverges = diverges(K, R);
            for (const BasicBlock *Block : R.Blocks)
                for (const Instruction &I : *Block)
                    if (!I.getType()->isVoidTy() && !K.Varying.count(&I) && isVarying(K, R, Diverges, I)) {
                        K.Varying[&I] = true;
                        More = true;
                    }
        }
    }
}

/* The barriers, or the return, that may come first behind a block. */
SmallPtrSet<const BasicBlock *, 8> firstBarriers(Kernel &K, BasicBlock *From)
{
    SmallPtrSet<const BasicBlock *, 8> Result, Seen;
    SmallVector<BasicBlock *, 8> Open{From};
    while (!Open.empty()) {
        BasicBlock *Block = Open.pop_back_val();
        if (!Seen.insert(Block).second)
            continue;
        const Region *R = K.regionOf(Block);
        if (R->Head == Block && (R->Is == Kind::Barrier || R->Is == Kind::Once || R->Is == Kind::Exit))
            Result.insert(Block);
        else
            append_range(Open, successors(Block));
    }
    return Result;
}

/* A branch that decides about barriers and is not known to be uniform is looked at when the kernel runs, and then another way of
   one work-item is an error. It must not be one if all of them come to the same barrier nevertheless. */
bool checkDecision(Kernel &K, const Region &R)
{
    const auto *Branch = R.Head->getTerminator();
    if (isUniform(K, Branch->getOperand(0)))
        return true;
    if (!isa<BranchInst>(Branch))
        return K.refuse("a switch decides about barriers", Branch);
    const auto First = firstBarriers(K, Branch->getSuccessor(0)), Second = firstBarriers(K, Branch->getSuccessor(1));
    for (const BasicBlock *Head : First)
        if (Second.count(Head))
            return K.refuse("of a branch that may differ among work-items before the same barrier", Branch);
    return true;
}

/* What a value costs to compute again; more than MostRecomputed if that is not possible. */
unsigned costOf(const Kernel &K, const Value *V, unsigned Budget)
{
    if (isUniform(K, V) || isId(K, V) || isPrivate(K, V))
        return 0;
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Budget == 0 || !canRecompute(*I))
        return MostRecomputed + 1;
    unsigned Cost = I->getOpcode() == Instruction::UDiv || I->getOpcode() == Instruction::SDiv
                            || I->getOpcode() == Instruction::URem || I->getOpcode() == Instruction::SRem
                        ? DivisionCost
                        : 1;
    for (const Value *Operand : I->operand_values()) {
        if (Cost >= Budget)
            return MostRecomputed + 1;
        Cost += costOf(K, Operand, Budget - Cost);
    }
    return Cost;
}

} // namespace

bool isUniform(const Kernel &K, const Value *V)
{
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
        return true;
    if (isId(K, V)) {
        const auto *Extent = dyn_cast<ConstantInt>(cast<CallInst>(V)->getArgOperand(1));
        return Extent && Extent->isOne();
    }
    return !isPrivate(K, V) && !K.Varying.count(V);
}

bool canRecompute(const Instruction &I)
{
    return isPure(I) && !isa<FreezeInst>(I);
}

bool isRecomputed(const Kernel &K, const Value *V)
{
    return costOf(K, V, MostRecomputed) <= MostRecomputed;
}

bool classify(Kernel &K)
{
    for (Instruction &I : K.F.getEntryBlock())
        if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && !collectVariable(K, *Variable))
            return false;
    findVarying(K);
    for (const Region &R : K.Regions)
        if (R.Is == Kind::Once && (!R.Next || K.regionOf(R.Next)->Is != Kind::Barrier))
            return K.refuse("of a group function");
    for (const Region &R : K.Regions)
        if (R.Is == Kind::Decision && !checkDecision(K, R))
            return false;
    return true;
}

} // namespace tw_compiler
