/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work-items that find their row and column by a division:
 *
 *     for (at = 0; at < count; ++at)                        for each row
 *         element(at / width, at % width)         becomes       for (column = 0; column < width; ++column)
 *                                                                   element(row, column)
 *
 * so that neighbours in a row are neighbours in memory for all to see. So do loops in which the remainder says who does anything, as in a
 * tree for each row of a group. All work-items go by the loop as it was if rows are short, which is looked at when the loop runs if the
 * width is not constant. Of planes, rows and columns the planes come first, and rows are those of their loops.
 *
 * A loop mostly has many rows, or whole ones: work-items in front of the first whole row, and behind the last one, go by the loop as it
 * was. A group whose rows have a width that is not constant mostly lies in one row or in two: its first row and its last one have as many
 * columns as there are.
 *
 * A group of a constant size may lie in one row as a whole, as in `sums[index / block]`: its loop gets a copy for that, in which the
 * quotient is computed once.
 */
#include "rows.h"

#include "parts.h"
#include "passes.h"

#include "analysis/predicates.h"
#include "base/contract.h"
#include "base/marks.h"
#include "diagnostics/remarks.h"
#include "utilities/budget.h"

#include <utility>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr uint64_t ShortRow = 8;
constexpr unsigned LeastInRows = 64;                /* of a loop, if the width is not known */
constexpr unsigned MostInRows = 400;                /* instructions of the loop */
constexpr const char *PlaneMark = "teamwork.plane"; /* a loop over a row, in which there may be rows again */
constexpr unsigned LeastInOneRow = 16, MostInOneRow = 1024,
                   MostOfCopy = 100; /* turns, and instructions, for a copy in one row */

class Rows
{
  public:
    Rows(Function &F, Loop &L, ScalarEvolution &SE) : F(F), L(L), SE(SE), DL(F.getParent()->getDataLayout())
    {
    }
    bool run();

  private:
    Function &F;
    Loop &L;
    ScalarEvolution &SE;
    const DataLayout &DL;
    BasicBlock *Preheader = nullptr;
    const SCEV *Turns = nullptr; /* but one */
    const SCEV *Start = nullptr; /* of what is divided */
    const SCEV *Width = nullptr;
    SmallVector<Division, 8> Divisions, OfRows; /* by the width, and by that of rows of which it is a multiple */
    bool InParts = false;                       /* the first row and the last one may be parts of rows */
    /* in front of the loop: what is divided in the first turn, by what, the last turn, and the number of turns */
    Value *From = nullptr, *By = nullptr, *Last = nullptr, *Count = nullptr;
    Value *Skipped = nullptr;                /* columns of the first row that come before the first turn */
    Value *First = nullptr, *Done = nullptr; /* the turn in which rows begin, and the first one behind them */
    Value *Rows_ = nullptr, *Row0 = nullptr; /* how many rows, and the quotient in the first one */

    bool isBefore(const SCEV *S) const
    {
        return isBeforeLoop(S, L, SE, Expander(SE, DL, "tw"));
    }
    bool isSuitable();
    const SCEV *startOf(const Division &Of);
    bool isSameInOtherBits(const SCEV *From, const Division &Of) const;
    bool mayBeginWithRow(const SCEV *From, const Division &Of) const;
    static bool isMultiple(const SCEV *Of, const SCEV *By);
    bool copyForOneRow();
    void collect();
    Value *wide(IRBuilder<> &B, Expander &Expand, const SCEV *S) const;
    Value *isWorthIt(IRBuilder<> &B, Expander &Expand);
    void findRows(IRBuilder<> &B, Expander &Expand);
    void replaceDivisions(const Copy &Inside, BasicBlock *Row, PHINode *Number);
    void divide();
};

bool Rows::isSuitable()
{
    Preheader = L.getLoopPreheader();
    if (!isLeftAtEnd(L))
        return false;
    Turns = SE.getBackedgeTakenCount(&L);
    if (isa<SCEVCouldNotCompute>(Turns) || !isBefore(Turns))
        return false;
    return isClosed(L, MostInRows) && hasCountersAlone(L, SE, Expander(SE, DL, "tw"));
}

/* What is divided in the first turn, if it is one more in each turn; or null. */
const SCEV *Rows::startOf(const Division &Of)
{
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Of.Number));
    return Rec && Rec->getLoop() == &L && Rec->isAffine() && Rec->getStepRecurrence(SE)->isOne()
                   && isBefore(Rec->getStart())
               ? Rec->getStart()
               : nullptr;
}

