/* SPDX-License-Identifier: Apache-2.0 */
/** What all work-items of a loop combine (reductions.cpp). */
#ifndef TEAMWORK_COMPILER_ANALYSIS_REDUCTIONS_H
#define TEAMWORK_COMPILER_ANALYSIS_REDUCTIONS_H

#include <optional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

namespace tw_compiler
{

/* What all work-items combine, in any order: one of three kinds of operations. */
struct Reduction {
    llvm::PHINode *Phi = nullptr;                              /* what came before a work-item */
    llvm::Instruction *Next = nullptr;                         /* what goes on to the next one */
    unsigned Opcode = 0;                                       /* of two numbers; or 0 */
    llvm::Intrinsic::ID Call = llvm::Intrinsic::not_intrinsic; /* minimum or maximum of integers */
    llvm::CmpInst::Predicate Is =
        llvm::CmpInst::BAD_FCMP_PREDICATE; /* of floating-point numbers: such a new one is taken */
    llvm::SmallVector<llvm::Instruction *, 4> Operations;
    llvm::SmallPtrSet<const llvm::Value *, 8>
        Chain; /* all that has been combined at some point, Phi and Next among them */

    llvm::Constant *identity() const;
    llvm::Value *combine(llvm::IRBuilder<> &B, llvm::Value *All, llvm::Value *One) const;
};
std::optional<Reduction> findReduction(llvm::PHINode &Phi, const llvm::Loop &L);

} // namespace tw_compiler

#endif
