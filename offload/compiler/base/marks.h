/* SPDX-License-Identifier: Apache-2.0 */
/* What passes tell each other: notes at functions and variables, and marks of loops over work-items in their metadata. */
#ifndef TEAMWORK_COMPILER_BASE_MARKS_H
#define TEAMWORK_COMPILER_BASE_MARKS_H

#include <cstdint>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Metadata.h>

namespace tw_compiler
{

/* The note at a variable that the work-items of a group share. */
constexpr const char *SharedNote = "teamwork.shared";

/* The property of a function that combines values for reductions or has atomic operations of the group, itself or in what it calls. */
constexpr const char *CombinesNote = "teamwork.combines";

/* The property of a function that work-items run. */
constexpr const char *ItemNote = "teamwork.item";

/* The most instructions that a function may grow to while loops are copied: passes that make copies stop there. */
constexpr const char *BudgetNote = "teamwork.budget";

/* The property of a loop whose turns are work-items. */
constexpr const char *ItemsMark = "teamwork.items";
constexpr const char *RowsMark = "teamwork.items.rows";     /* of the loop over the rows of a group, around that */
constexpr const char *PlanesMark = "teamwork.items.planes"; /* of the loop over its planes, around that */
constexpr const char *ApartMark = "teamwork.items.apart";   /* see turnsApart() */
constexpr const char *JammedMark = "teamwork.items.jammed"; /* work-items of several rows */
constexpr const char *ParallelMark = "llvm.loop.parallel_accesses";

/* LLVM's, of a loop: that it is not unrolled, or not where its length is not a constant; that vectors are wanted, how many elements these have, and how many of them are on their
   way side by side. */
constexpr const char *NotUnrolled = "llvm.loop.unroll.disable", *NotAtRunTime = "llvm.loop.unroll.runtime.disable";
constexpr const char *AsksForVectors = "llvm.loop.vectorize.enable", *VectorWidth = "llvm.loop.vectorize.width",
                     *InterleaveCount = "llvm.loop.interleave.count";

llvm::MDNode *loopId(llvm::LLVMContext &Context, llvm::ArrayRef<llvm::Metadata *> Properties);
llvm::MDNode *loopMetadata(llvm::LLVMContext &Context, const char *Mark, uint64_t Apart = UINT64_MAX);
void identifyLoops(llvm::Function &F, const llvm::LoopInfo &LI);
bool hasLoopMark(const llvm::Loop &L, llvm::StringRef Name);
void addLoopMark(llvm::Loop &L, llvm::StringRef Name, llvm::Constant *Value = nullptr);
void leaveAlone(llvm::Loop &L);
void leaveToCosts(llvm::Loop &L);
bool hasItems(const llvm::LoopInfo &LI);
const llvm::Loop *itemsAround(const llvm::Loop *L);
bool isRowOfGroup(const llvm::Loop &Items);
uint64_t turnsApart(const llvm::Loop &L);
void setTurnsApart(llvm::Loop &L, uint64_t Apart);
bool areDistinct(llvm::Loop &L, llvm::ScalarEvolution &SE);
void takePointsNotes(llvm::Function &F, const llvm::LoopInfo *LI);

} // namespace tw_compiler

#endif
