/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses in kernels for NVIDIA GPUs:

   - LLVM knows that a pointer among a kernel's arguments is one of global memory, but not if the argument is also stored: into the
     copy of a block, an array of which is indexed by what varies. Accesses by it are generic then (tellGlobalPointers()).
   - The number of a group's first work-item and a work-item's number in the group have no bit in common, so LLVM takes an or for their
     sum. ptxas knows multiplications that add, but none that set bits, and the launch's offset comes behind (addOffsetFirst()).
   - An index of 32 bits that is known not to be negative is extended by zeros, which hides the numbers that are added in it: each
     neighbour of an element computes its address (addNumberLast()).
   - Two members of 32 bits come in one word, and LLVM takes such a half for 64 bits: products with it are two instructions more
     (multiplyHalves()).
   - LLVM adds the terms of an index to the pointer one by one. ptxas knows multiplications that add, but only a whole index is such a
     sum of a product (addToProducts()).
   - Where two ways load from different memory, LLVM makes one load of both, of an address of any memory (loadOnEachWay()). */
#include "passes.h"

#include "analysis/predicates.h"
#include "gpu_spaces.h"
#include "gpu_values.h"

#include <utility>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* Where an offset is added to an or of `Scaled`, of a power of 2, and `Rest`: adds it to the rest, which is there sooner, and the
   product last. */
bool addOffsetFirst(Instruction &I)
{
    using namespace PatternMatch;
    Value *Scaled, *Rest, *Offset;
    const auto Sum =
        m_OneUse(m_c_DisjointOr(m_CombineAnd(m_Shl(m_Value(), m_ConstantInt()), m_Value(Scaled)), m_Value(Rest)));
    IRBuilder<> B(&I);
    if (I.getType()->isIntegerTy(64) && match(&I, m_c_Add(Sum, m_Value(Offset))) && isa<Argument>(Offset)) {
        I.replaceAllUsesWith(B.CreateAdd(B.CreateAdd(Rest, Offset), Scaled));
    } else if (auto *To = dyn_cast<GetElementPtrInst>(&I);
               To && To->getNumIndices() == 1 && isa<Argument>(To->getOperand(1))) {
        auto *Via = dyn_cast<GetElementPtrInst>(To->getPointerOperand());
        Type *Element = To->getSourceElementType();
        if (!Via || !Via->hasOneUse() || Via->getNumIndices() != 1 || Via->getSourceElementType() != Element
            || !match(Via->getOperand(1), Sum))
            return false;
        Value *Place = Via->getPointerOperand();
        for (Value *Term : {To->getOperand(1), Rest, Scaled})
            Place = B.CreateGEP(Element, Place, Term);
        I.replaceAllUsesWith(Place);
    } else {
        return false;
    }
    I.eraseFromParent();
    return true;
}

/* What an integer, extended by its sign, is the sum of. */
struct Sum {
    Value *Wide;     /* null: 0 */
    uint64_t Number; /* of 64 bits, as the sum */
};

/* No term, nor what it is multiplied by, overflows: so the sum of 64 bits is the same. */
Sum wideSum(Value *Narrow, IRBuilder<> &B)
{
    using namespace PatternMatch;
    Value *Of;
    const APInt *Number;
    Type *Word = B.getInt64Ty();
    if (match(Narrow, m_APInt(Number)))
        return {nullptr, uint64_t(Number->getSExtValue())};
    if (match(Narrow, m_NSWAddLike(m_Value(Of), m_APInt(Number)))) {
        const Sum Rest = wideSum(Of, B);
        return {Rest.Wide, Rest.Number + uint64_t(Number->getSExtValue())};
    }
    uint64_t Factor = 0;
    if (match(Narrow, m_NSWShl(m_Value(Of), m_APInt(Number))) && Number->ult(31))
        Factor = uint64_t(1) << Number->getZExtValue();
    else if (match(Narrow, m_NSWMul(m_Value(Of), m_APInt(Number))))
        Factor = uint64_t(Number->getSExtValue());
    if (const Sum Rest = Factor ? wideSum(Of, B) : Sum{nullptr, 0}; Rest.Number != 0)
        return {Rest.Wide ? B.CreateMul(Rest.Wide, B.getInt64(Factor)) : nullptr, Rest.Number * Factor};
    return {B.CreateSExt(Narrow, Word), 0};
}

