/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops in which the work-items of a group share out a range, each with every so many of its elements:
 *
 *     for (at = id; at < count; at += size)                      element(at)
 *     for (first = 0; first < count; first += size)              element(first + id)
 *
 * All turns of all work-items together are the elements, one after the other: the loop becomes a region of its own, whose work-items
 * are these. So neighbours in the loop over them are neighbours in memory, and no work-item has fewer turns than another one. `id` and
 * `size` are those of one dimension, or the linear ones of the last two dimensions or of all. A loop in such a loop, of another
 * dimension, becomes a part of the same region.
 *
 * A work-item takes its own elements in the same order as before; the new loop says how many elements they are apart. A loop stays as it
 * is if a work-item has anything else of its own in it: values that go from turn to turn, variables, or other ids.
 *
 * `at = first + id` may wrap around for some work-items and not for others: an unsigned `id - 1` does. Where it is not known that it does
 * not, the group finds out, and then runs the loop as it was.
 */
#include "kernel.h"

#include "base/markers.h"
#include "base/marks.h"

#include <algorithm>
#include <utility>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr unsigned MostAtoms = 4, MostTerms = 12, MostDepth = 16;
constexpr int64_t MostOfTile = 1024;

/* A sum of products of values, modulo 2 to the 64. The order is that in which they were found, so that the same program gives the
   same code each time. */
using Product = SmallVector<Value *, 2>;

struct Sum {
    SmallVector<std::pair<Product, uint64_t>, 4>
        Terms; /* no product twice, whatever the order of its factors; none zero times */

    uint64_t times(const Product &P) const
    {
        const auto *At = find_if(Terms, [&](auto &Term) { return isSame(Term.first, P); });
        return At == Terms.end() ? 0 : At->second;
    }
    void add(const Product &P, uint64_t Times)
    {
        auto *At = find_if(Terms, [&](auto &Term) { return isSame(Term.first, P); });
        if (At == Terms.end())
            At = Terms.insert(At, std::pair(P, uint64_t(0)));
        if ((At->second += Times) == 0)
            Terms.erase(At);
    }
    void add(const Sum &Other, uint64_t Times)
    {
        for (auto &Term : Other.Terms)
            add(Term.first, Term.second * Times);
    }
    /* What is left in so many bits. */
    Sum low(unsigned Bits) const
    {
        Sum Result;
        for (auto &Term : Terms)
            Result.add(Term.first, Bits >= 64 ? Term.second : Term.second & ((uint64_t(1) << Bits) - 1));
        return Result;
    }
    bool has(const Value *Atom) const
    {
        return any_of(Terms, [&](auto &Term) { return is_contained(Term.first, Atom); });
    }

  private:
    static bool isSame(const Product &A, const Product &B)
    {
        return A.size() == B.size() && std::is_permutation(A.begin(), A.end(), B.begin());
    }
};

Sum number(uint64_t N)
{
    Sum Result;
    Result.add(Product(), N);
    return Result;
}

std::optional<Sum> product(const Sum &A, const Sum &B)
{
    Sum Result;
    for (auto &Left : A.Terms)
        for (auto &Right : B.Terms) {
            Product P = Left.first;
            P.append(Right.first.begin(), Right.first.end());
            Result.add(P, Left.second * Right.second);
        }
    for (auto &Term : Result.Terms)
        if (Term.first.size() > MostAtoms)
            return {};
    return Result.Terms.size() > MostTerms ? std::nullopt : std::optional(Result);
}

struct Ids {
    CallInst *Id[3];
    Value *Extent[3];

    bool isId(const Value *V) const
    {
        return V == Id[0] || V == Id[1] || V == Id[2];
    }
    uint64_t most(unsigned D) const
    {
        const auto *Known = dyn_cast<ConstantInt>(Extent[D]);
        return Known ? std::min(Known->getZExtValue(), MostItems) : MostItems;
    }
    bool isOne(unsigned D) const
    {
        const auto *Known = dyn_cast<ConstantInt>(Extent[D]);
        return Known && Known->isOne();
    }
};

/* A loop that shares out a range. */
struct Shared {
    Loop *L = nullptr;
    PHINode *Counter = nullptr;
    BranchInst *Branch = nullptr;
    Value *Start = nullptr, *Bound = nullptr; /* of the counter */
    bool Signed = false;
    bool ByGroup = false; /* the counter is the same for all work-items, and their id is added to it in the loop */
    int Dimension = -1;   /* of the id, as in Stride */
    bool InOrder = true;  /* no work-item's counter begins below that of a work-item before it */
    MapVector<Instruction *, Sum> Elements; /* ByGroup: values that follow from the element */
};

class Finder
{
  public:
    Finder(const Ids &I, function_ref<bool(const Value *)> IsUniform, ArrayRef<BasicBlock *> Around = {})
        : I(I), IsUniform(IsUniform), Around(Around)
    {
    }
    std::optional<Shared> find(Loop &L);
    std::optional<Sum> sum(Value *V, unsigned Depth = 0);
    Sum linear(int Dimension);
    bool dependsOn(const Value *V, int Dimension, unsigned Depth = 0);
    bool isOf(const Value *Id, int Dimension) const
    {
        for (unsigned D = 0; D < 3; ++D)
            if (Id == I.Id[D])
                return Stride::has(Dimension, D);
        return false;
    }

