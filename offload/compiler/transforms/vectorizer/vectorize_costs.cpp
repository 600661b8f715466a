/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether vectors of work-items pay, and how many lanes they have: what a work-item costs, by how often it runs each block, and what a
 * vector does.
 */
#include "vectorize.h"

#include "analysis/predicates.h"
#include "base/marks.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr int OfFunction = 20; /* cost of a function such as expf(), also for a vector */

/* What LLVM 22 asks in another way. */
#if LLVM_VERSION_MAJOR >= 22
bool isLegal(const TargetTransformInfo &TTI, bool IsStore, Type *T, Align At)
{
    return IsStore ? TTI.isLegalMaskedStore(T, At, 0) : TTI.isLegalMaskedLoad(T, At, 0);
}

InstructionCost costOfMasked(const TargetTransformInfo &TTI, bool IsStore, Type *Wide, Align At)
{
    return TTI.getMemIntrinsicInstrCost(
        MemIntrinsicCostAttributes(IsStore ? Intrinsic::masked_store : Intrinsic::masked_load, Wide, At),
        TargetTransformInfo::TCK_RecipThroughput);
}

InstructionCost costOfGather(const TargetTransformInfo &TTI, Instruction &I, Type *Wide, bool IsPartial)
{
    return TTI.getMemIntrinsicInstrCost(
        MemIntrinsicCostAttributes(isa<StoreInst>(I) ? Intrinsic::masked_scatter : Intrinsic::masked_gather, Wide,
                                   getLoadStorePointerOperand(&I), IsPartial, getLoadStoreAlignment(&I), &I),
        TargetTransformInfo::TCK_RecipThroughput);
}

double number(const InstructionCost &Cost)
{
    return double(Cost.getValue());
}
#else
bool isLegal(const TargetTransformInfo &TTI, bool IsStore, Type *T, Align At)
{
    return IsStore ? TTI.isLegalMaskedStore(T, At) : TTI.isLegalMaskedLoad(T, At);
}

InstructionCost costOfMasked(const TargetTransformInfo &TTI, bool IsStore, Type *Wide, Align At)
{
    return TTI.getMaskedMemoryOpCost(IsStore ? Instruction::Store : Instruction::Load, Wide, At, 0,
                                     TargetTransformInfo::TCK_RecipThroughput);
}

InstructionCost costOfGather(const TargetTransformInfo &TTI, Instruction &I, Type *Wide, bool IsPartial)
{
    return TTI.getGatherScatterOpCost(I.getOpcode(), Wide, getLoadStorePointerOperand(&I), IsPartial,
                                      getLoadStoreAlignment(&I), TargetTransformInfo::TCK_RecipThroughput, &I);
}

double number(const InstructionCost &Cost)
{
    return double(*Cost.getValue());
}
#endif

} // namespace

/* Whether a block mostly runs with a mask. */
bool Vectorizer::isMasked(const BasicBlock *Block) const
{
    const Loop *K = LI.getLoopFor(Block);
    return Shape.isPartial(Block) && !(K != &L && isFirstTogether(*K) && DT.dominates(Block, K->getLoopLatch()));
}

/* How often a work-item runs a block, by how often it runs another one. */
double Vectorizer::oftenBy(const BasicBlock *Block, const BasicBlock *Other) const
{
    const auto Frequency = [&](const BasicBlock *Of) {
        return std::max(1.0, double(Often.getBlockFreq(Of).getFrequency()));
    };
    return Frequency(Block) / Frequency(Other);
}

/* How often a vector of work-items runs a block each time that it runs the header of L. A loop turns as long as one of them goes on, and a
   block with a mask runs if one of them comes to it. */
double Vectorizer::oftenAsVector(const BasicBlock *Block) const
{
    constexpr double OfSlowest = 2; /* turns of the last one, by those of all on average */
    const Loop *K = LI.getLoopFor(Block);
    const double OfItem = oftenBy(Block, K->getHeader());
    double Turns = 1;
    if (K != &L)
        Turns = oftenAsVector(K->getLoopPreheader()) * oftenBy(K->getHeader(), K->getLoopPreheader())
                * (Shape.isDivergent(K) ? OfSlowest : 1);
    return Turns * (isMasked(Block) ? std::min(1.0, OfItem * Width) : OfItem);
}

