/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu_values.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* The constraint of inline assembly for a type; null if it has none. */
const char *constraintOf(const Type &Type)
{
    return Type.isFloatTy()       ? "f"
           : Type.isDoubleTy()    ? "d"
           : Type.isIntegerTy(32) ? "r"
           : Type.isIntegerTy(64) ? "l"
                                  : nullptr;
}

} // namespace

Value *hideFromLLVM(IRBuilderBase &B, Value *Integer)
{
    Type *Word = Integer->getType();
    const bool IsLong = Word->isIntegerTy(64);
    auto *Move = InlineAsm::get(FunctionType::get(Word, {Word}, false), IsLong ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;",
                                IsLong ? "=l,l" : "=r,r", false);
    CallInst *Hidden = B.CreateCall(Move, {Integer});
    Hidden->setDoesNotAccessMemory();
    Hidden->setDoesNotThrow();
    return Hidden;
}

bool fitsRegister(const Type &Type)
{
    return constraintOf(Type) != nullptr;
}

Value *computeHere(IRBuilderBase &B, Value *V)
{
    Type *Word = V->getType();
    const std::string Constraint = std::string("=") + constraintOf(*Word) + ",0";
    CallInst *Here = B.CreateCall(InlineAsm::get(FunctionType::get(Word, {Word}, false), "", Constraint, true), {V});
    Here->setDoesNotAccessMemory();
    Here->setDoesNotThrow();
    return Here;
}

} // namespace tw_compiler
