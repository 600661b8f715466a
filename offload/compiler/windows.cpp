/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels of trees in local memory: each work-item reads and writes a few elements of a window of its own, 2, 4, 8 or 16 elements that
 * lie side by side, so that windows fill vectors:
 *
 *     for (i = 0; i < 128; ++i)            v = the 16 elements from 16 * c on, for each c
 *         t[4 * i + 3] += t[4 * i + 1]     v = lanes 3, 7, 11, 15: v + (v with lane 1 in place of 3, 5 of 7 ...), others: v
 *
 * Nothing is gathered, and stores have no masks: what is between is written as it was, which nobody else changes in a thread's own
 * memory. Levels behind each other that have the same vectors become one loop, which keeps them in registers. What brings the elements
 * from other memory or takes them there joins them, also where a condition chooses it, as the copy for where no border is: each way then
 * has a loop of its own for the levels. Else loads would wait for memory while nothing is computed. Where windows are longer than a
 * vector, gathers and scatters would take longer than work-items one by one, so these are left alone.
 */
#include "compiler.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostOfWindow = 100; /* instructions of the loop */

/* An array that a level accesses. Counts are those of elements. */
struct Array {
    Type *Element;
    int64_t Least, Most;           /* what the first work-item accesses */
    int64_t Elements;              /* of the thread's own memory; 0: it is other memory */
    const SCEV *Start;             /* of other memory: the address of element 0 */
    Align Aligned;                 /* all elements of other memory */
    DenseSet<int64_t> All, Stored; /* what the first work-item accesses and writes */
    Value *Begin = nullptr;        /* of other memory, from the least element on, as soon as it is needed */

    bool isOther() const
    {
        return Start != nullptr;
    }
};

/* A loop over work-items. */
struct Level {
    Loop *L = nullptr;
    uint64_t Items = 0;
    uint64_t Window = 0;              /* elements from one work-item to the next */
    uint64_t Bytes = 0;               /* of an element */
    unsigned Accesses = 0, Steps = 0; /* instructions that compute what is stored */
    MapVector<Value *, Array> Arrays;
    DenseMap<const Instruction *, std::pair<Value *, int64_t>>
        Places; /* the array, and which element of the first work-item */
};

/* The bytes of a variable that only the thread accesses; 0: it is none. */
uint64_t ownBytes(const Value *Base, const DataLayout &DL)
{
    const Value *Object = getUnderlyingObject(Base);
    if (const auto *Variable = dyn_cast<AllocaInst>(Object); Variable && Variable == Base) {
        const std::optional<TypeSize> Size = Variable->getAllocationSize(DL);
        return Size && !Size->isScalable() ? Size->getFixedValue() : 0;
    }
    const auto *Variable = dyn_cast<GlobalVariable>(Object);
    if (!Variable || !Variable->isThreadLocal() || !Variable->hasLocalLinkage())
        return 0;
    const auto *Call = dyn_cast<IntrinsicInst>(Base);
    return Base == Variable || (Call && Call->getIntrinsicID() == Intrinsic::threadlocal_address)
               ? DL.getTypeAllocSize(Variable->getValueType()).getFixedValue()
               : 0;
}

/* Whether an address is in memory that the launch gave, none of the thread's own: the block, or what its members point to. */
bool isOfBlock(const Value *Base)
{
    constexpr int MostLoads = 3; /* pointers to pointers */
    for (int Loads = 0; !isOfLaunch(Base); ++Loads) {
        Base = getUnderlyingObject(Base);
        const auto *Load = dyn_cast<LoadInst>(Base);
        if (!Load || Loads == MostLoads)
            return isa<Argument>(Base);
        Base = Load->getPointerOperand();
    }
    return false;
}

/* The array of other memory that begins at a constant distance of an address, and that distance in bytes. */
std::optional<std::pair<Value *, int64_t>> otherArrayAt(const SCEV *Start, const Level &Of, ScalarEvolution &SE)
{
    for (const auto &[Key, A] : Of.Arrays)
        if (A.isOther() && SE.getPointerBase(A.Start) == SE.getPointerBase(Start))
            if (const auto *Apart = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Start, A.Start)))
                return std::pair(Key, Apart->getAPInt().getSExtValue());
    return {};
}

