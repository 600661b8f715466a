/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels for NVIDIA GPUs lose to those of CUDA's own compiler, and need not:

   - A loop around loops over work-items that only read memory, and keep what they compute in private values, has a barrier in each
     turn. Nothing is written in the loop, so one barrier in front of it and one behind it order the same accesses. Without barriers
     the loop can be unrolled, and the loads of several turns are on their way together.
   - ptxas makes code that can be linked, where CUDA's compiler makes whole programs. The rare path of 1 / x is a call there, by the
     ABI: what is live around it must be in registers that the call preserves, and constants are loaded again behind it. The same
     arithmetic, written out, has a rare path in place. Results are the same: correctly rounded.
   - A loop over an array whose index is tested computes the address of each access (advancePointer()), and so does one over an array of
     the work-item whose index is a sum (advanceThroughArray()).
   - ptxas unrolls what LLVM has unrolled again, for 8 and 16 turns, and each time that the loop begins it finds out how many of these
     there are: ten instructions, which a short loop inside another one does not earn.
   - LLVM's strength reduction gives each array in a loop a pointer, where a counter would do for all of them (hideCounters()).
   - LLVM knows that a pointer among a kernel's arguments is one of global memory, but not if the argument is also stored: into the
     copy of a block, an array of which is indexed by what varies. Accesses by it are generic then, and so are those by pointers of
     the copy.
   - A division by a constant of what counts in a loop is one of 64 bits, because LLVM's strength reduction takes a counter as wide as
     an address for all of the loop (writeQuotient()).
   - A loop whose step is a group's size has a counter of 64 bits, also where its limit is known to be small, and each turn computes and
     compares both halves (narrowCounter()). Where the step is a constant, LLVM sees better without what becomes of the halves.
   - The number of a group's first work-item and a work-item's number in the group have no bit in common, so LLVM takes an or for their
     sum. ptxas knows multiplications that add, but none that set bits, and the launch's offset comes behind (addOffsetFirst()).
   - A barrier is left out if nothing that is accessed before it, since the last one, can conflict with what another work-item accesses
     behind it, up to the next one. Behind the parts of a group function in team-local memory, which all have read, kernels usually
     write to global memory; a work-item loop that reads global memory ends before a group function writes to team-local memory; and
     at the end of a tree the first work-item adds the last two numbers, and takes the sum. */
#include "passes.h"

#include "analysis/predicates.h"
#include "base/contract.h"
#include "base/marks.h"
#include "utilities/expander.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/DivisionByConstantInfo.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

bool isBarrier(const Instruction &I)
{
    const auto *Call = dyn_cast<IntrinsicInst>(&I);
#if LLVM_VERSION_MAJOR >= 22 /* where barriers have a number: 0 is the one that all of the group come to */
    return Call && Call->getIntrinsicID() == Intrinsic::nvvm_barrier_cta_sync_aligned_all
           && match(Call->getArgOperand(0), PatternMatch::m_Zero());
#else
    return Call && Call->getIntrinsicID() == Intrinsic::nvvm_barrier0;
#endif
}

/* What a kernel begins with: it waits for launches before it, of which its own work-items see as much behind it. */
bool awaitsOthers(const Instruction &I)
{
    const auto *Call = dyn_cast<CallInst>(&I);
    const auto *Text = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
    return Text && Text->getAsmString() == "griddepcontrol.wait;";
}

/* Neither writes what other work-items may see, nor orders accesses, nor exchanges values. Fences, atomic and volatile accesses, votes
   and calls that are not known to compute only are none of these. */
bool onlyReads(const Instruction &I)
{
    if (const auto *Load = dyn_cast<LoadInst>(&I))
        return Load->isSimple();
    if (const auto *Store = dyn_cast<StoreInst>(&I))
        return Store->isSimple() && isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand()));
    if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
        if (Intrinsic->isAssumeLikeIntrinsic())
            return true;
    if (const auto *Call = dyn_cast<CallBase>(&I))
        return Call->doesNotAccessMemory() && !Call->isConvergent();
    return !I.mayReadOrWriteMemory();
}

/* Takes the barriers out of a loop that only reads. It has one exit, and each turn comes to a barrier before it: so all work-items of
   the group enter the loop, and leave it after as many turns. */
bool leaveBarriers(Loop &L, DominatorTree &DT, LoopInfo &LI)
{
    BasicBlock *Before = L.getLoopPreheader(), *Exiting = L.getExitingBlock();
    if (!Before || !Exiting)
        return false;
    SmallVector<Instruction *, 4> Barriers;
    bool Each = false;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            if (isBarrier(I)) {
                Barriers.push_back(&I);
                Each |= DT.dominates(Block, Exiting);
            } else if (!onlyReads(I)) {
                return false;
            }
        }
    if (!Each)
        return false;
    formDedicatedExitBlocks(&L, &DT, &LI, nullptr, false);
    BasicBlock *Behind = L.getExitBlock();
    Barriers.front()->clone()->insertBefore(*Before, Before->getTerminator()->getIterator());
    Barriers.front()->clone()->insertBefore(*Behind, Behind->getFirstInsertionPt());
    for (Instruction *I : Barriers)
        I->eraseFromParent();
    return true;
}

