/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers in kernels for NVIDIA GPUs that order nothing: a barrier is left out if nothing that is accessed before it, since the last one,
 * can conflict with what another work-item accesses behind it, up to the next one. Behind the parts of a group function in team-local
 * memory, which all have read, kernels usually write to global memory; a work-item loop that reads global memory ends before a group
 * function writes to team-local memory; and at the end of a tree the first work-item adds the last two numbers, and takes the sum.
 */
#include "passes.h"

#include "analysis/predicates.h"
#include "base/contract.h"
#include "gpu_spaces.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

bool isBarrier(const Instruction &I)
{
    const auto *Call = dyn_cast<IntrinsicInst>(&I);
#if LLVM_VERSION_MAJOR >= 22 /* where barriers have a number: 0 is the one that all of the group come to */
    return Call && Call->getIntrinsicID() == Intrinsic::nvvm_barrier_cta_sync_aligned_all
           && match(Call->getArgOperand(0), PatternMatch::m_Zero());
#else
    return Call && Call->getIntrinsicID() == Intrinsic::nvvm_barrier0;
#endif
}

/* What a kernel begins with: it waits for launches before it, of which its own work-items see as much behind it. */
bool awaitsOthers(const Instruction &I)
{
    const auto *Call = dyn_cast<CallInst>(&I);
    const auto *Text = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
    return Text && Text->getAsmString() == "griddepcontrol.wait;";
}

/* The blocks that only the first work-item of a group executes. Groups of Teamwork's kernels have their threads in one dimension. */
SmallPtrSet<const BasicBlock *, 8> ofFirstThread(Function &F, DominatorTree &DT)
{
    using namespace PatternMatch;
    SmallPtrSet<const BasicBlock *, 8> Found;
    if (!F.hasFnAttribute(SimtRole))
        return Found;
    for (BasicBlock &Block : F) {
        auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
        auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
        Value *Thread;
        if (!Test || !Test->isEquality() || !match(Test->getOperand(1), m_Zero())
            || !match(Test->getOperand(0), m_ZExtOrSelf(m_Value(Thread))))
            continue;
        const auto *Call = dyn_cast<IntrinsicInst>(Thread);
        if (!Call || Call->getIntrinsicID() != Intrinsic::nvvm_read_ptx_sreg_tid_x)
            continue;
        const BasicBlockEdge Edge(&Block, Branch->getSuccessor(Test->getPredicate() == ICmpInst::ICMP_NE));
        for (const BasicBlock &Other : F)
            if (DT.dominates(Edge, &Other))
                Found.insert(&Other);
    }
    return Found;
}

/* What may be accessed on the ways from a barrier to the next ones: bits of memory spaces. */
class Traffic
{
  public:
    explicit Traffic(const SmallPtrSetImpl<const BasicBlock *> &OfFirst) : OfFirst(OfFirst)
    {
    }

    void addUnknown()
    {
        ByAny.Read |= UnknownSpace;
        ByAny.Written |= UnknownSpace;
    }

    void add(const Instruction &I)
    {
        const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
        if (!I.mayReadOrWriteMemory() || (Intrinsic && Intrinsic->isAssumeLikeIntrinsic()) || awaitsOthers(I))
            return;
        Accesses &Here = OfFirst.contains(I.getParent()) ? ByFirst : ByAny;
        if (const auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple()) {
            Here.Read |= spacesOf(Load->getPointerOperand());
        } else if (const auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple()) {
            Here.Written |= spacesOf(Store->getPointerOperand());
        } else if (const auto *Update = dyn_cast<AtomicRMWInst>(&I);
                   Update && !Update->isVolatile() && Update->getOrdering() == AtomicOrdering::Monotonic) {
            ByAny.Read |= spacesOf(Update->getPointerOperand());
            ByAny.Written |= spacesOf(Update->getPointerOperand());
        } else if (!Intrinsic || !Intrinsic->isConvergent()
                   || any_of(Intrinsic->args(), [](const Use &U) { return U->getType()->isPointerTy(); })) {
            addUnknown(); /* but lanes that exchange values */
        }
    }

    /* What one thread accesses twice is in order. */
    bool conflictWith(const Traffic &Other) const
    {
        return ByAny.conflictWith(Other.ByAny) || ByAny.conflictWith(Other.ByFirst)
               || ByFirst.conflictWith(Other.ByAny);
    }

  private:
    struct Accesses {
        unsigned Read = 0, Written = 0;
        bool conflictWith(const Accesses &Other) const
        {
            return (Written & (Other.Read | Other.Written)) || (Read & Other.Written);
        }
    };
    const SmallPtrSetImpl<const BasicBlock *> &OfFirst;
    Accesses ByAny, ByFirst;
};

/* Adds what is behind. Beyond the ends of a function that is no kernel all may be accessed. */
Traffic trafficBehind(const Instruction &Barrier, Traffic Found)
{
    SmallVector<BasicBlock::const_iterator, 8> Ways{std::next(Barrier.getIterator())};
    SmallPtrSet<const BasicBlock *, 16> Begun;
    while (!Ways.empty())
        for (BasicBlock::const_iterator I = Ways.pop_back_val(); !isBarrier(*I); ++I) {
            Found.add(*I);
            if (isa<ReturnInst>(*I) && !isKernel(*I->getFunction()))
                Found.addUnknown();
            if (!I->isTerminator())
                continue;
            for (const BasicBlock *Next : successors(I->getParent()))
                if (Begun.insert(Next).second)
                    Ways.push_back(Next->begin());
            break;
        }
    return Found;
}

Traffic trafficBefore(const Instruction &Barrier, Traffic Found)
{
    SmallVector<const Instruction *, 8> Ways{&Barrier}; /* each way begins before it */
    SmallPtrSet<const BasicBlock *, 16> Begun;
    while (!Ways.empty()) {
        const Instruction *I = Ways.pop_back_val(), *Last;
        while ((Last = I->getPrevNode()) && !isBarrier(*Last))
            Found.add(*(I = Last));
        if (Last)
            continue;
        const BasicBlock *Block = I->getParent();
        if (Block->isEntryBlock() && !isKernel(*Block->getParent()))
            Found.addUnknown();
        for (const BasicBlock *Before : predecessors(Block)) {
            if (!Begun.insert(Before).second)
                continue;
            Found.add(*Before->getTerminator());
            Ways.push_back(Before->getTerminator());
        }
    }
    return Found;
}

} // namespace

/* Takes the barriers out that order no accesses to the same memory by different work-items. One after the other: what is on both sides
   of one is on the same side of the next. */
bool leaveGpuBarriers(Function &F, FunctionAnalysisManager &FAM)
{
    SmallVector<Instruction *, 8> Barriers;
    for (Instruction &I : instructions(F))
        if (isBarrier(I))
            Barriers.push_back(&I);
    if (Barriers.empty())
        return false;
    const auto OfFirst = ofFirstThread(F, FAM.getResult<DominatorTreeAnalysis>(F));
    const Traffic None(OfFirst);
    bool Changed = false;
    for (Instruction *I : Barriers)
        if (!trafficBefore(*I, None).conflictWith(trafficBehind(*I, None))) {
            I->eraseFromParent();
            Changed = true;
        }
    return Changed;
}

} // namespace tw_compiler
