/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work-items of which only every second does anything, as the points of one colour of a chequered grid, or every 32nd, as the first of
 * each row. Vectors of all of them would be idle for the most part.
 *
 *     for each work-item
 *         if ((index + row) % 2 == color)
 *             body
 *
 * takes steps of two, from the first work-item on for which that holds. Such steps take gathers, or shuffles, and stores of single
 * elements. So if the body changes an element in place, and reads both of its neighbours as a relaxation does, work-items stay side by
 * side: those that are idle write what was there. All of these elements are read by others, so no other thread may write to them.
 */
#include "edges.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tw_split
{
namespace
{

constexpr unsigned MostInSkip = 1000;  /* instructions */
constexpr unsigned LeastOfVector = 4;  /* turns that are left, if they are to be vectors */
constexpr uint64_t MostTogether = 4;   /* vectors */
constexpr unsigned MostBits = 8;       /* of the index that tell who does something */
constexpr unsigned LeastWithMasks = 4; /* such bits, where the processor has masks: with fewer, masks are as fast */

/* The low bits of an index are those of Value, or all of the work that a turn does is not done. */
struct Skip {
    BranchInst *Branch;
    bool Then;                /* what its condition is for those who work */
    const SCEVAddRecExpr *Of; /* the index */
    Value *Is;
    unsigned Bits;
    bool Signed; /* a remainder of signed numbers: the index must not be negative */
    bool Other;  /* of one bit: not that of Value */
};

class Skipper
{
  public:
    Skipper(Function &F, Loop &L, ScalarEvolution &SE, const DominatorTree &DT, LoopInfo &LI, uint64_t Register)
        : F(F), L(L), SE(SE), DT(DT), LI(LI), Register(Register), DL(F.getParent()->getDataLayout())
    {
    }
    bool run();

  private:
    Function &F;
    Loop &L;
    ScalarEvolution &SE;
    const DominatorTree &DT;
    LoopInfo &LI;
    const uint64_t Register; /* for vectors, in bytes */
    const DataLayout &DL;

    bool isSuitable();
    const SCEVAddRecExpr *indexOf(Value *Masked, Skip &S);
    std::optional<Skip> skipOf(BranchInst &Branch);
    bool decides(const Skip &S) const;
    StoreInst *inPlace(const Skip &S);
    SmallVector<Instruction *, 8> Addresses; /* compute where that is stored, behind the condition */
    void writeAlways(const Skip &S, Copy &Made, StoreInst &Store);
    void write(const Skip &S);
};

bool Skipper::isSuitable()
{
    const BasicBlock *Latch = L.getLoopLatch();
    const Expander Expand(SE, DL, "tw");
    if (!L.isInnermost() || !L.isLoopSimplifyForm() || L.getExitingBlock() != Latch || !L.getExitBlock()
        || !isa<BranchInst>(Latch->getTerminator()))
        return false;
    const SCEV *Turns = SE.getBackedgeTakenCount(&L);
    return !isa<SCEVCouldNotCompute>(Turns) && isBeforeLoop(Turns, L, SE, Expand) && isClosed(L, MostInSkip)
           && hasCountersAlone(L, SE, Expand);
}

/* The index that has low bits in a value, if it goes on by odd steps. */
const SCEVAddRecExpr *Skipper::indexOf(Value *Masked, Skip &S)
{
    Value *Of, *A, *B;
    const APInt *By;
    if (match(Masked, m_And(m_Value(Of), m_APInt(By))) && By->isMask())
        S.Bits = By->countTrailingOnes();
    else if (match(Masked, m_SRem(m_Value(Of), m_APInt(By))) && By->isStrictlyPositive() && By->isPowerOf2()) {
        S.Bits = By->logBase2();
        S.Signed = true;
    } else
        return nullptr;
    if (S.Bits == 0 || S.Bits > MostBits || S.Bits >= Of->getType()->getScalarSizeInBits())
        return nullptr;
    const SCEV *Index = SE.getSCEV(Of);
    if (S.Bits == 1 && !S.Signed && match(Of, m_Xor(m_Value(A), m_Value(B)))) /* the same bit as that of the sum */
        Index = SE.getAddExpr(SE.getSCEV(A), SE.getSCEV(B));
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(Index);
    const auto *Step = Rec && Rec->isAffine() ? dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE)) : nullptr;
    if (!Step || Rec->getLoop() != &L || !Step->getAPInt()[0]
        || !isBeforeLoop(Rec->getStart(), L, SE, Expander(SE, DL, "tw")))
        return nullptr;
    return !S.Signed || Step->isOne() ? Rec : nullptr;
}

