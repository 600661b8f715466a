/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses in kernels for NVIDIA GPUs:

   - LLVM knows that a pointer among a kernel's arguments is one of global memory, but not if the argument is also stored: into the
     copy of a block, an array of which is indexed by what varies. Accesses by it are generic then, and so are those by pointers of
     the copy.
   - The number of a group's first work-item and a work-item's number in the group have no bit in common, so LLVM takes an or for their
     sum. ptxas knows multiplications that add, but none that set bits, and the launch's offset comes behind (addOffsetFirst()). */
#include "passes.h"

#include "analysis/predicates.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* Where an offset is added to an or of `Scaled`, of a power of 2, and `Rest`: adds it to the rest, which is there sooner, and the
   product last. */
bool addOffsetFirst(Instruction &I)
{
    using namespace PatternMatch;
    Value *Scaled, *Rest, *Offset;
    const auto Sum =
        m_OneUse(m_c_DisjointOr(m_CombineAnd(m_Shl(m_Value(), m_ConstantInt()), m_Value(Scaled)), m_Value(Rest)));
    IRBuilder<> B(&I);
    if (I.getType()->isIntegerTy(64) && match(&I, m_c_Add(Sum, m_Value(Offset))) && isa<Argument>(Offset)) {
        I.replaceAllUsesWith(B.CreateAdd(B.CreateAdd(Rest, Offset), Scaled));
    } else if (auto *To = dyn_cast<GetElementPtrInst>(&I);
               To && To->getNumIndices() == 1 && isa<Argument>(To->getOperand(1))) {
        auto *Via = dyn_cast<GetElementPtrInst>(To->getPointerOperand());
        Type *Element = To->getSourceElementType();
        if (!Via || !Via->hasOneUse() || Via->getNumIndices() != 1 || Via->getSourceElementType() != Element
            || !match(Via->getOperand(1), Sum))
            return false;
        Value *Place = Via->getPointerOperand();
        for (Value *Term : {To->getOperand(1), Rest, Scaled})
            Place = B.CreateGEP(Element, Place, Term);
        I.replaceAllUsesWith(Place);
    } else {
        return false;
    }
    I.eraseFromParent();
    return true;
}

/* `Of`, the same pointer, as one of global memory. */
Value *globalPointer(IRBuilder<> &B, Value *Of)
{
    return B.CreateAddrSpaceCast(B.CreateIntToPtr(Of, B.getPtrTy(1)), B.getPtrTy());
}

/* The pointers that are loaded from a variable into which arguments are copied, and nothing else. */
bool holdsArguments(AllocaInst &Variable, SmallVectorImpl<LoadInst *> &Pointers)
{
    SmallVector<Instruction *, 8> Places{&Variable};
    while (!Places.empty()) {
        Instruction *Place = Places.pop_back_val();
        for (User *User : Place->users()) {
            if (auto *Load = dyn_cast<LoadInst>(User)) {
                if (Load->isSimple() && Load->getType() == PointerType::get(Load->getContext(), 0))
                    Pointers.push_back(Load);
            } else if (auto *Store = dyn_cast<StoreInst>(User)) {
                if (Store->getPointerOperand() != Place || !isa<Argument>(Store->getValueOperand())
                    || !Store->getValueOperand()->getType()->isIntegerTy())
                    return false;
            } else if (isa<GetElementPtrInst>(User)) {
                Places.push_back(cast<Instruction>(User));
            } else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(User);
                       !Intrinsic || !Intrinsic->isLifetimeStartOrEnd()) {
                return false;
            }
        }
    }
    return !Pointers.empty();
}

/* Pointers come to a kernel as words; the program has none but those of global memory. */
bool tellGlobalPointers(Function &F)
{
    if (!isKernel(F))
        return false;
    SmallVector<Instruction *, 16> Known;
    SmallVector<LoadInst *, 8> Loads;
    for (Instruction &I : instructions(F)) {
        if (auto *Cast = dyn_cast<IntToPtrInst>(&I);
            Cast && isa<Argument>(Cast->getOperand(0)) && Cast->getType() == PointerType::get(F.getContext(), 0))
            Known.push_back(Cast);
        if (auto *Variable = dyn_cast<AllocaInst>(&I))
            if (SmallVector<LoadInst *, 8> Pointers; holdsArguments(*Variable, Pointers))
                Loads.append(Pointers);
    }
    for (Instruction *I : Known) {
        IRBuilder<> B(I);
        I->replaceAllUsesWith(globalPointer(B, I->getOperand(0)));
        I->eraseFromParent();
    }
    for (LoadInst *Load : Loads) {
        IRBuilder<> B(Load);
        Value *Bits = B.CreateAlignedLoad(B.getInt64Ty(), Load->getPointerOperand(), Load->getAlign());
        Load->replaceAllUsesWith(globalPointer(B, Bits));
        Load->eraseFromParent();
    }
    return !Known.empty() || !Loads.empty();
}

} // namespace

bool shortenGpuAddresses(Function &F, FunctionAnalysisManager &)
{
    bool Changed = tellGlobalPointers(F);
    for (Instruction &I : make_early_inc_range(instructions(F)))
        Changed |= addOffsetFirst(I);
    return Changed;
}

} // namespace tw_compiler
