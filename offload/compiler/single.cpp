/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a single work-item of a row does, where loops over work-items exist already: in hierarchical kernels, and where the condition is
 * with a value that is known at run time (cuts.cpp has the constants of nd_range kernels).
 *
 *     for (column = 0; column < columns; ++column) {          for (column = 0; column < columns; ++column)
 *         tile[row][column + 1] = ...;                            tile[row][column + 1] = ...;
 *         if (column == last)                        becomes  if (last < columns)
 *             tile[row][column + 2] = ...;                        tile[row][last + 2] = ...;
 *     }
 *
 * Work-items are independent, so the part may run behind all others of the row, or in front of them, unless it has to stay between what
 * its own work-item does before and after it. It gets a copy of one turn in which nothing else is stored.
 *
 * Where there is a condition for the first or the last row of a group, LLVM makes a loop of a row for each case. So such a row leaves the
 * loop over the rows, at its begin or end, and one plain loop is left.
 */
#include "edges.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostInRow = 400;      /* instructions of the loop */
constexpr uint64_t LeastInRow = 8;       /* turns, if their number is known */
constexpr uint64_t LeastRows = 4;        /* of a group whose first or last row goes by itself */
constexpr unsigned MostOfRow = 600;      /* instructions of the loop over them */
constexpr unsigned MostOfFunction = 100; /* parts */

class Single
{
  public:
    Single(Function &F, Loop &L, FunctionAnalysisManager &FAM)
        : F(F), L(L), SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
          PDT(FAM.getResult<PostDominatorTreeAnalysis>(F)), AA(FAM.getResult<AAManager>(F)),
          Expand(SE, F.getParent()->getDataLayout(), "tw_single")
    {
    }
    bool run();

  private:
    using Blocks = SmallSetVector<BasicBlock *, 16>;

    Function &F;
    Loop &L;
    ScalarEvolution &SE;
    DominatorTree &DT;
    PostDominatorTree &PDT;
    AAResults &AA;
    Expander Expand;
    BasicBlock *Preheader = nullptr;
    const SCEV *Turns = nullptr; /* but one */
    SmallVector<Instruction *, 32> Touching;
    BranchInst *Branch = nullptr; /* around the part */
    bool Holds = true;            /* its condition, in the part */
    const SCEV *Turn = nullptr;   /* of the work-item */
    Blocks Part;
    bool Behind = true; /* of the loop is the part; else in front of it */

    bool isBefore(const SCEV *S)
    {
        return isBeforeLoop(S, L, SE, Expand);
    }
    bool isSuitable();
    const SCEV *turnOf(Value *Condition, bool Holds, unsigned Depth);
    Blocks reachable(BasicBlock *From, const BasicBlock *To, bool Back) const;
    bool isAround(BasicBlock *Join) const;
    bool meets(const Blocks &Others);
    bool readsAgain(const Blocks &Before);
    bool find(BasicBlock &Block);
    void move();
};

/* The first or last row of a group, where there is a condition for it. */
class EndRow
{
  public:
    EndRow(Function &F, Loop &Rows, FunctionAnalysisManager &FAM)
        : F(F), L(Rows), SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
          Expand(SE, F.getParent()->getDataLayout(), "tw_end")
    {
    }
    bool run();

  private:
    Function &F;
    Loop &L;
    ScalarEvolution &SE;
    Expander Expand;
    BasicBlock *Preheader = nullptr;
    const SCEV *Turns = nullptr; /* but one */

    bool isBefore(const SCEV *S)
    {
        return isBeforeLoop(S, L, SE, Expand);
    }
    bool isSuitable();
    std::optional<bool> isFirst(const ICmpInst &Compare);
    void take(ICmpInst &Compare, bool First);
};