/* Where an access of the loop is; true if it is an element of a window. */
bool place(Instruction &I, Level &Of, ScalarEvolution &SE)
{
    const DataLayout &DL = SE.getDataLayout();
    Type *T = getLoadStoreType(&I);
    if (I.isVolatile() || I.isAtomic() || !(T->isIntegerTy() || T->isFloatTy() || T->isDoubleTy())
        || !VectorType::isValidElementType(T) || DL.getTypeSizeInBits(T) != 8 * DL.getTypeAllocSize(T))
        return false;
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(getLoadStorePointerOperand(&I)));
    const auto *Step =
        Rec && Rec->getLoop() == Of.L && Rec->isAffine() ? dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE)) : nullptr;
    const auto *Base = Rec ? dyn_cast<SCEVUnknown>(SE.getPointerBase(Rec)) : nullptr;
    if (!Step || !Base)
        return false;
    Value *Key = Base->getValue();
    const SCEV *OtherStart = nullptr; /* of an array in other memory */
    int64_t From = 0;                 /* bytes */
    if (isOfBlock(Key)) {
        OtherStart = Rec->getStart();
        if (const auto Known = otherArrayAt(OtherStart, Of, SE))
            std::tie(Key, From) = *Known;
        else
            Key = getLoadStorePointerOperand(&I);
    } else if (const auto *Start = dyn_cast<SCEVConstant>(SE.removePointerBase(Rec->getStart())))
        From = Start->getAPInt().getSExtValue();
    else
        return false;
    const int64_t Bytes = int64_t(DL.getTypeAllocSize(T).getFixedValue()), By = Step->getAPInt().getSExtValue();
    if (By <= 0 || By % Bytes || From % Bytes)
        return false;
    const int64_t At = From / Bytes;
    if (Of.Accesses++ == 0) {
        Of.Bytes = uint64_t(Bytes);
        Of.Window = uint64_t(By / Bytes);
    }
    if (Of.Bytes != uint64_t(Bytes) || Of.Window != uint64_t(By / Bytes))
        return false;
    auto [Known, New] = Of.Arrays.insert({Key, {T, At, At, 0, OtherStart, getLoadStoreAlignment(&I), {}, {}}});
    Array &A = Known->second;
    if (New && !A.isOther()) {
        for (const auto &[OtherKey, Other] : Of.Arrays)
            if (OtherKey != Key && getUnderlyingObject(OtherKey) == getUnderlyingObject(Key))
                return false;
        A.Elements = int64_t(ownBytes(Key, DL)) / Bytes;
    }
    A.Least = std::min(A.Least, At);
    A.Most = std::max(A.Most, At);
    A.Aligned = std::min(A.Aligned, getLoadStoreAlignment(&I));
    A.All.insert(At);
    if (isa<StoreInst>(I))
        A.Stored.insert(At);
    Of.Places[&I] = {Key, At};
    return A.Element == T;
}

/* Whether a vector may compute what a work-item computes, in all lanes. */
bool isStep(const Instruction &I)
{
    if (I.getType()->isPointerTy() || I.isIntDivRem())
        return false;
    if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
        switch (Call->getIntrinsicID()) {
        case Intrinsic::smin:
        case Intrinsic::smax:
        case Intrinsic::umin:
        case Intrinsic::umax:
        case Intrinsic::fabs:
        case Intrinsic::minnum:
        case Intrinsic::maxnum:
        case Intrinsic::fma:
        case Intrinsic::fmuladd:
            return true;
        default:
            return false;
        }
    return isa<BinaryOperator>(I) || isa<UnaryOperator>(I) || isa<CmpInst>(I) || isa<SelectInst>(I)
           || (isa<CastInst>(I) && !isa<PtrToIntInst>(I)) || isa<FreezeInst>(I);
}

/* Whether a stored value is made of what was loaded, by steps; counts these. */
bool isMadeOfLoads(Value *V, Level &Of, SmallPtrSetImpl<Value *> &Seen)
{
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !Of.L->contains(I) || isa<LoadInst>(I) || !Seen.insert(I).second)
        return true;
    ++Of.Steps;
    return isStep(*I) && all_of(I->operands(), [&](Use &Operand) {
               return isa<Function>(Operand) || isMadeOfLoads(Operand, Of, Seen);
           });
}

