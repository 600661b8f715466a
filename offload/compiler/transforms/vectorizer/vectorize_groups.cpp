/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of accesses that a work-item makes near each other: members of a structure, or elements of its row. They become vectors of what
 * lies side by side in memory, and shuffles, in place of a gather or scatter for each.
 *
 *     x = at[4 * i]; y = at[4 * i + 1];     becomes     four vectors of at[4 * i .. 4 * (i + W) - 1], sorted by shuffles
 *     a = row[n * i]; b = row[n * i + 1];   becomes     W short vectors, put together and sorted by shuffles
 *
 * Loads are done where the first one stands, stores where the last one does. That is right because
 *
 *   - work-items are independent: only accesses of the same work-item may have to keep their order. An access is moved over another one
 *     if alias analysis knows that they do not meet, or if their addresses are apart by what no work-item and no turn changes, and that
 *     is at least their size. If it is not known before the loop runs, it is asked in front of it (askApart()).
 *   - all bytes between two that are accessed in one object are in that object. Addresses with the same base are of one object. So what
 *     lies between the first and the last member may be loaded if the work-item accesses both; and so may what lies between two
 *     work-items if all take part. Nothing else is loaded: there are masks for that, and for what is stored.
 *   - a gap in a group of stores is filled with what was loaded from it (fill()).
 *   - a load under a condition joins those in front of it only if it lies between them; it may be done by work-items that would not do
 *     it, but its value is not used. A store under a condition joins others behind it with the mask that it has.
 */
#include "vectorize.h"

#include "analysis/predicates.h"
#include "utilities/expander.h"

#include <algorithm>
#include <optional>

#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr unsigned MostOfRow = 4;                /* elements that are loaded at once for one work-item */
constexpr unsigned MostAsked = 16, MostOpen = 8; /* distances that are asked; groups that may still grow */

} // namespace

/* By how many bytes one address is above another one of the same work-item; or null. */
const SCEV *Vectorizer::distance(Instruction &From, Instruction &To)
{
    const auto AsNumber = [&](Instruction &I) {
        return SE.getLosslessPtrToIntExpr(SE.getSCEV(getLoadStorePointerOperand(&I)));
    };
    const SCEV *A = AsNumber(From), *C = AsNumber(To);
    if (isa<SCEVCouldNotCompute>(A) || isa<SCEVCouldNotCompute>(C) || A->getType() != C->getType())
        return nullptr;
    return SE.getMinusSCEV(C, A);
}

std::optional<int64_t> Vectorizer::knownDistance(Instruction &From, Instruction &To)
{
    const auto *By = dyn_cast_or_null<SCEVConstant>(distance(From, To));
    return By && By->getAPInt().getSignificantBits() <= 32 ? std::optional(By->getAPInt().getSExtValue())
                                                           : std::nullopt;
}

/* Whether an access may be moved over another instruction. What has to be asked is added to `Asked`. */
bool Vectorizer::mayPass(Instruction &Moved, Instruction &Other, SmallVectorImpl<Apart> &Asked)
{
    if (isDropped(Other) || !(isa<LoadInst>(Moved) ? Other.mayWriteToMemory() : Other.mayReadOrWriteMemory()))
        return true;
    const auto *Address = getLoadStorePointerOperand(&Other);
    if (!Address || Other.isAtomic() || Other.isVolatile())
        return false;
    if (AA.isNoAlias(MemoryLocation::get(&Moved), MemoryLocation::get(&Other)))
        return true;
    const SCEV *By = distance(Moved, Other);
    if (!By || !SE.isLoopInvariant(By, &L))
        return false;
    const auto Bytes = [&](Instruction &I) {
        return int64_t(DL.getTypeStoreSize(getLoadStoreType(&I)).getFixedValue());
    };
    const int64_t Below = Bytes(Other), Above = Bytes(Moved);
    if (const auto *Known = dyn_cast<SCEVConstant>(By))
        return Known->getAPInt().sge(Above) || Known->getAPInt().sle(-Below);
    if (!Expander(SE, DL, "tw").isSafeToExpandAt(By, L.getLoopPreheader()->getTerminator()))
        return false;
    const Apart New{By, Below, Above};
    if (!is_contained(Asked, New))
        Asked.push_back(New);
    return Asked.size() <= MostAsked;
}

