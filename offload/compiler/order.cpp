/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory in order. On a GPU neighbours access neighbours, so a work-item that has two numbers has one in each half of its group's part:
 *
 *     part[i] = in[first + i] + in[first + i + 256]           (256 work-items)
 *
 * A thread that runs the group goes through both halves in turns. Prefetchers of processors follow one stream in a page of memory: such
 * a sum of numbers that are in no cache took three times as long as one in the order of memory, and what is written in two streams four
 * times. So a loop in front of the work-items touches, in that order, what they access: one load for each line of the cache.
 */
#include "compiler.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr int64_t Line = 64;          /* bytes of a line */
constexpr int64_t LeastStream = 512;  /* bytes of a stream: in shorter ones, the next one is at hand */
constexpr int64_t MostTouched = 8192; /* bytes: what longer streams wait for goes on meanwhile */

/* What a loop accesses in memory, from a place on that only a constant may be added to. */
struct Row {
    const SCEV *From;
    int64_t Step;                 /* bytes from one work-item to the next */
    SmallVector<int64_t, 8> At;   /* where the first work-item accesses something */
    int64_t Begin = 0, Bytes = 0; /* what all work-items access without a gap */
};

/* The rows of memory that all work-items access, whatever they compute. */
std::vector<Row> accessed(Loop &L, ScalarEvolution &SE, const DominatorTree &DT)
{
    std::vector<Row> Rows;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (!isGuaranteedToTransferExecutionToSuccessor(&I))
                return {};
            Value *Address = getLoadStorePointerOperand(&I);
            if (!Address || I.isVolatile() || I.isAtomic() || isLocal(Address)
                || !DT.dominates(Block, L.getLoopLatch()))
                continue;
            const auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Address));
            const auto *By = Rec && Rec->getLoop() == &L && Rec->isAffine()
                                 ? dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE))
                                 : nullptr;
            if (!By || By->getAPInt().isNegative() || By->getAPInt().ugt(Line) || !By->getAPInt().isPowerOf2())
                continue;
            const int64_t Step = By->getAPInt().getSExtValue();
            const SCEVConstant *Behind = nullptr;
            const auto Same = find_if(Rows, [&](const Row &R) {
                Behind = R.Step == Step ? dyn_cast<SCEVConstant>(SE.getMinusSCEV(Rec->getStart(), R.From)) : nullptr;
                return Behind;
            });
            if (Same == Rows.end())
                Rows.push_back({Rec->getStart(), Step, {0}});
            else
                Same->At.push_back(Behind->getAPInt().getSExtValue());
        }
    return Rows;
}

/* Whether a row has several streams, each of which begins where the one before ends; finds where it begins and how long it is. */
bool isInStreams(Row &Of, int64_t Items)
{
    const int64_t Stream = Items * Of.Step;
    if (Stream < LeastStream || Stream > MostTouched || Stream % Line)
        return false;
    sort(Of.At);
    Of.Begin = Of.At[0];
    int64_t Last = Of.Begin;
    for (const int64_t At : Of.At) {
        if (At - Last == Stream)
            Last = At;
        else if (At - Last >= Of.Step) /* no other element of the same stream */
            return false;
    }
    Of.Bytes = Last + Stream - Of.Begin;
    return Last > Of.Begin && Of.Bytes <= MostTouched;
}

/* Writes the loop that touches so many bytes. */
void touch(Loop &L, Value *First, uint64_t Bytes)
{
    BasicBlock *Before = L.getLoopPreheader(), *Header = L.getHeader();
    Function &F = *Header->getParent();
    LLVMContext &Context = F.getContext();
    Instruction *End = Before->getTerminator();
    IRBuilder<> B(Context);
    auto *Body = BasicBlock::Create(Context, "tw_touch", &F, Header),
         *After = BasicBlock::Create(Context, "tw_touched", &F, Header);
    End->replaceSuccessorWith(Header, Body);
    Header->replacePhiUsesWith(Before, After);
    BranchInst::Create(Header, After)->setDebugLoc(End->getDebugLoc());
    B.SetInsertPoint(Body);
    B.SetCurrentDebugLocation(L.getStartLoc());
    PHINode *At = B.CreatePHI(B.getInt64Ty(), 2);
    B.CreateAlignedLoad(B.getInt8Ty(), B.CreateGEP(B.getInt8Ty(), First, At), Align(1), /*isVolatile=*/true);
    Value *Next = B.CreateAdd(At, B.getInt64(Line), "", true, true);
    Instruction *Back = B.CreateCondBr(B.CreateICmpEQ(Next, B.getInt64(Bytes)), After, Body);
    At->addIncoming(B.getInt64(0), Before);
    At->addIncoming(Next, Body);
    MDNode *Once = MDNode::getDistinct(
        Context, {nullptr, MDNode::get(Context, MDString::get(Context, "llvm.loop.unroll.disable"))});
    Once->replaceOperandWith(0, Once);
    Back->setMetadata(LLVMContext::MD_loop, Once);
}

} // namespace

bool touchInOrder(Function &F, FunctionAnalysisManager &FAM)
{
    if (F.hasOptSize())
        return false;
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    struct Touched {
        Loop *L;
        Value *First;
        uint64_t Bytes;
    };
    SmallVector<Touched, 4> All;
    Expander Expand(SE, SE.getDataLayout(), "tw_first");
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
        const unsigned Items = SE.getSmallConstantTripCount(L);
        if (!hasLoopMark(*L, ItemsMark) || !L->isInnermost() || !Items || !L->getLoopPreheader()
            || L->getExitingBlock() != L->getLoopLatch())
            continue;
        Instruction *Before = L->getLoopPreheader()->getTerminator();
        for (Row &Of : accessed(*L, SE, DT))
            if (isInStreams(Of, Items) && Expand.isSafeToExpandAt(Of.From, Before)) {
                Value *From = Expand.expandCodeFor(Of.From, Of.From->getType(), Before->getIterator());
                IRBuilder<> B(Before);
                All.push_back({L, B.CreateConstGEP1_64(B.getInt8Ty(), From, uint64_t(Of.Begin)), uint64_t(Of.Bytes)});
            }
    }
    OptimizationRemarkEmitter Emitter(&F);
    for (const Touched &Each : All) {
        Emitter.emit(OptimizationRemark("teamwork-order", "Order", Each.L->getStartLoc(), Each.L->getHeader())
                     << "work-items of kernel " << kernelOf(F)
                     << " access memory in several streams: it is touched in order first");
        touch(*Each.L, Each.First, Each.Bytes);
    }
    return !All.empty();
}

} // namespace tw_compiler
