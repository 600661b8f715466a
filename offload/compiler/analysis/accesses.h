/* SPDX-License-Identifier: Apache-2.0 */
/* What a loop over work-items reads and writes. */
#ifndef TEAMWORK_COMPILER_ANALYSIS_ACCESSES_H
#define TEAMWORK_COMPILER_ANALYSIS_ACCESSES_H

#include <cstdint>
#include <optional>
#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>

namespace tw_compiler
{

std::optional<int64_t> growthOf(const llvm::SCEV *S, const llvm::Loop &L, llvm::ScalarEvolution &SE,
                                llvm::function_ref<std::optional<int64_t>(const llvm::Value *)> OfValue,
                                llvm::function_ref<bool(const llvm::SCEV *, int64_t)> Extends);

class Accesses
{
  public:
    /* `Wraps`: whether indices may wrap around before they are extended */
    Accesses(llvm::Loop &L, llvm::ScalarEvolution &SE, bool Wraps = true) : L(L), SE(SE), Wraps(Wraps)
    {
    }
    std::optional<int64_t> growth(const llvm::SCEV *S);
    bool isFar(llvm::Instruction &I);
    bool isIndirect(llvm::Instruction &I) const;
    llvm::Instruction *sharedVariable();
    bool keepsOrder(llvm::AAResults &AA);
    /* Loads and stores of an array where work-items combine values, for each array that may be one. */
    std::vector<llvm::SmallVector<llvm::Instruction *, 4>> combined();
    llvm::DenseSet<const llvm::AllocaInst *> Own; /* variables that each work-item has for itself */
    const llvm::Value *Lane = nullptr;            /* is one more for the next work-item, where that counts */

  private:
    llvm::Loop &L;
    llvm::ScalarEvolution &SE;
    const bool Wraps;

    void forEachObject(llvm::function_ref<void(llvm::Instruction &, const llvm::Value *)> Use);
};

} // namespace tw_compiler

#endif