std::optional<Skip> Skipper::skipOf(BranchInst &Branch)
{
    auto *Compare = Branch.isConditional() ? dyn_cast<ICmpInst>(Branch.getCondition()) : nullptr;
    if (!Compare || !Compare->isEquality() || !Compare->getOperand(0)->getType()->isIntegerTy()
        || Branch.getSuccessor(0) == Branch.getSuccessor(1) || Branch.getParent() == L.getLoopLatch())
        return {};
    for (unsigned Left : {0u, 1u}) {
        Skip S{&Branch, true, nullptr, Compare->getOperand(1 - Left), 0, false, false};
        S.Of = L.isLoopInvariant(S.Is) ? indexOf(Compare->getOperand(Left), S) : nullptr;
        for (bool Then : {true, false}) {
            S.Then = Then;
            S.Other = (Compare->getPredicate() == CmpInst::ICMP_EQ) != Then;
            if (S.Of && (S.Bits == 1 || !S.Other) && (S.Bits >= LeastWithMasks || !hasMasks(F)) && decides(S))
                return S;
        }
    }
    return {};
}

/* Whether the others have no effect. */
bool Skipper::decides(const Skip &S) const
{
    const BasicBlockEdge Edge(S.Branch->getParent(), S.Branch->getSuccessor(S.Then ? 0 : 1));
    bool Works = false;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (!I.mayHaveSideEffects() || isDropped(I))
                continue;
            if (!DT.dominates(Edge, Block))
                return false;
            Works = true;
        }
    return Works;
}

/* The only store of the loop, if it is to an element of which every second work-item that there is reads both neighbours. */
StoreInst *Skipper::inPlace(const Skip &S)
{
    BasicBlock *Fork = S.Branch->getParent(), *Then = S.Branch->getSuccessor(S.Then ? 0 : 1);
    BasicBlock *Join = S.Branch->getSuccessor(S.Then ? 1 : 0);
    if (S.Bits != 1 || SE.getSmallConstantTripCount(&L) < 2 || Then->getSinglePredecessor() != Fork
        || Then->getSingleSuccessor() != Join || !Join->hasNPredecessors(2) || !DT.dominates(Fork, L.getLoopLatch()))
        return nullptr;
    StoreInst *Store = nullptr;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (!I.mayReadOrWriteMemory() || isDropped(I))
                continue;
            auto *Load = dyn_cast<LoadInst>(&I);
            if (Store || (Load ? !Load->isSimple() : !isa<StoreInst>(I) || !cast<StoreInst>(I).isSimple()))
                return nullptr;
            Store = dyn_cast<StoreInst>(&I);
        }
    if (!Store || Store->getParent() != Then)
        return nullptr;
    Type *T = Store->getValueOperand()->getType();
    const SCEV *Where = SE.getSCEV(Store->getPointerOperand());
    const std::optional<int64_t> Step = Accesses(L, SE).growth(Where);
    const auto IsRead = [&](int64_t By) {
        const SCEV *At = SE.getAddExpr(Where, SE.getConstant(Type::getInt64Ty(F.getContext()), uint64_t(By), true));
        return any_of(*Then, [&](Instruction &I) {
            return isa<LoadInst>(I) && I.getType() == T && SE.getSCEV(getLoadStorePointerOperand(&I)) == At;
        });
    };
    SmallSetVector<Instruction *, 8> Moved;
    const auto Add = [&](Value *V) {
        if (auto *I = dyn_cast<Instruction>(V); I && I->getParent() == Then)
            Moved.insert(I);
    };
    Add(Store->getPointerOperand());
    for (size_t I = 0; I < Moved.size(); ++I)
        for_each(Moved[I]->operands(), Add);
    Addresses.clear();
    for (Instruction &I : *Then)
        if (Moved.contains(&I)) {
            if (isa<PHINode>(I) || I.mayReadFromMemory() || !isSafeToSpeculativelyExecute(&I))
                return nullptr;
            Addresses.push_back(&I);
        }
    return Step && *Step == int64_t(DL.getTypeStoreSize(T).getFixedValue()) && IsRead(*Step) && IsRead(-*Step)
                   && isWrittenInSteps(Store->getPointerOperand(), F, SE, LI)
               ? Store
               : nullptr;
}

