/* SPDX-License-Identifier: Apache-2.0 */
/* Reciprocals in kernels for NVIDIA GPUs. ptxas makes code that can be linked, where CUDA's compiler makes whole programs. The rare path of
   1 / x is a call there, by the ABI: what is live around it must be in registers that the call preserves, and constants are loaded again
   behind it. The same arithmetic, written out, has a rare path in place. Results are the same: correctly rounded. */
#include "passes.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* Whether it is 1 / x of floats, to be rounded correctly. Options and metadata may ask for less. */
bool isReciprocal(const Instruction &I)
{
    if (I.getOpcode() != Instruction::FDiv || !I.getType()->isFloatTy() || I.hasApproxFunc()
        || I.getMetadata(LLVMContext::MD_fpmath))
        return false;
    const auto *One = dyn_cast<ConstantFP>(I.getOperand(0));
    return One && One->isExactlyValue(1.0) && !isa<Constant>(I.getOperand(1));
}

/* What CUDA's compiler makes of 1 / x where x and the result are normal numbers and not at the range's ends: one step of Newton from
   the hardware's approximation. Else the same in double, whose range and precision make one rounding of it; and zero, infinity and
   NaN are what the approximation makes of them. */
void writeReciprocal(Instruction &Division)
{
    Module &M = *Division.getModule();
    IRBuilder<> B(&Division);
    Value *X = Division.getOperand(1);
    Type *Float = B.getFloatTy(), *Double = B.getDoubleTy(), *Word = B.getInt32Ty();
    const FunctionCallee Approximate = M.getOrInsertFunction("llvm.nvvm.rcp.approx.ftz.f", Float, Float);
    const FunctionCallee Wide = M.getOrInsertFunction("llvm.nvvm.rcp.approx.ftz.d", Double, Double);
    const FunctionCallee Fma = M.getOrInsertFunction("llvm.fma.f32", Float, Float, Float, Float);
    const FunctionCallee WideFma = M.getOrInsertFunction("llvm.fma.f64", Double, Double, Double, Double);

    Value *First = B.CreateCall(Approximate, {X});
    Value *Error = B.CreateFNeg(B.CreateCall(Fma, {X, First, ConstantFP::get(Float, -1)}));
    Value *Usual = B.CreateCall(Fma, {First, Error, First});
    /* exponents 0, 253, 254 and 255 go the other way */
    Value *Exponent = B.CreateAnd(B.CreateAdd(B.CreateBitCast(X, Word), B.getInt32(0x1800000)), B.getInt32(0x7f800000));
    Value *Rare = B.CreateICmpULE(Exponent, B.getInt32(0x1ffffff));
    BasicBlock *From = Division.getParent();
    Instruction *Then = SplitBlockAndInsertIfThen(Rare, Division.getIterator(), false,
                                                  MDBuilder(M.getContext()).createBranchWeights(1, 1 << 20));

    B.SetInsertPoint(Then);
    Value *D = B.CreateFPExt(X, Double), *One = ConstantFP::get(Double, 1);
    Value *R = B.CreateCall(Wide, {D});
    for (int Step = 0; Step < 3; ++Step)
        R = B.CreateCall(WideFma, {R, B.CreateCall(WideFma, {B.CreateFNeg(D), R, One}), R});
    Value *Magnitude = B.CreateAnd(B.CreateBitCast(X, Word), B.getInt32(0x7fffffff));
    Value *Number = B.CreateICmpULT(B.CreateSub(Magnitude, B.getInt32(1)), B.getInt32(0x7f7fffff));
    Value *Other = B.CreateSelect(Number, B.CreateFPTrunc(R, Float), First);

    B.SetInsertPoint(&Division);
    PHINode *Result = B.CreatePHI(Float, 2);
    Result->addIncoming(Usual, From);
    Result->addIncoming(Other, Then->getParent());
    Division.replaceAllUsesWith(Result);
    Division.eraseFromParent();
}

} // namespace

bool writeGpuReciprocals(Function &F, FunctionAnalysisManager &)
{
    SmallVector<Instruction *, 8> Reciprocals;
    if (F.getDenormalMode(APFloat::IEEEsingle()) == DenormalMode::getIEEE())
        for (Instruction &I : instructions(F))
            if (isReciprocal(I))
                Reciprocals.push_back(&I);
    for (Instruction *I : Reciprocals)
        writeReciprocal(*I);
    return !Reciprocals.empty();
}

} // namespace tw_compiler
