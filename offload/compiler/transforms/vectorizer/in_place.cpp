/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops over work-items of which each one combines a few elements of its own in local memory, as the levels of a tree
 * do: lanes are the elements as they lie in memory, and not the work-items. So nothing has to be sorted, and loops that
 * follow each other over the same array share a register.
 *
 *     for (t = 0; t < 256; ++t)                  for (c = 0; c < 512; c += 16)
 *         tree[2 * t + 1] += tree[2 * t];            v = tree[c .. c + 15];
 *     for (t = 0; t < 128; ++t)                      v += v moved up by one lane,    in the lanes 1, 3, 5, ...
 *         tree[4 * t + 3] += tree[4 * t + 1];        v += v moved up by two lanes,   in the lanes 3, 7, 11, ...
 *                                      becomes       tree[c .. c + 15] = v;
 *
 * That is right whatever work-items may do elsewhere:
 *
 *   - a work-item accesses nothing but one array, and in it only its own part of a row that is divided among the
 *     work-items. So no work-item of a loop depends on another one; and of the next loop only those whose elements lie in
 *     the same register depend on it.
 *   - rows are as long as known, begin at a multiple of a part, and lie in the array, which no other thread accesses. So
 *     registers have no elements but those of the row, and what a work-item does not store is stored as it was.
 *   - all operations may be done with any numbers, since other lanes compute too.
 */
#include "passes.h"

#include "analysis/predicates.h"
#include "base/contract.h"
#include "base/marks.h"
#include "diagnostics/remarks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemoryBuiltins.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* A loop that suits. */
struct Level {
    Loop *L = nullptr;
    Value *Array = nullptr;
    Type *Element = nullptr;
    uint64_t First = 0, Items = 0, Slots = 0;        /* bytes in front of the row; work-items; elements of each */
    DenseMap<const Instruction *, unsigned> SlotOf;  /* of each access: which of these it is */
    unsigned Scalars = 0, Moves = 0, Operations = 0; /* instructions of a work-item; of a register */

    uint64_t elements() const
    {
        return Items * Slots;
    }
    bool isOverSame(const Level &Other) const
    {
        return Array == Other.Array && Element == Other.Element && First == Other.First
               && elements() == Other.elements();
    }
};

/* A value of a work-item, as it is needed in the lane of one of its elements. */
using Lane = std::pair<Instruction *, unsigned>;

class Finder
{
  public:
    Finder(ScalarEvolution &SE, const TargetTransformInfo &TTI, const TargetLibraryInfo &TLI, const DataLayout &DL)
        : SE(SE), TLI(TLI), DL(DL),
          RegisterBytes(TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8)
    {
    }
    std::optional<Level> find(Loop &L);
    uint64_t lanesOf(Type *Element) const
    {
        return RegisterBytes / DL.getTypeStoreSize(Element).getFixedValue();
    }

  private:
    ScalarEvolution &SE;
    const TargetLibraryInfo &TLI;
    const DataLayout &DL;
    const uint64_t RegisterBytes;

    bool addAccesses(Level &Found);
    bool isInArray(const Level &Found) const;
    bool addValues(Level &Found) const;
};

/* Whether an operation may be done for elements that have nothing to do with it. */
bool isOperation(const Instruction &I)
{
    if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
        return isTriviallyVectorizable(Call->getIntrinsicID())
               && all_of(Call->args(), [&](const Use &U) { return U->getType() == I.getType(); })
               && isSafeToSpeculativelyExecute(&I);
    return (I.isBinaryOp() || I.isUnaryOp() || isa<CmpInst>(I) || isa<SelectInst>(I))
           && isSafeToSpeculativelyExecute(&I);
}

