/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of markers. */
#include "markers.h"

#include <llvm/IR/Function.h>

using namespace llvm;

namespace tw_compiler
{

CallInst *markerCall(Instruction &I, const char *Name)
{
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->getName() == Name ? Call : nullptr;
}

} // namespace tw_compiler
