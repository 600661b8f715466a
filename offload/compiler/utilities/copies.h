/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of loops, and what has to hold of a loop that is copied. */
#ifndef TEAMWORK_COMPILER_UTILITIES_COPIES_H
#define TEAMWORK_COMPILER_UTILITIES_COPIES_H

#include "utilities/expander.h"

#include <memory>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace tw_compiler
{

/* A copy of a loop over work-items for some of its turns. */
struct Copy {
    llvm::ValueToValueMapTy Map;
    llvm::SmallVector<llvm::BasicBlock *, 16> Blocks;
    llvm::BasicBlock *Header, *Latch;
    llvm::PHINode *Counter;
};
std::unique_ptr<Copy> copyLoop(llvm::Loop &L, llvm::BasicBlock *Preheader, llvm::StringRef Name, llvm::Value *From,
                               llvm::Value *Past, llvm::BasicBlock *Entry, llvm::BasicBlock *Exit);
bool isBeforeLoop(const llvm::SCEV *S, const llvm::Loop &L, llvm::ScalarEvolution &SE, const Expander &Expand);
bool hasCountersAlone(llvm::Loop &L, llvm::ScalarEvolution &SE, const Expander &Expand);
bool isClosed(const llvm::Loop &L, unsigned Most);

} // namespace tw_compiler

#endif
