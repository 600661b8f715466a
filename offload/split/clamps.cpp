/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Clamps in kernels for GPUs. `x < 0 ? 0 : x > last ? last : x` is four instructions: what it gives for last < 0 has no other form. If
 * the bounds are in order, it is min(max(x, 0), last), of which the addition of an offset to x is a part: two instructions. So a kernel
 * whose arguments the bounds follow from has a copy for where they are in order. It is the same copy for all work-items, and the test
 * is the first thing in the kernel.
 */
#include "split.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tw_split
{

namespace
{

constexpr size_t MostOfKernel = 4000; /* instructions, of which there will be two */
constexpr unsigned LeastAlone = 4;    /* clamps that are in no loop */
constexpr unsigned MostToBound = 8;   /* steps from an argument */

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
    if (const APInt *Number; match(A, m_APInt(Number)) && !Number->isMaxSignedValue())
        return Choice{B, ConstantInt::get(A->getType(), *Number + 1), Else, Then};
    return Choice{A, B, Then, Else};
}

/* V = min(C.X, C.Hi), whichever of the two is which. */
bool isAtMost(Value *V, Clamp &C)
{
    if (match(V, m_Intrinsic<Intrinsic::smin>(m_Value(C.X), m_Value(C.Hi))))
        return true;
    const std::optional<Choice> Of = choiceOf(V);
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
    C.Behind = match(Of->Else, m_NSWAdd(m_Value(Sum), m_ConstantInt(Plus))) && match(Sum, m_Intrinsic<Intrinsic::smin>());
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
    if (match(Of->Else, m_Add(m_Specific(Of->B), m_AllOnes())) && match(Of->Less, m_c_SMax(m_Specific(Of->A), m_Value(C.Lo)))) {
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
    return I && Steps > 0 && (isa<BinaryOperator>(I) || isa<CastInst>(I)) && !I->isIntDivRem() && I->getType()->isIntegerTy()
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

} // namespace

/* `First` and all that comes behind it, a second time. */
BasicBlock *copyFrom(BasicBlock *First)
{
    Function &F = *First->getParent();
    ValueToValueMapTy Map;
    SmallSetVector<BasicBlock *, 32> Behind;
    SmallVector<BasicBlock *, 32> Old, Copies;
    Behind.insert(First);
    for (unsigned N = 0; N < Behind.size(); ++N)
        for (BasicBlock *Next : successors(Behind[N]))
            Behind.insert(Next);
    for (BasicBlock &Block : F)
        if (Behind.contains(&Block))
            Old.push_back(&Block);
    SmallVector<MDNode *, 4> Scopes;
    identifyNoAliasScopesToClone(Old, Scopes);
    for (BasicBlock *Block : Old)
        Copies.push_back(cast<BasicBlock>(Map[Block] = CloneBasicBlock(Block, Map, ".any", &F)));
    remapInstructionsInBlocks(Copies, Map);
    cloneAndAdaptNoAliasScopes(Scopes, Copies, F.getContext(), "any");
    /* LLVM would have ends that are alike in common, and what is loaded there would not be loaded with the rest */
    auto *Nothing = InlineAsm::get(FunctionType::get(Type::getVoidTy(F.getContext()), false), "", "", true);
    const SmallPtrSet<const BasicBlock *, 32> Own(Copies.begin(), Copies.end());
    for (BasicBlock *Block : Copies) {
        for (PHINode &Phi : Block->phis())
            Phi.removeIncomingValueIf([&](unsigned N) { return !Own.contains(Phi.getIncomingBlock(N)); }, false);
        if (isa<ReturnInst>(Block->getTerminator()))
            IRBuilder<>(Block->getTerminator()).CreateCall(Nothing);
    }
    return cast<BasicBlock>(Map[First]);
}

bool versionClamps(Function &F, FunctionAnalysisManager &FAM)
{
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    SmallVector<Clamp, 16> Clamps;
    bool Worth = false;
    for (Instruction &I : instructions(F))
        if (auto *Select = dyn_cast<SelectInst>(&I))
            if (std::optional<Clamp> Found = clampOf(*Select);
                Found && followsFromArguments(Found->Lo) && followsFromArguments(Found->Past ? Found->Past : Found->Hi)) {
                Clamps.push_back(*Found);
                Worth |= LI.getLoopFor(Select->getParent()) != nullptr;
            }
    Instruction *Place = Worth || Clamps.size() >= LeastAlone ? placeOfCopy(F) : nullptr;
    if (!Place)
        return false;

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

} // namespace tw_split
