/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges of loops over work-items. A condition on the index that holds for all but the first and last work-items of a row keeps the
 * whole row from becoming plain vector code. So the loop is divided in three:
 *
 *     the first `Lo` turns            as they were
 *     those up to, not including, `Hi`  every such condition is a constant, and a 32-bit index does not wrap around
 *     the rest                        as they were
 *
 * `Lo` and `Hi` are computed in front of the loop. The turns keep their order, so any loop may be treated so. What is looked at:
 * comparisons of a * index + b with what the loop does not change, also inside of loops of constant steps in the body; minima, maxima
 * and remainders of the same; and extensions of an index of 32 bits to 64.
 */
#include "split.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_split
{
namespace
{

constexpr unsigned MostInstructions = 2000; /* of a loop that is divided */
constexpr unsigned MostConditions = 64;
constexpr uint64_t LeastTurns = 32; /* below, the arithmetic costs more than it saves */
constexpr uint64_t LeastWithLoops = 4;
constexpr int64_t MostStep = 1 << 16;
constexpr uint64_t Endless = uint64_t(1) << 62;

/* A value as Start + Step * turn of the loop + steps of loops inside, modulo 2 to its width. */
struct Affine {
    const SCEV *Start = nullptr;
    int64_t Step = 0;
    SmallVector<std::pair<const SCEV *, int64_t>, 2> Inner; /* turns but one of a loop inside, and its step */
};

/* What is to be constant between Lo and Hi. */
struct Condition {
    Instruction *I;       /* is replaced there */
    Affine Of;            /* that lies in 0 to Last, inclusively, after Shift was added */
    const SCEV *Shift;    /* of the width of Of */
    const SCEV *Last;     /* the same */
    const SCEV *NotZero;  /* if this is 0 the range is empty; may be null */
    bool Inside;          /* whether that is what holds between Lo and Hi, or its contrary */
    Value *Then;          /* what stands for it there; null: an extension of an index */
    const SCEV *Positive; /* must be greater than 0, or null */
    Value *Start = nullptr; /* of an extension: Of.Start */
};

class Divider
{
  public:
    Divider(Function &F, Loop &L, ScalarEvolution &SE, DominatorTree &DT, LoopInfo &LI)
        : F(F), L(L), SE(SE), DT(DT), LI(LI), DL(F.getParent()->getDataLayout()), Context(F.getContext())
    {
    }
    bool run();

  private:
    Function &F;
    Loop &L;
    ScalarEvolution &SE;
    DominatorTree &DT;
    LoopInfo &LI;
    const DataLayout &DL;
    LLVMContext &Context;
    SmallVector<Condition, 16> Conditions;
    SmallVector<std::pair<Value *, bool>, 8> Unchanging; /* conditions that the loop does not change, and their likely value */
    const SCEV *Turns = nullptr;                         /* but one */
    DenseMap<const PHINode *, Value *> Steps; /* of the loop's counters */
    BasicBlock *Preheader = nullptr;
    Value *Count = nullptr, *Lo = nullptr, *Hi = nullptr; /* Count: turns but one */

    bool isSuitable();
    bool isBefore(const SCEV *S) const;
    std::optional<Affine> affine(Value *V);
    unsigned weight(const BasicBlock *From, const BasicBlock *To) const;
    std::optional<bool> likelyOf(const Value *Condition, const Value *Compared, unsigned Depth);
    void addCompare(ICmpInst &Compare);
    void addExtreme(IntrinsicInst &Call);
    void addRemainder(BinaryOperator &Rest);
    void addExtension(CastInst &Cast);
    void collect();
    Value *narrow(IRBuilder<> &B, Expander &Expand, const SCEV *S, Instruction *At);
    void limit(IRBuilder<> &B, Expander &Expand, Condition &C, Instruction *At);
    void computeLimits();
    struct Copy {
        ValueToValueMapTy Map;
        SmallVector<BasicBlock *, 16> Blocks;
        BasicBlock *Header, *Latch;
        PHINode *Counter;
    };
    std::unique_ptr<Copy> copy(StringRef Name, Value *From, Value *Past, BasicBlock *Entry, BasicBlock *Exit);
    void settle(Copy &Interior);
    void divide();
};

/* A loop with one exit at its end, of a known number of turns, which leaves no value behind. */
bool Divider::isSuitable()
{
    BasicBlock *Latch = L.getLoopLatch();
    Preheader = L.getLoopPreheader();
    if (!L.isLoopSimplifyForm() || !L.isSafeToClone() || L.getExitingBlock() != Latch || !L.getExitBlock()
        || L.getExitBlock()->getSinglePredecessor() != Latch || !isa<BranchInst>(Latch->getTerminator()))
        return false;
    Turns = SE.getBackedgeTakenCount(&L);
    if (isa<SCEVCouldNotCompute>(Turns) || !isBefore(Turns) || SE.getTypeSizeInBits(Turns->getType()) > 64)
        return false;
    if (SE.getUnsignedRangeMax(Turns).ult((L.isInnermost() ? LeastTurns : LeastWithLoops) - 1))
        return false;
    unsigned Instructions = 0;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (++Instructions > MostInstructions || I.getType()->isTokenTy())
                return false;
            for (const User *U : I.users())
                if (!L.contains(cast<Instruction>(U)) && !(isa<PHINode>(U) && U->use_empty()))
                    return false;
        }
    return true;
}

bool Divider::isBefore(const SCEV *S) const
{
    return SE.isLoopInvariant(S, &L)
           && Expander(SE, DL, "tw").isSafeToExpandAt(S, Preheader->getTerminator());
}

std::optional<Affine> Divider::affine(Value *V)
{
    if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64 || !SE.isSCEVable(V->getType()))
        return {};
    Affine Result;
    const SCEV *S = SE.getSCEV(V);
    while (const auto *Rec = dyn_cast<SCEVAddRecExpr>(S)) {
        const auto *Step = Rec->isAffine() ? dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE)) : nullptr;
        if (!Step || Step->getAPInt().abs().ugt(MostStep) || !L.contains(Rec->getLoop()))
            return {};
        const int64_t By = Step->getAPInt().getSExtValue();
        S = Rec->getStart();
        if (Rec->getLoop() == &L) {
            Result.Step = By;
            break;
        }
        const SCEV *Inside = SE.getBackedgeTakenCount(Rec->getLoop());
        if (isa<SCEVCouldNotCompute>(Inside) || !isBefore(Inside) || SE.getTypeSizeInBits(Inside->getType()) > 64)
            return {};
        Result.Inner.push_back({Inside, By});
    }
    if (Result.Step == 0 || !isBefore(S))
        return {};
    Result.Start = S;
    return Result;
}

