/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the functions that the kernel macros made for the plugin, splits kernels at their barriers, and tells the kernels what became
   of them. -Rpass=teamwork-split and -Rpass-missed=teamwork-split say the same to the user. */
#include "kernel.h"

#include "base/contract.h"
#include "base/markers.h"
#include "base/marks.h"
#include "diagnostics/cliffs.h"
#include "diagnostics/remarks.h"
#include "diagnostics/warnings.h"
#include "passes.h"
#include "utilities/clean.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr unsigned MostOfSized = 500; /* instructions of a kernel that has copies for sizes of groups */

/* `Turns` become those of the three loops over a group. */
bool split(Kernel &K, FunctionAnalysisManager &FAM, WeakTrackingVH Turns[3])
{
    if (K.F.hasOptNone())
        return K.refuse("it is not optimized");
    if (!prepare(K, FAM) || !findRegions(K) || !classify(K))
        return false;
    for (unsigned D = 0; D < 3; ++D)
        Turns[D] = K.Id[D]->getArgOperand(1);
    shareLoops(K);
    if (!makeLoops(K))
        return false;
    if (verifyFunction(K.F))
        return K.refuse("of an error in the plugin");
    return true;
}

void remark(Kernel &K, bool Done)
{
    const std::string Shared = K.Shared ? "; " + std::to_string(K.Shared) + (K.Shared > 1 ? " loops" : " loop")
                                              + " over a range that they share out"
                                        : "";
    if (Done)
        tellRemark(K.F, {"teamwork-split", "Split", false, K.Where, K.Where},
                   "kernel " + kernelOf(K.F) + " was split at " + Twine(K.Barriers)
                       + " barriers into loops over work-items" + Shared);
    else {
        const DebugLoc &At = K.WhyAt ? K.WhyAt : K.Where;
        tellRemark(K.F, {"teamwork-split", "NotSplit", true, K.Where, At},
                   "kernel " + kernelOf(K.F) + " keeps a stack for each work-item: " + K.Why + adviceOn(K.Why));
        tellStacks(K.F, K.Why, At);
    }
}

/* Whether `F`, one work-item of a kernel, has become the whole group. `IsForSize`: it is a copy for groups of one size, which large
   kernels go without. `Sized`: kernels, with their dimensions, that have a copy for the size that they count on, and need none for a
   usual one. */
bool handle(Function &F, FunctionAnalysisManager &FAM, bool IsForSize, StringSet<> &Sized)
{
    Kernel K(F);
    if (DISubprogram *Program = F.getSubprogram())
        K.Where = DILocation::get(F.getContext(), Program->getLine(), 0, Program);
    Function *Copy = nullptr;
    if (!F.hasOptNone() && saysNoSize(F)) {
        ValueToValueMapTy Map;
        Copy = CloneFunction(&F, Map);
    }
    WeakTrackingVH Turns[3];
    const std::string OfDims = (kernelOf(F) + "/" + F.getFnAttribute(DimsRole).getValueAsString()).str();
    const bool IsWanted = !IsForSize || !Sized.contains(OfDims);
    const bool Done = IsWanted && split(K, FAM, Turns) && !(IsForSize && F.getInstructionCount() > MostOfSized);
    if (Done || (!IsForSize && (K.Barriers > 0 || !K.Why.empty())))
        remark(K, Done);
    if (!Done)
        empty(F);
    const std::optional<Sides> Size = Done && Copy ? giveSize(K, *Copy) : std::nullopt;
    if (Size && handle(*Copy, FAM, true, Sized) && chooseCopy(K, *Copy, *Size, Turns)) {
        if (!mayBeUsual(*Size))
            Sized.insert(OfDims);
    } else if (Copy) {
        FAM.clear(*Copy, Copy->getName());
        Copy->eraseFromParent();
    }
    FAM.invalidate(F, PreservedAnalyses::none());
    return Done;
}

/* The calls of a marker. */
SmallVector<CallInst *, 8> callsOf(Module &M, const char *Name)
{
    SmallVector<CallInst *, 8> Calls;
    if (Function *F = M.getFunction(Name))
        for (User *User : F->users())
            if (auto *Call = dyn_cast<CallInst>(User))
                Calls.push_back(Call);
    return Calls;
}

constexpr unsigned MostOfHelper = 1500, MostOfHelpers = 6000; /* instructions, before anything was optimized */

/* Asks for the calls of helpers in a function, and in what these call: a call that stays is the end of vector code. Functions that
   are not to be inlined, are recursive or very long stay as they are. */
void inlineHelpers(Function &F, unsigned &Left, SmallPtrSetImpl<Function *> &Callers)
{
    if (!Callers.insert(&F).second)
        return;
    for (Instruction &I : instructions(F)) {
        auto *Call = dyn_cast<CallInst>(&I);
        Function *Helper = Call ? Call->getCalledFunction() : nullptr;
        if (!Helper || Helper->isDeclaration() || Helper->isInterposable() || Callers.count(Helper)
            || Helper->hasFnAttribute(Attribute::NoInline) || Helper->hasFnAttribute(Attribute::Cold)
            || Helper->isVarArg() || Call->isNoInline() || Call->isMustTailCall())
            continue;
        const unsigned Size = Helper->getInstructionCount();
        if (Size > MostOfHelper || Size > Left)
            continue;
        Left -= Size;
        Call->addFnAttr(Attribute::AlwaysInline);
        Helper->addFnAttr(ItemNote);
        inlineHelpers(*Helper, Left, Callers);
    }
    Callers.erase(&F);
}

