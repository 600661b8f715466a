/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts a kernel's control flow into regions. All work-items enter a region at its head, and leave it for the same other head.
 * Heads are the barriers, the start, and the return; and then, until nothing changes,
 *
 *   - a branch whose ways lead to different heads becomes a decision, which the group takes as one: it is what says which barrier
 *     comes next, and SYCL wants that to be the same for all work-items;
 *   - where ways from different heads meet is a head, too.
 *
 * So a loop around barriers is a loop of the group, and a loop between barriers is one of a work-item, inside a region.
 */
#include "kernel.h"

#include "base/markers.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

using Order = SmallVector<BasicBlock *, 8>;

class Cutter
{
  public:
    explicit Cutter(Kernel &K) : K(K)
    {
    }
    bool run();

  private:
    Kernel &K;
    BasicBlock *Start = nullptr;
    MapVector<BasicBlock *, Region> Heads;

    void moveBehindIds(Instruction *Last);
    bool findStart();
    bool joinReturns();
    void findBarriers();
    BasicBlock *meeting(const Order &Blocks, function_ref<Order(BasicBlock *)> Neighbours);
    bool makeDecision(BasicBlock *Block);
    bool settle();
    void cutAtIds();
    void separateEdges();
    void collect(Region &R);
    bool finish();

    bool isHead(BasicBlock *Block) const
    {
        return Heads.count(Block) != 0;
    }
    void addHead(Kind Is, BasicBlock *Block, int Line = 0)
    {
        if (isHead(Block))
            return;
        Region R;
        R.Is = Is;
        R.Head = Block;
        R.Line = Line;
        Heads.insert({Block, R});
    }
};

/* LLVM puts what it computes from an id, such as a freeze, directly behind it, in front of the next one. */
void Cutter::moveBehindIds(Instruction *Last)
{
    SmallPtrSet<const Value *, 8> OfItems(K.Id, std::end(K.Id));
    SmallVector<Instruction *, 4> Moved;
    for (Instruction &I : make_range(Last->getParent()->begin(), Last->getIterator()))
        if (!is_contained(K.Id, &I) && any_of(I.operands(), [&](const Use &U) { return OfItems.contains(U); })) {
            OfItems.insert(&I);
            Moved.push_back(&I);
        }
    for (Instruction *I : reverse(Moved))
        I->moveAfter(Last);
}

/* What comes before the ids is the group's. */
bool Cutter::findStart()
{
    unsigned Ids = 0, Begins = 0;
    Instruction *Last = nullptr;
    for (Instruction &I : instructions(K.F)) {
        if (CallInst *Call = markerCall(I, BeginMarker)) {
            K.Begin = Call;
            ++Begins;
        } else if (CallInst *Call = markerCall(I, IdMarker)) {
            const auto *Level = dyn_cast<ConstantInt>(Call->getArgOperand(0));
            if (!Level || Level->getZExtValue() > 2)
                return K.refuse("of its ids");
            K.Id[Level->getZExtValue()] = Call;
            Last = Call;
            ++Ids;
        }
    }
    if (Begins != 1 || Ids != 3 || !K.Id[0] || !K.Id[1] || !K.Id[2] || K.Id[0]->getParent() != Last->getParent()
        || K.Id[1]->getParent() != Last->getParent() || K.Id[2]->getParent() != Last->getParent())
        return K.refuse("of its ids");
    moveBehindIds(Last);
    Start = SplitBlock(Last->getParent(), Last->getNextNode());
    Start->setName("tw_start");
    addHead(Kind::Start, Start);
    return true;
}

/* One return for all, so that it is a head. */
bool Cutter::joinReturns()
{
    auto *Exit = BasicBlock::Create(K.F.getContext(), "tw_exit");
    for (BasicBlock &Block : K.F)
        if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator())) {
            auto *Branch = BranchInst::Create(Exit, Return->getIterator());
            Branch->setDebugLoc(Return->getDebugLoc());
            Return->eraseFromParent();
        }
    Exit->insertInto(&K.F);
    auto *Return = ReturnInst::Create(K.F.getContext(), Exit);
    Return->setDebugLoc(K.Begin->getDebugLoc());
    addHead(Kind::Exit, Exit);
    return !pred_empty(Exit) || K.refuse("it does not return");
}

void Cutter::findBarriers()
{
    SmallVector<CallInst *, 16> Calls;
    for (Instruction &I : instructions(K.F))
        if (markerCall(I, BarrierMarker) || markerCall(I, OnceMarker))
            Calls.push_back(cast<CallInst>(&I));
    K.Barriers = Calls.size();
    for (CallInst *Call : Calls) {
        const bool Once = markerCall(*Call, OnceMarker) != nullptr;
        const auto *Line = Once ? nullptr : dyn_cast<ConstantInt>(Call->getArgOperand(0));
        BasicBlock *Head = SplitBlock(Call->getParent(), Call);
        Head->setName("tw_barrier");
        addHead(Once ? Kind::Once : Kind::Barrier, Head, Line ? int(Line->getSExtValue()) : 0);
        Call->eraseFromParent();
    }
}

/* The first block of `Blocks` at which different heads meet: those that `Neighbours` of blocks lead to; null: there is none. */
BasicBlock *Cutter::meeting(const Order &Blocks, function_ref<Order(BasicBlock *)> Neighbours)
{
    DenseMap<BasicBlock *, BasicBlock *> Only; /* the only head that a block leads to; none yet: not in here */
    for (bool More = true; More;) {
        More = false;
        for (BasicBlock *Block : Blocks) {
            BasicBlock *Head = Only.lookup(Block);
            for (BasicBlock *To : Neighbours(Block)) {
                BasicBlock *Its = isHead(To) ? To : Only.lookup(To);
                if (Its && Head && Its != Head)
                    return Block;
                Head = Head ? Head : Its;
            }
            More |= Head != Only.lookup(Block);
            Only[Block] = Head;
        }
    }
    return nullptr;
}