/* ---- what is likely ---------------------------------------------------------------------------------------------- */

/* The instructions that are only reached from `From` by the edge to `To`. */
unsigned Divider::weight(const BasicBlock *From, const BasicBlock *To) const
{
    unsigned Result = 0;
    const BasicBlockEdge Edge(From, To);
    for (const BasicBlock *Block : L.blocks())
        if (DT.dominates(Edge, Block))
            Result += Block->size();
    return Result;
}

/* What a condition is for most work-items: the way with more code, and the choice that goes on with the index. */
std::optional<bool> Divider::likelyOf(const Value *Condition, const Value *Compared, unsigned Depth)
{
    for (const User *U : Condition->users()) {
        const auto *I = cast<Instruction>(U);
        if (!L.contains(I) || Depth > 6)
            continue;
        if (const auto *Branch = dyn_cast<BranchInst>(I)) {
            const unsigned Yes = weight(I->getParent(), Branch->getSuccessor(0));
            const unsigned No = weight(I->getParent(), Branch->getSuccessor(1));
            if (Yes != No)
                return Yes > No;
        } else if (I->getType()->isIntegerTy(1)) { /* and, or, not, also as choices */
            const bool Not = I->getOpcode() == Instruction::Xor;
            if (std::optional<bool> Result = likelyOf(I, nullptr, Depth + 1))
                return Not ? !*Result : *Result;
        } else if (const auto *Select = dyn_cast<SelectInst>(I); Select && Select->getCondition() == Condition) {
            Value *Yes = const_cast<Value *>(Select->getTrueValue()), *No = const_cast<Value *>(Select->getFalseValue());
            if (Compared && (Yes == Compared || No == Compared))
                return Yes == Compared;
            const bool FirstMoves = affine(Yes).has_value(), SecondMoves = affine(No).has_value();
            if (FirstMoves != SecondMoves)
                return FirstMoves;
            const bool FirstStays = L.isLoopInvariant(Yes), SecondStays = L.isLoopInvariant(No);
            if (FirstStays != SecondStays)
                return SecondStays;
        }
    }
    return {};
}

