/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several rows of a group at once. A row of 16 work-items that add up in a loop is one vector, and each turn waits for the sum of the
 * turn before. So a loop over rows takes some of them together (unroll and jam):
 *
 *     for (y = 0; y < rows; y += 4)
 *         for (x = 0; x < 16; ++x)
 *             for each turn
 *                 the body for y, x; for y + 1, x; for y + 2, x; and for y + 3, x
 *
 * What is left of the rows goes by the loop as it was. Instructions go side by side, each for all rows before the next one, so that what
 * several rows read is read once. Work-items are independent between two barriers, so any order of them is right. All rows have
 * to take the same ways: there are no conditions but those of loops whose length no row changes.
 */
#include "parts.h"
#include "passes.h"

#include "analysis/accesses.h"
#include "analysis/predicates.h"
#include "base/contract.h"
#include "base/marks.h"
#include "diagnostics/remarks.h"
#include "utilities/budget.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostRows = 4, MostInJam = 600; /* MostInJam: instructions of all rows together */
constexpr unsigned LeastChain = 8;                /* operations, each of which waits for the one before */
constexpr unsigned UsualRow = 16;                 /* work-items of a row whose length is not known */

class Jam
{
  public:
    Jam(Function &F, Loop &L, LoopInfo &LI, ScalarEvolution &SE, const TargetTransformInfo &TTI)
        : F(F), L(L), LI(LI), SE(SE), TTI(TTI), Expand(SE, F.getParent()->getDataLayout(), "tw_jam")
    {
    }
    bool run();

  private:
    Function &F;
    Loop &L;
    LoopInfo &LI;
    ScalarEvolution &SE;
    const TargetTransformInfo &TTI;
    Expander Expand;
    Loop *Rows = nullptr;
    BasicBlock *Preheader = nullptr;
    unsigned Together = MostRows;
    unsigned Vectors = 1;            /* of a row, side by side */
    DenseSet<const Value *> Varying; /* instructions that rows may have different values of */

    bool isBefore(const SCEV *S)
    {
        return isBeforeLoop(S, *Rows, SE, Expand);
    }
    bool isSimple(Loop &K);
    bool isSuitable();
    bool isChain() const;
    bool pays();
    void findVarying();
    void jam();
};

/* Whether a loop is left at its end alone, after as many turns in each row. */
bool Jam::isSimple(Loop &K)
{
    if (!K.isLoopSimplifyForm() || K.getExitingBlock() != K.getLoopLatch() || !K.getExitBlock()
        || !isa<BranchInst>(K.getLoopLatch()->getTerminator()))
        return false;
    const SCEV *Turns = SE.getBackedgeTakenCount(&K);
    return !isa<SCEVCouldNotCompute>(Turns) && isBefore(Turns);
}

bool Jam::isSuitable()
{
    Rows = L.getParentLoop();
    if (!isRowOfGroup(L) || Rows->getSubLoops().size() != 1 || !Rows->isSafeToClone() || F.hasFnAttribute(CombinesNote))
        return false;
    Preheader = Rows->getLoopPreheader();
    if (!Preheader)
        return false;
    for (Loop *K : Rows->getLoopsInPreorder())
        if (!isSimple(*K))
            return false;
    if (!hasCountersAlone(*Rows, SE, Expand))
        return false;
    for (BasicBlock *Block : Rows->blocks()) {
        const auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
        if (!Branch || (Branch->isConditional() && LI.getLoopFor(Block)->getLoopLatch() != Block))
            return false;
        for (Instruction &I : *Block) {
            if (I.getType()->isTokenTy() || I.getType()->isVectorTy() || I.getType()->isAggregateType()
                || isa<AllocaInst>(I))
                return false;
            for (const User *U : I.users())
                if (!Rows->contains(cast<Instruction>(U)) && !(isa<PHINode>(U) && U->use_empty()))
                    return false;
            if (isa<LoadInst>(I) || isa<StoreInst>(I)) {
                if (I.isVolatile() || I.isAtomic())
                    return false;
            } else if (!isDropped(I)
                       && (I.mayReadOrWriteMemory() || I.mayHaveSideEffects()
                           || (isa<CallBase>(I) && cast<CallBase>(I).isConvergent())))
                return false;
        }
    }
    Accesses All(*Rows, SE);
    return areDistinct(*Rows, SE) && !All.sharedVariable();
}