bool Cutter::makeDecision(BasicBlock *Block)
{
    Instruction *Branch = Block->getTerminator();
    if (!isa<BranchInst>(Branch) && !isa<SwitchInst>(Branch))
        return K.refuse("of its control flow");
    BasicBlock *Decision = SplitBlock(Block, Branch);
    Decision->setName("tw_decision");
    addHead(Kind::Decision, Decision);
    for (BasicBlock *To : successors(Decision))
        addHead(Kind::Join, To);
    return true;
}

/* The blocks of a region, and where they lead. */
void Cutter::collect(Region &R)
{
    SmallSetVector<BasicBlock *, 16> Blocks;
    Blocks.insert(R.Head);
    R.Next = nullptr;
    for (unsigned I = 0; I < Blocks.size(); ++I)
        for (BasicBlock *To : successors(Blocks[I]))
            if (!isHead(To))
                Blocks.insert(To);
            else if (R.hasLoop())
                R.Next = To;
    R.Blocks.assign(Blocks.begin(), Blocks.end());
}

/* Every region gets a last block; values that a head chooses by where the group comes from have one origin for each region. */
void Cutter::separateEdges()
{
    SmallVector<BasicBlock *, 16> Old;
    for (auto &Entry : Heads)
        Old.push_back(Entry.first);
    for (BasicBlock *Head : Old) {
        Region R = Heads[Head];
        collect(R);
        if (!R.Next)
            continue;
        SmallVector<BasicBlock *, 8> Leaving;
        for (BasicBlock *Block : R.Blocks)
            if (is_contained(successors(Block), R.Next))
                Leaving.push_back(Block);
        BasicBlock *End = SplitBlockPredecessors(R.Next, Leaving, ".tw_end");
        Heads[Head].End = End;
    }
    for (BasicBlock *Head : Old)
        if (Heads[Head].Is == Kind::Decision) {
            SmallSetVector<BasicBlock *, 4> To(succ_begin(Head), succ_end(Head));
            for (BasicBlock *Successor : To)
                if (isa<PHINode>(Successor->front())) {
                    BasicBlock *Between = SplitBlockPredecessors(Successor, {Head}, ".tw_edge");
                    addHead(Kind::Join, Between);
                    Heads[Between].End = Between;
                }
        }
}

bool Cutter::finish()
{
    for (auto &Entry : Heads) {
        collect(Entry.second);
        for (BasicBlock *Block : Entry.second.Blocks) {
            if (K.RegionOf.count(Block))
                return K.refuse("of its control flow");
            K.RegionOf[Block] = K.Regions.size();
        }
        K.Regions.push_back(Entry.second);
    }
    for (const Region &R : K.Regions)
        if (R.hasLoop() && R.Next && (!R.End || R.End->getSingleSuccessor() != R.Next))
            return K.refuse("of its control flow");
    K.DT.recalculate(K.F);
    return true;
}

/* Parts for some work-items become regions of their own, if the group has barriers at all. */
void Cutter::cutAtIds()
{
    constexpr unsigned MostCuts = 32;
    DominatorTree DT(K.F);
    LoopInfo LI(DT);
    ReversePostOrderTraversal<const Function *> Blocks(&K.F);
    if (containsIrreducibleCFG<const BasicBlock *>(Blocks, LI))
        return;
    DenseSet<const BranchInst *> Seen;
    unsigned Cuts = 0;
    for (bool More = true; More && Cuts < MostCuts;) {
        More = false;
        for (unsigned I = 0; I < Heads.size() && !More; ++I) {
            Region R = (Heads.begin() + I)->second;
            if (R.Is == Kind::Decision || R.Is == Kind::Exit || R.Is == Kind::Once || R.Items)
                continue;
            collect(R);
            const std::optional<Cut> Found = R.Next ? findCut(K, R, Seen) : std::nullopt;
            if (!Found)
                continue;
            More = true;
            ++Cuts;
            if (!Found->At)
                continue;
            BasicBlock *Head = SplitBlock(Found->At, Found->At->getTerminator());
            Head->setName("tw_some");
            addHead(Kind::Join, Head);
            Heads[Head].Items = Found->Items;
            addHead(Kind::Join, Found->Behind);
        }
    }
}

bool Cutter::settle()
{
    while (true) {
        ReversePostOrderTraversal<BasicBlock *> FromStart(Start);
        const Order Forward(FromStart.begin(), FromStart.end()), Backward(Forward.rbegin(), Forward.rend());
        if (BasicBlock *Branch = meeting(Backward, [&](BasicBlock *Block) {
                const bool Decides = isHead(Block) && Heads[Block].Is == Kind::Decision;
                return Decides ? Order() : Order(successors(Block));
            })) {
            if (!makeDecision(Branch))
                return false;
            continue;
        }
        BasicBlock *Join =
            meeting(Forward, [&](BasicBlock *Block) { return isHead(Block) ? Order() : Order(predecessors(Block)); });
        if (!Join)
            return true;
        addHead(Kind::Join, Join);
    }
}

bool Cutter::run()
{
    if (!findStart() || !joinReturns())
        return false;
    findBarriers();
    if (!settle())
        return false;
    cutAtIds();
    if (!settle())
        return false;
    separateEdges();
    EliminateUnreachableBlocks(K.F);
    return finish();
}

} // namespace

bool findRegions(Kernel &K)
{
    return Cutter(K).run();
}

} // namespace tw_compiler
