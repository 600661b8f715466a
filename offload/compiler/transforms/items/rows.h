/* SPDX-License-Identifier: Apache-2.0 */
/* Divisions by the width of rows (rows_divisions.cpp). */
#ifndef TEAMWORK_COMPILER_ITEMS_ROWS_H
#define TEAMWORK_COMPILER_ITEMS_ROWS_H

#include <optional>

#include <llvm/ADT/APInt.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>

namespace tw_compiler
{

/* A quotient, what remains, or the number without that. */
struct Division {
    llvm::Instruction *I;
    llvm::Value *Number;
    const llvm::SCEV *Width;
    bool Rest;
    bool ByMask;         /* if the width is a power of 2, which is looked at when the loop runs */
    bool Signed = false; /* if nothing is negative, likewise */
    bool Floor = false;  /* the quotient times the width, and that times 2 to the power of Shift */
    unsigned Shift = 0;
    const llvm::SCEV *Start = nullptr; /* of what is divided, if it is not that of the rows */
    llvm::Value *Row = nullptr;        /* then: the quotient in the first row */
    llvm::Value *By = nullptr;         /* the width, of rows in a plane */
};

llvm::APInt mostOf(unsigned Bits, bool Signed);
std::optional<Division> divisionOf(llvm::Instruction &I, llvm::ScalarEvolution &SE, const llvm::Loop &L);
llvm::Instruction *deciding(const llvm::Loop &L);

} // namespace tw_compiler

#endif
