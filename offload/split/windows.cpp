/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels of trees in local memory: each work-item reads and writes a few elements of a window of its own, 2, 4, 8 or 16 elements that
 * lie side by side, so that windows fill vectors:
 *
 *     for (i = 0; i < 128; ++i)            v = the 16 elements from 16 * c on, for each c
 *         t[4 * i + 3] += t[4 * i + 1]     v = lanes 3, 7, 11, 15: v + (v with lane 1 in place of 3, 5 of 7 ...), others: v
 *
 * Nothing is gathered, and stores have no masks: what is between is written as it was, which nobody else changes in a thread's own
 * memory. Levels behind each other that have the same vectors become one loop, which keeps them in registers. Where windows are longer
 * than a vector, gathers and scatters would take longer than work-items one by one, so these are left alone.
 */
#include "split.h"

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
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_split
{
namespace
{

constexpr unsigned MostOfWindow = 100; /* instructions of the loop */

/* An array that a level accesses. Counts are those of elements. */
struct Array {
    Type *Element;
    int64_t Least, Most; /* what the first work-item accesses */
    int64_t Elements;
    bool Written;
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
    const auto *Start = dyn_cast<SCEVConstant>(SE.removePointerBase(Rec->getStart()));
    const int64_t Bytes = int64_t(DL.getTypeAllocSize(T).getFixedValue()), By = Step->getAPInt().getSExtValue();
    if (!Start || By <= 0 || By % Bytes || Start->getAPInt().getSExtValue() % Bytes)
        return false;
    const int64_t At = Start->getAPInt().getSExtValue() / Bytes;
    if (Of.Accesses++ == 0) {
        Of.Bytes = uint64_t(Bytes);
        Of.Window = uint64_t(By / Bytes);
    }
    if (Of.Bytes != uint64_t(Bytes) || Of.Window != uint64_t(By / Bytes))
        return false;
    auto [Known, New] = Of.Arrays.insert({Base->getValue(), {T, At, At, 0, false}});
    Array &A = Known->second;
    if (New) {
        for (const auto &Other : Of.Arrays)
            if (Other.first != Base->getValue()
                && getUnderlyingObject(Other.first) == getUnderlyingObject(Base->getValue()))
                return false;
        A.Elements = int64_t(ownBytes(Base->getValue(), DL)) / Bytes;
    }
    A.Least = std::min(A.Least, At);
    A.Most = std::max(A.Most, At);
    A.Written |= isa<StoreInst>(I);
    Of.Places[&I] = {Base->getValue(), At};
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
    if (!L.isInnermost() || !Of.Items || L.getNumBlocks() != 1 || !L.getLoopPreheader() || !L.getExitBlock()
        || Body->size() > MostOfWindow || !isa<BranchInst>(L.getLoopPreheader()->getTerminator()))
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
    if (none_of(Of.Arrays, [](const auto &A) { return A.second.Written; }) || Of.Steps > 2 * Of.Accesses)
        return {};
    return Of;
}

/* Levels whose windows fill the same vectors. */
class Windows
{
  public:
    Windows(Function &F, const TargetTransformInfo &TTI)
        : F(F), DL(F.getParent()->getDataLayout()),
          Register(TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8)
    {
    }
    uint64_t lanes(const Level &Of) const
    {
        return Register / Of.Bytes;
    }
    bool isSuitable(const Level &Of) const;
    bool isNext(const Level &Before, const Level &Of) const;
    void run(ArrayRef<Level *> Levels);

  private:
    Function &F;
    const DataLayout &DL;
    const uint64_t Register; /* bytes of a vector */
    uint64_t Lanes = 0;
    DenseMap<std::pair<const Value *, int64_t>, Value *> Made;
    DenseMap<const LoadInst *, Value *> Loaded;

    static int64_t first(const Level &Of, const Array &A);
    Value *make(IRBuilder<> &B, const Level &Of, Value *V, int64_t Lane);
    Value *onlyAt(const Level &Of, int64_t Lane, uint64_t Limit, IRBuilder<> &B) const;
    void chunk(IRBuilder<> &B, ArrayRef<Level *> Levels, Value *Index, uint64_t Limit);
};

/* Where the windows begin: as far down as they are multiples of their length. */
int64_t Windows::first(const Level &Of, const Array &A)
{
    const auto Window = int64_t(Of.Window);
    const int64_t Even = A.Least >= 0 ? A.Least / Window * Window : A.Least;
    return A.Most < Even + Window ? Even : A.Least;
}

/* At least one vector is full, all are inside of the arrays, and no window ends in the next one. */
bool Windows::isSuitable(const Level &Of) const
{
    const uint64_t Width = lanes(Of), All = Of.Items * Of.Window;
    constexpr uint64_t MostOfNarrow = 16; /* bytes: what instructions sort narrow elements in */
    if (Of.Bytes < 4 && Of.Window * Of.Bytes > MostOfNarrow)
        return false;
    if (!isPowerOf2_64(Of.Window) || !isPowerOf2_64(Width) || Of.Window < 2 || Of.Window > Width || All < Width)
        return false;
    return all_of(Of.Arrays, [&](const auto &Each) {
        const Array &A = Each.second;
        const int64_t First = first(Of, A);
        return First >= 0 && A.Most - First < int64_t(Of.Window) && First + int64_t(alignTo(All, Width)) <= A.Elements;
    });
}

/* Whether the group comes from a level to another one of the same vectors, with nothing between. */
bool Windows::isNext(const Level &Before, const Level &Of) const
{
    const uint64_t All = Of.Items * Of.Window;
    if (Before.Bytes != Of.Bytes || Before.Items * Before.Window != All || All % lanes(Of)
        || Before.Arrays.size() != Of.Arrays.size())
        return false;
    for (const auto &[Base, A] : Of.Arrays) {
        const auto Same = Before.Arrays.find(Base);
        if (Same == Before.Arrays.end() || Same->second.Element != A.Element
            || first(Before, Same->second) != first(Of, A))
            return false;
    }
    const auto IsQuiet = [](const Instruction &I) { return !I.mayReadOrWriteMemory() && !I.mayHaveSideEffects(); };
    const BasicBlock *Block = Before.L->getExitBlock();
    for (; Block != Of.L->getHeader(); Block = Block->getSingleSuccessor())
        if (!Block || !Block->getSinglePredecessor() || !all_of(*Block, IsQuiet))
            return false;
    return true;
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
    MapVector<Value *, std::pair<Value *, Value *>> Now; /* the address and the vector of each array */
    SmallPtrSet<Value *, 2> Written;
    const auto AlignOf = [&](Value *Base, const Array &A) {
        return commonAlignment(Base->getPointerAlignment(DL),
                               MinAlign(uint64_t(first(*Levels[0], A)) * Levels[0]->Bytes, Lanes * Levels[0]->Bytes));
    };
    for (const auto &[Base, A] : Levels[0]->Arrays) {
        Value *From = B.CreateAdd(Index, B.getInt64(uint64_t(first(*Levels[0], A))), "", true, true);
        Value *Address = B.CreateInBoundsGEP(A.Element, Base, From);
        auto *T = FixedVectorType::get(A.Element, unsigned(Lanes));
        Now[Base] = {Address, B.CreateAlignedLoad(T, Address, AlignOf(Base, A))};
    }
    for (const Level *Of : Levels) {
        Made.clear();
        Loaded.clear();
        for (Instruction &I : *Of->L->getHeader()) {
            if (auto *Load = dyn_cast<LoadInst>(&I))
                Loaded[Load] = Now[Of->Places.lookup(Load).first].second;
            auto *Store = dyn_cast<StoreInst>(&I);
            if (!Store)
                continue;
            const auto [Base, At] = Of->Places.lookup(Store);
            const int64_t Lane = At - first(*Of, Of->Arrays.find(Base)->second);
            Value *V = make(B, *Of, Store->getValueOperand(), Lane);
            Now[Base].second = B.CreateSelect(onlyAt(*Of, Lane, Limit, B), V, Now[Base].second);
            Written.insert(Base);
        }
    }
    for (const auto &[Base, A] : Levels[0]->Arrays)
        if (Written.count(Base))
            B.CreateAlignedStore(Now[Base].second, Now[Base].first, AlignOf(Base, A));
}

/* Writes the loops over work-items as one over vectors. */
void Windows::run(ArrayRef<Level *> Levels)
{
    LLVMContext &Context = F.getContext();
    Loop &Begin = *Levels.front()->L, &End = *Levels.back()->L;
    BasicBlock *Before = Begin.getLoopPreheader();
    for (size_t I = 0; I + 1 < Levels.size(); ++I) /* what is computed between two levels */
        for (BasicBlock *Block = Levels[I]->L->getExitBlock(); Block != Levels[I + 1]->L->getHeader();
             Block = Block->getSingleSuccessor()) {
            FoldSingleEntryPHINodes(Block);
            for (Instruction &Between : make_early_inc_range(*Block))
                if (!Between.isTerminator())
                    Between.moveBefore(*Before, Before->getTerminator()->getIterator());
        }
    BasicBlock *Exit = End.getExitBlock(), *Last = End.getExitingBlock();
    Lanes = lanes(*Levels[0]);
    const uint64_t All = Levels[0]->Items * Levels[0]->Window, Whole = All / Lanes * Lanes;
    auto *Body = BasicBlock::Create(Context, "tw_windows", &F, Begin.getHeader());
    auto *Rest = BasicBlock::Create(Context, "tw_windows_end", &F, Begin.getHeader());
    Before->getTerminator()->replaceSuccessorWith(Begin.getHeader(), Body);
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
    B.CreateBr(Exit);
    for (PHINode &Phi : Exit->phis())
        Phi.addIncoming(Phi.getIncomingValueForBlock(Last), Rest);
}

/* Work-items one by one are faster than gathers and scatters of all that they access. */
void leaveAlone(Loop &L)
{
    LLVMContext &Context = L.getHeader()->getContext();
    const auto Number = [&](const char *Name) {
        return MDNode::get(Context, {MDString::get(Context, Name),
                                     ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), 1))});
    };
    L.setLoopID(
        makePostTransformationMetadata(Context, L.getLoopID(), {"llvm.loop.vectorize.", "llvm.loop.interleave."},
                                       {Number("llvm.loop.vectorize.width"), Number("llvm.loop.interleave.count")}));
}

} // namespace

