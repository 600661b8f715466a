/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells the library which kernels have work-items with loops: these take much longer than the end of a team does. Where the vectorizer
 * begins, loops of few turns are no longer loops, so that is what is looked for. The object that launches the kernel is told at the end.
 */
#include "compiler.h"

#include <llvm/IR/Module.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr const char *LoopsNote = "teamwork.loops";

/* Where struct tw_internal_kernel has `has_loops` (include/teamwork/lower/kernel/launch.h). */
constexpr unsigned Field = 5;

bool hasLoops(const Loop &Items)
{
    return any_of(Items.getSubLoops(), [](const Loop *Inner) {
        return !(hasLoopMark(*Inner, ItemsMark) || hasLoopMark(*Inner, RowsMark)) || hasLoops(*Inner);
    });
}

/* The object of the kernel that a function is made for, or null. The name may have what stands behind it twice. */
GlobalVariable *objectOf(Module &M, StringRef Function)
{
    for (size_t End; (End = Function.rfind("_tw_")) != StringRef::npos;) {
        Function = Function.take_front(End);
        if (GlobalVariable *Object = M.getGlobalVariable((Function + "_kernel").str(), true))
            return Object;
    }
    return nullptr;
}

/* The same value with a field of 1. */
Constant *withLoops(Constant *Of)
{
    auto *Object = dyn_cast<ConstantStruct>(Of);
    if (!Object)
        return Of;
    const bool IsOuter = Object->getNumOperands() == 1;
    const unsigned At = IsOuter ? 0 : Field;
    if (At >= Object->getNumOperands() || (!IsOuter && !Object->getOperand(At)->getType()->isIntegerTy(32)))
        return Of;
    SmallVector<Constant *, 32> Members;
    for (unsigned I = 0; I < Object->getNumOperands(); ++I)
        Members.push_back(Object->getOperand(I));
    Members[At] = IsOuter ? withLoops(Members[At]) : ConstantInt::get(Members[At]->getType(), 1);
    return ConstantStruct::get(Object->getType(), Members);
}

} // namespace

void noteLoops(Function &F, const LoopInfo &LI)
{
    if (any_of(LI.getLoopsInPreorder(), [](const Loop *L) { return hasLoopMark(*L, ItemsMark) && hasLoops(*L); }))
        F.addFnAttr(LoopsNote);
}

void tellLoops(Module &M)
{
    for (Function &F : M) {
        GlobalVariable *Object = F.hasFnAttribute(LoopsNote) ? objectOf(M, plainName(F)) : nullptr;
        if (Object && Object->hasInitializer())
            Object->setInitializer(withLoops(Object->getInitializer()));
    }
}

} // namespace tw_compiler
