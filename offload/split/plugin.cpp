/* SPDX-License-Identifier: Apache-2.0 */
/* What clang calls: finds the functions that the kernel macros made for the plugin, and tells the kernels what became of them.
   -Rpass=teamwork-split and -Rpass-missed=teamwork-split say the same to the user. */
#include "split.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#if LLVM_VERSION_MAJOR >= 22
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_split
{

/* The name of the kernel that a function of the lowering belongs to. */
StringRef kernelOf(const Function &F)
{
    const StringRef Name = F.getName();
    for (const char *End : {"_tw_split_", "_tw_host", "_tw_items_"})
        if (const size_t At = Name.rfind(End); At != StringRef::npos)
            return Name.substr(0, At);
    return Name;
}

bool hasLoopMark(const Loop &L, StringRef Name)
{
    const MDNode *Id = L.getLoopID();
    return Id && findOptionMDForLoopID(const_cast<MDNode *>(Id), Name);
}

void addLoopMark(Loop &L, StringRef Name, Constant *Value)
{
    LLVMContext &Context = L.getHeader()->getContext();
    SmallVector<Metadata *, 2> Property{MDString::get(Context, Name)};
    if (Value)
        Property.push_back(ConstantAsMetadata::get(Value));
    MDNode *Mark = MDNode::get(Context, Property);
    L.setLoopID(makePostTransformationMetadata(Context, L.getLoopID(), {}, {Mark}));
}

namespace
{

MDNode *apartMetadata(LLVMContext &Context, uint64_t Apart)
{
    return MDNode::get(Context, {MDString::get(Context, ApartMark),
                                 ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(Context), Apart))});
}

} // namespace

/* Turns of a loop over work-items, or over rows of them, that are fewer than this apart are those of different work-items. Others may
   be of the same one, which shares out a range with the others of its group: it has to take them in their order. */
uint64_t turnsApart(const Loop &L)
{
    const MDNode *Id = L.getLoopID();
    const MDNode *Apart = Id ? findOptionMDForLoopID(const_cast<MDNode *>(Id), ApartMark) : nullptr;
    return Apart ? mdconst::extract<ConstantInt>(Apart->getOperand(1))->getZExtValue() : UINT64_MAX;
}

void setTurnsApart(Loop &L, uint64_t Apart)
{
    LLVMContext &Context = L.getHeader()->getContext();
    SmallVector<MDNode *, 1> Mark;
    if (Apart != UINT64_MAX)
        Mark.push_back(apartMetadata(Context, Apart));
    L.setLoopID(makePostTransformationMetadata(Context, L.getLoopID(), {ApartMark}, Mark));
}

/* Whether all turns are those of different work-items, so that their order is free. */
bool areDistinct(Loop &L, ScalarEvolution &SE)
{
    const uint64_t Apart = turnsApart(L);
    if (Apart == UINT64_MAX)
        return true;
    const SCEV *Turns = SE.getBackedgeTakenCount(&L);
    return !isa<SCEVCouldNotCompute>(Turns) && SE.getUnsignedRangeMax(Turns).ult(Apart);
}

/* That of a new loop: over work-items, or over rows of them. */
MDNode *loopMetadata(LLVMContext &Context, const char *Mark, uint64_t Apart)
{
    SmallVector<Metadata *, 4> Properties{nullptr, MDNode::get(Context, MDString::get(Context, Mark))};
    if (Apart != UINT64_MAX)
        Properties.push_back(apartMetadata(Context, Apart));
    if (Mark == ItemsMark)
        Properties.push_back(MDNode::get(Context, {MDString::get(Context, "llvm.loop.vectorize.enable"),
                                                   ConstantAsMetadata::get(ConstantInt::getTrue(Context))}));
    MDNode *Loop = MDNode::getDistinct(Context, Properties);
    Loop->replaceOperandWith(0, Loop);
    return Loop;
}

/* What LLVM does behind copies of loops takes time by the number of instructions, or by its square. So a function that is large gets fewer
   copies: up to four times its instructions and some. */
static void setBudget(Function &F)
{
    constexpr uint64_t Least = 1000, Large = 3000;
    const uint64_t Begun = F.getInstructionCount();
    F.addFnAttr(BudgetNote, std::to_string(std::min(Least + 4 * Begun, std::max(Large, Begun))));
}

