/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays among the arguments of kernels for GPUs. Arguments arrive as words. If a kernel indexes an array among them, LLVM stores all
 * words on the stack of each work-item, since an index could lead from the array to the members beside it. In C it cannot, so these need
 * no place there. What is left is the same for all work-items of the team: it goes to the team's memory instead. Stores to stacks all go
 * to the L2 cache, which limits such kernels.
 */
#include "passes.h"

#include "analysis/predicates.h"
#include "base/contract.h"

#include <optional>
#include <utility>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr uint64_t MostOfTeam = 1024; /* bytes */

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
    Variable(AllocaInst &I, const DataLayout &DL)
        : I(I), DL(DL), Size(DL.getTypeAllocSize(I.getAllocatedType()).getFixedValue())
    {
        IsKnown = !I.isArrayAllocation() && look(I, 0);
    }

    /* Removes the stores of which nothing is read. */
    bool drop()
    {
        const size_t Before = Stores.size();
        erase_if(Stores, [&](const auto &Store) {
            if (!IsKnown || any_of(Reads, [&](const Range &Read) { return Read.overlaps(Store.second); }))
                return false;
            Store.first->eraseFromParent();
            return true;
        });
        return Stores.size() != Before;
    }

    /* Whether an array is read in it that is the same for all work-items, once the last store is done. */
    bool isOfTeam() const
    {
        if (!IsKnown || !IsIndexed || Size > MostOfTeam || Stores.empty())
            return false;
        const Instruction *Last = lastStore();
        return Last->getParent()->isEntryBlock()
               && all_of(Stores,
                         [&](const auto &Store) {
                             return Store.first->getParent() == Last->getParent()
                                    && (isa<Argument>(Store.first->getValueOperand())
                                        || isa<Constant>(Store.first->getValueOperand()));
                         })
               && all_of(Loads, [&](const Instruction *Load) {
                      return Load->getParent() != Last->getParent() || Last->comesBefore(Load);
                  });
    }

    /* Makes it a variable of the team, which all work-items set to the same values. */
    void moveToTeam()
    {
        Function &F = *I.getFunction();
        Module &M = *F.getParent();
        Instruction *Last = lastStore();
        Type *None = Type::getVoidTy(M.getContext());
#if LLVM_VERSION_MAJOR >= 22
        Type *Word = Type::getInt32Ty(M.getContext());
        FunctionCallee Barrier = M.getOrInsertFunction("llvm.nvvm.barrier.cta.sync.aligned.all", None, Word);
        const SmallVector<Value *, 1> Number = {ConstantInt::get(Word, 0)};
#else
        FunctionCallee Barrier = M.getOrInsertFunction("llvm.nvvm.barrier0", None);
        const SmallVector<Value *, 1> Number;
#endif
        cast<Function>(Barrier.getCallee())->setConvergent();
        CallInst::Create(Barrier, Number, "", std::next(Last->getIterator()))->setDebugLoc(Last->getDebugLoc());
        auto *Shared = new GlobalVariable(M, I.getAllocatedType(), false, GlobalValue::InternalLinkage,
                                          UndefValue::get(I.getAllocatedType()), F.getName() + "_arguments", nullptr,
                                          GlobalValue::NotThreadLocal, 3);
        Shared->setAlignment(I.getAlign());
        for (User *By : make_early_inc_range(I.users()))
            if (auto *Intrinsic = dyn_cast<IntrinsicInst>(By))
                Intrinsic->eraseFromParent();
        I.replaceAllUsesWith(ConstantExpr::getAddrSpaceCast(Shared, I.getType()));
        I.eraseFromParent();
    }

  private:
    AllocaInst &I;
    const DataLayout &DL;
    uint64_t Size;
    bool IsKnown, IsIndexed = false;
    SmallVector<Range, 8> Reads;
    SmallVector<const Instruction *, 8> Loads;
    SmallVector<std::pair<StoreInst *, Range>, 32> Stores;

    Instruction *lastStore() const
    {
        Instruction *Last = Stores.front().first;
        for (const auto &Store : Stores)
            if (Store.first->getParent() == Last->getParent() && Last->comesBefore(Store.first))
                Last = Store.first;
        return Last;
    }

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
            if (!isa<LoadInst>(User))
                return false;
            Reads.push_back(Array);
            Loads.push_back(User);
            return IsIndexed = true;
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
                Loads.push_back(Load);
                Reads.push_back({At, At + DL.getTypeStoreSize(Load->getType()).getFixedValue()});
                return true;
            }
            if (auto *Store = dyn_cast<StoreInst>(User);
                Store && Store->isSimple() && Store->getPointerOperand() == &Address) {
                Stores.push_back(
                    {Store, {At, At + DL.getTypeStoreSize(Store->getValueOperand()->getType()).getFixedValue()}});
                return Store->getValueOperand() != &Address;
            }
            const auto *Intrinsic = dyn_cast<IntrinsicInst>(User);
            return Intrinsic && Intrinsic->isLifetimeStartOrEnd();
        });
    }
};

} // namespace

bool shareArguments(Function &F, FunctionAnalysisManager &)
{
    bool Changed = false;
    SmallVector<AllocaInst *, 8> Allocas;
    for (Instruction &I : F.getEntryBlock())
        if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && Alloca->getAllocatedType()->isSized())
            Allocas.push_back(Alloca);
    for (AllocaInst *Alloca : Allocas) {
        Variable Of(*Alloca, F.getDataLayout());
        Changed |= Of.drop();
        /* all work-items of such a kernel begin together */
        if (!isKernel(F) || !F.hasFnAttribute(SimtRole) || !Of.isOfTeam())
            continue;
        Of.moveToTeam();
        Changed = true;
    }
    return Changed;
}

} // namespace tw_compiler
