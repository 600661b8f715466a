/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds breaches of the rules of group scope in hierarchical kernels (docs/work_groups.md), and says so at the user's line.
 *
 * Loops over work-items and TW_ONCE are marked in what clang makes of a kernel, before anything is optimized: variables are still
 * variables, each with the beginning of its life. So a region is a body, from its marker to the marker of its end, and
 *
 *   - a store in a region to a variable whose life did not begin there is an assignment to a variable of group scope;
 *   - a store outside of all regions to what is no variable of the function is a side effect at group scope;
 *   - a region that is left past its end is left by return or goto, and a marker inside of one is a loop inside of one.
 *
 * Functions of the program that are called are inlined first, in a copy. Pointers are followed as far as they are
 * variables of the function; of what cannot be followed nothing is said.
 */
#include "warnings.h"

#include "base/contract.h"
#include "base/markers.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr unsigned MostCalls = 200, MostInCopies = 20000;

bool isRegionMarker(Instruction &I)
{
    return markerCall(I, ItemsMarker) || markerCall(I, PointsMarker) || markerCall(I, AloneMarker);
}

/* A breach, in the source. */
using Place = std::tuple<std::string, unsigned, unsigned, unsigned>;

struct Body {
    CallInst *Marker;
    DenseSet<const BasicBlock *> Blocks;
};

class Checker
{
  public:
    Checker(Function &F, std::set<Place> &Told) : F(F), Told(Told)
    {
    }
    void run();

  private:
    Function &F;
    Function *Copy = nullptr;
    std::set<Place> &Told;
    std::vector<Body> Bodies;
    DenseMap<const BasicBlock *, const Body *> BodyOf;
    DenseMap<const AllocaInst *, SmallVector<const BasicBlock *, 2>> Begins; /* where lives of variables begin */

    void inlineCalls();
    void findBodies();
    void promote();
    void checkBody(const Body &B);
    void checkStore(Instruction &I, Value *Address);
    bool isLocal(const AllocaInst &Variable, const Body &B) const;
    bool isOthers(const Value *Object) const;
    void say(const DebugLoc &Where, unsigned Kind, const Twine &What);
};

void Checker::say(const DebugLoc &Where, unsigned Kind, const Twine &What)
{
    const DILocation *At = Where.get();
    if (At && !Told.insert({At->getFilename().str(), At->getLine(), At->getColumn(), Kind}).second)
        return;
    while (At && At->getInlinedAt())
        At = At->getInlinedAt();
    std::string Name = demangle(F.getName());
    Name.resize(std::min(Name.size(), Name.find('(')));
    F.getContext().diagnose(DiagnosticInfoUnsupported(
        F, "in " + Name + "(): " + What, At ? DiagnosticLocation(DebugLoc(At)) : DiagnosticLocation(), DS_Warning));
}

void Checker::inlineCalls()
{
    for (unsigned Turn = 0; Turn < MostCalls && Copy->getInstructionCount() < MostInCopies; ++Turn) {
        CallInst *Found = nullptr;
        for (Instruction &I : instructions(*Copy)) {
            auto *Call = dyn_cast<CallInst>(&I);
            Function *Callee = Call ? Call->getCalledFunction() : nullptr;
            if (Callee && !Callee->isDeclaration() && Callee != &F && Callee != Copy && !Callee->isVarArg()
                && (!isOfLibrary(*Callee) || Callee->hasFnAttribute(WritesRole))) {
                Found = Call;
                break;
            }
        }
        InlineFunctionInfo Info;
        if (!Found || !InlineFunction(*Found, Info, false, nullptr, false).isSuccess())
            return;
    }
}

/* The branch of the condition that a marker stands in; null: there is none. In front of it are those of checks by a sanitizer, which go
   on where all is well. */
BranchInst *branchBehind(CallInst &Marker)
{
    auto *Branch = dyn_cast<BranchInst>(Marker.getParent()->getTerminator());
    SmallPtrSet<const BranchInst *, 4> Seen;
    while (Branch && Branch->hasMetadata(LLVMContext::MD_nosanitize) && Seen.insert(Branch).second)
        Branch = dyn_cast<BranchInst>(Branch->getSuccessor(0)->getTerminator());
    return Branch && Branch->isConditional() ? Branch : nullptr;
}