/* Whether a division is that of the rows, of integers with other bits that hold all that is divided. */
bool Rows::isSameInOtherBits(const SCEV *From, const Division &Of) const
{
    const auto *From_ = dyn_cast<SCEVConstant>(From), *By_ = dyn_cast<SCEVConstant>(Of.Width);
    const auto *Start_ = dyn_cast<SCEVConstant>(Start), *Width_ = dyn_cast<SCEVConstant>(Width);
    const unsigned Count = SE.getSmallConstantTripCount(&L), Bits = unsigned(SE.getTypeSizeInBits(From->getType()));
    const APInt Most = mostOf(Bits, Of.Signed);
    return From_ && By_ && Start_ && Width_ && Count && APInt::isSameValue(From_->getAPInt(), Start_->getAPInt())
           && APInt::isSameValue(By_->getAPInt(), Width_->getAPInt()) && Most.ugt(From_->getAPInt())
           && (Most - From_->getAPInt()).uge(Count);
}

/* Whether a division has the width of the rows, and probably goes to its next row with them, as local and global ids do. */
bool Rows::mayBeginWithRow(const SCEV *From, const Division &Of) const
{
    const auto *By_ = dyn_cast<SCEVConstant>(Of.Width), *Width_ = dyn_cast<SCEVConstant>(Width);
    const auto ConstantOf = [](const SCEV *S) {
        const auto *Sum = dyn_cast<SCEVAddExpr>(S);
        const auto *Constant = dyn_cast<SCEVConstant>(Sum ? Sum->getOperand(0) : S);
        return Constant ? Constant->getAPInt().sextOrTrunc(64) : APInt(64, 0);
    };
    return By_ && Width_ && !Of.ByMask && APInt::isSameValue(By_->getAPInt(), Width_->getAPInt())
           && By_->getAPInt().getActiveBits() < 32
           && (ConstantOf(From) - ConstantOf(Start)).srem(By_->getAPInt().zextOrTrunc(64)).isZero();
}

/* Whether a plane of this size has rows of that width, if their product does not wrap around. */
bool Rows::isMultiple(const SCEV *Of, const SCEV *By)
{
    const auto *Plane = dyn_cast<SCEVConstant>(Of), *Row = dyn_cast<SCEVConstant>(By);
    if (Plane && Row)
        return Plane->getAPInt().ugt(Row->getAPInt()) && Plane->getAPInt().urem(Row->getAPInt()).isZero();
    const auto *Product = dyn_cast<SCEVMulExpr>(Of);
    return Product && is_contained(Product->operands(), By);
}

/* A copy of the loop for where all work-items have the same quotients, and the loop as it was for where they have not. */
bool Rows::copyForOneRow()
{
    const uint64_t Count = SE.getSmallConstantTripCount(&L);
    SmallVector<std::pair<Division, const SCEV *>, 4> Found;
    size_t Instructions = 0;
    for (BasicBlock *Block : L.blocks()) {
        Instructions += Block->size();
        for (Instruction &I : *Block) {
            const std::optional<Division> Of = divisionOf(I, SE, L);
            const SCEV *From = Of && !Of->Rest && !Of->Floor && reachesAddress(&I, 0) ? startOf(*Of) : nullptr;
            const auto *Fixed = From ? dyn_cast<SCEVConstant>(Of->Width) : nullptr;
            if (Fixed && Fixed->getAPInt().uge(Count) && !(Of->Signed && Fixed->getAPInt().isNegative()))
                Found.push_back({*Of, From});
        }
    }
    if (Found.empty() || !L.isInnermost() || Count < LeastInOneRow || Count > MostInOneRow || Instructions > MostOfCopy)
        return false;
    Instruction *At = Preheader->getTerminator();
    IRBuilder<> B(At);
    Expander Expand(SE, DL, "tw_row");
    Value *Same = B.getTrue();
    SmallVector<Value *, 4> Quotients;
    for (auto &[Of, Start] : Found) {
        Value *From = B.CreateFreeze(Expand.expandCodeFor(Start, Start->getType(), At->getIterator()));
        const APInt &By = cast<SCEVConstant>(Of.Width)->getAPInt();
        Value *Width = ConstantInt::get(From->getType(), By), *Turns_ = ConstantInt::get(From->getType(), Count - 1);
        /* neither does the index wrap around */
        Same = B.CreateAnd(
            Same, B.CreateICmpULT(B.CreateURem(From, Width), ConstantInt::get(From->getType(), By - (Count - 1))));
        Value *Most = B.getInt(mostOf(From->getType()->getIntegerBitWidth(), Of.Signed));
        Same = B.CreateAnd(Same, B.CreateICmpULE(From, B.CreateSub(Most, Turns_)));
        Quotients.push_back(B.CreateUDiv(From, Width));
    }
    const Version OneRow = versionLoop(L, Same, B.getInt64(Count), "one_row");
    for (auto [Each, Quotient] : zip(Found, Quotients))
        cast<Instruction>(static_cast<Value *>(OneRow.Made->Map[Each.first.I]))->replaceAllUsesWith(Quotient);
    return true;
}