/* Whether a function has used up its budget, which is told once. */
bool isFull(Function &F)
{
    constexpr const char *ToldNote = "teamwork.budget.told";
    uint64_t Most;
    if (F.getFnAttribute(BudgetNote).getValueAsString().getAsInteger(10, Most) || F.getInstructionCount() <= Most)
        return false;
    if (F.hasFnAttribute(ToldNote))
        return true;
    F.addFnAttr(ToldNote);
    OptimizationRemarkEmitter(&F).emit(
        OptimizationRemarkMissed("teamwork-split", "Budget", F.getSubprogram(), &F.getEntryBlock())
        << "kernel " << kernelOf(F) << " has grown to " << std::to_string(F.getInstructionCount())
        << " instructions, so no more copies of its loops are made for where conditions are known: some may be slower "
           "than they could be");
    return true;
}

/* Hands what `Of` names for each loop over work-items to `Change`, or that loop itself: if it has no `Mark` yet, which it gets first.
   After a change, which `Change` tells by its result, all is analysed again, and the loops that came with it have their turn. */
bool changeLoops(Function &F, FunctionAnalysisManager &FAM, StringRef Mark, function_ref<bool(Loop &)> Change,
                 function_ref<Loop *(Loop &)> Of)
{
    bool Changed = false;
    for (bool More = true; More && !isFull(F);) {
        More = false;
        for (Loop *Items : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
            Loop *L = hasLoopMark(*Items, ItemsMark) ? Of(*Items) : nullptr;
            if (!L || hasLoopMark(*L, Mark))
                continue;
            addLoopMark(*L, Mark);
            if (Change(*L)) {
                More = Changed = true;
                FAM.invalidate(F, PreservedAnalyses::none());
                break;
            }
        }
    }
    return Changed;
}

CallInst *markerCall(Instruction &I, const char *Name)
{
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->getName() == Name ? Call : nullptr;
}

namespace
{

constexpr uint64_t MostOfLikely = 1024; /* work-items */
constexpr uint64_t UsualTile = 16;      /* for which the macros make a copy in any case */
constexpr uint64_t UsualLine = 256;
constexpr unsigned MostOfSized = 500; /* instructions of a kernel that has copies for such sizes */

/* `Extent` becomes the turns of the three loops over a group. */
bool split(Kernel &K, FunctionAnalysisManager &FAM, WeakTrackingVH Extent[3])
{
    if (K.F.hasOptNone())
        return K.refuse("it is not optimized");
    if (!prepare(K, FAM) || !findRegions(K) || !classify(K))
        return false;
    for (unsigned D = 0; D < 3; ++D)
        Extent[D] = K.Id[D]->getArgOperand(1);
    shareLoops(K);
    if (!makeLoops(K))
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
                     << "kernel " << kernelOf(K.F) << " was split at " << std::to_string(K.Barriers)
                     << " barriers into loops over work-items"
                     << (K.Shared ? "; " + std::to_string(K.Shared) + (K.Shared > 1 ? " loops" : " loop")
                                        + " over a range that they share out"
                                  : ""));
    else
        Emitter.emit(OptimizationRemarkMissed("teamwork-split", "NotSplit", Where, Block)
                     << "kernel " << kernelOf(K.F) << " keeps a stack for each work-item: " << K.Why);
}

/* A function that nobody will call any more. */
void empty(Function &F)
{
    F.deleteBody();
    F.setLinkage(GlobalValue::InternalLinkage);
    auto *Block = BasicBlock::Create(F.getContext(), "", &F);
    new UnreachableInst(F.getContext(), Block);
}

/* Where the size of the group is computed that a kernel does not say; null: it says one. */
CallInst *sizeCall(Function &F, unsigned &Dims)
{
    for (Instruction &I : instructions(F)) {
        auto *Call = dyn_cast<CallInst>(&I);
        if (!Call || !Call->getCalledFunction() || !Call->getCalledFunction()->getName().contains("tw_internal_nd_here")
            || Call->arg_size() < 5)
            continue;
        const auto *Last = dyn_cast<ConstantInt>(Call->getArgOperand(Call->arg_size() - 1));
        const auto *Given = dyn_cast<ConstantInt>(Call->getArgOperand(Call->arg_size() - 4));
        Dims = Last ? unsigned(Last->getZExtValue()) : 0;
        return Dims >= 1 && Dims <= 3 && Given && Given->isZero() ? Call : nullptr;
    }
    return nullptr;
}

bool handle(Function &F, FunctionAnalysisManager &FAM, bool IsForSize, StringSet<> &Sized);

