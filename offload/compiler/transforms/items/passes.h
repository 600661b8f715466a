/* SPDX-License-Identifier: Apache-2.0 */
/* Passes that take loops over work-items, which the macros and transforms/kernels mark, apart into parts that vectors suit. Each returns
   whether it changed the function, or says so to the analyses. */
#ifndef TEAMWORK_COMPILER_ITEMS_PASSES_H
#define TEAMWORK_COMPILER_ITEMS_PASSES_H

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace tw_compiler
{

/* unrolling.cpp lets loops wait for vectors that LLVM would unroll before. */
void delayUnrolling(llvm::Loop &L, llvm::LoopStandardAnalysisResults &Results);
void endDelay(llvm::Loop &L);

/* items.cpp: where these passes begin and end, and small ones of them. */
bool beginItems(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool endItems(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool simplifyCounters(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool joinSteps(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool delinearize(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool beginsWithFirst(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* scalarize.cpp makes elements of the short vectors of one work-item. */
bool scalarizeVectors(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* math.cpp lets functions of <math.h> leave errno alone. */
bool leaveErrno(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* masks.cpp writes tests of bits of the index as comparisons. */
bool compareForMasks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* every_nth.cpp leaves out work-items that have nothing to do, where those that have are equally far apart. */
bool takeEveryNth(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* interchange.cpp lets all work-items take one element each before they take their next ones. */
bool interchangeStrides(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* rows.cpp makes rows of work-items that divide an index by their width. */
bool makeRows(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, bool OfPlanes);

/* nests.cpp makes a copy of the rows of a small group for where no border is. */
bool widenNests(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool versionNests(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* narrow.cpp lets unsigned counters of loops inside be as wide as an address, where they do not wrap around. */
bool widenCounters(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* index_set_split.cpp divides a loop where conditions on the index change. */
bool divideAtEdges(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* unroll_and_jam.cpp takes several rows of a group together. */
bool jamRows(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* unroll_rows.cpp takes several turns of a loop together that goes through a row of the work-item. */
bool unrollRows(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* divisions.cpp keeps LLVM from what is wrong about divisions. */
bool hoistDivisions(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* members.cpp lets members of structures be loaded together. */
bool countMembers(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* independence.cpp tells LLVM's vectorizer that work-items are independent. */
bool tellIndependence(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool limitChecks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* atomics.cpp makes ordinary accesses of atomic operations that no other thread can see. */
bool makeOrdinary(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* stores.cpp keeps in registers what one loop stores to local memory for the next. */
bool forwardStores(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* wraps.cpp keeps LLVM from what is wrong about indices that wrap around. */
bool hideWraps(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace tw_compiler

#endif