  private:
    const Ids &I;
    function_ref<bool(const Value *)> IsUniform;
    ArrayRef<BasicBlock *> Around; /* blocks of the same region that are repeated for each element */
    Value *Opaque = nullptr;       /* a counter, which is an atom */

    bool fits(const Sum &S, unsigned Bits);
    bool followsSize(Value *V, unsigned Bits);
    Sum size(unsigned D)
    {
        Sum Atom;
        Atom.add({I.Extent[D]}, 1);
        return sum(I.Extent[D]).value_or(Atom);
    }
    Sum extent(int Dimension);
    bool isAlone(Shared &S);
    uint64_t most(int Dimension) const;
    bool beginsInOrder(const Shared &S, const Sum &First);
};

/* Whether a sum of ids is never negative, and less than 2 to so many bits. */
bool Finder::fits(const Sum &S, unsigned Bits)
{
    uint64_t Most = 0;
    for (auto &Term : S.Terms) {
        uint64_t Value = Term.second;
        if (Value >> 40 || Term.first.size() > 1)
            return false;
        if (!Term.first.empty()) {
            unsigned D = 0;
            while (D < 3 && Term.first[0] != I.Id[D])
                ++D;
            if (D == 3)
                return false;
            Value *= I.most(D) - 1;
        }
        Most += Value;
    }
    return Most < uint64_t(1) << std::min(Bits - 1, 62u);
}

/* Whether a value follows from the size of the group alone, as the number of elements of a tile with its border, and is less than half
   of what so many bits hold. */
bool Finder::followsSize(Value *V, unsigned Bits)
{
    const std::optional<Sum> Of = sum(V);
    if (!Of)
        return false;
    uint64_t Most = 0;
    for (auto &Term : Of->low(Bits).Terms) {
        if (Term.second > MostItems)
            return false;
        bool Seen[3] = {false, false, false}; /* each extent once: together they are the items of a group at most */
        for (const Value *Atom : Term.first) {
            const unsigned D = unsigned(std::find(I.Extent, I.Extent + 3, Atom) - I.Extent);
            if (D == 3 || Seen[D])
                return false;
            Seen[D] = true;
        }
        Most += Term.first.empty() ? Term.second : Term.second * MostItems;
    }
    return Most < uint64_t(1) << (Bits - 1);
}

/* A value as a sum of products of ids and uniform values, modulo 2 to its width. */
std::optional<Sum> Finder::sum(Value *V, unsigned Depth)
{
    if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64 || Depth > MostDepth)
        return {};
    if (const auto *Known = dyn_cast<ConstantInt>(V))
        return number(Known->getSExtValue());
    Sum Atom;
    Atom.add({V}, 1);
    if (I.isId(V) || V == Opaque || (isa<Argument>(V)))
        return Atom;
    auto *Of = dyn_cast<Instruction>(V);
    if (!Of)
        return {};
    const bool Uniform = IsUniform(V);
    const auto Fallback = [&]() -> std::optional<Sum> {
        if (!Uniform)
            return {};
        if (isa<TruncInst>(Of)) /* the same modulo its width */
            return sum(Of->getOperand(0), Depth + 1);
        return Atom;
    };
    std::optional<Sum> Left, Right;
    const auto Operands = [&] {
        Left = sum(Of->getOperand(0), Depth + 1);
        Right = Left ? sum(Of->getOperand(1), Depth + 1) : std::nullopt;
        return Right.has_value();
    };
    switch (Of->getOpcode()) {
    case Instruction::Trunc:
        if ((Left = sum(Of->getOperand(0), Depth + 1)))
            return Left;
        break;
    case Instruction::ZExt:
    case Instruction::SExt:
        Left = sum(Of->getOperand(0), Depth + 1);
        if (Left
            && fits(Left->low(Of->getOperand(0)->getType()->getIntegerBitWidth()),
                    Of->getOperand(0)->getType()->getIntegerBitWidth()))
            return Left->low(Of->getOperand(0)->getType()->getIntegerBitWidth());
        if (auto *Inner = dyn_cast<BinaryOperator>(Of->getOperand(0));
            Inner && Inner->getOpcode() == Instruction::Add
            && (isa<ZExtInst>(Of) ? Inner->hasNoUnsignedWrap() : Inner->hasNoSignedWrap())) {
            Sum Result;
            for (Value *Each : Inner->operands()) { /* each extended */
                const unsigned Bits = Each->getType()->getIntegerBitWidth();
                if (const auto *Known = dyn_cast<ConstantInt>(Each)) {
                    Result.add(number(isa<ZExtInst>(Of) ? Known->getZExtValue() : Known->getSExtValue()), 1);
                    continue;
                }
                std::optional<Sum> Part = sum(Each, Depth + 1);
                if (!Part || !fits(Part->low(Bits), Bits))
                    return Fallback();
                Result.add(Part->low(Bits), 1);
            }
            return Result;
        }
        break;
    case Instruction::Add:
    case Instruction::Sub:
        if (Operands()) {
            Left->add(*Right, Of->getOpcode() == Instruction::Add ? 1 : ~uint64_t(0));
            if (Left->Terms.size() <= MostTerms)
                return Left;
        }
        break;
    case Instruction::Or:
        if (cast<PossiblyDisjointInst>(Of)->isDisjoint() && Operands()) {
            Left->add(*Right, 1);
            if (Left->Terms.size() <= MostTerms)
                return Left;
        }
        break;
    case Instruction::Xor: /* -1 - a value */
        if (const auto *By = dyn_cast<ConstantInt>(Of->getOperand(1)); By && By->isMinusOne())
            if ((Left = sum(Of->getOperand(0), Depth + 1))) {
                Sum Result = number(~uint64_t(0));
                Result.add(*Left, ~uint64_t(0));
                return Result;
            }
        break;
    case Instruction::Mul:
        if (Operands())
            if (std::optional<Sum> Result = product(*Left, *Right))
                return Result;
        break;
    case Instruction::Shl:
        if (const auto *By = dyn_cast<ConstantInt>(Of->getOperand(1)); By && By->getZExtValue() < 64)
            if ((Left = sum(Of->getOperand(0), Depth + 1))) {
                Sum Result;
                Result.add(*Left, uint64_t(1) << By->getZExtValue());
                return Result;
            }
        break;
    default:
        break;
    }
    return Fallback();
}