/* Whether it is 1 / x of floats, to be rounded correctly. Options and metadata may ask for less. */
bool isReciprocal(const Instruction &I)
{
    if (I.getOpcode() != Instruction::FDiv || !I.getType()->isFloatTy() || I.hasApproxFunc()
        || I.getMetadata(LLVMContext::MD_fpmath))
        return false;
    const auto *One = dyn_cast<ConstantFP>(I.getOperand(0));
    return One && One->isExactlyValue(1.0) && !isa<Constant>(I.getOperand(1));
}

/* What CUDA's compiler makes of 1 / x where x and the result are normal numbers and not at the range's ends: one step of Newton from
   the hardware's approximation. Else the same in double, whose range and precision make one rounding of it; and zero, infinity and
   NaN are what the approximation makes of them. */
void writeReciprocal(Instruction &Division)
{
    Module &M = *Division.getModule();
    IRBuilder<> B(&Division);
    Value *X = Division.getOperand(1);
    Type *Float = B.getFloatTy(), *Double = B.getDoubleTy(), *Word = B.getInt32Ty();
    const FunctionCallee Approximate = M.getOrInsertFunction("llvm.nvvm.rcp.approx.ftz.f", Float, Float);
    const FunctionCallee Wide = M.getOrInsertFunction("llvm.nvvm.rcp.approx.ftz.d", Double, Double);
    const FunctionCallee Fma = M.getOrInsertFunction("llvm.fma.f32", Float, Float, Float, Float);
    const FunctionCallee WideFma = M.getOrInsertFunction("llvm.fma.f64", Double, Double, Double, Double);

    Value *First = B.CreateCall(Approximate, {X});
    Value *Error = B.CreateFNeg(B.CreateCall(Fma, {X, First, ConstantFP::get(Float, -1)}));
    Value *Usual = B.CreateCall(Fma, {First, Error, First});
    /* exponents 0, 253, 254 and 255 go the other way */
    Value *Exponent = B.CreateAnd(B.CreateAdd(B.CreateBitCast(X, Word), B.getInt32(0x1800000)), B.getInt32(0x7f800000));
    Value *Rare = B.CreateICmpULE(Exponent, B.getInt32(0x1ffffff));
    BasicBlock *From = Division.getParent();
    Instruction *Then = SplitBlockAndInsertIfThen(Rare, Division.getIterator(), false,
                                                  MDBuilder(M.getContext()).createBranchWeights(1, 1 << 20));

    B.SetInsertPoint(Then);
    Value *D = B.CreateFPExt(X, Double), *One = ConstantFP::get(Double, 1);
    Value *R = B.CreateCall(Wide, {D});
    for (int Step = 0; Step < 3; ++Step)
        R = B.CreateCall(WideFma, {R, B.CreateCall(WideFma, {B.CreateFNeg(D), R, One}), R});
    Value *Magnitude = B.CreateAnd(B.CreateBitCast(X, Word), B.getInt32(0x7fffffff));
    Value *Number = B.CreateICmpULT(B.CreateSub(Magnitude, B.getInt32(1)), B.getInt32(0x7f7fffff));
    Value *Other = B.CreateSelect(Number, B.CreateFPTrunc(R, Float), First);

    B.SetInsertPoint(&Division);
    PHINode *Result = B.CreatePHI(Float, 2);
    Result->addIncoming(Usual, From);
    Result->addIncoming(Other, Then->getParent());
    Division.replaceAllUsesWith(Result);
    Division.eraseFromParent();
}

/* Where an index is known not to be negative, LLVM extends it by zeros, and then does not see any more that it advances by a step:
   each access of an unrolled loop computes its address. So what does not change in the loop goes to the pointer, in front of it. If one
   term of a sum is not negative, and the sum, as a signed number, is not either, then it did not overflow. */
bool advancePointer(GetElementPtrInst &Access, Loop &L, ScalarEvolution &SE)
{
    using namespace PatternMatch;
    Value *Fixed, *Counter, *Index = Access.getNumIndices() == 1 ? Access.getOperand(1) : nullptr;
    BasicBlock *Before = L.getLoopPreheader();
    if (!Before || !Index || !Index->getType()->isIntegerTy(64)
        || !match(Index, m_NNegZExt(m_Add(m_Value(Fixed), m_Value(Counter))))
        || !L.isLoopInvariant(Access.getPointerOperand()))
        return false;
    if (L.isLoopInvariant(Counter))
        std::swap(Fixed, Counter);
    const auto *Steps = dyn_cast<SCEVAddRecExpr>(SE.getSignExtendExpr(SE.getSCEV(Counter), Index->getType()));
    if (!L.isLoopInvariant(Fixed) || !Steps || Steps->getLoop() != &L || !SE.isKnownNonNegative(Steps))
        return false;
    IRBuilder<> Front(Before->getTerminator()), Here(&Access);
    Type *Element = Access.getSourceElementType();
    Value *First = Front.CreateGEP(Element, Access.getPointerOperand(), Front.CreateSExt(Fixed, Index->getType()));
    Access.replaceAllUsesWith(Here.CreateGEP(Element, First, Here.CreateSExt(Counter, Index->getType())));
    Access.eraseFromParent();
    return true;
}