/* Whether an access may be moved to where its group is done: over all between them but others of the group, whose order is kept, and over
   loads that are done there already. `Asked` is as it was if not. */
bool Vectorizer::mayMove(Instruction &Moved, size_t From, Group &G)
{
    const size_t Before = G.Asked.size(), To = G.Members[0].At;
    const auto MayPassAll = [&](Instruction &Other) {
        const auto In = GroupOf.find(&Other);
        if (In == GroupOf.end() || Groups[In->second].Members[0].Access != &Other)
            return mayPass(Moved, Other, G.Asked);
        return all_of(Groups[In->second].Members, [&](const Member &M) { return mayPass(Moved, *M.Access, G.Asked); });
    };
    for (size_t At = std::min(From, To) + 1; At < std::max(From, To); ++At)
        if (!any_of(G.Members, [&](const Member &M) { return M.At == At; }) && !MayPassAll(*Accessing[At])) {
            G.Asked.truncate(Before);
            return false;
        }
    return true;
}

/* Adds an access to a group, if it belongs to it; `At` is its place among all that access memory. */
bool Vectorizer::join(Group &G, Instruction &I, size_t At)
{
    Instruction &Done = *G.Members[0].Access;
    BasicBlock *From = I.getParent(), *To = Done.getParent();
    if (LI.getLoopFor(From) != LI.getLoopFor(To) || DL.getTypeStoreSize(getLoadStoreType(&I)) != G.Bytes
        || Shape.step(getLoadStorePointerOperand(&I)) != G.Step)
        return false;
    const std::optional<int64_t> By = knownDistance(Done, I);
    if (!By || *By % int64_t(G.Bytes) != 0)
        return false;
    const int64_t Slot = *By / int64_t(G.Bytes), Low = std::min(G.Low, Slot), High = std::max(G.High, Slot);
    const uint64_t Most = G.isSideBySide() ? uint64_t(*G.Step) / G.Bytes : MostOfRow;
    const bool Fills = G.IsStore && isa<LoadInst>(I);
    if (uint64_t(High - Low) >= Most || (Fills && any_of(G.Members, [&](const Member &M) { return M.Slot == Slot; })))
        return false;
    if (!Fills && (G.IsStore ? From != To && !Shape.comeTo(From, To) : !DT.dominates(To, From)))
        return false;
    const bool IsBetween = Low == G.Low && High == G.High;
    if ((!G.IsStore && !IsBetween && From != To && !Shape.comeTo(To, From)) || !mayMove(I, At, G))
        return false;
    G.Low = Low;
    G.High = High;
    G.Members.push_back({&I, Slot, At});
    return true;
}

/* Whether an access may be one of a group. */
bool Vectorizer::mayBeInGroup(Instruction &I) const
{
    const Value *Address = getLoadStorePointerOperand(&I);
    if (!Address || isScalarized(I) || Private.interleaved(Address) || Shape.isUniform(Address))
        return false;
    Type *T = getLoadStoreType(&I);
    const std::optional<int64_t> Step = Shape.step(Address);
    return hasOnlyBytes(T, DL) && !T->isPointerTy()
           && (!Step || uint64_t(std::abs(*Step)) > DL.getTypeStoreSize(T).getFixedValue());
}

/* Fills the gaps of a group of stores with what was loaded from them, so that whole vectors are stored: without masks, and as what comes
   next loads them. That is right in memory of the thread. A work-item has loaded from the gap and not stored to it since, so what it
   loaded is still there: no other one may store up to the next barrier where it loads. */
void Vectorizer::fill(Group &G)
{
    const Instruction &Done = *G.Members[0].Access;
    if (!G.isSideBySide() || G.slotsOfLane() == 1 || !isLocal(getLoadStorePointerOperand(&Done)))
        return;
    Group Filled = G;
    for (size_t At = 0; At < G.Members[0].At; ++At)
        if (auto *Load = dyn_cast<LoadInst>(Accessing[At]); Load && mayBeInGroup(*Load) && DT.dominates(Load, &Done))
            join(Filled, *Load, At);
    Filled.IsFilled = Filled.Members.size() > G.Members.size() && Filled.hasAllSlots();
    if (Filled.IsFilled)
        G = std::move(Filled);
}

