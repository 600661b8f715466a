/* SPDX-License-Identifier: Apache-2.0 */
/* Which loops are changed first, and the budget of instructions for copies of loops. */
#include "budget.h"

#include "base/contract.h"
#include "base/marks.h"
#include "diagnostics/remarks.h"

#include <algorithm>
#include <map>
#include <string>

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>

using namespace llvm;

namespace tw_compiler
{

static constexpr uint64_t Large = 3000; /* instructions */

/* What LLVM does behind copies of loops takes time by the number of instructions, or by its square. So a function that is large gets fewer
   copies: up to four times its instructions and some; and a very large one gets vectors alone. */
void setBudget(Function &F)
{
    constexpr uint64_t Least = 1000, VeryLarge = 2000;
    const uint64_t Begun = F.getInstructionCount();
    F.addFnAttr(BudgetNote, std::to_string(std::min(Least + 4 * Begun, Begun > VeryLarge ? Begun : Large)));
}

/* Vectors have a budget of their own: loops that have used up the first one were taken apart for them. */
void renewBudget(Function &F)
{
    if (F.hasFnAttribute(BudgetNote))
        F.addFnAttr(BudgetNote, std::to_string(F.getInstructionCount() + Large));
}

/* Whether a function has used up its budget, which is told once. */
static bool isFull(Function &F)
{
    constexpr const char *ToldNote = "teamwork.budget.told";
    uint64_t Most;
    if (F.getFnAttribute(BudgetNote).getValueAsString().getAsInteger(10, Most) || F.getInstructionCount() <= Most)
        return false;
    if (F.hasFnAttribute(ToldNote))
        return true;
    F.addFnAttr(ToldNote);
    DISubprogram *Program = F.getSubprogram();
    const DebugLoc Where = Program ? DILocation::get(F.getContext(), Program->getLine(), 0, Program) : nullptr;
    tellRemark(F, {"teamwork-split", "Budget", true, Where, Where},
               "kernel " + kernelOf(F) + " has grown to " + Twine(F.getInstructionCount())
                   + " instructions, so no more copies of its loops are made for where conditions are known: some may "
                     "be slower than they could be");
    return true;
}

namespace
{

/* How often the innermost loops of a loop probably turn. */
uint64_t weightOf(const Loop &L, const BlockFrequencyInfo &Often)
{
    uint64_t Most = 0;
    for (const Loop *Inner : L.getLoopsInPreorder())
        Most = std::max(Most, Often.getBlockFreq(Inner->getHeader()).getFrequency());
    return Most;
}

} // namespace

/* Hands what `Of` names for each loop over work-items to `Change`, or that loop itself: if it has no `Mark` yet, which it gets first.
   Those that matter most come first, as long as the budget lasts. After a change, which `Change` tells by its result, all is analysed
   again, and the loops that came with it have their turn. */
bool changeLoops(Function &F, FunctionAnalysisManager &FAM, StringRef Mark, function_ref<bool(Loop &)> Change,
                 function_ref<Loop *(Loop &)> Of)
{
    bool Changed = false;
    for (bool More = true; More;) {
        More = false;
        const auto &Often = FAM.getResult<BlockFrequencyAnalysis>(F);
        std::multimap<uint64_t, Loop *, std::greater<uint64_t>> Loops; /* of one weight: in the function's order */
        for (Loop *Items : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
            if (hasLoopMark(*Items, ItemsMark))
                Loops.insert({weightOf(*Items, Often), Items});
        for (auto [Weight, Items] : Loops) {
            Loop *L = Of(*Items);
            if (!L || hasLoopMark(*L, Mark))
                continue;
            addLoopMark(*L, Mark);
            if (!isFull(F) && Change(*L)) {
                More = Changed = true;
                FAM.invalidate(F, PreservedAnalyses::none());
                break;
            }
        }
    }
    return Changed;
}

} // namespace tw_compiler