/* An index of 32 bits into an array of the work-item, where LLVM does not know any more that it cannot overflow: each turn accesses an
   element, so the index is that of an element in each turn, and the next one is a step away. A pointer goes from one to the other. */
bool advanceThroughArray(GetElementPtrInst &Access, Loop &L, ScalarEvolution &SE, const DominatorTree &DT)
{
    const DataLayout &DL = Access.getModule()->getDataLayout();
    const auto *Array = dyn_cast<AllocaInst>(getUnderlyingObject(Access.getPointerOperand()));
    const auto Size = Array ? Array->getAllocationSize(DL) : std::nullopt;
    BasicBlock *Before = L.getLoopPreheader(), *Latch = L.getLoopLatch();
    auto *Extended = dyn_cast<SExtInst>(Access.getOperand(Access.getNumOperands() - 1));
    if (!Size || Size->isScalable() || Size->getFixedValue() > INT32_MAX / 4 || !Access.isInBounds() || !Before
        || !Latch || !Extended || !Extended->getSrcTy()->isIntegerTy(32) || isa<SCEVAddRecExpr>(SE.getSCEV(&Access)))
        return false;
    for (unsigned N = 0; N + 1 < Access.getNumOperands(); ++N)
        if (!L.isLoopInvariant(Access.getOperand(N)))
            return false;
    const auto *Steps = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Extended->getOperand(0)));
    const bool Even = Steps && Steps->isAffine() && Steps->getLoop() == &L;
    const auto *Step = Even ? dyn_cast<SCEVConstant>(Steps->getOperand(1)) : nullptr;
    if (!Step || Step->getAPInt().abs().sgt(INT32_MAX / 4) || none_of(Access.users(), [&](const User *U) {
            const auto *I = cast<Instruction>(U);
            return getLoadStorePointerOperand(I) == &Access && L.contains(I) && DT.dominates(I->getParent(), Latch);
        }))
        return false;
    Expander Expand(SE, DL, "tw");
    if (!Expand.isSafeToExpandAt(Steps->getStart(), Before->getTerminator()))
        return false;

    Value *Start =
        Expand.expandCodeFor(Steps->getStart(), Extended->getSrcTy(), Before->getTerminator()->getIterator());
    IRBuilder<> Front(Before->getTerminator()), Here(&L.getHeader()->front()), Behind(Latch->getTerminator());
    auto *First = cast<GetElementPtrInst>(Access.clone());
    First->setOperand(First->getNumOperands() - 1, Front.CreateSExt(Start, Extended->getType()));
    First->setIsInBounds(false);
    Front.Insert(First);
    PHINode *Pointer = Here.CreatePHI(Access.getType(), 2);
    Value *Next =
        Behind.CreateGEP(Access.getResultElementType(), Pointer, Behind.getInt64(Step->getAPInt().getSExtValue()));
    Pointer->addIncoming(First, Before);
    Pointer->addIncoming(Next, Latch);
    Access.replaceAllUsesWith(Pointer);
    Access.eraseFromParent();
    return true;
}

bool advancePointers(Loop &L, ScalarEvolution &SE, const DominatorTree &DT)
{
    SmallVector<GetElementPtrInst *, 8> Accesses;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block)
            if (auto *Access = dyn_cast<GetElementPtrInst>(&I))
                Accesses.push_back(Access);
    bool Changed = false;
    for (GetElementPtrInst *Access : Accesses)
        Changed |= advancePointer(*Access, L, SE) || advanceThroughArray(*Access, L, SE, DT);
    return Changed;
}

constexpr const char *NeverAgain = "llvm.loop.unroll.disable";

/* What LLVM unrolls ptxas need not unroll again. */
void unrollOnce(Loop &L)
{
    constexpr const char *Later = "llvm.loop.unroll.followup_unrolled";
    if (hasLoopMark(L, Later) || hasLoopMark(L, NeverAgain))
        return;
    LLVMContext &Context = L.getHeader()->getContext();
    MDNode *Not = MDNode::get(Context, MDString::get(Context, NeverAgain));
    MDNode *Mark = MDNode::get(Context, {MDString::get(Context, Later), Not});
    L.setLoopID(makePostTransformationMetadata(Context, L.getLoopID(), {}, {Mark}));
}

