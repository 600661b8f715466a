/* SPDX-License-Identifier: Apache-2.0 */
/* `i * 7 & 1023` is a counter of 10 bits that wraps. LLVM's vectorizer takes it for one that does not, for a group of strided accesses,
   behind a check. Of a counter that begins with 0 and has a positive step, the check of LLVM 19 asks whether the number of turns fits
   into the bits, as if the step was 1, so that accesses lie behind the end of the array.

   Behind a freeze it sees no counter. */
#include "passes.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostBits = 31; /* an array of more than 2^32 elements would have to be there else */

/* Returns true if this is a counter whose check for wrapping is incomplete. */
bool isCheckedInVain(const SCEV *S, ScalarEvolution &SE)
{
    const auto *Extended = dyn_cast<SCEVZeroExtendExpr>(S);
    const auto *Counter = Extended ? dyn_cast<SCEVAddRecExpr>(Extended->getOperand()) : nullptr;
    if (!Counter || !Counter->isAffine() || Counter->hasNoUnsignedWrap() || !Counter->getLoop()->isInnermost())
        return false;
    const SCEV *Step = Counter->getStepRecurrence(SE);
    return Counter->getStart()->isZero() && !Step->isOne() && SE.isKnownPositive(Step)
           && SE.getTypeSizeInBits(Counter->getType()) <= MostBits;
}

} // namespace

bool hideWraps(Function &F, FunctionAnalysisManager &FAM)
{
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    SmallVector<Instruction *, 8> Found;
    for (Instruction &I : instructions(F))
        if ((I.getOpcode() == Instruction::And || isa<ZExtInst>(I)) && SE.isSCEVable(I.getType())
            && LI.getLoopFor(I.getParent())
            && SCEVExprContains(SE.getSCEV(&I), [&](const SCEV *S) { return isCheckedInVain(S, SE); }))
            Found.push_back(&I);
    for (Instruction *I : Found) {
        auto *Same = new FreezeInst(I, "", std::next(I->getIterator()));
        I->replaceUsesWithIf(Same, [&](Use &U) { return U.getUser() != Same; });
    }
    return !Found.empty();
}

} // namespace tw_compiler