/* A loop of a constant number of work-items, each with its own elements of arrays, and all of the same shape. */
std::optional<Level> levelOf(Loop &L, ScalarEvolution &SE)
{
    Level Of;
    Of.L = &L;
    Of.Items = SE.getSmallConstantTripCount(&L);
    BasicBlock *Body = L.getHeader();
    if (!L.isInnermost() || !Of.Items || !areDistinct(L, SE) || L.getNumBlocks() != 1 || !L.getLoopPreheader()
        || !L.getExitBlock() || Body->size() > MostOfWindow || !isa<BranchInst>(L.getLoopPreheader()->getTerminator()))
        return {};
    SmallPtrSet<Value *, 16> Seen;
    for (Instruction &I : *Body) {
        if (any_of(I.users(), [&](const User *U) { return !L.contains(cast<Instruction>(U)); }))
            return {};
        if (getLoadStorePointerOperand(&I)
                ? !place(I, Of, SE)
                : I.mayReadOrWriteMemory() && !isa<AssumeInst>(I) && !isa<NoAliasScopeDeclInst>(I))
            return {};
        if (auto *Store = dyn_cast<StoreInst>(&I))
            if (!isMadeOfLoads(Store->getValueOperand(), Of, Seen))
                return {};
    }
    if (all_of(Of.Arrays, [](const auto &A) { return A.second.Stored.empty(); }) || Of.Steps > 2 * Of.Accesses)
        return {};
    return Of;
}

bool accessesOther(const Level &Of)
{
    return any_of(Of.Arrays, [](const auto &Each) { return Each.second.isOther(); });
}

/* Whether all accesses are to the thread's own memory, and windows have more than one element: else it only may join others. */
bool isOfTree(const Level *Of)
{
    return Of->Window > 1 && !accessesOther(*Of);
}

using Quiet = SmallVector<Instruction *, 16>; /* what has no effects, and is computed on a way */

/* Adds what a block computes, if that has no effects. */
bool addQuiet(BasicBlock &Block, Quiet &On)
{
    for (Instruction &I : Block) {
        if (I.isTerminator())
            continue;
        if (isa<PHINode>(I) || I.mayReadOrWriteMemory() || I.mayHaveSideEffects())
            return false;
        On.push_back(&I);
    }
    return true;
}

/* Goes from a block on, along what has no effects, until `Past`, a block into which other ways may lead only at one place: from there
   on `Behind` has what is computed. That place, null: there is none; nothing: this way does not lead there. */
std::optional<BasicBlock *> wayTo(BasicBlock *Block, const BasicBlock *Past, Quiet &Before, Quiet &Behind)
{
    BasicBlock *Meeting = nullptr;
    for (; Block != Past; Block = Block->getSingleSuccessor()) {
        if (!Block)
            return {};
        if (Block->getSinglePredecessor())
            FoldSingleEntryPHINodes(Block);
        else if (std::exchange(Meeting, Block))
            return {};
        if (!addQuiet(*Block, Meeting ? Behind : Before))
            return {};
    }
    return Meeting;
}

/* Whether all of that can be computed at another place. */
bool canBeAt(const Quiet &All, const Instruction *Place, const DominatorTree &DT)
{
    const SmallPtrSet<const Value *, 16> Moved(All.begin(), All.end());
    return all_of(All, [&](const Instruction *I) {
        return isSafeToSpeculativelyExecute(I) && all_of(I->operands(), [&](const Use &Operand) {
                   const auto *Made = dyn_cast<Instruction>(Operand);
                   return !Made || Moved.count(Made) || DT.dominates(Made, Place);
               });
    });
}

/* A level that a condition puts in front of others, or behind them. */
struct Joined {
    Level *In, *Out; /* one of them */
    /* Whether it is there; the other successor leads to, or from, the levels without it. */
    BranchInst *Choice;
    unsigned Chosen; /* the successor for which it is behind the others */
    Quiet Ahead;     /* what is to be computed in front of all that, with what is between the levels */
};

/* Levels behind each other, as one loop. */
struct Chain {
    SmallVector<Level *, 4> Levels;
    Quiet Between; /* the levels */
    std::optional<Joined> With;
};

