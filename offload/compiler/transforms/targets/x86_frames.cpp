/* SPDX-License-Identifier: Apache-2.0 */
/* Large frames of functions for x86-64. */
#include "passes.h"

#include <optional>

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

using namespace llvm;

namespace tw_compiler
{

/* LLVM (19, 22) for x86-64 probes the pages of a large frame in a loop that takes r11 without asking whether it is free, which it may not be
   where shrink-wrapping has moved the function's prologue behind its first blocks. A use of the frame keeps the prologue in front. */
bool useFrameAtEntry(Function &F, FunctionAnalysisManager &)
{
    constexpr uint64_t ProbedByLoop = 4096; /* bytes */
    if (!F.hasFnAttribute("probe-stack"))
        return false;
    const DataLayout &DL = F.getParent()->getDataLayout();
    AllocaInst *Last = nullptr;
    uint64_t Bytes = 0;
    for (Instruction &I : F.getEntryBlock())
        if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && Variable->isStaticAlloca()) {
            Last = Variable;
            if (const std::optional<TypeSize> Size = Variable->getAllocationSize(DL); Size && !Size->isScalable())
                Bytes += Size->getFixedValue();
        }
    if (Bytes < ProbedByLoop)
        return false;
    IRBuilder<> B(Last->getNextNode());
    auto *Use = InlineAsm::get(FunctionType::get(B.getVoidTy(), {Last->getType()}, false), "", "r", true);
    B.CreateCall(Use, {Last})->setDoesNotThrow();
    return true;
}

} // namespace tw_compiler
