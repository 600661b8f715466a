/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions of a vector of work-items. What is uniform stays a single value. Of what is linear, there is the value of the first
 * lane, and the vector where that is used. All else is a vector. The operations of one work-item keep their order, so nothing has to be
 * known of what accesses may meet.
 *
 *     side by side      a load or store of a vector, with a mask
 *     near others       vectors and shuffles (vectorize_groups.cpp)
 *     elsewhere         a gather or scatter, with a mask
 *     one place         a load of one value; a store by the last lane that takes part
 *     anything else     (atomic operations, calls) for one lane after the other, in a loop over those that take part
 */
#include "vectorize.h"

#include "analysis/predicates.h"
#include "base/marks.h"

#include <algorithm>
#include <optional>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* Notes of an access that hold for a vector of them too. */
void copyNotes(Instruction &To, const Instruction &From)
{
    for (const unsigned Kind : {unsigned(LLVMContext::MD_tbaa), unsigned(LLVMContext::MD_alias_scope),
                                unsigned(LLVMContext::MD_noalias), unsigned(LLVMContext::MD_nontemporal)})
        if (MDNode *Note = From.getMetadata(Kind))
            To.setMetadata(Kind, Note);
    To.setDebugLoc(From.getDebugLoc());
}

/* LLVM 22 asks the target too; what is asked for here does not depend on it. */
bool isOfType(Intrinsic::ID Id, int I)
{
#if LLVM_VERSION_MAJOR >= 22
    return isVectorIntrinsicWithOverloadTypeAtArg(Id, I, nullptr);
#else
    return isVectorIntrinsicWithOverloadTypeAtArg(Id, I);
#endif
}

} // namespace

/* Whether an operation must not run if no lane takes part: it would do something, or fail. */
bool Vectorizer::needsSomebody(const Instruction &I) const
{
    if (isDropped(I) || isa<PHINode>(I) || I.isTerminator())
        return false;
    if (const auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple())
        return Shape.isUniform(Store->getPointerOperand()) && !Private.interleaved(Store->getPointerOperand());
    if (!isa<StoreInst>(I) && Shape.step(&I)) /* one operation for all lanes */
        return !isSafeToSpeculativelyExecute(&I);
    return isScalarized(I);
}

/* ---- values ------------------------------------------------------------------------------------------------------- */

/* What all lanes have of a uniform value; what the first one has of a linear value. */
Value *Vectorizer::scalar(Value *V)
{
    if (const PrivateVariable *P = Private.find(V))
        return P->OfLanes;
    const auto Found = Scalars.find(V);
    return Found == Scalars.end() ? V : Found->second;
}

Value *Vectorizer::vector(Value *V)
{
    if (Value *Known = Vectors.lookup(V))
        return Known;
    Value *First = scalar(V);
    const IRBuilder<>::InsertPointGuard Guard(B);
    if (auto *I = dyn_cast<Instruction>(First); I && Scalars.count(V))
        isa<PHINode>(I) ? B.SetInsertPoint(I->getParent(), I->getParent()->getFirstInsertionPt())
                        : B.SetInsertPoint(I->getParent(), std::next(I->getIterator()));
    else
        B.SetInsertPoint(VectorPreheader->getTerminator());
    B.SetCurrentDebugLocation(DebugLoc());
    const bool IsAddress = V->getType()->isPointerTy();
    const int64_t Step = *Shape.step(V);
    Value *Steps = nullptr;
    if (Step != 0) {
        SmallVector<Constant *, 16> OfLanes;
        for (unsigned I = 0; I < Width; ++I)
            OfLanes.push_back(ConstantInt::get(IsAddress ? B.getInt64Ty() : V->getType(), uint64_t(Step) * I, true));
        Steps = ConstantVector::get(OfLanes);
    }
    Value *Result = Steps && IsAddress ? B.CreateGEP(B.getInt8Ty(), First, Steps) : B.CreateVectorSplat(Width, First);
    if (Steps && !IsAddress)
        Result = B.CreateAdd(Result, Steps);
    Vectors[V] = Result;
    return Result;
}

