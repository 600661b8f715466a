/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vectorizer of loops over work-items: as many turns as a vector has lanes become one, whatever a work-item does in it. What is left
 * over stays a loop over single work-items.
 *
 *     for (i = 0; i < n; ++i)                    for (i = 0; i + 8 <= n; i += 8)
 *         while (x[i] > 1)               becomes     mask = x[i .. i + 7] > 1
 *             x[i] = f(x[i]);                        while (any(mask))
 *                                                        x[i .. i + 7] = f(x[i .. i + 7]), where mask
 *                                                        mask = mask & x[i .. i + 7] > 1
 *
 * It is legal because work-items are independent between barriers (docs/kernels.md): neighbours take each step together, each one does
 * everything in its own order, and what it would not do is masked out. So nothing has to be known of addresses. Refused are loops in which
 * work-items combine values in memory without atomic operations, what has no form for lanes, and what would not pay.
 *
 *     analysis/private_variables.cpp  variables in memory that each work-item has
 *     analysis/shapes.cpp             which values are the same for all lanes, or grow by a constant
 *     vectorize.cpp                   whether a loop is suitable
 *     vectorize_costs.cpp             whether it pays, and how many lanes there are
 *     vectorize_control.cpp           blocks, and what is left out where nobody comes
 *     vectorize_masks.cpp             who comes to a block
 *     vectorize_loops.cpp             loops
 *     vectorize_values.cpp            instructions
 *     vectorize_groups.cpp            accesses that are done together
 *
 * Innermost loops that LLVM's vectorizer can take are left to it: it knows more forms of accesses.
 */
#include "vectorize.h"

#include "analysis/accesses.h"
#include "analysis/predicates.h"
#include "base/contract.h"
#include "base/marks.h"
#include "diagnostics/cliffs.h"
#include "diagnostics/remarks.h"
#include "passes.h"
#include "utilities/budget.h"
#include "utilities/expander.h"

#include <functional>
#include <optional>

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr unsigned MostInstructions = 3000; /* of a work-item */

cl::opt<bool> Always("tw-vectorize-always", cl::Hidden,
                     cl::desc("Make work-items lanes of vectors where that does not pay too (for tests)"));

} // namespace

Vectorizer::Vectorizer(Function &F, Loop &L, FunctionAnalysisManager &FAM)
    : F(F), L(L), SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
      LI(FAM.getResult<LoopAnalysis>(F)), TTI(FAM.getResult<TargetIRAnalysis>(F)),
      TLI(FAM.getResult<TargetLibraryAnalysis>(F)), Often(FAM.getResult<BlockFrequencyAnalysis>(F)),
      Memory(FAM.getResult<LoopAccessAnalysis>(F)), DL(F.getDataLayout()), Context(F.getContext()), Private(L, DT),
      Shape(L, SE, LI, Private), AA(FAM.getResult<AAManager>(F)), B(F.getContext())
{
}

/* Puts what is in a loop in order, each block behind all that goes to it; a loop inside is one entry. */
bool Vectorizer::findOrder(Loop &K)
{
    if (!K.isLoopSimplifyForm())
        return refuse("of its control flow");
    for (Loop *Inner : K)
        if (!findOrder(*Inner))
            return false;
    /* null: not in this loop, or its next turn */
    const auto EntryOf = [&](BasicBlock *Block) -> BasicBlock * {
        if (!K.contains(Block) || Block == K.getHeader())
            return nullptr;
        for (const Loop *Of = LI.getLoopFor(Block); Of != &K; Of = Of->getParentLoop())
            if (Of->getParentLoop() == &K)
                return Of->getHeader() == Block ? Block : nullptr;
        return Block;
    };
    const auto NextOf = [&](BasicBlock *Entry) {
        SmallVector<BasicBlock *, 4> Next(successors(Entry));
        if (const Loop *Of = LI.getLoopFor(Entry); Of != &K) {
            Next.clear();
            Of->getExitBlocks(Next);
        }
        return Next;
    };
    enum { New, Open, Done };
    DenseMap<BasicBlock *, int> State;
    Blocks Result;
    std::vector<std::pair<BasicBlock *, SmallVector<BasicBlock *, 4>>> Stack;
    Stack.emplace_back(K.getHeader(), NextOf(K.getHeader()));
    State[K.getHeader()] = Open;
    while (!Stack.empty()) {
        auto &[Entry, Next] = Stack.back();
        if (Next.empty()) {
            State[Entry] = Done;
            Result.push_back(Entry);
            Stack.pop_back();
            continue;
        }
        BasicBlock *To = EntryOf(Next.pop_back_val());
        if (!To)
            continue;
        if (State[To] == Open)
            return refuse("of its control flow");
        if (State[To] == New) {
            State[To] = Open;
            auto Following = NextOf(To);
            Stack.emplace_back(To, std::move(Following));
        }
    }
    std::reverse(Result.begin(), Result.end());
    if (Result.back() != K.getLoopLatch())
        return refuse("of its control flow");
    Order[&K] = std::move(Result);
    return true;
}

