/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of loops over work-items, in their metadata; and the budget of instructions for copies of loops. */
#include "compiler.h"

#include <map>

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstIterator.h>
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

/* What only tells the optimizer something. */
bool isDropped(const Instruction &I)
{
    return isa<AssumeInst>(I) || isa<NoAliasScopeDeclInst>(I) || isa<DbgInfoIntrinsic>(I) || I.isLifetimeStartOrEnd();
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

static constexpr uint64_t Large = 2500; /* instructions */

/* What LLVM does behind copies of loops takes time by the number of instructions, or by its square. So a function that is large gets fewer
   copies: up to four times its instructions and some. */
void setBudget(Function &F)
{
    constexpr uint64_t Least = 300;
    const uint64_t Begun = F.getInstructionCount();
    F.addFnAttr(BudgetNote, std::to_string(std::min(Least + 2 * Begun, std::max(Large, Begun))));
}

/* Vectors have a budget of their own: loops that have used up the first one were taken apart for them. */
void renewBudget(Function &F)
{
    uint64_t Most;
    if (!F.getFnAttribute(BudgetNote).getValueAsString().getAsInteger(10, Most))
        F.addFnAttr(BudgetNote, std::to_string(F.getInstructionCount() + std::min(2 * Most, Large)));
}

/* Whether a function has not budget for so many more instructions, which is told once. */
static bool isFull(Function &F, uint64_t More)
{
    constexpr const char *ToldNote = "teamwork.budget.told";
    uint64_t Most;
    if (F.getFnAttribute(BudgetNote).getValueAsString().getAsInteger(10, Most) || F.getInstructionCount() + More <= Most)
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

uint64_t sizeOf(const Loop &L)
{
    uint64_t Size = 0;
    for (const BasicBlock *Block : L.blocks())
        Size += Block->size();
    return Size;
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
            if (!isFull(F, sizeOf(*L)) && Change(*L)) {
                More = Changed = true;
                FAM.invalidate(F, PreservedAnalyses::none());
                break;
            }
        }
    }
    return Changed;
}

CallInst *markerCall(Instruction &I, const char *Name)
{
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->getName() == Name ? Call : nullptr;
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
