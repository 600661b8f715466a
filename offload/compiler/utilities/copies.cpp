/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of loops for some of their turns, and what has to hold of a loop that is copied. */
#include "copies.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace tw_compiler
{

/* Whether a value of up to 64 bits can be computed in front of a loop. */
bool isBeforeLoop(const SCEV *S, const Loop &L, ScalarEvolution &SE, const Expander &Expand)
{
    return SE.isLoopInvariant(S, &L) && SE.getTypeSizeInBits(S->getType()) <= 64
           && Expand.isSafeToExpandAt(S, L.getLoopPreheader()->getTerminator());
}

/* Whether the phis of a loop are counters alone, whose steps can be computed in front of it. */
bool hasCountersAlone(Loop &L, ScalarEvolution &SE, const Expander &Expand)
{
    return all_of(L.getHeader()->phis(), [&](PHINode &Phi) {
        const auto *Rec = SE.isSCEVable(Phi.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
        return Rec && Rec->getLoop() == &L && Rec->isAffine()
               && isBeforeLoop(Rec->getStepRecurrence(SE), L, SE, Expand);
    });
}

/* Whether a loop has at most so many instructions, and none of them is used behind it. */
bool isClosed(const Loop &L, unsigned Most)
{
    unsigned Instructions = 0;
    for (const BasicBlock *Block : L.blocks())
        for (const Instruction &I : *Block)
            if (++Instructions > Most || I.getType()->isTokenTy() || any_of(I.users(), [&](const User *U) {
                    return !L.contains(cast<Instruction>(U)) && !(isa<PHINode>(U) && U->use_empty());
                }))
                return false;
    return true;
}

/* A copy for the turns `From` up to, not including, `Past`. Its phis get no origin but themselves. */
std::unique_ptr<Copy> copyLoop(Loop &L, BasicBlock *Preheader, StringRef Name, Value *From, Value *Past,
                               BasicBlock *Entry, BasicBlock *Exit)
{
    auto Made = std::make_unique<Copy>();
    Function &F = *L.getHeader()->getParent();
    SmallVector<MDNode *, 4> Scopes;
    SmallVector<BasicBlock *, 16> Old(L.blocks());
    identifyNoAliasScopesToClone(Old, Scopes);
    for (BasicBlock *Block : Old) {
        BasicBlock *New = CloneBasicBlock(Block, Made->Map, "." + Name, &F);
        Made->Map[Block] = New;
        Made->Blocks.push_back(New);
    }
    Made->Map[L.getExitBlock()] = Exit;
    Made->Map[Preheader] = Entry;
    remapInstructionsInBlocks(Made->Blocks, Made->Map);
    cloneAndAdaptNoAliasScopes(Scopes, Made->Blocks, F.getContext(), Name);
    Made->Header = cast<BasicBlock>(Made->Map[L.getHeader()]);
    Made->Latch = cast<BasicBlock>(Made->Map[L.getLoopLatch()]);
    auto *Branch = cast<BranchInst>(Made->Latch->getTerminator());
    IRBuilder<> B(&Made->Header->front());
    Made->Counter = B.CreatePHI(B.getInt64Ty(), 2, "tw_turn");
    B.SetInsertPoint(Branch);
    Value *Next = B.CreateAdd(Made->Counter, B.getInt64(1), "", true, true);
    Made->Counter->addIncoming(From, Entry);
    Made->Counter->addIncoming(Next, Made->Latch);
    Branch->setCondition(Branch->getSuccessor(0) == Exit ? B.CreateICmpEQ(Next, Past) : B.CreateICmpNE(Next, Past));
    return Made;
}

} // namespace tw_compiler