/* The id of a dimension, or the linear one. */
Sum Finder::linear(int Dimension)
{
    Sum Result;
    for (unsigned D = 0; D < 3; ++D) {
        if (!Stride::has(Dimension, D))
            continue;
        if (Dimension < 0)
            Result = *product(Result, size(D));
        if (!I.isOne(D))
            Result.add({I.Id[D]}, 1);
    }
    return Result;
}

Sum Finder::extent(int Dimension)
{
    Sum Result = number(1);
    for (unsigned D = 0; D < 3; ++D)
        if (Stride::has(Dimension, D))
            Result = *product(Result, size(D));
    return Result;
}

/* Whether a value follows from the ids of a dimension, or from something that is not known to be computed from ids alone. */
bool Finder::dependsOn(const Value *V, int Dimension, unsigned Depth)
{
    const auto *Of = dyn_cast<Instruction>(V);
    if (!Of)
        return false;
    if (I.isId(V))
        return isOf(V, Dimension);
    if (IsUniform(V))
        return false;
    const bool Here = is_contained(Around, Of->getParent());
    if (Depth > MostDepth || !(Here ? !isa<PHINode>(Of) && !isa<CallBase>(Of) : canRecompute(*Of)))
        return true;
    return any_of(Of->operand_values(), [&](const Value *Operand) { return dependsOn(Operand, Dimension, Depth + 1); });
}

/* Whether a work-item has nothing of its own in the loop but the element. */
bool Finder::isAlone(Shared &S)
{
    SmallPtrSet<const Value *, 16>
        Tainted; /* follow from the counter of a group, or from ids, but not from the element alone */
    const Sum Id = linear(S.Dimension);
    if (S.ByGroup) {
        Opaque = S.Counter;
        Tainted.insert(S.Counter);
    }
    auto *Next = cast<Instruction>(S.Counter->getIncomingValueForBlock(S.L->getLoopLatch()));
    auto *Compare = cast<Instruction>(S.Branch->getCondition());
    for (bool More = true; More;) {
        More = false;
        for (BasicBlock *Block : S.L->blocks())
            for (Instruction &J : *Block) {
                for (const User *U : J.users())
                    if (!S.L->contains(cast<Instruction>(U)))
                        return false;
                if (&J == Next || &J == Compare || &J == S.Counter || S.Elements.count(&J))
                    continue;
                const bool Own = any_of(J.operands(), [&](const Value *Operand) {
                    const auto *Of = dyn_cast<Instruction>(Operand);
                    return Of && !isa<AllocaInst>(Of)
                           && (Tainted.count(Of) || (!S.L->contains(Of) && dependsOn(Of, S.Dimension)));
                });
                if (!Own || Tainted.count(&J))
                    continue;
                std::optional<Sum> Of = S.ByGroup ? sum(&J) : std::nullopt;
                if (!Of || isa<PHINode>(J))
                    return false;
                /* a multiple of the element, and what has nothing to do with it? */
                const unsigned Bits = J.getType()->getIntegerBitWidth();
                *Of = Of->low(Bits);
                Sum Rest = *Of;
                if (const uint64_t Times = Of->times({S.Counter})) {
                    Sum Element = Id;
                    Element.add({S.Counter}, 1);
                    Rest.add(Element, uint64_t(0) - Times);
                    Rest = Rest.low(Bits);
                    bool Other = Rest.has(S.Counter);
                    for (Value *D : I.Id)
                        Other |= isOf(D, S.Dimension) && Rest.has(D);
                    if (!Other && Bits <= S.Counter->getType()->getIntegerBitWidth()) {
                        Rest.add({S.Counter}, Times);
                        S.Elements[&J] = Rest;
                        More = true;
                        continue;
                    }
                }
                Tainted.insert(&J);
                More = true;
            }
    }
    Opaque = nullptr;
    return !S.ByGroup || !S.Elements.empty();
}

/* The most work-items that share out a range; more than MostItems: unknown. */
uint64_t Finder::most(int Dimension) const
{
    uint64_t Result = 1;
    for (unsigned D = 0; D < 3; ++D)
        if (Stride::has(Dimension, D))
            Result *= isa<ConstantInt>(I.Extent[D]) ? I.most(D) : MostItems + 1;
    return Result;
}

