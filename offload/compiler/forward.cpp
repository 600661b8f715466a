/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors in local memory, when all loops are written. Levels of trees, and group functions, become straight code that stores vectors
 * and reads them again, whole or by halves:
 *
 *     store <16 x float> sum, part                  low, high = halves of sum
 *     low = load <8 x float> part            becomes
 *     high = load <8 x float> part + 8
 *
 * A vector may also be made of parts of two that were stored, and of single elements around them: the neighbours in a tile with a
 * halo. A processor would wait for all these stores, since none of them has the whole of what is read.
 *
 * LLVM does not look for that once it has written vectors, and would take halves out by words. Local memory is that of one group, so
 * what nobody reads any more need not be stored: its variable becomes one of the function.
 */
#include "compiler.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr uint64_t MostBytes = 4096; /* of a variable of local memory that becomes one of the function */
constexpr size_t LeastInOrder = 8;   /* loads of whole registers */
constexpr size_t MostJoined = 16;    /* known places, of which vectors are joined: about as many as registers */

/* What is known of a place in a variable. */
struct Stored {
    int64_t At, Bytes;
    Value *V;
};

/* The variable of local memory whose address this is; or null. What the program keeps for a thread is none: the next group that the thread
   runs may look at it. */
GlobalVariable *localVariable(const Instruction &I)
{
    const auto *Call = dyn_cast<IntrinsicInst>(&I);
    if (!Call || Call->getIntrinsicID() != Intrinsic::threadlocal_address)
        return nullptr;
    auto *Variable = dyn_cast<GlobalVariable>(Call->getArgOperand(0));
    return Variable && isLocalVariable(Variable) && Variable->hasLocalLinkage() ? Variable : nullptr;
}

/* Whether a variable is only read and written, at addresses that are computed from its own; finds what does. */
bool isOnlyAccessed(Instruction &Variable, DenseSet<const Instruction *> &Accesses)
{
    SmallVector<Instruction *, 16> Open{&Variable};
    while (!Open.empty())
        for (Use &U : Open.pop_back_val()->uses()) {
            auto *By = cast<Instruction>(U.getUser());
            auto *Load = dyn_cast<LoadInst>(By);
            auto *Store = dyn_cast<StoreInst>(By);
            if (isa<GetElementPtrInst>(By) && By->getType()->isPointerTy())
                Open.push_back(By);
            else if ((Load && Load->isSimple())
                     || (Store && Store->isSimple() && U.getOperandNo() == StoreInst::getPointerOperandIndex()))
                Accesses.insert(By);
            else if (!By->isLifetimeStartOrEnd() && !isa<AssumeInst>(By))
                return false;
        }
    return true;
}

bool isPlain(Type *E, const DataLayout &DL)
{
    return (E->isIntegerTy() || E->isFloatingPointTy()) && DL.getTypeSizeInBits(E) == 8 * DL.getTypeStoreSize(E);
}

/* What a load of this type, so many bytes behind the begin of a value, reads of it; null: it is not made of whole elements. */
Value *part(IRBuilder<> &B, const DataLayout &DL, Value *V, int64_t From, Type *T)
{
    Type *Stored = V->getType(), *Read = T->getScalarType();
    if (isa<ScalableVectorType>(T) || isa<ScalableVectorType>(Stored) || !isPlain(Stored->getScalarType(), DL)
        || !isPlain(Read, DL))
        return nullptr;
    const auto Bytes = int64_t(DL.getTypeStoreSize(Read).getFixedValue()),
               All = int64_t(DL.getTypeStoreSize(Stored).getFixedValue());
    const auto *Wanted = dyn_cast<FixedVectorType>(T);
    if (From % Bytes || All % Bytes || !isa<FixedVectorType>(Stored))
        return From == 0 && DL.getTypeStoreSize(T) == DL.getTypeStoreSize(Stored) ? B.CreateBitCast(V, T) : nullptr;
    const auto First = int(From / Bytes);
    V = B.CreateBitCast(V, FixedVectorType::get(Read, unsigned(All / Bytes)));
    if (!Wanted)
        return B.CreateExtractElement(V, uint64_t(First));
    SmallVector<int, 16> Mask;
    for (unsigned I = 0; I < Wanted->getNumElements(); ++I)
        Mask.push_back(First + int(I));
    return V->getType() == T ? V : B.CreateShuffleVector(V, Mask);
}

