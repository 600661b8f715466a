/* SPDX-License-Identifier: Apache-2.0 */
/* Values as sums of products of ids, of the extents of groups, and of uniform values: so it is seen what a work-item has of its own. */
#include "strides.h"

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr unsigned MostAtoms = 4, MostTerms = 12;

} // namespace

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

/* Whether a sum of ids is never negative, and less than 2 to so many bits. */
bool StrideFinder::fits(const Sum &S, unsigned Bits)
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
bool StrideFinder::followsSize(Value *V, unsigned Bits)
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
std::optional<Sum> StrideFinder::sum(Value *V, unsigned Depth)
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
Sum StrideFinder::linear(int Dimension)
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

Sum StrideFinder::extent(int Dimension)
{
    Sum Result = number(1);
    for (unsigned D = 0; D < 3; ++D)
        if (Stride::has(Dimension, D))
            Result = *product(Result, size(D));
    return Result;
}

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

} // namespace tw_compiler