/* A counter of 64 bits that goes on only while it is less than a limit, and never leaves 32 bits, gets as many. */
bool narrowCounter(PHINode &Counter, Loop &L, ScalarEvolution &SE)
{
    using namespace PatternMatch;
    BasicBlock *Before = L.getLoopPredecessor(), *Latch = L.getLoopLatch();
    auto *Branch = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
    auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (!Before || !Test || !Counter.getType()->isIntegerTy(64))
        return false;
    Value *Start = Counter.getIncomingValueForBlock(Before), *Step, *Tested = Test->getOperand(0),
          *Limit = Test->getOperand(1);
    auto *Next = dyn_cast<BinaryOperator>(Counter.getIncomingValueForBlock(Latch));
    if (!Next || !match(Next, m_c_Add(m_Specific(&Counter), m_Value(Step))) || isa<Constant>(Step)
        || !L.isLoopInvariant(Step))
        return false;
    auto GoesOn = Branch->getSuccessor(0) == L.getHeader() ? Test->getPredicate() : Test->getInversePredicate();
    if (L.isLoopInvariant(Tested)) {
        std::swap(Tested, Limit);
        GoesOn = ICmpInst::getSwappedPredicate(GoesOn);
    }
    if (GoesOn != ICmpInst::ICMP_ULT || (Tested != Next && Tested != &Counter) || !L.isLoopInvariant(Limit))
        return false;

    const auto Most = [&SE](Value *Of) { return SE.getUnsignedRangeMax(SE.getSCEV(Of)); };
    const APInt Below = Most(Limit).usub_sat(APInt(64, 1)), Stride = Most(Step);
    APInt First = Most(Start);
    if (SE.isLoopEntryGuardedByCond(&L, ICmpInst::ICMP_ULT, SE.getSCEV(Start), SE.getSCEV(Limit)))
        First = APIntOps::umin(First, Below);
    const APInt Later = Tested == Next ? Below : Below.uadd_sat(Stride);
    if (!APIntOps::umax(First, Later).uadd_sat(Stride).isIntN(32) || !Most(Limit).isIntN(32))
        return false;

    SE.forgetLoop(&L);
    IRBuilder<> Front(Before->getTerminator()), Head(&Counter), Here(Next);
    Type *Word = Here.getInt32Ty();
    PHINode *Narrow = Head.CreatePHI(Word, 2);
    Value *Sum = Here.CreateAdd(Narrow, Front.CreateTrunc(Step, Word));
    Narrow->addIncoming(Front.CreateTrunc(Start, Word), Before);
    Narrow->addIncoming(Sum, Latch);
    Branch->setCondition(
        IRBuilder<>(Branch).CreateICmpULT(Tested == Next ? Sum : Narrow, Front.CreateTrunc(Limit, Word)));
    if (Branch->getSuccessor(0) != L.getHeader())
        Branch->swapSuccessors();
    Head.SetInsertPoint(L.getHeader(), L.getHeader()->getFirstInsertionPt());
    Next->replaceAllUsesWith(Here.CreateZExt(Sum, Next->getType()));
    Counter.replaceAllUsesWith(Head.CreateZExt(Narrow, Counter.getType()));
    Next->eraseFromParent();
    Counter.eraseFromParent();
    return true;
}

bool narrowCounters(Loop &L, ScalarEvolution &SE)
{
    bool Changed = false;
    for (PHINode &Counter : make_early_inc_range(L.getHeader()->phis()))
        Changed |= narrowCounter(Counter, L, SE);
    return Changed;
}

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

/* Whether it divides what changes in its loop, as at most 32 bits, by a constant that takes more than a shift. Not if it counts from a
   constant: when the loop is unrolled later, the quotient is a constant, too. */
bool isDivisionInLoop(const Instruction &I, const LoopInfo &LI, ScalarEvolution &SE)
{
    if (I.getOpcode() != Instruction::UDiv && I.getOpcode() != Instruction::URem)
        return false;
    const auto *By = dyn_cast<ConstantInt>(I.getOperand(1));
    const Loop *L = LI.getLoopFor(I.getParent());
    if (!By || !L || By->getBitWidth() > 32 || !By->getValue().ugt(1) || By->getValue().isPowerOf2())
        return false;
    const auto *Frozen = dyn_cast<FreezeInst>(I.getOperand(0));
    const SCEV *Of = SE.getSCEV(Frozen ? Frozen->getOperand(0) : I.getOperand(0));
    return !SE.isLoopInvariant(Of, L) && SCEVExprContains(Of, [](const SCEV *S) { return isa<SCEVUnknown>(S); });
}

