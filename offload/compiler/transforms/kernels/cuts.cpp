/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only some work-items of a row do between two barriers, as the halo of a tile:
 *
 *     tile[row][column] = ...;
 *     if (column == 1)
 *         tile[row][0] = ...;
 *
 * Work-items are independent up to the next barrier. So the group may come to the condition and leave what is behind it as at a
 * barrier, and the condition's part becomes a region of its own, whose loops are over these work-items alone: the others have plain
 * code. If it stands behind another condition, that one is divided first, so that the part has a copy of it for itself.
 */
#include "kernel.h"

#include "base/marks.h"

#include <algorithm>
#include <utility>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr uint64_t MostOfUnknown = 8; /* work-items that take part, where the size of the group is not known */
constexpr unsigned MostKept = 4;      /* values that work-items keep over a cut */
constexpr unsigned MostSteps = 16;    /* from a value to what it is computed from */
constexpr int64_t MostPlus = 1 << 20;

/* A branch around a part. */
struct If {
    BranchInst *Branch;
    BasicBlock *Part, *Behind;
    bool Holds; /* the condition in the part */
};

class CutFinder
{
  public:
    CutFinder(Kernel &K, const Region &R, DenseSet<const BranchInst *> &Seen)
        : K(K), R(R), Seen(Seen), DT(K.F), PDT(K.F), LI(DT), Inside(R.Blocks.begin(), R.Blocks.end())
    {
    }
    std::optional<Cut> run();

  private:
    Kernel &K;
    const Region &R;
    DenseSet<const BranchInst *> &Seen;
    DominatorTree DT;
    PostDominatorTree PDT;
    LoopInfo LI;
    SmallPtrSet<const BasicBlock *, 16> Inside;
    SmallVector<If, 4> Guards;
    bool Changed = false; /* a condition was taken apart */

    BasicBlock *behind(BasicBlock *Block) const
    {
        const auto *Node = PDT.getNode(Block);
        return Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
    }
    std::optional<If> ifAt(BasicBlock &Block) const;
    bool idOf(const Value *V, unsigned &Dimension, int64_t &Plus, unsigned Depth) const;
    std::optional<Only> only(const If &Of, const Value *Condition) const;
    bool takeApart(const If &Of);
    void divideAnd(const If &Of, Value *First, Value *Second);
    bool dependsOnIds(const Value *V, unsigned Depth) const;
    bool isKept(const Instruction &I, unsigned Depth) const;
    bool isOfUse(const If &Of, const Only &Items) const;
    std::optional<std::pair<If, Only>> find(BasicBlock *From, const BasicBlock *To);
    bool divideGuard(const If &Guard, const If &Of);
};

/* The part behind a condition, which leaves no value behind. */
std::optional<If> CutFinder::ifAt(BasicBlock &Block) const
{
    auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
    BasicBlock *Behind = behind(&Block);
    if (!Branch || !Branch->isConditional() || !Behind || Branch->getSuccessor(0) == Branch->getSuccessor(1)
        || isa<PHINode>(Behind->front()))
        return {};
    const bool Holds = Branch->getSuccessor(1) == Behind;
    BasicBlock *Part = Branch->getSuccessor(Holds ? 0 : 1);
    if (Branch->getSuccessor(Holds ? 1 : 0) != Behind || !Inside.count(Part) || Part->getSinglePredecessor() != &Block)
        return {};
    return If{Branch, Part, Behind, Holds};
}

/* Whether a value is an id and a constant. Ids are small numbers. */
bool CutFinder::idOf(const Value *V, unsigned &Dimension, int64_t &Plus, unsigned Depth) const
{
    using namespace PatternMatch;
    for (unsigned D = 0; D < 3; ++D)
        if (V == K.Id[D]) {
            Dimension = D;
            Plus = 0;
            return true;
        }
    const APInt *By;
    const Value *Of;
    if (Depth > MostSteps || !V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() < 32)
        return false;
    if (match(V, m_ZExtOrSExt(m_Value(Of))) || match(V, m_Trunc(m_Value(Of)))) /* a sum that is less than 0 */
        return idOf(Of, Dimension, Plus, Depth + 1) && (Plus >= 0 || !isa<ZExtInst>(V));
    if (!match(V, m_AddLike(m_Value(Of), m_APInt(By))) || By->getSignificantBits() > 32
        || !idOf(Of, Dimension, Plus, Depth + 1))
        return false;
    Plus += By->getSExtValue();
    return Plus < MostPlus && Plus > -MostPlus;
}