/* Whether wideSum() finds a number. */
bool hasNumber(Value *Narrow)
{
    using namespace PatternMatch;
    Value *Of;
    const APInt *Number;
    return match(Narrow, m_NSWAddLike(m_Value(), m_APInt(Number)))
           || ((match(Narrow, m_NSWShl(m_Value(Of), m_APInt(Number)))
                || match(Narrow, m_NSWMul(m_Value(Of), m_APInt(Number))))
               && hasNumber(Of));
}

/* Adds a number in an index behind the rest of it, where it is a part of the instruction that accesses. */
bool addNumberLast(Instruction &I)
{
    using namespace PatternMatch;
    auto *To = dyn_cast<GetElementPtrInst>(&I);
    Value *Narrow;
    const unsigned Last = To ? To->getNumOperands() - 1 : 0;
    if (!To || To->getType()->isVectorTy() || !match(To->getOperand(Last), m_NNegZExt(m_Value(Narrow)))
        || !Narrow->getType()->isIntegerTy(32) || !To->getOperand(Last)->getType()->isIntegerTy(64)
        || !hasNumber(Narrow))
        return false;
    IRBuilder<> B(To);
    const Sum Index = wideSum(Narrow, B);
    if (!Index.Wide)
        return false;
    auto *First = cast<GetElementPtrInst>(To->clone());
    First->setOperand(Last, Index.Wide);
    First->setNoWrapFlags(GEPNoWrapFlags::none());
    B.Insert(First);
    To->replaceAllUsesWith(B.CreateGEP(To->getResultElementType(), First, B.getInt64(Index.Number)));
    To->eraseFromParent();
    return true;
}

/* A half of a word, as 64 bits. */
bool isHalf(const Value *V)
{
    using namespace PatternMatch;
    return match(V, m_CombineOr(m_LShr(m_Value(), m_SpecificInt(32)), m_And(m_Value(), m_SpecificInt(UINT32_MAX))));
}

/* A product of two numbers of 32 bits, of which at least one is such a half. LLVM would see through an extension. */
bool multiplyHalves(Instruction &I)
{
    using namespace PatternMatch;
    const auto IsNarrow = [](const Value *V) {
        const Value *Narrow;
        return isHalf(V) || (match(V, m_ZExt(m_Value(Narrow))) && Narrow->getType()->isIntegerTy(32));
    };
    if (I.getOpcode() != Instruction::Mul || !I.getType()->isIntegerTy(64) || !all_of(I.operand_values(), IsNarrow)
        || none_of(I.operand_values(), isHalf))
        return false;
    for (Use &Factor : I.operands()) {
        if (!isHalf(Factor))
            continue;
        IRBuilder<> B(&I);
        Factor = B.CreateZExt(hideFromLLVM(B, B.CreateTrunc(Factor, B.getInt32Ty())), I.getType());
    }
    return true;
}

/* An index as a value and a number that is added to it. */
std::pair<Value *, const APInt *> splitNumber(Value *Index)
{
    using namespace PatternMatch;
    Value *Of;
    const APInt *Number;
    if (match(Index, m_Add(m_Value(Of), m_APInt(Number))))
        return {Of, Number};
    return {Index, nullptr};
}

/* The rest of the index, if a place that is a pointer and a product has no use but elements at one more index behind it, apart from
   numbers. To products of bytes ptxas adds the pointer itself. */
Value *restOfIndex(const GetElementPtrInst &Place)
{
    using namespace PatternMatch;
    Value *Rest = nullptr;
    if (Place.getNumIndices() != 1 || !match(Place.getOperand(1), m_Mul(m_Value(), m_Value()))
        || !Place.getOperand(1)->getType()->isIntegerTy(64)
        || Place.getDataLayout().getTypeAllocSize(Place.getSourceElementType()) == 1)
        return nullptr;
    for (const User *User : Place.users()) {
        const auto *Element = dyn_cast<GetElementPtrInst>(User);
        if (!Element || Element->getPointerOperand() != &Place || Element->getNumIndices() != 1
            || Element->getSourceElementType() != Place.getSourceElementType()
            || Element->getParent() != Place.getParent() || !Element->getOperand(1)->getType()->isIntegerTy(64))
            return nullptr;
        Value *Its = splitNumber(Element->getOperand(1)).first;
        if (isa<Constant>(Its) || (Rest && Rest != Its))
            return nullptr;
        Rest = Its;
    }
    return Rest;
}

