/* SPDX-License-Identifier: Apache-2.0 */
/* The remarks of all passes. */
#ifndef TEAMWORK_COMPILER_DIAGNOSTICS_REMARKS_H
#define TEAMWORK_COMPILER_DIAGNOSTICS_REMARKS_H

#include <string>

#include <llvm/ADT/Twine.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

namespace tw_compiler
{

/* What a remark is about; `Where` is null where the source is not known. */
struct Remark {
    const char *Pass, *Name; /* -Rpass=Pass, or -Rpass-missed=Pass */
    bool Missed;
    llvm::DebugLoc Of, Where; /* the loop or kernel whose copies are counted; and where the remark stands */
};
void tellRemark(llvm::Function &F, const Remark &What, const llvm::Twine &Text);
const llvm::DILocation *placeOf(const llvm::DILocation *At);
std::string nameOf(const llvm::DILocation *At);
void emitRemarks(llvm::Module &M); /* at the end */

} // namespace tw_compiler

#endif
