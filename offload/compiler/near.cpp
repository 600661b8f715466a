/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads near what uses them, when all loops are written. An inner product through local memory, unrolled, reads a few dozens of
 * vectors, which LLVM puts in front of all that is computed, or of the loop if it does not change them:
 *
 *     b0 = load; ...; b31 = load                       for each row
 *     for each row                          becomes        b0 = load; sum0 = a0 * b0 + sum
 *         sum0 = a0 * b0 + sum; ...                        b1 = load; sum1 = a1 * b1 + sum0; ...
 *
 * Where these are more than there are registers, the compiler would store them to the stack and load them from there.
 */
#include "compiler.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

constexpr size_t MostInBlock = 8000; /* instructions */

class Nearer
{
  public:
    Nearer(Function &F, AAResults &AA, const TargetTransformInfo &TTI)
        : AA(AA), DL(F.getParent()->getDataLayout()),
          Register(TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8),
          Registers(TTI.getNumberOfRegisters(TTI.getRegisterClassForType(true)))
    {
    }
    bool bringInto(Loop &L);
    bool bringIn(BasicBlock &Block);

  private:
    AAResults &AA;
    const DataLayout &DL;
    const uint64_t Register, Registers;

    uint64_t registersOf(const Value &V) const
    {
        return isa<FixedVectorType>(V.getType()) && Register
                   ? divideCeil(DL.getTypeAllocSize(V.getType()).getFixedValue(), Register)
                   : 0;
    }
    uint64_t mostAlive(const BasicBlock &Block) const;
};

/* What is loaded, or made of one such value, without more registers in the place of one. */
bool isCheap(const Instruction &I)
{
    if (const auto *Load = dyn_cast<LoadInst>(&I))
        return Load->isSimple();
    if (const auto *Shuffle = dyn_cast<ShuffleVectorInst>(&I))
        return Shuffle->isZeroEltSplat();
    return isa<InsertElementInst>(I) || isa<GetElementPtrInst>(I);
}

/* How many registers the vectors take that are cheap and alive at one place of a block. */
uint64_t Nearer::mostAlive(const BasicBlock &Block) const
{
    DenseSet<const Value *> Alive;
    uint64_t Now = 0, Most = 0;
    const auto Begin = [&](const Value *V) {
        const auto *I = dyn_cast<Instruction>(V);
        if (I && isCheap(*I) && registersOf(*V) && Alive.insert(V).second)
            Now += registersOf(*V);
    };
    for (const BasicBlock *Next : successors(&Block))
        for (const PHINode &Phi : Next->phis())
            Begin(Phi.getIncomingValueForBlock(&Block));
    for (const Instruction &I : Block)
        if (any_of(I.users(), [&](const User *U) { return cast<Instruction>(U)->getParent() != &Block; }))
            Begin(&I);
    for (const Instruction &I : reverse(Block)) {
        if (Alive.erase(&I))
            Now -= registersOf(I);
        if (!isa<PHINode>(I))
            for (const Value *Operand : I.operands())
                Begin(Operand);
        Most = std::max(Most, Now);
    }
    return Most;
}

/* The first use of a value, if all of them are in a block, and none is of another turn; or null. */
Instruction *firstUse(Instruction &I, const BasicBlock &Block)
{
    Instruction *First = nullptr;
    for (User *U : I.users()) {
        auto *By = cast<Instruction>(U);
        if (By->getParent() != &Block || isa<PHINode>(By))
            return nullptr;
        if (!First || By->comesBefore(First))
            First = By;
    }
    return First;
}

/* Vectors that were loaded in front of a loop are loaded in it. */
bool Nearer::bringInto(Loop &L)
{
    BasicBlock *Before = L.getLoopPreheader(), *Block = L.getHeader();
    if (!Before || L.getNumBlocks() != 1 || Block->size() > MostInBlock || mostAlive(*Block) <= Registers)
        return false;
    bool Changed = false;
    for (Instruction &I : make_early_inc_range(reverse(*Before))) {
        if (I.mayWriteToMemory())
            break; /* what is loaded in front of it may be something else behind it */
        auto *Load = dyn_cast<LoadInst>(&I);
        Instruction *First = Load && Load->isSimple() && registersOf(I) ? firstUse(I, *Block) : nullptr;
        if (!First || any_of(*Block, [&](Instruction &J) {
                return isModSet(AA.getModRefInfo(&J, MemoryLocation::get(Load)));
            }))
            continue;
        I.moveBefore(*Block, First->getIterator());
        Changed = true;
    }
    return Changed;
}

/* Vectors are loaded in front of their first use. */
bool Nearer::bringIn(BasicBlock &Block)
{
    if (Block.size() > MostInBlock || mostAlive(Block) <= Registers)
        return false;
    bool Changed = false;
    for (Instruction &I : make_early_inc_range(reverse(Block))) {
        Instruction *First = isCheap(I) ? firstUse(I, Block) : nullptr;
        if (!First || First == I.getNextNode())
            continue;
        if (const auto *Load = dyn_cast<LoadInst>(&I)) {
            const MemoryLocation Where = MemoryLocation::get(Load);
            if (any_of(make_range(std::next(I.getIterator()), First->getIterator()),
                       [&](Instruction &J) { return isModSet(AA.getModRefInfo(&J, Where)); }))
                continue;
        }
        I.moveBefore(Block, First->getIterator());
        Changed = true;
    }
    return Changed;
}

} // namespace

bool loadNearUses(Function &F, FunctionAnalysisManager &FAM)
{
    if (!runsGroups(F) || F.hasOptNone())
        return false;
    Nearer Of(F, FAM.getResult<AAManager>(F), FAM.getResult<TargetIRAnalysis>(F));
    bool Changed = false;
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
        if (L->isInnermost())
            Changed |= Of.bringInto(*L);
    for (BasicBlock &Block : F)
        Changed |= Of.bringIn(Block);
    return Changed;
}

} // namespace tw_compiler