/* The work-items of one dimension that come to a part. */
std::optional<Only> CutFinder::only(const If &Of, const Value *Condition) const
{
    const auto *Compare = dyn_cast<ICmpInst>(Condition);
    const auto *Bound = Compare ? dyn_cast<ConstantInt>(Compare->getOperand(1)) : nullptr;
    unsigned D;
    int64_t Plus;
    if (!Bound || !idOf(Compare->getOperand(0), D, Plus, 0))
        return {};
    const unsigned Bits = Bound->getBitWidth();
    const auto *Extent = dyn_cast<ConstantInt>(K.Id[D]->getArgOperand(1));
    const uint64_t All = Extent ? std::min(Extent->getZExtValue(), MostItems) : MostItems;
    const CmpInst::Predicate Predicate = Of.Holds ? Compare->getPredicate() : Compare->getInversePredicate();
    const ConstantRange Good =
        ConstantRange::makeExactICmpRegion(Predicate, Bound->getValue()).subtract(APInt(Bits, uint64_t(Plus), true));
    const std::optional<ConstantRange> Items = Good.exactIntersectWith(ConstantRange(APInt(Bits, 0), APInt(Bits, All)));
    if (!Items || Items->isEmptySet() || Items->isFullSet() || Items->isWrappedSet())
        return {};
    const uint64_t Begin = Items->getLower().getZExtValue(), Past = Items->getUpper().getZExtValue();
    if (Extent ? Past - Begin > All / 2 : Past - Begin > MostOfUnknown)
        return {};
    return Only{D, Begin, Past, Of.Branch, Of.Holds};
}

bool CutFinder::dependsOnIds(const Value *V, unsigned Depth) const
{
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || !Inside.count(I->getParent())) /* of another region, or in front of all */
        return I && (is_contained(K.Id, I) || !DT.dominates(I, K.Id[0]));
    return Depth > MostSteps || isa<PHINode>(I)
           || any_of(I->operand_values(), [&](const Value *Of) { return dependsOnIds(Of, Depth + 1); });
}

/* Whether a value would have to be kept for each work-item. */
bool CutFinder::isKept(const Instruction &I, unsigned Depth) const
{
    if (!Inside.count(I.getParent()) || !dependsOnIds(&I, 0))
        return false;
    if (Depth > MostSteps || isa<PHINode>(I) || !canRecompute(I))
        return true;
    return any_of(I.operand_values(), [&](const Value *Of) {
        const auto *Operand = dyn_cast<Instruction>(Of);
        return Operand && isKept(*Operand, Depth + 1);
    });
}

/* Whether other work-items have anything to do, and what they keep meanwhile is not too much. */
bool CutFinder::isOfUse(const If &Of, const Only &Items) const
{
    bool Others = Items.Past - Items.Begin == 1;
    unsigned Kept = 0;
    const BasicBlockEdge Into(Of.Branch->getParent(), Of.Part);
    for (BasicBlock *Block : R.Blocks) {
        const bool InPart = DT.dominates(Into, Block), Before = !InPart && DT.dominates(Block, Of.Branch->getParent());
        for (Instruction &I : *Block) {
            Others |= !InPart && I.mayHaveSideEffects() && !isa<AssumeInst>(I) && !I.isLifetimeStartOrEnd();
            for (const Use &U : I.operands())
                if (auto *Variable = dyn_cast<AllocaInst>(U.get()); Variable && !Variable->hasMetadata(SharedNote))
                    return false;
            if (!Before || I.getType()->isVoidTy() || !isKept(I, 0))
                continue;
            Kept += any_of(I.users(), [&](const User *U) {
                const BasicBlock *By = cast<Instruction>(U)->getParent();
                return By != Block && !DT.dominates(By, Of.Branch->getParent());
            });
        }
    }
    return Others && Kept <= MostKept;
}

/* if (A && B) S   becomes   if (A) if (B) S */
void CutFinder::divideAnd(const If &Of, Value *First, Value *Second)
{
    auto *Between = BasicBlock::Create(K.F.getContext(), "tw_and", &K.F, Of.Part);
    BranchInst *Inner =
        BranchInst::Create(Of.Holds ? Of.Part : Of.Behind, Of.Holds ? Of.Behind : Of.Part, Second, Between);
    Inner->setDebugLoc(Of.Branch->getDebugLoc());
    Of.Branch->setCondition(First);
    Of.Branch->replaceSuccessorWith(Of.Part, Between);
    Of.Part->replacePhiUsesWith(Of.Branch->getParent(), Between);
}

/* Takes a condition of several apart, if one of them is what some work-items come to a part by. That one goes first, also where it
   was the second: ids and constants near them are small numbers, so their comparison is never poison. */
bool CutFinder::takeApart(const If &Of)
{
    using namespace PatternMatch;
    Value *Condition = Of.Branch->getCondition(), *A, *B;
    if (Of.Holds ? !match(Condition, m_LogicalAnd(m_Value(A), m_Value(B)))
                 : !match(Condition, m_LogicalOr(m_Value(A), m_Value(B))))
        return false;
    std::optional<Only> Items = only(Of, A);
    if (!Items) {
        std::swap(A, B);
        Items = only(Of, A);
    }
    if (!Items || !isOfUse(Of, *Items))
        return false;
    divideAnd(Of, A, B);
    return true;
}