/* Loads or stores of vectors, masks for them, and as many shuffles for each member as there are vectors to take it from. */
InstructionCost Vectorizer::costOfGroup(const Group &G) const
{
    constexpr int OfMask = 2, OfPart = 1, OfShuffle = 1; /* a mask for a vector; a short vector of a longer one */
    const unsigned Lanes = lanesAtOnce(G);
    const auto Parts = InstructionCost::CostType(Width / Lanes), Slots = InstructionCost::CostType(G.slotsOfLane()),
               Members = InstructionCost::CostType(G.Members.size());
    Type *T = elementOf(G);
    const Align At = Align(1);
    const bool IsPartial = any_of(G.Members, [&](const Member &M) { return isMasked(M.Access->getParent()); }),
               HasGaps = G.IsStore ? !G.hasAllSlots() : G.used() < G.slotsOfLane();
    if ((IsPartial || (HasGaps && G.IsStore)) && !hasMasks(F)) /* such stores are slow */
        return InstructionCost::getInvalid();
    if ((IsPartial || HasGaps) && !isLegal(TTI, G.IsStore, T, At))
        return InstructionCost::getInvalid();
    const auto OfVector = [&](unsigned Elements) {
        return TTI.getMemoryOpCost(G.IsStore ? Instruction::Store : Instruction::Load,
                                   FixedVectorType::get(T, Elements), At, 0, TargetTransformInfo::TCK_RecipThroughput);
    };
    const InstructionCost Sorting = Members * (Slots - 1) * OfShuffle;
    if (G.isSideBySide())
        return Parts * (Slots * (OfVector(Lanes) + (IsPartial ? OfMask : 0)) + Sorting);
    if (G.Members.size() == 1)
        return InstructionCost::getInvalid();
    const int OfLane = OfPart + (IsPartial ? OfMask : 0) + (G.Step ? 0 : OfPart);
    return Parts * (InstructionCost::CostType(Lanes) * (OfVector(G.slotsOfLane()) + OfLane) + Sorting);
}

/* Whether there are groups that LLVM's vectorizer does one by one: under a condition, or filled. */
bool Vectorizer::hasBetterGroups() const
{
    return any_of(Groups, [&](const Group &G) {
        return G.IsFilled || (G.isSideBySide() && any_of(G.Members, [&](const Member &M) {
                                  return Shape.isPartial(M.Access->getParent());
                              }));
    });
}

/* Whether vectors would do little but scatter, which takes longer than single stores: 22 cycles for 16 elements on a Zen 4, which does as
   many `x[8 * i] += x[8 * i + 4]` in 16; and what a vector loads next waits for it. What grows by a constant does not count, since it is
   part of addresses. */
bool Vectorizer::isScattered() const
{
    double ScalarSum = 0, VectorSum = 0;
    for (BasicBlock *Block : All)
        for (Instruction &I : *Block) {
            const Value *Address = getLoadStorePointerOperand(&I);
            const bool IsAccess = Address != nullptr;
            if (IsAccess && !Shape.step(Address)) /* LLVM may know more */
                return false;
            if (isDropped(I) || isa<PHINode>(I) || I.isTerminator() || (!IsAccess && Shape.step(&I)))
                continue;
            const InstructionCost One = costOfOne(I), All = IsAccess ? costOfAccess(I, true) : costOfAll(I);
            if (!One.isValid() || !All.isValid())
                return false;
            ScalarSum += Width * number(One);
            VectorSum += number(All);
        }
    return VectorSum > ScalarSum;
}

/* `ByLlvm`: by LLVM's vectorizer, which scatters what a group of stores with gaps has. */
InstructionCost Vectorizer::costOfAccess(Instruction &I, bool ByLlvm) const
{
    constexpr int OfScatter = 4; /* by LLVM's cost, see isScattered() */
    const bool IsStore = isa<StoreInst>(I);
    if (const auto In = GroupOf.find(&I);
        In != GroupOf.end() && !(ByLlvm && IsStore && !Groups[In->second].hasAllSlots()))
        return Groups[In->second].Cost;
    const unsigned Opcode = I.getOpcode();
    const Value *Address = getLoadStorePointerOperand(&I);
    Type *T = getLoadStoreType(&I);
    auto *Wide = VectorType::get(T, Width, false);
    const Align At = getLoadStoreAlignment(&I);
    const auto Kind = TargetTransformInfo::TCK_RecipThroughput;
    const bool IsPartial = isMasked(I.getParent());
    const std::optional<int64_t> Step = Shape.step(Address);
    if (const PrivateVariable *Own = Private.interleaved(Address)) {
        const auto Place = Private.placeOf(const_cast<Value *>(Address), *Own);
        if (all_of(Place->Parts, [&](const auto &Part) { return Shape.isUniform(Part.first); }))
            return IsStore && IsPartial ? costOfMasked(TTI, IsStore, Wide, At)
                                        : TTI.getMemoryOpCost(Opcode, Wide, At, 0, Kind);
    } else if (Step == 0)
        return TTI.getMemoryOpCost(Opcode, T, At, 0, Kind);
    else if (Step && uint64_t(std::abs(*Step)) == DL.getTypeStoreSize(T).getFixedValue()) {
        if (!IsPartial)
            return TTI.getMemoryOpCost(Opcode, Wide, At, 0, Kind);
        if (isLegal(TTI, IsStore, T, At))
            return costOfMasked(TTI, IsStore, Wide, At);
    }
    return costOfGather(TTI, I, Wide, IsPartial) * (ByLlvm && IsStore ? OfScatter : 1);
}