void Rows::collect()
{
    const Instruction *Deciding = deciding(L);
    SmallVector<std::pair<Division, const SCEV *>, 8> All;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            const std::optional<Division> Found = divisionOf(I, SE, L);
            const SCEV *From = Found && isBefore(Found->Width) ? startOf(*Found) : nullptr;
            if (!From)
                continue;
            /* rows of a group: mostly one of them at most would fit */
            const unsigned Count = SE.getSmallConstantTripCount(&L);
            const auto *Fixed = dyn_cast<SCEVConstant>(Found->Width);
            if (Count != 0 && Count < (Fixed ? 2 * Fixed->getAPInt().getZExtValue() : LeastInRows))
                continue;
            if (Fixed && Fixed->getAPInt().ult(ShortRow))
                continue;
            All.push_back({*Found, From});
            if ((&I == Deciding || reachesAddress(&I, 0))
                && (!Width || (Start == From && isMultiple(Found->Width, Width)))) {
                Start = From;
                Width = Found->Width;
            }
        }
    for (auto &[Found, From] : All)
        if (Width && ((Start == From && Width == Found.Width) || isSameInOtherBits(From, Found)))
            Divisions.push_back(Found);
        else if (Width && mayBeginWithRow(From, Found)) {
            Divisions.push_back(Found);
            Divisions.back().Start = From;
        } else if (Width && Start == From && !Found.ByMask && !Found.Floor && isMultiple(Width, Found.Width))
            OfRows.push_back(Found);
}

/* A value in front of the loop, without poison. */
Value *Rows::wide(IRBuilder<> &B, Expander &Expand, const SCEV *S) const
{
    Instruction *At = Preheader->getTerminator();
    Value *V = Expand.expandCodeFor(S, S->getType(), At->getIterator());
    B.SetInsertPoint(At);
    return B.CreateZExt(isa<Constant>(V) ? V : B.CreateFreeze(V), B.getInt64Ty());
}

/* Whether nothing wraps around, and the rows are worth it. */
Value *Rows::isWorthIt(IRBuilder<> &B, Expander &Expand)
{
    const auto IsSigned = [](const Division &Each) { return Each.Signed; };
    const auto MostOf = [&](const SCEV *S, bool Signed) {
        return B.getInt(mostOf(unsigned(SE.getTypeSizeInBits(S->getType())), Signed).zext(64));
    };
    const bool Signed = any_of(Divisions, IsSigned) || any_of(OfRows, IsSigned);
    Value *Most = MostOf(Start, Signed);
    Value *Good =
        B.CreateAnd(B.CreateICmpULE(Last, B.CreateSub(Most, From)), B.CreateICmpUGE(By, B.getInt64(ShortRow)));
    if (Signed)
        Good = B.CreateAnd(Good, B.CreateAnd(B.CreateICmpULE(From, Most), B.CreateICmpULE(By, Most)));
    Good = B.CreateAnd(Good, B.CreateIsNotNull(Count));
    if (any_of(Divisions, [](const Division &Each) { return Each.ByMask; }))
        Good = B.CreateAnd(Good, B.CreateIsNull(B.CreateAnd(By, B.CreateSub(By, B.getInt64(1)))));
    for (const Division &Each : Divisions) {
        if (!Each.Start)
            continue;
        Value *Own = wide(B, Expand, Each.Start), *MostOwn = MostOf(Each.Start, Each.Signed);
        Good = B.CreateAnd(
            Good, B.CreateAnd(B.CreateICmpULE(Own, MostOwn), B.CreateICmpULE(Last, B.CreateSub(MostOwn, Own))));
        Good = B.CreateAnd(Good, B.CreateICmpEQ(B.CreateURem(Own, By), B.CreateURem(From, By))); /* by a constant */
    }
    for (Division &Each : OfRows) {
        Each.By = wide(B, Expand, Each.Width);
        Value *None = B.CreateIsNull(Each.By);
        Value *Over = B.CreateURem(By, B.CreateSelect(None, B.getInt64(1), Each.By));
        Good = B.CreateAnd(Good, B.CreateNot(B.CreateOr(None, B.CreateIsNotNull(Over))));
    }
    return Good;
}