/* The turns but one of a loop that counts alone, and leaves nothing behind; null if it is no such loop. */
const SCEV *turnsOf(Loop &L, ScalarEvolution &SE, const Expander &Expand, uint64_t Least, unsigned Most)
{
    BasicBlock *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
    if (!L.isLoopSimplifyForm() || !L.isSafeToClone() || L.getExitingBlock() != Latch || !Exit
        || Exit->getSinglePredecessor() != Latch || !isa<BranchInst>(Latch->getTerminator()))
        return nullptr;
    const SCEV *Turns = SE.getBackedgeTakenCount(&L);
    return !isa<SCEVCouldNotCompute>(Turns) && isBeforeLoop(Turns, L, SE, Expand)
                   && SE.getUnsignedRangeMax(Turns).uge(Least - 1) && hasCountersAlone(L, SE, Expand)
                   && isClosed(L, Most)
               ? Turns
               : nullptr;
}

/* A loop that counts alone, leaves nothing behind, and touches memory by plain accesses. */
bool Single::isSuitable()
{
    Preheader = L.getLoopPreheader();
    Turns = L.isInnermost() ? turnsOf(L, SE, Expand, LeastInRow, MostInRow) : nullptr;
    if (!Turns)
        return false;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            const auto *Load = dyn_cast<LoadInst>(&I);
            const auto *Store = dyn_cast<StoreInst>(&I);
            if ((Load && Load->isSimple()) || (Store && Store->isSimple()))
                Touching.push_back(&I);
            else if (!isa<AssumeInst>(I) && !isa<NoAliasScopeDeclInst>(I) && !I.isTerminator()
                     && (I.mayReadOrWriteMemory() || I.mayHaveSideEffects()))
                return false;
        }
    Accesses At(L, SE);
    return areDistinct(L, SE) && !At.sharedVariable() && At.combined().empty();
}

/* The turn of the only work-item for which a condition is `Holds`, perhaps; or null. */
const SCEV *Single::turnOf(Value *Condition, bool Holds, unsigned Depth)
{
    using namespace PatternMatch;
    Value *A, *B;
    if (Holds ? match(Condition, m_LogicalAnd(m_Value(A), m_Value(B)))
              : match(Condition, m_LogicalOr(m_Value(A), m_Value(B)))) {
        const SCEV *Found = Depth ? turnOf(A, Holds, Depth - 1) : nullptr;
        return Found || !Depth ? Found : turnOf(B, Holds, Depth - 1);
    }
    const auto *Compare = dyn_cast<ICmpInst>(Condition);
    if (!Compare || Compare->getPredicate() != (Holds ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE)
        || !Compare->getOperand(0)->getType()->isIntegerTy())
        return nullptr;
    const SCEV *Left = SE.getSCEV(Compare->getOperand(0)), *Right = SE.getSCEV(Compare->getOperand(1));
    if (SE.isLoopInvariant(Left, &L))
        std::swap(Left, Right);
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(Left);
    if (!Rec || Rec->getLoop() != &L || !Rec->isAffine() || !Rec->getStepRecurrence(SE)->isOne()
        || !SE.isLoopInvariant(Right, &L))
        return nullptr;
    /* of a long row, several turns may have the same number of few bits; those of a group are short */
    const unsigned Bits = unsigned(SE.getTypeSizeInBits(Rec->getType()));
    if (SE.getUnsignedRangeMax(Turns).getActiveBits() > Bits && !(Bits >= 32 && isRowOfGroup(L)))
        return nullptr;
    const SCEV *Result = SE.getMinusSCEV(Right, Rec->getStart());
    return isBefore(Result) ? Result : nullptr;
}

/* Blocks that a work-item comes to behind the block `From`, or has come to in front of it; it does not go on at `To`. */
Single::Blocks Single::reachable(BasicBlock *From, const BasicBlock *To, bool Back) const
{
    Blocks Found;
    SmallVector<BasicBlock *, 16> Open{From};
    while (!Open.empty()) {
        BasicBlock *Block = Open.pop_back_val();
        const auto Add = [&](BasicBlock *Next) {
            if (Next != To && L.contains(Next) && Found.insert(Next))
                Open.push_back(Next);
        };
        if (Back && Block != L.getHeader())
            for (BasicBlock *Next : predecessors(Block))
                Add(Next);
        if (!Back && Block != L.getLoopLatch())
            for (BasicBlock *Next : successors(Block))
                Add(Next);
    }
    return Found;
}