/* ---- what is looked at ------------------------------------------------------------------------------------------- */

void Divider::addCompare(ICmpInst &Compare)
{
    Value *Left = Compare.getOperand(0), *Right = Compare.getOperand(1);
    CmpInst::Predicate Predicate = Compare.getPredicate();
    if (!Left->getType()->isIntegerTy())
        return;
    std::optional<Affine> Of = affine(Left);
    if (!Of) {
        std::swap(Left, Right);
        Predicate = CmpInst::getSwappedPredicate(Predicate);
        Of = affine(Left);
    }
    if (!Of)
        return;
    const SCEV *Bound = SE.getSCEV(Right);
    if (!isBefore(Bound))
        return;
    Type *T = Left->getType();
    Condition C{&Compare, *Of, SE.getZero(T), nullptr, nullptr, true, nullptr, nullptr};
    if (CmpInst::isEquality(Predicate)) {
        /* index - bound is 0 */
        C.Shift = SE.getNegativeSCEV(Bound);
        C.Last = SE.getZero(T);
        C.Inside = false;
        C.Then = ConstantInt::getBool(Context, Predicate == CmpInst::ICMP_NE);
        Conditions.push_back(C);
        return;
    }
    /* index <= Last, or the contrary */
    bool Contrary = false;
    if (Predicate == CmpInst::ICMP_UGT || Predicate == CmpInst::ICMP_UGE || Predicate == CmpInst::ICMP_SGT
        || Predicate == CmpInst::ICMP_SGE) {
        Contrary = true;
        Predicate = CmpInst::getInversePredicate(Predicate);
    }
    const SCEV *Last = Bound;
    const bool Signed = CmpInst::isSigned(Predicate);
    const SCEV *Least = SE.getConstant(APInt::getSignedMinValue(T->getIntegerBitWidth()));
    if (Signed) {
        C.Shift = Least;
        Last = SE.getAddExpr(Last, Least);
    }
    if (Predicate == CmpInst::ICMP_ULT || Predicate == CmpInst::ICMP_SLT) {
        C.NotZero = Last;
        Last = SE.getAddExpr(Last, SE.getMinusOne(T));
    }
    C.Last = Last;
    const bool Likely = likelyOf(&Compare, Left, 0).value_or(true);
    C.Inside = Likely != Contrary;
    C.Then = ConstantInt::getBool(Context, Likely);
    Conditions.push_back(C);
}