/* The accesses of a work-item: of one array, and of its own part of a row. */
bool Finder::addAccesses(Level &Found)
{
    uint64_t Bytes = 0, Part = 0;
    SmallVector<std::pair<Instruction *, int64_t>, 8> Accesses; /* and where in the array the first work-item has it */
    for (Instruction &I : *Found.L->getHeader()) {
        Value *Address = getLoadStorePointerOperand(&I);
        if (!Address) {
            if (!isDropped(I) && (I.mayReadOrWriteMemory() || I.mayHaveSideEffects()))
                return false;
            continue;
        }
        Type *T = getLoadStoreType(&I);
        const auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Address));
        if (!Rec || Rec->getLoop() != Found.L || !Rec->isAffine() || I.isVolatile() || I.isAtomic()
            || !(T->isIntegerTy() || T->isFloatingPointTy()) || (Found.Element && Found.Element != T))
            return false;
        const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Rec));
        const auto *Step = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE));
        if (!Base || !Step || (Found.Array && Found.Array != Base->getValue()))
            return false;
        const auto *Begin = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Rec->getStart(), Base));
        if (!Begin || Begin->getAPInt().isNegative() || Begin->getAPInt().getActiveBits() > 31
            || !Step->getAPInt().isStrictlyPositive() || Step->getAPInt().ugt(RegisterBytes))
            return false;
        if (Part && Step->getAPInt() != Part)
            return false;
        Part = Step->getAPInt().getZExtValue();
        Found.Element = T;
        Found.Array = Base->getValue();
        Accesses.emplace_back(&I, Begin->getAPInt().getSExtValue());
    }
    if (Accesses.empty())
        return false;
    Bytes = DL.getTypeStoreSize(Found.Element).getFixedValue();
    if (DL.getTypeSizeInBits(Found.Element).getFixedValue() != 8 * Bytes || !isPowerOf2_64(Part)
        || !isPowerOf2_64(Bytes) || Part < 2 * Bytes)
        return false;
    Found.Slots = Part / Bytes;
    Found.First = uint64_t(Accesses[0].second) / Part * Part;
    for (const auto &[I, Begin] : Accesses) {
        const uint64_t At = uint64_t(Begin) - Found.First; /* below 0: too large */
        if (At >= Part || At % Bytes != 0)
            return false;
        Found.SlotOf[I] = unsigned(At / Bytes);
    }
    return true;
}

/* Whether all registers lie in the array, which no other thread accesses. */
bool Finder::isInArray(const Level &Found) const
{
    const Value *Object = getUnderlyingObject(Found.Array);
    const auto *Address = dyn_cast<IntrinsicInst>(Found.Array);
    const bool IsWhole = Found.Array == Object
                         || (Address && Address->getIntrinsicID() == Intrinsic::threadlocal_address
                             && Address->getArgOperand(0) == Object);
    uint64_t Size = 0;
    const uint64_t Bytes = DL.getTypeStoreSize(Found.Element).getFixedValue();
    return IsWhole && isLocal(Found.Array) && getObjectSize(Object, Size, DL, &TLI)
           && Found.First + Found.elements() * Bytes <= Size && Found.elements() % lanesOf(Found.Element) == 0;
}

/* What is stored comes from elements of the work-item, and from what is the same for all; and what that takes. */
bool Finder::addValues(Level &Found) const
{
    SmallSetVector<Lane, 16> Needed;
    SmallSetVector<Instruction *, 16> OfItem;
    for (Instruction &I : *Found.L->getHeader())
        if (auto *Store = dyn_cast<StoreInst>(&I)) {
            ++Found.Moves;
            ++Found.Scalars;
            const unsigned Slot = Found.SlotOf.lookup(&I);
            if (auto *V = dyn_cast<Instruction>(Store->getValueOperand()); V && Found.L->contains(V))
                Needed.insert({V, Slot});
        }
    for (size_t N = 0; N < Needed.size(); ++N) {
        const auto [I, Slot] = Needed[N];
        OfItem.insert(I);
        if (isa<LoadInst>(I)) {
            Found.Moves += Found.SlotOf.lookup(I) != Slot;
            continue;
        }
        if (!isOperation(*I))
            return false;
        ++Found.Operations;
        for (Value *V : I->operand_values())
            if (auto *Operand = dyn_cast<Instruction>(V); Operand && Found.L->contains(Operand))
                Needed.insert({Operand, Slot});
    }
    Found.Scalars += unsigned(OfItem.size());
    return Found.Moves >= Found.Operations; /* of other ones there are better vectors */
}

std::optional<Level> Finder::find(Loop &L)
{
    Level Found;
    Found.L = &L;
    Found.Items = SE.getSmallConstantTripCount(&L);
    if (!hasLoopMark(L, ItemsMark) || L.getNumBlocks() != 1 || !L.isLoopSimplifyForm() || !L.getUniqueExitBlock()
        || Found.Items == 0)
        return std::nullopt;
    if (any_of(*L.getHeader(), [&](const Instruction &I) { return isUsedBehind(I, L); }))
        return std::nullopt;
    if (!addAccesses(Found) || !isInArray(Found) || !addValues(Found))
        return std::nullopt;
    return Found;
}

