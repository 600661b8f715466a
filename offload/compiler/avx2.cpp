/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code for AVX2, behind the vectorizer. It has masks for words of 32 and 64 bits, in vectors of such words.
 *
 * Structures of four members of 32 bits: LLVM loads those of eight work-items at once, as one long vector, and sorts them by member. It
 * writes the sorting as three permutations and three blends for each member. Here it is the usual transposition of four registers:
 * structure 0 with 4, 1 with 5 and so on, and two rounds of interleaving; 8 shuffles for all members.
 *
 * What only some work-items load or store has a mask of a bit for each of them, repeated for each member, of any number and size. Words
 * are repeated, and not bits, which LLVM would bring to bytes and back.
 *
 * A load with a mask begins when the mask is there, which often waits for another load. So there are fewer of them on their way than
 * of other loads, and prefetchers notice late. What a loop loads so from the program's memory, in steps, is fetched ahead.
 *
 * What some lanes store to a variable of the function, all of them store: some what was there. A store with a mask takes longer than
 * that, and cannot stay in registers.
 */
#include "compiler.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace tw_compiler
{

/* Whether others than what is computed from the address of a variable may have it. */
bool mayBeCaptured(const AllocaInst &Variable)
{
#if LLVM_VERSION_MAJOR >= 22
    return PointerMayBeCaptured(&Variable, true);
#else
    return PointerMayBeCaptured(&Variable, true, true);
#endif
}

std::optional<MaskedCall> maskedCall(Instruction &I)
{
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    const Intrinsic::ID Id = Call ? Call->getIntrinsicID() : Intrinsic::not_intrinsic;
    if (Id != Intrinsic::masked_load && Id != Intrinsic::masked_store)
        return {};
    const bool IsStore = Id == Intrinsic::masked_store;
    const unsigned Address = IsStore;
    if (Call->arg_size() == 3) /* LLVM 22: the alignment is an attribute */
        return MaskedCall{Call, IsStore, Address, Address + 1, Call->getParamAlign(Address).valueOrOne()};
    return MaskedCall{Call, IsStore, Address, Address + 2,
                      cast<ConstantInt>(Call->getArgOperand(Address + 1))->getAlignValue()};
}

namespace
{

constexpr unsigned Lanes = 8, Members = 4, All = Lanes * Members, MemberBits = 32;

/* Shuffles of two vectors of eight: within each half, and of halves. */
constexpr int LowWords[] = {0, 8, 1, 9, 4, 12, 5, 13}, HighWords[] = {2, 10, 3, 11, 6, 14, 7, 15};
constexpr int LowPairs[] = {0, 1, 8, 9, 4, 5, 12, 13}, HighPairs[] = {2, 3, 10, 11, 6, 7, 14, 15};
constexpr int LowHalves[] = {0, 1, 2, 3, 8, 9, 10, 11}, HighHalves[] = {4, 5, 6, 7, 12, 13, 14, 15};

unsigned elementsOf(const Value *V)
{
    return cast<FixedVectorType>(V->getType())->getNumElements();
}

/* A mask in which the bit of a work-item is repeated for each member, but for those that are left out. */
struct Mask {
    Value *Bits = nullptr;   /* null: all ones */
    Constant *Gap = nullptr; /* of all members of all work-items; null: none is left out */
    unsigned Times = 1;
};

std::optional<Mask> maskOf(Value *V)
{
    const auto Known = [](Value *Of) {
        auto *All = dyn_cast<Constant>(Of);
        return All && All->getAggregateElement(0U) ? All : nullptr;
    };
    Mask M;
    if ((M.Gap = Known(V)))
        return M;
    if (auto *And = dyn_cast<BinaryOperator>(V);
        And && And->getOpcode() == Instruction::And && (M.Gap = Known(And->getOperand(1))))
        V = And->getOperand(0);
    const auto *Repeat = dyn_cast<ShuffleVectorInst>(V);
    if (!Repeat || elementsOf(Repeat) % elementsOf(Repeat->getOperand(0)) != 0)
        return {};
    M.Bits = Repeat->getOperand(0);
    M.Times = elementsOf(Repeat) / elementsOf(M.Bits);
    for (unsigned I = 0; I < elementsOf(Repeat); ++I)
        if (M.Times == 1 || Repeat->getMaskValue(I) != int(I / M.Times))
            return {};
    return M;
}

/* So many elements of a mask for elements of a size, from one on. */
Value *part(IRBuilder<> &B, const Mask &M, unsigned Size, unsigned From, unsigned Count)
{
    SmallVector<Constant *, All> Gap;
    SmallVector<int, All> Which;
    for (unsigned I = From; I < From + Count; ++I) {
        Gap.push_back(M.Gap ? M.Gap->getAggregateElement(I) : B.getTrue());
        Which.push_back(int(I / M.Times));
    }
    if (!M.Bits)
        return ConstantVector::get(Gap);
    auto *Word = B.getIntNTy(Size);
    Value *Words = B.CreateShuffleVector(B.CreateSExt(M.Bits, FixedVectorType::get(Word, elementsOf(M.Bits))), Which);
    if (M.Gap)
        Words = B.CreateAnd(Words, B.CreateSExt(ConstantVector::get(Gap), Words->getType()));
    return B.CreateICmpSLT(Words, Constant::getNullValue(Words->getType()));
}

/* A simple load or store, or one with a mask. */
struct LongAccess {
    Instruction *I = nullptr;
    Value *Address = nullptr, *Stored = nullptr; /* Stored: null if it is a load */
    Align At;
    std::optional<Mask> Where; /* none: of all */
    unsigned MaskOperand = 0;

    Type *type() const
    {
        return Stored ? Stored->getType() : I->getType();
    }
};

std::optional<LongAccess> longAccess(Instruction &I)
{
    LongAccess A;
    A.I = &I;
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple()) {
        A.Address = Load->getPointerOperand();
        A.At = Load->getAlign();
    } else if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple()) {
        A.Address = Store->getPointerOperand();
        A.Stored = Store->getValueOperand();
        A.At = Store->getAlign();
    } else if (const auto Masked = maskedCall(I)) {
        if (!Masked->IsStore && !isa<UndefValue>(Masked->otherwise()))
            return {};
        A.Address = Masked->Call->getArgOperand(Masked->Address);
        A.Stored = Masked->IsStore ? Masked->Call->getArgOperand(0) : nullptr;
        A.At = Masked->At;
        A.MaskOperand = Masked->Mask;
        A.Where = maskOf(Masked->Call->getArgOperand(A.MaskOperand));
        if (!A.Where)
            return {};
    } else
        return {};
    if (!isa<FixedVectorType>(A.type()))
        return {};
    return A;
}