/* Whether nothing happens to a work-item that goes around the part, up to where both ways meet. */
bool Single::isAround(BasicBlock *Join) const
{
    BasicBlock *From = Branch->getParent();
    Blocks Between = reachable(From, Join, false);
    for (BasicBlock *Block : Between)
        if (!Part.count(Block) && any_of(*Block, [](const Instruction &I) { return I.mayReadOrWriteMemory(); }))
            return false;
    Between.insert(From);
    for (PHINode &Phi : Join->phis()) {
        const Value *Same = nullptr;
        for (unsigned N = 0; N < Phi.getNumIncomingValues(); ++N) {
            if (!Between.count(Phi.getIncomingBlock(N)))
                continue;
            const Value *V = Phi.getIncomingValue(N);
            if (Same && Same != V)
                return false;
            Same = V;
        }
    }
    return true;
}

/* Whether the part and what these blocks do may touch the same place. */
bool Single::meets(const Blocks &Others)
{
    for (Instruction *Mine : Touching)
        if (Part.count(Mine->getParent()))
            for (Instruction *Other : Touching)
                if (Others.count(Other->getParent()) && (isa<StoreInst>(Mine) || isa<StoreInst>(Other))
                    && !AA.isNoAlias(MemoryLocation::get(Mine), MemoryLocation::get(Other)))
                    return true;
    return false;
}

/* Whether the part needs what was read in front of it, and may have changed since. */
bool Single::readsAgain(const Blocks &Before)
{
    SmallSetVector<Instruction *, 32> Needed;
    const auto Add = [&](Value *V) {
        if (auto *I = dyn_cast<Instruction>(V); I && L.contains(I))
            Needed.insert(I);
    };
    for (BasicBlock *Block : Part)
        for (Instruction &I : *Block)
            for (Value *V : I.operands())
                Add(V);
    for (BasicBlock *Block : Before)
        for (Value *V : Block->getTerminator()->operands())
            Add(V);
    for (size_t N = 0; N < Needed.size(); ++N) {
        Instruction *I = Needed[N];
        for (Value *V : I->operands())
            Add(V);
        if (isa<LoadInst>(I) && !Part.count(I->getParent()))
            for (Instruction *Other : Touching)
                if (isa<StoreInst>(Other) && !Part.count(Other->getParent())
                    && !AA.isNoAlias(MemoryLocation::get(I), MemoryLocation::get(Other)))
                    return true;
    }
    return false;
}