/* Whether the counters of all work-items begin without wrapping around: at `First` and their id. */
bool Finder::beginsInOrder(const Shared &S, const Sum &First)
{
    const unsigned Bits = S.Counter->getType()->getIntegerBitWidth();
    if (S.ByGroup)
        return true;
    if (First.Terms.empty() || (First.Terms.size() == 1 && First.Terms[0].first.empty())) {
        const APInt Begin = APInt(64, First.times({})).trunc(Bits),
                    Most = S.Signed ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits);
        const APInt Last = Most - APInt(Bits, std::min(most(S.Dimension), MostItems) - 1);
        return S.Signed ? Begin.sle(Last) : Begin.ule(Last);
    }
    const auto *Add = dyn_cast<BinaryOperator>(S.Start); /* of what is the same for all, and of ids: never negative */
    if (!Add || Add->getOpcode() != Instruction::Add || !(S.Signed ? Add->hasNoSignedWrap() : Add->hasNoUnsignedWrap()))
        return false;
    const auto IsOfIds = [&](Value *V) {
        const std::optional<Sum> Of = sum(V);
        return Of && fits(Of->low(Bits), Bits);
    };
    Value *Left = Add->getOperand(0), *Right = Add->getOperand(1);
    return (IsUniform(Left) && IsOfIds(Right)) || (IsUniform(Right) && IsOfIds(Left));
}

std::optional<Shared> Finder::find(Loop &L)
{
    BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
    if (!L.isLoopSimplifyForm() || !Latch || L.getExitingBlock() != Header || !L.getExitBlock()
        || L.getExitBlock()->getSinglePredecessor() != Header || isa<PHINode>(L.getExitBlock()->front())
        || !isa<BranchInst>(Latch->getTerminator()))
        return {};
    Shared S;
    S.L = &L;
    S.Branch = dyn_cast<BranchInst>(Header->getTerminator());
    auto *Compare = S.Branch ? dyn_cast<ICmpInst>(S.Branch->getCondition()) : nullptr;
    if (!Compare || std::distance(Header->phis().begin(), Header->phis().end()) != 1 || !Compare->hasOneUse())
        return {};
    S.Counter = &*Header->phis().begin();
    for (Instruction &J : *Header)
        if (J.mayHaveSideEffects())
            return {};
    CmpInst::Predicate Predicate = Compare->getPredicate();
    S.Bound = Compare->getOperand(1);
    if (Compare->getOperand(1) == S.Counter) {
        Predicate = CmpInst::getSwappedPredicate(Predicate);
        S.Bound = Compare->getOperand(0);
    } else if (Compare->getOperand(0) != S.Counter)
        return {};
    if (!L.contains(S.Branch->getSuccessor(0)))
        Predicate = CmpInst::getInversePredicate(Predicate);
    if (Predicate != CmpInst::ICMP_ULT && Predicate != CmpInst::ICMP_SLT)
        return {};
    S.Signed = Predicate == CmpInst::ICMP_SLT;
    S.Start = S.Counter->getIncomingValueForBlock(L.getLoopPreheader());
    auto *Next = dyn_cast<BinaryOperator>(S.Counter->getIncomingValueForBlock(Latch));
    if (!Next || Next->getOpcode() != Instruction::Add || !S.Counter->getType()->isIntegerTy()
        || S.Counter->getType()->getIntegerBitWidth() > 64 || !IsUniform(S.Bound))
        return {};
    bool Moved = false;
    if (!L.makeLoopInvariant(S.Bound, Moved)) /* `at < height + 2`, which is computed in the loop */
        return {};
    Value *Step = Next->getOperand(Next->getOperand(0) == S.Counter ? 1 : 0);
    if (Step == S.Counter || (Next->getOperand(0) != S.Counter && Next->getOperand(1) != S.Counter))
        return {};
    std::optional<Sum> By = sum(Step), From = sum(S.Start);
    if (!By || !From)
        return {};
    /* Could the counter wrap around, and the loop go on? An element that is 2 to the bits would be taken for one of the first. */
    const unsigned Bits = S.Counter->getType()->getIntegerBitWidth();
    const auto *Fixed = dyn_cast<ConstantInt>(Step);
    const auto *Known = dyn_cast<ConstantInt>(S.Bound);
    const bool Ends = S.Signed ? Next->hasNoSignedWrap()
                               : Bits == 64 || Next->hasNoUnsignedWrap() || (Fixed && Fixed->getValue().isPowerOf2())
                                     || (Known && Known->getValue().ult(APInt::getSignedMinValue(Bits)))
                                     || (Bits >= 32 && followsSize(S.Bound, Bits));
    if (!Ends)
        return {};
    for (int Dimension : {-1, -2, 0, 1, 2}) {
        if (Dimension >= 0 ? I.isOne(unsigned(Dimension)) : Dimension == -2 && (I.isOne(1) || I.isOne(2)))
            continue;
        Sum Rest = extent(Dimension);
        Rest.add(*By, ~uint64_t(0));
        if (!Rest.low(Bits).Terms.empty() || (Bits < 32 && most(Dimension) > uint64_t(1) << (Bits - 1)))
            continue;
        Rest = *From;
        Rest.add(linear(Dimension), ~uint64_t(0));
        Rest = Rest.low(Bits);
        S.Dimension = Dimension;
        const bool Uniform = all_of(Rest.Terms, [&](auto &Term) {
            return none_of(Term.first, [&](Value *Atom) { return I.isId(Atom) || !IsUniform(Atom); });
        });
        S.ByGroup = !Uniform;
        if (S.ByGroup && !IsUniform(S.Start))
            continue;
        S.InOrder = beginsInOrder(S, Rest);
        S.Elements.clear();
        if (isAlone(S))
            return S;
    }
    return {};
}

