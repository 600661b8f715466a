/* SPDX-License-Identifier: Apache-2.0 */
/* What each work-item has for itself in memory. */
#ifndef TEAMWORK_COMPILER_ANALYSIS_PRIVATE_VARIABLES_H
#define TEAMWORK_COMPILER_ANALYSIS_PRIVATE_VARIABLES_H

#include <cstdint>
#include <optional>
#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace tw_compiler
{

/* A variable of a work-item. Every lane of a vector has one. */
struct PrivateVariable {
    llvm::AllocaInst *Variable;
    uint64_t Bytes;
    uint64_t Element =
        0; /* the size of all accesses: element k of all lanes lies side by side; 0: the variable of one lane behind that
                             of another one */
    llvm::AllocaInst *OfLanes = nullptr;
};

/* Whether elements of a type lie behind each other without bits between them, as those of a vector do. */
bool hasOnlyBytes(llvm::Type *T, const llvm::DataLayout &DL);

/* What GEPOperator::collectOffset() gives: values by factors. */
#if LLVM_VERSION_MAJOR >= 22
using Offsets = llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4>;
#else
using Offsets = llvm::MapVector<llvm::Value *, llvm::APInt>;
#endif

/* The place in a variable that an address is, in bytes: a constant and values by factors. */
struct PrivatePlace {
    llvm::SmallMapVector<llvm::Value *, int64_t, 4> Parts;
    int64_t Constant = 0;
};

class PrivateVariables
{
  public:
    PrivateVariables(llvm::Loop &L, llvm::DominatorTree &DT) : L(L), DT(DT)
    {
    }
    const char *add(llvm::AllocaInst &Variable);             /* why not; null: it is one */
    const PrivateVariable *find(const llvm::Value *V) const; /* that an address is computed from, or null */
    const PrivateVariable *
    interleaved(const llvm::Value *Address) const; /* whose elements of all lanes are side by side */
    std::optional<PrivatePlace> placeOf(llvm::Value *Address, const PrivateVariable &P) const;
    std::vector<PrivateVariable> All;

  private:
    llvm::Loop &L;
    llvm::DominatorTree &DT;
};

} // namespace tw_compiler

#endif