/* Adds the rest of an index to the product before both are added to the pointer. */
void addToProduct(GetElementPtrInst &Place, Value *Rest)
{
    SmallVector<GetElementPtrInst *, 4> Elements;
    for (User *User : Place.users())
        Elements.push_back(cast<GetElementPtrInst>(User));
    IRBuilder<> B(*min_element(Elements, [](auto *One, auto *Other) { return One->comesBefore(Other); }));
    Type *Of = Place.getSourceElementType();
    Value *There = B.CreateGEP(Of, Place.getPointerOperand(), hideFromLLVM(B, B.CreateAdd(Place.getOperand(1), Rest)));
    for (GetElementPtrInst *Element : Elements) {
        const APInt *Number = splitNumber(Element->getOperand(1)).second;
        B.SetInsertPoint(Element);
        Element->replaceAllUsesWith(Number ? B.CreateGEP(Of, There, B.getInt(*Number)) : There);
        Element->eraseFromParent();
    }
    Place.eraseFromParent();
}

/* Whether x, or x and a number, is multiplied by the same factor in another product. */
bool hasNeighbour(const Instruction &Product, Value *Factor, const Value *X)
{
    using namespace PatternMatch;
    return any_of(Factor->users(), [&](User *Other) {
        Value *Its;
        return Other != &Product && match(Other, m_c_Mul(m_Specific(Factor), m_Value(Its)))
               && splitNumber(Its).first == X;
    });
}

/* A product with x + 1 in a sum: LLVM adds the other factor instead, and the rest of the sum by an instruction of its own. An x of
   32 bits, and not the last, is one of them with the 1 too. With another x, LLVM's way finds products of neighbours by each other. */
bool hideOneMore(Instruction &I, AssumptionCache &AC, const DominatorTree &DT)
{
    using namespace PatternMatch;
    Value *X, *Other, *Narrow;
    if (!I.getType()->isIntegerTy(64) || !I.hasOneUse() || !match(I.user_back(), m_Add(m_Value(), m_Value()))
        || !match(&I, m_c_Mul(m_Add(m_Value(X), m_One()), m_Value(Other))) || isa<Constant>(Other))
        return false;
    const bool FitsWord = match(X, m_ZExt(m_Value(Narrow))) && Narrow->getType()->isIntegerTy(32)
                          && !computeConstantRange(Narrow, false, true, &AC, &I, &DT).getUnsignedMax().isMaxValue();
    if (!FitsWord && hasNeighbour(I, Other, X))
        return false;
    IRBuilder<> B(&I);
    Value *Hidden = hideFromLLVM(B, FitsWord ? B.CreateAdd(Narrow, B.getInt32(1)) : B.CreateAdd(X, B.getInt64(1)));
    I.setOperand(I.getOperand(0) == Other ? 1 : 0, B.CreateZExt(Hidden, I.getType()));
    return true;
}

/* In loops LLVM advances pointers by what they were multiplied with. */
bool addToProducts(Function &F, FunctionAnalysisManager &FAM)
{
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &AC = FAM.getResult<AssumptionAnalysis>(F);
    bool Changed = false;
    for (BasicBlock &Block : F) {
        if (LI.getLoopFor(&Block))
            continue;
        SmallVector<GetElementPtrInst *, 16> Places;
        for (Instruction &I : Block) {
            Changed |= hideOneMore(I, AC, DT);
            if (auto *Place = dyn_cast<GetElementPtrInst>(&I))
                Places.push_back(Place);
        }
        for (GetElementPtrInst *Place : reverse(Places)) { /* what is behind it in an index is added first */
            if (Value *Rest = restOfIndex(*Place)) {
                addToProduct(*Place, Rest);
                Changed = true;
            }
        }
    }
    return Changed;
}

/* The load of another address, in the memory that this is known to be of. */
LoadInst *loadAt(IRBuilder<> &B, const LoadInst &Like, Value *Place)
{
    Value *Known = B.CreateAddrSpaceCast(Place, B.getPtrTy(spacesOf(Place) == TeamSpace ? 3 : 1));
    auto *Load = cast<LoadInst>(B.Insert(Like.clone()));
    Load->setOperand(LoadInst::getPointerOperandIndex(), Known);
    return Load;
}