/* What it divides, in 32 bits, and the greatest value that this has. Where LLVM made it narrower: what it was before. */
std::pair<Value *, APInt> dividend(const BinaryOperator &Division, IRBuilder<> &B, ScalarEvolution &SE,
                                   DominatorTree &DT)
{
    using namespace PatternMatch;
    Value *X = Division.getOperand(0), *Whole;
    const unsigned Width = X->getType()->getIntegerBitWidth();
    const auto Most = [&SE](Value *Of) { return SE.getUnsignedRangeMax(SE.getSCEV(Of)).zext(32); };
    if (match(X, m_CombineOr(m_Freeze(m_Trunc(m_Value(Whole))), m_Trunc(m_Value(Whole))))
        && Whole->getType()->isIntegerTy(32) && Most(Whole).isIntN(Width)
        && isGuaranteedNotToBeUndefOrPoison(Whole, nullptr, &Division, &DT))
        return {Whole, Most(Whole)};
    if (isGuaranteedNotToBeUndefOrPoison(X, nullptr, &Division, &DT))
        return {B.CreateZExt(X, B.getInt32Ty()), Most(X)};
    return {B.CreateZExt(B.CreateFreeze(X), B.getInt32Ty()), APInt::getLowBitsSet(32, Width)};
}

/* The division as a product of 32 bits, whose upper half comes from an intrinsic that nobody makes wider. */
void writeQuotient(BinaryOperator &Division, ScalarEvolution &SE, DominatorTree &DT)
{
    Module &M = *Division.getModule();
    IRBuilder<> B(&Division);
    Type *Word = B.getInt32Ty();
    const FunctionCallee Upper = M.getOrInsertFunction("llvm.nvvm.mulhi.ui", Word, Word, Word);
    const APInt By = cast<ConstantInt>(Division.getOperand(1))->getValue().zext(32);
    const auto [X, Most] = dividend(Division, B, SE, DT);
    Value *Quotient;
    if ((Most.zext(64) * By.zext(64)).isIntN(32)) { /* the product is too great by less than 2^32 / By */
        Quotient = B.CreateCall(Upper, {X, B.getInt(APInt::getMaxValue(32).udiv(By) + 1)});
    } else {
        const auto Magic = UnsignedDivisionByConstantInfo::get(By, Most.countl_zero());
        Quotient = B.CreateCall(Upper, {B.CreateLShr(X, Magic.PreShift), B.getInt(Magic.Magic)});
        if (Magic.IsAdd)
            Quotient = B.CreateAdd(B.CreateLShr(B.CreateSub(X, Quotient), 1), Quotient);
        Quotient = B.CreateLShr(Quotient, Magic.PostShift);
    }
    if (auto *Product = dyn_cast<CallInst>(Quotient))
        Product->setMetadata(LLVMContext::MD_range,
                             MDBuilder(M.getContext()).createRange(APInt(32, 0), Most.udiv(By) + 1));
    if (Division.getOpcode() == Instruction::URem)
        Quotient = B.CreateSub(X, B.CreateMul(Quotient, B.getInt(By)));
    Division.replaceAllUsesWith(B.CreateTrunc(Quotient, Division.getType()));
    Division.eraseFromParent();
}

/* `Of`, the same pointer, as one of global memory. */
Value *globalPointer(IRBuilder<> &B, Value *Of)
{
    return B.CreateAddrSpaceCast(B.CreateIntToPtr(Of, B.getPtrTy(1)), B.getPtrTy());
}

/* The pointers that are loaded from a variable into which arguments are copied, and nothing else. */
bool holdsArguments(AllocaInst &Variable, SmallVectorImpl<LoadInst *> &Pointers)
{
    SmallVector<Instruction *, 8> Places{&Variable};
    while (!Places.empty()) {
        Instruction *Place = Places.pop_back_val();
        for (User *User : Place->users()) {
            if (auto *Load = dyn_cast<LoadInst>(User)) {
                if (Load->isSimple() && Load->getType() == PointerType::get(Load->getContext(), 0))
                    Pointers.push_back(Load);
            } else if (auto *Store = dyn_cast<StoreInst>(User)) {
                if (Store->getPointerOperand() != Place || !isa<Argument>(Store->getValueOperand())
                    || !Store->getValueOperand()->getType()->isIntegerTy())
                    return false;
            } else if (isa<GetElementPtrInst>(User)) {
                Places.push_back(cast<Instruction>(User));
            } else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(User);
                       !Intrinsic || !Intrinsic->isLifetimeStartOrEnd()) {
                return false;
            }
        }
    }
    return !Pointers.empty();
}

/* Pointers come to a kernel as words; the program has none but those of global memory. */
bool tellGlobalPointers(Function &F)
{
    if (!isKernel(F))
        return false;
    SmallVector<Instruction *, 16> Known;
    SmallVector<LoadInst *, 8> Loads;
    for (Instruction &I : instructions(F)) {
        if (auto *Cast = dyn_cast<IntToPtrInst>(&I);
            Cast && isa<Argument>(Cast->getOperand(0)) && Cast->getType() == PointerType::get(F.getContext(), 0))
            Known.push_back(Cast);
        if (auto *Variable = dyn_cast<AllocaInst>(&I))
            if (SmallVector<LoadInst *, 8> Pointers; holdsArguments(*Variable, Pointers))
                Loads.append(Pointers);
    }
    for (Instruction *I : Known) {
        IRBuilder<> B(I);
        I->replaceAllUsesWith(globalPointer(B, I->getOperand(0)));
        I->eraseFromParent();
    }
    for (LoadInst *Load : Loads) {
        IRBuilder<> B(Load);
        Value *Bits = B.CreateAlignedLoad(B.getInt64Ty(), Load->getPointerOperand(), Load->getAlign());
        Load->replaceAllUsesWith(globalPointer(B, Bits));
        Load->eraseFromParent();
    }
    return !Known.empty() || !Loads.empty();
}

