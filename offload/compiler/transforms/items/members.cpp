/* SPDX-License-Identifier: Apache-2.0 */
/* Structures, and numbers with a stride: the vectorizer loads neighbouring members of them at once and sorts them by shuffles, if it
   knows that no address wraps around, also where only some work-items do so. */
#include "passes.h"

#include "base/marks.h"
#include "utilities/expander.h"

#include <optional>
#include <utility>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr int64_t MostApart =
    1 << 20; /* of members of the same structure, and of structures that follow each other; in bytes */

/* An access at an address that grows by a constant from one work-item to the next. */
struct Member {
    Instruction *Access;
    Value *Base;                    /* the loop does not change it */
    const SCEVAddRecExpr *Distance; /* from there, in bytes */
    bool Always;                    /* each work-item accesses it, or what lies near it in the same object */
};

class Members
{
  public:
    Members(Loop &L, ScalarEvolution &SE, DominatorTree &DT) : L(L), SE(SE), DT(DT), DL(SE.getDataLayout())
    {
    }
    bool run();

  private:
    Loop &L;
    ScalarEvolution &SE;
    DominatorTree &DT;
    const DataLayout &DL;
    SmallVector<Member, 16> All;
    SmallVector<std::pair<const Member *, PHINode *>, 4> Counters;

    std::optional<int64_t> apart(const Member &A, const Member &B);
    void add(Instruction &I);
    bool mayWrap(const Member &M);
    Value *distance(const Member &M, Expander &Expand);
};

/* How far the distance of one is above that of the other, if that is a small constant. */
std::optional<int64_t> Members::apart(const Member &A, const Member &B)
{
    const auto *By = dyn_cast<SCEVConstant>(SE.getMinusSCEV(A.Distance, B.Distance));
    if (!By || By->getAPInt().abs().ugt(MostApart))
        return {};
    return By->getAPInt().getSExtValue();
}

void Members::add(Instruction &I)
{
    Value *Address = getLoadStorePointerOperand(&I), *Base = Address;
    if (!Address || Address->getType() != PointerType::get(I.getContext(), 0)
        || DL.getIndexTypeSizeInBits(Address->getType()) != 64)
        return;
    while (auto *At = L.isLoopInvariant(Base) ? nullptr : dyn_cast<GetElementPtrInst>(Base)) {
        if (!At->isInBounds())
            return;
        Base = At->getPointerOperand();
    }
    if (Base == Address || !L.isLoopInvariant(Base))
        return;
    const auto *Distance = dyn_cast<SCEVAddRecExpr>(SE.getMinusSCEV(SE.getSCEV(Address), SE.getSCEV(Base)));
    const auto *Step = Distance ? dyn_cast<SCEVConstant>(Distance->getStepRecurrence(SE)) : nullptr;
    if (Step && Distance->getLoop() == &L && Distance->isAffine() && Step->getAPInt().abs().ule(MostApart))
        All.push_back({&I, Base, Distance, DT.dominates(I.getParent(), L.getLoopLatch())});
}

/* Whether nobody knows that the address does not wrap around. Of those side by side the vectorizer does know. */
bool Members::mayWrap(const Member &M)
{
    const auto *Where = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(getLoadStorePointerOperand(M.Access)));
    return Where && Where->getNoWrapFlags(SCEV::NoWrapMask) == SCEV::FlagAnyWrap
           && cast<SCEVConstant>(M.Distance->getStepRecurrence(SE))
                  ->getAPInt()
                  .abs()
                  .ugt(DL.getTypeStoreSize(getLoadStoreType(M.Access)).getFixedValue());
}

/* The distance by a counter that does not wrap around, which those that lie near each other share. */
Value *Members::distance(const Member &M, Expander &Expand)
{
    auto *Known = find_if(Counters, [&](const auto &C) { return apart(M, *C.first).has_value(); });
    if (Known == Counters.end()) {
        IRBuilder<> B(&L.getHeader()->front());
        PHINode *Counter = B.CreatePHI(B.getInt64Ty(), 2, "tw_member");
        B.SetInsertPoint(L.getLoopLatch()->getTerminator());
        Value *Step = cast<SCEVConstant>(M.Distance->getStepRecurrence(SE))->getValue();
        Value *Next = B.CreateAdd(Counter, Step, "", false, /*HasNSW=*/true);
        Instruction *Before = L.getLoopPreheader()->getTerminator();
        Counter->addIncoming(Expand.expandCodeFor(M.Distance->getStart(), B.getInt64Ty(), Before),
                             L.getLoopPreheader());
        Counter->addIncoming(Next, L.getLoopLatch());
        Counters.push_back({&M, Counter});
        Known = &Counters.back();
    }
    /* a sum also where 0 is added: the vectorizer looks for an operation that does not wrap around */
    Value *More = ConstantInt::getSigned(Known->second->getType(), *apart(M, *Known->first));
    return BinaryOperator::CreateNSWAdd(Known->second, More, "", M.Access->getIterator());
}

/* "inbounds" says that the distance of an access from the begin of its object is smaller than the object, which is less than a quarter
   of what can be addressed. So the distance does not wrap around from one turn to the next if each turn accesses the object. What it
   was computed from may do so: 4 * i is small for some i that are not. So it gets a counter of its own, that does not. */
bool Members::run()
{
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (!isGuaranteedToTransferExecutionToSuccessor(&I))
                return false;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            add(I);
    for (Member &M : All)
        M.Always |= any_of(All, [&](const Member &Other) {
            return DT.dominates(Other.Access->getParent(), L.getLoopLatch()) && apart(M, Other);
        });
    Expander Expand(SE, DL, "tw_member");
    SmallVector<std::pair<Instruction *, Value *>, 16> New;
    for (const Member &M : All)
        if (M.Always && mayWrap(M)
            && Expand.isSafeToExpandAt(M.Distance->getStart(), L.getLoopPreheader()->getTerminator()))
            New.push_back({M.Access, IRBuilder<>(M.Access).CreateInBoundsGEP(Type::getInt8Ty(M.Access->getContext()),
                                                                             M.Base, distance(M, Expand))});
    for (auto &[Access, Address] : New) {
        Value *Old = getLoadStorePointerOperand(Access);
        Access->setOperand(
            isa<LoadInst>(Access) ? LoadInst::getPointerOperandIndex() : StoreInst::getPointerOperandIndex(), Address);
        RecursivelyDeleteTriviallyDeadInstructions(Old);
    }
    if (!New.empty())
        SE.forgetLoop(&L);
    return !New.empty();
}

} // namespace

bool countMembers(Function &F, FunctionAnalysisManager &FAM)
{
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    bool Changed = false;
    for (Loop *L : LI.getLoopsInPreorder())
        if (L->isInnermost() && L->isLoopSimplifyForm() && L->getExitingBlock() == L->getLoopLatch()
            && (hasLoopMark(*L, ItemsMark) || hasLoopMark(*L, ParallelMark)))
            Changed |= Members(*L, SE, DT).run();
    return Changed;
}

} // namespace tw_compiler