/* Levels whose windows fill the same vectors. */
class Windows
{
  public:
    Windows(Function &F, const TargetTransformInfo &TTI, const DominatorTree &DT, const LoopInfo &LI)
        : F(F), DL(F.getParent()->getDataLayout()), DT(DT), LI(LI),
          Register(TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8)
    {
    }
    uint64_t lanes(const Level &Of) const
    {
        return Register / Of.Bytes;
    }
    bool isSuitable(const Level &Of) const;
    bool joins(ArrayRef<Level *> Levels, const Level &Of) const;
    std::optional<Joined> inFront(Level &In, const Chain &Of) const;
    std::optional<Joined> behind(Level &Out, const Chain &Of) const;
    void prepare(Chain &Of, Expander &At) const;
    void run(Chain &Of);

  private:
    Function &F;
    const DataLayout &DL;
    const DominatorTree &DT;
    const LoopInfo &LI;
    const uint64_t Register; /* bytes of a vector */
    uint64_t Lanes = 0;
    DenseMap<std::pair<const Value *, int64_t>, Value *> Made;
    DenseMap<const LoadInst *, Value *> Loaded;

    static int64_t first(const Level &Of, const Array &A);
    Value *make(IRBuilder<> &B, const Level &Of, Value *V, int64_t Lane);
    Value *onlyAt(const Level &Of, int64_t Lane, uint64_t Limit, IRBuilder<> &B) const;
    void chunk(IRBuilder<> &B, ArrayRef<Level *> Levels, Value *Index, uint64_t Limit);
    BasicBlock *write(ArrayRef<Level *> Levels, BasicBlock *Before, BasicBlock *Behind);
};

/* Where the windows begin: in own memory as far down as they are multiples of their length. */
int64_t Windows::first(const Level &Of, const Array &A)
{
    const auto Window = int64_t(Of.Window);
    const int64_t Even = A.Least >= 0 && !A.isOther() ? A.Least / Window * Window : A.Least;
    return A.Most < Even + Window ? Even : A.Least;
}

/* At least one vector is full, all are inside of the arrays, and no window ends in the next one. Other memory is accessed just where
   work-items do, and is no two arrays if they write to it, which might be the same. */
bool Windows::isSuitable(const Level &Of) const
{
    const uint64_t Width = lanes(Of), All = Of.Items * Of.Window;
    constexpr uint64_t MostOfNarrow = 16; /* bytes: what instructions sort narrow elements in */
    if (Of.Bytes < 4 && Of.Window * Of.Bytes > MostOfNarrow)
        return false;
    if (!isPowerOf2_64(Of.Window) || !isPowerOf2_64(Width) || Of.Window > Width || All < Width)
        return false;
    const auto IsOther = [](const auto &Each) { return Each.second.isOther(); };
    const auto IsWritten = [](const auto &Each) { return Each.second.isOther() && !Each.second.Stored.empty(); };
    if (any_of(Of.Arrays, IsWritten) && count_if(Of.Arrays, IsOther) > 1)
        return false;
    return all_of(Of.Arrays, [&](const auto &Each) {
        const Array &A = Each.second;
        const int64_t First = first(Of, A);
        if (A.Most - First >= int64_t(Of.Window))
            return false;
        if (A.isOther())
            return A.All.size() == Of.Window && (A.Stored.empty() || A.Stored.size() == Of.Window) && All % Width == 0;
        return First >= 0 && First + int64_t(alignTo(All, Width)) <= A.Elements;
    });
}

/* Whether a level has the same vectors as those in front of it, and may go through its elements along with them. */
bool Windows::joins(ArrayRef<Level *> Levels, const Level &Of) const
{
    const uint64_t All = Of.Items * Of.Window;
    const auto Suits = [&](const Level *Before) {
        if (Before->Bytes != Of.Bytes || Before->Items * Before->Window != All || All % lanes(Of))
            return false;
        return all_of(Of.Arrays, [&](const auto &Each) {
            return all_of(Before->Arrays, [&](const auto &Other) {
                if (Other.second.isOther() && Each.second.isOther()) /* they may overlap */
                    return Other.second.Stored.empty() && Each.second.Stored.empty();
                if (Other.first == Each.first)
                    return Other.second.Element == Each.second.Element
                           && first(*Before, Other.second) == first(Of, Each.second);
                return getUnderlyingObject(Other.first) != getUnderlyingObject(Each.first);
            });
        });
    };
    return all_of(Levels, Suits);
}