/* The blocks that only the first work-item of a group executes. Groups of Teamwork's kernels have their threads in one dimension. */
SmallPtrSet<const BasicBlock *, 8> ofFirstThread(Function &F, DominatorTree &DT)
{
    using namespace PatternMatch;
    SmallPtrSet<const BasicBlock *, 8> Found;
    if (!F.hasFnAttribute(SimtRole))
        return Found;
    for (BasicBlock &Block : F) {
        auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
        auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
        Value *Thread;
        if (!Test || !Test->isEquality() || !match(Test->getOperand(1), m_Zero())
            || !match(Test->getOperand(0), m_ZExtOrSelf(m_Value(Thread))))
            continue;
        const auto *Call = dyn_cast<IntrinsicInst>(Thread);
        if (!Call || Call->getIntrinsicID() != Intrinsic::nvvm_read_ptx_sreg_tid_x)
            continue;
        const BasicBlockEdge Edge(&Block, Branch->getSuccessor(Test->getPredicate() == ICmpInst::ICMP_NE));
        for (const BasicBlock &Other : F)
            if (DT.dominates(Edge, &Other))
                Found.insert(&Other);
    }
    return Found;
}

/* What may be accessed on the ways from a barrier to the next ones: bits of memory spaces. */
class Traffic
{
  public:
    enum { Team = 1, Global = 2, Unknown = 3 };

    explicit Traffic(const SmallPtrSetImpl<const BasicBlock *> &OfFirst) : OfFirst(OfFirst)
    {
    }

    void addUnknown()
    {
        ByAny.Read |= Unknown;
        ByAny.Written |= Unknown;
    }

    void add(const Instruction &I)
    {
        const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
        if (!I.mayReadOrWriteMemory() || (Intrinsic && Intrinsic->isAssumeLikeIntrinsic()) || awaitsOthers(I))
            return;
        Accesses &Here = OfFirst.contains(I.getParent()) ? ByFirst : ByAny;
        if (const auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple()) {
            Here.Read |= spaces(Load->getPointerOperand());
        } else if (const auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple()) {
            Here.Written |= spaces(Store->getPointerOperand());
        } else if (const auto *Update = dyn_cast<AtomicRMWInst>(&I);
                   Update && !Update->isVolatile() && Update->getOrdering() == AtomicOrdering::Monotonic) {
            ByAny.Read |= spaces(Update->getPointerOperand());
            ByAny.Written |= spaces(Update->getPointerOperand());
        } else if (!Intrinsic || !Intrinsic->isConvergent()
                   || any_of(Intrinsic->args(), [](const Use &U) { return U->getType()->isPointerTy(); })) {
            addUnknown(); /* but lanes that exchange values */
        }
    }

    /* What one thread accesses twice is in order. */
    bool conflictWith(const Traffic &Other) const
    {
        return ByAny.conflictWith(Other.ByAny) || ByAny.conflictWith(Other.ByFirst)
               || ByFirst.conflictWith(Other.ByAny);
    }

    static unsigned spaces(const Value *Address)
    {
        SmallVector<const Value *, 4> Objects;
        getUnderlyingObjects(Address, Objects);
        unsigned Spaces = 0;
        for (const Value *Object : Objects) {
            const unsigned Space = Object->getType()->getPointerAddressSpace();
            if (!isa<AllocaInst>(Object) && Space != 5) /* of the work-item */
                Spaces |= Space == 1 ? Global : Space == 3 ? Team : Unknown;
        }
        return Spaces;
    }

  private:
    struct Accesses {
        unsigned Read = 0, Written = 0;
        bool conflictWith(const Accesses &Other) const
        {
            return (Written & (Other.Read | Other.Written)) || (Read & Other.Written);
        }
    };
    const SmallPtrSetImpl<const BasicBlock *> &OfFirst;
    Accesses ByAny, ByFirst;
};