/* The minimum or maximum of the index and a bound is the index. */
void Divider::addExtreme(IntrinsicInst &Call)
{
    const auto *Extreme = dyn_cast<MinMaxIntrinsic>(&Call);
    if (!Extreme || !Call.getType()->isIntegerTy())
        return;
    Value *Index = Call.getArgOperand(0), *Other = Call.getArgOperand(1);
    std::optional<Affine> Of = affine(Index);
    if (!Of) {
        std::swap(Index, Other);
        Of = affine(Index);
    }
    if (!Of || !isBefore(SE.getSCEV(Other)))
        return;
    Type *T = Index->getType();
    const SCEV *Least = SE.getConstant(APInt::getSignedMinValue(T->getIntegerBitWidth()));
    Condition C{&Call, *Of, SE.getZero(T), SE.getSCEV(Other), nullptr, true, Index, nullptr};
    if (Extreme->isSigned()) {
        C.Shift = Least;
        C.Last = SE.getAddExpr(C.Last, Least);
    }
    const CmpInst::Predicate Predicate = Extreme->getPredicate(); /* of a minimum less, of a maximum greater */
    if (Predicate == CmpInst::ICMP_SGT || Predicate == CmpInst::ICMP_UGT) {
        C.Inside = false; /* greater than the bound; where it is equal does not matter */
    }
    Conditions.push_back(C);
}

/* index % bound is the index where that is less. */
void Divider::addRemainder(BinaryOperator &Rest)
{
    if (Rest.getOpcode() != Instruction::URem && Rest.getOpcode() != Instruction::SRem)
        return;
    std::optional<Affine> Of = affine(Rest.getOperand(0));
    if (!Of)
        return;
    const SCEV *Bound = SE.getSCEV(Rest.getOperand(1));
    if (!isBefore(Bound))
        return;
    Type *T = Rest.getType();
    Condition C{&Rest, *Of, SE.getZero(T), SE.getAddExpr(Bound, SE.getMinusOne(T)), Bound, true, Rest.getOperand(0),
                Rest.getOpcode() == Instruction::SRem ? Bound : nullptr};
    Conditions.push_back(C);
}

bool reachesAddress(const Value *V, unsigned Depth)
{
    for (const User *U : V->users())
        if (isa<GetElementPtrInst>(U) || (Depth < 4 && isa<BinaryOperator>(U) && reachesAddress(U, Depth + 1)))
            return true;
    return false;
}

/* An index of 32 bits does not wrap around, so that its extension goes on by the same steps. */
void Divider::addExtension(CastInst &Cast)
{
    if ((!isa<ZExtInst>(Cast) && !isa<SExtInst>(Cast)) || !Cast.getType()->isIntegerTy()
        || Cast.getType()->getIntegerBitWidth() > 64 || !reachesAddress(&Cast, 0))
        return;
    std::optional<Affine> Of = affine(Cast.getOperand(0));
    if (!Of || affine(&Cast))
        return;
    Type *T = Cast.getOperand(0)->getType();
    const unsigned Bits = T->getIntegerBitWidth();
    const SCEV *Shift = isa<SExtInst>(Cast) ? SE.getConstant(APInt::getSignedMinValue(Bits)) : SE.getZero(T);
    Conditions.push_back({&Cast, *Of, Shift, SE.getMinusOne(T), nullptr, true, nullptr, nullptr});
}

void Divider::collect()
{
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (Conditions.size() > MostConditions)
                return;
            if (auto *Compare = dyn_cast<ICmpInst>(&I)) {
                if (none_of(Compare->users(), [&](const User *U) {
                        const auto *Branch = dyn_cast<BranchInst>(U);
                        return Branch && LI.getLoopFor(Branch->getParent())->isLoopExiting(Branch->getParent());
                    }))
                    addCompare(*Compare);
            } else if (auto *Call = dyn_cast<IntrinsicInst>(&I))
                addExtreme(*Call);
            else if (auto *Operation = dyn_cast<BinaryOperator>(&I))
                addRemainder(*Operation);
            else if (auto *Cast = dyn_cast<CastInst>(&I))
                addExtension(*Cast);
            Value *Decides = nullptr;
            if (auto *Branch = dyn_cast<BranchInst>(&I); Branch && Branch->isConditional())
                Decides = Branch->getCondition();
            else if (auto *Select = dyn_cast<SelectInst>(&I))
                Decides = Select->getCondition();
            if (Decides && !isa<Constant>(Decides) && Decides->getType()->isIntegerTy(1) && L.isLoopInvariant(Decides)
                && none_of(Unchanging, [&](auto &Known) { return Known.first == Decides; }))
                if (std::optional<bool> Likely = likelyOf(Decides, nullptr, 0))
                    Unchanging.push_back({Decides, *Likely});
        }
}

