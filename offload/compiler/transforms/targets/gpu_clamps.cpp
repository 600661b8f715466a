/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Clamps in kernels for GPUs. `x < 0 ? 0 : x > last ? last : x` is four instructions: what it gives for last < 0 has no other form. If
 * the bounds are in order, it is min(max(x, 0), last), of which the addition of an offset to x is a part: two instructions. So a kernel
 * whose arguments the bounds follow from has a copy for where they are in order. It is the same copy for all work-items, and the test
 * is the first thing in the kernel.
 *
 * Neighbours of a work-item, as those that a mask of constant size has, are mostly inside of all borders. Where code without a branch
 * clamps several offsets to one index, it has a copy for such work-items, in which nothing is clamped: what they load are places at
 * constant distances then.
 */
#include "passes.h"

#include "gpu_versions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tw_compiler
{

namespace
{

constexpr size_t MostOfKernel = 4000; /* instructions, of which there will be two */
constexpr unsigned LeastAlone = 4;    /* clamps that are in no loop */
constexpr unsigned MostToBound = 8;   /* steps from an argument */
constexpr size_t MostOfBlock = 2000;  /* instructions behind the test whether a work-item is inside */
constexpr int64_t MostOffset = 1 << 20;

/* min(max(X, Lo), Hi), where Lo <= Hi. */
struct Clamp {
    SelectInst *Select;
    Value *X, *Lo, *Hi;
    Value *Past = nullptr;       /* Hi is one less; then Lo < Past is what has to be */
    ConstantInt *Plus = nullptr; /* min(max(X, Lo) + Plus, Hi), where Lo + Plus <= Hi; */
    bool Behind = false;         /* or min(max(X, Lo), Hi) + Plus */
};

/* A < B ? Less : Else. */
struct Choice {
    Value *A, *B, *Less, *Else;
};

std::optional<Choice> choiceOf(Value *V)
{
    auto *Select = dyn_cast<SelectInst>(V);
    const auto *Compare = Select ? dyn_cast<ICmpInst>(Select->getCondition()) : nullptr;
    if (!Compare || !Compare->isSigned())
        return std::nullopt;
    const ICmpInst::Predicate Is = Compare->getPredicate();
    Value *A = Compare->getOperand(0), *B = Compare->getOperand(1);
    Value *Then = Select->getTrueValue(), *Else = Select->getFalseValue();
    if (Is == ICmpInst::ICMP_SGT || Is == ICmpInst::ICMP_SLE)
        std::swap(A, B);
    if (Is == ICmpInst::ICMP_SGE || Is == ICmpInst::ICMP_SLE)
        std::swap(Then, Else);
    /* a constant is B */
    if (const APInt * Number; match(A, m_APInt(Number)) && !Number->isMaxSignedValue())
        return Choice{B, ConstantInt::get(A->getType(), *Number + 1), Else, Then};
    return Choice{A, B, Then, Else};
}

/* V = min(C.X, C.Hi), whichever of the two is which. */
bool isAtMost(Value *V, Clamp &C)
{
    if (match(V, m_Intrinsic<Intrinsic::smin>(m_Value(C.X), m_Value(C.Hi))))
        return true;
    const std::optional<Choice> Of = choiceOf(V);
    if (Of && match(Of->Less, m_Add(m_Specific(Of->A), m_AllOnes()))
        && match(Of->Else, m_NSWAdd(m_Specific(Of->B), m_AllOnes()))) {
        C.X = Of->Else; /* X - 1 < Past, compared without the ones */
        C.Hi = Of->Less;
        C.Past = Of->A;
        return true;
    }
    if (!Of || Of->A != Of->Less || !match(Of->Else, m_Add(m_Specific(Of->B), m_AllOnes())))
        return false;
    C.X = Of->A;
    C.Hi = Of->Else;
    C.Past = Of->B;
    return true;
}

std::optional<Clamp> clampOf(SelectInst &Select)
{
    const std::optional<Choice> Of = Select.getType()->isIntegerTy(32) ? choiceOf(&Select) : std::nullopt;
    Clamp C{&Select, nullptr, nullptr, nullptr};
    if (!Of)
        return std::nullopt;

    /* X < Lo ? Lo : min(X, Hi). LLVM may compare with Lo + 1, and with what is less by Plus, if all are constants. */
    Value *Sum;
    ConstantInt *Plus;
    C.Behind =
        match(Of->Else, m_NSWAdd(m_Value(Sum), m_ConstantInt(Plus))) && match(Sum, m_Intrinsic<Intrinsic::smin>());
    if (isAtMost(C.Behind ? Sum : Of->Else, C)) {
        for (int Turn = 0; Turn < (C.Past ? 1 : 2); ++Turn, std::swap(C.X, C.Hi)) {
            C.Plus = C.Behind ? Plus : nullptr;
            if (C.X != Of->A && (C.Behind || !match(C.X, m_NSWAdd(m_Specific(Of->A), m_ConstantInt(C.Plus)))))
                continue;
            C.X = Of->A;
            C.Lo = Of->B;
            if (!C.Plus && C.Lo == Of->Less)
                return C;
            const APInt *Limit, *Lo;
            if (!match(C.Lo, m_APInt(Limit)) || !match(Of->Less, m_APInt(Lo)))
                return std::nullopt;
            const int64_t From = Lo->getSExtValue() - (C.Plus ? C.Plus->getSExtValue() : 0);
            if ((Limit->getSExtValue() != From && Limit->getSExtValue() != From + 1) || !isInt<32>(From))
                return std::nullopt;
            C.Lo = ConstantInt::getSigned(C.Lo->getType(), From);
            return C;
        }
        return std::nullopt;
    }

    /* Hi < X ? Hi : max(X, Lo), or X < Past ? max(X, Lo) : Past - 1 */
    if (Of->A == Of->Less && match(Of->Else, m_c_SMax(m_Specific(Of->B), m_Value(C.Lo)))) {
        C.X = Of->B;
        C.Hi = Of->A;
        return C;
    }
    if (match(Of->Else, m_Add(m_Specific(Of->B), m_AllOnes()))
        && match(Of->Less, m_c_SMax(m_Specific(Of->A), m_Value(C.Lo)))) {
        C.X = Of->A;
        C.Hi = Of->Else;
        C.Past = Of->B;
        return C;
    }
    return std::nullopt;
}

/* Whether `V` follows from arguments, which are the same for all work-items. */
bool followsFromArguments(const Value *V, unsigned Steps = MostToBound)
{
    if (isa<Argument>(V) || isa<ConstantInt>(V))
        return V->getType()->isIntegerTy();
    const auto *I = dyn_cast<Instruction>(V);
    return I && Steps > 0 && (isa<BinaryOperator>(I) || isa<CastInst>(I)) && !I->isIntDivRem()
           && I->getType()->isIntegerTy()
           && all_of(I->operands(), [&](const Use &Of) { return followsFromArguments(Of, Steps - 1); });
}

/* The same in front of all else, where overflow is none of the reasons not to compute it. */
Value *writeAgain(IRBuilder<> &B, Value *V, DenseMap<Value *, Value *> &Made)
{
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
        return V;
    if (Value *Known = Made.lookup(V))
        return Known;
    SmallVector<Value *, 2> Operands;
    for (Value *Of : I->operands())
        Operands.push_back(writeAgain(B, Of, Made));
    Instruction *New = I->clone();
    for (unsigned N = 0; N < Operands.size(); ++N)
        New->setOperand(N, Operands[N]);
    New->dropPoisonGeneratingAnnotations();
    New->dropUnknownNonDebugMetadata();
    return Made[V] = B.Insert(New);
}

/* Where a copy may begin: behind the variables. Null if the kernel cannot be copied. */
Instruction *placeOfCopy(Function &F)
{
    Instruction *Place = nullptr;
    size_t Instructions = 0;
    for (Instruction &I : instructions(F)) {
        if (!Place && !isa<AllocaInst>(I))
            Place = &I;
        else if (Place && isa<AllocaInst>(I))
            return nullptr;
        const auto *Call = dyn_cast<CallBase>(&I);
        if (++Instructions > MostOfKernel || (Call && Call->cannotDuplicate()) || I.getType()->isTokenTy())
            return nullptr;
    }
    return Place;
}

/* Offsets to one index that are clamped to the same bounds. If the index is at least `Least`, and at most Hi - Most, none of them is. */
struct Offsets {
    Value *Index, *Hi;
    bool IsPast; /* Hi is one more */
    int64_t Least, Most = 0;
    SmallVector<std::pair<SelectInst *, int64_t>, 8> Clamps; /* and what they give then: the index and this offset */
};

/* Adds a clamp to those of its index. Not if what the test needs is unknown before the first of the clamps. */
void addOffset(const Clamp &C, const Instruction &First, SmallVectorImpl<Offsets> &All)
{
    Value *Index = C.X, *Hi = C.Past ? C.Past : C.Hi;
    ConstantInt *Offset = nullptr;
    if (!match(C.X, m_NSWAdd(m_Value(Index), m_ConstantInt(Offset))))
        Index = C.X;
    const auto IsKnown = [&](const Value *V) {
        const auto *I = dyn_cast<Instruction>(V);
        return !I || I->getParent() != First.getParent() || I->comesBefore(&First);
    };
    const auto *Lo = dyn_cast<ConstantInt>(C.Lo);
    if (!Lo || isa<Constant>(Index) || !IsKnown(Index) || !IsKnown(Hi))
        return;
    const int64_t By = Offset ? Offset->getSExtValue() : 0, Plus = C.Plus ? C.Plus->getSExtValue() : 0;
    const int64_t Least = Lo->getSExtValue() - By, More = C.Behind ? By : By + Plus;
    if (std::max({std::abs(Least), std::abs(By), std::abs(Plus)}) > MostOffset)
        return;
    auto *Known = find_if(
        All, [&](const Offsets &O) { return O.Index == Index && O.Hi == Hi && O.IsPast == (C.Past != nullptr); });
    if (Known == All.end()) {
        All.push_back({Index, Hi, C.Past != nullptr, Least, 0, {}});
        Known = All.end() - 1;
    }
    Known->Least = std::max(Known->Least, Least);
    Known->Most = std::max(Known->Most, More);
    Known->Clamps.push_back({C.Select, By + Plus});
}

/* Whether code may run in some threads of a warp before it does in others. */
bool canDiverge(const Instruction &I)
{
    const auto *Call = dyn_cast<CallBase>(&I);
    return !I.getType()->isTokenTy()
           && (!Call || !(Call->isConvergent() || Call->cannotDuplicate() || Call->isInlineAsm()));
}

/* `Block` without its terminator a second time; `Inside` chooses the first. What is used behind it is that of the one that ran. */
BasicBlock &copyBlock(BasicBlock *Block, Instruction *From, Value *Inside)
{
    BasicBlock *Head = Block, *Usual = SplitBlock(Head, From), *Tail = SplitBlock(Usual, Usual->getTerminator());
    Function &F = *Block->getParent();
    ValueToValueMapTy Map;
    SmallVector<MDNode *, 4> Scopes;
    identifyNoAliasScopesToClone({Usual}, Scopes);
    BasicBlock *Any = CloneBasicBlock(Usual, Map, ".any", &F);
    remapInstructionsInBlocks({Any}, Map);
    cloneAndAdaptNoAliasScopes(Scopes, {Any}, F.getContext(), "any");
    ReplaceInstWithInst(Head->getTerminator(), BranchInst::Create(Usual, Any, Inside));
    Head->getTerminator()->setMetadata(LLVMContext::MD_prof, MDBuilder(F.getContext()).createBranchWeights(1 << 20, 1));
    for (Instruction &I : *Usual) {
        SmallVector<Use *, 4> Behind;
        for (Use &Of : I.uses())
            if (cast<Instruction>(Of.getUser())->getParent() != Usual)
                Behind.push_back(&Of);
        if (Behind.empty())
            continue;
        PHINode *Phi = PHINode::Create(I.getType(), 2, "", Tail->begin());
        Phi->addIncoming(&I, Usual);
        Phi->addIncoming(Map[&I], Any);
        for (Use *Of : Behind)
            Of->set(Phi);
    }
    IRBuilder<>(Any->getTerminator()).CreateCall(nothing(F.getContext())); /* or LLVM would have the ends in common */
    return *Usual;
}

/* Elements at A + sum, where the sums are one index and offsets to it, are at distances from the first of them. */
void placeByDistance(BasicBlock &Block, const DenseMap<const Value *, int64_t> &Sums)
{
    MapVector<std::tuple<Value *, Value *, Type *>, std::pair<GetElementPtrInst *, int64_t>> Firsts;
    for (Instruction &I : make_early_inc_range(Block)) {
        auto *At = dyn_cast<GetElementPtrInst>(&I);
        Value *A, *Sum;
        if (!At || At->getNumIndices() != 1 || !match(At->getOperand(1), m_SExt(m_NSWAdd(m_Value(A), m_Value(Sum)))))
            continue;
        if (!Sums.contains(Sum))
            std::swap(A, Sum);
        if (!Sums.contains(Sum))
            continue;
        const int64_t Offset = Sums.lookup(Sum);
        auto &[First, From] = Firsts[{At->getPointerOperand(), A, At->getSourceElementType()}];
        if (!First) {
            First = At;
            From = Offset;
            continue;
        }
        IRBuilder<> B(At);
        At->replaceAllUsesWith(B.CreateGEP(At->getSourceElementType(), First, B.getInt64(Offset - From)));
        At->eraseFromParent();
    }
}

/* Makes a copy for work-items inside of all borders, if many of the clamps of one block can be left out there. */
bool copyForInside(BasicBlock &Block, ArrayRef<Clamp> Clamps)
{
    const auto IsFirst = [](const Clamp &A, const Clamp &B) { return A.Select->comesBefore(B.Select); };
    SelectInst *First = std::min_element(Clamps.begin(), Clamps.end(), IsFirst)->Select;
    SmallVector<Offsets, 4> All;
    for (const Clamp &C : Clamps)
        addOffset(C, *First, All);
    erase_if(All, [](const Offsets &O) { return O.Clamps.size() < 2; });
    size_t LeftOut = 0;
    for (const Offsets &O : All)
        LeftOut += O.Clamps.size();
    if (LeftOut < LeastAlone || LeftOut != Clamps.size() || Block.size() > MostOfBlock
        || !all_of(make_range(First->getIterator(), Block.end()), canDiverge))
        return false;

    IRBuilder<> B(First);
    Value *Inside = B.getTrue();
    for (const Offsets &O : All) {
        const auto Number = [&](int64_t N) { return ConstantInt::getSigned(O.Index->getType(), N); };
        Inside = B.CreateAnd(
            Inside,
            B.CreateICmpSGE(O.Hi, Number(O.Least + O.Most + O.IsPast))); /* the next line does not wrap around */
        Inside = B.CreateAnd(Inside, B.CreateICmpSLE(O.Index, B.CreateSub(O.Hi, Number(O.Most + O.IsPast))));
        Inside = B.CreateAnd(Inside, B.CreateICmpSGE(O.Index, Number(O.Least)));
    }
    BasicBlock &Usual = copyBlock(&Block, First, B.CreateFreeze(Inside));
    for (const Offsets &O : All) {
        DenseMap<const Value *, int64_t> Sums;
        for (const auto &[Select, Offset] : O.Clamps) {
            B.SetInsertPoint(Select);
            Value *Sum = B.CreateAdd(O.Index, ConstantInt::getSigned(O.Index->getType(), Offset), "", false, true);
            Select->replaceAllUsesWith(Sum);
            Select->eraseFromParent();
            Sums[Sum] = Offset;
        }
        placeByDistance(Usual, Sums);
    }
    return true;
}

} // namespace

bool versionClamps(Function &F, FunctionAnalysisManager &FAM)
{
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    SmallMapVector<BasicBlock *, SmallVector<Clamp, 16>, 8> Found;
    for (Instruction &I : instructions(F))
        if (auto *Select = dyn_cast<SelectInst>(&I))
            if (std::optional<Clamp> C = clampOf(*Select))
                Found[I.getParent()].push_back(*C);
    SmallVector<Clamp, 16> Clamps;
    bool Copied = false, Worth = false;
    for (auto &[Block, OfBlock] : Found) {
        if (copyForInside(*Block, OfBlock)) {
            Copied = true;
            continue;
        }
        for (const Clamp &C : OfBlock)
            if (followsFromArguments(C.Lo) && followsFromArguments(C.Past ? C.Past : C.Hi)) {
                Clamps.push_back(C);
                Worth |= LI.getLoopFor(Block) != nullptr;
            }
    }
    Instruction *Place = Worth || Clamps.size() >= LeastAlone ? placeOfCopy(F) : nullptr;
    if (!Place)
        return Copied;

    IRBuilder<> B(Place);
    DenseMap<Value *, Value *> Made;
    SmallSetVector<std::pair<Value *, Value *>, 4> Orders, Strict;
    for (Clamp &C : Clamps) {
        C.Lo = writeAgain(B, C.Lo, Made);
        C.Hi = writeAgain(B, C.Hi, Made);
        Value *Lo = C.Plus && !C.Behind ? B.CreateAdd(C.Lo, C.Plus) : C.Lo; /* constants */
        if (C.Past)
            Strict.insert({Lo, writeAgain(B, C.Past, Made)});
        else
            Orders.insert({Lo, C.Hi});
    }
    Value *InOrder = B.getTrue();
    for (const auto &[Lo, Hi] : Orders)
        InOrder = B.CreateAnd(InOrder, B.CreateICmpSLE(Lo, Hi));
    for (const auto &[Lo, Past] : Strict)
        InOrder = B.CreateAnd(InOrder, B.CreateICmpSLT(Lo, Past));

    BasicBlock *Head = Place->getParent(), *Usual = SplitBlock(Head, Place), *Any = copyFrom(Usual);
    ReplaceInstWithInst(Head->getTerminator(), BranchInst::Create(Usual, Any, InOrder));
    Head->getTerminator()->setMetadata(LLVMContext::MD_prof, MDBuilder(F.getContext()).createBranchWeights(1 << 20, 1));

    for (const Clamp &C : Clamps) {
        B.SetInsertPoint(C.Select);
        Value *V = B.CreateBinaryIntrinsic(Intrinsic::smax, C.X, C.Lo);
        if (C.Plus && !C.Behind)
            V = B.CreateAdd(V, C.Plus, "", false, true);
        V = B.CreateBinaryIntrinsic(Intrinsic::smin, V, C.Hi);
        if (C.Behind)
            V = B.CreateAdd(V, C.Plus, "", false, true);
        C.Select->replaceAllUsesWith(V);
        C.Select->eraseFromParent();
    }
    return true;
}

} // namespace tw_compiler
