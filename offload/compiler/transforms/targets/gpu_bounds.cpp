/* SPDX-License-Identifier: Apache-2.0 */
/* Launch bounds of kernels for NVIDIA GPUs that require a large size of work-groups, as CUDA's __launch_bounds__ has them. ptxas gives a
   work-item up to 255 registers, which a group of more than 256 may not have: its launch would be refused. A smaller group has them, and
   needs no bound: ptxas would take more registers where few groups fit (nw of tests/compiler/unseen, on an H200: 1.14 of the time). */
#include "passes.h"

#include "analysis/predicates.h"
#include "base/contract.h"

#include <algorithm>

#include <llvm/ADT/StringRef.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

using namespace llvm;

namespace tw_compiler
{

void setLaunchBounds(Module &M, ModuleAnalysisManager &)
{
    if (!isForNvidia(M))
        return;
    for (Function &F : M) {
        constexpr unsigned AlwaysFit = 256, MostThreads = 1024;
        unsigned Items;
        if (!isKernel(F) || F.getFnAttribute(LaunchBoundsRole).getValueAsString().getAsInteger(10, Items)
            || Items <= AlwaysFit)
            continue;
        const unsigned Threads = std::min(Items, MostThreads);
#if LLVM_VERSION_MAJOR >= 22
        F.addFnAttr("nvvm.maxntid", std::to_string(Threads));
#else
        LLVMContext &C = M.getContext();
        Metadata *Bound[] = {ValueAsMetadata::get(&F), MDString::get(C, "maxntidx"),
                             ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(C), Threads))};
        M.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(MDNode::get(C, Bound));
#endif
    }
}

} // namespace tw_compiler
