/* SPDX-License-Identifier: Apache-2.0 */
/** How loops over the work-items of regions are made (loops.cpp). */
#ifndef TEAMWORK_COMPILER_KERNELS_LOOPS_H
#define TEAMWORK_COMPILER_KERNELS_LOOPS_H

#include "kernel.h"

#include <cstdint>
#include <utility>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/Twine.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace tw_compiler
{

/* Writes in front of an instruction; what it writes has the kernel's place in the source. */
class Writer : public llvm::IRBuilder<>
{
  public:
    Writer(llvm::Instruction *Before, const llvm::DebugLoc &Where) : llvm::IRBuilder<>(Before)
    {
        SetCurrentDebugLocation(Where);
    }
};

class LoopMaker
{
  public:
    explicit LoopMaker(Kernel &K)
        : K(K), DL(K.F.getParent()->getDataLayout()), Context(K.F.getContext()), Size(DL.getIntPtrType(Context))
    {
    }
    bool run();

  private:
    Kernel &K;
    const llvm::DataLayout &DL;
    llvm::LLVMContext &Context;
    llvm::IntegerType *Size;
    llvm::Value *Extent[3] = {nullptr, nullptr, nullptr};
    llvm::Value *Total = nullptr;
    llvm::Instruction *Prologue = nullptr; /* its last instruction: what is inserted there is done once a group */
    static constexpr uint64_t MostItems = 1024, MostOnStack = 32 << 10; /* of a group of constant size; bytes */
    uint64_t OnStack = 0;
    llvm::SmallVector<llvm::Value *, 8> Arrays;
    llvm::DenseMap<llvm::Value *, llvm::Value *>
        PlaceOf; /* memory of a value, or a variable: a scalar if that is uniform, else an array */
    llvm::DenseMap<std::pair<Region *, llvm::Value *>, llvm::Value *> Inside;
    llvm::SmallVector<std::pair<llvm::Instruction *, Region *>, 8> Bounds; /* use what a range begins and ends with */
    llvm::SmallVector<std::pair<llvm::BasicBlock *, llvm::BasicBlock *>, 16>
        After; /* behind a loop, and the head to go on to */

    Writer at(llvm::Instruction *Before) const
    {
        return Writer(Before, K.Begin->getDebugLoc());
    }
    void findExtents();
    void placeExchange();
    uint64_t itemsOf(const Stride &Range) const;
    void makeLoop(Region &R);
    llvm::Value *newArray(uint64_t Bytes);
    llvm::Value *element(Region &R, llvm::Value *Array, llvm::Type *Of);
    llvm::AllocaInst *newScalar(llvm::Type *Of, const llvm::Twine &Name);
    void store(llvm::Value *V, llvm::Value *Place, bool Uniform, Region &R, llvm::Instruction *Before);
    llvm::Value *load(llvm::Type *Of, llvm::Value *Place, bool Uniform, Region &R);
    llvm::DenseSet<const Region *> behind(Region &From, const Region &End);
    bool mayShare(llvm::PHINode &Phi, llvm::Value *V, Region &Chooses, llvm::ArrayRef<llvm::Value *> Sharing);
    void demotePhis(Region &R);
    void keep(llvm::Instruction *V, llvm::Value *Place, bool Uniform);
    llvm::Value *place(llvm::Instruction *V);
    llvm::Value *variable(Region &R, llvm::AllocaInst *Variable);
    llvm::Value *again(Region &R, llvm::Instruction *I);
    llvm::Value *inside(Region &R, llvm::Value *V);
    void connectUses();
    void dropLifetimes();
    int lineBehind(llvm::BasicBlock *From);
    void countDecision(Region &R);
    void connectBlocks();
    void checkMemory();
    llvm::BasicBlock *entry(llvm::BasicBlock *Head)
    {
        Region *R = K.regionOf(Head);
        return R && R->hasLoop() ? R->Before : Head;
    }
};

} // namespace tw_compiler

#endif