/* Loads or stores so many of its elements, from one on. */
Value *accessPart(IRBuilder<> &B, const LongAccess &A, unsigned From, unsigned Count, Value *Stored)
{
    auto *T = FixedVectorType::get(A.type()->getScalarType(), Count);
    Value *Address =
        B.CreateConstGEP1_64(B.getInt8Ty(), A.Address, From * MemberBits / 8); /* with a mask, out of bounds maybe */
    const Align At = commonAlignment(A.At, From * MemberBits / 8);
    Value *Where = A.Where ? part(B, *A.Where, MemberBits, From, Count) : nullptr;
    Instruction *I;
    if (Stored)
        I = Where ? static_cast<Instruction *>(B.CreateMaskedStore(Stored, Address, At, Where))
                  : B.CreateAlignedStore(Stored, Address, At);
    else
        I = Where ? static_cast<Instruction *>(B.CreateMaskedLoad(T, Address, At, Where))
                  : B.CreateAlignedLoad(T, Address, At);
    I->copyMetadata(*A.I);
    return I;
}

void eraseWithMask(const LongAccess &A)
{
    Value *Bits = A.Where ? A.I->getOperand(A.MaskOperand) : nullptr;
    A.I->eraseFromParent();
    if (Bits)
        RecursivelyDeleteTriviallyDeadInstructions(Bits);
}