/* Whether most of what a work-item computes, without loops, waits for what comes before. */
bool Jam::isChain() const
{
    unsigned Operations = 0, Longest = 0;
    DenseMap<const Value *, unsigned> Length;
    if (L.isInnermost() && L.getNumBlocks() == 1)
        for (const Instruction &I : *L.getHeader()) {
            if (!I.getType()->isFloatingPointTy() || isa<PHINode>(I) || isa<LoadInst>(I))
                continue;
            unsigned &Here = Length[&I];
            for (const Value *Operand : I.operands())
                Here = std::max(Here, Length.lookup(Operand));
            Here += 1;
            Longest = std::max(Longest, Here);
            ++Operations;
        }
    return Longest >= LeastChain && Operations <= 2 * Longest;
}

/* Whether work-items wait for their own sums, and all that rows have in registers fits there. */
bool Jam::pays()
{
    const unsigned Fixed = SE.getSmallConstantTripCount(&L), Length = Fixed ? Fixed : UsualRow;
    const uint64_t Register = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8;
    const unsigned Registers = TTI.getNumberOfRegisters(TTI.getRegisterClassForType(true));
    const unsigned Count = SE.getSmallConstantTripCount(Rows);
    if (Register == 0 || Length > 2 * UsualRow || Count == 1)
        return false;
    Accesses At(L, SE);
    uint64_t Sums = 0;         /* registers that they take */
    uint64_t Bytes = Register; /* the least that a work-item reads or writes */
    unsigned Instructions = 0;
    for (BasicBlock *Block : Rows->blocks()) {
        Loop *Of = LI.getLoopFor(Block);
        for (Instruction &I : *Block) {
            ++Instructions;
            if (L.contains(Block) && getLoadStorePointerOperand(&I) && At.isFar(I))
                return false;
            if (getLoadStorePointerOperand(&I))
                Bytes = std::min<uint64_t>(Bytes,
                                           SE.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)).getFixedValue());
            if (!isa<PHINode>(I) || Of == Rows || Of == &L || Block != Of->getHeader())
                continue;
            const auto *Around = dyn_cast<PHINode>(cast<PHINode>(I).getIncomingValueForBlock(Of->getLoopPreheader()));
            if (Around && Around->getParent() == Of->getParentLoop()->getHeader())
                continue; /* the sum of the loop around, which goes on in this one */
            if (!SE.isSCEVable(I.getType()) || !isa<SCEVAddRecExpr>(SE.getSCEV(&I)))
                Sums += divideCeil(SE.getDataLayout().getTypeAllocSize(I.getType()).getFixedValue() * Length, Register);
        }
    }
    const bool Chain = Sums == 0 && isChain();
    if (Chain)
        Sums = divideCeil(4 * Length, Register);
    if (Sums == 0)
        return false;
    while (Together > 1
           && (Together * Sums > Registers / 2 || Together * Instructions > MostInJam
               || Together * Length > MostRows * UsualRow || (Count && Count < Together)))
        Together /= 2;
    while (Chain && Fixed && Fixed * Bytes % (2 * Vectors * Register) == 0 && 2 * Vectors * Together <= Registers / 2)
        Vectors *= 2;
    return Together > 1;
}

/* What follows from the row. What is loaded may be another value later. */
void Jam::findVarying()
{
    SmallVector<const Instruction *, 32> Open;
    const auto Add = [&](const Instruction *I) {
        if (Rows->contains(I) && Varying.insert(I).second)
            Open.push_back(I);
    };
    for (PHINode &Phi : Rows->getHeader()->phis())
        Add(&Phi);
    for (BasicBlock *Block : Rows->blocks())
        for (Instruction &I : *Block)
            if (isa<LoadInst>(I) || isa<StoreInst>(I))
                Add(&I);
    while (!Open.empty())
        for (const User *U : Open.pop_back_val()->users())
            Add(cast<Instruction>(U));
}

