/* SPDX-License-Identifier: Apache-2.0 */
/* LLVM's vectorizer knows nothing of the rules of kernels (analysis/accesses.cpp), and compares addresses at run time, or gives up. Here it
   is told. */
#include "passes.h"

#include "analysis/accesses.h"
#include "base/marks.h"

#include <algorithm>

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr unsigned MostVectors =
    16; /* that are side by side: LLVM has up to 4, unroll_and_jam.cpp asks for as many as half of the registers */

bool onlyLoadsAndStores(const Loop &L)
{
    for (const BasicBlock *Block : L.blocks())
        for (const Instruction &I : *Block) {
            const auto *Load = dyn_cast<LoadInst>(&I);
            const auto *Store = dyn_cast<StoreInst>(&I);
            if (Load    ? !Load->isSimple()
                : Store ? !Store->isSimple()
                        : I.mayReadOrWriteMemory() && !isa<AssumeInst>(I) && !isa<NoAliasScopeDeclInst>(I))
                return false;
        }
    return true;
}

} // namespace

/* The vectors, side by side, that LLVM may make of a loop over work-items in which turns are so far apart; 0: not even one. It has so many
   turns on their way together: no work-item may have two of these. */
static unsigned vectorsApart(Loop &L, const TargetTransformInfo &TTI)
{
    const DataLayout &DL = L.getHeader()->getDataLayout();
    uint64_t Bits = 64; /* of the shortest elements */
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (isa<PHINode>(I) || getLoadStorePointerOperand(&I))
                Bits = std::min<uint64_t>(
                    Bits,
                    DL.getTypeSizeInBits((isa<PHINode>(I) ? I.getType() : getLoadStoreType(&I))->getScalarType()));
    const uint64_t Register = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue(),
                   Most = std::max<uint64_t>(Register / std::max<uint64_t>(Bits, 8), 1),
                   Lanes = std::max<uint64_t>(
                       Most, getOptionalIntLoopAttribute(&L, VectorWidth).value_or(1)); /* TW_HOST_LOOP */
    return unsigned(std::min<uint64_t>(turnsApart(L) / Lanes, UINT_MAX));
}

/* LLVM (19, 22) makes none of the comparisons of addresses that it needs where these are more than 128, and vectorizes nevertheless if
   the loop asks for vectors, as loops over work-items do. So such a loop asks for none. */
bool limitChecks(Function &F, FunctionAnalysisManager &FAM)
{
    constexpr unsigned MostChecks = 100;
    LoopAccessInfoManager &Accesses = FAM.getResult<LoopAccessAnalysis>(F);
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
        if (L->isInnermost() && hasLoopMark(*L, ItemsMark) && !hasLoopMark(*L, ParallelMark)
            && hasLoopMark(*L, AsksForVectors) && Accesses.getInfo(*L).getNumRuntimePointerChecks() > MostChecks)
            leaveToCosts(*L);
    return false; /* only metadata */
}

/* Tells the vectorizer about the innermost loops over work-items. */
bool tellIndependence(Function &F, FunctionAnalysisManager &FAM)
{
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    auto &AA = FAM.getResult<AAManager>(F);
    const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
    LLVMContext &Context = F.getContext();
    for (Loop *L : LI.getLoopsInPreorder()) {
        if (!L->isInnermost() || !hasLoopMark(*L, ItemsMark) || hasLoopMark(*L, ParallelMark)
            || !onlyLoadsAndStores(*L))
            continue;
        Accesses At(*L, SE);
        const unsigned Vectors = areDistinct(*L, SE) ? UINT_MAX : vectorsApart(*L, TTI);
        if (Vectors == 0 || At.sharedVariable() || !At.keepsOrder(AA))
            continue;
        if (Vectors < std::max(MostVectors, unsigned(getOptionalIntLoopAttribute(L, InterleaveCount).value_or(1)))) {
            L->setLoopID(makePostTransformationMetadata(Context, L->getLoopID(), {InterleaveCount}, {}));
            addLoopMark(*L, InterleaveCount, ConstantInt::get(Type::getInt32Ty(Context), 1));
        }
        MDNode *Group = MDNode::getDistinct(Context, {});
        for (BasicBlock *Block : L->blocks())
            for (Instruction &I : *Block)
                if (getLoadStorePointerOperand(&I))
                    I.setMetadata(LLVMContext::MD_access_group, Group);
        MDNode *Mark = MDNode::get(Context, {MDString::get(Context, ParallelMark), Group});
        L->setLoopID(makePostTransformationMetadata(Context, L->getLoopID(), {}, {Mark}));
    }
    return false; /* only metadata */
}

} // namespace tw_compiler