/* Looks for a part behind the condition of a block. */
bool Single::find(BasicBlock &Block)
{
    Branch = dyn_cast<BranchInst>(Block.getTerminator());
    const auto *Node = PDT.getNode(&Block);
    BasicBlock *Join = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
    if (!Branch || !Branch->isConditional() || &Block == L.getLoopLatch() || !Join || !L.contains(Join)
        || Join == L.getHeader() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
        return false;
    for (const bool Way : {true, false}) {
        Holds = Way;
        Turn = turnOf(Branch->getCondition(), Holds, 3);
        if (!Turn)
            continue;
        const BasicBlockEdge Into(&Block, Branch->getSuccessor(Holds ? 0 : 1));
        Part.clear();
        for (BasicBlock *Each : L.blocks())
            if (DT.dominates(Into, Each))
                Part.insert(Each);
        bool Mine = false, Others = false; /* whether there is something to do */
        for (const Instruction *I : Touching)
            if (isa<StoreInst>(I))
                (Part.count(const_cast<BasicBlock *>(I->getParent())) ? Mine : Others) = true;
        if (!Mine || !(Others || isRowOfGroup(L)) || Part.count(L.getLoopLatch()) || !isAround(Join))
            continue;
        Blocks Before = reachable(&Block, nullptr, true), After = reachable(Join, nullptr, false);
        Before.insert(&Block);
        After.insert(Join);
        if (readsAgain(Before))
            continue;
        Behind = !meets(After);
        if (Behind || !meets(Before))
            return true;
    }
    return false;
}

/* What a counter is in turn `By`. */
Value *moved(IRBuilder<> &B, const PHINode &Phi, Value *Init, Value *Step, Value *By)
{
    Value *Past = B.CreateMul(B.CreateZExtOrTrunc(By, Step->getType()), Step);
    return Phi.getType()->isPointerTy() ? B.CreatePtrAdd(Init, Past) : B.CreateAdd(Init, Past);
}

void Single::move()
{
    LLVMContext &Context = F.getContext();
    BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
    Instruction *At = Preheader->getTerminator();
    IRBuilder<> B(At);
    const auto Before = [&](const SCEV *S) {
        Value *V = Expand.expandCodeFor(S, S->getType(), At->getIterator());
        B.SetInsertPoint(At);
        return isa<Constant>(V) ? V : B.CreateFreeze(V);
    };
    Value *By = B.CreateZExt(Before(Turn), B.getInt64Ty()), *Last = B.CreateZExt(Before(Turns), B.getInt64Ty());
    Value *IsTurn = B.CreateICmpULE(By, Last, "tw_single");
    SmallVector<Value *, 4> Init; /* of the counters */
    for (PHINode &Phi : Header->phis()) {
        const SCEV *Step = cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))->getStepRecurrence(SE);
        Value *Expanded = Expand.expandCodeFor(Step, Step->getType(), At->getIterator());
        B.SetInsertPoint(At);
        Init.push_back(moved(B, Phi, Phi.getIncomingValueForBlock(Preheader), Expanded, By));
    }
    auto *Choice = BasicBlock::Create(Context, "tw_single", &F, Behind ? Exit : Header);
    auto *Entry = BasicBlock::Create(Context, "tw_single", &F, Behind ? Exit : Header);
    BasicBlock *Next = Behind ? Exit : BasicBlock::Create(Context, "tw_others", &F, Header);
    auto Made = copyLoop(L, Preheader, "single", B.getInt64(0), B.getInt64(1), Entry, Next);
    unsigned Each = 0;
    for (PHINode &Phi : Header->phis()) {
        auto *Counter = cast<PHINode>(static_cast<Value *>(Made->Map[&Phi]));
        Counter->replaceAllUsesWith(Init[Each++]);
        Counter->eraseFromParent();
    }
    Made->Counter->replaceAllUsesWith(B.getInt64(0));
    Made->Counter->eraseFromParent();
    ReplaceInstWithInst(Made->Latch->getTerminator(), BranchInst::Create(Next));
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (!Part.count(Block) && (isa<StoreInst>(I) || isa<AssumeInst>(I)))
                cast<Instruction>(static_cast<Value *>(Made->Map[&I]))->eraseFromParent();
    BranchInst::Create(Made->Header, Entry);
    BranchInst::Create(Entry, Next, IsTurn, Choice);
    if (Behind) {
        Latch->getTerminator()->replaceSuccessorWith(Exit, Choice);
        for (PHINode &Phi : Exit->phis()) { /* what comes from the loop is not used, by isSuitable() */
            Value *V = Phi.getIncomingValueForBlock(Latch);
            V = isa<Instruction>(V) && L.contains(cast<Instruction>(V)) ? PoisonValue::get(V->getType()) : V;
            Phi.setIncomingValueForBlock(Latch, V);
            Phi.replaceIncomingBlockWith(Latch, Choice);
            Phi.addIncoming(V, Made->Latch);
        }
    } else {
        At->replaceSuccessorWith(Header, Choice);
        BranchInst::Create(Header, Next);
        Header->replacePhiUsesWith(Preheader, Next);
    }
    /* the others go around it */
    BasicBlock *From = Branch->getParent();
    Branch->getSuccessor(Holds ? 0 : 1)->removePredecessor(From);
    auto *Condition = dyn_cast<Instruction>(Branch->getCondition());
    ReplaceInstWithInst(Branch, BranchInst::Create(Branch->getSuccessor(Holds ? 1 : 0)));
    DeleteDeadBlocks(Part.getArrayRef());
    if (Condition)
        RecursivelyDeleteTriviallyDeadInstructions(Condition);
}