/* Whether a condition leads through `In` to the levels, and past it to them too. */
std::optional<Joined> Windows::inFront(Level &In, const Chain &Of) const
{
    const Loop &First = *Of.Levels.front()->L;
    if (any_of(Of.Levels, [](const Level *Each) { return accessesOther(*Each); }))
        return {};
    Quiet Unused, Ahead;
    const auto Meeting = wayTo(In.L->getExitBlock(), First.getHeader(), Unused, Ahead);
    if (!Meeting || !*Meeting || LI.getLoopFor(*Meeting) != In.L->getParentLoop()
        || LI.getLoopFor(Of.Levels.back()->L->getExitBlock()) != In.L->getParentLoop())
        return {};
    Ahead.append(Of.Between);
    BasicBlock *Fork = In.L->getLoopPreheader();
    for (; Fork && Fork->getSingleSuccessor(); Fork = Fork->getSinglePredecessor())
        ;
    auto *Choice = Fork ? dyn_cast<BranchInst>(Fork->getTerminator()) : nullptr;
    if (!Choice || LI.getLoopFor(Fork) != In.L->getParentLoop() || !DT.dominates(Fork, *Meeting)
        || !canBeAt(Ahead, Choice, DT))
        return {};
    SmallVector<Level *, 4> All{&In};
    for (Level *Next : Of.Levels) {
        if (!joins(All, *Next))
            return {};
        All.push_back(Next);
    }
    return Joined{&In, nullptr, Choice, 0, std::move(Ahead)};
}

/* Whether a condition that is known in front of the levels leads from them to `Out`. */
std::optional<Joined> Windows::behind(Level &Out, const Chain &Of) const
{
    BasicBlock *Block = Of.Levels.back()->L->getExitBlock(), *Before = Of.Levels.front()->L->getLoopPreheader();
    Quiet Ahead(Of.Between);
    for (; Block && Block->getSinglePredecessor() && Block->getSingleSuccessor(); Block = Block->getSingleSuccessor()) {
        FoldSingleEntryPHINodes(Block);
        if (!addQuiet(*Block, Ahead))
            return {};
    }
    auto *Choice = Block && Block->getSinglePredecessor() ? dyn_cast<BranchInst>(Block->getTerminator()) : nullptr;
    if (!Choice || !Choice->isConditional() || !joins(Of.Levels, Out))
        return {};
    FoldSingleEntryPHINodes(Block);
    if (!addQuiet(*Block, Ahead))
        return {};
    for (unsigned Chosen : {0u, 1u}) {
        Quiet All(Ahead);
        const auto Meeting = wayTo(Choice->getSuccessor(Chosen), Out.L->getHeader(), All, All);
        if (!Meeting || *Meeting || LI.getLoopFor(Before) != Out.L->getParentLoop()
            || LI.getLoopFor(Block) != Out.L->getParentLoop()
            || LI.getLoopFor(Out.L->getExitBlock()) != Out.L->getParentLoop()
            || !canBeAt(All, Before->getTerminator(), DT))
            continue;
        const auto *Condition = dyn_cast<Instruction>(Choice->getCondition());
        if (Condition && !is_contained(All, Condition) && !DT.dominates(Condition, Before->getTerminator()))
            continue;
        return Joined{nullptr, &Out, Choice, Chosen, std::move(All)};
    }
    return {};
}

