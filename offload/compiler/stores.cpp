/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores with masks, when all loops are written. AMD's processors are slow at those of AVX2. There each lane of the vector is
 * stored by itself, without a branch: to its place, or to a variable that nobody reads. Nothing is, where no lane is to be stored.
 */
#include "compiler.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostLanes = 16;

bool isSlow(const Function &F)
{
    const Attribute Tuned = F.getFnAttribute("tune-cpu");
    const StringRef Processor = (Tuned.isValid() ? Tuned : F.getFnAttribute("target-cpu")).getValueAsString();
    return !hasMasks(F)
           && (Processor.starts_with("znver") || Processor.starts_with("bdver") || Processor.starts_with("btver"));
}

void storeLanes(const MaskedCall &Masked, AllocaInst *Nowhere)
{
    IntrinsicInst &Store = *Masked.Call;
    Value *All = Store.getArgOperand(0), *To = Store.getArgOperand(Masked.Address),
          *Mask = Store.getArgOperand(Masked.Mask);
    auto *T = cast<FixedVectorType>(All->getType());
    Type *Element = T->getElementType();
    const uint64_t Bytes = Store.getModule()->getDataLayout().getTypeStoreSize(Element).getFixedValue();
    const Align Known = commonAlignment(Masked.At, Bytes);
    IRBuilder<> B(&Store);
    Value *Bits = B.CreateBitCast(Mask, B.getIntNTy(T->getNumElements()));
    B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateIsNotNull(Bits), Store.getIterator(), false));
    B.SetCurrentDebugLocation(Store.getDebugLoc());
    for (unsigned Lane = 0; Lane < T->getNumElements(); ++Lane) {
        Value *IsStored = B.CreateIsNotNull(B.CreateAnd(Bits, ConstantInt::get(Bits->getType(), uint64_t(1) << Lane)));
        Value *Place = B.CreateSelect(IsStored, B.CreateConstGEP1_64(Element, To, Lane), Nowhere);
        Value *Same = getSplatValue(All);
        B.CreateAlignedStore(Same ? Same : B.CreateExtractElement(All, Lane), Place, Known);
    }
    Store.eraseFromParent();
}

} // namespace

bool storeByLanes(Function &F, FunctionAnalysisManager &)
{
    const StringRef Name = F.getName(); /* of a function with loops over work-items */
    if (!(Name.contains("_tw_split_") || Name.contains("_tw_host") || Name.contains("_tw_items_")) || F.hasOptNone()
        || !isSlow(F))
        return false;
    SmallVector<MaskedCall, 8> Found;
    for (Instruction &I : instructions(F))
        if (const auto Masked = maskedCall(I); Masked && Masked->IsStore)
            if (auto *T = dyn_cast<FixedVectorType>(Masked->type());
                T && T->getNumElements() <= MostLanes && !isa<Constant>(Masked->Call->getArgOperand(Masked->Mask)))
                Found.push_back(*Masked);
    if (Found.empty())
        return false;
    Type *Widest = ArrayType::get(Type::getInt64Ty(F.getContext()), 2);
    auto *Nowhere = IRBuilder<>(&*F.getEntryBlock().getFirstInsertionPt()).CreateAlloca(Widest, nullptr, "tw_nowhere");
    Nowhere->setAlignment(Align(16));
    for (const MaskedCall &Masked : Found)
        storeLanes(Masked, Nowhere);
    return true;
}

} // namespace tw_compiler