/* Puts together what may be done at once: loads from the first one on, stores from the last one on. */
void Vectorizer::findGroups()
{
    for (BasicBlock *Block : All)
        for (Instruction &I : *Block)
            if (!isDropped(I) && I.mayReadOrWriteMemory())
                Accessing.push_back(&I);
    for (const bool AreStores : {false, true}) {
        std::vector<Group> Open, Found;
        for (size_t N = 0; N < Accessing.size(); ++N) {
            const size_t At = AreStores ? Accessing.size() - 1 - N : N;
            Instruction &I = *Accessing[At];
            if (isa<StoreInst>(I) != AreStores || !mayBeInGroup(I)
                || any_of(Open, [&](Group &G) { return join(G, I, At); }))
                continue;
            if (Open.size() == MostOpen) {
                Found.push_back(std::move(Open.front()));
                Open.erase(Open.begin());
            }
            Open.push_back({AreStores,
                            Shape.step(getLoadStorePointerOperand(&I)),
                            DL.getTypeStoreSize(getLoadStoreType(&I)).getFixedValue(),
                            0,
                            0,
                            {{&I, 0, At}},
                            {},
                            0});
        }
        std::move(Open.begin(), Open.end(), std::back_inserter(Found));
        keepGroups(Found);
    }
}

/* Keeps the groups that cost less than their accesses one by one. */
void Vectorizer::keepGroups(std::vector<Group> &Found)
{
    for (Group &G : Found) {
        InstructionCost OneByOne = 0;
        for (const Member &M : G.Members)
            OneByOne += costOfAccess(*M.Access);
        if (G.IsStore)
            fill(G);
        const InstructionCost Together = costOfGroup(G);
        if (!Together.isValid() || Together >= OneByOne)
            continue;
        for (const Apart &A : G.Asked)
            if (!is_contained(Asked, A))
                Asked.push_back(A);
        InstructionCost::CostType Accesses = 0;
        for (const Member &M : G.Members)
            if (isa<StoreInst>(M.Access) == G.IsStore) {
                GroupOf[M.Access] = Groups.size();
                ++Accesses;
            }
        G.Cost = Together / Accesses;
        Groups.push_back(std::move(G));
    }
}

/* In front of the loop: whether what was moved over each other is apart. Null: nothing is asked. */
Value *Vectorizer::askApart()
{
    Expander Writer(SE, DL, "tw");
    Instruction *End = L.getLoopPreheader()->getTerminator();
    Value *Result = nullptr;
    for (const Apart &A : Asked) { /* not -Below < By < Above */
        Value *By = Writer.expandCodeFor(A.By, A.By->getType(), End);
        Value *Meets = B.CreateICmpULT(B.CreateAdd(By, ConstantInt::get(By->getType(), uint64_t(A.Below - 1))),
                                       ConstantInt::get(By->getType(), uint64_t(A.Below + A.Above - 1)));
        Result = Result ? B.CreateAnd(Result, B.CreateNot(Meets)) : B.CreateNot(Meets);
    }
    return Result;
}

/* ---- code ------------------------------------------------------------------------------------------------------------ */

/* How many lanes are done at once: those of a register. */
unsigned Vectorizer::lanesAtOnce(const Group &G) const
{
    const uint64_t Register = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    return std::min(Width, unsigned(bit_floor(std::max<uint64_t>(Register / (8 * G.Bytes), 1))));
}

/* The type of a group's elements: that of its members, or a number as long. */
Type *Vectorizer::elementOf(const Group &G) const
{
    Type *T = getLoadStoreType(G.Members[0].Access);
    const auto IsSame = [&](const Member &M) { return getLoadStoreType(M.Access) == T; };
    return all_of(G.Members, IsSame) ? T : Type::getIntNTy(Context, unsigned(8 * G.Bytes));
}

