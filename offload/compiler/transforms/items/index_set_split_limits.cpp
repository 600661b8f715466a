/* SPDX-License-Identifier: Apache-2.0 */
/* Computes in front of a loop where its middle part begins and ends, `Lo` and `Hi`: there every condition has its likely value. */
#include "index_set_split.h"

#include "analysis/predicates.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr uint64_t Endless = uint64_t(1) << 62;

} // namespace

/* The value without poison. What it is computed from is frozen, since nothing is known of the bits behind a freeze, such as that
   4 * i + 3 is three more than 4 * i in every width. The same value stays the same, so that addresses that begin with it are known to be
   neighbours. */
Value *Divider::frozen(IRBuilder<> &B, Value *V, unsigned Depth)
{
    if (isa<ConstantInt>(V))
        return V;
    if (Value *Known = Frozen.lookup(V))
        return Known;
    const auto *Op = dyn_cast<BinaryOperator>(V);
    const auto *Cast = dyn_cast<CastInst>(V);
    Value *Result = nullptr;
    if (Cast && Depth > 0 && Cast->isIntegerCast() && Cast->getSrcTy()->isIntegerTy())
        Result = B.CreateCast(Cast->getOpcode(), frozen(B, Cast->getOperand(0), Depth - 1), Cast->getType());
    if (Op && Depth > 0 && Op->getType()->isIntegerTy()) {
        const auto *By = dyn_cast<ConstantInt>(Op->getOperand(1));
        const bool Shifts = Op->getOpcode() == Instruction::Shl && By && By->getValue().ult(By->getBitWidth());
        if (Shifts || Op->getOpcode() == Instruction::Add || Op->getOpcode() == Instruction::Sub
            || Op->getOpcode() == Instruction::Mul || Op->getOpcode() == Instruction::Or)
            Result = B.CreateBinOp(Op->getOpcode(), frozen(B, Op->getOperand(0), Depth - 1),
                                   frozen(B, Op->getOperand(1), Depth - 1));
    }
    return Frozen[V] = Result ? Result : B.CreateFreeze(V);
}

Value *Divider::narrow(IRBuilder<> &B, Expander &Expand, const SCEV *S, Instruction *At)
{
    Value *V = Expand.expandCodeFor(S, S->getType(), At->getIterator());
    B.SetInsertPoint(At);
    return frozen(B, V, 4);
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
    if (C.Of.Step == 0) { /* the same in all rows */
        Good = B.CreateAnd(Good, B.CreateICmpULE(Y, Last));
        Hi = B.CreateSelect(Good, Hi, Number(0));
        return;
    }
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
        if (C.Of.Inner.empty())
            C.From = From;
        Y = B.CreateAdd(Y, B.CreateTrunc(B.CreateMul(From, Number(Step)), T));
    } else { /* an extension: from where it is used on, until it wraps around */
        C.Start = narrow(B, Expand, C.Of.Start, At);
        From = C.FromZero ? Number(0) : C.Guard < 0 ? Lo : Conditions[size_t(C.Guard)].From;
        Value *Moved = B.CreateTrunc(B.CreateMul(From, Number(Step)), T);
        Y = B.CreateAdd(Y, Moved);
    }
    Good = B.CreateAnd(Good, B.CreateICmpULE(Y, Last));
    Value *Past = B.CreateAdd(From, Turns_(B.CreateSub(Last, Y)));
    if (C.Then) { /* it does not hold once more, behind 2^bits */
        Value *Behind = B.CreateZExt(B.CreateUDiv(B.CreateNot(Last), By), Wide);
        Behind = B.CreateBinaryIntrinsic(Intrinsic::umin, Behind, Number(Endless));
        Exact = B.CreateAnd(Exact, B.CreateICmpUGT(B.CreateAdd(B.CreateSelect(Good, Past, From), Behind), Count));
        if (!C.Of.Inner.empty() || C.Positive)
            Exact = B.getFalse();
    }
    if (C.FromZero)
        Exact = B.CreateAnd(Exact, B.CreateAnd(Good, B.CreateICmpUGT(Past, Count)));
    Lo = B.CreateBinaryIntrinsic(Intrinsic::umax, Lo, From);
    Hi = B.CreateBinaryIntrinsic(Intrinsic::umin, Hi, B.CreateSelect(Good, Past, Number(0)));
}

/* Whether a block is only reached where a condition has its likely value. */
bool Divider::guards(const Value *Condition, bool Likely, const BasicBlock *Block, unsigned Depth) const
{
    for (const User *U : Condition->users()) {
        const auto *I = cast<Instruction>(U);
        if (const auto *Branch = dyn_cast<BranchInst>(I)) {
            const BasicBlockEdge Edge(I->getParent(), Branch->getSuccessor(Likely ? 0 : 1));
            if (Branch->getSuccessor(0) != Branch->getSuccessor(1) && DT.dominates(Edge, Block))
                return true;
            continue;
        }
        using namespace PatternMatch;
        const bool Both =
            Likely ? match(I, m_LogicalAnd(m_Value(), m_Value())) : match(I, m_LogicalOr(m_Value(), m_Value()));
        if (Depth < 6 && Both && guards(I, Likely, Block, Depth + 1))
            return true;
    }
    return false;
}

