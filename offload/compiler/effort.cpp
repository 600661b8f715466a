/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells the library which kernels have work-items with loops: these take much longer than the end of a team does. Where the vectorizer
 * begins, loops of few turns are no longer loops, so that is what is looked for. The object that launches the kernel is told at the end.
 */
#include "compiler.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr const char *LoopsNote = "teamwork.loops";

bool hasLoops(const Loop &Items)
{
    return any_of(Items.getSubLoops(), [](const Loop *Inner) {
        return !(hasLoopMark(*Inner, ItemsMark) || hasLoopMark(*Inner, RowsMark)) || hasLoops(*Inner);
    });
}

/* The same value with 1 for the number that begins at a byte of it. */
Constant *withOne(Constant *Of, uint64_t At, const DataLayout &DL)
{
    if (At == 0 && Of->getType()->isIntegerTy())
        return ConstantInt::get(Of->getType(), 1);
    auto *Object = dyn_cast<ConstantStruct>(Of);
    const StructLayout *Layout = Object ? DL.getStructLayout(Object->getType()) : nullptr;
    if (!Layout || At >= Layout->getSizeInBytes())
        return Of;
    const unsigned Member = Layout->getElementContainingOffset(At);
    SmallVector<Constant *, 32> Members;
    for (unsigned I = 0; I < Object->getNumOperands(); ++I)
        Members.push_back(Object->getOperand(I));
    Members[Member] = withOne(Members[Member], At - Layout->getElementOffset(Member).getFixedValue(), DL);
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
    StringSet<> Kernels;
    for (const Function &F : M)
        if (F.hasFnAttribute(LoopsNote))
            Kernels.insert(kernelOf(F));
    for (GlobalVariable &Object : M.globals()) {
        uint64_t At;
        if (Object.hasInitializer() && Kernels.contains(Object.getAttribute(ObjectRole).getValueAsString())
            && !Object.getAttribute(HasLoopsRole).getValueAsString().getAsInteger(10, At))
            Object.setInitializer(withOne(Object.getInitializer(), At, M.getDataLayout()));
    }
}

} // namespace tw_compiler