/* ---- the regions ------------------------------------------------------------------------------------------------- */

/* The value of a sum. */
Value *write(IRBuilderBase &B, const Sum &S, Type *T, const Value *Element, Value *For)
{
    Value *Result = ConstantInt::get(T, 0);
    for (auto &Term : S.Terms) {
        Value *V = ConstantInt::get(T, Term.second, false);
        for (Value *Atom : Term.first)
            V = B.CreateMul(V, B.CreateZExtOrTrunc(Atom == Element ? For : Atom, T));
        Result = B.CreateAdd(Result, V);
    }
    return Result;
}

class Sharer
{
  public:
    explicit Sharer(Kernel &K) : K(K)
    {
        for (unsigned D = 0; D < 3; ++D) {
            I.Id[D] = K.Id[D];
            I.Extent[D] = K.Id[D]->getArgOperand(1);
        }
    }
    void run();

  private:
    Kernel &K;
    Ids I;
    Value *Wraps = nullptr; /* by guard() */

    bool isOutermost(const Loop &L, const Region &R);
    bool isOnly(const Loop &L, const Region &R);
    bool keepsVariable(const Loop &L);
    Value *guardOf(const Shared &S);
    Region keepLoop(const Shared &S, BasicBlock *Exit);
    void guard(const Shared &S, Stride &New);
    void straighten(Shared &S, Region &R, Finder &Find);
    bool share(Loop &L, unsigned Number);
};

bool Sharer::isOutermost(const Loop &L, const Region &R)
{
    for (const Loop *Around = L.getParentLoop(); Around; Around = Around->getParentLoop())
        if (Around->getHeader() != R.Head && is_contained(R.Blocks, Around->getHeader()))
            return false;
    return true;
}

/* Whether nothing else happens in the region. */
bool Sharer::isOnly(const Loop &L, const Region &R)
{
    for (BasicBlock *Block : R.Blocks)
        for (Instruction &J : *Block)
            if (!L.contains(Block) && (J.mayHaveSideEffects() || any_of(J.users(), [&](const User *U) {
                                           return !is_contained(R.Blocks, cast<Instruction>(U)->getParent());
                                       })))
                return false;
    return true;
}

/* Whether a variable of a work-item is used both in a loop and elsewhere. */
bool Sharer::keepsVariable(const Loop &L)
{
    for (Instruction &J : K.F.getEntryBlock()) {
        if (!isa<AllocaInst>(J) || J.hasMetadata(SharedNote) || K.Constant.count(&J))
            continue;
        bool In = false, Out = false;
        SmallVector<Instruction *, 16> Open{&J};
        SmallPtrSet<Instruction *, 16> Seen;
        while (!Open.empty())
            for (User *U : Open.pop_back_val()->users()) {
                auto *By = cast<Instruction>(U);
                (L.contains(By) ? In : Out) = true;
                if (By->getType()->isPointerTy() && Seen.insert(By).second)
                    Open.push_back(By);
            }
        if (In && Out)
            return true;
    }
    return false;
}

/* If a loop does nothing for elements from some number on, this number; else null. */
Value *Sharer::guardOf(const Shared &S)
{
    BasicBlock *Body = S.Branch->getSuccessor(S.L->contains(S.Branch->getSuccessor(0)) ? 0 : 1);
    BasicBlock *Latch = S.L->getLoopLatch();
    auto *Branch = dyn_cast<BranchInst>(Body->getTerminator());
    auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (!Compare || Body == Latch || !Body->getSinglePredecessor() || !isa<Constant>(Compare->getOperand(1)))
        return nullptr;
    auto *Element = dyn_cast<Instruction>(Compare->getOperand(0));
    const auto At = S.Elements.find(Element);
    if (At == S.Elements.end() || At->second.Terms.size() != 1 || At->second.times({S.Counter}) != 1)
        return nullptr;
    CmpInst::Predicate Predicate = Compare->getPredicate();
    BasicBlock *Otherwise = Branch->getSuccessor(1);
    if (Otherwise != Latch) {
        Otherwise = Branch->getSuccessor(0);
        Predicate = CmpInst::getInversePredicate(Predicate);
    }
    for (BasicBlock *Block : {Body, Latch})
        if (any_of(*Block, [](const Instruction &J) { return J.mayHaveSideEffects(); }))
            return nullptr;
    if (Otherwise != Latch || Predicate != (S.Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT))
        return nullptr;
    return Compare->getOperand(1);
}

/* The range is empty if the counter of some work-item wraps around before its first turn; `Wraps` says so. */
void Sharer::guard(const Shared &S, Stride &New)
{
    IRBuilder<> B(New.Front->getTerminator());
    Type *T = S.Counter->getType();
    Value *Items = ConstantInt::get(T, 1);
    for (unsigned D = 0; D < 3; ++D)
        if (Stride::has(S.Dimension, D))
            Items = B.CreateMul(Items, B.CreateZExtOrTrunc(I.Extent[D], T));
    const unsigned Bits = T->getIntegerBitWidth();
    Value *Most = ConstantInt::get(T, (S.Signed ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits)) + 1);
    Wraps = B.CreateICmp(S.Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT, New.Begin, B.CreateSub(Most, Items));
    New.Past = B.CreateSelect(Wraps, New.Begin, S.Bound);
}

