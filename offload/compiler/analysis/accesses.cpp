/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a loop over work-items reads and writes, and what follows from the rules of kernels (docs/kernels.md, "What work-items may do"):
 *
 *   1. Between two barriers, no work-item reads or writes what another one writes, but by atomic operations and reductions. So the order
 *      of work-items is free, and their operations may be mixed.
 *   2. A work-item does everything in its own order. Any two of its accesses may be to the same element, unless LLVM's analysis of
 *      aliases proves that they are not: members of a kernel's block may lead to the same memory.
 *   3. Where work-items share out a range, turns that are turnsApart() or more apart may be of the same work-item. Fewer are taken together.
 *   4. Nothing is stored that a work-item does not store, but to variables of the thread whose address nobody else has.
 *
 * A pass that changes the order of a loop's turns asks areDistinct() or turnsApart().
 */
#include "accesses.h"

#include "base/marks.h"

#include <algorithm>
#include <utility>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

using namespace llvm;

namespace tw_compiler
{

/* By how much an expression grows from one turn of a loop to the next; nothing if that is not constant. `OfValue` says it of values that
   are not known as expressions, `Extends` whether a narrow number that grows may be extended, as one that does not wrap around. */
std::optional<int64_t> growthOf(const SCEV *S, const Loop &L, ScalarEvolution &SE,
                                function_ref<std::optional<int64_t>(const Value *)> OfValue,
                                function_ref<bool(const SCEV *, int64_t)> Extends)
{
    const auto Growth = [&](const SCEV *Part) { return growthOf(Part, L, SE, OfValue, Extends); };
    const auto Number = [](const SCEV *Part) {
        const auto *Known = dyn_cast<SCEVConstant>(Part);
        return Known ? Known->getAPInt().trySExtValue() : std::nullopt;
    };
    if (SE.isLoopInvariant(S, &L))
        return 0;
    ArrayRef<const SCEV *> Same = S->operands(); /* what must not grow */
    std::optional<int64_t> Result = 0;
    switch (S->getSCEVType()) {
    case scUnknown:
        return OfValue(cast<SCEVUnknown>(S)->getValue());
    case scAddRecExpr: {
        const auto *Rec = cast<SCEVAddRecExpr>(S);
        if (Rec->getLoop() == &L)
            return Rec->isAffine() ? Number(Rec->getStepRecurrence(SE)) : std::nullopt;
        Result = Growth(Rec->getStart());
        Same = Same.drop_front();
        break;
    }
    case scAddExpr:
        for (const SCEV *Part : S->operands()) {
            const std::optional<int64_t> By = Growth(Part);
            if (!By || AddOverflow(*Result, *By, *Result))
                return {};
        }
        return Result;
    case scMulExpr:
        if (const std::optional<int64_t> Factor = Number(Same[0]); Factor && Same.size() == 2) {
            const std::optional<int64_t> By = Growth(Same[1]);
            return By && !MulOverflow(*By, *Factor, *Result) ? Result : std::nullopt;
        }
        break;
    case scZeroExtend:
    case scSignExtend:
        Result = Growth(Same[0]);
        return !Result || *Result == 0 || Extends(S, *Result) ? Result : std::nullopt;
    default:
        break;
    }
    return all_of(Same, [&](const SCEV *Part) { return Growth(Part) == 0; }) ? Result : std::nullopt;
}

std::optional<int64_t> Accesses::growth(const SCEV *S)
{
    return growthOf(
        S, L, SE, [&](const Value *V) { return Lane && V == Lane ? std::optional<int64_t>(1) : std::nullopt; },
        [&](const SCEV *, int64_t) { return !Wraps; });
}

/* Whether the work-items of an access are neither at the same place nor side by side. */
bool Accesses::isFar(Instruction &I)
{
    const std::optional<int64_t> By = growth(SE.getSCEV(getLoadStorePointerOperand(&I)));
    const int64_t Bytes = int64_t(SE.getDataLayout().getTypeAllocSize(getLoadStoreType(&I)));
    return !By || (*By != 0 && *By != Bytes && *By != -Bytes);
}

namespace
{

/* Whether the address of a variable may be kept in memory, so that others than what is computed from it are the same place. Calls and
   stores outside of the loop are none of a work-item, whose own variables they do not know; but what only reads was perhaps moved. */
bool isCaptured(const Instruction &Variable, const Loop &L)
{
    SmallVector<const Instruction *, 16> Open{&Variable};
    SmallPtrSet<const Instruction *, 16> Seen{&Variable};
    while (!Open.empty())
        for (const Use &U : Open.pop_back_val()->uses()) {
            const auto *By = cast<Instruction>(U.getUser());
            if (isa<GetElementPtrInst>(By) || isa<PHINode>(By) || isa<SelectInst>(By) || isa<FreezeInst>(By)
                || isa<BitCastInst>(By) || isa<AddrSpaceCastInst>(By) || isa<InsertElementInst>(By)
                || isa<ShuffleVectorInst>(By)) {
                if (Seen.insert(By).second)
                    Open.push_back(By);
            } else if (const auto *Call = dyn_cast<CallBase>(By)) {
                const Intrinsic::ID Id = Call->getIntrinsicID(); /* a loop that has vectors may gather and scatter */
                const bool IsHarmless =
                    isa<AnyMemIntrinsic>(By) || By->isLifetimeStartOrEnd() || isa<AssumeInst>(By)
                    || Id == Intrinsic::masked_gather || (Id == Intrinsic::masked_scatter && U.getOperandNo() != 0)
                    || (Call->isDataOperand(&U) && Call->doesNotCapture(Call->getDataOperandNo(&U)));
                if (!IsHarmless && (L.contains(By) || Call->onlyReadsMemory()))
                    return true;
            } else if (isa<StoreInst>(By)) {
                if (U.getOperandNo() != StoreInst::getPointerOperandIndex() && L.contains(By))
                    return true;
            } else if (!isa<LoadInst>(By) && !isa<ICmpInst>(By))
                return true;
        }
    return false;
}

/* What a loop over work-items does with a variable. */
struct Touched {
    const SCEV *First = nullptr; /* the address of one access */
    int64_t Low = 0, High = 0;   /* the bytes that all of them touch, from there */
    bool IsOwn = true, IsChanged = false;
};

/* Adds an access: each work-item touches bytes of its own if those of all accesses are no more than what addresses grow by. */
void addAccess(Touched &All, const SCEV *Where, int64_t Bytes, const Loop &L, ScalarEvolution &SE)
{
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(Where);
    const auto *Step =
        Rec && Rec->getLoop() == &L && Rec->isAffine() ? dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE)) : nullptr;
    if (!All.First)
        All.First = Where;
    const auto *Offset = Step ? dyn_cast<SCEVConstant>(SE.getMinusSCEV(Where, All.First)) : nullptr;
    if (!Offset || Offset->getAPInt().getSignificantBits() > 32) {
        All.IsOwn = false;
        return;
    }
    const int64_t At = Offset->getAPInt().getSExtValue();
    All.Low = std::min(All.Low, At);
    All.High = std::max(All.High, At + Bytes);
    All.IsOwn &= Step->getAPInt().abs().uge(uint64_t(All.High - All.Low));
}

} // namespace