/* What keeps an operation from being done for lanes; null: nothing does. */
static const char *obstacleIn(const Instruction &I, const Loop &L)
{
    if (isDropped(I))
        return nullptr;
    const auto IsNumber = [](const Type *T) {
        return VectorType::isValidElementType(const_cast<Type *>(T)) || T->isVoidTy() || T->isLabelTy()
               || T->isMetadataTy();
    };
    const bool IsPair = isa<AtomicCmpXchgInst>(I);
    if (!(IsNumber(I.getType()) || IsPair) || (isa<ExtractValueInst>(I) && !isa<AtomicCmpXchgInst>(I.getOperand(0)))
        || (!isa<ExtractValueInst>(I) && !all_of(I.operands(), [&](const Use &U) { return IsNumber(U->getType()); })))
        return "it computes with vectors or structures";
    if (isa<AllocaInst>(I))
        return "of an array of variable length";
    if (isa<FenceInst>(I))
        return "of a fence";
    if (const auto *Call = dyn_cast<CallBase>(&I)) {
        if (!isa<CallInst>(I) || Call->isConvergent() || Call->cannotDuplicate() || Call->hasOperandBundles()
            || Call->isInlineAsm())
            return "of a call that may not be copied";
        /* LLVM 19 does not come to an end where the address of a call is an element of a vector */
        if (!L.isLoopInvariant(Call->getCalledOperand()))
            return "of a call of a function that differs from work-item to work-item";
        return nullptr;
    }
    if (I.isTerminator())
        return isa<BranchInst>(I) || isa<SwitchInst>(I) ? nullptr : "of its control flow";
    if (!I.isBinaryOp() && !I.isUnaryOp() && !isa<CastInst>(I) && !isa<CmpInst>(I) && !isa<SelectInst>(I)
        && !isa<FreezeInst>(I) && !isa<PHINode>(I) && !isa<GetElementPtrInst>(I) && !isa<ExtractValueInst>(I)
        && !getLoadStorePointerOperand(&I) && !isa<AtomicRMWInst>(I) && !IsPair)
        return "it has no form for vectors";
    return nullptr;
}

/* Whether what is assumed can be asked in front of the loop. */
bool Vectorizer::canAsk()
{
    const Expander Writer(SE, DL, "tw");
    return all_of(Shape.assumed(),
                  [&](const SCEV *S) {
                      return Writer.isSafeToExpandAt(S->operands()[0]->operands()[0],
                                                     L.getLoopPreheader()->getTerminator());
                  })
           || refuse("an index may wrap around");
}

/* Each variable that work-items change, but not by elements of their own, is one of each work-item. */
bool Vectorizer::findVariables()
{
    Accesses At(L, SE);
    while (Instruction *Variable = At.sharedVariable()) {
        if (const char *Reason = Private.add(*cast<AllocaInst>(Variable)))
            return refuse(Reason, Variable);
        At.Own.insert(cast<AllocaInst>(Variable));
    }
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (isDropped(I) || isa<LoadInst>(I) || isa<GetElementPtrInst>(I) || isa<PHINode>(I) || isa<SelectInst>(I))
                continue;
            for (Value *Operand : I.operands()) { /* a call, or something that keeps an address */
                SmallVector<const Value *, 4> Objects;
                if (Operand->getType()->isPointerTy() && Operand != getLoadStorePointerOperand(&I))
                    getUnderlyingObjects(Operand, Objects, nullptr, 0);
                for (const Value *Object : Objects) {
                    auto *Variable = const_cast<AllocaInst *>(dyn_cast<AllocaInst>(Object));
                    if (!Variable || Variable->hasMetadata(SharedNote) || !At.Own.insert(Variable).second)
                        continue;
                    if (const char *Reason = Private.add(*Variable))
                        return refuse(Reason, &I);
                }
            }
        }
    return true;
}