/* In the copy all work-items store. */
void Skipper::writeAlways(const Skip &S, Copy &Made, StoreInst &Old)
{
    auto *Store = cast<StoreInst>(static_cast<Value *>(Made.Map[&Old]));
    auto *Branch = cast<BranchInst>(static_cast<Value *>(Made.Map[S.Branch]));
    BasicBlock *Fork = Branch->getParent(), *Then = Store->getParent(), *Join = Then->getSingleSuccessor();
    for (Instruction *I : Addresses) {
        auto *Moved = cast<Instruction>(static_cast<Value *>(Made.Map[I]));
        Moved->moveBefore(*Fork, Branch->getIterator());
        Moved->dropPoisonGeneratingFlags();
    }
    auto *Before = new LoadInst(Old.getValueOperand()->getType(), Store->getPointerOperand(), "tw_before", false,
                                Store->getAlign(), Branch->getIterator());
    Before->setAAMetadata(Store->getAAMetadata());
    Before->setDebugLoc(Store->getDebugLoc());
    PHINode *Phi = PHINode::Create(Before->getType(), 2, "tw_always", Join->begin());
    Phi->addIncoming(Store->getValueOperand(), Then);
    Phi->addIncoming(Before, Fork);
    Store->setOperand(0, Phi);
    Store->moveBefore(*Join, Join->getFirstInsertionPt());
    /* all is read before anything is stored: a vector that begins with the end of one which was just stored waits until that is in the cache */
    const uint64_t Lanes = std::max<uint64_t>(Register / DL.getTypeStoreSize(Before->getType()).getFixedValue(), 1);
    const uint64_t Together = std::clamp<uint64_t>(SE.getSmallConstantTripCount(&L) / Lanes, 1, MostTogether);
    MDNode *Count = MDNode::get(
        F.getContext(), {MDString::get(F.getContext(), "llvm.loop.interleave.count"),
                         ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(F.getContext()), Together))});
    Instruction *Back = Made.Latch->getTerminator();
    Back->setMetadata(LLVMContext::MD_loop,
                      makePostTransformationMetadata(F.getContext(), Back->getMetadata(LLVMContext::MD_loop),
                                                     {"llvm.loop.interleave."}, {Count}));
}

