/* SPDX-License-Identifier: Apache-2.0 */
/* Values that LLVM's own passes leave as they are. */
#ifndef TEAMWORK_COMPILER_TARGETS_GPU_VALUES_H
#define TEAMWORK_COMPILER_TARGETS_GPU_VALUES_H

#include <llvm/IR/IRBuilder.h>

namespace tw_compiler
{

/* An integer of 32 or 64 bits again, through which LLVM does not see. ptxas does. */
llvm::Value *hideFromLLVM(llvm::IRBuilderBase &B, llvm::Value *Integer);

/* Whether a value may be an operand of an instruction of assembly. */
bool fitsRegister(const llvm::Type &Type);

/* A value again, that is computed where the builder is, and nowhere later. */
llvm::Value *computeHere(llvm::IRBuilderBase &B, llvm::Value *V);

} // namespace tw_compiler

#endif
