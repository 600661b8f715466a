/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays of a work-item, in memory since their index varies. Lanes need one each:
 *
 *     float c[64];   becomes   float c[64][lanes];
 *     c[k]                     c[k][lane]
 *
 * so that neighbouring lanes touch neighbouring memory.
 */
#include "lanes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr uint64_t MostOfArrays = 4096; /* bytes of a work-item */
constexpr uint64_t MostOfChunk =
    32 * 1024;                       /* bytes of as many lanes as are useful: what a cache of the first level holds */
constexpr uint64_t MostCleared = 64; /* elements, by stores of their own */

/* Bytes from the begin of a variable, as a sum of values by factors. False: it is not such a sum. */
bool offsetOf(Value *Address, const DataLayout &DL, const Value *Variable, SmallMapVector<Value *, int64_t, 4> &Parts,
              int64_t &Constant)
{
    while (Address != Variable) {
        auto *Gep = dyn_cast<GEPOperator>(Address);
        if (!Gep)
            return false;
        APInt Fixed(64, 0);
#if LLVM_VERSION_MAJOR >= 22
        SmallMapVector<Value *, APInt, 4> Varying;
#else
        MapVector<Value *, APInt> Varying;
#endif
        if (DL.getIndexTypeSizeInBits(Gep->getType()) != 64 || !Gep->collectOffset(DL, 64, Varying, Fixed))
            return false;
        Constant += Fixed.getSExtValue();
        for (auto &Part : Varying)
            Parts[Part.first] += Part.second.getSExtValue();
        Address = Gep->getPointerOperand();
    }
    return true;
}

} // namespace

/* Whether a call fills an array of a work-item with zeros, say. */
bool Lanes::isClearing(const Instruction &I) const
{
    const auto *Set = dyn_cast<MemSetInst>(&I);
    return Set
           && any_of(Arrays, [&](const OwnArray &A) { return A.Variable == getUnderlyingObject(Set->getDest(), 0); });
}

/* Notes a variable if each work-item has it for itself, as an array of elements of one size. */
const char *Lanes::addArray(AllocaInst &Variable)
{
    SmallVector<Instruction *, 16> Open{&Variable}, Begins, Touching;
    bool IsInside = false;
    while (!Open.empty())
        for (User *U : Open.pop_back_val()->users()) {
            auto *I = cast<Instruction>(U);
            if (isa<GetElementPtrInst>(I)) {
                Open.push_back(I);
                continue;
            }
            if (I->isLifetimeStartOrEnd()) {
                if (cast<IntrinsicInst>(I)->getIntrinsicID() == Intrinsic::lifetime_start)
                    Begins.push_back(I);
                continue;
            }
            const auto *Store = dyn_cast<StoreInst>(I);
            if ((!isa<LoadInst>(I) && !Store && !isa<MemSetInst>(I))
                || (Store && getUnderlyingObject(Store->getValueOperand(), 0) == &Variable))
                return "the address of a variable of a work-item is kept or passed on";
            Touching.push_back(I);
            IsInside |= L.contains(I);
        }
    if (!IsInside || At.Own.count(&Variable))
        return "of a variable in memory that work-items share";
    /* what it contains does not go from one work-item to the next, nor out of the loop */
    for (const Instruction *I : Touching)
        if (none_of(Begins, [&](const Instruction *Begin) {
                return L.contains(Begin) == L.contains(I) && DT.dominates(Begin, I);
            }))
            return "of a variable in memory that work-items share";
    const std::optional<TypeSize> Bytes = Variable.getAllocationSize(DL);
    if (!Bytes || Bytes->isScalable() || Bytes->getFixedValue() > MostOfArrays)
        return "of an array of a work-item that is too large";
    OwnArray A{&Variable, Bytes->getFixedValue(), 0};
    for (Instruction *I : Touching)
        if (!isa<MemSetInst>(I) && L.contains(I)) {
            const uint64_t Element = DL.getTypeStoreSize(getLoadStoreType(I));
            if ((A.Element != 0 && A.Element != Element) || !isPowerOf2_64(Element) || Element > 8)
                return "of a variable of a work-item whose elements differ in size";
            A.Element = Element;
        }
    for (Instruction *I : Touching) {
        if (!L.contains(I))
            continue;
        SmallMapVector<Value *, int64_t, 4> Parts;
        int64_t Constant = 0;
        auto *Set = dyn_cast<MemSetInst>(I);
        if (!offsetOf(Set ? Set->getDest() : getLoadStorePointerOperand(I), DL, &Variable, Parts, Constant))
            return "the address of a variable of a work-item is kept or passed on";
        const auto *Length = Set ? dyn_cast<ConstantInt>(Set->getLength()) : nullptr;
        if (A.Element == 0 || Constant % int64_t(A.Element) != 0
            || any_of(Parts, [&](auto &Part) { return Part.second % int64_t(A.Element) != 0; })
            || (Length && Length->getZExtValue() % A.Element != 0))
            return "of a variable of a work-item whose elements differ in size";
        if (Set
            && (!Length || Set->isVolatile() || !isa<ConstantInt>(Set->getValue())
                || Length->getZExtValue() / A.Element > MostCleared))
            return "a large array of a work-item is cleared";
    }
    Arrays.push_back(A);
    At.Own.insert(&Variable);
    return nullptr;
}

