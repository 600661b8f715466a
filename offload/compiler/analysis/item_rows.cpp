/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of memory that a work-item has for itself, as one that multiplies small matrices: vectors of its row take the place of vectors of
   work-items. */
#include "item_rows.h"

#include "accesses.h"
#include "base/marks.h"
#include "predicates.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* Whether all that the turns of a loop access lies side by side, or is the same for all of them, and something is written so. */
bool isRow(Loop &L, ScalarEvolution &SE)
{
    Accesses At(L, SE, /*Wraps=*/false);
    bool Writes = false;
    for (BasicBlock *Block : L.blocks()) {
        if (Block != L.getLoopLatch() && !Block->getSingleSuccessor())
            return false;
        for (Instruction &I : *Block)
            if (Value *Address = getLoadStorePointerOperand(&I)) {
                if (At.isFar(I) || isa<AllocaInst>(getUnderlyingObject(Address)))
                    return false;
                Writes |= isa<StoreInst>(I) && At.growth(SE.getSCEV(Address)) != 0;
            } else if (I.mayReadOrWriteMemory() && !isDropped(I))
                return false;
    }
    return Writes;
}

} // namespace

/* Whether most of what a work-item does is to write rows of memory, as one that multiplies matrices of its own. Such a row fills vectors:
   work-items would not, since their rows lie one behind the other. */
bool isRowOfItem(Loop &L, ScalarEvolution &SE, const LoopInfo &LI)
{
    Function &F = *L.getHeader()->getParent();
    const unsigned Count = SE.getSmallConstantTripCount(&L);
    if (Count == 0 || !L.isInnermost() || hasLoopMark(L, ItemsMark))
        return false;
    const Loop *Items = itemsAround(L.getParentLoop());
    if (!Items && !F.hasFnAttribute(ItemNote))
        return false;
    size_t Others = 0, Mine = 0;
    for (BasicBlock &Block : F) {
        Loop *Of = LI.getLoopFor(&Block);
        if (Items && !Items->contains(&Block))
            continue;
        (Of == &L ? Mine : Others) += Block.size();
        if (Of && Of->isInnermost() && Of != Items && !isRow(*Of, SE))
            return false;
    }
    return Mine * Count > Others;
}

} // namespace tw_compiler