/* Where the function that runs a group asks whether it is a usual tile, before it calls `Split`; or null. */
CallInst *tileCall(Function &Split)
{
    for (const User *U : Split.users())
        if (const auto *Call = dyn_cast<CallInst>(U); Call && Call->getCalledFunction() == &Split)
            for (Instruction &I : instructions(*const_cast<Function *>(Call->getFunction())))
                if (auto *Is = dyn_cast<CallInst>(&I);
                    Is && Is->getCalledFunction() && Is->getCalledFunction()->getName() == "tw_internal_is_tile")
                    return Is;
    return nullptr;
}

/* Groups of the size that a kernel counts on, though it does not say it, go by a copy of it for that size: they are asked for with the
   usual tiles, or in groups of one and three dimensions at the begin of the kernel. */
bool handleLikely(Kernel &K, Function &Copy, const Sides &Size, WeakTrackingVH Extent[3], FunctionAnalysisManager &FAM)
{
    unsigned Dims;
    CallInst *Call = sizeCall(Copy, Dims);
    Instruction *Last = nullptr;
    for (unsigned D = 0; D < Dims; ++D) {
        auto *I = dyn_cast_or_null<Instruction>(static_cast<Value *>(Extent[3 - Dims + D]));
        if (!I || (Last && I->getParent() != Last->getParent()))
            return false;
        Last = Last && I->comesBefore(Last) ? Last : I;
    }
    const unsigned Arguments = Call->arg_size();
    for (unsigned D = 0; D < 3; ++D)
        Call->setArgOperand(Arguments - 4 + D,
                            ConstantInt::get(Call->getArgOperand(Arguments - 4 + D)->getType(), Size[D]));
    StringSet<> None;
    if (!handle(Copy, FAM, true, None))
        return false;
    CallInst *Ask = tileCall(K.F);
    BasicBlock *Leave = Ask ? askForSize(*Ask, Size, Dims) : nullptr;
    if (!Leave) {
        Instruction *Behind = Last->getNextNode();
        IRBuilder<> B(Behind);
        Value *Fits = B.getTrue();
        for (unsigned D = 0; D < Dims; ++D) {
            Value *Turns = Extent[3 - Dims + D];
            Fits = B.CreateAnd(Fits, B.CreateICmpEQ(Turns, ConstantInt::get(Turns->getType(), Size[D])));
        }
        Instruction *End = SplitBlockAndInsertIfThen(Fits, Behind->getIterator(), true);
        Leave = End->getParent();
        End->eraseFromParent();
    }
    IRBuilder<> B(Leave);
    B.SetCurrentDebugLocation(Ask ? Ask->getDebugLoc() : K.Where);
    B.CreateCall(&Copy, {Leave->getParent()->getArg(0)});
    B.CreateRetVoid();
    FAM.invalidate(*Leave->getParent(), PreservedAnalyses::none());
    return true;
}

/* Whether `F`, one work-item of a kernel, has become the whole group. `IsForSize`: it is a copy for groups of a usual size, which large
   kernels go without. */