/* The address of a lane's lowest member. */
Value *Vectorizer::addressOf(const Group &G, unsigned Lane)
{
    const int64_t Offset = G.Low * int64_t(G.Bytes);
    Value *Address = getLoadStorePointerOperand(G.Members[0].Access);
    if (!G.Step)
        return B.CreateConstGEP1_64(B.getInt8Ty(), B.CreateExtractElement(vector(Address), Lane), uint64_t(Offset));
    return B.CreateConstGEP1_64(B.getInt8Ty(), scalar(Address), uint64_t(Offset + *G.Step * Lane));
}

/* Loads or stores elements that lie side by side where `Mask` holds; null: everywhere. */
Instruction *Vectorizer::accessVector(const Group &G, Value *Address, Type *T, Value *Mask, Value *Stored)
{
    const auto *All = dyn_cast_or_null<Constant>(Mask);
    if (All && All->isAllOnesValue())
        Mask = nullptr;
    const Align At = Align(G.Bytes);
    Align Known = At;
    for (const Member &M : G.Members)
        Known = std::min(Known, getLoadStoreAlignment(M.Access));
    Instruction *New = Stored ? (Mask ? B.CreateMaskedStore(Stored, Address, Known, Mask)
                                      : static_cast<Instruction *>(B.CreateAlignedStore(Stored, Address, Known)))
                              : (Mask ? B.CreateMaskedLoad(T, Address, Known, Mask)
                                      : static_cast<Instruction *>(B.CreateAlignedLoad(T, Address, Known)));
    SmallVector<Value *, 8> Of;
    for (const Member &M : G.Members)
        Of.push_back(M.Access);
    propagateMetadata(New, Of);
    New->setMetadata(LLVMContext::MD_access_group, nullptr);
    return New;
}

/* Loads what all members of some lanes need, one lane's elements behind those of another one. `Mask` is of all lanes, or null. */
Value *Vectorizer::loadLanes(const Group &G, unsigned First, unsigned Lanes, Value *Mask)
{
    const unsigned Used = G.used(), Slots = G.slotsOfLane();
    const auto MaskOfLanes = [&](unsigned Begin, unsigned Count) -> Value * {
        SmallVector<Constant *, 64>
            Loads; /* not what lies behind the last member, if the next lane may not take part */
        for (unsigned I = 0; I < Count * Slots; ++I)
            Loads.push_back(
                B.getInt1(I % Slots < Used || (!Mask && Begin + I / Slots + 1 < Width && G.isSideBySide())));
        Constant *OfSlots = ConstantVector::get(Loads);
        if (!Mask)
            return OfSlots;
        Value *OfLanes = B.CreateShuffleVector(Mask, createSequentialMask(Begin, Count, 0));
        return B.CreateAnd(B.CreateShuffleVector(OfLanes, createReplicatedMask(int(Slots), int(Count))), OfSlots);
    };
    Type *T = elementOf(G);
    if (G.isSideBySide())
        return accessVector(G, addressOf(G, First), FixedVectorType::get(T, Lanes * Slots), MaskOfLanes(First, Lanes),
                            nullptr);
    SmallVector<Value *, 16> Parts;
    for (unsigned Lane = First; Lane < First + Lanes; ++Lane)
        Parts.push_back(
            accessVector(G, addressOf(G, Lane), FixedVectorType::get(T, Slots), MaskOfLanes(Lane, 1), nullptr));
    return concatenateVectors(B, Parts);
}

void Vectorizer::emitLoads(const Group &G)
{
    Value *Mask = Current.isAll() ? nullptr : asVector(Current);
    const unsigned Lanes = lanesAtOnce(G);
    SmallVector<SmallVector<Value *, 4>, 8> Of(G.Members.size());
    for (unsigned First = 0; First < Width; First += Lanes) {
        Value *Loaded = loadLanes(G, First, Lanes, Mask);
        for (size_t N = 0; N < G.Members.size(); ++N) {
            const auto Slot = unsigned(G.Members[N].Slot - G.Low);
            Value *One = B.CreateShuffleVector(Loaded, createStrideMask(Slot, G.slotsOfLane(), Lanes));
            Of[N].push_back(B.CreateBitCast(One, FixedVectorType::get(getLoadStoreType(G.Members[N].Access), Lanes)));
        }
    }
    for (size_t N = 0; N < G.Members.size(); ++N)
        Vectors[G.Members[N].Access] = concatenateVectors(B, Of[N]);
}