/* A division by what is not constant: its cost is not what the target says. */
static bool isDivision(const Instruction &I)
{
    return I.isIntDivRem() && !isa<Constant>(I.getOperand(1));
}

InstructionCost Vectorizer::costOfOne(Instruction &I) const
{
    constexpr int OfDivision = 10;
    const auto *Call = dyn_cast<CallInst>(&I);
    return isDivision(I) ? OfDivision
           : Call && vectorFunction(*Call).second
               ? OfFunction
               : TTI.getInstructionCost(&I, TargetTransformInfo::TCK_RecipThroughput);
}

InstructionCost Vectorizer::costOfAll(Instruction &I) const
{
    const auto Kind = TargetTransformInfo::TCK_RecipThroughput;
    constexpr int OfLane = 2, OfTurn = 2; /* to go on to the next lane */
    /* out of a vector, or put in */
    const auto IsTaken = [&](const Value *V) {
        const auto *Of = dyn_cast<Instruction>(V);
        return !Shape.step(V) && !(Of && OfEachLane.count(Of));
    };
    const auto Lanes = count_if(I.operands(), IsTaken) + (!I.use_empty() && IsTaken(&I));
    const int More = isScalarized(I) && !OfEachLane.count(&I) ? OfTurn : 0;
    const InstructionCost OneByOne = (costOfOne(I) + More + OfLane * InstructionCost::CostType(Lanes)) * Width;
    if (isDropped(I) || isa<PHINode>(I) || I.isTerminator())
        return costOfOne(I);
    if (isScalarized(I))
        return OneByOne;
    if (getLoadStorePointerOperand(&I))
        return costOfAccess(I);
    if (Shape.step(&I))
        return costOfOne(I);
    auto *T = I.getType()->isVoidTy() ? nullptr : widened(I.getType());
    if (isDivision(I))
        return I.getType()->getScalarSizeInBits() <= 32 ? 2 * Width : OneByOne; /* see divide() */
    if (I.isBinaryOp())
        return TTI.getArithmeticInstrCost(I.getOpcode(), T, Kind, TargetTransformInfo::getOperandInfo(I.getOperand(0)),
                                          TargetTransformInfo::getOperandInfo(I.getOperand(1)));
    if (const auto *Cast = dyn_cast<CastInst>(&I))
        return TTI.getCastInstrCost(I.getOpcode(), T, widened(Cast->getSrcTy()),
                                    TargetTransformInfo::CastContextHint::None, Kind);
    if (isa<CmpInst>(I) || isa<SelectInst>(I))
        return TTI.getCmpSelInstrCost(
            I.getOpcode(), widened(I.getOperand(1)->getType()),
            widened(I.getOperand(0)->getType()->isIntegerTy(1) ? I.getOperand(0)->getType() : Type::getInt1Ty(Context)),
            CmpInst::BAD_ICMP_PREDICATE, Kind);
    if (const auto *Call = dyn_cast<CallInst>(&I)) {
        if (const unsigned Lanes = vectorFunction(*Call).second)
            return OfFunction * (Width / Lanes);
        SmallVector<Type *, 4> Types;
        for (const Use &U : Call->args())
            Types.push_back(widened(U->getType()));
        const SmallVector<const Value *, 4> Arguments(Call->args());
        return TTI.getIntrinsicInstrCost(
            IntrinsicCostAttributes(getVectorIntrinsicIDForCall(Call, &TLI), T, Arguments, Types), Kind);
    }
    return costOfOne(I);
}

/* What LLVM makes vectors of in scalar code (SLP), and how many lanes these have: elements of one work-item that lie side by side, at least
   a register of them, and what is computed from each by itself. Elements of other work-items are far from them. */
