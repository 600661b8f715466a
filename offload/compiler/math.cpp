/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of <math.h> in loops over work-items do not set errno, as on GPUs. So they may be moved out of the loop, and be vectors; a
 * kernel that reads errno keeps them as they are.
 */
#include "compiler.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* Whether it is a function of numbers alone that errors change nothing but errno. lgamma() writes another variable. */
bool setsErrnoAlone(const CallInst &Call, const TargetLibraryInfo &TLI)
{
    LibFunc Is;
    const Function *Callee = Call.getCalledFunction();
    return Callee && !Call.isNoBuiltin() && !Call.onlyReadsMemory() && TLI.getLibFunc(*Callee, Is) && TLI.has(Is)
           && Call.getType()->isFloatingPointTy() && !Callee->getName().contains("gamma")
           && all_of(Call.args(),
                     [](const Use &Of) { return Of->getType()->isFloatingPointTy() || Of->getType()->isIntegerTy(); });
}

bool readsErrno(const Instruction &I)
{
    const auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->getName().contains("errno");
}

} // namespace

bool leaveErrno(Function &F, FunctionAnalysisManager &FAM)
{
    const auto &TLI = FAM.getResult<TargetLibraryAnalysis>(F);
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    if (any_of(instructions(F), readsErrno))
        return false;
    bool Changed = false;
    for (const Loop *L : LI.getLoopsInPreorder())
        if (hasLoopMark(*L, ItemsMark))
            for (BasicBlock *Block : L->blocks())
                for (Instruction &I : *Block)
                    if (auto *Call = dyn_cast<CallInst>(&I); Call && setsErrnoAlone(*Call, TLI)) {
                        Call->setDoesNotAccessMemory();
                        Call->setDoesNotThrow();
                        Call->addFnAttr(Attribute::WillReturn);
                        Changed = true;
                    }
    return Changed;
}

} // namespace tw_compiler