/* What a load of a vector reads of one or two vectors and of single elements; null: some of it is not known. */
Value *join(IRBuilder<> &B, const DataLayout &DL, ArrayRef<Stored> Known, int64_t At, Type *T)
{
    const auto *Wanted = dyn_cast<FixedVectorType>(T);
    if (!Wanted || !isPlain(Wanted->getElementType(), DL) || Known.size() > MostJoined)
        return nullptr;
    Type *Element = Wanted->getElementType();
    const auto Bytes = int64_t(DL.getTypeStoreSize(Element).getFixedValue());
    SmallVector<const Stored *, 2> Vectors;
    SmallVector<std::pair<unsigned, Value *>, 8> Singles;
    SmallVector<int, 16> Mask;
    for (unsigned Lane = 0; Lane < Wanted->getNumElements(); ++Lane) {
        const int64_t Place = At + Lane * Bytes;
        const auto *Of =
            find_if(Known, [&](const Stored &S) { return S.At <= Place && Place + Bytes <= S.At + S.Bytes; });
        if (Of == Known.end() || !isPlain(Of->V->getType()->getScalarType(), DL)
            || isa<ScalableVectorType>(Of->V->getType()))
            return nullptr;
        if (!isa<FixedVectorType>(Of->V->getType())) {
            if (Of->Bytes != Bytes)
                return nullptr;
            Singles.push_back({Lane, Of->V});
            Mask.push_back(PoisonMaskElem);
            continue;
        }
        if ((Place - Of->At) % Bytes || Of->Bytes % Bytes)
            return nullptr;
        const auto *Number = find(Vectors, Of);
        if (Number == Vectors.end()) {
            if (Vectors.size() == 2 || (!Vectors.empty() && Vectors[0]->Bytes != Of->Bytes))
                return nullptr;
            Vectors.push_back(Of);
            Number = Vectors.end() - 1;
        }
        Mask.push_back(int((Number - Vectors.begin()) * (Of->Bytes / Bytes) + (Place - Of->At) / Bytes));
    }
    if (Vectors.empty())
        return nullptr;
    auto *Of = FixedVectorType::get(Element, unsigned(Vectors[0]->Bytes / Bytes));
    Value *Result = Vectors.size() == 2 ? B.CreateShuffleVector(B.CreateBitCast(Vectors[0]->V, Of),
                                                                B.CreateBitCast(Vectors[1]->V, Of), Mask)
                                        : B.CreateShuffleVector(B.CreateBitCast(Vectors[0]->V, Of), Mask);
    for (auto &[Lane, V] : Singles)
        Result = B.CreateInsertElement(Result, B.CreateBitCast(V, Element), uint64_t(Lane));
    return Result;
}