bool Single::run()
{
    if (!isSuitable())
        return false;
    for (BasicBlock *Block : L.blocks())
        if (find(*Block)) {
            move();
            return true;
        }
    return false;
}

/* A loop over rows that counts alone, and leaves nothing behind. */
bool EndRow::isSuitable()
{
    Preheader = L.getLoopPreheader();
    Turns = turnsOf(L, SE, Expand, LeastRows, MostOfRow);
    return Turns != nullptr;
}

/* Whether a comparison finds the first row, or the last one. */
std::optional<bool> EndRow::isFirst(const ICmpInst &Compare)
{
    if (!Compare.isEquality() || !Compare.getOperand(0)->getType()->isIntegerTy())
        return {};
    const SCEV *Left = SE.getSCEV(Compare.getOperand(0)), *Right = SE.getSCEV(Compare.getOperand(1));
    if (SE.isLoopInvariant(Left, &L))
        std::swap(Left, Right);
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(Left);
    if (!Rec || Rec->getLoop() != &L || !Rec->isAffine() || !Rec->getStepRecurrence(SE)->isOne()
        || !SE.isLoopInvariant(Right, &L))
        return {};
    const unsigned Bits = unsigned(SE.getTypeSizeInBits(Rec->getType()));
    if (SE.getUnsignedRangeMax(Turns).getActiveBits() > Bits && Bits < 32)
        return {};
    const SCEV *Turn = SE.getMinusSCEV(Right, Rec->getStart());
    if (Turn->isZero())
        return true;
    return Turn == SE.getTruncateOrZeroExtend(Turns, Turn->getType()) ? std::optional(false) : std::nullopt;
}