/* Writes what levels do as one loop over registers, in front of the last one of them. */
class Writer
{
  public:
    Writer(uint64_t Lanes, IRBuilder<> &B) : Lanes(unsigned(Lanes)), B(B)
    {
    }
    Value *emit(const Level &Of, Value *Register);

  private:
    const unsigned Lanes;
    IRBuilder<> &B;
    DenseMap<const Instruction *, Value *> Loaded; /* the register as it is where that is loaded */
    DenseMap<Lane, Value *> Known;

    Value *moved(Value *Register, unsigned From, unsigned To, uint64_t Slots);
    Value *valueIn(Value *V, unsigned Slot, const Level &Of);
};

/* Puts elements of work-items where other elements of theirs are. */
Value *Writer::moved(Value *Register, unsigned From, unsigned To, uint64_t Slots)
{
    SmallVector<int, 64> Places(Lanes, PoisonMaskElem);
    for (unsigned I = To; I < Lanes; I += unsigned(Slots))
        Places[I] = int(I + From - To);
    return From == To ? Register : B.CreateShuffleVector(Register, Places);
}

/* A value of each work-item, in the lane of one of its elements; anything in other lanes. */
Value *Writer::valueIn(Value *V, unsigned Slot, const Level &Of)
{
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !Of.L->contains(I))
        return B.CreateVectorSplat(Lanes, V);
    if (Value *Before = Known.lookup({I, Slot}))
        return Before;
    Value *New;
    if (isa<LoadInst>(I))
        New = moved(Loaded.lookup(I), Of.SlotOf.lookup(I), Slot, Of.Slots);
    else {
        SmallVector<Value *, 3> Operands;
        for (const Use &U : I->operands())
            if (!isa<Function>(U))
                Operands.push_back(valueIn(U, Slot, Of));
        if (auto *Compare = dyn_cast<CmpInst>(I))
            New = B.CreateCmp(Compare->getPredicate(), Operands[0], Operands[1]);
        else if (auto *Call = dyn_cast<IntrinsicInst>(I))
            New = B.CreateIntrinsic(Call->getIntrinsicID(), {Operands[0]->getType()}, Operands);
        else if (isa<SelectInst>(I))
            New = B.CreateSelect(Operands[0], Operands[1], Operands[2]);
        else
            New = B.CreateNAryOp(I->getOpcode(), Operands);
        if (auto *Made = dyn_cast<Instruction>(New))
            Made->copyIRFlags(I);
    }
    Known[{I, Slot}] = New;
    return New;
}

/* What a register is after all work-items whose elements it has. */
Value *Writer::emit(const Level &Of, Value *Register)
{
    for (Instruction &I : *Of.L->getHeader()) {
        if (isa<LoadInst>(I))
            Loaded[&I] = Register;
        auto *Store = dyn_cast<StoreInst>(&I);
        if (!Store)
            continue;
        B.SetCurrentDebugLocation(I.getDebugLoc());
        const unsigned Slot = Of.SlotOf.lookup(&I);
        Value *Stored = valueIn(Store->getValueOperand(), Slot, Of);
        SmallVector<int, 64> Places(Lanes);
        for (unsigned K = 0; K < Lanes; ++K)
            Places[K] = int(K % Of.Slots == Slot ? Lanes + K : K);
        Register = B.CreateShuffleVector(Register, Stored, Places);
    }
    return Register;
}

/* What levels take more if they are done in registers. */
int64_t costOf(ArrayRef<Level> Levels, uint64_t Lanes)
{
    int64_t Cost = 0;
    for (const Level &Of : Levels)
        Cost += int64_t(Of.elements() / Lanes * (Of.Moves + Of.Operations)) - int64_t(Of.Items * Of.Scalars);
    return Cost;
}

/* Whether nothing is between two loops that depends on memory. */
bool followsAtOnce(const Loop &L, const Loop &Next)
{
    for (const BasicBlock *Block = L.getUniqueExitBlock();;) {
        for (const Instruction &I : *Block)
            if (!isDropped(I) && (isa<PHINode>(I) || I.mayReadOrWriteMemory() || I.mayHaveSideEffects()))
                return false;
        if (Block == Next.getLoopPreheader())
            return true;
        const BasicBlock *Behind = Block->getUniqueSuccessor();
        if (!Behind || Behind->getUniquePredecessor() != Block)
            return false;
        Block = Behind;
    }
}