/* Adds what is behind. Beyond the ends of a function that is no kernel all may be accessed. */
Traffic trafficBehind(const Instruction &Barrier, Traffic Found)
{
    SmallVector<BasicBlock::const_iterator, 8> Ways{std::next(Barrier.getIterator())};
    SmallPtrSet<const BasicBlock *, 16> Begun;
    while (!Ways.empty())
        for (BasicBlock::const_iterator I = Ways.pop_back_val(); !isBarrier(*I); ++I) {
            Found.add(*I);
            if (isa<ReturnInst>(*I) && !isKernel(*I->getFunction()))
                Found.addUnknown();
            if (!I->isTerminator())
                continue;
            for (const BasicBlock *Next : successors(I->getParent()))
                if (Begun.insert(Next).second)
                    Ways.push_back(Next->begin());
            break;
        }
    return Found;
}

Traffic trafficBefore(const Instruction &Barrier, Traffic Found)
{
    SmallVector<const Instruction *, 8> Ways{&Barrier}; /* each way begins before it */
    SmallPtrSet<const BasicBlock *, 16> Begun;
    while (!Ways.empty()) {
        const Instruction *I = Ways.pop_back_val(), *Last;
        while ((Last = I->getPrevNode()) && !isBarrier(*Last))
            Found.add(*(I = Last));
        if (Last)
            continue;
        const BasicBlock *Block = I->getParent();
        if (Block->isEntryBlock() && !isKernel(*Block->getParent()))
            Found.addUnknown();
        for (const BasicBlock *Before : predecessors(Block)) {
            if (!Begun.insert(Before).second)
                continue;
            Found.add(*Before->getTerminator());
            Ways.push_back(Before->getTerminator());
        }
    }
    return Found;
}

/* Takes the barriers out that order no accesses to the same memory by different work-items. One after the other: what is on both sides
   of one is on the same side of the next. */
bool leaveIdleBarriers(Function &F, DominatorTree &DT)
{
    SmallVector<Instruction *, 8> Barriers;
    for (Instruction &I : instructions(F))
        if (isBarrier(I))
            Barriers.push_back(&I);
    if (Barriers.empty())
        return false;
    const auto OfFirst = ofFirstThread(F, DT);
    const Traffic None(OfFirst);
    bool Changed = false;
    for (Instruction *I : Barriers)
        if (!trafficBefore(*I, None).conflictWith(trafficBehind(*I, None))) {
            I->eraseFromParent();
            Changed = true;
        }
    return Changed;
}

/* The code of a square root has a branch for rare values, at which ptxas ends what it schedules together. So a root that is used once,
   in a later block of the same loop, moves there: what is between, such as a cosine's usual path, is scheduled with what is before. */
bool moveRoots(Function &F, DominatorTree &DT, LoopInfo &LI)
{
    SmallVector<Instruction *, 4> Roots;
    for (Instruction &I : instructions(F))
        if (const auto *Root = dyn_cast<IntrinsicInst>(&I);
            Root && Root->getIntrinsicID() == Intrinsic::sqrt && I.getType()->isFloatTy() && I.hasOneUse())
            Roots.push_back(&I);
    bool Changed = false;
    for (Instruction *Root : Roots) {
        auto *User = cast<Instruction>(Root->user_back());
        BasicBlock *From = Root->getParent(), *To = User->getParent();
        if (isa<PHINode>(User) || From == To || LI.getLoopFor(From) != LI.getLoopFor(To)
            || !DT.properlyDominates(From, To))
            continue;
        Root->moveBefore(*To, User->getIterator());
        Changed = true;
    }
    return Changed;
}

/* The counter that an index is an extension of, but for a number that is added; null if it is none of `L`. */
PHINode *counterOf(const Value *Index, const Loop &L, ScalarEvolution &SE, bool &Signed, int64_t &Plus)
{
    using namespace PatternMatch;
    Value *Narrow, *Of;
    const APInt *Number;
    Signed = isa<SExtInst>(Index);
    Plus = 0;
    if (!match(Index, m_ZExtOrSExt(m_Value(Narrow))) || !Narrow->getType()->isIntegerTy(32))
        return nullptr;
    if (match(Narrow, m_DisjointOr(m_Value(Of), m_APInt(Number)))
        || (Signed ? match(Narrow, m_NSWAdd(m_Value(Of), m_APInt(Number)))
                   : match(Narrow, m_NUWAdd(m_Value(Of), m_APInt(Number))))) {
        Plus = Signed ? Number->getSExtValue() : int64_t(Number->getZExtValue());
        Narrow = Of;
    }
    auto *Counter = dyn_cast<PHINode>(Narrow);
    if (!Counter || Counter->getParent() != L.getHeader())
        return nullptr;
    const auto *Steps = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Counter));
    return Steps && Steps->getLoop() == &L && Steps->isAffine() && isa<SCEVConstant>(Steps->getOperand(1)) ? Counter
                                                                                                           : nullptr;
}

/* An address of global memory with a counter of 32 bits is one instruction, which multiplies and adds to a pointer of 64 bits. A
   pointer of its own for each array, which LLVM would rather have, is two, and two copies where an access has a condition. So LLVM is
   not shown that it is a counter. */
