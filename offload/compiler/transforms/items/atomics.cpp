/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic operations that need not be atomic. One thread runs all work-items of a group, and nobody else has its local memory: a relaxed
 * operation there is an ordinary access. It becomes one only when all loops over work-items are as they will be: up to then none of
 * its parts may change places with those of another work-item.
 */
#include "passes.h"

#include "analysis/predicates.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

using namespace llvm;

namespace tw_compiler
{

/* Makes ordinary accesses of such operations (isOrdinaryAtomic()). */
bool makeOrdinary(Function &F, FunctionAnalysisManager &)
{
    bool Changed = false;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        if (!isOrdinaryAtomic(I))
            continue;
        if (auto *Load = dyn_cast<LoadInst>(&I))
            Load->setAtomic(AtomicOrdering::NotAtomic);
        else if (auto *Store = dyn_cast<StoreInst>(&I))
            Store->setAtomic(AtomicOrdering::NotAtomic);
        else if (auto *Change = dyn_cast<AtomicRMWInst>(&I))
            lowerAtomicRMWInst(Change);
        else
            lowerAtomicCmpXchgInst(cast<AtomicCmpXchgInst>(&I));
        Changed = true;
    }
    return Changed;
}

} // namespace tw_compiler