/* What a work-item computes, in this lane of its window. */
Value *Windows::make(IRBuilder<> &B, const Level &Of, Value *V, int64_t Lane)
{
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !Of.L->contains(I))
        return isa<Function>(V) ? V : B.CreateVectorSplat(unsigned(Lanes), V);
    Value *&Known = Made[{V, Lane}];
    if (Known)
        return Known;
    Value *Result;
    if (auto *Load = dyn_cast<LoadInst>(I)) {
        const auto [Base, At] = Of.Places.lookup(Load);
        const int64_t From = At - first(Of, Of.Arrays.find(Base)->second);
        SmallVector<int, 16> Mask;
        for (int64_t J = 0; J < int64_t(Lanes); ++J)
            Mask.push_back(J % int64_t(Of.Window) == Lane ? int(J - Lane + From) : PoisonMaskElem);
        Result = From == Lane ? Loaded[Load] : B.CreateShuffleVector(Loaded[Load], Mask);
    } else {
        SmallVector<Value *, 4> Operands;
        for (Value *Operand : I->operands())
            Operands.push_back(make(B, Of, Operand, Lane));
        auto *T = FixedVectorType::get(I->getType(), unsigned(Lanes));
        if (auto *Call = dyn_cast<IntrinsicInst>(I)) {
            Operands.pop_back(); /* the function */
            Result = B.CreateIntrinsic(Call->getIntrinsicID(), {T}, Operands);
        } else if (auto *Cast = dyn_cast<CastInst>(I))
            Result = B.CreateCast(Cast->getOpcode(), Operands[0], T);
        else if (auto *Compare = dyn_cast<CmpInst>(I))
            Result = B.CreateCmp(Compare->getPredicate(), Operands[0], Operands[1]);
        else if (isa<SelectInst>(I))
            Result = B.CreateSelect(Operands[0], Operands[1], Operands[2]);
        else if (isa<FreezeInst>(I))
            Result = B.CreateFreeze(Operands[0]);
        else
            Result = B.CreateNAryOp(I->getOpcode(), Operands);
        if (auto *New = dyn_cast<Instruction>(Result); New && !isa<FreezeInst>(I))
            New->copyIRFlags(I);
    }
    return Made[{V, Lane}] = Result;
}

/* This lane of each window, up to a lane of the vector. */
Value *Windows::onlyAt(const Level &Of, int64_t Lane, uint64_t Limit, IRBuilder<> &B) const
{
    SmallVector<Constant *, 16> Mask;
    for (uint64_t J = 0; J < Lanes; ++J)
        Mask.push_back(B.getInt1(int64_t(J % Of.Window) == Lane && J < Limit));
    return ConstantVector::get(Mask);
}

/* A vector of each array, from `Index` on behind the first window, at all levels. */
void Windows::chunk(IRBuilder<> &B, ArrayRef<Level *> Levels, Value *Index, uint64_t Limit)
{
    struct Vector {
        Value *Address, *Now;
        Align Aligned;
        bool Written;
    };
    MapVector<Value *, Vector> Vectors; /* of each array */
    for (const Level *Of : Levels)
        for (const auto &[Base, A] : Of->Arrays) {
            if (Vectors.count(Base))
                continue;
            const auto First = uint64_t(first(*Of, A));
            auto *T = FixedVectorType::get(A.Element, unsigned(Lanes));
            Vector &V = Vectors[Base];
            V.Written = false;
            if (A.isOther()) {
                V.Address = B.CreateInBoundsGEP(A.Element, A.Begin, Index);
                V.Aligned = A.Aligned;
            } else {
                V.Address = B.CreateInBoundsGEP(A.Element, Base, B.CreateAdd(Index, B.getInt64(First), "", true, true));
                V.Aligned =
                    commonAlignment(Base->getPointerAlignment(DL), MinAlign(First * Of->Bytes, Lanes * Of->Bytes));
            }
            V.Now = B.CreateAlignedLoad(T, V.Address, V.Aligned);
        }
    for (const Level *Of : Levels) {
        Made.clear();
        Loaded.clear();
        for (Instruction &I : *Of->L->getHeader()) {
            if (auto *Load = dyn_cast<LoadInst>(&I))
                Loaded[Load] = Vectors[Of->Places.lookup(Load).first].Now;
            auto *Store = dyn_cast<StoreInst>(&I);
            if (!Store)
                continue;
            const auto [Base, At] = Of->Places.lookup(Store);
            const int64_t Lane = At - first(*Of, Of->Arrays.find(Base)->second);
            Value *New = make(B, *Of, Store->getValueOperand(), Lane);
            Vector &V = Vectors[Base];
            V.Now = B.CreateSelect(onlyAt(*Of, Lane, Limit, B), New, V.Now);
            V.Written = true;
        }
    }
    for (const auto &[Base, V] : Vectors)
        if (V.Written)
            B.CreateAlignedStore(V.Now, V.Address, V.Aligned);
}