bool hideCounters(Loop &L, ScalarEvolution &SE)
{
    struct Access {
        GetElementPtrInst *At;
        PHINode *Counter;
        bool Signed;
        int64_t Plus;
    };
    SmallVector<Access, 16> Accesses;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            auto *At = dyn_cast<GetElementPtrInst>(&I);
            bool Signed;
            int64_t Plus;
            if (At && At->getNumIndices() == 1 && L.isLoopInvariant(At->getPointerOperand())
                && Traffic::spaces(At->getPointerOperand()) == Traffic::Global)
                if (PHINode *Counter = counterOf(At->getOperand(1), L, SE, Signed, Plus))
                    Accesses.push_back({At, Counter, Signed, Plus});
        }
    /* ptxas unrolls other loops, and can only see in 64 bits that the addresses of its turns have a distance that is known */
    if (!hasLoopMark(L, NeverAgain) && none_of(Accesses, [](const Access &A) { return A.Plus != 0; }))
        return false;
    IRBuilder<> B(&*L.getHeader()->getFirstInsertionPt());
    DenseMap<std::pair<PHINode *, unsigned>, Value *> Indexes; /* by whether it is signed */
    DenseMap<std::pair<Value *, std::pair<Value *, Type *>>, Value *> Places;
    for (const Access &A : Accesses) {
        Value *&Index = Indexes[{A.Counter, A.Signed}];
        Type *Word = B.getInt32Ty(), *Element = A.At->getSourceElementType();
        if (!Index) {
            auto *Move = InlineAsm::get(FunctionType::get(Word, {Word}, false), "mov.b32 $0, $1;", "=r,r", false);
            CallInst *Hidden = B.CreateCall(Move, {A.Counter});
            Hidden->setDoesNotAccessMemory();
            Hidden->setDoesNotThrow();
            Index = A.Signed ? B.CreateSExt(Hidden, B.getInt64Ty()) : B.CreateZExt(Hidden, B.getInt64Ty());
        }
        Value *&Place = Places[{A.At->getPointerOperand(), {Index, Element}}];
        if (!Place)
            Place = B.CreateGEP(Element, A.At->getPointerOperand(), Index);
        A.At->replaceAllUsesWith(A.Plus ? IRBuilder<>(A.At).CreateGEP(Element, Place, B.getInt64(A.Plus)) : Place);
        A.At->eraseFromParent();
    }
    if (Accesses.empty())
        return false;
    /* and LLVM need not unroll the shorter code again, when it links */
    if (!hasLoopMark(L, NeverAgain))
        addLoopMark(L, "llvm.loop.unroll.runtime.disable");
    return true;
}

} // namespace

bool hideGpuCounters(Function &F, FunctionAnalysisManager &FAM)
{
    bool Changed = false;
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
        Changed |= L->isInnermost() && hideCounters(*L, SE);
    return Changed;
}

bool shortenGpuAddresses(Function &F, FunctionAnalysisManager &)
{
    bool Changed = tellGlobalPointers(F);
    for (Instruction &I : make_early_inc_range(instructions(F)))
        Changed |= addOffsetFirst(I);
    return Changed;
}

bool leaveGpuBarriers(Function &F, FunctionAnalysisManager &FAM)
{
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    bool Changed = leaveIdleBarriers(F, DT);
    for (Loop *L : LI.getLoopsInPreorder())
        Changed |= leaveBarriers(*L, DT, LI);
    return Changed;
}

bool advanceGpuPointers(Function &F, FunctionAnalysisManager &FAM)
{
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    bool Changed = false;
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
        Changed |= narrowCounters(*L, SE);
        if (L->isInnermost()) {
            Changed |= advancePointers(*L, SE, DT);
            if (L->getParentLoop() && !SE.getSmallConstantTripCount(L))
                unrollOnce(*L);
        }
    }
    return Changed;
}

bool hoistGpuRoots(Function &F, FunctionAnalysisManager &FAM)
{
    return moveRoots(F, FAM.getResult<DominatorTreeAnalysis>(F), FAM.getResult<LoopAnalysis>(F));
}

bool writeGpuQuotients(Function &F, FunctionAnalysisManager &FAM)
{
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    SmallVector<Instruction *, 8> Divisions;
    for (Instruction &I : instructions(F))
        if (isDivisionInLoop(I, LI, SE))
            Divisions.push_back(&I);
    for (Instruction *I : Divisions)
        writeQuotient(cast<BinaryOperator>(*I), SE, DT);
    return !Divisions.empty();
}

bool writeGpuReciprocals(Function &F, FunctionAnalysisManager &)
{
    SmallVector<Instruction *, 8> Reciprocals;
    if (F.getDenormalMode(APFloat::IEEEsingle()) == DenormalMode::getIEEE())
        for (Instruction &I : instructions(F))
            if (isReciprocal(I))
                Reciprocals.push_back(&I);
    for (Instruction *I : Reciprocals)
        writeReciprocal(*I);
    return !Reciprocals.empty();
}

} // namespace tw_compiler