/* Each load and store with each object that its address may be in, but for variables that are marked as shared, and
   those that each work-item has for itself. */
void Accesses::forEachObject(function_ref<void(Instruction &, const Value *)> Use)
{
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            Value *Address = getLoadStorePointerOperand(&I);
            if (!Address)
                continue;
            SmallVector<const Value *, 4> Objects;
            getUnderlyingObjects(Address, Objects, nullptr, 0); /* also behind many steps */
            for (const Value *Object : Objects)
                if (const auto *Variable = dyn_cast<AllocaInst>(Object);
                    !Variable || !(Variable->hasMetadata(SharedNote) || Own.count(Variable)))
                    Use(I, Object);
        }
}

/* A variable that a work-item changes exists once. It does not matter where each touches its own elements, nor
   where all of them only read. */
Instruction *Accesses::sharedVariable()
{
    MapVector<const AllocaInst *, Touched> Variables;
    bool Unknown = false;
    forEachObject([&](Instruction &I, const Value *Object) {
        const auto *Variable = dyn_cast<AllocaInst>(Object);
        if (!Variable) {
            Unknown |= !isa<GlobalValue>(Object);
            return;
        }
        Touched &All = Variables[Variable];
        addAccess(All, SE.getSCEV(getLoadStorePointerOperand(&I)),
                  int64_t(SE.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)).getFixedValue()), L, SE);
        All.IsChanged |= isa<StoreInst>(I);
    });
    for (auto &[Variable, All] : Variables)
        if (All.IsChanged && !All.IsOwn)
            return const_cast<AllocaInst *>(Variable);
    if (Unknown)
        for (Instruction &I : L.getHeader()->getParent()->getEntryBlock())
            if (isa<AllocaInst>(I) && !I.hasMetadata(SharedNote) && isCaptured(I, L))
                return &I;
    return nullptr;
}