/* Elements of lanes, one lane's behind those of another one; null: nothing in particular. */
Value *Vectorizer::interleave(ArrayRef<Value *> OfSlots, Type *T, unsigned First, unsigned Lanes)
{
    SmallVector<Value *, 8> Parts;
    for (Value *V : OfSlots)
        Parts.push_back(V ? B.CreateShuffleVector(V, createSequentialMask(First, Lanes, 0))
                          : Constant::getNullValue(FixedVectorType::get(T, Lanes)));
    return OfSlots.size() == 1 ? Parts[0]
                               : B.CreateShuffleVector(concatenateVectors(B, Parts),
                                                       createInterleaveMask(Lanes, unsigned(OfSlots.size())));
}

/* Stores of a group, where the last one stands. Of two that are one element the later one holds. */
void Vectorizer::emitStores(const Group &G)
{
    const unsigned Slots = G.isSideBySide() ? G.slotsOfLane() : G.used(), Lanes = lanesAtOnce(G);
    Type *T = elementOf(G);
    SmallVector<Value *, 8> Values(Slots), Masks(Slots); /* no mask: nothing is stored */
    for (const Member &M : reverse(G.Members)) {
        auto *Store = dyn_cast<StoreInst>(M.Access);
        BasicBlock *From = M.Access->getParent();
        const Mask Of = !Store || From == G.Members[0].Access->getParent() ? Current : EdgeMask.lookup({From, nullptr});
        Value *Taken = asVector(Of),
              *V = B.CreateBitCast(vector(Store ? Store->getValueOperand() : M.Access), widened(T));
        Value *&Before = Values[size_t(M.Slot - G.Low)], *&Stored = Masks[size_t(M.Slot - G.Low)];
        Before = Before && !Of.isAll() ? B.CreateSelect(Taken, V, Before) : V;
        Stored = Stored ? B.CreateOr(Stored, Taken) : Taken;
    }
    /* Gaps have the mask of another slot, and 0 by an operation: LLVM 19 forgets to clear the bits behind eight lanes of a longer mask
       that it is asked to put zeros behind. */
    SmallVector<Constant *, 64> IsStored;
    for (unsigned Lane = 0; Lane < Lanes; ++Lane)
        for (Value *Of : Masks)
            IsStored.push_back(B.getInt1(Of != nullptr));
    Value *Some = *find_if(Masks, [](Value *Of) { return Of; });
    std::replace(Masks.begin(), Masks.end(), static_cast<Value *>(nullptr), Some);
    for (unsigned First = 0; First < Width; First += Lanes) {
        Value *Elements = interleave(Values, T, First, Lanes);
        Value *Mask = B.CreateAnd(interleave(Masks, B.getInt1Ty(), First, Lanes), ConstantVector::get(IsStored));
        if (G.isSideBySide()) {
            accessVector(G, addressOf(G, First), Elements->getType(), Mask, Elements);
            continue;
        }
        for (unsigned Lane = 0; Lane < Lanes; ++Lane) {
            const auto OfLane = createSequentialMask(Lane * Slots, Slots, 0);
            Value *Row = B.CreateShuffleVector(Elements, OfLane);
            accessVector(G, addressOf(G, First + Lane), Row->getType(), B.CreateShuffleVector(Mask, OfLane), Row);
        }
    }
}

/* Does a group where that is to be done; whether the access is one of a group. */
bool Vectorizer::emitInGroup(Instruction &I)
{
    const auto Found = GroupOf.find(&I);
    if (Found == GroupOf.end())
        return false;
    const Group &G = Groups[Found->second];
    if (&I == G.Members[0].Access)
        G.IsStore ? emitStores(G) : emitLoads(G);
    return true;
}

} // namespace tw_compiler
