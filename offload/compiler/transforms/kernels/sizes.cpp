/* SPDX-License-Identifier: Apache-2.0 */
/* The size of groups that a kernel counts on, though its definition does not say it: its local memory has an element for each work-item,
   and a border perhaps. The kernel gets a copy for groups of this size, which it calls in its first line. */
#include "kernel.h"

#include "base/contract.h"

#include <optional>

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr uint64_t LeastSide = 4, MostOfSize = 1024;
constexpr uint64_t LeastOfLine = 32;                              /* of one dimension */
constexpr Sides UsualLine = {1, 1, 256}, UsualTile = {1, 16, 16}; /* for which the macros make copies */

/* 34 is 32 and a border, 24 may be 16 and a border of 4. */
uint64_t sideOf(uint64_t Elements)
{
    const uint64_t Side = Elements ? llvm::bit_floor(Elements) : 0;
    return Elements - Side <= Side / 2 ? Side : 0;
}

/* The size of groups of so many dimensions, from the local memory of a function and of what it calls. */
std::optional<Sides> tileOf(Function &F, unsigned Dims)
{
    std::optional<Sides> Result;
    SmallSetVector<Function *, 16> Functions;
    Functions.insert(&F);
    for (size_t N = 0; N < Functions.size(); ++N)
        for (Instruction &I : instructions(*Functions[N])) {
            if (auto *Call = dyn_cast<CallBase>(&I))
                if (Function *Callee = Call->getCalledFunction(); Callee && !Callee->isDeclaration())
                    Functions.insert(Callee);
            for (const Value *Operand : I.operands()) {
                if (!isLocalVariable(Operand))
                    continue;
                SmallVector<uint64_t, 4> Lengths;
                for (const Type *T = cast<GlobalVariable>(Operand)->getValueType(); T->isArrayTy();
                     T = T->getArrayElementType())
                    Lengths.push_back(T->getArrayNumElements());
                if (Dims == 1 ? Lengths.size() != 1 : Lengths.size() < 2)
                    continue;
                if (Lengths.size() < Dims)
                    return {};
                Sides Tile{1, 1, 1};
                uint64_t Items = 1;
                for (unsigned D = 0; D < Dims; ++D) {
                    uint64_t &Side = Tile[3 - Dims + D];
                    Side = sideOf(Lengths[Lengths.size() - Dims + D]);
                    Items *= Side;
                    if (Side < (Dims == 1 ? LeastOfLine : LeastSide) || Items > MostOfSize)
                        return {};
                }
                if (Result && *Result != Tile)
                    return {};
                Result = Tile;
            }
        }
    return Result;
}

/* Where the size of the group is computed that a kernel does not say; null: it says one. */
CallInst *sizeCall(Function &F, unsigned &Dims)
{
    for (Instruction &I : instructions(F)) {
        auto *Call = dyn_cast<CallInst>(&I);
        if (!Call || !calls(I, GroupSizeRole) || Call->arg_size() < 5)
            continue;
        const auto *Last = dyn_cast<ConstantInt>(Call->getArgOperand(Call->arg_size() - 1));
        const auto *Given = dyn_cast<ConstantInt>(Call->getArgOperand(Call->arg_size() - 4));
        Dims = Last ? unsigned(Last->getZExtValue()) : 0;
        return Dims >= 1 && Dims <= 3 && Given && Given->isZero() ? Call : nullptr;
    }
    return nullptr;
}

} // namespace

bool saysNoSize(Function &F)
{
    unsigned Dims;
    return sizeCall(F, Dims) != nullptr;
}

std::optional<Sides> giveSize(const Kernel &K, Function &Copy)
{
    unsigned Dims;
    CallInst *Call = sizeCall(Copy, Dims);
    const bool OfLoops = Dims == 2 && K.Likely[0] && K.Likely[1];
    const std::optional<Sides> Size = OfLoops ? Sides{1, K.Likely[0], K.Likely[1]} : tileOf(Copy, Dims);
    if (!Size || (*Size)[0] * (*Size)[1] * (*Size)[2] > MostOfSize || *Size == UsualLine || *Size == UsualTile)
        return {};
    for (unsigned D = 0; D < 3; ++D) {
        Use &Side = Call->getArgOperandUse(Call->arg_size() - 4 + D);
        Side.set(ConstantInt::get(Side->getType(), D < Dims ? (*Size)[3 - Dims + D] : 1));
    }
    return Size;
}

/* Whether a kernel may count on groups of the usual size as well: it has two elements for each of their work-items, as trees often do. */
bool mayBeUsual(const Sides &Size)
{
    return Size == Sides{1, 1, 2 * UsualLine[2]};
}

bool chooseCopy(const Kernel &K, Function &Copy, const Sides &Size, const WeakTrackingVH Turns[3])
{
    Instruction *Last = nullptr; /* of those that are computed */
    for (const WeakTrackingVH *Each = Turns; Each != Turns + 3; ++Each)
        if (auto *I = dyn_cast_or_null<Instruction>(static_cast<Value *>(*Each))) {
            if (Last && I->getParent() != Last->getParent())
                return false;
            Last = Last && I->comesBefore(Last) ? Last : I;
        } else if (!isa_and_nonnull<Constant>(static_cast<Value *>(*Each)))
            return false;
    if (!Last)
        return false;
    IRBuilder<> B(Last->getNextNode());
    Value *Fits = B.getTrue();
    for (unsigned Level = 0; Level < 3; ++Level)
        Fits = B.CreateAnd(Fits, B.CreateICmpEQ(Turns[Level], ConstantInt::get(Turns[Level]->getType(), Size[Level])));
    Instruction *End = SplitBlockAndInsertIfThen(Fits, B.GetInsertPoint(), true);
    B.SetInsertPoint(End);
    B.SetCurrentDebugLocation(K.Where);
    B.CreateCall(&Copy, {K.F.getArg(0)});
    B.CreateRetVoid();
    End->eraseFromParent();
    return true;
}

} // namespace tw_compiler
