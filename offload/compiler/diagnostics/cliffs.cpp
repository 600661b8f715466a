/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells what makes a kernel several times slower than it could be on a CPU: work-items that keep stacks, and work-items that run one by
 * one though vectors could do what they do. The user gets a missed remark, and the object of the kernel gets the same text, which
 * TW_SUMMARY prints if the kernel takes time (docs/tracing.md).
 */
#include "cliffs.h"

#include "base/contract.h"
#include "base/marks.h"
#include "effort.h"
#include "remarks.h"

#include <algorithm>
#include <map>
#include <utility>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

/* Of a loop: why a pass left its work-items one by one, and where. */
constexpr const char *RefusedMark = "teamwork.refused";

/* Work-items one by one take as long as those of this share of the work, if vectors have eight elements: three times. */
constexpr double ScalarShare = 0.3;
constexpr uint64_t RareCopy = 8; /* a copy that is so much less frequent than another one does not count */

/* The first part of a reason, and what to change. */
constexpr std::pair<StringRef, StringRef> Advice[] = {
    {"of an atomic operation",
     "combine values by a reduction, or store with an ordinary assignment where a single work-item does"},
    {"of the call of", "define the function in this file, or give those of <math.h> vector forms by -fveclib=libmvec"},
    {"it computes with vectors or structures",
     "let helpers be static inline, and choose between members, not between structures"},
    {"work-items combine values in memory", "combine them by a reduction, or by atomic operations"},
    {"of a variable in memory that work-items share", "declare it inside of the kernel, where it is used first"},
    {"of a variable of a work-item that is too large", "let it be 4096 bytes at most, or use local memory"},
    {"a value of the last work-item", "store it by the work-item that has it"},
    {"it would not pay",
     "let neighbouring work-items touch neighbouring elements, or load a tile into local memory first"},
    {"it is not optimized", "compile with -O2"},
    {"of a branch that may differ", "let all work-items of a group come to the same barrier"},
    {"a switch decides about barriers", "write the switch as if and else"},
    {"a function with barriers", "let the function be static inline and not call itself"},
    {"of an array of variable length", "give the array a constant length, or use a local accessor"},
};

} // namespace

std::string adviceOn(StringRef Why)
{
    for (const auto &[Reason, Change] : Advice)
        if (Why.starts_with(Reason))
            return ("; " + Change).str();
    return "";
}

/* The same as the rest of a sentence. */
std::string because(StringRef Why)
{
    return ((Why.starts_with("of ") ? " because " : ": ") + Why + adviceOn(Why)).str();
}

namespace
{

/* The dimensions of the launches that a function is for; 0: any. */
unsigned dimensionsOf(const Function &F)
{
    unsigned Result = 0;
    return F.getFnAttribute(DimsRole).getValueAsString().getAsInteger(10, Result) ? 0 : Result;
}

/* Tells the library, unless it was told something worse before; `Pass` makes the remark. */
void tellSlow(const Function &F, const Twine &What, const DebugLoc &Where, const char *Pass)
{
    const std::string Place = nameOf(placeOf(Where.get()));
    Module &M = *const_cast<Module *>(F.getParent());
    Constant *Characters = ConstantDataArray::getString(
        M.getContext(), (What + " (" + Place + (Place.empty() ? "" : ", ") + "-Rpass-missed=" + Pass + ")").str());
    auto *Told = new GlobalVariable(M, Characters->getType(), true, GlobalValue::PrivateLinkage, Characters, "tw_slow");
    Told->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    const unsigned Dimensions = dimensionsOf(F);
    for (unsigned D = 1; D <= 3; ++D)
        if (!Dimensions || D == Dimensions)
            tellKernel(F, SlowRole, D - 1, Told);
    if (Told->use_empty())
        Told->eraseFromParent();
}

} // namespace

/* Of a kernel that was not divided at its barriers. */
void tellStacks(Function &F, StringRef Why, const DebugLoc &Where)
{
    tellSlow(F, "each work-item keeps a stack" + because(Why), Where, "teamwork-split");
}

/* ---- work-items one by one --------------------------------------------------------------------------------------- */

void noteRefusal(Loop &Items, StringRef Why, const Instruction *Where)
{
    LLVMContext &C = Items.getHeader()->getContext();
    MDNode *Mark = MDNode::get(C, {MDString::get(C, RefusedMark), MDString::get(C, Why),
                                   Where ? static_cast<Metadata *>(Where->getDebugLoc().get()) : nullptr});
    Items.setLoopID(makePostTransformationMetadata(C, Items.getLoopID(), {RefusedMark}, {Mark}));
}

