/* SPDX-License-Identifier: Apache-2.0 */
/* Both ways behind a condition often read and write the same places, also because LLVM makes one condition of several that are the
   same and doubles what was between them. The vectorizer takes each access by its mask then, and no neighbouring members of a
   structure together. Here such loads go in front of the condition and such stores behind it. What could be at the same address is
   compared in front of the loop, if that is what is in the way. */
#include "split.h"

#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/LoopVersioning.h>

using namespace llvm;

namespace tw_split
{
namespace
{

constexpr unsigned MostInArm = 200;
constexpr unsigned MostChecks = 16; /* comparisons of addresses */

/* Two blocks of which a work-item takes one. */
struct Arms {
    BasicBlock *Fork, *Then, *Else, *Join;
};

/* What the loop forks at, the inner ones first. */
SmallVector<Arms, 8> armsOf(Loop &L)
{
    SmallVector<Arms, 8> Found;
    for (BasicBlock *Block : L.blocks()) {
        auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
        if (!Branch || !Branch->isConditional() || Block == L.getLoopLatch())
            continue;
        BasicBlock *Then = Branch->getSuccessor(0), *Else = Branch->getSuccessor(1), *Join = Then->getSingleSuccessor();
        if (Then != Else && Join && Join == Else->getSingleSuccessor() && Join != L.getHeader()
            && Then->getSinglePredecessor() && Else->getSinglePredecessor() && Then->size() <= MostInArm
            && Else->size() <= MostInArm && L.contains(Join))
            Found.push_back({Block, Then, Else, Join});
    }
    return Found;
}

/* Whether `I` may be moved to the begin of its block, or to its end. */
bool passes(Instruction &I, bool Up, AAResults &AA)
{
    const MemoryLocation Place = MemoryLocation::get(&I);
    for (Instruction *Other = Up ? I.getPrevNode() : I.getNextNode(); Other;
         Other = Up ? Other->getPrevNode() : Other->getNextNode())
        if (!isGuaranteedToTransferExecutionToSuccessor(Other)
            || isModOrRefSet(isa<StoreInst>(I) ? AA.getModRefInfo(Other, Place)
                                               : AA.getModRefInfo(Other, Place) & ModRefInfo::Mod))
            return false;
    return true;
}

bool isSimple(const Instruction &I)
{
    const auto *Load = dyn_cast<LoadInst>(&I);
    return Load ? Load->isSimple() : isa<StoreInst>(I) && cast<StoreInst>(I).isSimple();
}

/* Whether both compute the same, or read the same place. */
bool isSame(const Instruction &A, const Instruction &B)
{
    return A.isSameOperationAs(&B, Instruction::CompareIgnoringAlignment) && equal(A.operands(), B.operands());
}

class Merger
{
  public:
    Merger(AAResults &AA) : AA(AA)
    {
    }
    bool Changed = false;
    unsigned Left = 0; /* accesses that both ways have, and something else is in the way of which */

    void merge(const Arms &A);

  private:
    AAResults &AA;

