/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads of one work-item that LLVM takes from the one before (GVN):
 *
 *     before = tile[0]                              for each work-item j
 *     for each work-item j                  becomes     use(tile[j], tile[j + 1])
 *         next = tile[j + 1]
 *         use(before, next)
 *         before = next
 *
 * so that each of them loads its own again, if LLVM has no vectors for it otherwise: what goes from turn to turn is stored before the
 * next one is loaded, say.
 */
#include "split.h"

#include <llvm/Analysis/IVDescriptors.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace tw_split
{
namespace
{

class Again
{
  public:
    Again(Function &F, FunctionAnalysisManager &FAM)
        : LI(FAM.getResult<LoopAnalysis>(F)), SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
          DT(FAM.getResult<DominatorTreeAnalysis>(F)), AA(FAM.getResult<AAManager>(F)),
          Memory(FAM.getResult<MemorySSAAnalysis>(F).getMSSA()), Expand(SE, F.getParent()->getDataLayout(), "tw_again")
    {
    }
    bool load(Loop &L, PHINode &Phi);

  private:
    LoopInfo &LI;
    ScalarEvolution &SE;
    DominatorTree &DT;
    AAResults &AA;
    MemorySSA &Memory;
    Expander Expand;

    bool isKept(Loop &L, LoadInst &First, LoadInst &Next);
};

/* Whether nobody writes what was loaded before the next work-item begins. */
bool Again::isKept(Loop &L, LoadInst &First, LoadInst &Next)
{
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (I.mayWriteToMemory() && !DT.dominates(&I, &Next)
                && isModSet(AA.getModRefInfo(&I, MemoryLocation::get(&Next))))
                return false;
    /* from the first load to the begin of the loop */
    MemoryAccess *Begin = nullptr;
    for (const DomTreeNode *At = DT.getNode(L.getLoopPreheader()); At && !Begin; At = At->getIDom()) {
        if (auto *Writes = Memory.getBlockDefs(At->getBlock()))
            Begin = const_cast<MemoryAccess *>(&*Writes->rbegin());
    }
    if (!Begin)
        return true;
    MemoryAccess *Written = Memory.getWalker()->getClobberingMemoryAccess(Begin, MemoryLocation::get(&First));
    return Memory.dominates(Written, Memory.getMemoryAccess(&First));
}

/* Loads in each turn what `Phi` brings from the one before. */
bool Again::load(Loop &L, PHINode &Phi)
{
    BasicBlock *Header = L.getHeader();
    auto *First = dyn_cast<LoadInst>(Phi.getIncomingValueForBlock(L.getLoopPreheader()));
    auto *Next = dyn_cast<LoadInst>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
    if (!First || !Next || !First->isSimple() || !Next->isSimple() || LI.getLoopFor(Next->getParent()) != &L
        || RecurrenceDescriptor::isFixedOrderRecurrence(&Phi, &L, &DT))
        return false;
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Next->getPointerOperand()));
    if (!Rec || Rec->getLoop() != &L || !Rec->isAffine())
        return false;
    const SCEV *Step = Rec->getStepRecurrence(SE), *Start = SE.getSCEV(First->getPointerOperand());
    if (SE.getMinusSCEV(Rec->getStart(), Start) != Step
        || !Expand.isSafeToExpandAt(Start, L.getLoopPreheader()->getTerminator()) || !isKept(L, *First, *Next))
        return false;
    const SCEV *Place = SE.getAddRecExpr(Start, Step, &L, SCEV::FlagAnyWrap);
    const auto At = Header->getFirstInsertionPt();
    Value *Address = Expand.expandCodeFor(Place, Next->getPointerOperandType(), At);
    IRBuilder<> B(Header, At);
    B.SetCurrentDebugLocation(Next->getDebugLoc());
    LoadInst *Own =
        B.CreateAlignedLoad(Phi.getType(), Address, std::min(First->getAlign(), Next->getAlign()), "tw_again");
    AAMDNodes Of = Next->getAAMetadata();
    Own->setMetadata(LLVMContext::MD_tbaa, Of.TBAA);
    Phi.replaceAllUsesWith(Own);
    Phi.eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(First);
    return true;
}

} // namespace

/* Where a work-item uses i + 1 under a condition, GVN takes it from there for the next turn as well, and computes it once more where the
   condition does not hold. Scalar evolution sees no counter in the phi of both, so it becomes one addition again. */
bool joinSteps(Function &F, FunctionAnalysisManager &FAM)
{
    bool Changed = false;
    for (const Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
        for (PHINode &Phi : L->getHeader()->phis()) {
            auto *Next =
                L->getLoopLatch() ? dyn_cast<PHINode>(Phi.getIncomingValueForBlock(L->getLoopLatch())) : nullptr;
            if (!Next || Next == &Phi || !L->contains(Next) || !Phi.getType()->isIntegerTy())
                continue;
            const auto IsStep = [&](const Value *V) {
                const auto *Step = dyn_cast<BinaryOperator>(V);
                return Step && Step->getOpcode() == Instruction::Add && Step->getOperand(0) == &Phi
                       && isa<ConstantInt>(Step->getOperand(1))
                       && Step->getOperand(1) == cast<Instruction>(Next->getIncomingValue(0))->getOperand(1);
            };
            if (!isa<BinaryOperator>(Next->getIncomingValue(0)) || !all_of(Next->incoming_values(), IsStep))
                continue;
            Instruction *Step = cast<Instruction>(Next->getIncomingValue(0))->clone();
            for (const Value *Other : Next->incoming_values())
                Step->andIRFlags(Other);
            Step->insertBefore(Next->getParent()->getFirstInsertionPt());
            Next->replaceAllUsesWith(Step);
            Changed = true;
        }
    return Changed;
}

/* Lets the work-items of a function load what is theirs. */
bool loadAgain(Function &F, FunctionAnalysisManager &FAM)
{
    bool Changed = false;
    for (bool More = true; More;) {
        More = false;
        for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
            if (!hasLoopMark(*L, ItemsMark) || !L->isLoopSimplifyForm())
                continue;
            for (PHINode &Phi : make_early_inc_range(L->getHeader()->phis()))
                if (Again(F, FAM).load(*L, Phi)) {
                    More = Changed = true;
                    FAM.invalidate(F, PreservedAnalyses::none());
                    break;
                }
            if (More)
                break;
        }
    }
    return Changed;
}

} // namespace tw_split