bool handle(Function &F, FunctionAnalysisManager &FAM, bool IsForSize, StringSet<> &Sized)
{
    Kernel K(F);
    const DISubprogram *Program = F.getSubprogram();
    if (Program)
        K.Where = DILocation::get(F.getContext(), Program->getLine(), 0, const_cast<DISubprogram *>(Program));
    Function *Copy = nullptr;
    unsigned Dims = 0;
    if (sizeCall(F, Dims) && !F.hasOptNone()) {
        ValueToValueMapTy Map;
        Copy = CloneFunction(&F, Map);
    }
    WeakTrackingVH Extent[3];
    const bool IsWanted = !IsForSize || !Sized.contains(F.getName().substr(0, F.getName().rfind('_')));
    const bool Done = IsWanted && split(K, FAM, Extent) && !(IsForSize && F.getInstructionCount() > MostOfSized);
    FAM.invalidate(F, PreservedAnalyses::none());
    if (Done || (!IsForSize && (K.Barriers > 0 || K.Why != "")))
        remark(K, Done, K.Where, F.empty() ? nullptr : &F.getEntryBlock());
    if (!Done)
        empty(F);
    std::optional<Sides> Size;
    if (Done && Copy)
        Size = Dims == 2 && K.Likely[0] && K.Likely[1] ? Sides{K.Likely[0], K.Likely[1], 1} : tileOf(*Copy, Dims);
    const bool IsUsual = Size && (Dims == 1 ? (*Size)[0] == UsualLine : *Size == Sides{UsualTile, UsualTile, 1});
    if (Size && (*Size)[0] * (*Size)[1] * (*Size)[2] <= MostOfLikely && !IsUsual)
        if (handleLikely(K, *Copy, *Size, Extent, FAM))
            Sized.insert(F.getName());
    if (Copy && Copy->use_empty()) {
        FAM.clear(*Copy, Copy->getName());
        Copy->eraseFromParent();
    }
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

/* Takes these notes: where a constant number of work-items shares out points, that many are apart. */
void takePointsNotes(Function &F, const LoopInfo *LI)
{
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        CallInst *Note = markerCall(I, PointsNote);
        if (!Note)
            continue;
        Loop *L = LI ? LI->getLoopFor(Note->getParent()) : nullptr;
        const auto *Items = dyn_cast<ConstantInt>(Note->getArgOperand(0));
        if (L && hasLoopMark(*L, ItemsMark) && Items && !Items->isZero() && turnsApart(*L) == 1)
            setTurnsApart(*L, Items->getZExtValue());
        Note->eraseFromParent();
    }
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

/* The functions that change what the work-items of a group share, without a barrier between them. */
bool isSharing(const Function &F)
{
    return F.getName().contains("tw_internal_accumulate") || F.getName().contains("tw_internal_scoped_");
}

/* Whether a call of such a function is an atomic operation, not an ordinary access: its scope is wider than the group. */
bool isWide(const CallBase &Call)
{
    constexpr uint64_t WorkGroup = 2; /* TW_SCOPE_WORK_GROUP */
    const auto *How = Call.arg_empty() ? nullptr : dyn_cast<CallBase>(Call.getArgOperand(Call.arg_size() - 1));
    if (!How || !How->getCalledFunction() || !How->getCalledFunction()->getName().contains("tw_internal_how_"))
        return false;
    const unsigned At = How->getCalledFunction()->getName().contains("swap_if") ? 2 : 1;
    const auto *Scope = At < How->arg_size() ? dyn_cast<ConstantInt>(How->getArgOperand(At)) : nullptr;
    return Scope && Scope->getZExtValue() > WorkGroup;
}

/* Notes that at the functions that call such. */
void noteCombining(Module &M)
{
    SmallSetVector<Function *, 16> Found;
    for (Function &F : M)
        if (isSharing(F))
            Found.insert(&F);
    for (size_t I = 0; I < Found.size(); ++I) {
        Found[I]->addFnAttr(CombinesNote);
        for (User *By : Found[I]->users())
            if (auto *Call = dyn_cast<CallBase>(By); Call && !isWide(*Call))
                Found.insert(Call->getFunction());
    }
}

struct SplitPass : PassInfoMixin<SplitPass> {
    PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM)
    {
        auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
        reportMissing(M);
        reportOldVariables(M);
        for (CallInst *Call : callsOf(M, LocalMarker)) {
            Call->replaceAllUsesWith(IRBuilder<>(Call).CreateStripInvariantGroup(Call->getArgOperand(0)));
            Call->eraseFromParent();
        }
        checkScopes(M);
        noteCombining(M);
        copyForTiles(M);
        markLoops(M, FAM);
        for (Function &F : M)
            if (isSharing(F))
                holdAccesses(F);
        DenseMap<Function *, bool> Done;
        StringSet<> Sized; /* kernels with a copy for the size that they count on, which need none for a usual one */
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
        for (Function &F : M)
            endHeldAccesses(F);
        return PreservedAnalyses::none();
    }
    static bool isRequired()
    {
        return true;
    }
};

/* LLVM unrolls short loops all the way before it comes to vectors, and in a row of 8 or 32 work-items it does not find these again. So that
   waits for loops over work-items that fill a vector, side by side. */
constexpr const char *LaterMark = "teamwork.unroll.later", *NotUnrolled = "llvm.loop.unroll.disable";
constexpr unsigned LeastInVector = 8;
constexpr const char *PeeledMark = "llvm.loop.peeled.count"; /* how many first turns LLVM has taken out of a loop */
constexpr unsigned MostPeeled = 1000;                        /* more than it ever takes */

/* The levels of a tree: a short loop around loops over work-items whose distance is doubled or halved from turn to turn. With a level
   each, distances and the work-items that take part are constants. */
constexpr unsigned MostLevels = 16, MostInLevels = 4000; /* MostInLevels: instructions of all levels */