DenseMap<const Instruction *, unsigned> Vectorizer::ownVectors(BasicBlock &Block) const
{
    struct Element {
        int64_t At;
        const LoadInst *Load;
    };
    const uint64_t Register = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    MapVector<std::pair<const Value *, Type *>, SmallVector<Element, 16>> Rows;
    for (const Instruction &I : Block) {
        const auto *Load = dyn_cast<LoadInst>(&I);
        if (!Load || !Load->isSimple() || Shape.isUniform(Load->getPointerOperand()))
            continue;
        APInt At(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
        const Value *Base = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, At, true);
        Rows[{Base, Load->getType()}].push_back({At.getSExtValue(), Load});
    }
    DenseMap<const Instruction *, unsigned> Lanes, Column;
    for (auto &[Of, Row] : Rows) {
        const auto Bytes = int64_t(DL.getTypeStoreSize(Of.second).getFixedValue());
        llvm::sort(Row, [](const Element &A, const Element &B) { return A.At < B.At; });
        for (size_t First = 0, Past; First < Row.size(); First = Past) {
            for (Past = First + 1; Past < Row.size() && Row[Past].At == Row[Past - 1].At + Bytes; ++Past)
                ;
            if ((Past - First) * uint64_t(Bytes) * 8 < Register)
                continue;
            for (size_t K = First; K < Past; ++K) {
                Column[Row[K].Load] = unsigned(K - First);
                Lanes[Row[K].Load] = unsigned(Register / (uint64_t(Bytes) * 8));
            }
        }
    }
    for (const Instruction &I : Block) {
        const Instruction *From = nullptr;
        for (const Use &U : I.operands())
            if (const auto *Operand = dyn_cast<Instruction>(U); Operand && Column.count(Operand)) {
                if (From && Column[From] != Column[Operand]) /* one element depends on another one */
                    return DenseMap<const Instruction *, unsigned>();
                From = Operand;
            }
        if (From && !isa<PHINode>(I)) {
            Column[&I] = Column[From];
            Lanes[&I] = Lanes[From];
        }
    }
    return Lanes;
}

/* How far an address goes from one turn of a loop to the next; null if that is not always the same. */
const SCEV *Vectorizer::stepOfTurn(Value *Address, const Loop &K) const
{
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Address));
    return Rec && Rec->getLoop() == &K ? Rec->getStepRecurrence(SE) : nullptr;
}

/* How many turns of a loop inside LLVM takes at once where work-items stay scalar: of one through rows of the work-item, whose elements
   lie side by side, far from the neighbours', and may be computed in any order. Short rows become vectors where LLVM is asked for them. */
