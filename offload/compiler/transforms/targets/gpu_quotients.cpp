/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients in kernels for NVIDIA GPUs. A division by a constant of what counts in a loop is one of 64 bits, because LLVM's strength
   reduction takes a counter as wide as an address for all of the loop. It becomes a product of 32 bits. */
#include "passes.h"

#include <utility>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/DivisionByConstantInfo.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* Whether it divides what changes in its loop, as at most 32 bits, by a constant that takes more than a shift. Not if it counts from a
   constant: when the loop is unrolled later, the quotient is a constant, too. */
bool isDivisionInLoop(const Instruction &I, const LoopInfo &LI, ScalarEvolution &SE)
{
    if (I.getOpcode() != Instruction::UDiv && I.getOpcode() != Instruction::URem)
        return false;
    const auto *By = dyn_cast<ConstantInt>(I.getOperand(1));
    const Loop *L = LI.getLoopFor(I.getParent());
    if (!By || !L || By->getBitWidth() > 32 || !By->getValue().ugt(1) || By->getValue().isPowerOf2())
        return false;
    const auto *Frozen = dyn_cast<FreezeInst>(I.getOperand(0));
    const SCEV *Of = SE.getSCEV(Frozen ? Frozen->getOperand(0) : I.getOperand(0));
    return !SE.isLoopInvariant(Of, L) && SCEVExprContains(Of, [](const SCEV *S) { return isa<SCEVUnknown>(S); });
}

/* What it divides, in 32 bits, and the greatest value that this has. Where LLVM made it narrower: what it was before. */
std::pair<Value *, APInt> dividend(const BinaryOperator &Division, IRBuilder<> &B, ScalarEvolution &SE,
                                   DominatorTree &DT)
{
    using namespace PatternMatch;
    Value *X = Division.getOperand(0), *Whole;
    const unsigned Width = X->getType()->getIntegerBitWidth();
    const auto Most = [&SE](Value *Of) { return SE.getUnsignedRangeMax(SE.getSCEV(Of)).zext(32); };
    if (match(X, m_CombineOr(m_Freeze(m_Trunc(m_Value(Whole))), m_Trunc(m_Value(Whole))))
        && Whole->getType()->isIntegerTy(32) && Most(Whole).isIntN(Width)
        && isGuaranteedNotToBeUndefOrPoison(Whole, nullptr, &Division, &DT))
        return {Whole, Most(Whole)};
    if (isGuaranteedNotToBeUndefOrPoison(X, nullptr, &Division, &DT))
        return {B.CreateZExt(X, B.getInt32Ty()), Most(X)};
    return {B.CreateZExt(B.CreateFreeze(X), B.getInt32Ty()), APInt::getLowBitsSet(32, Width)};
}

/* The division as a product of 32 bits, whose upper half comes from an intrinsic that nobody makes wider. */
void writeQuotient(BinaryOperator &Division, ScalarEvolution &SE, DominatorTree &DT)
{
    Module &M = *Division.getModule();
    IRBuilder<> B(&Division);
    Type *Word = B.getInt32Ty();
    const FunctionCallee Upper = M.getOrInsertFunction("llvm.nvvm.mulhi.ui", Word, Word, Word);
    const APInt By = cast<ConstantInt>(Division.getOperand(1))->getValue().zext(32);
    const auto [X, Most] = dividend(Division, B, SE, DT);
    Value *Quotient;
    if ((Most.zext(64) * By.zext(64)).isIntN(32)) { /* the product is too great by less than 2^32 / By */
        Quotient = B.CreateCall(Upper, {X, B.getInt(APInt::getMaxValue(32).udiv(By) + 1)});
    } else {
        const auto Magic = UnsignedDivisionByConstantInfo::get(By, Most.countl_zero());
        Quotient = B.CreateCall(Upper, {B.CreateLShr(X, Magic.PreShift), B.getInt(Magic.Magic)});
        if (Magic.IsAdd)
            Quotient = B.CreateAdd(B.CreateLShr(B.CreateSub(X, Quotient), 1), Quotient);
        Quotient = B.CreateLShr(Quotient, Magic.PostShift);
    }
    if (auto *Product = dyn_cast<CallInst>(Quotient))
        Product->setMetadata(LLVMContext::MD_range,
                             MDBuilder(M.getContext()).createRange(APInt(32, 0), Most.udiv(By) + 1));
    if (Division.getOpcode() == Instruction::URem)
        Quotient = B.CreateSub(X, B.CreateMul(Quotient, B.getInt(By)));
    Division.replaceAllUsesWith(B.CreateTrunc(Quotient, Division.getType()));
    Division.eraseFromParent();
}

} // namespace

bool writeGpuQuotients(Function &F, FunctionAnalysisManager &FAM)
{
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    SmallVector<Instruction *, 8> Divisions;
    for (Instruction &I : instructions(F))
        if (isDivisionInLoop(I, LI, SE))
            Divisions.push_back(&I);
    for (Instruction *I : Divisions)
        writeQuotient(cast<BinaryOperator>(*I), SE, DT);
    return !Divisions.empty();
}

} // namespace tw_compiler
