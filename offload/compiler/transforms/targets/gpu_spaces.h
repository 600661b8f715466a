/* SPDX-License-Identifier: Apache-2.0 */
/* Which memory an address of a kernel for NVIDIA GPUs may lead to. */
#ifndef TEAMWORK_COMPILER_TARGETS_GPU_SPACES_H
#define TEAMWORK_COMPILER_TARGETS_GPU_SPACES_H

#include <llvm/IR/Value.h>

namespace tw_compiler
{

/* Bits. */
enum { TeamSpace = 1, GlobalSpace = 2, UnknownSpace = 3 };

/* The spaces of an address; 0: it is that of a variable of the work-item. */
unsigned spacesOf(const llvm::Value *Address);

} // namespace tw_compiler

#endif
