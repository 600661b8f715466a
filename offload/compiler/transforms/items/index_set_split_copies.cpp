/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a loop for some of its turns, or for where a condition has one value in all of them, and what becomes of conditions there. */
#include "index_set_split.h"

#include "analysis/predicates.h"
#include "base/marks.h"

#include <llvm/IR/Constants.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{

constexpr unsigned LeastOfWhole = 64,
                   MostOfWhole = 100; /* turns, and instructions, of a loop with a copy for all turns */

/* What an extended index is between Lo and Hi: what was extended when that began, and the steps since then. */
void Divider::settleExtension(Copy &Interior, const Condition &C, Instruction *I)
{
    Type *Narrow = C.Of.Start->getType();
    IRBuilder<> B(I->getNextNode());
    Value *Steps = B.CreateMul(B.CreateSub(Interior.Counter, Lo), ConstantInt::getSigned(B.getInt64Ty(), C.Of.Step));
    Instruction *Kept = nullptr;
    Value *Begun;
    if (C.Of.Inner.empty()) {
        IRBuilder<> Before(cast<BasicBlock>(Interior.Map[Preheader])->getTerminator());
        Value *Passed = Before.CreateMul(Lo, ConstantInt::getSigned(Before.getInt64Ty(), C.Of.Step));
        Begun = Before.CreateAdd(C.Start, Before.CreateTrunc(Passed, Narrow));
    } else {
        Kept = cast<Instruction>(B.Insert(CastInst::Create(Instruction::Trunc, I, Narrow)));
        Begun = B.CreateSub(Kept, B.CreateTrunc(Steps, Narrow));
    }
    Value *Wide = B.CreateAdd(C.Signed ? B.CreateSExt(Begun, I->getType()) : B.CreateZExt(Begun, I->getType()),
                              B.CreateZExtOrTrunc(Steps, I->getType()));
    if (C.Plus)
        Wide = B.CreateAdd(Wide, ConstantInt::getSigned(I->getType(), C.Plus));
    I->replaceUsesWithIf(Wide, [&](Use &U) { return U.getUser() != Kept; });
}

/* An index that was cut to 32 bits lost nothing: its extension, and that of its sum with another, is known without. */
static void settleCut(TruncInst &Cut)
{
    Value *Whole = Cut.getOperand(0);
    for (User *U : make_early_inc_range(Cut.users())) {
        if (auto *Sum = dyn_cast<BinaryOperator>(U);
            Sum && Sum->getOpcode() == Instruction::Add && Sum->hasNoSignedWrap()) {
            Value *Other = Sum->getOperand(Sum->getOperand(0) == &Cut ? 1 : 0);
            for (User *V : make_early_inc_range(Sum->users()))
                if (auto *Wide = dyn_cast<SExtInst>(V); Wide && Wide->getType() == Whole->getType()) {
                    IRBuilder<> B(Wide);
                    Wide->replaceAllUsesWith(B.CreateAdd(Whole, B.CreateSExt(Other, Wide->getType())));
                }
        } else if (auto *Wide = dyn_cast<SExtInst>(U); Wide && Wide->getType() == Whole->getType())
            Wide->replaceAllUsesWith(Whole);
    }
}