bool isOfLevels(const Loop &L, ScalarEvolution &SE)
{
    const unsigned Levels = SE.getSmallConstantTripCount(&L);
    if (Levels < 2 || Levels > MostLevels
        || none_of(L.getSubLoops(), [](const Loop *Inner) { return hasLoopMark(*Inner, ItemsMark); }))
        return false;
    size_t Instructions = 0;
    for (const BasicBlock *Block : L.blocks())
        Instructions += Block->size();
    return Instructions * Levels <= MostInLevels && any_of(L.getHeader()->phis(), [&](PHINode &Phi) {
               return Phi.getType()->isIntegerTy() && !isa<SCEVAddRecExpr>(SE.getSCEV(&Phi));
           });
}

struct WaitPass : PassInfoMixin<WaitPass> {
    PreservedAnalyses run(Loop &L, LoopAnalysisManager &, LoopStandardAnalysisResults &Results, LPMUpdater &)
    {
        if (!L.isInnermost() && isOfLevels(L, Results.SE))
            addLoopMark(L, "llvm.loop.unroll.full");
        if (hasLoopMark(L, ItemsMark) && !hasLoopMark(L, PeeledMark))
            keepWhole(L);
        if (!hasLoopMark(L, NotUnrolled) && Results.SE.getSmallConstantTripCount(&L) % LeastInVector == 0
            && isRowOfItem(L, Results.SE, Results.LI)) {
            addLoopMark(L, LaterMark);
            addLoopMark(L, NotUnrolled);
            addLoopMark(L, "llvm.loop.vectorize.enable", ConstantInt::getTrue(L.getHeader()->getContext()));
            return PreservedAnalyses::all();
        }
        if (isOfRows(L) && !hasLoopMark(L, NotUnrolled)) {
            addLoopMark(L, LaterMark);
            addLoopMark(L, NotUnrolled);
        }
        if (!L.isInnermost() || !hasLoopMark(L, ItemsMark) || hasLoopMark(L, NotUnrolled)
            || Results.SE.getSmallConstantTripCount(&L) < LeastInVector)
            return PreservedAnalyses::all();
        Accesses At(L, Results.SE, /*Wraps=*/false);
        for (BasicBlock *Block : L.blocks())
            for (Instruction &I : *Block)
                if (getLoadStorePointerOperand(&I) && At.isFar(I))
                    return PreservedAnalyses::all();
        addLoopMark(L, LaterMark);
        addLoopMark(L, NotUnrolled);
        return PreservedAnalyses::all();
    }

    /* Whether a loop is that over the rows of a group, or over planes of such rows, and these are still loops: then it can have a copy for
       groups at no border. */
    static bool isOfRows(const Loop &L)
    {
        if (L.getSubLoops().size() != 1)
            return false;
        const Loop &Inner = *L.getSubLoops()[0];
        return hasLoopMark(L, RowsMark) ? hasLoopMark(Inner, ItemsMark) : hasLoopMark(L, PlanesMark) && isOfRows(Inner);
    }

    /* LLVM takes first turns, in which a condition differs, out of a loop: what is left begins and ends anywhere in a vector. Where
       conditions change is for edges.cpp. */
    static void keepWhole(Loop &L)
    {
        addLoopMark(L, PeeledMark, ConstantInt::get(Type::getInt32Ty(L.getHeader()->getContext()), MostPeeled));
    }

    static void end(Loop &L)
    {
        if (hasLoopMark(L, LaterMark))
            L.setLoopID(makePostTransformationMetadata(L.getHeader()->getContext(), L.getLoopID(),
                                                       {LaterMark, NotUnrolled}, {}));
    }
};

/* Options of LLVM's vectorizer for loops over work-items. Loads and stores of members under a condition are merged. What is left behind
   whole vectors is done by narrower ones, also if vectors have fewer than 16 elements: rows of a group are short. */
constexpr std::pair<const char *, const char *> VectorizerOptions[] = {
    {"enable-masked-interleaved-mem-accesses", "true"},
    {"epilogue-vectorization-minimum-VF", "4"},
};

/* Sets these options for a function with such loops, and resets them for others. What the user says holds. */
void setVectorizer(bool ForItems)
{
    static bool Mine[std::size(VectorizerOptions)];
    auto &Options = cl::getRegisteredOptions();
    for (size_t O = 0; O < std::size(VectorizerOptions); ++O) {
        const auto &[Name, Value] = VectorizerOptions[O];
        auto At = Options.find(Name);
        if (At == Options.end() || Mine[O] == ForItems || (ForItems && At->second->getNumOccurrences() > 0))
            continue;
        if (ForItems)
            At->second->addOccurrence(0, Name, Value);
        else
            At->second->reset();
        Mine[O] = ForItems;
    }
}

