/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic operations that need not be atomic. One thread runs all work-items of a group, and nobody else has its local memory: a relaxed
 * operation there is an ordinary access. It becomes one only when all loops over work-items are as they will be: up to then none of
 * its parts may change places with those of another work-item.
 */
#include "compiler.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

using namespace llvm;

namespace tw_compiler
{

/* Whether an address is in local memory whose size the launch gives: that of the thread, too. */
static bool isOfLaunch(const Value *Address)
{
    while (const auto *Place = dyn_cast<GEPOperator>(Address))
        Address = Place->getPointerOperand();
    const auto *Call = dyn_cast<IntrinsicInst>(Address);
    return Call && Call->getIntrinsicID() == Intrinsic::strip_invariant_group;
}

static bool isOfThread(const Value *Address)
{
    return isLocalVariable(getUnderlyingObject(Address)) || isOfLaunch(Address);
}

/* Whether an address is in local memory, or in a variable of the function. */
bool isLocal(const Value *Address)
{
    return isa<AllocaInst>(getUnderlyingObject(Address)) || isOfThread(Address);
}

/* Whether an instruction is a relaxed atomic operation that no other thread can see: on local memory, whose size the kernel or the
   launch gives. An address of a variable of the program, _Thread_local or not, may be known to other threads. */
bool isOrdinaryAtomic(const Instruction &I)
{
    const auto IsOrdinary = [](const Value *Address, AtomicOrdering Order, bool IsVolatile) {
        return !IsVolatile && !isStrongerThanMonotonic(Order) && isOfThread(Address);
    };
    if (const auto *Load = dyn_cast<LoadInst>(&I))
        return Load->isAtomic() && IsOrdinary(Load->getPointerOperand(), Load->getOrdering(), Load->isVolatile());
    if (const auto *Store = dyn_cast<StoreInst>(&I))
        return Store->isAtomic() && IsOrdinary(Store->getPointerOperand(), Store->getOrdering(), Store->isVolatile());
    if (const auto *Change = dyn_cast<AtomicRMWInst>(&I))
        return IsOrdinary(Change->getPointerOperand(), Change->getOrdering(), Change->isVolatile());
    if (const auto *Change = dyn_cast<AtomicCmpXchgInst>(&I))
        return IsOrdinary(Change->getPointerOperand(), Change->getMergedOrdering(), Change->isVolatile());
    return false;
}

/* Makes ordinary accesses of such operations. */
bool makeOrdinary(Function &F, FunctionAnalysisManager &)
{
    bool Changed = false;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        if (!isOrdinaryAtomic(I))
            continue;
        if (auto *Load = dyn_cast<LoadInst>(&I))
            Load->setAtomic(AtomicOrdering::NotAtomic);
        else if (auto *Store = dyn_cast<StoreInst>(&I))
            Store->setAtomic(AtomicOrdering::NotAtomic);
        else if (auto *Change = dyn_cast<AtomicRMWInst>(&I))
            lowerAtomicRMWInst(Change);
        else
            lowerAtomicCmpXchgInst(cast<AtomicCmpXchgInst>(&I));
        Changed = true;
    }
    return Changed;
}

} // namespace tw_compiler
