/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of groups that a kernel counts on, though its definition does not say them: its local memory has an
   element for each work-item, and a border perhaps. A hierarchical kernel gets a copy for groups of this size; for nd_range kernels
   see kernels.cpp. */
#include "kernel.h"

#include "base/contract.h"

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

constexpr uint64_t LeastSide = 4, MostOfTiles = 1024, UsualSide = 16; /* UsualSide: for which the macros make a copy */
constexpr uint64_t LeastOfLine = 32;                                  /* of one dimension */

/* 34 is 32 and a border, 24 may be 16 and a border of 4. */
uint64_t sideOf(uint64_t Elements)
{
    const uint64_t Side = Elements ? llvm::bit_floor(Elements) : 0;
    return Elements - Side <= Side / 2 ? Side : 0;
}

} // namespace

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
                    Tile[D] = sideOf(Lengths[Lengths.size() - Dims + D]);
                    Items *= Tile[D];
                    if (Tile[D] < (Dims == 1 ? LeastOfLine : LeastSide) || Items > MostOfTiles)
                        return {};
                }
                if (Result && *Result != Tile)
                    return {};
                Result = Tile;
            }
        }
    return Result;
}

/* In front of a call of tw_internal_is_tile(launch), which chooses a copy of a kernel for groups of 16 x 16, comes the same question for
   another size. The block that is run for it has to return. */
BasicBlock *askForSize(CallInst &Call, const Sides &Size, unsigned Dims)
{
    Function *Is = functionOf(*Call.getModule(), IsSizeRole);
    if (!Is || Is->arg_size() != 5)
        return nullptr;
    BasicBlock *Before = Call.getParent(), *Next = SplitBlock(Before, &Call);
    auto *There = BasicBlock::Create(Call.getContext(), "tw_size", Before->getParent(), Next);
    IRBuilder<> B(Before->getTerminator());
    B.SetCurrentDebugLocation(Call.getDebugLoc());
    SmallVector<Value *, 5> Arguments{Call.getArgOperand(0)};
    for (unsigned D = 0; D < 4; ++D)
        Arguments.push_back(ConstantInt::get(Is->getFunctionType()->getParamType(D + 1), D < 3 ? Size[D] : Dims));
    B.CreateCondBr(B.CreateCall(Is, Arguments), There, Next);
    Before->getTerminator()->eraseFromParent();
    return There;
}

namespace
{

/* In front of
 *
 *     if (tw_internal_is_tile(launch)) { kernel_tw_groups(launch, ..., 16, 16, 1, 2); return; }
 *
 * comes the same for the size that the kernel counts on. */
void copyForTile(CallInst &Call, const CallInst &Groups, const Sides &Tile, unsigned Dims)
{
    BasicBlock *There = askForSize(Call, Tile, Dims);
    if (!There)
        return;
    ValueToValueMapTy Values;
    for (const Instruction &I : *Groups.getParent()) {
        Instruction *Copy = I.clone();
        Copy->insertInto(There, There->end());
        RemapInstruction(Copy, Values, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
        Values[&I] = Copy;
        if (&I != &Groups)
            continue;
        for (unsigned D = 0; D < 4; ++D)
            cast<CallInst>(Copy)->setArgOperand(
                3 + D, ConstantInt::get(Copy->getOperand(3 + D)->getType(), D < 3 ? Tile[D] : Dims));
        break;
    }
    ReturnInst::Create(Call.getContext(), There)->setDebugLoc(Call.getDebugLoc());
}

} // namespace

void copyForTiles(Module &M)
{
    Function *Is = functionOf(M, IsTileRole);
    if (!Is)
        return;
    SmallVector<CallInst *, 8> Calls;
    for (User *U : Is->users())
        if (auto *Call = dyn_cast<CallInst>(U);
            Call && Call->getCalledFunction() == Is && !Call->getFunction()->hasOptNone())
            Calls.push_back(Call);
    for (CallInst *Call : Calls) {
        auto *Branch = dyn_cast<BranchInst>(Call->getParent()->getTerminator());
        if (!Branch || !Branch->isConditional() || Branch->getCondition() != Call)
            continue;
        CallInst *Groups = nullptr;
        for (Instruction &I : *Branch->getSuccessor(0))
            if (auto *Of = dyn_cast<CallInst>(&I); Of && Of->arg_size() == 7 && calls(I, GroupsRole))
                Groups = Of;
        for (const unsigned Dims : {2u, 3u}) {
            const auto Tile = Groups ? tileOf(*Groups->getCalledFunction(), Dims) : std::nullopt;
            if (Tile && (Dims == 3 || (*Tile)[0] != UsualSide || (*Tile)[1] != UsualSide))
                copyForTile(*Call, *Groups, *Tile, Dims);
        }
    }
}

} // namespace tw_compiler
