/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of <math.h> in loops over work-items do not set errno, as on GPUs. So they may be moved out of the loop, and be vectors; a
 * kernel that reads errno keeps them as they are.
 */
#include "passes.h"

#include "base/marks.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* These may write to signgam. */
constexpr StringLiteral SetMore[] = {"lgamma", "lgammaf", "lgammal", "tgamma", "tgammaf", "tgammal"};

/* Whether it is a function of numbers alone of which errors change nothing but errno. */
bool setsErrnoAlone(const CallInst &Call, const TargetLibraryInfo &TLI)
{
    LibFunc Is;
    const Function *Callee = Call.getCalledFunction();
    return Callee && !Call.isNoBuiltin() && !Call.onlyReadsMemory() && TLI.getLibFunc(*Callee, Is) && TLI.has(Is)
           && Call.getType()->isFloatingPointTy() && !is_contained(SetMore, Callee->getName())
           && all_of(Call.args(),
                     [](const Use &Of) { return Of->getType()->isFloatingPointTy() || Of->getType()->isIntegerTy(); });
}

/* What errno is a macro for, by the C library. */
constexpr StringLiteral Errno[] = {"__errno_location", "__errno", "_errno", "__error"};

bool readsErrno(const Instruction &I)
{
    const auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && is_contained(Errno, Callee->getName());
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