/* Computes in front of the loop which rows there are, and where they begin and end. */
void Rows::findRows(IRBuilder<> &B, Expander &Expand)
{
    InParts = SE.getSmallConstantTripCount(&L) != 0 && !isa<SCEVConstant>(Width);
    Last = wide(B, Expand, Turns);
    From = wide(B, Expand, Start);
    By = wide(B, Expand, Width);
    Count = B.CreateAdd(Last, B.getInt64(1));
    Value *Good = isWorthIt(B, Expand), *Zero = B.getInt64(0);
    Value *Divisor = B.CreateSelect(Good, By, B.getInt64(1)); /* By is what it is in rows */
    Skipped = B.CreateURem(From, Divisor);
    First = Zero;
    if (InParts) {
        Rows_ = B.CreateAdd(B.CreateUDiv(B.CreateAdd(Skipped, Last), Divisor), B.getInt64(1));
    } else {
        First = B.CreateSelect(B.CreateIsNull(Skipped), Zero, B.CreateSub(Divisor, Skipped));
        First = B.CreateBinaryIntrinsic(Intrinsic::umin, First, Count);
        Rows_ = B.CreateUDiv(B.CreateSub(Count, First), Divisor);
    }
    Rows_ = B.CreateSelect(Good, Rows_, Zero, "tw_rows");
    Row0 = B.CreateUDiv(B.CreateAdd(From, First), Divisor);
    for (Division &Each : Divisions)
        if (Each.Start)
            Each.Row = B.CreateUDiv(B.CreateAdd(wide(B, Expand, Each.Start), First), Divisor);
    Done = InParts ? B.CreateSelect(Good, Count, Zero) : B.CreateAdd(First, B.CreateMul(Rows_, Divisor));
}

/* In a row the quotient is the number of the row, and the remainder that of the column. */
void Rows::replaceDivisions(const Copy &Inside, BasicBlock *Row, PHINode *Number)
{
    IRBuilder<> OfRow(Row->getTerminator());
    Value *Index = OfRow.CreateAdd(Row0, Number);
    const auto In = [&](const Division &Each) {
        return cast<Instruction>(static_cast<Value *>(Inside.Map.lookup(Each.I)));
    };
    for (const Division &Each : Divisions) {
        Instruction *I = In(Each);
        IRBuilder<> Here(Each.Rest ? &*Inside.Header->getFirstInsertionPt() : Row->getTerminator());
        Value *Quotient = Each.Row && !Each.Rest ? Here.CreateAdd(Each.Row, Number) : Index;
        if (Each.Floor)
            Quotient = Here.CreateShl(Here.CreateMul(Quotient, By), Each.Shift);
        I->replaceAllUsesWith(Here.CreateTrunc(Each.Rest ? Inside.Counter : Quotient, I->getType()));
    }
    for (const Division &Each : OfRows) { /* of a plane, which begins with a row */
        Instruction *I = In(Each);
        IRBuilder<> Here(&*Inside.Header->getFirstInsertionPt());
        Value *Turn = Here.CreateTrunc(Inside.Counter, I->getType()), *Width_ = Here.CreateTrunc(Each.By, I->getType());
        if (Each.Rest) {
            I->replaceAllUsesWith(Here.CreateURem(Turn, Width_));
            continue;
        }
        Value *Before = OfRow.CreateTrunc(OfRow.CreateMul(Index, OfRow.CreateUDiv(By, Each.By)), I->getType());
        I->replaceAllUsesWith(Here.CreateAdd(Before, Here.CreateUDiv(Turn, Width_)));
    }
}