    void lift(const Arms &A);
    void sink(const Arms &A);
};

void Merger::lift(const Arms &A)
{
    for (Instruction &I : make_early_inc_range(*A.Then)) {
        const bool Reads = isa<LoadInst>(I) && isSimple(I);
        if (isa<PHINode>(I) || I.isTerminator() || (!Reads && (I.mayReadOrWriteMemory() || isa<CallBase>(I)))
            || I.getType()->isTokenTy() || any_of(I.operands(), [&](Value *V) {
                   return isa<Instruction>(V) && cast<Instruction>(V)->getParent() == A.Then;
               }))
            continue;
        auto Other = find_if(*A.Else, [&](Instruction &J) { return isSame(I, J); });
        if (Other == A.Else->end())
            continue;
        if (Reads && (!passes(I, true, AA) || !passes(*Other, true, AA))) {
            ++Left;
            continue;
        }
        if (auto *Load = dyn_cast<LoadInst>(&I))
            Load->setAlignment(std::min(Load->getAlign(), cast<LoadInst>(*Other).getAlign()));
        I.moveBefore(*A.Fork, A.Fork->getTerminator()->getIterator());
        I.andIRFlags(&*Other);
        combineMetadataForCSE(&I, &*Other, /*DoesKMove=*/true);
        I.applyMergedLocation(I.getDebugLoc(), Other->getDebugLoc());
        Other->replaceAllUsesWith(&I);
        Other->eraseFromParent();
        Changed = true;
    }
}

void Merger::sink(const Arms &A)
{
    SmallVector<StoreInst *, 8> Stores;
    for (Instruction &I : reverse(*A.Then))
        if (isa<StoreInst>(I) && isSimple(I))
            Stores.push_back(cast<StoreInst>(&I));
    for (StoreInst *Store : Stores) {
        StoreInst *Other = nullptr;
        for (Instruction &J : reverse(*A.Else))
            if (auto *S = dyn_cast<StoreInst>(&J);
                S && isSimple(*S) && S->getPointerOperand() == Store->getPointerOperand()
                && S->getValueOperand()->getType() == Store->getValueOperand()->getType()) {
                Other = S;
                break;
            }
        if (!Other
            || (isa<Instruction>(Store->getPointerOperand())
                && cast<Instruction>(Store->getPointerOperand())->getParent() == A.Then))
            continue;
        if (!passes(*Store, false, AA) || !passes(*Other, false, AA)) {
            ++Left;
            continue;
        }
        Value *What = Store->getValueOperand();
        if (What != Other->getValueOperand()) {
            PHINode *Phi = PHINode::Create(What->getType(), 2, "tw_arms", A.Join->begin());
            Phi->addIncoming(What, A.Then);
            Phi->addIncoming(Other->getValueOperand(), A.Else);
            What = Phi;
        }
        Store->setOperand(0, What);
        Store->setAlignment(std::min(Store->getAlign(), Other->getAlign()));
        Store->moveBefore(*A.Join, A.Join->getFirstInsertionPt());
        combineMetadataForCSE(Store, Other, /*DoesKMove=*/true);
        Store->applyMergedLocation(Store->getDebugLoc(), Other->getDebugLoc());
        Other->eraseFromParent();
        Changed = true;
    }
}

void Merger::merge(const Arms &A)
{
    lift(A);
    /* only both ways lead to the join, or values of others would be missing */
    if (A.Join->hasNPredecessors(2)) {
        for (PHINode &Phi : make_early_inc_range(A.Join->phis()))
            if (Value *Same = Phi.hasConstantValue(); Same && Same != &Phi && !isa<Constant>(Same)) {
                Phi.replaceAllUsesWith(Same);
                Phi.eraseFromParent();
            }
        sink(A);
    }
}

/* What is left of a fork is that of a loop in which nothing is at the address of something else, if that can be compared. */
bool versionForArms(Loop &L, Function &F, FunctionAnalysisManager &FAM)
{
    const LoopAccessInfo &LAI = FAM.getResult<LoopAccessAnalysis>(F).getInfo(L);
    const RuntimePointerChecking *Checks = LAI.getRuntimePointerChecking();
    if (!LAI.canVectorizeMemory() || !Checks->Need || Checks->getNumberOfChecks() == 0
        || Checks->getNumberOfChecks() > MostChecks || LAI.hasConvergentOp() || !L.getExitBlock())
        return false;
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    formLCSSARecursively(L, DT, &LI, &SE);
    LoopVersioning Versions(LAI, Checks->getChecks(), &L, &LI, &DT, &SE);
    Versions.versionLoop();
    Versions.annotateLoopWithNoAlias();
    return true;
}

} // namespace

/* Merges the ways behind conditions of loops over work-items. */
bool mergeArms(Function &F, FunctionAnalysisManager &FAM)
{
    bool Merged = false;
    changeLoops(F, FAM, "teamwork.arms", [&](Loop &L) {
        if (!L.isInnermost() || !L.isLoopSimplifyForm() || L.getExitingBlock() != L.getLoopLatch())
            return false;
        const auto MergeAll = [&] {
            Merger M(FAM.getResult<AAManager>(F));
            for (bool More = true; More; Merged |= More) {
                M.Changed = false;
                M.Left = 0;
                for (const Arms &A : armsOf(L))
                    M.merge(A);
                More = M.Changed;
            }
            return M.Left > 0;
        };
        if (!MergeAll())
            return false;
        FAM.getResult<ScalarEvolutionAnalysis>(F).forgetLoop(&L);
        if (!versionForArms(L, F, FAM))
            return false;
        MergeAll();
        return Merged = true;
    });
    return Merged;
}

} // namespace tw_split