/* Loads in a block get what was stored there, in the block or before it. */
bool forwardIn(BasicBlock &Block, SmallVectorImpl<Stored> &Known, const Instruction &Variable,
               const DenseSet<const Instruction *> &Accesses)
{
    const DataLayout &DL = Block.getModule()->getDataLayout();
    bool Changed = false;
    for (Instruction &I : make_early_inc_range(Block)) {
        if (!Accesses.count(&I))
            continue;
        APInt Offset(64, 0);
        const bool IsPlace =
            getLoadStorePointerOperand(&I)->stripAndAccumulateConstantOffsets(DL, Offset, true) == &Variable;
        const TypeSize Size = DL.getTypeStoreSize(getLoadStoreType(&I));
        const bool IsKnown = IsPlace && !Size.isScalable();
        const int64_t At = IsKnown ? Offset.getSExtValue() : 0, Bytes = IsKnown ? int64_t(Size.getFixedValue()) : 0;
        if (auto *Store = dyn_cast<StoreInst>(&I)) {
            if (IsKnown)
                erase_if(Known, [&](const Stored &S) { return S.At < At + Bytes && At < S.At + S.Bytes; });
            else
                Known.clear();
            if (IsKnown)
                Known.push_back({At, Bytes, Store->getValueOperand()});
            continue;
        }
        if (!IsKnown)
            continue;
        const auto *Whole = find_if(Known, [&](const Stored &S) { return S.At <= At && At + Bytes <= S.At + S.Bytes; });
        IRBuilder<> B(&I);
        Value *V = Whole != Known.end() ? part(B, DL, Whole->V, At - Whole->At, I.getType())
                                        : join(B, DL, Known, At, I.getType());
        if (!V)
            continue;
        for (Stored &Other : Known)
            if (Other.V == &I)
                Other.V = V;
        I.replaceAllUsesWith(V);
        I.eraseFromParent();
        Changed = true;
    }
    return Changed;
}

/* The same in all blocks. At the begin of a block is known what is known at the ends of all blocks in front of it; nothing, if one of
   these comes later, as in a loop. A block that is a loop without accesses, as one that touches other memory, changes nothing. */
bool forwardIn(Function &F, const Instruction &Variable, const DenseSet<const Instruction *> &Accesses)
{
    DenseMap<const BasicBlock *, SmallVector<Stored, 0>> Ends;
    bool Changed = false;
    for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&F)) {
        SmallVector<Stored, 0> Known;
        bool IsFirst = true;
        for (const BasicBlock *Before : predecessors(Block)) {
            if (Before == Block && none_of(*Block, [&](const Instruction &I) { return Accesses.count(&I); }))
                continue;
            const auto End = Ends.find(Before);
            if (End == Ends.end())
                Known.clear();
            else if (IsFirst)
                Known = End->second;
            else
                erase_if(Known, [&](const Stored &S) {
                    return none_of(End->second,
                                   [&](const Stored &E) { return E.At == S.At && E.Bytes == S.Bytes && E.V == S.V; });
                });
            IsFirst = false;
        }
        Changed |= forwardIn(*Block, Known, Variable, Accesses);
        Ends[Block] = std::move(Known);
    }
    return Changed;
}

/* A variable of local memory, whose value ends with the group, becomes one of the function. */
void makeOwn(Function &F, GlobalVariable &Variable)
{
    auto *Own = new AllocaInst(Variable.getValueType(), F.getParent()->getDataLayout().getAllocaAddrSpace(), nullptr,
                               Variable.getAlign().valueOrOne(), "tw_local", F.getEntryBlock().begin());
    for (Instruction &I : make_early_inc_range(instructions(F)))
        if (localVariable(I) == &Variable) {
            I.replaceAllUsesWith(Own);
            I.eraseFromParent();
        }
}

/* Vectors that lie in a row are loaded in their order, as in the loop that stored them. LLVM's scheduler would have them in the order
   in which a tree needs them. Prefetchers of processors do not follow that: sums by a tree over numbers in memory took twice as long. */
