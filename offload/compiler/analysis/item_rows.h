/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of memory that a work-item has for itself. */
#ifndef TEAMWORK_COMPILER_ANALYSIS_ITEM_ROWS_H
#define TEAMWORK_COMPILER_ANALYSIS_ITEM_ROWS_H

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

namespace tw_compiler
{

bool isRowOfItem(llvm::Loop &L, llvm::ScalarEvolution &SE, const llvm::LoopInfo &LI);

} // namespace tw_compiler

#endif
