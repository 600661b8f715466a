/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short vectors of one work-item become their elements. The calling convention makes vectors of small structures that functions take and
 * return, and LLVM makes some of neighbouring members; a vector has one kind of lanes, and those are work-items here. Longer ones the
 * program has asked for.
 */
#include "passes.h"

#include "base/marks.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>

using namespace llvm;

namespace tw_compiler
{

constexpr uint64_t RegisterBits = 128; /* of the calling convention */

/* LLVM's own pass does it, where a loop over work-items has short vectors alone. */
bool scalarizeVectors(Function &F, FunctionAnalysisManager &FAM)
{
    const DataLayout &DL = F.getParent()->getDataLayout();
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    const auto IsOfItem = [&](const Instruction &I) {
        return I.getType()->isVectorTy() && itemsAround(LI.getLoopFor(I.getParent()));
    };
    const auto IsLong = [&](const Instruction &I) {
        return IsOfItem(I) && DL.getTypeSizeInBits(I.getType()).getKnownMinValue() > RegisterBits;
    };
    if (none_of(instructions(F), IsOfItem) || any_of(instructions(F), IsLong))
        return false;
    ScalarizerPassOptions Options;
    Options.ScalarizeLoadStore = true;
    FAM.invalidate(F, ScalarizerPass(Options).run(F, FAM));
    return true;
}

} // namespace tw_compiler