/* A copy of the loop, as a region that goes on to `Exit`. */
Region Sharer::keepLoop(const Shared &S, BasicBlock *Exit)
{
    ValueToValueMapTy Map;
    Region Kept;
    Kept.Is = Kind::Join;
    Kept.Rare = true;
    Kept.Head = BasicBlock::Create(K.F.getContext(), "tw_wraps", &K.F, Exit);
    Kept.End = BasicBlock::Create(K.F.getContext(), "tw_wrapped", &K.F, Exit);
    Kept.Next = Exit;
    Map[S.L->getLoopPreheader()] = Kept.Head;
    Map[Exit] = Kept.End;
    Kept.Blocks.push_back(Kept.Head);
    for (BasicBlock *Block : S.L->blocks()) {
        BasicBlock *Copy = CloneBasicBlock(Block, Map, ".wraps", &K.F);
        Map[Block] = Copy;
        Kept.Blocks.push_back(Copy);
        for (auto [Old, New] : zip(*Block, *Copy))
            if (K.Varying.count(&Old))
                K.Varying.insert(&New);
    }
    remapInstructionsInBlocks(ArrayRef(Kept.Blocks).drop_front(), Map);
    Kept.Blocks.push_back(Kept.End);
    BranchInst::Create(cast<BasicBlock>(Map[S.L->getHeader()]), Kept.Head)->setDebugLoc(S.Branch->getDebugLoc());
    BranchInst::Create(Exit, Kept.End)->setDebugLoc(S.Branch->getDebugLoc());
    return Kept;
}

/* The loop's body becomes that of one element. */
void Sharer::straighten(Shared &S, Region &R, Finder &Find)
{
    BasicBlock *Preheader = S.L->getLoopPreheader(), *Latch = S.L->getLoopLatch(), *Header = S.L->getHeader();
    BasicBlock *Exit = S.L->getExitBlock();
    BasicBlock *Front = R.Strides.empty() ? Preheader : R.Strides[0].Front;
    IRBuilder<> Before(Front->getTerminator());
    Type *T = S.Counter->getType();
    Stride New{};
    New.Front = Front;
    New.Dimension = S.Dimension;
    New.Signed = S.Signed;
    if (S.ByGroup) { /* whole turns of the group */
        Value *Size = ConstantInt::get(T, 1);
        for (unsigned D = 0; D < 3; ++D)
            if (Stride::has(S.Dimension, D))
                Size = Before.CreateMul(Size, Before.CreateZExtOrTrunc(I.Extent[D], T));
        New.Begin = S.Start;
        Value *Some = Before.CreateICmp(S.Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, S.Start, S.Bound);
        Value *Last =
            Before.CreateUDiv(Before.CreateSub(Before.CreateSub(S.Bound, S.Start), ConstantInt::get(T, 1)), Size);
        Value *Whole = Before.CreateMul(Before.CreateAdd(Last, ConstantInt::get(T, 1)), Size);
        New.Past = Before.CreateSelect(Some, Before.CreateAdd(S.Start, Whole), S.Start);
        if (Value *Most = guardOf(S)) {
            const Intrinsic::ID Least = S.Signed ? Intrinsic::smin : Intrinsic::umin;
            New.Past = Before.CreateBinaryIntrinsic(Least, New.Past, Most);
        }
    } else {
        Sum From = *Find.sum(S.Start);
        From.add(Find.linear(S.Dimension), ~uint64_t(0));
        New.Begin = write(Before, From.low(T->getIntegerBitWidth()), T, nullptr, nullptr);
        New.Past = S.Bound;
        if (!S.InOrder)
            guard(S, New);
    }
    New.At = Before.Insert(new FreezeInst(PoisonValue::get(T)), "tw_element"); /* until there is a loop */
    New.At->moveBefore(*Header, Header->getFirstInsertionPt());
    K.Varying.insert(New.At);
    for (auto &Element : S.Elements) {
        IRBuilder<ConstantFolder, IRBuilderCallbackInserter> Here(
            Element.first->getContext(), ConstantFolder(),
            IRBuilderCallbackInserter([&](Instruction *Made) { K.Varying.insert(Made); }));
        Here.SetInsertPoint(Element.first);
        Element.first->replaceAllUsesWith(write(Here, Element.second, Element.first->getType(), S.Counter, New.At));
    }
    S.Counter->replaceAllUsesWith(New.At);
    S.Counter->eraseFromParent();
    BasicBlock *Body = S.Branch->getSuccessor(S.L->contains(S.Branch->getSuccessor(0)) ? 0 : 1);
    auto *Branch = BranchInst::Create(Body, S.Branch->getIterator());
    Branch->setDebugLoc(S.Branch->getDebugLoc());
    S.Branch->eraseFromParent();
    Latch->getTerminator()->setSuccessor(0, Exit);
    Latch->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
    R.Strides.push_back(New);
}

