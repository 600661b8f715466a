/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a group whose size is known at run time. Vector code for a length that is not known begins with whole vectors, as many at
 * once as suit a long loop, and most rows of groups end before that: 16 work-items on bytes never come to it. So a row is taken in
 * pieces of constant lengths, each of which the vectorizer makes straight code of:
 *
 *     pieces of 32 work-items, as many as there are       (or 16, for wider elements)
 *     one of 16, one of 8                                 if what is left has so many
 *     the rest, at most 7, one by one
 */
#include "edges.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{

/* Whether a loop over work-items is that over a row of a group of several dimensions. */
bool isRowOfGroup(const Loop &Items)
{
    return Items.getParentLoop() && hasLoopMark(*Items.getParentLoop(), RowsMark);
}

namespace
{

constexpr uint64_t LeastPiece = 8, UsualPiece = 16, MostPiece = 32;
constexpr unsigned MostInPieces = 400; /* instructions of the loop */

class Pieces
{
  public:
    Pieces(Function &F, Loop &L, ScalarEvolution &SE, const TargetTransformInfo &TTI)
        : F(F), L(L), SE(SE), TTI(TTI), Expand(SE, F.getParent()->getDataLayout(), "tw_piece")
    {
    }
    bool run();

  private:
    Function &F;
    Loop &L;
    ScalarEvolution &SE;
    const TargetTransformInfo &TTI;
    Expander Expand;
    BasicBlock *Preheader = nullptr;
    const SCEV *Turns = nullptr; /* but one */
    uint64_t Longest = UsualPiece;
    DenseMap<const PHINode *, Value *> Steps;

    bool isBefore(const SCEV *S)
    {
        return isBeforeLoop(S, L, SE, Expand);
    }
    bool isSuitable();
    bool isVectorCode();
    Value *moved(IRBuilder<> &B, const PHINode &Phi, Value *Init, Value *Turn);
    void piece(uint64_t Length, Value *First, BasicBlock *Entry, BasicBlock *Exit);
    void divide();
};

/* A loop of unknown length over a row, with counters alone. */
bool Pieces::isSuitable()
{
    BasicBlock *Latch = L.getLoopLatch();
    Preheader = L.getLoopPreheader();
    if (!isRowOfGroup(L) || !L.isInnermost() || !L.isLoopSimplifyForm() || !L.isSafeToClone()
        || L.getExitingBlock() != Latch || !L.getExitBlock() || !isa<BranchInst>(Latch->getTerminator())
        || SE.getSmallConstantTripCount(&L))
        return false;
    Turns = SE.getBackedgeTakenCount(&L);
    if (isa<SCEVCouldNotCompute>(Turns) || !isBefore(Turns))
        return false;
    if (!hasCountersAlone(L, SE, Expand))
        return false;
    return isVectorCode();
}

/* Whether vectors are to be expected: work-items touch neighbouring memory, and call nothing. */
bool Pieces::isVectorCode()
{
    Accesses At(L, SE);
    unsigned Instructions = 0, Touching = 0;
    uint64_t Narrowest = 8;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (++Instructions > MostInPieces || I.getType()->isTokenTy() || I.getType()->isVectorTy())
                return false;
            for (const User *U : I.users())
                if (!L.contains(cast<Instruction>(U)))
                    return false;
            if (!getLoadStorePointerOperand(&I)) {
                if (I.mayHaveSideEffects() && !isa<AssumeInst>(I) && !isa<NoAliasScopeDeclInst>(I))
                    return false;
                continue;
            }
            if (I.isVolatile() || I.isAtomic() || At.isFar(I))
                return false;
            const uint64_t Bytes = SE.getDataLayout().getTypeAllocSize(getLoadStoreType(&I)).getFixedValue();
            Narrowest = std::min(Narrowest, std::max<uint64_t>(Bytes, 1));
            ++Touching;
        }
    const uint64_t Register = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8;
    if (Register / Narrowest >= MostPiece)
        Longest = MostPiece;
    return Touching > 0;
}

/* What a counter is after so many turns. */
Value *Pieces::moved(IRBuilder<> &B, const PHINode &Phi, Value *Init, Value *Turn)
{
    Value *Step = Steps.lookup(&Phi);
    Value *By = B.CreateMul(B.CreateZExtOrTrunc(Turn, Step->getType()), Step);
    return Phi.getType()->isPointerTy() ? B.CreatePtrAdd(Init, By) : B.CreateAdd(Init, By);
}

/* A copy of the loop for the turns from `First` on. */
void Pieces::piece(uint64_t Length, Value *First, BasicBlock *Entry, BasicBlock *Exit)
{
    IRBuilder<> B(Entry);
    B.SetCurrentDebugLocation(L.getStartLoc());
    auto Made = copyLoop(L, Preheader, "piece", B.getInt64(0), B.getInt64(Length), Entry, Exit);
    for (PHINode &Phi : L.getHeader()->phis()) {
        Value *Init = Phi.getIncomingValueForBlock(Preheader);
        cast<PHINode>(Made->Map[&Phi])->setIncomingValueForBlock(Entry, moved(B, Phi, Init, First));
    }
    B.CreateBr(Made->Header);
}

