/* SPDX-License-Identifier: Apache-2.0 */
/* Which values are the same for all work-items of a vector. */
#ifndef TEAMWORK_COMPILER_ANALYSIS_SHAPES_H
#define TEAMWORK_COMPILER_ANALYSIS_SHAPES_H

#include "analysis/private_variables.h"

#include <cstdint>
#include <optional>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>

namespace tw_compiler
{

/**
 * What work-items that are neighbours have of a value: the same, a multiple of a constant more for each, or anything. And which of them
 * are where: a branch whose condition they differ in makes all that depends on it partial.
 */
class Shapes
{
  public:
    Shapes(llvm::Loop &L, llvm::ScalarEvolution &SE, llvm::LoopInfo &LI, const PrivateVariables &Private)
        : L(L), SE(SE), LI(LI), Private(Private)
    {
    }
    void run(llvm::ArrayRef<llvm::BasicBlock *> Order);
    /* By how much it grows from one work-item to the next, pointers in bytes; nothing: it varies. */
    std::optional<int64_t> step(const llvm::Value *V) const;
    bool isUniform(const llvm::Value *V) const
    {
        return step(V) == 0;
    }
    bool isPartial(const llvm::BasicBlock *Block) const /* some work-items of a vector may not be there */
    {
        return Partial.count(Block) != 0;
    }
    bool isDivergent(const llvm::Loop *K) const /* work-items leave it after different numbers of turns */
    {
        return Divergent.count(K) != 0;
    }
    bool comeTo(const llvm::BasicBlock *From, const llvm::BasicBlock *Goal) const;
    bool isNotNegative(const llvm::Value *Extended) const /* of any work-item that takes part */
    {
        return NotNegative.count(Extended) != 0;
    }
    /* Extensions of narrow numbers that grow by a constant as long as these do not wrap around, which has to be asked in front of the
       loop. */
    llvm::ArrayRef<const llvm::SCEV *> assumed() const
    {
        return Assumed.getArrayRef();
    }

  private:
    struct Shape {
        bool IsKnown = false, Varies = false;
        int64_t Step = 0;
    };
    llvm::Loop &L;
    llvm::ScalarEvolution &SE;
    llvm::LoopInfo &LI;
    const PrivateVariables &Private;
    llvm::DenseMap<const llvm::Value *, Shape> Of;
    llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Joins, Partial;
    llvm::SmallPtrSet<const llvm::Loop *, 8> Divergent;
    mutable llvm::SmallSetVector<const llvm::SCEV *, 4> Assumed;
    mutable llvm::SmallPtrSet<const llvm::Value *, 4> NotNegative; /* what zext makes of such */
    mutable llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, bool>
        ComeTo; /* known so far */

    Shape get(const llvm::Value *V) const;
    Shape ofPhi(const llvm::PHINode &Phi) const;
    Shape ofAddress(const llvm::GetElementPtrInst &Gep) const;
    Shape ofInstruction(llvm::Instruction &I) const;
    std::optional<int64_t> growth(const llvm::SCEV *S) const;
    bool changesInside(const llvm::SCEV *S) const;
    bool spread(llvm::ArrayRef<llvm::BasicBlock *> Order);
    bool findDivergence(llvm::ArrayRef<llvm::BasicBlock *> Order);
    void forSome(const llvm::BasicBlock *Branch,
                 llvm::function_ref<void(const llvm::BasicBlock *, bool AreAll)> Where) const;
};

} // namespace tw_compiler

#endif