/* The bodies of loops and of TW_ONCE. Each begins where the condition with the marker holds. */
void Checker::findBodies()
{
    SmallVector<CallInst *, 8> Markers, Ends;
    for (Instruction &I : instructions(*Copy)) {
        if (isRegionMarker(I))
            Markers.push_back(cast<CallInst>(&I));
        else if (CallInst *Call = markerCall(I, EndMarker))
            Ends.push_back(Call);
    }
    SmallPtrSet<const BasicBlock *, 8> Past;
    for (CallInst *End : Ends)
        Past.insert(SplitBlock(End->getParent(), End));
    DominatorTree DT(*Copy);
    for (CallInst *Marker : Markers) {
        BranchInst *Branch = branchBehind(*Marker);
        if (!Branch || !DT.isReachableFromEntry(Branch->getParent()))
            continue;
        BasicBlock *First = Branch->getSuccessor(0);
        Body B{Marker, {}};
        SmallVector<BasicBlock *, 16> Open{First};
        bool Left = false;
        while (!Open.empty()) {
            BasicBlock *Block = Open.pop_back_val();
            if (!B.Blocks.insert(Block).second)
                continue;
            for (BasicBlock *To : successors(Block))
                if (Past.count(To))
                    continue;
                else if (DT.dominates(First, To))
                    Open.push_back(To);
                else
                    Left |= !isa<UnreachableInst>(To->front());
        }
        if (Left)
            say(Marker->getDebugLoc(), 1,
                "the body of this loop over work-items, or of TW_ONCE, is left by return or goto; continue and break "
                "end the "
                "work-item (rule 5)");
        Bodies.push_back(std::move(B));
    }
    for (const Body &B : Bodies)
        for (const BasicBlock *Block : B.Blocks)
            BodyOf[Block] = &B;
    for (Instruction &I : instructions(*Copy))
        if (auto *Call = dyn_cast<IntrinsicInst>(&I); Call && Call->getIntrinsicID() == Intrinsic::lifetime_start)
            for (const Value *Operand : Call->args())
                if (auto *Variable = dyn_cast<AllocaInst>(Operand->stripPointerCasts()))
                    Begins[Variable].push_back(I.getParent());
}

/* What clang itself uses to find the way out of scopes: it has no type of the source. */
bool choosesWay(const AllocaInst &Variable)
{
    for (const User *U : Variable.users()) {
        const auto *Store = dyn_cast<StoreInst>(U);
        if (Store ? !isa<ConstantInt>(Store->getValueOperand()) || Store->hasMetadata(LLVMContext::MD_tbaa)
                  : !isa<IntrinsicInst>(U) && !all_of(U->users(), [](const User *Use) {
                        return isa<SwitchInst>(Use) || isa<ICmpInst>(Use);
                    }))
            return false;
    }
    return Variable.getAllocatedType()->isIntegerTy(32);
}

/* Makes values of pointers that are variables, unless a body changes one that is not its own. */
void Checker::promote()
{
    SmallVector<AllocaInst *, 16> Wanted;
    for (Instruction &I : Copy->getEntryBlock()) {
        auto *Variable = dyn_cast<AllocaInst>(&I);
        if (!Variable || !isAllocaPromotable(Variable))
            continue;
        if (choosesWay(*Variable)) {
            Wanted.push_back(Variable);
            continue;
        }
        if (!Variable->getAllocatedType()->isPointerTy())
            continue;
        bool Changed = false;
        for (const User *U : Variable->users())
            if (const auto *Store = dyn_cast<StoreInst>(U))
                if (const Body *B = BodyOf.lookup(Store->getParent()))
                    Changed |= !isLocal(*Variable, *B);
        if (!Changed)
            Wanted.push_back(Variable);
    }
    for (AllocaInst *Variable : Wanted)
        Begins.erase(Variable);
    DominatorTree DT(*Copy);
    PromoteMemToReg(Wanted, DT);
}

/* Whether a body has the variable to itself: its life begins there, or clang made it for one place alone. */
bool Checker::isLocal(const AllocaInst &Variable, const Body &B) const
{
    if (B.Blocks.count(Variable.getParent()))
        return true;
    const auto Begin = Begins.find(&Variable);
    if (Begin != Begins.end())
        return any_of(Begin->second, [&](const BasicBlock *Block) { return B.Blocks.count(Block); });
    SmallVector<const Value *, 8> Open{&Variable};
    SmallPtrSet<const Value *, 8> Seen;
    while (!Open.empty())
        for (const User *U : Open.pop_back_val()->users()) {
            const auto *I = dyn_cast<Instruction>(U);
            if (!I || !B.Blocks.count(I->getParent()))
                return false;
            if (I->getType()->isPointerTy() && !isa<LoadInst>(I) && !isa<CallInst>(I) && Seen.insert(I).second)
                Open.push_back(I);
        }
    return true;
}

bool isPrivateIndex(const Value *V)
{
    const auto *Call = dyn_cast<CallInst>(V);
    return Call && calls(*Call, PrivateAtRole);
}

/* What an address may point into. False: into a private value of a work-item. */
bool findObjects(const Value *Address, SmallVectorImpl<const Value *> &Objects)
{
    SmallVector<const Value *, 4> Open{Address};
    SmallPtrSet<const Value *, 8> Seen;
    while (!Open.empty()) {
        const Value *V = Open.pop_back_val();
        if (!Seen.insert(V).second)
            continue;
        if (const auto *Element = dyn_cast<GEPOperator>(V)) {
            if (any_of(Element->indices(), [](const Use &Index) { return isPrivateIndex(Index); }))
                return false;
            Open.push_back(Element->getPointerOperand());
        } else if (const auto *Choice = dyn_cast<SelectInst>(V)) {
            Open.push_back(Choice->getTrueValue());
            Open.push_back(Choice->getFalseValue());
        } else if (const auto *Phi = dyn_cast<PHINode>(V)) {
            Open.append(Phi->op_begin(), Phi->op_end());
        } else if (const auto *Call = dyn_cast<IntrinsicInst>(V);
                   Call && Call->getIntrinsicID() == Intrinsic::threadlocal_address) {
            Open.push_back(Call->getArgOperand(0));
        } else if (V->stripPointerCasts() != V) {
            Open.push_back(V->stripPointerCasts());
        } else if (!isa<ConstantPointerNull>(V) && !isa<UndefValue>(V)) {
            Objects.push_back(V);
        }
    }
    return true;
}