bool isOfFour(const Type *T)
{
    return cast<FixedVectorType>(T)->getNumElements() == All && T->getScalarSizeInBits() == MemberBits;
}

using Four = std::array<Value *, Members>;

/* Of four vectors: their words 0 and 4 in the first result, then 1 and 5, 2 and 6, 3 and 7. */
Four transpose(IRBuilder<> &B, const Four &Of)
{
    Value *Low01 = B.CreateShuffleVector(Of[0], Of[1], LowWords),
          *High01 = B.CreateShuffleVector(Of[0], Of[1], HighWords);
    Value *Low23 = B.CreateShuffleVector(Of[2], Of[3], LowWords),
          *High23 = B.CreateShuffleVector(Of[2], Of[3], HighWords);
    return {B.CreateShuffleVector(Low01, Low23, LowPairs), B.CreateShuffleVector(Low01, Low23, HighPairs),
            B.CreateShuffleVector(High01, High23, LowPairs), B.CreateShuffleVector(High01, High23, HighPairs)};
}

/* The member that a shuffle of all takes, of each work-item; or -1. */
int memberOf(const User *U, const Value *Of)
{
    const auto *Shuffle = dyn_cast<ShuffleVectorInst>(U);
    if (!Shuffle || Shuffle->getOperand(0) != Of || !isa<UndefValue>(Shuffle->getOperand(1))
        || elementsOf(Shuffle) != Lanes)
        return -1;
    const int Member = Shuffle->getMaskValue(0);
    if (Member < 0 || Member >= int(Members))
        return -1;
    for (unsigned Lane = 0; Lane < Lanes; ++Lane)
        if (Shuffle->getMaskValue(Lane) != int(Lane * Members) + Member)
            return -1;
    return Member;
}

/* What is computed of all members, and used for some of them, is computed of these alone. */
bool computeMembers(Value *Long)
{
    SmallVector<WeakTrackingVH, 4> Dead;
    for (User *U : make_early_inc_range(Long->users())) {
        auto *Of = dyn_cast<BinaryOperator>(U);
        if (!Of || any_of(Of->users(), [&](const User *By) { return memberOf(By, Of) < 0; }))
            continue;
        for (User *By : make_early_inc_range(Of->users())) {
            auto *Shuffle = cast<ShuffleVectorInst>(By);
            IRBuilder<> B(Shuffle);
            Value *Left = B.CreateShuffleVector(Of->getOperand(0), Shuffle->getShuffleMask());
            Value *Member = B.CreateBinOp(Of->getOpcode(), Left,
                                          B.CreateShuffleVector(Of->getOperand(1), Shuffle->getShuffleMask()));
            if (auto *I = dyn_cast<Instruction>(Member))
                I->copyIRFlags(Of);
            Shuffle->replaceAllUsesWith(Member);
            Shuffle->eraseFromParent();
        }
        Dead.push_back(Of);
    }
    for (WeakTrackingVH &Of : Dead)
        if (Of)
            RecursivelyDeleteTriviallyDeadInstructions(Of);
    return !Dead.empty();
}

