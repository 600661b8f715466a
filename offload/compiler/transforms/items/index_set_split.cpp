/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Index-set splitting of loops over work-items. A condition on the index that holds for all but the first and last work-items of a row keeps the
 * whole row from becoming plain vector code. So the loop is divided in three:
 *
 *     the first `Lo` turns            as they were
 *     those up to, not including, `Hi`  every such condition is a constant, and a 32-bit index does not wrap around
 *     the rest                        as they were
 *
 * `Lo` and `Hi` are computed in front of the loop. The turns keep their order, so any loop may be treated so; what goes from turn to
 * turn, of a reduction, goes from part to part, and may be left behind.
 *
 *     index_set_split_conditions.cpp  what is looked at, and what is likely
 *     index_set_split_affine.cpp      values as the index times a constant and what the loop does not change
 *     index_set_split_limits.cpp      `Lo` and `Hi`
 *     index_set_split_copies.cpp      the parts
 *     index_set_split.cpp             whether a loop is suitable, and how it is divided
 */
#include "index_set_split.h"

#include "analysis/predicates.h"
#include "base/marks.h"
#include "passes.h"
#include "utilities/budget.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr unsigned MostInstructions = 2000; /* of a loop that is divided */
constexpr uint64_t LeastWithLoops = 4;
constexpr uint64_t LeastOfLong = 16; /* turns of a row whose work-items do a lot, as sums over many neighbours */
constexpr unsigned LongInstructions = 96;

} // namespace

/* The value that goes to the next turn, and that is left behind: of a reduction, say. */
const PHINode *Divider::carried(const Value *V) const
{
    for (const PHINode &Phi : L.getHeader()->phis())
        if (V == Phi.getIncomingValueForBlock(L.getLoopLatch()))
            return &Phi;
    return nullptr;
}

/* A loop with one exit at its end, of a known number of turns, which leaves no other value behind. */
bool Divider::isSuitable()
{
    BasicBlock *Latch = L.getLoopLatch();
    Preheader = L.getLoopPreheader();
    if (!isLeftAtEnd(L) || L.getExitBlock()->getSinglePredecessor() != Latch)
        return false;
    Turns = SE.getBackedgeTakenCount(&L);
    if (isa<SCEVCouldNotCompute>(Turns) || !isBefore(Turns) || SE.getTypeSizeInBits(Turns->getType()) > 64)
        return false;
    unsigned Instructions = 0;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (++Instructions > MostInstructions || I.getType()->isTokenTy())
                return false;
            for (const User *U : I.users())
                if (!L.contains(cast<Instruction>(U)) && !(isa<PHINode>(U) && U->use_empty()) && !carried(&I))
                    return false;
        }
    const uint64_t Least = !L.isInnermost()                   ? LeastWithLoops
                           : Instructions >= LongInstructions ? LeastOfLong
                                                              : LeastTurns;
    if (SE.getUnsignedRangeMax(Turns).ult(Least - 1))
        return false;
    for (const PHINode &Phi : L.getHeader()->phis()) { /* what is counted does not go from one part to the next */
        const Value *Next = Phi.getIncomingValueForBlock(Latch);
        const auto *Rec =
            SE.isSCEVable(Phi.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(&Phi))) : nullptr;
        if (Rec && Rec->getLoop() == &L && any_of(Next->users(), [&](const User *U) {
                return isa<Instruction>(U) && !L.contains(cast<Instruction>(U)) && !(isa<PHINode>(U) && U->use_empty());
            }))
            return false;
    }
    return true;
}

/* Whether a row with loops inside, which become lanes, is hardly more than a vector: the parts of one would be single turns. All of a row
   at a border goes by gathers then, where the processor has them. */
bool Divider::isFewVectors() const
{
    return !L.isInnermost() && isRowOfGroup(L) && SE.getSmallConstantTripCount(&L) <= LeastTurns && hasMasks(F);
}

/* A row that is one vector is one in its middle part too, where the processor has masks. */
void Divider::maskInterior(Copy &Interior)
{
    const unsigned Fixed = SE.getSmallConstantTripCount(&L);
    if (L.isInnermost() && Fixed != 0 && Fixed < LeastTurns && hasMasks(F))
        markLoop(Interior.Latch, "llvm.loop.vectorize.predicate.enable", ConstantInt::getTrue(Context));
}

/* Few groups are at a border: loops for the others matter more (changeLoops()). */
static void expect(BranchInst &Branch, bool Taken)
{
    constexpr uint32_t Likely = 16;
    Branch.setMetadata(LLVMContext::MD_prof,
                       MDBuilder(Branch.getContext()).createBranchWeights(Taken ? Likely : 1, Taken ? 1 : Likely));
}

/* All of the loop where every condition holds for all turns, and the loop as it was. */
Version Divider::makeVersion()
{
    IRBuilder<> B(Preheader->getTerminator());
    Value *If = B.CreateAnd(B.CreateICmpEQ(Lo, B.getInt64(0)), B.CreateICmpUGT(Hi, Count), "tw_inside");
    Version Whole = versionLoop(L, If, B.CreateAdd(Count, B.getInt64(1)), "inside");
    expect(*Whole.Choice, true);
    Value *const From = std::exchange(Lo, B.getInt64(0));
    settle(*Whole.Made);
    Lo = From;
    Preheader = L.getLoopPreheader();
    return Whole;
}

