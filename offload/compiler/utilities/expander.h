/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses, written as instructions. */
#ifndef TEAMWORK_COMPILER_UTILITIES_EXPANDER_H
#define TEAMWORK_COMPILER_UTILITIES_EXPANDER_H

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace tw_compiler
{

/* Writes what an analysis knows of a value as instructions. */
struct Expander : llvm::SCEVExpander {
    Expander(llvm::ScalarEvolution &SE, const llvm::DataLayout &DL, const char *Name)
#if LLVM_VERSION_MAJOR >= 22
        : SCEVExpander(SE, Name)
    {
        (void)DL;
    }
#else
        : SCEVExpander(SE, DL, Name)
    {
    }
#endif
};

} // namespace tw_compiler

#endif