namespace
{

/* What work-items do on a line, in the most frequent copy of it. */
struct SourceLine {
    uint64_t Vectors = 0,
             Scalars = 0; /* how often a loop with it begins, by estimate: a row of one vector has no loop */
    uint64_t Work = 0;    /* operations, times how often they run */
    const Instruction *First = nullptr;
};

/* Whether it computes vectors, or an element of one. */
bool isVector(const Instruction &I)
{
    const auto IsOne = [](const Value *V) { return V->getType()->isVectorTy() || isa<ExtractElementInst>(V); };
    return IsOne(&I) || any_of(I.operands(), IsOne) || any_of(I.users(), IsOne);
}

/* Whether it is what a work-item does, not where its data are. */
bool isWork(const Instruction &I)
{
    if (isa<LoadInst, StoreInst, UnaryOperator>(I) || I.isAtomic())
        return true;
    if (const auto *Call = dyn_cast<CallBase>(&I))
        return !I.isLifetimeStartOrEnd() && !I.isDebugOrPseudoInst() && !Call->doesNotReturn();
    if (!isa<BinaryOperator>(I))
        return false;
    return !I.getType()->isIntegerTy() || I.getType()->isIntegerTy(32) || I.isBitwiseLogicOp();
}

/* Why the work-items of a loop run one by one; and where, in place of `Where`. */
std::string reasonOf(const Loop &Items, DebugLoc &Where)
{
    if (const MDNode *Mark = findOptionMDForLoopID(Items.getLoopID(), RefusedMark)) {
        if (const auto *At = dyn_cast_or_null<DILocation>(Mark->getOperand(2).get()))
            Where = DebugLoc(At);
        return cast<MDString>(Mark->getOperand(1))->getString().str();
    }
    for (const bool Atomic : {true, false})
        for (const BasicBlock *Block : Items.blocks())
            for (const Instruction &I : *Block) {
                const auto *Call = dyn_cast<CallBase>(&I);
                const bool IsCall = Call && !isa<IntrinsicInst>(I) && isWork(I);
                if (Atomic ? !I.isAtomic() : !IsCall)
                    continue;
                Where = I.getDebugLoc() ? I.getDebugLoc() : Where;
                const Function *Callee = Atomic ? nullptr : Call->getCalledFunction();
                return Atomic   ? "of an atomic operation"
                       : Callee ? ("of the call of " + Callee->getName() + "()").str()
                                : "of the call of a function that is not known";
            }
    return "LLVM's vectorizer left the loop as it is, and -Rpass-analysis=loop-vectorize tells why";
}

/* `IsOne`: the kernel has no functions for launches in other dimensions. */
void tellScalar(Function &F, FunctionAnalysisManager &FAM, bool IsOne)
{
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    const auto &Often = FAM.getResult<BlockFrequencyAnalysis>(F);
    const auto &Ways = FAM.getResult<BranchProbabilityAnalysis>(F);
    std::map<std::pair<StringRef, unsigned>, SourceLine> Lines;
    for (const BasicBlock &Block : F) {
        const Loop *Items = itemsAround(LI.getLoopFor(&Block));
        const uint64_t Times = Often.getBlockFreq(&Block).getFrequency();
        uint64_t Begins = Items ? 0 : Times;
        if (Items)
            for (const BasicBlock *Front : predecessors(Items->getHeader()))
                if (!Items->contains(Front))
                    Begins +=
                        (Often.getBlockFreq(Front) * Ways.getEdgeProbability(Front, Items->getHeader())).getFrequency();
        DenseMap<SourceLine *, uint64_t> Operations;
        for (const Instruction &I : Block) {
            if (!isWork(I) || (!Items && !isVector(I)))
                continue;
            const DILocation *At = placeOf(I.getDebugLoc().get());
            SourceLine &Of = Lines[{At ? At->getFilename() : "", At ? At->getLine() : 0}];
            uint64_t &Most = isVector(I) ? Of.Vectors : Of.Scalars;
            if (!isVector(I) && Begins > Most)
                Of.First = &I;
            Most = std::max(Most, Begins);
            ++Operations[&Of];
        }
        for (const auto &[Of, Count] : Operations)
            Of->Work = std::max(Of->Work, Count * Times);
    }
    double All = 0, Scalar = 0;
    const SourceLine *Worst = nullptr;
    for (const auto &[At, Of] : Lines) {
        All += double(Of.Work);
        if (Of.Scalars / RareCopy <= Of.Vectors)
            continue;
        Scalar += double(Of.Work);
        Worst = !Worst || Of.Work > Worst->Work ? &Of : Worst;
    }
    if (!Worst || Scalar < ScalarShare * All)
        return;
    DebugLoc Where = Worst->First->getDebugLoc();
    const std::string Why = reasonOf(*itemsAround(LI.getLoopFor(Worst->First->getParent())), Where);
    tellRemark(F, {"teamwork-scalar", "Scalar", true, Where, Where},
               "work-items of kernel " + kernelOf(F)
                   + (IsOne ? ""
                            : ", launched in " + Twine(dimensionsOf(F))
                                  + (dimensionsOf(F) == 1 ? " dimension," : " dimensions,"))
                   + " run one by one, not as vectors" + because(Why));
    tellSlow(F, "its work-items run one by one, not as vectors" + because(Why), Where, "teamwork-scalar");
}

} // namespace

void tellCliffs(Module &M, ModuleAnalysisManager &MAM)
{
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    SmallVector<Function *, 32> Kernels;
    std::map<StringRef, unsigned> Dimensions;
    for (Function &F : M)
        if (F.hasFnAttribute(BudgetNote) && !F.isDeclaration() && objectOf(F)) {
            Kernels.push_back(&F);
            Dimensions[kernelOf(F)] |= 1U << dimensionsOf(F);
        }
    for (Function *F : Kernels)
        tellScalar(*F, FAM, isPowerOf2_32(Dimensions[kernelOf(*F)]));
    emitRemarks(M);
}

} // namespace tw_compiler
