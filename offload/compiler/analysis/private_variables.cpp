/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of a work-item that are in memory: arrays with a varying index, structures whose address is taken. Each lane of a vector has
 * one. Where all accesses are of one size, element k of all lanes lies side by side, so that an access by an index that all lanes have
 * in common is that of a vector:
 *
 *     float c[64];   becomes   float c[64][lanes];
 *     c[k]                     c[k][lane]
 *
 * Else, or where an address goes elsewhere, the variable of one lane is behind that of another one.
 */
#include "private_variables.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr uint64_t MostBytes = 4096; /* of a variable */

bool isEnd(const Instruction &I)
{
    return I.isLifetimeStartOrEnd() || isa<AssumeInst>(I);
}

/* What uses the address of a variable, behind steps from element to element; whether only loads and stores of elements do, none of them
   volatile or atomic: those are done for one lane after the other, by the address that the lane has. */
bool usesOf(AllocaInst &Variable, SmallVectorImpl<Instruction *> &Users)
{
    bool IsPlain = true;
    SmallVector<Instruction *, 16> Open{&Variable};
    SmallPtrSet<Instruction *, 16> Seen;
    while (!Open.empty())
        for (Use &U : Open.pop_back_val()->uses()) {
            auto *I = cast<Instruction>(U.getUser());
            if (!Seen.insert(I).second)
                continue;
            if (isa<GetElementPtrInst>(I) || isa<PHINode>(I) || isa<SelectInst>(I)) {
                IsPlain &= isa<GetElementPtrInst>(I);
                Open.push_back(I);
            } else if (!isEnd(*I)) {
                const auto *Store = dyn_cast<StoreInst>(I);
                IsPlain &= isa<LoadInst>(I) || (Store && getUnderlyingObject(Store->getValueOperand(), 0) != &Variable);
                IsPlain &= !I->isVolatile() && !I->isAtomic();
                Users.push_back(I);
            }
        }
    return IsPlain;
}

/* Addresses in a variable that are computed in front of a loop, and used in it, are computed in it. False: some are not just a step from
   element to element. */
bool bringInside(Instruction &Address, Value *Inside, Loop &L)
{
    for (User *U : make_early_inc_range(Address.users())) {
        auto *I = cast<Instruction>(U);
        if (L.contains(I) || isEnd(*I))
            continue;
        if (isa<PHINode>(I) || isa<SelectInst>(I))
            return false;
        if (!isa<GetElementPtrInst>(I))
            continue;
        Instruction *New = I->clone();
        if (Inside == &Address)
            New->insertBefore(L.getHeader()->getFirstInsertionPt());
        else
            New->insertAfter(cast<Instruction>(Inside));
        New->setOperand(0, Inside);
        I->replaceUsesWithIf(New, [&](Use &Of) { return L.contains(cast<Instruction>(Of.getUser())); });
        if (!bringInside(*I, New, L))
            return false;
        if (New->use_empty())
            New->eraseFromParent();
    }
    return true;
}

} // namespace

bool hasOnlyBytes(Type *T, const DataLayout &DL)
{
    return DL.getTypeSizeInBits(T) == 8 * DL.getTypeAllocSize(T);
}

std::optional<PrivatePlace> PrivateVariables::placeOf(Value *Address, const PrivateVariable &P) const
{
    const DataLayout &DL = L.getHeader()->getDataLayout();
    PrivatePlace Result;
    while (Address != P.Variable) {
        auto *Gep = dyn_cast<GEPOperator>(Address);
        if (!Gep || DL.getIndexTypeSizeInBits(Gep->getType()) != 64)
            return {};
        APInt Fixed(64, 0);
        Offsets Varying;
        if (!Gep->collectOffset(DL, 64, Varying, Fixed))
            return {};
        Result.Constant += Fixed.getSExtValue();
        for (auto &Part : Varying)
            Result.Parts[Part.first] += Part.second.getSExtValue();
        Address = Gep->getPointerOperand();
    }
    return Result;
}

const PrivateVariable *PrivateVariables::find(const Value *V) const
{
    for (const PrivateVariable &P : All)
        if (P.Variable == V)
            return &P;
    return nullptr;
}

const PrivateVariable *PrivateVariables::interleaved(const Value *Address) const
{
    while (const auto *Gep = dyn_cast<GEPOperator>(Address))
        Address = Gep->getPointerOperand();
    const PrivateVariable *P = find(Address);
    return P && P->Element ? P : nullptr;
}

const char *PrivateVariables::add(AllocaInst &Variable)
{
    SmallVector<Instruction *, 16> Users, Begins;
    if (!bringInside(Variable, &Variable, L))
        return "the address of a variable of a work-item is chosen in front of the loop over them";
    bool IsPlain = usesOf(Variable, Users);
    for (User *U : Variable.users())
        if (const auto *Begin = dyn_cast<IntrinsicInst>(U);
            Begin && Begin->getIntrinsicID() == Intrinsic::lifetime_start)
            Begins.push_back(cast<Instruction>(U));
    /* what it contains does not go from one work-item to the next, nor out of the loop */
    bool IsInside = false;
    for (const Instruction *I : Users) {
        IsInside |= L.contains(I);
        if (none_of(Begins, [&](const Instruction *Begin) {
                return L.contains(Begin) == L.contains(I) && DT.dominates(Begin, I);
            }))
            return "of a variable in memory that work-items share";
    }
    if (!IsInside || find(&Variable))
        return "of a variable in memory that work-items share";
    const DataLayout &DL = L.getHeader()->getDataLayout();
    const std::optional<TypeSize> Bytes = Variable.getAllocationSize(DL);
    if (!Bytes || Bytes->isScalable() || Bytes->getFixedValue() > MostBytes)
        return "of a variable of a work-item that is too large";
    PrivateVariable P{&Variable, Bytes->getFixedValue()};
    for (const Instruction *I : Users)
        if (IsPlain && L.contains(I)) {
            Type *T = getLoadStoreType(const_cast<Instruction *>(I));
            const uint64_t Element = DL.getTypeStoreSize(T).getFixedValue();
            const std::optional<PrivatePlace> At = placeOf(const_cast<Value *>(getLoadStorePointerOperand(I)), P);
            IsPlain = (P.Element == 0 || P.Element == Element) && isPowerOf2_64(Element) && hasOnlyBytes(T, DL) && At
                      && P.Bytes % Element == 0 && At->Constant % int64_t(Element) == 0
                      && all_of(At->Parts, [&](const auto &Part) { return Part.second % int64_t(Element) == 0; });
            P.Element = Element;
        }
    if (!IsPlain) {
        P.Element = 0;
        P.Bytes = alignTo(P.Bytes, Variable.getAlign()); /* that of each lane is aligned */
    }
    All.push_back(P);
    return nullptr;
}

} // namespace tw_compiler