void loadInOrder(Function &F, const TargetTransformInfo &TTI)
{
    const DataLayout &DL = F.getParent()->getDataLayout();
    const uint64_t Register = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8;
    if (!Triple(F.getParent()->getTargetTriple()).isX86())
        return;
    SmallVector<LoadInst *, 32> InOrder;
    for (BasicBlock &Block : F) {
        MapVector<const Value *, SmallVector<LoadInst *, 16>> Rows;
        DenseMap<const Value *, int64_t> Ends;
        const auto Finish = [&](SmallVectorImpl<LoadInst *> &Row) {
            if (Row.size() >= LeastInOrder)
                append_range(InOrder, Row);
            Row.clear();
        };
        for (Instruction &I : Block) {
            auto *Load = dyn_cast<LoadInst>(&I);
            const auto *Type = Load ? dyn_cast<FixedVectorType>(Load->getType()) : nullptr;
            if (!Type || !Load->isSimple() || DL.getTypeStoreSize(Load->getType()) != Register
                || !isPlain(Type->getElementType(), DL))
                continue;
            int64_t At = 0;
            const Value *Base = GetPointerBaseWithConstantOffset(Load->getPointerOperand(), At, DL);
            if (isa<AllocaInst>(Base))
                continue;
            auto &Row = Rows[Base];
            if (!Row.empty() && (Ends[Base] != At || Row[0]->getType() != Load->getType()))
                Finish(Row);
            Row.push_back(Load);
            Ends[Base] = At + int64_t(Register);
        }
        for (auto &[Base, Row] : Rows)
            Finish(Row);
    }
    for (LoadInst *Load : InOrder) {
        IRBuilder<> B(Load->getNextNode());
        Type *Element = cast<FixedVectorType>(Load->getType())->getElementType(), *Whole = Load->getType();
        if (!Element->isFloatTy() && !Element->isDoubleTy()) /* not all processors have registers of the others */
            Whole = FixedVectorType::get(B.getInt32Ty(), unsigned(Register / 4));
        Value *Words = B.CreateBitCast(Load, Whole);
        CallInst *Loaded =
            B.CreateCall(InlineAsm::get(FunctionType::get(Whole, {Whole}, false), "", "=v,0", true), {Words});
        Loaded->setDoesNotThrow();
        Value *V = B.CreateBitCast(Loaded, Load->getType());
        Load->replaceUsesWithIf(V, [&](const Use &Of) { return Of.getUser() != Words && Of.getUser() != Loaded; });
    }
}

} // namespace

bool forwardVectors(Function &F, FunctionAnalysisManager &FAM)
{
    if (!runsGroups(F) || F.hasOptNone())
        return false;
    SmallVector<Instruction *, 8> Variables;
    MapVector<GlobalVariable *, unsigned> Addresses;
    bool CallsOwn = false;
    for (Instruction &I : instructions(F)) {
        const auto *Call = dyn_cast<CallBase>(&I);
        CallsOwn |= Call && !isa<IntrinsicInst>(I)
                    && (!Call->getCalledFunction() || !Call->getCalledFunction()->isDeclaration());
        if (GlobalVariable *Variable = localVariable(I))
            ++Addresses[Variable];
        if (isa<AllocaInst>(I) || localVariable(I))
            Variables.push_back(&I);
    }
    bool Changed = false;
    SmallVector<GlobalVariable *, 4> Own;
    for (Instruction *Variable : Variables) {
        GlobalVariable *Local = localVariable(*Variable);
        const DataLayout &DL = F.getParent()->getDataLayout();
        const bool IsHereOnly = Local && (Local->hasOneUse() || (!CallsOwn && Addresses[Local] == 1));
        if (Local && (!IsHereOnly || DL.getTypeAllocSize(Local->getValueType()).getFixedValue() > MostBytes))
            continue;
        DenseSet<const Instruction *> Accesses;
        if (!isOnlyAccessed(*Variable, Accesses))
            continue;
        const bool Forwarded = forwardIn(F, *Variable, Accesses);
        Changed |= Forwarded;
        if (Forwarded && Local)
            Own.push_back(Local);
    }
    for (GlobalVariable *Variable : Own)
        makeOwn(F, *Variable);
    if (!Changed)
        return false;
    FAM.invalidate(F, PreservedAnalyses::none());
    FAM.invalidate(F, DSEPass().run(F, FAM));
    loadInOrder(F, FAM.getResult<TargetIRAnalysis>(F));
    return true;
}

} // namespace tw_compiler