void replace(ArrayRef<Level> Levels, uint64_t Lanes, Function &F, FunctionAnalysisManager &FAM)
{
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    const DataLayout &DL = F.getDataLayout();
    const Level &Last = Levels.back();
    BasicBlock *Before = Last.L->getLoopPreheader(), *Body = SplitBlock(Before, Before->getTerminator(), &DT, &LI),
               *Behind = SplitBlock(Body, Body->getTerminator(), &DT, &LI);
    IRBuilder<> B(Body->getTerminator());
    auto *T = FixedVectorType::get(Last.Element, unsigned(Lanes));
    const uint64_t Bytes = DL.getTypeStoreSize(T).getFixedValue();
    PHINode *Counter = B.CreatePHI(B.getInt64Ty(), 2);
    Value *Address =
        B.CreateInBoundsGEP(B.getInt8Ty(), Last.Array,
                            B.CreateAdd(B.CreateMul(Counter, B.getInt64(Bytes)), B.getInt64(Last.First), "", true));
    const Align Known = commonAlignment(Last.Array->getPointerAlignment(DL), Last.First | Bytes);
    LoadInst *Load = B.CreateAlignedLoad(T, Address, Known);
    Value *Register = Load;
    for (const Level &Of : Levels)
        Register = Writer(Lanes, B).emit(Of, Register);
    B.CreateAlignedStore(Register, Address, Known);
    Value *Next = B.CreateAdd(Counter, B.getInt64(1), "", true, true);
    Counter->addIncoming(B.getInt64(0), Before);
    Counter->addIncoming(Next, Body);
    MDNode *Id = makePostTransformationMetadata(F.getContext(), Last.L->getLoopID(), {ItemsMark, "llvm.loop."}, {});
    BranchInst *End = B.CreateCondBr(B.CreateICmpEQ(Next, B.getInt64(Last.elements() / Lanes)), Behind, Body);
    End->setMetadata(LLVMContext::MD_loop, Id);
    Body->getTerminator()->eraseFromParent();
    for (const Level &Of : Levels)
        deleteDeadLoop(Of.L, &DT, &SE, &LI);
}

/* Loops that suit, and follow each other at once; those of each part over the same row. */
std::vector<std::vector<Level>> findLevels(Function &F, FunctionAnalysisManager &FAM, Finder &Of)
{
    std::vector<std::vector<Level>> Parts;
    std::vector<Level> Found;
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
        if (std::optional<Level> One = Of.find(*L))
            Found.push_back(std::move(*One));
    const auto Follows = [](const Level &A, const Level &C) { return A.isOverSame(C) && followsAtOnce(*A.L, *C.L); };
    while (!Found.empty()) {
        const auto IsFirst = [&](const Level &A) {
            return none_of(Found, [&](const Level &C) { return Follows(C, A); });
        };
        std::vector<Level> Part;
        for (auto At = find_if(Found, IsFirst); At != Found.end();
             At = find_if(Found, [&](const Level &A) { return Follows(Part.back(), A); })) {
            Part.push_back(std::move(*At));
            Found.erase(At);
        }
        Parts.push_back(std::move(Part));
    }
    return Parts;
}

} // namespace

bool vectorizeInPlace(Function &F, FunctionAnalysisManager &FAM)
{
    constexpr uint64_t OfEach = 2; /* a register is loaded and stored */
    Finder Of(FAM.getResult<ScalarEvolutionAnalysis>(F), FAM.getResult<TargetIRAnalysis>(F),
              FAM.getResult<TargetLibraryAnalysis>(F), F.getDataLayout());
    bool Changed = false;
    for (const std::vector<Level> &Part : findLevels(F, FAM, Of)) {
        const uint64_t Lanes = Of.lanesOf(Part[0].Element);
        if (costOf(Part, Lanes) + int64_t(OfEach * (Part[0].elements() / Lanes)) >= 0)
            continue;
        tellRemark(F, {"teamwork-lanes", "Elements", false, Part[0].L->getStartLoc(), Part[0].L->getStartLoc()},
                   "what work-items of kernel " + kernelOf(F) + " combine are lanes of vectors");
        replace(Part, Lanes, F, FAM);
        Changed = true;
    }
    return Changed;
}

} // namespace tw_compiler
