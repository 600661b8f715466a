/* SPDX-License-Identifier: Apache-2.0 */
/* Warns where a kernel for a GPU uses a variable of file scope that the device does not have. The linker would be the first to
   miss it, and it knows no line. What stands between TW_BEGIN_DEVICE_VARIABLES and TW_END_DEVICE_VARIABLES is protected, also
   where another file defines it. */
#include "split.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

using namespace llvm;

namespace tw_split
{

namespace
{

bool isForGpu(const Module &M)
{
    const Triple Target(M.getTargetTriple());
    return Target.isNVPTX() || Target.isAMDGCN();
}

/* An instruction that uses a constant, perhaps as a part of other constants; or null. */
const Instruction *userOf(const Constant &C, unsigned Depth = 0)
{
    for (const User *U : C.users()) {
        if (const auto *I = dyn_cast<Instruction>(U))
            return I;
        const auto *Outer = dyn_cast<Constant>(U);
        if (const Instruction *I = Outer && Depth < 8 ? userOf(*Outer, Depth + 1) : nullptr)
            return I;
    }
    return nullptr;
}

} // namespace

void reportMissingVariables(Module &M)
{
    if (!isForGpu(M))
        return;
    for (const GlobalVariable &V : M.globals()) {
        const StringRef Name = V.getName();
        if (!V.isDeclaration() || V.hasProtectedVisibility() || V.getAddressSpace() == 3 || Name.starts_with("__")
            || Name.starts_with("llvm.") || Name.starts_with("tw_internal"))
            continue;
        if (const Instruction *I = userOf(V))
            M.getContext().diagnose(DiagnosticInfoUnsupported(
                *I->getFunction(),
                "kernels for a GPU use '" + Name
                    + "', which is not between TW_BEGIN_DEVICE_VARIABLES and TW_END_DEVICE_VARIABLES: put it there, or "
                      "pass its value as a member of the block",
                I->getDebugLoc(), DS_Warning));
    }
}

} // namespace tw_split