bool areOfDifferentMemory(ArrayRef<Value *> Places)
{
    unsigned Spaces = 0;
    for (const Value *Place : Places) {
        const unsigned Its = spacesOf(Place);
        if (Its != TeamSpace && Its != GlobalSpace)
            return false;
        Spaces |= Its;
    }
    return Spaces == (TeamSpace | GlobalSpace);
}

/* A load of an address that is chosen by the way that control came, or by a condition. The first is loaded on each way, if control comes
   from there to the load in any case, and nothing is written between; the second by a branch. */
bool loadOnEachWay(LoadInst &Load)
{
    auto *Place = dyn_cast<Instruction>(Load.getPointerOperand());
    if (!Place || !Load.isSimple() || !Place->hasOneUse())
        return false;
    if (auto *Choice = dyn_cast<SelectInst>(Place)) {
        Value *Places[] = {Choice->getTrueValue(), Choice->getFalseValue()};
        if (!areOfDifferentMemory(Places))
            return false;
        Instruction *Ends[2];
        SplitBlockAndInsertIfThenElse(Choice->getCondition(), Load.getIterator(), &Ends[0], &Ends[1]);
        PHINode *Loaded = IRBuilder<>(&Load).CreatePHI(Load.getType(), 2);
        for (unsigned Way = 0; Way < 2; ++Way) {
            IRBuilder<> B(Ends[Way]);
            Loaded->addIncoming(loadAt(B, Load, Places[Way]), Ends[Way]->getParent());
        }
        Load.replaceAllUsesWith(Loaded);
    } else if (auto *Ways = dyn_cast<PHINode>(Place); Ways && Ways->getParent() == Load.getParent()) {
        SmallVector<Value *, 4> Places(Ways->incoming_values());
        const auto Passes = [](const Instruction &I) {
            return !I.mayWriteToMemory() && isGuaranteedToTransferExecutionToSuccessor(&I);
        };
        if (!areOfDifferentMemory(Places) || !all_of(make_range(Load.getParent()->begin(), Load.getIterator()), Passes)
            || !all_of(Ways->blocks(), [](const BasicBlock *From) {
                   const auto *End = dyn_cast<BranchInst>(From->getTerminator());
                   return End && End->isUnconditional();
               }))
            return false;
        PHINode *Loaded = IRBuilder<>(Ways).CreatePHI(Load.getType(), Ways->getNumIncomingValues());
        for (unsigned Way = 0; Way < Ways->getNumIncomingValues(); ++Way) {
            IRBuilder<> B(Ways->getIncomingBlock(Way)->getTerminator());
            Loaded->addIncoming(loadAt(B, Load, Places[Way]), Ways->getIncomingBlock(Way));
        }
        Load.replaceAllUsesWith(Loaded);
    } else {
        return false;
    }
    Load.eraseFromParent();
    Place->eraseFromParent();
    return true;
}

/* Pointers come to a kernel as words; the program has none but those of global memory. */
bool tellGlobalPointers(Function &F)
{
    if (!isKernel(F))
        return false;
    SmallVector<Instruction *, 16> Known;
    for (Instruction &I : instructions(F))
        if (auto *Cast = dyn_cast<IntToPtrInst>(&I);
            Cast && isa<Argument>(Cast->getOperand(0)) && Cast->getType() == PointerType::get(F.getContext(), 0))
            Known.push_back(Cast);
    for (Instruction *I : Known) {
        IRBuilder<> B(I);
        I->replaceAllUsesWith(B.CreateAddrSpaceCast(B.CreateIntToPtr(I->getOperand(0), B.getPtrTy(1)), B.getPtrTy()));
        I->eraseFromParent();
    }
    return !Known.empty();
}

} // namespace

bool shortenGpuAddresses(Function &F, FunctionAnalysisManager &FAM)
{
    bool Changed = tellGlobalPointers(F);
    SmallVector<LoadInst *, 32> Loads;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        if (auto *Load = dyn_cast<LoadInst>(&I))
            Loads.push_back(Load);
        else
            Changed |= addOffsetFirst(I) || addNumberLast(I) || multiplyHalves(I);
    }
    Changed |= addToProducts(F, FAM);
    for (LoadInst *Load : Loads)
        Changed |= loadOnEachWay(*Load);
    return Changed;
}

} // namespace tw_compiler
