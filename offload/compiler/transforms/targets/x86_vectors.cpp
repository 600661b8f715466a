/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 512 bits for x86-64. */
#include "passes.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

using namespace llvm;

namespace tw_compiler
{

/* LLVM makes vectors of 256 bits for Intel's processors, though these have some of 512: a few of the latter between other code are not worth
   that older ones lower their clock. Kernels are made of vectors, and processors with AVX512-FP16 (Sapphire Rapids and newer ones) keep
   their clock. So kernels get them there, unless -mprefer-vector-width says otherwise. */
bool preferLargeVectors(Function &F, FunctionAnalysisManager &FAM)
{
    constexpr const char *Width = "prefer-vector-width";
    if (F.hasFnAttribute(Width) || !F.getFnAttribute("target-features").getValueAsString().contains("+avx512fp16"))
        return false;
    F.addFnAttr(Width, "512");
    FAM.clear(F, F.getName()); /* among it what is known of the target, which is kept otherwise */
    return true;
}

} // namespace tw_compiler