bool Sharer::share(Loop &L, unsigned Number)
{
    Region &R = K.Regions[Number];
    if (!R.hasLoop() || R.Is == Kind::Once || !R.Next || !R.End || !isOutermost(L, R) || L.getHeader() == R.Head
        || !K.DT.dominates(L.getHeader(), R.End)
        || any_of(L.blocks(), [&](BasicBlock *Block) { return !is_contained(R.Blocks, Block); }))
        return false;
    const auto Uniform = [&](const Value *V) {
        if (isa<AllocaInst>(V))
            return K.Constant.count(V) != 0;
        return isUniform(K, V);
    };
    SmallVector<BasicBlock *, 8> Around;
    if (!R.Strides.empty())
        Around = R.Blocks;
    Finder Find(I, Uniform, Around);
    std::optional<Shared> S = Find.find(L);
    if (!S || keepsVariable(L))
        return false;
    for (BasicBlock *Block :
         L.blocks()) /* values of other regions, or places of this one, that it would have to keep */
        for (Instruction &J : *Block)
            for (Value *Operand : J.operands()) {
                auto *Of = dyn_cast<Instruction>(Operand);
                if (Of && !L.contains(Of) && !isa<AllocaInst>(Of) && !Uniform(Of) && !I.isId(Of) && !isRecomputed(K, Of)
                    && (R.Strides.empty() || !is_contained(R.Blocks, Of->getParent())))
                    return false;
            }
    if (!R.Strides.empty()) { /* another dimension of the same elements */
        for (const Stride &Other : R.Strides)
            if (Other.Dimension < 0 || S->Dimension < 0 || Other.Dimension == S->Dimension)
                return false;
        for (Value *V : {S->Start, S->Bound})
            if (auto *Of = dyn_cast<Instruction>(V);
                Of && !Uniform(Of) ? false : Of && is_contained(R.Blocks, Of->getParent()))
                return false;
        if (!S->InOrder || !isOnly(L, R))
            return false;
        straighten(*S, R, Find);
        K.DT.recalculate(K.F);
        return true;
    }
    BasicBlock *Preheader = L.getLoopPreheader(), *Header = L.getHeader(), *Latch = L.getLoopLatch();
    BasicBlock *Exit = L.getExitBlock();
    if (Preheader == R.End || Exit == R.Next || !is_contained(R.Blocks, Preheader) || !is_contained(R.Blocks, Exit))
        return false;
    Region Inside, Behind;
    Inside.Is = Behind.Is = Kind::Join;
    Inside.Head = Header;
    Inside.Line = Behind.Line = 0;
    Inside.Blocks.assign(L.block_begin(), L.block_end());
    Inside.End = Latch;
    Inside.Next = Exit;
    Region Kept, Choice;
    if (!S->InOrder) {
        Kept = keepLoop(*S, Exit);
        Choice.Is = Kind::Decision;
        Choice.Head = BasicBlock::Create(K.F.getContext(), "tw_wraps_any", &K.F, Exit);
        Choice.Blocks.push_back(Choice.Head);
    }
    straighten(*S, Inside, Find);
    if (!S->InOrder) {
        Latch->getTerminator()->setSuccessor(0, Choice.Head);
        BranchInst::Create(Kept.Head, Exit, Wraps, Choice.Head)->setDebugLoc(Latch->getTerminator()->getDebugLoc());
        Inside.Next = Choice.Head;
    }
    K.DT.recalculate(K.F);
    Behind.Head = Exit;
    Behind.End = R.End;
    Behind.Next = R.Next;
    SmallVector<BasicBlock *, 8> Front;
    for (BasicBlock *Block : R.Blocks)
        if (K.DT.dominates(Exit, Block))
            Behind.Blocks.push_back(Block);
        else if (!is_contained(Inside.Blocks, Block))
            Front.push_back(Block);
    R.Blocks = Front;
    R.End = Preheader;
    R.Next = Header;
    const auto Add = [&](const Region &New) {
        for (BasicBlock *Block : New.Blocks)
            K.RegionOf[Block] = unsigned(K.Regions.size());
        K.Regions.push_back(New);
    };
    const bool InOrder = S->InOrder;
    Add(Inside); /* R is gone */
    Add(Behind);
    if (!InOrder) {
        Add(Choice);
        Add(Kept);
    }
    return true;
}

void Sharer::run()
{
    for (bool More = true; More;) {
        More = false;
        LoopInfo LI(K.DT);
        for (Loop *L : LI.getLoopsInPreorder()) {
            const auto At = K.RegionOf.find(L->getHeader());
            if (At != K.RegionOf.end() && !K.Regions[At->second].Items && !K.Regions[At->second].Rare
                && share(*L, At->second)) {
                ++K.Shared;
                More = true;
                break;
            }
        }
    }
}

} // namespace

