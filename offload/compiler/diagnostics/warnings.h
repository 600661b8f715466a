/* SPDX-License-Identifier: Apache-2.0 */
/* What the user is warned of, before anything is changed. */
#ifndef TEAMWORK_COMPILER_DIAGNOSTICS_WARNINGS_H
#define TEAMWORK_COMPILER_DIAGNOSTICS_WARNINGS_H

#include <llvm/IR/Module.h>

namespace tw_compiler
{

/* missing.cpp: variables and functions that a GPU does not have. */
void reportMissing(const llvm::Module &M);

/* variables.cpp, in the host's pass: target regions that read what the program assigns to in vain. */
void reportOldVariables(const llvm::Module &M);

/* scope.cpp: breaches of the rules of group scope in hierarchical kernels. */
void checkScopes(llvm::Module &M);

} // namespace tw_compiler

#endif