/* ---- the limits -------------------------------------------------------------------------------------------------- */

Value *Divider::narrow(IRBuilder<> &B, Expander &Expand, const SCEV *S, Instruction *At)
{
    Value *V = Expand.expandCodeFor(S, S->getType(), At->getIterator());
    B.SetInsertPoint(At);
    return isa<Constant>(V) ? V : B.CreateFreeze(V);
}

/* Brings Lo up and Hi down to where one condition holds. With y = Start + Shift, which must lie in 0 to Last:
       y <= Last:  from turn 0, up to (Last - y) / Step
       else:       from the first turn that passes 2^bits, which is 0 again */
void Divider::limit(IRBuilder<> &B, Expander &Expand, Condition &C, Instruction *At)
{
    IntegerType *T = cast<IntegerType>(C.Of.Start->getType());
    IntegerType *Wide = B.getInt64Ty();
    const auto Number = [&](uint64_t V) { return ConstantInt::get(Wide, V); };
    Value *Y = narrow(B, Expand, SE.getAddExpr(C.Of.Start, C.Shift), At);
    Value *Last = narrow(B, Expand, C.Last, At);
    Value *Good = B.getTrue();
    if (C.NotZero)
        Good = B.CreateIsNotNull(narrow(B, Expand, C.NotZero, At));
    if (C.Positive)
        Good = B.CreateAnd(Good, B.CreateICmpSGT(narrow(B, Expand, C.Positive, At), ConstantInt::get(T, 0)));
    if (!C.Inside) { /* the other values: Last + 1 to the greatest; if nothing is inside, all of them */
        Value *Past = B.CreateAdd(Last, ConstantInt::get(T, 1)), *All = B.CreateNot(Good);
        Good = B.CreateOr(All, B.CreateIsNotNull(Past));
        Y = B.CreateSelect(All, Y, B.CreateSub(Y, Past));
        Last = B.CreateSelect(All, Constant::getAllOnesValue(T), B.CreateNot(Past)); /* the greatest - Past */
    }
    /* loops inside: the value lies between that of their first turn and that of their last */
    Value *LastWide = B.CreateZExt(Last, Wide);
    for (auto &Inner : C.Of.Inner) {
        Value *Count = B.CreateZExt(narrow(B, Expand, Inner.first, At), Wide);
        const uint64_t By = uint64_t(Inner.second < 0 ? -Inner.second : Inner.second);
        Value *Span = B.CreateMul(Count, Number(By));
        Good = B.CreateAnd(Good, B.CreateICmpULT(Count, Number(uint64_t(1) << 40)));
        Good = B.CreateAnd(Good, B.CreateICmpULE(Span, LastWide));
        LastWide = B.CreateSub(LastWide, Span);
        if (Inner.second < 0)
            Y = B.CreateSub(Y, B.CreateTrunc(Span, T));
    }
    Last = B.CreateTrunc(LastWide, T);
    uint64_t Step = uint64_t(C.Of.Step);
    if (C.Of.Step < 0) { /* mirrored */
        Y = B.CreateSub(Last, Y);
        Step = uint64_t(-C.Of.Step);
    }
    Value *By = ConstantInt::get(T, Step);
    const auto Turns_ = [&](Value *Distance) {
        Value *Whole = B.CreateZExt(B.CreateUDiv(Distance, By), Wide);
        return B.CreateAdd(B.CreateBinaryIntrinsic(Intrinsic::umin, Whole, Number(Endless)), Number(1));
    };
    Value *From = Number(0);
    if (C.Then) {
        Value *Distance = B.CreateSub(B.CreateNeg(Y), ConstantInt::get(T, 1));
        From = B.CreateSelect(B.CreateICmpULE(Y, Last), Number(0), Turns_(Distance));
        Y = B.CreateAdd(Y, B.CreateTrunc(B.CreateMul(From, Number(Step)), T));
    } else { /* an extension: from Lo on, until it wraps around */
        C.Start = narrow(B, Expand, C.Of.Start, At);
        From = Lo;
        Value *Moved = B.CreateTrunc(B.CreateMul(Lo, Number(Step)), T);
        Y = B.CreateAdd(Y, Moved);
    }
    Good = B.CreateAnd(Good, B.CreateICmpULE(Y, Last));
    Value *Past = B.CreateAdd(From, Turns_(B.CreateSub(Last, Y)));
    Lo = B.CreateBinaryIntrinsic(Intrinsic::umax, Lo, From);
    Hi = B.CreateBinaryIntrinsic(Intrinsic::umin, Hi, B.CreateSelect(Good, Past, Number(0)));
}