/* In front of the vectorizer, where everything is inlined and simple. */
struct LoopsPass : PassInfoMixin<LoopsPass> {
    /* Quotients by what is not constant are nothing that an analysis could compute once more elsewhere, since it might divide by 0. It
       does not look behind a freeze, and takes what is there. */
    static void hideDivisions(Function &F, FunctionAnalysisManager &FAM)
    {
        SmallVector<Instruction *, 8> Found;
        for (Instruction &I : instructions(F))
            if ((I.getOpcode() == Instruction::UDiv || I.getOpcode() == Instruction::URem) && I.getType()->isIntegerTy()
                && !isa<Constant>(I.getOperand(1))
                && any_of(I.users(), [](const User *U) { return !isa<FreezeInst>(U); }))
                Found.push_back(&I);
        const auto &LI = FAM.getResult<LoopAnalysis>(F);
        for (Instruction *I : Found) {
            bool Inside = false;
            for (Loop *L = LI.getLoopFor(I->getParent()); L; L = L->getParentLoop())
                Inside |= hasLoopMark(*L, ItemsMark);
            if (Inside)
                continue;
            auto *Same = new FreezeInst(I, "", std::next(I->getIterator()));
            I->replaceUsesWithIf(Same, [&](Use &U) { return U.getUser() != Same; });
        }
        if (!Found.empty())
            FAM.invalidate(F, PreservedAnalyses::none());
    }