void Divider::divide()
{
    if (isWorthWhole())
        keepWhole(*makeVersion().Made);
    BasicBlock *Before = Preheader, *Exit = L.getExitBlock(), *Header = L.getHeader(), *Latch = L.getLoopLatch();
    const DebugLoc Where = Before->getTerminator()->getDebugLoc();
    const auto Fork = [&](BasicBlock *From, Value *If, BasicBlock *Yes, BasicBlock *No, bool Likely) {
        auto *Branch = BranchInst::Create(Yes, No, If, From);
        Branch->setDebugLoc(Where);
        expect(*Branch, Likely);
    };
    /* Before -> [First] -> Middle -> [Interior] -> Rest -> [the loop] */
    BasicBlock *FirstEntry = blockBefore(L, "tw_first"), *Middle = blockBefore(L, "tw_middle"),
               *InteriorEntry = blockBefore(L, "tw_interior"), *Rest = blockBefore(L, "tw_rest"),
               *RestEntry = blockBefore(L, "tw_last"), *FirstEnd = blockBefore(L, "tw_first_end"),
               *InteriorEnd = blockBefore(L, "tw_interior_end");
    Before->getTerminator()->eraseFromParent();
    IRBuilder<> B(Before);
    B.SetCurrentDebugLocation(Where);
    Value *Effects = B.CreateNot(Exact);
    Value *HasFirst = B.CreateAnd(B.CreateICmpNE(Lo, B.getInt64(0)), Effects), *HasInterior = B.CreateICmpULT(Lo, Hi);
    Value *HasRest = B.CreateAnd(B.CreateICmpULE(Hi, Count), Effects);
    Fork(Before, HasFirst, FirstEntry, Middle, false);
    Fork(Middle, HasInterior, InteriorEntry, Rest, true);
    Fork(Rest, HasRest, RestEntry, Exit, false);
    jump(FirstEnd, Middle, Where);
    jump(InteriorEnd, Rest, Where);
    jump(RestEntry, Header, Where);

    DenseMap<const PHINode *, Value *> Left; /* what a value that is carried is without the last part */
    auto First = copyLoop(L, Before, "first", B.getInt64(0), Lo, FirstEntry, FirstEnd);
    auto Interior = copyLoop(L, Before, "interior", Lo, Hi, InteriorEntry, InteriorEnd);
    jump(FirstEntry, First->Header, Where);
    jump(InteriorEntry, Interior->Header, Where);
    for (PHINode &Phi : Header->phis()) {
        auto *OfInterior = cast<PHINode>(Interior->Map[&Phi]);
        Value *Init = Phi.getIncomingValueForBlock(Before), *Next = Phi.getIncomingValueForBlock(Latch);
        const auto In = [&](const Copy &C) {
            Value *Copied = C.Map.lookup(Next);
            return Copied ? Copied : Next;
        };
        Value *ForInterior, *ForRest;
        if (Counted->has(Phi)) { /* what is counted follows from the turn */
            IRBuilder<> I(InteriorEntry->getTerminator()), R(RestEntry->getTerminator());
            ForInterior = Counted->moved(I, Phi, Init, Lo);
            ForRest = Counted->moved(R, Phi, Init, Hi);
        } else {
            IRBuilder<> M(&*Middle->getFirstNonPHIIt()), R(&*Rest->getFirstNonPHIIt());
            PHINode *InMiddle = M.CreatePHI(Phi.getType(), 2), *InRest = R.CreatePHI(Phi.getType(), 2);
            InMiddle->addIncoming(Init, Before);
            InMiddle->addIncoming(In(*First), FirstEnd);
            InRest->addIncoming(InMiddle, Middle);
            InRest->addIncoming(In(*Interior), InteriorEnd);
            Left[&Phi] = ForRest = InRest;
            ForInterior = InMiddle;
        }
        OfInterior->setIncomingValueForBlock(InteriorEntry, ForInterior);
        Phi.setIncomingValueForBlock(Before, ForRest);
        Phi.replaceIncomingBlockWith(Before, RestEntry);
    }
    settle(*Interior);
    settleFirst(*First);
    maskInterior(*Interior);
    for (PHINode &Phi : Exit->phis()) { /* no other one is used, by isSuitable() */
        Value *V = Phi.getIncomingValueForBlock(Latch), *Without = Left.lookup(carried(V));
        Phi.addIncoming(Without ? Without : V, Rest);
    }
}

/* `AnyTurns`: for all turns, if there are conditions. */
std::optional<Inside> Divider::version(bool AnyTurns)
{
    if (!isSuitable())
        return {};
    collect();
    if (AnyTurns && Conditions.empty() && Unchanging.empty())
        return {};
    if (AnyTurns) {
        Conditions.clear();
        Unchanging.clear();
    }
    computeLimits();
    leaveByPhis();
    const Version Made = makeVersion();
    return Inside{Made.Made->Header, Made.Choice, !Conditions.empty() || !Unchanging.empty()};
}

bool Divider::run()
{
    if (!isSuitable())
        return false;
    collect();
    if (Conditions.empty() && Unchanging.empty())
        return false;
    computeLimits();
    leaveByPhis();
    if (isFewVectors())
        makeVersion();
    else
        divide();
    return true;
}

std::optional<Inside> versionInside(Function &F, Loop &L, ScalarEvolution &SE, DominatorTree &DT, LoopInfo &LI,
                                    bool AnyTurns)
{
    return Divider(F, L, SE, DT, LI, true).version(AnyTurns);
}

/* Divides the loops over work-items of a function. */
bool divideAtEdges(Function &F, FunctionAnalysisManager &FAM)
{
    return changeLoops(F, FAM, "teamwork.divided", [&](Loop &L) {
        if (!Divider(F, L, FAM.getResult<ScalarEvolutionAnalysis>(F), FAM.getResult<DominatorTreeAnalysis>(F),
                     FAM.getResult<LoopAnalysis>(F))
                 .run())
            return false;
        for (BasicBlock &Block : F) /* parts that are known to be empty use up no budget */
            ConstantFoldTerminator(&Block, true);
        removeUnreachableBlocks(F);
        return true;
    });
}

} // namespace tw_compiler
