/* SPDX-License-Identifier: Apache-2.0 */
/* Brings a kernel into the form that the other steps read: all code with barriers in one function, variables in registers
   where that is possible, loops of constant length unrolled as the program asked for. */
#include "kernel.h"

#include "base/contract.h"
#include "base/markers.h"

#include <utility>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostInlined = 4000;

/* The functions of the module that come to a barrier. */
DenseSet<const Function *> withBarriers(const Module &M)
{
    DenseSet<const Function *> Result;
    SmallVector<const Function *, 8> Open;
    for (const char *Name : {BarrierMarker, OnceMarker})
        if (const Function *F = M.getFunction(Name))
            Open.push_back(F);
    while (!Open.empty()) {
        const Function *F = Open.pop_back_val();
        for (const User *User : F->users())
            if (auto *Call = dyn_cast<CallBase>(User))
                if (Call->getCalledFunction() == F && Result.insert(Call->getFunction()).second)
                    Open.push_back(Call->getFunction());
    }
    return Result;
}

/* Whether a variable of the function itself is handed to a call. */
bool takesVariable(const CallBase &Call)
{
    for (const Value *Argument : Call.args())
        if (Argument->getType()->isPointerTy() && isa<AllocaInst>(getUnderlyingObject(Argument)))
            return true;
    return false;
}

bool sameTarget(const Function &A, const Function &B)
{
    for (const char *Name : {"target-cpu", "target-features"})
        if (A.getFnAttribute(Name) != B.getFnAttribute(Name))
            return false;
    return true;
}

/* Inlines the calls that `Wanted` names, and those in what was inlined. False: it does not end. */
template <typename Function_> bool inlineCalls(Kernel &K, Function_ Wanted)
{
    for (unsigned Turn = 0; Turn < MostInlined; ++Turn) {
        CallBase *Found = nullptr;
        for (Instruction &I : instructions(K.F)) {
            auto *Call = dyn_cast<CallBase>(&I);
            const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
            if (!Callee || Callee->isDeclaration() || Callee->hasFnAttribute(MarkerRole) || Callee == &K.F
                || !Wanted(*Call, *Callee))
                continue;
            Found = Call;
            break;
        }
        if (!Found)
            return true;
        InlineFunctionInfo Info;
        if (!sameTarget(K.F, *Found->getCalledFunction()) || !InlineFunction(*Found, Info).isSuccess())
            return K.refuse("a function with barriers cannot be inlined", Found);
    }
    return K.refuse("a function with barriers is recursive");
}

constexpr const char *ApartMarker = "tw_internal_marker_apart";

/* LLVM makes a switch of `if (x == 0) A; if (x == 15) B;`, which then is one part for both. Such a condition gets a call that keeps it
   where it is, if something is written behind it. */
void keepApart(Function &F)
{
    LLVMContext &Context = F.getContext();
    FunctionCallee Marker;
    DominatorTree DT(F);
    for (BasicBlock &Block : F) {
        auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
        const auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
        if (!Compare || !Compare->isEquality() || !isa<ConstantInt>(Compare->getOperand(1)))
            continue;
        if (none_of(F, [&](const BasicBlock &Other) {
                return any_of(Other, [](const Instruction &I) { return isa<StoreInst>(I); })
                       && DT.dominates(&Block, &Other);
            }))
            continue;
        if (!Marker) {
            Marker = F.getParent()->getOrInsertFunction(ApartMarker, Type::getVoidTy(Context));
            auto *Declared = cast<Function>(Marker.getCallee());
            Declared->setDoesNotThrow();
            Declared->setWillReturn();
            Declared->setOnlyAccessesInaccessibleMemory();
        }
        CallInst::Create(Marker, "", Branch->getIterator())->setDebugLoc(Branch->getDebugLoc());
    }
}

void endApart(Function &F)
{
    for (Instruction &I : make_early_inc_range(instructions(F)))
        if (markerCall(I, ApartMarker))
            I.eraseFromParent();
    if (Function *Marker = F.getParent()->getFunction(ApartMarker); Marker && Marker->use_empty())
        Marker->eraseFromParent();
}

void setVolatile(Instruction &I, bool Is)
{
    if (auto *Load = dyn_cast<LoadInst>(&I))
        Load->setVolatile(Is);
    else
        cast<StoreInst>(I).setVolatile(Is);
}

} // namespace

/* What a work-item has written to memory that the group shares, others may have changed when it reads that again, without a barrier
   between: by reductions and by atomic operations of the group, which are ordinary accesses here. LLVM would give it what it has
   written, or write later what it has read, so such accesses are volatile until the work-items are loops. */
constexpr const char *HeldNote = "teamwork.held";

void holdAccesses(Function &F)
{
    for (Instruction &I : instructions(F))
        if (const Value *Address = getLoadStorePointerOperand(&I); Address && !I.isVolatile() && !I.isAtomic()
                                                                   && !getLoadStoreType(&I)->isPointerTy()
                                                                   && !isa<AllocaInst>(Address)) {
            setVolatile(I, true);
            I.setMetadata(HeldNote, MDNode::get(F.getContext(), {}));
        }
}

