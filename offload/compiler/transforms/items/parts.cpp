/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over work-items in parts: what passes that copy loops have in common. */
#include "parts.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{

/* Whether a loop may be copied, and is left at its end alone. */
bool isLeftAtEnd(const Loop &L)
{
    const BasicBlock *Latch = L.getLoopLatch();
    return L.isLoopSimplifyForm() && L.isSafeToClone() && L.getExitingBlock() == Latch && L.getExitBlock()
           && isa<BranchInst>(Latch->getTerminator());
}

/* Whether a value of up to 64 bits can be computed in front of a loop. */
bool isBeforeLoop(const SCEV *S, const Loop &L, ScalarEvolution &SE, const Expander &Expand)
{
    return SE.isLoopInvariant(S, &L) && SE.getTypeSizeInBits(S->getType()) <= 64
           && Expand.isSafeToExpandAt(S, L.getLoopPreheader()->getTerminator());
}

/* What a counter of a loop grows by in each turn, if that can be computed in front of it; or null. */
static const SCEV *stepOf(PHINode &Phi, const Loop &L, ScalarEvolution &SE, const Expander &Expand)
{
    const auto *Rec = SE.isSCEVable(Phi.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
    const SCEV *Step = Rec && Rec->getLoop() == &L && Rec->isAffine() ? Rec->getStepRecurrence(SE) : nullptr;
    return Step && isBeforeLoop(Step, L, SE, Expand) ? Step : nullptr;
}

/* Whether the phis of a loop are counters alone. */
bool hasCountersAlone(Loop &L, ScalarEvolution &SE, const Expander &Expand)
{
    return all_of(L.getHeader()->phis(), [&](PHINode &Phi) { return stepOf(Phi, L, SE, Expand); });
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

/* Adds a property to a loop of which nobody knows yet. */
void markLoop(BasicBlock *Latch, StringRef Name, Constant *Value)
{
    LLVMContext &Context = Latch->getContext();
    SmallVector<Metadata *, 2> Mark{MDString::get(Context, Name)};
    if (Value)
        Mark.push_back(ConstantAsMetadata::get(Value));
    Instruction *Back = Latch->getTerminator();
    Back->setMetadata(LLVMContext::MD_loop,
                      makePostTransformationMetadata(Context, Back->getMetadata(LLVMContext::MD_loop), {},
                                                     {MDNode::get(Context, Mark)}));
}

/* Writes the steps in front of the loop. */
CountersOf::CountersOf(Loop &L, ScalarEvolution &SE, Expander &Expand)
{
    Instruction *Before = L.getLoopPreheader()->getTerminator();
    for (PHINode &Phi : L.getHeader()->phis())
        if (const SCEV *Step = stepOf(Phi, L, SE, Expand))
            Steps[&Phi] = Expand.expandCodeFor(Step, Step->getType(), Before->getIterator());
}

/* What a counter is so many turns after it was `From`. */
Value *CountersOf::moved(IRBuilder<> &B, const PHINode &Phi, Value *From, Value *Turns) const
{
    Value *Step = Steps.lookup(&Phi), *By = B.CreateMul(B.CreateZExtOrTrunc(Turns, Step->getType()), Step);
    return Phi.getType()->isPointerTy() ? B.CreatePtrAdd(From, By) : B.CreateAdd(From, By);
}

BasicBlock *blockBefore(Loop &L, const Twine &Name)
{
    return BasicBlock::Create(L.getHeader()->getContext(), Name, L.getHeader()->getParent(), L.getHeader());
}

void jump(BasicBlock *From, BasicBlock *To, const DebugLoc &Where)
{
    BranchInst::Create(To, From)->setDebugLoc(Where);
}

/* The exit of a loop is reached from `End` too: from a copy of it, or with nothing that the loop has computed. */
void leaveFrom(Loop &L, BasicBlock *End, const Copy *Of)
{
    for (PHINode &Phi : L.getExitBlock()->phis()) {
        Value *V = Phi.getIncomingValueForBlock(L.getLoopLatch());
        auto *I = dyn_cast<Instruction>(V);
        if (I && L.contains(I))
            V = Of ? static_cast<Value *>(Of->Map.lookup(V)) : PoisonValue::get(V->getType());
        Phi.addIncoming(V, End);
    }
}

/* Preheader -> [a copy for all `Count` turns] -> Exit, or -> [the loop as it was] */
Version versionLoop(Loop &L, Value *If, Value *Count, StringRef Name)
{
    BasicBlock *Before = L.getLoopPreheader();
    const DebugLoc Where = Before->getTerminator()->getDebugLoc();
    BasicBlock *Entry = blockBefore(L, "tw_" + Name), *End = blockBefore(L, "tw_" + Name + "_end"),
               *Old = blockBefore(L, "tw_not_" + Name);
    Before->getTerminator()->eraseFromParent();
    auto *Choice = BranchInst::Create(Entry, Old, If, Before);
    Choice->setDebugLoc(Where);
    auto Made = copyLoop(L, Before, Name, ConstantInt::get(Count->getType(), 0), Count, Entry, End);
    jump(Entry, Made->Header, Where);
    jump(End, L.getExitBlock(), Where);
    jump(Old, L.getHeader(), Where);
    for (PHINode &Phi : L.getHeader()->phis())
        Phi.replaceIncomingBlockWith(Before, Old);
    leaveFrom(L, End, Made.get());
    return {std::move(Made), Choice};
}

} // namespace tw_compiler