/* Looks for a part for some work-items among what all of them come to, and behind the conditions there. */
std::optional<std::pair<If, Only>> CutFinder::find(BasicBlock *From, const BasicBlock *To)
{
    for (BasicBlock *Block = From; Block && Block != To && Inside.count(Block); Block = behind(Block)) {
        if (const Loop *L = LI.getLoopFor(Block); L && !L->contains(R.Head))
            continue;
        const std::optional<If> Of = ifAt(*Block);
        if (!Of || Seen.count(Of->Branch))
            continue;
        if (const std::optional<Only> Items = only(*Of, Of->Branch->getCondition()); Items && isOfUse(*Of, *Items))
            return {{*Of, *Items}};
        if (takeApart(*Of)) {
            Changed = true;
            return {};
        }
        Guards.push_back(*Of);
        if (auto Found = find(Of->Part, Of->Behind); Found || Changed)
            return Found;
        Guards.pop_back();
    }
    return {};
}

/* Of   if (G) { A; if (P) S; B }   becomes   if (G) A; if (P) if (G) S; if (G) B.   What A computes is computed in front of it where
   that can do no harm; the rest goes by phis, and is not used where A was not. */
bool CutFinder::divideGuard(const If &Guard, const If &Of)
{
    BasicBlock *Before = Guard.Branch->getParent(), *At = Of.Branch->getParent();
    SmallVector<Instruction *, 32> Left;
    ReversePostOrderTraversal<BasicBlock *> Order(Guard.Part);
    for (BasicBlock *Block : Order) {
        if (!Inside.count(Block) || !DT.dominates(Guard.Part, Block) || !DT.dominates(Block, At))
            continue;
        for (Instruction &I : make_early_inc_range(*Block)) {
            if (I.isTerminator() || I.getType()->isVoidTy())
                continue;
            if (!isa<PHINode>(I) && !I.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&I)
                && all_of(I.operand_values(),
                          [&](const Value *V) { return !isa<Instruction>(V) || DT.dominates(V, Guard.Branch); }))
                I.moveBefore(*Before, Guard.Branch->getIterator());
            else
                Left.push_back(&I);
        }
    }
    auto *Condition = dyn_cast<Instruction>(Of.Branch->getCondition());
    if (Condition && !DT.dominates(Condition, Guard.Branch))
        return false;
    LLVMContext &Context = K.F.getContext();
    const DebugLoc Where = Of.Branch->getDebugLoc();
    Value *G = Guard.Branch->getCondition();
    const auto Fork = [&](Value *If, bool Holds, BasicBlock *Then, BasicBlock *Else, BasicBlock *In) {
        BranchInst *Made = BranchInst::Create(Holds ? Then : Else, Holds ? Else : Then, If, In);
        Made->setDebugLoc(Where);
        return Made;
    };
    BasicBlock *Next = Guard.Behind;
    if (Of.Behind != Guard.Behind) {
        Next = BasicBlock::Create(Context, "tw_guard", &K.F, Of.Behind);
        SmallSetVector<BasicBlock *, 8> From(pred_begin(Of.Behind), pred_end(Of.Behind));
        for (BasicBlock *Block : From)
            Block->getTerminator()->replaceSuccessorWith(Of.Behind, Next);
        Fork(G, Guard.Holds, Of.Behind, Guard.Behind, Next);
    }
    BasicBlock *Chosen = BasicBlock::Create(Context, "tw_some", &K.F, Of.Part),
               *Again = BasicBlock::Create(Context, "tw_some", &K.F, Of.Part);
    Guard.Branch->replaceSuccessorWith(Guard.Behind, Chosen);
    Value *P = Of.Branch->getCondition();
    Of.Branch->eraseFromParent();
    BranchInst::Create(Chosen, At)->setDebugLoc(Where);
    Fork(P, Of.Holds, Again, Next, Chosen);
    Fork(G, Guard.Holds, Of.Part, Next, Again);
    for (Instruction *I : Left) {
        SSAUpdater Updater;
        Updater.Initialize(I->getType(), I->getName());
        Updater.AddAvailableValue(I->getParent(), I);
        Updater.AddAvailableValue(Before, PoisonValue::get(I->getType()));
        SmallVector<Use *, 8> Uses;
        for (Use &U : I->uses())
            if (auto *By = cast<Instruction>(U.getUser()); By->getParent() != I->getParent() || isa<PHINode>(By))
                Uses.push_back(&U);
        for (Use *U : Uses)
            Updater.RewriteUse(*U);
    }
    return true;
}

std::optional<Cut> CutFinder::run()
{
    const auto Found = find(R.Head, R.Next);
    if (!Found)
        return Changed ? std::optional(Cut{nullptr, nullptr, {}}) : std::nullopt;
    const If &Of = Found->first;
    if (!Guards.empty()) {
        if (!divideGuard(Guards.back(), Of))
            Seen.insert(Of.Branch);
        return Cut{nullptr, nullptr, Found->second};
    }
    Seen.insert(Of.Branch);
    return Cut{Of.Branch->getParent(), Of.Behind, Found->second};
}

} // namespace

std::optional<Cut> findCut(Kernel &K, const Region &R, DenseSet<const BranchInst *> &Seen)
{
    return CutFinder(K, R, Seen).run();
}

} // namespace tw_compiler