bool fillVectors(Function &F, FunctionAnalysisManager &FAM)
{
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    Windows W(F, FAM.getResult<TargetIRAnalysis>(F));
    std::vector<Level> Found;
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
        std::optional<Level> Of = hasLoopMark(*L, ItemsMark) ? levelOf(*L, SE) : std::nullopt;
        if (Of && W.isSuitable(*Of))
            Found.push_back(std::move(*Of));
        else if (Of && Of->Window > W.lanes(*Of)
                 && all_of(Of->Arrays, [](const auto &A) { return A.second.Elements > 0; }))
            leaveAlone(*L);
    }
    DenseMap<const Level *, Level *> NextOf;
    DenseSet<const Level *> Later;
    for (Level &Of : Found)
        for (Level &Next : Found)
            if (&Of != &Next && W.isNext(Of, Next)) {
                NextOf[&Of] = &Next;
                Later.insert(&Next);
                break;
            }
    for (Level &Of : Found) {
        SmallVector<Level *, 4> Levels;
        for (Level *At = Later.count(&Of) ? nullptr : &Of; At; At = NextOf.lookup(At))
            Levels.push_back(At);
        if (Levels.empty())
            continue;
        OptimizationRemarkEmitter Emitter(&F);
        Emitter.emit(OptimizationRemark("teamwork-levels", "Levels", Of.L->getStartLoc(), Of.L->getHeader())
                     << "work-items of kernel " << kernelOf(F) << " fill vectors with "
                     << ore::NV("Levels", unsigned(Levels.size())) << " levels of local memory");
        W.run(Levels);
    }
    if (Found.empty())
        return false;
    EliminateUnreachableBlocks(F);
    FAM.invalidate(F, PreservedAnalyses::none());
    return true;
}

} // namespace tw_split