void Jam::jam()
{
    findVarying();
    BasicBlock *Header = Rows->getHeader(), *Latch = Rows->getLoopLatch(), *Exit = Rows->getExitBlock();
    Instruction *Old = Preheader->getTerminator();
    const CountersOf Counted(*Rows, SE, Expand);
    const SCEV *Turns = SE.getBackedgeTakenCount(Rows);
    Value *Last = Expand.expandCodeFor(Turns, Turns->getType(), Old->getIterator());
    IRBuilder<> B(Old);
    Last = B.CreateZExt(isa<Constant>(Last) ? Last : B.CreateFreeze(Last), B.getInt64Ty());
    Value *Count = B.CreateAdd(Last, B.getInt64(1), "tw_rows");
    Value *Whole = B.CreateAnd(Count, B.getInt64(~uint64_t(Together - 1)));
    /* Preheader -> [Entry, some rows at a time] -> Behind -> [Rest, the loop as it was] -> Exit */
    BasicBlock *Entry = blockBefore(*Rows, "tw_jam");
    LoopBlocksRPO Order(Rows);
    Order.perform(&LI);
    std::vector<ValueToValueMapTy> Maps(Together);
    SmallVector<std::pair<Instruction *, unsigned>, 64> Copies;
    PHINode *Counter = nullptr;
    for (BasicBlock *Block : Order) {
        BasicBlock *New = blockBefore(*Rows, Block->getName() + ".jam");
        Maps[0][Block] = New;
    }
    BasicBlock *Behind = blockBefore(*Rows, "tw_jam_end"), *Rest = blockBefore(*Rows, "tw_rest");
    Maps[0][Preheader] = Entry;
    Maps[0][Exit] = Behind;
    for (BasicBlock *Block : Order) {
        auto *New = cast<BasicBlock>(Maps[0][Block]);
        B.SetInsertPoint(New);
        if (Block == Header) {
            Counter = B.CreatePHI(B.getInt64Ty(), 2, "tw_row");
            for (PHINode &Phi : Header->phis()) {
                auto *Copy = cast<PHINode>(B.Insert(Phi.clone()));
                Copies.push_back({Copy, 0});
                Maps[0][&Phi] = Copy;
            }
            for (PHINode &Phi : Header->phis())
                for (unsigned Row = 1; Row < Together; ++Row)
                    Maps[Row][&Phi] = Counted.moved(B, Phi, Maps[0][&Phi], B.getInt64(Row));
        }
        for (Instruction &I : *Block) {
            if (isDropped(I) || (isa<PHINode>(I) && Block == Header))
                continue;
            const bool Once = I.isTerminator() || !Varying.count(&I);
            for (unsigned Row = 0; Row < Together; ++Row) {
                if (Once && Row > 0) {
                    if (!I.isTerminator())
                        Maps[Row][&I] = Maps[0][&I];
                    continue;
                }
                Instruction *Copy = I.clone();
                Copy->setMetadata(LLVMContext::MD_noalias, nullptr);
                Copy->setMetadata(LLVMContext::MD_alias_scope, nullptr);
                B.Insert(Copy, I.getName());
                Maps[Row][&I] = Copy;
                Copies.push_back({Copy, Row});
            }
        }
    }
    for (auto [Copy, Row] : Copies) {
        for (Use &U : Copy->operands()) {
            Value *V = U.get();
            ValueToValueMapTy &Map = isa<BasicBlock>(V) ? Maps[0] : Maps[Row];
            if (auto At = Map.find(V); At != Map.end())
                U.set(At->second);
        }
        if (auto *Phi = dyn_cast<PHINode>(Copy))
            for (unsigned In = 0; In < Phi->getNumIncomingValues(); ++In)
                Phi->setIncomingBlock(In, cast<BasicBlock>(static_cast<Value *>(Maps[0][Phi->getIncomingBlock(In)])));
    }
    auto *End = cast<BasicBlock>(static_cast<Value *>(Maps[0][Latch]));
    auto *Branch = cast<BranchInst>(End->getTerminator());
    B.SetInsertPoint(Branch);
    Value *Next = B.CreateAdd(Counter, B.getInt64(Together), "", true, true);
    for (PHINode &Phi : Header->phis()) {
        auto *Copy = cast<PHINode>(static_cast<Value *>(Maps[0][&Phi]));
        Copy->setIncomingValueForBlock(End, Counted.moved(B, Phi, Copy, B.getInt64(Together)));
    }
    Counter->addIncoming(ConstantInt::get(Next->getType(), 0), Entry);
    Counter->addIncoming(Next, End);
    Branch->setCondition(Branch->getSuccessor(0) == Behind ? B.CreateICmpEQ(Next, Whole) : B.CreateICmpNE(Next, Whole));
    auto *Inner = cast<BasicBlock>(static_cast<Value *>(Maps[0][L.getLoopLatch()]));
    markLoop(Inner, JammedMark);
    if (Vectors > 1 && !hasLoopMark(L, InterleaveCount)) /* LLVM else takes the vectors of a row one behind the other */
        markLoop(Inner, InterleaveCount, B.getInt32(Vectors));
    B.SetInsertPoint(Entry);
    B.SetCurrentDebugLocation(Old->getDebugLoc());
    B.CreateBr(cast<BasicBlock>(static_cast<Value *>(Maps[0][Header])));
    B.SetInsertPoint(Old);
    B.CreateCondBr(B.CreateIsNotNull(Whole), Entry, Behind);
    Old->eraseFromParent();
    B.SetInsertPoint(Behind);
    B.CreateCondBr(B.CreateICmpNE(Whole, Count), Rest, Exit);
    B.SetInsertPoint(Rest);
    for (PHINode &Phi : Header->phis()) {
        Phi.setIncomingValueForBlock(Preheader, Counted.moved(B, Phi, Phi.getIncomingValueForBlock(Preheader), Whole));
        Phi.replaceIncomingBlockWith(Preheader, Rest);
    }
    B.CreateBr(Header);
    leaveFrom(*Rows, Behind, nullptr); /* nobody uses what the loop computes, by isSuitable() */
}