void Divider::computeLimits()
{
    Instruction *At = Preheader->getTerminator();
    IRBuilder<> B(At);
    Expander Expand(SE, DL, "tw_edge");
    Count = B.CreateZExt(narrow(B, Expand, Turns, At), B.getInt64Ty());
    Lo = B.getInt64(0);
    Hi = B.CreateAdd(Count, B.getInt64(1)); /* 0 if that is too much: nothing is changed then */
    for (auto &Known : Unchanging) {
        Value *Decides = B.CreateFreeze(Known.first);
        if (!Known.second)
            Decides = B.CreateNot(Decides);
        Hi = B.CreateSelect(Decides, Hi, B.getInt64(0));
    }
    for (const bool Extensions : {false, true})
        for (Condition &C : Conditions)
            if (Extensions == !C.Then)
                limit(B, Expand, C, At);
    for (PHINode &Phi : L.getHeader()->phis()) {
        const auto *Rec = SE.isSCEVable(Phi.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
        if (Rec && Rec->getLoop() == &L && Rec->isAffine() && isBefore(Rec->getStepRecurrence(SE))) {
            const SCEV *Step = Rec->getStepRecurrence(SE);
            Steps[&Phi] = Expand.expandCodeFor(Step, Step->getType(), At->getIterator());
        }
    }
    B.SetInsertPoint(At);
    Value *None = B.CreateICmpUGE(Lo, Hi);
    Lo = B.CreateSelect(None, B.getInt64(0), Lo, "tw_lo");
    Hi = B.CreateSelect(None, B.getInt64(0), Hi, "tw_hi");
}

/* ---- the loops --------------------------------------------------------------------------------------------------- */

/* A copy for the turns `From` up to, not including, `Past`. Its phis get no origin but themselves. */
std::unique_ptr<Divider::Copy> Divider::copy(StringRef Name, Value *From, Value *Past, BasicBlock *Entry, BasicBlock *Exit)
{
    auto Made = std::make_unique<Copy>();
    SmallVector<MDNode *, 4> Scopes;
    SmallVector<BasicBlock *, 16> Old(L.blocks());
    identifyNoAliasScopesToClone(Old, Scopes);
    for (BasicBlock *Block : Old) {
        BasicBlock *New = CloneBasicBlock(Block, Made->Map, "." + Name, &F);
        Made->Map[Block] = New;
        Made->Blocks.push_back(New);
    }
    Made->Map[L.getExitBlock()] = Exit;
    Made->Map[Preheader] = Entry;
    remapInstructionsInBlocks(Made->Blocks, Made->Map);
    cloneAndAdaptNoAliasScopes(Scopes, Made->Blocks, Context, Name);
    Made->Header = cast<BasicBlock>(Made->Map[L.getHeader()]);
    Made->Latch = cast<BasicBlock>(Made->Map[L.getLoopLatch()]);
    auto *Branch = cast<BranchInst>(Made->Latch->getTerminator());
    IRBuilder<> B(&Made->Header->front());
    Made->Counter = B.CreatePHI(B.getInt64Ty(), 2, "tw_turn");
    B.SetInsertPoint(Branch);
    Value *Next = B.CreateAdd(Made->Counter, B.getInt64(1), "", true, true);
    Made->Counter->addIncoming(From, Entry);
    Made->Counter->addIncoming(Next, Made->Latch);
    Value *Ends = B.CreateICmpEQ(Next, Past);
    Branch->setCondition(Branch->getSuccessor(0) == Exit ? Ends : B.CreateNot(Ends));
    return Made;
}

/* The conditions are constants. */
void Divider::settle(Copy &Interior)
{
    for (const Condition &C : Conditions) {
        auto *I = cast<Instruction>(Interior.Map[C.I]);
        Value *Then = C.Then;
        if (Then && Interior.Map.count(Then))
            Then = Interior.Map[Then];
        if (!Then) { /* what was extended when the first turn began, and the steps since then */
            IRBuilder<> B(I);
            Value *Since = B.CreateSub(Interior.Counter, Lo);
            Value *Steps = B.CreateMul(Since, ConstantInt::getSigned(B.getInt64Ty(), C.Of.Step));
            Value *Narrow = B.CreateSub(I->getOperand(0), B.CreateTrunc(Steps, I->getOperand(0)->getType()));
            if (C.Of.Inner.empty()) {
                IRBuilder<> Before(cast<BasicBlock>(Interior.Map[Preheader])->getTerminator());
                Value *Passed = Before.CreateMul(Lo, ConstantInt::getSigned(Before.getInt64Ty(), C.Of.Step));
                Narrow = Before.CreateAdd(C.Start, Before.CreateTrunc(Passed, C.Start->getType()));
            }
            Value *Wide = B.CreateCast(cast<CastInst>(I)->getOpcode(), Narrow, I->getType());
            Then = B.CreateAdd(Wide, B.CreateZExtOrTrunc(Steps, I->getType()));
        }
        I->replaceAllUsesWith(Then);
    }
    for (auto &Known : Unchanging)
        for (BasicBlock *Block : Interior.Blocks)
            for (Instruction &I : *Block)
                I.replaceUsesOfWith(Known.first, ConstantInt::getBool(Context, Known.second));
}

void Divider::divide()
{
    BasicBlock *Before = Preheader, *Exit = L.getExitBlock(), *Header = L.getHeader(), *Latch = L.getLoopLatch();
    const DebugLoc Where = Before->getTerminator()->getDebugLoc();
    const auto NewBlock = [&](const char *Name) { return BasicBlock::Create(Context, Name, &F, Header); };
    const auto Jump = [&](BasicBlock *From, BasicBlock *To) { BranchInst::Create(To, From)->setDebugLoc(Where); };
    const auto Fork = [&](BasicBlock *From, Value *If, BasicBlock *Yes, BasicBlock *No) {
        BranchInst::Create(Yes, No, If, From)->setDebugLoc(Where);
    };
    /* Before -> [First] -> Middle -> [Interior] -> Rest -> [the loop] */
    BasicBlock *FirstEntry = NewBlock("tw_first"), *Middle = NewBlock("tw_middle");
    BasicBlock *InteriorEntry = NewBlock("tw_interior"), *Rest = NewBlock("tw_rest"), *RestEntry = NewBlock("tw_last");
    BasicBlock *FirstEnd = NewBlock("tw_first_end"), *InteriorEnd = NewBlock("tw_interior_end");
    Before->getTerminator()->eraseFromParent();
    IRBuilder<> B(Before);
    B.SetCurrentDebugLocation(Where);
    Value *HasFirst = B.CreateICmpNE(Lo, B.getInt64(0)), *HasInterior = B.CreateICmpULT(Lo, Hi);
    Value *HasRest = B.CreateICmpULE(Hi, Count);
    Fork(Before, HasFirst, FirstEntry, Middle);
    Fork(Middle, HasInterior, InteriorEntry, Rest);
    Fork(Rest, HasRest, RestEntry, Exit);
    Jump(FirstEnd, Middle);
    Jump(InteriorEnd, Rest);
    Jump(RestEntry, Header);

    auto First = copy("first", B.getInt64(0), Lo, FirstEntry, FirstEnd);
    auto Interior = copy("interior", Lo, Hi, InteriorEntry, InteriorEnd);
    Jump(FirstEntry, First->Header);
    Jump(InteriorEntry, Interior->Header);
    for (PHINode &Phi : Header->phis()) {
        Value *Init = Phi.getIncomingValueForBlock(Before), *Next = Phi.getIncomingValueForBlock(Latch);
        const auto In = [&](Copy &C) {
            auto At = C.Map.find(Next);
            return At == C.Map.end() ? Next : static_cast<Value *>(At->second);
        };
        if (Value *Step = Steps.lookup(&Phi)) { /* what is counted follows from the turn */
            const auto At = [&](BasicBlock *Entry, Value *Turn) {
                IRBuilder<> E(Entry->getTerminator());
                Value *Moved = E.CreateMul(E.CreateZExtOrTrunc(Turn, Step->getType()), Step);
                return Phi.getType()->isPointerTy() ? E.CreatePtrAdd(Init, Moved) : E.CreateAdd(Init, Moved);
            };
            cast<PHINode>(Interior->Map[&Phi])->setIncomingValueForBlock(InteriorEntry, At(InteriorEntry, Lo));
            Phi.setIncomingValueForBlock(Before, At(RestEntry, Hi));
            Phi.replaceIncomingBlockWith(Before, RestEntry);
            continue;
        }
        IRBuilder<> M(&*Middle->getFirstNonPHIIt()), R(&*Rest->getFirstNonPHIIt());
        PHINode *InMiddle = M.CreatePHI(Phi.getType(), 2), *InRest = R.CreatePHI(Phi.getType(), 2);
        InMiddle->addIncoming(Init, Before);
        InMiddle->addIncoming(In(*First), FirstEnd);
        InRest->addIncoming(InMiddle, Middle);
        InRest->addIncoming(In(*Interior), InteriorEnd);
        cast<PHINode>(Interior->Map[&Phi])->setIncomingValueForBlock(InteriorEntry, InMiddle);
        Phi.setIncomingValueForBlock(Before, InRest);
        Phi.replaceIncomingBlockWith(Before, RestEntry);
    }
    settle(*Interior);
    for (PHINode &Phi : Exit->phis()) /* none is used, by isSuitable() */
        Phi.addIncoming(Phi.getIncomingValueForBlock(Latch), Rest);
}

bool Divider::run()
{
    if (!isSuitable())
        return false;
    collect();
    if (Conditions.empty() && Unchanging.empty())
        return false;
    computeLimits();
    divide();
    return true;
}

} // namespace

/* Divides the loops over work-items of a function. */
bool divideAtEdges(Function &F, FunctionAnalysisManager &FAM)
{
    bool Changed = false;
    for (bool More = true; More;) {
        More = false;
        auto &LI = FAM.getResult<LoopAnalysis>(F);
        auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
        auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
        for (Loop *L : LI.getLoopsInPreorder()) {
            if (!hasLoopMark(*L, ItemsMark) || hasLoopMark(*L, "teamwork.divided"))
                continue;
            addLoopMark(*L, "teamwork.divided");
            if (Divider(F, *L, SE, DT, LI).run()) {
                More = Changed = true;
                break;
            }
        }
        if (More)
            FAM.invalidate(F, PreservedAnalyses::none());
    }
    return Changed;
}

} // namespace tw_split