/* The row is taken out of the loop: in it, the comparison is `==` of equals, and in the others of what differs. */
void EndRow::take(ICmpInst &Compare, bool First)
{
    LLVMContext &Context = F.getContext();
    BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
    Instruction *At = Preheader->getTerminator();
    IRBuilder<> B(At);
    Value *Last = Expand.expandCodeFor(Turns, Turns->getType(), At->getIterator());
    B.SetInsertPoint(At);
    Last = B.CreateZExt(isa<Constant>(Last) ? Last : B.CreateFreeze(Last), B.getInt64Ty());
    SmallVector<Value *, 4> Begin; /* of the counters, in the loop that is left */
    for (PHINode &Phi : Header->phis()) {
        const SCEV *Step = cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))->getStepRecurrence(SE);
        Value *Expanded = Expand.expandCodeFor(Step, Step->getType(), At->getIterator());
        B.SetInsertPoint(At);
        Begin.push_back(moved(B, Phi, Phi.getIncomingValueForBlock(Preheader), Expanded, First ? B.getInt64(1) : Last));
    }
    auto *Entry = BasicBlock::Create(Context, "tw_end", &F, Header),
         *Next = BasicBlock::Create(Context, "tw_rows", &F, Header);
    Value *Other = B.CreateICmpNE(Last, B.getInt64(0)); /* there are other rows */
    auto Made =
        copyLoop(L, Preheader, First ? "first" : "others", B.getInt64(0), First ? B.getInt64(1) : Last, Entry, Next);
    BranchInst::Create(Made->Header, Entry);
    if (First) {
        At->replaceSuccessorWith(Header, Entry);
        BranchInst::Create(Header, Exit, Other, Next);
        for (PHINode &Phi : Exit->phis()) { /* what comes from the loop is not used, by isSuitable() */
            Value *V = Phi.getIncomingValueForBlock(Latch);
            Phi.addIncoming(
                isa<Instruction>(V) && L.contains(cast<Instruction>(V)) ? PoisonValue::get(V->getType()) : V, Next);
        }
    } else {
        B.CreateCondBr(Other, Entry, Next);
        At->eraseFromParent();
        BranchInst::Create(Header, Next);
        ReplaceInstWithInst(Latch->getTerminator(), BranchInst::Create(Exit));
    }
    /* one turn alone is no loop any more */
    if (First) {
        for (PHINode &Phi : Header->phis()) {
            auto *Counter = cast<PHINode>(static_cast<Value *>(Made->Map[&Phi]));
            Counter->replaceAllUsesWith(Phi.getIncomingValueForBlock(Preheader));
            Counter->eraseFromParent();
        }
        Made->Counter->replaceAllUsesWith(B.getInt64(0));
        Made->Counter->eraseFromParent();
        ReplaceInstWithInst(Made->Latch->getTerminator(), BranchInst::Create(Next));
    }
    unsigned Each = 0;
    for (PHINode &Phi : make_early_inc_range(Header->phis())) {
        if (First) {
            Phi.setIncomingValueForBlock(Preheader, Begin[Each++]);
            Phi.replaceIncomingBlockWith(Preheader, Next);
        } else {
            Phi.replaceAllUsesWith(Begin[Each++]);
            Phi.eraseFromParent();
        }
    }
    auto *InCopy = cast<Instruction>(static_cast<Value *>(Made->Map[&Compare]));
    const bool IsEqual = Compare.getPredicate() == CmpInst::ICMP_EQ;
    InCopy->replaceAllUsesWith(ConstantInt::getBool(Context, First == IsEqual));
    Compare.replaceAllUsesWith(ConstantInt::getBool(Context, First != IsEqual));
}

bool EndRow::run()
{
    if (!isSuitable())
        return false;
    for (BasicBlock *Block : L.blocks()) {
        auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
        if (!Branch || !Branch->isConditional() || Block == L.getLoopLatch())
            continue;
        auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
        if (!Compare || !L.contains(Compare))
            continue;
        if (const std::optional<bool> First = isFirst(*Compare)) {
            take(*Compare, *First);
            return true;
        }
    }
    return false;
}

} // namespace

bool takeSingles(Function &F, FunctionAnalysisManager &FAM)
{
    FunctionPassManager Clean; /* of the copies, where most of what they compute is for nothing now */
    Clean.addPass(ADCEPass());
    Clean.addPass(SimplifyCFGPass());
    Clean.addPass(LoopSimplifyPass());
    const auto Take = [&](Loop &L, bool Row) {
        Loop *Rows = isRowOfGroup(L) ? L.getParentLoop() : nullptr;
        return Row ? Rows && EndRow(F, *Rows, FAM).run() : Single(F, L, FAM).run();
    };
    unsigned Parts = 0;
    for (const bool Row : {false, true})
        for (bool More = true; More && Parts < MostOfFunction && !isFull(F);) {
            More = false;
            for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
                if (!hasLoopMark(*L, ItemsMark))
                    continue;
                const DebugLoc Where = L->getStartLoc();
                if (!Take(*L, Row))
                    continue;
                tellRemark(F, {"teamwork-single", Row ? "Row" : "Single", false, Where, Where},
                           Twine("what ") + (Row ? "the first or last row of a group" : "a single work-item of a row")
                               + " of kernel " + kernelOf(F) + " does runs outside of the loop over the row"
                               + (Row ? "s" : ""));
                FAM.invalidate(F, PreservedAnalyses::none());
                FAM.invalidate(F, Clean.run(F, FAM));
                More = true;
                ++Parts;
                break;
            }
        }
    return Parts > 0;
}

} // namespace tw_compiler