bool sortLoaded(const LongAccess &A)
{
    if (any_of(A.I->users(), [&](const User *U) { return memberOf(U, A.I) < 0; }))
        return false;
    IRBuilder<> B(A.I);
    Four Pairs, Parts; /* structures i and i + 4 */
    for (unsigned I = 0; I < Members; ++I)
        Pairs[I] = A.Where ? accessPart(B, A, I * Lanes, Lanes, nullptr) : nullptr;
    for (unsigned I = 0; I < Members; ++I)
        if (A.Where)
            Parts[I] = B.CreateShuffleVector(Pairs[I / 2], Pairs[I / 2 + 2], I % 2 ? HighHalves : LowHalves);
        else {
            Value *First = accessPart(B, A, I * Members, Members, nullptr),
                  *Second = accessPart(B, A, (I + 4) * Members, Members, nullptr);
            Parts[I] = B.CreateShuffleVector(First, Second, {0, 1, 2, 3, 4, 5, 6, 7});
        }
    const Four Sorted = transpose(B, Parts);
    for (User *U : make_early_inc_range(A.I->users())) {
        U->replaceAllUsesWith(Sorted[memberOf(U, A.I)]);
        cast<Instruction>(U)->eraseFromParent();
    }
    eraseWithMask(A);
    for (Value *V : Sorted)
        RecursivelyDeleteTriviallyDeadInstructions(V);
    return true;
}

/* Where an element of a vector comes from, through shuffles. */
std::pair<Value *, int> originOf(Value *V, int Element)
{
    while (auto *Shuffle = dyn_cast<ShuffleVectorInst>(V)) {
        if (elementsOf(Shuffle) == Lanes)
            break; /* a member, whatever it was made of */
        Element = Shuffle->getMaskValue(Element);
        if (Element < 0)
            return {nullptr, 0};
        const int First = int(elementsOf(Shuffle->getOperand(0)));
        V = Shuffle->getOperand(Element >= First);
        Element -= Element >= First ? First : 0;
    }
    return {V, Element};
}

bool sortStored(const LongAccess &A)
{
    Four Sorted{};
    for (unsigned I = 0; I < All; ++I) {
        auto [From, Element] = originOf(A.Stored, int(I));
        Value *&Member = Sorted[I % Members];
        if (!From || elementsOf(From) != Lanes || Element != int(I / Members) || (Member && Member != From))
            return false;
        Member = From;
    }
    IRBuilder<> B(A.I);
    const Four Parts = transpose(B, Sorted); /* structures i and i + 4 */
    for (unsigned I = 0; I < Members; ++I)
        accessPart(B, A, I * Lanes, Lanes,
                   B.CreateShuffleVector(Parts[I % 2 * 2], Parts[I % 2 * 2 + 1], I / 2 ? HighHalves : LowHalves));
    eraseWithMask(A);
    RecursivelyDeleteTriviallyDeadInstructions(A.Stored);
    return true;
}

/* Fetches what will be loaded with a mask a while later, if the address advances with a loop. `Fetched`: where that is done already. */
bool fetchAhead(Instruction &I, LoopInfo &LI, ScalarEvolution &SE, SmallVectorImpl<const SCEV *> &Fetched)
{
    constexpr int64_t Ahead = 1024, Line = 64, MostStep = 512; /* bytes */
    const auto Masked = maskedCall(I);
    if (!Masked || Masked->IsStore || isa<Constant>(Masked->Call->getArgOperand(Masked->Mask)))
        return false;
    Value *Address = Masked->Call->getArgOperand(Masked->Address);
    const auto *Where = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Address));
    const auto *Step = Where && Where->isAffine() ? dyn_cast<SCEVConstant>(Where->getStepRecurrence(SE)) : nullptr;
    if (!Step || Step->getAPInt().abs().ugt(MostStep) || Where->getLoop() != LI.getLoopFor(I.getParent())
        || isLocal(Address))
        return false;
    if (any_of(Fetched, [&](const SCEV *Other) {
            const auto *By = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Where, Other));
            return By && By->getAPInt().abs().ult(Line);
        }))
        return false;
    Fetched.push_back(Where);
    IRBuilder<> B(&I);
    const auto Bytes = int64_t(I.getModule()->getDataLayout().getTypeStoreSize(I.getType()).getFixedValue());
    for (int64_t At = 0; At < Bytes; At += Line) {
        Value *Later = B.CreateConstGEP1_64(B.getInt8Ty(), Address,
                                            uint64_t(At + (Step->getAPInt().isNegative() ? -Ahead : Ahead)));
        B.CreateIntrinsic(Intrinsic::prefetch, {Later->getType()},
                          {Later, B.getInt32(0), B.getInt32(3), B.getInt32(1)});
    }
    return true;
}