/* Reductions are where work-items are not independent: several add to one element (tw_combine_at()), one after the other; and so are
   atomic operations of the group, ordinary accesses here. The optimizer knows of one work-item: it may load early what is added to, and store the sum late. So each work-item has to come to its end before
   the next one begins, as far as it accesses such an array: any that is read and written, unless each has its own element. */
std::vector<SmallVector<Instruction *, 4>> Accesses::combined()
{
    if (!L.getHeader()->getParent()->hasFnAttribute(CombinesNote))
        return {};
    MapVector<const void *, SmallVector<Instruction *, 4>> Arrays;
    forEachObject([&](Instruction &I, const Value *Object) {
        const auto *Load = dyn_cast<LoadInst>(Object); /* a member of the block, which may be loaded more than once */
        Arrays[Load ? static_cast<const void *>(SE.getSCEV(const_cast<Value *>(Load->getPointerOperand()))) : Object]
            .push_back(&I);
    });
    std::vector<SmallVector<Instruction *, 4>> Found;
    for (auto &[Array, All] : Arrays) {
        const SCEV *Where = SE.getSCEV(getLoadStorePointerOperand(All[0]));
        const std::optional<int64_t> By = growth(Where);
        const auto IsOwn = [&](Instruction *I) {
            return By && uint64_t(std::abs(*By)) >= SE.getDataLayout().getTypeStoreSize(getLoadStoreType(I))
                   && SE.getSCEV(getLoadStorePointerOperand(I)) == Where;
        };
        const auto IsStore = [](const Instruction *I) { return isa<StoreInst>(I); };
        if (any_of(All, IsStore) && !all_of(All, IsStore) && !all_of(All, IsOwn))
            Found.push_back(std::move(All));
    }
    return Found;
}

/* Whether an access's address is computed from an index that is read from memory, or by divisions or bounds, in the turn itself: no two
   of those have a distance that the vectorizer could know, so it merges none of them, and does them where they stand. */
bool Accesses::isIndirect(Instruction &I) const
{
    return SCEVExprContains(SE.getSCEV(getLoadStorePointerOperand(&I)), [&](const SCEV *Part) {
        if (const auto *Unknown = dyn_cast<SCEVUnknown>(Part)) {
            const auto *Value = dyn_cast<Instruction>(Unknown->getValue());
            return Value && L.contains(Value) && !(isa<PHINode>(Value) && Value->getParent() == L.getHeader());
        }
        return (isa<SCEVUDivExpr>(Part) || isa<SCEVMinMaxExpr>(Part) || isa<SCEVSequentialMinMaxExpr>(Part))
               && !SE.isLoopInvariant(Part, &L);
    });
}

/* Whether a loop that is said to be parallel still does in their order what one work-item does, and what reductions combine. The
   vectorizer merges accesses that lie apart, and moves them over others, without a look at those if the loop is parallel. */
bool Accesses::keepsOrder(AAResults &AA)
{
    SmallVector<Instruction *, 32> All;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (getLoadStorePointerOperand(&I))
                All.push_back(&I);
    if (All.size() > 200 || !combined().empty())
        return false;
    /* a place that all of them change: what a reduction has combined so far */
    for (Instruction *Store : All) {
        const SCEV *Where = SE.getSCEV(getLoadStorePointerOperand(Store));
        if (isa<StoreInst>(Store) && growth(Where) == 0)
            for (Instruction *Load : All)
                if (isa<LoadInst>(Load) && SE.getSCEV(getLoadStorePointerOperand(Load)) == Where)
                    return false;
    }
    if (L.getNumBlocks() == 1 && count_if(All, [](Instruction *I) { return isa<StoreInst>(I); }) == 1
        && isa<StoreInst>(All.back()))
        return true; /* nothing can be moved over the only store, which is the last */
    for (Instruction *Strided : All) {
        if (!isFar(*Strided) || isIndirect(*Strided))
            continue;
        for (Instruction *Other : All)
            if (Other != Strided && (isa<StoreInst>(Other) || isa<StoreInst>(Strided))
                && !AA.isNoAlias(MemoryLocation::get(Strided), MemoryLocation::get(Other)))
                return false;
    }
    return true;
}

} // namespace tw_compiler