/* Preheader -> [the turns in front of the first whole row] -> Middle -> [rows] -> Behind -> [the loop, for other turns] */
void Rows::divide()
{
    LLVMContext &Context = F.getContext();
    BasicBlock *Exit = L.getExitBlock(), *Header = L.getHeader();
    const DebugLoc Where = Preheader->getTerminator()->getDebugLoc();
    Instruction *At = Preheader->getTerminator();
    IRBuilder<> B(At);
    Expander Expand(SE, DL, "tw_row");
    findRows(B, Expand);
    const CountersOf Counted(L, SE, Expand);
    B.SetInsertPoint(At);
    BasicBlock *Middle = blockBefore(L, "tw_middle"), *Row = blockBefore(L, "tw_row"),
               *RowEnd = blockBefore(L, "tw_row_end"), *Behind = blockBefore(L, "tw_behind"),
               *Rest = blockBefore(L, "tw_rest");
    Value *HasRows = B.CreateIsNotNull(Rows_), *HasRest = B.CreateICmpNE(Done, Count);
    if (InParts) {
        jump(Preheader, Middle, Where);
    } else {
        BasicBlock *Entry = blockBefore(L, "tw_first"), *End = blockBefore(L, "tw_first_end");
        B.CreateCondBr(B.CreateIsNotNull(First), Entry, Middle);
        jump(Entry, copyLoop(L, Preheader, "first", B.getInt64(0), First, Entry, End)->Header, Where);
        jump(End, Middle, Where);
    }
    At->eraseFromParent();
    B.SetInsertPoint(Middle);
    B.SetCurrentDebugLocation(Where);
    B.CreateCondBr(HasRows, Row, Behind);
    B.SetInsertPoint(Behind);
    B.CreateCondBr(HasRest, Rest, Exit);
    jump(Rest, Header, Where);

    B.SetInsertPoint(Row);
    PHINode *Number = B.CreatePHI(B.getInt64Ty(), 2, "tw_row");
    Number->addIncoming(B.getInt64(0), Middle);
    Value *Before = B.CreateMul(Number, By), *Turn = B.CreateAdd(First, Before), *Column = B.getInt64(0), *Past = By;
    if (InParts) {
        Column = B.CreateSelect(B.CreateIsNull(Number), Skipped, Column);
        Turn = B.CreateSub(B.CreateAdd(Before, Column), Skipped);
        Past = B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateSub(By, B.getInt64(1)),
                                       B.CreateSub(B.CreateAdd(Skipped, Last), Before));
        Past = B.CreateAdd(Past, B.getInt64(1));
    }
    auto Inside = copyLoop(L, Preheader, "row", Column, Past, Row, RowEnd);
    for (PHINode &Phi : Header->phis()) {
        Value *Init = Phi.getIncomingValueForBlock(Preheader);
        cast<PHINode>(Inside->Map[&Phi])->setIncomingValueForBlock(Row, Counted.moved(B, Phi, Init, Turn));
        IRBuilder<> InRest(Rest->getTerminator());
        Phi.setIncomingValueForBlock(Preheader, Counted.moved(InRest, Phi, Init, Done));
        Phi.replaceIncomingBlockWith(Preheader, Rest);
    }
    B.CreateBr(Inside->Header);
    replaceDivisions(*Inside, Row, Number);
    markLoop(Inside->Latch, PlaneMark);
    B.SetInsertPoint(RowEnd);
    Value *Next = B.CreateAdd(Number, B.getInt64(1), "", true, true);
    Instruction *Back = B.CreateCondBr(B.CreateICmpEQ(Next, Rows_), Behind, Row);
    if (F.hasFnAttribute(SplitRole)) /* rows of a group, or of a tile: mostly short */
        Back->setMetadata(LLVMContext::MD_loop,
                          loopMetadata(Context, RowsMark, turnsApart(L) == UINT64_MAX ? UINT64_MAX : 1));
    Number->addIncoming(Next, RowEnd);
    leaveFrom(L, Behind, nullptr); /* nobody uses what the loop computes, by isSuitable() */
}

bool Rows::run()
{
    if (!isSuitable())
        return false;
    collect();
    if (Divisions.empty())
        return copyForOneRow();
    divide();
    return true;
}

} // namespace

/* Makes rows of the loops over work-items of a function, or of those that such rows have become. */
bool makeRows(Function &F, FunctionAnalysisManager &FAM, bool OfPlanes)
{
    return changeLoops(F, FAM, OfPlanes ? "teamwork.rows_of_planes" : "teamwork.rows", [&](Loop &L) {
        if (OfPlanes && !hasLoopMark(L, PlaneMark))
            return false;
        if (!Rows(F, L, FAM.getResult<ScalarEvolutionAnalysis>(F)).run())
            return false;
        tellRemark(F, {"teamwork-rows", "Rows", false, L.getStartLoc(), L.getStartLoc()},
                   "work-items of kernel " + kernelOf(F)
                       + " divide an index by the width of rows: they run row by row");
        return true;
    });
}

} // namespace tw_compiler
