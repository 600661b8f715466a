/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Places of work-items in arrays, in kernels for NVIDIA GPUs. Ids have 64 bits, and so an address is a sum of 64 bits for each array:
 * two instructions. A number of 32 bits times a size, plus a pointer, is one. So a kernel that accesses many arrays at the same place
 * has a copy for where that place does not fit 32 bits. The test is one of the upper half, in front of the first address.
 */
#include "passes.h"

#include "gpu_versions.h"

#include <utility>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tw_compiler
{

namespace
{

constexpr size_t LeastArrays = 8;        /* for which the test and a second copy are worth it */
constexpr size_t MostBehindPlace = 2000; /* instructions */
constexpr unsigned MostToThread = 8;     /* steps from a place to the thread's number */

struct PlaceAccess {
    GetElementPtrInst *At;
    APInt Plus; /* elements behind the place */
};

struct CommonPlace {
    SmallVector<PlaceAccess, 16> Accesses;
    SmallSetVector<std::pair<Value *, Type *>, 16> Arrays;
};

/* Whether it is computed of the thread's number in its group. */
bool isOfThread(const Value *V, unsigned Steps = MostToThread)
{
    if (const auto *Call = dyn_cast<CallInst>(V))
        return is_contained({Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
                             Intrinsic::nvvm_read_ptx_sreg_tid_z},
                            Call->getIntrinsicID());
    const auto *I = dyn_cast<Instruction>(V);
    return I && Steps > 0 && (isa<BinaryOperator>(I) || isa<ZExtInst>(I))
           && any_of(I->operands(), [Steps](const Use &Of) { return isOfThread(Of, Steps - 1); });
}

/* The places at which arrays are accessed, each with its accesses, whose indexes may be more by a constant. */
MapVector<Value *, CommonPlace> placesOf(Function &F)
{
    MapVector<Value *, CommonPlace> Places;
    for (Instruction &I : instructions(F)) {
        auto *At = dyn_cast<GetElementPtrInst>(&I);
        if (!At || At->getNumIndices() != 1 || !At->getOperand(1)->getType()->isIntegerTy(64))
            continue;
        Value *Of = At->getOperand(1), *Less;
        APInt Plus(64, 0);
        for (const APInt *Number; match(Of, m_AddLike(m_Value(Less), m_APInt(Number))); Of = Less)
            Plus += *Number;
        const auto *Sum = dyn_cast<BinaryOperator>(Of);
        if (!Sum || (Sum->getOpcode() != Instruction::Add && Sum->getOpcode() != Instruction::Or))
            continue;
        CommonPlace &Here = Places[Of];
        Here.Accesses.push_back({At, Plus});
        Here.Arrays.insert({At->getPointerOperand(), At->getSourceElementType()});
    }
    return Places;
}

/* Whether what begins at `From` may be copied, and may go different ways for threads of a warp. */
bool mayDivide(Instruction *From)
{
    SmallVector<BasicBlock::iterator, 8> Ways{From->getIterator()};
    SmallPtrSet<const BasicBlock *, 16> Begun;
    size_t Instructions = 0;
    while (!Ways.empty()) {
        const BasicBlock::iterator Begin = Ways.pop_back_val();
        for (Instruction &I : make_range(Begin, Begin->getParent()->end())) {
            const auto *Call = dyn_cast<CallBase>(&I);
            if (++Instructions > MostBehindPlace || isa<AllocaInst>(I) || I.getType()->isTokenTy()
                || (Call && (Call->isConvergent() || Call->cannotDuplicate())))
                return false;
        }
        for (BasicBlock *Next : successors(Begin->getParent())) {
            if (Next == From->getParent()) /* a loop around it */
                return false;
            if (Begun.insert(Next).second)
                Ways.push_back(Next->begin());
        }
    }
    return true;
}

/* In front of all accesses. */
Instruction *inFront(const CommonPlace &Of, const DominatorTree &DT)
{
    BasicBlock *Block = Of.Accesses.front().At->getParent();
    for (const PlaceAccess &A : Of.Accesses)
        Block = DT.findNearestCommonDominator(Block, A.At->getParent());
    Instruction *First = Block->getTerminator();
    for (const PlaceAccess &A : Of.Accesses)
        if (A.At->getParent() == Block && A.At->comesBefore(First))
            First = A.At;
    return First;
}

} // namespace

bool versionPlaces(Function &F, FunctionAnalysisManager &FAM)
{
    const DataLayout &DL = F.getParent()->getDataLayout();
    MapVector<Value *, CommonPlace> Places = placesOf(F);
    const auto Most = max_element(
        Places, [](const auto &A, const auto &B) { return A.second.Arrays.size() < B.second.Arrays.size(); });
    if (Most == Places.end() || Most->second.Arrays.size() < LeastArrays || !isOfThread(Most->first)
        || computeKnownBits(Most->first, DL).countMaxActiveBits() <= 32)
        return false;
    Instruction *First = inFront(Most->second, FAM.getResult<DominatorTreeAnalysis>(F));
    if (!mayDivide(First))
        return false;

    /* LLVM does not see that the lower half is one: it would make the place of it again */
    IRBuilder<> B(First);
    Type *Word = B.getInt32Ty(), *Halves = StructType::get(Word, Word);
    auto *Move =
        InlineAsm::get(FunctionType::get(Halves, {B.getInt64Ty()}, false), "mov.b64 {$0, $1}, $2;", "=r,=r,l", false);
    CallInst *Both = B.CreateCall(Move, {Most->first});
    Both->setDoesNotAccessMemory();
    Both->setDoesNotThrow();
    Value *Lower = B.CreateExtractValue(Both, 0), *Fits = B.CreateICmpEQ(B.CreateExtractValue(Both, 1), B.getInt32(0));

    BasicBlock *Head = First->getParent(), *Usual = SplitBlock(Head, First), *Any = copyFrom(Usual);
    ReplaceInstWithInst(Head->getTerminator(), BranchInst::Create(Usual, Any, Fits));
    Head->getTerminator()->setMetadata(LLVMContext::MD_prof, MDBuilder(F.getContext()).createBranchWeights(1 << 20, 1));

    B.SetInsertPoint(First);
    Value *Index = B.CreateZExt(Lower, B.getInt64Ty());
    for (const PlaceAccess &A : Most->second.Accesses) {
        B.SetInsertPoint(A.At);
        Value *At = B.CreateGEP(A.At->getSourceElementType(), A.At->getPointerOperand(), Index);
        if (!A.Plus.isZero())
            At = B.CreateGEP(A.At->getSourceElementType(), At, B.getInt(A.Plus));
        A.At->replaceAllUsesWith(At);
        A.At->eraseFromParent();
    }
    return true;
}

} // namespace tw_compiler
