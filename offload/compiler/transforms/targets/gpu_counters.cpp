/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of loops in kernels for NVIDIA GPUs. LLVM's strength reduction gives each array in a loop a pointer, where a counter would do
   for all of them. */
#include "passes.h"

#include "analysis/accesses.h"
#include "base/marks.h"
#include "gpu_spaces.h"
#include "gpu_values.h"

#include <utility>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* The counter that an index is an extension of, but for a number that is added; null if it is none of `L`. */
PHINode *counterOf(const Value *Index, const Loop &L, ScalarEvolution &SE, bool &Signed, int64_t &Plus)
{
    using namespace PatternMatch;
    Value *Narrow, *Of;
    const APInt *Number;
    Signed = isa<SExtInst>(Index);
    Plus = 0;
    if (!match(Index, m_ZExtOrSExt(m_Value(Narrow))) || !Narrow->getType()->isIntegerTy(32))
        return nullptr;
    if (match(Narrow, m_DisjointOr(m_Value(Of), m_APInt(Number)))
        || (Signed ? match(Narrow, m_NSWAdd(m_Value(Of), m_APInt(Number)))
                   : match(Narrow, m_NUWAdd(m_Value(Of), m_APInt(Number))))) {
        Plus = Signed ? Number->getSExtValue() : int64_t(Number->getZExtValue());
        Narrow = Of;
    }
    auto *Counter = dyn_cast<PHINode>(Narrow);
    if (!Counter || Counter->getParent() != L.getHeader())
        return nullptr;
    const auto *Steps = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Counter));
    return Steps && Steps->getLoop() == &L && Steps->isAffine() && isa<SCEVConstant>(Steps->getOperand(1)) ? Counter
                                                                                                           : nullptr;
}

/* An address of global memory with a counter of 32 bits is one instruction, which multiplies and adds to a pointer of 64 bits. A
   pointer of its own for each array, which LLVM would rather have, is two, and two copies where an access has a condition. So LLVM is
   not shown that it is a counter. */
bool hideCounters(Loop &L, ScalarEvolution &SE)
{
    struct Access {
        GetElementPtrInst *At;
        PHINode *Counter;
        bool Signed;
        int64_t Plus;
    };
    SmallVector<Access, 16> Accesses;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            auto *At = dyn_cast<GetElementPtrInst>(&I);
            bool Signed;
            int64_t Plus;
            if (At && At->getNumIndices() == 1 && L.isLoopInvariant(At->getPointerOperand())
                && spacesOf(At->getPointerOperand()) == GlobalSpace)
                if (PHINode *Counter = counterOf(At->getOperand(1), L, SE, Signed, Plus))
                    Accesses.push_back({At, Counter, Signed, Plus});
        }
    /* ptxas unrolls other loops, and those that gpu_unrolling.cpp has unrolled again, and can only see in 64 bits that the addresses of
       its turns have a distance that is known */
    if (!hasLoopMark(L, NotUnrolled)
        && (hasLoopMark(L, NotAtRunTime) || none_of(Accesses, [](const Access &A) { return A.Plus != 0; })))
        return false;
    IRBuilder<> B(&*L.getHeader()->getFirstInsertionPt());
    DenseMap<std::pair<PHINode *, unsigned>, Value *> Indexes; /* by whether it is signed */
    DenseMap<std::pair<Value *, std::pair<Value *, Type *>>, Value *> Places;
    for (const Access &A : Accesses) {
        Value *&Index = Indexes[{A.Counter, A.Signed}];
        Type *Element = A.At->getSourceElementType();
        if (!Index) {
            Value *Hidden = hideFromLLVM(B, A.Counter);
            Index = A.Signed ? B.CreateSExt(Hidden, B.getInt64Ty()) : B.CreateZExt(Hidden, B.getInt64Ty());
        }
        Value *&Place = Places[{A.At->getPointerOperand(), {Index, Element}}];
        if (!Place)
            Place = B.CreateGEP(Element, A.At->getPointerOperand(), Index);
        A.At->replaceAllUsesWith(A.Plus ? IRBuilder<>(A.At).CreateGEP(Element, Place, B.getInt64(A.Plus)) : Place);
        A.At->eraseFromParent();
    }
    if (Accesses.empty())
        return false;
    /* and LLVM need not unroll the shorter code again, when it links */
    if (!hasLoopMark(L, NotUnrolled))
        addLoopMark(L, NotAtRunTime);
    return true;
}

} // namespace

bool hideGpuCounters(Function &F, FunctionAnalysisManager &FAM)
{
    bool Changed = false;
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
        Changed |= L->isInnermost() && hideCounters(*L, SE);
    return Changed;
}

} // namespace tw_compiler
