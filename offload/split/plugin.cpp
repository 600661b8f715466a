/* SPDX-License-Identifier: Apache-2.0 */
/* What clang calls: finds the functions that the kernel macros made for the plugin, and tells the kernels what became of them.
   -Rpass=teamwork-split and -Rpass-missed=teamwork-split say the same to the user. */
#include "split.h"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#if LLVM_VERSION_MAJOR >= 22
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

using namespace llvm;

namespace tw_split
{

CallInst *markerCall(Instruction &I, const char *Name)
{
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->getName() == Name ? Call : nullptr;
}

namespace
{

/* The name of the kernel that a function NAME_tw_split_DIMS belongs to. */
StringRef kernelName(const Function &F)
{
    return F.getName().substr(0, F.getName().rfind("_tw_split_"));
}

bool split(Kernel &K, FunctionAnalysisManager &FAM)
{
    if (K.F.hasOptNone())
        return K.refuse("it is not optimized");
    if (!prepare(K, FAM) || !findRegions(K) || !classify(K) || !makeLoops(K))
        return false;
    if (verifyFunction(K.F))
        return K.refuse("of an error in the plugin");
    return true;
}

void remark(Kernel &K, bool Done, const DebugLoc &Where, const BasicBlock *Block)
{
    OptimizationRemarkEmitter Emitter(&K.F);
    if (Done)
        Emitter.emit(OptimizationRemark("teamwork-split", "Split", Where, Block)
                     << "kernel " << kernelName(K.F) << " was split at " << std::to_string(K.Barriers)
                     << " barriers into loops over work-items");
    else
        Emitter.emit(OptimizationRemarkMissed("teamwork-split", "NotSplit", Where, Block)
                     << "kernel " << kernelName(K.F) << " keeps a stack for each work-item: " << K.Why);
}

/* A function that nobody will call any more. */
void empty(Function &F)
{
    F.deleteBody();
    F.setLinkage(GlobalValue::InternalLinkage);
    auto *Block = BasicBlock::Create(F.getContext(), "", &F);
    new UnreachableInst(F.getContext(), Block);
}

/* Whether `F`, one work-item of a kernel, has become the whole group. */
bool handle(Function &F, FunctionAnalysisManager &FAM)
{
    Kernel K(F);
    const DISubprogram *Program = F.getSubprogram();
    const DebugLoc Where =
        Program ? DebugLoc(DILocation::get(F.getContext(), Program->getLine(), 0, const_cast<DISubprogram *>(Program)))
                : DebugLoc();
    const bool Done = split(K, FAM);
    FAM.invalidate(F, PreservedAnalyses::none());
    if (Done || K.Barriers > 0 || K.Why != "")
        remark(K, Done, Where, F.empty() ? nullptr : &F.getEntryBlock());
    if (!Done)
        empty(F);
    return Done;
}

struct SplitPass : PassInfoMixin<SplitPass> {
    PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM)
    {
        Function *Asked = M.getFunction(DoneMarker);
        if (!Asked)
            return PreservedAnalyses::all();
        auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
        DenseMap<Function *, bool> Done;
        SmallVector<CallInst *, 8> Calls;
        for (User *User : Asked->users())
            if (auto *Call = dyn_cast<CallInst>(User))
                Calls.push_back(Call);
        for (CallInst *Call : Calls) {
            auto *F = dyn_cast<Function>(Call->getArgOperand(0)->stripPointerCasts());
            if (F && !Done.count(F))
                Done[F] = handle(*F, FAM);
            Call->replaceAllUsesWith(ConstantInt::getBool(M.getContext(), F && Done[F]));
            Call->eraseFromParent();
        }
        return PreservedAnalyses::none();
    }
    static bool isRequired()
    {
        return true;
    }
};

} // namespace
} // namespace tw_split

extern "C" LLVM_ATTRIBUTE_WEAK LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "teamwork-split", "1", [](PassBuilder &Builder) {
                Builder.registerPipelineStartEPCallback(
                    [](ModulePassManager &Passes, OptimizationLevel) { Passes.addPass(tw_split::SplitPass()); });
            }};
}