    /* A division that a loop does not change, but that only some turns come to, goes in front of the loop, by 1 where it would have no
       result. The vectorizer of LLVM 19 to 22 takes what the first lane has for the quotient of all, also where that lane divides
       nothing, if the quotient is an address of a masked access. */
    static void hoistDivisions(Function &F, FunctionAnalysisManager &FAM)
    {
        bool Changed = false;
        for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
            BasicBlock *Before = L->getLoopPreheader();
            if (!Before || !L->isInnermost())
                continue;
            for (BasicBlock *Block : L->blocks())
                for (Instruction &I : make_early_inc_range(*Block)) {
                    if (!I.isIntDivRem() || !I.getType()->isIntegerTy()
                        || !L->makeLoopInvariant(I.getOperand(0), Changed)
                        || !L->makeLoopInvariant(I.getOperand(1), Changed))
                        continue;
                    IRBuilder<> B(Before->getTerminator());
                    auto *T = cast<IntegerType>(I.getType());
                    Value *Of = B.CreateFreeze(I.getOperand(0)), *By = B.CreateFreeze(I.getOperand(1));
                    Value *None = B.CreateIsNull(By);
                    if (I.getOpcode() == Instruction::SDiv || I.getOpcode() == Instruction::SRem)
                        None = B.CreateOr(
                            None,
                            B.CreateAnd(B.CreateICmpEQ(By, Constant::getAllOnesValue(T)),
                                        B.CreateICmpEQ(Of, B.getInt(APInt::getSignedMinValue(T->getBitWidth())))));
                    By = B.CreateSelect(None, ConstantInt::get(T, 1), By);
                    I.replaceAllUsesWith(B.CreateFreeze(B.CreateBinOp(Instruction::BinaryOps(I.getOpcode()), Of, By)));
                    I.eraseFromParent();
                    Changed = true;
                }
        }
        if (Changed)
            FAM.invalidate(F, PreservedAnalyses::none());
    }

    /* Comparisons that are the same in all turns: that a local id is not negative, say, which a level of a tree asks for. And what takes
       the lower half of a number that has no more than that: the local id of a group of constant size, say. */
    static void settleKnown(Function &F, FunctionAnalysisManager &FAM)
    {
        auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
        const auto &LI = FAM.getResult<LoopAnalysis>(F);
        bool Changed = false;
        for (BasicBlock &Block : F) {
            const Loop *L = LI.getLoopFor(&Block);
            if (!L || !hasLoopMark(*L, ItemsMark))
                continue;
            for (Instruction &I : Block) {
                using namespace PatternMatch;
                Value *Whole;
                if (match(&I,
                          m_CombineOr(m_And(m_Value(Whole), m_ConstantInt()), m_ZExtOrSExt(m_Trunc(m_Value(Whole)))))
                    && Whole->getType() == I.getType() && SE.isSCEVable(I.getType())
                    && SE.getSCEV(&I) == SE.getSCEV(Whole)) {
                    I.replaceAllUsesWith(Whole);
                    Changed = true;
                    continue;
                }
                auto *Compare = dyn_cast<ICmpInst>(&I);
                if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy() || Compare->use_empty()
                    || L->getLoopLatch() == &Block)
                    continue;
                if (std::optional<bool> Known =
                        SE.evaluatePredicate(Compare->getPredicate(), SE.getSCEV(Compare->getOperand(0)),
                                             SE.getSCEV(Compare->getOperand(1)))) {
                    Compare->replaceAllUsesWith(ConstantInt::getBool(F.getContext(), *Known));
                    Changed = true;
                }
            }
        }
        if (Changed)
            clean(F, FAM, true);
    }

    /* Brings loops into the usual form; `Changed`: what is known by now is put in. */
    static void clean(Function &F, FunctionAnalysisManager &FAM, bool Changed)
    {
        FunctionPassManager Passes;
        if (Changed) {
            Passes.addPass(SimplifyCFGPass());
            Passes.addPass(InstCombinePass());
            Passes.addPass(EarlyCSEPass(true));
            Passes.addPass(JumpThreadingPass());
            Passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), true));
            Passes.addPass(SimplifyCFGPass());
        }
        Passes.addPass(LoopSimplifyPass());
        FAM.invalidate(F, PreservedAnalyses::none());
        FAM.invalidate(F, Passes.run(F, FAM));
        hideDivisions(F, FAM); /* which the passes have undone */
    }

    /* What all of a row have in common is found out in front of it. */
    static void unswitch(Function &F, FunctionAnalysisManager &FAM)
    {
        FunctionPassManager Passes;
        Passes.addPass(createFunctionToLoopPassAdaptor(SimpleLoopUnswitchPass(true), true));
        FAM.invalidate(F, Passes.run(F, FAM));
    }

    /* Work-items of an nd_range begin anywhere but at the first one only behind a barrier. Without a call that could come to one the
       second argument of their function is 0. */
    static bool beginsWithFirst(Function &F)
    {
        if (!F.hasLocalLinkage() || !F.getName().contains("_tw_items_") || F.arg_size() != 2 || F.getArg(1)->use_empty()
            || !F.getArg(1)->getType()->isIntegerTy())
            return false;
        for (Instruction &I : instructions(F)) {
            const auto *Call = dyn_cast<CallBase>(&I);
            if (!Call || isa<IntrinsicInst>(I) || Call->doesNotAccessMemory())
                continue;
            for (const Value *Argument : Call->args())
                if (!Argument->getType()->isIntegerTy() && !Argument->getType()->isFPOrFPVectorTy())
                    return false;
            if (!Call->getCalledFunction())
                return false;
        }
        F.getArg(1)->replaceAllUsesWith(ConstantInt::get(F.getArg(1)->getType(), 0));
        return true;
    }

    PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM)
    {
        if (writeForGpu(F, FAM))
            return PreservedAnalyses::none();
        const auto &LI = FAM.getResult<LoopAnalysis>(F);
        const bool HasItems = any_of(LI.getLoopsInPreorder(), [](const Loop *L) { return hasLoopMark(*L, ItemsMark); });
        setVectorizer(HasItems);
        takePointsNotes(F, &LI);
        if (!HasItems)
            return PreservedAnalyses::all();
        noteLoops(F, LI);
        for (Loop *L : LI.getLoopsInPreorder())
            WaitPass::end(*L);
        clean(F, FAM, false);
        setBudget(F);
        if (joinSteps(F, FAM))
            clean(F, FAM, true);
        if (beginsWithFirst(F))
            clean(F, FAM, true);
        if (leaveErrno(F, FAM))
            clean(F, FAM, true);
        if (loadAgain(F, FAM))
            clean(F, FAM, true);
        if (compareForMasks(F, FAM))
            clean(F, FAM, true);
        if (joinElements(F, FAM))
            clean(F, FAM, true);
        for (bool OfPlanes : {false, true}) {
            if (!makeRows(F, FAM, OfPlanes))
                break;
            clean(F, FAM, true);
            unswitch(F, FAM);
            clean(F, FAM, true);
        }
        if (takeSingles(F, FAM))
            clean(F, FAM, true);
        if (widenNests(F, FAM))
            clean(F, FAM, true);
        const bool Versioned = versionNests(F, FAM);
        if (Versioned)
            clean(F, FAM, true);
        settleKnown(F, FAM);
        if (compareForMasks(F, FAM))
            FAM.invalidate(F, PreservedAnalyses::none());
        if (writeOwnAlways(F, FAM))
            clean(F, FAM, true);
        if (widenCounters(F, FAM))
            FAM.invalidate(F, PreservedAnalyses::none());
        if (divideAtEdges(F, FAM))
            clean(F, FAM, true);
        if (fillVectors(F, FAM))
            clean(F, FAM, true);
        if (jamRows(F, FAM))
            clean(F, FAM, true);
        if (makeLanes(F, FAM))
            clean(F, FAM, true);
        if (expandCopies(F))
            FAM.invalidate(F, PreservedAnalyses::none());
        if (mergeArms(F, FAM))
            clean(F, FAM, true);
        if (takePieces(F, FAM))
            clean(F, FAM, true);
        hoistDivisions(F, FAM);
        hideDivisions(F, FAM);
        if (countMembers(F, FAM))
            FAM.invalidate(F, PreservedAnalyses::none());
        tellIndependence(F, FAM);
        if (makeOrdinary(F))
            clean(F, FAM, true);
        if (touchInOrder(F, FAM))
            FAM.invalidate(F, PreservedAnalyses::none());
        return PreservedAnalyses::none();
    }
};