/* The conditions are constants. */
void Divider::settle(Copy &Interior)
{
    for (const Condition &C : Conditions) {
        if (!C.I)
            continue;
        auto *I = cast<Instruction>(Interior.Map[C.I]);
        if (!C.Then) {
            if (!isa<TruncInst>(I))
                settleExtension(Interior, C, I);
            continue;
        }
        Value *Then = C.Then;
        if (Interior.Map.count(Then))
            Then = Interior.Map[Then];
        if (C.Less)
            Then = IRBuilder<>(I).CreateSub(Then, C.Less);
        I->replaceAllUsesWith(Then);
    }
    for (auto &Known : Unchanging)
        for (BasicBlock *Block : Interior.Blocks)
            for (Instruction &I : *Block)
                I.replaceUsesOfWith(Known.first, ConstantInt::getBool(Context, Known.second));
    for (BasicBlock *Block : Interior.Blocks)
        for (Instruction &I : make_early_inc_range(*Block))
            if (auto *Select = dyn_cast<SelectInst>(&I))
                if (auto *Known = dyn_cast<ConstantInt>(Select->getCondition());
                    Known && !Select->getType()->isVectorTy())
                    Select->replaceAllUsesWith(Known->isOne() ? Select->getTrueValue() : Select->getFalseValue());
    for (const Condition &C : Conditions)
        if (C.I && !C.Then)
            if (auto *Cut = dyn_cast<TruncInst>(static_cast<Value *>(Interior.Map[C.I])))
                settleCut(*Cut);
}

/* In the first turns a comparison is one of the turn, so that the same ones are seen to be the same, and indices go on by the same
   steps where they are used. */
void Divider::settleFirst(Copy &First)
{
    for (const Condition &C : Conditions) {
        if (!C.I)
            continue;
        auto *I = cast<Instruction>(First.Map[C.I]);
        if (C.From && isa<ICmpInst>(C.I)) {
            IRBuilder<> B(I);
            const bool Holds = cast<ConstantInt>(C.Then)->isOne();
            I->replaceAllUsesWith(B.CreateICmp(Holds ? CmpInst::ICMP_UGE : CmpInst::ICMP_ULT, First.Counter, C.From));
        } else if (C.Guard >= 0 && !isa<TruncInst>(I))
            settleExtension(First, C, I);
    }
}

/* Groups of a constant size are mostly inside as a whole, and a constant length makes code without rests. If nothing but an index might
   change, that is so for code that keeps nothing for other loops: from two copies it would not go on in registers. */
bool Divider::isWorthWhole() const
{
    const unsigned Fixed = SE.getSmallConstantTripCount(&L);
    bool KeepsValues = false;
    size_t Instructions = 0;
    for (const BasicBlock *Block : L.blocks()) {
        Instructions += Block->size();
        for (const Instruction &I : *Block)
            if (const Value *Address = getLoadStorePointerOperand(&I))
                KeepsValues |= isLocal(Address);
    }
    return !Nest && Fixed >= LeastOfWhole && Fixed <= MostInShortRow && Instructions <= MostOfWhole
           && (!KeepsValues || any_of(Conditions, [](const Condition &C) { return C.Then; }))
           && !(isa<ConstantInt>(Lo) && isa<ConstantInt>(Hi));
}

/* What goes through memory by one instruction is fetched early: its copy for all turns is not unrolled. */
void Divider::keepWhole(const Copy &Whole) const
{
    const auto IsElsewhere = [](const Instruction &I) {
        const Value *Address = getLoadStorePointerOperand(&I);
        return Address && !isLocal(Address);
    };
    if (none_of(L.blocks(), [&](const BasicBlock *Block) { return any_of(*Block, IsElsewhere); }))
        return;
    markLoop(Whole.Latch, NotUnrolled);
}

/* What the loop leaves behind goes by phis of its exit. */
void Divider::leaveByPhis()
{
    BasicBlock *Exit = L.getExitBlock();
    for (PHINode &Phi : L.getHeader()->phis()) {
        auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
        if (!Next || !L.contains(Next))
            continue;
        PHINode *Out = nullptr;
        for (Use &U : make_early_inc_range(Next->uses())) {
            auto *By = cast<Instruction>(U.getUser());
            if (L.contains(By) || (isa<PHINode>(By) && By->getParent() == Exit))
                continue;
            if (!Out) {
                Out = IRBuilder<>(&Exit->front()).CreatePHI(Next->getType(), 2, "tw_left");
                Out->addIncoming(Next, L.getLoopLatch());
            }
            U.set(Out);
        }
    }
}

} // namespace tw_compiler