/* Whether work-items add to a place in memory one after the other, as reductions do. */
bool Vectorizer::combinesInPlace()
{
    Accesses At(L, SE);
    for (const PrivateVariable &P : Private.All)
        At.Own.insert(P.Variable);
    if (const auto Found = At.combined(); !Found.empty())
        return !refuse("work-items combine values in memory", Found[0][0]);
    DenseSet<const SCEV *> Read;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (const auto *Load = dyn_cast<LoadInst>(&I); Load && Shape.isUniform(Load->getPointerOperand()))
                Read.insert(SE.getSCEV(const_cast<Value *>(Load->getPointerOperand())));
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (auto *Store = dyn_cast<StoreInst>(&I); Store && Shape.isUniform(Store->getPointerOperand())
                                                       && !Private.interleaved(Store->getPointerOperand())
                                                       && Read.count(SE.getSCEV(Store->getPointerOperand())))
                return !refuse("work-items combine values in memory", Store);
    return false;
}

bool Vectorizer::isSuitable()
{
    BasicBlock *Latch = L.getLoopLatch();
    if (!L.isLoopSimplifyForm() || L.getExitingBlock() != Latch || !L.getExitBlock()
        || L.getExitBlock()->getSinglePredecessor() != Latch || !isa<BranchInst>(Latch->getTerminator()))
        return refuse("the work-items may leave the loop over them");
    const SCEV *Turns = SE.getBackedgeTakenCount(&L);
    if (isa<SCEVCouldNotCompute>(Turns) || SE.getTypeSizeInBits(Turns->getType()) > 64
        || !Expander(SE, DL, "tw").isSafeToExpandAt(Turns, L.getLoopPreheader()->getTerminator()))
        return refuse("the number of work-items is not known in front of the loop over them");
    for (PHINode &Phi : L.getHeader()->phis()) {
        const auto *Rec = SE.isSCEVable(Phi.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
        if (Rec && Rec->getLoop() == &L && Rec->isAffine() && isa<SCEVConstant>(Rec->getStepRecurrence(SE)))
            continue;
        const std::optional<Reduction> Found = findReduction(Phi, L);
        if (!Found)
            return refuse("of a value that goes from one work-item to the next", &Phi);
        Reductions.push_back(*Found);
    }
    unsigned Instructions = 0;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (++Instructions > MostInstructions)
                return refuse("it is too long", &I);
            if (const char *Reason = obstacleIn(I, L))
                return refuse(Reason, &I);
            const bool IsCombined = any_of(Reductions, [&](const Reduction &R) { return R.Phi == &I || R.Next == &I; });
            for (const User *U : I.users())
                if (!L.contains(cast<Instruction>(U)) && !IsCombined)
                    return refuse("a value of the last work-item is used behind all of them", &I);
        }
    if (!findOrder(L))
        return false;
    const std::function<void(Loop &)> Collect = [&](Loop &K) {
        for (BasicBlock *Entry : Order[&K])
            if (Loop *Of = LI.getLoopFor(Entry); Of != &K)
                Collect(*Of);
            else
                All.push_back(Entry);
    };
    Collect(L);
    if (All.size() != L.getNumBlocks())
        return refuse("of its control flow");
    return findVariables();
}

bool Vectorizer::isPossible()
{
    if (!getOptionalBoolLoopAttribute(&L, AsksForVectors).value_or(true)
        || getOptionalIntLoopAttribute(&L, VectorWidth) == 1)
        return refuse("its TW_HOST_LOOP() says so");
    if (!isSuitable())
        return false;
    Shape.run(All);
    findOfEachLane();
    chooseWidth();
    if (Width < 2)
        return refuse("a work-item has several turns, and it is not known how many are apart");
    if (!canAsk() || combinesInPlace())
        return false;
    findGroups();
    return Always || pays();
}

