/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions: what all work-items of a loop combine, in any order (tw_combine()). Each lane of a vector may combine for itself, beginning
 * with what changes nothing; behind the loop the lanes are combined.
 */
#include "reductions.h"

#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* Goes from the phi of a loop along all that is made of it, which must be the same operation throughout. */
class ReductionFinder
{
  public:
    ReductionFinder(Reduction &R, const Loop &L) : R(R), L(L), Chain(R.Chain)
    {
    }
    bool run();

  private:
    Reduction &R;
    const Loop &L;
    SmallPtrSetImpl<const Value *> &Chain;
    SmallPtrSet<const Instruction *, 2> Extremes; /* choices by takeChoice(), and their comparisons */

    bool is(unsigned Opcode, Intrinsic::ID Call, CmpInst::Predicate Is);
    bool take(Instruction &I);
    bool takeChoice(const SelectInst &Choice);
    bool isComplete(Instruction &I) const;
};

/* Whether it is the same operation as before. */
bool ReductionFinder::is(unsigned Opcode, Intrinsic::ID Call, CmpInst::Predicate Is)
{
    if (R.Opcode == 0 && R.Call == Intrinsic::not_intrinsic && R.Is == CmpInst::BAD_FCMP_PREDICATE) {
        R.Opcode = Opcode;
        R.Call = Call;
        R.Is = Is;
    }
    return R.Opcode == Opcode && R.Call == Call && R.Is == Is;
}

/* x < so_far ? x : so_far, of floating-point numbers. */
bool ReductionFinder::takeChoice(const SelectInst &Choice)
{
    const auto *Compare = dyn_cast<FCmpInst>(Choice.getCondition());
    if (!Compare || !Compare->hasOneUse())
        return false;
    const Value *Yes = Choice.getTrueValue(), *No = Choice.getFalseValue();
    CmpInst::Predicate Is = Compare->getPredicate();
    if (Chain.count(Yes)) {
        std::swap(Yes, No);
        Is = CmpInst::getInversePredicate(Is);
    }
    if (Compare->getOperand(0) == No && Compare->getOperand(1) == Yes)
        Is = CmpInst::getSwappedPredicate(Is);
    else if (Compare->getOperand(0) != Yes || Compare->getOperand(1) != No)
        return false;
    if (Chain.count(Yes) || !Chain.count(No))
        return false;
    if (Is == CmpInst::FCMP_OLE || Is == CmpInst::FCMP_OGE) /* equal ones are as good */
        Is = Is == CmpInst::FCMP_OLE ? CmpInst::FCMP_OLT : CmpInst::FCMP_OGT;
    return (Is == CmpInst::FCMP_OLT || Is == CmpInst::FCMP_OGT) && is(0, Intrinsic::not_intrinsic, Is);
}

/* Whether the user of a value of the chain may be one of it; its other operands are looked at when all of the chain is known. */
bool ReductionFinder::take(Instruction &I)
{
    switch (I.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
        if (!I.hasAllowReassoc())
            return false;
        return is(I.getOpcode() == Instruction::FSub ? unsigned(Instruction::FAdd) : I.getOpcode(),
                  Intrinsic::not_intrinsic, CmpInst::BAD_FCMP_PREDICATE);
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
        return is(I.getOpcode() == Instruction::Sub ? unsigned(Instruction::Add) : I.getOpcode(),
                  Intrinsic::not_intrinsic, CmpInst::BAD_FCMP_PREDICATE);
    case Instruction::PHI:
        return I.getParent() != L.getHeader();
    case Instruction::Select:
    case Instruction::Freeze:
        return true;
    default:
        return isa<MinMaxIntrinsic>(I) && is(0, cast<MinMaxIntrinsic>(I).getIntrinsicID(), CmpInst::BAD_FCMP_PREDICATE);
    }
}

