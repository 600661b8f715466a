/* SPDX-License-Identifier: Apache-2.0 */
/* Warns where a kernel for a GPU uses a variable of file scope that the device does not have, or calls a function without a
   definition. The linker would be the first to miss them, and it knows no line. What stands between TW_BEGIN_DEVICE_VARIABLES
   and TW_END_DEVICE_VARIABLES is protected, also where another file defines it. Functions of the device runtime and of the
   vendor's libraries have reserved names. */
#include "warnings.h"

#include "base/contract.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/TargetParser/Triple.h>

using namespace llvm;

namespace tw_compiler
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

/* What the linker or the driver has for everybody, under a name that is not reserved. */
constexpr const char *Known[] = {"malloc", "free", "memcpy", "memmove", "memset", "memcmp", "printf", "vprintf"};

/* Warns at the first instruction that uses something that is only declared. */
void warn(const GlobalValue &Missing, const char *Verb, const char *Advice)
{
    const StringRef Name = Missing.getName();
    if (!Missing.isDeclaration() || isReserved(Missing) || is_contained(Known, Name))
        return;
    if (const Instruction *I = userOf(Missing))
        Missing.getContext().diagnose(DiagnosticInfoUnsupported(
            *I->getFunction(), Twine("kernels for a GPU ") + Verb + " '" + Name + "', which is " + Advice,
            I->getDebugLoc(), DS_Warning));
}

} // namespace

void reportMissing(const Module &M)
{
    if (!isForGpu(M))
        return;
    for (const GlobalVariable &V : M.globals())
        if (!V.hasProtectedVisibility() && V.getAddressSpace() != 3)
            warn(V, "use",
                 "not between TW_BEGIN_DEVICE_VARIABLES and TW_END_DEVICE_VARIABLES: put it there, or pass its "
                 "value as a member of the block");
    for (const Function &F : M)
        warn(F, "call",
             "not defined in this file: what kernels call is static inline, and GPUs have little of the "
             "C library");
}

} // namespace tw_compiler
