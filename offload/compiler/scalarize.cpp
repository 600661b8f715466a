/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short vectors of one work-item become their elements. The calling convention makes vectors of small structures that functions take and
 * return, and LLVM makes some of neighbouring members; a vector has one kind of lanes, and those are work-items here.
 */
#include "compiler.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>

using namespace llvm;

namespace tw_compiler
{

/* LLVM's own pass does it, where a loop over work-items has vectors. */
bool scalarizeVectors(Function &F, FunctionAnalysisManager &FAM)
{
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    const auto IsOfItem = [&](const Instruction &I) {
        if (!I.getType()->isVectorTy())
            return false;
        for (const Loop *L = LI.getLoopFor(I.getParent()); L; L = L->getParentLoop())
            if (hasLoopMark(*L, ItemsMark))
                return true;
        return false;
    };
    if (none_of(instructions(F), IsOfItem))
        return false;
    ScalarizerPassOptions Options;
    Options.ScalarizeLoadStore = true;
    FAM.invalidate(F, ScalarizerPass(Options).run(F, FAM));
    return true;
}

} // namespace tw_compiler