namespace
{

/* The global id less the local one is the first of the group: nothing of a work-item's own is left in that. */
bool cancelIds(Function &F, const Ids &I)
{
    const auto Any = [&](const Value *V) { return !I.isId(V); };
    Finder Find(I, Any);
    const auto HasId = [&](const Sum &S) { return any_of(I.Id, [&](const Value *Id) { return S.has(Id); }); };
    bool Changed = false;
    for (Instruction &J : make_early_inc_range(instructions(F))) {
        if ((J.getOpcode() != Instruction::Add && J.getOpcode() != Instruction::Sub) || !J.getType()->isIntegerTy())
            continue;
        const std::optional<Sum> Left = Find.sum(J.getOperand(0)), Right = Find.sum(J.getOperand(1)), Of = Find.sum(&J);
        if (!Left || !Right || !Of || !HasId(*Left) || !HasId(*Right))
            continue;
        const Sum Rest = Of->low(J.getType()->getIntegerBitWidth());
        if (HasId(Rest) || Rest.has(&J)) /* itself, if its terms are too many */
            continue;
        IRBuilder<> B(&J);
        J.replaceAllUsesWith(write(B, Rest, J.getType(), nullptr, nullptr));
        J.eraseFromParent();
        Changed = true;
    }
    return Changed;
}

/* The size of groups of two dimensions with which a loop of constant steps would share out a range; 0: none. */
uint64_t likelyExtent(Loop &L, const Ids &I, Finder &Find, unsigned D)
{
    for (PHINode &Phi : L.getHeader()->phis()) {
        BasicBlock *Latch = L.getLoopLatch(), *Preheader = L.getLoopPreheader();
        auto *Next = Latch && Preheader ? dyn_cast<BinaryOperator>(Phi.getIncomingValueForBlock(Latch)) : nullptr;
        auto *Step = Next && Next->getOpcode() == Instruction::Add && Next->getOperand(0) == &Phi
                         ? dyn_cast<ConstantInt>(Next->getOperand(1))
                         : nullptr;
        if (!Step || Step->getValue().slt(2) || Step->getValue().sgt(MostOfTile))
            continue;
        const uint64_t By = Step->getZExtValue();
        SmallVector<Value *, 16> Elements{Phi.getIncomingValueForBlock(Preheader)};
        for (BasicBlock *Block : L.blocks())
            for (Instruction &J : *Block)
                if (J.getOpcode() == Instruction::Add || J.getOpcode() == Instruction::Or)
                    Elements.push_back(&J);
        for (Value *Element : Elements) {
            const std::optional<Sum> Of = Find.sum(Element);
            if (!Of)
                continue;
            const uint64_t Rows = Of->times({I.Id[1]}), Columns = Of->times({I.Id[2]});
            if (Rows > 1 && Columns == 1 && By % Rows == 0) /* first + row * width + column */
                return D == 2 ? Rows : By / Rows;
            if (Rows == (D == 1) && Columns == (D == 2)) /* of one dimension */
                return By;
        }
    }
    return 0;
}

} // namespace

/* Sees to it that such loops of constant length are not unrolled, up to the time when they are looked for. At first, where ids are
   still in memory, these are all loops with steps of more than one. `Likely` becomes the size that a group of two dimensions must
   have for loops of constant steps to be such. */
void keepStrides(Function &F, Keep Which, uint64_t Likely[2])
{
    constexpr const char *Disable = "llvm.loop.unroll.disable", *Mark = "teamwork.shared";
    Ids I{};
    for (Instruction &J : instructions(F))
        if (CallInst *Call = markerCall(J, IdMarker))
            if (const auto *Level = dyn_cast<ConstantInt>(Call->getArgOperand(0)); Level && Level->getZExtValue() < 3) {
                I.Id[Level->getZExtValue()] = Call;
                I.Extent[Level->getZExtValue()] = Call->getArgOperand(1);
            }
    if (!I.Id[0] || !I.Id[1] || !I.Id[2])
        return;
    SmallPtrSet<const Value *, 32> Items; /* what follows from ids */
    const auto Follow = [&] {
        Items.clear();
        SmallVector<const Value *, 32> Open(I.Id, I.Id + 3);
        while (!Open.empty())
            for (const User *U : Open.pop_back_val()->users())
                if (Items.insert(U).second)
                    Open.push_back(U);
    };
    Follow();
    const auto Uniform = [&](const Value *V) { return !Items.count(V) && !I.isId(V); };
    const auto HasStep = [](const Loop &L) {
        for (PHINode &Phi : L.getHeader()->phis())
            for (Value *V : Phi.incoming_values())
                if (auto *Next = dyn_cast<BinaryOperator>(V); Next && Next->getOpcode() == Instruction::Add)
                    if (auto *Step = dyn_cast<ConstantInt>(Next->getOperand(1)))
                        return Step->getValue().sgt(1);
        return false;
    };
    DominatorTree DT(F);
    LoopInfo LI(DT);
    Finder Find(I, Uniform);
    if (Which != Keep::None && cancelIds(F, I))
        Follow();
    const bool OfTile = I.isOne(0) && !isa<ConstantInt>(I.Extent[1]) && !isa<ConstantInt>(I.Extent[2]);
    for (Loop *L : LI.getLoopsInPreorder()) {
        for (unsigned D = 1; D < 3 && OfTile && Which == Keep::Found; ++D)
            if (const uint64_t Size = likelyExtent(*L, I, Find, D); Size && !Likely[D - 1])
                Likely[D - 1] = Size;
        LLVMContext &Context = F.getContext();
        const bool Is = Which == Keep::Candidates ? HasStep(*L) : Which == Keep::Found && Find.find(*L);
        if (!Is && hasLoopMark(*L, Mark))
            L->setLoopID(makePostTransformationMetadata(Context, L->getLoopID(), {Disable, Mark}, {}));
        else if (Is && !hasLoopMark(*L, Disable)) {
            addLoopMark(*L, Disable);
            addLoopMark(*L, Mark);
        }
    }
}

void shareLoops(Kernel &K)
{
    Sharer(K).run();
}

} // namespace tw_compiler
