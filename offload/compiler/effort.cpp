/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells the library which kernels have work-items with loops: these take much longer than the end of a team does. Where the vectorizer
 * begins, loops of few turns are no longer loops, so that is what is looked for. The object that launches the kernel is told at the end.
 * What is told of a kernel is a field of that object.
 */
#include "compiler.h"

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

/* The same value with another one at a path of members, if that is 0 now. */
Constant *withMember(Constant *Of, ArrayRef<unsigned> Path, Constant *Value)
{
    if (Path.empty())
        return Of->isNullValue() && Of->getType() == Value->getType() ? Value : Of;
    SmallVector<Constant *, 32> Members;
    while (Constant *Member = Of->getAggregateElement(unsigned(Members.size())))
        Members.push_back(Member);
    if (Path[0] >= Members.size())
        return Of;
    Members[Path[0]] = withMember(Members[Path[0]], Path.drop_front(), Value);
    if (auto *T = dyn_cast<ArrayType>(Of->getType()))
        return ConstantArray::get(T, Members);
    return ConstantStruct::get(cast<StructType>(Of->getType()), Members);
}

} // namespace

/* The object of the kernel that a function is made for; null: another module has it. The name may have what stands behind it twice. */
GlobalVariable *objectOf(const Function &F)
{
    StringRef Name = plainName(F);
    for (size_t End; (End = Name.rfind("_tw_")) != StringRef::npos;) {
        Name = Name.take_front(End);
        if (const GlobalVariable *Object = F.getParent()->getGlobalVariable((Name + "_kernel").str(), true))
            return const_cast<GlobalVariable *>(Object);
    }
    return nullptr;
}

void noteLoops(Function &F, const LoopInfo &LI)
{
    if (any_of(LI.getLoopsInPreorder(), [](const Loop *L) { return hasLoopMark(*L, ItemsMark) && hasLoops(*L); }))
        F.addFnAttr(LoopsNote);
}

void tellKernel(const Function &F, ArrayRef<unsigned> Member, Constant *Value)
{
    GlobalVariable *Object = objectOf(F);
    if (!Object || !Object->hasInitializer())
        return;
    SmallVector<unsigned, 3> Path(Member);
    if (Object->getValueType()->getStructNumElements() == 1) /* of the kernel's form */
        Path.insert(Path.begin(), 0);
    Object->setInitializer(withMember(Object->getInitializer(), Path, Value));
}

void tellLoops(Module &M)
{
    for (const Function &F : M)
        if (F.hasFnAttribute(LoopsNote))
            tellKernel(F, {HasLoopsField}, ConstantInt::get(Type::getInt32Ty(M.getContext()), 1));
}

} // namespace tw_compiler
