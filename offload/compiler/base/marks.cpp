/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of loops over work-items, in their metadata. */
#include "marks.h"

#include "markers.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{

bool hasLoopMark(const Loop &L, StringRef Name)
{
    const MDNode *Id = L.getLoopID();
    return Id && findOptionMDForLoopID(const_cast<MDNode *>(Id), Name);
}

void addLoopMark(Loop &L, StringRef Name, Constant *Value)
{
    LLVMContext &Context = L.getHeader()->getContext();
    SmallVector<Metadata *, 2> Property{MDString::get(Context, Name)};
    if (Value)
        Property.push_back(ConstantAsMetadata::get(Value));
    MDNode *Mark = MDNode::get(Context, Property);
    L.setLoopID(makePostTransformationMetadata(Context, L.getLoopID(), {}, {Mark}));
}

namespace
{

MDNode *apartMetadata(LLVMContext &Context, uint64_t Apart)
{
    return MDNode::get(Context, {MDString::get(Context, ApartMark),
                                 ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(Context), Apart))});
}

} // namespace

/* Turns of a loop over work-items, or over rows of them, that are fewer than this apart are those of different work-items. Others may
   be of the same one, which shares out a range with the others of its group: it has to take them in their order. */
uint64_t turnsApart(const Loop &L)
{
    const MDNode *Id = L.getLoopID();
    const MDNode *Apart = Id ? findOptionMDForLoopID(const_cast<MDNode *>(Id), ApartMark) : nullptr;
    return Apart ? mdconst::extract<ConstantInt>(Apart->getOperand(1))->getZExtValue() : UINT64_MAX;
}

void setTurnsApart(Loop &L, uint64_t Apart)
{
    LLVMContext &Context = L.getHeader()->getContext();
    SmallVector<MDNode *, 1> Mark;
    if (Apart != UINT64_MAX)
        Mark.push_back(apartMetadata(Context, Apart));
    L.setLoopID(makePostTransformationMetadata(Context, L.getLoopID(), {ApartMark}, Mark));
}

/* Whether all turns are those of different work-items, so that their order is free. */
bool areDistinct(Loop &L, ScalarEvolution &SE)
{
    const uint64_t Apart = turnsApart(L);
    if (Apart == UINT64_MAX)
        return true;
    const SCEV *Turns = SE.getBackedgeTakenCount(&L);
    return !isa<SCEVCouldNotCompute>(Turns) && SE.getUnsignedRangeMax(Turns).ult(Apart);
}

/* What identifies a loop: metadata whose first operand is itself, in front of its properties. */
MDNode *loopId(LLVMContext &Context, ArrayRef<Metadata *> Properties)
{
    SmallVector<Metadata *, 8> Operands{nullptr};
    Operands.append(Properties.begin(), Properties.end());
    MDNode *Id = MDNode::getDistinct(Context, Operands);
    Id->replaceOperandWith(0, Id);
    return Id;
}

/* Whether a function has loops over work-items. */
bool hasItems(const LoopInfo &LI)
{
    return any_of(LI.getLoopsInPreorder(), [](const Loop *L) { return hasLoopMark(*L, ItemsMark); });
}

/* Gives loops that have no metadata some of their own. When LLVM folds the last turn of a loop, its branch keeps the loop's metadata, and
   may become that of the loop around it: which would be taken for one over work-items then. What a loop has itself is kept. */
void identifyLoops(Function &F, const LoopInfo &LI)
{
    for (Loop *L : LI.getLoopsInPreorder())
        if (!L->getLoopID())
            L->setLoopID(loopId(F.getContext(), {}));
}

/* Keeps a loop and those inside of it as they are: scalar, and as short as they are. */
void leaveAlone(Loop &L)
{
    for (Loop *Each : L.getLoopsInPreorder()) {
        Each->setLoopID(nullptr);
        Each->setLoopAlreadyUnrolled();
        addLoopMark(*Each, VectorWidth, ConstantInt::get(Type::getInt32Ty(L.getHeader()->getContext()), 1));
    }
}

/* That of a new loop: over work-items, or over rows of them. */
MDNode *loopMetadata(LLVMContext &Context, const char *Mark, uint64_t Apart)
{
    SmallVector<Metadata *, 4> Properties{MDNode::get(Context, MDString::get(Context, Mark))};
    if (Apart != UINT64_MAX)
        Properties.push_back(apartMetadata(Context, Apart));
    if (Mark == ItemsMark)
        Properties.push_back(MDNode::get(
            Context, {MDString::get(Context, AsksForVectors), ConstantAsMetadata::get(ConstantInt::getTrue(Context))}));
    return loopId(Context, Properties);
}

/* Takes these notes: where a constant number of work-items shares out points, that many are apart. */
void takePointsNotes(Function &F, const LoopInfo *LI)
{
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        CallInst *Note = markerCall(I, PointsNote);
        if (!Note)
            continue;
        Loop *L = LI ? LI->getLoopFor(Note->getParent()) : nullptr;
        const auto *Items = dyn_cast<ConstantInt>(Note->getArgOperand(0));
        if (L && hasLoopMark(*L, ItemsMark) && Items && !Items->isZero() && turnsApart(*L) == 1)
            setTurnsApart(*L, Items->getZExtValue());
        Note->eraseFromParent();
    }
}

/* Asks LLVM for vectors no more, if the loop does: its costs decide. */
void leaveToCosts(Loop &L)
{
    L.setLoopID(makePostTransformationMetadata(L.getHeader()->getContext(), L.getLoopID(), {AsksForVectors}, {}));
}

/* The innermost loop over work-items, of this one and those around it; or null. */
const Loop *itemsAround(const Loop *L)
{
    while (L && !hasLoopMark(*L, ItemsMark))
        L = L->getParentLoop();
    return L;
}

/* Whether a loop over work-items is that over a row of a group of several dimensions. */
bool isRowOfGroup(const Loop &Items)
{
    return Items.getParentLoop() && hasLoopMark(*Items.getParentLoop(), RowsMark);
}

} // namespace tw_compiler
