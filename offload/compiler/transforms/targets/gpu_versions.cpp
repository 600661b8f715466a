/* SPDX-License-Identifier: Apache-2.0 */
/* Second copies of what kernels do from some point on, for when it is not as it mostly is. */
#include "gpu_versions.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace tw_compiler
{

/* What keeps two ways apart to where they meet: what is loaded behind that would not be loaded with the rest. */
InlineAsm *nothing(LLVMContext &Context)
{
    return InlineAsm::get(FunctionType::get(Type::getVoidTy(Context), false), "", "", true);
}

/* `First` and all that comes behind it, a second time. */
BasicBlock *copyFrom(BasicBlock *First)
{
    Function &F = *First->getParent();
    ValueToValueMapTy Map;
    SmallSetVector<BasicBlock *, 32> Behind;
    SmallVector<BasicBlock *, 32> Old, Copies;
    Behind.insert(First);
    for (unsigned N = 0; N < Behind.size(); ++N)
        for (BasicBlock *Next : successors(Behind[N]))
            Behind.insert(Next);
    for (BasicBlock &Block : F)
        if (Behind.contains(&Block))
            Old.push_back(&Block);
    SmallVector<MDNode *, 4> Scopes;
    identifyNoAliasScopesToClone(Old, Scopes);
    for (BasicBlock *Block : Old)
        Copies.push_back(cast<BasicBlock>(Map[Block] = CloneBasicBlock(Block, Map, ".any", &F)));
    remapInstructionsInBlocks(Copies, Map);
    cloneAndAdaptNoAliasScopes(Scopes, Copies, F.getContext(), "any");
    const SmallPtrSet<const BasicBlock *, 32> Own(Copies.begin(), Copies.end());
    for (BasicBlock *Block : Copies) {
        for (PHINode &Phi : Block->phis())
            Phi.removeIncomingValueIf([&](unsigned N) { return !Own.contains(Phi.getIncomingBlock(N)); }, false);
        if (isa<ReturnInst>(Block->getTerminator())) /* or LLVM would have ends that are alike in common */
            IRBuilder<>(Block->getTerminator()).CreateCall(nothing(F.getContext()));
    }
    return cast<BasicBlock>(Map[First]);
}

} // namespace tw_compiler