/* Whether an access lies in a variable of the function whose address nobody else has: lanes that the mask leaves out may read there, and
   write what is there. */
bool isOwn(const Value *Address, uint64_t Bytes, const DataLayout &DL)
{
    APInt Offset(DL.getIndexTypeSizeInBits(Address->getType()), 0);
    const auto *Variable = dyn_cast<AllocaInst>(Address->stripAndAccumulateInBoundsConstantOffsets(DL, Offset));
    const std::optional<TypeSize> Size = Variable ? Variable->getAllocationSize(DL) : std::nullopt;
    if (!Size || Offset.isNegative() || Offset.getZExtValue() + Bytes > Size->getFixedValue())
        return false;
    return !mayBeCaptured(*Variable);
}

} // namespace

bool storeOwn(Function &F, FunctionAnalysisManager &)
{
    if (!runsWorkItems(F) || !hasMasksOfWords(F))
        return false;
    const DataLayout &DL = F.getParent()->getDataLayout();
    bool Changed = false;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        const auto Masked = maskedCall(I);
        if (!Masked)
            continue;
        IntrinsicInst *Call = Masked->Call;
        Value *Address = Call->getArgOperand(Masked->Address), *Where = Call->getArgOperand(Masked->Mask);
        if (!isOwn(Address, DL.getTypeStoreSize(Masked->type()).getFixedValue(), DL))
            continue;
        IRBuilder<> B(Call);
        LoadInst *Load = B.CreateAlignedLoad(Masked->type(), Address, Masked->At);
        if (Masked->IsStore)
            B.CreateAlignedStore(B.CreateSelect(Where, Call->getArgOperand(0), Load), Address, Masked->At);
        else if (isa<UndefValue>(Masked->otherwise()))
            Call->replaceAllUsesWith(Load);
        else
            Call->replaceAllUsesWith(B.CreateSelect(Where, Load, Masked->otherwise()));
        Call->eraseFromParent();
        Changed = true;
    }
    return Changed;
}

bool sortMembers(Function &F, FunctionAnalysisManager &FAM)
{
    if (!runsWorkItems(F) || !hasMasksOfWords(F))
        return false;
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    bool Changed = false;
    SmallVector<const SCEV *, 8> Fetched;
    SmallVector<WeakTrackingVH, 16> Found;
    for (Instruction &I : instructions(F)) {
        Changed |= fetchAhead(I, LI, SE, Fetched);
        if (longAccess(I))
            Found.push_back(&I);
    }
    for (WeakTrackingVH &I : Found) {
        const std::optional<LongAccess> A = I ? longAccess(*cast<Instruction>(I)) : std::nullopt;
        if (!A)
            continue;
        const unsigned Size = A->type()->getScalarSizeInBits();
        if (isOfFour(A->type())) {
            Changed |= !A->Stored && computeMembers(A->I);
            if (A->Stored ? sortStored(*A) : sortLoaded(*A)) {
                Changed = true;
                continue;
            }
        }
        if (A->Where && A->Where->Bits && (Size == 32 || Size == 64)) {
            IRBuilder<> B(A->I);
            Value *Bits = A->I->getOperand(A->MaskOperand);
            A->I->setOperand(A->MaskOperand,
                             part(B, *A->Where, Size, 0, cast<FixedVectorType>(A->type())->getNumElements()));
            RecursivelyDeleteTriviallyDeadInstructions(Bits);
            Changed = true;
        }
    }
    return Changed;
}

} // namespace tw_compiler