/* A loop over the vectors of levels, from `Before`, which is yet to go there, to `Behind`; returns its first block. */
BasicBlock *Windows::write(ArrayRef<Level *> Levels, BasicBlock *Before, BasicBlock *Behind)
{
    LLVMContext &Context = F.getContext();
    Loop &Begin = *Levels.front()->L;
    BasicBlock *Last = Levels.back()->L->getExitingBlock();
    Lanes = lanes(*Levels[0]);
    const uint64_t All = Levels[0]->Items * Levels[0]->Window, Whole = All / Lanes * Lanes;
    auto *Body = BasicBlock::Create(Context, "tw_windows", &F, Begin.getHeader());
    auto *Rest = BasicBlock::Create(Context, "tw_windows_end", &F, Begin.getHeader());
    IRBuilder<> B(Body);
    B.SetCurrentDebugLocation(Begin.getStartLoc());
    PHINode *Index = B.CreatePHI(B.getInt64Ty(), 2, "tw_window");
    Index->addIncoming(B.getInt64(0), Before);
    chunk(B, Levels, Index, Lanes);
    Value *Next = B.CreateAdd(Index, B.getInt64(Lanes), "", true, true);
    Index->addIncoming(Next, Body);
    B.CreateCondBr(B.CreateICmpEQ(Next, B.getInt64(Whole)), Rest, Body);
    B.SetInsertPoint(Rest);
    if (All > Whole)
        chunk(B, Levels, B.getInt64(Whole), All - Whole);
    B.CreateBr(Behind);
    for (PHINode &Phi : Behind->phis())
        Phi.addIncoming(Phi.getIncomingValueForBlock(Last), Rest);
    return Body;
}

/* Computes in front of the loops what they need, while what is known of the function still holds. */
void Windows::prepare(Chain &Of, Expander &At) const
{
    const auto Begin = [&](Level *Each, BasicBlock *Before) {
        for (auto &[Base, A] : Each->Arrays)
            if (A.isOther()) {
                Instruction *Place = Before->getTerminator();
                IRBuilder<> B(Place);
                Value *Start = At.expandCodeFor(A.Start, A.Start->getType(), Place);
                A.Begin = B.CreateConstInBoundsGEP1_64(A.Element, Start, uint64_t(first(*Each, A)));
            }
    };
    BasicBlock *Before = Of.Levels.front()->L->getLoopPreheader();
    Level *In = Of.With ? Of.With->In : nullptr, *Out = Of.With ? Of.With->Out : nullptr;
    Instruction *Place = In ? Of.With->Choice : Before->getTerminator();
    for (Instruction *I : Of.With ? Of.With->Ahead : Of.Between)
        I->moveBefore(*Place->getParent(), Place->getIterator());
    if (In)
        Begin(In, In->L->getLoopPreheader());
    if (Out)
        Begin(Out, Before);
    for (Level *Each : Of.Levels)
        Begin(Each, Before);
}

/* Writes the loops over work-items as one over vectors. */
void Windows::run(Chain &Of)
{
    BasicBlock *Before = Of.Levels.front()->L->getLoopPreheader(), *Header = Of.Levels.front()->L->getHeader();
    BasicBlock *Exit = Of.Levels.back()->L->getExitBlock();
    if (Of.With && Of.With->In) {
        const Loop &In = *Of.With->In->L;
        SmallVector<Level *, 4> All{Of.With->In};
        All.append(Of.Levels);
        BasicBlock *Ahead = In.getLoopPreheader();
        Ahead->getTerminator()->replaceSuccessorWith(In.getHeader(), write(All, Ahead, Exit));
    }
    BasicBlock *Body = write(Of.Levels, Before, Exit);
    Before->getTerminator()->replaceSuccessorWith(Header, Body);
    if (Of.With && Of.With->Out) {
        const auto &[In, Out, Choice, Chosen, Ahead] = *Of.With;
        SmallVector<Level *, 4> All(Of.Levels);
        All.push_back(Out);
        BasicBlock *With = write(All, Before, Out->L->getExitBlock());
        BranchInst::Create(Chosen == 0 ? With : Body, Chosen == 0 ? Body : With, Choice->getCondition(),
                           Before->getTerminator()->getIterator());
        Before->getTerminator()->eraseFromParent();
        Choice->setCondition(ConstantInt::getBool(F.getContext(), Chosen != 0));
        ConstantFoldTerminator(Choice->getParent());
    }
}

/* Work-items one by one are faster than gathers and scatters of all that they access. */
void leaveAlone(Loop &L)
{
    LLVMContext &Context = L.getHeader()->getContext();
    const auto Number = [&](const char *Name) {
        return MDNode::get(Context, {MDString::get(Context, Name),
                                     ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), 1))});
    };
    L.setLoopID(makePostTransformationMetadata(Context, L.getLoopID(),
                                               {"llvm.loop.vectorize.", "llvm.loop.interleave."},
                                               {Number(VectorWidth), Number(InterleaveCount)}));
}

