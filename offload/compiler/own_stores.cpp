/* SPDX-License-Identifier: Apache-2.0 */
/* Stores that only some work-items make to elements of variables that each has for itself become stores of all: the vectorizer needs
   no masks for them, and what was written can be read again without waiting. */
#include "compiler.h"

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostInArm = 200; /* instructions */

/* Whether a store may be moved to the end of its block. */
bool canSink(StoreInst &Store, AAResults &AA)
{
    const MemoryLocation Place = MemoryLocation::get(&Store);
    for (Instruction *Other = Store.getNextNode(); Other; Other = Other->getNextNode())
        if (!isGuaranteedToTransferExecutionToSuccessor(Other) || isModOrRefSet(AA.getModRefInfo(Other, Place)))
            return false;
    return true;
}

/* Whether an address is that of an element of a variable which a work-item has for itself: it lies in the variable in every turn, and
   no other address of it is in the loop. */
bool isOwnElement(Value *Address, Type *T, Loop &L, ScalarEvolution &SE)
{
    const DataLayout &DL = L.getHeader()->getDataLayout();
    const auto *Variable = dyn_cast<AllocaInst>(getUnderlyingObject(Address));
    const auto *Rec = Variable ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Address)) : nullptr;
    const SCEV *Turns = SE.getBackedgeTakenCount(&L);
    if (!Rec || Rec->getLoop() != &L || !Rec->isAffine() || isa<SCEVCouldNotCompute>(Turns))
        return false;
    const auto *First =
        dyn_cast<SCEVConstant>(SE.getMinusSCEV(Rec->getStart(), SE.getSCEV(const_cast<AllocaInst *>(Variable))));
    const auto *Step = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE));
    const std::optional<TypeSize> Size = Variable->getAllocationSize(DL);
    const uint64_t Bytes = DL.getTypeStoreSize(T).getFixedValue(), Most = uint64_t(1) << 31;
    const APInt Last = SE.getUnsignedRangeMax(Turns);
    if (!First || !Step || !Size || Size->isScalable() || Last.ugt(Most) || Step->getAPInt().isNegative()
        || Step->getAPInt().ugt(Most) || First->getAPInt().isNegative() || First->getAPInt().ugt(Most)
        || Step->getAPInt().getZExtValue() < Bytes
        || First->getAPInt().getZExtValue() + Last.getZExtValue() * Step->getAPInt().getZExtValue() + Bytes
               > Size->getFixedValue())
        return false;
    const bool IsKnown = !mayBeCaptured(*Variable); /* no pointer from elsewhere leads to it */
    const auto MayBeOther = [&](const Value *Object) {
        return Object == Variable
               || !(IsKnown || isa<AllocaInst>(Object) || isa<GlobalValue>(Object) || isa<Argument>(Object));
    };
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            SmallVector<const Value *, 4> Objects;
            if (Value *Other = getLoadStorePointerOperand(&I)) {
                getUnderlyingObjects(Other, Objects, nullptr, 0);
                if (any_of(Objects, MayBeOther) && (SE.getSCEV(Other) != Rec || getLoadStoreType(&I) != T))
                    return false;
            } else if (I.mayReadOrWriteMemory() && !isa<AssumeInst>(I) && !isa<NoAliasScopeDeclInst>(I))
                return false;
        }
    return true;
}

/* The store to such an element that some work-items alone make becomes one that all of them make: some write what was there. `Then` is the
   block of those, `Join` where all are again. Returns true if that was done. */
bool storeAlways(StoreInst &Store, BranchInst &Branch, BasicBlock &Join, AAResults &AA, const DominatorTree &DT)
{
    BasicBlock *Fork = Branch.getParent(), *Then = Store.getParent();
    SmallVector<Instruction *, 4> Moved; /* what computes the address */
    for (Value *V = Store.getPointerOperand(); auto *At = dyn_cast<Instruction>(V); V = At->getOperand(0)) {
        if (At->getParent() != Then)
            break;
        Moved.push_back(At);
    }
    const auto IsReady = [&](Value *V) {
        const auto *Of = dyn_cast<Instruction>(V);
        return !Of || is_contained(Moved, Of) || DT.dominates(Of, &Branch);
    };
    if (!canSink(Store, AA) || any_of(Moved, [&](Instruction *At) {
            return !isa<GetElementPtrInst>(At) || !all_of(At->operands(), IsReady);
        }))
        return false;
    for (Instruction *At : reverse(Moved))
        At->moveBefore(*Fork, Branch.getIterator());
    Type *T = Store.getValueOperand()->getType();
    auto *Before =
        new LoadInst(T, Store.getPointerOperand(), "tw_before", false, Store.getAlign(), Branch.getIterator());
    Before->setAAMetadata(Store.getAAMetadata());
    Before->setDebugLoc(Store.getDebugLoc());
    PHINode *Phi = PHINode::Create(T, 2, "tw_always", Join.begin());
    Phi->addIncoming(Store.getValueOperand(), Then);
    Phi->addIncoming(Before, Fork);
    Store.setOperand(0, Phi);
    Store.moveBefore(Join, Join.getFirstInsertionPt());
    return true;
}

/* Stores of some work-items to elements of their own have no masks then, and what was written is read again without waiting until it is
   in the cache. */
bool writeAlways(Loop &L, FunctionAnalysisManager &FAM, Function &F)
{
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &AA = FAM.getResult<AAManager>(F);
    bool Changed = false;
    for (BasicBlock *Fork : L.blocks()) {
        auto *Branch = dyn_cast<BranchInst>(Fork->getTerminator());
        if (!Branch || !Branch->isConditional() || Fork == L.getLoopLatch())
            continue;
        for (unsigned Way = 0; Way < 2; ++Way) {
            BasicBlock *Then = Branch->getSuccessor(Way), *Join = Branch->getSuccessor(1 - Way);
            if (Then == Join || Then->getSingleSuccessor() != Join || Then->getSinglePredecessor() != Fork
                || !Join->hasNPredecessors(2) || !L.contains(Join) || Join == L.getHeader() || Then->size() > MostInArm)
                continue;
            SmallVector<StoreInst *, 8> Stores; /* the last one first */
            for (Instruction &I : reverse(*Then))
                if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple())
                    Stores.push_back(Store);
            for (StoreInst *Store : Stores)
                Changed |= isOwnElement(Store->getPointerOperand(), Store->getValueOperand()->getType(), L, SE)
                           && storeAlways(*Store, *Branch, *Join, AA, DT);
        }
    }
    return Changed;
}

} // namespace

bool writeOwnAlways(Function &F, FunctionAnalysisManager &FAM)
{
    bool Changed = false;
    changeLoops(F, FAM, "teamwork.always", [&](Loop &L) {
        if (!L.isInnermost() || !L.isLoopSimplifyForm() || L.getExitingBlock() != L.getLoopLatch()
            || !writeAlways(L, FAM, F))
            return false;
        return Changed = true;
    });
    return Changed;
}

} // namespace tw_compiler