void endHeldAccesses(Function &F)
{
    for (Instruction &I : instructions(F))
        if (I.getMetadata(HeldNote)) {
            setVolatile(I, false);
            I.setMetadata(HeldNote, nullptr);
        }
}

namespace
{

void simplify(Kernel &K, FunctionAnalysisManager &FAM, Keep Strides)
{
    Function &F = K.F;
    FunctionPassManager Passes;
    Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    Passes.addPass(EarlyCSEPass(true));
    FAM.invalidate(F, PreservedAnalyses::none());
    FAM.invalidate(F, Passes.run(F, FAM));
    keepApart(F);
    Passes = FunctionPassManager();
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(InstCombinePass());
    Passes.addPass(LoopSimplifyPass());
    FAM.invalidate(F, PreservedAnalyses::none());
    FAM.invalidate(F, Passes.run(F, FAM));
    keepStrides(F, Strides, K.Likely);
    Passes = FunctionPassManager();
    LoopPassManager Loops;
    Loops.addPass(LoopRotatePass(false));
    Loops.addPass(IndVarSimplifyPass(false));
    Loops.addPass(LoopFullUnrollPass(2));
    Passes.addPass(createFunctionToLoopPassAdaptor(std::move(Loops)));
    Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    Passes.addPass(EarlyCSEPass(true));
    Passes.addPass(InstCombinePass());
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(LowerSwitchPass());
    Passes.addPass(LoopSimplifyPass());
    FAM.invalidate(F, PreservedAnalyses::none());
    FAM.invalidate(F, Passes.run(F, FAM));
    endApart(F);
    FAM.invalidate(F, PreservedAnalyses::none());
}

/* In the group's function nobody waits at a barrier, and one work-item is chosen: the markers stay, as places. */
void answerMarkers(Kernel &K)
{
    K.Barriers = 0;
    for (Instruction &I : instructions(K.F))
        for (const char *Name : {BarrierMarker, OnceMarker})
            if (CallInst *Call = markerCall(I, Name)) {
                Call->replaceAllUsesWith(ConstantInt::getTrue(K.F.getContext()));
                ++K.Barriers;
            }
}

/* What the pointers of one work-item promise about each other does not hold between work-items, which now share a function. */
void dropPromises(Function &F)
{
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        I.setMetadata(LLVMContext::MD_noalias, nullptr);
        I.setMetadata(LLVMContext::MD_alias_scope, nullptr);
        if (isa<NoAliasScopeDeclInst>(I))
            I.eraseFromParent();
    }
}

/* Values that only a debugger reads would have to be kept, too. */
void dropVariables(Function &F)
{
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        I.dropDbgRecords();
        if (isa<DbgInfoIntrinsic>(I))
            I.eraseFromParent();
    }
}

bool isSupported(Kernel &K)
{
    for (Instruction &I : instructions(K.F)) {
        if (isa<InvokeInst>(I) || isa<CallBrInst>(I) || isa<IndirectBrInst>(I) || isa<ResumeInst>(I))
            return K.refuse("of its control flow", &I);
        if (I.getType()->isTokenTy() || I.getType()->isScalableTy())
            return K.refuse("of a value that cannot be kept", &I);
        if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && !Variable->isStaticAlloca())
            return K.refuse("of an array of variable length", Variable);
        if (auto *Call = dyn_cast<CallBase>(&I);
            Call && (Call->isMustTailCall() || Call->hasFnAttr(Attribute::ReturnsTwice)))
            return K.refuse("of a call that returns twice or not at all", Call);
    }
    return true;
}

} // namespace

bool prepare(Kernel &K, FunctionAnalysisManager &FAM)
{
    const DenseSet<const Function *> Barriers = withBarriers(*K.F.getParent());
    if (!Barriers.count(&K.F))
        return false; /* nothing to split: not even worth a remark */
    const auto AlwaysOrBarrier = [&](const CallBase &Call, const Function &Callee) {
        return Call.hasFnAttr(Attribute::AlwaysInline) || Barriers.count(&Callee);
    };
    dropVariables(K.F);
    if (!inlineCalls(K, AlwaysOrBarrier))
        return false;
    answerMarkers(K);
    simplify(K, FAM, Keep::Candidates);
    /* a function that takes the work-item by value gets the address of a variable, which the markers could not follow */
    if (!inlineCalls(K, [&](const CallBase &Call, const Function &Callee) {
            return takesVariable(Call) || AlwaysOrBarrier(Call, Callee);
        }))
        return false;
    dropVariables(K.F);
    answerMarkers(K);
    simplify(K, FAM, Keep::Found);
    endHeldAccesses(K.F);
    dropPromises(K.F);
    splitCounters(K.F);
    keepStrides(K.F, Keep::None, K.Likely);
    return isSupported(K);
}

} // namespace tw_compiler
