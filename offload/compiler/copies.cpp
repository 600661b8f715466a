/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of split kernels that copy a piece of memory into local memory have become calls of memcpy(). A short one becomes a loop again:
   the vectorizer writes it as it writes the loops that read local memory next, so that a processor can forward what was stored. */
#include "compiler.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace tw_compiler
{

/* Whether an address is in local memory whose size the launch gives: that of the thread, too. */
bool isOfLaunch(const Value *Address)
{
    while (const auto *Place = dyn_cast<GEPOperator>(Address))
        Address = Place->getPointerOperand();
    const auto *Call = dyn_cast<IntrinsicInst>(Address);
    return Call && Call->getIntrinsicID() == Intrinsic::strip_invariant_group;
}

/* Whether an address is in local memory, or in a variable of the function. */
bool isLocal(const Value *Address)
{
    const Value *Object = getUnderlyingObject(Address);
    return isa<AllocaInst>(Object) || isLocalVariable(Object) || isOfLaunch(Address);
}

namespace
{

constexpr uint64_t LeastCopied = 128, MostCopied = 4096; /* bytes */

bool isShort(const MemCpyInst &Copy)
{
    const auto *Bytes = dyn_cast<ConstantInt>(Copy.getLength());
    return Bytes && Bytes->getZExtValue() >= LeastCopied && Bytes->getZExtValue() <= MostCopied
           && Bytes->getZExtValue() % 4 == 0 && !Copy.isVolatile() && Copy.getDestAlign().valueOrOne().value() >= 4
           && Copy.getSourceAlign().valueOrOne().value() >= 4 && isLocal(Copy.getRawDest());
}

void copyInLoop(MemCpyInst &Copy)
{
    LLVMContext &Context = Copy.getContext();
    BasicBlock *Before = Copy.getParent(), *After = SplitBlock(Before, &Copy);
    auto *Body = BasicBlock::Create(Context, "tw_copy", Before->getParent(), After);
    Before->getTerminator()->setSuccessor(0, Body);
    IRBuilder<> B(Body);
    B.SetCurrentDebugLocation(Copy.getDebugLoc());
    PHINode *At = B.CreatePHI(B.getInt64Ty(), 2);
    MDNode *Group = MDNode::getDistinct(Context, {});
    auto *Load =
        B.CreateAlignedLoad(B.getInt32Ty(), B.CreateInBoundsGEP(B.getInt32Ty(), Copy.getRawSource(), At), Align(4));
    auto *Store = B.CreateAlignedStore(Load, B.CreateInBoundsGEP(B.getInt32Ty(), Copy.getRawDest(), At), Align(4));
    Load->setMetadata(LLVMContext::MD_access_group, Group);
    Store->setMetadata(LLVMContext::MD_access_group, Group);
    Value *Next = B.CreateAdd(At, B.getInt64(1), "", true, true);
    const uint64_t Turns = cast<ConstantInt>(Copy.getLength())->getZExtValue() / 4;
    Instruction *Back = B.CreateCondBr(B.CreateICmpEQ(Next, B.getInt64(Turns)), After, Body);
    At->addIncoming(B.getInt64(0), Before);
    At->addIncoming(Next, Body);
    Back->setMetadata(LLVMContext::MD_loop,
                      loopId(Context, {MDNode::get(Context, {MDString::get(Context, ParallelMark), Group})}));
    Copy.eraseFromParent();
}

} // namespace

bool expandCopies(Function &F, FunctionAnalysisManager &)
{
    SmallVector<MemCpyInst *, 4> Copies;
    if (F.hasFnAttribute(SplitRole) && !F.hasOptSize())
        for (Instruction &I : instructions(F))
            if (auto *Copy = dyn_cast<MemCpyInst>(&I); Copy && isShort(*Copy))
                Copies.push_back(Copy);
    for (MemCpyInst *Copy : Copies)
        copyInLoop(*Copy);
    return !Copies.empty();
}

} // namespace tw_compiler
