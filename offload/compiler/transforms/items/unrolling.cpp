/* SPDX-License-Identifier: Apache-2.0 */
/* While LLVM unrolls short loops: which of those over work-items wait for vectors. */
#include "passes.h"

#include "analysis/accesses.h"
#include "analysis/item_rows.h"
#include "base/marks.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* LLVM unrolls short loops all the way before it comes to vectors, and in a row of 8 or 32 work-items it does not find these again. So that
   waits for loops over work-items that fill a vector, side by side. */
constexpr const char *LaterMark = "teamwork.unroll.later";
constexpr unsigned LeastInVector = 8;
constexpr const char *PeeledMark = "llvm.loop.peeled.count"; /* how many first turns LLVM has taken out of a loop */
constexpr unsigned MostPeeled = 1000;                        /* more than it ever takes */

/* The levels of a tree: a short loop around loops over work-items whose distance is doubled or halved from turn to turn. With a level
   each, distances and the work-items that take part are constants. */
constexpr unsigned MostLevels = 16, MostInLevels = 4000; /* MostInLevels: instructions of all levels */

bool isOfLevels(const Loop &L, ScalarEvolution &SE)
{
    const unsigned Levels = SE.getSmallConstantTripCount(&L);
    if (Levels < 2 || Levels > MostLevels
        || none_of(L.getSubLoops(), [](const Loop *Inner) { return hasLoopMark(*Inner, ItemsMark); }))
        return false;
    size_t Instructions = 0;
    for (const BasicBlock *Block : L.blocks())
        Instructions += Block->size();
    return Instructions * Levels <= MostInLevels && any_of(L.getHeader()->phis(), [&](PHINode &Phi) {
               return Phi.getType()->isIntegerTy() && !isa<SCEVAddRecExpr>(SE.getSCEV(&Phi));
           });
}

/* Whether a loop is that over the rows of a group, or over planes of such rows, and these are still loops: then it can have a copy for
   groups at no border. */
bool isOfRows(const Loop &L)
{
    if (L.getSubLoops().size() != 1)
        return false;
    const Loop &Inner = *L.getSubLoops()[0];
    return hasLoopMark(L, RowsMark) ? hasLoopMark(Inner, ItemsMark) : hasLoopMark(L, PlanesMark) && isOfRows(Inner);
}

/* Whether a work-item may leave a loop of its own in any turn. As a loop it can have a mask; LLVM would make a branch of each turn. */
bool isLeftEarly(const Loop &L)
{
    return L.isInnermost() && !L.getExitingBlock() && !hasLoopMark(L, ItemsMark) && itemsAround(&L);
}

/* LLVM takes first turns, in which a condition differs, out of a loop: what is left begins and ends anywhere in a vector. Where
   conditions change is for index_set_split.cpp. */
void keepWhole(Loop &L)
{
    addLoopMark(L, PeeledMark, ConstantInt::get(Type::getInt32Ty(L.getHeader()->getContext()), MostPeeled));
}

} // namespace

void delayUnrolling(Loop &L, LoopStandardAnalysisResults &Results)
{
    if (!L.isInnermost() && isOfLevels(L, Results.SE))
        addLoopMark(L, "llvm.loop.unroll.full");
    if (hasLoopMark(L, ItemsMark) && !hasLoopMark(L, PeeledMark))
        keepWhole(L);
    if (!hasLoopMark(L, NotUnrolled) && Results.SE.getSmallConstantTripCount(&L) % LeastInVector == 0
        && isRowOfItem(L, Results.SE, Results.LI)) {
        addLoopMark(L, LaterMark);
        addLoopMark(L, NotUnrolled);
        addLoopMark(L, AsksForVectors, ConstantInt::getTrue(L.getHeader()->getContext()));
        return;
    }
    if ((isOfRows(L) || isLeftEarly(L)) && !hasLoopMark(L, NotUnrolled)) {
        addLoopMark(L, LaterMark);
        addLoopMark(L, NotUnrolled);
    }
    if (!L.isInnermost() || !hasLoopMark(L, ItemsMark) || hasLoopMark(L, NotUnrolled)
        || Results.SE.getSmallConstantTripCount(&L) < LeastInVector)
        return;
    Accesses At(L, Results.SE, /*Wraps=*/false);
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (getLoadStorePointerOperand(&I) && At.isFar(I))
                return;
    addLoopMark(L, LaterMark);
    addLoopMark(L, NotUnrolled);
}

void endDelay(Loop &L)
{
    if (hasLoopMark(L, LaterMark))
        L.setLoopID(
            makePostTransformationMetadata(L.getHeader()->getContext(), L.getLoopID(), {LaterMark, NotUnrolled}, {}));
}

} // namespace tw_compiler
