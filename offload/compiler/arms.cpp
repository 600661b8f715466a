/* SPDX-License-Identifier: Apache-2.0 */
/* Both ways behind a condition often read and write the same places, also because LLVM makes one condition of several that are the
   same and doubles what was between them. The vectorizer takes each access by its mask then, and no neighbouring members of a
   structure together. Here such loads go in front of the condition and such stores behind it. What could be at the same address is
   compared in front of the loop, if that is what is in the way. */
#include "compiler.h"

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

namespace tw_compiler
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

/* Whether an address is that of an element of a variable which a work-item has for itself: it lies in the variable in every turn, and
   no other address of it is in the loop. */
static bool isOwnElement(Value *Address, Type *T, Loop &L, ScalarEvolution &SE)
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
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            SmallVector<const Value *, 4> Objects;
            if (Value *Other = getLoadStorePointerOperand(&I)) {
                getUnderlyingObjects(Other, Objects);
                if (is_contained(Objects, Variable) && (SE.getSCEV(Other) != Rec || getLoadStoreType(&I) != T))
                    return false;
            } else if (I.mayReadOrWriteMemory() && !isa<AssumeInst>(I) && !isa<NoAliasScopeDeclInst>(I))
                return false;
        }
    return true;
}

/* The store to such an element that some work-items alone make becomes one that all of them make: some write what was there. `Then` is the
   block of those, `Join` where all are again. Returns true if that was done. */
static bool storeAlways(StoreInst &Store, BranchInst &Branch, BasicBlock &Join, AAResults &AA, const DominatorTree &DT)
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
    if (!passes(Store, false, AA) || any_of(Moved, [&](Instruction *At) {
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
static bool writeAlways(Loop &L, FunctionAnalysisManager &FAM, Function &F)
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
                if (isa<StoreInst>(I) && isSimple(I))
                    Stores.push_back(cast<StoreInst>(&I));
            for (StoreInst *Store : Stores)
                Changed |= isOwnElement(Store->getPointerOperand(), Store->getValueOperand()->getType(), L, SE)
                           && storeAlways(*Store, *Branch, *Join, AA, DT);
        }
    }
    return Changed;
}

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

} // namespace tw_compiler
