/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over work-items in parts: copies of some turns, or of all of them for where something is known. */
#ifndef TEAMWORK_COMPILER_ITEMS_PARTS_H
#define TEAMWORK_COMPILER_ITEMS_PARTS_H

#include "utilities/expander.h"

#include <memory>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace tw_compiler
{

bool isLeftAtEnd(const llvm::Loop &L);
bool isBeforeLoop(const llvm::SCEV *S, const llvm::Loop &L, llvm::ScalarEvolution &SE, const Expander &Expand);
bool hasCountersAlone(llvm::Loop &L, llvm::ScalarEvolution &SE, const Expander &Expand);
bool isClosed(const llvm::Loop &L, unsigned Most);

/* A copy of a loop over work-items for some of its turns. */
struct Copy {
    llvm::ValueToValueMapTy Map;
    llvm::SmallVector<llvm::BasicBlock *, 16> Blocks;
    llvm::BasicBlock *Header, *Latch;
    llvm::PHINode *Counter;
};
std::unique_ptr<Copy> copyLoop(llvm::Loop &L, llvm::BasicBlock *Preheader, llvm::StringRef Name, llvm::Value *From,
                               llvm::Value *Past, llvm::BasicBlock *Entry, llvm::BasicBlock *Exit);

void markLoop(llvm::BasicBlock *Latch, llvm::StringRef Name, llvm::Constant *Value = nullptr);

/* What a loop counts, by steps that are known in front of it. */
class CountersOf
{
  public:
    CountersOf(llvm::Loop &L, llvm::ScalarEvolution &SE, Expander &Expand);
    bool has(const llvm::PHINode &Phi) const
    {
        return Steps.count(&Phi);
    }
    llvm::Value *moved(llvm::IRBuilder<> &B, const llvm::PHINode &Phi, llvm::Value *From, llvm::Value *Turns) const;

  private:
    llvm::DenseMap<const llvm::PHINode *, llvm::Value *> Steps;
};

/* A copy of all turns of a loop for where a condition holds. */
struct Version {
    std::unique_ptr<Copy> Made;
    llvm::BranchInst *Choice; /* its first successor is in front of the copy, the other one in front of the loop */
};
Version versionLoop(llvm::Loop &L, llvm::Value *If, llvm::Value *Count, llvm::StringRef Name);
void leaveFrom(llvm::Loop &L, llvm::BasicBlock *End, const Copy *Of);

llvm::BasicBlock *blockBefore(llvm::Loop &L, const llvm::Twine &Name);
void jump(llvm::BasicBlock *From, llvm::BasicBlock *To, const llvm::DebugLoc &Where);

} // namespace tw_compiler

#endif