/* Keeps the number of work-items for which a loop over points is, up to where it may have become a constant. */
void notePoints(CallInst &Marker)
{
    Module &M = *Marker.getModule();
    LLVMContext &Context = M.getContext();
    Type *T = Marker.getArgOperand(0)->getType();
    auto *Note = cast<Function>(M.getOrInsertFunction(PointsNote, Type::getVoidTy(Context), T).getCallee());
    Note->setMemoryEffects(MemoryEffects::inaccessibleMemOnly()); /* so that it stays, and is in the way of nothing */
    for (const Attribute::AttrKind Kind :
         {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree})
        Note->addFnAttr(Kind);
    IRBuilder<>(&Marker).CreateCall(Note, {Marker.getArgOperand(0)});
}

/* Notes at the loops over work-items that they are such. */
void markLoops(Module &M, FunctionAnalysisManager &FAM)
{
    SmallSetVector<Function *, 8> Kernels;
    for (const char *Marker : {ItemsMarker, PointsMarker, BeginMarker})
        for (CallInst *Call : callsOf(M, Marker))
            if (!Call->getFunction()->hasOptNone())
                Kernels.insert(Call->getFunction());
    for (Function *F : Kernels) {
        unsigned Left = MostOfHelpers;
        SmallPtrSet<Function *, 8> Callers;
        inlineHelpers(*F, Left, Callers);
    }
    for (const char *Marker : {ItemsMarker, PointsMarker})
        for (CallInst *Call : callsOf(M, Marker)) {
            Function &F = *Call->getFunction();
            Loop *Items = F.hasOptNone() ? nullptr : FAM.getResult<LoopAnalysis>(F).getLoopFor(Call->getParent());
            if (Items && Items->getLoopID()) {
                SmallVector<Loop *, 3> Marked;
                for (const char *Mark : {ItemsMark, RowsMark, PlanesMark})
                    if (Loop *L = Marked.empty() ? Items : Marked.back()->getParentLoop()) {
                        addLoopMark(*L, Mark);
                        Marked.push_back(L);
                    } else /* those of ranges are in another function */
                        break;
                if (Marker == PointsMarker) {
                    for (Loop *L : Marked)
                        setTurnsApart(*L, 1);
                    notePoints(*Call);
                }
            }
            Call->eraseFromParent();
        }
}

/* Whether a call of a function of SharingRole is an atomic operation, not an ordinary access: its scope is wider than the group. */
bool isWide(const CallBase &Call)
{
    constexpr uint64_t WorkGroup = 2; /* TW_SCOPE_WORK_GROUP */
    const auto *How = Call.arg_empty() ? nullptr : dyn_cast<CallBase>(Call.getArgOperand(Call.arg_size() - 1));
    unsigned At;
    if (!How || !calls(*How, ScopeRole)
        || How->getCalledFunction()->getFnAttribute(ScopeRole).getValueAsString().getAsInteger(10, At))
        return false;
    const auto *Scope = At < How->arg_size() ? dyn_cast<ConstantInt>(How->getArgOperand(At)) : nullptr;
    return Scope && Scope->getZExtValue() > WorkGroup;
}

/* Notes at the functions of SharingRole, and at those that call such, that they combine values. */
void noteCombining(Module &M)
{
    SmallSetVector<Function *, 16> Found;
    for (Function &F : M)
        if (F.hasFnAttribute(SharingRole))
            Found.insert(&F);
    for (size_t I = 0; I < Found.size(); ++I) {
        Found[I]->addFnAttr(CombinesNote);
        for (User *By : Found[I]->users())
            if (auto *Call = dyn_cast<CallBase>(By); Call && !isWide(*Call))
                Found.insert(Call->getFunction());
    }
}

} // namespace

void takeKernels(Module &M, ModuleAnalysisManager &MAM)
{
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    readContract(M);
    reportMissing(M);
    reportOldVariables(M);
    for (CallInst *Call : callsOf(M, LocalMarker)) {
        Call->replaceAllUsesWith(IRBuilder<>(Call).CreateStripInvariantGroup(Call->getArgOperand(0)));
        Call->eraseFromParent();
    }
    checkScopes(M);
    noteCombining(M);
    markLoops(M, FAM);
    for (Function &F : M)
        if (F.hasFnAttribute(SharingRole))
            holdAccesses(F);
    DenseMap<Function *, bool> Done;
    StringSet<> Sized;
    for (const char *Marker : {DoneMarker, SizedMarker})
        for (CallInst *Call : callsOf(M, Marker)) {
            auto *F = dyn_cast<Function>(Call->getArgOperand(0)->stripPointerCasts());
            if (F && !Done.count(F))
                Done[F] = handle(*F, FAM, Marker == SizedMarker, Sized);
            Call->replaceAllUsesWith(ConstantInt::getBool(M.getContext(), F && Done[F]));
            Call->eraseFromParent();
        }
    for (CallInst *Call : callsOf(M, SameMarker)) {
        Call->replaceAllUsesWith(Call->getArgOperand(0));
        Call->eraseFromParent();
    }
    for (Function &F : M) {
        if (F.isDeclaration())
            continue;
        FAM.invalidate(F, PreservedAnalyses::none());
        const auto &LI = FAM.getResult<LoopAnalysis>(F);
        if (hasItems(LI))
            identifyLoops(F, LI);
    }
    for (Function &F : M)
        endHeldAccesses(F);
}

} // namespace tw_compiler
