/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of groups that a kernel of two dimensions counts on, though its definition does not say them: its local memory has an element
   for each work-item, and a border perhaps. A hierarchical kernel gets a copy for groups of this size; for nd_range kernels see
   plugin.cpp. */
#include "split.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace tw_split
{
namespace
{

constexpr uint64_t LeastSide = 4, MostOfTiles = 1024, UsualSide = 16; /* UsualSide: for which the macros make a copy */

/* 34 is 32 and a border, 24 may be 16 and a border of 4. */
uint64_t sideOf(uint64_t Elements)
{
    const uint64_t Side = Elements ? llvm::bit_floor(Elements) : 0;
    return Elements - Side <= Side / 2 ? Side : 0;
}

} // namespace

/* The rows and columns of groups, from the local memory of a function and of what it calls. */
std::optional<std::pair<uint64_t, uint64_t>> tileOf(Function &F)
{
    std::optional<std::pair<uint64_t, uint64_t>> Result;
    SmallSetVector<Function *, 16> Functions;
    Functions.insert(&F);
    for (size_t N = 0; N < Functions.size(); ++N)
        for (Instruction &I : instructions(*Functions[N])) {
            if (auto *Call = dyn_cast<CallBase>(&I))
                if (Function *Callee = Call->getCalledFunction(); Callee && !Callee->isDeclaration())
                    Functions.insert(Callee);
            for (const Value *Operand : I.operands()) {
                const auto *Local = dyn_cast<GlobalVariable>(Operand);
                const auto *Rows = Local && Local->isThreadLocal() && Local->hasLocalLinkage() ? dyn_cast<ArrayType>(Local->getValueType())
                                                                                               : nullptr;
                const auto *Columns = Rows ? dyn_cast<ArrayType>(Rows->getElementType()) : nullptr;
                if (!Columns)
                    continue;
                for (; isa<ArrayType>(Columns->getElementType()); Columns = cast<ArrayType>(Columns->getElementType()))
                    Rows = Columns;
                const std::pair<uint64_t, uint64_t> Tile{sideOf(Rows->getNumElements()), sideOf(Columns->getNumElements())};
                if (Tile.first < LeastSide || Tile.second < LeastSide || Tile.first * Tile.second > MostOfTiles
                    || (Result && *Result != Tile))
                    return {};
                Result = Tile;
            }
        }
    return Result;
}

/* In front of
 *
 *     if (tw_internal_is_tile(launch)) { kernel_tw_groups(launch, ..., 16, 16, 1, 2); return; }
 *
 * comes the same for the size that the kernel counts on. */
void copyForTiles(Module &M)
{
    Function *Is = M.getFunction("tw_internal_is_tile");
    if (!Is || Is->isDeclaration())
        return;
    SmallVector<CallInst *, 8> Calls;
    for (User *U : Is->users())
        if (auto *Call = dyn_cast<CallInst>(U); Call && Call->getCalledFunction() == Is && !Call->getFunction()->hasOptNone())
            Calls.push_back(Call);
    for (CallInst *Call : Calls) {
        auto *Branch = dyn_cast<BranchInst>(Call->getParent()->getTerminator());
        if (!Branch || !Branch->isConditional() || Branch->getCondition() != Call)
            continue;
        CallInst *Groups = nullptr;
        for (Instruction &I : *Branch->getSuccessor(0))
            if (auto *Of = dyn_cast<CallInst>(&I); Of && Of->getCalledFunction() && Of->arg_size() == 7
                && Of->getCalledFunction()->getName().contains("_tw_groups"))
                Groups = Of;
        const auto Tile = Groups ? tileOf(*Groups->getCalledFunction()) : std::nullopt;
        if (!Tile || (Tile->first == UsualSide && Tile->second == UsualSide))
            continue;
        ValueToValueMapTy Map;
        Function *Fits = CloneFunction(Is, Map);
        uint64_t Sides[] = {Tile->first, Tile->second};
        unsigned Side = 0;
        for (Instruction &I : instructions(*Fits))
            if (auto *Compare = dyn_cast<ICmpInst>(&I))
                if (const auto *By = dyn_cast<ConstantInt>(Compare->getOperand(1)); By && By->equalsInt(UsualSide) && Side < 2)
                    Compare->setOperand(1, ConstantInt::get(By->getType(), Sides[Side++]));
        BasicBlock *Before = Call->getParent(), *Next = SplitBlock(Before, Call);
        auto *There = BasicBlock::Create(M.getContext(), "tw_tile", Before->getParent(), Next);
        IRBuilder<> B(Before->getTerminator());
        B.SetCurrentDebugLocation(Call->getDebugLoc());
        auto *Chosen = B.CreateCall(Fits, {Call->getArgOperand(0)});
        Chosen->setAttributes(Call->getAttributes());
        B.CreateCondBr(Chosen, There, Next);
        Before->getTerminator()->eraseFromParent();
        ValueToValueMapTy Values;
        for (Instruction &I : *Groups->getParent()) {
            Instruction *Copy = I.clone();
            Copy->insertInto(There, There->end());
            RemapInstruction(Copy, Values, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
            Values[&I] = Copy;
            if (&I == Groups) {
                for (unsigned D = 0; D < 2; ++D)
                    cast<CallInst>(Copy)->setArgOperand(3 + D, ConstantInt::get(Copy->getOperand(3 + D)->getType(), Sides[D]));
                break;
            }
        }
        ReturnInst::Create(M.getContext(), There)->setDebugLoc(Call->getDebugLoc());
    }
}

} // namespace tw_split
