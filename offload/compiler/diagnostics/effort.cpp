/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells the library which kernels have work-items with loops: these take much longer than the end of a team does. Where the vectorizer
 * begins, loops of few turns are no longer loops, so that is what is looked for. The object that launches the kernel is told at the end.
 * What is told of a kernel is a field of that object.
 */
#include "effort.h"

#include "base/contract.h"
#include "base/marks.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>

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

/* The same value with another one at a byte of it, if that is 0 now. */
Constant *withValue(Constant *Of, uint64_t At, Constant *Value, const DataLayout &DL)
{
    if (At == 0 && Of->getType() == Value->getType())
        return Of->isNullValue() ? Value : Of;
    SmallVector<Constant *, 32> Members;
    while (Constant *Member = Of->getAggregateElement(unsigned(Members.size())))
        Members.push_back(Member);
    if (Members.empty() || At >= DL.getTypeAllocSize(Of->getType()).getFixedValue())
        return Of;
    if (auto *T = dyn_cast<ArrayType>(Of->getType())) {
        const uint64_t Bytes = DL.getTypeAllocSize(T->getElementType()).getFixedValue();
        Members[At / Bytes] = withValue(Members[At / Bytes], At % Bytes, Value, DL);
        return ConstantArray::get(T, Members);
    }
    auto *T = cast<StructType>(Of->getType());
    const StructLayout *Layout = DL.getStructLayout(T);
    const unsigned Member = Layout->getElementContainingOffset(At);
    Members[Member] = withValue(Members[Member], At - Layout->getElementOffset(Member).getFixedValue(), Value, DL);
    return ConstantStruct::get(T, Members);
}

} // namespace

/* The object that launches the kernel of a function; null: another module has it. */
GlobalVariable *objectOf(const Function &F)
{
    for (const GlobalVariable &Object : F.getParent()->globals())
        if (Object.hasInitializer() && Object.hasAttribute(ObjectRole)
            && Object.getAttribute(ObjectRole).getValueAsString() == kernelOf(F))
            return const_cast<GlobalVariable *>(&Object);
    return nullptr;
}

void noteLoops(Function &F, const LoopInfo &LI)
{
    if (any_of(LI.getLoopsInPreorder(), [](const Loop *L) { return hasLoopMark(*L, ItemsMark) && hasLoops(*L); }))
        F.addFnAttr(LoopsNote);
}

void tellKernel(const Function &F, const char *Role, unsigned Element, Constant *Value)
{
    GlobalVariable *Object = objectOf(F);
    const DataLayout &DL = F.getParent()->getDataLayout();
    uint64_t At;
    if (Object && !Object->getAttribute(Role).getValueAsString().getAsInteger(10, At))
        Object->setInitializer(withValue(
            Object->getInitializer(), At + Element * DL.getTypeAllocSize(Value->getType()).getFixedValue(), Value, DL));
}

void tellLoops(Module &M, ModuleAnalysisManager &)
{
    for (const Function &F : M)
        if (F.hasFnAttribute(LoopsNote))
            tellKernel(F, HasLoopsRole, 0, ConstantInt::get(Type::getInt32Ty(M.getContext()), 1));
}

} // namespace tw_compiler