/* Whether one operand is of the chain and the others are not, or, where there is a choice among values, all of them. */
bool ReductionFinder::isComplete(Instruction &I) const
{
    const auto IsIn = [&](const Value *V) { return Chain.count(V) != 0; };
    if (auto *Phi = dyn_cast<PHINode>(&I))
        return all_of(Phi->incoming_values(), IsIn);
    auto *Choice = dyn_cast<SelectInst>(&I);
    if (Choice && Extremes.count(Choice))
        return IsIn(Choice->getTrueValue()) != IsIn(Choice->getFalseValue());
    if (Choice)
        return !IsIn(Choice->getCondition()) && IsIn(Choice->getTrueValue()) && IsIn(Choice->getFalseValue());
    if (I.getOpcode() == Instruction::Sub || I.getOpcode() == Instruction::FSub)
        return IsIn(I.getOperand(0)) && !IsIn(I.getOperand(1));
    return count_if(I.operand_values(), IsIn) == 1;
}

bool ReductionFinder::run()
{
    Chain.insert(R.Phi);
    SmallVector<Instruction *, 8> Open{R.Phi}, Found;
    SmallVector<Instruction *, 2> Leaving, Compares;
    while (!Open.empty()) {
        Instruction *V = Open.pop_back_val();
        for (User *U : V->users()) {
            auto *I = cast<Instruction>(U);
            if (!L.contains(I)) {
                if (!isa<PHINode>(I) || !I->use_empty())
                    Leaving.push_back(V);
                continue;
            }
            if (I == R.Phi || Chain.count(I))
                continue;
            if (isa<FCmpInst>(I)) {
                Compares.push_back(I);
                continue;
            }
            auto *Choice = dyn_cast<SelectInst>(I);
            if (Choice && isa<FCmpInst>(Choice->getCondition()) && takeChoice(*Choice)) {
                Extremes.insert(Choice);
                Extremes.insert(cast<Instruction>(Choice->getCondition()));
            } else if (!take(*I))
                return false;
            Chain.insert(I);
            Found.push_back(I);
            Open.push_back(I);
        }
    }
    for (Instruction *I : Found) {
        if (!isComplete(*I))
            return false;
        if (isa<BinaryOperator>(I) || isa<CallInst>(I) || Extremes.count(I))
            R.Operations.push_back(I);
    }
    append_range(R.Operations, Compares);
    R.Next = dyn_cast<Instruction>(R.Phi->getIncomingValueForBlock(L.getLoopLatch()));
    return !R.Operations.empty() && R.Next && R.Next != R.Phi && Chain.count(R.Next)
           && all_of(Compares, [&](const Instruction *I) { return Extremes.count(I) != 0; })
           && all_of(Leaving, [&](const Instruction *I) { return I == R.Next; });
}

} // namespace

std::optional<Reduction> findReduction(PHINode &Phi, const Loop &L)
{
    Reduction R;
    R.Phi = &Phi;
    Type *T = Phi.getType();
    if ((!T->isIntegerTy() || T->isIntegerTy(1)) && !T->isFloatTy() && !T->isDoubleTy())
        return {};
    return ReductionFinder(R, L).run() ? std::optional(R) : std::nullopt;
}

/* What changes nothing. */
Constant *Reduction::identity() const
{
    Type *T = Phi->getType();
    const unsigned Bits = T->isIntegerTy() ? T->getIntegerBitWidth() : 0;
    if (Opcode != 0)
        return ConstantExpr::getBinOpIdentity(Opcode, T);
    if (Is != CmpInst::BAD_FCMP_PREDICATE)
        return ConstantFP::getInfinity(T, Is == CmpInst::FCMP_OGT);
    switch (Call) {
    case Intrinsic::smin:
        return ConstantInt::get(T, APInt::getSignedMaxValue(Bits));
    case Intrinsic::smax:
        return ConstantInt::get(T, APInt::getSignedMinValue(Bits));
    case Intrinsic::umin:
        return ConstantInt::get(T, APInt::getMaxValue(Bits));
    default:
        return ConstantInt::get(T, 0);
    }
}

Value *Reduction::combine(IRBuilder<> &B, Value *All, Value *One) const
{
    if (Call != Intrinsic::not_intrinsic)
        return B.CreateBinaryIntrinsic(Call, All, One);
    if (Is != CmpInst::BAD_FCMP_PREDICATE)
        return B.CreateSelect(B.CreateFCmp(Is, One, All), One, All);
    Value *Both = B.CreateBinOp(Instruction::BinaryOps(Opcode), All, One);
    if (auto *I = dyn_cast<Instruction>(Both); I && isa<FPMathOperator>(I))
        I->setHasAllowReassoc(true);
    return Both;
}

} // namespace tw_compiler
