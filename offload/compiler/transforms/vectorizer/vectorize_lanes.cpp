/* SPDX-License-Identifier: Apache-2.0 */
/* What is done for one lane of a vector after the other: atomic operations, calls without a form for vectors, and volatile accesses. */
#include "vectorize.h"

#include "analysis/predicates.h"
#include "base/marks.h"

#include <cstdint>
#include <optional>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

using namespace llvm;

namespace tw_compiler
{

/* LLVM 22 asks the target too; what is asked for here does not depend on it. */
bool isScalarArgument(Intrinsic::ID Id, unsigned I)
{
#if LLVM_VERSION_MAJOR >= 22
    return isVectorIntrinsicWithScalarOpAtArg(Id, I, nullptr);
#else
    return isVectorIntrinsicWithScalarOpAtArg(Id, I);
#endif
}

/* Finds what only finds the places of atomic operations, which are done for one lane after the other: loads and integers that are
   taken apart. As vectors each lane's number would have to be taken out of one. */
void Vectorizer::findOfEachLane()
{
    for (BasicBlock *Block : All)
        for (Instruction &I : reverse(*Block)) {
            const auto *Load = dyn_cast<LoadInst>(&I);
            const bool IsCheap =
                (Load && Load->isSimple() && !Private.interleaved(Load->getPointerOperand()))
                || (isa<CastInst>(I) && I.getType()->isIntegerTy() && I.getOperand(0)->getType()->isIntegerTy())
                || (I.isBinaryOp() && I.getType()->isIntegerTy() && !I.isIntDivRem()
                    && isa<ConstantInt>(I.getOperand(1)))
                || (isa<GetElementPtrInst>(I) && !Private.interleaved(&I));
            const auto IsOfEach = [&](const User *U) {
                const auto *By = cast<Instruction>(U);
                return By->getParent() == Block
                       && (isa<AtomicRMWInst>(By) || isa<AtomicCmpXchgInst>(By) || OfEachLane.count(By));
            };
            if (IsCheap && !I.use_empty() && !Shape.step(&I) && all_of(I.users(), IsOfEach))
                OfEachLane.insert(&I);
        }
}

/* Whether an operation is done for one lane after the other. */
bool Vectorizer::isScalarized(const Instruction &I) const
{
    if (OfEachLane.count(&I))
        return true;
    if (const auto *Load = dyn_cast<LoadInst>(&I))
        return !Load->isSimple();
    if (const auto *Store = dyn_cast<StoreInst>(&I))
        return !Store->isSimple();
    if (const auto *Call = dyn_cast<CallInst>(&I)) {
        const Intrinsic::ID Id = getVectorIntrinsicIDForCall(Call, &TLI);
        if (vectorFunction(*Call).second)
            return false;
        if (Id == Intrinsic::not_intrinsic || !isTriviallyVectorizable(Id))
            return true;
        for (unsigned N = 0; N < Call->arg_size(); ++N) /* which the vector form has once */
            if (isScalarArgument(Id, N) && !Shape.isUniform(Call->getArgOperand(N)))
                return true;
        return false;
    }
    return isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I);
}

/* The same, where its result is not one for all lanes. */
bool Vectorizer::isForEach(const Instruction &I) const
{
    return isScalarized(I) && !isDropped(I) && (isa<StoreInst>(I) || I.getType()->isVoidTy() || !Shape.step(&I));
}

