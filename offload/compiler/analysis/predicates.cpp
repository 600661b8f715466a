/* SPDX-License-Identifier: Apache-2.0 */
/* Small questions about functions, instructions and addresses. */
#include "predicates.h"

#include "base/contract.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/TargetParser/Triple.h>

using namespace llvm;

namespace tw_compiler
{

bool isForNvidia(const Module &M)
{
    return Triple(M.getTargetTriple()).isNVPTX();
}

/* Whether a function is a kernel of a GPU. */
bool isKernel(const Function &F)
{
    return F.getCallingConv() == CallingConv::PTX_Kernel || F.hasFnAttribute("kernel");
}

/* Whether all kinds of vectors can be masked. */
bool hasMasks(const Function &F)
{
    return F.getFnAttribute("target-features").getValueAsString().contains("+avx512f");
}

/* What only tells the optimizer something. */
bool isDropped(const Instruction &I)
{
    return isa<AssumeInst>(I) || isa<NoAliasScopeDeclInst>(I) || isa<DbgInfoIntrinsic>(I) || I.isLifetimeStartOrEnd();
}

/* Whether an instruction of a loop is used behind it: that of the last turn. */
bool isUsedBehind(const Instruction &I, const Loop &L)
{
    return any_of(I.users(), [&](const User *U) { return !L.contains(cast<Instruction>(U)); });
}

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

/* Whether an address is computed from a value, in up to so many steps less than eight. */
bool reachesAddress(const Value *V, unsigned Depth)
{
    for (const User *U : V->users())
        if (isa<GetElementPtrInst>(U)
            || (Depth < 8
                && (isa<BinaryOperator>(U) || isa<CastInst>(U) || isa<SelectInst>(U) || isa<MinMaxIntrinsic>(U)
                    || isa<PHINode>(U))
                && reachesAddress(U, Depth + 1)))
            return true;
    return false;
}

} // namespace tw_compiler
