/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores to the stack of a work-item that nobody reads, in kernels for GPUs. A kernel's arguments arrive as words. If it indexes an
 * array among them, all words lie on the stack, as far as LLVM knows: an index could lead from the array to the members beside it. In C
 * it cannot, so these need no place there. Each store goes to the L2 cache, which limits such kernels.
 */
#include "split.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace tw_split
{

namespace
{

struct Range {
    uint64_t Begin, End;
    bool overlaps(const Range &Other) const
    {
        return Begin < Other.End && Other.Begin < End;
    }
};

/* What is read of a variable, and the stores to it. */
class Variable
{
  public:
    Variable(AllocaInst &I, const DataLayout &DL) : DL(DL), Size(DL.getTypeAllocSize(I.getAllocatedType()).getFixedValue())
    {
        IsKnown = !I.isArrayAllocation() && look(I, 0);
    }

    /* Removes the stores of which nothing is read. */
    bool drop()
    {
        bool Changed = false;
        for (auto &[Store, Where] : Stores) {
            if (!IsKnown || any_of(Reads, [&Where = Where](const Range &Read) { return Read.overlaps(Where); }))
                continue;
            Store->eraseFromParent();
            Changed = true;
        }
        return Changed;
    }

  private:
    const DataLayout &DL;
    uint64_t Size;
    bool IsKnown;
    SmallVector<Range, 8> Reads;
    SmallVector<std::pair<StoreInst *, Range>, 32> Stores;

    /* The array that an index leads into which is not constant. An array at the end may go on, as in C before it had such members. */
    std::optional<Range> arrayOf(GetElementPtrInst &To, uint64_t At) const
    {
        Type *Of = ArrayType::get(To.getSourceElementType(), 1); /* the first index is that of a pointer */
        for (const Use &U : To.indices()) {
            const auto *Index = dyn_cast<ConstantInt>(U);
            if (auto *Structure = dyn_cast<StructType>(Of)) {
                At += DL.getStructLayout(Structure)->getElementOffset(unsigned(Index->getZExtValue()));
                Of = Structure->getElementType(unsigned(Index->getZExtValue()));
                continue;
            }
            auto *Array = dyn_cast<ArrayType>(Of);
            if (!Array || (!Index && U.getOperandNo() == 1))
                return std::nullopt;
            Of = Array->getElementType();
            if (!Index) {
                const uint64_t End = At + DL.getTypeAllocSize(Array).getFixedValue();
                return Range{At, Array->getNumElements() > 1 && End < Size ? End : Size};
            }
            At += uint64_t(Index->getSExtValue()) * DL.getTypeAllocSize(Of).getFixedValue();
        }
        return std::nullopt;
    }

    /* Looks at what uses an address within an array. */
    bool lookInArray(const Instruction &Address, const Range &Array)
    {
        return all_of(Address.uses(), [&](const Use &U) {
            auto *User = cast<Instruction>(U.getUser());
            if (const auto *To = dyn_cast<GetElementPtrInst>(User)) {
                APInt Offset(64, 0);
                const auto *First = dyn_cast<ConstantInt>(To->getOperand(1));
                const bool StaysThere = To->accumulateConstantOffset(DL, Offset)
                                            ? Offset.ult(Array.End - Array.Begin)
                                            : To->getSourceElementType()->isArrayTy() && First && First->isZero();
                return U.getOperandNo() == 0 && StaysThere && lookInArray(*User, Array);
            }
            if (isa<LoadInst>(User))
                Reads.push_back(Array);
            return isa<LoadInst>(User) || (isa<StoreInst>(User) && getLoadStorePointerOperand(User) == &Address);
        });
    }

    /* Looks at what uses an address at an offset. False: it is not known where that leads. */
    bool look(const Instruction &Address, uint64_t At)
    {
        return all_of(Address.uses(), [&](const Use &U) {
            auto *User = cast<Instruction>(U.getUser());
            if (auto *To = dyn_cast<GetElementPtrInst>(User)) {
                APInt Offset(64, At);
                if (U.getOperandNo() != 0)
                    return false;
                if (To->accumulateConstantOffset(DL, Offset))
                    return look(*To, Offset.getZExtValue());
                const std::optional<Range> Array = arrayOf(*To, At);
                return Array && lookInArray(*To, *Array);
            }
            if (auto *Load = dyn_cast<LoadInst>(User)) {
                Reads.push_back({At, At + DL.getTypeStoreSize(Load->getType()).getFixedValue()});
                return true;
            }
            if (auto *Store = dyn_cast<StoreInst>(User); Store && Store->isSimple() && Store->getPointerOperand() == &Address) {
                Stores.push_back({Store, {At, At + DL.getTypeStoreSize(Store->getValueOperand()->getType()).getFixedValue()}});
                return Store->getValueOperand() != &Address;
            }
            const auto *Intrinsic = dyn_cast<IntrinsicInst>(User);
            return Intrinsic && Intrinsic->isLifetimeStartOrEnd();
        });
    }
};

} // namespace

bool dropUnread(Function &F)
{
    bool Changed = false;
    for (Instruction &I : F.getEntryBlock())
        if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && Alloca->getAllocatedType()->isSized())
            Changed |= Variable(*Alloca, F.getDataLayout()).drop();
    return Changed;
}

} // namespace tw_split
