/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one loop over work-items stores to local memory, the next one loads: with both unrolled, it stays in registers. LLVM looks for
 * that before it makes vectors of loops and unrolls them, and not again. Between the levels of a tree each load would wait for the store, and
 * a processor has room for few stores.
 *
 *     tree[0 .. 15] = a             tree[0 .. 15] = a + b
 *     tree[16 .. 31] = b   becomes  tree[16 .. 31] = b
 *     tree[0 .. 15] += tree[16 .. 31]
 *
 * A copy of a few vectors is written as loads and stores for that.
 */
#include "passes.h"

#include "analysis/predicates.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>

using namespace llvm;

namespace tw_compiler
{

/* Writes a copy to or from local memory as loads and stores, if these are whole vectors, and as many as registers have room for. */
static bool expandCopy(MemCpyInst &Copy, const TargetTransformInfo &TTI)
{
    const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
    const uint64_t Bytes = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8,
                   Registers = TTI.getNumberOfRegisters(TTI.getRegisterClassForType(true));
    if (!Length || Copy.isVolatile() || Bytes < 4 || Length->getZExtValue() % Bytes != 0
        || Length->getZExtValue() > Bytes * Registers || !(isLocal(Copy.getDest()) || isLocal(Copy.getSource())))
        return false;
    IRBuilder<> B(&Copy);
    auto *T = FixedVectorType::get(B.getInt32Ty(), unsigned(Bytes / 4));
    const Align From = Copy.getSourceAlign().valueOrOne(), To = Copy.getDestAlign().valueOrOne();
    for (uint64_t At = 0; At < Length->getZExtValue(); At += Bytes) {
        const auto Place = [&](Value *Begin) { return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Begin, At); };
        Value *V = B.CreateAlignedLoad(T, Place(Copy.getSource()), commonAlignment(From, At));
        B.CreateAlignedStore(V, Place(Copy.getDest()), commonAlignment(To, At));
    }
    Copy.eraseFromParent();
    return true;
}

bool forwardStores(Function &F, FunctionAnalysisManager &FAM)
{
    const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
    for (Instruction &I : make_early_inc_range(instructions(F)))
        if (auto *Copy = dyn_cast<MemCpyInst>(&I))
            expandCopy(*Copy, TTI);
    FAM.invalidate(F, PreservedAnalyses::none());
    FunctionPassManager Passes;
    Passes.addPass(EarlyCSEPass(true));
    Passes.addPass(DSEPass());
    FAM.invalidate(F, Passes.run(F, FAM));
    return true;
}

} // namespace tw_compiler