struct TellPass : PassInfoMixin<TellPass> {
    PreservedAnalyses run(Module &M, ModuleAnalysisManager &)
    {
        tellLoops(M);
        return PreservedAnalyses::all();
    }
};

/* At the end. */
struct LastPass : PassInfoMixin<LastPass> {
    /* Whether a loop stores a vector to the same place of a variable in each turn. */
    static bool storesInPlace(const Loop &L)
    {
        return L.isInnermost() && any_of(L.blocks(), [&](const BasicBlock *Block) {
                   return any_of(*Block, [&](const Instruction &I) {
                       const auto *Store = dyn_cast<StoreInst>(&I);
                       return Store && Store->isSimple() && Store->getValueOperand()->getType()->isVectorTy()
                              && L.isLoopInvariant(Store->getPointerOperand())
                              && isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand()));
                   });
               });
    }

    /* What lanes add up stays in registers. LLVM unrolls the loop over the lanes at the end, and leaves several addresses of one
       place behind, of which it does not know that they are the same. */
    static bool keepSums(Function &F, FunctionAnalysisManager &FAM)
    {
        if (kernelOf(F) == F.getName()
            || none_of(FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder(),
                       [](const Loop *L) { return storesInPlace(*L); }))
            return false;
        FunctionPassManager Passes;
        Passes.addPass(EarlyCSEPass(true));
        Passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), true));
        FAM.invalidate(F, Passes.run(F, FAM));
        return true;
    }

    PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM)
    {
        takePointsNotes(F, nullptr); /* of what is optimized when it is linked */
        bool Changed = keepCounters(F, FAM);
        if (!F.hasFnAttribute(BudgetNote)) /* LoopsPass found no work-items here */
            return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
        const auto Note = [&](bool Done) {
            Changed |= Done;
            if (Done)
                FAM.invalidate(F, PreservedAnalyses::none());
        };
        Note(storeOwn(F));
        Note(keepSums(F, FAM));
        Note(forwardVectors(F, FAM));
        Note(sortMembers(F, FAM));
        Note(loadNearUses(F, FAM));
        Note(storeByLanes(F));
        return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
};

} // namespace
} // namespace tw_split

extern "C" LLVM_ATTRIBUTE_WEAK LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "teamwork-split", "1", [](PassBuilder &Builder) {
                Builder.registerPipelineStartEPCallback(
                    [](ModulePassManager &Passes, OptimizationLevel) { Passes.addPass(tw_split::SplitPass()); });
                Builder.registerLateLoopOptimizationsEPCallback(
                    [](LoopPassManager &Passes, OptimizationLevel) { Passes.addPass(tw_split::WaitPass()); });
                Builder.registerVectorizerStartEPCallback(
                    [](FunctionPassManager &Passes, OptimizationLevel) { Passes.addPass(tw_split::LoopsPass()); });
                Builder.registerOptimizerLastEPCallback([](ModulePassManager &Passes, auto &&...) {
                    Passes.addPass(createModuleToFunctionPassAdaptor(tw_split::LastPass()));
                    Passes.addPass(tw_split::TellPass());
                });
            }};
}