void Vectorizer::set(Instruction &I, Value *V)
{
    (Shape.step(&I) ? Scalars : Vectors)[&I] = V;
}

/* ---- one operation for all lanes ------------------------------------------------------------------------------------ */

void Vectorizer::emitScalar(Instruction &I)
{
    const bool IsLinear = Shape.step(&I) != 0;
    if (IsLinear && I.getOpcode() == Instruction::Or) { /* of other lanes than the first one it is known to be that */
        Scalars[&I] = B.CreateAdd(scalar(I.getOperand(0)), scalar(I.getOperand(1)));
        return;
    }
    if (IsLinear && Shape.isNotNegative(&I)) { /* the first lane may be below zero if it does not take part */
        Scalars[&I] = B.CreateSExt(scalar(I.getOperand(0)), I.getType());
        return;
    }
    Instruction *New = I.clone();
    for (Use &U : New->operands())
        U.set(scalar(U.get()));
    if (IsLinear || !IsSure) /* the first lane may not take part */
        New->dropPoisonGeneratingAnnotations();
    New->setMetadata(LLVMContext::MD_access_group, nullptr);
    B.Insert(New);
    Scalars[&I] = New;
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

/* Where the lanes have an element of a private variable whose elements lie side by side: the address of the first one, or all addresses. */
Value *Vectorizer::addressOfPlace(Value *Address, const PrivateVariable &P, bool &IsSideBySide)
{
    const PrivatePlace At = *Private.placeOf(Address, P);
    IsSideBySide = all_of(At.Parts, [&](const auto &Part) { return Shape.isUniform(Part.first); });
    Type *Size = B.getInt64Ty();
    const auto Whole = [&](Value *V) { return IsSideBySide ? scalar(V) : vector(V); };
    Type *T = IsSideBySide ? Size : widened(Size);
    Value *Offset = ConstantInt::get(T, uint64_t(At.Constant) * Width);
    for (auto &[Part, Factor] : At.Parts)
        Offset = B.CreateAdd(
            Offset, B.CreateMul(B.CreateSExtOrTrunc(Whole(Part), T), ConstantInt::get(T, uint64_t(Factor) * Width)));
    if (!IsSideBySide) {
        SmallVector<Constant *, 16> Lanes;
        for (unsigned I = 0; I < Width; ++I)
            Lanes.push_back(ConstantInt::get(Size, I * P.Element));
        Offset = B.CreateAdd(Offset, ConstantVector::get(Lanes));
    }
    return B.CreateGEP(B.getInt8Ty(), P.OfLanes, Offset);
}

/* Where the lanes of a load or store are. */
Vectorizer::Lanes Vectorizer::lanesOf(Instruction &Access)
{
    Value *Address = getLoadStorePointerOperand(&Access);
    Type *T = getLoadStoreType(&Access);
    const Align Known = getLoadStoreAlignment(&Access);
    if (const PrivateVariable *Own = Private.interleaved(Address)) {
        bool IsSideBySide;
        Value *At = addressOfPlace(Address, *Own, IsSideBySide);
        return {At, std::min(Known, Align(Own->Element)), IsSideBySide, false};
    }
    const auto Bytes = int64_t(DL.getTypeStoreSize(T).getFixedValue());
    const std::optional<int64_t> Step = Shape.step(Address);
    if (!Step || (*Step != Bytes && *Step != -Bytes) || !hasOnlyBytes(T, DL))
        return {vector(Address), Known, false, false};
    Value *First = scalar(Address);
    if (*Step > 0)
        return {First, Known, true, false};
    return {B.CreateConstGEP1_64(B.getInt8Ty(), First, uint64_t(*Step * int64_t(Width - 1))), Known, true, true};
}

void Vectorizer::emitLoad(LoadInst &Load)
{
    if (emitInGroup(Load))
        return;
    auto *T = widened(Load.getType());
    const Lanes Of = lanesOf(Load);
    const bool IsPrivate = Private.interleaved(Load.getPointerOperand());
    const bool IsWhole = IsPrivate && Of.IsSideBySide && IsSure; /* all lanes have that element, if one has */
    Value *M = Current.isAll() || IsWhole ? nullptr : asVector(Current);
    if (M && Of.IsReversed)
        M = B.CreateVectorReverse(M);
    Instruction *New = !Of.IsSideBySide ? B.CreateMaskedGather(T, Of.At, Of.Known, M)
                       : M              ? B.CreateMaskedLoad(T, Of.At, Of.Known, M)
                                        : static_cast<Instruction *>(B.CreateAlignedLoad(T, Of.At, Of.Known));
    copyNotes(*New, Load);
    Vectors[&Load] = Of.IsReversed ? B.CreateVectorReverse(New) : New;
}

/* All lanes store to one place: the last of those that take part does. */
void Vectorizer::emitLastStore(StoreInst &Store)
{
    Value *V = Store.getValueOperand(), *One;
    if (Shape.isUniform(V))
        One = scalar(V);
    else {
        Value *Last = B.getInt32(Width - 1);
        if (!Current.isAll()) {
            Value *Behind = B.CreateBinaryIntrinsic(Intrinsic::ctlz, bits(asVector(Current)), B.getFalse());
            Last = B.CreateSub(Last, B.CreateZExtOrTrunc(Behind, B.getInt32Ty()));
        }
        One = B.CreateExtractElement(vector(V), Last);
    }
    copyNotes(*B.CreateAlignedStore(One, scalar(Store.getPointerOperand()), Store.getAlign()), Store);
}

void Vectorizer::emitStore(StoreInst &Store)
{
    if (emitInGroup(Store))
        return;
    Value *Address = Store.getPointerOperand();
    if (!Private.interleaved(Address) && Shape.isUniform(Address))
        return emitLastStore(Store);
    const Lanes Of = lanesOf(Store);
    Value *M = Current.isAll() ? nullptr : asVector(Current), *Whole = vector(Store.getValueOperand());
    if (Of.IsReversed) {
        Whole = B.CreateVectorReverse(Whole);
        M = M ? B.CreateVectorReverse(M) : M;
    }
    Instruction *New = !Of.IsSideBySide ? B.CreateMaskedScatter(Whole, Of.At, Of.Known, M)
                       : M              ? B.CreateMaskedStore(Whole, Of.At, Of.Known, M)
                                        : static_cast<Instruction *>(B.CreateAlignedStore(Whole, Of.At, Of.Known));
    copyNotes(*New, Store);
}

/* ---- calls, and what is done for one lane after the other -------------------------------------------------------------- */

/* The function of a library for vectors that does what a call does, and for how many lanes at a time; the most there are for. */
std::pair<StringRef, unsigned> Vectorizer::vectorFunction(const CallInst &Call) const
{
    constexpr uint64_t SmallRegister = 128; /* bits; x86's functions for larger ones need AVX2 */
    const Function *Callee = Call.getCalledFunction();
    const auto HasForm = [&](const Use &U) { return U->getType() == Call.getType(); };
    if (!Callee || !Call.getType()->isFloatingPointTy() || Call.isNoBuiltin() || !Call.doesNotAccessMemory()
        || !all_of(Call.args(), HasForm))
        return {"", 0};
    uint64_t Register = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    if (Triple(F.getParent()->getTargetTriple()).isX86()
        && !F.getFnAttribute("target-features").getValueAsString().contains("+avx2"))
        Register = std::min(Register, SmallRegister);
    const auto Most = unsigned(Register / DL.getTypeSizeInBits(Call.getType()).getFixedValue());
    for (unsigned Lanes = bit_floor(std::min(Width, Most)); Lanes >= 2; Lanes /= 2)
        if (StringRef Name = TLI.getVectorizedFunction(Callee->getName(), ElementCount::getFixed(Lanes), false);
            !Name.empty())
            return {Name, Lanes};
    return {"", 0};
}

void Vectorizer::emitVectorFunction(CallInst &Call, StringRef Name, unsigned Lanes)
{
    auto *T = FixedVectorType::get(Call.getType(), Lanes);
    const SmallVector<Type *, 2> Types(Call.arg_size(), T);
    FunctionCallee Callee = F.getParent()->getOrInsertFunction(Name, FunctionType::get(T, Types, false));
    SmallVector<Value *, 4> Parts;
    for (unsigned First = 0; First < Width; First += Lanes) {
        SmallVector<Value *, 2> Arguments;
        for (Value *V : Call.args())
            Arguments.push_back(
                Lanes == Width ? vector(V) : B.CreateShuffleVector(vector(V), createSequentialMask(First, Lanes, 0)));
        CallInst *New = B.CreateCall(Callee, Arguments);
        New->setDoesNotAccessMemory();
        New->setDoesNotThrow();
        New->addFnAttr(Attribute::WillReturn);
        if (isa<FPMathOperator>(New))
            New->copyFastMathFlags(&Call);
        Parts.push_back(New);
    }
    Vectors[&Call] = concatenateVectors(B, Parts);
}

void Vectorizer::emitCall(CallInst &Call)
{
    if (const auto [Name, Lanes] = vectorFunction(Call); Lanes)
        return emitVectorFunction(Call, Name, Lanes);
    const Intrinsic::ID Id = getVectorIntrinsicIDForCall(&Call, &TLI);
    SmallVector<Value *, 4> Arguments;
    SmallVector<Type *, 2> Types;
    if (isOfType(Id, -1))
        Types.push_back(widened(Call.getType()));
    for (unsigned I = 0; I < Call.arg_size(); ++I) {
        Value *V = Call.getArgOperand(I);
        const bool IsScalar = isScalarArgument(Id, I);
        Arguments.push_back(IsScalar ? scalar(V) : vector(V));
        if (isOfType(Id, int(I)))
            Types.push_back(Arguments.back()->getType());
    }
#if LLVM_VERSION_MAJOR >= 22
    Function *Callee = Intrinsic::getOrInsertDeclaration(F.getParent(), Id, Types);
#else
    Function *Callee = Intrinsic::getDeclaration(F.getParent(), Id, Types);
#endif
    CallInst *New = B.CreateCall(Callee, Arguments);
    New->copyIRFlags(&Call);
    Vectors[&Call] = New;
}

/* A division of integers of at most 32 bits is one of double-precision numbers, which processors do for vectors: a / b
   is an integer, or at least 1 / b away from one, and its rounding error is at most a / b * 2^-53. Lanes that do not take part may divide
   by zero. */
Value *Vectorizer::divide(Instruction &I)
{
    Value *A = vector(I.getOperand(0)), *C = vector(I.getOperand(1));
    Type *T = A->getType(), *Real = widened(B.getDoubleTy());
    const bool IsSigned = I.getOpcode() == Instruction::SDiv || I.getOpcode() == Instruction::SRem;
    const auto AsReal = [&](Value *V) { return IsSigned ? B.CreateSIToFP(V, Real) : B.CreateUIToFP(V, Real); };
    Value *Ratio = B.CreateFDiv(AsReal(A), AsReal(C));
    Value *Quotient = B.CreateFreeze(IsSigned ? B.CreateFPToSI(Ratio, T) : B.CreateFPToUI(Ratio, T));
    const bool IsRest = I.getOpcode() == Instruction::SRem || I.getOpcode() == Instruction::URem;
    return IsRest ? B.CreateSub(A, B.CreateMul(Quotient, C)) : Quotient;
}

/* ---- everything ------------------------------------------------------------------------------------------------------- */

void Vectorizer::emit(Instruction &I)
{
    if (isDropped(I))
        return;
    if (auto *Gep = dyn_cast<GetElementPtrInst>(&I); Gep && Private.interleaved(Gep))
        return; /* see addressOfPlace() */
    B.SetCurrentDebugLocation(I.getDebugLoc());
    auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store && Shape.step(&I) && !I.getType()->isVoidTy())
        return emitScalar(I);
    if (const auto *Element = dyn_cast<ExtractValueInst>(&I)) {
        Vectors[&I] = Elements[{Element->getAggregateOperand(), Element->getIndices()[0]}];
        return;
    }
    if (Store)
        return emitStore(*Store);
    if (auto *Load = dyn_cast<LoadInst>(&I))
        return emitLoad(*Load);
    if (auto *Call = dyn_cast<CallInst>(&I))
        return emitCall(*Call);
    Value *New = nullptr;
    if (auto *Gep = dyn_cast<GetElementPtrInst>(&I)) {
        SmallVector<Value *, 4> Indices;
        for (Value *Index : Gep->indices())
            Indices.push_back(Shape.isUniform(Index) ? scalar(Index) : vector(Index));
        Value *Base = Gep->getPointerOperand();
        Base = Shape.isUniform(Base) ? scalar(Base) : vector(Base);
        New = B.CreateGEP(Gep->getSourceElementType(), Base, Indices);
    } else if (const auto *Cast = dyn_cast<CastInst>(&I))
        New = B.CreateCast(Cast->getOpcode(), vector(I.getOperand(0)), widened(I.getType()));
    else if (auto *Compare = dyn_cast<CmpInst>(&I))
        New = B.CreateCmp(Compare->getPredicate(), vector(I.getOperand(0)), vector(I.getOperand(1)));
    else if (isa<SelectInst>(I)) {
        Value *Condition = I.getOperand(0);
        New = B.CreateSelect(Shape.isUniform(Condition) ? scalar(Condition) : vector(Condition),
                             vector(I.getOperand(1)), vector(I.getOperand(2)));
    } else if (isa<FreezeInst>(I))
        New = B.CreateFreeze(vector(I.getOperand(0)));
    else if (isa<UnaryOperator>(I))
        New = B.CreateUnOp(Instruction::UnaryOps(I.getOpcode()), vector(I.getOperand(0)));
    else if (I.isIntDivRem() && !isa<Constant>(I.getOperand(1)) && I.getType()->getIntegerBitWidth() <= 32) {
        Vectors[&I] = divide(I);
        return;
    } else {
        Value *A = vector(I.getOperand(0)), *C = vector(I.getOperand(1));
        if (!Current.isAll() && I.isIntDivRem()
            && !isSafeToSpeculativelyExecute(&I)) { /* lanes that do not take part may divide by zero */
            Value *M = asVector(Current), *One = ConstantInt::get(A->getType(), 1);
            A = B.CreateSelect(M, A, One);
            C = B.CreateSelect(M, C, One);
        }
        New = B.CreateBinOp(Instruction::BinaryOps(I.getOpcode()), A, C);
    }
    if (auto *Made = dyn_cast<Instruction>(New))
        Made->copyIRFlags(&I);
    Vectors[&I] = New;
}

void Vectorizer::makePrivate()
{
    for (PrivateVariable &P : Private.All) {
        auto *T = ArrayType::get(B.getInt8Ty(), P.Bytes * Width);
        const Align Side = Align(std::min<uint64_t>(std::max<uint64_t>(P.Element, 1) * Width, 64));
        P.OfLanes = new AllocaInst(T, DL.getAllocaAddrSpace(), nullptr, std::max(P.Variable->getAlign(), Side),
                                   "tw_private", F.getEntryBlock().begin());
        P.OfLanes->setMetadata(SharedNote, MDNode::get(Context, {})); /* each work-item has its own part */
    }
}

} // namespace tw_compiler