/* Whether a block is only reached where all conditions have their likely values. */
bool Divider::guardAll(const BasicBlock *Block) const
{
    return all_of(Conditions,
                  [&](const Condition &C) {
                      return !C.Then
                             || (isa<ICmpInst>(C.I) && guards(C.I, cast<ConstantInt>(C.Then)->isOne(), Block, 0));
                  })
           && all_of(Unchanging, [&](auto &Known) { return guards(Known.first, Known.second, Block, 0); });
}

/* Whether a value is what the turn has loaded from there, unless it comes from a block that all conditions guard. */
bool Divider::isOld(const Value *V, const Value *Address, unsigned Depth) const
{
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || LI.getLoopFor(I->getParent()) != &L)
        return false;
    if (const auto *Load = dyn_cast<LoadInst>(I))
        return Load->isSimple() && Load->getPointerOperand() == Address;
    const auto *Phi = dyn_cast<PHINode>(I);
    return Phi && Phi->getParent() != L.getHeader() && Depth > 0 && all_of(Phi->blocks(), [&](const BasicBlock *From) {
               return guardAll(From) || isOld(Phi->getIncomingValueForBlock(From), Address, Depth - 1);
           });
}

/* Whether a work-item for which a condition does not hold has no effect; or none but to store what it has loaded from there, which
   whole vectors do as fast as not. */
bool Divider::guardsAll() const
{
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            const auto *Store = dyn_cast<StoreInst>(&I);
            if (!I.mayHaveSideEffects() || isa<AssumeInst>(I) || guardAll(Block))
                continue;
            if (isWidened() || !Store || !Store->isSimple() || LI.getLoopFor(Block) != &L
                || !isOld(Store->getValueOperand(), Store->getPointerOperand(), 4))
                return false;
        }
    return true;
}

/* Where an index is extended that is only used where one of the conditions holds, it matters from there on whether it wraps around. A
   clamped one goes on by the same steps only where all conditions hold. */
void Divider::findGuards()
{
    for (Condition &C : Conditions)
        for (size_t G = 0; G < Conditions.size() && !C.Then && C.I && !C.FromZero && !C.IsClamped && C.Of.Inner.empty()
                           && C.Guard < 0;
             ++G)
            if (const Condition &By = Conditions[G];
                By.From && isa<ICmpInst>(By.I)
                && guards(By.I, cast<ConstantInt>(By.Then)->isOne(), C.I->getParent(), 0))
                C.Guard = int(G);
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
    Exact = B.getTrue();
    for (Condition &C : Conditions)
        if (C.Then)
            limit(B, Expand, C, At);
    Value *Wanted = Hi;
    findGuards();
    for (Condition &C : Conditions)
        if (C.First >= 0)
            C.Start = Conditions[size_t(C.First)].Start;
        else if (!C.Then)
            limit(B, Expand, C, At);
    Exact = B.CreateAnd(Exact, B.CreateICmpEQ(Hi, Wanted));
    Counted.emplace(L, SE, Expand);
    B.SetInsertPoint(At);
    if (any_of(L.getHeader()->phis(), [&](const PHINode &Phi) { return !Counted->has(Phi); }) || !guardsAll())
        Exact = B.getFalse(); /* work-items change something even so */
    Value *None = B.CreateICmpUGE(Lo, Hi);
    Lo = B.CreateSelect(None, B.getInt64(0), Lo, "tw_lo");
    Hi = B.CreateSelect(None, B.getInt64(0), Hi, "tw_hi");
    widen(B);
}

constexpr uint64_t Vector = 16; /* turns */

/* Whether it is a short row whose parts widen() makes whole vectors. */
bool Divider::isWidened() const
{
    const unsigned Fixed = SE.getSmallConstantTripCount(&L);
    const bool Wraps = any_of(Conditions, [](const Condition &C) { return !C.Then && !C.Signed && C.Guard < 0; });
    const bool Edges =
        any_of(Conditions, [](const Condition &C) { return C.Then; }); /* else the middle part is all of most rows */
    return !Nest && L.isInnermost() && !(Wraps && (Edges || Fixed < 4 * Vector)) && Fixed >= 2 * Vector
           && Fixed <= MostInShortRow && Fixed % Vector == 0 && hasMasks(F);
}

/* What is in front of the middle part of a short row, and behind it, becomes whole vectors where the processor has masks. Else the most
   of it would be single turns: those in front, and what the middle part has more than whole vectors. An index that wraps around there
   would take gathers. Where only few work-items in front have nothing to do, they are one vector with a mask, and all others begin
   with whole ones. */
void Divider::widen(IRBuilder<> &B)
{
    if (!isWidened())
        return;
    Value *Up = B.CreateAnd(B.CreateAdd(Lo, B.getInt64(Vector - 1)), B.getInt64(~(Vector - 1)));
    Value *First = B.CreateSelect(B.CreateICmpULT(Up, Hi), Up, Hi);
    Value *Down = B.CreateAnd(Hi, B.getInt64(~(Vector - 1)));
    Value *Last = B.CreateSelect(B.CreateICmpUGT(Down, First), Down, First);
    Value *IsAtEnd = B.CreateICmpUGT(Hi, Count), *Some = B.CreateSub(Lo, B.getInt64(1));
    Exact = B.CreateAnd(Exact, B.CreateNot(B.CreateAnd(IsAtEnd, B.CreateICmpULT(Some, B.getInt64(Vector - 1)))));
    Lo = B.CreateSelect(Exact, Lo, First);
    Hi = B.CreateSelect(Exact, Hi, Last);
}

} // namespace tw_compiler