void Pieces::divide()
{
    LLVMContext &Context = F.getContext();
    BasicBlock *Header = L.getHeader(), *Exit = L.getExitBlock();
    Instruction *Old = Preheader->getTerminator();
    for (PHINode &Phi : Header->phis()) {
        const SCEV *Step = cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))->getStepRecurrence(SE);
        Steps[&Phi] = Expand.expandCodeFor(Step, Step->getType(), Old->getIterator());
    }
    Value *Last = Expand.expandCodeFor(Turns, Turns->getType(), Old->getIterator());
    IRBuilder<> B(Old);
    Last = B.CreateZExt(isa<Constant>(Last) ? Last : B.CreateFreeze(Last), B.getInt64Ty());
    Value *Count = B.CreateAdd(Last, B.getInt64(1), "tw_count");
    const auto Whole = [&](uint64_t Length) { return B.CreateAnd(Count, B.getInt64(~(Length - 1))); };
    const auto NewBlock = [&](const char *Name) { return BasicBlock::Create(Context, Name, &F, Header); };
    SmallVector<Value *, 4> Begin; /* of the pieces of each length, and of the rest */
    for (uint64_t Length = Longest; Length >= LeastPiece; Length /= 2)
        Begin.push_back(Whole(Length));
    /* many of the longest */
    BasicBlock *Many = NewBlock("tw_pieces"), *ManyEnd = NewBlock("tw_pieces_end"), *Next = NewBlock("tw_left");
    B.CreateCondBr(B.CreateIsNotNull(Begin[0]), Many, Next);
    Old->eraseFromParent();
    B.SetInsertPoint(Many);
    PHINode *First = B.CreatePHI(B.getInt64Ty(), 2, "tw_first");
    First->addIncoming(B.getInt64(0), Preheader);
    piece(Longest, First, Many, ManyEnd);
    B.SetInsertPoint(ManyEnd);
    Value *Further = B.CreateAdd(First, B.getInt64(Longest), "", true, true);
    First->addIncoming(Further, ManyEnd);
    B.CreateCondBr(B.CreateICmpEQ(Further, Begin[0]), Next, Many);
    /* one of each of the others */
    unsigned At = 0;
    for (uint64_t Length = Longest / 2; Length >= LeastPiece; Length /= 2, ++At) {
        BasicBlock *One = NewBlock("tw_piece"), *Behind = NewBlock("tw_left");
        B.SetInsertPoint(Next);
        B.CreateCondBr(B.CreateIsNotNull(B.CreateAnd(Count, B.getInt64(Length))), One, Behind);
        BasicBlock *OneEnd = NewBlock("tw_piece_end");
        piece(Length, Begin[At], One, OneEnd);
        BranchInst::Create(Behind, OneEnd);
        Next = Behind;
    }
    /* the rest goes by the loop as it was */
    BasicBlock *Rest = NewBlock("tw_rest");
    B.SetInsertPoint(Next);
    B.CreateCondBr(B.CreateICmpNE(Begin[At], Count), Rest, Exit);
    B.SetInsertPoint(Rest);
    for (PHINode &Phi : Header->phis()) {
        Phi.setIncomingValueForBlock(Preheader, moved(B, Phi, Phi.getIncomingValueForBlock(Preheader), Begin[At]));
        Phi.replaceIncomingBlockWith(Preheader, Rest);
    }
    B.CreateBr(Header);
    for (PHINode &Phi : Exit->phis()) /* nothing that comes from the loop, by isVectorCode() */
        Phi.addIncoming(Phi.getIncomingValueForBlock(L.getLoopLatch()), Next);
    MDNode *Off = MDNode::get(Context, {MDString::get(Context, "llvm.loop.vectorize.width"),
                                        ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), 1))});
    MDNode *Single = MDNode::get(Context, {MDString::get(Context, InterleaveCount),
                                           ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), 1))});
    MDNode *Kept = MDNode::get(Context, MDString::get(Context, "llvm.loop.unroll.disable"));
    L.setLoopID(makePostTransformationMetadata(Context, L.getLoopID(), {"llvm.loop.vectorize."}, {Off, Single, Kept}));
}

bool Pieces::run()
{
    if (!isSuitable())
        return false;
    divide();
    return true;
}

} // namespace

bool takePieces(Function &F, FunctionAnalysisManager &FAM)
{
    return changeLoops(F, FAM, "teamwork.pieces", [&](Loop &L) {
        const DebugLoc Where = L.getStartLoc();
        if (!Pieces(F, L, FAM.getResult<ScalarEvolutionAnalysis>(F), FAM.getResult<TargetIRAnalysis>(F)).run())
            return false;
        tellRemark(F, {"teamwork-pieces", "Pieces", false, Where, Where},
                   "rows of groups of kernel " + kernelOf(F)
                       + " are taken in pieces, since their length is not known when compiling: a size of the groups in"
                         " the definition, or a constant range of the loop, would tell it");
        return true;
    });
}

} // namespace tw_compiler