/* Whether an object is certainly not a variable of the function: a variable of the group in local memory, what a pointer in the
   block leads to, or what a function of the library gave. */
bool Checker::isOthers(const Value *Object) const
{
    if (isa<GlobalVariable>(Object))
        return true;
    SmallVector<const Value *, 4> From;
    if (const auto *Load = dyn_cast<LoadInst>(Object)) {
        if (!findObjects(Load->getPointerOperand(), From))
            return false;
        return !From.empty() && all_of(From, [&](const Value *V) { return isa<Argument>(V) || isOthers(V); });
    }
    const auto *Call = dyn_cast<CallInst>(Object);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && isOfLibrary(*Callee) && none_of(Call->args(), [&](const Value *Argument) {
               return Argument->getType()->isPointerTy() && isa<AllocaInst>(getUnderlyingObject(Argument));
           });
}

void Checker::checkStore(Instruction &I, Value *Address)
{
    SmallVector<const Value *, 4> Objects;
    if (!findObjects(Address, Objects) || Objects.empty())
        return;
    const Body *B = BodyOf.lookup(I.getParent());
    if (!B && all_of(Objects, [&](const Value *V) { return isOthers(V); }))
        say(I.getDebugLoc(), 2,
            "this writes to memory at group scope, which every work-item may run: it belongs in a loop over work-items "
            "or under "
            "TW_ONCE (rule 2)");
    else if (B && all_of(Objects, [&](const Value *V) {
                 return isa<AllocaInst>(V) && !isLocal(*cast<AllocaInst>(V), *B);
             }))
        say(I.getDebugLoc(), 3,
            "this assigns to a variable of group scope in a loop over work-items or under TW_ONCE, and every work-item "
            "may have one of "
            "its own: what is handed on goes to TW_LOCAL, TW_PRIVATE or a buffer (rule 3)");
}

void Checker::run()
{
    ValueToValueMapTy Map;
    Copy = CloneFunction(&F, Map);
    inlineCalls();
    EliminateUnreachableBlocks(*Copy);
    findBodies();
    promote();
    for (const Body &B : Bodies)
        if (any_of(Bodies, [&](const Body &Other) { return Other.Blocks.count(B.Marker->getParent()); }))
            say(B.Marker->getDebugLoc(), 4,
                "this loop over work-items, or TW_ONCE, stands inside of another one (rule 6)");
    for (Instruction &I : instructions(*Copy)) {
        if (auto *Store = dyn_cast<StoreInst>(&I))
            checkStore(I, Store->getPointerOperand());
        else if (auto *Change = dyn_cast<AtomicRMWInst>(&I))
            checkStore(I, Change->getPointerOperand());
        else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
            checkStore(I, Exchange->getPointerOperand());
        else if (auto *Many = dyn_cast<MemIntrinsic>(&I))
            checkStore(I, Many->getRawDest());
        else if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->hasStructRetAttr())
            checkStore(I, Call->getArgOperand(0));
    }
    Copy->eraseFromParent();
}

/* The functions of the program with loops over work-items, or with calls of such; those that are called first. */
class Functions
{
  public:
    std::vector<Function *> Found;

    bool visit(Function &F)
    {
        const auto [At, New] = Seen.insert({&F, false});
        if (!New)
            return At->second;
        bool Has = false;
        for (Instruction &I : instructions(F)) {
            auto *Call = dyn_cast<CallInst>(&I);
            Function *Callee = Call ? Call->getCalledFunction() : nullptr;
            if (isRegionMarker(I))
                Has = true;
            else if (Callee && !Callee->isDeclaration())
                Has |= visit(*Callee);
        }
        Seen[&F] = Has;
        if (Has && !isOfLibrary(F) && !F.hasOptNone())
            Found.push_back(&F);
        return Has;
    }

  private:
    DenseMap<const Function *, bool> Seen;
};

} // namespace

void checkScopes(Module &M)
{
    /* the pass for a device sees what the host's has seen */
    if (!M.getModuleFlag("openmp-device")) {
        Functions All;
        for (Function &F : M)
            if (!F.isDeclaration())
                (void)All.visit(F);
        std::set<Place> Told;
        for (Function *F : All.Found)
            Checker(*F, Told).run();
    }
    for (const char *Name : {AloneMarker, EndMarker})
        if (Function *F = M.getFunction(Name))
            for (User *U : make_early_inc_range(F->users()))
                if (auto *Call = dyn_cast<CallInst>(U))
                    Call->eraseFromParent();
}

} // namespace tw_compiler