unsigned Vectorizer::turnsAtOnce(Loop &K) const
{
    constexpr unsigned Least = 16; /* turns */
    const unsigned Turns = SE.getSmallConstantTripCount(&K);
    const bool IsAsked = getOptionalBoolLoopAttribute(&K, AsksForVectors).value_or(false);
    if (&K == &L || !K.isInnermost() || K.getExitingBlock() != K.getLoopLatch() || (Turns && Turns < Least && !IsAsked)
        || !Memory.getInfo(K).canVectorizeMemory())
        return 1;
    for (PHINode &Phi : K.getHeader()->phis()) {
        RecurrenceDescriptor Sum;
        const auto *Counter = SE.isSCEVable(Phi.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
        if (!(Counter && Counter->isAffine())
            && (Phi.getType()->isFloatingPointTy() || !RecurrenceDescriptor::isReductionPHI(&Phi, &K, Sum)))
            return 1;
    }
    bool HasRow = false;
    uint64_t Widest = 8; /* bits */
    for (BasicBlock *Block : K.blocks())
        for (Instruction &I : *Block) {
            const auto *Call = dyn_cast<CallInst>(&I);
            if (isScalarized(I) || (Call && !isDropped(I) && vectorFunction(*Call).second))
                return 1;
            Value *Address = getLoadStorePointerOperand(&I);
            if (!Address || SE.isLoopInvariant(SE.getSCEV(Address), &K))
                continue;
            const auto Bytes = DL.getTypeStoreSize(getLoadStoreType(&I)).getFixedValue();
            const auto *Step = dyn_cast_or_null<SCEVConstant>(stepOfTurn(Address, K));
            if (!Step || Step->getAPInt() != Bytes)
                return 1;
            const std::optional<int64_t> Apart = Shape.step(Address); /* from one work-item to the next */
            HasRow |= !Apart || uint64_t(std::abs(*Apart)) >= Group::MostSlots * Bytes;
            Widest = std::max<uint64_t>(Widest, 8 * Bytes);
        }
    const uint64_t Register = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    const auto Lanes = unsigned(Register / Widest);
    return !HasRow ? 1 : Turns ? std::min(Lanes, bit_floor(Turns)) : Lanes;
}

bool Vectorizer::pays()
{
    Instruction *Dearest = nullptr;
    double Most = 0;
    double ScalarSum = 0, VectorSum = 0;
    for (BasicBlock *Block : All) {
        const DenseMap<const Instruction *, unsigned> Own = ownVectors(*Block);
        const unsigned AtOnce = turnsAtOnce(*LI.getLoopFor(Block));
        const double OfItem = oftenBy(Block, L.getHeader()), OfVector = oftenAsVector(Block);
        for (Instruction &I : *Block) {
            const InstructionCost One = costOfOne(I), All = costOfAll(I);
            if (!One.isValid() || !All.isValid())
                return refuse("it has no form for vectors", &I);
            const double AsScalars = OfItem * number(One) / std::max(Own.lookup(&I), AtOnce),
                         AsVector = OfVector * number(All);
            ScalarSum += AsScalars;
            VectorSum += AsVector;
            if (const double More = AsVector - Width * AsScalars; More > Most) {
                Most = More;
                Dearest = &I;
            }
        }
    }
    return VectorSum < 0.9 * ScalarSum * Width || refuse("it would not pay", Dearest);
}

/* How many bits vectors of one lane take at once, at most: from where each is made to its last use. */
uint64_t Vectorizer::mostBits() const
{
    DenseMap<const BasicBlock *, unsigned> Last; /* behind the places of a block's instructions */
    DenseMap<const Instruction *, unsigned> At;
    unsigned Places = 0;
    for (const BasicBlock *Block : All) {
        for (const Instruction &I : *Block)
            At[&I] = Places++;
        Last[Block] = Places;
    }
    std::vector<int64_t> More(Places + 1);
    for (const auto &[I, Begin] : At) {
        if (Shape.step(I) || I->getType()->isVoidTy())
            continue;
        unsigned End = Begin;
        for (const User *U : I->users()) {
            const auto *By = cast<Instruction>(U);
            if (!L.contains(By))
                continue;
            End = std::max(End, At[By]);
            for (const Loop *K = LI.getLoopFor(By->getParent()); K != &L; K = K->getParentLoop())
                if (!K->contains(I) || By->getParent() == K->getHeader()) /* as long as the loop turns */
                    End = std::max(End, Last[K->getLoopLatch()]);
        }
        const auto Bits = int64_t(std::max<uint64_t>(DL.getTypeSizeInBits(I->getType()).getFixedValue(), 8));
        More[Begin] += Bits;
        More[End] -= Bits;
    }
    int64_t Now = 0, Most = 0;
    for (const int64_t M : More)
        Most = std::max(Most, Now += M);
    return uint64_t(Most);
}

/* As many lanes as registers have room for, up to four vectors of 32-bit numbers: neighbours hide how long each operation takes. */
void Vectorizer::chooseWidth()
{
    constexpr unsigned Usual = 32, MostVectors = 4, MostLanes = 64, UsualOfRow = 16;
    constexpr uint64_t MostOfVariables = 32 * 1024; /* bytes of all lanes: a cache of the first level */
    const uint64_t Register = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue(),
                   Room = Register * TTI.getNumberOfRegisters(TTI.getRegisterClassForType(true)), Live = mostBits();
    uint64_t Most = turnsApart(L);
    if (const unsigned Turns = SE.getSmallConstantTripCount(&L))
        Most = std::min<uint64_t>(Most, Turns);
    else if (isRowOfGroup(L)) /* it may be short */
        Most = std::min<uint64_t>(Most, UsualOfRow);
    uint64_t OfVariables = 0;
    for (const PrivateVariable &P : Private.All)
        OfVariables += P.Bytes;
    const uint64_t One = Register / Usual;
    uint64_t Lanes = One;
    while (Lanes < MostVectors * One && 2 * Lanes * Live <= Room && 2 * Lanes * OfVariables <= MostOfVariables)
        Lanes *= 2;
    if (const std::optional<int> Wanted = getOptionalIntLoopAttribute(&L, VectorWidth)) /* TW_HOST_LOOP() */
        Lanes = std::min<uint64_t>(uint64_t(*Wanted), MostLanes);
    Width = unsigned(bit_floor(std::min(Lanes, Most)));
}

} // namespace tw_compiler