/* Levels that come directly behind each other, as far as they may go through their elements together. */
std::vector<Chain> chainsOf(std::vector<Level> &Found, const Windows &W)
{
    DenseMap<const Level *, std::pair<Level *, Quiet>> NextOf;
    DenseSet<const Level *> Later;
    for (Level &Of : Found)
        for (Level &Next : Found) {
            Quiet Between;
            const auto Meeting = wayTo(Of.L->getExitBlock(), Next.L->getHeader(), Between, Between);
            if (!Meeting || *Meeting)
                continue;
            NextOf[&Of] = {&Next, std::move(Between)};
            Later.insert(&Next);
            break;
        }
    SmallVector<Level *, 8> First;
    for (Level &Of : Found)
        if (!Later.count(&Of))
            First.push_back(&Of);
    std::vector<Chain> Chains;
    while (!First.empty()) {
        Chain Of;
        for (Level *At = First.pop_back_val(); At;) {
            Of.Levels.push_back(At);
            const auto Next = NextOf.find(At);
            At = nullptr;
            if (Next == NextOf.end())
                continue;
            if (W.joins(Of.Levels, *Next->second.first)) {
                At = Next->second.first;
                Of.Between.append(Next->second.second);
            } else
                First.push_back(Next->second.first);
        }
        Chains.push_back(std::move(Of));
    }
    return Chains;
}

} // namespace

bool fillVectors(Function &F, FunctionAnalysisManager &FAM)
{
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    Windows W(F, FAM.getResult<TargetIRAnalysis>(F), FAM.getResult<DominatorTreeAnalysis>(F),
              FAM.getResult<LoopAnalysis>(F));
    Expander At(SE, F.getParent()->getDataLayout(), "tw_window");
    const auto IsKnown = [&](const auto &Each) {
        return !Each.second.isOther() || At.isSafeToExpand(Each.second.Start);
    };
    std::vector<Level> Found;
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
        std::optional<Level> Of = hasLoopMark(*L, ItemsMark) ? levelOf(*L, SE) : std::nullopt;
        if (Of && W.isSuitable(*Of) && all_of(Of->Arrays, IsKnown))
            Found.push_back(std::move(*Of));
        else if (Of && Of->Window > W.lanes(*Of)
                 && all_of(Of->Arrays, [](const auto &A) { return A.second.Elements > 0; }))
            leaveAlone(*L);
    }
    if (none_of(Found, [](const Level &Of) { return isOfTree(&Of); }))
        return false;

    std::vector<Chain> Chains = chainsOf(Found, W);
    SmallVector<Level *, 8> Alone; /* which only a condition may bring to others */
    for (const Chain &Each : Chains)
        if (Each.Levels.size() == 1 && !isOfTree(Each.Levels[0]))
            Alone.push_back(Each.Levels[0]);
    erase_if(Chains, [](const Chain &Each) { return none_of(Each.Levels, isOfTree); });
    SmallPtrSet<const BranchInst *, 8> Choices;
    for (Chain &Of : Chains)
        for (Level *&Each : Alone) {
            std::optional<Joined> With = W.inFront(*Each, Of);
            if (!With)
                With = W.behind(*Each, Of);
            if (With && Choices.insert(With->Choice).second) {
                Of.With = std::move(With);
                Alone.erase(&Each);
                break;
            }
        }
    for (Chain &Of : Chains)
        W.prepare(Of, At);
    for (Chain &Of : Chains) {
        const Loop &L = *Of.Levels[0]->L;
        OptimizationRemarkEmitter Emitter(&F);
        Emitter.emit(OptimizationRemark("teamwork-levels", "Levels", L.getStartLoc(), L.getHeader())
                     << "work-items of kernel " << kernelOf(F) << " fill vectors with "
                     << ore::NV("Levels", unsigned(count_if(Of.Levels, isOfTree))) << " levels of local memory");
        W.run(Of);
    }
    EliminateUnreachableBlocks(F);
    FAM.invalidate(F, PreservedAnalyses::none());
    return true;
}

} // namespace tw_compiler