/* What one lane has of a value. An address is computed by itself, so that what it is in can be seen. */
Value *Vectorizer::ofLane(Value *V, Value *Lane)
{
    if (isa<Function>(V) || isa<MetadataAsValue>(V) || Shape.isUniform(V))
        return scalar(V);
    if (const std::optional<int64_t> Step = Shape.step(V); Step && !isa<Constant>(V)) {
        const bool IsAddress = V->getType()->isPointerTy();
        Type *T = IsAddress ? B.getInt64Ty() : V->getType();
        if (IsAddress || T->isIntegerTy()) {
            Value *Apart = B.CreateMul(B.CreateZExtOrTrunc(Lane, T), ConstantInt::get(T, uint64_t(*Step), true));
            return IsAddress ? B.CreatePtrAdd(scalar(V), Apart) : B.CreateAdd(scalar(V), Apart);
        }
    }
    auto *Address = dyn_cast<GetElementPtrInst>(V);
    if (!Address || !L.contains(Address) || Private.interleaved(Address) || Vectors.count(V))
        return B.CreateExtractElement(vector(V), Lane);
    Instruction *New = Address->clone();
    for (Use &Part : New->operands())
        Part = ofLane(Part, Lane);
    return B.Insert(New);
}

/* For each lane that takes part, the first one first:
 *
 *         open = mask
 *         do
 *             lane = first bit of open
 *             result[lane] = f(operand[lane]) and what else follows
 *             open &= open - 1
 *         while (open)
 */
void Vectorizer::emitForEach(ArrayRef<Instruction *> Operations)
{
    IntegerType *T = B.getIntNTy(Width);
    Value *First = Current.isAll() ? ConstantInt::getAllOnesValue(T) : bits(asVector(Current));
    BasicBlock *Before = B.GetInsertBlock(), *Each = BasicBlock::Create(Context, "tw_lane", &F),
               *Behind = BasicBlock::Create(Context, "tw_lanes_done", &F);
    B.CreateBr(Each);
    B.SetInsertPoint(Each);
    PHINode *Open = B.CreatePHI(T, 2, "tw_open");
    Open->addIncoming(First, Before);
    Value *Lane = B.CreateBinaryIntrinsic(Intrinsic::cttz, Open, B.getTrue());
    DenseMap<const Value *, Value *> Done; /* for this lane */
    for (Instruction *I : Operations) {
        B.SetCurrentDebugLocation(I->getDebugLoc());
        Instruction *New = I->clone();
        for (unsigned N = 0; N < I->getNumOperands(); ++N) {
            Value *Known = Done.lookup(I->getOperand(N));
            New->setOperand(N, Known ? Known : ofLane(I->getOperand(N), Lane));
        }
        New->setMetadata(LLVMContext::MD_access_group, nullptr);
        Done[I] = B.Insert(New);
        if (all_of(I->users(), [&](User *U) { return is_contained(Operations, U); }))
            continue;
        const auto Collect = [&](Value *Element) -> Value * {
            PHINode *Others = PHINode::Create(widened(Element->getType()), 2, "", Open->getIterator());
            Value *Result = B.CreateInsertElement(Others, Element, Lane);
            Others->addIncoming(PoisonValue::get(Others->getType()), Before);
            Others->addIncoming(Result, Each);
            return Result;
        };
        if (!I->getType()->isStructTy())
            Vectors[I] = Collect(New);
        else
            for (unsigned N = 0; N < I->getType()->getStructNumElements(); ++N)
                Elements[{I, N}] = Collect(B.CreateExtractValue(New, N));
    }
    Value *Next = B.CreateAnd(Open, B.CreateSub(Open, ConstantInt::get(T, 1)));
    Open->addIncoming(Next, Each);
    Instruction *Back = B.CreateCondBr(B.CreateICmpNE(Next, ConstantInt::get(T, 0)), Each, Behind);
    if (any_of(Operations, [](const Instruction *I) { return isOrdinaryAtomic(*I); })) {
        /* copies of `++bins[i]` are slow: processors guess for each which of the others it has to wait for */
        MDNode *Mark = MDNode::get(Context, MDString::get(Context, NotUnrolled));
        MDNode *Id = MDNode::getDistinct(Context, {nullptr, Mark});
        Id->replaceOperandWith(0, Id);
        Back->setMetadata(LLVMContext::MD_loop, Id);
    }
    B.SetInsertPoint(Behind);
}

} // namespace tw_compiler