void Skipper::write(const Skip &S)
{
    BasicBlock *Preheader = L.getLoopPreheader(), *Exit = L.getExitBlock(), *Header = L.getHeader();
    const DebugLoc Where = Preheader->getTerminator()->getDebugLoc();
    Instruction *At = Preheader->getTerminator();
    IRBuilder<> B(At);
    Expander Expand(SE, DL, "tw_skip");
    const auto Expanded = [&](const SCEV *Of) {
        Value *V = Expand.expandCodeFor(Of, Of->getType(), At->getIterator());
        B.SetInsertPoint(At);
        return V;
    };
    auto *T = cast<IntegerType>(S.Of->getType());
    const APInt Mask = APInt::getLowBitsSet(T->getBitWidth(), S.Bits);
    const APInt Step = cast<SCEVConstant>(S.Of->getStepRecurrence(SE))->getAPInt();
    Value *Start = B.CreateFreeze(Expanded(S.Of->getStart())), *Is = B.CreateFreeze(S.Is);
    Value *Turns = B.CreateZExt(B.CreateFreeze(Expanded(SE.getBackedgeTakenCount(&L))), B.getInt64Ty());
    Value *IsBits = B.CreateICmpULE(Is, ConstantInt::get(Is->getType(), Mask));
    Value *Good = B.CreateICmpNE(Turns, B.getInt64(UINT64_MAX));
    if (S.Other) { /* of any other value, all differ */
        Good = B.CreateAnd(Good, IsBits);
        Is = B.CreateXor(Is, ConstantInt::get(Is->getType(), 1));
        IsBits = B.getTrue();
    }
    if (S.Signed) { /* neither the first nor the last one is negative; the step is 1 */
        const APInt Most = APInt::getSignedMaxValue(T->getBitWidth());
        Good = B.CreateAnd(Good, B.CreateICmpSGE(Start, ConstantInt::get(T, 0)));
        Good = B.CreateAnd(
            Good, B.CreateICmpULE(Turns, B.CreateZExt(B.CreateSub(ConstantInt::get(T, Most), Start), B.getInt64Ty())));
    }
    /* Step has an inverse modulo a power of two, as it is odd */
    Value *From = B.CreateMul(B.CreateSub(Is, Start), ConstantInt::get(T, Step.multiplicativeInverse()));
    From = B.CreateZExt(B.CreateAnd(From, ConstantInt::get(T, Mask)), B.getInt64Ty());
    StoreInst *InPlace = inPlace(S);
    const uint64_t Rest = Mask.getZExtValue();
    const unsigned Fixed = SE.getSmallConstantTripCount(&L);
    Value *Count =
        InPlace ? B.getInt64(Fixed)
        : Fixed && (Fixed & Rest) == 0
            ? B.getInt64(Fixed >> S.Bits)
            : B.CreateLShr(B.CreateAdd(B.CreateAdd(Turns, B.getInt64(1)), B.CreateSub(B.getInt64(Rest), From)), S.Bits);
    const auto NewBlock = [&](const char *Name) { return BasicBlock::Create(F.getContext(), Name, &F, Header); };
    BasicBlock *Ask = NewBlock("tw_skips"), *Entry = NewBlock("tw_skip"), *End = NewBlock("tw_skip_end"),
               *Old = NewBlock("tw_no_skip");
    auto Made = copyLoop(L, Preheader, "skip", B.getInt64(0), Count, Entry, End);
    IRBuilder<> Here(&*Made->Header->getFirstInsertionPt());
    Value *Turn = Here.CreateAdd(From, Here.CreateShl(Made->Counter, S.Bits));
    if (InPlace)
        writeAlways(S, *Made, *InPlace);
    for (PHINode &Phi : Header->phis()) {
        if (InPlace)
            break;
        const SCEV *By = cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))->getStepRecurrence(SE);
        Value *Passed = Here.CreateMul(Here.CreateZExtOrTrunc(Turn, By->getType()), Expanded(By));
        Value *Begin = Phi.getIncomingValueForBlock(Preheader);
        auto *Copied = cast<PHINode>(static_cast<Value *>(Made->Map[&Phi]));
        Copied->replaceAllUsesWith(Phi.getType()->isPointerTy() ? Here.CreatePtrAdd(Begin, Passed)
                                                                : Here.CreateAdd(Begin, Passed));
        Copied->eraseFromParent();
    }
    if (!InPlace)
        cast<BranchInst>(static_cast<Value *>(Made->Map[S.Branch]))->setCondition(B.getInt1(S.Then));
    B.CreateCondBr(Good, Ask, Old)->setDebugLoc(Where);
    At->eraseFromParent();
    B.SetInsertPoint(Ask);
    B.CreateCondBr(B.CreateAnd(IsBits, B.CreateIsNotNull(Count)), Entry, Exit)->setDebugLoc(Where);
    const auto Jump = [&](BasicBlock *Source, BasicBlock *To) { BranchInst::Create(To, Source)->setDebugLoc(Where); };
    Jump(Entry, Made->Header);
    Jump(End, Exit);
    Jump(Old, Header);
    for (PHINode &Phi : Header->phis())
        Phi.replaceIncomingBlockWith(Preheader, Old);
    for (PHINode &Phi : Exit->phis()) { /* what comes from the loop is not used, by isClosed() */
        Value *V = Phi.getIncomingValueForBlock(L.getLoopLatch());
        if (auto *I = dyn_cast<Instruction>(V); I && L.contains(I))
            V = PoisonValue::get(Phi.getType());
        Phi.addIncoming(V, Ask);
        Phi.addIncoming(V, End);
    }
}

bool Skipper::run()
{
    if (!isSuitable())
        return false;
    const unsigned Fixed = SE.getSmallConstantTripCount(&L);
    for (BasicBlock *Block : L.blocks())
        if (auto *Branch = dyn_cast<BranchInst>(Block->getTerminator()))
            if (const std::optional<Skip> S = skipOf(*Branch);
                S && (!Fixed || S->Bits >= LeastWithMasks || (Fixed >> S->Bits) >= LeastOfVector)) {
                write(*S);
                return true;
            }
    return false;
}

} // namespace

bool skipIdle(Function &F, FunctionAnalysisManager &FAM)
{
    const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
    const uint64_t Register = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8;
    return changeLoops(F, FAM, "teamwork.skips", [&](Loop &L) {
        if (!Skipper(F, L, FAM.getResult<ScalarEvolutionAnalysis>(F), FAM.getResult<DominatorTreeAnalysis>(F),
                     FAM.getResult<LoopAnalysis>(F), Register)
                 .run())
            return false;
        OptimizationRemarkEmitter Emitter(&F);
        Emitter.emit(OptimizationRemark("teamwork-skips", "Skips", L.getStartLoc(), L.getHeader())
                     << "few work-items of kernel " << kernelOf(F)
                     << " do anything, at equal distances: the others are left out");
        return true;
    });
}

} // namespace tw_split