namespace
{

void report(Function &F, Loop &L, const Vectorizer &Made, bool Done)
{
    const DebugLoc Of = L.getStartLoc();
    if (Done)
        return tellRemark(F, {"teamwork-lanes", "Lanes", false, Of, Of},
                          "work-items of kernel " + kernelOf(F) + " are lanes of vectors");
    noteRefusal(L, Made.Why, Made.Where);
    tellRemark(F,
               {"teamwork-lanes", "NoLanes", true, Of,
                Made.Where && Made.Where->getDebugLoc() ? Made.Where->getDebugLoc() : Of},
               "work-items of kernel " + kernelOf(F) + " are not lanes of vectors" + because(Made.Why));
}

/* Whether LLVM's vectorizer can take a loop: it has none inside, only what has a form for vectors, and the order of accesses is free or can
   be compared at run time. */
bool isLeft(Loop &L, const TargetLibraryInfo &TLI, LoopAccessInfoManager &Accesses)
{
    const auto HasForm = [&](const Instruction &I) {
        const auto *Call = dyn_cast<CallInst>(&I);
        if (isa<SwitchInst>(I) || (I.isAtomic() && !isOrdinaryAtomic(I)))
            return false;
        return !Call || isDropped(I) || isTriviallyVectorizable(getVectorIntrinsicIDForCall(Call, &TLI));
    };
    return L.isInnermost() && all_of(L.blocks(), [&](BasicBlock *Block) { return all_of(*Block, HasForm); })
           && (hasLoopMark(L, ParallelMark) || Accesses.getInfo(L).canVectorizeMemory());
}

/* Rows of a group are short, mostly of 8 to 32 work-items, but LLVM does not know how short: it would make vectors of 64 bytes, and rows that
   do not fill these would stay scalar. */
void fitToRow(Loop &L, ScalarEvolution &SE, const TargetTransformInfo &TTI)
{
    constexpr unsigned Usual = 16, TooMany = 64; /* lanes */
    if (!isRowOfGroup(L) || SE.getSmallConstantTripCount(&L) || hasLoopMark(L, VectorWidth))
        return;
    const DataLayout &DL = L.getHeader()->getDataLayout();
    uint64_t Widest = 8; /* bits, by which LLVM chooses the number of lanes */
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (getLoadStorePointerOperand(&I))
                Widest = std::max(Widest, DL.getTypeSizeInBits(getLoadStoreType(&I)).getFixedValue());
    if (TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / Widest < TooMany)
        return;
    Type *Number = Type::getInt32Ty(L.getHeader()->getContext());
    addLoopMark(L, VectorWidth, ConstantInt::get(Number, Usual));
    if (!hasLoopMark(L, InterleaveCount))
        addLoopMark(L, InterleaveCount, ConstantInt::get(Number, 1));
}

/* Whether LLVM would divide in each lane by itself, with a branch for each: a lot of code. */
bool dividesLanes(const Loop &L)
{
    return any_of(L.blocks(), [](const BasicBlock *Block) {
        return any_of(*Block, [](const Instruction &I) { return I.isIntDivRem() && !isa<Constant>(I.getOperand(1)); });
    });
}

/* LLVM's costs decide about a loop that is left to it, but where all kinds of vectors have masks (AVX-512): for these they are too high.
   Where it has to compare more addresses than it would by itself, it is asked for vectors, too. */
void leave(Loop &L, LoopAccessInfoManager &Accesses)
{
    constexpr unsigned MostOfItself = 8; /* LLVM's -runtime-memory-check-threshold */
    if (hasMasks(*L.getHeader()->getParent()) && !dividesLanes(L))
        return;
    if (hasLoopMark(L, ParallelMark) || Accesses.getInfo(L).getNumRuntimePointerChecks() <= MostOfItself)
        leaveToCosts(L);
}

void leaveScalar(Loop &L)
{
    leaveToCosts(L);
    addLoopMark(L, VectorWidth, ConstantInt::get(Type::getInt32Ty(L.getHeader()->getContext()), 1));
}

/* What is left over is shorter than a vector, and stays as it is: loops that it has inside would be a lot of code for a few turns. */
void finishRest(Loop &L)
{
    for (Loop *Inner : L.getLoopsInPreorder())
        Inner->setLoopAlreadyUnrolled();
    LLVMContext &Context = L.getHeader()->getContext();
    L.setLoopID(makePostTransformationMetadata(Context, L.getLoopID(), {ItemsMark, "llvm.loop.vectorize."}, {}));
    addLoopMark(L, "llvm.loop.isvectorized", ConstantInt::get(Type::getInt32Ty(Context), 1));
}

} // namespace

bool vectorizeItems(Function &F, FunctionAnalysisManager &FAM)
{
    const auto Change = [&](Loop &L) {
        auto &Accesses = FAM.getResult<LoopAccessAnalysis>(F);
        const bool IsLeft = !Always && isLeft(L, FAM.getResult<TargetLibraryAnalysis>(F), Accesses);
        if (IsLeft)
            fitToRow(L, FAM.getResult<ScalarEvolutionAnalysis>(F), FAM.getResult<TargetIRAnalysis>(F));
        if (IsLeft && !hasMasks(F)) {
            leave(L, Accesses);
            return false;
        }
        formLCSSARecursively(L, FAM.getResult<DominatorTreeAnalysis>(F), &FAM.getResult<LoopAnalysis>(F),
                             &FAM.getResult<ScalarEvolutionAnalysis>(F));
        Vectorizer Made(F, L, FAM);
        const bool Is = Made.isPossible();
        if (IsLeft && !(Is && Made.hasBetterGroups())) {
            if (Is && Made.isScattered())
                leaveScalar(L);
            else
                leave(L, Accesses);
            return false;
        }
        if (Is)
            Made.emitAll();
        report(F, L, Made, Is);
        if (Is)
            finishRest(L);
        return Is;
    };
    renewBudget(F);
    return changeLoops(F, FAM, "teamwork.vectorized", Change);
}

} // namespace tw_compiler