bool Jam::run()
{
    if (!isSuitable() || !pays())
        return false;
    jam();
    return true;
}

} // namespace

/* What several rows read is read once: they go by indices that are the same, though it is not written so. */
static bool shareLoads(Function &F, FunctionAnalysisManager &FAM)
{
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    bool Changed = false;
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
        if (!hasLoopMark(*L, JammedMark))
            continue;
        for (BasicBlock *Block : L->blocks()) {
            DenseMap<std::pair<const SCEV *, Type *>, LoadInst *> Known;
            for (Instruction &I : make_early_inc_range(*Block)) {
                auto *Load = dyn_cast<LoadInst>(&I);
                if (Load && Load->isSimple()) {
                    LoadInst *&First = Known[{SE.getSCEV(Load->getPointerOperand()), Load->getType()}];
                    if (First) {
                        combineMetadataForCSE(First, Load, false);
                        Load->replaceAllUsesWith(First);
                        Load->eraseFromParent();
                        Changed = true;
                    } else
                        First = Load;
                } else if (I.mayWriteToMemory() && !isDropped(I))
                    Known.clear();
            }
        }
    }
    return Changed;
}

/* Takes rows of the groups of a function's kernels together. */
bool jamRows(Function &F, FunctionAnalysisManager &FAM)
{
    const bool Changed = changeLoops(F, FAM, "teamwork.jam", [&](Loop &L) {
        const DebugLoc Where = L.getStartLoc();
        if (!Jam(F, L, FAM.getResult<LoopAnalysis>(F), FAM.getResult<ScalarEvolutionAnalysis>(F),
                 FAM.getResult<TargetIRAnalysis>(F))
                 .run())
            return false;
        tellRemark(F, {"teamwork-jam", "Jam", false, Where, Where},
                   "several rows of a group of kernel " + kernelOf(F) + " are taken together");
        return true;
    });
    if (Changed && shareLoads(F, FAM))
        FAM.invalidate(F, PreservedAnalyses::none());
    return Changed;
}

} // namespace tw_compiler