bool Lanes::findArrays()
{
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (auto *Set = dyn_cast<MemSetInst>(&I); Set && !isClearing(I)) {
                auto *Variable = dyn_cast<AllocaInst>(getUnderlyingObject(Set->getDest(), 0));
                if (const char *Reason = Variable ? addArray(*Variable) : "memory is cleared as a whole in it")
                    return refuse(Reason, &I);
            }
    while (Instruction *Variable = At.sharedVariable())
        if (const char *Reason = addArray(*cast<AllocaInst>(Variable)))
            return refuse(Reason, Variable);
    uint64_t Bytes = 0;
    for (const OwnArray &A : Arrays)
        Bytes += A.Bytes;
    if (Bytes > MostOfArrays)
        return refuse("of arrays of a work-item that are too large", Arrays[0].Variable);
    if (Bytes > 0)
        for (MostWidth = unsigned(std::min<uint64_t>(MostLanes, Apart));
             MostWidth > LeastLanes && MostWidth * Bytes > MostOfChunk;)
            MostWidth /= 2;
    return true;
}

/* Gives each lane its array, where `Lane` stands for its number. */
SmallVector<AllocaInst *, 2> Lanes::expandArrays(Value &Lane)
{
    SmallVector<AllocaInst *, 2> Made;
    for (const OwnArray &A : Arrays) {
        for (User *U : make_early_inc_range(A.Variable->users()))
            if (auto *I = cast<Instruction>(U); I->isLifetimeStartOrEnd() && L.contains(I))
                I->eraseFromParent();
        IRBuilder<> Entry(&*F.getEntryBlock().getFirstInsertionPt());
        AllocaInst *All = Entry.CreateAlloca(ArrayType::get(Entry.getInt8Ty(), A.Bytes * MostWidth), nullptr, "tw_own");
        All->setAlignment(Align(64));
        All->setMetadata(SharedNote, MDNode::get(Context, {})); /* of the lanes */
        Made.push_back(All);
        for (BasicBlock *Block : L.blocks())
            for (Instruction &I : make_early_inc_range(*Block)) {
                auto *Set = dyn_cast<MemSetInst>(&I);
                Value *Address = Set ? Set->getDest() : getLoadStorePointerOperand(&I);
                if (!Address || getUnderlyingObject(Address, 0) != A.Variable)
                    continue;
                SmallMapVector<Value *, int64_t, 4> Parts;
                int64_t Constant = 0;
                (void)offsetOf(Address, DL, A.Variable, Parts, Constant);
                IRBuilder<> B(&I);
                Value *Sum = B.CreateMul(&Lane, B.getInt64(A.Element));
                for (auto &Part : Parts)
                    Sum = B.CreateAdd(
                        Sum, B.CreateMul(B.CreateSExtOrTrunc(Part.first, B.getInt64Ty()),
                                         ConstantInt::getSigned(B.getInt64Ty(), Part.second * int64_t(MostWidth))));
                const auto At = [&](int64_t Offset) {
                    return B.CreatePtrAdd(
                        All, B.CreateAdd(Sum, ConstantInt::getSigned(B.getInt64Ty(), Offset * int64_t(MostWidth))));
                };
                if (Set) {
                    const APInt Byte = cast<ConstantInt>(Set->getValue())->getValue();
                    const uint64_t Length = cast<ConstantInt>(Set->getLength())->getZExtValue();
                    Value *Element = B.getInt(APInt::getSplat(unsigned(A.Element * 8), Byte));
                    for (uint64_t Done = 0; Done < Length; Done += A.Element)
                        B.CreateAlignedStore(Element, At(Constant + int64_t(Done)), Align(A.Element));
                    I.eraseFromParent();
                    continue;
                }
                I.setOperand(isa<LoadInst>(I) ? LoadInst::getPointerOperandIndex()
                                              : StoreInst::getPointerOperandIndex(),
                             At(Constant));
                if (auto *Load = dyn_cast<LoadInst>(&I))
                    Load->setAlignment(std::min(Load->getAlign(), Align(A.Element)));
                else
                    cast<StoreInst>(I).setAlignment(std::min(cast<StoreInst>(I).getAlign(), Align(A.Element)));
            }
    }
    return Made;
}

} // namespace tw_compiler
