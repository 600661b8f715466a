/* SPDX-License-Identifier: Apache-2.0 */
/* Which instructions divide an index by the width of rows, also by a shift or a mask, and which of them decide who does anything. */
#include "rows.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;

namespace tw_compiler
{

/* The largest number of so many bits. */
APInt mostOf(unsigned Bits, bool Signed)
{
    return Signed ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits);
}

/* What a constant mask leaves of a number: its lower bits are a remainder, its upper ones the number without that. LLVM sets bits of a mask
   as it likes where the number has none, and doubles a number first: 2 * (x & -8) is 2 * x & -16. */
static std::optional<Division> divisionByMask(Instruction &I, Value &Number, const APInt &Bits, ScalarEvolution &SE)
{
    using namespace PatternMatch;
    const unsigned Size = Bits.getBitWidth();
    const APInt Has = APInt::getLowBitsSet(Size, SE.getUnsignedRangeMax(SE.getSCEV(&Number)).getActiveBits()),
                Mask = Bits & Has;
    if (Mask == Has || Mask.isZero())
        return {};
    if (Mask.isMask())
        return Division{&I, &Number, SE.getConstant(Mask + 1), true, false};
    const unsigned Low = Mask.countr_zero();
    if ((Mask | APInt::getLowBitsSet(Size, Low)) != Has)
        return {};
    Value *Whole = &Number;
    const APInt *By = nullptr;
    const unsigned Shift =
        match(&Number, m_Shl(m_Value(Whole), m_APInt(By))) && By->ult(Low) ? unsigned(By->getZExtValue()) : 0;
    Division Result{&I, Shift ? Whole : &Number, SE.getConstant(APInt::getOneBitSet(Size, Low - Shift)), false, false};
    Result.Floor = true;
    Result.Shift = Shift;
    return Result;
}

std::optional<Division> divisionOf(Instruction &I, ScalarEvolution &SE, const Loop &L)
{
    using namespace PatternMatch;
    const APInt *By;
    Value *Number;
    if (!I.getType()->isIntegerTy() || I.getType()->getIntegerBitWidth() > 64)
        return {};
    const unsigned Bits = I.getType()->getIntegerBitWidth();
    if (I.getOpcode() == Instruction::UDiv || I.getOpcode() == Instruction::URem)
        return Division{&I, I.getOperand(0), SE.getSCEV(I.getOperand(1)), I.getOpcode() == Instruction::URem, false};
    if (I.getOpcode() == Instruction::SDiv || I.getOpcode() == Instruction::SRem)
        return Division{&I,  I.getOperand(0), SE.getSCEV(I.getOperand(1)), I.getOpcode() == Instruction::SRem, false,
                        true};
    if (match(&I, m_LShr(m_Value(Number), m_APInt(By))) && By->ult(Bits))
        return Division{&I, Number, SE.getConstant(APInt::getOneBitSet(Bits, unsigned(By->getZExtValue()))), false,
                        false};
    if (match(&I, m_AShr(m_Value(Number), m_APInt(By))) && By->ult(Bits - 1))
        return Division{&I,    Number, SE.getConstant(APInt::getOneBitSet(Bits, unsigned(By->getZExtValue()))),
                        false, false,  true};
    if (match(&I, m_And(m_Value(Number), m_APInt(By))))
        return divisionByMask(I, *Number, *By, SE);
    if (I.getOpcode() == Instruction::And) /* with a width - 1 */
        for (unsigned Mask : {0u, 1u})
            if (L.isLoopInvariant(I.getOperand(Mask)))
                if (const auto *Sum = dyn_cast<SCEVAddExpr>(SE.getSCEV(I.getOperand(Mask)));
                    Sum && Sum->getOperand(0)->isAllOnesValue())
                    return Division{&I, I.getOperand(1 - Mask), SE.getAddExpr(Sum, SE.getOne(I.getType())), true, true};
    return {};
}

/* The remainder that decides whether a work-item does anything in the loop, or null. LLVM tests bits where both numbers are powers of 2:
   the test becomes a comparison. */
Instruction *deciding(const Loop &L)
{
    using namespace PatternMatch;
    auto *Branch = dyn_cast<BranchInst>(L.getHeader()->getTerminator());
    BasicBlock *Latch = L.getLoopLatch();
    if (!Branch || !Branch->isConditional() || (Branch->getSuccessor(0) != Latch && Branch->getSuccessor(1) != Latch))
        return nullptr;
    auto *Test = dyn_cast<ICmpInst>(Branch->getCondition());
    Value *Number;
    const APInt *Mask;
    if (!Test || !L.contains(Test))
        return nullptr;
    auto *Rest = dyn_cast<Instruction>(Test->getOperand(0));
    if (!Test->isEquality())
        return L.isLoopInvariant(Test->getOperand(1)) ? Rest : nullptr;
    if (!match(Test->getOperand(0), m_And(m_Value(Number), m_APInt(Mask))) || !match(Test->getOperand(1), m_Zero())
        || !Mask->isShiftedMask() || Mask->countr_zero() == 0)
        return nullptr;
    const unsigned First = Mask->countr_zero(), Bits = Mask->getBitWidth(), Past = First + Mask->popcount();
    const auto Is = Test->getPredicate() == ICmpInst::ICMP_EQ ? ICmpInst::ICMP_ULT : ICmpInst::ICMP_UGE;
    IRBuilder<> B(Test);
    Value *New = B.CreateAnd(Number, ConstantInt::get(Number->getType(), APInt::getLowBitsSet(Bits, Past)));
    Test->replaceAllUsesWith(B.CreateICmp(Is, New, ConstantInt::get(New->getType(), APInt::getOneBitSet(Bits, First))));
    return dyn_cast<Instruction>(New);
}

} // namespace tw_compiler
